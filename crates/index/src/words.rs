//! Words as search sees them: letters and digits, names split where they change case, stop words.

use std::collections::HashSet;
use std::sync::LazyLock;

/// Words too frequent in any English text to say what it is about.
const STOP_WORDS: &str = "a about above after again all also am an and any are as at be because been before being \
     below between both but by can could d did do does doing don down during each else few for from further get gets \
     got had has have having he her here hers him his how i if in into is it its just let like ll m make makes me \
     might more most must my need no nor not now of off on once only or other our ours out over own please re s same \
     she should so some such t than that the their them then there these they this those through to too under until \
     up use used using ve very want was we were what when where which while who why will with without would y you your";

static STOPS: LazyLock<HashSet<&str>> = LazyLock::new(|| STOP_WORDS.split_whitespace().collect());

/// Whether a word, in lower case, is too frequent to say anything.
pub fn is_stop_word(word: &str) -> bool {
    STOPS.contains(word)
}

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
