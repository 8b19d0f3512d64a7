//! Expressions of Jinja2, read into a small tree whose height is bounded, so that no chain of operators can exhaust the
//! stack of whoever walks it (ours or the engine's). Only what the tree of variables needs is kept.

use super::lexer::Token;
use crate::template::ParseError;
use crate::template::limits::{CHAIN, NESTING};

/// An expression.
#[derive(Debug, Clone, PartialEq)]
pub enum Expr<'a> {
    /// A string, as written.
    Text(&'a str),
    /// A number, as written.
    Number(&'a str),
    /// `true`, `false` or `none`.
    Constant,
    /// A name and its line.
    Name(&'a str, usize),
    /// `x.name`
    Attr(Box<Expr<'a>>, &'a str),
    /// `x[…]`
    Index(Box<Expr<'a>>, Box<Expr<'a>>),
    /// `f(…)`
    Call(Box<Expr<'a>>, Vec<Arg<'a>>),
    /// `x | name(…)`
    Filter(Box<Expr<'a>>, &'a str, Vec<Arg<'a>>),
    /// `x is [not] name …`
    Test {
        /// What is asked about.
        subject: Box<Expr<'a>>,
        /// The question.
        name: &'a str,
        /// `is not`
        negated: bool,
        /// What the question needs.
        args: Vec<Arg<'a>>,
    },
    /// `not x`
    Not(Box<Expr<'a>>),
    /// `a and b`
    And(Box<Expr<'a>>, Box<Expr<'a>>),
    /// `a or b`
    Or(Box<Expr<'a>>, Box<Expr<'a>>),
    /// `a in b`
    In(Box<Expr<'a>>, Box<Expr<'a>>),
    /// A comparison; both sides are computed with.
    Compare(Box<Expr<'a>>, Box<Expr<'a>>),
    /// `yes if test else no`
    If {
        /// The condition.
        test: Box<Expr<'a>>,
        /// The value where it holds.
        yes: Box<Expr<'a>>,
        /// The value where it does not.
        no: Option<Box<Expr<'a>>>,
    },
    /// Arithmetic, a list, a tuple, a dict, a slice: all of its parts are computed with.
    All(Vec<Expr<'a>>),
}

/// An argument of a call, filter or test.
#[derive(Debug, Clone, PartialEq)]
pub struct Arg<'a> {
    /// `name=`
    pub name: Option<&'a str>,
    /// The value.
    pub value: Expr<'a>,
}

/// An expression and how many calls deep walking it goes.
type Tall<'a> = (Expr<'a>, usize);

/// Reads expressions from the tokens of one tag.
pub struct Reader<'a, 't> {
    tokens: &'t [(Token<'a>, usize)],
    at: usize,
    depth: usize,
    line: usize,
}

impl<'a, 't> Reader<'a, 't> {
    /// A reader of these tokens of the tag opened at `line`.
    pub fn new(tokens: &'t [(Token<'a>, usize)], line: usize) -> Self {
        Self { tokens, at: 0, depth: 0, line }
    }

    /// The next token, not taken.
    pub fn peek(&self) -> Option<Token<'a>> {
        self.tokens.get(self.at).map(|(token, _)| *token)
    }

    /// The line of the next token, or of the last.
    pub fn line(&self) -> usize {
        self.tokens.get(self.at).or(self.tokens.last()).map_or(self.line, |(_, line)| *line)
    }

    /// Takes the next token.
    pub fn next(&mut self) -> Option<Token<'a>> {
        let token = self.peek();
        self.at += 1;
        token
    }

    /// Takes the next token if it is this one.
    pub fn take(&mut self, token: Token<'_>) -> bool {
        let same = self.peek() == Some(token);
        if same {
            self.at += 1;
        }
        same
    }

    /// Takes this token.
    ///
    /// # Errors
    ///
    /// Another one stands there.
    pub fn expect(&mut self, token: Token<'_>) -> Result<(), ParseError> {
        if self.take(token) { Ok(()) } else { Err(self.unexpected(&format!("expected {}", name_of(Some(token))))) }
    }

    /// Takes a name.
    ///
    /// # Errors
    ///
    /// Something else stands there.
    pub fn name(&mut self) -> Result<&'a str, ParseError> {
        match self.peek() {
            Some(Token::Name(name)) => {
                self.at += 1;
                Ok(name)
            }
            _ => Err(self.unexpected("expected a name")),
        }
    }

    /// Holds if nothing is left.
    ///
    /// # Errors
    ///
    /// Something is.
    pub fn end(&self) -> Result<(), ParseError> {
        if self.peek().is_none() { Ok(()) } else { Err(self.unexpected("expected the end of the tag")) }
    }

    /// An error about the next token.
    pub fn unexpected(&self, expected: &str) -> ParseError {
        let line = self.line();
        ParseError::at(line, format!("{expected}, found {} at line {line}", name_of(self.peek())))
    }

    /// One expression, an inline `if` included.
    ///
    /// # Errors
    ///
    /// What stands there is none, or one deeper or longer than the limits.
    pub fn expression(&mut self) -> Result<Expr<'a>, ParseError> {
        self.inline_if().map(|(expr, _)| expr)
    }

    /// One expression without an inline `if`, as after `for … in`.
    ///
    /// # Errors
    ///
    /// As [`Reader::expression`].
    pub fn condition(&mut self) -> Result<Expr<'a>, ParseError> {
        self.or().map(|(expr, _)| expr)
    }

    /// Expressions separated by commas, as `set a = 1, 2` takes them.
    ///
    /// # Errors
    ///
    /// As [`Reader::expression`].
    pub fn tuple(&mut self) -> Result<Expr<'a>, ParseError> {
        let first = self.expression()?;
        if self.peek() != Some(Token::Op(",")) {
            return Ok(first);
        }
        let mut all = vec![first];
        while self.take(Token::Op(",")) && self.peek().is_some() {
            all.push(self.expression()?);
        }
        Ok(Expr::All(all))
    }

    fn nested<T>(&mut self, read: impl FnOnce(&mut Self) -> Result<T, ParseError>) -> Result<T, ParseError> {
        self.depth += 1;
        if self.depth > NESTING {
            let line = self.line();
            return Err(ParseError::at(line, format!("the expression at line {line} nests deeper than {NESTING}")));
        }
        let read = read(self);
        self.depth -= 1;
        read
    }

    /// The height of something above parts of this height.
    fn above(&self, height: usize) -> Result<usize, ParseError> {
        if height < CHAIN {
            return Ok(height + 1);
        }
        let line = self.line();
        Err(ParseError::at(line, format!("the expression at line {line} chains more than {CHAIN} operators")))
    }

    fn inline_if(&mut self) -> Result<Tall<'a>, ParseError> {
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

    fn or(&mut self) -> Result<Tall<'a>, ParseError> {
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
        let (mut left, mut height) = self.arithmetic()?;
        loop {
            let inside = match self.peek() {
                Some(Token::Op("==" | "!=" | "<" | "<=" | ">" | ">=")) => false,
                Some(Token::Name("in")) => true,
                Some(Token::Name("not")) => {
                    self.at += 1;
                    if self.peek() != Some(Token::Name("in")) {
                        return Err(self.unexpected("expected 'in'"));
                    }
                    true
                }
                _ => return Ok((left, height)),
            };
            self.at += 1;
            let (right, other) = self.arithmetic()?;
            height = self.above(height.max(other))?;
            let (low, high) = (Box::new(left), Box::new(right));
            left = if inside { Expr::In(low, high) } else { Expr::Compare(low, high) };
        }
    }

    fn arithmetic(&mut self) -> Result<Tall<'a>, ParseError> {
        let (first, mut height) = self.unary()?;
        let mut all = vec![first];
        while let Some(Token::Op("+" | "-" | "*" | "/" | "//" | "%" | "**" | "~")) = self.peek() {
            self.at += 1;
            let (right, other) = self.unary()?;
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
        if let Some(Token::Op("-" | "+")) = self.peek() {
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

    /// What stands between brackets: an index, or a slice as [`Expr::All`].
    fn subscript(&mut self) -> Result<Tall<'a>, ParseError> {
        let (mut all, mut height, mut slice) = (Vec::new(), 0, false);
        loop {
            match self.peek() {
                Some(Token::Op("]")) => break,
                Some(Token::Op(":")) => {
                    self.at += 1;
                    slice = true;
                }
                _ => {
                    let (part, other) = self.inline_if()?;
                    height = height.max(other);
                    all.push(part);
                    if !matches!(self.peek(), Some(Token::Op("]" | ":"))) {
                        return Err(self.unexpected("expected ']'"));
                    }
                }
            }
        }
        self.at += 1;
        if slice {
            return Ok((Expr::All(all), height));
        }
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
                (Some(Token::Name(name)), Some((Token::Op("="), _))) => {
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
            if self.take(Token::Op("|")) {
                let name = self.dotted_name()?;
                let (args, other) = self.optional_arguments()?;
                height = self.above(height.max(other))?;
                expr = Expr::Filter(Box::new(expr), name, args);
            } else if self.take(Token::Name("is")) {
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

fn name_of(token: Option<Token<'_>>) -> String {
    match token {
        Some(Token::Name(text) | Token::Number(text)) => format!("'{text}'"),
        Some(Token::Op(text)) => format!("'{text}'"),
        Some(Token::Text(_)) => "a string".to_owned(),
        None => "the end of the tag".to_owned(),
    }
}
