//! Builds the variable tree: records every use of a name with its path, then derives each name's kind from its uses.
//! All three languages record their uses here; the result is [`super::Variable`] (BEHAVIOUR §6).

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use super::limits::TREE_DEPTH;
use super::{TextForNumber, ValueType, Variable, VariableKind};

/// One step on the path to a value.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) enum PathStep {
    /// A field of this name; the first step is a top-level variable.
    Field(String),
    /// Any item of the list.
    Item,
}

/// The most steps of a path: more than [`VariableUses::record`] accepts. Without this limit, a long path would be copied for
/// every name looked up inside it.
const MAX_STEPS: usize = 2 * (TREE_DEPTH + 1);

/// Appends fields to a path, and an item for each index.
pub(crate) fn extend(path: &mut Vec<PathStep>, fields: &[&str]) {
    let room = MAX_STEPS.saturating_sub(path.len());
    for field in fields.iter().take(room) {
        let is_item = !path.is_empty() && is_index(field) && field.len() <= INDEX_DIGITS;
        path.push(if is_item { PathStep::Item } else { PathStep::Field((*field).to_owned()) });
    }
}

/// The most digits of an index in the variable tree; a longer number, such as `responses.404`, is a key of an object.
const INDEX_DIGITS: usize = 2;

/// Whether a part of a path can be the index of an item.
pub(crate) fn is_index(part: &str) -> bool {
    !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit())
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Usage {
    /// Printed.
    Print,
    /// Compared with or added to a value that may be a number or a text.
    Compare,
    /// Used as a number, where a text may do, too.
    Compute,
    /// Used as a number, where a text fails.
    Calculate,
    /// Used as a text, which a number would not do for.
    Text,
    /// Only tested for presence or truth.
    Test,
    Iterate,
    /// Measured or reversed: a list, unless another use indicates otherwise.
    Measure,
    /// Looked into with a key that is not written in the template.
    Look,
    /// Looked into with a key that is written in the template.
    Find,
    /// Looked into with a key that iterating it gave.
    LookByKey,
    /// Its items are unpacked into this many names.
    Unpack(usize),
    /// Given a name, which tells nothing about its kind.
    Touch,
    /// Used as a whole, of whatever kind it is.
    Whole,
}

#[derive(Debug, Clone, Default)]
struct UsageNode {
    printed: bool,
    /// Whether it, or each of its items, is used as a number.
    is_number: bool,
    /// Whether it, or each of its items, is used as a number where a text fails.
    is_calculated: bool,
    /// Whether the template asks if it, or each of its items, is a number or a text.
    is_asked_for_type: bool,
    /// Whether it, or each of its items, is used as a text.
    is_text: bool,
    /// The number of names that each of its items is unpacked into.
    unpacked: Option<usize>,
    touched: bool,
    listed: bool,
    measured: bool,
    mapped: bool,
    /// Whether the value, or each of its items, is used as a whole.
    whole: bool,
    /// Whether a field of the value itself is used, not of its items.
    looked_into: bool,
    required: bool,
    /// Whether it is tested in a way that fails if it is not given.
    tested: bool,
    fields: BTreeMap<String, UsageNode>,
}

/// The effect of a missing value on strict rendering.
enum IfOmitted {
    /// Rendering does not fail.
    Fine,
    /// Rendering does not fail if this is given: `false` for a value that is only tested, or an object of such values.
    Given(Value),
    /// Rendering fails: the value must be known.
    Needed,
}

impl UsageNode {
    fn kind(&self) -> VariableKind {
        // A value that is iterated and also looked into must be an object: Mustache enters it, Jinja2 iterates over its keys.
        if self.listed && !self.looked_into {
            VariableKind::List
        } else if self.mapped || self.looked_into || !self.fields.is_empty() {
            VariableKind::Object
        } else if self.measured && !self.printed {
            VariableKind::List
        } else if self.printed || self.touched {
            VariableKind::Scalar
        } else {
            VariableKind::Flag
        }
    }

    /// What strict rendering needs if this value is missing. Visits each node below once.
    fn if_left_out(&self) -> IfOmitted {
        match self.kind() {
            _ if self.required => IfOmitted::Needed,
            VariableKind::Flag if self.tested => IfOmitted::Given(Value::Bool(false)),
            VariableKind::Scalar | VariableKind::List if self.tested => IfOmitted::Needed,
            VariableKind::Flag | VariableKind::Scalar | VariableKind::List => IfOmitted::Fine,
            VariableKind::Object => {
                let mut values = Map::new();
                for (name, node) in &self.fields {
                    match node.if_left_out() {
                        IfOmitted::Fine => {}
                        IfOmitted::Given(value) => drop(values.insert(name.clone(), value)),
                        IfOmitted::Needed => return IfOmitted::Needed,
                    }
                }
                if self.tested || !values.is_empty() {
                    IfOmitted::Given(Value::Object(values))
                } else {
                    IfOmitted::Fine
                }
            }
        }
    }

    /// Sets every missing value that is only tested, so that strict rendering does not fail, to `false` or to an object
    /// of such values. Returns the names in this object and what they were set to. Recurses at most [`TREE_DEPTH`]
    /// deep.
    fn give_flags(&self, values: &mut Value) -> Vec<(String, Value)> {
        let mut given = Vec::new();
        match values {
            Value::Object(values) => {
                for (name, node) in &self.fields {
                    if let Some(value) = values.get_mut(name) {
                        node.give_flags(value);
                    } else if let IfOmitted::Given(value) = node.if_left_out() {
                        values.insert(name.clone(), value.clone());
                        given.push((name.clone(), value));
                    }
                }
            }
            Value::Array(items) => items.iter_mut().for_each(|item| {
                self.give_flags(item);
            }),
            _ => {}
        }
        given
    }
}

#[derive(Debug, Clone, Default)]
pub(crate) struct VariableUses {
    root: UsageNode,
}

impl VariableUses {
    /// Records a use of the value at `path`; `needed` if the template cannot do without it. A template that needs a
    /// field needs its object, but not the list that contains the item. Levels below [`TREE_DEPTH`] are left out.
    pub(crate) fn record(&mut self, path: &[PathStep], what: Usage, needed: bool) {
        let own = path.iter().rposition(|step| *step == PathStep::Item).map_or(0, |at| at + 1);
        let mut node = &mut self.root;
        let mut depth = 0;
        for (at, step) in path.iter().enumerate() {
            node.looked_into |= at > 0 && *step != PathStep::Item && path.get(at - 1) != Some(&PathStep::Item);
            match step {
                // A text has items, too: an item that is only printed does not make it a list.
                PathStep::Item
                    if at + 1 == path.len()
                        && !matches!(what, Usage::Iterate | Usage::Look | Usage::Find | Usage::LookByKey) =>
                {
                    node.measured = true;
                }
                PathStep::Item => node.listed = true,
                PathStep::Field(name) => {
                    depth += 1;
                    if depth > TREE_DEPTH {
                        return;
                    }
                    node = node.fields.entry(name.clone()).or_default();
                    node.required |= needed && at >= own && what != Usage::Test;
                }
            }
        }
        // What is known of the items of items says nothing of the items.
        if !path.ends_with(&[PathStep::Item, PathStep::Item]) {
            node.is_number |= matches!(what, Usage::Compute | Usage::Calculate);
            node.is_calculated |= what == Usage::Calculate;
            node.is_text |= what == Usage::Text;
        }
        node.whole |= matches!(what, Usage::Print | Usage::Compare | Usage::Look | Usage::LookByKey | Usage::Whole);
        if path.last() == Some(&PathStep::Item) {
            if let Usage::Unpack(names) = what {
                node.unpacked = Some(names);
            }
            return;
        }
        match what {
            Usage::Print | Usage::Compare | Usage::Compute | Usage::Calculate | Usage::Text => node.printed = true,
            Usage::Iterate => node.listed = true,
            Usage::Measure => node.measured = true,
            Usage::Look | Usage::Find => node.mapped = true,
            Usage::LookByKey => node.looked_into = true,
            Usage::Touch | Usage::Whole | Usage::Unpack(_) => node.touched = true,
            Usage::Test => node.tested |= needed,
        }
    }

    /// Records that the template asks whether the value at this path, which it uses, is a number or a text.
    pub(crate) fn ask_for_type(&mut self, path: &[PathStep]) {
        let node = path.iter().try_fold(&mut self.root, |node, step| match step {
            PathStep::Field(name) => node.fields.get_mut(name),
            PathStep::Item => Some(node),
        });
        if let Some(node) = node {
            node.is_asked_for_type = true;
        }
    }

    /// Whether the value at this path is an object, by its uses so far.
    pub(crate) fn is_object(&self, path: &[PathStep]) -> bool {
        // The fields of items are those of their list.
        let is_item = path.last() == Some(&PathStep::Item);
        let is_it =
            |node: &UsageNode| if is_item { !node.fields.is_empty() } else { node.kind() == VariableKind::Object };
        self.node(path).is_some_and(is_it)
    }

    /// What is known of the value at this path, or of the list that it is an item of.
    fn node(&self, path: &[PathStep]) -> Option<&UsageNode> {
        let mut fields = path.iter().filter_map(|step| match step {
            PathStep::Field(name) => Some(name),
            PathStep::Item => None,
        });
        fields.try_fold(&self.root, |node, name| node.fields.get(name))
    }

    /// Whether the object that holds all values is itself printed or looped over.
    pub(crate) fn uses_root(&self) -> bool {
        self.root.printed || self.root.listed
    }

    /// Like [`UsageNode::give_flags`], for all values of a template.
    pub(crate) fn give_flags(&self, values: &mut Value) -> Vec<(String, Value)> {
        self.root.give_flags(values)
    }

    pub(crate) fn variables(self) -> Vec<Variable> {
        self.root.fields.into_iter().map(|(name, node)| variable(name, node)).collect()
    }
}

/// Recurses at most [`TREE_DEPTH`] deep.
fn variable(name: String, node: UsageNode) -> Variable {
    let (kind, is_required, is_tested) = (node.kind(), node.required, node.tested);
    let value_type = match (kind, node.unpacked) {
        (VariableKind::List, Some(names)) => ValueType::Unpacked(names),
        (VariableKind::Scalar, _) if !node.printed => ValueType::Any,
        _ if node.is_number && !node.is_text => ValueType::Number,
        _ => ValueType::Plain,
    };
    let text_for_number = match value_type {
        ValueType::Number if node.is_asked_for_type => TextForNumber::Fits,
        ValueType::Number if node.is_calculated => TextForNumber::Fails,
        ValueType::Number => TextForNumber::MayFit,
        _ => TextForNumber::Fits,
    };
    let is_looped_over = kind == VariableKind::List && node.listed && !node.printed;
    let is_whole = node.whole || (kind == VariableKind::Object && node.listed);
    let fields: Vec<Variable> = node.fields.into_iter().map(|(name, node)| variable(name, node)).collect();
    // Consistent with `if_left_out`.
    let is_needed = match kind {
        VariableKind::Flag => false,
        VariableKind::Scalar | VariableKind::List => is_tested,
        VariableKind::Object => fields.iter().any(|field| !field.optional),
    };
    let optional = !is_required && !is_needed;
    Variable { name, kind, value_type, text_for_number, is_looped_over, is_whole, optional, fields }
}
