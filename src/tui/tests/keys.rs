//! The requests and messages that keys cause, as tables.

use std::sync::Arc;

use crate::tui::fixture;
use crate::tui::input::{Effect, Input};
use crate::tui::pane::Pane;
use crate::tui::state::{PanePart, State, Typing};
use crate::tui::update::update;
use crate::tui::windows::WindowKind;
use refdesk_desk::engine::{Event, Notice, Request, Response, Snapshot};
use refdesk_enrich::{Findings, Hint, Neighbour, PassedOver, WhyNot};
use refdesk_text::{Code, Error};

use crate::tui::tests::screen;
use crate::tui::tests::{answer, commands, event, message, press, stale};

#[test]
fn picking_and_excluding() {
    for (keys, command) in [
        ("Space", Request::pick("team-conventions")),
        ("j Space", Request::Unpick("circuit-breaker".into())),
        ("j j p", Request::pick("retry-pattern")),
        ("j j x", Request::Exclude("retry-pattern".into())),
        ("G x", Request::Include("release-notes".into())),
        ("G Space", Request::pick("release-notes")),
        ("2 Space", Request::Unpick("circuit-breaker".into())),
        ("2 j x", Request::Exclude("retry-pattern".into())),
        ("2 G k Space", Request::Unpick("old-runbook".into())),
        ("2 G x", Request::Include("release-notes".into())),
        ("/ \"payments\" Enter Space", Request::pick("payments-api")),
        ("r", Request::Reload),
    ] {
        let mut state = fixture::state(80, 24);
        let sent = commands(&press(&mut state, keys));
        let sent: Vec<_> = sent.into_iter().filter(|sent| !matches!(sent, Request::Preview { .. })).collect();
        assert_eq!(sent, [command], "{keys}");
    }
}

#[test]
fn what_cannot_be_done_says_why_and_does_nothing() {
    for (keys, why) in [
        ("j j Space", "pulled in by @circuit-breaker: press x to exclude it, p to keep it as a pick"),
        ("2 j j j j Space", "pulled in by @circuit-breaker, @retry-pattern: press x to exclude it"),
        ("G k p", "@legacy-errors is missing: docs/legacy/codes.md does not exist; fix its path"),
        ("p", "@team-conventions is not pulled in by anything: Space picks it"),
        ("2 G k x", "@old-runbook is no longer in the catalog: press Space to unpick it"),
        ("3 Space", "there is no source under the cursor"),
        ("3 C-x", "the prompt is empty already"),
        ("f Enter", "nothing has happened yet"),
        ("f /", "nothing has happened yet"),
        ("f Space", "there is no source under the cursor"),
        ("z", "each pane fills the screen already: all four need 100×28"),
        ("/ \"cobol\" Enter Space", "there is no source under the cursor"),
        ("/ \"cobol\" Enter l", "the list is empty"),
        ("4 Space", "Space (pick) is available in catalog, selection, hints"),
        ("2 /", "/ (filter) is available in catalog"),
        ("F5", "F5 does nothing here: ? shows the keys"),
        ("? x", "x does nothing in this window: Esc closes it"),
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
    assert!(message(&state).starts_with("@legacy-errors is missing: docs/legacy/codes.md does not exist"));
}

#[test]
fn going_around() {
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
fn leaving() {
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
fn a_text_field_takes_every_printable_key() {
    let printable: String = (' '..='~').filter(|c| *c != '"').collect();
    for keys in [format!("/ \"{printable}\""), format!("3 i \"{printable}\"")] {
        let mut state = fixture::state(80, 24);
        let effects = press(&mut state, &keys);
        let field = if state.typing == Some(Typing::Filter) { &state.catalog.filter } else { &state.hints.prompt };
        assert_eq!(field.text(), printable);
        assert!(commands(&effects).iter().all(|command| matches!(command, Request::Match(_))));
        press(&mut state, "Esc");
        assert_eq!(state.typing, None);
    }
}

#[test]
fn the_filter_narrows_and_esc_shows_all_again() {
    let mut state = fixture::state(80, 24);
    for (keys, rows, typing) in [
        ("/", 10, Some(Typing::Filter)),
        ("\"java\"", 3, Some(Typing::Filter)),
        ("Space \"retry\"", 1, Some(Typing::Filter)),
        ("C-w", 3, Some(Typing::Filter)),
        ("Enter", 3, None),
        ("Esc", 10, None),
        ("/ \"retry\" Esc", 10, None),
    ] {
        press(&mut state, keys);
        assert_eq!((state.catalog.rows.len(), state.typing), (rows, typing), "{keys}");
    }
}

#[test]
fn the_filter_stays_on_the_source_it_was_on() {
    let mut state = fixture::state(80, 24);
    press(&mut state, "j j / \"java\"");
    assert_eq!(state.subject(Pane::Catalog), Some("retry-pattern"));
    press(&mut state, "Esc");
    assert_eq!(state.subject(Pane::Catalog), Some("retry-pattern"));
    press(&mut state, "/ Down Down");
    assert_eq!(state.subject(Pane::Catalog), Some("error-handling"), "arrows move in the list while typing");
}

#[test]
fn a_prompt_is_looked_at_and_old_answers_are_dropped() {
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
    };
    let findings = Findings { hints: vec![hint], ..Findings::default() };
    stale(&mut state, Response::Findings(findings.clone()));
    assert_eq!(state.len(Pane::Hints), 0, "the answer to an old question");
    answer(&mut state, Response::Findings(findings));
    assert_eq!(state.len(Pane::Hints), 1);
    press(&mut state, "Home \"a \"");
    assert_eq!(state.hints.findings.hints[0].ranges[0], 2..4, "marks move with the text until the next answer");
    assert_eq!(commands(&press(&mut state, "Esc Space")), [Request::pick("java-service")]);
    press(&mut state, "i C-e C-u");
    assert_eq!(state.len(Pane::Hints), 0, "an empty prompt is not asked about");
}

#[test]
fn what_was_picked_stays_in_its_row_while_the_prompt_is_the_same() {
    let mut state = fixture::state(80, 24);
    press(&mut state, "3 Enter \"java\"");
    let hint = |id: &str| Hint {
        id: id.into(),
        tags: vec!["java".to_owned()],
        firsts: vec![0],
        ranges: std::iter::once(0..4).collect(),
    };
    let found = |ids: &[&str]| Findings { hints: ids.iter().copied().map(hint).collect(), ..Findings::default() };
    let told = |state: &mut State, ids: &[&str]| {
        answer(state, Response::Findings(found(ids)));
        state.hints.findings.hints.iter().map(|hint| hint.id.to_string()).collect::<Vec<_>>()
    };
    // In the fixture `circuit-breaker` is picked; here it represents a new pick.
    assert_eq!(told(&mut state, &["circuit-breaker", "java-service"]), ["circuit-breaker", "java-service"]);
    press(&mut state, "Esc j");
    update(&mut state, Input::Snapshot(Box::new(fixture::snapshot())));
    assert_eq!(told(&mut state, &["java-service"]), ["circuit-breaker", "java-service"], "the same prompt");
    assert_eq!(state.subject(Pane::Hints), Some("java-service"));
    assert_eq!(commands(&press(&mut state, "k Space")), [Request::Unpick("circuit-breaker".into())]);
    press(&mut state, "i \"!\"");
    assert_eq!(told(&mut state, &["java-service"]), ["java-service"], "another prompt");
}

#[test]
fn an_id_typed_in_full_is_meant() {
    let mut state = fixture::state(80, 24);
    press(&mut state, "/ \"ret\"");
    let first = state.subject(Pane::Catalog).map(str::to_owned);
    press(&mut state, "C-u \"retry-pattern\"");
    assert_eq!(state.subject(Pane::Catalog), Some("retry-pattern"), "not {first:?}");
}

#[test]
fn a_preview_is_asked_for_once_and_when_it_can_be_seen() {
    let mut state = fixture::state(80, 24);
    assert_eq!(commands(&press(&mut state, "j k 2 3")), []);
    let preview = |template: &str| Request::Preview { template: template.into(), values: None, path: None };
    assert_eq!(commands(&press(&mut state, "4")), [preview("CircuitBreaker.java.tpl")]);
    assert_eq!(commands(&press(&mut state, "1 4")), []);
    assert_eq!(commands(&press(&mut state, "j")), [preview("retry-policy.yaml.tmpl")]);
    let same = fixture::snapshot();
    let again = update(&mut state, Input::Snapshot(Box::new(same)));
    assert_eq!(commands(&again), [preview("retry-policy.yaml.tmpl")], "the index was computed anew");
}

#[test]
fn what_would_follow_is_asked_once_a_row_and_not_while_typing() {
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
fn undo_is_there_when_there_is_something_to_undo() {
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
fn esc_leaves_the_nearest_thing() {
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
fn cursors_follow_their_sources_through_a_reload() {
    let mut state = fixture::state(80, 24);
    press(&mut state, "G k 2 j j j");
    assert_eq!(state.subject(Pane::Selection), Some("legacy-errors"));
    let mut snapshot = fixture::snapshot();
    let fewer = snapshot.catalog.sources().iter().skip(3).cloned().collect();
    snapshot.catalog = Arc::new(refdesk_core::catalog::Catalog::new(fewer));
    update(&mut state, Input::Snapshot(Box::new(snapshot)));
    assert_eq!(state.subject(Pane::Catalog), Some("legacy-errors"));
    assert_eq!(state.subject(Pane::Selection), Some("legacy-errors"));
}

#[test]
fn what_the_engine_says_is_said() {
    let mut state = fixture::state(80, 24);
    event(&mut state, Event::Notice(fixture::notice("References transitively included: @a (from @b)")));
    assert_eq!(message(&state), "References transitively included: @a (from @b)");
    answer(
        &mut state,
        Response::Done(vec![Error::new(Code::Refused, "no such source".to_owned(), "press r".to_owned())]),
    );
    assert_eq!(message(&state), "no such source: press r");
    press(&mut state, "j");
    assert_eq!(message(&state), "");
}

#[test]
fn prompts_typed_before_are_walked_through() {
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
    assert_eq!(asked.len(), 1, "an empty prompt is not asked about, a fetched one is: {asked:?}");
    press(&mut state, "Esc C-x");
    assert_eq!((state.hints.prompt.text(), state.typing), ("", None), "from the list too");
}

/// A source whose tag is only part of a word in the prompt.
fn passed(id: &str) -> PassedOver {
    let why = WhyNot::Inside { piece: "x/api".to_owned(), neighbour: Neighbour::Before('/') };
    PassedOver { id: id.into(), tags: vec!["api".to_owned()], ranges: std::iter::once(2..5).collect(), why }
}

#[test]
fn who_is_passed_over_can_be_picked_and_stays_in_its_row() {
    let mut state = fixture::state(80, 24);
    press(&mut state, "3 i \"x/api\"");
    let told = |state: &mut State, ids: &[&str]| {
        let findings = Findings { passed: ids.iter().map(|id| passed(id)).collect(), ..Findings::default() };
        answer(state, Response::Findings(findings));
    };
    told(&mut state, &["ticket-search", "circuit-breaker", "payments-api"]);
    press(&mut state, "Esc j j");
    assert_eq!(commands(&press(&mut state, "Space")), [Request::pick("payments-api")]);
    // In the fixture `circuit-breaker` is picked; here it represents a new pick.
    press(&mut state, "k");
    update(&mut state, Input::Snapshot(Box::new(fixture::snapshot())));
    told(&mut state, &["ticket-search", "payments-api"]);
    assert_eq!((state.len(Pane::Hints), state.subject(Pane::Hints)), (3, Some("circuit-breaker")));
    assert_eq!(commands(&press(&mut state, "Space")), [Request::Unpick("circuit-breaker".into())]);
    press(&mut state, "i \"!\"");
    told(&mut state, &["ticket-search", "payments-api"]);
    assert_eq!(state.len(Pane::Hints), 2, "another prompt");
}

fn about(text: &str, subject: Option<&str>) -> Event {
    Event::Notice(Notice { subject: subject.map(Into::into), ..fixture::notice(text) })
}

#[test]
fn the_feed_leads_to_its_sources() {
    for (keys, focus, subject, said) in [
        ("f Enter", Pane::Catalog, Some("timeouts"), ""),
        ("3 l Enter", Pane::Catalog, Some("timeouts"), ""),
        ("/ \"java\" Enter f Enter", Pane::Catalog, Some("timeouts"), "cleared the catalog filter"),
        ("/ \"time\" Enter f Enter", Pane::Catalog, Some("timeouts"), ""),
        ("f j Enter", Pane::Hints, None, "this is not about a single source"),
        ("d c", Pane::Catalog, Some("payments-api"), ""),
        ("d j c", Pane::Catalog, Some("legacy-errors"), ""),
        ("/ \"java\" Enter d c", Pane::Catalog, Some("payments-api"), "cleared the catalog filter"),
        ("f G Enter", Pane::Hints, Some("old-runbook"), "@old-runbook is no longer in the catalog"),
        ("f / \"x\" Enter Enter", Pane::Hints, None, "no row matches"),
        ("f Esc", Pane::Hints, None, ""),
    ] {
        let mut state = fixture::state(80, 24);
        for notice in [about("gone", Some("old-runbook")), about("broken", None), about("changed", Some("timeouts"))] {
            event(&mut state, notice);
        }
        press(&mut state, keys);
        assert_eq!((state.focus, state.subject(state.focus)), (focus, subject), "{keys}");
        assert!(message(&state).starts_with(said) && message(&state).is_empty() == said.is_empty(), "{keys}");
    }
}

#[test]
fn the_feed_is_filtered_and_its_source_is_chosen_from_it() {
    let mut state = fixture::state(80, 24);
    for notice in [about("retry", Some("payments-api")), about("broken", None), about("changed", Some("timeouts"))] {
        event(&mut state, notice);
    }
    assert_eq!(commands(&press(&mut state, "f x")), [Request::Exclude("timeouts".into())]);
    for (keys, rows, typing) in [
        ("/", 3, Some(Typing::FeedFilter)),
        ("\"RETRY\"", 1, Some(Typing::FeedFilter)),
        ("Enter", 1, None),
        ("/ Esc", 3, None),
        ("/ \"e\" Down Down Tab", 3, None),
    ] {
        press(&mut state, keys);
        assert_eq!((state.feed.rows.len(), state.typing), (rows, typing), "{keys}");
    }
    assert_eq!(commands(&press(&mut state, "Space")), [Request::pick("payments-api")]);
    press(&mut state, "Esc");
    assert_eq!((state.part, state.feed.filter.text()), (PanePart::List, "e"));
    press(&mut state, "Esc");
    assert_eq!((state.feed.filter.text(), state.feed.rows.len()), ("", 3));
}

#[test]
fn nothing_is_done_to_the_first_of_several_sources() {
    let mut state = fixture::state(80, 24);
    let several = Notice { subject: Some("timeouts".into()), several: true, ..fixture::notice("Picked @timeouts, @x") };
    event(&mut state, Event::Notice(several));
    press(&mut state, "f");
    assert!(!screen(&state).contains("Space pick"));
    for key in ["Space", "x", "p", "o", "e", "y", "Y"] {
        let effects = press(&mut state, key);
        assert_eq!(effects, [], "{key}");
        assert!(message(&state).starts_with("this row is about several sources"), "{key}: {}", message(&state));
    }
    event(&mut state, about("Picked @timeouts", Some("timeouts")));
    assert_eq!(commands(&press(&mut state, "g x")), [Request::Exclude("timeouts".into())]);
}

#[test]
fn the_bottom_line_offers_the_keys_of_the_feed() {
    let mut state = fixture::state(80, 24);
    event(&mut state, about("changed", Some("timeouts")));
    for (keys, shown) in [
        ("f", "Enter go to source  / filter  t kinds  s session"),
        ("/ \"session:x\" Enter", "/ filter  t kinds  s all sessions"),
    ] {
        press(&mut state, keys);
        assert!(screen(&state).contains(shown), "{}", screen(&state));
    }
}

#[test]
fn the_newest_is_followed_until_one_moves_away_from_it() {
    let mut state = fixture::state(80, 24);
    event(&mut state, about("first", None));
    assert_eq!(state.feed.new, 1);
    press(&mut state, "f");
    assert_eq!(state.feed.new, 0);
    event(&mut state, about("second", None));
    assert_eq!(state.feed.current().map(|notice| notice.text.as_str()), Some("second"), "the newest is followed");
    press(&mut state, "j");
    for at in 0..40 {
        event(&mut state, about(&at.to_string(), None));
        assert_eq!(state.feed.current().map(|notice| notice.text.as_str()), Some("first"));
    }
    assert_eq!(state.feed.new, 0);
    press(&mut state, "g");
    event(&mut state, about("after", None));
    assert_eq!(state.feed.current().map(|notice| notice.text.as_str()), Some("after"), "back at the newest");
    press(&mut state, "1");
    event(&mut state, about("last", None));
    assert_eq!((state.feed.new, state.feed.since_key), (1, 1));
}

#[test]
fn a_refusal_is_read_before_what_comes_after_it() {
    let mut state = fixture::state(80, 24);
    press(&mut state, "j j Space");
    let refusal = message(&state).to_owned();
    event(&mut state, about("something", None));
    assert_eq!((message(&state), state.feed.new), (refusal.as_str(), 1));
    press(&mut state, "j");
    event(&mut state, about("something", None));
    assert_eq!(message(&state), "something");
}

#[test]
fn the_document_under_the_cursor_is_read_where_it_can_be_seen() {
    let mut state = fixture::state(80, 24);
    let reads = |effects: &[Effect]| -> Vec<String> {
        let read = |effect: &Effect| match effect {
            Effect::Ask(Request::Read(id)) => Some(id.to_string()),
            _ => None,
        };
        effects.iter().filter_map(read).collect()
    };
    assert_eq!(reads(&press(&mut state, "j")), ["circuit-breaker"]);
    assert_eq!(reads(&press(&mut state, "l j h z 2 d Esc")), [""; 0]);
    let mut again = fixture::snapshot();
    assert_eq!(
        reads(&update(&mut state, Input::Snapshot(Box::new(again.clone())))),
        [""; 0],
        "elsewhere, nothing is read"
    );
    press(&mut state, "1");
    again.reads = 1;
    let effects = update(&mut state, Input::Snapshot(Box::new(again)));
    assert_eq!(reads(&effects), ["circuit-breaker"], "the workspace was read again");
    let document = |text: &str| fixture::document("circuit-breaker", text);
    stale(&mut state, Response::Document(document("old")));
    assert_eq!(state.catalog.document.answer, None, "the answer to an old question");
    answer(&mut state, Response::Document(document("new")));
    assert_eq!(state.catalog.text.lines()[0].text(), "new");
    press(&mut state, "j");
    assert_eq!(state.catalog.text.len(), 0, "of the source before");
    let mut small = fixture::state(40, 10);
    assert_eq!(reads(&press(&mut small, "j j")), [""; 0], "there is no room for details");
}

#[test]
fn searching_a_document() {
    let mut state = fixture::state(80, 24);
    press(&mut state, "j l");
    let document = fixture::document("circuit-breaker", &"one\ntwo\nThree\n".repeat(20));
    answer(&mut state, Response::Document(document));
    for (keys, at, hits, typing) in [
        ("/", 0, 0, Some(Typing::Search)),
        ("\"TH\"", 0, 0, Some(Typing::Search)),
        ("C-u \"thr\"", 0, 20, Some(Typing::Search)),
        ("Enter", 0, 20, None),
        ("n n", 2, 20, None),
        ("N", 1, 20, None),
        ("N N", 19, 20, None),
        ("n", 0, 20, None),
        ("/ \"e\"", 28, 91, Some(Typing::Search)),
        ("Esc", 0, 0, None),
        ("/ \"two\" Enter Esc", 0, 0, None),
    ] {
        press(&mut state, keys);
        let search = &state.catalog.search;
        assert_eq!((search.at, search.hits.len(), state.typing), (at, hits, typing), "{keys}");
        assert_eq!(state.part, PanePart::Detail, "{keys}");
    }
    press(&mut state, "/ \"Three\" Enter N");
    assert!(state.catalog.scroll.top > 40, "the last hit is in sight");
    press(&mut state, "/ \"@circuit\"");
    assert_eq!(state.catalog.scroll.top, 0, "the only hit is far above");
    press(&mut state, "Esc h j");
    assert_eq!((state.part, state.catalog.search.is_on()), (PanePart::List, false));
    press(&mut state, "l / \"retry\" Enter h");
    assert_eq!(state.part, PanePart::Detail, "first the search is left");
}

#[test]
fn a_search_ends_with_the_source_it_was_in() {
    let mut state = fixture::state(80, 24);
    press(&mut state, "l / \"a\" Enter 2 1 j");
    assert!(!state.catalog.search.is_on());
    press(&mut state, "l n");
    assert_eq!(message(&state), "there is no search: press / to type a text");
    press(&mut state, "/ \"cobol\" Enter N");
    assert_eq!(message(&state), "no match for cobol in these details");
}

#[test]
fn sorting_keeps_the_cursor_on_its_source() {
    let mut state = fixture::state(80, 24);
    press(&mut state, "j j");
    for (first, last) in [
        ("circuit-breaker", "timeouts"),
        ("error-handling", "payments-api"),
        ("java-service", "legacy-errors"),
        ("circuit-breaker", "legacy-errors"),
        ("team-conventions", "release-notes"),
    ] {
        press(&mut state, "s");
        let id = |row: Option<&usize>| state.snapshot.catalog.sources()[*row.unwrap()].id.to_string();
        let rows = &state.catalog.rows;
        assert_eq!((id(rows.first()).as_str(), id(rows.last()).as_str()), (first, last), "{:?}", state.catalog.order);
        assert_eq!(state.subject(Pane::Catalog), Some("retry-pattern"), "{:?}", state.catalog.order);
    }
    press(&mut state, "s / \"java\"");
    let ids = |state: &State| -> Vec<String> {
        let sources = state.snapshot.catalog.sources();
        state.catalog.rows.iter().map(|row| sources[*row].id.to_string()).collect()
    };
    assert_eq!(ids(&state), ["circuit-breaker", "java-service", "retry-pattern"], "an order that was chosen stays");
}

#[test]
fn a_filter_by_state_follows_the_selection() {
    let mut state = fixture::state(80, 24);
    press(&mut state, "/ \"pulled !missing\" Enter G");
    assert_eq!((state.catalog.rows.len(), state.subject(Pane::Catalog)), (3, Some("error-handling")));
    let mut snapshot = fixture::snapshot();
    let members =
        vec![fixture::member("retry-pattern", 0, &[]), fixture::member("error-handling", 1, &["retry-pattern"])];
    snapshot.selection = Arc::new(fixture::selection(members, &[], &[]));
    update(&mut state, Input::Snapshot(Box::new(snapshot)));
    assert_eq!((state.catalog.rows.len(), state.subject(Pane::Catalog)), (1, Some("error-handling")));
}
