//! Accepts connections and shuts down gracefully: no new connections are accepted, streams end, requests in progress
//! are answered within a timeout, and acknowledged changes are stored before the program exits.

use std::convert::Infallible;
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::{GracefulShutdown, Watcher};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, watch};
use tokio::time::{sleep, timeout};
use tokio_io_timeout::TimeoutWriter;

use super::handler::{Handler, busy};
use super::limits::EXCESS_CONNECTIONS;
use super::{Http, Limits};
use refdesk_desk::Options;
use refdesk_text::report::Diagnostic;

/// Delay before retrying to accept a connection after a failure, such as too many open files.
const ACCEPT_DELAY: Duration = Duration::from_millis(100);

/// Timeout for requests that wait for a person, which are cancelled when the server shuts down.
const CANCEL_TIMEOUT: Duration = Duration::from_secs(1);

/// Serves all clients in the given session, or each in its own, until `stop` returns; a second `stop` aborts requests
/// in progress. Calls `listening` with the address once connections are accepted.
///
/// # Errors
/// The address or a thread is not available, or the desk ends by itself.
pub async fn serve(
    options: Options,
    session: Option<String>,
    http: &Http,
    limits: Limits,
    report: fn(&[Diagnostic]),
    listening: impl FnOnce(SocketAddr),
    mut stop: impl AsyncFnMut(),
) -> io::Result<()> {
    let listener = TcpListener::bind(http.address).await?;
    let address = listener.local_addr()?;
    let handle = crate::open(options, session)?;
    handle.report_diagnostics(report);
    let (close, closing) = watch::channel(false);
    let handler = Arc::new(Handler::new(handle.clone(), http, address, limits, closing));
    let graceful = GracefulShutdown::new();
    listening(address);
    tokio::select! {
        biased;
        () = stop() => {}
        // Without its desk the server could only reject requests.
        () = handle.shutdown_begun() => {}
        () = accept(&listener, &handler, &graceful, &limits) => {}
    }
    drop(listener);
    close.send_replace(true);
    let mut ended = std::pin::pin!(graceful.shutdown());
    let is_over = tokio::select! {
        () = &mut ended => true,
        () = sleep(limits.ending) => false,
        () = stop() => false,
    };
    // Cancels questions to people; requests that do not end even then are aborted.
    handle.begin_shutdown();
    if !is_over {
        let _ = timeout(CANCEL_TIMEOUT, ended).await;
    }
    handler.abort();
    handle.close().await
}

/// Accepts connections forever. Those beyond the limit get an error; beyond a second limit, no connection is accepted
/// until one ends.
async fn accept(listener: &TcpListener, handler: &Arc<Handler>, graceful: &GracefulShutdown, limits: &Limits) {
    let all = Arc::new(Semaphore::new(limits.connections + EXCESS_CONNECTIONS));
    let served = Arc::new(Semaphore::new(limits.connections));
    // The semaphore is never closed.
    while let Ok(permit) = Arc::clone(&all).acquire_owned().await {
        match listener.accept().await {
            Ok((stream, _)) => {
                let handler = Arc::clone(&served).try_acquire_owned().ok().map(|served| (Arc::clone(handler), served));
                tokio::spawn(connection(stream, handler, permit, graceful.watcher(), *limits));
            }
            Err(error) => {
                tracing::warn!("a connection could not be accepted: {error}");
                sleep(ACCEPT_DELAY).await;
            }
        }
    }
}

/// Serves a connection until it ends; without a handler, rejects its request.
async fn connection(
    stream: TcpStream,
    handler: Option<(Arc<Handler>, OwnedSemaphorePermit)>,
    _permit: OwnedSemaphorePermit,
    watcher: Watcher,
    limits: Limits,
) {
    // Answers are written in one piece, so waiting for more data would only delay them.
    let _ = stream.set_nodelay(true);
    let mut stream = Box::pin(TimeoutWriter::new(stream));
    // Otherwise, a client that reads nothing would stay connected forever.
    stream.as_mut().set_timeout_pinned(Some(limits.stall));
    let stream = TokioIo::new(stream);
    let mut builder = http1::Builder::new();
    builder.timer(TokioTimer::new()).header_read_timeout(limits.head_time).max_buf_size(limits.head);
    builder.keep_alive(handler.is_some());
    let answer = service_fn(|request| {
        let handler = handler.as_ref().map(|(handler, _)| Arc::clone(handler));
        async move {
            Ok::<_, Infallible>(match handler {
                Some(handler) => handler.handle(request).await,
                None => busy("too many connections are open"),
            })
        }
    });
    let served = watcher.watch(builder.serve_connection(stream, answer)).await;
    if let Err(error) = served {
        tracing::debug!("a connection broke: {error}");
    }
}
