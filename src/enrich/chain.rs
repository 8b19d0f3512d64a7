//! One text, enriched: every enricher that takes its kind says what it has to say, lowest priority first; what the session
//! knows is left away, what there is no room for is counted, and the rest is appended (BEHAVIOUR §5). Text is only
//! appended to, and the answer depends on nothing but the arguments.

use std::ops::Range;

use serde::ser::SerializeMap;
use serde::{Deserialize, Serialize, Serializer};
use serde_json::Value;

use super::budget::{self, Budget};
use super::draft::{Block, BlockKind, Draft, Entry, Item, Level};
use super::own::{self, Said, complement, own_blocks};
use super::references::References;
use super::templates::Templates;
use super::told::Told;
use super::{Matcher, Pinned, Places, pinned, relevance};
use crate::catalog::{Catalog, SourceId};
use crate::selection::Selection;

/// What kind of text is enriched.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TextKind {
    /// What a person asks.
    Prompt,
    /// What a tool answered.
    ToolResult,
    /// What an agent is told at the start: its instructions.
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
    /// The workspace folder, absolute.
    pub workspace: &'a std::path::Path,
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

/// The call of a tool that gave a text.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Tool<'a> {
    /// Its name, where it is known.
    pub name: Option<&'a str>,
    /// What it was asked.
    pub arguments: &'a Value,
}

/// What is to be enriched, and how.
#[derive(Debug, Clone, Copy)]
pub struct Asked<'a> {
    /// What kind of text it is.
    pub kind: TextKind,
    /// The text.
    pub text: &'a str,
    /// Who gave it, for a tool result.
    pub tool: Option<Tool<'a>>,
    /// Say all of it, whatever was told, and leave what was told as it is.
    pub repeat: bool,
    /// How much may be appended.
    pub budget: Budget,
}

impl<'a> Asked<'a> {
    /// A text of this kind, without a tool and without a limit.
    pub fn new(kind: TextKind, text: &'a str) -> Self {
        Self { kind, text, tool: None, repeat: false, budget: Budget::default() }
    }
}

/// A text as the enrichers read it.
pub(super) struct Reading<'a> {
    /// What is asked.
    pub asked: &'a Asked<'a>,
    /// The parts of the text that are not the desk's own.
    pub parts: Vec<Range<usize>>,
    /// What the desk's own blocks in it say.
    pub said: Said<'a>,
    /// The selected source that the tool was working on.
    pub pinned: Option<Pinned>,
}

/// Somebody who has something to say about texts. One more is one small file and a place in [`CHAIN`].
pub(super) trait Enricher: Sync {
    /// Low ones come first.
    fn priority(&self) -> u8;

    /// Whether it has anything to say about texts of this kind.
    fn takes(&self, kind: TextKind) -> bool;

    /// What it has to say to a session that was told `told`; what was found goes into `metadata`.
    fn drafts(&self, ctx: &Context, reading: &Reading, told: &Told, metadata: &mut Metadata) -> Vec<Draft>;
}

/// Every enricher.
const CHAIN: [&dyn Enricher; 2] = [&References, &Templates];

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
    /// The selected source that the tool was working on.
    pub pinned_reference: Option<Pinned>,
}

/// A text with what was appended to it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Enriched {
    /// The text as it came, then the blocks.
    pub text: String,
    /// Where in it the blocks begin, in bytes.
    pub added_at: usize,
    /// What was found.
    pub metadata: Metadata,
    /// What was appended, in order; `start` is within `text`.
    pub blocks: Vec<Block>,
    /// What was said in them and what was left out, and why.
    pub items: Vec<Item>,
    /// What the session has been told when it has read this.
    pub told: Told,
}

impl Enriched {
    /// What was appended.
    pub fn added(&self) -> &str {
        self.text.get(self.added_at..).unwrap_or_default()
    }

    /// Estimated tokens of what was appended.
    pub fn tokens(&self) -> usize {
        self.blocks.iter().map(|block| block.tokens).sum()
    }
}

/// Appends to a text what the desk has to say about it to a session that was told `told`. With `repeat` it says all of
/// it, whatever was told, and what was told stays the same; what stands in the text already is never said again.
pub fn enrich(ctx: &Context, asked: &Asked, told: &Told) -> Enriched {
    let mut known = told.clone();
    if !asked.repeat {
        known.keep_selected(ctx.selection);
    }
    let own = own_blocks(asked.text);
    let pinned = match (asked.kind, &asked.tool) {
        (TextKind::ToolResult, Some(tool)) => pinned(ctx.catalog, ctx.selection, ctx.workspace, tool.arguments),
        _ => None,
    };
    let parts = complement(asked.text, &own);
    let reading = Reading { asked, said: Said::new(asked.text, &own), parts, pinned };
    let mut metadata = Metadata { pinned_reference: reading.pinned.clone(), ..Metadata::default() };
    let mut drafts = Vec::new();
    let mut chain: Vec<&dyn Enricher> = CHAIN.into_iter().filter(|enricher| enricher.takes(asked.kind)).collect();
    chain.sort_by_key(|enricher| enricher.priority());
    for enricher in chain {
        drafts.extend(enricher.drafts(ctx, &reading, &known, &mut metadata));
    }
    // A text that there was no room in once is not filled up the next time it is read.
    let was_cut = own::says_left_out(asked.text, &own);
    let standing = drain(&mut drafts, |entry| entry.stands);
    if was_cut {
        drafts.clear();
    }
    drafts.retain(|draft| !draft.entries.is_empty());
    let fitted = budget::fit(&mut drafts, asked.budget, |drafts| relevance::weigh(ctx.catalog, drafts));
    if !asked.repeat {
        let entries = drafts.iter().flat_map(|draft| &draft.entries).zip(fitted.items.iter().map(|item| item.level));
        let is_given = |(entry, level): &(&Entry, Level)| {
            *level == Level::Full || (*level == Level::Brief && entry.brief_is_enough)
        };
        let given = entries.filter(is_given).map(|(entry, _)| entry);
        standing.iter().chain(given).for_each(|entry| known.remember(&entry.memory));
        let offers =
            |item: &&Item| matches!(item.block, BlockKind::Hint | BlockKind::Expansion) && item.level != Level::Count;
        for item in fitted.items.iter().filter(offers) {
            known.offered.entry(item.about.clone()).or_insert(item.block);
        }
    }
    let added_at = asked.text.len();
    let mut blocks = fitted.blocks;
    blocks.iter_mut().for_each(|block| block.start += added_at);
    let text = [asked.text, &fitted.text].concat();
    Enriched { text, added_at, metadata, blocks, items: fitted.items, told: known }
}

/// Takes the entries out that `is_out` says.
fn drain(drafts: &mut [Draft], is_out: impl Fn(&Entry) -> bool) -> Vec<Entry> {
    let mut out = Vec::new();
    for draft in drafts {
        let (taken, kept) = std::mem::take(&mut draft.entries).into_iter().partition(&is_out);
        draft.entries = kept;
        out.extend::<Vec<Entry>>(taken);
    }
    out
}

fn as_map<S: Serializer, V: Serialize>(pairs: &[(SourceId, V)], serializer: S) -> Result<S::Ok, S::Error> {
    let mut map = serializer.serialize_map(Some(pairs.len()))?;
    for (id, value) in pairs {
        map.serialize_entry(id, value)?;
    }
    map.end()
}
