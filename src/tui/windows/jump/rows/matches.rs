//! Orders the rows that match the typed words.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use refdesk_desk::SearchHit;

use super::{FoundIn, JumpRow, JumpTarget, MAX, heading};
use crate::common::jump::JumpKind;
use crate::tui::windows::jump::actions::{self, Availability};
use crate::tui::windows::jump::matcher::{WordMatch, WordMatcher, searched};

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum NameMatch {
    /// It equals the typed text.
    Exact,
    /// The id or name of a source starts with it.
    Beginning,
    /// It is the tag of several sources.
    Tag,
    /// Each typed word is a whole word of it.
    Words,
    /// Anything else: fuzzy matches and matches in the description.
    Other,
}

/// The better match comes first: a whole name, then names with all the words, then anything before problems, then names before
/// descriptions, then what is possible, then anything before tags and moves by a row, then sources whose names have what is
/// typed in one piece; of equal ones the shorter name.
pub(super) type RowOrder = (NameMatch, bool, usize, Availability, bool, bool, Reverse<u32>, usize);

/// The rows that match the typed words.
pub(super) struct JumpMatches {
    pub matcher: WordMatcher,
    rows: Vec<(RowOrder, JumpRow)>,
}

impl JumpMatches {
    pub(super) fn new(words: &str) -> Self {
        Self { matcher: WordMatcher::new(words), rows: Vec::new() }
    }

    /// The best rows of each kind, in order.
    pub(super) fn best(self) -> Vec<(RowOrder, JumpRow)> {
        let mut rows = self.rows;
        // A stable sort: without typed text, rows stay ordered by kind.
        rows.sort_by_key(|(order, _)| *order);
        let mut kept = BTreeMap::new();
        rows.retain(|(_, row)| {
            let count = kept.entry(row.kind.sign()).or_insert(0);
            *count += 1;
            row.kind == JumpKind::Action || *count <= MAX
        });
        rows
    }

    pub(super) fn add(&mut self, kind: JumpKind, name: &str, about: &str, to: JumpTarget) {
        let (name, about) = (searched(name), searched(about));
        if let Some(found) = self.matcher.find(&name, &about) {
            self.push(found, (Availability::Possible, None), JumpRow::new(kind, name, about, to));
        }
    }

    pub(super) fn push(&mut self, found: WordMatch, (at, why_not): (Availability, Option<String>), row: JumpRow) {
        let is_less = match row.to {
            JumpTarget::Action(binding) => actions::is_move(binding),
            // A tag leads to several sources.
            _ => row.kind == JumpKind::Tag,
        };
        // Without typed text, rows are ordered by kind.
        let is_typed = !self.matcher.is_empty();
        // A problem's name is its subject.
        let is_problem = is_typed && row.kind == JumpKind::Problem;
        let name_match = self.name_match(&row);
        let is_found_by_name = matches!(row.kind, JumpKind::Source | JumpKind::Template) && found.outside_name == 0;
        let length = if is_typed && is_found_by_name { row.name.len() } else { 0 };
        // A template's source repeats the purpose in its name, and says it first.
        let is_other = !(is_typed && row.kind == JumpKind::Source && self.matcher.is_within(&row.name));
        let order = (name_match, is_problem, found.outside_name, at, is_less, is_other, Reverse(found.score), length);
        let found = FoundIn { name: found.in_name, about: found.in_description };
        self.rows.push((order, JumpRow { found, why_not, ..row }));
    }

    fn name_match(&self, row: &JumpRow) -> NameMatch {
        match row.kind {
            JumpKind::Problem if !self.matcher.is_empty() => NameMatch::Other,
            // A tag with a single source is only a detour to it.
            JumpKind::Tag if self.matcher.is_exact(&row.name) => match row.to {
                JumpTarget::Tag(_, 1) => NameMatch::Words,
                _ => NameMatch::Tag,
            },
            _ if self.matcher.is_exact(&row.name) => NameMatch::Exact,
            JumpKind::Source if self.matcher.begins(&row.name) || self.matcher.begins(&row.title) => {
                NameMatch::Beginning
            }
            // Its name contains its time and actor.
            JumpKind::Feed => NameMatch::Other,
            _ if self.matcher.has_words(&row.name) || self.matcher.has_words(&row.title) => NameMatch::Words,
            _ => NameMatch::Other,
        }
    }

    /// Whether a section's heading contains all the words: at least one in the innermost heading, the others
    /// in any above it.
    pub(super) fn is_in_heading(&self, hit: &SearchHit) -> bool {
        let heading = heading(hit);
        let last = heading.rsplit(" > ").next().unwrap_or(heading);
        self.matcher.has_words(heading) && self.matcher.has_a_word(last)
    }

    /// Adds a row that a filter matched in any of its searched texts.
    pub(super) fn add_filtered(&mut self, row: JumpRow) {
        let otherwise = || WordMatch { outside_name: usize::MAX, ..WordMatch::default() };
        let found = self.matcher.find(&row.name, &row.about).unwrap_or_else(otherwise);
        self.push(found, (Availability::Possible, None), row);
    }
}
