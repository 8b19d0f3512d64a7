//! Tables of the requests and messages that keys cause.

use std::sync::Arc;

use crate::tui::filtering::FilteredList;
use crate::tui::fix;
use crate::tui::fixture;
use crate::tui::input::{Effect, Input};
use crate::tui::pane::Pane;
use crate::tui::state::{PanePart, Typing};
use crate::tui::update::update;
use crate::tui::windows::WindowKind;
use refdesk_desk::engine::{Event, Loading, Request, Response, Snapshot};
use refdesk_text::{Code, Error, Fix};

use crate::tui::tests::{answer, commands, event, message, press, stale};

#[test]
fn picking_and_excluding() {
    for (keys, command) in [
        ("Space", Request::pick_if_few("team-conventions")),
        ("j Space", Request::unpick("circuit-breaker")),
        ("j j p", Request::pick("retry-pattern")),
        ("j j x", Request::exclude("retry-pattern")),
        ("G x", Request::include("release-notes")),
        ("G Space", Request::pick_if_few("release-notes")),
        ("2 Space", Request::unpick("circuit-breaker")),
        ("2 j x", Request::exclude("retry-pattern")),
        ("2 G k Space", Request::unpick("old-runbook")),
        ("2 G x", Request::include("release-notes")),
        ("/ \"payments\" Enter Space", Request::pick_if_few("payments-api")),
        ("r", Request::Reload),
    ] {
        let mut state = fixture::state(80, 24);
        let sent = commands(&press(&mut state, keys));
        let sent: Vec<_> = sent.into_iter().filter(|sent| !matches!(sent, Request::Preview { .. })).collect();
        assert_eq!(sent, [command], "{keys}");
    }
}

#[test]
fn disabled_actions_say_why_and_do_nothing() {
    for (keys, why) in [
        ("j j Space", "pulled in by @circuit-breaker: press x to exclude it, p to keep it as a pick"),
        ("2 j j j j Space", "pulled in by @circuit-breaker, @retry-pattern: press x to exclude it"),
        ("C-k \"@retry-pattern\" C-o", "pulled in by @circuit-breaker: after Enter, press x to exclude it"),
        (
            "G k p",
            "@legacy-errors is missing: docs/legacy/codes.md does not exist; e opens its definition, to correct the path",
        ),
        ("p", "@team-conventions is not pulled in by anything: Space picks it"),
        ("2 G k x", "@old-runbook is no longer in the catalog: press Space to unpick it"),
        ("3 Space", "there is no source under the cursor"),
        ("3 C-x", "the prompt is already empty"),
        ("f Enter", "nothing has happened yet"),
        ("f /", "nothing has happened yet"),
        ("f s", "nothing has happened yet"),
        ("f Space", "there is no source under the cursor"),
        ("3 z", "this pane already fills the screen"),
        ("/ \"cobol\" Enter Space", "there is no source under the cursor"),
        ("/ \"cobol\" Enter l", "the list is empty"),
        (
            "4 Space",
            "Space (pick) is available in the catalog (1), in the selection (2), in the hints (3), in the graph (R)",
        ),
        ("3 s", "s (sort) is available in the catalog (1)"),
        ("E", "E (values as JSON) is available in the templates (4)"),
        ("C-x", "C-x (clear prompt) is available in the prompt, in the hints (3)"),
        ("1 t", "t (next kind) is available in the feed (f)"),
        ("K", "K does nothing here: read is Enter"),
        ("F9", "F9 does nothing here: ? shows the keys"),
        ("? x", "x does nothing in this window: Esc closes it"),
        ("C Enter", "Enter does nothing in this window: y says yes, Esc no"),
    ] {
        let mut state = fixture::state(80, 24);
        let effects = press(&mut state, keys);
        assert!(message(&state).starts_with(why), "{keys}: {}", message(&state));
        let asked = commands(&effects).into_iter().filter(|asked| !matches!(asked, Request::Preview { .. }));
        assert_eq!(asked.count(), 0, "{keys}");
    }
}

#[test]
fn a_missing_source_cannot_be_picked() {
    let mut state = fixture::state(80, 24);
    let mut snapshot = fixture::snapshot();
    snapshot.selection = Arc::new(fixture::selection(Vec::new(), &[], &[]));
    update(&mut state, Input::Snapshot(Box::new(snapshot)));
    assert_eq!(commands(&press(&mut state, "G k Space")), []);
    let why = "@legacy-errors is missing: docs/legacy/codes.md does not exist";
    assert!(message(&state).starts_with(why), "{}", message(&state));
    press(&mut state, "C-k \"@legacy-errors\" C-o");
    let after_enter = format!("{why}; after Enter, e opens its definition");
    assert!(message(&state).starts_with(&after_enter), "{}", message(&state));
}

#[test]
fn moving_between_panes() {
    for (keys, focus) in [
        ("", Pane::Catalog),
        ("Tab", Pane::Selection),
        ("Tab Tab Tab Tab", Pane::Catalog),
        ("BackTab", Pane::Templates),
        ("3", Pane::Hints),
        ("4 / \"x\"", Pane::Templates),
        ("2 ? 3", Pane::Selection),
        ("2 ? Esc 3", Pane::Hints),
    ] {
        let mut state = fixture::state(80, 24);
        press(&mut state, keys);
        assert_eq!(state.focus, focus, "{keys}");
    }
}

#[test]
fn moving() {
    for (keys, row) in [
        ("j j k", 1),
        ("Down Down Up", 1),
        ("G", 9),
        ("End", 9),
        ("G g", 0),
        ("G Home", 0),
        ("k", 0),
        ("G j", 9),
        ("C-d", 4),
        ("PageDown", 9),
        ("G C-u", 5),
        ("l j j", 0),
        ("l j h j", 1),
    ] {
        let mut state = fixture::state(80, 24);
        press(&mut state, keys);
        assert_eq!(state.catalog.cursor.at, row, "{keys}");
    }
}

#[test]
fn every_window_shows_its_keys_and_closes() {
    for (keys, is_typed) in
        [("d", false), ("F8", false), ("W", false), ("T", false), ("C", false), ("b", true), ("C-k", true), (":", true)]
    {
        let mut state = fixture::state(80, 24);
        press(&mut state, keys);
        let kind = state.open_window();
        assert!(kind.is_some(), "{keys}");
        for help in ["F1", "?"].into_iter().filter(|key| !is_typed || *key == "F1") {
            for close in ["Esc", "F1"] {
                press(&mut state, help);
                assert_eq!(state.open_window(), Some(WindowKind::Help), "{keys} {help}");
                press(&mut state, close);
                assert_eq!(state.open_window(), kind, "{keys} {help} {close}");
            }
        }
        press(&mut state, if is_typed { "Esc" } else { "q" });
        assert_eq!(state.window, None, "{keys}");
    }
}

#[test]
fn quitting() {
    let mut state = fixture::state(80, 24);
    for (keys, effect) in [
        ("q", Effect::Quit),
        ("C-c", Effect::Quit),
        ("/ \"q\" C-c", Effect::Quit),
        ("3 Enter \"q\" C-c", Effect::Quit),
        ("Esc 1 Esc ? C-c", Effect::Quit),
        ("Esc C-z", Effect::Suspend),
        ("C-l", Effect::Redraw),
    ] {
        let effects = press(&mut state, keys);
        assert_eq!(effects.last(), Some(&effect), "{keys}");
    }
}

#[test]
fn a_text_field_accepts_every_printable_key() {
    let printable: String = (' '..='~').filter(|c| *c != '"').collect();
    for keys in [format!("/ \"{printable}\""), format!("3 i \"{printable}\"")] {
        let mut state = fixture::state(80, 24);
        let effects = press(&mut state, &keys);
        let field = if state.typing == Some(Typing::Filter(FilteredList::Catalog)) {
            &state.catalog.filter
        } else {
            &state.hints.prompt
        };
        assert_eq!(field.text(), printable);
        assert!(commands(&effects).iter().all(|command| matches!(command, Request::Match(_))));
        press(&mut state, "Esc");
        assert_eq!(state.typing, None);
    }
}

#[test]
fn a_preview_is_requested_once_and_only_if_visible() {
    let mut state = fixture::state(80, 24);
    assert_eq!(commands(&press(&mut state, "j k 2 3")), []);
    let previewed = |effects: &[Effect]| {
        let asked = commands(effects).into_iter().map(|request| match request {
            Request::Preview { template, path: None, .. } => template,
            other => panic!("{other:?}"),
        });
        asked.collect::<Vec<_>>()
    };
    assert_eq!(previewed(&press(&mut state, "4")), ["CircuitBreaker.java.tpl"]);
    assert_eq!(commands(&press(&mut state, "1 4")), []);
    assert_eq!(previewed(&press(&mut state, "j")), ["retry-policy.yaml.tmpl"]);
    let same = fixture::snapshot();
    let again = update(&mut state, Input::Snapshot(Box::new(same)));
    assert_eq!(previewed(&again), ["retry-policy.yaml.tmpl"], "the index was recomputed");
}

#[test]
fn the_effect_of_a_pick_is_requested_once_per_row_and_not_while_typing() {
    let mut state = fixture::state(80, 24);
    let asked = |effects: Vec<Effect>| {
        let of = |effect| match effect {
            Effect::Ask(Request::PreviewSelection(id)) => Some(id.to_string()),
            _ => None,
        };
        effects.into_iter().filter_map(of).collect::<Vec<_>>()
    };
    assert_eq!(asked(press(&mut state, "j z k")), ["circuit-breaker", "team-conventions"]);
    assert_eq!(asked(press(&mut state, "/ \"retry\"")), [""; 0]);
    assert_eq!(asked(press(&mut state, "Enter")).len(), 1);
    stale(&mut state, Response::SelectionPreview(fixture::preview_selection("old", &[], &[])));
    assert_eq!(state.choice_preview.answer, None, "an answer to an old question");
}

#[test]
fn undo_is_enabled_when_there_is_something_to_undo() {
    let mut state = fixture::state(80, 24);
    assert_eq!(commands(&press(&mut state, "u")), []);
    assert!(message(&state).starts_with("nothing to undo"));
    let snapshot = Snapshot { undo: Some("pick of @a".into()), redo: Some("pick of @b".into()), ..fixture::snapshot() };
    update(&mut state, Input::Snapshot(Box::new(snapshot)));
    assert_eq!(commands(&press(&mut state, "u C-r")), [Request::Undo, Request::Redo]);
}

#[test]
fn a_paste_is_never_read_as_keys() {
    let mut state = fixture::state(80, 24);
    assert_eq!(update(&mut state, Input::Paste("q".to_owned())), []);
    assert!(message(&state).starts_with("nothing to paste into"));
    press(&mut state, "/");
    update(&mut state, Input::Paste(" circuit\nbreaker\n".to_owned()));
    assert_eq!(state.catalog.filter.text(), "circuit breaker");
    press(&mut state, "Esc 3");
    update(&mut state, Input::Paste("one\r\ntwo\rthree".to_owned()));
    assert_eq!((state.hints.prompt.text(), state.typing), ("one\ntwo\nthree", Some(Typing::Prompt)));
}

#[test]
fn esc_leaves_the_innermost_level() {
    let mut state = fixture::state(80, 24);
    press(&mut state, "/ \"java\" Enter l d");
    assert!(state.open_window() == Some(WindowKind::Problems));
    press(&mut state, "Esc");
    assert_eq!((state.window, state.part), (None, PanePart::Detail));
    press(&mut state, "Esc");
    assert_eq!((state.part, state.catalog.rows.len()), (PanePart::List, 3));
    press(&mut state, "Esc");
    assert_eq!(state.catalog.rows.len(), 10);
}

#[test]
fn engine_errors_are_shown() {
    let mut state = fixture::state(80, 24);
    event(&mut state, Event::Notice(fixture::notice("References transitively included: @a (from @b)")));
    assert_eq!(message(&state), "Pulled in: @a (from @b)", "the contract's sentence is for programs");
    answer(
        &mut state,
        Response::Done(vec![Error::new(Code::Refused, "no such source".to_owned(), "press r".to_owned())]),
    );
    assert_eq!(message(&state), "no such source: press r");
    press(&mut state, "j");
    assert_eq!(message(&state), "");
}

#[test]
fn nothing_needs_to_be_done_about_the_missing_file_of_the_demo() {
    let mut state = fixture::state(120, 36);
    for (is_demo, expected) in [(false, "correct the path, remove the source, or press "), (true, "none needed; ")] {
        state.launched.is_demo = is_demo;
        let fix = fix::words(&state, &Fix::FindMoved).unwrap();
        assert!(fix.starts_with(expected), "{fix}");
    }
}

#[test]
fn a_reload_ends_with_a_message() {
    let loading = |done| Some(Loading { done, total: 10 });
    for (steps, expected) in [
        (&[(0, None)][..], "reading the workspace again"),
        (&[(1, None)], "everything was read again"),
        (&[(1, loading(3))], "reading the workspace again"),
        (&[(1, loading(3)), (1, None)], "everything was read again"),
    ] {
        let mut state = fixture::state(120, 36);
        press(&mut state, "r");
        for (reads, loading) in steps.iter().cloned() {
            let snapshot = Snapshot { reads, loading, ..fixture::snapshot() };
            update(&mut state, Input::Snapshot(Box::new(snapshot)));
        }
        assert_eq!(message(&state), expected, "{steps:?}");
    }
    let mut state = fixture::state(120, 36);
    press(&mut state, "r j");
    update(&mut state, Input::Snapshot(Box::new(Snapshot { reads: 1, ..fixture::snapshot() })));
    assert_eq!(message(&state), "", "the user has gone on");
}
