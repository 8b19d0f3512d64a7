//! The user's own keymap and themes, while the screen is open.

use refdesk_files::write_atomic;

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
    // A mistake is said, and loses nothing else.
    write_atomic(&keymap, b"[global]\nquit = \"Z Z\"\nreload = \"Reload\"\n").unwrap();
    pty.wait_for("1 problem in your keymap or themes");
    pty.type_bytes("d");
    pty.wait_for("'Reload' is not a key");
    pty.type_bytes("dZZ");
    assert_eq!(pty.wait_for_exit().exit_code(), 0);
}
