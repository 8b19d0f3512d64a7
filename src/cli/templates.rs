//! placeholder
use super::answer::Answer;
use super::args::TemplatesCommand;
use crate::desk::{Desk, Refusal};
/// x
pub fn run(_desk: &mut Desk, _c: Option<&TemplatesCommand>) -> Answer {
    Answer::refused(Refusal::new("x", "x", "x"))
}
