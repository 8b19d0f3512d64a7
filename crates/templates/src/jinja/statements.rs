//! One pass over the statements of a Jinja2 template: which names are locals, which are known to be defined, and how
//! every other name is used.

use std::collections::HashSet;

use minijinja::machinery::ast::{Expr, ForLoop, IfCond, Stmt};

use super::scope::{Guards, NameBinding, NameScope};
use crate::usage::{PathStep, Usage, VariableUses};

pub(crate) fn shape(statements: &[Stmt<'_>]) -> VariableUses {
    let mut uses = Uses::default();
    uses.statements(statements);
    uses.shape
}

/// What the statements visited so far have established.
#[derive(Default)]
pub(super) struct Uses<'a> {
    pub(super) shape: VariableUses,
    pub(super) scope: NameScope<'a>,
    /// Paths that are known to be defined here.
    pub(super) guards: Guards,
}

impl<'a> Uses<'a> {
    /// Recurses as deep as blocks and `elif` branches nest, which is bounded.
    fn statements(&mut self, statements: &[Stmt<'a>]) {
        for statement in statements {
            match statement {
                Stmt::EmitExpr(emit) => self.visit(&emit.expr, Usage::Print, true),
                Stmt::ForLoop(each) => self.for_loop(each),
                Stmt::IfCond(branch) => self.branch(branch),
                Stmt::WithBlock(with) => {
                    let names = self.scope.mark();
                    with.assignments.iter().for_each(|(target, value)| self.assign(target, value));
                    self.statements(&with.body);
                    self.scope.leave(names);
                }
                Stmt::Set(set) => self.assign(&set.target, &set.expr),
                Stmt::SetBlock(set) => {
                    set.filter.iter().for_each(|filter| self.visit(filter, Usage::Print, true));
                    self.statements(&set.body);
                    self.bind(&set.target, NameBinding::Own);
                }
                Stmt::AutoEscape(escape) => {
                    self.visit(&escape.enabled, Usage::Test, true);
                    self.statements(&escape.body);
                }
                Stmt::FilterBlock(block) => {
                    self.visit(&block.filter, Usage::Print, true);
                    self.statements(&block.body);
                }
                _ => {}
            }
        }
    }

    fn branch(&mut self, branch: &IfCond<'a>) {
        self.visit(&branch.expr, Usage::Test, true);
        let names = self.scope.mark();
        let [mut one, mut other] = [(true, &branch.true_body), (false, &branch.false_body)].map(|(outcome, body)| {
            self.guarded(&branch.expr, outcome, |uses| uses.statements(body));
            self.scope.take(names)
        });
        // Below, a name refers to what one of the branches assigned to it, or to what it referred to above.
        let assigned: HashSet<&str> = one.keys().chain(other.keys()).copied().collect();
        for name in assigned {
            let bindings = [one.remove(name), other.remove(name)];
            let bindings = bindings.map(|binding| binding.or_else(|| self.scope.of(name).cloned()));
            if let Some(binding) = bindings.into_iter().flatten().reduce(NameBinding::or) {
                self.scope.bind(name, binding);
            }
        }
    }

    fn for_loop(&mut self, each: &ForLoop<'a>) {
        let list = as_written(&each.iter);
        self.visit(list, Usage::Iterate, true);
        if let Expr::List(parts) = &each.target
            && parts.items.iter().all(|part| matches!(part, Expr::Var(_)))
        {
            for path in self.scope.lists(list) {
                self.shape.record(&[path, vec![PathStep::Item]].concat(), Usage::Unpack(parts.items.len()), false);
            }
        }
        let targets = names(&each.target);
        let bindings = self.bindings_of(list, targets.len());
        let (names, guards) = (self.scope.mark(), self.guards.mark());
        self.scope.bind("loop", NameBinding::Own);
        for (target, binding) in targets.into_iter().zip(bindings) {
            self.scope.bind(target, binding);
        }
        if let Some(test) = &each.filter_expr {
            self.visit(test, Usage::Test, true);
            self.guards.add(&self.scope, test, true);
        }
        self.statements(&each.body);
        self.guards.leave(guards);
        self.scope.leave(names);
        self.statements(&each.else_body);
    }

    /// What the names of a loop over `list` refer to.
    fn bindings_of(&self, list: &Expr<'a>, names: usize) -> Vec<NameBinding> {
        let (of, filter) = match list {
            Expr::Filter(filter) if matches!(filter.name, "groupby" | "batch" | "slice") => {
                (filter.expr.as_ref().unwrap_or(list), filter.name)
            }
            _ => (list, ""),
        };
        let is_range = matches!(of, Expr::Call(call) if matches!(&call.expr, Expr::Var(name) if name.id == "range"));
        let binding = match (self.scope.path(of), filter, names) {
            (None, "", 1) if is_range => NameBinding::Number,
            (Some(path), "groupby", 1) => NameBinding::Group(path),
            // Each result contains such items again.
            (Some(_), "groupby", 2) | (Some(_), "batch" | "slice", 1) => {
                let paths = self.scope.lists(of);
                NameBinding::Alias { has_default: paths.len() > 1, paths }
            }
            (Some(_), "", 1) => {
                let mut paths = self.scope.lists(of);
                paths.iter_mut().for_each(|path| path.push(PathStep::Item));
                NameBinding::Alias { has_default: paths.len() > 1, paths }
            }
            (None, "", 1) => {
                let items = match of {
                    Expr::List(list) => list.items.as_slice(),
                    Expr::Tuple(tuple) => &tuple.items,
                    _ => &[],
                };
                items.iter().map(|item| self.scope.alias(item)).reduce(NameBinding::or).unwrap_or(NameBinding::Own)
            }
            _ => NameBinding::Own,
        };
        let mut bindings = vec![NameBinding::Own; names];
        if let Some(last) = bindings.last_mut() {
            *last = binding;
        }
        bindings
    }

    fn assign(&mut self, target: &Expr<'a>, value: &Expr<'a>) {
        let value = as_written(value);
        match (target, value) {
            (Expr::List(names), Expr::Tuple(values)) if names.items.len() == values.items.len() => {
                values.items.iter().for_each(|value| self.visit(as_written(value), Usage::Touch, true));
                let bindings: Vec<_> = values.items.iter().map(|value| self.scope.alias(as_written(value))).collect();
                names.items.iter().zip(bindings).for_each(|(name, binding)| self.bind(name, binding));
            }
            _ => {
                self.visit(value, Usage::Touch, true);
                self.bind(target, self.scope.alias(value));
            }
        }
    }

    /// Binds the names of a target; a single name refers to the value.
    fn bind(&mut self, target: &Expr<'a>, value: NameBinding) {
        match names(target).as_slice() {
            [name] => self.scope.bind(name, value),
            names => names.iter().for_each(|name| self.scope.bind(name, NameBinding::Own)),
        }
    }
}

/// The names that a target binds; none for a field of a namespace.
fn names<'a>(target: &Expr<'a>) -> Vec<&'a str> {
    match target {
        Expr::Var(name) => vec![name.id],
        Expr::List(list) => list.items.iter().flat_map(names).collect(),
        _ => Vec::new(),
    }
}

/// The value without the filter that the translation adds around it.
fn as_written<'e, 'a>(value: &'e Expr<'a>) -> &'e Expr<'a> {
    match value {
        Expr::Filter(filter) if matches!(filter.name, "__each__" | "__unpack__" | "__unpack_each__") => {
            filter.expr.as_ref().unwrap_or(value)
        }
        value => value,
    }
}
