//! The search in all documents: typing asks the engine, the newest answer is shown, Enter goes to the section, Space picks.

use std::path::Path;

use crate::tui::catalog::reading;
use crate::tui::fixture;
use crate::tui::input::Effect;
use crate::tui::pane::Pane;
use crate::tui::state::{PanePart, State};
use crate::tui::windows::WindowKind;
use refdesk_desk::engine::{Request, Response};
use refdesk_desk::{Placing, SearchAnswer, SearchHit, SearchMode};
use refdesk_text::{Code, Error, Fix};

use crate::tui::tests::{answer, commands, message, press, screen, stale};

fn hit(source: &str, path: &str, line: usize, heading: &str, excerpt: &str, word: &str) -> SearchHit {
    let at = excerpt.find(word).unwrap();
    SearchHit {
        kind: "text".to_owned(),
        source_id: source.to_owned(),
        name: format!("About {source}"),
        path: path.to_owned(),
        line,
        end_line: line + 12,
        heading: heading.to_owned(),
        excerpt: excerpt.to_owned(),
        matches: std::iter::once(at..at + word.len()).collect(),
        score: 0.18,
        because: vec![Placing { list: "words", rank: 1, words: vec![word.to_owned()], cosine: None }],
        readable: true,
        selected: false,
        tokens: 120,
        fix: Fix::None,
    }
}

fn found(query: &str) -> SearchAnswer {
    let breaker =
        "## When it opens\n\nThe circuit opens after five failures in a row,\nand stays open for 30 seconds. \x1b[2J";
    let hits = vec![
        hit("circuit-breaker", "adr/adr-004.md", 5, "Circuit breaker > When it opens", breaker, "opens"),
        hit(
            "java-service",
            "skills/java-service/docs/calls.md",
            41,
            "Java service > Calls > Open circuits",
            "Log it.",
            "Log",
        ),
        hit("payments-api", "", 0, "", "Payments API. How to call it, and what opens an account.", "opens"),
    ];
    SearchAnswer {
        query: query.to_owned(),
        mode: SearchMode::Hybrid,
        hits,
        tokens_used: 0,
        partial: None,
        has_no_room: false,
        notes: Vec::new(),
    }
}

/// The queries that were asked.
fn asked(effects: &[Effect]) -> Vec<String> {
    let query = |command: &Request| match command {
        Request::Search(request) => Some(request.query.clone()),
        _ => None,
    };
    commands(effects).iter().filter_map(query).collect()
}

fn searched(width: u16, height: u16) -> State {
    let mut state = fixture::state(width, height);
    press(&mut state, "C-k \"opens\"");
    answer(&mut state, Response::Found(Ok(Box::new(found("opens")))));
    state
}

#[test]
fn windows_of_sections() {
    for (width, height) in [(80, 24), (120, 36)] {
        let mut state = fixture::state(width, height);
        press(&mut state, "C-k");
        insta::assert_snapshot!(format!("sections_empty_{width}x{height}"), screen(&state));
        let mut state = searched(width, height);
        insta::assert_snapshot!(format!("sections_{width}x{height}"), screen(&state));
        press(&mut state, "Tab Down");
        insta::assert_snapshot!(format!("sections_list_{width}x{height}"), screen(&state));
    }
}

#[test]
fn every_change_of_the_query_is_asked_and_the_newest_answer_stays() {
    let mut state = fixture::state(100, 30);
    assert_eq!(asked(&press(&mut state, "C-k")), [""; 0], "nothing to ask yet");
    assert_eq!(asked(&press(&mut state, "\"a b\"")), ["a", "a b"], "a blank alone asks nothing new");
    assert!(screen(&state).contains("Searching"), "{}", screen(&state));
    answer(&mut state, Response::Found(Ok(Box::new(found("a b")))));
    assert!(screen(&state).contains("3 sections"), "{}", screen(&state));
    assert_eq!(asked(&press(&mut state, "\"c\"")), ["a bc"]);
    assert!(screen(&state).contains("3 sections"), "the last sections stay until the answer");
    stale(&mut state, Response::Found(Ok(Box::new(SearchAnswer { hits: Vec::new(), ..found("a b") }))));
    assert!(screen(&state).contains("3 sections"), "an older answer changes nothing");
    assert_eq!(asked(&press(&mut state, "C-u")), [""; 0]);
    assert!(screen(&state).contains("Type a question"), "{}", screen(&state));
    assert_eq!(asked(&press(&mut state, "\"a\"")), ["a"]);
    press(&mut state, "Esc");
    assert_eq!(state.window, None);
    let mut other = searched(100, 30);
    for keys in ["Esc C-k", "Esc 2 /", "Esc 3 /"] {
        assert_eq!(asked(&press(&mut other, keys)), ["opens"], "{keys}: the index may have changed meanwhile");
        answer(&mut other, Response::Found(Ok(Box::new(found("opens")))));
    }
    assert_eq!(asked(&press(&mut state, "C-k")), [""; 0], "what was typed is still there, and its answer awaited");
}

#[test]
fn an_answer_without_sections_says_why() {
    let mut state = searched(100, 30);
    let none = || SearchAnswer { hits: Vec::new(), ..found("x") };
    answer(&mut state, Response::Found(Ok(Box::new(none()))));
    assert!(screen(&state).contains("No section found."), "{}", screen(&state));
    let notes = vec!["The query has no words to search for.".to_owned()];
    answer(&mut state, Response::Found(Ok(Box::new(SearchAnswer { notes, ..none() }))));
    assert!(screen(&state).contains("has no words"), "{}", screen(&state));
    let refused = Error::new(Code::NoIndex, "this workspace has no search index", Fix::BuildIndex);
    answer(&mut state, Response::Found(Err(refused)));
    assert!(
        screen(&state).contains("this workspace has no search index: build it with `refdesk index`"),
        "{}",
        screen(&state)
    );
    assert!(commands(&press(&mut state, "Enter Tab Space")).is_empty());
    assert_eq!(message(&state), "there is no source under the cursor");
}

#[test]
fn space_picks_in_the_list_and_types_in_the_line() {
    let mut state = searched(100, 30);
    assert_eq!(commands(&press(&mut state, "Tab Down Space")), [Request::pick_if_few("java-service")]);
    assert_eq!(commands(&press(&mut state, "Up Space")), [Request::Unpick("circuit-breaker".into())]);
    assert_eq!(state.open_window(), Some(WindowKind::SectionList), "it stays open");
    press(&mut state, "/");
    assert_eq!(state.open_window(), Some(WindowKind::SectionSearch));
    assert!(commands(&press(&mut state, "Space")).is_empty());
    assert_eq!(state.sections.query.text(), "opens ");
}

#[test]
fn enter_shows_the_section_in_the_details() {
    let mut state = searched(120, 36);
    let effects = press(&mut state, "Enter");
    assert_eq!((state.window, state.focus, state.part), (None, Pane::Catalog, PanePart::Detail));
    assert_eq!(state.subject(Pane::Catalog), Some("circuit-breaker"));
    let path = Path::new(fixture::WORKSPACE).join("adr/adr-004.md");
    assert!(effects.contains(&Effect::Ask(Request::ReadFile("circuit-breaker".into(), path.clone()))), "{effects:?}");
    answer(&mut state, Response::Document(fixture::document("circuit-breaker", &fixture::TEXT.repeat(20))));
    assert_eq!(reading::line(&state), Some(5));
    let effects = press(&mut state, "o");
    let opens = |effect: &Effect| matches!(effect, Effect::Edit(spot) if spot.path == path && spot.line == 5);
    assert!(effects.iter().any(opens), "{effects:?}");
    // Another source has its own document again, and so has this one.
    let effects = press(&mut state, "Esc Down");
    assert!(effects.iter().any(|effect| matches!(effect, Effect::Ask(Request::Read(_)))), "{effects:?}");
    let effects = press(&mut state, "Up");
    assert!(effects.contains(&Effect::Ask(Request::Read("circuit-breaker".into()))), "{effects:?}");
}

#[test]
fn enter_shows_a_source_without_a_text_and_one_that_a_filter_hides() {
    let mut state = fixture::state(120, 36);
    press(&mut state, "/ \"retry\" Enter C-k \"opens\"");
    answer(&mut state, Response::Found(Ok(Box::new(found("opens")))));
    let effects = press(&mut state, "Down Down Enter");
    assert_eq!(state.subject(Pane::Catalog), Some("payments-api"));
    assert!(effects.contains(&Effect::Ask(Request::Read("payments-api".into()))), "{effects:?}");
    assert!(message(&state).contains("cleared the catalog filter"), "{}", message(&state));
}
