//! What the scopes of a syntax definition mean to our themes: a handful of roles, whatever the language.

use std::collections::HashMap;

use syntect::parsing::{Scope, ScopeStack, ScopeStackOp};
use unicode_segmentation::UnicodeSegmentation;

use super::{Span, Spans};
use crate::tui::theme::Role;

/// What a scope says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Says {
    /// This it is.
    Is(Role),
    /// Nothing special, whatever is around it.
    Plain,
    /// Nothing: what is around it counts.
    Nothing,
}

/// The beginnings of scopes, by the naming conventions that syntax definitions follow; the first that fits counts.
const MEANINGS: &[(&str, Says)] = &[
    ("comment", Says::Is(Role::Comment)),
    ("punctuation.definition.comment", Says::Is(Role::Comment)),
    ("keyword.operator.word", Says::Is(Role::Keyword)),
    ("keyword.operator", Says::Plain),
    ("keyword", Says::Is(Role::Keyword)),
    ("storage", Says::Is(Role::Keyword)),
    ("constant.character", Says::Is(Role::Number)),
    ("constant", Says::Is(Role::Number)),
    ("meta.interpolation", Says::Plain),
    ("string.unquoted", Says::Plain),
    ("string", Says::Is(Role::String)),
    ("entity.name.tag", Says::Is(Role::Keyword)),
    ("entity.name.section", Says::Is(Role::Keyword)),
    ("markup.heading", Says::Is(Role::Keyword)),
    ("markup.raw", Says::Is(Role::String)),
    ("entity.name", Says::Is(Role::Function)),
    ("entity.other.attribute-name", Says::Is(Role::Kind)),
    ("entity.other.inherited-class", Says::Is(Role::Kind)),
    ("support.function", Says::Is(Role::Function)),
    ("variable.function", Says::Is(Role::Function)),
    ("variable.annotation", Says::Is(Role::Function)),
    ("support.type", Says::Is(Role::Kind)),
    ("support.class", Says::Is(Role::Kind)),
    ("support.constant", Says::Is(Role::Number)),
    ("variable.language", Says::Is(Role::Keyword)),
];

/// Scopes as they were met.
pub struct Scopes {
    meanings: Vec<(Scope, Says)>,
    known: HashMap<Scope, Says>,
}

impl Default for Scopes {
    fn default() -> Self {
        let meanings = MEANINGS.iter().filter_map(|(name, says)| Some((Scope::new(name).ok()?, *says)));
        Self { meanings: meanings.collect(), known: HashMap::new() }
    }
}

impl Scopes {
    /// The parts of a line, from what changes at which of its bytes; leaves the stack as it is behind the line.
    pub fn spans(&mut self, line: &str, ops: &[(usize, ScopeStackOp)], stack: &mut ScopeStack) -> Spans {
        let mut spans: Vec<Span> = Vec::new();
        let mut start = 0;
        for (at, op) in ops {
            self.add(&mut spans, line, start, *at, stack);
            start = start.max(*at);
            // A definition that pops what it did not push: what is known of the line still holds.
            let _ = stack.apply(op);
        }
        self.add(&mut spans, line, start, line.len(), stack);
        spans.into()
    }

    fn add(&mut self, spans: &mut Vec<Span>, line: &str, start: usize, end: usize, stack: &ScopeStack) {
        let end = whole(line, end.min(line.len()));
        let start = whole(line, start).max(spans.last().map_or(0, |last| last.end as usize));
        let Some(role) = self.role(stack).filter(|_| start < end) else { return };
        let (Ok(start), Ok(end)) = (u32::try_from(start), u32::try_from(end)) else { return };
        match spans.last_mut() {
            Some(last) if last.end == start && last.role == role => last.end = end,
            _ => spans.push(Span { start, end, role }),
        }
    }

    /// The nearest scope that says something.
    fn role(&mut self, stack: &ScopeStack) -> Option<Role> {
        let Self { meanings, known } = self;
        let mut said = stack.as_slice().iter().rev().map(|scope| {
            *known.entry(*scope).or_insert_with(|| {
                let found = meanings.iter().find(|(prefix, _)| prefix.is_prefix_of(*scope));
                found.map_or(Says::Nothing, |(_, says)| *says)
            })
        });
        match said.find(|says| *says != Says::Nothing) {
            Some(Says::Is(role)) => Some(role),
            _ => None,
        }
    }
}

/// The end of the cluster that this byte is in: no part begins within one.
fn whole(line: &str, at: usize) -> usize {
    if line.is_ascii() || at == 0 {
        return at;
    }
    line.grapheme_indices(true).map(|(start, _)| start).find(|start| *start >= at).unwrap_or(line.len())
}
