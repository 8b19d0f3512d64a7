//! What a Handlebars template asks for, and whether its blocks balance. Rendering is `render::handlebars`; the language
//! shares its tags with Mustache and adds helpers with arguments, `else`, paths with `..` and values that begin with `@`.

use super::ParseError;
use super::limits::{CHAIN, NESTING};
use super::shape::{Shape, Step, What};
use super::tags::{Dialect, Piece, Sigil, pieces};

/// Whether a template may be handed to its engine.
///
/// # Errors
///
/// Unclosed or mismatched blocks and tags, or a limit passed; with the line.
pub fn check(text: &str) -> Result<(), ParseError> {
    uses(text).map(drop)
}

struct Block<'a> {
    name: &'a str,
    line: usize,
    /// Where names are looked up inside.
    base: Vec<Step>,
    /// Paths known to be there inside.
    guard: Option<Vec<Step>>,
    /// `as |item index|`
    params: Vec<&'a str>,
    /// Branches that chain to it: the engine nests each in the one before.
    branches: usize,
}

/// What a template asks for.
///
/// # Errors
///
/// Unclosed or mismatched blocks and tags; blocks and brackets nested deeper than [`NESTING`], more than [`CHAIN`] `else if`
/// in one another; with the line.
pub fn uses(text: &str) -> Result<Shape, ParseError> {
    let (pieces, _) = pieces(text, Dialect::Handlebars)?;
    let mut walk = Walk { shape: Shape::default(), blocks: Vec::new() };
    for piece in pieces {
        let Piece::Tag { sigil, content, line, .. } = piece else { continue };
        if sigil != Sigil::Comment {
            brackets(content, line)?;
        }
        match sigil {
            Sigil::Plain if content == "else" || content.starts_with("else ") => walk.otherwise(content, line)?,
            Sigil::Inverted if content.is_empty() => walk.otherwise("else", line)?,
            Sigil::Plain | Sigil::Unescaped => walk.value(content),
            Sigil::Section => walk.open(content, line, false)?,
            Sigil::Inverted => walk.open(content, line, true)?,
            Sigil::Close => walk.close(content, line)?,
            Sigil::Partial | Sigil::Comment | Sigil::Delimiters => {}
        }
    }
    match walk.blocks.pop() {
        Some(block) => {
            let (name, line) = (block.name, block.line);
            Err(ParseError::at(line, format!("block '{name}' opened at line {line} is never closed")))
        }
        None => Ok(walk.shape),
    }
}

struct Walk<'a> {
    shape: Shape,
    blocks: Vec<Block<'a>>,
}

impl<'a> Walk<'a> {
    fn base(&self) -> Vec<Step> {
        self.blocks.last().map(|block| block.base.clone()).unwrap_or_default()
    }

    /// The way to a named value; `None` for literals, item metadata and block parameters.
    fn path(&self, name: &str) -> Option<Vec<Step>> {
        let is_literal = name.starts_with(|c: char| c == '"' || c == '\'' || c == '-' || c.is_ascii_digit());
        if is_literal || matches!(name, "true" | "false" | "null" | "undefined") {
            return None;
        }
        let mut base = self.base();
        let mut rest = name;
        if let Some(from_root) = name.strip_prefix("@root.") {
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
            let mut bases: Vec<Vec<Step>> = Vec::new();
            for step in outer.cloned().chain([Vec::new()]) {
                if bases.last() != Some(&step) {
                    bases.push(step);
                }
            }
            base = bases.into_iter().nth(up).unwrap_or_default();
        }
        let rest = rest.strip_prefix("this.").or(rest.strip_prefix("./")).unwrap_or(rest);
        let rest = if matches!(rest, "this" | "." | "..") { "" } else { rest };
        let mut parts = rest.split(['.', '/']).filter(|part| !part.is_empty()).peekable();
        if let Some(first) = parts.peek() {
            let is_parameter = self.blocks.iter().any(|block| block.params.contains(first));
            let in_list = base.last() == Some(&Step::Item);
            if up == 0 && (is_parameter || (in_list && matches!(*first, "first" | "last") && rest == *first)) {
                return None;
            }
        }
        base.extend(parts.map(|part| Step::Field(part.trim_matches(['[', ']']).to_owned())));
        Some(base)
    }

    fn record(&mut self, name: &str, what: What, needed: bool) {
        let Some(path) = self.path(name) else { return };
        let guarded = self.blocks.iter().filter_map(|block| block.guard.as_ref()).any(|guard| path.starts_with(guard));
        self.shape.record(&path, what, needed && !guarded);
    }

    /// `name`, or a helper with its arguments.
    fn value(&mut self, content: &str) {
        let words = words(content);
        let skip = usize::from(words.len() > 1);
        for word in words.into_iter().skip(skip) {
            self.record(argument(word), What::Print, true);
        }
    }

    fn open(&mut self, content: &'a str, line: usize, inverted: bool) -> Result<(), ParseError> {
        if self.blocks.len() >= NESTING {
            return Err(ParseError::at(line, format!("blocks nest deeper than {NESTING} at line {line}")));
        }
        let (call, params) = match content.split_once(" as |") {
            Some((call, params)) => (call, params.trim_end_matches('|').split_whitespace().collect()),
            None => (content, Vec::new()),
        };
        let words = words(call);
        let Some((name, args)) = words.split_first() else {
            return Err(ParseError::at(line, format!("empty tag at line {line}")));
        };
        let mut block = Block { name, line, base: self.base(), guard: None, params, branches: 0 };
        match (*name, args.first().copied()) {
            ("if", Some(_)) | ("unless", Some(_)) => {
                for arg in args {
                    self.record(argument(arg), What::Test, false);
                }
                block.guard = args.first().filter(|_| *name == "if").and_then(|arg| self.path(argument(arg)));
            }
            ("each", Some(list)) => self.enter_items(list, &mut block),
            ("with", Some(object)) => {
                self.record(object, What::Look, true);
                block.base = self.path(object).unwrap_or_default();
            }
            (_, None) if inverted => self.record(name, What::Test, false),
            (_, None) => self.enter_items(name, &mut block),
            _ => {
                for arg in args {
                    self.record(argument(arg), What::Print, true);
                }
            }
        }
        self.blocks.push(block);
        Ok(())
    }

    fn enter_items(&mut self, list: &str, block: &mut Block<'a>) {
        self.record(list, What::Iterate, true);
        if let Some(mut path) = self.path(list) {
            path.push(Step::Item);
            block.base = path;
        }
    }

    fn otherwise(&mut self, content: &'a str, line: usize) -> Result<(), ParseError> {
        let outer = self.blocks.len().checked_sub(2).and_then(|at| self.blocks.get(at));
        let base = outer.map(|block| block.base.clone()).unwrap_or_default();
        match self.blocks.last_mut() {
            Some(block) => {
                block.guard = None;
                block.base = base;
                block.params.clear();
            }
            None => return Err(ParseError::at(line, format!("'else' at line {line} stands outside a block"))),
        }
        let words = words(content);
        if words.len() > 1 {
            self.branch(line)?;
        }
        for word in words.into_iter().skip(2) {
            self.record(argument(word), What::Test, false);
        }
        Ok(())
    }

    fn branch(&mut self, line: usize) -> Result<(), ParseError> {
        if let Some(block) = self.blocks.last_mut() {
            block.branches += 1;
        }
        if self.blocks.iter().map(|block| block.branches).sum::<usize>() > CHAIN {
            return Err(ParseError::at(line, format!("the block at line {line} chains more than {CHAIN} branches")));
        }
        Ok(())
    }

    fn close(&mut self, name: &str, line: usize) -> Result<(), ParseError> {
        let Some(block) = self.blocks.pop() else {
            return Err(ParseError::at(line, format!("block '{name}' is closed at line {line} but was never opened")));
        };
        if block.name == name {
            return Ok(());
        }
        let (opened, from) = (block.name, block.line);
        Err(ParseError::at(line, format!("block '{opened}' of line {from} is closed by '{name}' at line {line}")))
    }
}

/// Bounds how deep the brackets of a tag nest, whatever they mean: the engine's parser follows them.
fn brackets(content: &str, line: usize) -> Result<(), ParseError> {
    let (mut depth, mut deepest) = (0_usize, 0_usize);
    for byte in content.bytes() {
        match byte {
            b'(' | b'[' | b'{' => depth += 1,
            b')' | b']' | b'}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        deepest = deepest.max(depth);
    }
    if deepest > NESTING {
        return Err(ParseError::at(line, format!("the tag at line {line} nests deeper than {NESTING}")));
    }
    Ok(())
}

/// The words of a tag; strings stay whole, parentheses fall away.
fn words(content: &str) -> Vec<&str> {
    let (mut words, mut start, mut quote) = (Vec::new(), None, None);
    for (at, c) in content.char_indices() {
        match quote {
            Some(open) if c == open => quote = None,
            Some(_) => {}
            None if c == '"' || c == '\'' => {
                quote = Some(c);
                start = start.or(Some(at));
            }
            None if c.is_whitespace() || matches!(c, '(' | ')' | '~') => {
                words.extend(start.take().and_then(|from| content.get(from..at)));
            }
            None => start = start.or(Some(at)),
        }
    }
    words.extend(start.and_then(|from| content.get(from..)));
    words
}

/// The value of an argument: what stands after `name=`.
fn argument(word: &str) -> &str {
    if word.starts_with(['"', '\'']) { word } else { word.split_once('=').map_or(word, |(_, value)| value) }
}
