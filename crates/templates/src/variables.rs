//! The variable tree in other forms: a document to fill in, sample values for a preview, a JSON schema (BEHAVIOUR §6, §10).

use serde_json::{Map, Value, json};

use super::{Variable, VariableKind};

/// Sorted top-level names.
pub fn names(variables: &[Variable]) -> Vec<String> {
    variables.iter().map(|variable| variable.name.clone()).collect()
}

/// A document to fill in: leaves are `""`, flags are `false`, lists have one item.
pub fn skeleton(variables: &[Variable]) -> Value {
    object(variables, &|variable| match variable.kind {
        VariableKind::Flag => Value::Bool(false),
        _ => Value::String(String::new()),
    })
}

/// Values for a preview: scalars show their name as `‹name›`, flags are true, lists have two items.
pub fn sample(variables: &[Variable]) -> Value {
    let mut value = object(variables, &|variable| match variable.kind {
        VariableKind::Flag => Value::Bool(true),
        _ => Value::String(format!("‹{}›", variable.name)),
    });
    repeat_items(&mut value, 3);
    value
}

/// Whether this text contains the sample of a scalar: such a text or path must not be written to a file.
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

/// Recurses as deep as the tree, at most `TREE_DEPTH`.
fn object(variables: &[Variable], leaf: &impl Fn(&Variable) -> Value) -> Value {
    let field = |variable: &Variable| {
        let value = match variable.kind {
            VariableKind::Scalar | VariableKind::Flag => leaf(variable),
            VariableKind::Object => object(&variable.fields, leaf),
            VariableKind::List if variable.fields.is_empty() => Value::Array(vec![leaf(variable)]),
            VariableKind::List => Value::Array(vec![object(&variable.fields, leaf)]),
        };
        (variable.name.clone(), value)
    };
    Value::Object(variables.iter().map(field).collect())
}

/// Gives every list a second item, down to this many levels of lists, so that a sample does not grow without bound.
fn repeat_items(value: &mut Value, levels: usize) {
    match value {
        Value::Array(items) if levels > 0 => {
            items.iter_mut().for_each(|item| repeat_items(item, levels - 1));
            if let Some(item) = items.first().cloned() {
                items.push(item);
            }
        }
        Value::Object(fields) => fields.values_mut().for_each(|field| repeat_items(field, levels)),
        _ => {}
    }
}

fn object_schema(variables: &[Variable]) -> Value {
    let mut properties = Map::new();
    for variable in variables {
        let described = match variable.kind {
            VariableKind::Scalar => json!({ "type": ["string", "number", "boolean"] }),
            VariableKind::Flag => json!({ "type": "boolean" }),
            VariableKind::Object => object_schema(&variable.fields),
            VariableKind::List if variable.fields.is_empty() => json!({ "type": "array" }),
            VariableKind::List => json!({ "type": "array", "items": object_schema(&variable.fields) }),
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
