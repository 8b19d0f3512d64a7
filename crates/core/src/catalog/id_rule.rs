//! Characters that are not allowed in an id, because they cannot be typed or seen. The catalog keeps a source with such
//! an id and warns, since another program may own the file; a new source with one is refused.

use refdesk_text::hidden::HiddenCharacters;

/// The most bytes of an id; an entry with a longer one is invalid.
pub const ID_BYTES: usize = 4_096;

/// What is wrong with the characters of a non-empty id, as a predicate whose subject is the id: `has a line break`.
pub fn id_fault(id: &str) -> Option<String> {
    // Nearly every id, of which a catalog has tens of thousands.
    if id.bytes().all(|byte| byte.is_ascii_graphic()) {
        return None;
    }
    let is_break = |c: &char| matches!(c, '\n' | '\r' | '\u{b}' | '\u{c}' | '\u{85}' | '\u{2028}' | '\u{2029}');
    if id.chars().any(|c| is_break(&c)) {
        return Some("has a line break".to_owned());
    }
    if let Some(control) = id.chars().find(|c| c.is_control()) {
        return Some(format!("has the control character U+{:04X}", u32::from(control)));
    }
    if let Some(hidden) = HiddenCharacters::of(id) {
        return Some(format!("has the {}", hidden.words()));
    }
    (id.trim() != id).then(|| {
        let end = if id.trim_start() == id { "ends" } else { "begins" };
        format!("{end} with a space")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn untypable_and_invisible_characters_are_named() {
        for (id, expected) in [
            ("retry-pattern", None),
            ("the kit", None),
            ("größe/日本.v2", None),
            ("@a, -b", None),
            ("a\nb", Some("has a line break")),
            ("a\r", Some("has a line break")),
            ("a\u{2028}b", Some("has a line break")),
            ("a\u{7}b", Some("has the control character U+0007")),
            ("\ta", Some("has the control character U+0009")),
            ("\u{1b}[2J", Some("has the control character U+001B")),
            ("a\u{200b}", Some("has the invisible character U+200B (zero-width space)")),
            (" a", Some("begins with a space")),
            ("a ", Some("ends with a space")),
            ("a\u{a0}", Some("ends with a space")),
        ] {
            assert_eq!(id_fault(id).as_deref(), expected, "{id:?}");
        }
    }
}
