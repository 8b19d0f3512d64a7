//! Chooses the hits of a search from its documents: one per section, from the preferred source.

use std::collections::{HashMap, HashSet};
use std::path::Path;

use super::fusion::FusedDocument;
use super::{FoundDocument, SearchQuery, SourcePreference};
use crate::chunk::{ChunkSection, section_with};
use crate::pages::DatabaseSubject;
use crate::storage::{Document, Storage};
use crate::update::Stamps;
use refdesk_text::Error;

/// A document that is a hit, with the section of it that has most of the words.
pub(super) struct BestSection {
    pub fused: FusedDocument,
    pub document: Document,
    pub section: ChunkSection,
}

/// The best documents with their texts, one per section, and the number of sections left out because they have changed.
/// The section of a document is the one with most of these words, which are sorted by rarity. Of a section's documents,
/// the one with the rarest words is shown: the one with the greatest `rarity`. `sources` returns the sources of a document
/// and its copies.
pub(super) fn best_sections<'c, S: Iterator<Item = &'c str>, R: Ord>(
    storage: &dyn Storage,
    fused: Vec<FusedDocument>,
    query: &SearchQuery,
    words: &[String],
    rarity: impl Fn(i64) -> R,
    stamps: &Stamps,
    sources: impl Fn(i64) -> S,
) -> Result<(Vec<BestSection>, usize), Error> {
    let ids: Vec<i64> = fused.iter().map(|it| it.document).collect();
    let mut documents: HashMap<i64, Document> =
        storage.documents(&ids)?.into_iter().map(|document| (document.id, document)).collect();
    let mut sections: HashMap<SectionKey, (usize, SourcePreference)> = HashMap::new();
    let mut best: Vec<BestSection> = Vec::new();
    let mut outdated: HashSet<SectionKey> = HashSet::new();
    for it in fused {
        let Some(mut document) = documents.remove(&it.document) else { continue };
        let section = section_with(&document, words);
        let key = SectionKey::of(&document, &section, query.by_table);
        let known = sections.get(&key).copied();
        let preference = prefer(&mut document, query, sources(it.document));
        let is_of_a_table = matches!(key, SectionKey::Table(_));
        let is_another_part = !is_of_a_table && known.is_some_and(|(_, before)| before == preference);
        if known.is_some_and(|(_, before)| before >= preference) && !is_another_part {
            continue;
        }
        let (document, section) = if stamps.are_same(&document) {
            (document, section)
        } else if let Some(place) = (query.sections_now)(&document.found()) {
            let moved = document.moved(place);
            let section = section_with(&moved, words);
            (moved, section)
        } else {
            outdated.insert(key);
            continue;
        };
        match known {
            None => {
                sections.insert(key, (best.len(), preference));
                best.push(BestSection { fused: it, document, section });
            }
            Some((at, _)) => {
                let Some(shown) = best.get_mut(at) else { continue };
                let BestSection { fused, document: other, .. } = &mut *shown;
                let is_same_part = is_of_a_table || (other.line, &other.content) == (document.line, &document.content);
                let is_copy =
                    is_same_part && (&other.doc_type, &other.heading) == (&document.doc_type, &document.heading);
                // A copy gets the rank of the document found first.
                let takes_place = if is_another_part {
                    fused.merge(&it);
                    rarity(it.document) > rarity(fused.document)
                } else {
                    is_copy
                };
                if takes_place {
                    fused.document = document.id;
                    (shown.document, shown.section) = (document, section);
                    sections.insert(key, (at, preference));
                }
            }
        }
    }
    best.sort_by(|one, other| other.fused.score.total_cmp(&one.fused.score));
    let outdated = outdated.iter().filter(|key| !sections.contains_key(*key)).count();
    Ok((best, outdated))
}

/// Assigns the document to the preferred one of these sources, which contain its file, if it is wanted.
fn prefer<'c>(
    document: &mut Document,
    query: &SearchQuery,
    sources: impl Iterator<Item = &'c str>,
) -> SourcePreference {
    // A forged index could name others, but what may be read of a file does not depend on the source.
    let path = Path::new(&document.path);
    let is_wanted = |source: &&str| path.is_absolute() && (query.is_wanted)(source) && !query.hides(source, path);
    let of = |source: &'c str| ((query.preference)(&FoundDocument { source, ..document.found() }), source);
    let best = sources.filter(is_wanted).map(of).reduce(|best, next| if next.0 > best.0 { next } else { best });
    let Some((preference, source)) = best else { return (query.preference)(&document.found()) };
    source.clone_into(&mut document.source);
    preference
}

/// Identifies what gets a single hit.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
enum SectionKey {
    /// A table, whatever sources contain its page, including text that a person added to the page.
    Table(DatabaseSubject),
    /// A heading in a file and its line, whatever sources contain the file. Text that is not in a file is distinguished
    /// by source.
    Section { source: Option<String>, path: String, heading: String, line: usize },
    /// A part of such a text without headings.
    Part { source: Option<String>, path: String, line: usize, content: String },
}

impl SectionKey {
    fn of(document: &Document, ChunkSection { heading, line }: &ChunkSection, by_table: bool) -> Self {
        let subject = document.subject.as_ref().filter(|subject| by_table && subject.table.is_some());
        match subject {
            Some(subject) => Self::Table(DatabaseSubject { column: None, domain: None, ..subject.clone() }),
            None => {
                let Document { path, content, .. } = document;
                let source = (!Path::new(path).is_absolute()).then(|| document.source.clone());
                let path = path.clone();
                if heading.is_empty() {
                    Self::Part { source, path, line: document.line, content: content.clone() }
                } else {
                    Self::Section { source, path, heading: heading.clone(), line: *line }
                }
            }
        }
    }
}
