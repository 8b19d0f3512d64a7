//! Asks before a pick pulls in much, with the smaller picks beside it.

use super::{Handled, TextPage, Window, WindowKind, paragraphs, text_columns};
use crate::common::{change_cost, source_words};
use crate::tui::action::{Action, KeyContext};
use crate::tui::input::Effect;
use crate::tui::state::State;
use crate::tui::theme::ThemeRole;
use crate::tui::widgets::cells;
use crate::tui::widgets::page::WrappedText;
use refdesk_desk::engine::{PickReach, Request};
use refdesk_desk::{LargePick, SelectionChange};

pub struct LargePickView;

const COLUMNS: u16 = 76;

/// Ids that are named before `+N more`.
const NAMED: usize = 6;

impl Window for LargePickView {
    fn contexts(&self) -> &'static [KeyContext] {
        &[KeyContext::LargePick, KeyContext::Always]
    }

    fn page<'s>(&self, state: &'s State) -> Option<TextPage<'s>> {
        let page = TextPage::question("A large pick", ThemeRole::Selection, COLUMNS, text(state));
        Some(TextPage { has_keys: false, ..page })
    }

    fn listed_keys(&self) -> Option<&'static [Action]> {
        Some(&[Action::Confirm, Action::PickNear, Action::PickAlone, Action::Back])
    }

    fn update(&self, state: &mut State, action: Action, effects: &mut Vec<Effect>) -> Handled {
        let reach = match action {
            Action::Confirm => PickReach::All,
            Action::PickNear => PickReach::Near,
            Action::PickAlone => PickReach::Alone,
            _ => return Handled::Ignored,
        };
        state.window = state.jump.uncover();
        if let Some(pick) = state.large_pick.take() {
            effects.push(Effect::Ask(Request::PickOne { id: pick.id, reach }));
        }
        Handled::Consumed
    }
}

/// Opens the window for this pick.
pub fn open(state: &mut State, pick: LargePick) {
    state.large_pick = Some(Box::new(pick));
    state.jump.cover(state.window);
    state.open(WindowKind::LargePick);
}

fn text(state: &State) -> WrappedText {
    let columns = text_columns(COLUMNS.min(state.layout().body.width));
    let Some(pick) = &state.large_pick else { return WrappedText::default() };
    let id = cells::clean(pick.id.as_str());
    let others: Vec<String> = others(&pick.whole, pick).map(|id| format!("@{id}")).collect();
    let named = others.iter().take(NAMED).cloned().collect::<Vec<_>>().join(", ");
    let more = others.len().saturating_sub(NAMED);
    let more = if more == 0 { String::new() } else { format!(", +{} more", cells::grouped(more)) };
    let key = |action| state.key_in(KeyContext::LargePick, action);
    // Where there is little room, only the ways out are seen, each on a line of its own.
    let choice = |action, words: &str, change| {
        let whole = format!("{}  {words}: {}", key(action), size(state, change, pick, SizeDetail::Whole));
        let short = || format!("{}  {words}: {}", key(action), size(state, change, pick, SizeDetail::Figures));
        if cells::width(&whole) <= columns { whole } else { short() }
    };
    let [near, alone, back] = [Action::PickNear, Action::PickAlone, Action::Back].map(key);
    let undo = state.key(Action::Undo);
    let lines = [
        (choice(Action::Confirm, "all", &pick.whole), ThemeRole::Strong),
        (choice(Action::PickNear, "direct mentions", &pick.near), ThemeRole::Text),
        (choice(Action::PickAlone, "only this one", &pick.alone), ThemeRole::Text),
        (format!("{back}  nothing"), ThemeRole::Text),
        (String::new(), ThemeRole::Text),
        (format!("Picking @{id} pulls in {named}{more}."), ThemeRole::Text),
        (format!("{near} and {alone} exclude the rest; {undo} undoes that."), ThemeRole::Infra),
    ];
    paragraphs(lines.iter().map(|(text, role)| (text.as_str(), *role)), columns)
}

fn others<'a>(change: &'a SelectionChange, pick: &'a LargePick) -> impl Iterator<Item = std::borrow::Cow<'a, str>> {
    change.enters.iter().filter(|id| **id != pick.id).map(|id| cells::clean(id.as_str()))
}

/// How much is said of a size.
#[derive(Clone, Copy, PartialEq, Eq)]
enum SizeDetail {
    Whole,
    Figures,
}

/// `+126, ~76,475 tokens in all, and 3 that wait for trust`, or only `+126, ~76,475`.
fn size(state: &State, change: &SelectionChange, pick: &LargePick, detail: SizeDetail) -> String {
    if let (SizeDetail::Figures, 0..) = (detail, change.cost.sources) {
        let tokens = cells::tokens(change.cost.sources.unsigned_abs());
        return match others(change, pick).count() {
            0 => tokens,
            others => format!("+{}, {tokens}", cells::grouped(others)),
        };
    }
    let tokens = change_cost::added(change.cost, cells::in_tokens);
    let with = change_cost::with_instructions(change.cost, cells::in_tokens);
    let brought = change.enters.iter().filter(|id| **id != pick.id);
    let waiting = source_words::waiting(source_words::count_waiting(&state.snapshot, brought));
    match others(change, pick).count() {
        0 => format!("{tokens}{with}"),
        others => format!("+{}, {tokens} in all{with}{waiting}", cells::grouped(others)),
    }
}
