//! Limits the number of sessions: tracks which are in use, and chooses the one to evict for a new client. rmcp owns the
//! sessions themselves.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use rmcp::model::RequestId;
use rmcp::transport::streamable_http_server::session::SessionId;

#[derive(Debug)]
struct SessionActivity {
    /// Open streams and calls.
    open: usize,
    /// When a stream or call last started or ended.
    since: Instant,
    /// The ids of the calls without an answer.
    requests: HashSet<RequestId>,
}

#[derive(Debug, Clone)]
pub(super) struct SessionRegistry {
    sessions: Arc<Mutex<HashMap<SessionId, SessionActivity>>>,
    limit: usize,
}

/// Whether there is room for another session.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Eviction {
    NotNeeded,
    /// This session was removed to make room.
    Evicted(SessionId),
    /// There is no room, since every session is in use.
    Impossible,
}

impl SessionRegistry {
    /// An empty registry with room for this many sessions.
    pub(super) fn new(limit: usize) -> Self {
        Self { sessions: Arc::default(), limit }
    }

    fn sessions(&self) -> MutexGuard<'_, HashMap<SessionId, SessionActivity>> {
        // A panic cannot leave an update incomplete.
        self.sessions.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether there is no room for another session and none can be evicted.
    pub(super) fn is_full(&self) -> bool {
        let sessions = self.sessions();
        sessions.len() >= self.limit && sessions.values().all(|activity| activity.open > 0)
    }

    /// Makes room for a session by evicting the one idle for longest, if necessary.
    pub(super) fn evict_if_full(&self) -> Eviction {
        let mut sessions = self.sessions();
        if sessions.len() < self.limit {
            return Eviction::NotNeeded;
        }
        let idle = sessions.iter().filter(|(_, activity)| activity.open == 0);
        match idle.min_by_key(|(_, activity)| activity.since).map(|(id, _)| id.clone()) {
            Some(id) => {
                sessions.remove(&id);
                Eviction::Evicted(id)
            }
            None => Eviction::Impossible,
        }
    }

    pub(super) fn add(&self, id: SessionId) {
        self.sessions().insert(id, SessionActivity { open: 0, since: Instant::now(), requests: HashSet::new() });
    }

    pub(super) fn remove(&self, id: &SessionId) {
        self.sessions().remove(id);
    }

    /// Marks a session as just used; returns whether it exists.
    pub(super) fn touch(&self, id: &SessionId) -> bool {
        self.sessions().get_mut(id).map(|activity| activity.since = Instant::now()).is_some()
    }

    /// Makes the id of a call free, because it has an answer or was cancelled.
    pub(super) fn settle(&self, id: &SessionId, request: &RequestId) {
        if let Some(activity) = self.sessions().get_mut(id) {
            activity.requests.remove(request);
        }
    }

    /// Starts a stream or a call; `None` if the session has ended.
    pub(super) fn open(&self, id: &SessionId) -> Option<SessionGuard> {
        let mut sessions = self.sessions();
        let activity = sessions.get_mut(id)?;
        (activity.open, activity.since) = (activity.open + 1, Instant::now());
        Some(SessionGuard { registry: self.clone(), id: id.clone(), request: None })
    }
}

/// An open stream or call of a session; it ends when this is dropped.
#[derive(Debug)]
pub(super) struct SessionGuard {
    registry: SessionRegistry,
    id: SessionId,
    /// The id of a call that has not reached the session yet.
    request: Option<RequestId>,
}

impl SessionGuard {
    /// Adds a call; returns false if one with this id has no answer yet.
    pub(super) fn begin(&mut self, request: &RequestId) -> bool {
        let mut sessions = self.registry.sessions();
        // The call fails if the session has ended.
        let is_new = sessions.get_mut(&self.id).is_none_or(|activity| activity.requests.insert(request.clone()));
        self.request = is_new.then(|| request.clone());
        is_new
    }

    /// Called when the session has the call. It answers it even if the connection breaks, so the id stays taken until
    /// then.
    pub(super) fn hand_over(&mut self) {
        self.request = None;
    }
}

impl Drop for SessionGuard {
    fn drop(&mut self) {
        if let Some(request) = &self.request {
            self.registry.settle(&self.id, request);
        }
        if let Some(activity) = self.registry.sessions().get_mut(&self.id) {
            (activity.open, activity.since) = (activity.open.saturating_sub(1), Instant::now());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn registry(ids: &[&str]) -> SessionRegistry {
        let registry = SessionRegistry::new(ids.len());
        for id in ids {
            assert_eq!(registry.evict_if_full(), Eviction::NotNeeded);
            registry.add((*id).into());
        }
        registry
    }

    #[test]
    fn the_session_idle_for_longest_is_evicted() {
        let registry = registry(&["a", "b", "c"]);
        assert!(registry.touch(&"a".into()));
        assert_eq!(registry.evict_if_full(), Eviction::Evicted("b".into()));
        assert!(!registry.touch(&"b".into()) && registry.open(&"b".into()).is_none(), "it has ended");
        assert_eq!(registry.evict_if_full(), Eviction::NotNeeded);
    }

    #[test]
    fn a_session_in_use_is_not_evicted() {
        let registry = registry(&["a", "b"]);
        let [first, _second] = ["a", "b"].map(|id| registry.open(&id.into()).unwrap());
        let other = registry.open(&"a".into());
        assert!(registry.is_full());
        assert_eq!(registry.evict_if_full(), Eviction::Impossible);
        drop(first);
        assert!(registry.is_full(), "its call has ended, its stream has not");
        drop(other);
        assert!(!registry.is_full());
        assert_eq!(registry.evict_if_full(), Eviction::Evicted("a".into()));
    }

    #[test]
    fn an_id_is_free_once_its_call_has_an_answer() {
        let registry = registry(&["a", "b"]);
        let open = |id: &str| registry.open(&id.into()).unwrap();
        let [mut first, mut second, mut other] = [open("a"), open("a"), open("b")];
        let (id, same_word) = (RequestId::Number(7), RequestId::String("7".into()));
        assert!(first.begin(&id) && !second.begin(&id) && second.begin(&same_word) && other.begin(&id));
        first.hand_over();
        drop((first, second));
        assert!(!open("a").begin(&id), "its answer is still to come");
        assert!(open("a").begin(&same_word), "it never reached its session");
        registry.settle(&"a".into(), &id);
        assert!(open("a").begin(&id) && !open("b").begin(&id));
    }

    #[test]
    fn a_stream_that_outlives_its_session_does_not_count() {
        let registry = registry(&["a"]);
        let open = registry.open(&"a".into());
        registry.remove(&"a".into());
        drop(open);
        assert_eq!(registry.evict_if_full(), Eviction::NotNeeded);
    }
}
