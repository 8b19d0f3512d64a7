//! Sessions: one desk is used by a person and by the agents of several clients.

use super::{Desk, Options};
use crate::session::Receipt;

/// A reader of a desk: what it was told is remembered, what it does is journalled with its name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Session {
    /// Its id; sessions that share it are one reader.
    pub id: String,
    /// The client, as the journal and other processes name it.
    pub who: String,
}

impl Session {
    /// The session that a desk is opened for.
    pub fn of(options: &Options) -> Self {
        Self { id: options.session.clone(), who: options.who.clone() }
    }
}

impl Desk {
    /// Does something for this session: choices, writes and readings are journalled as its own.
    pub fn act_as<T>(&mut self, session: &Session, act: impl FnOnce(&mut Self) -> T) -> T {
        let own = Session::of(&self.options);
        self.turn_to(session.clone());
        let done = act(self);
        self.turn_to(own);
        done
    }

    /// Puts into the journal what somebody did with the desk's help.
    pub fn note(&self, receipt: Receipt) {
        // What keeps it from being there is among the diagnostics.
        let _ = self.journal(receipt);
    }

    fn turn_to(&mut self, session: Session) {
        if (&session.who, &session.id) != (&self.options.who, &self.options.session) {
            self.store = self.store.of(&session.id, &session.who);
            (self.options.who, self.options.session) = (session.who, session.id);
        }
    }
}
