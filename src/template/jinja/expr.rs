//! Expressions of Jinja2, read into a small tree whose height is bounded, so that no chain of operators can exhaust the
//! stack of whoever walks it (ours or the engine's). Only what the tree of variables needs is kept.

use super::lexer::{Placed, Token};
use super::mend::Edit;
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
pub(super) type Tall<'a> = (Expr<'a>, usize);

/// Reads expressions from the tokens of one tag.
pub struct Reader<'a, 't> {
    pub(super) tokens: &'t [Placed<'a>],
    pub(super) at: usize,
    depth: usize,
    line: usize,
    /// What the engine must read otherwise, in the order it was found.
    pub(super) edits: Vec<Edit>,
}

impl<'a, 't> Reader<'a, 't> {
    /// A reader of these tokens of the tag opened at `line`.
    pub fn new(tokens: &'t [Placed<'a>], line: usize) -> Self {
        Self { tokens, at: 0, depth: 0, line, edits: Vec::new() }
    }

    /// The next token, not taken.
    pub fn peek(&self) -> Option<Token<'a>> {
        self.tokens.get(self.at).map(|placed| placed.token)
    }

    /// The line of the next token, or of the last.
    pub fn line(&self) -> usize {
        self.tokens.get(self.at).or(self.tokens.last()).map_or(self.line, |placed| placed.line)
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

    /// What a loop goes through: one expression without an inline `if`, or several separated by commas.
    ///
    /// # Errors
    ///
    /// As [`Reader::expression`].
    pub fn loop_over(&mut self) -> Result<Expr<'a>, ParseError> {
        self.insert_before("(");
        let (first, _) = self.or()?;
        let mut all = vec![first];
        let mut comma = false;
        while self.take(Token::Op(",")) {
            comma = true;
            if matches!(self.peek(), None | Some(Token::Name("if" | "recursive"))) {
                break;
            }
            all.push(self.or()?.0);
        }
        self.insert_after(")|__each__");
        Ok(if comma { Expr::All(all) } else { all.swap_remove(0) })
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

    /// The engine reads `text` before the next token.
    pub(super) fn insert_before(&mut self, text: &'static str) {
        if let Some(placed) = self.tokens.get(self.at) {
            self.edits.push(Edit { from: placed.from, to: placed.from, text });
        }
    }

    /// The engine reads `text` after the last token.
    pub(super) fn insert_after(&mut self, text: &'static str) {
        if let Some(placed) = self.at.checked_sub(1).and_then(|at| self.tokens.get(at)) {
            self.edits.push(Edit { from: placed.to, to: placed.to, text });
        }
    }

    /// The engine reads `text` in place of the next token.
    pub(super) fn replace_next(&mut self, text: &'static str) {
        self.replace(self.at, text);
    }

    /// The engine reads `text` in place of this token.
    pub(super) fn replace(&mut self, token: usize, text: &'static str) {
        if let Some(placed) = self.tokens.get(token) {
            self.edits.push(Edit { from: placed.from, to: placed.to, text });
        }
    }

    /// Reads something one level further in.
    pub(super) fn nested<T>(&mut self, read: impl FnOnce(&mut Self) -> Result<T, ParseError>) -> Result<T, ParseError> {
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
    pub(super) fn above(&self, height: usize) -> Result<usize, ParseError> {
        if height < CHAIN {
            return Ok(height + 1);
        }
        let line = self.line();
        Err(ParseError::at(line, format!("the expression at line {line} chains more than {CHAIN} operators")))
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
