//! What agents get, as shown on the screen: the enriched prompt with its costs, receipts of all sessions in the feed,
//! and an opened receipt.

use ratatui::layout::{Position, Size};

use crate::common::hint_rows;
use crate::tui::fixture;
use crate::tui::input::{Effect, Input};
use crate::tui::pane::Pane;
use crate::tui::state::{HintsView, State};
use crate::tui::update::update;
use crate::tui::widgets::motion::Motion;
use crate::tui::windows::WindowKind;
use refdesk_desk::engine::{Actor, Age, Audience, Event, Notice, Receipts, Request, Response, Topic};
use refdesk_enrich::{BlockKind, Findings, ItemReceipt, Level, Matcher};

use crate::tui::tests::busy_morning;
use crate::tui::tests::{answer, commands, event, message, press, screen, stale, typed};

const PROMPT: &str = "write a java client for @payments-api";

/// Answers the open question with three blocks.
fn simulated(state: &mut State) {
    let text = state.hints.prompt.text().to_owned();
    let long = "- @circuit-breaker: Circuit\u{202e} Breaker (matched: java, resilience)\n- @java-service: Java service module \
                (matched: java, and a tag that is so long that this line is wrapped in every pane but the widest)";
    let enriched = fixture::enriched(
        &text,
        &[
            (
                BlockKind::Expansion,
                Level::Full,
                "**Referenced Sources:**\n\n### Payments API\n**URL**: https://example.org",
            ),
            (BlockKind::Hint, Level::Brief, &format!("**Reference sources available**:\n\n{long}")),
            (BlockKind::LeftOut, Level::Count, "**Left out, over the budget**: 1 template"),
        ],
    );
    answer(state, Response::Simulation { enriched: Box::new(enriched), problems: Vec::new() });
}

fn enriched_prompt(size: Size, keys: &str) -> State {
    let mut state = fixture::state(size.width, size.height);
    typed(&mut state, &format!("3 Enter \"{PROMPT}\" Esc v"));
    simulated(&mut state);
    press(&mut state, keys);
    simulated(&mut state);
    state
}

fn receipts(state: &mut State, age: Age, sessions: &[&str]) -> Vec<Effect> {
    let lines = sessions.iter().zip(1..).map(|(session, n)| fixture::receipt(n, session)).collect();
    event(state, Event::Receipts(Receipts { lines, age, gap: None }))
}

/// Earlier receipts, new ones, and an opened receipt.
fn with_receipts(size: Size, keys: &str) -> State {
    let mut state = fixture::state(size.width, size.height);
    let (yesterday, line) = fixture::receipt(3, "s-41");
    let lines = vec![(Notice { time: "11-21 18:02".to_owned(), ..yesterday }, line)];
    event(&mut state, Event::Receipts(Receipts { lines, age: Age::Past, gap: None }));
    busy_morning(&mut state);
    receipts(&mut state, Age::Now, &["s-42", "default"]);
    let failed = Notice {
        time: "11:05:12".to_owned(),
        session: Some("s-42".into()),
        reason: "session s-42".to_owned(),
        ..Notice::new(Actor::Other("claude-code".into()), Topic::Failed, "A hook failed: no JSON")
    };
    let (_, line) = fixture::receipt(9, "s-42");
    event(&mut state, Event::Receipts(Receipts { lines: vec![(failed, line)], age: Age::Now, gap: None }));
    press(&mut state, "f");
    press(&mut state, keys);
    if state.open_window() == Some(WindowKind::Receipt) {
        let line = Ok(fixture::dated(fixture::receipt(2, "default").1));
        answer(&mut state, Response::JournalLine(line));
        // The size of the window is known only now.
        press(&mut state, "j k");
    }
    state
}

fn snapshot_of(keys: &str, at: fn(Size, &str) -> State) -> String {
    let shown = |(width, height)| format!("{width}x{height}\n{}", screen(&at(Size { width, height }, keys)));
    [(80, 24), (120, 36), (200, 60)].map(shown).join("\n")
}

#[rustfmt::skip]
screens! { enriched_prompt:
    prompt_for_a_new_session ""
    prompt_scrolled "j j j j j"
    prompt_for_this_session "v"
    prompt_zoomed "z"
    prompt_while_typing "Enter \" now\""
}

/// A prompt with a closely related source, a less related one, and a tag of a third.
fn scored(size: Size, keys: &str) -> State {
    let mut state = fixture::state(size.width, size.height);
    press(&mut state, "3 Enter \"java: what changes with the release?\"");
    let snapshot = state.snapshot.clone();
    let prompt = state.hints.prompt.text();
    let mut findings = Matcher::default().candidates(prompt, &snapshot.catalog, &snapshot.selection, false);
    findings.hints.retain(|hint| hint.id.as_str() == "java-service");
    let mut tagged = fixture::considered("java-service", true);
    tagged.has_tag = true;
    findings.passed.clear();
    findings.considered =
        Some(vec![tagged, fixture::considered("ticket-search", true), fixture::considered("payments-api", false)]);
    answer(&mut state, Response::Findings(findings));
    press(&mut state, "Esc g");
    press(&mut state, keys);
    state
}

#[rustfmt::skip]
screens! { scored:
    scores_of_matches ""
    score_of_a_hint_by_meaning "j"
    score_below_the_threshold "j j"
}

#[rustfmt::skip]
screens! { with_receipts:
    receipts_in_the_feed ""
    receipt_opened "j Enter"
    receipts_of_one_session "s"
    receipts_of_one_kind "t t"
    receipts_filtering "/ \"kind:\""
}

#[test]
fn sources_that_only_have_a_score_are_not_called_matching() {
    for (is_hinted, caption) in [(false, "closest sources (Space picks)"), (true, "matching sources (Space picks)")] {
        let mut state = scored(Size { width: 120, height: 36 }, "");
        let considered =
            vec![fixture::considered("payments-api", false), fixture::considered("ticket-search", is_hinted)];
        answer(&mut state, Response::Findings(Findings { considered: Some(considered), ..Findings::default() }));
        assert!(screen(&state).contains(caption), "{}", screen(&state));
    }
}

#[test]
fn a_match_has_a_price_and_says_what_a_pick_brings() {
    for (width, height) in [(80, 24), (120, 36), (200, 60)] {
        let mut state = scored(Size { width, height }, "");
        let shown = screen(&state);
        let row = shown.lines().find(|line| line.contains("@java-service")).unwrap();
        assert!(row.contains("~23,870") && row.contains("(matched: java"), "{row}");
        let preview = fixture::preview_selection("java-service", &["java-service", "release-notes"], &[]);
        answer(&mut state, Response::SelectionPreview(preview));
        let shown = screen(&state).replace(['┃', '│'], " ");
        assert!(shown.contains("Space would pick it and"), "{shown}");
    }
}

/// The prompts asked about, each with its audience.
fn asked(effects: &[Effect]) -> Vec<(&str, Audience)> {
    let asked = effects.iter().filter_map(|effect| match effect {
        Effect::Ask(Request::Simulate { prompt, audience }) => Some((&**prompt, *audience)),
        _ => None,
    });
    asked.collect()
}

#[test]
fn each_view_has_its_own_request() {
    use Audience::{NewSession, ThisSession};
    let mut state = fixture::state(80, 24);
    for (keys, expected, shows) in [
        ("3", vec![], HintsView::Matches),
        ("Enter \"j\"", vec![("j", ThisSession)], HintsView::Matches),
        ("Esc v", vec![("j", NewSession)], HintsView::Enriched(NewSession)),
        ("v", vec![("j", ThisSession)], HintsView::Enriched(ThisSession)),
        ("Enter \"s\"", vec![("js", ThisSession)], HintsView::Enriched(ThisSession)),
        ("C-t", vec![("js", ThisSession)], HintsView::Matches),
        ("C-t", vec![("js", NewSession)], HintsView::Enriched(NewSession)),
        // An empty prompt can be enriched, too.
        ("C-x", vec![("", NewSession)], HintsView::Enriched(NewSession)),
        ("Esc", vec![], HintsView::Enriched(NewSession)),
        ("Esc", vec![], HintsView::Matches),
        ("Esc", vec![], HintsView::Matches),
    ] {
        let effects = press(&mut state, keys);
        assert_eq!((asked(&effects), state.hints.view), (expected, shows), "{keys}");
    }
}

#[test]
fn hints_given_before_say_so() {
    let mut state = fixture::state(120, 36);
    typed(&mut state, "3 z Enter \"java\" Esc");
    let mut enriched = fixture::enriched("java", &[]);
    enriched.metadata.tag_matched_references = vec![("java-service".into(), vec!["java".to_owned()])];
    answer(&mut state, Response::Simulation { enriched: Box::new(enriched), problems: Vec::new() });
    let shown = screen(&state);
    assert!(shown.contains("(matched: java 1:1; hinted before)"), "{shown}");
    assert!(shown.contains("this session already got this hint"), "{shown}");
    press(&mut state, "Enter C-u");
    assert!(state.hints.sent_before.is_empty());
}

#[test]
fn an_outdated_answer_is_dropped() {
    let mut state = fixture::state(80, 24);
    press(&mut state, "3 v v");
    let enriched = Box::new(fixture::enriched("", &[]));
    stale(&mut state, Response::Simulation { enriched: enriched.clone(), problems: Vec::new() });
    assert!(state.hints.enriched.answer.is_none());
    answer(&mut state, Response::Simulation { enriched, problems: Vec::new() });
    assert!(screen(&state).contains("this session has seen"));
}

#[test]
fn additions_given_meanwhile_are_no_longer_new() {
    let mut state = fixture::state(80, 24);
    press(&mut state, "3 v");
    assert_eq!(asked(&receipts(&mut state, Age::Now, &["s"])).len(), 0, "another session changes nothing");
    press(&mut state, "v");
    assert_eq!(asked(&receipts(&mut state, Age::Now, &["s"])).len(), 1);
}

#[test]
fn a_source_that_is_not_visible_cannot_be_picked() {
    let mut state = enriched_prompt(Size::new(80, 24), "");
    press(&mut state, "Space");
    assert_eq!(message(&state), "there is no source under the cursor");
}

#[test]
fn it_scrolls_by_keys_and_wheel_within_its_bounds() {
    let mut state = enriched_prompt(Size::new(80, 24), "G");
    let end = state.hints.enriched.scroll.top;
    assert!(end > 0 && screen(&state).contains("Left out, over the budget"));
    press(&mut state, "j");
    assert_eq!(state.hints.enriched.scroll.top, end);
    update(&mut state, Input::Wheel(Motion::Up, Position { x: 5, y: 10 }));
    assert_eq!(state.hints.enriched.scroll.top, end - 3);
    update(&mut state, Input::Resize(Size::new(200, 60)));
    press(&mut state, "z");
    assert_eq!(state.hints.enriched.scroll.top, 0, "all of it has room there");
}

#[test]
fn hidden_characters_are_shown() {
    let shown = screen(&enriched_prompt(Size::new(120, 36), "z"));
    assert!(shown.contains("Circuit\\u{202e} Breaker"), "{shown}");
}

#[test]
fn rows_about_agents_do_not_take_the_bottom_line() {
    let mut state = fixture::state(80, 24);
    receipts(&mut state, Age::Now, &["s", "s"]);
    assert_eq!((message(&state), state.feed.new), ("", 2));
    receipts(&mut state, Age::Past, &["s"]);
    assert_eq!((state.feed.notices.len(), state.feed.new), (3, 2));
}

#[test]
fn a_receipt_is_requested_by_its_line_and_may_be_gone() {
    let mut state = fixture::state(80, 24);
    receipts(&mut state, Age::Now, &["a", "b"]);
    let sent = commands(&press(&mut state, "f j Enter"));
    assert_eq!(sent, [Request::JournalLine(1)]);
    let gone = Err("line 1 is no longer in the journal".to_owned());
    answer(&mut state, Response::JournalLine(gone));
    assert!(screen(&state).contains("line 1 is no longer in the journal."), "{}", screen(&state));
    press(&mut state, "Esc");
    assert_eq!((state.window, state.focus), (None, Pane::Hints));
}

#[test]
fn the_feed_can_be_filtered_by_kind_and_session() {
    let mut state = fixture::state(80, 24);
    busy_morning(&mut state);
    receipts(&mut state, Age::Now, &["a", "b"]);
    press(&mut state, "f");
    let mut filters = Vec::new();
    for _ in 0..7 {
        press(&mut state, "t");
        filters.push(state.feed.filter.text().to_owned());
    }
    let kinds = ["selection", "catalog", "document", "problem", "desk", "enriched"];
    let expected: Vec<String> = kinds.iter().map(|kind| format!("kind:{kind}")).chain([String::new()]).collect();
    assert_eq!(filters, expected);
    press(&mut state, "g s");
    assert_eq!((state.feed.filter.text(), state.feed.rows.len()), ("session:b", 1));
    press(&mut state, "s G s");
    assert_eq!(state.feed.filter.text(), "");
    assert_eq!(message(&state), "this row does not belong to a session");
}

#[test]
fn each_row_shows_its_session() {
    let name = "4f1c2d3e-aaaa-bbbb";
    for (columns, shown, not) in [(200, " 4f1c2…bb enriched", "session 4f1c"), (80, "(session 4f1c2…bb) ", "4f1c2d3e-")]
    {
        let mut state = fixture::state(columns, 60);
        let (notice, line) = fixture::receipt(1, name);
        let lines = vec![(Notice { text: "To a prompt".to_owned(), ..notice }, line)];
        event(&mut state, Event::Receipts(Receipts { lines, age: Age::Past, gap: None }));
        // The feed has the full width but not the focus, with which the row's details would be below it.
        press(&mut state, "3 z");
        let screen = screen(&state);
        assert!(screen.contains(shown) && !screen.contains(not), "{screen}");
    }
}

#[test]
fn the_labels_of_a_receipt_are_aligned() {
    let mut state = with_receipts(Size::new(120, 36), "");
    press(&mut state, "j Enter");
    let (_, mut line) = fixture::receipt(2, "default");
    let kinds = [BlockKind::Instruction, BlockKind::Available, BlockKind::LeftOut];
    line.receipt.why.iter_mut().zip(kinds).for_each(|(item, kind)| item.block = kind);
    answer(&mut state, Response::JournalLine(Ok(fixture::dated(line))));
    press(&mut state, "j k");
    let shown = screen(&state);
    for label in ["instruction  java-service", "available    payments-api", "left_out     error-handling"] {
        assert!(shown.contains(label), "{shown}");
    }
}

#[test]
fn skipped_lines_are_counted() {
    let mut state = fixture::state(80, 24);
    let gap = Some(Notice::new(Actor::Files, Topic::Desk, "5 more came too fast to be told"));
    let lines = vec![fixture::receipt(7, "s")];
    event(&mut state, Event::Receipts(Receipts { lines, age: Age::Now, gap }));
    let texts: Vec<&str> = state.feed.notices.iter().map(|notice| notice.topic.word()).collect();
    assert_eq!(texts, ["enriched", "desk"], "newest first");
}

#[test]
fn ids_of_matches_are_whole_where_reasons_are_cut() {
    for width in 40..100 {
        let mut state = fixture::state(width, 20);
        press(&mut state, "3 Enter \"java for @team-conventions\" Esc");
        let snapshot = state.snapshot.clone();
        let prompt = state.hints.prompt.text();
        let found = Matcher::default().candidates(prompt, &snapshot.catalog, &snapshot.selection, false);
        answer(&mut state, Response::Findings(found));
        let shown = screen(&state);
        for id in ["@team-conventions ", "@circuit-breaker "] {
            assert!(shown.lines().any(|line| line.contains(id) && !line.contains("java for")), "{width}: {shown}");
        }
    }
}

#[test]
fn names_of_matches_are_whole_or_left_out() {
    for (width, height, has_names) in [(80, 24, false), (120, 36, false), (240, 60, true)] {
        let mut state = fixture::state(width, height);
        press(&mut state, "3 Enter \"java for @team-conventions\" Esc");
        let snapshot = state.snapshot.clone();
        let prompt = state.hints.prompt.text();
        let found = Matcher::default().candidates(prompt, &snapshot.catalog, &snapshot.selection, false);
        answer(&mut state, Response::Findings(found));
        let shown = screen(&state);
        let names = ["Java service module (", "Circuit Breaker     – java: already picked"];
        assert_eq!(names.map(|name| shown.contains(name)), [has_names; 2], "{width}: {shown}");
        assert!(!shown.contains("Java servi…"), "{width}: {shown}");
    }
}

#[test]
fn what_is_left_out_of_a_block_is_not_said_of_all_of_it() {
    use Level::{Brief, Count, Full};
    for (levels, lowest, expected) in [
        (&[Full, Full][..], Full, "full"),
        (&[], Count, "a count"),
        (&[Brief, Brief], Brief, "names and places"),
        (&[Full, Count, Full, Count, Count], Count, "2 full, 3 left out"),
        (&[Full, Brief, Count], Count, "1 full, 1 names and places, 1 left out"),
    ] {
        let mut enriched = fixture::enriched("", &[(BlockKind::Hint, lowest, "- @a"), (BlockKind::Notice, Full, "-")]);
        let item = |block, level| ItemReceipt {
            block,
            about: "a".to_owned(),
            level,
            bytes: 4,
            why: Vec::new(),
            rejected: None,
        };
        enriched.items = levels.iter().map(|level| item(BlockKind::Hint, *level)).collect();
        enriched.items.push(item(BlockKind::Notice, Full));
        let of = |nth: usize| hint_rows::block_level(&enriched, &enriched.blocks[nth]);
        assert_eq!((of(0).as_str(), of(1).as_str()), (expected, "full"), "{levels:?}");
    }
}
