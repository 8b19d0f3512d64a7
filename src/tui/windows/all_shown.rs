//! Actions on all sources that a list shows: one line per change, with its consequence.

use std::borrow::Cow;
use std::collections::HashSet;

use ratatui::layout::Position;

use super::{Handled, RECOUNTING, TextPage, Window, WindowKind, choice_columns, paragraphs, text_columns};
use crate::common::change_cost::{self, TokenFormat};
use crate::common::source_words::{self, UntrustedCounts};
use crate::tui::action::{Action, BulkVerb, KeyContext};
use crate::tui::budget;
use crate::tui::filtering::FilteredList;
use crate::tui::input::Effect;
use crate::tui::source_state;
use crate::tui::state::State;
use crate::tui::theme::ThemeRole;
use crate::tui::widgets::cells;
use crate::tui::widgets::page::WrappedText;
use refdesk_core::catalog::SourceId;
use refdesk_desk::engine::{PickReach, Request};
use refdesk_desk::{BulkChange, BulkPreview};

pub struct AllShown;

impl Window for AllShown {
    fn page<'s>(&self, state: &'s State) -> Option<TextPage<'s>> {
        let columns = choice_columns(state, choices(state, Detail::Whole));
        let page = TextPage::new("All shown", ThemeRole::Selection, columns, Cow::Owned(text(state, columns)));
        Some(TextPage { has_keys: false, ..page })
    }

    fn listed_keys(&self) -> Vec<Action> {
        BulkVerb::ALL.into_iter().map(Action::Bulk).chain([Action::Back]).collect()
    }

    /// Each change has its own line.
    fn action_at(&self, state: &State, at: Position) -> Option<Action> {
        let row = self.page(state)?.line_at(state, at)?;
        let choices = BulkVerb::ALL.into_iter().filter(|verb| change_of(state, *verb).is_some()).map(Action::Bulk);
        choices.chain([Action::Back]).nth(row)
    }

    fn update(&self, state: &mut State, action: Action, effects: &mut Vec<Effect>) -> Handled {
        let Action::Bulk(verb) = action else { return Handled::Ignored };
        if state.is_recounting {
            state.refuse(RECOUNTING);
            return Handled::Consumed;
        }
        let Some(change) = change_of(state, verb) else { return Handled::Consumed };
        let ids = change.ids.clone();
        state.window = None;
        effects.push(Effect::Ask(match verb {
            BulkVerb::Pick => Request::PickWithin { ids, reach: PickReach::AllIfFew },
            BulkVerb::Unpick => Request::Unpick(ids),
            BulkVerb::Exclude => Request::Exclude(ids),
            BulkVerb::Include => Request::Include(ids),
        }));
        Handled::Consumed
    }
}

/// The sources that the list here shows.
pub fn shown(state: &State) -> Box<dyn Iterator<Item = SourceId> + '_> {
    let (snapshot, catalog) = (&state.snapshot, state.snapshot.catalog.sources());
    match state.filtered_list() {
        Some(FilteredList::Catalog) => {
            let sources = state.catalog.rows.iter().filter_map(move |at| catalog.get(*at));
            Box::new(sources.map(|source| source.id.clone()))
        }
        Some(FilteredList::Selection) => {
            let matching = state.selection.rows.iter().filter(|row| row.matches);
            Box::new(matching.filter_map(|row| row.id(snapshot)).map(SourceId::from))
        }
        _ => Box::new(std::iter::empty()),
    }
}

/// Asks what can be done with all sources shown now.
pub fn ask(state: &mut State, effects: &mut Vec<Effect>) {
    effects.push(Effect::Ask(Request::PreviewBulk(shown(state).collect())));
}

/// The workspace has changed: the list may show other sources, and the counts may be wrong.
pub fn recount(state: &mut State, effects: &mut Vec<Effect>) {
    if state.has_window(WindowKind::AllShown) {
        ask(state, effects);
        state.is_recounting = true;
    }
}

pub fn open(state: &mut State, preview: BulkPreview) {
    let is_recount = std::mem::take(&mut state.is_recounting);
    let is_wanted = if is_recount { state.has_window(WindowKind::AllShown) } else { state.awaits_window };
    if !is_wanted {
        return;
    }
    let is_idle = BulkVerb::ALL.into_iter().all(|verb| verb.of(&preview).ids.is_empty());
    state.bulk = Some(Box::new(preview));
    if is_idle {
        state.close(WindowKind::AllShown);
        return state.refuse("all of these are always in the instructions: there is nothing to pick or exclude");
    }
    if !is_recount {
        state.open_above(WindowKind::AllShown);
    }
}

/// The change made by this verb, if it affects any source.
pub fn change_of(state: &State, verb: BulkVerb) -> Option<&BulkChange> {
    state.bulk.as_ref().map(|preview| verb.of(preview)).filter(|change| !change.ids.is_empty())
}

/// The changes to choose from, one line each.
fn choices(state: &State, detail: Detail) -> impl Iterator<Item = String> {
    let changes = BulkVerb::ALL.into_iter().filter_map(|verb| Some((verb, change_of(state, verb)?)));
    changes.map(move |(verb, change)| choice(state, verb, change, detail))
}

fn text(state: &State, columns: u16) -> WrappedText {
    let columns = text_columns(columns);
    let Some(preview) = &state.bulk else { return WrappedText::default() };
    // Lines must not wrap, so that a click finds its change.
    let fits = |detail: &Detail| choices(state, *detail).all(|line| cells::width(&line) <= columns);
    let detail = Detail::ALL.into_iter().find(fits).unwrap_or(Detail::Count);
    let back = state.key_in(KeyContext::AllShown, Action::Back);
    let about = match preview.sources {
        1 => "1 source is shown.".to_owned(),
        count => format!("{} sources are shown.", cells::grouped(count)),
    };
    let fetched = source_words::may_then_fetch(&preview.pick.change, source_state::ids);
    let pick = state.key_in(KeyContext::AllShown, Action::Bulk(BulkVerb::Pick));
    let trusts = fetched.map(|fetched| format!(" With {pick}, {fetched}.")).unwrap_or_default();
    let about = format!("{about}{trusts} {} undoes all of it in one step.", state.key(Action::Undo));
    let mut lines: Vec<String> = choices(state, detail).collect();
    lines.extend([format!("{back}  nothing"), String::new()]);
    let lines = lines.into_iter().map(|line| (line, ThemeRole::Text));
    paragraphs(lines.chain([(about, ThemeRole::Infra)]), columns)
}

/// The level of detail about a change. The number of sources that it trusts is always included.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Detail {
    /// `+  pick 12 sources: ~76,475 tokens more (~80,102 with instructions), 37 others pulled in, 3 of them untrusted`
    Whole,
    /// `+  pick 12 sources: ~76,475 more, 37 others pulled in, 3 of them untrusted`
    Followed,
    /// `+  pick 12 sources: ~76,475 more`
    Cost,
    /// `+  pick 12 sources`
    Count,
}

impl Detail {
    const ALL: [Self; 4] = [Self::Whole, Self::Followed, Self::Cost, Self::Count];
}

fn choice(state: &State, verb: BulkVerb, BulkChange { ids, change }: &BulkChange, detail: Detail) -> String {
    let key = state.key_in(KeyContext::AllShown, Action::Bulk(verb));
    let line = format!("{key}  {} {}", verb.word(), cells::counted(ids.len(), "source"));
    let none = match verb {
        BulkVerb::Pick | BulkVerb::Include => "no extra tokens",
        BulkVerb::Unpick | BulkVerb::Exclude => "no tokens saved",
    };
    // A figure alone would be read as the tokens of the sources.
    let has_words = detail == Detail::Whole || change.cost.sources == 0;
    let print = if has_words { TokenFormat::Tokens } else { TokenFormat::Figure };
    let cost = change_cost::signed(change.cost, print, "saved").unwrap_or_else(|| none.to_owned());
    let trusts = source_words::trusts(change, detail == Detail::Whole);
    match detail {
        Detail::Count => line + &trusts,
        Detail::Cost => format!("{line}: {cost}{trusts}"),
        Detail::Whole | Detail::Followed => {
            let asked: HashSet<&SourceId> = ids.iter().collect();
            let is_asked = |id: &SourceId| asked.contains(id);
            let others = |ids: &[SourceId]| ids.iter().filter(|id| !is_asked(id)).count();
            let with = match detail {
                Detail::Whole => change_cost::with_instructions(change.cost, TokenFormat::Tokens),
                _ => String::new(),
            };
            let mut parts = vec![cost + &with];
            for (count, what) in [(others(&change.enters), "pulled in"), (others(&change.leaves), "released")] {
                parts.extend((count > 0).then(|| format!("{} {what}", cells::counted(count, "other"))));
            }
            let moved = change.enters.iter().chain(&change.leaves);
            let waiting = UntrustedCounts::of(&state.snapshot, moved, is_asked);
            let count = cells::grouped(waiting.all());
            let waiting = match (waiting, parts.len()) {
                (UntrustedCounts { asked: 0, others: 0 }, _) => String::new(),
                (_, 1) => format!(", {count} {}", source_state::UNTRUSTED),
                (UntrustedCounts { asked: 0, .. }, _) => format!(", {count} of them {}", source_state::UNTRUSTED),
                _ => format!(", {count} {} in all", source_state::UNTRUSTED),
            };
            let over = budget::over_after(state, change.cost).map(|over| format!(", {over}")).unwrap_or_default();
            format!("{line}: {}{waiting}{trusts}{over}", parts.join(", "))
        }
    }
}
