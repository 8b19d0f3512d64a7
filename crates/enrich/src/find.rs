//! Finds the `@id`s and tags in a text (BEHAVIOUR §5, blocks 1 and 2) and decides which sources they bring up. Ignores
//! refdesk's own blocks in the text.

use std::borrow::Cow;
use std::collections::HashSet;
use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};

use rayon::prelude::*;

use super::code::{code, is_within};
use super::mentions::{MentionIndex, MentionSpan};
use super::tags::{TagIndex, TaggedSource};
use super::vocabulary::Vocabulary;
use super::{Expansion, Findings, Hint, injected};
use refdesk_core::catalog::{Catalog, Mode, ShortText, Source};
use refdesk_core::mention::IdMatcher;
use refdesk_core::selection::Selection;

/// The number of texts searched with small automata. With ten thousand sources, building one takes a tenth of the time
/// of the automata for all texts, and `enrich` searches one text twice, a long one three times.
const FIRST_TEXTS: usize = 3;

/// Finds ids and tags of one catalog in texts. Automata are built on first use and kept; a text without `@` does not
/// need the one for ids. The first texts use small automata, each built for one text, because many processes search
/// only a few texts.
///
/// It stores positions of sources, so use it only with one catalog, or with others for which [`has_equal_index`] is
/// true.
#[derive(Default)]
pub struct Matcher {
    /// How many texts have used small automata.
    asked: AtomicUsize,
    at: OnceLock<MentionIndex>,
    tagged: OnceLock<TagIndex>,
}

/// Whether an index of one catalog is valid for the other: same ids, tags and modes in the same order.
pub fn has_equal_index(one: &Catalog, other: &Catalog) -> bool {
    let same =
        |(one, other): (&Source, &Source)| one.id == other.id && one.mode == other.mode && one.tags == other.tags;
    one.len() == other.len() && one.sources().iter().zip(other.sources()).all(same)
}

impl Matcher {
    /// Builds the automata now, for callers that search often and prefer to wait at this point. The automaton for ids
    /// already exists if documents are scanned.
    pub fn warm(&self, catalog: &Catalog, ids: Option<Arc<IdMatcher>>) {
        if let Some(ids) = ids {
            self.at.get_or_init(|| MentionIndex::All(ids));
        }
        self.at(catalog);
        self.tagged(catalog);
    }

    /// Kind of the tag automaton, number of patterns and size in bytes, for statistics.
    pub fn size(&self, catalog: &Catalog) -> (&'static str, usize, usize) {
        self.tagged(catalog).size()
    }

    /// Finds expansions and hints in `text` outside refdesk's own blocks. Expansions are mentioned sources that are not
    /// excluded, of any mode, including selected and missing ones. Hints are `selectable` sources that are not
    /// selected, excluded or mentioned; none with `exclude_hints` (`selectReferences` is in `exclude_tools`).
    pub fn find(&self, text: &str, catalog: &Catalog, selection: &Selection, exclude_hints: bool) -> Findings {
        self.find_within(text, &injected::outside(text), catalog, selection, exclude_hints)
    }

    /// [`Matcher::find`] in these parts of a text, each matched as if nothing surrounded it.
    pub(crate) fn find_within(
        &self,
        text: &str,
        parts: &[Range<usize>],
        catalog: &Catalog,
        selection: &Selection,
        exclude_hints: bool,
    ) -> Findings {
        let excluded: HashSet<&str> = selection.excluded().iter().map(String::as_str).collect();
        let is_early = self.tagged.get().is_none() && self.asked.fetch_add(1, Ordering::Relaxed) < FIRST_TEXTS;
        let vocabulary = is_early.then(|| Vocabulary::of(text));
        let expansions = self.expansions(text, parts, catalog, &excluded, vocabulary.as_ref());
        if exclude_hints {
            return Findings { expansions, ..Findings::default() };
        }
        let named: HashSet<&str> = expansions.iter().map(|it| it.id.as_str()).collect();
        let wanted = |source: usize| {
            catalog.sources().get(source).is_some_and(|source| {
                let id = source.id.as_str();
                source.mode == Mode::Selectable
                    && !selection.contains(id)
                    && !excluded.contains(id)
                    && !named.contains(id)
            })
        };
        let only = vocabulary.as_ref().map(|words| some_tags(catalog, words));
        let tagged = only.as_ref().unwrap_or_else(|| self.tagged(catalog));
        let mut found = tagged.start();
        for part in parts {
            tagged.scan(text, part.clone(), &mut found);
        }
        let hints = tagged.by_source(found, catalog, wanted).into_iter().filter_map(|it| hint(it, catalog));
        let mut hints: Vec<Hint> = hints.collect();
        let code = if hints.is_empty() { Vec::new() } else { code(text) };
        for hint in &mut hints {
            hint.is_in_code = is_within(&code, &hint.ranges);
        }
        Findings { expansions, hints, ..Findings::default() }
    }

    /// The text without the ids that it mentions, because the words of an id are not the topic of the text.
    pub fn without_mentions<'t>(&self, text: &'t str, catalog: &Catalog) -> Cow<'t, str> {
        if !text.contains('@') {
            return Cow::Borrowed(text);
        }
        let is_early = self.at.get().is_none() && self.asked.load(Ordering::Relaxed) < FIRST_TEXTS;
        let vocabulary = is_early.then(|| Vocabulary::of(text));
        let only = vocabulary.map(|words| some_ids(catalog, &words));
        let (mut rest, mut end) = (String::with_capacity(text.len()), 0);
        for MentionSpan { range, .. } in only.as_ref().unwrap_or_else(|| self.at(catalog)).find(text) {
            let between = text.get(end..range.start).unwrap_or_default();
            rest.push_str(between.rfind('@').and_then(|mark| between.get(..mark)).unwrap_or_default());
            end = range.end;
        }
        rest.push_str(text.get(end..).unwrap_or_default());
        Cow::Owned(rest)
    }

    pub(super) fn expansions(
        &self,
        text: &str,
        parts: &[Range<usize>],
        catalog: &Catalog,
        excluded: &HashSet<&str>,
        vocabulary: Option<&Vocabulary>,
    ) -> Vec<Expansion> {
        let mut seen = HashSet::new();
        let mut expansions = Vec::new();
        if !text.contains('@') {
            return expansions;
        }
        let only = vocabulary.map(|words| some_ids(catalog, words));
        let at = only.as_ref().unwrap_or_else(|| self.at(catalog));
        for part in parts {
            for MentionSpan { source, range } in at.find(text.get(part.clone()).unwrap_or_default()) {
                let id = catalog.sources().get(source).map(|source| &source.id);
                let Some(id) = id.filter(|id| !excluded.contains(id.as_str())) else { continue };
                if seen.insert(source) {
                    let range = range.start + part.start..range.end + part.start;
                    expansions.push(Expansion { id: id.clone(), range });
                }
            }
        }
        expansions
    }

    fn at(&self, catalog: &Catalog) -> &MentionIndex {
        self.at.get_or_init(|| MentionIndex::some(ids(catalog)))
    }

    pub(super) fn tagged(&self, catalog: &Catalog) -> &TagIndex {
        self.tagged.get_or_init(|| TagIndex::new(tags(catalog), |_| true))
    }
}

fn ids(catalog: &Catalog) -> impl Iterator<Item = (usize, &str)> {
    catalog.sources().iter().map(|source| source.id.as_str()).enumerate()
}

/// An index of the ids that may occur in a text with this vocabulary.
fn some_ids(catalog: &Catalog, words: &Vocabulary) -> MentionIndex {
    MentionIndex::some(ids(catalog).filter(|(_, id)| words.may_hold(id)))
}

/// The tags of each source by index, including auto sources, so that missing hints can be explained.
fn tags(catalog: &Catalog) -> impl Iterator<Item = (usize, &[ShortText])> {
    catalog.sources().iter().enumerate().map(|(at, source)| (at, source.tags.as_slice()))
}

/// An index of the tags that may occur in a text with this vocabulary.
fn some_tags(catalog: &Catalog, words: &Vocabulary) -> TagIndex {
    let sources = catalog.sources();
    let with_some = |at: usize| {
        let tags = sources.get(at)?.tags.as_slice();
        tags.iter().any(|tag| words.may_hold(tag)).then_some((at, tags))
    };
    let found: Vec<_> = (0..sources.len()).into_par_iter().with_min_len(4_096).filter_map(with_some).collect();
    TagIndex::new(found.into_iter(), |tag| words.may_hold(tag))
}

fn hint(tagged: TaggedSource, catalog: &Catalog) -> Option<Hint> {
    let source = catalog.sources().get(tagged.source)?;
    let mut tags = Vec::with_capacity(tagged.tags.len());
    tags.extend(tagged.tags.iter().filter_map(|at| source.tags.get(*at)).map(|tag| tag.trim().to_owned()));
    Some(Hint { id: source.id.clone(), tags, firsts: tagged.firsts, ranges: tagged.ranges, is_in_code: false })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{inline, selection};

    fn tags(tags: &[&str]) -> Vec<String> {
        tags.iter().map(|tag| (*tag).to_owned()).collect()
    }

    #[test]
    fn a_text_without_its_mentions() {
        let catalog = Catalog::new(["a", "a-b", "ref:c", "c"].map(|id| inline(id, &[], "")).to_vec());
        for (text, rest) in [
            ("", ""),
            ("see @a-b, and @a.", "see , and ."),
            ("@a@a-b @ref:c @x me@a", "  @x me@a"),
            ("a-b", "a-b"),
            ("é@a é", "é@a é"),
        ] {
            let matcher = Matcher::default();
            assert_eq!(matcher.without_mentions(text, &catalog), rest, "{text}");
            matcher.warm(&catalog, None);
            assert_eq!(matcher.without_mentions(text, &catalog), rest, "{text}");
        }
    }

    #[test]
    fn which_sources_are_expanded_and_which_are_hinted_at() {
        let mut auto = inline("auto", &tags(&["blue"]), "");
        auto.mode = Mode::Auto;
        let catalog = Catalog::new(vec![
            auto,
            inline("sel", &tags(&["blue"]), ""),
            inline("one", &tags(&["blue", "red"]), ""),
            inline("two", &tags(&["red", "green", "blue"]), ""),
            inline("barred", &tags(&["red"]), ""),
            inline("pulled", &tags(&["red"]), ""),
        ]);
        let selection = selection(&["sel"], &[("pulled", &["sel"])], &["barred"]);
        for (text, named, hinted) in [
            ("blue", vec![], vec!["one: blue", "two: blue"]),
            ("green red blue", vec![], vec!["one: blue, red", "two: red, green, blue"]),
            ("@one red", vec!["one"], vec!["two: red"]),
            ("@two @one @sel @auto @pulled @two blue", vec!["two", "one", "sel", "auto", "pulled"], vec![]),
            ("@barred @barred@one", vec!["one"], vec![]),
            ("nothing", vec![], vec![]),
            ("", vec![], vec![]),
        ] {
            let matcher = Matcher::default();
            for time in ["first", "second", "third", "fourth", "fifth"] {
                let found = matcher.find(text, &catalog, &selection, false);
                let ids: Vec<&str> = found.expansions.iter().map(|it| it.id.as_str()).collect();
                let hints: Vec<String> =
                    found.hints.iter().map(|it| format!("{}: {}", it.id, it.tags.join(", "))).collect();
                assert_eq!((ids, hints), (named.clone(), tags(&hinted)), "{text}, {time}");
                assert!(found.expansions.iter().all(|it| &text[it.range.clone()] == it.id.as_str()));
                assert!(matcher.find(text, &catalog, &selection, true).hints.is_empty());
            }
        }
    }

    #[test]
    fn the_first_text_gives_the_same_result_as_later_ones() {
        let words = ["java", "c++", "spring.boot", "--flag", "a  b", "É", "\u{212a}", "a-1", "日本", ".net", "x"];
        let catalog = Catalog::new(words.iter().map(|word| inline(word, &tags(&[word]), "")).collect());
        let selection = selection(&[], &[], &[]);
        let warm = Matcher::default();
        warm.warm(&catalog, None);
        for text in
            ["Java—C++ @ref:日本", "K é A 1, use --FLAG @a-1 @a  b", "Spring.Boot. .NET @x@java", "²x² a\n\nb @c++"]
        {
            let cold = Matcher::default();
            assert_eq!(cold.find(text, &catalog, &selection, false), warm.find(text, &catalog, &selection, false));
        }
    }

    #[test]
    fn positions_are_relative_to_the_whole_text() {
        let catalog = Catalog::new(vec![inline("one", &tags(&["red", "a b"]), "")]);
        let own = "\n\n---\n**Referenced Sources:**\n\nred @one\n---";
        let text = format!("é red a-b{own}\nred A\nB");
        let found = Matcher::default().find(&text, &catalog, &selection(&[], &[], &[]), false);
        let places: Vec<&str> = found.hints[0].ranges.iter().map(|range| &text[range.clone()]).collect();
        assert_eq!(places, ["red", "a-b", "red", "A\nB"]);
    }
}
