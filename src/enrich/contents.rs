//! The context of a document that a tool has read: templates, policies, scripts and checks that its source declares
//! (BEHAVIOUR §5, block 4).

use super::chain::{Context, Reading};
use super::draft::Draft;
use super::told::Told;

/// The reference context, where the file read is one that has some.
pub(super) fn draft(_ctx: &Context, _reading: &Reading, _told: &Told) -> Option<Draft> {
    None
}
