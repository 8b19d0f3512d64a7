//! Formats numbers, prices and names.

use std::path::Path;

use refdesk_core::catalog::SourceId;
use refdesk_desk::engine::Snapshot;
use refdesk_files::path::display;
pub use refdesk_text::tokens::counted;
use refdesk_text::tokens::grouped;
use refdesk_text::words::capitalized;

use crate::common::source_words;

/// The maximum number of names in a sentence.
const MAX_LISTED: usize = 4;

/// `about 1,240 tokens`
pub fn tokens(number: u64) -> String {
    format!("about {} token{}", grouped(number), if number == 1 { "" } else { "s" })
}

pub fn price(snapshot: &Snapshot, id: &str) -> String {
    snapshot.tokens.get(id).map_or_else(|| "tokens unknown".to_owned(), |count| tokens(*count))
}

/// `, 2 of them untrusted`, after the number of sources.
pub fn untrusted_among(waiting: usize, sources: usize) -> String {
    match (waiting, sources) {
        (0, _) => String::new(),
        (_, 1) => ", untrusted".to_owned(),
        _ => format!(", {} of them untrusted", grouped(waiting)),
    }
}

/// A path for people: relative if it is inside the workspace.
pub fn path(snapshot: &Snapshot, path: &Path) -> String {
    display(Path::new(&*snapshot.workspace), path)
}

/// The state of a source: `picked`, `pulled in by a and b`.
pub fn state_words(snapshot: &Snapshot, id: &str) -> String {
    source_words::words(snapshot, id, joined)
}

/// [`state_words`] with a verb: `is available`, `waits for trust`, `is picked and waits for trust`. Tells an agent's pick
/// from a person's.
pub fn state_sentence(snapshot: &Snapshot, id: &str) -> String {
    match source_words::full_words(snapshot, id, joined) {
        words if words == source_words::WAITS_FOR_TRUST => words,
        words => match words.strip_suffix(&format!(", {}", source_words::WAITS_FOR_TRUST)) {
            Some(before) => format!("is {before} and {}", source_words::WAITS_FOR_TRUST),
            None => format!("is {words}"),
        },
    }
}

/// `a`, `a and b`, `a, b and c`, `a, b, c, d and 3 more`.
pub fn names<'a>(ids: impl IntoIterator<Item = &'a str>) -> String {
    joined(&ids.into_iter().collect::<Vec<_>>())
}

/// [`names`] for a slice.
pub fn joined(ids: &[&str]) -> String {
    refdesk_text::names::joined(ids, MAX_LISTED)
}

/// [`names`] for source ids.
pub fn named(ids: &[SourceId]) -> String {
    names(ids.iter().map(SourceId::as_str))
}

/// Makes a sentence of refdesk's own words: capital letter and full stop. A path or name at the start stays as it is,
/// unless it looks like a word. For texts of others see [`stopped`].
pub fn sentence(text: &str) -> String {
    let text = text.trim();
    let first = text.split_whitespace().next().unwrap_or_default().trim_end_matches([',', '.']);
    if first.bytes().all(|byte| byte.is_ascii_lowercase()) { stopped(&capitalized(text)) } else { stopped(text) }
}

/// Why a filter lists nothing.
pub fn invalid_filter(fault: &str) -> String {
    format!("The filter is invalid, so nothing is listed. {}", stopped(fault))
}

/// Ends a sentence with a full stop.
pub fn stopped(text: &str) -> String {
    let text = text.trim();
    let end = if text.ends_with(['.', '!', '?', ':']) || text.is_empty() { "" } else { "." };
    format!("{text}{end}")
}
