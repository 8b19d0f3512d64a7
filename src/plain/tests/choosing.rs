//! Picks and exclusions, with what follows from them.

use refdesk_desk::SelectionChange;
use refdesk_desk::engine::Snapshot;

use super::*;

fn change(enters: &[&str], leaves: &[&str], tokens: u64) -> SelectionChange {
    let ids = |ids: &[&str]| ids.iter().map(|id| (*id).into()).collect();
    SelectionChange { enters: ids(enters), leaves: ids(leaves), tokens_in: tokens, tokens_out: 0 }
}

#[test]
fn a_pick_says_what_followed() {
    let mut state = state();
    let request = asked(&mut state, "pick java-service");
    assert_eq!(request, Request::PreviewPicks { one: None, all: vec!["java-service".into()] });
    let preview = Response::PicksPreview { one: change(&[], &[], 0), all: change(&["java-service"], &[], 100) };
    let turn = answered(&mut state, preview);
    assert_eq!(turn.lines, [""; 0]);
    assert_eq!(turn.effects, [PlainEffect::Ask(Request::pick("java-service"))]);
    let members = vec![
        fixture::member("java-service", 0, &[]),
        fixture::member("circuit-breaker", 0, &[]),
        fixture::member("release-notes", 1, &["java-service"]),
    ];
    let after = Snapshot {
        selection: fixture::selection(members, &[], &[]).into(),
        undo: Some("pick of @java-service".into()),
        ..fixture::snapshot()
    };
    update(&mut state, PlainInput::Snapshot(Box::new(after)));
    assert_eq!(
        answered(&mut state, Response::Done(Vec::new())).lines,
        [
            "Picked java-service.",
            "1 more source came, about 5,120 tokens: release-notes.",
            "4 more sources left, about 2,868 tokens: retry-pattern, timeouts, error-handling and legacy-errors.",
            "The selection has 3 sources. With the auto sources, an agent gets about 30,750 tokens.",
            "Type undo to undo it.",
        ]
    );
}

#[test]
fn a_large_consequence_is_said_before() {
    let preview =
        || Response::PicksPreview { one: change(&[], &[], 0), all: change(&["java-service", "x"], &[], 10_001) };
    for (answer, lines, effects) in
        [("yes", &[][..], 1), ("No", &["Nothing was changed."], 0), ("perhaps", &["Please type yes or no."], 0)]
    {
        let mut state = state();
        asked(&mut state, "pick java-service");
        assert_eq!(
            answered(&mut state, preview()).lines,
            [
                "Picking java-service would pull in 1 more source, about 10,001 tokens together.",
                "Type yes to do it, near to pull in only what it mentions itself, alone to pull in nothing, or no.",
            ]
        );
        let turn = typed(&mut state, answer);
        assert_eq!(turn.lines, lines, "{answer}");
        assert_eq!(turn.effects.len(), effects, "{answer}");
    }
}

#[test]
fn what_cannot_be_chosen_says_why() {
    for (line, expected) in [
        ("pick circuit-breaker", "circuit-breaker is picked already."),
        (
            "pick timeouts",
            "timeouts is pulled in by circuit-breaker, retry-pattern already. Type keep timeouts to keep it whatever \
             leaves, or exclude timeouts.",
        ),
        ("keep legacy-errors", "legacy-errors is missing: docs/legacy/codes.md does not exist. Fix its path."),
        ("keep circuit-breaker", "circuit-breaker is a pick already."),
        ("keep java-service", "java-service is not pulled in by anything. Type pick java-service to pick it."),
        ("unpick java-service", "java-service is not picked."),
        ("unpick timeouts", "timeouts is not a pick: it is pulled in by circuit-breaker, retry-pattern."),
        ("include timeouts", "timeouts is not excluded."),
        ("exclude release-notes", "release-notes is excluded already. Type include release-notes to lift that."),
        ("undo", "There is nothing to undo."),
        ("redo", "There is nothing to redo."),
    ] {
        assert_eq!(said(&mut state(), line), [expected], "{line}");
    }
    let mut state = state();
    assert!(matches!(asked(&mut state, "unpick old-runbook"), Request::PreviewSelection(_)), "dormant picks too");
}

#[test]
fn clearing_asks_first() {
    let mut state = state();
    assert_eq!(
        said(&mut state, "clear"),
        [
            "This clears 2 picks. 4 sources pulled in may leave with them.",
            "Type yes to clear them, or no to change nothing.",
        ]
    );
    assert_eq!(asked(&mut state, "y"), Request::Clear);
}
