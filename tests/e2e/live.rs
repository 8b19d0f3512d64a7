//! The screen shows changes in the workspace without a key.

use portable_pty::CommandBuilder;
use serde_json::json;

use crate::support::pty::Pty;
use crate::support::workspace::Workspace;

#[test]
fn an_edit_pulls_a_source_in_and_a_broken_catalog_keeps_the_old_one() {
    let sources = json!([
        {"id": "first-source", "name": "First", "path": "first.md"},
        {"id": "second-source", "name": "Second", "path": "second.md"},
    ]);
    let workspace = Workspace::of(sources.clone(), &[("first.md", "alone\n"), ("second.md", "alone\n")]);
    workspace.run(&["select", "first-source"]).exits(0);
    let mut command = CommandBuilder::new(env!("CARGO_BIN_EXE_refdesk"));
    command.args(["--workspace".as_ref(), workspace.path.as_os_str()]);
    command.env("HOME", workspace.beside("home"));
    let mut pty = Pty::spawn(command, 120, 36);
    pty.wait_for("2 sources");
    pty.wait_for("1 picked");
    pty.wait_until_quiet();

    workspace.put("first.md", b"alone\n\nSee @second-source.\n");
    pty.wait_for("@first-source now mentions @second-source: pulled in");
    workspace.put("first.md", b"alone\n");
    pty.wait_until("second-source gone again", |seen| !seen.text().contains("1 pulled in"));

    workspace.put("references.json", b"{ \"sources\": [");
    pty.wait_for("1 error");
    pty.wait_for("2 sources");
    workspace.configure(json!({"version": "1.0", "sources": [sources[1]]}));
    pty.wait_for("1 source");
    pty.type_bytes("q");
    assert_eq!(pty.wait_for_exit().exit_code(), 0);
}

#[test]
fn the_header_counts_what_check_finds() {
    let sources = json!([
        {"id": "first", "name": "First", "path": "first.md", "tags": ["one"]},
        {"id": "hidden", "name": "Hidden", "path": "hidden.md"},
        {"id": "gone", "name": "Gone", "path": "gone.md", "tags": ["two"]},
        {"id": "outside", "name": "Outside", "path": "/etc/hostname", "tags": ["three"]},
    ]);
    let workspace = Workspace::of(
        sources,
        &[
            ("first.md", "See [another](missing.md).\n"),
            ("hidden.md", "Nothing brings it up.\n"),
            (".jaato/profiles/p.json", r#"{"plugin_configs": {"references": {"preselected": ["nobody"]}}}"#),
            (".jaato/profiles/q.json", "{"),
            (".jaato/databases.yaml", "databases: [{name: Not a name, type: sqlite, connection: {file: a.db}}]\n"),
        ],
    );
    let mut pty = Pty::start_at(&workspace.beside("home"), &["--workspace", workspace.path.to_str().unwrap()], 120, 36);
    for change in [None, Some("first.md")] {
        if let Some(file) = change {
            workspace.put(file, b"See [another](missing.md) and [one more](lost.md).\n");
        }
        let checked = workspace.run(&["check", "--format", "json"]).exits(1).json();
        assert!(checked["errors"].to_string().contains(".jaato/databases.yaml"), "{checked}");
        let count = |what: &str| checked[what].as_array().unwrap().len();
        let (errors, warnings) = (count("errors"), count("warnings"));
        assert!(errors >= 1 && warnings >= 5, "{checked}");
        let s = |count: usize| if count == 1 { "" } else { "s" };
        pty.wait_for(&format!("{errors} error{}  {warnings} warning{}", s(errors), s(warnings)));
    }
    pty.type_bytes("q");
    assert_eq!(pty.wait_for_exit().exit_code(), 0);
}
