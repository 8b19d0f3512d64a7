//! `refdesk hook`: one document of an agent in, one out, whatever goes wrong.

use super::answer::Answer;
use super::args::HookArgs;
use crate::desk::{Desk, Refusal};

/// Not there yet.
pub fn run(_desk: &mut Desk, _args: &HookArgs) -> Answer {
    Answer::refused(Refusal::new("not-yet", "this is still to come", ""))
}
