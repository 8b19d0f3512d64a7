//! Parses the text of a query into words and phrases for full-text search (SEARCH S4.2).

use std::collections::HashSet;

use crate::spellings::{
    COMPOUNDS, Spelling, compounds, has_content, joined_parts, may_have_spellings, numbered_name, pairs,
    spellings_of_missing,
};
use crate::words::{composed, forms, is_of_word, is_stop_word, is_unspaced, unspaced_phrase, versions, words};

/// The most characters of a query; a longer one is truncated.
pub const LONGEST: usize = 4_096;

/// Characters that join the words of a name: `retry_limit`, `blue-green`, `spec.replicas`, `docs/retry.md`, `std::fs`.
const JOINERS: [char; 5] = ['_', '-', '.', '/', ':'];

/// The most of these characters in a row.
const LONGEST_JOINT: usize = 2;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ParsedQuery {
    /// The query, truncated if it was too long.
    pub text: String,
    /// Words and phrases in lower case, each once, with blanks between the words of a phrase. Empty if the query has no
    /// words.
    pub terms: Vec<String>,
    /// Phrases of a single digit or capital with the word before or after it, such as `layer 3`, each with the position of
    /// that character among the words. By itself, it is in nearly every text. A small letter is a word in many languages.
    pub numbered: Vec<(usize, String)>,
    /// Other spellings, with the words that they stand for: a text may contain `backoff` for `back off`, and `tier 3` for
    /// `tier3`.
    pub compounds: Vec<Spelling>,
    /// The same for words in no document: `roll back` for `rollback`, `colour` for `color`. Most are meaningless.
    pub of_missing: Vec<Spelling>,
    /// Whether the query was truncated.
    pub is_cut: bool,
}

/// Quotation marks; text from a browser or an editor often has typographic ones.
const QUOTATION_MARKS: [char; 7] = ['"', '“', '”', '„', '‟', '«', '»'];

impl ParsedQuery {
    /// Any text is a valid query. Text between two quotation marks is a phrase; an unpaired quotation mark is ignored.
    pub(super) fn parse(text: &str) -> Self {
        let kept = match text.char_indices().nth(LONGEST) {
            Some((end, _)) => text.get(..end).unwrap_or(text),
            None => text,
        };
        let mut terms = Terms::default();
        let composed = composed(kept);
        let pieces: Vec<&str> = composed.split(QUOTATION_MARKS).collect();
        let mut joined = Vec::new();
        for (at, piece) in pieces.iter().enumerate() {
            // A piece after an odd number of marks is quoted, unless it is the last one, which is not closed.
            if at % 2 == 1 && at + 1 < pieces.len() {
                terms.add_phrase(piece);
            } else {
                terms.add_words(piece);
                joined.extend(joined_parts(piece).take(COMPOUNDS));
            }
        }
        let spaced: Vec<&str> = composed.split_whitespace().collect();
        let (numbered, mut compounds) =
            (numbered(&spaced), compounds(&spaced, |pair| pair.iter().any(|word| has_content(word))));
        let mut seen: HashSet<String> = compounds.iter().map(|(word, _)| word.clone()).collect();
        let terms = terms.chosen();
        compounds.extend(joined.into_iter().filter(|(word, _)| seen.insert(word.clone())).take(COMPOUNDS));
        compounds.extend(words(&composed).filter_map(numbered_name).take(COMPOUNDS));
        let of_missing = terms
            .iter()
            .filter(|term| may_have_spellings(term))
            .take(COMPOUNDS)
            .flat_map(|term| spellings_of_missing(term));
        let (text, is_cut) = (kept.trim().to_owned(), kept.len() < text.len());
        Self { numbered, compounds, of_missing: of_missing.collect(), text, terms, is_cut }
    }
}

/// The phrases of single digits and capitals with informative words beside them.
fn numbered(words: &[&str]) -> Vec<(usize, String)> {
    let is_single = |word: &str| {
        let mut chars = word.chars();
        chars.next().is_some_and(|char| char.is_numeric() || char.is_uppercase())
            && chars.next().is_none()
            && !has_content(word)
            && !is_stop_word(&word.to_lowercase())
    };
    let is_word = |word: &str| has_content(word) && word.chars().all(char::is_alphanumeric);
    let mut seen = HashSet::new();
    let phrase = |(at, [one, other]): (usize, [&str; 2])| {
        let single = if is_word(one) && is_single(other) { at + 1 } else { at };
        let has_both = single > at || is_single(one) && is_word(other);
        has_both.then(|| (single, format!("{one} {other}").to_lowercase()))
    };
    let phrases = pairs(words).enumerate().filter_map(phrase);
    phrases.filter(|(_, phrase)| seen.insert(phrase.clone())).take(COMPOUNDS).collect()
}

/// Collects terms, and uninformative words, which count only if there are no others.
#[derive(Default)]
struct Terms {
    found: Vec<String>,
    seen: HashSet<String>,
    weak: Vec<String>,
}

impl Terms {
    /// Adds what is quoted. A run without blanks is its own phrase: a word of the index is all between two separators.
    fn add_phrase(&mut self, text: &str) {
        let words: Vec<&str> = words(text).collect();
        let is_spaced = |word: &str| !word.contains(is_unspaced);
        for words in words.chunk_by(|one, other| is_spaced(one) && is_spaced(other)) {
            match words {
                [word] => match unspaced_phrase(word) {
                    Some(phrase) => self.add(phrase),
                    None => self.add_words(word),
                },
                _ => self.add(words.join(" ").to_lowercase()),
            }
        }
    }

    fn add_words(&mut self, text: &str) {
        for word in text.split(char::is_whitespace) {
            self.add_name(word);
        }
    }

    /// Adds the words between two blanks. A name of several words is also a phrase; otherwise its only occurrence would
    /// be lost among many documents that contain some of its words.
    fn add_name(&mut self, name: &str) {
        let parts = || words(name);
        let is_name = |gap: &str| gap.len() <= LONGEST_JOINT && gap.chars().all(|char| JOINERS.contains(&char));
        let inside = name.trim_matches(|char: char| !is_of_word(char));
        let joints = inside.split(is_of_word).filter(|gap| !gap.is_empty());
        let is_phrase = parts().nth(1).is_some() && !name.contains(is_unspaced);
        if is_phrase && joints.clone().all(is_name) && parts().any(has_content) {
            self.add(parts().collect::<Vec<_>>().join(" ").to_lowercase());
        }
        versions(name).for_each(|version| self.add(version));
        for word in parts() {
            for form in forms(word) {
                let term = unspaced_phrase(&form).unwrap_or_else(|| form.to_lowercase());
                if has_content(&term) {
                    self.add(term);
                } else {
                    self.weak.push(term);
                }
            }
        }
    }

    fn add(&mut self, term: String) {
        if self.seen.insert(term.clone()) {
            self.found.push(term);
        }
    }

    fn chosen(mut self) -> Vec<String> {
        if self.found.is_empty() {
            std::mem::take(&mut self.weak).into_iter().for_each(|term| self.add(term));
        }
        self.found
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn any_text_is_a_query() {
        for (text, expected) in [
            ("circuit breaker", vec!["circuit", "breaker"]),
            ("How do I retry a payment?", vec!["retry", "payment"]),
            ("what is it", vec!["what", "is", "it"]),
            ("C", vec!["c"]),
            ("retry RETRY Retry", vec!["retry"]),
            ("selectReferences of_the desk", vec!["selectreferences", "select", "references", "desk"]),
            ("retry_limit_total", vec!["retry limit total", "retry", "limit", "total"]),
            ("(spec.syncPolicy)", vec!["spec syncpolicy", "spec", "syncpolicy", "sync", "policy"]),
            ("std::fs and/or blue-green, a-b", vec!["std fs", "std", "fs", "blue green", "blue", "green"]),
            ("call(one,two) e.g. now...then", vec!["call", "one", "two"]),
            ("\"blue green\" deploy", vec!["blue green", "deploy"]),
            ("“blue green” deploy", vec!["blue green", "deploy"]),
            ("«blue green» „red black“", vec!["blue green", "red black"]),
            ("\"what is\" a saga", vec!["what is", "saga"]),
            ("\"retry\"", vec!["retry"]),
            ("an \"open mark", vec!["open", "mark"]),
            ("a\"b\"c", vec!["a", "b", "c"]),
            ("upgrade from v2.8 to 2.9.1", vec!["upgrade", "v2 8", "2 8", "v2", "2 9 1"]),
            ("NEAR(a b, 2) OR title:x* ^y -z", vec!["near", "title x", "title"]),
            ("Größe ändern", vec!["größe", "grösse", "ändern"]),
            ("日本語の 検索", vec!["日本 本語 語の", "日本", "本語", "語の", "検索"]),
            ("\"再試行\" \"再試\" 三", vec!["再試 試行", "再試", "三"]),
            ("\"写代码，然后部署\"", vec!["写代 代码", "然后 后部 部署"]),
            ("\"京都、大阪 3\"", vec!["京都", "大阪"]),
            ("\"a circuit breaker 데이터\"", vec!["a circuit breaker", "데이 이터"]),
            ("検索/東京都", vec!["検索", "東京 京都", "東京", "京都"]),
            ("用Rust写代码", vec!["用rust写代码", "用", "rust", "写代 代码", "写代", "代码"]),
            ("ผ่าน ร", vec!["ผ่ ่า าน", "ผ่", "่า", "าน"]),
            ("池", vec!["池"]),
            ("a retry 池", vec!["retry", "池"]),
            ("水 と 水道", vec!["水", "水道"]),
            ("retry\0payment", vec!["retry", "payment"]),
            ("\"", vec![]),
            ("?! — …", vec![]),
            ("🦀 😀", vec![]),
            ("", vec![]),
        ] {
            assert_eq!(ParsedQuery::parse(text).terms, expected, "{text}");
        }
    }

    #[test]
    fn neighbouring_words_may_be_written_as_one() {
        for (text, expected) in [
            ("how do retries back off?", &["doretries", "retriesback", "backoff"][..]),
            ("Back Off back off", &["backoff", "offback"]),
            ("what is it", &[]),
            ("retry_limit total, time out. Again", &["timeout", "retrylimit"]),
            ("\"blue green\" a saga", &[]),
            ("retry", &[]),
            ("tier3, E1042", &["tier 3", "e 1042"]),
            ("v2 e2e node18 第3章", &[]),
            ("back-off, sub_agent re-try-policy", &["backoff", "subagent", "retry", "trypolicy"]),
            ("e-mail x-y tier-3 a_b `web-site`", &["email", "website"]),
            ("time out (time-out)", &["timeout"]),
            ("\"back-off\"", &[]),
        ] {
            let found: Vec<String> = ParsedQuery::parse(text).compounds.into_iter().map(|(word, _)| word).collect();
            assert_eq!(found, expected, "{text}");
        }
        let many: Vec<String> =
            (b'a'..=b'z').flat_map(|a| (b'a'..=b'z').map(move |b| format!("{0}{1}x", a as char, b as char))).collect();
        assert_eq!(ParsedQuery::parse(&many.join(" ")).compounds.len(), COMPOUNDS);
    }

    #[test]
    fn a_single_character_counts_with_the_word_beside_it() {
        for (text, expected) in [
            ("what does tier 3 include?", &[(3, "tier 3"), (3, "3 include")][..]),
            ("Plan B.", &[(1, "plan b")]),
            ("the C compiler", &[(1, "c compiler")]),
            ("tier 3 tier 3", &[(1, "tier 3"), (1, "3 tier")]),
            ("retry a call, i 3", &[]),
            ("sicurezza e dati, praca w domu", &[]),
            ("layer, 3 - api", &[]),
            ("\"tier 3\" tier-3 tier3", &[]),
        ] {
            let found = ParsedQuery::parse(text).numbered;
            let found: Vec<_> = found.iter().map(|(at, phrase)| (*at, phrase.as_str())).collect();
            assert_eq!(found, expected, "{text}");
        }
    }

    #[test]
    fn a_word_in_no_document_may_be_written_otherwise() {
        for (text, expected) in [
            ("Rollback?", &["r ollback", "ro llback", "rol lback", "roll back", "rollb ack", "rollba ck"][..]),
            ("login", &["l ogin", "log in"]),
            ("größe", &["g röße", "gr öße", "grö ße", "g rösse", "gr össe", "grö sse", "grös se"]),
            ("asset", &["ass et"]),
            ("email", &["e mail", "em ail", "ema il"]),
            ("cover", &["cov er"]),
            ("colour", &["color", "c olour", "col our", "colo ur"]),
            ("wifi \"roll back\" which e1042x 再試行再試行", &[]),
            ("aaaaaaaaaaaaaaaaaaaaa", &[]),
        ] {
            let found: Vec<String> =
                ParsedQuery::parse(text).of_missing.into_iter().map(|(phrase, _)| phrase).collect();
            assert_eq!(found, expected, "{text}");
        }
    }

    #[test]
    fn a_long_query_is_cut() {
        for (length, is_cut) in [(4_096, false), (4_097, true), (100_000, true)] {
            let query = ParsedQuery::parse(&"é".repeat(length));
            assert_eq!((query.is_cut, query.text.chars().count()), (is_cut, length.min(LONGEST)));
        }
    }

    proptest! {
        #[test]
        fn terms_are_words_each_once(text in r#"[a-zA-Z0-9_"'é🦀.\-\s\x00]{0,200}"#) {
            let query = ParsedQuery::parse(&text);
            let unique: HashSet<&String> = query.terms.iter().collect();
            prop_assert_eq!(unique.len(), query.terms.len());
            for term in &query.terms {
                prop_assert!(!term.is_empty() && term.chars().all(|char| char == ' ' || char.is_alphanumeric()));
            }
            prop_assert_eq!(query.terms.is_empty(), words(&text).next().is_none());
        }
    }
}
