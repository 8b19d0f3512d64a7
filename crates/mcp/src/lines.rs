//! JSON-RPC on standard input and output, one message per line. The library's own transport ignores invalid lines and
//! ends with its input; this one answers invalid lines with an error, and answers open requests before it ends.

use std::collections::{HashMap, VecDeque};
use std::io;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;

use rmcp::RoleServer;
use rmcp::model::{
    ClientJsonRpcMessage, ClientRequest, ErrorData, JsonRpcMessage, JsonRpcRequest, RequestId, ServerJsonRpcMessage,
};
use rmcp::transport::Transport;
use tokio::io::{AsyncBufReadExt, AsyncRead, AsyncWrite, AsyncWriteExt, BufReader};
use tokio::sync::{Notify, mpsc, oneshot};
use tokio::time::Instant;

use super::validate::{Validated, validate};
use refdesk_tools::handle::DeskHandle;

/// Size limit of a message in bytes.
pub(crate) const LINE: usize = 16 * 1024 * 1024;

/// Timeout for open requests once the input has ended.
const END_TIMEOUT: Duration = Duration::from_secs(5);

/// The most open requests; at this limit, no lines are read until one is answered. At most one of them waits for the
/// client's user.
const MAX_OPEN: usize = 64;

/// The most open subscriptions, which do not count as open requests.
const MAX_SUBSCRIPTIONS: usize = 64;

/// The capacity of the queue of lines to write.
const QUEUE: usize = 64;

/// The error for a request with the id of one that has no answer yet: the library would answer only one of them.
pub(crate) const ID_IS_OPEN: &str = "another request with this id is still open: give each request its own id";

/// A line to write, and where to report that it was written.
type Outgoing = (Vec<u8>, oneshot::Sender<io::Result<()>>);

/// The error that ended writing; not set if the client has disconnected.
pub(crate) type WriteError = Arc<OnceLock<io::Error>>;

#[derive(Debug)]
pub(crate) struct LineTransport<R> {
    reader: BufReader<R>,
    line: Vec<u8>,
    /// Whether to skip the rest of a line that is too long.
    skips: bool,
    /// Whether a session has started.
    has_begun: bool,
    /// Whether it started with `initialize`. The library would let a second one change the protocol version.
    is_initialized: bool,
    out: mpsc::Sender<Outgoing>,
    pub failed: WriteError,
    /// Errors about invalid lines.
    errors: VecDeque<ServerJsonRpcMessage>,
    pending: Arc<PendingRequests>,
    handle: DeskHandle,
    /// Once the input has ended: how long to wait for answers.
    until: Option<Instant>,
    /// Notified if requests are still open when that time is over. The library would wait once more for their answers.
    pub expired: Arc<Notify>,
}

/// Requests that have not been answered.
#[derive(Debug, Default)]
struct PendingRequests {
    open: Mutex<PendingIds>,
    fewer: Notify,
}

/// The ids of open requests.
#[derive(Debug, Default)]
struct PendingIds {
    /// Requests without an answer. Their ids are unique, since the library would drop one of two answers with the same
    /// id.
    ids: HashMap<RequestId, RequestKind>,
    /// The number of answers being written; their ids may be reused.
    written: usize,
}

/// How a request ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum RequestKind {
    /// With an answer.
    Call,
    /// When the client cancels it.
    Listener,
}

impl PendingRequests {
    fn open(&self) -> MutexGuard<'_, PendingIds> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds a request; returns false if one with this id is open.
    fn begin(&self, id: &RequestId, kind: RequestKind) -> bool {
        let mut open = self.open();
        let is_new = !open.ids.contains_key(id);
        if is_new {
            open.ids.insert(id.clone(), kind);
        }
        is_new
    }

    /// Removes a cancelled request.
    fn settle(&self, id: &RequestId) {
        if self.open().ids.remove(id).is_some() {
            self.fewer.notify_one();
        }
    }

    /// Called before an answer, or an error without a request, is written.
    fn write(&self, id: Option<&RequestId>) {
        let mut open = self.open();
        if let Some(id) = id {
            open.ids.remove(id);
        }
        open.written += 1;
    }

    /// Called after an answer was written.
    fn wrote(&self) {
        let mut open = self.open();
        open.written = open.written.saturating_sub(1);
        self.fewer.notify_one();
    }

    fn is_empty(&self) -> bool {
        let open = self.open();
        open.ids.is_empty() && open.written == 0
    }

    fn count(&self, kind: RequestKind) -> usize {
        let open = self.open();
        let written = if kind == RequestKind::Call { open.written } else { 0 };
        open.ids.values().filter(|other| **other == kind).count() + written
    }
}

impl<R: AsyncRead + Unpin + Send> LineTransport<R> {
    /// Must be called within a tokio runtime.
    pub(crate) fn new(reader: R, writer: impl AsyncWrite + Unpin + Send + 'static, handle: DeskHandle) -> Self {
        let (out, lines) = mpsc::channel(QUEUE);
        let failed = WriteError::default();
        tokio::spawn(write(writer, lines, failed.clone()));
        Self {
            reader: BufReader::new(reader),
            line: Vec::new(),
            skips: false,
            has_begun: false,
            is_initialized: false,
            out,
            failed,
            errors: VecDeque::new(),
            pending: Arc::default(),
            handle,
            until: None,
            expired: Arc::default(),
        }
    }

    /// Reads the next line into `line`; `None` at the end. Cancel-safe.
    async fn read(&mut self) -> Option<LineRead> {
        loop {
            let Ok(available) = self.reader.fill_buf().await else { return None };
            if available.is_empty() {
                // The last line may have no line break.
                let is_rest = !self.skips && !self.line.is_empty();
                return is_rest.then_some(LineRead::Line);
            }
            let end = available.iter().position(|byte| *byte == b'\n');
            let taken = end.map_or(available.len(), |at| at + 1);
            let fits = self.line.len() + taken <= LINE;
            if fits && !self.skips {
                self.line.extend_from_slice(available.get(..taken).unwrap_or_default());
            } else {
                self.skips = true;
                self.line = Vec::new();
            }
            self.reader.consume(taken);
            if end.is_some() {
                return Some(if std::mem::take(&mut self.skips) { LineRead::TooLong } else { LineRead::Line });
            }
        }
    }

    /// Stops reading.
    fn end(&mut self) {
        self.until = Some(Instant::now() + END_TIMEOUT);
        self.handle.begin_shutdown();
    }

    /// Handles a line; returns its message if it is valid.
    fn take(&mut self, read: LineRead) -> Option<ClientJsonRpcMessage> {
        let validated = match read {
            LineRead::TooLong => {
                let message = format!("a message of more than {LINE} bytes (16 MiB) is not read; send less at once");
                Validated::Error(None, ErrorData::invalid_request(message, None))
            }
            LineRead::Line => validate(&self.line, &mut self.has_begun),
        };
        // Free the memory of a huge message.
        self.line = Vec::new();
        match validated {
            Validated::Message(message) => {
                match &*message {
                    JsonRpcMessage::Request(request) => {
                        if let Some(why) = self.begin(request) {
                            let error = ErrorData::invalid_request(why, None);
                            self.errors.push_back(ServerJsonRpcMessage::error(error, Some(request.id.clone())));
                            return None;
                        }
                    }
                    // A cancelled request gets no answer.
                    JsonRpcMessage::Notification(notification) => {
                        use rmcp::model::ClientNotification::CancelledNotification;
                        if let CancelledNotification(cancelled) = &notification.notification
                            && let Some(id) = &cancelled.params.request_id
                        {
                            self.pending.settle(id);
                        }
                    }
                    JsonRpcMessage::Response(_) | JsonRpcMessage::Error(_) => {}
                }
                Some(*message)
            }
            Validated::Error(id, error) => {
                tracing::info!("invalid line: {}", error.message);
                self.errors.push_back(ServerJsonRpcMessage::error(error, id));
                None
            }
            Validated::Ignored => None,
        }
    }

    /// Adds a request to the open ones, or returns why it is refused.
    fn begin(&mut self, request: &JsonRpcRequest<ClientRequest>) -> Option<String> {
        let initializes = matches!(request.request, ClientRequest::InitializeRequest(_));
        if initializes && std::mem::replace(&mut self.is_initialized, true) {
            return Some("this session has been initialized already; start another server for another one".to_owned());
        }
        let listens = matches!(request.request, ClientRequest::SubscriptionsListenRequest(_));
        let kind = if listens { RequestKind::Listener } else { RequestKind::Call };
        if listens && self.pending.count(kind) >= MAX_SUBSCRIPTIONS {
            return Some(format!("{MAX_SUBSCRIPTIONS} subscriptions are open: end one of them first"));
        }
        let is_new = self.pending.begin(&request.id, kind);
        (!is_new).then(|| ID_IS_OPEN.to_owned())
    }
}

/// What [`LineTransport::read`] found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum LineRead {
    Line,
    TooLong,
}

impl<R: AsyncRead + Unpin + Send> Transport<RoleServer> for LineTransport<R> {
    type Error = io::Error;

    fn send(&mut self, item: ServerJsonRpcMessage) -> impl Future<Output = io::Result<()>> + Send + 'static {
        let (out, pending) = (self.out.clone(), self.pending.clone());
        async move {
            let answers = match &item {
                JsonRpcMessage::Response(response) => Some(response.id.clone()),
                JsonRpcMessage::Error(error) => error.id.clone(),
                JsonRpcMessage::Request(_) | JsonRpcMessage::Notification(_) => None,
            };
            if answers.is_some() {
                pending.write(answers.as_ref());
            }
            let (report, reported) = oneshot::channel();
            let closed = || io::Error::from(io::ErrorKind::BrokenPipe);
            let sent = match line(&item) {
                Ok(line) => match out.send((line, report)).await {
                    Ok(()) => reported.await.unwrap_or_else(|_| Err(closed())),
                    Err(_) => Err(closed()),
                },
                Err(error) => Err(error),
            };
            if answers.is_some() {
                pending.wrote();
            }
            sent
        }
    }

    async fn receive(&mut self) -> Option<ClientJsonRpcMessage> {
        loop {
            while let Some(error) = self.errors.front() {
                let error = line(error).ok()?;
                let room = self.out.reserve().await.ok()?;
                self.errors.pop_front();
                let (report, reported) = oneshot::channel();
                room.send((error, report));
                let pending = Arc::clone(&self.pending);
                pending.write(None);
                tokio::spawn(async move {
                    let _ = reported.await;
                    pending.wrote();
                });
            }
            if let Some(until) = self.until {
                // `notify_one` stores a permit, so a notification before this await is not lost.
                let fewer = self.pending.fewer.notified();
                if self.pending.is_empty() {
                    return None;
                }
                if tokio::time::timeout_at(until, fewer).await.is_err() {
                    self.expired.notify_one();
                    return None;
                }
                continue;
            }
            let (handle, out) = (self.handle.clone(), self.out.clone());
            if self.pending.count(RequestKind::Call) >= MAX_OPEN {
                let pending = Arc::clone(&self.pending);
                tokio::select! {
                    // `notify_one` stores a permit, so a notification before this await is not lost.
                    () = pending.fewer.notified() => {}
                    () = handle.shutdown_begun() => self.end(),
                    () = out.closed() => return None,
                }
                continue;
            }
            let read = tokio::select! {
                read = self.read() => read,
                () = handle.shutdown_begun() => None,
                () = out.closed() => return None,
            };
            match read {
                Some(read) => {
                    if let Some(message) = self.take(read) {
                        return Some(message);
                    }
                }
                None => self.end(),
            }
        }
    }

    async fn close(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn line(message: &ServerJsonRpcMessage) -> io::Result<Vec<u8>> {
    let mut line = serde_json::to_vec(message)?;
    line.push(b'\n');
    Ok(line)
}

/// Writes whole lines, even if a line's sender is dropped.
async fn write(mut writer: impl AsyncWrite + Unpin, mut lines: mpsc::Receiver<Outgoing>, failed: WriteError) {
    while let Some((line, report)) = lines.recv().await {
        let written = match writer.write_all(&line).await {
            Ok(()) => writer.flush().await,
            failed => failed,
        };
        let Err(error) = written else {
            let _ = report.send(Ok(()));
            continue;
        };
        let _ = report.send(Err(error.kind().into()));
        if error.kind() != io::ErrorKind::BrokenPipe {
            let _ = failed.set(error);
        }
        return;
    }
}
