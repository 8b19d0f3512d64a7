//! Plaintext passwords in a URL or a key-value list: a text with one is rejected, and shown only with the password
//! masked.

use percent_encoding::percent_decode_str;

use crate::parts::{place, replaced};

/// Keys for a secret.
pub(super) const SECRETS: &[&str] = &["password", "token", "private_key", "passphrase", "secret"];

/// Further keys for a secret in a URL or a list.
const MORE_SECRETS: &[&str] = &["sslpassword", "passwd", "pwd", "pass", "oauth_client_secret"];

/// Parts of keys whose values are masked.
const NOT_SHOWN: &[&str] = &["pass", "pwd", "secret", "token", "key"];

/// Replaces a secret.
const MASK: &str = "***";

/// Substrings of keys for a secret, and suffixes of keys that only refer to one.
const SECRET_PARTS: &[&str] =
    &["pass", "pwd", "secret", "token", "credential", "private_key", "api_key", "apikey", "access_key"];
const PLACES: &[&str] = &["env", "file", "path", "command", "url", "name"];

/// Whether a key holds a secret, as `passwd` does and `passfile` does not.
pub(super) fn is_secret_key(key: &str) -> bool {
    let key = key.to_lowercase().replace('-', "_");
    SECRET_PARTS.iter().any(|part| key.contains(part)) && !PLACES.iter().any(|place| key.ends_with(place))
}

/// Whether a text contains a password that is not a variable.
pub(super) fn has_plain_password(text: &str) -> bool {
    let is_secret = |key: &str| SECRETS.iter().chain(MORE_SECRETS).any(|secret| key.eq_ignore_ascii_case(secret));
    written(text, is_secret).next().is_some()
}

/// The text with everything that may be secret masked.
pub(super) fn masked(text: &str) -> String {
    let is_secret = |key: &str| NOT_SHOWN.iter().any(|part| key.to_lowercase().contains(part));
    let parts = written(text, is_secret).map(|secret| (place(text, secret), MASK.to_owned()));
    replaced(text, parts.collect())
}

/// The values of these keys and the password before the host, unless they are variables.
fn written<'t>(text: &'t str, is_secret: impl Fn(&str) -> bool + 't) -> impl Iterator<Item = &'t str> {
    let rest = text.split_once("://").map_or(text, |(_, rest)| rest);
    // The driver ends the user and the password at the last `@`, so a slash may be part of them.
    let password = rest.rsplit_once('@').and_then(|(user, _)| user.split_once(':')).map(|(_, password)| password);
    let is_url = text.contains("://");
    let in_query = text.split(['?', '&', ';']).filter(move |_| is_url).filter_map(|pair| pair.split_once('='));
    let of_keys = in_query
        .chain(members(text).filter(move |_| !is_url))
        .filter(move |(key, _)| is_secret(percent_decode_str(key.trim()).decode_utf8_lossy().trim()));
    let values = of_keys.map(|(_, value)| value.trim().trim_matches('\''));
    password.into_iter().chain(values).filter(|value| !value.is_empty() && variable(value).is_none())
}

/// The members of PostgreSQL's `key=value` form, in which spaces around `=` and quotes around a value are allowed.
fn members(text: &str) -> impl Iterator<Item = (&str, &str)> {
    let signs = text.match_indices('=').map(|(at, _)| text.split_at(at));
    signs.map(|(before, after)| {
        let key = before.trim_end().rsplit(char::is_whitespace).next().unwrap_or_default();
        let value = after.trim_start_matches('=').trim_start();
        let quoted = value.strip_prefix('\'').map(|rest| rest.split('\'').next().unwrap_or(rest));
        let plain = value.split(char::is_whitespace).next().unwrap_or_default();
        (key, quoted.unwrap_or(plain))
    })
}

/// The name in `${NAME}`.
pub(super) fn variable(text: &str) -> Option<String> {
    let name = text.strip_prefix("${")?.strip_suffix('}')?;
    let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
    (!name.is_empty() && name.chars().all(is_name)).then(|| name.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_literal_password_is_distinguished_from_a_variable() {
        for (url, expected) in [
            ("postgres://ann:secret@db/shop", true),
            ("postgres://ann:${PGPASSWORD}@db/shop", false),
            ("postgres://ann@db/shop", false),
            ("postgres://ann@db:5432/shop?application_name=x", false),
            ("postgres://db:5432/shop", false),
            ("postgres://db/shop?user=ann&password=x", true),
            ("postgres://db/shop?user=ann&PassWord=x", true),
            ("postgres://db/shop?pass%77ord=x", true),
            ("postgres://db/shop?sslpassword=x", true),
            ("postgres://db/shop?password=${X}", false),
            ("postgres://db/shop?password=${X}&user=ann", false),
            ("postgres://u:p/w@localhost:5477/x", true),
            ("postgres://u:p?w@localhost/x", true),
            ("postgres://u:p#w@localhost/x", true),
            ("host=db user=ann password=x", true),
            ("host=db user=reader password = x dbname=d", true),
            ("host=db password =x", true),
            ("host=db PASSWORD= 'x y'", true),
            ("host=db password = ${X} dbname=d", false),
            ("host=db password='${X}'", false),
            ("host=db password = ", false),
            ("host=db dbname=password", false),
            ("${DATABASE_URL}", false),
            ("postgres://a:b:c@d@db/x", true),
        ] {
            assert_eq!(has_plain_password(url), expected, "{url}");
            assert!(!expected || masked(url).contains(MASK), "{url}");
        }
    }

    #[test]
    fn possible_secrets_are_not_shown() {
        for (text, shown) in [
            ("postgres://ann:s/x@db/shop", "postgres://ann:***@db/shop"),
            ("postgres://ann:${P}@db/shop?user_key=x&a=b", "postgres://ann:${P}@db/shop?user_key=***&a=b"),
            ("host = db Password = 'a b' user=u", "host = db Password = '***' user=u"),
            ("host=db user=ann", "host=db user=ann"),
        ] {
            assert_eq!(masked(text), shown);
        }
    }
}
