//! Notices and receipts as worded by the screen and the plain interface. Events for programs and texts for agents keep
//! the wording of the contract.

use refdesk_desk::engine::{Actor, INCLUDED, Notice};
use refdesk_desk::session::{Line, SCREEN};
use refdesk_enrich::TextKind;

/// Rewords a notice for people. Actions at a screen are attributed to the user only if the user sealed the journal
/// line.
pub fn for_people(notice: Notice) -> Notice {
    let who = if notice.who.word() == SCREEN { Actor::You } else { notice.who.clone() };
    let notice = Notice { who, ..notice };
    match notice.text.strip_prefix(INCLUDED) {
        Some(sources) => Notice { text: format!("Pulled in: {sources}"), ..notice },
        None => notice,
    }
}

/// The session that was sent a receipt's text, and the occasion: `session s1 at desk review, with a tool result of
/// Read`.
pub fn recipient(line: &Line, desk: &str) -> String {
    let tool = line.receipt.tool.as_ref().map(|tool| format!(" of {tool}")).unwrap_or_default();
    let kind = match line.receipt.kind {
        Some(TextKind::Prompt) => "a prompt".to_owned(),
        Some(TextKind::ToolResult) => format!("a tool result{tool}"),
        Some(TextKind::SystemInstructions) => "the instructions".to_owned(),
        None => "the start of the session".to_owned(),
    };
    let desk = if line.desk == desk { String::new() } else { format!(" at desk {}", line.desk) };
    format!("session {}{desk}, with {kind}", line.session)
}

#[cfg(test)]
mod tests {
    use refdesk_desk::engine::Topic;

    use super::*;

    #[test]
    fn actions_at_a_screen_were_done_by_you() {
        for (who, text, expected) in [
            (Actor::Other(SCREEN.into()), "Removed a.tpl", "you: Removed a.tpl"),
            (Actor::Other("a screen over mcp".into()), "Read @a", "a screen over mcp: Read @a"),
            (Actor::Other("refdesk select".into()), "Picked @a", "refdesk select: Picked @a"),
            (Actor::You, "References transitively included: @b", "you: Pulled in: @b"),
        ] {
            let notice = for_people(Notice::new(who, Topic::Selection, text));
            assert_eq!(format!("{}: {}", notice.who.word(), notice.text), expected);
        }
    }
}
