//! Builds the template index: the templates that a selection provides, with their names and variables (BEHAVIOUR §6). A
//! pure function of the files, the catalog and the selection; writes nothing.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use super::cache::{Cache, CachedFiles};
use super::discover::{DiscoveredFile, discover, stays_in};
use super::embedded::documents::{ScannedDocument, documents};
use super::embedded::gather::{Text, gather};
use super::embedded::names::BlockNames;
use super::embedded::{Extracted, Rejected, extract};
use super::error::moved_by;
use super::name::{Parts, full_name, names};
use super::read::read_below;
use super::standalone::{Standalone, override_for, read_all};
use super::{
    Analysis, ExtractedTemplate, FOLDER, Syntax, Template, TemplateBlock, TemplateIndex, TemplateOrigin, analyse,
    limits, overrides,
};
use refdesk_core::catalog::{Catalog, SourceId};
use refdesk_core::selection::Selection;
use refdesk_files::Stamp;
use refdesk_files::path::{display, is_absent};
use refdesk_files::walk::WalkBudget;
use refdesk_text::Code;
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
/// problem. Unreadable and binary files are left out, and so are code blocks that do not compile.
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
    let (mut seen, mut names) = (HashSet::new(), BlockNames::default());
    let mut blocks = blocks(workspace, &texts, &mut names, |_| true);
    taken.iter().for_each(|taken| names.keep(&taken.hash, &taken.name));
    let folder = workspace.join(FOLDER);
    let mut paths = Vec::new();
    if let Some(text_blocks) = text_blocks {
        let document = ScannedDocument { path: folder.as_path().into(), root: None, source: None, content: None };
        texts.push(Text { document, found: text_blocks.into() });
        let is_free = |name: &str| std::fs::symlink_metadata(folder.join(name)).is_err_and(|error| is_absent(&error));
        let mut new = self::blocks(workspace, texts.get(texts.len() - 1..).unwrap_or_default(), &mut names, is_free);
        // The template's document may be anything that a tool has read; only the file is kept.
        for template in &mut new {
            if let Some(block) = &mut template.block {
                (block.document, block.line) = (template.path.as_path().into(), 1);
            }
        }
        paths.extend(new.iter().map(|template| template.path.clone()));
        blocks.extend(new);
    }
    blocks.retain(|block| seen.insert(block.name.clone()));
    let written: HashMap<PathBuf, &Template> = blocks.iter().map(|block| (block.path.clone(), block)).collect();
    // A source may contain our output folder; a file written there is the block itself, not a second template.
    let here: HashSet<Arc<Path>> = found.iter().map(|file| file.path.clone()).collect();
    let own: Arc<Path> = std::fs::canonicalize(workspace).unwrap_or_default().join(FOLDER).into();
    for name in taken.iter().map(|taken| &taken.name) {
        let path = folder.join(name);
        if !written.contains_key(&path) && !here.contains(path.as_path()) && stays_in(workspace, &path) {
            let root = "templates".to_owned();
            found.push(DiscoveredFile {
                path: path.into(),
                source: None,
                within: name.clone(),
                resolved: own.clone(),
                root,
            });
        }
    }
    let mut files = read_all(found, before);
    let is_ours = |file: &Standalone| {
        let block = written.get(&*file.found.path);
        block.is_some_and(|block| read_below(&file.found.resolved, &file.found.within) == block.text())
    };
    let (readable, other): (Vec<Standalone>, Vec<Standalone>) =
        files.drain(..).partition(|file| file.analysis.is_ok() && !is_ours(file));
    for file in &other {
        if let Err(problem) = &*file.analysis {
            let place = display(workspace, &file.found.path);
            let diagnostic = Diagnostic::error(Code::TemplateUnreadable, format!("template {place} {problem}"));
            diagnostics.push(of_source(diagnostic.in_file(place), file.found.source.as_ref()));
        }
    }
    let named = named(&readable, &blocks);
    let mut templates = Vec::with_capacity(named.len());
    let mut named = named.into_iter();
    for (mut file, name) in readable.into_iter().zip(&mut named) {
        let (source, within) = (file.found.source.clone(), file.found.within.clone());
        file.settle(override_for(&settled, &name, || full_name(source.as_ref().map(SourceId::as_str), &within)));
        file.keep(&mut after.templates, now);
        let Ok(analysis) = &*file.analysis else { continue };
        let path = file.found.path.to_path_buf();
        let (root, stamp) = (file.found.resolved.clone(), file.stamp);
        let bare = Template { path, source, within, root, stamp, ..bare(name, TemplateOrigin::Standalone) };
        templates.push(filled(workspace, bare, analysis, &mut diagnostics));
    }
    other.iter().for_each(|file| file.keep(&mut after.templates, now));
    let analyses = texts.iter().flat_map(|text| &text.found.blocks).map(|found| (found.hash.as_str(), &found.analysis));
    let analyses: HashMap<&str, &Analysis> = analyses.collect();
    for (block, name) in blocks.into_iter().zip(named) {
        let Some(own) = &block.block else { continue };
        let reanalysed =
            override_for(&settled, &name, || block.full_name()).map(|syntax| analyse(&own.text, Some(syntax)));
        let Some(analysis) = reanalysed.as_ref().or_else(|| analyses.get(own.hash.as_str()).copied()) else { continue };
        templates.push(filled(workspace, Template { name, ..block }, analysis, &mut diagnostics));
    }
    templates.sort_by(|left, right| left.name.cmp(&right.name));
    (TemplateIndex { templates }, after, paths, diagnostics)
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
    let blocks = blocks(asked.workspace, &all, &mut BlockNames::default(), |_| true).into_iter().zip(analyses);
    let mut seen = HashSet::new();
    let mut templates: Vec<Template> = Vec::new();
    for (block, analysis) in blocks.skip(text_blocks) {
        if seen.insert(block.name.clone()) {
            templates.push(filled(asked.workspace, block, analysis, &mut diagnostics));
        }
    }
    let rejected = all.iter().skip(selected).flat_map(|text| text.found.rejected.clone()).collect();
    (templates, rejected, diagnostics)
}

/// Every block of these texts with its file name; repeated content is listed each time.
fn blocks(workspace: &Path, texts: &[Text], names: &mut BlockNames, is_free: impl Fn(&str) -> bool) -> Vec<Template> {
    let folder = workspace.join(FOLDER);
    let all = || texts.iter().flat_map(|text| text.found.blocks.iter().map(move |found| (&text.document, found)));
    let mut template = |(document, found): (&ScannedDocument, &super::embedded::EmbeddedBlock)| {
        let name = names.give(found, &is_free);
        Template {
            path: folder.join(&name),
            source: document.source.clone(),
            within: name.clone(),
            block: Some(TemplateBlock {
                text: found.text.clone(),
                hash: found.hash.clone(),
                document: document.path.clone(),
                line: found.line,
            }),
            ..bare(name, TemplateOrigin::Embedded)
        }
    };
    all().map(&mut template).collect()
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

fn bare(name: String, origin: TemplateOrigin) -> Template {
    Template {
        name,
        origin,
        syntax: Syntax::Jinja2,
        variables: Vec::new(),
        problem: None,
        path: PathBuf::new(),
        source: None,
        within: String::new(),
        root: Path::new("").into(),
        stamp: Stamp::default(),
        block: None,
    }
}

/// Completes the template with its analysis; adds its problems with their lines in the file or document.
fn filled(workspace: &Path, template: Template, analysis: &Analysis, diagnostics: &mut Vec<Diagnostic>) -> Template {
    let (name, syntax) = (&template.name, analysis.syntax);
    let mut report = |diagnostic: Diagnostic, line: Option<usize>| {
        let (file, at) = template.place(line.unwrap_or(1));
        let mut diagnostic = diagnostic.in_file(display(workspace, file));
        diagnostic.line = (line.is_some() || template.block.is_some()).then_some(at);
        diagnostics.push(of_source(diagnostic, template.source.as_ref()));
    };
    if let Some(ambiguity) = analysis.ambiguous {
        let (is, other) = (syntax.word(), ambiguity.other.word());
        let message = format!("template '{name}' is read as {is}, but could also be {other}");
        let hint = format!(r#"set its language in {}: {{"{name}": "{is}"}}"#, overrides::FILE);
        report(Diagnostic::warning(Code::TemplateAmbiguous, message).fix(hint), Some(ambiguity.line));
    }
    if let Some(problem) = &analysis.problem {
        let (message, fix) = if problem.code == Code::TooLarge {
            let message = format!("template '{name}' {}, so it is not used", limits::is_too_large());
            (message, "split it, or move it out of the templates folder".to_owned())
        } else {
            let (file, at) = template.place(problem.line.unwrap_or(1));
            let line = if problem.line.is_some() { format!(":{at}") } else { String::new() };
            let fix = format!("correct {}{line}", display(workspace, file));
            (format!("template '{name}' does not parse: {}", problem.message), fix)
        };
        report(Diagnostic::warning(Code::TemplateBroken, message).fix(fix), problem.line);
    }
    for unknown in &analysis.unknown {
        let first = template.block.as_ref().map_or(1, |block| block.line);
        let moved = moved_by(unknown.clone(), first.saturating_sub(1));
        let message = format!("template '{name}': {}", moved.message);
        report(Diagnostic::warning(Code::TemplateBroken, message), unknown.line);
    }
    let problem = analysis.problem.as_ref().map(|problem| problem.message.clone());
    Template { syntax, variables: analysis.variables.clone(), problem, ..template }
}

fn of_source(diagnostic: Diagnostic, source: Option<&SourceId>) -> Diagnostic {
    match source {
        Some(source) => diagnostic.about(source.as_str()),
        None => diagnostic,
    }
}
