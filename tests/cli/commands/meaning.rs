//! Hints in a workspace with an index, and every place that explains them: `simulate`, `why-not`, `assert`, the
//! journal.

use std::fs;

use serde_json::{Value, json};

use crate::support::program::run;
use crate::support::workspace::{STATE, Workspace};

/// Four sources about retries, queues, dishes and paint, indexed by words only, which is fast. The threshold is
/// configured, because only vectors provide one.
fn indexed(hints: Value) -> Workspace {
    let world = Workspace::new();
    world.put("docs/retry.md", b"# Calls\n\n## Backoff\n\nSleep with jitter between attempts, and double the pause.\n");
    world.put("docs/queue.md", b"# Queues\n\nA consumer acknowledges every message once it is stored.\n");
    world.put("docs/dish.md", b"# Dishes\n\n## Motors\n\nThe azimuth motor stalls if the clutch slips.\n");
    world.put("docs/paint.md", b"# Paint\n\nHulls are painted grey every spring.\n");
    configure(&world, hints);
    world.run(&["index", "--words-only"]).exits(0);
    world
}

fn configure(world: &Workspace, hints: Value) {
    let source = |id: &str, tags: &[&str]| json!({"id": id, "name": id.to_uppercase(), "type": "local", "path": format!("docs/{id}.md"), "tags": tags});
    let sources =
        [source("retry", &["calls"]), source("queue", &["calls"]), source("dish", &["antenna"]), source("paint", &[])];
    world.configure(json!({"version": "1.0", "sources": sources, "hints": hints}));
}

fn threshold() -> Value {
    json!({"threshold": 0.3})
}

fn find<'v>(list: &'v Value, key: &str, id: &str) -> &'v Value {
    list.as_array().unwrap().iter().find(|item| item[key] == id).unwrap_or(&Value::Null)
}

#[test]
fn a_hint_by_tag_has_its_score_too() {
    let world = indexed(threshold());
    let reported = world.feed_json(&["simulate"], b"calls: which jitter between attempts?");
    let why = &find(&reported["items"], "about", "retry")["why"];
    assert_eq!((&why[0]["by"], &why[0]["tag"], &why[1]["by"]), (&json!("tag"), &json!("calls"), &json!("meaning")));
    let about = &why[1];
    assert_eq!(about["words"].as_array().unwrap().len(), 3, "{about}");
    assert_eq!(
        (&about["heading"], &about["path"], &about["line"]),
        (&json!("Calls > Backoff"), &json!("docs/retry.md"), &json!(3))
    );
    for key in ["score", "threshold", "cosine", "coverage"] {
        let digits = about[key].to_string();
        assert!(about[key].is_f64() && digits.len() <= "-0.123".len(), "{key}: {digits}");
    }
    assert_eq!(about["threshold"], 0.3);
}

#[test]
fn unlikely_hints_are_counted_apart_from_those_that_do_not_fit() {
    let world = indexed(threshold());
    let prompt = b"calls: which jitter between attempts? sleep, double the pause";
    let said = world.feed(&["enrich", "--dry-run"], prompt).exits(0);
    let line = "**Less likely hints left out**: 1 — `refdesk simulate --repeat TEXT` shows it\n---";
    assert!(said.text().ends_with(line), "{said}");
    assert!(!said.text().contains("over the budget") && !said.stderr.contains("did not fit"), "{said}");
    let reported = world.feed_json(&["simulate"], prompt);
    assert_eq!(find(&reported["left_out"], "about", "queue")["level"], "count");
    assert_eq!(find(&reported["considered"], "id", "queue")["hinted"], false);
    let shown = world.feed(&["simulate"], prompt).exits(0);
    assert!(shown.text().contains("\nLeft out as less likely:\n  hint  queue  tag `calls` at 1:1, "), "{shown}");
    let queue = find(&reported["left_out"], "about", "queue")["because"].as_str().unwrap().to_owned();
    assert!(queue.contains("; a tag alone is not enough; it needs ") || queue.contains("it would need "), "{queue}");
    assert!(!queue.contains("threshold"), "one score that it needs: {queue}");
    // An agent is told nothing if all are less likely; people are.
    let alone = world.feed_json(&["simulate"], b"the antenna of my car and the colour of my house in spring");
    assert_eq!((&alone["added"], &find(&alone["left_out"], "about", "dish")["level"]), (&json!(""), &json!("count")));
    // If there is too little room, one line reports both.
    let short = world.feed(&["enrich", "--dry-run", "--max-chars", "140"], prompt).exits(0);
    assert!(short.text().contains("**Left out, over the budget**: 1 hint; less likely: 1 hint — "), "{short}");
    // Enriching the result adds nothing, and a session that got the hint is not told about the others.
    assert_eq!(world.feed(&["enrich", "--dry-run"], said.text().as_bytes()).exits(0).text(), said.text());
    world.feed(&["enrich"], prompt).exits(0);
    assert_eq!(world.feed(&["enrich"], prompt).exits(0).text().as_bytes(), prompt);
    let again = world.feed_json(&["simulate"], prompt);
    let counts = ["told_before", "left_out"].map(|list| again[list].as_array().unwrap().len());
    assert_eq!((counts, &again["added"]), ([1, 1], &json!("")), "{again}");
}

#[test]
fn a_simulation_lists_sources_that_are_not_hinted_at() {
    let world = indexed(threshold());
    world.run(&["exclude", "queue"]).exits(0);
    let reported = world.feed_json(&["simulate"], b"azimuth motor stalls, clutch slips; consumer message; hulls");
    assert_eq!(reported["items"].as_array().unwrap().len(), 1);
    let row = |id: &str| find(&reported["considered"], "id", id);
    assert_eq!(
        (&row("dish")["hinted"], &row("dish")["because"]),
        (&json!(true), &json!("its score reaches the threshold"))
    );
    assert_eq!((&row("queue")["hinted"], &row("queue")["because"]), (&json!(false), &json!("it is excluded")));
    assert_eq!(row("paint")["because"], "its score is below the threshold");
    assert_eq!((&row("paint")["path"], &row("paint")["line"]), (&json!("docs/paint.md"), &json!(1)));
    let shown = world.feed(&["simulate"], b"azimuth motor stalls").exits(0);
    assert!(shown.text().contains("\nSources with the best scores:\n  source  score  hinted  because"), "{shown}");
    assert!(shown.text().contains("\n  threshold: 0.300\n"), "{shown}");
}

#[test]
fn why_not_gives_the_score() {
    let world = indexed(threshold());
    let prompt = "calls: which jitter between attempts? sleep, double the pause";
    for (id, prompt, reason, needle) in [
        ("dish", "azimuth motor stalls, clutch slips", "hinted", "about \"Dishes > Motors\", docs/dish.md:3 (score "),
        ("dish", "the clutch", "below-threshold", ", below the threshold of 0.300 (words clutch, no vector, coverage "),
        ("dish", "the clutch", "below-threshold", "; its tag `antenna` is not in the prompt."),
        ("retry", prompt, "hinted", "tag `calls` at 1:1, about \"Calls > Backoff\", docs/retry.md:3 (score "),
        ("queue", prompt, "below-best", " is needed because another source scores much higher ("),
        ("paint", "azimuth", "no-tags", "it has no tags. Its text has nothing in common with the prompt."),
    ] {
        let reported = world.json(&["why-not", id, "--prompt", prompt], 0);
        assert_eq!((&reported["reason"], &reported["indexed"]), (&json!(reason), &json!(true)), "{reported}");
        assert!(reported["message"].as_str().unwrap().contains(needle), "{needle}: {reported}");
        assert_eq!(reported["meaning"].is_null(), reason == "no-tags", "{reported}");
    }
    world.feed(&["enrich"], b"azimuth motor stalls, clutch slips").exits(0);
    let reported = world.json(&["why-not", "dish", "--prompt", "azimuth motor stalls, clutch slips"], 0);
    assert_eq!((&reported["reason"], &reported["about"]["journal"]["n"]), (&json!("told"), &json!(1)));
    let off = indexed(json!({"threshold": 0.3, "semantic": false}));
    let reported = off.json(&["why-not", "dish", "--prompt", "azimuth motor stalls, clutch slips"], 0);
    assert_eq!((&reported["reason"], &reported["hinted"]), (&json!("meaning-off"), &json!(false)));
    let reported = off.json(&["why-not", "paint", "--prompt", "azimuth"], 0);
    assert_eq!(reported["reason"], "meaning-off", "by words alone nothing is known of its score: {reported}");
    let bare = indexed(json!({}));
    let reported = bare.json(&["why-not", "dish", "--prompt", "azimuth motor stalls, clutch slips"], 0);
    assert_eq!((&reported["hinted"], &reported["meaning"]["cosine"]), (&json!(true), &json!(0.0)), "{reported}");
}

#[test]
fn a_document_that_the_session_has_is_not_hinted_at() {
    let world = indexed(threshold());
    world.feed(&["--session", "named", "enrich"], b"see @dish").exits(0);
    let why = world.json(&["--session", "named", "why-not", "dish", "--prompt", "azimuth motor stalls, clutch"], 0);
    assert_eq!((&why["reason"], why["about"]["journal"]["n"].is_u64()), (&json!("told"), true), "{why}");
}

/// The setting that an explanation proposes, as key and value of the configuration.
fn proposed(fix: &str) -> Option<(&'static str, Value)> {
    if let Some((_, rest)) = fix.split_once("set `hints.threshold` to ") {
        return Some(("threshold", rest.split(' ').next().unwrap().parse::<f64>().unwrap().into()));
    }
    let settings =
        [("set `hints.tag_filter` to false", "tag_filter", json!(false)), ("raise `hints.max`", "max", json!(9))];
    settings.into_iter().find_map(|(words, key, value)| fix.contains(words).then_some((key, value)))
}

#[test]
fn why_not_proposes_only_settings_that_help() {
    let strict = json!({"threshold": 0.9});
    let few = json!({"threshold": 0.3, "max": 1});
    let calls = "calls: sleep with jitter between attempts, double the pause";
    let both = format!("{calls}; azimuth motor");
    for (hints, id, prompt, reason, expected) in [
        (&strict, "dish", "azimuth motor stalls, clutch slips", "below-threshold", Some("threshold")),
        (&strict, "dish", &both, "below-threshold", None),
        // A threshold this low would bring hints for unrelated prompts.
        (&strict, "dish", "the azimuth motor stalls, the clutch is fine", "below-threshold", None),
        (&strict, "queue", calls, "below-best", Some("tag_filter")),
        (&few, "retry", "calls: antenna azimuth motor stalls, clutch slips", "tag-alone", Some("tag_filter")),
        (&few, "retry", "calls: jitter, attempts; consumer message stored", "too-many", Some("max")),
    ] {
        let world = indexed(hints.clone());
        let reported = world.json(&["why-not", id, "--prompt", prompt], 0);
        let setting = proposed(reported["fix"].as_str().unwrap());
        assert_eq!((&reported["reason"], setting.as_ref().map(|it| it.0)), (&json!(reason), expected), "{reported}");
        let Some((key, value)) = setting else { continue };
        let mut hints = hints.clone();
        hints[key] = value;
        configure(&world, hints);
        assert_eq!(world.json(&["why-not", id, "--prompt", prompt], 0)["hinted"], true, "{id} {prompt} {key}");
    }
}

#[test]
fn a_tag_in_the_middle_of_a_long_text_brings_its_hint() {
    let world = indexed(threshold());
    // More rare words than in the paragraphs with tags.
    let word = |nth: u8, at: u8| format!("{0}{1}{0}{1}", char::from(nth), char::from(at));
    let others = |nth: u8| (b'a'..=b't').map(|at| word(nth, at)).collect::<Vec<_>>().join(" ");
    for kind in ["prompt", "tool_result"] {
        let mut paragraphs: Vec<String> = (b'a'..=b'l').map(others).collect();
        paragraphs.insert(7, "The antenna: azimuth motor stalls, clutch slips.".to_owned());
        let simulated = world.feed_json(&["simulate", "--kind", kind], paragraphs.join("\n\n").as_bytes());
        let hints: Vec<&Value> = simulated["items"].as_array().unwrap().iter().map(|item| &item["about"]).collect();
        let position = |id: &str| hints.iter().position(|about| *about == id);
        assert!(position("dish").is_some(), "{kind}: {simulated}");
    }
}

#[test]
fn with_an_index_a_missing_source_is_hinted_at_only_by_tag() {
    let world = indexed(json!({"threshold": 0.3, "tag_filter": false}));
    fs::remove_file(world.path.join("docs/dish.md")).unwrap();
    for prompt in ["azimuth motor stalls, clutch slips", "paint"] {
        let answer = world.json(&["why-not", "dish", "--prompt", prompt], 0);
        assert_eq!((&answer["reason"], &answer["missing"]), (&json!("unreadable"), &json!(true)), "{answer}");
        let simulated = world.json(&["simulate", prompt], 0);
        assert_eq!(find(&simulated["items"], "about", "dish"), &Value::Null, "{simulated}");
    }
}

#[test]
fn an_excluded_document_does_not_hide_the_rest_of_its_folder() {
    let world = Workspace::new();
    world.put("docs/dish.md", b"# Dishes\n\nThe azimuth motor stalls if the clutch slips.\n");
    world.put("docs/paint.md", b"# Paint\n\nHulls are painted grey every spring.\n");
    let source = |id: &str, path: &str| json!({"id": id, "name": id, "type": "local", "path": path});
    let sources = [source("all", "docs"), source("dish", "docs/dish.md")];
    world.configure(json!({"version": "1.0", "sources": sources, "hints": threshold()}));
    world.run(&["index", "--words-only"]).exits(0);
    for (verb, expected) in [("include", "docs/dish.md"), ("exclude", "docs/paint.md")] {
        world.run(&[verb, "dish"]).exits(0);
        let prompt = "azimuth motor stalls, clutch slips; grey";
        let reported = world.json(&["why-not", "all", "--prompt", prompt], 0);
        assert_eq!(reported["meaning"]["path"], expected, "{verb}: {reported}");
    }
}

#[test]
fn without_an_index_only_tags_count_and_a_note_says_so() {
    let world =
        Workspace::of(json!([{"id": "a", "name": "A", "type": "inline", "content": "x", "tags": ["red"]}]), &[]);
    let reported = world.run(&["why-not", "a", "--prompt", "blue"]).exits(0);
    let line = "  there is no search index: hints are by tags alone; `refdesk index` adds meaning\n";
    assert!(reported.text().contains(line), "{reported}");
    assert!(!world.run(&["why-not", "a", "--prompt", "red"]).exits(0).text().contains("index"));
    assert_eq!(world.feed_json(&["simulate"], b"red")["considered"], json!([]));
}

#[test]
fn the_order_and_number_of_hints_are_asserted() {
    let world = indexed(threshold());
    let case = |keys: &str| {
        let text =
            format!("[[case]]\nprompt = \"calls: which jitter between attempts? sleep, double the pause\"\n{keys}\n");
        world.put("cases.toml", text.as_bytes());
        let code = world.run(&["assert", "cases.toml"]).code;
        let ran = world.run(&["--format", "json", "assert", "cases.toml"]).exits(code);
        let missed = &ran.json()["cases"][0]["missed"];
        let line = |it: &Value| format!("{} {}", it["expectation"], it["reason"]).replace('"', "");
        missed.as_array().unwrap().iter().map(line).collect::<Vec<_>>().join("; ")
    };
    for (keys, expected) in [
        ("hints_any = [\"paint\", \"retry\"]", ""),
        ("hints_any = \"paint\"", "hints_any none-hinted"),
        ("top = \"retry\"", ""),
        ("top = [\"queue\", \"retry\"]", "top below-best"),
        ("top = \"paint\"", "top no-tags"),
        ("max_hints = 1", ""),
        ("max_hints = 0", "max_hints too-many-hints"),
        ("hints = [\"retry\"]\nnot_hints = [\"queue\"]", ""),
        ("not_hints = [\"retry\"]", "not_hints hinted"),
    ] {
        assert_eq!(case(keys), expected, "{keys}");
    }
}

#[test]
fn doctor_reports_the_index_or_what_it_would_add() {
    let world = indexed(threshold());
    let reported = world.json(&["doctor"], 0);
    assert_eq!((&reported["index"]["sections"], &reported["index"]["vectors"]), (&json!(8), &json!(0)), "{reported}");
    let shown = world.run(&["doctor"]).exits(0);
    assert!(
        shown.text().contains(" search index: 8 sections, vectors for 0 of 8, threshold 0.300 (configured)\n"),
        "{shown}"
    );
    let shown = indexed(json!({})).run(&["doctor"]).exits(0);
    assert!(shown.text().contains(" search index: 8 sections, vectors for 0 of 8, threshold 0.120\n"), "{shown}");
    let bare = Workspace::of(json!([{"id": "a", "name": "A", "type": "inline", "content": "x"}]), &[]);
    assert_eq!(bare.json(&["doctor"], 0)["index"], Value::Null);
    let shown = bare.run(&["doctor"]).exits(0);
    assert!(shown.text().contains("`refdesk index` makes 1 source searchable by words and by meaning"), "{shown}");
}

#[test]
fn the_log_says_why_without_the_prompt() {
    let world = indexed(threshold());
    let mut command = world.command(&["enrich"]);
    command.env("REFDESK_LOG", "debug");
    run(&mut command, Some(b"azimuth motor stalls, clutch slips")).exits(0);
    let log = std::fs::read_to_string(world.beside(STATE).join("refdesk.log")).unwrap();
    for part in ["hints were decided", "source=\"dish\"", "outcome=\"hinted\"", "threshold=\"0.300\"", "docs/dish.md:3"]
    {
        assert!(log.contains(part), "{part}: {log}");
    }
    for word in ["azimuth", "stalls", "clutch", "slips"] {
        assert!(!log.contains(word), "{word}: {log}");
    }
}

#[test]
fn expectations_may_leave_the_index_out() {
    let world = indexed(threshold());
    let case = "[[case]]\nprompt = \"jitter between attempts, double the pause\"\nhints = []\n";
    for (line, exit) in [("", 1), ("index = false\n", 0)] {
        world.put("expected.toml", format!("{line}{case}").as_bytes());
        world.run(&["assert", "expected.toml"]).exits(exit);
    }
}

/// Explanations of hints report what an index lacks.
#[test]
fn an_index_without_vectors_is_reported_as_incomplete() {
    let world = indexed(json!({}));
    let simulated = world.run(&["simulate", "which jitter between attempts?"]).exits(0);
    assert!(
        simulated.text().contains("The index is not complete: 0 of 8 sections can be compared by meaning"),
        "{simulated}"
    );
    for command in ["simulate", "enrich"] {
        let partial = &world.json(&[command, "which jitter between attempts?"], 0)["partial"];
        assert_eq!((&partial["indexed"], &partial["of"]), (&json!(0), &json!(8)), "{command}");
    }
    let ran = world.run(&["why-not", "dish", "--prompt", "is the clutch of my car stored?"]);
    assert!(ran.text().contains("no vector, coverage"), "{ran}");
    // An index that this version cannot use is not reported as absent.
    let file = world.path.join(".jaato/refdesk/index.db");
    let set_version = |version: i64| {
        rusqlite::Connection::open(&file).unwrap().pragma_update(None, "user_version", version).unwrap();
    };
    set_version(99);
    let ran = world.run(&["why-not", "paint", "--prompt", "azimuth"]).exits(0);
    assert!(ran.text().contains("  the search index cannot be used: hints are by tags alone\n"), "{ran}");
    set_version(1);
    let ran = world.run(&["search", "jitter"]).exits(1);
    assert!(ran.stderr.contains("the search index was built by an older refdesk"), "{ran}");
    assert!(world.run(&["doctor"]).exits(0).text().contains("built by an older refdesk"));
}

#[test]
fn hints_that_a_setting_turns_off_are_explained() {
    let world = indexed(threshold());
    let mut config: Value = serde_json::from_str(&world.read("references.json")).unwrap();
    config["exclude_tools"] = json!(["selectReferences"]);
    world.configure(config);
    let simulated = world.run(&["simulate", "which jitter between attempts?"]).exits(0);
    assert!(
        simulated.text().contains("`selectReferences` is in `exclude_tools`, which turns all hints off."),
        "{simulated}"
    );
}
