//! The trust question: what waits is said once, shown on demand, and trusted exactly as it was shown.

use std::sync::Arc;

use crate::desk::Deed;
use crate::engine::Command;
use crate::tui::input::Effect;
use crate::tui::motion::Scroll;
use crate::tui::overlays;
use crate::tui::state::{Overlay, State, Tone};
use crate::tui::widgets::cells;

/// After a snapshot: `before` is what waited until now.
pub(super) fn follow(state: &mut State, before: &Arc<[Deed]>) {
    let waiting = state.snapshot.untrusted.clone();
    if waiting == *before {
        return;
    }
    if matches!(state.overlay, Some(Overlay::Trust(_))) {
        // A yes to what was shown is none to what is there now.
        state.overlay = None;
        if !waiting.is_empty() {
            let text = "what waits for trust has changed: ! shows it anew".to_owned();
            return super::say(state, Tone::Refusal, text);
        }
    }
    let is_free = state.message.as_ref().is_none_or(|message| message.tone == Tone::Note);
    if !waiting.is_empty() && is_free {
        let count = waiting.len();
        let wait = if count == 1 { "waits" } else { "wait" };
        let text = format!("{} of this workspace {wait} for your trust: ! shows what", cells::counted(count, "deed"));
        super::say(state, Tone::Note, text);
    }
}

pub(super) fn open(state: &mut State) {
    state.overlay = Some(Overlay::Trust(Scroll::default()));
}

pub(super) fn confirm(state: &mut State, effects: &mut Vec<Effect>) {
    state.overlay = None;
    effects.push(Effect::Send(Command::Trust(state.snapshot.untrusted.clone())));
}

/// Keeps the window within its text.
pub(super) fn settle(state: &mut State) {
    if let Some(Overlay::Trust(mut scroll)) = state.overlay {
        scroll.top = scroll.top.min(overlays::trust::page(state).len().saturating_sub(super::go::overlay_page(state)));
        state.overlay = Some(Overlay::Trust(scroll));
    }
}
