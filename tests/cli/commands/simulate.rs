//! `simulate`, `why-not` and `assert` report what an agent would be given. None of it counts as given.

use serde_json::{Value, json};

use super::small;
use crate::support::workspace::Workspace;

#[test]
fn the_text_is_an_argument_or_standard_input() {
    let world = small();
    for command in [&["simulate"][..], &["enrich", "--dry-run"]] {
        let words = [command, &["@tool", "is lost"]].concat();
        assert_eq!(world.json(&words, 0), world.feed_json(command, b"@tool is lost"), "{command:?}");
    }
}

#[test]
fn a_text_may_begin_with_a_dash() {
    let world = small();
    for text in ["- @tool is lost", "---\ntopic: x\n---\n@tool", "-@tool", "--repeat the call of @tool"] {
        let fed = world.feed_json(&["simulate"], text.as_bytes());
        for words in [&["simulate", text][..], &["simulate", text, "--kind", "prompt"], &["simulate", "--", text]] {
            assert_eq!(world.json(words, 0), fed, "{words:?}");
        }
        let enriched = world.json(&["enrich", "--dry-run", text], 0);
        assert_eq!(enriched, world.feed_json(&["enrich", "--dry-run"], text.as_bytes()));
        assert!(enriched["text"].as_str().unwrap().starts_with(text), "{enriched}");
    }
    for (query, words) in [
        ("-retry", &["-retry"][..]),
        ("retry -pauses", &["retry", "-pauses", "--limit", "3"]),
        ("- a b", &["- a", "b"]),
    ] {
        // There is no index, but the error repeats the query.
        let answer = world.json(&[&["search"], words].concat(), 1);
        assert_eq!(answer["query"], query, "{answer}");
    }
    for (words, said) in [
        (&["simulate", "--reapet", "text"][..], "'--repeat'"),
        (&["simulate", "- text", "--reapet"], "'--repeat'"),
        (&["search", "--limitt", "3", "-x"], "'--limit'"),
        (&["enrich", "--max-tokens", "-1", "x"], "a whole number, 0 or more"),
        (&["simulate", "--max-chars", "-5", "- x"], "a whole number, 0 or more"),
        (&["search", "--max-tokens", "-1", "x"], "a whole number, 0 or more"),
        (&["search", "--limit", "-1", "x"], "a whole number from 1 to 100"),
    ] {
        let ran = world.run(words).exits(2);
        assert!(ran.stderr.contains(said), "{said}: {ran}");
    }
}

#[test]
fn a_simulation_shows_everything_and_changes_nothing() {
    let world = small();
    world.run(&["select", "a"]).exits(0);
    let text = b"@tool is\nlost, retry on the web";
    let before = world.listing();
    let reported = world.feed_json(&["simulate"], text);
    assert_eq!(world.listing(), before, "nothing is changed");
    let enriched = world.feed_json(&["enrich", "--dry-run"], text);
    let whole = format!("{}{}", String::from_utf8_lossy(text), reported["added"].as_str().unwrap());
    assert_eq!(json!(whole), enriched["text"]);
    assert_eq!((&reported["blocks"], &reported["metadata"]), (&enriched["blocks"], &enriched["metadata"]));
    let because = |reported: &Value| -> Vec<String> {
        let line = |it: &Value| format!("{} {} {}", it["block"], it["about"], it["because"]).replace('"', "");
        reported["items"].as_array().unwrap().iter().map(line).collect()
    };
    assert_eq!(
        because(&reported),
        [
            "expansion tool `@tool` at 1:2",
            "hint gone tag `lost` at 2:1",
            "notice b ← a",
            "notice c ← b ← a",
            "notice away ← b ← a",
        ]
    );
    let sum =
        |key: &str| reported["blocks"].as_array().unwrap().iter().map(|it| it[key].as_u64().unwrap()).sum::<u64>();
    assert_eq!(reported["total"], json!({"bytes": sum("bytes"), "tokens": sum("tokens")}));
    let shown = world.feed(&["simulate"], text).exits(0);
    for line in ["- @gone: GONE (matched: lost)\n", "expansion         full   ", "gone   full ", "total "] {
        assert!(shown.text().contains(line), "{line}: {shown}");
    }
}

#[test]
fn a_simulation_shows_what_was_given_before_and_what_does_not_fit() {
    let world = small();
    let text = b"@tool is lost, retry on the web";
    world.feed(&["enrich"], text).exits(0);
    let before = world.listing();
    let reported = world.feed_json(&["simulate"], text);
    let abouts = |list: &Value| -> Vec<String> {
        list.as_array().unwrap().iter().map(|it| it["about"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(abouts(&reported["told_before"]), ["tool", "a", "b", "away", "gone"]);
    assert!(reported["added"].as_str().unwrap().contains("@tool: given above"));
    let repeated = world.feed_json(&["simulate", "--repeat"], text);
    assert_eq!((abouts(&repeated["told_before"]).len(), abouts(&repeated["items"]).len()), (0, 5));
    let short = world.feed_json(&["simulate", "--repeat", "--max-tokens", "60"], text);
    assert!(short["total"]["tokens"].as_u64().unwrap() <= 60);
    assert!(!abouts(&short["left_out"]).is_empty(), "{short}");
    let shown = world.feed(&["simulate", "--repeat", "--max-tokens", "5"], text).exits(0);
    assert!(shown.text().starts_with("Nothing would be added.\n\nLeft out, over the budget:\n"), "{shown}");
    assert_eq!(world.listing(), before, "nothing is changed");
}

#[test]
fn a_simulation_of_a_tool_result() {
    let world = small();
    world.run(&["select", "a"]).exits(0);
    let words = ["simulate", "--kind", "tool_result", "--tool", "Read", "--args", r#"{"path": "docs/a.md"}"#];
    let reported = world.feed_json(&words, b"lost");
    assert_eq!(reported["metadata"]["pinned_reference"]["ref_id"], "a");
    let refused = world.feed(&["simulate", "--kind", "tool_result", "--args", "[]"], b"").exits(2);
    assert!(refused.stderr.contains("--args must be a JSON object"), "{refused}");
    assert!(world.feed(&["simulate"], b"").exits(0).text().contains("@b: B"));
    let lossy = world.feed_json(&["simulate"], b"\xff lost");
    assert_eq!(lossy["lossy"], true);
}

#[test]
fn why_a_source_gets_no_hint() {
    let world = small();
    world.run(&["select", "c"]).exits(0);
    world.run(&["exclude", "b"]).exits(0);
    let own = "x\n\n---\n**Referenced Sources:**\n\nlost\n---";
    for (id, prompt, reason, part) in [
        ("gone", "it is lost", "hinted", "tag `lost` at 1:7. Its path does not exist"),
        ("gone", "@gone is lost", "named", "names it by `@gone` at 1:2"),
        ("gone", "x/lost", "inside", "`x/lost` at 1:3 does not match its tag `lost`"),
        ("gone", "the losts", "inside", "`losts` at 1:5 does not match"),
        ("gone", own, "own-block", "a block that refdesk appended"),
        ("gone", "x", "absent", "its tag `lost` is not in the prompt."),
        ("gone", "\nlosst", "absent", "the nearest to `lost` is `losst` at 2:1"),
        ("b", "retry", "excluded", "it is excluded"),
        (
            "a",
            "retry",
            "pulled-in",
            "it is pulled in by c; a notice names it once in each session, and agents get its entry",
        ),
        ("c", "retry", "picked", "it is picked"),
        ("rules", "rules", "auto", "its mode is auto"),
        ("text", "text", "no-tags", "it has no tags"),
    ] {
        let answer = world.json(&["why-not", id, "--prompt", prompt], 0);
        assert_eq!(answer["reason"], reason, "{id} {prompt}: {answer}");
        assert!(answer["message"].as_str().unwrap().contains(part), "{id} {prompt}: {answer}");
        assert_eq!(answer["hinted"], reason == "hinted");
        let shown = world.run(&["why-not", id, "--prompt", prompt]).exits(0);
        assert!(shown.text().starts_with(answer["message"].as_str().unwrap()), "{shown}");
    }
    let unknown = world.json(&["why-not", "gonne", "--prompt", "x"], 1);
    assert_eq!(unknown["error"]["code"], "unknown-id");
    assert!(unknown["error"]["message"].as_str().unwrap().contains("did you mean 'gone'?"));
}

#[test]
fn why_a_hint_is_suppressed() {
    let world = small();
    let reason = |words: &[&str], prompt: &str| {
        let answer = world.json(&[&["why-not", "gone", "--prompt", prompt], words].concat(), 0);
        answer["reason"].as_str().unwrap().to_owned()
    };
    assert_eq!(reason(&["--max-tokens", "10"], "lost"), "no-room");
    assert_eq!(reason(&["--max-chars", "10"], "lost"), "no-room");
    let alone = world.json(&["why-not", "gone", "--prompt", "lost", "--max-chars", "10"], 0);
    assert!(!alone["message"].as_str().unwrap().contains("others"), "{alone}");
    let enough = alone["about"]["chars"].to_string();
    assert_eq!(reason(&["--max-chars", &enough], "lost"), "hinted", "{alone}");
    let enough = alone["about"]["tokens"].to_string();
    assert_eq!(reason(&["--max-tokens", &enough], "lost"), "hinted", "{alone}");
    let beside = world.json(&["why-not", "gone", "--prompt", "lost @a", "--max-chars", "232"], 0);
    assert!(beside["message"].as_str().unwrap().contains("others match the prompt better"), "{beside}");
    let before = world.listing();
    assert_eq!(reason(&[], "lost"), "hinted");
    assert_eq!(world.listing(), before, "nothing counts as given");
    let enriched = world.feed(&["enrich"], b"lost").exits(0);
    assert_eq!(reason(&[], "lost"), "told");
    assert_eq!(reason(&["--session", "other"], "lost"), "hinted");
    assert_eq!(reason(&["--session", "other"], enriched.text()), "in-the-text");
    let mut configuration: Value = serde_json::from_str(&world.read("references.json")).unwrap();
    configuration["exclude_tools"] = json!(["selectReferences"]);
    configuration["sources"].as_array_mut().unwrap().push(json!(
        {"id": "hollow", "name": "H", "type": "inline", "content": "x", "tags": ["--"]}
    ));
    world.configure(configuration.clone());
    assert_eq!(reason(&[], "lost"), "hints-off");
    configuration["exclude_tools"] = json!([]);
    world.configure(configuration);
    assert_eq!(world.json(&["why-not", "hollow", "--prompt", "a -- b"], 0)["reason"], "empty-tags");
}

#[test]
fn asking_about_one_source_is_fast_in_a_large_catalog() {
    let source =
        |at: usize| json!({"id": format!("s{at:03}"), "name": "S", "type": "inline", "content": "", "tags": ["java"]});
    let world = Workspace::of(Value::Array((0..120).map(source).collect()), &[]);
    for id in ["s000", "s119"] {
        assert_eq!(world.json(&["why-not", id, "--prompt", "src/java"], 0)["reason"], "inside");
    }
}

#[test]
fn met_and_unmet_expectations() {
    let world = small();
    let case = |text: &str| world.put("e.toml", format!("[[case]]\n{text}\n").as_bytes());
    for (text, misses) in [
        ("prompt = \"retry\"\nhints = [\"a\", \"b\"]\nnot_hints = [\"gone\"]\nmax_tokens = 60", vec![]),
        ("prompt = \"retry\"\nhints = [\"gone\"]", vec![("hints", "gone", "absent")]),
        ("prompt = \"x/retry\"\nhints = [\"a\"]", vec![("hints", "a", "inside")]),
        ("prompt = \"retry\"\nhints = []", vec![("hints", "", "not-none")]),
        ("prompt = \"retry\"\nnot_hints = [\"a\"]", vec![("not_hints", "a", "hinted")]),
        ("prompt = \"@a\"\nexpands = [\"a\", \"b\"]", vec![("expands", "b", "not-named")]),
        ("prompt = \"@a\"\nexpands = []", vec![("expands", "", "not-none")]),
        ("prompt = \"x\"\nselect = [\"a\"]\npulls_in = [\"b\", \"c\", \"away\"]", vec![]),
        ("prompt = \"retry\"\nselect = [\"a\"]\nhints = [\"b\"]", vec![("hints", "b", "pulled-in")]),
        ("prompt = \"x\"\nselect = [\"a\"]\npulls_in = [\"a\"]", vec![("pulls_in", "a", "picked")]),
        ("prompt = \"x\"\npulls_in = [\"b\"]", vec![("pulls_in", "b", "not-mentioned")]),
        ("prompt = \"x\"\nselect = [\"a\"]\npulls_in = []", vec![("pulls_in", "", "not-none")]),
        ("prompt = \"retry\"\nmax_tokens = 3", vec![("max_tokens", "", "too-many")]),
        (
            "tool_result = \"lost\"\ntool = \"Read\"\nargs = { path = \"x\" }\nselect = [\"a\"]\nhints = [\"gone\"]\nmax_tokens = 40",
            vec![],
        ),
    ] {
        case(text);
        let before = world.listing();
        let answer = world.json(&["assert", "e.toml"], i32::from(!misses.is_empty()));
        assert_eq!(world.listing(), before, "nothing is changed");
        let missed: Vec<(&str, &str, &str)> = answer["cases"][0]["missed"]
            .as_array()
            .unwrap()
            .iter()
            .map(|it| {
                (it["expectation"].as_str().unwrap(), it["id"].as_str().unwrap_or(""), it["reason"].as_str().unwrap())
            })
            .collect();
        assert_eq!(missed, misses, "{text}");
        let shown = world.run(&["assert", "e.toml"]).exits(i32::from(!misses.is_empty()));
        assert!(shown.text().starts_with(if misses.is_empty() { "ok " } else { "MISSED " }), "{shown}");
    }
}

#[test]
fn precision_and_recall_count_only_cases_with_hints() {
    let world = small();
    let text =
        "[[case]]\nprompt = \"retry\"\nhints = [\"a\", \"gone\"]\n\n[[case]]\nprompt = \"web\"\nnot_hints = []\n";
    world.put("e.toml", text.as_bytes());
    let answer = world.json(&["assert", "e.toml"], 1);
    let expected = json!({"given": 2, "expected": 2, "right": 1, "precision": 0.5, "recall": 0.5});
    assert_eq!(answer["hints"], expected);
    assert_eq!((&answer["expectations"], &answer["met"]), (&json!(3), &json!(2)));
    let shown = world.run(&["assert", "e.toml"]).exits(1);
    assert!(shown.text().contains("hints given: a, b\n"), "{shown}");
    let last = "hints: precision 0.500 (1 of 2 given were expected), recall 0.500 (1 of 2 expected were given)\n";
    assert!(shown.text().ends_with(last), "{shown}");
}

#[test]
fn an_unusable_file() {
    let world = small();
    for (text, reported) in [
        (&b""[..], "e.toml:1:1: the file has no case"),
        (
            b"[[case]]\nprompt = \"x\"\nhints = [\"awya\"]\n",
            "e.toml:3:10: no source has the id 'awya'\n  fix: did you mean 'away'?",
        ),
        (b"[[case]]\nprompt = \"x\"\nhint = []\n", "e.toml:3:1: unknown key 'hint'\n  fix: did you mean 'hints'?"),
        (b"[[case]]\nprompt = x\n", "e.toml:2:10: not TOML"),
    ] {
        world.put("e.toml", text);
        let ran = world.run(&["assert", "e.toml"]).exits(2);
        assert!(ran.stderr.contains(reported), "{ran}");
        let answer = world.json(&["assert", "e.toml"], 2);
        assert_eq!(answer["error"]["code"], "bad-expectations");
        assert!(!answer["problems"].as_array().unwrap().is_empty(), "{answer}");
    }
    world.put("bytes.toml", b"[[case]]\nprompt = \"\xff\"\nhints = []\n");
    for file in ["none.toml", "docs", "bytes.toml"] {
        let answer = world.json(&["assert", file], 2);
        assert_eq!(answer["error"]["code"], "no-expectations", "{answer}");
    }
}
