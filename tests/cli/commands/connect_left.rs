//! The next `connect` or `disconnect` cleans up after a killed one: records of changes that were never written,
//! temporary files, empty folders.

use std::fs;

use super::tagged;
use crate::support::workspace::Workspace;

const SETTINGS: &str = ".claude/settings.json";

const RECORDS: &str = ".jaato/refdesk/connected";

/// The file names in the folder of records.
fn records(world: &Workspace) -> Vec<String> {
    let entries = fs::read_dir(world.path.join(RECORDS)).unwrap();
    let mut names: Vec<String> = entries.map(|it| it.unwrap().file_name().into_string().unwrap()).collect();
    names.retain(|name| name != "lock");
    names.sort();
    names
}

#[test]
fn a_record_of_an_unwritten_change_has_no_effect() {
    for (agent, file, before) in [
        (
            "claude-code",
            SETTINGS,
            "{\n  // mine\n  \"hooks\": {\"SessionStart\": [{\"hooks\": [{\"type\": \"command\", \"command\": \"refdesk hook claude-code --desk my\", \"timeout\": 33}]}]},\n  \"x\": 1\n}\n",
        ),
        (
            "claude-code",
            ".mcp.json",
            "{\"mcpServers\": {\"refdesk\": {\"command\": \"refdesk\", \"args\": [\"--desk\",\"q\",\"mcp\"]}, \"o\": {\"command\":\"o\"}}}",
        ),
        (
            "gemini-cli",
            ".gemini/settings.json",
            "\u{feff}{\"mcpServers\": {\"refdesk\": {\"command\": \"refdesk\", \"args\": [\"--desk\",\"q\",\"mcp\"]}}, \"a\":1}",
        ),
        (
            "codex",
            ".codex/config.toml",
            "[mcp_servers.refdesk]\ncommand = \"refdesk\" # mine\nargs = [\"--desk\", \"q\", \"mcp\"]\n",
        ),
    ] {
        // Each record is stored before its file is written.
        for words in [&["disconnect"][..], &["connect", "disconnect"]] {
            let world = tagged();
            world.put(file, before.as_bytes());
            world.run(&["connect", agent, "--yes"]).exits(0);
            assert_ne!(world.read(file), before, "{agent}");
            world.put(file, before.as_bytes());
            words.iter().for_each(|word| drop(world.run(&[word, agent, "--yes"]).exits(0)));
            assert_eq!((world.read(file).as_str(), records(&world)), (before, Vec::new()), "{agent} {words:?}");
        }
    }
}

#[test]
fn created_folders_are_removed_after_a_kill() {
    for (agent, files) in [
        ("claude-code", &[SETTINGS][..]),
        ("codex", &[".codex/hooks.json", ".codex/config.toml"]),
        ("cursor", &[".cursor/hooks.json", ".cursor/mcp.json"]),
    ] {
        for words in [&["disconnect"][..], &["connect", "disconnect"]] {
            let world = tagged();
            world.run(&["connect", agent, "--yes"]).exits(0);
            files.iter().for_each(|file| fs::remove_file(world.path.join(file)).unwrap());
            let folder = files[0].split('/').next().unwrap();
            world.put(&format!("{folder}/.refdesk-0123456789abcdef.tmp"), b"x");
            words.iter().for_each(|word| drop(world.run(&[word, agent, "--yes"]).exits(0)));
            let is_there = world.path.join(folder).exists();
            assert_eq!((is_there, records(&world)), (false, Vec::new()), "{agent} {words:?}");
        }
    }
    // A folder stays if it has other content or if the user created it.
    for is_own in [true, false] {
        let world = tagged();
        let folder = world.path.join(".claude");
        if is_own {
            fs::create_dir(&folder).unwrap();
        }
        world.run(&["connect", "claude-code", "--yes"]).exits(0);
        fs::remove_file(world.path.join(SETTINGS)).unwrap();
        if !is_own {
            world.put(".claude/mine", b"x");
        }
        world.run(&["disconnect", "claude-code", "--yes"]).exits(0);
        assert!(folder.exists(), "{is_own}");
    }
}

#[test]
fn temporary_files_among_the_records_are_removed() {
    let world = tagged();
    world.run(&["connect", "claude-code", "--yes"]).exits(0);
    for words in [["disconnect", "claude-code", "--yes"], ["connect", "claude-code", "--yes"]] {
        world.put(&format!("{RECORDS}/.refdesk-0123456789abcdef.tmp"), b"x");
        world.run(&words).exits(0);
        assert!(!records(&world).iter().any(|name| name.ends_with(".tmp")), "{words:?} {:?}", records(&world));
    }
}
