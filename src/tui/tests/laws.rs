//! Laws for every sequence of inputs at every size: no panic, nothing drawn out of bounds, cursors stay in their lists.
//! Also the cost of a key in a large catalog.

use std::sync::Arc;

use proptest::prelude::*;
use ratatui::layout::{Position, Size};

use crate::tui::action::{ACTIONS, Action};
use crate::tui::catalog::reading::has_left_document;
use crate::tui::fixture;
use crate::tui::glyphs::Glyphs;
use crate::tui::highlight::{HighlightSubject, Span};
use crate::tui::input;
use crate::tui::input::Input;
use crate::tui::key::Key;
use crate::tui::pane::Pane;
use crate::tui::state::State;
use crate::tui::theme::{Colours, Theme, ThemeRole};
use crate::tui::update::update;
use crate::tui::widgets::motion::Motion;
use refdesk_core::catalog::{Catalog, Mode, PathState, SourceId};
use refdesk_desk::engine::{Actor, Age, Event, Notice, Receipts, Response, Topic};
use refdesk_enrich::{BlockKind, Expansion, Findings, Hint, Level, Neighbour, SkippedSource, WhyNot};
use refdesk_files::output::{WriteFailure, WrittenFile};
use refdesk_files::scale::scaled;

use crate::tui::action::ActionBinding;
use crate::tui::tests::{press, screen};
use refdesk_text::{Code, Error};

#[derive(Debug, Clone)]
enum Step {
    Key(Key),
    Act(Action),
    Paste(String),
    Resize(u16, u16),
    Findings(usize, usize),
    Preview(String),
    NoPreview,
    Snapshot(u8),
    Notice(String),
    Mouse(u8, u16, u16),
    Document(String),
    Proposal(String, u8),
    Edited(String),
    Colours(u32, u32),
    Answered(u8),
    Given(String, u8),
    Receipts(String, usize),
    Replayed(String),
    Analysed,
    Agents,
    Databases(u8),
    Rest,
}

fn any_step() -> impl Strategy<Value = Step> {
    let bound: Vec<Key> =
        ACTIONS.iter().flat_map(ActionBinding::default_keys).flat_map(|keys| keys.keys().to_vec()).collect();
    let text = "[a-z @\u{301}日👍\u{200d}\u{202e}\x1b\n\t]{0,30}";
    prop_oneof![
        12 => proptest::sample::select(bound).prop_map(Step::Key),
        // As triggered by the palette and the mouse, so not only in their own contexts.
        3 => proptest::sample::select(ACTIONS).prop_map(|entry| Step::Act(entry.action)),
        4 => any::<char>().prop_filter("printable", |c| !c.is_control()).prop_map(|c| Step::Key(Key::char(c))),
        1 => text.prop_map(Step::Paste),
        2 => (1..200u16, 1..60u16).prop_map(|(width, height)| Step::Resize(width, height)),
        1 => (0..40usize, 0..40usize).prop_map(|(start, len)| Step::Findings(start, len)),
        1 => text.prop_map(Step::Preview),
        1 => Just(Step::NoPreview),
        1 => (0..3u8).prop_map(Step::Snapshot),
        3 => text.prop_map(Step::Notice),
        5 => (0..5u8, 0..220u16, 0..70u16).prop_map(|(what, x, y)| Step::Mouse(what, x, y)),
        2 => text.prop_map(Step::Document),
        2 => (text, 0..3u8).prop_map(|(text, which)| Step::Proposal(text, which)),
        1 => "[{}\\[\\]\":a, ]{0,12}".prop_map(Step::Edited),
        1 => (0..40u32, 0..40u32).prop_map(|(start, len)| Step::Colours(start, len)),
        1 => (0..3u8).prop_map(Step::Answered),
        2 => (text, 0..4u8).prop_map(|(text, blocks)| Step::Given(text, blocks)),
        2 => (text, 0..40usize).prop_map(|(text, count)| Step::Receipts(text, count)),
        2 => text.prop_map(Step::Replayed),
        3 => Just(Step::Analysed),
        2 => Just(Step::Agents),
        4 => (0..7u8).prop_map(Step::Databases),
        4 => Just(Step::Rest),
    ]
}

fn take(state: &mut State, step: Step) {
    let preview = |state: &State, outcome| Response::Preview {
        template: state.template().map_or(String::new(), |template| template.name.clone()),
        outcome,
    };
    let answered = |response| Input::Answer { question: None, response };
    let input = match step {
        Step::Act(action) => Input::Act(action),
        Step::Key(key) => match input::of_key(state, key) {
            Some(input) => input,
            None => return,
        },
        Step::Paste(text) => Input::Paste(text),
        Step::Resize(width, height) => Input::Resize(Size { width, height }),
        // Also invalid ranges: a faulty engine must not crash the screen.
        Step::Findings(start, len) => answered(Response::Findings(Findings {
            expansions: vec![Expansion { id: "payments-api".into(), range: start..start + len }],
            hints: vec![Hint {
                id: "gone".into(),
                tags: vec!["日本".to_owned()],
                firsts: vec![0],
                ranges: std::iter::once(0..len).collect(),
                is_in_code: false,
            }],
            passed: vec![SkippedSource {
                id: "java-service".into(),
                tags: vec!["java".to_owned()],
                ranges: std::iter::once(start..start + len).collect(),
                why: WhyNot::Inside { piece: "\x1bx/java".to_owned(), neighbour: Neighbour::Before('\x1b') },
            }],
            more: start,
            considered: (len % 2 == 0).then(|| vec![fixture::considered("release-notes", len % 4 == 0)]),
        })),
        Step::Preview(text) => answered(preview(state, Ok(fixture::shown(&text.repeat(9))))),
        Step::Proposal(text, which) => answered(preview(
            state,
            Ok(match which {
                0 => fixture::proposed(&text, "a\x1b.java", None),
                1 => fixture::proposed(&text, "a.java", Some("old\n")),
                _ => fixture::refused(&text, "no\x1b"),
            }),
        )),
        Step::Edited(text) => Input::Edited(Some(text)),
        // Also spans that fit no text.
        Step::Colours(start, len) => {
            let span = Span { start, end: start + len, role: ThemeRole::Keyword };
            let colours = vec![std::iter::once(span).collect(); 5];
            let (subject, generation) = match len % 2 {
                0 => (HighlightSubject::Preview, state.templates.painting),
                _ => (HighlightSubject::Document, state.catalog.reading.painting.generation),
            };
            Input::Highlighted { subject, generation, from: start as usize, colours }
        }
        Step::Answered(which) => answered(match which {
            0 => Response::Written(Ok(WrittenFile { shown: "a".to_owned(), bytes: 1, lines: 1 })),
            which => {
                let refused = Error::new(Code::Changed, "no", "");
                let anew = fixture::proposed("new\n", "a.java", Some("older\n")).proposal.and_then(Result::ok);
                Response::Written(Err(WriteFailure {
                    refused,
                    current: anew.into_iter().filter(|_| which == 1).collect(),
                }))
            }
        }),
        Step::Given(text, blocks) => {
            let blocks = vec![(BlockKind::Hint, Level::Full, text.as_str()); usize::from(blocks)];
            let mut enriched = fixture::enriched(&text, &blocks);
            // Also blocks that extend beyond the end.
            enriched.blocks.iter_mut().take(1).for_each(|block| block.start += 1);
            answered(Response::Simulation { enriched: Box::new(enriched), problems: Vec::new() })
        }
        Step::Receipts(text, count) => {
            let age = if count % 2 == 0 { Age::Past } else { Age::Now };
            let lines = (0..count).map(|n| fixture::receipt(n as u64, &text)).collect();
            Input::Event(Event::Receipts(Receipts { lines, age, gap: None }))
        }
        Step::Replayed(text) => {
            let (_, mut line) = fixture::receipt(1, &text);
            line.receipt.text = Some(text);
            answered(Response::JournalLine(Ok(fixture::dated(line))))
        }
        Step::Analysed => answered(fixture::analysis(state)),
        Step::Agents => answered(Response::Agents(Arc::new(fixture::agents()))),
        Step::Databases(which) => match which {
            0 | 1 => answered(Response::Databases(Arc::new(fixture::overview()))),
            2 => answered(Response::Databases(Arc::default())),
            3 => {
                let path = state.databases.page_path().unwrap_or_default();
                answered(Response::DatabasePage(Box::new(fixture::page(path))))
            }
            4 => answered(Response::DatabasesPrepared(Ok(Box::new(fixture::prepared_run())))),
            5 => Input::Event(Event::DatabaseRun(fixture::progress(640, 200))),
            _ => answered(Response::DatabasesWritten(Ok(Box::default()))),
        },
        Step::NoPreview => answered(preview(state, Err(fixture::unrendered("no\x1b", Some(7))))),
        Step::Snapshot(which) => {
            let mut snapshot = fixture::snapshot();
            match which {
                0 => {}
                1 => snapshot.catalog = Arc::new(Catalog::default()),
                _ => snapshot.selection = Arc::new(fixture::selection(Vec::new(), &[], &[])),
            }
            if which == 2 {
                snapshot.templates = Arc::default();
                snapshot.graph = Arc::new(fixture::graph_with_cycle());
            }
            Input::Snapshot(Box::new(snapshot))
        }
        // Also beyond the screen: a mouse event may arrive before the resize.
        Step::Mouse(what, x, y) => {
            let at = Position { x, y };
            match what {
                0 => Input::Click(at),
                1 => Input::Drag(at),
                2 => Input::Release,
                3 => Input::Wheel(Motion::Up, at),
                _ => Input::Wheel(Motion::Down, at),
            }
        }
        Step::Notice(text) => {
            let subject = ["timeouts", "gone"].get(text.len() % 3).map(|id| SourceId::from(*id));
            let who = if text.contains('a') { Actor::You } else { Actor::Other(text.as_str().into()) };
            let notice = Notice { reason: text.clone(), subject, ..Notice::new(who, Topic::Problem, text) };
            Input::Event(Event::Notice(notice))
        }
        Step::Rest => Input::Rest,
        Step::Document(text) => answered(Response::Document(fixture::document("any", &text.repeat(9)))),
    };
    update(state, input);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: scaled(16, 256) as u32, ..ProptestConfig::default() })]
    #[test]
    fn no_sequence_of_inputs_panics_or_leaves_a_list(
        width in 1..200u16,
        height in 1..60u16,
        ascii in any::<bool>(),
        steps in proptest::collection::vec(any_step(), 0..=200),
    ) {
        let mut state = fixture::state(width, height);
        if ascii {
            state.skin.glyphs = Glyphs::ASCII;
            state.skin.theme = Theme::new(Colours::Mono);
        }
        for (nth, step) in steps.into_iter().enumerate() {
            take(&mut state, step);
            if nth % 3 == 0 {
                screen(&state);
            }
            for pane in Pane::ALL {
                let len = state.len(pane);
                prop_assert!(state.cursor_mut(pane).at < len.max(1));
            }
            prop_assert!(state.graph.cursor.at < state.graph.rows.len().max(1));
            prop_assert!(state.agents.cursor.at < state.agents.sessions().len().max(1));
            prop_assert!(state.databases.cursor.at < state.databases.rows.len().max(1));
            prop_assert!(state.databases.join.at < state.databases.tree.rows.len().max(1));
            prop_assert!(state.feed.cursor.at < state.feed.rows.len().max(1));
            let rows: std::collections::HashSet<_> = state.catalog.rows.iter().collect();
            prop_assert!(rows.len() == state.catalog.rows.len() && rows.iter().all(|at| **at < state.snapshot.catalog.len()));
            prop_assert!(state.templates.variable.at < state.templates.form.len().max(1));
            prop_assert!(state.templates.rows.iter().all(|at| *at < state.snapshot.templates.templates.len()));
            let search = &state.catalog.search;
            prop_assert!(search.at < search.hits.len().max(1));
        }
        update(&mut state, Input::Rest);
        prop_assert!(!has_left_document(&state));
        let shown = screen(&state);
        prop_assert!(!shown.chars().any(|c| c.is_control() && c != '\n'));
    }
}

#[test]
fn only_visible_rows_are_formatted() {
    let sources = |count: usize| {
        let of = |n| {
            let tags = ["java", "retry", "resilience"];
            fixture::source(&format!("source-{n:05}"), "A source", Mode::Selectable, &tags, {
                fixture::local("docs/a.md", PathState::File)
            })
        };
        (0..count).map(of).collect()
    };
    // Counts formatted rows instead of time, which varies on a busy machine: a list of ten thousand formats as many as
    // a screenful.
    let mut state = fixture::state(120, 36);
    let mut snapshot = fixture::snapshot();
    snapshot.catalog = Arc::new(Catalog::new(sources(10_000)));
    update(&mut state, Input::Snapshot(Box::new(snapshot)));
    press(&mut state, "G k");
    let page = state.parts(Pane::Catalog).map_or(0, |parts| usize::from(parts.list.height));
    assert_eq!(state.catalog.cursor.window(state.catalog.rows.len(), page).len(), page);
    assert!(screen(&state).contains("source-09998"));
    press(&mut state, "/ \"09998\"");
    assert_eq!(state.catalog.rows, [9_998]);
}
