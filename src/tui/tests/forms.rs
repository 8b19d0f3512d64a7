//! A template's form: typing values in turn, flags, list items, JSON, and the filter of the list.

use std::sync::Arc;

use serde_json::{Value, json};

use crate::tui::action::Action;
use crate::tui::disabled::disabled;
use crate::tui::fixture;
use crate::tui::highlight::{CodePiece, HighlightSubject, Spans};
use crate::tui::input::{Effect, Input};
use crate::tui::layout;
use crate::tui::pane::Pane;
use crate::tui::state::{PanePart, State, Typing};
use crate::tui::templates::{preview, preview_update};
use crate::tui::update::update;
use crate::tui::windows::WindowKind;
use refdesk_core::catalog::Catalog;
use refdesk_desk::engine::{Request, Response, Snapshot};

use crate::tui::templates::values::RowValue;
use crate::tui::tests::paint;
use crate::tui::tests::{answer, commands, message, press, screen};

/// The values of each requested preview.
fn asked(effects: &[Effect]) -> Vec<Value> {
    let values = commands(effects).into_iter().filter_map(|command| match command {
        Request::Preview { values, .. } => Some(values.unwrap_or_default()),
        _ => None,
    });
    values.collect()
}

/// The values of the newest preview after these keys.
fn values(state: &mut State, keys: &str) -> Value {
    asked(&press(state, keys)).pop().unwrap_or_default()
}

fn under_cursor(state: &State) -> String {
    state.templates.form.get(state.templates.variable.at).map(|row| row.name.clone()).unwrap_or_default()
}

#[test]
fn every_key_of_a_value_requests_a_preview() {
    let mut state = fixture::state(80, 24);
    press(&mut state, "4 Enter");
    assert_eq!((state.part, state.typing), (PanePart::Values, Some(Typing::Value)), "typing begins immediately");
    let typed = asked(&press(&mut state, "\"ab\""));
    assert_eq!(typed.iter().map(|all| &all["basePackage"]).collect::<Vec<_>>(), ["a", "ab"]);
    assert_eq!(values(&mut state, "Esc x")["basePackage"], "‹basePackage›", "it is a sample again");
    assert_eq!(commands(&press(&mut state, "x")), []);
    assert!(message(&state).starts_with("nothing to reset"));
    press(&mut state, "Esc Esc j Enter");
    assert!(message(&state).contains("has no variables"), "{}", message(&state));
}

#[test]
fn json_that_is_invalid_is_not_a_value() {
    let mut state = fixture::state(120, 36);
    assert_eq!(values(&mut state, "4 Enter \":={bad\"")["basePackage"], "‹basePackage›");
    press(&mut state, "Enter Esc");
    let shown = screen(&state);
    assert!(shown.contains("does not fit  :={bad"), "{shown}");
    let missing: Vec<&str> = preview::missing(&state).iter().map(|(_, row)| row.name.as_str()).collect();
    assert!(missing.contains(&"basePackage"), "{missing:?}");
}

#[test]
fn a_whole_form_is_filled_without_leaving_the_fields() {
    let mut state = fixture::state(80, 24);
    press(&mut state, "4 Enter \"org.example\" Enter");
    assert_eq!(under_cursor(&state), "name", "an object is passed over");
    press(&mut state, "\"id\" Tab");
    assert_eq!((under_cursor(&state).as_str(), state.typing), ("nullable", Some(Typing::Value)), "a flag is a stop");
    let all = values(&mut state, "\"y\"");
    assert_eq!(all, json!({"basePackage": "org.example", "fields": [{"name": "id", "nullable": true}]}));
    assert_eq!(values(&mut state, "Space")["fields"][0]["nullable"], json!(false));
    assert_eq!(values(&mut state, "Space")["fields"][0]["nullable"], json!(true));
    assert_eq!(commands(&press(&mut state, "\"y?\" Left Backspace")), [], "yes already; the rest means nothing there");
    press(&mut state, "BackTab");
    assert_eq!(state.templates.value.text(), "id", "typed text can be corrected");
    let all = values(&mut state, "C-o \"at\" Down Space");
    assert_eq!(all["fields"], json!([{"name": "id", "nullable": true}, {"name": "at", "nullable": true}]));
    press(&mut state, "Enter");
    assert_eq!((state.typing, state.part), (None, PanePart::Values), "typing ends after the last value");
    assert!(message(&state).contains("w writes the preview, Tab goes to the first value"), "{}", message(&state));
    press(&mut state, "Tab");
    assert_eq!((under_cursor(&state).as_str(), state.focus), ("basePackage", Pane::Templates), "Tab stays in the form");
    press(&mut state, "Esc BackTab Esc");
    assert_eq!(under_cursor(&state), "nullable", "and backwards the last value is next");
    press(&mut state, "Up Enter Up Up");
    assert_eq!(state.templates.value.text(), "id");
    press(&mut state, "BackTab BackTab");
    assert_eq!(state.typing, None, "and before the first one");
}

#[test]
fn the_preview_stays_where_it_is_while_values_are_typed() {
    let widths = [(80, 40), (120, 40), (200, 78)];
    for (width, least) in widths {
        let mut state = fixture::state(width, 36);
        press(&mut state, "4");
        let (whole, before) = (screen(&state), state.parts(Pane::Templates).unwrap());
        assert!(whole.contains("‹basePackage›"), "{width}: {whole}");
        assert!(before.detail.width >= least, "{width}: {before:?}");
        press(&mut state, "Enter \"a.value.that.is.longer.than.any.sample.and.than.the.form.itself\"");
        let typing = state.parts(Pane::Templates).unwrap();
        press(&mut state, "Esc");
        let after = state.parts(Pane::Templates).unwrap();
        let columns = |parts: layout::PaneLayout| (parts.detail.x, parts.detail.width);
        assert_eq!([columns(typing), columns(after)], [columns(before); 2], "{width}");
    }
}

#[test]
fn items_are_added_and_removed() {
    let mut state = fixture::state(80, 24);
    press(&mut state, "4 Enter Esc");
    assert_eq!(disabled(&state, Action::AddItem).unwrap(), "basePackage is not a list");
    press(&mut state, "j a \"b\" Esc k");
    assert_eq!(
        values(&mut state, "x")["fields"],
        json!([{"name": "‹name›", "nullable": false}]),
        "the second one goes"
    );
    assert_eq!(under_cursor(&state), "nullable");
    assert_eq!(values(&mut state, "k k x")["fields"], json!([]), "and the first");
    assert_eq!(under_cursor(&state), "fields");
    assert_eq!(
        values(&mut state, "Enter \"c\"")["fields"],
        json!([{"name": "c", "nullable": false}]),
        "into an empty list"
    );
    press(&mut state, "Esc k k");
    let sample = json!({"name": "‹name›", "nullable": false});
    assert_eq!(values(&mut state, "x")["fields"], json!([sample, sample]), "the list is a sample again");
}

#[test]
fn pasted_json_replaces_the_values() {
    let mut state = fixture::state(80, 24);
    press(&mut state, "4 Enter");
    let paste = |state: &mut State, text: &str| update(state, Input::Paste(text.to_owned()));
    let document = json!({"basePackage": "p", "fields": [{"name": "a"}, {"name": 2}], "more": [1]});
    let mut given = document.clone();
    for item in given["fields"].as_array_mut().unwrap() {
        item["nullable"] = json!(false);
    }
    assert_eq!(asked(&paste(&mut state, &format!("  {document:#}\n"))), [given]);
    assert!(message(&state).starts_with("4 values pasted"), "{}", message(&state));
    assert!(screen(&state).contains("not used"), "{}", screen(&state));
    assert_eq!(asked(&paste(&mut state, "{\"basePackage\":\n 1,}")), [""; 0]);
    assert_eq!(message(&state), "the pasted text is not valid JSON, line 2, column 4: trailing comma; nothing changed",);
    let all = asked(&paste(&mut state, "plain")).pop().unwrap();
    assert_eq!(all["fields"][0]["name"], json!("a"), "the cursor is on the first value");
    assert_eq!(all["basePackage"], json!("plain"), "invalid JSON is typed as text");
    let all = asked(&paste(&mut state, "{}")).pop().unwrap();
    assert_eq!(all["basePackage"], json!("plain{}"), "after a value it is a part of it");
}

#[test]
fn a_value_of_several_lines_is_pasted_shown_and_deleted_whole() {
    let paste = |state: &mut State, text: &str| asked(&update(state, Input::Paste(text.to_owned()))).pop().unwrap();
    for (text, value) in [
        ("one\r\ntwo\n", "one\ntwo\n"),
        ("\none\n", "\none\n"),
        ("a copied line\n", "a copied line"),
        ("  one\rtwo", "  one\ntwo"),
    ] {
        let mut state = fixture::state(80, 24);
        press(&mut state, "4 Enter");
        assert_eq!(paste(&mut state, text)["basePackage"], value, "{text:?}");
        let shown = value.replace('\n', "⏎");
        assert!(screen(&state).contains(&shown), "{text:?} {}", screen(&state));
        press(&mut state, "Esc");
        assert!(screen(&state).contains(&shown), "{text:?} {}", screen(&state));
        assert_eq!(values(&mut state, "Enter C-u \"x\"")["basePackage"], "x", "{text:?}");
    }
    let mut state = fixture::state(80, 24);
    press(&mut state, "4 Enter");
    paste(&mut state, "one\ntwo");
    assert_eq!(values(&mut state, "Home \"x\"")["basePackage"], "xone\ntwo");
    assert_eq!(values(&mut state, "Home C-k \"y\"")["basePackage"], "y");
    press(&mut state, "Down Down");
    assert_eq!(under_cursor(&state), "nullable");
    assert_eq!(
        paste(&mut state, "yes \n")["fields"][0]["nullable"],
        json!(true),
        "blanks around a word toggle nothing"
    );
    press(&mut state, "Up Up");
    state.skin.glyphs = crate::tui::glyphs::Glyphs::ASCII;
    paste(&mut state, "one\ntwo");
    assert!(screen(&state).contains("  one\\ntwo "), "{}", screen(&state));
}

#[test]
fn values_are_edited_as_json_in_the_editor() {
    let mut state = fixture::state(80, 24);
    press(&mut state, "4 Enter \"p\" Esc");
    let sent = |state: &mut State, keys: &str| match press(state, keys).as_slice() {
        [Effect::EditText { text, line }] => (text.clone(), *line),
        other => panic!("{other:?}"),
    };
    let back = |state: &mut State, text: &str| asked(&update(state, Input::Edited(Some(text.to_owned()))));
    let (text, line) = sent(&mut state, "E");
    let document: Value = serde_json::from_str(&text).unwrap();
    assert_eq!((document, line), (json!({"basePackage": "p", "fields": [{"name": "", "nullable": false}]}), 1));
    assert_eq!(back(&mut state, &text), [""; 0], "nothing changed, nothing is asked");
    assert_eq!(message(&state), "the values have not changed");
    sent(&mut state, "E");
    assert_eq!(back(&mut state, "{\n\"basePackage\": \"q\"\n"), [""; 0]);
    assert_eq!(state.open_window(), Some(WindowKind::InvalidValues));
    assert!(screen(&state).contains("line 3, column 1: an object is"), "{}", screen(&state));
    assert_eq!(sent(&mut state, "y"), ("{\n\"basePackage\": \"q\"\n".to_owned(), 3), "the text is kept");
    back(&mut state, "{\n");
    press(&mut state, "Esc");
    assert_eq!(sent(&mut state, "E").0, "{\n", "also after leaving it");
    assert_eq!(back(&mut state, "{\"basePackage\": \"q\"}")[0]["basePackage"], json!("q"));
    sent(&mut state, "E");
    update(&mut state, Input::Edited(None));
    assert_eq!(state.templates.draft, None, "an editor that failed changes nothing");
}

#[test]
fn values_stay_with_their_template_as_far_as_they_fit() {
    let mut state = fixture::state(80, 24);
    press(&mut state, "4 Enter \"p\" Enter \"id\" Esc Esc j k");
    assert_eq!(state.templates.form[0].holds, RowValue::Text("p".to_owned()));
    let mut snapshot = fixture::snapshot();
    let mut templates = (*snapshot.templates).clone();
    templates.templates[0].variables.remove(0);
    snapshot.templates = templates.into();
    let all = asked(&update(&mut state, Input::Snapshot(Box::new(snapshot)))).pop().unwrap();
    assert_eq!(all["fields"], json!([{"name": "id", "nullable": false}]));
    assert!(screen(&state).contains("1 not used"), "{}", screen(&state));
    let changed = asked(&update(&mut state, Input::Snapshot(Box::new(fixture::snapshot()))));
    assert_eq!(changed[0]["basePackage"], json!("p"), "it asks for it again");
}

#[test]
fn the_rest_of_what_is_typed_into_a_field_that_is_gone_is_ignored() {
    type Change = fn(&mut Snapshot);
    let changes: [(&str, Change, &str); 4] = [
        (
            "4 Enter \"A\"",
            |snapshot| drop(Arc::make_mut(&mut snapshot.templates).templates.remove(0)),
            "CircuitBreaker.java.tpl was removed from the list",
        ),
        (
            "4 Enter \"A\"",
            |snapshot| snapshot.templates = Arc::default(),
            "CircuitBreaker.java.tpl was removed from the list",
        ),
        (
            "4 Enter \"A\"",
            |snapshot| Arc::make_mut(&mut snapshot.templates).templates[0].variables[0].name = "package".into(),
            "CircuitBreaker.java.tpl no longer has this value",
        ),
        (
            "j Enter / \"re\"",
            |snapshot| {
                let others = fixture::sources().into_iter().filter(|source| source.id.as_str() != "circuit-breaker");
                snapshot.catalog = Arc::new(Catalog::new(others.collect()));
            },
            "@circuit-breaker was removed from the list",
        ),
    ];
    for (keys, change, why) in changes {
        let mut state = fixture::state(120, 36);
        press(&mut state, keys);
        let mut snapshot = fixture::snapshot();
        change(&mut snapshot);
        update(&mut state, Input::Snapshot(Box::new(snapshot)));
        let (focus, typed) = (state.focus, state.templates.typed.clone());
        let mut effects = press(&mut state, "\"qxT*\" Enter Tab Space F1");
        effects.extend(update(&mut state, Input::Paste("q".to_owned())));
        assert!(!effects.contains(&Effect::Quit) && commands(&effects).is_empty(), "{why}: {effects:?}");
        assert_eq!((state.focus, state.window, state.typing), (focus, None, None), "{why}");
        assert_eq!(state.templates.typed, typed, "{why}: nothing goes into another field");
        assert!(screen(&state).contains(&format!("{why}: Esc goes on")), "{}", screen(&state));
        press(&mut state, "Esc");
        assert!(!screen(&state).contains("Esc goes on"), "{}", screen(&state));
        assert!(press(&mut state, "q").contains(&Effect::Quit), "{why}: keys are commands again");
    }
}

#[test]
fn the_list_of_templates_is_filtered() {
    let mut state = fixture::state(80, 24);
    press(&mut state, "4 / \"retry\"");
    assert_eq!(state.templates.rows, [1]);
    assert_eq!(state.template().unwrap().name, "retry-policy.yaml.tmpl");
    assert!(screen(&state).contains("1 of 2"), "{}", screen(&state));
    press(&mut state, "Enter");
    assert_eq!((state.typing, state.is_filtered()), (None, true));
    press(&mut state, "Esc");
    assert_eq!((state.templates.rows.len(), state.templates.cursor.at), (2, 1), "the cursor stays on its template");
    press(&mut state, "/ \"cobol\"");
    assert!(screen(&state).contains("No template matches 'cobol'."), "{}", screen(&state));
    assert_eq!(disabled(&state, Action::Write).unwrap(), "there is no template under the cursor");
    press(&mut state, "Esc");
    assert_eq!(state.templates.rows.len(), 2);
    let mut snapshot = fixture::snapshot();
    snapshot.templates = Default::default();
    update(&mut state, Input::Snapshot(Box::new(snapshot)));
    press(&mut state, "/");
    assert_eq!(message(&state), "there are no templates to filter: no selected source has any");
}

#[test]
fn the_last_rendered_text_stays_while_rendering_fails() {
    let mut state = fixture::state(80, 24);
    press(&mut state, "4");
    let preview = |state: &mut State, outcome| {
        answer(state, Response::Preview { template: "CircuitBreaker.java.tpl".to_owned(), outcome });
    };
    preview(&mut state, Ok(fixture::shown("class A {\n}\n")));
    press(&mut state, "Enter \"x\"");
    preview(&mut state, Err(fixture::unrendered("undefined variable 'b'", Some(7))));
    let shown = screen(&state);
    assert!(shown.contains("class A {") && shown.contains("! line 7: undefined variable 'b'"), "{shown}");
    press(&mut state, "Esc v");
    assert!(screen(&state).contains("7  line 7 with {{ a }}"), "{}", screen(&state));
    press(&mut state, "v");
    assert!(screen(&state).contains("class A {"), "{}", screen(&state));
    press(&mut state, "v x");
    preview(&mut state, Ok(fixture::shown("class B {\n}\n")));
    let shown = screen(&state);
    assert!(shown.contains("class B {") && !shown.contains("line 7"), "{shown}");
}

#[test]
fn the_preview_scrolls_to_the_value_under_the_cursor() {
    let mut state = fixture::state(80, 24);
    press(&mut state, "4");
    let preview = |state: &mut State, package: &str, name: &str| {
        let text = format!("// begins\n{}package {package};\n{}name {name}\n", "\n".repeat(50), "\n".repeat(60));
        let outcome = Ok(fixture::shown(&text));
        answer(state, Response::Preview { template: "CircuitBreaker.java.tpl".to_owned(), outcome });
    };
    preview(&mut state, "‹basePackage›", "‹name›");
    assert!(screen(&state).contains("// begins"), "{}", screen(&state));
    press(&mut state, "Enter");
    assert!(screen(&state).contains("package ‹basePackage›"), "{}", screen(&state));
    press(&mut state, "Enter");
    assert!(screen(&state).contains("name ‹name›"), "{}", screen(&state));
    press(&mut state, "BackTab \"z\"");
    preview(&mut state, "z", "‹name›");
    assert!(screen(&state).contains("package z;"), "{}", screen(&state));
    let top = state.templates.scroll.top;
    press(&mut state, "\"y\"");
    preview(&mut state, "zy", "‹name›");
    assert_eq!(state.templates.scroll.top, top, "a visible value stays where it is");
}

#[test]
fn an_optional_value_shows_that_it_is_left_out() {
    let mut state = fixture::state(80, 24);
    press(&mut state, "4");
    let mut snapshot = fixture::snapshot();
    let mut templates = (*snapshot.templates).clone();
    templates.templates[0].variables[0].optional = true;
    snapshot.templates = templates.into();
    update(&mut state, Input::Snapshot(Box::new(snapshot)));
    let row = |state: &State| screen(state).lines().find(|line| line.contains("basePackage?")).unwrap().to_owned();
    assert!(row(&state).contains("left out"), "before anything is typed: {}", row(&state));
    assert_eq!(values(&mut state, "Enter Tab \"n\"").get("basePackage"), None);
    assert!(row(&state).contains("left out"), "{}", row(&state));
    press(&mut state, "BackTab");
    assert!(row(&state).contains("left out"), "in its field too: {}", row(&state));
    assert_eq!(values(&mut state, "\"a\"")["basePackage"], "a");
    assert!(!row(&state).contains("left out"), "{}", row(&state));
    assert_eq!(values(&mut state, "Backspace")["basePackage"], "", "empty is a value");
    assert_eq!(values(&mut state, "Esc x").get("basePackage"), None, "after a reset it is not a value");
}

#[test]
fn a_long_error_is_shown_completely() {
    let mut state = fixture::state(80, 24);
    press(&mut state, "4");
    let message = "one word after the other until the pane is too narrow for all of them and then more to the last";
    let failed = refdesk_desk::RenderFailure { template: "a\nb\n".to_owned(), ..fixture::unrendered(message, Some(2)) };
    answer(&mut state, Response::Preview { template: "CircuitBreaker.java.tpl".to_owned(), outcome: Err(failed) });
    assert!(screen(&state).contains("to the last"), "{}", screen(&state));
}

#[test]
fn highlighting_follows_the_text_and_stays_with_its_lines() {
    let mut state = fixture::state(80, 24);
    press(&mut state, "4");
    let preview = |state: &mut State, text: &str| {
        let template = "CircuitBreaker.java.tpl".to_owned();
        answer(state, Response::Preview { template, outcome: Ok(fixture::shown(text)) })
    };
    let effects = preview(&mut state, "class A {\n}\n");
    let [Effect::Highlight { generation, pieces, .. }] = effects.as_slice() else { panic!("{effects:?}") };
    let [CodePiece { lines, languages }] = pieces.as_slice() else { panic!("{pieces:?}") };
    assert_eq!((*generation, lines.len(), languages[0].as_str()), (1, 2, "java"));
    paint(&mut state);
    let spans =
        |state: &State, line: usize| state.preview().unwrap().rendered.as_ref().unwrap().text.colours[line].len();
    assert_eq!(spans(&state, 0), 2);
    press(&mut state, "Enter \"x\"");
    assert_eq!(preview(&mut state, "class Ax {\n}\n").len(), 1);
    assert_eq!(spans(&state, 0), 2, "until new ones come");
    let known = state.preview().unwrap().rendered.as_ref().unwrap().text.colours.clone();
    let shows = |generation, from, colours: &[Spans]| preview_update::shows(&state, generation, from, colours);
    assert!(!shows(2, 0, &known), "unchanged lines are not drawn");
    assert!(shows(2, 0, &[Spans::default()]) && !shows(1, 0, &[Spans::default()]));
    assert!(!shows(2, 1, &[Spans::default()]), "it had none before");
    update(
        &mut state,
        Input::Highlighted {
            subject: HighlightSubject::Preview,
            generation: 1,
            from: 0,
            colours: vec![Default::default(); 2],
        },
    );
    assert_eq!(spans(&state, 0), 2, "colours of an old text are dropped");
    press(&mut state, "\"y\"");
    assert_eq!(preview(&mut state, "class Ax {\n}\n"), [], "the same text has its colours");
    press(&mut state, "\"z\"");
    let long = "x\n".repeat(600_000);
    assert_eq!(preview(&mut state, &long), [], "so long a text stays plain");
}

#[test]
fn long_lines_can_be_scrolled_to_their_ends() {
    let mut state = fixture::state(80, 24);
    press(&mut state, "4");
    let text = format!("{}END\n", "x".repeat(60));
    let outcome = Ok(fixture::shown(&text));
    answer(&mut state, Response::Preview { template: "CircuitBreaker.java.tpl".to_owned(), outcome });
    press(&mut state, "H");
    assert_eq!(message(&state), "this is the start of the lines");
    press(&mut state, "L L L");
    assert!(screen(&state).contains("xEND"), "{}", screen(&state));
    press(&mut state, "L L L");
    assert_eq!(message(&state), "no line extends further to the right");
}
