//! A workspace without a catalog: the welcome, the proposals of a scan, the diff, and what agents get afterwards.

use std::path::PathBuf;
use std::sync::Arc;

use ratatui::layout::Size;

use crate::tui::fixture;
use crate::tui::input::{Effect, ForegroundCommand, Input};
use crate::tui::state::State;
use crate::tui::tests::{answer, commands, message, press, screen};
use crate::tui::update::update;
use crate::tui::views::View;
use crate::tui::windows::WindowKind;
use refdesk_core::catalog::{Catalog, Mode};
use refdesk_desk::engine::{CatalogWritten, Request, Response, Snapshot};
use refdesk_desk::{
    Added, AddedSources, CatalogChange, Discovery, FoundKind, ProposedPlace, ProposedSource, SamplePrompt,
};
use refdesk_text::{Code, Error};

fn empty(width: u16, height: u16) -> State {
    let mut state = State::new(Size { width, height }, fixture::state(1, 1).skin);
    let snapshot =
        Snapshot { generation: 1, is_workspace: true, workspace: fixture::WORKSPACE.into(), ..Snapshot::default() };
    update(&mut state, Input::Snapshot(Box::new(snapshot)));
    state
}

fn proposal(id: &str, path: &str, kind: FoundKind, is_ticked: bool) -> ProposedSource {
    ProposedSource {
        id: id.to_owned(),
        name: format!("The {id}"),
        description: "How calls are repeated\x1b[2J, and when not.".to_owned(),
        place: ProposedPlace::File(PathBuf::from(path)),
        mode: Mode::Selectable,
        tags: vec!["retry".to_owned(), "resilience".to_owned()],
        contents: None,
        kind,
        evidence: format!("{path} is in a folder of documentation"),
        tokens: 1200,
        is_ticked,
        headings: Vec::new(),
    }
}

fn found() -> Discovery {
    Discovery {
        new: vec![
            proposal("payments-readme", "README.md", FoundKind::Readme, true),
            proposal("retry-policy", "docs/retry-policy.md", FoundKind::Document, true),
            proposal("changelog", "CHANGELOG.md", FoundKind::Changelog, false),
        ],
        ..Discovery::default()
    }
}

fn scanned(width: u16, height: u16) -> State {
    let mut state = empty(width, height);
    press(&mut state, "s");
    answer(&mut state, Response::Discovered(Ok(Box::new(found()))));
    state
}

/// The ids in the requests for the diff of writing the proposals.
fn asked(effects: &[Effect]) -> Vec<String> {
    let ids = |change: &CatalogChange| change.new.iter().map(|source| source.id.clone()).collect::<Vec<_>>();
    let lists = commands(effects).into_iter().filter_map(|request| match request {
        Request::ProposeCatalog(change) => Some(ids(&change)),
        _ => None,
    });
    lists.flatten().collect()
}

#[test]
fn it_is_shown_once_and_only_without_sources() {
    let mut state = empty(80, 24);
    assert_eq!(state.open_window(), Some(WindowKind::Welcome));
    assert!(!screen(&state).contains("No sources"), "the list's sentence is hidden behind it");
    press(&mut state, "Esc");
    assert_eq!(state.open_window(), None);
    assert!(screen(&state).contains("No sources yet: W shows how"));
    let again = Snapshot { generation: 2, workspace: fixture::WORKSPACE.into(), ..Snapshot::default() };
    update(&mut state, Input::Snapshot(Box::new(again)));
    assert_eq!(state.open_window(), None, "once");
    press(&mut state, "W");
    assert_eq!(state.open_window(), Some(WindowKind::Welcome));
    let filled = Snapshot { catalog: Arc::new(Catalog::new(fixture::sources())), ..fixture::snapshot() };
    update(&mut state, Input::Snapshot(Box::new(filled)));
    assert_eq!(state.open_window(), Some(WindowKind::Welcome), "a key on its way acts on nothing below it");
    assert!(screen(&state).contains(" has 10 sources."), "{}", screen(&state));
    press(&mut state, "Esc W");
    update(&mut state, Input::Snapshot(Box::new(fixture::snapshot())));
    assert_eq!(
        state.open_window(),
        Some(WindowKind::Welcome),
        "a welcome opened over a catalog stays when that changes"
    );
    assert_eq!(fixture::state(80, 24).open_window(), None);
}

#[test]
fn each_way_to_begin_by_its_key_and_by_its_row() {
    for (key, row, expected) in [
        ("s", "Enter", None),
        ("o", "j Enter", Some(ForegroundCommand::Demo)),
        ("c", "j j Enter", Some(ForegroundCommand::Connect)),
        (
            "a \"docs/a b.md\" Enter",
            "G Enter \"docs/a b.md\" Enter",
            Some(ForegroundCommand::Add("docs/a b.md".to_owned())),
        ),
    ] {
        for keys in [key, row] {
            let mut state = empty(80, 24);
            let mut effects = press(&mut state, keys);
            if let Some(ForegroundCommand::Add(place)) = &expected {
                assert_eq!(commands(&effects), [Request::CanAdd(place.clone())], "{keys}");
                assert_eq!(answer(&mut state, Response::CanAdd(Ok(2))), []);
                assert!(screen(&state).contains("2 sources: Enter leaves this screen"), "{}", screen(&state));
                effects = press(&mut state, "Enter");
            }
            match &expected {
                Some(command) => {
                    assert!(effects.contains(&Effect::RunInForeground(command.clone())), "{keys}: {effects:?}");
                }
                None => assert_eq!(commands(&effects), [Request::Discover(Vec::new())], "{keys}"),
            }
        }
    }
    let mut state = empty(80, 24);
    press(&mut state, "a Enter");
    assert_eq!(message(&state), "type a path or an address");
}

#[test]
fn an_agent_is_connected_only_in_a_workspace_that_stays() {
    for (is_workspace, is_demo, said) in [
        (false, false, "this folder is not a workspace yet: scan it or add a file first"),
        (true, true, "the demo is removed when it ends"),
    ] {
        for keys in ["c", "j j Enter"] {
            let mut state = empty(80, 24);
            (state.snapshot.is_workspace, state.launched.is_demo) = (is_workspace, is_demo);
            assert_eq!(press(&mut state, keys), [], "{keys}");
            assert!(message(&state).starts_with(said), "{keys}: {}", message(&state));
            assert_eq!(state.open_window(), Some(WindowKind::Welcome));
        }
    }
}

#[test]
fn the_home_folder_says_once_that_it_is_no_project() {
    let mut state = empty(80, 24);
    state.snapshot.is_workspace = false;
    state.snapshot.home = Some("your home folder".into());
    let said = "his is your home folder: change to the folder of a project first";
    let shown = screen(&state);
    assert!(shown.contains(&format!("T{said}.")) && !shown.contains("There is no catalog"), "{shown}");
    for keys in ["s", "c", "a"] {
        assert_eq!(press(&mut state, keys), [], "{keys}");
        assert!(message(&state).starts_with(&format!("t{said}")), "{keys}: {}", message(&state));
        assert_eq!(state.open_window(), Some(WindowKind::Welcome));
    }
}

#[test]
fn a_refused_scan_is_explained_where_its_list_would_be() {
    let mut state = empty(80, 24);
    press(&mut state, "s");
    assert!(screen(&state).contains("Reading the repository."));
    let message_of = "refdesk does not look for documents in your home folder";
    let refusal = Error::new(Code::NoWorkspace, message_of, "change to the folder of a project first");
    answer(&mut state, Response::Discovered(Err(refusal)));
    let shown = screen(&state);
    assert!(shown.contains("does not look for documents") && !shown.contains("Reading the rep"), "{shown}");
    assert!(!shown.contains("dismisses"), "{shown}");
    press(&mut state, "Enter");
    assert!(message(&state).starts_with(message_of), "{}", message(&state));
    press(&mut state, "Esc");
    assert_eq!(state.open_window(), Some(WindowKind::Welcome));
}

#[test]
fn without_sources_every_list_says_how_to_start() {
    for keys in ["", "3 i \"hello\""] {
        let mut state = empty(80, 24);
        press(&mut state, "Esc");
        press(&mut state, keys);
        assert!(screen(&state).contains("No sources yet: W shows how"), "{keys}: {}", screen(&state));
        assert!(!screen(&state).contains("refdesk index"), "{}", screen(&state));
    }
    let mut state = empty(80, 24);
    press(&mut state, "Esc R");
    assert_eq!(message(&state), "there are no sources yet: W shows how to start");
}

#[test]
fn without_sources_the_budget_is_known() {
    let mut state = empty(80, 24);
    press(&mut state, "Esc b");
    let shown = screen(&state);
    assert!(shown.contains("together, 0% of 128k") && !shown.contains("being computed"), "{shown}");
    state.snapshot.loading = Some(refdesk_desk::engine::Loading { done: 1, total: 2 });
    assert!(screen(&state).contains("The cost of the instructions is being computed."), "{}", screen(&state));
}

#[test]
fn a_missing_path_is_reported_below_the_field() {
    let mut state = empty(80, 24);
    press(&mut state, "a \"nothing.md\" Enter");
    let missing = || {
        let message = "'nothing.md' does not exist";
        Error::new(Code::NoSuchPath, message, "name an existing file or folder, or an http(s) address")
    };
    let effects = answer(&mut state, Response::CanAdd(Err(missing())));
    assert_eq!((effects, state.open_window()), (Vec::new(), Some(WindowKind::AddSource)));
    insta::assert_snapshot!("add_source_refused_80x24", screen(&state));
    press(&mut state, "Backspace");
    assert!(!screen(&state).contains("not an existing"), "{}", screen(&state));
    press(&mut state, "Enter \"x\"");
    let effects = answer(&mut state, Response::CanAdd(Ok(1)));
    assert_eq!((effects, state.open_window()), (Vec::new(), Some(WindowKind::AddSource)), "the path has changed since");
    press(&mut state, "Enter");
    let known = refdesk_text::Fix::ShowKnown("nothing".to_owned());
    let known = Error::new(Code::IdTaken, "'nothing.mx' is already in the catalog, as 'nothing'", known);
    answer(&mut state, Response::CanAdd(Err(known)));
    assert!(screen(&state).contains("as 'nothing': C-k nothing"), "{}", screen(&state));
    press(&mut state, "Enter Esc Esc");
    assert_eq!(answer(&mut state, Response::CanAdd(Ok(1))), Vec::new(), "no longer needed");
}

#[test]
fn one_source_is_added_in_place() {
    let added = |is_untrusted| {
        let (entry, file) = (serde_json::Value::Null, PathBuf::from("references/timeouts.json"));
        let added = vec![Added { id: "timeouts".into(), entry, file, is_untrusted }];
        Response::SourceAdded(Ok(AddedSources { added, known: Vec::new() }))
    };
    for (is_untrusted, said) in [
        (false, "Added @timeouts to the catalog: Space picks it"),
        (true, "Added @timeouts to the catalog: ! asks for your trust"),
    ] {
        let mut state = empty(80, 24);
        press(&mut state, "a \"docs/timeouts.md\" Enter");
        let effects = answer(&mut state, Response::CanAdd(Ok(1)));
        assert_eq!(commands(&effects), [Request::AddSource("docs/timeouts.md".to_owned())]);
        answer(&mut state, added(is_untrusted));
        assert_eq!(state.open_window(), None);
        assert_eq!(message(&state), said);
        update(&mut state, Input::Snapshot(Box::new(fixture::snapshot())));
        assert_eq!(state.subject(crate::tui::pane::Pane::Catalog), Some("timeouts"), "the cursor is on it");
    }
    let mut state = empty(80, 24);
    press(&mut state, "a \"docs/timeouts.md\" Enter");
    answer(&mut state, Response::CanAdd(Ok(1)));
    answer(&mut state, Response::SourceAdded(Err(Error::new(Code::NotWritten, "the folder is read-only", ""))));
    assert_eq!(state.open_window(), Some(WindowKind::AddSource), "what was typed stays");
    assert!(screen(&state).contains("the folder is read-only"), "{}", screen(&state));
}

#[test]
fn ticked_sources_are_proposed_and_written_as_shown() {
    let mut state = scanned(120, 36);
    assert_eq!(asked(&press(&mut state, "Enter")), ["payments-readme", "retry-policy"]);
    press(&mut state, "Esc Space j j Space");
    let effects = press(&mut state, "Enter");
    assert_eq!(asked(&effects), ["retry-policy", "changelog"]);
    let [Request::ProposeCatalog(change)] = &commands(&effects)[..] else { panic!("{effects:?}") };
    let change = change.clone();
    press(&mut state, "y");
    assert_eq!(message(&state), "the difference is still being computed");
    let text = "{\n  \"id\": \"retry-policy\"\n}\n";
    let shown = fixture::proposed(text, ".jaato/references/retry-policy.json", None);
    let proposals = vec![shown.proposal.unwrap().unwrap()];
    answer(&mut state, Response::CatalogProposed(Ok(proposals.clone())));
    assert_eq!(commands(&press(&mut state, "y")), [Request::WriteCatalog { proposals, change }]);
    assert_eq!(commands(&press(&mut state, "y")), [], "once");
    let prompts = vec![SamplePrompt {
        prompt: "how do I repeat a call?".to_owned(),
        hints: vec!["- @retry-policy: The retry-policy".to_owned()],
    }];
    answer(&mut state, Response::CatalogWritten(Ok(CatalogWritten { files: Vec::new(), prompts })));
    assert_eq!(state.open_window(), Some(WindowKind::CatalogSummary));
    assert!(screen(&state).contains("how do I repeat a call?"), "{}", screen(&state));
}

#[test]
fn ticking_nothing_or_finding_nothing_new_is_reported() {
    let mut state = scanned(80, 24);
    press(&mut state, "a a Enter");
    assert_eq!(message(&state), "nothing is ticked: Space ticks the row under the cursor");
    press(&mut state, "Esc s Enter");
    assert_eq!(message(&state), "the repository is still being read");
    answer(&mut state, Response::Discovered(Ok(Box::default())));
    let shown = screen(&state);
    assert!(shown.contains("No documents were found") && shown.contains("Press Esc, then a, to add a file"), "{shown}");
    press(&mut state, "Enter");
    assert_eq!(message(&state), "there is nothing new");
    assert!(!screen(&state).lines().last().unwrap_or_default().contains("tick"), "{}", screen(&state));
    press(&mut state, "Space");
    assert_eq!(message(&state), "there is nothing to tick");
    press(&mut state, "j Esc");
    assert_eq!(state.open_window(), Some(WindowKind::Welcome), "from where it was opened");
}

#[test]
fn long_lists_of_unticked_sources_are_folded() {
    let mut state = empty(120, 36);
    press(&mut state, "s");
    let many = (0..11).map(|nth| proposal(&format!("case-{nth}"), "tests/case.md", FoundKind::Other, false));
    let found = Discovery { new: found().new.into_iter().take(2).chain(many).collect(), ..Discovery::default() };
    answer(&mut state, Response::Discovered(Ok(Box::new(found))));
    assert!(screen(&state).contains("11 not ticked: Space shows them"), "{}", screen(&state));
    assert!(screen(&state).contains("2 of 2 ticked") && !screen(&state).contains("case-3"), "{}", screen(&state));
    press(&mut state, "a a");
    assert_eq!(asked(&press(&mut state, "Enter")), ["payments-readme", "retry-policy"], "all that are listed");
    press(&mut state, "Esc G Space");
    assert!(screen(&state).contains("case-3") && !screen(&state).contains("shows them"), "{}", screen(&state));
    assert_eq!(asked(&press(&mut state, "Space Enter")), ["payments-readme", "retry-policy", "case-0"]);
}

macro_rules! screens {
    ($($name:ident: $state:expr, $keys:literal;)*) => {
        $(
            #[test]
            fn $name() {
                let mut state = $state;
                press(&mut state, $keys);
                insta::assert_snapshot!(screen(&state));
            }
        )*
    };
}

screens! {
    welcome_40x10: empty(40, 10), "";
    welcome_80x24: empty(80, 24), "";
    welcome_120x36: empty(120, 36), "j";
    proposals_80x24: scanned(80, 24), "j";
    proposals_200x60: scanned(200, 60), "";
    add_source_80x24: empty(80, 24), "a \"docs\"";
}

#[test]
fn configured_databases_are_a_way_to_begin() {
    for (count, said) in [(0, "catalog in"), (1, "One database is configured."), (2, "2 databases are configured.")] {
        let mut state = State::new(Size { width: 80, height: 24 }, fixture::state(1, 1).skin);
        let snapshot = Snapshot { generation: 1, configured_databases: count, ..Snapshot::default() };
        update(&mut state, Input::Snapshot(Box::new(snapshot)));
        assert!(screen(&state).contains(said), "{}", screen(&state));
        press(&mut state, "b");
        assert_eq!((state.view, state.open_window()), (View::Databases, None));
    }
}
