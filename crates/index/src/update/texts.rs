//! The texts of a run: which exist, which have changed, and the documents made from them.

use std::io;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use sha2::{Digest, Sha256};

use super::{PAGES, SOURCE, TEXT};
use crate::chunk::{Chunk, ChunkSection, HEADING_SEPARATOR, Outline, chunks};
use crate::pages::{DatabasePages, DatabaseSubject, PageContent, PageRole};
use crate::search::FoundDocument;
use crate::storage::{Document, NewDocument, Storage, TextKey, TextState};
use crate::words::split_names;
use refdesk_core::catalog::{Source, SourceKind};
use refdesk_core::mention::{LIMITS, files};
use refdesk_files::nofollow::open_in;
use refdesk_files::walk::{WalkBudget, WalkedFile};
use refdesk_files::{Stamp, read_open, stamp};
use refdesk_text::Error;
use refdesk_text::lines::decode;

/// The path that stands for the content of an inline source.
pub const INLINE: &str = "inline";

/// A text to be indexed.
pub(super) struct IndexableText<'a> {
    source: &'a Source,
    origin: Origin<'a>,
}

enum Origin<'a> {
    /// The catalog's text about the source.
    About,
    /// The content of an inline source.
    Inline(&'a str),
    /// A file below the source's own path.
    File(PathBuf),
    /// A page of a database below the source's own path, and the files with its content.
    Page(PathBuf, Vec<PathBuf>),
}

/// The result of comparing a text with the index.
pub(super) enum Compared {
    Unchanged,
    /// The file was written with the same content.
    Touched(TextState),
    Changed(TextState, Vec<NewDocument>),
    Unreadable,
}

/// How the texts of a run are compared with the index.
pub(super) struct Comparison<'a> {
    pub stamps: Stamps<'a>,
    pub now: SystemTime,
}

impl Comparison<'_> {
    /// The known state of a text, if its stamp can tell whether it has changed.
    fn stamped<'k>(&self, known: Option<&'k TextState>, path: &Path) -> Option<&'k TextState> {
        known.filter(|_| self.stamps.can_tell(path))
    }
}

/// Tells from the stamps of files only whether documents are as they were when they were indexed.
pub(crate) struct Stamps<'a> {
    pub(super) pages: Option<&'a dyn DatabasePages>,
    /// Whether the set of possible pages has changed since indexing.
    pub(super) has_other_pages: bool,
}

impl<'a> Stamps<'a> {
    pub(crate) fn of(storage: &dyn Storage, pages: Option<&'a dyn DatabasePages>) -> Result<Self, Error> {
        let version = pages.map_or("", DatabasePages::version);
        let has_other_pages = storage.metadata(PAGES)?.is_none_or(|known| known != version);
        Ok(Self { pages, has_other_pages })
    }

    /// Whether the role of a file is still the one for which it was indexed.
    fn can_tell(&self, path: &Path) -> bool {
        !self.has_other_pages || self.pages.is_some_and(|pages| !pages.covers(path))
    }

    /// Whether the files of a document are those that it was made from; false if their stamps cannot prove it.
    pub(crate) fn are_same(&self, document: &Document) -> bool {
        let path = Path::new(&document.path);
        if document.stamp == NO_STAMP || !self.can_tell(path) {
            return false;
        }
        match self.pages.map_or(PageRole::Other, |pages| pages.role(path)) {
            PageRole::Other => stamp(path).is_ok_and(|now| now == document.stamp),
            PageRole::Page(files) => combined(&stamps(&files)) == document.stamp,
            PageRole::Data => false,
        }
    }
}

/// A stamp that no file has, so that the text is compared by content each time.
const NO_STAMP: Stamp = Stamp { size: 0, modified: 0, changed: 0, number: 0 };

impl IndexableText<'_> {
    pub(super) fn key(&self) -> TextKey {
        let path = match &self.origin {
            Origin::About => String::new(),
            Origin::Inline(_) => INLINE.to_owned(),
            Origin::File(path) | Origin::Page(path, _) => path.to_string_lossy().into_owned(),
        };
        TextKey { path, source: self.source.id.as_str().to_owned() }
    }

    /// Its file; `None` for text from the catalog itself.
    pub(super) fn file(&self) -> Option<&Path> {
        match &self.origin {
            Origin::About | Origin::Inline(_) => None,
            Origin::File(path) | Origin::Page(path, _) => Some(path),
        }
    }

    pub(super) fn compare(&self, known: Option<&TextState>, how: &Comparison) -> Compared {
        match &self.origin {
            Origin::About => {
                let (headings, sections) = (Vec::new(), Vec::new());
                let whole =
                    |content| Chunk { headings, sections, line: 0, end_line: 0, content, is_boilerplate: false };
                let about = |text| vec![document(SOURCE, whole(text), None)];
                compare(NO_STAMP, about_source(self.source), known, about)
            }
            Origin::Inline(content) => {
                let sections = |text: String| sections(named(INLINE), &text, None);
                compare(NO_STAMP, (*content).to_owned(), known, sections)
            }
            Origin::File(path) => {
                let Some(place) = self.source.place() else { return Compared::Unreadable };
                match stamp(path) {
                    Ok(now) if how.stamped(known, path).is_some_and(|known| known.stamp == now) => {
                        return Compared::Unchanged;
                    }
                    _ => {}
                }
                let Ok((stamp, text)) = read(&place.resolved, path) else { return Compared::Unreadable };
                // A file that was just written may be written again with the same stamp.
                let stamp = if stamp.has_settled(how.now) { stamp } else { NO_STAMP };
                compare(stamp, text, known, |text| sections(path, &text, None))
            }
            Origin::Page(path, files) => {
                let stamps = stamps(files);
                let together = combined(&stamps);
                if how.stamped(known, path).is_some_and(|known| known.stamp == together) {
                    return Compared::Unchanged;
                }
                let Some(Ok(content)) = how.stamps.pages.map(|pages| pages.content(path)) else {
                    return Compared::Unreadable;
                };
                let stamp = if stamps.iter().all(|stamp| stamp.has_settled(how.now)) { together } else { NO_STAMP };
                compare_with(stamp, content.hash(), known, || page_documents(path, content))
            }
        }
    }

    /// Whether it is a file that has certainly changed since indexing. `may_read` allows reading one more file.
    pub(super) fn has_changed(
        &self,
        known: Option<&TextState>,
        how: &Comparison,
        may_read: impl FnOnce() -> bool,
    ) -> bool {
        match &self.origin {
            Origin::About => known.is_some_and(|known| known.hash != hash_of(&about_source(self.source))),
            Origin::Inline(content) => known.is_none_or(|known| known.hash != hash_of(content)),
            Origin::File(path) => {
                let Some(place) = self.source.place() else { return false };
                if known.is_some_and(|known| stamp(path).is_ok_and(|now| now == known.stamp)) {
                    return false;
                }
                // A file that is not text is not in the index.
                let text = may_read().then(|| read(&place.resolved, path).ok()).flatten();
                text.is_some_and(|(_, text)| known.is_none_or(|known| known.hash != hash_of(&text)))
            }
            // Computing the content of a page takes long, so only stamps are compared.
            Origin::Page(path, files) => match how.stamped(known, path) {
                Some(known) if known.stamp == NO_STAMP => false,
                known => known.is_none_or(|known| known.stamp != combined(&stamps(files))),
            },
        }
    }
}

fn compare(
    stamp: Stamp,
    text: String,
    known: Option<&TextState>,
    documents: impl FnOnce(String) -> Vec<NewDocument>,
) -> Compared {
    compare_with(stamp, hash_of(&text), known, || documents(text))
}

fn compare_with(
    stamp: Stamp,
    hash: Vec<u8>,
    known: Option<&TextState>,
    documents: impl FnOnce() -> Vec<NewDocument>,
) -> Compared {
    let is_same = known.is_some_and(|known| known.hash == hash);
    let now = TextState { stamp, hash };
    match known {
        Some(known) if is_same && known.stamp == stamp => Compared::Unchanged,
        _ if is_same => Compared::Touched(now),
        _ => Compared::Changed(now, documents()),
    }
}

fn stamps(files: &[PathBuf]) -> Vec<Stamp> {
    files.iter().filter_map(|file| stamp(file).ok()).collect()
}

/// A combined stamp that changes whenever one of the files is written, added or removed.
fn combined(stamps: &[Stamp]) -> Stamp {
    stamps.iter().fold(NO_STAMP, |all, one| Stamp {
        size: all.size.wrapping_add(one.size),
        modified: all.modified.max(one.modified),
        changed: all.changed.max(one.changed),
        number: all.number.wrapping_add(one.number),
    })
}

fn sections(name: &Path, text: &str, subject: Option<&DatabaseSubject>) -> Vec<NewDocument> {
    chunks(name, text).into_iter().map(|chunk| document(TEXT, chunk, subject.cloned())).collect()
}

fn page_documents(path: &Path, content: PageContent) -> Vec<NewDocument> {
    let prose = content.prose.map(|prose| sections(path, &prose, content.subject.as_ref()));
    content.documents.into_iter().map(NewDocument::from).chain(prose.into_iter().flatten()).collect()
}

/// Reads the text of a file below a source's own path, without following links. Binary files are an error: they would
/// be found only by accident. So are paths that are not UTF-8: the index could not name them.
fn read(place: &Path, path: &Path) -> io::Result<(Stamp, String)> {
    if path.to_str().is_none() {
        return Err(io::Error::new(io::ErrorKind::InvalidData, "its path is not UTF-8"));
    }
    let (file, metadata) = open_in(place, path)?;
    let bytes = read_open(file, &metadata, LIMITS.bytes)?.0;
    match decode(&bytes) {
        (_, true) => Err(io::Error::new(io::ErrorKind::InvalidData, "not UTF-8")),
        (text, false) => Ok((Stamp::of(&metadata), text.into_owned())),
    }
}

/// The current text of a source or file.
#[derive(Debug)]
pub struct CurrentText(Outline);

impl CurrentText {
    /// The text with a document of this source and path; `None` for a catalog entry, which is always current.
    ///
    /// # Errors
    /// The file cannot be read.
    pub fn of(source: &Source, path: &str) -> io::Result<Option<Self>> {
        let text = match &source.kind {
            _ if path.is_empty() => return Ok(None),
            SourceKind::Inline { content } => content.to_string(),
            _ => match source.place() {
                Some(place) => read(&place.resolved, Path::new(path))?.1,
                None => return Err(io::ErrorKind::NotFound.into()),
            },
        };
        Ok(Some(Self(Outline::of(named(path), &text))))
    }

    /// The current sections and first line of a document's text; `None` if the text is gone. Of several equal texts,
    /// the one below the same headings is chosen, then the nearest one.
    pub fn sections(&self, found: &FoundDocument) -> Option<(Vec<ChunkSection>, usize)> {
        let far = |(sections, line): &(Vec<ChunkSection>, usize)| {
            let is_elsewhere = sections.first().is_none_or(|first| first.heading != found.heading);
            (is_elsewhere, line.abs_diff(found.line))
        };
        self.0.places_of(found.content).min_by_key(far)
    }
}

/// The file name that determines how a text with this path is split: an inline text has no file.
fn named(path: &str) -> &Path {
    Path::new(if path == INLINE { "inline.md" } else { path })
}

/// The catalog entry of a source as an indexed text: its name, description, tags, and id as words, one per line.
pub fn about_source(source: &Source) -> String {
    let spaced = |name: &str| name.replace(['-', '_', '.', '/'], " ");
    let tags: Vec<String> = source.tags.iter().map(|tag| spaced(tag)).collect();
    let parts = [source.name.to_string(), source.description.clone(), tags.join(", "), spaced(source.id.as_str())];
    let said: Vec<&str> = parts.iter().map(String::as_str).map(str::trim).filter(|part| !part.is_empty()).collect();
    said.join("\n")
}

/// The texts of a source; none if the source is not trusted.
pub(super) fn texts<'a>(
    source: &'a Source,
    budget: &WalkBudget,
    pages: Option<&dyn DatabasePages>,
) -> Vec<IndexableText<'a>> {
    let about = IndexableText { source, origin: Origin::About };
    let content = match &source.kind {
        SourceKind::Inline { content } => vec![Origin::Inline(content)],
        _ => {
            let found = files(source, budget, |_| String::new()).0;
            let origin = |file: &WalkedFile| {
                let real = source.place()?.real(&file.path);
                match pages.map_or(PageRole::Other, |pages| pages.role(&real)) {
                    PageRole::Other => Some(Origin::File(real)),
                    PageRole::Data => None,
                    PageRole::Page(files) => Some(Origin::Page(real, files)),
                }
            };
            found.iter().filter_map(origin).collect()
        }
    };
    std::iter::once(about).chain(content.into_iter().map(|origin| IndexableText { source, origin })).collect()
}

fn document(kind: &'static str, chunk: Chunk, subject: Option<DatabaseSubject>) -> NewDocument {
    let heading = chunk.headings.join(HEADING_SEPARATOR);
    let text = embedded_text(&heading, &chunk.content);
    NewDocument {
        doc_type: kind,
        heading,
        line: chunk.line,
        end_line: chunk.end_line,
        content: chunk.content,
        sections: chunk.sections,
        keywords: split_names(&text),
        content_hash: hash_of(&text),
        subject,
        join: None,
        is_boilerplate: chunk.is_boilerplate,
    }
}

/// The part of a chunk that the model reads.
pub(super) fn embedded_text(heading: &str, content: &str) -> String {
    if heading.is_empty() { content.to_owned() } else { format!("{heading}\n{content}") }
}

/// The hash of the text that the model reads.
pub(crate) fn embedded_hash(heading: &str, content: &str) -> Vec<u8> {
    hash_of(&embedded_text(heading, content))
}

pub(crate) fn hash_of(text: &str) -> Vec<u8> {
    Sha256::digest(text.as_bytes()).to_vec()
}
