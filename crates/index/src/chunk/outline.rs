//! The sections at each place in a document, to find where the text of a chunk is after the document was edited.

use std::ops::Range;
use std::path::Path;

use super::{Block, BlockKind, ChunkSection, HEADING_SEPARATOR, LONGEST_TITLE, Parsed, parse};
use refdesk_text::shorten::shortened;

/// The most occurrences of a text that are compared.
const PLACES: usize = 1_000;

/// The indexed text of a document (HTML without its tags), and the headings above each part of it.
#[derive(Debug)]
pub(crate) struct Outline {
    text: String,
    /// The offset in `text` at which each line of the document begins.
    lines: Vec<usize>,
    /// In order. Successive paragraphs below the same headings are one block.
    blocks: Vec<OutlineBlock>,
}

#[derive(Debug)]
struct OutlineBlock {
    range: Range<usize>,
    is_heading: bool,
    /// The headings above it, outermost first; of a heading, including itself.
    heading: String,
    /// Where the innermost of them begins.
    section: usize,
}

impl Outline {
    /// The outline of a document, whose format is given by its name.
    pub(crate) fn of(name: &Path, text: &str) -> Self {
        let Parsed { text, lines, blocks: parsed } = parse(name, text);
        let mut above: Vec<(usize, usize, String)> = Vec::new();
        let mut blocks: Vec<OutlineBlock> = Vec::new();
        for Block { range, kind } in parsed {
            let is_heading = matches!(kind, BlockKind::Heading(..));
            if let BlockKind::Heading(level, title) = kind {
                above.retain(|(known, ..)| *known < level);
                let Some(title) = title else { continue };
                above.push((level, range.start, shortened(title, LONGEST_TITLE)));
            }
            let titles = above.iter().map(|(.., title)| title.as_str()).filter(|title| !title.is_empty());
            let titles: Vec<&str> = titles.collect();
            let heading = titles.join(HEADING_SEPARATOR);
            let section = above.last().map_or(0, |(_, start, _)| *start);
            let is_same = |last: &OutlineBlock| (last.section, &last.heading) == (section, &heading);
            match blocks.last_mut().filter(|last| !is_heading && !last.is_heading && is_same(last)) {
                Some(last) => last.range.end = range.end,
                None => blocks.push(OutlineBlock { range, is_heading, heading, section }),
            }
        }
        Self { text: text.into_owned(), lines, blocks }
    }

    /// For each occurrence of this part: its sections, as those of a chunk, and its first line.
    pub(crate) fn places_of<'a>(&'a self, part: &'a str) -> impl Iterator<Item = (Vec<ChunkSection>, usize)> {
        let places = self.text.match_indices(part).take(PLACES);
        places.map(move |(at, _)| (self.sections(&(at..at + part.len())), self.line_of(at)))
    }

    fn sections(&self, part: &Range<usize>) -> Vec<ChunkSection> {
        let first = self.blocks.partition_point(|block| block.range.end <= part.start);
        let inside = || self.blocks.iter().skip(first).take_while(|block| block.range.start < part.end);
        // Headings at the beginning belong to the first paragraph.
        let begins = inside().position(|block| !block.is_heading).unwrap_or(0);
        let mut before: Option<&str> = None;
        let sections = inside().skip(begins).filter_map(|block| {
            let start = if before.is_some() { block.range.start } else { block.section };
            let is_new = block.is_heading || before != Some(&block.heading);
            before = Some(&block.heading);
            is_new.then(|| ChunkSection { line: self.line_of(start), heading: block.heading.clone() })
        });
        sections.collect()
    }

    fn line_of(&self, at: usize) -> usize {
        self.lines.partition_point(|start| *start <= at)
    }
}
