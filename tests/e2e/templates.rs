//! From a template to a file in a real terminal: found, filled in, reviewed, written; and what can go wrong.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use portable_pty::CommandBuilder;
use serde_json::json;

use crate::support::pty::Pty;
use crate::support::workspace::Workspace;

const ENTITY: &str = "// Output: src/{{ Name }}.java\npackage {{ package }};\n\npublic class {{ Name }} {\n\
    {% for field in fields %}    private String {{ field.name }};\n{% endfor %}}\n";

fn workspace() -> Workspace {
    Workspace::of(
        json!([{"id": "java", "name": "Java", "path": "java", "mode": "selectable"}]),
        &[
            ("java/Entity.java.tpl", ENTITY),
            ("java/Other.java.tpl", "class {{ Other }} {}\n"),
            ("java/README.md", "# J\n"),
        ],
    )
}

fn open(workspace: &Workspace, editor: &str) -> Pty {
    let mut command = CommandBuilder::new(env!("CARGO_BIN_EXE_refdesk"));
    command.args(["--workspace".as_ref(), workspace.path.as_os_str()]);
    command.env("HOME", workspace.beside("home"));
    command.env("TMPDIR", workspace.beside("tmp"));
    command.env_remove("VISUAL");
    command.env("EDITOR", editor);
    let pty = Pty::spawn(command, 120, 36);
    pty.wait_for("1 source");
    pty
}

/// Picks the source and goes to the entity template.
fn at_the_entity(pty: &mut Pty) {
    pty.wait_for("java");
    pty.type_bytes(" ");
    pty.wait_for("4 Templates 2");
    pty.type_bytes("4/entity\r");
    pty.wait_for("1 of 2");
    pty.wait_for("public class ‹Name› {");
}

fn quit(mut pty: Pty) {
    pty.type_bytes("\x03");
    assert_eq!(pty.wait_for_exit().exit_code(), 0);
}

#[test]
fn from_a_pick_to_a_file() {
    let workspace = workspace();
    let mut pty = open(&workspace, "false");
    at_the_entity(&mut pty);
    // The name, the first field's name, a second field's name, and the package.
    pty.type_bytes("\rOrder\rid\x0fat\rorg.shop\r");
    pty.wait_for("private String at;");
    pty.wait_for("package org.shop;");
    let is_coloured = |seen: &crate::support::pty::Seen| {
        let screen = seen.terminal.screen();
        let (rows, columns) = screen.size();
        let cells = (0..rows).flat_map(|row| (0..columns).filter_map(move |column| screen.cell(row, column)));
        let letters: String =
            cells.filter(|cell| cell.fgcolor() == vt100::Color::Idx(141)).map(vt100::Cell::contents).collect();
        letters.replace(' ', "").contains("publicclass")
    };
    pty.wait_until("the keywords in their colour", is_coloured);
    pty.type_bytes("v");
    pty.wait_for("+++ b/src/Order.java");
    pty.wait_for(", +7 −0");
    pty.type_bytes("w");
    pty.wait_for("Path src/Order.java");
    pty.wait_for("write the new file");
    pty.type_bytes("\r");
    pty.wait_for("Wrote src/Order.java");
    let expected = "// Output: src/Order.java\npackage org.shop;\n\npublic class Order {\n    private String id;\n    \
        private String at;\n}\n";
    assert_eq!(workspace.read("src/Order.java"), expected);
    pty.wait_for("unchanged");
    pty.wait_for("holds this text.");
    quit(pty);
}

#[test]
fn a_file_that_changed_after_it_was_shown_is_not_overwritten() {
    let workspace = workspace();
    workspace.put("src/Order.java", b"mine\n");
    let mut pty = open(&workspace, "false");
    at_the_entity(&mut pty);
    pty.type_bytes("\rOrder\rid\rorg.shop\r");
    pty.wait_for("package org.shop;");
    pty.type_bytes("w");
    pty.wait_for("OVERWRITE the file");
    workspace.put("src/Order.java", b"mine, and more\n");
    pty.type_bytes("\r");
    pty.wait_for("Nothing was written");
    pty.wait_for("-mine, and more");
    assert_eq!(workspace.read("src/Order.java"), "mine, and more\n");
    pty.type_bytes("\r");
    pty.wait_for("Overwrote src/Order.java");
    assert!(workspace.read("src/Order.java").contains("public class Order {"));
    quit(pty);
}

#[test]
fn a_path_outside_is_refused_while_it_is_typed() {
    let workspace = workspace();
    let mut pty = open(&workspace, "false");
    at_the_entity(&mut pty);
    pty.type_bytes("w");
    pty.wait_for("Path src/");
    pty.type_bytes("\x15../outside.java");
    pty.wait_for("outside the workspace");
    pty.type_bytes("\r\x03");
    assert_eq!(pty.wait_for_exit().exit_code(), 0);
    assert!(!workspace.beside("outside.java").exists());
}

#[test]
fn values_are_edited_as_json_and_can_be_fixed_if_invalid() {
    let workspace = workspace();
    let editor = workspace.beside("tmp/values-editor");
    // The script saves invalid JSON on the first call and fixes it on the second.
    let script = "#!/bin/sh\nif grep -q broken \"$1\"; then\n  sed 's/broken/\"Second\", \"package\": \"p\"}/' \"$1\" > \"$1.n\"\nelse\n  \
        cp \"$1\" \"${0%/*}/given\"\n  printf '{\"Name\": broken' > \"$1.n\"\nfi\nmv \"$1.n\" \"$1\"\n";
    refdesk_files::write_atomic(&editor, script.as_bytes()).unwrap();
    fs::set_permissions(&editor, fs::Permissions::from_mode(0o755)).unwrap();
    let mut pty = open(&workspace, &editor.to_string_lossy());
    at_the_entity(&mut pty);
    pty.type_bytes("\rFirst\r");
    pty.wait_for("public class First {");
    pty.type_bytes("\x1b");
    pty.wait_for("Enter set");
    pty.type_bytes("E");
    pty.wait_for("The values are not valid JSON: line 1, column");
    let given = fs::read_to_string(workspace.beside("tmp/given")).unwrap();
    let given: serde_json::Value = serde_json::from_str(&given).unwrap();
    assert_eq!(given, json!({"Name": "First", "fields": [{"name": ""}], "package": ""}));
    pty.type_bytes("y");
    pty.wait_for("public class Second {");
    pty.wait_for("package p;");
    let left: Vec<_> = fs::read_dir(workspace.beside("tmp")).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert!(!left.iter().any(|name| name.to_string_lossy().contains("refdesk-values")), "{left:?}");
    quit(pty);
}

#[test]
fn json_is_pasted_into_the_form() {
    let workspace = workspace();
    let mut pty = open(&workspace, "false");
    at_the_entity(&mut pty);
    pty.type_bytes("\r");
    pty.wait_for("end typing");
    pty.type_bytes("\x1b[200~{\n  \"Name\": \"Pasted\",\n  \"fields\": [],\n  \"package\": \"x\"\n}\x1b[201~");
    pty.wait_for("public class Pasted {");
    pty.wait_for("no items");
    quit(pty);
}
