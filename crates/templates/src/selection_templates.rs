//! The template names of several selections, for comparison. Each file is read once; sources without templates are
//! skipped.

use std::collections::{HashMap, HashSet};
use std::time::{Duration, SystemTime};

use rayon::prelude::*;

use super::cache::CachedFiles;
use super::discover::holds_some;
use super::embedded::documents::{declares_templates, files};
use super::index::{IndexInput, build};
use refdesk_core::catalog::{Source, SourceId, SourceKind};
use refdesk_core::selection::Selection;
use refdesk_files::walk::WalkBudget;

/// A file counts as settled some time after its last write. Each file is read only once here, so count all as settled.
const LATER: Duration = Duration::from_secs(24 * 60 * 60);

/// The templates of all sources in some selections; each source is read once.
#[derive(Debug)]
pub struct SelectionTemplates<'a> {
    input: IndexInput<'a>,
    kept: CachedFiles,
    with_templates: HashSet<SourceId>,
    budget: WalkBudget,
}

impl<'a> SelectionTemplates<'a> {
    /// Reads the sources of this selection, which must contain every selection passed to `names`.
    pub fn of(input: IndexInput<'a>, now: SystemTime) -> Self {
        let budget = input.walks.sharing_time();
        let (_, kept, _, _) = build(input, &CachedFiles::default(), now.checked_add(LATER), None, &budget);
        let kept = kept.trusted();
        let selected: Vec<&Source> =
            input.selection.members().iter().filter_map(|member| input.catalog.get(member.id.as_str())).collect();
        let brings = |source: &&&Source| {
            holds_some(source, &budget) || (input.extract && may_hold_blocks(source, &kept, &budget))
        };
        let with_templates = selected.par_iter().filter(brings).map(|source| source.id.clone()).collect();
        Self { input, kept, with_templates, budget }
    }

    /// The sorted template names of each of these selections, as in its index.
    pub fn names(&self, selections: &[&Selection]) -> Vec<Vec<String>> {
        let narrowed: Vec<Selection> =
            selections.par_iter().map(|selection| selection.only(|id| self.with_templates.contains(id))).collect();
        let key = |selection: &Selection| {
            let mut ids: Vec<SourceId> = selection.members().iter().map(|member| member.id.clone()).collect();
            ids.sort_unstable();
            ids
        };
        let keys: Vec<Vec<SourceId>> = narrowed.iter().map(key).collect();
        let different: HashMap<&Vec<SourceId>, &Selection> = keys.iter().zip(&narrowed).collect();
        let built: HashMap<&Vec<SourceId>, Vec<String>> =
            different.into_par_iter().map(|(key, selection)| (key, self.index(selection))).collect();
        keys.iter().map(|key| built.get(key).cloned().unwrap_or_default()).collect()
    }

    fn index(&self, selection: &Selection) -> Vec<String> {
        let (index, ..) = build(IndexInput { selection, ..self.input }, &self.kept, None, None, &self.budget);
        index.templates.into_iter().map(|template| template.name).collect()
    }
}

/// Whether code blocks of a source may be templates, or may prevent those of an enclosing source from being templates.
/// A source for which this is unknown is searched each time.
fn may_hold_blocks(source: &Source, kept: &CachedFiles, budget: &WalkBudget) -> bool {
    match &source.kind {
        _ if declares_templates(source) => true,
        SourceKind::Inline { content } => kept.contents.get(content).is_none_or(|found| !found.blocks.is_empty()),
        SourceKind::Local(place) => {
            let (files, _) = files(place, budget);
            files.iter().any(|(path, _)| kept.document(path).is_none_or(|(_, found)| !found.blocks.is_empty()))
        }
        SourceKind::Url { .. } | SourceKind::Mcp { .. } | SourceKind::Withheld(_) => false,
    }
}
