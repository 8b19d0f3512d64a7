//! The form: the tree of variables and list items as rows, each with its typed value or sample.

use serde_json::Value;

use crate::common::values::{TypedValue, TypedValues, ValuePath, ValueStep, required_samples};
use refdesk_templates::{Variable, VariableKind, holds_sample};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FormRow {
    pub way: ValuePath,
    /// The name; for a list item, its number from 1.
    pub name: String,
    pub level: usize,
    /// Whether it has a default or is only tested for presence.
    pub optional: bool,
    pub holds: RowValue,
    /// Whether something was typed here or below.
    pub typed: bool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RowValue {
    /// A typed or sample text; empty if it is left out until typed.
    Text(String),
    Flag(bool),
    /// A list whose items are the rows below; `None` for a sample.
    Items(Option<usize>),
    /// The rows below are its fields.
    Fields,
    /// A value that the template does not use, as typed.
    Unused(String),
    /// A text that is invalid for the template's variable.
    InvalidText(String),
}

impl FormRow {
    /// Whether a value can be typed into it.
    pub fn is_leaf(&self) -> bool {
        matches!(self.holds, RowValue::Text(_) | RowValue::Flag(_) | RowValue::InvalidText(_))
    }

    /// Whether a sample is used instead, because nothing valid was typed.
    pub fn is_sample(&self) -> bool {
        match &self.holds {
            RowValue::Text(sample) => !self.typed && !sample.is_empty(),
            RowValue::InvalidText(_) => true,
            RowValue::Flag(_) | RowValue::Items(_) | RowValue::Fields | RowValue::Unused(_) => false,
        }
    }

    /// Whether a sample is used that the rendered text does not show as one: a number.
    pub fn is_unmarked_sample(&self) -> bool {
        let is_marked = matches!(&self.holds, RowValue::Text(sample) if holds_sample(sample));
        self.is_sample() && !is_marked
    }

    /// If the row is a list item: the list, and the index in it.
    pub fn item(&self) -> Option<(&[ValueStep], usize)> {
        match self.way.split_last() {
            Some((ValueStep::Item(at), list)) => Some((list, *at)),
            _ => None,
        }
    }
}

/// The rows of the form, each parent before its children.
pub fn rows(variables: &[Variable], typed: &TypedValues) -> Vec<FormRow> {
    let mut form = RowBuilder { typed, rows: Vec::new() };
    form.fields(variables, &mut Vec::new(), 0, &required_samples(variables));
    form.rows
}

struct RowBuilder<'a> {
    typed: &'a TypedValues,
    rows: Vec<FormRow>,
}

impl RowBuilder<'_> {
    /// The recursion is bounded by the depth of the tree, which `template` limits.
    fn fields(&mut self, variables: &[Variable], way: &mut ValuePath, level: usize, sample: &Value) {
        for variable in variables {
            let sample = sample.get(&variable.name).unwrap_or(&Value::Null);
            way.push(ValueStep::Field(variable.name.clone()));
            self.variable(variable, way, level, sample);
            way.pop();
        }
        let typed = self.typed;
        for name in typed.unknown_names(way, variables) {
            way.push(ValueStep::Field(name.to_owned()));
            let text = match typed.get(way) {
                Some(TypedValue::Text(text)) => text.clone(),
                Some(TypedValue::Flag(flag)) => flag.to_string(),
                None => String::new(),
            };
            self.push(way, name.to_owned(), level, true, RowValue::Unused(text));
            way.pop();
        }
    }

    fn variable(&mut self, variable: &Variable, way: &mut ValuePath, level: usize, sample: &Value) {
        let Variable { name, kind, optional, fields, .. } = variable;
        let holds = match (self.typed.get(way), kind) {
            (Some(given), _) => row_value(given, *kind, fields),
            (None, VariableKind::Scalar) => RowValue::Text(sample_text(sample)),
            (None, VariableKind::Flag) => RowValue::Flag(sample.as_bool().unwrap_or_default()),
            (None, VariableKind::List) => RowValue::Items(self.typed.items(way)),
            (None, VariableKind::Object) => RowValue::Fields,
        };
        let (has_items, has_fields) = (matches!(holds, RowValue::Items(_)), holds == RowValue::Fields);
        self.push(way, name.clone(), level, *optional, holds);
        if has_fields {
            self.fields(fields, way, level + 1, sample);
        }
        if has_items {
            let sample = sample.get(0).unwrap_or(&Value::Null);
            for at in 0..self.typed.shown_items(way) {
                way.push(ValueStep::Item(at));
                self.item(fields, at, way, level + 1, sample);
                way.pop();
            }
        }
    }

    fn item(&mut self, fields: &[Variable], at: usize, way: &mut ValuePath, level: usize, sample: &Value) {
        let kind = if fields.is_empty() { VariableKind::Scalar } else { VariableKind::Object };
        let holds = match self.typed.get(way) {
            Some(given) => row_value(given, kind, fields),
            None if fields.is_empty() => RowValue::Text(sample_text(sample)),
            None => RowValue::Fields,
        };
        let has_fields = holds == RowValue::Fields;
        self.push(way, (at + 1).to_string(), level, false, holds);
        if has_fields {
            self.fields(fields, way, level + 1, sample);
        }
    }

    fn push(&mut self, way: &[ValueStep], name: String, level: usize, optional: bool, holds: RowValue) {
        let typed = self.typed.has_descendant(way);
        self.rows.push(FormRow { way: way.to_vec(), name, level, optional, holds, typed });
    }
}

/// A sample as displayed: a list as the user would type it.
fn sample_text(sample: &Value) -> String {
    match sample {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        Value::Array(_) => format!(":={sample}"),
        sample => sample.to_string(),
    }
}

fn row_value(given: &TypedValue, kind: VariableKind, fields: &[Variable]) -> RowValue {
    match given {
        TypedValue::Flag(flag) => RowValue::Flag(*flag),
        TypedValue::Text(text) if given.value(kind, fields).is_none() => RowValue::InvalidText(text.clone()),
        TypedValue::Text(text) => RowValue::Text(text.clone()),
    }
}
