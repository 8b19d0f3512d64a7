//! Checks the open blocks of a template. The engine's parser accepts a block that is never closed, and gives no line for a
//! wrong closing tag.

use minijinja::machinery::{Span, Token};

use super::REFUSED;
use crate::error::{error_at, template_error};
use crate::limits::{CHAIN, NESTING};
use refdesk_text::Error;

/// Checks that a tag is complete. Otherwise, the next error would be that its block is never closed.
///
/// # Errors
///
/// Something is missing; with the line.
pub(super) fn must_be_complete(word: &str, rest: &[(Token<'_>, Span)], line: usize) -> Result<(), Error> {
    let is_loop = rest.iter().any(|(token, _)| matches!(token, Token::Ident("in")));
    let lacks = match word {
        "if" | "elif" if rest.is_empty() => "a condition",
        "for" if !is_loop => "a list: 'for item in list'",
        "set" if rest.is_empty() => "a name",
        "filter" if rest.is_empty() => "a filter",
        "autoescape" if rest.is_empty() => "'true' or 'false'",
        _ => return Ok(()),
    };
    Err(template_error(line, format!("'{word}' at line {line} needs {lacks}")))
}

#[derive(Debug, Default)]
pub(crate) struct Blocks<'t> {
    open: Vec<OpenTag<'t>>,
}

#[derive(Debug)]
struct OpenTag<'t> {
    /// `for`, `if`, `with`, `set`, `filter` or `autoescape`.
    word: &'t str,
    line: usize,
    /// `elif` branches so far.
    branches: usize,
    else_seen: bool,
}

/// The effect of a tag on scopes that Jinja2 has and the engine lacks: names set within these blocks end with them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ScopeChange {
    None,
    Opens,
    Closes,
}

impl OpenTag<'_> {
    /// Whether its content, or the branch read last, has its own scope.
    fn has_scope(&self) -> bool {
        matches!(self.word, "set" | "filter" | "autoescape") || (self.word == "for" && self.else_seen)
    }
}

impl<'t> Blocks<'t> {
    /// Handles the tag that begins with this word; `is_block` is false for a `set` with its value in the tag.
    ///
    /// # Errors
    ///
    /// The tag is unknown, refused or out of place, or blocks nest too deep; with the line.
    pub(crate) fn tag(&mut self, word: &'t str, is_block: bool, line: usize) -> Result<ScopeChange, Error> {
        match word {
            "set" if !is_block => Ok(ScopeChange::None),
            "for" | "if" | "with" | "set" | "filter" | "autoescape" => self.open(word, line),
            "elif" => self.elif(line),
            "else" => self.otherwise(line),
            "break" | "continue" => self.leave_loop(word, line),
            _ if REFUSED.contains(&word) => Err(template_error(
                line,
                format!(
                    "'{word}' at line {line} is not supported: a template cannot use other templates or define macros"
                ),
            )),
            "endfor" | "endif" | "endwith" | "endset" | "endfilter" | "endautoescape" => self.close(word, line),
            _ => Err(error_at(line, format!("unknown tag '{word}'"))),
        }
    }

    /// Checks that every block is closed at the end of the template.
    ///
    /// # Errors
    ///
    /// A block is not closed; with the line where it was opened.
    pub(crate) fn end(self) -> Result<(), Error> {
        self.open.last().map_or(Ok(()), |OpenTag { word, line, .. }| {
            Err(template_error(*line, format!("'{word}' opened at line {line} is never closed")))
        })
    }

    /// Refuses `break` and `continue` inside blocks other than `if`, which the engine would not close.
    fn leave_loop(&self, word: &str, line: usize) -> Result<ScopeChange, Error> {
        let around = self.open.iter().rev().find(|block| block.word != "if");
        match around {
            Some(block) if block.word == "for" && !block.else_seen => Ok(ScopeChange::None),
            Some(OpenTag { word: other, line: from, .. }) if self.open.iter().any(|block| block.word == "for") => {
                let message = format!(
                    "'{word}' at line {line} is inside the '{other}' of line {from}; move it out, directly into the loop"
                );
                Err(template_error(line, message))
            }
            _ => Err(template_error(line, format!("'{word}' at line {line} is outside a loop"))),
        }
    }

    fn open(&mut self, word: &'t str, line: usize) -> Result<ScopeChange, Error> {
        if self.open.len() >= NESTING {
            return Err(error_at(line, format!("blocks nest deeper than {NESTING}")));
        }
        let block = OpenTag { word, line, branches: 0, else_seen: false };
        let change = if block.has_scope() { ScopeChange::Opens } else { ScopeChange::None };
        self.open.push(block);
        Ok(change)
    }

    fn close(&mut self, end: &str, line: usize) -> Result<ScopeChange, Error> {
        let Some(block) = self.open.pop() else {
            return Err(template_error(line, format!("'{end}' at line {line} closes nothing")));
        };
        let OpenTag { word, line: from, .. } = block;
        if end.strip_prefix("end") == Some(word) {
            return Ok(if block.has_scope() { ScopeChange::Closes } else { ScopeChange::None });
        }
        Err(template_error(line, format!("'{end}' at line {line} does not close the '{word}' of line {from}")))
    }

    fn elif(&mut self, line: usize) -> Result<ScopeChange, Error> {
        match self.open.last_mut() {
            Some(block) if block.word == "if" && !block.else_seen => block.branches += 1,
            _ => return Err(template_error(line, format!("'elif' at line {line} is outside an 'if'"))),
        }
        // The engine nests each branch in the previous one, inside all enclosing blocks.
        if self.open.iter().map(|block| block.branches).sum::<usize>() > CHAIN {
            return Err(error_at(line, format!("more than {CHAIN} 'elif' in a row")));
        }
        Ok(ScopeChange::None)
    }

    fn otherwise(&mut self, line: usize) -> Result<ScopeChange, Error> {
        match self.open.last_mut() {
            Some(block) if matches!(block.word, "if" | "for") && !block.else_seen => {
                block.else_seen = true;
                Ok(if block.has_scope() { ScopeChange::Opens } else { ScopeChange::None })
            }
            _ => Err(template_error(line, format!("'else' at line {line} is outside an 'if' or 'for'"))),
        }
    }
}
