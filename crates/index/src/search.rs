//! Searches all documents by words and by meaning (SEARCH S4). Each gives a list, and the two lists are merged by rank.

mod budget;
mod completion;
mod excerpt;
mod fusion;
mod query;
mod sections;
#[cfg(test)]
pub(crate) mod tests;

pub use budget::{HitCost, HitLength, fit};
pub use excerpt::Excerpt;
pub use query::LONGEST;

use std::cmp::Reverse;
use std::collections::{HashMap, HashSet};
use std::path::Path;

use self::fusion::{FusedDocument, fuse};
use self::query::ParsedQuery;
use self::sections::{BestSection, best_sections};
use crate::about::Corpus;
use crate::chunk::{ChunkSection, place_of};
use crate::matches::matches;
use crate::pages::{DatabasePages, DatabaseSubject, IndexedJoin, RELATIONSHIP, TABLE};
use crate::reader::{Partial, SectionsNow, hidden};
use crate::stem::stem;
use crate::storage::{Document, Storage, TextKey};
use crate::update::{SOURCE, Stamps, unread};
use crate::words::{folded, is_unspaced, parts, words};
use crate::{Embedder, Index};
use refdesk_core::selection::ExcludedFiles;
use refdesk_text::Error;

/// The most documents of each list.
const LISTED: usize = 50;

/// Documents with a lower cosine are not listed. In the evaluated questions, no correct section had one below 0.19.
const NEAR: f32 = 0.15;

/// The same limit if no word of the query is in a document or known to the model. In most catalogs, noise reaches 0.3.
const NEAR_WITHOUT_WORDS: f32 = 0.35;

/// How many times as many documents are examined if one document represents a whole table.
const DOCUMENTS_OF_A_TABLE: usize = 4;

/// What to search for, and how.
pub struct SearchQuery<'a> {
    /// What to search for; any text.
    pub text: &'a str,
    /// The ids of all sources of the catalog, to count those missing in the index.
    pub catalog: &'a [&'a str],
    /// How many files were added, changed or removed since indexing.
    pub changed: usize,
    /// Only documents of these kinds; if empty, of every kind.
    pub kinds: &'a [String],
    /// Whether to include documents of the source with this id.
    pub is_wanted: &'a dyn Fn(&str) -> bool,
    /// The files to which only the excluded sources themselves lead.
    pub excluded: Option<&'a ExcludedFiles<'a>>,
    /// Whether the source with this id leads to such files, too.
    pub leads_to_excluded: &'a dyn Fn(&str) -> bool,
    /// Only documents about this database.
    pub database: Option<&'a str>,
    /// Only documents about this domain of a database.
    pub domain: Option<&'a str>,
    /// Whether to give one hit per table, instead of one per document about the table, its columns and its joins.
    pub by_table: bool,
    /// Chooses between documents with the same content about a table, and between sources that share a section: the hit
    /// is from the source with the greater preference.
    pub preference: &'a dyn Fn(&FoundDocument) -> SourcePreference,
    /// The weight of a document of this kind, of the source with this id.
    pub weight: &'a dyn Fn(&str, &str) -> f64,
    /// The files that are pages of databases.
    pub pages: Option<&'a dyn DatabasePages>,
    /// Called for a document whose files may have changed since it was indexed.
    pub sections_now: SectionsNow<'a>,
}

impl SearchQuery<'_> {
    /// Whether to leave out the documents that this source has of the file at this resolved path.
    pub fn hides(&self, source: &str, path: &Path) -> bool {
        self.excluded.is_some_and(|excluded| excluded.hides(source, path)) && !(self.leads_to_excluded)(source)
    }
}

/// How strongly to prefer a source for a hit.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct SourcePreference {
    /// Whether the reader may read the document there.
    pub is_readable: bool,
    /// How deep its place is in the file system: the innermost source is the most specific.
    pub depth: usize,
}

/// A document as stored in the index.
#[derive(Debug, Clone, Copy)]
pub struct FoundDocument<'a> {
    /// Its kind.
    pub kind: &'a str,
    /// The id of its source.
    pub source: &'a str,
    /// The resolved path of its file.
    pub path: &'a str,
    /// The headings above it.
    pub heading: &'a str,
    /// Its first line, from 1; 0 without a file.
    pub line: usize,
    /// Its text.
    pub content: &'a str,
    /// The sections in it; empty if it is not a part of a text.
    pub sections: &'a [ChunkSection],
}

/// The lists that an answer is based on.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum SearchMode {
    /// Both lists.
    Hybrid,
    /// Only words: there is no model, there are no vectors, or the query only names a text.
    #[default]
    Words,
    /// Only meaning: no hit contains any of the words, and none is named by the query.
    Meaning,
}

/// The result of a search.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct SearchResult {
    /// The lists that the answer is based on.
    pub mode: SearchMode,
    /// The hits, best first.
    pub hits: Vec<SectionHit>,
    /// The words and phrases that were searched for, for [`SectionHit::excerpt`].
    pub terms: Vec<String>,
    /// How many documents have a vector, if some have none.
    pub partial: Option<Partial>,
    /// The number of sections left out because they have changed since they were indexed.
    pub outdated: usize,
    /// The number of documents whose vector cannot be compared.
    pub incomparable: usize,
    /// Whether the query was longer than [`LONGEST`] characters and was truncated.
    pub is_cut: bool,
    /// Whether the query contains no words.
    pub is_empty: bool,
}

/// A matching section.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct SectionHit {
    /// The kind of the document.
    pub kind: String,
    /// The id of its source.
    pub source: String,
    /// The resolved path of its file; empty for text from the catalog about the source.
    pub path: String,
    /// The headings above it, outermost first; may be empty.
    pub heading: String,
    /// Its first line, from 1; 0 without a file.
    pub line: usize,
    /// Its last line.
    pub end_line: usize,
    /// Its text, of which [`excerpt`](Self::excerpt) shows a part.
    pub content: String,
    /// The higher, the better; comparable only within one answer.
    pub score: f64,
    /// Its ranks in the lists.
    pub because: Vec<HitRank>,
    /// The part of a database that it is about.
    pub subject: Option<DatabaseSubject>,
    /// The join that it describes.
    pub join: Option<IndexedJoin>,
    /// For a table: its columns that match.
    pub columns: Vec<String>,
}

refdesk_text::worded_enum! {
    /// A ranked list of documents.
    pub enum RankedList {
        /// By words.
        Words = "words",
        /// By meaning.
        Meaning = "meaning",
        /// By name: the text that the query names, which comes before all others.
        Name = "name",
    }
}

/// The rank of a hit in a list.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub struct HitRank {
    /// The list.
    pub list: RankedList,
    /// From 1.
    pub rank: usize,
    /// What this list adds to the hit's score.
    pub score: f64,
    /// For the list by words: the words and phrases of the query that are in the document.
    pub words: Vec<String>,
    /// For the list by meaning: the cosine of the vectors of query and document.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cosine: Option<f64>,
}

impl SectionHit {
    /// Its text around these terms.
    pub fn excerpt(&self, terms: &[String]) -> Excerpt {
        excerpt::of(&self.content, terms)
    }

    /// Ranks it first by name, with at least this score.
    pub fn rank_by_name(&mut self, least: f64) {
        let score = self.score.max(least);
        let added = rounded(score - self.score);
        self.because.push(HitRank { list: RankedList::Name, rank: 1, score: added, words: Vec::new(), cosine: None });
        self.score = score;
    }
}

impl Index {
    /// All sections in the lists of a query, one hit per section.
    ///
    /// # Errors
    /// The index cannot be read, or the model cannot be run.
    pub fn search(&self, query: &SearchQuery, embedder: Option<&dyn Embedder>) -> Result<SearchResult, Error> {
        let parsed = ParsedQuery::parse(query.text);
        if parsed.terms.is_empty() {
            return Ok(SearchResult { is_cut: parsed.is_cut, is_empty: true, ..SearchResult::default() });
        }
        let storage = &*self.storage;
        let corpus = self.index_cache.corpus(storage, embedder.map_or("", Embedder::model))?;
        let is_kind = |kind: &str| query.kinds.is_empty() || query.kinds.iter().any(|wanted| wanted == kind);
        let mut wanted = corpus.matching(&is_kind, query.is_wanted);
        if query.database.is_some() || query.domain.is_some() {
            corpus.keep(&mut wanted, &storage.about_database(query.database, query.domain)?);
        }
        corpus.clear(&mut wanted, &hidden(storage, query.excluded, query.leads_to_excluded)?);
        // The copies of a section in other sources take no places in the lists.
        let firsts = corpus.first_copies(&wanted);
        // In all documents: a filter does not make the words meaningless.
        let mut with_words = with_words(storage, parsed.terms.iter().map(String::as_str), corpus.len())?;
        with_words.extend(numbered(storage, &parsed, corpus.len())?);
        let wanted_words = with_words.len();
        let (replaced, spellings): (Vec<&[String]>, Vec<TermDocuments>) =
            spellings(storage, &parsed, &with_words, corpus.len())?.into_iter().unzip();
        with_words.extend(spellings);
        let terms: Vec<&str> = with_words.iter().map(|(term, _)| *term).collect();
        let all_terms: Vec<String> = terms.iter().map(ToString::to_string).collect();
        let WordList { documents: by_words, mut members } =
            by_words(storage, &corpus, &terms, &firsts, query.by_table)?;
        // Running the model takes longer than everything else.
        let model = embedder.filter(|_| corpus.has_vectors());
        let vector = model.map(|model| model.embed(&parsed.text)).transpose()?.filter(|vector| !vector.is_none());
        let is_written = with_words.iter().any(|(_, documents)| !documents.is_empty());
        let has_meaning = is_written || model.map_or(Ok(true), |model| knows_any(model, &parsed.terms))?;
        let near = if has_meaning { NEAR } else { NEAR_WITHOUT_WORDS };
        let nearest = vector.as_ref().map_or_else(Vec::new, |vector| corpus.nearest(vector, &firsts, near, LISTED));
        let by_meaning: Vec<i64> = nearest.iter().map(|(document, _)| *document).collect();
        // Until a document has a vector, its rank counts for both lists. Otherwise, while the index is being built, any
        // document with a vector would come before the best one by words.
        let in_lists = |document| if vector.is_some() && corpus.waits(document) { 2.0 } else { 1.0 };
        let weight = |document| {
            let (kind, source) = corpus.kind_and_source(document);
            in_lists(document) * (query.weight)(kind, source)
        };
        let (wanted_words, spellings) = with_words.split_at(wanted_words.min(with_words.len()));
        let has_spelling = |term: &str, it| {
            let mut spellings = replaced.iter().zip(spellings);
            spellings
                .any(|(replaced, (_, documents))| replaced.iter().any(|word| word == term) && documents.contains(&it))
        };
        let has_all =
            |it| wanted_words.iter().all(|(term, documents)| documents.contains(&it) || has_spelling(term, it));
        let listed = by_words.iter().chain(&by_meaning).copied().filter(|it| corpus.kind_and_source(*it).0 == TABLE);
        // In other queries, `order` and `user` are ordinary words.
        let is_about_tables = query.database.is_some() || query.domain.is_some() || !query.kinds.is_empty();
        let named = match is_about_tables {
            true => named_tables(storage, listed.collect(), &parsed.terms)?,
            false => HashSet::new(),
        };
        let lists = [(&*by_words, 1.0), (&*by_meaning, meaning_weight(&parsed.text))];
        let is_asked_for = |it| has_all(it) || named.contains(&it);
        let fused = fuse(&lists, weight, is_asked_for, |it| corpus.kind_and_source(it));
        let stamps = Stamps::of(storage, query.pages)?;
        let mut by_rarity: Vec<&TermDocuments> = with_words.iter().collect();
        by_rarity.sort_by_key(|(_, documents)| documents.len());
        let rarest_first: Vec<String> = by_rarity.iter().map(|(term, _)| (*term).to_owned()).collect();
        // For each word in a document, the number of documents that contain it, the rarest word first.
        let rarity = |document| -> Vec<Reverse<usize>> {
            let words = by_rarity.iter().filter(|(_, documents)| documents.contains(&document));
            words.map(|(_, documents)| Reverse(documents.len())).collect()
        };
        let sources = |document| corpus.sources_of_copies(document);
        let (best, outdated) = best_sections(storage, fused, query, &rarest_first, rarity, &stamps, sources)?;
        let cosines: HashMap<i64, f32> = nearest.iter().copied().collect();
        let joining = best.iter().filter(|best| best.document.doc_type == RELATIONSHIP);
        let mut joins = storage.joins(&joining.map(|best| best.document.id).collect::<Vec<_>>())?;
        let found: Vec<i64> =
            best.iter().filter_map(|best| members.get(&best.fused.document)).flatten().copied().collect();
        let found: HashMap<i64, Document> =
            storage.documents(&found)?.into_iter().map(|document| (document.id, document)).collect();
        let hits = best.into_iter().map(|BestSection { fused, document, section }| {
            let members = members.remove(&fused.document).unwrap_or_default();
            let because = because(&fused, &members, &with_words, &cosines);
            let columns = columns(&document, members.iter().filter_map(|id| found.get(id)), &all_terms);
            let join = joins.remove(&document.id);
            SectionHit { columns, ..hit(document, section, fused.score, because, join) }
        });
        let hits: Vec<SectionHit> = hits.collect();
        Ok(SearchResult {
            mode: match (by_words.is_empty(), nearest.is_empty()) {
                (false, false) => SearchMode::Hybrid,
                (true, false) => SearchMode::Meaning,
                (_, true) => SearchMode::Words,
            },
            hits,
            terms: all_terms,
            partial: corpus.partial(embedder.is_some(), corpus.unread(unread(storage)?, query.catalog), query.changed),
            outdated,
            incomparable: vector.as_ref().map_or(corpus.damaged, |vector| corpus.incomparable(vector)),
            is_cut: parsed.is_cut,
            is_empty: false,
        })
    }

    /// The beginning of a text, as a hit without a score; `None` if the text is not indexed or has changed.
    ///
    /// # Errors
    /// The index cannot be read.
    pub fn opening(&self, source: &str, path: &str, query: &SearchQuery) -> Result<Option<SectionHit>, Error> {
        let storage = &*self.storage;
        let text = TextKey { path: path.to_owned(), source: source.to_owned() };
        let ids: Vec<i64> = storage.opening(&text)?.into_iter().collect();
        let Some(document) = storage.documents(&ids)?.pop() else { return Ok(None) };
        let document = if Stamps::of(storage, query.pages)?.are_same(&document) {
            Some(document)
        } else {
            (query.sections_now)(&document.found()).map(|place| document.moved(place))
        };
        let hit = |document: Document| {
            let section = ChunkSection { heading: document.heading.clone(), line: document.line };
            hit(document, section, 0.0, Vec::new(), None)
        };
        Ok(document.map(hit))
    }

    /// The indexed files whose path ends in this one, as source id and resolved path.
    ///
    /// # Errors
    /// The index cannot be read.
    pub fn files_named(&self, path: &str) -> Result<Vec<(String, String)>, Error> {
        let texts = self.storage.texts()?.into_keys().filter(|text| Path::new(&text.path).is_absolute());
        let named = texts.filter(|text| Path::new(&text.path).ends_with(path));
        Ok(named.map(|text| (text.source, text.path)).collect())
    }
}

/// The tables whose whole name is in the query: the user wants a table named in the query, however many others mention
/// it.
fn named_tables(storage: &dyn Storage, mut tables: Vec<i64>, terms: &[String]) -> Result<HashSet<i64>, Error> {
    tables.sort_unstable();
    tables.dedup();
    let wanted: HashSet<String> = terms.iter().map(|term| stem(term).into_owned()).collect();
    let is_named = |table: &str| {
        let mut parts = words(table).flat_map(parts).peekable();
        parts.peek().is_some() && parts.all(|part| wanted.contains(&*stem(&folded(part))))
    };
    let documents = storage.documents(&tables)?.into_iter();
    let named = documents.filter(|it| it.subject.as_ref().and_then(|it| it.table.as_deref()).is_some_and(is_named));
    Ok(named.map(|document| document.id).collect())
}

/// The weight of the list by meaning relative to that by words. The model was trained on English: texts in scripts
/// without blanks are all close to each other, so meaning only breaks ties.
fn meaning_weight(query: &str) -> f64 {
    let (unspaced, spaced): (Vec<char>, Vec<char>) =
        query.chars().filter(|char| char.is_alphabetic()).partition(|char| is_unspaced(*char));
    if unspaced.len() > spaced.len() { 0.25 } else { 1.0 }
}

fn knows_any(model: &dyn Embedder, terms: &[String]) -> Result<bool, Error> {
    for word in terms.iter().flat_map(|term| term.split(' ')) {
        if model.knows(word)? {
            return Ok(true);
        }
    }
    Ok(false)
}

/// The default weight of a kind of documents. Catalog entries weigh less because they have no section to open.
pub fn default_weight(kind: &str) -> f64 {
    match kind {
        SOURCE => 0.5,
        TABLE => 1.5,
        RELATIONSHIP => 1.2,
        _ => 1.0,
    }
}

/// The list by words.
#[derive(Default)]
struct WordList {
    documents: Vec<i64>,
    /// For a document about a table, the matching columns and joins that it represents.
    members: HashMap<i64, Vec<i64>>,
}

/// The wanted documents that match the words best, by full-text search.
fn by_words(
    storage: &dyn Storage,
    corpus: &Corpus,
    terms: &[&str],
    wanted: &[bool],
    by_table: bool,
) -> Result<WordList, Error> {
    let by_table = by_table && corpus.has_unembedded();
    let most = if by_table { LISTED * DOCUMENTS_OF_A_TABLE } else { LISTED };
    let mut found = Vec::new();
    storage.best_by_words(terms, &mut |document| {
        if corpus.position(document).and_then(|at| wanted.get(at)) == Some(&true) {
            found.push(document);
        }
        found.len() < most
    })?;
    if !by_table {
        return Ok(WordList { documents: found, members: HashMap::new() });
    }
    // Documents about columns are short, so those of one table would take all ranks before longer texts.
    let tables = storage.tables_of(&found)?;
    let (mut list, mut seen) = (WordList::default(), HashSet::new());
    for document in found {
        let shown = tables.get(&document).copied().unwrap_or(document);
        if !seen.contains(&shown) && list.documents.len() < LISTED {
            seen.insert(shown);
            list.documents.push(shown);
        }
        if shown != document && seen.contains(&shown) {
            list.members.entry(shown).or_default().push(document);
        }
    }
    Ok(list)
}

/// A term with the documents that contain it.
type TermDocuments<'t> = (&'t str, HashSet<i64>);

fn with_words<'t>(
    storage: &dyn Storage,
    terms: impl Iterator<Item = &'t str>,
    most: usize,
) -> Result<Vec<TermDocuments<'t>>, Error> {
    let terms: Vec<&str> = terms.collect();
    let documents = storage.containing(&terms, most)?;
    Ok(terms.into_iter().zip(documents.into_iter().map(HashSet::from_iter)).collect())
}

/// For each single digit or capital of a query, the first phrase with a neighbour that some document contains.
fn numbered<'q>(storage: &dyn Storage, parsed: &'q ParsedQuery, most: usize) -> Result<Vec<TermDocuments<'q>>, Error> {
    let found = with_words(storage, parsed.numbered.iter().map(|(_, phrase)| phrase.as_str()), most)?;
    let known = parsed.numbered.iter().zip(found).filter(|(_, (_, documents))| !documents.is_empty());
    let mut seen = HashSet::new();
    let first = known.filter(|((at, _), _)| seen.insert(*at)).map(|(_, found)| found);
    Ok(first.filter(|(phrase, _)| !parsed.terms.iter().any(|term| term == phrase)).collect())
}

/// The other spellings of the words of a query, each with the words that it stands for. Those in no document are left
/// out: they would only change the weights of the other terms.
fn spellings<'q>(
    storage: &dyn Storage,
    parsed: &'q ParsedQuery,
    known: &[TermDocuments],
    most: usize,
) -> Result<Vec<(&'q [String], TermDocuments<'q>)>, Error> {
    let is_missing = |word: &str| known.iter().any(|(term, documents)| *term == word && documents.is_empty());
    let of_missing = parsed.of_missing.iter().filter(|(_, of)| of.iter().all(|word| is_missing(word)));
    let spellings = parsed.compounds.iter().chain(of_missing);
    let new: Vec<_> = spellings.filter(|(spelling, _)| !known.iter().any(|(term, _)| term == spelling)).collect();
    let found = with_words(storage, new.iter().map(|(spelling, _)| spelling.as_str()), most)?;
    let of_all = new.into_iter().map(|(_, of)| of.as_slice()).zip(found);
    Ok(of_all.filter(|(_, (_, documents))| !documents.is_empty()).collect())
}

/// The columns of a table that match words of the query beyond the table's name.
fn columns<'d>(table: &Document, found: impl Iterator<Item = &'d Document>, terms: &[String]) -> Vec<String> {
    let has = |text: &str, terms: &[String]| !matches(text, terms).is_empty();
    let others: Vec<String> =
        terms.iter().filter(|term| !has(&table.heading, std::slice::from_ref(*term))).cloned().collect();
    let column = |document: &Document| {
        let name = document.subject.as_ref()?.column.clone()?;
        has(&format!("{name} {}", document.content), &others).then_some(name)
    };
    found.filter_map(column).collect()
}

fn because(
    fused: &FusedDocument,
    members: &[i64],
    with_words: &[TermDocuments],
    cosines: &HashMap<i64, f32>,
) -> Vec<HitRank> {
    let all = || members.iter().chain([&fused.document]);
    let words = with_words.iter().filter(|(_, documents)| all().any(|document| documents.contains(document)));
    let words: Vec<String> = words.map(|(word, _)| (*word).to_owned()).collect();
    let place = |at: usize, list| {
        let place = fused.places.get(at).copied().flatten()?;
        let cosine = cosines.get(&place.document).filter(|_| list == RankedList::Meaning);
        let cosine = cosine.map(|cosine| rounded(f64::from(*cosine)));
        Some(HitRank { list, rank: place.rank, score: rounded(place.score), words: Vec::new(), cosine })
    };
    let by_words = place(0, RankedList::Words).map(|it| HitRank { words, ..it });
    let by_meaning = place(1, RankedList::Meaning);
    by_words.into_iter().chain(by_meaning).collect()
}

fn hit(
    document: Document,
    section: ChunkSection,
    score: f64,
    because: Vec<HitRank>,
    join: Option<IndexedJoin>,
) -> SectionHit {
    let (heading, line) = place_of(&document, section);
    SectionHit {
        content: document.text_after(line).to_owned(),
        kind: document.doc_type,
        source: document.source,
        path: document.path,
        heading,
        line,
        end_line: document.end_line,
        score: rounded(score),
        because,
        subject: document.subject,
        join,
        columns: Vec::new(),
    }
}

/// Rounded to four digits; more are not significant.
fn rounded(value: f64) -> f64 {
    (value * 10_000.0).round() / 10_000.0
}
