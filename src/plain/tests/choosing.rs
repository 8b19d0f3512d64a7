//! Picks and exclusions, and their consequences.

use crate::common::change_cost::of_sources;

use refdesk_core::catalog::SourceId;
use refdesk_desk::engine::{PickReach, Snapshot};
use refdesk_desk::{BulkChange, BulkPreview, LargePick, SelectionChange};

use super::super::update::before_line;
use super::*;

fn change(enters: &[&str], leaves: &[&str], tokens: i64) -> SelectionChange {
    let ids = |ids: &[&str]| ids.iter().map(|id| (*id).into()).collect();
    SelectionChange { enters: ids(enters), leaves: ids(leaves), cost: of_sources(tokens), ..SelectionChange::default() }
}

#[test]
fn a_pick_says_what_followed() {
    let mut state = state();
    assert_eq!(asked(&mut state, "pick java-service"), Request::pick_if_few("java-service"));
    let members = vec![
        fixture::member("java-service", 0, &[]),
        fixture::member("circuit-breaker", 0, &[]),
        fixture::member("release-notes", 1, &["java-service"]),
    ];
    state.snapshot = Snapshot {
        selection: fixture::selection(members, &[], &[]).into(),
        undo: Some("pick of @java-service".into()),
        ..fixture::snapshot()
    };
    assert_eq!(
        answered(&mut state, Response::Done(Vec::new())).lines,
        [
            "Picked java-service.",
            "1 more source pulled in: release-notes.",
            "4 more sources released: retry-pattern, timeouts, error-handling and legacy-errors.",
            "That is about 26,122 tokens more.",
            "The selection has 3 sources. With the auto sources, an agent gets about 30,750 tokens.",
            "Type undo to undo it.",
        ]
    );
}

#[test]
fn unpicking_says_what_stays_because_others_mention_it() {
    let mut state = state();
    let mut members = state.snapshot.selection.members().to_vec();
    let after = state.snapshot.selection.clone();
    members.retain(|member| member.id.as_str() != "timeouts");
    members.push(fixture::member("timeouts", 0, &[]));
    state.snapshot.selection = fixture::selection(members, &[], &[]).into();
    asked(&mut state, "unpick timeouts");
    let unpick = BulkChange { ids: vec!["timeouts".into()], change: change(&[], &[], 0) };
    let turn = answered(&mut state, Response::BulkPreview(Box::new(BulkPreview { unpick, ..BulkPreview::default() })));
    assert_eq!(turn.effects, [PlainEffect::Ask(Request::unpick("timeouts"))]);
    state.snapshot = Snapshot { selection: after, ..fixture::snapshot() };
    assert_eq!(
        answered(&mut state, Response::Done(Vec::new())).lines[..3],
        [
            "Unpicked timeouts.",
            "It is still pulled in by circuit-breaker, retry-pattern.",
            "Type exclude timeouts to keep it out.",
        ]
    );
}

#[test]
fn what_followed_says_how_many_are_untrusted() {
    let mut state = state();
    let mut sources = fixture::sources();
    for source in sources.iter_mut().filter(|it| ["retry-pattern", "release-notes"].contains(&it.id.as_str())) {
        source.kind = fixture::local("/elsewhere/a.md", refdesk_core::catalog::PathState::Untrusted);
    }
    state.snapshot.catalog = std::sync::Arc::new(refdesk_core::catalog::Catalog::new(sources));
    asked(&mut state, "pick java-service");
    let members = vec![
        fixture::member("java-service", 0, &[]),
        fixture::member("circuit-breaker", 0, &[]),
        fixture::member("release-notes", 1, &["java-service"]),
    ];
    let selection = fixture::selection(members, &[], &[]).into();
    state.snapshot = Snapshot { selection, catalog: state.snapshot.catalog.clone(), ..fixture::snapshot() };
    assert_eq!(
        answered(&mut state, Response::Done(Vec::new())).lines[1..3],
        [
            "1 more source pulled in, untrusted: release-notes.",
            "4 more sources released, 1 of them untrusted: retry-pattern, timeouts, error-handling and legacy-errors.",
        ]
    );
}

#[test]
fn a_pulled_in_auto_source_adds_no_cost() {
    let mut state = state();
    asked(&mut state, "pick java-service");
    let members = state.snapshot.selection.members().iter().cloned().chain([
        fixture::member("java-service", 0, &[]),
        fixture::member("release-notes", 1, &["java-service"]),
        fixture::member("team-conventions", 1, &["java-service"]),
    ]);
    let selection = fixture::selection(members.collect(), &[], &[]);
    state.snapshot = Snapshot { selection: selection.into(), instructions: 812, ..fixture::snapshot() };
    let lines = answered(&mut state, Response::Done(Vec::new())).lines;
    assert_eq!(
        lines,
        [
            "Picked java-service.",
            "1 more source pulled in: release-notes.",
            "That is about 28,990 tokens more (about 29,784 with instructions).",
            "The selection has 7 sources. With the auto sources that is about 33,618 tokens; with the instructions, an agent \
             gets about 34,412 tokens.",
        ],
        "4,628 + 28,990 = 33,618"
    );
}

#[test]
fn a_large_consequence_is_shown_first() {
    let pick = LargePick {
        ids: vec!["java-service".into()],
        whole: change(&["java-service", "x", "y"], &[], 76_475),
        near: change(&["java-service", "x"], &[], 9_310),
        alone: SelectionChange { trusts: vec!["payments-api".into()], ..change(&["java-service"], &[], 2_769) },
        excludes: [1, 1],
    };
    let reached = |reach| Some(Request::PickWithin { ids: vec!["java-service".into()], reach });
    for (answer, lines, request) in [
        ("yes", &[][..], reached(PickReach::All)),
        ("near", &[], reached(PickReach::Near)),
        ("Alone", &[], reached(PickReach::Alone)),
        ("No", &["Nothing was changed."], None),
        ("perhaps", &["Please type yes, near, alone or no."], None),
    ] {
        let mut state = state();
        asked(&mut state, "pick java-service");
        assert_eq!(
            answered(&mut state, Response::LargePick(Box::new(pick.clone()))).lines,
            [
                "Picking java-service would pull in 2 more sources, about 76,475 tokens in all.",
                "With only what it mentions itself, it would pull in 1 more source, about 9,310 tokens in all.",
                "Alone, it would add about 2,769 tokens; agents may then fetch payments-api.",
                "Type yes to pick all, near to pull in only what it mentions itself, alone to pull in nothing, or no.",
            ]
        );
        assert_eq!(before_line(&mut state).lines, ["Yes, near, alone or no:"]);
        let turn = typed(&mut state, answer);
        assert_eq!(turn.lines, lines, "{answer}");
        assert_eq!(turn.effects, request.map(PlainEffect::Ask).into_iter().collect::<Vec<_>>(), "{answer}");
    }
}

#[test]
fn the_size_of_several_picks_is_their_total() {
    for (tokens, lines) in [
        (10_000, &[][..]),
        (
            10_001,
            &[
                "Picking java-service and payments-api would pull in 1 more source, about 10,001 tokens in all.",
                "Type yes to do it, or no to change nothing.",
            ],
        ),
    ] {
        let mut state = state();
        let all = vec!["java-service".into(), "payments-api".into()];
        assert_eq!(asked(&mut state, "pick java-service payments-api"), Request::PreviewPicks { one: None, all });
        let all = change(&["java-service", "payments-api", "x"], &[], tokens);
        assert_eq!(answered(&mut state, Response::PicksPreview { one: change(&[], &[], 0), all }).lines, lines);
    }
}

#[test]
fn refusals_by_the_engine_are_printed() {
    let refusal = || refdesk_text::Error::new(refdesk_text::Code::Damaged, "the catalog is damaged", "mend it");
    let expected = ["The catalog is damaged.", "Mend it."];
    for line in ["pick java-service", "pick java-service payments-api", "exclude timeouts", "search x", "preview 1"] {
        let mut state = state();
        output(&mut state, "templates");
        asked(&mut state, line);
        assert_eq!(answered(&mut state, Response::Done(vec![refusal()])).lines, expected, "{line}");
    }
    let mut state = state();
    asked(&mut state, "reload");
    assert_eq!(answered(&mut state, Response::Done(vec![refusal()])).lines[..2], expected);
    asked(&mut state, "search x");
    assert_eq!(
        answered(&mut state, Response::Done(Vec::new())).lines,
        ["refdesk gave an unexpected answer. Please type the command again."]
    );
}

#[test]
fn unavailable_choices_say_why() {
    for (line, expected) in [
        ("pick circuit-breaker", "circuit-breaker is already picked."),
        (
            "pick timeouts",
            "timeouts is pulled in by circuit-breaker and retry-pattern already. Type keep timeouts to keep it even if \
             what pulled it in leaves, or exclude timeouts.",
        ),
        ("keep legacy-errors", "legacy-errors is missing: docs/legacy/codes.md does not exist. Correct its path."),
        ("keep circuit-breaker", "circuit-breaker is already picked."),
        ("keep java-service", "java-service is not pulled in by anything. Type pick java-service to pick it."),
        ("unpick java-service", "java-service is not picked."),
        ("unpick timeouts", "timeouts is not a pick: it is pulled in by circuit-breaker and retry-pattern."),
        ("include timeouts", "timeouts is not excluded."),
        ("undo", "There is nothing to undo."),
        ("redo", "There is nothing to redo."),
    ] {
        assert_eq!(output(&mut state(), line), [expected], "{line}");
    }
    let mut state = state();
    assert!(matches!(asked(&mut state, "unpick old-runbook"), Request::PreviewBulk(_)), "dormant picks too");
}

#[test]
fn a_pick_says_that_it_lifts_an_exclusion_and_waits_for_trust() {
    let mut state = state();
    asked(&mut state, "pick release-notes");
    let mut sources = fixture::sources();
    sources.retain(|source| source.id.as_str() != "release-notes");
    let outside = fixture::local("/elsewhere/a.md", refdesk_core::catalog::PathState::Untrusted);
    sources.push(fixture::source("release-notes", "Notes", refdesk_core::catalog::Mode::Selectable, &[], outside));
    let members = vec![fixture::member("release-notes", 0, &[])];
    state.snapshot = Snapshot {
        catalog: std::sync::Arc::new(refdesk_core::catalog::Catalog::new(sources)),
        selection: fixture::selection(members, &[], &[]).into(),
        ..fixture::snapshot()
    };
    assert_eq!(
        answered(&mut state, Response::Done(Vec::new())).lines[..3],
        [
            "Picked release-notes.",
            "release-notes is no longer excluded.",
            "release-notes waits for your trust. Type trust to see why.",
        ]
    );
}

#[test]
fn a_pick_names_what_it_trusts_besides() {
    let catalog_with = |place| {
        let mut sources = fixture::sources();
        sources.retain(|source| source.id.as_str() != "release-notes");
        let selectable = refdesk_core::catalog::Mode::Selectable;
        sources.push(fixture::source("release-notes", "Notes", selectable, &[], place));
        std::sync::Arc::new(refdesk_core::catalog::Catalog::new(sources))
    };
    let note = |state| fixture::local("/elsewhere/a.md", state);
    let snapshot = |place, ids: &[&str]| {
        let members = ids.iter().map(|id| fixture::member(id, 0, &[])).collect();
        let selection = fixture::selection(members, &[], &[]).into();
        Snapshot { catalog: catalog_with(note(place)), selection, ..fixture::snapshot() }
    };
    for (line, after, is_trusted) in [
        ("pick timeouts", &["release-notes", "timeouts"][..], true),
        ("exclude release-notes", &[], false),
        ("unpick release-notes", &[], false),
        ("clear", &[], false),
    ] {
        let mut state = state();
        state.snapshot = snapshot(refdesk_core::catalog::PathState::Untrusted, &["release-notes"]);
        drop(typed(&mut state, line));
        match line.split_once(' ') {
            None => drop(typed(&mut state, "yes")),
            Some(("pick", _)) => {}
            Some(_) => drop(answered(&mut state, Response::BulkPreview(Box::default()))),
        }
        // What is not selected does not wait, whether it is trusted or not.
        state.snapshot = snapshot(refdesk_core::catalog::PathState::File, after);
        let lines = answered(&mut state, Response::Done(Vec::new())).lines;
        let said = lines.iter().any(|line| line == "Agents may now fetch release-notes.");
        assert_eq!(said, is_trusted, "{line}: {lines:?}");
    }
}

#[test]
fn only_an_exclusion_for_a_pick_can_be_made_ones_own() {
    let done = "release-notes is already excluded. Type include release-notes to lift that.";
    for (line, can_exclude, lines, requested) in [
        ("exclude release-notes", &[][..], &[done][..], &[][..]),
        ("exclude release-notes", &["release-notes"], &[], &["release-notes"]),
        ("exclude release-notes timeouts", &["timeouts"], &[done], &["timeouts"]),
    ] {
        let ids = |ids: &[&str]| ids.iter().map(|id| (*id).into()).collect::<Vec<SourceId>>();
        let mut state = state();
        assert!(matches!(asked(&mut state, line), Request::PreviewBulk(_)), "{line}");
        let exclude = BulkChange { ids: ids(can_exclude), ..BulkChange::default() };
        let preview = BulkPreview { exclude, ..BulkPreview::default() };
        let turn = answered(&mut state, Response::BulkPreview(Box::new(preview)));
        assert_eq!(turn.lines, lines, "{line} {can_exclude:?}");
        let request = (!requested.is_empty()).then(|| PlainEffect::Ask(Request::Exclude(ids(requested))));
        assert_eq!(turn.effects, request.into_iter().collect::<Vec<_>>(), "{line} {can_exclude:?}");
    }
}

#[test]
fn excluded_auto_sources_stay_in_the_instructions() {
    for (line, expected) in [
        (
            "exclude team-conventions",
            "Excluded team-conventions: nothing pulls it in. Its mode is auto, so it stays in the instructions.",
        ),
        (
            "exclude team-conventions java-service",
            "Excluded team-conventions and java-service. Auto sources stay in the instructions: team-conventions.",
        ),
        ("exclude java-service", "Excluded java-service."),
    ] {
        let mut state = state();
        asked(&mut state, line);
        assert_eq!(answered(&mut state, Response::BulkPreview(Box::default())).lines, [""; 0], "{line}");
        state.snapshot = Snapshot { undo: Some("exclusion".into()), ..fixture::snapshot() };
        assert_eq!(answered(&mut state, Response::Done(Vec::new())).lines[0], expected, "{line}");
    }
}

#[test]
fn undo_names_a_pick_that_stayed_pulled_in() {
    let members = |depth, parents: &[&str]| {
        vec![fixture::member("circuit-breaker", 0, &[]), fixture::member("retry-pattern", depth, parents)]
    };
    for (from, to, expected) in [
        (members(1, &["circuit-breaker"]), members(0, &[]), "1 source picked: retry-pattern."),
        (members(0, &[]), members(1, &["circuit-breaker"]), "1 source unpicked: retry-pattern."),
    ] {
        let mut state = state();
        let snapshot = |members| Snapshot {
            selection: fixture::selection(members, &[], &[]).into(),
            undo: Some("switch to review".into()),
            ..fixture::snapshot()
        };
        state.snapshot = snapshot(from);
        assert_eq!(asked(&mut state, "undo"), Request::Undo);
        state.snapshot = snapshot(to);
        let lines = answered(&mut state, Response::Done(Vec::new())).lines;
        assert!(lines.iter().any(|line| line == expected), "{lines:?}");
    }
}

#[test]
fn clearing_asks_first() {
    let mut state = state();
    assert_eq!(
        output(&mut state, "clear"),
        [
            "This clears 2 picks. 4 sources pulled in may leave with them.",
            "Auto sources stay in the instructions: team-conventions.",
            "Exclusions stay: release-notes.",
            "Type yes to clear them, or no to change nothing.",
        ]
    );
    assert_eq!(asked(&mut state, "y"), Request::Clear);
}

#[test]
fn several_sources_are_changed_in_one_command() {
    let all = |ids: &[&str]| ids.iter().map(|id| (*id).into()).collect::<Vec<_>>();
    let mut state = state();
    output(&mut state, "filter selected");
    let selected = ["circuit-breaker", "retry-pattern", "timeouts", "error-handling", "legacy-errors"];
    for (line, request) in [
        ("exclude timeouts, retry-pattern timeouts", Request::PreviewBulk(all(&["timeouts", "retry-pattern"]))),
        ("exclude all", Request::PreviewBulk(all(&selected))),
        ("keep timeouts retry-pattern", Request::PreviewPicks { one: None, all: all(&["timeouts", "retry-pattern"]) }),
        ("unpick circuit-breaker old-runbook", Request::PreviewBulk(all(&["circuit-breaker", "old-runbook"]))),
    ] {
        assert_eq!(asked(&mut state, line), request, "{line}");
    }
    let [one, two] = ["circuit-breaker", "old-runbook"].map(SourceId::from);
    let unpick = BulkChange { ids: vec![one, two], change: change(&[], &["circuit-breaker", "timeouts"], -1_250) };
    let preview = BulkPreview { sources: 2, unpick, ..BulkPreview::default() };
    let turn = answered(&mut state, Response::BulkPreview(Box::new(preview)));
    assert_eq!(turn.effects, [PlainEffect::Ask(Request::Unpick(all(&["circuit-breaker", "old-runbook"])))]);
    let lines = ["The filter is invalid, so nothing is listed. tokens: needs < or > and a number, as in tokens:>5k."];
    assert_eq!(output(&mut state, "filter tokens:5k"), lines);
    assert_eq!(output(&mut state, "pick all").len(), 1, "nothing is listed");
    let mut state = super::state();
    assert_eq!(output(&mut state, "exclude all"), ["The last list has no sources. Type catalog for a list."]);
}
