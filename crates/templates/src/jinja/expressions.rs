//! How an expression uses its names: which it prints, tests, iterates or looks into, and which are optional.

use minijinja::machinery::ast::{BinOpKind, Call, CallArg, CompareOpKind, Expr, Filter, UnaryOpKind};

use super::scope::{sliced, text_argument, text_of, values_of};
use super::statements::Uses;
use crate::usage::{PathStep, Usage};

impl<'a> Uses<'a> {
    fn record(&mut self, path: &[PathStep], what: Usage, needed: bool) {
        let guarded = self.guards.cover(path);
        self.shape.record(path, what, needed && !guarded);
    }

    fn visit_args(&mut self, args: &[CallArg<'a>]) {
        for value in values_of(args) {
            self.visit(value, Usage::Print, true);
        }
    }

    /// Records what `expr` requires in this usage. Recurses at most as deep as the expression.
    pub(super) fn visit(&mut self, expr: &Expr<'a>, what: Usage, needed: bool) {
        match expr {
            Expr::Var(_) | Expr::GetAttr(_) | Expr::GetItem(_) => self.look_up(expr, what, needed),
            Expr::Call(call) if sliced(call).is_some() => self.look_up(expr, what, needed),
            Expr::Filter(filter) => self.filter(filter, what),
            Expr::Test(test) => {
                let tolerant = matches!(test.name, "defined" | "undefined");
                let asks = ["none", "string", "number", "mapping", "sequence", "iterable", "boolean", "true", "false"];
                let plain = if tolerant || asks.contains(&test.name) { Usage::Test } else { Usage::Print };
                self.visit(&test.expr, plain, !tolerant);
                self.visit_args(&test.args);
            }
            Expr::Call(call) => {
                self.call(call);
                // `loop(xs)` repeats a recursive loop over other items.
                let is_loop = matches!(&call.expr, Expr::Var(name) if name.id == "loop");
                let usage = if is_loop { Usage::Iterate } else { Usage::Print };
                values_of(&call.args).for_each(|value| self.visit(value, usage, true));
            }
            Expr::UnaryOp(not) if matches!(not.op, UnaryOpKind::Not) => self.visit(&not.expr, Usage::Test, true),
            Expr::UnaryOp(negated) => self.visit(&negated.expr, Usage::Print, true),
            Expr::BinOp(operator) => match operator.op {
                BinOpKind::ScAnd => {
                    self.visit(&operator.left, if what == Usage::Print { Usage::Print } else { Usage::Test }, true);
                    self.guarded(&operator.left, true, |uses| uses.visit(&operator.right, what, needed));
                }
                // The left operand is tested first, so a default around both has no effect on it.
                BinOpKind::ScOr => {
                    self.visit(&operator.left, what, true);
                    self.guarded(&operator.left, false, |uses| uses.visit(&operator.right, what, needed));
                }
                BinOpKind::In => {
                    self.visit(&operator.left, Usage::Print, true);
                    self.visit(&operator.right, Usage::Measure, true);
                }
                _ => {
                    [&operator.left, &operator.right].into_iter().for_each(|side| self.visit(side, Usage::Print, true));
                }
            },
            Expr::Compare(compare) => {
                self.visit(&compare.expr, Usage::Print, true);
                for operand in &compare.ops {
                    let inside = matches!(operand.op, CompareOpKind::In | CompareOpKind::NotIn);
                    self.visit(&operand.expr, if inside { Usage::Measure } else { Usage::Print }, true);
                }
            }
            Expr::IfExpr(branch) => {
                self.visit(&branch.test_expr, Usage::Test, true);
                self.guarded(&branch.test_expr, true, |uses| uses.visit(&branch.true_expr, what, needed));
                if let Some(no) = &branch.false_expr {
                    self.guarded(&branch.test_expr, false, |uses| uses.visit(no, what, needed));
                }
            }
            Expr::List(list) => list.items.iter().for_each(|item| self.visit(item, Usage::Print, true)),
            Expr::Tuple(tuple) => tuple.items.iter().for_each(|item| self.visit(item, Usage::Print, true)),
            Expr::Map(map) => {
                map.keys.iter().chain(&map.values).for_each(|part| self.visit(part, Usage::Print, true));
            }
            Expr::Const(_) | Expr::Slice(_) => {}
        }
    }

    /// A name, a field, an item or a slice of something. What is sliced and printed is a text.
    fn look_up(&mut self, expr: &Expr<'a>, what: Usage, needed: bool) {
        if let Expr::Call(call) = expr
            && let Some(of) = sliced(call).filter(|_| what == Usage::Print || self.scope.path(expr).is_none())
        {
            self.visit(of, if what == Usage::Test { Usage::Measure } else { what }, true);
            self.visit_args(&call.args);
            return;
        }
        if let Some(path) = self.scope.path(expr) {
            let defaulted = self.scope.has_default(expr);
            self.parts_of_path(expr);
            if !needed && let Some((_, around @ [.., PathStep::Field(_)])) = path.split_last() {
                // An optional field still needs its parent.
                self.record(around, Usage::Touch, !defaulted);
            }
            self.record(&path, what, needed && !defaulted);
            return;
        }
        match expr {
            Expr::GetAttr(get) => self.visit(&get.expr, Usage::Look, true),
            Expr::GetItem(get) => {
                self.visit(&get.expr, Usage::Look, true);
                self.visit(&get.subscript_expr, Usage::Print, true);
            }
            _ => {}
        }
    }

    /// Records the lists that a path takes items from.
    fn parts_of_path(&mut self, mut expr: &Expr<'a>) {
        loop {
            let (of, takes_items) = match expr {
                Expr::GetAttr(get) => (&get.expr, false),
                Expr::GetItem(get) => (&get.expr, text_of(&get.subscript_expr).is_none()),
                Expr::Call(call) => {
                    let Some(of) = sliced(call) else { return };
                    (of, true)
                }
                Expr::Filter(filter) => {
                    let Some(of) = &filter.expr else { return };
                    self.attributes(of, filter.name, &filter.args);
                    self.visit_args(&filter.args);
                    (of, matches!(filter.name, "first" | "last" | "random"))
                }
                _ => return,
            };
            if takes_items && let Some(path) = self.scope.path(of) {
                self.record(&path, Usage::Measure, !self.scope.has_default(of));
            }
            expr = of;
        }
    }

    /// Visits an expression that is evaluated only if the result of `test` was `outcome`.
    pub(super) fn guarded(&mut self, test: &Expr<'a>, outcome: bool, visit: impl FnOnce(&mut Self)) {
        let mark = self.guards.mark();
        self.guards.add(&self.scope, test, outcome);
        visit(self);
        self.guards.leave(mark);
    }

    fn call(&mut self, call: &Call<'a>) {
        let Expr::GetAttr(method) = &call.expr else {
            // A called name is a function, which cannot be a value.
            if !matches!(call.expr, Expr::Var(_)) {
                self.visit(&call.expr, Usage::Print, true);
            }
            return;
        };
        match method.name {
            "get" => {
                self.visit(&method.expr, Usage::Look, true);
                if let (Some(mut path), Some(key)) =
                    (self.scope.path(&method.expr), text_argument(&call.args, "key", 0))
                {
                    path.push(PathStep::Field(key.to_owned()));
                    self.record(&path, Usage::Print, false);
                }
            }
            "items" | "keys" | "values" => self.visit(&method.expr, Usage::Look, true),
            _ => self.visit(&method.expr, Usage::Print, true),
        }
    }

    fn filter(&mut self, filter: &Filter<'a>, what: Usage) {
        let asked = match filter.name {
            "default" | "d" => what,
            "join" | "sum" | "sort" | "unique" | "map" | "select" | "reject" | "selectattr" | "rejectattr"
            | "groupby" | "batch" | "slice" | "min" | "max" => Usage::Iterate,
            "list" | "reverse" if what == Usage::Iterate => Usage::Iterate,
            "length" | "count" | "first" | "last" | "reverse" | "list" | "random" => Usage::Measure,
            "items" | "dictsort" | "xmlattr" => Usage::Look,
            _ => Usage::Print,
        };
        if let Some(of) = &filter.expr {
            // Every other filter fails on an undefined value, even within a default.
            self.visit(of, asked, !matches!(filter.name, "default" | "d"));
            self.attributes(of, filter.name, &filter.args);
        }
        self.visit_args(&filter.args);
    }

    /// Records fields of a list's items that a filter takes by name.
    fn attributes(&mut self, of: &Expr<'a>, filter: &str, args: &[CallArg<'a>]) {
        let place = match filter {
            "selectattr" | "rejectattr" | "groupby" => 0,
            "sum" | "join" => usize::from(filter == "join"),
            "map" | "sort" | "unique" | "min" | "max" => usize::MAX,
            _ => return,
        };
        let attribute = text_argument(args, "attribute", place);
        // A test for `defined` does not need the value.
        let asks = if matches!(filter, "selectattr" | "rejectattr") { text_argument(args, "", 1) } else { None };
        let tolerant = matches!(asks, Some("defined" | "undefined"));
        let defaulted = args.iter().any(|arg| matches!(arg, CallArg::Kwarg("default", _)));
        let Some(list) = self.scope.path(of) else { return };
        for attribute in attribute.into_iter().flat_map(|attributes| attributes.split(',')) {
            let fields = attribute.trim().split('.').filter(|part| part.parse::<usize>().is_err());
            let mut path = list.clone();
            path.push(PathStep::Item);
            path.extend(fields.map(|part| PathStep::Field(part.to_owned())));
            self.record(&path, Usage::Print, !tolerant && !defaulted);
        }
    }
}
