//! Configurations that cannot be read, parsed or trusted. Discovered sources are listed anyway.

use std::fs::{self, File};
use std::process::Command;

use serde_json::{Value, json};

use super::{check_good_source, codes, discovered, good_source, with_source};
use crate::support::workspace::{Workspace, ids, inline};
use refdesk_files::scale::scaled;

/// Arbitrary bytes in the configuration or in a discovered file.
fn rubbish() -> Vec<(&'static str, Vec<u8>, &'static str)> {
    let deep = |open: &str, close: &str| [open.repeat(100_000), close.repeat(100_000)].concat().into_bytes();
    vec![
        ("empty", b"".to_vec(), "json-syntax"),
        ("blank", b" \n\t\r\n".to_vec(), "json-syntax"),
        ("only a byte order mark", b"\xef\xbb\xbf".to_vec(), "json-syntax"),
        ("cut off", br#"{"sources": [{"id": "#.to_vec(), "json-syntax"),
        ("not UTF-8", b"{\"sources\": \"\xff\xfe\"}".to_vec(), "not-utf8"),
        ("UTF-16", "{}".encode_utf16().flat_map(|unit| [0xff, unit as u8]).collect(), "not-utf8"),
        ("zero bytes", vec![0; 4096], "json-syntax"),
        ("lists 100,000 deep", deep("[", "]"), "json-syntax"),
        ("objects 100,000 deep", deep("{\"a\":", "}"), "json-syntax"),
        ("never closed, 100,000 deep", deep("[{\"sources\":", ""), "json-syntax"),
        ("a list", b"[]".to_vec(), "not-an-object"),
        ("a number", b"1e999".to_vec(), "json-syntax"),
        ("a program", b"\x7fELF\x02\x01\x01".to_vec(), "json-syntax"),
        ("half a surrogate", br#"{"sources": "\ud800"}"#.to_vec(), "json-syntax"),
    ]
}

#[test]
fn an_unusable_configuration_leaves_discovered_sources() {
    for (what, bytes, code) in rubbish() {
        let world = discovered();
        world.put("references.json", &bytes);
        assert_eq!(codes(&world), [code], "{what}");
        check_good_source(&world);
        let ran = world.run(&["list"]).exits(0);
        assert!(ran.stderr.contains("error: references.json:") && ran.stderr.contains("fix: "), "{what}: {ran}");
        assert_eq!(fs::read(world.path.join("references.json")).unwrap(), bytes, "{what}: it is left as it is");
    }
}

/// Otherwise one value would bury all other messages.
#[test]
fn a_value_of_any_length_is_reported_in_brief() {
    let long = "x".repeat(1_000_000);
    for entry in [
        json!({"id": "a", "name": "A", "type": long}),
        json!({"id": "a", "name": "A", "path": "docs", "mode": long}),
        json!({"id": "a", "name": "A", "path": "docs", (long.as_str()): 1}),
    ] {
        let world = Workspace::of(json!([entry, inline("b", "B.")]), &[]);
        let printed = world.run(&["list"]).exits(0).stderr;
        assert!(printed.contains("x…x") && printed.len() < 4_000, "{} bytes", printed.len());
        let listed = world.run(&["check", "--format", "json"]);
        let listed = listed.text();
        assert!(listed.contains("x…x") && listed.len() < 4_000, "{} bytes", listed.len());
    }
}

#[test]
fn a_configuration_that_cannot_be_used_is_not_called_none() {
    for text in [None, Some("{")] {
        let world = discovered();
        match text {
            Some(text) => world.put("references.json", text.as_bytes()),
            None => fs::create_dir(world.path.join("references.json")).unwrap(),
        }
        let doctor = world.run(&["doctor"]).exits(1);
        assert!(doctor.text().contains("wrong  configuration: references.json:"), "{doctor}");
        let places = world.json(&["where"], 0);
        let why = places["configuration"]["why"].as_str().unwrap();
        assert!(why.starts_with("references.json:"), "{places}");
    }
}

#[test]
fn an_unusable_discovered_file_leaves_the_others() {
    for (what, bytes, code) in rubbish() {
        let world = discovered();
        world.put(".jaato/references/bad.json", &bytes);
        // A file of one source may have fewer values than such a text.
        let code = if what.contains("100,000") { "too-many" } else { code };
        assert_eq!(codes(&world), [code], "{what}");
        check_good_source(&world);
    }
}

#[test]
fn a_catalog_that_cannot_be_read_as_a_whole_is_not_extended() {
    let comment = b"{\n // c\n \"sources\": [{\"id\": \"kafka\", \"type\": \"local\", \"path\": \"docs/kafka.md\"}]}\n";
    let more = [
        ("a comment", comment.to_vec(), "json-syntax"),
        ("no list", br#"{"sources": {"id": "kafka"}}"#.to_vec(), "wrong-type"),
    ];
    for (what, bytes, code) in rubbish().into_iter().chain(more) {
        for file in ["references.json", ".jaato/references/bad.json"] {
            if code == "wrong-type" && file != "references.json" {
                continue;
            }
            let world = Workspace::with(&[("docs/kafka.md", "# Kafka\n")]);
            world.put(file, &bytes);
            let before = world.listing();
            for words in
                [&["init", "--yes"][..], &["init", "--one-file", "--yes"], &["init"], &["add", "docs/kafka.md"]]
            {
                let answer = world.json(words, 1);
                let code = if what.contains("100,000") && file != "references.json" { "too-many" } else { code };
                assert_eq!((&answer["status"], &answer["error"]["code"]), (&json!("error"), &json!(code)), "{what}");
                let message = answer["error"]["message"].as_str().unwrap();
                assert!(message.starts_with("nothing is added while") && message.contains(file), "{message}");
            }
            assert_eq!(world.listing(), before, "{what}: {file}");
        }
    }
}

#[test]
fn a_byte_order_mark_and_crlf_are_harmless() {
    let world = Workspace::new();
    let text = format!("\u{feff}{:#}\n", json!({"sources": [good_source()]})).replace('\n', "\r\n");
    world.put("references.json", text.as_bytes());
    assert_eq!(codes(&world), Vec::<String>::new());
    check_good_source(&world);
}

#[test]
fn wrong_types_in_every_field() {
    let wrong =
        [json!(7), json!(true), json!("text"), json!([1, null, {}]), json!({"a": []}), json!(-1.5e300), json!(null)];
    // Entries do not affect each other, so one run tests them all.
    let mut sources = vec![good_source()];
    for (nth, key) in refdesk_core::config::keys::SOURCE.iter().enumerate() {
        for (which, value) in wrong.iter().enumerate() {
            let mut source = inline(&format!("odd-{nth}-{which}"), "x");
            source[*key] = value.clone();
            sources.push(source);
        }
    }
    let world = Workspace::of(json!(sources), &[]);
    assert!(!codes(&world).is_empty());
    check_good_source(&world);
    for (nth, key) in refdesk_core::config::keys::TOP.iter().filter(|key| **key != "sources").enumerate() {
        for (which, value) in wrong.iter().enumerate() {
            let mut whole = json!({"sources": [good_source()]});
            whole[*key] = value.clone();
            let world = Workspace::new();
            world.configure(whole);
            let _ = codes(&world);
            // Tests each key once and each value several times: two more processes per pair would take ten seconds.
            if which == nth % wrong.len() {
                check_good_source(&world);
            }
        }
    }
}

#[test]
fn numbers_in_place_of_strings_are_reported_with_their_position() {
    let world = Workspace::new();
    world.put(
        "references.json",
        br#"{"sources": [
  {"id": 5, "name": "Five", "type": "inline", "content": "x"},
  {"id": "kept", "name": "Kept", "type": "inline", "content": "x", "tags": ["a", 6]}
]}"#,
    );
    let checked = world.json(&["check"], 1);
    let errors = checked["errors"].as_array().unwrap();
    let places: Vec<(u64, u64)> =
        errors.iter().map(|it| (it["line"].as_u64().unwrap(), it["column"].as_u64().unwrap())).collect();
    assert_eq!(places, [(2, 10), (3, 82)], "{errors:#?}");
    check_good_source(&world);
}

#[test]
fn the_first_of_equal_ids_wins_and_the_others_are_reported() {
    let named = |name: &str| json!({"id": "same", "name": name, "type": "inline", "content": ""});
    let world = Workspace::of(json!([named("first"), named("second"), good_source()]), &[]);
    world.put(".jaato/references/a.json", named("third").to_string().as_bytes());
    world.put(".jaato/references/b.json", named("fourth").to_string().as_bytes());
    let listed = world.json(&["list"], 0);
    assert_eq!(ids(&listed["sources"]), ["same", "kept"]);
    assert_eq!(listed["sources"][0]["name"], "first");
    assert_eq!(codes(&world), ["duplicate-id"; 3]);
    let files: Vec<Value> =
        world.json(&["check"], 0)["warnings"].as_array().unwrap().iter().map(|it| it["file"].clone()).collect();
    // Warnings about sources that nothing brings up follow.
    assert_eq!(files[..3], [".jaato/references/a.json", ".jaato/references/b.json", "references.json"]);
}

#[test]
fn a_folder_a_pipe_or_a_loop_in_place_of_a_file() {
    for place in ["references.json", ".references.json", ".jaato/references/x.json"] {
        for what in ["folder", "pipe", "loop", "dangling link"] {
            let world = discovered();
            let path = world.path.join(place);
            match what {
                "folder" => fs::create_dir(&path).unwrap(),
                "pipe" => assert!(Command::new("mkfifo").arg(&path).status().unwrap().success()),
                "loop" => std::os::unix::fs::symlink(path.file_name().unwrap(), &path).unwrap(),
                _ => std::os::unix::fs::symlink("nowhere", &path).unwrap(),
            }
            assert_eq!(codes(&world), ["unreadable"], "{what} as {place}");
            if what == "dangling link" && place.ends_with("references.json") {
                let listed = world.run(&["list"]);
                assert!(
                    listed.stderr.contains(": the configuration is a broken link to 'nowhere'\n  fix: "),
                    "{listed}"
                );
            }
            check_good_source(&world);
        }
    }
}

#[test]
fn an_unreadable_file() {
    use std::os::unix::fs::PermissionsExt;
    for place in ["references.json", ".jaato/references/x.json"] {
        let world = discovered();
        world.put(place, good_source().to_string().replace("kept", "secret").as_bytes());
        fs::set_permissions(world.path.join(place), fs::Permissions::from_mode(0o000)).unwrap();
        let is_root = fs::read(world.path.join(place)).is_ok();
        let found = codes(&world);
        if !is_root {
            assert_eq!(found, ["unreadable"], "{place}");
        }
        check_good_source(&world);
    }
}

#[test]
fn an_unreadable_references_folder_is_not_an_empty_catalog() {
    use std::os::unix::fs::PermissionsExt;
    let folder = ".jaato/references";
    for is_loop in [true, false] {
        let world = discovered();
        world.put("docs/a.md", b"# A\n");
        let path = world.path.join(folder);
        if is_loop {
            fs::remove_dir_all(&path).unwrap();
            std::os::unix::fs::symlink("references", &path).unwrap();
        } else {
            fs::set_permissions(&path, fs::Permissions::from_mode(0o000)).unwrap();
        }
        // The superuser may read any folder.
        if fs::read_dir(&path).is_err() {
            let checked = world.json(&["check"], 1);
            let problem = &checked["errors"][0];
            assert_eq!((&problem["code"], &problem["file"]), (&json!("unreadable"), &json!(folder)), "{checked}");
            let listed = world.run(&["list"]).exits(1);
            assert!(listed.stderr.contains("no source can be read: .jaato/references: "), "{listed}");
            for words in [&["add", "docs/a.md"][..], &["init", "--yes"]] {
                let refused = world.json(words, 1);
                assert_eq!(refused["error"]["code"], "unreadable", "{words:?} {refused}");
            }
            let report = world.run(&["doctor"]).exits(1);
            assert!(report.text().contains("1 error"), "{report}");
        }
        if !is_loop {
            fs::set_permissions(&path, fs::Permissions::from_mode(0o700)).unwrap();
        }
    }
}

#[test]
fn the_references_folder_may_be_anything() {
    for (folder, found) in [
        (".jaato/none", vec!["unreadable"]),
        ("references.json", vec!["unreadable"]),
        ("..", vec!["untrusted"]),
        ("/proc/self/none", vec!["untrusted"]),
        ("", vec![]),
        ("\u{0}", vec!["unreadable"]),
    ] {
        let world = Workspace::new();
        world.configure(json!({"sources": [good_source()], "references_dir": folder}));
        assert_eq!(codes(&world), found, "{folder:?}");
        check_good_source(&world);
    }
}

#[test]
fn many_entries_and_a_content_of_megabytes() {
    let (entries, bytes) = (scaled(10_000, 50_000), scaled(4_000_000, 20_000_000));
    let mut sources: Vec<Value> = (0..entries).map(|at| inline(&format!("source-{at}"), "nothing")).collect();
    sources.push(inline("huge", &"see kept, or not. ".repeat(bytes / 18)));
    sources.push(good_source());
    let world = Workspace::new();
    world.put("references.json", json!({"sources": sources}).to_string().as_bytes());
    let listed = world.json(&["list"], 0);
    assert_eq!(listed["total"], entries + 2);
    let answer = world.json(&["select", "huge"], 0);
    assert_eq!(ids(&answer["sources"]), ["huge", "kept"]);
    assert_eq!(world.picks(), ["huge"]);
}

#[test]
fn many_problems_are_reported_quickly_and_very_many_are_counted() {
    let faulty = 5_000;
    let sources: Vec<Value> = (0..faulty).map(|at| json!({"id": at, "name": "x"})).chain([good_source()]).collect();
    let world = Workspace::new();
    world.put("references.json", json!({"sources": sources}).to_string().as_bytes());
    let checked = world.json(&["check"], 1);
    assert_eq!(checked["errors"].as_array().unwrap().len(), 2 * faulty, "id and path of each");
    check_good_source(&world);
    let entries = vec!["{}"; scaled(20_000, 1_000_000)].join(",");
    world.put("references.json", format!(r#"{{"sources": [{entries}, {}]}}"#, good_source()).as_bytes());
    let checked = world.json(&["check"], 1);
    let listed = checked["errors"].as_array().unwrap();
    let last = listed.iter().find(|it| it["code"] == "too-many-problems").unwrap();
    assert!(
        listed.len() == 10_001 && last["message"].as_str().unwrap().ends_with("more problems are not listed"),
        "{last}"
    );
}

#[test]
fn wrong_items_of_a_list_are_counted_beyond_a_hundred() {
    let mut source = good_source();
    source["tags"] = json!(vec![json!(1); 20_000]);
    let world = with_source(source, &[]);
    let checked = world.json(&["check"], 1);
    let listed = checked["errors"].as_array().unwrap();
    let last = listed.iter().find(|it| it["code"] == "too-many-problems").unwrap();
    // One more problem reports that further items were not checked, since only ten thousand are.
    assert_eq!((listed.len(), &last["message"]), (101, &json!("9,901 more problems are not listed")));
    check_good_source(&world);
}

/// With a quadratic algorithm, each of these would exceed the time limit of a run.
#[test]
fn many_problems_of_one_object_or_line_are_found_in_one_pass() {
    let members = || (0..12_000).map(|at| (format!("key-{at}"), json!(1))).collect::<serde_json::Map<String, Value>>();
    let mut unknown = members();
    unknown.insert("sources".to_owned(), json!([good_source()]));
    let mut source = members();
    source.extend(inline("many", "text").as_object().unwrap().clone());
    let wrong = vec![json!(1); 12_000];
    let mut one_line: Vec<Value> = (0..15_000)
        .map(|at| json!({"id": format!("s{at}"), "name": "s", "type": "inline", "content": "é", "nam": 1}))
        .collect();
    one_line.push(good_source());
    let picks: Vec<String> = (0..25_000).map(|at| format!("none-{at}")).collect();
    for (what, document) in [
        ("unknown keys", Value::Object(unknown)),
        ("unknown keys of a source", json!({"sources": [good_source(), source]})),
        ("headers", json!({"sources": [good_source()], "channel": {"type": "webhook", "headers": members()}})),
        ("rules", json!({"sources": [good_source()], "approval": members()})),
        ("items", json!({"sources": [good_source()], "preselected": wrong})),
        ("picks", json!({"sources": [good_source()], "preselected": picks})),
        ("one line", json!({"sources": one_line})),
    ] {
        let world = Workspace::new();
        world.put("references.json", document.to_string().as_bytes());
        let listed = world.run(&["--format", "json", "list"]).exits(0);
        assert!(ids(&listed.json()["sources"]).contains(&"kept".to_owned()), "{what}: {listed}");
    }
}

/// With a quadratic algorithm, this would exceed the time limit of a run.
#[test]
fn very_many_unknown_picks_are_found_in_one_pass_and_limited() {
    let picks: Vec<String> = (0..scaled(60_000, 400_000)).map(|at| format!("none-{at}")).collect();
    let world = Workspace::new();
    world.put("references.json", json!({"sources": [good_source()], "preselected": picks}).to_string().as_bytes());
    let checked = world.json(&["check"], 1);
    assert_eq!((&checked["errors"][0]["code"], &checked["errors"][1]), (&json!("too-many"), &Value::Null));
    let warnings = checked["warnings"].as_array().unwrap();
    let of_picks: Vec<&Value> = warnings.iter().filter(|it| it["code"] == "unknown-id").collect();
    assert_eq!((of_picks.len(), &of_picks[0]["line"]), (10_000, &json!(1)));
}

/// A sparse file reports any size without using disk space.
#[test]
fn a_file_of_hundreds_of_gigabytes_is_not_read() {
    for place in ["references.json", ".jaato/references/x.json"] {
        let world = discovered();
        world.put(place, b"{}");
        File::options().write(true).open(world.path.join(place)).unwrap().set_len(300 << 30).unwrap();
        assert_eq!(codes(&world), ["unreadable"], "{place}");
        let checked = world.run(&["check"]);
        assert!(checked.text().contains(" MiB"), "{checked}");
        check_good_source(&world);
    }
}

#[test]
fn approval_rules_that_are_too_much_are_named_and_no_write_passes_unasked() {
    let deep = format!("{}b{}", "{a,".repeat(125), "}".repeat(125));
    let many: serde_json::Map<String, Value> =
        (0..5_000).map(|nth| (format!("a{nth}/**/{{b,c}}/*"), json!("ask"))).collect();
    for (rules, code) in [
        (json!({ deep: "deny" }), "bad-glob"),
        (json!({ "*a".repeat(100_000): "ask" }), "bad-glob"),
        (Value::Object(many), "too-many"),
    ] {
        let world = discovered();
        world.put("references.json", json!({"sources": [], "approval": rules}).to_string().as_bytes());
        assert_eq!(codes(&world), [code]);
        check_good_source(&world);
    }
}
