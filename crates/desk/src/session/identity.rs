//! Sessions: a person and the agents of several clients use the same desk.

use refdesk_files::name;

use super::DEFAULT;

/// A reader of a desk. What it was sent is remembered, and what it does is journalled under its name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Session {
    /// Its id; clients with the same id are one reader.
    pub id: String,
    /// The client's name in the journal and for other processes: `refdesk select`, `a screen`.
    pub who: String,
}

impl Session {
    /// The default session, used by this client.
    pub fn of_client(who: &str) -> Self {
        Self { id: DEFAULT.to_owned(), who: who.to_owned() }
    }

    /// The id, made safe as a file name.
    pub(crate) fn name(&self) -> String {
        name::safe(&self.id)
    }
}
