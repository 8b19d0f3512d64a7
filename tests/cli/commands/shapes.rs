//! The JSON of every command has exactly the members of BEHAVIOUR §10 with their types, so a program can parse all
//! answers of a command alike.

use std::collections::BTreeSet;

use clap::CommandFactory;
use serde_json::Value;

use super::small;
use crate::support::program::run;

/// Whether the value has this type of the table below: a trailing `?` allows null, `[x]` is a list of x, `{}` an
/// object.
fn fits(value: &Value, kind: &str) -> bool {
    if let Some(kind) = kind.strip_suffix('?') {
        return value.is_null() || fits(value, kind);
    }
    if let Some(item) = kind.strip_prefix('[').and_then(|kind| kind.strip_suffix(']')) {
        return value.as_array().is_some_and(|items| items.iter().all(|it| fits(it, item)));
    }
    match kind {
        "text" => value.is_string(),
        "yes" => value.is_boolean(),
        "count" => value.is_u64(),
        "any" => true,
        "{}" => value.is_object(),
        "{count}" => value.as_object().is_some_and(|it| it.values().all(|value| fits(value, "count"))),
        "{[text]}" => value.as_object().is_some_and(|it| it.values().all(|value| fits(value, "[text]"))),
        "source" => has(value, LISTED),
        // Only a missing source says so.
        "picked" => has(value, SELECTED) || has(value, &format!("{SELECTED}, exists yes")),
        "mention" => has(value, MENTION),
        "diagnostic" => has(value, DIAGNOSTIC),
        "block" => has(value, "kind text, bytes count, tokens count, level text"),
        "item" => has(value, "block text, about text, level text, bytes count, tokens count, why [{}], because text"),
        "match" => has(value, "tag text, line count, column count"),
        "metadata" => has(value, METADATA),
        "template" => has(value, TEMPLATE),
        "node" => has(value, "id text, name text, type text, mode text, selected yes, exists yes"),
        "link" => has(value, "id text, role text, mentions [mention], picked chosen?"),
        "chosen" => has(value, "by text, at text"),
        "variable" => has(value, "name text, kind text, optional yes, fields [variable]"),
        "fix" => has(value, "source_id text, file text, before text, after text"),
        "fit" => has(value, "name text, nearest text?"),
        "output" => has(value, OUTPUT),
        "refused" => has(value, "row count, output_path text?, error error"),
        "error" => has(value, "code text, message text, hint text"),
        other => panic!("no such type: {other}"),
    }
}

/// Checks that an object has exactly these members.
fn has(value: &Value, members: &str) -> bool {
    let Some(object) = value.as_object() else { return false };
    let wanted: Vec<(&str, &str)> = members.split(", ").map(|member| member.split_once(' ').unwrap()).collect();
    object.len() == wanted.len()
        && wanted.iter().all(|(key, kind)| object.get(*key).is_some_and(|value| fits(value, kind)))
}

const LISTED: &str = "id text, name text, description text, type text, mode text, tags [text], selected yes, picked yes, \
    excluded yes, transitive yes, resolved_path text?, is_directory yes?, exists yes?, url text?, server text?, tool text?, \
    has_content yes, tokens count?";
const SELECTED: &str = "id text, name text, description text, type text, tags [text], resolved_path text?, \
    is_directory yes?, transitive yes, transitive_from [text], url text?, server text?, tool text?, args any, content text?, \
    fetch_hint text?";
const MENTION: &str = "from text, to text, via text, file text, line count";
const DIAGNOSTIC: &str =
    "severity text, code text, file text?, line count?, column count?, source_id text?, message text, hint text";
const METADATA: &str = "mentioned_references [text], tag_matched_references {[text]}, transitive_references {[text]}, \
    pinned_reference {}?";
const TEMPLATE: &str =
    "name text, origin text, syntax text, variables [text], source_path text, exists yes, problem text?";
const PICK: &str = "status text, selected_count count, transitive_count count, sources [picked], unknown [text], \
    missing [text], message text";
const CHANGE: &str = "status text, message text, changed [text], released [text]";
const RESOLVE: &str = "resolved [text], depth {count}, parents {[text]}, mentions [mention], unknown [text]";
const LIST: &str = "sources [source], total count, selected_count count";
const RENDERED: &str = "success yes, rendered text, template_syntax text, size count, lines count, variables_used [text], \
    variables_unused [fit], variables_missing [fit], \
    offered_output text?, warnings [text]";
const WRITTEN: &str = "success yes, output_path text, bytes_written count, size count, lines count, variables_used [text], \
    variables_unused [fit], variables_missing [fit], \
    template_syntax text, warnings [text], diff text";
const BATCH: &str = "success yes, outputs [output]";
const OUTPUT: &str = "row count, output_path text, bytes_written count, size count, lines count, variables_used [text], \
    variables_unused [fit], variables_missing [fit], \
    template_syntax text, warnings [text], diff text";

const SIMULATED: &str = "added text, blocks [block], items [item], total {count}, told_before [item], left_out [item], \
    considered [{}], partial {}?, metadata metadata, lossy yes";
const ASSERTED: &str = "cases [{}], expectations count, met count, hints {}, problems [diagnostic]";
const WHY_NOT: &str = "id text, hinted yes, reason text, message text, fix text, tags [text], matched [match], missing yes, about {}, \
     meaning {}?, indexed yes";

/// A successful call of every command whose answer always has the same members.
const CALLS: &[&str] = &[
    "list",
    "select a",
    "resolve a",
    "references",
    "why b",
    "graph",
    "instructions",
    "check",
    "init --dry-run",
    "tag a +more",
    "templates",
    "templates validate",
    "templates extract",
    "templates variables hello.txt.tpl",
    "enrich @b",
    "simulate @b",
    "why-not c --prompt c",
    "assert expect.toml",
    "index --words-only",
    "search kit",
    "doctor",
    "replay 1",
    "profiles",
    "trust list",
    "unselect a",
    "exclude c",
    "include c",
    "clear",
    "remove text --yes",
];

/// Commands whose members depend on the input, that print lines, or that need no workspace.
const OTHERS: &[&str] = &[
    "add",
    "ask",
    "completions",
    "config",
    "connect",
    "db",
    "disconnect",
    "edit",
    "hook",
    "journal",
    "man",
    "mcp",
    "render",
    "show",
    "watch",
    "where",
];

#[test]
fn a_command_that_cannot_begin_has_the_members_of_its_success() {
    let members = |document: &Value| document.as_object().unwrap().keys().cloned().collect::<BTreeSet<_>>();
    let world = small();
    world.put("expect.toml", b"[[case]]\nprompt = \"use @b\"\nexpands = [\"b\"]\n");
    // The first journal line.
    world.feed(&["enrich"], b"use @b").exits(0);
    world.run(&["select", "a", "kit"]).exits(0);
    let nowhere = world.beside("nope").display().to_string();
    let mut differing = Vec::new();
    for words in CALLS {
        let words: Vec<&str> = words.split(' ').collect();
        let mut done =
            members(&run(world.command(&[&["--json"], &words[..]].concat()).current_dir(&world.path), None).json());
        let failed = run(&mut world.bare(&[&["--json", "--workspace", &nowhere], &words[..]].concat()), None).json();
        assert!(failed["error"]["code"].is_string() && !done.contains("error"), "{words:?}: {failed} {done:?}");
        // `notes` is present only if there are any.
        done.remove("notes");
        // Some commands work in a folder that is not a workspace.
        let elsewhere =
            run(world.bare(&[&["--json"], &words[..]].concat()).current_dir(world.beside("tmp")), None).json();
        let elsewhere = Some(elsewhere).filter(|answer| answer["error"]["code"] == "no-workspace");
        for failed in [failed].into_iter().chain(elsewhere) {
            let mut failed = members(&failed);
            failed.remove("error");
            if failed != done {
                differing.push(format!("{words:?}: {done:?} if it succeeds, {failed:?} if it cannot begin"));
            }
        }
    }
    assert!(differing.is_empty(), "{differing:#?}");
    let called: Vec<&str> = CALLS.iter().filter_map(|words| words.split(' ').next()).collect();
    for command in refdesk::cli::Cli::command().get_subcommands() {
        let name = command.get_name();
        assert!(called.contains(&name) != OTHERS.contains(&name), "{name} is in one of the lists");
    }
}

/// A failure has the members of a success and `error`, even if the command could not begin.
#[test]
fn a_failure_has_the_members_too() {
    let known = "text text, metadata metadata, blocks [block], partial {}?, lossy yes";
    for (words, members) in [
        ("list", LIST),
        ("references", LIST),
        ("resolve a", RESOLVE),
        ("why a", "id text, chain [link]"),
        ("graph", "nodes [node], mentions [mention]"),
        ("instructions", "text text"),
        ("enrich", known),
        ("check", "valid yes, errors [diagnostic], warnings [diagnostic], fixed [fix]"),
        ("templates", "templates [template], count count"),
        ("db show Trak", "table text, columns [{}], tokens_used count"),
        ("db path a b", "source_table text, target_table text, database text?, paths [{}], tokens_used count"),
        ("db usage nope", "column text, usage [{}], tokens_used count"),
    ] {
        let world = small();
        let folder = world.beside("nope").display().to_string();
        for before in [["--profile", "nope"], ["--workspace", &folder]] {
            let words: Vec<&str> = ["--json"].into_iter().chain(before).chain(words.split(' ')).collect();
            let document = run(&mut world.bare(&words), None).exits(1).json();
            assert!(has(&document, &format!("{members}, error error")), "{words:?}\n{document:#}");
        }
    }
    for (words, members) in [("select a", PICK), ("unselect a", CHANGE), ("references unselect a", CHANGE)] {
        let world = small();
        let folder = world.beside("nope").display().to_string();
        let words: Vec<&str> = ["--json", "--workspace", &folder].into_iter().chain(words.split(' ')).collect();
        let document = run(&mut world.bare(&words), None).exits(1).json();
        assert!(has(&document, &format!("{members}, error error")), "{words:?}\n{document:#}");
    }
    for words in ["db show Trak", "db path a b", "db usage nope"] {
        let words: Vec<&str> = words.split(' ').collect();
        let document = small().json(&words, 1);
        assert!(document["error"]["code"].is_string() && document["tokens_used"] == 0, "{document:#}");
    }
}

#[test]
fn every_command_has_its_members() {
    for (words, code, members) in [
        ("list", 0, LIST),
        ("list --tag retry --mode selectable --unselected", 0, LIST),
        ("references", 0, LIST),
        ("references list --selected", 0, LIST),
        ("select a", 0, PICK),
        ("select away tool text", 0, PICK),
        ("references select a", 0, PICK),
        ("unselect a", 0, CHANGE),
        ("references unselect a", 0, CHANGE),
        ("exclude a", 0, CHANGE),
        ("include a", 0, CHANGE),
        ("clear", 0, CHANGE),
        ("clear --all", 0, CHANGE),
        ("resolve a", 0, RESOLVE),
        ("references reload", 0, "status text, message text, total count, selected_count count"),
        ("references help", 0, "status text, message text"),
        ("why b", 0, "id text, chain [link]"),
        ("graph", 0, "nodes [node], mentions [mention]"),
        ("graph --dot", 0, "nodes [node], mentions [mention]"),
        ("instructions", 0, "text text"),
        ("check", 0, "valid yes, errors [diagnostic], warnings [diagnostic], fixed [fix]"),
        ("add docs/a.md --id more", 0, "status text, id text, file text, entry {}, waits_for_trust yes"),
        ("templates", 0, "templates [template], count count"),
        ("templates list --pattern *.tpl", 0, "templates [template], count count"),
        (
            "templates show hello.txt.tpl",
            0,
            "name text, origin text, syntax text, variables [text], source_path text, exists yes, problem text?, text text",
        ),
        (
            "templates variables hello.txt.tpl",
            0,
            "template_name text, syntax text, variables [text], count count, tree [variable], schema {}, skeleton {}",
        ),
        ("render hello.txt.tpl --var name=Ada", 0, RENDERED),
        ("render --inline {{x}} --var x=1", 0, RENDERED),
        ("render --inline {{x}} --var x=1 --output x --yes", 0, WRITTEN),
        ("render --inline {{x}} --var x=1 --output x --dry-run", 0, WRITTEN),
        ("render --batch [{\"inline\":\"x\",\"output\":\"x\"}] --yes", 0, BATCH),
        ("render --batch []", 0, BATCH),
        ("enrich", 0, "text text, metadata metadata, blocks [block], partial {}?, lossy yes"),
        (
            "enrich --kind tool_result --tool read",
            0,
            "text text, metadata metadata, blocks [block], partial {}?, lossy yes",
        ),
        (
            "enrich --kind system_instructions",
            0,
            "text text, metadata metadata, blocks [block], partial {}?, lossy yes",
        ),
        ("simulate", 0, SIMULATED),
        ("simulate --repeat --max-tokens 30", 0, SIMULATED),
        ("why-not gone --prompt x/lost", 0, WHY_NOT),
        ("why-not gone --prompt lost", 0, WHY_NOT),
    ] {
        let world = small();
        if words != "select a" && !words.ends_with("select a") {
            world.run(&["select", "a", "kit"]).exits(0);
        }
        let words: Vec<&str> = words.split(' ').collect();
        let document = if ["enrich", "simulate"].contains(&words[0]) {
            world.feed_json(&words, b"retry on the web with @b")
        } else {
            world.json(&words, code)
        };
        assert!(has(&document, members), "{words:?}\nwanted {members}\nfound {document:#}");
    }
}

#[test]
fn a_failure_has_the_same_members_as_far_as_known_and_an_error() {
    let variables = "template_name text, syntax text?, variables [text], count count, tree [variable], schema {}, \
        skeleton {}, error error";
    let cases = [
        ("select none", 1, format!("{PICK}, error error")),
        ("select", 1, format!("{PICK}, error error")),
        ("select gone", 1, format!("{PICK}, error error")),
        ("select --tag none", 1, format!("{PICK}, error error")),
        ("unselect none", 1, format!("{CHANGE}, error error")),
        ("unselect b", 1, format!("{CHANGE}, error error")),
        ("exclude none", 1, format!("{CHANGE}, error error")),
        ("include none", 1, format!("{CHANGE}, error error")),
        ("resolve a none", 1, format!("{RESOLVE}, error error")),
        ("why none", 1, "id text, chain [link], error error".into()),
        ("why-not none --prompt x", 1, format!("{WHY_NOT}, error error")),
        ("assert none.toml", 2, format!("{ASSERTED}, error error")),
        ("why tool", 1, "id text, chain [link], error error".into()),
        ("check no/such/place", 1, "valid yes, errors [diagnostic], warnings [diagnostic], fixed [fix], error error".into()),
        ("add no/such/file.md", 1, "status text, error error".into()),
        ("templates show none", 1, "name text, error error".into()),
        ("templates variables none", 1, variables.into()),
        ("templates variables broken.txt.tpl", 1, variables.into()),
        ("render none", 1, "success yes, error error".into()),
        ("render --file none", 1, "success yes, error error".into()),
        ("render loop.py.tmpl", 1, "success yes, template_syntax text, line count?, variables_unused [fit], variables_missing [fit], error error".into()),
        ("render --inline x --output x", 1, format!("{WRITTEN}, error error")),
        ("render --inline x --output docs/a.md --yes", 1, format!("{WRITTEN}, error error")),
        (
            "render --inline x --output ../x --yes",
            1,
            "success yes, output_path text, size count, lines count, variables_used [text], variables_unused [fit], \
             variables_missing [fit], template_syntax text, warnings [text], error error"
                .into(),
        ),
        (
            "render loop.py.tmpl --output x --yes",
            1,
            "success yes, output_path text, template_syntax text, line count?, variables_unused [fit], variables_missing [fit], \
             error error"
                .into(),
        ),
        ("render --batch [{\"inline\":\"x\",\"output\":\"x\"}]", 1, format!("{BATCH}, error error")),
        ("render --batch [{\"inline\":\"x\"}]", 1, "success yes, outputs [refused], error error".into()),
        ("render --inline {{x}} --vars nonsense", 2, "success yes, error error".into()),
        ("enrich --args nonsense", 2, "text text, metadata metadata, blocks [block], partial {}?, lossy yes, error error".into()),
        ("--config none.json list", 1, format!("{LIST}, error error")),
        ("--config none.json check", 1, "valid yes, errors [diagnostic], warnings [diagnostic], fixed [fix]".into()),
        ("nonsense", 2, "error error".into()),
        ("list --mode sometimes", 2, format!("{LIST}, error error")),
        ("resolve", 2, format!("{RESOLVE}, error error")),
        ("config check x", 2, "path text?, valid yes, errors [diagnostic], warnings [diagnostic], error error".into()),
    ];
    for (words, code, members) in cases {
        let world = small();
        world.run(&["select", "a", "kit"]).exits(0);
        let words: Vec<&str> = words.split(' ').collect();
        let ran = world.run(&[&["--format", "json"], words.as_slice()].concat()).exits(code);
        let document = ran.json();
        assert!(has(&document, &members), "{words:?}\nwanted {members}\nfound {document:#}");
        if members.ends_with("error error") {
            let message = document["error"]["message"].as_str().unwrap();
            assert!(!message.is_empty() && !message.contains('\n'), "{words:?}: {message}");
            assert!(!ran.stderr.is_empty(), "people are told too: {ran}");
        }
    }
}
