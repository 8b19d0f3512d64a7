//! The tags of the sources that an agent can still ask for.

use std::collections::HashMap;

use super::{Catalog, Mode, Source};
use crate::selection::Selection;
use refdesk_text::fold::can_match;

/// The tags of all selectable sources. A selection subtracts its own from these counts, because a catalog has many more
/// sources than a selection.
#[derive(Debug, Clone)]
pub(super) struct SelectableTags {
    sources: usize,
    /// Trimmed tags in order, each with the number of sources that have it.
    counts: Vec<(Box<str>, usize)>,
}

impl SelectableTags {
    pub(super) fn of(catalog: &Catalog) -> Self {
        let selectable = || catalog.sources().iter().filter(|source| is_selectable(source));
        let mut counts: HashMap<&str, usize> = HashMap::new();
        for tag in selectable().flat_map(tags) {
            *counts.entry(tag).or_default() += 1;
        }
        let mut counts: Vec<_> = counts.into_iter().filter(|(tag, _)| can_match(tag)).collect();
        counts.sort_unstable();
        let counts = counts.into_iter().map(|(tag, count)| (tag.into(), count)).collect();
        Self { sources: selectable().count(), counts }
    }
}

impl Catalog {
    /// The tags of selectable sources neither selected nor excluded, trimmed, in order; `None` without such sources.
    /// Missing sources do not count, because they cannot be picked.
    pub fn remaining_tags(&self, selection: &Selection) -> Option<Vec<&str>> {
        let SelectableTags { sources, counts } = self.selectable_tags.get_or_init(|| SelectableTags::of(self));
        let excluded = selection.excluded().iter().map(String::as_str).filter(|id| !selection.contains(id));
        let gone = selection.members().iter().map(|member| member.id.as_str()).chain(excluded);
        let gone = gone.filter_map(|id| self.get(id)).filter(|source| is_selectable(source));
        let (mut left, mut rest) = (*sources, counts.iter().map(|(_, count)| *count).collect::<Vec<_>>());
        for source in gone {
            left = left.saturating_sub(1);
            for tag in tags(source) {
                let at = counts.binary_search_by(|(other, _)| (**other).cmp(tag)).ok();
                if let Some(count) = at.and_then(|at| rest.get_mut(at)) {
                    *count = count.saturating_sub(1);
                }
            }
        }
        let remains = counts.iter().zip(rest).filter(|(_, left)| *left > 0);
        (left > 0).then(|| remains.map(|((tag, _), _)| &**tag).collect())
    }
}

/// Whether it can be picked and is not `auto`.
fn is_selectable(source: &Source) -> bool {
    source.mode == Mode::Selectable && !source.is_missing()
}

fn tags(source: &Source) -> impl Iterator<Item = &str> {
    source.tags.iter().map(|tag| tag.trim())
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::path::Path;

    use proptest::prelude::*;

    use super::*;
    use crate::catalog::PathState;
    use crate::catalog::testing::{inline, local};
    use crate::mention::MentionGraph;
    use crate::selection::{Choice, ExpansionRules, select};

    proptest! {
        #[test]
        fn remaining_tags_are_counted_as_if_collected(
            sources in proptest::collection::vec(
                (proptest::collection::vec("[ab -]{0,2}", 0..4), any::<bool>(), any::<bool>()),
                0..6,
            ),
            picks in proptest::sample::subsequence((0..6).collect::<Vec<_>>(), 0..6),
            exclusions in proptest::sample::subsequence((0..6).collect::<Vec<_>>(), 0..6),
        ) {
            let source = |(nth, (tags, is_auto, is_missing)): (usize, (Vec<String>, bool, bool))| {
                let id = nth.to_string();
                let missing = || local(&id, Path::new("/ws/gone.md"), PathState::Missing);
                let mode = if is_auto { Mode::Auto } else { Mode::Selectable };
                Source { tags: tags.into_iter().map(Into::into).collect(), mode, ..if is_missing { missing() } else { inline(&id, "") } }
            };
            let catalog = Catalog::new(sources.into_iter().enumerate().map(source).collect());
            let ids = |of: &[usize]| of.iter().map(usize::to_string).collect();
            let choice = Choice { picks: ids(&picks), exclusions: ids(&exclusions), ..Choice::default() };
            let rules = ExpansionRules { transitive: false, from_auto: false };
            let selection = select(&choice, &catalog, &MentionGraph::default(), rules);
            let remains = |source: &&Source| {
                let id = source.id.as_str();
                let can_be_picked = source.mode == Mode::Selectable && !source.is_missing();
                can_be_picked && !selection.contains(id) && !selection.is_excluded(id)
            };
            let remaining: Vec<&Source> = catalog.sources().iter().filter(remains).collect();
            let tags: BTreeSet<&str> = remaining.iter().flat_map(|it| tags(it)).filter(|tag| can_match(tag)).collect();
            let expected = (!remaining.is_empty()).then(|| tags.into_iter().collect::<Vec<_>>());
            prop_assert_eq!(catalog.remaining_tags(&selection), expected);
        }
    }
}
