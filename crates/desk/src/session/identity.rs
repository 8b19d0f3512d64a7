//! Sessions: a person and the agents of several clients use the same desk.

use refdesk_files::name;

use super::DEFAULT;

/// A reader of a desk: what it was sent is remembered, and what it does is journalled under its name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Session {
    /// Its id; clients that use the same id are one reader.
    pub id: String,
    /// The client, as the journal and other processes name it: `refdesk select`, `a screen`.
    pub who: String,
}

impl Session {
    /// The default session, used by this client.
    pub fn of_client(who: &str) -> Self {
        Self { id: DEFAULT.to_owned(), who: who.to_owned() }
    }

    /// Its id, made safe as a file name.
    pub(crate) fn name(&self) -> String {
        name::safe(&self.id)
    }
}
