//! Table tests for folding journal lines into sessions.

use super::*;
use refdesk_enrich::{ItemReceipt, MatchReason};

fn line(n: u64, session: &str, who: &str, receipt: Receipt) -> Line {
    let time = Timestamp::from_second(1_800_000_000 + i64::try_from(n).unwrap() * 60).unwrap();
    let [desk, session, who] = ["default", session, who].map(str::to_owned);
    Line { n, time: format!("{time:.3}"), desk, session, who, receipt, seal: None }
}

fn sent(items: &[(BlockKind, &str, Level)], tokens: usize) -> Receipt {
    let item = |(block, about, level): &(BlockKind, &str, Level)| {
        let why = vec![MatchReason::Rule { rule: "r".to_owned() }];
        ItemReceipt { block: *block, about: (*about).to_owned(), level: *level, bytes: 1, why, rejected: None }
    };
    let why = items.iter().map(item).collect();
    Receipt { why, tokens, text: Some("x".to_owned()), ..Receipt::new(JournalEvent::Enriched) }
}

fn about(what: JournalEvent, ids: &[&str], tokens: usize) -> Receipt {
    Receipt { about: ids.iter().map(|id| (*id).to_owned()).collect(), tokens, ..Receipt::new(what) }
}

fn folded(lines: &[(&str, &str, Receipt)]) -> Vec<Arc<AgentSession>> {
    let mut activity = Activity::default();
    for ((session, who, receipt), n) in lines.iter().zip(1..) {
        activity.add(&line(n, session, who, receipt.clone()));
    }
    activity.shown()
}

#[test]
fn lines_add_up_to_sessions() {
    use BlockKind::{Expansion, Hint, Notice};
    let sessions = folded(&[
        ("s1", "claude-code", Receipt { tokens: 700, ..Receipt::new(JournalEvent::Instructed) }),
        ("s2", "codex", about(JournalEvent::Failed, &[], 0)),
        (
            "s1",
            "claude-code",
            sent(
                &[
                    (Hint, "a", Level::Full),
                    (Hint, "b", Level::Brief),
                    (Expansion, "c", Level::Full),
                    (Notice, "d", Level::Full),
                    (Hint, "left", Level::Count),
                ],
                30,
            ),
        ),
        ("s1", "claude-code over mcp", about(JournalEvent::Read, &["a"], 500)),
        ("s1", "claude-code over mcp", about(JournalEvent::Selected, &["c", "e"], 0)),
        ("s1", "refdesk unselect", about(JournalEvent::Unselected, &["e"], 0)),
        ("mine", "a screen", about(JournalEvent::Selected, &["a"], 0)),
        ("s3", "refdesk enrich", sent(&[(Hint, "a", Level::Full)], 7)),
        // A hook of an unknown agent.
        ("s4", "refdesk hook", about(JournalEvent::Failed, &[], 0)),
        // A hook that could not read its input is recorded in the default session, like a person's commands.
        ("default", "refdesk search", about(JournalEvent::Read, &["a"], 2_000)),
        ("default", "codex", about(JournalEvent::Failed, &[], 0)),
        ("default", "a screen", about(JournalEvent::Selected, &["a"], 0)),
    ]);
    let rows: Vec<String> = sessions
        .iter()
        .map(|it| {
            let AgentSession { session, agent, sent, sent_tokens, reads, read_tokens, picks, failures, .. } = &**it;
            let followed = format!(
                "{}/{} {}/{}",
                it.hints.followed, it.hints.offered, it.expansions.followed, it.expansions.offered
            );
            format!("{session} {agent}: {sent} ~{sent_tokens}, {reads} ~{read_tokens}, {picks}, {failures}, {followed}")
        })
        .collect();
    assert_eq!(
        rows,
        [
            "default codex: 0 ~0, 0 ~0, 0, 1, 0/0 0/0",
            "s3 refdesk enrich: 1 ~7, 0 ~0, 0, 0, 0/1 0/0",
            "s1 claude-code: 2 ~730, 1 ~500, 2, 0, 1/2 1/1",
            "s2 codex: 0 ~0, 0 ~0, 0, 1, 0/0 0/0",
        ]
    );
    let known: Vec<String> = sessions[2].known.iter().map(|(id, it)| format!("{id} {}", it.words(id == "c"))).collect();
    assert_eq!(known, ["a read, hinted at", "b hinted at", "c picked, sent", "d named in a notice"]);
    let lines: Vec<(&str, bool, Option<&str>)> =
        sessions[2].lines.iter().map(|it| (it.text.as_str(), it.has_text, it.subject.as_deref())).collect();
    assert_eq!(
        lines[..3],
        [("Unpicked @e", false, Some("e")), ("Picked @c, @e", false, Some("c")), ("Read @a", false, Some("a")),]
    );
    assert_eq!(sessions[2].periods.tokens(), [700, 0, 30, 500]);
}

#[test]
fn a_read_of_a_file_that_sources_share_is_one_read_and_leads_to_the_first() {
    let sessions = folded(&[
        ("s", "codex", about(JournalEvent::Read, &["a", "b"], 100)),
        ("s", "codex", about(JournalEvent::Read, &[], 0)),
        ("s", "codex", about(JournalEvent::Read, &["a"], 100)),
    ]);
    assert_eq!(sessions[0].reads, 2, "a search that found nothing read nothing");
    let lines = sessions[0].lines.iter().map(|line| (line.subject.as_deref(), line.several));
    assert_eq!(lines.collect::<Vec<_>>(), [(Some("a"), false), (None, false), (Some("a"), true)]);
}

#[test]
fn the_tokens_of_lines_add_up_to_those_of_their_session() {
    let sized = |what, tokens| Receipt { tokens, ..Receipt::new(what) };
    let sessions = folded(&[
        ("s", "codex", sized(JournalEvent::Instructed, 300)),
        ("s", "codex", sent(&[], 50)),
        ("s", "codex", about(JournalEvent::Read, &["a"], 100)),
        // Neither a file rendered for a person nor a request reaches the agent.
        ("s", "codex", sized(JournalEvent::Rendered, 676)),
        ("s", "codex", sized(JournalEvent::Written, 676)),
        ("s", "codex", sized(JournalEvent::Asked, 20)),
    ]);
    let tokens: Vec<u64> = sessions[0].lines.iter().map(|line| line.tokens).collect();
    assert_eq!((tokens, sessions[0].tokens()), (vec![0, 0, 0, 100, 50, 300], 450));
}

#[test]
fn a_cleared_session_has_no_knowledge_but_keeps_its_cost() {
    use BlockKind::{Expansion, Hint};
    let hint = || sent(&[(Hint, "a", Level::Full)], 10);
    let expanded = |level| sent(&[(Expansion, "a", level)], 10);
    let mut given_above = expanded(Level::Full);
    given_above.why[0].why = vec![MatchReason::Rule { rule: "given above".to_owned() }];
    let forgot = || Receipt::new(JournalEvent::Forgot);
    for (lines, known, tokens) in [
        (vec![hint(), hint(), hint()], vec!["a hinted at 3 times"], 30),
        (vec![expanded(Level::Brief), expanded(Level::Full), given_above], vec!["a sent, told"], 30),
        (vec![hint(), hint(), forgot()], vec![], 20),
        (vec![hint(), forgot(), hint(), about(JournalEvent::Read, &["b"], 5)], vec!["a hinted at", "b read"], 25),
    ] {
        let lines: Vec<_> = lines.into_iter().map(|receipt| ("s", "codex", receipt)).collect();
        let session = folded(&lines).remove(0);
        let words: Vec<String> = session.known.iter().map(|(id, it)| format!("{id} {}", it.words(true))).collect();
        assert_eq!((words, session.tokens()), (known.into_iter().map(str::to_owned).collect(), tokens));
    }
}

#[test]
fn sessions_and_lines_are_limited_to_the_newest() {
    let mut activity = Activity::default();
    let sessions = u64::try_from(5 * MAX_SESSIONS).unwrap();
    for n in 1..=sessions {
        activity.add(&line(n, &format!("s{n}"), "codex", about(JournalEvent::Read, &["a"], 1)));
        assert!(activity.sessions.len() <= 2 * MAX_SESSIONS);
    }
    for n in sessions + 1..=sessions + 300 {
        activity.add(&line(n, "long", "codex", about(JournalEvent::Read, &["a"], 1)));
    }
    let shown = activity.shown();
    assert_eq!((shown.len(), shown[0].session.as_str(), shown[0].reads), (MAX_SESSIONS, "long", 300));
    assert_eq!((shown[0].lines.len(), shown[0].lines[0].number), (MAX_LINES, sessions + 300));
    assert_eq!(shown[1].session, format!("s{sessions}"));
}

#[test]
fn sessions_at_the_same_time_are_limited_too() {
    let mut activity = Activity::default();
    for n in 0..5 * MAX_SESSIONS {
        activity.add(&line(1, &format!("s{n}"), "codex", about(JournalEvent::Read, &["a"], 1)));
        assert!(activity.sessions.len() <= 2 * MAX_SESSIONS);
    }
    assert!(!activity.shown().is_empty());
}

#[test]
fn an_unchanged_session_is_not_copied() {
    let mut activity = Activity::default();
    activity.add(&line(1, "one", "codex", about(JournalEvent::Read, &["a"], 1)));
    activity.add(&line(2, "two", "codex", about(JournalEvent::Read, &["a"], 1)));
    let before = activity.shown();
    activity.add(&line(3, "two", "codex", about(JournalEvent::Read, &["a"], 1)));
    let after = activity.shown();
    assert!(Arc::ptr_eq(&before[1], &after[1]) && !Arc::ptr_eq(&before[0], &after[0]));
}
