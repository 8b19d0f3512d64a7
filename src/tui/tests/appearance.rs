//! Borders moved by keys, themes, the cursor and the bottom line, as tables.

use std::sync::Arc;

use ratatui::layout::{Rect, Size};

use crate::tui::fixture;
use crate::tui::input::Input;
use crate::tui::layout::MIN;
use crate::tui::pane::Pane;
use crate::tui::tests::{message, press, screen, snapshot};
use crate::tui::update::update;
use crate::tui::views::View;
use refdesk_desk::engine::Snapshot;

#[test]
fn borders_move_by_keys() {
    let mut state = fixture::state(120, 36);
    press(&mut state, "0");
    let usual = state.layout().cells();
    for (keys, width, height) in [
        ("<", usual.width - 2, usual.height),
        (">", usual.width + 2, usual.height),
        ("-", usual.width, usual.height - 1),
        ("+", usual.width, usual.height + 1),
        ("- - +", usual.width, usual.height - 1),
        ("> <", usual.width, usual.height),
    ] {
        let mut state = fixture::state(120, 36);
        press(&mut state, "0");
        press(&mut state, keys);
        assert_eq!(state.layout().cells(), Size { width, height }, "{keys}");
    }
    let mut state = fixture::state(120, 36);
    press(&mut state, &"< ".repeat(60));
    assert_eq!(state.layout().cells().width, MIN.width);
    assert_eq!(message(&state), "the border cannot go further: a pane would be too small");
    press(&mut state, "+");
    assert_eq!(message(&state), "there is no border to move up or down: the panes are beside each other");
    press(&mut state, "z >");
    assert_eq!(message(&state), "there is no border to move: one pane fills the screen");
}

#[test]
fn a_theme_with_a_background_has_it_everywhere() {
    for theme in ["light", "contrast", "colourblind"] {
        let mut state = fixture::state(120, 36);
        state.skin.theme = state.theme_choice.themes.theme(theme).unwrap();
        for keys in ["", "?", "Esc d", "Esc :", "Esc C", "Esc 4 z"] {
            press(&mut state, keys);
            let buffer = snapshot::buffer(&state);
            let whole = Rect::new(0, 0, 120, 36);
            assert_eq!(buffer.area, whole);
            let bare = |cell: &&ratatui::buffer::Cell| [cell.bg, cell.fg].contains(&ratatui::style::Color::Reset);
            assert_eq!(buffer.content.iter().filter(bare).count(), 0, "{theme} after {keys:?}");
        }
    }
}

#[test]
fn a_source_picked_in_another_pane_is_under_the_cursor_of_the_selection() {
    for (keys, at) in [("", "timeouts"), ("3", "timeouts"), ("2 G", "release-notes")] {
        let mut state = fixture::state(120, 36);
        press(&mut state, keys);
        let mut snapshot = fixture::snapshot();
        let members = vec![
            fixture::member("circuit-breaker", 0, &[]),
            fixture::member("timeouts", 0, &[]),
            fixture::member("retry-pattern", 1, &["circuit-breaker"]),
        ];
        snapshot.selection = Arc::new(fixture::selection(members, &[], &["release-notes"]));
        update(&mut state, Input::Snapshot(Box::new(snapshot)));
        assert_eq!(state.subject(Pane::Selection), Some(at), "{keys}");
    }
}

#[test]
fn the_bottom_line_of_a_prompt_shows_possible_actions() {
    let both = ["Up previous prompt", "C-x clear prompt"];
    for (keys, shown) in [
        ("3 i", [false, false]),
        ("3 i \"a\"", [false, true]),
        ("3 i \"a\" C-x", [true, false]),
        ("3 i \"a\" C-x \"b\"", [true, true]),
        ("3 i \"a\" C-x \"b\" Enter", [false, true]),
        ("3 i \"a\" C-x Up", [false, true]),
        ("3 i \"a\" Esc i", [false, true]),
        ("3 i \"a\" Esc", [false, false]),
    ] {
        let mut state = fixture::state(80, 24);
        press(&mut state, keys);
        let bottom = screen(&state).lines().last().unwrap_or_default().to_owned();
        assert_eq!(both.map(|label| bottom.contains(label)), shown, "{keys}: {bottom}");
    }
}

#[test]
fn the_bottom_line_offers_only_what_works() {
    let nothing = || {
        let mut state = fixture::state(120, 36);
        let snapshot = Snapshot { workspace: "/home/ada/payments".into(), ..Snapshot::default() };
        update(&mut state, Input::Snapshot(Box::new(snapshot)));
        press(&mut state, "Esc");
        state
    };
    let full = || fixture::state(120, 36);
    for (state, keys, not, offered) in [
        (full(), "j j", "Space", "x exclude"),
        (full(), "j j R", "Space pick", "Enter centre"),
        (full(), "2 j", "Space pick", "p keep"),
        (nothing(), "", "Space pick", "? help"),
        (nothing(), "2", "Space pick", "? help"),
        (nothing(), "F7", "Enter open session", "Esc leave agents"),
        (nothing(), "W", "Space", "Enter choose  ? help  Esc close"),
    ] {
        let mut state = state;
        press(&mut state, keys);
        if state.view == View::Graph {
            let response = fixture::analysis(&state);
            update(&mut state, Input::Answer { question: None, response });
            press(&mut state, "Right");
        }
        let shown = screen(&state);
        let line = shown.lines().last().unwrap_or_default();
        assert!(!line.contains(not) && line.contains(offered), "{keys}: {line}");
    }
}
