//! `refdesk connect` and `refdesk disconnect`: the settings file of an agent.

use super::answer::Answer;
use super::args::ConnectArgs;
use crate::desk::{Desk, Refusal};

/// Not there yet.
pub fn run(_desk: &mut Desk, _args: &ConnectArgs) -> Answer {
    Answer::refused(Refusal::new("not-yet", "this is still to come", ""))
}
