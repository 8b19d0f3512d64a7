//! Collects the blocks of a document into chunks.

use std::ops::Range;

use super::{Block, BlockKind, Chunk, ChunkSection, HEADING_SEPARATOR};
use super::{LONGEST, LONGEST_CODE, LONGEST_TITLE, SHORTEST};
use crate::SECTIONS_OF_A_TEXT;
use crate::boilerplate::is_boilerplate;
use refdesk_text::shorten::shortened;

/// Collects blocks into chunks.
pub(super) struct Packer<'t> {
    text: &'t str,
    lines: Vec<usize>,
    /// Whether the whole document is a changelog.
    is_changelog: bool,
    /// A chunk shorter than this continues past a heading. Parsed HTML keeps no headings by which a section could be
    /// found within a chunk, so each of its sections is a chunk.
    shortest: usize,
    /// Whether there was a heading yet.
    has_title: bool,
    /// The headings above the next block.
    headings: Vec<Heading>,
    open: Option<Open>,
    done: Vec<Chunk>,
}

struct Heading {
    level: usize,
    /// Where it begins.
    start: usize,
    title: String,
    is_boilerplate: bool,
}

/// An incomplete chunk.
struct Open {
    range: Range<usize>,
    /// In characters.
    length: usize,
    /// Where its sections begin, and the headings above each. The first one may have begun before it.
    sections: Vec<(usize, Vec<String>)>,
    /// Whether it contains more than headings.
    has_text: bool,
    /// Where the headings at its end begin, which belong to the text after them.
    last_headings: Option<usize>,
    is_boilerplate: bool,
}

impl<'t> Packer<'t> {
    pub(super) fn new(text: &'t str, lines: Vec<usize>, is_changelog: bool, shortest: usize) -> Self {
        let (headings, done) = (Vec::new(), Vec::new());
        Self { text, lines, is_changelog, shortest, has_title: false, headings, open: None, done }
    }

    /// Packs these blocks into chunks, in order, until there are too many.
    pub(super) fn packed(mut self, blocks: Vec<Block>) -> Vec<Chunk> {
        for block in blocks {
            self.add(block);
            if self.has_too_many() {
                return self.done;
            }
        }
        self.finish();
        self.done
    }

    /// Whether there are more chunks than are indexed, so that the text is known to be cut.
    fn has_too_many(&self) -> bool {
        self.done.len() > SECTIONS_OF_A_TEXT
    }

    fn add(&mut self, block: Block) {
        let length = self.text.get(block.range.clone()).map_or(0, |text| text.trim().chars().count());
        match block.kind {
            BlockKind::Heading(level, title) => {
                let is_full = |open: &Open| open.has_text || open.length + length > LONGEST;
                if self.open.as_ref().is_some_and(|open| open.length >= self.shortest && is_full(open)) {
                    self.end();
                }
                let has_title = title.is_some();
                self.begin(level, block.range.start, title);
                if !has_title {
                    // An empty block adds nothing.
                } else if length <= LONGEST {
                    self.append(block.range, length, false);
                } else {
                    self.append_pieces(block.range);
                }
            }
            BlockKind::Code if length <= LONGEST_CODE => self.append_whole(block.range, length),
            _ if length <= LONGEST => self.append_whole(block.range, length),
            _ => self.append_pieces(block.range),
        }
    }

    /// Begins a section; without a title, continues the section around a quote or list. A chunk never contains both
    /// boilerplate and other sections.
    fn begin(&mut self, level: usize, start: usize, title: Option<String>) {
        self.headings.retain(|above| above.level < level);
        if let Some(title) = title {
            let is_title = !std::mem::replace(&mut self.has_title, true) && level == 1;
            let is_boilerplate = is_boilerplate(&title, is_title);
            self.headings.push(Heading { level, start, title: shortened(title, LONGEST_TITLE), is_boilerplate });
        }
        if self.open.as_ref().is_some_and(|open| open.has_text && open.is_boilerplate != self.is_boilerplate()) {
            self.finish();
        }
    }

    fn is_boilerplate(&self) -> bool {
        self.is_changelog || self.headings.iter().any(|heading| heading.is_boilerplate)
    }

    fn append_pieces(&mut self, range: Range<usize>) {
        self.end();
        for range in pieces(self.text, range) {
            let length = self.text.get(range.clone()).map_or(0, |text| text.chars().count());
            self.append(range, length, true);
            self.finish();
            if self.has_too_many() {
                return;
            }
        }
    }

    fn append_whole(&mut self, range: Range<usize>, length: usize) {
        if self.open.as_ref().is_some_and(|open| open.length + length > LONGEST && open.length >= SHORTEST) {
            self.end();
        }
        self.append(range, length, true);
    }

    fn append(&mut self, range: Range<usize>, length: usize, is_text: bool) {
        // A title without words, as of an image, has a level but no name.
        let titles = self.headings.iter().map(|heading| &heading.title).filter(|title| !title.is_empty());
        let headings: Vec<String> = titles.cloned().collect();
        let start = self.headings.last().map_or(0, |heading| heading.start);
        let is_boilerplate = self.is_boilerplate();
        match &mut self.open {
            Some(open) => {
                if is_text && !open.has_text {
                    open.sections = vec![(start, headings)];
                    open.is_boilerplate = is_boilerplate;
                } else if !is_text || open.sections.last().is_none_or(|(_, last)| *last != headings) {
                    open.sections.push((range.start, headings));
                }
                if is_text {
                    open.last_headings = None;
                } else if open.has_text {
                    open.last_headings.get_or_insert(range.start);
                }
                open.range.end = range.end;
                open.length += length;
                open.has_text |= is_text;
            }
            None => {
                let sections = vec![(start, headings)];
                self.open =
                    Some(Open { range, length, sections, has_text: is_text, last_headings: None, is_boilerplate });
            }
        }
    }

    /// Ends the open chunk; any headings at its end begin the next one.
    fn end(&mut self) {
        let last = self.open.as_ref().and_then(|open| Some(open.last_headings?..open.range.end));
        if let (Some(open), Some(last)) = (&mut self.open, &last) {
            open.range.end = last.start;
            open.sections.retain(|(start, _)| *start < last.start);
        }
        self.finish();
        if let Some(last) = last {
            let length = self.text.get(last.clone()).map_or(0, |text| text.trim().chars().count());
            self.append(last, length, false);
        }
    }

    fn finish(&mut self) {
        let Some(open) = self.open.take() else { return };
        let whole = self.text.get(open.range.clone()).unwrap_or_default();
        let content = whole.trim();
        if content.is_empty() {
            return;
        }
        let start = open.range.start + (whole.len() - whole.trim_start().len());
        let line_of = |at: usize| self.lines.partition_point(|start| *start <= at);
        let section = |(at, above): &(usize, Vec<String>)| ChunkSection {
            line: line_of(*at),
            heading: above.join(HEADING_SEPARATOR),
        };
        self.done.push(Chunk {
            sections: open.sections.iter().map(section).collect(),
            headings: open.sections.into_iter().next().map(|(_, headings)| headings).unwrap_or_default(),
            line: line_of(start),
            end_line: line_of(start + content.len() - 1),
            content: content.to_owned(),
            is_boilerplate: open.is_boilerplate,
        });
    }
}

/// Cuts a long block into pieces of at most [`LONGEST`], if possible after a line, else after a sentence or word.
fn pieces(text: &str, range: Range<usize>) -> Vec<Range<usize>> {
    let mut pieces = Vec::new();
    let mut start = range.start;
    while start < range.end {
        let Some(rest) = text.get(start..range.end) else { break };
        let Some((most, _)) = rest.char_indices().nth(LONGEST) else {
            pieces.push(start..range.end);
            break;
        };
        let window = rest.get(..most).unwrap_or(rest);
        let half = window.len() / 2;
        let after = |mark: &str| window.rfind(mark).map(|at| at + mark.len()).filter(|at| *at > half);
        let length = after("\n").or_else(|| after(". ")).or_else(|| after(" ")).unwrap_or(window.len());
        pieces.push(start..start + length);
        start += length;
    }
    pieces
}
