//! Parts of a text, and the text with these parts replaced.

use std::ops::Range;

/// The byte range of a part within its text.
pub(crate) fn place(text: &str, part: &str) -> Range<usize> {
    let start = (part.as_ptr() as usize).saturating_sub(text.as_ptr() as usize);
    start..start + part.len()
}

/// The text with these parts replaced; if parts overlap, the first one replaces them all.
pub(crate) fn replaced(text: &str, mut parts: Vec<(Range<usize>, String)>) -> String {
    parts.retain(|(place, _)| !place.is_empty());
    parts.sort_by_key(|(place, _)| (place.start, std::cmp::Reverse(place.end)));
    let (mut shown, mut end) = (String::new(), 0);
    for (place, words) in parts {
        if place.start >= end {
            shown.push_str(text.get(end..place.start).unwrap_or_default());
            shown.push_str(&words);
        }
        end = end.max(place.end);
    }
    shown + text.get(end..).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_replaced_where_they_are() {
        let text = "one two three";
        let two = text.split(' ').nth(1).unwrap();
        assert_eq!(place(text, two), 4..7);
        for (parts, expected) in [
            (&[][..], text),
            (&[(4, 7)], "one * three"),
            (&[(8, 13), (0, 3)], "* two *"),
            (&[(0, 5), (4, 7), (4, 5)], "* three"),
            (&[(4, 4)], text),
        ] {
            assert_eq!(replaced(text, parts.iter().map(|(from, to)| (*from..*to, "*".to_owned())).collect()), expected);
        }
    }
}
