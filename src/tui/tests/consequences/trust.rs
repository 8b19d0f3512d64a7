//! What a change reports about untrusted sources.

use super::large_picks::large;
use super::*;

/// The details pane before and after, and the messages of the pick and its undo.
#[test]
fn all_say_what_waits_for_trust() {
    use refdesk_core::catalog::{Catalog, Mode, PathState};
    let outside = fixture::local("/elsewhere/a.md", PathState::Untrusted);
    let mut sources = fixture::sources();
    sources.insert(0, fixture::source("outside", "Outside", Mode::Selectable, &[], outside));
    let catalog = std::sync::Arc::new(Catalog::new(sources));
    let (with, own) = (", 1 untrusted source", "; its text waits for trust");
    for (id, others, said) in [("circuit-breaker", &["retry-pattern", "outside"][..], with), ("outside", &[], own)] {
        let snapshot = |members: Vec<SelectedSource>, generation| {
            let selection = std::sync::Arc::new(fixture::selection(members, &[], &[]));
            let undo = Some(StepName::of_source("pick", id));
            Snapshot { catalog: catalog.clone(), selection, generation, undo, ..fixture::snapshot() }
        };
        let picked_members = || {
            let others = others.iter().map(|other| fixture::member(other, 1, &[id]));
            std::iter::once(fixture::member(id, 0, &[])).chain(others).collect::<Vec<_>>()
        };
        let mut state = fixture::state(120, 36);
        update(&mut state, Input::Snapshot(Box::new(snapshot(Vec::new(), 2))));
        press(&mut state, "g");
        let rows = catalog.sources().len();
        (0..rows).for_each(|_| {
            if state.subject(Pane::Catalog) != Some(id) {
                press(&mut state, "j");
            }
        });
        assert_eq!(state.subject(Pane::Catalog), Some(id));
        let all: Vec<&str> = std::iter::once(id).chain(others.iter().copied()).collect();
        let sentence = |state: &State| preview::sentence(state, id, NameDetail::Some).unwrap();
        answer(&mut state, Response::SelectionPreview(fixture::preview_selection(id, &all, &[])));
        assert!(sentence(&state).contains(said), "before: {}", sentence(&state));
        answer(&mut state, picked(&[id], &[], others, 3_660));
        assert!(message(&state).contains(said), "picked: {}", message(&state));
        update(&mut state, Input::Snapshot(Box::new(snapshot(picked_members(), 3))));
        answer(&mut state, Response::SelectionPreview(fixture::preview_selection(id, &[], &all)));
        assert!(sentence(&state).contains(said), "after: {}", sentence(&state));
        press(&mut state, "u");
        update(&mut state, Input::Snapshot(Box::new(snapshot(Vec::new(), 4))));
        // A released source costs nothing, trusted or not.
        let undone = message(&state);
        assert!(undone.starts_with("Undone") && !undone.contains("trust"), "undone: {undone}");
    }
}

#[test]
fn untrusted_sources_are_named_before_a_pick_and_have_no_price() {
    let mut state = fixture::state(120, 36);
    let mut sources = fixture::sources();
    let outside = fixture::local("/elsewhere/a.md", refdesk_core::catalog::PathState::Untrusted);
    sources.push(fixture::source("outside", "Outside", refdesk_core::catalog::Mode::Selectable, &[], outside));
    let catalog = std::sync::Arc::new(refdesk_core::catalog::Catalog::new(sources));
    let members = vec![fixture::member("circuit-breaker", 0, &[]), fixture::member("outside", 1, &["circuit-breaker"])];
    let selection = fixture::selection(members, &[], &[]).into();
    update(&mut state, Input::Snapshot(Box::new(Snapshot { catalog, selection, ..fixture::snapshot() })));
    press(&mut state, "2 Z");
    let row = screen(&state).lines().find(|line| line.contains("outside")).unwrap().to_owned();
    assert!(row.contains("untrusted"), "{}", screen(&state));
    press(&mut state, "R Tab");
    let analysis = fixture::analysis(&state);
    answer(&mut state, analysis);
    let row = screen(&state).lines().find(|line| line.contains("outside")).unwrap().to_owned();
    assert!(row.contains("untrusted"), "{}", screen(&state));
    press(&mut state, "Esc Esc 1 Space");
    let mut large = large();
    large.whole.enters.push("outside".into());
    answer(&mut state, Response::LargePick(Box::new(large.clone())));
    assert!(screen(&state).contains("more, 1 untrusted source"), "{}", screen(&state));
    // At any width, other text is dropped before the numbers of untrusted and of trusted sources.
    large.whole.trusts = vec!["payments-api".into()];
    large.whole.cost = refdesk_desk::CostChange { sources: 76_475, total: 80_102 };
    press(&mut state, "Esc Space");
    answer(&mut state, Response::LargePick(Box::new(large)));
    for (columns, said) in [
        (120, "all: +127, ~76,475 tokens more (~80,102 with instructions), 1 untrusted source, trusts 1 source"),
        (80, "all: +127, ~76,475 tokens more, 1 untrusted source, trusts 1 source"),
        (50, "all: +127, ~76,475, 1 untrusted, trusts 1"),
        (40, "all: +127, 1 untrusted, trusts 1"),
        (40, "direct mentions: "),
        (40, "only this one: ~"),
    ] {
        update(&mut state, Input::Resize(ratatui::layout::Size::new(columns, 24)));
        assert!(screen(&state).contains(said), "{columns}: {}", screen(&state));
    }
}

#[test]
fn a_request_names_untrusted_sources() {
    let mut state = fixture::state(120, 36);
    let mut sources = fixture::sources();
    let outside = fixture::local("/elsewhere/a.md", refdesk_core::catalog::PathState::Untrusted);
    sources.push(fixture::source("java-service", "Outside", refdesk_core::catalog::Mode::Selectable, &[], outside));
    sources.retain(|source| source.id.as_str() != "java-service" || source.is_untrusted());
    let catalog = std::sync::Arc::new(refdesk_core::catalog::Catalog::new(sources));
    let mut tokens = (*fixture::snapshot().tokens).clone();
    tokens.remove("java-service");
    let asked = Snapshot {
        catalog,
        tokens: tokens.into(),
        ..fixture::with_requests(&[fixture::asking("r", "claude over mcp", "which rules apply", &["java-service"])])
    };
    update(&mut state, Input::Snapshot(Box::new(asked)));
    press(&mut state, "A");
    assert!(
        screen(&state).lines().any(|line| line.contains("java-service") && line.contains("untrusted")),
        "{}",
        screen(&state)
    );
}

#[test]
fn what_keeping_a_pulled_in_source_trusts_is_said_before() {
    let mut state = fixture::state(120, 36);
    press(&mut state, "2 j");
    let mut preview = fixture::preview_selection("retry-pattern", &[], &["retry-pattern"]);
    preview.toggled.trusts = vec!["retry-pattern".into()];
    answer(&mut state, Response::SelectionPreview(preview));
    let sentence = preview::sentence(&state, "retry-pattern", NameDetail::Some).unwrap();
    assert!(sentence.ends_with(" With p, agents may then fetch @retry-pattern."), "{sentence}");
}
