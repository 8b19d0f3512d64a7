//! Listening, and ending well: nobody new is let in, streams end, what is under way gets its answer within a time, and
//! everything that was acknowledged is stored before the program goes.

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

use super::handler::{Door, busy};
use super::limits::TOLD;
use super::{Http, Limits};
use refdesk_desk::Options;
use refdesk_desk::engine;
use refdesk_text::report::Diagnostic;
use refdesk_tools::handle::DeskHandle;

/// So long is waited when the system has no connection to give, such as when too many files are open.
const BREATH: Duration = Duration::from_millis(100);

/// So long who waits for a person may take to say that nobody came.
const LAST: Duration = Duration::from_secs(1);

/// Serves everybody for this session, or each for one of its own, until `stop` comes, and a second `stop` breaks off what is still
/// under way. `listening` is told the address once calls are taken.
///
/// # Errors
/// Where nothing can listen there, the system gives no thread, or the desk ends by itself.
pub async fn serve(
    options: Options,
    session: Option<String>,
    http: &Http,
    limits: Limits,
    tell: fn(&[Diagnostic]),
    listening: impl FnOnce(SocketAddr),
    mut stop: impl AsyncFnMut(),
) -> io::Result<()> {
    let listener = TcpListener::bind(http.address).await?;
    let address = listener.local_addr()?;
    let handle = DeskHandle::new(session, options.renderer.clone(), engine::start(options)?.0);
    handle.tell_opening(tell);
    let (close, closing) = watch::channel(false);
    let door = Arc::new(Door::new(handle.clone(), http, address, limits, closing));
    let graceful = GracefulShutdown::new();
    listening(address);
    tokio::select! {
        biased;
        () = stop() => {}
        // Without its desk it could only refuse.
        () = handle.left() => {}
        () = accept(&listener, &door, &graceful, &limits) => {}
    }
    drop(listener);
    close.send_replace(true);
    let mut ended = std::pin::pin!(graceful.shutdown());
    let is_over = tokio::select! {
        () = &mut ended => true,
        () = sleep(limits.ending) => false,
        () = stop() => false,
    };
    // Who waits for a person is told that there is no time left; who does not take even this is broken off.
    handle.leave();
    if !is_over {
        let _ = timeout(LAST, ended).await;
    }
    door.break_off();
    handle.close().await
}

/// Takes connections for ever. Those beyond the limit are told so, and beyond these none is taken until one ends.
async fn accept(listener: &TcpListener, door: &Arc<Door>, graceful: &GracefulShutdown, limits: &Limits) {
    let all = Arc::new(Semaphore::new(limits.connections + TOLD));
    let served = Arc::new(Semaphore::new(limits.connections));
    // The semaphore is never closed.
    while let Ok(place) = Arc::clone(&all).acquire_owned().await {
        match listener.accept().await {
            Ok((stream, _)) => {
                let door = Arc::clone(&served).try_acquire_owned().ok().map(|served| (Arc::clone(door), served));
                tokio::spawn(connection(stream, door, place, graceful.watcher(), *limits));
            }
            Err(error) => {
                tracing::warn!("no connection could be taken: {error}");
                sleep(BREATH).await;
            }
        }
    }
}

/// Serves one connection to its end; without a door it is told to come again.
async fn connection(
    stream: TcpStream,
    door: Option<(Arc<Door>, OwnedSemaphorePermit)>,
    _place: OwnedSemaphorePermit,
    watcher: Watcher,
    limits: Limits,
) {
    // An answer is written whole: waiting for more of it would only make it late.
    let _ = stream.set_nodelay(true);
    let mut stream = Box::pin(TimeoutWriter::new(stream));
    // A client that reads nothing would hold its place for ever.
    stream.as_mut().set_timeout_pinned(Some(limits.stall));
    let stream = TokioIo::new(stream);
    let mut builder = http1::Builder::new();
    builder.timer(TokioTimer::new()).header_read_timeout(limits.head_time).max_buf_size(limits.head);
    builder.keep_alive(door.is_some());
    let answer = service_fn(|request| {
        let door = door.as_ref().map(|(door, _)| Arc::clone(door));
        async move {
            Ok::<_, Infallible>(match door {
                Some(door) => door.answer(request).await,
                None => busy("too many connections are open"),
            })
        }
    });
    let served = watcher.watch(builder.serve_connection(stream, answer)).await;
    if let Err(error) = served {
        tracing::debug!("a connection broke: {error}");
    }
}
