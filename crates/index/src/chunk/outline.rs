//! The headings above each place in a document, to find where the text of a chunk is after the document was edited.

use std::path::Path;

use super::{Block, BlockKind, HEADING_SEPARATOR, LONGEST_TITLE, Parsed, parse};
use refdesk_text::shorten::shortened;

/// The most occurrences of a text that are compared.
const PLACES: usize = 1_000;

/// The indexed text of a document (HTML without its tags), and the headings above each part of it.
#[derive(Debug)]
pub(crate) struct Outline {
    text: String,
    /// The offset in `text` at which each line of the document begins.
    lines: Vec<usize>,
    /// The headings that apply up to each offset of `text`, outermost first; in order of offset.
    headings: Vec<(usize, String)>,
}

impl Outline {
    /// The outline of a document, whose format is given by its name.
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

    /// For each occurrence of this part: the headings above its first paragraph, and its first line.
    pub(crate) fn places_of<'a>(&'a self, part: &'a str) -> impl Iterator<Item = (&'a str, usize)> {
        let places = self.text.match_indices(part).take(PLACES).map(|(at, _)| at);
        places.map(|at| {
            let first = self.headings.partition_point(|(end, _)| *end <= at);
            let heading = self.headings.get(first).or(self.headings.last()).map_or("", |(_, heading)| heading);
            (heading, self.lines.partition_point(|start| *start <= at))
        })
    }
}
