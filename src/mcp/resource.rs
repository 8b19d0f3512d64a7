//! One resource: what an address leads to, and what stands there. Reading goes the one way that is contained, and every
//! refusal says what to do instead.

use std::path::Path;

use rmcp::ErrorData;
use rmcp::model::{ReadResourceRequestParams, ReadResourceResult, ResourceContents};
use serde_json::json;

use super::address::Address;
use super::front::Front;
use super::resources::{listed, mime_type, mime_type_of, readable};
use super::tools::heading;
use super::{closed, journalled};
use crate::catalog::{Kind, Source};
use crate::desk::{Agent, ReadKind, Reading, Refusal, read_source};
use crate::engine::{Snapshot, Task};
use crate::enrich::fetching;
use crate::selection::Access;
use crate::session::{Receipt, What};
use crate::text::escape::{one_line, visible};
use crate::text::nearest::did_you_mean;

/// Characters of an address, or of a part of it, that are repeated in an error.
const REPEATED: usize = 200;

/// `resources/read`.
///
/// # Errors
/// The protocol's own for a resource that is not there, where it leads to nothing that may be read.
pub async fn read(
    front: &Front,
    agent: &Agent,
    request: ReadResourceRequestParams,
) -> Result<ReadResourceResult, ErrorData> {
    let uri = request.uri;
    let (snapshot, access) = readable(front, agent).await?;
    let read = move || text_at(&snapshot, &access, &uri);
    let (contents, receipt) = tokio::task::spawn_blocking(read).await.map_err(|_| closed())??;
    front.ask(agent, Task::Note(Box::new(receipt))).await;
    Ok(ReadResourceResult::new(vec![contents]))
}

/// What stands at an address, and how the journal has it.
fn text_at(snapshot: &Snapshot, access: &Access, uri: &str) -> Result<(ResourceContents, Receipt), ErrorData> {
    let (address, source) = find(snapshot, access, uri)?;
    let (text, mime_type, path) = match (fetching(source, &snapshot.selection), &address.path) {
        (Some(text), None) => (text, mime_type(source), None),
        _ => {
            let workspace = Path::new(&*snapshot.workspace);
            let read = read_source(workspace, &snapshot.catalog, access, &address.id, address.path.as_deref(), None);
            let reading = read.map_err(|refusal| refused(uri, &refusal))?;
            let mime_type = match &address.path {
                Some(path) if reading.kind == ReadKind::Content => mime_type_of(Path::new(path)),
                Some(_) => "text/plain",
                None => mime_type(source),
            };
            let path = (!matches!(source.kind, Kind::Inline { .. })).then(|| reading.path.clone());
            (marked(&reading), mime_type, path)
        }
    };
    let receipt = Receipt {
        about: vec![address.id],
        path,
        tool: Some("resources/read".to_owned()),
        ..journalled::given(What::Read, &text)
    };
    Ok((ResourceContents::text(text, uri).with_mime_type(mime_type), receipt))
}

/// The text behind a line that says what it is: what others wrote is no instruction to whoever reads it.
fn marked(reading: &Reading) -> String {
    format!("{}\n{}", heading(reading), visible(&reading.text))
}

/// The source that an address leads to, where this agent may read it.
///
/// # Errors
/// It is no address, there is no such source, it is not selected, or its document is missing.
pub fn find<'s>(snapshot: &'s Snapshot, access: &Access, uri: &str) -> Result<(Address, &'s Source), ErrorData> {
    let address =
        Address::parse(uri).map_err(|why| not_found(uri, &format!("{why}; resources/list names what can be read")))?;
    let id = address.id.as_str();
    let Some(source) = snapshot.catalog.get(id) else {
        let known = snapshot.catalog.sources().iter().map(|source| source.id.as_str());
        let advice = did_you_mean(id, known).unwrap_or_else(|| "resources/list names what can be read".to_owned());
        return Err(not_found(uri, &format!("no source has the id '{}'; {advice}", short(id))));
    };
    if source.is_missing() {
        return Err(not_found(uri, &format!("the document of @{} is missing: its path names nothing", short(id))));
    }
    let is_expanded = source.place().is_some_and(|place| access.allows(&place.resolved));
    if !is_expanded && !listed(snapshot, access).any(|(listed, _)| listed.id == source.id) {
        let is_offered = !snapshot.exclude_tools.iter().any(|tool| tool == "selectReferences");
        let advice = if is_offered {
            format!("select it first: selectReferences with {}", json!({"ids": [id]}))
        } else {
            "a person can select it".to_owned()
        };
        return Err(not_found(uri, &format!("@{} is not selected; {advice}", short(id))));
    }
    Ok((address, source))
}

/// The folders that this agent may read.
pub fn folders<'s>(snapshot: &'s Snapshot, access: &'s Access) -> impl Iterator<Item = &'s Source> {
    listed(snapshot, access).map(|(source, _)| source).filter(|source| source.is_directory())
}

/// The paths of the files in a folder, as the rest of an address says them; none where it is no folder that may be read.
pub fn files_of(snapshot: &Snapshot, access: &Access, id: &str) -> Vec<String> {
    let is_folder = folders(snapshot, access).any(|source| source.id.as_str() == id);
    let workspace = Path::new(&*snapshot.workspace);
    let read = || read_source(workspace, &snapshot.catalog, access, id, None, None);
    let reading = if is_folder { read().ok() } else { None };
    reading.into_iter().flat_map(|reading| reading.entries).map(|entry| entry.path).collect()
}

/// A refusal in the words of the protocol: what may not be read is, for a client, not there.
fn refused(uri: &str, refusal: &Refusal) -> ErrorData {
    let hint = if refusal.hint.is_empty() { String::new() } else { format!("; {}", refusal.hint) };
    not_found(uri, &format!("{}{hint}", refusal.message))
}

fn not_found(uri: &str, why: &str) -> ErrorData {
    let uri: String = uri.chars().take(REPEATED).collect();
    ErrorData::resource_not_found(format!("nothing to read at '{}': {why}", one_line(&uri)), Some(json!({"uri": uri})))
}

fn short(id: &str) -> String {
    one_line(&id.chars().take(REPEATED).collect::<String>()).into_owned()
}
