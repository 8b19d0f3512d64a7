//! `.jaato/templates/index.json`: the templates of the default desk, for other tools. It is rewritten only if more than
//! its time would change.

use std::path::Path;

use serde_json::{Map, Value, json};

use super::{INDEX, Written, ignore_in_git, look};
use crate::session::store::Store;
use crate::session::templates::record::PathOccupant;
use refdesk_files::{read_state_file, write_derived};
use refdesk_text::report::Diagnostic;

/// The maximum size of an index in bytes; a larger one is not ours.
const LIMIT: u64 = 64 * 1024 * 1024;

impl Store {
    pub(super) fn write_index(
        &self,
        folder: &Path,
        templates: &Map<String, Value>,
        done: &mut Written,
    ) -> Result<(), Diagnostic> {
        let file = folder.join(INDEX);
        let found = look_large(&file);
        match &found {
            PathOccupant::Nothing if templates.is_empty() => return Ok(()),
            PathOccupant::Nothing => {}
            PathOccupant::Other(what) => {
                done.diagnostics.push(self.left(INDEX, &format!("this is {what}, so nothing is written there")));
                return Ok(());
            }
            PathOccupant::File { empty, .. } => match read_index(&file) {
                Some(known) if known.get("templates") == Some(&Value::Object(templates.clone())) => return Ok(()),
                None if !empty => {
                    done.diagnostics
                        .push(self.left(INDEX, "the file is not an index of templates, so it was left unchanged"));
                    return Ok(());
                }
                _ => {}
            },
        }
        let now = jiff::Timestamp::try_from((self.clock)()).unwrap_or_default();
        let index = json!({
            "generated_at": now.strftime("%Y-%m-%dT%H:%M:%SZ").to_string(),
            "template_count": templates.len(),
            "templates": templates,
        });
        let text = format!("{index:#}\n");
        ignore_in_git(folder)
            .and_then(|()| write_derived(&file, text.as_bytes()))
            .map_err(|error| self.unwritable(&error))
    }
}

/// Like `look`, with a larger limit: an index may be larger than a template.
fn look_large(file: &Path) -> PathOccupant {
    match look(file) {
        PathOccupant::Other("too large to be a template") => PathOccupant::File { hash: String::new(), empty: false },
        found => found,
    }
}

/// The index in this file; `None` if it has other content.
fn read_index(file: &Path) -> Option<Map<String, Value>> {
    let (bytes, more) = read_state_file(file, LIMIT).ok()?;
    let members: Map<String, Value> = serde_json::from_slice(&bytes).ok().filter(|_| !more)?;
    let is_index = members.get("generated_at").is_some() && members.get("templates").is_some_and(Value::is_object);
    is_index.then_some(members)
}
