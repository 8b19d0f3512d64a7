//! The graph by its keys: walking, picking, lists, paths, and the requested analysis.

use std::sync::Arc;

use ratatui::layout::Position;

use crate::tui::fixture;
use crate::tui::glyphs::Glyphs;
use crate::tui::graph::export::LaunchOptions;
use crate::tui::graph::{GraphRow, GraphTab};
use crate::tui::input::{Effect, Input};
use crate::tui::pane::Pane;
use crate::tui::state::State;
use crate::tui::update::update;
use refdesk_core::catalog::{Catalog, SourceId};
use refdesk_core::mention::MentionKind;
use refdesk_desk::engine::{LocateTarget, Request, Response, Snapshot};

use crate::tui::tests::{answer, commands, message, press, screen};
use crate::tui::views::View;

/// The graph at the circuit breaker, after these keys.
fn graph(keys: &str) -> State {
    let mut state = fixture::in_graph(120, 36, "j R");
    press(&mut state, keys);
    state
}

#[test]
fn an_empty_level_leaves_its_room_to_its_neighbours() {
    let mut state = fixture::in_graph(80, 24, "j R");
    let heading = |state: &State| screen(state).lines().find(|line| line.contains("mentioned by")).unwrap().to_owned();
    let mut snapshot = state.snapshot.clone();
    snapshot.graph = Arc::new(fixture::graph());
    update(&mut state, Input::Snapshot(Box::new(snapshot)));
    let analysis = fixture::analysis(&state);
    answer(&mut state, analysis);
    for width in [80, 120, 200] {
        update(&mut state, Input::Resize(ratatui::layout::Size::new(width, 36)));
        let (line, shown) = (heading(&state), screen(&state));
        let columns = line.find("mentions").unwrap_or_default() - line.find("mentioned by 0").unwrap();
        assert!(columns < 32, "{shown}");
        assert!(shown.contains("No source mentions it.") || width == 80, "a sentence is not a word a line: {shown}");
    }
}

#[test]
fn ids_and_place_of_a_mention_are_whole_where_room_is_short() {
    let mut state = fixture::in_graph(60, 36, "j R");
    press(&mut state, "Right");
    let shown = screen(&state);
    assert!(shown.contains("@circuit-breaker mentions @retry-pattern by id  "), "{shown}");
    assert!(shown.contains(" adr/adr-004.md:12 "), "{shown}");
}

#[test]
fn the_price_of_a_pick_is_seen_where_names_have_no_room() {
    let others: Vec<String> =
        (0..19).map(|nth| format!("module-{nth:02}-with-an-id-of-many-words-for-one-part-of-a-large-system")).collect();
    let ids: Vec<&str> = std::iter::once("circuit-breaker").chain(others.iter().map(String::as_str)).collect();
    for (width, height, has_names) in [(80, 24, false), (200, 60, true)] {
        let mut state = fixture::in_graph(width, height, "j R");
        let preview = fixture::preview_selection("circuit-breaker", &[], &ids);
        answer(&mut state, Response::SelectionPreview(preview));
        let shown = screen(&state);
        assert!(shown.contains("release 19 others") && shown.contains("~20,000 tokens fewer"), "{shown}");
        assert_eq!(shown.contains("(@module-00"), has_names, "{shown}");
    }
}

#[test]
fn the_line_of_folded_panes_has_all_of_them_below_the_graph() {
    let mut state = fixture::in_graph(80, 24, "j R");
    let dock = |state: &State| screen(state).lines().rev().nth(1).unwrap().to_owned();
    for name in ["1 Catalog 10", "2 Selection", "3 Hints", "4 Templates"] {
        assert!(dock(&state).contains(name), "{}", dock(&state));
    }
    press(&mut state, "Esc Esc 1 / \"java\" Enter 2");
    assert!(dock(&state).contains("1 Catalog 3 of 10"), "{}", dock(&state));
}

#[test]
fn the_copied_command_works_in_any_folder() {
    let demo = LaunchOptions { is_demo: true, config: None };
    let config = LaunchOptions { is_demo: false, config: Some("/home/ada/my refs.json".to_owned()) };
    for (launched, workspace, desk, expected) in [
        (LaunchOptions::default(), "/home/ada/shop", "default", "refdesk --workspace /home/ada/shop"),
        (
            LaunchOptions::default(),
            "/home/ada/my shop",
            "review",
            "refdesk --workspace '/home/ada/my shop' --desk review",
        ),
        (config, "/w", "default", "refdesk --workspace /w --config '/home/ada/my refs.json'"),
        (demo, "/tmp/refdesk-demo-x", "default", "refdesk --demo"),
    ] {
        let mut state = fixture::state(120, 36);
        let snapshot = Snapshot { workspace: workspace.into(), desk: desk.into(), ..fixture::snapshot() };
        update(&mut state, Input::Snapshot(Box::new(snapshot)));
        state.launched = launched;
        press(&mut state, "R");
        let effects = press(&mut state, "E");
        assert_eq!(effects.last(), Some(&Effect::Copy(format!("{expected} graph --svg > graph.svg"))));
        assert!(screen(&state).contains("formats)"), "a long note is wrapped: {}", screen(&state));
    }
}

#[test]
fn walking() {
    for (keys, subject) in [
        ("", "circuit-breaker"),
        ("Down", "retry-pattern"),
        ("Down j", "timeouts"),
        ("Down j j", "timeouts"),
        ("Down Up", "circuit-breaker"),
        ("Right", "retry-pattern"),
        ("Right Right", "error-handling"),
        ("l l l", "legacy-errors"),
        ("l l l l", "legacy-errors"),
        ("Left", "timeouts"),
        ("Left Left", "retry-pattern"),
        ("Left Right", "circuit-breaker"),
        ("Right Right Enter", "error-handling"),
        ("Right Right Enter Left", "retry-pattern"),
        ("Right Enter Right Enter Backspace", "retry-pattern"),
        ("Right Enter Right Enter Backspace Backspace", "circuit-breaker"),
        ("Tab", "java-service"),
        ("Tab j", "release-notes"),
        ("Tab G", "legacy-errors"),
        ("Tab j j Enter Backspace", "circuit-breaker"),
        ("Tab Tab Tab", "circuit-breaker"),
        ("Tab Tab Tab G", "timeouts"),
        ("BackTab BackTab", "retry-pattern"),
    ] {
        assert_eq!(graph(keys).in_graph(), Some(subject), "{keys}");
    }
}

#[test]
fn a_source_mentioned_by_three_others_is_a_hub_and_headings_are_not_counted() {
    let mut state = graph("Tab Tab");
    assert!(screen(&state).contains("No source is mentioned by three others."), "{}", screen(&state));
    let mut mentions = (*state.snapshot.graph).clone();
    let third = fixture::mention("release-notes", "timeouts", MentionKind::Id, "docs/notes.md", 3);
    mentions.insert("release-notes".into(), vec![third].into());
    let snapshot = Snapshot { graph: mentions.into(), generation: 9, ..state.snapshot.clone() };
    update(&mut state, Input::Snapshot(Box::new(snapshot)));
    let analysis = fixture::analysis(&state);
    answer(&mut state, analysis);
    let timeouts = state.snapshot.catalog.position("timeouts").unwrap();
    assert_eq!(state.graph.rows, [GraphRow::Hub(timeouts, 3)]);
    press(&mut state, "Tab j");
    assert!(screen(&state).contains("2/3"), "{}", screen(&state));
}

#[test]
fn rows_of_the_lists() {
    let rows = |keys: &str| -> Vec<String> {
        let state = graph(keys);
        let id = |at: &usize| state.snapshot.catalog.sources().get(*at).map_or("", |it| it.id.as_str()).to_owned();
        let shown = |row: &GraphRow| match row {
            GraphRow::Heading(text) => text.clone(),
            GraphRow::Source(at) => id(at),
            GraphRow::Hub(at, mentions) => format!("{} {mentions}", id(at)),
            GraphRow::Step(at, before) => format!("{} from {:?}", id(at), before.as_ref().map(id)),
            GraphRow::Problem(nth) => state.snapshot.diagnostics[*nth].message.clone(),
        };
        state.graph.rows.iter().map(shown).collect()
    };
    assert_eq!(
        rows("Tab"),
        [
            "java-service",
            "release-notes",
            "circuit-breaker",
            "retry-pattern",
            "timeouts",
            "team-conventions",
            "error-handling",
            "payments-api",
            "ticket-search",
            "legacy-errors",
        ],
        "by what a pick costs"
    );
    assert_eq!(rows("Tab Tab"), [""; 0], "two mentions do not make a hub");
    let cycle = "3 sources mention each other, directly or through others: ~4,300 tokens";
    assert_eq!(rows("Tab Tab Tab"), [cycle, "circuit-breaker", "retry-pattern", "timeouts"]);
    let orphans = ["team-conventions", "java-service", "payments-api", "ticket-search", "release-notes"];
    assert_eq!(rows("BackTab BackTab BackTab"), orphans);
    assert_eq!(rows("BackTab BackTab BackTab / \"java\""), ["java-service"]);
    assert_eq!(rows("BackTab BackTab"), ["the link 'docs/pauses.md' leads to no file"]);
    assert_eq!(rows("BackTab"), [""; 0]);
    assert_eq!(
        rows("m Right Right w"),
        [
            "From @circuit-breaker to @error-handling: 2 steps",
            "circuit-breaker from None",
            "retry-pattern from Some(\"circuit-breaker\")",
            "error-handling from Some(\"retry-pattern\")",
            "From @error-handling to @circuit-breaker: not connected",
        ]
    );
}

#[test]
fn picking_excluding_and_opening() {
    for (keys, command) in [
        ("Space", Request::unpick("circuit-breaker")),
        ("Right p", Request::pick("retry-pattern")),
        ("Right x", Request::exclude("retry-pattern")),
        ("Tab Space", Request::pick_if_few("java-service")),
        ("Right o", Request::Locate(LocateTarget::Document("retry-pattern".into()))),
        ("Right e", Request::Locate(LocateTarget::Definition("retry-pattern".into()))),
        ("u", Request::Undo),
    ] {
        let mut state = fixture::in_graph(120, 36, "j R");
        state.snapshot.undo = Some("pick of @a".into());
        let sent = commands(&press(&mut state, keys));
        assert_eq!(sent, [command], "{keys}");
    }
    // This works from any pane.
    let mut state = fixture::in_graph(120, 36, "4 R");
    assert_eq!(state.graph.tab, GraphTab::Map, "no source was under the cursor");
    assert_eq!(commands(&press(&mut state, "Space")), [Request::pick_if_few("java-service")]);
}

#[test]
fn files_of_mentions_and_links() {
    for (keys, file, line) in [
        ("Right O", "adr/adr-004.md", 12),
        ("Right j O", "adr/adr-004.md", 33),
        ("Left O", "adr/adr-006.md", 9),
        ("Right Right O", "adr/adr-005.md", 7),
        ("BackTab BackTab O", "adr/adr-005.md", 44),
        ("m Right Right w j O", "adr/adr-004.md", 12),
    ] {
        let mut state = fixture::in_graph(120, 36, "j R");
        let effects = press(&mut state, keys);
        let opened = effects.iter().find_map(|effect| match effect {
            Effect::Edit(spot) => Some((spot.path.clone(), spot.line)),
            _ => None,
        });
        let path = std::path::Path::new(fixture::WORKSPACE).join(file);
        assert_eq!(opened, Some((path, line)), "{keys}");
    }
}

#[test]
fn disabled_actions_say_why() {
    for (keys, why) in [
        ("Enter", "@circuit-breaker is at the centre: c goes to it in the catalog"),
        ("Backspace", "there is no previous source to go back to"),
        ("w", "mark a start first: m"),
        ("m w", "the path begins at @circuit-breaker: go to another source"),
        ("/", "the map, the hubs and the orphans can be filtered"),
        ("O", "this row is not a single mention"),
        ("Right Right Right O", "the mention is in the inline text of @error-handling, not in a file"),
        ("Tab Left", "only the neighbours have levels"),
        ("z", "the graph fills the screen: Esc leaves it"),
        ("BackTab Space", "there is no source under the cursor"),
    ] {
        let state = graph(keys);
        assert_eq!(message(&state), why, "{keys}");
    }
}

#[test]
fn leaving() {
    for (keys, focus) in [
        ("Esc", Pane::Catalog),
        ("q", Pane::Catalog),
        ("R", Pane::Catalog),
        ("2", Pane::Selection),
        ("f", Pane::Hints),
        ("F3", Pane::Catalog),
        ("0", Pane::Catalog),
        ("Tab / \"java\" Enter Esc Esc", Pane::Catalog),
        ("? Esc Esc", Pane::Catalog),
        (": \"leave\" Enter", Pane::Catalog),
    ] {
        let state = graph(keys);
        assert_eq!((state.view, state.focus), (View::Panes, focus), "{keys}");
        assert!(state.graph.analysis.is_none(), "its memory is released");
    }
    let state = graph("Right Right c");
    assert_eq!((state.view, state.subject(Pane::Catalog)), (View::Panes, Some("error-handling")));
}

#[test]
fn the_analysis_is_asked_for_when_something_it_depends_on_has_changed() {
    let asked = |effects: &[Effect]| effects.iter().any(|effect| *effect == Effect::Ask(Request::AnalyseGraph));
    let mut state = fixture::state(120, 36);
    assert!(!asked(&press(&mut state, "j")), "not while the panes are shown");
    assert!(asked(&press(&mut state, "R")));
    assert!(screen(&state).contains("following the mentions of all documents"));
    assert!(!asked(&press(&mut state, "Down Right Tab")));
    let response = fixture::analysis(&state);
    answer(&mut state, response);
    let mut next = state.snapshot.clone();
    next.generation += 1;
    let same = next.clone();
    assert!(!asked(&update(&mut state, Input::Snapshot(Box::new(same)))));
    next.generation += 1;
    next.graph = Arc::new(fixture::graph_with_cycle());
    assert!(asked(&update(&mut state, Input::Snapshot(Box::new(next.clone())))));
    next.generation += 1;
    let same = update(&mut state, Input::Snapshot(Box::new(next.clone())));
    assert!(!asked(&same), "the engine answers when it has read all documents");
    next.generation += 1;
    assert!(state.graph.analysis.is_some(), "the last answer stays until the next");
    next.catalog = Arc::new(Catalog::new(fixture::sources().into_iter().skip(1).collect()));
    assert!(asked(&update(&mut state, Input::Snapshot(Box::new(next)))));
    assert!(state.graph.analysis.is_none(), "positions in another catalog mean other sources");
    let stale = fixture::analysis(&fixture::state(120, 36));
    answer(&mut state, stale);
    assert!(state.graph.analysis.is_none());
}

#[test]
fn the_cursor_stays_on_its_source() {
    let mut state = graph("Tab j j");
    let before = state.in_graph().map(str::to_owned);
    let mut next = state.snapshot.clone();
    next.graph = Arc::new(fixture::graph());
    update(&mut state, Input::Snapshot(Box::new(next)));
    let response = fixture::analysis(&state);
    answer(&mut state, response);
    assert_eq!(state.in_graph().map(str::to_owned), before);
}

#[test]
fn the_mouse_chooses_tabs_and_rows() {
    let mut state = graph("");
    let find = |state: &State, text: &str| {
        let shown = screen(state);
        let (y, line) = shown.lines().enumerate().find(|(_, line)| line.contains(text)).unwrap();
        let x = line.split(text).next().unwrap().chars().count();
        Position { x: u16::try_from(x).unwrap(), y: u16::try_from(y).unwrap() }
    };
    let at = find(&state, "retry-pattern");
    update(&mut state, Input::Click(at));
    assert_eq!(state.in_graph(), Some("retry-pattern"));
    update(&mut state, Input::Click(at));
    assert_eq!(state.graph.centre.as_ref().map(SourceId::as_str), Some("retry-pattern"), "a second click");
    let at = find(&state, "Map");
    update(&mut state, Input::Click(at));
    assert_eq!(state.graph.tab, GraphTab::Map);
    let at = find(&state, "legacy-errors");
    update(&mut state, Input::Click(at));
    assert_eq!(state.in_graph(), Some("legacy-errors"));
}

#[test]
fn every_tab_fits_the_smallest_screen_and_ascii() {
    for (width, height) in [(40, 10), (80, 24)] {
        for tab in 0..7 {
            let mut state = fixture::in_graph(width, height, "j R");
            state.skin.glyphs = Glyphs::ASCII;
            press(&mut state, &"Tab ".repeat(tab));
            press(&mut state, "j");
            let shown = screen(&state);
            assert!(shown.is_ascii(), "{shown}");
            if let Some(id) = state.in_graph() {
                // An id is cut in the middle.
                let beginning: String = id.chars().take(3).collect();
                assert!(shown.contains(&beginning), "no {id} in\n{shown}");
            }
        }
    }
}

/// An id is more important than a mention's position or a cost.
#[test]
fn other_columns_shrink_before_ids() {
    let long = "adr-012-event-driven-architecture";
    let source = |id: &str| {
        let kind = refdesk_core::catalog::SourceKind::Inline { content: "text".into() };
        fixture::source(id, id, refdesk_core::catalog::Mode::Selectable, &[], kind)
    };
    for width in 84..200 {
        let mut state = fixture::state(width, 24);
        let mut snapshot = fixture::snapshot();
        snapshot.catalog = Arc::new(Catalog::new(vec![source("one"), source(long)]));
        let mention = refdesk_core::mention::Mention {
            from: "one".into(),
            to: long.into(),
            via: refdesk_core::mention::MentionKind::Path,
            file: std::path::Path::new(fixture::WORKSPACE).join("docs/architecture/decisions/one.md").into(),
            line: 120,
        };
        let mut graph = refdesk_core::mention::MentionGraph::default();
        graph.insert("one".into(), vec![mention].into());
        snapshot.graph = Arc::new(graph);
        update(&mut state, Input::Snapshot(Box::new(snapshot)));
        press(&mut state, "R");
        let response = fixture::analysis(&state);
        update(&mut state, Input::Answer { question: None, response });
        for keys in ["", "Right"] {
            press(&mut state, keys);
            let shown = screen(&state);
            let row = shown.lines().find(|line| line.contains('│') && line.contains("adr-")).unwrap_or_default();
            assert!(row.contains(long), "{width} {keys}: {shown}");
        }
    }
}

#[test]
fn long_ids_have_the_room_that_names_leave() {
    let long = "mod-code-017-persistence-systemapi-java-spring";
    let mut sources = fixture::sources();
    let place = fixture::local("docs/long.md", refdesk_core::catalog::PathState::File);
    sources.push(fixture::source(long, "Persistence", refdesk_core::catalog::Mode::Selectable, &[], place));
    let catalog = std::sync::Arc::new(refdesk_core::catalog::Catalog::new(sources));
    let mut state = fixture::state(80, 24);
    update(&mut state, Input::Snapshot(Box::new(Snapshot { catalog, ..fixture::snapshot() })));
    for (width, keys) in [(80, "R BackTab BackTab BackTab"), (120, ""), (120, "BackTab BackTab BackTab")] {
        update(&mut state, Input::Resize(ratatui::layout::Size::new(width, 36)));
        press(&mut state, keys);
        let analysis = fixture::analysis(&state);
        answer(&mut state, analysis);
        let shown = screen(&state);
        let row = shown.lines().find(|line| line.contains("mod-code")).unwrap_or_default();
        assert!(row.contains(long) && row.contains(" Persistence"), "{width} {keys}: {shown}");
    }
}

#[test]
fn a_broken_link_offers_its_place_in_the_editor() {
    let mut state = fixture::state(80, 24);
    let mut snapshot = fixture::snapshot();
    let link = refdesk_text::report::Diagnostic::warning(refdesk_text::Code::BrokenLink, "a link leads to no file");
    snapshot.diagnostics = std::sync::Arc::from([link.about("retry-pattern").in_file("adr/adr-005.md").at_line(44)]);
    update(&mut state, Input::Snapshot(Box::new(snapshot)));
    press(&mut state, "R BackTab BackTab");
    let analysis = fixture::analysis(&state);
    answer(&mut state, analysis);
    let shown = screen(&state);
    assert!(shown.lines().last().unwrap_or_default().contains("O open link"), "{shown}");
    assert!(shown.contains("@retry-pattern adr-005.md:44 a link leads to no file"), "{shown}");
    let effects = press(&mut state, "O");
    assert!(effects.iter().any(|effect| matches!(effect, Effect::Edit(spot) if spot.line == 44)), "{effects:?}");
}

#[test]
fn a_narrow_map_shows_the_price_that_orders_it() {
    let mut state = fixture::in_graph(50, 24, "j R");
    press(&mut state, "Tab");
    let shown = screen(&state);
    assert!(shown.contains(" brings   together "), "{shown}");
    let prices: Vec<&str> = ["java-service ", "release-notes ", "circuit-breaker "]
        .iter()
        .map(|id| shown.lines().find(|line| line.contains(id)).and_then(|line| line.rsplit_once('~')).unwrap().1)
        .map(|price| price.split_whitespace().next().unwrap())
        .collect();
    assert_eq!(prices, ["23,870", "5,120", "4,318"], "{shown}");
}
