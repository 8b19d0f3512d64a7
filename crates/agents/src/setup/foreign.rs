//! Entries that look like ours but are not. `connect` leaves them alone; reports list them.

use serde_json::Value;

use super::client::{Client, SettingsFormat};
use super::command::{NAME, is_ours};
use super::entries::HOOKS;
use refdesk_text::Error;

/// The commands in these settings that mention our hooks but do more than run them for this agent.
///
/// # Errors
/// The file does not parse.
pub fn foreign_hooks(text: &str, client: &Client) -> Result<Vec<String>, Error> {
    let Some(root) = SettingsFormat::Json.value(text)? else { return Ok(Vec::new()) };
    let events = root.get(HOOKS).and_then(Value::as_object).into_iter().flatten();
    let elements = events.filter_map(|(_, list)| list.as_array()).flatten();
    let handlers = elements.flat_map(|element| {
        let inner = element.get(HOOKS).and_then(Value::as_array).into_iter().flatten();
        std::iter::once(element).chain(inner)
    });
    let is_foreign =
        |command: &&str| command.contains(NAME) && command.contains("hook") && !is_ours(command, client.word);
    let commands = handlers.filter_map(|handler| handler.get("command")?.as_str()).filter(is_foreign);
    let mut found: Vec<String> = Vec::new();
    for command in commands {
        if !found.iter().any(|known| known == command) {
            found.push(command.to_owned());
        }
    }
    Ok(found)
}
