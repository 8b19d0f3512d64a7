//! The jump window: the words search everything at once, every change searches the documents, their sections join the
//! rows, and Enter goes to the row under the cursor.

mod order;

use std::path::Path;
use std::sync::Arc;

use crate::tui::catalog::reading;
use crate::tui::fixture;
use crate::tui::input::{Effect, Input};
use crate::tui::pane::Pane;
use crate::tui::state::{PanePart, State};
use crate::tui::update::update;
use crate::tui::windows::WindowKind;
use refdesk_desk::engine::{Event, Notice, Request, Response, Snapshot, Topic};
use refdesk_desk::{HitRank, LargePick, RankedList, SearchAnswer, SearchHit, SearchMode, SelectionChange};
use refdesk_text::report::Diagnostic;
use refdesk_text::{Code, Error, Fix};

use crate::tui::tests::{answer, busy_morning, commands, event, message, press, screen, stale};

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
        fence: None,
        score: 0.18,
        because: vec![HitRank {
            list: RankedList::Words,
            rank: 1,
            score: 0.1,
            words: vec![word.to_owned()],
            cosine: None,
        }],
        readable: true,
        selected: false,
        tokens: 120,
        subject: None,
        columns: Vec::new(),
        join: None,
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
        explains_no_hits: false,
        notes: Vec::new(),
    }
}

/// The requested search queries.
fn asked(effects: &[Effect]) -> Vec<String> {
    let query = |command: &Request| match command {
        Request::Search(request) => Some(request.query.clone()),
        _ => None,
    };
    commands(effects).iter().filter_map(query).collect()
}

fn searched(width: u16, height: u16, keys: &str) -> State {
    let mut state = fixture::state(width, height);
    press(&mut state, keys);
    answer(&mut state, Response::Found(Ok(Box::new(found("opens")))));
    state
}

/// The listed rows, with kind and name.
fn listed(state: &State) -> Vec<String> {
    state.jump.rows().iter().map(|row| format!("{} {}", row.kind.word(), row.name)).collect()
}

#[test]
fn windows_of_the_jump() {
    for (width, height) in [(80, 24), (120, 36), (200, 60)] {
        let mut state = fixture::state(width, height);
        busy_morning(&mut state);
        press(&mut state, "C-k");
        insta::assert_snapshot!(format!("jump_empty_{width}x{height}"), screen(&state));
        press(&mut state, "\"retry\"");
        answer(&mut state, Response::Found(Ok(Box::new(found("retry")))));
        insta::assert_snapshot!(format!("jump_{width}x{height}"), screen(&state));
        press(&mut state, "Esc 2 C-k \"/opens\"");
        answer(&mut state, Response::Found(Ok(Box::new(found("opens")))));
        insta::assert_snapshot!(format!("jump_to_a_heading_{width}x{height}"), screen(&state));
    }
}

#[test]
fn file_and_line_of_a_section_are_never_cut() {
    for width in [80, 120, 200] {
        let mut state = fixture::state(width, 36);
        press(&mut state, "C-k \"opens\"");
        let path = "a/folder/with/a/long/name/and/more/folders/within/calls-that-may-fail.md";
        let heading = "A heading that is long enough to take half of the window > When it opens";
        let hits = vec![hit("java-service", path, 1741, heading, "It opens.", "opens")];
        answer(&mut state, Response::Found(Ok(Box::new(SearchAnswer { hits, ..found("opens") }))));
        let shown = screen(&state);
        let row = shown.lines().find(|line| line.contains("heading ")).unwrap();
        assert!(row.contains("calls-that-may-fail.md:1741"), "{width}: {shown}");
    }
}

#[test]
fn ids_of_sections_are_whole_where_room_is_short() {
    for (width, place) in [(80, "line 1741 "), (120, "004-a-circuit-breaker-for-each-service.md:1741")] {
        let mut state = fixture::state(width, 24);
        press(&mut state, "C-k \"/opens\"");
        let path = "docs/decisions/004-a-circuit-breaker-for-each-service.md";
        let hits = vec![hit("circuit-breaker", path, 1741, "Circuit breaker > When it opens", "It opens.", "opens")];
        answer(&mut state, Response::Found(Ok(Box::new(SearchAnswer { hits, ..found("opens") }))));
        let shown = screen(&state);
        let row = shown.lines().find(|line| line.contains("When it opens")).unwrap();
        assert!(row.contains("When it opens @circuit-breaker ") && row.contains(place), "{width}: {shown}");
        assert!(shown.contains(&format!("{path}:1741")), "the details name the file: {shown}");
    }
}

#[test]
fn enter_goes_to_the_row() {
    for (keys, focus, part, subject) in [
        ("\"@timeouts\"", Pane::Catalog, PanePart::List, Some("timeouts")),
        ("\"#retry\"", Pane::Catalog, PanePart::List, Some("retry-pattern")),
        ("\"%policy\"", Pane::Templates, PanePart::List, None),
        ("\"/also\"", Pane::Catalog, PanePart::Detail, Some("circuit-breaker")),
        ("\">picked circuit\"", Pane::Hints, PanePart::Detail, Some("circuit-breaker")),
        ("\":selection\"", Pane::Selection, PanePart::List, Some("circuit-breaker")),
    ] {
        let mut state = fixture::state(120, 36);
        busy_morning(&mut state);
        press(&mut state, "j");
        answer(&mut state, Response::Document(fixture::document("circuit-breaker", &fixture::TEXT.repeat(9))));
        press(&mut state, &format!("C-k {keys} Enter"));
        assert_eq!((state.window, state.focus, state.part), (None, focus, part), "{keys}");
        assert_eq!(state.subject(focus), subject, "{keys}");
    }
    let mut state = fixture::state(120, 36);
    press(&mut state, "4 / \"breaker\" Enter 1 C-k \"%policy\" Enter");
    assert_eq!(state.template().map(|template| template.name.as_str()), Some("retry-policy.yaml.tmpl"));
    assert!(message(&state).contains("cleared the filter of the templates"), "{}", message(&state));
    press(&mut state, "C-k \"!codes\" Enter");
    assert!(matches!(state.window, Some(open) if open.kind == WindowKind::Problems && open.cursor.at == 1));
}

#[test]
fn every_change_of_the_words_is_asked_and_the_newest_answer_stays() {
    let mut state = fixture::state(100, 30);
    assert_eq!(asked(&press(&mut state, "C-k")), [""; 0], "nothing to ask yet");
    assert_eq!(asked(&press(&mut state, "\"a b\"")), ["a", "a b"], "only a blank asks nothing new");
    assert!(screen(&state).contains("searching the documents"), "{}", screen(&state));
    answer(&mut state, Response::Found(Ok(Box::new(found("a b")))));
    assert!(screen(&state).contains("3 sections"), "{}", screen(&state));
    assert_eq!(asked(&press(&mut state, "\"c\"")), ["a bc"]);
    assert!(screen(&state).contains("3 sections"), "the last sections stay until the answer");
    stale(&mut state, Response::Found(Ok(Box::new(SearchAnswer { hits: Vec::new(), ..found("a b") }))));
    assert!(screen(&state).contains("3 sections"), "an older answer changes nothing");
    assert_eq!(asked(&press(&mut state, "C-u")), [""; 0]);
    assert_eq!(asked(&press(&mut state, "\"@a\"")), [""; 0], "sources are not in the documents");
    assert_eq!(asked(&press(&mut state, "C-u \"/a\"")), ["a"]);
    press(&mut state, "Esc");
    assert_eq!(state.window, None);
}

#[test]
fn a_moved_cursor_stays_on_its_row_when_the_answer_comes() {
    let mut state = fixture::state(100, 40);
    busy_morning(&mut state);
    press(&mut state, "C-k \"retry\" Down Down Down");
    let on = |state: &State| listed(state)[state.window.unwrap().cursor.at].clone();
    let before = on(&state);
    answer(&mut state, Response::Found(Ok(Box::new(found("retry")))));
    assert_eq!((on(&state), state.window.unwrap().cursor.at), (before, 6), "three sections came before it");
    press(&mut state, "Backspace");
    assert_eq!(state.window.unwrap().cursor.at, 0, "another key, another best match");
}

#[test]
fn an_answer_without_sections_says_why() {
    let mut state = searched(100, 30, "C-k \"qqq\"");
    let none = || SearchAnswer { hits: Vec::new(), ..found("x") };
    answer(&mut state, Response::Found(Ok(Box::new(none()))));
    assert!(screen(&state).contains("Nothing matches. C-u deletes"), "{}", screen(&state));
    let notes = vec!["The query has no words to search for.".to_owned()];
    answer(&mut state, Response::Found(Ok(Box::new(SearchAnswer { notes, ..none() }))));
    assert!(screen(&state).contains("Nothing matches. The query has no words"), "{}", screen(&state));
    let refused = Error::new(Code::NoIndex, "this workspace has no search index", Fix::BuildIndex);
    answer(&mut state, Response::Found(Err(refused)));
    let sentence = "This workspace has no search index: build it with `refdesk index`";
    assert!(screen(&state).contains(sentence), "{}", screen(&state));
    assert!(commands(&press(&mut state, "Enter C-o")).is_empty());
    assert_eq!(message(&state), "there is no source under the cursor");
}

#[test]
fn the_source_of_a_row_is_picked_without_leaving_the_line() {
    let mut state = searched(100, 30, "C-k \"/opens\"");
    assert_eq!(commands(&press(&mut state, "Down C-o")), [Request::pick_if_few("java-service")]);
    assert_eq!(commands(&press(&mut state, "Up C-o")), [Request::unpick("circuit-breaker")]);
    assert_eq!(state.open_window(), Some(WindowKind::Jump), "it stays open");
    assert!(commands(&press(&mut state, "Space")).is_empty());
    assert_eq!(state.jump.line.text(), "/opens ");
}

#[test]
fn enter_shows_the_section_in_the_details() {
    let mut state = searched(120, 36, "C-k \"/opens\"");
    let effects = press(&mut state, "Enter");
    assert_eq!((state.window, state.focus, state.part), (None, Pane::Catalog, PanePart::Detail));
    assert_eq!(state.subject(Pane::Catalog), Some("circuit-breaker"));
    let path = Path::new(fixture::WORKSPACE).join("adr/adr-004.md");
    assert!(
        effects.contains(&Effect::Ask(Request::Read { id: "circuit-breaker".into(), file: Some(path.clone()) })),
        "{effects:?}"
    );
    answer(&mut state, Response::Document(fixture::document("circuit-breaker", &fixture::TEXT.repeat(20))));
    assert_eq!(reading::line(&state), Some(5));
    let effects = press(&mut state, "o");
    let opens = |effect: &Effect| matches!(effect, Effect::Edit(spot) if spot.path == path && spot.line == 5);
    assert!(effects.iter().any(opens), "{effects:?}");
    // Another source shows its own document again, and so does this one.
    let effects = press(&mut state, "Esc Down");
    assert!(
        effects.iter().any(|effect| matches!(effect, Effect::Ask(Request::Read { file: None, .. }))),
        "{effects:?}"
    );
    let effects = press(&mut state, "Up");
    assert!(effects.contains(&Effect::Ask(Request::Read { id: "circuit-breaker".into(), file: None })), "{effects:?}");
}

#[test]
fn enter_shows_a_source_without_a_text_and_one_that_a_filter_hides() {
    let mut state = fixture::state(120, 36);
    press(&mut state, "/ \"retry\" Enter C-k \"/opens\"");
    answer(&mut state, Response::Found(Ok(Box::new(found("opens")))));
    let effects = press(&mut state, "Down Down Enter");
    assert_eq!(state.subject(Pane::Catalog), Some("payments-api"));
    assert!(effects.contains(&Effect::Ask(Request::Read { id: "payments-api".into(), file: None })), "{effects:?}");
    assert!(message(&state).contains("cleared the catalog filter"), "{}", message(&state));
}

#[test]
fn a_sign_alone_says_what_fills_an_empty_list() {
    for (sign, said) in [
        (">", "Changes to the workspace and the selection appear here."),
        ("%", "No templates yet. They come with the sources you select."),
        ("!", "No problems in this workspace."),
        ("#", "No source has tags yet."),
        ("@", "No sources yet: W shows how to start."),
        ("~", "No filter is saved yet: F saves the one that is typed."),
        (">x", "Nothing matches. C-u deletes what you typed."),
    ] {
        let mut state = fixture::state(120, 36);
        let catalog = refdesk_core::catalog::Catalog::default().into();
        let nothing = Snapshot { catalog, templates: Arc::default(), diagnostics: [].into(), ..fixture::snapshot() };
        update(&mut state, Input::Snapshot(Box::new(nothing)));
        press(&mut state, &format!("Esc C-k \"{sign}\""));
        assert!(screen(&state).contains(said), "{sign} {}", screen(&state));
    }
}

#[test]
fn one_long_id_takes_no_texts_from_other_rows() {
    let long = "architecture-decision-on-cross-region-failover-of-billing-and-ledgers";
    let mut state = fixture::state(120, 36);
    let place = fixture::local("docs/long.md", refdesk_core::catalog::PathState::File);
    let mut sources = fixture::sources();
    let mode = refdesk_core::catalog::Mode::Selectable;
    sources.push(fixture::source(long, "Long", mode, &[], place));
    let catalog = refdesk_core::catalog::Catalog::new(sources).into();
    update(&mut state, Input::Snapshot(Box::new(Snapshot { catalog, ..fixture::snapshot() })));
    press(&mut state, "C-k \"@\"");
    let shown = screen(&state);
    let row = shown.lines().find(|line| line.contains(" timeouts ")).unwrap();
    let gap = row.split_once(" timeouts ").unwrap().1;
    let blanks = gap.chars().take_while(|c| *c == ' ').count();
    assert!(blanks < 40, "{blanks} {row}");
    assert!(shown.contains(&format!(" {long} ")), "{shown}");
}

#[test]
fn a_filter_is_saved_applied_and_removed() {
    let mut state = fixture::state(120, 36);
    press(&mut state, "F");
    assert_eq!(message(&state), "there is no filter to save: / types one");
    press(&mut state, "'");
    assert_eq!(message(&state), "no filter is saved yet: F saves the one that is typed");
    press(&mut state, "C-k \"~\"");
    assert!(screen(&state).contains("No filter is saved yet: F saves the one that is typed."), "{}", screen(&state));
    press(&mut state, "Esc / \"#java\" Enter F Enter");
    assert_eq!(message(&state), "type a name");
    insta::assert_snapshot!("save_filter_120x36", screen(&state));
    press(&mut state, "\"ours\" Enter");
    assert_eq!(message(&state), "saved this filter as ours: ' shows all");
    press(&mut state, "Esc / \"missing\" Enter F \"ours\"");
    assert!(screen(&state).contains("Replaces the filter #java"), "{}", screen(&state));
    press(&mut state, "C-u \"broken\" Enter Esc 2");
    press(&mut state, "C-k \"ours\" Enter");
    assert_eq!((state.focus, state.catalog.filter.text(), state.catalog.rows.len()), (Pane::Catalog, "#java", 3));
    press(&mut state, "F Enter");
    assert_eq!(message(&state), "saved this filter as ours: ' shows all", "nothing is replaced by the same");
    press(&mut state, "/ C-u \"java\" Enter F \"ours\" Enter");
    assert!(screen(&state).contains("Replace the saved filter ours? It is #java now, and would"), "{}", screen(&state));
    press(&mut state, "n");
    assert_eq!((state.named_filters["ours"].as_str(), state.open_window()), ("#java", Some(WindowKind::SaveFilter)));
    press(&mut state, "\"ours\" Enter y");
    assert!(message(&state).starts_with("saved this filter as ours in place of #java"), "{}", message(&state));
    press(&mut state, "'");
    assert_eq!(listed(&state), ["filter broken", "filter ours"]);
    press(&mut state, "Down C-x");
    assert!(screen(&state).contains("Remove the saved filter ours? It is java."), "{}", screen(&state));
    press(&mut state, "n");
    assert_eq!(listed(&state), ["filter broken", "filter ours"]);
    press(&mut state, "Down C-x y");
    assert_eq!(message(&state), "removed the filter ours: java");
    assert_eq!(listed(&state), ["filter broken"]);
    press(&mut state, "Enter");
    assert_eq!(state.catalog.filter.text(), "missing");
    press(&mut state, "C-k C-x");
    assert_eq!(message(&state), "there is no saved filter under the cursor");
    press(&mut state, "Esc 1 ' C-x y");
    assert_eq!((state.open_window(), state.named_filters.len()), (None, 0));
}

#[test]
fn a_search_waits_for_the_index_and_is_asked_again() {
    let mut state = fixture::state(80, 24);
    let indexing = |is_indexing, generation| {
        let snapshot = Snapshot { is_indexing, generation, ..fixture::snapshot() };
        Input::Snapshot(Box::new(snapshot))
    };
    let searched = |effects: &[Effect]| effects.iter().any(|it| matches!(it, Effect::Ask(Request::Search(_))));
    let no_index = || Response::Found(Err(Error::new(Code::NoIndex, "no index", "build one")));
    update(&mut state, indexing(true, 7));
    assert!(searched(&press(&mut state, "C-k \"quux\"")));
    answer(&mut state, no_index());
    let shown = screen(&state);
    assert!(shown.contains("the documents are being indexed") && !shown.contains("not searched"), "{shown}");
    assert!(searched(&update(&mut state, indexing(false, 8))), "when the index is there");
    answer(&mut state, no_index());
    assert!(screen(&state).contains("the documents are not searched"));
    assert!(!searched(&update(&mut state, indexing(true, 9))));
}

#[test]
fn enter_says_what_it_does_to_the_row() {
    for (keys, verb, title) in [
        ("C-k \"retry\"", "Enter go there", "Jump"),
        (": \"pick\"", "Enter run", "Palette"),
        ("C-k \"toggle mouse\" C-u \":mouse\"", "Enter run", "Palette"),
        ("/ \"java\" Enter F \"mine\" Enter '", "Enter apply", "Saved filters"),
    ] {
        let mut state = fixture::state(80, 24);
        press(&mut state, keys);
        let shown = screen(&state);
        assert!(shown.lines().last().unwrap_or_default().contains(verb), "{keys}: {shown}");
        assert!(shown.contains(&format!("┏ {title} ━")), "{keys}: {shown}");
    }
}

#[test]
fn details_do_not_repeat_a_row_that_is_whole() {
    let mut state = fixture::state(80, 24);
    press(&mut state, "C-k \"%client\"");
    let shown = screen(&state);
    let name = "client.java.tmpl";
    assert!(shown.matches(name).count() <= 1, "{shown}");
}

#[test]
fn a_problem_is_found_by_its_code() {
    let mut state = fixture::state(120, 36);
    let code = state.snapshot.diagnostics[0].code.as_str().to_owned();
    press(&mut state, &format!("C-k \"!{code}\""));
    assert!(!listed(&state).is_empty(), "{code}: {}", screen(&state));
}

#[test]
fn a_problem_says_once_what_kind_it_is() {
    let mut state = fixture::state(120, 36);
    let broken = Diagnostic::warning(Code::BrokenLink, "broken link: 'docs/x.md' does not exist").in_file("a.md");
    let snapshot = Snapshot { diagnostics: Arc::from([broken]), ..fixture::snapshot() };
    update(&mut state, Input::Snapshot(Box::new(snapshot)));
    press(&mut state, "C-k \"!broken-link\"");
    let shown = screen(&state);
    assert!(shown.contains("broken-link: 'docs/x.md'"), "{shown}");
}

#[test]
fn a_question_about_a_large_pick_leaves_the_window_open() {
    for keys in ["Esc", "o", "y"] {
        let mut state = searched(120, 36, "C-k \"/opens\"");
        press(&mut state, "Down C-o");
        let before = (listed(&state), state.window.map(|open| open.cursor.at));
        let [whole, near, alone] = [(); 3].map(|()| SelectionChange::default());
        let pick = LargePick { ids: vec!["retry-pattern".into()], whole, near, alone, excludes: [1, 1] };
        answer(&mut state, Response::LargePick(Box::new(pick)));
        assert_eq!(state.open_window(), Some(WindowKind::LargePick));
        press(&mut state, keys);
        assert_eq!(state.open_window(), Some(WindowKind::Jump), "{keys}");
        assert_eq!((listed(&state), state.window.map(|open| open.cursor.at)), before, "{keys}");
    }
}

#[test]
fn ids_are_whole_before_descriptions_are_shown() {
    let mut state = fixture::state(44, 17);
    press(&mut state, "C-k \"@circuit\"");
    assert!(screen(&state).contains("circuit-breaker"), "{}", screen(&state));
}

#[test]
fn a_section_is_named_by_its_last_headings() {
    let mut state = fixture::state(80, 36);
    press(&mut state, "C-k \"opens\"");
    let heading = "A title of the document > A heading with many words in it > When it opens";
    let hits = vec![
        hit("java-service", "docs/calls.md", 41, heading, "It opens.", "opens"),
        hit("java-service", "docs/calls.md", 97, "A title of the document > Outages", "It opens.", "opens"),
    ];
    answer(&mut state, Response::Found(Ok(Box::new(SearchAnswer { hits, ..found("opens") }))));
    let shown = screen(&state);
    assert!(shown.contains("> When it opens @java-service"), "{shown}");
    assert!(shown.contains(" Outages ") && !shown.contains("A title of"), "{shown}");
}

#[test]
fn a_section_has_the_title_of_its_document_where_there_is_room() {
    let heading = "A decision about how calls are tried again > Decision";
    let hits = || vec![hit("java-service", "docs/calls.md", 41, heading, "It opens.", "opens")];
    for (width, has_title) in [(60, false), (80, false), (120, true)] {
        let mut state = fixture::state(width, 36);
        press(&mut state, "C-k \"/opens\"");
        answer(&mut state, Response::Found(Ok(Box::new(SearchAnswer { hits: hits(), ..found("opens") }))));
        let shown = screen(&state);
        assert_eq!(shown.contains(heading), has_title, "{width}: {shown}");
        assert!(shown.contains("Decision"), "{width}: {shown}");
    }
}

#[test]
fn a_file_without_headings_is_named() {
    let mut state = fixture::state(120, 36);
    press(&mut state, "C-k \"opens\"");
    let hits = vec![hit("java-service", "policies/limits.yaml", 1, "", "opens: 3", "opens")];
    answer(&mut state, Response::Found(Ok(Box::new(SearchAnswer { hits, ..found("opens") }))));
    let shown = screen(&state);
    let row = shown.lines().find(|line| line.contains("policies/limits.yaml:1")).unwrap();
    assert!(row.contains("file       limits.yaml ") && !row.contains("About java-service"), "{shown}");
}

#[test]
fn an_id_of_a_section_is_cut_in_one_way() {
    let id = "a-source-with-an-id-that-is-longer-than-there-is-room-for-in-a-row";
    let heading = |nth: usize| format!("Title of the document > {}", "Words ".repeat(nth * 3).trim_end());
    let hits = (1..5).map(|nth| hit(id, "docs/calls.md", 10 * nth * nth, &heading(nth), "It opens.", "opens"));
    let hits: Vec<SearchHit> = hits.collect();
    for width in [80, 120, 200] {
        let mut state = fixture::state(width, 36);
        press(&mut state, "C-k \"/opens\"");
        answer(&mut state, Response::Found(Ok(Box::new(SearchAnswer { hits: hits.clone(), ..found("opens") }))));
        let shown = screen(&state);
        let rows = shown.lines().filter(|line| line.contains("calls.md:") && !line.contains("found by"));
        let ids: Vec<&str> =
            rows.filter_map(|row| row.split_whitespace().find(|word| word.starts_with("@a-"))).collect();
        assert!(ids.len() == 4 && ids.windows(2).all(|two| two[0] == two[1]), "{width}: {shown}");
    }
}

#[test]
fn rows_of_the_feed_alone_are_the_newest_first() {
    let mut state = fixture::state(120, 36);
    busy_morning(&mut state);
    let newest_first: Vec<String> = state.feed.notices.iter().map(|notice| notice.text.clone()).collect();
    for keys in ["C-k \">\"", "C-k \">e\""] {
        press(&mut state, keys);
        let rows = state.jump.rows().iter().map(|row| row.about.as_str());
        let places: Vec<usize> =
            rows.map(|about| newest_first.iter().position(|text| text == about).unwrap()).collect();
        assert!(places.len() > 1 && places.is_sorted(), "{keys}: {places:?}");
        press(&mut state, "Esc");
    }
}

#[test]
fn rows_of_the_feed_are_in_columns() {
    let mut state = fixture::state(120, 36);
    busy_morning(&mut state);
    press(&mut state, "C-k \">\"");
    let rows = state.jump.rows();
    let columns: std::collections::HashSet<usize> =
        rows.iter().map(|row| row.name.rsplit_once(' ').unwrap().0.chars().count()).collect();
    assert!(rows.len() > 2 && columns.len() == 1, "{:?}", rows.iter().map(|row| &row.name).collect::<Vec<_>>());
}
