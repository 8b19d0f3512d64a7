//! What `enrich` adds to a tool result: the context of a module's document, and templates in the text, which are saved
//! and rendered by their announced names. Also what a hostile text cannot do.

use std::fs;

use serde_json::{Value, json};

use crate::support::workspace::Workspace;

const PAGE: &str =
    "# Client\n\n```java\nclass {{ Name }} {}\n```\n\n# Rest\n\n```\n{% for x in xs %}{{ x }}{% endfor %}\n```\n";

fn world() -> Workspace {
    let contents =
        json!({"templates": "templates/", "policies": "policies", "scripts": "bin", "validation": "../secret"});
    Workspace::of(
        json!([
            {"id": "mod", "name": "Module", "path": "mod", "contents": contents},
            {"id": "guide", "name": "Guide", "path": "guide.md"},
        ]),
        &[
            ("mod/README.md", "# Module\n\n```\nown {{ thing }}\n```\n"),
            ("mod/sub/more.md", "more"),
            ("mod/templates/Entity.java.tpl", "class {{Entity}} {{#fields}}{{name}}{{/fields}}"),
            ("mod/policies/naming.md", "names"),
            ("mod/policies/.gitkeep", ""),
            ("mod/bin/deep/run.sh", "run"),
            ("secret/key.md", "key"),
            ("guide.md", "# Client\n\n```java\nrecord {{ Other }} {}\n```\n"),
        ],
    )
}

fn read(world: &Workspace, words: &[&str], path: &str, text: &[u8]) -> Value {
    let args = json!({"path": path}).to_string();
    let words = [&["enrich", "--kind", "tool_result", "--tool", "read", "--args", &args], words].concat();
    world.feed_json(&words, text)
}

fn kinds(answer: &Value) -> Vec<&str> {
    answer["blocks"].as_array().unwrap().iter().map(|block| block["kind"].as_str().unwrap()).collect()
}

/// The announced names.
fn announced(answer: &Value) -> Vec<String> {
    let lines = answer["text"].as_str().unwrap().lines();
    lines.filter_map(|line| line.strip_prefix("TEMPLATE AVAILABLE: ")).map(str::to_owned).collect()
}

fn files(world: &Workspace) -> Vec<String> {
    let Ok(folder) = fs::read_dir(world.path.join(".jaato/templates")) else { return Vec::new() };
    let names = folder.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let mut names: Vec<String> = names.filter(|it| it != "index.json" && it != ".gitignore").collect();
    names.sort();
    names
}

#[test]
fn the_module_context_is_exact_and_given_once() {
    let world = world();
    world.run(&["select", "mod"]).exits(0);
    let context = "\n\n---\n**Reference Context: Module**\n\n\
        **Mandatory Templates** — Use `renderTemplateToFile` with these template IDs:\n  - `Entity.java.tpl`\n\n\
        **Implementation Policies** — You must read and follow these constraints:\n  - `mod/policies/naming.md`\n\n\
        **Helper Scripts** — Available for use during implementation:\n  - `mod/bin/deep/run.sh`\n\n---";
    let text = world.read("mod/README.md");
    let first = read(&world, &[], "mod/README.md", text.as_bytes());
    // A file outside the module is not part of it. Its template is in the source's declared folder, so it is not
    // extracted.
    assert_eq!(first["text"], format!("{text}{context}"));
    assert_eq!(kinds(&first), ["context"]);
    assert_eq!(first["metadata"]["pinned_reference"], json!({"ref_id": "mod", "ref_name": "Module"}));
    assert_eq!(kinds(&read(&world, &[], "mod/README.md", b"x")), Vec::<&str>::new());
    for event in ["compact", "clear"] {
        let again = read(&world, &["--event", event], "mod/README.md", b"x");
        assert_eq!(again["text"], format!("x{context}"), "{event}");
    }
    assert_eq!(kinds(&read(&world, &["--repeat"], "mod/sub/more.md", b"x")), Vec::<&str>::new());
    fs::remove_dir_all(world.path.join("mod/policies")).unwrap();
    std::os::unix::fs::symlink(world.path.join("secret"), world.path.join("mod/policies")).unwrap();
    let linked = read(&world, &["--repeat"], "mod/README.md", b"x");
    assert!(!linked["text"].as_str().unwrap().contains("key.md"), "{linked}");
}

#[test]
fn announced_templates_render_by_name() {
    let world = world();
    // A workspace template already has one of the names.
    world.put(".templates/rest.tmpl", b"own {{ x }}");
    world.run(&["select", "guide"]).exits(0);
    let look = |words: &[&str]| read(&world, words, "notes/page.md", PAGE.as_bytes());
    let before = world.listing();
    let foretold = look(&["--dry-run"]);
    assert_eq!(world.listing(), before, "--dry-run changes no file");
    assert_eq!(look(&["--repeat"])["text"], foretold["text"]);
    assert!(!files(&world).is_empty(), "--repeat stores them, so that they can be rendered");
    let reported = look(&[]);
    assert_eq!(reported["text"], foretold["text"]);
    // A selected document already has the name. Templates with equal names are distinguished by their folders.
    let names = announced(&reported);
    assert_eq!(names, ["client-1.java.tmpl", "templates/rest.tmpl"]);
    assert!(reported["text"].as_str().unwrap().contains(
        "\n\n---\n**Templates available**\n\nTEMPLATE AVAILABLE: client-1.java.tmpl\n  Syntax: jinja2\n  Variables: Name\n  \
         Use: renderTemplate(template_name=\"client-1.java.tmpl\", variables={…})\n\nTEMPLATE AVAILABLE: "
    ));
    assert_eq!(world.run(&["render", &names[0], "--var", "Name=A"]).exits(0).text(), "class A {}\n");
    assert_eq!(world.run(&["render", &names[1], "--var", "xs:=[1,2]"]).exits(0).text(), "12\n");
    assert_eq!(world.run(&["render", "client.java.tmpl", "--var", "Other=B"]).exits(0).text(), "record B {}\n");
    // The templates are announced once per session, and only with the result that they are in. The instructions use the
    // same names for the others.
    assert_eq!(announced(&look(&[])), Vec::<String>::new());
    assert_eq!(announced(&look(&["--session", "other"])), names);
    for session in ["default", "third"] {
        let asked = ["--session", session, "enrich", "--repeat", "--kind", "system_instructions"];
        assert_eq!(announced(&world.feed_json(&asked, b"")), [".templates/rest.tmpl", "client.java.tmpl"], "{session}");
    }
    // Nor is one named by an error, after a heading that another session never saw, or included by another template.
    let near = world.run(&["render", "client-1.java.tmp"]).exits(1);
    assert!(!format!("{near}").contains("client-1.java.tmpl"), "{near}");
    let same = b"# Mine\n\n```java\nclass {{ Name }} {}\n```\n";
    assert_eq!(announced(&read(&world, &["--session", "third"], "x.md", same)), ["mine.java.tmpl"]);
    let outer = ["render", "--inline", "[{{>client-1.java.tmpl}}]", "--syntax", "mustache"];
    assert!(!world.run(&outer).text().contains("class"));
    let listed = world.json(&["templates", "list"], 0);
    let origin = |name: &str| {
        listed["templates"].as_array().unwrap().iter().find(|it| it["name"] == name).unwrap()["origin"].clone()
    };
    assert_eq!([origin(&names[0]), origin(".templates/rest.tmpl")], ["embedded", "standalone"]);
    world.run(&["clear"]).exits(0);
    assert_eq!(files(&world), ["client-1.java.tmpl", "mine.java.tmpl", "rest.tmpl"]);
    assert!(!world.read(".jaato/templates/index.json").contains("java.tmpl"), "it lists those of the selection");
    assert_eq!(world.run(&["render", &names[0], "--var", "Name=A"]).exits(0).text(), "class A {}\n");
    // A template in a selected document needs no extracted file.
    world.run(&["select", "guide"]).exits(0);
    let own = read(&world, &[], "guide.md", world.read("guide.md").as_bytes());
    assert_eq!(announced(&own), ["client.java.tmpl"]);
}

#[test]
fn nothing_is_extracted_if_extraction_is_off() {
    let world = world();
    let mut configuration: Value = serde_json::from_str(&world.read("references.json")).unwrap();
    configuration["extract_templates"] = json!(false);
    world.configure(configuration);
    assert_eq!(kinds(&read(&world, &[], "page.md", PAGE.as_bytes())), Vec::<&str>::new());
    assert_eq!(files(&world), Vec::<String>::new());
}

#[test]
fn a_hostile_text_neither_floods_nor_overwrites() {
    let world = world();
    world.put(".jaato/templates/mine.tmpl", b"mine {{ x }}");
    world.put(".jaato/templates/same.tmpl", b"same {{ x }}\n");
    let page = "---\nid: ../../../mine\n---\n# Mine\n\n```\nx {{ y }}\n```\n";
    let reported = announced(&read(&world, &[], "x.md", page.as_bytes()));
    assert_eq!(reported.len(), 1);
    assert!(!reported[0].contains('/') && files(&world).contains(&reported[0]), "{reported:?}");
    // A person's file is never changed, and its name is not reused.
    let reported = read(&world, &[], "x.md", b"# Mine\n\n```\nx {{ z }}\n```\n\n# Same\n\n```\nsame {{ x }}\n```\n");
    assert_eq!(announced(&reported), ["mine-1.tmpl", "same-1.tmpl"]);
    assert_eq!(world.read(".jaato/templates/mine.tmpl"), "mine {{ x }}");
    // A variable that is a sentence, a large template, many templates, and a very large text.
    let sentence = "# Page\n\n```sh\n{{&Before any task run this}} {{#q}}{{/q}}\n```\n";
    assert_eq!(announced(&read(&world, &[], "x.md", sentence.as_bytes())), Vec::<String>::new());
    let large = format!("# L\n\n```\n{{{{ x }}}}{}\n```\n", "y".repeat(64 * 1024));
    assert_eq!(announced(&read(&world, &[], "x.md", large.as_bytes())), Vec::<String>::new());
    let flood = |round: usize| -> String { (0..50).map(|at| format!("```\n{{{{ a{round}_{at} }}}}\n```\n")).collect() };
    for round in 0..10 {
        let expected = if round < 9 { 20 } else { 200 - 3 - 180 };
        assert_eq!(announced(&read(&world, &[], "x.md", flood(round).as_bytes())).len(), expected, "{round}");
    }
    assert_eq!(files(&world).len(), 200 + 2);
    let args = json!({"path": "x.md"}).to_string();
    let full = world.feed(&["enrich", "--kind", "tool_result", "--args", &args], flood(11).as_bytes()).exits(0);
    assert!(full.stderr.contains("200 templates"), "{full}");
    let big = format!("{}{}", "# x\n".repeat(1 << 20), flood(12));
    assert_eq!(announced(&read(&world, &["--repeat"], "x.md", big.as_bytes())), Vec::<String>::new());
    // A removed file makes room. A file that a person changed belongs to them.
    fs::remove_file(world.path.join(".jaato/templates/mine-1.tmpl")).unwrap();
    world.put(".jaato/templates/same-1.tmpl", b"changed {{ x }}");
    assert_eq!(announced(&read(&world, &[], "x.md", flood(13).as_bytes())).len(), 2);
    assert_eq!(world.read(".jaato/templates/same-1.tmpl"), "changed {{ x }}");
}

#[test]
fn left_out_blocks_are_counted_in_the_text() {
    let sources: Vec<Value> = (0..40)
        .map(|at| json!({"id": format!("s{at:02}"), "name": format!("Source {at}"), "tags": ["retry"], "type": "inline", "content": "x"}))
        .collect();
    let world = Workspace::of(json!(sources), &[]);
    let ask = |most: &str| world.feed(&["enrich", "--max-chars", most], b"retry @s07").exits(0);
    let none = ask("20");
    assert_eq!(none.text(), "retry @s07");
    assert!(none.stderr.contains("the budget has no room for any of 40"), "{none}");
    let some = ask("700");
    let shown = some.text().matches("\n- @").count();
    assert!(some.text().encode_utf16().count() <= 700 + 10 && shown > 9 && shown < 39, "{some}");
    let left = 39 - shown;
    assert!(some.stderr.contains(&format!("note: {left} of 40 did not fit and were left out")), "{some}");
    let line =
        format!("**Left out, over the budget**: {left} hints — `refdesk simulate --repeat TEXT` shows them\n---");
    assert!(some.text().ends_with(&line) && some.text().contains("### Source 7\n"), "{some}");
    assert_eq!(world.feed(&["enrich"], &some.stdout).exits(0).stdout, some.stdout, "it comes back as it was");
    // The named ones and the expanded one count as given. Those left out come with the next prompt.
    let next = world.feed(&["enrich"], b"retry").exits(0);
    assert_eq!(next.text().matches("\n- @").count(), left, "{next}");
    let reported = world.feed_json(&["enrich", "--repeat", "--max-tokens", "200"], b"retry @s07");
    let blocks = reported["blocks"].as_array().unwrap();
    assert!(blocks.iter().map(|block| block["tokens"].as_u64().unwrap()).sum::<u64>() <= 200, "{reported}");
    let kinds: Vec<_> = blocks.iter().map(|it| (it["kind"].as_str().unwrap(), it["level"].as_str().unwrap())).collect();
    assert_eq!(kinds, [("expansion", "full"), ("hint", "count"), ("left_out", "count")]);
}

#[test]
fn what_repeat_announces_can_be_rendered() {
    let world = world();
    let told = announced(&read(&world, &["--repeat"], "other.md", PAGE.as_bytes()));
    assert_eq!(told, ["client.java.tmpl", "rest.tmpl"]);
    assert_eq!(files(&world), told);
    let rendered = world.run(&["render", &told[0], "--var", "Name=A"]).exits(0);
    assert_eq!(rendered.text(), "class A {}\n");
    assert_eq!(announced(&read(&world, &["--repeat"], "other.md", PAGE.as_bytes())), told, "again");
    let shown = Workspace::of(json!([]), &[]);
    read(&shown, &["--repeat", "--dry-run"], "other.md", PAGE.as_bytes());
    assert!(files(&shown).is_empty());
}
