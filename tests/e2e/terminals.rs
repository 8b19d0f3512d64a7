//! Terminals that misbehave: one never answers, one reads output slowly or not at all, one is resized constantly, one
//! sends a lot at once.

use std::fs;
use std::time::Duration;

use portable_pty::CommandBuilder;
use rustix::process::Signal;

use crate::e2e::demo;
use crate::support::pty::Pty;
use refdesk_files::scale::scaled;

/// Checks that a full redraw shows the same as the last frame, including colours.
#[track_caller]
fn check_the_last_frame(pty: &mut Pty) {
    pty.wait_until_quiet();
    let (before, bytes) = (pty.drawn(), pty.bytes());
    pty.type_bytes("\x0c");
    pty.wait_until("a full redraw", |seen| seen.bytes > bytes + 1000);
    pty.wait_until_quiet();
    for (nth, (redrawn, shown)) in pty.drawn().iter().zip(&before).enumerate() {
        assert_eq!(redrawn, shown, "row {nth}, after and before a full redraw:\n{}", pty.text());
    }
}

#[test]
fn a_terminal_that_never_answers_is_asked_only_for_its_background() {
    let mut pty = demo(120, 36);
    pty.type_bytes("/house-rules\ry");
    pty.wait_for("Copied house-rules");
    pty.wait_until("the clipboard", |seen| seen.wrote("\x1b]52;c;aG91c2UtcnVsZXM="));
    for question in [
        "\x1b[6n", "\x1b[c", "\x1b[0c", "\x1b[>", "\x1b[?6n", "$p", "\x1b[?u", "\x1b]10;", "\x1b]4;", "\x1bP",
        "\x1b[14t",
    ] {
        pty.wait_until("no question", |seen| !seen.wrote(question));
    }
    pty.wait_until("the only question", |seen| seen.wrote("\x1b]11;?\x1b\\"));
    pty.type_bytes("\x03");
    assert_eq!(pty.wait_for_exit().exit_code(), 0);
}

#[test]
fn a_terminal_that_stalls_and_then_reads_little_at_a_time() {
    let mut pty = demo(120, 36);
    pty.wait_until_quiet();
    let before = resident(&pty);
    pty.take(Some(0));
    // More frames than any terminal buffers.
    for _ in 0..400 {
        pty.type_bytes("zz12");
    }
    let bytes = pty.bytes();
    for _ in 0..100 {
        // The largest possible frames, some of which are merged.
        pty.type_bytes("z");
        pty.take(Some(200));
        let taken = pty.bytes() + 200;
        pty.comes(Duration::from_millis(50), |seen| seen.bytes >= taken);
    }
    assert!(pty.bytes() - bytes > 4000, "{} bytes in small pieces", pty.bytes() - bytes);
    let grown = resident(&pty).saturating_sub(before);
    assert!(grown < 8 * 1024 * 1024, "grown by {grown} bytes");
    pty.take(None);
    pty.type_bytes("2");
    pty.wait_for("2 Selection ━");
    check_the_last_frame(&mut pty);
    pty.type_bytes("q");
    assert_eq!(pty.wait_for_exit().exit_code(), 0);
}

/// The program's resident memory in bytes.
fn resident(pty: &Pty) -> usize {
    let status = fs::read_to_string(format!("/proc/{}/status", pty.pid().as_raw_nonzero())).unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    let kibibytes =
        line.and_then(|line| line.split_whitespace().next()).and_then(|number| number.parse::<usize>().ok());
    // Without /proc there is nothing to check.
    kibibytes.map_or(0, |kibibytes| kibibytes * 1024)
}

#[test]
fn a_terminal_that_is_resized_all_the_time() {
    let mut pty = demo(120, 36);
    // Covers every size from the smallest to the largest in mixed order, since both steps are coprime to the range.
    for step in 0..300u16 {
        pty.resize(1 + step * 73 % 300, 1 + step * 37 % 100);
    }
    pty.resize(1, 1);
    pty.resize(300, 100);
    pty.wait_for("4 Templates");
    check_the_last_frame(&mut pty);
    // Resized and back between two frames: the size is the same again, the content is not.
    pty.resize(10, 3);
    pty.resize(300, 100);
    pty.wait_for("4 Templates");
    check_the_last_frame(&mut pty);
    pty.type_bytes("q");
    assert_eq!(pty.wait_for_exit().exit_code(), 0);
}

#[test]
fn a_terminal_that_sends_much_at_once() {
    // Without bracketed paste, every character is a key.
    for (open, shown) in [
        ("3i", "Ω"),
        ("/", "A line takes at most 1,000 characters: the rest was dropped"),
        (":", "A line takes at most 1,000 characters: the rest was dropped"),
    ] {
        let mut pty = demo(120, 36);
        pty.type_bytes(open);
        pty.type_bytes(&format!("{}Ω", "x y".repeat(3500)));
        pty.wait_for(shown);
        pty.type_bytes("\x03");
        assert_eq!(pty.wait_for_exit().exit_code(), 0);
    }
}

/// Text pasted by a terminal without bracketed paste. The last key still works.
#[test]
fn a_terminal_that_sends_a_megabyte_without_brackets() {
    let mut pty = demo(120, 36);
    pty.type_bytes("3i");
    // Outside the nightly run most of it is bracketed, which is faster, and the unbracketed rest suffices to exceed the
    // limit.
    pty.type_bytes(&format!("\x1b[200~{}\x1b[201~", "some words\n".repeat(scaled(22_000, 0))));
    pty.type_bytes(&"some words\r".repeat(scaled(5_000, 100_000)));
    pty.wait_for("A prompt takes at most 256 KiB");
    pty.type_bytes("\x03");
    assert_eq!(pty.wait_for_exit().exit_code(), 0);
}

#[test]
fn a_terminal_that_claims_a_huge_size() {
    for (columns, rows) in [(65_535, 65_535), (65_535, 36), (120, 65_535), (65_535, 1), (1, 65_535)] {
        let mut pty = demo(120, 36);
        pty.wait_until_quiet();
        let before = resident(&pty);
        pty.claim(columns, rows);
        pty.wait_until_quiet();
        pty.type_bytes("2?");
        pty.wait_until_quiet();
        let grown = resident(&pty).saturating_sub(before);
        assert!(grown < 256 * 1024 * 1024, "{columns}×{rows}: grown by {grown} bytes");
        pty.type_bytes("\x1bq");
        pty.type_bytes("\x03");
        assert_eq!(pty.wait_for_exit().exit_code(), 0, "{columns}×{rows}");
    }
    let mut command = CommandBuilder::new("sh");
    command.args(["-c", "stty cols 65535 rows 65535; exec \"$0\" --demo", env!("CARGO_BIN_EXE_refdesk")]);
    let mut pty = Pty::spawn(command, 120, 36);
    // Before that, the key would end the shell.
    pty.wait_until("the screen", |seen| seen.wrote("\x1b[?1049h"));
    pty.wait_until_quiet();
    pty.type_bytes("\x03");
    assert_eq!(pty.wait_for_exit().exit_code(), 0);
}

#[test]
fn a_stalled_terminal_does_not_keep_a_signal_from_ending_the_screen() {
    for (way, block) in [("stopped", Pty::stop_output as fn(&Pty)), ("unread", Pty::fill)] {
        for signal in [Signal::TERM, Signal::HUP] {
            let mut pty = demo(120, 36);
            pty.wait_until_quiet();
            block(&pty);
            pty.type_bytes("2z\x0cz1/abc");
            pty.signal(signal);
            let number = u32::try_from(signal.as_raw()).unwrap();
            assert_eq!(pty.wait_for_exit_unread().exit_code(), 128 + number, "{way}, {signal:?}");
        }
    }
}

#[test]
fn a_stalled_terminal_does_not_keep_a_key_from_quitting() {
    for block in [Pty::stop_output as fn(&Pty), Pty::fill] {
        let mut pty = demo(120, 36);
        pty.wait_until_quiet();
        block(&pty);
        pty.type_bytes("2z\x0cz1q");
        assert_eq!(pty.wait_for_exit_unread().exit_code(), 0);
    }
}

#[test]
fn a_closed_terminal_ends_the_screen() {
    let pty = demo(120, 36);
    assert_eq!(pty.hang_up().exit_code(), 128 + 1);
}

#[test]
fn a_terminal_whose_keys_arrive_in_pieces() {
    let mut pty = demo(120, 36);
    // Split after the bracket, because a split after the escape would make it a key.
    pty.type_bytes("\x1b[");
    pty.type_bytes("Z");
    pty.wait_for("4 Templates ━");
    pty.type_bytes("\x1b[200~pasted while \x1b[201");
    pty.type_bytes("~1");
    pty.wait_for("1 Catalog ━");
    pty.type_bytes("q");
    assert_eq!(pty.wait_for_exit().exit_code(), 0);
}
