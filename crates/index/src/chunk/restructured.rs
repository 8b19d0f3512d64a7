//! The blocks of reStructuredText, as far as they can be recognized line by line: titles, paragraphs and indented text.

use super::{Block, BlockKind};
use refdesk_text::lines::adornment;

/// A line with its byte range.
struct Line<'t> {
    /// Without white space at its end.
    text: &'t str,
    start: usize,
    end: usize,
}

pub(super) fn blocks(text: &str) -> Vec<Block> {
    let lines = lines(text);
    let mut blocks = Vec::new();
    // The title styles in order of first use, which gives their levels.
    let mut styles = Vec::new();
    let (mut at, mut is_after_blank) = (0, true);
    while let Some(line) = lines.get(at) {
        let rest = lines.get(at..).unwrap_or_default();
        let (kind, length) = match title(rest).filter(|_| is_after_blank) {
            Some((style, title, length)) => {
                let level = styles.iter().position(|known| *known == style).unwrap_or_else(|| {
                    styles.push(style);
                    styles.len() - 1
                });
                (Some(BlockKind::Heading(level + 1, Some(title.to_owned()))), length)
            }
            None if line.text.is_empty() => (None, 1),
            None if is_indented(line) => (Some(BlockKind::Code), indented(rest)),
            None => {
                let end = rest.iter().position(|line| line.text.is_empty());
                (Some(BlockKind::Text), end.unwrap_or(rest.len()))
            }
        };
        is_after_blank = !matches!(kind, Some(BlockKind::Text | BlockKind::Code));
        let last = rest.get(length - 1).unwrap_or(line);
        blocks.extend(kind.map(|kind| Block { range: line.start..last.end, kind }));
        at += length;
    }
    blocks
}

fn lines(text: &str) -> Vec<Line<'_>> {
    let mut end = 0;
    text.split_inclusive('\n')
        .map(|line| {
            let start = end;
            end += line.len();
            Line { text: line.trim_end(), start, end }
        })
        .collect()
}

/// The title at the beginning of these lines: its style, its text, and its number of lines.
fn title<'t>(lines: &[Line<'t>]) -> Option<((char, bool), &'t str, usize)> {
    let text = |at: usize| lines.get(at).map_or("", |line| line.text);
    if let (Some((mark, length)), Some((below, _))) = (adornment(text(0)), adornment(text(2)))
        && mark == below
        && adornment(text(1)).is_none()
        && (1..=length).contains(&text(1).trim().chars().count())
    {
        return Some(((mark, true), text(1).trim(), 3));
    }
    let (mark, length) = adornment(text(1))?;
    let is_title = adornment(text(0)).is_none() && !is_indented(lines.first()?);
    (is_title && (1..=length).contains(&text(0).chars().count())).then(|| ((mark, false), text(0), 2))
}

fn is_indented(line: &Line) -> bool {
    line.text.starts_with([' ', '\t'])
}

/// The number of indented lines at the beginning, including blank lines between them.
fn indented(lines: &[Line]) -> usize {
    let end = lines.iter().position(|line| !line.text.is_empty() && !is_indented(line)).unwrap_or(lines.len());
    let last = lines.iter().take(end).rposition(|line| !line.text.is_empty());
    last.map_or(1, |last| last + 1)
}
