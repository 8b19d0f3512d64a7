//! What switching to a profile would change, shown before it happens. It is recomputed when the selection
//! changes, so that the user confirms exactly what is shown.

use std::borrow::Cow;
use std::path::PathBuf;

use super::{Handled, TextPage, Window, WindowKind, paragraphs, text_columns, wide};
use crate::common::source_words::{self, still_there};
use crate::tui::input::Effect;
use crate::tui::state::State;
use crate::tui::theme::ThemeRole;
use crate::tui::widgets::cells;
use crate::tui::widgets::page::{PageLine, WrappedText};
use refdesk_desk::ProfileSwitch as Difference;
use refdesk_desk::engine::Request;

pub struct SwitchView;

impl Window for SwitchView {
    fn page<'s>(&self, state: &'s State) -> Option<TextPage<'s>> {
        let columns = wide(state.layout().body, 100);
        let note = match &state.profiles.switch {
            Some(Ok(switch)) => cells::clean(&switch.name).into_owned(),
            _ => String::new(),
        };
        let text = Cow::Owned(text(state, text_columns(columns)));
        let page = TextPage::new("Switch to profile", ThemeRole::Selection, columns, text);
        Some(TextPage { note, least_rows: 8, ..page })
    }

    fn disabled(&self, state: &State) -> Option<String> {
        match &state.profiles.switch {
            _ if !state.profiles.is_current => Some("the profile is still being compared".to_owned()),
            Some(Err(why)) => Some(why.clone()),
            Some(Ok(switch)) if switch.is_none() => Some("these are already your picks".to_owned()),
            _ => None,
        }
    }

    fn confirm(&self, state: &mut State, effects: &mut Vec<Effect>) -> Handled {
        let Some(Ok(shown)) = state.profiles.switch.clone() else { return Handled::Consumed };
        state.window = None;
        if let Some(file) = state.profiles.file.take() {
            effects.push(Effect::Ask(Request::SwitchProfile { file, shown }));
        }
        Handled::Consumed
    }

    fn after_input(&self, state: &mut State, effects: &mut Vec<Effect>) {
        let (at, profiles) = (state.snapshot.generation, &mut state.profiles);
        if let Some(file) = profiles.file.clone().filter(|_| at > 0 && profiles.asked_at != Some(at)) {
            profiles.asked_at = Some(at);
            profiles.is_current = false;
            effects.push(Effect::Ask(Request::CompareProfile(file)));
        }
    }
}

/// Shows what switching to the profile in this file would change, once there is a selection to compare with.
pub fn open(state: &mut State, file: PathBuf) {
    state.profiles.file = Some(file);
    state.profiles.switch = None;
    state.profiles.asked_at = None;
    state.profiles.is_current = false;
    state.open(WindowKind::Switch);
}

fn text(state: &State, columns: usize) -> WrappedText {
    match &state.profiles.switch {
        None => paragraphs([("Comparing the profile with your picks.", ThemeRole::Infra)], columns),
        Some(Err(why)) => paragraphs([(why.as_str(), ThemeRole::Error)], columns),
        Some(Ok(switch)) => difference(switch, columns),
    }
}

fn difference(switch: &Difference, columns: usize) -> WrappedText {
    let mut lines = Vec::new();
    if switch.is_none() {
        lines.push(("These are already your picks.".to_owned(), ThemeRole::Text));
    }
    let unpicked: Vec<String> = switch.unpicked.iter().map(|id| still_there(switch, id)).collect();
    let pulled_in: Vec<String> = switch.pulled_in.iter().map(ToString::to_string).collect();
    let released: Vec<String> = switch.released.iter().map(ToString::to_string).collect();
    for (what, ids, role) in [
        ("Picks", &switch.picked, ThemeRole::Selection),
        ("Unpicks", &unpicked, ThemeRole::Text),
        ("Pulls in", &pulled_in, ThemeRole::Transitive),
        ("Releases", &released, ThemeRole::Text),
        ("Missing, not picked:", &switch.missing, ThemeRole::Warning),
        ("Excluded here, not picked:", &switch.excluded, ThemeRole::Warning),
    ] {
        if !ids.is_empty() {
            let ids: Vec<String> = ids.iter().map(|id| format!("@{id}")).collect();
            lines.push((format!("{what} {}", ids.join(" ")), role));
        }
    }
    let (before, after) = (cells::in_tokens(switch.tokens_before), cells::tokens(switch.tokens_after));
    let waiting = source_words::waiting(switch.waiting);
    lines.push((format!("An agent gets {before} now, {after} after{waiting}"), ThemeRole::Strong));
    lines.extend(switch.stays.iter().map(|sentence| (format!("{}.", cells::sentence(sentence)), ThemeRole::Infra)));
    if !switch.is_none() {
        for (what, files, unless) in
            [("Writes", &switch.writes, ""), ("Removes", &switch.removes, ", unless changed by hand")]
        {
            if !files.is_empty() {
                let count = cells::counted(files.len(), "file");
                lines.push((format!("{what} {count}{unless}:"), ThemeRole::Templates));
                lines.extend(files.iter().map(|file| (format!("  {file}"), ThemeRole::Infra)));
            }
        }
    }
    let indent = |text: &str| text.len() - text.trim_start().len();
    let lines = lines.into_iter().map(|(text, role)| PageLine::new(cells::clean(&text), role).hanging(indent(&text)));
    WrappedText::new(lines.collect(), columns)
}
