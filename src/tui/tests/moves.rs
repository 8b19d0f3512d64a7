//! Moving the cursor of the catalog writes few bytes and requests no documents on the way.

use ratatui::layout::Rect;
use ratatui::{Terminal, TerminalOptions, Viewport};

use crate::tui::action::Action;
use crate::tui::catalog::reading::has_left_document;
use crate::tui::draw::draw;
use crate::tui::fixture;
use crate::tui::input::{Effect, Input};
use crate::tui::pane::Pane;
use crate::tui::state::State;
use crate::tui::terminal::encoder::FrameEncoder;
use crate::tui::tests::{answer, press, screen, typed};
use crate::tui::update::update;
use crate::tui::widgets::motion::Motion;
use refdesk_desk::engine::{Request, Response};

/// Moves the cursor without letting it rest.
fn step(state: &mut State, motion: Motion) -> Vec<Effect> {
    update(state, Input::Act(Action::Move(motion)))
}

/// The sources whose documents are requested.
fn asked(effects: &[Effect]) -> Vec<&str> {
    let mut asked = Vec::new();
    for effect in effects {
        if let Effect::Ask(Request::Read { id, .. }) = effect {
            asked.push(id.as_str());
        }
    }
    asked
}

/// The number of bytes written to draw each of these states in turn.
fn bytes_of(states: &[State]) -> Vec<usize> {
    let size = states[0].size;
    let viewport = Viewport::Fixed(Rect::new(0, 0, size.width, size.height));
    let mut terminal = Terminal::with_options(FrameEncoder::default(), TerminalOptions { viewport }).unwrap();
    terminal.backend_mut().set_columns(size.width);
    let mut frame = |state: &State| {
        terminal.draw(|frame| draw(state, frame)).unwrap();
        terminal.backend_mut().take_frame().len()
    };
    states.iter().map(&mut frame).collect()
}

/// The bottom line, whose keys differ between picked and other rows.
fn keys_of(state: &State) -> String {
    screen(state).lines().last().unwrap().to_owned()
}

#[test]
fn a_move_of_the_cursor_is_few_bytes_beside_a_document_and_without_one() {
    for keys in ["", "z"] {
        let mut state = fixture::state(120, 36);
        typed(&mut state, keys);
        let mut states = vec![state.clone()];
        for motion in [Motion::Down, Motion::Down, Motion::Up, Motion::Down, Motion::Down] {
            step(&mut state, motion);
            states.push(state.clone());
        }
        let bytes = bytes_of(&states);
        let mut most = Vec::new();
        for (nth, moved) in states.windows(2).enumerate() {
            let most_here = if keys_of(&moved[0]) == keys_of(&moved[1]) { 150 } else { 400 };
            assert!((20..=most_here).contains(&bytes[nth + 1]), "{bytes:?} after {keys:?}");
            most.push(most_here);
        }
        assert!(most.contains(&150) && most.contains(&400), "{most:?}");
    }
}

#[test]
fn no_document_is_requested_until_the_cursor_rests() {
    let mut state = fixture::state(120, 36);
    typed(&mut state, "");
    let first = state.subject(Pane::Catalog).unwrap().to_owned();
    let before = screen(&state);
    for _ in 0..3 {
        assert_eq!(step(&mut state, Motion::Down), [], "nothing is asked on the way");
    }
    let row = state.subject(Pane::Catalog).unwrap().to_owned();
    let title = |state: &State| {
        let shown = screen(state);
        let titled = |id: &str| shown.contains(&format!("╭ {id} ─")) && shown.contains(&format!("@{id}"));
        (titled(&first), titled(&row))
    };
    assert_eq!(title(&state), (true, false), "the document keeps its own title");
    let text = |screen: &str| screen.contains("A call that fails again and again");
    assert!(text(&before) && text(&screen(&state)));
    let rested = update(&mut state, Input::Rest);
    assert_eq!(asked(&rested), [&row]);
    assert!(!has_left_document(&state));
    assert!(state.lacks_document() && state.lacks_preview(), "its frame waits for both");
    assert_eq!((title(&state), text(&screen(&state))), ((false, true), false));
    answer(&mut state, Response::Document(fixture::document(&row, "# Another\n")));
    assert!(screen(&state).contains("Another"));
    assert_eq!(update(&mut state, Input::Rest), [], "the document has followed already");
}

#[test]
fn actions_on_a_row_do_not_wait_for_rest() {
    for (keys, shown) in [("Enter", true), (" ", true), ("o", true), ("?", true), ("", false)] {
        let mut state = fixture::state(120, 36);
        typed(&mut state, "");
        step(&mut state, Motion::Down);
        let row = state.subject(Pane::Catalog).unwrap().to_owned();
        let effects = match keys {
            "" => update(&mut state, Input::Snapshot(Box::new(fixture::snapshot()))),
            " " => update(&mut state, Input::Act(Action::Toggle)),
            keys => press(&mut state, keys),
        };
        assert_eq!(asked(&effects).contains(&row.as_str()), shown, "{keys:?}: {effects:?}");
    }
}
