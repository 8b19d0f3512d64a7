//! Tables for opening sources in the editor, and for copying from them.

use std::path::Path;

use crate::tui::fixture;
use crate::tui::input::{Effect, Input};
use crate::tui::state::State;
use crate::tui::update::{external, update};
use refdesk_desk::FileLine;
use refdesk_desk::engine::{Event, LocateTarget, Notice, Request, Response};
use refdesk_text::Code;
use refdesk_text::report::Diagnostic;

use crate::tui::tests::screen;
use crate::tui::tests::{answer, event, message, press};

fn spot() -> FileLine {
    FileLine { path: "/w/a.md".into(), line: 3 }
}

#[test]
fn targets_of_opening() {
    use LocateTarget::{Definition, Document};
    for (keys, wanted) in [
        ("o", Document("team-conventions".into())),
        ("j o", Document("circuit-breaker".into())),
        ("j e", Definition("circuit-breaker".into())),
        ("/ \"java-serv\" Enter o", Document("java-service".into())),
        ("/ \"error-handling\" Enter o", Document("error-handling".into())),
        ("/ \"payments\" Enter e", Definition("payments-api".into())),
        ("/ \"legacy\" Enter e", Definition("legacy-errors".into())),
        ("2 o", Document("circuit-breaker".into())),
        ("2 j o", Document("retry-pattern".into())),
        ("2 j e", Definition("retry-pattern".into())),
        ("2 G o", Document("release-notes".into())),
    ] {
        let mut state = fixture::state(80, 24);
        let effects = press(&mut state, keys);
        assert_eq!(effects.last(), Some(&Effect::Ask(Request::Locate(wanted))), "{keys}");
        assert_eq!(answer(&mut state, Response::Located(spot())), [Effect::Edit(spot())], "{keys}");
        assert_eq!(message(&state), "");
    }
}

#[test]
fn targets_of_copying() {
    for (keys, text) in [
        ("y", "team-conventions"),
        ("Y", "/home/ada/payments/docs/conventions.md"),
        ("/ \"payments\" Enter Y", "https://example.org/payments/openapi.json"),
        ("/ \"legacy\" Enter Y", "/home/ada/payments/docs/legacy/codes.md"),
        ("2 j y", "retry-pattern"),
        ("2 G k y", "old-runbook"),
    ] {
        let mut state = fixture::state(80, 24);
        let effects = press(&mut state, keys);
        assert_eq!(effects.last(), Some(&Effect::Copy(text.to_owned())), "{keys}");
        assert_eq!(message(&state), format!("copied {text}"));
    }
    let (mut state, mut effects) = (fixture::state(80, 24), Vec::new());
    external::copy(&mut state, "retry\ntouch x\n\u{1b}[201~", &mut effects);
    let text = "retry\\ntouch x\\n\\x1b[201~";
    assert_eq!(effects, [Effect::Copy(text.to_owned())]);
    assert_eq!(message(&state), format!("copied {text}, with its invisible characters escaped"));
}

#[test]
fn unavailable_targets_say_why() {
    for (keys, why) in [
        ("/ \"payments\" Enter o", "@payments-api is not a file: e opens its definition"),
        ("/ \"ticket\" Enter o", "@ticket-search is not a file: e opens its definition"),
        (
            "/ \"legacy\" Enter o",
            "@legacy-errors is missing: docs/legacy/codes.md does not exist; e opens its definition",
        ),
        ("/ \"ticket\" Enter Y", "@ticket-search has neither path nor address: y copies its id"),
        ("/ \"error-handling\" Enter Y", "@error-handling has neither path nor address: y copies its id"),
        ("2 G k e", "@old-runbook is no longer in the catalog: there is nothing to open"),
        ("3 e", "there is no source under the cursor"),
        ("/ \"cobol\" Enter y", "there is no source under the cursor"),
    ] {
        let mut state = fixture::state(80, 24);
        let effects = press(&mut state, keys);
        assert!(!effects.iter().any(|it| matches!(it, Effect::Ask(Request::Locate(_)) | Effect::Copy(_))), "{keys}");
        assert_eq!(message(&state), why, "{keys}");
        assert_eq!(answer(&mut state, Response::Located(spot())), [], "nothing was asked");
    }
}

/// A screen with notices of each kind, the newest on top: with a source and a location, with only one of them, with
/// neither.
fn with_notices() -> State {
    let mut state = fixture::state(80, 24);
    for (subject, place) in
        [(None, None), (Some("timeouts"), None), (None, Some(spot())), (Some("timeouts"), Some(spot()))]
    {
        let subject = subject.map(Into::into);
        event(&mut state, Event::Notice(Notice { subject, place, ..fixture::notice("something") }));
    }
    state
}

#[test]
fn rows_with_a_location() {
    let at = |path: &str, line| Effect::Edit(FileLine { path: Path::new(fixture::WORKSPACE).join(path), line });
    let opens = |wanted| Effect::Ask(Request::Locate(wanted));
    for (keys, expected) in [
        ("d Enter", at("references.json", 41)),
        ("d j o", at("references.json", 60)),
        ("d y", Effect::Copy("references.json:41".to_owned())),
        ("2 j m", at("adr/adr-004.md", 12)),
        ("2 j j m", at("adr/adr-005.md", 7)),
        ("2 j j j m", opens(LocateTarget::Definition("error-handling".into()))),
        ("f o", Effect::Edit(spot())),
        ("f j Enter", Effect::Edit(spot())),
        ("f j o", Effect::Edit(spot())),
        ("f j j o", opens(LocateTarget::Document("timeouts".into()))),
    ] {
        let mut state = with_notices();
        let asked: Vec<Effect> = press(&mut state, keys)
            .into_iter()
            .filter(|it| {
                !matches!(
                    it,
                    Effect::Ask(Request::PreviewSelection(_) | Request::Read { .. } | Request::Preview { .. })
                )
            })
            .collect();
        assert_eq!(asked, [expected], "{keys}");
    }
}

#[test]
fn rows_without_a_location_say_why() {
    let mut without = fixture::snapshot();
    without.diagnostics = [Diagnostic::error(Code::Polling, "no")].into();
    let mut nothing = fixture::snapshot();
    nothing.diagnostics = [].into();
    for (snapshot, keys, why) in [
        (fixture::snapshot(), "2 m", "@circuit-breaker is a pick: no mention pulled it in"),
        (fixture::snapshot(), "2 G m", "@release-notes is not pulled in by any mention"),
        (fixture::snapshot(), "f j j j o", "there is no source under the cursor"),
        (fixture::snapshot(), "f j j j Enter", "this row has no single source to go to"),
        (without.clone(), "d Enter", "this problem is not in a single file"),
        (without.clone(), "d y", "this problem is not in a single file"),
        (without, "d c", "this row has no single source to go to"),
        (nothing.clone(), "d Enter", "there are no problems in this workspace"),
        (nothing, "d c", "there are no problems in this workspace"),
    ] {
        let mut state = with_notices();
        update(&mut state, Input::Snapshot(Box::new(snapshot)));
        let effects = press(&mut state, keys);
        assert!(!effects.iter().any(|it| matches!(it, Effect::Edit(_) | Effect::Copy(_))), "{keys}");
        assert_eq!(message(&state), why, "{keys}");
    }
}

#[test]
fn the_feed_shows_where_its_rows_lead() {
    for (keys, caption, key) in [
        ("f", "─ Enter goes to the source ─", "Enter go to source"),
        ("f j", "─ Enter opens the file ─", "Enter open file"),
        ("f j j", "─ Enter goes to the source ─", "Enter go to source"),
        ("f j j j", "┏ Feed ━", ""),
    ] {
        let mut state = with_notices();
        press(&mut state, keys);
        let shown = screen(&state);
        assert!(shown.contains(caption) && shown.contains(key), "{keys}\n{shown}");
        let leads = ["Enter goes", "Enter opens", "Enter go to", "Enter open "].iter().any(|key| shown.contains(key));
        assert_eq!(leads, !key.is_empty(), "{keys}\n{shown}");
    }
}

#[test]
fn a_late_answer_opens_no_editor() {
    for later in ["j", "F5", "3 i", "/ \"x\""] {
        let mut state = fixture::state(80, 24);
        press(&mut state, "e");
        press(&mut state, later);
        assert_eq!(answer(&mut state, Response::Located(spot())), [], "{later}");
    }
    let mut state = fixture::state(80, 24);
    press(&mut state, "e");
    update(&mut state, Input::Paste("x".to_owned()));
    assert_eq!(answer(&mut state, Response::Located(spot())), []);
    press(&mut state, "e");
    event(&mut state, Event::Notice(fixture::notice("something")));
    assert_eq!(answer(&mut state, Response::Located(spot())), [Effect::Edit(spot())], "a notice is not a key");
    assert_eq!(answer(&mut state, Response::Located(spot())), [], "once");
}

#[test]
fn templates_open_at_the_line_of_their_error() {
    let [file, block] = ["adr/templates/CircuitBreaker.java.tpl", "adr/adr-005.md"]
        .map(|path| format!("{}/{path}", fixture::WORKSPACE));
    for (keys, failed, path, line) in [
        ("4", None, &file, 1),
        ("4", Some(None), &file, 1),
        ("4", Some(Some(4)), &file, 4),
        ("4 i Esc", Some(Some(4)), &file, 4),
        ("4 j", None, &block, 12),
        ("4 j", Some(Some(4)), &block, 15),
    ] {
        let mut state = fixture::state(80, 24);
        press(&mut state, keys);
        let template = state.template().unwrap().name.clone();
        if let Some(line) = failed {
            let outcome = Err(fixture::unrendered("no", line));
            answer(&mut state, Response::Preview { template, outcome });
        }
        let spot = FileLine { path: path.into(), line };
        assert_eq!(press(&mut state, "o"), [Effect::Edit(spot)], "{keys} {failed:?}");
    }
}

#[test]
fn copying_from_a_template() {
    let mut state = fixture::state(80, 24);
    press(&mut state, "4");
    for (key, effect) in [
        ("y", Effect::Copy("CircuitBreaker.java.tpl".to_owned())),
        ("Y", Effect::Copy("/home/ada/payments/adr/templates/CircuitBreaker.java.tpl".to_owned())),
        ("e", Effect::Ask(Request::Locate(LocateTarget::Definition("circuit-breaker".into())))),
    ] {
        assert_eq!(press(&mut state, key), [effect], "{key}");
    }
    let mut snapshot = fixture::snapshot();
    let mut templates = (*snapshot.templates).clone();
    templates.templates[0].source = None;
    snapshot.templates = std::sync::Arc::new(templates);
    update(&mut state, Input::Snapshot(Box::new(snapshot.clone())));
    assert_eq!(press(&mut state, "e"), []);
    assert!(message(&state).starts_with("CircuitBreaker.java.tpl has no source"), "{}", message(&state));
    snapshot.templates = std::sync::Arc::default();
    update(&mut state, Input::Snapshot(Box::new(snapshot)));
    for key in ["o", "e", "y", "Y"] {
        assert_eq!((press(&mut state, key).len(), message(&state)), (0, "there is no template under the cursor"));
    }
}

#[test]
fn broken_links_of_one_source_look_different() {
    for (width, height) in [(80, 24), (120, 36), (200, 60)] {
        let mut state = fixture::state(width, height);
        let mut snapshot = fixture::snapshot();
        let broken = |line: usize| {
            let message = format!("broken link: '../mod-018-api-integration-{line}.md' does not exist");
            let problem = Diagnostic::warning(Code::BrokenLink, message).in_file("docs/mod-017/README.md");
            Diagnostic {
                source_id: Some("mod-code-017-persistence".to_owned()),
                ..problem.at(refdesk_text::report::Position { line, column: 3 })
            }
        };
        snapshot.diagnostics = std::sync::Arc::from([41, 57, 102].map(broken));
        update(&mut state, Input::Snapshot(Box::new(snapshot)));
        press(&mut state, "d");
        let shown = screen(&state);
        for line in [41, 57, 102] {
            let row = shown.lines().find(|row| row.contains(&format!("README.md:{line}"))).unwrap();
            assert!(row.contains("does not exist") && !row.contains("broken link:"), "{width}: {shown}");
        }
    }
}
