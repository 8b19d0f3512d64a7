//! The texts of a catalog, packed for the matcher: a pass over ten thousand sources reads two megabytes sequentially
//! and follows no pointers. Built when the first filter is typed. ASCII texts stay bytes; others become one character
//! per grapheme cluster.

use std::borrow::Cow;

use memchr::memmem;
use nucleo_matcher::pattern::AtomKind;
use nucleo_matcher::{Matcher, Utf32Str};
use unicode_segmentation::UnicodeSegmentation;

use refdesk_core::catalog::{Catalog, ShortText};
use refdesk_templates::{Template, TemplateIndex};
use refdesk_text::fold::{fold, is_separator};

use crate::common::filter::query::{Query, TextTerm};

/// The most grapheme clusters searched per text; with more, the matcher's 16-bit scores could overflow.
const LONGEST_FIELD: usize = 2_000;

/// The matcher's score for one matched character; the matcher does not export it.
const SCORE_PER_LETTER: u16 = 16;

/// The weight of a match in each field: id, name, tags, description.
const WEIGHTS: [u32; 4] = [10, 9, 8, 4];

/// Fields before this index are names.
const NAMES: usize = 2;

const DESCRIPTION: usize = 3;

/// The packed texts: id, name, tags and description of a source; name, source, variables and location of a template.
#[derive(Debug, Clone, Default)]
pub struct Haystack {
    entries: Vec<PackedTexts>,
    ascii: Vec<u8>,
    wide: Vec<char>,
    /// The keys of all tags, each surrounded by line breaks, which no key contains.
    tags: Vec<u8>,
    /// For templates, the indices of their sources; `None` if the rows are sources.
    sources: Option<Vec<Option<u32>>>,
}

/// The offsets of a source's texts.
#[derive(Debug, Clone, Copy)]
struct PackedTexts {
    /// The start of id, name, tags and description, and the end of the last, in `wide` or `ascii`.
    at: [u32; 5],
    /// The start of its keys in `tags`; they end where the next source's start.
    tags: u32,
    /// The set of letters in each of them.
    letters: [u32; 4],
    /// Whether a text of the source is not ASCII; its letter sets are then unknown.
    is_wide: bool,
}

/// The clusters of a text; for ASCII its bytes, so that positions agree with the matcher's.
pub fn clusters(text: &str) -> Box<dyn Iterator<Item = &str> + '_> {
    if text.is_ascii() { Box::new(text.split("").filter(|c| !c.is_empty())) } else { Box::new(text.graphemes(true)) }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MatchScore {
    /// Its characters do not all occur in order.
    No,
    /// Its characters occur, but too far apart to count; a longer text may still match.
    Scattered,
    /// It matches; higher is better.
    Score(u32),
}

impl MatchScore {
    pub fn better(self, other: Self) -> Self {
        match (self, other) {
            (Self::Score(one), Self::Score(other)) => Self::Score(one.max(other)),
            (Self::Score(_), _) | (Self::Scattered, Self::No) => self,
            _ => other,
        }
    }
}

impl Haystack {
    /// Packs id, name, tags and description of each source.
    pub fn of(catalog: &Catalog) -> Self {
        let sources = catalog.sources();
        let mut packed = Self { entries: Vec::with_capacity(sources.len()), ..Self::default() };
        let mut tags = String::new();
        for source in sources {
            tags.clear();
            join(&source.tags, &mut tags);
            packed.add([source.id.as_str(), &source.name, &tags, &source.description], &source.tags);
        }
        packed.shrink_to_fit()
    }

    /// Packs name, source, variables and location of each template. A template has the tags of its source.
    pub fn of_templates(templates: &TemplateIndex, catalog: &Catalog) -> Self {
        let mut packed = Self { entries: Vec::with_capacity(templates.templates.len()), ..Self::default() };
        let mut positions = Vec::with_capacity(templates.templates.len());
        for template in &templates.templates {
            let id = template.source.as_ref().map_or("", |id| id.as_str());
            let position = catalog.position(id);
            let source = position.and_then(|at| catalog.sources().get(at));
            let variables = variables(template);
            let place = template
                .block
                .as_ref()
                .map_or(Cow::Borrowed(template.within.as_str()), |block| block.document.to_string_lossy());
            packed.add([&template.name, id, &variables, &place], source.map_or(&[], |source| &source.tags));
            positions.push(position.map(offset));
        }
        Self { sources: Some(positions), ..packed.shrink_to_fit() }
    }

    /// The catalog index of the source that row `at` is or belongs to.
    pub fn source(&self, at: usize) -> Option<usize> {
        match &self.sources {
            None => Some(at),
            Some(sources) => sources.get(at).copied().flatten().map(|at| at as usize),
        }
    }

    /// The length of the id or name, if it contains the letters of this text in order.
    pub fn name_length(&self, at: usize, text: &TextTerm) -> Option<u32> {
        let PackedTexts { at: [start, end, ..], is_wide, .. } = *self.entries.get(at)?;
        let range = start as usize..end as usize;
        let holds_them = if is_wide {
            in_order(&text.needle, self.wide.get(range)?.iter().map(|c| fold(*c)))
        } else {
            in_order(&text.needle, self.ascii.get(range)?.iter().map(|byte| char::from(byte.to_ascii_lowercase())))
        };
        holds_them.then_some(end - start)
    }

    fn shrink_to_fit(mut self) -> Self {
        self.ascii.shrink_to_fit();
        self.wide.shrink_to_fit();
        self.tags.shrink_to_fit();
        self
    }

    fn add(&mut self, texts: [&str; 4], tags: &[ShortText]) {
        let is_wide = !texts.iter().all(|text| text.is_ascii());
        let mut at = [0; 5];
        for (start, text) in at.iter_mut().zip(texts) {
            *start = if is_wide { offset(self.wide.len()) } else { offset(self.ascii.len()) };
            if is_wide {
                self.wide.extend(clusters(text).filter_map(|cluster| cluster.chars().next()).take(LONGEST_FIELD));
            } else {
                let bytes = text.as_bytes();
                self.ascii.extend_from_slice(bytes.get(..LONGEST_FIELD).unwrap_or(bytes));
            }
        }
        let [.., end] = &mut at;
        *end = if is_wide { offset(self.wide.len()) } else { offset(self.ascii.len()) };
        let letters = if is_wide { [u32::MAX; 4] } else { texts.map(letters) };
        self.entries.push(PackedTexts { at, tags: offset(self.tags.len()), letters, is_wide });
        for tag in tags {
            self.add_key(tag);
        }
    }

    /// Adds the key `collapsed(tag_key(tag))`, without allocating two strings per tag.
    fn add_key(&mut self, tag: &str) {
        self.tags.push(b'\n');
        for c in tag.trim().chars() {
            let c = if is_separator(c) { ' ' } else { fold(c) };
            if c != ' ' || self.tags.last() != Some(&b' ') {
                self.tags.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
            }
        }
        self.tags.push(b'\n');
    }

    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// How well `text` matches the source at `at`. The description counts only if nothing else matches.
    pub fn fit(&self, at: usize, text: &TextTerm, wanted: u32, text_matcher: &mut TextMatcher) -> MatchScore {
        let Some(entry) = self.entries.get(at) else { return MatchScore::No };
        let best = 26 * u32::from(text.len) + 10;
        let mut fit = MatchScore::No;
        for (nth, (letters, weight)) in entry.letters.into_iter().zip(WEIGHTS).enumerate() {
            // Most searches match the start of a word in the id; no other field can then score higher.
            let is_settled = matches!(fit, MatchScore::Score(score) if score >= best * weight || nth == DESCRIPTION);
            if letters & wanted == wanted && !is_settled {
                fit = fit.better(weighted(text_matcher.find(nth, self.field(entry, nth), text), weight));
            }
        }
        fit
    }

    fn field(&self, entry: &PackedTexts, nth: usize) -> Utf32Str<'_> {
        let start = entry.at.get(nth).map_or(0, |at| *at as usize);
        let end = entry.at.get(nth + 1).map_or(0, |at| *at as usize);
        if entry.is_wide {
            Utf32Str::Unicode(self.wide.get(start..end).unwrap_or_default())
        } else {
            Utf32Str::Ascii(self.ascii.get(start..end).unwrap_or_default())
        }
    }

    /// How to match tags for this key: exactly if any source has this tag, otherwise by prefix, because the user may
    /// still be typing it.
    pub fn tag(&self, key: &str) -> TagPattern {
        let whole = format!("\n{key}\n");
        if memmem::find(&self.tags, whole.as_bytes()).is_some() {
            TagPattern(whole)
        } else {
            TagPattern(format!("\n{key}"))
        }
    }

    pub fn has_tag(&self, at: usize, tag: &TagPattern) -> bool {
        let Some(entry) = self.entries.get(at) else { return false };
        let end = self.entries.get(at + 1).map_or(self.tags.len(), |next| next.tags as usize);
        let keys = self.tags.get(entry.tags as usize..end).unwrap_or_default();
        memmem::find(keys, tag.0.as_bytes()).is_some()
    }
}

/// A tag to look for, with the line breaks around it.
#[derive(Debug, Clone)]
pub struct TagPattern(String);

/// The searched text of a template's top-level variables.
pub fn variables(template: &Template) -> String {
    let names: Vec<&str> = template.variables.iter().map(|variable| variable.name.as_str()).collect();
    names.join(", ")
}

/// Appends tags in the format of the list.
pub fn join(tags: &[ShortText], out: &mut String) {
    for (nth, tag) in tags.iter().enumerate() {
        if nth > 0 {
            out.push_str(", ");
        }
        out.push_str(tag);
    }
}

/// Whether a text contains these letters in order, ignoring case.
fn in_order(text: &str, mut folded: impl Iterator<Item = char>) -> bool {
    text.chars().map(fold).all(|wanted| folded.any(|letter| letter == wanted))
}

/// Offsets are limited to four gigabytes of text; anything beyond is not found.
fn offset(len: usize) -> u32 {
    u32::try_from(len).unwrap_or(u32::MAX)
}

/// Rejects a match whose gaps cost more than it scores: letters scattered over a sentence match everything.
fn without_scattered(score: Option<u16>, text: &TextTerm) -> MatchScore {
    match score {
        None => MatchScore::No,
        Some(score) if score < SCORE_PER_LETTER.saturating_mul(text.len) => MatchScore::Scattered,
        Some(score) => MatchScore::Score(u32::from(score)),
    }
}

/// The matcher with its buffers. It tries an exact match first, which is usually meant and ten times as fast as a fuzzy
/// one.
#[derive(Debug, Default)]
pub struct TextMatcher {
    matcher: Matcher,
    /// The character positions of the last fuzzy match.
    found: Vec<u32>,
}

impl TextMatcher {
    /// Whether a text matches an id that is not in a haystack.
    pub fn has_id(&mut self, id: &str, text: &TextTerm) -> bool {
        let mut wide = Vec::new();
        let id = Utf32Str::new(id, &mut wide);
        matches!(self.find(0, id.slice(..id.len().min(LONGEST_FIELD)), text), MatchScore::Score(_))
    }

    /// How well a text matches field `nth`. Fuzzy matches are only allowed in ids and names, because almost any few
    /// letters occur in order in tags or a sentence.
    fn find(&mut self, nth: usize, field: Utf32Str<'_>, text: &TextTerm) -> MatchScore {
        match text.exact.score(field, &mut self.matcher) {
            Some(score) => MatchScore::Score(u32::from(score)),
            None if nth >= NAMES || text.atom.kind == AtomKind::Substring => MatchScore::No,
            None => match without_scattered(text.atom.score(field, &mut self.matcher), text) {
                // Character positions are expensive, so they are computed only for the few texts that score.
                MatchScore::Score(score) => {
                    self.found.clear();
                    text.atom.indices(field, &mut self.matcher, &mut self.found);
                    if follows_word_starts(field, &self.found) {
                        MatchScore::Score(score)
                    } else {
                        MatchScore::Scattered
                    }
                }
                fit => fit,
            },
        }
    }
}

/// Whether the match starts at the start of a word, and each further character is in the same word as the previous one
/// or starts another: `cbreak` and `ptrn` are short for `circuit-breaker` and `pattern`, but `retry` is not for
/// `standard: telemetry`.
fn follows_word_starts(field: Utf32Str<'_>, found: &[u32]) -> bool {
    let is_start = |at: u32| at.checked_sub(1).is_none_or(|before| starts_word(field.get(before), field.get(at)));
    let is_near = |(before, at): (u32, u32)| is_start(at) || !(before + 1..at).any(is_start);
    let pairs = found.iter().copied().zip(found.iter().copied().skip(1));
    found.first().copied().is_some_and(is_start) && pairs.into_iter().all(is_near)
}

/// Whether a word starts between these characters: after a separator, at a digit after a letter, or at an uppercase
/// after a lowercase letter.
fn starts_word(before: char, c: char) -> bool {
    !c.is_alphanumeric()
        || !before.is_alphanumeric()
        || c.is_numeric() != before.is_numeric()
        || (c.is_uppercase() && !before.is_uppercase())
}

fn weighted(fit: MatchScore, weight: u32) -> MatchScore {
    match fit {
        MatchScore::Score(score) => MatchScore::Score(score * weight),
        other => other,
    }
}

/// The letters in a text as a bit set: a text that lacks a letter need not be searched. Unknown for non-ASCII texts.
pub fn letters(text: &str) -> u32 {
    text.bytes().fold(0, |letters, byte| letters | 1 << letter(byte))
}

/// The bit of a letter, ignoring case; digits share four bits, everything else has one.
fn letter(byte: u8) -> u32 {
    match byte | 0x20 {
        lower @ b'a'..=b'z' => u32::from(lower - b'a'),
        b'0'..=b'9' => 26 + u32::from(byte & 3),
        _ => 30,
    }
}

/// Finds what to highlight in visible rows.
#[derive(Debug)]
pub struct MatchMarker<'a> {
    query: &'a Query,
    /// `None` if there is nothing to highlight.
    searched: Option<(&'a Haystack, TextMatcher)>,
}

/// The clusters to mark, as sorted indices into each text.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Marks {
    pub id: Vec<u32>,
    pub name: Vec<u32>,
    /// In the tags, joined in the format of the list.
    pub tags: Vec<u32>,
    pub description: Vec<u32>,
}

impl<'a> MatchMarker<'a> {
    /// Without a haystack, nothing was searched.
    pub fn new(query: &'a Query, haystack: Option<&'a Haystack>) -> Self {
        let haystack = haystack.filter(|_| query.texts().next().is_some());
        Self { query, searched: haystack.map(|haystack| (haystack, TextMatcher::default())) }
    }

    /// What to highlight in the source at `at`.
    pub fn marks(&mut self, at: usize) -> Marks {
        let mut marks = Marks::default();
        let Some((haystack, text_matcher)) = &mut self.searched else { return marks };
        let Some(entry) = haystack.entries.get(at) else { return marks };
        let Marks { id, name, tags, description } = &mut marks;
        for (nth, found) in [id, name, tags, description].into_iter().enumerate() {
            let field = haystack.field(entry, nth);
            for text in self.query.texts() {
                if matches!(text_matcher.find(nth, field, text), MatchScore::Score(_))
                    && text.exact.indices(field, &mut text_matcher.matcher, found).is_none()
                {
                    found.extend(&text_matcher.found);
                }
            }
            found.sort_unstable();
            found.dedup();
        }
        marks
    }
}
