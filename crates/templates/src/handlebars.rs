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

/// The end of a path to the length of a list or text.
const LENGTH: &str = "length";

struct OpenBlock<'a> {
    name: &'a str,
    line: usize,
    /// What the block enters; `None` if names mean the same as outside it, as in `if`.
    scope: Option<Scope<'a>>,
    /// Paths that are defined inside the block.
    guard: Option<Vec<PathStep>>,
    /// The number of `else if` branches; the engine nests each in the previous one.
    branches: usize,
}

/// A value or item that a block enters: one level for `..`, even if it is the value of the level around it.
struct Scope<'a> {
    /// The path below which names are looked up; `None` if nothing is known about the value, such as each value of an
    /// object that is iterated by key.
    base: Option<Vec<PathStep>>,
    /// `as |item index|`: the first is the value itself, the others are metadata.
    params: Vec<&'a str>,
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
    let mut walk = HandlebarsUses { shape: VariableUses::default(), lengths: Vec::new(), blocks: Vec::new() };
    for (at, piece) in pieces.into_iter().enumerate() {
        let Piece::Tag { sigil, content, line, .. } = piece else { continue };
        if sigil != Sigil::Comment {
            brackets(content, line)?;
        }
        if let Some(call) = after_else(sigil, content) {
            walk.otherwise(call, line, keyed.contains(&at))?;
            continue;
        }
        match sigil {
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
        None => Ok(walk.finish()),
    }
}

/// What follows `else`: a block that is entered instead, or nothing; `None` for another tag.
fn after_else(sigil: Sigil, content: &str) -> Option<&str> {
    match sigil {
        Sigil::Plain => {
            let call = content.strip_prefix("else")?;
            (call.is_empty() || call.starts_with(char::is_whitespace)).then_some(call.trim_start())
        }
        Sigil::Inverted => Some(content).filter(|content| content.is_empty()),
        _ => None,
    }
}

/// The indexes of the `{{#each}}` and `{{else each}}` pieces whose content uses `@key`: they iterate over an object.
/// Blocks may nest to any depth here, so each open block stores the innermost enclosing `each`.
fn keyed_blocks(pieces: &[Piece<'_>]) -> HashSet<usize> {
    let (mut keyed, mut open) = (HashSet::new(), Vec::<Option<usize>>::new());
    for (at, piece) in pieces.iter().enumerate() {
        let Piece::Tag { sigil, content, .. } = piece else { continue };
        let branch = after_else(*sigil, content);
        if branch.is_some() || *sigil == Sigil::Close {
            open.pop();
        }
        let each = open.last().copied().flatten();
        if matches!(sigil, Sigil::Section | Sigil::Inverted | Sigil::Plain | Sigil::Unescaped) {
            keyed.extend(each.filter(|_| content.contains("@key")));
        }
        let opened = matches!(sigil, Sigil::Section | Sigil::Inverted).then_some(*content);
        if let Some(call) = branch.or(opened) {
            open.push(if call.split_whitespace().next() == Some("each") { Some(at) } else { each });
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
    /// Lengths of values: the path of each value, how the length is used, and whether it is needed.
    lengths: Vec<(Vec<PathStep>, Usage, bool)>,
    blocks: Vec<OpenBlock<'a>>,
}

impl<'a> HandlebarsUses<'a> {
    /// The path of a named value; `None` for literals, item metadata and values about which nothing is known.
    fn path(&self, name: &str) -> Option<Vec<PathStep>> {
        let is_literal = name.starts_with(|c: char| c == '"' || c == '\'' || c == '-' || c.is_ascii_digit());
        if is_literal || matches!(name, "true" | "false" | "null" | "undefined") {
            return None;
        }
        let from_root = name.strip_prefix("@root").filter(|rest| rest.is_empty() || rest.starts_with(['.', '/']));
        if from_root.is_none() && name.starts_with('@') {
            return None;
        }
        let (mut rest, mut up) = (from_root.map_or(name, |rest| rest.trim_start_matches(['.', '/'])), 0);
        while let Some(outer) = rest.strip_prefix("../") {
            rest = outer;
            up += 1;
        }
        rest = rest.strip_prefix("this.").or(rest.strip_prefix("this/")).or(rest.strip_prefix("./")).unwrap_or(rest);
        if rest == ".." {
            rest = "";
            up += 1;
        }
        let rest = if matches!(rest, "this" | ".") { "" } else { rest };
        let parts = segments(rest);
        let scopes = || self.blocks.iter().rev().filter_map(|block| block.scope.as_ref());
        // Only the start of a path is a block parameter.
        if let Some((first, fields)) = parts.split_first()
            && let Some(scope) = scopes().find(|scope| rest == name && scope.params.contains(first))
        {
            let mut path = scope.base.clone().filter(|_| scope.params.first() == Some(first))?;
            extend(&mut path, fields);
            return Some(path);
        }
        let mut path = Vec::new();
        if from_root.is_none() {
            let root = Some(Vec::new());
            let bases: Vec<_> = scopes().map(|scope| &scope.base).chain([&root]).collect();
            // Above the outermost level, the engine looks in the innermost.
            path = bases.get(up).or(bases.first()).and_then(|base| (*base).clone())?;
        }
        if path.last() == Some(&PathStep::Item) && matches!(parts.as_slice(), ["first" | "last"]) && up == 0 {
            return None;
        }
        extend(&mut path, &parts);
        Some(path)
    }

    /// The path of a named value, or of the value whose length is named, and which of them it is.
    fn path_or_measured(&self, name: &str) -> Option<(Vec<PathStep>, bool)> {
        let mut path = self.path(name)?;
        let is_length = path.len() > 1 && name.strip_suffix(LENGTH).is_some_and(|of| of.ends_with('.'));
        if is_length {
            path.pop();
        }
        Some((path, is_length))
    }

    fn record(&mut self, name: &str, what: Usage, needed: bool) {
        let Some((path, is_length)) = self.path_or_measured(name) else { return };
        let guards = || self.blocks.iter().filter_map(|block| block.guard.as_ref());
        let needs = |path: &[PathStep]| needed && !guards().any(|guard| path.starts_with(guard));
        let what = if is_length {
            self.lengths.push((path.clone(), what, needs(&path)));
            Usage::Measure
        } else {
            what
        };
        // A field of `xs.[0]` needs the list.
        let list = path.iter().rposition(|step| *step == PathStep::Item).and_then(|at| path.get(..at));
        for (path, what) in list.map(|list| (list, Usage::Iterate)).into_iter().chain([(path.as_slice(), what)]) {
            self.shape.record(path, what, needs(path));
        }
    }

    /// The variables. `length` is a field only of an object.
    fn finish(mut self) -> VariableUses {
        for (mut path, what, needed) in self.lengths {
            if self.shape.is_object(&path) {
                path.push(PathStep::Field(LENGTH.to_owned()));
                self.shape.record(&path, what, needed);
            }
        }
        self.shape
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
        let mut block = OpenBlock { name: "", line, scope: None, guard: None, branches: 0 };
        block.name = self.enter(content, inverted, keyed, &mut block).ok_or_else(|| error_at(line, "empty tag"))?;
        self.blocks.push(block);
        Ok(())
    }

    /// Records the uses in the opening tag of a block or branch, and what the block then enters. Returns the name in its
    /// closing tag.
    fn enter(&mut self, content: &'a str, inverted: bool, keyed: bool, block: &mut OpenBlock<'a>) -> Option<&'a str> {
        let (call, params) = match content.split_once(" as |") {
            Some((call, params)) => {
                (call, params.trim_end_matches('|').split_whitespace().take(BLOCK_PARAMS).collect())
            }
            None => (content, Vec::new()),
        };
        let words = words(call);
        let Some((TagWord::Plain(name), args)) = words.split_first() else { return None };
        match (*name, args) {
            ("if" | "unless", [TagWord::Plain(test), ..]) => {
                self.record(test, Usage::Test, false);
                let guards = (*name == "if") != inverted;
                block.guard = self.path_or_measured(test).filter(|_| guards).map(|(path, _)| path);
            }
            ("each", [TagWord::Plain(list)]) => block.scope = Some(self.items(list, keyed, params)),
            ("with", [TagWord::Plain(object)]) => {
                self.record(object, Usage::Look, true);
                block.scope = Some(Scope { base: self.entered(object), params });
            }
            // A partial with fallback content; its closing tag has the partial's name.
            (">", [TagWord::Plain(partial), ..]) => return Some(*partial),
            (_, []) if inverted => self.record(name, Usage::Test, false),
            // `@first` and `@last` are true or false, which the engine does not enter.
            (_, []) if name.starts_with('@') && !name.starts_with("@root") => {}
            (_, []) => block.scope = Some(self.items(name, keyed, params)),
            (_, args) => self.arguments(args),
        }
        Some(*name)
    }

    /// The path of a value that a block enters. The length of a list has no fields.
    fn entered(&self, name: &str) -> Option<Vec<PathStep>> {
        self.path_or_measured(name).filter(|(_, is_length)| !is_length).map(|(path, _)| path)
    }

    fn items(&mut self, list: &str, keyed: bool, params: Vec<&'a str>) -> Scope<'a> {
        let path = self.entered(list);
        // A loop over all values uses each, also by its key.
        let is_object = keyed && path.as_ref().is_none_or(|path| !path.is_empty());
        self.record(list, if is_object { Usage::Look } else { Usage::Iterate }, true);
        let path = path.filter(|_| !keyed);
        let base = path.map(|mut path| {
            path.push(PathStep::Item);
            path
        });
        Scope { base, params }
    }

    /// Goes on with another branch of a block: `call` is what follows `else`.
    fn otherwise(&mut self, call: &'a str, line: usize, keyed: bool) -> Result<(), Error> {
        let Some(mut block) = self.blocks.pop() else {
            return Err(template_error(line, format!("'else' at line {line} is outside a block")));
        };
        (block.scope, block.guard) = (None, None);
        if self.enter(call, false, keyed, &mut block).is_some() {
            block.branches += 1;
        }
        self.blocks.push(block);
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
