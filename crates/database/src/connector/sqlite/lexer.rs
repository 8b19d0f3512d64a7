//! The tokens of a `CREATE` statement, split as SQLite does.

use refdesk_text::lines::breaks;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Kind<'a> {
    /// A word without quotes.
    Word(&'a str),
    /// A name in quotes.
    Quoted(String),
    /// An empty text in single quotes.
    Text,
    Symbol(char),
    Comment(&'a str),
}

/// A token and its position.
#[derive(Debug, Clone)]
pub(crate) struct Token<'a> {
    pub kind: Kind<'a>,
    pub start: usize,
    pub end: usize,
    /// The line on which the token begins, from 0.
    pub first_line: usize,
    /// The line on which it ends.
    pub line: usize,
}

impl Token<'_> {
    pub(crate) fn is(&self, word: &str) -> bool {
        matches!(self.kind, Kind::Word(own) if own.eq_ignore_ascii_case(word))
    }

    pub(crate) fn is_symbol(&self, sign: char) -> bool {
        self.kind == Kind::Symbol(sign)
    }

    pub(crate) fn comment(&self) -> Option<&str> {
        match self.kind {
            Kind::Comment(text) => Some(text),
            _ => None,
        }
    }

    pub(crate) fn name(&self) -> String {
        match &self.kind {
            Kind::Word(word) => (*word).to_owned(),
            Kind::Quoted(name) => name.clone(),
            _ => String::new(),
        }
    }
}

/// Splits a statement into tokens, including comments.
pub(super) struct Lexer<'a> {
    sql: &'a str,
    at: usize,
    line: usize,
}

impl<'a> Lexer<'a> {
    pub(super) fn new(sql: &'a str) -> Self {
        Self { sql, at: 0, line: 0 }
    }

    fn rest(&self) -> &'a str {
        self.sql.get(self.at..).unwrap_or_default()
    }

    fn token(&mut self, kind: Kind<'a>, length: usize) -> Token<'a> {
        let (start, first_line) = (self.at, self.line);
        self.at += length;
        let text = self.sql.get(start..self.at).unwrap_or_default();
        self.line += breaks(text);
        Token { kind, start, end: self.at, first_line, line: self.line }
    }
}

impl<'a> Iterator for Lexer<'a> {
    type Item = Token<'a>;

    fn next(&mut self) -> Option<Token<'a>> {
        let rest = self.rest();
        let blank = rest.len() - rest.trim_start_matches(is_blank).len();
        self.line += breaks(rest.get(..blank).unwrap_or_default());
        self.at += blank;
        let rest = self.rest();
        let first = rest.chars().next()?;
        if let Some(text) = rest.strip_prefix("--") {
            let end = text.find('\n').unwrap_or(text.len());
            let comment = text.get(..end).unwrap_or_default();
            return Some(self.token(Kind::Comment(comment), 2 + end));
        }
        if let Some(text) = rest.strip_prefix("/*") {
            let (comment, length) = match text.find("*/") {
                Some(end) => (text.get(..end).unwrap_or_default(), end + 4),
                None => (text, rest.len()),
            };
            return Some(self.token(Kind::Comment(comment), length));
        }
        if matches!(first, '"' | '`' | '[' | '\'') {
            let close = if first == '[' { ']' } else { first };
            let mut name = String::new();
            let mut chars = rest.char_indices().skip(1).peekable();
            let mut length = rest.len();
            while let Some((at, c)) = chars.next() {
                if c != close {
                    name.push(c);
                } else if close != ']' && chars.peek().is_some_and(|(_, next)| *next == close) {
                    name.push(c);
                    chars.next();
                } else {
                    length = at + c.len_utf8();
                    break;
                }
            }
            // A text in single quotes counts as a name only where a name is expected.
            let kind = if first == '\'' && name.is_empty() { Kind::Text } else { Kind::Quoted(name) };
            return Some(self.token(kind, length));
        }
        let is_word = |c: char| c.is_ascii_alphanumeric() || !c.is_ascii() || matches!(c, '_' | '$');
        let length = rest.find(|c: char| !is_word(c)).unwrap_or(rest.len());
        match length {
            0 => Some(self.token(Kind::Symbol(first), first.len_utf8())),
            length => {
                let word = rest.get(..length).unwrap_or_default();
                Some(self.token(Kind::Word(word), length))
            }
        }
    }
}

/// Whitespace between tokens. Every other non-ASCII character can be part of a name.
fn is_blank(c: char) -> bool {
    c.is_ascii_whitespace() || matches!(c, '\u{b}' | '\u{feff}')
}
