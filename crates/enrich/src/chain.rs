//! Enriches one text: each enricher for its kind makes drafts, in print order. Entries that the session already
//! received are dropped, those that do not fit are counted, and the rest is appended (BEHAVIOUR §5). The text itself
//! does not change, and the result depends only on the arguments.

use std::borrow::Cow;
use std::ops::Range;
use std::path::{Path, PathBuf};

use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};
use serde_json::{Value, json};

use super::arguments::PathBase;
use super::budget::{self, Budget};
use super::draft::{BlockCost, BlockKind, Draft, ItemReceipt, Level};
use super::injected::{self, InjectedText, complement, own_blocks};
use super::instructions;
use super::meaning::{Score, or_null};
use super::print::BlockWording;
use super::references;
use super::session_memory::SessionMemory;
use super::templates;
use super::touched::read_in_full;
use super::{Matcher, Pinned, SourceFiles, pinned, relevance};
use refdesk_core::catalog::{Catalog, Source, SourceId};
use refdesk_core::config::HintSettings;
use refdesk_core::selection::{Parents, Selection};
use refdesk_index::{Partial, TextTopics};
use refdesk_templates::{Template, TemplateIndex};

refdesk_text::worded_enum! {
    /// The kind of text to enrich.
    pub enum TextKind {
        /// A user's prompt.
        Prompt = "prompt",
        /// A tool's result.
        ToolResult = "tool_result",
        /// The instructions for an agent at the start.
        SystemInstructions = "system_instructions",
    }
}

/// The desk's state, as enrichers see it.
#[derive(Clone, Copy)]
pub struct EnrichContext<'a> {
    /// The workspace folder, absolute.
    pub workspace: &'a std::path::Path,
    /// Its catalog.
    pub catalog: &'a Catalog,
    /// Its selection.
    pub selection: &'a Selection,
    /// Built from the same catalog.
    pub matcher: &'a Matcher,
    /// Displays paths and reads files.
    pub places: &'a dyn SourceFiles,
    /// Whether `selectReferences` is in `exclude_tools`, so that there are no tag hints.
    pub exclude_hints: bool,
    /// The tools that agents are not offered (`exclude_tools`).
    pub exclude_tools: &'a [String],
    /// What the text is about according to the search index, if there is one.
    pub about: Option<&'a TextTopics>,
    /// The settings for hints.
    pub hint_settings: HintSettings,
    /// The templates in a tool's text, if already extracted ([`super::templates_in`]).
    pub taken: Option<&'a [Template]>,
}

impl EnrichContext<'_> {
    /// How an agent renders a template: with a tool of one of these names, or by command if that is excluded.
    pub(super) fn rendering(&self, hint_action: HintAction, tools: &[&str]) -> HintAction {
        let is_excluded = self.exclude_tools.iter().any(|name| tools.contains(&name.as_str()));
        if is_excluded { HintAction::Read } else { hint_action }
    }

    /// The template index of the selection.
    pub(super) fn templates(&self) -> TemplateIndex {
        self.places.templates(self.catalog, self.selection)
    }
}

/// refdesk's own tool that returns a document.
const READ: &str = "readReference";

/// A call of a tool of refdesk's own server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum OwnCall<'a> {
    /// To read the source with this id.
    Read(&'a str),
    /// To select the sources with these ids and those with one of these tags.
    Select {
        /// The ids.
        ids: Vec<&'a str>,
        /// The tags.
        tags: Vec<String>,
    },
}

/// The tool call that returned a text.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Tool<'a> {
    /// Its name, if known.
    pub name: Option<&'a str>,
    /// Its arguments; those of refdesk's own tools with plain ids, and with lists as such.
    pub arguments: &'a Value,
    /// The folder in which the agent works, absolute, if known.
    pub cwd: Option<&'a Path>,
}

impl<'a> Tool<'a> {
    /// Where relative paths in its arguments lead.
    pub fn path_base(&self, workspace: &'a Path, resolve: &'a dyn Fn(&Path) -> Option<PathBuf>) -> PathBase<'a> {
        PathBase { workspace, cwd: self.cwd, resolve }
    }

    /// The end of its name, if it is a tool of refdesk's own server, however the agent writes it, such as
    /// `mcp__refdesk__search_documents`.
    fn own_name(&self) -> Option<&'a str> {
        let mut words = self.name?.split(|c: char| !c.is_alphanumeric());
        words.any(|word| word == "refdesk").then(|| words.next_back().unwrap_or_default())
    }

    /// Whether it is a tool of refdesk's own server.
    pub fn is_own(&self) -> bool {
        self.own_name().is_some()
    }

    /// Whether the result is a list from refdesk's own server. The sources in such a list need no hint; a document that
    /// the agent reads does.
    fn is_own_list(&self) -> bool {
        self.is_own() && !self.is_own_reader()
    }

    /// Whether the result is a document from refdesk's own server.
    pub(super) fn is_own_reader(&self) -> bool {
        self.own_name() == Some(READ)
    }

    /// The sources that a tool of refdesk's own server was called to read or to select.
    pub fn own_call(&self) -> Option<OwnCall<'a>> {
        let list = |name| self.arguments.get(name).and_then(Value::as_array).into_iter().flatten();
        match self.own_name()? {
            READ => Some(OwnCall::Read(self.arguments.get("id")?.as_str()?)),
            "selectReferences" => Some(OwnCall::Select {
                ids: list("ids").filter_map(Value::as_str).collect(),
                tags: list("filter_tags").filter_map(Value::as_str).map(str::to_owned).collect(),
            }),
            _ => None,
        }
    }

    /// The arguments in which a path is a file that the tool worked on: for a document that refdesk's own server reads,
    /// its path instead of its id; none for refdesk's other tools, which record what they do by themselves.
    pub fn path_arguments(&self, catalog: &Catalog) -> Cow<'a, Value> {
        match self.own_name() {
            None => return Cow::Borrowed(self.arguments),
            Some(READ) => {}
            Some(_) => return Cow::Owned(Value::Null),
        }
        let text = |name| self.arguments.get(name).and_then(Value::as_str).filter(|text| !text.is_empty());
        let place = text("id").and_then(|id| catalog.find(id)?.place());
        let file = place.map(|place| text("path").map_or(place.path.to_path_buf(), |path| place.path.join(path)));
        // Lines only make this a part of the file; their text is not a path.
        Cow::Owned(json!({"path": file.map(|file| file.display().to_string()), "is_part": text("lines").map(|_| true)}))
    }
}

/// How an agent gets a source that a hint offers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum HintAction {
    /// Select it with `selectReferences`.
    #[default]
    Select,
    /// Read it at its place, because the tool is unavailable; the hint contains place and price.
    Read,
}

/// A text to enrich, and options.
#[derive(Debug, Clone, Copy)]
pub struct EnrichRequest<'a> {
    /// What kind of text it is.
    pub kind: TextKind,
    /// The text.
    pub text: &'a str,
    /// The tool call, for a tool result.
    pub tool: Option<Tool<'a>>,
    /// Whether to include what the session already received, and to leave its memory unchanged.
    pub repeat: bool,
    /// Whether the session's memory counts the bytes of the text.
    pub is_counted: bool,
    /// How much may be appended.
    pub budget: Budget,
    /// Whether the added text is shown without the original, so that it needs no blank lines before it.
    pub alone: bool,
    /// What hints tell the agent to do.
    pub hint_action: HintAction,
}

impl<'a> EnrichRequest<'a> {
    /// A request for this kind of text, without a tool and without a limit.
    pub fn new(kind: TextKind, text: &'a str) -> Self {
        Self {
            kind,
            text,
            tool: None,
            repeat: false,
            is_counted: false,
            budget: Budget::default(),
            alone: false,
            hint_action: HintAction::Select,
        }
    }

    /// Whether to match nothing in the text, because all of it is from refdesk.
    pub fn is_own_list(&self) -> bool {
        self.kind == TextKind::ToolResult && self.tool.is_some_and(|tool| tool.is_own_list())
    }
}

/// The input of the enrichers.
pub(super) struct EnrichInput<'a> {
    /// The desk.
    pub ctx: EnrichContext<'a>,
    /// The request.
    pub request: &'a EnrichRequest<'a>,
    /// The parts of the text outside refdesk's own blocks.
    pub parts: Vec<Range<usize>>,
    /// The content of refdesk's own blocks.
    pub injected: InjectedText<'a>,
    /// The selected sources that the tool was working on, with its files in them. The first is the pinned one.
    pub pinned: Vec<Pinned>,
    /// The sources that the tool returned in full.
    pub read: Vec<&'a Source>,
}

/// What was found, for programs: all matches, including those that the session already received.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Metadata {
    /// Sources named by `@id`, in order of first mention.
    pub mentioned_references: Vec<SourceId>,
    /// Sources hinted at with the tags that matched, in catalog order.
    #[serde(serialize_with = "as_map")]
    pub tag_matched_references: Vec<(SourceId, Vec<String>)>,
    /// Sources hinted at by meaning, the best first.
    #[serde(serialize_with = "as_map", skip_serializing_if = "Vec::is_empty")]
    pub semantic_matched_references: Vec<(SourceId, SemanticMatch)>,
    /// Transitive sources in the notice of this text, with their parents.
    #[serde(serialize_with = "as_map")]
    pub transitive_references: Vec<(SourceId, Parents)>,
    /// The selected source that the tool was working on.
    pub pinned_reference: Option<Pinned>,
}

/// Why a source is hinted at by meaning.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SemanticMatch {
    /// Its score.
    pub score: Score,
    /// The headings above its best chunk.
    #[serde(serialize_with = "or_null::serialize")]
    pub heading: String,
    /// The chunk's first line; 0 for text from the catalog itself, which is null in JSON.
    #[serde(serialize_with = "or_null::serialize")]
    pub line: usize,
}

/// A text with what was appended to it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Enriched {
    /// The original text, then the blocks.
    pub text: String,
    /// The byte offset at which the blocks begin.
    pub added_at: usize,
    /// What was found.
    pub metadata: Metadata,
    /// The appended blocks, in order; `start` is an offset in `text`.
    pub blocks: Vec<BlockCost>,
    /// The printed and the left-out entries, with reasons.
    pub items: Vec<ItemReceipt>,
    /// The session's memory after this.
    pub memory: SessionMemory,
    /// How complete the index is, if some sections have no vectors or some sources have not been read.
    pub partial: Option<Partial>,
}

impl Enriched {
    /// The appended text.
    pub fn added(&self) -> &str {
        self.text.get(self.added_at..).unwrap_or_default()
    }

    /// The number of entries that did not fit. If not even the line that counts them fits, nothing is appended.
    pub fn left_out(&self) -> usize {
        self.items.iter().filter(|item| item.has_no_room()).count()
    }

    /// Estimated tokens of the appended text.
    pub fn tokens(&self) -> usize {
        self.blocks.iter().map(|block| block.tokens).sum()
    }
}

/// Appends blocks to a text for a session with this `memory`. With `repeat`, blocks contain everything regardless of
/// `memory`, which stays unchanged; entries already in the text are never repeated.
pub fn enrich(ctx: &EnrichContext, asked: &EnrichRequest, memory: &SessionMemory) -> Enriched {
    let mut known = memory.clone();
    if !asked.repeat {
        known.keep_selected(ctx.selection);
    }
    if asked.is_counted && !asked.repeat {
        known.received = known.received.saturating_add(asked.text.len() as u64);
    }
    let prompt = ctx.about.and_then(|about| about.text.as_ref()).filter(|_| asked.kind == TextKind::Prompt);
    if let Some(prompt) = prompt.filter(|_| ctx.hint_settings.conversation && !asked.repeat) {
        known.add_prompt(prompt);
    }
    let own = own_blocks(asked.text);
    let reading = EnrichInput::new(ctx, asked, &own);
    let (mut drafts, metadata) = all_drafts(&reading, &known);
    // Entries in the text are not repeated, but the session does not remember them: a text can come from anywhere, and
    // a block copied into a web page would suppress its sources permanently.
    drafts.iter_mut().for_each(|draft| draft.entries.retain(|entry| !entry.is_in_text));
    // Do not add to a text with left-out entries when it is read again.
    if injected::ends_with_left_out(asked.text, &own) {
        drafts.clear();
    }
    let mut enriched = appended(ctx, asked, drafts, metadata, known);
    if !asked.repeat {
        let read = reading.read.iter();
        read.for_each(|source| enriched.memory.remember(&references::hint_key(source, &ctx.places.stamp(source))));
    }
    enriched
}

/// What an agent gets at the start of a conversation: the instructions (BEHAVIOUR §7) and the enrichers' drafts, within
/// one budget. `memory` is the session's; `None` for a start that is not remembered.
pub fn start(ctx: &EnrichContext, budget: Budget, hint_action: HintAction, memory: Option<&SessionMemory>) -> Enriched {
    let asked = EnrichRequest {
        budget,
        hint_action,
        repeat: memory.is_none(),
        alone: true,
        ..EnrichRequest::new(TextKind::SystemInstructions, "")
    };
    let mut known = SessionMemory { owes_start: false, ..memory.cloned().unwrap_or_default() };
    known.keep_selected(ctx.selection);
    let mut drafts = instructions::drafts(ctx, memory.is_some(), hint_action);
    let (more, metadata) = all_drafts(&EnrichInput::new(ctx, &asked, &[]), &known);
    drafts.extend(more);
    appended(ctx, &asked, drafts, metadata, known)
}

/// The templates that the chain would show for a tool's text; none for other kinds of text.
pub fn templates_in(ctx: &EnrichContext, asked: &EnrichRequest) -> Vec<Template> {
    if asked.kind != TextKind::ToolResult {
        return Vec::new();
    }
    let own = own_blocks(asked.text);
    templates::found(&EnrichInput::new(ctx, asked, &own))
}

impl<'a> EnrichInput<'a> {
    fn new(ctx: &EnrichContext<'a>, request: &'a EnrichRequest<'a>, own: &[Range<usize>]) -> Self {
        let pinned = match (request.kind, &request.tool) {
            (TextKind::ToolResult, Some(tool)) => {
                let resolve = |path: &Path| ctx.places.resolved(path);
                pinned(
                    ctx.catalog,
                    ctx.selection,
                    &tool.path_arguments(ctx.catalog),
                    &tool.path_base(ctx.workspace, &resolve),
                )
            }
            _ => Vec::new(),
        };
        let injected = InjectedText::new(request.text, own);
        let parts = if request.is_own_list() { Vec::new() } else { complement(request.text, own) };
        Self { ctx: *ctx, request, injected, parts, pinned, read: read_in_full(ctx, request) }
    }
}

/// The drafts for this kind of text, in print order.
fn all_drafts(reading: &EnrichInput, known: &SessionMemory) -> (Vec<Draft>, Metadata) {
    let mut metadata = Metadata { pinned_reference: reading.pinned.first().cloned(), ..Metadata::default() };
    let (kind, mut drafts) = (reading.request.kind, Vec::new());
    if kind != TextKind::SystemInstructions {
        drafts.extend(references::drafts(reading, known, &mut metadata));
    }
    if kind != TextKind::Prompt {
        drafts.push(templates::draft(reading, known));
    }
    (drafts, metadata)
}

/// Appends as many of the drafts as fit; records what is printed in `known`.
fn appended(
    ctx: &EnrichContext,
    asked: &EnrichRequest,
    mut drafts: Vec<Draft>,
    metadata: Metadata,
    mut known: SessionMemory,
) -> Enriched {
    let weigh = |drafts: &mut [Draft]| relevance::weigh(ctx.catalog, drafts);
    let wording = BlockWording { kind: asked.kind, hint_action: asked.hint_action };
    let mut fitted = budget::fit(&mut drafts, asked.budget, wording, weigh);
    if asked.alone {
        fitted.stand_alone();
    }
    if !asked.repeat {
        let entries = drafts.iter().flat_map(|draft| &draft.entries).zip(&fitted.items);
        let is_silent = fitted.blocks.is_empty();
        for (entry, item) in entries.filter(|_| !is_silent) {
            entry.remembered(item.level).for_each(|key| known.remember(key));
            let is_offer = matches!(item.block, BlockKind::Hint | BlockKind::Expansion) && item.level != Level::Count;
            if is_offer {
                known.offered.entry(item.about.clone()).or_insert(item.block);
            }
        }
    }
    let added_at = asked.text.len();
    let mut blocks = fitted.blocks;
    blocks.iter_mut().for_each(|block| block.start += added_at);
    let mut text = fitted.text;
    text.insert_str(0, asked.text);
    let partial = ctx.about.and_then(|about| about.partial);
    Enriched { text, added_at, metadata, blocks, items: fitted.items, memory: known, partial }
}

fn as_map<S: Serializer, V: Serialize>(pairs: &[(SourceId, V)], serializer: S) -> Result<S::Ok, S::Error> {
    let mut map = serializer.serialize_map(Some(pairs.len()))?;
    for (id, value) in pairs {
        map.serialize_entry(id, value)?;
    }
    map.end()
}
