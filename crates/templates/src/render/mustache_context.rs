//! Looks up names in a Mustache template: the stack of values pushed by sections, innermost first, and the position of
//! each item in its list.

use serde_json::Value;

use crate::mustache::is_path;

#[derive(Debug, Clone, Copy)]
pub(super) enum ContextValue<'a> {
    Value(&'a Value),
    /// `first` or `last` of an item.
    Flag(bool),
    /// `@index` of an item, from 0.
    Index(usize),
    Nothing,
}

impl ContextValue<'_> {
    /// Whether a section with this value is rendered: not for `null`, `false`, `0`, `""` and the empty list.
    pub(super) fn is_truthy(&self) -> bool {
        match self {
            Self::Value(value) => match value {
                Value::Null => false,
                Value::Bool(flag) => *flag,
                Value::Number(number) => number.as_f64() != Some(0.0),
                Value::String(text) => !text.is_empty(),
                Value::Array(items) => !items.is_empty(),
                Value::Object(_) => true,
            },
            Self::Flag(flag) => *flag,
            Self::Index(index) => *index != 0,
            Self::Nothing => false,
        }
    }
}

#[derive(Debug, Clone, Copy)]
pub(super) struct ContextFrame<'a> {
    found: ContextValue<'a>,
    /// Index in and length of the list, for an item.
    place: Option<(usize, usize)>,
}

impl<'a> ContextFrame<'a> {
    /// A value that is not an item.
    pub(super) fn of(found: ContextValue<'a>) -> Self {
        Self { found, place: None }
    }

    /// Item `index` of a list of `length`.
    pub(super) fn item(item: &'a Value, index: usize, length: usize) -> Self {
        Self { found: ContextValue::Value(item), place: Some((index, length)) }
    }

    fn field(&self, name: &str) -> Option<ContextValue<'a>> {
        if let ContextValue::Value(Value::Object(fields)) = self.found
            && let Some(value) = fields.get(name)
        {
            return Some(ContextValue::Value(value));
        }
        let (index, length) = self.place?;
        match name {
            "first" => Some(ContextValue::Flag(index == 0)),
            "last" => Some(ContextValue::Flag(index + 1 == length)),
            "@index" => Some(ContextValue::Index(index)),
            _ => None,
        }
    }
}

/// The stack of values, innermost last.
#[derive(Debug)]
pub(super) struct Contexts<'a> {
    stack: Vec<ContextFrame<'a>>,
}

impl<'a> Contexts<'a> {
    pub(super) fn new(root: &'a Value) -> Self {
        Self { stack: vec![ContextFrame::of(ContextValue::Value(root))] }
    }

    /// The height of the stack, which is the cost of a lookup.
    pub(super) fn depth(&self) -> u64 {
        self.stack.len() as u64
    }

    pub(super) fn top(&self) -> ContextFrame<'a> {
        self.stack.last().copied().unwrap_or(ContextFrame { found: ContextValue::Nothing, place: None })
    }

    pub(super) fn push(&mut self, context: ContextFrame<'a>) {
        self.stack.push(context);
    }

    pub(super) fn pop(&mut self) {
        self.stack.pop();
    }

    /// Looks up `name`: `.` is the innermost value. The first part of a dotted name is looked up from the inside out, the
    /// other parts only in the result.
    pub(super) fn find(&self, name: &str) -> ContextValue<'a> {
        if name == "." {
            return self.top().found;
        }
        if !is_path(name) {
            return ContextValue::Nothing;
        }
        let mut parts = name.split('.');
        let Some(head) = parts.next() else { return ContextValue::Nothing };
        let Some(mut found) = self.stack.iter().rev().find_map(|context| context.field(head)) else {
            return ContextValue::Nothing;
        };
        for part in parts {
            found = match found {
                ContextValue::Value(Value::Object(fields)) => {
                    fields.get(part).map_or(ContextValue::Nothing, ContextValue::Value)
                }
                _ => return ContextValue::Nothing,
            };
        }
        found
    }

    /// All names that can be looked up, innermost first.
    pub(super) fn names(&self) -> impl Iterator<Item = &'a str> {
        let fields = self.stack.iter().rev().filter_map(|context| match context.found {
            ContextValue::Value(Value::Object(fields)) => Some(fields),
            _ => None,
        });
        fields.flat_map(|fields| fields.keys().map(String::as_str))
    }
}
