//! The blocks of Markdown, and the tags and comments in it.

use std::borrow::Cow;
use std::collections::HashSet;
use std::ops::Range;

use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};

use super::{Block, BlockKind, LEVELS, html};

/// The blocks of a text, and the tags and comments in it. A quote or list is one block unless it contains headings; then
/// each of its parts is a block, and its headings do not apply outside. Front matter is left out: it is data about the
/// document, not part of its text.
pub(super) fn blocks(text: &str) -> (Vec<Block>, Vec<Range<usize>>) {
    let front_matter = Options::ENABLE_YAML_STYLE_METADATA_BLOCKS | Options::ENABLE_PLUSES_DELIMITED_METADATA_BLOCKS;
    let options = Options::ENABLE_TABLES | front_matter;
    // Parsing twice takes less than a list of all events, which would be larger than the parser's tree.
    let events = || Parser::new_ext(text, options).into_offset_iter();
    let divided = with_headings(events().map(|(event, _)| event));
    let (mut blocks, mut markup) = (Vec::new(), Vec::new());
    // Nesting depth in undivided blocks (`depth`) and in divided ones (`outer`).
    let (mut depth, mut outer) = (0usize, 0usize);
    let mut heading: Option<(usize, String)> = None;
    for (at, (event, range)) in events().enumerate() {
        match &event {
            Event::Start(Tag::HtmlBlock) => markup.extend(html::markup(text, range.clone())),
            Event::InlineHtml(tag) if html::is_markup(tag) => markup.push(range.clone()),
            _ => {}
        }
        let range = if outer > 0 { line_start(text, range.start)..range.end } else { range };
        match event {
            Event::Start(_) if divided.contains(&at) => outer += 1,
            Event::End(_) if depth == 0 => {
                outer = outer.saturating_sub(1);
                let kind = BlockKind::Heading((outer + 1) * LEVELS + 1, None);
                blocks.push(Block { range: next_text(text, range.end)..next_text(text, range.end), kind });
            }
            Event::Start(tag) => {
                if depth == 0 {
                    let kind = match tag {
                        Tag::Heading { level, .. } => {
                            heading = Some((outer * LEVELS + level as usize, String::new()));
                            None
                        }
                        Tag::CodeBlock(_) => Some(BlockKind::Code),
                        Tag::MetadataBlock(_) if range.start == 0 => None,
                        _ => Some(BlockKind::Text),
                    };
                    kind.into_iter().for_each(|kind| add(&mut blocks, range.clone(), kind));
                }
                depth += 1;
            }
            Event::End(end) => {
                depth = depth.saturating_sub(1);
                if let (TagEnd::Heading(_), 0) = (end, depth)
                    && let Some((level, title)) = heading.take()
                {
                    blocks.push(Block { range, kind: BlockKind::Heading(level, Some(title.trim().to_owned())) });
                }
            }
            Event::Text(part) | Event::Code(part) if depth > 0 => {
                if let Some((_, title)) = &mut heading {
                    title.push_str(&part);
                }
            }
            Event::SoftBreak | Event::HardBreak if depth > 0 => {
                if let Some((_, title)) = &mut heading {
                    title.push(' ');
                }
            }
            Event::Rule if depth == 0 => {}
            _ if depth == 0 => add(&mut blocks, range, BlockKind::Text),
            _ => {}
        }
    }
    (blocks, markup)
}

/// A text without these parts of it, its blocks in their new places, and its other lines as they were.
pub(super) fn without<'t>(
    text: &'t str,
    mut blocks: Vec<Block>,
    markup: &[Range<usize>],
) -> (Cow<'t, str>, Vec<Block>) {
    if markup.is_empty() {
        return (Cow::Borrowed(text), blocks);
    }
    let mut rest = String::with_capacity(text.len());
    // The ends of the parts in the text and in what is left of it.
    let (mut at, mut ends) = (0, vec![(0, 0)]);
    for part in markup {
        rest.push_str(text.get(at..part.start).unwrap_or_default());
        let removed = text.get(part.start.max(at)..part.end).unwrap_or_default();
        match removed.bytes().filter(|byte| *byte == b'\n').count() {
            0 if html::separates(removed) => rest.push(' '),
            lines => rest.extend(std::iter::repeat_n('\n', lines)),
        }
        at = part.end.max(at);
        ends.push((at, rest.len()));
    }
    rest.push_str(text.get(at..).unwrap_or_default());
    let place = |offset: usize| {
        let next = ends.partition_point(|(end, _)| *end <= offset);
        let (end, new) = next.checked_sub(1).and_then(|last| ends.get(last)).copied().unwrap_or_default();
        // An offset within a part is where the part was.
        let gap = markup.get(next.saturating_sub(1)).map_or(offset, |part| part.start).min(offset);
        new + gap.saturating_sub(end)
    };
    for block in &mut blocks {
        block.range = place(block.range.start)..place(block.range.end);
    }
    let has_text = |range: &Range<usize>| !rest.get(range.clone()).unwrap_or_default().trim().is_empty();
    blocks.retain(|block| !matches!(block.kind, BlockKind::Text) || has_text(&block.range));
    (Cow::Owned(rest), blocks)
}

/// Adds a block. The text of a list item is not a block of its own: it continues the block before it on its line.
fn add(blocks: &mut Vec<Block>, range: Range<usize>, kind: BlockKind) {
    match blocks.last_mut() {
        Some(Block { range: last, kind: BlockKind::Text })
            if matches!(kind, BlockKind::Text) && range.start < last.end =>
        {
            last.end = last.end.max(range.end);
        }
        _ => blocks.push(Block { range, kind }),
    }
}

/// The indexes of the events that begin a quote or list with headings.
fn with_headings<'t>(events: impl Iterator<Item = Event<'t>>) -> HashSet<usize> {
    let (mut open, mut found) = (Vec::new(), HashSet::new());
    for (at, event) in events.enumerate() {
        match event {
            Event::Start(Tag::Heading { .. }) => {
                found.extend(open.iter().copied());
                open.push(at);
            }
            Event::Start(_) => open.push(at),
            Event::End(_) => drop(open.pop()),
            _ => {}
        }
    }
    found
}

/// The start of the line with this offset: the marker of a quote or item precedes its content.
fn line_start(text: &str, at: usize) -> usize {
    text.get(..at).and_then(|before| before.rfind('\n')).map_or(0, |end| end + 1)
}

/// The offset of the next text after white space.
fn next_text(text: &str, at: usize) -> usize {
    let rest = text.get(at..).unwrap_or_default();
    at + rest.len() - rest.trim_start().len()
}
