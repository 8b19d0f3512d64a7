//! Profiles: the list, the comparison with one, the switch, and a screen that starts with a comparison.

use std::path::PathBuf;

use crate::tui::fixture;
use crate::tui::input::{Effect, Input};
use crate::tui::state::State;
use crate::tui::update::update;
use crate::tui::windows::{self, WindowKind};
use refdesk_desk::engine::{Request, Response};
use refdesk_desk::{ProfileDetails, ProfileSwitch};
use refdesk_text::Code;
use refdesk_text::report::Diagnostic;

use crate::tui::tests::{answer, message, press, screen, stale};

fn commands(effects: &[Effect]) -> Vec<Request> {
    let about_profiles = |command: &Request| {
        matches!(command, Request::ListProfiles | Request::CompareProfile(_) | Request::SwitchProfile { .. })
    };
    super::commands(effects).into_iter().filter(about_profiles).collect()
}

fn profile_details(name: &str, description: &str) -> ProfileDetails {
    let file = PathBuf::from(format!("{}/.jaato/profiles/{name}.json", fixture::WORKSPACE));
    ProfileDetails {
        name: name.to_owned(),
        description: description.to_owned(),
        shown: format!(".jaato/profiles/{name}.json"),
        file,
        picks: vec!["circuit-breaker".into()],
        transitive: vec!["retry-pattern".into(), "timeouts".into()],
        auto: vec!["team-conventions".into()],
        templates: vec!["CircuitBreaker.java.tpl".to_owned()],
        tokens: 2_868,
        exclude_tools: vec!["selectReferences".to_owned()],
        transitive_injection: true,
        ..ProfileDetails::default()
    }
}

fn all() -> Vec<ProfileDetails> {
    let missing = vec!["ledger".to_owned(), "audit".to_owned()];
    let broken = vec![Diagnostic::error(Code::JsonSyntax, "not valid JSON: expected value")];
    vec![
        profile_details("resilience-reviewer", "Reviews calls to other systems, and what they do when those fail."),
        ProfileDetails { missing, ..profile_details("payments-analyst", "Reads, and writes nothing.") },
        ProfileDetails { name: "half-written".to_owned(), problems: broken, ..ProfileDetails::default() },
    ]
}

fn switch() -> ProfileSwitch {
    let ids = |ids: &[&str]| ids.iter().map(|id| (*id).to_owned()).collect::<Vec<_>>();
    ProfileSwitch {
        name: "payments-analyst".to_owned(),
        picked: ids(&["payments-api", "error-handling"]),
        unpicked: ids(&["circuit-breaker", "timeouts"]),
        still_pulled_in: ids(&["timeouts"]),
        pulled_in: vec!["legacy-errors".into()],
        released: vec!["retry-pattern".into()],
        tokens_before: 2_868,
        tokens_after: 1_204,
        waiting: 0,
        missing: ids(&["ledger", "audit"]),
        excluded: ids(&["release-notes"]),
        writes: ids(&[".jaato/refdesk/selection.json", ".jaato/templates/client.java.tmpl"]),
        removes: ids(&[".jaato/templates/breaker.java.tmpl"]),
        stays: ids(&["the profile hides selectReferences from its agent; the desk follows the configuration"]),
    }
}

fn listed(width: u16, height: u16, profiles: Vec<ProfileDetails>) -> State {
    let mut state = fixture::state(width, height);
    let asked = commands(&press(&mut state, "P"));
    let [Request::ListProfiles] = asked.as_slice() else { panic!("{asked:?}") };
    answer(&mut state, Response::Profiles { profiles, problems: Vec::new() });
    state
}

/// Opens the comparison with the row under the cursor.
fn compared(state: &mut State, switch: Result<ProfileSwitch, String>) -> PathBuf {
    let asked = commands(&press(state, "Enter"));
    let [Request::CompareProfile(file)] = asked.as_slice() else { panic!("{asked:?}") };
    let switch = switch.map(Box::new);
    answer(state, Response::ProfileCompared(switch));
    file.clone()
}

#[test]
fn windows_of_profiles() {
    for (width, height) in [(80, 24), (120, 36)] {
        let mut state = listed(width, height, all());
        press(&mut state, "j");
        insta::assert_snapshot!(format!("profiles_{width}x{height}"), screen(&state));
        compared(&mut state, Ok(switch()));
        insta::assert_snapshot!(format!("switch_{width}x{height}"), screen(&state));
    }
}

#[test]
fn a_long_list_of_ids_says_how_many_more_there_are() {
    for (width, height) in [(40, 12), (80, 24), (120, 36)] {
        let transitive = (0..60).map(|nth| format!("a-source-with-a-long-id-{nth}").as_str().into()).collect();
        let state = listed(width, height, vec![ProfileDetails { transitive, ..profile_details("wide", "Wide.") }]);
        let shown = screen(&state);
        let said = if width == 40 { "Pulls in 60 sources" } else { " more" };
        assert!(shown.contains("Pulls in") && shown.contains(said), "{shown}");
        assert!(shown.contains("Auto @team-conventions") || width == 40, "{shown}");
    }
}

#[test]
fn a_long_description_leaves_the_figures_their_rows() {
    let long = "Reviews calls to other systems, and what they do when those fail. ".repeat(12);
    for (width, height) in [(80, 24), (60, 18), (50, 16)] {
        let shown = screen(&listed(width, height, vec![profile_details("wide", &long)]));
        let lines: Vec<&str> = shown.lines().collect();
        let row = |words: &str| lines.iter().position(|line| line.contains(words));
        let (price, picks) = (row("An agent gets ~2,868 tokens"), row("Picks @circuit-breaker"));
        assert!(price.is_some() && picks > price, "{shown}");
        assert!(row("Reviews calls").is_none_or(|described| Some(described) > picks), "{shown}");
    }
}

#[test]
fn the_comparison_comes_before_the_switch() {
    let mut state = listed(100, 30, all());
    press(&mut state, "j");
    let file = compared(&mut state, Ok(switch()));
    assert!(file.ends_with("payments-analyst.json"));
    assert_eq!(commands(&press(&mut state, "Enter")), [Request::SwitchProfile { file, shown: Box::new(switch()) }]);
    assert_eq!(state.window, None);
    for key in ["Esc", "n", "q"] {
        let mut state = listed(100, 30, all());
        compared(&mut state, Ok(switch()));
        assert!(commands(&press(&mut state, key)).is_empty() && state.window.is_none(), "{key}");
    }
}

#[test]
fn the_result_of_a_switch_counts_as_the_top_line_does() {
    let mut state = listed(120, 36, all());
    compared(&mut state, Ok(switch()));
    press(&mut state, "Enter");
    let mut snapshot = fixture::snapshot();
    let members = [
        fixture::member("payments-api", 0, &[]),
        fixture::member("outside", 1, &["payments-api"]),
        fixture::member("timeouts", 1, &["payments-api"]),
    ];
    let mut sources = fixture::sources();
    let outside = fixture::local("/elsewhere/a.md", refdesk_core::catalog::PathState::Untrusted);
    sources.push(fixture::source("outside", "Outside", refdesk_core::catalog::Mode::Selectable, &[], outside));
    snapshot.catalog = std::sync::Arc::new(refdesk_core::catalog::Catalog::new(sources));
    snapshot.selection = std::sync::Arc::new(fixture::selection(members.into(), &[], &[]));
    update(&mut state, Input::Snapshot(Box::new(snapshot)));
    assert!(
        message(&state).starts_with("Switched to payments-analyst: now 1 picked, 2 pulled in, ~"),
        "{}",
        message(&state)
    );
    assert!(message(&state).contains(", 1 untrusted source"), "{}", message(&state));
    assert!(screen(&state).contains("1 picked  2 pulled in"), "{}", screen(&state));
}

#[test]
fn a_disabled_switch_says_why() {
    let mut state = listed(100, 30, Vec::new());
    assert!(screen(&state).contains("There are no profiles"), "{}", screen(&state));
    press(&mut state, "Enter");
    assert_eq!(message(&state), "there are no profiles");
    let mut state = listed(100, 30, all());
    compared(&mut state, Err("it is broken".to_owned()));
    assert!(commands(&press(&mut state, "Enter")).is_empty());
    assert_eq!(message(&state), "it is broken");
    let mut state = listed(100, 30, all());
    compared(&mut state, Ok(ProfileSwitch::default()));
    assert!(commands(&press(&mut state, "y")).is_empty());
    assert_eq!(message(&state), "these are already your picks");
}

#[test]
fn a_changed_desk_requests_a_new_comparison_and_old_answers_are_dropped() {
    let mut state = listed(100, 30, all());
    compared(&mut state, Ok(switch()));
    let mut snapshot = fixture::snapshot();
    snapshot.generation = state.snapshot.generation + 1;
    let asked = commands(&update(&mut state, Input::Snapshot(Box::new(snapshot))));
    assert!(matches!(asked.as_slice(), [Request::CompareProfile(_)]), "{asked:?}");
    assert!(commands(&press(&mut state, "Enter")).is_empty(), "what is confirmed is what is shown");
    stale(&mut state, Response::ProfileCompared(Err("old".to_owned())));
    assert_eq!(state.profiles.switch, Some(Ok(Box::new(switch()))));
}

#[test]
fn a_screen_that_starts_with_a_profile_compares_once_the_desk_is_open() {
    let mut state = State::new(ratatui::layout::Size::new(100, 30), fixture::state(100, 30).skin);
    windows::open_switch(&mut state, PathBuf::from("/x/p.json"));
    assert!(state.open_window() == Some(WindowKind::Switch));
    assert!(commands(&update(&mut state, Input::Resize(ratatui::layout::Size::new(90, 30)))).is_empty());
    let asked = commands(&update(&mut state, Input::Snapshot(Box::new(fixture::snapshot()))));
    let [Request::CompareProfile(file)] = asked.as_slice() else { panic!("{asked:?}") };
    assert_eq!(*file, PathBuf::from("/x/p.json"));
}
