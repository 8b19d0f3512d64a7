//! The last messages of the bottom line, for their window, and errors until they are read.

use std::collections::VecDeque;

use crate::tui::action::Action;
use crate::tui::state::{Message, MessageKind, State};
use crate::tui::widgets::cells;

/// Messages kept; older ones are forgotten.
pub const KEPT: usize = 50;

#[derive(Debug, Clone, Default)]
pub struct Messages {
    /// The newest first, at most [`KEPT`].
    pub last: VecDeque<Message>,
    /// How many errors came since the last was read.
    unread: usize,
    /// The message that was in the bottom line after the last input.
    shown: Option<Message>,
}

impl Messages {
    fn keep(&mut self, message: Message) {
        self.unread += usize::from(is_error(&message));
        self.last.push_front(message);
        self.last.truncate(KEPT);
    }

    /// Keeps an error in a file until it is read or fixed. The bottom line does not change.
    pub fn arrived(&mut self, text: String) {
        self.keep(Message { text, tone: MessageKind::Problem });
    }

    /// The errors in files are fixed.
    pub fn fixed(&mut self) {
        let mut unread = self.unread;
        for message in self.last.iter_mut().filter(|message| is_error(message)).take(self.unread) {
            if message.tone == MessageKind::Problem {
                message.tone = MessageKind::Note;
                unread -= 1;
            }
        }
        self.unread = unread;
    }

    pub fn has_unread(&self) -> bool {
        self.unread > 0
    }

    /// All errors were read.
    pub fn read(&mut self) {
        self.unread = 0;
    }
}

fn is_error(message: &Message) -> bool {
    matches!(message.tone, MessageKind::Error | MessageKind::Problem)
}

/// After every input: keeps what is new in the bottom line.
pub fn follow(state: &mut State) {
    if state.message == state.messages.shown {
        return;
    }
    state.messages.shown.clone_from(&state.message);
    // A key that does nothing is not worth a row of the last messages.
    if let Some(message) = state.message.clone().filter(|message| message.tone != MessageKind::Unbound) {
        state.messages.keep(message);
    }
}

/// The newest error that was not read, with the keys that read it: `… Esc dismisses it, F8 shows all 3.`
pub fn unread(state: &State) -> Option<String> {
    let messages = &state.messages;
    let error = messages.last.iter().find(|message| is_error(message)).filter(|_| messages.has_unread())?;
    let [back, all] = [Action::Back, Action::Messages].map(|action| state.key(action));
    let text = cells::sentence(&error.text);
    let text = text.trim_end_matches('.');
    Some(match messages.unread {
        1 => format!("{text}. {back} dismisses it."),
        more => format!("{text}. {back} dismisses it, {all} shows all {}.", cells::grouped(more)),
    })
}
