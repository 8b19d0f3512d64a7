//! The house in order: rooms import only from floors below their own, every folder of `src/` is on the map, the program's
//! entry stays thin, and the README lists every command. These read the sources, so that no reviewer has to.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use clap::CommandFactory;
use refdesk::FLOORS;

fn here() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Every Rust file below `src/`.
fn sources() -> Vec<PathBuf> {
    let mut open = vec![here().join("src")];
    let mut found = Vec::new();
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                open.push(path);
            } else if path.extension().is_some_and(|ending| ending == "rs") {
                found.push(path);
            }
        }
    }
    found.sort();
    assert!(found.len() > 50, "the sources are there");
    found
}

/// The room a file belongs to; `None` for `lib.rs` and `main.rs`.
fn room_of(file: &Path) -> Option<String> {
    let inside = file.strip_prefix(here().join("src")).unwrap();
    let first = inside.components().next().unwrap().as_os_str().to_str().unwrap();
    (inside.components().count() > 1).then(|| first.to_owned())
}

fn floor_of(room: &str) -> Option<u8> {
    FLOORS.iter().find(|(name, _)| *name == room).map(|(_, floor)| *floor)
}

/// The code of a file: comments and literals are blanked, so that a word in them is no import. Line breaks stay.
fn code(text: &str) -> String {
    let mut kept = String::with_capacity(text.len());
    let mut at = 0;
    while at < text.len() {
        let rest = &text[at..];
        let skip = if rest.starts_with("//") {
            rest.find('\n').unwrap_or(rest.len())
        } else if rest.starts_with("/*") {
            rest.find("*/").map_or(rest.len(), |end| end + 2)
        } else if let Some(length) = raw_string(text, at) {
            length
        } else if rest.starts_with('"') {
            string(rest)
        } else if rest.starts_with('\'') {
            character(rest)
        } else {
            0
        };
        if skip > 0 {
            kept.extend(rest[..skip].chars().map(|c| if c == '\n' { '\n' } else { ' ' }));
            at += skip;
        } else {
            let c = rest.chars().next().unwrap();
            kept.push(c);
            at += c.len_utf8();
        }
    }
    kept
}

fn raw_string(text: &str, at: usize) -> Option<usize> {
    let before = text[..at].chars().next_back();
    if before.is_some_and(|c| c.is_alphanumeric() || c == '_') && before != Some('b') {
        return None;
    }
    let rest = text[at..].strip_prefix('r')?;
    let hashes = rest.len() - rest.trim_start_matches('#').len();
    let body = rest[hashes..].strip_prefix('"')?;
    let close = format!("\"{}", "#".repeat(hashes));
    Some(1 + hashes + 1 + body.find(&close)? + close.len())
}

fn string(rest: &str) -> usize {
    let mut escaped = false;
    for (at, c) in rest.char_indices().skip(1) {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '"' => return at + 1,
            _ => {}
        }
    }
    rest.len()
}

/// The length of a character literal; 0 for a lifetime.
fn character(rest: &str) -> usize {
    let mut chars = rest.char_indices().skip(1);
    match chars.next() {
        Some((_, '\\')) => rest[2..].char_indices().skip(1).find(|(_, c)| *c == '\'').map_or(0, |(at, _)| at + 3),
        Some((at, c)) if rest[at + c.len_utf8()..].starts_with('\'') => at + c.len_utf8() + 1,
        _ => 0,
    }
}

/// Every room that a code names: `crate::room…`, `crate::{room::…, room}`, `super::…` that climbs out of the room.
fn rooms_named(code: &str) -> BTreeSet<(String, String)> {
    let mut found = BTreeSet::new();
    for (at, _) in code.match_indices("crate::") {
        if code[..at].chars().next_back().is_some_and(|c| c.is_alphanumeric() || c == '_' || c == ':') {
            continue;
        }
        let rest = &code[at + "crate::".len()..];
        if let Some(group) = rest.strip_prefix('{') {
            for part in top_level_parts(group) {
                found.insert((word(part.trim()), part.trim().to_owned()));
            }
        } else {
            let path: String = rest.chars().take_while(|c| c.is_alphanumeric() || matches!(c, '_' | ':')).collect();
            found.insert((word(&path), path));
        }
    }
    found
}

fn word(path: &str) -> String {
    path.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect()
}

/// The parts of `a::{b, c}, d}…`, up to the closing brace.
fn top_level_parts(group: &str) -> Vec<&str> {
    let (mut parts, mut depth, mut from) = (Vec::new(), 0, 0);
    for (at, c) in group.char_indices() {
        match c {
            '{' => depth += 1,
            '}' if depth == 0 => {
                parts.push(&group[from..at]);
                break;
            }
            '}' => depth -= 1,
            ',' if depth == 0 => {
                parts.push(&group[from..at]);
                from = at + 1;
            }
            _ => {}
        }
    }
    parts.into_iter().filter(|part| !part.trim().is_empty()).collect()
}

#[test]
fn the_reader_of_imports_sees_every_form() {
    for (text, expected) in [
        ("use crate::text::escape::visible;", vec!["text"]),
        ("use crate::{disk, report::{Diagnostic, locate}, text::fold};", vec!["disk", "report", "text"]),
        ("fn f() -> crate::catalog::Mode { crate::cli::run() }", vec!["catalog", "cli"]),
        ("// crate::tui\n/* crate::tui */ let a = \"crate::tui\"; let b = r#\"crate::tui\"#;", vec![]),
        ("let c = '\"'; use crate::desk;", vec!["desk"]),
        ("let c = '\\''; fn f<'a>(x: &'a crate::mention::Via) {}", vec!["mention"]),
    ] {
        let found: Vec<String> = rooms_named(&code(text)).into_iter().map(|(room, _)| room).collect();
        assert_eq!(found, expected, "{text}");
    }
}

#[test]
fn rooms_import_only_from_floors_below() {
    let mut wrong = Vec::new();
    for file in sources() {
        let Some(room) = room_of(&file) else { continue };
        let Some(floor) = floor_of(&room) else { continue };
        for (named, path) in rooms_named(&code(&fs::read_to_string(&file).unwrap())) {
            let below = floor_of(&named).is_some_and(|other| other < floor);
            // The one room that lends something to tests: catalogs made in a line.
            let lent = path.starts_with("catalog::testing");
            if named != room && !below && !lent {
                wrong.push(format!("{}: `{room}` (floor {floor}) imports crate::{path}", file.display()));
            }
        }
    }
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}

#[test]
fn only_the_upper_floors_log() {
    for file in sources() {
        let floor = room_of(&file).and_then(|room| floor_of(&room));
        let logs = code(&fs::read_to_string(&file).unwrap()).contains("tracing");
        assert!(!logs || floor.is_some_and(|floor| floor >= 10), "{} logs", file.display());
    }
}

#[test]
fn every_room_is_on_the_map_and_every_floor_has_its_room() {
    let mut rooms: Vec<String> = fs::read_dir(here().join("src"))
        .unwrap()
        .map(|entry| entry.unwrap())
        .filter(|entry| entry.path().is_dir())
        .map(|entry| entry.file_name().into_string().unwrap())
        .collect();
    rooms.sort();
    let mut floors: Vec<&str> = FLOORS.iter().map(|(room, _)| *room).collect();
    assert!(FLOORS.is_sorted_by_key(|(_, floor)| *floor), "the map goes from below to above");
    floors.sort_unstable();
    assert_eq!(rooms, floors);
    let map = fs::read_to_string(here().join("src/lib.rs")).unwrap();
    for (room, floor) in FLOORS {
        assert!(
            map.contains(&format!("//! | {floor} | [`{room}`] |")),
            "the map of lib.rs lacks {room} on floor {floor}"
        );
    }
}

#[test]
fn every_file_says_what_it_is_and_nothing_is_left_undone() {
    for file in sources() {
        let text = fs::read_to_string(&file).unwrap();
        assert!(text.starts_with("//! "), "{} does not say what it is", file.display());
        let code = code(&text);
        for undone in ["todo!(", "unimplemented!(", "#[ignore", "thread::sleep"] {
            assert!(!code.contains(undone), "{}: {undone}", file.display());
        }
    }
}

#[test]
fn the_entry_is_thin() {
    let lines = fs::read_to_string(here().join("src/main.rs")).unwrap().lines().count();
    assert!(lines < 60, "main.rs has {lines} lines");
}

#[test]
fn the_readme_lists_exactly_the_commands_there_are() {
    let readme = fs::read_to_string(here().join("README.md")).unwrap();
    let table = readme.split("\n## Commands\n").nth(1).expect("a section of commands").split("\n## ").next().unwrap();
    let rows = table.lines().filter_map(|line| line.strip_prefix("| `"));
    let mut listed: Vec<&str> = rows.filter_map(|row| row.split([' ', '`']).next()).collect();
    let program = refdesk::cli::Arguments::command();
    let mut commands: Vec<&str> = program.get_subcommands().map(clap::Command::get_name).collect();
    listed.sort_unstable();
    commands.sort_unstable();
    assert_eq!(listed, commands);
}
