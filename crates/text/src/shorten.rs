//! Texts of any length, cut to one that can be shown.

/// The text, cut after `most` characters; then it ends in `…`.
pub fn shortened(mut text: String, most: usize) -> String {
    if let Some((end, _)) = text.char_indices().nth(most) {
        text.truncate(end);
        text.push('…');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_cut_between_characters() {
        for (text, expected) in [("", ""), ("éé", "éé"), ("ééé", "éé…"), ("a\u{1f501}b", "a\u{1f501}…")] {
            assert_eq!(shortened(text.to_owned(), 2), expected);
        }
        assert_eq!(shortened("a".to_owned(), 0), "…");
    }
}
