//! Addresses of resources: `reference://<id>` and `reference://<id>/<path>`. Everything except letters, digits and
//! `-._~` is percent-encoded, including a `/` in an id, which would start a path.

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};

const SCHEME: &str = "reference://";

/// Length limit in bytes; no id and path in a file system need more.
const MAX_BYTES: usize = 16 * 1024;

const IN_ID: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');
const IN_PATH: &AsciiSet = &IN_ID.remove(b'/');

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Address {
    /// The id of a source.
    pub id: String,
    /// A file in the source.
    pub path: Option<String>,
}

impl Address {
    /// The address of a source itself.
    pub(crate) fn of(id: &str) -> Self {
        Self { id: id.to_owned(), path: None }
    }

    /// Parses an address; the error is a message.
    pub(crate) fn parse(uri: &str) -> Result<Self, &'static str> {
        if uri.len() > MAX_BYTES {
            return Err("an address must not exceed 16 KiB");
        }
        let has_scheme = uri.get(..SCHEME.len()).is_some_and(|begin| begin.eq_ignore_ascii_case(SCHEME));
        let rest = uri.get(SCHEME.len()..).filter(|_| has_scheme);
        let rest = rest.ok_or("an address must begin with reference://")?;
        let (id, path) = rest.split_once('/').map_or((rest, None), |(id, path)| (id, Some(path)));
        let decoded = |text: &str| match percent_decode_str(text).decode_utf8() {
            Ok(text) if text.contains('\0') => Err("an address must not contain NUL"),
            Ok(text) => Ok(text.into_owned()),
            Err(_) => Err("percent-encoded bytes in an address must be UTF-8"),
        };
        let id = decoded(id)?;
        if id.is_empty() {
            return Err("the id of a source is missing");
        }
        let path = path.map(decoded).transpose()?.filter(|path| !path.is_empty());
        Ok(Self { id, path })
    }
}

impl std::fmt::Display for Address {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(out, "{SCHEME}{}", utf8_percent_encode(&self.id, IN_ID))?;
        self.path.as_ref().map_or(Ok(()), |path| write!(out, "/{}", utf8_percent_encode(path, IN_PATH)))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn valid_and_invalid_addresses() {
        let at = |id: &str, path: Option<&str>| Ok(Address { id: id.into(), path: path.map(str::to_owned) });
        for (uri, expected) in [
            ("reference://pat-retry", at("pat-retry", None)),
            ("REFERENCE://Pat.Retry", at("Pat.Retry", None)),
            ("reference://pat-retry/", at("pat-retry", None)),
            ("reference://a%20b%2Fc/x/y.md", at("a b/c", Some("x/y.md"))),
            ("reference://a/x%2Fy.md", at("a", Some("x/y.md"))),
            // Reading checks whether these may be read.
            ("reference://../x", at("..", Some("x"))),
            ("reference://a/%2e%2e/%2E%2E/etc/passwd", at("a", Some("../../etc/passwd"))),
            ("reference://a//etc/passwd", at("a", Some("/etc/passwd"))),
            ("reference://", Err("the id of a source is missing")),
            ("reference:///x", Err("the id of a source is missing")),
            ("reference://a%00b", Err("an address must not contain NUL")),
            ("reference://a/b\0", Err("an address must not contain NUL")),
            ("reference://a/%ff", Err("percent-encoded bytes in an address must be UTF-8")),
            ("file:///etc/passwd", Err("an address must begin with reference://")),
            ("", Err("an address must begin with reference://")),
            ("ré", Err("an address must begin with reference://")),
        ] {
            assert_eq!(Address::parse(uri), expected, "{uri}");
        }
        assert!(Address::parse(&format!("reference://{}", "a".repeat(MAX_BYTES))).is_err());
    }

    proptest! {
        #[test]
        fn a_printed_address_parses_to_itself(id in "[^\0]{1,40}", path in proptest::option::of("[^\0]{1,40}")) {
            let address = Address { id, path };
            let uri = address.to_string();
            prop_assert!(uri.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-._~%/:".contains(&byte)), "{}", uri);
            prop_assert_eq!(Address::parse(&uri), Ok(address));
        }
    }
}
