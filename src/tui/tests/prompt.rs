//! The prompt typed into the hints pane: what it asks the engine, and the rows of the answer.

use crate::tui::fixture;
use crate::tui::input::Input;
use crate::tui::pane::Pane;
use crate::tui::state::State;
use crate::tui::update::update;
use refdesk_core::catalog::{Catalog, Mode, PathState};
use refdesk_desk::engine::{Event, Loading, Request, Response, Snapshot};
use refdesk_enrich::{Considered, Findings, Hint, Neighbour, Rejection, SkippedSource, WhyNot};

use crate::tui::tests::{answer, commands, event, press, screen, stale};

#[test]
fn typing_requests_matches_and_old_answers_are_dropped() {
    let mut state = fixture::state(80, 24);
    let asked = commands(&press(&mut state, "3 Enter \"ja\""));
    let looks: Vec<_> = asked.iter().filter(|command| matches!(command, Request::Match(_))).collect();
    let look = |prompt: &str| Request::Match(prompt.into());
    assert_eq!(looks, [&look("j"), &look("ja")]);
    let hint = Hint {
        id: "java-service".into(),
        tags: vec!["ja".to_owned()],
        firsts: vec![0],
        ranges: std::iter::once(0..2).collect(),
        is_in_code: false,
    };
    let findings = Findings { hints: vec![hint], ..Findings::default() };
    stale(&mut state, Response::Findings(findings.clone()));
    assert_eq!(state.len(Pane::Hints), 0, "the answer to an old question");
    answer(&mut state, Response::Findings(findings));
    assert_eq!(state.len(Pane::Hints), 1);
    press(&mut state, "Home \"a \"");
    assert_eq!(state.hints.findings.hints[0].ranges[0], 2..4, "marks move with the text until the next answer");
    assert_eq!(commands(&press(&mut state, "Esc Space")), [Request::pick_if_few("java-service")]);
    press(&mut state, "i C-e C-u");
    assert_eq!(state.len(Pane::Hints), 0, "an empty prompt is not asked about");
}

#[test]
fn the_reason_of_the_row_under_the_cursor_is_whole() {
    let long = format!("{}/java", "x".repeat(50));
    for (piece, keys, parts) in [
        ("x/java", "", ["No hint: java appears only in x/java, and the /", "x excludes it."]),
        // Beside a feed there is less width, and the rows are there.
        (long.as_str(), "Esc F4", ["No hint: java appears only in", "Space picks it, x excludes it."]),
    ] {
        let mut state = fixture::state(120, 36);
        event(&mut state, Event::Notice(fixture::notice("changed")));
        press(&mut state, "3 Enter \"x/java\"");
        let passed = SkippedSource {
            id: "java-service".into(),
            tags: vec!["java".to_owned()],
            ranges: std::iter::once(2..6).collect(),
            why: WhyNot::Inside { piece: piece.to_owned(), neighbour: Neighbour::Before('/') },
        };
        answer(&mut state, Response::Findings(Findings { passed: vec![passed], ..Findings::default() }));
        press(&mut state, keys);
        let shown = screen(&state);
        for part in parts {
            assert!(shown.contains(part), "{shown}");
        }
    }
}

/// Hints at these sources for the tag `java` at the start of the prompt.
pub fn found(ids: &[&str]) -> Findings {
    let hint = |id: &&str| Hint {
        id: (*id).into(),
        tags: vec!["java".to_owned()],
        firsts: vec![0],
        ranges: std::iter::once(0..4).collect(),
        is_in_code: false,
    };
    Findings { hints: ids.iter().map(hint).collect(), ..Findings::default() }
}

#[test]
fn one_long_id_takes_no_reasons_and_names_from_other_rows() {
    for (length, width) in [(70, 120), (200, 120), (70, 80)] {
        let long = "architecture-decision-on-failover-".repeat(6)[..length].to_owned();
        let mut state = fixture::state(width, 36);
        let place = fixture::local("docs/long.md", PathState::File);
        let mut sources = fixture::sources();
        sources.push(fixture::source(&long, "Long", Mode::Selectable, &["java"], place));
        let catalog = Catalog::new(sources).into();
        update(&mut state, Input::Snapshot(Box::new(Snapshot { catalog, ..fixture::snapshot() })));
        press(&mut state, "3 Enter \"java\"");
        answer(&mut state, Response::Findings(found(&["java-service", "timeouts", &long])));
        press(&mut state, "Esc");
        let shown = screen(&state);
        let row = |id: &str| shown.lines().rfind(|line| line.contains(id) && line.contains("(matched: java"));
        let [short, own] = [row("@timeouts"), row("@architecture-dec")];
        assert!(short.is_some_and(|row| row.contains("(matched: java 1:1)")), "{length} {width} {shown}");
        assert!(own.is_some_and(|row| row.contains('…')), "{length} {width} {shown}");
    }
}

#[test]
fn a_picked_match_keeps_its_row_while_the_prompt_is_the_same() {
    let mut state = fixture::state(80, 24);
    press(&mut state, "3 Enter \"java\"");
    let reported = |state: &mut State, ids: &[&str]| {
        answer(state, Response::Findings(found(ids)));
        state.hints.findings.hints.iter().map(|hint| hint.id.to_string()).collect::<Vec<_>>()
    };
    // The fixture has `circuit-breaker` picked, which stands for a new pick here.
    assert_eq!(reported(&mut state, &["circuit-breaker", "java-service"]), ["circuit-breaker", "java-service"]);
    press(&mut state, "Esc j");
    update(&mut state, Input::Snapshot(Box::new(fixture::snapshot())));
    assert_eq!(reported(&mut state, &["java-service"]), ["circuit-breaker", "java-service"], "the same prompt");
    assert_eq!(state.subject(Pane::Hints), Some("java-service"));
    assert_eq!(commands(&press(&mut state, "k Space")), [Request::unpick("circuit-breaker")]);
    press(&mut state, "i \"!\"");
    assert_eq!(reported(&mut state, &["java-service"]), ["java-service"], "another prompt");
}

#[test]
fn the_best_match_is_under_the_cursor_while_the_prompt_is_typed() {
    let mut state = fixture::state(80, 24);
    press(&mut state, "3 Enter \"java\"");
    answer(&mut state, Response::Findings(found(&["release-notes"])));
    // The same prompt, after the index was built.
    update(&mut state, Input::Snapshot(Box::new(fixture::snapshot())));
    answer(&mut state, Response::Findings(found(&["java-service", "release-notes"])));
    assert_eq!(state.subject(Pane::Hints), Some("java-service"));
}

#[test]
fn rows_found_while_documents_load_are_searched_again() {
    let mut state = fixture::state(120, 36);
    let whole = Snapshot { generation: 3, ..fixture::snapshot() };
    let loading = Some(Loading { done: 1, total: 7 });
    update(&mut state, Input::Snapshot(Box::new(Snapshot { loading, generation: 2, ..whole.clone() })));
    press(&mut state, "3 i \"java\" Esc");
    // The document that pulls in `timeouts` was not read yet.
    answer(&mut state, Response::Findings(found(&["timeouts", "java-service"])));
    assert!(screen(&state).contains("1 hint · 1 selected "), "{}", screen(&state));
    let asked = commands(&update(&mut state, Input::Snapshot(Box::new(whole))));
    assert!(asked.contains(&Request::Match("java".into())), "{asked:?}");
    answer(&mut state, Response::Findings(found(&["java-service"])));
    assert_eq!(state.len(Pane::Hints), 1, "a row of a source that is pulled in is not kept");
    assert!(screen(&state).contains("━ 1 hint ┓"), "{}", screen(&state));
    press(&mut state, "1");
    assert!(screen(&state).contains("3 Hints 1 \"java\""), "{}", screen(&state));
}

#[test]
fn earlier_prompts_can_be_recalled() {
    let mut state = fixture::state(80, 24);
    press(&mut state, "3 i \"one\" Esc i C-x \"two\" Enter \"lines\" Tab i C-x \"draft\"");
    for (keys, shown) in [
        ("Down", "draft"),
        ("Up", "two\nlines"),
        ("Up", "two\nlines"),
        ("Up", "one"),
        ("Up", "one"),
        ("Down", "two\nlines"),
        ("Down", "draft"),
        ("C-p", "two\nlines"),
        ("Esc i C-x", ""),
        ("Up", "two\nlines"),
    ] {
        press(&mut state, keys);
        assert_eq!(state.hints.prompt.text(), shown, "{keys}");
    }
    let asked = commands(&press(&mut state, "C-x Up"));
    assert_eq!(asked.len(), 1, "an empty prompt is not asked about, a recalled one is: {asked:?}");
    press(&mut state, "Esc C-x");
    assert_eq!((state.hints.prompt.text(), state.typing), ("", None), "from the list too");
}

/// A source with a tag that is only part of a word in the prompt.
fn passed(id: &str) -> SkippedSource {
    let why = WhyNot::Inside { piece: "x/api".to_owned(), neighbour: Neighbour::Before('/') };
    SkippedSource { id: id.into(), tags: vec!["api".to_owned()], ranges: std::iter::once(2..5).collect(), why }
}

#[test]
fn a_source_passed_over_can_be_picked_and_keeps_its_row() {
    let mut state = fixture::state(80, 24);
    press(&mut state, "3 i \"x/api\"");
    let reported = |state: &mut State, ids: &[&str]| {
        let findings = Findings { passed: ids.iter().map(|id| passed(id)).collect(), ..Findings::default() };
        answer(state, Response::Findings(findings));
    };
    reported(&mut state, &["ticket-search", "circuit-breaker", "payments-api"]);
    press(&mut state, "Esc j j");
    assert_eq!(commands(&press(&mut state, "Space")), [Request::pick_if_few("payments-api")]);
    // The fixture has `circuit-breaker` picked, which stands for a new pick here.
    press(&mut state, "k");
    update(&mut state, Input::Snapshot(Box::new(fixture::snapshot())));
    reported(&mut state, &["ticket-search", "payments-api"]);
    assert_eq!((state.len(Pane::Hints), state.subject(Pane::Hints)), (3, Some("circuit-breaker")));
    assert_eq!(commands(&press(&mut state, "Space")), [Request::unpick("circuit-breaker")]);
    press(&mut state, "i \"!\"");
    reported(&mut state, &["ticket-search", "payments-api"]);
    assert_eq!(state.len(Pane::Hints), 2, "another prompt");
}

#[test]
fn while_the_index_is_built_the_pane_says_so_and_afterwards_it_asks_again() {
    let mut state = fixture::state(120, 36);
    let indexing = |is_indexing, generation| {
        let snapshot = Snapshot { is_indexing, generation, ..fixture::snapshot() };
        Input::Snapshot(Box::new(snapshot))
    };
    update(&mut state, indexing(true, 7));
    press(&mut state, "3 Enter \"quux\"");
    answer(&mut state, Response::Findings(Findings::default()));
    let shown = screen(&state);
    assert!(shown.contains("No source matches yet: the search index is being built."), "{shown}");
    // An index that answers is only checked for changes.
    answer(&mut state, Response::Findings(Findings { considered: Some(Vec::new()), ..Findings::default() }));
    let shown = screen(&state);
    assert!(shown.contains("matching sources; the search index is being updated"), "{shown}");
    assert!(shown.contains("No source matches yet: the search index is being updated."), "{shown}");
    let no_threshold = Considered {
        why_not: Some(WhyNot::Rejected(Rejection::NoThreshold)),
        ..fixture::considered("java-service", false)
    };
    let half = Findings { considered: Some(vec![no_threshold]), ..Findings::default() };
    answer(&mut state, Response::Findings(half.clone()));
    let shown = screen(&state);
    assert!(
        shown.contains("No hint: the search index is not ready yet.") && !shown.contains("threshold yet"),
        "{shown}"
    );
    let asked = commands(&update(&mut state, indexing(false, 8)));
    assert!(asked.contains(&Request::Match("quux".into())), "{asked:?}");
    answer(&mut state, Response::Findings(half));
    assert!(screen(&state).contains("the index has not computed its threshold yet"), "{}", screen(&state));
}

#[test]
fn an_untrusted_source_says_so_and_shows_how_to_trust_it() {
    let mut state = fixture::state(120, 36);
    let mut sources = fixture::sources();
    let outside = fixture::local("/elsewhere/a.md", refdesk_core::catalog::PathState::Untrusted);
    sources.push(fixture::source("outside", "Outside", refdesk_core::catalog::Mode::Selectable, &["quux"], outside));
    let catalog = std::sync::Arc::new(refdesk_core::catalog::Catalog::new(sources));
    update(&mut state, Input::Snapshot(Box::new(Snapshot { catalog, ..fixture::snapshot() })));
    press(&mut state, "3 Enter \"quux\"");
    let withheld = Considered {
        meaning: refdesk_enrich::Meaning::withheld(Some(0.39)),
        is_unreadable: true,
        why_not: Some(WhyNot::Rejected(Rejection::Unreadable)),
        ..fixture::considered("outside", false)
    };
    let passed = SkippedSource {
        id: "outside".into(),
        tags: vec!["quux".to_owned()],
        ranges: std::iter::once(0..4).collect(),
        why: WhyNot::Rejected(Rejection::Unreadable),
    };
    for (passed, row) in [(Vec::new(), "– waits for trust"), (vec![passed], "– waits for trust")] {
        let considered = Some(vec![withheld.clone()]);
        answer(&mut state, Response::Findings(Findings { considered, passed, ..Findings::default() }));
        let shown = screen(&state);
        assert!(shown.contains(row), "{row}: {shown}");
        let words: Vec<&str> =
            shown.lines().filter_map(|line| line.split('┃').nth(1)).flat_map(str::split_whitespace).collect();
        let sentence = "No hint: it waits for trust, so its text is not read. ! shows what to trust.";
        assert!(words.join(" ").contains(sentence), "{row}: {shown}");
    }
}

#[test]
fn a_line_feed_starts_a_new_line() {
    let mut state = fixture::state(80, 24);
    press(&mut state, "3 Enter \"one\" C-j \"two\"");
    assert_eq!(state.hints.prompt.text(), "one\ntwo");
}

/// While the prompt is typed, the keys of the list type letters into it.
#[test]
fn key_labels_refer_to_the_list() {
    let mut state = fixture::state(120, 36);
    press(&mut state, "3 i \"java\"");
    answer(&mut state, Response::Findings(found(&["java-service"])));
    assert!(screen(&state).contains("After Esc: "), "{}", screen(&state));
    press(&mut state, "Esc");
    assert!(!screen(&state).contains("After Esc"), "{}", screen(&state));
}
