//! Keys that the user changed, and chords: what they do, and that the screen names only keys that work.

use std::sync::Arc;

use ratatui::layout::{Position, Size};

use crate::tui::action::read_keymap;
use crate::tui::filtering::FilteredList;
use crate::tui::fixture;
use crate::tui::input::{Effect, Input};
use crate::tui::pane::Pane;
use crate::tui::state::{State, Typing};
use crate::tui::tests::consequences::picked;
use crate::tui::tests::{answer, commands, message, press, screen, typed};
use crate::tui::update::update;
use crate::tui::windows::WindowKind;
use refdesk_core::config::screen_files::{ScreenFile, ScreenFiles};
use refdesk_desk::engine::{Request, Snapshot};
use refdesk_text::Code;
use refdesk_text::report::Diagnostic;

fn with_keymap(width: u16, height: u16, text: &str) -> State {
    let mut state = fixture::state(width, height);
    let (keymap, problems) = read_keymap(text, "keymap.toml");
    assert!(!problems.iter().any(Diagnostic::is_error), "{problems:?}");
    state.keymap = keymap;
    state
}

const CHORDS: &str = "[list]\ntop = \"g g\"\nbottom = \"g e\"\n[global]\nreload = \"g r\"\nundo = \"g u\"\n\
                      profiles = [\"Space p\", \"g w p\"]\nproblems = [\"d\", \"g w d\"]\n\
                      [catalog]\npick = \"Enter\"\nread = \"o\"\nopen = \"O\"\n[selection]\npick = \"Enter\"\nread = \"o\"\nopen = \"O\"\n\
                      [hints]\npick = \"p\"\nkeep = \"k\"\n[graph]\npick = \"F9\"\n[databases]\npick = \"F9\"\n[request]\nmark = \"m\"\n[values]\nset = [\"Enter\", \"i\"]\n";

fn chords(width: u16, height: u16) -> State {
    with_keymap(width, height, CHORDS)
}

#[test]
fn problems_of_own_files_count_as_their_rows_do() {
    let mut state = fixture::state(120, 36);
    let problems = vec![Diagnostic::error(Code::UnknownValue, "no such action").in_file("keymap.toml")];
    let files = ScreenFiles { problems, ..ScreenFiles::default() };
    let snapshot = Snapshot { screen_files: Some(Arc::new(files)), ..fixture::snapshot() };
    update(&mut state, Input::Snapshot(Box::new(snapshot)));
    let shown = screen(&state);
    let top = shown.lines().next().unwrap_or_default();
    assert!(top.contains("1 error") && top.contains("1 problem in your settings"), "{top}");
    let narrow = State { size: ratatui::layout::Size::new(80, 24), ..state.clone() };
    let top = screen(&narrow).lines().next().unwrap_or_default().to_owned();
    let kept = ["~4,628 of 128k", "1 picked", "1 error", "1 warning", "1 in your settings"];
    assert!(kept.iter().all(|it| top.contains(it)) && !top.contains("pulled in"), "{top}");
    press(&mut state, "d");
    let shown = screen(&state);
    assert!(shown.contains("2 errors · 1 warning (1 in your own files)"), "{shown}");
    let rows = ["error ", "warning "].map(|word| shown.lines().filter(|line| line.contains(word)).count());
    assert!(rows[0] >= 2 && rows[1] >= 1, "{shown}");
}

fn with_files(state: &mut State, keymap: Option<&str>) {
    let file = keymap.map(|text| ScreenFile {
        name: "keymap".to_owned(),
        text: text.to_owned(),
        shown: "keymap.toml".to_owned(),
    });
    let files = ScreenFiles { keymap: file, ..ScreenFiles::default() };
    let snapshot = Snapshot { screen_files: Some(Arc::new(files)), ..fixture::snapshot() };
    update(state, Input::Snapshot(Box::new(snapshot)));
}

#[test]
fn a_keymap_that_cannot_be_parsed_changes_no_key() {
    let mut state = fixture::state(120, 36);
    with_files(&mut state, Some("[global]\nquit = \"Q\""));
    with_files(&mut state, Some("[global]\nquit = \"Q"));
    assert_eq!(message(&state), "Your keymap cannot be read, so your keys stay as they were: d shows why");
    assert_eq!(press(&mut state, "q"), []);
    assert_eq!(press(&mut state, "Q"), [Effect::Quit]);
    let files = ScreenFiles { is_keymap_unreadable: true, ..ScreenFiles::default() };
    let snapshot = Snapshot { screen_files: Some(Arc::new(files)), ..fixture::snapshot() };
    update(&mut state, Input::Snapshot(Box::new(snapshot)));
    assert_eq!(press(&mut state, "Q"), [Effect::Quit], "nor does one that cannot be opened");
    with_files(&mut state, None);
    assert_eq!(message(&state), "Your keymap is gone, and the default keys work again. ? shows them.");
    assert_eq!(press(&mut state, "q"), [Effect::Quit]);
}

#[test]
fn a_click_on_a_key_that_continues_a_chord_is_that_key() {
    for (text, asked, pressed) in [
        ("r reload", vec![Request::Reload], ""),
        ("w \u{2026}", vec![], "g w"),
        ("Esc cancel", vec![], ""),
        ("g \u{2026}", vec![], ""),
    ] {
        let mut state = chords(80, 24);
        press(&mut state, "g");
        let shown = screen(&state);
        let (y, line) = shown.lines().enumerate().filter(|(_, line)| line.contains(text)).last().unwrap();
        let x = line.split(text).next().unwrap().chars().count();
        let at = Position { x: u16::try_from(x).unwrap(), y: u16::try_from(y).unwrap() };
        assert_eq!(commands(&update(&mut state, Input::Click(at))), asked, "{text}");
        let left: Vec<String> = state.chord.iter().map(ToString::to_string).collect();
        assert_eq!(left.join(" "), pressed, "{text}");
    }
    let mut state = chords(80, 24);
    press(&mut state, "g");
    assert_eq!(update(&mut state, Input::Click(Position { x: 70, y: 1 })), []);
    assert_eq!((state.chord.len(), message(&state)), (0, ""), "a click elsewhere cancels");
}

#[test]
fn changed_keys_act_and_the_old_ones_do_not() {
    let text = "[catalog]\npick = \"F2\"\n[list]\ndown = \"n\"\n[global]\nquit = []\n[filter]\nclear-filter = \"C-g\"";
    let mut state = with_keymap(80, 24, text);
    assert_eq!(commands(&press(&mut state, "Space")), []);
    assert_eq!(message(&state), "Space does nothing here: pick is F2");
    assert_eq!(commands(&press(&mut state, "F2")), [Request::pick_if_few("team-conventions")]);
    press(&mut state, "n n j");
    assert_eq!(state.catalog.cursor.at, 2);
    assert_eq!(press(&mut state, "q"), []);
    assert_eq!(message(&state), "q does nothing here: ? shows the keys");
    press(&mut state, "/ \"a\" Esc");
    assert_eq!(state.typing, Some(Typing::Filter(FilteredList::Catalog)), "Esc is bound to nothing there now");
    press(&mut state, "C-g");
    assert_eq!((state.typing, state.catalog.rows.len()), (None, 10));
}

#[test]
fn a_key_without_a_binding_names_only_keys_that_have_one() {
    for (text, expected) in [
        ("[global]\nhelp = []", "? does nothing here; : lists every action"),
        ("[global]\nhelp = []\npalette = \"F2\"", "? does nothing here; F2 lists every action"),
        ("[global]\nhelp = []\npalette = []", "? does nothing here"),
    ] {
        let mut state = with_keymap(80, 24, text);
        press(&mut state, "?");
        assert_eq!(message(&state), expected, "{text}");
    }
}

#[test]
fn sentences_name_the_key_that_works_in_the_focused_pane() {
    let text = "[global]\ngraph = \"g\"\nundo = \"Space\"";
    for (keys, text, expected) in [
        ("", text, "Picked @timeouts, ~640 tokens: :undo undoes it"),
        ("4", text, "Picked @timeouts, ~640 tokens: Space undoes it"),
        ("", "[global]\nundo = [\"Space\", \"F9\"]", "Picked @timeouts, ~640 tokens: F9 undoes it"),
    ] {
        let mut state = fixture::state(120, 36);
        state.keymap = read_keymap(text, "keymap.toml").0;
        press(&mut state, keys);
        answer(&mut state, picked(&["timeouts"], &[], &[], 640));
        assert_eq!(message(&state), expected, "{keys} {text}");
    }
    let mut state = fixture::state(120, 36);
    state.keymap = read_keymap(text, "keymap.toml").0;
    typed(&mut state, ": \"graph\"");
    let shown = screen(&state);
    assert!(!shown.lines().any(|line| line.contains(" graph  g ")), "{shown}");
}

#[test]
fn chords_of_several_keys() {
    for (keys, row, pressed) in [
        ("g e", 9, ""),
        ("g e g g", 0, ""),
        ("j g", 1, "g"),
        ("j g x", 1, ""),
        ("j g Esc", 1, ""),
        ("j g w", 1, "g w"),
        ("g e g Esc k", 8, ""),
    ] {
        let mut state = chords(80, 24);
        press(&mut state, keys);
        let shown: Vec<String> = state.chord.iter().map(ToString::to_string).collect();
        assert_eq!((state.catalog.cursor.at, shown.join(" ").as_str()), (row, pressed), "{keys}");
    }
    let mut state = chords(80, 24);
    assert_eq!(commands(&press(&mut state, "g r")), [Request::Reload]);
    press(&mut state, "g x");
    assert_eq!(message(&state), "g x does nothing here: ? shows the keys");
    press(&mut state, "a");
    assert!(
        screen(&state).contains(" a (add item) is available in the variables"),
        "A is another key: {}",
        screen(&state)
    );
    press(&mut state, "g Esc");
    assert_eq!(message(&state), "", "a cancelled chord is not a mistake");
    assert_eq!(press(&mut state, "g C-c"), [Effect::Quit], "what always works also works within a chord");
    press(&mut state, "/ \"gg\"");
    assert_eq!(state.catalog.filter.text(), "gg", "a chord of the panes is text in a field");
}

#[test]
fn nothing_is_done_unseen_in_a_terminal_that_is_too_small() {
    let mut state = chords(39, 9);
    for keys in ["Space", "q", "A", "Enter", "/ \"x\""] {
        assert_eq!(commands(&press(&mut state, keys)), [], "{keys}");
    }
    assert_eq!((state.typing, state.window.is_none(), state.catalog.cursor.at), (None, true, 0));
    assert_eq!(press(&mut state, "C-c"), [Effect::Quit]);
    update(&mut state, Input::Resize(Size { width: 80, height: 24 }));
    assert_eq!(commands(&press(&mut state, "g r")), [Request::Reload]);
}

#[test]
fn other_input_keeps_or_ends_a_chord() {
    let mut state = chords(80, 24);
    press(&mut state, "g");
    update(&mut state, Input::Snapshot(Box::new(fixture::snapshot())));
    assert_eq!(state.chord.len(), 1);
    update(&mut state, Input::Paste("x".to_owned()));
    assert_eq!(state.chord.len(), 0);
    press(&mut state, "g");
    state.keymap = crate::tui::action::Keymap::default();
    update(&mut state, Input::Snapshot(Box::new(fixture::snapshot())));
    assert_eq!(state.chord.len(), 0, "no key can continue it");
}

fn which_key(keys: &str, width: u16, height: u16) -> String {
    let mut state = chords(width, height);
    press(&mut state, keys);
    screen(&state)
}

#[test]
fn which_key_80x24() {
    insta::assert_snapshot!(which_key("g", 80, 24));
}

#[test]
fn which_key_in_many_rows_40x12() {
    insta::assert_snapshot!(which_key("g", 40, 12));
}

#[test]
fn which_key_of_a_longer_chord_120x36() {
    insta::assert_snapshot!(which_key("2 g w", 120, 36));
}

/// A keymap that replaces every key that a sentence could name.
fn all_changed() -> String {
    let mut text = String::new();
    let mut last = None;
    for (binding, context) in crate::tui::action::in_contexts() {
        if last != Some(context) {
            text.push_str(&format!("[{}]\n", context.word()));
            last = Some(context);
        }
        let changed: Vec<String> =
            binding.default_keys().map(|keys| format!("\"C-M-{}\"", bare(&keys.to_string()))).collect();
        text.push_str(&format!("{} = [{}]\n", binding.word(), changed.join(", ")));
    }
    text
}

/// Maps keys such as `C-x`, `M-x` and `x` to distinct characters without modifiers.
fn bare(key: &str) -> String {
    match key {
        "Space" | "Enter" | "Esc" | "Tab" | "BackTab" | "Backspace" | "Delete" | "Insert" | "Up" | "Down" | "Left"
        | "Right" | "Home" | "End" | "PageUp" | "PageDown" | "F1" => format!("S-{key}"),
        plain if plain.chars().count() == 1 => plain.to_owned(),
        held => char::from_u32(0x400 + held.bytes().map(u32::from).sum::<u32>()).unwrap_or('?').to_string(),
    }
}

#[test]
fn no_sentence_names_a_key_that_does_not_work() {
    let mut changed = with_keymap(200, 60, "");
    let text = all_changed().replace("S-Space", "\u{2423}");
    let (keymap, problems) = read_keymap(&text, "keymap.toml");
    assert!(!problems.iter().any(Diagnostic::is_error), "{problems:?}");
    let named = regex::Regex::new(
        r"(^|[ (:,.])(Space|Enter|Esc|Tab|[a-zA-Z?!]) (picks|unpicks|keeps|excludes|includes|would|opens|shows|goes|adds|removes|toggles|types|leaves|closes|marks|chooses|answers|turns|brings|deletes|copies|takes|ticks|asks|resets)\b|[Pp]ress (Space|Enter|Esc|Tab|[a-zA-Z?!/0-9])([ .,:;]|$)",
    )
    .unwrap();
    for keys in [
        "",
        "2",
        "3",
        "4",
        "G",
        "2 G",
        "2 G k",
        "?",
        "d",
        "/ \"cobol\"",
        "3 i \"java x/java\" Esc",
        "4 Enter",
        "f",
        "j j Space",
        "p",
        ":",
        "C",
        "A",
        "!",
    ] {
        let mut state = fixture::state(200, 60);
        typed(&mut state, keys);
        let before = screen(&state);
        let file = ScreenFile { name: "keymap".to_owned(), shown: "keymap.toml".to_owned(), text: text.clone() };
        let files = ScreenFiles { keymap: Some(file), ..ScreenFiles::default() };
        let snapshot = Snapshot { screen_files: Some(Arc::new(files)), ..state.snapshot.clone() };
        update(&mut state, Input::Snapshot(Box::new(snapshot)));
        let after = screen(&state);
        for line in after.lines() {
            let found = named.find(line).map(|it| it.as_str());
            // A message from before the change stays.
            assert!(found.is_none() || message(&state).contains(found.unwrap_or_default().trim()), "{keys}: {line}");
        }
        if message(&state).is_empty() && state.focus == Pane::Catalog {
            assert_ne!(before, after, "{keys}");
        }
    }
    changed.keymap = keymap;
    for keys in [
        "C-M-2",
        "C-M-3",
        "C-M-4",
        "C-M-f",
        "C-M-G C-M-p",
        "C-M-C",
        "C-M-A",
        "C-M-u",
        "C-M-z C-M-<",
        "Space",
        "x",
        "C-M-M",
    ] {
        press(&mut changed, keys);
        let found = named.find(message(&changed));
        assert!(found.is_none(), "{keys}: {}", message(&changed));
    }
}

#[test]
fn the_help_begins_with_the_marks_and_finds_keys_by_words() {
    let mut state = with_keymap(120, 36, "[catalog]\nsort = \"F6\"");
    press(&mut state, "?");
    let help = screen(&state);
    assert!(help.find("Marks") < help.find("Show only matching sources"), "{help}");
    press(&mut state, "/ \"sort catalog\"");
    assert!(screen(&state).contains("F6"), "{}", screen(&state));
    assert!(!screen(&state).contains("Redo what was undone"));
    press(&mut state, "Enter");
    assert_eq!(state.open_window(), Some(WindowKind::Help));
    assert!(screen(&state).contains("sort catalog"), "the words stay");
    press(&mut state, "/ \" qqq\"");
    assert!(screen(&state).contains("No key matches these words. C-u deletes what you typed."));
    press(&mut state, "Esc");
    assert!(screen(&state).contains("Marks"), "everything again");
    press(&mut state, "/ \"sort\" Enter Esc ?");
    assert!(screen(&state).contains("Marks"));
}
