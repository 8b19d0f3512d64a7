//! One text, enriched: what was found in it, what of that is news to the session, and the blocks that say so
//! (BEHAVIOUR §5). Text is only appended to, and the answer depends on nothing but the arguments.

use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};

use super::own::{Said, complement, own_blocks};
use super::told::{Told, content_hash};
use super::{Findings, Matcher, Pinned, Places, instruction, print};
use crate::catalog::{Catalog, Source, SourceId};
use crate::selection::{Role, Selection};

/// What kind of text is enriched.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum TextKind {
    /// What a person asks.
    Prompt,
    /// What a tool answered.
    ToolResult,
    /// What an agent is told at the start; nothing is said about references there.
    SystemInstructions,
}

impl TextKind {
    /// Every kind.
    pub const ALL: [Self; 3] = [Self::Prompt, Self::ToolResult, Self::SystemInstructions];

    /// `prompt`, `tool_result` or `system_instructions`.
    pub fn word(self) -> &'static str {
        match self {
            Self::Prompt => "prompt",
            Self::ToolResult => "tool_result",
            Self::SystemInstructions => "system_instructions",
        }
    }
}

/// The desk as enrichment sees it.
#[derive(Clone, Copy)]
pub struct Context<'a> {
    /// What can be known.
    pub catalog: &'a Catalog,
    /// What is chosen.
    pub selection: &'a Selection,
    /// Built from this very catalog.
    pub matcher: &'a Matcher,
    /// Paths and files.
    pub places: &'a dyn Places,
    /// `selectReferences` is in `exclude_tools`: no tag hints.
    pub exclude_hints: bool,
}

/// What a block says.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum BlockKind {
    /// Sources named by `@id`.
    Expansion,
    /// Sources whose tags stand in the text.
    Hint,
    /// Sources that the selection pulled in.
    Notice,
}

/// The price of one block.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Block {
    /// What it says.
    pub kind: BlockKind,
    /// Its size, the blank line before it included.
    pub bytes: usize,
    /// Estimated: bytes ÷ 4, rounded up.
    pub tokens: usize,
    /// How much of it was said; always `full` without a budget.
    pub level: &'static str,
}

/// What was found, for programs: all that matched, also where the session had been told before.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Metadata {
    /// Sources named by `@id`, in order of first mention.
    pub mentioned_references: Vec<SourceId>,
    /// Sources hinted at with the tags that matched, in catalog order.
    #[serde(serialize_with = "as_map")]
    pub tag_matched_references: Vec<(SourceId, Vec<String>)>,
    /// Transitive sources that the notice of this text names, with their parents.
    #[serde(serialize_with = "as_map")]
    pub transitive_references: Vec<(SourceId, Vec<SourceId>)>,
    /// The selected source that the tool was working on; for the caller to fill in by [`super::pinned`], who knows the
    /// tool's arguments.
    pub pinned_reference: Option<Pinned>,
}

/// A text with what was appended to it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Enriched {
    /// The text as it came, then the blocks.
    pub text: String,
    /// What was found.
    pub metadata: Metadata,
    /// What was appended, in order.
    pub blocks: Vec<Block>,
    /// What the session has been told when it has read this.
    pub told: Told,
}

/// Appends to `text` what the desk has to say about it to a session that was told `told`. With `repeat` it says all of
/// it, whatever was told, and what was told stays the same; what stands in the text already is never said again.
pub fn enrich(ctx: &Context, kind: TextKind, text: &str, told: &Told, repeat: bool) -> Enriched {
    let mut answer = Answer { out: text.to_owned(), blocks: Vec::new(), told: told.clone(), repeat };
    if !repeat {
        answer.told.keep_selected(ctx.selection);
    }
    let mut metadata = Metadata::default();
    if kind != TextKind::SystemInstructions {
        let own = own_blocks(text);
        let said = Said::new(text, &own);
        let parts = complement(text, &own);
        let found = ctx.matcher.find_within(text, &parts, ctx.catalog, ctx.selection, ctx.exclude_hints);
        answer.expansions(ctx, &found, &said);
        answer.hints(ctx, &found, &said);
        metadata.mentioned_references = found.expansions.into_iter().map(|it| it.id).collect();
        metadata.tag_matched_references = found.hints.into_iter().map(|it| (it.id, it.tags)).collect();
        if kind == TextKind::Prompt {
            metadata.transitive_references = answer.notice(ctx, &said);
        }
    }
    Enriched { text: answer.out, metadata, blocks: answer.blocks, told: answer.told }
}

/// An answer in the making.
struct Answer {
    out: String,
    blocks: Vec<Block>,
    told: Told,
    repeat: bool,
}

impl Answer {
    /// Block 1.
    fn expansions(&mut self, ctx: &Context, found: &Findings, said: &Said) {
        let mut entries = Vec::new();
        for source in found.expansions.iter().filter_map(|it| ctx.catalog.get(it.id.as_str())) {
            let full = instruction(source, ctx.selection, ctx.places);
            let short = print::given_above(source);
            let news = self.is_news("expansion", source, &full, ctx.places);
            if !said.has(&full) && !said.has(&short) {
                entries.push(if news { full } else { short });
            }
        }
        if !entries.is_empty() {
            self.append(BlockKind::Expansion, &print::expansions(&entries));
        }
    }

    /// Block 2.
    fn hints(&mut self, ctx: &Context, found: &Findings, said: &Said) {
        let mut lines = Vec::new();
        for hint in &found.hints {
            let Some(source) = ctx.catalog.get(hint.id.as_str()) else { continue };
            let line = print::hint(source, &hint.tags);
            let stands = said.has(&line) || said.has_beginning(&print::hint_beginning(source));
            let news = self.is_news("hint", source, &line, ctx.places);
            if news && !stands {
                lines.push(line);
            }
        }
        if !lines.is_empty() {
            self.append(BlockKind::Hint, &print::hints(&lines));
        }
    }

    /// Block 3; answers who was named, with their parents.
    fn notice(&mut self, ctx: &Context, said: &Said) -> Vec<(SourceId, Vec<SourceId>)> {
        let mut lines = Vec::new();
        let mut named = Vec::new();
        for member in ctx.selection.members().iter().filter(|member| member.role == Role::Transitive) {
            let id = member.id.as_str();
            let Some(source) = ctx.catalog.get(id) else { continue };
            if !self.repeat && self.told.was_announced(id) {
                continue;
            }
            let line = print::notice(source, member.parents.iter().map(SourceId::as_str));
            if !said.has(&line) && !said.has_beginning(&print::notice_beginning(source)) {
                lines.push(line);
                named.push((member.id.clone(), member.parents.clone()));
            }
            if !self.repeat {
                self.told.announced.insert(id.to_owned());
            }
        }
        if !lines.is_empty() {
            self.append(BlockKind::Notice, &print::transitive(&lines));
        }
        named
    }

    /// Whether the session has yet to be given this; it counts as given from here on, also where it stands in the text.
    fn is_news(&mut self, kind: &str, source: &Source, printed: &str, places: &dyn Places) -> bool {
        self.repeat || self.told.given.insert(content_hash(kind, &source.id, printed, &places.stamp(source)))
    }

    fn append(&mut self, kind: BlockKind, block: &str) {
        self.out.push_str(block);
        self.blocks.push(Block { kind, bytes: block.len(), tokens: block.len().div_ceil(4), level: "full" });
    }
}

fn as_map<S: Serializer, V: Serialize>(pairs: &[(SourceId, V)], serializer: S) -> Result<S::Ok, S::Error> {
    let mut map = serializer.serialize_map(Some(pairs.len()))?;
    for (id, value) in pairs {
        map.serialize_entry(id, value)?;
    }
    map.end()
}
