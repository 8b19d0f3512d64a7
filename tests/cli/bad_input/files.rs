//! Documents and templates with invalid bytes are read as far as possible, and reported otherwise.

use serde_json::json;

use super::codes;
use crate::support::workspace::{Workspace, ids, inline};
use refdesk_files::scale::scaled;

fn with_document(bytes: &[u8]) -> Workspace {
    let world = Workspace::of(json!([{"id": "doc", "name": "D", "path": "docs/d.md"}, inline("kept", "")]), &[]);
    world.put("docs/d.md", bytes);
    world
}

#[test]
fn documents_in_odd_encodings_still_mention() {
    let utf16: Vec<u8> = "\u{feff}see kept".encode_utf16().flat_map(u16::to_le_bytes).collect();
    let half = [b"\xff".repeat(100), b" see kept ".to_vec()].concat();
    let deep = format!("{} kept", "> ".repeat(50_000));
    let brackets = format!("{} kept", "[".repeat(100_000));
    for (what, bytes, mentions, found) in [
        ("a byte order mark", b"\xef\xbb\xbfkept".to_vec(), true, vec![]),
        ("CRLF", b"see\r\nkept\r\n".to_vec(), true, vec![]),
        ("old Mac line ends", b"see\rkept\r".to_vec(), true, vec![]),
        ("Latin-1", b"caf\xe9, and a lot more text beside it: kept".to_vec(), true, vec![]),
        ("mostly rubbish", half, true, vec!["not-utf8"]),
        ("UTF-16", utf16, false, vec!["not-utf8"]),
        ("zero bytes", [vec![0; 1000], b" kept".to_vec()].concat(), true, vec![]),
        ("escape sequences", b"\x1b[2Jkept\x1b[0m".to_vec(), false, vec![]),
        ("quotes 50,000 deep", deep.into_bytes(), true, vec![]),
        ("brackets 100,000 deep", brackets.into_bytes(), true, vec![]),
        ("one line of 10 MB", [b"x ".repeat(5_000_000), b"kept".to_vec()].concat(), true, vec![]),
        ("empty", vec![], false, vec![]),
    ] {
        let world = with_document(&bytes);
        let brought = ids(&world.json(&["select", "doc"], 0)["sources"]).len() == 2;
        if what != "escape sequences" {
            assert_eq!(brought, mentions, "{what}");
            assert_eq!(codes(&world), found, "{what}");
        }
        for words in [&["instructions"][..], &["list"], &["graph"], &["why", "doc"]] {
            let ran = world.run(words).exits(0);
            assert!(!ran.stdout.contains(&0x1b) && !ran.stdout.contains(&0), "{what}: {ran}");
        }
    }
}

#[test]
fn templates_with_odd_bytes_do_not_affect_others() {
    let world =
        Workspace::of(json!([{"id": "kit", "name": "K", "path": "kit"}]), &[("kit/good.txt.tpl", "{{ name }}")]);
    let many = scaled(10_000, 50_000);
    let open = "{% if a %}".repeat(many);
    let sections = "{{#a}}".repeat(many);
    let odd: Vec<(&str, Vec<u8>)> = vec![
        ("rubbish.tpl", b"\xff\xfe{{ x }}".to_vec()),
        ("zero.tpl", vec![0; 4096]),
        ("empty.tpl", vec![]),
        ("ifs.tpl", open.into_bytes()),
        ("sections.tpl", sections.into_bytes()),
        ("parentheses.tpl", format!("{{{{ {}a{} }}}}", "(".repeat(many), ")".repeat(many)).into_bytes()),
        ("tildes.tpl", format!("{{{{ a{} }}}}", "~a".repeat(many)).into_bytes()),
        ("large.tpl", b"{{ x }} ".repeat(300_000)),
        ("open.tpl", b"{{ never".to_vec()),
        ("name\nwith\x1b[31m.tpl", b"{{ x }}".to_vec()),
    ];
    for (name, bytes) in &odd {
        world.put(&format!("kit/{name}"), bytes);
    }
    std::fs::create_dir(world.path.join("kit/folder.tpl")).unwrap();
    world.run(&["select", "kit"]).exits(0);
    let ran = world.run(&["templates"]).exits(0);
    assert!(ran.text().contains("good.txt.tpl") && !ran.stdout.contains(&0x1b), "{ran}");
    assert_eq!(world.run(&["render", "good.txt.tpl", "--var", "name=x"]).exits(0).text(), "x");
    for (name, _) in &odd {
        for words in [
            &["templates", "show", name][..],
            &["templates", "variables", name],
            &["render", name, "--var", "x=1", "--var", "a=1"],
        ] {
            let ran = world.run(&[&["--format", "json"], words].concat());
            assert!(ran.code <= 1, "{ran}");
            let _ = ran.json();
        }
    }
    let _ = world.run(&["check"]);
}
