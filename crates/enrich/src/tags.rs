//! Finds the tags in a text (BEHAVIOUR §5, tag matching). One automaton over all distinct tags of a catalog, built
//! once, runs over the folded text from each position where a tag may begin; every match it proposes is confirmed in
//! the original text.

use std::collections::HashSet;
use std::ops::Range;

use super::proposals::Proposals;
use super::spelling::Spelling;
use refdesk_core::catalog::{Catalog, ShortText};
use refdesk_text::fold::{collapsed, tag_key};
use refdesk_text::number::{narrow, wide};

/// The most matches reported per tag; further ones add no information.
pub(crate) const PLACES: usize = 256;

/// The most steps per text for confirming tags that begin or end with separators or have several in a row. Without a
/// limit, a few hundred tags such as `a-a-a-`, each contained in the next, take text × tags × length.
const STEPS: usize = 2_000_000;

/// An index of all tags of a catalog. There may be tens of thousands, so everything is stored in a few long lists,
/// without an allocation per tag.
pub(crate) struct TagIndex {
    automaton: Option<Proposals>,
    /// For each pattern of the automaton, the spellings that begin with it.
    by_pattern: Groups<u32>,
    /// The keys of the spellings, each once.
    keys: Groups<u8>,
    /// For each spelling, the sources that have it.
    holders: Groups<TagHolder>,
}

/// A source that has a tag: its position in the catalog, then the tag's position in its list.
type TagHolder = (u32, u32);

/// Lists of different lengths, stored one after another. Positions are 32-bit; the automaton has the same limit.
struct Groups<T> {
    items: Vec<T>,
    ends: Vec<u32>,
}

impl<T> Groups<T> {
    fn new() -> Self {
        Self { items: Vec::new(), ends: Vec::new() }
    }

    /// Ends the list of the items added since the last call.
    fn end(&mut self) {
        self.ends.push(narrow(self.items.len()));
    }

    fn len(&self) -> usize {
        self.ends.len()
    }

    fn get(&self, at: usize) -> &[T] {
        let end = self.ends.get(at).copied().unwrap_or(0);
        let start = at.checked_sub(1).and_then(|before| self.ends.get(before)).copied().unwrap_or(0);
        self.items.get(wide(start)..wide(end)).unwrap_or_default()
    }

    fn shrink(&mut self) {
        self.items.shrink_to_fit();
        self.ends.shrink_to_fit();
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct TaggedSource {
    /// Its position in the catalog.
    pub(crate) source: usize,
    /// The positions of the matching tags in the source's list, in order. Of tags that differ only in case or
    /// separators, only the first is included.
    pub(crate) tags: Vec<usize>,
    /// The first match of each of `tags`.
    pub(crate) firsts: Vec<usize>,
    /// All matches, in order, without duplicates; at most [`PLACES`] per tag.
    pub(crate) ranges: Vec<Range<usize>>,
}

/// The matches in one or more texts, before they are grouped by source.
pub(crate) struct TagMatches {
    /// The number of matches of each spelling, up to [`PLACES`].
    counts: Vec<u16>,
    places: Vec<(usize, Range<usize>)>,
    /// The remaining steps for confirming proposed matches.
    steps: usize,
}

/// One match of a source's tag: the positions of both, and the range of the match.
struct Matched<'f> {
    source: usize,
    tag: usize,
    places: &'f [(usize, Range<usize>)],
}

impl TagIndex {
    /// Builds an index of the distinct tags of `sources` that `wanted` accepts; each source is given as its position in
    /// the catalog and its tags.
    pub(crate) fn new<'t, T: AsRef<str> + 't>(
        sources: impl Iterator<Item = (usize, &'t [T])>,
        wanted: impl Fn(&str) -> bool,
    ) -> Self {
        // Every tag's key with the source that has it, sorted so that equal keys are adjacent.
        let mut written = Groups::new();
        let mut holding: Vec<(u32, TagHolder)> = Vec::new();
        for (source, tags) in sources {
            for (place, tag) in tags.iter().map(AsRef::as_ref).enumerate().filter(|(_, tag)| wanted(tag)) {
                let key = tag_key(tag);
                if Spelling::of(&key).is_some() {
                    holding.push((narrow(written.len()), (narrow(source), narrow(place))));
                    written.items.extend_from_slice(key.as_bytes());
                    written.end();
                }
            }
        }
        let key = |at: u32| written.get(wide(at));
        holding.sort_unstable_by(|(one, first), (two, second)| (key(*one), first).cmp(&(key(*two), second)));
        let (mut keys, mut holders) = (Groups::new(), Groups::new());
        for holding in holding.chunk_by(|one, other| key(one.0) == key(other.0)) {
            holders.items.extend(holding.iter().map(|(_, holder)| *holder));
            holders.end();
            keys.items.extend(holding.first().map_or(&[][..], |(at, _)| key(*at)));
            keys.end();
        }
        keys.shrink();
        holders.shrink();
        drop((written, holding));
        let (automaton, by_pattern) = patterns(&keys);
        Self { automaton, by_pattern, keys, holders }
    }

    /// An empty set of matches for [`TagIndex::scan`] to fill.
    pub(crate) fn start(&self) -> TagMatches {
        TagMatches { counts: vec![0; self.keys.len()], places: Vec::new(), steps: STEPS }
    }

    /// Adds every tag in `text.get(within)`, matched as if nothing surrounded that part. Overlapping matches count.
    pub(crate) fn scan(&self, text: &str, within: Range<usize>, found: &mut TagMatches) {
        let offset = within.start;
        let (Some(automaton), Some(text)) = (&self.automaton, text.get(within)) else { return };
        automaton.whole(text, |pattern, proposed| {
            let inside_word = is_inside_word(text.as_bytes(), &proposed);
            let mut is_wanted = false;
            for at in self.by_pattern.get(pattern).iter().map(|at| wide(*at)) {
                let Some(spelling) = spelling(&self.keys, at) else { continue };
                let Some(count) = found.counts.get_mut(at).filter(|count| usize::from(**count) < PLACES) else {
                    continue;
                };
                if !spend(&mut found.steps, spelling) {
                    continue;
                }
                is_wanted = true;
                if inside_word && spelling.is_plain() {
                    continue;
                }
                if let Some(range) = spelling.confirm(text, proposed.clone()) {
                    *count += 1;
                    found.places.push((at, range.start + offset..range.end + offset));
                }
            }
            is_wanted
        });
    }

    /// Calls `each` with the spelling and range of every match of a tag's letters in `text.get(within)`, whatever its
    /// neighbours. Once `each` returns false for a spelling, at most a few more matches of it are reported.
    pub(crate) fn places(&self, text: &str, within: Range<usize>, mut each: impl FnMut(usize, Range<usize>) -> bool) {
        let offset = within.start;
        let (Some(automaton), Some(text)) = (&self.automaton, text.get(within)) else { return };
        let mut steps = STEPS;
        automaton.all(text, |pattern, proposed| {
            let mut is_wanted = false;
            for at in self.by_pattern.get(pattern).iter().map(|at| wide(*at)) {
                let Some(spelling) = spelling(&self.keys, at).filter(|spelling| spend(&mut steps, *spelling)) else {
                    continue;
                };
                let range = spelling.place(text, proposed.clone());
                is_wanted |= range.is_none_or(|range| each(at, range.start + offset..range.end + offset));
            }
            is_wanted
        });
    }

    /// The sources that have a tag of this spelling: position in the catalog, then in the source's list.
    pub(crate) fn holders(&self, spelling: usize) -> impl Iterator<Item = (usize, usize)> {
        self.holders.get(spelling).iter().map(|(source, tag)| (wide(*source), wide(*tag)))
    }

    /// Groups the matches by source, in catalog order, for the sources that `wanted` accepts.
    pub(crate) fn by_source(
        &self,
        mut found: TagMatches,
        catalog: &Catalog,
        wanted: impl Fn(usize) -> bool,
    ) -> Vec<TaggedSource> {
        found.places.sort_by_key(|(spelling, range)| (*spelling, range.start, range.end));
        let mut matched: Vec<Matched> = Vec::new();
        for places in found.places.chunk_by(|one, other| one.0 == other.0) {
            let spelling = places.first().map_or(0, |(spelling, _)| *spelling);
            let wanted = self.holders(spelling).filter(|(source, _)| wanted(*source));
            matched.extend(wanted.map(|(source, tag)| Matched { source, tag, places }));
        }
        matched.sort_by_key(|it| (it.source, it.tag));
        matched
            .chunk_by(|one, other| one.source == other.source)
            .filter_map(|of_source| {
                let source = of_source.first()?.source;
                let tags = &catalog.sources().get(source)?.tags;
                let spelt = first_spelt(of_source.iter().map(|it| it.tag), tags);
                let starts = |tag: &usize| {
                    let matched =
                        of_source.binary_search_by_key(tag, |it| it.tag).ok().and_then(|at| of_source.get(at));
                    matched.and_then(|it| it.places.first()).map_or(0, |(_, range)| range.start)
                };
                let firsts = spelt.iter().map(starts).collect();
                Some(TaggedSource { source, tags: spelt, firsts, ranges: union(of_source) })
            })
            .collect()
    }

    /// Kind of the automaton, number of patterns and size in bytes, for statistics.
    pub(crate) fn size(&self) -> (&'static str, usize, usize) {
        self.automaton.as_ref().map_or(("none", 0, 0), Proposals::size)
    }
}

/// Subtracts the cost of confirming this spelling once; false if too few steps are left.
fn spend(steps: &mut usize, spelling: Spelling<'_>) -> bool {
    match steps.checked_sub(spelling.steps()) {
        Some(left) => *steps = left,
        None => return false,
    }
    true
}

fn spelling(keys: &Groups<u8>, at: usize) -> Option<Spelling<'_>> {
    Spelling::of(std::str::from_utf8(keys.get(at)).ok()?)
}

/// An automaton over the distinct patterns of some spellings, and for each pattern its spellings.
fn patterns(keys: &Groups<u8>) -> (Option<Proposals>, Groups<u32>) {
    let of_each = (0..keys.len()).filter_map(|at| Some((spelling(keys, at)?.pattern(), narrow(at))));
    let mut of_each: Vec<(&[u8], u32)> = of_each.collect();
    of_each.sort_unstable();
    let mut patterns: Vec<&[u8]> = Vec::with_capacity(of_each.len());
    let mut by_pattern = Groups::new();
    let mut goes_on = Vec::with_capacity(of_each.len());
    for same in of_each.chunk_by(|one, other| one.0 == other.0) {
        patterns.extend(same.first().map(|(pattern, _)| *pattern));
        by_pattern.items.extend(same.iter().map(|(_, spelling)| *spelling));
        by_pattern.end();
        let is_plain = |at: u32| spelling(keys, wide(at)).is_some_and(|it| it.is_plain());
        goes_on.push(same.iter().any(|(_, at)| !is_plain(*at)));
    }
    by_pattern.shrink();
    drop(of_each);
    (Proposals::new(&patterns, goes_on), by_pattern)
}

/// Whether an ASCII letter or digit is next to a proposed match: a fast path for the common case.
fn is_inside_word(bytes: &[u8], place: &Range<usize>) -> bool {
    let before = place.start.checked_sub(1).and_then(|at| bytes.get(at));
    before.is_some_and(u8::is_ascii_alphanumeric) || bytes.get(place.end).is_some_and(u8::is_ascii_alphanumeric)
}

/// The first of all tags that differ only in case or separators; `matched` are ascending positions in `tags`.
fn first_spelt(matched: impl Iterator<Item = usize>, tags: &[ShortText]) -> Vec<usize> {
    let mut seen = HashSet::new();
    let key = |at: usize| tags.get(at).map(|tag| collapsed(&tag_key(tag))).unwrap_or_default();
    matched.filter(|at| seen.insert(key(*at))).collect()
}

fn union(matched: &[Matched]) -> Vec<Range<usize>> {
    let mut ranges: Vec<Range<usize>> =
        matched.iter().flat_map(|it| it.places.iter().map(|(_, range)| range.clone())).collect();
    ranges.sort_by_key(|range| (range.start, range.end));
    ranges.dedup();
    // Ten thousand sources may share a tag, each with a copy of these ranges.
    ranges.shrink_to_fit();
    ranges
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The tags of one source that are in a text, with the matched text.
    fn matched(tags: &[&str], text: &str) -> Vec<(String, String)> {
        let tags: Vec<String> = tags.iter().map(|tag| (*tag).to_owned()).collect();
        let index = TagIndex::new(std::iter::once((0, tags.as_slice())), |_| true);
        let mut found = index.start();
        index.scan(text, 0..text.len(), &mut found);
        let mut places = found.places.clone();
        places.sort_by_key(|(spelling, range)| (*spelling, range.start));
        let tag = |spelling: usize| tags[wide(index.holders.get(spelling)[0].1)].clone();
        places.into_iter().map(|(spelling, range)| (tag(spelling), text[range].to_owned())).collect()
    }

    fn hits(tag: &str, text: &str) -> bool {
        !matched(&[tag], text).is_empty()
    }

    #[test]
    fn whole_words_and_their_neighbours() {
        for (tag, text, hit) in [
            ("java", "We use java here", true),
            ("java", "JAVA is popular", true),
            ("java", "languages (java, python)", true),
            ("java", "We chose java.", true),
            ("java", "java", true),
            ("java", "java. Then", true),
            ("java", "java...", true),
            ("java", "java's", true),
            ("java", "@java", true),
            ("java", "#java", true),
            ("java", "`java`", true),
            ("java", "**java**", true),
            ("java", "java:", true),
            ("java", "java+kotlin", true),
            ("java", "\u{a0}java\u{a0}", true),
            ("java", "java.util.concurrent", false),
            ("java", "CircuitBreaker.java", false),
            ("java", "/usr/lib/java/bin", false),
            ("java", "src\\java\\x", false),
            ("java", "java/", false),
            ("java", "\\java", false),
            ("java", "javascript", false),
            ("java", "java-based", false),
            ("java", "non-java", false),
            ("java", "java_home", false),
            ("java", "_java", false),
            ("java", "java8", false),
            ("java", "java\u{663}", false),
            ("java", "javaé", false),
            ("java", "日java", false),
            ("java", "java\u{301}", false),
            ("java", "java._x", false),
            ("java", "java.é", false),
            ("java", "xjava java", true),
            ("java", "", false),
            ("spring.boot", "spring.boot is on", true),
            ("spring.boot", "SPRING.BOOT.", true),
            ("spring.boot", "org.spring.boot.x", false),
            ("spring.boot", "spring.boot.app", false),
            ("spring.boot", "springxboot", false),
            ("spring.boot", "spring boot", false),
            ("c++", "in C++ and .NET", true),
            (".net", "in C++ and .NET", true),
            (".net", "asp.net", false),
            (".net", "x .net.", true),
            ("c#", "C# too", true),
            ("c", "in C++ and .NET", true),
            ("c", "C#", true),
            ("c+", "c++", true),
            ("a.*b", "a.*b", true),
            ("a.*b", "axxb", false),
            ("++", "c++", false),
            ("++", "c ++", true),
            ("é", "É", true),
            ("straße", "STRAẞE", true),
            ("straße", "STRASSE", false),
            ("kelvin", "\u{212a}elvin", true),
            ("σας", "ΣΑΣ", true),
            ("日本", "日本", true),
            ("日本", "日本語", false),
        ] {
            assert_eq!(hits(tag, text), hit, "{tag:?} in {text:?}");
        }
    }

    #[test]
    fn separators_match_one_another() {
        for (tag, text, hit) in [
            ("circuit breaker", "a circuit-breaker", true),
            ("circuit breaker", "circuit_breaker", true),
            ("circuit breaker", "Circuit  Breaker", true),
            ("circuit breaker", "circuit\tbreaker", true),
            ("circuit breaker", "circuit\nbreaker", true),
            ("circuit breaker", "circuit  \r\n  breaker", true),
            ("circuit breaker", "circuit\u{a0}breaker", true),
            ("circuit breaker", "circuit\n\nbreaker", false),
            ("circuit breaker", "circuit \n \n breaker", false),
            ("circuit breaker", "circuit\r\n\r\nbreaker", false),
            ("circuit breaker", "circuit--breaker", false),
            ("circuit breaker", "circuit - breaker", false),
            ("circuit breaker", "circuit- breaker", false),
            ("circuit breaker", "circuitbreaker", false),
            ("circuit breaker", "circuit.breaker", false),
            ("circuit breaker", "circuit\u{200b}breaker", false),
            ("circuit-breaker", "circuit breaker", true),
            ("circuit_breaker", "circuit-breaker", true),
            ("Circuit-Breaker", "circuit breaker pattern", true),
            ("circuit breaker", "circuit-breaker-x", false),
            ("circuit breaker", "x-circuit-breaker", false),
            ("circuit breaker", "circuit breakers", false),
            (" circuit breaker ", "circuit breaker", true),
            ("circuit\u{a0}breaker", "circuit_breaker", true),
            ("a b c", "a-b_c", true),
            // Several separators in a row: each matches one separator.
            ("a  b", "a  b", true),
            ("a  b", "a--b", true),
            ("a  b", "a - b", false),
            ("a  b", "a b", false),
            ("a - b", "a - b", true),
            ("a - b", "a_-_b", true),
            ("a - b", "a   b", true),
            ("a - b", "a b", false),
            ("a--b", "a--b", true),
            ("a--b c", "A__B c", true),
            ("a--b c", "a__b d", false),
            ("a--b", "a\n\nb", true),
            // Separators at the ends.
            ("--verbose", "use --verbose here", true),
            ("--verbose", "use __VERBOSE", true),
            ("--verbose", "use ---verbose", false),
            ("--verbose", "x--verbose", false),
            ("--verbose", "x verbose", false),
            ("-x", "(-x)", true),
            ("-x", "a  x", true),
            ("-x", "a x", false),
            ("-x", "x", false),
            ("_private", "_private", true),
            ("tail-", "tail-,", true),
            ("tail-", "tail", false),
            ("tail-", "tail-x", false),
            ("tail-", "tail--", false),
            ("tail_", "tail  x", true),
        ] {
            assert_eq!(hits(tag, text), hit, "{tag:?} in {text:?}");
        }
    }

    #[test]
    fn overlapping_tags_all_match() {
        let own = |pairs: &[(&str, &str)]| -> Vec<(String, String)> {
            pairs.iter().map(|(tag, place)| ((*tag).to_owned(), (*place).to_owned())).collect()
        };
        assert_eq!(
            matched(&["c", "c++", "c++ core", "core"], "modern C++\n Core, K C"),
            own(&[("c", "C"), ("c", "C"), ("c++", "C++"), ("c++ core", "C++\n Core"), ("core", "Core")])
        );
        assert_eq!(matched(&["a b", "b a"], "a b a b"), own(&[("a b", "a b"), ("a b", "a b"), ("b a", "b a")]));
        assert_eq!(matched(&["--x"], "é  --X"), own(&[("--x", "--X")]));
    }

    #[test]
    fn tags_that_differ_only_in_case_or_separators_are_reported_once() {
        for (tags, text, expected) in [
            (vec!["Red", "red", "RED"], "red", vec![0]),
            (vec!["red", "red"], "red", vec![0]),
            (vec!["x", "dark-red", "dark red"], "dark_red", vec![1]),
            (vec!["dark--red", "dark red"], "dark  red", vec![0]),
            (vec!["dark--red", "dark red"], "dark red", vec![1]),
            (vec!["b", "a"], "a b", vec![0, 1]),
            (vec!["", "-", "a"], "a - b", vec![2]),
        ] {
            let tags: Vec<String> = tags.into_iter().map(str::to_owned).collect();
            let index = TagIndex::new(std::iter::once((0, tags.as_slice())), |_| true);
            let mut found = index.start();
            index.scan(text, 0..text.len(), &mut found);
            let catalog = Catalog::new(vec![crate::testing::inline("s", &tags, "")]);
            let tagged = index.by_source(found, &catalog, |_| true);
            assert_eq!(tagged.first().map(|it| it.tags.clone()), Some(expected), "{tags:?} in {text:?}");
        }
    }

    #[test]
    fn nested_tags_take_linear_time() {
        let many = refdesk_files::scale::scaled(400, 800);
        let tags: Vec<String> = (1..=many).map(|count| vec!["a"; count].join(" ")).collect();
        let index = TagIndex::new(std::iter::once((0, tags.as_slice())), |_| true);
        let text = vec!["a"; 20_000].join("-");
        let text = format!("{text} {}", vec!["A"; 20_000].join(" "));
        let mut found = index.start();
        index.scan(&text, 0..text.len(), &mut found);
        assert_eq!(found.places.len(), many * PLACES);
        // Proposed one by one, these would be 16 million matches, or 32 million in the nightly run.
        let mut proposed = 0;
        let mut counts = vec![0; many];
        index.automaton.as_ref().unwrap().whole(&text, |pattern, _| {
            proposed += 1;
            counts[pattern] += 1;
            counts[pattern] < PLACES
        });
        assert!(proposed < many * PLACES + many * many, "{proposed}");
    }

    #[test]
    fn tags_with_separators_at_their_ends_take_limited_time_and_do_not_hide_others() {
        for tags in [
            (1..=300).map(|count| "a-".repeat(count)).collect::<Vec<_>>(),
            (1..=300).map(|count| "a--".repeat(count)).collect(),
            (1..=300).map(|count| format!("--{}", "a-".repeat(count))).collect(),
        ] {
            let tags: Vec<String> = tags.into_iter().chain(["java".to_owned()]).collect();
            let index = TagIndex::new(std::iter::once((0, tags.as_slice())), |_| true);
            let text = format!("{} java", "a-".repeat(20_000));
            let mut found = index.start();
            index.scan(&text, 0..text.len(), &mut found);
            assert!(found.steps < STEPS, "{}", found.steps);
            let of_java = index.keys.len() - 1;
            assert!(found.places.iter().any(|(spelling, _)| *spelling == of_java), "{}", tags[0]);
            let mut proposed = 0;
            index.places(&text, 0..text.len(), |_, _| {
                proposed += 1;
                true
            });
            assert!(proposed <= STEPS, "{proposed}");
        }
    }

    #[test]
    fn the_matches_of_a_frequent_tag_are_limited() {
        let text = "java ".repeat(PLACES * 3);
        assert_eq!(matched(&["java"], &text).len(), PLACES);
    }
}
