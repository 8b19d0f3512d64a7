//! Text measured in columns: truncated, padded and wrapped at grapheme clusters. External text is passed
//! through [`clean`] first, so that no control character reaches the terminal.

use std::borrow::Cow;

use ratatui::buffer::Buffer;
use ratatui::layout::Position;
use ratatui::style::Style;
use unicode_segmentation::UnicodeSegmentation;
use unicode_width::UnicodeWidthStr;

use refdesk_text::escape::{is_emoji_joiner, is_emoji_selector, visible};
pub use refdesk_text::tokens::{counted, grouped};

/// Cleans one line of external text: a line break becomes a blank, a tab four, and invisible characters are
/// escaped, also a carriage return within a line, which ends a comment in some languages. Characters whose width
/// differs between terminals would shift columns and leave remains on screen, so they are replaced by ones of
/// undisputed width.
pub fn clean(text: &str) -> Cow<'_, str> {
    if text.contains(|c: char| matches!(c, '\n' | '\r' | '\t') || has_disputed_width(c)) {
        let parts = text.strip_suffix('\r').unwrap_or(text).lines().filter(|part| !part.is_empty());
        let line = parts.collect::<Vec<_>>().join(" ").replace('\t', "    ").replace('\r', "\\r");
        return Cow::Owned(visible(&with_agreed_widths(&line)).into_owned());
    }
    visible(text)
}

/// Characters that change the width of the preceding one in some terminals only.
fn has_disputed_width(c: char) -> bool {
    matches!(c, '\u{200d}' | '\u{fe0f}' | '\u{ff9e}' | '\u{ff9f}' | '\u{1f1e6}'..='\u{1f1ff}' | '\u{1f3fb}'..='\u{1f3ff}')
}

/// Removes emoji selectors, joiners between emoji, and skin tones; replaces half-width voice marks by
/// standalone ones, and flag letters by plain letters.
fn with_agreed_widths(line: &str) -> String {
    let mut settled = String::with_capacity(line.len());
    let mut before = None;
    let mut chars = line.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        let next = chars.peek().map(|(_, next)| *next);
        match c {
            _ if is_emoji_selector(before, c, next) => {}
            _ if is_emoji_joiner(line.get(..at).unwrap_or_default(), c, next) => {}
            '\u{ff9e}' => settled.push('\u{309b}'),
            '\u{ff9f}' => settled.push('\u{309c}'),
            '\u{1f1e6}'..='\u{1f1ff}' => {
                let letter = u32::from('A') + (u32::from(c) - 0x1f1e6);
                settled.extend(char::from_u32(letter));
            }
            // It forms a cluster with the preceding text, which takes one cell in the terminal buffer.
            '\u{1f3fb}'..='\u{1f3ff}' if !settled.is_empty() => {}
            _ => settled.push(c),
        }
        before = Some(c);
    }
    settled
}

/// The columns of this text, counted by cluster as the terminal buffer does.
pub fn width(text: &str) -> usize {
    if text.is_ascii() { text.len() } else { text.graphemes(true).map(UnicodeWidthStr::width).sum() }
}

/// Writes `text` into at most `columns` cells starting at this one, and returns the column after it. ASCII is
/// written without segmenting clusters, which would take a fifth of a frame.
pub fn put(buffer: &mut Buffer, (x, y): (u16, u16), text: &str, columns: usize, style: Style) -> u16 {
    let is_plain = text.bytes().all(|byte| matches!(byte, b' '..=b'~'));
    if !is_plain || !buffer.area.contains(Position { x, y }) {
        return buffer.set_stringn(x, y, text, columns, style).0;
    }
    let room = usize::from(buffer.area.right() - x).min(columns);
    let start = buffer.index_of(x, y);
    let mut end = x;
    for (cell, byte) in buffer.content.iter_mut().skip(start).zip(text.bytes().take(room)) {
        cell.set_char(char::from(byte)).set_style(style);
        end += 1;
    }
    end
}

/// Whether `text` takes at most `columns`; stops early if not.
fn fits(text: &str, columns: usize) -> bool {
    head(text, columns).len() == text.len()
}

/// The longest prefix of `text` that takes at most `columns`.
fn head(text: &str, columns: usize) -> &str {
    if text.is_ascii() {
        return text.get(..columns).unwrap_or(text);
    }
    let mut used = 0;
    for (start, cluster) in text.grapheme_indices(true) {
        used += cluster.width();
        if used > columns {
            return text.get(..start).unwrap_or_default();
        }
    }
    text
}

/// The longest suffix of `text` that takes at most `columns`.
fn tail(text: &str, columns: usize) -> &str {
    if text.is_ascii() {
        return text.get(text.len().saturating_sub(columns)..).unwrap_or(text);
    }
    let mut used = 0;
    for (start, cluster) in text.grapheme_indices(true).rev() {
        used += cluster.width();
        if used > columns {
            return text.get(start + cluster.len()..).unwrap_or_default();
        }
    }
    text
}

/// `text` in at most `columns`, with its end replaced by `ellipsis` if it does not fit.
pub fn clip<'a>(text: &'a str, columns: usize, ellipsis: &str) -> Cow<'a, str> {
    if fits(text, columns) {
        return Cow::Borrowed(text);
    }
    let Some(room) = columns.checked_sub(width(ellipsis)) else { return Cow::Borrowed("") };
    Cow::Owned(format!("{}{ellipsis}", head(text, room).trim_end()))
}

/// `text` in at most `columns`, with its beginning replaced by `ellipsis`: for paths, whose end matters most.
pub fn clip_start<'a>(text: &'a str, columns: usize, ellipsis: &str) -> Cow<'a, str> {
    if fits(text, columns) {
        return Cow::Borrowed(text);
    }
    let Some(room) = columns.checked_sub(width(ellipsis)) else { return Cow::Borrowed("") };
    Cow::Owned(format!("{ellipsis}{}", tail(text, room)))
}

/// `text` in at most `columns`, with its middle replaced by `ellipsis`: for ids, which differ at both ends.
pub fn clip_middle<'a>(text: &'a str, columns: usize, ellipsis: &str) -> Cow<'a, str> {
    match ends(text, columns, ellipsis) {
        None => Cow::Borrowed(text),
        Some((_, tail)) if tail > text.len() => Cow::Borrowed(""),
        Some((head, tail)) => {
            let part = |range: Option<&'a str>| range.unwrap_or_default();
            Cow::Owned(format!("{}{ellipsis}{}", part(text.get(..head)), part(text.get(tail..))))
        }
    }
}

/// The end of the prefix and the start of the suffix when the middle of `text` is replaced; `None` if it
/// fits. If even an ellipsis does not fit, the suffix starts beyond the text.
pub fn ends(text: &str, columns: usize, ellipsis: &str) -> Option<(usize, usize)> {
    if fits(text, columns) {
        return None;
    }
    let Some(room) = columns.checked_sub(width(ellipsis)) else { return Some((0, text.len() + 1)) };
    let start = head(text, room - room * 2 / 5);
    Some((start.len(), text.len() - tail(text, room - width(start)).len()))
}

/// `text` in exactly `columns`.
pub fn pad(text: &str, columns: usize, ellipsis: &str) -> String {
    let shown = clip(text, columns, ellipsis);
    format!("{shown}{}", " ".repeat(columns.saturating_sub(width(&shown))))
}

/// `text` in lines of at most `columns`, broken at blanks if possible.
pub fn wrap(text: &str, columns: usize) -> Vec<String> {
    let columns = columns.max(1);
    let mut lines = Vec::new();
    let mut line = String::new();
    for word in text.split_whitespace() {
        let gap = usize::from(!line.is_empty());
        if columns.checked_sub(width(&line) + gap).is_some_and(|left| fits(word, left)) {
            if gap == 1 {
                line.push(' ');
            }
            line.push_str(word);
            continue;
        }
        if !line.is_empty() {
            lines.push(std::mem::take(&mut line));
        }
        let mut rest = word;
        while !fits(rest, columns) {
            let part = first_part(rest, columns);
            lines.push(part.to_owned());
            rest = rest.get(part.len()..).unwrap_or_default();
        }
        line.push_str(rest);
    }
    if !line.is_empty() {
        lines.push(line);
    }
    lines
}

/// The part of a long word that fits into the first row: up to the last `/` or `-` unless that is near its
/// start. A comma or bracket never starts the next row alone.
fn first_part(word: &str, columns: usize) -> &str {
    let mut part = head(word, columns);
    if let Some(end) = part.rfind(['/', '-']).map(|at| at + 1).filter(|end| *end > part.len() / 3) {
        return part.get(..end).unwrap_or(part);
    }
    let rest = word.get(part.len()..).unwrap_or_default();
    if rest.chars().all(|c| matches!(c, ',' | ';' | '.' | ':' | ')')) {
        let last = part.graphemes(true).next_back().map_or(0, str::len);
        part = part.get(..part.len() - last).unwrap_or(part);
    }
    if part.is_empty() { word.graphemes(true).next().unwrap_or(word) } else { part }
}

/// A [`clean`] message with its first letter capitalized. A key, path, address or other name at the start is
/// left as it is.
pub fn sentence(text: &str) -> Cow<'_, str> {
    let text = clean(text);
    let word = text.split([' ', ',', ':']).next().unwrap_or_default();
    // A command must be written as it is typed.
    let is_word = (word.len() > 1 || word == "a") && word != "refdesk";
    let is_address = text.get(word.len()..).is_some_and(|rest| rest.starts_with("://"));
    if !is_word || is_address || !word.bytes().all(|byte| byte.is_ascii_lowercase()) {
        return text;
    }
    let (first, rest) = text.split_at(1);
    format!("{}{rest}", first.to_ascii_uppercase()).into()
}

/// [`wrap`] limited to `most` lines; the last one ends with `ellipsis` if text is left over.
pub fn wrap_to(text: &str, columns: usize, most: usize, ellipsis: &str) -> Vec<String> {
    let mut lines = wrap(text, columns);
    if lines.len() > most {
        let rest = lines.split_off(most.saturating_sub(1)).join(" ");
        lines.extend((most > 0).then(|| clip(&rest, columns, ellipsis).into_owned()));
    }
    lines
}

pub fn tokens(number: u64) -> String {
    format!("~{}", grouped(number))
}

/// `~1 token`, `~1,240 tokens`.
pub fn in_tokens(number: u64) -> String {
    format!("~{} token{}", grouped(number), if number == 1 { "" } else { "s" })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn cutting() {
        for (text, columns, start, end) in [
            ("retry", 5, "retry", "retry"),
            ("retry-pattern", 6, "retry…", "…ttern"),
            ("日本語", 4, "日…", "…語"),
            ("日本語", 6, "日本語", "日本語"),
            ("ae\u{301}o", 2, "a…", "…o"),
            ("👨‍👩‍👧 family", 3, "👨‍👩‍👧…", "…ly"),
            ("abc", 1, "…", "…"),
            ("abc", 0, "", ""),
        ] {
            assert_eq!(clip(text, columns, "…"), start, "{text} in {columns}");
            assert_eq!(clip_start(text, columns, "…"), end, "{text} in {columns}");
        }
        assert_eq!(clip_middle("mod-code-002-retry-validation", 16, "…"), "mod-code-…dation");
        assert_eq!(clip_middle("日本語日本語", 6, "…"), "日…語");
    }

    #[test]
    fn sentences_begin_with_a_capital() {
        for (text, expected) in [
            ("there are no requests", "There are no requests"),
            ("a pick", "A pick"),
            ("keep: @a is already a pick", "Keep: @a is already a pick"),
            ("x does nothing here", "x does nothing here"),
            ("@a is gone", "@a is gone"),
            ("references.json:4: no list", "references.json:4: no list"),
            ("https://example.org/a: Enter copies it", "https://example.org/a: Enter copies it"),
            ("retry-policy does not render", "retry-policy does not render"),
            ("Picked @a", "Picked @a"),
            ("", ""),
        ] {
            assert_eq!(sentence(text), expected);
        }
    }

    #[test]
    fn long_words_are_broken_where_they_can_be() {
        for (text, columns, expected) in [
            ("at /home/ada/docs/validation", 12, &["at", "/home/ada/", "docs/", "validation"][..]),
            ("@abcdefghijk, +8 more", 12, &["@abcdefghij", "k, +8 more"]),
            ("@mod-code-003-timeout, +8", 12, &["@mod-code-", "003-timeout,", "+8"]),
            ("abcdefgh", 3, &["abc", "def", "gh"]),
            ("ab,,", 1, &["a", "b", ",", ","]),
        ] {
            assert_eq!(wrap(text, columns), expected, "{text}");
        }
    }

    #[test]
    fn joined_emoji_stand_side_by_side_and_other_joiners_are_escaped() {
        let family = "a \u{1f469}\u{200d}\u{1f469}\u{fe0f}\u{200d}\u{1f467}";
        // Terminals disagree on whether these are one character.
        assert_eq!(clean(family), "a \u{1f469}\u{1f469}\u{1f467}");
        assert_eq!(clean("a\u{200d}b \u{1f469}\u{200d}b"), "a\\u{200d}b \u{1f469}\\u{200d}b");
    }

    #[test]
    fn numbers() {
        assert_eq!([0, 999, 1000, 1_234_567].map(grouped), ["0", "999", "1,000", "1,234,567"]);
        assert_eq!(counted(1, "error"), "1 error");
        assert_eq!(counted(0, "error"), "0 errors");
    }

    #[test]
    fn any_text_becomes_one_line() {
        assert_eq!(clean("a\r\nb\tc\x1b"), "a b    c\\x1b");
        assert_eq!(["a\r", "a\r\n", "a\rb\r", "\ra"].map(clean), ["a", "a", "a\\rb", "\\ra"]);
        for (text, shown, columns) in [
            ("⚠\u{fe0f}", "⚠", 1),
            ("1\u{fe0f}\u{20e3}", "1\u{20e3}", 1),
            ("a\u{fe0f}", "a\\u{fe0f}", 9),
            ("🇩🇪", "DE", 2),
            ("👩🏽", "👩", 2),
            ("🏽", "🏽", 2),
            ("a🏽 🏽b", "a b", 3),
            ("ｶﾞ", "ｶ゛", 3),
        ] {
            assert_eq!((clean(text).as_ref(), width(&clean(text))), (shown, columns));
        }
    }

    proptest! {
        #[test]
        fn results_fit_the_given_width(text in ".{0,40}", columns in 0..30usize) {
            let text = clean(&text);
            prop_assert!(width(&clip(&text, columns, "…")) <= columns);
            prop_assert!(width(&clip_start(&text, columns, "…")) <= columns);
            prop_assert!(width(&clip_middle(&text, columns, "…")) <= columns);
            prop_assert_eq!(width(&pad(&text, columns, "…")), columns);
            for line in wrap(&text, columns.max(2)) {
                prop_assert!(width(&line) <= columns.max(2));
            }
        }
    }
}
