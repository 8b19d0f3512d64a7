//! The headings above each place of a document: where the text of a chunk is now, after the document was edited.

use std::path::Path;

use super::{Block, BlockKind, HEADING_SEPARATOR, LONGEST_TITLE, Parsed, parse};
use refdesk_text::shorten::shortened;

/// The most places of one text that are compared.
const PLACES: usize = 1_000;

/// The indexed text of a document (HTML without its tags), and the headings above each part of it.
#[derive(Debug)]
pub(crate) struct Outline {
    text: String,
    /// Where each line of the document begins in it.
    lines: Vec<usize>,
    /// The headings in force until a place of the text, outermost first, in order of the places.
    headings: Vec<(usize, String)>,
}

impl Outline {
    /// Of a document, whose name says of which format it is.
    pub(crate) fn of(name: &Path, text: &str) -> Self {
        let Parsed { text, lines, blocks } = parse(name, text);
        let mut above: Vec<(usize, String)> = Vec::new();
        let mut headings: Vec<(usize, String)> = Vec::new();
        for Block { range, kind } in blocks {
            if let BlockKind::Heading(level, title) = kind {
                above.retain(|(known, _)| *known < level);
                above.extend(title.map(|title| (level, shortened(title, LONGEST_TITLE))));
                continue;
            }
            let titles: Vec<&str> = above.iter().map(|(_, title)| title.as_str()).collect();
            let now = titles.join(HEADING_SEPARATOR);
            match headings.last_mut().filter(|(_, last)| *last == now) {
                Some((end, _)) => *end = range.end,
                None => headings.push((range.end, now)),
            }
        }
        Self { text: text.into_owned(), lines, headings }
    }

    /// The headings above the first paragraph, and the first line, of each place where this part is.
    pub(crate) fn places_of<'a>(&'a self, part: &'a str) -> impl Iterator<Item = (&'a str, usize)> {
        let places = self.text.match_indices(part).take(PLACES).map(|(at, _)| at);
        places.map(|at| {
            let first = self.headings.partition_point(|(end, _)| *end <= at);
            let heading = self.headings.get(first).or(self.headings.last()).map_or("", |(_, heading)| heading);
            (heading, self.lines.partition_point(|start| *start <= at))
        })
    }
}
