//! The context of a document that a tool read: the templates, policies, scripts and checks that its source declares
//! (BEHAVIOUR §5, block 4).

use std::collections::{HashMap, HashSet};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use super::chain::{EnrichContext, EnrichInput, HintAction};
use super::draft::{BlockKind, Draft, DraftEntry, MatchReason, MemoryKey};
use super::instruction::listed;
use super::pinned::Pinned;
use super::print::{CONTEXT, context_brief};
use super::session_memory::{SessionMemory, content_hash};
use refdesk_core::catalog::{DirectoryContents, Source};
use refdesk_text::escape::one_line;

const TEMPLATES: &str = "**Mandatory Templates** — Use `renderTemplateToFile` with these template IDs:";
/// The same for an agent without `renderTemplateToFile`.
const TEMPLATES_TO_RENDER: &str =
    "**Mandatory Templates** — Use `refdesk render --output PATH -- NAME` with these template names:";
const POLICIES: &str = "**Implementation Policies** — You must read and follow these constraints:";
const SCRIPTS: &str = "**Helper Scripts** — Available for use during implementation:";
const VALIDATION: &str = "**Post-Implementation Validation** — You MUST run these checks after implementation:";

/// The reference context of each selected directory source that declares its contents and has one of the files, an
/// existing markdown file, directly in its root.
pub(super) fn draft(reading: &EnrichInput, memory: &SessionMemory) -> Option<Draft> {
    let ctx = &reading.ctx;
    let mut seen = HashSet::new();
    // A path in the arguments may be a mistake.
    let exists = |pinned: &Pinned| ctx.places.resolved(&pinned.file).is_some();
    let found = reading.pinned.iter().filter_map(|pinned| declaring(ctx, pinned).filter(|_| exists(pinned)));
    let found = found.filter(|(source, _)| seen.insert(source.id.as_str()));
    let entries: Vec<_> = found.filter_map(|(source, contents)| entry(reading, memory, source, contents)).collect();
    (!entries.is_empty()).then_some(Draft { kind: BlockKind::Context, entries })
}

/// The reference context of a source, if it has any parts and the session does not know it.
fn entry(
    reading: &EnrichInput,
    memory: &SessionMemory,
    source: &Source,
    contents: &DirectoryContents,
) -> Option<DraftEntry> {
    let ctx = &reading.ctx;
    let parts = parts(ctx, source, contents, reading.request.hint_action);
    if parts.is_empty() {
        return None;
    }
    let full = format!("{CONTEXT}{}**\n\n{}\n", one_line(&source.name), parts.join("\n\n"));
    let brief = context_brief(source, ctx.places);
    // The content hash reads files, so it is computed only if it will be remembered.
    let hash = (!reading.request.repeat).then(|| content_hash("context", &source.id, &full, &ctx.places.stamp(source)));
    let is_news = hash.as_ref().is_none_or(|hash| !memory.given.contains(hash));
    let entry = DraftEntry {
        about: source.id.to_string(),
        is_in_text: reading.injected.has(&full) || reading.injected.has(&brief),
        full,
        brief,
        why: vec![MatchReason::Rule { rule: "a tool read a document of it".to_owned() }],
        keys: hash.into_iter().map(MemoryKey::Given).collect(),
        ..DraftEntry::default()
    };
    is_news.then_some(entry)
}

/// The selected source that declares contents and whose root contains the file: the pinned one, or else the first.
fn declaring<'a>(ctx: &EnrichContext<'a>, pinned: &Pinned) -> Option<(&'a Source, &'a DirectoryContents)> {
    let is_markdown = pinned.file.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("md"));
    let folder = pinned.file.parent().filter(|_| is_markdown)?;
    let holds = |source: &&Source| {
        let is_root = |place: &refdesk_core::catalog::LocalPath| *place.path == *folder || *place.resolved == *folder;
        source.is_directory() && source.place().is_some_and(is_root)
    };
    let members = ctx.selection.members().iter().map(|member| &member.id).filter(|id| **id != pinned.ref_id);
    std::iter::once(&pinned.ref_id)
        .chain(members)
        .filter_map(|id| ctx.catalog.get(id.as_str()))
        .filter(holds)
        .find_map(|source| Some((source, source.contents.as_deref()?)))
}

/// The non-empty parts, in the order of the specification.
fn parts(ctx: &EnrichContext, source: &Source, contents: &DirectoryContents, hint_action: HintAction) -> Vec<String> {
    let files = |path: &Option<String>| match path.as_deref().filter(|path| !path.trim().is_empty()) {
        Some(path) => ctx.places.declared(source, path),
        None => Vec::new(),
    };
    let paths = |files: Vec<PathBuf>| files.iter().map(|file| ctx.places.display_path(file)).collect::<Vec<_>>();
    let templates = match ctx.rendering(hint_action, &["renderTemplateToFile", "writeFileFromTemplate"]) {
        HintAction::Select => TEMPLATES,
        HintAction::Read => TEMPLATES_TO_RENDER,
    };
    let parts = [
        (templates, names(ctx, &files(&contents.templates))),
        (POLICIES, paths(files(&contents.policies))),
        (SCRIPTS, paths(files(&contents.scripts))),
        (VALIDATION, paths(files(&contents.validation))),
    ];
    let parts = parts.into_iter().filter(|(_, values)| !values.is_empty());
    parts.map(|(heading, values)| format!("{heading}\n{}", listed(&values, String::clone).join("\n"))).collect()
}

/// The names of the templates among these files that can be rendered. Builds the index only if there can be any.
fn names(ctx: &EnrichContext, files: &[PathBuf]) -> Vec<String> {
    let is_template = |file: &&PathBuf| {
        let ending = file.extension().and_then(OsStr::to_str).unwrap_or_default();
        ["tpl", "tmpl"].iter().any(|known| ending.eq_ignore_ascii_case(known))
    };
    let files: Vec<&PathBuf> = files.iter().filter(is_template).collect();
    if files.is_empty() {
        return Vec::new();
    }
    let index = ctx.templates();
    let usable = index.templates.iter().filter(|template| template.problem.is_none());
    let by_path: HashMap<&Path, &str> =
        usable.map(|template| (template.path.as_path(), template.name.as_str())).collect();
    files.into_iter().filter_map(|file| by_path.get(file.as_path())).map(|name| (*name).to_owned()).collect()
}
