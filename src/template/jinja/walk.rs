//! One pass over the tags of a Jinja2 template: which blocks open and close, which names are the template's own, and what
//! is asked of every other name.

use super::REFUSED;
use super::expr::{Expr, Reader};
use super::lexer::{Tag, TagKind, Token};
use super::mend::Edit;
use super::scope::{Binding, Guards, Scope};
use crate::template::ParseError;
use crate::template::limits::{CHAIN, NESTING};
use crate::template::shape::{Shape, Step, What};

/// Checks the blocks, records what the template asks for, and finds what the engine must read otherwise.
///
/// # Errors
///
/// What does not parse, a refused tag, a limit passed; with the line.
pub fn walk(tags: &[Tag<'_>]) -> Result<(Shape, Vec<Edit>), ParseError> {
    let mut walk = Walk::default();
    let mut edits = Vec::new();
    for tag in tags {
        let mut reader = Reader::new(&tag.tokens, tag.line);
        match tag.kind {
            TagKind::Output => {
                let expr = reader.tuple()?;
                walk.visit(&expr, What::Print, true);
            }
            TagKind::Statement => walk.statement(&mut reader, tag.line)?,
        }
        reader.end()?;
        edits.append(&mut reader.edits);
    }
    match walk.open.pop() {
        Some(block) => Err(ParseError::at(
            block.line,
            format!("'{}' opened at line {} is never closed", block.kind.word(), block.line),
        )),
        None => Ok((walk.shape, edits)),
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum BlockKind {
    For,
    If,
    With,
    Set,
    Filter,
    AutoEscape,
}

impl BlockKind {
    fn word(self) -> &'static str {
        match self {
            Self::For => "for",
            Self::If => "if",
            Self::With => "with",
            Self::Set => "set",
            Self::Filter => "filter",
            Self::AutoEscape => "autoescape",
        }
    }
}

struct Block<'a> {
    kind: BlockKind,
    line: usize,
    /// Where the names and guards in force ended before it.
    names: usize,
    guards: usize,
    branches: usize,
    else_seen: bool,
    /// What is defined wherever its conditions so far did not hold.
    otherwise: Vec<Vec<Step>>,
    /// The name that `{% set x %}` makes at its end.
    target: Option<&'a str>,
}

/// What is known after the tags so far.
#[derive(Default)]
pub(super) struct Walk<'a> {
    pub(super) shape: Shape,
    pub(super) scope: Scope<'a>,
    /// Paths that are certainly defined here.
    pub(super) guards: Guards,
    open: Vec<Block<'a>>,
}

impl<'a> Walk<'a> {
    fn statement(&mut self, reader: &mut Reader<'a, '_>, line: usize) -> Result<(), ParseError> {
        let word = reader.name()?;
        match word {
            "for" => self.for_loop(reader, line),
            "if" => {
                let test = reader.expression()?;
                self.visit(&test, What::Test, true);
                self.open(BlockKind::If, line)?;
                self.branch(&test);
                Ok(())
            }
            "elif" => self.elif(reader, line),
            "else" => self.otherwise(line),
            "with" => self.with(reader, line),
            "set" => self.set(reader, line),
            "filter" => {
                let filters = reader.filter_chain()?;
                self.visit(&filters, What::Print, true);
                self.open(BlockKind::Filter, line)
            }
            "autoescape" => {
                let expr = reader.expression()?;
                self.visit(&expr, What::Test, true);
                self.open(BlockKind::AutoEscape, line)
            }
            "break" | "continue" => {
                if self.open.iter().any(|block| block.kind == BlockKind::For) {
                    Ok(())
                } else {
                    Err(ParseError::at(line, format!("'{word}' at line {line} stands outside a loop")))
                }
            }
            "endfor" => self.close(BlockKind::For, line),
            "endif" => self.close(BlockKind::If, line),
            "endwith" => self.close(BlockKind::With, line),
            "endset" => self.close(BlockKind::Set, line),
            "endfilter" => self.close(BlockKind::Filter, line),
            "endautoescape" => self.close(BlockKind::AutoEscape, line),
            _ if REFUSED.contains(&word) => Err(ParseError::at(
                line,
                format!("'{word}' at line {line} is not supported: a template stands alone and defines nothing"),
            )),
            _ => Err(ParseError::at(line, format!("unknown tag '{word}' at line {line}"))),
        }
    }

    fn open(&mut self, kind: BlockKind, line: usize) -> Result<(), ParseError> {
        if self.open.len() >= NESTING {
            return Err(ParseError::at(line, format!("blocks nest deeper than {NESTING} at line {line}")));
        }
        self.open.push(Block {
            kind,
            line,
            names: self.scope.mark(),
            guards: self.guards.len(),
            branches: 0,
            else_seen: false,
            otherwise: Vec::new(),
            target: None,
        });
        Ok(())
    }

    fn close(&mut self, kind: BlockKind, line: usize) -> Result<(), ParseError> {
        let word = kind.word();
        let Some(block) = self.open.pop() else {
            return Err(ParseError::at(line, format!("'end{word}' at line {line} closes nothing")));
        };
        if block.kind != kind {
            let (opened, from) = (block.kind.word(), block.line);
            return Err(ParseError::at(
                line,
                format!("'end{word}' at line {line} does not close the '{opened}' of line {from}"),
            ));
        }
        self.guards.truncate(block.guards);
        if matches!(kind, BlockKind::For | BlockKind::With) {
            self.scope.leave(block.names);
        }
        if let Some(name) = block.target {
            self.scope.bind(name, Binding::Own);
        }
        Ok(())
    }

    /// Inside the branch of an `if` or `elif` with this condition.
    fn branch(&mut self, test: &Expr<'a>) {
        let holds = self.scope.defined_if(test, true);
        let fails = self.scope.defined_if(test, false);
        if let Some(block) = self.open.last_mut() {
            self.guards.truncate(block.guards);
            self.guards.extend(block.otherwise.iter().cloned());
            block.otherwise.extend(fails);
        }
        self.guards.extend(holds);
    }

    fn elif(&mut self, reader: &mut Reader<'a, '_>, line: usize) -> Result<(), ParseError> {
        let test = reader.expression()?;
        match self.open.last_mut() {
            Some(block) if block.kind == BlockKind::If && !block.else_seen => {
                block.branches += 1;
                self.guards.truncate(block.guards);
                self.guards.extend(block.otherwise.iter().cloned());
            }
            _ => return Err(ParseError::at(line, format!("'elif' at line {line} stands outside an 'if'"))),
        }
        // The engine nests each branch in the one before, within all the blocks around it.
        if self.open.iter().map(|block| block.branches).sum::<usize>() > CHAIN {
            return Err(ParseError::at(line, format!("more than {CHAIN} 'elif' in a row at line {line}")));
        }
        self.visit(&test, What::Test, true);
        self.branch(&test);
        Ok(())
    }

    fn otherwise(&mut self, line: usize) -> Result<(), ParseError> {
        match self.open.last_mut() {
            Some(block) if matches!(block.kind, BlockKind::If | BlockKind::For) && !block.else_seen => {
                block.else_seen = true;
                self.guards.truncate(block.guards);
                self.guards.extend(block.otherwise.drain(..));
                if block.kind == BlockKind::For {
                    self.scope.leave(block.names);
                }
                Ok(())
            }
            _ => Err(ParseError::at(line, format!("'else' at line {line} stands outside an 'if' or 'for'"))),
        }
    }

    fn for_loop(&mut self, reader: &mut Reader<'a, '_>, line: usize) -> Result<(), ParseError> {
        let targets = targets(reader)?;
        reader.expect(Token::Name("in"))?;
        let list = reader.loop_over()?;
        self.visit(&list, What::Iterate, true);
        let bindings = self.bindings_of(&list, targets.len());
        self.open(BlockKind::For, line)?;
        self.scope.bind("loop", Binding::Own);
        for (target, binding) in targets.into_iter().zip(bindings) {
            self.scope.bind(target, binding);
        }
        if reader.take(Token::Name("if")) {
            let test = reader.expression()?;
            self.visit(&test, What::Test, true);
            let holds = self.scope.defined_if(&test, true);
            self.guards.extend(holds);
        }
        reader.take(Token::Name("recursive"));
        Ok(())
    }

    /// What the names of a loop through `list` stand for.
    fn bindings_of(&self, list: &Expr<'a>, names: usize) -> Vec<Binding> {
        let (of, filter) = match list {
            Expr::Filter(of, filter @ ("groupby" | "batch" | "slice"), _) => (&**of, *filter),
            _ => (list, ""),
        };
        let path = self.scope.path(of);
        let mut own = vec![Binding::Own; names];
        let place = match filter {
            "groupby" if names == 2 => own.last_mut(),
            _ if names == 1 => own.first_mut(),
            _ => None,
        };
        if let (Some(mut path), Some(place)) = (path, place) {
            *place = match (filter, names) {
                ("groupby", 1) => Binding::Group(path),
                // Each goes on holding such items.
                ("groupby" | "batch" | "slice", _) => Binding::Alias(path),
                _ => {
                    path.push(Step::Item);
                    Binding::Alias(path)
                }
            };
        }
        own
    }

    fn with(&mut self, reader: &mut Reader<'a, '_>, line: usize) -> Result<(), ParseError> {
        self.open(BlockKind::With, line)?;
        while reader.peek().is_some() {
            let target = reader.name()?;
            reader.expect(Token::Op("="))?;
            let value = reader.expression()?;
            self.assign(&[target], &value);
            if !reader.take(Token::Op(",")) {
                break;
            }
        }
        Ok(())
    }

    fn set(&mut self, reader: &mut Reader<'a, '_>, line: usize) -> Result<(), ParseError> {
        let targets = targets(reader)?;
        if reader.take(Token::Op(".")) {
            reader.name()?;
            reader.expect(Token::Op("="))?;
            let value = reader.tuple()?;
            self.visit(&value, What::Touch, true);
            return Ok(());
        }
        if reader.take(Token::Op("=")) {
            let value = reader.tuple()?;
            self.assign(&targets, &value);
            return Ok(());
        }
        if reader.take(Token::Op("|")) {
            let filters = reader.filter_chain()?;
            self.visit(&filters, What::Print, true);
        }
        self.open(BlockKind::Set, line)?;
        if let Some(block) = self.open.last_mut() {
            block.target = targets.first().copied();
        }
        Ok(())
    }

    fn assign(&mut self, targets: &[&'a str], value: &Expr<'a>) {
        self.visit(value, What::Touch, true);
        let path = self.scope.path(value);
        for target in targets {
            let alias = path.clone().filter(|_| targets.len() == 1);
            self.scope.bind(target, alias.map_or(Binding::Own, Binding::Alias));
        }
    }
}

/// Names separated by commas, in parentheses or not.
fn targets<'a>(reader: &mut Reader<'a, '_>) -> Result<Vec<&'a str>, ParseError> {
    let mut names = Vec::new();
    let mut depth = 0_usize;
    loop {
        while reader.take(Token::Op("(")) {
            depth += 1;
        }
        names.push(reader.name()?);
        while depth > 0 && reader.take(Token::Op(")")) {
            depth -= 1;
        }
        if !reader.take(Token::Op(",")) || reader.peek() == Some(Token::Name("in")) {
            break;
        }
    }
    if depth > 0 { Err(reader.unexpected("expected ')'")) } else { Ok(names) }
}
