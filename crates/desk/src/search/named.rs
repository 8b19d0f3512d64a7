//! A query that is the name of a text finds the beginning of that text.

use std::path::Path;

use super::{LONGEST_TITLE, belongs_to};
use crate::CompleteDesk;
use refdesk_core::catalog::{Source, SourceKind};
use refdesk_index::{Embedder, INLINE, Index, SOURCE, SearchMode, SearchQuery, SearchResult, SectionHit, TEXT};
use refdesk_text::Error;

impl CompleteDesk<'_> {
    /// Puts the beginning of the text named by the whole query before the other hits.
    pub(super) fn put_named_first(
        &self,
        index: &Index,
        query: &SearchQuery,
        embedder: Option<&dyn Embedder>,
        found: &mut SearchResult,
    ) -> Result<(), Error> {
        // Such a query is about part of a database, which is not a text with a name.
        if query.database.is_some() || query.domain.is_some() {
            return Ok(());
        }
        let best_in = |source: &Source| -> Result<Option<String>, Error> {
            let is_it = |id: &str| id == source.id.as_str();
            let of_text = |hits: &[SectionHit]| {
                hits.iter().find(|hit| is_it(&hit.source) && hit.kind != SOURCE).map(|hit| hit.path.clone())
            };
            let only = SearchQuery { is_wanted: &is_it, ..*query };
            Ok(match of_text(&found.hits) {
                Some(path) => Some(path),
                None => of_text(&index.search(&only, embedder)?.hits),
            })
        };
        let Some((source, path)) = self.text_named(index, query, best_in)? else { return Ok(()) };
        let opening = index.opening(&source, &path, query)?;
        let Some(mut opening) = opening.filter(|opening| is_kind(query, &opening.kind)) else { return Ok(()) };
        let lines = opening.line..=opening.end_line;
        let is_inside = |hit: &SectionHit| {
            (&hit.kind, &hit.path) == (&opening.kind, &path)
                && (Path::new(&path).is_absolute() || hit.source == source)
                && lines.contains(&hit.line)
                && hit.end_line <= opening.end_line
        };
        // The best of them comes first.
        let known = found.hits.extract_if(.., |hit| is_inside(hit)).collect::<Vec<_>>().into_iter().next();
        (opening.score, opening.because) = known.map(|hit| (hit.score, hit.because)).unwrap_or_default();
        opening.rank_by_name(found.hits.first().map_or(0.0, |best| best.score));
        found.hits.insert(0, opening);
        if found.mode == SearchMode::Meaning {
            found.mode = SearchMode::Hybrid;
        }
        Ok(())
    }

    /// The text that the whole query names, as source and path: by the id, name or path of its source, or by its own
    /// path or file name if no other file has it. For a folder, the text that `best_in` finds, or the catalog entry.
    fn text_named(
        &self,
        index: &Index,
        query: &SearchQuery,
        best_in: impl Fn(&Source) -> Result<Option<String>, Error>,
    ) -> Result<Option<(String, String)>, Error> {
        let name = query.text.trim();
        let takes_part = |source: &Source| (query.is_wanted)(source.id.as_str());
        let is_kind = |kind: &str| is_kind(query, kind);
        if let Some(source) = self.source_named(name).filter(|source| takes_part(source)) {
            let path = match source.place() {
                Some(place) if !source.is_directory() => Some(place.resolved.to_string_lossy().into_owned()),
                None if matches!(source.kind, SourceKind::Inline { .. }) => Some(INLINE.to_owned()),
                _ => best_in(source)?,
            };
            let path = path.filter(|_| is_kind(TEXT)).or_else(|| is_kind(SOURCE).then(String::new));
            return Ok(path.map(|path| (source.id.to_string(), path)));
        }
        if !is_kind(TEXT) || !name.contains(['.', '/']) || name.len() > LONGEST_TITLE {
            return Ok(None);
        }
        let files = index.files_named(name)?.into_iter();
        let of = |(id, path): (String, String)| {
            let source = self.catalog.get(&id).filter(|source| takes_part(source) && belongs_to(source, &path))?;
            (!query.hides(&id, Path::new(&path))).then(|| (source.depth(), id, path))
        };
        // Innermost last; ids break ties.
        let mut files: Vec<(usize, String, String)> = files.filter_map(of).collect();
        files.sort();
        let is_unique = files.windows(2).all(|two| matches!(two, [(.., one), (.., other)] if one == other));
        Ok(files.pop().filter(|_| is_unique).map(|(_, id, path)| (id, path)))
    }

    /// The source whose id, name or path is the whole query, in this order; only paths depend on case.
    fn source_named(&self, query: &str) -> Option<&Source> {
        let lower = query.to_lowercase();
        let is_it = |text: &str| text.len() == query.len() && text.to_lowercase() == lower;
        let is_named = |source: &&Source| {
            is_it(&source.name)
                || source.place().is_some_and(|place| self.workspace_context().display(&place.path) == query)
        };
        let sources = self.catalog.sources();
        let found = self.catalog.find(query).or_else(|| sources.iter().find(|source| is_it(source.id.as_str())));
        found.or_else(|| sources.iter().find(is_named))
    }
}

fn is_kind(query: &SearchQuery, kind: &str) -> bool {
    query.kinds.is_empty() || query.kinds.iter().any(|wanted| wanted == kind)
}
