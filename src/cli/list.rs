//! `refdesk list`: the sources of the catalog and their state.

use rayon::prelude::*;
use serde_json::{Value, json};

use super::answer::{CommandOutput, object};
use super::args::{ListArgs, ModeFilter, OutputFormat};
use super::{fix, rows, table};
use crate::common::source_words::WAITS_FOR_TRUST;
use refdesk_core::catalog::{Mode, Source};
use refdesk_core::selection::SelectionState;
use refdesk_desk::{Desk, TagFilter};
use refdesk_text::tokens::{counted, grouped};

pub fn run(desk: &mut Desk, args: &ListArgs, format: OutputFormat) -> CommandOutput {
    let desk = &desk.settled();
    if desk.catalog().is_empty()
        && let Err(unread) = desk.check_empty()
    {
        return CommandOutput::refused(unread);
    }
    let tags = TagFilter::new(&args.tags);
    let wanted = |source: &&Source| {
        let selected = desk.selection().contains(source.id.as_str());
        let mode = match args.mode {
            ModeFilter::All => true,
            ModeFilter::Auto => source.mode == Mode::Auto,
            ModeFilter::Selectable => source.mode == Mode::Selectable,
        };
        mode && (!args.selected || selected)
            && (!args.unselected || !selected)
            && (args.tags.is_empty() || tags.matches(source))
    };
    let sources: Vec<&Source> = desk.catalog().sources().iter().filter(wanted).collect();
    let budget = refdesk_files::walk::WalkBudget::default();
    let tokens: Vec<Option<u64>> = sources.par_iter().map(|source| desk.tokens(source, &budget)).collect();
    let selected = sources.iter().filter(|source| desk.selection().contains(source.id.as_str())).count();
    let to_json = || {
        let rows = sources.par_iter().zip(&tokens).map(|(source, tokens)| desk.rows().listed(source, *tokens));
        object([
            ("sources", Value::Array(rows.collect())),
            ("total", json!(sources.len())),
            ("selected_count", json!(selected)),
        ])
    };
    // Suggest listing every source only if there are no other filters.
    let is_unselected = args.selected && args.tags.is_empty() && matches!(args.mode, ModeFilter::All);
    let mut notes = desk.unknown_tags(&args.tags);
    notes.extend(dormant(desk, desk.selection().dormant()));
    let closing = match format {
        OutputFormat::Text => closing(desk, &sources, is_unselected),
        OutputFormat::Json => String::new(),
    };
    CommandOutput { notes, closing, ..CommandOutput::either(format, to_json, || to_text(desk, &sources, &tokens)) }
}

/// Reports picks whose source does not exist. No list of sources contains them, and they take effect again when the
/// source returns.
fn dormant(desk: &Desk, picks: &[String]) -> Option<String> {
    let first = picks.first()?;
    // A warning about the profile says the same.
    if desk.profile_place(first).is_some() {
        return None;
    }
    let (are, them) = if picks.len() == 1 { ("is", "it") } else { ("are", "them") };
    let (unselect, picks) = (fix::arguments(picks), rows::first_of(picks));
    Some(format!(
        "picked, but {are} not in the catalog now: {picks} (dormant; `refdesk unselect {unselect}` removes {them})"
    ))
}

/// The counts, or why there is nothing to count.
fn closing(desk: &Desk, sources: &[&Source], is_unselected: bool) -> String {
    match sources.is_empty() {
        false => format!("{}\n", counts(desk, sources)),
        true if desk.catalog().is_empty() => fix::empty_catalog(desk),
        true if is_unselected => "Nothing is selected: `refdesk select ID` selects a source.\n".to_owned(),
        true => "No source matches these filters.\n".to_owned(),
    }
}

fn to_text(desk: &Desk, sources: &[&Source], tokens: &[Option<u64>]) -> String {
    if sources.is_empty() {
        return String::new();
    }
    let (waits, is_hopeless) = (desk.waiting_for_trust(), desk.beyond_trust());
    let row = |(source, tokens): (&&Source, &Option<u64>)| {
        vec![
            SelectionState::of(desk.catalog(), desk.selection(), source.id.as_str()).mark().to_owned(),
            source.id.to_string(),
            source.kind.word().to_owned(),
            source.mode.word().to_owned(),
            match tokens {
                Some(tokens) => format!("~{}", grouped(tokens)),
                None if is_hopeless(source) => "cannot be trusted".to_owned(),
                None if waits(source) => WAITS_FOR_TRUST.to_owned(),
                None => "-".to_owned(),
            },
            source.tags.join(", "),
        ]
    };
    let table: Vec<Vec<String>> = sources.iter().zip(tokens).map(row).collect();
    format!("{}\n", table::table(&table, &[5]))
}

/// `3 sources, 1 selected, 1 auto, 1 missing`. An agent gets auto sources anyway, so those that are only mentioned, or are
/// only roots, count as auto, as on the screen.
pub fn counts(desk: &Desk, sources: &[&Source]) -> String {
    let (waits, is_hopeless) = (desk.waiting_for_trust(), desk.beyond_trust());
    let selected = sources.iter().filter(|source| desk.selection().counts(source)).count();
    let auto = sources.iter().filter(|it| it.mode == Mode::Auto && !desk.selection().counts(it)).count();
    let missing = sources.iter().filter(|source| source.is_missing()).count();
    let of = |count, what| if count > 0 { format!(", {count} {what}") } else { String::new() };
    let (auto, missing) = (of(auto, "auto"), of(missing, "missing"));
    let hopeless = match sources.iter().filter(|source| is_hopeless(source)).count() {
        0 => String::new(),
        count => format!("; {} cannot be trusted: `refdesk check`", grouped(count)),
    };
    let waiting = match sources.iter().filter(|source| waits(source) && !is_hopeless(source)).count() {
        0 => String::new(),
        1 => format!("; 1 {WAITS_FOR_TRUST} and is not read: `refdesk trust`"),
        count => format!("; {} wait for trust and are not read: `refdesk trust`", grouped(count)),
    };
    let all = counted(sources.len(), "source");
    format!("{all}, {selected} selected{auto}{missing}{waiting}{hopeless}")
}
