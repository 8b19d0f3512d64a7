//! Filters, tests and functions that do not exist. The engine notices them only when rendering reaches them, and Jinja2
//! ignores filters and tests inside `if`, so they are found in the tokens. A name that the template itself tests
//! (`'markdown' is filter`, `now is defined`) is not reported, because such a template works without it, and neither is
//! one that it sets, because that may be a `joiner`. No given value can be called.

use minijinja::machinery::{Span, Token};

use super::tokens::{offset, tags};
use super::{KEYWORDS, REFUSED_FUNCTIONS};
use crate::error::{error_at, hint};
use crate::render::knows_jinja;
use refdesk_text::Error;
use refdesk_text::lines::LineCounter;
use refdesk_text::nearest::nearest;

/// Whether a name is looked up after `|`, after `is` or before `(`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum NameKind {
    Filter,
    Test,
    Function,
}

/// The most unknown names reported for one template.
const REPORTED: usize = 20;

/// Jinja2's filters, for suggestions: the engine does not list its own.
const FILTERS: &str = "abs attr batch capitalize center count d default dictsort e escape filesizeformat first float forceescape \
    format groupby indent int items join last length list lower map max min pprint random reject rejectattr \
    replace reverse round safe select selectattr slice sort string striptags sum title tojson trim truncate \
    unique upper urlencode urlize wordcount wordwrap xmlattr";

/// Jinja2's tests, for suggestions.
const TESTS: &str = "boolean callable defined divisibleby eq equalto escaped even false filter float ge greaterthan gt in integer \
    iterable le lessthan lower lt mapping ne none number odd sameas sequence string test true undefined upper";

/// Functions, for suggestions.
const CALLABLE: &str = "dict joiner namespace range";

/// The error for an unknown filter, test or function: `unknown filter 'uper' at line 2 (did you mean 'upper'?)`.
pub(crate) fn unknown_name(kind: NameKind, name: &str, line: Option<usize>) -> Error {
    let (what, known) = match kind {
        NameKind::Filter => ("filter", FILTERS),
        NameKind::Test => ("test", TESTS),
        NameKind::Function => ("function", CALLABLE),
    };
    if let Some((_, instead)) =
        REFUSED_FUNCTIONS.iter().find(|(refused, _)| kind == NameKind::Function && *refused == name)
    {
        return error_at(line, format!("'{name}' is not supported: {instead}"));
    }
    let error = error_at(line, format!("unknown {what} '{name}'"));
    Error { message: error.message + &hint(nearest(name, known.split(' '))), ..error }
}

/// The unknown filters, tests and functions of a template that parses, each once, with its first line.
pub(crate) fn unknown_names(text: &str) -> Vec<Error> {
    found(text).into_iter().map(|(error, _)| error).collect()
}

/// The first of them that every rendering reaches, or that Jinja2 refuses whatever the values.
pub(crate) fn always_unknown(text: &str) -> Option<Error> {
    found(text).into_iter().find_map(|(error, is_reached)| is_reached.then_some(error))
}

/// The unknown names, and whether each is used outside of every `if`, and, if it is a function, outside of every loop.
fn found(text: &str) -> Vec<(Error, bool)> {
    let mut used: Vec<(NameKind, &str, usize, bool)> = Vec::new();
    let (mut ifs, mut loops) = (0_usize, 0_usize);
    // Filters and tests that the template asks for, and names that it sets or tests.
    let (mut asked, mut own): (Vec<String>, Vec<String>) = (Vec::new(), Vec::new());
    let mut lines = LineCounter::new(text);
    let read = tags(text, |tag| {
        let (mut before, mut named) = (None, None);
        let binds = tag.is_statement && matches!(tag.tokens.first(), Some((Token::Ident("for" | "set" | "with"), _)));
        let word = tag.tokens.first().map(|(token, _)| token).filter(|_| tag.is_statement);
        match word {
            Some(Token::Ident("if")) => ifs += 1,
            Some(Token::Ident("endif")) => ifs = ifs.saturating_sub(1),
            Some(Token::Ident("endfor")) => loops = loops.saturating_sub(1),
            _ => {}
        }
        let may_be_skipped = |token: &Token<'_>| matches!(token, Token::Ident("if" | "and" | "or" | "else"));
        let is_reached = ifs == 0 && !tag.tokens.iter().any(|(token, _)| may_be_skipped(token));
        for (at, (token, span)) in tag.tokens.iter().enumerate() {
            let after = |steps: usize| tag.tokens.get(at + steps).map(|(token, _)| token);
            let (kind, skipped) = match (before.replace(token), token, after(1)) {
                (_, Token::Pipe, _) => (NameKind::Filter, 1),
                (None, Token::Ident("filter"), _) if tag.is_statement => (NameKind::Filter, 1),
                (Some(Token::Dot), ..) => continue,
                (Some(Token::Str(name)), Token::Ident("is"), Some(Token::Ident("filter" | "test"))) => {
                    asked.push((*name).to_owned());
                    continue;
                }
                (_, Token::Ident("is"), Some(Token::Ident("not"))) => (NameKind::Test, 2),
                (_, Token::Ident("is"), _) => (NameKind::Test, 1),
                // The name of a filter or test, or of a tag.
                _ if named == Some(at) || (at == 0 && tag.is_statement) => continue,
                (_, Token::Ident(word), Some(Token::ParenOpen)) if !KEYWORDS.contains(word) => (NameKind::Function, 0),
                (_, Token::Ident(name), next) if binds || matches!(next, Some(Token::Ident("is"))) => {
                    own.push((*name).to_owned());
                    continue;
                }
                _ => continue,
            };
            named = Some(at + skipped);
            let name = dotted_name(text, tag.tokens.get(at + skipped..).unwrap_or_default());
            let Some(name) = name.filter(|name| !knows_jinja(kind, name)) else { continue };
            let is_reached = is_reached && (kind != NameKind::Function || loops == 0);
            if let Some(known) = used.iter_mut().find(|(other, known, ..)| *other == kind && *known == name) {
                known.3 |= is_reached;
            } else if used.len() < REPORTED {
                used.push((kind, name, lines.line_of(offset(span.start_offset)), is_reached));
            }
        }
        loops += usize::from(matches!(word, Some(Token::Ident("for"))));
        Ok(())
    });
    // A template that cannot be tokenized has another problem.
    if read.is_err() {
        return Vec::new();
    }
    used.retain(|(kind, name, ..)| {
        let excused = if *kind == NameKind::Function { &own } else { &asked };
        !excused.iter().any(|excused| excused == name)
    });
    let error = |(kind, name, line, is_reached)| (unknown_name(kind, name, Some(line)), is_reached);
    used.into_iter().map(error).collect()
}

/// The name at the start of these tokens, with its dots.
fn dotted_name<'t>(text: &'t str, tokens: &[(Token<'_>, Span)]) -> Option<&'t str> {
    let (Token::Ident(_), first) = tokens.first()? else { return None };
    let dots = tokens.get(1..).unwrap_or_default().chunks_exact(2);
    let last = dots.map_while(|two| match two {
        [(Token::Dot, _), (Token::Ident(_), span)] => Some(*span),
        _ => None,
    });
    text.get(offset(first.start_offset)..offset(last.last().unwrap_or(*first).end_offset))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_do_not_exist() {
        for (text, expected) in [
            ("{{ x|upper|d(1)|items|tojson }}{% if x is not none and x is divisibleby 3 %}{% endif %}", &[][..]),
            ("{{ a|in }}", &["unknown filter 'in' at line 1 (did you mean 'int'?)"]),
            (
                "a\n{{ x|uper\n|nosuch }}",
                &["unknown filter 'uper' at line 2 (did you mean 'upper'?)", "unknown filter 'nosuch' at line 3"],
            ),
            ("{% if x is not defind %}{% endif %}", &["unknown test 'defind' at line 1 (did you mean 'defined'?)"]),
            ("{% for x in xs if x is even2 %}{% endfor %}", &["unknown test 'even2' at line 1 (did you mean 'even'?)"]),
            ("{% filter indnt %}{% endfilter %}", &["unknown filter 'indnt' at line 1 (did you mean 'indent'?)"]),
            ("{% set x|foo.bar %}{% endset %}{{ x|foo.bar }}", &["unknown filter 'foo.bar' at line 1"]),
            ("{% if 'markdown' is filter %}{{ x|markdown }}{% endif %}", &[]),
            (
                "{{ now() }}\n{{ rnge(3) }}{% for f in walk('x') %}{{ not seen(f) }}{% endfor %}{{ lipsum(2) }}",
                &[
                    "unknown function 'now' at line 1",
                    "unknown function 'rnge' at line 2 (did you mean 'range'?)",
                    "unknown function 'walk' at line 2",
                    "unknown function 'seen' at line 2",
                    "'lipsum' is not supported: a template cannot generate text at line 2",
                ],
            ),
            (
                "{% set j = joiner() %}{{ j() }}{{ x.y() }}{% for i in range(3) recursive %}{{ loop(i) }}{% endfor %}",
                &[],
            ),
            ("{% if(a) and (b) is not divisibleby(3) %}{% filter indent(2) %}{% endfilter %}{% endif %}", &[]),
            ("{% set slug = x|slug %}", &["unknown filter 'slug' at line 1"]),
            ("{{ now() if now is defined }}{{ x|join(', ') }}{{ f is callable and f() }}", &[]),
            ("{{ filter|upper }}{{ x.is }}{{ '|nosuch' }}{# |nosuch #}{% raw %}{{ x|nosuch }}{% endraw %}", &[]),
        ] {
            let found: Vec<String> = unknown_names(text).into_iter().map(|error| error.message).collect();
            assert_eq!(found, expected, "{text}");
        }
        let many: String = (0..2 * REPORTED).map(|nth| format!("{{{{ x|no{nth} }}}}")).collect();
        assert_eq!(unknown_names(&many).len(), REPORTED);
    }

    #[test]
    fn names_that_every_rendering_reaches() {
        for (text, expected) in [
            ("a\n{{ x|to_nice_yaml }}", "unknown filter 'to_nice_yaml' at line 2"),
            ("select * from {{ ref('orders') }}", "unknown function 'ref' at line 1"),
            ("{% for x in xs %}{{ x|nosuch }}{% endfor %}", "unknown filter 'nosuch' at line 1"),
            ("{% if x %}{{ x|nosuch }}{% endif %}{{ x|other }}", "unknown filter 'other' at line 1"),
            ("{% if x %}{{ x|nosuch }}{% endif %}\n{{ x|nosuch }}", "unknown filter 'nosuch' at line 1"),
            ("{% if x is nosuch %}{{ x|nosuch }}{% endif %}{{ x|nosuch if x }}{{ x and now() }}", ""),
            ("{% for x in xs %}{{ now() }}{% endfor %}{{ x|upper }}", ""),
            ("{{ x|markdown if 'markdown' is filter else x }}", ""),
        ] {
            let found = always_unknown(text).map(|error| error.message).unwrap_or_default();
            assert_eq!(found, expected, "{text}");
        }
    }

    #[test]
    fn every_suggestion_exists() {
        for (kind, names) in [(NameKind::Filter, FILTERS), (NameKind::Test, TESTS), (NameKind::Function, CALLABLE)] {
            for name in names.split(' ') {
                assert!(knows_jinja(kind, name), "{kind:?} {name}");
            }
        }
    }
}
