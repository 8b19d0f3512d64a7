//! Builds the template index: the templates that a selection provides, with their names and variables (BEHAVIOUR §6). A
//! pure function of the files, the catalog and the selection; writes nothing.

mod blocks;
mod complete;

use std::collections::{BTreeSet, HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use super::cache::{Cache, CachedFiles};
use super::discover::{DiscoveredFile, discover, stays_in};
use super::embedded::documents::{ScannedDocument, documents};
use super::embedded::gather::gather;
use super::embedded::names::BlockNames;
use super::embedded::{Extracted, Rejected, extract};
use super::name::{Parts, names};
use super::read::read_below;
use super::standalone::{Standalone, override_for, read_all};
use super::{Analysis, ExtractedTemplate, FOLDER, Template, TemplateIndex, limits, overrides};
use refdesk_core::catalog::{Catalog, SourceId};
use refdesk_core::selection::Selection;
use refdesk_files::walk::WalkBudget;
use refdesk_text::report::Diagnostic;

/// The inputs of an index.
#[derive(Debug, Clone, Copy)]
pub struct IndexInput<'a> {
    /// The workspace folder, absolute.
    pub workspace: &'a Path,
    /// The sources.
    pub catalog: &'a Catalog,
    /// The sources that provide templates.
    pub selection: &'a Selection,
    /// Whether code blocks of documents become templates.
    pub extract: bool,
    /// Templates extracted from tool results; empty without `extract`.
    pub taken: &'a [ExtractedTemplate],
    /// The budget whose time the walks share.
    pub walks: &'a WalkBudget,
}

/// Every template of the desk, sorted by name, and the problems found. A file that does not parse is listed with its
/// problem. Unreadable and binary files are listed apart; left out are code blocks that do not compile.
pub fn index(asked: IndexInput<'_>, cache: &Cache) -> (TemplateIndex, Vec<Diagnostic>) {
    let (templates, _, diagnostics) = build_with(asked, cache, None);
    (templates, diagnostics)
}

/// The templates in a tool result, in order and without duplicates, with the names they would get in the templates
/// folder. Takes at most `limits::MAX_EXTRACTED`, skips large templates and large texts, and never reuses the name of a file
/// with other content.
pub fn of_text(asked: IndexInput<'_>, cache: &Cache, text: &str) -> Vec<Template> {
    if !asked.extract || text.len() > limits::MAX_SEARCHED_BYTES {
        return Vec::new();
    }
    let mut found = extract(text);
    found.blocks.retain(|block| block.text.len() <= limits::MAX_EXTRACTED_BYTES);
    found.blocks.truncate(limits::MAX_EXTRACTED);
    if found.blocks.is_empty() {
        return Vec::new();
    }
    let (index, paths, _) = build_with(asked, cache, Some(found));
    let mut seen = HashSet::new();
    let paths = paths.into_iter().filter(|path| seen.insert(path.clone()));
    let by_path: HashMap<&Path, &Template> =
        index.templates.iter().map(|template| (template.path.as_path(), template)).collect();
    paths.filter_map(|path| by_path.get(path.as_path()).copied().cloned()).collect()
}

/// The index, the entries used to build it, the paths of the templates in tool results, and the problems.
pub(super) type Built = (TemplateIndex, CachedFiles, Vec<PathBuf>, Vec<Diagnostic>);

fn build_with(
    asked: IndexInput<'_>,
    cache: &Cache,
    text_blocks: Option<Extracted>,
) -> (TemplateIndex, Vec<PathBuf>, Vec<Diagnostic>) {
    let budget = asked.walks.sharing_time();
    let (index, after, paths, diagnostics) = build(asked, &cache.take(), cache.now(), text_blocks, &budget);
    cache.put(after);
    (index, paths, diagnostics)
}

/// The index with an additional text that is not in the selection yet, and the paths of the templates in that text.
pub(super) fn build(
    asked: IndexInput<'_>,
    before: &CachedFiles,
    now: Option<SystemTime>,
    text_blocks: Option<Extracted>,
    budget: &WalkBudget,
) -> Built {
    let IndexInput { workspace, catalog, selection, extract, taken, .. } = asked;
    let (mut found, mut diagnostics) = discover(workspace, catalog, selection, budget);
    let (settled, complaints) = overrides::load(workspace);
    diagnostics.extend(complaints);
    let mut after = CachedFiles::default();
    let mut texts = if extract {
        let (documents, problems) = documents(workspace, catalog, selection, budget);
        diagnostics.extend(problems);
        gather(workspace, documents, (before, &mut after), now, &mut diagnostics)
    } else {
        Vec::new()
    };
    let mut names = BlockNames::default();
    let mut blocks = blocks::of_texts(workspace, &texts, &mut names, |_| true);
    taken.iter().for_each(|taken| names.keep(&taken.hash, &taken.name));
    let mut paths = Vec::new();
    if let Some(text_blocks) = text_blocks {
        let (text, new) = blocks::of_tool_result(workspace, text_blocks, &mut names);
        texts.push(text);
        paths.extend(new.iter().map(|template| template.path.clone()));
        blocks.extend(new);
    }
    let mut seen = HashSet::new();
    blocks.retain(|block| seen.insert(block.name.clone()));
    let written: HashMap<PathBuf, &Template> = blocks.iter().map(|block| (block.path.clone(), block)).collect();
    add_taken(asked, &mut found, &written);
    let (readable, other) = split(read_all(found, before), &written);
    let mut unreadable = Vec::new();
    for (file, problem) in other.iter().filter_map(|file| complete::unreadable(workspace, file)) {
        unreadable.extend(file);
        diagnostics.push(problem);
    }
    let mut named = named(&readable, &blocks).into_iter();
    let mut templates = Vec::with_capacity(named.len());
    for (mut file, name) in readable.into_iter().zip(&mut named) {
        file.settle(override_for(&settled, &name, || file.full_name()));
        file.keep(&mut after.templates, now);
        templates.extend(complete::file(workspace, &file, name, &mut diagnostics));
    }
    other.iter().for_each(|file| file.keep(&mut after.templates, now));
    let analyses = texts.iter().flat_map(|text| &text.found.blocks).map(|found| (found.hash.as_str(), &found.analysis));
    let analyses: HashMap<&str, &Analysis> = analyses.collect();
    for (block, name) in blocks.into_iter().zip(named) {
        let settled = override_for(&settled, &name, || block.full_name());
        templates.extend(complete::block(workspace, Template { name, ..block }, settled, &analyses, &mut diagnostics));
    }
    templates.sort_by(|left, right| left.name.cmp(&right.name));
    let mut index = TemplateIndex { templates, unreadable };
    complete::add_partials(workspace, &mut index, &mut diagnostics);
    (index, after, paths, diagnostics)
}

/// Adds the files of templates extracted from tool results. A source may be our output folder: its files are marked, and a
/// file written there for a block is the block itself, not a second template.
fn add_taken(asked: IndexInput<'_>, found: &mut Vec<DiscoveredFile>, written: &HashMap<PathBuf, &Template>) {
    if asked.taken.is_empty() {
        return;
    }
    let folder = asked.workspace.join(FOLDER);
    let own: Arc<Path> = std::fs::canonicalize(asked.workspace).unwrap_or_default().join(FOLDER).into();
    let mut taken: BTreeSet<&str> = asked.taken.iter().map(|taken| taken.name.as_str()).collect();
    for file in found.iter_mut() {
        let real = file.resolved.join(&file.within);
        let name = real.strip_prefix(&own).ok().and_then(Path::to_str);
        file.is_taken = name.is_some_and(|name| taken.remove(name));
    }
    let new = taken.into_iter().map(|name| (folder.join(name), name));
    let new = new.filter(|(path, _)| !written.contains_key(path) && stays_in(asked.workspace, path));
    found.extend(new.map(|(path, name)| DiscoveredFile {
        path: path.into(),
        source: None,
        within: name.to_owned(),
        resolved: own.clone(),
        root: "templates".to_owned(),
        is_taken: true,
    }));
}

/// The files that are templates of their own, and the others: unreadable ones, and those that we wrote for a block.
fn split(files: Vec<Standalone>, written: &HashMap<PathBuf, &Template>) -> (Vec<Standalone>, Vec<Standalone>) {
    let is_ours = |file: &Standalone| {
        let block = written.get(&*file.found.path);
        block.is_some_and(|block| read_below(&file.found.resolved, &file.found.within) == block.text())
    };
    files.into_iter().partition(|file| file.analysis.is_ok() && !is_ours(file))
}

/// The templates in these documents, named after those of the selection, so that different templates never share a
/// file. Also returns the blocks that look like templates but do not compile.
pub fn of_files(asked: IndexInput<'_>, files: &[PathBuf]) -> (Vec<Template>, Vec<Rejected>, Vec<Diagnostic>) {
    let (known, mut kept, mut diagnostics) = (CachedFiles::default(), CachedFiles::default(), Vec::new());
    let mut all = Vec::new();
    if asked.extract {
        let (documents, _) = documents(asked.workspace, asked.catalog, asked.selection, &asked.walks.sharing_time());
        all = gather(asked.workspace, documents, (&known, &mut kept), None, &mut Vec::new());
    }
    let selected = all.len();
    let text_blocks: usize = all.iter().map(|text| text.found.blocks.len()).sum();
    let given = files.iter().map(|path| ScannedDocument {
        path: path.as_path().into(),
        root: None,
        source: None,
        content: None,
    });
    all.extend(gather(asked.workspace, given.collect(), (&known, &mut kept), None, &mut diagnostics));
    let analyses = all.iter().flat_map(|text| &text.found.blocks).map(|found| &found.analysis);
    let blocks =
        blocks::of_texts(asked.workspace, &all, &mut BlockNames::default(), |_| true).into_iter().zip(analyses);
    let mut seen = HashSet::new();
    let mut templates: Vec<Template> = Vec::new();
    for (block, analysis) in blocks.skip(text_blocks) {
        if seen.insert(block.name.clone()) {
            templates.push(complete::filled(asked.workspace, block, analysis, &mut diagnostics));
        }
    }
    let rejected = all.iter().skip(selected).flat_map(|text| text.found.rejected.clone()).collect();
    (templates, rejected, diagnostics)
}

/// Names for all templates together: first the files, then the blocks.
fn named(files: &[Standalone], blocks: &[Template]) -> Vec<String> {
    let paths = files.iter().map(|file| &*file.found.path).chain(blocks.iter().map(|block| block.path.as_path()));
    let paths: Vec<_> = paths.map(Path::to_string_lossy).collect();
    let files = files.iter().map(|file| (&file.found.source, file.found.within.as_str(), file.found.root.as_str()));
    let blocks = blocks.iter().map(|block| (&block.source, block.within.as_str(), "templates"));
    let parts = files.chain(blocks).zip(&paths).map(|((source, within, root), path)| Parts {
        source: source.as_ref().map(SourceId::as_str),
        within,
        root,
        path,
    });
    names(&parts.collect::<Vec<_>>())
}
