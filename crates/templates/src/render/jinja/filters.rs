//! Filters and tests that minijinja lacks or that differ from Jinja2's, implemented as in Jinja2 (BEHAVIOUR §6). Known
//! differences: `random` is refused (a template must always produce the same text), integers have at most 128 bits, and
//! floats within a list are printed by the engine.

#![allow(clippy::needless_pass_by_value)] // the engine hands arguments over by value

use std::borrow::Cow;
use std::cmp::Ordering;

use minijinja::value::{DynObject, Kwargs, ValueKind};
use minijinja::{Environment, Error, State, Value};

use super::arguments::{PythonArguments, RestArguments, check_output_size, failed, must_be_defined, undefined};
use super::groups::groups;
use super::json;
use super::lists::{is_empty_list, must_be_list, must_be_test};
use super::markup::{striptags, urlize, xmlattr};
use super::mutable::{mutable, new_list};
use super::numbers::{decimal, float, int};
use super::operators::{add, must_have_an_order, order};
use super::percent::percent;
use super::pretty::pprint;
use super::print::{of_text, printed};
use super::text::python_capitalize;
use super::text_filters::{
    center, escape, force_escape, indent, replace, spaces, text, trim, truncate, urlencode, wordcount, wordwrap,
};
use super::typed;
use crate::jinja::is_value_test;

type ListFilter = fn(&State, Value, Kwargs) -> Result<Value, Error>;

/// The filters that compare items, with their arguments and the engine's implementation.
const COMPARING: [(&str, &[&str], ListFilter); 3] = [
    ("sort", &["reverse", "case_sensitive", "attribute"], sort),
    ("min", &["case_sensitive", "attribute"], minijinja::filters::min),
    ("max", &["case_sensitive", "attribute"], max),
];

type TestFilter = fn(&mut State, Value, Cow<'_, str>, Option<Cow<'_, str>>, RestArguments) -> Result<Vec<Value>, Error>;

/// The filters that test a field of the items, with the engine's implementation.
const TESTING: [(&str, TestFilter); 2] =
    [("selectattr", minijinja::filters::selectattr), ("rejectattr", minijinja::filters::rejectattr)];

type ChangeCase = fn(&str) -> String;

/// The filters that change the case of a text; a safe text stays safe.
const CASES: [(&str, ChangeCase); 3] =
    [("upper", str::to_uppercase), ("lower", str::to_lowercase), ("capitalize", python_capitalize)];

/// Adds these filters to the engine, replacing its own.
pub(crate) fn install(engine: &mut Environment<'static>) {
    engine.add_filter("replace", replace);
    engine.add_filter("default", default);
    engine.add_filter("d", default);
    engine.add_filter("indent", indent);
    engine.add_filter("truncate", truncate);
    engine.add_filter("wordwrap", wordwrap);
    engine.add_filter("wordcount", wordcount);
    engine.add_filter("dictsort", dictsort);
    engine.add_filter("int", int);
    engine.add_filter("float", float);
    engine.add_filter("tojson", tojson);
    engine.add_filter("center", center);
    engine.add_filter("urlencode", urlencode);
    engine.add_filter("format", |format: &Value, args: RestArguments| percent(format, &args.into_values()));
    engine.add_filter("escape", escape);
    engine.add_filter("e", escape);
    engine.add_filter("forceescape", force_escape);
    engine.add_filter("striptags", striptags);
    engine.add_filter("xmlattr", xmlattr);
    engine.add_filter("urlize", urlize);
    engine.add_filter("filesizeformat", file_size);
    engine.add_filter("string", string);
    engine.add_filter("join", join);
    engine.add_filter("round", round);
    engine.add_filter("abs", |value: &Value| minijinja::filters::abs(typed::numeric(value).into_owned()));
    engine.add_filter("attr", attribute);
    engine.add_filter("pprint", pprint);
    engine.add_filter("random", |_: &Value, _: RestArguments| -> Result<Value, Error> {
        Err(failed("'random' is not supported: a template must always give the same text"))
    });
    engine.add_filter("trim", trim);
    engine.add_filter("title", |value: &Value| Ok::<_, Error>(minijinja::filters::title(text(value)?)));
    engine.add_filter("safe", |value: &Value| Ok::<_, Error>(of_text(text(value)?.into_owned(), true)));
    for (name, convert) in CASES {
        engine.add_filter(name, move |value: &Value| {
            Ok::<_, Error>(of_text(convert(&text(value)?), typed::is_safe(value)))
        });
    }
    // What was typed is a text, too.
    engine.add_test("number", |value: &Value| minijinja::tests::is_number(&typed::numeric(value)));
    engine.add_test("integer", |value: &Value| minijinja::tests::is_integer(&typed::numeric(value)));
    engine.add_test("float", |value: &Value| minijinja::tests::is_float(&typed::numeric(value)));
    engine.add_test("callable", |value: &Value| value.kind() == ValueKind::Plain);
    engine.add_test("sequence", |value: &Value| {
        matches!(value.kind(), ValueKind::Seq | ValueKind::Map | ValueKind::String)
    });
    for (name, names, engines) in COMPARING {
        engine.add_filter(name, move |state: &State, value: Value, more: RestArguments| {
            let how = by_name(more, names)?;
            must_be_list(&value)?;
            must_compare(&value, &how)?;
            match of_numbers(name, &value, &how)? {
                Some(result) => Ok(result),
                None => engines(state, value, how),
            }
        });
    }
    engine.add_filter("unique", |state: &State, value: Value, more: RestArguments| {
        let how = by_name(more, &["case_sensitive", "attribute"])?;
        must_be_list(&value)?;
        fields(&value, &how)?;
        minijinja::filters::unique(state, value, how)
    });
    engine.add_filter("sum", sum);
    engine.add_filter("groupby", |value: Value, more: RestArguments| {
        let how = by_name(more, &["attribute", "default", "case_sensitive"])?;
        must_be_list(&value)?;
        if !how.has("default") {
            fields(&value, &how)?;
        }
        let attribute = printed(&how.get::<Value>("attribute")?).into_owned();
        groups(value, &attribute, how)
    });
    for (name, engines) in TESTING {
        engine.add_filter(
            name,
            move |state: &mut State,
                  list: Value,
                  name: Cow<'_, str>,
                  test: Option<Cow<'_, str>>,
                  args: RestArguments| {
                if is_empty_list(&list) {
                    return Ok(Vec::new());
                }
                must_be_test(state, test.as_deref())?;
                must_have(&list, &name, test.as_deref())?;
                engines(state, list, name, test, args)
            },
        );
    }
}

/// Checks that every item has the attribute to be tested or read.
fn must_have(list: &Value, name: &str, test: Option<&str>) -> Result<(), Error> {
    if !test.is_none_or(is_value_test) {
        return Ok(());
    }
    let how: Kwargs = std::iter::once(("attribute".to_owned(), Value::from(name))).collect();
    fields(list, &how).map(|_| ())
}

/// The values of the items at the path `attribute`; the items themselves without one.
fn fields(list: &Value, how: &Kwargs) -> Result<Vec<Value>, Error> {
    let attribute: Option<Value> = how.peek::<Option<Value>>("attribute")?.filter(|attribute| !attribute.is_none());
    let Some(attribute) = attribute else { return Ok(list.try_iter()?.collect()) };
    let paths = printed(&attribute).into_owned();
    let mut found = Vec::new();
    for item in list.try_iter()? {
        for path in paths.split(',') {
            let into = |item: Value, step| if item.is_undefined() { Ok(item) } else { step_into(&item, step) };
            let value = path.trim().split('.').try_fold(item.clone(), into)?;
            if value.is_undefined() {
                return Err(failed(format!("an item has no '{}'", path.trim().escape_debug())));
            }
            found.push(value);
        }
    }
    Ok(found)
}

/// Checks that the values can be compared. The engine sorts incomparable values in some order; Jinja2 refuses them.
fn must_compare(list: &Value, how: &Kwargs) -> Result<(), Error> {
    let values = fields(list, how)?;
    let several_keys = how.peek::<Option<Value>>("attribute")?.is_some_and(|keys| printed(&keys).contains(','));
    if several_keys { Ok(()) } else { must_have_an_order(&values) }
}

/// What `sort`, `min` or `max` gives if it compares numbers of which some were typed; `None` if the engine's order will do,
/// which takes typed numbers for texts.
fn of_numbers(filter: &str, list: &Value, how: &Kwargs) -> Result<Option<Value>, Error> {
    let (items, keys): (Vec<Value>, Vec<Value>) = (list.try_iter()?.collect(), fields(list, how)?);
    let is_number = |key: &Value| typed::numeric(key).kind() == ValueKind::Number;
    // An item has several keys if several attributes are named.
    if keys.len() != items.len()
        || !keys.iter().all(is_number)
        || !keys.iter().any(|key| typed::number_of(key).is_some())
    {
        return Ok(None);
    }
    let mut sorted: Vec<(Value, Value)> = keys.into_iter().zip(items).collect();
    // All have an order.
    let compare =
        |left: &(Value, Value), right: &(Value, Value)| order(&left.0, &right.0, "<").unwrap_or(Ordering::Equal);
    let is_reversed = how.peek::<Option<bool>>("reverse")?.unwrap_or_default();
    sorted.sort_by(|left, right| if is_reversed { compare(right, left) } else { compare(left, right) });
    let item = |found: Option<(Value, Value)>| found.map(|(_, item)| item).unwrap_or_default();
    Ok(Some(match (filter, sorted.last().cloned()) {
        ("min", _) => item(sorted.into_iter().next()),
        // The first of several largest ones.
        ("max", Some(largest)) => item(sorted.into_iter().find(|pair| compare(pair, &largest).is_eq())),
        _ => new_list(sorted.into_iter().map(|(_, item)| item).collect()),
    }))
}

/// `sum(attribute=none, start=0)`.
fn sum(list: &Value, more: RestArguments) -> Result<Value, Error> {
    let mut args = PythonArguments::new(more);
    let attribute = args.value("attribute");
    let start = args.value("start").unwrap_or_else(|| Value::from(0));
    args.end()?;
    must_be_list(list)?;
    let how: Kwargs = attribute.map(|attribute| ("attribute".to_owned(), attribute)).into_iter().collect();
    fields(list, &how)?.iter().try_fold(start, |sum, value| add(&sum, value))
}

/// The first of several largest items; the engine's own `max` returns the last.
fn max(state: &State, list: Value, how: Kwargs) -> Result<Value, Error> {
    let mut items: Vec<Value> = list.try_iter()?.collect();
    items.reverse();
    minijinja::filters::max(state, Value::from(items), how)
}

/// Accepts by position what the engine accepts only by name.
fn by_name(more: RestArguments, names: &[&str]) -> Result<Kwargs, Error> {
    let mut args = PythonArguments::new(more);
    // The engine accepts the position of an item, `attribute=1`, only as text.
    let engines = |name: &str, value: Value| match name {
        "attribute" if value.is_integer() => Value::from(printed(&value).into_owned()),
        _ => value,
    };
    let given: Vec<(String, Value)> = names
        .iter()
        .filter_map(|name| args.some(name).map(|value| ((*name).to_owned(), engines(name, value))))
        .collect();
    args.end()?;
    given.iter().try_for_each(|(_, value)| must_be_defined(value))?;
    Ok(given.into_iter().collect())
}

fn default(value: &Value, more: RestArguments) -> Result<Value, Error> {
    let mut args = PythonArguments::new(more);
    let other = args.value("default_value").unwrap_or_else(|| Value::from(""));
    let takes_other = if value.is_undefined() {
        // The flag decides nothing, so it may be undefined.
        args.value("boolean");
        true
    } else {
        args.flag("boolean", false)? && !typed::truth(value).is_true()
    };
    args.end()?;
    Ok(if takes_other { other } else { value.clone() })
}

fn dictsort(value: &Value, more: RestArguments) -> Result<Value, Error> {
    let mut args = PythonArguments::new(more);
    let case_sensitive = args.flag("case_sensitive", false)?;
    let by = args.text("by")?.unwrap_or_else(|| "key".to_owned());
    let reverse = args.flag("reverse", false)?;
    args.end()?;
    if !matches!(by.as_str(), "key" | "value") {
        return Err(failed("you can only sort by either 'key' or 'value'"));
    }
    let Some(pairs) = value.as_object().filter(|_| value.kind() == ValueKind::Map).and_then(DynObject::try_iter_pairs)
    else {
        return Err(failed(format!("dictsort takes a dict, not {}", value.kind())));
    };
    let pairs: Vec<(Value, Value)> = pairs.collect();
    let keys = pairs.iter().map(|pair| if by == "key" { pair.0.clone() } else { pair.1.clone() }).collect();
    let keys = typed::in_order(keys);
    must_have_an_order(&keys)?;
    let mut sorted: Vec<(Value, (Value, Value))> = keys.into_iter().zip(pairs).collect();
    sorted.sort_by(|left, right| {
        let order = compare(&left.0, &right.0, case_sensitive);
        if reverse { order.reverse() } else { order }
    });
    Ok(new_list(sorted.into_iter().map(|(_, pair)| Value::from(pair)).collect()))
}

fn sort(state: &State, value: Value, how: Kwargs) -> Result<Value, Error> {
    minijinja::filters::sort(state, value, how).and_then(|sorted| mutable(&sorted))
}

fn compare(left: &Value, right: &Value, case_sensitive: bool) -> Ordering {
    match (left.as_str(), right.as_str()) {
        (Some(left), Some(right)) if !case_sensitive => left.to_lowercase().cmp(&right.to_lowercase()),
        _ => left.cmp(right),
    }
}

/// `tojson(indent=none)`; the result is safe in HTML.
fn tojson(value: &Value, more: RestArguments) -> Result<Value, Error> {
    let mut args = PythonArguments::new(more);
    let indent = args.some("indent");
    args.end()?;
    let indent = match indent {
        None => None,
        Some(value) => match typed::text_of(&value) {
            Some(text) => Some(text.to_owned()),
            None => Some(spaces(
                i64::try_from(typed::numeric(&value).into_owned())
                    .map_err(|_| failed("'indent' must be a whole number"))?,
            )?),
        },
    };
    if indent.as_ref().is_some_and(|indent| indent.len() > 64) {
        return Err(failed("'indent' must be at most 64 characters"));
    }
    json::write(value, indent.as_deref()).map(|text| of_text(text, true))
}

/// Strings are returned unchanged; safe ones stay safe. A typed number becomes a text.
fn string(value: Value) -> Result<Value, Error> {
    match value.kind() {
        ValueKind::String if typed::number_of(&value).is_none() => Ok(value),
        _ => {
            must_be_defined(&value)?;
            Ok(Value::from(printed(&value).into_owned()))
        }
    }
}

/// `join(d='', attribute=none)`; an attribute may be a dotted path or a number.
fn join(value: &Value, more: RestArguments) -> Result<String, Error> {
    let mut args = PythonArguments::new(more);
    let separator = args.value("d").unwrap_or_else(|| Value::from(""));
    let attribute = args.some("attribute");
    args.end()?;
    must_be_defined(&separator)?;
    attribute.iter().try_for_each(must_be_defined)?;
    must_be_list(value)?;
    let separator = printed(&separator);
    let path = attribute.map(|attribute| printed(&attribute).into_owned());
    let mut out = String::new();
    for (at, item) in value.try_iter()?.enumerate() {
        let item = match &path {
            Some(path) => path.split('.').try_fold(item, |item, step| step_into(&item, step))?,
            None => item,
        };
        must_be_defined(&item)?;
        if at > 0 {
            out.push_str(&separator);
        }
        out.push_str(&printed(&item));
        check_output_size(out.len())?;
    }
    Ok(out)
}

pub(super) fn step_into(value: &Value, step: &str) -> Result<Value, Error> {
    match step.parse::<i64>() {
        Ok(index) => value.get_item(&Value::from(index)),
        Err(_) => value.get_attr(step),
    }
}

/// `round(precision=0, method='common')`; rounding up or down also turns an integer into a float.
fn round(value: Value, more: RestArguments) -> Result<Value, Error> {
    let mut args = PythonArguments::new(more);
    let precision = i32::try_from(args.number("precision", 0)?).map_err(|_| failed("'precision' is too large"))?;
    let method = args.text("method")?.unwrap_or_else(|| "common".to_owned());
    args.end()?;
    if value.is_undefined() {
        return Err(undefined(&value));
    }
    let value = match value.kind() {
        ValueKind::Bool => Value::from(i64::from(value.is_true())),
        _ => typed::numeric(&value).into_owned(),
    };
    let whole = value.is_integer() && method != "common";
    let rounded = minijinja::filters::round(
        value,
        Some(precision),
        Some(&method),
        std::iter::empty::<(String, Value)>().collect(),
    )?;
    if whole { f64::try_from(rounded).map(Value::from) } else { Ok(rounded) }
}

/// `value.name`, unless it is an item of the value; plain data has no attributes.
fn attribute(value: &Value, name: &str) -> Result<Value, Error> {
    match value.kind() {
        ValueKind::Undefined => Err(undefined(value)),
        ValueKind::Plain => value.get_attr(name),
        _ => Ok(Value::UNDEFINED),
    }
}

/// `filesizeformat(binary=false)`.
fn file_size(value: &Value, more: RestArguments) -> Result<String, Error> {
    let mut args = PythonArguments::new(more);
    let binary = args.flag("binary", false)?;
    args.end()?;
    let size = match value.kind() {
        ValueKind::Undefined => return Err(undefined(value)),
        ValueKind::Number => f64::try_from(value.clone())?,
        ValueKind::Bool => f64::from(u8::from(value.is_true())),
        _ => value.as_str().and_then(decimal).ok_or_else(|| failed("filesizeformat takes a number"))?,
    };
    let base: f64 = if binary { 1024.0 } else { 1000.0 };
    if size == 1.0 {
        return Ok("1 Byte".to_owned());
    }
    if size < base {
        return Ok(format!("{} Bytes", size.trunc()));
    }
    let mut scaled = size / base;
    let mut units = ["k", "M", "G", "T", "P", "E", "Z", "Y"].into_iter().peekable();
    while let Some(unit) = units.next() {
        if scaled < base || units.peek().is_none() {
            let ending = if binary { format!("{}iB", unit.to_uppercase()) } else { format!("{unit}B") };
            return Ok(format!("{scaled:.1} {ending}"));
        }
        scaled /= base;
    }
    Ok(String::new())
}

/// Checks the widths and precisions of a format string.
///
/// # Errors
///
/// Together they would exceed the output limit.
pub(super) fn check_widths(format: &str) -> Result<(), Error> {
    let numbers = format.split(|c: char| !c.is_ascii_digit()).filter(|digits| digits.len() > 3);
    let width = |digits: &str| digits.parse::<usize>().unwrap_or(usize::MAX);
    check_output_size(numbers.map(width).fold(0, usize::saturating_add))
}
