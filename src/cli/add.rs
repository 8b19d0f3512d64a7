//! `refdesk add`: adds sources.

use std::path::Path;

use serde_json::{Value, json};

use super::answer::CommandOutput;
use super::args::{AddArgs, NewMode};
use super::fix::argument;
use super::output::{ask_line, ask_to_leave, can_ask};
use super::rows::{at_ids, result};
use refdesk_core::catalog::Mode;
use refdesk_core::mention::{files, gives_nothing_to_read};
use refdesk_desk::{Added, AddedSources, Desk, NewSource, Session};
use refdesk_files::walk::WalkBudget;
use refdesk_text::escape::one_line;
use refdesk_text::tokens::counted;
use refdesk_text::{Code, Error};

pub fn run(desk: &mut Desk, session: &Session, args: &AddArgs) -> CommandOutput {
    let (places, is_single) = match places(desk, args) {
        Ok(Some(found)) => found,
        Ok(None) => {
            return CommandOutput::new(
                json!({"status": "unchanged", "added": [], "known": []}),
                "Nothing was added.\n",
            );
        }
        Err(refusal) => return refused(refusal),
    };
    if places.len() > 1 && (args.id.is_some() || args.name.is_some() || args.description.is_some()) {
        let message =
            format!("--id, --name and --description apply to a single source, but {} were given", places.len());
        return CommandOutput::usage(message, "leave them out, or add one source at a time").with_status("error");
    }
    let mode = match args.mode {
        NewMode::Auto => Mode::Auto,
        NewMode::Selectable => Mode::Selectable,
    };
    let new = |place: String| NewSource {
        place,
        id: args.id.clone(),
        name: args.name.clone(),
        description: args.description.clone(),
        tags: args.tags.clone(),
        mode,
    };
    let new: Vec<NewSource> = places.into_iter().map(new).collect();
    let was_workspace = desk.workspace_context().is_workspace();
    match desk.add(session, &new, &ask_to_leave) {
        Ok(outcome) => {
            if let Some(known) = outcome.known_error().filter(|_| is_single) {
                return refused(known);
            }
            let begun = if was_workspace { String::new() } else { begun(desk) };
            let text = format!("{begun}{}{}", text(desk, &outcome), unindexed(desk));
            let mut answer = CommandOutput::new(document(desk, &outcome, is_single), text);
            let notes = |added| [holds_catalog(desk, added), has_no_documents(desk, added)];
            answer.notes = outcome.added.iter().flat_map(notes).flatten().collect();
            let desk = desk.settled();
            if outcome.added.iter().any(|added| desk.selection().contains(added.id.as_str())) {
                // An existing document may mention a new source and pull it in, so write its templates.
                let (index, _) = desk.templates();
                answer.diagnostics = desk.write_templates(session, &index).diagnostics;
            }
            answer
        }
        Err(refusal) => refused(refusal),
    }
}

/// The answer if nothing was added. An invalid URL is a usage error.
fn refused(refusal: Error) -> CommandOutput {
    let exit = if refusal.code == Code::Usage { 2 } else { 1 };
    CommandOutput { exit, ..CommandOutput::refused(refusal) }.with_status("error")
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum FolderHandling {
    Each,
    One,
}

/// The named places, with patterns expanded and, if the user wants that, folders replaced by their documents; and
/// whether a single source is named, rather than all that match. `None` if the user wants neither a folder nor its
/// documents.
fn places(desk: &Desk, args: &AddArgs) -> Result<Option<(Vec<String>, bool)>, Error> {
    let mut places = Vec::new();
    let mut is_single = args.places.len() == 1;
    for named in &args.places {
        is_single &= !desk.is_pattern(named);
        for place in desk.expand(named)? {
            let documents = if args.each || can_ask() { desk.documents_of(&place) } else { None };
            let count = documents.as_ref().map_or(0, Vec::len);
            let wanted = match count {
                0 if args.each && documents.is_some() => {
                    let fix = "leave out --each to add the folder as one source";
                    return Err(Error::new(Code::NoSuchPath, format!("'{place}' has no documents"), fix));
                }
                0 => Some(FolderHandling::One),
                _ if args.each => Some(FolderHandling::Each),
                1 => Some(FolderHandling::One),
                count => ask_about(&place, count),
            };
            match wanted {
                Some(FolderHandling::Each) => {
                    is_single = false;
                    places.extend(documents.unwrap_or_default());
                }
                Some(FolderHandling::One) => places.push(place),
                None => return Ok(None),
            }
        }
    }
    Ok(Some((places, is_single)))
}

/// Asks until the user answers; `None` to skip the folder.
fn ask_about(place: &str, count: usize) -> Option<FolderHandling> {
    let documents = counted(count, "document");
    let question =
        format!("{place} has {documents}. Add each as a source, the folder as one, or nothing? [each/one/q]");
    loop {
        match ask_line("", &question)?.to_lowercase().as_str() {
            "e" | "each" => return Some(FolderHandling::Each),
            "o" | "one" => return Some(FolderHandling::One),
            "q" | "quit" | "n" | "no" | "nothing" => return None,
            _ => {}
        }
    }
}

/// Reports that the folder became a workspace.
fn begun(desk: &Desk) -> String {
    format!("{} is a workspace now.\n", one_line(&desk.workspace().display().to_string()))
}

/// Warns about a file or folder of the catalog, and about a folder with the catalog in it: the entries are text like any
/// other, and name every source.
fn holds_catalog(desk: &Desk, added: &Added) -> Option<String> {
    let source = desk.catalog().get(added.id.as_str())?;
    let place = &source.place()?.path;
    let own = [Some(desk.references_folder()), desk.config_file().map(Path::to_path_buf)];
    own.iter().flatten().any(|own| own.starts_with(place) || place.starts_with(own)).then(|| {
        let (id, remove) = (one_line(source.id.as_str()), argument(source.id.as_str()));
        // A source that waits for trust has no known kind.
        let what = if place.is_dir() { "folder" } else { "file" };
        format!(
            "the {what} of @{id} has entries of the catalog in it, so a search finds them, and a pick of it pulls in the \
             sources that they name; `refdesk remove {remove}`, and add documents or their folders instead"
        )
    })
}

/// Warns about a folder that gives an agent nothing to read.
fn has_no_documents(desk: &Desk, added: &Added) -> Option<String> {
    let source = desk.catalog().get(added.id.as_str()).filter(|source| source.is_directory())?;
    let (found, problems) = files(source, &WalkBudget::default(), |_| String::new());
    let remove = argument(source.id.as_str());
    let is_empty = found.is_empty() && problems.is_empty() && gives_nothing_to_read(source, &WalkBudget::default());
    is_empty.then(|| {
        format!(
            "the folder of @{} has no documents (.md, .txt, .rst, …), so agents have nothing to read in it; put one into it, \
             or `refdesk remove {remove}`",
            one_line(source.id.as_str())
        )
    })
}

/// Reports that the search index lacks sources.
fn unindexed(desk: &Desk) -> String {
    match desk.unindexed() {
        0 => String::new(),
        1 => "1 source is not in the search index yet: `refdesk index` adds it.\n".to_owned(),
        count => format!("{count} sources are not in the search index yet: `refdesk index` adds them.\n"),
    }
}

/// Its members depend on what was named, not on how much of it is new.
fn document(desk: &Desk, outcome: &AddedSources, is_single: bool) -> Value {
    let entry = |added: &Added| {
        let file = desk.workspace_context().display(&added.file);
        json!({"id": added.id, "file": file, "entry": added.entry, "waits_for_trust": added.is_untrusted})
    };
    if let ([added], true) = (outcome.added.as_slice(), is_single) {
        let mut json = json!({"status": "success"});
        if let (Value::Object(members), Value::Object(entry)) = (&mut json, entry(added)) {
            members.extend(entry);
        }
        return json;
    }
    let known: Vec<Value> = outcome.known.iter().map(|(place, id)| json!({"place": place, "id": id})).collect();
    let added: Vec<Value> = outcome.added.iter().map(entry).collect();
    json!({"status": "success", "added": added, "known": known})
}

fn text(desk: &Desk, outcome: &AddedSources) -> String {
    let mut text = String::new();
    for added in &outcome.added {
        let file = desk.workspace_context().display(&added.file);
        text.push_str(&result(&format!("added @{} in {file}", added.id)));
    }
    let waiting: Vec<String> =
        outcome.added.iter().filter(|added| added.is_untrusted).map(|added| added.id.to_string()).collect();
    if !waiting.is_empty() {
        let wait = if waiting.len() == 1 { "waits" } else { "wait" };
        text.push_str(&result(&format!(
            "{} {wait} for your trust: `refdesk trust` shows what agents would get, and asks",
            at_ids(&waiting)
        )));
    }
    for (place, id) in &outcome.known {
        text.push_str(&format!("{}.\n", one_line(&format!("{place} is already in the catalog, as @{id}"))));
    }
    text
}
