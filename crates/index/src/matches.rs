//! Finds the words of a text that match the words of a query. Full-text search matches whole documents; this applies
//! the same rules to each word, so that the section and the excerpt shown for a document contain the words it was found
//! by.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::ops::Range;

use crate::stem::stem;
use crate::words::{
    composed, composed_positions, folded, in_basic_letters, initial, is_unspaced, is_unspaced_phrase, parts, range_of,
    unspaced_run, words,
};

/// A matching word of a text, or the matching part of a name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Match {
    /// Its byte range in the text.
    pub range: Range<usize>,
    /// The index of the term that it matches.
    pub wanted: usize,
    /// Whether it is exactly that term, not another form of it.
    pub is_exact: bool,
}

/// The words of a text that match one of these terms, in text order. Terms are words, or phrases with blanks between
/// the words. A word may match several terms, and each word of a phrase is a match.
pub(crate) fn matches(text: &str, terms: &[String]) -> Vec<Match> {
    let Cow::Owned(composed) = composed(text) else { return matches_in(text, terms) };
    let mut found = matches_in(&composed, terms);
    let positions = composed_positions(text);
    for Match { range, .. } in &mut found {
        let start = positions.partition_point(|(composed, _)| *composed <= range.start).saturating_sub(1);
        let end = positions.partition_point(|(composed, _)| *composed < range.end);
        let original = |at: usize| positions.get(at).map_or(text.len(), |(_, original)| *original);
        *range = original(start)..original(end);
    }
    found
}

/// The matches in a text with composed characters.
fn matches_in(text: &str, terms: &[String]) -> Vec<Match> {
    let wanted = QueryTerms::of(terms);
    let whole: Vec<Token> = words(text).map(|word| wanted.compared(word, text)).collect();
    let in_parts: Vec<Token> = words(text).flat_map(parts).map(|part| wanted.compared(part, text)).collect();
    let mut found = Vec::new();
    wanted.find(&whole, |_, _| true, &mut found);
    // A part with one character does not find a name, but may be a number in a version.
    wanted.find(&in_parts, |part, term| part.text.chars().nth(1).is_some() || term.len() > 1, &mut found);
    for part in words(text).flat_map(parts).filter(|part| part.starts_with(is_unspaced)) {
        wanted.find_unspaced(part, range_of(part, text).start, &mut found);
    }
    found.sort_by_key(|it| (it.range.start, std::cmp::Reverse(it.range.end), it.wanted));
    found.dedup();
    found
}

/// The number of different terms found, and how many of them were found exactly.
pub(crate) fn different<'m>(found: impl Iterator<Item = &'m Match>) -> (usize, usize) {
    // Linear search: there are few terms, and this is called for each match.
    let (mut all, mut exact) = (Vec::new(), Vec::new());
    for Match { wanted, is_exact, .. } in found {
        if !all.contains(wanted) {
            all.push(*wanted);
        }
        if *is_exact && !exact.contains(wanted) {
            exact.push(*wanted);
        }
    }
    (all.len(), exact.len())
}

/// A word of a text or term in the form that search compares.
struct Token {
    range: Range<usize>,
    text: String,
    stems: Vec<String>,
}

impl Token {
    /// A word or a part of a name, which also matches in basic letters.
    fn of(word: &str, text: &str) -> Self {
        let folded = folded(word);
        let mut token = Self { range: range_of(word, text), stems: vec![stem(&folded).into_owned()], text: folded };
        if let Some(basic) = in_basic_letters(&token.text) {
            token.stems.push(stem(&basic).into_owned());
            token.text = basic;
        }
        token
    }

    fn is_form_of(&self, other: &Self) -> bool {
        self.stems.iter().any(|stem| other.stems.contains(stem))
    }
}

struct QueryTerms {
    /// The words of each term.
    terms: Vec<Vec<Token>>,
    /// The terms whose first word has this stem.
    by_stem: HashMap<String, Vec<usize>>,
    /// The terms in scripts without blanks, with their indexes; phrases of pairs as the run that they come from.
    unspaced: Vec<(usize, String)>,
    /// The first letters of all words of the terms.
    initials: HashSet<char>,
}

impl QueryTerms {
    fn of(terms: &[String]) -> Self {
        let initials = terms.iter().flat_map(|term| words(term)).filter_map(initial).collect();
        let tokens: Vec<Vec<Token>> =
            terms.iter().map(|term| words(term).map(|word| Token::of(word, term)).collect()).collect();
        let mut by_stem: HashMap<String, Vec<usize>> = HashMap::new();
        let mut unspaced = Vec::new();
        for (at, (term, words)) in terms.iter().zip(&tokens).enumerate() {
            unspaced.extend(unspaced_run(term).map(|run| (at, run)));
            let Some(first) = words.first().filter(|_| !is_unspaced_phrase(term)) else { continue };
            for stem in &first.stems {
                by_stem.entry(stem.clone()).or_default().push(at);
            }
        }
        Self { terms: tokens, by_stem, unspaced, initials }
    }

    /// A word of a text. Computes no stem if no term begins with its first letter, which is so for most words.
    fn compared(&self, word: &str, text: &str) -> Token {
        match initial(word) {
            Some(letter) if self.initials.contains(&letter) => Token::of(word, text),
            _ => Token { range: range_of(word, text), text: String::new(), stems: Vec::new() },
        }
    }

    /// Finds all terms in a text with these words. `counts` tells whether a word may begin a term.
    fn find(&self, words: &[Token], counts: impl Fn(&Token, &[Token]) -> bool, found: &mut Vec<Match>) {
        for (nth, first) in words.iter().enumerate() {
            let rest = words.get(nth..).unwrap_or_default();
            let with_stem = first.stems.iter().filter_map(|stem| self.by_stem.get(stem)).flatten();
            for (wanted, term) in with_stem.filter_map(|wanted| Some((*wanted, self.terms.get(*wanted)?))) {
                let has_all =
                    rest.len() >= term.len() && rest.iter().zip(term).all(|(word, wanted)| word.is_form_of(wanted));
                if has_all && counts(first, term) {
                    found.extend(rest.iter().zip(term).map(|(word, other)| Match {
                        range: word.range.clone(),
                        wanted,
                        is_exact: word.text == other.text,
                    }));
                }
            }
        }
    }

    /// Finds the terms in a part of a text without blanks, which search finds by pairs of characters and single ones.
    fn find_unspaced(&self, part: &str, start: usize, found: &mut Vec<Match>) {
        for (at, _) in part.char_indices() {
            let (from, rest) = (start + at, part.get(at..).unwrap_or_default());
            let here = self.unspaced.iter().filter(|(_, term)| rest.starts_with(term.as_str()));
            found.extend(here.map(|(wanted, term)| Match {
                range: from..from + term.len(),
                wanted: *wanted,
                is_exact: true,
            }));
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::pieces::terms;
    use crate::schema;
    use crate::sqlite::term_query;
    use crate::words::{split_names, unspaced_phrase};

    /// An index of one text.
    fn indexed(text: &str) -> rusqlite::Connection {
        let mut connection = rusqlite::Connection::open_in_memory().unwrap();
        schema::create(&mut connection, &[]).unwrap();
        let sql = "INSERT INTO documents (doc_type, source_id, file_path, heading, line, end_line, content, keywords, content_hash,
                       sections, is_boilerplate, part_key, seal) VALUES ('text', '', '', '', 1, 1, ?, ?, x'', '[]', 0, 0, x'')";
        connection.execute(sql, (text, split_names(text))).unwrap();
        connection
    }

    proptest! {
        #[test]
        fn a_text_is_found_by_what_matches_in_it(
            text in "((é|ü|ß|ł|Ø|æ|ё|E\u{301}|[abAB1]){1,3}(s|ies|y|ed|ing|es|S)?|v[12]|[水日本語]{1,4}|οδός|ΟΔΟΣ)([ _.,:-](([abAB1]|é|ß){1,3}(s|y|ed|ing)?|[水日本語a]{1,4})){0,5}",
            query in "(é|ü|ß|l|o|ae|е|[abAB1]){1,3}(s|ies|y|ed|ing|es|S)?|v[12]|[水日本語]{1,4}|ab[AB][ab]",
        ) {
            for terms in [terms(&query), unspaced_phrase(&query).into_iter().collect()] {
                let any: Vec<String> = terms.iter().map(|term| term_query(term)).collect();
                let sql = "SELECT count(*) FROM documents_fts WHERE documents_fts MATCH ?";
                let is_found = !terms.is_empty()
                    && indexed(&text).query_row(sql, [any.join(" OR ")], |row| row.get::<_, i64>(0)).unwrap() > 0;
                prop_assert_eq!(!matches(&text, &terms).is_empty(), is_found, "{:?}", terms);
            }
        }
    }

    #[test]
    fn words_match_as_search_finds_them() {
        for (text, terms, expected) in [
            ("Retries and retrying: retry.", &["retry"][..], "Retries retrying retry"),
            ("a VM, two VMs", &["vm"], "VM VMs"),
            ("a VM, two VMs", &["vms"], "VM VMs"),
            ("Deployment, deploys", &["deploy"], "deploys"),
            ("an application of apps", &["app"], "apps"),
            ("Café, cafe\u{301} and CAFE", &["cafe"], "Café cafe\u{301} CAFE"),
            ("Café, cafe\u{301} and CAFE", &["café"], "Café cafe\u{301} CAFE"),
            ("Größe und GRÖSSE", &["grösse"], "Größe GRÖSSE"),
            ("Łódź, lodz and ŁÓDŹ", &["lodz"], "Łódź lodz ŁÓDŹ"),
            ("Ёлка, елка", &["ёлка"], "Ёлка елка"),
            ("node18, nodes, nodeSelector", &["node"], "node nodes node"),
            ("call selectReferences", &["reference"], "References"),
            ("selectReferences", &["selectreferences", "references"], "selectReferences References"),
            ("E1016, E10161, e1016", &["e1016"], "E1016 e1016"),
            ("zoneA, zoneB and zones", &["zonea"], "zoneA"),
            ("v2.8, 2.8 and 2, 8", &["2 8"], "2 8 2 8 2 8"),
            ("2 of v2", &["2"], "2"),
            ("selectReferences, select_references", &["select references"], "select References select references"),
            ("blue and green, blue-green", &["blue green"], "blue green"),
            ("spec.syncPolicy and the spec", &["spec syncpolicy"], "spec syncPolicy"),
            ("支払いの再試行は三回", &["再試行", "再試", "試行"], "再試行 再試 試行"),
            ("使用Rust编写", &["rust", "编写"], "Rust 编写"),
            ("東京 京都, 東京都", &["東京 京都"], "東京都"),
            ("- カ\u{3099}イト\u{3099}!", &["ガイド"], "カ\u{3099}イト\u{3099}"),
            ("cafe\u{301} \u{110b}\u{1167}\u{11ab} x", &["연", "x"], "\u{110b}\u{1167}\u{11ab} x"),
            ("水と水", &["水"], "水 水"),
            ("हिन्दी दी", &["दी"], "दी"),
            ("เปลี่ยนรหัส", &["รห หั ัส"], "รหัส"),
            ("水 と 水道", &["水"], "水 水"),
            ("ΟΔΟΣ, οδός", &["οδοσ"], "ΟΔΟΣ οδός"),
            ("nothing here", &["retry"], ""),
            ("nothing here", &[], ""),
            ("", &["retry"], ""),
        ] {
            let terms: Vec<String> = terms.iter().map(ToString::to_string).collect();
            let found = matches(text, &terms);
            let found: Vec<&str> = found.into_iter().map(|it| &text[it.range]).collect();
            assert_eq!(found.join(" "), expected, "{text} {terms:?}");
        }
    }
}
