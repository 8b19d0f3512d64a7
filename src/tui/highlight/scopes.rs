//! Maps the scopes of syntax definitions to theme roles.

use std::collections::HashMap;

use syntect::parsing::{Scope, ScopeStack, ScopeStackOp};
use unicode_segmentation::UnicodeSegmentation;

use crate::tui::highlight::{Span, Spans};
use crate::tui::theme::ThemeRole;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ScopeMeaning {
    Is(ThemeRole),
    /// Plain text, overriding the outer scope.
    Plain,
    /// No meaning of its own: the outer scope applies.
    Nothing,
}

/// Scope prefixes, following the naming conventions of syntax definitions. The first match wins.
const MEANINGS: &[(&str, ScopeMeaning)] = &[
    ("comment", ScopeMeaning::Is(ThemeRole::Comment)),
    ("punctuation.definition.comment", ScopeMeaning::Is(ThemeRole::Comment)),
    ("keyword.operator.word", ScopeMeaning::Is(ThemeRole::Keyword)),
    ("keyword.operator", ScopeMeaning::Plain),
    ("keyword", ScopeMeaning::Is(ThemeRole::Keyword)),
    ("storage", ScopeMeaning::Is(ThemeRole::Keyword)),
    ("constant.character", ScopeMeaning::Is(ThemeRole::Number)),
    ("constant", ScopeMeaning::Is(ThemeRole::Number)),
    ("meta.interpolation", ScopeMeaning::Plain),
    ("string.unquoted", ScopeMeaning::Plain),
    ("string", ScopeMeaning::Is(ThemeRole::String)),
    ("entity.name.tag", ScopeMeaning::Is(ThemeRole::Keyword)),
    ("entity.name.section", ScopeMeaning::Is(ThemeRole::Keyword)),
    ("markup.heading", ScopeMeaning::Is(ThemeRole::Keyword)),
    ("markup.raw", ScopeMeaning::Is(ThemeRole::String)),
    ("entity.name", ScopeMeaning::Is(ThemeRole::Function)),
    ("entity.other.attribute-name", ScopeMeaning::Is(ThemeRole::Kind)),
    ("entity.other.inherited-class", ScopeMeaning::Is(ThemeRole::Kind)),
    ("support.function", ScopeMeaning::Is(ThemeRole::Function)),
    ("variable.function", ScopeMeaning::Is(ThemeRole::Function)),
    ("variable.annotation", ScopeMeaning::Is(ThemeRole::Function)),
    ("support.type", ScopeMeaning::Is(ThemeRole::Kind)),
    ("support.class", ScopeMeaning::Is(ThemeRole::Kind)),
    ("support.constant", ScopeMeaning::Is(ThemeRole::Number)),
    ("variable.language", ScopeMeaning::Is(ThemeRole::Keyword)),
];

pub struct ScopeRoles {
    meanings: Vec<(Scope, ScopeMeaning)>,
    known: HashMap<Scope, ScopeMeaning>,
}

impl Default for ScopeRoles {
    fn default() -> Self {
        let meanings = MEANINGS.iter().filter_map(|(name, says)| Some((Scope::new(name).ok()?, *says)));
        Self { meanings: meanings.collect(), known: HashMap::new() }
    }
}

impl ScopeRoles {
    /// The highlighted parts of a line, from its scope changes by byte; `stack` is left in the state after the line.
    pub fn spans(&mut self, line: &str, ops: &[(usize, ScopeStackOp)], stack: &mut ScopeStack) -> Spans {
        let mut spans: Vec<Span> = Vec::new();
        let mut start = 0;
        for (at, op) in ops {
            self.add(&mut spans, line, start, *at, stack);
            start = start.max(*at);
            // A faulty definition pops more than it pushed; the parts found so far remain valid.
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

    /// The role of the innermost scope that has one.
    fn role(&mut self, stack: &ScopeStack) -> Option<ThemeRole> {
        let Self { meanings, known } = self;
        let mut scope_meanings = stack.as_slice().iter().rev().map(|scope| {
            *known.entry(*scope).or_insert_with(|| {
                let found = meanings.iter().find(|(prefix, _)| prefix.is_prefix_of(*scope));
                found.map_or(ScopeMeaning::Nothing, |(_, says)| *says)
            })
        });
        match scope_meanings.find(|says| *says != ScopeMeaning::Nothing) {
            Some(ScopeMeaning::Is(role)) => Some(role),
            _ => None,
        }
    }
}

/// The end of the grapheme cluster that contains this byte, because parts must not split clusters.
fn whole(line: &str, at: usize) -> usize {
    if line.is_ascii() || at == 0 {
        return at;
    }
    line.grapheme_indices(true).map(|(start, _)| start).find(|start| *start >= at).unwrap_or(line.len())
}
