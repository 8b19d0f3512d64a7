//! What a text is about: a score for every source (SEARCH S3.1). A source's score is the best over its chunks and the
//! pieces of the text; each score is the cosine of the two vectors plus a weighted share of the piece's words that are
//! in the chunk.

use std::collections::{HashMap, HashSet};
use std::sync::OnceLock;

use crate::conversation::EarlierText;
use crate::embedder::Embedder;
use crate::pieces::PieceWords;
use crate::reader::{Partial, Section};
use crate::spellings::{COMPOUNDS, Spelling, may_have_spellings, spellings_of_missing};
use crate::storage::{Embedded, Storage};
use crate::vector::Vector;
use refdesk_text::Error;
use refdesk_text::number::{narrow, wide};

/// The weight of coverage relative to the cosine.
const COVERAGE_WEIGHT: f32 = 1.2;

/// Coverage is computed as if the text had this many more words that are in no document. Otherwise some chunk of any
/// catalog would completely cover a text of two or three common words.
const ABSENT_WORDS: f32 = 5.0;

/// A word in more than one in `COMMON` of the documents is ignored: it does not distinguish them.
const COMMON: usize = 4;

/// In [`Corpus::vectors`]: a document without a vector.
const NO_VECTOR: u32 = u32::MAX;

/// In [`Corpus::vectors`]: a document whose vector is not computed yet.
const WAITING: u32 = u32::MAX - 1;

/// A source's score for a text, and its components.
#[derive(Debug, Clone, PartialEq)]
pub struct ScoredSource {
    /// The source's id.
    pub source: String,
    /// Cosine plus weighted coverage of the best chunk.
    pub score: f32,
    /// The cosine of the best chunk and a piece of the text; 0 if there are no vectors.
    pub cosine: f32,
    /// The share of the piece's words that are in the chunk, weighted by rarity, from 0 to 1; lower for a piece with
    /// few words.
    pub coverage: f32,
    /// The id of the best chunk.
    pub document: i64,
    /// The words of the piece that are in the chunk, rarest first.
    pub words: Vec<String>,
    /// The section of the best chunk; only for the best sources.
    pub section: Option<Section>,
    /// Whether a chunk has no vector yet and was compared only by words, so that the score may be too low.
    pub is_incomplete: bool,
}

impl ScoredSource {
    /// Whether its best chunk has no vector yet, so that the score will rise.
    pub fn waits(&self) -> bool {
        self.is_incomplete && self.cosine == 0.0
    }
}

/// The documents of an index with their vectors, loaded for scoring.
#[derive(Default)]
pub(crate) struct Corpus {
    /// Ids of the documents, in the order of the other per-document lists.
    documents: Vec<i64>,
    /// For each document, the index of its source in `names`.
    sources: Vec<u32>,
    names: Vec<String>,
    /// For each source, whether one of its chunks has no vector yet.
    waiting: Vec<bool>,
    /// For each document, whether hints must not lead to it.
    boilerplate: Vec<bool>,
    /// For each document, the index of its kind in `kind_names`.
    kinds: Vec<u32>,
    kind_names: Vec<String>,
    /// For each document, its part key, which is the same for its copies in other sources.
    part_keys: Vec<i64>,
    /// Each part key with the position of its document, sorted; made by the first search.
    by_part: OnceLock<Vec<(i64, u32)>>,
    /// For each document, the index of its vector, or [`NO_VECTOR`] or [`WAITING`].
    vectors: Vec<u32>,
    /// The components of all vectors, one vector after another.
    values: Vec<i8>,
    /// The scale of each vector.
    scales: Vec<f32>,
    dims: usize,
    /// The number of documents that never get a vector.
    unembedded: usize,
    /// The number of documents whose text means nothing to the model.
    pub meaningless: usize,
    /// The number of documents whose vector cannot be compared: all zeros, or with other dimensions.
    pub damaged: usize,
    /// The id of each document with its position, sorted by id.
    by_number: Vec<(i64, u32)>,
}

/// A word of a piece, and the documents that contain it.
pub(crate) struct Term {
    word: String,
    weight: f32,
    documents: Vec<u32>,
}

/// The words of some pieces, and their other spellings that documents contain, with these documents; `None` for words
/// that are too common or only in documents in another spelling.
pub(crate) type Terms<'p> = HashMap<&'p str, Option<Term>>;

/// The best chunk of a source so far.
#[derive(Clone, Copy)]
struct BestChunk {
    score: f32,
    cosine: f32,
    coverage: f32,
    document: usize,
    piece: usize,
}

/// A piece of a text and its vector.
pub(crate) struct Piece {
    words: PieceWords,
    /// The number of further words, which are in no document.
    absent: usize,
    vector: Option<Vector>,
}

impl Piece {
    /// A piece with these words.
    pub(crate) fn new(words: PieceWords, vector: Option<Vector>) -> Self {
        Self { words, absent: 0, vector }
    }

    /// Its words that count for its coverage.
    fn terms<'t>(&self, of_words: &'t Terms) -> Vec<&'t Term> {
        let compounds = self.words.compounds.iter().map(|(word, _)| word);
        self.words.terms.iter().chain(compounds).filter_map(|word| of_words.get(word.as_str())?.as_ref()).collect()
    }

    /// Whether it is compared by meaning, too.
    pub(crate) fn has_vector(&self) -> bool {
        self.vector.is_some()
    }

    /// The part that later texts of the conversation need; `None` without a vector. Words in no document are counted
    /// but not kept: they match nothing, and one of them may be a password.
    pub(crate) fn to_earlier_text(&self, model: &str, of_words: &Terms) -> Option<EarlierText> {
        let is_known = |word: &str| match of_words.get(word) {
            Some(Some(term)) => !term.documents.is_empty(),
            // Too common.
            Some(None) => true,
            None => false,
        };
        let words: Vec<String> = self.words.terms.iter().filter(|word| is_known(word)).cloned().collect();
        let absent = self.absent + (self.words.terms.len() - words.len());
        Some(EarlierText { model: model.to_owned(), words, absent, vector: self.vector.clone()? })
    }
}

impl From<&EarlierText> for Piece {
    fn from(text: &EarlierText) -> Self {
        let words = PieceWords { terms: text.words.clone(), ..PieceWords::default() };
        Self { words, absent: text.absent, vector: Some(text.vector.clone()) }
    }
}

/// Computes the vectors of pieces of a text. A piece that means nothing to the model has none.
///
/// # Errors
/// The model cannot be run.
pub(crate) fn prepare(pieces: &[&str], embedder: Option<&dyn Embedder>) -> Result<Vec<Piece>, Error> {
    let vectors = embedder.map(|it| it.embed_all(pieces)).transpose()?.unwrap_or_default();
    let vectors = vectors.into_iter().map(|it| Some(it).filter(|it| !it.is_none())).chain(std::iter::repeat(None));
    Ok(pieces.iter().zip(vectors).map(|(piece, vector)| Piece::new(PieceWords::of(piece), vector)).collect())
}

impl Corpus {
    /// Loads the documents of all sources with their vectors from this model.
    pub(crate) fn load(storage: &dyn Storage, model: &str) -> Result<Self, Error> {
        let mut corpus = Self::default();
        let mut positions: HashMap<String, u32> = HashMap::new();
        storage.embedded(model, &mut |document| corpus.push(&document, &mut positions))?;
        corpus.by_number = corpus.documents.iter().copied().zip(0..).collect();
        corpus.by_number.sort_unstable();
        Ok(corpus)
    }

    fn push(&mut self, document: &Embedded, positions: &mut HashMap<String, u32>) {
        // Documents without a vector are sorted by source.
        let last = self.sources.last().filter(|at| named(&self.names, Some(at)) == document.source);
        let source = match last.or_else(|| positions.get(document.source)) {
            Some(at) => *at,
            None => {
                let at = narrow(self.names.len());
                self.names.push(document.source.to_owned());
                self.waiting.push(false);
                positions.insert(document.source.to_owned(), at);
                at
            }
        };
        let is_meaningless =
            document.scale == 0.0 && !document.values.is_empty() && document.values.iter().all(|value| *value == 0);
        let is_sound =
            document.scale.is_finite() && document.scale > 0.0 && document.values.iter().any(|value| *value != 0);
        if self.dims == 0 && is_sound {
            self.dims = document.values.len();
        }
        let is_comparable = is_sound && document.values.len() == self.dims;
        self.meaningless += usize::from(is_meaningless);
        self.damaged += usize::from(document.has_vector && !is_comparable && !is_meaningless);
        if is_comparable {
            self.vectors.push(narrow(self.scales.len()));
            self.scales.push(document.scale);
            self.values.extend(document.values.iter().map(|byte| byte.cast_signed()));
        } else {
            let waits = document.is_embedded && !document.has_vector;
            self.vectors.push(if waits { WAITING } else { NO_VECTOR });
            if let Some(waiting) = self.waiting.get_mut(wide(source)) {
                *waiting |= document.is_embedded && !is_meaningless;
            }
        }
        self.unembedded += usize::from(!document.is_embedded);
        self.documents.push(document.id);
        self.sources.push(source);
        self.boilerplate.push(document.is_boilerplate);
        self.part_keys.push(document.part_key);
        let kind = self.kind_names.iter().position(|name| name == document.doc_type).unwrap_or_else(|| {
            self.kind_names.push(document.doc_type.to_owned());
            self.kind_names.len() - 1
        });
        self.kinds.push(narrow(kind));
    }

    /// The number of documents.
    pub(crate) fn len(&self) -> usize {
        self.documents.len()
    }

    /// Whether some documents never get a vector, as pages of databases.
    pub(crate) fn has_unembedded(&self) -> bool {
        self.unembedded > 0
    }

    /// Whether any document has a vector.
    pub(crate) fn has_vectors(&self) -> bool {
        self.dims > 0
    }

    /// The position of the document with this id.
    pub(crate) fn position(&self, document: i64) -> Option<usize> {
        let found = self.by_number.binary_search_by_key(&document, |(number, _)| *number).ok()?;
        self.by_number.get(found).map(|(_, at)| wide(*at))
    }

    /// Whether a document's vector is not computed yet.
    pub(crate) fn waits(&self, document: i64) -> bool {
        self.position(document).is_some_and(|at| self.vectors.get(at) == Some(&WAITING))
    }

    /// The kind of a document and the id of its source; empty if the document is unknown.
    pub(crate) fn kind_and_source(&self, document: i64) -> (&str, &str) {
        let Some(at) = self.position(document) else { return ("", "") };
        (named(&self.kind_names, self.kinds.get(at)), named(&self.names, self.sources.get(at)))
    }

    /// For each document, whether its kind and its source are wanted.
    pub(crate) fn matching(&self, is_kind: &dyn Fn(&str) -> bool, is_source: &dyn Fn(&str) -> bool) -> Vec<bool> {
        let kinds: Vec<bool> = self.kind_names.iter().map(|name| is_kind(name)).collect();
        let sources: Vec<bool> = self.names.iter().map(|name| is_source(name)).collect();
        let is_wanted = |wanted: &[bool], at: u32| wanted.get(wide(at)).copied().unwrap_or(false);
        let both = self.kinds.iter().zip(&self.sources);
        both.map(|(kind, source)| is_wanted(&kinds, *kind) && is_wanted(&sources, *source)).collect()
    }

    /// Clears `wanted` for all documents except these.
    pub(crate) fn keep(&self, wanted: &mut [bool], documents: &[i64]) {
        wanted.iter_mut().zip(self.marked(documents)).for_each(|(wanted, kept)| *wanted &= kept);
    }

    /// Clears `wanted` for these documents.
    pub(crate) fn clear(&self, wanted: &mut [bool], documents: &[i64]) {
        wanted.iter_mut().zip(self.marked(documents)).for_each(|(wanted, cleared)| *wanted &= !cleared);
    }

    /// For each document, whether it is one of these.
    pub(crate) fn marked(&self, documents: &[i64]) -> Vec<bool> {
        let mut marked = vec![false; self.len()];
        for at in documents.iter().filter_map(|document| self.position(*document)) {
            if let Some(marked) = marked.get_mut(at) {
                *marked = true;
            }
        }
        marked
    }

    fn by_part(&self) -> &[(i64, u32)] {
        self.by_part.get_or_init(|| {
            let mut by_part: Vec<(i64, u32)> = self.part_keys.iter().copied().zip(0..).collect();
            by_part.sort_unstable();
            by_part
        })
    }

    /// For each document, whether it is wanted and the first of its wanted copies.
    pub(crate) fn first_copies(&self, wanted: &[bool]) -> Vec<bool> {
        let mut firsts = vec![false; self.len()];
        let mut before = None;
        for (key, at) in self.by_part().iter().filter(|(_, at)| wanted.get(wide(*at)) == Some(&true)) {
            if before.replace(key) != Some(key)
                && let Some(first) = firsts.get_mut(wide(*at))
            {
                *first = true;
            }
        }
        firsts
    }

    /// The sources of a document and its copies.
    pub(crate) fn sources_of_copies(&self, document: i64) -> impl Iterator<Item = &str> {
        let key = self.position(document).and_then(|at| self.part_keys.get(at));
        let start = self.by_part().partition_point(|(known, _)| Some(known) < key);
        let copies = self.by_part().iter().skip(start).take_while(move |(known, _)| Some(known) == key);
        copies.map(|(_, at)| named(&self.names, self.sources.get(wide(*at))))
    }

    /// The wanted documents with the nearest vectors to this one, nearest first, with their cosines. Leaves out
    /// documents without a vector and those with a cosine below `least`.
    pub(crate) fn nearest(&self, vector: &Vector, wanted: &[bool], least: f32, most: usize) -> Vec<(i64, f32)> {
        let with_cosine = |(at, document): (usize, &i64)| {
            let cosine = if wanted.get(at) == Some(&true) { self.cosine(vector, at) } else { 0.0 };
            (cosine >= least).then_some((*document, cosine))
        };
        let mut found: Vec<(i64, f32)> = self.documents.iter().enumerate().filter_map(with_cosine).collect();
        let nearer = |one: &(i64, f32), other: &(i64, f32)| other.1.total_cmp(&one.1).then(one.0.cmp(&other.0));
        if found.len() > most && most > 0 {
            found.select_nth_unstable_by(most - 1, nearer);
            found.truncate(most);
        }
        found.sort_by(nearer);
        found
    }

    /// The number of documents whose vector cannot be compared with this one.
    pub(crate) fn incomparable(&self, vector: &Vector) -> usize {
        let is_of_another_length = self.dims > 0 && vector.values.len() != self.dims;
        if is_of_another_length { self.documents.len() } else { self.damaged }
    }

    /// The best chunk of every source for these pieces, best source first; leaves out sources without any match, and
    /// the chunks that are marked as hidden.
    pub(crate) fn score(
        &self,
        storage: &dyn Storage,
        pieces: &[Piece],
        hidden: &[bool],
    ) -> Result<Vec<ScoredSource>, Error> {
        Ok(self.score_with(&self.terms(storage, pieces)?, pieces, hidden))
    }

    /// The score of the best source for these pieces, whose words were already looked up; 0 without any match.
    pub(crate) fn best_score(&self, of_words: &Terms, pieces: &[Piece]) -> f32 {
        self.best_chunks(of_words, pieces, &[]).into_iter().flatten().map(|best| best.score).fold(0.0, f32::max)
    }

    /// For each source, its best chunk for these pieces; `None` without any match.
    fn best_chunks(&self, of_words: &Terms, pieces: &[Piece], hidden: &[bool]) -> Vec<Option<BestChunk>> {
        let mut best: Vec<Option<BestChunk>> = vec![None; self.names.len()];
        for (at, piece) in pieces.iter().enumerate() {
            let coverage = self.coverage(piece, of_words);
            let may_be_hinted_at =
                |(at, _): &(usize, &u32)| self.boilerplate.get(*at) != Some(&true) && hidden.get(*at) != Some(&true);
            for (document, source) in self.sources.iter().enumerate().filter(may_be_hinted_at) {
                let cosine = piece.vector.as_ref().map_or(0.0, |vector| self.cosine(vector, document));
                let coverage = coverage.get(document).copied().unwrap_or(0.0);
                let score = cosine + COVERAGE_WEIGHT * coverage;
                let Some(best) = best.get_mut(wide(*source)) else { continue };
                if score > 0.0 && best.is_none_or(|known| score > known.score) {
                    *best = Some(BestChunk { score, cosine, coverage, document, piece: at });
                }
            }
        }
        best
    }

    /// Like [`Self::score`], with words that were already looked up.
    pub(crate) fn score_with(&self, of_words: &Terms, pieces: &[Piece], hidden: &[bool]) -> Vec<ScoredSource> {
        let by_meaning = self.has_vectors() && pieces.iter().any(|piece| piece.vector.is_some());
        let terms: Vec<Vec<&Term>> = pieces.iter().map(|piece| piece.terms(of_words)).collect();
        let mut found: Vec<ScoredSource> = self
            .best_chunks(of_words, pieces, hidden)
            .into_iter()
            .zip(self.names.iter().zip(&self.waiting))
            .filter_map(|(best, (name, is_waiting))| {
                let BestChunk { score, cosine, coverage, document, piece } = best?;
                let at = narrow(document);
                let has_word = |term: &&&Term| coverage > 0.0 && term.documents.binary_search(&at).is_ok();
                let mut words: Vec<&Term> = terms.get(piece)?.iter().filter(has_word).copied().collect();
                words.sort_by(|one, other| other.weight.total_cmp(&one.weight));
                let words = words.into_iter().map(|term| term.word.clone()).collect();
                let document = *self.documents.get(document)?;
                let is_incomplete = by_meaning && *is_waiting;
                let source = name.clone();
                Some(ScoredSource { source, score, cosine, coverage, document, words, section: None, is_incomplete })
            })
            .collect();
        found.sort_by(|one, other| other.score.total_cmp(&one.score).then_with(|| one.source.cmp(&other.source)));
        found
    }

    /// How much of the index is ready, for questions by meaning or by words only; `None` if all of it is. `unread` is
    /// the number of missing sources, `changed` that of files that have changed since.
    pub(crate) fn partial(&self, by_meaning: bool, unread: usize, changed: usize) -> Option<Partial> {
        let with_vector = || self.scales.len();
        let all = self.documents.len();
        let (indexed, of) =
            if by_meaning { (with_vector(), all - self.unembedded - self.meaningless) } else { (all, all) };
        let of = of + unread;
        (indexed < of || changed > 0).then_some(Partial { indexed, of, unread, changed })
    }

    /// The number of sources of a catalog that are missing here, but at least `left_out`, the number that the last run
    /// left out.
    pub(crate) fn unread(&self, left_out: usize, catalog: &[&str]) -> usize {
        let known: HashSet<&str> = self.names.iter().map(String::as_str).collect();
        left_out.max(catalog.iter().filter(|source| !known.contains(*source)).count())
    }

    /// The ids of all sources.
    pub(crate) fn sources(&self) -> &[String] {
        &self.names
    }

    /// The memory used, in bytes.
    pub(crate) fn size(&self) -> usize {
        let numbers = 2 * size_of::<i64>() + 3 * size_of::<u32>() + 2 * size_of::<(i64, u32)>() + size_of::<bool>();
        let names: usize = self.names.iter().map(|name| size_of::<String>() + name.len()).sum();
        self.documents.len() * numbers + self.values.len() + size_of_val(self.scales.as_slice()) + names
    }

    fn cosine(&self, vector: &Vector, document: usize) -> f32 {
        let Some(at) = self.vectors.get(document).filter(|at| **at < WAITING).map(|at| wide(*at)) else {
            return 0.0;
        };
        let start = at * self.dims;
        match (self.values.get(start..start + self.dims), self.scales.get(at)) {
            (Some(values), Some(scale)) if vector.values.len() == self.dims => vector.cosine(values, *scale),
            _ => 0.0,
        }
    }

    /// For each document, the share of the piece's words that it contains.
    fn coverage(&self, piece: &Piece, of_words: &Terms) -> Vec<f32> {
        let mut covered = vec![0f32; self.documents.len()];
        let mut all = (ABSENT_WORDS + piece.absent as f32) * self.rarity(0);
        for term in piece.terms(of_words) {
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

    /// Looks up the words of the pieces. A word in no document counts in another spelling that some document contains.
    pub(crate) fn terms<'a>(
        &self,
        storage: &dyn Storage,
        pieces: impl IntoIterator<Item = &'a Piece>,
    ) -> Result<Terms<'a>, Error> {
        let most = (self.documents.len() / COMMON).max(50);
        let pieces: Vec<&Piece> = pieces.into_iter().collect();
        let words: HashSet<&str> = pieces.iter().flat_map(|piece| &piece.words.terms).map(String::as_str).collect();
        let mut terms = self.look_up(storage, words.iter().copied().collect(), most)?;
        // If all its words count, a compound would only change their weights.
        let counts =
            |terms: &Terms, word: &str| matches!(terms.get(word), Some(Some(term)) if !term.documents.is_empty());
        let is_wanted = |(_, of): &&Spelling| !of.iter().filter(|it| !it.contains(' ')).all(|it| counts(&terms, it));
        let compounds = pieces.iter().flat_map(|piece| &piece.words.compounds).filter(is_wanted);
        let compounds: HashMap<&str, &[String]> = compounds.map(|(word, of)| (word.as_str(), of.as_slice())).collect();
        for (compound, found) in self.look_up(storage, compounds.keys().copied().collect(), most)? {
            if found.as_ref().is_none_or(|term| term.documents.is_empty()) {
                continue;
            }
            for word in compounds.get(compound).copied().unwrap_or_default() {
                if let Some(it) = terms.get_mut(word.as_str()) {
                    it.take_if(|term| term.documents.is_empty());
                }
            }
            terms.insert(compound, found);
        }
        let is_absent = |word: &&str| matches!(terms.get(word), Some(Some(term)) if term.documents.is_empty());
        let mut absent: Vec<&str> =
            words.into_iter().filter(is_absent).filter(|word| may_have_spellings(word)).collect();
        absent.sort_unstable();
        absent.truncate(COMPOUNDS);
        let of = |word| spellings_of_missing(word).map(move |(spelling, _)| (word, spelling));
        let spellings: Vec<(&str, String)> = absent.into_iter().flat_map(of).collect();
        let phrases: Vec<&str> = spellings.iter().map(|(_, spelling)| spelling.as_str()).collect();
        let documents = storage.containing(&phrases, most + 1)?;
        for ((word, spelling), ids) in spellings.iter().zip(documents).rev() {
            if (1..=most).contains(&ids.len()) {
                terms.insert(word, Some(self.term(spelling, &ids)));
            }
        }
        Ok(terms)
    }

    /// Looks up these words; `None` for those in more than `most` documents.
    fn look_up<'w>(&self, storage: &dyn Storage, words: Vec<&'w str>, most: usize) -> Result<Terms<'w>, Error> {
        let documents = storage.containing(&words, most + 1)?;
        let term = |word: &str, ids: &[i64]| (ids.len() <= most).then(|| self.term(word, ids));
        Ok(words.into_iter().zip(&documents).map(|(word, ids)| (word, term(word, ids))).collect())
    }

    fn term(&self, word: &str, ids: &[i64]) -> Term {
        let mut documents: Vec<u32> = ids.iter().filter_map(|id| self.position(*id)).map(narrow).collect();
        documents.sort_unstable();
        let sources: HashSet<u32> = documents.iter().filter_map(|at| self.sources.get(wide(*at)).copied()).collect();
        Term { word: word.to_owned(), weight: self.rarity(sources.len()), documents }
    }

    /// The weight of a word found in this many sources: its inverse document frequency, above 0.
    fn rarity(&self, sources: usize) -> f32 {
        ((self.names.len() as f32 + 1.0) / (sources as f32 + 0.5)).ln().max(0.05)
    }
}

/// The name at a position; empty if there is none.
fn named<'n>(names: &'n [String], at: Option<&u32>) -> &'n str {
    at.and_then(|at| names.get(wide(*at))).map_or("", String::as_str)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn documents_without_a_vector_take_no_room_for_one() {
        let (mut corpus, mut positions) = (Corpus::default(), HashMap::new());
        let mut push = |id, values: &[u8], scale| {
            let is_embedded = !values.is_empty();
            let document = Embedded {
                id,
                source: "s",
                doc_type: "text",
                is_embedded,
                is_boilerplate: false,
                part_key: id,
                has_vector: is_embedded,
                values,
                scale,
            };
            corpus.push(&document, &mut positions);
        };
        (0..100).for_each(|id| push(id, &[], 0.0));
        push(100, &[0, 127], 1.0);
        (101..200).for_each(|id| push(id, &[], 0.0));
        push(200, &[127, 0], 1.0);
        push(201, &[1, 2, 3], 1.0);
        push(202, &[0, 0], 0.0);
        assert_eq!((corpus.len(), corpus.values.len(), corpus.scales.len(), corpus.damaged), (203, 4, 2, 1));
        let vector = Vector { values: vec![127, 0], scale: 1.0 };
        let found: Vec<i64> =
            corpus.nearest(&vector, &[true; 203], 0.5, 10).into_iter().map(|(document, _)| document).collect();
        assert_eq!(found, [200]);
        assert_eq!(corpus.cosine(&vector, 0), 0.0);
        assert_eq!(corpus.partial(true, 0, 0), Some(Partial { indexed: 2, of: 3, unread: 0, changed: 0 }));
        assert_eq!(corpus.partial(false, 0, 0), None);
        assert_eq!(corpus.partial(false, 0, 4), Some(Partial { indexed: 203, of: 203, unread: 0, changed: 4 }));
    }
}
