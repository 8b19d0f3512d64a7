//! The tags of one source, in the order of their importance.

use super::{AllSources, LENGTH, TagInput, document_number, folders, given, is_place, phrase, without_number};
use crate::propose::shown_text;
use crate::words::{names_in, stem};
use refdesk_text::common_words::is_common;
use refdesk_text::fold::same_tag;
use refdesk_text::stop_words::is_stop_word;
use refdesk_text::words::is_listed;

/// The most tags of a source.
pub(super) const TAGS: usize = 6;

/// Up to this many sources may share a word as their only tag: that many hints are still short.
const FEW: usize = 20;

/// How often a document must use a word for it to become a tag.
const MIN: u32 = 3;

/// Headings in decision record templates, and states of decisions: words of any record, whatever the decision is.
const DECISION_WORDS: &str = "accepted alternatives approved assumptions cons consequence consequences considered context deciders decision \
                        decisions deprecated driver drivers implications negative neutral option options outcome positive pros proposed \
                        rationale rejected status superseded";

pub(super) fn tags(source: &TagInput<'_>, id: &str, all: &AllSources<'_>) -> Vec<String> {
    let mut tags = SourceTags { source, id, all, tags: Vec::new() };
    tags.add_given();
    let number = document_number(source.title);
    let titled = tags.add_title(number.as_deref().unwrap_or_default());
    tags.add_other_forms(&titled);
    tags.add_words();
    if tags.tags.is_empty() {
        tags.add_name();
    }
    let mut tags = tags.tags;
    if let Some(number) = number.filter(|number| !tags.contains(number) && *number != id) {
        tags.truncate(TAGS - 1);
        tags.push(number);
    }
    tags
}

/// The tags of a source so far.
struct SourceTags<'a> {
    source: &'a TagInput<'a>,
    id: &'a str,
    all: &'a AllSources<'a>,
    tags: Vec<String>,
}

impl SourceTags<'_> {
    fn add(&mut self, tag: String) {
        let is_same = |known: &String| same_tag(known, &tag) || stem(known) == stem(&tag);
        if self.tags.len() < TAGS && !self.tags.iter().any(is_same) && self.is_free(&tag) {
            self.tags.push(tag);
        }
    }

    /// Whether the tag is not the id of another source.
    fn is_free(&self, tag: &str) -> bool {
        tag == self.id || !self.all.ids.contains(tag)
    }

    /// Adds the tags of the front matter and the folders.
    fn add_given(&mut self) {
        // Users do not type an id of several words in a sentence.
        let is_id = |tag: &String| tag.contains('-') && self.id.ends_with(tag.as_str());
        let tags = given(self.source).chain(folders(self.source).filter(|tag| !is_id(tag)));
        let own: Vec<String> = tags.filter(|tag| !self.all.share_tag(tag)).collect();
        own.into_iter().for_each(|tag| self.add(tag));
    }

    /// Adds the words of the title, or the title as a whole; returns the words. Those in the document's number are not
    /// words of its subject.
    fn add_title(&mut self, number: &str) -> Vec<String> {
        let (title, file) = (self.source.title, &self.source.stem);
        let words: Vec<String> = names_in(title).map(str::to_lowercase).collect();
        let is_plain = words.iter().all(|word| is_common(word));
        let is_subject = |word: &String| self.all.names(word, &stem(word)) && !number.starts_with(word.as_str());
        let words: Vec<String> = words.into_iter().filter(is_subject).collect();
        words.iter().for_each(|word| self.add(word.clone()));
        // `HTTP/2` of `http2.md` is not a word; users type both.
        let squeezed: String = title.chars().filter(|c| c.is_alphanumeric()).collect();
        if words.is_empty() && squeezed != title && squeezed.to_lowercase() == *file {
            self.add(file.clone());
            let whole = title.to_lowercase();
            if !whole.contains(char::is_whitespace) {
                self.add(whole);
            }
        }
        let is_unique = |phrase: &String| self.all.with_title.get(phrase) == Some(&1);
        if is_plain && let Some(phrase) = phrase(title).filter(is_unique) {
            self.add(phrase);
        }
        words
    }

    /// Adds the forms of the title's words that the text uses most: users type both "a timeout" and "timeouts".
    fn add_other_forms(&mut self, titled: &[String]) {
        let words = self.source.words.iter().filter(|it| it.count >= MIN);
        let forms =
            words.filter(|it| titled.iter().any(|word| *word != it.word && stem(word) == it.stem)).map(|it| &it.word);
        for form in forms {
            let is_new = !self.tags.iter().any(|known| same_tag(known, form));
            if self.tags.len() < TAGS && is_new && self.is_free(form) {
                self.tags.push(form.clone());
            }
        }
    }

    /// Adds the words that distinguish the document from the others.
    fn add_words(&mut self) {
        let mut scored: Vec<(f64, &str)> = self
            .source
            .words
            .iter()
            .filter(|it| it.count >= MIN && self.all.tells(&it.word, &it.stem))
            .filter(|it| !self.source.is_decision || !is_listed(DECISION_WORDS, &it.word))
            .map(|it| (self.all.frequencies.score(&it.stem, it.count), it.word.as_str()))
            .collect();
        scored.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.cmp(b.1)));
        scored.into_iter().take(2 * TAGS).for_each(|(_, word)| self.add(word.to_owned()));
    }

    /// Adds the words of the name, although other texts contain them.
    fn add_name(&mut self) {
        let is_of_many = |word: &str| self.all.count > FEW && self.all.share_title(&stem(word));
        only_by_name(self.source, self.id, is_of_many).into_iter().for_each(|tag| self.add(tag));
    }
}

/// Tags for a source that has no others: the words of its name, even if other texts contain them. If those are common,
/// or in the names of a third of the sources, the whole name if it is short, or the id in words. Without a tag, only
/// its id would bring the source up.
fn only_by_name(source: &TagInput<'_>, id: &str, is_of_many: impl Fn(&str) -> bool) -> Vec<String> {
    let is_tag = |tag: &String| {
        let length = tag.chars().filter(|c| c.is_alphanumeric()).count();
        (2..=LENGTH).contains(&length) && tag.chars().count() <= LENGTH && !is_stop_word(tag)
    };
    let says_something = |word: &String| !is_common(word) && !is_of_many(word) && is_tag(word);
    let words: Vec<String> = names_in(source.title).map(str::to_lowercase).filter(says_something).collect();
    if !words.is_empty() {
        return words;
    }
    let name = without_number(&shown_text(source.title)).to_lowercase();
    let has_subject = |name: &String| name.split_whitespace().any(|word| !is_stop_word(word));
    let short = Some(name).filter(|name| name.split_whitespace().count() <= 3 && has_subject(name) && is_tag(name));
    let is_number = |word: &str| word.bytes().all(|byte| byte.is_ascii_digit());
    let is_word = |word: &&str| word.chars().count() > 1 && !is_place(word) && !is_stop_word(word) && !is_number(word);
    let of_id = || id.split('-').filter(is_word).collect::<Vec<_>>().join(" ");
    short.or_else(|| Some(of_id()).filter(is_tag)).into_iter().collect()
}
