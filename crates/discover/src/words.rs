//! The words of a document that could be tags: whole words, as they are matched in prompts, in lower case, counted by
//! stem.

use std::collections::HashMap;

use refdesk_text::stop_words::is_stop_word;

/// The most bytes of a document to count words in.
pub(crate) const COUNTED: usize = 64 * 1024;

/// The weight of an occurrence in a heading; one in the text counts 1.
pub(crate) const HEADING: u32 = 3;

/// How often a document contains the words of one stem.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct WordCount {
    /// The stem that the forms of the word share.
    pub stem: String,
    /// Its most frequent form; of equally frequent ones, the shortest.
    pub word: String,
    /// Occurrences; those in headings count [`HEADING`] times.
    pub count: u32,
}

/// Collects the words of one document.
#[derive(Debug, Default)]
pub(crate) struct WordCounter {
    forms: HashMap<String, u32>,
    taken: usize,
}

impl WordCounter {
    /// Counts the words of a text `weight` times, up to [`COUNTED`] bytes of all texts.
    pub(crate) fn add(&mut self, text: &str, weight: u32) {
        for token in words(text) {
            self.taken += token.len() + 1;
            if self.taken > COUNTED {
                return;
            }
            if let Some(count) = self.forms.get_mut(token) {
                *count = count.saturating_add(weight);
                continue;
            }
            let word = token.to_lowercase();
            let count = self.forms.entry(word).or_default();
            *count = count.saturating_add(weight);
        }
    }

    /// The words, by stem.
    pub(crate) fn counted(self) -> Vec<WordCount> {
        let mut forms: Vec<(String, u32)> = self.forms.into_iter().filter(|(word, _)| !is_stop_word(word)).collect();
        forms.sort_unstable_by(|a, b| (b.1, a.0.len(), &a.0).cmp(&(a.1, b.0.len(), &b.0)));
        let mut stems: HashMap<String, usize> = HashMap::with_capacity(forms.len());
        let mut counts: Vec<WordCount> = Vec::with_capacity(forms.len());
        for (word, count) in forms {
            let stem = stem(&word);
            match stems.get(&stem).and_then(|at| counts.get_mut(*at)) {
                Some(known) => known.count = known.count.saturating_add(count),
                None => {
                    stems.insert(stem.clone(), counts.len());
                    counts.push(WordCount { stem, word, count });
                }
            }
        }
        counts
    }
}

/// The whole words of a text that begin with a letter and have 3 to 30 letters, digits and single hyphens. Parts of
/// paths, addresses and dotted or underscored names do not count, because a prompt's words are compared as whole words.
pub(crate) fn words(text: &str) -> impl Iterator<Item = &str> {
    tokens(text).filter(|token| is_word(token))
}

/// Like [`words`], but also words with single underscores such as `no_std`, which a tag may contain.
pub(crate) fn names_in(name: &str) -> impl Iterator<Item = &str> {
    tokens(name).filter(|token| token.split('_').all(|part| !part.is_empty()) && is_word(&token.replace('_', "-")))
}

fn tokens(text: &str) -> impl Iterator<Item = &str> {
    let is_edge = |c: char| {
        c.is_whitespace()
            || matches!(c, '(' | ')' | '[' | ']' | '{' | '}' | '<' | '>' | '"' | '\'' | '`' | ',' | ';' | '!' | '?')
            || matches!(c, '=' | '*' | '|' | '“' | '”' | '‘' | '’' | '«' | '»' | '…' | '—' | '–')
    };
    text.split(is_edge).map(|token| token.trim_matches(['.', ':', '-', '#', '&', '~']))
}

fn is_word(token: &str) -> bool {
    let length = if token.is_ascii() { token.len() } else { token.chars().count() };
    (3..=30).contains(&length)
        && token.starts_with(char::is_alphabetic)
        && token.chars().all(|c| c.is_alphanumeric() || c == '-')
        && !token.contains("--")
        && token.chars().filter(|c| c.is_alphabetic()).count() > 1
}

/// The stem of an English word: `caches`, `caching` and `cached` give `cach`.
pub(crate) fn stem(word: &str) -> String {
    let plain = singular(word);
    let stripped = ["ing", "ed"].iter().find_map(|ending| plain.strip_suffix(ending));
    let is_stem = |stem: &&str| stem.chars().count() >= 4 && stem.contains(['a', 'e', 'i', 'o', 'u', 'y']);
    let stem = match stripped.filter(is_stem) {
        Some(stem) => without_double_letter(stem),
        None => plain.as_str(),
    };
    match stem.strip_suffix('e') {
        Some(shorter) if shorter.chars().count() >= 3 => shorter.to_owned(),
        _ => stem.to_owned(),
    }
}

/// Removes the `s` of a plural (Harman's S stemmer).
fn singular(word: &str) -> String {
    if word.chars().count() < 4 {
        return word.to_owned();
    }
    let has = |endings: [&str; 3]| endings.iter().any(|ending| !ending.is_empty() && word.ends_with(ending));
    if let Some(stem) = word.strip_suffix("ies") {
        return if has(["eies", "aies", ""]) { word.to_owned() } else { format!("{stem}y") };
    }
    match word.strip_suffix('s') {
        Some(stem) if !has(["us", "ss", "is"]) => stem.to_owned(),
        _ => word.to_owned(),
    }
}

/// `embedd` gives `embed`; `call` stays.
fn without_double_letter(stem: &str) -> &str {
    let mut ends = stem.chars().rev();
    match (ends.next(), ends.next()) {
        (Some(last), Some(before)) if last == before && !"lsz".contains(last) => {
            stem.get(..stem.len() - last.len_utf8()).unwrap_or(stem)
        }
        _ => stem,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_whole_words_count() {
        for (text, expected) in [
            ("Retry the payment, twice.", &["Retry", "the", "payment", "twice"][..]),
            ("a circuit-breaker (see docs/a.md)", &["circuit-breaker", "see"]),
            ("java.util.List foo_bar https://example.org x 12 v2 http2", &["http2"]),
            ("**bold** `code` “quoted” don't --flag", &["bold", "code", "quoted", "don", "flag"]),
            ("Über größe 日本語 ab", &["Über", "größe", "日本語"]),
            (&"x".repeat(31), &[]),
        ] {
            assert_eq!(words(text).collect::<Vec<_>>(), expected, "{text}");
        }
    }

    #[test]
    fn names_have_words_with_underscores() {
        let name = "Support no_std: a_b __init__ _x x__y `circuit-breaker`";
        assert_eq!(names_in(name).collect::<Vec<_>>(), ["Support", "no_std", "a_b", "circuit-breaker"]);
    }

    #[test]
    fn forms_of_a_word_have_one_stem() {
        for (stem_of, forms) in [
            ("cach", &["cache", "caches", "caching", "cached"][..]),
            ("retry", &["retry", "retries"]),
            ("embed", &["embed", "embedding", "embedded"]),
            ("test", &["test", "tests", "testing", "tested"]),
            ("string", &["string", "strings"]),
            ("status", &["status"]),
            ("class", &["class"]),
            ("kafka", &["kafka"]),
            ("call", &["call", "calls", "calling"]),
        ] {
            for form in forms {
                assert_eq!(stem(form), stem_of, "{form}");
            }
        }
    }

    #[test]
    fn words_are_counted_by_stem() {
        let mut counter = WordCounter::default();
        counter.add("Caches", HEADING);
        counter.add("the cache is a cache, caches kafka", 1);
        let counted = counter.counted();
        let shown: Vec<(&str, u32)> = counted.iter().map(|it| (it.word.as_str(), it.count)).collect();
        assert_eq!(shown, [("caches", 6), ("kafka", 1)]);
    }

    #[test]
    fn a_long_text_is_counted_up_to_a_limit() {
        let mut counter = WordCounter::default();
        counter.add(&"word ".repeat(COUNTED), 1);
        counter.add("late", 1);
        assert_eq!(counter.counted().len(), 1);
    }
}
