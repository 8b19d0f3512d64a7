//! Sentences about what a search could not find, or left out.

use refdesk_index::Partial;
use refdesk_index::search::{LONGEST, SearchResult};
use refdesk_text::tokens::{counted, grouped};
use refdesk_text::words::capitalized;

/// What the index reports about this search.
pub(super) fn of(found: &SearchResult) -> Vec<String> {
    let mut notes = Vec::new();
    if found.is_cut {
        notes.push(format!("The query is too long: only its first {} characters count.", grouped(LONGEST)));
    }
    notes.extend(found.partial.into_iter().flat_map(incomplete));
    match found.outdated {
        0 => {}
        1 => notes
            .push("1 section has changed since it was indexed, and is left out until the index is updated.".to_owned()),
        some => notes.push(format!(
            "{some} sections have changed since they were indexed, and are left out until the index is updated."
        )),
    }
    if found.incomparable > 0 {
        let (sections, have) = counted_have(found.incomparable, "section");
        notes.push(format!("{sections} {have} a damaged vector, which is not compared until the index is updated."));
    }
    notes
}

/// What the index lacks, sources first: an unindexed source is not found at all.
fn incomplete(Partial { indexed, of, unread, changed }: Partial) -> Vec<String> {
    let sections = of.saturating_sub(unread);
    let missing = (unread > 0).then(|| {
        let are = if unread == 1 { "is" } else { "are" };
        format!("The index is not complete: {} {are} not in it yet.", counted(unread, "source"))
    });
    let by_words = (indexed < sections).then(|| {
        format!("{indexed} of {} are found by meaning, the others only by words.", counted(sections, "section"))
    });
    missing.into_iter().chain(by_words).chain(changed_since(changed)).collect()
}

/// A sentence that this many texts were added, changed or removed since they were indexed; `None` for 0.
pub fn changed_since(texts: usize) -> Option<String> {
    let (counted, were) = (counted(texts, "text"), if texts == 1 { "was" } else { "were" });
    let changed = "added, changed or removed since the index was updated: new content is not found yet.";
    (texts > 0).then(|| format!("{counted} {were} {changed}"))
}

/// How many sources are left out because they wait for trust; `None` for 0.
pub(super) fn left_out_without_trust(waiting: usize) -> Option<String> {
    match waiting {
        0 => None,
        1 => Some("1 source waits for trust, and is left out.".to_owned()),
        some => Some(format!("{some} sources wait for trust, and are left out.")),
    }
}

/// A message as a sentence.
pub(super) fn sentence(message: &str) -> String {
    if message.is_empty() { String::new() } else { format!("{}.", capitalized(message)) }
}

fn counted_have(number: usize, one: &str) -> (String, &'static str) {
    (counted(number, one), if number == 1 { "has" } else { "have" })
}
