//! Who has a session and what goes on in it: how many there are, and whose place goes to somebody new when all are taken. The
//! sessions themselves are rmcp's.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use rmcp::transport::streamable_http_server::session::SessionId;

/// What is known of a session.
#[derive(Debug)]
struct Standing {
    /// Streams and calls that are open.
    open: usize,
    /// When something last began or ended in it.
    since: Instant,
}

#[derive(Debug, Clone)]
pub struct Places {
    all: Arc<Mutex<HashMap<SessionId, Standing>>>,
    most: usize,
}

/// What somebody new gets.
#[derive(Debug, PartialEq, Eq)]
pub enum Room {
    /// A place that was free.
    Free,
    /// That of this session, which ends; nobody finds it from now on.
    Of(SessionId),
    /// None: in each something goes on.
    None,
}

impl Places {
    /// So many, all free.
    pub fn new(most: usize) -> Self {
        Self { all: Arc::default(), most }
    }

    fn all(&self) -> MutexGuard<'_, HashMap<SessionId, Standing>> {
        // Nothing is left half done while this is held.
        self.all.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether nobody new can be let in.
    pub fn is_full(&self) -> bool {
        let all = self.all();
        all.len() >= self.most && all.values().all(|standing| standing.open > 0)
    }

    /// Makes room for one: the session in which nothing went on for longest goes where all places are taken.
    pub fn make_room(&self) -> Room {
        let mut all = self.all();
        if all.len() < self.most {
            return Room::Free;
        }
        let idle = all.iter().filter(|(_, standing)| standing.open == 0);
        match idle.min_by_key(|(_, standing)| standing.since).map(|(id, _)| id.clone()) {
            Some(id) => {
                all.remove(&id);
                Room::Of(id)
            }
            None => Room::None,
        }
    }

    /// A session is there.
    pub fn take(&self, id: SessionId) {
        self.all().insert(id, Standing { open: 0, since: Instant::now() });
    }

    /// A session is not there any more.
    pub fn leave(&self, id: &SessionId) {
        self.all().remove(id);
    }

    /// Somebody asks for a session: whether it is there. It is in use from now on.
    pub fn touch(&self, id: &SessionId) -> bool {
        self.all().get_mut(id).map(|standing| standing.since = Instant::now()).is_some()
    }

    /// A stream or a call begins; `None` where the session has ended.
    pub fn open(&self, id: &SessionId) -> Option<Open> {
        let mut all = self.all();
        let standing = all.get_mut(id)?;
        (standing.open, standing.since) = (standing.open + 1, Instant::now());
        Some(Open { places: self.clone(), id: id.clone() })
    }
}

/// A stream or a call of a session, until this is dropped.
#[derive(Debug)]
pub struct Open {
    places: Places,
    id: SessionId,
}

impl Drop for Open {
    fn drop(&mut self) {
        if let Some(standing) = self.places.all().get_mut(&self.id) {
            (standing.open, standing.since) = (standing.open.saturating_sub(1), Instant::now());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn places(ids: &[&str]) -> Places {
        let places = Places::new(ids.len());
        for id in ids {
            assert_eq!(places.make_room(), Room::Free);
            places.take((*id).into());
        }
        places
    }

    #[test]
    fn the_place_of_whom_nobody_asked_for_longest_is_given_away() {
        let places = places(&["a", "b", "c"]);
        assert!(places.touch(&"a".into()));
        assert_eq!(places.make_room(), Room::Of("b".into()));
        assert!(!places.touch(&"b".into()) && places.open(&"b".into()).is_none(), "it has ended");
        assert_eq!(places.make_room(), Room::Free);
    }

    #[test]
    fn nobody_is_put_out_while_something_goes_on() {
        let places = places(&["a", "b"]);
        let [first, _second] = ["a", "b"].map(|id| places.open(&id.into()).unwrap());
        let other = places.open(&"a".into());
        assert!(places.is_full());
        assert_eq!(places.make_room(), Room::None);
        drop(first);
        assert!(places.is_full(), "a call ended, its stream has not");
        drop(other);
        assert!(!places.is_full());
        assert_eq!(places.make_room(), Room::Of("a".into()));
    }

    #[test]
    fn what_ends_after_its_session_holds_no_place() {
        let places = places(&["a"]);
        let open = places.open(&"a".into());
        places.leave(&"a".into());
        drop(open);
        assert_eq!(places.make_room(), Room::Free);
    }
}
