//! What stays when all picks are cleared.

use refdesk_core::catalog::{Catalog, Mode};
use refdesk_core::selection::Selection;
use refdesk_text::names::first_of;

/// The most ids listed in a sentence.
const MAX_LISTED: usize = 6;

/// What stays, a sentence for each kind, with `before_id` in front of each id: `Auto sources stay in the instructions:
/// @style.`
pub fn remaining(catalog: &Catalog, selection: &Selection, before_id: &str) -> Vec<String> {
    let autos: Vec<&str> =
        catalog.sources().iter().filter(|source| source.mode == Mode::Auto).map(|source| source.id.as_str()).collect();
    let excluded: Vec<&str> = selection.excluded().iter().map(String::as_str).collect();
    let named = |ids: &[&str]| first_of(ids.iter().map(|id| format!("{before_id}{id}")), MAX_LISTED);
    let mut sentences = Vec::new();
    if !autos.is_empty() {
        sentences.push(format!("Auto sources stay in the instructions: {}.", named(&autos)));
    }
    if !excluded.is_empty() {
        sentences.push(format!("Exclusions stay: {}.", named(&excluded)));
    }
    sentences
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture;

    #[test]
    fn auto_sources_and_exclusions_stay() {
        let snapshot = fixture::snapshot();
        assert_eq!(
            remaining(&snapshot.catalog, &snapshot.selection, "@"),
            ["Auto sources stay in the instructions: @team-conventions.", "Exclusions stay: @release-notes."]
        );
        let many: Vec<String> = (0..9).map(|n| format!("e{n}")).collect();
        let many: Vec<&str> = many.iter().map(String::as_str).collect();
        let selection = fixture::selection(Vec::new(), &[], &many);
        let sentences = remaining(&Catalog::default(), &selection, "");
        assert_eq!(sentences, ["Exclusions stay: e0, e1, e2, e3, e4, e5 and 3 more."]);
    }
}
