//! The tokenizer of the embedding model: BERT's normalisation to lower case without accents, then WordPiece.

use std::collections::{HashMap, HashSet};

use unicode_normalization::UnicodeNormalization;
use unicode_properties::{GeneralCategory, GeneralCategoryGroup, UnicodeGeneralCategory};

/// In the vocabulary, marks a piece that continues a word.
const CONTINUES: &str = "##";

/// A longer word, in characters, counts as unknown.
const LONGEST_WORD: usize = 100;

/// A vocabulary and the ids of its special tokens.
pub(crate) struct WordPiece {
    /// Pieces that begin a word.
    first: HashMap<&'static str, i32>,
    /// Pieces that continue a word, without the mark.
    next: HashMap<&'static str, i32>,
    begin: i32,
    end: i32,
    unknown: i32,
    /// The tokens that are not words: punctuation, and the begin and end tokens.
    marks: HashSet<i32>,
}

impl WordPiece {
    /// A tokenizer for a vocabulary of one token per line; ids are line numbers from 0. `None` without special tokens.
    pub(crate) fn new(vocabulary: &'static str) -> Option<Self> {
        let mut first = HashMap::with_capacity(32_768);
        let mut next = HashMap::with_capacity(8_192);
        for (token, id) in vocabulary.lines().zip(0..) {
            match token.strip_prefix(CONTINUES) {
                Some(piece) if !piece.is_empty() => next.insert(piece, id),
                _ => first.insert(token, id),
            };
        }
        let special = |token: &str| first.get(token).copied();
        let (begin, end, unknown) = (special("[CLS]")?, special("[SEP]")?, special("[UNK]")?);
        let punctuation = first.iter().filter(|(token, _)| token.chars().all(is_punctuation)).map(|(_, id)| *id);
        let marks = punctuation.chain([begin, end]).collect();
        Some(Self { first, next, begin, end, unknown, marks })
    }

    /// Whether most of these tokens stand for words that the vocabulary does not contain.
    pub(crate) fn are_mostly_unknown(&self, ids: &[i32]) -> bool {
        let words = ids.iter().filter(|id| !self.marks.contains(id));
        let (unknown, known): (Vec<&i32>, Vec<&i32>) = words.partition(|id| **id == self.unknown);
        unknown.len() > known.len()
    }

    /// The token ids of a text, including the begin and end tokens, at most `most`.
    pub(crate) fn encode(&self, text: &str, most: usize) -> Vec<i32> {
        let mut ids = vec![self.begin];
        let room = most.saturating_sub(1);
        let mut word = String::new();
        for char in text.chars().filter(|char| !is_removed(*char)) {
            if ids.len() >= room {
                break;
            }
            if is_blank(char) {
                self.end_word(&mut word, &mut ids);
            } else if is_ideograph(char) {
                self.end_word(&mut word, &mut ids);
                self.add(char, &mut word, &mut ids);
                self.end_word(&mut word, &mut ids);
            } else {
                self.add(char, &mut word, &mut ids);
            }
        }
        self.end_word(&mut word, &mut ids);
        ids.truncate(room);
        ids.push(self.end);
        ids
    }

    /// Adds a character, which must have no accents, in lower case; punctuation is a word of its own.
    fn add(&self, char: char, word: &mut String, ids: &mut Vec<i32>) {
        if char.is_ascii() {
            if char.is_ascii_punctuation() {
                self.end_word(word, ids);
                word.push(char);
                self.end_word(word, ids);
            } else {
                word.push(char.to_ascii_lowercase());
            }
            return;
        }
        let is_mark = |char: &char| char.general_category() == GeneralCategory::NonspacingMark;
        for char in std::iter::once(char).nfd().filter(|char| !is_mark(char)).flat_map(char::to_lowercase) {
            if is_punctuation(char) {
                self.end_word(word, ids);
                word.push(char);
                self.end_word(word, ids);
            } else {
                word.push(char);
            }
        }
    }

    /// Adds the pieces of a word, each the longest that the vocabulary contains.
    fn end_word(&self, word: &mut String, ids: &mut Vec<i32>) {
        if word.is_empty() {
            return;
        }
        let start = ids.len();
        if word.chars().count() > LONGEST_WORD {
            ids.push(self.unknown);
        } else {
            let mut rest = word.as_str();
            while !rest.is_empty() {
                let pieces = if rest.len() == word.len() { &self.first } else { &self.next };
                let ends = rest.char_indices().rev().map(|(at, char)| at + char.len_utf8());
                let longest = ends.filter_map(|end| Some((end, *pieces.get(rest.get(..end)?)?))).next();
                let Some((end, id)) = longest else {
                    ids.truncate(start);
                    ids.push(self.unknown);
                    break;
                };
                ids.push(id);
                rest = rest.get(end..).unwrap_or_default();
            }
        }
        word.clear();
    }
}

fn is_blank(char: char) -> bool {
    matches!(char, ' ' | '\t' | '\n' | '\r') || char.general_category() == GeneralCategory::SpaceSeparator
}

/// Control, format, private and unassigned characters carry no meaning for the model.
fn is_removed(char: char) -> bool {
    match char {
        '\t' | '\n' | '\r' => false,
        '\0' | '\u{fffd}' => true,
        _ if char.is_ascii() => char.is_ascii_control(),
        _ => char.general_category_group() == GeneralCategoryGroup::Other,
    }
}

fn is_punctuation(char: char) -> bool {
    char.is_ascii_punctuation() || char.general_category_group() == GeneralCategoryGroup::Punctuation
}

fn is_ideograph(char: char) -> bool {
    matches!(char, '\u{4e00}'..='\u{9fff}' | '\u{3400}'..='\u{4dbf}' | '\u{20000}'..='\u{2a6df}'
        | '\u{2a700}'..='\u{2b73f}' | '\u{2b740}'..='\u{2b81f}' | '\u{2b820}'..='\u{2ceaf}'
        | '\u{f900}'..='\u{faff}' | '\u{2f800}'..='\u{2fa1f}')
}
