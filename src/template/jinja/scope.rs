//! What a name means at one place of a template: a variable, something the template made itself, or the item of a list
//! that is a variable. Paths lead from a variable to what an expression looks at.

use std::collections::HashMap;

use super::GLOBALS;
use super::expr::{Arg, Expr};
use crate::template::shape::Step;

/// What a name of the template's own stands for.
#[derive(Debug, Clone)]
pub enum Binding {
    /// Something made here.
    Own,
    /// Something reached from a variable.
    Alias(Vec<Step>),
    /// A group of items of the list at this path: `grouper` is the template's own, `list` holds such items.
    Group(Vec<Step>),
}

/// The names in force.
#[derive(Debug, Default)]
pub struct Scope<'a> {
    /// Every name with what it stands for, the innermost binding last.
    bindings: HashMap<&'a str, Vec<Binding>>,
    /// The names in the order they were bound.
    order: Vec<&'a str>,
}

impl<'a> Scope<'a> {
    /// How many names are in force; a mark for [`Scope::leave`].
    pub fn mark(&self) -> usize {
        self.order.len()
    }

    /// Forgets the names made since the mark.
    pub fn leave(&mut self, mark: usize) {
        for name in self.order.drain(mark.min(self.order.len())..) {
            self.bindings.get_mut(name).map(Vec::pop);
        }
    }

    /// Makes a name.
    pub fn bind(&mut self, name: &'a str, binding: Binding) {
        self.bindings.entry(name).or_default().push(binding);
        self.order.push(name);
    }

    fn of(&self, name: &str) -> Option<&Binding> {
        self.bindings.get(name)?.last()
    }

    /// The way from a variable to what `expr` looks at, if it does nothing but look.
    pub fn path(&self, expr: &Expr<'_>) -> Option<Vec<Step>> {
        match expr {
            Expr::Name(name, _) => match self.of(name) {
                Some(Binding::Own | Binding::Group(_)) => None,
                Some(Binding::Alias(path)) => Some(path.clone()),
                None if GLOBALS.contains(name) => None,
                None => Some(vec![Step::Field((*name).to_owned())]),
            },
            Expr::Attr(of, "list") if self.group(of).is_some() => self.group(of),
            Expr::Attr(of, name) => self.step(of, Step::Field((*name).to_owned())),
            Expr::Index(of, index) => match &**index {
                Expr::Text(name) => self.step(of, Step::Field((*name).to_owned())),
                Expr::Number("1") if self.group(of).is_some() => self.group(of),
                Expr::Number(_) => self.step(of, Step::Item),
                Expr::All(parts) if matches!(parts.as_slice(), [Expr::Number(_)]) => self.step(of, Step::Item),
                _ => None,
            },
            Expr::Filter(of, name, _) => match *name {
                "first" | "last" | "random" => self.step(of, Step::Item),
                "default" | "d" | "sort" | "reverse" | "unique" | "list" | "select" | "reject" | "selectattr"
                | "rejectattr" => self.path(of),
                _ => None,
            },
            Expr::Or(left, _) => self.path(left),
            _ => None,
        }
    }

    fn group(&self, expr: &Expr<'_>) -> Option<Vec<Step>> {
        match expr {
            Expr::Name(name, _) => match self.of(name) {
                Some(Binding::Group(path)) => Some(path.clone()),
                _ => None,
            },
            _ => None,
        }
    }

    fn step(&self, of: &Expr<'_>, step: Step) -> Option<Vec<Step>> {
        let mut path = self.path(of)?;
        path.push(step);
        Some(path)
    }

    /// The paths that are certainly defined where `expr` turned out `outcome`.
    pub fn defined_if(&self, expr: &Expr<'_>, outcome: bool) -> Vec<Vec<Step>> {
        match expr {
            Expr::Test { subject, name, negated, .. } if matches!(*name, "defined" | "undefined") => {
                let says_defined = (*name == "defined") != *negated;
                if says_defined == outcome { self.path(subject).into_iter().collect() } else { Vec::new() }
            }
            Expr::Not(inner) => self.defined_if(inner, !outcome),
            Expr::And(left, right) if outcome => {
                let mut both = self.defined_if(left, true);
                both.extend(self.defined_if(right, true));
                both
            }
            Expr::Or(left, right) if !outcome => {
                let mut both = self.defined_if(left, false);
                both.extend(self.defined_if(right, false));
                both
            }
            _ => Vec::new(),
        }
    }
}

/// Paths that are certainly defined, innermost last.
#[derive(Debug, Default)]
pub struct Guards {
    order: Vec<Vec<Step>>,
    /// How often each path stands in `order`.
    counts: HashMap<Vec<Step>, usize>,
}

impl Guards {
    /// How many there are; a mark for [`Guards::truncate`].
    pub fn len(&self) -> usize {
        self.order.len()
    }

    /// Adds paths.
    pub fn extend(&mut self, paths: impl IntoIterator<Item = Vec<Step>>) {
        for path in paths {
            *self.counts.entry(path.clone()).or_default() += 1;
            self.order.push(path);
        }
    }

    /// Forgets the paths added since the mark.
    pub fn truncate(&mut self, mark: usize) {
        for path in self.order.drain(mark.min(self.order.len())..) {
            if let Some(count) = self.counts.get_mut(&path) {
                *count -= 1;
            }
        }
    }

    /// Whether this path, or one that leads to it, is among them.
    pub fn cover(&self, path: &[Step]) -> bool {
        let holds =
            |length| path.get(..length).and_then(|start| self.counts.get(start)).is_some_and(|count| *count > 0);
        !self.order.is_empty() && (1..=path.len()).any(holds)
    }
}

/// The string given for `name`, or in place `at`.
pub fn text_argument<'a>(args: &[Arg<'a>], name: &str, at: usize) -> Option<&'a str> {
    let named = args.iter().find(|arg| arg.name == Some(name));
    match named.or_else(|| args.get(at).filter(|arg| arg.name.is_none())).map(|arg| &arg.value) {
        Some(Expr::Text(text)) => Some(text),
        _ => None,
    }
}
