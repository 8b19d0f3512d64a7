//! Finds all partials that a Mustache template can reach before it is rendered, so that rendering needs no index and
//! reads no file.

use std::collections::{BTreeMap, BTreeSet};

use super::limits::PARTIAL_BYTES;
use crate::error::template_error;
use crate::mustache::{Node, ParsedMustache, parse, parts};
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
    let (mut wanted, mut bytes) = (partial_names(text), 0);
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
        wanted.extend(partial_names(&text));
        found.insert(name, text);
    }
    Ok(found)
}

/// The names used in partials, including each part of dotted names: what they refer to depends on where a partial is
/// expanded.
pub fn names_in(partials: &BTreeMap<String, String>) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for text in partials.values() {
        let stripped = strip(text);
        let Ok(parsed) = parse(&stripped.text) else { continue };
        for node in &parsed.nodes {
            if let Node::Value { name, .. } | Node::Open { name, .. } = node {
                found.extend(parts(name).into_iter().map(str::to_owned));
            }
        }
    }
    found
}

/// The partials that a text uses; none if the text does not parse, which rendering reports.
fn partial_names(text: &str) -> Vec<String> {
    parse(&strip(text).text).map(|parsed| names(&parsed)).unwrap_or_default()
}

fn names(parsed: &ParsedMustache<'_>) -> Vec<String> {
    let name = |node: &Node<'_>| if let Node::Partial { name, .. } = node { Some((*name).to_owned()) } else { None };
    parsed.nodes.iter().filter_map(name).collect()
}
