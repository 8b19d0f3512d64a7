//! Profiles: `--profile` for one command, and `profiles`, which reports the same about all of them. Neither stores
//! anything.

use std::path::PathBuf;

use serde_json::{Value, json};

use super::small;
use crate::support::program::run;
use crate::support::workspace::{Workspace, ids, strings};

fn put_profile(world: &Workspace, file: &str, ours: &Value) {
    let profile = json!({"description": format!("About {file}."), "plugins": ["references"],
                         "plugin_configs": {"lsp": {"sources": 7}, "references": ours}});
    world.put(&format!(".jaato/profiles/{file}.json"), profile.to_string().as_bytes());
}

/// [`small`] with profiles of every kind.
fn with_profiles() -> Workspace {
    let world = small();
    put_profile(&world, "chain", &json!({"preselected": ["a", "kit"], "exclude_tools": ["selectReferences"]}));
    put_profile(&world, "few", &json!({"preselected": ["b"], "sources": ["a", "zz"]}));
    put_profile(&world, "flat", &json!({"preselected": ["a", "gone", "nobody"], "transitive_injection": false}));
    let own = json!([
        {"id": "b", "name": "Another B", "type": "inline", "content": "Now to kit."},
        {"id": "own", "name": "Own", "path": "docs/b.md"},
        "kit",
    ]);
    put_profile(&world, "own", &json!({"preselected": ["b", "own"], "sources": own}));
    put_profile(&world, "none", &json!({}));
    world.put(".jaato/profiles/wrong.json", b"{\n  \"name\": }");
    world
}

fn profile<'a>(listed: &'a Value, name: &str) -> &'a Value {
    listed["profiles"].as_array().unwrap().iter().find(|it| it["name"] == name).unwrap()
}

fn selected(world: &Workspace, name: &str) -> Value {
    world.json(&["--profile", name, "list", "--selected"], 0)
}

/// The files that hold selections and session memories.
fn choices(world: &Workspace) -> Vec<PathBuf> {
    let files = world.listing().into_iter().map(|(path, _)| path);
    files.filter(|path| path.ends_with("selection.json")).collect()
}

#[test]
fn each_profile_is_listed_as_it_would_load() {
    let world = with_profiles();
    world.run(&["select", "text"]).exits(0);
    world.run(&["exclude", "c"]).exits(0);
    let before = world.listing();
    let listed = world.json(&["profiles"], 0);
    assert_eq!(listed["count"], 6);
    for name in ["chain", "few", "flat", "own", "none"] {
        let reported = profile(&listed, name);
        let loaded = selected(&world, name);
        let mut all = [strings(&reported["picks"]), strings(&reported["transitive"])].concat();
        let mut members = ids(&loaded["sources"]);
        all.sort();
        members.sort();
        assert_eq!(all, members, "{name}");
        // After a switch the catalog has all sources, and an auto source is not pulled in.
        let switched = &reported["switched"];
        for id in strings(&switched["transitive"]) {
            assert!(!strings(&switched["auto"]).contains(&id), "{name}: {id}");
        }
        assert!(switched["tokens"].as_u64() > Some(0), "{name}: {switched}");
        let picked = |it: &&Value| it["picked"] == true;
        let mut picks = strings(&reported["picks"]);
        let rows = loaded["sources"].as_array().unwrap();
        let mut picked: Vec<&str> = rows.iter().filter(picked).map(|it| it["id"].as_str().unwrap()).collect();
        picks.sort();
        picked.sort_unstable();
        assert_eq!(picks, picked, "{name}");
        let tokens: u64 = rows.iter().filter_map(|it| it["tokens"].as_u64()).sum();
        assert!(reported["tokens"].as_u64() > Some(tokens), "{name}: an agent gets the instructions too");
        let templates = world.json(&["--profile", name, "templates"], 0);
        let names: Vec<&str> =
            templates["templates"].as_array().unwrap().iter().map(|it| it["name"].as_str().unwrap()).collect();
        assert_eq!(strings(&reported["templates"]), names, "{name}");
        assert_eq!(reported["template_count"], names.len(), "{name}");
        assert_eq!(profile(&world.json(&["--profile", name, "profiles"], 0), name), reported, "{name}");
    }
    // If a profile does not narrow the catalog, it pulls in what `resolve` reports for its picks.
    let resolved = world.json(&["resolve", "a", "kit"], 0);
    let chain = profile(&listed, "chain");
    let order = [strings(&chain["picks"]), strings(&chain["transitive"])].concat();
    assert_eq!(order, strings(&resolved["resolved"]));
    assert_eq!(world.listing(), before, "looking changes nothing");
}

#[test]
fn missing_and_own_sources_of_a_profile() {
    let world = with_profiles();
    let listed = world.json(&["profiles"], 0);
    let lists = |name: &str, key: &str| strings(&profile(&listed, name)[key]);
    assert_eq!(lists("flat", "picks"), ["a"], "what cannot be picked is not");
    assert_eq!(lists("flat", "missing"), ["nobody", "gone"]);
    assert_eq!(lists("flat", "transitive"), Vec::<String>::new());
    assert_eq!((lists("few", "missing"), lists("few", "transitive")), (vec!["zz".to_owned()], vec![]));
    assert_eq!(lists("own", "own_sources"), ["b", "own"]);
    assert_eq!(lists("own", "transitive"), ["kit"], "its own b mentions kit");
    assert_eq!(lists("chain", "exclude_tools"), ["selectReferences"]);
    let wrong = &profile(&listed, "wrong")["problems"][0];
    assert_eq!((&wrong["code"], &wrong["line"], &wrong["column"]), (&json!("json-syntax"), &json!(2), &json!(11)));
    let text = world.run(&["profiles"]).exits(0);
    for words in [&["profiles"][..], &["--profile", "chain", "profiles"]] {
        let text = world.run(words).exits(0);
        let is_empty = |line: &&str| line.ends_with(' ') || ["missing", "problems"].contains(&line.trim());
        assert_eq!(text.text().lines().find(is_empty), None, "{text}");
    }
    for part in ["chain ", "missing   nobody, gone", "  --profile", "pulled in", "6 profiles"] {
        assert!(text.text().contains(part), "{part}: {text}");
    }
    // `flat` lists no sources, but has a row, because it follows no mentions.
    let words = text.text().split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(words.contains("that profile knows only some sources, or has its own rules."), "{text}");
    assert!(!text.text().contains("About chain."), "a line each, to compare them: {text}");
    let one = world.run(&["--profile", "chain", "profiles"]).exits(0);
    for part in ["About chain.", "excludes  tools: selectReferences", "picks     "] {
        assert!(one.text().contains(part), "{part}: {one}");
    }
    for text in [&text, &one] {
        assert!(text.text().lines().all(|line| line.chars().count() <= 60), "{text}");
    }
    let warned = world.run(&["--profile", "flat", "list"]).exits(0);
    assert!(warned.stderr.contains("'nobody'") && warned.stderr.contains("flat.json:1:"), "{warned}");
    let checked = world.json(&["check"], 1);
    let codes = |key: &str| -> Vec<&str> {
        checked[key]
            .as_array()
            .unwrap()
            .iter()
            .filter(|it| it["file"].as_str().is_some_and(|file| file.contains("profiles")))
            .map(|it| it["code"].as_str().unwrap())
            .collect()
    };
    assert_eq!((codes("errors"), codes("warnings")), (vec!["json-syntax"], vec!["profile-missing"; 3]));
}

#[test]
fn a_profile_applies_to_one_command() {
    let world = with_profiles();
    world.run(&["select", "text"]).exits(0);
    let stored = world.read(".jaato/refdesk/selection.json");
    assert_eq!(ids(&selected(&world, "few")["sources"]), ["b"]);
    assert_eq!(ids(&world.json(&["--profile", "few", "list"], 0)["sources"]), ["a", "b"], "it knows no others");
    let reported = world.feed(&["--profile", "chain", "enrich"], b"@gone").exits(0);
    assert!(reported.text().contains("@b: B (from @a)"), "{reported}");
    let hidden = world.feed(&["--profile", "chain", "enrich"], b"lost").exits(0);
    assert!(!hidden.text().contains("@gone"), "hints need selectReferences: {hidden}");
    // The profile's session received the hint, the shared desk did not.
    let again = world.feed(&["--profile", "chain", "enrich"], b"x").exits(0);
    assert_eq!(again.text(), "x");
    let shared = world.feed(&["enrich"], b"lost").exits(0);
    assert!(shared.text().contains("@gone"), "{shared}");
    assert_eq!(world.read(".jaato/refdesk/selection.json"), stored);
    assert_eq!(choices(&world).len(), 1, "{:?}", choices(&world));
    let journal = world.read(".jaato/refdesk/journal.jsonl");
    let desks: Vec<Value> =
        journal.lines().map(|line| serde_json::from_str::<Value>(line).unwrap()["desk"].clone()).collect();
    assert!(desks.contains(&json!("profile-chain")) && desks.contains(&json!("default")), "{desks:?}");
    let why = world.run(&["--profile", "chain", "why", "b"]).exits(0);
    assert!(why.text().contains("(picked, preselected)") || why.text().contains("preselected"), "{why}");
}

#[test]
fn sources_that_the_profile_leaves_out_are_not_missing() {
    let world = with_profiles();
    let checked = world.json(&["--profile", "few", "check"], 1);
    let warnings = checked["warnings"].as_array().unwrap();
    let about: Vec<&Value> =
        warnings.iter().filter(|it| it["code"] == "profile-missing").map(|it| &it["source_id"]).collect();
    assert_eq!(about, ["zz"], "only of this profile: {checked}");
    assert!(!warnings.iter().any(|it| it["code"] == "unlisted-link"), "{checked}");
}

#[test]
fn a_profile_without_sources_of_the_catalog_is_blamed_for_it() {
    let world = with_profiles();
    put_profile(&world, "typo", &json!({"sources": ["zz"]}));
    for (words, code) in [(&["list"][..], 0), (&["index", "--words-only"], 0), (&["simulate", "x"], 0)] {
        let ran = world.run(&[&["--profile", "typo"], words].concat()).exits(code);
        let said = format!("{}{}", ran.text(), ran.stderr);
        assert!(said.contains("he profile 'typo' lists no source of the catalog"), "{words:?}: {ran}");
        assert!(said.contains("correct `sources` in .jaato/profiles/typo.json"), "{words:?}: {ran}");
        assert!(!said.contains("proposes sources"), "{words:?}: {ran}");
    }
}

#[test]
fn the_desks_exclusions_stay() {
    let world = with_profiles();
    world.run(&["exclude", "b", "kit"]).exits(0);
    assert_eq!(ids(&selected(&world, "chain")["sources"]), ["a"]);
    let reported = world.json(&["--profile", "chain", "profiles"], 0);
    assert_eq!(strings(&reported["profiles"][0]["excluded"]), ["kit"]);
}

#[test]
fn commands_that_store_are_refused() {
    let world = with_profiles();
    world.put("docs/new.md", b"# New\n\ntext\n");
    let before = world.listing();
    for words in [
        &["select", "a"][..],
        &["unselect", "a"],
        &["exclude", "a"],
        &["include", "a"],
        &["clear"],
        &["references", "select", "a"],
        &["references", "unselect", "a"],
        &["ask"],
        &["add", "docs/new.md", "--id", "c"],
        &["init", "--yes"],
    ] {
        let ran = world.json(&[&["--profile", "chain"], words].concat(), 2);
        assert_eq!(ran["error"]["code"], "usage", "{words:?}");
        assert!(ran["error"]["message"].as_str().unwrap().contains("stores nothing"), "{ran}");
    }
    assert_eq!(world.listing(), before);
    world.run(&["--profile", "chain", "references", "list"]).exits(0);
}

#[test]
fn profiles_by_name_by_path_and_unknown_ones() {
    let world = with_profiles();
    world.put("elsewhere/mine.json", br#"{"name": "hers", "plugin_configs": {"references": {"preselected": ["c"]}}}"#);
    for given in ["elsewhere/mine.json", "./elsewhere/mine.json"] {
        assert_eq!(selected(&world, given)["sources"][0]["id"], "a", "{given}");
    }
    for (given, code, part) in [
        ("chian", "unknown-profile", "did you mean 'chain'?"),
        ("nope.json", "unknown-profile", "there is no profile at nope.json"),
        ("wrong", "profile-broken", ".jaato/profiles/wrong.json:2:11: not valid JSON"),
    ] {
        let answer = world.json(&["--profile", given, "list"], 1);
        assert_eq!(answer["error"]["code"], code);
        assert!(answer["error"]["message"].as_str().unwrap().contains(part), "{answer}");
    }
    // This is refused first: there is nothing to switch to.
    let answer = world.json(&["--profile", "chian", "select", "a"], 1);
    assert_eq!(answer["error"]["code"], "unknown-profile", "{answer}");
    // For an agent's hook this is like any other invalid setting.
    let input = br#"{"hook_event_name": "UserPromptSubmit", "session_id": "s", "prompt": "x"}"#;
    assert_eq!(world.feed(&["--profile", "chian", "hook", "claude-code"], input).exits(0).text().trim(), "{}");
    let heard = world.feed(&["--profile", "chain", "hook", "claude-code"], input).exits(0);
    assert!(heard.text().contains("@b: B (from @a)"), "{heard}");
    assert!(choices(&world).is_empty());
}

#[test]
fn the_demo_has_profiles_to_try() {
    let world = Workspace::new();
    let demo =
        |words: &[&str]| run(&mut world.bare(&[&["--demo", "--format", "json"], words].concat()), None).exits(0).json();
    let listed = demo(&["profiles"]);
    for it in listed["profiles"].as_array().unwrap() {
        let none = json!([]);
        assert_eq!((&it["missing"], &it["problems"]), (&none, &none));
        assert!(!strings(&it["picks"]).is_empty() && !strings(&it["transitive"]).is_empty(), "{it}");
    }
    assert_eq!(listed["count"], 3);
    let reported = demo(&["--profile", "frame-decoder", "list"]);
    assert!(ids(&reported["sources"]).contains(&"decoder-brief".to_owned()), "{reported}");
}

#[test]
fn profiles_in_the_field() {
    let field = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/knowledge/.jaato");
    if !field.is_dir() {
        return;
    }
    let world = Workspace::new();
    for folder in ["profiles", "references"] {
        for entry in std::fs::read_dir(field.join(folder)).unwrap() {
            let entry = entry.unwrap();
            let name = entry.file_name().into_string().unwrap();
            world.put(&format!(".jaato/{folder}/{name}"), &std::fs::read(entry.path()).unwrap());
        }
    }
    let listed = world.json(&["profiles"], 0);
    assert_eq!(listed["count"], 15);
    for it in listed["profiles"].as_array().unwrap() {
        let codes: Vec<&str> =
            it["problems"].as_array().unwrap().iter().map(|it| it["code"].as_str().unwrap()).collect();
        assert!(codes.iter().all(|code| *code == "profile-missing"), "{it}");
    }
}

#[test]
fn a_long_name_is_printed_whole() {
    let world = small();
    let long = "payments-and-settlement-reviewer-for-the-northern-region-of-the-company";
    put_profile(&world, long, &json!({"preselected": ["a"]}));
    put_profile(&world, "short", &json!({"preselected": ["a"]}));
    let text = world.run(&["profiles"]).exits(0);
    assert!(text.text().lines().any(|line| line.starts_with(&format!("{long} "))), "{text}");
    assert!(!text.text().contains('…'), "{text}");
}

#[test]
fn an_unknown_pick_of_a_profile_is_reported_with_its_position() {
    let world = with_profiles();
    let listed = world.run(&["--profile", "flat", "list", "--selected"]).exits(0);
    assert!(listed.stderr.contains(".jaato/profiles/flat.json:"), "{listed}");
    assert!(!listed.stderr.contains("dormant"), "said once: {listed}");
}

#[test]
fn hints_that_a_profile_turns_off_are_blamed_on_it() {
    let world = with_profiles();
    let asked = |words: &[&str]| world.json(&[words, &["why-not", "text", "--prompt", "@b on the web"]].concat(), 0);
    let answer = asked(&["--profile", "chain"]);
    assert_eq!(answer["reason"], "hints-off", "{answer}");
    assert!(answer["message"].as_str().unwrap().contains("exclude_tools of the profile"), "{answer}");
    assert_eq!(answer["fix"], "remove it from exclude_tools in .jaato/profiles/chain.json");
    assert_ne!(asked(&[])["reason"], "hints-off");
}
