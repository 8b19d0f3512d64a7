//! The layout of a request at every size: nothing important is cut off.

use super::*;

#[test]
fn the_details_keep_the_lines_of_a_question_and_of_a_description() {
    let mut waiting = choice("r1");
    let request = Arc::make_mut(&mut waiting.request);
    let question =
        "\nWhich of these?\r\n\n\nOption A: retry only\n  Option B: retry and \x1b[2Jtimeout\n- needs audit\n";
    request.context = question.to_owned();
    request.sources[0].description = "Calls again:\n- twice\n- after a pause".to_owned();
    let mut state = fixture::state(120, 36);
    tell(&mut state, &[waiting]);
    press(&mut state, "A");
    let lines: Vec<String> = choice_view::detail(
        &state,
        &crate::tui::layout::PaneLayout {
            detail: ratatui::layout::Rect { width: 34, ..Default::default() },
            ..Default::default()
        },
    )
    .iter()
    .map(ToString::to_string)
    .collect();
    let has = |part: &[&str]| lines.windows(part.len()).any(|lines| lines == part);
    assert!(has(&["Calls again:", "- twice", "- after a pause"]), "{lines:#?}");
    let asked = [
        "Asked: Which of these?",
        "",
        "Option A: retry only",
        "  Option B: retry and",
        "  \\x1b[2Jtimeout",
        "- needs audit",
    ];
    assert!(lines.ends_with(&asked.map(str::to_owned)), "{lines:#?}");
    let shown = screen(&state);
    assert!(shown.contains("Which of these? Option A: retry only"), "the head has few rows\n{shown}");
    for part in ["Option A: retry only ", "- needs audit "] {
        assert!(shown.lines().any(|line| line.contains(&format!("┃ {part}"))), "{part}\n{shown}");
    }
}

#[test]
fn moving_keys_and_the_wheel_scroll_the_beginning_of_a_write() {
    let lines: String = (1..=200).map(|nth| format!("+line {nth}\n")).collect();
    let diff = format!("--- /dev/null\n+++ b/a\n@@ -0,0 +1,200 @@\n{lines}");
    let tall = fixture::asking_to_write("t", "codex over mcp", "a", &diff, &[]);
    for (keys, caption, first, last) in [
        ("", "first lines: Enter", "--- /dev/null", "+line 12"),
        ("j", "lines 2-16 of 203: Enter", "+++ b/a", "+line 13"),
        ("j j k k k", "first lines: Enter", "--- /dev/null", "+line 12"),
        ("PageDown", "lines 16-30 of 203: Enter", "+line 13", "+line 27"),
        ("G", "lines 189-203 of 203: Enter", "+line 186", "+line 200"),
        ("G j g", "first lines: Enter", "--- /dev/null", "+line 12"),
        ("j l j", "lines 3-17 of 203: Enter", "@@ -0,0 +1,200 @@", "+line 14"),
    ] {
        let mut state = desk("", std::slice::from_ref(&tall));
        press(&mut state, &format!("A {keys}"));
        let shown = screen(&state);
        let has = |text: &str| shown.lines().any(|line| line.trim_matches(['┃', ' ']) == text);
        assert!(shown.contains(caption) && has(first) && has(last), "{keys}\n{shown}");
        assert_eq!(replied(&press(&mut state, "y")), [], "{keys}: it was not shown in full");
    }
    let mut state = desk("", &[tall, write("w")]);
    press(&mut state, "A");
    let text = Position { x: 20, y: 15 };
    update(&mut state, Input::Wheel(Motion::Down, text));
    assert!(!screen(&state).contains("first lines"), "{}", screen(&state));
    press(&mut state, "]");
    assert!(screen(&state).contains("first lines"), "another request is shown from its beginning");
}

#[test]
fn the_cost_of_marked_sources_is_shown() {
    let mut state = desk("", &[choice("r1")]);
    let asked = |effects: &[Effect]| {
        let of = commands(effects).into_iter().filter_map(|command| match command {
            Request::PreviewPicks { one, all } => Some((one.map(|id| id.to_string()), all.len())),
            _ => None,
        });
        of.last()
    };
    let effects = press(&mut state, "A j Space j Space");
    let (one, all) = asked(&effects).unwrap();
    assert_eq!((one.as_deref(), all), (Some("java-service"), 2));
    let follows = |ids: &[&str], tokens| SelectionChange {
        enters: ids.iter().map(|id| (*id).into()).collect(),
        cost: crate::common::change_cost::of_sources(tokens),
        ..SelectionChange::default()
    };
    let (one, all) =
        (follows(&["java-service", "release-notes"], 28_990), follows(&["java-service", "a", "b"], 31_000));
    let trusts = |change| SelectionChange { trusts: vec!["x".into()], ..change };
    let (one, all) = (trusts(one), trusts(all));
    stale(&mut state, Response::PicksPreview { one: follows(&[], 1), all: follows(&["x"], 1) });
    assert!(!screen(&state).contains("they bring"), "an old answer is dropped");
    answer(&mut state, Response::PicksPreview { one, all });
    let reported = screen(&state);
    assert!(
        reported.contains("2 of 4 marked · they add 3 sources, ~31,000 tokens; agents may then fetch @x"),
        "{reported}"
    );
    assert!(
        reported.contains("Adds itself and @release-notes: ~28,990 tokens; agents may then fetch @x."),
        "{reported}"
    );
}

#[test]
fn a_request_to_another_desk_has_no_states_or_costs_of_this_one() {
    let waiting = fixture::asking("r", "claude", "why", &["circuit-breaker", "java-service"]);
    let mut state = desk("A", std::slice::from_ref(&waiting));
    press(&mut state, "A");
    let shown = screen(&state);
    assert!(shown.contains("Already picked") && shown.contains("selected") && shown.contains("~23,870"), "{shown}");
    let mut elsewhere = waiting;
    Arc::make_mut(&mut elsewhere.request).asker.desk = "review".to_owned();
    let mut state = fixture::state(80, 24);
    tell(&mut state, &[elsewhere]);
    let effects = press(&mut state, "A Space");
    assert!(!commands(&effects).iter().any(|command| matches!(command, Request::PreviewPicks { .. })));
    let shown = screen(&state);
    let pane: String = shown.lines().skip_while(|line| !line.contains("2 Request")).collect();
    let has = |text: &str| pane.contains(text);
    assert!(has("at desk review") && has("1 of 2 marked") && has("For desk review: what it adds"), "{shown}");
    assert!(!has("Already picked") && !has("they add") && !has("~23,870"), "{shown}");
}

#[test]
fn hostile_requests_stay_within_their_area() {
    let evil = "\u{202e}\x1b[2J日本\u{200f}👩🏽‍💻\r\n\t".repeat(scaled(100, 400));
    let diff = format!("--- a/x\n+++ b/x\n@@ -1 +1 @@\n{}", format!("+{}\n", evil.replace('\n', "")).repeat(3));
    let mut hostile = fixture::asking(&"r".repeat(64), &evil, &evil, &OFFERED);
    let request = Arc::make_mut(&mut hostile.request);
    for offered in &mut request.sources {
        (offered.id, offered.name, offered.description) = (evil.clone(), evil.clone(), evil.clone());
        offered.tags = vec![evil.clone(); 9];
    }
    request.asker.session.clone_from(&evil);
    request.asker.desk.clone_from(&evil);
    let mut many = choice("many");
    let offered = many.request.sources[0].clone();
    Arc::make_mut(&mut many.request).sources = (0..5000)
        .map(|nth| refdesk_desk::channel::OfferedReference { id: format!("source-{nth}"), ..offered.clone() })
        .collect();
    let long = fixture::asking_to_write("w", &evil, &evil, &diff, &[evil.as_str(); 40]);
    let last = scaled(2_000, 10_000);
    let lines = (0..=last).map(|nth| format!("+line {nth}\n")).collect::<String>();
    let tall = fixture::asking_to_write("t", "x", "a", &format!("--- /dev/null\n+++ b/a\n@@ -0,0 +1 @@\n{lines}"), &[]);
    for size in [Size::new(40, 10), Size::new(80, 24), Size::new(200, 60)] {
        for waiting in [&hostile, &many, &long, &tall] {
            let mut state = fixture::state(size.width, size.height);
            tell(&mut state, std::slice::from_ref(waiting));
            for keys in ["", "A", "Space", "G", "a", "l", "G", "Esc", "Enter", "G", "j"] {
                press(&mut state, keys);
                let reported = screen(&state);
                assert!(!reported.contains(['\u{202e}', '\x1b', '\u{200f}']), "{size:?} {keys}\n{reported}");
            }
        }
    }
    let mut state = desk("", &[tall]);
    press(&mut state, "A Enter G");
    assert!(screen(&state).contains(&format!("+line {last}")), "the end of a long difference can be read");
    let mut state = desk("", &[many]);
    press(&mut state, "A a");
    assert_eq!(state.marks().map(std::collections::BTreeSet::len), Some(5000));
}

/// An agent chooses the path, and could otherwise push its end out of sight.
#[test]
fn the_name_of_a_file_to_write_is_shown_however_long_its_path_is() {
    let long = format!("docs/{}run.sh", "generated-notes-about-the-service/".repeat(18));
    let blanks = |count: usize| " ".repeat(count);
    let blank = format!("src/notes.txt{}/{}/y{}/evil.sh", blanks(200), blanks(230), blanks(200));
    for (path, parts) in [(&long, &["service/run.sh"][..]), (&blank, &["src/notes.txt[200 blanks]", "/evil.sh"])] {
        let diff = format!("--- /dev/null\n+++ b/{path}\n@@ -0,0 +1 @@\n+x\n");
        for (width, height, keys) in [(120, 36, "A"), (120, 36, "A Enter"), (80, 24, "A")] {
            let mut state = fixture::state(width, height);
            tell(&mut state, &[fixture::asking_to_write("w", "codex over mcp", path, &diff, &[])]);
            press(&mut state, keys);
            let shown = screen(&state);
            for part in parts {
                assert!(shown.contains(part), "{width}x{height} {keys}: {part}\n{shown}");
            }
        }
    }
}

#[test]
fn question_and_deadline_are_shown_on_the_smallest_terminal() {
    for (waiting, about) in [(choice("r"), "to write a client"), (write("w"), "src/Order.java")] {
        let mut state = fixture::state(40, 10);
        let mut snapshot = fixture::with_requests(std::slice::from_ref(&waiting));
        let with_deadline = WaitingRequest { until: Some("12:03:41".into()), ..waiting.clone() };
        snapshot.requests = Arc::from([with_deadline]);
        update(&mut state, Input::Snapshot(Box::new(snapshot)));
        press(&mut state, "A");
        let shown = screen(&state);
        assert!(shown.contains("until 12:03:41") && shown.contains(about), "{shown}");
    }
}

#[test]
fn the_smallest_terminal_shows_what_is_marked_in_the_title() {
    let mut state = fixture::state(40, 10);
    tell(&mut state, &[choice("r1"), choice("r2")]);
    press(&mut state, "A");
    assert!(screen(&state).contains(" 1 of 2 \u{b7} none marked "), "{}", screen(&state));
    press(&mut state, "Space");
    assert!(screen(&state).contains(" 1 of 2 \u{b7} 1 marked "), "{}", screen(&state));
    let cost = refdesk_desk::CostChange { sources: 349, total: 349 };
    let all = SelectionChange { cost, ..SelectionChange::default() };
    answer(&mut state, Response::PicksPreview { one: SelectionChange::default(), all });
    assert!(screen(&state).contains("1 marked, ~349 "), "{}", screen(&state));
}

#[test]
fn an_approval_says_what_is_overwritten_and_how_to_decline_at_every_size() {
    let waiting = WaitingRequest { until: Some("12:03:41".into()), ..write("w") };
    for (width, height) in [(120, 36), (80, 24), (60, 14), (50, 12), (40, 10)] {
        let mut state = fixture::state(width, height);
        let mut snapshot = fixture::with_requests(std::slice::from_ref(&waiting));
        snapshot.requests = Arc::from([waiting.clone()]);
        update(&mut state, Input::Snapshot(Box::new(snapshot)));
        press(&mut state, "A Enter G");
        assert_eq!(state.open_window(), Some(WindowKind::Approval));
        let shown = screen(&state);
        for said in ["OVERWRITES src/Order.java", "codex over mcp", "n no", "y yes, OVERWRITE it"] {
            assert!(shown.contains(said), "{width}x{height} {said}\n{shown}");
        }
        assert!(shown.matches("n no").count() == 1, "once is enough: {shown}");
        assert!(shown.find("OVERWRITES") < shown.find("difference"), "{shown}");
    }
}

#[test]
fn an_approval_without_a_difference_says_that_the_file_has_this_text() {
    let mut state = desk("", &[fixture::asking_to_write("w", "codex over mcp", "src/Order.java", "", &[])]);
    press(&mut state, "A Enter");
    let shown = screen(&state);
    for said in ["keeps src/Order.java · it already has exactly this text", "y yes, keep it as it is"] {
        assert!(shown.contains(said), "{said}\n{shown}");
    }
}

/// The question explains why the sources are offered, so it gets the rows that the list does not need.
#[test]
fn a_long_question_has_the_rows_that_the_list_does_not_need() {
    let question = "word ".repeat(70) + "end";
    for (offered, columns, rows) in [(&OFFERED[..1], 80, 5), (&OFFERED[..], 80, 5), (&OFFERED[..], 120, 6)] {
        let mut state = fixture::state(columns, 24);
        tell(&mut state, &[fixture::asking("r", "claude", &question, offered)]);
        press(&mut state, "A");
        let shown = screen(&state);
        let above = shown.split("claude wants").next().unwrap();
        assert_eq!(above.lines().filter(|line| line.contains("word")).count(), rows, "{shown}");
        assert!(above.contains("end"), "{shown}");
    }
    let mut state = fixture::state(80, 16);
    tell(&mut state, &[fixture::asking("r", "claude", &question, &OFFERED)]);
    press(&mut state, "A");
    let shown = screen(&state);
    let above = shown.split("claude wants").next().unwrap();
    assert_eq!(above.lines().filter(|line| line.contains("word")).count(), 2, "{shown}");
    assert!(above.contains("word…"), "{shown}");
}

#[test]
fn names_of_offered_sources_begin_in_one_column_or_are_not_shown() {
    for width in 40..130 {
        let mut state = fixture::state(width, 30);
        tell(&mut state, &[fixture::asking("r", "claude", "why", &["timeouts", "java-service", "circuit-breaker"])]);
        press(&mut state, "A");
        let shown = screen(&state);
        let places = [("timeouts", "Time"), ("java-service", "Java"), ("circuit-breaker", "Circ")].map(|(id, name)| {
            let row = shown.lines().find(|line| line.contains(&format!("[ ] {id}"))).unwrap();
            row.find(name).map(|at| row[..at].chars().count())
        });
        assert!(places.iter().all(|place| *place == places[0]), "{width}: {places:?}\n{shown}");
    }
}

#[test]
fn names_of_offered_sources_have_the_columns_that_no_row_needs() {
    for (width, height) in [(120, 36), (60, 20)] {
        let mut state = fixture::state(width, height);
        let waiting = fixture::asking("r", "claude", "why", &["java-service", "payments-api"]);
        tell(&mut state, &[waiting]);
        press(&mut state, "A");
        let shown = screen(&state);
        let row = shown.lines().find(|line| line.contains("[ ] java-service")).unwrap();
        let (id, tokens) = (row.find("java-service").unwrap() + 12, row.find("~23,870").unwrap());
        let name = row.get(id..tokens).unwrap().trim();
        assert!(name == "Java service module" || name.chars().count() + 3 > tokens - id - 2, "{row}");
    }
}
