//! Matches typed words against a name and a description: fuzzily in the name, but exactly in the description,
//! whose text is long enough to match almost any letters fuzzily.

use nucleo_matcher::pattern::{Atom, AtomKind, CaseMatching, Normalization};
use nucleo_matcher::{Config, Matcher, Utf32Str};

use refdesk_text::fold::is_separator;

/// The maximum number of characters of a name or description that are searched and shown.
const LONGEST: usize = 300;

/// The matcher's score for one matched character. A match whose gaps cost more than this earns is rejected.
const SCORE_PER_LETTER: usize = 16;

#[derive(Debug, Default)]
pub struct WordMatch {
    /// The number of words that only occur in the description.
    pub outside_name: usize,
    pub score: u32,
    /// Matched characters of the name, by index.
    pub in_name: Vec<u32>,
    /// Matched characters of the description.
    pub in_description: Vec<u32>,
}

pub struct WordMatcher {
    matcher: Matcher,
    words: Vec<(Atom, Atom)>,
    /// The typed words in lower case, separated by blanks.
    typed: String,
}

impl WordMatcher {
    pub fn new(typed: &str) -> Self {
        let atom = |word, kind| Atom::new(word, CaseMatching::Ignore, Normalization::Smart, kind, false);
        let words = typed.split_whitespace().map(|word| (atom(word, AtomKind::Fuzzy), atom(word, AtomKind::Substring)));
        Self { matcher: Matcher::new(Config::DEFAULT), words: words.collect(), typed: in_words(typed.trim()) }
    }

    pub fn is_empty(&self) -> bool {
        self.words.is_empty()
    }

    /// Whether this is the whole name, ignoring word separators.
    pub fn is_exact(&self, name: &str) -> bool {
        name.len() == self.typed.len() && in_words(name) == self.typed
    }

    /// Whether the name starts with the typed text, ignoring word separators.
    pub fn begins(&self, name: &str) -> bool {
        !self.typed.is_empty() && in_words(name).starts_with(&self.typed)
    }

    /// Whether each typed word is a whole word of the text.
    pub fn has_words(&self, text: &str) -> bool {
        let text = text.to_lowercase();
        let mut typed = words_of(&self.typed).peekable();
        typed.peek().is_some() && typed.all(|word| words_of(&text).any(|other| other == word))
    }

    /// Whether any typed word is a whole word of the text.
    pub fn has_a_word(&self, text: &str) -> bool {
        let text = text.to_lowercase();
        words_of(&self.typed).any(|word| words_of(&text).any(|other| other == word))
    }

    /// Whether the name contains the typed text contiguously.
    pub fn is_within(&self, name: &str) -> bool {
        in_words(name).contains(&self.typed)
    }

    /// The positions of every word; `None` if one does not occur.
    pub fn find(&mut self, name: &str, about: &str) -> Option<WordMatch> {
        let mut found = WordMatch::default();
        let mut buffer = Vec::new();
        for (letters, whole) in &self.words {
            let before = found.in_name.len();
            let score = letters.indices(Utf32Str::new(name, &mut buffer), &mut self.matcher, &mut found.in_name);
            let least = SCORE_PER_LETTER * letters.needle_text().len();
            if let Some(score) = score.filter(|score| usize::from(*score) >= least) {
                found.score += u32::from(score);
                continue;
            }
            found.in_name.truncate(before);
            let about = Utf32Str::new(about, &mut buffer);
            found.score += u32::from(whole.indices(about, &mut self.matcher, &mut found.in_description)?);
            found.outside_name += 1;
        }
        for places in [&mut found.in_name, &mut found.in_description] {
            places.sort_unstable();
            places.dedup();
        }
        Some(found)
    }
}

fn in_words(text: &str) -> String {
    text.chars().flat_map(char::to_lowercase).map(|c| if is_separator(c) { ' ' } else { c }).collect()
}

fn words_of(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty())
}

/// The start of a text, limited to what is searched and shown.
pub fn searched(text: &str) -> String {
    text.chars().take(LONGEST).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_words_of_a_name() {
        for (typed, name, expected) in [
            ("retry", "retry-pattern", true),
            ("Pattern RETRY", "retry_pattern", true),
            ("retry", "Retrying calls", false),
            ("retry policy", "retry-pattern", false),
            ("breaker.java", "CircuitBreaker.java.tpl", false),
            ("opens circuit", "Circuit breaker > When it opens", true),
            ("Übung", "Die übung", true),
            ("--", "a -- b", false),
            ("", "retry", false),
        ] {
            assert_eq!(WordMatcher::new(typed).has_words(name), expected, "{typed}: {name}");
        }
    }
}
