//! What a pick reports about sources of mode auto, which an agent gets anyway.

use super::*;

#[test]
fn an_auto_source_says_once_what_a_pick_of_it_does() {
    let mut state = fixture::state(120, 36);
    press(&mut state, "2 G k k");
    assert_eq!(state.selected(), Some("team-conventions"));
    let shown = screen(&state);
    assert!(shown.contains("Mode auto: always in the instructions") && !shown.contains("pulls in what"), "{shown}");
    let preview = fixture::preview_selection("team-conventions", &["team-conventions"], &[]);
    answer(&mut state, Response::SelectionPreview(preview));
    assert!(screen(&state).contains("Picking it would add nothing."), "{}", screen(&state));
    for keys in ["1", "f", "4", "2"] {
        press(&mut state, keys);
        let sentence = preview::sentence(&state, "team-conventions", NameDetail::Some);
        assert_eq!(sentence.as_deref(), Some("Picking it would add nothing."), "{keys}");
    }
}

#[test]
fn details_keep_what_a_pick_does_while_another_pane_has_the_focus() {
    let mut state = fixture::state(120, 36);
    press(&mut state, "j");
    let preview = fixture::preview_selection("circuit-breaker", &[], &["circuit-breaker", "timeouts"]);
    answer(&mut state, Response::SelectionPreview(preview));
    let is_said = |state: &State| preview::sentence(state, "circuit-breaker", NameDetail::Some).is_some();
    assert!(is_said(&state), "{}", screen(&state));
    press(&mut state, "4");
    assert!(is_said(&state), "{}", screen(&state));
    update(&mut state, Input::Snapshot(Box::new(Snapshot { generation: 9, ..fixture::snapshot() })));
    assert!(!is_said(&state), "it may be outdated");
    press(&mut state, "1");
    let preview = fixture::preview_selection("circuit-breaker", &[], &["circuit-breaker", "timeouts"]);
    answer(&mut state, Response::SelectionPreview(preview));
    press(&mut state, "4");
    assert!(is_said(&state), "{}", screen(&state));
}

/// The user's pick pulls in the conventions, which have mode auto.
fn with_auto_pulled_in() -> State {
    let mut state = fixture::state(120, 36);
    let members =
        vec![fixture::member("circuit-breaker", 0, &[]), fixture::member("team-conventions", 1, &["circuit-breaker"])];
    let selection = fixture::selection(members, &[], &[]).into();
    update(&mut state, Input::Snapshot(Box::new(Snapshot { selection, ..fixture::snapshot() })));
    press(&mut state, "2 j");
    assert_eq!(state.selected(), Some("team-conventions"));
    state
}

#[test]
fn an_auto_source_that_is_pulled_in_stays_auto_and_in_the_instructions() {
    let mut state = with_auto_pulled_in();
    let row = |state: &State| screen(state).lines().find(|line| line.contains("team-conventions")).unwrap().to_owned();
    assert!(row(&state).contains("◆ team-conventions"), "{}", screen(&state));
    assert_eq!((state.counts.picked, state.counts.pulled_in, state.counts.auto), (1, 0, 1));
    assert!(
        screen(&state).contains("Mode auto: always in the instructions. Mentioned by 1 source"),
        "{}",
        screen(&state)
    );
    press(&mut state, "1");
    assert!(screen(&state).contains("always in the instructions, mentioned by"), "{}", screen(&state));
    press(&mut state, "2");
    for (leaves, said) in [
        (&["team-conventions"][..], "x would keep others from pulling it in; it stays in the"),
        (&["team-conventions", "timeouts"], "x would release @timeouts: ~2,000 tokens fewer; it"),
    ] {
        answer(&mut state, Response::SelectionPreview(fixture::preview_selection("team-conventions", &[], leaves)));
        let shown = screen(&state);
        assert!(shown.contains(said) && !shown.contains("unknown"), "{shown}");
    }
    press(&mut state, "x");
    let selection = fixture::selection(vec![fixture::member("circuit-breaker", 0, &[])], &[], &["team-conventions"]);
    let after = Snapshot { selection: selection.into(), undo: Some("x".into()), ..fixture::snapshot() };
    update(&mut state, Input::Snapshot(Box::new(after)));
    assert_eq!(message(&state), "Excluded @team-conventions, which stays in the instructions: u undoes it");
}

#[test]
fn an_auto_source_that_is_pulled_in_counts_as_auto_and_costs_nothing_more() {
    let mut state = fixture::state(120, 36);
    let before = (state.counts.pulled_in, state.counts.auto, state.counts.tokens);
    assert!(state.snapshot.selection.member("team-conventions").is_none());
    let mut members = state.snapshot.selection.members().to_vec();
    members.push(fixture::member("team-conventions", 1, &["circuit-breaker"]));
    let selection = fixture::selection(members, &["old-runbook"], &["release-notes"]).into();
    update(&mut state, Input::Snapshot(Box::new(Snapshot { selection, ..fixture::snapshot() })));
    assert_eq!(
        (state.counts.pulled_in, state.counts.auto, state.counts.tokens),
        before,
        "an agent gets it before and after"
    );
    let picked = refdesk_desk::Picked {
        status: refdesk_desk::PickStatus::Success,
        picked: vec!["circuit-breaker".into()],
        kept: Vec::new(),
        pulled_in: vec!["timeouts".into(), "team-conventions".into()],
        excluded: Vec::new(),
        trusted: Vec::new(),
        unknown: Vec::new(),
        missing: Vec::new(),
        done: String::new(),
        left_out: Vec::new(),
        cost: of_sources(2_000),
    };
    let answered = (picked, serde_json::Value::Null);
    answer(&mut state, Response::Picked(Ok(Box::new(answered))));
    let said = message(&state);
    assert!(said.contains("1 more source pulled in, ~2,000 tokens more"), "{said}");
}
