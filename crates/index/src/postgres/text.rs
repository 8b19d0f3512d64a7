//! Converts texts for PostgreSQL.

use std::borrow::Cow;

use crate::words::{folded, is_unspaced_phrase, words};

/// Longer words, in bytes, do not occur in human text, and PostgreSQL refuses those over 2,046 bytes.
const WORD: usize = 255;

/// The most bytes of a text whose words can be searched; PostgreSQL stores up to a megabyte of words.
const MAX: usize = 200_000;

/// The text without NUL, the only character that PostgreSQL refuses.
pub(super) fn clean(text: &str) -> Cow<'_, str> {
    if text.contains('\0') { Cow::Owned(text.replace('\0', "\u{FFFD}")) } else { Cow::Borrowed(text) }
}

/// The words of a text in the form that search compares, separated by blanks. PostgreSQL's parser would take `a/b.rs`
/// for one path and `e-mail` for three words, where the index in a file has two.
pub(super) fn searchable(text: &str) -> String {
    let plain = folded(text);
    let mut found = String::new();
    for word in words(&plain).filter(|word| word.len() <= WORD) {
        if found.len() + word.len() > MAX {
            break;
        }
        if !found.is_empty() {
            found.push(' ');
        }
        found.push_str(word);
    }
    found
}

/// The text of a full-text query for a word or phrase.
pub(super) fn term_query(term: &str) -> String {
    let weight = if is_unspaced_phrase(term) { ":B" } else { "" };
    let words = searchable(term);
    let words: Vec<String> = words.split_whitespace().map(|word| format!("'{word}'{weight}")).collect();
    words.join(" <-> ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_term_is_a_query() {
        for (term, expected) in [
            ("retry", "'retry'"),
            ("Blue green", "'blue' <-> 'green'"),
            ("東京 京都", "'東京':B <-> '京都':B"),
            ("it's \\ &", "'it' <-> 's'"),
            ("?", ""),
        ] {
            assert_eq!(term_query(term), expected, "{term}");
        }
    }

    #[test]
    fn words_are_separated_by_blanks() {
        for (text, expected) in [
            ("", ""),
            (" \0 ", ""),
            ("a/b.rs, e-mail; snake_case v2", "a b rs e mail snake case v2"),
            ("Ärger café cafe\u{301}", "arger cafe cafe"),
            ("が", "が"),
            ("it's 1.5 & 2'000!", "it s 1 5 2 000"),
            ("한국어 日本語", "한국어 日本語"),
            ("🦀", ""),
        ] {
            assert_eq!(searchable(text), expected, "{text}");
        }
        assert_eq!(searchable(&format!("{} b", "a".repeat(256))), "b");
        assert!(searchable(&"word ".repeat(100_000)).len() <= MAX);
        assert_eq!(clean("a\0b"), "a\u{FFFD}b");
    }
}
