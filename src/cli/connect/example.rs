//! An example prompt that brings up a source of this catalog: it tests that hints arrive, and the user can try it
//! first.

use refdesk_agents::canary::CanaryPrompt;
use refdesk_core::catalog::{Mode, Source};
use refdesk_desk::{Desk, EnrichMode, Session};
use refdesk_enrich::{BlockKind, EnrichRequest, Level, TextKind};

const MAX_CANDIDATES: usize = 24;

/// A prompt that names a source by a tag if possible, otherwise by its id, and prefers sources that can be read; `None`
/// if it brings up no source.
pub(in crate::cli) fn prompt(desk: &mut Desk) -> Option<CanaryPrompt> {
    let session = Session { id: "refdesk-canary".to_owned(), who: "refdesk connect".to_owned() };
    let is_open = |source: &&Source| {
        let id = source.id.as_str();
        source.mode == Mode::Selectable && !desk.selection().contains(id) && !desk.selection().is_excluded(id)
    };
    let is_readable = |source: &Source| !source.is_missing() && !source.is_untrusted();
    let prompts = |readable: bool| {
        let sources = || desk.catalog().sources().iter().filter(move |source| is_readable(source) == readable);
        let by_tag = sources().filter(is_open).take(MAX_CANDIDATES).flat_map(|source| {
            source
                .tags
                .iter()
                .map(|tag| (format!("What do our documents say about {}?", tag.trim()), source.id.to_string()))
        });
        let by_id = sources().map(|source| (format!("What does @{} say?", source.id), source.id.to_string()));
        by_tag.take(MAX_CANDIDATES).chain(by_id.take(MAX_CANDIDATES)).collect::<Vec<_>>()
    };
    // Someone may try the prompt, and the agent read what it brings up.
    let prompts = [prompts(true), prompts(false)].concat();
    let settled = desk.settled();
    let brings_up = |text: &str, about: &str| {
        // Test it as a tool result too, because not every agent can get an answer to a prompt.
        [TextKind::Prompt, TextKind::ToolResult].iter().all(|kind| {
            let asked = EnrichRequest { repeat: true, alone: true, ..EnrichRequest::new(*kind, text) };
            let (enriched, _) = settled.enrich(&session, &asked, EnrichMode::DryRun);
            let is_it = |block: BlockKind| matches!(block, BlockKind::Hint | BlockKind::Expansion);
            enriched.items.iter().any(|item| is_it(item.block) && item.level != Level::Count && item.about == about)
                && enriched.added().contains(about)
        })
    };
    let (text, about) = prompts.into_iter().find(|(text, about)| brings_up(text, about))?;
    Some(CanaryPrompt { text, about })
}
