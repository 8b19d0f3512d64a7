//! Finds our entries in a settings file. Values of an unexpected shape are not ours and are skipped.

use jsonc_parser::ast::{Array, Object, ObjectProp, Value};
use jsonc_parser::common::Ranged;

use super::client::foreign_keys;
use super::command::{is_ours, program_of};
use super::text::{Container, part};

/// The key that contains all of an agent's hooks.
pub(super) const HOOKS: &str = "hooks";

/// One of our commands with its containers, outermost first.
pub(super) struct Entry<'a, 'b> {
    /// The `hooks` member.
    pub all: &'b ObjectProp<'a>,
    pub hooks: &'b Object<'a>,
    /// The index of the event in `hooks`.
    pub event_at: usize,
    pub event: &'b str,
    /// The event's list.
    pub list: &'b Array<'a>,
    /// The index of the element in `list`.
    pub element_at: usize,
    /// The commands of the element and the index of ours; `None` if the element is the command itself.
    pub commands: Option<(&'b Array<'a>, usize)>,
}

/// The members with this name.
pub(super) fn members<'a, 'b>(
    object: &'b Object<'a>,
    name: &'b str,
) -> impl Iterator<Item = (usize, &'b ObjectProp<'a>)> {
    object.properties.iter().enumerate().filter(move |(_, member)| member.name.as_str() == name)
}

/// All our entries, in text order.
pub(super) fn ours<'a, 'b>(root: &'b Object<'a>, agent: &str) -> Vec<Entry<'a, 'b>> {
    let mut found = Vec::new();
    for (_, all) in members(root, HOOKS) {
        let Value::Object(hooks) = &all.value else { continue };
        for (event_at, member) in hooks.properties.iter().enumerate() {
            let Value::Array(list) = &member.value else { continue };
            for (element_at, element) in list.elements.iter().enumerate() {
                let Value::Object(element) = element else { continue };
                let entry =
                    |commands| Entry { all, hooks, event_at, event: member.name.as_str(), list, element_at, commands };
                if calls(element, agent) {
                    found.push(entry(None));
                }
                for (_, commands) in members(element, HOOKS) {
                    let Value::Array(commands) = &commands.value else { continue };
                    let calls = |(_, it): &(usize, &Value<'_>)| it.as_object().is_some_and(|it| calls(it, agent));
                    let ours = commands.elements.iter().enumerate().filter(calls);
                    found.extend(ours.map(|(at, _)| entry(Some((commands, at)))));
                }
            }
        }
    }
    found
}

fn calls(handler: &Object<'_>, agent: &str) -> bool {
    members(handler, "command").any(|(_, it)| it.value.as_string_lit().is_some_and(|it| is_ours(&it.value, agent)))
}

impl Entry<'_, '_> {
    pub(crate) fn command(&self) -> Option<String> {
        let element = self.list.elements.get(self.element_at)?;
        let handler = self.commands.map_or(Some(element), |(commands, at)| commands.elements.get(at))?;
        let (_, command) = members(handler.as_object()?, "command").next()?;
        command.value.as_string_lit().map(|command| command.value.to_string())
    }

    /// Whether `is_it` accepts its program.
    pub(super) fn runs(&self, is_it: impl Fn(&str) -> bool) -> bool {
        self.command().and_then(|command| program_of(&command)).is_some_and(|program| is_it(&program))
    }

    /// The element reduced to this command.
    pub(crate) fn alone(&self) -> serde_json::Value {
        let Some(element) = self.list.elements.get(self.element_at) else { return serde_json::Value::Null };
        let mut value = serde_json::Value::from(element.clone());
        if let (Some((commands, at)), Some(members)) = (self.commands, value.as_object_mut()) {
            let own = commands.elements.get(at).cloned().map(serde_json::Value::from);
            members.insert(HOOKS.to_owned(), own.into_iter().collect());
        }
        value
    }

    /// The keys of the command and its element that we would not write.
    pub(crate) fn foreign_keys(&self) -> Vec<String> {
        let alone = self.alone();
        let is_own = |key: &str, value: &serde_json::Value| match key {
            "type" => value == "command",
            "timeout" => value.is_number(),
            _ => ["matcher", "command", "name", "description"].contains(&key),
        };
        let mut found =
            foreign_keys(&alone, |key, value| is_own(key, value) || (key == HOOKS && self.commands.is_some()));
        if self.commands.is_some()
            && let Some(handler) = alone.get(HOOKS).and_then(|commands| commands.get(0))
        {
            found.extend(foreign_keys(handler, is_own));
        }
        found
    }

    /// The outermost member to remove with the command: the command itself, or a container that would be empty without
    /// it. An event or all of `hooks` only if `may_remove` allows it, and nothing that contains a comment. `None`
    /// stands for the top-level `hooks` as a whole.
    pub(super) fn outermost(&self, text: &str, may_remove: impl Fn(&str) -> bool) -> Option<(Container, usize)> {
        let event = Container::of_list(self.list);
        if let Some((commands, at)) = self.commands {
            let commands = Container::of_list(commands);
            if !commands.is_sole(text) {
                return Some((commands, at));
            }
        }
        let goes = |inside: &Container, member: Option<&ObjectProp<'_>>, path: &str| {
            inside.is_sole(text) && member.is_some_and(|member| has_no_comment(text, member)) && may_remove(path)
        };
        let member = self.hooks.properties.get(self.event_at);
        if !goes(&event, member, &format!("{HOOKS}/{}", self.event)) {
            return Some((event, self.element_at));
        }
        let hooks = Container::of_object(self.hooks);
        if goes(&hooks, Some(self.all), HOOKS) { None } else { Some((hooks, self.event_at)) }
    }
}

/// Whether there is no comment between the member's name and its value.
pub(super) fn has_no_comment(text: &str, member: &ObjectProp<'_>) -> bool {
    let between = part(text, member.name.range().end, member.value.range().start);
    between.chars().all(|c| c.is_whitespace() || c == ':')
}

impl Container {
    /// Whether the container has exactly one member and no comment.
    pub(super) fn is_sole(&self, text: &str) -> bool {
        let [(start, end)] = self.members.as_slice() else { return false };
        let bare = |from, to| part(text, from, to).chars().all(|c| c.is_whitespace() || c == ',');
        bare(self.start, *start) && bare(*end, self.end)
    }
}
