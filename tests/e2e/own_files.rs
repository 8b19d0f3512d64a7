//! The screen applies changes of the user's keymap and themes while it is open.

use refdesk_files::write_atomic;

use crate::support::conversation;
use crate::support::pty::Pty;

#[test]
fn a_changed_keymap_works_at_once_and_the_screen_stays() {
    let home = tempfile::tempdir().unwrap();
    let keymap = home.path().join(".config/refdesk/keymap.toml");
    write_atomic(&keymap, b"[global]\nquit = \"F10\"\n").unwrap();
    let mut pty = Pty::start_at(home.path(), &["--demo"], 120, 36);
    pty.wait_for("house-rules");
    pty.wait_for("F10 quit");
    pty.type_bytes("/retry\r");
    pty.wait_for("2 Selection");
    write_atomic(&keymap, b"[global]\nquit = \"Z Z\"\n").unwrap();
    pty.wait_for("Your keymap changed");
    pty.type_bytes("Z");
    pty.wait_for("Z quit");
    assert!(pty.text().contains("/retry"), "the filter is still there:\n{}", pty.text());
    // A mistake is reported, and the other entries still apply.
    write_atomic(&keymap, b"[global]\nquit = \"Z Z\"\nreload = \"Reload\"\n").unwrap();
    pty.wait_for("1 problem in your settings");
    pty.type_bytes("d");
    pty.wait_for("'Reload' is not a key");
    pty.type_bytes("dZZ");
    assert_eq!(pty.wait_for_exit().exit_code(), 0);
}

/// Waits until the screen draws a background, as in the light theme, or none, as in the dark one.
fn wait_for_ground(pty: &Pty, is_light: bool) {
    let what = if is_light { "the light theme" } else { "the dark theme" };
    pty.wait_until(what, |seen| {
        let screen = seen.terminal.screen();
        let ground = screen.cell(0, 0).is_some_and(|cell| cell.bgcolor() != vt100::Color::Default);
        screen.contents().contains("house-rules") && ground == is_light
    });
}

#[test]
fn the_theme_follows_the_terminals_background() {
    let (home, world) = (tempfile::tempdir().unwrap(), conversation::demo());
    let workspace = ["--workspace", world.path.to_str().unwrap()];
    let mut pty = Pty::start_at(home.path(), &workspace, 100, 30);
    // The answer is sent in advance, so it is in time on the slowest machine.
    pty.type_bytes("\x1b]11;rgb:ffff/ffff/ffff\x1b\\");
    wait_for_ground(&pty, true);
    pty.wait_until("reports of changes", |seen| seen.wrote("\x1b[?2031h"));
    pty.type_bytes("\x1b[?997;1n");
    wait_for_ground(&pty, false);
    pty.type_bytes("\x1b[?997;2n");
    wait_for_ground(&pty, true);
    pty.type_bytes("Tjj\r");
    pty.wait_for("Theme: light.");
    pty.type_bytes("\x1b[?997;1n2");
    pty.wait_for("2 Selection");
    wait_for_ground(&pty, true);
    pty.type_bytes("q");
    pty.wait_until("no more reports", |seen| seen.wrote("\x1b[?2031l"));
    assert_eq!(pty.wait_for_exit().exit_code(), 0);
    // After a theme was chosen, the terminal is not asked again.
    let mut pty = Pty::start_at(home.path(), &workspace, 100, 30);
    wait_for_ground(&pty, true);
    pty.type_bytes("q");
    pty.wait_until("the main screen", |seen| !seen.terminal.screen().alternate_screen());
    assert!(!pty.seen().wrote("\x1b]11;?"));
    assert_eq!(pty.wait_for_exit().exit_code(), 0);
}
