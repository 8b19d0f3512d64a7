//! Requests the preview of the template under the cursor when its values or path change, and its
//! highlighting. The last rendered text stays visible while the current values do not render.

use std::borrow::Cow;
use std::sync::Arc;

use crate::tui::action::Action;
use crate::tui::highlight;
use crate::tui::highlight::{CodePiece, HighlightSubject, Spans, carried};
use crate::tui::input::Effect;
use crate::tui::pane::Pane;
use crate::tui::state::{PanePart, Preview, PreviewMode, PreviewRequest, RenderedText, State};
use crate::tui::templates::preview;
use crate::tui::templates::values::{RowValue, TypedValues};
use crate::tui::update::navigation;
use crate::tui::widgets::cells;
use crate::tui::widgets::motion::Scroll;
use refdesk_desk::engine::Request;
use refdesk_desk::{RenderFailure, RenderPreview};
use refdesk_templates::holds_sample;

/// Columns scrolled by one keypress.
pub const SCROLL_STEP: usize = 8;

/// Asks for the preview of the template under the cursor, if it is visible.
pub fn ask(state: &mut State, effects: &mut Vec<Effect>) {
    if state.parts(Pane::Templates).is_none() {
        return;
    }
    let Some(template) = state.template() else {
        state.templates.asked = None;
        state.templates.preview = None;
        return;
    };
    let question = PreviewRequest {
        template: template.name.clone(),
        index: Arc::clone(&state.snapshot.templates),
        revision: state.templates.revision,
        path: state.templates.paths.get(&template.name).cloned(),
    };
    let asked = state.templates.asked.as_ref();
    if asked.is_some_and(|asked| asked.is(&question)) {
        return;
    }
    let is_other = asked.is_some_and(|asked| asked.template != question.template);
    let nothing = TypedValues::default();
    let given = state.typed().unwrap_or(&nothing);
    let (values, typed) = (Some(given.over_sample(&template.variables)), given.names_of_texts());
    if is_other {
        navigation::reset_scroll(state, Pane::Templates);
        state.templates.view = PreviewMode::Text;
    }
    let (template, path) = (question.template.clone(), question.path.clone());
    effects.push(Effect::Ask(Request::Preview { template, values, typed, path }));
    state.templates.is_waiting = true;
    state.templates.asked = Some(question);
}

/// Whether the latest question is answered.
pub fn is_answered(state: &State) -> bool {
    !state.templates.is_waiting
}

pub fn answer(
    state: &mut State,
    template: String,
    outcome: Result<RenderPreview, RenderFailure>,
    effects: &mut Vec<Effect>,
) {
    state.templates.is_waiting = false;
    let before = state.templates.preview.take().filter(|preview| preview.template == template);
    let view = state.view();
    let before = before.unwrap_or_else(|| Preview { template: template.clone(), ..Preview::default() });
    let before_lines = before.rendered.as_ref().map(|rendered| Arc::clone(&rendered.text.lines));
    let preview = match outcome {
        Ok(shown) => Preview { rendered: Some(rendered(before.rendered, shown)), template, failed: None },
        Err(failed) => Preview { failed: Some(failed), ..before },
    };
    let changed = first_change(before_lines.as_deref(), &preview);
    state.templates.preview = Some(preview);
    paint(state, effects);
    if state.templates.view == PreviewMode::Template && state.view() != PreviewMode::Template {
        state.templates.view = PreviewMode::Text;
    }
    if view != state.view() || state.view() == PreviewMode::Template {
        scroll_to_error(state);
    } else if state.focus == Pane::Templates && state.part == PanePart::Values {
        let changed = changed.filter(|_| state.view() == PreviewMode::Text);
        reveal(state, changed.or_else(|| place_of_value(state)));
    }
}

/// The first line that changed; `None` if nothing changed or there is no previous text.
fn first_change(before: Option<&[String]>, preview: &Preview) -> Option<usize> {
    let rendered = preview.rendered.as_ref().filter(|_| preview.failed.is_none())?;
    let (before, now) = (before?, &rendered.text.lines);
    let same = before.iter().zip(now.iter()).take_while(|(one, other)| one == other).count();
    let is_changed = same < before.len().max(now.len());
    is_changed.then(|| rendered.warnings.len() + same.min(now.len().saturating_sub(1)))
}

/// Scrolls to the first occurrence of the value under the cursor, unless it is visible.
pub fn show_value(state: &mut State) {
    let place = place_of_value(state);
    reveal(state, place);
}

/// The first line that contains the value under the cursor, preferably as a whole word.
fn place_of_value(state: &State) -> Option<usize> {
    let RowValue::Text(value) = &state.templates.form.get(state.templates.variable.at)?.holds else { return None };
    let value = cells::clean(value);
    if value.trim().is_empty() {
        return None;
    }
    let rendered = state.preview().filter(|preview| preview.failed.is_none())?.rendered.as_ref()?;
    let is_apart = |text: &str, at: usize| {
        let is_end = |c: Option<char>| c.is_none_or(|c| !c.is_alphanumeric());
        let (before, after) = text.split_at(at);
        is_end(before.chars().next_back()) && is_end(after.get(value.len()..).and_then(|rest| rest.chars().next()))
    };
    let find = |lines: &mut dyn Iterator<Item = Cow<'_, str>>| {
        let mut inside = None;
        for (nth, line) in lines.enumerate() {
            let mut places = line.match_indices(&*value).map(|(at, _)| at).peekable();
            if places.peek().is_some() {
                inside = inside.or(Some(nth));
                if places.any(|at| is_apart(&line, at)) {
                    return Some(nth);
                }
            }
        }
        inside
    };
    match (state.view(), &rendered.proposal) {
        (PreviewMode::Text, _) => {
            let lines = &mut rendered.text.lines.iter().map(|line| Cow::Borrowed(line.as_str()));
            find(lines).map(|line| rendered.warnings.len() + line)
        }
        (PreviewMode::Difference, Some(Ok(proposal))) => {
            find(&mut proposal.diff.lines.iter().map(|line| Cow::Owned(line.shown())))
        }
        _ => None,
    }
}

/// Scrolls this line into view, with some lines above it.
fn reveal(state: &mut State, line: Option<usize>) {
    let Some(line) = line else { return };
    let (top, page) = (state.templates.scroll.top, preview::page(state));
    if !(top..top + page).contains(&line) {
        state.templates.scroll = Scroll { top: line.saturating_sub(page / 3) };
    }
}

/// The rendered text with as much of the previous highlighting as still applies.
fn rendered(before: Option<RenderedText>, shown: RenderPreview) -> RenderedText {
    let RenderPreview { made: rendered, proposal } = shown;
    let is_unchanged = matches!(&proposal, Some(Ok(proposal)) if proposal.is_unchanged());
    let lines: Arc<[String]> = rendered.text.lines().map(|line| cells::clean(line).into_owned()).collect();
    let before = before.map(|before| before.text).unwrap_or_default();
    let path = proposal.as_ref().and_then(|proposal| Some(proposal.as_ref().ok()?.shown.as_str()));
    RenderedText {
        holds_samples: holds_sample(&rendered.text) || path.is_some_and(holds_sample),
        text: if before.lines == lines { before } else { carried(&before, lines) },
        warnings: rendered.warnings.iter().map(|warning| cells::clean(warning).into_owned()).collect(),
        bytes: rendered.text.len(),
        offered: rendered.offered,
        proposal: proposal.map(|proposal| proposal.map(Box::new)),
        is_unchanged,
    }
}

fn paint(state: &mut State, effects: &mut Vec<Effect>) {
    let Some(Preview { template, rendered: Some(rendered), failed: None }) = &state.templates.preview else { return };
    let is_known = state.templates.painted.as_ref().is_some_and(|painted| Arc::ptr_eq(painted, &rendered.text.lines));
    if is_known || rendered.bytes > highlight::LONGEST_TEXT {
        return;
    }
    let path = match &rendered.proposal {
        Some(Ok(proposal)) => Some(proposal.shown.as_str()),
        _ => rendered.offered.as_deref(),
    };
    let languages = highlight::candidates(template, path);
    let lines = Arc::clone(&rendered.text.lines);
    state.templates.painted = Some(Arc::clone(&lines));
    state.templates.painting += 1;
    let (generation, pieces) = (state.templates.painting, vec![CodePiece { lines, languages }]);
    effects.push(Effect::Highlight { subject: HighlightSubject::Preview, generation, pieces });
}

pub fn highlighted(state: &mut State, generation: u64, from: usize, colours: Vec<Spans>) {
    if generation != state.templates.painting {
        return;
    }
    if let Some(Preview { rendered: Some(rendered), .. }) = &mut state.templates.preview {
        rendered.text.take(from, colours);
    }
}

/// Whether this highlighting changes a visible line.
pub fn shows(state: &State, generation: u64, from: usize, colours: &[Spans]) -> bool {
    let rendered = state.preview().and_then(|preview| preview.rendered.as_ref());
    let Some(rendered) =
        rendered.filter(|_| generation == state.templates.painting && state.view() == PreviewMode::Text)
    else {
        return false;
    };
    let top = state.templates.scroll.top.saturating_sub(rendered.warnings.len());
    let lines = rendered.text.colours.iter().enumerate().skip(top).take(preview::page(state));
    lines.into_iter().any(|(at, known)| {
        let fresh = at.checked_sub(from).and_then(|at| colours.get(at));
        fresh.is_some_and(|fresh| fresh != known)
    })
}

/// Switches to another view of the preview, or scrolls it sideways.
pub fn change_view(state: &mut State, action: Action) {
    let pane = &mut state.templates;
    match action {
        Action::Leftwards => pane.across = pane.across.saturating_sub(SCROLL_STEP),
        Action::Rightwards => pane.across += SCROLL_STEP,
        _ => {
            let failed = state.preview().is_some_and(|preview| preview.failed.is_some());
            let other = if failed { PreviewMode::Template } else { PreviewMode::Difference };
            state.templates.view = if state.view() == other { PreviewMode::Text } else { other };
            scroll_to_error(state);
        }
    }
}

/// Scrolls to the error, or else to the top.
fn scroll_to_error(state: &mut State) {
    let page = preview::page(state);
    let failed =
        state.preview().and_then(|preview| preview.failed.as_ref()).filter(|_| state.view() == PreviewMode::Template);
    let top = failed.map_or(0, |failed| preview::top_of_error(failed, page));
    state.templates.scroll = Scroll { top };
    state.templates.across = 0;
}
