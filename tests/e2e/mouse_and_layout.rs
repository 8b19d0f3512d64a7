//! The mouse in a real terminal, and the layout that a screen saves for the next one.

use std::fs;
use std::path::Path;

use refdesk_files::write_atomic;
use rustix::process::Signal;
use serde_json::{Value, json};
use vt100::{MouseProtocolEncoding, MouseProtocolMode};

use crate::support::conversation;
use crate::support::pty::Pty;
use crate::support::workspace::Workspace;

const FIRST_BUTTON: u8 = 0;
const HELD: u8 = 32;
const WHEEL_DOWN: u8 = 65;

fn demo_at(home: &Path) -> Pty {
    let pty = Pty::start_at(home, &["--demo"], 120, 36);
    pty.wait_for("house-rules");
    pty
}

/// The same for a workspace, whose layout is saved.
fn screen_at(home: &Path, world: &Workspace) -> Pty {
    let pty = Pty::start_at(home, &["--workspace", world.path.to_str().unwrap()], 120, 36);
    pty.wait_for("house-rules");
    pty
}

/// Sends the terminal's bytes for this mouse event at this cell, counted from 0.
fn mouse(pty: &mut Pty, what: u8, (x, y): (usize, usize)) {
    pty.type_bytes(&format!("\x1b[<{what};{};{}M", x + 1, y + 1));
}

fn release(pty: &mut Pty, (x, y): (usize, usize)) {
    pty.type_bytes(&format!("\x1b[<{FIRST_BUTTON};{};{}m", x + 1, y + 1));
}

fn click_on(pty: &mut Pty, text: &str) {
    pty.wait_for(text);
    let place = pty.place_of(text).unwrap_or_else(|| panic!("no {text:?} on\n{}", pty.text()));
    mouse(pty, FIRST_BUTTON, place);
    release(pty, place);
}

/// Waits until this text is in this column.
fn wait_for_column(pty: &Pty, text: &str, column: usize) {
    pty.wait_until(&format!("{text} in column {column}"), |seen| {
        seen.text().lines().any(|line| line.find(text).is_some_and(|at| line[..at].chars().count() == column))
    });
}

/// Waits until mouse reporting is in this mode.
fn wait_for_mouse(pty: &Pty, mode: MouseProtocolMode) {
    pty.wait_until(&format!("mouse mode {mode:?}"), |seen| seen.terminal.screen().mouse_protocol_mode() == mode);
}

fn remembered(home: &Path) -> Value {
    serde_json::from_slice(&fs::read(home.join(".local/state/refdesk/screen.json")).unwrap()).unwrap()
}

#[test]
fn click_wheel_and_drag() {
    let (home, world) = (tempfile::tempdir().unwrap(), conversation::demo());
    let mut pty = screen_at(home.path(), &world);
    pty.wait_until("coordinates without a limit", |seen| {
        seen.terminal.screen().mouse_protocol_encoding() == MouseProtocolEncoding::Sgr
    });
    // Motion without a button is not requested, since it would wake the program for nothing.
    wait_for_mouse(&pty, MouseProtocolMode::ButtonMotion);
    click_on(&mut pty, "2 Selection");
    pty.wait_for("┏ 2 Selection");
    click_on(&mut pty, "adr-002-resilience");
    pty.wait_for("┏ 1 Catalog");
    pty.wait_for("╭ adr-002-resilience");
    pty.resize(120, 20);
    pty.wait_until("a list longer than its place", |seen| {
        seen.text().lines().any(|line| line.contains("◆ house-rules") && line.contains(" █"))
    });
    let list = pty.place_of("house-rules").unwrap();
    mouse(&mut pty, WHEEL_DOWN, list);
    pty.wait_until("the list scrolled", |seen| !seen.text().contains("◆ house-rules"));
    pty.resize(120, 36);
    pty.wait_for("runbook-lost-pass");
    click_on(&mut pty, "? help");
    pty.wait_for("┏ Help");
    mouse(&mut pty, FIRST_BUTTON, (0, 1));
    pty.wait_until("the window closed", |seen| !seen.text().contains("┏ Help"));
    wait_for_column(&pty, "╭ adr-002-resilience", 60);
    mouse(&mut pty, FIRST_BUTTON, (60, 5));
    mouse(&mut pty, FIRST_BUTTON + HELD, (70, 5));
    mouse(&mut pty, FIRST_BUTTON + HELD, (56, 6));
    release(&mut pty, (56, 6));
    wait_for_column(&pty, "╭ adr-002-resilience", 56);
    pty.type_bytes("q");
    assert_eq!(pty.wait_for_exit().exit_code(), 0);

    let mut again = screen_at(home.path(), &world);
    wait_for_column(&again, "╭ adr-002-resilience", 56);
    again.resize(150, 36);
    wait_for_column(&again, "╭ adr-002-resilience", 70);
    again.type_bytes("q");
    assert_eq!(again.wait_for_exit().exit_code(), 0);
}

#[test]
fn the_layout_is_saved_when_a_signal_ends_the_screen() {
    for signal in [Signal::TERM, Signal::HUP] {
        let (home, world) = (tempfile::tempdir().unwrap(), conversation::demo());
        let mut pty = screen_at(home.path(), &world);
        pty.type_bytes("Tjj\r");
        pty.wait_for("Theme: light.");
        pty.signal(signal);
        assert_eq!(pty.wait_for_exit().exit_code(), 128 + u32::try_from(signal.as_raw()).unwrap());
        assert_eq!(remembered(home.path()), json!({"theme": "light"}), "{signal:?}");
        let mut again = screen_at(home.path(), &world);
        again.type_bytes("Tj\r");
        again.wait_for("Theme: contrast.");
        again.type_bytes("q");
        assert_eq!(again.wait_for_exit().exit_code(), 0);
        assert_eq!(remembered(home.path()), json!({"theme": "contrast"}));
    }
}

#[test]
fn nothing_is_written_if_nothing_changed() {
    let home = tempfile::tempdir().unwrap();
    let mut pty = demo_at(home.path());
    pty.type_bytes("jq");
    assert_eq!(pty.wait_for_exit().exit_code(), 0);
    assert!(!home.path().join(".local/state").exists());
}

#[test]
fn the_demo_saves_no_layout() {
    let home = tempfile::tempdir().unwrap();
    let mut pty = demo_at(home.path());
    pty.type_bytes("Tjj\r");
    pty.wait_for("Theme: light.");
    pty.type_bytes("b\x151000\r");
    pty.wait_for("over the limit: 205% of 1k");
    pty.type_bytes("q");
    assert_eq!(pty.wait_for_exit().exit_code(), 0);
    assert!(!home.path().join(".local/state/refdesk/screen.json").exists());
    assert!(!home.path().join(".local/state/refdesk/workspaces").exists());
}

#[test]
fn a_damaged_or_unwritable_file_is_reported() {
    let (home, world) = (tempfile::tempdir().unwrap(), conversation::demo());
    let file = home.path().join(".local/state/refdesk/screen.json");
    write_atomic(&file, b"{\"theme\": 7}").unwrap();
    let mut pty = screen_at(home.path(), &world);
    pty.wait_for("The screen layout was reset");
    pty.type_bytes("Tjj\r");
    pty.wait_for("Theme: light.");
    pty.type_bytes("q");
    assert_eq!(pty.wait_for_exit().exit_code(), 0);
    assert_eq!(remembered(home.path()), json!({"theme": "light"}));

    // A file blocks the path of its folder, so not even the superuser can write there.
    let (home, world) = (tempfile::tempdir().unwrap(), conversation::demo());
    write_atomic(&home.path().join(".local/state"), b"").unwrap();
    let mut pty = screen_at(home.path(), &world);
    pty.type_bytes("Tjj\r");
    pty.wait_for("Theme: light.");
    pty.type_bytes("q");
    pty.wait_for("the layout was not saved");
    assert_eq!(pty.wait_for_exit().exit_code(), 0);
}

#[test]
fn mouse_reporting_can_be_turned_off_and_stays_off() {
    let mut pty = Pty::start(&["--demo"], 80, 24);
    pty.wait_for("house-rules");
    pty.type_bytes("M");
    wait_for_mouse(&pty, MouseProtocolMode::None);
    pty.type_bytes("\x1a");
    pty.wait_until_stopped();
    pty.signal(Signal::CONT);
    pty.wait_until("the screen again", |seen| seen.terminal.screen().alternate_screen());
    pty.type_bytes("2");
    pty.wait_for("2 Selection ━");
    wait_for_mouse(&pty, MouseProtocolMode::None);
    pty.type_bytes("M");
    wait_for_mouse(&pty, MouseProtocolMode::ButtonMotion);
    pty.type_bytes("\x1a");
    pty.wait_until_stopped();
    pty.signal(Signal::CONT);
    wait_for_mouse(&pty, MouseProtocolMode::ButtonMotion);
    pty.type_bytes("q");
    assert_eq!(pty.wait_for_exit().exit_code(), 0);
}
