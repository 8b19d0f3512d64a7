//! The line of folded panes: as much about each as fits, and the feed's newest notice.

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};

use crate::tui::action::Action;
use crate::tui::hints::HintCounts;
use crate::tui::pane::Pane;
use crate::tui::state::State;
use crate::tui::theme::ThemeRole;
use crate::tui::views::View;
use crate::tui::widgets::cells;

/// Gap between two folded panes.
const GAP: u16 = 2;

/// The minimum width of a notice.
const MIN_TEXT: usize = 16;

/// A folded pane, or the feed.
#[derive(Debug, Clone, PartialEq, Eq)]
struct FoldedPane {
    text: String,
    role: ThemeRole,
    action: Action,
    place: Rect,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum FoldDetail {
    /// Name, count and content.
    Full,
    /// Name and count.
    Counted,
    /// Name only.
    Named,
    /// The number only, which is the key that opens it.
    Numbered,
}

pub fn draw(state: &State, buffer: &mut Buffer) {
    for FoldedPane { text, role, place, .. } in folded(state) {
        buffer.set_stringn(place.x, place.y, text, usize::from(place.width), state.skin.theme.style(role));
    }
}

pub fn action_at(state: &State, at: Position) -> Option<Action> {
    folded(state).into_iter().find(|pane| pane.place.contains(at)).map(|pane| pane.action)
}

fn folded(state: &State) -> Vec<FoldedPane> {
    let layout = state.layout();
    let place = layout.dock;
    if place.is_empty() {
        return Vec::new();
    }
    let has_place = |pane: Pane| {
        let is_laid = layout.panes.get(pane.index()).copied().flatten().is_some();
        state.view == View::Panes && (is_laid || (pane == Pane::Catalog && layout.reader.is_some()))
    };
    let is_shown = |pane: Pane| has_place(pane) && !(pane == Pane::Hints && state.is_feed_alone());
    let panes: Vec<Pane> = Pane::ALL.into_iter().filter(|pane| !is_shown(*pane)).collect();
    let room = usize::from(place.width).saturating_sub(1);
    let texts = |detail| self::texts(state, &panes, detail);
    let columns = |texts: &[String]| texts.iter().map(|text| cells::width(text) + usize::from(GAP)).sum::<usize>();
    // If the hints pane is shown, it contains the feed.
    let has_feed = !has_place(Pane::Hints);
    let notice = if has_feed { newest_notice(state) } else { None };
    let least = notice.as_ref().map_or(0, FoldedNotice::least);
    let beside = if has_feed { cells::width(&feed(state)) + least } else { 0 };
    let fitting = |room: usize, details: &[FoldDetail]| {
        details.iter().map(|detail| texts(*detail)).find(|texts| columns(texts) <= room)
    };
    let with_counts = &[FoldDetail::Full, FoldDetail::Counted];
    let all = &[FoldDetail::Full, FoldDetail::Counted, FoldDetail::Named];
    // Contents are left out for the newest notice, but counts matter more than the beginning of its text.
    let texts = room.checked_sub(beside).and_then(|room| fitting(room, with_counts));
    let texts = texts.or_else(|| fitting(room.checked_sub(cells::width(&feed(state)))?, all));
    let texts = texts.or_else(|| fitting(room, all));
    let texts = texts.unwrap_or_else(|| self::texts(state, &panes, FoldDetail::Numbered));
    let left = room.saturating_sub(columns(&texts));
    let mut parts: Vec<_> =
        panes.iter().zip(texts).map(|(pane, text)| (text, pane.role(), Action::Focus(*pane))).collect();
    if has_feed {
        let mut text = feed(state);
        // A truncated time is useless.
        if let Some(notice) = notice.filter(|notice| cells::width(&text) + notice.least() <= left) {
            text = format!("{text} {} {}", notice.time, notice.text);
        }
        parts.push((text, feed_role(state), Action::Feed));
    }
    let mut x = place.x + 1;
    let laid = parts.into_iter().map(|(text, role, action)| {
        let left = place.right().saturating_sub(x);
        let text = cells::clip(&text, usize::from(left), state.skin.glyphs.ellipsis).into_owned();
        let width = u16::try_from(cells::width(&text)).unwrap_or(left);
        let place = Rect { x, width, ..place };
        x = x.saturating_add(width).saturating_add(GAP);
        FoldedPane { text, role, action, place }
    });
    laid.filter(|pane| pane.place.width > 0).collect()
}

fn texts(state: &State, panes: &[Pane], detail: FoldDetail) -> Vec<String> {
    panes.iter().map(|pane| text(state, *pane, detail)).collect()
}

/// `2 Selection 21 ~76,475`, `3 Hints 4 "add circuit br…"`, `4 Templates 109`.
fn text(state: &State, pane: Pane, detail: FoldDetail) -> String {
    let number = pane.index() + 1;
    match detail {
        FoldDetail::Numbered => return number.to_string(),
        FoldDetail::Named => return format!("{number} {}", pane.word()),
        FoldDetail::Full | FoldDetail::Counted => {}
    }
    let count = match pane {
        Pane::Selection => state.counts.for_agent(),
        Pane::Catalog if state.catalog.rows.len() < state.counts.sources => {
            let [kept, all] = [state.catalog.rows.len(), state.counts.sources].map(cells::grouped);
            format!("{kept} of {all}")
        }
        Pane::Catalog => cells::grouped(state.counts.sources),
        Pane::Hints => cells::grouped(HintCounts::of(state).for_agent()),
        Pane::Templates => cells::grouped(state.templates.rows.len()),
    };
    let mut text = format!("{number} {}", pane.word());
    let has_tokens = pane == Pane::Selection && detail == FoldDetail::Full && state.counts.tokens > 0;
    if count != "0" || has_tokens {
        text = format!("{text} {count}");
    }
    match pane {
        Pane::Selection if has_tokens => format!("{text} {}", cells::tokens(state.counts.tokens)),
        Pane::Hints if detail == FoldDetail::Full => match state.hints.prompt.text().lines().next() {
            Some(line) if !line.trim().is_empty() => {
                format!("{text} \"{}\"", cells::clip(&cells::clean(line), 16, state.skin.glyphs.ellipsis))
            }
            _ => text,
        },
        _ => text,
    }
}

/// `feed 3 new`, before the newest notice.
fn feed(state: &State) -> String {
    match state.feed.new {
        0 => "feed".to_owned(),
        new => format!("feed {} new", cells::grouped(new)),
    }
}

/// `18:23:01 claude-code was told @retry`.
struct FoldedNotice {
    time: String,
    text: String,
}

impl FoldedNotice {
    /// The width of its time and a useful part of its text, with leading blanks.
    fn least(&self) -> usize {
        2 + cells::width(&self.time) + cells::width(&self.text).min(MIN_TEXT)
    }
}

fn newest_notice(state: &State) -> Option<FoldedNotice> {
    let notice = state.feed.notices.front()?;
    Some(FoldedNotice { time: cells::clean(&notice.time).into_owned(), text: cells::clean(&notice.text).into_owned() })
}

fn feed_role(state: &State) -> ThemeRole {
    if state.feed.new > 0 { ThemeRole::Hints } else { ThemeRole::Infra }
}
