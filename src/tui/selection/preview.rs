//! Previews what picking or excluding the source under the cursor would change.

use ratatui::text::Line;

use crate::common::change_cost::{self, TokenFormat};
use crate::common::source_words;
use crate::tui::action::Action;
use crate::tui::pane_view;
use crate::tui::source_state;
use crate::tui::state::State;
use crate::tui::theme::ThemeRole;
use crate::tui::widgets::cells;
use refdesk_core::catalog::{Source, SourceId};
use refdesk_desk::engine::Snapshot;
use refdesk_desk::{CostChange, SelectionChange};
use refdesk_text::names::first_and_count;

/// Names before `+N more`.
const SHOWN: usize = 4;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NameDetail {
    /// A few names, readable at a glance.
    Some,
    /// A single name; more are only counted.
    Counted,
}

/// The preview for this source, in lines of this width; empty until the answer arrives.
fn lines(state: &State, id: &str, names: NameDetail, columns: usize) -> Vec<Line<'static>> {
    let sentence = sentence(state, id, names);
    sentence.map_or_else(Vec::new, |sentence| pane_view::wrapped(state, &sentence, ThemeRole::Hints, columns))
}

/// Adds the preview to the lines about this source: last, without names if room is short, unless so many lines precede it
/// that it would not be visible in `rows`; then it follows the first line.
pub fn add(state: &State, id: &str, about: &mut Vec<Line<'static>>, columns: usize, rows: usize) {
    let is_seen = |effect: &Vec<Line<'static>>| about.len() + effect.len() <= rows;
    let whole = Some(lines(state, id, NameDetail::Some, columns)).filter(is_seen);
    let effect = whole.unwrap_or_else(|| lines(state, id, NameDetail::Counted, columns));
    let at = if is_seen(&effect) { about.len() } else { about.len().min(1) };
    about.splice(at..at, effect);
}

/// The preview as one sentence; `None` until the answer arrives, or if there is nothing to choose.
pub fn sentence(state: &State, id: &str, names: NameDetail) -> Option<String> {
    let left = state.left_previews.iter().filter(|(at, _)| *at == state.snapshot.generation).map(|(_, left)| left);
    let mut known = state.choice_preview.answer.iter().chain(left);
    let outlook = known.find(|outlook| outlook.id == id)?;
    let of = &state.snapshot;
    let selection = &of.selection;
    let is_missing = of.catalog.get(id).is_some_and(Source::is_missing);
    let is_auto = source_state::is_auto(of, id);
    let (toggled, excluded) = (&outlook.toggled, &outlook.excluded);
    let [pick, exclude] = [Action::Toggle, Action::Exclude].map(|action| state.key(action));
    Some(match selection.member(id) {
        _ if selection.dormant().iter().any(|dormant| dormant == id) => return None,
        Some(member) if !member.parents.is_empty() && is_auto => match others(&excluded.leaves, id).as_slice() {
            [] => format!("{exclude} would keep others from pulling it in; it stays in the instructions."),
            with => format!(
                "{exclude} would release {}: {}{}; it stays in the instructions itself.",
                named(with, names),
                saved(excluded),
                waiting(of, with)
            ),
        },
        Some(member) if !member.parents.is_empty() => {
            let exclusion = match others(&excluded.leaves, id).as_slice() {
                [] => format!("it: {}{}", saved(excluded), source_words::untrusted_note(of, id)),
                with => {
                    let (others, saved) = (named(with, names), saved(excluded));
                    format!("it and release {others}: {saved}{}", waiting(of, with))
                }
            };
            let fetched = source_words::may_then_fetch(toggled, source_state::ids);
            let kept = fetched.map(|fetched| format!(" With {}, {fetched}.", state.key(Action::Keep)));
            format!("{exclude} would exclude {exclusion}.{}", kept.unwrap_or_default())
        }
        Some(_) if selection.is_picked(id) => {
            let lifted = match outlook.lifted {
                0 => String::new(),
                count => format!(" It also lifts {}, made with the pick.", cells::counted(count, "exclusion")),
            };
            unpick_consequence(of, &pick, toggled, id, names) + &lifted
        }
        _ if is_missing => return None,
        _ => match others(&toggled.enters, id).as_slice() {
            [] if is_auto => "Picking it would add nothing.".to_owned(),
            [] => {
                format!(
                    "{pick} would pick only this source: {}{}{}.",
                    with_instructions(change_cost::added, toggled),
                    source_words::untrusted_note(of, id),
                    source_words::would_trust(toggled, source_state::ids)
                )
            }
            with => format!(
                "{pick} would pick it and pull in {}: {}{}{}.",
                named(with, names),
                with_instructions(change_cost::more, toggled),
                waiting(of, with),
                source_words::would_trust(toggled, source_state::ids)
            ),
        },
    })
}

/// What unpicking would release. Untrusted sources have no price, so they are counted separately, as they
/// were when picked.
fn unpick_consequence(of: &Snapshot, pick: &str, follows: &SelectionChange, id: &str, names: NameDetail) -> String {
    let is_auto = source_state::is_auto(of, id);
    let stays = !follows.leaves.iter().any(|left| left.as_str() == id);
    match others(&follows.leaves, id).as_slice() {
        [] if stays => format!("{pick} would unpick it; others still pull it in."),
        [] if is_auto => format!("{pick} would unpick it; it stays in the instructions."),
        [] => format!("{pick} would unpick it: {}{}.", saved(follows), source_words::untrusted_note(of, id)),
        with => {
            let (others, saved) = (named(with, names), saved(follows));
            format!("{pick} would unpick it and release {others}: {saved}{}.", waiting(of, with))
        }
    }
}

/// How many of these others are untrusted.
fn waiting(of: &Snapshot, others: &[&SourceId]) -> String {
    source_words::waiting(source_words::count_waiting(of, others.iter().copied()))
}

fn others<'a>(ids: &'a [SourceId], id: &str) -> Vec<&'a SourceId> {
    ids.iter().filter(|other| other.as_str() != id).collect()
}

/// `@a, @b`, or `7 others (@a, @b, @c, @d, +3 more)`, or only `7 others`.
fn named(ids: &[&SourceId], names: NameDetail) -> String {
    let count = cells::grouped(ids.len());
    match (ids, names) {
        ([_, _, ..], NameDetail::Counted) => return format!("{count} others"),
        ([one], _) => return format!("@{one}"),
        _ => {}
    }
    let shown = first_and_count(ids.iter().map(|id| format!("@{id}")), SHOWN);
    if ids.len() > SHOWN { format!("{count} others ({shown})") } else { shown }
}

fn saved(change: &SelectionChange) -> String {
    with_instructions(change_cost::fewer, change)
}

fn with_instructions(words: fn(CostChange, TokenFormat) -> String, change: &SelectionChange) -> String {
    words(change.cost, TokenFormat::Tokens) + &change_cost::with_instructions(change.cost, TokenFormat::Tokens)
}
