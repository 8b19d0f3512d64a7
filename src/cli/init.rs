//! `refdesk init`: shows proposals for the catalog as a list to tick, and writes the ticked ones.

mod list;

use std::path::PathBuf;

use serde_json::{Value, json};

use self::list::Ticks;
use super::answer::{CommandOutput, object};
use super::args::{IndexArgs, InitArgs};
use super::output::{ask, ask_line, ask_to_leave, ask_with_yes, can_ask, unasked};
use refdesk_desk::{
    CatalogChange, CatalogLayout, Desk, Discovery, KnownSource, MovedSource, ProposedPlace, ProposedSource,
    SamplePrompt, ScanNote, Session,
};
use refdesk_files::output::Proposal;
use refdesk_files::path::lossy;
use refdesk_text::Error;
use refdesk_text::escape::{one_line, visible};
use refdesk_text::names;
use refdesk_text::tokens::counted;

/// The most notes in the text form.
const NOTES: usize = 10;

/// The number of diffs shown in full; beyond it, new files are only counted.
const DIFFS: usize = 5;

/// The most folders named in a sentence.
const FOLDERS: usize = 10;

/// How to see the folded rows: without a terminal, and at one.
const LISTS: &str = "`refdesk init --all` lists them";
const SHOWS: &str = "u shows them";

/// What can be typed.
fn keys(ticks: &Ticks) -> String {
    let unfold = if ticks.is_folded() { "  u      also show what is not ticked\n" } else { "" };
    format!(
        "  3 5-8  tick or untick these rows
  a, n   tick all, or none
{unfold}  l      show the list again
  Enter  show what would be written, and ask
  q      leave without writing anything
"
    )
}

/// Proposes, asks and writes. With `--yes` no one has reviewed a diff, so start over if a file changes in the meantime.
pub fn run(desk: &mut Desk, session: &Session, args: &InitArgs) -> CommandOutput {
    if !args.yes {
        return attempt(desk, session, args).unwrap_or_else(|unwritten| unwritten.0);
    }
    let mut last = None;
    let done = desk.repeat_if_changed(|desk| {
        attempt(desk, session, args).map_err(|unwritten| {
            let (answer, error) = *unwritten;
            last = Some(answer);
            error
        })
    });
    done.unwrap_or_else(|error| last.unwrap_or_else(|| CommandOutput::refused(error)))
}

/// Runs once; an error comes with the answer to print.
fn attempt(desk: &mut Desk, session: &Session, args: &InitArgs) -> Result<CommandOutput, Box<(CommandOutput, Error)>> {
    let found = match desk.discoverer(&args.folders) {
        Ok(discoverer) => discoverer.run(),
        Err(refusal) => {
            return Ok(answer("error", &Discovery::default(), &Ticks::default()).with_failures(vec![refusal]));
        }
    };
    // On a later run, do not list the documents that the user left out before.
    let is_first = desk.catalog().is_empty();
    let listed = if args.all { found.new.len() } else { found.listed(!is_first) };
    let mut ticks = Ticks::of(&found, listed);
    let scan_notes = if is_first || args.all { found.notes.iter().collect() } else { notes_on_listed(&found, listed) };
    let notes = notes(&scan_notes);
    if ticks.is_empty() || (ticks.count() == 0 && !is_first && !args.all) {
        return Ok(nothing(desk, (&found, &ticks, &notes), &args.folders));
    }
    let is_asked = !args.yes && !args.dry_run && can_ask();
    let listed = list::shown(&found, &ticks, LISTS);
    if is_asked && !tick(&found, &mut ticks, &notes) {
        return Ok(left(&found, &ticks));
    }
    let change = chosen(&found, &ticks, args);
    if change.new.is_empty() && change.moved.is_empty() {
        if !is_first {
            desk.remember_declined(&change);
        }
        let nothing = "Nothing is ticked, so nothing was written.";
        // Without --all, a later run has nothing to tick.
        let all = if args.all || !is_first { " --all" } else { "" };
        // A user who was asked has seen the list.
        let text = match is_asked {
            true => format!("{nothing}\n"),
            false => format!(
                "{listed}{notes}{nothing} At a terminal, `refdesk init{all}` lets you tick documents; `refdesk add PATH` \
                 adds any file or folder.\n"
            ),
        };
        return Ok(CommandOutput { text: text.into_bytes(), ..answer("success", &found, &ticks) });
    }
    let proposals = match desk.propose_catalog(&change, &ask_to_leave) {
        Ok(proposals) => proposals,
        Err(refusal) => return Ok(answer("error", &found, &ticks).with_failures(vec![refusal])),
    };
    if let Some(answer) = unconfirmed(args, is_asked, (&found, &ticks), &proposals, &format!("{listed}\n{notes}")) {
        return Ok(answer);
    }
    match desk.write_catalog(session, &change, &proposals) {
        Ok(_) => {
            desk.remember_declined(&change);
            let indexed = if is_asked { offer_index(desk) } else { None };
            // A user who was asked has seen the list.
            let left = if is_first && !is_asked { left_out(found.new.len() - change.new.len()) } else { String::new() };
            let notes = left + &notes;
            let answer = written(desk, session, (&found, &ticks, &notes), &change, &proposals, indexed.as_ref());
            Ok(CommandOutput { notes: indexed.map(|it| it.notes).unwrap_or_default(), ..answer })
        }
        Err(unwritten) => {
            let error = unwritten.refused;
            Err(Box::new((answer("error", &found, &ticks).with_failures(vec![error.clone()]), error)))
        }
    }
}

/// The answer if nothing is to be written: on a dry run, or if the user declines or cannot be asked.
fn unconfirmed(
    args: &InitArgs,
    is_asked: bool,
    (found, ticks): (&Discovery, &Ticks),
    proposals: &[Proposal],
    listed: &str,
) -> Option<CommandOutput> {
    let files = counted(proposals.len(), "file");
    let shows = |answer: CommandOutput| {
        let difference: String = proposals.iter().map(|it| it.diff.unified()).collect();
        // The list before the diff keeps programs from taking this for a patch. An agent may read it, so it is escaped.
        let text = format!("{listed}{}", visible(&difference)).into_bytes();
        Some(CommandOutput { text, notes: vec![format!("this would write {files}")], ..answer })
    };
    if args.dry_run {
        return shows(answer("dry_run", found, ticks));
    }
    if args.yes {
        return None;
    }
    match is_asked.then(|| ask(&difference(proposals), &format!("Write {files}?"))).flatten() {
        Some(true) => None,
        Some(false) => Some(left(found, ticks)),
        None => shows(answer("error", found, ticks).with_failures(vec![unasked("written")])),
    }
}

/// Lets the user tick and untick. Returns whether they want to continue.
fn tick(found: &Discovery, ticks: &mut Ticks, notes: &str) -> bool {
    let mut shown = format!("{}{notes}", list::shown(found, ticks, SHOWS));
    loop {
        let question = "Numbers tick or untick (3 5-8), Enter continues, q leaves, ? shows more:";
        let Some(line) = ask_line(&shown, question) else { return false };
        shown = match line.as_str() {
            "" => return true,
            "q" | "quit" => return false,
            "?" | "h" | "help" => keys(ticks),
            "l" | "list" => list::shown(found, ticks, SHOWS),
            "u" => {
                ticks.unfold();
                list::shown(found, ticks, SHOWS)
            }
            line => {
                let before = ticks.clone();
                match ticks.toggle(line) {
                    Ok(()) => list::changed(found, &before, ticks),
                    Err(wrong) => format!("{wrong}; ? shows what else can be typed\n"),
                }
            }
        };
    }
}

/// The answer after the user left without writing anything, which is not an error.
fn left(found: &Discovery, ticks: &Ticks) -> CommandOutput {
    CommandOutput { text: b"Nothing was written.\n".to_vec(), ..answer("left", found, ticks) }
}

struct Indexed {
    text: String,
    /// Why the index was not built.
    notes: Vec<String>,
}

/// Asks whether to build the search index, and builds it. An existing index is updated, as it would be in the
/// background, because it lacks the new sources.
fn offer_index(desk: &mut Desk) -> Option<Indexed> {
    let sources = counted(desk.catalog().len(), "source");
    let question = format!(
        "The catalog is written. Build the search index of {sources} now? Without it, prompts are matched by tags alone."
    );
    let is_wanted = match desk.has_index() {
        true => desk.settings().background_index,
        false => desk.index().is_ok() && ask_with_yes(&question),
    };
    if !is_wanted {
        return None;
    }
    let built = super::index::run(desk, &IndexArgs::default());
    let notes = built.refused.iter().map(|error| format!("the search index was not built: {error}")).collect();
    Some(Indexed { text: String::from_utf8_lossy(&built.text).into_owned(), notes })
}

fn chosen(found: &Discovery, ticks: &Ticks, args: &InitArgs) -> CatalogChange {
    let layout = if args.one_file { CatalogLayout::OneFile } else { CatalogLayout::FilePerSource };
    let is_declined = |(source, is_ticked): &(&ProposedSource, bool)| source.is_ticked && !is_ticked;
    CatalogChange {
        new: ticks.added(found).cloned().collect(),
        moved: ticks.moved(found).cloned().collect(),
        layout,
        declined: found.new.iter().zip(ticks.of_new()).filter(is_declined).map(|(it, _)| it.place.clone()).collect(),
    }
}

/// The diff for people, with only the first few of many new files.
fn difference(proposals: &[Proposal]) -> String {
    let mut shown: String = proposals.iter().take(DIFFS).map(|proposal| proposal.diff.shown()).collect();
    let changed = proposals.iter().skip(DIFFS).filter(|proposal| proposal.diff.removed > 0);
    changed.for_each(|proposal| shown.push_str(&proposal.diff.shown()));
    let more = proposals.iter().skip(DIFFS).filter(|proposal| proposal.diff.removed == 0).count();
    if more > 0 {
        shown.push_str(&format!("… and {} like these\n", counted(more, "new file")));
    }
    shown
}

/// The answer if there is nothing to add; `folders` are those to look in, or none for the whole workspace.
fn nothing(desk: &Desk, (found, ticks, notes): (&Discovery, &Ticks, &str), folders: &[PathBuf]) -> CommandOutput {
    let folders = if folders.is_empty() {
        vec![desk.workspace().display()]
    } else {
        folders.iter().map(|it| it.display()).collect()
    };
    let place = names::first_of(folders.iter().map(|folder| one_line(&folder.to_string()).into_owned()), FOLDERS);
    let (status, text) = match desk.catalog().len() {
        0 => {
            let begins =
                if desk.workspace_context().is_workspace() { "" } else { ", and makes this folder a workspace" };
            let text = format!("No documents found in {place}. `refdesk add PATH` adds any file or folder{begins}.\n");
            ("nothing_found", text)
        }
        count => {
            let left = left_out(found.new.len());
            ("nothing_new", format!("Nothing new: the catalog has {}.\n{left}", counted(count, "source")))
        }
    };
    let text = format!("{text}{}{notes}", list::missing(found));
    CommandOutput { text: text.into_bytes(), ..answer(status, found, ticks) }
}

/// A line with the number of documents that are not ticked, and how to list them.
fn left_out(count: usize) -> String {
    match count {
        0 => String::new(),
        1 => "1 document left out: `refdesk init --all` lists it, and `refdesk add` adds it.\n".to_owned(),
        _ => format!("{} left out: {LISTS}, and `refdesk add` adds any.\n", counted(count, "document")),
    }
}

fn written(
    desk: &mut Desk,
    session: &Session,
    (found, ticks, notes): (&Discovery, &Ticks, &str),
    change: &CatalogChange,
    proposals: &[Proposal],
    indexed: Option<&Indexed>,
) -> CommandOutput {
    let files: Vec<&str> = proposals.iter().map(|proposal| proposal.shown.as_str()).collect();
    let place = match files.as_slice() {
        [file] => (*file).to_owned(),
        files => format!(
            "{} in {}",
            counted(files.len(), "file"),
            desk.workspace_context().display(&desk.references_folder())
        ),
    };
    let counts = [(change.new.len(), "added"), (change.moved.len(), "with a new path")];
    let counts: Vec<String> = counts
        .iter()
        .filter(|(count, _)| *count > 0)
        .map(|(count, what)| format!("{} {what}", counted(*count, "source")))
        .collect();
    let mut text = format!("{}: wrote {}.\n", counts.join(", "), one_line(&place));
    text.push_str(&list::missing(found));
    text.push_str(notes);
    text.extend(indexed.map(|it| it.text.as_str()));
    let prompts = desk.sample_prompts(session, &change.new);
    text.push_str(&sample(&prompts));
    let mut answer = CommandOutput { text: text.into_bytes(), closing: next(desk), ..answer("success", found, ticks) };
    if let Value::Object(members) = &mut answer.json {
        members.insert("written".to_owned(), json!(files));
        let prompts: Vec<Value> = prompts.iter().map(|it| json!({"prompt": it.prompt, "told": it.hints})).collect();
        members.insert("prompts".to_owned(), json!(prompts));
    }
    answer
}

fn next(desk: &Desk) -> String {
    let connect = "`refdesk connect` connects your agents";
    let index = match (desk.unindexed(), desk.index()) {
        (0, Ok(None)) if !desk.has_index() => {
            "`refdesk index` finds sources by words and by meaning as well".to_owned()
        }
        // `doctor` says why an index cannot be used.
        (0, _) => return format!("\nNext: {connect}.\n"),
        (count, _) => {
            format!("`refdesk index` adds {}, which the search index does not have yet", counted(count, "source"))
        }
    };
    format!("\nNext: {index}; then {connect}.\n")
}

fn sample(prompts: &[SamplePrompt]) -> String {
    if prompts.is_empty() {
        return "\nThe tags do not distinguish these sources, so a prompt brings up only those that it names.\n"
            .to_owned();
    }
    let mut text = "\nWhat agents will now get for prompts such as these:\n".to_owned();
    for SamplePrompt { prompt, hints } in prompts {
        text.push_str(&format!("\n  {}\n", one_line(prompt)));
        hints.iter().for_each(|line| text.push_str(&format!("    {}\n", one_line(line))));
    }
    text
}

/// The notes on the proposals listed now, and on the scan as a whole. The user has already seen notes on what was left
/// out before.
fn notes_on_listed(found: &Discovery, listed: usize) -> Vec<&ScanNote> {
    let new = found.new.iter().take(listed).filter_map(|source| source.place.path());
    let shown: Vec<String> = new.map(lossy).chain(found.moved.iter().map(|source| lossy(&source.after))).collect();
    let is_about =
        |note: &&ScanNote| note.file.is_empty() || shown.iter().any(|place| is_at_or_below(&note.file, place));
    found.notes.iter().filter(is_about).collect()
}

fn is_at_or_below(file: &str, place: &str) -> bool {
    file.strip_prefix(place).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// The notes on what was left out or not understood, as text.
fn notes(notes: &[&ScanNote]) -> String {
    let line = |note: &&ScanNote| format!("note: {}\n", one_line(&note.to_string()));
    let mut text: String = notes.iter().take(NOTES).map(line).collect();
    if let Some(more) = notes.len().checked_sub(NOTES).filter(|more| *more > 0) {
        text.push_str(&format!(
            "note: {}; `refdesk init --dry-run --format json` lists all of them as `skipped`\n",
            counted(more, "more note")
        ));
    }
    text
}

/// The answer if nothing was scanned.
pub fn nothing_found() -> Value {
    answer("error", &Discovery::default(), &Ticks::default()).json
}

fn answer(status: &str, found: &Discovery, ticks: &Ticks) -> CommandOutput {
    let proposals: Vec<Value> =
        found.new.iter().zip(ticks.of_new()).map(|(source, is_ticked)| proposal(source, is_ticked)).collect();
    let moved = |it: &MovedSource| json!({"id": it.id, "before": it.before, "after": lossy(&it.after), "evidence": it.evidence});
    let gone = |it: &KnownSource| json!({"id": it.id, "path": it.shown, "file": it.file});
    let skipped = found.notes.iter().map(|it| json!({"file": it.file, "line": it.line, "message": it.message}));
    let json = object([
        ("status", json!(status)),
        ("proposals", Value::Array(proposals)),
        ("new", ticks.added(found).map(|it| json!(it.id)).collect()),
        ("moved", found.moved.iter().map(moved).collect()),
        ("gone", found.gone.iter().map(gone).collect()),
        ("written", json!([])),
        ("skipped", skipped.collect()),
        ("prompts", json!([])),
    ]);
    CommandOutput::new(json, "")
}

fn proposal(source: &ProposedSource, is_ticked: bool) -> Value {
    let mut entry = serde_json::Map::new();
    let mut put = |key: &str, value: Value| entry.insert(key.to_owned(), value);
    put("id", json!(source.id));
    put("name", json!(source.name));
    put("description", json!(source.description));
    match &source.place {
        ProposedPlace::Url(url) => {
            put("type", json!("url"));
            put("url", json!(url));
        }
        ProposedPlace::File(path) | ProposedPlace::Folder(path) => {
            put("type", json!("local"));
            put("path", json!(lossy(path)));
        }
    }
    put("mode", json!(source.mode));
    put("tags", json!(source.tags));
    if let Some(contents) = &source.contents {
        put(
            "contents",
            json!({
                "templates": contents.templates,
                "validation": contents.validation,
                "policies": contents.policies,
                "scripts": contents.scripts,
            }),
        );
    }
    put("evidence", json!(source.evidence));
    put("kind", json!(source.kind.word()));
    put("tokens", json!(source.tokens));
    put("ticked", json!(is_ticked));
    Value::Object(entry)
}
