//! JSON-RPC on standard input and output, a message a line. The library's own way is silent about a line that is no message
//! and ends at once with its input; an agent should be told how to mend its call, and who pipes a few requests in should get
//! their answers.

use std::collections::{HashMap, VecDeque};
use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use rmcp::RoleServer;
use rmcp::model::{ClientJsonRpcMessage, ClientRequest, ErrorData, JsonRpcMessage, RequestId, ServerJsonRpcMessage};
use rmcp::transport::Transport;
use tokio::io::{AsyncBufReadExt, AsyncRead, AsyncWrite, AsyncWriteExt, BufReader};
use tokio::sync::{Notify, mpsc, oneshot};
use tokio::time::Instant;

use super::validate::{Validated, validate};
use refdesk_tools::front::Front;

/// Bytes of one message.
pub const LINE: usize = 16 * 1024 * 1024;

/// How long answers that are still owed may take when the input has ended.
const OWED: Duration = Duration::from_secs(5);

/// Requests under way; before one is answered no more is read. All but one of them end without anything else of the client:
/// one at most waits for what its user says.
const UNDER_WAY: usize = 64;

/// Subscriptions that wait for notices; they hold up nothing.
const LISTENING: usize = 64;

/// Lines that may wait to be written.
const WAITING: usize = 64;

/// A line to be written, and who wants to know that it was.
type Outgoing = (Vec<u8>, oneshot::Sender<io::Result<()>>);

/// The transport.
#[derive(Debug)]
pub struct Lines<R> {
    reader: BufReader<R>,
    line: Vec<u8>,
    /// The rest of a line that is too long is passed over.
    skips: bool,
    /// Whether a session has begun.
    has_begun: bool,
    out: mpsc::Sender<Outgoing>,
    /// Errors about lines that were no message.
    errors: VecDeque<ServerJsonRpcMessage>,
    owed: Arc<Owed>,
    front: Front,
    /// When the input has ended: until when answers are waited for.
    until: Option<Instant>,
}

/// Requests that were not answered yet.
#[derive(Debug, Default)]
struct Owed {
    open: Mutex<Open>,
    fewer: Notify,
}

/// What is owed.
#[derive(Debug, Default)]
struct Open {
    /// Requests that wait for their answer. No two have the same id: the library would drop an answer to one of them.
    ids: HashMap<RequestId, Kind>,
    /// Answers on their way to the client, whose ids may be used again.
    written: usize,
}

/// What a request is to end with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// With its answer.
    Call,
    /// When the client has enough of it.
    Listener,
}

impl Owed {
    fn open(&self) -> MutexGuard<'_, Open> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes note of a request; `false` where another of this id is not answered yet.
    fn begin(&self, id: &RequestId, kind: Kind) -> bool {
        let mut open = self.open();
        let is_new = !open.ids.contains_key(id);
        if is_new {
            open.ids.insert(id.clone(), kind);
        }
        is_new
    }

    /// A request needs no answer any more.
    fn settle(&self, id: &RequestId) {
        if self.open().ids.remove(id).is_some() {
            self.fewer.notify_one();
        }
    }

    /// An answer is about to be written, of this request where it is to one.
    fn write(&self, id: Option<&RequestId>) {
        let mut open = self.open();
        if let Some(id) = id {
            open.ids.remove(id);
        }
        open.written += 1;
    }

    /// One that was about to be written is.
    fn wrote(&self) {
        let mut open = self.open();
        open.written = open.written.saturating_sub(1);
        self.fewer.notify_one();
    }

    fn is_empty(&self) -> bool {
        let open = self.open();
        open.ids.is_empty() && open.written == 0
    }

    fn count(&self, kind: Kind) -> usize {
        let open = self.open();
        let written = if kind == Kind::Call { open.written } else { 0 };
        open.ids.values().filter(|other| **other == kind).count() + written
    }
}

impl<R: AsyncRead + Unpin + Send> Lines<R> {
    /// Between these two; must be called within a tokio runtime.
    pub fn new(reader: R, writer: impl AsyncWrite + Unpin + Send + 'static, front: Front) -> Self {
        let (out, lines) = mpsc::channel(WAITING);
        tokio::spawn(write(writer, lines));
        Self {
            reader: BufReader::new(reader),
            line: Vec::new(),
            skips: false,
            has_begun: false,
            out,
            errors: VecDeque::new(),
            owed: Arc::default(),
            front,
            until: None,
        }
    }

    /// The next line, in `line`; `None` where there is none any more. Whoever drops this loses nothing of it.
    async fn read(&mut self) -> Option<Read> {
        loop {
            let Ok(available) = self.reader.fill_buf().await else { return None };
            if available.is_empty() {
                // The last line may lack its end.
                let is_rest = !self.skips && !self.line.is_empty();
                return is_rest.then_some(Read::Line);
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
                return Some(if std::mem::take(&mut self.skips) { Read::TooLong } else { Read::Line });
            }
        }
    }

    /// Nothing more is read.
    fn end(&mut self) {
        self.until = Some(Instant::now() + OWED);
        self.front.leave();
    }

    /// What the line is.
    fn take(&mut self, read: Read) -> Option<ClientJsonRpcMessage> {
        let validated = match read {
            Read::TooLong => {
                let message = format!("a message of more than {LINE} bytes (16 MiB) is not read; send less at once");
                Validated::Error(None, ErrorData::invalid_request(message, None))
            }
            Read::Line => validate(&self.line, &mut self.has_begun),
        };
        // What one huge message took is given back.
        self.line = Vec::new();
        match validated {
            Validated::Message(message) => {
                match &*message {
                    JsonRpcMessage::Request(request) => {
                        let listens = matches!(request.request, ClientRequest::SubscriptionsListenRequest(_));
                        let kind = if listens { Kind::Listener } else { Kind::Call };
                        if listens && self.owed.count(kind) >= LISTENING {
                            let message = format!("{LISTENING} subscriptions are open: end one of them first");
                            let error = ErrorData::invalid_request(message, None);
                            self.errors.push_back(ServerJsonRpcMessage::error(error, Some(request.id.clone())));
                            return None;
                        }
                        if !self.owed.begin(&request.id, kind) {
                            let message =
                                "another request with this id is not answered yet: give each an id of its own";
                            let error = ErrorData::invalid_request(message, None);
                            self.errors.push_back(ServerJsonRpcMessage::error(error, Some(request.id.clone())));
                            return None;
                        }
                    }
                    // Who takes a request back gets no answer to it.
                    JsonRpcMessage::Notification(notification) => {
                        use rmcp::model::ClientNotification::CancelledNotification;
                        if let CancelledNotification(cancelled) = &notification.notification
                            && let Some(id) = &cancelled.params.request_id
                        {
                            self.owed.settle(id);
                        }
                    }
                    JsonRpcMessage::Response(_) | JsonRpcMessage::Error(_) => {}
                }
                Some(*message)
            }
            Validated::Error(id, error) => {
                tracing::info!("a line is no message: {}", error.message);
                self.errors.push_back(ServerJsonRpcMessage::error(error, id));
                None
            }
            Validated::Ignored => None,
        }
    }
}

/// What was read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Read {
    Line,
    TooLong,
}

impl<R: AsyncRead + Unpin + Send> Transport<RoleServer> for Lines<R> {
    type Error = io::Error;

    fn send(&mut self, item: ServerJsonRpcMessage) -> impl Future<Output = io::Result<()>> + Send + 'static {
        let (out, owed) = (self.out.clone(), self.owed.clone());
        async move {
            let answers = match &item {
                JsonRpcMessage::Response(response) => Some(response.id.clone()),
                JsonRpcMessage::Error(error) => error.id.clone(),
                JsonRpcMessage::Request(_) | JsonRpcMessage::Notification(_) => None,
            };
            if answers.is_some() {
                owed.write(answers.as_ref());
            }
            let (tell, told) = oneshot::channel();
            let closed = || io::Error::from(io::ErrorKind::BrokenPipe);
            let sent = match line(&item) {
                Ok(line) => match out.send((line, tell)).await {
                    Ok(()) => told.await.unwrap_or_else(|_| Err(closed())),
                    Err(_) => Err(closed()),
                },
                Err(error) => Err(error),
            };
            if answers.is_some() {
                owed.wrote();
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
                let (tell, told) = oneshot::channel();
                room.send((error, tell));
                let owed = Arc::clone(&self.owed);
                owed.write(None);
                tokio::spawn(async move {
                    let _ = told.await;
                    owed.wrote();
                });
            }
            if let Some(until) = self.until {
                // One that comes between is remembered: nothing is missed.
                let fewer = self.owed.fewer.notified();
                if self.owed.is_empty() || tokio::time::timeout_at(until, fewer).await.is_err() {
                    return None;
                }
                continue;
            }
            let (front, out) = (self.front.clone(), self.out.clone());
            if self.owed.count(Kind::Call) >= UNDER_WAY {
                let owed = Arc::clone(&self.owed);
                tokio::select! {
                    // One that was answered meanwhile is remembered.
                    () = owed.fewer.notified() => {}
                    () = front.left() => self.end(),
                    () = out.closed() => return None,
                }
                continue;
            }
            let read = tokio::select! {
                read = self.read() => read,
                () = front.left() => None,
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

/// Writes line after line, each whole: whoever waits for that may stop waiting.
async fn write(mut writer: impl AsyncWrite + Unpin, mut lines: mpsc::Receiver<Outgoing>) {
    while let Some((line, tell)) = lines.recv().await {
        let written = match writer.write_all(&line).await {
            Ok(()) => writer.flush().await,
            failed => failed,
        };
        let is_closed = written.is_err();
        let _ = tell.send(written);
        if is_closed {
            return;
        }
    }
}
