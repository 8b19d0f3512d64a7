//! What a text names and touches: `@id`s and tags (BEHAVIOUR §5, blocks 1 and 2), and who of them is spoken of. The
//! desk's own blocks in the text are passed over.

use std::collections::HashSet;
use std::ops::Range;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

use super::at::{At, AtIndex};
use super::tags::{TagIndex, Tagged};
use super::vocabulary::Vocabulary;
use super::{Expansion, Findings, Hint, own};
use crate::catalog::{Catalog, Mode, SourceId};
use crate::selection::Selection;

/// Finds ids and tags of one catalog in texts. Built once a catalog. Its automata are built when they are first needed and
/// kept; a text without `@` never pays for the ids, and the first text of all is served by small ones made for it alone,
/// since for many a process it is the only one.
pub struct Matcher {
    ids: Vec<SourceId>,
    tags: Vec<Vec<String>>,
    was_asked: AtomicBool,
    at: OnceLock<AtIndex>,
    tagged: OnceLock<TagIndex>,
}

impl Matcher {
    /// A matcher for this catalog. It is to be asked with the same catalog only: it knows sources by their place in it.
    pub fn new(catalog: &Catalog) -> Self {
        Self {
            ids: catalog.sources().iter().map(|source| source.id.clone()).collect(),
            tags: catalog.sources().iter().map(|source| source.tags.clone()).collect(),
            was_asked: AtomicBool::new(false),
            at: OnceLock::new(),
            tagged: OnceLock::new(),
        }
    }

    /// Builds the automata now, for whoever will ask often and would rather wait here than at a text.
    pub fn warm(&self) {
        self.at();
        self.tagged();
    }

    /// Kind of the tag automaton, number of its patterns and its size in bytes: for figures.
    pub fn size(&self) -> (&'static str, usize, usize) {
        self.tagged().size()
    }

    /// What `text` names and touches outside the desk's own blocks. Named are sources that are not excluded, of any
    /// mode, selected and missing ones too. Hinted at are `selectable` ones, neither selected nor excluded nor named;
    /// none with `exclude_hints` (`selectReferences` is in `exclude_tools`).
    pub fn find(&self, text: &str, catalog: &Catalog, selection: &Selection, exclude_hints: bool) -> Findings {
        self.find_within(text, &own::outside(text), catalog, selection, exclude_hints)
    }

    /// [`Matcher::find`] in these parts of a text, each as if nothing stood around it.
    pub(crate) fn find_within(
        &self,
        text: &str,
        parts: &[Range<usize>],
        catalog: &Catalog,
        selection: &Selection,
        exclude_hints: bool,
    ) -> Findings {
        let excluded: HashSet<&str> = selection.excluded().iter().map(String::as_str).collect();
        let is_first = self.tagged.get().is_none() && !self.was_asked.swap(true, Ordering::Relaxed);
        let vocabulary = is_first.then(|| Vocabulary::of(text));
        let expansions = self.expansions(text, parts, &excluded, vocabulary.as_ref());
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
        let only = vocabulary.as_ref().map(|vocabulary| self.tags_in(vocabulary));
        let tagged = only.as_ref().unwrap_or_else(|| self.tagged());
        let mut found = tagged.start();
        for part in parts {
            tagged.scan(text, part.clone(), &mut found);
        }
        let hints = tagged.by_source(found, catalog, wanted).into_iter().filter_map(|it| hint(it, catalog)).collect();
        Findings { expansions, hints, ..Findings::default() }
    }

    pub(super) fn expansions(
        &self,
        text: &str,
        parts: &[Range<usize>],
        excluded: &HashSet<&str>,
        vocabulary: Option<&Vocabulary>,
    ) -> Vec<Expansion> {
        let mut seen = HashSet::new();
        let mut expansions = Vec::new();
        if !text.contains('@') {
            return expansions;
        }
        let only = vocabulary.map(|vocabulary| self.ids_in(vocabulary));
        let at = only.as_ref().unwrap_or_else(|| self.at());
        for part in parts {
            for At { source, range } in at.find(text.get(part.clone()).unwrap_or_default()) {
                let Some(id) = self.ids.get(source).filter(|id| !excluded.contains(id.as_str())) else { continue };
                if seen.insert(source) {
                    let range = range.start + part.start..range.end + part.start;
                    expansions.push(Expansion { id: id.clone(), range });
                }
            }
        }
        expansions
    }

    fn at(&self) -> &AtIndex {
        self.at.get_or_init(|| AtIndex::new(self.ids.iter().cloned().enumerate().collect()))
    }

    fn ids_in(&self, vocabulary: &Vocabulary) -> AtIndex {
        let ids = self.ids.iter().enumerate().filter(|(_, id)| vocabulary.may_hold(id.as_str()));
        AtIndex::new(ids.map(|(at, id)| (at, id.clone())).collect())
    }

    pub(super) fn tagged(&self) -> &TagIndex {
        self.tagged.get_or_init(|| TagIndex::new(self.tags(), |_| true))
    }

    fn tags_in(&self, vocabulary: &Vocabulary) -> TagIndex {
        TagIndex::new(self.tags(), |tag| vocabulary.may_hold(tag))
    }

    fn tags(&self) -> impl Iterator<Item = (usize, &[String])> {
        self.tags.iter().map(Vec::as_slice).enumerate()
    }
}

fn hint(tagged: Tagged, catalog: &Catalog) -> Option<Hint> {
    let source = catalog.sources().get(tagged.source)?;
    let tags = tagged.tags.iter().filter_map(|at| source.tags.get(*at)).map(|tag| tag.trim().to_owned()).collect();
    Some(Hint { id: source.id.clone(), tags, ranges: tagged.ranges })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::enrich::testing::{inline, selection};

    fn tags(tags: &[&str]) -> Vec<String> {
        tags.iter().map(|tag| (*tag).to_owned()).collect()
    }

    #[test]
    fn who_is_named_and_who_is_hinted_at() {
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
            let matcher = Matcher::new(&catalog);
            for time in ["first", "second", "third"] {
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
    fn the_first_text_is_answered_as_any_other() {
        let words = ["java", "c++", "spring.boot", "--flag", "a  b", "É", "\u{212a}", "a-1", "日本", ".net", "x"];
        let catalog = Catalog::new(words.iter().map(|word| inline(word, &tags(&[word]), "")).collect());
        let selection = selection(&[], &[], &[]);
        let warm = Matcher::new(&catalog);
        warm.warm();
        for text in
            ["Java—C++ @ref:日本", "K é A 1, use --FLAG @a-1 @a  b", "Spring.Boot. .NET @x@java", "²x² a\n\nb @c++"]
        {
            let cold = Matcher::new(&catalog);
            assert_eq!(cold.find(text, &catalog, &selection, false), warm.find(text, &catalog, &selection, false));
        }
    }

    #[test]
    fn places_are_those_of_the_whole_text() {
        let catalog = Catalog::new(vec![inline("one", &tags(&["red", "a b"]), "")]);
        let own = "\n\n---\n**Referenced Sources:**\n\nred @one\n---";
        let text = format!("é red a-b{own}\nred A\nB");
        let found = Matcher::new(&catalog).find(&text, &catalog, &selection(&[], &[], &[]), false);
        let places: Vec<&str> = found.hints[0].ranges.iter().map(|range| &text[range.clone()]).collect();
        assert_eq!(places, ["red", "a-b", "red", "A\nB"]);
    }
}
