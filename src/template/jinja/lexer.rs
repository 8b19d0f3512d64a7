//! A Jinja2 template cut into its tags, each with its tokens and lines. Text, comments and raw blocks are passed over;
//! what the tokens mean is told in [`super::expr`] and [`super::walk`].

use crate::template::ParseError;
use crate::text::lines::LineCounter;

/// One token of a tag.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Token<'a> {
    /// A name or keyword.
    Name(&'a str),
    /// A number, as written.
    Number(&'a str),
    /// A string, without its quotes and with its escapes as written.
    Text(&'a str),
    /// An operator or a bracket.
    Op(&'static str),
}

/// `{{ … }}` or `{% … %}`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TagKind {
    /// `{{ … }}`
    Output,
    /// `{% … %}`
    Statement,
}

/// A token and where it stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Placed<'a> {
    /// The token.
    pub token: Token<'a>,
    /// Its line, from 1.
    pub line: usize,
    /// Its first byte in the template.
    pub from: usize,
    /// The byte after it.
    pub to: usize,
}

/// One tag.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tag<'a> {
    /// Which.
    pub kind: TagKind,
    /// Line of its opening delimiter, from 1.
    pub line: usize,
    /// Its tokens.
    pub tokens: Vec<Placed<'a>>,
}

/// Longest first, so that the first that fits is the token.
const OPERATORS: [&str; 25] = [
    "//", "**", "==", "!=", "<=", ">=", "+", "-", "*", "/", "%", "~", "(", ")", "[", "]", "{", "}", ",", ".", ":", "|",
    "<", ">", "=",
];

/// Reads every tag of a template.
///
/// # Errors
///
/// Tags, comments, strings and raw blocks that never end, and characters that begin no token; with the line.
pub fn tags(text: &str) -> Result<Vec<Tag<'_>>, ParseError> {
    let mut lexer = Lexer { text, at: 0, lines: LineCounter::new(text) };
    let mut tags = Vec::new();
    while let Some(start) = lexer.next_opening() {
        let line = lexer.lines.line_of(start);
        let kind = match text.as_bytes().get(start + 1) {
            Some(b'{') => TagKind::Output,
            Some(b'%') => TagKind::Statement,
            _ => {
                let Some(length) = text.get(start + 2..).and_then(|rest| rest.find("#}")) else {
                    return Err(ParseError::at(line, format!("the comment opened at line {line} is never closed")));
                };
                lexer.at = start + 2 + length + 2;
                continue;
            }
        };
        lexer.at = start + 2;
        let tokens = lexer.tag(kind, line)?;
        if kind == TagKind::Statement && matches!(tokens.as_slice(), [Placed { token: Token::Name("raw"), .. }]) {
            let Some(end) = end_of_raw(text, lexer.at) else {
                return Err(ParseError::at(line, format!("the raw block opened at line {line} is never closed")));
            };
            lexer.at = end;
            continue;
        }
        tags.push(Tag { kind, line, tokens });
    }
    Ok(tags)
}

/// The byte after the `{% endraw %}` that ends a raw block beginning at byte `at`.
pub fn end_of_raw(text: &str, mut at: usize) -> Option<usize> {
    loop {
        let rest = text.get(at..)?;
        let start = at + rest.find("{%")?;
        let inside = text.get(start + 2..)?;
        let word = inside.strip_prefix(['-', '+']).unwrap_or(inside).trim_start();
        if let Some(after) = word.strip_prefix("endraw") {
            let after = after.trim_start();
            let after = after.strip_prefix(['-', '+']).unwrap_or(after);
            if let Some(after) = after.strip_prefix("%}") {
                return Some(text.len() - after.len());
            }
        }
        at = start + 2;
    }
}

struct Lexer<'a> {
    text: &'a str,
    at: usize,
    lines: LineCounter<'a>,
}

impl<'a> Lexer<'a> {
    fn rest(&self) -> &'a str {
        self.text.get(self.at..).unwrap_or_default()
    }

    /// Where the next `{{`, `{%` or `{#` stands.
    fn next_opening(&self) -> Option<usize> {
        let bytes = self.text.as_bytes();
        let mut at = self.at;
        loop {
            at += memchr::memchr(b'{', bytes.get(at..)?)?;
            if matches!(bytes.get(at + 1), Some(b'{' | b'%' | b'#')) {
                return Some(at);
            }
            at += 1;
        }
    }

    /// The tokens up to the closing delimiter of a tag that was opened on `opened`.
    fn tag(&mut self, kind: TagKind, opened: usize) -> Result<Vec<Placed<'a>>, ParseError> {
        let close = if kind == TagKind::Output { "}}" } else { "%}" };
        if self.rest().starts_with(['-', '+']) {
            self.at += 1;
        }
        let (mut tokens, mut depth) = (Vec::new(), 0_usize);
        loop {
            let rest = self.rest();
            self.at += rest.len() - rest.trim_start().len();
            let rest = self.rest();
            if depth == 0 {
                if rest.starts_with(close) {
                    self.at += 2;
                    return Ok(tokens);
                }
                if rest.strip_prefix(['-', '+']).is_some_and(|rest| rest.starts_with(close)) {
                    self.at += 3;
                    return Ok(tokens);
                }
            }
            let line = self.lines.line_of(self.at);
            let Some(first) = rest.chars().next() else {
                return Err(ParseError::at(opened, format!("the tag opened at line {opened} is never closed")));
            };
            let from = self.at;
            let token = self.token(rest, first, line)?;
            match token {
                Token::Op("(" | "[" | "{") => depth += 1,
                Token::Op(")" | "]" | "}") => depth = depth.saturating_sub(1),
                _ => {}
            }
            tokens.push(Placed { token, line, from, to: self.at });
        }
    }

    fn token(&mut self, rest: &'a str, first: char, line: usize) -> Result<Token<'a>, ParseError> {
        if first == '"' || first == '\'' {
            let Some(length) = end_of_string(rest) else {
                return Err(ParseError::at(line, format!("the string opened at line {line} is never closed")));
            };
            self.at += length;
            return Ok(Token::Text(rest.get(1..length - 1).unwrap_or_default()));
        }
        if first.is_ascii_digit() {
            let length = number(rest);
            self.at += length;
            return Ok(Token::Number(rest.get(..length).unwrap_or_default()));
        }
        if first.is_ascii_alphabetic() || first == '_' {
            let length = rest.bytes().take_while(|byte| byte.is_ascii_alphanumeric() || *byte == b'_').count();
            self.at += length;
            return Ok(Token::Name(rest.get(..length).unwrap_or_default()));
        }
        match OPERATORS.iter().find(|operator| rest.starts_with(**operator)) {
            Some(operator) => {
                self.at += operator.len();
                Ok(Token::Op(operator))
            }
            None => {
                Err(ParseError::at(line, format!("unexpected character '{}' at line {line}", first.escape_debug())))
            }
        }
    }
}

/// Bytes of the string literal that `rest` begins with, quotes included.
pub fn end_of_string(rest: &str) -> Option<usize> {
    let bytes = rest.as_bytes();
    let quote = *bytes.first()?;
    let mut at = 1;
    loop {
        match bytes.get(at)? {
            b'\\' => at += 2,
            byte if *byte == quote => return Some(at + 1),
            _ => at += 1,
        }
    }
}

/// Bytes of the number that `rest` begins with: `1_000`, `0x1f`, `1.5`, `1e-3`.
fn number(rest: &str) -> usize {
    let bytes = rest.as_bytes();
    let is_digit = |at: usize| bytes.get(at).is_some_and(u8::is_ascii_digit);
    let mut at = 1;
    loop {
        match bytes.get(at) {
            Some(b'.') if is_digit(at + 1) => at += 2,
            Some(b'+' | b'-') if is_exponent(bytes, at) && is_digit(at + 1) => at += 2,
            Some(byte) if byte.is_ascii_alphanumeric() || *byte == b'_' => at += 1,
            _ => return at,
        }
    }
}

fn is_exponent(bytes: &[u8], at: usize) -> bool {
    matches!(bytes.get(at - 1), Some(b'e' | b'E')) && !matches!(bytes.get(..2), Some(b"0x" | b"0X"))
}
