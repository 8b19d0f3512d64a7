//! `refdesk assert`: the desk held against a file of expectations.

use super::answer::Answer;
use super::args::AssertArgs;
use crate::desk::{Desk, Refusal};

/// Not there yet.
pub fn run(_desk: &mut Desk, _args: &AssertArgs) -> Answer {
    Answer::refused(Refusal::new("not-yet", "this is still to come", ""))
}
