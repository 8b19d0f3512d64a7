//! The tour: each step waits for the action that it asks for, it can be left at any time, and it uses only free rows.

use std::sync::Arc;

use ratatui::layout::Size;

use crate::tui::fixture;
use crate::tui::input::Input;
use crate::tui::state::State;
use crate::tui::tests::{answer, press, screen, typed};
use crate::tui::tour::Tour;
use crate::tui::update::update;
use refdesk_desk::engine::Response;

fn touring(width: u16, height: u16) -> State {
    let mut state = fixture::state(width, height);
    state.tour = Some(Tour::new(&state));
    state
}

/// The step that the box shows: `3 of 10`.
fn step(state: &State) -> String {
    let shown = screen(state);
    let line = shown.lines().find(|line| line.contains("Tour ")).unwrap_or_default();
    line.split("C-g").next().unwrap_or_default().trim_matches(|c: char| !c.is_alphanumeric()).to_owned()
}

/// The engine's answer to a pick, or to undoing it.
fn picks(state: &mut State, picked: &[&str]) {
    let members = picked.iter().map(|id| fixture::member(id, 0, &[])).collect();
    let snapshot = refdesk_desk::engine::Snapshot {
        generation: state.snapshot.generation + 1,
        selection: Arc::new(fixture::selection(members, &[], &[])),
        ..fixture::snapshot()
    };
    update(state, Input::Snapshot(Box::new(snapshot)));
}

#[test]
fn every_step_waits_for_its_keys_and_no_others() {
    let mut state = touring(120, 36);
    let at = |state: &State, number: usize| {
        let shown = step(state);
        assert!(shown.ends_with(&format!("{number} of 10")), "step {number}: {shown}\n{}", screen(state));
    };
    at(&state, 1);
    press(&mut state, "j 3 1 k");
    at(&state, 1);
    for (number, keys) in [(2, "2"), (3, "j"), (4, "1 / \"retry\" Enter")] {
        press(&mut state, keys);
        at(&state, number);
    }
    press(&mut state, "Space");
    at(&state, 4);
    picks(&mut state, &["circuit-breaker", "retry-pattern"]);
    at(&state, 5);
    picks(&mut state, &["circuit-breaker"]);
    at(&state, 6);
    typed(&mut state, "3 Enter \"java\"");
    at(&state, 6);
    assert!(screen(&state).contains("to leave the prompt, then v"), "{}", screen(&state));
    for (number, keys) in [(7, "Esc v"), (8, "f"), (9, "4 Enter")] {
        press(&mut state, keys);
        at(&state, number);
    }
    press(&mut state, "Esc Esc 6");
    let effects = answer(&mut state, Response::Databases(Arc::new(fixture::overview())));
    fixture::answer_pages(&mut state, effects);
    at(&state, 9);
    // The row that the step names completes it, and no row above does.
    let shown = screen(&state);
    let named = shown.split("a table such as ").nth(1).and_then(|rest| rest.split(',').next()).unwrap().to_owned();
    let is_it = |state: &State| state.databases.table().is_some_and(|table| table.name.name == named);
    while !is_it(&state) {
        at(&state, 9);
        let effects = press(&mut state, "j");
        fixture::answer_pages(&mut state, effects);
    }
    press(&mut state, "j k");
    at(&state, 10);
    press(&mut state, ":");
    assert!(step(&state).ends_with("done"), "{}", screen(&state));
    press(&mut state, "C-g");
    assert!(!screen(&state).contains("Tour"), "{}", screen(&state));
}

#[test]
fn it_can_be_left_at_any_step_also_while_typing() {
    for keys in ["", "/ \"retry\"", ":", "3 Enter \"pay\"", "?"] {
        let mut state = touring(80, 24);
        press(&mut state, keys);
        press(&mut state, "C-g");
        assert_eq!(state.tour, None, "{keys}");
    }
    let mut state = fixture::state(80, 24);
    press(&mut state, "C-g");
    assert!(screen(&state).contains("There is no tour here"), "{}", screen(&state));
}

#[test]
fn a_terminal_without_room_for_it_keeps_its_panes() {
    for (width, height) in [(40, 10), (40, 14), (60, 12), (39, 30), (1, 1), (0, 0)] {
        let mut state = touring(120, 36);
        update(&mut state, Input::Resize(Size { width, height }));
        if width > 0 && height > 0 {
            screen(&state);
        }
        press(&mut state, "j 2");
    }
}

macro_rules! steps {
    ($($name:ident: $width:literal x $height:literal, $keys:literal;)*) => {
        $(
            #[test]
            fn $name() {
                let mut state = touring($width, $height);
                press(&mut state, $keys);
                insta::assert_snapshot!(screen(&state));
            }
        )*
    };
}

steps! {
    first_80x24: 80 x 24, "";
    third_120x36: 120 x 36, "2 j";
    first_200x60: 200 x 60, "";
}
