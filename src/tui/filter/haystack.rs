//! The texts of a catalog, packed for the matcher: a pass over ten thousand sources reads two megabytes in order and
//! follows no pointer. Built with the first filter. ASCII texts stay bytes; others become one character per grapheme
//! cluster.

use std::borrow::Cow;

use memchr::memmem;
use nucleo_matcher::pattern::AtomKind;
use nucleo_matcher::{Matcher, Utf32Str};

use crate::tui::widgets::marked::clusters;
use refdesk_core::catalog::Catalog;
use refdesk_templates::{Template, TemplateIndex};
use refdesk_text::fold::{fold, is_separator};

use crate::tui::filter::query::{Query, TextTerm};

/// Clusters that are searched: the matcher's 16-bit scores could overflow with more.
const LOOKED_IN: usize = 2_000;

/// The matcher's score for one matched character, which it does not export.
const EARNED: u16 = 16;

/// The packed texts: of a source its id, name, tags and description, of a template its name, source, variables and place.
#[derive(Debug, Clone, Default)]
pub struct Haystack {
    entries: Vec<PackedTexts>,
    ascii: Vec<u8>,
    wide: Vec<char>,
    /// The keys of all tags, each between line breaks, which no key contains.
    tags: Vec<u8>,
    /// Of templates the positions of the sources that they come from; `None` where the rows are the sources themselves.
    sources: Option<Vec<Option<u32>>>,
}

/// Where the texts of one source lie.
#[derive(Debug, Clone, Copy)]
struct PackedTexts {
    /// Where id, name, tags and description begin, and where the last ends: in `wide` or in `ascii`.
    at: [u32; 5],
    /// Where its keys begin in `tags`; they end where the next source's begin.
    tags: u32,
    /// Which letters each of them has.
    letters: [u32; 4],
    /// Whether a text of the source is more than ASCII; then nothing is known of letters.
    script: Script,
}

/// What the texts of a source are made of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Script {
    Ascii,
    Wide,
}

/// How well a text fits a source.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MatchScore {
    /// A character of it stands nowhere in order.
    No,
    /// Its characters are there, too far apart to count; a longer text may still fit.
    Scattered,
    /// It fits, the better the more.
    Score(u32),
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
        packed.shrunk()
    }

    /// Packs name, source, variables and place of each template. Its tags are those of its source.
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
        Self { sources: Some(positions), ..packed.shrunk() }
    }

    /// The position in the catalog of the source that row `at` is, or comes from.
    pub fn source(&self, at: usize) -> Option<usize> {
        match &self.sources {
            None => Some(at),
            Some(sources) => sources.get(at).copied().flatten().map(|at| at as usize),
        }
    }

    fn shrunk(mut self) -> Self {
        self.ascii.shrink_to_fit();
        self.wide.shrink_to_fit();
        self.tags.shrink_to_fit();
        self
    }

    fn add(&mut self, texts: [&str; 4], tags: &[String]) {
        let is_wide = !texts.iter().all(|text| text.is_ascii());
        let mut at = [0; 5];
        for (start, text) in at.iter_mut().zip(texts) {
            *start = if is_wide { offset(self.wide.len()) } else { offset(self.ascii.len()) };
            if is_wide {
                self.wide.extend(clusters(text).filter_map(|cluster| cluster.chars().next()).take(LOOKED_IN));
            } else {
                let bytes = text.as_bytes();
                self.ascii.extend_from_slice(bytes.get(..LOOKED_IN).unwrap_or(bytes));
            }
        }
        let [.., end] = &mut at;
        *end = if is_wide { offset(self.wide.len()) } else { offset(self.ascii.len()) };
        let (script, letters) =
            if is_wide { (Script::Wide, [u32::MAX; 4]) } else { (Script::Ascii, texts.map(letters)) };
        self.entries.push(PackedTexts { at, tags: offset(self.tags.len()), letters, script });
        for tag in tags {
            self.add_key(tag);
        }
    }

    /// The key of a tag as `collapsed(tag_key(tag))` makes it, without making two texts for each of thousands.
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

    /// How well `text` fits the source at `at`. A description counts only where nothing else fits.
    pub fn fit(&self, at: usize, text: &TextTerm, wanted: u32, seeker: &mut TextMatcher) -> MatchScore {
        let Some(entry) = self.entries.get(at) else { return MatchScore::No };
        let [id, name, tags, description] = entry.letters;
        let best = 26 * u32::from(text.len) + 10;
        let mut fit = MatchScore::No;
        for (field, letters, weight) in [(0, id, 10), (1, name, 9), (2, tags, 8)] {
            // Most of what is looked for begins a word of the id, which no other field can better.
            if letters & wanted != wanted || matches!(fit, MatchScore::Score(score) if score >= best * weight) {
                continue;
            }
            fit = better(fit, weighed(seeker.short(self.field(entry, field), text), weight));
        }
        if matches!(fit, MatchScore::Score(_)) || description & wanted != wanted {
            return fit;
        }
        better(fit, weighed(seeker.long(self.field(entry, 3), text), 4))
    }

    fn field(&self, entry: &PackedTexts, nth: usize) -> Utf32Str<'_> {
        let start = entry.at.get(nth).map_or(0, |at| *at as usize);
        let end = entry.at.get(nth + 1).map_or(0, |at| *at as usize);
        if entry.script == Script::Ascii {
            Utf32Str::Ascii(self.ascii.get(start..end).unwrap_or_default())
        } else {
            Utf32Str::Unicode(self.wide.get(start..end).unwrap_or_default())
        }
    }

    /// How the tags are to be looked at for this key: whole where some source has exactly this tag, else by their
    /// beginnings, since it may still be being typed.
    pub fn tag(&self, key: &str) -> TagPattern {
        let whole = format!("\n{key}\n");
        if memmem::find(&self.tags, whole.as_bytes()).is_some() {
            TagPattern(whole)
        } else {
            TagPattern(format!("\n{key}"))
        }
    }

    /// Whether the source at `at` has such a tag.
    pub fn has_tag(&self, at: usize, tag: &TagPattern) -> bool {
        let Some(entry) = self.entries.get(at) else { return false };
        let end = self.entries.get(at + 1).map_or(self.tags.len(), |next| next.tags as usize);
        let keys = self.tags.get(entry.tags as usize..end).unwrap_or_default();
        memmem::find(keys, tag.0.as_bytes()).is_some()
    }
}

/// A tag to look for, as it lies between its line breaks.
#[derive(Debug, Clone)]
pub struct TagPattern(String);

/// Top-level names that a template asks for, as its row is looked through for them.
pub fn variables(template: &Template) -> String {
    let names: Vec<&str> = template.variables.iter().map(|variable| variable.name.as_str()).collect();
    names.join(", ")
}

/// Tags as the list shows them.
pub fn join(tags: &[String], out: &mut String) {
    for (nth, tag) in tags.iter().enumerate() {
        if nth > 0 {
            out.push_str(", ");
        }
        out.push_str(tag);
    }
}

/// Four gigabytes of catalog are no catalog; what lay behind them would not be found.
fn offset(len: usize) -> u32 {
    u32::try_from(len).unwrap_or(u32::MAX)
}

/// A match whose gaps cost more than its places earn is none: letters scattered through a sentence fit everything.
fn counted(score: Option<u16>, text: &TextTerm) -> MatchScore {
    match score {
        None => MatchScore::No,
        Some(score) if score < EARNED.saturating_mul(text.len) => MatchScore::Scattered,
        Some(score) => MatchScore::Score(u32::from(score)),
    }
}

/// The matcher, with what it needs to be asked of ten thousand texts. It is asked first for a text as it is: that is what
/// is mostly meant, and found ten times as fast as letters with gaps between them.
#[derive(Debug, Default)]
pub struct TextMatcher {
    matcher: Matcher,
    /// Where a text was found that stands in a description with gaps.
    found: Vec<u32>,
}

impl TextMatcher {
    /// How well a text fits an id, a name or tags.
    fn short(&mut self, field: Utf32Str<'_>, text: &TextTerm) -> MatchScore {
        match text.exact.score(field, &mut self.matcher) {
            Some(score) => MatchScore::Score(u32::from(score)),
            None if text.atom.kind == AtomKind::Substring => MatchScore::No,
            None => counted(text.atom.score(field, &mut self.matcher), text),
        }
    }

    /// How well a text fits a description. Any few letters stand in order somewhere in a long sentence: there it must stand
    /// as it is, or with half as much again between its letters.
    fn long(&mut self, field: Utf32Str<'_>, text: &TextTerm) -> MatchScore {
        self.found.clear();
        if let Some(score) = text.exact.score(field, &mut self.matcher) {
            return MatchScore::Score(u32::from(score));
        }
        if text.atom.kind == AtomKind::Substring {
            return MatchScore::No;
        }
        // The matcher is still set for this text. Of all matches that end first this finds the narrowest.
        let needle = text.atom.needle_text();
        let Some(score) = self.matcher.fuzzy_indices_greedy(field, needle, &mut self.found) else {
            return MatchScore::No;
        };
        let span = match (self.found.first(), self.found.last()) {
            (Some(first), Some(last)) => last - first + 1,
            _ => 0,
        };
        if span <= u32::from(text.len) * 3 / 2 { MatchScore::Score(u32::from(score)) } else { MatchScore::Scattered }
    }
}

/// What stands in an id says more than in a name, in a name more than in a tag, and least in a description.
fn weighed(fit: MatchScore, weight: u32) -> MatchScore {
    match fit {
        MatchScore::Score(score) => MatchScore::Score(score * weight),
        other => other,
    }
}

fn better(one: MatchScore, other: MatchScore) -> MatchScore {
    match (one, other) {
        (MatchScore::Score(one), MatchScore::Score(other)) => MatchScore::Score(one.max(other)),
        (MatchScore::Score(_), _) | (MatchScore::Scattered, MatchScore::No) => one,
        _ => other,
    }
}

/// Which letters a text has, in a few bits: what lacks one that is wanted need not be looked at. Of wide texts nothing is
/// known here.
pub fn letters(text: &str) -> u32 {
    text.bytes().fold(0, |letters, byte| letters | 1 << letter(byte))
}

/// The bit of a letter in either case; digits share four, everything else one.
fn letter(byte: u8) -> u32 {
    match byte | 0x20 {
        lower @ b'a'..=b'z' => u32::from(lower - b'a'),
        b'0'..=b'9' => 26 + u32::from(byte & 3),
        _ => 30,
    }
}

/// Finds what to mark in the rows that can be seen.
#[derive(Debug)]
pub struct MatchMarker<'a> {
    query: &'a Query,
    seeker: TextMatcher,
}

/// Clusters to mark, by their places in the text, in order.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Marks {
    pub id: Vec<u32>,
    pub name: Vec<u32>,
    /// In the tags, joined as the list shows them.
    pub tags: Vec<u32>,
    pub description: Vec<u32>,
}

impl<'a> MatchMarker<'a> {
    /// Marks what this query looks for.
    pub fn new(query: &'a Query) -> Self {
        Self { query, seeker: TextMatcher::default() }
    }

    /// What to mark in the source at `at`.
    pub fn marks(&mut self, haystack: &Haystack, at: usize) -> Marks {
        let mut marks = Marks::default();
        let Some(entry) = haystack.entries.get(at) else { return marks };
        let Marks { id, name, tags, description } = &mut marks;
        for (nth, found) in [id, name, tags, description].into_iter().enumerate() {
            let field = haystack.field(entry, nth);
            for text in self.query.texts() {
                let fit = if nth == 3 { self.seeker.long(field, text) } else { self.seeker.short(field, text) };
                if !matches!(fit, MatchScore::Score(_))
                    || text.exact.indices(field, &mut self.seeker.matcher, found).is_some()
                {
                    continue;
                }
                if nth == 3 {
                    found.extend(&self.seeker.found);
                } else {
                    text.atom.indices(field, &mut self.seeker.matcher, found);
                }
            }
            found.sort_unstable();
            found.dedup();
        }
        marks
    }
}
