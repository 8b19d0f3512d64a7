//! Visible sources as MCP resources, `reference://<id>` each, and resource templates for the files of folders. Module
//! `resource` reads one.

use std::path::Path;
use std::time::{Duration, SystemTime};

use rmcp::ErrorData;
use rmcp::model::{
    Annotations, ListResourceTemplatesResult, ListResourcesResult, PaginatedRequestParams, Resource, ResourceTemplate,
    Role,
};

use super::address::Address;
use super::paging::{Page, after, page, stale};
use super::tools::closed;
use refdesk_core::catalog::{PathState, Source, SourceKind};
use refdesk_desk::Session;
use refdesk_desk::engine::Snapshot;
use refdesk_files::stamp;
use refdesk_text::escape::one_line;
use refdesk_tools::handle::DeskHandle;
use refdesk_tools::visible::{VisibleAs, listed};

/// URI templates for any source, and for any file in a folder.
pub(crate) const GENERAL: [&str; 2] = ["reference://{id}", "reference://{id}/{path}"];

/// Appended to the address of a folder in the template for its files.
pub(crate) const BELOW: &str = "/{path}";

/// `resources/list`.
pub(crate) async fn list(
    handle: &DeskHandle,
    session: &Session,
    request: Option<PaginatedRequestParams>,
) -> Result<ListResourcesResult, ErrorData> {
    let (snapshot, access) = handle.readable(session).await.ok_or_else(closed)?;
    let list = move || {
        let entries = listed(&snapshot, &access);
        let Page { entries, next } = page_after("resources", &snapshot, entries, request.as_ref())?;
        let resources = entries.into_iter().map(|(source, why)| resource(source, why)).collect();
        Ok(ListResourcesResult { next_cursor: next, ..ListResourcesResult::with_all_items(resources) })
    };
    // On a blocking thread, because it reads the modification times of files.
    tokio::task::spawn_blocking(list).await.map_err(|_| closed())?
}

/// `resources/templates/list`: the two general templates, then one for each folder.
pub(crate) async fn templates(
    handle: &DeskHandle,
    session: &Session,
    request: Option<PaginatedRequestParams>,
) -> Result<ListResourceTemplatesResult, ErrorData> {
    let (snapshot, access) = handle.readable(session).await.ok_or_else(closed)?;
    let folders = listed(&snapshot, &access).filter(|(source, _)| source.is_directory());
    let Page { entries, next } = page_after("templates", &snapshot, folders, request.as_ref())?;
    let is_first = request.is_none_or(|request| request.cursor.is_none());
    let general = if is_first { general() } else { Vec::new() };
    let templates = general.into_iter().chain(entries.into_iter().map(|(source, _)| folder(source))).collect();
    Ok(ListResourceTemplatesResult { next_cursor: next, ..ListResourceTemplatesResult::with_all_items(templates) })
}

/// The page after the source in the cursor, which need not be visible any more.
fn page_after<'s>(
    list: &'static str,
    snapshot: &'s Snapshot,
    entries: impl Iterator<Item = (&'s Source, VisibleAs)>,
    request: Option<&PaginatedRequestParams>,
) -> Result<Page<(&'s Source, VisibleAs)>, ErrorData> {
    let place = |id: &str| snapshot.catalog.position(id);
    let from = match after(list, request)? {
        Some(id) => Some(place(id).ok_or_else(|| stale(list))?),
        None => None,
    };
    let is_behind = |source: &Source| from.is_none_or(|from| place(source.id.as_str()) > Some(from));
    Ok(page(list, entries.filter(|(source, _)| is_behind(source)), |(source, _)| source.id.to_string()))
}

fn resource(source: &Source, why: VisibleAs) -> Resource {
    let mut resource = Resource::new(Address::of(source.id.as_str()).to_string(), one_line(source.id.as_str()))
        .with_title(one_line(&source.name))
        .with_mime_type(mime_type(source))
        .with_annotations(annotations(source, why));
    if !source.description.is_empty() {
        resource.description = Some(one_line(&source.description).into_owned());
    }
    resource.size = size(source);
    resource
}

/// The size in bytes, if the catalog contains it.
fn size(source: &Source) -> Option<u64> {
    match &source.kind {
        SourceKind::Local(place) => place.size,
        SourceKind::Inline { content } => Some(content.len() as u64),
        _ => None,
    }
}

/// Picked sources are for the user and the agent, others only for the agent.
fn annotations(source: &Source, why: VisibleAs) -> Annotations {
    let audience = match why {
        VisibleAs::Picked => vec![Role::User, Role::Assistant],
        VisibleAs::Auto | VisibleAs::PulledIn(_) => vec![Role::Assistant],
    };
    let mut annotations = Annotations::default().with_audience(audience).with_priority(why.priority());
    annotations.last_modified = last_modified(source);
    annotations
}

/// The modification time of a source's file, as RFC 3339; `None` for a folder, whose own time says nothing about its
/// files.
fn last_modified(source: &Source) -> Option<String> {
    let place = source.place().filter(|place| place.state == PathState::File)?;
    let nanoseconds = stamp(&place.path).ok()?.modified;
    let time = SystemTime::UNIX_EPOCH.checked_add(Duration::from_nanos(nanoseconds)).filter(|_| nanoseconds > 0)?;
    let time = jiff::Timestamp::try_from(time).ok()?;
    Some(time.round(jiff::Unit::Second).unwrap_or(time).to_string())
}

/// The media type of a source's text.
pub(crate) fn mime_type(source: &Source) -> &'static str {
    match &source.kind {
        SourceKind::Local(place) if place.state == PathState::File => mime_type_of(&place.path),
        // The text is the list of its files.
        SourceKind::Local(_) => "text/plain",
        SourceKind::Url { .. } | SourceKind::Mcp { .. } | SourceKind::Inline { .. } | SourceKind::Withheld(_) => {
            "text/markdown"
        }
    }
}

/// The media type by file extension. The text starts with a line that marks it as third-party text, so it cannot be
/// parsed as, for example, JSON.
pub(crate) fn mime_type_of(path: &Path) -> &'static str {
    let ending = path.extension().and_then(|ending| ending.to_str()).map(str::to_ascii_lowercase);
    match ending.as_deref() {
        Some("md" | "markdown") => "text/markdown",
        _ => "text/plain",
    }
}

fn general() -> Vec<ResourceTemplate> {
    let [source, file] = GENERAL;
    vec![
        ResourceTemplate::new(source, "source")
            .with_title("A selected source")
            .with_description("The text of a source by its id; for a folder, the list of its files."),
        ResourceTemplate::new(file, "file")
            .with_title("A file of a folder")
            .with_description("A file below a selected folder, by the folder's id and the path within it."),
    ]
}

fn folder(source: &Source) -> ResourceTemplate {
    let id = source.id.as_str();
    ResourceTemplate::new(format!("{}{BELOW}", Address::of(id)), one_line(id))
        .with_title(one_line(&source.name))
        .with_description("A file of this folder, by its path within it.")
}

#[cfg(test)]
mod tests {
    use super::*;
    use refdesk_core::catalog::testing::inline;

    #[test]
    fn a_resource_describes_its_source() {
        let source = refdesk_core::catalog::Source {
            name: "A\u{202e}name".into(),
            description: "What\n### it is".to_owned(),
            ..inline("a b/c\u{fe0f}", "text")
        };
        assert_eq!(
            serde_json::to_value(resource(&source, VisibleAs::Picked)).unwrap(),
            serde_json::json!({
                "uri": "reference://a%20b%2Fc%EF%B8%8F", "name": "a b/c\\u{fe0f}", "title": "A\\u{202e}name",
                "description": "What\\n### it is",
                "mimeType": "text/markdown", "size": 4,
                "annotations": {"audience": ["user", "assistant"], "priority": 0.9_f32},
            })
        );
    }

    #[test]
    fn media_types_by_file_extension() {
        for (name, expected) in [
            ("a.md", "text/markdown"),
            ("a.MarkDown", "text/markdown"),
            ("a.json", "text/plain"),
            ("README", "text/plain"),
        ] {
            assert_eq!(mime_type_of(Path::new(name)), expected, "{name}");
        }
    }
}
