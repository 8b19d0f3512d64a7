//! What this repository's settings want to do outside the workspace: counted in the top line, shown on
//! demand, and approved exactly as shown.

use std::borrow::Cow;
use std::sync::Arc;

use super::{Handled, TextPage, Window, WindowKind, text_columns, wide};
use crate::common::trust_question;
use crate::tui::action::{Action, KeyContext};
use crate::tui::input::Effect;
use crate::tui::state::{Message, MessageKind, State};
use crate::tui::theme::ThemeRole;
use crate::tui::widgets::cells;
use crate::tui::widgets::motion::Cursor;
use crate::tui::widgets::page::{PageLine, WrappedText};
use refdesk_desk::PrivilegedAction;
use refdesk_desk::engine::Request;

pub struct Trust;

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum TrustStep {
    #[default]
    None,
    /// The user approved these settings, which the desk has not confirmed yet.
    Sent(Arc<[PrivilegedAction]>),
    /// The settings in the window have changed since the last key.
    Changed,
}

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
        let is_new = state.trust == TrustStep::Changed;
        if is_new {
            state.trust = TrustStep::None;
        }
        match action {
            // The key was on its way before this was shown.
            Action::TrustThis if is_new => {
                let key = state.key_in(KeyContext::Trust, Action::TrustThis);
                state.refuse(format!("{CHANGED} {key} trusts what is shown now."));
                Handled::Consumed
            }
            Action::TrustThis => {
                state.window = None;
                state.trust = TrustStep::Sent(state.snapshot.untrusted.clone());
                effects.push(Effect::Ask(Request::Trust(state.snapshot.untrusted.clone())));
                Handled::Consumed
            }
            _ => Handled::Ignored,
        }
    }
}

const CHANGED: &str = "These settings have just changed.";

fn text(state: &State, columns: u16) -> WrappedText {
    if state.snapshot.untrusted.is_empty() {
        let gone = "No setting of this repository needs your trust any more.";
        return WrappedText::new(vec![PageLine::new(gone, ThemeRole::Text)], text_columns(columns));
    }
    let head = "This repository's settings want to do the following. None of it happens until you trust it, except that \
                agents are told an address once you pick something that brings it in. Your trust covers exactly this, on \
                this machine, for you; any change asks again.";
    let mut lines = vec![PageLine::new(head, ThemeRole::Text), PageLine::default()];
    if state.trust == TrustStep::Changed {
        lines.splice(0..0, [PageLine::new(CHANGED, ThemeRole::Warning), PageLine::default()]);
    }
    for setting in state.snapshot.untrusted.iter() {
        let place = setting.line.map_or_else(|| setting.file.clone(), |line| format!("{}:{line}", setting.file));
        let line = PageLine::new(format!("{} ", state.skin.glyphs.problem), ThemeRole::Warning);
        lines.push(line.then(&cells::clean(&setting.what), ThemeRole::Strong).hanging(2));
        lines.push(PageLine::new("  ", ThemeRole::Infra).then(&cells::clean(&place), ThemeRole::Infra).hanging(2));
    }
    let asked = format!("You are asked to trust {}.", trust_question::settings(&state.snapshot.untrusted));
    lines.extend([PageLine::default(), PageLine::new(asked, ThemeRole::Text)]);
    WrappedText::new(lines, text_columns(columns))
}

/// After a snapshot; `before` holds the previous untrusted settings.
pub fn follow(state: &mut State, before: &Arc<[PrivilegedAction]>) {
    let untrusted = state.snapshot.untrusted.clone();
    if untrusted == *before {
        return;
    }
    if let TrustStep::Sent(sent) = std::mem::take(&mut state.trust)
        && !sent.iter().any(|it| untrusted.contains(it))
    {
        let settings = cells::counted(before.len() - untrusted.len().min(before.len()), "setting");
        let text = format!("Trusted {settings}: refdesk trust revoke takes it back");
        state.message = Some(Message { text, tone: MessageKind::Done });
        return;
    }
    // Approval of what was shown does not cover what is there now. The window stays open, since a key that is on its way
    // would act on something else below it.
    let windows = state.window.iter_mut().chain(&mut state.covered);
    for window in windows.filter(|window| window.kind == WindowKind::Trust) {
        window.cursor = Cursor::default();
        state.trust = TrustStep::Changed;
    }
}
