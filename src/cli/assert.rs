//! `refdesk assert`: checks the desk against a file of expectations.

use std::borrow::Cow;
use std::path::Path;

use serde::Serialize;
use serde_json::{Value, json};

use super::answer::CommandOutput;
use super::args::OutputFormat;
use super::fix;
use super::output::terminal_width;
use super::rows::join;
use super::table;
use super::why_not;
use refdesk_core::catalog::SourceId;
use refdesk_core::selection::Role;
use refdesk_desk::{AssertionReport, CaseResult, Desk, FailedExpectation, Session, read_expectations};
use refdesk_files::path::absolute;
use refdesk_files::{read_regular, unreadable};
use refdesk_text::escape::one_line;
use refdesk_text::lines::decode;
use refdesk_text::report::Diagnostic;
use refdesk_text::tokens::{counted, grouped};
use refdesk_text::{Code, Error};

/// The most bytes of the file.
const LIMIT: u64 = 16 * 1024 * 1024;

/// Reads the file and checks every case. The exit code is 1 if an expectation fails, 2 if the file cannot be used.
pub fn run(desk: &mut Desk, session: &Session, file: &Path, format: OutputFormat) -> CommandOutput {
    let path = absolute(&desk.workspace_context().current, file);
    let shown = desk.workspace_context().display(&path);
    let bytes = match read_regular(&path, LIMIT) {
        Ok((bytes, false)) => bytes,
        Ok((_, true)) => {
            let what = format!("{shown} cannot be read: it is larger than 16 MiB");
            return unusable(what, "split it into several files");
        }
        Err(error) => return unusable(unreadable(&shown, &error), "name a TOML file of expectations"),
    };
    let (Cow::Borrowed(text), _) = decode(&bytes) else {
        let what = format!("{shown} cannot be read: it is not UTF-8");
        return unusable(what, "save it as UTF-8, which TOML requires");
    };
    let expectations = match read_expectations(text, &shown, desk.catalog()) {
        Ok(expectations) => expectations,
        Err(problems) => return invalid_file(&shown, problems),
    };
    let asserted = desk.assert(expectations);
    let unmet = |judged: &CaseResult| judged.unmet.iter().map(|miss| words(desk, session, miss)).collect();
    let unmet: Vec<Vec<UnmetExpectation>> = asserted.cases.iter().map(unmet).collect();
    let mut answer =
        CommandOutput::either(format, || to_json(&asserted, &unmet), || to_text(&shown, &asserted, &unmet));
    answer.diagnostics.extend(asserted.problem.clone());
    answer.exit = u8::from(asserted.cases.iter().any(|judged| !judged.unmet.is_empty()));
    answer
}

fn unusable(what: String, hint: &str) -> CommandOutput {
    let refusal = Error::new(Code::NoExpectations, what, hint);
    CommandOutput { exit: 2, ..CommandOutput::refused(refusal) }
}

fn invalid_file(shown: &str, problems: Vec<Diagnostic>) -> CommandOutput {
    let refusal = Error::new(Code::BadExpectations, format!("{shown}: {}", counted(problems.len(), "error")), "");
    let json = json!({"problems": fix::all(&problems)});
    CommandOutput { exit: 2, json, diagnostics: problems, ..CommandOutput::refused(refusal) }
}

/// An unmet expectation, and what happened instead.
#[derive(Serialize)]
struct UnmetExpectation {
    expectation: &'static str,
    id: Option<String>,
    reason: &'static str,
    message: String,
}

fn words(desk: &Desk, session: &Session, miss: &FailedExpectation) -> UnmetExpectation {
    let unmet = |expectation, id: Option<&str>, reason, message: String| UnmetExpectation {
        expectation,
        id: id.map(str::to_owned),
        reason,
        message,
    };
    match miss {
        FailedExpectation::NotHinted(key, verdict) => {
            let id = verdict.id.as_str();
            let explanation = desk.catalog().get(id).map(|source| why_not::explain(desk, source, verdict, &session.id));
            let (reason, message, _) = explanation.unwrap_or_default();
            unmet(key, Some(id), reason, message)
        }
        FailedExpectation::NoneHinted(ids) => {
            let message = match ids.as_slice() {
                [id] => format!("'{}' is not hinted at.", one_line(id.as_str())),
                ids => format!("None of {} is hinted at.", join(ids)),
            };
            unmet("hints_any", None, "none-hinted", message)
        }
        FailedExpectation::NotFirst { id, position, first } => {
            let among = if *first == 1 { "the first".to_owned() } else { format!("among the first {first}") };
            unmet("top", Some(id.as_str()), "not-on-top", format!("'{id}' is hint {position}, and must be {among}."))
        }
        FailedExpectation::TooManyHints { most, given } => {
            let message = format!("{} given; the limit is {most}.", counted(*given, "hint"));
            unmet("max_hints", None, "too-many-hints", message)
        }
        FailedExpectation::Hinted(id, tags, meaning) => {
            let by = if tags.len() == 1 { "by its tag" } else { "by its tags" };
            let tags = tags.iter().map(|tag| format!("`{tag}`")).collect::<Vec<_>>().join(", ");
            let message = match meaning {
                Some(meaning) if tags.is_empty() => {
                    format!("'{id}' is hinted at because the prompt is {}.", meaning.in_words())
                }
                _ => format!("'{id}' is hinted at, {by} {tags}."),
            };
            unmet("not_hints", Some(id.as_str()), "hinted", message)
        }
        FailedExpectation::NotExpanded(id) => {
            let (reason, what) = match desk.selection().is_excluded(id.as_str()) {
                true => ("excluded", "it is excluded".to_owned()),
                false => ("not-named", format!("the text does not contain `@{id}`")),
            };
            unmet("expands", Some(id.as_str()), reason, format!("'{id}' is not expanded: {what}."))
        }
        FailedExpectation::NotPulledIn(id, role) => {
            let (reason, what) = match role {
                Some(Role::Picked) => ("picked", "it is picked"),
                Some(Role::AutoRoot) => ("auto", "it is auto"),
                _ if desk.selection().is_excluded(id.as_str()) => ("excluded", "it is excluded"),
                _ => ("not-mentioned", "no selected source mentions it"),
            };
            unmet("pulls_in", Some(id.as_str()), reason, format!("'{id}' is not pulled in: {what}."))
        }
        FailedExpectation::NotEmpty(list, ids) => {
            unmet(list, None, "not-none", format!("{list} must be empty, but there are: {}.", join(ids)))
        }
        FailedExpectation::TooMany { most, tokens } => unmet(
            "max_tokens",
            None,
            "too-many",
            format!("~{} tokens are added; the limit is {}.", grouped(*tokens), grouped(*most)),
        ),
    }
}

/// The answer for a file without cases.
pub fn nothing() -> Value {
    to_json(&AssertionReport::default(), &[])
}

fn to_json(asserted: &AssertionReport, unmet: &[Vec<UnmetExpectation>]) -> Value {
    let case = |(judged, unmet): (&CaseResult, &Vec<UnmetExpectation>)| {
        json!({
            "name": judged.case.name,
            "line": judged.case.line,
            "ok": unmet.is_empty(),
            "hints": judged.hints,
            "expands": judged.expands,
            "tokens": judged.tokens,
            "missed": unmet,
        })
    };
    let (wanted, unmet_count) = asserted.counts();
    json!({
        "cases": asserted.cases.iter().zip(unmet).map(case).collect::<Vec<_>>(),
        "expectations": wanted,
        "met": wanted.saturating_sub(unmet_count),
        "hints": {
            "given": asserted.hinted,
            "expected": asserted.expected,
            "right": asserted.correct,
            "precision": asserted.precision(),
            "recall": asserted.recall(),
        },
        "problems": [],
    })
}

/// One row per case, then a line per unmet expectation with what happened instead, and one for additional hints.
fn to_text(shown: &str, asserted: &AssertionReport, unmet: &[Vec<UnmetExpectation>]) -> String {
    let row = |judged: &CaseResult| {
        vec![
            if judged.unmet.is_empty() { "ok" } else { "MISSED" }.to_owned(),
            judged.case.name.clone(),
            format!("{shown}:{}", judged.case.line),
            counted(judged.case.wanted.count(), "expectation"),
            format!("~{} tokens", grouped(judged.tokens)),
        ]
    };
    let rows = table::fitted(&asserted.cases.iter().map(row).collect::<Vec<_>>(), &[1], terminal_width());
    let mut text = String::new();
    for ((row, judged), unmet) in rows.iter().zip(&asserted.cases).zip(unmet) {
        text.push_str(row);
        for unmet in unmet {
            text.push_str(&format!("        {}: {}\n", unmet.expectation, one_line(&unmet.message)));
        }
        if judged.case.wanted.hints.is_none() && !unmet.is_empty() && judged.case.wanted.is_about_order() {
            text.push_str(&format!("        hints given: {}\n", listed(&judged.hints)));
        }
        let Some(wanted) = &judged.case.wanted.hints else { continue };
        let others: Vec<_> =
            judged.hints.iter().filter(|id| !wanted.iter().any(|wanted| wanted == id.as_str())).cloned().collect();
        if !unmet.is_empty() {
            text.push_str(&format!("        hints given: {}\n", listed(&judged.hints)));
        } else if !others.is_empty() {
            // Not a failure, but it lowers the precision.
            text.push_str(&format!("        further hints: {}\n", join(&others)));
        }
    }
    let (wanted, unmet_count) = asserted.counts();
    let missed = asserted.cases.iter().filter(|judged| !judged.unmet.is_empty()).count();
    let (cases, expectations) = (counted(asserted.cases.len(), "case"), counted(wanted, "expectation"));
    text.push_str(&format!("\n{cases}, {missed} missed; {expectations}, {} met\n", wanted.saturating_sub(unmet_count)));
    if asserted.cases.iter().all(|judged| judged.case.wanted.hints.is_none()) {
        // Precision and recall require the complete list of expected hints.
        text.push_str("no precision and recall: no case has `hints`, the list of all expected hints\n");
        return text;
    }
    let share = |ratio: Option<f64>| ratio.map_or_else(|| "-".to_owned(), |ratio| format!("{ratio:.3}"));
    let AssertionReport { hinted, expected, correct, .. } = asserted;
    text.push_str(&format!(
        "hints: precision {} ({correct} of {hinted} given were expected), recall {} ({correct} of {expected} expected were given)\n",
        share(asserted.precision()),
        share(asserted.recall()),
    ));
    text
}

fn listed(ids: &[SourceId]) -> String {
    if ids.is_empty() { "none".to_owned() } else { join(ids) }
}
