//! Bounds the height of a tag's expression tree, computed from its tokens before parsing. The engine's parser recurses
//! for each bracket and each `not`, and its tree is compiled and dropped recursively.

use minijinja::machinery::Token;

use super::tokens::{describe, line_at};
use crate::error::{error_at, template_error};
use crate::limits::{CHAIN, NESTING};
use refdesk_text::Error;

/// Counts the height of the expressions in one tag.
#[derive(Debug)]
pub(super) struct Height<'t> {
    text: &'t str,
    /// One for the tag itself, then one per open bracket.
    levels: Vec<BracketLevel>,
    /// The number of `not`, `-` and `+` directly before the next operand.
    prefixes: usize,
    /// Whether an operand comes next, so that `-` is a sign and `[` begins a list.
    pub expects_operand: bool,
}

/// The state of one pair of brackets.
#[derive(Debug, Default)]
struct BracketLevel {
    /// The greatest height of the items before the last comma.
    items: usize,
    operators: usize,
    /// The greatest height of the operands of these operators.
    operands: usize,
    /// The number of filters, attributes and calls on the last operand.
    last: usize,
}

impl BracketLevel {
    fn height(&self) -> usize {
        self.items.max(self.operators + self.operands.max(self.last))
    }
}

impl<'t> Height<'t> {
    pub(super) fn new(text: &'t str) -> Self {
        Self { text, levels: vec![BracketLevel::default()], prefixes: 0, expects_operand: true }
    }

    /// Counts a token.
    ///
    /// # Errors
    ///
    /// The expression nests deeper than [`NESTING`], is higher than [`CHAIN`], or closes a bracket that is not open.
    pub(super) fn count(&mut self, token: &Token<'_>, at: usize) -> Result<(), Error> {
        let is_prefix = self.expects_operand && matches!(token, Token::Minus | Token::Plus | Token::Ident("not"));
        self.prefixes = if is_prefix { self.prefixes + 1 } else { 0 };
        let Some(level) = self.levels.last_mut() else { return Ok(()) };
        match token {
            Token::ParenOpen | Token::BracketOpen | Token::BraceOpen => self.levels.push(BracketLevel::default()),
            Token::ParenClose | Token::BracketClose | Token::BraceClose => {
                let inside = level.height();
                self.levels.pop();
                let Some(level) = self.levels.last_mut() else {
                    let line = line_at(self.text, at);
                    return Err(error_at(line, format!("unexpected {}", describe(token))));
                };
                level.last = level.last.max(inside) + 1;
            }
            Token::Comma | Token::Colon | Token::Assign => {
                *level = BracketLevel { items: level.height(), ..BracketLevel::default() }
            }
            Token::Dot | Token::Pipe => level.last += 1,
            // A negated test takes two levels of the engine's tree.
            Token::Ident("is") => level.last += 2,
            _ if is_operator(token) => {
                level.operands = level.operands.max(level.last);
                level.last = 0;
                level.operators += 1;
            }
            _ => level.last = level.last.max(1),
        }
        self.expects_operand = !is_end_of_operand(token);
        let (what, limit) = match self.levels.iter().map(BracketLevel::height).sum::<usize>() {
            // One level is the tag itself.
            _ if self.levels.len() > NESTING + 1 || self.prefixes > NESTING => {
                ("nests deeper than", NESTING.to_string())
            }
            height if height > CHAIN => ("chains more than", format!("{CHAIN} operators")),
            _ => return Ok(()),
        };
        let line = line_at(self.text, at);
        Err(template_error(line, format!("the expression at line {line} {what} {limit}")))
    }
}

fn is_operator(token: &Token<'_>) -> bool {
    match token {
        Token::Ident(word) => matches!(*word, "and" | "or" | "not" | "in" | "if" | "else"),
        Token::Plus
        | Token::Minus
        | Token::Tilde
        | Token::Mul
        | Token::Div
        | Token::FloorDiv
        | Token::Mod
        | Token::Pow => true,
        Token::Eq | Token::Ne | Token::Lt | Token::Lte | Token::Gt | Token::Gte => true,
        _ => false,
    }
}

fn is_end_of_operand(token: &Token<'_>) -> bool {
    match token {
        Token::Ident(word) => !matches!(*word, "and" | "or" | "not" | "in" | "if" | "else" | "is"),
        Token::Str(_) | Token::String(_) | Token::Int(_) | Token::Int128(_) | Token::Float(_) => true,
        Token::ParenClose | Token::BracketClose | Token::BraceClose => true,
        _ => false,
    }
}
