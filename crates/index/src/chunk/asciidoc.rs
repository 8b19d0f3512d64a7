//! The blocks of AsciiDoc, as far as they can be recognized line by line: titles, listings and paragraphs.

use super::{Block, BlockKind};

/// The current block.
struct Open<'t> {
    start: usize,
    /// The line that will end a listing.
    fence: Option<&'t str>,
}

pub(super) fn blocks(text: &str) -> Vec<Block> {
    let mut blocks = Vec::new();
    let mut open: Option<Open> = None;
    let mut end = 0;
    for whole in text.split_inclusive('\n') {
        let (start, line) = (end, whole.trim_end());
        end += whole.len();
        match &open {
            Some(Open { start, fence: Some(fence) }) => {
                if line == *fence {
                    blocks.push(Block { range: *start..end, kind: BlockKind::Code });
                    open = None;
                }
                continue;
            }
            Some(Open { start: from, fence: None }) if line.is_empty() || is_fence(line) || title(line).is_some() => {
                blocks.push(Block { range: *from..start, kind: BlockKind::Text });
                open = None;
            }
            _ => {}
        }
        if let Some((level, title)) = title(line) {
            blocks.push(Block { range: start..end, kind: BlockKind::Heading(level, Some(title.to_owned())) });
        } else if open.is_none() && !line.is_empty() {
            open = Some(Open { start, fence: is_fence(line).then_some(line) });
        }
    }
    blocks.extend(open.map(|open| Block { range: open.start..end, kind: BlockKind::Text }));
    blocks
}

/// The level and the text of a title.
fn title(line: &str) -> Option<(usize, &str)> {
    let (marks, title) = line.split_once(' ')?;
    let is_mark = (1..=6).contains(&marks.len()) && marks.chars().all(|char| char == '=');
    Some((marks.len(), title.trim())).filter(|(_, title)| is_mark && !title.is_empty())
}

/// Whether a line begins or ends a verbatim block.
fn is_fence(line: &str) -> bool {
    let is_of = |mark: char| line.len() >= 4 && line.chars().all(|char| char == mark);
    ['-', '.', '+', '/'].into_iter().any(is_of) || line == "```"
}
