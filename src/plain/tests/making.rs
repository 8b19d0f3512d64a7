//! Prompts, templates, problems, profiles and the feed.

use std::sync::Arc;

use refdesk_desk::engine::{Audience, Event, Notice};
use refdesk_desk::{ProfileDetails, ProfileSwitch};
use refdesk_enrich::{BlockKind, Considered, Expansion, Findings, Hint, Level, SkippedSource, WhyNot};
use refdesk_text::{Code, Error};
use serde_json::json;

use super::super::feed;
use super::super::update::before_line;
use super::*;

#[test]
fn a_prompt_of_several_lines_lists_what_it_brings_up() {
    let mut state = state();
    assert_eq!(output(&mut state, "hints"), ["There is no prompt. Type prompt and a text."]);
    assert_eq!(output(&mut state, "prompt"), ["Type the prompt. A line with only a dot ends it."]);
    assert_eq!(output(&mut state, "see @timeouts"), [""; 0]);
    assert_eq!(output(&mut state, "  and java"), [""; 0]);
    let prompt: Arc<str> = "see @timeouts\n  and java".into();
    assert_eq!(asked(&mut state, "."), Request::Match(prompt.clone()));
    let hint = Hint {
        id: "java-service".into(),
        tags: vec!["java".to_owned()],
        firsts: vec![20],
        ranges: Vec::new(),
        is_in_code: false,
    };
    let passed = SkippedSource {
        id: "circuit-breaker".into(),
        tags: vec!["java".to_owned()],
        ranges: Vec::new(),
        why: WhyNot::Picked,
    };
    let expansion = Expansion { id: "timeouts".into(), range: 5..13 };
    let findings =
        Findings { expansions: vec![expansion], hints: vec![hint], passed: vec![passed], ..Findings::default() };
    assert_eq!(
        answered(&mut state, Response::Findings(findings)).lines,
        [
            "The prompt matches 3 sources: 1 named, 1 hinted at, 1 passed over.",
            "1: timeouts, named in the prompt: the agent gets it with the prompt.",
            "2: java-service, hint, matched java at line 2 column 7.",
            "3: circuit-breaker, no hint: java matched, but already picked.",
            "Type enriched to see what an agent would get.",
        ]
    );
    assert_eq!(
        asked(&mut state, "enriched"),
        Request::Simulate { prompt: prompt.clone(), audience: Audience::NewSession }
    );
    let enriched = fixture::enriched(&prompt, &[(BlockKind::Hint, Level::Full, "- @java-service")]);
    let turn = answered(&mut state, Response::Simulation { enriched: Box::new(enriched), problems: Vec::new() });
    assert_eq!(turn.lines[0], "1 block would be added, about 7 tokens.");
    assert_eq!(turn.lines[2..], ["---", "- @java-service", "---"]);
}

#[test]
fn a_source_that_only_has_a_score_does_not_match() {
    let cases: [(&[&str], &[&str]); 4] = [
        (&[], &["No source matches the prompt."]),
        (&["java-service"], &["The prompt brings up no source. This one comes closest."]),
        (&["java-service", "payments-api"], &["The prompt brings up no source. These 2 come closest."]),
        (
            &["release-notes", "java-service"],
            &["The prompt matches 1 source: 0 named, 1 hinted at, 0 passed over.", "Next by score: 1 other source."],
        ),
    ];
    for (ids, expected) in cases {
        let mut state = state();
        asked(&mut state, "prompt something else");
        let considered: Vec<_> = ids.iter().map(|id| fixture::considered(id, *id == "release-notes")).collect();
        let findings = Findings { considered: Some(considered.clone()), ..Findings::default() };
        let lines = answered(&mut state, Response::Findings(findings)).lines;
        assert_eq!(lines[..expected.len()], *expected, "{ids:?}");
        asked(&mut state, "prompt something else");
        let gone = Considered { is_unreadable: true, ..fixture::considered("ticket-search", false) };
        let findings = Findings { considered: Some([considered, vec![gone]].concat()), ..Findings::default() };
        let lines = answered(&mut state, Response::Findings(findings)).lines;
        assert_eq!(lines[..expected.len()], *expected, "{ids:?}");
        assert_eq!(lines[expected.len()], "Without a score, since unread: 1 source.");
    }
}

#[test]
fn values_are_asked_one_by_one_and_a_template_is_written_after_yes() {
    let mut state = state();
    assert_eq!(
        output(&mut state, "templates"),
        [
            "2 templates.",
            "1: CircuitBreaker.java.tpl, mustache, 2 variables, from circuit-breaker.",
            "2: retry-policy.yaml.tmpl, jinja2, 0 variables, from retry-pattern. It has an error.",
        ]
    );
    for (line, expected) in [
        ("values 1", "basePackage: a sample: ‹basePackage›. Type a value."),
        ("org.example", "fields: a list with a sample item. Type how many items it has."),
        ("many", "Please type a number up to 200. A line with only a dot ends the questions."),
        ("2", "fields 1 name: a sample: ‹name›. Type a value."),
        (
            ":={",
            "This is not valid JSON: An object is not closed at line 1 column 1. A line with only a dot ends the questions.",
        ),
        ("id", "fields 1 nullable, optional: now no. Type yes or no."),
        ("maybe", "Please type yes or no. A line with only a dot ends the questions."),
        ("no", "fields 2 name: a sample: ‹name›. Type a value."),
        ("", "fields 2 nullable, optional: now no. Type yes or no."),
        (".", "Type preview to read the result, or write."),
    ] {
        assert_eq!(output(&mut state, line).last().map(String::as_str), Some(expected), "{line}");
    }
    let Request::Preview { template, values: Some(values), path: None, .. } = asked(&mut state, "write") else {
        panic!("no preview")
    };
    assert_eq!((template.as_str(), &values["basePackage"]), ("CircuitBreaker.java.tpl", &json!("org.example")));
    assert_eq!(values["fields"][0], json!({"name": "id", "nullable": false}));
    let outcome = Ok(fixture::shown("text"));
    let turn = answered(&mut state, Response::Preview { template: template.clone(), outcome });
    assert_eq!(
        turn.lines.last().unwrap(),
        "Type the path of the file, relative to the workspace, or an empty line to write nothing."
    );
    let request = asked(&mut state, "src/A.java");
    assert!(matches!(&request, Request::Preview { path: Some(path), .. } if path == "src/A.java"), "{request:?}");
    let outcome = Ok(fixture::proposed("new\n", "src/A.java", Some("old\n")));
    let turn = answered(&mut state, Response::Preview { template, outcome });
    assert!(turn.lines.contains(&"This OVERWRITES the file src/A.java, 1 line, changes +1 −1.".to_owned()), "{turn:?}");
    assert_eq!(turn.lines[turn.lines.len() - 3..], ["-old", "+new", "Type yes to write it, or no to write nothing."]);
    assert!(matches!(asked(&mut state, "yes"), Request::Write { .. }));
}

#[test]
fn a_file_with_samples_is_not_written() {
    let mut state = state();
    asked(&mut state, "write CircuitBreaker.java.tpl");
    let outcome = Ok(fixture::proposed("package ‹basePackage›;\n", "src/A.java", None));
    let template = "CircuitBreaker.java.tpl".to_owned();
    let turn = answered(&mut state, Response::Preview { template, outcome });
    assert_eq!(
        turn.lines[turn.lines.len() - 2..],
        ["Nothing was written to src/A.java.", "Type values to be asked for them, then write again."]
    );
    assert_eq!(state.question, None);
}

#[test]
fn a_template_that_does_not_render_says_where() {
    let mut state = state();
    assert!(matches!(asked(&mut state, "preview retry-policy.yaml.tmpl"), Request::Preview { .. }));
    let outcome = Err(fixture::unrendered("unclosed block", Some(4)));
    let turn = answered(&mut state, Response::Preview { template: "retry-policy.yaml.tmpl".to_owned(), outcome });
    assert_eq!(
        turn.lines,
        ["retry-policy.yaml.tmpl does not render.", "The error is in line 4 of the template.", "Unclosed block."]
    );
}

#[test]
fn pasted_values_that_do_not_fit_are_said_and_can_be_reset() {
    let mut state = state();
    let name = "CircuitBreaker.java.tpl";
    asked(&mut state, &format!("preview {name}"));
    let outcome = Ok(fixture::shown("text"));
    assert_ne!(answered(&mut state, Response::Preview { template: name.to_owned(), outcome }).lines, [""; 0]);
    assert_eq!(
        output(&mut state, r#"values {"fields": ["a"], "other": 1}"#),
        ["2 values typed for CircuitBreaker.java.tpl.", "The template does not use other."]
    );
    asked(&mut state, "preview");
    let outcome = Err(fixture::unrendered("fields[0] is not an object", None));
    let lines = answered(&mut state, Response::Preview { template: name.to_owned(), outcome }).lines;
    let advice = "Type values to change what was typed, or reset CircuitBreaker.java.tpl to forget it.";
    assert_eq!(lines.last().map(String::as_str), Some(advice), "{lines:?}");
}

#[test]
fn problems_have_fixes() {
    let mut state = state();
    assert_eq!(
        output(&mut state, "problems"),
        [
            "1 error and 1 warning.",
            "1: error, payments-api: `tags` is a number where a list is needed.",
            "2: warning, legacy-errors: docs/legacy/codes.md does not exist.",
        ]
    );
    assert_eq!(
        output(&mut state, "2"),
        [
            "docs/legacy/codes.md does not exist.",
            "Fix: change `path`, or remove the entry.",
            "Place: references.json:60:15.",
            "Code: missing-path. It is about legacy-errors.",
        ]
    );
}

#[test]
fn a_profile_is_compared_and_switched_to_as_shown() {
    let mut state = state();
    assert_eq!(asked(&mut state, "profiles"), Request::ListProfiles);
    let turn = answered(&mut state, Response::Profiles { profiles: Vec::new(), problems: Vec::new() });
    assert!(turn.lines[0].contains("such as review.json"), "{:?}", turn.lines);
    assert_eq!(asked(&mut state, "profiles"), Request::ListProfiles);
    let profile =
        ProfileDetails { name: "reviewer".to_owned(), file: "r.json".into(), tokens: 12, ..ProfileDetails::default() };
    let turn = answered(&mut state, Response::Profiles { profiles: vec![profile], problems: Vec::new() });
    assert_eq!(turn.lines[1], "1: reviewer, 0 picked, 0 pulled in, 0 auto, about 12 tokens, 0 templates.");
    assert_eq!(asked(&mut state, "1"), Request::CompareProfile("r.json".into()));
    let switch = || {
        let picked = vec!["timeouts".to_owned()];
        Response::ProfileCompared(Ok(Box::new(ProfileSwitch {
            name: "reviewer".to_owned(),
            picked,
            ..ProfileSwitch::default()
        })))
    };
    assert_eq!(
        answered(&mut state, switch()).lines,
        [
            "Switching to reviewer would change:",
            "Picks: timeouts.",
            "An agent gets about 0 tokens now, and about 0 afterwards.",
            "Type yes to switch, or no to keep your picks.",
        ]
    );
    state.snapshot.selection = fixture::selection(Vec::new(), &[], &[]).into();
    assert_eq!(asked(&mut state, "yes"), Request::CompareProfile("r.json".into()), "the selection has changed");
    assert_eq!(answered(&mut state, switch()).effects, []);
    let switched = asked(&mut state, "yes");
    assert!(
        matches!(switched, Request::SwitchProfile { file, shown } if file.ends_with("r.json") && shown.name == "reviewer")
    );
}

#[test]
fn notices_are_printed_before_the_next_prompt_and_stay_in_the_feed() {
    let mut state = state();
    for nth in 0..7 {
        feed::event(&mut state, Event::Notice(fixture::notice(&format!("@a changed {nth}\u{1b}[m"))));
    }
    let lines = before_line(&mut state).lines;
    assert_eq!(lines.len(), 7);
    assert_eq!(lines[0], "news: 2 more events before these. Type feed to list them.");
    assert_eq!(lines[5..], ["news: files: @a changed 6\\x1b[m.", "Command:"]);
    assert_eq!(before_line(&mut state).lines, ["Command:"]);
    assert_eq!(output(&mut state, "feed 3"), ["1 event, the newest first.", "1: files: @a changed 3\\x1b[m."]);
    let about = Some("timeouts".into());
    feed::event(&mut state, Event::Notice(Notice { subject: about, several: true, ..fixture::notice("two") }));
    output(&mut state, "feed two");
    let last = output(&mut state, "1").pop().unwrap();
    assert_eq!(last, "It is about timeouts and others. Type show for more about timeouts.");
    for line in ["feed session:", "templates tokens:5k"] {
        let lines = output(&mut state, line);
        assert!(lines[0].starts_with("The filter is invalid, so nothing is listed. ") && lines.len() == 1, "{lines:?}");
    }
}

#[test]
fn refusals_are_printed_even_if_many_notices_follow() {
    let mut state = state();
    let refusal = || Error::new(Code::NotStored, "the picks cannot be stored", "make room");
    feed::event(&mut state, Event::Refused(refusal()));
    for nth in 0..7 {
        feed::event(&mut state, Event::Notice(fixture::notice(&format!("changed {nth}"))));
    }
    feed::event(&mut state, Event::Refused(refusal()));
    let lines = before_line(&mut state).lines;
    assert_eq!(
        lines[..4],
        [
            "news: 2 more events before these. Type feed to list them.",
            "news: The picks cannot be stored.",
            "news: Make room.",
            "news: files: changed 2.",
        ]
    );
    assert_eq!(lines.len(), 9, "{lines:?}");
}

#[test]
fn a_value_goes_where_it_was_asked_for() {
    let mut state = state();
    output(&mut state, "values CircuitBreaker.java.tpl");
    // The first variable has disappeared, and another is in its place.
    let mut index = (*state.snapshot.templates).clone();
    index.templates[0].variables.remove(0);
    state.snapshot.templates = index.into();
    assert_eq!(
        output(&mut state, "secret"),
        ["CircuitBreaker.java.tpl has changed, and no longer asks for basePackage. Nothing was kept."]
    );
    assert!(state.saved.values.is_empty());
    assert_eq!(state.question, None);
}

#[test]
fn a_template_keeps_its_name_even_if_it_is_a_number() {
    let mut state = state();
    let mut index = (*state.snapshot.templates).clone();
    index.templates[0].name = "2".into();
    state.snapshot.templates = index.into();
    output(&mut state, "templates");
    assert!(output(&mut state, "1")[0].starts_with("2, mustache"));
    assert_eq!(output(&mut state, "values 1")[1], "basePackage: a sample: ‹basePackage›. Type a value.");
    assert_eq!(output(&mut state, "org")[0], "fields: a list with a sample item. Type how many items it has.");
}

#[test]
fn a_misspelt_template_is_not_a_path() {
    let mut state = state();
    assert_eq!(
        output(&mut state, "write CircuitBraker.java.tpl"),
        [
            "There is no template CircuitBraker.java.tpl. Did you mean CircuitBreaker.java.tpl?",
            "Type write ./CircuitBraker.java.tpl to write to a file of this name.",
        ]
    );
    asked(&mut state, "preview CircuitBreaker.java.tpl");
    for path in ["CircuitBreaker.java", "./CircuitBraker.java.tpl", "src/A.java"] {
        let request = asked(&mut state, &format!("write {path}"));
        assert!(matches!(&request, Request::Preview { path: Some(to), .. } if to == path), "{request:?}");
    }
}

#[test]
fn a_receipt_says_what_was_sent_and_why() {
    let mut state = state();
    let (notice, line) = fixture::receipt(7, "s1");
    feed::event(&mut state, Event::Notice(notice));
    output(&mut state, "feed");
    assert_eq!(asked(&mut state, "receipt 1"), Request::JournalLine(7));
    let gone = Response::JournalLine(Err("line 7 is no longer in the journal".to_owned()));
    assert_eq!(answered(&mut state, gone).lines, ["Line 7 is no longer in the journal."]);
    output(&mut state, "catalog");
    assert_eq!(output(&mut state, "receipt 1"), ["Row 1 is not an event. Type feed for a list of them."]);
    output(&mut state, "feed");
    asked(&mut state, "receipt 1");
    let lines = answered(&mut state, Response::JournalLine(Ok(fixture::dated(line)))).lines;
    assert_eq!(lines[..2], ["Line 7 of the journal.", "Sent to session s1, with a prompt."]);
    assert!(
        lines.contains(&"hint java-service: tag java at 1:9, tag spring boot at 1:21, full, 66 bytes.".to_owned()),
        "{lines:?}"
    );
}

#[test]
fn databases_are_listed_read_and_documented_after_yes() {
    let mut state = state();
    let overview = || Response::Databases(std::sync::Arc::new(fixture::overview()));
    assert_eq!(asked(&mut state, "databases"), Request::Databases);
    let lines = answered(&mut state, overview()).lines;
    assert_eq!(lines.len(), 13, "{lines:?}");
    assert_eq!(
        [&lines[..2], &lines[4..5], &lines[9..]].concat(),
        [
            "7 tables in 5 databases. Type a number to read its page.",
            "1: Database shop, sqlite.",
            "4: main.order, domain sales, documented, changed since, page edited by hand, 1 sensitive column.",
            "9: Database crm, postgres, waits for your trust.",
            "10: Database lake, postgres, could not be read: no server answers at db.example.org, port 5432.",
            "11: Database archive, sqlite, switched off.",
            "12: Database old, its entry has errors.",
        ]
    );
    assert_eq!(asked(&mut state, "tables nosuch"), Request::Databases);
    assert_eq!(answered(&mut state, overview()).lines, ["No table matches nosuch."]);
    assert_eq!(asked(&mut state, "tables ord"), Request::Databases);
    assert_eq!(answered(&mut state, overview()).lines[0], "3 tables in 5 databases. Type a number to read its page.");
    let path = "docs/databases/shop/sales/tables/main.order.md".to_owned();
    assert_eq!(asked(&mut state, "2"), Request::DatabasePage { database: "shop".to_owned(), path: path.clone() });
    let lines = answered(&mut state, Response::DatabasePage(Box::new(fixture::page(&path)))).lines;
    assert!(lines.contains(&"note: only the share of nulls, sensitive (type: free text).".to_owned()), "{lines:?}");

    let prepare = |state: &mut PlainState| {
        let turn = typed(state, "describe shop");
        assert_eq!(turn.effects, [PlainEffect::Ask(Request::PrepareDatabases(vec!["shop".to_owned()]))]);
        answered(state, Response::DatabasesPrepared(Ok(Box::new(fixture::prepared_run())))).lines
    };
    let lines = prepare(&mut state);
    assert_eq!(lines[0], "Write 2 new pages and 2 changed pages below docs/databases, and remove 1 file.");
    assert!(lines.contains(&"-Old.".to_owned()), "{lines:?}");
    let left_over = "docs/databases/shop/sales/tables/main.visit.md";
    let left_over = format!("Obsolete, but edited by hand; stays until you remove it: {left_over}.");
    assert!(lines.contains(&left_over), "{lines:?}");
    assert_eq!(asked(&mut state, "no"), Request::PauseDatabases);
    assert_eq!(answered(&mut state, Response::Done(Vec::new())).lines, ["Nothing was written."]);
    prepare(&mut state);
    let turn = typed(&mut state, "yes");
    assert_eq!(turn.effects, [PlainEffect::Ask(Request::WriteDatabases(fixture::prepared_run().number))]);
    let report = refdesk_desk::DocumentReport { written: vec!["p".to_owned(); 4], ..Default::default() };
    assert_eq!(answered(&mut state, Response::DatabasesWritten(Ok(Box::new(report)))).lines, ["Wrote 4 pages."]);
    for prepared in [
        Err(refdesk_text::Error::new(refdesk_text::Code::NoDatabases, "no databases are configured", "name one")),
        Ok(Box::new(fixture::settled_run())),
    ] {
        drop(typed(&mut state, "describe"));
        let lines = answered(&mut state, Response::DatabasesPrepared(prepared)).lines;
        assert!(
            ["No databases are configured.", "The pages are up to date."].contains(&lines[0].as_str()),
            "{lines:?}"
        );
        assert_eq!(state.question, None);
    }
}
