//! placeholder
use super::answer::Answer;
use super::args::RenderArgs;
use crate::desk::{Desk, Refusal};
/// x
pub fn run(_desk: &mut Desk, _c: &RenderArgs) -> Answer {
    Answer::refused(Refusal::new("x", "x", "x"))
}
