//! `@id` and `@ref:id` in a text (BEHAVIOUR §5, block 1). Ids are taken literally, whatever characters they hold; one
//! automaton finds all of them in one pass, and the rules about neighbours decide which count.

use std::ops::Range;

use aho_corasick::AhoCorasick;

use crate::catalog::SourceId;
use crate::text::automaton;
use crate::text::words::{char_after, is_digit, is_letter, is_mark, is_word};

/// All ids of a catalog, ready to be looked for.
pub(crate) struct AtIndex {
    automaton: Option<AhoCorasick>,
    /// Each with its place in the catalog.
    ids: Vec<(usize, SourceId)>,
}

/// An id named in a text: which, by its place in the catalog, and the byte range of the id without its `@` or `@ref:`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct At {
    pub(crate) source: usize,
    pub(crate) range: Range<usize>,
}

/// A place where an id stands after an `@`, before it is known whether it counts.
struct Candidate {
    start: usize,
    at: At,
}

impl AtIndex {
    /// One automaton over `@id` and `@ref:id` of every id; linear in their length.
    pub(crate) fn new(ids: Vec<(usize, SourceId)>) -> Self {
        let patterns = ids.iter().flat_map(|(_, id)| [format!("@{id}"), format!("@ref:{id}")]);
        let patterns: Vec<String> = patterns.collect();
        Self { automaton: automaton::of(&patterns), ids }
    }

    /// Every mention that counts, in order, repeated ones too. Linear in the text as long as ids do not nest deeply.
    pub(crate) fn find(&self, text: &str) -> Vec<At> {
        let Some(automaton) = self.automaton.as_ref().filter(|_| memchr::memchr(b'@', text.as_bytes()).is_some())
        else {
            return Vec::new();
        };
        let mut candidates: Vec<Candidate> = automaton
            .find_overlapping_iter(text)
            .filter_map(|found| {
                let (source, id) = self.ids.get(found.pattern().as_usize() / 2)?;
                let range = found.end() - id.as_str().len()..found.end();
                let counts = !range.is_empty() && may_end(text, range.end);
                counts.then_some(Candidate { start: found.start(), at: At { source: *source, range } })
            })
            .collect();
        // At one `@` the longest counts; of two that end together (`@ref:x` with an id `ref:x`) the longer id.
        candidates.sort_by_key(|it| (it.start, std::cmp::Reverse(it.at.range.end), it.at.range.start));
        let mut found = Vec::new();
        let mut end_of_last = None;
        for candidate in candidates {
            let follows_directly = end_of_last == Some(candidate.start);
            let inside_last = end_of_last.is_some_and(|end| candidate.start < end);
            if !inside_last && (follows_directly || may_start(text, candidate.start)) {
                end_of_last = Some(candidate.at.range.end);
                found.push(candidate.at);
            }
        }
        found
    }
}

/// Whether the `@` at byte `at` counts: no letter, digit, `_`, `-`, `.` or `+` before it. A combining mark counts as the
/// character that carries it.
fn may_start(text: &str, at: usize) -> bool {
    let base = text.get(..at).and_then(|before| before.chars().rev().find(|c| !is_mark(*c)));
    !base.is_some_and(|c| is_letter(c) || is_digit(c) || matches!(c, '_' | '-' | '.' | '+'))
}

/// Whether an id may end at byte `end`: no letter, digit, combining mark, `_` or `-` after it, nor a `.` followed by one.
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
        let index = AtIndex::new(IDS.iter().map(|id| SourceId::from(*id)).enumerate().collect());
        let found = index.find(text);
        for at in &found {
            assert_eq!(&text[at.range.clone()], IDS[at.source]);
        }
        found.iter().map(|at| IDS[at.source]).collect()
    }

    #[test]
    fn which_mentions_count() {
        for (text, expected) in [
            // plain, repeated, in order of mention
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
            // before the `@`
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
            // directly after an id just expanded
            ("@api@site", vec!["api", "site"]),
            ("@api@site@foo", vec!["api", "site", "foo"]),
            ("@api @ref:site@ref:foo", vec!["api", "site", "foo"]),
            ("@unknown@site", vec![]),
            ("@apix@site", vec![]),
            // the longest that fits
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
            // after it
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
            // any characters in ids
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
    fn no_ids_and_empty_ids_name_nothing() {
        for ids in [vec![], vec![(0, SourceId::from(""))]] {
            assert_eq!(AtIndex::new(ids).find("@ @ref: @x"), Vec::new());
        }
    }
}
