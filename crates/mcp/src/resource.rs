//! Reads a resource, with the same confined read as the tool `readReference`.

use std::path::Path;

use rmcp::ErrorData;
use rmcp::model::{ReadResourceRequestParams, ReadResourceResult, ResourceContents};
use serde_json::json;

use super::address::Address;
use super::resources::{mime_type, mime_type_of};
use super::tools::closed;
use refdesk_core::catalog::Source;
use refdesk_core::selection::Access;
use refdesk_desk::Session;
use refdesk_desk::engine::{Request, Snapshot};
use refdesk_desk::reading::{ReadingKind, read_source};
use refdesk_desk::session::{JournalEvent, Receipt};
use refdesk_enrich::fetching;
use refdesk_text::Error;
use refdesk_text::escape::one_line;
use refdesk_tools::handle::DeskHandle;
use refdesk_tools::receipts;
use refdesk_tools::visible::listed;
use refdesk_tools::{advise, delimited};

/// The name of this method in the journal.
const METHOD: &str = "resources/read";

/// The most characters of an address repeated in an error.
const REPEATED: usize = 200;

/// `resources/read`.
pub(crate) async fn read(
    handle: &DeskHandle,
    session: &Session,
    request: ReadResourceRequestParams,
) -> Result<ReadResourceResult, ErrorData> {
    let uri = request.uri;
    let (snapshot, access) = handle.readable(session).await.ok_or_else(closed)?;
    let read = move || text_at(&snapshot, &access, &uri);
    let (contents, note) = tokio::task::spawn_blocking(read).await.map_err(|_| closed())??;
    handle.ask(session, note).await;
    Ok(ReadResourceResult::new(vec![contents]))
}

/// The text at an address, and the journal entry for reading it.
fn text_at(snapshot: &Snapshot, access: &Access, uri: &str) -> Result<(ResourceContents, Request), ErrorData> {
    let Address { id, path } = parse(uri)?;
    let source = snapshot.catalog.get(&id).filter(|source| access.reaches(source.id.as_str()));
    let elsewhere = source.filter(|_| path.is_none()).and_then(|source| fetching(source, &snapshot.selection));
    if let (Some(source), Some(text)) = (source, elsewhere) {
        let tool = Some(METHOD.to_owned());
        let receipt = Receipt { about: vec![id], tool, ..receipts::with_text(JournalEvent::Read, &text) };
        let contents = ResourceContents::text(text, uri).with_mime_type(mime_type(source));
        return Ok((contents, Request::Note(Box::new(receipt))));
    }
    let workspace = Path::new(&*snapshot.workspace);
    let reading = read_source(workspace, &snapshot.catalog, access, &id, path.as_deref(), None)
        .map_err(|refusal| refused(uri, &advise(refusal, &snapshot.exclude_tools)))?;
    let mime_type = match (&path, reading.kind) {
        (Some(path), ReadingKind::Content) => mime_type_of(Path::new(path)),
        (None, ReadingKind::Content) => source.map_or("text/plain", mime_type),
        (_, ReadingKind::List) => "text/plain",
    };
    let text = delimited(&reading, &reading.text);
    let note = receipts::read(&reading, METHOD);
    Ok((ResourceContents::text(text, uri).with_mime_type(mime_type), note))
}

fn parse(uri: &str) -> Result<Address, ErrorData> {
    Address::parse(uri).map_err(|why| not_found(uri, &format!("{why}; resources/list lists what can be read")))
}

/// Checks that an address refers to a listed resource.
pub(crate) fn check(snapshot: &Snapshot, access: &Access, uri: &str) -> Result<(), ErrorData> {
    let address = parse(uri)?;
    let is_it = |source: &Source| source.id.as_str() == address.id;
    if listed(snapshot, access).any(|(source, _)| is_it(source)) {
        return Ok(());
    }
    let why = if snapshot.catalog.sources().iter().any(is_it) { "it is not selected" } else { "no source has this id" };
    Err(not_found(uri, &format!("{why}; resources/list lists what can be subscribed to")))
}

pub(crate) fn folders<'s>(snapshot: &'s Snapshot, access: &'s Access) -> impl Iterator<Item = &'s Source> {
    listed(snapshot, access).map(|(source, _)| source).filter(|source| source.is_directory())
}

/// The paths of a folder's files; empty if it is not a listed folder.
pub(crate) fn files_of(snapshot: &Snapshot, access: &Access, id: &str) -> Vec<String> {
    let is_folder = folders(snapshot, access).any(|source| source.id.as_str() == id);
    let workspace = Path::new(&*snapshot.workspace);
    let read = || read_source(workspace, &snapshot.catalog, access, id, None, None);
    let reading = if is_folder { read().ok() } else { None };
    reading.into_iter().flat_map(|reading| reading.entries).map(|entry| entry.path).collect()
}

/// To a client, a resource that may not be read does not exist.
fn refused(uri: &str, refusal: &Error) -> ErrorData {
    let hint = if refusal.fix.is_none() { String::new() } else { format!("; {}", refusal.fix) };
    not_found(uri, &format!("{}{hint}", refusal.message))
}

fn not_found(uri: &str, why: &str) -> ErrorData {
    let short = |text: &str| one_line(&text.chars().take(REPEATED).collect::<String>()).into_owned();
    let why: String = why.chars().take(4 * REPEATED).collect();
    let message = format!("nothing to read at '{}': {}", short(uri), one_line(&why));
    ErrorData::resource_not_found(message, Some(json!({"uri": short(uri)})))
}
