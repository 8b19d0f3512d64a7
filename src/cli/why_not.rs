//! `refdesk why-not`: why a source gets no hint, in one sentence, and what to do about it.

use serde::Serialize;
use serde_json::{Map, Value, json};

use super::answer::CommandOutput;
use super::args::WhyNotArgs;
use super::fix::{self, CORRECT_PATH, argument};
use super::rows::join;
use crate::common::source_words::why_unread;
use refdesk_core::catalog::{ShortText, Source};
use refdesk_desk::{Desk, HintRemedy, NeededRoom, Session, Verdict};
use refdesk_enrich::{Budget, EnrichRequest, Level, Meaning, Neighbour, Rejection, TextKind, WhyNot};
use refdesk_text::Fix;
use refdesk_text::escape::one_line;
use refdesk_text::tokens::counted;

/// Explains one source for one prompt; the source may also get a hint.
pub fn run(desk: &mut Desk, session: &Session, args: &WhyNotArgs) -> CommandOutput {
    let desk = &desk.settled();
    let budget: Budget = args.budget.into();
    let asked = EnrichRequest { budget, ..EnrichRequest::new(TextKind::Prompt, &args.prompt) };
    let (verdict, diagnostics) = match desk.why_not(session, &args.id, &asked) {
        Ok(answered) => answered,
        Err(refusal) => return CommandOutput::refused(refusal),
    };
    let Some(source) = desk.catalog().get(verdict.id.as_str()) else {
        return CommandOutput::new(nothing(&args.id), "");
    };
    let (reason, mut message, fix) = explain(desk, source, &verdict, &session.id);
    if source.is_missing() && verdict.hinted.is_ok() {
        let why = source.why_missing();
        message.push_str(&format!(" Its path {why}: it still gets a hint, but cannot be picked."));
    }
    let matched = verdict.matched.iter();
    let json = json!(Explained {
        id: verdict.id.as_str(),
        hinted: verdict.hinted.is_ok(),
        reason,
        message: &message,
        fix: &fix,
        tags: &source.tags,
        matched: matched.map(|(tag, line, column)| json!({"tag": tag, "line": line, "column": column})).collect(),
        missing: source.is_missing(),
        about: about(&verdict),
        meaning: verdict.meaning.as_ref(),
        indexed: verdict.is_indexed,
    });
    let mut text = format!("{}\n", one_line(&message));
    if !verdict.is_indexed && verdict.untagged.is_some() {
        text.push_str(match verdict.has_index {
            true => "  the search index cannot be used: hints are by tags alone\n",
            false => "  there is no search index: hints are by tags alone; `refdesk index` adds meaning\n",
        });
    }
    if !fix.is_empty() {
        text.push_str(&format!("  fix: {}\n", one_line(&fix)));
    }
    CommandOutput { diagnostics, ..CommandOutput::new(json, text) }
}

/// The JSON of the answer.
#[derive(Default, Serialize)]
struct Explained<'a> {
    id: &'a str,
    hinted: bool,
    reason: &'a str,
    message: &'a str,
    fix: &'a str,
    tags: &'a [ShortText],
    matched: Vec<Value>,
    missing: bool,
    about: Map<String, Value>,
    meaning: Option<&'a Meaning>,
    indexed: bool,
}

/// The answer about an unknown source.
pub fn nothing(id: &str) -> Value {
    json!(Explained { id, ..Explained::default() })
}

/// Further members of the reason for programs.
fn about(verdict: &Verdict) -> Map<String, Value> {
    let mut about = Map::new();
    let mut put = |key: &str, value: Value| {
        about.insert(key.to_owned(), value);
    };
    if let Some(tag) = &verdict.tag {
        put("tag", json!(tag));
    }
    if let Some((line, column)) = verdict.place {
        put("line", json!(line));
        put("column", json!(column));
    }
    match &verdict.hinted {
        Ok(level) => put("level", json!(level)),
        Err(WhyNot::PulledIn(parents)) => put("parents", json!(parents)),
        Err(WhyNot::Inside { piece, neighbour }) => {
            put("piece", json!(piece));
            let (side, c) = side(*neighbour);
            put("neighbour", json!(c.to_string()));
            put("side", json!(side));
        }
        Err(WhyNot::Absent { near: Some((tag, word)) }) => {
            put("tag", json!(tag));
            put("nearest", json!(word));
        }
        Err(WhyNot::Rejected(
            Rejection::BelowTagged { needed } | Rejection::BelowBest { needed } | Rejection::TagAlone { needed },
        )) => put("needed", json!(needed)),
        Err(_) => {}
    }
    if let Some(room) = &verdict.room {
        put("chars", json!(room.chars));
        put("tokens", json!(room.tokens));
    }
    if let Some(line) = &verdict.sent_by {
        put("journal", json!({"n": line.n, "time": line.time}));
    }
    about
}

/// A stable name for the reason, a sentence, and what to do.
pub fn explain(desk: &Desk, source: &Source, verdict: &Verdict, session: &str) -> (&'static str, String, String) {
    let id = source.id.as_str();
    match &verdict.hinted {
        Ok(level) => {
            let brief = if *level == Level::Brief { " Its line is cut to id and name to fit the budget." } else { "" };
            ("hinted", format!("'{id}' is hinted at {}.{brief}", because(verdict)), String::new())
        }
        Err(why) => {
            let (reason, what, fix) = not_hinted(desk, source, verdict, why, session);
            (reason, format!("No hint for '{id}': {what}"), fix)
        }
    }
}

/// Why there is no hint: a stable name, the rest of a sentence, and what to do.
fn not_hinted(
    desk: &Desk,
    source: &Source,
    verdict: &Verdict,
    why: &WhyNot,
    session: &str,
) -> (&'static str, String, String) {
    let id = source.id.as_str();
    let next = "at their next start, resume or compaction";
    match why {
        WhyNot::Named => {
            let place = place(verdict);
            let what =
                format!("the prompt names it by `@{id}`{place}, so it is expanded, which says more than a hint.");
            ("named", what, String::new())
        }
        WhyNot::Excluded => {
            ("excluded", "it is excluded.".to_owned(), format!("include it again: `refdesk include {}`", argument(id)))
        }
        WhyNot::Picked => {
            ("picked", format!("it is picked; agents get it with their instructions instead, {next}."), String::new())
        }
        WhyNot::PulledIn(parents) => {
            let by = if parents.is_empty() { String::new() } else { format!(" by {}", join(&parents.to_vec())) };
            let fix = format!("`refdesk why {}` shows how", argument(id));
            let what = format!(
                "it is pulled in{by}; a notice names it once in each session, and agents get its entry with their \
                 instructions, {next}."
            );
            ("pulled-in", what, fix)
        }
        WhyNot::Auto => {
            ("auto", "its mode is auto: it is in the instructions of every session.".to_owned(), String::new())
        }
        WhyNot::HintsOff => {
            let (whose, place) = match desk.profile_of_excluded_tools() {
                Some(file) => ("the profile", file),
                None => ("this workspace", "the configuration".to_owned()),
            };
            let what = format!("`selectReferences` is in exclude_tools of {whose}, which turns all hints off.");
            ("hints-off", what, format!("remove it from exclude_tools in {place}"))
        }
        WhyNot::NoTags | WhyNot::EmptyTag | WhyNot::Inside { .. } | WhyNot::OwnBlock | WhyNot::Absent { .. } => {
            let (reason, what, fix) = untagged(source, verdict, why);
            (reason, format!("{what}.{}", unscored(verdict)), fix)
        }
        WhyNot::AlreadySent => {
            let when = match &verdict.sent_by {
                Some(line) => format!(" at {} (journal line {})", line.time, line.n),
                None => String::new(),
            };
            let matched = matched(verdict);
            let what = format!("the session '{session}' already got this hint or the source itself{when}; {matched}.");
            ("told", what, "`refdesk simulate --repeat TEXT` shows it again".to_owned())
        }
        WhyNot::NoRoom => {
            let what = format!("it does not fit the budget{}; {}.", room(verdict), matched(verdict));
            ("no-room", what, "allow more: --max-chars, --max-tokens".to_owned())
        }
        WhyNot::AlreadyInText => {
            let what = "a refdesk block in the prompt already names it, or names what did not fit.";
            ("in-the-text", what.to_owned(), String::new())
        }
        WhyNot::Unreadable => {
            let what = format!("{}, and {}.", why_unread(Some(source)), lacks_tag(source, verdict));
            ("unreadable", what, unread_fix(source))
        }
        WhyNot::Rejected(rejected) => {
            let lacks = match &verdict.untagged {
                Some(_) => format!("; {}", lacks_tag(source, verdict)),
                None => String::new(),
            };
            let what = format!("{}{}{lacks}.", reason_of(*rejected, source, verdict), evidence(verdict));
            (rejected.code(), what, remedy(desk, source, *rejected, verdict))
        }
    }
}

/// ` at 1:5`, the place that explains the verdict.
fn place(verdict: &Verdict) -> String {
    verdict.place.map(|(line, column)| format!(" at {line}:{column}")).unwrap_or_default()
}

/// What takes the room of the budget, and how much everything for the prompt takes.
fn room(verdict: &Verdict) -> String {
    let Some(NeededRoom { chars, tokens, has_others }) = verdict.room else { return String::new() };
    let others = if has_others { ": others match the prompt better" } else { "" };
    let (chars, tokens) = (counted(chars, "character"), counted(tokens, "token"));
    format!("{others}; all that the prompt brings up takes {chars} ({tokens})")
}

/// Why a source without a matching tag is not found by meaning either, as a further sentence.
fn unscored(verdict: &Verdict) -> &'static str {
    match (verdict.is_indexed, verdict.is_read) {
        (true, true) => " Its text has nothing in common with the prompt.",
        (true, false) => " The search index does not have its current text: `refdesk index` reads it.",
        (false, _) => "",
    }
}

/// What to do about a text that cannot be read.
fn unread_fix(source: &Source) -> String {
    if source.is_untrusted() {
        return Fix::Trust.worded(&fix::words);
    }
    if source.is_missing() { CORRECT_PATH } else { "`refdesk check` shows why" }.to_owned()
}

/// Why it was rejected, with its score and the required one.
fn reason_of(rejected: Rejection, source: &Source, verdict: &Verdict) -> String {
    let what =
        if rejected == Rejection::Unreadable { why_unread(Some(source)).into_owned() } else { rejected.to_string() };
    let Some(meaning) = &verdict.meaning else { return what };
    let earlier = meaning.conversation.map(|sum| format!(", {sum} with earlier prompts")).unwrap_or_default();
    let score = format!("its score is {}{earlier}", meaning.score);
    match (rejected, meaning.threshold) {
        (Rejection::BelowTagged { needed }, _) => {
            format!("{score}, and {needed} is needed because others match by tag")
        }
        (Rejection::BelowBest { needed }, _) => {
            format!("{score}, and {needed} is needed because another source scores much higher")
        }
        (Rejection::TagAlone { needed }, _) => format!("{score}, and {needed} is needed: a tag alone is not enough"),
        (Rejection::BelowThreshold, Some(threshold)) => format!("{score}, below the threshold of {threshold}"),
        (Rejection::Unreadable, _) => format!("{what}, although it matches"),
        _ => format!("{what}, although {score}"),
    }
}

/// What matches, in parentheses: `` (tag `retry` at 1:5, words retry, cosine 0.300, coverage 0.112, section "Retries",
/// docs/retry.md:7)``.
fn evidence(verdict: &Verdict) -> String {
    let mut parts: Vec<String> = tags(verdict).collect();
    if let Some(meaning) = &verdict.meaning {
        let words = meaning.words();
        parts.extend((!words.is_empty()).then(|| format!("words {words}")));
        // Without a vector, there is no cosine.
        let cosine =
            if meaning.cosine.value() > 0.0 { format!("cosine {}", meaning.cosine) } else { "no vector".to_owned() };
        parts.push(format!("{cosine}, coverage {}", meaning.coverage));
        let section = meaning.section();
        parts.extend((!section.is_empty()).then(|| format!("best section {section}")));
    }
    if parts.is_empty() { String::new() } else { format!(" ({})", parts.join(", ")) }
}

/// What to do if other sources score higher.
fn remedy(desk: &Desk, source: &Source, rejected: Rejection, verdict: &Verdict) -> String {
    let id = verdict.id.as_str();
    let setting = match verdict.remedy {
        Some(HintRemedy::Threshold(score)) => {
            let file =
                desk.config_file().map_or("references.json".to_owned(), |file| desk.workspace_context().display(file));
            Some(format!("set `hints.threshold` to {:.2} in {file}, which applies to every prompt", score.value()))
        }
        Some(HintRemedy::NoTagFilter) => Some("set `hints.tag_filter` to false".to_owned()),
        Some(HintRemedy::MoreHints) => Some("raise `hints.max`".to_owned()),
        None => None,
    };
    let has_tag = !verdict.matched.is_empty();
    let tag = match rejected {
        Rejection::Unreadable => return unread_fix(source),
        Rejection::MeaningOff => return "set `hints.semantic` to true in the configuration".to_owned(),
        Rejection::OneWord => return "`refdesk index` computes its vectors".to_owned(),
        Rejection::NoThreshold => return "`refdesk index` completes the index".to_owned(),
        Rejection::BelowThreshold => Some("add a tag that prompts contain".to_owned()),
        Rejection::TagAlone { .. } | Rejection::BelowTagged { .. } | Rejection::BelowBest { .. } if !has_tag => {
            Some("add a tag that the prompt contains".to_owned())
        }
        _ => None,
    };
    let ways: Vec<String> = [Some(format!("name it with `@{id}`")), tag, setting].into_iter().flatten().collect();
    match ways.split_last() {
        Some((last, rest)) if !rest.is_empty() => format!("{}, or {last}", rest.join(", ")),
        _ => ways.concat(),
    }
}

/// Why no tag matches, as part of a sentence.
fn lacks_tag(source: &Source, verdict: &Verdict) -> String {
    verdict.untagged.as_ref().map_or_else(|| matched(verdict), |why| untagged(source, verdict, why).1)
}

/// Why no tag matches: a stable name, a sentence, and what to do.
fn untagged(source: &Source, verdict: &Verdict, why: &WhyNot) -> (&'static str, String, String) {
    let id = source.id.as_str();
    let tags = || quoted(source.tags.iter().map(|tag| tag.trim()));
    let place = place(verdict);
    let tag = verdict.tag.as_deref().unwrap_or_default();
    match why {
        WhyNot::EmptyTag => {
            let what = format!("its tags ({}) consist of separators and cannot match", tags());
            ("empty-tags", what, "give it a tag with a letter in it".to_owned())
        }
        WhyNot::Inside { piece, .. } => {
            let what = format!("`{piece}`{place} does not match its tag `{tag}`: a tag matches whole words only");
            ("inside", what, format!("write `{tag}` as a separate word, or `@{id}`"))
        }
        WhyNot::OwnBlock => {
            let what = format!("its tag `{tag}` occurs only in a block that refdesk appended, which is not matched");
            ("own-block", what, String::new())
        }
        WhyNot::Absent { near } => {
            let what = match source.tags.len() {
                1 => format!("its tag {} is not in the prompt", tags()),
                _ => format!("none of its tags ({}) is in the prompt", tags()),
            };
            match near {
                Some((tag, word)) => {
                    let what = format!("{what}; the nearest to `{tag}` is `{word}`{place}");
                    ("absent", what, format!("write `{tag}`, or `@{id}`"))
                }
                None => ("absent", what, format!("name it with `@{id}`, or add a tag that prompts contain")),
            }
        }
        _ => ("no-tags", "it has no tags".to_owned(), "add `tags` where it is defined".to_owned()),
    }
}

fn side(neighbour: Neighbour) -> (&'static str, char) {
    match neighbour {
        Neighbour::Before(c) => ("before", c),
        Neighbour::After(c) => ("after", c),
    }
}

/// `tag `retry` at 1:5`, `tag `backoff` at 2:1`, and its section and score.
fn matched(verdict: &Verdict) -> String {
    tags(verdict).chain(verdict.meaning.as_ref().map(Meaning::in_words)).collect::<Vec<_>>().join(", ")
}

/// `by tag `retry` at 1:5`, and `because the prompt is about "Retries", docs/retry.md:7 (score 0.71 …)` without one.
fn because(verdict: &Verdict) -> String {
    match &verdict.meaning {
        Some(meaning) if verdict.matched.is_empty() && !meaning.section().is_empty() => {
            format!("because the prompt is {}", matched(verdict))
        }
        _ => format!("by {}", matched(verdict)),
    }
}

/// Each tag in the text with its place.
fn tags(verdict: &Verdict) -> impl Iterator<Item = String> {
    verdict.matched.iter().map(|(tag, line, column)| format!("tag `{tag}` at {line}:{column}"))
}

/// `` `retry`, `backoff` ``
fn quoted<'t>(words: impl Iterator<Item = &'t str>) -> String {
    words.map(|word| format!("`{word}`")).collect::<Vec<_>>().join(", ")
}
