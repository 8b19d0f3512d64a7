//! For any input and any answer: no panic, and every output is a single line.

use proptest::prelude::*;

use super::super::command::COMMANDS;
use super::super::state::InputOwner;
use super::super::update::before_line;
use super::*;
use refdesk_desk::engine::{PickReach, Snapshot};
use refdesk_desk::{
    BulkChange, BulkPreview, Document, FileLine, LargePick, Price, ProfileDetails, ProfileSwitch, SearchAnswer,
    SearchHit, SearchMode, SelectionChange,
};
use refdesk_enrich::{BlockKind, Findings, Hint, Level};
use refdesk_files::output::{WriteFailure, WrittenFile};

/// A line: a command with arguments, a number, an answer, or arbitrary text.
fn line() -> impl Strategy<Value = String> {
    let names: Vec<&str> = COMMANDS.iter().flat_map(|command| command.names.iter().copied()).collect();
    let arguments = prop_oneof![
        Just(String::new()),
        (0..30usize).prop_map(|number| number.to_string()),
        prop::sample::select(vec![
            "java-service",
            "@timeouts",
            "legacy-errors",
            "release-notes",
            "old-runbook",
            "tokens",
            "1 3 5",
            "a, b",
            "\u{1b}[2J"
        ])
        .prop_map(str::to_owned),
        any::<String>(),
    ];
    prop_oneof![
        4 => (prop::sample::select(names), arguments).prop_map(|(name, argument)| format!("{name} {argument}")),
        1 => (0..30usize).prop_map(|number| number.to_string()),
        1 => prop::sample::select(vec!["yes", "no", "", ".", "none"]).prop_map(str::to_owned),
        1 => any::<String>(),
    ]
}

/// An answer that may or may not fit the request.
fn response(request: &Request, other: bool) -> Response {
    let change = SelectionChange {
        enters: vec!["java-service".into(), "x".into()],
        cost: crate::common::change_cost::of_sources(20_000),
        ..SelectionChange::default()
    };
    match request {
        _ if other => Response::Done(Vec::new()),
        Request::PreviewPicks { .. } => Response::PicksPreview { one: change.clone(), all: change },
        Request::PreviewBulk(ids) => {
            let change = BulkChange { ids: ids.clone(), change };
            let [pick, unpick, exclude, include] = [(); 4].map(|()| change.clone());
            Response::BulkPreview(Box::new(BulkPreview { sources: ids.len(), pick, unpick, exclude, include }))
        }
        Request::AnalyseGraph => crate::fixture::analysis(&crate::fixture::in_graph(80, 24, "")),
        Request::Databases => Response::Databases(std::sync::Arc::new(fixture::overview())),
        Request::DatabasePage { path, .. } => Response::DatabasePage(Box::new(fixture::page(path))),
        Request::PrepareDatabases(_) => Response::DatabasesPrepared(Ok(Box::new(fixture::prepared_run()))),
        Request::WriteDatabases(_) => Response::DatabasesWritten(Ok(Box::default())),
        Request::PreviewSelection(id) => {
            Response::SelectionPreview(fixture::preview_selection(id.as_str(), &["x"], &["timeouts"]))
        }
        Request::Match(_) => Response::Findings(Findings {
            hints: vec![Hint {
                id: "x\u{1b}".into(),
                tags: vec!["t".to_owned()],
                firsts: vec![900],
                ranges: Vec::new(),
                is_in_code: false,
            }],
            considered: Some(vec![fixture::considered("release-notes", true), fixture::considered("timeouts", false)]),
            ..Findings::default()
        }),
        Request::Simulate { prompt, .. } => Response::Simulation {
            enriched: Box::new(fixture::enriched(prompt, &[(BlockKind::Hint, Level::Brief, "a\u{1b}[m")])),
            problems: Vec::new(),
        },
        Request::Preview { template, path: Some(path), .. } => {
            let outcome = Ok(fixture::proposed("new\u{1b}[m\r\n", path, Some("old\n")));
            Response::Preview { template: template.clone(), outcome }
        }
        Request::Preview { template, .. } => {
            Response::Preview { template: template.clone(), outcome: Err(fixture::unrendered("no\nway", Some(3))) }
        }
        Request::ListProfiles => Response::Profiles { profiles: vec![ProfileDetails::default()], problems: Vec::new() },
        Request::CompareProfile(_) => {
            let switch = ProfileSwitch { picked: vec!["a\u{1b}".to_owned()], ..ProfileSwitch::default() };
            Response::ProfileCompared(Ok(Box::new(switch)))
        }
        Request::Read { id, .. } => {
            let rest = 5_000;
            Response::Document(Document { next: 10, rest, ..fixture::document(id.as_str(), fixture::TEXT) })
        }
        Request::ReadOn { id, from, .. } => {
            let caption = "it cannot be read: no\u{1b}[m".to_owned();
            let part = fixture::document(id.as_str(), "rest\u{1b}[m\r\n");
            Response::Document(Document { from: *from, next: from + 5, caption, ..part })
        }
        Request::PickWithin { ids, reach: PickReach::AllIfFew } => Response::LargePick(Box::new(LargePick {
            ids: ids.clone(),
            whole: change.clone(),
            near: change.clone(),
            alone: SelectionChange::default(),
            excludes: [1, 2],
        })),
        Request::Search(_) => Response::Found(Ok(Box::new(SearchAnswer {
            hits: vec![SearchHit { line: 40, excerpt: "\u{1b}[m\nb".to_owned(), ..fixture::hit("timeouts\u{1b}") }],
            notes: vec!["no\nnote".to_owned()],
            query: "q".to_owned(),
            mode: SearchMode::Words,
            tokens_used: 0,
            partial: None,
            explains_no_hits: false,
        }))),
        Request::Locate(_) => Response::Located(FileLine { path: "/x\u{1b}[m".into(), line: 3 }),
        Request::JournalLine(number) => {
            let (_, line) = fixture::receipt(*number, "s\u{1b}[m");
            Response::JournalLine(Ok(fixture::dated(line)))
        }
        Request::Price(_) => Response::Price(Price { instructions: 1, prompt: u64::MAX }),
        Request::Write { proposal, .. } => {
            let refused = refdesk_text::Error::new(refdesk_text::Code::Changed, "changed\u{1b}[m", "");
            let is_first = proposal.text.len() % 2 == 0;
            let written = WrittenFile { shown: proposal.shown.clone(), bytes: 3, lines: 1 };
            let current = vec![(**proposal).clone()];
            Response::Written(if is_first { Ok(written) } else { Err(WriteFailure { refused, current }) })
        }
        _ => Response::Done(vec![refdesk_text::Error::new(refdesk_text::Code::Outside, "no\u{1b}[m\nway", "do this")]),
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, ..ProptestConfig::default() })]
    #[test]
    fn no_line_panics_or_says_anything_but_lines(lines in prop::collection::vec((line(), any::<bool>()), 1..20)) {
        let mut state = PlainState { input_owner: InputOwner::Person, ..state() };
        let write = fixture::asking_to_write("w", "x\u{1b}[m", "a", "--- a\n+\u{202e}b\n", &["\u{7}"]);
        let choice = fixture::asking("r", "c", "why", &["timeouts", "java-service"]);
        state.snapshot = Snapshot {
            untrusted: fixture::untrusted_snapshot(&[("\u{1b}]0;x", 1)]).untrusted,
            undo: Some("pick of @a".into()),
            ..fixture::with_requests(&[write, choice])
        };
        for (line, other) in lines {
            let mut turns = vec![before_line(&mut state), typed(&mut state, &line)];
            // A request leads to a few others at most.
            for _ in 0..10 {
                let Some(turn) = turns.pop() else { break };
                for printed in &turn.lines {
                    prop_assert!(!printed.chars().any(char::is_control), "{printed:?}");
                }
                for effect in turn.effects {
                    if let PlainEffect::Ask(request) = effect {
                        turns.push(answered(&mut state, response(&request, other)));
                    }
                }
            }
            prop_assert!(turns.is_empty(), "{line:?} has no end");
        }
    }
}
