//! Tags of proposed sources: those in the front matter, names of folders, and the words that distinguish a document
//! from the others of its repository. Words of the title come first, in the title's form and in the form that the text
//! uses most; a title of two or three common words is a tag as a whole.
//!
//! The score of a word is `c · ln(1 + N / n)`: `c` counts its occurrences in the document (those in headings, in the
//! title and in the description count three times), `N` is the number of documents, and `n` the number of documents
//! that contain the word. Forms of a word count as one. A word needs `c ≥ 3`.

mod of_source;

use std::collections::{HashMap, HashSet};

use super::ids::slug;
use super::propose::shown_text;
use super::words::{names_in, stem};
use refdesk_text::common_words::is_common;
use refdesk_text::fold::can_match;
use refdesk_text::stop_words::is_stop_word;
use refdesk_text::words::is_listed;

/// With at least this many sources, a tag that a third of them would have is left out.
const SHARING: usize = 6;

/// Folders named for their role, not for a subject.
const PLACES: &str = "adr adrs agents apps app assets book content contents cursor claude crates decisions doc docs documentation \
                      documents examples guide guides handbook internal lib libs manual markdown md misc miscellaneous modules notes other packages \
                      pages pkg posts projects public references resources rules site skills source sources src static text \
                      website wiki www";

/// The most characters of a tag.
const LENGTH: usize = 40;

/// The parts of a document or source that its tags are made from.
#[derive(Debug, Default)]
pub(crate) struct TagInput<'a> {
    /// Tags of its front matter.
    pub given: &'a [String],
    /// Names of its folders, from the top.
    pub folders: Vec<String>,
    /// Its name.
    pub title: &'a str,
    /// The name of its file without the extension, in lower case; empty without a file.
    pub stem: String,
    /// Whether it records a decision.
    pub is_decision: bool,
    /// Stem, word and count.
    pub words: &'a [super::words::WordCount],
}

/// The letters and number at the start of a title, as in `ADR-004: Retries` or `RFC 12`.
pub(crate) fn document_number(title: &str) -> Option<String> {
    let is_end = |c: char| matches!(c, ':' | '.' | ',' | ')' | '–' | '—');
    let mut words = title.split_whitespace().map(|word| word.trim_end_matches(is_end));
    let first = words.next()?;
    let is_number = |text: &str| (1..=6).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit());
    let is_letters = |text: &str| {
        (2..=12).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_uppercase() || byte == b'-')
    };
    let (letters, number) = match first.rsplit_once('-') {
        Some(parts) if is_number(parts.1) => parts,
        _ => (first, words.next()?),
    };
    (is_letters(letters) && is_number(number)).then(|| format!("{letters}-{number}").to_lowercase())
}

/// A title without the number in front of it, as in `2. Use Go`, `3) Retries` or `0004 Sagas`, which no prompt contains.
/// A year and a number within a word stay.
pub(crate) fn without_number(title: &str) -> &str {
    let is_punctuation = |c: char| matches!(c, '.' | ':' | ')' | '-' | '–' | '—');
    let title = title.trim();
    let first = title.split_whitespace().next().unwrap_or_default();
    let number = first.trim_end_matches(is_punctuation);
    let digits = number.chars().filter(char::is_ascii_digit).count();
    let is_number = number.starts_with(|c: char| c.is_ascii_digit())
        && number.chars().all(|c| c.is_ascii_digit() || c == '.')
        && (digits < 4 || number.starts_with('0') || number != first);
    let rest = title.get(first.len()..).unwrap_or_default();
    let rest = rest.trim_start_matches(|c: char| c.is_whitespace() || is_punctuation(c));
    if is_number && !rest.is_empty() { rest } else { title }
}

/// How many documents contain the words of each stem.
#[derive(Debug, Default)]
pub(crate) struct Frequencies<'a> {
    documents: usize,
    by_stem: HashMap<&'a str, usize>,
}

impl<'a> Frequencies<'a> {
    pub(crate) fn of(documents: impl Iterator<Item = &'a [super::words::WordCount]>) -> Self {
        let mut frequencies = Self::default();
        for words in documents {
            frequencies.documents += 1;
            for word in words {
                *frequencies.by_stem.entry(&word.stem).or_default() += 1;
            }
        }
        frequencies
    }

    /// How many documents contain this word in any form.
    pub(crate) fn of_word(&self, word: &str) -> usize {
        self.of_stem(&stem(word))
    }

    fn of_stem(&self, stem: &str) -> usize {
        self.by_stem.get(stem).copied().unwrap_or(0)
    }

    fn score(&self, stem: &str, count: u32) -> f64 {
        let in_documents = self.of_stem(stem).max(1);
        #[allow(clippy::cast_precision_loss, reason = "there are few documents")]
        let rarity = (1.0 + self.documents as f64 / in_documents as f64).ln();
        f64::from(count) * rarity
    }
}

/// Whether a folder of this name is named for its role.
pub(super) fn is_place(name: &str) -> bool {
    is_listed(PLACES, name)
}

/// The tags of each source, none of which is the id of another.
pub(crate) fn assign(sources: &[TagInput<'_>], all_ids: &[String], frequencies: &Frequencies<'_>) -> Vec<Vec<String>> {
    let all = AllSources {
        count: sources.len(),
        with_tag: counted(sources.iter().map(|source| given(source).chain(folders(source)).collect())),
        with_title: counted(sources.iter().map(|source| {
            let words = names_in(source.title).map(|word| stem(&word.to_lowercase()));
            words.chain(phrase(source.title)).collect()
        })),
        ids: all_ids.iter().map(String::as_str).collect(),
        frequencies,
    };
    let id_at = |at: usize| all_ids.get(at).map_or("", String::as_str);
    sources.iter().enumerate().map(|(at, source)| of_source::tags(source, id_at(at), &all)).collect()
}

/// In how many of these lists each entry is.
fn counted(lists: impl Iterator<Item = Vec<String>>) -> HashMap<String, usize> {
    let mut counts = HashMap::new();
    for mut list in lists {
        list.sort_unstable();
        list.dedup();
        list.into_iter().for_each(|entry| *counts.entry(entry).or_default() += 1);
    }
    counts
}

/// What the sources have in common, which tells none of them apart.
struct AllSources<'a> {
    count: usize,
    /// How many have each tag in their front matter or folders.
    with_tag: HashMap<String, usize>,
    /// How many have each stem, and each whole phrase, in their titles.
    with_title: HashMap<String, usize>,
    ids: HashSet<&'a str>,
    frequencies: &'a Frequencies<'a>,
}

impl AllSources<'_> {
    /// Whether a third of the sources have this tag in their front matter or folders.
    fn share_tag(&self, tag: &str) -> bool {
        is_shared(self.with_tag.get(tag).copied().unwrap_or(0), self.count)
    }

    /// Whether a third of the sources have words of this stem in their titles.
    fn share_title(&self, stem: &str) -> bool {
        is_shared(self.with_title.get(stem).copied().unwrap_or(0), self.count)
    }

    /// Whether a word tells what a document is about.
    fn tells(&self, word: &str, stem: &str) -> bool {
        !is_common(word) && !is_shared(self.frequencies.of_stem(stem), self.frequencies.documents)
    }

    /// Whether a word of a title tells what its document is about. It may occur in other documents, but in less than two
    /// thirds of all.
    fn names(&self, word: &str, stem: &str) -> bool {
        !is_common(word)
            && !self.share_title(stem)
            && !is_shared(self.frequencies.of_stem(stem) / 2, self.frequencies.documents)
    }
}

/// Whether `count` is at least a third of `all`, if those are enough to tell.
fn is_shared(count: usize, all: usize) -> bool {
    all >= SHARING && count * 3 >= all
}

/// A title of two or three words as a tag: in lower case, without its article.
fn phrase(title: &str) -> Option<String> {
    let mut parts: Vec<String> = without_number(title).split_whitespace().map(str::to_lowercase).collect();
    if parts.first().is_some_and(|first| ["a", "an", "the"].contains(&first.as_str())) {
        parts.remove(0);
    }
    let is_plain = |part: &String| part.chars().all(|c| c.is_alphabetic() || c == '-');
    let has_subject = parts.iter().all(|part| !is_stop_word(part) || matches!(part.as_str(), "and" | "for" | "of"));
    let phrase = parts.join(" ");
    let is_tag = (2..=3).contains(&parts.len()) && parts.iter().all(is_plain) && has_subject && can_match(&phrase);
    (is_tag && phrase.chars().count() <= LENGTH).then_some(phrase)
}

/// The tags of the front matter, in lower case.
fn given<'a>(source: &'a TagInput<'_>) -> impl Iterator<Item = String> + 'a {
    source
        .given
        .iter()
        .map(|tag| shown_text(tag).trim().to_lowercase())
        .filter(|tag| can_match(tag) && tag.chars().count() <= LENGTH)
}

/// Whether each word of the name of a folder, or of a part of an address, is common: users write "how to" and "in depth"
/// about anything.
pub(crate) fn says_nothing(name: &str) -> bool {
    name.split('-').all(|word| is_place(word) || is_common(word) || is_common(&stem(word)))
}

/// The names of the folders, the nearest first.
fn folders<'a>(source: &'a TagInput<'_>) -> impl Iterator<Item = String> + 'a {
    let is_subject = |name: &String| {
        !is_place(name)
            && !says_nothing(name)
            && name.chars().filter(|c| c.is_alphabetic()).count() >= 2
            && name.chars().count() <= LENGTH
    };
    source.folders.iter().rev().take(2).map(|name| slug(name)).filter(is_subject)
}

#[cfg(test)]
mod tests {
    use super::super::words::WordCounter;
    use super::of_source::TAGS;
    use super::*;

    fn tags(documents: &[(&str, &str, &str)], ids: &[&str]) -> Vec<String> {
        let words: Vec<_> = documents
            .iter()
            .map(|(_, _, text)| {
                let mut counter = WordCounter::default();
                counter.add(text, 2);
                counter.counted()
            })
            .collect();
        let given: Vec<Vec<String>> = documents
            .iter()
            .map(|(given, _, _)| given.split(' ').filter(|tag| !tag.is_empty()).map(str::to_owned).collect())
            .collect();
        let sources: Vec<TagInput<'_>> = documents
            .iter()
            .zip(&given)
            .zip(&words)
            .map(|(((_, folders, _), given), words)| TagInput {
                given,
                folders: folders.split('/').map(str::to_owned).collect(),
                words,
                ..TagInput::default()
            })
            .collect();
        let ids: Vec<String> = ids.iter().map(|id| (*id).to_owned()).collect();
        let frequencies = Frequencies::of(words.iter().map(Vec::as_slice));
        assign(&sources, &ids, &frequencies).iter().map(|tags| tags.join(" ")).collect()
    }

    #[test]
    fn front_matter_then_folders_then_words() {
        for (documents, ids, expected) in [
            (&[("Retry", "docs/payments", "kafka kafka broker")][..], &[][..], &["retry payments kafka"][..]),
            (&[("", "docs", "the the example example note note 12 12")], &[], &[""]),
            (
                &[("", "", "brokers broker kafka kafka kafka"), ("", "", "kafka kafka saga saga")],
                &[],
                &["broker kafka", "saga kafka"],
            ),
            (&[("a-b a_b A-B", "", "")], &[], &["a-b"]),
            (&[("", "x/adr-4-retries", "kafka kafka")], &["adr-4-retries"], &["kafka"]),
            (&[("", "", "kafka kafka retry retry")], &["kafka"], &["kafka retry"]),
            (&[("", "", "kafka kafka retry retry")], &["x", "kafka"], &["retry"]),
            (&[("", "how-to", "kafka kafka")], &[], &["kafka"]),
            (&[("", "in-depth/up-and-running", "kafka kafka")], &[], &["kafka"]),
            (&[("", "docs/get-started/as-is", "kafka kafka")], &[], &["kafka"]),
            (&[("", "how-to-fish", "kafka kafka")], &[], &["how-to-fish kafka"]),
            (&[("one two three four five six seven", "x/eight", "nine nine")], &[], &["one two three four five six"]),
        ] {
            assert_eq!(tags(documents, ids), expected, "{documents:?}");
        }
    }

    #[test]
    fn a_number_in_front_of_a_title_is_left_out() {
        for (title, expected) in [
            ("2. Use Go", "Use Go"),
            ("2) Use Go", "Use Go"),
            ("1.2. Use Go", "Use Go"),
            ("0002 Use Go", "Use Go"),
            ("3 – Use Go", "Use Go"),
            ("2024. Use Go", "Use Go"),
            ("2024 goals", "2024 goals"),
            ("2024-05-01 minutes", "2024-05-01 minutes"),
            ("3D printing", "3D printing"),
            ("2-phase commit", "2-phase commit"),
            ("404", "404"),
            ("1.", "1."),
            ("Step 1: begin", "Step 1: begin"),
            ("", ""),
        ] {
            assert_eq!(without_number(title), expected);
        }
    }

    #[test]
    fn numbered_documents() {
        for (title, expected) in [
            ("ADR-004: Resilience Patterns", Some("adr-004")),
            ("ADR 7: Kafka", Some("adr-7")),
            ("ERI-CODE-001", Some("eri-code-001")),
            ("RFC 2119 — key words", Some("rfc-2119")),
            ("ADR-004b", None),
            ("Step 1: begin", None),
            ("1. Record decisions", None),
            ("2024-05-01 minutes", None),
            ("API v2", None),
            ("X 1", None),
            ("HTTP", None),
            ("", None),
        ] {
            assert_eq!(document_number(title).as_deref(), expected, "{title}");
        }
        let words: Vec<_> = {
            let mut counter = WordCounter::default();
            counter.add("kafka kafka redis redis saga saga ledger ledger outbox outbox broker broker tariff tariff", 2);
            counter.counted()
        };
        let of = |number: &str| {
            let source = TagInput { title: number, words: &words, ..TagInput::default() };
            assign(&[source], &["adr-4".to_owned()], &Frequencies::of([words.as_slice()].into_iter())).remove(0)
        };
        assert_eq!((of("ADR-004").len(), of("ADR-004").last().map(String::as_str)), (TAGS, Some("adr-004")));
        assert!(!of("ADR-4").contains(&"adr-4".to_owned()), "it is the id");
    }

    #[test]
    fn a_title_tells_what_a_document_is_about() {
        for (title, text, expected) in [
            ("Timeouts", "timeout timeout timeout timeout kafka kafka", &["timeouts", "timeout", "kafka"][..]),
            ("Resource Limits", "kafka kafka", &["resource limits", "kafka"]),
            ("The init command", "", &["init"]),
            ("The value type", "", &["value type"]),
            ("Overview", "kafka kafka", &["kafka"]),
            ("kafka README", "", &["kafka"]),
            ("How to do it", "", &[]),
            ("Only a value", "", &["only a value"]),
            ("What a long title of values is", "", &[]),
        ] {
            let mut counter = WordCounter::default();
            counter.add(text, 2);
            let words = counter.counted();
            let source = TagInput { title, words: &words, ..TagInput::default() };
            let frequencies = Frequencies::of([words.as_slice()].into_iter());
            assert_eq!(assign(&[source], &["x".to_owned()], &frequencies)[0], expected, "{title}");
        }
        let twice = ["Getting started", "Getting Started"].map(|title| TagInput { title, ..TagInput::default() });
        let ids = ["x".to_owned(), "y".to_owned()];
        assert_eq!(assign(&twice, &ids, &Frequencies::default()), [["getting started"]; 2], "nothing else is left");
    }

    #[test]
    fn a_source_without_other_tags_gets_the_words_of_its_name() {
        for (title, id, expected) in [
            ("mdBook", "x", &["mdbook"][..]),
            ("The widgets of the shop", "x", &["widgets", "shop"]),
            ("Contributing", "just-contributing", &["contributing"]),
            ("What is it for when you do", "docs-what-kafka", &["kafka"]),
            ("What we do", "docs-what-kafka", &["kafka"]),
            ("2. Use Go", "0002-use-go", &["use go"]),
            ("1. Overview", "doc-overview", &["overview"]),
            ("5. Store state in files", "0005-store-state-in-files", &["store state files"]),
            ("2) How to do it", "doc-how", &[]),
            ("A", "docs-a", &[]),
            ("a", "a", &[]),
            ("", "x-readme", &["readme"]),
        ] {
            // A third of the sources share the words.
            let sources: Vec<TagInput<'_>> = (0..6).map(|_| TagInput { title, ..TagInput::default() }).collect();
            let ids: Vec<String> =
                std::iter::once(id.to_owned()).chain((0..5).map(|at| format!("other-{at}"))).collect();
            assert_eq!(assign(&sources, &ids, &Frequencies::default())[0], expected, "{title}");
        }
        let titles: Vec<String> = (0..40).map(|at| format!("Package {at}")).collect();
        let sources: Vec<TagInput<'_>> = titles.iter().map(|title| TagInput { title, ..TagInput::default() }).collect();
        let ids: Vec<String> = (0..40).map(|at| format!("pkg-p{at}")).collect();
        assert_eq!(assign(&sources, &ids, &Frequencies::default())[7], ["package 7"], "one word would bring up all");
    }

    #[test]
    fn names_that_are_no_words_and_words_of_every_decision() {
        for (title, stem, is_decision, expected) in [
            ("HTTP/2", "http2", false, &["http2", "http/2", "context", "kafka"][..]),
            ("HTTP/2", "other", false, &["context", "kafka"]),
            ("Context", "context", false, &["context", "kafka"]),
            ("1. Support no_std", "0001-no-std", true, &["no_std", "kafka"]),
            ("Kafka", "0002-kafka", true, &["kafka"]),
        ] {
            let mut counter = WordCounter::default();
            counter.add("context context context kafka kafka kafka", 1);
            let words = counter.counted();
            let source = TagInput { title, stem: stem.to_owned(), is_decision, words: &words, ..TagInput::default() };
            let frequencies = Frequencies::of([words.as_slice()].into_iter());
            assert_eq!(assign(&[source], &["x".to_owned()], &frequencies)[0], expected, "{title}");
        }
    }

    #[test]
    fn words_shared_by_a_third_of_six_sources_are_not_tags() {
        let documents = [
            ("team", "payroll", "kafka kafka redis redis"),
            ("team", "payroll", "kafka kafka saga saga"),
            ("own", "x1", "outbox outbox"),
            ("", "x2", "ledger ledger"),
            ("", "x3", "broker broker"),
            ("", "x4", "topic topic"),
        ];
        assert_eq!(tags(&documents, &[])[..3], ["redis", "saga", "own outbox"].map(str::to_owned));
        assert_eq!(tags(&documents[..5], &[])[0], "team payroll redis kafka", "five sources are too few");
    }
}
