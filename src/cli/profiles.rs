//! `refdesk profiles`.

use super::answer::Answer;
use super::args::Format;
use crate::desk::Desk;

/// Not yet.
pub fn run(_desk: &mut Desk, _format: Format) -> Answer {
    Answer::new(serde_json::json!({}), "profiles\n")
}
