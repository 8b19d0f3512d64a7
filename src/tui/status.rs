//! The lines around the panes: workspace and counts at the top, keys or a message at the bottom. If space is
//! short, the least important items are dropped.

mod labels;

pub use labels::{Label, draw_labels, key_at, labels};

use std::borrow::Cow;

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use ratatui::style::{Modifier, Style};
use ratatui::widgets::{Clear, Widget};

use crate::tui::action::{Action, KeyContext};
use crate::tui::budget;
use crate::tui::disabled;
use crate::tui::input;
use crate::tui::messages;
use crate::tui::pane::Pane;
use crate::tui::state::{MessageKind, State};
use crate::tui::theme::ThemeRole;
use crate::tui::which_key;
use crate::tui::widgets::cells;
use crate::tui::widgets::filter_line::FilterLine;
use refdesk_desk::engine::Watching;

/// An item of the top line; those of the highest `rank` are dropped first.
struct StatusItem {
    text: String,
    style: Style,
    /// Shorter texts to use when the text does not fit, longest first.
    short: Vec<String>,
    rank: u8,
    /// What a click on it does.
    action: Option<Action>,
}

pub fn draw_top(state: &State, place: Rect, buffer: &mut Buffer) {
    for (piece, place) in top_line(state, place) {
        cells::put(buffer, (place.x, place.y), &piece.text, usize::from(place.width), piece.style);
    }
}

/// Minimum width of the end of the workspace's path.
const MIN_WORKSPACE_WIDTH: usize = 6;

/// The action of a click at this position of the top line.
pub fn top_action_at(state: &State, at: Position) -> Option<Action> {
    let pieces = top_line(state, state.layout().status);
    pieces.into_iter().find(|(_, place)| place.contains(at)).and_then(|(piece, _)| piece.action)
}

/// The items of the top line that fit, with their areas.
fn top_line(state: &State, place: Rect) -> Vec<(StatusItem, Rect)> {
    let mut pieces = pieces(state);
    let gap = 2;
    let room = usize::from(place.width).saturating_sub(2);
    let taken = |pieces: &[StatusItem]| pieces.iter().map(|piece| cells::width(&piece.text) + gap).sum::<usize>();
    let workspace = workspace(state);
    // The workspace gets the remaining width. Its problems and the cost of the selection matter more than its name.
    let mut least = cells::width(&workspace).min(10);
    while taken(&pieces) + least > room {
        match pieces.iter().map(|piece| piece.rank).max() {
            Some(rank @ 8..) => pieces.retain(|piece| piece.rank != rank),
            _ if least > 0 => least = 0,
            _ if pieces.iter().any(|piece| piece.short.len() > 1) => shorten(&mut pieces),
            Some(rank @ 2..) if taken(&pieces) > room + gap => pieces.retain(|piece| piece.rank != rank),
            // The token limit is dropped before the name of the program.
            _ if taken(&pieces) > room + gap && pieces.iter().any(|piece| !piece.short.is_empty()) => {
                shorten(&mut pieces);
            }
            Some(rank @ 1..) if taken(&pieces) > room + gap => pieces.retain(|piece| piece.rank != rank),
            _ => break,
        }
    }
    let left = room.saturating_sub(taken(&pieces));
    // Some of its characters fit again if something wider was dropped.
    if left >= least.max(MIN_WORKSPACE_WIDTH).min(cells::width(&workspace)) {
        let text = cells::clip_start(&workspace, left, state.skin.glyphs.ellipsis).into_owned();
        let style = state.skin.theme.style(ThemeRole::Text);
        pieces.insert(1.min(pieces.len()), StatusItem { text, style, short: Vec::new(), rank: 0, action: None });
    }
    let mut x = place.x + 1;
    let placed = pieces.into_iter().map(|piece| {
        let room = place.right().saturating_sub(x);
        let text = cells::clip(&piece.text, usize::from(room), state.skin.glyphs.ellipsis).into_owned();
        let width = u16::try_from(cells::width(&text)).unwrap_or(room);
        let place = Rect { x, width, ..place };
        x = x.saturating_add(width).saturating_add(2);
        (StatusItem { text, ..piece }, place)
    });
    placed.collect()
}

fn shorten(pieces: &mut [StatusItem]) {
    for piece in pieces.iter_mut().filter(|piece| !piece.short.is_empty()) {
        piece.text = piece.short.remove(0);
    }
}

fn workspace(state: &State) -> Cow<'_, str> {
    cells::clean(&state.snapshot.workspace)
}

fn pieces(state: &State) -> Vec<StatusItem> {
    let (theme, totals) = (&state.skin.theme, &state.counts);
    let piece =
        |rank, role, text: String| StatusItem { text, style: theme.style(role), short: Vec::new(), rank, action: None };
    let opens = |action, piece: StatusItem| StatusItem { action: Some(action), ..piece };
    let to = |pane, piece: StatusItem| StatusItem { action: Some(Action::Focus(pane)), ..piece };
    let urgent = theme.style(ThemeRole::Warning).add_modifier(Modifier::REVERSED | Modifier::BOLD);
    let mut pieces = vec![piece(1, ThemeRole::Strong, "refdesk".to_owned())];
    if !state.is_open() {
        pieces.push(piece(0, ThemeRole::Infra, "opening the workspace".to_owned()));
        return pieces;
    }
    let snapshot = &state.snapshot;
    if let Some(text) = asking(state) {
        pieces.push(StatusItem { text, style: urgent, short: Vec::new(), rank: 0, action: Some(Action::Requests) });
    }
    if !snapshot.untrusted.is_empty() {
        let need = if snapshot.untrusted.len() == 1 { "needs" } else { "need" };
        let text = format!(" {} {need} trust: {} ", cells::grouped(snapshot.untrusted.len()), state.key(Action::Trust));
        pieces.push(StatusItem { text, style: urgent, short: Vec::new(), rank: 0, action: Some(Action::Trust) });
    }
    if &*snapshot.desk != "default" {
        pieces.push(piece(2, ThemeRole::Infra, format!("desk {}", cells::clean(&snapshot.desk))));
    }
    pieces.push(to(Pane::Catalog, piece(10, ThemeRole::Catalog, cells::counted(totals.sources, "source"))));
    // The catalog's title shows this too.
    if totals.missing > 0 {
        pieces.push(opens(
            Action::Problems,
            piece(9, ThemeRole::Error, format!("{} missing", cells::grouped(totals.missing))),
        ));
    }
    pieces
        .push(to(Pane::Selection, piece(3, ThemeRole::Selection, format!("{} picked", cells::grouped(totals.picked)))));
    pieces.push(to(
        Pane::Selection,
        piece(7, ThemeRole::Transitive, format!("{} pulled in", cells::grouped(totals.pulled_in))),
    ));
    if totals.auto > 0 {
        pieces.push(to(Pane::Selection, piece(8, ThemeRole::Infra, format!("{} auto", cells::grouped(totals.auto)))));
    }
    let over = budget::over(state);
    let role = if over.is_some() { ThemeRole::Error } else { ThemeRole::Infra };
    let tokens = cells::in_tokens(totals.tokens);
    pieces.push(opens(
        Action::Budget,
        match over {
            // A full bar does not show by how much the limit is exceeded.
            Some(over) => StatusItem {
                short: vec![over.trim_start_matches(budget::OVER).to_owned()],
                ..piece(0, role, format!("{tokens}  {over}"))
            },
            None => StatusItem {
                short: vec![
                    format!("{} {}", cells::tokens(totals.tokens), budget::of_limit(state)),
                    cells::tokens(totals.tokens),
                ],
                ..piece(0, role, format!("{tokens}  {}", budget::bar(state)))
            },
        },
    ));
    if let Some(loading) = snapshot.loading {
        let text = format!("reading {}/{} documents", cells::grouped(loading.done), cells::grouped(loading.total));
        pieces.push(piece(6, ThemeRole::Hints, text));
    }
    if let Some(progress) = state.databases.run.progress() {
        let [done, of] = [progress.pages.done, progress.pages.of].map(cells::grouped);
        pieces.push(opens(Action::Databases, piece(6, ThemeRole::Hints, format!("writing {done}/{of} pages"))));
    }
    match &snapshot.watching {
        Watching::Live => {}
        Watching::Partly(_) => pieces.push(piece(2, ThemeRole::Warning, "watching in part".to_owned())),
        Watching::Polling(_) => pieces.push(piece(2, ThemeRole::Warning, "polling every 2 s".to_owned())),
        Watching::Off(_) => pieces.push(piece(2, ThemeRole::Warning, "not watching".to_owned())),
    }
    if totals.errors > 0 {
        pieces.push(opens(Action::Problems, piece(2, ThemeRole::Error, cells::counted(totals.errors, "error"))));
    }
    if totals.warnings > 0 {
        pieces.push(opens(Action::Problems, piece(4, ThemeRole::Warning, cells::counted(totals.warnings, "warning"))));
    }
    // The problems above are the workspace's, counted as `check` does.
    if !state.own_problems.is_empty() {
        let count = state.own_problems.len();
        let own = format!("{} in your settings", cells::counted(count, "problem"));
        let short = vec![format!("{} in your settings", cells::grouped(count))];
        pieces.push(opens(Action::Problems, StatusItem { short, ..piece(5, ThemeRole::Warning, own) }));
    }
    pieces
}

/// ` 2 requests: A `, without the key if a request is already shown; ` 64 of 80 requests: A ` if not all can be shown.
fn asking(state: &State) -> Option<String> {
    let key = if state.in_request() { String::new() } else { format!(": {}", state.key(Action::Requests)) };
    let (shown, all) = (state.snapshot.requests.len(), state.snapshot.request_count());
    let of_all = if shown < all { format!("{} of ", cells::grouped(shown)) } else { String::new() };
    (shown > 0).then(|| format!(" {of_all}{}{key} ", cells::counted(all, "request")))
}

/// Draws the message, or else the keys of this context.
pub fn draw_bottom(state: &State, place: Rect, buffer: &mut Buffer) {
    match &state.message {
        _ if !state.chord.is_empty() => which_key::draw(state, place, buffer),
        _ if let Some(why) = state.lost_field.as_ref().filter(|_| state.window.is_none()) => {
            let end = state.key_in(KeyContext::Value, Action::Accept);
            draw_message(state, &format!("{}: {end} goes on", cells::clean(why)), ThemeRole::Warning, 3, place, buffer);
        }
        // The pane shows how it ended.
        _ if state.ended_request().is_some() => {
            draw_message(
                state,
                "This request has ended: press any key to close it",
                ThemeRole::Warning,
                1,
                place,
                buffer,
            );
        }
        Some(message) if message.tone != MessageKind::Error => {
            // A refusal must be readable in full; the effect of an action is visible in the panes anyway.
            let (role, most) = match message.tone {
                MessageKind::Note | MessageKind::Done => (ThemeRole::Hints, 2),
                MessageKind::Explanation
                | MessageKind::Refusal
                | MessageKind::Unbound
                | MessageKind::Error
                | MessageKind::Problem => (ThemeRole::Warning, 3),
            };
            let more = if message.tone == MessageKind::Note { more(state) } else { String::new() };
            let columns = usize::from(place.width).saturating_sub(2 + cells::width(&more));
            // It starts with the pressed keys, which may look like a word.
            let is_of_keys = message.tone == MessageKind::Unbound;
            let text = if is_of_keys { cells::clean(&message.text) } else { cells::sentence(&message.text) };
            let text = if message.tone == MessageKind::Done { with_way_back(state, text, columns, most) } else { text };
            let text = if more.is_empty() { text } else { clip_ids(&text, columns, state.skin.glyphs.ellipsis) };
            draw_message(state, &format!("{text}{more}"), role, most, place, buffer);
        }
        None if let Some(fault) = cut_fault(state) => {
            draw_message(state, &format!("The filter is invalid: {fault}"), ThemeRole::Warning, 3, place, buffer);
        }
        // Errors have their own lines.
        Some(_) | None => draw_labels(state, &labels::bottom(state, place), buffer),
    }
}

/// What is wrong with the filter that is being typed, if its line has no room for all of it.
fn cut_fault(state: &State) -> Option<Cow<'_, str>> {
    let fault = cells::clean(disabled::filter_fault(state).filter(|_| state.is_typing_filter())?);
    let columns = state.parts(state.focus)?.list.width;
    (cells::width(&fault) >= FilterLine::note_columns(columns)).then_some(fault)
}

/// The text, without its `: u undoes it` if it does not fit into this many lines.
fn with_way_back<'a>(state: &State, text: Cow<'a, str>, columns: usize, most: usize) -> Cow<'a, str> {
    let fits = |text: &str| cells::wrap(text, columns).len() <= most;
    let Some((done, back)) = text.rsplit_once(": ").filter(|_| !fits(&text)) else { return text };
    let shorter = (1..=columns.saturating_mul(most))
        .rev()
        .map(|room| format!("{}: {back}", cells::clip(done, room, state.skin.glyphs.ellipsis)));
    let fitting = shorter.into_iter().find(|shorter| fits(shorter));
    fitting.map_or_else(|| text.clone(), Cow::Owned)
}

/// Draws the unread error above the bottom line.
pub fn draw_error(state: &State, bottom: Rect, buffer: &mut Buffer) {
    if let (Some(text), Some(y)) = (messages::unread(state), bottom.y.checked_sub(1)) {
        draw_message(state, &text, ThemeRole::Error, 3, Rect { y, ..bottom }, buffer);
    }
}

/// Truncates the text at its end, without leaving the lone `@` of an id.
fn clip_ids<'a>(text: &'a str, columns: usize, ellipsis: &str) -> Cow<'a, str> {
    let clipped = cells::clip(text, columns, ellipsis);
    match clipped.strip_suffix(ellipsis).and_then(|kept| kept.strip_suffix('@')) {
        Some(kept) => Cow::Owned(format!("{}{ellipsis}", kept.trim_end_matches([',', ' ']))),
        _ => clipped,
    }
}

/// The number of other notices that arrived, and the key to show them, if there is one here: ` · f shows 2 more`.
fn more(state: &State) -> String {
    let (more, dot) = (state.feed.since_key.saturating_sub(1), state.skin.glyphs.dot);
    if more == 0 {
        return String::new();
    }
    let more = cells::grouped(more);
    match state.keymap.key_to(Action::Feed, &input::below(state)) {
        Some(key) => format!(" {dot} {key} shows {more} more"),
        None => format!(" {dot} {more} more in the feed"),
    }
}

/// Draws a message of up to `most` lines, growing upwards over the panes.
fn draw_message(state: &State, text: &str, role: ThemeRole, most: usize, place: Rect, buffer: &mut Buffer) {
    let columns = usize::from(place.width).saturating_sub(2);
    let lines = cells::wrap_to(text, columns, most, state.skin.glyphs.ellipsis);
    let rows = u16::try_from(lines.len()).unwrap_or(1);
    let over = Rect { y: (place.y + 1).saturating_sub(rows), height: rows, ..place }.intersection(buffer.area);
    Clear.render(over, buffer);
    for (line, y) in lines.iter().zip(over.y..over.bottom()) {
        buffer.set_stringn(over.x + 1, y, line, columns, state.skin.theme.style(role));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cut_list_of_ids_ends_with_a_whole_sign() {
        for (text, columns, expected) in [
            ("New: @abc, @def", 20, "New: @abc, @def"),
            ("New: @abc, @def", 14, "New: @abc, @d…"),
            ("New: @abc, @def", 13, "New: @abc…"),
            ("New: @abc, @def", 12, "New: @abc,…"),
        ] {
            assert_eq!(clip_ids(text, columns, "…"), expected);
        }
    }
}
