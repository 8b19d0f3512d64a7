//! How an expression uses its names: which it prints, tests, iterates or looks into, and which are optional.

use minijinja::machinery::ast::{BinOp, BinOpKind, Call, CallArg, CompareOpKind, Expr, Filter, UnaryOpKind};

use super::MUTATING_METHODS;
use super::placeholders::Placeholders;
use super::scope::{is_number, is_text_or_list, sliced, text_argument, text_of, values_of};
use super::statements::Uses;
use crate::usage::{PathStep, Usage};

/// The tests that tell a number from a text.
const TYPES: [&str; 4] = ["string", "number", "integer", "float"];

impl<'a> Uses<'a> {
    fn record(&mut self, path: &[PathStep], what: Usage, needed: bool) {
        let guarded = self.guards.cover(path);
        self.shape.record(path, what, needed && !guarded);
    }

    /// Visits values that are inserted into a format, each with whether its placeholder formats a number: `%s` inserts it as
    /// typed.
    fn visit_inserted<'e>(&mut self, values: impl IntoIterator<Item = (bool, &'e Expr<'a>)>)
    where
        'a: 'e,
    {
        for (is_number, value) in values {
            self.visit(value, if is_number { Usage::Compute } else { Usage::Print }, true);
        }
    }

    /// Visits arguments, the first of which must be numbers: this many, unless they are given by name.
    fn visit_args(&mut self, args: &[CallArg<'a>], numbers: usize) {
        for (at, (arg, value)) in args.iter().zip(values_of(args)).enumerate() {
            let is_number = at < numbers && matches!(arg, CallArg::Pos(_));
            self.visit(value, if is_number { Usage::Compute } else { Usage::Print }, true);
        }
    }

    /// Records what `expr` requires in this usage. Recurses at most as deep as the expression.
    pub(super) fn visit(&mut self, expr: &Expr<'a>, what: Usage, needed: bool) {
        match expr {
            Expr::Var(_) | Expr::GetAttr(_) | Expr::GetItem(_) => self.look_up(expr, what, needed),
            // What is sliced is not a number.
            Expr::Call(call) if sliced(call).is_some() => {
                let is_value = matches!(what, Usage::Compare | Usage::Compute | Usage::Calculate | Usage::Text);
                self.look_up(expr, if is_value { Usage::Print } else { what }, needed);
            }
            Expr::Filter(filter) => self.filter(filter, what),
            Expr::Test(test) => {
                let tolerant = matches!(test.name, "defined" | "undefined");
                let asks = [
                    "none", "string", "number", "integer", "float", "mapping", "sequence", "iterable", "boolean",
                    "true", "false",
                ];
                let counts = matches!(test.name, "odd" | "even" | "divisibleby");
                let plain = match values_of(&test.args).next() {
                    _ if tolerant || asks.contains(&test.name) => Usage::Test,
                    _ if counts => Usage::Compute,
                    other => other.map_or(Usage::Print, |other| self.beside(other)),
                };
                self.visit(&test.expr, plain, !tolerant);
                if TYPES.contains(&test.name) {
                    self.scope.paths(&test.expr).iter().for_each(|path| self.shape.ask_for_type(path));
                }
                self.visit_args(&test.args, usize::from(counts));
            }
            Expr::Call(call) => {
                self.call(call);
                match &call.expr {
                    // `loop(xs)` repeats a recursive loop over other items.
                    Expr::Var(name) if name.id == "loop" => {
                        values_of(&call.args).for_each(|value| self.visit(value, Usage::Iterate, true));
                    }
                    Expr::Var(name) if name.id == "range" => {
                        values_of(&call.args).for_each(|value| self.visit(value, Usage::Calculate, true));
                    }
                    Expr::GetAttr(method) if method.name == "format" => {
                        let placeholders = Placeholders::in_braces(text_of(&method.expr).unwrap_or_default());
                        self.visit_inserted(placeholders.filled_by(&call.args));
                    }
                    // They return or keep their arguments.
                    Expr::GetAttr(method)
                        if matches!(method.name, "cycle" | "get") || MUTATING_METHODS.contains(&method.name) =>
                    {
                        values_of(&call.args).for_each(|value| self.visit(value, Usage::Print, true));
                    }
                    Expr::Var(name) if matches!(name.id, "dict" | "namespace") => {
                        values_of(&call.args).for_each(|value| self.visit(value, Usage::Print, true));
                    }
                    Expr::GetAttr(method) => {
                        let is_padded = matches!(method.name, "center" | "ljust" | "rjust" | "zfill");
                        self.visit_args(&call.args, usize::from(is_padded));
                    }
                    _ => self.visit_args(&call.args, 0),
                }
            }
            Expr::UnaryOp(not) if matches!(not.op, UnaryOpKind::Not) => self.visit(&not.expr, Usage::Test, true),
            Expr::UnaryOp(negated) => self.visit(&negated.expr, Usage::Calculate, true),
            Expr::BinOp(operator) => match operator.op {
                BinOpKind::ScAnd => {
                    let if_false = match what {
                        Usage::Print | Usage::Compare | Usage::Compute | Usage::Text => what,
                        Usage::Calculate => Usage::Compute,
                        _ => Usage::Test,
                    };
                    self.visit(&operator.left, if_false, true);
                    self.guarded(&operator.left, true, |uses| uses.visit(&operator.right, what, needed));
                }
                // The left operand is tested first, so a default around both has no effect on it.
                BinOpKind::ScOr => {
                    self.visit(&operator.left, what, true);
                    self.guarded(&operator.left, false, |uses| uses.visit(&operator.right, what, needed));
                }
                BinOpKind::In => {
                    self.visit(&operator.left, among(&operator.right), true);
                    self.visit(&operator.right, Usage::Measure, true);
                }
                BinOpKind::Rem if text_of(&operator.left).is_some() => {
                    let placeholders = Placeholders::of_percents(text_of(&operator.left).unwrap_or_default());
                    let items = match &operator.right {
                        Expr::Tuple(tuple) => tuple.items.as_slice(),
                        value => std::slice::from_ref(value),
                    };
                    let placed = |(at, item)| (placeholders.wants_number(at, None), item);
                    self.visit_inserted(items.iter().enumerate().map(placed));
                }
                _ => self.operands(operator, what),
            },
            Expr::Compare(compare) => {
                let mut before = &compare.expr;
                let next = compare.ops.first().map_or(Usage::Print, |next| self.compared(next.op, &next.expr));
                self.visit(before, next, true);
                for operand in &compare.ops {
                    let inside = matches!(operand.op, CompareOpKind::In | CompareOpKind::NotIn);
                    let asked = if inside { Usage::Measure } else { self.compared(operand.op, before) };
                    self.visit(&operand.expr, asked, true);
                    before = &operand.expr;
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
                map.keys.iter().for_each(|key| self.visit(key, Usage::Print, true));
                map.values.iter().for_each(|value| self.visit(value, Usage::Print, true));
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
            self.visit_args(&call.args, usize::MAX);
            return;
        }
        if let Some((path, others)) = self.scope.paths(expr).split_first() {
            let defaulted = self.scope.has_default(expr);
            self.parts_of_path(expr);
            if !needed && let Some((_, around @ [.., PathStep::Field(_)])) = path.split_last() {
                // An optional field still needs its parent.
                self.record(around, Usage::Touch, !defaulted);
            }
            self.record(path, what, needed && !defaulted);
            others.iter().for_each(|path| self.record(path, what, false));
            return;
        }
        match expr {
            Expr::GetAttr(get) => self.visit(&get.expr, Usage::Find, true),
            Expr::GetItem(get) => {
                let (of, key) = (self.scope.path(&get.expr), self.scope.path(&get.subscript_expr));
                let is_own_key = of.zip(key).is_some_and(|(mut of, key)| {
                    of.push(PathStep::Item);
                    of == key
                });
                self.visit(&get.expr, if is_own_key { Usage::LookByKey } else { Usage::Look }, true);
                self.visit(&get.subscript_expr, Usage::Print, true);
            }
            Expr::Var(_) if matches!(what, Usage::Compute | Usage::Calculate) => {
                self.scope.added(expr).iter().for_each(|path| self.record(path, Usage::Compute, false));
            }
            _ => {}
        }
    }

    /// Records the lists that a path takes items from.
    fn parts_of_path(&mut self, mut expr: &Expr<'a>) {
        loop {
            let (of, takes_items) = match expr {
                Expr::GetAttr(get) => (&get.expr, false),
                Expr::GetItem(get) => {
                    self.visit(&get.subscript_expr, Usage::Compute, true);
                    (&get.expr, text_of(&get.subscript_expr).is_none())
                }
                Expr::Call(call) => {
                    let Some(of) = sliced(call) else { return };
                    (of, true)
                }
                Expr::Filter(filter) => {
                    let Some(of) = &filter.expr else { return };
                    self.attributes(of, filter.name, &filter.args);
                    self.visit_args(&filter.args, 0);
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
                let key = text_argument(&call.args, "key", 0);
                self.visit(&method.expr, if key.is_some() { Usage::Find } else { Usage::Look }, true);
                if let (Some(mut path), Some(key)) = (self.scope.path(&method.expr), key) {
                    path.push(PathStep::Field(key.to_owned()));
                    self.record(&path, Usage::Print, false);
                }
            }
            "items" | "keys" | "values" => self.visit(&method.expr, Usage::Look, true),
            // Lists have these too.
            name if matches!(name, "copy" | "count" | "index") || MUTATING_METHODS.contains(&name) => {
                self.visit(&method.expr, Usage::Print, true);
            }
            _ => self.visit(&method.expr, Usage::Text, true),
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
            "abs" | "round" => Usage::Calculate,
            // They take a text, too, but not one made of numbers.
            "int" | "float" if matches!(&filter.expr, Some(Expr::BinOp(of)) if matches!(of.op, BinOpKind::Add)) => {
                Usage::Compute
            }
            // They print any value.
            "tojson" | "pprint" => Usage::Whole,
            _ => Usage::Print,
        };
        let counts = matches!(filter.name, "batch" | "slice" | "truncate" | "center" | "wordwrap" | "round");
        match &filter.expr {
            // `join` prints them as they are.
            Some(Expr::List(list)) if filter.name == "join" || (filter.name == "sum" && filter.args.is_empty()) => {
                let what = if filter.name == "sum" { Usage::Calculate } else { Usage::Print };
                list.items.iter().for_each(|item| self.visit(item, what, true));
            }
            Some(of) => {
                // Every other filter fails on an undefined value, even within a default.
                self.visit(of, asked, !matches!(filter.name, "default" | "d"));
                self.attributes(of, filter.name, &filter.args);
            }
            None => {}
        }
        if let ("sum", Some(Expr::Filter(map))) = (filter.name, &filter.expr)
            && let ("map", Some(of)) = (map.name, &map.expr)
        {
            self.attributes_used(of, "map", &map.args, Usage::Calculate);
        }
        if let ("select" | "reject", Some(of)) = (filter.name, &filter.expr)
            && text_argument(&filter.args, "", 0).is_some_and(|test| TYPES.contains(&test))
        {
            self.scope.paths(of).iter().for_each(|path| self.shape.ask_for_type(path));
        }
        match &filter.expr {
            Some(format) if filter.name == "format" => {
                let placeholders = Placeholders::of_percents(text_of(format).unwrap_or_default());
                self.visit_inserted(placeholders.filled_by(&filter.args));
            }
            // The default takes the place of the value.
            _ if matches!(filter.name, "default" | "d") => {
                for (at, value) in values_of(&filter.args).enumerate() {
                    self.visit(value, if at == 0 { what } else { Usage::Print }, true);
                }
            }
            _ => self.visit_args(&filter.args, usize::from(counts)),
        }
    }

    /// Records fields of a list's items that a filter takes by name.
    fn attributes(&mut self, of: &Expr<'a>, filter: &str, args: &[CallArg<'a>]) {
        self.attributes_used(of, filter, args, if filter == "sum" { Usage::Calculate } else { Usage::Print });
    }

    fn attributes_used(&mut self, of: &Expr<'a>, filter: &str, args: &[CallArg<'a>], what: Usage) {
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
        let is_unknown = |arg: &CallArg<'_>| matches!(arg, CallArg::Kwarg("attribute", _)) && attribute.is_none();
        if args.iter().any(is_unknown) {
            self.record(&[list.as_slice(), &[PathStep::Item]].concat(), Usage::Look, false);
        }
        if filter == "sum" && args.is_empty() {
            self.record(&[list.as_slice(), &[PathStep::Item]].concat(), what, false);
        }
        for attribute in attribute.into_iter().flat_map(|attributes| attributes.split(',')) {
            let fields = attribute.trim().split('.').filter(|part| part.parse::<usize>().is_err());
            let mut path = list.clone();
            path.push(PathStep::Item);
            path.extend(fields.map(|part| PathStep::Field(part.to_owned())));
            self.record(&path, what, !tolerant && !defaulted);
            if asks.is_some_and(|test| TYPES.contains(&test)) {
                self.shape.ask_for_type(&path);
            }
        }
    }

    /// Visits both operands. If a sum is used as a number, its operands are numbers.
    fn operands(&mut self, operator: &BinOp<'a>, what: Usage) {
        let (left, right) = (&operator.left, &operator.right);
        let is_sum = matches!((operator.op, what), (BinOpKind::Add, Usage::Compute | Usage::Calculate))
            && !is_text_or_list(left)
            && !is_text_or_list(right);
        for (operand, other) in [(left, right), (right, left)] {
            let asked = match operator.op {
                _ if is_sum => Usage::Compute,
                // `a % 2` formats a text.
                BinOpKind::Rem if std::ptr::eq(operand, right) && self.scope.is_number(left) => Usage::Calculate,
                operator => self.operand(operator, other),
            };
            self.visit(operand, asked, true);
        }
    }

    /// The usage of an operand of an operator with this other operand.
    fn operand(&self, operator: BinOpKind, other: &Expr<'_>) -> Usage {
        match operator {
            BinOpKind::Sub | BinOpKind::Div | BinOpKind::FloorDiv | BinOpKind::Pow => Usage::Calculate,
            BinOpKind::Lt | BinOpKind::Lte | BinOpKind::Gt | BinOpKind::Gte if is_number(other) => Usage::Calculate,
            // A text is repeated.
            BinOpKind::Mul => Usage::Compute,
            // `'%s, %s' % (a, b)` inserts values into a text.
            BinOpKind::Rem if text_of(other).is_none() && !matches!(other, Expr::Tuple(_)) => Usage::Compute,
            BinOpKind::Rem | BinOpKind::Concat => Usage::Print,
            _ => self.beside(other),
        }
    }

    /// The usage of what is compared with `other`.
    fn compared(&self, operator: CompareOpKind, other: &Expr<'_>) -> Usage {
        use CompareOpKind::{Gt, Gte, Lt, Lte};
        let is_ordered = matches!(operator, Lt | Lte | Gt | Gte);
        if is_ordered && is_number(other) { Usage::Calculate } else { self.beside(other) }
    }

    /// The usage of what is added to or compared with `other`.
    fn beside(&self, other: &Expr<'_>) -> Usage {
        match other {
            _ if self.scope.is_number(other) => Usage::Compute,
            _ if text_of(other).is_some() => Usage::Text,
            _ => Usage::Compare,
        }
    }
}

/// The usage of what is looked for in this list.
fn among(list: &Expr<'_>) -> Usage {
    let items = match list {
        Expr::List(list) => &list.items,
        Expr::Tuple(tuple) => &tuple.items,
        _ => return Usage::Print,
    };
    if items.is_empty() {
        Usage::Print
    } else if items.iter().all(is_number) {
        Usage::Compute
    } else if items.iter().all(|item| text_of(item).is_some()) {
        Usage::Text
    } else {
        Usage::Print
    }
}
