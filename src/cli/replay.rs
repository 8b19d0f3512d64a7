//! `refdesk replay`: the exact bytes that were given.

use super::answer::Answer;
use super::args::ReplayArgs;
use crate::desk::{Desk, Refusal};

/// Not there yet.
pub fn run(_desk: &mut Desk, _args: &ReplayArgs) -> Answer {
    Answer::refused(Refusal::new("not-yet", "this is still to come", ""))
}
