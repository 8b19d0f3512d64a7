//! What a name refers to at a place in a template: a variable, a local, or an item of a list variable. Paths lead from
//! a variable to the value that an expression uses.

use std::borrow::Borrow;
use std::collections::HashMap;
use std::hash::Hash;

use minijinja::machinery::ast::{BinOpKind, Call, CallArg, Expr, UnaryOpKind};

use super::RESERVED;
use crate::usage::PathStep;

/// What a local name refers to.
#[derive(Debug, Clone)]
pub(super) enum NameBinding {
    /// A value created by the template.
    Own,
    /// A number created by the template.
    Number,
    /// The sum of the values at these paths, which are numbers if it is one.
    Sum(Vec<Vec<PathStep>>),
    /// A namespace in which these fields began as numbers.
    Namespace(Vec<String>),
    /// A value reached from a variable, or from one of several; with a default, the template works without the first.
    Alias { paths: Vec<Vec<PathStep>>, has_default: bool },
    /// A group of items of the list at this path: the template creates `grouper`, and `list` contains the items.
    Group(Vec<PathStep>),
}

impl NameBinding {
    /// What a name refers to that may refer to either.
    pub(super) fn or(self, other: Self) -> Self {
        match (self, other) {
            (Self::Number, number @ (Self::Number | Self::Sum(_))) | (number @ Self::Sum(_), Self::Number) => number,
            (Self::Sum(mut paths), Self::Sum(more)) => {
                add_paths(&mut paths, more, SUM_PATHS);
                Self::Sum(paths)
            }
            (one, other) => {
                let mut paths = Vec::new();
                for binding in [one, other] {
                    if let Self::Alias { paths: more, .. } = binding {
                        add_paths(&mut paths, more, MAX_PATHS);
                    }
                }
                if paths.is_empty() { Self::Own } else { Self::Alias { paths, has_default: true } }
            }
        }
    }
}

/// The names in scope.
pub(super) type NameScope<'a> = Scoped<&'a str, NameBinding>;

/// The most paths of one name: without a limit, names assigned from each other would have ever more.
const MAX_PATHS: usize = 8;

/// The most variables of a sum. Of a longer one, the others are texts.
const SUM_PATHS: usize = 64;

/// Paths that are known to be defined.
pub(super) type Guards = Scoped<Vec<PathStep>, ()>;

/// Values by key, each until its block ends.
#[derive(Debug)]
pub(super) struct Scoped<K, V> {
    /// The innermost value last.
    values: HashMap<K, Vec<V>>,
    /// The keys in the order they were bound.
    order: Vec<K>,
}

impl<K, V> Default for Scoped<K, V> {
    fn default() -> Self {
        Self { values: HashMap::new(), order: Vec::new() }
    }
}

impl<K: Hash + Eq + Clone, V> Scoped<K, V> {
    /// The number of values in scope, to be used as a mark for [`Scoped::leave`].
    pub(super) fn mark(&self) -> usize {
        self.order.len()
    }

    /// Removes the values bound since the mark.
    pub(super) fn leave(&mut self, mark: usize) {
        self.take(mark);
    }

    /// Removes the values bound since the mark, and returns the last of each key.
    pub(super) fn take(&mut self, mark: usize) -> HashMap<K, V> {
        let mut taken = HashMap::new();
        for key in self.order.drain(mark.min(self.order.len())..).rev() {
            if let Some(value) = self.values.get_mut(&key).and_then(Vec::pop) {
                taken.entry(key).or_insert(value);
            }
        }
        taken
    }

    pub(super) fn bind(&mut self, key: K, value: V) {
        self.values.entry(key.clone()).or_default().push(value);
        self.order.push(key);
    }

    pub(super) fn of<Q: Hash + Eq + ?Sized>(&self, key: &Q) -> Option<&V>
    where
        K: Borrow<Q>,
    {
        self.values.get(key)?.last()
    }
}

impl NameScope<'_> {
    /// The path from a variable to the value of `expr`, if it only looks up names, fields and items.
    pub(super) fn path(&self, expr: &Expr<'_>) -> Option<Vec<PathStep>> {
        match expr {
            Expr::Var(name) => match self.of(name.id) {
                Some(NameBinding::Alias { paths, .. }) => paths.first().cloned(),
                Some(_) => None,
                None if RESERVED.contains(&name.id) => None,
                None => Some(vec![PathStep::Field(name.id.to_owned())]),
            },
            Expr::GetAttr(get) if get.name == "list" && self.group(&get.expr).is_some() => self.group(&get.expr),
            Expr::GetAttr(get) => self.step(&get.expr, PathStep::Field(get.name.to_owned())),
            Expr::GetItem(get) => match &get.subscript_expr {
                Expr::Const(index) if index.value.is_number() => match self.group(&get.expr) {
                    Some(group) if index.value.as_usize() == Some(1) => Some(group),
                    _ => self.step(&get.expr, PathStep::Item),
                },
                index if self.is_number(index) => self.step(&get.expr, PathStep::Item),
                key => self.step(&get.expr, PathStep::Field(text_of(key)?.to_owned())),
            },
            // `xs[1:]` leads to items, like `xs[1]`.
            Expr::Call(call) => {
                let mut bounds = values_of(&call.args).filter(|bound| !is_none(bound));
                let is_one_number = bounds.next().is_some_and(is_number) && bounds.next().is_none();
                sliced(call).filter(|_| is_one_number).and_then(|of| self.step(of, PathStep::Item))
            }
            Expr::Filter(filter) => match filter.name {
                "first" | "last" | "random" => self.step(filter.expr.as_ref()?, PathStep::Item),
                "default" | "d" | "sort" | "reverse" | "unique" | "list" | "select" | "reject" | "selectattr"
                | "rejectattr" => self.path(filter.expr.as_ref()?),
                _ => None,
            },
            Expr::BinOp(or) if matches!(or.op, BinOpKind::ScOr) => self.path(&or.left),
            _ => None,
        }
    }

    /// The paths to the values of which `expr` may be one.
    pub(super) fn paths(&self, expr: &Expr<'_>) -> Vec<Vec<PathStep>> {
        let paths_of = |result: &Expr<'_>| match result {
            Expr::Filter(filter) if matches!(filter.name, "default" | "d") => {
                let values = filter.expr.iter().chain(values_of(&filter.args).take(1));
                values.flat_map(|value| self.paths(value)).collect()
            }
            Expr::Var(name) => match self.of(name.id) {
                Some(NameBinding::Alias { paths, .. }) => paths.clone(),
                _ => self.path(result).into_iter().collect(),
            },
            Expr::GetAttr(get)
                if matches!(get.expr, Expr::Var(_) | Expr::GetAttr(_)) && self.group(&get.expr).is_none() =>
            {
                let mut paths = self.paths(&get.expr);
                paths.iter_mut().for_each(|path| path.push(PathStep::Field(get.name.to_owned())));
                paths
            }
            _ => self.path(result).into_iter().collect::<Vec<_>>(),
        };
        let mut found = Vec::new();
        add_paths(&mut found, results(expr).into_iter().flat_map(paths_of), MAX_PATHS);
        found
    }

    /// The paths to the lists of which `expr` may be one; empty if its first one is unknown.
    pub(super) fn lists(&self, expr: &Expr<'_>) -> Vec<Vec<PathStep>> {
        let Some(first) = self.path(expr) else { return Vec::new() };
        let all = self.paths(expr);
        if all.is_empty() { vec![first] } else { all }
    }

    /// What a name refers to after this value is assigned to it.
    pub(super) fn alias(&self, value: &Expr<'_>) -> NameBinding {
        let paths = self.paths(value);
        if !paths.is_empty() {
            return NameBinding::Alias { paths, has_default: self.path(value).is_none() || self.has_default(value) };
        }
        match value {
            number if self.is_number(number) => NameBinding::Number,
            Expr::BinOp(_) | Expr::Var(_) => NameBinding::Sum(self.added(value)),
            Expr::Call(call) if matches!(&call.expr, Expr::Var(name) if name.id == "namespace") => {
                let number = |arg: &CallArg<'_>| match arg {
                    CallArg::Kwarg(field, value) if self.is_number(value) => Some((*field).to_owned()),
                    _ => None,
                };
                NameBinding::Namespace(call.args.iter().filter_map(number).collect())
            }
            _ => NameBinding::Own,
        }
    }

    /// The paths to the values of which `expr` is the sum, unless it joins texts or lists. Recurses at most as deep as the
    /// expression.
    pub(super) fn added(&self, expr: &Expr<'_>) -> Vec<Vec<PathStep>> {
        match expr {
            Expr::Var(name) => match self.of(name.id) {
                Some(NameBinding::Sum(paths)) => paths.clone(),
                _ => self.paths(expr),
            },
            Expr::BinOp(sum) if matches!(sum.op, BinOpKind::Add) && !is_text_or_list(expr) => {
                let mut paths = self.added(&sum.left);
                add_paths(&mut paths, self.added(&sum.right), SUM_PATHS);
                paths
            }
            _ => self.paths(expr),
        }
    }

    /// Whether the result is a number whatever the values are. Recurses at most as deep as the expression.
    pub(super) fn is_number(&self, expr: &Expr<'_>) -> bool {
        match expr {
            Expr::Var(name) => matches!(self.of(name.id), Some(NameBinding::Number)),
            Expr::GetAttr(get) => {
                let numbers = ["index", "index0", "revindex", "revindex0", "length", "depth", "depth0"];
                let Expr::Var(name) = &get.expr else { return false };
                match self.of(name.id) {
                    Some(NameBinding::Namespace(numbers)) => numbers.iter().any(|number| number == get.name),
                    bound => bound.is_some() && name.id == "loop" && numbers.contains(&get.name),
                }
            }
            Expr::Filter(filter) => {
                matches!(filter.name, "length" | "count" | "int" | "float" | "round" | "abs" | "sum" | "wordcount")
            }
            Expr::BinOp(operator) => match operator.op {
                BinOpKind::Sub | BinOpKind::Div | BinOpKind::FloorDiv | BinOpKind::Pow => true,
                BinOpKind::Add => self.is_number(&operator.left) || self.is_number(&operator.right),
                // A text or a list times a number repeats it.
                BinOpKind::Mul => [&operator.left, &operator.right].iter().all(|side| !is_text_or_list(side)),
                BinOpKind::Rem => self.is_number(&operator.left),
                _ => false,
            },
            number => is_number(number),
        }
    }

    /// Whether a part of a path has a default, which makes the whole path optional. Recurses like [`NameScope::path`].
    pub(super) fn has_default(&self, expr: &Expr<'_>) -> bool {
        match expr {
            Expr::Var(name) => matches!(self.of(name.id), Some(NameBinding::Alias { has_default: true, .. })),
            Expr::GetAttr(get) => self.has_default(&get.expr),
            Expr::GetItem(get) => self.has_default(&get.expr),
            Expr::Filter(filter) if matches!(filter.name, "default" | "d") => true,
            Expr::Filter(filter) => filter.expr.as_ref().is_some_and(|of| self.has_default(of)),
            Expr::BinOp(or) if matches!(or.op, BinOpKind::ScOr) => self.has_default(&or.left),
            Expr::Call(call) => sliced(call).is_some_and(|of| self.has_default(of)),
            _ => false,
        }
    }

    fn group(&self, expr: &Expr<'_>) -> Option<Vec<PathStep>> {
        let Expr::Var(name) = expr else { return None };
        match self.of(name.id) {
            Some(NameBinding::Group(path)) => Some(path.clone()),
            _ => None,
        }
    }

    fn step(&self, of: &Expr<'_>, step: PathStep) -> Option<Vec<PathStep>> {
        let mut path = self.path(of)?;
        path.push(step);
        Some(path)
    }

    /// The paths that are defined if the result of `expr` was `outcome`.
    fn defined_if(&self, expr: &Expr<'_>, outcome: bool) -> Vec<Vec<PathStep>> {
        match expr {
            Expr::Test(test) if matches!(test.name, "defined" | "undefined") => {
                let says_defined = (test.name == "defined") == outcome;
                self.path(&test.expr).filter(|_| says_defined).into_iter().collect()
            }
            Expr::UnaryOp(not) if matches!(not.op, UnaryOpKind::Not) => self.defined_if(&not.expr, !outcome),
            Expr::BinOp(both) if matches!((both.op, outcome), (BinOpKind::ScAnd, true) | (BinOpKind::ScOr, false)) => {
                let mut defined = self.defined_if(&both.left, outcome);
                defined.extend(self.defined_if(&both.right, outcome));
                defined
            }
            _ => Vec::new(),
        }
    }
}

impl Guards {
    /// Adds the paths that are defined where the result of `test` was `outcome`.
    pub(super) fn add(&mut self, scope: &NameScope<'_>, test: &Expr<'_>, outcome: bool) {
        scope.defined_if(test, outcome).into_iter().for_each(|path| self.bind(path, ()));
    }

    /// Whether this path or one of its prefixes is among them.
    pub(super) fn cover(&self, path: &[PathStep]) -> bool {
        let holds = |length| path.get(..length).is_some_and(|start| self.of(start).is_some());
        !self.order.is_empty() && (1..=path.len()).any(holds)
    }
}

/// Adds paths to those of a name, each once and at most this many.
fn add_paths(paths: &mut Vec<Vec<PathStep>>, more: impl IntoIterator<Item = Vec<PathStep>>, most: usize) {
    for path in more {
        if paths.len() < most && !paths.contains(&path) {
            paths.push(path);
        }
    }
}

/// The expressions of which one is the result: the branches of `if`, both sides of `or`, and the right side of `and`, whose
/// left side is the result only if it is false. Recurses at most as deep as the expression.
pub(super) fn results<'e, 'a>(expr: &'e Expr<'a>) -> Vec<&'e Expr<'a>> {
    match expr {
        Expr::IfExpr(branch) => {
            std::iter::once(&branch.true_expr).chain(&branch.false_expr).flat_map(results).collect()
        }
        Expr::BinOp(or) if matches!(or.op, BinOpKind::ScOr) => {
            [&or.left, &or.right].into_iter().flat_map(results).collect()
        }
        Expr::BinOp(and) if matches!(and.op, BinOpKind::ScAnd) => results(&and.right),
        _ => vec![expr],
    }
}

/// The string argument `name`, or the one at position `at`.
pub(super) fn text_argument<'e>(args: &'e [CallArg<'_>], name: &str, at: usize) -> Option<&'e str> {
    let named = args.iter().find_map(|arg| match arg {
        CallArg::Kwarg(of, value) if *of == name => Some(value),
        _ => None,
    });
    let placed = || match args.get(at) {
        Some(CallArg::Pos(value)) => Some(value),
        _ => None,
    };
    text_of(named.or_else(placed)?)
}

pub(super) fn values_of<'e, 'a>(args: &'e [CallArg<'a>]) -> impl Iterator<Item = &'e Expr<'a>> {
    args.iter().map(|arg| match arg {
        CallArg::Pos(value) | CallArg::Kwarg(_, value) | CallArg::PosSplat(value) | CallArg::KwargSplat(value) => value,
    })
}

/// The sliced value, if the call is a translated slice.
pub(super) fn sliced<'e, 'a>(call: &'e Call<'a>) -> Option<&'e Expr<'a>> {
    match &call.expr {
        Expr::GetAttr(method) if method.name == "__slice__" => Some(&method.expr),
        _ => None,
    }
}

/// The value of a string literal.
pub(crate) fn text_of<'e>(expr: &'e Expr<'_>) -> Option<&'e str> {
    match expr {
        Expr::Const(text) => text.value.as_str(),
        _ => None,
    }
}

/// Whether it is a number as written. Recurses once per sign before the number, which is bounded.
pub(super) fn is_number(expr: &Expr<'_>) -> bool {
    match expr {
        Expr::Const(number) => number.value.is_number(),
        Expr::UnaryOp(sign) => matches!(sign.op, UnaryOpKind::Neg) && is_number(&sign.expr),
        _ => false,
    }
}

/// Whether it is a text or a list by how it is written, so that `+` joins it and `*` repeats it. Recurses at most as deep as
/// the expression.
pub(super) fn is_text_or_list(expr: &Expr<'_>) -> bool {
    match expr {
        Expr::List(_) | Expr::Tuple(_) => true,
        Expr::BinOp(operator) => match operator.op {
            BinOpKind::Add | BinOpKind::Mul => is_text_or_list(&operator.left) || is_text_or_list(&operator.right),
            BinOpKind::Rem => is_text_or_list(&operator.left),
            BinOpKind::Concat => true,
            _ => false,
        },
        Expr::Filter(filter) => {
            matches!(filter.name, "string" | "join" | "format" | "upper" | "lower" | "trim" | "replace")
        }
        _ => text_of(expr).is_some(),
    }
}

fn is_none(expr: &Expr<'_>) -> bool {
    matches!(expr, Expr::Const(none) if none.value.is_none())
}
