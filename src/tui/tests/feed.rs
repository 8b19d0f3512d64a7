//! The feed by its keys: its filter, its rows, and the sources that they lead to.

use crate::tui::filtering::FilteredList;
use crate::tui::fixture;
use crate::tui::input::Input;
use crate::tui::layout::Arrangement;
use crate::tui::pane::Pane;
use crate::tui::state::{PanePart, State, Typing};
use crate::tui::update::update;
use refdesk_desk::engine::{Actor, Age, Event, Notice, Receipts, Request, Topic};

use crate::tui::tests::screen;
use crate::tui::tests::{commands, event, message, press};

fn about(text: &str, subject: Option<&str>) -> Event {
    Event::Notice(Notice { subject: subject.map(Into::into), ..fixture::notice(text) })
}

#[test]
fn feed_rows_lead_to_their_sources() {
    for (keys, focus, subject, said) in [
        ("f Enter", Pane::Catalog, Some("timeouts"), ""),
        ("3 l Enter", Pane::Catalog, Some("timeouts"), ""),
        ("/ \"java\" Enter f Enter", Pane::Catalog, Some("timeouts"), "cleared the catalog filter"),
        ("/ \"time\" Enter f Enter", Pane::Catalog, Some("timeouts"), ""),
        ("f j Enter", Pane::Hints, None, "this row has no single source to go to"),
        ("d c", Pane::Catalog, Some("payments-api"), ""),
        ("d j c", Pane::Catalog, Some("legacy-errors"), ""),
        ("/ \"java\" Enter d c", Pane::Catalog, Some("payments-api"), "cleared the catalog filter"),
        ("f G Enter", Pane::Hints, Some("old-runbook"), "@old-runbook is no longer in the catalog"),
        ("f / \"x\" Enter Enter", Pane::Hints, None, "no row matches"),
        ("f Esc", Pane::Catalog, Some("team-conventions"), ""),
        ("2 f Esc", Pane::Selection, Some("circuit-breaker"), ""),
        ("3 l Esc", Pane::Hints, None, ""),
        ("3 Enter \"java\" Esc f Esc", Pane::Hints, None, ""),
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
fn the_feed_is_filtered_and_a_source_opened_from_it() {
    let mut state = fixture::state(80, 24);
    for notice in [about("retry", Some("payments-api")), about("broken", None), about("changed", Some("timeouts"))] {
        event(&mut state, notice);
    }
    assert_eq!(commands(&press(&mut state, "f x")), [Request::exclude("timeouts")]);
    for (keys, rows, typing) in [
        ("/", 3, Some(Typing::Filter(FilteredList::Feed))),
        ("\"RETRY\"", 1, Some(Typing::Filter(FilteredList::Feed))),
        ("Enter", 1, None),
        ("/ Esc", 3, None),
        ("/ \"e\" Down Down Tab", 3, None),
    ] {
        press(&mut state, keys);
        assert_eq!((state.feed.rows.len(), state.typing), (rows, typing), "{keys}");
    }
    assert_eq!(commands(&press(&mut state, "Space")), [Request::pick_if_few("payments-api")]);
    press(&mut state, "Esc");
    assert_eq!((state.part, state.feed.filter.text(), state.feed.rows.len()), (PanePart::Detail, "", 3));
}

#[test]
fn a_filter_that_is_not_typed_is_shown_from_its_start() {
    let long = format!("start-{}", "x".repeat(100));
    for (keys, start) in [("f /", "/start-xxx"), ("1 /", "/ start-xxx")] {
        let mut state = fixture::state(80, 24);
        event(&mut state, about("retry", Some("payments-api")));
        press(&mut state, &format!("{keys} \"{long}\""));
        assert!(!screen(&state).contains(start), "the end is typed: {}", screen(&state));
        press(&mut state, "Enter");
        let shown = screen(&state);
        let line = shown.lines().find(|line| line.contains(start)).unwrap_or_else(|| panic!("{shown}"));
        assert!(line.contains('…'), "{line}");
    }
}

#[test]
fn the_feed_alone_is_left_for_where_it_was_opened() {
    for (keys, focus, arrangement, label) in [
        ("F6", Pane::Catalog, Arrangement::Focused, "Esc back"),
        ("0 4 F6", Pane::Templates, Arrangement::Overview, "Esc back"),
        ("2 z F6", Pane::Selection, Arrangement::Zoomed, "Esc back"),
        ("3 Enter \"java\" Esc 2 f z", Pane::Selection, Arrangement::Focused, "Esc back"),
        ("F6 / \"changed\" Enter", Pane::Catalog, Arrangement::Focused, "Esc show all"),
    ] {
        let mut state = fixture::state(160, 36);
        event(&mut state, about("changed", Some("timeouts")));
        press(&mut state, keys);
        assert!(state.is_feed_alone() && screen(&state).contains(label), "{keys} {}", screen(&state));
        if !state.feed.filter.is_empty() {
            press(&mut state, "Esc");
            assert!(state.is_feed_alone() && state.feed.filter.is_empty(), "{keys}");
        }
        press(&mut state, "Esc");
        assert_eq!((state.focus, state.arrangement), (focus, arrangement), "{keys}");
    }
}

#[test]
fn a_window_over_the_feed_alone_leaves_no_key_on_its_rule() {
    let mut state = fixture::state(160, 36);
    event(&mut state, about("changed", Some("timeouts")));
    press(&mut state, "F6");
    assert!(screen(&state).contains("goes to the source"), "{}", screen(&state));
    press(&mut state, "?");
    assert!(!screen(&state).contains("─ f ─"), "{}", screen(&state));
}

#[test]
fn another_pane_has_the_arrangement_from_before_a_key_that_shows_one_alone() {
    for (keys, arrangement) in [
        ("F6 1", Arrangement::Focused),
        ("F5 F6 F4 2", Arrangement::Focused),
        ("0 F6 1", Arrangement::Overview),
        ("z F6 1", Arrangement::Zoomed),
        ("F5 z 1", Arrangement::Focused),
    ] {
        let mut state = fixture::state(160, 36);
        let (last, others) = keys.split_at(keys.len() - 1);
        press(&mut state, last.trim());
        let mut resumed = fixture::state(160, 36);
        crate::tui::session::begin(&mut resumed, state.session());
        assert_eq!(resumed.session(), state.session(), "{keys}");
        for mut state in [state, resumed] {
            press(&mut state, others);
            assert_eq!(state.arrangement, arrangement, "{keys}");
        }
    }
}

#[test]
fn a_feed_alone_has_one_title_and_leaves_the_hints_in_the_folded_line() {
    let mut state = fixture::state(120, 36);
    press(&mut state, "F6");
    let shown = screen(&state);
    assert!(shown.contains("┏ Feed ━") && !shown.contains("─ feed"), "{shown}");
    assert!(shown.contains("2 Selection 5 + 1 auto ~4,628  3 Hints  4 Templates 2"), "{shown}");
}

#[test]
fn the_focused_feed_has_the_columns_of_the_screen_and_a_column_of_tokens() {
    for (width, keys, rest) in [
        (120, "f", "default enriched   To a prompt: hinted at"),
        (120, "3 Enter \"java\" Esc f", "default enriched   To a prompt: hinted at"),
        (60, "f", "claude-code To a prompt"),
    ] {
        let mut state = fixture::state(width, 36);
        let reported = fixture::receipt(2, "default");
        let tokens = format!("~{}", reported.1.receipt.tokens);
        event(&mut state, Event::Receipts(Receipts { lines: vec![reported], age: Age::Now, gap: None }));
        event(&mut state, about("changed", Some("timeouts")));
        press(&mut state, keys);
        let parts = state.parts(Pane::Hints).unwrap();
        assert_eq!(parts.detail.width, width - 2, "{width} {keys}");
        let shown = screen(&state);
        let row = shown.lines().find(|line| line.contains("11:04:00")).unwrap();
        assert!(row.contains(rest) && !row.contains("tokens"), "{row}");
        assert!(row.trim_end_matches(['┃', '│', ' ']).ends_with(&tokens), "{row}");
    }
}

#[test]
fn a_row_about_several_sources_picks_none() {
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
    assert_eq!(commands(&press(&mut state, "g x")), [Request::exclude("timeouts")]);
}

#[test]
fn the_bottom_line_shows_the_keys_of_the_feed() {
    let mut state = fixture::state(80, 24);
    event(&mut state, about("changed", Some("timeouts")));
    for (keys, shown) in
        [("f", "Enter go to source  / filter  t kinds"), ("/ \"session:x\" Enter", "/ filter  t kinds  s all sessions")]
    {
        press(&mut state, keys);
        assert!(screen(&state).contains(shown), "{}", screen(&state));
    }
}

#[test]
fn the_feed_follows_the_newest_until_the_cursor_moves() {
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
fn a_refusal_stays_until_it_was_read() {
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
fn the_preset_of_the_feed_has_all_rows_for_it() {
    let mut state = fixture::state(120, 36);
    event(&mut state, about("changed", Some("timeouts")));
    press(&mut state, "F6");
    let parts = state.parts(Pane::Hints).unwrap();
    assert!(parts.detail.width > 110 && parts.detail.height > 25, "{parts:?}");
    assert!(parts.head.is_empty() && parts.list.is_empty());
    assert!(screen(&state).contains("┏ Feed ━"), "{}", screen(&state));
    press(&mut state, "3 Enter \"java\" Esc F6");
    for (width, height) in [(120, 36), (80, 24), (60, 20)] {
        update(&mut state, Input::Resize(ratatui::layout::Size::new(width, height)));
        let parts = state.parts(Pane::Hints).unwrap();
        assert!(parts.head.is_empty() && parts.list.is_empty(), "{width}x{height} {parts:?}");
        assert_eq!(parts.detail.height + parts.aside.height, height - 6, "{width}x{height} {parts:?}");
    }
}

#[test]
fn sessions_of_one_agent_can_be_told_apart_at_every_width() {
    for (one, other) in [
        ("claude-code-66250638", "claude-code-66250771"),
        ("nightly-build-of-payments-1", "nightly-build-of-payments-2"),
        ("0199a1b2-77d0-7c1b-9a55-0c2f4be6d1aa", "0199a1b2-77d4-7f10-8e31-5a0c9b7f2e43"),
    ] {
        for width in [80, 120, 200] {
            let mut state = fixture::state(width, 24);
            for session in [one, other] {
                let (notice, line) = fixture::receipt(1, session);
                let (who, text) = (Actor::Other("claude-code over mcp".into()), "Read @timeouts".to_owned());
                let lines = vec![(Notice { who, text, ..notice }, line)];
                event(&mut state, Event::Receipts(Receipts { lines, age: Age::Now, gap: None }));
            }
            press(&mut state, "F6");
            let shown = screen(&state);
            let rows: Vec<&str> = shown
                .lines()
                .filter(|row| row.contains("11:04:00"))
                .map(|row| row.trim_start_matches(['┃', '▌', ' ']))
                .collect();
            assert!(rows.len() >= 2 && rows[0] != rows[1], "{width}\n{shown}");
            assert!(!rows[0].contains("claude-c "), "{width}\n{shown}");
        }
    }
}

#[test]
fn an_empty_feed_takes_no_room_from_the_hints() {
    let mut state = fixture::state(120, 36);
    press(&mut state, "3 Enter \"write a java client\" Esc F4");
    let parts = state.parts(Pane::Hints).unwrap();
    assert!(parts.detail.is_empty() && parts.list.width > 110, "{parts:?}");
    press(&mut state, "l");
    assert!(state.in_feed() && !state.parts(Pane::Hints).unwrap().detail.is_empty());
    press(&mut state, "Esc");
    event(&mut state, about("changed", Some("timeouts")));
    assert!(!state.parts(Pane::Hints).unwrap().detail.is_empty());
}

#[test]
fn the_line_of_folded_panes_shows_a_whole_clock_or_none() {
    for width in 40..200 {
        let mut state = fixture::state(width, 24);
        crate::tui::tests::busy_morning(&mut state);
        press(&mut state, "Esc j");
        let shown = screen(&state);
        let line = shown.lines().rev().nth(1).unwrap_or_default();
        let feed = line.split("feed 8 new").nth(1).unwrap_or_default();
        assert!(feed.is_empty() || feed.starts_with(" 11:03:13 @retry-pattern"), "{width}: {line}");
        assert!(width < 100 || !feed.is_empty(), "{width}: {line}");
    }
}

#[test]
fn the_line_of_folded_panes_has_room_for_the_feed_without_a_notice() {
    for width in 46..200 {
        let mut state = fixture::state(width, 24);
        press(&mut state, "j");
        let shown = screen(&state);
        let line = shown.lines().rev().nth(1).unwrap_or_default();
        assert!(line.trim_end().ends_with("  feed"), "{width}: {line}");
    }
}

/// The journal reports what another process picked, and the selection what followed, in either order.
#[test]
fn picks_by_other_processes_are_reported_with_their_consequences() {
    let row = |text: &str, topic: Topic| {
        let (notice, line) = fixture::receipt(1, "s");
        (Notice { who: other(), topic, text: text.to_owned(), reason: String::new(), ..notice }, line)
    };
    let picked = |state: &mut State| {
        let (before, line) = row("Picked @java-service", Topic::Selection);
        let before = Notice { at: "2026-11-22T11:03:50.000Z".to_owned(), ..before };
        let lines =
            vec![(before, line), row("Picked @retry-pattern", Topic::Selection), row("Wrote x.tmpl", Topic::File)];
        event(state, Event::Receipts(Receipts { lines, age: Age::Now, gap: None }));
    };
    let followed = |state: &mut State| {
        let notice = Notice { reason: "~864 tokens".to_owned(), ..fixture::notice("Pulled in: @timeouts") };
        event(state, Event::Notice(Notice { who: other(), ..notice }));
    };
    let whole = "by opencode: Picked @retry-pattern. Pulled in, ~864 tokens: @timeouts";
    for is_journal_first in [true, false] {
        let mut state = fixture::state(80, 24);
        if is_journal_first {
            picked(&mut state);
            assert_eq!(message(&state), "by opencode: Picked @retry-pattern");
            followed(&mut state);
        } else {
            followed(&mut state);
            picked(&mut state);
        }
        assert_eq!(message(&state), whole);
        press(&mut state, "f");
        assert_eq!(state.feed.rows.len(), 4, "each has its row");
        // In the view of agents, the key of the feed does something else.
        press(&mut state, "F7");
        event(&mut state, Event::Notice(fixture::notice("one")));
        event(&mut state, Event::Notice(fixture::notice("two")));
        assert!(screen(&state).contains(" Two \u{b7} 1 more in the feed"), "{}", screen(&state));
    }
}

fn other() -> Actor {
    Actor::Other("opencode".into())
}

#[test]
fn counts_of_folded_panes_are_not_given_up_for_the_beginning_of_a_notice() {
    let mut state = fixture::in_graph(80, 24, "j R");
    event(&mut state, about("Removed .jaato/templates/retry-policy.yaml.tmpl", None));
    let shown = screen(&state);
    let line = shown.lines().rev().nth(1).unwrap();
    for part in ["1 Catalog 10 ", "2 Selection 5 + 1 auto ", "4 Templates 2 ", "feed 1 new"] {
        assert!(line.contains(part), "{part}: {shown}");
    }
}
