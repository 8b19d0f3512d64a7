//! What an agent was given over the protocol, as the journal has it: with its very bytes, or what they hash to.

use refdesk_desk::engine::Task;
use refdesk_desk::reading::Reading;
use refdesk_desk::session::{Receipt, What};
use refdesk_enrich::TextKind;
use refdesk_files::name::sha256_hex;
use refdesk_text::tokens;

/// A text that refdesk made for an agent and in which the agent wrote nothing.
pub fn told(what: What, text: &str) -> Receipt {
    let kind = (what == What::Instructed).then_some(TextKind::SystemInstructions);
    Receipt { kind, text: Some(text.to_owned()), ..given(what, text) }
}

/// A text of which only size and hash are kept: it lies in a file, or the agent wrote some of it.
pub fn given(what: What, text: &str) -> Receipt {
    Receipt {
        bytes: text.len(),
        tokens: usize::try_from(tokens::of_prose(text.len() as u64)).unwrap_or(usize::MAX),
        hash: Some(sha256_hex(text.as_bytes())),
        ..Receipt::new(what)
    }
}

/// That a source was read by this way: of its text only how much was given, and what it costs.
pub fn read(reading: &Reading, tool: &str) -> Task {
    Task::NoteRead(Box::new(Receipt {
        tool: Some(tool.to_owned()),
        about: vec![reading.id.clone()],
        path: Some(reading.path.clone()),
        bytes: reading.text.len(),
        tokens: usize::try_from(reading.tokens).unwrap_or(usize::MAX),
        ..Receipt::new(What::Read)
    }))
}
