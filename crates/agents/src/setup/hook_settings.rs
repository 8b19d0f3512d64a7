//! The hooks in a settings file, as reports show them.

use jsonc_parser::ast::Value as Ast;
use serde_json::Value;

use super::client::Client;
use super::command::{NAME, is_ours};
use super::entries::{Entry, HOOKS, ours};
use super::gaps::{HookGap, gaps};
use super::plan::split_mark;
use super::problem::keys_in_words;
use super::text::parse;
use refdesk_text::Error;

/// The hooks in a settings file that run refdesk for an agent, and those that look like it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HookSettings {
    /// The distinct commands with which they run refdesk.
    pub commands: Vec<String>,
    /// The keys in their entries that we would not write, in words; `None` if there are none.
    pub foreign_keys: Option<String>,
    /// What the entries miss, in the order in which connecting adds the events.
    pub gaps: Vec<HookGap>,
    /// The commands that mention our hooks but do more than run them for this agent. `connect` leaves them alone.
    pub foreign_commands: Vec<String>,
}

impl HookSettings {
    /// Reads the hooks of this agent.
    ///
    /// # Errors
    /// The file does not parse.
    pub fn read(text: &str, client: &Client) -> Result<Self, Error> {
        let (_, body) = split_mark(Some(text));
        let value = parse(body)?;
        let found = value.as_ref().and_then(Ast::as_object).map(|root| ours(root, client.word)).unwrap_or_default();
        let mut commands: Vec<String> = found.iter().filter_map(Entry::command).collect();
        commands.dedup();
        let foreign_keys = keys_in_words(&distinct(found.iter().flat_map(Entry::foreign_keys)));
        let gaps = gaps(&found, client);
        let foreign_commands = value.map(|root| foreign_commands(&root.into(), client)).unwrap_or_default();
        Ok(Self { commands, foreign_keys, gaps, foreign_commands })
    }
}

fn foreign_commands(root: &Value, client: &Client) -> Vec<String> {
    let events = root.get(HOOKS).and_then(Value::as_object).into_iter().flatten();
    let elements = events.filter_map(|(_, list)| list.as_array()).flatten();
    let handlers = elements.flat_map(|element| {
        let inner = element.get(HOOKS).and_then(Value::as_array).into_iter().flatten();
        std::iter::once(element).chain(inner)
    });
    let is_foreign =
        |command: &&str| command.contains(NAME) && command.contains("hook") && !is_ours(command, client.word);
    let commands = handlers.filter_map(|handler| handler.get("command")?.as_str()).filter(is_foreign);
    distinct(commands.map(str::to_owned))
}

fn distinct(all: impl Iterator<Item = String>) -> Vec<String> {
    let mut found = Vec::new();
    for item in all {
        if !found.contains(&item) {
            found.push(item);
        }
    }
    found
}
