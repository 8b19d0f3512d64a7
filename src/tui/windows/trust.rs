//! What this repository's settings want to do outside the workspace: counted in the top line, shown on
//! demand, and approved exactly as shown.

use std::borrow::Cow;
use std::sync::Arc;

use super::{Handled, TextPage, Window, WindowKind, text_columns, wide};
use crate::tui::action::Action;
use crate::tui::input::Effect;
use crate::tui::state::{Message, MessageKind, State};
use crate::tui::theme::ThemeRole;
use crate::tui::widgets::cells;
use crate::tui::widgets::page::{PageLine, WrappedText};
use refdesk_desk::PrivilegedAction;
use refdesk_desk::engine::Request;

pub struct Trust;

impl Window for Trust {
    fn page<'s>(&self, state: &'s State) -> Option<TextPage<'s>> {
        let columns = wide(state.layout().body, 100);
        let note = cells::counted(state.snapshot.untrusted.len(), "setting");
        let text = Cow::Owned(text(state, columns));
        Some(TextPage { note, ..TextPage::new("Trust", ThemeRole::Warning, columns, text) })
    }

    fn offered_at_end(&self) -> Option<Action> {
        Some(Action::TrustThis)
    }

    fn update(&self, state: &mut State, action: Action, effects: &mut Vec<Effect>) -> Handled {
        match action {
            Action::TrustThis => {
                state.window = None;
                state.sent_trust = Some(state.snapshot.untrusted.clone());
                effects.push(Effect::Ask(Request::Trust(state.snapshot.untrusted.clone())));
                Handled::Consumed
            }
            _ => Handled::Ignored,
        }
    }
}

fn text(state: &State, columns: u16) -> WrappedText {
    let head = "This repository's settings want to do the following. None of it happens until you trust it, except that \
                agents are told an address once you pick something that brings it in. Your trust covers exactly this, on \
                this machine, for you; any change asks again.";
    let mut lines = vec![PageLine::new(head, ThemeRole::Text), PageLine::default()];
    for setting in state.snapshot.untrusted.iter() {
        let place = setting.line.map_or_else(|| setting.file.clone(), |line| format!("{}:{line}", setting.file));
        let line = PageLine::new(format!("{} ", state.skin.glyphs.problem), ThemeRole::Warning);
        lines.push(line.then(&cells::clean(&setting.what), ThemeRole::Strong).hanging(2));
        lines.push(PageLine::new("  ", ThemeRole::Infra).then(&cells::clean(&place), ThemeRole::Infra).hanging(2));
    }
    WrappedText::new(lines, text_columns(columns))
}

/// After a snapshot; `before` holds the previous untrusted settings.
pub fn follow(state: &mut State, before: &Arc<[PrivilegedAction]>) {
    let untrusted = state.snapshot.untrusted.clone();
    if untrusted == *before {
        return;
    }
    if state.sent_trust.take().is_some_and(|sent| !sent.iter().any(|it| untrusted.contains(it))) {
        let settings = cells::counted(before.len() - untrusted.len().min(before.len()), "setting");
        let text = format!("Trusted {settings}: refdesk trust revoke takes it back");
        state.message = Some(Message { text, tone: MessageKind::Done });
        return;
    }
    if state.has_window(WindowKind::Trust) {
        // Approval of what was shown does not cover what is there now.
        state.close(WindowKind::Trust);
        if !untrusted.is_empty() {
            let key = state.key(Action::Trust);
            state.refuse(format!("The settings that need your trust have changed. {key} shows them again."));
        }
    }
}
