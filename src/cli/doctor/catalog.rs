//! The catalog: its problems, what needs trust, and the search index.

use serde_json::{Value, json};

use super::super::check;
use super::super::workspace::no_workspace_fix;
use super::report::CheckLine;
use refdesk_desk::{Desk, IndexStatus, changed_since, first_sections_only};
use refdesk_files::workspace::WorkspaceReason;
use refdesk_text::Error;
use refdesk_text::report::total;
use refdesk_text::tokens::{counted, grouped};

/// Counts the problems that `check` lists.
pub fn catalog(desk: &mut Desk) -> CheckLine {
    let (errors, warnings) = check::problems(desk);
    let sources = desk.catalog().len();
    let found = format!(
        "{}, {}, {}",
        counted(sources, "source"),
        counted(total(&errors), "error"),
        counted(total(&warnings), "warning")
    );
    match (sources, errors.len(), warnings.len()) {
        (_, 1.., _) => CheckLine::wrong("catalog", found, "`refdesk check` lists them"),
        // Here, `refdesk init` has nothing to propose.
        (0, ..) if !desk.can_init() => CheckLine::note("catalog", "this folder has no catalog", ""),
        (0, ..) => CheckLine::note("catalog", "it is empty", "`refdesk init` proposes one"),
        (_, 0, 1..) => CheckLine::note("catalog", found, "`refdesk check` lists them"),
        _ => CheckLine::ok("catalog", found),
    }
}

/// Reports how many settings of this repository need trust.
pub fn trust(desk: &Desk) -> CheckLine {
    match desk.untrusted().len() {
        0 => CheckLine::ok("trust", "nothing waits for your trust"),
        1 => CheckLine::note("trust", "1 setting of this repository needs your trust", "`refdesk trust` shows it"),
        many => {
            let text = format!("{many} settings of this repository need your trust");
            CheckLine::note("trust", text, "`refdesk trust` shows them")
        }
    }
}

/// Reports on the search index and the model: the lines, the JSON members, and why the index cannot be read.
pub fn index(desk: &Desk) -> (Vec<CheckLine>, [(&'static str, Value); 3], Option<Error>) {
    let model = desk.model_name();
    let members = |index| index_members(index, model, Some(desk.wants_meaning()));
    let status = match desk.index_status() {
        Ok(status) => status,
        Err(error) => {
            let fix = super::super::fix::worded(error.clone()).fix.to_string();
            // The line already names it, unless a database follows the name.
            let named = error.message.strip_prefix("the search index ").filter(|rest| !rest.starts_with("in "));
            let message = named.unwrap_or(&error.message);
            let line = CheckLine::wrong("search index", message, fix);
            return (vec![line], members(None), Some(error));
        }
    };
    let changed = desk.index().ok().flatten().and_then(|index| desk.changed_files(&index).ok()).unwrap_or_default();
    let waits = desk.untrusted_source_count();
    let set = desk.settings().hints.threshold;
    let threshold = set.or(status.and_then(|status| status.threshold)).map(refdesk_enrich::Score::from);
    let mut lines = vec![match &status {
        None => no_index(desk, waits),
        Some(status) => {
            let from = if set.is_some() { " (configured)" } else { "" };
            let threshold =
                threshold.map_or("threshold not computed yet".to_owned(), |score| format!("threshold {score}{from}"));
            existing_index(status, &threshold, changed, waits, model.is_some())
        }
    }];
    if let Some(sentence) = desk.index_waits_for_trust() {
        lines.push(CheckLine::note("search index", sentence.trim_end_matches('.'), "`refdesk trust` shows it"));
    }
    if let Some(sentence) = first_sections_only(&desk.cut_files(|_| true).unwrap_or_default()) {
        let fix = "split them to make the rest findable";
        lines.push(CheckLine::note("search index", sentence.trim_end_matches('.'), fix));
    }
    lines.push(match model {
        Some(name) => CheckLine::ok("model", format!("{name}, for English")),
        None => CheckLine::note("model", "none in this program; the index finds words only", ""),
    });
    if !desk.wants_meaning() {
        lines.push(CheckLine::note("hints by meaning", "off (`hints.semantic` is false)", ""));
    }
    let index = status
        .map(|status| json!({"sections": status.documents, "vectors": status.with_vector, "unread": status.unread, "changed": changed, "waits_for_trust": waits, "threshold": threshold}));
    (lines, members(index), None)
}

fn no_index(desk: &Desk, waits: usize) -> CheckLine {
    if desk.catalog().is_empty() {
        return CheckLine::note("search index", "none: no documents to index", "");
    }
    let context = desk.workspace_context();
    if context.reason == WorkspaceReason::Demo {
        return CheckLine::ok(
            "search index",
            "not built yet; `search`, `simulate`, `why-not` and `enrich` build it when they need it",
        );
    }
    let sources = counted(desk.catalog().len().saturating_sub(waits), "source");
    let has_meaning = desk.wants_meaning() && desk.model_name().is_some();
    let by = if has_meaning { "by words and by meaning" } else { "by words" };
    let fix = match context.is_workspace() {
        true => format!("`refdesk index` makes {sources} searchable {by}, down to the section"),
        false => no_workspace_fix(context).to_owned(),
    };
    let what = match desk.has_older_index() {
        true => "built by an older refdesk, cannot be used",
        false => "none",
    };
    CheckLine::note("search index", format!("{what}; hints come from tags only, and search does not work"), fix)
}

/// What the index has; or the first of the reasons for which it lacks something.
fn existing_index(status: &IndexStatus, threshold: &str, changed: usize, waits: usize, has_model: bool) -> CheckLine {
    let sections = counted(status.documents, "section");
    // Not all sections get a vector.
    let [with, wanted] = [status.with_vector, status.with_vector + status.without_vector].map(grouped);
    let text = format!("{sections}, vectors for {with} of {wanted}, {threshold}{}", waiting(waits));
    let reads = |count: usize| if count == 1 { "`refdesk index` reads it" } else { "`refdesk index` reads them" };
    if status.unread > 0 {
        let missing = counted(status.unread, "source");
        CheckLine::wrong("search index", format!("{missing} not read yet; {text}"), reads(status.unread))
    } else if let Some(sentence) = changed_since(changed) {
        CheckLine::note("search index", format!("{text}; {}", sentence.trim_end_matches('.')), reads(changed))
    } else if status.without_vector > 0 && has_model {
        CheckLine::note("search index", text, "`refdesk index` computes the missing vectors")
    } else if waits > 0 {
        CheckLine::note("search index", text, "`refdesk trust` shows what to trust")
    } else {
        CheckLine::ok("search index", text)
    }
}

pub fn index_members(index: Option<Value>, model: Option<&str>, semantic: Option<bool>) -> [(&'static str, Value); 3] {
    [("index", index.unwrap_or_default()), ("model", json!(model)), ("semantic", json!(semantic))]
}

/// `, 2 sources wait for trust and are not in it`
fn waiting(count: usize) -> String {
    match count {
        0 => String::new(),
        1 => ", 1 source waits for trust and is not in it".to_owned(),
        _ => format!(", {} sources wait for trust and are not in it", grouped(count)),
    }
}
