//! The line of the folded panes: what each holds, in as many words as there is room for, and the newest notice of the feed.

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};

use crate::tui::action::Action;
use crate::tui::pane::Pane;
use crate::tui::state::State;
use crate::tui::theme::ThemeRole;
use crate::tui::widgets::cells;

/// Columns between two folded panes.
const GAP: u16 = 2;

/// A folded pane, or the feed.
#[derive(Debug, Clone, PartialEq, Eq)]
struct FoldedPane {
    text: String,
    role: ThemeRole,
    action: Action,
    place: Rect,
}

/// How much is said of each pane.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum FoldDetail {
    /// Its name, its count and what is in it.
    Full,
    /// Its name and its count.
    Counted,
    /// Three letters of its name and its count.
    Short,
}

pub fn draw(state: &State, buffer: &mut Buffer) {
    for FoldedPane { text, role, place, .. } in folded(state) {
        buffer.set_stringn(place.x, place.y, text, usize::from(place.width), state.skin.theme.style(role));
    }
}

/// What a click here does.
pub fn action_at(state: &State, at: Position) -> Option<Action> {
    folded(state).into_iter().find(|pane| pane.place.contains(at)).map(|pane| pane.action)
}

fn folded(state: &State) -> Vec<FoldedPane> {
    let layout = state.layout();
    let place = layout.dock;
    if place.is_empty() {
        return Vec::new();
    }
    let is_shown = |pane: Pane| {
        layout.panes.get(pane.index()).copied().flatten().is_some()
            || (pane == Pane::Catalog && layout.reader.is_some())
    };
    let panes: Vec<Pane> = Pane::ALL.into_iter().filter(|pane| !is_shown(*pane)).collect();
    let room = usize::from(place.width).saturating_sub(1);
    let texts = |detail| panes.iter().map(|pane| text(state, *pane, detail)).collect::<Vec<_>>();
    let columns = |texts: &[String]| texts.iter().map(|text| cells::width(text) + usize::from(GAP)).sum::<usize>();
    let of = [FoldDetail::Full, FoldDetail::Counted].into_iter().map(texts).find(|texts| columns(texts) <= room);
    let texts = of.unwrap_or_else(|| texts(FoldDetail::Short));
    let mut parts: Vec<_> =
        panes.iter().zip(texts).map(|(pane, text)| (text, pane.role(), Action::Focus(*pane))).collect();
    // The hints pane shows the feed itself.
    if !is_shown(Pane::Hints) {
        parts.push((feed(state), feed_role(state), Action::Feed));
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

/// `2 Selection 21 ~76,475`, `3 Hints 4 "add circuit br…"`, `4 Templates 109`.
fn text(state: &State, pane: Pane, detail: FoldDetail) -> String {
    let title = pane.title();
    let name = if detail == FoldDetail::Short { title.get(..3).unwrap_or(title) } else { title };
    let count = match pane {
        Pane::Selection => state.counts.given(),
        Pane::Catalog => cells::grouped(state.counts.sources as u64),
        Pane::Hints => {
            cells::grouped((state.hints.findings.expansions.len() + state.hints.findings.hints.len()) as u64)
        }
        Pane::Templates => cells::grouped(state.templates.rows.len() as u64),
    };
    let mut text = format!("{} {name}", pane.index() + 1);
    if count != "0" {
        text = format!("{text} {count}");
    }
    match pane {
        Pane::Selection if detail == FoldDetail::Full && state.counts.tokens > 0 => {
            format!("{text} {}", cells::tokens(state.counts.tokens))
        }
        Pane::Hints if detail == FoldDetail::Full => match state.hints.prompt.text().lines().next() {
            Some(line) if !line.trim().is_empty() => {
                format!("{text} \"{}\"", cells::clip(&cells::clean(line), 16, state.skin.glyphs.ellipsis))
            }
            _ => text,
        },
        _ => text,
    }
}

/// `feed 3 new 18:23:01 claude-code was told @retry`.
fn feed(state: &State) -> String {
    let new =
        if state.feed.new == 0 { String::new() } else { format!(" {} new", cells::grouped(state.feed.new as u64)) };
    let newest = state.feed.notices.front();
    let said = newest.map(|notice| format!(" {} {}", cells::clean(&notice.time), cells::clean(&notice.text)));
    format!("feed{new}{}", said.unwrap_or_default())
}

fn feed_role(state: &State) -> ThemeRole {
    if state.feed.new > 0 { ThemeRole::Hints } else { ThemeRole::Infra }
}
