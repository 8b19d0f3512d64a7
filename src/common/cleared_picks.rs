//! What stays when picks are removed.

use refdesk_core::catalog::{Catalog, Mode, SourceId};
use refdesk_core::selection::{Role, Selection};
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

/// The sources that agents still get although their picks were removed, each with the reason, as in `is still pulled in by
/// @a`; `before_id` is in front of each id.
pub fn still_selected<'a>(
    catalog: &Catalog,
    selection: &Selection,
    unpicked: impl IntoIterator<Item = &'a str>,
    before_id: &str,
) -> Vec<(&'a str, String)> {
    let is_auto = |id: &str| catalog.get(id).is_some_and(|source| source.mode == Mode::Auto);
    let reason = |id: &'a str| match selection.member(id) {
        Some(member) if member.role == Role::Picked => None,
        Some(member) if member.role == Role::Transitive => {
            let parents = member.parents.iter().map(|id: &SourceId| format!("{before_id}{id}"));
            Some((id, format!("is still pulled in by {}", first_of(parents, MAX_LISTED))))
        }
        // An auto source from which nothing follows is not a member.
        _ => is_auto(id).then(|| (id, "stays in the instructions because it is auto".to_owned())),
    };
    unpicked.into_iter().filter_map(reason).collect()
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
        let unpicked = ["circuit-breaker", "timeouts", "java-service", "team-conventions"];
        assert_eq!(
            still_selected(&snapshot.catalog, &snapshot.selection, unpicked, "@"),
            [
                ("timeouts", "is still pulled in by @circuit-breaker, @retry-pattern".to_owned()),
                ("team-conventions", "stays in the instructions because it is auto".to_owned()),
            ]
        );
        let many: Vec<String> = (0..9).map(|n| format!("e{n}")).collect();
        let many: Vec<&str> = many.iter().map(String::as_str).collect();
        let selection = fixture::selection(Vec::new(), &[], &many);
        let sentences = remaining(&Catalog::default(), &selection, "");
        assert_eq!(sentences, ["Exclusions stay: e0, e1, e2, e3, e4, e5 and 3 more."]);
    }
}
