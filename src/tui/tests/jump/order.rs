//! The order of the rows.

use super::*;

#[test]
fn words_find_everything_and_the_best_match_comes_first() {
    for (keys, first) in [
        ("\"retry-pattern\"", "source retry-pattern"),
        ("\"rtrypat\"", "source retry-pattern"),
        ("\"latency\"", "source timeouts"),
        ("\"legacy-errors\"", "source legacy-errors"),
        ("\"legacy errors\"", "source legacy-errors"),
        ("\"resilience\"", "tag resilience"),
        ("\"circuit\"", "source circuit-breaker"),
        ("\"breaker.java\"", "template CircuitBreaker.java.tpl"),
        ("\"java\"", "source java-service"),
        ("\"java-\"", "source java-service"),
        ("\"codes.md\"", "problem @legacy-errors"),
        ("\"also\"", "heading See also"),
        ("\"watch\"", "action only feed"),
        ("\"zoom\"", "action zoom"),
        ("\"folders watch\"", "feed 09:14:02 files       desk"),
        ("\"#res\"", "tag resilience"),
        ("\"@java\"", "source java-service"),
        ("\":java\"", ""),
        ("\"/also\"", "heading See also"),
        ("\"!tags\"", "problem @payments-api"),
        ("\">picked circuit\"", "feed 09:20:31 you         selection"),
        ("\"%policy\"", "template retry-policy.yaml.tmpl"),
        ("Tab \"java\"", "source java-service"),
        ("\"java\" Tab Tab Tab Tab", "tag java"),
    ] {
        let mut state = fixture::state(120, 36);
        busy_morning(&mut state);
        press(&mut state, "j");
        answer(&mut state, Response::Document(fixture::document("circuit-breaker", fixture::TEXT)));
        press(&mut state, &format!("C-k {keys}"));
        assert_eq!(listed(&state).first().map_or("", String::as_str), first, "{keys}: {:?}", listed(&state));
    }
}

#[test]
fn a_whole_name_comes_first_then_the_shorter_one_and_problems_last() {
    let mut state = fixture::state(120, 36);
    let source = |id: &str, tags: &[&str]| {
        let kind = fixture::local("a.md", refdesk_core::catalog::PathState::File);
        fixture::source(id, id, refdesk_core::catalog::Mode::Selectable, tags, kind)
    };
    let long = "mod-003-timeout-java-resilience-and-validation";
    let sources = vec![source(long, &["timeout"]), source("mod-003-timeout-java", &[]), source("timeouts", &[])];
    let problem = refdesk_text::report::Diagnostic::warning(Code::MissingPath, "timeout is missing").about("timeout");
    let catalog = std::sync::Arc::new(refdesk_core::catalog::Catalog::new(sources));
    let snapshot = Snapshot { catalog, diagnostics: std::sync::Arc::from([problem]), ..fixture::snapshot() };
    update(&mut state, Input::Snapshot(Box::new(snapshot)));
    press(&mut state, "C-k \"timeout\"");
    let rows = listed(&state);
    assert_eq!(rows.first().map(String::as_str), Some("source timeouts"), "{rows:?}");
    let at = |row: &str| rows.iter().position(|it| it.starts_with(row)).unwrap_or_else(|| panic!("{row}: {rows:?}"));
    assert!(at("problem") > at(&format!("source {long}")), "{rows:?}");
    press(&mut state, "C-u \"mod-003\"");
    assert_eq!(listed(&state).first().map(String::as_str), Some("source mod-003-timeout-java"));
    press(&mut state, "Esc / \"mod-003\"");
    assert_eq!(state.subject(Pane::Catalog), Some("mod-003-timeout-java"));
}

#[test]
fn a_time_finds_agent_rows_first() {
    let mut state = fixture::state(120, 36);
    for (topic, text) in [(Topic::File, "Wrote a file"), (Topic::Enriched, "To a prompt"), (Topic::Document, "Changed")]
    {
        let notice = Notice { topic, time: "14:12:09".to_owned(), ..fixture::notice(text) };
        event(&mut state, Event::Notice(notice));
    }
    for (words, first) in [("14:12", "To a prompt"), ("14:12:09", "To a prompt"), ("changed", "Changed")] {
        press(&mut state, &format!("C-k \">{words}\""));
        assert_eq!(state.jump.rows().first().map(|row| row.about.as_str()), Some(first), "{words}");
        press(&mut state, "Esc");
    }
}

#[test]
fn sections_come_before_the_feed_and_before_headings_without_an_excerpt() {
    for (keys, expected) in [
        ("\"retry\"", ["source", "template", "tag", "section", "section", "section", "feed", "feed"]),
        ("\"breaker\"", ["source", "template", "section", "section", "section", "heading", "feed", "feed"]),
        ("\"also\"", ["heading", "section", "section", "section", "", "", "", ""]),
        ("\"/also\"", ["heading", "section", "section", "section", "", "", "", ""]),
        ("\">retry\"", ["feed", "feed", "", "", "", "", "", ""]),
    ] {
        let mut state = fixture::state(120, 36);
        busy_morning(&mut state);
        press(&mut state, "j");
        answer(&mut state, Response::Document(fixture::document("circuit-breaker", fixture::TEXT)));
        press(&mut state, &format!("C-k {keys}"));
        answer(&mut state, Response::Found(Ok(Box::new(found("x")))));
        let rows = state.jump.rows().iter();
        let word = |by_words: bool, kind| if by_words { "section" } else { kind };
        let mut words: Vec<&str> = rows.map(|row| word(row.is_section(), row.kind.word())).collect();
        words.resize(8, "");
        assert_eq!(words, expected, "{keys}: {:?}", listed(&state));
    }
}

#[test]
fn names_and_headings_with_the_words_come_before_fuzzy_matches() {
    let mut state = fixture::state(80, 24);
    press(&mut state, "C-k \"breaker\"");
    let headings = [
        ("States of the breaker", RankedList::Words),
        ("Outages", RankedList::Meaning),
        ("Breakers in calls", RankedList::Words),
    ];
    let hits = headings.map(|(heading, list)| {
        let because = vec![HitRank { list, rank: 1, score: 0.1, words: Vec::new(), cosine: None }];
        SearchHit { because, ..hit("java-service", "docs/calls.md", 41, heading, "It opens.", "opens") }
    });
    answer(&mut state, Response::Found(Ok(Box::new(SearchAnswer { hits: hits.into(), ..found("breaker") }))));
    let expected = [
        "source circuit-breaker",
        "heading States of the breaker",
        "template CircuitBreaker.java.tpl",
        "heading Outages",
        "heading Breakers in calls",
    ];
    assert_eq!(listed(&state), expected);
    let shown = screen(&state);
    for part in ["heading    States of the breaker ", "meaning    Outages", " @java-service  docs/calls.md:41"] {
        assert!(shown.contains(part), "{part}: {shown}");
    }
    press(&mut state, "Down");
    assert!(screen(&state).contains("docs/calls.md:41-53 · found by words ─"), "{}", screen(&state));
    let meant = HitRank { list: RankedList::Meaning, rank: 1, score: 0.1, words: Vec::new(), cosine: None };
    let entry = SearchHit { kind: "source".to_owned(), because: vec![meant], ..hit("timeouts", "", 0, "", "It", "It") };
    answer(&mut state, Response::Found(Ok(Box::new(SearchAnswer { hits: vec![entry], ..found("breaker") }))));
    assert!(screen(&state).contains("meaning  ◐ timeouts"), "{}", screen(&state));
}

#[test]
fn matching_names_come_before_hits_by_meaning() {
    let mut state = fixture::state(120, 60);
    let local = || fixture::local("a.md", refdesk_core::catalog::PathState::File);
    let source = |id: &str, tag| fixture::source(id, id, refdesk_core::catalog::Mode::Selectable, &[tag], local());
    let names = (1..=12).map(|nth| source(&format!("breakers-{nth:02}"), "java"));
    let sources = names.chain((1..=12).map(|nth| source(&format!("other-{nth:02}"), "breakers"))).collect();
    let catalog = std::sync::Arc::new(refdesk_core::catalog::Catalog::new(sources));
    let plain =
        Snapshot { catalog, templates: Default::default(), diagnostics: Default::default(), ..fixture::snapshot() };
    update(&mut state, Input::Snapshot(Box::new(plain)));
    press(&mut state, "C-k \"breaker\"");
    let meant = HitRank { list: RankedList::Meaning, rank: 1, score: 0.1, words: Vec::new(), cosine: None };
    let hit = SearchHit { because: vec![meant], ..hit("other-01", "a.md", 3, "Outages", "It opens.", "opens") };
    answer(&mut state, Response::Found(Ok(Box::new(SearchAnswer { hits: vec![hit], ..found("breaker") }))));
    let rows = listed(&state);
    let at = |row: &str| rows.iter().position(|other| other == row).unwrap();
    let outages = at("heading Outages");
    assert!((1..=12).all(|nth| at(&format!("source breakers-{nth:02}")) < outages), "{rows:?}");
    assert!(outages < at("source other-12"), "a source is found by its tag: {rows:?}");
}

#[test]
fn a_source_is_listed_once() {
    let mut state = fixture::state(120, 36);
    press(&mut state, "j");
    let text = "# Circuit breaker\n\n## Circuit breaker states\n";
    answer(&mut state, Response::Document(fixture::document("circuit-breaker", text)));
    press(&mut state, "C-k \"circuit\"");
    let name = state.snapshot.catalog.get("circuit-breaker").unwrap().name.clone();
    let entry = |source: &str| SearchHit { kind: "source".to_owned(), ..hit(source, "", 0, "", "It opens.", "opens") };
    let hits = vec![
        hit("circuit-breaker", "adr/adr-004.md", 1, &name, "It opens.", "opens"),
        entry("circuit-breaker"),
        entry("timeouts"),
        hit("circuit-breaker", "adr/adr-004.md", 9, "", "It opens.", "opens"),
    ];
    let found = || Response::Found(Ok(Box::new(SearchAnswer { hits: hits.clone(), ..found("circuit") })));
    answer(&mut state, found());
    let rows = listed(&state);
    let of = |row: &str| rows.iter().filter(|other| *other == row).count();
    assert_eq!((of("source circuit-breaker"), of("source timeouts")), (1, 1), "{rows:?}");
    assert_eq!(of(&format!("heading {name}")), 0, "{rows:?}");
    assert_eq!(of("heading About circuit-breaker"), 1, "a file without a heading: {rows:?}");
    press(&mut state, "C-u \"/circuit\"");
    answer(&mut state, found());
    assert_eq!(state.jump.rows().iter().filter(|row| row.is_section()).count(), 4, "{:?}", listed(&state));
}

#[test]
fn a_source_comes_before_a_tag_that_leads_to_it_alone() {
    let mut state = fixture::state(120, 36);
    let source = |id: &str, tags: &[&str]| {
        let kind = fixture::local("a.md", refdesk_core::catalog::PathState::File);
        fixture::source(id, id, refdesk_core::catalog::Mode::Selectable, tags, kind)
    };
    let sources = vec![source("pat-retry", &["retry"]), source("a", &["calls"]), source("b-calls", &["calls"])];
    let catalog = Arc::new(refdesk_core::catalog::Catalog::new(sources));
    update(&mut state, Input::Snapshot(Box::new(Snapshot { catalog, ..fixture::snapshot() })));
    press(&mut state, "C-k \"retry\"");
    assert_eq!(listed(&state).first().map(String::as_str), Some("source pat-retry"));
    press(&mut state, "C-u \"calls\"");
    assert_eq!(listed(&state)[..2], ["tag calls", "source b-calls"]);
}

#[test]
fn headings_of_the_documents_that_were_read_are_counted() {
    let mut state = fixture::state(120, 36);
    press(&mut state, "j");
    answer(&mut state, Response::Document(fixture::document("circuit-breaker", fixture::TEXT)));
    press(&mut state, "C-k \"/also\"");
    let none = SearchAnswer { mode: SearchMode::Meaning, hits: Vec::new(), ..found("also") };
    answer(&mut state, Response::Found(Ok(Box::new(none))));
    assert!(screen(&state).contains("1 section "), "{}", screen(&state));
    assert!(!screen(&state).contains("by meaning only"), "{}", screen(&state));
}

#[test]
fn few_sections_found_by_meaning_alone_are_among_other_rows() {
    let mut state = fixture::state(200, 60);
    press(&mut state, "C-k \"opens\"");
    let ranked = |list: RankedList, nth: usize| SearchHit {
        because: vec![HitRank { list, rank: nth, score: 0.1, words: Vec::new(), cosine: None }],
        ..hit("timeouts", "a.md", nth, &format!("{} {nth}", list.word()), "It opens.", "opens")
    };
    let hits: Vec<SearchHit> =
        (1..=20).flat_map(|nth| [ranked(RankedList::Meaning, nth), ranked(RankedList::Words, nth)]).collect();
    let found = || Response::Found(Ok(Box::new(SearchAnswer { hits: hits.clone(), ..found("opens") })));
    answer(&mut state, found());
    assert!(screen(&state).contains("30 sections"), "{}", screen(&state));
    let rows = listed(&state);
    assert!(rows.contains(&"heading meaning 10".to_owned()) && !rows.contains(&"heading meaning 11".to_owned()));
    press(&mut state, "C-u \"/opens\"");
    answer(&mut state, found());
    assert!(screen(&state).contains("40 sections"), "{}", screen(&state));
}

#[test]
fn problems_come_after_the_sections_that_were_found() {
    let mut state = fixture::state(100, 40);
    press(&mut state, "C-k \"legacy\"");
    answer(&mut state, Response::Found(Ok(Box::new(found("legacy")))));
    let kinds: Vec<String> = listed(&state).iter().filter_map(|row| row.split(' ').next().map(str::to_owned)).collect();
    let at = |kind: &str| kinds.iter().position(|it| it == kind);
    assert!(at("problem") > at("heading") && at("heading").is_some(), "{kinds:?}");
}
