//! The part of a chunk that a question is about. A chunk is named after the first of its sections.

use std::path::Path;

use super::{Block, BlockKind, HEADING_SEPARATOR, LEVELS, Parsed, parse};
use crate::matches::{different, matches};
use crate::storage::Document;
use crate::update::TEXT;
use refdesk_text::lines::breaks;

/// The headings and the first line of a document's section with most of these words, which are sorted by rarity.
pub(crate) fn section_with(document: &Document, words: &[String]) -> (String, usize) {
    let Document { doc_type, path, heading, line, content, .. } = document;
    let part = (doc_type == TEXT).then(|| part_with(Path::new(path), heading, content, words)).flatten();
    match part {
        // Text from the catalog has no file and no lines.
        Some(part) if *line == 0 => (part.heading, 0),
        Some(part) => (part.heading, line + part.lines_before),
        None => (heading.clone(), *line),
    }
}

/// A section that begins inside a chunk.
#[derive(Debug, PartialEq, Eq)]
struct ChunkPart {
    /// The headings above it, outermost first.
    heading: String,
    /// The number of lines of the chunk before it.
    lines_before: usize,
}

/// The section of a chunk with most of these words. Ties are broken by the rarest word, then a heading with the words,
/// then words in the same form, then their number. `None` if the chunk begins with the text of that section. `heading`
/// contains the headings of the chunk; the file name determines its format.
fn part_with(name: &Path, heading: &str, content: &str, words: &[String]) -> Option<ChunkPart> {
    let Parsed { text, blocks, .. } = parse(name, content);
    // The indexed text of HTML has no headings left.
    if text.len() != content.len() {
        return None;
    }
    let first_text = blocks.iter().position(|block| !matches!(block.kind, BlockKind::Heading(..)))?;
    let (lead, rest) = blocks.split_at_checked(first_text)?;
    let headings = |blocks: &[Block]| -> Vec<(usize, usize, Option<String>)> {
        let heading = |block: &Block| match &block.kind {
            BlockKind::Heading(level, title) => Some((block.range.start, *level, title.clone())),
            _ => None,
        };
        blocks.iter().filter_map(heading).collect()
    };
    let (lead, inner) = (headings(lead), headings(rest));
    let lines_before = |start: usize| breaks(content.get(..start).unwrap_or_default());
    let of_first = || {
        let (start, ..) = lead.last()?;
        Some(ChunkPart { heading: heading.to_owned(), lines_before: lines_before(*start) })
    };
    if inner.is_empty() {
        return of_first();
    }
    let starts: Vec<usize> = std::iter::once(0).chain(inner.iter().map(|(start, ..)| *start)).collect();
    let found = matches(content, words);
    let titles_above: Vec<&str> = heading.split(HEADING_SEPARATOR).collect();
    let best = (0..starts.len()).rev().max_by_key(|at| {
        let range = starts.get(*at).copied().unwrap_or(0)..starts.get(at + 1).copied().unwrap_or(content.len());
        let inside = || found.iter().filter(|it| range.contains(&it.range.start));
        let title = match at.checked_sub(1) {
            None => titles_above.last().copied(),
            Some(at) => inner.get(at).and_then(|(_, _, title)| title.as_deref()),
        };
        let in_title = title.map_or(0, |title| matches(title, words).len());
        let rarest = inside().map(|it| it.wanted).min().unwrap_or(usize::MAX);
        let (different, exact) = different(inside());
        (different, std::cmp::Reverse(rarest), in_title, exact, inside().count())
    })?;
    let Some(best_inner) = best.checked_sub(1) else { return of_first() };
    let (start, ..) = inner.get(best_inner)?;
    let mut above = above_of(heading, &lead);
    for (_, level, title) in inner.iter().take(best) {
        above.retain(|(known, _)| known < level);
        above.extend(title.clone().map(|title| (*level, title)));
    }
    let titles: Vec<String> = above.into_iter().map(|(_, title)| title).collect();
    Some(ChunkPart { heading: titles.join(HEADING_SEPARATOR), lines_before: lines_before(*start) })
}

/// The headings above a chunk with their levels. Headings outside the chunk get the levels before those in it, or the
/// first levels if the chunk begins in a quote or list.
fn above_of(heading: &str, lead: &[(usize, usize, Option<String>)]) -> Vec<(usize, String)> {
    let titles: Vec<&str> = heading.split(HEADING_SEPARATOR).filter(|title| !title.is_empty()).collect();
    let count = titles.len();
    let lowest = match lead.last() {
        Some((_, level, Some(_))) => *level,
        Some((_, level, None)) => level.saturating_sub(1),
        None => count,
    };
    let level = |at: usize| match at + 1 {
        nth if nth < count && lowest > LEVELS => nth,
        nth => (lowest + nth).saturating_sub(count),
    };
    titles.into_iter().enumerate().map(|(at, title)| (level(at), title.to_owned())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_chunk_of_several_sections_names_the_matching_one() {
        let text = "#### Sorting\n\nUse `sort`.\n\n### 3.6 Errors\n\n#### Status codes\n\nA customer is not found: 404 without bodies, an error.\n\n#### Bodies\n\nJSON.";
        let heading = "Rules > 3.5 Filtering > Sorting";
        for (words, expected) in [
            (&["sort"][..], Some((heading, 0))),
            (&["zebra"], Some((heading, 0))),
            (&["status", "customer"], Some(("Rules > 3.6 Errors > Status codes", 6))),
            (&["customer", "sort"], Some(("Rules > 3.6 Errors > Status codes", 6))),
            (&["json"], Some(("Rules > 3.6 Errors > Bodies", 10))),
            // Both sections contain the word once, one of them in its heading.
            (&["bodies"], Some(("Rules > 3.6 Errors > Bodies", 10))),
            (&["error"], Some(("Rules > 3.6 Errors", 4))),
        ] {
            let words: Vec<String> = words.iter().map(ToString::to_string).collect();
            let part = part_with(Path::new("a.md"), heading, text, &words);
            let part = part.as_ref().map(|part| (part.heading.as_str(), part.lines_before));
            assert_eq!(part, expected, "{words:?}");
        }
        let text =
            "Of all.\n\n## One\n\nE1016 and zoneA, once retried.\n\n## Two\n\nE1017 and zoneB, E1017, zoneB, retry.";
        for (word, expected) in
            [("e1017", "Two"), ("e1016", "One"), ("zonea", "One"), ("zoneb", "Two"), ("retry", "Two")]
        {
            let part = part_with(Path::new("a.md"), "All", text, &[word.to_owned()]);
            assert_eq!(part.map(|part| part.heading), Some(format!("All > {expected}")), "{word}");
        }
        let quoted = "# Guide\n\nOf all.\n\n> ## Note\n> Of zebras.\n\nOf quaggas.\n\n- ## Item\n  Of olms.\n- Of dingos.\n\n## Next\n\nOf gundis.";
        for (word, expected) in [
            ("all", ("Top > Guide", 0)),
            ("zebra", ("Top > Guide > Note", 4)),
            ("quagga", ("Top > Guide", 7)),
            ("olm", ("Top > Guide > Item", 9)),
            ("dingo", ("Top > Guide", 11)),
            ("gundi", ("Top > Guide > Next", 13)),
        ] {
            let part = part_with(Path::new("a.md"), "Top > Guide", quoted, &[word.to_owned()]);
            assert_eq!(part.as_ref().map(|it| (it.heading.as_str(), it.lines_before)), Some(expected), "{word}");
        }
        let in_quote = "> ## Note\n> Of zebras.\n\nOf quaggas.\n\n## Next\n\nOf gundis.";
        for (word, expected) in [("zebra", "Guide > Note"), ("quagga", "Guide"), ("gundi", "Guide > Next")] {
            let part = part_with(Path::new("a.md"), "Guide > Note", in_quote, &[word.to_owned()]);
            assert_eq!(part.map(|part| part.heading), Some(expected.to_owned()), "{word}");
        }
        let under_title = part_with(Path::new("a.md"), "API > Pages", "# API\n\n## Pages\n\nNext page.", &[]);
        assert_eq!(under_title, Some(ChunkPart { heading: "API > Pages".to_owned(), lines_before: 2 }));
        let words = ["json".to_owned()];
        assert_eq!(part_with(Path::new("a.md"), "Rules", "More of it.", &words), None);
        let after_text =
            part_with(Path::new("a.md"), "Rules > 3.5 Filtering", "More of it.\n\n## Bodies\n\nJSON.", &words);
        assert_eq!(after_text.map(|part| part.heading), Some("Rules > Bodies".to_owned()));
        assert_eq!(part_with(Path::new("a.html"), "Rules", "Sorting\nBodies\njson", &words), None);
    }
}
