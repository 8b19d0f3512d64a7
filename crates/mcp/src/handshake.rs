//! What the server says of itself when a client comes: name, what it can do, which revisions it speaks, and the introduction.
//! Revisions up to 2025-11-25 ask by `initialize`, 2026-07-28 by `server/discover`.

use std::time::Duration;

use rmcp::model::{Implementation, ServerCapabilities, ServerConfig};

use refdesk_desk::Agent;
use refdesk_desk::engine::{Outcome, Task};
use refdesk_desk::session::What;
use refdesk_tools::front::Front;
use refdesk_tools::introduction::introduction;
use refdesk_tools::receipts;

/// So long is waited for configuration and catalog. A disk may never answer, and a client should learn what the server can
/// do all the same.
const PATIENCE: Duration = Duration::from_secs(5);

/// Name and abilities, without the introduction.
pub fn info() -> ServerConfig {
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

/// So long is waited besides for the documents of what is picked: their prices, and what they bring. Read before they take
/// some milliseconds; where they take longer the introduction goes without.
const A_MOMENT: Duration = Duration::from_millis(250);

/// The introduction to the desk as it is known now, put into the journal as what this agent was told.
pub async fn introduce(front: &Front, agent: Agent) -> Option<String> {
    let known = async {
        // Asked before anything is known: so it is done as soon as that is.
        let mut settled = std::pin::pin!(front.ask(&agent, Task::Access));
        let outcome = tokio::select! {
            biased;
            outcome = &mut settled => outcome,
            _ = front.opened() => match tokio::time::timeout(A_MOMENT, settled).await {
                Ok(outcome) => outcome,
                Err(_) => front.ask(&agent, Task::AccessSoFar).await,
            },
        };
        match outcome? {
            Outcome::Access(access) => Some(access),
            _ => None,
        }
    };
    let access = tokio::time::timeout(PATIENCE, known).await.ok().flatten()?;
    let snapshot = front.snapshots().borrow().clone();
    let text = introduction(&snapshot, &access, &snapshot.exclude_tools)?;
    let receipt = receipts::with_text(What::Instructed, &text);
    let front = front.clone();
    // The answer does not wait for the disk.
    tokio::spawn(async move { front.ask(&agent, Task::Note(Box::new(receipt))).await });
    Some(text)
}
