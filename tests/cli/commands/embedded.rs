//! Templates in documents: their names and files, as commands report and write them.

use std::path::Path;

use serde_json::{Value, json};

use crate::support::program::run;
use crate::support::workspace::{Workspace, inline, strings};
use refdesk_files::scale::scaled;

const GUIDE: &str = "---\nid: guide\n---\n# Guide\n\n## Template 1: Retry Policy\n\n```java\nclass {{ Name }} {}\n```\n\n\
    ```yaml\nretries: {{ count }}\n```\n\n```java\nint plain;\n```\n";

fn world() -> Workspace {
    let mut declaring = json!({"id": "kit", "name": "Kit", "path": "kit"});
    declaring["contents"] = json!({"templates": "templates/"});
    Workspace::of(
        json!([
            {"id": "guide", "name": "Guide", "path": "docs/guide.md"},
            {"id": "folder", "name": "Folder", "path": "docs"},
            declaring,
            inline("said", "# Said\n\n~~~sql\nselect {{#columns}}{{.}}{{/columns}};\n~~~\n"),
            {"id": "plain", "name": "Plain", "path": "plain.md"},
        ]),
        &[
            ("docs/guide.md", GUIDE),
            ("docs/other.md", "# Other\n\n```python\nprint('{{ text }}')\n```\n"),
            ("docs/notes.txt", "```\n{{ not_markdown }}\n```\n"),
            ("kit/README.md", "```\n{{ declared }}\n```\n"),
            ("kit/templates/Own.tpl", "{{ own }}"),
            ("plain.md", "Nothing.\n"),
        ],
    )
}

fn names(world: &Workspace) -> Vec<String> {
    let listed = world.json(&["templates"], 0);
    listed["templates"].as_array().unwrap().iter().map(|row| row["name"].as_str().unwrap().to_owned()).collect()
}

fn files(world: &Workspace) -> Vec<String> {
    let Ok(entries) = std::fs::read_dir(world.path.join(".jaato/templates")) else { return Vec::new() };
    let mut names: Vec<String> = entries.map(|it| it.unwrap().file_name().to_string_lossy().into_owned()).collect();
    names.retain(|name| name != ".gitignore");
    names.sort();
    names
}

fn index_of(world: &Workspace) -> Value {
    serde_json::from_str(&world.read(".jaato/templates/index.json")).unwrap()
}

const BOTH: [&str; 2] = ["guide-retry-policy.java.tmpl", "guide-retry-policy.yaml.tmpl"];

#[test]
fn a_selection_provides_the_blocks_of_its_documents() {
    let world = world();
    for (pick, expected) in [
        ("guide", BOTH.to_vec()),
        ("folder", [&BOTH[..], &["other.py.tmpl"]].concat()),
        ("said", [&BOTH[..], &["other.py.tmpl", "said.sql.tmpl"]].concat()),
        ("kit", [&["Own.tpl"], &BOTH[..], &["other.py.tmpl", "said.sql.tmpl"]].concat()),
    ] {
        world.run(&["select", pick]).exits(0);
        assert_eq!(names(&world), expected, "{pick}");
    }
    let listed = world.json(&["templates", "--format", "json"], 0);
    assert_eq!(
        listed["templates"][1],
        json!({"name": BOTH[0], "origin": "embedded", "syntax": "jinja2", "variables": ["Name"],
               "source_path": format!(".jaato/templates/{}", BOTH[0]), "exists": true, "problem": null})
    );
    let shown = world.json(&["templates", "show", BOTH[1]], 0);
    assert_eq!((&shown["document"], &shown["line"]), (&json!("docs/guide.md"), &json!(13)));
    assert_eq!(shown["text"], "retries: {{ count }}\n");
    let inline = world.json(&["templates", "show", "said.sql.tmpl"], 0);
    assert_eq!((&inline["document"], &inline["line"]), (&json!("references.json"), &json!(4)));
    assert_eq!(
        world.json(&["templates", "variables", "guide/guide-retry-policy.java.tmpl"], 0)["variables"],
        json!(["Name"])
    );
    assert_eq!(world.run(&["render", BOTH[0], "--var", "Name=A"]).exits(0).text(), "class A {}\n");
    world.configure(json!({"extract_templates": false, "preselected": [], "sources": [
        {"id": "guide", "name": "Guide", "path": "docs/guide.md"}]}));
    assert_eq!(names(&world), Vec::<String>::new());
}

#[test]
fn files_and_index_follow_the_selection() {
    let world = world();
    world.run(&["select", "plain"]).exits(0);
    assert!(!world.path.join(".jaato/templates").exists(), "no template, no folder");
    world.run(&["select", "guide"]).exits(0);
    assert_eq!(files(&world), [&BOTH[..], &["index.json"]].concat());
    assert_eq!(world.read(&format!(".jaato/templates/{}", BOTH[0])), "class {{ Name }} {}\n");
    let index = index_of(&world);
    assert_eq!(index["template_count"], 2);
    assert_eq!(
        index["templates"][BOTH[1]],
        json!({"name": BOTH[1], "source_path": format!(".jaato/templates/{}", BOTH[1]), "syntax": "jinja2",
               "variables": ["count"], "origin": "embedded"})
    );
    let time = index["generated_at"].as_str().unwrap();
    assert!(time.len() == 20 && time.ends_with('Z'), "{time}");
    for words in [&["exclude", "guide"][..], &["include", "guide"], &["select", "guide"], &["clear"]] {
        world.run(words).exits(0);
        let expected = if words[0] == "select" { [&BOTH[..], &["index.json"]].concat() } else { vec!["index.json"] };
        assert_eq!(files(&world), expected, "{words:?}");
        assert_eq!(index_of(&world)["template_count"], expected.len() - 1, "{words:?}");
    }
    world.run(&["references", "select", "guide"]).exits(0);
    world.put("docs/guide.md", b"# Guide\n\n```java\nclass {{ Other }} {}\n```\n");
    let answer = world.json(&["templates", "extract"], 0);
    assert_eq!(strings(&answer["written"]), ["guide.java.tmpl"]);
    assert_eq!(strings(&answer["removed"]), BOTH);
    assert_eq!((&answer["count"], &answer["templates"][0]["line"]), (&json!(1), &json!(4)));
    world.run(&["references", "unselect", "guide"]).exits(0);
    assert_eq!(files(&world), ["index.json"]);
}

#[test]
fn commands_that_only_read_write_nothing() {
    let world = world();
    world.run(&["select", "guide"]).exits(0);
    std::fs::remove_dir_all(world.path.join(".jaato/templates")).unwrap();
    let before = world.listing();
    for words in [
        &["list"][..],
        &["resolve", "guide"],
        &["check"],
        &["templates"],
        &["templates", "list"],
        &["templates", "show", BOTH[0]],
        &["templates", "variables", BOTH[0]],
        &["templates", "validate"],
        &["templates", "validate", "docs/guide.md"],
        &["render", BOTH[0], "--var", "Name=A"],
        &["instructions"],
        &["graph"],
        &["why", "guide"],
        &["references", "list"],
        &["references", "reload"],
    ] {
        world.run(words).exits(0);
        assert_eq!(world.listing(), before, "{words:?}");
    }
    for words in [&["enrich", "--dry-run"][..], &["enrich", "--kind", "system_instructions", "--dry-run"]] {
        world.feed(words, b"some text").exits(0);
        assert_eq!(world.listing(), before, "{words:?}");
    }
    world.run(&["select", "nobody"]).exits(1);
    // Once the documents are old enough, their mentions may be cached.
    let mut after = world.listing();
    after.retain(|(path, _)| !path.ends_with("cache/mentions"));
    assert_eq!(after, before, "a command that selected nothing");
}

#[test]
fn unchanged_files_are_not_written_again() {
    let world = world();
    world.run(&["select", "guide"]).exits(0);
    let stamps = || -> Vec<_> {
        let stamp = |name: &String| refdesk_files::stamp(&world.path.join(".jaato/templates").join(name)).unwrap();
        files(&world).iter().map(stamp).collect()
    };
    let before = stamps();
    for words in [&["select", "guide"][..], &["select", "plain"], &["templates", "extract"], &["unselect", "plain"]] {
        world.run(words).exits(0);
        assert_eq!(stamps(), before, "{words:?}");
    }
}

#[test]
fn an_edited_file_stays() {
    let world = world();
    world.run(&["select", "guide"]).exits(0);
    let file = format!(".jaato/templates/{}", BOTH[0]);
    world.put(&file, b"mine");
    world.put("docs/guide.md", GUIDE.replace("class", "record").as_bytes());
    let ran = world.run(&["templates", "extract"]).exits(0);
    assert!(ran.stderr.contains("was edited, so it was left unchanged"), "{ran}");
    assert_eq!(ran.stderr.matches(BOTH[0]).count(), 1, "{ran}");
    assert_eq!(world.read(&file), "mine");
    assert_eq!(world.run(&["templates", "show", BOTH[0]]).exits(0).text(), "record {{ Name }} {}\n");
    world.run(&["clear"]).exits(0);
    assert_eq!(files(&world), [BOTH[0], "index.json"]);
}

#[test]
fn two_desks_share_a_folder() {
    let world = world();
    world.run(&["select", "guide"]).exits(0);
    world.run(&["--desk", "review", "select", "guide", "said"]).exits(0);
    assert_eq!(files(&world), [BOTH[0], BOTH[1], "index.json", "said.sql.tmpl"]);
    assert_eq!(index_of(&world)["template_count"], 2, "the index is the default desk's");
    world.run(&["clear"]).exits(0);
    assert_eq!(files(&world), [BOTH[0], BOTH[1], "index.json", "said.sql.tmpl"]);
    world.run(&["--desk", "review", "clear"]).exits(0);
    assert_eq!(files(&world), ["index.json"]);
}

#[test]
fn concurrent_selections_leave_the_files_of_the_last_one() {
    let world = world();
    for round in 0..3 {
        std::thread::scope(|scope| {
            for words in [
                &["select", "guide"][..],
                &["select", "folder"],
                &["--desk", "review", "select", "said"],
                &["--desk", "review", "select", "guide"],
                &["templates", "extract"],
                &["exclude", "kit"],
            ] {
                let world = &world;
                scope.spawn(move || world.run(words).exits(0));
            }
        });
        let expected = [BOTH[0], BOTH[1], "index.json", "other.py.tmpl", "said.sql.tmpl"];
        assert_eq!(files(&world), expected, "round {round}");
        for desk in ["default", "review"] {
            world.run(&["--desk", desk, "clear"]).exits(0);
        }
        assert_eq!(files(&world), ["index.json"], "round {round}");
    }
}

#[test]
fn documents_named_on_the_command_line() {
    let world = world();
    let below = |words: &[&str]| run(world.command(words).current_dir(world.path.join("docs")), None);
    let answer =
        below(&["--format", "json", "templates", "extract", "guide.md", "guide.md", "none.md"]).exits(1).json();
    assert_eq!(strings(&answer["written"]), BOTH);
    assert_eq!((&answer["count"], &answer["error"]["code"]), (&json!(2), &json!("no-such-file")));
    assert_eq!(files(&world), BOTH, "no index: nothing is selected");
    world.run(&["select", "guide"]).exits(0);
    world.run(&["clear"]).exits(0);
    assert_eq!(files(&world), [&BOTH[..], &["index.json"]].concat(), "what was asked for by name stays");
    let none = below(&["templates", "extract", "../plain.md"]).exits(0);
    assert!(none.text().contains("No document contains a template"), "{none}");
    assert_eq!(names(&world), Vec::<String>::new());
}

#[test]
fn nothing_is_written_through_a_link() {
    use std::os::unix::fs::symlink;
    let world = world();
    let outside = world.beside("outside");
    std::fs::create_dir(&outside).unwrap();
    std::fs::create_dir(world.path.join(".jaato")).unwrap();
    symlink(&outside, world.path.join(".jaato/templates")).unwrap();
    let ran = world.run(&["select", "guide"]).exits(0);
    assert!(ran.stderr.contains("leads out of the workspace"), "{ran}");
    assert_eq!(std::fs::read_dir(&outside).unwrap().count(), 0);
    std::fs::remove_file(world.path.join(".jaato/templates")).unwrap();
    let victim = outside.join("victim");
    refdesk_files::write_atomic(&victim, b"theirs").unwrap();
    std::fs::create_dir(world.path.join(".jaato/templates")).unwrap();
    for name in [BOTH[0], "index.json"] {
        symlink(&victim, world.path.join(".jaato/templates").join(name)).unwrap();
    }
    let ran = world.run(&["templates", "extract"]).exits(0);
    assert!(ran.stderr.contains("symbolic link"), "{ran}");
    assert_eq!(std::fs::read(&victim).unwrap(), b"theirs");
    assert!(is_link(&world.path.join(".jaato/templates").join(BOTH[0])));
    assert!(is_link(&world.path.join(".jaato/templates/index.json")));
}

fn is_link(path: &Path) -> bool {
    std::fs::symlink_metadata(path).unwrap().is_symlink()
}

#[test]
fn an_unwritable_folder_is_reported_and_stops_nothing() {
    let world = world();
    // A file in place of the folder stops even the superuser, unlike missing permissions.
    world.put(".jaato/templates", b"a file");
    let ran = world.run(&["select", "folder"]).exits(0);
    assert_eq!(ran.stderr.matches("warning").count(), 1, "{ran}");
    assert_eq!(names(&world).len(), 3);
}

#[test]
fn an_id_never_leads_outside_the_folder() {
    let long = "x".repeat(300);
    let ids = ["../../escaped", "/etc/passwd", "..", "a\\..\\b", "nul\0l", &long];
    let documents: Vec<(String, String)> = ids
        .iter()
        .enumerate()
        .map(|(at, id)| {
            let id = id.replace('\\', "\\\\").replace('\0', "\\0");
            (format!("docs/{at}.md"), format!("---\nid: \"{id}\"\n---\n```java\nint {{{{ v{at} }}}};\n```\n"))
        })
        .collect();
    let documents: Vec<(&str, &str)> = documents.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
    let world = Workspace::of(json!([{"id": "docs", "name": "D", "path": "docs"}]), &documents);
    world.run(&["select", "docs"]).exits(0);
    let found = files(&world);
    assert_eq!(found.len(), ids.len() + 1, "{found:?}");
    assert!(found.iter().all(|name| name.len() <= 255 && !name.starts_with('.')), "{found:?}");
    assert!(!world.beside("escaped.java.tmpl").exists() && !world.path.join("escaped.java.tmpl").exists());
}

#[test]
fn our_files_are_not_templates_of_a_source_that_contains_them() {
    let world = Workspace::with(&[("a.md", "# A\n\n```\n{{ x }}\n```\n"), (".jaato/templates/mine.tpl", "{{ mine }}")]);
    world.configure(json!({"transitive_injection": false, "sources": [
        {"id": "all", "name": "All", "path": "."}, {"id": "ours", "name": "Ours", "path": ".jaato/templates"}]}));
    world.run(&["select", "all"]).exits(0);
    assert_eq!((names(&world), files(&world).len()), (vec!["a.tmpl".to_owned()], 3));
    world.run(&["select", "ours"]).exits(0);
    assert_eq!(names(&world), ["a.tmpl", "mine.tpl"], "the file of a block is that block");
    world.put(".jaato/templates/a.tmpl", b"{{ changed }}");
    assert_eq!(names(&world), ["all/a.tmpl", "mine.tpl", "ours/a.tmpl"], "each is named after its source");
}

#[test]
fn broken_templates_are_reported() {
    let world = world();
    world.put("kit/templates/Broken.tpl", b"one\n{{#open}}\n");
    world.put("docs/broken.md", b"```\n{{ ok }}\n```\n\n```\n{% if a %}\n```\n");
    world.put("Unknown.tpl", b"one\n{{ x|uper }}{% if x is nosuch %}{% endif %}\n");
    world.put("docs/unknown.md", b"```\n{{ x|uper }}\n```\n");
    world.run(&["select", "guide"]).exits(0);
    let answer = world.json(&["templates", "validate"], 0);
    assert_eq!((&answer["valid"], &answer["errors"], &answer["count"]), (&json!(true), &json!([]), &json!(2)));
    for (words, code, count, line) in [
        (&["templates", "validate", "kit/templates/Own.tpl"][..], 0, 0, None),
        (&["templates", "validate", "kit/templates/Broken.tpl"], 1, 1, Some(2)),
        (&["templates", "validate", "docs/guide.md"], 0, 0, None),
        (&["templates", "validate", "docs/broken.md"], 1, 1, Some(6)),
        (&["templates", "validate", "Unknown.tpl"], 1, 2, Some(2)),
        (&["templates", "validate", "docs/unknown.md"], 1, 1, Some(2)),
    ] {
        let answer = world.json(words, code);
        let errors = answer["errors"].as_array().unwrap();
        assert_eq!((errors.len(), &answer["valid"]), (count, &json!(code == 0)), "{words:?}: {answer}");
        assert_eq!(errors.first().and_then(|it| it["line"].as_u64()), line, "{words:?}: {answer}");
    }
    world.put("Partial.tpl", b"one\n{{> mine}}{{> gone}}");
    world.put(".templates/mine.tpl", b"two");
    let answer = world.json(&["templates", "validate", "Partial.tpl"], 0);
    let warnings: Vec<&Value> = answer["warnings"].as_array().unwrap().iter().map(|it| &it["message"]).collect();
    assert_eq!(warnings, ["unknown partial 'gone' at line 2"]);
    std::fs::remove_dir_all(world.path.join(".templates")).unwrap();
    assert_eq!(world.json(&["templates", "validate", "nothing.tpl"], 1)["error"]["code"], "no-such-file");
    world.run(&["select", "kit"]).exits(0);
    let answer = world.json(&["templates", "validate"], 1);
    assert_eq!(
        (&answer["errors"][0]["file"], &answer["errors"][0]["line"]),
        (&json!("kit/templates/Broken.tpl"), &json!(2))
    );
}

#[test]
fn documents_of_any_size_are_read_or_reported() {
    let world = Workspace::of(json!([{"id": "big", "name": "B", "path": "big.md"}]), &[]);
    let large = std::fs::File::create(world.path.join("big.md")).unwrap();
    large.set_len(100 * 1024 * 1024).unwrap();
    world.run(&["select", "big"]).exits(0);
    let ran = world.run(&["templates"]).exits(0);
    assert!(ran.stderr.contains("64 MiB"), "{ran}");
    let block = |at: usize| format!("```\n{{{{ v{at} }}}}\n```\n");
    let many = scaled(3_000, 10_000);
    for (what, text, expected) in [
        ("many blocks", (0..many).map(block).collect(), many),
        ("quotes 20,000 deep", format!("{}```\n{}\n", "> ".repeat(20_000), block(1)), 1),
        (
            "lists 2,000 deep",
            (0..2_000).map(|at| format!("{}- a\n", "  ".repeat(at))).collect::<String>() + &block(1),
            1,
        ),
        ("brackets 100,000 deep", format!("{}\n\n{}", "[".repeat(100_000), block(1)), 1),
        ("one long line", format!("{}\n\n{}", "x ".repeat(scaled(500_000, 5_000_000)), block(1)), 1),
        ("a fence that never ends", format!("```\n{{{{ x }}}}\n{}", "y\n".repeat(100_000)), 1),
    ] {
        world.put("big.md", text.as_bytes());
        let listed = world.json(&["templates"], 0);
        assert_eq!(listed["count"], expected, "{what}");
    }
}
