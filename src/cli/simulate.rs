//! `refdesk simulate`: what would be appended to a text, why, and what it costs; nobody is told.

use super::answer::Answer;
use super::args::SimulateArgs;
use crate::desk::{Desk, Refusal};

/// Not there yet.
pub fn run(_desk: &mut Desk, _args: &SimulateArgs) -> Answer {
    Answer::refused(Refusal::new("not-yet", "this is still to come", ""))
}
