//! The values typed for a template's variables, completed with samples. Pure. `rows` builds the form, `document`
//! converts to and from JSON.

mod document;
mod rows;
mod saved;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value};

use refdesk_templates::{Variable, VariableKind, sample};
use refdesk_text::json::JsonError;

pub use document::{LARGEST, read};
pub use rows::{FormRow, RowValue, rows};
pub use saved::{all_saved, all_typed};

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ValueStep {
    /// A field of this name; the first step is a top-level variable.
    Field(String),
    /// An item of a list, from 0.
    Item(usize),
}

/// The path from the root of the values to one of them.
pub type ValuePath = Vec<ValueStep>;

/// The path as displayed: `fields 1 name`.
pub fn place(way: &[ValueStep]) -> String {
    let step = |step: &ValueStep| match step {
        ValueStep::Field(name) => name.clone(),
        ValueStep::Item(at) => (at + 1).to_string(),
    };
    way.iter().map(step).collect::<Vec<_>>().join(" ")
}

/// The path in the notation of templates and JSON, counted from 0: `fields[0].name`.
pub fn path(way: &[ValueStep]) -> String {
    let mut path = String::new();
    for step in way {
        match step {
            ValueStep::Field(name) if path.is_empty() => path.push_str(name),
            ValueStep::Field(name) => path.push_str(&format!(".{name}")),
            ValueStep::Item(at) => path.push_str(&format!("[{at}]")),
        }
    }
    path
}

/// The values typed for one template. Values that the template stopped using are kept in case it uses them again.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TypedValues {
    given: BTreeMap<ValuePath, TypedValue>,
    /// The number of items of the lists that do not show a sample.
    items: BTreeMap<ValuePath, usize>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TypedValue {
    /// A text, or JSON after `:=`, as in `render --var`. For a list or object it is the whole value as JSON, or
    /// comma-separated items for a list of texts.
    Text(String),
    Flag(bool),
}

impl TypedValue {
    /// A JSON value as the user would type it.
    fn of(value: &Value) -> Self {
        match value {
            Value::String(text) if !text.starts_with(":=") => Self::Text(text.clone()),
            value => Self::Text(format!(":={value}")),
        }
    }

    /// The JSON value; `None` if the text is invalid for a variable of this kind.
    fn value(&self, kind: VariableKind, fields: &[Variable]) -> Option<Value> {
        let text = match self {
            Self::Flag(flag) => return Some(Value::Bool(*flag)),
            Self::Text(text) => text,
        };
        match (json(text), kind) {
            (Some(Ok(value)), _) => Some(value),
            (Some(Err(_)), _) => None,
            (None, VariableKind::Scalar | VariableKind::Flag) => Some(Value::from(text.as_str())),
            (None, VariableKind::List) if fields.is_empty() => {
                let items = text.split(',').map(str::trim).filter(|item| !item.is_empty());
                Some(items.map(Value::from).collect())
            }
            (None, VariableKind::List | VariableKind::Object) => None,
        }
    }
}

/// The JSON after `:=`; `None` without that prefix.
pub fn json(text: &str) -> Option<Result<Value, JsonError>> {
    let text = text.strip_prefix(":=")?;
    Some(serde_json::from_str(text).map_err(|error| JsonError::of(text, &error)))
}

/// Removes optional scalars and makes flags `false` (BEHAVIOUR §6 "Only tested"). Inside an optional value, scalars
/// stay, because a field may be optional there only because the whole value is. The recursion is bounded by the depth
/// of the tree, which `template` limits.
fn leave_out(variables: &[Variable], values: &mut Value, is_below_optional: bool) {
    let Value::Object(fields) = values else { return };
    for variable in variables {
        let below = is_below_optional || variable.optional;
        match (variable.kind, fields.get_mut(&variable.name)) {
            (VariableKind::Scalar, _) if variable.optional && !is_below_optional => {
                fields.shift_remove(&variable.name);
            }
            (VariableKind::Flag, Some(value)) => *value = Value::Bool(false),
            (_, Some(Value::Array(items))) => {
                items.iter_mut().for_each(|item| leave_out(&variable.fields, item, below));
            }
            (_, Some(value)) => leave_out(&variable.fields, value, below),
            (_, None) => {}
        }
    }
}

/// The values used where nothing was typed. They do not depend on typed values, so that a preview does not change when
/// the first value is typed.
fn required_samples(variables: &[Variable]) -> Value {
    let mut values = sample(variables);
    leave_out(variables, &mut values, false);
    values
}

/// What to use where nothing was typed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum FillWith {
    /// Sample values, to show what a template does.
    Sample,
    Blank,
}

impl TypedValues {
    /// The value typed for this row, if one was.
    pub fn get(&self, way: &[ValueStep]) -> Option<&TypedValue> {
        self.given.get(way)
    }

    /// Sets a value. The lists that contain it stop showing samples.
    pub fn set(&mut self, way: ValuePath, given: TypedValue) {
        for (at, step) in way.iter().enumerate() {
            if let (ValueStep::Item(item), Some(list)) = (step, way.get(..at)) {
                let items = self.items.entry(list.to_vec()).or_default();
                *items = (*items).max(item + 1);
            }
        }
        self.given.insert(way, given);
    }

    /// Copies the values typed here and below.
    fn copy(&mut self, from: &Self, way: &[ValueStep]) {
        fn below<'a, T: Clone>(
            map: &'a BTreeMap<ValuePath, T>,
            way: &'a [ValueStep],
        ) -> impl Iterator<Item = (ValuePath, T)> + 'a {
            let known = map.range(way.to_vec()..).take_while(|(known, _)| known.starts_with(way));
            known.map(|(known, value)| (known.clone(), value.clone()))
        }
        self.given.extend(below(&from.given, way));
        self.items.extend(below(&from.items, way));
    }

    /// Removes the values typed here and below.
    pub fn take_back(&mut self, way: &[ValueStep]) {
        self.given.retain(|known, _| !known.starts_with(way));
        self.items.retain(|known, _| !known.starts_with(way));
    }

    /// The top-level names of the values typed as text, not as JSON.
    pub fn names_of_texts(&self) -> BTreeSet<String> {
        let name = |(way, given): (&ValuePath, &TypedValue)| match (way.first(), given) {
            (Some(ValueStep::Field(name)), TypedValue::Text(text)) if json(text).is_none() => Some(name.clone()),
            _ => None,
        };
        self.given.iter().filter_map(name).collect()
    }

    /// The number of items of a list; `None` if it shows a sample.
    pub fn items(&self, list: &[ValueStep]) -> Option<usize> {
        self.items.get(list).copied()
    }

    /// The number of items that a list shows; 1 for a sample.
    pub fn shown_items(&self, list: &[ValueStep]) -> usize {
        self.items(list).unwrap_or(1)
    }

    /// Inserts an empty item before `at`.
    pub fn add_item(&mut self, list: &[ValueStep], at: usize) {
        let items = self.shown_items(list);
        self.renumber(list, |item| Some(if item >= at { item + 1 } else { item }));
        self.items.insert(list.to_vec(), items + 1);
    }

    /// Removes an item; the following ones move up.
    pub fn remove_item(&mut self, list: &[ValueStep], at: usize) {
        let items = self.shown_items(list);
        self.renumber(list, |item| match item.cmp(&at) {
            std::cmp::Ordering::Less => Some(item),
            std::cmp::Ordering::Equal => None,
            std::cmp::Ordering::Greater => Some(item - 1),
        });
        self.items.insert(list.to_vec(), items.saturating_sub(1));
    }

    fn renumber(&mut self, list: &[ValueStep], to: impl Fn(usize) -> Option<usize>) {
        fn renumbered<T>(
            map: &mut BTreeMap<ValuePath, T>,
            list: &[ValueStep],
            to: impl Fn(usize) -> Option<usize>,
        ) -> BTreeMap<ValuePath, T> {
            let moved = |(mut way, value): (ValuePath, T)| {
                if way.starts_with(list)
                    && let Some(ValueStep::Item(item)) = way.get_mut(list.len())
                {
                    *item = to(*item)?;
                }
                Some((way, value))
            };
            std::mem::take(map).into_iter().filter_map(moved).collect()
        }
        self.given = renumbered(&mut self.given, list, &to);
        self.items = renumbered(&mut self.items, list, &to);
    }

    pub fn len(&self) -> usize {
        self.given.len()
    }

    /// Whether anything was typed here or below.
    pub fn has_descendant(&self, way: &[ValueStep]) -> bool {
        fn has<T>(map: &BTreeMap<ValuePath, T>, way: &[ValueStep]) -> bool {
            map.range(way.to_vec()..).next().is_some_and(|(known, _)| known.starts_with(way))
        }
        has(&self.given, way) || has(&self.items, way)
    }

    /// Names typed directly below this path that are not in `known`, in order.
    fn unknown_names(&self, above: &[ValueStep], known: &[Variable]) -> Vec<&str> {
        let ways = |way: &'_ ValuePath| way.starts_with(above);
        let below = self.given.range(above.to_vec()..).map(|(way, _)| way).take_while(|way| ways(way));
        let mut names: Vec<&str> = Vec::new();
        for way in below {
            if let Some(ValueStep::Field(name)) = way.get(above.len())
                && names.last() != Some(&name.as_str())
                && !known.iter().any(|variable| variable.name == *name)
            {
                names.push(name);
            }
        }
        names
    }

    /// Sample values overlaid with the typed ones. Optional scalars that were not typed are left out, so that the template's
    /// defaults apply, and flags are not set.
    pub fn over_sample(&self, variables: &[Variable]) -> Value {
        self.object(variables, &mut Vec::new(), &required_samples(variables), FillWith::Sample)
    }

    /// The recursion is bounded by the depth of the tree, which `template` limits.
    fn object(&self, variables: &[Variable], way: &mut ValuePath, sample: &Value, fill: FillWith) -> Value {
        let mut fields = Map::new();
        for variable in variables {
            way.push(ValueStep::Field(variable.name.clone()));
            let value = self.value(variable, way, sample.get(&variable.name), fill);
            fields.extend(value.map(|value| (variable.name.clone(), value)));
            way.pop();
        }
        for name in self.unknown_names(way, variables) {
            way.push(ValueStep::Field(name.to_owned()));
            let value = self.get(way).and_then(|given| given.value(VariableKind::Scalar, &[]));
            fields.extend(value.map(|value| (name.to_owned(), value)));
            way.pop();
        }
        Value::Object(fields)
    }

    /// `None` if nothing was typed and the sample omits it.
    fn value(&self, variable: &Variable, way: &mut ValuePath, sample: Option<&Value>, fill: FillWith) -> Option<Value> {
        let Variable { kind, fields, .. } = variable;
        if let Some(value) = self.get(way).and_then(|given| given.value(*kind, fields)) {
            return Some(value);
        }
        match (kind, self.items(way), fill) {
            (VariableKind::Scalar, _, FillWith::Blank) => Some(Value::String(String::new())),
            (VariableKind::Flag, _, FillWith::Blank) => Some(Value::Bool(false)),
            (VariableKind::Scalar, _, FillWith::Sample) | (VariableKind::Flag, ..) => sample.cloned(),
            (VariableKind::Object, ..) => Some(self.object(fields, way, sample.unwrap_or(&Value::Null), fill)),
            (VariableKind::List, None, FillWith::Sample) => sample.cloned(),
            (VariableKind::List, items, _) => {
                let sample = sample.and_then(|sample| sample.get(0)).unwrap_or(&Value::Null);
                Some((0..items.unwrap_or(1)).map(|at| self.item(variable, at, way, sample, fill)).collect())
            }
        }
    }

    fn item(&self, list: &Variable, at: usize, way: &mut ValuePath, sample: &Value, fill: FillWith) -> Value {
        let fields = &list.fields;
        way.push(ValueStep::Item(at));
        let kind = if fields.is_empty() { VariableKind::Scalar } else { VariableKind::Object };
        let value = match self.get(way).and_then(|given| given.value(kind, fields)) {
            Some(value) => value,
            None if !fields.is_empty() => self.object(fields, way, sample, fill),
            None if fill == FillWith::Blank => match sample {
                Value::Array(parts) => parts.iter().map(|_| "").collect(),
                _ => Value::from(""),
            },
            None => sample.clone(),
        };
        way.pop();
        value
    }
}
