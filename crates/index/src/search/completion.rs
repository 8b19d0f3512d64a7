//! Completes the last word of a query that is still being typed.

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashSet};

use crate::Index;
use crate::stem::stem;
use crate::storage::Storage;
use crate::words::{folded, forms, is_unspaced, words};
use refdesk_text::Error;

/// The fewest characters of a word to complete.
const SHORTEST: usize = 3;

/// The index has stems, such as `compens` for `compensation`: the most characters of a word that may be beyond its stem.
const LONGEST_ENDING: usize = 6;

/// The most documents whose words are examined.
const EXAMINED: usize = 50;

/// The most words that replace an unfinished one.
const COMPLETIONS: usize = 3;

impl Index {
    /// The query with its last word replaced by the most frequent words that begin with it; `None` if a document
    /// contains that word, or nothing begins with it.
    ///
    /// # Errors
    /// The index cannot be read.
    pub fn completed(&self, text: &str) -> Result<Option<String>, Error> {
        let storage = &*self.storage;
        let Some(word) = words(text).last().filter(|word| !word.contains(is_unspaced)) else { return Ok(None) };
        let Some(before) = text.strip_suffix(word) else { return Ok(None) };
        let typed = folded(word);
        if typed.chars().count() < SHORTEST || !storage.containing(&[typed.as_str()], 1)?.concat().is_empty() {
            return Ok(None);
        }
        let ends: Vec<usize> = typed.char_indices().map(|(at, char)| at + char.len_utf8()).skip(SHORTEST - 1).collect();
        for start in ends.iter().rev().take(1 + LONGEST_ENDING).filter_map(|end| typed.get(..*end)) {
            let found = completions(storage, start, &typed)?;
            if !found.is_empty() {
                return Ok(Some(format!("{before}{}", found.join(" "))));
            }
        }
        Ok(None)
    }
}

/// The words that begin with the typed one, the most frequent first, one per stem.
fn completions(storage: &dyn Storage, start: &str, typed: &str) -> Result<Vec<String>, Error> {
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for document in storage.documents(&storage.with_stem_start(start, EXAMINED)?)? {
        for form in words(&document.heading).chain(words(&document.content)).flat_map(forms) {
            let word = folded(&form);
            if word.starts_with(typed) {
                *counts.entry(word).or_default() += 1;
            }
        }
    }
    let mut found: Vec<(String, usize)> = counts.into_iter().collect();
    found.sort_by_key(|(_, count)| Reverse(*count));
    let mut stems = HashSet::new();
    let distinct = found.into_iter().map(|(word, _)| word).filter(|word| stems.insert(stem(word).into_owned()));
    Ok(distinct.take(COMPLETIONS).collect())
}
