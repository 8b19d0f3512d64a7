//! The screen hands its terminal to an editor: in its original modes, with every key typed before the exit going to the
//! editor and none after it, however the editor ends. The editor is a script that records its input.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;

use portable_pty::CommandBuilder;
use rustix::process::{Pid, Signal, test_kill_process};
use serde_json::json;

use crate::support::pty::Pty;
use crate::support::workspace::{Workspace, inline};

/// The keys for the editor: every letter, and keys that have a meaning on the screen.
const KEYS: &str = "abcdefghijklmnopqrstuvwxyz q\x1b[A/";

/// Records arguments, folder and modes in files next to the script, and the keys one at a time.
const RECORDS: &str = r#"
here=${0%/*}
{ printf '%s\n' "$@"; pwd; } > "$here/given"
modes=$(stty -g)
printf '%s\n' "$modes" > "$here/modes"
stty raw -echo
echo EDITOR IS OPEN
dd bs=1 count=32 of="$here/keys" 2> "$here/dd"
stty "$modes"
"#;

struct Desk {
    workspace: Workspace,
}

impl Desk {
    fn new() -> Self {
        let workspace = Workspace::of(
            json!([
                {"id": "alpha", "name": "Alpha", "path": "docs/a b.md"},
                inline("beta", "text"),
            ]),
            &[("docs/a b.md", "# Alpha\n")],
        );
        Self { workspace }
    }

    /// A script next to the workspace, with the name of a known editor.
    fn editor(&self, name: &str, script: &str) -> PathBuf {
        let path = self.workspace.beside("tmp").join(name);
        refdesk_files::write_atomic(&path, format!("#!/bin/sh\n{script}").as_bytes()).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
        path
    }

    fn recorded(&self, name: &str) -> String {
        fs::read_to_string(self.workspace.beside("tmp").join(name)).unwrap()
    }

    /// The screen of this workspace with this `$EDITOR`, started by a shell that records the terminal's modes.
    fn open(&self, editor: &str) -> Pty {
        let mut command = CommandBuilder::new("sh");
        let program = env!("CARGO_BIN_EXE_refdesk");
        let before = self.workspace.beside("tmp/before");
        command.args(["-c", "stty -g > \"$1\"; shift; exec \"$@\"", "sh"]);
        command.args([before.as_os_str(), program.as_ref(), "--workspace".as_ref(), self.workspace.path.as_os_str()]);
        command.env("HOME", self.workspace.beside("home"));
        command.env_remove("VISUAL");
        command.env("EDITOR", editor);
        let pty = Pty::spawn(command, 120, 36);
        pty.wait_for("2 sources");
        pty.wait_for("alpha");
        pty
    }
}

fn quit(mut pty: Pty) {
    pty.type_bytes("\x03");
    assert_eq!(pty.wait_for_exit().exit_code(), 0);
}

#[test]
fn no_key_is_stolen_and_none_is_lost() {
    let desk = Desk::new();
    let editor = desk.editor("vim", RECORDS);
    let mut pty = desk.open(&format!("'{}' -x 'two words'", editor.display()));
    for (key, file, line) in [("o", "docs/a b.md", 1), ("e", "references.json", 4), ("/beta\ro", "references.json", 9)]
    {
        let bytes = pty.bytes();
        pty.type_bytes(key);
        pty.wait_until("the editor on the main screen", |seen| {
            let screen = seen.terminal.screen();
            let given_back = !screen.alternate_screen() && !screen.hide_cursor() && !screen.bracketed_paste();
            seen.bytes > bytes && given_back && seen.text().contains("EDITOR IS OPEN")
        });
        // The keys for the editor, and in a second write one for the screen.
        pty.type_bytes(KEYS);
        pty.type_bytes("2");
        pty.wait_until("the screen", |seen| {
            seen.terminal.screen().alternate_screen() && seen.text().contains("2 Selection ━")
        });
        assert_eq!(desk.recorded("keys"), KEYS);
        let root = desk.workspace.path.display();
        assert_eq!(desk.recorded("given"), format!("-x\ntwo words\n+{line}\n{root}/{file}\n{root}\n"));
        assert_eq!(desk.recorded("modes"), desk.recorded("before"));
        pty.type_bytes("1");
        pty.wait_for("1 Catalog ━");
    }
    quit(pty);
}

#[test]
fn an_edit_shows_when_the_editor_exits() {
    let desk = Desk::new();
    let file = desk.workspace.path.join("references.json");
    let script =
        format!("sed 's/\"Alpha\"/\"Renamed in the editor\"/' '{0}' > '{0}.new' && mv '{0}.new' '{0}'", file.display());
    let editor = desk.editor("anything", &script);
    let mut pty = desk.open(&editor.to_string_lossy());
    pty.type_bytes("e");
    pty.wait_for("Renamed in the editor");
    quit(pty);
}

#[test]
fn a_failing_editor_is_reported() {
    let desk = Desk::new();
    let fails = desk.editor("fails", "exit 3\n");
    let raw = desk.editor("raw", "stty raw -echo\nkill -9 $$\n");
    for (editor, said) in [
        (fails.to_string_lossy().as_ref(), "failed with exit code 3"),
        (raw.to_string_lossy().as_ref(), "ended with signal: 9"),
        ("/nowhere/editor -n", "Program '/nowhere/editor' not found ($EDITOR is"),
        ("'unclosed", "$EDITOR is \"'unclosed\", and missing closing quote"),
        ("/", "'/' cannot be run"),
    ] {
        let mut pty = desk.open(editor);
        pty.type_bytes("e");
        pty.wait_until(said, |seen| seen.terminal.screen().alternate_screen() && seen.text().contains(said));
        pty.type_bytes("2");
        pty.wait_for("2 Selection ━");
        // Quitting checks that the terminal's modes are restored, even if the editor changed them.
        quit(pty);
    }
}

#[test]
fn an_interrupt_goes_to_the_editor() {
    let desk = Desk::new();
    // `cat` prints it: a shell that is about to exec another program may lose the signal.
    let editor = desk.editor("cooked", "echo EDITOR IS OPEN > \"${0%/*}/open\"\nexec cat \"${0%/*}/open\" -\n");
    let mut pty = desk.open(&editor.to_string_lossy());
    pty.type_bytes("e");
    pty.wait_for("EDITOR IS OPEN");
    pty.type_bytes("\x03");
    pty.wait_for("ended with signal: 2");
    quit(pty);
}

#[test]
fn stopped_in_the_editor_and_back() {
    let desk = Desk::new();
    let editor = desk.editor("stops", "echo EDITOR IS OPEN\nread line\necho \"$line\" > \"${0%/*}/line\"\n");
    let mut pty = desk.open(&editor.to_string_lossy());
    pty.type_bytes("e");
    pty.wait_for("EDITOR IS OPEN");
    pty.type_bytes("\x1a");
    pty.wait_until_stopped();
    pty.signal(Signal::CONT);
    pty.type_bytes("typed after the stop\r");
    pty.wait_until("the screen", |seen| seen.terminal.screen().alternate_screen() && seen.text().contains("1 Catalog"));
    assert_eq!(desk.recorded("line"), "typed after the stop\n");
    quit(pty);
}

#[test]
fn modes_that_an_editor_left_on_are_reset() {
    let desk = Desk::new();
    let modes = "\\033[?1049h\\033[?1002h\\033[?1006h\\033[?25l\\033[?2004h";
    let editor = desk.editor("full", &format!("stty raw -echo\nprintf '{modes}EDITOR IS OPEN'\nexec cat\n"));
    let mut pty = desk.open(&editor.to_string_lossy());
    pty.type_bytes("e");
    pty.wait_for("EDITOR IS OPEN");
    pty.signal_program(Signal::TERM);
    assert_eq!(pty.wait_for_exit().exit_code(), 128 + 15);
}

#[test]
fn a_signal_that_ends_the_screen_ends_its_editor() {
    for signal in [Signal::TERM, Signal::HUP] {
        let desk = Desk::new();
        let editor = desk.editor("left", "echo $$ > \"${0%/*}/id\"\nstty raw -echo\necho EDITOR IS OPEN\nexec cat\n");
        let mut pty = desk.open(&editor.to_string_lossy());
        pty.type_bytes("e");
        pty.wait_for("EDITOR IS OPEN");
        let id = Pid::from_raw(desk.recorded("id").trim().parse().unwrap()).unwrap();
        test_kill_process(id).unwrap();
        pty.signal_program(signal);
        let number = u32::try_from(signal.as_raw()).unwrap();
        assert_eq!(pty.wait_for_exit().exit_code(), 128 + number, "{signal:?}");
        test_kill_process(id).unwrap_err();
    }
}
