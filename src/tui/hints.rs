//! The hints pane: the prompt at the top with its matches marked, then the matching sources or the enriched
//! prompt, and the feed at the bottom.

mod counts;
pub mod enriched;
pub mod enriched_update;
pub mod history;
mod list;
mod prompt;
mod reason;
pub mod state;
pub mod update;

pub use self::counts::HintCounts;
pub use crate::common::hint_rows as rows;

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::text::{Line, Span};

use crate::tui::action::{Action, KeyContext};
use crate::tui::layout;
use crate::tui::layout::{HintsFocus, PaneLayout};
use crate::tui::pane::Pane;
use crate::tui::state::{State, Typing};
use crate::tui::theme::ThemeRole;
use crate::tui::widgets::cells;
use crate::tui::widgets::frame;
use crate::tui::widgets::frame::PaneBorder;
use crate::tui::widgets::row::Active;
use crate::tui::{feed, pane_view};

/// Lines reserved for a row's details, so that the lists do not move.
const MIN_DETAIL_ROWS: usize = 2;

pub fn draw(state: &State, outer: Rect, frame: &mut Frame<'_>) {
    let parts = state.parts_within(Pane::Hints, layout::inner(outer));
    let buffer = frame.buffer_mut();
    let (at, len) = if state.in_feed() {
        (state.feed.cursor.at, state.feed.rows.len())
    } else {
        (state.hints.cursor.at, if state.shows_enriched() { 0 } else { state.len(Pane::Hints) })
    };
    PaneBorder {
        title: if state.is_feed_alone() { "Feed" } else { "3 Hints" },
        note: note(state),
        place: frame::position(at, len),
        role: ThemeRole::Hints,
        active: pane_view::active(state, Pane::Hints),
    }
    .draw(&state.skin, outer, buffer);
    let listed = pane_view::list_active(state, Pane::Hints) == Active::Yes && state.typing.is_none();
    frame::rule(&state.skin, parts.rule, &caption(state), pane_view::caption_style(state, Pane::Hints, listed), buffer);
    if parts.detail.x > parts.list.x {
        let inside = layout::inner(outer);
        let line = Rect { x: parts.detail.x - 1, width: 1, ..inside };
        frame::rule(&state.skin, line, "", Style::new(), buffer);
    }
    if state.shows_enriched() {
        enriched::draw(state, parts.list, buffer);
    } else {
        list::draw(state, parts.list, buffer);
    }
    draw_details(state, parts, buffer);
    // Only one of the two can be in use for typing.
    let in_prompt = prompt::draw(state, parts.head, buffer);
    let in_filter = feed::view::draw(state, parts.detail, buffer);
    if let Some(at) = in_prompt.or(in_filter) {
        frame.set_cursor_position(at);
    }
}

/// The details of the row under the cursor: of the focused list, or of the matches while the prompt is typed.
pub fn aside(state: &State, busy: HintsFocus, columns: u16) -> Vec<String> {
    let text = match busy {
        HintsFocus::Nothing => return Vec::new(),
        HintsFocus::Prompt if state.shows_enriched() => return Vec::new(),
        HintsFocus::List | HintsFocus::Prompt => {
            rows::rows(&state.hints.findings).nth(state.hints.cursor.at).map(|row| reason::full(state, row))
        }
        HintsFocus::Feed | HintsFocus::FeedAlone => feed::view::whole(state),
    };
    let Some(text) = text else { return Vec::new() };
    let mut lines = cells::wrap(&text, usize::from(columns));
    lines.resize(lines.len().max(MIN_DETAIL_ROWS), String::new());
    lines
}

fn draw_details(state: &State, parts: PaneLayout, buffer: &mut ratatui::buffer::Buffer) {
    let busy = if state.in_feed() { HintsFocus::Feed } else { HintsFocus::List };
    let place = parts.aside;
    if place.is_empty() {
        return;
    }
    let room = usize::from(place.height);
    let columns = place.width.saturating_sub(2);
    let mut lines = aside(state, busy, columns);
    if lines.len() > room {
        lines = cells::wrap_to(&lines.join(" "), usize::from(columns), room, state.skin.glyphs.ellipsis);
    }
    let style = state.skin.theme.style(ThemeRole::Text);
    let lines: Vec<Line<'_>> = lines.into_iter().map(|line| Line::from(Span::styled(line, style))).collect();
    pane_view::draw_lines(&lines, place, buffer);
}

/// New notices come first: they matter most, and the note is truncated at its end.
fn note(state: &State) -> String {
    if state.is_feed_alone() {
        return String::new();
    }
    let new = if shows_new(state) { 0 } else { state.feed.new };
    if state.shows_enriched() {
        let new = (new > 0).then(|| new_in_feed(state));
        let pieces: Vec<String> = new.into_iter().chain([enriched::note(state)]).filter(|it| !it.is_empty()).collect();
        return pieces.join(&format!(" {} ", state.skin.glyphs.dot));
    }
    let HintCounts { hinted, named, selected, excluded, sent_before, passed } = HintCounts::of(state);
    let piece = |count: usize, what: &str| (count, format!("{} {what}", cells::grouped(count)));
    let pieces = [
        (new, new_in_feed(state)),
        (hinted, cells::counted(hinted, "hint")),
        piece(named, "named"),
        piece(selected, "selected"),
        piece(excluded, "excluded"),
        piece(sent_before, "hinted before"),
        piece(passed, "passed over"),
    ];
    let pieces: Vec<String> = pieces.into_iter().filter(|(count, _)| *count > 0).map(|(_, piece)| piece).collect();
    pieces.join(&format!(" {} ", state.skin.glyphs.dot))
}

/// Whether the feed below the matches shows everything new.
fn shows_new(state: &State) -> bool {
    let parts = state.parts(Pane::Hints);
    let rows = parts.map_or(0, |parts| usize::from(parts.detail.height));
    state.feed.cursor.top == 0 && state.feed.filter.is_empty() && state.feed.new <= rows
}

/// `4 new in the feed`
fn new_in_feed(state: &State) -> String {
    format!("{} new in the feed", cells::grouped(state.feed.new))
}

fn caption(state: &State) -> String {
    if state.shows_enriched() {
        return enriched::caption(state);
    }
    let findings = &state.hints.findings;
    // Before the index is complete, fewer sources match.
    if state.snapshot.is_indexing && !state.hints.prompt.is_empty() {
        return format!("matching sources; the search index is being {}", rows::indexing(findings));
    }
    let rows = state.len(Pane::Hints);
    let sources = if rows > 0 && rows == rows::closest(findings) { "closest sources" } else { "matching sources" };
    let what = match (rows, state.typing) {
        (0, _) => sources.to_owned(),
        (_, Some(Typing::Prompt)) => {
            format!("{sources} ({} goes to them)", state.key_in(KeyContext::Prompt, Action::Accept))
        }
        _ => format!("{sources} ({} picks)", state.key(Action::Toggle)),
    };
    if findings.more == 0 {
        return what;
    }
    let shown = rows::passed(findings);
    format!("{what}; {} of {} passed over shown", cells::grouped(shown), cells::grouped(shown + findings.more))
}
