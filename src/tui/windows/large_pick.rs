//! Asks before a pick that pulls in a lot, and offers smaller picks.

use std::borrow::Cow;

use ratatui::layout::Position;

use super::{Handled, RECOUNTING, TextPage, Window, WindowKind, choice_columns, paragraphs, text_columns};
use crate::common::change_cost::{self, TokenFormat};
use crate::common::source_words::{self, UntrustedCounts};
use crate::tui::action::{Action, KeyContext};
use crate::tui::budget;
use crate::tui::input::Effect;
use crate::tui::source_state;
use crate::tui::state::State;
use crate::tui::theme::ThemeRole;
use crate::tui::widgets::cells;
use crate::tui::widgets::page::WrappedText;
use refdesk_desk::engine::{PickReach, Request};
use refdesk_desk::{LargePick, SelectionChange};
use refdesk_text::names::first_and_count;

pub struct LargePickView;

/// In the order of their lines.
const CHOICES: [Action; 4] = [Action::Confirm, Action::PickNear, Action::PickAlone, Action::Back];

/// Ids listed before `+N more`.
const MAX_LISTED: usize = 6;

impl Window for LargePickView {
    fn page<'s>(&self, state: &'s State) -> Option<TextPage<'s>> {
        let choices = state.large_pick.iter().flat_map(|pick| choices(state, pick, SizeDetail::Whole));
        let columns = choice_columns(state, choices);
        let page = TextPage::new("A large pick", ThemeRole::Selection, columns, Cow::Owned(text(state, columns)));
        Some(TextPage { has_keys: false, ..page })
    }

    fn listed_keys(&self) -> Vec<Action> {
        CHOICES.to_vec()
    }

    /// Each choice has its own line.
    fn action_at(&self, state: &State, at: Position) -> Option<Action> {
        let is_alone = state.large_pick.as_ref().is_some_and(|pick| others(&pick.whole, pick).next().is_none());
        let choices: &[Action] = if is_alone { &[Action::Confirm, Action::Back] } else { &CHOICES };
        choices.get(self.page(state)?.line_at(state, at)?).copied()
    }

    fn update(&self, state: &mut State, action: Action, effects: &mut Vec<Effect>) -> Handled {
        let reach = match action {
            Action::Confirm => PickReach::All,
            Action::PickNear => PickReach::Near,
            Action::PickAlone => PickReach::Alone,
            _ => return Handled::Ignored,
        };
        if state.is_recounting {
            state.refuse(RECOUNTING);
            return Handled::Consumed;
        }
        state.close(WindowKind::LargePick);
        if let Some(pick) = state.large_pick.take() {
            effects.push(Effect::Ask(Request::PickWithin { ids: pick.ids, reach }));
        }
        Handled::Consumed
    }
}

/// The workspace has changed: the counts may be wrong.
pub fn recount(state: &mut State, effects: &mut Vec<Effect>) {
    if let Some(pick) = state.large_pick.as_ref().filter(|_| state.has_window(WindowKind::LargePick)) {
        effects.push(Effect::Ask(Request::PickSizes(pick.ids.clone())));
        state.is_recounting = true;
    }
}

/// Stores the new preview of the pick; `None` if it can no longer be made.
pub fn recounted(state: &mut State, pick: Option<Box<LargePick>>) {
    state.is_recounting = false;
    if !state.has_window(WindowKind::LargePick) {
        return;
    }
    let Some(before) = state.large_pick.take() else { return };
    if pick.is_none() {
        state.close(WindowKind::LargePick);
        state.refuse(match before.ids.as_slice() {
            [id] => {
                let state = if state.snapshot.catalog.get(id.as_str()).is_some() { "missing" } else { "gone" };
                format!("@{} is {state}: nothing was picked", cells::clean(id.as_str()))
            }
            _ => "some of these sources are gone: nothing was picked".to_owned(),
        });
    }
    state.large_pick = pick;
}

pub fn open(state: &mut State, pick: LargePick) {
    if !state.awaits_window {
        let subject = subject(&pick);
        return state.refuse(format!("the large pick of {subject} was not made: pick again to choose its size"));
    }
    state.is_recounting = false;
    state.large_pick = Some(Box::new(pick));
    state.open_above(WindowKind::LargePick);
}

fn subject(pick: &LargePick) -> String {
    match pick.ids.as_slice() {
        [id] => format!("@{}", cells::clean(id.as_str())),
        ids => cells::counted(ids.len(), "source"),
    }
}

/// The picks to choose from, one line each.
fn choices(state: &State, pick: &LargePick, detail: SizeDetail) -> [String; 3] {
    let is_alone = others(&pick.whole, pick).next().is_none();
    let [beyond, others] = pick.excludes;
    let (it, only) = if pick.ids.len() == 1 { ("pick it", "only this one") } else { ("pick them", "only these") };
    [
        (Action::Confirm, if is_alone { it } else { "all" }, &pick.whole, 0),
        (Action::PickNear, "direct mentions", &pick.near, beyond),
        (Action::PickAlone, only, &pick.alone, others),
    ]
    .map(|(action, words, change, excluded)| {
        let key = state.key_in(KeyContext::LargePick, action);
        let excludes = match detail {
            detail if detail.is_whole() && excluded > 0 => format!(", excludes {}", cells::grouped(excluded)),
            _ => String::new(),
        };
        format!("{key}  {words}: {}{excludes}", size(state, change, pick, detail))
    })
}

fn text(state: &State, columns: u16) -> WrappedText {
    let columns = text_columns(columns);
    let Some(pick) = &state.large_pick else { return WrappedText::default() };
    let subject = subject(pick);
    let others: Vec<String> = others(&pick.whole, pick).map(|id| format!("@{id}")).collect();
    let named = first_and_count(&others, MAX_LISTED);
    // All choices use the most detailed variant that fits on one line each; at last, only those that have no room for
    // their price go without it.
    let fits = |line: &String| cells::width(line) <= columns;
    let fitting = SizeDetail::ALL.into_iter().map(|detail| choices(state, pick, detail));
    let fitting = fitting.into_iter().find(|lines| lines.iter().all(fits));
    let [all, direct, only] = fitting.unwrap_or_else(|| {
        let [figures, counts] = [SizeDetail::Figures, SizeDetail::Counts].map(|detail| choices(state, pick, detail));
        let mut counts = counts.into_iter();
        figures.map(|line| {
            let without_price = counts.next().unwrap_or_default();
            if fits(&line) { line } else { without_price }
        })
    });
    let [near, alone, back] =
        [Action::PickNear, Action::PickAlone, Action::Back].map(|action| state.key_in(KeyContext::LargePick, action));
    let undo = state.key(Action::Undo);
    let nothing = (format!("{back}  nothing"), ThemeRole::Text);
    let trusts = source_words::would_trust(&pick.whole, source_state::ids);
    if others.is_empty() {
        let about = match pick.ids.len() {
            // The workspace has changed since the question.
            _ if !pick.whole.is_large(&pick.ids, &state.snapshot.tokens) => {
                format!("Picking {subject} pulls in nothing else{trusts}.")
            }
            1 => format!("{subject} is large by itself{trusts}."),
            _ => format!("{subject} are large by themselves{trusts}."),
        };
        let lines = [(all, ThemeRole::Strong), nothing, (String::new(), ThemeRole::Text), (about, ThemeRole::Text)];
        return paragraphs(lines, columns);
    }
    let lines = [
        (all, ThemeRole::Strong),
        (direct, ThemeRole::Text),
        (only, ThemeRole::Text),
        nothing,
        (String::new(), ThemeRole::Text),
        (format!("Picking {subject} pulls in {named}{trusts}."), ThemeRole::Text),
        (format!("{near} and {alone} exclude the rest; {undo} undoes that."), ThemeRole::Infra),
    ];
    paragraphs(lines, columns)
}

fn others<'a>(change: &'a SelectionChange, pick: &'a LargePick) -> impl Iterator<Item = std::borrow::Cow<'a, str>> {
    change.enters.iter().filter(|id| !pick.ids.contains(id)).map(|id| cells::clean(id.as_str()))
}

/// How detailed a size is. The numbers of untrusted and of trusted sources are always included.
#[derive(Clone, Copy, PartialEq, Eq)]
enum SizeDetail {
    /// `+126, ~76,475 tokens more (~80,102 with instructions), 3 untrusted sources`
    Whole,
    /// `+126, ~76,475 tokens more, 3 untrusted sources`
    Sources,
    /// `+126, ~76,475, 3 untrusted`
    Figures,
    /// `+126, 3 untrusted`
    Counts,
}

impl SizeDetail {
    /// Those that a list uses for all of its choices.
    const ALL: [Self; 3] = [Self::Whole, Self::Sources, Self::Figures];

    fn is_whole(self) -> bool {
        matches!(self, Self::Whole | Self::Sources)
    }
}

fn size(state: &State, change: &SelectionChange, pick: &LargePick, detail: SizeDetail) -> String {
    let others = others(change, pick).count();
    let waiting = UntrustedCounts::of(&state.snapshot, &change.enters, |id| pick.ids.contains(id));
    let is_whole = detail.is_whole();
    let mut parts = Vec::new();
    parts.extend((others > 0).then(|| format!("+{}", cells::grouped(others))));
    if detail != SizeDetail::Counts || waiting.all() == 0 {
        let print = if is_whole { TokenFormat::Tokens } else { TokenFormat::Figure };
        // In one list with picks of several sources, whose tokens cannot be read as the total of the selection.
        let is_one_of_several = self::others(&pick.whole, pick).next().is_some() || pick.ids.len() > 1;
        let words = if is_whole && is_one_of_several { change_cost::more } else { change_cost::added };
        parts.push(words(change.cost, print));
    }
    if !is_whole && waiting.all() > 0 {
        parts.push(format!("{} {}", cells::grouped(waiting.all()), source_state::UNTRUSTED));
    }
    let with = match detail {
        SizeDetail::Whole => change_cost::with_instructions(change.cost, TokenFormat::Tokens),
        _ => String::new(),
    };
    let waiting = if is_whole { waiting.after(others) } else { String::new() };
    let trusts = source_words::trusts(change, is_whole);
    let over = budget::over_after(state, change.cost).filter(|_| is_whole);
    let over = over.map(|over| format!(", {over}")).unwrap_or_default();
    format!("{}{with}{waiting}{trusts}{over}", parts.join(", "))
}
