//! The write dialog: the path as a field, what writing there would make of the file, what to look at first, the difference,
//! and what Enter does.

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::style::Modifier;

use crate::output::{Before, Proposal};
use crate::tui::action::KeyContext;
use crate::tui::layout;
use crate::tui::motion::Scroll;
use crate::tui::panes::preview::{self, ViewOffset, draw_difference};
use crate::tui::state::{RenderedText, State, WriteState};
use crate::tui::status;
use crate::tui::theme::ThemeRole;
use crate::tui::update::writing::{self, WriteEffect};
use crate::tui::values;
use crate::tui::widgets::frame::{self, PaneBorder};
use crate::tui::widgets::row::Active;
use crate::tui::widgets::{cells, prompt};

use super::{centred, clear};

/// Lines that are told before the difference, at most: that has its room too.
const TOLD: usize = 6;

/// Samples that are told by name, at most.
const NAMED: usize = 4;

/// Where the parts of the dialog are.
#[derive(Debug, Clone, Copy)]
pub struct WriteLayout {
    /// The path.
    field: Rect,
    /// What a write would make of the file.
    told: Rect,
    /// The line above the difference.
    rule: Rect,
    /// The difference.
    pub difference: Rect,
    /// What keys do.
    pub keys: Rect,
}

/// The window.
pub fn outer(state: &State) -> Rect {
    let body = state.layout().body;
    let columns = body.width.saturating_sub(4).clamp(body.width.min(60), 120);
    let rows = u16::try_from(len(state)).unwrap_or(u16::MAX).saturating_add(7);
    // It stays where it is while a path is typed, whatever that changes.
    centred(body, columns, rows.clamp(18, 44).min(body.height.saturating_sub(2).max(10)))
}

/// The parts of it.
pub fn places(state: &State) -> WriteLayout {
    let inner = layout::inner(outer(state));
    let row = |y: u16, height: u16| {
        let y = y.min(inner.bottom());
        Rect { y, height: height.min(inner.bottom() - y), ..inner }
    };
    let told = u16::try_from(told(state, inner.width).len()).unwrap_or(0).min(inner.height.saturating_sub(4) / 2);
    let field = row(inner.y, 1);
    let told = row(field.bottom(), told);
    let rule = row(told.bottom(), 1);
    let keys = row(inner.bottom().saturating_sub(1), 1);
    let difference = row(rule.bottom(), keys.y.saturating_sub(rule.bottom()));
    WriteLayout { field, told, rule, difference, keys }
}

/// How many lines the difference has.
pub fn len(state: &State) -> usize {
    writing::proposal(state).map_or(0, |proposal| proposal.diff.lines.len())
}

/// What Enter does, in a word of its own for each.
pub fn verb(state: &State) -> &'static str {
    match writing::proposal(state).map(|proposal| &proposal.before) {
        Some(Before::File { .. }) => "OVERWRITES the file",
        _ => "writes the new file",
    }
}

fn made(state: &State) -> Option<&RenderedText> {
    state.preview()?.made.as_ref()
}

fn told(state: &State, width: u16) -> Vec<(String, ThemeRole)> {
    let columns = usize::from(width.saturating_sub(2));
    let mut told: Vec<(String, ThemeRole)> = Vec::new();
    let mut tell = |text: &str, role| {
        told.extend(cells::wrap(&cells::clean(text), columns).into_iter().map(|line| (line, role)));
    };
    if state.templates.writing == WriteState::Changed {
        tell(
            "The file has changed since you looked. Nothing was written; this is the difference now.",
            ThemeRole::Error,
        );
    }
    match (writing::proposal(state), writing::why_not(state)) {
        (Some(proposal), why) => {
            tell(&summary(state, proposal), ThemeRole::Text);
            if let Some(note) = &proposal.diff.note {
                tell(note, ThemeRole::Warning);
            }
            if let Some(why) = why.filter(|_| writing::makes(state, proposal) != WriteEffect::Same) {
                tell(&why, ThemeRole::Infra);
            }
        }
        (None, Some(why)) => tell(&why, ThemeRole::Error),
        (None, None) => {}
    }
    if let Some(samples) = samples(state) {
        tell(&format!("{} {samples}", state.skin.glyphs.problem), ThemeRole::Warning);
    }
    for warning in made(state).map_or(&[][..], |made| &made.warnings) {
        tell(&format!("{} {warning}", state.skin.glyphs.problem), ThemeRole::Warning);
    }
    if told.len() > TOLD {
        let more = told.len() - TOLD + 1;
        told.truncate(TOLD - 1);
        told.push((format!("and {more} more, in the preview"), ThemeRole::Warning));
    }
    told
}

/// `2 values are still samples: fields 1 name, basePackage`
fn samples(state: &State) -> Option<String> {
    let ways: Vec<String> = preview::samples(state).map(|row| values::place(&row.way)).collect();
    let (count, shown) = (ways.len(), ways.iter().take(NAMED).cloned().collect::<Vec<_>>().join(", "));
    let more = if count > NAMED { format!(" and {} more", count - NAMED) } else { String::new() };
    match count {
        0 => None,
        1 => Some(format!("1 value is still a sample: {shown}")),
        _ => Some(format!("{} are still samples: {shown}{more}", cells::counted(count, "value"))),
    }
}

/// `new file src/Entity.java · 43 lines, 1,204 bytes · +43 −0`
fn summary(state: &State, proposal: &Proposal) -> String {
    let bytes = made(state).map_or(0, |made| made.bytes);
    let size = format!("{}, {}", cells::counted(proposal.text.lines().count(), "line"), cells::counted(bytes, "byte"));
    let before = match &proposal.before {
        Before::Nothing => String::new(),
        Before::File { size, .. } => format!(" (now {} bytes)", cells::grouped(*size)),
    };
    let dot = state.skin.glyphs.dot;
    format!(
        "{} {} {dot} {size}{before} {dot} {}",
        preview::what(state, proposal),
        proposal.shown,
        preview::summary(state, proposal)
    )
}

/// Draws the window.
pub fn draw(state: &State, scroll: Scroll, frame: &mut Frame<'_>) {
    let outer = outer(state);
    let places = places(state);
    let theme = &state.skin.theme;
    let role = ThemeRole::Templates;
    let buffer = frame.buffer_mut();
    clear(outer, buffer);
    let name = state.template().map(|template| cells::clean(&template.name).into_owned()).unwrap_or_default();
    PaneBorder { title: "Write", note: name, place: String::new(), role, active: Active::Yes }.draw(
        &state.skin,
        outer,
        buffer,
    );
    let columns = usize::from(places.told.width.saturating_sub(2));
    for ((line, role), y) in told(state, places.told.width).iter().zip(places.told.y..places.told.bottom()) {
        buffer.set_stringn(places.told.x + 1, y, line, columns, theme.style(*role));
    }
    let len = len(state);
    let window = scroll.window(len, usize::from(places.difference.height));
    let caption = if window.len() < len && !window.is_empty() {
        let [from, to, of] = [window.start + 1, window.end, len].map(|count| cells::grouped(count as u64));
        format!("difference, {from}-{to} of {of}")
    } else {
        "difference".to_owned()
    };
    frame::rule(&state.skin, places.rule, &caption, theme.style(ThemeRole::Infra), buffer);
    if let Some(proposal) = writing::proposal(state) {
        let inside =
            Rect { x: places.difference.x + 1, width: places.difference.width.saturating_sub(2), ..places.difference };
        draw_difference(state, &proposal.diff, ViewOffset { top: window.start, across: 0 }, inside, buffer);
    }
    frame::scrollbar(&state.skin, places.difference, len, window.start, theme.style(role), buffer);
    let overwrites = matches!(writing::proposal(state).map(|proposal| &proposal.before), Some(Before::File { .. }));
    status::draw_labels(state, &status::labels(state, &[KeyContext::Write], places.keys), buffer);
    if overwrites && writing::why_not(state).is_none() {
        buffer.set_style(places.keys, ratatui::style::Style::new().add_modifier(Modifier::BOLD));
    }
    if places.field.width > 8 {
        buffer.set_stringn(places.field.x + 1, places.field.y, "Path", 4, theme.style(role));
        let place = Rect { x: places.field.x + 6, width: places.field.width - 7, ..places.field };
        let path = &state.templates.path;
        let at = prompt::draw(path.text(), path.cursor(), &[], theme.style(ThemeRole::Strong), place, buffer);
        frame.set_cursor_position(at);
    }
}
