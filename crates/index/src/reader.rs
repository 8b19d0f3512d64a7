//! Read access to an index.

use std::collections::{HashMap, HashSet};
use std::path::Path;
use std::sync::Arc;
use std::time::SystemTime;

use crate::about::{Piece, ScoredSource, prepare};
use crate::chunk::{ChunkSection, place_with};
use crate::conversation::{EarlierText, RecurringSource, recurring};
use crate::language::Language;
use crate::location::Location;
use crate::pieces::{MAX_PROMPT_PIECES, MAX_TOOL_RESULT_PIECES, pieces};
use crate::search::FoundDocument;
use crate::storage::{Storage, TextKey};
use crate::update::{CutText, Stamps, changed_files, cut_texts, unread};
use crate::{DatabasePages, Embedder, IndexCache, threshold};
use refdesk_core::catalog::Catalog;
use refdesk_core::selection::ExcludedFiles;
use refdesk_text::Error;

/// The number of best sources whose sections are looked up.
const PLACED: usize = 32;

/// The most files that are compared with their current text because their stamps are inconclusive: as many as the
/// sources shown to a person.
const COMPARED: usize = 10;

/// Returns the current sections and first line of a document; `None` if its text is gone.
pub type SectionsNow<'a> = &'a dyn Fn(&FoundDocument) -> Option<(Vec<ChunkSection>, usize)>;

/// Returns the byte offsets at which the tags of sources are first in the text.
pub type TagsInText<'a> = &'a dyn Fn() -> Vec<usize>;

/// An index opened for reading. Each question sees everything committed so far.
pub struct Index {
    pub(crate) storage: Box<dyn Storage>,
    pub(crate) index_cache: Arc<IndexCache>,
}

/// How much higher than prompts a tool result must score. Of files unrelated to a catalog, the best piece exceeds the
/// threshold in two of five, and the threshold plus this margin in one of ten.
const TOOL_RESULT_MARGIN: f32 = 0.1;

/// A text, and everything else that affects what it is about.
#[derive(Clone, Copy, Default)]
pub struct TopicQuery<'a> {
    /// The text.
    pub text: &'a str,
    /// The earlier texts of the conversation, latest first.
    pub earlier: &'a [EarlierText],
    /// A threshold to use instead of the one computed with the index.
    pub threshold: Option<f32>,
    /// Whether a tool returned the text. Such a text is long and about other things, and some piece of it is always
    /// close to something.
    pub is_tool_result: bool,
    /// Called for a text of which only some pieces are compared: those with tags should be among them.
    pub tags: Option<TagsInText<'a>>,
    /// The files to which only the excluded sources themselves lead.
    pub excluded: Option<&'a ExcludedFiles<'a>>,
    /// The files that are pages of databases.
    pub pages: Option<&'a dyn DatabasePages>,
    /// Called for files that may have changed since they were indexed. Without it, the index counts as current.
    pub sections_now: Option<SectionsNow<'a>>,
    /// The number of files that have changed since they were indexed, if it was asked for.
    pub changed: usize,
}

/// What a text is about.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct TextTopics {
    /// The threshold: a source with at least this score matches. `None` before it is computed. Until the threshold for
    /// meaning is known, scores and threshold are those by words only.
    pub threshold: Option<f32>,
    /// The threshold for sources that are compared only by words.
    pub words_threshold: Option<f32>,
    /// Whether all sources are compared only by words.
    pub is_by_words: bool,
    /// Every source with any match, best first.
    pub scored: Vec<ScoredSource>,
    /// The ids of all indexed sources, except those that have changed.
    pub sources: Vec<String>,
    /// The ids of sources whose text no longer contains their best chunk.
    pub changed: Vec<String>,
    /// The ids of sources whose best chunk is in a file that the agent has just read.
    pub read: Vec<String>,
    /// How many documents have a vector, if some have none.
    pub partial: Option<Partial>,
    /// The source that this text and earlier ones point at, although none of them matches it clearly.
    pub recurring: Option<RecurringSource>,
    /// The part of this text that later ones need; `None` without an embedder.
    pub text: Option<EarlierText>,
}

/// How much of an index is ready.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
pub struct Partial {
    /// Documents that are indexed completely.
    pub indexed: usize,
    /// All documents; a source that was not read yet counts as one.
    pub of: usize,
    /// Sources that were not read yet.
    pub unread: usize,
    /// Files that were added, changed or removed since, if the caller asked for that.
    pub changed: usize,
}

/// What an index contains.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct IndexStatus {
    /// The chunks of all texts.
    pub documents: usize,
    /// The chunks with a vector that means something.
    pub with_vector: usize,
    /// The chunks still without a vector, not counting database content, which never gets one.
    pub without_vector: usize,
    /// Sources that were not read yet.
    pub unread: usize,
    /// The threshold for English texts: a source with at least this score matches; `None` before it is computed.
    pub threshold: Option<f32>,
}

/// The location of a chunk.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Section {
    /// The headings above it, outermost first; may be empty.
    pub heading: String,
    /// The resolved path of its file; empty for text from the catalog itself.
    pub path: String,
    /// Its first line, from 1; 0 without a file, or if it is unknown after a change.
    pub line: usize,
}

/// The number of words that a source must share with a text if only words are compared: any single word occurs in some
/// document of any catalog.
const MIN_WORDS: usize = 2;

impl TextTopics {
    /// Whether it shares enough words with the text, if only words are compared.
    pub fn has_enough_words(&self, scored: &ScoredSource) -> bool {
        !(self.is_by_words || scored.waits()) || scored.words.len() >= MIN_WORDS
    }
}

/// The documents of excluded files to which their sources must not lead; `leads_there` tells which ones may.
pub(crate) fn hidden(
    storage: &dyn Storage,
    excluded: Option<&ExcludedFiles>,
    leads_there: &dyn Fn(&str) -> bool,
) -> Result<Vec<i64>, Error> {
    let Some(excluded) = excluded else { return Ok(Vec::new()) };
    let mut hidden = Vec::new();
    for path in excluded.paths() {
        let below = storage.documents_below(&path.to_string_lossy())?.into_iter();
        let is_hidden = |it: &TextKey| excluded.hides(&it.source, Path::new(&it.path)) && !leads_there(&it.source);
        hidden.extend(below.filter(|(_, it)| is_hidden(it)).map(|(id, _)| id));
    }
    Ok(hidden)
}

impl Index {
    /// Opens the index; `None` if there is none. Data loaded for one question stays in `index_cache` for the next.
    ///
    /// # Errors
    /// It was not created by this user's refdesk here, has a newer version, or cannot be read; or there is none, and none
    /// can be built.
    pub fn open(location: &Location, index_cache: Arc<IndexCache>) -> Result<Option<Self>, Error> {
        let Some(storage) = location.read()? else { return location.check_path().map(|()| None) };
        Ok(Some(Self { storage, index_cache }))
    }

    /// Finds what a text is about, by words and, with an embedder, by meaning.
    ///
    /// # Errors
    /// The index cannot be read, or the model cannot be run.
    pub fn about(&self, question: &TopicQuery, embedder: Option<&dyn Embedder>) -> Result<TextTopics, Error> {
        let model = embedder.map_or("", Embedder::model);
        let corpus = self.index_cache.corpus(&*self.storage, model)?;
        // Scores by meaning are useless without a threshold, unlike scores by words.
        let languages = Language::of_pieces(question.text);
        let (most, margin) = if question.is_tool_result {
            (MAX_TOOL_RESULT_PIECES, TOOL_RESULT_MARGIN)
        } else {
            (MAX_PROMPT_PIECES, 0.0)
        };
        let computed = |model| {
            let threshold = threshold::highest(&*self.storage, model, &languages)?;
            Ok::<_, Error>(threshold.map(|threshold| threshold + margin))
        };
        let threshold = question.threshold.map_or_else(|| computed(model), |set| Ok(Some(set)))?;
        let threshold = threshold.filter(|_| languages.iter().all(|language| language.has_background()));
        let texts = pieces(question.text, most, || question.tags.map(|tags| tags()).unwrap_or_default());
        let pieces = prepare(&texts, embedder.filter(|_| threshold.is_some()))?;
        let is_by_words = !pieces.iter().any(Piece::has_vector);
        let words_threshold = computed(threshold::WORDS_ALONE)?;
        let threshold = threshold.filter(|_| !is_by_words).or(words_threshold);
        let of_words = corpus.terms(&*self.storage, &pieces)?;
        let hidden = corpus.marked(&hidden(&*self.storage, question.excluded, &|_| false)?);
        let mut scored = corpus.score_with(&of_words, &pieces, &hidden);
        let best: Vec<&ScoredSource> = scored.iter().take(PLACED).collect();
        let (mut sections, gone) = self.sections(&best, question)?;
        for scored in scored.iter_mut().take(PLACED) {
            scored.section = sections.remove(&scored.document);
        }
        // The current text of these sources is unknown, so they get no hint and are not compared with others.
        let changed: Vec<String> =
            scored.extract_if(.., |it| gone.contains(&it.document)).map(|it| it.source).collect();
        let sources = corpus.sources().iter().filter(|source| !changed.contains(*source)).cloned().collect();
        let partial = corpus.partial(embedder.is_some(), unread(&*self.storage)?, question.changed);
        // The first piece is the whole text.
        let text = pieces.first().and_then(|piece| piece.to_earlier_text(model, &of_words));
        // The same text again says nothing new.
        let is_other = |earlier: &&EarlierText| earlier.model == model && Some(*earlier) != text.as_ref();
        let comparable = question.earlier.iter().filter(is_other);
        let before: Vec<Vec<ScoredSource>> = comparable
            .map(|text| corpus.score(&*self.storage, &[Piece::from(text)], &hidden))
            .collect::<Result<_, _>>()?;
        let recurring = threshold.and_then(|threshold| recurring(&scored, &before, threshold));
        Ok(TextTopics {
            threshold,
            words_threshold,
            is_by_words,
            scored,
            sources,
            changed,
            read: Vec::new(),
            partial,
            recurring,
            text,
        })
    }

    /// Whether the index contains this source.
    ///
    /// # Errors
    /// The index cannot be read.
    pub fn knows(&self, source: &str, model: &str) -> Result<bool, Error> {
        Ok(self.index_cache.corpus(&*self.storage, model)?.unread(0, &[source]) == 0)
    }

    /// The number of files of a catalog that were added, changed or removed since indexing, as far as a quick check of
    /// the first two thousand tells.
    ///
    /// # Errors
    /// The index cannot be read.
    pub fn changed_files(
        &self,
        catalog: &Catalog,
        pages: Option<&dyn DatabasePages>,
        now: SystemTime,
    ) -> Result<usize, Error> {
        Ok(changed_files(&*self.index_cache.texts(&*self.storage)?, catalog, pages, now))
    }

    /// The texts of which only the first sections are indexed.
    ///
    /// # Errors
    /// The index cannot be read.
    pub fn cut_texts(&self) -> Result<Vec<CutText>, Error> {
        Ok(cut_texts(&*self.storage)?.into_iter().collect())
    }

    /// What the index contains for a catalog with these sources and the model of this name.
    ///
    /// # Errors
    /// The index cannot be read.
    pub fn status(&self, model: &str, catalog: &[&str]) -> Result<IndexStatus, Error> {
        let documents = self.storage.count()?;
        let corpus = self.index_cache.corpus(&*self.storage, model)?;
        let without_vector = self.storage.count_without_vector(model)? + corpus.damaged;
        let with_vector = self.storage.count_embedded()?.saturating_sub(without_vector + corpus.meaningless);
        let unread = corpus.unread(unread(&*self.storage)?, catalog);
        let computed = |model| threshold::load(&*self.storage, model, Language::English);
        let threshold = computed(model)?.map_or_else(|| computed(threshold::WORDS_ALONE), |known| Ok(Some(known)))?;
        Ok(IndexStatus { documents, with_vector, without_vector, unread, threshold })
    }

    /// Looks up the section of one source's best chunk; [`Index::about`] does this only for the best sources.
    ///
    /// # Errors
    /// The index cannot be read.
    pub fn place(&self, about: &mut TextTopics, source: &str, question: &TopicQuery) -> Result<(), Error> {
        let unplaced = |scored: &&mut ScoredSource| scored.source == source && scored.section.is_none();
        if let Some(scored) = about.scored.iter_mut().find(unplaced) {
            scored.section = self.sections(&[&*scored], question)?.0.remove(&scored.document);
        }
        Ok(())
    }

    /// The sections of the best documents of these sources, in order of importance, and the documents whose text is
    /// gone.
    fn sections(
        &self,
        scored: &[&ScoredSource],
        question: &TopicQuery,
    ) -> Result<(HashMap<i64, Section>, HashSet<i64>), Error> {
        let words: HashMap<i64, &[String]> = scored.iter().map(|it| (it.document, it.words.as_slice())).collect();
        let documents: Vec<i64> = scored.iter().map(|it| it.document).collect();
        let stamps = Stamps::of(&*self.storage, question.pages)?;
        let (mut sections, mut gone, mut compared) = (HashMap::new(), HashSet::new(), HashSet::new());
        for document in self.storage.documents(&documents)? {
            let now = question.sections_now.filter(|_| !document.path.is_empty() && !stamps.are_same(&document));
            if now.is_some() && compared.len() < COMPARED {
                compared.insert(document.path.clone());
            }
            let found = document.found();
            let is_unknown = now.is_some() && !compared.contains(&document.path);
            let moved = match now.filter(|_| !is_unknown) {
                None => document,
                Some(now) => match now(&found) {
                    Some(place) => document.moved(place),
                    None => {
                        gone.insert(document.id);
                        continue;
                    }
                },
            };
            let words = words.get(&moved.id).copied().unwrap_or_default();
            let (heading, line) = if is_unknown { Default::default() } else { place_with(&moved, words) };
            sections.insert(moved.id, Section { heading, path: moved.path, line });
        }
        Ok((sections, gone))
    }
}
