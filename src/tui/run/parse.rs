//! Parses terminal input into events: keys, pastes, mouse reports. Takes bytes and returns one event. It
//! keeps no state, so a sequence split by a slow connection is parsed again when the rest arrives.

use crossterm::event::{Event, KeyCode, KeyEvent, KeyModifiers, MouseButton, MouseEvent, MouseEventKind};
use memchr::memmem;

use crate::tui::run::background_question::BackgroundReport;

/// The result of parsing the start of some bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ParsedInput {
    /// An event, and its length in bytes.
    Event(Event, usize),
    /// The terminal's report about its background, and its length in bytes.
    Background(BackgroundReport, usize),
    /// Bytes to ignore: a broken sequence, or an answer to another program's question.
    Nothing(usize),
    /// The start of a longer sequence.
    Unfinished,
}

/// What follows the available bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum InputTail {
    /// More bytes may have arrived already.
    More,
    /// Nothing for now, so an escape at the end is the Escape key.
    Quiet,
}

const ESC: u8 = 0x1b;

/// The maximum bytes kept of a sequence. The rest of a longer one is skipped up to its end, because reading
/// it as keys would keep the screen busy.
const LONGEST: usize = 4096;

/// The start and the end of a paste.
const PASTE: &[u8] = b"\x1b[200~";
const PASTE_END: &[u8] = b"\x1b[201~";

/// The maximum bytes kept of a paste; a text field accepts less.
const LONGEST_PASTE: usize = 4 * 1024 * 1024;

/// How a later key affects an unfinished sequence.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Interruption {
    /// Not at all: these bytes may be the rest of it.
    No,
    /// It discards the unfinished sequence and counts as a key.
    Key,
    /// It ends the paste, which is this event.
    Paste(Event),
}

/// Whether bytes that arrive after a pause end an unfinished sequence. Without this, a paste or answer that
/// is never terminated would swallow every key. Ctrl-C and Escape end a paste; any key ends an answer.
pub fn interruption(begun: &[u8], fresh: &[u8]) -> Interruption {
    if let Some(text) = begun.strip_prefix(PASTE) {
        return match fresh {
            [3 | ESC] => Interruption::Paste(Event::Paste(String::from_utf8_lossy(text).into_owned())),
            _ => Interruption::No,
        };
    }
    let open = matches!(begun, [ESC, b']' | b'P' | b'_', ..] | [ESC, b'[', b'M', ..])
        || begun.starts_with(b"\x1b[") && begun.len() > LONGEST;
    // These may end an answer.
    let ends = matches!(fresh, [0x07 | 0x18] | [ESC, b'\\']);
    match parse(fresh, InputTail::Quiet) {
        ParsedInput::Event(Event::Key(_), length) if open && !ends && length == fresh.len() => Interruption::Key,
        _ => Interruption::No,
    }
}

/// Bounds an unfinished paste or answer: drops the excess, but keeps what may be the start of its terminator.
pub fn bound(begun: &mut Vec<u8>) {
    let most = match begun.as_slice() {
        [ESC, b'[', ..] if begun.starts_with(PASTE) => LONGEST_PASTE,
        [ESC, b']' | b'P' | b'_' | b'[', ..] => LONGEST,
        _ => return,
    };
    let tail = begun.len().saturating_sub(PASTE_END.len() - 1);
    if tail > most {
        begun.drain(most..tail);
    }
}

/// Parses the start of these bytes.
pub fn parse(bytes: &[u8], then: InputTail) -> ParsedInput {
    match bytes {
        [ESC] if then == InputTail::Quiet => key(KeyCode::Esc, 1),
        [] | [ESC] | [ESC, b'['] | [ESC, b'O'] => ParsedInput::Unfinished,
        // Either the start of an answer, or a key with Alt.
        [ESC, b']' | b'P' | b'_'] if then == InputTail::More => ParsedInput::Unfinished,
        [ESC, b'[', b'[', rest @ ..] => match rest {
            [] => ParsedInput::Unfinished,
            [function @ b'A'..=b'E', ..] => key(KeyCode::F(function - b'A' + 1), 4),
            _ => ParsedInput::Nothing(3),
        },
        [ESC, b'[', b'M', button, column, row, ..] => {
            let place = |byte: &u8| u16::from(byte.saturating_sub(33));
            mouse(button.saturating_sub(32), place(column), place(row), b'M', 6)
        }
        [ESC, b'[', b'M', ..] => ParsedInput::Unfinished,
        [ESC, b'[', rest @ ..] => sequence(rest),
        [ESC, b'O', last, ..] => match named(*last) {
            Some(code) => key(code, 3),
            None => ParsedInput::Nothing(3),
        },
        [ESC, kind @ (b']' | b'P' | b'_'), rest @ ..] if rest.first().is_some_and(|byte| *byte >= b' ') => {
            string(*kind, rest, then)
        }
        [ESC, ESC, ..] => key(KeyCode::Esc, 1),
        [ESC, rest @ ..] => match parse(rest, then) {
            ParsedInput::Event(Event::Key(mut key), length) => {
                key.modifiers |= KeyModifiers::ALT;
                ParsedInput::Event(Event::Key(key), length + 1)
            }
            ParsedInput::Event(_, length) | ParsedInput::Background(_, length) | ParsedInput::Nothing(length) => {
                ParsedInput::Nothing(length + 1)
            }
            ParsedInput::Unfinished => ParsedInput::Unfinished,
        },
        [byte, ..] => match control(*byte) {
            Some((code, modifiers)) => ParsedInput::Event(Event::Key(KeyEvent::new(code, modifiers)), 1),
            None => character(bytes),
        },
    }
}

fn key(code: KeyCode, length: usize) -> ParsedInput {
    ParsedInput::Event(Event::Key(KeyEvent::new(code, KeyModifiers::NONE)), length)
}

fn control(byte: u8) -> Option<(KeyCode, KeyModifiers)> {
    let ctrl = |c: u8| (KeyCode::Char(char::from(c)), KeyModifiers::CONTROL);
    Some(match byte {
        b'\r' => (KeyCode::Enter, KeyModifiers::NONE),
        b'\t' => (KeyCode::Tab, KeyModifiers::NONE),
        0x7f => (KeyCode::Backspace, KeyModifiers::NONE),
        0 => ctrl(b' '),
        0x01..=0x1a => ctrl(byte - 1 + b'a'),
        0x1c..=0x1f => ctrl(byte - 0x1c + b'4'),
        _ => return None,
    })
}

fn character(bytes: &[u8]) -> ParsedInput {
    let length = match bytes.first() {
        Some(0xc2..=0xdf) => 2,
        Some(0xe0..=0xef) => 3,
        Some(0xf0..=0xf4) => 4,
        _ => 1,
    };
    let (whole, there) = (bytes.get(..length), bytes.get(..length.min(bytes.len())).unwrap_or_default());
    match (std::str::from_utf8(there), whole) {
        (Ok(text), Some(_)) => text.chars().next().map_or(ParsedInput::Nothing(1), |c| key(KeyCode::Char(c), length)),
        (Err(error), None) if error.error_len().is_none() => ParsedInput::Unfinished,
        _ => ParsedInput::Nothing(1),
    }
}

/// The key for the final byte of a cursor or function key sequence.
fn named(last: u8) -> Option<KeyCode> {
    Some(match last {
        b'A' => KeyCode::Up,
        b'B' => KeyCode::Down,
        b'C' => KeyCode::Right,
        b'D' => KeyCode::Left,
        b'F' => KeyCode::End,
        b'H' => KeyCode::Home,
        b'M' => KeyCode::Enter,
        b'P'..=b'S' => KeyCode::F(last - b'P' + 1),
        b'Z' => KeyCode::BackTab,
        _ => return None,
    })
}

/// Parses the part after `ESC [`: parameters and a final byte.
fn sequence(bytes: &[u8]) -> ParsedInput {
    let Some(end) = bytes.iter().position(|byte| !(0x20..=0x3f).contains(byte)) else {
        return ParsedInput::Unfinished;
    };
    let (parameters, last) = (bytes.get(..end).unwrap_or_default(), bytes.get(end).copied().unwrap_or_default());
    if !(0x40..=0x7e).contains(&last) {
        return ParsedInput::Nothing(end + 2);
    }
    let length = end + 3;
    if end >= LONGEST {
        return ParsedInput::Nothing(length);
    }
    if (parameters, last) == (b"200", b'~') {
        return paste(bytes.get(end + 1..).unwrap_or_default(), length);
    }
    let text = String::from_utf8_lossy(parameters);
    if let Some(scheme) = text.strip_prefix("?997;").filter(|_| last == b'n') {
        let report = BackgroundReport::of_scheme(scheme);
        return report.map_or(ParsedInput::Nothing(length), |report| ParsedInput::Background(report, length));
    }
    if let Some(report) = text.strip_prefix('<') {
        let numbers = numbers(report);
        let place = |at: usize| numbers.get(at).copied().unwrap_or(1).saturating_sub(1);
        let button = numbers.first().and_then(|button| u8::try_from(*button).ok());
        return button.map_or(ParsedInput::Nothing(length), |button| mouse(button, place(1), place(2), last, length));
    }
    let numbers = numbers(&text);
    let number = |at: usize| numbers.get(at).copied().unwrap_or(1);
    let code = match last {
        b'I' | b'O' if parameters.is_empty() => {
            let event = if last == b'I' { Event::FocusGained } else { Event::FocusLost };
            return ParsedInput::Event(event, length);
        }
        b'M' => {
            let button = u8::try_from(number(0)).unwrap_or_default().saturating_sub(32);
            return mouse(button, number(1).saturating_sub(1), number(2).saturating_sub(1), last, length);
        }
        b'~' => numbered(number(0)),
        b'u' => char::from_u32(u32::from(number(0))).map(|c| match c {
            '\r' => KeyCode::Enter,
            '\t' => KeyCode::Tab,
            '\x1b' => KeyCode::Esc,
            '\x7f' => KeyCode::Backspace,
            c => KeyCode::Char(c),
        }),
        // With other parameters it is a cursor position report.
        b'R' if number(0) != 1 => None,
        _ if parameters.is_empty() || number(0) == 1 => named(last),
        _ => None,
    };
    let modifiers = modifiers(number(1));
    match code {
        Some(KeyCode::Tab) if modifiers.contains(KeyModifiers::SHIFT) => {
            ParsedInput::Event(Event::Key(KeyEvent::new(KeyCode::BackTab, modifiers)), length)
        }
        Some(code) => ParsedInput::Event(Event::Key(KeyEvent::new(code, modifiers)), length),
        None => ParsedInput::Nothing(length),
    }
}

/// `1;5` as numbers; of `5:1` only the first is used. A missing number is 1.
fn numbers(parameters: &str) -> Vec<u16> {
    let first = |part: &str| part.split(':').next().and_then(|number| number.parse().ok()).unwrap_or(1);
    parameters.split(';').map(first).collect()
}

/// Keys that are sent as numbers: `ESC [ 5 ~`.
fn numbered(number: u16) -> Option<KeyCode> {
    Some(match number {
        1 | 7 => KeyCode::Home,
        2 => KeyCode::Insert,
        3 => KeyCode::Delete,
        4 | 8 => KeyCode::End,
        5 => KeyCode::PageUp,
        6 => KeyCode::PageDown,
        11..=15 => function(number - 10),
        17..=21 => function(number - 11),
        23..=24 => function(number - 12),
        _ => return None,
    })
}

fn function(number: u16) -> KeyCode {
    u8::try_from(number).map_or(KeyCode::Null, KeyCode::F)
}

fn modifiers(number: u16) -> KeyModifiers {
    let held = number.saturating_sub(1);
    let of = |bit: u16, modifier| if held & bit == 0 { KeyModifiers::NONE } else { modifier };
    of(1, KeyModifiers::SHIFT) | of(2, KeyModifiers::ALT) | of(4, KeyModifiers::CONTROL)
}

fn paste(bytes: &[u8], before: usize) -> ParsedInput {
    match memmem::find(bytes, PASTE_END) {
        Some(end) => {
            let text = String::from_utf8_lossy(bytes.get(..end).unwrap_or_default()).into_owned();
            ParsedInput::Event(Event::Paste(text), before + end + PASTE_END.len())
        }
        None => ParsedInput::Unfinished,
    }
}

/// Parses the answer about the background, and skips any other answer, up to its terminator or a byte that it
/// cannot contain.
fn string(kind: u8, bytes: &[u8], then: InputTail) -> ParsedInput {
    let Some(end) = bytes.iter().position(|byte| matches!(*byte, 0x07 | ESC | 0x18)) else {
        return ParsedInput::Unfinished;
    };
    let length = match bytes.get(end..) {
        Some([ESC, b'\\', ..]) => end + 4,
        Some([ESC]) if then == InputTail::More => return ParsedInput::Unfinished,
        Some([ESC, ..]) => return ParsedInput::Nothing(end + 2),
        _ => end + 3,
    };
    let text = bytes.get(..end).and_then(|text| std::str::from_utf8(text).ok()).unwrap_or_default();
    let colour = text.strip_prefix("11;").filter(|_| kind == b']');
    match colour.and_then(BackgroundReport::of_colour) {
        Some(report) => ParsedInput::Background(report, length),
        None => ParsedInput::Nothing(length),
    }
}

/// Parses a mouse report: the button with its modifiers, and whether it is released.
fn mouse(report: u8, column: u16, row: u16, last: u8, length: usize) -> ParsedInput {
    let button = match report & 3 {
        0 => MouseButton::Left,
        1 => MouseButton::Middle,
        _ => MouseButton::Right,
    };
    let moves = report & 32 != 0;
    let kind = match (report & 3, report & 0xc0) {
        (3, 0) if moves => MouseEventKind::Moved,
        (3, 0) => MouseEventKind::Up(MouseButton::Left),
        (_, 0) if moves => MouseEventKind::Drag(button),
        (_, 0) if last == b'm' => MouseEventKind::Up(button),
        (_, 0) => MouseEventKind::Down(button),
        (0, 64) => MouseEventKind::ScrollUp,
        (1, 64) => MouseEventKind::ScrollDown,
        (2, 64) => MouseEventKind::ScrollLeft,
        (_, 64) => MouseEventKind::ScrollRight,
        _ => return ParsedInput::Nothing(length),
    };
    let held = modifiers(1 + u16::from(report >> 2 & 7));
    ParsedInput::Event(Event::Mouse(MouseEvent { kind, column, row, modifiers: held }), length)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::tui::key::Key;
    use crate::tui::theme::Background;

    /// All events in these bytes.
    fn all(bytes: &[u8], then: InputTail) -> (Vec<Event>, usize) {
        let (mut events, mut at) = (Vec::new(), 0);
        loop {
            match parse(&bytes[at..], then) {
                ParsedInput::Event(event, length) => {
                    events.push(event);
                    at += length;
                }
                ParsedInput::Background(_, length) | ParsedInput::Nothing(length) => at += length,
                ParsedInput::Unfinished => return (events, at),
            }
        }
    }

    fn shown(bytes: &[u8]) -> String {
        let word = |event: &Event| match event {
            Event::Key(key) => Key::from_event(*key).map_or("-".to_owned(), |key| key.to_string()),
            Event::Mouse(mouse) => format!("{:?}@{},{}", mouse.kind, mouse.column, mouse.row),
            other => format!("{other:?}"),
        };
        all(bytes, InputTail::Quiet).0.iter().map(word).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn sequences_of_terminals() {
        for (bytes, expected) in [
            ("aG é日👍", "a G Space é 日 👍"),
            ("\r\t\x7f\x08\x03\x1a\0\n\x1c\x1f", "Enter Tab Backspace C-h C-c C-z C-Space C-j C-4 C-7"),
            ("\x1b", "Esc"),
            ("\x1b\x1b", "Esc Esc"),
            ("\x1b\x1b[A", "Esc Up"),
            ("\x1bq\x1b\x7f\x1b\r\x1bé", "M-q M-Backspace M-Enter M-é"),
            ("\x1b]\x1bP", "M-] M-P"),
            ("\x1b[A\x1b[B\x1b[C\x1b[D\x1b[H\x1b[F\x1b[Z", "Up Down Right Left Home End BackTab"),
            ("\x1bOA\x1bOH\x1bOP\x1bOS\x1bOM", "Up Home F1 F4 Enter"),
            ("\x1b[1~\x1b[2~\x1b[3~\x1b[4~\x1b[5~\x1b[6~", "Home Insert Delete End PageUp PageDown"),
            ("\x1b[11~\x1b[15~\x1b[17~\x1b[21~\x1b[23~\x1b[24~", "F1 F5 F6 F10 F11 F12"),
            ("\x1b[[A\x1b[[E\x1b[P\x1b[1;2P", "F1 F5 F1 S-F1"),
            ("\x1b[1;5C\x1b[1;2A\x1b[1;3B\x1b[3;5~\x1b[1;2Z\x1b[1;5R", "C-Right S-Up M-Down C-Delete BackTab C-F3"),
            ("\x1b[97;5u\x1b[13;2u\x1b[9;2u\x1b[27;1:1u", "C-a S-Enter BackTab Esc"),
            ("\x1b[200~a\x1b[Ab\r\x1b[201~c", "Paste(\"a\\u{1b}[Ab\\r\") c"),
            ("\x1b[I\x1b[O", "FocusGained FocusLost"),
            ("\x1b[<0;3;4M\x1b[<32;5;6M\x1b[<0;7;8m", "Down(Left)@2,3 Drag(Left)@4,5 Up(Left)@6,7"),
            ("\x1b[<64;1;1M\x1b[<65;300;1M\x1b[<2;1;1M", "ScrollUp@0,0 ScrollDown@299,0 Down(Right)@0,0"),
            ("\x1b[M !!\x1b[M#\"#", "Down(Left)@0,0 Up(Left)@1,2"),
            ("\x1b[32;3;4M\x1b[96;1;1M", "Down(Left)@2,3 ScrollUp@0,0"),
        ] {
            assert_eq!(shown(bytes.as_bytes()), expected, "{bytes:?}");
        }
    }

    #[test]
    fn answers_to_other_programs_type_nothing() {
        for answer in [
            "\x1b[?62;22c",
            "\x1b[>41;354;0c",
            "\x1b[12;40R",
            "\x1b[?2026;2$y",
            "\x1b]11;rgb:0000/0000/0000\x07",
            "\x1b]11;rgb:ffff/ffff/ffff\x1b\\",
            "\x1bP>|xterm(379)\x1b\\",
            "\x1b_Gi=31;OK\x1b\\",
            "\x1b[99;99;99~",
            "\x1bOz",
            "\x1b[\x01",
        ] {
            let expected = if answer.ends_with('\x01') { "C-a j" } else { "j" };
            assert_eq!(shown(format!("{answer}j").as_bytes()), expected, "{answer:?}");
        }
        assert_eq!(shown(b"\xff\xc3j\xe2\x82j\xf5\x80j"), "j j j", "not UTF-8");
        assert_eq!(shown(b"\x1b]abc\x1b[A"), "Up", "an answer that is cut off");
        for begun in [b"\x1b]", b"\x1bP", b"\x1b_"] {
            assert_eq!(parse(begun, InputTail::More), ParsedInput::Unfinished, "{begun:?}");
        }
        assert_eq!(shown(&[b"\x1b]".as_slice(), &[b'x'; LONGEST], b"j"].concat()), "", "one without an end");
        assert_eq!(shown(&[b"\x1b[".as_slice(), &[b'1'; LONGEST], b"j"].concat()), "", "a sequence without a meaning");
    }

    #[test]
    fn reports_of_the_terminals_background() {
        use BackgroundReport::{Answer, Changed};
        for (bytes, expected) in [
            ("\x1b]11;rgb:0000/0000/0000\x07", ParsedInput::Background(Answer(Background::Dark), 24)),
            ("\x1b]11;rgb:ffff/ffff/ffff\x1b\\j", ParsedInput::Background(Answer(Background::Light), 25)),
            ("\x1b[?997;1n", ParsedInput::Background(Changed(Background::Dark), 9)),
            ("\x1b[?997;2nj", ParsedInput::Background(Changed(Background::Light), 9)),
            ("\x1b[?997;3n", ParsedInput::Nothing(9)),
            ("\x1b]10;rgb:ffff/ffff/ffff\x07", ParsedInput::Nothing(24)),
            ("\x1bP11;rgb:ffff/ffff/ffff\x07", ParsedInput::Nothing(24)),
            ("\x1b]11;\x07", ParsedInput::Nothing(6)),
            ("\x1b]11;rgb:ffff/ffff/ff", ParsedInput::Unfinished),
        ] {
            assert_eq!(parse(bytes.as_bytes(), InputTail::Quiet), expected, "{bytes:?}");
        }
    }

    fn any_bytes() -> impl Strategy<Value = Vec<u8>> {
        let piece = prop_oneof![
            Just(b"\x1b[".to_vec()),
            Just(b"\x1b".to_vec()),
            Just(b"\x1b[200~".to_vec()),
            Just(b"\x1b[201~".to_vec()),
            Just(b"\x1b[<0;1;1M".to_vec()),
            Just("é日👍".as_bytes().to_vec()),
            proptest::collection::vec(any::<u8>(), 0..6),
            "[0-9;:<?A-Za-z~]{0,6}".prop_map(String::into_bytes),
        ];
        proptest::collection::vec(piece, 0..12).prop_map(|pieces| pieces.concat())
    }

    proptest! {
        #[test]
        fn splitting_the_bytes_changes_nothing(bytes in any_bytes(), cut in any::<proptest::sample::Index>()) {
            let (whole, used) = all(&bytes, InputTail::More);
            prop_assert!(used <= bytes.len());
            let cut = cut.index(bytes.len() + 1);
            let (mut pieces, first) = all(&bytes[..cut], InputTail::More);
            let (rest, second) = all(&bytes[first..], InputTail::More);
            pieces.extend(rest);
            prop_assert_eq!((pieces, first + second), (whole, used));
        }
    }
}
