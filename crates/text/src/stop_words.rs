//! English words that say nothing about what a text is about.

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_compared_in_lower_case() {
        for (word, expected) in [("the", true), ("The", false), ("retry", false), ("", false)] {
            assert_eq!(is_stop_word(word), expected, "{word}");
        }
    }
}
