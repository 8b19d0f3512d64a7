//! `refdesk enrich`: the text, its additions, and the session's memory of them.

use serde_json::json;

use super::small;

const HINT: &str = "\n\n---\n**Reference sources available** — use `selectReferences` with IDs or tags to select:\n\n- @away: Away (matched: web)\n---";

#[test]
fn text_and_json_agree() {
    let world = small();
    let json = world.feed_json(&["enrich", "--repeat"], b"on the web");
    assert_eq!(json["text"], format!("on the web{HINT}"));
    assert_eq!(json["metadata"]["tag_matched_references"], json!({"away": ["web"]}));
    assert_eq!(json["lossy"], false);
    let blocks = json["blocks"].as_array().unwrap();
    assert_eq!(blocks.len(), 1);
    assert_eq!(blocks[0]["bytes"], HINT.len());
    assert_eq!(blocks[0]["level"], "full");
    let text = world.feed(&["enrich", "--repeat"], b"on the web").exits(0);
    assert_eq!(text.text(), format!("on the web{HINT}"));
}

#[test]
fn with_nothing_to_add_the_text_is_unchanged() {
    let world = small();
    for text in [&b""[..], b"plain", b"two\r\nlines\n", b"\xff\xfe \x00 bytes \xc3", "\u{feff}ü".as_bytes()] {
        let ran = world.feed(&["enrich"], text).exits(0);
        assert_eq!(ran.stdout, text);
    }
}

#[test]
fn the_text_form_keeps_all_bytes_and_json_says_if_it_is_lossy() {
    let world = small();
    let input = b"\xff on the web \xfe";
    let ran = world.feed(&["enrich", "--repeat"], input).exits(0);
    assert_eq!(ran.stdout, [input, HINT.as_bytes()].concat());
    let json = world.feed_json(&["enrich", "--repeat"], input);
    assert_eq!(json["lossy"], true);
    assert_eq!(json["text"], format!("\u{fffd} on the web \u{fffd}{HINT}"));
}

#[test]
fn a_session_gets_each_thing_once() {
    let world = small();
    world.run(&["select", "a"]).exits(0);
    let text = b"@tool on the retry and lost";
    let first = world.feed_json(&["enrich"], text);
    assert_eq!(first["metadata"]["mentioned_references"], json!(["tool"]));
    assert_eq!(first["metadata"]["tag_matched_references"], json!({"gone": ["lost"]}));
    assert_eq!(first["metadata"]["transitive_references"], json!({"b": ["a"], "c": ["b"], "away": ["b"]}));
    assert_eq!(first["blocks"].as_array().unwrap().len(), 3);
    let again = world.feed(&["enrich"], text).exits(0);
    let expected =
        format!("{}\n\n---\n**Referenced Sources:**\n\n@tool: given above\n---", std::str::from_utf8(text).unwrap());
    assert_eq!(again.text(), expected);
    // Another session has not received it; `--repeat` adds everything and remembers nothing.
    let other = world.feed_json(&["--session", "other", "enrich"], text);
    assert_eq!(other["text"], first["text"]);
    assert_eq!(world.feed_json(&["enrich", "--repeat"], text)["text"], first["text"]);
    // A source that left the selection and returned is given again.
    world.run(&["unselect", "a"]).exits(0);
    world.feed(&["enrich"], b"in between").exits(0);
    world.run(&["select", "a"]).exits(0);
    let back = world.feed_json(&["enrich"], b"and now");
    assert_eq!(back["metadata"]["transitive_references"], first["metadata"]["transitive_references"]);
}

#[test]
fn line_breaks_of_another_system_change_nothing() {
    let world = small();
    for asked in ["@tool on the retry and lost", "@text and @tool"] {
        let reported = world.feed(&["enrich", "--repeat"], asked.as_bytes()).exits(0).text().replace('\n', "\r\n");
        let again = world.feed(&["enrich", "--repeat"], reported.as_bytes()).exits(0);
        assert_eq!(again.text(), reported);
    }
}

#[test]
fn a_dry_run_does_not_count_as_given() {
    let world = small();
    let first = world.feed_json(&["enrich", "--dry-run"], b"on the web");
    assert_eq!(world.feed_json(&["enrich", "--dry-run"], b"on the web"), first);
    assert_eq!(world.feed_json(&["enrich"], b"on the web"), first);
    // After the real run, nothing is new.
    assert_eq!(world.feed_json(&["enrich", "--dry-run"], b"on the web")["text"], "on the web");
}

#[test]
fn the_same_input_gives_the_same_bytes() {
    let world = small();
    world.run(&["select", "a", "text"]).exits(0);
    let text = b"@a @ref:tool, @kit and lost retry on the web";
    let once = world.feed(&["enrich", "--repeat"], text).exits(0);
    for _ in 0..3 {
        assert_eq!(world.feed(&["enrich", "--repeat"], text).exits(0).stdout, once.stdout);
    }
    // Enriching an enriched text adds nothing.
    assert_eq!(world.feed(&["enrich", "--repeat"], &once.stdout).exits(0).stdout, once.stdout);
}

#[test]
fn each_kind_of_text_gets_its_blocks() {
    let world = small();
    world.run(&["select", "a"]).exits(0);
    let kinds = |kind: &str| {
        let reported = world.feed_json(&["enrich", "--repeat", "--kind", kind], b"@tool lost");
        let blocks = reported["blocks"].as_array().unwrap().clone();
        blocks.iter().map(|block| block["kind"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(kinds("prompt").len(), 3);
    assert_eq!(kinds("tool_result").len(), 2, "no notice on a tool's answer");
    assert_eq!(kinds("system_instructions").len(), 0);
}

#[test]
fn a_tool_result_names_the_reference_it_came_from() {
    let world = small();
    world.run(&["select", "a", "kit"]).exits(0);
    let whole = world.path.join("docs/a.md");
    std::os::unix::fs::symlink("docs", world.path.join("link")).unwrap();
    for (args, expected) in [
        (json!({"file_path": "link/a.md"}), json!({"ref_id": "a", "ref_name": "A"})),
        (json!({"file_path": world.path.join("link/none.md")}), json!(null)),
        (json!({"path": "docs/a.md"}), json!({"ref_id": "a", "ref_name": "A"})),
        (json!({"file_path": whole.to_str().unwrap()}), json!({"ref_id": "a", "ref_name": "A"})),
        (json!({"command": "cat ./docs/a.md | head"}), json!({"ref_id": "a", "ref_name": "A"})),
        (json!({"path": "kit/README.md"}), json!({"ref_id": "kit", "ref_name": "KIT"})),
        (json!({"path": "references.json"}), json!(null)),
        (json!({"path": "docs"}), json!(null)),
    ] {
        let words = ["enrich", "--repeat", "--kind", "tool_result", "--tool", "read", "--args", &args.to_string()];
        assert_eq!(world.feed_json(&words, b"x")["metadata"]["pinned_reference"], expected, "{args}");
    }
}

#[test]
fn there_are_no_hints_if_selecting_is_hidden() {
    let world = small();
    let mut configuration: serde_json::Value = serde_json::from_str(&world.read("references.json")).unwrap();
    configuration["exclude_tools"] = json!(["selectReferences"]);
    world.configure(configuration);
    assert_eq!(world.feed(&["enrich"], b"on the web").exits(0).text(), "on the web");
    assert!(!world.run(&["instructions"]).exits(0).text().contains("selectReferences"));
}

#[test]
fn excluded_sources_are_neither_hinted_nor_expanded() {
    let world = small();
    world.run(&["exclude", "away"]).exits(0);
    assert_eq!(world.feed(&["enrich"], b"on the web @away").exits(0).text(), "on the web @away");
}
