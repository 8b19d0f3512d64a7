//! `refdesk ask`.

use super::answer::Answer;
use super::args::AskArgs;
use crate::desk::Desk;

/// Not yet.
pub fn run(_desk: &mut Desk, _args: &AskArgs) -> Answer {
    Answer::new(serde_json::json!({}), "ask\n")
}
