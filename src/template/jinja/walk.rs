//! One pass over the tags of a Jinja2 template: which blocks open and close, which names are the template's own, and what
//! is asked of every other name.

use std::collections::HashMap;

use super::REFUSED;
use super::expr::{Arg, Expr, Reader};
use super::lexer::{Tag, TagKind, Token};
use super::scope::{Binding, Scope, text_argument};
use crate::template::ParseError;
use crate::template::limits::{CHAIN, NESTING};
use crate::template::shape::{Shape, Step, What};

/// Checks the blocks and records what the template asks for.
///
/// # Errors
///
/// What does not parse, a refused tag, a limit passed; with the line.
pub fn walk(tags: &[Tag<'_>]) -> Result<Shape, ParseError> {
    run(tags).map(|walk| walk.shape)
}

/// Top-level names that must be there wherever they stand, with their first line.
///
/// # Errors
///
/// As [`walk`].
pub fn demanded(tags: &[Tag<'_>]) -> Result<Vec<(String, usize)>, ParseError> {
    let places = run(tags)?.places;
    Ok(places.into_iter().filter(|(_, place)| place.always).map(|(name, place)| (name, place.line)).collect())
}

/// The paths that loops outside every other block go through, with their line.
///
/// # Errors
///
/// As [`walk`].
pub fn loops(tags: &[Tag<'_>]) -> Result<Vec<(Vec<Step>, usize)>, ParseError> {
    run(tags).map(|walk| walk.loops)
}

fn run<'a>(tags: &[Tag<'a>]) -> Result<Walk<'a>, ParseError> {
    let mut walk = Walk::default();
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
    }
    match walk.open.pop() {
        Some(block) => Err(ParseError::at(
            block.line,
            format!("'{}' opened at line {} is never closed", block.kind.word(), block.line),
        )),
        None => Ok(walk),
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

struct Place {
    line: usize,
    always: bool,
}

#[derive(Default)]
struct Walk<'a> {
    shape: Shape,
    scope: Scope<'a>,
    guards: Vec<Vec<Step>>,
    open: Vec<Block<'a>>,
    places: HashMap<String, Place>,
    loops: Vec<(Vec<Step>, usize)>,
    line: usize,
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
                if block.branches > CHAIN {
                    return Err(ParseError::at(line, format!("more than {CHAIN} 'elif' in a row at line {line}")));
                }
                self.guards.truncate(block.guards);
                self.guards.extend(block.otherwise.iter().cloned());
            }
            _ => return Err(ParseError::at(line, format!("'elif' at line {line} stands outside an 'if'"))),
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
                self.guards.append(&mut block.otherwise);
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
        let list = reader.condition()?;
        self.visit(&list, What::Iterate, true);
        let plain = matches!(list, Expr::Name(..) | Expr::Attr(..) | Expr::Index(..));
        if let Some(path) = self.scope.path(&list).filter(|_| plain && self.open.is_empty()) {
            self.loops.push((path, line));
        }
        let item = self.scope.path(&list).map(|mut path| {
            path.push(Step::Item);
            path
        });
        self.open(BlockKind::For, line)?;
        self.scope.bind("loop", Binding::Own);
        let single = targets.len() == 1;
        for target in targets {
            let binding = item.clone().filter(|_| single).map_or(Binding::Own, Binding::Alias);
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

    fn record(&mut self, path: &[Step], what: What, needed: bool) {
        let guarded = self.guards.iter().any(|guard| path.starts_with(guard));
        let needed = needed && !guarded;
        self.shape.record(path, what, needed);
        if let [Step::Field(name), ..] = path {
            let line = self.line;
            let place = self.places.entry(name.clone()).or_insert(Place { line, always: true });
            place.always &= needed && what != What::Touch;
        }
    }

    fn visit_args(&mut self, args: &[Arg<'a>]) {
        for arg in args {
            self.visit(&arg.value, What::Print, true);
        }
    }

    /// Records what `expr` asks for when it is used like this. Calls itself at most as deep as the expression is high.
    fn visit(&mut self, expr: &Expr<'a>, what: What, needed: bool) {
        if let Expr::Name(_, line) = expr {
            self.line = *line;
        }
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

    /// Notes the line of the name a path begins with, and the lists it picks items from; tells whether a part of it is
    /// defaulted, so that nothing of it is needed.
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
                    self.visit_args(args);
                    matches!(*name, "first" | "last" | "random")
                }
                Expr::Name(_, line) => {
                    self.line = *line;
                    return defaulted;
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
            self.visit(of, What::Print, true);
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
        let attribute = match name {
            "selectattr" | "rejectattr" | "groupby" => text_argument(args, "attribute", 0),
            "map" | "sort" | "unique" | "sum" | "min" | "max" | "join" => text_argument(args, "attribute", usize::MAX),
            _ => None,
        };
        if let (Some(attribute), Some(mut path)) = (attribute, self.scope.path(of)) {
            path.push(Step::Item);
            path.extend(attribute.split('.').map(|part| Step::Field(part.to_owned())));
            self.record(&path, What::Print, true);
        }
        self.visit_args(args);
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
