//! Words as search sees them: letters and digits, names split where they change case.

pub use refdesk_text::stop_words::is_stop_word;

/// The runs of letters and digits of a text.
pub fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|char: char| !char.is_alphanumeric()).filter(|word| !word.is_empty())
}

/// The parts of a name that changes between lower and upper case, or letters and digits: `selectHTTPRefs2` gives
/// `select`, `HTTP`, `Refs` and `2`. A word without such a change is its only part.
pub fn parts(word: &str) -> Vec<&str> {
    let chars: Vec<(usize, char)> = word.char_indices().collect();
    let class = |char: char| match char {
        _ if char.is_numeric() => 0,
        _ if char.is_uppercase() => 1,
        _ => 2,
    };
    let mut cuts = vec![0];
    for (nth, pair) in chars.windows(2).enumerate() {
        let [(_, one), (at, two)] = pair else { continue };
        let next = chars.get(nth + 2).map(|(_, char)| class(*char));
        match (class(*one), class(*two)) {
            (one, two) if one == two && !(one == 1 && next == Some(2)) => {}
            // The first letter of a capitalised word belongs to it.
            (1, 2) => {}
            _ => cuts.push(*at),
        }
    }
    cuts.push(word.len());
    cuts.windows(2).filter_map(|pair| word.get(*pair.first()?..*pair.last()?)).filter(|part| !part.is_empty()).collect()
}

/// The parts of all names of a text that have several, separated by blanks; full-text search finds them as words.
pub fn split_names(text: &str) -> String {
    let mut split = String::new();
    for word in words(text) {
        let parts = parts(word);
        if parts.len() < 2 {
            continue;
        }
        for part in parts.into_iter().filter(|part| part.chars().count() > 1) {
            if !split.is_empty() {
                split.push(' ');
            }
            split.push_str(part);
        }
    }
    split
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_split_where_they_change() {
        for (name, expected) in [
            ("selectReferences", "select References"),
            ("HTTPServer", "HTTP Server"),
            ("selectHTTPRefs2", "select HTTP Refs 2"),
            ("word", "word"),
            ("README", "README"),
            ("Über", "Über"),
            ("größeÄndern", "größe Ändern"),
            ("v2", "v 2"),
            ("a", "a"),
        ] {
            assert_eq!(parts(name).join(" "), expected, "{name}");
        }
        assert_eq!(split_names("call selectReferences() of the desk, v2"), "select References");
        assert_eq!(split_names(""), "");
    }
}
