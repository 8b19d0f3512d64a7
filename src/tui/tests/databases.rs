//! The databases view by its keys: rows, pages, joins and the way back, the filter, a run, and when the engine is
//! asked.

use std::sync::Arc;

use ratatui::layout::Position;

use crate::tui::databases::join_tree::{JoinKind, JoinRow, joins};
use crate::tui::databases::{DatabaseSide, DatabaseTab, JoinEnd, RunState};
use crate::tui::fixture;
use crate::tui::glyphs::Glyphs;
use crate::tui::input::{Effect, Input};
use crate::tui::state::State;
use crate::tui::tests::{answer, commands, event, message, press, screen};
use crate::tui::update::update;
use crate::tui::views::View;
use crate::tui::windows::WindowKind;
use refdesk_core::catalog::{Catalog, Mode, PathState};
use refdesk_database::schema::table_doc::{JoinSource, ReferenceDoc, TableDoc};
use refdesk_database::snapshot::TableName;
use refdesk_desk::engine::{Event, Request, Response, Snapshot};
use refdesk_desk::{DatabaseOverview, DatabasePage, DocumentReport, SearchAnswer, SearchMode};
use refdesk_text::report::Diagnostic;
use refdesk_text::{Code, Error};

fn databases(keys: &str) -> State {
    fixture::in_databases(120, 36, keys)
}

/// The row under the cursor, as in `shop/sales/order`.
fn at(state: &State) -> String {
    let Some(subject) = state.databases.subject() else { return String::new() };
    let parts = [Some(subject.database), subject.domain, subject.table.map(|table| table.name)];
    parts.into_iter().flatten().collect::<Vec<_>>().join("/")
}

fn asks(effects: &[Effect], request: &Request) -> usize {
    effects.iter().filter(|effect| **effect == Effect::Ask(request.clone())).count()
}

#[test]
fn rows_fold_and_unfold() {
    for (keys, row, rows) in [
        ("", "shop", 14),
        ("j", "shop/sales", 14),
        ("j j", "shop/sales/customer", 14),
        ("j h", "shop/sales", 10),
        ("j h h", "shop", 10),
        ("j h h h", "shop", 5),
        ("j j h", "shop/sales", 14),
        ("j h l", "shop/sales", 14),
        ("h", "shop", 5),
        ("h G", "old", 5),
        ("h l", "shop", 14),
    ] {
        let state = databases(keys);
        assert_eq!((at(&state).as_str(), state.databases.rows.len()), (row, rows), "{keys}");
    }
    assert_eq!(databases("l").databases.side, DatabaseSide::Detail, "an unfolded row leads to its page");
    assert_eq!(databases("l h").databases.side, DatabaseSide::List);
}

#[test]
fn enter_and_tab_lead_to_pages_columns_and_joins_and_escape_back() {
    use DatabaseSide::{Detail, List};
    use DatabaseTab::{Columns, Joins, Page};
    for (keys, side, tab, is_open) in [
        ("j j", List, Page, true),
        ("j j Enter", Detail, Page, true),
        ("j j Enter Esc", List, Page, true),
        ("j j Tab", List, Columns, true),
        ("j j Tab Tab", Detail, Joins, true),
        ("j j BackTab", Detail, Joins, true),
        ("j j Tab Tab Tab", Detail, Page, true),
        ("j j Tab Tab Esc", List, Joins, true),
        ("j j q", List, Page, false),
        ("6", List, Page, false),
        ("2", List, Page, false),
        ("R", List, Page, false),
        ("S", List, Page, false),
    ] {
        let state = databases(keys);
        let view = &state.databases;
        assert_eq!((view.side, view.tab, state.view == View::Databases), (side, tab, is_open), "{keys}");
        assert_eq!(view.overview.is_some(), is_open, "{keys}: its memory is released");
    }
    assert_eq!([databases("R").view, databases("S").view], [View::Graph, View::Agents]);
    for (keys, why) in [
        ("Tab", "columns and joins belong to a table"),
        ("j Tab", "columns and joins belong to a table"),
        ("l l Tab", "columns and joins belong to a table: press Left and choose one"),
        ("l l Enter", "a database has no joins: press Left and choose one"),
        ("j Enter Tab", "columns and joins belong to a table: press Left and choose one"),
        ("j Enter Enter", "a domain has no joins: press Left and choose one"),
        ("j j Enter Enter", "only a join can be followed: Tab shows the joins of a table"),
        ("j j j j Tab Tab G Enter", "main.status\\x1b is not documented and not planned"),
        ("Space", "each domain of a database is a source: go to one"),
        ("j Space", "it is not a source of the catalog yet: w documents it"),
        ("z", "the view of databases fills the screen: Esc leaves it"),
    ] {
        assert_eq!(message(&databases(keys)), why, "{keys}");
    }
}

#[test]
fn joins_are_walked_and_the_way_back_is_the_history_of_places() {
    let order = "/ \"order\" Enter j Tab Tab";
    for (keys, row, tab) in [
        ("", "shop/sales/order", DatabaseTab::Joins),
        (" Enter", "shop/sales/customer", DatabaseTab::Joins),
        (" j Enter", "shop/sales/order_line", DatabaseTab::Joins),
        (" Enter Backspace", "shop/sales/order", DatabaseTab::Joins),
        (" j Enter Enter Backspace Backspace", "shop/sales/order", DatabaseTab::Joins),
        (" Enter Backspace L", "shop/sales/customer", DatabaseTab::Joins),
    ] {
        let state = databases(&format!("{order}{keys}"));
        assert_eq!((at(&state).as_str(), state.databases.tab), (row, tab), "{keys}");
    }
    // Going back from a pane to the view asks the engine again.
    let mut state = databases(&format!("{order} Enter 2"));
    assert!(state.view != View::Databases);
    let effects = press(&mut state, "C-o");
    assert_eq!(asks(&effects, &Request::Databases), 1, "{effects:?}");
    answer(&mut state, Response::Databases(Arc::new(fixture::overview())));
    assert_eq!(at(&state), "shop/sales/customer");
}

/// The tree of joins: the cursor, whether each row is open (-), can be opened (+) or closes a cycle (@), and the table
/// at its end.
fn tree(state: &State) -> Vec<String> {
    let view = &state.databases;
    let row = |(at, row): (usize, &JoinRow)| {
        let cursor = if at == view.join.at { '>' } else { ' ' };
        let mark = match row.end {
            JoinEnd::Closed => '+',
            JoinEnd::Open => '-',
            JoinEnd::Reading => '?',
            JoinEnd::Cycle => '@',
            JoinEnd::Unreadable => '!',
            JoinEnd::Last | JoinEnd::Deep | JoinEnd::Undocumented => ' ',
        };
        let name = row.join.table.trim_start_matches("main.").replace('\x1b', "\\x1b");
        format!("{cursor}{}{mark} {name}", "  ".repeat(row.level - 1))
    };
    view.tree.rows.iter().enumerate().map(row).collect()
}

#[test]
fn joins_open_in_place_and_end_at_cycles() {
    let order = "/ \"order\" Enter j Tab Tab";
    for (keys, expected) in [
        ("", &[">+ customer", " + order_line", "   status\\x1b"][..]),
        // A customer may be advised by a customer. The join back to the order is not shown again.
        (" l", &[">- customer", "   @ customer", " + order_line", "   status\\x1b"]),
        (" l l", &[" - customer", ">  @ customer", " + order_line", "   status\\x1b"]),
        (" l l h", &[">- customer", "   @ customer", " + order_line", "   status\\x1b"]),
        (" l l h h", &[">+ customer", " + order_line", "   status\\x1b"]),
        (" j l", &[" + customer", ">- order_line", "     bin", "   status\\x1b"]),
        (" j l k l", &[">- customer", "   @ customer", " - order_line", "     bin", "   status\\x1b"]),
        // After leaving and returning, the tree and the cursor are unchanged.
        (" l j j Enter Backspace", &[" - customer", "   @ customer", ">+ order_line", "   status\\x1b"]),
        (" l h Tab Tab Tab", &[">+ customer", " + order_line", "   status\\x1b"]),
    ] {
        let state = databases(&format!("{order}{keys}"));
        assert_eq!(tree(&state), expected, "{keys}");
        assert!(state.databases.in_joins());
    }
    assert_eq!(databases(&format!("{order} h")).databases.side, DatabaseSide::List);
    for (keys, why) in [
        (" l l l", "main.customer is already above, so the tree ends here"),
        (" G l", "main.status\\x1b is not documented and not planned"),
        (" j l l l", "main.bin has no page yet: w documents it"),
    ] {
        assert_eq!(message(&databases(&format!("{order}{keys}"))), why, "{keys}");
    }
}

#[test]
fn a_join_without_a_key_is_marked_at_the_table_that_it_leads_to() {
    for (source, kind) in [
        (JoinSource::Key, JoinKind::ReferredToBy),
        (JoinSource::Note, JoinKind::Noted),
        (JoinSource::Inferred, JoinKind::Inferred),
    ] {
        let (table, because) = ("main.order".to_owned(), "kind is 'c'".to_owned());
        let reference = ReferenceDoc { table, source, because, ..ReferenceDoc::default() };
        let doc = TableDoc { referenced_by: vec![reference], ..TableDoc::default() };
        let found = joins(&doc);
        let found: Vec<_> = found.iter().map(|join| (join.kind, join.note.as_str())).collect();
        assert_eq!(found, [(kind, "kind is 'c'")]);
    }
}

#[test]
fn without_the_manifest_no_database_counts_as_not_documented() {
    let mut state = databases("");
    let mut overview = fixture::overview();
    overview.databases[0].domains.clear();
    overview.databases[0].page = None;
    for (problem, expected, other) in [
        (None, "not documented yet", "pages unknown"),
        (Some("docs/databases/documentation-manifest.json"), "pages unknown", "not documented yet"),
    ] {
        let damaged = |file: &str| Diagnostic::warning(Code::Damaged, "the manifest is damaged").in_file(file);
        overview.problems = problem.map(damaged).into_iter().collect();
        answer(&mut state, Response::Databases(Arc::new(overview.clone())));
        press(&mut state, "g g");
        let text = screen(&state);
        assert!(text.contains(expected) && !text.contains(other), "{text}");
        assert_eq!(text.contains("The manifest cannot be read"), problem.is_some(), "{text}");
    }
}

#[test]
fn a_join_with_a_missing_or_damaged_page_says_so() {
    let mut state = databases("/ \"order\" Enter j Tab Tab j");
    let path = "docs/databases/shop/sales/tables/main.order_line.md";
    let page = Request::DatabasePage { database: "shop".to_owned(), path: path.to_owned() };
    assert_eq!(asks(&press(&mut state, "l"), &page), 1);
    assert_eq!(tree(&state)[1], ">? order_line");
    assert_eq!(asks(&press(&mut state, "k j"), &page), 0, "one answer is awaited");
    assert_eq!(asks(&press(&mut state, "h l"), &page), 1, "or it got lost");
    let damaged = DatabasePage { path: path.to_owned(), ..DatabasePage::default() };
    answer(&mut state, Response::DatabasePage(Box::new(damaged)));
    assert_eq!(tree(&state)[1], ">! order_line");
    press(&mut state, "l");
    assert_eq!(message(&state), "the page of main.order_line cannot be read");
    // It is requested again after the workspace was read again.
    let effects = answer(&mut state, Response::Databases(Arc::new(fixture::overview())));
    fixture::answer_pages(&mut state, effects);
    assert_eq!(tree(&state)[1], ">- order_line");
}

#[test]
fn a_filter_keeps_tables_by_words_of_their_names() {
    for (typed, kept, row) in [
        ("ord", 3, "shop/sales/open_order"),
        ("line", 1, "shop/sales/order_line"),
        ("ORDER line", 1, "shop/sales/order_line"),
        ("stock", 3, "shop/stock/bin"),
        ("shop cust", 1, "shop/sales/customer"),
        ("2024", 1, "shop/stock/log_2024"),
        ("zzz", 0, ""),
        ("  ", 7, "shop"),
    ] {
        let state = databases(&format!("/ \"{typed}\""));
        assert_eq!((state.databases.kept, at(&state).as_str()), ((kept, 7), row), "{typed}");
    }
    assert_eq!(at(&databases("/ \"line\" Enter Esc")), "shop/sales/order_line", "the cursor stays");
    assert_eq!(databases("/ \"line\" Esc").databases.rows.len(), 14);
    assert!(screen(&databases("/ \"zzz\"")).contains("No table matches zzz."));
}

#[test]
fn the_index_adds_tables_that_are_about_the_words() {
    let mut state = databases("/");
    let effects = press(&mut state, "\"pallet\"");
    let asked: Vec<&str> = effects
        .iter()
        .filter_map(|effect| match effect {
            Effect::Ask(Request::Search(request)) => Some(request.query.as_str()),
            _ => None,
        })
        .collect();
    assert_eq!(asked, ["pal", "pall", "palle", "pallet"]);
    assert_eq!(state.databases.kept, (0, 7));
    let hit = |table: &str| refdesk_desk::SearchHit {
        kind: "table".to_owned(),
        subject: Some(refdesk_index::pages::DatabaseSubject {
            database: "shop".to_owned(),
            schema: Some("main".to_owned()),
            table: Some(table.to_owned()),
            column: None,
            domain: None,
        }),
        ..fixture::hit("db-shop-stock")
    };
    let with_column = refdesk_desk::SearchHit { columns: vec!["pallets".to_owned()], ..hit("log_2024") };
    for (query, kept) in [("pal", 0), ("pallet", 3)] {
        let found = SearchAnswer {
            query: query.to_owned(),
            mode: SearchMode::Hybrid,
            hits: vec![hit("order"), hit("bin"), hit("gone"), with_column.clone()],
            tokens_used: 0,
            partial: None,
            notes: Vec::new(),
            explains_no_hits: false,
        };
        answer(&mut state, Response::Found(Ok(Box::new(found))));
        assert_eq!(state.databases.kept, (kept, 7), "{query}");
    }
    assert_eq!(at(&state), "shop/stock/log_2024", "a table with such a column is the best");
    state.databases.cursor.at += 1;
    assert_eq!(at(&state), "shop/stock/bin");
    assert!(screen(&state).contains("related"));
    press(&mut state, "\"s\"");
    assert_eq!(state.databases.kept, (0, 7), "the answer was for other words");
}

#[test]
fn the_engine_is_asked_when_the_workspace_was_read_anew() {
    let mut state = fixture::state(120, 36);
    let snapshot = |state: &State, reads| {
        let snapshot = Snapshot { generation: state.snapshot.generation + 1, reads, ..fixture::snapshot() };
        Input::Snapshot(Box::new(snapshot))
    };
    let next = snapshot(&state, 7);
    assert_eq!(asks(&update(&mut state, next), &Request::Databases), 0, "not while the panes are shown");
    assert_eq!(asks(&press(&mut state, "6"), &Request::Databases), 1);
    assert!(screen(&state).contains("reading the pages"));
    let next = snapshot(&state, 8);
    assert_eq!(asks(&update(&mut state, next), &Request::Databases), 0, "one answer is awaited");
    let effects = answer(&mut state, Response::Databases(Arc::new(fixture::overview())));
    assert_eq!(asks(&effects, &Request::Databases), 1, "the changes since then are asked for");
    let path = "docs/databases/shop/README.md".to_owned();
    assert_eq!(asks(&effects, &Request::DatabasePage { database: "shop".to_owned(), path }), 1);
    answer(&mut state, Response::Databases(Arc::new(fixture::overview())));
    press(&mut state, "j j j");
    let mut fewer = fixture::overview();
    fewer.databases[0].domains[0].tables.remove(0);
    answer(&mut state, Response::Databases(Arc::new(fewer)));
    assert_eq!(at(&state), "shop/sales/open_order", "the cursor stays on its table");
    answer(&mut state, Response::Databases(Arc::new(DatabaseOverview::default())));
    assert!(screen(&state).contains("No database is configured."), "{}", screen(&state));
}

#[test]
fn a_domain_is_picked_as_its_source() {
    let mut state = databases("j");
    let mut sources = fixture::sources();
    let place = fixture::local("docs/databases/shop/sales", PathState::Directory);
    sources.push(fixture::source("db-shop-sales", "Database shop: sales", Mode::Selectable, &["order"], place));
    let snapshot = Snapshot { generation: 9, catalog: Arc::new(Catalog::new(sources)), ..fixture::snapshot() };
    update(&mut state, Input::Snapshot(Box::new(snapshot)));
    for keys in ["", "j", "j j"] {
        press(&mut state, keys);
        assert_eq!(commands(&press(&mut state, "Space")), [Request::pick_if_few("db-shop-sales")]);
    }
    press(&mut state, "c");
    assert_eq!(state.subject(crate::tui::pane::Pane::Catalog), Some("db-shop-sales"));
    assert!(state.view != View::Databases);
}

#[test]
fn the_id_of_a_source_is_shown_whole() {
    let mut state = fixture::in_databases(80, 24, "j j j j");
    let mut sources = fixture::sources();
    let place = fixture::local("docs/databases/shop/sales", PathState::Directory);
    sources.push(fixture::source("db-shop-sales", "Database shop: sales", Mode::Selectable, &["order"], place));
    let snapshot = Snapshot { generation: 9, catalog: Arc::new(Catalog::new(sources)), ..fixture::snapshot() };
    update(&mut state, Input::Snapshot(Box::new(snapshot)));
    let shown = screen(&state);
    for words in ["documented table", "changed since", "edited by hand", "1 sensitive column", "@db-shop-sales"] {
        assert!(shown.contains(words), "{words}\n{shown}");
    }
    assert!(shown.contains("[Page]"), "{shown}");
}

#[test]
fn a_run_with_nothing_to_write_can_only_be_closed() {
    let failed = Err(Error::new(Code::DatabaseBusy, "another run", "wait"));
    for prepared in [Ok(Box::new(fixture::settled_run())), failed] {
        let mut state = databases("w");
        answer(&mut state, Response::DatabasesPrepared(prepared));
        let shown = screen(&state);
        assert!(shown.contains("Esc close") && !shown.contains("write"), "{shown}");
        assert_eq!(commands(&press(&mut state, "y")), []);
        assert_eq!(commands(&press(&mut state, "Esc")), [Request::PauseDatabases]);
    }
}

#[test]
fn a_run_is_previewed_written_and_paused() {
    let mut state = databases("j");
    assert_eq!(commands(&press(&mut state, "w")), [Request::PrepareDatabases(vec!["shop".to_owned()])]);
    assert_eq!(state.open_window(), Some(WindowKind::Documentation));
    press(&mut state, "y");
    assert_eq!(message(&state), "the databases are still being read");
    answer(&mut state, Response::DatabasesPrepared(Ok(Box::new(fixture::prepared_run()))));
    assert!(screen(&state).contains("Write 2 new pages and 2 changed pages below docs/databases, and remove 1 file."));
    let left_over = "Edited pages of tables that are gone; delete them yourself (1):";
    let RunState::Prepared { run, .. } = &state.databases.run else { panic!("it is prepared") };
    let lines = crate::tui::databases::run::text(&state, &run.preview);
    let at = lines.iter().position(|line| line.text() == left_over).unwrap();
    assert_eq!(lines[at + 1].text(), "docs/databases/shop/sales/tables/main.visit.md");
    assert_eq!(commands(&press(&mut state, "y")), [Request::WriteDatabases(fixture::prepared_run().number)]);
    assert_eq!(state.open_window(), None);
    let effects = event(&mut state, Event::DatabaseRun(fixture::progress(640, 2000)));
    assert_eq!(asks(&effects, &Request::Databases), 1, "the list shows what has been written");
    let effects = event(&mut state, Event::DatabaseRun(fixture::progress(640, 2000)));
    assert_eq!(asks(&effects, &Request::Databases), 0, "one answer is awaited");
    let shown = screen(&state);
    assert!(shown.contains("640 of 2,000 pages, 1 failed, about 4 s left. Esc pauses."), "{shown}");
    press(&mut state, "w");
    assert_eq!(message(&state), "pages are being written: Esc pauses");
    // It continues while the user is in another view.
    press(&mut state, "2");
    assert!(screen(&state).contains("writing 640/2,000 pages"), "{}", screen(&state));
    press(&mut state, "6");
    answer(&mut state, Response::Databases(Arc::new(fixture::overview())));
    assert_eq!(commands(&press(&mut state, "Esc")), [Request::PauseDatabases]);
    assert!(screen(&state).contains("Pausing: 640 of 2,000 pages are written, 1 failed."));
    let report = DocumentReport { written: vec!["p".to_owned(); 704], is_ended: true, ..DocumentReport::default() };
    let effects = answer(&mut state, Response::DatabasesWritten(Ok(Box::new(report))));
    assert_eq!(message(&state), "Paused after 704 of 2,000 pages: w continues");
    assert_eq!(asks(&effects, &Request::Databases), 1);
    assert!(matches!(state.databases.run, RunState::Idle));
}

#[test]
fn pages_of_databases_that_are_no_longer_configured_can_be_removed() {
    for (file, asked, said) in [
        (None, 0, "No database is configured."),
        (Some(".jaato/databases.yaml"), 1, "w finds pages of databases that it no longer names."),
    ] {
        let mut state = fixture::state(120, 36);
        press(&mut state, "6");
        answer(&mut state, Response::Databases(Arc::new(DatabaseOverview { file, ..DatabaseOverview::default() })));
        let shown: Vec<String> = screen(&state).lines().map(|line| line.replace(['│', '┃'], " ")).collect();
        let shown = shown.join(" ");
        let words: Vec<&str> = shown.split_whitespace().collect();
        assert!(words.join(" ").contains(said), "{shown}");
        // On separate lines, so that it can be copied.
        let sample = ["│ databases:", "│   - name: app", "│       file: app.db"].map(|line| line.replace('│', " "));
        let has_sample = sample.iter().all(|line| screen(&state).replace(['│', '┃'], " ").contains(line));
        assert_eq!(has_sample, file.is_none(), "{}", screen(&state));
        assert_eq!(asks(&press(&mut state, "w"), &Request::PrepareDatabases(Vec::new())), asked, "{file:?}");
    }
}

#[test]
fn a_cancelled_run_is_discarded() {
    for (keys, response) in [
        ("Esc", None),
        ("q", Some(Response::DatabasesPrepared(Ok(Box::new(fixture::prepared_run()))))),
        ("n", Some(Response::DatabasesPrepared(Err(Error::new(Code::DatabaseBusy, "another run", "wait"))))),
    ] {
        let mut state = databases("w");
        response.into_iter().for_each(|response| drop(answer(&mut state, response)));
        assert_eq!(commands(&press(&mut state, keys)), [Request::PauseDatabases], "{keys}");
        assert!(matches!(state.databases.run, RunState::Idle));
        answer(&mut state, Response::DatabasesPrepared(Ok(Box::new(fixture::prepared_run()))));
        assert!(matches!(state.databases.run, RunState::Idle), "a late answer changes nothing");
    }
    // Its answer may arrive when the next run is already prepared.
    let prepare = Request::PrepareDatabases(vec!["shop".to_owned()]);
    let mut state = databases("w");
    let question = state.questions.number(&prepare);
    press(&mut state, "Esc w");
    let response = Response::DatabasesPrepared(Ok(Box::new(fixture::prepared_run())));
    update(&mut state, Input::Answer { question, response });
    assert!(question.is_some() && matches!(state.databases.run, RunState::Preparing));
    for (report, said) in [
        (DocumentReport::default(), "The pages are up to date"),
        (
            DocumentReport {
                written: vec!["a".to_owned()],
                removed: vec!["b".to_owned()],
                sources: vec!["db-shop-sales".to_owned()],
                ..DocumentReport::default()
            },
            "Wrote 1 page, removed 1; 1 source in the catalog: @db-shop-sales",
        ),
        (DocumentReport { removed: vec!["b".to_owned()], ..DocumentReport::default() }, "Removed 1 page"),
        (
            DocumentReport { is_ended: true, ..DocumentReport::default() },
            "Paused before anything was written: w continues",
        ),
        (
            DocumentReport {
                failed: vec![Error::new(Code::NotWritten, "no room", "make room"); 2],
                ..DocumentReport::default()
            },
            "no room: make room 2 failed in all.",
        ),
    ] {
        let mut state = databases("w");
        answer(&mut state, Response::DatabasesPrepared(Ok(Box::new(fixture::prepared_run()))));
        press(&mut state, "y");
        answer(&mut state, Response::DatabasesWritten(Ok(Box::new(report))));
        assert_eq!(message(&state), said);
    }
}

#[test]
fn the_mouse_goes_to_rows_tabs_and_joins() {
    let mut state = databases("");
    let find = |state: &State, text: &str| {
        let shown = screen(state);
        let (y, line) = shown.lines().enumerate().find(|(_, line)| line.contains(text)).unwrap();
        let x = line.split(text).next().unwrap().chars().count();
        Position { x: u16::try_from(x).unwrap(), y: u16::try_from(y).unwrap() }
    };
    let click = |state: &mut State, text: &str| {
        let at = find(state, text);
        let effects = update(state, Input::Click(at));
        fixture::answer_pages(state, effects);
    };
    click(&mut state, "order_line");
    assert_eq!(at(&state), "shop/sales/order_line");
    click(&mut state, "Joins 2");
    assert!(state.databases.in_joins());
    click(&mut state, "▸ order");
    assert_eq!(tree(&state), [">- order", "   + customer", "     status\\x1b", "   bin"]);
    click(&mut state, "▾ order");
    assert_eq!(tree(&state).len(), 2);
    click(&mut state, "bin   ");
    click(&mut state, "bin   ");
    assert_eq!(at(&state), "shop/stock/bin");
}

#[test]
fn ten_thousand_tables_are_folded_at_first_and_found_as_fast() {
    let mut overview = fixture::overview();
    let domain = &mut overview.databases[0].domains[0];
    let table = domain.tables[0].clone();
    domain.tables = (0..10_000)
        .map(|n| {
            let name = TableName { schema: "main".to_owned(), name: format!("t_{n:05}") };
            refdesk_desk::TableSummary { name, ..table.clone() }
        })
        .collect();
    let mut state = fixture::state(120, 36);
    press(&mut state, "6");
    answer(&mut state, Response::Databases(Arc::new(overview)));
    assert_eq!(state.databases.rows.len(), 7, "the domains are folded");
    press(&mut state, "/ \"t_09998\"");
    assert_eq!((state.databases.kept, at(&state).as_str()), ((1, 10_003), "shop/sales/t_09998"));
}

#[test]
fn every_tab_fits_the_smallest_screen_and_ascii() {
    for (width, height) in [(40, 10), (80, 24)] {
        for keys in ["", "j j j j", "j j j j Tab", "j j j j Tab Tab", "j j j j Enter", "/ \"order\"", "G", "w"] {
            let mut state = fixture::state(width, height);
            state.skin.glyphs = Glyphs::ASCII;
            let state = fixture::to_databases(state, keys);
            let shown = screen(&state);
            assert!(shown.replace(['日', '本'], "?").is_ascii(), "{shown}");
        }
    }
}

/// As in documents: a wrapped diagram cannot be read.
#[test]
fn code_in_a_page_is_cut_and_scrolled_sideways() {
    let mut state = databases("j l");
    let path = state.databases.page_path().unwrap().to_owned();
    let text = format!("# Orders\n\n```sql\nselect {} from orders -- the end\n```\n", "amount, ".repeat(30));
    answer(&mut state, Response::DatabasePage(Box::new(DatabasePage { path, text: Some(text), doc: None })));
    assert!(screen(&state).contains("select amount, ") && !screen(&state).contains("the end"), "{}", screen(&state));
    press(&mut state, "S-Left");
    assert_eq!(message(&state), "this is the start of the lines");
    press(&mut state, &"S-Right ".repeat(40));
    assert!(screen(&state).contains("-- the end"), "{}", screen(&state));
    assert_eq!(message(&state), "no line of code in view extends further to the right");
    press(&mut state, "h j l");
    assert_eq!(state.databases.across, 0, "another page begins at the start of its lines");
}
