//! `refdesk trust`.

use super::answer::Answer;
use super::args::TrustArgs;
use crate::desk::Desk;

/// Not yet.
pub fn run(_desk: &mut Desk, _args: &TrustArgs) -> Answer {
    Answer::new(serde_json::json!({}), "trust\n")
}
