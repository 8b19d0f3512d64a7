//! Shortens texts for display.

use crate::tokens::grouped;

/// The shortest run of blanks that is replaced by its length, because it could push what follows it out of sight.
const BLANKS: usize = 4;

/// The text with each long run of blanks replaced by its length: `a[900 blanks]b`.
pub fn without_long_blanks(text: String) -> String {
    // The blank pattern of Braille is as empty as a blank.
    let is_blank = |c: char| c.is_whitespace() || c == '\u{2800}';
    let mut shown = String::new();
    let mut rest = text.as_str();
    while let Some(at) = rest.find(is_blank) {
        let (before, from) = rest.split_at(at);
        let after = from.trim_start_matches(is_blank);
        let blanks = from.strip_suffix(after).unwrap_or(from);
        shown.push_str(before);
        match blanks.chars().count() {
            few if few < BLANKS => shown.push_str(blanks),
            many => shown.push_str(&format!("[{} blanks]", grouped(many))),
        }
        rest = after;
    }
    if shown.is_empty() {
        return text;
    }
    shown + rest
}

/// The beginning of the text: at most this many bytes, cut between characters.
pub fn beginning(text: &str, bytes: usize) -> &str {
    let mut end = bytes.min(text.len());
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    text.get(..end).unwrap_or_default()
}

/// The text, truncated after `most` characters with `…` at the end.
pub fn shortened(mut text: String, most: usize) -> String {
    if let Some((end, _)) = text.char_indices().nth(most) {
        text.truncate(end);
        text.push('…');
    }
    text
}

/// The text without its middle, with `…` in its place, if it has more than this many characters; keeps three quarters of
/// them at the beginning. A sentence about a long value keeps its end.
pub fn without_middle(text: String, most: usize) -> String {
    // Counting is needed only for a text that may be too long.
    let count = if text.len() > most { text.chars().count() } else { 0 };
    if count <= most {
        return text;
    }
    let head = most - most / 4;
    let at = |nth: usize| text.char_indices().nth(nth).map_or(text.len(), |(at, _)| at);
    let (before, after) = (at(head), at(count - most / 4));
    format!("{}…{}", text.get(..before).unwrap_or_default(), text.get(after..).unwrap_or_default())
}

/// Like [`shortened`], but cut before the word at the limit, unless that word is most of the text.
pub fn shortened_at_word(text: &str, most: usize) -> String {
    let Some((end, _)) = text.char_indices().nth(most) else { return text.to_owned() };
    let head = text.get(..end).unwrap_or(text);
    let is_whole = text.get(end..).is_some_and(|rest| rest.starts_with(char::is_whitespace));
    let cut = if is_whole { None } else { head.rfind(char::is_whitespace).filter(|at| at * 2 > head.len()) };
    let head = head.get(..cut.unwrap_or(head.len())).unwrap_or(head);
    format!("{}…", head.trim_end_matches(|c: char| c.is_whitespace() || matches!(c, ',' | ';' | ':')))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_beginning_ends_between_characters() {
        for (text, expected) in [("", ""), ("a", "a"), ("aé", "a"), ("abc", "ab"), ("\u{1f501}", "")] {
            assert_eq!(beginning(text, 2), expected);
        }
    }

    #[test]
    fn the_middle_of_a_long_text_is_left_out() {
        for (text, expected) in
            [("", ""), ("abcdefgh", "abcdefgh"), ("abcdefghi", "abcdef…hi"), ("ééééééééé", "éééééé…éé")]
        {
            assert_eq!(without_middle(text.to_owned(), 8), expected);
        }
    }

    #[test]
    fn a_text_is_cut_between_words() {
        for (text, most, expected) in [
            ("one two three", 20, "one two three"),
            ("one two three", 7, "one two…"),
            ("one two three", 9, "one two…"),
            ("one two, three", 10, "one two…"),
            ("onetwothree", 5, "onetw…"),
            ("a bcdefghij", 6, "a bcde…"),
            ("", 3, ""),
        ] {
            assert_eq!(shortened_at_word(text, most), expected, "{text} {most}");
        }
    }

    #[test]
    fn a_text_is_cut_between_characters() {
        for (text, expected) in [("", ""), ("éé", "éé"), ("ééé", "éé…"), ("a\u{1f501}b", "a\u{1f501}…")] {
            assert_eq!(shortened(text.to_owned(), 2), expected);
        }
        assert_eq!(shortened("a".to_owned(), 0), "…");
    }
}
