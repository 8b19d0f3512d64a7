//! The enricher of templates: what can be rendered, said at the start of a conversation and where a document that a tool has
//! read holds some (BEHAVIOUR §5, "Templates").

use super::chain::{Context, Enricher, Metadata, Reading, TextKind};
use super::draft::Draft;
use super::told::Told;

/// Priority 40.
pub(super) struct Templates;

impl Enricher for Templates {
    fn priority(&self) -> u8 {
        40
    }

    fn takes(&self, kind: TextKind) -> bool {
        kind != TextKind::Prompt
    }

    fn drafts(&self, _ctx: &Context, _reading: &Reading, _told: &Told, _metadata: &mut Metadata) -> Vec<Draft> {
        Vec::new()
    }
}
