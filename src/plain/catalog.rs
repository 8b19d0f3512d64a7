//! Lists the catalog, filtered and sorted, one page at a time.

use std::collections::HashSet;

use refdesk_desk::engine::Snapshot;

use super::lists::{NumberedRow, list};
use super::state::{InputOutcome, PlainState};
use super::words::{counted, invalid_filter, price, state_words};
use crate::common::filter::{Haystack, Order, Query, apply};

/// `retry-pattern, picked, about 387 tokens.`
pub fn sentence(snapshot: &Snapshot, id: &str) -> String {
    format!("{id}, {}, {}.", state_words(snapshot, id), price(snapshot, id))
}

/// Whether the catalog has no sources; then says how to make one.
pub fn is_empty(state: &PlainState, turn: &mut InputOutcome) -> bool {
    let is_empty = state.snapshot.catalog.is_empty();
    if is_empty {
        turn.print("The catalog has no sources.");
        turn.print(match &state.snapshot.home {
            Some(place) => super::problems::in_home(place),
            None => "The command refdesk init makes a catalog of what the repository has. refdesk add adds one source."
                .to_owned(),
        });
    }
    is_empty
}

/// Lists the sources that match this filter, or all.
pub fn show(state: &mut PlainState, filter: &str, turn: &mut InputOutcome) {
    if is_empty(state, turn) {
        return;
    }
    let catalog = state.snapshot.catalog.clone();
    filter.clone_into(&mut state.filter);
    let query = Query::parse(filter);
    if let Some(fault) = &query.fault {
        turn.print(invalid_filter(fault));
        return list(state, Vec::new(), turn);
    }
    let is_all = query.is_empty();
    let kept = apply(&state.snapshot, &Haystack::of(&catalog), query, None);
    let rows = match state.order.sequence(&state.snapshot) {
        None => kept.rows,
        Some(sequence) => {
            let kept: HashSet<usize> = kept.rows.into_iter().collect();
            sequence.into_iter().filter(|at| kept.contains(at)).collect()
        }
    };
    let sources = catalog.sources();
    let sources = rows.iter().filter_map(|at| sources.get(*at));
    let rows: Vec<NumberedRow> = sources.map(|source| NumberedRow::of_source(source.id.clone())).collect();
    let all = counted(catalog.len(), "source");
    match (is_all, rows.len()) {
        (true, _) => turn.print(format!("{all}.")),
        (false, 0) => {
            // The clause that matches nothing on its own is the cause.
            let unmatched_clause = kept.unmatched_clause.as_deref().unwrap_or(filter);
            let advice = kept.advice.map(|advice| format!(" {advice}")).unwrap_or_default();
            turn.print(format!("None of {all} matches {unmatched_clause}.{advice} Type catalog to list all."));
        }
        (false, 1) => turn.print(format!("1 of {all} matches {filter}.")),
        (false, some) => turn.print(format!("{some} of {all} match {filter}.")),
    }
    list(state, rows, turn);
}

/// Sorts the catalog in the named order, or the next one, and lists it with the same filter.
pub fn sort(state: &mut PlainState, by: &str, turn: &mut InputOutcome) {
    let order = if by.is_empty() { Some(state.order.next()) } else { Order::from_word(&by.to_lowercase()) };
    let Some(order) = order else {
        return turn.print(format!(
            "Sources cannot be sorted by {by}. Type sort catalog, id, name, type, mode, tags, tokens or state."
        ));
    };
    state.order = order;
    turn.print(format!("{}.", order.sentence()));
    let filter = state.filter.clone();
    show(state, &filter, turn);
}
