//! The search index from a user's point of view: built by command, by a server and at the start of a session; killed,
//! on a full disk, and given odd input.

use std::fs;
use std::process::Stdio;
use std::time::Instant;

use refdesk_desk::{Desk, IndexProcess, Options};
use serde_json::{Value, json};

use crate::support::client::Client;
use crate::support::program::{LIMIT, PROGRAM, kill, run};
use crate::support::workspace::{STATE, Workspace, inline};
use refdesk_files::scale::scaled;

const ABOUT: [(&str, &str); 4] = [
    (
        "retries",
        "# Retrying failed calls\n\nRepeat a call that failed with growing pauses, and give up after five attempts.",
    ),
    ("colours", "# Palette\n\nBlue for links, grey for text that matters less, and never red on green."),
    ("invoices", "# Invoices\n\nNumbers are given without gaps. A correction is a new invoice that names the old one."),
    (
        "deploys",
        "# Rolling out\n\nOne region at a time. Stop if the error rate of the first hour is above one percent.",
    ),
];

const PROMPT: &[u8] = b"the payment client should try again when the call fails";

/// Sources without tags, each of them a file.
fn world(more: usize) -> Workspace {
    let mut files: Vec<(String, String)> =
        ABOUT.iter().map(|(name, text)| (format!("{name}.md"), format!("{text}\n"))).collect();
    for nth in 0..more {
        let text = format!("# Station {nth}\n\nStation {nth} measures wind and temperature at {} metres.\n", 10 * nth);
        files.push((format!("station-{nth}.md"), text));
    }
    let source = |(path, _): &(String, String)| {
        let id = path.trim_end_matches(".md");
        json!({"id": id, "name": id, "type": "local", "path": path, "mode": "selectable"})
    };
    let sources: Vec<Value> = files.iter().map(source).collect();
    let files: Vec<(&str, &str)> = files.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
    Workspace::of(json!(sources), &files)
}

/// The hints for a prompt, with their reasons.
fn hints(world: &Workspace, prompt: &[u8]) -> Vec<Value> {
    world.feed_json(&["simulate", "--repeat"], prompt)["items"].as_array().unwrap().clone()
}

fn hinted(world: &Workspace) -> Vec<String> {
    hints(world, PROMPT).iter().map(|item| item["about"].as_str().unwrap().to_owned()).collect()
}

/// Waits without sleeping until a background change is visible.
fn until(what: &str, holds: impl Fn() -> bool) {
    let begin = Instant::now();
    while !holds() {
        assert!(begin.elapsed() < LIMIT, "{what} never comes");
        std::thread::yield_now();
    }
}

/// Waits until another process has built an index. Polling for hints would slow it down.
fn until_built(world: &Workspace) {
    until("an index", || world.path.join(".jaato/refdesk/index.db").exists());
    drop(world.hold_index());
}

#[test]
fn a_prompt_without_tags_brings_up_what_it_is_about() {
    let world = world(0);
    assert!(hinted(&world).is_empty(), "without an index there are only tags");
    let built = world.json(&["index"], 0);
    assert_eq!((&built["sections"], &built["missing"]), (&json!(8), &json!(0)));
    let found = hints(&world, PROMPT);
    assert_eq!(found.len(), 1, "{found:#?}");
    let why = &found[0]["why"][0];
    assert_eq!(
        (&why["by"], &why["heading"], &why["path"]),
        (&json!("meaning"), &json!("Retrying failed calls"), &json!("retries.md"))
    );
    assert!(why["score"].as_f64() >= why["threshold"].as_f64(), "{why}");
    assert!(hints(&world, b"bake a cake for the birthday").is_empty());
    let again = world.json(&["index"], 0);
    assert_eq!((&again["added"], &again["vectors"]), (&json!(0), &json!(0)), "nothing changed");
    let moved = format!("{}{}\n", "Another line.\n\n".repeat(30), ABOUT[0].1);
    world.put("retries.md", moved.as_bytes());
    let why = hints(&world, PROMPT)[0]["why"][0].clone();
    assert_eq!((&why["heading"], &why["line"]), (&json!("Retrying failed calls"), &json!(61)), "where it is now");
    world.put("retries.md", b"# Soup\n\nBoil water, then add salt and vegetables.\n");
    assert!(hinted(&world).is_empty(), "the file says something else before it is indexed again");
    world.json(&["index"], 0);
    assert!(hinted(&world).is_empty(), "the file says something else now");
    assert_eq!(world.json(&["index", "--words-only", "--fresh"], 0)["missing"], 8);
    let why = hints(&world, b"who reads the palette of links in grey, red and blue?")[0]["why"][0].clone();
    assert_eq!((&why["path"], &why["cosine"]), (&json!("colours.md"), &json!(0.0)), "words alone do, too");
    assert!(hints(&world, b"bake a cake for the birthday").is_empty());
}

#[test]
fn an_incomplete_index_removes_no_tag_hints() {
    let world = world(0);
    world.json(&["index"], 0);
    world.put("more.md", b"# Trying again\n\nThe payment client calls again when a call fails, and a retry waits.\n");
    let tag =
        |id: &str, path: &str| json!({"id": id, "name": id, "path": path, "mode": "selectable", "tags": ["client"]});
    let sources = json!([tag("retries", "retries.md"), tag("more", "more.md"), tag("new", "invoices.md")]);
    let mut catalog: Value = serde_json::from_str(&world.read("references.json")).unwrap();
    catalog["sources"] = sources;
    world.put("references.json", catalog.to_string().as_bytes());
    let mut found = hinted(&world);
    found.sort();
    assert_eq!(found, ["more", "new", "retries"], "two of them are not in the index yet");
}

/// No update of the index would read it.
#[test]
fn a_source_that_waits_for_trust_is_not_reported_as_missing() {
    let world = world(0);
    world.json(&["index"], 0);
    refdesk_files::write_atomic(&world.beside("far.md"), b"# Far\n").unwrap();
    let added = world.run(&["add", "../far.md"]).exits(0);
    assert!(!added.text().contains("search index"), "{added}");
    let reported = format!("{}", world.run(&["search", "dough"]).exits(0));
    assert!(reported.contains("waits for trust, and is left out"), "{reported}");
    assert!(!reported.contains("not complete"), "{reported}");
}

#[test]
fn later_added_sources_are_reported_as_missing() {
    let world = world(0);
    world.json(&["index"], 0);
    world.run(&["doctor"]).exits(0);
    world.put("docs/pizza.md", b"# Pizza\n\nBaked on a hot stone.\n");
    let added = world.run(&["add", "docs/pizza.md"]).exits(0);
    assert!(added.text().ends_with("1 source is not in the search index yet: `refdesk index` adds it.\n"), "{added}");
    let reported = world.run(&["search", "pizza"]).exits(0);
    assert!(
        format!("{reported}").contains("the index is not complete: 1 source is not in it yet\nnote: `refdesk index`"),
        "{reported}"
    );
    let doctor = world.run(&["doctor"]);
    assert!(doctor.text().contains("1 source not read yet"), "{doctor}");
    let why = world.run(&["why-not", "pizza", "--prompt", "how long does dough rest?"]).exits(0);
    assert!(why.text().contains("The search index does not have its current text"), "{why}");
    assert_eq!(why.text().matches("`refdesk index` reads it").count(), 1, "{why}");
    world.json(&["index"], 0);
    let why = world.run(&["why-not", "pizza", "--prompt", "how long does dough rest?"]).exits(0);
    assert!(!why.text().contains("has not read it"), "{why}");
    let serving =
        |how: &str| world.put("docs/pizza.md", format!("# Pizza\n\nBaked.\n\n## Serving\n\n{how}\n").as_bytes());
    serving("Scissors cut it into squares.");
    world.json(&["index"], 0);
    serving("Whole.");
    let why = world.run(&["why-not", "pizza", "--prompt", "squares by scissors"]).exits(0);
    assert!(why.text().contains("The search index does not have its current text"), "{why}");
    world.put("docs/lasagne.md", b"# Lasagne\n\nBaked in layers.\n");
    let next = world.run(&["init", "--yes"]).exits(0);
    assert!(
        next.text().contains("Next: `refdesk index` adds 1 source, which the search index does not have yet; then"),
        "{next}"
    );
}

#[test]
fn files_that_changed_since_are_counted() {
    let docs = json!([{"id": "docs", "name": "Docs", "path": "docs", "mode": "selectable"}]);
    let world = Workspace::of(docs, &[("docs/a.md", "# A\n\nOld text.\n"), ("docs/b.md", "# B\n\nOther text.\n")]);
    world.run(&["index"]).exits(0);
    let changed = || world.json(&["search", "newword"], 0)["partial"]["changed"].clone();
    assert_eq!(changed(), Value::Null);
    world.put("docs/a.md", b"# A\n\nOld text.\n\n## More\n\nA newword.\n");
    world.put("docs/c.md", b"# C\n\nAnother newword.\n");
    assert_eq!(changed(), 2);
    let reported = world.run(&["search", "newword"]).exits(0);
    assert!(
        reported.stderr.contains("2 texts were added, changed or removed since the index was updated"),
        "{reported}"
    );
    assert!(reported.stderr.contains("`refdesk index` updates the index"), "{reported}");
    assert_eq!(world.json(&["simulate", "newword"], 0)["partial"]["changed"], 2);
    let simulated = world.run(&["simulate", "newword"]).exits(0);
    assert!(
        simulated.text().contains("2 texts were added, changed or removed since the index was updated"),
        "{simulated}"
    );
    let doctor = world.run(&["doctor"]);
    assert!(doctor.text().contains("2 texts were added, changed or removed since"), "{doctor}");
    world.run(&["index"]).exits(0);
    let found = world.json(&["search", "newword"], 0);
    assert!((0..2).all(|nth| found["hits"][nth]["excerpt"].as_str().unwrap().contains("newword")), "{found}");
    assert_eq!(changed(), Value::Null);
}

#[test]
fn a_search_without_an_answer_says_so() {
    let world = world(0);
    world.json(&["index"], 0);
    let found = |query: &str| world.json(&["search", query], 0);
    assert_eq!(found("zzzqqq")["hits"], json!([]));
    assert!(!found("call")["hits"].as_array().unwrap().is_empty());
    let shown = world.run(&["search", "zzzqqq"]).exits(0);
    assert!(shown.text().contains("Nothing found."), "{shown}");
    let shown = world.run(&["search", "\""]).exits(0);
    assert!(!shown.text().contains("Nothing found."), "{shown}");
    assert_eq!(found("\"")["notes"], json!(["The query has no words to search for."]));
}

#[test]
fn sections_of_html_and_restructured_text_are_found() {
    let files = [
        ("a.html", "<h1>Release</h1>\n<h2>Canary</h2>\n<p>One <b>machine</b>\nfirst.</p><script>zeppelin</script>"),
        ("b.rst", "Guide\n=====\n\nBackoff\n-------\n\nA call is repeated.\n"),
    ];
    let sources = files.map(|(path, _)| json!({"id": path, "name": path, "path": path, "mode": "selectable"}));
    let world = Workspace::of(json!(sources), &files);
    let indexed = world.run(&["index", "--words-only"]).exits(0);
    assert!(
        indexed.text().contains(" can be found only by their words: `refdesk index` adds their vectors."),
        "{indexed}"
    );
    let found = |query: &str| {
        let found = world.json(&["search", query, "--kind", "text"], 0);
        assert!(!found["notes"].to_string().contains("changed"), "{query}: {found}");
        let hits = found["hits"].as_array().unwrap().iter();
        hits.map(|hit| (hit["heading"].as_str().unwrap().to_owned(), hit["excerpt"].as_str().unwrap().to_owned()))
            .collect::<Vec<_>>()
    };
    let section = |heading: &str, excerpt: &str| vec![(heading.to_owned(), excerpt.to_owned())];
    assert_eq!(found("machine"), section("Release > Canary", "Release\nCanary\nOne machine\nfirst."));
    assert_eq!(found("repeated"), section("Guide > Backoff", "Backoff\n-------\n\nA call is repeated."));
    assert_eq!(found("zeppelin"), []);
}

#[test]
fn search_does_not_quote_removed_text() {
    let world = world(0);
    world.run(&["index", "--words-only"]).exits(0);
    let found = || world.json(&["search", "failed calls, blue links"], 0);
    let texts = |found: &Value| {
        let hits = found["hits"].as_array().unwrap().iter().filter(|hit| hit["kind"] == "text");
        hits.map(|hit| hit["source_id"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    let before = found();
    assert!(texts(&before).contains(&"retries".to_owned()), "{before}");
    world.put("retries.md", b"# Soup\n\nBoil water, then add salt and vegetables.\n");
    fs::remove_file(world.path.join("colours.md")).unwrap();
    let after = found();
    assert!(!texts(&after).iter().any(|id| id == "retries" || id == "colours"), "{after}");
    let note = "2 sections have changed since they were indexed, and are left out until the index is updated.";
    assert!(after["notes"].as_array().unwrap().contains(&json!(note)), "{after}");
    let shown = world.run(&["search", "invoices", "--max-tokens", "1"]).exits(0);
    assert!(!shown.text().contains("Nothing found"), "{shown}");
}

#[test]
fn repeated_prompts_about_a_source_bring_it_up() {
    let world = world(0);
    world.run(&["index"]).exits(0);
    let prompts = ["the caller gives up", "the caller gives up now"];
    let score = |prompt: &str| {
        world.feed_json(&["simulate", "--repeat"], prompt.as_bytes())["considered"][0]["score"].as_f64().unwrap()
    };
    let score = score(prompts[0]).max(score(prompts[1]));
    let mut configuration: Value = serde_json::from_str(&world.read("references.json")).unwrap();
    let said = |session: &str, prompt: &str| {
        let reported = world.feed_json(&["--session", session, "enrich"], prompt.as_bytes());
        reported["metadata"]["semantic_matched_references"]["retries"].is_object()
    };
    let kept = |session: &str| {
        fs::read_to_string(world.path.join(format!(".jaato/refdesk/sessions/{session}/told.json"))).unwrap_or_default()
    };
    for (conversation, expected) in [(false, [false; 3]), (true, [false, false, true])] {
        // One prompt alone stays below the threshold.
        configuration["hints"] = json!({"threshold": score + 0.02, "conversation": conversation});
        world.put("references.json", configuration.to_string().as_bytes());
        let session = format!("session-{conversation}");
        // The same prompt again says nothing new.
        let given = [prompts[0], prompts[0], prompts[1]].map(|prompt| said(&session, prompt));
        assert_eq!(given, expected, "conversation: {conversation}");
        // Without the setting, the session stores no prompts.
        let reported = kept(&session);
        assert!(!reported.contains("gives up"), "the text is not kept");
        assert_eq!(reported.contains("\"prompts\""), conversation);
    }
    // A password typed into a prompt leaves no trace, but a word that is also in the documents is stored.
    world.feed_json(&["--session", "secret", "enrich"], b"the pauses of hunter2xyz are 4711qq");
    let reported = kept("secret");
    assert!(reported.contains("\"pauses\"") && reported.contains("\"absent\""), "{reported}");
    assert!(!reported.contains("hunter2xyz") && !reported.contains("4711qq"), "{reported}");
    world.run(&["--session", "session-true", "enrich", "--event", "clear"]);
    assert!(!world.read(".jaato/refdesk/sessions/session-true/told.json").contains("\"prompts\""));
}

/// A chunk of short sections is named after the first of them. The matching section has its current line: as indexed,
/// with unchanged text written again, and below new text.
#[test]
fn sections_have_their_current_lines() {
    let text = "# Tills\n\nHow a till is used.\n\n## Login\n\nWith a card.\n\n## Lockout\n\nA cashier is locked out after a wrong pin.\n";
    let world = Workspace::of(
        json!([{"id": "tills", "name": "Tills", "type": "local", "path": "tills.md", "mode": "selectable"},
               {"id": "other", "name": "Other", "type": "local", "path": "other.md", "mode": "selectable"}]),
        &[("tills.md", text), ("other.md", "# Colours\n\nBlue is for links.\n")],
    );
    world.run(&["index"]).exits(0);
    let preface = "# Preface\n\nNothing of this is about money.\n\n".repeat(40);
    for (before, line) in [("", 9), ("", 9), (preface.as_str(), 169)] {
        world.put("tills.md", format!("{before}{text}").as_bytes());
        let hit = &world.json(&["search", "cashier locked out wrong pin", "--limit", "1"], 0)["hits"][0];
        assert_eq!((&hit["line"], &hit["end_line"]), (&json!(line), &json!(line + 2)), "{hit}");
        assert!(hit["excerpt"].as_str().unwrap().starts_with("## Lockout"), "{hit}");
        assert!(hit["heading"].as_str().unwrap().ends_with("Lockout"), "{hit}");
        let reported = world.feed(&["enrich", "--repeat"], b"a cashier is locked out after a wrong pin").exits(0);
        assert!(reported.text().contains(&format!("Lockout\", tills.md:{line}")), "{reported}");
    }
}

/// A heading inserted before a section is not reported above it, and of sections with equal text the right one is
/// named.
#[test]
fn sections_have_their_current_headings() {
    let filler = "Filler about nothing that anybody looks for, again and again and again. ".repeat(6);
    let zoo =
        |more: &str| format!("# Zoo\n\n{filler}\n\n{more}## Care\n\nFeed the zebu every day with hay and some salt.\n");
    let install = |system: &str| {
        format!("# {system}\n\n{filler} {system}\n\n## Install\n\nRun the zebrafish installer of quartz twice.\n\n")
    };
    let both = |more: &str| format!("{}{}{more}\n", install("Linux"), install("Mac"));
    let source =
        |id: &str| json!({"id": id, "name": id, "type": "local", "path": format!("{id}.md"), "mode": "selectable"});
    let world =
        Workspace::of(json!([source("zoo"), source("install")]), &[("zoo.md", &zoo("")), ("install.md", &both(""))]);
    world.run(&["index"]).exits(0);
    world.put("zoo.md", zoo("## Opening hours\n\nFrom nine to five.\n\n").as_bytes());
    world.put("install.md", both("One word more.").as_bytes());
    let headings = |query: &str| {
        let found = world.json(&["search", query, "--kind", "text"], 0);
        let hits = found["hits"].as_array().unwrap().iter();
        hits.map(|hit| format!("{}:{}", hit["heading"].as_str().unwrap(), hit["line"])).collect::<Vec<_>>()
    };
    assert_eq!(headings("zebu hay")[0], "Zoo > Care:9");
    let mut installs = headings("zebrafish quartz installer");
    installs.retain(|hit| hit.contains("Install"));
    installs.sort();
    assert_eq!(installs, ["Linux > Install:5", "Mac > Install:13"]);
}

/// An editor may save half a catalog, and a profile hides sources. Recomputing their vectors would take minutes.
#[test]
fn sources_hidden_by_a_broken_catalog_or_a_profile_stay_indexed() {
    let world = world(3);
    let all = world.json(&["index", "--words-only"], 0)["sections"].clone();
    let catalog = world.read("references.json");
    world.put("references.json", &catalog.as_bytes()[..catalog.len() / 2]);
    for (arguments, said) in [
        (&["index", "--words-only"][..], "the index keeps its texts of sources that may be missing"),
        (&["index", "--words-only", "--fresh"], "the index is not rebuilt while a part of the catalog cannot be read"),
    ] {
        let answer = world.json(arguments, 1);
        assert!(answer["error"]["message"].as_str().unwrap().contains(said), "{answer}");
    }
    world.put("references.json", catalog.as_bytes());
    let few = json!({"name": "few", "plugin_configs": {"references": {"sources": ["retries"]}}});
    world.put(".jaato/profiles/few.json", &few.to_string().into_bytes());
    for arguments in [&["index", "--words-only"][..], &["--profile", "few", "index", "--words-only"]] {
        let report = world.json(arguments, 0);
        assert_eq!((&report["added"], &report["sections"]), (&json!(0), &all), "{arguments:?}");
    }
}

/// Other runs leave out what only the profile defines, so the command that reads it must name the profile.
#[test]
fn what_only_a_profile_defines_is_indexed_with_the_profile() {
    let world = world(3);
    let sources = json!([inline("kimchi", "Kimchi is cabbage that fermented."), "retries"]);
    let few = json!({"name": "few", "plugin_configs": {"references": {"sources": sources}}});
    world.put(".jaato/profiles/few.json", few.to_string().as_bytes());
    world.run(&["index", "--words-only"]).exits(0);
    let doctor = world.run(&["--profile", "few", "doctor"]);
    assert!(doctor.text().contains("`refdesk --profile few index` reads it"), "{doctor}");
    world.run(&["--profile", "few", "index", "--words-only"]).exits(0);
    let found = world.json(&["--profile", "few", "search", "fermented"], 0);
    assert_eq!(found["hits"][0]["source_id"], "kimchi", "{found}");
}

#[test]
fn killed_at_any_moment_the_index_is_completed_by_the_next_run() {
    let stations = scaled(30, 60);
    let whole = world(stations);
    whole.run(&["index"]).exits(0);
    let world = world(stations);
    let mut died = 0;
    for round in 0..scaled(25, 100) {
        // Later in each round, measured in written bytes. A log that was emptied starts again.
        let log = world.path.join(".jaato/refdesk/index.db-wal");
        let size = || fs::metadata(&log).map_or(0, |log| log.len());
        let (before, begin) = (size(), Instant::now());
        let mut command = world.command(&["index"]);
        let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        let is_due = || size() != before && (round % 4 < 2 || size() > before + 20_000);
        while !is_due() && round % 5 != 0 && child.try_wait().unwrap().is_none() {
            assert!(begin.elapsed() < LIMIT);
            std::thread::yield_now();
        }
        kill(child.id());
        died += usize::from(!child.wait().unwrap().success());
        // The index can be queried in any state.
        world.feed(&["simulate", "--repeat"], PROMPT).exits(0);
    }
    assert!(died > 5, "only {died} died on the way");
    let last = world.json(&["index"], 0);
    assert_eq!((&last["sections"], &last["missing"]), (&json!(2 * (ABOUT.len() + stations)), &json!(0)));
    for prompt in [PROMPT, b"which colours may a link have", b"wind at station 7", b"how do we roll out a release"] {
        assert_eq!(hints(&world, prompt), hints(&whole, prompt));
    }
}

#[test]
fn killed_during_a_rebuild_the_index_stays_valid() {
    let world = world(4);
    world.run(&["index", "--words-only"]).exits(0);
    let database = world.path.join(".jaato/refdesk/index.db");
    let stamp = || refdesk_files::stamp(&database).ok();
    for round in 0..scaled(25, 100) {
        let before = stamp();
        let mut command = world.command(&["index", "--fresh", "--words-only"]);
        let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        let begin = Instant::now();
        // From the moment the old index is removed, a little later in each round.
        while stamp() == before && child.try_wait().unwrap().is_none() {
            assert!(begin.elapsed() < LIMIT);
        }
        (0..round * 40).for_each(|_| std::thread::yield_now());
        kill(child.id());
        child.wait().unwrap();
        let shown = world.run(&["search", "wind"]);
        assert!(!shown.stderr.contains("not made here"), "{round}: {shown}");
        world.run(&["index", "--words-only"]).exits(0);
    }
}

/// The files of an unfinished index.
fn unfinished(world: &Workspace) -> Vec<String> {
    let names = fs::read_dir(world.path.join(".jaato/refdesk")).unwrap();
    let names = names.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    names.filter(|name| name.starts_with("index.db.new")).collect()
}

#[test]
fn a_failed_rebuild_keeps_the_index() {
    let world = world(20);
    let sections = world.json(&["index", "--words-only"], 0)["sections"].clone();
    let hits = || world.json(&["search", "wind", "--limit", "100"], 0)["hits"].as_array().unwrap().len();
    let found = hits();
    assert!(found > 0);
    // Limits in KiB that interrupt creating or filling the index.
    for kib in [4, 24, 40] {
        let refused = run(&mut world.without_room(kib, &["index", "--fresh", "--words-only"]), None).exits(1);
        assert!(refused.stderr.contains("free some disk space"), "{kib}: {refused}");
        assert_eq!((hits(), unfinished(&world)), (found, Vec::new()), "{kib}");
    }
    let mut command = world.command(&["index", "--fresh", "--words-only"]);
    let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    until("one is made", || !unfinished(&world).is_empty());
    kill(child.id());
    child.wait().unwrap();
    assert_eq!(hits(), found, "killed");
    assert_eq!(world.json(&["index", "--words-only"], 0)["sections"], sections);
    assert_eq!((hits(), unfinished(&world)), (found, Vec::new()));
}

#[test]
fn the_start_of_an_agents_session_leaves_an_index_behind() {
    let world = world(0);
    let start = json!({"session_id": "s", "cwd": world.path, "hook_event_name": "SessionStart", "source": "startup"});
    world.feed(&["hook", "claude-code"], start.to_string().as_bytes()).exits(0);
    until_built(&world);
    until("a hint by meaning", || hinted(&world) == ["retries"]);
}

#[test]
fn a_server_keeps_the_index_up_to_date() {
    let world = world(0);
    let client = Client::connect(&world);
    until_built(&world);
    until("a hint by meaning", || hinted(&world) == ["retries"]);
    world.put("retries.md", b"# Soup\n\nBoil water, then add salt and vegetables.\n");
    until("the change", || hinted(&world).is_empty());
    client.end();
}

#[test]
fn commands_borrow_the_model_of_a_server() {
    let world = world(0);
    world.run(&["index"]).exits(0);
    let state = world.beside(STATE);
    let lenders = || fs::read_dir(state.join("model")).map_or(0, Iterator::count);
    let client = Client::connect(&world);
    until("the model", || lenders() == 1);
    let mut command = world.command(&["enrich"]);
    let ran = run(command.env("REFDESK_LOG", "debug"), Some(PROMPT)).exits(0);
    assert!(ran.text().contains("@retries"), "{ran}");
    let log = fs::read_to_string(state.join("refdesk.log")).unwrap();
    assert!(log.contains("another process shares the model"), "{log}");
    client.end();
    assert_eq!(lenders(), 0);
}

#[test]
fn nothing_is_built_without_sources_or_where_it_is_forbidden() {
    let world = world(0);
    let is_wanted_if = |is_explicit: bool| {
        let process = IndexProcess {
            program: PROGRAM.into(),
            arguments: Vec::new(),
            without: None,
            is_explicit,
            words_only: false,
        };
        let context = world.desk("state").workspace_context().clone();
        Desk::open(Options { index_process: Some(process), ..Options::new(context) }).index_process().is_some()
    };
    let is_wanted = || is_wanted_if(false);
    assert!(is_wanted());
    let configuration: Value = serde_json::from_str(&world.read("references.json")).unwrap();
    for (key, value) in [("index", json!({"background": false})), ("sources", json!([]))] {
        let mut changed = configuration.clone();
        changed[key] = value;
        world.put("references.json", changed.to_string().as_bytes());
        assert!(!is_wanted(), "{key}");
        assert_eq!(is_wanted_if(true), key == "index", "{key}: asked for");
    }
}

#[test]
fn watching_updates_the_index_with_its_options_even_if_background_updates_are_off() {
    let world = world(0);
    let mut configuration: Value = serde_json::from_str(&world.read("references.json")).unwrap();
    configuration["index"] = json!({"background": false});
    world.put("references.json", configuration.to_string().as_bytes());
    let mut command = world.command(&["index", "--watch", "--words-only"]);
    let mut child = command.stdin(Stdio::null()).stdout(Stdio::null()).spawn().unwrap();
    until_built(&world);
    let second = world.json(&["index", "--watch"], 1);
    assert_eq!(second["error"]["code"], "index-busy", "{second}");
    let finds = || world.json(&["search", "lasagne"], 0)["hits"][0]["path"] == "retries.md";
    // The watcher may still be starting, so the file is changed repeatedly, with pauses for the debounce.
    let nth = std::cell::Cell::new(0);
    until("the change", || {
        if nth.replace(nth.get() + 1) % 200 == 0 {
            world.put("retries.md", format!("# Lasagne\n\nLayer {}.\n", nth.get()).as_bytes());
        }
        finds()
    });
    kill(child.id());
    child.wait().unwrap();
    drop(world.hold_index());
    assert_eq!(world.json(&["index", "--words-only"], 0)["missing"], 8, "no vectors");
}

#[test]
fn a_changed_entry_is_not_quoted_from_the_index() {
    let described = |how: &str| json!([{"id": "a", "name": "A", "description": how, "path": "a.md"}]);
    let world = Workspace::of(described("About giraffes."), &[("a.md", "# Text\n\nNothing of the kind.\n")]);
    world.run(&["index"]).exits(0);
    assert_eq!(world.json(&["search", "giraffes", "--kind", "source"], 0)["hits"][0]["source_id"], "a");
    let mut configuration: Value = serde_json::from_str(&world.read("references.json")).unwrap();
    configuration["sources"] = described("About elephants.");
    world.put("references.json", configuration.to_string().as_bytes());
    let found = world.json(&["search", "giraffes", "--kind", "source"], 0);
    assert_eq!((&found["hits"], &found["partial"]["changed"]), (&json!([]), &json!(1)), "{found}");
    world.run(&["index"]).exits(0);
    assert_eq!(world.json(&["search", "elephants", "--kind", "source"], 0)["partial"], Value::Null);
}

#[test]
fn a_name_leads_to_the_beginning_of_its_text_and_a_file_is_found_by_its_name() {
    let sources = json!([
        {"id": "kb", "name": "Knowledge", "path": "kb"},
        {"id": "guide", "name": "Guide", "path": "guide.md"},
    ]);
    let guide = format!("# Start\n\n{}\n\n## The guide\n\nThe guide of guides.\n", "Long words. ".repeat(200));
    let other = format!("# Other\n\nNotes on b.txt and guide, notes.\n\n{}", "More words. ".repeat(50));
    let world = Workspace::of(
        sources,
        &[
            ("guide.md", &guide),
            ("kb/one/notes.md", &other),
            ("kb/two/notes.md", "# Two\n\nx\n"),
            ("kb/two/b.txt", "y\n"),
        ],
    );
    world.run(&["index"]).exits(0);
    for (query, path, line) in [
        ("guide", "guide.md", 1),
        ("Guide", "guide.md", 1),
        ("GUIDE", "guide.md", 1),
        ("KB", "kb/one/notes.md", 1),
        ("guide.md", "guide.md", 1),
        ("b.txt", "kb/two/b.txt", 1),
        ("two/notes.md", "kb/two/notes.md", 1),
        ("kb/two/notes.md", "kb/two/notes.md", 1),
    ] {
        let found = world.json(&["search", query], 0);
        let first = &found["hits"][0];
        assert_eq!((&first["path"], &first["line"]), (&json!(path), &json!(line)), "{query}: {found}");
        let copies = found["hits"].as_array().unwrap().iter();
        assert_eq!(copies.filter(|hit| (&hit["path"], &hit["line"]) == (&first["path"], &first["line"])).count(), 1);
    }
}

#[test]
fn a_larger_limit_only_adds_hits() {
    let policy = |name: &str| (format!("{name}.md"), format!("# {name}\n\nThe {name} policy is short.\n"));
    let mut files = Vec::from(["leave", "travel", "dress"].map(policy));
    let long =
        "Look at the dashboards, then restart the workers one by one, and write a short report about it for the team.";
    files
        .push(("runbook.md".to_owned(), format!("# Runbook\n\n{long} By policy, nobody works two nights in a row.\n")));
    let sources = json!([
        {"id": "leave", "name": "leave", "path": "leave.md"},
        {"id": "travel", "name": "travel", "path": "travel.md"},
        {"id": "dress", "name": "dress", "path": "dress.md"},
        {"id": "runbook", "name": "Escalation policy", "description": "Whom to wake up", "path": "runbook.md"},
    ]);
    let files: Vec<(&str, &str)> = files.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
    let world = Workspace::of(sources.clone(), &files);
    world.put("references.json", json!({"sources": sources, "hints": {"semantic": false}}).to_string().as_bytes());
    world.run(&["index"]).exits(0);
    let hits = |limit: usize| -> Vec<String> {
        let found = world.json(&["search", "whom escalation policy", "--limit", &limit.to_string()], 0);
        let hits = found["hits"].as_array().unwrap().iter();
        hits.map(|hit| format!("{}:{}", hit["source_id"].as_str().unwrap(), hit["line"])).collect()
    };
    let all = hits(4);
    assert!(all.len() == 4 && all[0].starts_with("runbook:"), "the source that has every word, by its text: {all:?}");
    for limit in 1..4 {
        assert_eq!(hits(limit), all[..limit], "{limit}");
    }
}

#[test]
fn a_document_that_was_just_read_is_not_hinted_at() {
    let world = world(0);
    world.run(&["index"]).exits(0);
    let read = |tool: &str, path: &str| {
        let args = json!({"file_path": path}).to_string();
        let text = world.read("retries.md");
        let asked = ["simulate", "--repeat", "--kind", "tool_result", "--tool", tool, "--args", &args];
        let answer = world.feed_json(&asked, text.as_bytes());
        let hinted: Vec<String> =
            answer["items"].as_array().unwrap().iter().map(|it| it["about"].as_str().unwrap().to_owned()).collect();
        (hinted, answer)
    };
    assert!(read("Bash", "other.md").0.contains(&"retries".to_owned()));
    let (hinted, answer) = read("Read", "retries.md");
    assert!(!hinted.contains(&"retries".to_owned()), "{answer}");
    let why = &answer["considered"][0];
    assert_eq!((&why["id"], &why["because"]), (&json!("retries"), &json!("it was just read")), "{answer}");
}

#[test]
fn odd_documents_are_indexed() {
    let many = scaled(5_000, 100_000);
    let files: [(&str, Vec<u8>); 13] = [
        ("line.md", "word ".repeat(scaled(800_000, 2_000_000)).into_bytes()),
        ("unbroken.txt", vec![b'x'; scaled(200_000, 1_000_000)]),
        ("headings.md", "# a\n".repeat(many).into_bytes()),
        ("headings.html", "<h1>a".repeat(many).into_bytes()),
        ("headings.rst", "a\n===\n\n".repeat(many).into_bytes()),
        ("headings.adoc", "= a\n".repeat(many).into_bytes()),
        ("bytes.html", (0..=255).cycle().take(10_000).collect()),
        ("nul.md", b"# One\0two\n\nthree\0\0four\n".to_vec()),
        ("scripts.md", "# 再試行\n\n呼び出しが失敗したら再試行する。\n\nПовторить вызов. أعد المحاولة 🔁\n".into()),
        (
            "many.md",
            "A paragraph that is a section, since it is followed by a heading. \n\n# Next\n\n"
                .repeat(6)
                .repeat(scaled(4_000, 9_000))
                .into_bytes(),
        ),
        ("empty.md", Vec::new()),
        ("signs.md", b"--- *** ??? \"\" AND OR NOT (\n".to_vec()),
        ("bytes.md", (0..=255).collect()),
    ];
    let sources: Vec<Value> = files
        .iter()
        .map(|(path, _)| json!({"id": path, "name": path, "type": "local", "path": path, "mode": "selectable"}))
        .collect();
    let world = Workspace::of(json!(sources), &[]);
    for (path, bytes) in &files {
        world.put(path, bytes);
    }
    // Computing vectors takes minutes in a test build.
    let built = world.json(&["index", "--words-only"], 0);
    assert_eq!((&built["unreadable"], &built["cut"]), (&json!(2), &json!(2)), "bytes that are no text");
    assert!(built["sections"].as_u64().unwrap() > 1_000, "{built}");
    let long = ["(".repeat(5_000), "word ".repeat(5_000), "再試行".repeat(2_000)];
    for prompt in ["", "再試行", "\"", "a OR b NEAR/2 c", "\0", "🔁"].into_iter().chain(long.iter().map(String::as_str))
    {
        world.feed(&["simulate", "--repeat"], prompt.as_bytes()).exits(0);
        // An argument cannot contain this character.
        if prompt != "\0" {
            let found = world.json(&["search", "--", prompt], 0);
            let is_told = found["notes"].to_string().contains("only its first 4,096 characters count");
            assert_eq!(is_told, prompt.chars().count() > 4_096, "{prompt:.20}: {}", found["notes"]);
        }
    }
}

#[test]
fn an_unwritable_index_is_an_error_with_file_and_fix() {
    let world = world(0);
    world.put(".jaato/refdesk", b"a file");
    let refused = world.json(&["index"], 1);
    assert!(refused["error"]["message"].as_str().unwrap().contains("index.db"), "{refused}");
    world.feed(&["enrich"], PROMPT).exits(0);
    // Limits in blocks of 1 KiB that interrupt creating or filling the index.
    for blocks in [4, 24, 64] {
        let full = self::world(20);
        let refused = run(&mut full.without_room(blocks, &["index"]), None).exits(1);
        assert!(
            refused.stderr.contains("index.db") && refused.stderr.contains("free some disk space"),
            "{blocks}: {refused}"
        );
        full.feed(&["enrich"], PROMPT).exits(0);
        full.run(&["index"]).exits(0);
        assert_eq!(hinted(&full), ["retries"], "{blocks}");
        assert!(!full.path.join(".jaato/refdesk/index.db.aside").exists(), "{blocks}: nothing of it is kept");
    }
}

#[test]
fn a_second_index_run_leaves_the_first_alone() {
    let world = world(60);
    let mut first = world.command(&["index"]);
    let mut first = first.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let log = world.path.join(".jaato/refdesk/index.db-wal");
    until("a log", || fs::metadata(&log).is_ok_and(|log| log.len() > 0));
    let refused = world.json(&["index"], 1);
    assert_eq!(refused["error"]["code"], "index-busy");
    assert!(refused["sections"].is_u64() && refused["added"] == 0 && refused["cut_files"].is_array(), "{refused}");
    assert!(first.wait().unwrap().success());
}
