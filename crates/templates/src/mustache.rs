//! A Mustache template as a flat list of nodes. Sections store the index of their end, so neither parsing nor
//! evaluating recurses. `render::mustache` evaluates the list, and [`uses`] finds its variables.

use std::collections::{HashMap, HashSet};

use super::limits::NESTING;
use super::tags::{Dialect, Piece, Sigil, pieces};
use super::usage::{PathStep, Usage, VariableUses, extend};
use crate::error::{error_at, template_error};
use refdesk_text::{Code, Error};

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Node<'a> {
    /// Printed unchanged.
    Text(&'a str),
    /// A value, by its dotted name; `.` is the item itself.
    Value {
        name: &'a str,
        /// Whether HTML is escaped when escaping is on.
        escaped: bool,
        /// Line, from 1.
        line: usize,
    },
    Open {
        name: &'a str,
        /// `{{^name}}`: rendered if the value is missing, false or empty.
        inverted: bool,
        /// Index of its [`Node::Close`].
        end: usize,
        /// Line, from 1.
        line: usize,
    },
    Close,
    Partial {
        name: &'a str,
        /// White space to put before each of its lines; `None` if it shares its line.
        indent: Option<&'a str>,
        /// Line, from 1.
        line: usize,
    },
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct ParsedMustache<'a> {
    pub nodes: Vec<Node<'a>>,
    /// Warnings: a line and a message.
    pub warnings: Vec<(usize, String)>,
}

impl<'a> ParsedMustache<'a> {
    /// The names of values and sections, with their lines.
    fn names(&self) -> impl Iterator<Item = (&'a str, usize)> {
        self.nodes.iter().filter_map(|node| match node {
            Node::Value { name, line, .. } | Node::Open { name, line, .. } => Some((*name, *line)),
            _ => None,
        })
    }
}

/// Names that every item of a list has, unless the item has its own value (BEHAVIOUR §6).
pub(crate) const ITEM_METADATA: [&str; 3] = ["first", "last", "@index"];

/// Parses a template.
///
/// # Errors
///
/// Unclosed or mismatched sections and tags, and sections nested deeper than [`NESTING`]; with the line.
pub(crate) fn parse(text: &str) -> Result<ParsedMustache<'_>, Error> {
    let (pieces, warnings) = pieces(text, Dialect::Mustache)?;
    let mut nodes: Vec<Node<'_>> = Vec::with_capacity(pieces.len());
    let mut open: Vec<(usize, &str, usize)> = Vec::new();
    for piece in pieces {
        let (sigil, name, line, standalone) = match piece {
            Piece::Text(range) => {
                nodes.push(Node::Text(text.get(range).unwrap_or_default()));
                continue;
            }
            Piece::Tag { sigil, content, line, standalone } => (sigil, content, line, standalone),
        };
        match sigil {
            Sigil::Plain | Sigil::Unescaped => nodes.push(Node::Value { name, escaped: sigil == Sigil::Plain, line }),
            Sigil::Section | Sigil::Inverted => {
                open.push((nodes.len(), name, line));
                if open.len() > NESTING {
                    return Err(error_at(line, format!("sections nest deeper than {NESTING}")));
                }
                nodes.push(Node::Open { name, inverted: sigil == Sigil::Inverted, end: 0, line });
            }
            Sigil::Close => {
                let (at, opened, from) = open.pop().ok_or_else(|| {
                    template_error(line, format!("section '{name}' is closed at line {line} but was never opened"))
                })?;
                if opened != name {
                    return Err(template_error(
                        line,
                        format!("section '{opened}' of line {from} is closed by '{name}' at line {line}"),
                    ));
                }
                let close = nodes.len();
                if let Some(Node::Open { end, .. }) = nodes.get_mut(at) {
                    *end = close;
                }
                nodes.push(Node::Close);
            }
            Sigil::Partial => nodes.push(Node::Partial { name, indent: standalone, line }),
            Sigil::Comment | Sigil::Delimiters => {}
        }
    }
    match open.pop() {
        Some((_, name, line)) => {
            Err(template_error(line, format!("section '{name}' opened at line {line} is never closed")))
        }
        None => Ok(ParsedMustache { nodes, warnings }),
    }
}

/// Whether the template has a value or a section.
pub(crate) fn has_placeholders(text: &str) -> bool {
    let Ok(parsed) = parse(text) else { return false };
    parsed.names().any(|(name, _)| name == "." || is_path(name))
}

/// The first tag of Go's templates, which Helm uses, in a text that is read as Mustache and has no tag that only Mustache has.
pub(crate) fn go_tag(text: &str) -> Option<Error> {
    let is_of_mustache = |piece: &Piece| matches!(piece, Piece::Tag { sigil, .. } if *sigil != Sigil::Plain);
    if pieces(text, Dialect::Mustache).ok()?.0.iter().any(is_of_mustache) {
        return None;
    }
    let parsed = parse(text).ok()?;
    let (name, line) = parsed.names().find(|(name, _)| is_of_go(name))?;
    let message = format!("'{name}' at line {line} is of a Go template, which is not supported");
    Some(Error { code: Code::TemplateAmbiguous, ..template_error(line, message) })
}

/// Whether a name is a tag of Go's templates: `.Name`, `range .Items`, `$name`, `- end`.
fn is_of_go(name: &str) -> bool {
    if name.starts_with('$') || name.starts_with("- ") || name.ends_with(" -") {
        return true;
    }
    let follows_blank = name.split('.').rev().skip(1).any(|part| part.ends_with(char::is_whitespace));
    follows_blank || (name.starts_with('.') && !name.starts_with("..") && name != ".")
}

/// Whether each part of a dotted name can be the name of a value: not in `.`, `.a`, `a..b`, `../a` and `range .a`.
pub(crate) fn is_path(name: &str) -> bool {
    name.split('.').all(|part| !part.is_empty() && part.trim() == part)
}

/// The parts of a dotted name; the item itself and anything that is not a name have none.
fn parts(name: &str) -> Vec<&str> {
    if is_path(name) { name.split('.').collect() } else { Vec::new() }
}

/// The most names reported for one template.
const REPORTED: usize = 20;

/// The names that begin with `../`, each once, with its first line: they are Handlebars, and no value has them.
pub(crate) fn parent_paths(text: &str) -> Vec<Error> {
    let Ok(parsed) = parse(text) else { return Vec::new() };
    let mut seen = HashSet::new();
    let paths = parsed.names().filter(|(name, _)| name.starts_with("../") && seen.insert(*name));
    let error = |(name, line): (&str, usize)| {
        let plain = name.trim_start_matches("../");
        let message = format!("'{name}' at line {line} is Handlebars; Mustache finds '{plain}' in outer objects too");
        template_error(line, message)
    };
    paths.take(REPORTED).map(error).collect()
}

/// The most partials expanded one in another, and the most nodes after which none is expanded. What is left out has no
/// variables.
const EXPANDED_LEVELS: usize = 10;
const EXPANDED_NODES: usize = 20_000;

/// A template's nodes with those of its partials in place of their tags. A partial is not expanded within itself. The
/// ends of sections are not valid.
pub(crate) fn expanded<'a>(nodes: &'a [Node<'a>], partials: &'a HashMap<&str, ParsedMustache<'a>>) -> Vec<Node<'a>> {
    let (mut expanded, mut visited) = (Vec::new(), 0);
    let mut open = vec![("", nodes.iter())];
    while let Some((_, nodes)) = open.last_mut() {
        visited += 1;
        match nodes.next() {
            Some(Node::Partial { name, .. }) => {
                let is_recursive = open.iter().any(|(around, _)| around == name);
                if !is_recursive && open.len() <= EXPANDED_LEVELS && visited < EXPANDED_NODES {
                    open.extend(partials.get(name).map(|partial| (*name, partial.nodes.iter())));
                }
            }
            Some(node) => expanded.push(node.clone()),
            None => drop(open.pop()),
        }
    }
    expanded
}

/// The variables of a template (BEHAVIOUR §6). A name used only inside a section is a field of its items; a name also used
/// further out is the outer one; names in an inverted section belong to the enclosing scope.
pub(crate) fn uses(nodes: &[Node<'_>]) -> VariableUses {
    let mut scopes = Scopes::new();
    scopes.walk(nodes, |scopes, here, found| {
        if let TagUse::Value(name) | TagUse::Section(name, _) = found
            && let Some(head) = parts(name).first()
        {
            scopes.names.entry(here).or_default().insert((*head).to_owned());
        }
    });
    let mut shape = VariableUses::default();
    scopes.walk(nodes, |scopes, here, found| match found {
        // No value has such a name.
        TagUse::Value(name) if name != "." && !is_path(name) => {}
        TagUse::Value(name) => {
            let path = scopes.resolve(here, name);
            record_list(&mut shape, &path);
            let needed = !scopes.inside_own_section(here, &path);
            shape.record(&path, Usage::Print, needed);
        }
        TagUse::Section(".", None) => shape.record(&[], Usage::Iterate, false),
        TagUse::Section(name, child) => {
            let path = scopes.resolve(here, name);
            record_list(&mut shape, &path);
            shape.record(&path, Usage::Test, false);
            if let Some(child) = child {
                scopes.paths.insert(child, path);
            }
        }
        TagUse::Metadata => {
            if let Some(list) = scopes.paths.get(&here) {
                shape.record(list, Usage::Iterate, true);
            }
        }
    });
    shape
}

/// Records that the section entered by `path` is a list, and required.
fn record_list(shape: &mut VariableUses, path: &[PathStep]) {
    if let Some(list) = path.iter().rposition(|step| *step == PathStep::Item).and_then(|at| path.get(..at)) {
        shape.record(list, Usage::Iterate, true);
    }
}

/// What [`Scopes::walk`] reports.
enum TagUse<'a> {
    Value(&'a str),
    /// A section, with the scope it opens unless it is inverted.
    Section(&'a str, Option<usize>),
    /// `.`, `first`, `last` or `@index` inside a section.
    Metadata,
}

/// Sections as scopes; sections with the same name share a scope. Scope 0 is the template itself.
struct Scopes {
    parents: Vec<usize>,
    children: HashMap<(usize, String), usize>,
    names: HashMap<usize, HashSet<String>>,
    paths: HashMap<usize, Vec<PathStep>>,
}

impl Scopes {
    fn new() -> Self {
        Self {
            parents: vec![0],
            children: HashMap::new(),
            names: HashMap::new(),
            paths: HashMap::from([(0, Vec::new())]),
        }
    }

    fn walk<'a>(&mut self, nodes: &[Node<'a>], mut visit: impl FnMut(&mut Self, usize, TagUse<'a>)) {
        let (mut stack, mut here): (Vec<usize>, usize) = (Vec::new(), 0);
        for node in nodes {
            match node {
                Node::Value { name, .. } if here != 0 && is_metadata(name) => visit(self, here, TagUse::Metadata),
                Node::Value { name, .. } => visit(self, here, TagUse::Value(name)),
                Node::Open { name, inverted, .. } => {
                    stack.push(here);
                    if here != 0 && is_metadata(name) {
                        visit(self, here, TagUse::Metadata);
                    } else if *inverted || *name == "." {
                        visit(self, here, TagUse::Section(name, None));
                    } else {
                        let child = self.child(here, name);
                        visit(self, here, TagUse::Section(name, Some(child)));
                        here = child;
                    }
                }
                Node::Close => here = stack.pop().unwrap_or(0),
                Node::Text(_) | Node::Partial { .. } => {}
            }
        }
    }

    fn child(&mut self, scope: usize, name: &str) -> usize {
        let next = self.parents.len();
        let child = *self.children.entry((scope, name.to_owned())).or_insert(next);
        if child == next {
            self.parents.push(scope);
        }
        child
    }

    /// This scope and its enclosing scopes, the template itself last.
    fn outward(&self, scope: usize) -> impl Iterator<Item = usize> {
        std::iter::successors(Some(scope), |at| if *at == 0 { None } else { self.parents.get(*at).copied() })
    }

    /// The path of `name` seen from `scope`: within the items of the outermost enclosing section in which its first part
    /// occurs.
    fn resolve(&self, scope: usize, name: &str) -> Vec<PathStep> {
        let parts = parts(name);
        let Some(head) = parts.first() else { return Vec::new() };
        let holds = |at: &usize| self.names.get(at).is_some_and(|names| names.contains(*head));
        let owner = self.outward(scope).filter(holds).last().unwrap_or(scope);
        let mut path = self.paths.get(&owner).cloned().unwrap_or_default();
        if owner != 0 {
            path.push(PathStep::Item);
        }
        extend(&mut path, &parts);
        path
    }

    /// Whether `path` equals or is below the value tested by a section around `scope`.
    fn inside_own_section(&self, scope: usize, path: &[PathStep]) -> bool {
        let mut around = self.outward(scope).filter(|at| *at != 0);
        around.any(|at| self.paths.get(&at).is_some_and(|section| path.starts_with(section) && !is_item(path, section)))
    }
}

/// Whether `path` leads from `section` into its items.
fn is_item(path: &[PathStep], section: &[PathStep]) -> bool {
    path.get(section.len()) == Some(&PathStep::Item)
}

fn is_metadata(name: &str) -> bool {
    name == "." || ITEM_METADATA.contains(&name)
}
