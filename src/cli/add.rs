//! `refdesk add`: adds a source.

use serde_json::json;

use super::answer::CommandOutput;
use super::args::{AddArgs, NewMode};
use super::output::ask_to_leave;
use refdesk_core::catalog::Mode;
use refdesk_desk::{Desk, NewSource, Session};
use refdesk_text::escape::one_line;

/// Writes the entry to a new file.
pub fn run(desk: &mut Desk, session: &Session, args: &AddArgs) -> CommandOutput {
    let mode = match args.mode {
        NewMode::Auto => Mode::Auto,
        NewMode::Selectable => Mode::Selectable,
    };
    let (place, id, name) = (args.place.clone(), args.id.clone(), args.name.clone());
    match desk.add(session, &NewSource { place, id, name, tags: args.tags.clone(), mode }, &ask_to_leave) {
        Ok(added) => {
            let file = desk.around().display(&added.file);
            let text = format!("added {} in {file}\n", one_line(added.id.as_str()));
            let json = json!({"status": "success", "id": added.id, "file": file, "entry": added.entry});
            let mut answer = CommandOutput::new(json, text);
            let desk = desk.settled();
            if desk.selection().contains(added.id.as_str()) {
                // A document that existed already may mention it: then it provides its templates from now on.
                let (index, _) = desk.templates();
                answer.diagnostics = desk.write_templates(session, &index).diagnostics;
            }
            answer
        }
        Err(refusal) => CommandOutput::refused(refusal).with_status("error"),
    }
}
