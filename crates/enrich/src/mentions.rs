//! Finds `@id` and `@ref:id` in a text (BEHAVIOUR §5, block 1). Ids are matched literally, whatever characters they
//! contain. One automaton finds all of them in one pass, and the rules about neighbouring characters decide which
//! count.

use std::ops::Range;
use std::sync::Arc;

use refdesk_core::mention::IdMatcher;
use refdesk_text::whole::WholeWords;
use refdesk_text::words::{char_after, is_digit, is_letter, is_mark, is_word};

/// The character before an id in a mention.
const MARK: u8 = b'@';
const LONG_MARK: &str = "@ref:";

/// An index of the ids of a catalog.
pub(crate) enum MentionIndex {
    /// All ids, with the automaton that also searches documents.
    All(Arc<IdMatcher>),
    /// Some ids, with their positions in the catalog.
    Some(Option<Box<WholeWords>>, Vec<usize>),
}

/// A mention in a text: the position of the id in the catalog, and the byte range of the id without its `@` or `@ref:`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct MentionSpan {
    pub(crate) source: usize,
    pub(crate) range: Range<usize>,
}

impl MentionIndex {
    /// An index of some ids, each with its position in the catalog.
    pub(crate) fn some<'i>(ids: impl Iterator<Item = (usize, &'i str)>) -> Self {
        let (places, ids): (Vec<usize>, Vec<&str>) = ids.unzip();
        // Ids too large for an automaton (several gigabytes) are never found.
        Self::Some(WholeWords::new(ids).map(Box::new), places)
    }

    /// Every valid mention in order, even repeated ones. Ids are tried only at a valid `@`, and not within an id.
    pub(crate) fn find(&self, text: &str) -> Vec<MentionSpan> {
        let words = match self {
            Self::All(ids) => ids.words(),
            Self::Some(words, _) => words.as_deref(),
        };
        let Some(words) = words else { return Vec::new() };
        let mut found: Vec<MentionSpan> = Vec::new();
        let mut from = 0;
        while let Some(mark) =
            text.get(from..).and_then(|rest| memchr::memchr(MARK, rest.as_bytes())).map(|at| from + at)
        {
            let follows_directly = found.last().is_some_and(|last| last.range.end == mark);
            let at = if follows_directly || may_start(text, mark) { self.at_mark(words, text, mark) } else { None };
            from = at.as_ref().map_or(mark + 1, |at| at.range.end);
            found.extend(at);
        }
        found
    }

    /// The id mentioned at this `@`: the one that ends last; of two that end together (`@ref:x` with an id `ref:x`),
    /// the longer one.
    fn at_mark(&self, words: &WholeWords, text: &str, mark: usize) -> Option<MentionSpan> {
        let is_long = text.get(mark..).is_some_and(|rest| rest.starts_with(LONG_MARK));
        let starts = [Some(1), is_long.then_some(LONG_MARK.len())].into_iter().flatten().map(|length| mark + length);
        let fits = starts.filter_map(|start| {
            let (word, end) = words.longest_at(text, start, |end| may_end(text, end))?;
            let source = match self {
                Self::All(_) => word,
                Self::Some(_, places) => places.get(word).copied()?,
            };
            Some(MentionSpan { source, range: start..end })
        });
        fits.min_by_key(|at| std::cmp::Reverse(at.range.end))
    }
}

/// Whether the `@` at byte `at` is valid: no letter, digit, `_`, `-`, `.` or `+` before it. A combining mark counts as
/// its base character.
fn may_start(text: &str, at: usize) -> bool {
    let base = text.get(..at).and_then(|before| before.chars().rev().find(|c| !is_mark(*c)));
    !base.is_some_and(|c| is_letter(c) || is_digit(c) || matches!(c, '_' | '-' | '.' | '+'))
}

/// Whether an id may end at byte `end`: no letter, digit, combining mark, `_` or `-` after it, nor a `.` followed by
/// one.
fn may_end(text: &str, end: usize) -> bool {
    let goes_on = |c: char| is_word(c) || matches!(c, '_' | '-');
    match char_after(text, end) {
        Some('.') => !char_after(text, end + 1).is_some_and(goes_on),
        Some(c) => !goes_on(c),
        None => true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::inline;
    use refdesk_core::catalog::Catalog;

    const IDS: &[&str] = &[
        "api",
        "api-v2",
        "spring",
        "spring.boot",
        "a_b",
        "foo",
        "site",
        "c",
        "c++",
        "two words",
        "two",
        "ref",
        "ref:x",
        "x",
        "a.*b",
        "@odd",
        "x@y",
        "Ünï",
        "[k]",
    ];

    fn named(text: &str) -> Vec<&str> {
        let index = MentionIndex::some(IDS.iter().copied().enumerate());
        let found = index.find(text);
        let catalog = Catalog::new(IDS.iter().map(|id| inline(id, &[], "")).collect());
        assert_eq!(MentionIndex::All(Arc::new(IdMatcher::new(&catalog))).find(text), found, "{text}");
        for at in &found {
            assert_eq!(&text[at.range.clone()], IDS[at.source]);
        }
        found.iter().map(|at| IDS[at.source]).collect()
    }

    #[test]
    fn which_mentions_count() {
        for (text, expected) in [
            // Plain, repeated, in order of mention.
            ("@api", vec!["api"]),
            ("@api and @api", vec!["api", "api"]),
            ("@site then @api", vec!["site", "api"]),
            ("@ref:api", vec!["api"]),
            ("(@site)", vec!["site"]),
            ("`@site`", vec!["site"]),
            ("\"@site\"", vec!["site"]),
            ("[[@site]]", vec!["site"]),
            ("@@site", vec!["site"]),
            ("é: @site", vec!["site"]),
            ("@unknown @ @", vec![]),
            ("api", vec![]),
            ("@API", vec![]),
            // Before the `@`.
            ("x@api", vec![]),
            ("é@api", vec![]),
            ("e\u{301}@api", vec![]),
            ("5@api", vec![]),
            ("\u{663}@api", vec![]),
            ("_@api", vec![]),
            ("-@api", vec![]),
            (".@api", vec![]),
            ("+@api", vec![]),
            ("joe+tag@foo.org", vec![]),
            ("/@api", vec!["api"]),
            (":@api", vec!["api"]),
            ("\u{27a1}\u{fe0f}@api", vec!["api"]),
            // Directly after an expanded id.
            ("@api@site", vec!["api", "site"]),
            ("@api@site@foo", vec!["api", "site", "foo"]),
            ("@api @ref:site@ref:foo", vec!["api", "site", "foo"]),
            ("@unknown@site", vec![]),
            ("@apix@site", vec![]),
            // The longest match wins.
            ("@api-v2", vec!["api-v2"]),
            ("@api-v3", vec![]),
            ("@api-v2-x", vec![]),
            ("@spring.boot", vec!["spring.boot"]),
            ("@spring.boots", vec![]),
            ("@spring.", vec!["spring"]),
            ("@spring. Boot", vec!["spring"]),
            ("@two words", vec!["two words"]),
            ("@two wordsmiths", vec!["two"]),
            ("@c++", vec!["c++"]),
            ("@c+", vec!["c"]),
            ("@c++x", vec!["c"]),
            ("@ref:x", vec!["ref:x"]),
            ("@ref:two", vec!["two"]),
            ("@ref:nobody", vec!["ref"]),
            ("@x@y", vec!["x@y"]),
            // After the id.
            ("@api-", vec![]),
            ("@api_", vec![]),
            ("@api2", vec![]),
            ("@apié", vec![]),
            ("@api\u{301}", vec![]),
            ("@api.x", vec![]),
            ("@api.2", vec![]),
            ("@api._", vec![]),
            ("@api.-", vec![]),
            ("@api.", vec!["api"]),
            ("@api...", vec!["api"]),
            ("@api.)", vec!["api"]),
            ("@api/x", vec!["api"]),
            ("@api\\x", vec!["api"]),
            ("@api's", vec!["api"]),
            ("@api,@foo", vec!["api", "foo"]),
            ("@api:", vec!["api"]),
            // Special characters in ids.
            ("@a.*b", vec!["a.*b"]),
            ("@axxb", vec![]),
            ("@[k]", vec!["[k]"]),
            ("@@odd", vec!["@odd"]),
            ("@Ünï!", vec!["Ünï"]),
            ("@a_b", vec!["a_b"]),
            ("", vec![]),
        ] {
            assert_eq!(named(text), expected, "{text:?}");
        }
    }

    #[test]
    fn without_ids_or_with_empty_ids_nothing_matches() {
        for ids in [vec![], vec![(0, "")]] {
            assert_eq!(MentionIndex::some(ids.into_iter()).find("@ @ref: @x"), Vec::new());
        }
    }
}
