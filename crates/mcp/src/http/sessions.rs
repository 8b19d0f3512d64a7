//! The sessions of clients that start with `initialize`. Their number is limited; an idle session ends after some time,
//! or sooner if a new client needs its slot, because most clients never end theirs. rmcp keeps a session's last answers
//! so that a client can resume them on a new connection. An answer that was received completely is dropped here
//! immediately; otherwise, memory would grow with every call of the last minute.

use std::future::ready;
use std::io;
use std::pin::pin;

use futures_util::Stream;
use futures_util::future::Either;
use futures_util::stream::{StreamExt, once};
use rmcp::model::{ClientJsonRpcMessage, ClientNotification, ErrorData, RequestId, ServerJsonRpcMessage};
use rmcp::transport::WorkerTransport;
use rmcp::transport::common::server_side_http::ServerSseMessage;
use rmcp::transport::streamable_http_server::session::local::{
    LocalSessionManager, LocalSessionManagerError, LocalSessionWorker, SessionError,
};
use rmcp::transport::streamable_http_server::session::{SessionId, SessionManager};

use tokio::sync::{Mutex, mpsc};

use super::Limits;
use super::registry::{Eviction, SessionGuard, SessionRegistry};
use crate::lines::ID_IS_OPEN;

#[derive(Debug)]
pub(super) struct Sessions {
    local: LocalSessionManager,
    registry: SessionRegistry,
    /// Held while a session is created, so that two cannot take the same slot.
    creating: Mutex<()>,
}

impl Sessions {
    pub(super) fn new(limits: &Limits) -> Self {
        let mut local = LocalSessionManager::default();
        local.session_config.keep_alive = Some(limits.idle);
        local.session_config.sse_retry = None;
        Self { local, registry: SessionRegistry::new(limits.sessions), creating: Mutex::new(()) }
    }

    /// Whether there is no room for another session and none can be evicted.
    pub(super) fn is_full(&self) -> bool {
        self.registry.is_full()
    }

    fn open(&self, id: &SessionId) -> Result<SessionGuard, LocalSessionManagerError> {
        self.registry.open(id).ok_or_else(|| LocalSessionManagerError::SessionNotFound(id.clone()))
    }
}

/// A stream that holds its session's guard.
fn guarded<S: Stream>(guard: SessionGuard, stream: S) -> impl Stream<Item = S::Item> {
    stream.inspect(move |_| {
        let _ = &guard;
    })
}

/// The events of a call. Its id is free when it has an answer, before its client has read it. Events are taken even after
/// the connection broke, because another call with this id would get that answer.
fn followed(
    registry: SessionRegistry,
    session: SessionId,
    events: impl Stream<Item = ServerSseMessage> + Send + 'static,
) -> impl Stream<Item = ServerSseMessage> {
    let (sender, mut receiver) = mpsc::channel(1);
    tokio::spawn(async move {
        let mut events = pin!(events);
        while let Some(event) = events.next().await {
            if let Some(answered) = event.message.as_deref().and_then(answered) {
                registry.settle(&session, answered);
            }
            // Fails if the connection broke.
            let _ = sender.send(event).await;
        }
    });
    futures_util::stream::poll_fn(move |context| receiver.poll_recv(context))
}

/// The id of the call that this message answers.
fn answered(message: &ServerJsonRpcMessage) -> Option<&RequestId> {
    match message {
        ServerJsonRpcMessage::Response(response) => Some(&response.id),
        ServerJsonRpcMessage::Error(error) => error.id.as_ref(),
        ServerJsonRpcMessage::Request(_) | ServerJsonRpcMessage::Notification(_) => None,
    }
}

/// The id of the call that this message cancels, which gets no answer.
fn cancelled(message: &ClientJsonRpcMessage) -> Option<RequestId> {
    match message {
        ClientJsonRpcMessage::Notification(notification) => match &notification.notification {
            ClientNotification::CancelledNotification(cancelled) => cancelled.params.request_id.clone(),
            _ => None,
        },
        _ => None,
    }
}

/// Whether this is the id of an event of a call; it has a slash before the number of the call.
pub(super) fn is_of_a_call(event: &str) -> bool {
    event.contains('/')
}

/// The id of the event after this one. rmcp resumes with the event that it is given, which the client has already read:
/// a question to the user would be asked twice.
fn after(event: &str) -> String {
    let (index, of_call) = event.split_at(event.find('/').unwrap_or(event.len()));
    index.parse::<usize>().map_or_else(|_| event.to_owned(), |index| format!("{}{of_call}", index.saturating_add(1)))
}

impl SessionManager for Sessions {
    type Error = LocalSessionManagerError;
    type Transport = WorkerTransport<LocalSessionWorker>;

    async fn create_session(&self) -> Result<(SessionId, Self::Transport), LocalSessionManagerError> {
        let _creating = self.creating.lock().await;
        match self.registry.evict_if_full() {
            Eviction::NotNeeded => {}
            Eviction::Evicted(idle) => self.local.close_session(&idle).await?,
            Eviction::Impossible => return Err(SessionError::Io(io::Error::other("too many sessions are open")).into()),
        }
        let (id, transport) = self.local.create_session().await?;
        self.registry.add(id.clone());
        Ok((id, transport))
    }

    async fn initialize_session(
        &self,
        id: &SessionId,
        message: ClientJsonRpcMessage,
    ) -> Result<ServerJsonRpcMessage, LocalSessionManagerError> {
        let _guard = self.open(id)?;
        self.local.initialize_session(id, message).await
    }

    async fn has_session(&self, id: &SessionId) -> Result<bool, LocalSessionManagerError> {
        Ok(self.registry.touch(id) && self.local.has_session(id).await?)
    }

    async fn close_session(&self, id: &SessionId) -> Result<(), LocalSessionManagerError> {
        self.registry.remove(id);
        self.local.close_session(id).await
    }

    async fn create_stream(
        &self,
        id: &SessionId,
        message: ClientJsonRpcMessage,
    ) -> Result<impl Stream<Item = ServerSseMessage> + Send + Sync + 'static, LocalSessionManagerError> {
        let mut guard = self.open(id)?;
        if let ClientJsonRpcMessage::Request(request) = &message
            && !guard.begin(&request.id)
        {
            let error = ErrorData::invalid_request(ID_IS_OPEN, None);
            let error = ServerJsonRpcMessage::error(error, Some(request.id.clone()));
            return Ok(Either::Left(once(ready(ServerSseMessage::from_message(error)))));
        }
        let gone = || LocalSessionManagerError::SessionNotFound(id.clone());
        let session = self.local.sessions.read().await.get(id).cloned().ok_or_else(gone)?;
        let failed = LocalSessionManagerError::SessionError;
        let channel = session.establish_request_wise_channel().await.map_err(failed)?;
        let (number, mut answers) = (channel.http_request_id, channel.inner);
        session.push_message(message, number).await.map_err(failed)?;
        guard.hand_over();
        let answers = futures_util::stream::poll_fn(move |context| answers.poll_recv(context));
        let answers = followed(self.registry.clone(), id.clone(), answers);
        let received = once(async move {
            if let Some(number) = number {
                // Fails if the session has ended, which drops the answer, too.
                let _ = session.close_request_wise_channel(number).await;
            }
        });
        Ok(Either::Right(guarded(guard, answers.chain(received.filter_map(|()| ready(None))))))
    }

    async fn accept_message(
        &self,
        id: &SessionId,
        message: ClientJsonRpcMessage,
    ) -> Result<(), LocalSessionManagerError> {
        let cancelled = cancelled(&message);
        self.local.accept_message(id, message).await?;
        if let Some(request) = cancelled {
            self.registry.settle(id, &request);
        }
        Ok(())
    }

    async fn create_standalone_stream(
        &self,
        id: &SessionId,
    ) -> Result<impl Stream<Item = ServerSseMessage> + Send + Sync + 'static, LocalSessionManagerError> {
        let guard = self.open(id)?;
        Ok(guarded(guard, self.local.create_standalone_stream(id).await?))
    }

    async fn resume(
        &self,
        id: &SessionId,
        last_event_id: String,
    ) -> Result<impl Stream<Item = ServerSseMessage> + Send + Sync + 'static, LocalSessionManagerError> {
        let guard = self.open(id)?;
        let is_of_a_call = is_of_a_call(&last_event_id);
        let events = self.local.resume(id, after(&last_event_id)).await?;
        // rmcp must see that nobody reads the stream of notices.
        Ok(guarded(
            guard,
            match is_of_a_call {
                true => Either::Left(followed(self.registry.clone(), id.clone(), events)),
                false => Either::Right(events),
            },
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::after;

    #[test]
    fn the_next_event_is_of_the_same_stream() {
        for (event, next) in [("0", "1"), ("9/0", "10/0"), ("0/12", "1/12"), ("x/1", "x/1"), ("", "")] {
            assert_eq!(after(event), next);
        }
    }
}
