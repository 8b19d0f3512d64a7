//! An entry of `sources` without problems or unusual members, as nearly all are. It borrows from the text of its file,
//! so checking a hundred thousand entries allocates no values.

use std::borrow::Cow;
use std::fmt;

use serde::de::{Deserialize, Deserializer, Error, Visitor};

/// The members that a plain entry may have; `null` counts as absent. Each may occur once.
#[derive(Debug, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct PlainEntry<'t> {
    #[serde(borrow)]
    pub(crate) id: Text<'t>,
    #[serde(borrow)]
    pub(crate) name: Option<Text<'t>>,
    #[serde(borrow)]
    pub(crate) description: Option<Text<'t>>,
    #[serde(borrow, rename = "type")]
    pub(crate) kind: Option<Text<'t>>,
    #[serde(borrow)]
    pub(crate) mode: Option<Text<'t>>,
    #[serde(borrow)]
    pub(crate) tags: Option<Vec<Text<'t>>>,
    #[serde(borrow)]
    pub(crate) path: Option<Text<'t>>,
    #[serde(borrow)]
    pub(crate) url: Option<Text<'t>>,
    #[serde(borrow)]
    pub(crate) content: Option<Text<'t>>,
    #[serde(borrow, rename = "fetchHint")]
    pub(crate) fetch_hint: Option<Text<'t>>,
    // Known members; the entry is plain only if they are absent.
    #[serde(default, rename = "server")]
    _server: (),
    #[serde(default, rename = "tool")]
    _tool: (),
    #[serde(default, rename = "args")]
    _args: (),
    #[serde(default, rename = "embedding")]
    _embedding: (),
    #[serde(default, rename = "contents")]
    _contents: (),
}

/// A JSON string, borrowed unless it has escapes. By default, serde copies a `Cow` inside an `Option` or a list.
#[derive(Debug)]
pub(crate) struct Text<'t>(Cow<'t, str>);

impl std::ops::Deref for Text<'_> {
    type Target = str;

    fn deref(&self) -> &str {
        &self.0
    }
}

impl<'t, 'd: 't> Deserialize<'d> for Text<'t> {
    fn deserialize<D: Deserializer<'d>>(deserializer: D) -> Result<Self, D::Error> {
        struct Strings;

        impl<'d> Visitor<'d> for Strings {
            type Value = Text<'d>;

            fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
                out.write_str("a string")
            }

            fn visit_borrowed_str<E: Error>(self, text: &'d str) -> Result<Text<'d>, E> {
                Ok(Text(Cow::Borrowed(text)))
            }

            fn visit_str<E: Error>(self, text: &str) -> Result<Text<'d>, E> {
                Ok(Text(Cow::Owned(text.to_owned())))
            }
        }
        deserializer.deserialize_str(Strings)
    }
}
