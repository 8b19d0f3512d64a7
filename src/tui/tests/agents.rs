//! The agents view by its keys: pages, what `Enter` does, and when the engine is asked.

use std::sync::Arc;

use ratatui::layout::Position;

use crate::tui::agents::AgentsPage;
use crate::tui::fixture;
use crate::tui::glyphs::Glyphs;
use crate::tui::input::{Effect, Input};
use crate::tui::pane::Pane;
use crate::tui::state::{PanePart, State};
use crate::tui::tests::{answer, commands, event, message, press, screen};
use crate::tui::update::update;
use crate::tui::views::View;
use crate::tui::windows::WindowKind;
use refdesk_core::catalog::{Catalog, Mode, PathState};
use refdesk_desk::AgentActivity;
use refdesk_desk::engine::{Age, Event, Receipts, Request, Response, Snapshot};

fn agents(keys: &str) -> State {
    let mut state = fixture::in_agents(120, 36, "F7");
    press(&mut state, keys);
    state
}

fn asked(effects: &[Effect]) -> bool {
    effects.iter().any(|effect| *effect == Effect::Ask(Request::Agents))
}

#[test]
fn pages() {
    use AgentsPage::{Known, Lines, Sessions};
    for (keys, page, session) in [
        ("", Some(Sessions), Some("claude-code")),
        ("j", Some(Sessions), Some("codex")),
        ("G", Some(Sessions), Some("gemini-cli")),
        ("Enter", Some(Lines), Some("claude-code")),
        ("Enter Tab", Some(Known), Some("claude-code")),
        ("Enter Tab Tab", Some(Lines), Some("claude-code")),
        ("Enter BackTab", Some(Known), Some("claude-code")),
        ("j Enter Esc", Some(Sessions), Some("codex")),
        ("Enter Tab Esc", Some(Sessions), Some("claude-code")),
        ("Enter q q", None, None),
        ("Esc", None, None),
        ("F7", None, None),
        ("S", None, None),
        ("2", None, None),
        ("f", None, None),
        ("R", None, None),
        ("F3", None, None),
    ] {
        let state = agents(keys);
        let agent = state.agents.session().map(|session| session.agent.as_str());
        let shown = (state.view == View::Agents).then_some(state.agents.page);
        assert_eq!((shown, agent), (page, session), "{keys}");
        assert_eq!(state.agents.activity.is_none(), page.is_none(), "{keys}: its memory is released");
    }
    assert_eq!(agents("R").view, View::Graph);
    let mut state = agents("R F7");
    assert_eq!((state.view, state.agents.page), (View::Agents, Sessions));
    press(&mut state, "Tab");
    assert_eq!(message(&state), "only a session has lines and knowledge: Enter opens it");
}

#[test]
fn enter_leads_to_receipts_and_sources() {
    for (keys, command, subject, said) in [
        ("Enter Enter", Some(Request::JournalLine(61)), None, ""),
        ("Enter j Enter", None, Some("circuit-breaker"), ""),
        ("Enter j j c", None, Some("java-service"), ""),
        ("Enter j j j Enter", None, None, "@gone-source is no longer in the catalog"),
        ("Enter j j j j Enter", Some(Request::JournalLine(12)), None, ""),
        ("Enter G Enter", None, None, "this row has neither a receipt nor a source"),
        ("Enter Tab j Enter", None, Some("retry-pattern"), ""),
        ("Enter Tab G c", None, Some("java-service"), ""),
    ] {
        let mut state = fixture::in_agents(120, 36, "F7");
        let effects = press(&mut state, keys);
        assert_eq!(commands(&effects), Vec::from_iter(command.clone()), "{keys}");
        assert_eq!(state.open_window() == Some(WindowKind::Receipt), command.is_some(), "{keys}");
        let shown = state.subject(Pane::Catalog).filter(|_| state.view != View::Agents);
        assert_eq!((shown, message(&state)), (subject, said), "{keys}");
    }
}

#[test]
fn a_line_about_several_sources_leads_to_the_first_as_in_the_feed() {
    let mut activity = fixture::agents();
    let line = &mut Arc::make_mut(&mut activity.sessions[0]).lines[1];
    (line.subject, line.several) = (Some("timeouts".to_owned()), true);
    let mut state = agents("");
    answer(&mut state, Response::Agents(Arc::new(activity)));
    press(&mut state, "Enter j");
    assert!(screen(&state).contains("Enter goes to @timeouts."), "{}", screen(&state));
    press(&mut state, "c");
    assert_eq!(message(&state), "this row is not about a single source", "an action must not apply to the first alone");
    press(&mut state, "Enter");
    assert_eq!(state.subject(Pane::Catalog).filter(|_| state.view == View::Panes), Some("timeouts"));
}

#[test]
fn the_feed_shows_the_session() {
    let state = agents("f");
    assert!(state.view != View::Agents && state.in_feed());
    assert_eq!(state.feed.filter.text(), "session:3f2a91c4-77d0-4c1b-9a55-0c2f4be6d1aa");
}

#[test]
fn the_engine_is_asked_once_for_all_that_arrived_meanwhile() {
    let receipts = |n| Event::Receipts(Receipts { lines: vec![fixture::receipt(n, "s")], age: Age::Now, gap: None });
    let mut state = fixture::state(120, 36);
    assert!(!asked(&event(&mut state, receipts(1))), "not while the panes are shown");
    assert!(asked(&press(&mut state, "F7")));
    assert!(screen(&state).contains("reading the journal"));
    for n in 2..5 {
        assert!(!asked(&event(&mut state, receipts(n))), "one answer is awaited already");
    }
    let again = answer(&mut state, Response::Agents(Arc::new(fixture::agents())));
    assert!(asked(&again), "more arrived since it was asked");
    assert!(!asked(&answer(&mut state, Response::Agents(Arc::new(fixture::agents())))));
    assert!(!asked(&press(&mut state, "j")));
    assert!(asked(&event(&mut state, receipts(6))));
    press(&mut state, "F7");
    answer(&mut state, Response::Agents(Arc::new(fixture::agents())));
    assert!(state.agents.activity.is_none(), "the answer is dropped when the view is left");
}

#[test]
fn cursors_stay_on_their_session_and_line() {
    let next = |change: &dyn Fn(&mut AgentActivity)| {
        let mut activity = fixture::agents();
        change(&mut activity);
        Response::Agents(Arc::new(activity))
    };
    let turned = next(&|activity| activity.sessions.rotate_right(1));
    let longer = next(&|activity| {
        let session = Arc::make_mut(&mut activity.sessions[0]);
        let line = session.lines[0].clone();
        session.lines.push_front(refdesk_desk::SessionLine { number: 99, ..line });
    });
    let gone = next(&|activity| drop(activity.sessions.remove(0)));
    for (keys, response, page, agent, line) in [
        ("j", &turned, AgentsPage::Sessions, "codex", None),
        ("", &turned, AgentsPage::Sessions, "claude-code", None),
        ("Enter j", &longer, AgentsPage::Lines, "claude-code", Some(58)),
        ("Enter", &longer, AgentsPage::Lines, "claude-code", Some(99)),
        ("Enter", &gone, AgentsPage::Sessions, "codex", None),
    ] {
        let mut state = agents(keys);
        answer(&mut state, response.clone());
        let shown = state.agents.session().map(|session| session.agent.as_str());
        let number = state.agents.line().map(|line| line.number);
        assert_eq!((state.agents.page, shown, number), (page, Some(agent), line), "{keys}");
    }
}

#[test]
fn sessions_are_sorted() {
    let names = |state: &State| -> Vec<String> {
        state.agents.sessions().iter().map(|session| session.agent.clone()).collect()
    };
    for (keys, first, said) in [
        ("$", "claude-code", "Sorted by tokens"),
        ("s", "claude-code", "Sorted by tokens"),
        ("s s", "claude-code", "Sorted by agent"),
        ("s s s", "claude-code", "The newest sessions first"),
    ] {
        let state = agents(keys);
        assert_eq!((names(&state)[0].as_str(), message(&state)), (first, said), "{keys}");
    }
    let mut activity = fixture::agents();
    Arc::make_mut(&mut activity.sessions[2]).sent_tokens = 90_000;
    let mut state = agents("j");
    answer(&mut state, Response::Agents(Arc::new(activity.clone())));
    press(&mut state, "$");
    assert_eq!(names(&state), ["gemini-cli", "claude-code", "codex"]);
    assert_eq!(state.agents.session().map(|session| session.agent.as_str()), Some("codex"), "the cursor stays");
    assert!(screen(&state).contains("tokens▾") || screen(&state).contains(state.skin.glyphs.sorted));
    answer(&mut state, Response::Agents(Arc::new(activity)));
    assert_eq!(names(&state), ["gemini-cli", "claude-code", "codex"], "also in the next answer");
    press(&mut state, "Enter s");
    assert!(message(&state).starts_with("only sessions are sorted"), "{}", message(&state));
}

#[test]
fn what_a_session_knows_has_headings_and_one_way_to_the_source() {
    let mut state = agents("Enter Tab");
    let shown = screen(&state);
    assert!(shown.contains("what the session got") && shown.contains("whole text"), "{shown}");
    let bottom = |state: &State| screen(state).lines().last().unwrap_or_default().to_owned();
    assert!(bottom(&state).contains("Enter go to source") && !bottom(&state).contains("c source"), "{shown}");
    press(&mut state, "Tab");
    assert!(bottom(&state).contains("Enter show receipt"), "{}", screen(&state));
}

#[test]
fn the_mouse_opens_sessions_and_tabs() {
    let mut state = agents("");
    let find = |state: &State, text: &str| {
        let shown = screen(state);
        let (y, line) = shown.lines().enumerate().find(|(_, line)| line.contains(text)).unwrap();
        let x = line.split(text).next().unwrap().chars().count();
        Position { x: u16::try_from(x).unwrap(), y: u16::try_from(y).unwrap() }
    };
    let at = find(&state, "codex");
    update(&mut state, Input::Click(at));
    assert_eq!(state.agents.session().map(|session| session.agent.as_str()), Some("codex"));
    update(&mut state, Input::Click(at));
    assert_eq!(state.agents.page, AgentsPage::Lines);
    let at = find(&state, "Known sources");
    update(&mut state, Input::Click(at));
    assert_eq!(state.agents.page, AgentsPage::Known);
}

#[test]
fn an_action_of_the_panes_does_not_reach_a_pane_behind() {
    for keys in ["", "Enter", "Enter j", "Enter Tab j"] {
        for action in ["exclude", "pick", "copy id"] {
            let mut state = agents(keys);
            let effects = press(&mut state, &format!(": \"{action}\" Enter"));
            assert_eq!(commands(&effects), [], "{keys} {action}");
        }
    }
}

#[test]
fn nothing_of_a_session_is_cut_beside_free_room() {
    let mut activity = fixture::agents();
    let mut session = (*activity.sessions[1]).clone();
    session.session = "3f2a91bc-77aa-4d1e-8888-000000000001".to_owned();
    session.lines.truncate(1);
    session.lines[0].text = format!("To a prompt: hinted at {}and at the last one", "@a-source-of-many, ".repeat(10));
    activity.sessions = vec![Arc::new(session)];
    let mut state = fixture::in_agents(120, 36, "F7");
    answer(&mut state, Response::Agents(Arc::new(activity)));
    let shown = screen(&state);
    let is_whole = |line: &str| line.contains("3f2a91bc-77aa-4d1e-8888-000000000001 ");
    assert!(shown.lines().any(|line| is_whole(line) && line.contains("codex")), "{shown}");
    assert!(shown.contains("and at the last one"), "{shown}");
}

#[test]
fn sessions_of_one_agent_can_be_told_apart_at_every_width() {
    let names =
        ["claude-code-66250638", "claude-code-66250771", "nightly-build-of-payments-1", "nightly-build-of-payments-2"];
    let mut activity = fixture::agents();
    let session = (*activity.sessions[0]).clone();
    let named = |name: &str| Arc::new(refdesk_desk::AgentSession { session: name.to_owned(), ..session.clone() });
    activity.sessions = names.map(named).to_vec();
    for width in [60, 80, 120] {
        let mut state = fixture::in_agents(width, 24, "F7");
        answer(&mut state, Response::Agents(Arc::new(activity.clone())));
        let shown = screen(&state);
        let rows: Vec<&str> =
            shown.lines().skip(3).take(names.len()).map(|row| row.trim_start_matches(['┃', '▌', ' '])).collect();
        let is_other = |(nth, row): (usize, &&str)| rows.iter().skip(nth + 1).all(|other| other != row);
        assert!(rows.iter().enumerate().all(is_other), "{width}\n{shown}");
        assert!(rows[0].contains("66250638") && !rows[0].contains("claude-code-"), "{width}\n{shown}");
        assert!(shown.contains("session claude-code-66250638"), "the details have it whole\n{shown}");
    }
}

#[test]
fn a_thousand_sessions_and_no_session_are_drawn() {
    let mut activity = fixture::agents();
    let codex = activity.sessions[1].clone();
    activity.sessions = (0..1000)
        .map(|n| Arc::new(refdesk_desk::AgentSession { session: format!("s{n}"), ..(*codex).clone() }))
        .collect();
    let mut state = fixture::in_agents(120, 36, "F7");
    answer(&mut state, Response::Agents(Arc::new(activity.clone())));
    press(&mut state, "G");
    let shown = screen(&state);
    assert!(shown.contains("1,000 sessions") && shown.contains("s999") && shown.contains("1,000/1,000"), "{shown}");
    activity.sessions.clear();
    answer(&mut state, Response::Agents(Arc::new(activity.clone())));
    assert!(screen(&state).contains("No agent has been sent anything yet."));
    update(&mut state, Input::Resize(ratatui::layout::Size::new(60, 15)));
    assert!(screen(&state).contains("  here.  "), "{}", screen(&state));
    update(&mut state, Input::Resize(ratatui::layout::Size::new(120, 36)));
    let problem = "3 lines of .jaato/refdesk/journal.jsonl are not shown";
    activity.problem = Some(problem.to_owned());
    answer(&mut state, Response::Agents(Arc::new(activity)));
    assert!(screen(&state).contains(problem) && !screen(&state).contains("No agent has been"), "{}", screen(&state));
    press(&mut state, "Tab");
    assert_eq!(message(&state), problem);
    press(&mut state, "Enter Tab j c Esc");
    assert_eq!((state.view, state.part), (View::Panes, PanePart::List));
}

#[test]
fn every_page_fits_the_smallest_screen_and_ascii() {
    for (width, height) in [(40, 10), (80, 24)] {
        for keys in ["F7", "F7 Enter", "F7 Enter Tab"] {
            let mut state = fixture::in_agents(width, height, "F7");
            state.skin.glyphs = Glyphs::ASCII;
            press(&mut state, keys.strip_prefix("F7").unwrap_or_default());
            let shown = screen(&state);
            assert!(shown.replace(['日', '本'], "?").is_ascii(), "{shown}");
        }
    }
}

#[test]
fn a_long_line_of_the_journal_is_shown_to_its_end() {
    for (keys, lines) in [("Enter", 6), ("Enter G", 6), ("Enter", 90)] {
        let mut activity = fixture::agents();
        let session = Arc::make_mut(&mut activity.sessions[0]);
        let first = session.lines[0].clone();
        session.lines.resize(lines, first);
        session.lines.iter_mut().for_each(|line| line.text = "To a prompt: hinted at @java-service ".repeat(9));
        let mut state = fixture::state(120, 36);
        press(&mut state, "F7");
        update(&mut state, Input::Answer { question: None, response: Response::Agents(Arc::new(activity)) });
        press(&mut state, keys);
        let shown = screen(&state).replace(['┃', '\n'], " ");
        let words: Vec<&str> = shown.split_whitespace().collect();
        assert!(words.join(" ").contains("of the journal."), "{keys} {lines}: {}", screen(&state));
    }
}

#[test]
fn the_engine_is_asked_again_when_an_agent_comes_or_goes() {
    let mut state = agents("");
    let asks = |effects: Vec<Effect>| effects.contains(&Effect::Ask(Request::Agents));
    assert!(asks(update(&mut state, Input::Event(Event::Agents))));
    answer(&mut state, Response::Agents(Arc::new(fixture::agents())));
    let snapshot = |reads| Input::Snapshot(Box::new(Snapshot { reads, ..fixture::snapshot() }));
    assert!(!asks(update(&mut state, snapshot(0))));
    assert!(asks(update(&mut state, snapshot(1))), "the workspace was read again");
    press(&mut state, "F7");
    assert!(!asks(update(&mut state, Input::Event(Event::Agents))), "the view is closed");
}

#[test]
fn an_agent_that_is_connected_has_another_mark_than_one_that_was_there_lately() {
    let mut state = agents("");
    let mut activity = fixture::agents();
    Arc::make_mut(&mut activity.sessions[1]).last = activity.now;
    answer(&mut state, Response::Agents(Arc::new(activity)));
    for (nth, mark, words) in
        [(0, '●', ", connected now"), (1, '○', ", active in the last 15 minutes"), (2, ' ', "last at 09:40:00 ")]
    {
        press(&mut state, &format!("g {}", "j ".repeat(nth)));
        let shown = screen(&state);
        assert!(shown.contains("1 agent connected now") && shown.contains(words), "{shown}");
        let row = shown.lines().nth(3 + nth).unwrap_or_default();
        assert_eq!(row.chars().nth(2), Some(mark), "{row}");
    }
    press(&mut state, "?");
    let shown = screen(&state);
    assert!(shown.contains("Marks of sessions") && shown.contains("active in the last 15 minutes"), "{shown}");
}

#[test]
fn on_the_smallest_terminal_a_session_keeps_its_cost() {
    let state = fixture::in_agents(40, 10, "F7");
    let shown = screen(&state);
    let row = shown.lines().find(|line| line.contains("claude-code")).unwrap_or_default();
    assert!(row.contains("~16,420") && !row.contains("11:04:00") && !row.contains('█'), "{shown}");
}

#[test]
fn a_line_without_tokens_has_their_room() {
    for (width, shown) in [(40, "A hook failed: n…"), (58, "A hook failed: no standard input")] {
        let mut state = fixture::in_agents(width, 10, "F7");
        press(&mut state, "G Enter");
        assert!(screen(&state).contains(shown), "{}", screen(&state));
    }
}

#[test]
fn an_untrusted_source_that_a_session_knows_says_so_instead_of_its_tokens() {
    let mut state = agents("Enter Tab");
    let mut sources = fixture::sources();
    sources.retain(|source| source.id.as_str() != "java-service");
    let outside = fixture::local("/elsewhere/a.md", PathState::Untrusted);
    sources.push(fixture::source("java-service", "Java service", Mode::Selectable, &[], outside));
    state.snapshot.catalog = Arc::new(Catalog::new(sources));
    Arc::make_mut(&mut state.snapshot.tokens).remove("java-service");
    let shown = screen(&state);
    let row = shown.lines().find(|line| line.contains("java-service")).unwrap_or_default();
    assert!(row.contains("hinted at 3 times") && row.contains(" untrusted"), "{shown}");
}
