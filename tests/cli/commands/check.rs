//! `refdesk check` and `check --fix`.

use std::fs;
use std::os::unix::fs::symlink;

use serde_json::{Value, json};

use super::small;
use crate::support::workspace::{Workspace, inline};

#[test]
fn each_problem_has_a_location_and_a_fix() {
    let world = small();
    world.put("docs/a.md", b"# A\n\nSee [x](none.md) and [y](../loose.md).\n");
    world.put("loose.md", b"x");
    let answer = world.json(&["check"], 0);
    assert_eq!((&answer["valid"], &answer["errors"]), (&json!(true), &json!([])));
    let found: Vec<(&str, &str, u64)> = answer["warnings"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|it| it["code"] != "template" && it["line"].is_u64())
        .map(|it| (it["code"].as_str().unwrap(), it["file"].as_str().unwrap(), it["line"].as_u64().unwrap()))
        .collect();
    assert!(found.contains(&("broken-link", "docs/a.md", 3)), "{found:?}");
    assert!(found.contains(&("unlisted-link", "docs/a.md", 3)), "{found:?}");
    assert!(found.iter().any(|(code, file, _)| (*code, *file) == ("missing-path", "references.json")), "{found:?}");
    let text = world.run(&["check"]).exits(0);
    assert!(text.text().contains("warning: docs/a.md:3"), "{text}");
    assert!(text.text().ends_with("9 sources: 0 errors, 6 warnings\n"), "{text}");
    assert!(text.stderr.is_empty(), "nothing is reported twice: {text}");
}

#[test]
fn an_unknown_id_in_preselected_is_a_warning_at_its_line() {
    let world = Workspace::new();
    let text = "{\n  \"sources\": [\n    {\"id\": \"retry\", \"name\": \"R\", \"type\": \"inline\", \"content\": \"x\"}\n  ],\n  \
        \"preselected\": [\n    \"retry\",\n    \"retyr\",\n    \"zzz\"\n  ]\n}\n";
    world.put("references.json", text.as_bytes());
    let answer = world.json(&["check"], 0);
    let told: Vec<(&Value, &Value, &Value)> =
        answer["warnings"].as_array().unwrap().iter().map(|it| (&it["code"], &it["source_id"], &it["line"])).collect();
    let code = json!("unknown-id");
    assert_eq!(told, [(&code, &json!("retyr"), &json!(7)), (&code, &json!("zzz"), &json!(8))], "{answer}");
    let hints: Vec<&str> =
        answer["warnings"].as_array().unwrap().iter().map(|it| it["hint"].as_str().unwrap()).collect();
    assert!(hints[0].contains("did you mean 'retry'?") && hints[1].contains("refdesk list"), "{hints:?}");
    // A file that does not parse might define the id.
    world.put("references.json", text.replace("\"content\": \"x\"}", "\"content\": \"x\"").as_bytes());
    assert_eq!(world.json(&["check"], 1)["warnings"], json!([]));
}

#[test]
fn an_excluded_tool_that_does_not_exist_is_a_warning_at_its_line() {
    let world = Workspace::new();
    let names =
        "[\n\"renderTemplateToFiles\",\n\"selectreferences\", \"renderTemplate\",\n\"search_tables\",\n\"zzzzzz\"\n]";
    world.put("references.json", format!("{{\"exclude_tools\": {names}, \"sources\": []}}").as_bytes());
    let profile = "{\"plugin_configs\": {\"references\": {\n\"exclude_tools\": [\"selectReference\"]}}}";
    world.put(".jaato/profiles/p.json", profile.as_bytes());
    let answer = world.json(&["check"], 0);
    let told: Vec<_> =
        answer["warnings"].as_array().unwrap().iter().filter(|it| it["code"] == "unknown-value").collect();
    let expected = [
        ("references.json", 2, "renderTemplateToFiles", "did you mean 'renderTemplateToFile'?"),
        ("references.json", 3, "selectreferences", "did you mean 'selectReferences'?"),
        ("references.json", 5, "zzzzzz", "the tools are: selectReferences, listReferences, "),
        (".jaato/profiles/p.json", 2, "selectReference", "did you mean 'selectReferences'?"),
    ];
    assert_eq!(told.len(), expected.len(), "{answer}");
    for (it, (file, line, name, hint)) in told.into_iter().zip(expected) {
        assert_eq!((&it["file"], &it["line"]), (&json!(file), &json!(line)), "{it}");
        assert_eq!(it["message"], format!("'exclude_tools' names '{name}', but no tool has that name"));
        assert!(it["hint"].as_str().unwrap().starts_with(hint), "{it}");
    }
}

#[test]
fn a_declared_folder_that_the_source_lacks_is_a_warning_at_its_line() {
    let world = Workspace::new();
    world.put("m/templates/a.tpl", b"{{ a }}");
    world.put("pol/p.md", b"# P");
    world.put("n/p.md", b"# P");
    for (target, link) in [("p.md", "own"), ("../pol", "there"), ("../gone", "gone")] {
        symlink(target, world.path.join("n").join(link)).unwrap();
    }
    let text = "{\"sources\": [{\"id\": \"m\", \"name\": \"M\", \"path\": \"m\", \"contents\": {\n\
        \"templates\": \"templates/\",\n\"scripts\": \"template/\",\n\"policies\": \"../pol\"}},\
        {\"id\": \"n\", \"name\": \"N\", \"path\": \"n\", \"contents\": {\n\
        \"validation\": \"own\",\n\"templates\": \"there\",\n\"scripts\": \"gone\",\n\"policies\": \"there/sub\"}}]}";
    world.put("references.json", text.as_bytes());
    let answer = world.json(&["check"], 0);
    let found = answer["warnings"].as_array().unwrap().iter().filter(|it| it["code"] == "missing-path");
    let found: Vec<(u64, &str)> =
        found.map(|it| (it["line"].as_u64().unwrap(), it["message"].as_str().unwrap())).collect();
    let expected = [
        (3, "'template/' does not exist in the source"),
        (4, "'../pol' is outside the source"),
        (6, "'there' leads out of the source or nowhere"),
        (7, "'gone' leads out of the source or nowhere"),
        (8, "'there/sub' leads out of the source or nowhere"),
    ];
    assert_eq!(found, expected, "{answer}");
}

#[test]
fn an_error_means_exit_code_one() {
    let world = Workspace::of(json!([{"id": "x", "name": ""}, inline("kept", "")]), &[]);
    let answer = world.json(&["check"], 1);
    assert_eq!(answer["valid"], false);
    assert_eq!(answer["errors"].as_array().unwrap().len(), 2, "name and path: {answer}");
    assert_eq!(world.json(&["list"], 0)["total"], 1);
}

#[test]
fn another_workspace_or_one_file() {
    let (here, other) = (small(), Workspace::of(json!([{"id": "x", "name": ""}]), &[]));
    let folder = other.path.to_str().unwrap();
    let file = other.path.join("references.json");
    assert_eq!(here.json(&["check"], 0)["valid"], true);
    for path in [folder, file.to_str().unwrap()] {
        let answer = here.json(&["check", path], 1);
        assert_eq!(answer["errors"].as_array().unwrap().len(), 2, "{path}: {answer}");
    }
    // A folder of documents contains no catalog.
    let ran = here.run(&["check", "docs"]).exits(1);
    assert!(ran.stderr.contains("docs is not a workspace: it has no .jaato/ and no references.json"), "{ran}");
    assert!(ran.stderr.contains("fix: name the folder of a workspace or a configuration file"), "{ran}");
    assert_eq!(here.json(&["check", "docs"], 1)["valid"], false);
    let ran = here.run(&["check", "docs/a.md"]).exits(1);
    assert!(ran.stderr.contains("docs/a.md is not a configuration file: its name has no .json"), "{ran}");
    // Of another kind of JSON file, every key would be unknown, and to be removed.
    let (source, keys) = ("it is the file of one source", "it has none of its keys, such as 'sources'");
    for (path, text, why) in [
        (".jaato/references/one.json", r#"{"id": "one", "name": "One", "type": "inline", "content": ""}"#, source),
        (".jaato/profiles/p.json", r#"{"name": "p", "plugin_configs": {}}"#, keys),
        ("package.json", r#"{"name": "p", "version": "1.0", "type": "module"}"#, keys),
    ] {
        here.put(path, text.as_bytes());
        let answer = here.json(&["check", path], 1);
        assert_eq!(answer["error"]["message"], format!("{path} is not a configuration file: {why}"), "{answer}");
        assert_eq!(answer["valid"], false);
    }
    for (path, text, warnings) in [
        ("my.json", r#"{"version": "1.0", "$schema": "x"}"#, 0),
        ("my.json", r#"{"sources": [], "sorces": []}"#, 1),
        ("other/references.json", r#"{"sorces": []}"#, 1),
    ] {
        here.put(path, text.as_bytes());
        let answer = here.json(&["check", path], 0);
        let unknown = |it: &&serde_json::Value| it["code"] == "unknown-key";
        assert_eq!(answer["warnings"].as_array().unwrap().iter().filter(unknown).count(), warnings, "{answer}");
    }
    fs::create_dir_all(other.beside("repository/.git")).unwrap();
    let repository = other.beside("repository").display().to_string();
    assert_eq!(here.json(&["check", &repository], 0)["valid"], true);
    // Problems of this workspace are not reported.
    let ran = other.run(&["check", here.path.to_str().unwrap()]).exits(0);
    assert!(ran.stderr.is_empty(), "{ran}");
}

/// Unusual spacing, key order, escapes, a comment key and line ends.
const MOVED: &str = "\u{feff}{ \"sources\" :\r\n\t[ {\"name\":\"One\",\"path\" : \"/home/them/kb/docs/one.md\", \"id\":\"one\", \"x-note\": \"\\u00e4 /home/them/kb/docs/one.md\"},\r\n\
    \t  {\"id\":\"two\",\"name\":\"Two\",\"path\":\"docs/two.md\"},\r\n\
    \t  {\"id\":\"three\",\"name\":\"Three\",\"path\":\"C:\\\\Users\\\\them\\\\kb\\\\docs\\\\ü.md\"},\r\n\
    \t  {\"id\":\"four\",\"name\":\"Four\",\"path\":\"/home/them/nowhere.md\"} ]\r\n}";

#[test]
fn fix_rewrites_only_moved_paths() {
    let world = Workspace::with(&[("docs/one.md", "1"), ("docs/two.md", "2"), ("docs/ü.md", "3")]);
    world.put("references.json", MOVED.as_bytes());
    world.put(".jaato/references/five.json", b"{\"id\":\"five\",\"name\":\"Five\",\"path\":\"/x/docs/two.md\"}");
    // This one exists: `current` is a link to `docs/deep`.
    fs::create_dir_all(world.path.join("docs/deep")).unwrap();
    std::os::unix::fs::symlink("docs/deep", world.path.join("current")).unwrap();
    let through_link = world.path.join("current/../two.md");
    let six = json!({"id": "six", "name": "Six", "path": through_link}).to_string();
    world.put(".jaato/references/six.json", six.as_bytes());
    let before = world.json(&["list"], 0);
    let warned = world.json(&["check"], 0);
    let moved = |answer: &serde_json::Value| {
        answer["warnings"].as_array().unwrap().iter().filter(|it| it["code"] == "moved-path").count()
    };
    assert_eq!(moved(&warned), 3, "{warned}");
    assert_eq!(world.read("references.json"), MOVED, "without --fix nothing is written");

    let fixed = world.json(&["check", "--fix"], 0);
    assert_eq!(fixed["fixed"].as_array().unwrap().len(), 3, "{fixed}");
    assert_eq!(moved(&fixed), 0, "{fixed}");
    let expected = MOVED.replacen("\"/home/them/kb/docs/one.md\"", "\"docs/one.md\"", 1).replacen(
        "\"C:\\\\Users\\\\them\\\\kb\\\\docs\\\\ü.md\"",
        "\"docs/ü.md\"",
        1,
    );
    assert_eq!(world.read("references.json"), expected);
    assert_eq!(
        world.read(".jaato/references/five.json"),
        "{\"id\":\"five\",\"name\":\"Five\",\"path\":\"../../docs/two.md\"}"
    );
    assert_eq!(world.json(&["list"], 0), before, "every source resolves as before");
    assert_eq!(world.json(&["check", "--fix"], 0)["fixed"], json!([]), "once is enough");
}

#[test]
fn fix_reports_what_it_rewrote() {
    let world = Workspace::with(&[("docs/one.md", "1"), ("docs/two.md", ""), ("docs/ü.md", "")]);
    world.put("references.json", MOVED.as_bytes());
    let ran = world.run(&["check", "--fix"]).exits(0);
    assert!(ran.text().contains("changed '/home/them/kb/docs/one.md' to 'docs/one.md'"), "{ran}");
}

#[test]
fn fix_writes_through_a_link() {
    let world = Workspace::with(&[("docs/one.md", "1"), ("docs/two.md", ""), ("docs/ü.md", "")]);
    world.put("kept/elsewhere.json", MOVED.as_bytes());
    std::os::unix::fs::symlink("kept/elsewhere.json", world.path.join("references.json")).unwrap();
    world.run(&["check", "--fix"]).exits(0);
    assert!(world.path.join("references.json").is_symlink(), "the link is still a link");
    assert_ne!(fs::read_to_string(world.path.join("kept/elsewhere.json")).unwrap(), MOVED);
}

/// A catalog outside, reached by a link or `references_dir`, is not rewritten.
#[test]
fn fix_writes_nothing_outside_the_workspace_without_a_person() {
    use std::os::unix::fs::symlink;
    let one = r#"{"id":"five","name":"Five","path":"/x/docs/two.md"}"#;
    type Prepare = fn(&Workspace);
    let cases: [(&str, &str, Prepare); 4] = [
        ("out/catalog.json", MOVED, |world| {
            symlink("../out/catalog.json", world.path.join("references.json")).unwrap();
        }),
        ("out/five.json", "", |world| world.configure(json!({"references_dir": "../out"}))),
        ("out/five.json", "", |world| {
            world.configure(json!({"references_dir": "linked"}));
            symlink("../out", world.path.join("linked")).unwrap();
        }),
        ("out/five.json", "", |world| {
            fs::create_dir_all(world.path.join(".jaato/references")).unwrap();
            symlink("../../../out/five.json", world.path.join(".jaato/references/five.json")).unwrap();
        }),
    ];
    for (file, text, prepare) in cases {
        let world = Workspace::with(&[("docs/one.md", "1"), ("docs/two.md", ""), ("docs/ü.md", "")]);
        let (file, text) = (world.beside(file), if text.is_empty() { one } else { text });
        refdesk_files::write_atomic(&file, text.as_bytes()).unwrap();
        prepare(&world);
        // A configuration outside is never read, and other files only once they are trusted.
        let is_configuration = file.ends_with("catalog.json");
        let answer = world.json(&["check", "--fix"], i32::from(is_configuration));
        assert_eq!(answer["fixed"], json!([]), "{answer}");
        let (found, code, hint) = match is_configuration {
            true => ("errors", "linked-out", "replace the link"),
            false => ("warnings", "untrusted", "refdesk trust"),
        };
        let problem = answer[found].as_array().unwrap().iter().find(|it| it["code"] == code);
        assert!(problem.is_some_and(|it| it["hint"].as_str().unwrap().contains(hint)), "{answer}");
        assert_eq!(fs::read_to_string(&file).unwrap(), text);
    }
}

#[test]
fn invisible_characters_in_entries_and_documents_are_reported() {
    let world = Workspace::with(&[
        ("docs/a.md", "\u{feff}# A\n\nDo \u{202e}not\u{202c} \u{e0041}\n"),
        ("docs/b.md", "می\u{200c}خواهم 👩\u{200d}🚀\n"),
    ]);
    let text = "{\"sources\": [\n  {\"id\": \"a\", \"name\": \"A\", \"path\": \"docs/a.md\",\n   \"tags\": [\"ok\", \"re\u{200b}try\"]},\n  \
                {\"id\": \"b\", \"name\": \"B\\u202e\", \"path\": \"docs/b.md\"},\n  \
                {\"id\": \"c\", \"name\": \"C\", \"type\": \"inline\", \"content\": \"x\\u200by\"}\n]}";
    world.put("references.json", text.as_bytes());
    let answer = world.json(&["check"], 0);
    let found: Vec<String> = answer["warnings"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|it| it["code"] == "hidden-characters")
        .map(|it| format!("{}:{}:{} {}", it["file"].as_str().unwrap(), it["line"], it["column"], it["source_id"]))
        .collect();
    assert_eq!(
        found,
        [
            "docs/a.md:3:4 \"a\"",
            "references.json:3:19 \"a\"",
            "references.json:4:23 \"b\"",
            "references.json:5:57 \"c\""
        ]
    );
    let reported = world.run(&["check"]).exits(0);
    let sentence = "invisible character U+202E (right-to-left override), and 2 more in this text: \
                    U+202C (pop directional formatting), U+E0041 (tag character)";
    assert!(reported.text().contains(sentence), "{reported}");
}

/// Another program's file may contain any id, so the source stays in the catalog.
#[test]
fn an_id_that_cannot_be_typed_is_a_warning() {
    let ids = ["fine", "a\nb", "\u{7}", " b", "b ", "\u{200b}c"];
    let sources: Vec<Value> = ids.map(|id| inline(id, "x")).to_vec();
    let world = Workspace::of(json!(sources), &[]);
    let answer = world.json(&["check"], 0);
    let found: Vec<&str> = answer["warnings"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|it| it["code"] == "hidden-characters")
        .map(|it| it["message"].as_str().unwrap())
        .filter(|message| message.starts_with("the id "))
        .collect();
    let expected = [
        "the id has a line break",
        "the id has the control character U+0007",
        "the id begins with a space",
        "the id ends with a space",
        "the id has the invisible character U+200B (zero-width space)",
    ];
    assert_eq!(found, expected);
    assert_eq!(world.json(&["list"], 0)["total"], ids.len());
}

/// A selectable source that prompts can match only by its id.
#[test]
fn a_source_that_nothing_brings_up_is_a_warning() {
    let source = |id: &str, more: serde_json::Value| {
        let mut source = inline(id, "");
        source.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        source
    };
    let mut speaker = inline("speaker", "See mentioned.");
    speaker["tags"] = json!(["x"]);
    let world = Workspace::of(
        json!([
            source("lonely", json!({})),
            source("empty-tags", json!({"tags": [], "description": " "})),
            source("tagged", json!({"tags": ["x"]})),
            // Only the index finds it.
            source("described", json!({"description": "What it is"})),
            source("always", json!({"mode": "auto"})),
            source("mentioned", json!({})),
            speaker,
        ]),
        &[(".jaato/references/own.json", r#"{"id": "own", "name": "Own", "type": "inline", "content": ""}"#)],
    );
    let lonely = |world: &Workspace| {
        let checked = world.json(&["check"], 0);
        let warnings = checked["warnings"].as_array().unwrap().clone();
        let found = warnings.iter().filter(|it| it["code"] == "never-found");
        found.map(|it| (it["source_id"].as_str().unwrap().to_owned(), it["line"].as_u64())).collect::<Vec<_>>()
    };
    let found = lonely(&world);
    assert_eq!(found.iter().map(|it| it.0.as_str()).collect::<Vec<_>>(), ["lonely", "empty-tags", "described", "own"]);
    assert!(found[0].1.is_some() && found[1].1 > found[0].1, "{found:?}");
    assert_eq!(found[3].1, Some(1), "the file is the entry");
    let ran = world.run(&["check"]).exits(0);
    assert!(ran.text().contains("nothing brings up 'own'") && ran.text().contains("build the search index"), "{ran}");
    world.run(&["select", "lonely"]).exits(0);
    assert_eq!(lonely(&world).len(), 3, "what is selected has been found");
    world.run(&["index", "--words-only"]).exits(0);
    assert_eq!(lonely(&world), [], "a search finds it");
}

#[test]
fn build_output_and_command_arguments_are_not_broken_links() {
    let text = "Run `./target/release/x`, `../dist/app.js` or `./node_modules/.bin/tsc`, which reads `./notes.md`.\n\
                ```toml\nchapter = \"./chapter.md\"\n```\n\
                ![i](../i.png) [l](../LICENSE) [m](../main.rs) [p](../advanced/setup#x) [q](./sub/more/)\n\
                [a](./guide.html) [b](./sub/index.html#top) [c](./sub/) and [d](./nothing.html), [e](./build/notes.md).\n\
                Run ./test --all, then read ./gone.md and [f](./spec).\n";
    let world = Workspace::of(
        json!([{"id": "a", "name": "A", "path": "docs/a.md", "tags": ["x"]}]),
        &[
            ("docs/a.md", text),
            ("docs/guide.md", ""),
            ("docs/sub/README.md", ""),
            ("docs/sub/more.md", ""),
            ("docs/advanced/setup.md", ""),
            ("i.png", ""),
            ("LICENSE", ""),
            ("main.rs", ""),
        ],
    );
    let checked = world.json(&["check"], 0);
    let unlisted = checked["warnings"].as_array().unwrap().iter().filter(|it| it["code"] == "unlisted-link");
    assert_eq!(unlisted.count(), 0, "what is not a document: {checked:#}");
    let broken: Vec<&str> = checked["warnings"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|it| it["code"] == "broken-link")
        .map(|it| it["message"].as_str().unwrap())
        .collect();
    assert_eq!(
        broken,
        [
            "broken link: './nothing.html' does not exist",
            "broken link: './build/notes.md' does not exist",
            "broken link: './gone.md' does not exist",
            "broken link: './spec' does not exist",
        ]
    );
}

#[test]
fn links_to_definitions_and_broken_links_made_by_templates_are_not_reported() {
    let local = |id: &str, path: &str| json!({"id": id, "name": id, "path": path, "tags": ["x"]});
    let world = Workspace::of(
        json!([
            local("a", "a.md"),
            local("nav", "nav.html"),
            local("query", "query.md"),
            local("anchor", "anchor.md"),
            local("name", "{{cookiecutter.slug}}/README.md"),
        ]),
        &[
            (
                "a.md",
                "# A\n[r][ref] and [ref]\n\n[ref]: nope.md\n\n[x](<{{cookiecutter.slug}}/README.md>) \
                 [x](<anchor.md#{{ x }}>) [x](<gone.md#{{ x }}>) [x](<unlisted.md#{{ x }}>) [x](<{{ x }}/gone.md>)\n",
            ),
            (
                "nav.html",
                "<a href=\"{{ config.extra.homepage | default(nav.url, true) | url }}\">x</a> \
                 <a href=\"query.md?v={{ x }}\">x</a>\n",
            ),
            ("query.md", ""),
            ("anchor.md", ""),
            ("unlisted.md", ""),
            ("{{cookiecutter.slug}}/README.md", ""),
        ],
    );
    // One that leads to a source is a mention.
    let resolved = world.json(&["resolve", "a", "nav"], 0);
    assert_eq!(resolved["resolved"], json!(["a", "nav", "query", "anchor", "name"]), "{resolved:#}");
    let checked = world.json(&["check"], 0);
    let reported: Vec<_> =
        checked["warnings"].as_array().unwrap().iter().map(|it| (&it["code"], &it["file"], &it["line"])).collect();
    assert_eq!(reported, [(&json!("broken-link"), &json!("a.md"), &json!(4))], "{checked:#}");
}

#[test]
fn moved_paths_are_reported_once_in_one_line() {
    let moved = |id: &str| json!({"id": id, "name": id, "path": format!("/elsewhere/kb/docs/{id}.md"), "tags": ["x"]});
    let world =
        Workspace::of(json!([moved("a"), moved("b")]), &[("docs/a.md", ""), ("docs/b.md", ""), ("docs/c.md", "")]);
    let said =
        "warning: 2 paths of another machine found in this workspace: `refdesk check --fix` rewrites the catalog\n";
    for said in [said, ""] {
        assert_eq!(world.run(&["list"]).exits(0).stderr, said);
        assert!(!world.path.join(".jaato").exists(), "it is remembered in the user's own state");
    }
    for words in [&["select", "a"][..], &["list"], &["select", "b"], &["why", "a"]] {
        assert_eq!(world.run(words).exits(0).stderr, "");
    }
    world.configure(json!({"sources": [moved("a"), moved("b"), moved("c")]}));
    assert!(world.run(&["list"]).exits(0).stderr.starts_with("warning: 3 paths"), "another state of the catalog");
    assert_eq!(world.run(&["list"]).exits(0).stderr, "");
    let warnings = world.json(&["check"], 0)["warnings"].as_array().unwrap().len();
    assert_eq!(warnings, 3, "check still lists each");
    world.run(&["check", "--fix"]).exits(0);
    assert_eq!(world.run(&["list"]).exits(0).stderr, "");
}

#[test]
fn a_duplicate_key_is_a_warning_with_its_line() {
    let world = Workspace::with(&[("docs/a.md", "# A\n")]);
    let text = "{\n  \"sources\": [\n    {\"id\": \"a\", \"name\": \"A\", \"path\": \"docs/a.md\", \"tags\": [\"x\"],\n     \"tags\": [\"y\"]}\n  ],\n  \"preselected\": [],\n  \"preselected\": [\"a\"]\n}\n";
    world.put("references.json", text.as_bytes());
    let answer = world.json(&["check"], 0);
    let warnings = answer["warnings"].as_array().unwrap();
    let found: Vec<_> = warnings
        .iter()
        .filter(|it| it["code"] == "duplicate-key")
        .map(|it| (it["line"].as_u64().unwrap(), it["column"].as_u64().unwrap(), it["message"].as_str().unwrap()))
        .collect();
    let twice = |key: &str| format!("the key '{key}' occurs twice; the last one is used");
    assert_eq!(found, [(4, 6, twice("tags").as_str()), (7, 3, twice("preselected").as_str())], "{answer:#}");
    assert_eq!(world.json(&["list"], 0)["sources"][0]["tags"], json!(["y"]));
}

#[test]
fn missing_files_are_reported_once_and_always_by_check() {
    let world = Workspace::of(
        json!([{"id": "gone", "name": "Gone", "path": "docs/gone.md"}, {"id": "lost", "name": "Lost", "path": "lost.md"}]),
        &[("docs/a.md", "# A\n")],
    );
    let tells = |words: &[&str]| format!("{}", world.run(words)).contains("'docs/gone.md' does not exist");
    assert!(!tells(&["init", "--dry-run"]), "it follows them itself");
    assert!(tells(&["list"]) && !tells(&["list"]) && !tells(&["why", "gone"]));
    assert!(tells(&["check"]) && tells(&["check"]));
    assert!(tells(&["--format", "json", "list"]), "programs read all of them");
    // A different set of missing files is reported again.
    world.put("lost.md", b"Found.\n");
    assert!(tells(&["list"]) && !tells(&["list"]));
}
