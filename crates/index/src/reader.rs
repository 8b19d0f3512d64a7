//! The index as its readers see it.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::time::SystemTime;

use crate::about::{Piece, ScoredSource, prepare};
use crate::chunk::section_with;
use crate::conversation::{EarlierText, RecurringSource, recurring};
use crate::language::Language;
use crate::location::Location;
use crate::pieces::{OF_PROMPT, OF_TOOL_RESULT};
use crate::search::FoundDocument;
use crate::storage::Storage;
use crate::update::{CutText, Stamps, changed_files, cut_texts, unread};
use crate::{CorpusCache, DatabasePages, Embedder, threshold};
use refdesk_core::catalog::Catalog;
use refdesk_text::Error;

/// How many of the best sources are given with their sections.
const PLACED: usize = 32;

/// How many of their files are compared with the text that they have now, where their stamps do not tell: as many as a person is
/// shown sources.
const COMPARED: usize = 10;

/// Tells the headings and the first line of a document as they are now; `None` if its text is gone.
pub type SectionNow<'a> = &'a dyn Fn(&FoundDocument) -> Option<(String, usize)>;

/// An index opened for reading. What a writer commits meanwhile is seen by the next question.
pub struct Index {
    pub(crate) storage: Box<dyn Storage>,
    pub(crate) corpus_cache: Arc<CorpusCache>,
}

/// How far above the threshold of prompts a tool result must score. Among files that have nothing to do with a catalog, the
/// best piece exceeds the threshold itself in two of five, and the threshold plus this in one of ten.
const TOOL_RESULT_MARGIN: f32 = 0.1;

/// A text, and what else decides what it is about.
#[derive(Clone, Copy, Default)]
pub struct TopicQuery<'a> {
    /// The text.
    pub text: &'a str,
    /// The texts of the conversation before it, the latest first.
    pub earlier: &'a [EarlierText],
    /// A threshold to use instead of the one computed with the index.
    pub threshold: Option<f32>,
    /// Whether a tool returned it: a long text about other things, of which some piece is always near to something.
    pub is_tool_result: bool,
    /// The files that are pages of databases.
    pub pages: Option<&'a dyn DatabasePages>,
    /// Asked for files that may have changed since they were indexed. Without it, the index counts as current.
    pub section_now: Option<SectionNow<'a>>,
}

/// What a text is about.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct TextTopics {
    /// The threshold: a source with at least this score matches; `None` before it was computed. Until it is known for
    /// meaning, scores and threshold are those of words alone.
    pub threshold: Option<f32>,
    /// The threshold of sources that are compared by words alone.
    pub words_threshold: Option<f32>,
    /// Whether all are compared by words alone.
    pub is_by_words: bool,
    /// Every source that matches in anything, the best first.
    pub scored: Vec<ScoredSource>,
    /// The ids of all sources that the index knows, without those that have changed.
    pub sources: Vec<String>,
    /// The ids of those whose best chunk is no longer in their text.
    pub changed: Vec<String>,
    /// The ids of those whose best chunk is in a file that the agent has just read.
    pub read: Vec<String>,
    /// Documents with a vector, of all, if some have none.
    pub partial: Option<Partial>,
    /// The source that this text and earlier ones point at, though none of them says it clearly.
    pub recurring: Option<RecurringSource>,
    /// What the next texts need of this one; `None` without an embedder.
    pub text: Option<EarlierText>,
}

/// How much of an index is there.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
pub struct Partial {
    /// Documents that are indexed completely.
    pub indexed: usize,
    /// All documents, where a source that was not read yet counts as one.
    pub of: usize,
    /// Sources that were not read yet.
    pub unread: usize,
    /// Files that came, changed or went since, where that was asked for.
    pub changed: usize,
}

/// What an index holds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct IndexStatus {
    /// The chunks of all texts.
    pub documents: usize,
    /// Those of them with a vector.
    pub with_vector: usize,
    /// Those that wait for one; what is known of a database gets none.
    pub without_vector: usize,
    /// Sources that were not read yet.
    pub unread: usize,
    /// The threshold of texts in English: a source with at least this score matches; `None` if it was not computed yet.
    pub threshold: Option<f32>,
}

/// The place of a chunk.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Section {
    /// The headings above it, outermost first, or nothing.
    pub heading: String,
    /// The resolved path of its file; nothing for what the catalog itself says.
    pub path: String,
    /// Its first line, from 1; 0 without a file, or if it is unknown after a change.
    pub line: usize,
}

/// The number of words that a source must share with a text if only words are compared: any single word occurs in some
/// document of any catalog.
const MIN_WORDS: usize = 2;

impl TextTopics {
    /// Whether it has enough words of the text, where these alone count.
    pub fn has_enough_words(&self, scored: &ScoredSource) -> bool {
        !(self.is_by_words || scored.waits()) || scored.words.len() >= MIN_WORDS
    }
}

impl Index {
    /// Opens the index; `None` if there is none. Data loaded for one question stays in `kept` for the next.
    ///
    /// # Errors
    /// It was not made by this user's refdesk here, is of a newer version, or cannot be read.
    pub fn open(location: &Location, corpus_cache: Arc<CorpusCache>) -> Result<Option<Self>, Error> {
        Ok(location.read()?.map(|storage| Self { storage, corpus_cache }))
    }

    /// What a text is about, by words and, with an embedder, by meaning.
    ///
    /// # Errors
    /// The index cannot be read, or the model cannot be run.
    pub fn about(&self, question: &TopicQuery, embedder: Option<&dyn Embedder>) -> Result<TextTopics, Error> {
        let model = embedder.map_or("", Embedder::model);
        let corpus = self.corpus_cache.corpus(&*self.storage, model)?;
        // Scores by meaning say nothing if their threshold is not known, those of words do.
        let languages = Language::of_pieces(question.text);
        let (most, margin) =
            if question.is_tool_result { (OF_TOOL_RESULT, TOOL_RESULT_MARGIN) } else { (OF_PROMPT, 0.0) };
        let computed = |model| {
            let threshold = threshold::highest(&*self.storage, model, &languages)?;
            Ok::<_, Error>(threshold.map(|threshold| threshold + margin))
        };
        let threshold = question.threshold.map_or_else(|| computed(model), |set| Ok(Some(set)))?;
        let threshold = threshold.filter(|_| languages.iter().all(|language| language.has_background()));
        let model_of_text = embedder.filter(|_| threshold.is_some());
        let is_by_words = model_of_text.is_none();
        let words_threshold = computed(threshold::WORDS_ALONE)?;
        let threshold = threshold.or(words_threshold);
        let pieces = prepare(question.text, most, model_of_text)?;
        let of_words = corpus.terms(&*self.storage, &pieces)?;
        let mut scored = corpus.score_with(&of_words, &pieces);
        let best: Vec<&ScoredSource> = scored.iter().take(PLACED).collect();
        let (mut sections, gone) = self.sections(&best, question)?;
        for scored in scored.iter_mut().take(PLACED) {
            scored.section = sections.remove(&scored.document);
        }
        // The current text of such a source is unknown, so it is neither hinted at nor compared with others.
        let changed: Vec<String> =
            scored.extract_if(.., |it| gone.contains(&it.document)).map(|it| it.source).collect();
        let sources = corpus.sources().iter().filter(|source| !changed.contains(*source)).cloned().collect();
        let partial = corpus.partial(embedder.is_some(), unread(&*self.storage)?, 0);
        let comparable = question.earlier.iter().filter(|text| text.model == model);
        let before: Vec<Vec<ScoredSource>> =
            comparable.map(|text| corpus.score(&*self.storage, &[Piece::from(text)])).collect::<Result<_, _>>()?;
        let recurring = threshold.and_then(|threshold| recurring(&scored, &before, threshold));
        // The first piece is the whole text.
        let text = pieces.first().and_then(|piece| piece.as_earlier(model, &of_words));
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

    /// Whether it has read this source.
    ///
    /// # Errors
    /// The index cannot be read.
    pub fn knows(&self, source: &str, model: &str) -> Result<bool, Error> {
        Ok(self.corpus_cache.corpus(&*self.storage, model)?.unread(0, &[source]) == 0)
    }

    /// How many files of a catalog came, changed or went since it was made, as far as that can be detected quickly: of the first two
    /// thousand.
    ///
    /// # Errors
    /// The index cannot be read.
    pub fn changed_files(
        &self,
        catalog: &Catalog,
        pages: Option<&dyn DatabasePages>,
        now: SystemTime,
    ) -> Result<usize, Error> {
        changed_files(&*self.storage, catalog, pages, now)
    }

    /// The texts of which only the first sections are in it.
    ///
    /// # Errors
    /// The index cannot be read.
    pub fn cut_texts(&self) -> Result<Vec<CutText>, Error> {
        Ok(cut_texts(&*self.storage)?.into_iter().collect())
    }

    /// What the index holds of a catalog with these sources, for the model of this name.
    ///
    /// # Errors
    /// The index cannot be read.
    pub fn status(&self, model: &str, catalog: &[&str]) -> Result<IndexStatus, Error> {
        let documents = self.storage.count()?;
        let corpus = self.corpus_cache.corpus(&*self.storage, model)?;
        let without_vector = self.storage.count_without_vector(model)? + corpus.damaged();
        let with_vector = self.storage.count_embedded()?.saturating_sub(without_vector);
        let unread = corpus.unread(unread(&*self.storage)?, catalog);
        let computed = |model| threshold::load(&*self.storage, model, Language::English);
        let threshold = computed(model)?.map_or_else(|| computed(threshold::WORDS_ALONE), |known| Ok(Some(known)))?;
        Ok(IndexStatus { documents, with_vector, without_vector, unread, threshold })
    }

    /// Looks up the section of one source's best chunk, which [`Index::about`] does for the best sources alone.
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

    /// The sections of the best documents of sources, the most important ones first, and the documents whose text is gone.
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
            let now = question.section_now.filter(|_| !document.path.is_empty() && !stamps.are_same(&document));
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
            let (heading, line) = if is_unknown { Default::default() } else { section_with(&moved, words) };
            sections.insert(moved.id, Section { heading, path: moved.path, line });
        }
        Ok((sections, gone))
    }
}
