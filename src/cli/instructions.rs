//! `refdesk instructions`: what an agent gets at the start of a conversation.

use serde_json::json;

use super::answer::CommandOutput;
use refdesk_desk::Desk;

/// Prints the instructions; nothing if they are empty.
pub fn run(desk: &mut Desk) -> CommandOutput {
    let text = desk.settled().instructions();
    let printed = if text.is_empty() || text.ends_with('\n') { text.clone() } else { format!("{text}\n") };
    CommandOutput::new(json!({ "text": text }), printed)
}
