//! The recent messages of the bottom line, shown in a window, and errors until they are read.

use std::collections::VecDeque;

use crate::tui::action::Action;
use crate::tui::state::{Message, MessageKind, State};
use crate::tui::widgets::cells;

/// The maximum number of messages; older ones are dropped.
pub const MAX_MESSAGES: usize = 50;

/// A message and the time at which it appeared.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeptMessage {
    pub time: String,
    pub message: Message,
}

/// The local time of day.
pub fn now() -> String {
    jiff::Zoned::now().strftime("%H:%M:%S").to_string()
}

#[derive(Debug, Clone, Default)]
pub struct Messages {
    /// The newest first, at most [`MAX_MESSAGES`].
    pub last: VecDeque<KeptMessage>,
    /// Returns the time of day; `None` if times do not matter, as in tests.
    pub clock: Option<fn() -> String>,
    /// The number of errors since the last one was read.
    unread: usize,
    /// The message in the bottom line after the last input.
    shown: Option<Message>,
}

impl Messages {
    fn keep(&mut self, message: Message) {
        self.unread += usize::from(is_error(&message));
        // The second message repeats the first and adds the consequences.
        if self.last.front().is_some_and(|newest| is_continued(&newest.message, &message)) {
            self.last.pop_front();
        }
        let time = self.clock.map(|now| now()).unwrap_or_default();
        self.last.push_front(KeptMessage { time, message });
        self.last.truncate(MAX_MESSAGES);
    }

    /// Records an error of the workspace until it is read or fixed. The bottom line does not change.
    pub fn arrived(&mut self, text: String) {
        self.keep(Message { text, tone: MessageKind::Problem });
    }

    /// Records a note for which the bottom line is not free.
    pub fn noted(&mut self, text: String) {
        self.keep(Message { text, tone: MessageKind::Note });
    }

    /// All errors of the workspace are fixed.
    pub fn fixed(&mut self) {
        let mut unread = self.unread;
        let messages = self.last.iter_mut().map(|kept| &mut kept.message);
        for message in messages.filter(|message| is_error(message)).take(self.unread) {
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

/// Whether `next` repeats the message up to its colon and continues: `answered ask: 2 sources`, `Answered
/// ask: picked 2`.
fn is_continued(message: &Message, next: &Message) -> bool {
    let begins = |message: &Message| message.text.split_once(':').map(|(begins, _)| begins.to_lowercase());
    message.tone == MessageKind::Note
        && next.tone == MessageKind::Done
        && begins(message).is_some_and(|begun| begins(next).as_ref() == Some(&begun))
}

fn is_error(message: &Message) -> bool {
    matches!(message.tone, MessageKind::Error | MessageKind::Problem)
}

/// Runs after every input: records a new message of the bottom line.
pub fn follow(state: &mut State) {
    if state.message == state.messages.shown {
        return;
    }
    state.messages.shown.clone_from(&state.message);
    // An unbound key is not worth a row.
    if let Some(message) = state.message.clone().filter(|message| message.tone != MessageKind::Unbound) {
        state.messages.keep(message);
    }
}

/// The newest unread error, with the keys to read it: `… Esc dismisses it, F8 shows all 3.` If a window is open, Esc
/// closes that first.
pub fn unread(state: &State) -> Option<String> {
    let messages = &state.messages;
    let error = messages
        .last
        .iter()
        .map(|kept| &kept.message)
        .find(|message| is_error(message))
        .filter(|_| messages.has_unread())?;
    let [back, all] = [Action::Back, Action::Messages].map(|action| state.key(action));
    let text = cells::sentence(&error.text);
    let text = text.trim_end_matches('.');
    Some(match messages.unread {
        1 if state.window.is_some() => format!("{text}."),
        more if state.window.is_some() => format!("{text}. {all} shows all {}.", cells::grouped(more)),
        1 => format!("{text}. {back} dismisses it."),
        more => format!("{text}. {back} dismisses it, {all} shows all {}.", cells::grouped(more)),
    })
}
