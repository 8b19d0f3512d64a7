//! Finds the partials that a Mustache template can reach before it is rendered, so that rendering needs no index and reads
//! no file.

use std::collections::BTreeMap;

use super::limits::PARTIAL_BYTES;
use crate::error::template_error;
use crate::mustache::{Node, ParsedMustache, parse};
use crate::strip;
use refdesk_text::Error;

/// Every partial that the template can reach, by name: from `given` first, else from `find`. An unknown one is left out,
/// and rendering warns about it.
///
/// # Errors
///
/// Their total size exceeds `PARTIAL_BYTES`.
pub fn gather(
    text: &str,
    given: &BTreeMap<String, String>,
    find: &dyn Fn(&str) -> Option<String>,
) -> Result<BTreeMap<String, String>, Error> {
    let mut found: BTreeMap<String, String> = BTreeMap::new();
    let (mut wanted, mut bytes) = (asked_in(text), 0);
    while let Some(name) = wanted.pop() {
        if found.contains_key(&name) {
            continue;
        }
        let Some(text) = given.get(&name).cloned().or_else(|| find(&name)) else { continue };
        bytes += text.len();
        if bytes > PARTIAL_BYTES {
            let message = format!("the partials exceed the limit of {PARTIAL_BYTES} bytes (16 MiB)");
            return Err(template_error(None, message));
        }
        wanted.extend(asked_in(&text));
        found.insert(name, text);
    }
    Ok(found)
}

/// The partials that a text uses; none if it does not parse, which rendering reports.
fn asked_in(text: &str) -> Vec<String> {
    parse(&strip(text).text).map(|parsed| names(&parsed)).unwrap_or_default()
}

fn names(parsed: &ParsedMustache<'_>) -> Vec<String> {
    let name = |node: &Node<'_>| if let Node::Partial { name, .. } = node { Some((*name).to_owned()) } else { None };
    parsed.nodes.iter().filter_map(name).collect()
}
