//! Decides when two spellings are the same tag (BEHAVIOUR §5): Unicode simple case folding, and interchangeable
//! separators. Used by `list --tag` and the matcher.

/// One character after Unicode simple case folding.
pub fn fold(c: char) -> char {
    if c.is_ascii() {
        return c.to_ascii_lowercase();
    }
    unicode_case_mapping::case_folded(c).and_then(|folded| char::from_u32(folded.get())).unwrap_or(c)
}

/// Word separators in a tag: `-`, `_` and white space, including no-break space.
pub fn is_separator(c: char) -> bool {
    matches!(c, '-' | '_') || c.is_whitespace()
}

/// A tag trimmed and folded, with a blank for each separator. Tags with equal keys match the same texts.
pub fn tag_key(tag: &str) -> String {
    tag.trim().chars().map(|c| if is_separator(c) { ' ' } else { fold(c) }).collect()
}

/// Whether two tags differ only in case or in the kind and number of separators.
pub fn same_tag(one: &str, other: &str) -> bool {
    collapsed(&tag_key(one)) == collapsed(&tag_key(other))
}

/// A key with every run of separators collapsed to one.
pub fn collapsed(key: &str) -> String {
    let mut out = String::with_capacity(key.len());
    for c in key.chars() {
        if c != ' ' || !out.ends_with(' ') {
            out.push(c);
        }
    }
    out
}

/// Whether a tag can match anything: whether it has a character that is not a separator.
pub fn can_match(tag: &str) -> bool {
    tag.chars().any(|c| !is_separator(c))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folding_is_simple_and_unicode() {
        for (c, folded) in [
            ('A', 'a'),
            ('a', 'a'),
            ('É', 'é'),
            ('Σ', 'σ'),
            ('ς', 'σ'),
            ('\u{212a}', 'k'),
            ('ẞ', 'ß'),
            ('İ', 'İ'),
            ('+', '+'),
        ] {
            assert_eq!(fold(c), folded, "{c}");
        }
    }

    #[test]
    fn tags_that_are_the_same() {
        for (one, other, same) in [
            ("Red", "RED", true),
            ("dark-red", "dark red", true),
            ("dark_red", " Dark\u{a0}Red ", true),
            ("dark--red", "dark red", true),
            ("darkred", "dark red", false),
            ("spring.boot", "spring boot", false),
            ("c", "c++", false),
        ] {
            assert_eq!(same_tag(one, other), same, "{one} {other}");
        }
    }

    #[test]
    fn tags_that_match_nothing() {
        for (tag, can) in [("", false), (" ", false), ("-", false), ("_ -\u{a0}", false), ("+", true), ("-a", true)] {
            assert_eq!(can_match(tag), can, "{tag:?}");
        }
    }
}
