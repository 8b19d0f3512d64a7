//! Tables for the mouse: clicks, the wheel, and dragged borders.

use ratatui::layout::{Position, Size};

use crate::tui::action::{ACTIONS, Action};
use crate::tui::filtering::FilteredList;
use crate::tui::fixture;
use crate::tui::input::{Effect, Input};
use crate::tui::layout::Arrangement;
use crate::tui::pane::Pane;
use crate::tui::state::{Mouse, PanePart, State, Typing};
use crate::tui::tests::{answer, commands, message, press, rested, screen};
use crate::tui::update::update;
use crate::tui::widgets::motion::Motion;
use crate::tui::windows::WindowKind;
use refdesk_core::config::screen::DividerShares;
use refdesk_desk::engine::{Request, Response};

/// The first cell of this text on the screen.
fn find(state: &State, text: &str) -> Position {
    let shown = screen(state);
    let found =
        shown.lines().enumerate().find_map(|(y, line)| line.find(text).map(|at| (line[..at].chars().count(), y)));
    let (x, y) = found.unwrap_or_else(|| panic!("no {text:?} on\n{shown}"));
    Position { x: u16::try_from(x).unwrap(), y: u16::try_from(y).unwrap() }
}

fn click(state: &mut State, at: Position) -> Vec<Effect> {
    let mut effects = update(state, Input::Click(at));
    effects.extend(update(state, Input::Release));
    effects
}

pub fn click_on(state: &mut State, text: &str) -> Vec<Effect> {
    click(state, find(state, text))
}

fn wheel(state: &mut State, turn: Motion, text: &str) {
    rested(state, Input::Wheel(turn, find(state, text)));
}

#[test]
fn the_mouse_can_be_left_to_the_terminal() {
    let mut state = fixture::state(80, 24);
    assert_eq!(press(&mut state, "M"), [Effect::Mouse(Mouse::Terminals)]);
    assert!(message(&state).ends_with("M takes it back"));
    assert_eq!(press(&mut state, "M"), [Effect::Mouse(Mouse::Ours)]);
}

#[test]
fn a_click_acts_on_what_it_points_at() {
    let mut state = fixture::state(120, 36);
    press(&mut state, "0");
    click_on(&mut state, "timeouts");
    assert_eq!(state.subject(Pane::Catalog), Some("timeouts"));
    click_on(&mut state, "2 Selection");
    assert_eq!(state.focus, Pane::Selection);
    click_on(&mut state, "Error Handling ");
    assert_eq!(state.subject(Pane::Selection), Some("error-handling"));
    click_on(&mut state, "retry-policy.yaml");
    assert_eq!((state.focus, state.templates.cursor.at), (Pane::Templates, 1));
    click_on(&mut state, "Press Enter to type");
    assert_eq!(state.typing, Some(Typing::Prompt));
    press(&mut state, "\"java\"");
    click_on(&mut state, "┃ java");
    assert_eq!(state.typing, None, "the border is beside the field");
}

#[test]
fn a_click_on_a_tab_a_key_or_a_filter() {
    let mut state = fixture::state(80, 24);
    click_on(&mut state, "3 Hints");
    assert_eq!(state.focus, Pane::Hints);
    click_on(&mut state, "1 Catalog");
    assert_eq!(state.focus, Pane::Catalog);
    assert_eq!(click_on(&mut state, "q quit"), [Effect::Quit]);
    click_on(&mut state, "/ filter");
    assert_eq!(state.typing, Some(Typing::Filter(FilteredList::Catalog)));
    press(&mut state, "\"java\"");
    click_on(&mut state, "java ");
    assert_eq!(state.typing, Some(Typing::Filter(FilteredList::Catalog)), "a click into the open field");
    click_on(&mut state, "retry-pattern");
    assert_eq!((state.typing, state.catalog.filter.text()), (None, "java"), "what was typed is kept");
    assert_eq!(state.subject(Pane::Catalog), Some("retry-pattern"));
    click_on(&mut state, "/ java");
    assert_eq!(state.typing, Some(Typing::Filter(FilteredList::Catalog)));
    click_on(&mut state, "Esc clear filter");
    assert_eq!((state.typing, state.catalog.rows.len()), (None, 10));
}

#[test]
fn a_click_on_the_filter_of_the_selection() {
    let mut state = fixture::state(120, 36);
    let list = Some(Typing::Filter(FilteredList::Selection));
    press(&mut state, "0 2");
    click_on(&mut state, "/ filter");
    assert_eq!(state.typing, list);
    press(&mut state, "\"errors\"");
    click_on(&mut state, "/ errors");
    assert_eq!(state.typing, list, "a click into the open field");
    click_on(&mut state, "legacy-errors");
    assert_eq!((state.typing, state.selection.filter.text()), (None, "errors"), "what was typed is kept");
    assert_eq!(state.selected(), Some("legacy-errors"));
    press(&mut state, "1");
    click_on(&mut state, "/ errors");
    assert_eq!((state.typing, state.focus), (list, Pane::Selection));
    click_on(&mut state, "Esc clear filter");
    assert_eq!((state.typing, state.selection.rows.len()), (None, 8));
}

#[test]
fn a_click_on_the_mark_picks() {
    for (keys, row, sent) in [
        ("", "java-service", Some(Request::pick_if_few("java-service"))),
        ("", "circuit-breaker", Some(Request::unpick("circuit-breaker"))),
        ("", "retry-pattern", None),
        ("2", "circuit-breaker", Some(Request::unpick("circuit-breaker"))),
        ("2", "old-runbook", Some(Request::unpick("old-runbook"))),
        ("2", "error-handling", None),
    ] {
        let mut state = fixture::state(80, 24);
        press(&mut state, keys);
        let id = find(&state, row);
        assert_eq!(commands(&click(&mut state, id)), [], "the id is not the mark");
        let mark = Position { x: id.x - 2, ..id };
        assert_eq!(commands(&click(&mut state, mark)), sent.clone().into_iter().collect::<Vec<_>>(), "{keys} {row}");
        assert_eq!(message(&state).starts_with("pulled in by"), sent.is_none(), "{keys} {row}");
    }
}

#[test]
fn a_click_on_a_heading_sorts_by_its_column() {
    use crate::tui::filter::Order;

    let mut state = fixture::state(80, 24);
    let row = find(&state, "mode").y;
    let place = |state: &State, heading: &str| {
        let line = screen(state).lines().nth(usize::from(row)).unwrap().to_owned();
        let before = &line[..line.find(heading).unwrap()];
        Position { x: u16::try_from(before.chars().count()).unwrap(), y: row }
    };
    for (heading, order) in [
        ("tokens", Order::Tokens),
        ("tokens", Order::Catalog),
        ("id", Order::Id),
        ("type", Order::Kind),
        ("mode", Order::Mode),
        ("name", Order::Name),
        ("tags", Order::Tags),
    ] {
        let at = place(&state, heading);
        click(&mut state, at);
        assert_eq!(state.catalog.order, order, "{heading}");
    }
    let id = place(&state, "id");
    click(&mut state, Position { x: id.x - 2, ..id });
    assert_eq!(state.catalog.order, Order::State, "the column of the marks");
}

#[test]
fn a_second_click_on_a_row_is_enter() {
    let mut state = fixture::state(120, 36);
    for _ in 0..2 {
        click_on(&mut state, "java-service");
    }
    assert!(state.reads(), "{}", screen(&state));
    click_on(&mut state, "Esc ");
    click_on(&mut state, "java-service");
    assert!(!state.reads(), "the click that left it lies between");
    press(&mut state, "0");
    let under_cursor = state.subject(Pane::Catalog).unwrap().to_owned();
    click_on(&mut state, &under_cursor);
    assert!(!state.reads(), "a first click on the row that keys went to");
    click_on(&mut state, "timeouts");
    click_on(&mut state, "java-service");
    assert!(!state.reads(), "two rows");
    press(&mut state, "4");
    for _ in 0..2 {
        click_on(&mut state, "CircuitBreaker.java");
    }
    assert_eq!(state.part, PanePart::Values);
}

#[test]
fn a_click_in_the_details_scrolls_them() {
    let mut state = fixture::state(120, 36);
    let place = find(&state, "always in the instructions");
    click(&mut state, place);
    assert_eq!((state.focus, state.part), (Pane::Catalog, PanePart::Detail));
    click_on(&mut state, "timeouts");
    assert_eq!(state.part, PanePart::List);
}

#[test]
fn windows_and_the_mouse() {
    let mut state = fixture::state(120, 36);
    press(&mut state, "d");
    click_on(&mut state, "warning missing-path");
    assert!(matches!(state.window, Some(open) if open.kind == WindowKind::Problems && open.cursor.at == 1));
    click(&mut state, Position::new(0, 3));
    assert_eq!(state.window, None, "beside it");
    press(&mut state, "C");
    assert_eq!(commands(&click_on(&mut state, "y yes")), [Request::Clear]);
    press(&mut state, "C");
    assert_eq!(commands(&click_on(&mut state, "Esc no")), []);
    assert_eq!(state.window, None);
    press(&mut state, ": \"relo\"");
    let row = ACTIONS.iter().find(|binding| binding.action == Action::Reload).unwrap();
    assert_eq!(
        commands(&click_on(&mut state, row.description)),
        [Request::Reload],
        "a click on the row under the cursor runs it"
    );
    press(&mut state, ": \"border\"");
    click_on(&mut state, "border up");
    assert!(
        matches!(state.window, Some(open) if open.kind == WindowKind::Jump && open.cursor.at == 2),
        "{:?}",
        state.window
    );
}

#[test]
fn the_wheel_scrolls_what_is_under_it_and_keeps_the_focus() {
    let mut state = fixture::state(120, 13);
    press(&mut state, "/ \"e\"");
    wheel(&mut state, Motion::Down, "circuit-breaker");
    assert!(state.catalog.cursor.top > 0);
    assert_eq!((state.typing, state.focus), (Some(Typing::Filter(FilteredList::Catalog)), Pane::Catalog));
    let before = state.catalog.cursor;
    wheel(&mut state, Motion::Down, "circuit-breaker ─");
    assert_eq!((state.catalog.cursor, state.focus), (before, Pane::Catalog));
    wheel(&mut state, Motion::Up, "1 Catalog");
    assert_eq!(state.catalog.cursor.top, 0);
    press(&mut state, "Esc ?");
    wheel(&mut state, Motion::Down, "refdesk");
    assert!(matches!(state.window, Some(open) if open.kind == WindowKind::Help && open.cursor.top == 3));
}

#[test]
fn the_wheel_scrolls_details_of_an_unfocused_pane() {
    let mut state = fixture::state(120, 36);
    press(&mut state, "0 j 2");
    let document = fixture::document("circuit-breaker", fixture::TEXT);
    answer(&mut state, Response::Document(document));
    let detail = state.parts(Pane::Catalog).unwrap().detail;
    update(&mut state, Input::Wheel(Motion::Down, Position::new(detail.x, detail.y)));
    assert!(state.catalog.scroll.top > 0);
    assert_eq!((state.focus, state.part, state.catalog.cursor.at), (Pane::Selection, PanePart::List, 1));
}

#[test]
fn borders_are_dragged_within_their_limits_and_keep_their_shares() {
    let mut state = fixture::state(120, 36);
    state.arrangement = Arrangement::Overview;
    let right = |state: &State| state.layout().panes[1].unwrap();
    let lower = |state: &State| state.layout().panes[2].unwrap();
    // Both sides of the border, and the corner where all four panes meet.
    for (from, to, x, y) in [
        (Position::new(59, 5), Position::new(79, 9), 80, 25),
        (Position::new(80, 5), Position::new(50, 9), 50, 25),
        (Position::new(10, 25), Position::new(10, 22), 50, 22),
        (Position::new(49, 21), Position::new(59, 18), 60, 19),
        (Position::new(60, 5), Position::new(119, 5), 90, 19),
        (Position::new(90, 5), Position::new(0, 0), 30, 19),
        (Position::new(5, 19), Position::new(5, 35), 30, 26),
        (Position::new(5, 26), Position::new(5, 0), 30, 10),
    ] {
        update(&mut state, Input::Click(from));
        update(&mut state, Input::Drag(to));
        update(&mut state, Input::Release);
        assert_eq!((right(&state).x, lower(&state).y), (x, y), "{from:?} to {to:?}");
    }
    update(&mut state, Input::Drag(Position::new(70, 5)));
    assert_eq!(right(&state).x, 30, "the button is not held");
    update(&mut state, Input::Resize(Size::new(240, 36)));
    assert_eq!(right(&state).x, 60, "a quarter is a quarter");
    update(&mut state, Input::Resize(Size::new(80, 24)));
    update(&mut state, Input::Resize(Size::new(120, 36)));
    assert_eq!((right(&state).x, lower(&state).y), (30, 10));
    assert_eq!(state.arrangement, Arrangement::Overview);
}

fn drag(state: &mut State, from: Position, to: Position) {
    update(state, Input::Click(from));
    update(state, Input::Drag(to));
    update(state, Input::Release);
}

#[test]
fn rules_within_panes_are_dragged_within_their_limits_and_keep_their_shares() {
    // The target of the drag, its direction, and the final position.
    for (size, keys, taken, at, ends) in [
        ((120, 36), "0", "─ details", (20, 9), (5, 15)),
        ((120, 36), "0 j l", "─ details", (20, 9), (5, 15)),
        ((120, 36), "0", "─ why", (80, 8), (4, 15)),
        ((120, 36), "0", "─ matching", (20, 25), (21, 27)),
        ((120, 36), "0 3 i", "─ matching", (20, 26), (21, 27)),
        ((120, 36), "0", "─ feed", (20, 30), (26, 31)),
        ((120, 36), "0 3 i \"java\" Esc f", "─ feed", (20, 30), (24, 31)),
        ((120, 36), "0", "─ 3 values", (80, 26), (21, 31)),
        ((80, 24), "4 i Esc", "Enter types", (20, 10), (3, 18)),
        ((200, 60), "z 4", "─ 3 values", (20, 30), (3, 54)),
    ] {
        let mut state = fixture::state(size.0, size.1);
        // The lower panes have room for all their dividers.
        state.splits.upper = Some(550);
        press(&mut state, keys);
        let stands = |state: &State| find(state, taken).y;
        for (to, y) in [(at.1, at.1), (0, ends.0), (size.1 - 1, ends.1), (at.1, at.1)] {
            let from = find(&state, taken);
            drag(&mut state, from, Position::new(at.0, to));
            assert_eq!(stands(&state), y, "{size:?} {keys:?} {taken} to {to}");
        }
        let typing = keys == "0 3 i";
        assert_eq!(state.typing, typing.then_some(Typing::Prompt), "typing continues");
        update(&mut state, Input::Drag(Position::new(at.0, 0)));
        assert_eq!(stands(&state), at.1, "the button is not held");
        let remembered = state.remember();
        update(&mut state, Input::Resize(Size::new(40, 10)));
        update(&mut state, Input::Resize(Size::new(size.0, size.1)));
        assert_eq!((stands(&state), &state.remember()), (at.1, &remembered));
        press(&mut state, "Esc =");
        assert_eq!(state.remember().rules, DividerShares::default());
        press(&mut state, "=");
        assert_eq!(message(&state), "all borders are already in their default place");
    }
}

#[test]
fn vertical_rules_are_dragged_too() {
    for (size, keys, ends) in [((200, 60), "2 z", (31, 168)), ((200, 60), "4 z", (13, 186))] {
        let mut state = fixture::state(size.0, size.1);
        press(&mut state, keys);
        let rule = |state: &State| state.parts(state.focus).unwrap().rule;
        for (to, x) in [(90, 90), (0, ends.0), (199, ends.1), (100, 100)] {
            let from = Position::new(rule(&state).x, 30);
            drag(&mut state, from, Position::new(to, 20));
            assert_eq!(rule(&state).x, x, "{keys:?} to {to}");
        }
        assert_eq!(state.part, PanePart::List);
    }
    let mut state = fixture::state(80, 24);
    press(&mut state, "4");
    for (to, x) in [(40, 40), (0, 13), (79, 66), (30, 30)] {
        let from = state.parts(Pane::Templates).unwrap().upright();
        drag(&mut state, Position::new(from.x, 15), Position::new(to, 3));
        assert_eq!(state.parts(Pane::Templates).unwrap().upright().x, x, "to {to}");
    }
    press(&mut state, "i");
    assert_eq!(state.parts(Pane::Templates).unwrap().upright().x, 30, "a moved rule stays");
}

#[test]
fn a_click_on_the_top_line_opens_what_it_tells_of() {
    for (text, keys, window, focus) in [
        ("1 warning", "", Some(WindowKind::Problems), Pane::Catalog),
        ("1 error", "", Some(WindowKind::Problems), Pane::Catalog),
        ("~4,628 tokens", "", Some(WindowKind::Budget), Pane::Catalog),
        ("of 128k", "", Some(WindowKind::Budget), Pane::Catalog),
        ("2 need trust: !", "", Some(WindowKind::Trust), Pane::Catalog),
        ("1 request", "", None, Pane::Selection),
        ("1 picked", "", None, Pane::Selection),
        ("10 sources", "2", None, Pane::Catalog),
        ("refdesk", "", None, Pane::Catalog),
    ] {
        let mut state = fixture::state(200, 36);
        let mut snapshot = fixture::untrusted_snapshot(&[("one", 1), ("two", 1)]);
        snapshot.requests = fixture::with_requests(&[fixture::asking("r1", "claude-code", "", &["timeouts"])]).requests;
        if text == "1 request" || text.contains("trust") {
            update(&mut state, Input::Snapshot(Box::new(snapshot)));
        }
        press(&mut state, keys);
        let place = find(&state, text);
        assert_eq!(place.y, 0, "{text}");
        click(&mut state, place);
        assert_eq!((state.open_window(), state.focus), (window, focus), "{text}");
    }
}
