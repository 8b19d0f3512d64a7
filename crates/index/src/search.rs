//! Search in all documents by words and by meaning (SEARCH S4): each gives a list, and the two are joined by rank.

mod budget;
mod excerpt;
mod fusion;
mod query;
#[cfg(test)]
pub(crate) mod tests;

pub use budget::{HitCost, HitLength, fit};
pub use excerpt::Excerpt;
pub use query::LONGEST;

use std::collections::{HashMap, HashSet};

use self::excerpt::excerpt;
use self::fusion::{Fused, fuse};
use self::query::ParsedQuery;
use crate::about::Corpus;
use crate::reader::Partial;
use crate::storage::{Document, Storage};
use crate::update::{SOURCE, unread};
use crate::{Embedder, Index};
use refdesk_text::Error;

/// Documents of each list.
const LISTED: usize = 50;

/// Names of the lists.
const WORDS: &str = "words";
const MEANING: &str = "meaning";

/// A search.
pub struct SearchQuery<'a> {
    /// What to search for; any text.
    pub text: &'a str,
    /// Only documents of these kinds; of every kind if empty.
    pub kinds: &'a [String],
    /// Whether the documents of the source with this id take part.
    pub is_wanted: &'a dyn Fn(&str) -> bool,
    /// Whether a document, by its source, its path and its content, still says what is indexed of it.
    pub is_current: &'a dyn Fn(&str, &str, &str) -> bool,
    /// The most hits.
    pub limit: usize,
}

/// The lists that took part in an answer.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum SearchMode {
    /// Both.
    Hybrid,
    /// Words alone: there is no model, or there are no vectors.
    #[default]
    Words,
    /// Meaning alone: no document has any of the words.
    Meaning,
}

/// What a search found.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct SearchResult {
    /// The lists that took part.
    pub mode: SearchMode,
    /// The hits, the best first.
    pub hits: Vec<SectionHit>,
    /// Documents with a vector, of all, if some have none.
    pub partial: Option<Partial>,
    /// Sections left out because they changed since they were indexed.
    pub outdated: usize,
    /// Documents with a vector that cannot be compared.
    pub incomparable: usize,
    /// The query was longer than [`LONGEST`] characters.
    pub is_cut: bool,
    /// The query has no words.
    pub is_empty: bool,
}

/// A section that was found.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct SectionHit {
    /// The kind of the document.
    pub kind: String,
    /// The id of its source.
    pub source: String,
    /// The resolved path of its file; empty for what the catalog says about the source.
    pub path: String,
    /// The headings above it, outermost first, or nothing.
    pub heading: String,
    /// Its first line, from 1; 0 without a file.
    pub line: usize,
    /// Its last line.
    pub end_line: usize,
    /// Its text around the words.
    pub excerpt: Excerpt,
    /// The higher the better; comparable within one answer.
    pub score: f64,
    /// Its places in the lists.
    pub because: Vec<Placing>,
}

/// The place of a hit in a list.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub struct Placing {
    /// `words` or `meaning`.
    pub list: &'static str,
    /// From 1.
    pub rank: usize,
    /// The words and phrases of the query that stand in the document, for the list of words.
    pub words: Vec<String>,
    /// The cosine of the vectors of query and document, for the list of meaning.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cosine: Option<f64>,
}

impl Index {
    /// The sections that match a query best, one hit a section.
    ///
    /// # Errors
    /// The index cannot be read, or the model cannot be run.
    pub fn search(&self, query: &SearchQuery, embedder: Option<&dyn Embedder>) -> Result<SearchResult, Error> {
        let parsed = ParsedQuery::parse(query.text);
        if parsed.terms.is_empty() {
            return Ok(SearchResult { is_cut: parsed.is_cut, is_empty: true, ..SearchResult::default() });
        }
        let storage = &*self.storage;
        let corpus = Corpus::load(storage, embedder.map_or("", Embedder::model))?;
        let is_kind = |kind: &str| query.kinds.is_empty() || query.kinds.iter().any(|wanted| wanted == kind);
        let wanted = corpus.matching(&is_kind, query.is_wanted);
        let terms: Vec<&str> = parsed.terms.iter().map(String::as_str).collect();
        let by_words = by_words(storage, &corpus, &terms, &wanted)?;
        let vector = embedder.map(|embedder| embedder.embed(&parsed.text)).transpose()?;
        let nearest = vector.as_ref().map_or_else(Vec::new, |vector| corpus.nearest(vector, &wanted, LISTED));
        let by_meaning: Vec<i64> = nearest.iter().map(|(document, _)| *document).collect();
        let fused = fuse(&[&by_words, &by_meaning], |it| weight(corpus.kind(it)), |it| corpus.kind_and_source(it));
        let (best, outdated) = best_sections(storage, fused, query)?;
        let with_words = with_words(storage, &terms, corpus.len())?;
        let cosines: HashMap<i64, f32> = nearest.iter().copied().collect();
        let hits = best.into_iter().map(|(fused, document)| {
            let because = because(&fused, &with_words, &cosines);
            hit(document, &fused, because, &parsed.terms)
        });
        Ok(SearchResult {
            mode: match (by_words.is_empty(), nearest.is_empty()) {
                (false, false) => SearchMode::Hybrid,
                (true, false) => SearchMode::Meaning,
                (_, true) => SearchMode::Words,
            },
            hits: hits.collect(),
            partial: corpus.partial(embedder.is_some(), unread(storage)?),
            outdated,
            incomparable: vector.as_ref().map_or(0, |vector| corpus.incomparable(vector)),
            is_cut: parsed.is_cut,
            is_empty: false,
        })
    }
}

/// How much a kind of documents counts. What the catalog says about a source has no section to go to.
fn weight(kind: &str) -> f64 {
    if kind == SOURCE { 0.5 } else { 1.0 }
}

/// The wanted documents with most of the words, by full-text search.
fn by_words(storage: &dyn Storage, corpus: &Corpus, terms: &[&str], wanted: &[bool]) -> Result<Vec<i64>, Error> {
    let mut found = Vec::new();
    storage.best_by_words(terms, &mut |document| {
        if corpus.position(document).and_then(|at| wanted.get(at)) == Some(&true) {
            found.push(document);
        }
        found.len() < LISTED
    })?;
    Ok(found)
}

/// The best documents with their texts, only the best one of each section, and how many were left out because they changed.
fn best_sections(
    storage: &dyn Storage,
    fused: Vec<Fused>,
    query: &SearchQuery,
) -> Result<(Vec<(Fused, Document)>, usize), Error> {
    let ids: Vec<i64> = fused.iter().map(|it| it.document).collect();
    let mut documents: HashMap<i64, Document> =
        storage.documents(&ids)?.into_iter().map(|document| (document.id, document)).collect();
    let mut sections = HashSet::new();
    let (mut best, mut outdated) = (Vec::new(), 0);
    for it in fused {
        if best.len() >= query.limit {
            break;
        }
        let Some(document) = documents.remove(&it.document) else { continue };
        if !(query.is_current)(&document.source, &document.path, &document.content) {
            outdated += 1;
            continue;
        }
        let section = (document.source.clone(), document.path.clone(), document.heading.clone());
        if document.heading.is_empty() || sections.insert(section) {
            best.push((it, document));
        }
    }
    Ok((best, outdated))
}

/// Each term with the documents it stands in.
fn with_words<'t>(
    storage: &dyn Storage,
    terms: &[&'t str],
    most: usize,
) -> Result<Vec<(&'t str, HashSet<i64>)>, Error> {
    let documents = storage.containing(terms, most)?;
    Ok(terms.iter().copied().zip(documents.into_iter().map(HashSet::from_iter)).collect())
}

fn because(fused: &Fused, with_words: &[(&str, HashSet<i64>)], cosines: &HashMap<i64, f32>) -> Vec<Placing> {
    let words = with_words.iter().filter(|(_, documents)| documents.contains(&fused.document));
    let words: Vec<String> = words.map(|(word, _)| (*word).to_owned()).collect();
    let cosine = cosines.get(&fused.document).map(|cosine| rounded(f64::from(*cosine)));
    let rank = |list: usize| fused.ranks.get(list).copied().flatten();
    let by_words = rank(0).map(|rank| Placing { list: WORDS, rank, words, cosine: None });
    let by_meaning = rank(1).map(|rank| Placing { list: MEANING, rank, words: Vec::new(), cosine });
    by_words.into_iter().chain(by_meaning).collect()
}

fn hit(document: Document, fused: &Fused, because: Vec<Placing>, terms: &[String]) -> SectionHit {
    SectionHit {
        excerpt: excerpt(&document.content, terms),
        kind: document.doc_type,
        source: document.source,
        path: document.path,
        heading: document.heading,
        line: document.line,
        end_line: document.end_line,
        score: rounded(fused.score),
        because,
    }
}

/// To four digits: more say nothing.
fn rounded(value: f64) -> f64 {
    (value * 10_000.0).round() / 10_000.0
}
