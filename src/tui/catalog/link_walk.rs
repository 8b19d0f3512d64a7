//! Moves between the links of a document, and follows them.

use crate::tui::action::{Action, KeyContext};
use crate::tui::catalog::filtered_rows;
use crate::tui::catalog::links::{LinkTo, PageLink};
use crate::tui::catalog::places::ReadableDocument;
use crate::tui::catalog::reading::{self, ReadingGoal};
use crate::tui::catalog::sideways;
use crate::tui::input::Effect;
use crate::tui::places;
use crate::tui::state::State;
use crate::tui::update::external;
use crate::tui::widgets::cells;
use refdesk_core::mention::MentionKind;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LinkFocus {
    /// The offset of the part that contains it.
    pub portion: u64,
    pub group: usize,
}

/// A link, and the row and byte at which it starts.
struct PlacedLink<'a> {
    focus: LinkFocus,
    at: (usize, usize),
    /// The line, counted from the start of the document.
    line: usize,
    link: &'a PageLink,
}

/// The links of the document in order; rows are counted from the start of the document.
fn links(state: &State) -> impl Iterator<Item = PlacedLink<'_>> {
    let loaded = &state.catalog.reading.loaded;
    let pages = loaded.portions.iter().enumerate();
    let pages = pages.filter_map(|(nth, portion)| Some((nth, portion.start.offset, portion.page.as_ref()?)));
    pages.flat_map(move |(nth, portion, page)| {
        let (first, first_line) = (loaded.first_row(nth), loaded.first_line(nth));
        let links = page.links.iter().flatten();
        links.map(move |link| PlacedLink {
            focus: LinkFocus { portion, group: link.group },
            at: (first + page.text.row_of(link.line, link.range.start), link.range.start),
            line: first_line + link.line,
            link,
        })
    })
}

pub fn has_links(state: &State) -> bool {
    links(state).next().is_some()
}

/// The focused link.
pub fn focused(state: &State) -> Option<&PageLink> {
    let focus = state.catalog.reading.link?;
    links(state).find(|link| link.focus == focus).map(|link| link.link)
}

/// Moves to the next or previous link: from the focused one if it is visible, otherwise from the visible
/// rows. Wraps around.
pub fn step(state: &mut State, action: Action) {
    let Some((view, page)) = reading::view(state) else { return };
    let (details, top) = (view.details.len(), state.catalog.scroll.top);
    let rows = top.saturating_sub(details)..(top + page).saturating_sub(details);
    let focus = state.catalog.reading.link;
    let current = links(state).find(|link| Some(link.focus) == focus && rows.contains(&link.at.0));
    let is_next = action == Action::NextLink;
    let others = || links(state).filter(|link| current.as_ref().is_none_or(|current| current.focus != link.focus));
    let found = match (&current, is_next) {
        (Some(current), true) => others().find(|link| link.at > current.at).or_else(|| others().next()),
        (None, true) => others().find(|link| link.at.0 >= rows.start).or_else(|| others().next()),
        (Some(current), false) => others().take_while(|link| link.at < current.at).last().or_else(|| others().last()),
        (None, false) => others().take_while(|link| link.at.0 < rows.end).last().or_else(|| others().last()),
    };
    let Some(found) = found.or(current) else { return };
    let (focus, row, description) = (found.focus, details + found.at.0, described(state, &found.link.to));
    let (line, range) = (found.line, found.link.range.clone());
    state.catalog.reading.link = Some(focus);
    reading::reveal(state, row);
    sideways::reveal(state, line, &range);
    state.note(description);
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LinkClick {
    First,
    /// The link was already focused.
    Again,
}

/// Focuses the link at this row and column of the document, if any.
pub fn focus_at(state: &mut State, row: usize, column: usize) -> Option<LinkClick> {
    let loaded = &state.catalog.reading.loaded;
    let at = loaded.at_row(row)?;
    let portion = loaded.portions.get(at.portion)?;
    let page = portion.page.as_ref()?;
    let (line, byte) = page.text.at_column(at.row, column, state.catalog.reading.across)?;
    let link = page.links.as_ref()?.iter().find(|link| link.line == line && link.range.contains(&byte))?;
    let (focus, description) =
        (LinkFocus { portion: portion.start.offset, group: link.group }, described(state, &link.to));
    let before = state.catalog.reading.link.replace(focus);
    state.note(description);
    Some(if before == Some(focus) { LinkClick::Again } else { LinkClick::First })
}

/// Describes a link and what following it does.
fn described(state: &State, to: &LinkTo) -> String {
    let key = state.key_in(KeyContext::Details, Action::FollowLink);
    match to {
        LinkTo::Source { id, via: MentionKind::Id, .. } => format!("@{id}, mentioned by its id: {key} shows it"),
        LinkTo::Source { id, file: Some(file), .. } => {
            let name = file.file_name().unwrap_or_default().to_string_lossy();
            format!("{name} of @{id}: {key} shows it")
        }
        LinkTo::Source { id, .. } => format!("@{id}, linked by its path: {key} shows it"),
        LinkTo::Anchor(name) => format!("#{name} in this document: {key} goes there"),
        LinkTo::Address(address) => format!("{}: {key} copies it", cells::clean(address)),
        LinkTo::Tag(tag) => format!("#{tag}, a tag of the catalog: {key} shows its sources"),
        LinkTo::Unlisted(path) => unlisted(state, path),
    }
}

/// Why a path cannot be followed: it is not in the catalog, or the document's mentions are not loaded yet.
fn unlisted(state: &State, path: &str) -> String {
    let shown = state.catalog.reading.shown.as_ref();
    match shown.is_some_and(|shown| state.snapshot.graph.is_scanned(&shown.source)) {
        true => format!("{} is not in the catalog", cells::clean(path)),
        false => "the mentions of this document are still being read".to_owned(),
    }
}

/// Why the focused link cannot be followed.
pub fn no_way(state: &State) -> Option<String> {
    match focused(state).map(|link| &link.to) {
        None if has_links(state) => {
            let key = state.key_in(KeyContext::Details, Action::NextLink);
            Some(format!("no link is chosen: {key} goes to the next one"))
        }
        None => Some("this document has no links".to_owned()),
        Some(LinkTo::Unlisted(path)) => Some(unlisted(state, path)),
        Some(LinkTo::Source { id, .. }) if state.snapshot.catalog.get(id.as_str()).is_none() => {
            Some(format!("@{id} is no longer in the catalog"))
        }
        Some(_) => None,
    }
}

pub fn follow_link(state: &mut State, effects: &mut Vec<Effect>) {
    let Some(to) = focused(state).map(|link| link.to.clone()) else { return };
    match to {
        LinkTo::Address(address) => external::copy(state, &address, effects),
        LinkTo::Anchor(name) => {
            let Some(document) = state.catalog.reading.shown.clone() else { return };
            places::leave(state);
            reading::go_to(state, &document, Some(ReadingGoal::Anchor(name)), effects);
        }
        LinkTo::Source { id, file, anchor, .. } => {
            places::leave(state);
            let document = ReadableDocument { source: id.to_string(), file };
            reading::go_to(state, &document, anchor.map(ReadingGoal::Anchor), effects);
        }
        LinkTo::Tag(tag) => {
            places::leave(state);
            filtered_rows::by_tag(state, &tag);
        }
        LinkTo::Unlisted(_) => {}
    }
}
