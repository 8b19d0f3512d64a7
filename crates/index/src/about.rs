//! What a text is about: a score for every source (SEARCH S3.1). The score of a source is the best over its chunks and
//! the pieces of the text, of the cosine of their vectors plus a weighted share of the text's words that are in the chunk.

use std::collections::{HashMap, HashSet};

use crate::pieces::{pieces, terms};
use crate::reader::{Partial, Section};
use crate::storage::{Embedded, Storage};
use crate::vector::Vector;
use refdesk_text::Error;

/// How much coverage counts compared with the cosine.
const COVERAGE_WEIGHT: f32 = 1.2;

/// Coverage is computed as if the text had this many more words, all of them in no document: otherwise a text of two or
/// three common words is covered completely by some chunk of any catalog.
const ABSENT_WORDS: f32 = 5.0;

/// A word in more than this share of the documents says nothing about any of them: 1 in `COMMON`.
const COMMON: usize = 4;

/// Why a source is what a text is about.
#[derive(Debug, Clone, PartialEq)]
pub struct Scored {
    /// The source's id.
    pub source: String,
    /// Cosine plus weighted coverage of the best chunk.
    pub score: f32,
    /// The cosine of the best chunk and a piece of the text; 0 if there are no vectors.
    pub cosine: f32,
    /// The share of the piece's words that are in the chunk, weighted by rarity, from 0 to 1; lower for a piece of few
    /// words.
    pub coverage: f32,
    /// The best chunk, as [`documents`](Corpus) names it.
    pub document: i64,
    /// The words of the piece that stand in the chunk, the rarest first.
    pub words: Vec<String>,
    /// Where the best chunk is; only for the best sources.
    pub section: Option<Section>,
}

/// The documents of an index with their vectors, loaded for scoring.
pub(crate) struct Corpus {
    /// Number of each document.
    documents: Vec<i64>,
    /// Position of its source.
    sources: Vec<u32>,
    names: Vec<String>,
    /// The numbers of all vectors, one after the other; zeros where there is none.
    values: Vec<i8>,
    scales: Vec<f32>,
    dims: usize,
    by_number: HashMap<i64, u32>,
}

/// A word of a piece with the documents it stands in.
struct Term {
    word: String,
    weight: f32,
    documents: Vec<u32>,
}

/// The best chunk of a source so far.
#[derive(Clone, Copy)]
struct Best {
    score: f32,
    cosine: f32,
    coverage: f32,
    document: usize,
    piece: usize,
}

/// A piece of a text and its vector.
pub(crate) struct Piece {
    terms: Vec<String>,
    vector: Option<Vector>,
}

/// The pieces of a text with their vectors.
///
/// # Errors
/// The model cannot be run.
pub(crate) fn prepare(
    text: &str,
    embed: &mut dyn FnMut(&str) -> Result<Option<Vector>, Error>,
) -> Result<Vec<Piece>, Error> {
    pieces(text).into_iter().map(|piece| Ok(Piece { terms: terms(piece), vector: embed(piece)? })).collect()
}

impl Corpus {
    /// The documents of all sources with their vectors of this model.
    pub(crate) fn load(storage: &dyn Storage, model: &str) -> Result<Self, Error> {
        let mut corpus = Self {
            documents: Vec::new(),
            sources: Vec::new(),
            names: Vec::new(),
            values: Vec::new(),
            scales: Vec::new(),
            dims: 0,
            by_number: HashMap::new(),
        };
        let mut positions: HashMap<String, u32> = HashMap::new();
        storage.embedded(model, &mut |document| corpus.push(&document, &mut positions))?;
        Ok(corpus)
    }

    fn push(&mut self, document: &Embedded, positions: &mut HashMap<String, u32>) {
        let source = match positions.get(document.source) {
            Some(at) => *at,
            None => {
                let at = small(self.names.len());
                self.names.push(document.source.to_owned());
                positions.insert(document.source.to_owned(), at);
                at
            }
        };
        if self.dims == 0 && !document.values.is_empty() {
            // Documents before the first vector have zeros.
            self.dims = document.values.len();
            self.values.resize(self.documents.len() * self.dims, 0);
        }
        if document.values.len() == self.dims {
            self.scales.push(document.scale);
            self.values.extend(document.values.iter().map(|byte| byte.cast_signed()));
        } else {
            self.scales.push(0.0);
            self.values.resize(self.values.len() + self.dims, 0);
        }
        self.by_number.insert(document.id, small(self.documents.len()));
        self.documents.push(document.id);
        self.sources.push(source);
    }

    /// The best chunk of every source for these pieces, the best source first; sources that match in nothing are left
    /// out.
    pub(crate) fn score(&self, storage: &dyn Storage, pieces: &[Piece]) -> Result<Vec<Scored>, Error> {
        let mut best: Vec<Option<Best>> = vec![None; self.names.len()];
        let of_words = self.terms(storage, pieces)?;
        for (at, piece) in pieces.iter().enumerate() {
            let coverage = self.coverage(&piece.terms, &of_words);
            for (document, source) in self.sources.iter().enumerate() {
                let cosine = piece.vector.as_ref().map_or(0.0, |vector| self.cosine(vector, document));
                let coverage = coverage.get(document).copied().unwrap_or(0.0);
                let score = cosine + COVERAGE_WEIGHT * coverage;
                let Some(best) = best.get_mut(wide(*source)) else { continue };
                if score > 0.0 && best.is_none_or(|known| score > known.score) {
                    *best = Some(Best { score, cosine, coverage, document, piece: at });
                }
            }
        }
        let mut found: Vec<Scored> = best
            .into_iter()
            .zip(&self.names)
            .filter_map(|(best, name)| {
                let Best { score, cosine, coverage, document, piece } = best?;
                let at = small(document);
                let mut words: Vec<&Term> = pieces
                    .get(piece)?
                    .terms
                    .iter()
                    .filter_map(|word| of_words.get(word.as_str())?.as_ref())
                    .filter(|term| term.documents.binary_search(&at).is_ok())
                    .collect();
                words.sort_by(|one, other| other.weight.total_cmp(&one.weight));
                let words = words.into_iter().map(|term| term.word.clone()).collect();
                let document = *self.documents.get(document)?;
                Some(Scored { source: name.clone(), score, cosine, coverage, document, words, section: None })
            })
            .collect();
        found.sort_by(|one, other| other.score.total_cmp(&one.score).then_with(|| one.source.cmp(&other.source)));
        Ok(found)
    }

    /// How many documents have vectors; `None` if all have.
    pub(crate) fn partial(&self) -> Option<Partial> {
        let partial =
            Partial { indexed: self.scales.iter().filter(|scale| **scale != 0.0).count(), of: self.documents.len() };
        (partial.indexed < partial.of).then_some(partial)
    }

    fn cosine(&self, vector: &Vector, document: usize) -> f32 {
        let start = document * self.dims;
        match (self.values.get(start..start + self.dims), self.scales.get(document)) {
            (Some(values), Some(scale)) if vector.values.len() == self.dims => vector.cosine(values, *scale),
            _ => 0.0,
        }
    }

    /// For each document the share of the words that stand in it.
    fn coverage(&self, terms: &[String], of_words: &HashMap<&str, Option<Term>>) -> Vec<f32> {
        let mut covered = vec![0f32; self.documents.len()];
        let terms = terms.iter().filter_map(|word| of_words.get(word.as_str())?.as_ref());
        let mut all = ABSENT_WORDS * self.rarity(0);
        for term in terms {
            all += term.weight;
            for at in &term.documents {
                if let Some(covered) = covered.get_mut(wide(*at)) {
                    *covered += term.weight;
                }
            }
        }
        covered.iter_mut().for_each(|covered| *covered /= all);
        covered
    }

    /// The words of the pieces with the documents they stand in; `None` for one that is too common.
    fn terms<'a>(&self, storage: &dyn Storage, pieces: &'a [Piece]) -> Result<HashMap<&'a str, Option<Term>>, Error> {
        let most = (self.documents.len() / COMMON).max(50);
        let words: HashSet<&str> = pieces.iter().flat_map(|piece| &piece.terms).map(String::as_str).collect();
        let words: Vec<&str> = words.into_iter().collect();
        let documents = storage.containing(&words, most + 1)?;
        let term = |word: &str, ids: &[i64]| (ids.len() <= most).then(|| self.term(word, ids));
        Ok(words.iter().zip(&documents).map(|(word, ids)| (*word, term(word, ids))).collect())
    }

    fn term(&self, word: &str, ids: &[i64]) -> Term {
        let mut documents: Vec<u32> = ids.iter().filter_map(|id| self.by_number.get(id).copied()).collect();
        documents.sort_unstable();
        let sources: HashSet<u32> = documents.iter().filter_map(|at| self.sources.get(wide(*at)).copied()).collect();
        Term { word: word.to_owned(), weight: self.rarity(sources.len()), documents }
    }

    /// The weight of a word found in this many sources: its inverse document frequency, above 0.
    fn rarity(&self, sources: usize) -> f32 {
        ((self.names.len() as f32 + 1.0) / (sources as f32 + 0.5)).ln().max(0.05)
    }
}

fn small(at: usize) -> u32 {
    u32::try_from(at).unwrap_or(u32::MAX)
}

fn wide(at: u32) -> usize {
    usize::try_from(at).unwrap_or(usize::MAX)
}
