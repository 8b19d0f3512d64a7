//! The words of one text, to rule out most tags and ids quickly. A process that searches a single text builds its
//! automata only from the remaining ones, in a tenth of the time.

use super::normal::Folded;
use super::prefix_filter::{PrefixFilter, WordPrefix};

/// The first eight letters and digits of every word in a text, a word being a maximal run of ASCII letters and digits.
pub(crate) struct Vocabulary {
    /// In order, each once.
    prefixes: Vec<WordPrefix>,
    /// A filter for them, which is enough to rule out most tags.
    filter: PrefixFilter,
}

impl Vocabulary {
    /// Takes linear time, and sorts the prefixes.
    pub(crate) fn of(text: &str) -> Self {
        let (mut folded, mut at) = (Vec::with_capacity(text.len()), 0);
        while let Some(next) = Folded::at(text, at) {
            folded.extend_from_slice(next.bytes());
            at = next.end;
        }
        let mut prefixes: Vec<WordPrefix> = prefixes_of(&folded).collect();
        prefixes.sort_unstable();
        prefixes.dedup();
        let filter = PrefixFilter::new(prefixes.iter().copied());
        Self { prefixes, filter }
    }

    /// Whether a tag or id may occur in the text. Letters or digits cannot be adjacent to it, so each run of them in it
    /// must be a whole run in the text. Terms with non-ASCII characters are always accepted.
    pub(crate) fn may_hold(&self, term: &str) -> bool {
        let is_here = |prefix| self.filter.may_hold(prefix) && self.prefixes.binary_search(&prefix).is_ok();
        !term.is_ascii() || prefixes_of(term.as_bytes()).all(is_here)
    }
}

/// The prefix of each word.
fn prefixes_of(bytes: &[u8]) -> impl Iterator<Item = WordPrefix> {
    let mut at = 0;
    std::iter::from_fn(move || {
        let rest = bytes.get(at..)?;
        at += rest.iter().position(u8::is_ascii_alphanumeric)?;
        let mut prefix = WordPrefix::at(bytes, at);
        // What follows is folded already.
        prefix.is_open = false;
        at += prefix.len();
        if prefix.is_full() {
            at += bytes.get(at..)?.iter().take_while(|byte| byte.is_ascii_alphanumeric()).count();
        }
        Some(prefix)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn terms_that_may_be_in_a_text() {
        let vocabulary = Vocabulary::of("In C++ and .NET: Circuit-Breaker,\u{212a}elvin—dash é1");
        for (term, may) in [
            ("c", true),
            (".net", true),
            ("circuit breaker", true),
            ("CIRCUIT_BREAKER", true),
            ("kelvin", true),
            ("dash", true),
            ("++", true),
            ("", true),
            ("日本", true),
            ("circ", false),
            ("circuit opener", false),
            ("ne", false),
            ("circuit-breakers", false),
        ] {
            assert_eq!(vocabulary.may_hold(term), may, "{term}");
        }
    }
}
