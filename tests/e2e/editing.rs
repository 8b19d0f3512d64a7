//! `refdesk edit` at a terminal: the edited file is checked, and can be edited again or restored. The editor is a
//! script that rewrites the file.

use std::os::unix::fs::PermissionsExt;

use portable_pty::CommandBuilder;

use crate::support::pty::Pty;
use crate::support::workspace::Workspace;

const ENTRY: &str = "{\"id\": \"a\", \"name\": \"A\", \"type\": \"inline\", \"content\": \"\"}\n";

const FILE: &str = ".jaato/references/a.json";

/// `refdesk edit a` with an editor that writes these texts, one per call. For an empty one it deletes the file. If
/// `fails` is beside it, it ends with an error.
fn edit(world: &Workspace, texts: &[&str]) -> Pty {
    for (at, text) in texts.iter().enumerate() {
        refdesk_files::write_atomic(&world.beside(&format!("tmp/{at}")), text.as_bytes()).unwrap();
    }
    let editor = world.beside("tmp/editor");
    let script = "#!/bin/sh\ncd \"${0%/*}\"\nn=$(cat n 2>/dev/null || echo 0)\nif [ -s \"$n\" ]; then cp \"$n\" \"$1\"; else rm \"$1\"; fi\necho $((n + 1)) > n\n[ ! -e fails ] || exit 3\n";
    refdesk_files::write_atomic(&editor, script.as_bytes()).unwrap();
    std::fs::set_permissions(&editor, std::fs::Permissions::from_mode(0o755)).unwrap();
    let mut command = CommandBuilder::new(env!("CARGO_BIN_EXE_refdesk"));
    command.args(["--workspace".as_ref(), world.path.as_os_str(), "edit".as_ref(), "a".as_ref()]);
    command.env("HOME", world.beside("home"));
    command.env_remove("VISUAL");
    command.env("EDITOR", editor);
    Pty::spawn(command, 100, 30)
}

#[test]
fn an_edit_is_checked_and_can_be_repeated_or_restored() {
    let broken = "{\"id\": \"a\", \"name\": \n";
    let better = ENTRY.replace("\"A\"", "\"Better\"");
    for (texts, keys, code, left) in [
        (&[ENTRY][..], "", 0, ENTRY),
        (&[better.as_str()], "", 0, better.as_str()),
        (&[broken], "r\r", 0, ENTRY),
        (&[broken, better.as_str()], "e\r", 0, better.as_str()),
        (&[broken], "n\rk\r", 1, broken),
    ] {
        let world = Workspace::with(&[(FILE, ENTRY)]);
        let mut pty = edit(&world, texts);
        if !keys.is_empty() {
            pty.wait_for(&format!("{FILE} has errors"));
            pty.type_bytes(keys);
        }
        assert_eq!(pty.wait_for_exit().exit_code(), code, "{texts:?} {keys:?}");
        assert_eq!(world.read(FILE), left, "{texts:?} {keys:?}");
    }
}

#[test]
fn a_file_that_the_editor_deletes_or_breaks_can_be_restored() {
    for (texts, keys, code, left) in [
        (&["", ENTRY][..], "r\r", 0, Some(ENTRY)),
        (&["", ENTRY], "e\r", 0, Some(ENTRY)),
        (&["", ENTRY], "k\r", 1, None),
    ] {
        let world = Workspace::with(&[(FILE, ENTRY)]);
        let mut pty = edit(&world, texts);
        pty.wait_for(&format!("{FILE} is gone"));
        pty.type_bytes(keys);
        assert_eq!(pty.wait_for_exit().exit_code(), code, "{keys:?}");
        assert_eq!(world.path.join(FILE).exists().then(|| world.read(FILE)).as_deref(), left, "{keys:?}");
    }
}

#[test]
fn what_a_failing_editor_wrote_is_checked() {
    let better = ENTRY.replace("\"A\"", "\"Better\"");
    for (text, said, keys, code, left) in [
        (ENTRY, "fix: see what it printed", "", 1, ENTRY),
        (better.as_str(), "Edited @a in", "", 0, better.as_str()),
        ("{", "has errors", "r\r", 0, ENTRY),
    ] {
        let world = Workspace::with(&[(FILE, ENTRY)]);
        refdesk_files::write_atomic(&world.beside("tmp/fails"), b"").unwrap();
        let mut pty = edit(&world, &[text]);
        pty.wait_for(said);
        assert!(!pty.text().contains("that is installed"), "{}", pty.text());
        if !keys.is_empty() {
            pty.type_bytes(keys);
        }
        assert_eq!(pty.wait_for_exit().exit_code(), code, "{text}");
        assert_eq!(world.read(FILE), left, "{text}");
    }
}

#[test]
fn an_entry_that_takes_the_id_of_another_is_asked_about() {
    let other = ENTRY.replace("\"a\"", "\"b\"");
    for (keys, code, left) in [("r\r", 0, ENTRY), ("e\r", 0, ENTRY), ("k\r", 1, other.as_str())] {
        let world = Workspace::with(&[(FILE, ENTRY), (".jaato/references/b.json", &other)]);
        let mut pty = edit(&world, &[&other, ENTRY]);
        pty.wait_for(&format!("{FILE} takes the id of another source"));
        pty.type_bytes(keys);
        assert_eq!(pty.wait_for_exit().exit_code(), code, "{keys:?}");
        assert_eq!(world.read(FILE), left, "{keys:?}");
    }
}

#[test]
fn a_warning_is_printed_once() {
    let entry = r#"{"id": "a", "name": "A", "type": "local", "path": "gone.md"}"#;
    let world = Workspace::with(&[(FILE, ENTRY)]);
    let pty = edit(&world, &[entry]);
    pty.wait_for("Edited @a in");
    assert_eq!(pty.text().matches("'gone.md' does not exist").count(), 1, "{}", pty.text());
    assert_eq!(pty.wait_for_exit().exit_code(), 0);
}
