//! `refdesk add`: one source more.

use serde_json::json;

use super::answer::Answer;
use super::args::{AddArgs, NewMode};
use crate::catalog::Mode;
use crate::desk::{Desk, NewSource};
use crate::text::escape::one_line;

/// Writes the entry into a file of its own.
pub fn run(desk: &mut Desk, args: &AddArgs) -> Answer {
    let mode = match args.mode {
        NewMode::Auto => Mode::Auto,
        NewMode::Selectable => Mode::Selectable,
    };
    let (place, id, name) = (args.place.clone(), args.id.clone(), args.name.clone());
    match desk.add(&NewSource { place, id, name, tags: args.tags.clone(), mode }) {
        Ok(added) => {
            let file = desk.around().display(&added.file);
            let text = format!("added {} in {file}\n", one_line(added.id.as_str()));
            Answer::new(json!({"status": "success", "id": added.id, "file": file, "entry": added.entry}), text)
        }
        Err(refusal) => Answer::refused(refusal).with_status("error"),
    }
}
