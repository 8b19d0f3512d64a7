//! Brings the index up to date with the catalog: unchanged texts are not touched, missing ones are removed (SEARCH
//! S1.3). Words come first, then vectors; each step is committed in batches, so that a killed run loses only the last
//! batch.

mod cut;
mod texts;

use std::cmp::Reverse;
use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime};

use rayon::prelude::*;

pub use self::cut::CutText;
use self::cut::CutTexts;
pub(crate) use self::cut::cut_texts;
#[cfg(feature = "postgres")]
pub(crate) use self::texts::hash_of;
use self::texts::{Compared, Comparison, IndexableText, embedded_text, texts};
pub use self::texts::{CurrentText, INLINE, about_source};
pub(crate) use self::texts::{Stamps, embedded_hash};
use crate::Embedder;
use crate::index_cache::TextsBySource;
use crate::location::{Location, Writable};
use crate::pages::{self, DatabasePages};
use crate::storage::{NewDocument, Storage, TextKey, TextUpdate};
use crate::threshold;
use refdesk_core::catalog::{Catalog, Source};
use refdesk_files::walk::WalkBudget;
use refdesk_text::{Code, Error, Fix};

/// Documents per transaction.
const BATCH: usize = 500;

/// Vectors per transaction, about a second's work.
const VECTOR_BATCH: usize = 32;

/// The kind of a document that is a part of a text.
pub const TEXT: &str = "text";
/// The kind of a document with the catalog's text about a source.
pub const SOURCE: &str = "source";

/// Every kind of document.
pub const DOCUMENT_KINDS: [&str; 6] = [TEXT, SOURCE, pages::TABLE, pages::COLUMN, pages::DOMAIN, pages::RELATIONSHIP];

/// The number of sources read in parallel before their documents are written.
const SOURCES_AT_ONCE: usize = 64;

/// The most sections of a text and of an index; the rest is left out and counted. Otherwise, a document from a
/// repository could keep a processor busy for days.
pub const SECTIONS_OF_A_TEXT: usize = 2_000;
const SECTIONS: usize = 200_000;

/// The most documents of a page and of an index; documents of pages have few or no vectors.
const DOCUMENTS_OF_A_PAGE: usize = 5_000;
const DOCUMENTS: usize = 1_000_000;

/// The most sources for which the text of one file is indexed. A hit shows its section once, however many sources
/// contain it, and a hostile catalog could otherwise multiply its index.
pub(crate) const SOURCES_OF_A_TEXT: u16 = 32;

/// The most files that are compared with the index for one answer (except those of a single source), and the most of
/// them that are read because their stamps are inconclusive.
const FILES_COMPARED: usize = 2_000;
const FILES_READ: usize = 100;

/// The version of the pages in the last complete run.
const PAGES: &str = "pages";

/// The number of sources whose texts were still unread when the last run stored something.
const UNREAD: &str = "unread sources";

/// The number of sources missing in an index; at least 1 if no run has stored anything.
pub(crate) fn unread(storage: &dyn Storage) -> Result<usize, Error> {
    Ok(storage.metadata(UNREAD)?.and_then(|text| text.parse().ok()).unwrap_or(1))
}

/// The progress of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum IndexProgress {
    /// Sources whose text is indexed.
    Words {
        /// Sources done.
        done: usize,
        /// Number of all sources.
        of: usize,
    },
    /// Vectors computed in this run.
    Vectors {
        /// Vectors done.
        done: usize,
        /// Number of vectors that were missing.
        of: usize,
    },
}

/// The result of a run.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, serde::Serialize)]
pub struct Report {
    /// Documents in the index after the run; messages call them sections.
    #[serde(rename = "sections")]
    pub documents: usize,
    /// Documents added by this run.
    pub added: usize,
    /// Documents removed by this run.
    pub removed: usize,
    /// Vectors computed by this run.
    pub vectors: usize,
    /// Documents still without a vector.
    pub missing: usize,
    /// Texts that could not be read; their indexed content is kept.
    pub unreadable: usize,
    /// Texts with some sections left out, because they or the index have too many.
    pub cut: usize,
    /// Texts left out for a source because very many other sources have the same file.
    pub shared: usize,
    /// Whether the existing index could not be kept, because it was damaged, of an older version, or not the user's.
    #[serde(rename = "replaced")]
    pub is_replaced: bool,
    /// Whether that index was set aside because it was damaged or not the user's.
    #[serde(rename = "set_aside")]
    pub is_set_aside: bool,
}

/// The input of a run.
pub struct Job<'a> {
    /// The sources.
    pub catalog: &'a Catalog,
    /// Whether to keep the indexed text of a file that no source has, because not all sources may be known.
    pub may_stay: &'a dyn Fn(&Path) -> bool,
    /// The files that are pages of databases.
    pub pages: Option<&'a dyn DatabasePages>,
    /// Computes vectors; without one, only words are indexed.
    pub embedder: Option<&'a dyn Embedder>,
    /// Whether to build a new index, which replaces the old one when it is complete.
    pub fresh: bool,
    /// Whether an older version of a shared index may be replaced, which removes the indexes of all other repositories.
    pub may_affect_others: bool,
    /// The current time.
    pub now: SystemTime,
    /// Called with the progress several times a second; ends the run by returning false.
    pub progress: &'a mut dyn FnMut(IndexProgress) -> bool,
}

/// Updates the index; `None` if another process is already doing so.
///
/// # Errors
/// The index cannot be written, or the model cannot be run. Committed batches stay. [`Code::NotUtf8`]: the path of the
/// workspace is not UTF-8.
pub fn update(location: &Location, mut job: Job) -> Result<Option<Report>, Error> {
    location.check_path()?;
    match run(location, &mut job) {
        // A damaged index, or one with foreign rows, has been given up, so this builds another.
        Err(error) if matches!(error.code, Code::IndexUnreadable | Code::IndexForeign) => run(location, &mut job),
        done => done,
    }
}

/// Removes all texts for which `may_stay`, given source id and path, returns false, without leaving any trace of them
/// in the index. Returns the number of removed documents, or `None` if another process is updating the index. Writes
/// nothing if there are no such texts. Also removes indexes that were set aside, because they may contain these texts.
///
/// # Errors
/// The index is not this user's or is damaged, or it or one that was set aside cannot be changed.
pub fn forget(location: &Location, may_stay: &dyn Fn(&str, &str) -> bool) -> Result<Option<usize>, Error> {
    let removed = forget_texts(location, may_stay);
    // Last, because a damaged index may be set aside before.
    location.remove_aside()?;
    removed
}

fn forget_texts(location: &Location, may_stay: &dyn Fn(&str, &str) -> bool) -> Result<Option<usize>, Error> {
    let gone = |storage: &dyn Storage| -> Result<Vec<TextUpdate>, Error> {
        let gone = storage.texts()?.into_keys().filter(|text| !may_stay(&text.source, &text.path));
        Ok(gone.map(TextUpdate::Removed).collect())
    };
    match location.read()? {
        Some(storage) if gone(&*storage)?.is_empty() => return Ok(Some(0)),
        None if !location.is_present()? => return Ok(Some(0)),
        // An index of an older version was replaced by an empty one.
        _ => {}
    }
    // Building it would need the trust that was just withdrawn.
    let advised = |error: Error| match error.fix {
        Fix::BuildIndex => {
            let fix = "remove the schema 'refdesk' there, or trust the database again and build the index";
            Error { fix: fix.into(), ..error }
        }
        _ => error,
    };
    let Some(Writable { mut storage, .. }) = location.write(false, false).map_err(advised)? else { return Ok(None) };
    let gone = gone(&*storage)?;
    threshold::expire(&mut *storage)?;
    let removed = storage.update_texts(&gone)?;
    storage.remove_unused_vectors()?;
    storage.empty_log()?;
    Ok(Some(removed))
}

fn run(location: &Location, job: &mut Job) -> Result<Option<Report>, Error> {
    let opened = location.write(job.fresh, job.may_affect_others)?;
    let Some(Writable { mut storage, replacement, is_replaced, is_set_aside }) = opened else { return Ok(None) };
    let mut report = Report { is_replaced, is_set_aside, ..Report::default() };
    let filled = fill(&mut *storage, job, &mut report);
    // Close the files before they are renamed or removed.
    drop(storage);
    let is_complete = filled?;
    let Some(replacement) = replacement else { return Ok(Some(report)) };
    if is_complete {
        replacement.install()?;
        return Ok(Some(report));
    }
    drop(replacement);
    // The old index is still in place, even if this refdesk cannot read it.
    let mut kept = Report::default();
    if let Ok(Some(storage)) = location.read() {
        count(&*storage, job, &mut kept)?;
    }
    Ok(Some(kept))
}

/// Brings the index up to date; returns false if the run was stopped.
fn fill(storage: &mut dyn Storage, job: &mut Job, report: &mut Report) -> Result<bool, Error> {
    let mut goes_on = words(storage, job, report)?;
    let missing = job.embedder.map(|embedder| storage.count_without_vector(embedder.model())).transpose()?;
    // While many vectors are missing, answers use only words; a few are computed quickly.
    if goes_on && missing.is_none_or(|missing| missing > VECTOR_BATCH) {
        threshold::update(storage, None)?;
    }
    if let (true, Some(embedder)) = (goes_on, job.embedder) {
        let mut progress = Ticker::new(&mut *job.progress);
        goes_on = vectors(storage, embedder, &mut progress, report)?;
        if goes_on {
            threshold::update(storage, Some(embedder))?;
        }
    }
    count(storage, job, report)?;
    Ok(goes_on)
}

fn count(storage: &dyn Storage, job: &Job, report: &mut Report) -> Result<(), Error> {
    report.documents = storage.count()?;
    report.missing = storage.count_without_vector(job.embedder.map_or("", Embedder::model))?;
    Ok(())
}

/// Reports progress at most ten times a second.
struct Ticker<'a> {
    each: &'a mut dyn FnMut(IndexProgress) -> bool,
    next: Instant,
}

impl<'a> Ticker<'a> {
    const INTERVAL: Duration = Duration::from_millis(100);

    fn new(each: &'a mut dyn FnMut(IndexProgress) -> bool) -> Self {
        Self { each, next: Instant::now() }
    }

    fn tick(&mut self, progress: IndexProgress) -> bool {
        let now = Instant::now();
        if now < self.next {
            return true;
        }
        self.next = now + Self::INTERVAL;
        (self.each)(progress)
    }
}

/// Indexes the texts of all sources; returns false if the run was stopped.
fn words(storage: &mut dyn Storage, job: &mut Job, report: &mut Report) -> Result<bool, Error> {
    let mut known = storage.texts()?;
    let budget = WalkBudget::default();
    let catalog = job.catalog;
    let sources = innermost_first(catalog);
    if storage.metadata(UNREAD)?.is_none() {
        storage.set_metadata(UNREAD, &sources.len().to_string())?;
    }
    let version = job.pages.map_or("", DatabasePages::version);
    let how = Comparison { stamps: Stamps::of(storage, job.pages)?, now: job.now };
    let mut ticker = Ticker::new(&mut *job.progress);
    let mut updates = Vec::new();
    let mut sources_of = SourcesOfTexts::default();
    let (mut room, mut pending, mut cut) = (DocumentCapacity::of(storage)?, 0, CutTexts::of(storage)?);
    for (done, some) in sources.chunks(SOURCES_AT_ONCE).enumerate() {
        let mut wanted: Vec<IndexableText> = some.iter().flat_map(|source| texts(source, &budget, job.pages)).collect();
        wanted.retain(|text| {
            let is_indexed = sources_of.may_have(text);
            report.shared += usize::from(!is_indexed);
            is_indexed
        });
        let compared: Vec<Compared> =
            wanted.par_iter().map(|text| text.compare(known.get(&text.key()), &how)).collect();
        for (text, compared) in wanted.iter().zip(compared) {
            let key = text.key();
            known.remove(&key);
            let mut is_cut = None;
            match compared {
                Compared::Unchanged => {}
                Compared::Unreadable => report.unreadable += 1,
                Compared::Touched(now) => updates.push(TextUpdate::Touched(key.clone(), now)),
                Compared::Changed(now, mut documents) => {
                    is_cut = Some(room.cut(&mut documents, report.removed));
                    pending += documents.len();
                    updates.push(TextUpdate::Changed(key.clone(), now, documents));
                }
            }
            if let Some(source) = catalog.get(&key.source) {
                cut.note(source, &key.path, is_cut);
            }
            if pending >= BATCH {
                cut.store(storage, false)?;
                store(storage, &mut updates, sources.len() - done * SOURCES_AT_ONCE, report)?;
                pending = 0;
            }
        }
        if !ticker.tick(IndexProgress::Words { done: (done + 1) * SOURCES_AT_ONCE, of: sources.len() }) {
            let unread = sources.len().saturating_sub((done + 1) * SOURCES_AT_ONCE);
            report.cut = cut.store(storage, false)?;
            store(storage, &mut updates, unread, report)?;
            return Ok(false);
        }
    }
    let is_gone = |text: &TextKey| catalog.get(&text.source).is_some() || !(job.may_stay)(Path::new(&text.path));
    updates.extend(known.into_keys().filter(is_gone).map(TextUpdate::Removed));
    report.cut = cut.store(storage, true)?;
    store(storage, &mut updates, 0, report)?;
    if how.stamps.has_other_pages {
        storage.set_metadata(PAGES, version)?;
    }
    if report.removed > 0 {
        storage.remove_unused_vectors()?;
    }
    Ok(true)
}

/// How many files were added, changed or removed since indexing, among the first files of a catalog's indexed sources.
pub(crate) fn changed_files(
    indexed: &TextsBySource,
    catalog: &Catalog,
    pages: Option<&dyn DatabasePages>,
    now: SystemTime,
) -> usize {
    let how = Comparison { stamps: Stamps { pages, has_other_pages: false }, now };
    let budget = WalkBudget::default();
    let mut sources_of = SourcesOfTexts::default();
    let (mut changed, mut compared, mut read) = (HashSet::new(), 0, 0);
    // A file counts once, however many sources contain it.
    let of_file = |key: &TextKey| match Path::new(&key.path).is_absolute() {
        true => TextKey { source: String::new(), path: key.path.clone() },
        false => key.clone(),
    };
    for source in innermost_first(catalog) {
        let Some(indexed) = indexed.get(source.id.as_str()) else { continue };
        let mut gone: HashSet<&TextKey> = indexed.keys().collect();
        for text in texts(source, &budget, pages).into_iter().filter(|text| sources_of.may_have(text)) {
            let key = text.key();
            gone.remove(&key);
            compared += 1;
            let may_read = || {
                read += 1;
                read <= FILES_READ
            };
            if text.has_changed(indexed.get(&key), &how, may_read) {
                changed.insert(of_file(&key));
            }
        }
        changed.extend(gone.into_iter().map(of_file));
        if compared >= FILES_COMPARED {
            break;
        }
    }
    changed.len()
}

/// The sources of a catalog, innermost first, because the innermost sources get the text of a file that very many have.
fn innermost_first(catalog: &Catalog) -> Vec<&Source> {
    let mut sources: Vec<&Source> = catalog.sources().iter().collect();
    sources.sort_by_key(|source| Reverse(source.depth()));
    sources
}

/// The number of sources seen for each file.
#[derive(Default)]
struct SourcesOfTexts(HashMap<PathBuf, u16>);

impl SourcesOfTexts {
    /// Whether this text may be indexed for one more source.
    fn may_have(&mut self, text: &IndexableText) -> bool {
        let Some(path) = text.file() else { return true };
        let sources = self.0.entry(path.to_path_buf()).or_default();
        *sources = sources.saturating_add(1);
        *sources <= SOURCES_OF_A_TEXT
    }
}

/// The number of documents in the index.
struct DocumentCapacity {
    all: usize,
    embedded: usize,
}

impl DocumentCapacity {
    fn of(storage: &dyn Storage) -> Result<Self, Error> {
        Ok(Self { all: storage.count()?, embedded: storage.count_embedded()? })
    }

    /// Leaves out the documents of a text over the limit, and counts the others; returns whether any were left out.
    fn cut(&mut self, documents: &mut Vec<NewDocument>, removed: usize) -> bool {
        let before = documents.len();
        let (mut own, mut own_embedded) = (0, 0);
        documents.retain(|document| {
            let is_embedded = !document.content_hash.is_empty();
            let fits = own < DOCUMENTS_OF_A_PAGE
                && self.all + own < DOCUMENTS + removed
                && (!is_embedded
                    || (own_embedded < SECTIONS_OF_A_TEXT && self.embedded + own_embedded < SECTIONS + removed));
            own += usize::from(fits);
            own_embedded += usize::from(fits && is_embedded);
            fits
        });
        self.all += own;
        self.embedded += own_embedded;
        documents.len() < before
    }
}

/// Stores the updates together with the number of sources still unread, so that an unfinished index reports it. If the
/// run is killed in between, the larger number remains.
fn store(
    storage: &mut dyn Storage,
    updates: &mut Vec<TextUpdate>,
    unread: usize,
    report: &mut Report,
) -> Result<(), Error> {
    let known = storage.metadata(UNREAD)?.and_then(|text| text.parse::<usize>().ok());
    let are_stored = !(updates.is_empty() && unread > 0);
    if are_stored && known.is_none_or(|known| known < unread) {
        storage.set_metadata(UNREAD, &unread.to_string())?;
    }
    if updates.iter().any(|update| !matches!(update, TextUpdate::Touched(..))) {
        threshold::expire(storage)?;
    }
    report.added += updates.iter().map(TextUpdate::added).sum::<usize>();
    report.removed += storage.update_texts(updates)?;
    if are_stored && known.is_some_and(|known| known > unread) {
        storage.set_metadata(UNREAD, &unread.to_string())?;
    }
    updates.clear();
    Ok(())
}

/// Computes the missing vectors; returns whether all are there.
fn vectors(
    storage: &mut dyn Storage,
    embedder: &dyn Embedder,
    ticker: &mut Ticker,
    report: &mut Report,
) -> Result<bool, Error> {
    storage.remove_damaged_vectors(embedder.model(), embedder.dimensions())?;
    let missing = storage.without_vector(embedder.model())?;
    for (nth, some) in missing.chunks(VECTOR_BATCH).enumerate() {
        let mut vectors = Vec::with_capacity(some.len());
        let mut goes_on = true;
        for document in storage.documents(some)? {
            let vector = embedder.embed(&embedded_text(&document.heading, &document.content))?;
            vectors.push((document.content_hash, vector));
            goes_on =
                ticker.tick(IndexProgress::Vectors { done: nth * VECTOR_BATCH + vectors.len(), of: missing.len() });
            if !goes_on {
                break;
            }
        }
        storage.add_vectors(embedder.model(), &vectors)?;
        report.vectors += vectors.len();
        if !goes_on {
            return Ok(false);
        }
    }
    Ok(true)
}
