//! Determines which of our members a settings file lacks; each is appended to its container. A value of an unexpected
//! type or a duplicate key is an error.

use jsonc_parser::ast::{Object, Value};
use jsonc_parser::common::Ranged;

use super::client::Client;
use super::entries::{HOOKS, members};
use super::insert::{Insert, Member, append, whole};
use super::text::{Container, Layout, error_at, parse};
use refdesk_text::{Code, Error};

/// What to add to a text that has none of our entries, and which containers the additions create.
pub(super) fn additions(
    text: &str,
    client: &Client,
    wanted: &[(&str, serde_json::Value)],
) -> Result<(Vec<Insert>, Vec<String>), Error> {
    let listed =
        |(event, entry): &(&str, serde_json::Value)| ((*event).to_owned(), [entry.clone()].into_iter().collect());
    let all = || serde_json::Value::Object(wanted.iter().map(listed).collect());
    let event_path = |event: &str| format!("{HOOKS}/{event}");
    let events = || wanted.iter().map(|(event, _)| event_path(event));
    let root = match parse(text)? {
        Some(Value::Object(root)) => root,
        Some(other) => return Err(wrong(text, &other, "the settings", "an object")),
        None => {
            let version = client.version().map(|(name, value)| (name.to_owned(), value));
            let all = version.into_iter().chain([(HOOKS.to_owned(), all())]).collect();
            let made = [String::new(), HOOKS.to_owned()].into_iter().chain(events());
            let made = made.chain(client.version().map(|(name, _)| name.to_owned()));
            return Ok((vec![whole(text, &serde_json::Value::Object(all))], made.collect()));
        }
    };
    let top = Container::of_object(&root);
    let layout = Layout::of(text, &top);
    let mut made = Vec::new();
    let mut at_top: Vec<Member<'_>> = Vec::new();
    if let Some((name, value)) = client.version()
        && members(&root, name).next().is_none()
    {
        made.push(name.to_owned());
        at_top.push((Some(name), value));
    }
    let mut inserts = Vec::new();
    match only(text, &root, HOOKS)? {
        None => {
            made.push(HOOKS.to_owned());
            made.extend(events());
            at_top.push((Some(HOOKS), all()));
        }
        Some(Value::Object(hooks)) => {
            let mut new: Vec<Member<'_>> = Vec::new();
            for (event, entry) in wanted {
                match only(text, hooks, event)? {
                    None => {
                        made.push(event_path(event));
                        new.push((Some(event), [entry.clone()].into_iter().collect()));
                    }
                    Some(Value::Array(list)) => {
                        inserts.extend(append(text, &Container::of_list(list), &[(None, entry.clone())], &layout));
                    }
                    Some(other) => return Err(wrong(text, other, &format!("'{HOOKS}.{event}'"), "a list")),
                }
            }
            if !new.is_empty() {
                inserts.extend(append(text, &Container::of_object(hooks), &new, &layout));
            }
        }
        Some(other) => return Err(wrong(text, other, &format!("'{HOOKS}'"), "an object")),
    }
    if !at_top.is_empty() {
        inserts.extend(append(text, &top, &at_top, &layout));
    }
    Ok((inserts, made))
}

/// The only member with this name. Duplicates are an error, since it is unknown which one the agent uses.
pub(super) fn only<'a, 'b>(text: &str, object: &'b Object<'a>, name: &'b str) -> Result<Option<&'b Value<'a>>, Error> {
    let mut found = members(object, name);
    let first = found.next();
    match found.next() {
        Some((_, second)) => {
            let message = format!("'{name}' occurs twice");
            Err(error_at(text, second.range.start, Code::DuplicateKey, &message))
        }
        None => Ok(first.map(|(_, member)| &member.value)),
    }
}

pub(super) fn wrong(text: &str, value: &Value<'_>, what: &str, kind: &str) -> Error {
    error_at(text, value.range().start, Code::WrongType, &format!("{what} should be {kind}"))
}
