//! The code in a text: fenced blocks, and lines that are indented or show a stack frame. A tag that occurs only in code
//! is a language or an identifier and tells little about what the user wants.

use std::ops::Range;

/// Whether all of these ranges are in code.
pub(crate) fn is_within(code: &[Range<usize>], places: &[Range<usize>]) -> bool {
    let is_inside =
        |at: usize| code.get(code.partition_point(|part| part.end <= at)).is_some_and(|part| part.start <= at);
    places.iter().all(|place| is_inside(place.start))
}

/// The byte ranges of the code in a text, in order.
pub(crate) fn code(text: &str) -> Vec<Range<usize>> {
    let (mut found, mut open, mut start): (Vec<Range<usize>>, _, _) = (Vec::new(), None, 0);
    for line in text.split_inclusive('\n') {
        let range = start..start + line.len();
        start = range.end;
        let fence = fence(line);
        match (open, fence) {
            (None, Some(opening)) => open = Some(opening),
            (None, None) if !is_of_a_program(line) => continue,
            (Some(opening), Some(closing)) if closes(line, opening, closing) => open = None,
            _ => {}
        }
        match found.last_mut().filter(|last| last.end == range.start) {
            Some(last) => last.end = range.end,
            None => found.push(range),
        }
    }
    found
}

/// The character of a fence, and how often it is repeated.
fn fence(line: &str) -> Option<(char, usize)> {
    let line = line.trim_start();
    let char = line.chars().next().filter(|char| matches!(char, '`' | '~'))?;
    let length = line.chars().take_while(|next| *next == char).count();
    (length >= 3).then_some((char, length))
}

fn closes(line: &str, opening: (char, usize), closing: (char, usize)) -> bool {
    opening.0 == closing.0 && closing.1 >= opening.1 && line.trim().chars().all(|char| char == closing.0)
}

fn is_of_a_program(line: &str) -> bool {
    let is_frame = ["File \"", "at ", "Traceback ("].iter().any(|start| line.trim_start().starts_with(start));
    line.starts_with("    ") || line.starts_with('\t') || (is_frame && line.contains(['(', '"']))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_in_texts() {
        for (text, expected) in [
            ("use python here", ""),
            ("a\n```python\nx = 1\n\ny\n```\nb", "```python\nx = 1\n\ny\n```\n"),
            ("~~~\n```\n~~~~\nb", "~~~\n```\n~~~~\n"),
            ("```\nnever closed", "```\nnever closed"),
            ("a\n\n    indented\n\tby a tab\nb", "    indented\n\tby a tab\n"),
            (
                "Traceback (most recent call last):\n  File \"java.py\", line 3\nKeyError",
                "Traceback (most recent call last):\n  File \"java.py\", line 3\n",
            ),
            ("  at com.redis.Pool.get(Pool.java:3)\nat least one", "  at com.redis.Pool.get(Pool.java:3)\n"),
            ("a `retry` of ``two``", ""),
            ("", ""),
        ] {
            let found: String = code(text).into_iter().map(|range| &text[range]).collect();
            assert_eq!(found, expected, "{text}");
        }
        for (places, expected) in
            [([1, 3], true), ([1, 9], true), ([0, 1], false), ([1, 4], false), ([7, 8], false), ([9, 10], false)]
        {
            let places = places.map(|at| at..at + 1);
            assert_eq!(is_within(&[1..4, 8..10], &places), expected, "{places:?}");
        }
    }
}
