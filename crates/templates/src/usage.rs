//! How a tree of variables grows: every use of a name is recorded with its path, and at the end each name's kind follows
//! from what was asked of it. The three languages record here; [`super::Variable`] is what comes out (BEHAVIOUR §6).

use std::collections::BTreeMap;

use super::limits::TREE_DEPTH;
use super::{Variable, VariableKind};

/// One step of the way to a value.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum PathStep {
    /// A field of this name; the first step is a top-level variable.
    Field(String),
    /// Any item of the list reached so far.
    Item,
}

/// Appends fields to a path, up to one more than [`VariableUses::record`] accepts. Without the limit a long path would be
/// copied for every name that is looked up inside it.
pub fn extend(path: &mut Vec<PathStep>, fields: &[&str]) {
    let room = (TREE_DEPTH + 1).saturating_sub(path.iter().filter(|step| **step != PathStep::Item).count());
    path.extend(fields.iter().take(room).map(|field| PathStep::Field((*field).to_owned())));
}

/// What is done with a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Usage {
    /// It is printed, compared or computed with.
    Print,
    /// It is only asked whether it is there or true.
    Test,
    Iterate,
    /// Measured or reversed: a list, if nothing says otherwise.
    Measure,
    Look,
    /// Handed on; says nothing about its kind.
    Touch,
}

#[derive(Debug, Clone, Default)]
struct UsageNode {
    printed: bool,
    touched: bool,
    listed: bool,
    measured: bool,
    mapped: bool,
    /// A field of it is asked for, not of its items.
    looked_into: bool,
    required: bool,
    fields: BTreeMap<String, UsageNode>,
}

#[derive(Debug, Clone, Default)]
pub struct VariableUses {
    root: UsageNode,
}

impl VariableUses {
    /// Records that the value at `path` is used; `needed` where the template cannot do without it. A template that needs a field
    /// needs the object around it, but not the list whose items have it. Levels below [`TREE_DEPTH`] are left out.
    pub fn record(&mut self, path: &[PathStep], what: Usage, needed: bool) {
        let own = path.iter().rposition(|step| *step == PathStep::Item).map_or(0, |at| at + 1);
        let mut node = &mut self.root;
        let mut depth = 0;
        for (at, step) in path.iter().enumerate() {
            node.looked_into |= at > 0 && *step != PathStep::Item && path.get(at - 1) != Some(&PathStep::Item);
            match step {
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
        if path.last() == Some(&PathStep::Item) {
            return;
        }
        match what {
            Usage::Print => node.printed = true,
            Usage::Iterate => node.listed = true,
            Usage::Measure => node.measured = true,
            Usage::Look => node.mapped = true,
            Usage::Touch => node.touched = true,
            Usage::Test => {}
        }
    }

    pub fn variables(self) -> Vec<Variable> {
        self.root.fields.into_iter().map(|(name, node)| variable(name, node)).collect()
    }
}

/// At most [`TREE_DEPTH`] calls deep.
fn variable(name: String, node: UsageNode) -> Variable {
    // What is gone through and also looked into can only be an object: Mustache enters one, Jinja2 gives its keys.
    let kind = if node.listed && !node.looked_into {
        VariableKind::List
    } else if node.mapped || node.looked_into || !node.fields.is_empty() {
        VariableKind::Object
    } else if node.measured && !node.printed {
        VariableKind::List
    } else if node.printed || node.touched {
        VariableKind::Scalar
    } else {
        VariableKind::Flag
    };
    let fields = node.fields.into_iter().map(|(name, node)| variable(name, node)).collect();
    Variable { name, kind, optional: !node.required, fields }
}
