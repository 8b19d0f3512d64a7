//! Rules for the source code that the compiler does not check: the three faces do not use each other, only the layers
//! that run the desk log, every file has a description, and the entry point stays small.

use std::fs;
use std::path::{Path, PathBuf};

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Every Rust file below this folder, sorted by path.
fn sources(folder: &str) -> Vec<PathBuf> {
    let mut open = vec![root().join(folder)];
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
    found
}

/// The lines of a file that are not comments.
fn code(file: &Path) -> String {
    let text = fs::read_to_string(file).unwrap();
    text.lines().filter(|line| !line.trim_start().starts_with("//")).collect::<Vec<_>>().join("\n")
}

#[test]
fn the_faces_do_not_depend_on_each_other() {
    let faces = ["cli", "plain", "tui"];
    for face in faces.iter().chain(&["common"]) {
        let files = sources(&format!("src/{face}"));
        assert!(files.len() > 10, "{face} has {} files", files.len());
        for file in files {
            let code = code(&file);
            for other in faces.iter().filter(|other| *other != face).map(|other| format!("crate::{other}")) {
                assert!(!code.contains(&other), "{} uses {other}", file.display());
            }
        }
    }
}

#[test]
fn pure_crates_do_not_log() {
    for name in ["text", "files", "core", "discover", "templates", "database", "enrich"] {
        let manifest = fs::read_to_string(root().join(format!("crates/{name}/Cargo.toml"))).unwrap();
        for runs in ["tracing", "tokio", "ratatui", "crossterm", "ureq", "hyper"] {
            assert!(!manifest.contains(runs), "crates/{name} depends on {runs}");
        }
    }
}

#[test]
fn tools_do_not_depend_on_a_transport() {
    let manifest = fs::read_to_string(root().join("crates/tools/Cargo.toml")).unwrap();
    for transport in ["rmcp", "hyper", "refdesk-mcp"] {
        assert!(!manifest.contains(transport), "crates/tools depends on {transport}");
    }
}

/// Files with texts for agents, which name commands and tools (BEHAVIOUR §5).
const TOLD_TO_AGENTS: [&str; 3] =
    ["crates/enrich/src/print.rs", "crates/enrich/src/instructions.rs", "crates/enrich/src/contents.rs"];

#[test]
fn no_message_below_the_faces_names_a_command_a_key_or_a_tool() {
    let named = regex::Regex::new(concat!(
        "`refdesk|--(allow-outside|overwrite|repeat|id|name|tag|file)\\b|(press|Press) [a-zA-Z!?/]\\b|",
        "\\b(selectReferences|listReferences|readReference|renderTemplate|renderTemplateToFile|",
        "listExtractedTemplates|listTemplateVariables|search_documents)\\b"
    ))
    .unwrap();
    let literal = regex::Regex::new(r#""(?:[^"\\]|\\.)*""#).unwrap();
    for name in ["text", "files", "core", "discover", "templates", "database", "enrich", "desk"] {
        for file in sources(&format!("crates/{name}/src")) {
            let shown = file.strip_prefix(root()).unwrap().display().to_string();
            let is_test = shown.ends_with("tests.rs") || shown.contains("/tests/") || shown.ends_with("testing.rs");
            if is_test || TOLD_TO_AGENTS.contains(&shown.as_str()) {
                continue;
            }
            let code = code(&file);
            let code = code.split("#[cfg(test)]\nmod ").next().unwrap();
            // A sentence contains a blank. A bare name is a key of a file or of a protocol.
            let sentences = literal.find_iter(code).map(|it| it.as_str()).filter(|text| text.contains(' '));
            let wrong: Vec<&str> = sentences.filter(|text| named.is_match(text)).collect();
            assert!(wrong.is_empty(), "{shown}: {wrong:?}");
        }
    }
}

#[test]
fn every_file_has_a_description_and_no_unfinished_marks() {
    for file in sources("src").into_iter().chain(sources("crates")) {
        let text = fs::read_to_string(&file).unwrap();
        assert!(text.starts_with("//! "), "{} does not say what it is", file.display());
        let code = code(&file);
        for undone in ["todo!(", "unimplemented!(", "#[ignore", "thread::sleep"] {
            assert!(!code.contains(undone), "{}: {undone}", file.display());
        }
    }
}

#[test]
fn the_entry_point_is_small() {
    let lines = fs::read_to_string(root().join("src/main.rs")).unwrap().lines().count();
    assert!(lines < 60, "main.rs has {lines} lines");
}
