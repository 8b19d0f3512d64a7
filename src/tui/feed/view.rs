//! The rows of the feed, newest first, and the rule above them with its filter.

use std::ops::Range;

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use ratatui::style::Modifier;

use crate::common::session_name;
use crate::tui::action::{Action, KeyContext};
use crate::tui::feed::target;
use crate::tui::feed::target::RowTarget;
use crate::tui::feed::{MAX_NOTICES, query};
use crate::tui::filtering::FilteredList;
use crate::tui::pane::Pane;
use crate::tui::pane_view::{active, caption_style, draw_empty, nth_row};
use crate::tui::state::State;
use crate::tui::theme::ThemeRole;
use crate::tui::widgets::row::{Active, ListRow, RowCursor};
use crate::tui::widgets::{cells, frame, prompt};
use refdesk_desk::engine::{Actor, Notice, Topic};

pub const NONE_YET: &str = "Changes to the workspace and the selection appear here.";

/// The width from which sessions have a column.
const WIDE: u16 = 90;
/// The minimum width for showing topics.
const WITH_TOPICS: u16 = 70;
/// The minimum width for showing tokens.
const MIN_WIDTH_WITH_TOKENS: u16 = 50;
/// Width of a session's name.
const SESSION: usize = 8;

/// Draws the rows and the rule above them; returns the terminal's cursor while the filter is typed.
pub fn draw(state: &State, place: Rect, buffer: &mut Buffer) -> Option<Position> {
    if place.is_empty() {
        return None;
    }
    let feed = &state.feed;
    let len = feed.rows.len();
    let reads = if state.in_feed() && state.typing.is_none() { active(state, Pane::Hints) } else { Active::No };
    let window = feed.cursor.window(len, usize::from(place.height));
    let top = window.start;
    // With enough room, a client's full name: `claude-code over mcp`.
    let part = if place.width >= WIDE { 4 } else { 5 };
    let who = columns(state, window.clone(), |notice| notice.who.word(), (3, usize::from(place.width) / part));
    let session = match place.width {
        ..WIDE => 0,
        _ => columns(state, window.clone(), own_name, (0, SESSION)),
    };
    let time = columns(state, window.clone(), |notice| &notice.time, (8, 11));
    let priced = window.clone().filter_map(|at| feed.row(at)).map(|notice| cells::width(&price(notice)));
    // In a narrow feed, the reason includes the price.
    let tokens = if place.width >= MIN_WIDTH_WITH_TOKENS { priced.max().unwrap_or(0) } else { 0 };
    for (nth, at) in window.enumerate() {
        let Some(notice) = feed.row(at) else { continue };
        // An unfocused feed shows no cursor.
        let under = if state.in_feed() { RowCursor::of(at, feed.cursor.at, reads) } else { RowCursor::Elsewhere };
        let is_new = feed.rows.get(at).is_some_and(|position| *position < feed.new);
        let age = if is_new { RowAge::New } else { RowAge::Seen };
        let mut row = row(state, notice, [time, who, session, tokens], place.width, age);
        row.draw(under, ThemeRole::Hints, nth_row(place, nth), buffer);
    }
    if len == 0 {
        let sentence = if feed.notices.is_empty() {
            NONE_YET.to_owned()
        } else {
            format!("No row matches this filter. {} shows all again.", state.key_in(KeyContext::Feed, Action::Back))
        };
        draw_empty(state, &sentence, place, buffer);
    }
    frame::scrollbar(&state.skin, place, len, top, state.skin.theme.style(ThemeRole::Hints), buffer);
    rule(state, Rect { y: place.y.saturating_sub(1), height: 1, ..place }, buffer)
}

/// The full text of the row under the cursor, and what Enter does.
pub fn whole(state: &State) -> Option<String> {
    let notice = state.feed.current()?;
    let reason = if notice.reason.is_empty() { String::new() } else { format!(" ({})", notice.reason) };
    let (who, topic) = (notice.who.word(), notice.topic.word());
    let mut text = format!("{} {who}, {topic}: {}{reason}", notice.time, notice.text);
    if !text.ends_with('.') {
        text.push('.');
    }
    let [follow, open] = [Action::Follow, Action::OpenPlace].map(|action| state.key_in(KeyContext::Feed, action));
    match (target::of_feed(state), &notice.subject) {
        (Ok(RowTarget::Source(id)), _) if notice.place.is_some() => {
            text.push_str(&format!(" {follow} goes to @{id}, {open} opens the file."));
        }
        (Ok(RowTarget::Source(id)), _) => text.push_str(&format!(" {follow} goes to @{id}.")),
        (Ok(RowTarget::Receipt(_)), Some(_)) if !notice.several => {
            text.push_str(&format!(" {follow} shows the receipt, {open} opens the source."));
        }
        (Ok(RowTarget::Receipt(_)), _) => text.push_str(&format!(" {follow} shows the receipt.")),
        (Ok(RowTarget::File(_)), _) => text.push_str(&format!(" {follow} opens the file.")),
        (Err(_), Some(id)) => text.push_str(&format!(" @{id} is no longer in the catalog.")),
        (Err(_), None) => {}
    }
    if state.feed.has_dropped_notices && state.feed.cursor.at + 1 == state.feed.rows.len() {
        text.push_str(&format!(" Older rows are gone: the newest {} are kept.", cells::grouped(MAX_NOTICES)));
    }
    Some(cells::clean(text.trim()).into_owned())
}

/// The rule above the rows: `feed: f`, a plain rule, or the filter and its matches: `/timeouts  3 of 40`.
fn rule(state: &State, place: Rect, buffer: &mut Buffer) -> Option<Position> {
    let feed = &state.feed;
    let theme = &state.skin.theme;
    let typing = state.is_filtering(FilteredList::Feed);
    let reads = state.in_feed() && active(state, Pane::Hints) == Active::Yes;
    let follow = || state.key_in(KeyContext::Feed, Action::Follow);
    let does = match target::of_feed(state) {
        // Alone on the screen, it has lost the focus only to a window that covers it.
        _ if !reads && state.is_feed_alone() => String::new(),
        _ if !reads => state.key(Action::Feed),
        Ok(RowTarget::Source(_)) => format!("{} goes to the source", follow()),
        Ok(RowTarget::File(_)) => format!("{} opens the file", follow()),
        Ok(RowTarget::Receipt(_)) => format!("{} shows the receipt", follow()),
        Err(_) => String::new(),
    };
    let filtered = typing || !feed.filter.is_empty();
    let caption = match does {
        _ if filtered => String::new(),
        // The border already has the title of the feed.
        does if state.is_feed_alone() => does,
        does if does.is_empty() => "feed".to_owned(),
        does => format!("feed: {does}"),
    };
    if caption.is_empty() && !filtered {
        return None;
    }
    frame::rule(&state.skin, place, &caption, caption_style(state, Pane::Hints, reads), buffer);
    let kept = format!("{} of {} ", cells::grouped(feed.rows.len()), cells::grouped(feed.notices.len()));
    let kept_columns = u16::try_from(kept.len()).unwrap_or(0);
    let columns = u16::try_from(cells::width(&cells::clean(feed.filter.text()))).unwrap_or(u16::MAX);
    // ` /`, the text, the cursor after it, and a blank.
    let text = Rect { x: place.x + 3, width: columns.saturating_add(2), ..place };
    let text = Rect { width: text.width.min(place.width.saturating_sub(4 + kept_columns)), ..text };
    if !filtered || text.width == 0 {
        return None;
    }
    let end = text.right() + kept_columns;
    buffer.set_stringn(
        place.x + 1,
        place.y,
        " ".repeat(usize::from(end - place.x - 1)),
        usize::MAX,
        theme.style(ThemeRole::Text),
    );
    buffer.set_stringn(place.x + 2, place.y, "/", 1, theme.style(ThemeRole::Hints));
    buffer.set_stringn(text.right(), place.y, &kept, usize::from(kept_columns), theme.style(ThemeRole::Infra));
    let (hint, role) = match &feed.terms.fault {
        Some(fault) => (cells::clean(fault), ThemeRole::Warning),
        None => (query::HELP.into(), ThemeRole::Infra),
    };
    let left = usize::from(place.right().saturating_sub(end)).saturating_sub(3);
    if (typing || feed.terms.fault.is_some()) && left >= 12 {
        let hint = format!(" {} ", cells::clip(&hint, left, state.skin.glyphs.ellipsis));
        buffer.set_stringn(end, place.y, hint, left + 2, theme.style(role));
    }
    let style = theme.style(ThemeRole::Strong);
    if typing {
        return Some(prompt::draw(feed.filter.text(), feed.filter.cursor(), &[], style, text, buffer));
    }
    prompt::draw_start(feed.filter.text(), state.skin.glyphs.ellipsis, style, text, buffer);
    None
}

/// Whether the user has looked at the feed since a notice arrived.
#[derive(Clone, Copy, PartialEq, Eq)]
enum RowAge {
    New,
    Seen,
}

fn row<'a>(
    state: &'a State,
    notice: &Notice,
    [columns, who, session, tokens]: [usize; 4],
    width: u16,
    age: RowAge,
) -> ListRow<'a> {
    let theme = &state.skin.theme;
    let time = theme.style(ThemeRole::Infra);
    let time = if age == RowAge::New { theme.style(ThemeRole::Strong).add_modifier(Modifier::BOLD) } else { time };
    let mut row = ListRow::new(&state.skin, width);
    row.cell(&cells::clean(&notice.time), columns, time);
    row.cell(&cells::clean(notice.who.word()), who, theme.style(who_role(&notice.who)));
    if session > 0 {
        row.cell(&short(state, notice), session, theme.style(ThemeRole::Infra));
    }
    let role = topic_role(notice.topic);
    if width >= WITH_TOPICS {
        row.cell(notice.topic.word(), 10, theme.style(role));
    }
    let is_urgent = matches!(notice.topic, Topic::Problem | Topic::Failed | Topic::Asked);
    let style = theme.style(if is_urgent { role } else { ThemeRole::Text });
    let infra = theme.style(ThemeRole::Infra);
    // The tokens come last, with a blank on both sides; a row without tokens uses their space.
    let price = price(notice);
    let has_price = tokens > 0 && !price.is_empty();
    let last = if has_price { tokens + 2 } else { 0 };
    let ellipsis = state.skin.glyphs.ellipsis;
    row.text(&cells::clip(&cells::clean(&notice.text), row.room().saturating_sub(last), ellipsis), style);
    let reasons = reasons(state, notice, width, if has_price { PriceColumn::Shown } else { PriceColumn::Absent });
    let room = row.room().saturating_sub(last + 1);
    // A session is shown in full or not at all; the details show it in any case.
    let shown = reasons.map(|reason| if reason.is_empty() { reason } else { format!("({})", cells::clean(&reason)) });
    let [whole, short] = shown;
    let reason = if cells::width(&whole) <= room { whole } else { short };
    if !reason.is_empty() && room > 3 {
        row.gap().text(&cells::clip(&reason, room, ellipsis), infra);
    }
    if has_price {
        row.cell("", row.room().saturating_sub(tokens + 2), infra);
        row.text(&format!("{price:>tokens$}"), infra);
    }
    row
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum PriceColumn {
    Shown,
    Absent,
}

/// The number of tokens sent or read, formatted for the last column.
fn price(notice: &Notice) -> String {
    let tokens = notice.receipt.map_or(0, |ticket| ticket.tokens);
    if tokens == 0 { String::new() } else { cells::tokens(u64::try_from(tokens).unwrap_or(u64::MAX)) }
}

/// The reason in a row of this width, with and without the session. A session with its own column is left out
/// of both, and so are tokens with their own column.
fn reasons(state: &State, notice: &Notice, width: u16, column: PriceColumn) -> [String; 2] {
    let Some(session) = notice.session.as_deref() else { return [notice.reason.clone(), notice.reason.clone()] };
    let price = format!("{} tokens", price(notice));
    let is_shown = |part: &&str| column == PriceColumn::Absent || *part != price;
    let reason = notice.reason.split(", ").filter(is_shown).collect::<Vec<_>>().join(", ");
    let without_session = reason.strip_prefix("session ").and_then(|rest| rest.strip_prefix(session));
    let rest = without_session.unwrap_or(&reason).trim_start_matches(", ");
    let whole = match (width >= WIDE, rest.is_empty()) {
        (true, _) => rest.to_owned(),
        (false, true) => format!("session {}", short(state, notice)),
        (false, false) => format!("session {}, {rest}", short(state, notice)),
    };
    [whole, rest.to_owned()]
}

/// The session's name without its agent's name; empty without a session.
fn own_name(notice: &Notice) -> &str {
    notice.session.as_deref().map_or("", |session| session_name::without_agent(session, notice.who.word()))
}

/// [`own_name`] shortened in the middle, because names that start alike differ at their ends.
fn short(state: &State, notice: &Notice) -> String {
    cells::clip_middle(&cells::clean(own_name(notice)), SESSION, state.skin.glyphs.ellipsis).into_owned()
}

/// A common width for a column, so that the visible rows align.
fn columns(state: &State, window: Range<usize>, of: impl Fn(&Notice) -> &str, (least, most): (usize, usize)) -> usize {
    let shown = window.filter_map(|at| state.feed.row(at));
    let widest = shown.map(|notice| cells::width(&cells::clean(of(notice)))).max().unwrap_or(0);
    widest.min(most).max(least)
}

fn topic_role(topic: Topic) -> ThemeRole {
    match topic {
        Topic::Selection => ThemeRole::Selection,
        Topic::Catalog | Topic::Read => ThemeRole::Catalog,
        Topic::Document => ThemeRole::Transitive,
        Topic::Template | Topic::File => ThemeRole::Templates,
        Topic::Problem | Topic::Failed => ThemeRole::Error,
        Topic::Warning | Topic::Asked => ThemeRole::Warning,
        Topic::Enriched | Topic::Instructed => ThemeRole::Hints,
        Topic::Desk | Topic::Forgot => ThemeRole::Infra,
    }
}

fn who_role(who: &Actor) -> ThemeRole {
    match who {
        Actor::You => ThemeRole::Strong,
        Actor::Other(_) => ThemeRole::Hints,
        Actor::Files => ThemeRole::Infra,
    }
}
