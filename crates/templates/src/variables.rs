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

/// The value of a typed text: a number if the template computes with it and the number is printed as it was typed. A text
/// such as `3.10` stays one, and rendering reads it as a number only where the template computes with it.
pub fn typed(text: &str, value_type: ValueType) -> Value {
    let number = number_in(text).filter(|_| value_type == ValueType::Number);
    // The languages print an exponent in different ways.
    let is_kept = |number: &Number| number.to_string() == text && !text.contains(['e', 'E']);
    number.filter(is_kept).map_or_else(|| Value::from(text), Value::Number)
}

/// Reads the typed texts in a value as [`typed`] does, except that all items of a list with which the template computes
/// become numbers: it may compare or sort them. Recurses as deep as the tree.
pub fn read_typed(variable: &Variable, value: &mut Value) {
    read_texts(variable, value, false);
}

fn read_texts(variable: &Variable, value: &mut Value, is_item: bool) {
    let number = |text: &str| number_in(text).filter(|_| variable.value_type == ValueType::Number);
    match (variable.kind, value) {
        (VariableKind::Scalar, value) => match value.as_str() {
            Some(text) if is_item => *value = number(text).map_or_else(|| Value::from(text), Value::Number),
            Some(text) => *value = typed(text, variable.value_type),
            None => {}
        },
        (VariableKind::List, Value::Array(items)) => {
            for item in items {
                match item.as_str().map(number) {
                    Some(Some(number)) => *item = Value::Number(number),
                    Some(None) => {}
                    None => read_fields(&variable.fields, item, true),
                }
            }
        }
        (VariableKind::Object, value) => read_fields(&variable.fields, value, is_item),
        _ => {}
    }
}

fn read_fields(fields: &[Variable], value: &mut Value, is_item: bool) {
    for field in fields {
        if let Some(value) = value.get_mut(&field.name) {
            read_texts(field, value, is_item);
        }
    }
}

/// The number that a text is, if it is one.
pub(crate) fn number_in(text: &str) -> Option<Number> {
    exact(text).ok().and_then(|()| serde_json::from_str(text).ok())
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
