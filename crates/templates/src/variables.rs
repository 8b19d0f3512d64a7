//! The variable tree in other forms: a document to fill in, sample values for a preview, a JSON schema (BEHAVIOUR §6, §10).

use serde_json::{Map, Number, Value, json};

use super::render::values::exact;
use super::{ValueType, Variable, VariableKind};

/// Sorted top-level names.
pub fn names(variables: &[Variable]) -> Vec<String> {
    variables.iter().map(|variable| variable.name.clone()).collect()
}

/// A document to fill in: leaves are `""`, flags are `false`, lists have one item.
pub fn skeleton(variables: &[Variable]) -> Value {
    object(variables, 0, &|variable| match variable.kind {
        VariableKind::Flag => Value::Bool(false),
        _ => Value::String(String::new()),
    })
}

/// Values for a preview: scalars show their name as `‹name›`, numbers are 1, flags are true, lists have two items.
pub fn sample(variables: &[Variable]) -> Value {
    object(variables, 3, &|variable| match variable.kind {
        VariableKind::Flag => Value::Bool(true),
        _ if variable.value_type == ValueType::Number => Value::from(1),
        _ => Value::String(format!("‹{}›", variable.name)),
    })
}

/// The number that a typed text is, if it is one: also `.5`, `5.` and `+5`, which are none in JSON.
pub(crate) fn number_in(text: &str) -> Option<Number> {
    let text = text.trim();
    let sign = if text.starts_with('-') { "-" } else { "" };
    let digits = text.strip_prefix(['+', '-']).unwrap_or(text);
    if digits == "." || !digits.starts_with(|c: char| c == '.' || c.is_ascii_digit()) {
        return None;
    }
    let (before, after) =
        (if digits.starts_with('.') { "0" } else { "" }, if digits.ends_with('.') { "0" } else { "" });
    let number = format!("{sign}{before}{digits}{after}");
    let parsed: Number = exact(&number).ok().and_then(|()| serde_json::from_str(&number).ok())?;
    // The parser of JSON may miss the last digit of a fraction.
    let fraction = if parsed.is_f64() { number.parse().ok().and_then(Number::from_f64) } else { None };
    Some(fraction.unwrap_or(parsed))
}

/// Whether this text or path contains the sample of a scalar that is not a number, and so must not be written to a file.
pub fn holds_sample(text: &str) -> bool {
    text.contains('‹')
}

/// The JSON schema (draft 2020-12) of a template's values.
pub fn schema(variables: &[Variable]) -> Value {
    let mut schema = object_schema(variables);
    if let Value::Object(fields) = &mut schema {
        fields.shift_insert(0, "$schema".to_owned(), json!("https://json-schema.org/draft/2020-12/schema"));
    }
    schema
}

/// Gives every list a second item, down to this many levels of lists, so that a sample does not grow without bound.
/// Recurses as deep as the tree, at most `TREE_DEPTH`.
fn object(variables: &[Variable], levels: usize, leaf: &impl Fn(&Variable) -> Value) -> Value {
    let field = |variable: &Variable| {
        let value = match variable.kind {
            VariableKind::Scalar | VariableKind::Flag => leaf(variable),
            VariableKind::Object => object(&variable.fields, levels, leaf),
            VariableKind::List => {
                let item = match variable.value_type {
                    _ if !variable.fields.is_empty() => object(&variable.fields, levels.saturating_sub(1), leaf),
                    ValueType::Unpacked(names) => Value::Array(vec![leaf(variable); names]),
                    _ => leaf(variable),
                };
                Value::Array(vec![item; if levels > 0 { 2 } else { 1 }])
            }
        };
        (variable.name.clone(), value)
    };
    Value::Object(variables.iter().map(field).collect())
}

fn object_schema(variables: &[Variable]) -> Value {
    let mut properties = Map::new();
    for variable in variables {
        let described = match variable.kind {
            VariableKind::Scalar => match variable.value_type {
                ValueType::Number => json!({ "type": "number" }),
                ValueType::Any => json!({}),
                _ => json!({ "type": ["string", "number", "boolean"] }),
            },
            VariableKind::Flag => json!({ "type": "boolean" }),
            VariableKind::Object => object_schema(&variable.fields),
            VariableKind::List => match variable.value_type {
                _ if !variable.fields.is_empty() => {
                    json!({ "type": "array", "items": object_schema(&variable.fields) })
                }
                ValueType::Number => json!({ "type": "array", "items": { "type": "number" } }),
                ValueType::Unpacked(_) => json!({ "type": "array", "items": { "type": "array" } }),
                _ => json!({ "type": "array" }),
            },
        };
        properties.insert(variable.name.clone(), described);
    }
    let required: Vec<&str> = variables.iter().filter(|v| !v.optional).map(|v| v.name.as_str()).collect();
    let mut schema = json!({ "type": "object", "properties": properties });
    if let Value::Object(fields) = &mut schema
        && !required.is_empty()
    {
        fields.insert("required".to_owned(), json!(required));
    }
    schema
}
