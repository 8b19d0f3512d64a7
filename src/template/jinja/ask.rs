//! What an expression asks of the names in it: which it prints, tests, iterates or looks into, and which it can do
//! without.

use super::expr::{Arg, Expr};
use super::scope::text_argument;
use super::walk::Walk;
use crate::template::shape::{Step, What};

impl<'a> Walk<'a> {
    fn record(&mut self, path: &[Step], what: What, needed: bool) {
        let guarded = self.guards.cover(path);
        self.shape.record(path, what, needed && !guarded);
    }

    fn visit_args(&mut self, args: &[Arg<'a>]) {
        for arg in args {
            self.visit(&arg.value, What::Print, true);
        }
    }

    /// Records what `expr` asks for when it is used like this. Calls itself at most as deep as the expression is high.
    pub(super) fn visit(&mut self, expr: &Expr<'a>, what: What, needed: bool) {
        match expr {
            Expr::Name(..) | Expr::Attr(..) | Expr::Index(..) => {
                let path = self.scope.path(expr);
                if let Some(path) = &path {
                    let defaulted = self.parts_of_path(expr);
                    if !needed && let Some((_, around @ [.., Step::Field(_)])) = path.split_last() {
                        // What may be missing still needs what is around it.
                        self.record(around, What::Touch, !defaulted);
                    }
                    self.record(path, what, needed && !defaulted);
                    return;
                }
                match expr {
                    Expr::Attr(of, _) => self.visit(of, What::Look, true),
                    Expr::Index(of, index) => {
                        self.visit(of, What::Look, true);
                        self.visit(index, What::Print, true);
                    }
                    _ => {}
                }
            }
            Expr::Filter(of, name, args) => self.filter(of, name, args, what, needed),
            Expr::Test { subject, name, args, .. } => {
                let tolerant = matches!(*name, "defined" | "undefined");
                let asks = ["none", "string", "number", "mapping", "sequence", "iterable", "boolean", "true", "false"];
                let plain = if tolerant || asks.contains(name) { What::Test } else { What::Print };
                self.visit(subject, plain, !tolerant && needed);
                self.visit_args(args);
            }
            Expr::Call(of, args) => {
                self.call(of, args);
                self.visit_args(args);
            }
            Expr::Not(inner) => self.visit(inner, What::Test, needed),
            Expr::And(left, right) => {
                self.visit(left, if what == What::Print { What::Print } else { What::Test }, needed);
                self.guarded(left, true, |walk| walk.visit(right, what, needed));
            }
            Expr::Or(left, right) => {
                self.visit(left, what, needed);
                self.guarded(left, false, |walk| walk.visit(right, what, needed));
            }
            Expr::In(left, right) => {
                self.visit(left, What::Print, true);
                self.visit(right, What::Measure, true);
            }
            Expr::Compare(left, right) => {
                self.visit(left, What::Print, true);
                self.visit(right, What::Print, true);
            }
            Expr::If { test, yes, no } => {
                self.visit(test, What::Test, true);
                self.guarded(test, true, |walk| walk.visit(yes, what, needed));
                if let Some(no) = no {
                    self.guarded(test, false, |walk| walk.visit(no, what, needed));
                }
            }
            Expr::All(parts) => {
                for part in parts {
                    self.visit(part, What::Print, true);
                }
            }
            Expr::Text(_) | Expr::Number(_) | Expr::Constant => {}
        }
    }

    /// Notes the lists that a path picks items from; tells whether a part of it is defaulted, so that nothing of it is
    /// needed.
    fn parts_of_path(&mut self, expr: &Expr<'a>) -> bool {
        let (mut at, mut defaulted) = (expr, false);
        loop {
            let list = match at {
                Expr::Attr(of, _) => {
                    at = of;
                    continue;
                }
                Expr::Index(of, index) => {
                    at = of;
                    !matches!(**index, Expr::Text(_))
                }
                Expr::Filter(of, name, args) => {
                    at = of;
                    defaulted |= matches!(*name, "default" | "d");
                    self.attributes(of, name, args);
                    self.visit_args(args);
                    matches!(*name, "first" | "last" | "random")
                }
                _ => return defaulted,
            };
            if let Some(path) = self.scope.path(at).filter(|_| list) {
                self.record(&path, What::Measure, !defaulted);
            }
        }
    }

    fn guarded(&mut self, test: &Expr<'a>, outcome: bool, visit: impl FnOnce(&mut Self)) {
        let mark = self.guards.len();
        let guards = self.scope.defined_if(test, outcome);
        self.guards.extend(guards);
        visit(self);
        self.guards.truncate(mark);
    }

    fn call(&mut self, of: &Expr<'a>, args: &[Arg<'a>]) {
        let Expr::Attr(object, method) = of else {
            // A name that is called is a function, which no values can hold.
            if !matches!(of, Expr::Name(..)) {
                self.visit(of, What::Print, true);
            }
            return;
        };
        match *method {
            "get" => {
                self.visit(object, What::Look, true);
                if let (Some(mut path), Some(key)) = (self.scope.path(object), text_argument(args, "key", 0)) {
                    path.push(Step::Field(key.to_owned()));
                    self.record(&path, What::Print, false);
                }
            }
            "items" | "keys" | "values" => self.visit(object, What::Look, true),
            _ => self.visit(object, What::Print, true),
        }
    }

    fn filter(&mut self, of: &Expr<'a>, name: &str, args: &[Arg<'a>], what: What, needed: bool) {
        let asked = match name {
            "default" | "d" => {
                self.visit(of, what, false);
                self.visit_args(args);
                return;
            }
            "join" | "sum" | "sort" | "unique" | "map" | "select" | "reject" | "selectattr" | "rejectattr"
            | "groupby" | "batch" | "slice" | "min" | "max" => What::Iterate,
            "length" | "count" | "first" | "last" | "reverse" | "list" | "random" => What::Measure,
            "items" | "dictsort" | "xmlattr" => What::Look,
            _ => What::Print,
        };
        let asked = if what == What::Iterate && matches!(name, "list" | "reverse") { What::Iterate } else { asked };
        self.visit(of, asked, needed);
        self.attributes(of, name, args);
        self.visit_args(args);
    }

    /// Fields of the items of a list that a filter is told by name.
    fn attributes(&mut self, of: &Expr<'a>, filter: &str, args: &[Arg<'a>]) {
        let place = match filter {
            "selectattr" | "rejectattr" | "groupby" => 0,
            "sum" | "join" => usize::from(filter == "join"),
            "map" | "sort" | "unique" | "min" | "max" => usize::MAX,
            _ => return,
        };
        let attribute = text_argument(args, "attribute", place);
        // A test that only asks whether something is there does without it.
        let asks = if matches!(filter, "selectattr" | "rejectattr") { text_argument(args, "", 1) } else { None };
        let tolerant = matches!(asks, Some("defined" | "undefined"));
        let defaulted = args.iter().any(|arg| arg.name == Some("default"));
        let Some(list) = self.scope.path(of) else { return };
        for attribute in attribute.into_iter().flat_map(|attributes| attributes.split(',')) {
            let fields = attribute.trim().split('.').filter(|part| part.parse::<usize>().is_err());
            let mut path = list.clone();
            path.push(Step::Item);
            path.extend(fields.map(|part| Step::Field(part.to_owned())));
            self.record(&path, What::Print, !tolerant && !defaulted);
        }
    }
}
