//! Lists, details and documents.

use super::super::lists::{NumberedRow, Target};
use super::super::source::PartialDocument;
use super::super::state::Pending;
use super::*;
use refdesk_desk::{Document, HitRank, RankedList, SearchAnswer, SearchHit, SearchMode};

#[test]
fn each_line_gets_the_expected_answer() {
    let mut state = state();
    for (line, expected) in [
        ("", &["Type help for the commands."][..]),
        ("more", &["There is nothing more."]),
        ("3", &["There is no list to take row 3 from. Type catalog for a list."]),
        ("show", &["Which source? Give a number of the list, or an id."]),
        ("pik", &["There is no command pik. Did you mean pick?"]),
        ("clear all", &["clear takes no words, so nothing was done. Type only clear."]),
        ("exit now", &["quit takes no words, so nothing was done. Type only quit."]),
        ("x", &["There is no command x. Type help for the commands."]),
        ("\u{1b}[2J", &["There is no command \\x1b[2J. Type help for the commands."]),
        (
            "catalog pattern",
            &[
                "1 of 10 sources matches pattern.",
                "1: retry-pattern, pulled in by circuit-breaker, about 2,210 tokens.",
            ],
        ),
        (
            "sort id",
            &[
                "Sorted by id.",
                "1 of 10 sources matches pattern.",
                "1: retry-pattern, pulled in by circuit-breaker, about 2,210 tokens.",
            ],
        ),
        (
            "sort catalog",
            &[
                "In catalog order.",
                "1 of 10 sources matches pattern.",
                "1: retry-pattern, pulled in by circuit-breaker, about 2,210 tokens.",
            ],
        ),
        (
            "CATALOG #java",
            &[
                "3 of 10 sources match #java.",
                "1: circuit-breaker, picked, about 1,450 tokens.",
                "2: retry-pattern, pulled in by circuit-breaker, about 2,210 tokens.",
                "3: java-service, available, about 23,870 tokens.",
            ],
        ),
        (
            "2",
            &[
                "retry-pattern: Retry Pattern.",
                "It is pulled in by circuit-breaker, selectable, about 2,210 tokens.",
                "Which failures are tried again, how often, with which pauses.",
                "File: adr/adr-005.md.",
                "Tags: java, retry.",
                "Defined in references.json.",
                "It mentions error-handling and timeouts.",
                "It is mentioned by circuit-breaker.",
                "Type keep to make it a pick, exclude to keep it out, document to read it, or why.",
            ],
        ),
        // It mentions the retry pattern twice.
        (
            "show circuit-breaker",
            &[
                "circuit-breaker: Circuit Breaker.",
                "It is picked, selectable, about 1,450 tokens.",
                "How calls to other systems stop when those fail, and when they begin again.",
                "File: adr/adr-004.md.",
                "Tags: java, resilience.",
                "Defined in references.json.",
                "It mentions retry-pattern and timeouts.",
                "Type unpick to remove the pick, document to read it, or why.",
            ],
        ),
        ("show 9", &["The list has 3 rows, so there is no row 9."]),
        ("999999999999999999999999", &["The list has 3 rows, so there is no row 999999999999999999999999."]),
        (
            "why legacy-errors",
            &[
                "legacy-errors is pulled in by error-handling: references.json line 2.",
                "error-handling is pulled in by retry-pattern: adr/adr-005.md line 7.",
                "retry-pattern is pulled in by circuit-breaker: adr/adr-004.md line 12, and 1 more.",
                "circuit-breaker is picked.",
            ],
        ),
        ("why timeout", &["There is no source timeout. Did you mean timeouts?"]),
        ("why release-notes", &["release-notes is not selected. It is excluded."]),
        ("catalog nothing-like-it", &["None of 10 sources matches nothing-like-it. Type catalog to list all."]),
        (
            "sort colour",
            &["Sources cannot be sorted by colour. Type sort catalog, id, name, type, mode, tags, tokens or state."],
        ),
        (
            "help why",
            &["why [N or ID]. Explain why a source is selected, with file and line.", "Other names: mention."],
        ),
    ] {
        assert_eq!(output(&mut state, line), expected, "{line:?}");
    }
}

#[test]
fn the_selection_is_an_indented_list() {
    assert_eq!(
        output(&mut state(), "selection"),
        [
            "The selection has 5 sources. With the auto sources, an agent gets about 4,628 tokens.",
            "1: circuit-breaker, picked, about 1,450 tokens. It brings 4 more sources.",
            "2:   retry-pattern, pulled in by circuit-breaker, about 2,210 tokens.",
            "3:     error-handling, pulled in by retry-pattern, about 18 tokens.",
            "4:       legacy-errors, missing, pulled in by error-handling, tokens unknown.",
            "5:   timeouts, pulled in by circuit-breaker and retry-pattern, about 640 tokens.",
            "6: team-conventions, always in the instructions, about 310 tokens.",
            "7: old-runbook, dormant: a pick that is no longer in the catalog.",
            "8: release-notes, excluded.",
        ]
    );
}

#[test]
fn texts_of_others_keep_their_first_letter() {
    let mut state = state();
    let mut sources = fixture::sources();
    for source in &mut sources {
        (source.name, source.description, source.fetch_hint) =
            ("iOS guide".into(), "npm scripts".to_owned(), Some("curl it".to_owned()));
    }
    state.snapshot.catalog = std::sync::Arc::new(refdesk_core::catalog::Catalog::new(sources));
    let lines = output(&mut state, "show timeouts");
    for line in ["timeouts: iOS guide.", "npm scripts.", "Hint on how to fetch it: curl it."] {
        assert!(lines.iter().any(|printed| printed == line), "{line}: {lines:?}");
    }
    for (text, expected) in [
        ("the file is gone", "The file is gone."),
        ("docs/a.md is gone", "docs/a.md is gone."),
        ("kind: must be one of a, b", "kind: must be one of a, b."),
        ("iOS is not read", "iOS is not read."),
    ] {
        assert_eq!(crate::plain::words::sentence(text), expected);
    }
}

#[test]
fn an_untrusted_source_is_not_offered() {
    let mut state = state();
    let mut sources = fixture::sources();
    let outside = fixture::local("/elsewhere/a.md", refdesk_core::catalog::PathState::Untrusted);
    sources.push(fixture::source("outside", "Outside", refdesk_core::catalog::Mode::Selectable, &[], outside));
    state.snapshot.catalog = std::sync::Arc::new(refdesk_core::catalog::Catalog::new(sources));
    let lines = output(&mut state, "show outside");
    assert_eq!(lines.get(1).map(String::as_str), Some("It waits for trust, selectable, tokens unknown."));
    let last = "Until you trust it, it is not read, and a pick of it brings nothing. Type trust to see what waits for your trust.";
    assert_eq!(lines.last().map(String::as_str), Some(last));
    assert_eq!(output(&mut state, "why outside"), ["outside is not selected. It waits for trust."]);
}

#[test]
fn a_document_is_printed_in_pages_and_searched() {
    let mut state = state();
    assert_eq!(
        asked(&mut state, "document circuit-breaker"),
        Request::Read { id: "circuit-breaker".into(), file: None }
    );
    let text = (1..=50).map(|line| format!("line {line} \u{1b}[1m\n")).collect::<String>();
    let document = Document { rest: 217_000, next: 500, ..fixture::document("circuit-breaker", &text) };
    let turn = answered(&mut state, Response::Document(document));
    assert_eq!(turn.lines.len(), 22);
    assert_eq!(turn.lines[..2], ["circuit-breaker, 50 lines.", "line 1 \\x1b[1m"]);
    assert_eq!(turn.lines[21], "30 lines and 212 KB more. Type more to list them.");
    assert_eq!(output(&mut state, "more").len(), 21);
    let last = output(&mut state, "");
    assert_eq!(last[9..], ["line 50 \\x1b[1m", "212 KB more. Type more to list them."]);
    assert!(matches!(asked(&mut state, "more"), Request::ReadOn { from: 500, .. }));
    let rest = Document { from: 500, next: 520, ..fixture::document("circuit-breaker", "line 51\nline 52") };
    assert_eq!(answered(&mut state, Response::Document(rest)).lines, ["line 51", "line 52", "This is the end."]);
    assert_eq!(
        output(&mut state, "find LINE 4")[..2],
        ["11 lines of circuit-breaker contain \"line 4\".", "Line 4: line 4 \\x1b[1m"]
    );
    assert_eq!(output(&mut state, "find"), ["There are no more lines that contain \"line 4\"."]);
    for line in ["find absent", "find"] {
        assert_eq!(output(&mut state, line), ["No line of circuit-breaker contains \"absent\"."]);
    }
}

#[test]
fn lines_of_the_journal_that_are_left_out_are_not_denied() {
    let mut state = state();
    assert_eq!(asked(&mut state, "agents"), Request::Agents);
    let problem = "3 lines of .jaato/refdesk/journal.jsonl are not shown: another user or another machine wrote them";
    let activity =
        refdesk_desk::AgentActivity { sessions: Vec::new(), problem: Some(problem.to_owned()), ..fixture::agents() };
    let lines = answered(&mut state, Response::Agents(std::sync::Arc::new(activity))).lines;
    assert_eq!(lines, [format!("{problem}.")]);
}

#[test]
fn agent_sessions_are_listed_and_described() {
    let mut state = state();
    let activity = || Response::Agents(std::sync::Arc::new(fixture::agents()));
    assert_eq!(asked(&mut state, "agents"), Request::Agents);
    assert_eq!(
        answered(&mut state, activity()).lines,
        [
            "3 agent sessions, newest first, about 16,730 tokens in all; 1 agent is connected. Type a number for more.",
            "1: claude-code, session 3f2a91c4-77d0-4c1b-9a55-0c2f4be6d1aa, last at 11:04:00, connected now, about 16,420 tokens. It was sent \
             14 texts, about 4,120 tokens. It made 6 reads, about 12,300 tokens, and picked 2 sources. It followed 4 of 9 hints and 1 of 1 expansion.",
            "2: codex, session codex-日本-1\\x1b[31m, last at 10:30:00, about 310 tokens. It was sent 3 texts, about 310 \
             tokens. It read and picked nothing. It followed 0 of 4 hints.",
            "3: gemini-cli, session default, last at 09:40:00, about 0 tokens. It was sent 0 texts. It picked 1 source and \
             read nothing. No source was hinted at. 1 hook failed.",
        ]
    );
    assert_eq!(asked(&mut state, "1"), Request::Agents);
    let lines = answered(&mut state, activity()).lines;
    assert_eq!(
        lines[5..],
        [
            "8 sources selected or known, then 6 lines of the journal, the newest first.",
            "1: circuit-breaker, read twice, told, about 1,450 tokens.",
            "2:   retry-pattern, hinted at, about 2,210 tokens.",
            "3:     error-handling, sent, named in a notice, about 18 tokens.",
            "4:       legacy-errors, not told, tokens unknown.",
            "5:   timeouts, not told, about 640 tokens.",
            "6: team-conventions, told, about 310 tokens.",
            "7: gone-source, hinted at, not selected, tokens unknown.",
            "8: java-service, picked, hinted at 3 times, not selected, about 23,870 tokens.",
            "9: 11:04:00, To a prompt: hinted at java-service (java, spring boot), about 33 tokens.",
            "10: 10:58:12, Read circuit-breaker with the Read tool, about 1,450 tokens.",
            "11: 10:57:40, Picked java-service.",
            "12: 10:01:02, Read gone-source.",
            "13: 09:12:00, Sent the instructions, about 700 tokens.",
            "14: 09:11:59, Forgot what it was given.",
        ]
    );
    assert_eq!(output(&mut state, "14"), ["There are no more details for this row."]);
    assert_eq!(asked(&mut state, "9"), Request::JournalLine(61));
    assert_eq!(asked(&mut state, "receipt 9"), Request::JournalLine(61));
}

/// A part of a document with these lines; each has 10 bytes, and there are 6,000.
fn part(lines: std::ops::Range<u64>) -> Response {
    const ALL: u64 = 6_000;
    let text = lines.clone().map(|line| format!("line {:04}\n", line + 1)).collect::<String>();
    let (from, next, rest) = (lines.start * 10, lines.end * 10, (ALL - lines.end) * 10);
    Response::Document(Document { from, next, rest, ..fixture::document("circuit-breaker", &text) })
}

#[test]
fn a_document_is_read_on_to_the_line_of_a_hit() {
    let mut state = state();
    let hit = SearchHit { line: 5_000, ..fixture::hit("circuit-breaker") };
    state.list.rows = vec![NumberedRow { target: Target::Section(Box::new(hit)), words: None }];
    assert_eq!(asked(&mut state, "document 1"), Request::Read { id: "circuit-breaker".into(), file: None });
    for (answer, from) in [(part(0..2_000), 20_000), (part(2_000..4_000), 40_000)] {
        let turn = answered(&mut state, answer);
        assert_eq!(turn.lines, [""; 0]);
        let path = fixture::document("circuit-breaker", "").path;
        let next = Request::ReadOn { id: "circuit-breaker".into(), path, from };
        assert_eq!(turn.effects, [PlainEffect::Ask(next)]);
    }
    let lines = answered(&mut state, part(4_000..5_500)).lines;
    assert_eq!(lines[..3], ["circuit-breaker, 5,500 lines.", "From line 5,000 on:", "line 5000"]);
    // The document has become shorter.
    asked(&mut state, "document circuit-breaker");
    state.pending = Some(Pending::Document { from: 7_000, begun: PartialDocument::default() });
    let lines = answered(&mut state, part(5_500..6_000)).lines;
    assert_eq!(lines[..3], ["circuit-breaker, 500 lines.", "It no longer has a line 7,001.", "line 5501"]);
}

#[test]
fn the_rest_of_a_document_is_searched_too() {
    let mut state = state();
    asked(&mut state, "document circuit-breaker");
    assert_eq!(answered(&mut state, part(0..2_000)).effects, []);
    assert!(matches!(asked(&mut state, "find line 5999"), Request::ReadOn { from: 20_000, .. }));
    assert_eq!(answered(&mut state, part(2_000..4_000)).effects.len(), 1);
    assert_eq!(
        answered(&mut state, part(4_000..6_000)).lines,
        ["1 line of circuit-breaker contains \"line 5999\".", "Line 5,999: line 5999"]
    );
    assert_eq!(output(&mut state, "more")[0], "line 0021");
    // A very long document is not read to its end.
    asked(&mut state, "document circuit-breaker");
    let far = 16 * 1024 * 1024;
    let long = Document { next: far, rest: 1_024_000, ..fixture::document("circuit-breaker", "a\n") };
    assert_eq!(answered(&mut state, Response::Document(long)).effects, []);
    assert_eq!(
        output(&mut state, "find b"),
        ["The last 1000 KB were not searched.", "No line of circuit-breaker contains \"b\"."]
    );
}

#[test]
fn the_graph_is_described_in_sentences() {
    let analysis = |state: &PlainState| {
        let screen = crate::fixture::in_graph(80, 24, "");
        assert_eq!(state.snapshot.catalog.len(), screen.snapshot.catalog.len());
        crate::fixture::analysis(&screen)
    };
    for (line, first, rows, named) in [
        ("graph", "10 sources, the heaviest pick first.", 10, "java-service"),
        ("graph cycles", "1 group of sources that mention each other, directly or through others.", 3, "retry-pattern"),
        ("graph orphans", "5 sources mention no other and are not mentioned.", 5, "java-service"),
        ("graph circuit-breaker", "circuit-breaker, picked, about 1,450 tokens.", 3, "mentions it by"),
        ("graph circuit-breaker timeouts", "From circuit-breaker to timeouts: 1 step.", 4, "mentioned by"),
    ] {
        let mut state = state();
        assert_eq!(asked(&mut state, line), Request::AnalyseGraph, "{line}");
        let response = analysis(&state);
        let lines = answered(&mut state, response).lines;
        assert_eq!((lines[0].as_str(), state.list.rows.len()), (first, rows), "{line}: {lines:?}");
        assert!(lines.iter().any(|printed| printed.contains(named)), "{line}: {lines:?}");
    }
    let mut state = state();
    assert_eq!(output(&mut state, "graph broken"), ["There are no broken links."]);
    assert_eq!(
        output(&mut state, "graph timeouts retry-pattern java-service"),
        ["Give one source to see its neighbours, or two to see the path between them."]
    );
}

#[test]
fn a_jump_finds_anything_by_its_words() {
    let mut state = state();
    assert_eq!(output(&mut state, "jump"), ["Jump where? Type jump and some words."]);
    state.saved.filters.insert("mine".to_owned(), "retry".to_owned());
    let Request::Search(request) = asked(&mut state, "jump retry") else { panic!() };
    assert_eq!(request.query, "retry");
    let no_index = || refdesk_text::Error::new(refdesk_text::Code::NoIndex, "no index", "");
    let lines = answered(&mut state, Response::Found(Err(no_index()))).lines;
    for piece in ["1: retry-pattern, pulled in", "template retry-policy.yaml.tmpl", "filter mine: retry."] {
        assert!(lines.iter().any(|line| line.contains(piece)), "{piece}: {lines:?}");
    }
    // A section found by meaning alone says so, and is listed before commands, events and problems.
    asked(&mut state, "jump list");
    let meant = HitRank { list: RankedList::Meaning, rank: 1, score: 0.1, words: Vec::new(), cosine: None };
    let hits = vec![SearchHit { because: vec![meant], ..fixture::hit("timeouts") }];
    let answer = SearchAnswer {
        query: "list".to_owned(),
        mode: SearchMode::Hybrid,
        hits,
        tokens_used: 0,
        partial: None,
        notes: Vec::new(),
        explains_no_hits: false,
    };
    let lines = answered(&mut state, Response::Found(Ok(Box::new(answer)))).lines;
    let at = |piece: &str| lines.iter().position(|line| line.contains(piece)).unwrap();
    assert!(at(": by meaning: A > B, timeouts") < at(": command "), "{lines:?}");
    // However many rows there are, all are listed.
    state.saved.filters.extend((0..12).map(|nth| (format!("bulk-{nth}"), "rust".to_owned())));
    asked(&mut state, "jump bulk-");
    let lines = answered(&mut state, Response::Found(Err(no_index()))).lines;
    assert!(lines.iter().any(|line| line == "12 hits found."), "{lines:?}");
    // A sign limits the rows to a kind, as on the screen, and only sections are searched for.
    let lines = output(&mut state, "jump #java");
    assert!(lines[1].contains(": tag java, ") && lines.len() == 2, "{lines:?}");
    let Request::Search(request) = asked(&mut state, "jump /retr") else { panic!() };
    assert_eq!((request.query.as_str(), request.is_unfinished), ("retr", true));
    asked(&mut state, "jump undo");
    let lines = answered(&mut state, Response::Done(Vec::new())).lines;
    assert!(lines[0].contains("unexpected answer"), "{lines:?}");
}

#[test]
fn filters_are_saved_applied_and_removed() {
    let mut state = state();
    for (line, expected) in [
        ("filters", "No filter is saved. Type catalog and some words, then filters save and a name."),
        ("filters save mine", "There is no filter to save. Type catalog and some words first."),
        ("catalog java", "3 of 10 sources match java."),
        ("filters save", "Under which name? Type filters save and a name."),
        ("filters save mine", "Saved java as mine."),
        ("catalog", "10 sources."),
        ("filters mine", "3 of 10 sources match java."),
        ("filters other", "There is no filter other. Type filters for a list."),
        ("filters", "1 saved filter. Type a number to apply one."),
        ("1", "3 of 10 sources match java."),
        ("filters remove mine", "Removed the filter mine."),
        ("filters remove mine", "There is no filter mine. Type filters for a list."),
    ] {
        assert_eq!(output(&mut state, line)[0], expected, "{line}");
    }
}

#[test]
fn the_theme_of_the_full_screen_is_chosen() {
    let mut state = state();
    state.saved.own_themes = vec!["sepia".to_owned()];
    assert_eq!(
        output(&mut state, "theme"),
        [
            "The full screen uses the theme auto. The plain interface has no colours.",
            "Themes are auto, dark, light, contrast, colourblind, ansi, ansi-light, mono, sepia. Type theme and a name to choose one.",
        ]
    );
    for (line, kept) in [("theme light", Some("light")), ("theme Sepia", Some("sepia")), ("theme auto", None)] {
        output(&mut state, line);
        assert_eq!(state.saved.theme.as_deref(), kept, "{line}");
    }
    assert!(output(&mut state, "theme x")[0].starts_with("There is no theme x. Themes are auto,"));
    // In the demo.
    state.saved = crate::plain::saved::SavedFiles::default().read(Vec::new());
    assert!(
        output(&mut state, "theme light")[0]
            .starts_with("The theme stays as it is: settings are not stored in the demo")
    );
    assert_eq!(state.saved.theme, None);
}

#[test]
fn saved_settings_persist_and_nothing_else_changes() {
    use crate::common::values::{TypedValue, TypedValues, ValueStep};
    use crate::plain::saved::{SavedFiles, SavedState};
    use refdesk_core::config::screen_session::{ScreenSession, ScreenSessionFile};
    let (state, workspace) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let session = ScreenSessionFile::new(state.path(), workspace.path()).unwrap();
    session.write(&ScreenSession { prompt: "a draft".to_owned(), ..ScreenSession::default() }).unwrap();
    let files = SavedFiles { session: Some(session.clone()), screen: Some(state.path().join("screen.json")) };
    let before = files.read(Vec::new());
    assert_eq!(before, SavedState::default());
    // Another screen saves this meanwhile.
    let named_filters = [("theirs".to_owned(), "rust".to_owned())].into();
    let prompt = "a draft".to_owned();
    session.write(&ScreenSession { prompt, named_filters, ..ScreenSession::default() }).unwrap();
    let mut now = SavedState { theme: Some("light".to_owned()), ..before.clone() };
    now.token_limit = Some(4_000);
    now.filters.insert("mine".to_owned(), "java".to_owned());
    let typed = |name: &str| {
        let mut values = TypedValues::default();
        values.set(vec![ValueStep::Field(name.to_owned())], TypedValue::Text("x".to_owned()));
        values
    };
    now.values.insert("A.tpl".to_owned(), typed("name"));
    files.write(&before, &now).unwrap();
    now.filters.insert("theirs".to_owned(), "rust".to_owned());
    assert_eq!(files.read(Vec::new()), now);
    assert_eq!(session.read().0.prompt, "a draft");
    let after = files.read(Vec::new());
    let before = after.clone();
    now.values.insert("B.tpl".to_owned(), typed("password"));
    files.write(&before, &now).unwrap();
    assert_eq!(files.read(Vec::new()), after, "what may be a secret is not saved");
}

#[test]
fn the_budget_is_compared_with_a_limit_that_can_be_set() {
    let price = || Response::Price(refdesk_desk::Price { instructions: 812, prompt: 96 });
    let mut state = state();
    asked(&mut state, "budget");
    assert_eq!(
        answered(&mut state, price()).lines,
        [
            "The selection has 5 sources. Without inline texts, the selection and auto sources cost about 4,610 tokens.",
            "The instructions cost about 812 tokens, with inline texts in full.",
            "Together that is about 5,422 tokens: 4 percent of the limit of 128,000 tokens.",
            "There is no prompt. Type prompt and a text to have it counted.",
        ]
    );
    state.prompt = Some("a prompt".into());
    asked(&mut state, "budget 4k");
    assert_eq!(state.saved.token_limit, Some(4_000));
    assert_eq!(
        answered(&mut state, price()).lines[2..],
        [
            "Together that is about 5,422 tokens, over the limit: 136 percent of the limit of 4,000 tokens.",
            "The prompt with what is added to it costs about 96 tokens.",
            "With the prompt that is about 5,518 tokens, over the limit: 138 percent of the limit of 4,000 tokens.",
        ]
    );
    let refused = output(&mut state, "budget much");
    assert!(refused[0].starts_with("much is not a number of tokens. Type budget and one,"), "{refused:?}");
    assert_eq!(state.saved.token_limit, Some(4_000));
}

#[test]
fn messages_are_what_was_done() {
    let mut state = state();
    assert_eq!(output(&mut state, "messages"), ["Nothing has been done yet."]);
    asked(&mut state, "reload");
    let done = answered(&mut state, Response::Done(Vec::new())).lines;
    assert_eq!(output(&mut state, "messages"), ["1 message, the newest first.".to_owned(), done.join(" ")]);
    assert!(output(&mut state, "?").len() > 40, "a question mark is help");
}

#[test]
fn while_the_index_is_built_a_search_says_so() {
    let mut state = state();
    state.snapshot.is_indexing = true;
    for line in ["search retry", "jump retry"] {
        asked(&mut state, line);
        let no_index = refdesk_text::Error::new(refdesk_text::Code::NoIndex, "no index", "");
        let lines = answered(&mut state, Response::Found(Err(no_index))).lines;
        assert_eq!(lines[0], "The documents are still being indexed, so they cannot be searched yet.", "{line}");
    }
}

#[test]
fn without_sources_the_catalog_and_prompts_say_how_to_make_one() {
    let mut state = state();
    state.snapshot.catalog = std::sync::Arc::default();
    for line in ["catalog", "prompt hi", "graph", "graph hubs"] {
        let lines = output(&mut state, line);
        assert_eq!((lines.len(), lines[0].as_str()), (2, "The catalog has no sources."), "{line}");
    }
    state.snapshot.home = Some("your home folder".into());
    let lines = output(&mut state, "catalog");
    assert_eq!(lines[1], "This is your home folder: change to the folder of a project first.");
    let lines = output(&mut state, "welcome");
    assert!(lines[0] == "This is your home folder: change to the folder of a project first.", "{lines:?}");
    assert!(!lines.iter().any(|line| line.contains("refdesk init")), "{lines:?}");
}
