//! The server's name, capabilities and introduction. Revisions up to 2025-11-25 request them with `initialize`,
//! 2026-07-28 with `server/discover`.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use rmcp::model::{Implementation, ServerCapabilities, ServerConfig};

use super::agent::Connection;
use refdesk_desk::Session;
use refdesk_desk::engine::Snapshot;
use refdesk_desk::session::{JournalEvent, Receipt};
use refdesk_tools::handle::DeskHandle;
use refdesk_tools::introduction::{Introduction, introduction};
use refdesk_tools::receipts;

/// Timeout for reading the catalog and picked documents: a client should get the server's capabilities even if a disk
/// never answers.
const TIMEOUT: Duration = Duration::from_secs(5);

/// The name and capabilities, without the introduction.
pub(crate) fn info() -> ServerConfig {
    let capabilities = ServerCapabilities::builder()
        .enable_tools()
        .enable_tool_list_changed()
        .enable_resources()
        .enable_resources_list_changed()
        .enable_resources_subscribe()
        .enable_prompts()
        .enable_prompts_list_changed()
        .enable_completions()
        .build();
    let server = Implementation::new("refdesk", env!("CARGO_PKG_VERSION")).with_title("refdesk: the reference desk");
    ServerConfig::new(capabilities).with_server_info(server)
}

/// The introduction for this agent. Journals it, and marks the agent as connected if its connection lasts.
pub(crate) async fn introduce(
    handle: &DeskHandle,
    session: Session,
    lasting: Option<&Arc<Connection>>,
) -> Option<String> {
    let (snapshot, access) = tokio::time::timeout(TIMEOUT, handle.readable(&session)).await.ok().flatten()?;
    mark_open(handle, &snapshot, lasting).await;
    let Introduction { text, items } = introduction(&snapshot, &access, &snapshot.exclude_tools)?;
    let receipt = Receipt { why: items, ..receipts::with_text(JournalEvent::Instructed, &text) };
    let handle = handle.clone();
    // Do not wait for the disk.
    tokio::spawn(async move { handle.note(&session, receipt).await });
    Some(text)
}

/// Marks the server as open once it has a client, and the client as connected while its connection lasts. In a folder
/// without sources, nothing is stored.
pub(crate) async fn mark_open(handle: &DeskHandle, snapshot: &Snapshot, lasting: Option<&Arc<Connection>>) {
    if snapshot.is_workspace && !snapshot.catalog.is_empty() {
        let (handle, workspace, lasting) = (handle.clone(), Arc::clone(&snapshot.workspace), lasting.cloned());
        let mark = move || {
            let workspace = Path::new(&*workspace);
            handle.mark_open(workspace);
            if let Some(connection) = &lasting {
                connection.mark_as_connected(|session| handle.connected(workspace, session));
            }
        };
        let _ = tokio::task::spawn_blocking(mark).await;
    }
}
