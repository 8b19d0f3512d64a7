//! Mustache, evaluated by our own code over the nodes of [`crate::mustache`], with the semantics of the required
//! modules of the official specification. ramhorns is not used for rendering: its trimming of line ends, its escaping,
//! and its lack of dotted names, item metadata and limits would each need a workaround. It is only an oracle in the
//! tests: on templates that both support, both must produce the same text.
//!
//! Neither sections nor partials recurse; open ones are on an explicit stack. `""` and `0` are false, as in the
//! specification's `!!data`; lists and objects are printed as JSON.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

use serde_json::Value;

use super::Rendered;
use super::limits::{FUEL, OUTPUT_BYTES, PARTIAL_DEPTH, out_of_fuel, output_too_large};
use super::mustache_context::{ContextFrame, Contexts, is_truthy};
use crate::error::{hint, template_error};
use crate::limits::WARNINGS;
use crate::mustache::{Node, ParsedMustache, is_path, parse};
use refdesk_text::Error;
use refdesk_text::nearest::nearest;

/// A parsed template with its partials.
pub(super) struct CompiledMustache<'t> {
    templates: Vec<ParsedMustache<'t>>,
    /// Indexes of the partials in `templates`, by name.
    by_name: HashMap<&'t str, usize>,
}

impl<'t> CompiledMustache<'t> {
    /// Parses a template and its partials; line numbers are those of the texts.
    ///
    /// # Errors
    ///
    /// The template or a partial does not parse.
    pub(super) fn new(text: &'t str, partials: impl Iterator<Item = (&'t str, &'t str)>) -> Result<Self, Error> {
        let (mut templates, mut by_name) = (vec![parse(text)?], HashMap::new());
        for (name, text) in partials {
            by_name.insert(name, templates.len());
            templates.push(parse(text).map_err(|error| stop(format!("partial '{name}': {}", error.message)))?);
        }
        Ok(Self { templates, by_name })
    }

    /// Renders the template; `html` turns on escaping.
    ///
    /// # Errors
    ///
    /// A limit is exceeded.
    pub(super) fn render(&self, values: &Value, html: bool) -> Result<Rendered, Error> {
        let mut run = Run {
            compiled: self,
            html,
            contexts: Contexts::new(values),
            calls: vec![MustacheCall::default()],
            at_line_start: false,
            out: String::new(),
            warnings: Vec::new(),
            warned: HashSet::new(),
            fuel: FUEL,
        };
        for (line, sentence) in self.templates.first().map(|main| main.warnings.as_slice()).unwrap_or_default() {
            run.warn(format!("{sentence} (line {line})"));
        }
        while run.step()? {}
        Ok(Rendered { text: run.out, warnings: run.warnings })
    }
}

fn stop(message: String) -> Error {
    template_error(None, message)
}

/// A template or partial being evaluated.
#[derive(Default)]
struct MustacheCall<'a> {
    template: usize,
    at: usize,
    /// White space to put before each of its lines.
    indent: String,
    /// Whether its tag was alone on its line.
    standalone: bool,
    sections: Vec<OpenSection<'a>>,
}

/// A section being evaluated; it has pushed one context.
struct OpenSection<'a> {
    /// The node that opened it.
    open: usize,
    /// The list it iterates over, and the index of the next item.
    items: &'a [Value],
    next: usize,
}

struct Run<'a, 'p> {
    compiled: &'p CompiledMustache<'p>,
    html: bool,
    contexts: Contexts<'a>,
    calls: Vec<MustacheCall<'a>>,
    /// Whether the current line of an indented partial is still empty.
    at_line_start: bool,
    out: String,
    warnings: Vec<String>,
    warned: HashSet<(usize, usize, &'p str)>,
    fuel: u64,
}

impl<'a, 'p> Run<'a, 'p> {
    /// Evaluates one node; returns false at the end.
    fn step(&mut self) -> Result<bool, Error> {
        self.count_steps(1)?;
        let Some(call) = self.calls.last_mut() else { return Ok(false) };
        let (template, at) = (call.template, call.at);
        call.at += 1;
        let compiled = self.compiled;
        match compiled.templates.get(template).and_then(|parsed| parsed.nodes.get(at)) {
            Some(Node::Text(text)) => self.text(text)?,
            Some(Node::Value { name, escaped, line }) => self.value(name, *escaped, *line)?,
            Some(Node::Open { name, inverted, end, line }) => {
                // A section tests its value, so that only a name which no value can have is reported.
                if *name != "." && !is_path(name) {
                    self.undefined(name, *line);
                }
                self.open(name, *inverted, at, *end)?;
            }
            Some(Node::Close) => self.close(at),
            Some(Node::Partial { name, indent, line }) => self.partial(name, *indent, *line)?,
            None => self.leave(),
        }
        Ok(true)
    }

    fn count_steps(&mut self, steps: u64) -> Result<(), Error> {
        self.fuel = self.fuel.checked_sub(steps).ok_or_else(|| stop(out_of_fuel()))?;
        Ok(())
    }

    fn push(&mut self, text: &str) -> Result<(), Error> {
        if self.out.len() + text.len() > OUTPUT_BYTES {
            return Err(stop(output_too_large()));
        }
        self.out.push_str(text);
        Ok(())
    }

    fn indent(&mut self) -> Result<(), Error> {
        if std::mem::take(&mut self.at_line_start)
            && let Some(indent) = self.calls.last().map(|call| call.indent.clone())
        {
            self.push(&indent)?;
        }
        Ok(())
    }

    fn text(&mut self, text: &str) -> Result<(), Error> {
        if self.calls.last().is_none_or(|call| call.indent.is_empty()) {
            return self.push(text);
        }
        for line in text.split_inclusive('\n') {
            self.indent()?;
            self.push(line)?;
            self.at_line_start = line.ends_with('\n');
        }
        Ok(())
    }

    fn value(&mut self, name: &'p str, escaped: bool, line: usize) -> Result<(), Error> {
        self.indent()?;
        self.count_steps(self.contexts.depth())?;
        match self.contexts.find(name).as_deref() {
            Some(Value::String(text)) => self.print(text, escaped),
            Some(Value::Null) => Ok(()),
            Some(value) => self.print(&value.to_string(), escaped),
            None => {
                self.undefined(name, line);
                Ok(())
            }
        }
    }

    fn print(&mut self, text: &str, escaped: bool) -> Result<(), Error> {
        if !(self.html && escaped) {
            return self.push(text);
        }
        let escapes = [('&', "&amp;"), ('<', "&lt;"), ('>', "&gt;"), ('"', "&quot;")];
        let mut rest = text;
        while let Some(at) = rest.find(['&', '<', '>', '"']) {
            let (before, after) = rest.split_at(at);
            self.push(before)?;
            for (plain, escape) in escapes {
                if let Some(after) = after.strip_prefix(plain) {
                    self.push(escape)?;
                    rest = after;
                }
            }
        }
        self.push(rest)
    }

    fn open(&mut self, name: &'p str, inverted: bool, at: usize, end: usize) -> Result<(), Error> {
        self.count_steps(self.contexts.depth())?;
        let found = self.contexts.find(name);
        let Some(call) = self.calls.last_mut() else { return Ok(()) };
        match found.filter(|value| is_truthy(value)) {
            Some(value) if !inverted => {
                let items: &'a [Value] = if let Cow::Borrowed(Value::Array(items)) = value { items } else { &[] };
                self.contexts.push(match items.first() {
                    Some(item) => ContextFrame::item(item, 0, items.len()),
                    None => ContextFrame::of(value),
                });
                call.sections.push(OpenSection { open: at, items, next: 1 });
            }
            None if inverted => {
                self.contexts.push_top();
                call.sections.push(OpenSection { open: at, items: &[], next: 0 });
            }
            _ => call.at = end + 1,
        }
        Ok(())
    }

    fn close(&mut self, at: usize) {
        self.contexts.pop();
        let Some(call) = self.calls.last_mut() else { return };
        let Some(section) = call.sections.last_mut() else { return };
        match section.items.get(section.next) {
            Some(item) => {
                self.contexts.push(ContextFrame::item(item, section.next, section.items.len()));
                section.next += 1;
                call.at = section.open + 1;
            }
            None => {
                call.sections.pop();
                call.at = at + 1;
            }
        }
    }

    fn partial(&mut self, name: &'p str, indent: Option<&str>, line: usize) -> Result<(), Error> {
        let Some(place) = self.compiled.by_name.get(name).copied() else {
            self.warn_once(name, line, || format!("unknown partial '{name}' at line {line}"));
            return Ok(());
        };
        if self.calls.len() > PARTIAL_DEPTH {
            return Err(stop(format!("partial '{name}' nests deeper than the limit of {PARTIAL_DEPTH} partials")));
        }
        let around = self.calls.last().map(|call| call.indent.as_str()).unwrap_or_default();
        let full = indent.map(|own| format!("{around}{own}"));
        if full.is_none() {
            self.indent()?;
        }
        let standalone = full.is_some();
        let indent = full.unwrap_or_default();
        self.at_line_start = !indent.is_empty();
        self.calls.push(MustacheCall { template: place, indent, standalone, ..MustacheCall::default() });
        Ok(())
    }

    fn leave(&mut self) {
        let standalone = self.calls.pop().is_some_and(|call| call.standalone);
        self.at_line_start = standalone && self.calls.last().is_some_and(|call| !call.indent.is_empty());
    }

    fn undefined(&mut self, name: &'p str, line: usize) {
        let head = name.split('.').find(|part| !part.is_empty()).unwrap_or(name);
        let known = self.contexts.names();
        let hint = hint(nearest(head, known));
        self.warn_once(name, line, || format!("undefined variable '{name}' at line {line}{hint}"));
    }

    fn warn_once(&mut self, name: &'p str, line: usize, sentence: impl FnOnce() -> String) {
        let template = self.calls.last().map_or(0, |call| call.template);
        if self.warnings.len() < WARNINGS && self.warned.insert((template, line, name)) {
            let within = self.compiled.by_name.iter().find(|(_, place)| **place == template);
            let within = within.map(|(partial, _)| format!("partial '{partial}': ")).unwrap_or_default();
            self.warn(format!("{within}{}", sentence()));
        }
    }

    fn warn(&mut self, sentence: String) {
        if self.warnings.len() < WARNINGS {
            self.warnings.push(sentence);
        }
    }
}
