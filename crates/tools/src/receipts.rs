//! Journal entries for texts given to an agent: with the text itself, or only its hash.

use refdesk_desk::engine::Request;
use refdesk_desk::reading::Reading;
use refdesk_desk::session::{JournalEvent, Receipt};
use refdesk_enrich::TextKind;
use refdesk_files::name::sha256_hex;
use refdesk_text::tokens;

/// For a text that contains nothing the agent wrote.
pub fn with_text(what: JournalEvent, text: &str) -> Receipt {
    let kind = (what == JournalEvent::Instructed).then_some(TextKind::SystemInstructions);
    Receipt { kind, text: Some(text.to_owned()), ..with_hash(what, text) }
}

/// For a text that is in a file, or partly written by the agent: records only size and hash.
pub fn with_hash(what: JournalEvent, text: &str) -> Receipt {
    Receipt {
        bytes: text.len(),
        tokens: usize::try_from(tokens::of_prose(text.len() as u64)).unwrap_or(usize::MAX),
        hash: Some(sha256_hex(text.as_bytes())),
        ..Receipt::new(what)
    }
}

/// For a source read by this tool or method: records only the amount of text and its price.
pub fn read(reading: &Reading, tool: &str) -> Request {
    Request::NoteRead(Box::new(Receipt {
        tool: Some(tool.to_owned()),
        about: vec![reading.id.clone()],
        path: Some(reading.path.clone()),
        bytes: reading.text.len(),
        tokens: usize::try_from(reading.tokens).unwrap_or(usize::MAX),
        ..Receipt::new(JournalEvent::Read)
    }))
}
