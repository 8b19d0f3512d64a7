//! `refdesk watch`: what happens at the desk, a JSON line each.

use super::answer::Answer;
use crate::desk::{Desk, Refusal};

/// Not there yet.
pub fn run(_desk: &mut Desk) -> Answer {
    Answer::refused(Refusal::new("not-yet", "this is still to come", ""))
}
