//! The content of a Handlebars tag: its words, and the segments of a path.

use super::limits::NESTING;
use crate::error::template_error;
use refdesk_text::Error;

/// Checks how deep the brackets of a tag nest, because the engine's parser recurses into them.
///
/// # Errors
///
/// They nest deeper than [`NESTING`]; with the line.
pub(crate) fn brackets(content: &str, line: usize) -> Result<(), Error> {
    let (mut depth, mut deepest) = (0_usize, 0_usize);
    for byte in content.bytes() {
        match byte {
            b'(' | b'[' | b'{' => depth += 1,
            b')' | b']' | b'}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        deepest = deepest.max(depth);
    }
    if deepest > NESTING {
        return Err(template_error(line, format!("the tag at line {line} nests deeper than {NESTING}")));
    }
    Ok(())
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TagWord<'a> {
    /// A name, a path or a literal.
    Plain(&'a str),
    /// The name of a helper called in parentheses.
    Called,
}

/// The words of a tag. Strings and `[literal segments]` stay whole; parentheses are removed.
pub(crate) fn words(content: &str) -> Vec<TagWord<'_>> {
    let (mut words, mut start, mut quote, mut called) = (Vec::new(), None, None, false);
    let mut end = |from: Option<usize>, to: usize, called: &mut bool| {
        let word = from.and_then(|from| content.get(from..to));
        words.extend(word.map(|word| if std::mem::take(called) { TagWord::Called } else { TagWord::Plain(word) }));
    };
    for (at, c) in content.char_indices() {
        match quote {
            Some(close) if c == close => quote = None,
            Some(_) => {}
            None if matches!(c, '"' | '\'' | '[') => {
                quote = Some(if c == '[' { ']' } else { c });
                start = start.or(Some(at));
            }
            None if c.is_whitespace() || matches!(c, '(' | ')' | '~') => {
                end(start.take(), at, &mut called);
                called |= c == '(';
            }
            None => start = start.or(Some(at)),
        }
    }
    end(start, content.len(), &mut called);
    words
}

/// The segments of a path, split at `.` and `/`; a `[segment in brackets]` is one.
pub(crate) fn segments(path: &str) -> Vec<&str> {
    let (mut segments, mut rest) = (Vec::new(), path);
    while !rest.is_empty() {
        let (segment, after) = match rest.strip_prefix('[').and_then(|inside| inside.split_once(']')) {
            Some((literal, after)) => (literal, after),
            None => rest.split_at(rest.find(['.', '/']).unwrap_or(rest.len())),
        };
        segments.extend(Some(segment).filter(|segment| !segment.is_empty()));
        rest = after.strip_prefix(['.', '/']).unwrap_or(after);
    }
    segments
}

/// The value of an argument: the text after `name=`.
pub(crate) fn argument(word: &str) -> &str {
    if word.starts_with(['"', '\'']) { word } else { word.split_once('=').map_or(word, |(_, value)| value) }
}
