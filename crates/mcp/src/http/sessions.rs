//! The sessions of clients that begin with `initialize`: not more than so many, each ended when nothing happens in it, or sooner
//! where somebody new needs its place: most clients never say that they are done. rmcp keeps the last answers of a session so that a client whose connection broke can take them up again; here what a client took to
//! its end is let go at once, or the desk would grow with every call of the last minute.

use std::fmt;
use std::future::ready;

use futures_util::Stream;
use futures_util::stream::{StreamExt, once};
use rmcp::model::{ClientJsonRpcMessage, ServerJsonRpcMessage};
use rmcp::transport::WorkerTransport;
use rmcp::transport::common::server_side_http::ServerSseMessage;
use rmcp::transport::streamable_http_server::session::local::{
    LocalSessionManager, LocalSessionManagerError, LocalSessionWorker,
};
use rmcp::transport::streamable_http_server::session::{SessionId, SessionManager};

use tokio::sync::Mutex;

use super::Limits;
use super::registry::{Open, Places, Room};

#[derive(Debug)]
pub struct Sessions {
    local: LocalSessionManager,
    places: Places,
    /// Whose turn it is to begin one: two must not take the same place.
    turn: Mutex<()>,
}

/// What keeps a session from doing what it was asked for.
#[derive(Debug)]
pub enum Failed {
    /// There are as many as there may be, and something goes on in each.
    Full,
    /// What rmcp says.
    Local(LocalSessionManagerError),
}

impl fmt::Display for Failed {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Full => out.write_str("too many sessions are open"),
            Self::Local(error) => error.fmt(out),
        }
    }
}

impl std::error::Error for Failed {}

impl From<LocalSessionManagerError> for Failed {
    fn from(error: LocalSessionManagerError) -> Self {
        Self::Local(error)
    }
}

impl Sessions {
    pub fn new(limits: &Limits) -> Self {
        let mut local = LocalSessionManager::default();
        local.session_config.keep_alive = Some(limits.idle);
        Self { local, places: Places::new(limits.sessions), turn: Mutex::new(()) }
    }

    /// Whether there is no place for another, and none can be made.
    pub fn is_full(&self) -> bool {
        self.places.is_full()
    }

    fn open(&self, id: &SessionId) -> Result<Open, LocalSessionManagerError> {
        self.places.open(id).ok_or_else(|| LocalSessionManagerError::SessionNotFound(id.clone()))
    }
}

/// A stream during which its session keeps its place.
fn during<S: Stream>(open: Open, stream: S) -> impl Stream<Item = S::Item> {
    stream.map(move |item| {
        let _ = &open;
        item
    })
}

impl SessionManager for Sessions {
    type Error = Failed;
    type Transport = WorkerTransport<LocalSessionWorker>;

    async fn create_session(&self) -> Result<(SessionId, Self::Transport), Failed> {
        let _turn = self.turn.lock().await;
        match self.places.make_room() {
            Room::Free => {}
            Room::Of(idle) => self.local.close_session(&idle).await?,
            Room::None => return Err(Failed::Full),
        }
        let (id, transport) = self.local.create_session().await?;
        self.places.take(id.clone());
        Ok((id, transport))
    }

    async fn initialize_session(
        &self,
        id: &SessionId,
        message: ClientJsonRpcMessage,
    ) -> Result<ServerJsonRpcMessage, Failed> {
        let _open = self.open(id)?;
        Ok(self.local.initialize_session(id, message).await?)
    }

    async fn has_session(&self, id: &SessionId) -> Result<bool, Failed> {
        Ok(self.places.touch(id) && self.local.has_session(id).await?)
    }

    async fn close_session(&self, id: &SessionId) -> Result<(), Failed> {
        self.places.leave(id);
        Ok(self.local.close_session(id).await?)
    }

    async fn create_stream(
        &self,
        id: &SessionId,
        message: ClientJsonRpcMessage,
    ) -> Result<impl Stream<Item = ServerSseMessage> + Send + Sync + 'static, Failed> {
        let open = self.open(id)?;
        let gone = || LocalSessionManagerError::SessionNotFound(id.clone());
        let session = self.local.sessions.read().await.get(id).cloned().ok_or_else(gone)?;
        let failed = LocalSessionManagerError::SessionError;
        let channel = session.establish_request_wise_channel().await.map_err(failed)?;
        let (number, mut answers) = (channel.http_request_id, channel.inner);
        session.push_message(message, number).await.map_err(failed)?;
        let answers = futures_util::stream::poll_fn(move |context| answers.poll_recv(context));
        let taken = once(async move {
            if let Some(number) = number {
                // A session that ended meanwhile has let it go already.
                let _ = session.close_request_wise_channel(number).await;
            }
        });
        Ok(during(open, answers.chain(taken.filter_map(|()| ready(None)))))
    }

    async fn accept_message(&self, id: &SessionId, message: ClientJsonRpcMessage) -> Result<(), Failed> {
        Ok(self.local.accept_message(id, message).await?)
    }

    async fn create_standalone_stream(
        &self,
        id: &SessionId,
    ) -> Result<impl Stream<Item = ServerSseMessage> + Send + Sync + 'static, Failed> {
        let open = self.open(id)?;
        Ok(during(open, self.local.create_standalone_stream(id).await?))
    }

    async fn resume(
        &self,
        id: &SessionId,
        last_event_id: String,
    ) -> Result<impl Stream<Item = ServerSseMessage> + Send + Sync + 'static, Failed> {
        let open = self.open(id)?;
        Ok(during(open, self.local.resume(id, last_event_id).await?))
    }
}
