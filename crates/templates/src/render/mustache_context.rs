//! Looks up names in a Mustache template: the stack of values pushed by sections, innermost first, and the position of
//! each item in its list.

use std::borrow::Cow;

use serde_json::Value;

use crate::mustache::is_path;
use crate::usage::is_index;

/// Whether a section with this value is rendered: not for `null`, `false`, `0`, `""` and the empty list.
pub(super) fn is_truthy(value: &Value) -> bool {
    match value {
        Value::Null => false,
        Value::Bool(flag) => *flag,
        Value::Number(number) => number.as_f64() != Some(0.0),
        Value::String(text) => !text.is_empty(),
        Value::Array(items) => !items.is_empty(),
        Value::Object(_) => true,
    }
}

#[derive(Debug, Clone)]
pub(super) struct ContextFrame<'a> {
    /// Owned only if it is item metadata.
    value: Cow<'a, Value>,
    /// Index in and length of the list, for an item.
    place: Option<(usize, usize)>,
}

impl<'a> ContextFrame<'a> {
    /// A value that is not an item.
    pub(super) fn of(value: Cow<'a, Value>) -> Self {
        Self { value, place: None }
    }

    /// Item `index` of a list of `length`.
    pub(super) fn item(item: &'a Value, index: usize, length: usize) -> Self {
        Self { value: Cow::Borrowed(item), place: Some((index, length)) }
    }

    fn field(&self, name: &str) -> Option<Cow<'a, Value>> {
        if let Cow::Borrowed(Value::Object(fields)) = self.value
            && let Some(value) = fields.get(name)
        {
            return Some(Cow::Borrowed(value));
        }
        let (index, length) = self.place?;
        match name {
            "first" => Some(Cow::Owned((index == 0).into())),
            "last" => Some(Cow::Owned((index + 1 == length).into())),
            "@index" => Some(Cow::Owned(index.into())),
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
        Self { stack: vec![ContextFrame::of(Cow::Borrowed(root))] }
    }

    /// The height of the stack, which is the cost of a lookup.
    pub(super) fn depth(&self) -> u64 {
        self.stack.len() as u64
    }

    pub(super) fn push(&mut self, context: ContextFrame<'a>) {
        self.stack.push(context);
    }

    /// Pushes the innermost value again.
    pub(super) fn push_top(&mut self) {
        let top = self.stack.last().cloned();
        self.stack.extend(top);
    }

    pub(super) fn pop(&mut self) {
        self.stack.pop();
    }

    /// Looks up `name`: `.` is the innermost value. The first part of a dotted name is looked up from the inside out, the
    /// other parts only in the result; in a list, an index.
    pub(super) fn find(&self, name: &str) -> Option<Cow<'a, Value>> {
        if name == "." {
            return self.stack.last().map(|top| top.value.clone());
        }
        if !is_path(name) {
            return None;
        }
        let mut parts = name.split('.');
        let head = parts.next()?;
        let found = self.stack.iter().rev().find_map(|context| context.field(head))?;
        parts.try_fold(found, |found, part| match found {
            Cow::Borrowed(Value::Array(items)) => {
                items.get(part.parse::<usize>().ok().filter(|_| is_index(part))?).map(Cow::Borrowed)
            }
            Cow::Borrowed(value) => value.as_object()?.get(part).map(Cow::Borrowed),
            Cow::Owned(_) => None,
        })
    }

    /// All names that can be looked up, innermost first.
    pub(super) fn names(&self) -> impl Iterator<Item = &'a str> {
        let fields = self.stack.iter().rev().filter_map(|context| match context.value {
            Cow::Borrowed(Value::Object(fields)) => Some(fields),
            _ => None,
        });
        fields.flat_map(|fields| fields.keys().map(String::as_str))
    }
}
