//! Detects a template's language from its tags (BEHAVIOUR §6). Does not parse: a broken template also has a language,
//! and its parse error is reported later with a line.

use minijinja::machinery::{Token, tokenize};
use minijinja::syntax::SyntaxConfig;

use super::Syntax;
use super::cached_search::CachedSearch;
use super::generated;
use super::jinja::{end_of_raw, end_of_string};
use refdesk_text::lines::breaks;
use refdesk_text::shorten::beginning;

/// Signs of a second language.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ambiguity {
    /// The language that was not chosen.
    pub other: Syntax,
    /// The first line with a sign of it, from 1.
    pub line: usize,
}

/// The language of a template, and another one that it also has signs of.
pub(crate) fn detect(text: &str) -> (Syntax, Option<Ambiguity>) {
    let stripped = generated::strip(text);
    let mut scan = SyntaxScan::new(&stripped.text);
    scan.run();
    let line_of = |at: usize| {
        let before = stripped.text.get(..at).unwrap_or_default();
        stripped.file_line(breaks(before) + 1)
    };
    let braces = match (scan.handlebars.first, scan.mustache.first) {
        (Some(at), _) => Some((Syntax::Handlebars, at, scan.handlebars.pairs + scan.mustache.pairs)),
        (None, Some(at)) => Some((Syntax::Mustache, at, scan.mustache.pairs)),
        (None, None) => None,
    };
    match (braces, scan.jinja.first) {
        (Some((syntax, at, pairs)), Some(jinja_at)) => {
            let (syntax, other, at) = if pairs == 0 && scan.jinja.pairs > 0 {
                (Syntax::Jinja2, syntax, at)
            } else {
                (syntax, Syntax::Jinja2, jinja_at)
            };
            (syntax, Some(Ambiguity { other, line: line_of(at) }))
        }
        (Some((syntax, ..)), None) => (syntax, None),
        (None, None) if scan.no_jinja_name => (Syntax::Mustache, None),
        (None, _) => (Syntax::Jinja2, None),
    }
}

/// Names of Handlebars' own sections, if they have an argument.
const HELPERS: [&str; 4] = ["if", "each", "unless", "with"];

/// The longest string in bytes; after a longer one, the quote counts as stray.
const LONGEST_STRING: usize = 4096;

/// The most bytes scanned for missing ends of strings or tags. After that, quotes no longer begin strings; otherwise a
/// megabyte of stray quotes would be scanned again for each of them.
const WASTED_BYTES: usize = 8 * 1024 * 1024;

/// Signs of one language: the line of the first, and how many sections open and close.
#[derive(Default)]
struct SyntaxSigns {
    first: Option<usize>,
    pairs: usize,
}

impl SyntaxSigns {
    fn see(&mut self, at: usize) {
        self.first.get_or_insert(at);
    }
}

#[derive(Default)]
struct SyntaxScan<'a> {
    text: &'a str,
    handlebars: SyntaxSigns,
    mustache: SyntaxSigns,
    jinja: SyntaxSigns,
    no_jinja_name: bool,
    /// Set to false once a `{% raw %}` without an end was found.
    raw_ends: bool,
    sections: Vec<(&'a str, bool)>,
    blocks: Vec<&'a str>,
    close: CachedSearch,
    close_percent: CachedSearch,
    close_hash: CachedSearch,
    close_dashes: CachedSearch,
    line_end: CachedSearch,
    /// See [`WASTED_BYTES`].
    wasted: usize,
}

impl<'a> SyntaxScan<'a> {
    fn new(text: &'a str) -> Self {
        Self { text, raw_ends: true, ..Self::default() }
    }

    fn run(&mut self) {
        let bytes = self.text.as_bytes();
        let mut at = 0;
        while let Some(found) = bytes.get(at..).and_then(|rest| memchr::memchr(b'{', rest)) {
            at += found;
            let next = match bytes.get(at + 1) {
                Some(b'{') => self.braces(at),
                Some(b'%') => Some(self.statement(at)),
                Some(b'#') => Some(self.comment(at)),
                _ => Some(at + 1),
            };
            match next {
                Some(next) => at = next,
                None => return,
            }
        }
    }

    /// Handles `{# … #}` at byte `at`; returns the byte at which to continue.
    fn comment(&mut self, at: usize) -> usize {
        let end = self.close_hash.find(self.text, at + 2, "#}");
        if end >= self.text.len() {
            return at + 2;
        }
        self.jinja.see(at);
        end + 2
    }

    /// Handles `{% … %}` at byte `at`; returns the byte at which to continue.
    fn statement(&mut self, at: usize) -> usize {
        if self.close_percent.find(self.text, at + 2, "%}") >= self.text.len() {
            return at + 2;
        }
        let Some(end) = self.end_of_tag(at + 2, "%}") else { return at + 2 };
        self.jinja.see(at);
        let content = self.text.get(at + 2..end).unwrap_or_default();
        let content = content.trim_start_matches(['-', '+']).trim_start();
        let word = content.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').next().unwrap_or_default();
        match word {
            "raw" if self.raw_ends => {
                if let Some(after) = end_of_raw(self.text, end + 2) {
                    self.jinja.pairs += 1;
                    return after;
                }
                self.raw_ends = false;
            }
            "for" | "if" | "with" | "filter" | "autoescape" | "block" | "macro" | "call" => self.blocks.push(word),
            _ => {
                if let Some(closed) = word.strip_prefix("end")
                    && self.blocks.last() == Some(&closed)
                {
                    self.blocks.pop();
                    self.jinja.pairs += 1;
                }
            }
        }
        end + 2
    }

    /// Handles `{{ … }}` at byte `at`; returns the byte at which to continue, or `None` if the delimiters change.
    fn braces(&mut self, at: usize) -> Option<usize> {
        let inside = at + 2;
        let close = self.close.find(self.text, inside, "}}");
        if close >= self.text.len() {
            return Some(at + 2);
        }
        let after = self.text.get(inside..).unwrap_or_default();
        if after.starts_with('{') {
            let closes = close < self.line_end.find(self.text, inside, "\n")
                && self.text.get(close..).is_some_and(|rest| rest.starts_with("}}}"));
            if closes {
                self.mustache.see(at);
                return Some(close + 3);
            }
            // In Jinja2 this would begin a dict, but a bare name is not a dict.
            self.no_jinja_name |= self.text.get(inside + 1..close).is_some_and(is_dotted_name);
            return Some(at + 1);
        }
        let content = self.text.get(inside..close).unwrap_or_default();
        let content = content.trim_start_matches('~').trim();
        let name = content.get(1..).unwrap_or_default().trim_end_matches('~').trim();
        if content.starts_with(['!', '=', '^', '/', '&', '>']) {
            self.mustache.see(at);
        }
        match content.chars().next() {
            Some('!') if content.starts_with("!--") => {
                let end = self.close_dashes.find(self.text, inside, "--}}");
                return Some(if end < self.text.len() { end + 4 } else { close + 2 });
            }
            Some('!' | '&' | '>') => {}
            Some('=') => return None,
            Some('#') => self.open(at, name),
            Some('^') if name.is_empty() => {}
            Some('^') => self.sections.push((name, false)),
            Some('/') => self.shut(name),
            _ => {
                let end = self.end_of_tag(inside, "}}").unwrap_or(close);
                self.plain(at, self.text.get(inside..end).unwrap_or_default());
                return Some(end + 2);
            }
        }
        Some(close + 2)
    }

    fn open(&mut self, at: usize, content: &'a str) {
        let name = content.split_whitespace().next().unwrap_or_default();
        if HELPERS.contains(&name) && name != content {
            self.handlebars.see(at);
            self.sections.push((name, true));
        } else {
            self.mustache.see(at);
            self.sections.push((content, false));
        }
    }

    fn shut(&mut self, name: &str) {
        if let Some((open, helper)) = self.sections.last().copied()
            && open == name
        {
            self.sections.pop();
            let signs = if helper { &mut self.handlebars } else { &mut self.mustache };
            signs.pairs += 1;
        }
    }

    fn plain(&mut self, at: usize, content: &str) {
        if content.starts_with('-') {
            self.jinja.see(at);
            return;
        }
        let content = content.trim_matches(|c: char| c.is_whitespace() || c == '~');
        let bare = self.without_strings(content);
        if content == "else" || content.starts_with("else ") {
            self.handlebars.see(at);
        } else if content == "." {
            self.mustache.see(at);
        } else if bare.contains('|') {
            self.jinja.see(at);
        } else if is_foreign_name(&bare) {
            self.no_jinja_name = true;
        }
    }

    /// The end of the tag whose content begins at byte `at`, skipping strings.
    fn end_of_tag(&mut self, start: usize, close: &str) -> Option<usize> {
        let (text, mut at) = (self.text, start);
        while let Some(byte) = text.as_bytes().get(at) {
            let rest = text.get(at..)?;
            if rest.starts_with(close) {
                return Some(at);
            }
            at += match byte {
                b'"' | b'\'' => self.string_length(rest),
                _ => rest.chars().next()?.len_utf8(),
            };
        }
        self.wasted += text.len() - start;
        None
    }

    /// Bytes of the string at the start of `rest`, quotes included; 1 for a stray quote.
    fn string_length(&mut self, rest: &str) -> usize {
        if self.wasted > WASTED_BYTES {
            return 1;
        }
        let longest = beginning(rest, LONGEST_STRING);
        end_of_string(longest).unwrap_or_else(|| {
            self.wasted += longest.len();
            1
        })
    }

    /// The content with every string emptied.
    fn without_strings(&mut self, content: &str) -> String {
        let (mut bare, mut rest) = (String::with_capacity(content.len()), content);
        while let Some(at) = rest.find(['"', '\'']) {
            bare.push_str(rest.get(..at).unwrap_or_default());
            let quoted = rest.get(at..).unwrap_or_default();
            bare.push_str("''");
            rest = quoted.get(self.string_length(quoted)..).unwrap_or_default();
        }
        bare.push_str(rest);
        bare
    }
}

fn is_dotted_name(content: &str) -> bool {
    let name = content.trim();
    !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '-' | '.'))
}

/// Whether the content of a tag is a name that is invalid in Jinja2: `api-name`, `2nd`, `$x`, `.x`. Content with
/// operators or white space is an expression, valid or not.
fn is_foreign_name(content: &str) -> bool {
    if content.starts_with('.') {
        return true;
    }
    if content.starts_with('-') || content.contains(|c: char| c.is_whitespace() || "!&()*+,/:<=>[]{}%~'".contains(c)) {
        return false;
    }
    let (mut follows_operand, mut is_dashed) = (false, false);
    for token in tokenize(content, true, SyntaxConfig::default()) {
        let Ok((token, _)) = token else { return true };
        let is_name = matches!(token, Token::Ident(_));
        let is_operand = is_name || matches!(token, Token::Int(_) | Token::Int128(_) | Token::Float(_));
        if (is_operand && follows_operand) || (is_name && is_dashed) {
            return true;
        }
        (follows_operand, is_dashed) = (is_operand, matches!(token, Token::Minus));
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_of_signs() {
        use Syntax::{Handlebars, Jinja2, Mustache};
        for (text, expected) in [
            ("{{#x}}a{{/x}}", Mustache),
            ("{{^x}}a{{/x}}", Mustache),
            ("{{.}}", Mustache),
            ("{{&x}}", Mustache),
            ("{{{x}}}", Mustache),
            ("{{>x}}", Mustache),
            ("{{!c}}", Mustache),
            ("{{=<% %>=}}", Mustache),
            ("{% if a %}{% endif %}", Jinja2),
            ("{# c #}{{ x }}", Jinja2),
            ("{{ x | f }}", Jinja2),
            ("{%- set a = 1 %}", Jinja2),
            ("{{- x }}", Jinja2),
            ("{{ x }}", Jinja2),
            ("nothing", Jinja2),
            ("{{api-name}}", Mustache),
            ("{{ api-name }}", Mustache),
            ("{{ count-1 }}", Jinja2),
            ("{{ a - b }}", Jinja2),
            ("{{größe}}", Jinja2),
            ("{{ 名前.über }}", Jinja2),
            ("{{ naïve }} {{ नाम }}", Jinja2),
            ("{{☃}}", Mustache),
            ("{{2nd}}", Mustache),
            ("{{ 404-page }}", Mustache),
            ("{{$x}}", Mustache),
            ("{{valid?}}", Mustache),
            ("{{ .Values.x }}", Mustache),
            ("{{ s }} {{ -n }} {{ n + 1 }}", Jinja2),
            ("{{ -d.a }}", Jinja2),
            ("{{ 1e3 }} {{ 0x1f }} {{ 1_000 }} {{ xs.0.1 }}", Jinja2),
            ("{{ n == 5 ? 1 : 2 }}", Jinja2),
            ("{{ n && t }} {{n&&t}}", Jinja2),
            ("{{ a! }}", Jinja2),
            ("{{ $t('x') }}", Jinja2),
            ("{{ '|' }}", Jinja2),
            ("{{ \"{{#x}}\" }}", Jinja2),
            ("{% raw %}{{#x}}{{/x}}{% endraw %}{{ y }}", Jinja2),
            ("{# {{#x}}{{/x}} #}", Jinja2),
            ("{{! {% if %} }}", Mustache),
            ("${{{NAME}}_URL}", Mustache),
            ("X=${{{NAME}}_URL}\nY={{NAME}}", Mustache),
            (
                "{{{'a': 1}.a}} {{{
}|length }} {{{x: 1}['k'] }}",
                Jinja2,
            ),
            ("{% if a %}${{{NAME}}_URL}{% endif %}", Jinja2),
            ("${{{NAME}}_URL} {{#x}}{{/x}}", Mustache),
            ("{{#if x}}a{{/if}}", Handlebars),
            ("{{#if}}a{{/if}}", Mustache),
            ("{{#each xs}}{{name}}{{else}}none{{/each}}", Handlebars),
            ("{{else}}", Handlebars),
            ("{{#x}}{{#unless @last}},{{/unless}}{{/x}}", Handlebars),
            ("# @generated {{#x}}{{/x}}\n{{ y }}", Jinja2),
            ("a {# b", Jinja2),
            ("{{#x}}{# no comment{{/x}}", Mustache),
        ] {
            assert_eq!(detect(text), (expected, None), "{text}");
        }
    }

    #[test]
    fn the_language_with_balanced_tags_wins() {
        use Syntax::{Handlebars, Jinja2, Mustache};
        for (text, syntax, other, line) in [
            ("{{#x}}\n{{ y | f }}\n{{/x}}", Mustache, Jinja2, 2),
            ("{% for x in y %}\n{{.}}\n{% endfor %}", Jinja2, Mustache, 2),
            ("{{#if x}}\n{{ y | f }}{{/if}}", Handlebars, Jinja2, 2),
            ("{% if a %}{% endif %}\n\n{{#each x}}", Jinja2, Handlebars, 3),
        ] {
            assert_eq!(detect(text), (syntax, Some(Ambiguity { other, line })), "{text}");
        }
    }
}
