//! Notices in the words of the screen and the plain interface. Events for programs, and what an agent gets, keep the sentence
//! that the contract gives them.

use refdesk_desk::engine::Notice;

/// What programs read of sources that a pick pulled in.
const INCLUDED: &str = "References transitively included: ";

/// The notice as a person reads it.
pub fn for_people(notice: Notice) -> Notice {
    match notice.text.strip_prefix(INCLUDED) {
        Some(sources) => Notice { text: format!("Pulled in: {sources}"), ..notice },
        None => notice,
    }
}
