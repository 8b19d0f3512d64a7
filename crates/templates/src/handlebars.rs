//! Finds the variables of a Handlebars template and checks whether its blocks balance; `render::handlebars` renders it.
//! The language has Mustache's tags, helpers with arguments, `else`, paths with `..`, and names that begin with `@`.

use std::collections::HashSet;

use super::limits::{CHAIN, NESTING};
use super::tags::{Dialect, Piece, Sigil, pieces};
use super::usage::{PathStep, Usage, VariableUses, extend};
use super::words::{TagWord, argument, brackets, segments, words};
use crate::error::{error_at, template_error};
use refdesk_text::Error;

/// Checks whether a template may be passed to its engine.
///
/// # Errors
///
/// Unclosed or mismatched blocks and tags, or an exceeded limit; with the line.
pub(crate) fn check(text: &str) -> Result<(), Error> {
    uses(text).map(drop)
}

/// The most names that a block gives to its items: the item, and its index or key.
const BLOCK_PARAMS: usize = 2;

struct OpenBlock<'a> {
    name: &'a str,
    line: usize,
    /// The path below which names inside the block are looked up.
    base: Vec<PathStep>,
    /// Paths that are defined inside the block.
    guard: Option<Vec<PathStep>>,
    /// `as |item index|`: the first is the item itself, the others are metadata.
    params: Vec<&'a str>,
    /// Whether the block iterates over an object by key, so that the shape of its values is unknown.
    keyed: bool,
    /// The number of `else if` branches; the engine nests each in the previous one.
    branches: usize,
}

/// The variables of a template.
///
/// # Errors
///
/// Unclosed or mismatched blocks and tags, blocks and brackets nested deeper than [`NESTING`], or more than [`CHAIN`]
/// chained `else if`; with the line.
pub(crate) fn uses(text: &str) -> Result<VariableUses, Error> {
    let (pieces, _) = pieces(text, Dialect::Handlebars)?;
    let keyed = keyed_blocks(&pieces);
    let mut walk = HandlebarsUses { shape: VariableUses::default(), blocks: Vec::new() };
    for (at, piece) in pieces.into_iter().enumerate() {
        let Piece::Tag { sigil, content, line, .. } = piece else { continue };
        if sigil != Sigil::Comment {
            brackets(content, line)?;
        }
        match sigil {
            Sigil::Plain if content == "else" || content.starts_with("else ") => walk.otherwise(content, line)?,
            Sigil::Inverted if content.is_empty() => walk.otherwise("else", line)?,
            Sigil::Plain | Sigil::Unescaped => walk.value(content),
            Sigil::Section => walk.open(content, line, false, keyed.contains(&at))?,
            Sigil::Inverted => walk.open(content, line, true, false)?,
            Sigil::Close => walk.close(content, line)?,
            Sigil::Partial | Sigil::Comment | Sigil::Delimiters => {}
        }
    }
    match walk.blocks.pop() {
        Some(block) => {
            let (name, line) = (block.name, block.line);
            Err(template_error(line, format!("block '{name}' opened at line {line} is never closed")))
        }
        None => Ok(walk.shape),
    }
}

/// The indexes of the `{{#each}}` pieces whose content uses `@key`: they iterate over an object. Blocks may nest to any
/// depth here, so each open block stores the innermost enclosing `{{#each}}`.
fn keyed_blocks(pieces: &[Piece<'_>]) -> HashSet<usize> {
    let (mut keyed, mut open) = (HashSet::new(), Vec::<Option<usize>>::new());
    for (at, piece) in pieces.iter().enumerate() {
        let Piece::Tag { sigil, content, .. } = piece else { continue };
        let each = open.last().copied().flatten();
        if matches!(sigil, Sigil::Section | Sigil::Inverted | Sigil::Plain | Sigil::Unescaped) {
            keyed.extend(each.filter(|_| content.contains("@key")));
        }
        match sigil {
            Sigil::Section | Sigil::Inverted => open.push(if content.starts_with("each ") { Some(at) } else { each }),
            Sigil::Close => drop(open.pop()),
            _ => {}
        }
    }
    keyed
}

/// Whether the template has a value or a block.
pub(crate) fn has_placeholders(text: &str) -> bool {
    let is_asking = |piece: &Piece<'_>| {
        let sigils = [Sigil::Plain, Sigil::Unescaped, Sigil::Section, Sigil::Inverted];
        matches!(piece, Piece::Tag { sigil, content, .. } if sigils.contains(sigil) && *content != "else")
    };
    pieces(text, Dialect::Handlebars).is_ok_and(|(pieces, _)| pieces.iter().any(is_asking))
}

struct HandlebarsUses<'a> {
    shape: VariableUses,
    blocks: Vec<OpenBlock<'a>>,
}

impl<'a> HandlebarsUses<'a> {
    fn base(&self) -> Vec<PathStep> {
        self.blocks.last().map(|block| block.base.clone()).unwrap_or_default()
    }

    /// The path of a named value; `None` for literals, item metadata and block parameters.
    fn path(&self, name: &str) -> Option<Vec<PathStep>> {
        let is_literal = name.starts_with(|c: char| c == '"' || c == '\'' || c == '-' || c.is_ascii_digit());
        if is_literal || matches!(name, "true" | "false" | "null" | "undefined") {
            return None;
        }
        let mut base = self.base();
        let mut rest = name;
        if let Some(from_root) = name.strip_prefix("@root.").or(name.strip_prefix("@root/")) {
            (base, rest) = (Vec::new(), from_root);
        } else if name.starts_with('@') {
            return None;
        }
        let mut up = 0;
        while let Some(outer) = rest.strip_prefix("../") {
            rest = outer;
            up += 1;
        }
        if up > 0 {
            let outer = self.blocks.iter().rev().map(|block| &block.base);
            let mut bases: Vec<Vec<PathStep>> = Vec::new();
            for step in outer.cloned().chain([Vec::new()]) {
                if bases.last() != Some(&step) {
                    bases.push(step);
                }
            }
            base = bases.into_iter().nth(up).unwrap_or_default();
        }
        let rest =
            rest.strip_prefix("this.").or(rest.strip_prefix("this/")).or(rest.strip_prefix("./")).unwrap_or(rest);
        let rest = if matches!(rest, "this" | "." | "..") { "" } else { rest };
        let parts = segments(rest);
        let (mut fields, mut is_own) = (parts.as_slice(), false);
        if let Some((first, others)) = parts.split_first().filter(|_| up == 0) {
            // Only the start of a path is a block parameter.
            let named = self.blocks.iter().rev().find(|block| rest == name && block.params.contains(first));
            if let Some(block) = named {
                if block.keyed || block.params.first() != Some(first) {
                    return None;
                }
                (base, fields, is_own) = (block.base.clone(), others, true);
            } else if base.last() == Some(&PathStep::Item) && matches!(*first, "first" | "last") && others.is_empty() {
                return None;
            }
        }
        let unknown = self.blocks.last().is_some_and(|block| block.keyed);
        if unknown && up == 0 && !is_own && !name.starts_with("@root") {
            return None;
        }
        extend(&mut base, fields);
        Some(base)
    }

    fn record(&mut self, name: &str, what: Usage, needed: bool) {
        let Some(path) = self.path(name) else { return };
        let guards = || self.blocks.iter().filter_map(|block| block.guard.as_ref());
        let needs = |path: &[PathStep]| needed && !guards().any(|guard| path.starts_with(guard));
        // A field of `xs.[0]` needs the list.
        let list = path.iter().rposition(|step| *step == PathStep::Item).and_then(|at| path.get(..at));
        for (path, what) in list.map(|list| (list, Usage::Iterate)).into_iter().chain([(path.as_slice(), what)]) {
            self.shape.record(path, what, needs(path));
        }
    }

    /// `name`, or a helper with its arguments.
    fn value(&mut self, content: &'a str) {
        let words = words(content);
        match words.as_slice() {
            [TagWord::Plain("lookup"), TagWord::Plain(of), key] => self.lookup(of, key),
            [TagWord::Plain(name)] => self.record(name, Usage::Print, true),
            [_, args @ ..] => self.arguments(args),
            [] => {}
        }
    }

    fn arguments(&mut self, args: &[TagWord<'a>]) {
        for arg in args {
            if let TagWord::Plain(word) = arg {
                self.record(argument(word), Usage::Print, true);
            }
        }
    }

    /// `lookup of key`: a field, if the key is a literal.
    fn lookup(&mut self, of: &str, key: &TagWord<'_>) {
        let TagWord::Plain(key) = *key else { return };
        match key.strip_prefix(['"', '\'']).map(|key| key.trim_end_matches(['"', '\''])) {
            Some(field) => self.record(&format!("{of}.[{field}]"), Usage::Print, true),
            None if key == "@index" || key.starts_with(|c: char| c.is_ascii_digit()) => {
                self.record(of, Usage::Iterate, true);
            }
            None => {
                self.record(of, Usage::Look, true);
                self.record(key, Usage::Print, true);
            }
        }
    }

    fn open(&mut self, content: &'a str, line: usize, inverted: bool, keyed: bool) -> Result<(), Error> {
        if self.blocks.len() >= NESTING {
            return Err(error_at(line, format!("blocks nest deeper than {NESTING}")));
        }
        let (call, params) = match content.split_once(" as |") {
            Some((call, params)) => {
                (call, params.trim_end_matches('|').split_whitespace().take(BLOCK_PARAMS).collect())
            }
            None => (content, Vec::new()),
        };
        let words = words(call);
        let Some((TagWord::Plain(name), args)) = words.split_first() else {
            return Err(error_at(line, "empty tag"));
        };
        let mut block = OpenBlock { name, line, base: self.base(), guard: None, params, keyed, branches: 0 };
        match (*name, args) {
            ("if", [TagWord::Plain(test), ..]) => {
                self.record(test, Usage::Test, false);
                block.guard = self.path(test);
            }
            ("unless", [TagWord::Plain(test), ..]) => self.record(test, Usage::Test, false),
            ("each", [TagWord::Plain(list)]) => self.enter_items(list, &mut block),
            ("with", [TagWord::Plain(object)]) => {
                self.record(object, Usage::Look, true);
                block.base = self.path(object).unwrap_or_default();
            }
            // A partial with fallback content; its closing tag has the partial's name.
            (">", [TagWord::Plain(partial), ..]) => block.name = partial,
            (_, []) if inverted => self.record(name, Usage::Test, false),
            (_, []) => self.enter_items(name, &mut block),
            (_, args) => self.arguments(args),
        }
        self.blocks.push(block);
        Ok(())
    }

    fn enter_items(&mut self, list: &str, block: &mut OpenBlock<'a>) {
        self.record(list, if block.keyed { Usage::Look } else { Usage::Iterate }, true);
        if let Some(mut path) = self.path(list) {
            path.push(PathStep::Item);
            block.base = path;
        }
    }

    fn otherwise(&mut self, content: &'a str, line: usize) -> Result<(), Error> {
        let outer = self.blocks.len().checked_sub(2).and_then(|at| self.blocks.get(at));
        let keyed_outside = outer.is_some_and(|block| block.keyed);
        let base = outer.map(|block| block.base.clone()).unwrap_or_default();
        match self.blocks.last_mut() {
            Some(block) => {
                block.guard = None;
                block.base = base;
                block.params.clear();
                block.keyed = keyed_outside;
            }
            None => return Err(template_error(line, format!("'else' at line {line} is outside a block"))),
        }
        let words = words(content);
        if words.len() > 1 {
            self.branch(line)?;
        }
        match words.as_slice() {
            [_, TagWord::Plain("if" | "unless"), TagWord::Plain(test)] => self.record(test, Usage::Test, false),
            [_, _, args @ ..] => self.arguments(args),
            _ => {}
        }
        Ok(())
    }

    fn branch(&mut self, line: usize) -> Result<(), Error> {
        if let Some(block) = self.blocks.last_mut() {
            block.branches += 1;
        }
        if self.blocks.iter().map(|block| block.branches).sum::<usize>() > CHAIN {
            return Err(template_error(line, format!("the block at line {line} chains more than {CHAIN} branches")));
        }
        Ok(())
    }

    fn close(&mut self, name: &str, line: usize) -> Result<(), Error> {
        let Some(block) = self.blocks.pop() else {
            return Err(template_error(line, format!("block '{name}' is closed at line {line} but was never opened")));
        };
        if block.name == name {
            return Ok(());
        }
        let (opened, from) = (block.name, block.line);
        Err(error_at(line, format!("block '{opened}' of line {from} is closed by '{name}'")))
    }
}
