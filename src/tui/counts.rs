//! The figures of the top line and the pane titles, computed once per snapshot.

use refdesk_core::catalog::{Mode, Source};
use refdesk_core::selection::Role;
use refdesk_desk::engine::Snapshot;
use refdesk_templates::Template;
use refdesk_text::report::total;

use crate::tui::source_state;
use crate::tui::widgets::cells;

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Counts {
    pub sources: usize,
    /// Sources whose path does not exist.
    pub missing: usize,
    pub picked: usize,
    pub pulled_in: usize,
    /// Auto sources that are not picked. An agent gets them anyway, so a mention of one adds nothing.
    pub auto: usize,
    /// Picks that are no longer in the catalog.
    pub dormant: usize,
    /// Estimated tokens of everything that an agent gets: picked, pulled-in and auto sources, and the instructions.
    pub tokens: u64,
    pub errors: usize,
    pub warnings: usize,
    /// Width of the longest id, without outliers.
    pub widest_id: usize,
    /// Width of the longest id.
    pub longest_id: usize,
    /// Width of the longest name.
    pub widest_name: usize,
    /// Width of the longest list of tags.
    pub widest_tags: usize,
    /// Width of the widest token count.
    pub widest_price: usize,
    /// Width of the widest token count, or of the word shown instead of one.
    pub widest_tokens: usize,
    /// Width of the longest template name.
    pub widest_template: usize,
    /// Width of the longest id of a source with templates.
    pub widest_template_source: usize,
}

impl Counts {
    /// `97`, or `95 + 2 auto`: an agent gets auto sources without a selection. Dormant picks are not sent;
    /// they are mentioned only if nothing else is picked: `0 + 2 auto, 1 dormant`.
    pub fn for_agent(&self) -> String {
        let selected = self.picked + self.pulled_in;
        let auto = if self.auto > 0 { format!(" + {} auto", cells::grouped(self.auto)) } else { String::new() };
        let is_said = self.dormant > 0 && selected == 0;
        let dormant = if is_said { format!(", {} dormant", cells::grouped(self.dormant)) } else { String::new() };
        format!("{}{auto}{dormant}", cells::grouped(selected))
    }

    pub fn of(snapshot: &Snapshot) -> Self {
        let sources = snapshot.catalog.sources();
        let members = snapshot.selection.members();
        let templates = &snapshot.templates.templates;
        let columns = |text: &str| cells::width(&cells::clean(text));
        let tags = |source: &Source| {
            let texts: usize = source.tags.iter().map(|tag| columns(tag)).sum();
            texts + 2 * source.tags.len().saturating_sub(1)
        };
        let of_template = |template: &Template| template.source.as_ref().map_or(0, |id| columns(id.as_str()));
        let is_auto = |source: &&Source| source.mode == Mode::Auto && !snapshot.selection.is_picked(source.id.as_str());
        let pulled_in = members.iter().filter(|it| it.role == Role::Transitive);
        let pulled_in = pulled_in.filter(|it| !source_state::is_auto(snapshot, it.id.as_str()));
        let mut ids: Vec<usize> = sources.iter().map(|source| columns(source.id.as_str())).collect();
        let widest_price = snapshot.tokens.values().max().map_or(0, |tokens| cells::tokens(*tokens).len());
        let has_untrusted = sources.iter().any(Source::is_untrusted);
        let errors = total(snapshot.diagnostics.iter().filter(|diagnostic| diagnostic.is_error()));
        Self {
            sources: sources.len(),
            missing: sources.iter().filter(|source| source.is_missing()).count(),
            picked: members.iter().filter(|it| it.role == Role::Picked).count(),
            pulled_in: pulled_in.count(),
            auto: sources.iter().filter(is_auto).count(),
            dormant: snapshot.selection.dormant().len(),
            tokens: snapshot.agent_tokens(),
            errors,
            warnings: total(snapshot.diagnostics.iter()) - errors,
            widest_id: width_without_outliers(&mut ids),
            longest_id: ids.last().copied().unwrap_or(0),
            widest_name: sources.iter().map(|source| columns(&source.name)).max().unwrap_or(0),
            widest_tags: sources.iter().map(tags).max().unwrap_or(0),
            widest_price,
            widest_tokens: widest_price.max(if has_untrusted { source_state::UNTRUSTED.len() } else { 0 }),
            widest_template_source: templates.iter().map(of_template).max().unwrap_or(0),
            widest_template: templates.iter().map(|template| columns(&template.name)).max().unwrap_or(0),
        }
    }
}

/// At most one in this many ids is treated as an outlier.
const IDS_PER_OUTLIER: usize = 16;

/// Sorts the widths of these ids, and returns a width that fits all except a few outliers: ids at least half
/// as long again as the others, or very long ones an eighth longer. A single long id must not take space from
/// all rows, or from the document beside the list.
pub fn width_without_outliers(columns: &mut [usize]) -> usize {
    columns.sort_unstable();
    let longest = columns.last().copied().unwrap_or(0);
    let outliers = columns.len().div_ceil(IDS_PER_OUTLIER);
    let usual = columns
        .len()
        .checked_sub(outliers + 1)
        .and_then(|at| columns.get(at))
        .copied()
        .unwrap_or(longest.min(VERY_LONG));
    if longest <= usual + usual / 8 {
        return longest;
    }
    let most = if longest > usual + usual / 2 { MIN_USUAL } else { VERY_LONG };
    usual.max(most).min(longest)
}

/// An id of at most this many columns is never an outlier.
const MIN_USUAL: usize = 24;

/// A longer id is an outlier, unless the others are about as long.
const VERY_LONG: usize = 40;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_long_id_does_not_widen_all_rows() {
        for (mut columns, expected) in [
            (vec![], 0),
            (vec![24], 24),
            (vec![116], 40),
            (vec![12, 116], 24),
            (vec![20, 27, 22, 25], 27),
            (vec![12, 9, 14, 116, 20, 11, 8], 24),
            (vec![40, 41, 42, 57], 42),
            (vec![50, 48, 57, 58], 58),
            (vec![30, 36, 35, 116], 36),
        ] {
            assert_eq!(width_without_outliers(&mut columns), expected, "{columns:?}");
        }
    }
}
