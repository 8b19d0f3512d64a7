//! From the preview to a file: the diff, the dialog, the engine's answers.

use ratatui::layout::Position;

use crate::tui::fixture;
use crate::tui::glyphs::Glyphs;
use crate::tui::input::Input;
use crate::tui::state::{PreviewMode, State, Typing, WriteState};
use crate::tui::update::update;
use crate::tui::windows::WindowKind;
use refdesk_desk::RenderPreview;
use refdesk_desk::engine::{Request, Response};
use refdesk_files::output::{WriteFailure, WrittenFile};

use crate::tui::tests::{answer, commands, message, press, screen};
use refdesk_text::{Code, Error};

const NAME: &str = "CircuitBreaker.java.tpl";

fn shown(state: &mut State, outcome: RenderPreview) {
    answer(state, Response::Preview { template: NAME.to_owned(), outcome: Ok(outcome) });
}

/// A value is typed, because a file with sample values is not written.
fn desk(outcome: RenderPreview) -> State {
    let mut state = fixture::state(80, 24);
    press(&mut state, "4 Enter \"org\" Esc Esc");
    shown(&mut state, outcome);
    state
}

fn untouched(outcome: RenderPreview) -> State {
    let mut state = fixture::state(80, 24);
    press(&mut state, "4");
    shown(&mut state, outcome);
    state
}

/// The paths of the requested previews.
fn paths(state: &mut State, keys: &str) -> Vec<Option<String>> {
    let asked = commands(&press(state, keys)).into_iter().filter_map(|command| match command {
        Request::Preview { path, .. } => Some(path),
        _ => None,
    });
    asked.collect()
}

#[test]
fn preview_and_difference_alternate() {
    let mut state = desk(fixture::shown("a\n"));
    press(&mut state, "v");
    assert_eq!(message(&state), "CircuitBreaker.java.tpl has no output file to compare with: w asks for one");
    let mut state = desk(fixture::proposed("a\nb\n", "src/A.java", Some("a\nc\n")));
    press(&mut state, "v");
    assert_eq!(state.view(), PreviewMode::Difference);
    let reported = screen(&state);
    assert!(
        reported.contains("overwrites src/A.java, +1 −1") && reported.contains("-c") && reported.contains("+b"),
        "{reported}"
    );
    press(&mut state, "v");
    assert_eq!(state.view(), PreviewMode::Text);
    let mut state = desk(fixture::refused("a\n", "/etc/passwd is outside the workspace"));
    press(&mut state, "v");
    assert!(screen(&state).contains("/etc/passwd is outside the"), "{}", screen(&state));
}

#[test]
fn exactly_what_was_shown_is_written() {
    let mut state = desk(fixture::shown("a\n"));
    press(&mut state, "w Enter");
    assert_eq!(message(&state), "", "the window says it");
    assert!(screen(&state).contains("Type the path of the file"), "{}", screen(&state));
    assert_eq!(paths(&mut state, "\"s\""), [Some("s".to_owned())]);
    press(&mut state, "Enter");
    assert!(screen(&state).contains("The difference is still being computed"), "{}", screen(&state));
    shown(&mut state, fixture::proposed("a\n", "s", None));
    assert!(screen(&state).contains("new file s · 1 line, 2 bytes · +1 −0"), "{}", screen(&state));
    let written = commands(&press(&mut state, "Enter"));
    let [Request::Write { proposal, .. }] = written.as_slice() else { panic!("{written:?}") };
    assert_eq!((proposal.shown.as_str(), proposal.text.as_str()), ("s", "a\n"));
    assert_eq!(commands(&press(&mut state, "Enter")), [], "once");
    assert!(screen(&state).contains("it is being written"), "{}", screen(&state));
    let written = WrittenFile { shown: "s".to_owned(), bytes: 2, lines: 1 };
    let asked = commands(&answer(&mut state, Response::Written(Ok(written))));
    assert_eq!((state.window, message(&state)), (None, "Wrote s: 1 line, 2 bytes"));
    assert!(matches!(&asked[..], [Request::Preview { path: Some(path), .. }] if path == "s"), "what differs now");
    // With a pick to undo, the message says that the file is not what `u` would undo.
    state.snapshot.undo = Some("pick of @timeouts".into());
    let written = WrittenFile { shown: "s".to_owned(), bytes: 2, lines: 1 };
    answer(&mut state, Response::Written(Ok(written)));
    assert_eq!(message(&state), "Wrote s: 1 line, 2 bytes; u undoes only picks and exclusions");
}

#[test]
fn an_overwrite_is_announced_and_an_unchanged_file_is_not_written() {
    let mut state = desk(fixture::proposed("a\n", "src/A.java", Some("b\n")));
    press(&mut state, "w \"src/A.java\"");
    shown(&mut state, fixture::proposed("a\n", "src/A.java", Some("b\n")));
    let reported = screen(&state);
    assert!(reported.contains("Enter OVERWRITE the file") && reported.contains("(now 2 bytes)"), "{reported}");
    press(&mut state, "Backspace");
    shown(&mut state, fixture::proposed("a\n", "src/A.jav", Some("a\n")));
    let reported = screen(&state);
    assert!(reported.contains("src/A.jav already has exactly this text  "), "{reported}");
    assert_eq!(commands(&press(&mut state, "Enter")), []);
    assert_eq!(message(&state), "src/A.jav already holds this text: there is nothing to write");
}

#[test]
fn a_refused_path_says_why_while_it_is_typed() {
    let mut state = desk(fixture::shown("a\n"));
    press(&mut state, "w \"/etc/x\"");
    shown(&mut state, fixture::refused("a\n", "/etc/x is outside the workspace"));
    let why = "/etc/x is outside the workspace: choose a path inside it";
    assert!(screen(&state).contains(why), "{}", screen(&state));
    assert_eq!(commands(&press(&mut state, "Enter")), []);
    assert_eq!(message(&state), "", "the window says it already");
    assert_eq!(paths(&mut state, "C-u Esc"), [Some(String::new()), None], "an empty path is not a path");
}

#[test]
fn the_window_keeps_its_size_while_a_path_is_typed() {
    let text = "line\n".repeat(40);
    let mut state = desk(fixture::shown(&text));
    update(&mut state, Input::Resize(ratatui::layout::Size::new(120, 36)));
    press(&mut state, "w \"s\"");
    let row = |state: &State| screen(state).lines().position(|line| line.contains("Path")).unwrap();
    let before = row(&state);
    for outcome in [fixture::proposed(&text, "s", None), fixture::refused(&text, "s is a folder")] {
        shown(&mut state, outcome);
        assert_eq!(row(&state), before, "{}", screen(&state));
    }
}

#[test]
fn a_file_that_changed_meanwhile_is_shown_again_and_not_written() {
    let mut state = desk(fixture::proposed("a\n", "A.java", Some("b\n")));
    press(&mut state, "w \"A.java\"");
    shown(&mut state, fixture::proposed("a\n", "A.java", Some("b\n")));
    press(&mut state, "Enter");
    let Some(Ok(fresh)) = fixture::proposed("a\n", "A.java", Some("b\nmine\n")).proposal else { panic!() };
    let refused = Error::new(Code::Changed, "A.java changed", "look again");
    answer(&mut state, Response::Written(Err(WriteFailure { refused, current: vec![fresh.clone()] })));
    assert_eq!((state.templates.writing, message(&state)), (WriteState::Changed, "A.java changed: look again"));
    assert!(state.open_window() == Some(WindowKind::Write), "it stays open");
    press(&mut state, "Down");
    let reported = screen(&state);
    assert!(reported.contains("Nothing was written") && reported.contains("-mine"), "{reported}");
    assert_eq!(
        commands(&press(&mut state, "Enter")),
        [Request::Write { proposal: Box::new(fresh), reason: String::new() }],
        "what is shown now"
    );
}

#[test]
fn a_template_that_does_not_render_is_not_written() {
    let mut state = fixture::state(80, 24);
    press(&mut state, "4 w");
    assert_eq!(message(&state), "the preview is not ready yet");
    let outcome = Err(fixture::unrendered("unclosed block at line 4", Some(4)));
    answer(&mut state, Response::Preview { template: NAME.to_owned(), outcome });
    press(&mut state, "w");
    assert_eq!(message(&state), "CircuitBreaker.java.tpl does not render: unclosed block at line 4");
}

#[test]
fn the_templates_own_path_is_suggested() {
    let mut offers = fixture::proposed("a\n", "gen/A.java", None);
    offers.made.offered = Some("gen/A.java".to_owned());
    let mut state = desk(offers.clone());
    press(&mut state, "w");
    assert_eq!(state.templates.path.text(), "gen/A.java");
    assert!(matches!(&commands(&press(&mut state, "Enter"))[..], [Request::Write { .. }]));
    let mut state = desk(offers);
    assert_eq!(paths(&mut state, "w C-u \"b\"").last(), Some(&Some("b".to_owned())));
    press(&mut state, "Esc w");
    assert_eq!(state.templates.path.text(), "b", "the typed path counts more");
}

#[test]
fn a_file_with_samples_is_not_written_and_enter_goes_to_the_first_value_not_given() {
    let text = "package ‹basePackage›;\n";
    for (text, path) in [(text, "A.java"), ("a\n", "src/‹basePackage›/A.java")] {
        let mut offers = fixture::proposed(text, path, None);
        offers.made.offered = Some(path.to_owned());
        let mut state = untouched(offers);
        press(&mut state, "w");
        let reported = screen(&state);
        assert!(reported.contains("Enter go to the first missing value"), "{reported}");
        assert!(reported.contains("not given: basePackage"), "{reported}");
        assert_eq!(commands(&press(&mut state, "Enter")), [], "nothing is written");
        assert_eq!((state.window, state.typing), (None, Some(Typing::Value)));
        let row = &state.templates.form[state.templates.variable.at];
        assert_eq!((row.name.as_str(), row.is_sample()), ("basePackage", true));
        assert!(message(&state).starts_with("nothing was written: "), "{}", message(&state));
        assert!(message(&state).ends_with("; fill them in, then Esc and w"), "{}", message(&state));
    }
}

#[test]
fn missing_values_come_first_where_rows_are_short() {
    let path = format!("src/{}A.java", "long-folder/".repeat(9));
    for (width, height, missing) in [(40, 10, "! 2 values are not given  "), (60, 15, "! 2 values are not given")] {
        let mut offers = fixture::proposed("package ‹basePackage›;\n", &path, None);
        offers.made.offered = Some(path.clone());
        let mut state = fixture::state(width, height);
        press(&mut state, "4");
        shown(&mut state, offers);
        press(&mut state, "w");
        let reported = screen(&state);
        for part in [missing, "more lines, in the preview"] {
            assert!(reported.contains(part), "{width}x{height}\n{reported}");
        }
    }
}

#[test]
fn samples_are_shown_in_ascii_where_the_terminal_has_nothing_else() {
    let text = "// ‹basePackage›\npackage ‹basePackage›;\n";
    for (keys, shown) in
        [("", "package <basePackage>;"), ("v", "+package <basePackage>;"), ("w", "new file <basePackage>/A.java ")]
    {
        let mut state = untouched(fixture::proposed(text, "‹basePackage›/A.java", None));
        state.skin.glyphs = Glyphs::ASCII;
        press(&mut state, keys);
        let screen = screen(&state);
        assert!(screen.contains(shown) && !screen.contains(['‹', '›']), "{keys}: {screen}");
    }
}

#[test]
fn a_template_that_disappears_closes_its_dialog() {
    let mut state = desk(fixture::proposed("a\n", "A.java", None));
    press(&mut state, "w \"A.java\"");
    update(&mut state, Input::Snapshot(Box::new(fixture::snapshot())));
    assert!(state.open_window() == Some(WindowKind::Write), "it is still there");
    let mut snapshot = fixture::snapshot();
    let mut templates = (*snapshot.templates).clone();
    templates.templates.remove(0);
    snapshot.templates = templates.into();
    update(&mut state, Input::Snapshot(Box::new(snapshot)));
    let why = "CircuitBreaker.java.tpl was removed from the list, and nothing was written";
    assert_eq!((state.window, state.lost_field.as_deref()), (None, Some(why)));
    assert_eq!(press(&mut state, "\"q\" Enter"), [], "the rest of the path");
}

#[test]
fn the_mouse_fills_in_and_writes() {
    let mut state = untouched(fixture::proposed("a\n", "A.java", None));
    let click = |state: &mut State, text: &str, right: usize| {
        let shown = screen(state);
        let (y, line) = shown.lines().enumerate().find(|(_, line)| line.contains(text)).unwrap();
        let x = line[..line.find(text).unwrap()].chars().count() + right;
        let at = Position { x: u16::try_from(x).unwrap(), y: u16::try_from(y).unwrap() };
        commands(&update(state, Input::Click(at)))
    };
    let asked = click(&mut state, "[ ] no", 1);
    assert!(matches!(&asked[..], [Request::Preview { values: Some(_), .. }]), "a click toggles the box: {asked:?}");
    assert!(screen(&state).contains("[x] yes"));
    click(&mut state, "basePackage", 0);
    assert_eq!(state.typing, None, "a row gets the cursor first");
    click(&mut state, "basePackage", 0);
    assert_eq!(state.typing, Some(Typing::Value));
    press(&mut state, "Esc w \"A.java\"");
    shown(&mut state, fixture::proposed("a\n", "A.java", None));
    assert!(matches!(&click(&mut state, "Enter write", 2)[..], [Request::Write { .. }]));
}
