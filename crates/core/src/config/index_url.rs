//! `index_url`: the PostgreSQL database with the search index that a team shares (SEARCH S5.1).

use std::fmt;

use super::fields::Fields;
use refdesk_text::Code;
use refdesk_text::report::Diagnostic;

/// The URL of a PostgreSQL database. It may contain a password, so it is not printed.
#[derive(Clone, PartialEq, Eq)]
pub struct IndexUrl(String);

impl IndexUrl {
    pub(super) fn read(fields: &mut Fields<'_>) -> Option<Self> {
        let url = fields.string("index_url")?;
        if ["postgres://", "postgresql://"].iter().any(|scheme| url.starts_with(scheme)) {
            return Some(Self(url.to_owned()));
        }
        let problem = Diagnostic::error(Code::UnknownValue, "'index_url' is not the URL of a PostgreSQL database");
        fields.report_value("index_url", problem.fix("write it as postgres://user@host/database"));
        None
    }

    /// The whole URL, to connect with.
    pub fn with_password(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for IndexUrl {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("IndexUrl")
    }
}
