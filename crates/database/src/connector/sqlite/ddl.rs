//! Reads from the text of a `CREATE TABLE` what SQLite does not report: comments, checks, collations and names of
//! foreign keys. SQLite accepted the text, but the file may be hostile, so it can contain anything. What is not
//! understood is left out.

use std::collections::HashMap;

use super::lexer::{Kind, Lexer, Token};
use crate::snapshot::{COMMENT_BYTES, Constraint};
use refdesk_text::shorten::beginning;

/// The information in a `CREATE TABLE` statement.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct TableText {
    /// The comment before the first column, on the line of the parenthesis or above it.
    pub comment: Option<String>,
    /// By the lower-case name of the column.
    pub columns: HashMap<String, ColumnText>,
    /// The checks, in the order of the text.
    pub checks: Vec<Constraint>,
    /// The names of the foreign keys, in the order of the text.
    pub foreign_keys: Vec<Option<String>>,
}

/// The information about a column.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct ColumnText {
    /// The comments after it on its line, and those on separate lines above it.
    pub comment: Option<String>,
    /// Its collation.
    pub collation: Option<String>,
    /// The expression of a generated column.
    pub generated: Option<String>,
}

/// Whether the statement creates a virtual table.
pub(super) fn is_virtual(sql: &str) -> bool {
    let mut words = Lexer::new(sql).filter(|token| !matches!(token.kind, Kind::Comment(_)));
    let mut is = |word: &str| words.next().is_some_and(|token| token.is(word));
    is("create") && is("virtual") && is("table")
}

pub(crate) fn read(sql: &str) -> TableText {
    let mut table = TableText::default();
    let tokens: Vec<Token<'_>> = Lexer::new(sql).collect();
    let Some(open) = tokens.iter().position(|token| token.is_symbol('(')) else { return table };
    let first_line = tokens.get(open).map_or(0, |token| token.line);
    let mut about: Vec<&str> = tokens.iter().take(open).filter_map(Token::comment).collect();
    let mut element: Vec<&Token<'_>> = Vec::new();
    // The comments before and in the element. Those on separate lines belong to the next element.
    let mut waiting: Vec<&str> = Vec::new();
    let mut last: Option<(String, usize)> = None;
    // The next token after a comment that is not one.
    let mut text_at = 0;
    let mut depth = 1usize;
    for (at, token) in tokens.iter().enumerate().skip(open + 1) {
        if let Some(comment) = token.comment() {
            if depth > 1 {
                continue;
            }
            if text_at < at {
                text_at = at + tokens.iter().skip(at).take_while(|token| token.comment().is_some()).count();
            }
            let is_before_text = tokens.get(text_at).is_some_and(|next| next.first_line == token.line);
            match (&last, element.first()) {
                _ if last.is_none() && element.is_empty() && token.first_line == first_line => about.push(comment),
                // After the comma, on the line of the previous column and not on that of the next.
                (Some((name, line)), None) if *line == token.first_line && !is_before_text => {
                    add_comment(&mut table, name, comment);
                }
                _ => waiting.push(comment),
            }
            continue;
        }
        if token.is_symbol('(') {
            depth += 1;
        } else if token.is_symbol(')') {
            depth -= 1;
        }
        if depth == 0 || (depth == 1 && token.is_symbol(',')) {
            let comments = if element.is_empty() { Vec::new() } else { std::mem::take(&mut waiting) };
            last = take_element(&mut table, sql, &element, &comments).map(|name| (name, token.line));
            element.clear();
            if depth == 0 {
                break;
            }
            continue;
        }
        element.push(token);
    }
    // A comment after the last column: on its line, or before the closing parenthesis.
    if let Some((name, _)) = &last {
        waiting.iter().for_each(|comment| add_comment(&mut table, name, comment));
    }
    table.comment = joined(&about);
    table
}

/// Reads a column or a constraint; returns the name of a column.
fn take_element(table: &mut TableText, sql: &str, tokens: &[&Token<'_>], comments: &[&str]) -> Option<String> {
    let first = *tokens.first()?;
    let is_constraint = ["constraint", "primary", "unique", "check", "foreign"].iter().any(|word| first.is(word));
    let column = (!is_constraint).then(|| first.name());
    let mut text = ColumnText::default();
    let mut constraint: Option<String> = None;
    let mut at = usize::from(column.is_some());
    while let Some(token) = tokens.get(at) {
        let next = tokens.get(at + 1);
        if token.is_symbol('(') {
            at = closing(tokens, at) + 1;
            continue;
        }
        if token.is("constraint") {
            constraint = next.map(|token| token.name());
            at += 2;
            continue;
        }
        if token.is("check") && next.is_some_and(|token| token.is_symbol('(')) {
            let expression = text_in_parentheses(sql, tokens, at + 1);
            table.checks.push(Constraint { name: constraint.take(), expression });
        } else if token.is("collate") && column.is_some() {
            text.collation = next.map(|token| token.name());
        } else if token.is("as") && next.is_some_and(|token| token.is_symbol('(')) && column.is_some() {
            text.generated = Some(text_in_parentheses(sql, tokens, at + 1));
        } else if (token.is("references") && column.is_some()) || token.is("foreign") {
            table.foreign_keys.push(constraint.take());
        }
        at += 1;
    }
    let name = column?.to_lowercase();
    text.comment = joined(comments);
    table.columns.insert(name.clone(), text);
    Some(name)
}

/// The position of the parenthesis that closes the one at `open`, or the last one.
fn closing(tokens: &[&Token<'_>], open: usize) -> usize {
    let mut depth = 0usize;
    for (at, token) in tokens.iter().enumerate().skip(open) {
        if token.is_symbol('(') {
            depth += 1;
        } else if token.is_symbol(')') {
            depth = depth.saturating_sub(1);
            if depth == 0 {
                return at;
            }
        }
    }
    tokens.len()
}

/// The text in the parentheses that open at `open`.
fn text_in_parentheses(sql: &str, tokens: &[&Token<'_>], open: usize) -> String {
    let start = tokens.get(open).map_or(0, |token| token.end);
    let end = tokens.get(closing(tokens, open)).map_or(sql.len(), |token| token.start);
    let text = sql.get(start..end).unwrap_or_default();
    refdesk_text::lines::single_spaced(text)
}

fn add_comment(table: &mut TableText, name: &str, comment: &str) {
    let (Some(column), Some(comment)) = (table.columns.get_mut(name), joined(&[comment])) else { return };
    let text = match column.comment.take() {
        Some(before) => format!("{before} {comment}"),
        None => comment,
    };
    column.comment = Some(beginning(&text, COMMENT_BYTES).to_owned());
}

fn joined(comments: &[&str]) -> Option<String> {
    let plain = comments.iter().map(|comment| without_stars(comment).trim().to_owned());
    let parts: Vec<String> = plain.filter(|comment| !comment.is_empty() && !is_column(comment)).collect();
    let text = parts.join(" ");
    (!text.is_empty()).then(|| beginning(&text, COMMENT_BYTES).to_owned())
}

/// Whether a comment is a column that was commented out, rather than words about one: `old_code TEXT NOT NULL,`.
fn is_column(comment: &str) -> bool {
    let mut words = comment.split([' ', '(', ',']);
    let is_typed = words.next().is_some() && words.next().is_some_and(|word| TYPES.contains(&word));
    is_typed && comment.ends_with(',')
}

/// Types as they are usually written in a statement.
const TYPES: [&str; 14] = [
    "BIGINT", "BLOB", "BOOLEAN", "CHAR", "DATE", "DATETIME", "DECIMAL", "FLOAT", "INT", "INTEGER", "NUMERIC", "REAL",
    "TEXT", "VARCHAR",
];

/// A comment without the stars at its start, and without those that begin all of its other lines.
fn without_stars(comment: &str) -> String {
    let is_plain = |line: &str| !line.is_empty() && !line.starts_with('*');
    let are_starred = !comment.lines().skip(1).any(|line| is_plain(line.trim_start()));
    let without = |(at, line): (usize, &str)| match at {
        0 => line.trim_start_matches('*').to_owned(),
        _ if are_starred => line.trim_start().trim_start_matches('*').to_owned(),
        _ => line.to_owned(),
    };
    comment.lines().enumerate().map(without).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn comments_checks_and_names_are_read() {
        let sql = "CREATE TABLE \"order\" ( -- What a customer bought
            id INTEGER PRIMARY KEY, -- Its number
            -- Who bought it
            customer_id INTEGER NOT NULL CONSTRAINT fk_c REFERENCES customer(id),
            [odd, name] TEXT COLLATE NOCASE DEFAULT 'a -- b, c' /* Not a
 comment of the default */ ,
            total NUMERIC CHECK (total >= 0 AND (total < 10)),
            twice AS (total * 2) STORED,
            plain TEXT
            -- Behind the last
            , CONSTRAINT pos CHECK (total <> 3), FOREIGN KEY (a) REFERENCES b, CONSTRAINT last FOREIGN KEY (x, y) REFERENCES z
        )";
        let read = read(sql);
        assert_eq!(read.comment.as_deref(), Some("What a customer bought"));
        let comment = |name: &str| read.columns[name].comment.as_deref();
        assert_eq!(comment("id"), Some("Its number"));
        assert_eq!(comment("customer_id"), Some("Who bought it"));
        assert_eq!(comment("odd, name"), Some("Not a\n comment of the default"));
        assert_eq!(comment("total"), None);
        assert_eq!(comment("plain"), Some("Behind the last"));
        assert_eq!(read.columns["odd, name"].collation.as_deref(), Some("NOCASE"));
        assert_eq!(read.columns["twice"].generated.as_deref(), Some("total * 2"));
        let checks: Vec<_> = read.checks.iter().map(|it| (it.name.as_deref(), it.expression.as_str())).collect();
        assert_eq!(checks, [(None, "total >= 0 AND (total < 10)"), (Some("pos"), "total <> 3")]);
        assert_eq!(read.foreign_keys, [Some("fk_c".to_owned()), None, Some("last".to_owned())]);
    }

    #[test]
    fn a_comment_of_several_lines_belongs_to_the_column_on_its_first_line() {
        let sql = "CREATE TABLE t ( /* What is
            bought */
            a int, -- about a
            c int, /* about c
            in two lines */
            d int /* about d
            in three
            lines */, e int /* about e
            too */
            NOT NULL,
            /* about f
            before it */
            f int
        )";
        let read = read(sql);
        let comment = |name: &str| read.columns[name].comment.as_deref().map(refdesk_text::lines::single_spaced);
        assert_eq!(read.comment.as_deref().map(refdesk_text::lines::single_spaced).as_deref(), Some("What is bought"));
        for (name, expected) in [
            ("a", "about a"),
            ("c", "about c in two lines"),
            ("d", "about d in three lines"),
            ("e", "about e too"),
            ("f", "about f before it"),
        ] {
            assert_eq!(comment(name).as_deref(), Some(expected), "{name}");
        }
    }

    #[test]
    fn comments_stay_in_order_and_with_their_column() {
        let sql = "CREATE TABLE t (
            cust text -- who
            -- bought it
            , n int /* one */ /* two */, /* note on m */ m int, -- *also* m
            /** about a,
             *  starred
             */
            a int -- first, line
            -- gone TEXT NOT NULL,
            -- old_price DECIMAL(10, 2),
            -- second line
            , b int, /* on the line of b */
            c int /* a list:
            * one
            and more */
        )";
        let read = read(sql);
        for (name, expected) in [
            ("cust", Some("who bought it")),
            ("n", Some("one two")),
            ("m", Some("note on m *also* m")),
            ("a", Some("about a, starred first, line second line")),
            ("b", Some("on the line of b")),
            ("c", Some("a list: * one and more")),
        ] {
            let comment = read.columns[name].comment.as_deref().map(refdesk_text::lines::single_spaced);
            assert_eq!(comment.as_deref(), expected, "{name}");
        }
    }

    #[test]
    fn virtual_tables_are_recognized() {
        for (sql, expected) in [
            ("CREATE VIRTUAL TABLE t USING fts5(a)", true),
            ("create /* x */ virtual\ntable t using x", true),
            ("CREATE TABLE virtual (a)", false),
            ("", false),
        ] {
            assert_eq!(is_virtual(sql), expected, "{sql}");
        }
    }

    proptest! {
        #[test]
        fn any_sql_is_accepted(sql in "(?s).{0,200}", odd in r#"CREATE TABLE t \([-(),'"\[\]`/*a-c \n]{0,80}"#) {
            read(&sql);
            read(&odd);
            is_virtual(&sql);
        }
    }
}
