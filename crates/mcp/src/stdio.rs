//! Serves one agent on standard input and output until it disconnects or a signal ends the server. Either way, open
//! requests are answered and acknowledged changes are stored.

use std::io;

use rmcp::ServiceExt;
use rmcp::service::ServerInitializeError;

use super::lines::LineTransport;
use super::server::Server;
use refdesk_desk::Options;
use refdesk_text::report::Diagnostic;
use refdesk_tools::handle::DeskHandle;

/// Serves one agent, in the given session or a new one. `report` gets the diagnostics of the workspace.
///
/// # Errors
/// A thread or a signal handler cannot be started, the desk ends by itself, or standard output cannot be written.
pub async fn serve_stdio(options: Options, session: Option<String>, report: fn(&[Diagnostic])) -> io::Result<()> {
    let handle = super::open(options, session)?;
    handle.report_diagnostics(report);
    let (reader, writer) = rmcp::transport::io::stdio_pipes();
    let lines = LineTransport::new(reader, writer, handle.clone());
    let (failed, expired) = (lines.failed.clone(), lines.expired.clone());
    on_signal(handle.clone())?;
    match Server::new(handle.clone()).serve(lines).await {
        Ok(served) => {
            tokio::select! {
                ended = served.waiting() => tracing::info!("the session ended: {ended:?}"),
                () = expired.notified() => tracing::info!("the session ended with open requests"),
            }
        }
        // The client has disconnected.
        Err(ServerInitializeError::ConnectionClosed(_)) => {}
        Err(error) => tracing::info!("there was no session: {error}"),
    }
    handle.close().await?;
    match failed.get() {
        Some(error) => Err(io::Error::new(error.kind(), format!("standard output cannot be written: {error}"))),
        None => Ok(()),
    }
}

/// Ends the server on a signal, as if its input had ended.
fn on_signal(handle: DeskHandle) -> io::Result<()> {
    use tokio::signal::unix::{SignalKind, signal};
    let (mut terminate, mut interrupt) = (signal(SignalKind::terminate())?, signal(SignalKind::interrupt())?);
    let mut hangup = signal(SignalKind::hangup())?;
    tokio::spawn(async move {
        tokio::select! {
            _ = terminate.recv() => {}
            _ = interrupt.recv() => {}
            _ = hangup.recv() => {}
        }
        handle.begin_shutdown();
    });
    Ok(())
}
