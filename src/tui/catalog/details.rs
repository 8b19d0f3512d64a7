//! The details of a source: name, state, fields and description, and the rule above its document.

use crate::common::source_words::address;
use crate::tui::filter::{Marks, MatchMarker};
use crate::tui::pane::Pane;
use crate::tui::pane_view::printed;
use crate::tui::selection::preview;
use crate::tui::selection::preview::NameDetail;
use crate::tui::source_state;
use crate::tui::state::State;
use crate::tui::theme::ThemeRole;
use crate::tui::widgets::cells;
use crate::tui::widgets::marked::MarkedText;
use crate::tui::widgets::page::PageLine;
use refdesk_core::catalog::{Source, SourceKind};
use refdesk_core::selection::Role;

/// The lines about the source whose document is shown, for this width; empty without a source.
pub fn lines(state: &State, columns: usize) -> Vec<PageLine> {
    let (catalog, shown) = (&state.snapshot.catalog, &state.catalog.reading.shown);
    let Some(source) = shown.as_ref().and_then(|shown| catalog.get(&shown.source)) else { return Vec::new() };
    let marks = marks(state, source);
    let id = source.id.as_str();
    let named =
        (PageLine::new(format!("@{}", cells::clean(id)), ThemeRole::Strong), MarkedText::of(&source.name, &marks.name));
    let mut lines = beside(named, columns);
    let (mark, role) = source_state::mark(&state.snapshot, id);
    let words = source_state::full_words(&state.snapshot, id);
    let state_line = format!("{} {}{}", state.skin.glyphs.mark(mark), cells::clean(&words), first_place(state, id));
    let terse = is_short(state);
    let mut fields = fields(state, source).into_iter();
    let place = fields.next().filter(|_| !terse || source.is_missing());
    lines.extend(beside((PageLine::new(state_line, role), MarkedText::of(&summary(state, source), &[])), columns));
    // In a narrow pane, the names would wrap to a different number of rows for each source and shift the document.
    let names = if terse || columns < NAMES { NameDetail::Counted } else { NameDetail::Some };
    let follows = preview::sentence(state, id, names).map(|sentence| cells::clean(&sentence).into_owned());
    lines.extend(follows.map(|sentence| PageLine::new(sentence, ThemeRole::Hints)));

    let field = |(label, value): (&str, String)| {
        let indent = label.len() + 2;
        let line = PageLine::new(format!("{label}: "), ThemeRole::Infra).then(&value, ThemeRole::Text);
        // The value starts beside its label, because its continuation rows are no wider.
        line.hanging(indent).with_unbroken_start(indent)
    };
    lines.extend(place.map(field));
    if !source.description.is_empty() {
        let description = MarkedText::of(&source.description, &marks.description);
        lines.push(PageLine::default().then_marked(&description, ThemeRole::Text));
    }
    if !terse {
        lines.extend(fields.map(field));
    }
    lines.push(PageLine::new(document_rule(state, source, columns), ThemeRole::Infra));
    lines
}

/// The minimum width for naming the sources that a pick would pull in.
const NAMES: usize = 60;

/// The minimum height at which all details fit above the start of the document.
const FULL_HEIGHT: u16 = 14;

/// Whether to show only the essentials, so that the document is visible too. Never while the user reads the details.
fn is_short(state: &State) -> bool {
    !state.reads() && state.parts(Pane::Catalog).is_some_and(|parts| parts.detail.height < FULL_HEIGHT)
}

fn marks(state: &State, source: &Source) -> Marks {
    let pane = &state.catalog;
    let position = state.snapshot.catalog.position(source.id.as_str());
    let mut marker = MatchMarker::new(&pane.filtered.query, pane.haystack.as_deref());
    position.map(|at| marker.marks(at)).unwrap_or_default()
}

/// Two texts on one line, or on two lines if they do not fit.
fn beside((left, right): (PageLine, MarkedText), columns: usize) -> Vec<PageLine> {
    if left.width() + 2 + cells::width(&right.text) <= columns {
        return vec![left.then("  ", ThemeRole::Infra).then_marked(&right, ThemeRole::Infra)];
    }
    vec![left, PageLine::default().then_marked(&right, ThemeRole::Infra)]
}

/// ` (ADR.md:212)`: where the first parent mentions a pulled-in source; otherwise empty.
fn first_place(state: &State, id: &str) -> String {
    let member = state.snapshot.selection.member(id).filter(|member| member.role == Role::Transitive);
    let parent = member.and_then(|member| member.parents.iter().next());
    let mention =
        parent.and_then(|parent| state.snapshot.graph.from_to(parent.as_str(), |to| to.as_str() == id).next());
    let name = mention.as_ref().and_then(|mention| mention.file.file_name());
    match (mention.as_ref(), name) {
        (Some(mention), Some(name)) => format!(" ({}:{})", cells::clean(&name.to_string_lossy()), mention.line),
        _ => String::new(),
    }
}

/// `local · selectable · ~417 tokens`
fn summary(state: &State, source: &Source) -> String {
    let mut parts = vec![source.kind.word().to_owned(), source.mode.word().to_owned()];
    if let Some(tokens) = state.snapshot.tokens.get(source.id.as_str()) {
        parts.push(cells::in_tokens(*tokens));
    }
    parts.join(&format!(" {} ", state.skin.glyphs.dot))
}

/// The path of the source's last definition comes first.
fn fields(state: &State, source: &Source) -> Vec<(&'static str, String)> {
    let clean = |text: &str| cells::clean(text).into_owned();
    let mut fields = match &source.kind {
        SourceKind::Local(place) if source.is_missing() => vec![("missing", printed(state, &place.path))],
        SourceKind::Local(place) if source.is_untrusted() => vec![("waits for trust", printed(state, &place.path))],
        SourceKind::Local(place) if source.is_directory() => vec![("folder", printed(state, &place.path))],
        SourceKind::Local(place) => vec![("file", printed(state, &place.path))],
        SourceKind::Withheld(kind) => vec![("waits for trust", clean(&address(kind)))],
        SourceKind::Url { url } => vec![("url", clean(url))],
        SourceKind::Mcp { server, tool, .. } => vec![("tool", format!("{} on {}", clean(tool), clean(server)))],
        SourceKind::Inline { content } => vec![("content", cells::counted(content.lines().count(), "line"))],
    };
    if !source.tags.is_empty() {
        fields.push(("tags", clean(&source.tags.join(", "))));
    }
    if let Some(hint) = &source.fetch_hint {
        fields.push(("fetch hint", clean(hint)));
    }
    let file = printed(state, &source.origin.file);
    let origin = source.origin.entry.map_or_else(|| file.clone(), |entry| format!("{file}, source {}", entry + 1));
    fields.push(("defined in", origin));
    fields
}

/// The rule above the document, with its caption.
fn document_rule(state: &State, source: &Source, columns: usize) -> String {
    let rule = state.skin.glyphs.rule;
    let place = source.place().filter(|_| is_short(state) && !source.is_missing());
    let place = place.map(|place| printed(state, &place.path)).unwrap_or_default();
    let (room, ellipsis) = (columns.saturating_sub(4), state.skin.glyphs.ellipsis);
    let (place, note) = match &state.catalog.document.answer {
        Some(document) => (place, cells::clean(&document.caption)),
        None => (String::new(), "reading".into()),
    };
    // The end of a path and the beginning of a sentence matter most.
    let beside = if note.is_empty() { 0 } else { cells::width(&note) + 2 };
    let place = cells::clip_start(&place, room.saturating_sub(beside), ellipsis);
    let gap = if place.is_empty() || note.is_empty() { "" } else { ": " };
    let caption = cells::clip(&format!("{place}{gap}{note}"), room, ellipsis).into_owned();
    let line = if caption.is_empty() { String::new() } else { format!("{rule} {caption} ") };
    let left = columns.saturating_sub(cells::width(&line));
    format!("{line}{}", rule.repeat(left))
}
