//! The enricher of templates: lists the templates that can be rendered, at the start of a conversation and after a tool
//! returned a text with templates (BEHAVIOUR §5, "Templates").

use std::borrow::Cow;

use super::chain::{EnrichInput, TextKind};
use super::draft::{BlockKind, Draft, DraftEntry, MatchReason, MemoryKey};
use super::print;
use super::session_memory::{SessionMemory, content_hash};
use refdesk_core::catalog::SourceId;
use refdesk_templates::Template;

/// The draft for a session with this `memory`.
pub(super) fn draft(reading: &EnrichInput, memory: &SessionMemory) -> Draft {
    let at_the_start = reading.request.kind == TextKind::SystemInstructions;
    let templates: Cow<[Template]> = match reading.ctx.taken {
        _ if at_the_start => reading.ctx.templates().templates.into(),
        Some(taken) => taken.into(),
        None => found(reading).into(),
    };
    let rule = if at_the_start { "the selection provides it" } else { "it is in the text" };
    // A broken one cannot be rendered.
    let usable = templates.iter().filter(|template| template.problem.is_none());
    let entries = usable.map(|template| entry(reading, template, rule));
    // A system prompt is written anew each time, so the content of an earlier one is lost.
    let is_news = |entry: &DraftEntry| {
        let is_known = |key: &MemoryKey| matches!(key, MemoryKey::Given(hash) if memory.given.contains(hash));
        at_the_start || reading.request.repeat || !entry.keys.iter().any(is_known)
    };
    Draft { kind: BlockKind::Templates, entries: entries.filter(is_news).collect() }
}

/// The templates in the text outside refdesk's own blocks; none if the file belongs to a source that declares its own
/// templates.
pub(super) fn found(reading: &EnrichInput) -> Vec<Template> {
    let ctx = &reading.ctx;
    let pinned = reading.pinned.first().and_then(|pinned| ctx.catalog.get(pinned.ref_id.as_str()));
    let contents = pinned.and_then(|source| source.contents.as_ref());
    if contents.is_some_and(|contents| contents.templates.is_some()) {
        return Vec::new();
    }
    let text = reading.request.text;
    let parts: Vec<&str> = reading.parts.iter().filter_map(|part| text.get(part.clone())).collect();
    match parts.as_slice() {
        [] => Vec::new(),
        [whole] => ctx.places.templates_in(whole),
        parts => ctx.places.templates_in(&parts.concat()),
    }
}

fn entry(reading: &EnrichInput, template: &Template, rule: &str) -> DraftEntry {
    let hint_action = reading.ctx.rendering(reading.request.hint_action, &["renderTemplate"]);
    let (full, brief) = (print::template(template, hint_action), print::template_line(template));
    // A template with the same name and the same annotation is not new, even if its content differs.
    let hash = content_hash("template", &SourceId::from(template.name.as_str()), &full, "");
    DraftEntry {
        about: template.name.clone(),
        // Both forms begin with the short one.
        is_in_text: reading.injected.has(&brief),
        full,
        brief,
        why: vec![MatchReason::Rule { rule: rule.to_owned() }],
        keys: vec![MemoryKey::Given(hash)],
        ..DraftEntry::default()
    }
}
