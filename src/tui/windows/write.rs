//! Writes the preview to a file. The user types the path, and for each key the engine answers what writing
//! there would change. Exactly what is shown is written.

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::style::{Modifier, Style};

use super::{
    DifferenceLayout, Handled, Titles, Window, WindowKind, WindowRows, centred, difference_layout, draw_frame,
    draw_text, paragraphs, summary_rows, text_columns, wide,
};
use crate::tui::action::Action;
use crate::tui::fix;
use crate::tui::input::Effect;
use crate::tui::layout;
use crate::tui::pane_view::{indented, scrolled};
use crate::tui::state::{Preview, RenderedText, State, WriteState};
use crate::tui::templates::preview::{self, ViewOffset, draw_difference};
use crate::tui::templates::{form_update, preview_update, values};
use crate::tui::theme::ThemeRole;
use crate::tui::widgets::field::TextField;
use crate::tui::widgets::motion::{Cursor, Scroll};
use crate::tui::widgets::page::{PageLine, WrappedText};
use crate::tui::widgets::{cells, frame, prompt};
use refdesk_desk::engine::Request;
use refdesk_files::output::{PriorContent, Proposal, WriteFailure, WrittenFile};
use refdesk_text::names::first_of;

pub struct Write;

/// The rows of the path.
const FIELD: u16 = 1;

/// The lines of a new file's difference before its text.
const HEADER: usize = 3;

/// Maximum lines above the diff.
const SUMMARY: usize = 6;

/// The maximum number of missing values listed.
const MAX_LISTED: usize = 4;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WriteEffect {
    New,
    Other,
    Same,
}

impl Window for Write {
    fn outer(&self, state: &State) -> Rect {
        let body = state.layout().body;
        // The window keeps its size while a path is typed: without a difference, that of a new file.
        let lines = match (proposal(state), rendered(state)) {
            (None, Some(rendered)) => HEADER + rendered.text.lines.len(),
            _ => len(state),
        };
        let most = usize::from(body.height.saturating_sub(2).max(10));
        centred(body, wide(body, 120), (lines + 7).clamp(18, 44).min(most))
    }

    fn rows(&self, state: &State) -> WindowRows {
        WindowRows { place: places(state).difference, len: len(state), is_list: false }
    }

    fn keys(&self, state: &State) -> Option<Rect> {
        Some(places(state).keys)
    }

    fn field<'s>(&self, state: &'s mut State) -> Option<&'s mut TextField> {
        Some(&mut state.templates.path)
    }

    fn field_changed(&self, state: &mut State) {
        let Some(name) = state.template().map(|template| template.name.clone()) else { return };
        let path = state.templates.path.text().to_owned();
        state.templates.paths.insert(name, path);
        state.templates.writing = WriteState::Nothing;
        state.open(WindowKind::Write);
    }

    fn disabled(&self, state: &State) -> Option<String> {
        why_not(state)
    }

    fn shows_why(&self, state: &State) -> bool {
        proposal(state).is_none_or(|proposal| effect(state, proposal) != WriteEffect::Same)
    }

    fn update(&self, state: &mut State, action: Action, effects: &mut Vec<Effect>) -> Handled {
        match action {
            Action::Confirm if preview::holds_samples(state) => form_update::first_sample(state),
            Action::Confirm => {
                if let Some(proposal) = proposal(state).cloned() {
                    state.templates.writing = WriteState::Asked;
                    effects.push(Effect::Ask(Request::Write { proposal: Box::new(proposal), reason: String::new() }));
                }
            }
            Action::Back => close(state),
            _ => return Handled::Ignored,
        }
        Handled::Consumed
    }

    fn draw(&self, state: &State, cursor: Cursor, frame: &mut Frame<'_>) {
        let (outer, places, len) = (self.outer(state), places(state), len(state));
        let (theme, role, buffer) = (&state.skin.theme, ThemeRole::Templates, frame.buffer_mut());
        let note = state.template().map(|template| cells::clean(&template.name).into_owned()).unwrap_or_default();
        draw_frame(state, Titles { title: "Write", note, ..Titles::default() }, role, outer, buffer);
        draw_text(state, &summary(state), 0, places.summary, buffer);
        let window = Scroll { top: cursor.top }.window(len, usize::from(places.difference.height));
        let caption = scrolled("difference", &window, len);
        frame::rule(&state.skin, places.rule, &caption, theme.style(ThemeRole::Infra), buffer);
        if let Some(proposal) = proposal(state) {
            let from = ViewOffset { top: window.start, across: 0 };
            draw_difference(state, &proposal.diff, from, indented(places.difference), buffer);
        }
        frame::scrollbar(&state.skin, places.difference, len, window.start, theme.style(role), buffer);
        if overwrites(state) && why_not(state).is_none() && !preview::holds_samples(state) {
            buffer.set_style(places.keys, Style::new().add_modifier(Modifier::BOLD));
        }
        if places.field.width > 8 {
            buffer.set_stringn(places.field.x + 1, places.field.y, "Path", 4, theme.style(role));
            let place = Rect { x: places.field.x + 6, width: places.field.width - 7, ..places.field };
            let (path, glyphs) = (&state.templates.path, &state.skin.glyphs);
            let before = path.text().get(..path.cursor()).unwrap_or_default();
            let (text, cursor) = (glyphs.own(path.text()), glyphs.own(before).len());
            let at = prompt::draw(&text, cursor, &[], theme.style(ThemeRole::Strong), place, buffer);
            frame.set_cursor_position(at);
        }
    }
}

/// Opens with the last typed path, or else with the one that the template suggests.
pub fn open(state: &mut State) {
    let typed = state.template().and_then(|template| state.templates.paths.get(&template.name));
    let offered = state.preview().and_then(|preview| preview.rendered.as_ref()?.offered.as_ref());
    let path = typed.or(offered).cloned().unwrap_or_default();
    state.typing = None;
    state.templates.path = TextField::default();
    state.templates.path.insert(&path);
    state.templates.writing = WriteState::Nothing;
    state.open(WindowKind::Write);
}

/// An empty path is discarded, so that the template's own is suggested again next time.
pub fn close(state: &mut State) {
    let name = state.template().map(|template| template.name.clone()).unwrap_or_default();
    if state.templates.paths.get(&name).is_some_and(String::is_empty) {
        state.templates.paths.remove(&name);
    }
    state.close(WindowKind::Write);
}

/// After the templates changed; `before` is the template that was under the cursor.
pub fn follow(state: &mut State, before: Option<&str>) {
    if state.has_window(WindowKind::Write) && state.template().map(|template| template.name.as_str()) != before {
        state.close(WindowKind::Write);
        let name = before.unwrap_or("the template");
        state.lose_field(format!("{name} was removed from the list, and nothing was written"));
    }
}

pub fn written(state: &mut State, written: &WrittenFile) {
    let did = if overwrites(state) { "Overwrote" } else { "Wrote" };
    state.templates.writing = WriteState::Nothing;
    if state.has_window(WindowKind::Write) {
        close(state);
    }
    // The diff against the file is outdated.
    state.templates.asked = None;
    let WrittenFile { shown, bytes, lines } = written;
    // There is a pick that would be undone in its place.
    let undo = match &state.snapshot.undo {
        Some(_) => format!("; {} undoes only picks and exclusions", state.key(Action::Undo)),
        None => String::new(),
    };
    state.note(format!("{did} {shown}: {}, {}{undo}", cells::counted(*lines, "line"), cells::counted(*bytes, "byte")));
}

pub fn refused(state: &mut State, unwritten: WriteFailure) {
    let WriteFailure { refused, current } = unwritten;
    state.templates.writing = WriteState::Nothing;
    state.fail(fix::sentence(state, &refused));
    let Some(fresh) = current.into_iter().next() else { return };
    if let Some(Preview { rendered: Some(rendered), .. }) = &mut state.templates.preview
        && let Some(Ok(shown)) = &mut rendered.proposal
        && shown.path == fresh.path
        && shown.text == fresh.text
    {
        rendered.is_unchanged = fresh.is_unchanged();
        **shown = fresh;
        state.templates.writing = WriteState::Changed;
        if state.has_window(WindowKind::Write) {
            state.open(WindowKind::Write);
        }
    }
}

pub fn busy(state: &mut State) {
    if state.templates.writing == WriteState::Asked {
        state.templates.writing = WriteState::Nothing;
    }
}

fn rendered(state: &State) -> Option<&RenderedText> {
    state.preview().filter(|preview| preview.failed.is_none())?.rendered.as_ref()
}

fn proposal(state: &State) -> Option<&Proposal> {
    rendered(state)?.proposal.as_ref()?.as_ref().ok().map(Box::as_ref)
}

pub fn effect(state: &State, proposal: &Proposal) -> WriteEffect {
    match proposal.before {
        PriorContent::Nothing => WriteEffect::New,
        PriorContent::File { .. } if rendered(state).is_some_and(|rendered| rendered.is_unchanged) => WriteEffect::Same,
        PriorContent::File { .. } => WriteEffect::Other,
    }
}

fn overwrites(state: &State) -> bool {
    proposal(state).is_some_and(|proposal| matches!(proposal.before, PriorContent::File { .. }))
}

/// The bottom line's label for Enter.
pub fn verb(state: &State) -> &'static str {
    match (preview::holds_samples(state), overwrites(state)) {
        (true, _) => "go to the first missing value",
        (false, true) => "OVERWRITE the file",
        (false, false) => "write the new file",
    }
}

fn is_path_typed(state: &State) -> bool {
    !state.templates.path.text().trim().is_empty()
}

/// Why the text shown cannot be written now.
fn why_not(state: &State) -> Option<String> {
    if state.templates.writing == WriteState::Asked {
        return Some("it is being written".to_owned());
    }
    if !is_path_typed(state) {
        return Some("type the path of the file".to_owned());
    }
    if !preview_update::is_answered(state) {
        return Some("the difference is still being computed".to_owned());
    }
    match rendered(state).map(|rendered| &rendered.proposal) {
        None => Some("the template does not render: there is nothing to write".to_owned()),
        Some(None) => Some("type the path of the file".to_owned()),
        Some(Some(Err(refused))) => Some(fix::sentence(state, refused)),
        Some(Some(Ok(proposal))) if effect(state, proposal) == WriteEffect::Same => {
            Some(format!("{} already holds this text: there is nothing to write", preview::path(state, proposal)))
        }
        Some(Some(Ok(_))) => None,
    }
}

fn places(state: &State) -> DifferenceLayout {
    difference_layout(state, layout::inner(Write.outer(state)), FIELD, summary(state).len())
}

fn len(state: &State) -> usize {
    proposal(state).map_or(0, |proposal| proposal.diff.lines.len())
}

/// The effect of the write and what to check first, in at most [`SUMMARY`] rows. If space is short, the missing values
/// come before the effect, because nothing is written without them.
fn summary(state: &State) -> WrappedText {
    let mut lines: Vec<(String, ThemeRole)> = Vec::new();
    if state.templates.writing == WriteState::Changed {
        let text = "The file has changed since you looked. Nothing was written; this is the difference now.";
        lines.push((text.to_owned(), ThemeRole::Error));
    }
    let first = match (proposal(state), why_not(state)) {
        (Some(proposal), why) => {
            let first = lines.len();
            lines.push((figures(state, proposal), ThemeRole::Text));
            lines.extend(proposal.diff.note.clone().map(|note| (note, ThemeRole::Warning)));
            let why = why.filter(|_| effect(state, proposal) != WriteEffect::Same);
            lines.extend(why.map(|why| (why, ThemeRole::Infra)));
            first
        }
        (None, why) => {
            // A path that is not typed yet, or a pending answer, is not a mistake.
            let is_mistake = is_path_typed(state) && preview_update::is_answered(state);
            let role = if is_mistake { ThemeRole::Error } else { ThemeRole::Infra };
            lines.extend(why.map(|why| (cells::sentence(&why).into_owned(), role)));
            lines.len()
        }
    };
    let shown = state.preview().and_then(|preview| preview.rendered.as_ref());
    let warnings = shown.map_or(&[][..], |rendered| &rendered.warnings);
    let sign = state.skin.glyphs.problem;
    let (missing, at) = (missing(state), lines.len());
    lines.extend(missing.iter().chain(warnings).map(|it| (format!("{sign} {it}"), ThemeRole::Warning)));
    let outer = Write.outer(state);
    let (columns, rows) =
        (text_columns(outer.width), usize::from(summary_rows(layout::inner(outer), FIELD)).min(SUMMARY));
    let whole = paragraphs(lines.iter().map(|(text, role)| (text, *role)), columns);
    if whole.len() <= rows {
        return whole;
    }
    if let Some(moved) = lines.get_mut(first..=at).filter(|_| missing.is_some()) {
        moved.rotate_right(1);
        // Names that are cut look like all of them.
        if let Some((text, _)) = moved.first_mut().filter(|(text, _)| cells::width(text) > columns) {
            text.truncate(text.find(": ").unwrap_or(text.len()));
        }
    }
    let whole = paragraphs(lines, columns);
    let over = whole.len().saturating_sub(rows);
    if over == 0 {
        return whole;
    }
    let more = format!("and {} more lines, in the preview", over + 1);
    whole.cut(rows.saturating_sub(1), PageLine::new(more, ThemeRole::Warning))
}

/// `2 values are not given: fields[0].name, basePackage`
pub fn missing(state: &State) -> Option<String> {
    let paths: Vec<String> = preview::missing(state).iter().map(|(_, row)| values::path(&row.way)).collect();
    let shown = first_of(&paths, MAX_LISTED);
    match paths.len() {
        0 => None,
        1 => Some(format!("1 value is not given: {shown}")),
        count => Some(format!("{} are not given: {shown}", cells::counted(count, "value"))),
    }
}

/// `new file src/Entity.java · 43 lines, 1,204 bytes · +43 −0`
fn figures(state: &State, proposal: &Proposal) -> String {
    let path = preview::path(state, proposal);
    if effect(state, proposal) == WriteEffect::Same {
        return format!("{path} already has exactly this text");
    }
    let bytes = state.preview().and_then(|preview| preview.rendered.as_ref()).map_or(0, |rendered| rendered.bytes);
    let size = format!("{}, {}", cells::counted(proposal.text.lines().count(), "line"), cells::counted(bytes, "byte"));
    let before = match &proposal.before {
        PriorContent::Nothing => String::new(),
        PriorContent::File { size, .. } => format!(" (now {} bytes)", cells::grouped(*size)),
    };
    let (effect, sum) = (preview::effect_word(state, proposal), preview::summary(state, proposal));
    let dot = state.skin.glyphs.dot;
    format!("{effect} {path} {dot} {size}{before} {dot} {sum}")
}
