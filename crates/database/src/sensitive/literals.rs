//! Values quoted by the schema itself, in defaults, expressions, checks and labels. Those of a sensitive column are
//! never shown; those of other columns are hidden if they look like an address, a card number or a secret.

use std::borrow::Cow;
use std::collections::HashSet;

use super::detect::detect;
use crate::snapshot::Column;

/// Whether an expression contains a text or number that a detector recognizes.
fn quotes_a_value(expression: &str) -> bool {
    let quoted = expression.split('\'').skip(1).step_by(2);
    let words = expression.split(|c: char| c.is_whitespace() || "(),;'\"=<>|[]{}".contains(c));
    std::iter::once(expression).chain(quoted).chain(words).any(|text| detect(text).is_some())
}

/// The column with only those parts of its default, expression and labels that may be shown, in a table with these
/// sensitive columns.
pub(crate) fn without_values<'c>(column: &'c Column, sensitive: &[&str]) -> Cow<'c, Column> {
    let is_sensitive = sensitive.contains(&column.name.as_str());
    let hides = |text: &String| is_sensitive || quotes_a_value(text);
    let is_computed_of_one = |text: &String| sensitive.iter().copied().any(named_in(text));
    let mut shown = Cow::Borrowed(column);
    if column.default.as_ref().is_some_and(hides) {
        shown.to_mut().default = None;
    }
    if column.generated.as_ref().is_some_and(|text| hides(text) || is_computed_of_one(text)) {
        shown.to_mut().generated = None;
    }
    if column.labels.iter().any(hides) {
        shown.to_mut().labels.clear();
    }
    shown
}

/// Tells which columns an expression names. A name that is not a single plain word may be quoted in several ways, so only
/// letters and digits are compared.
pub(crate) fn named_in(expression: &str) -> impl Fn(&str) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    let parts =
        move |text: &str| -> String { text.chars().filter(|c| is_part(*c)).flat_map(char::to_lowercase).collect() };
    let words: HashSet<String> = expression.split(|c| !is_part(c)).map(str::to_lowercase).collect();
    let all = parts(expression);
    move |name| match name.chars().all(is_part) {
        true => words.contains(&name.to_lowercase()),
        false => all.contains(&parts(name)),
    }
}

/// A check as it may be shown, in a table with these sensitive columns.
pub(crate) fn check(expression: &str, sensitive: &[&str]) -> String {
    let is_named = named_in(expression);
    match sensitive.iter().find(|name| is_named(name)) {
        Some(name) => format!("not shown: it is about {name}, which is sensitive"),
        None if quotes_a_value(expression) => "not shown: it quotes what looks like a sensitive value".to_owned(),
        None => expression.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_quoted_in_a_schema() {
        for (expression, is_value) in [
            ("'a@example.com'", true),
            ("'4111111111111111'::text", true),
            ("4111111111111111", true),
            ("(plain || 'a@example.com')", true),
            ("ARRAY['x', 'a@example.com']", true),
            ("'{a@example.com}'::text[]", true),
            ("'bob@example.com:hunter2'", true),
            ("(b <> 'bob@example.com/home')", true),
            ("(url <> 'http://192.168.1.10/x')", true),
            ("(mail ~ '^[^@]+@[^@]+\\.[a-z]+$')", false),
            ("'Server=x;Password=hunter2'::text", true),
            ("'Server=db;Pwd=a1&hunter2'", true),
            ("'MYSQL_PWD=hunter2'", true),
            ("'{\"password\":\"a1)hunter2\"}'", true),
            ("(body <> 'DB_PASSWORD=hunter2'::text)", true),
            ("'password=required'::text", false),
            ("'$2b$12$EixZaYVK1fsbw1ZfbX3OXePaWxn96p36WQoeG6Lruj3vjPGga31lW'", true),
            ("'new'::text", false),
            ("CURRENT_TIMESTAMP", false),
            ("nextval('sales.order_id_seq'::regclass)", false),
            ("(price * 2)", false),
            ("0", false),
        ] {
            assert_eq!(quotes_a_value(expression), is_value, "{expression}");
        }
    }

    #[test]
    fn a_sensitive_column_reveals_no_quoted_values() {
        let column = Column {
            default: Some("'x'".into()),
            generated: Some("'y'".into()),
            labels: vec!["f".into()],
            ..Column::default()
        };
        assert_eq!(*without_values(&column, &["other"]), column);
        assert_eq!(*without_values(&column, &[""]), Column::default());
        let computed = Column { generated: Some("CASE WHEN name = 'Smith' THEN 1 END".into()), ..Column::default() };
        assert_eq!(*without_values(&computed, &["name"]), Column::default());
        for (expression, told) in [
            ("NAME <> 'Smith'", "not shown: it is about name, which is sensitive"),
            ("[full Title] <> 'Smith'", "not shown: it is about full title, which is sensitive"),
            ("`e-mail` <> 'Smith'", "not shown: it is about e-mail, which is sensitive"),
            ("\"a\"\"b\" <> 'Smith'", "not shown: it is about a\"b, which is sensitive"),
            ("state in ('new', 'name_of')", "state in ('new', 'name_of')"),
            ("state <> 'a@example.com'", "not shown: it quotes what looks like a sensitive value"),
        ] {
            assert_eq!(check(expression, &["name", "full title", "e-mail", "a\"b"]), told);
        }
    }
}
