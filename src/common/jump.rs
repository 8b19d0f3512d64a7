//! The kinds of jump targets. Each has a sign that, typed first, limits the rows to that kind.

use std::collections::BTreeMap;

use refdesk_core::catalog::Catalog;
use refdesk_desk::{RankedList, SearchHit};

refdesk_text::worded_enum! {
    /// In the order of rows that match equally well.
    pub enum JumpKind {
        Source = "source",
        Template = "template",
        Heading = "heading",
        Tag = "tag",
        Problem = "problem",
        Feed = "feed",
        Filter = "filter",
        Action = "action",
    }
}

impl JumpKind {
    pub fn sign(self) -> &'static str {
        match self {
            Self::Source => "@",
            Self::Template => "%",
            Self::Heading => "/",
            Self::Tag => "#",
            Self::Problem => "!",
            Self::Feed => ">",
            Self::Filter => "~",
            Self::Action => ":",
        }
    }

    /// The kind that a line is limited to, and the words after its sign.
    pub fn of(line: &str) -> (Option<Self>, &str) {
        let line = line.trim();
        let kind = Self::ALL.into_iter().find(|kind| line.starts_with(kind.sign()));
        (kind, line.strip_prefix(kind.map_or("", Self::sign)).unwrap_or(line).trim_start())
    }

    /// The line limited to the next kind; after the last kind, unlimited.
    pub fn next(line: &str) -> String {
        let (kind, words) = Self::of(line);
        let next = match kind {
            None => Self::ALL.first().copied(),
            Some(kind) => Self::ALL.into_iter().skip_while(|other| *other != kind).nth(1),
        };
        format!("{}{words}", next.map_or("", Self::sign))
    }
}

/// Whether a section was found by meaning alone.
pub fn is_found_by_meaning(hit: &SearchHit) -> bool {
    matches!(hit.because.as_slice(), [only] if only.list == RankedList::Meaning)
}

/// Every tag of the catalog with the number of its sources.
pub fn tags(catalog: &Catalog) -> Vec<(String, usize)> {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for tag in catalog.sources().iter().flat_map(|source| &source.tags) {
        *counts.entry(tag).or_default() += 1;
    }
    counts.into_iter().map(|(tag, count)| (tag.to_owned(), count)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sign_narrows_and_the_next_one_follows() {
        for (line, kind, words, next) in [
            ("", None, "", "@"),
            (" retry ", None, "retry", "@retry"),
            ("@retry", Some(JumpKind::Source), "retry", "%retry"),
            (": border up", Some(JumpKind::Action), "border up", "border up"),
            ("::", Some(JumpKind::Action), ":", ":"),
        ] {
            assert_eq!((JumpKind::of(line), JumpKind::next(line).as_str()), ((kind, words), next), "{line}");
        }
    }
}
