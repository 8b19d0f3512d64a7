//! The selection as an indented list: each pick, and below it what it pulls in, why, and at what cost.

use refdesk_core::catalog::SourceId;

use super::choice::total;
use super::lists::{NumberedRow, Target, list};
use super::state::{InputOutcome, PlainState};
use super::words::{counted, price, state_words, untrusted_among};
use crate::common::filter::Order;
use crate::common::selection_tree::{PickConsequence, TreeRow, TreeRowKind, rows};
use refdesk_desk::engine::Snapshot;

pub fn show(state: &mut PlainState, turn: &mut InputOutcome) {
    let snapshot = &state.snapshot;
    let rows: Vec<NumberedRow> =
        rows(snapshot, Order::Catalog).iter().filter_map(|row| numbered(snapshot, row)).collect();
    turn.print(total(snapshot));
    if rows.is_empty() {
        turn.print("Type catalog to list the sources, and pick with a number to pick one.");
    }
    list(state, rows, turn);
}

fn numbered(snapshot: &Snapshot, row: &TreeRow) -> Option<NumberedRow> {
    let id = row.id(snapshot)?;
    Some(NumberedRow::new(Target::Source(SourceId::from(id)), words(snapshot, row, id)))
}

/// `  retry-pattern, pulled in by circuit-breaker, about 2,210 tokens.`
fn words(snapshot: &Snapshot, row: &TreeRow, id: &str) -> String {
    let indent = "  ".repeat(row.level.min(10));
    let standing = match row.kind {
        TreeRowKind::Dormant(_) => "dormant: a pick that is no longer in the catalog".to_owned(),
        _ => state_words(snapshot, id),
    };
    let PickConsequence { others, waiting, .. } = row.brings;
    let brings = match others {
        0 => String::new(),
        some => format!(" It brings {}{}.", counted(some, "more source"), untrusted_among(waiting, some)),
    };
    match row.kind {
        TreeRowKind::Dormant(_) | TreeRowKind::Excluded(_) => format!("{indent}{id}, {standing}."),
        _ => format!("{indent}{id}, {standing}, {}.{brings}", price(snapshot, id)),
    }
}
