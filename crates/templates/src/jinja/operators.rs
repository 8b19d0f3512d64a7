//! Translates the operators, comparisons and filters in the syntax tree for the engine. `a + b` becomes `a |__add__(
//! b)`: filters bind tighter than any operator, so the left operand needs no parentheses.

use minijinja::machinery::ast::{
    BinOp, BinOpKind, Call, CallArg, Compare, CompareOpKind, Expr, Filter, Spanned, Stmt, UnaryOpKind,
};
use minijinja::machinery::{Span, Token};

use super::edits::SourceEdit;
use super::scope::values_of;
use super::tokens::{offset, tags};
use super::{FUNCTIONS, MUTATING_METHODS};

/// Tests that examine a value, not only its kind, and so fail on an undefined value.
const VALUE_TESTS: &str =
    "odd even divisibleby lower upper in iterable eq equalto == ne != lt lessthan < le <= gt greaterthan > ge >=";

/// Whether a test fails on an undefined value.
pub(crate) fn is_value_test(test: &str) -> bool {
    VALUE_TESTS.split(' ').any(|known| known == test)
}

/// The edits for these statements, inner expressions first. `text` is the parsed text. Recurses as deep as blocks and
/// `elif` branches nest, which is bounded. `has_typed` is as for [`super::for_engine`].
pub(crate) fn edits(text: &str, statements: &[Stmt<'_>], has_typed: bool) -> Vec<SourceEdit> {
    let mut found = Edits { text, edits: Vec::new(), changes: changes_values(text), has_typed };
    found.statements(statements);
    found.edits
}

struct Edits<'t> {
    text: &'t str,
    edits: Vec<SourceEdit>,
    /// Whether the lists and dicts written in the template must be mutable.
    changes: bool,
    /// Whether a value may be a typed number, which the engine takes for a text.
    has_typed: bool,
}

impl<'t> Edits<'t> {
    fn statements(&mut self, statements: &[Stmt<'_>]) {
        for statement in statements {
            match statement {
                Stmt::EmitExpr(emit) => self.expr(&emit.expr),
                Stmt::ForLoop(each) => {
                    self.expr(&each.iter);
                    each.filter_expr.iter().for_each(|test| self.test(test));
                    self.statements(&each.body);
                    self.statements(&each.else_body);
                }
                Stmt::IfCond(branch) => {
                    self.test(&branch.expr);
                    self.statements(&branch.true_body);
                    self.statements(&branch.false_body);
                }
                Stmt::WithBlock(with) => {
                    with.assignments.iter().for_each(|(_, value)| self.expr(value));
                    self.statements(&with.body);
                }
                Stmt::Set(set) => self.expr(&set.expr),
                Stmt::SetBlock(set) => {
                    set.filter.iter().for_each(|filter| self.expr(filter));
                    self.statements(&set.body);
                }
                Stmt::AutoEscape(escape) => {
                    self.expr(&escape.enabled);
                    self.statements(&escape.body);
                }
                Stmt::FilterBlock(block) => {
                    self.expr(&block.filter);
                    self.statements(&block.body);
                }
                _ => {}
            }
        }
    }

    /// Recurses at most as deep as the expression, which is bounded.
    fn expr(&mut self, expr: &Expr<'_>) {
        match expr {
            Expr::Var(_) | Expr::Const(_) => {}
            Expr::Slice(slice) => {
                let bounds = [&slice.start, &slice.stop, &slice.step];
                self.expr(&slice.expr);
                bounds.into_iter().flatten().for_each(|bound| self.expr(bound));
            }
            Expr::UnaryOp(operator) if matches!(operator.op, UnaryOpKind::Not) => self.test(&operator.expr),
            Expr::UnaryOp(operator) => {
                self.expr(&operator.expr);
                self.read(&operator.expr, "|__number__)");
            }
            Expr::BinOp(operator) if matches!(operator.op, BinOpKind::ScAnd | BinOpKind::ScOr) => {
                self.test(&operator.left);
                self.expr(&operator.right);
            }
            Expr::BinOp(operator) => self.binary(operator, false),
            Expr::Compare(compare) => self.comparison(compare),
            Expr::IfExpr(branch) => {
                self.expr(&branch.true_expr);
                self.test(&branch.test_expr);
                branch.false_expr.iter().for_each(|part| self.expr(part));
            }
            Expr::Filter(filter) => self.filter(filter),
            Expr::Test(test) => {
                self.expr(&test.expr);
                if is_value_test(test.name) {
                    self.must_be_given(&test.expr);
                }
                self.arguments(&test.args);
            }
            Expr::GetAttr(get) => self.expr(&get.expr),
            Expr::GetItem(get) => {
                self.expr(&get.expr);
                self.expr(&get.subscript_expr);
                self.item(expr, &get.expr, &get.subscript_expr);
            }
            Expr::Call(call) => self.call(call),
            Expr::List(list) => {
                self.can_change(list.span(), |edits| list.items.iter().for_each(|item| edits.expr(item)));
            }
            Expr::Tuple(tuple) => tuple.items.iter().for_each(|item| self.expr(item)),
            Expr::Map(map) => self.can_change(map.span(), |edits| {
                map.keys.iter().zip(&map.values).for_each(|(key, value)| {
                    edits.expr(key);
                    edits.must_be_given(key);
                    edits.expr(value);
                });
            }),
        }
    }

    /// An operator with two operands, which may itself be an operand of `+`. Recurses like [`Edits::expr`].
    fn binary(&mut self, operator: &Spanned<BinOp<'_>>, is_in_sum: bool) {
        for operand in [&operator.left, &operator.right] {
            match operand {
                Expr::BinOp(part)
                    if matches!(operator.op, BinOpKind::Add)
                        && !matches!(part.op, BinOpKind::ScAnd | BinOpKind::ScOr) =>
                {
                    self.binary(part, self.has_typed);
                }
                operand => self.expr(operand),
            }
        }
        let end = offset(operator.span().end_offset);
        self.operator(operator.op, &operator.left, &operator.right, end, is_in_sum);
    }

    /// An expression of which only the truth counts.
    fn test(&mut self, expr: &Expr<'_>) {
        self.expr(expr);
        let mut result = expr;
        // The left operand was read where it was visited.
        while let Expr::BinOp(operator) = result
            && matches!(operator.op, BinOpKind::ScAnd | BinOpKind::ScOr)
        {
            result = &operator.right;
        }
        self.read(result, "|__truth__)");
    }

    /// Makes the engine read a value that may be a typed number through this filter.
    fn read(&mut self, expr: &Expr<'_>, filter: &'static str) {
        let may_be_typed =
            matches!(expr, Expr::Var(_) | Expr::GetAttr(_) | Expr::GetItem(_) | Expr::Filter(_) | Expr::Call(_));
        if self.has_typed && may_be_typed {
            // The tabs mark text that is not in the template.
            self.edits.push(SourceEdit::insert(offset(start_of(expr)), "(\t\t"));
            self.edits.push(SourceEdit::insert(offset(expr.span().end_offset), filter));
        }
    }

    /// A typed number is an index of a list and a key of a dict: `a[b]` becomes `a.__item__(b\t)`.
    fn item(&mut self, expr: &Expr<'_>, of: &Expr<'_>, key: &Expr<'_>) {
        let rest = self.after_operand(of);
        if self.has_typed && !matches!(key, Expr::Const(_)) && rest.starts_with('[') {
            let end = offset(expr.span().end_offset);
            self.edits.push(SourceEdit::replace_bytes(self.text.len() - rest.len(), 1, ".__item__("));
            self.edits.push(SourceEdit::replace_bytes(end.saturating_sub(1), 1, "\t)"));
        }
    }

    fn filter(&mut self, filter: &Spanned<Filter<'_>>) {
        if let Some(of) = &filter.expr {
            self.expr(of);
            if !matches!(filter.name, "default" | "d" | "__each__" | "__unpack__" | "__unpack_each__") {
                self.must_be_given(of);
            }
        }
        self.arguments(&filter.args);
    }

    fn call(&mut self, call: &Call<'_>) {
        match (&call.expr, function(&call.expr)) {
            (Expr::Var(name), Some(engines)) => self.edits.push(SourceEdit::replace(name.span(), engines)),
            (callee, _) => self.expr(callee),
        }
        self.arguments(&call.args);
        let is_changed = matches!(&call.expr, Expr::GetAttr(method) if method.name == "changed");
        values_of(&call.args).filter(|_| is_changed).for_each(|value| self.must_be_given(value));
    }

    fn arguments(&mut self, args: &[CallArg<'_>]) {
        values_of(args).for_each(|value| self.expr(value));
    }

    fn operator(&mut self, operator: BinOpKind, left: &Expr<'_>, right: &Expr<'_>, end: usize, is_in_sum: bool) {
        use BinOpKind::{Add, Concat, Div, Eq, FloorDiv, Gt, Gte, In, Lt, Lte, Mul, Ne, Pow, Rem, ScAnd, ScOr, Sub};
        let (sign, filter) = match operator {
            Add if is_in_sum => ("+", "|__part_add__("),
            Sub if is_in_sum => ("-", "|__part_sub__("),
            Mul if is_in_sum => ("*", "|__part_mul__("),
            Div if is_in_sum => ("/", "|__part_truediv__("),
            FloorDiv if is_in_sum => ("//", "|__part_floordiv__("),
            Rem if is_in_sum => ("%", "|__part_mod__("),
            Pow if is_in_sum => ("**", "|__part_pow__("),
            ScAnd | ScOr => return,
            Eq => ("==", "|__eq__("),
            Ne => ("!=", "|__ne__("),
            In => ("in", "|__in__("),
            Lt => ("<", "|__lt__("),
            Lte => ("<=", "|__le__("),
            Gt => (">", "|__gt__("),
            Gte => (">=", "|__ge__("),
            Add => ("+", "|__add__("),
            Sub => ("-", "|__sub__("),
            Concat => ("~", "|__cat__("),
            Mul => ("*", "|__mul__("),
            Div => ("/", "|__truediv__("),
            FloorDiv => ("//", "|__floordiv__("),
            Rem => ("%", "|__mod__("),
            Pow => ("**", "|__pow__("),
        };
        if matches!(operator, Eq | Ne | In | Lt | Lte | Gt | Gte) {
            self.must_be_given(left);
            self.must_be_given(right);
        }
        let rest = self.after_operand(left);
        if rest.starts_with(sign) {
            self.edits.push(SourceEdit::replace_bytes(self.text.len() - rest.len(), sign.len(), filter));
            self.edits.push(SourceEdit::insert(end, ")"));
        } else if let Some(after) = rest.strip_prefix("not") {
            let sign = after.trim_start();
            self.edits.push(SourceEdit::replace_bytes(self.text.len() - rest.len(), "not".len(), "|__not_in__("));
            self.edits.push(SourceEdit::replace_bytes(self.text.len() - sign.len(), "in".len(), ""));
            self.edits.push(SourceEdit::insert(end, ")"));
        }
    }

    /// `a < b == c` becomes `a |__chain__( '<', b , '==', c)`.
    fn comparison(&mut self, compare: &Spanned<Compare<'_>>) {
        self.expr(&compare.expr);
        let mut left = &compare.expr;
        for (at, operand) in compare.ops.iter().enumerate() {
            self.compared(operand.op, left, at == 0);
            self.expr(&operand.expr);
            left = &operand.expr;
        }
        self.edits.push(SourceEdit::insert(offset(compare.span().end_offset), ")"));
    }

    /// Replaces one sign of a comparison. The tabs mark text that is not in the template.
    fn compared(&mut self, operator: CompareOpKind, left: &Expr<'_>, is_first: bool) {
        use CompareOpKind::{Eq, Gt, Gte, In, Lt, Lte, Ne, NotIn};
        let (written, sign) = match operator {
            Eq => ("==", "=="),
            Ne => ("!=", "!="),
            Lt => ("<", "<"),
            Lte => ("<=", "<="),
            Gt => (">", ">"),
            Gte => (">=", ">="),
            In => ("in", "in"),
            NotIn => ("not", "not in"),
        };
        let rest = self.after_operand(left);
        let (at, before) = (self.text.len() - rest.len(), if is_first { "|__chain__(" } else { "," });
        self.edits.push(SourceEdit::replace_bytes(at, written.len(), format!("{before}\t\t'{sign}'\t\t,")));
        if let (NotIn, Some(after)) = (operator, rest.strip_prefix("not")) {
            let at = self.text.len() - after.trim_start().len();
            self.edits.push(SourceEdit::replace_bytes(at, "in".len(), ""));
        }
    }

    /// The text from the operator after an operand. Only white space and closing parentheses come between the two.
    fn after_operand(&self, operand: &Expr<'_>) -> &'t str {
        let rest = self.text.get(offset(operand.span().end_offset)..).unwrap_or_default();
        rest.trim_start_matches(|c: char| c.is_whitespace() || c == ')')
    }

    /// Adds the edits `inside` a list or dict literal, and those that make it mutable.
    fn can_change(&mut self, span: Span, inside: impl FnOnce(&mut Self)) {
        let encloses = self.changes;
        self.edits.extend(encloses.then(|| SourceEdit::insert(offset(span.start_offset), "(")));
        inside(self);
        self.edits.extend(encloses.then(|| SourceEdit::insert(offset(span.end_offset), "|__changing__)")));
    }

    /// Makes an undefined operand an error: the engine, unlike Jinja2, allows undefined values in comparisons and some
    /// filters.
    fn must_be_given(&mut self, operand: &Expr<'_>) {
        if matches!(operand, Expr::Var(_) | Expr::GetAttr(_) | Expr::GetItem(_)) {
            self.edits.push(SourceEdit::insert(offset(operand.span().end_offset), "|__given__"));
        }
    }
}

/// Where an expression begins: the engine's span of a longer path does not contain its first names.
fn start_of(expr: &Expr<'_>) -> u32 {
    match expr {
        Expr::GetAttr(get) => start_of(&get.expr),
        Expr::GetItem(get) => start_of(&get.expr),
        Expr::Filter(filter) => filter.expr.as_ref().map_or(filter.span().start_offset, start_of),
        Expr::Call(call) => start_of(&call.expr),
        other => other.span().start_offset,
    }
}

/// Whether the template calls a method that modifies a list or a dict.
fn changes_values(text: &str) -> bool {
    let mut found = false;
    let read = tags(text, |tag| {
        found |= tag.tokens.windows(3).any(|three| {
            let [(Token::Dot, _), (Token::Ident(method), _), (Token::ParenOpen, _)] = three else { return false };
            MUTATING_METHODS.contains(method)
        });
        Ok(())
    });
    read.is_ok() && found
}

/// The engine's name for a called function.
fn function(callee: &Expr<'_>) -> Option<&'static str> {
    let Expr::Var(called) = callee else { return None };
    FUNCTIONS.iter().find(|(name, _)| *name == called.id).map(|(_, engines)| *engines)
}
