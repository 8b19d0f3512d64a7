//! One source: everything about it, its document, why it is selected, and where its files are.

use crate::common::source_words::{address, waits};
use std::collections::HashSet;

use refdesk_core::catalog::{Source, SourceId, SourceKind};
use refdesk_core::mention::Mention;
use refdesk_core::selection::{Role, SelectionState};
use refdesk_desk::engine::{LocateTarget, Request, Snapshot};
use refdesk_desk::{Document, FileLine, size};
use refdesk_text::nearest::nearest;
use refdesk_text::tokens::grouped;

use super::lists::{PAGE, Pages, RestOfDocument, read, read_on, target};
use super::state::{InputOutcome, LocationKind, Pending, PlainState};
use super::words::{counted, names, path, price, sentence, state_sentence, stopped};

/// The maximum number of mentions printed.
const MENTIONS: usize = 8;

/// Documents are searched up to this offset.
const SEARCHED: u64 = 16 * 1024 * 1024;

/// Which sources a command accepts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SourceArgument {
    /// Sources of the catalog.
    Known,
    /// Also dormant picks and exclusions.
    Chosen,
}

/// The source for an argument: a number of the list or an id; without an argument, the source shown last.
///
/// # Errors
/// There is no such source; the sentence for the user.
pub fn one(state: &PlainState, given: &str, which: SourceArgument) -> Result<SourceId, String> {
    let given = given.trim();
    if given.is_empty() {
        return state.about.clone().ok_or_else(|| "Which source? Give a number of the list, or an id.".to_owned());
    }
    if let Ok(number) = given.parse()
        && let Some(target) = target(state, number)
    {
        return target.source().ok_or_else(|| format!("Row {number} is not about a source."));
    }
    let id = given.strip_prefix('@').unwrap_or(given);
    let snapshot = &state.snapshot;
    if let Some(source) = snapshot.catalog.find(id) {
        return Ok(source.id.clone());
    }
    let mut chosen = snapshot.selection.dormant().iter().chain(snapshot.selection.excluded());
    if which == SourceArgument::Chosen
        && let Some(id) = chosen.find(|chosen| *chosen == id)
    {
        return Ok(SourceId::from(id.as_str()));
    }
    if given.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(match state.list.rows.len() {
            0 => format!("There is no list to take row {given} from. Type catalog for a list."),
            rows => format!("The list has {}, so there is no row {given}.", counted(rows, "row")),
        });
    }
    let near = nearest(id, snapshot.catalog.sources().iter().map(|source| source.id.as_str()));
    Err(match near {
        Some(near) => format!("There is no source {id}. Did you mean {near}?"),
        None => format!("There is no source {id}. Type catalog {id} to look for it."),
    })
}

/// The sources for an argument with several numbers or ids, separated by blanks or commas; `all` means every source in
/// the list.
///
/// # Errors
/// One of them is not a source.
pub fn several(state: &PlainState, given: &str, which: SourceArgument) -> Result<Vec<SourceId>, String> {
    // An id may contain blanks.
    let whole = match one(state, given, which) {
        Ok(id) => return Ok(vec![id]),
        Err(why) => why,
    };
    let is_all = given.trim().eq_ignore_ascii_case("all");
    let ids: Vec<SourceId> = if is_all {
        let listed = state.list.rows.iter().filter_map(|row| row.target.source());
        // A row may be about an id that no source has.
        listed.filter(|id| state.snapshot.catalog.get(id.as_str()).is_some()).collect()
    } else {
        let words = given.split([',', ' ']).filter(|word| !word.is_empty());
        words.map(|word| one(state, word, which)).collect::<Result<_, _>>()?
    };
    let mut seen = HashSet::new();
    let ids: Vec<SourceId> = ids.into_iter().filter(|id| seen.insert(id.clone())).collect();
    match ids.is_empty() {
        true if is_all => Err("The last list has no sources. Type catalog for a list.".to_owned()),
        true => Err(whole),
        false => Ok(ids),
    }
}

pub fn show(state: &mut PlainState, id: &SourceId, turn: &mut InputOutcome) {
    state.about = Some(id.clone());
    let snapshot = &state.snapshot;
    let Some(source) = snapshot.catalog.get(id.as_str()) else {
        return turn.print(format!("{id} {}.", state_sentence(snapshot, id.as_str())));
    };
    turn.print(format!("{id}: {}", stopped(&source.name)));
    turn.print(format!(
        "It {}, {}, {}.",
        state_sentence(snapshot, id.as_str()),
        source.mode.word(),
        price(snapshot, id.as_str())
    ));
    if !source.description.trim().is_empty() {
        turn.print(stopped(&source.description));
    }
    turn.print(place(snapshot, source));
    if !source.tags.is_empty() {
        turn.print(format!("Tags: {}.", source.tags.join(", ")));
    }
    if let Some(hint) = &source.fetch_hint {
        turn.print(format!("Hint on how to fetch it: {}", stopped(hint)));
    }
    turn.print(format!("Defined in {}.", path(snapshot, &source.origin.file)));
    let mut seen = HashSet::new();
    let mentions: Vec<&SourceId> = snapshot.graph.targets(id.as_str()).filter(|to| seen.insert(*to)).collect();
    if !mentions.is_empty() {
        turn.print(format!("It mentions {}.", names(mentions.iter().map(|id| id.as_str()))));
    }
    let all = snapshot.catalog.sources();
    let mentioned: Vec<&str> = all
        .iter()
        .map(|other| other.id.as_str())
        .filter(|other| snapshot.graph.targets(other).any(|target| target == id))
        .collect();
    if !mentioned.is_empty() {
        turn.print(format!("It is mentioned by {}.", names(mentioned)));
    }
    turn.print(commands(snapshot, id));
}

/// The commands available for it.
fn commands(snapshot: &Snapshot, id: &SourceId) -> &'static str {
    let is_brought = snapshot.selection.member(id.as_str()).is_some_and(|member| member.role == Role::Transitive);
    if waits(snapshot, id.as_str()) {
        return "Until you trust it, it is not read, and a pick of it brings nothing. Type trust to see what waits for your trust.";
    }
    match SelectionState::of(&snapshot.catalog, &snapshot.selection, id.as_str()) {
        SelectionState::Picked => "Type unpick to remove the pick, document to read it, or why.",
        SelectionState::Transitive => {
            "Type keep to make it a pick, exclude to keep it out, document to read it, or why."
        }
        SelectionState::Available => "Type pick to pick it, exclude to keep it out, or document to read it.",
        SelectionState::Excluded => "Type include to lift the exclusion, pick to pick it, or document to read it.",
        SelectionState::Auto if is_brought => {
            "Type keep to make it a pick, exclude to keep others from pulling it in, document to read it, or why."
        }
        SelectionState::Auto => "Type pick to pick it too, or document to read it.",
        SelectionState::Missing => "It cannot be picked until its path exists. Type open to see where it is defined.",
        SelectionState::Dormant => "Type unpick to remove the pick.",
    }
}

fn place(snapshot: &Snapshot, source: &Source) -> String {
    match &source.kind {
        SourceKind::Local(place) if source.is_missing() => {
            format!("Missing: {} {}.", path(snapshot, &place.path), source.why_missing())
        }
        SourceKind::Local(place) => {
            let path = path(snapshot, &place.path);
            let what = if source.is_directory() { "Folder" } else { "File" };
            let waits = if source.is_untrusted() { " It is outside the workspace and waits for trust." } else { "" };
            format!("{what}: {path}.{waits}")
        }
        SourceKind::Withheld(kind) => format!("Waits for trust: {}.", address(kind)),
        SourceKind::Url { url } => format!("Address: {url}."),
        SourceKind::Mcp { server, tool, .. } => format!("Tool {tool} of the server {server}."),
        SourceKind::Inline { content } => {
            format!("Its text is in the catalog, {}.", counted(content.lines().count(), "line"))
        }
    }
}

/// Explains why a source is selected: each step up to the pick, with file and line.
pub fn why(state: &mut PlainState, id: &SourceId, turn: &mut InputOutcome) {
    state.about = Some(id.clone());
    let snapshot = &state.snapshot;
    let Some(first) = snapshot.selection.member(id.as_str()) else {
        return turn.print(format!("{id} is not selected. It {}.", state_sentence(snapshot, id.as_str())));
    };
    let mut member = first;
    // Each reason is less deep than what it pulls in, so this ends.
    while let (Role::Transitive, Some(reason)) = (member.role, &member.reason) {
        let mentions: Vec<Mention> = snapshot.graph.from_to(reason.as_str(), |to| *to == member.id).collect();
        turn.print(format!("{} is pulled in by {reason}{}.", member.id, places(snapshot, &mentions)));
        let Some(next) = snapshot.selection.member(reason.as_str()).filter(|next| next.depth < member.depth) else {
            return;
        };
        member = next;
    }
    match member.role {
        Role::AutoRoot => turn.print(format!("{} has mode auto, and pulls in what it mentions.", member.id)),
        _ => turn.print(format!("{} is picked.", member.id)),
    }
    for parent in first.parents.iter().filter(|parent| Some(*parent) != first.reason.as_ref()).take(MENTIONS) {
        let mentions: Vec<Mention> = snapshot.graph.from_to(parent.as_str(), |to| *to == first.id).collect();
        turn.print(format!("{id} is mentioned by {parent} too{}.", places(snapshot, &mentions)));
    }
}

/// `: adr/adr-004.md line 12 and 1 more`
fn places(snapshot: &Snapshot, mentions: &[Mention]) -> String {
    let Some(first) = mentions.first() else { return String::new() };
    let file = path(snapshot, &first.file);
    let more = match mentions.len() - 1 {
        0 => String::new(),
        more => format!(", and {more} more"),
    };
    format!(": {file} line {}{more}", first.line)
}

pub fn document(state: &mut PlainState, id: &SourceId, turn: &mut InputOutcome) {
    state.about = Some(id.clone());
    state.pending = Some(Pending::Document { from: 0, begun: PartialDocument::default() });
    turn.ask(Request::Read { id: id.clone(), file: None });
}

/// The part of a document before the requested line.
#[derive(Debug, Clone, Default)]
pub struct PartialDocument {
    /// The caption of its first part.
    caption: String,
    lines: Vec<String>,
}

fn rest_of(document: &Document) -> Option<RestOfDocument> {
    let Document { id, path, next, rest, .. } = document;
    let rest = RestOfDocument { id: SourceId::from(id.as_str()), path: path.clone(), from: *next, bytes: *rest };
    // Without progress, this would not terminate.
    (document.rest > 0 && document.next > document.from).then_some(rest)
}

pub fn print_rest(state: &mut PlainState, document: &Document, turn: &mut InputOutcome) {
    if !document.caption.is_empty() {
        turn.print(sentence(&document.caption));
    }
    let lines = document.text.lines().map(str::to_owned).collect();
    read_on(state, lines, rest_of(document), turn);
}

/// Prints a page of a document, starting at this line, from 0. Reads on until the line is reached.
pub fn print_document(
    state: &mut PlainState,
    document: &Document,
    from: usize,
    mut begun: PartialDocument,
    turn: &mut InputOutcome,
) {
    if !document.caption.is_empty() {
        begun.caption = format!(": {}", document.caption);
    }
    begun.lines.extend(document.text.lines().map(str::to_owned));
    let rest = rest_of(document);
    if let Some(rest) = rest.as_ref().filter(|_| from >= begun.lines.len()) {
        state.pending = Some(Pending::Document { from, begun });
        return turn.ask(rest.request());
    }
    let PartialDocument { caption, lines } = begun;
    let length = if lines.is_empty() { String::new() } else { format!(", {}", counted(lines.len(), "line")) };
    turn.print(format!("{}{caption}{length}.", document.id));
    let end = if lines.is_empty() { Vec::new() } else { vec!["This is the end.".to_owned()] };
    let printed = if from < lines.len() { from } else { 0 };
    if printed > 0 {
        turn.print(format!("From line {} on:", grouped(printed + 1)));
    } else if from > 0 {
        turn.print(format!("It no longer has a line {}.", grouped(from + 1)));
    }
    read(state, Pages { title: document.id.clone(), lines, printed, end, rest, ..Pages::default() }, turn);
}

/// Lists the lines of the text that contain these words; without words, prints the page of the next match. First reads
/// the rest of the document, up to [`SEARCHED`].
pub fn find(state: &mut PlainState, given: &str, turn: &mut InputOutcome) {
    if state.text.lines.is_empty() {
        return turn.print("There is no text to search. Type document and a source to read one.");
    }
    let needle = if given.is_empty() { state.text.needle.clone() } else { given.to_lowercase() };
    if needle.is_empty() {
        return turn.print("Which words? Type find and the words.");
    }
    if let Some(rest) = state.text.rest.as_ref().filter(|rest| rest.from < SEARCHED) {
        turn.ask(rest.request());
        state.pending = Some(Pending::RestToSearch(given.to_owned()));
        return;
    }
    let unread = state.text.rest.as_ref().map(|rest| format!("The last {} were not searched.", size(rest.bytes)));
    unread.into_iter().for_each(|line| turn.print(line));
    let lines = state.text.lines.iter().enumerate().filter(|(_, line)| line.to_lowercase().contains(&needle));
    let from = if given.is_empty() { state.text.found } else { 0 };
    let hits: Vec<(usize, String)> = lines.map(|(at, line)| (at, line.clone())).collect();
    if given.is_empty() && !hits.is_empty() && from >= hits.len() {
        return turn.print(format!("There are no more lines that contain \"{needle}\"."));
    }
    match hits.len() {
        0 => turn.print(format!("No line of {} contains \"{needle}\".", state.text.title)),
        1 => turn.print(format!("1 line of {} contains \"{needle}\".", state.text.title)),
        some => turn.print(format!("{some} lines of {} contain \"{needle}\".", state.text.title)),
    }
    for (at, line) in hits.iter().skip(from).take(PAGE) {
        turn.print(format!("Line {}: {line}", grouped(*at + 1)));
    }
    state.text.found = hits.len().min(from + PAGE);
    state.text.needle = needle;
    if state.text.found < hits.len() {
        turn.print("Type find for the next ones.");
    }
}

/// Handles the next part of a document that is being searched.
pub fn search_on(state: &mut PlainState, document: &Document, given: &str, turn: &mut InputOutcome) {
    state.text.lines.extend(document.text.lines().map(str::to_owned));
    state.text.rest = rest_of(document);
    find(state, given, turn);
}

/// Asks where a source's document and definition are.
pub fn open(state: &mut PlainState, id: &SourceId, turn: &mut InputOutcome) {
    state.about = Some(id.clone());
    let snapshot = &state.snapshot;
    if snapshot.catalog.get(id.as_str()).is_none() {
        return turn.print(format!("{id} is no longer in the catalog."));
    }
    let has_document = snapshot.catalog.get(id.as_str()).is_some_and(|source| source.open_place().is_some());
    if has_document {
        state.pending = Some(Pending::Place(LocationKind::Document));
        turn.ask(Request::Locate(LocateTarget::Document(id.clone())));
    } else {
        define(state, id, turn);
    }
}

fn define(state: &mut PlainState, id: &SourceId, turn: &mut InputOutcome) {
    state.pending = Some(Pending::Place(LocationKind::Definition));
    turn.ask(Request::Locate(LocateTarget::Definition(id.clone())));
}

/// Prints the location; after the document's, asks for the definition's.
pub fn located(state: &mut PlainState, of: LocationKind, spot: &FileLine, turn: &mut InputOutcome) {
    let file = path(&state.snapshot, &spot.path);
    match of {
        LocationKind::Document => {
            turn.print(format!("Its document is {file}."));
            if let Some(id) = state.about.clone() {
                define(state, &id, turn);
            }
        }
        LocationKind::Definition => turn.print(format!("It is defined in {file}, line {}.", spot.line)),
    }
}
