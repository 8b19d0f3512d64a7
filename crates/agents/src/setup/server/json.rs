//! The list of servers in JSON with comments: an object, by name.

use jsonc_parser::ast::{Object, Value as Ast};
use serde_json::{Map, Value};

use super::super::additions::{only, wrong};
use super::super::cut::cut;
use super::super::entries::{has_no_comment, members};
use super::super::insert::{append, whole};
use super::super::plan;
use super::super::text::{Container, Layout, parse};
use super::{Additions, SERVER};
use refdesk_text::Error;

/// The value of the text; `None` if it is blank.
pub(crate) fn value(text: &str) -> Result<Option<Value>, Error> {
    Ok(parse(text)?.map(Value::from))
}

/// Adds the entry, in the layout of the text.
pub(crate) fn add(text: &str, keys: &[&str], entry: &Value) -> Result<Additions, Error> {
    let root = match parse(text)? {
        Some(Ast::Object(root)) => root,
        Some(other) => return Err(wrong(text, &other, "the settings", "an object")),
        None => {
            let made = std::iter::once(String::new()).chain(paths(keys, 0)).collect();
            return Ok(Additions { inserts: vec![whole(text, &nested(keys, entry))], made });
        }
    };
    let layout = Layout::of(text, &Container::of_object(&root));
    let mut object = &root;
    for (depth, key) in keys.iter().enumerate() {
        match only(text, object, key)? {
            Some(Ast::Object(inner)) => object = inner,
            Some(other) => return Err(wrong(text, other, &format!("'{key}'"), "an object")),
            None => {
                let rest = nested(keys.get(depth + 1..).unwrap_or_default(), entry);
                let inserts = append(text, &Container::of_object(object), &[(Some(*key), rest)], &layout);
                return Ok(Additions { inserts, made: paths(keys, depth).collect() });
            }
        }
    }
    only(text, object, SERVER)?;
    let inserts = append(text, &Container::of_object(object), &[(Some(SERVER), entry.clone())], &layout);
    Ok(Additions { inserts, made: Vec::new() })
}

/// The text without our entry, and without containers that this empties and that may be removed.
pub(super) fn cut_entry(text: &str, keys: &[&str], may_remove: &dyn Fn(&str) -> bool) -> Result<String, Error> {
    let Some(Ast::Object(root)) = parse(text)? else { return Ok(text.to_owned()) };
    let mut path: Vec<&Object<'_>> = vec![&root];
    for key in keys {
        let inner = path.last().and_then(|object| members(object, key).next()).map(|(_, member)| &member.value);
        let Some(Ast::Object(inner)) = inner else { return Ok(text.to_owned()) };
        path.push(inner);
    }
    let names = keys.iter().copied().chain([SERVER]);
    let mut place = None;
    // From the outside in: the first container that would become empty is removed as a whole.
    for (depth, (object, name)) in path.iter().zip(names).enumerate() {
        let Some((at, member)) = members(object, name).next() else { return Ok(text.to_owned()) };
        place = Some((Container::of_object(object), at));
        let inner = path.get(depth + 1..).unwrap_or_default();
        let is_sole = !inner.is_empty() && inner.iter().all(|object| Container::of_object(object).is_sole(text));
        let may_go = (depth..keys.len()).all(|depth| may_remove(&joined(keys, depth)));
        if is_sole && may_go && has_no_comment(text, member) {
            break;
        }
    }
    Ok(place.map_or_else(|| text.to_owned(), |(from, at)| cut(text, &from, at)))
}

/// The first byte of the innermost existing key on this path.
pub(crate) fn place(text: &str, keys: &[&str]) -> usize {
    let value = parse(text).ok().flatten();
    let (mut place, mut inner) = (0, value.as_ref());
    for key in keys {
        let Some((_, member)) = inner.and_then(Ast::as_object).and_then(|object| members(object, key).next()) else {
            break;
        };
        (place, inner) = (member.range.start, Some(&member.value));
    }
    place
}

/// The text around an empty object that is the whole value.
pub(crate) fn around_empty(text: &str) -> Result<Option<String>, Error> {
    Ok(match parse(text)? {
        Some(Ast::Object(root)) => plan::around_empty(text, &root),
        _ => None,
    })
}

/// Our entry wrapped in these containers.
fn nested(keys: &[&str], entry: &Value) -> Value {
    let named = |name: &str, value: Value| Value::Object(Map::from_iter([(name.to_owned(), value)]));
    keys.iter().rev().fold(named(SERVER, entry.clone()), |value, key| named(key, value))
}

/// The paths of the containers from this depth on.
fn paths(keys: &[&str], depth: usize) -> impl Iterator<Item = String> {
    (depth..keys.len()).map(|depth| joined(keys, depth))
}

fn joined(keys: &[&str], depth: usize) -> String {
    keys.get(..=depth).unwrap_or_default().join("/")
}
