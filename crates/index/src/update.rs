//! Brings the index up to date with the catalog: what did not change is not touched, what is gone is removed
//! (SEARCH S1.3). First words, then vectors; each step is committed in batches, so that a killed run loses the last one.

use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime};

use rayon::prelude::*;
use sha2::{Digest, Sha256};

use crate::Embedder;
use crate::chunk::{Chunk, chunks};
use crate::location::{Location, Writable};
use crate::storage::{NewDocument, Storage, TextKey, TextState, TextUpdate};
use crate::threshold;
use crate::words::split_names;
use refdesk_core::catalog::{Catalog, Source, SourceKind};
use refdesk_core::mention::{LIMITS, files};
use refdesk_files::beneath::open_in;
use refdesk_files::walk::WalkBudget;
use refdesk_files::{Stamp, read_open, stamp};
use refdesk_text::lines::decode;
use refdesk_text::{Code, Error};

/// Documents of one transaction.
const BATCH: usize = 500;

/// Vectors of one transaction, about a second's work.
const VECTOR_BATCH: usize = 32;

/// The kinds of documents so far: a part of a text, and what the catalog says about a source.
pub(crate) const TEXT: &str = "text";
pub(crate) const SOURCE: &str = "source";

/// Every kind of document.
pub const DOCUMENT_KINDS: [&str; 2] = [TEXT, SOURCE];

/// The path of the content of an inline source.
const INLINE: &str = "inline";

/// Between the headings of a chunk.
pub(crate) const HEADING_SEPARATOR: &str = " > ";

/// Sources read in parallel before their documents are written.
const SOURCES_AT_ONCE: usize = 64;

/// The most sections of a text and of an index; more are left out, and counted. A document that came with a repository could
/// keep a processor busy for days otherwise.
const SECTIONS_OF_A_TEXT: usize = 2_000;
const SECTIONS: usize = 200_000;

/// The number of sources whose texts were not read yet when the last run stored something.
const UNREAD: &str = "unread sources";

/// The number of sources that are missing in an index; at least 1 if no run has stored anything.
pub(crate) fn unread(storage: &dyn Storage) -> Result<usize, Error> {
    Ok(storage.metadata(UNREAD)?.and_then(|text| text.parse().ok()).unwrap_or(1))
}

/// How far a run has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Progress {
    /// Sources whose text is indexed, of all.
    Words {
        /// Sources done.
        done: usize,
        /// All sources.
        of: usize,
    },
    /// Vectors computed, of those that were missing.
    Vectors {
        /// Vectors done.
        done: usize,
        /// All that were missing.
        of: usize,
    },
}

/// What a run did.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, serde::Serialize)]
pub struct Report {
    /// Documents in the index now.
    pub documents: usize,
    /// Documents added by this run.
    pub added: usize,
    /// Documents removed by this run.
    pub removed: usize,
    /// Vectors computed by this run.
    pub vectors: usize,
    /// Documents without a vector.
    pub missing: usize,
    /// Texts that could not be read; they keep what was indexed of them.
    pub unreadable: usize,
    /// Changed texts of which not all sections are indexed, because they or the index have too many.
    pub cut: usize,
    /// The index that was there could not be kept and was set aside: damaged, of an older version, or not the user's.
    #[serde(rename = "replaced")]
    pub is_replaced: bool,
}

/// What to do in a run.
pub struct Job<'a> {
    /// The sources.
    pub catalog: &'a Catalog,
    /// Computes vectors; words alone without one.
    pub embedder: Option<&'a dyn Embedder>,
    /// Forget everything first.
    pub fresh: bool,
    /// The current time.
    pub now: SystemTime,
    /// Is told how far it is, several times a second; ends the run by returning false.
    pub progress: &'a mut dyn FnMut(Progress) -> bool,
}

/// Updates the index; `None` if another process is doing it.
///
/// # Errors
/// The index cannot be written, or the model cannot be run. What was committed before stays.
pub fn update(location: &Location, mut job: Job) -> Result<Option<Report>, Error> {
    match run(location, &mut job) {
        // What is damaged is no longer taken for ours, so that this builds another.
        Err(error) if error.code == Code::IndexUnreadable => run(location, &mut job),
        done => done,
    }
}

fn run(location: &Location, job: &mut Job) -> Result<Option<Report>, Error> {
    let Some(Writable { mut storage, is_replaced }) = location.write(job.fresh)? else { return Ok(None) };
    let mut report = Report { is_replaced, ..Report::default() };
    let goes_on = words(&mut *storage, job, &mut report)?;
    if let (true, Some(embedder)) = (goes_on, job.embedder) {
        let mut progress = Ticker::new(&mut *job.progress);
        if vectors(&mut *storage, embedder, &mut progress, &mut report)? {
            threshold::update(&mut *storage, embedder)?;
        }
    }
    report.documents = storage.count()?;
    report.missing = storage.without_vector(job.embedder.map_or("", Embedder::model))?.len();
    Ok(Some(report))
}

/// Passes progress on at most ten times a second.
struct Ticker<'a> {
    each: &'a mut dyn FnMut(Progress) -> bool,
    next: Instant,
}

impl<'a> Ticker<'a> {
    const INTERVAL: Duration = Duration::from_millis(100);

    fn new(each: &'a mut dyn FnMut(Progress) -> bool) -> Self {
        Self { each, next: Instant::now() }
    }

    fn tell(&mut self, progress: Progress) -> bool {
        let now = Instant::now();
        if now < self.next {
            return true;
        }
        self.next = now + Self::INTERVAL;
        (self.each)(progress)
    }
}

/// A text that belongs in the index.
struct Wanted<'a> {
    source: &'a Source,
    origin: Origin<'a>,
}

enum Origin<'a> {
    /// What the catalog says about the source.
    About,
    /// The content of an inline source.
    Inline(&'a str),
    /// A file below the source's own path.
    File(PathBuf),
}

/// A text compared with the index.
enum Compared {
    Unchanged,
    /// The file was written, with the same content.
    Touched(TextState),
    Changed(TextState, Vec<Chunk>),
    Unreadable,
}

/// No file has this stamp: the text is compared by its content each time.
const NO_STAMP: Stamp = Stamp { size: 0, modified: 0, changed: 0, number: 0 };

impl Wanted<'_> {
    fn key(&self) -> TextKey {
        let path = match &self.origin {
            Origin::About => String::new(),
            Origin::Inline(_) => INLINE.to_owned(),
            Origin::File(path) => path.to_string_lossy().into_owned(),
        };
        TextKey { path, source: self.source.id.as_str().to_owned() }
    }

    fn compare(&self, known: Option<&TextState>, now: SystemTime) -> Compared {
        let (stamp, text, name) = match &self.origin {
            Origin::About => (NO_STAMP, about_source(self.source), Path::new("about")),
            Origin::Inline(content) => (NO_STAMP, (*content).to_owned(), Path::new("inline.md")),
            Origin::File(path) => {
                let Some(place) = self.source.place() else { return Compared::Unreadable };
                match stamp(path) {
                    Ok(now) if known.is_some_and(|known| known.stamp == now) => return Compared::Unchanged,
                    _ => {}
                }
                let Ok((stamp, text)) = read(&place.resolved, path) else { return Compared::Unreadable };
                // A file that was just written may be written again and look the same.
                let stamp = if stamp.has_settled(now) { stamp } else { NO_STAMP };
                (stamp, text, path.as_path())
            }
        };
        let hash = hash_of(&text);
        let is_same = known.is_some_and(|known| known.hash == hash);
        let now = TextState { stamp, hash };
        match &self.origin {
            _ if is_same && known.is_some_and(|known| known.stamp == stamp) => Compared::Unchanged,
            _ if is_same => Compared::Touched(now),
            Origin::About => {
                Compared::Changed(now, vec![Chunk { headings: Vec::new(), line: 0, end_line: 0, content: text }])
            }
            _ => Compared::Changed(now, chunks(name, &text)),
        }
    }
}

/// The text of a file below a source's own path, following no link.
fn read(place: &Path, path: &Path) -> io::Result<(Stamp, String)> {
    let (file, metadata) = open_in(place, path)?;
    let bytes = read_open(file, &metadata, LIMITS.bytes)?.0;
    Ok((Stamp::of(&metadata), decode(&bytes).0.into_owned()))
}

/// The text that a document of this source and path is a part of; `None` for what the catalog says, which is always current.
///
/// # Errors
/// The file cannot be read.
pub fn text_of(source: &Source, path: &str) -> io::Result<Option<String>> {
    match &source.kind {
        _ if path.is_empty() => Ok(None),
        SourceKind::Inline { content } => Ok(Some(content.to_string())),
        _ => match source.place() {
            Some(place) => read(&place.resolved, Path::new(path)).map(|(_, text)| Some(text)),
            None => Err(io::ErrorKind::NotFound.into()),
        },
    }
}

/// What the catalog says about a source, as a text: its name, its description, its tags and its id as words.
fn about_source(source: &Source) -> String {
    let spaced = |name: &str| name.replace(['-', '_', '.', '/'], " ");
    let tags: Vec<String> = source.tags.iter().map(|tag| spaced(tag)).collect();
    let parts = [source.name.clone(), source.description.clone(), tags.join(", "), spaced(source.id.as_str())];
    let said: Vec<&str> = parts.iter().map(String::as_str).map(str::trim).filter(|part| !part.is_empty()).collect();
    said.join(". ")
}

/// The texts of a source; none that a person has not trusted.
fn texts<'a>(source: &'a Source, budget: &WalkBudget) -> Vec<Wanted<'a>> {
    let about = Wanted { source, origin: Origin::About };
    let content = match &source.kind {
        SourceKind::Inline { content } => vec![Origin::Inline(content)],
        _ => {
            let found = files(source, budget, |_| String::new()).0;
            let real = |path: &Path| source.place().map(|place| place.real(path));
            found.iter().filter_map(|file| Some(Origin::File(real(&file.path)?))).collect()
        }
    };
    std::iter::once(about).chain(content.into_iter().map(|origin| Wanted { source, origin })).collect()
}

/// Writes the texts of all sources; returns whether the run goes on.
fn words(storage: &mut dyn Storage, job: &mut Job, report: &mut Report) -> Result<bool, Error> {
    let mut known = storage.texts()?;
    let budget = WalkBudget::default();
    let sources: Vec<&Source> = job.catalog.sources().iter().collect();
    let mut ticker = Ticker::new(&mut *job.progress);
    let mut updates = Vec::new();
    let (before, mut pending) = (storage.count()?, 0);
    for (done, some) in sources.chunks(SOURCES_AT_ONCE).enumerate() {
        let wanted: Vec<Wanted> = some.iter().flat_map(|source| texts(source, &budget)).collect();
        let compared: Vec<Compared> =
            wanted.par_iter().map(|text| text.compare(known.get(&text.key()), job.now)).collect();
        for (text, compared) in wanted.iter().zip(compared) {
            let key = text.key();
            known.remove(&key);
            match compared {
                Compared::Unchanged => {}
                Compared::Unreadable => report.unreadable += 1,
                Compared::Touched(now) => updates.push(TextUpdate::Touched(key, now)),
                Compared::Changed(now, mut chunks) => {
                    let there = before + report.added + pending;
                    let room = (SECTIONS + report.removed).saturating_sub(there).min(SECTIONS_OF_A_TEXT);
                    report.cut += usize::from(chunks.len() > room);
                    chunks.truncate(room);
                    pending += chunks.len();
                    let documents = chunks.into_iter().map(|chunk| document(&text.origin, chunk)).collect();
                    updates.push(TextUpdate::Changed(key, now, documents));
                }
            }
            if pending >= BATCH {
                store(storage, &mut updates, sources.len() - done * SOURCES_AT_ONCE, report)?;
                pending = 0;
            }
        }
        if !ticker.tell(Progress::Words { done: (done + 1) * SOURCES_AT_ONCE, of: sources.len() }) {
            let unread = sources.len().saturating_sub((done + 1) * SOURCES_AT_ONCE);
            store(storage, &mut updates, unread, report)?;
            return Ok(false);
        }
    }
    updates.extend(known.into_keys().map(TextUpdate::Removed));
    store(storage, &mut updates, 0, report)?;
    if report.removed > 0 {
        storage.remove_unused_vectors()?;
    }
    Ok(true)
}

/// Stores the updates and how many sources are not read yet, so that an index that was left unfinished says so.
fn store(
    storage: &mut dyn Storage,
    updates: &mut Vec<TextUpdate>,
    unread: usize,
    report: &mut Report,
) -> Result<(), Error> {
    let known = storage.metadata(UNREAD)?;
    if !(updates.is_empty() && unread > 0) && known != Some(unread.to_string()) {
        storage.set_metadata(UNREAD, &unread.to_string())?;
    }
    if updates.iter().any(|update| !matches!(update, TextUpdate::Touched(..))) {
        threshold::expire(storage)?;
    }
    report.added += updates.iter().map(TextUpdate::added).sum::<usize>();
    report.removed += storage.update_texts(updates)?;
    updates.clear();
    Ok(())
}

fn document(origin: &Origin, chunk: Chunk) -> NewDocument {
    let heading = chunk.headings.join(HEADING_SEPARATOR);
    let text = embedded_text(&heading, &chunk.content);
    NewDocument {
        doc_type: if matches!(origin, Origin::About) { SOURCE } else { TEXT },
        heading,
        line: chunk.line,
        end_line: chunk.end_line,
        content: chunk.content,
        keywords: split_names(&text),
        content_hash: hash_of(&text),
    }
}

/// What of a chunk the model reads.
fn embedded_text(heading: &str, content: &str) -> String {
    if heading.is_empty() { content.to_owned() } else { format!("{heading}\n{content}") }
}

pub(crate) fn hash_of(text: &str) -> Vec<u8> {
    Sha256::digest(text.as_bytes()).to_vec()
}

/// Computes the missing vectors; returns whether all are there.
fn vectors(
    storage: &mut dyn Storage,
    embedder: &dyn Embedder,
    ticker: &mut Ticker,
    report: &mut Report,
) -> Result<bool, Error> {
    let missing = storage.without_vector(embedder.model())?;
    for (nth, some) in missing.chunks(VECTOR_BATCH).enumerate() {
        let mut vectors = Vec::with_capacity(some.len());
        let mut goes_on = true;
        for document in storage.documents(some)? {
            let vector = embedder.embed(&embedded_text(&document.heading, &document.content))?;
            vectors.push((document.content_hash, vector));
            goes_on = ticker.tell(Progress::Vectors { done: nth * VECTOR_BATCH + vectors.len(), of: missing.len() });
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
