//! `refdesk instructions`: what an agent is told at the start.

use serde_json::json;

use super::answer::CommandOutput;
use refdesk_desk::Desk;

/// Prints the instructions; nothing where there is nothing to say.
pub fn run(desk: &mut Desk) -> CommandOutput {
    let text = desk.settled().instructions();
    let printed = if text.is_empty() || text.ends_with('\n') { text.clone() } else { format!("{text}\n") };
    CommandOutput::new(json!({ "text": text }), printed)
}
