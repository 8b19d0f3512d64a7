//! The index of a workspace: its documents in chunks, with their words and their meaning, and what a text is about. One
//! SQLite file with one writer at a time and any number of readers.

mod about;
mod boilerplate;
mod chunk;
mod conversation;
mod embedder;
mod index_cache;
mod language;
#[cfg(feature = "meaning")]
mod lazy_model;
mod location;
mod matches;
#[cfg(feature = "meaning")]
mod minilm;
#[cfg(feature = "meaning")]
mod model_server;
pub mod pages;
mod pieces;
#[cfg(feature = "postgres")]
mod postgres;
mod reader;
mod repository;
mod row_seal;
mod schema;
pub mod search;
mod spellings;
mod sqlite;
mod stem;
mod storage;
#[cfg(any(test, feature = "testing"))]
pub mod testing;
#[cfg(test)]
mod tests;
mod threshold;
mod update;
pub mod vector;
#[cfg(feature = "meaning")]
mod wordpiece;
mod words;

pub use about::ScoredSource;
pub use chunk::ChunkSection;
pub use conversation::{EarlierText, MAX_TEXTS, RecurringSource};
pub use embedder::Embedder;
pub use index_cache::IndexCache;
#[cfg(feature = "meaning")]
pub use lazy_model::LazyModel;
pub use location::Location;
#[cfg(feature = "meaning")]
pub use minilm::MiniLm;
#[cfg(feature = "meaning")]
pub use model_server::ModelServer;
pub use pages::{DatabasePages, DatabaseSubject, IndexedJoin, PageContent, PageDocument, PageRole};
pub use reader::{Index, IndexStatus, Partial, Section, SectionsNow, TagsInText, TextTopics, TopicQuery};
pub use repository::shared_name;
pub use search::{
    FoundDocument, HitRank, RankedList, SearchMode, SearchQuery, SearchResult, SectionHit, SourcePreference,
    default_weight,
};
pub use threshold::{LOWEST_THRESHOLD, background_texts};
pub use update::{
    CurrentText, CutText, DOCUMENT_KINDS, INLINE, IndexProgress, Job, Report, SECTIONS_OF_A_TEXT, SOURCE, TEXT,
    about_source, forget, update,
};
