//! `refdesk why-not`: what keeps a source from being hinted at.

use super::answer::Answer;
use super::args::WhyNotArgs;
use crate::desk::{Desk, Refusal};

/// Not there yet.
pub fn run(_desk: &mut Desk, _args: &WhyNotArgs) -> Answer {
    Answer::refused(Refusal::new("not-yet", "this is still to come", ""))
}
