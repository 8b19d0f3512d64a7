//! A hook uses the workspace of the folder in which the agent works. Without one, it adds nothing and leaves no files.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use super::{HINT, added, answered, hook, of, prompt, world};
use crate::support::workspace::Workspace;

#[test]
fn the_documents_folder_finds_the_workspace() {
    let world = world();
    for folder in [".jaato", "deep/er"] {
        fs::create_dir_all(world.path.join(folder)).unwrap();
    }
    std::os::unix::fs::symlink(world.path.join("deep"), world.beside("home/link")).unwrap();
    let (deep, link, there) = (world.path.join("deep/er"), world.beside("home/link/er"), world.beside("home"));
    for (at, (cwd, from)) in [
        (json!(world.path), &there),
        (json!(deep), &there),
        (json!(link), &there),
        (json!(world.path.join("deep/er/../..")), &there),
        (json!("er"), &world.path.join("deep")),
        (json!("."), &deep),
        (json!(null), &deep),
        (json!(""), &deep),
    ]
    .into_iter()
    .enumerate()
    {
        let mut document = prompt(&format!("s{at}"), &world.path, "the web");
        document["cwd"] = cwd.clone();
        let mut command = hook(&world, &["claude-code"]);
        let answer = answered(command.current_dir(from), document.to_string().as_bytes());
        assert_eq!(answer["hookSpecificOutput"]["additionalContext"], HINT, "{cwd}");
    }
}

#[test]
fn of_several_folders_the_first_with_a_workspace_counts() {
    let world = world();
    let (other, gone) = (world.beside("tmp"), world.beside("gone"));
    for (roots, expected) in [
        (json!([other, gone, world.path, other]), HINT),
        (json!([other, gone]), ""),
        (json!([]), HINT),
        (json!([7, ""]), ""),
    ] {
        let document = json!({"conversation_id": roots.to_string(), "workspace_roots": roots, "cwd": world.path,
                              "hook_event_name": "postToolUse", "tool_name": "Shell", "tool_output": "on the web"});
        let mut command = hook(&world, &["cursor"]);
        let answer = answered(command.current_dir(&other), document.to_string().as_bytes());
        assert_eq!(answer["additional_context"].as_str().unwrap_or_default(), expected, "{roots}");
    }
}

#[test]
fn an_invalid_folder_adds_nothing() {
    let world = world();
    world.put("file", b"");
    for cwd in ["/nowhere/at/all", "nowhere", "file", "\0", "/dev/null", &"x/".repeat(10_000)] {
        assert_eq!(added(&world, &prompt("s", Path::new(cwd), "the web")), "", "{cwd:.40}");
    }
    // With an explicit workspace, the folder does not matter.
    let document = prompt("s", Path::new("/nowhere/at/all"), "the web").to_string();
    let answer = answered(&mut world.command(&["hook", "claude-code"]), document.as_bytes());
    assert_eq!(answer["hookSpecificOutput"]["additionalContext"], HINT);
}

#[test]
fn the_current_folder_may_be_gone() {
    let world = world();
    let gone = world.beside("tmp/gone");
    fs::create_dir(&gone).unwrap();
    let mut shell = std::process::Command::new("sh");
    let words = format!(
        "cd '{0}' && rmdir '{0}' && exec '{1}' hook claude-code",
        gone.display(),
        crate::support::program::PROGRAM
    );
    shell
        .args(["-c", &words])
        .env_clear()
        .env("HOME", world.beside("home"))
        .env("PATH", std::env::var_os("PATH").unwrap());
    let answer = answered(&mut shell, prompt("s", &world.path, "the web").to_string().as_bytes());
    assert_eq!(answer["hookSpecificOutput"]["additionalContext"], HINT);
    fs::create_dir(&gone).unwrap();
    let mut document = prompt("s", &world.path, "the web");
    document.as_object_mut().unwrap().remove("cwd");
    assert_eq!(answered(&mut shell, document.to_string().as_bytes()), json!({}));
}

#[test]
fn a_folder_without_a_catalog_is_left_unchanged() {
    for files in [&[][..], &[("src/main.rs", "fn main() {}")]] {
        let world = Workspace::with(files);
        let before = world.listing();
        let mut tool = of("s", &world.path, "PostToolUse");
        tool["tool_response"] = json!("the web and @near");
        let start = |source: &str| -> Value {
            let mut document = of("s", &world.path, "SessionStart");
            document["source"] = json!(source);
            document
        };
        let said = prompt("s", &world.path, "the web and @near");
        let broken = json!({"cwd": world.path, "hook_event_name": "UserPromptSubmit", "prompt": 7});
        for document in [start("startup"), start("clear"), start("compact"), said, tool, broken] {
            assert_eq!(added(&world, &document), "", "{document}");
        }
        answered(&mut hook(&world, &["nobody"]), b"");
        answered(&mut hook(&world, &["claude-code"]), b"rubbish");
        assert_eq!(world.listing(), before);
        assert!(!world.path.join(".jaato").exists());
    }
}

#[test]
fn an_empty_catalog_leaves_nothing_behind() {
    let world = world();
    let before = world.listing();
    assert_eq!(added(&world, &prompt("s", &world.path, "nothing of it")), "");
    assert_eq!(world.listing(), before);
}
