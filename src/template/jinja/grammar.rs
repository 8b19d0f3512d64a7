//! The grammar of Jinja2's expressions, loosest binding first. Every rule answers how many levels high its tree is, as the
//! engine would build it; that and the depth of brackets are what [`Reader`] bounds.

use super::expr::{Arg, Expr, Reader, Tall};
use super::lexer::{Placed, Token};
use crate::template::ParseError;

/// Tests that cannot answer for what is undefined, because they look at a value and not only at its kind.
const ABOUT_VALUES: [&str; 22] = [
    "odd",
    "even",
    "divisibleby",
    "lower",
    "upper",
    "in",
    "iterable",
    "eq",
    "equalto",
    "==",
    "ne",
    "!=",
    "lt",
    "lessthan",
    "<",
    "le",
    "<=",
    "gt",
    "greaterthan",
    ">",
    "ge",
    ">=",
];

/// Whether a test refuses what is undefined.
pub fn asks_about_a_value(test: &str) -> bool {
    ABOUT_VALUES.contains(&test)
}

/// Comparisons of size with the filters that stand for them.
const ORDERS: [(&str, &str); 4] = [("<", "|__lt__("), ("<=", "|__le__("), (">", "|__gt__("), (">=", "|__ge__(")];

/// Operators of two sides with the filters that stand for them, loosest binding first.
const OPERATORS: [&[(&str, &str)]; 4] = [
    &[("+", "|__add__("), ("-", "|__sub__(")],
    &[("~", "|__cat__(")],
    &[("*", "|__mul__("), ("/", "|__truediv__("), ("//", "|__floordiv__("), ("%", "|__mod__(")],
    &[("**", "|__pow__(")],
];

impl<'a> Reader<'a, '_> {
    pub(super) fn inline_if(&mut self) -> Result<Tall<'a>, ParseError> {
        let (mut expr, mut height) = self.or()?;
        while self.take(Token::Name("if")) {
            let (test, test_height) = self.or()?;
            let no = if self.take(Token::Name("else")) { Some(self.nested(Self::inline_if)?) } else { None };
            let (no, no_height) = no.map_or((None, 0), |(no, height)| (Some(Box::new(no)), height));
            height = self.above(height.max(test_height).max(no_height))?;
            expr = Expr::If { test: Box::new(test), yes: Box::new(expr), no };
        }
        Ok((expr, height))
    }

    pub(super) fn or(&mut self) -> Result<Tall<'a>, ParseError> {
        let (mut left, mut height) = self.and()?;
        while self.take(Token::Name("or")) {
            let (right, other) = self.and()?;
            height = self.above(height.max(other))?;
            left = Expr::Or(Box::new(left), Box::new(right));
        }
        Ok((left, height))
    }

    fn and(&mut self) -> Result<Tall<'a>, ParseError> {
        let (mut left, mut height) = self.not()?;
        while self.take(Token::Name("and")) {
            let (right, other) = self.not()?;
            height = self.above(height.max(other))?;
            left = Expr::And(Box::new(left), Box::new(right));
        }
        Ok((left, height))
    }

    fn not(&mut self) -> Result<Tall<'a>, ParseError> {
        if self.peek() == Some(Token::Name("not")) {
            self.at += 1;
            let (expr, height) = self.nested(Self::not)?;
            return Ok((Expr::Not(Box::new(expr)), self.above(height)?));
        }
        self.compare()
    }

    fn compare(&mut self) -> Result<Tall<'a>, ParseError> {
        let (mut left, mut height) = self.arithmetic(0)?;
        let mut comparisons = 0;
        loop {
            let (inside, words) = match self.peek() {
                Some(Token::Op("==" | "!=" | "<" | "<=" | ">" | ">=")) => (false, 1),
                Some(Token::Name("in")) => (true, 1),
                Some(Token::Name("not")) => {
                    self.at += 1;
                    if self.peek() != Some(Token::Name("in")) {
                        return Err(self.unexpected("expected 'in'"));
                    }
                    self.at -= 1;
                    (true, 2)
                }
                _ => return Ok((left, height)),
            };
            if comparisons == 0 {
                self.must_be_given(&left);
            }
            comparisons += 1;
            let order = ORDERS.iter().find(|(sign, _)| self.peek() == Some(Token::Op(sign))).map(|(_, filter)| *filter);
            let operator = self.at;
            self.at += words;
            let (right, other) = self.arithmetic(0)?;
            self.must_be_given(&right);
            if let Some(filter) = order
                && comparisons == 1
                && !self.goes_on_comparing()
            {
                // One of a chain stays as it is: `a < b < c` is no filter of a filter.
                self.replace(operator, filter);
                self.insert_after(")");
            }
            height = self.above(height.max(other))?;
            let (low, high) = (Box::new(left), Box::new(right));
            left = if inside { Expr::In(low, high) } else { Expr::Compare(low, high) };
        }
    }

    fn goes_on_comparing(&self) -> bool {
        matches!(self.peek(), Some(Token::Op("==" | "!=" | "<" | "<=" | ">" | ">=") | Token::Name("in" | "not")))
    }

    /// The engine lets comparisons with what is undefined pass, and some filters, where Jinja2 does not.
    fn must_be_given(&mut self, operand: &Expr<'a>) {
        if matches!(operand, Expr::Name(..) | Expr::Attr(..) | Expr::Index(..)) {
            self.insert_after("|__given__");
        }
    }

    /// Operators of two sides, loosest level first. The engine is handed each as a filter of the same name, so that it
    /// answers as Python does: `a + b` as `a |__add__( b)`. Filters bind tighter than any operator, so what stands left of
    /// one never needs parentheses.
    fn arithmetic(&mut self, level: usize) -> Result<Tall<'a>, ParseError> {
        let Some(operators) = OPERATORS.get(level) else { return self.unary() };
        let (first, mut height) = self.arithmetic(level + 1)?;
        let mut all = vec![first];
        while let Some(Token::Op(sign)) = self.peek() {
            let Some((_, filter)) = operators.iter().find(|(of, _)| *of == sign) else { break };
            self.replace_next(filter);
            self.at += 1;
            let (right, other) = self.arithmetic(level + 1)?;
            self.insert_after(")");
            // The engine's tree leans to the left by one level for each operator, whatever ours looks like.
            height = self.above(height.max(other))?;
            all.push(right);
        }
        Ok((if all.len() == 1 { all.swap_remove(0) } else { Expr::All(all) }, height))
    }

    fn unary(&mut self) -> Result<Tall<'a>, ParseError> {
        let (expr, height) = self.signed()?;
        self.filters(expr, height)
    }

    fn signed(&mut self) -> Result<Tall<'a>, ParseError> {
        if let Some(Token::Op(sign @ ("-" | "+"))) = self.peek() {
            if sign == "+" {
                // The engine knows no unary plus.
                self.replace_next("--");
            }
            self.at += 1;
            let (expr, height) = self.nested(Self::signed)?;
            return Ok((Expr::All(vec![expr]), self.above(height)?));
        }
        let (expr, height) = self.primary()?;
        self.postfix(expr, height)
    }

    fn postfix(&mut self, mut expr: Expr<'a>, mut height: usize) -> Result<Tall<'a>, ParseError> {
        loop {
            match self.peek() {
                Some(Token::Op(".")) => {
                    self.at += 1;
                    expr = match self.next() {
                        Some(Token::Name(name)) => Expr::Attr(Box::new(expr), name),
                        Some(Token::Number(number)) => Expr::Index(Box::new(expr), Box::new(Expr::Number(number))),
                        _ => {
                            self.at = self.at.saturating_sub(1);
                            return Err(self.unexpected("expected a name after '.'"));
                        }
                    };
                    height = self.above(height)?;
                }
                Some(Token::Op("[")) => {
                    self.at += 1;
                    let (index, other) = self.nested(Self::subscript)?;
                    height = self.above(height.max(other))?;
                    expr = Expr::Index(Box::new(expr), Box::new(index));
                }
                Some(Token::Op("(")) => {
                    let (args, other) = self.arguments()?;
                    height = self.above(height.max(other))?;
                    expr = Expr::Call(Box::new(expr), args);
                }
                _ => return Ok((expr, height)),
            }
        }
    }

    /// What stands between brackets: an index, or a slice as [`Expr::All`]. The engine is handed a slice as a method, since
    /// its own stops the process at an empty list that is to be turned round, and what it gives is no list.
    fn subscript(&mut self) -> Result<Tall<'a>, ParseError> {
        let open = self.at.saturating_sub(1);
        let (mut all, mut height, mut colons, mut is_left_out) = (Vec::new(), 0, 0, true);
        loop {
            match self.peek() {
                Some(Token::Op("]")) => break,
                Some(Token::Op(":")) if colons < 2 => {
                    if colons == 0 {
                        self.replace(open, ".__slice__(");
                    }
                    self.replace_next(if is_left_out { "\tNone,\t" } else { ",\t" });
                    self.at += 1;
                    (colons, is_left_out) = (colons + 1, true);
                }
                _ => {
                    let (part, other) = self.inline_if()?;
                    height = height.max(other);
                    all.push(part);
                    is_left_out = false;
                    if !matches!(self.peek(), Some(Token::Op("]" | ":"))) {
                        return Err(self.unexpected("expected ']'"));
                    }
                }
            }
        }
        if colons > 0 {
            self.replace_next(if is_left_out { "\tNone\t)" } else { "\t)" });
            self.at += 1;
            return Ok((Expr::All(all), height));
        }
        self.at += 1;
        all.pop().map(|index| (index, height)).ok_or_else(|| self.unexpected("expected an index"))
    }

    fn arguments(&mut self) -> Result<(Vec<Arg<'a>>, usize), ParseError> {
        self.expect(Token::Op("("))?;
        let (mut args, mut height) = (Vec::new(), 0);
        loop {
            if self.take(Token::Op(")")) {
                return Ok((args, height));
            }
            if !args.is_empty() {
                self.expect(Token::Op(","))?;
                if self.take(Token::Op(")")) {
                    return Ok((args, height));
                }
            }
            let _splat = self.take(Token::Op("**")) || self.take(Token::Op("*"));
            let name = match (self.peek(), self.tokens.get(self.at + 1)) {
                (Some(Token::Name(name)), Some(Placed { token: Token::Op("="), .. })) => {
                    self.at += 2;
                    Some(name)
                }
                _ => None,
            };
            let (value, other) = self.nested(Self::inline_if)?;
            height = height.max(other);
            args.push(Arg { name, value });
        }
    }

    fn filters(&mut self, mut expr: Expr<'a>, mut height: usize) -> Result<Tall<'a>, ParseError> {
        loop {
            if self.peek() == Some(Token::Op("|")) {
                if !matches!(self.after_next(), Some(Token::Name("default" | "d"))) {
                    self.must_be_given(&expr);
                }
                self.at += 1;
                let name = self.dotted_name()?;
                let (args, other) = self.optional_arguments()?;
                height = self.above(height.max(other))?;
                expr = Expr::Filter(Box::new(expr), name, args);
            } else if self.peek() == Some(Token::Name("is")) {
                if self.refuses_undefined() {
                    self.must_be_given(&expr);
                }
                self.at += 1;
                let negated = self.take(Token::Name("not"));
                let name = self.dotted_name()?;
                let (args, other) = self.test_arguments()?;
                // A negated test is two levels to the engine.
                height = self.above(self.above(height.max(other))?)?;
                expr = Expr::Test { subject: Box::new(expr), name, negated, args };
            } else {
                return Ok((expr, height));
            }
        }
    }

    fn after_next(&self) -> Option<Token<'a>> {
        self.tokens.get(self.at + 1).map(|placed| placed.token)
    }

    /// Whether the test that stands next refuses what is undefined.
    fn refuses_undefined(&self) -> bool {
        let negated = usize::from(self.after_next() == Some(Token::Name("not")));
        match self.tokens.get(self.at + 1 + negated).map(|placed| placed.token) {
            Some(Token::Name(name)) => asks_about_a_value(name),
            _ => false,
        }
    }

    /// Filters as `{% filter … %}` and `{% set x | … %}` take them, applied to nothing.
    ///
    /// # Errors
    ///
    /// As [`Reader::expression`].
    pub fn filter_chain(&mut self) -> Result<Expr<'a>, ParseError> {
        let name = self.dotted_name()?;
        let (args, height) = self.optional_arguments()?;
        let height = self.above(height)?;
        self.filters(Expr::Filter(Box::new(Expr::Constant), name, args), height).map(|(expr, _)| expr)
    }

    fn dotted_name(&mut self) -> Result<&'a str, ParseError> {
        let mut name = self.name()?;
        while self.take(Token::Op(".")) {
            name = self.name()?;
        }
        Ok(name)
    }

    fn optional_arguments(&mut self) -> Result<(Vec<Arg<'a>>, usize), ParseError> {
        if self.peek() == Some(Token::Op("(")) { self.arguments() } else { Ok((Vec::new(), 0)) }
    }

    fn test_arguments(&mut self) -> Result<(Vec<Arg<'a>>, usize), ParseError> {
        match self.peek() {
            Some(Token::Op("(")) => self.arguments(),
            Some(Token::Name("and" | "or" | "else" | "is" | "if" | "in" | "not" | "recursive")) => Ok((Vec::new(), 0)),
            Some(Token::Name(_) | Token::Text(_) | Token::Number(_) | Token::Op("[" | "{" | "-" | "+")) => {
                let (value, height) = self.nested(Self::signed)?;
                Ok((vec![Arg { name: None, value }], height))
            }
            _ => Ok((Vec::new(), 0)),
        }
    }

    fn primary(&mut self) -> Result<Tall<'a>, ParseError> {
        let line = self.line();
        let Some(token) = self.next() else {
            return Err(self.unexpected("expected an expression"));
        };
        match token {
            Token::Name("true" | "True" | "false" | "False" | "none" | "None") => Ok((Expr::Constant, 1)),
            Token::Name(name) => Ok((Expr::Name(name, line), 1)),
            Token::Number(number) => Ok((Expr::Number(number), 1)),
            Token::Text(text) => {
                let mut expr = Expr::Text(text);
                while let Some(Token::Text(_)) = self.peek() {
                    self.at += 1;
                    expr = Expr::Constant;
                }
                Ok((expr, 1))
            }
            Token::Op("(") => self.nested(|reader| reader.items(")")).map(|(mut all, height, comma)| {
                let expr = if all.len() == 1 && !comma { all.swap_remove(0) } else { Expr::All(all) };
                (expr, height + 1)
            }),
            Token::Op("[") => {
                self.nested(|reader| reader.items("]")).map(|(all, height, _)| (Expr::All(all), height + 1))
            }
            Token::Op("{") => {
                self.nested(|reader| reader.items("}")).map(|(all, height, _)| (Expr::All(all), height + 1))
            }
            _ => {
                self.at -= 1;
                Err(self.unexpected("expected an expression"))
            }
        }
    }

    /// Expressions up to `close`, separated by commas, and in a dict by colons; and whether there was a comma.
    fn items(&mut self, close: &'static str) -> Result<(Vec<Expr<'a>>, usize, bool), ParseError> {
        let (mut all, mut height, mut comma) = (Vec::new(), 0, false);
        loop {
            if self.take(Token::Op(close)) {
                return Ok((all, height, comma));
            }
            if !all.is_empty() {
                self.expect(Token::Op(","))?;
                comma = true;
                if self.take(Token::Op(close)) {
                    return Ok((all, height, comma));
                }
            }
            let (item, other) = self.inline_if()?;
            height = height.max(other);
            all.push(item);
            if close == "}" {
                self.expect(Token::Op(":"))?;
                let (value, other) = self.inline_if()?;
                height = height.max(other);
                all.push(value);
            }
        }
    }
}
