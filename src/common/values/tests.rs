//! The form and its values, with a tree that has every kind of variable.

use proptest::prelude::*;
use serde_json::{Value, json};

use crate::common::values::*;
use refdesk_templates::{TextForNumber, ValueType};

fn variable(name: &str, kind: VariableKind, fields: Vec<Variable>) -> Variable {
    Variable {
        name: name.to_owned(),
        kind,
        value_type: ValueType::default(),
        text_for_number: TextForNumber::default(),
        is_looped_over: false,
        is_whole: false,
        optional: false,
        fields,
    }
}

fn tree() -> Vec<Variable> {
    let of = variable;
    let scalar = |name: &str| of(name, VariableKind::Scalar, Vec::new());
    vec![
        scalar("a"),
        of("f", VariableKind::Flag, Vec::new()),
        of("items", VariableKind::List, vec![scalar("name"), of("x", VariableKind::Object, vec![scalar("y")])]),
        of("tags", VariableKind::List, Vec::new()),
    ]
}

/// Parses a path such as `items.0.x.y`.
fn way(written: &str) -> ValuePath {
    written
        .split('.')
        .map(|step| step.parse().map_or_else(|_| ValueStep::Field(step.to_owned()), ValueStep::Item))
        .collect()
}

fn text(text: &str) -> TypedValue {
    TypedValue::Text(text.to_owned())
}

fn typed(values: &[(&str, TypedValue)]) -> TypedValues {
    let mut typed = TypedValues::default();
    values.iter().for_each(|(to, given)| typed.set(way(to), given.clone()));
    typed
}

fn form(typed: &TypedValues) -> Vec<String> {
    let reported = |row: &FormRow| {
        let held = match &row.holds {
            RowValue::Text(text) => format!("{text:?}"),
            RowValue::Flag(flag) => flag.to_string(),
            RowValue::Items(items) => items.map_or("sample".to_owned(), |items| format!("{items} items")),
            RowValue::Fields => "fields".to_owned(),
            RowValue::Unused(text) => format!("unused {text:?}"),
            RowValue::InvalidText(text) => format!("misfit {text:?}"),
        };
        format!("{}{} {held}{}", " ".repeat(row.level), row.name, if row.typed { " *" } else { "" })
    };
    rows(&tree(), typed).iter().map(reported).collect()
}

#[test]
fn rows_follow_the_order_of_the_tree() {
    let sample = [
        "a \"‹a›\"",
        "f false",
        "items sample",
        " 1 fields",
        "  name \"‹name›\"",
        "  x fields",
        "   y \"‹y›\"",
        "tags sample",
        " 1 \"‹tags›\"",
    ];
    assert_eq!(form(&TypedValues::default()), sample);
    let filled = typed(&[
        ("a", text("b")),
        ("f", TypedValue::Flag(false)),
        ("items.1.name", text("second")),
        ("tags", text("p, q")),
        ("gone", text("old")),
    ]);
    let rows = [
        "a \"b\" *",
        "f false *",
        "items 2 items *",
        " 1 fields",
        "  name \"‹name›\"",
        "  x fields",
        "   y \"‹y›\"",
        " 2 fields *",
        "  name \"second\" *",
        "  x fields",
        "   y \"‹y›\"",
        "tags \"p, q\" *",
        "gone unused \"old\" *",
    ];
    assert_eq!(form(&filled), rows);
    let misfits = typed(&[("items", text("plain")), ("tags.0", text("t"))]);
    assert_eq!(form(&misfits)[2..], ["items misfit \"plain\" *", "tags 1 items *", " 1 \"t\" *"]);
}

#[test]
fn typed_values_replace_samples() {
    let over = |values: &[(&str, TypedValue)]| typed(values).over_sample(&tree());
    let mut unset = sample(&tree());
    unset["f"] = json!(false);
    assert_eq!(over(&[]), unset);
    assert_eq!(over(&[("a", text("7"))])["a"], json!("7"));
    assert_eq!(over(&[("a", text(":=7"))])["a"], json!(7));
    let mut tree_with_numbers = tree();
    tree_with_numbers.iter_mut().for_each(|variable| variable.value_type = ValueType::Number);
    for (to, given, expected) in [
        ("a", "7", json!("7")),
        ("a", ":=\"7\"", json!("7")),
        ("a", "7 items", json!("7 items")),
        ("a", "18446744073709551616", json!("18446744073709551616")),
        ("tags", "1, -2.5, x", json!(["1", "-2.5", "x"])),
        ("a", "3.10", json!("3.10")),
        ("tags", "0.10, 1e2, -0, 10.0", json!(["0.10", "1e2", "-0", "10.0"])),
        ("tags.0", "3", json!(["3"])),
    ] {
        let values = typed(&[(to, text(given))]).over_sample(&tree_with_numbers);
        assert_eq!(values[to.split('.').next().unwrap()], expected, "{given}");
    }
    let given = typed(&[("a", text("3.10")), ("b", text(":=1")), ("tags.0", text("1"))]);
    assert_eq!(Vec::from_iter(given.names_of_texts()), ["a", "tags"], "rendering reads these as numbers");
    let form = rows(&tree_with_numbers, &typed(&[]));
    let numbers: Vec<&str> = form.iter().filter(|row| row.is_unmarked_sample()).map(|row| row.name.as_str()).collect();
    assert_eq!(numbers, ["a", "1"], "the rendered text does not show that they are samples");
    assert_eq!(over(&[("a", text(":={"))])["a"], json!("‹a›"), "invalid JSON is no value");
    assert_eq!(over(&[("f", TypedValue::Flag(false))])["f"], json!(false));
    let value = over(&[("items.0.x.y", text("deep")), ("items.0.name", text("n"))]);
    assert_eq!(
        value["items"],
        json!([{"name": "n", "x": {"y": "deep"}}]),
        "a list that is typed is no longer the sample"
    );
    assert_eq!(over(&[("tags", text("a, b,"))])["tags"], json!(["a", "b"]));
    assert_eq!(over(&[("tags", text(":=[1]"))])["tags"], json!([1]));
    assert_eq!(over(&[("tags.1", text("b"))])["tags"], json!(["‹tags›", "b"]));
    assert_eq!(over(&[("items", text("x"))]), unset, "an invalid value is left out");
    assert_eq!(over(&[("more", text("x"))])["more"], json!("x"), "a partial may ask for it");
    assert_eq!(over(&[("a.b", text("x"))]), unset, "a is no longer an object");
}

#[test]
fn flags_stay_false_unless_set() {
    let flags = vec![
        variable("f", VariableKind::Flag, Vec::new()),
        variable("o", VariableKind::Object, vec![variable("safe", VariableKind::Flag, Vec::new())]),
    ];
    let over = |values: &[(&str, TypedValue)]| typed(values).over_sample(&flags);
    assert_eq!(over(&[]), json!({"f": false, "o": {"safe": false}}));
    assert_eq!(over(&[("f", TypedValue::Flag(true))]), json!({"f": true, "o": {"safe": false}}));
    assert_eq!(over(&[("unused", text("x"))]), json!({"f": false, "o": {"safe": false}, "unused": "x"}));
    assert!(!rows(&flags, &typed(&[])).iter().any(FormRow::is_sample));
}

#[test]
fn optional_values_are_left_out_until_typed() {
    let mut tree = tree();
    tree[0].optional = true;
    tree[2].fields[0].optional = true;
    let over = |values: &[(&str, TypedValue)]| typed(values).over_sample(&tree);
    let touched = over(&[("f", TypedValue::Flag(false))]);
    assert_eq!(touched, over(&[]), "a typed value changes no other");
    assert_eq!((touched.get("a"), touched["items"][0].get("name")), (None, None), "{touched}");
    assert_eq!(touched["items"][1]["x"]["y"], json!("‹y›"));
    let values = over(&[("items.0.x.y", text("z"))]);
    assert_eq!(values["items"], json!([{"x": {"y": "z"}}]), "a typed list needs nothing else");
    assert_eq!(over(&[("a", text(""))])["a"], json!(""), "empty is a value");
    tree[2].optional = true;
    let over = |values: &[(&str, TypedValue)]| typed(values).over_sample(&tree);
    let touched = over(&[("f", TypedValue::Flag(false))]);
    assert_eq!(touched["items"][0]["name"], json!("‹name›"), "the whole list is optional, and it is given");
    assert_eq!(typed(&[]).document(&tree)["a"], json!(""), "a document to fill in shows it");
}

#[test]
fn items_are_added_and_removed_with_their_fields() {
    let mut list = typed(&[("items.0.name", text("a")), ("items.1.name", text("b")), ("tags.0", text("t"))]);
    let names = |list: &TypedValues| {
        let value = list.over_sample(&tree());
        value["items"]
            .as_array()
            .unwrap()
            .iter()
            .map(|item| item["name"].as_str().unwrap().to_owned())
            .collect::<Vec<_>>()
    };
    list.add_item(&way("items"), 1);
    assert_eq!(names(&list), ["a", "‹name›", "b"]);
    list.remove_item(&way("items"), 0);
    assert_eq!(names(&list), ["‹name›", "b"]);
    list.remove_item(&way("items"), 0);
    list.remove_item(&way("items"), 0);
    assert_eq!((names(&list), list.items(&way("items"))), (Vec::new(), Some(0)), "a list may be empty");
    list.take_back(&way("items"));
    assert_eq!((list.items(&way("items")), list.len()), (None, 1), "a sample again");
    let mut sample = TypedValues::default();
    sample.add_item(&way("items"), 1);
    assert_eq!(names(&sample), ["‹name›", "‹name›"]);
}

#[test]
fn a_document_has_the_typed_values_and_blanks() {
    let some = typed(&[("items.0.x.y", text("deep")), ("more", text(":=[1]"))]);
    let document = json!({
        "a": "", "f": false, "items": [{"name": "", "x": {"y": "deep"}}], "tags": [""], "more": [1],
    });
    assert_eq!(some.document(&tree()), document);
    assert_eq!(some.edited(&tree(), &document), some, "what was not changed is not typed");
    let edited = json!({
        "a": "A", "f": true, "items": [{"name": "", "x": {"y": "deep"}}, {"name": "", "x": {"y": ""}}], "tags": [""],
    });
    let expected = typed(&[
        ("a", text("A")),
        ("f", TypedValue::Flag(true)),
        ("items.0.x.y", text("deep")),
        ("items.1.name", text("")),
        ("items.1.x.y", text("")),
    ]);
    assert_eq!(some.edited(&tree(), &edited), expected, "a new item is taken as it is");
    let unfinished = typed(&[
        ("a", text(":=[1,2")),
        ("items", text("plain")),
        ("items.0.name", text(":={")),
        ("items.1.name", text("n")),
        ("tags", text("p, q")),
    ]);
    let mut document = unfinished.document(&tree());
    assert_eq!(unfinished.edited(&tree(), &document), unfinished, "what is unfinished stays as it was typed");
    document["f"] = json!(true);
    let mut expected = unfinished.clone();
    expected.set(way("f"), TypedValue::Flag(true));
    assert_eq!(unfinished.edited(&tree(), &document), expected);
}

#[test]
fn an_invalid_document_has_a_position() {
    for (text, reported) in [
        ("{\"a\": 1,\n  \"b\" 2}", "line 2, column 7: a colon is missing before this"),
        ("[1]", "values must be a JSON object: {\"name\": …}"),
        ("", "line 1, column 1: the text ends where a value belongs"),
    ] {
        assert_eq!(read(text).unwrap_err().to_string(), reported);
    }
    let large = format!("{{\"a\": \"{}\"}}", "x".repeat(LARGEST));
    assert_eq!(read(&large).unwrap_err().to_string(), "values can have at most 1048576 bytes");
}

#[test]
fn a_long_list_is_one_value() {
    let long = json!({"tags": vec![1; 3000], "items": [{"name": 2}]});
    let pasted = TypedValues::pasted(&tree(), &long);
    assert_eq!(pasted.len(), 2);
    let value = pasted.over_sample(&tree());
    assert_eq!((&value["tags"], &value["items"][0]["name"]), (&long["tags"], &json!(2)));
}

fn any_value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        "[a:= ]{0,4}".prop_map(Value::String),
        any::<i32>().prop_map(Value::from),
        any::<bool>().prop_map(Value::Bool),
        Just(Value::Null),
    ];
    let name = proptest::sample::select(&["a", "f", "items", "tags", "name", "x", "y", "more"][..]);
    leaf.prop_recursive(4, 40, 4, move |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..4).prop_map(Value::Array),
            proptest::collection::btree_map(name.clone(), inner, 0..5)
                .prop_map(|fields| fields.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()),
        ]
    })
}

fn any_object() -> impl Strategy<Value = Value> {
    any_value().prop_map(|value| if value.is_object() { value } else { json!({ "a": value }) })
}

/// Whether `all` contains every value of `given`.
fn holds(all: &Value, given: &Value) -> bool {
    match (all, given) {
        (Value::Object(all), Value::Object(given)) => {
            given.iter().all(|(name, given)| all.get(name).is_some_and(|all| holds(all, given)))
        }
        (Value::Array(all), Value::Array(given)) => {
            all.len() == given.len() && all.iter().zip(given).all(|(all, given)| holds(all, given))
        }
        (all, given) => all == given,
    }
}

proptest! {
    #[test]
    fn pasted_values_are_kept_whatever_their_shape(value in any_object()) {
        let pasted = TypedValues::pasted(&tree(), &value);
        prop_assert!(holds(&pasted.over_sample(&tree()), &value), "{value} gives {}", pasted.over_sample(&tree()));
        let again = pasted.edited(&tree(), &pasted.document(&tree()));
        prop_assert_eq!(again.over_sample(&tree()), pasted.over_sample(&tree()));
    }
}
