//! Code shared by the full screen, the plain interface and some commands: filters, template values, the rows of the
//! selection and of a prompt, and words for states. It does not depend on a terminal, on keys or on commands.

use std::io;
use std::time::Duration;

pub mod answers;
pub mod budget;
pub mod change_cost;
pub mod cleared_picks;
pub mod databases;
pub mod feed_query;
pub mod filter;
pub mod hint_rows;
pub mod jump;
pub mod known_sources;
pub mod notices;
pub mod selection_tree;
pub mod session_name;
pub mod source_words;
pub mod trust_question;
pub mod values;

/// How long to wait at exit for the last changes to be stored.
pub const STORING: Duration = Duration::from_secs(2);

/// The fix for the missing file of the demo.
pub const SHOWN_ON_PURPOSE: &str = "none needed; the demo shows how a missing file is reported";

/// What a list without profiles says.
pub const NO_PROFILES: &str = "There are no profiles yet. Each is a JSON file in .jaato/profiles/ that names its picks, such \
                               as review.json: {\"name\": \"review\", \"plugin_configs\": {\"references\": \
                               {\"preselected\": [\"an-id\"]}}}";

/// The error of an interface whose engine has stopped.
pub fn engine_ended() -> io::Error {
    io::Error::other("refdesk's background task ended; its message is above or in the log")
}
