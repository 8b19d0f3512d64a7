//! Tables for the palette and for the question before clearing.

use std::sync::Arc;

use crate::tui::input::Input;
use crate::tui::pane::Pane;
use crate::tui::state::Typing;
use crate::tui::tests::{commands, message, press, screen};
use crate::tui::update::update;
use crate::tui::windows::WindowKind;
use crate::tui::{fixture, windows};
use refdesk_desk::engine::Request;

#[test]
fn the_palette_runs_the_action_in_the_previous_context() {
    for (keys, command) in [
        ("j : \"pick\" Enter", Request::unpick("circuit-breaker")),
        ("j j : \"exclude\" Enter", Request::exclude("retry-pattern")),
        ("2 C-p \"excl\" Enter", Request::exclude("circuit-breaker")),
        (": \"reload\" Enter", Request::Reload),
        (": \"clear\" Enter y", Request::Clear),
    ] {
        let mut state = fixture::state(80, 24);
        let sent = commands(&press(&mut state, keys));
        assert_eq!((sent, state.window), (vec![command], None), "{keys}");
    }
    let mut state = fixture::state(80, 24);
    press(&mut state, ": \"type a prompt\" Enter");
    assert_eq!((state.focus, state.open_window()), (Pane::Catalog, Some(WindowKind::Jump)));
    assert_eq!(message(&state), "type a prompt: available in the hints (3)");
    press(&mut state, "Esc 3 : \"type a prompt\" Enter \"a\"");
    assert_eq!((state.typing, state.hints.prompt.text()), (Some(Typing::Prompt), "a"));
}

#[test]
fn a_disabled_palette_row_says_why_and_the_palette_stays_open() {
    for (keys, why) in [
        ("j j : \"pick\" Enter", "pick: pulled in by @circuit-breaker: press x"),
        (": \"border left\" Enter", "border left: there is no border to move: one pane fills the screen"),
        (": \"keep\" Enter", "keep: @team-conventions is not pulled in by anything"),
        (": \"go to source\" Enter", "go to source: available in the feed (f)"),
        (": \"exclude shown\" Enter", "exclude shown: available in the window All shown (*)"),
        (": \"mark\" Enter", "mark: available while an agent asks (A)"),
        (": \"tick all\" Enter", "tick all: available among the proposals of a scan (W s)"),
        (": \"next match\" Enter", "next match: available in a document (Enter in the catalog)"),
        (": \"qqq\" Enter", "nothing matches"),
    ] {
        let mut state = fixture::state(80, 24);
        let effects = press(&mut state, keys);
        assert!(message(&state).starts_with(why), "{keys}: {}", message(&state));
        assert!(commands(&effects).is_empty() && state.open_window() == Some(WindowKind::Jump), "{keys}");
        press(&mut state, "Esc");
        assert_eq!(state.window, None);
    }
}

#[test]
fn the_palette_accepts_every_printable_key_and_a_paste() {
    let printable: String = (' '..='~').filter(|c| *c != '"').collect();
    let mut state = fixture::state(80, 24);
    let effects = press(&mut state, &format!(": \"{printable}\""));
    assert_eq!((state.jump.line.text(), effects.len()), (format!(":{printable}").as_str(), 0));
    press(&mut state, "C-u \":\"");
    assert_eq!(update(&mut state, Input::Paste("pro\nmpt\r\n".to_owned())), []);
    assert_eq!((state.jump.line.text(), state.hints.prompt.text()), (":pro mpt", ""));
    press(&mut state, "Esc :");
    assert_eq!(state.jump.line.text(), ":", "it begins with the sign of actions");
}

#[test]
fn moving_in_the_palette() {
    for (keys, row) in [("Down Down Up", 1), ("C-n", 1), ("Up", 0), ("Down Down \"o\"", 0)] {
        let mut state = fixture::state(80, 24);
        press(&mut state, &format!(": {keys}"));
        assert!(
            matches!(state.window, Some(open) if open.kind == WindowKind::Jump && open.cursor.at == row),
            "{keys}: {:?}",
            state.window
        );
    }
}

#[test]
fn clearing_asks_first() {
    for (keys, sent) in [("C y", 1), ("C Enter", 0), ("C Esc", 0), ("C n", 0), ("C q", 0), ("C", 0), ("C x", 0)] {
        let mut state = fixture::state(80, 24);
        let effects = press(&mut state, keys);
        assert_eq!(commands(&effects), vec![Request::Clear; sent], "{keys}");
        assert_eq!(state.window.is_some(), ["C", "C x", "C Enter"].contains(&keys), "{keys}");
    }
    let mut state = fixture::state(80, 24);
    press(&mut state, "C");
    let mut snapshot = fixture::snapshot();
    snapshot.selection = Arc::new(fixture::selection(Vec::new(), &[], &["release-notes"]));
    update(&mut state, Input::Snapshot(Box::new(snapshot)));
    assert_eq!(press(&mut state, "y"), [], "the desk was cleared elsewhere meanwhile");
    press(&mut state, "Esc");
    assert_eq!(press(&mut state, "C"), []);
    assert_eq!((message(&state), state.window), ("there are no picks to clear", None));
}

#[test]
fn the_question_shows_what_would_leave() {
    let asked = |selection| {
        let mut state = fixture::state(80, 24);
        let snapshot = refdesk_desk::engine::Snapshot { selection: Arc::new(selection), ..fixture::snapshot() };
        update(&mut state, Input::Snapshot(Box::new(snapshot)));
        press(&mut state, "C");
        let outer = windows::outer(&state).unwrap();
        let lines = screen(&state);
        let rows = lines.lines().skip(usize::from(outer.y) + 1).take(usize::from(outer.height) - 4);
        let inside = |line: &str| {
            let cells: String =
                line.chars().skip(usize::from(outer.x) + 1).take(usize::from(outer.width) - 2).collect();
            cells.trim().to_owned()
        };
        rows.map(inside).collect::<Vec<_>>().join(" ")
    };
    let mut root = fixture::member("team-conventions", 0, &[]);
    root.role = refdesk_core::selection::Role::AutoRoot;
    let picked = || fixture::member("circuit-breaker", 0, &[]);
    let pulled = || fixture::member("timeouts", 1, &["circuit-breaker"]);
    let figures: [(_, Vec<&str>, _); 5] = [
        (vec![picked()], vec![], "Clear 1 pick? This saves ~1,450 tokens, besides those of the instructions."),
        (
            vec![picked(), pulled()],
            vec![],
            "Clear 1 pick? This releases 1 source it pulled in, and saves ~2,090 tokens, besides those of the instructions.",
        ),
        (
            vec![picked(), root.clone()],
            vec![],
            "Clear 1 pick? This saves ~1,450 tokens, besides those of the instructions.",
        ),
        (
            vec![picked(), root, fixture::member("timeouts", 1, &["circuit-breaker", "team-conventions"])],
            vec![],
            "Clear 1 pick? This saves ~1,450 tokens, besides those of the instructions.",
        ),
        (vec![], vec!["gone"], "Clear 1 pick? 1 of the picks is no longer in the catalog."),
    ];
    for (members, dormant, expected) in figures {
        let expected = format!("{expected} Auto sources stay in the instructions: @team-conventions.");
        assert_eq!(asked(fixture::selection(members, &dormant, &[])), expected);
    }
    let auto = asked(fixture::selection(vec![fixture::member("team-conventions", 0, &[])], &[], &["release-notes"]));
    let stays = "Auto sources stay in the instructions: @team-conventions. Exclusions stay: @release-notes.";
    assert_eq!(auto, format!("Clear 1 pick? {stays}"), "an agent gets it anyway");
}
