//! `refdesk journal`: what was said to whom, read, chosen and written.

use super::answer::Answer;
use super::args::JournalArgs;
use crate::desk::{Desk, Refusal};

/// Not there yet.
pub fn run(_desk: &mut Desk, _args: &JournalArgs) -> Answer {
    Answer::refused(Refusal::new("not-yet", "this is still to come", ""))
}
