//! Notifies clients that a list of resources, prompts or tools changed, or a subscribed resource. One task per
//! connection compares the desk's state with the last one it notified about, so quick changes are merged into one
//! notification.

use std::collections::{BTreeMap, HashMap};
use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Component, Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, Weak};
use std::time::Duration;

use rmcp::ErrorData;
use rmcp::RoleServer;
use rmcp::model::{ResourceUpdatedNotificationParam, SubscriptionFilter};
use rmcp::service::{Peer, SubscriptionContext, SubscriptionSink};
use tokio::sync::watch;

use super::address::Address;
use super::prompts::prompts;
use super::resource::check;
use super::resources::mime_type;
use super::tools::{closed, invalid};
use refdesk_core::catalog::{PathState, Source, SourceKind};
use refdesk_core::mention::files;
use refdesk_core::selection::Access;
use refdesk_desk::Session;
use refdesk_desk::engine::Snapshot;
use refdesk_files::stamp;
use refdesk_files::walk::WalkBudget;
use refdesk_tools::handle::DeskHandle;
use refdesk_tools::visible::{VisibleAs, listed};

/// Changes within this time are merged into one notification.
const DEBOUNCE: Duration = Duration::from_millis(50);

/// The most resources one connection may subscribe to.
const SUBSCRIPTIONS: usize = 1_000;

/// The notifications of one connection. The task ends with the connection.
#[derive(Debug, Default)]
pub(crate) struct ClientNotices {
    began: AtomicBool,
    /// The session of the agent that sent `initialize`.
    session: OnceLock<Session>,
    /// Subscribed addresses as the client wrote them, with the state about which it was last notified.
    subscribed: Mutex<BTreeMap<String, Fingerprint>>,
    /// Closed when the connection ends.
    lives: watch::Sender<()>,
}

impl ClientNotices {
    pub(crate) fn set_agent(&self, session: &Session) {
        // A second `initialize` is from the same client.
        let _ = self.session.set(session.clone());
    }

    /// Starts to notify this client; further calls do nothing.
    pub(crate) fn begin(this: &Arc<Self>, handle: &DeskHandle, peer: Peer<RoleServer>) {
        let Some(session) = this.session.get().cloned() else { return };
        if this.began.swap(true, Ordering::Relaxed) {
            return;
        }
        let mut lives = this.lives.subscribe();
        let recipient = Recipient::Session { peer, notices: Arc::downgrade(this) };
        let handle = handle.clone();
        tokio::spawn(async move {
            tokio::select! {
                () = notify(&handle, &session, recipient) => {}
                // Nothing is ever sent, so this means that the sender was dropped.
                _ = lives.changed() => {}
            }
        });
    }

    /// `resources/subscribe`.
    pub(crate) async fn subscribe(&self, handle: &DeskHandle, session: &Session, uri: String) -> Result<(), ErrorData> {
        let (snapshot, access) = handle.readable(session).await.ok_or_else(closed)?;
        check(&snapshot, &access, &uri)?;
        let fingerprints = fingerprints(snapshot, access, vec![uri]).await;
        let mut subscribed = self.subscribed();
        for (uri, fingerprint) in fingerprints {
            if subscribed.len() >= SUBSCRIPTIONS && !subscribed.contains_key(&uri) {
                return Err(invalid(format!(
                    "a connection may subscribe to {SUBSCRIPTIONS} resources; unsubscribe from some first"
                )));
            }
            subscribed.insert(uri, fingerprint);
        }
        Ok(())
    }

    /// `resources/unsubscribe`; ignores other addresses.
    pub(crate) fn unsubscribe(&self, uri: &str) {
        self.subscribed().remove(uri);
    }

    fn subscribed(&self) -> MutexGuard<'_, BTreeMap<String, Fingerprint>> {
        self.subscribed.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The supported part of a `subscriptions/listen` request.
pub(crate) fn accepted(requested: &SubscriptionFilter) -> SubscriptionFilter {
    let mut accepted = requested.clone();
    if let Some(uris) = &mut accepted.resource_subscriptions {
        uris.retain(|uri| Address::parse(uri).is_ok());
        uris.truncate(SUBSCRIPTIONS);
    }
    accepted
}

/// Notifies one subscription, until it is cancelled or the server ends.
pub(crate) async fn listen(handle: &DeskHandle, session: &Session, subscription: &SubscriptionContext) {
    let sink = subscription.sink().clone();
    let uris = subscription.accepted().resource_subscriptions.clone().unwrap_or_default();
    let fingerprints = uris.into_iter().map(|uri| (uri, None)).collect();
    tokio::select! {
        () = notify(handle, session, Recipient::Listener { sink, fingerprints }) => {}
        () = subscription.cancelled() => {}
        () = handle.shutdown_begun() => {}
    }
}

/// Where notifications go.
enum Recipient {
    /// A client that sent `initialize`: all changes of lists, and its current subscriptions.
    Session { peer: Peer<RoleServer>, notices: Weak<ClientNotices> },
    /// A `subscriptions/listen` request: what it asked for.
    Listener { sink: SubscriptionSink, fingerprints: BTreeMap<String, Fingerprint> },
}

/// The desk with its templates, and what the session may read. Resources are compared by the first of two answers: a
/// change between them must not seem to be older than both.
async fn state(handle: &DeskHandle, session: &Session) -> Option<(Snapshot, Access)> {
    let (readable, access) = handle.readable(session).await?;
    let templates = handle.indexed(session).await?.templates;
    Some((Snapshot { templates, ..readable }, access))
}

async fn notify(handle: &DeskHandle, session: &Session, mut recipient: Recipient) {
    let mut snapshots = handle.snapshots();
    let Some((mut before, mut could_read)) = state(handle, session).await else { return };
    let Some(updated) = recipient.renew(handle, session, &before).await else { return };
    // A session may have subscribed before, and the resource may have changed since. A listener is told from here on.
    if matches!(recipient, Recipient::Session { .. })
        && recipient.send(ChangedLists::default(), updated).await.is_none()
    {
        return;
    }
    while snapshots.changed().await.is_ok() {
        tokio::time::sleep(DEBOUNCE).await;
        snapshots.mark_unchanged();
        let Some((now, may_read)) = state(handle, session).await else { return };
        let lists = ChangedLists::changed((&before, &could_read), (&now, &may_read));
        let is_read_again = before.reads != now.reads || !Arc::ptr_eq(&before.catalog, &now.catalog);
        let updated = if is_read_again || lists.resources {
            recipient.renew(handle, session, &now).await
        } else {
            Some(Vec::new())
        };
        let Some(updated) = updated else { return };
        if recipient.send(lists, updated).await.is_none() {
            return;
        }
        (before, could_read) = (now, may_read);
    }
}

impl Recipient {
    /// The subscribed addresses that changed since the last call; `None` if the client has disconnected.
    async fn renew(&mut self, handle: &DeskHandle, session: &Session, snapshot: &Snapshot) -> Option<Vec<String>> {
        let uris: Vec<String> = match self {
            Self::Session { notices, .. } => notices.upgrade()?.subscribed().keys().cloned().collect(),
            Self::Listener { fingerprints, .. } => fingerprints.keys().cloned().collect(),
        };
        if uris.is_empty() {
            return Some(Vec::new());
        }
        let (_, access) = handle.readable(session).await?;
        let new = fingerprints(snapshot.clone(), access, uris).await;
        match self {
            Self::Session { notices, .. } => Some(replace(&mut notices.upgrade()?.subscribed(), &new)),
            Self::Listener { fingerprints, .. } => Some(replace(fingerprints, &new)),
        }
    }

    /// `None` if the client has disconnected.
    async fn send(&self, lists: ChangedLists, updated: Vec<String>) -> Option<()> {
        match self {
            Self::Session { peer, .. } => {
                if lists.resources {
                    peer.notify_resource_list_changed().await.ok()?;
                }
                if lists.prompts {
                    peer.notify_prompt_list_changed().await.ok()?;
                }
                if lists.tools {
                    peer.notify_tool_list_changed().await.ok()?;
                }
                for uri in updated {
                    peer.notify_resource_updated(ResourceUpdatedNotificationParam::new(uri)).await.ok()?;
                }
            }
            Self::Listener { sink, .. } => {
                let wanted = sink.accepted().clone();
                if lists.resources && wanted.resources_list_changed == Some(true) {
                    sink.notify_resource_list_changed().await.ok()?;
                }
                if lists.prompts && wanted.prompts_list_changed == Some(true) {
                    sink.notify_prompt_list_changed().await.ok()?;
                }
                if lists.tools && wanted.tools_list_changed == Some(true) {
                    sink.notify_tool_list_changed().await.ok()?;
                }
                for uri in updated {
                    sink.notify_resource_updated(uri).await.ok()?;
                }
            }
        }
        Some(())
    }
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct ChangedLists {
    resources: bool,
    prompts: bool,
    tools: bool,
}

impl ChangedLists {
    /// Compares what a session could see with what it can see now.
    fn changed((before, could_read): (&Snapshot, &Access), (now, may_read): (&Snapshot, &Access)) -> Self {
        let same_templates = Arc::ptr_eq(&before.templates, &now.templates);
        Self {
            resources: !listed_as(before, could_read).eq(listed_as(now, may_read)),
            prompts: !same_templates && !prompts(&before.templates).eq(prompts(&now.templates)),
            tools: before.exclude_tools != now.exclude_tools || before.has_databases != now.has_databases,
        }
    }
}

/// The content of the list of resources, except size and time: a changed document is the same resource.
fn listed_as<'s>(
    snapshot: &'s Snapshot,
    access: &'s Access,
) -> impl Iterator<Item = (&'s str, &'s str, &'s str, &'static str, VisibleAs)> {
    listed(snapshot, access).map(|(source, why)| {
        (source.id.as_str(), source.name.as_str(), source.description.as_str(), mime_type(source), why)
    })
}

/// Changes whenever the resource may have changed; `None` if it cannot be read.
type Fingerprint = Option<u64>;

/// Updates the fingerprints and returns the addresses whose fingerprint changed. Does not add addresses.
fn replace(fingerprints: &mut BTreeMap<String, Fingerprint>, new: &HashMap<String, Fingerprint>) -> Vec<String> {
    let mut changed = Vec::new();
    for (uri, fingerprint) in fingerprints {
        if let Some(new) = new.get(uri)
            && new != fingerprint
        {
            *fingerprint = *new;
            changed.push(uri.clone());
        }
    }
    changed
}

async fn fingerprints(snapshot: Snapshot, access: Access, uris: Vec<String>) -> HashMap<String, Fingerprint> {
    let compute = move || {
        let budget = WalkBudget::default();
        uris.into_iter().map(|uri| (uri.clone(), fingerprint(&snapshot, &access, &uri, &budget))).collect()
    };
    tokio::task::spawn_blocking(compute).await.unwrap_or_default()
}

fn fingerprint(snapshot: &Snapshot, access: &Access, uri: &str, budget: &WalkBudget) -> Fingerprint {
    let address = Address::parse(uri).ok()?;
    let source = snapshot.catalog.get(&address.id)?;
    VisibleAs::of(snapshot, source)?;
    if !access.may_read(&address.id) {
        return None;
    }
    let mut hasher = DefaultHasher::new();
    hash_text(access, source, address.path.as_deref(), budget, &mut hasher)?;
    Some(hasher.finish())
}

/// Hashes what changes along with the text of a source or of a file in it, without reading the text. Skips what may not
/// be read.
fn hash_text(
    access: &Access,
    source: &Source,
    within: Option<&str>,
    budget: &WalkBudget,
    hasher: &mut DefaultHasher,
) -> Option<()> {
    match (&source.kind, within) {
        (SourceKind::Local(place), None) if place.state == PathState::File => {
            stamp(&allowed(access, &place.path)?).ok()?.hash(hasher);
        }
        (SourceKind::Local(_), None) => {
            for file in files(source, budget, |_| String::new()).0 {
                let stamp = allowed(access, &file.path).and_then(|path| stamp(&path).ok());
                (stamp, file.path).hash(hasher);
            }
        }
        (SourceKind::Local(place), Some(within)) => {
            let is_plain = |part: Component<'_>| matches!(part, Component::Normal(_));
            let within = Some(Path::new(within)).filter(|path| path.components().all(is_plain))?;
            let path = allowed(access, &place.path.join(within))?;
            if !path.starts_with(&*place.resolved) {
                return None;
            }
            stamp(&path).ok()?.hash(hasher);
        }
        (SourceKind::Inline { content }, None) => content.hash(hasher),
        (SourceKind::Url { url }, None) => url.hash(hasher),
        (SourceKind::Mcp { server, tool, args }, None) => (server, tool, args).hash(hasher),
        (SourceKind::Withheld(_), None) => {}
        (_, Some(_)) => return None,
    }
    Some(())
}

/// The resolved path, if it may be read.
fn allowed(access: &Access, path: &Path) -> Option<PathBuf> {
    fs::canonicalize(path).ok().filter(|real| access.allows(real))
}

#[cfg(test)]
mod tests {
    use super::*;
    use refdesk_core::catalog::Catalog;
    use refdesk_core::catalog::testing::{inline, local};
    use refdesk_core::mention::MentionGraph;
    use refdesk_core::selection::{Choice, ExpansionRules, select};

    fn snapshot(sources: Vec<Source>, picks: &[&str]) -> Snapshot {
        let catalog = Catalog::new(sources);
        let choice = Choice { picks: picks.iter().map(|id| (*id).to_owned()).collect(), ..Choice::default() };
        let selection = Arc::new(select(&choice, &catalog, &MentionGraph::default(), ExpansionRules::default()));
        Snapshot { catalog: Arc::new(catalog), selection, ..Snapshot::default() }
    }

    fn access(desk: &Snapshot, is_withheld: bool) -> Access {
        Access::new(&desk.catalog, &desk.selection, &[], |_| is_withheld)
    }

    #[test]
    fn only_changed_lists_are_notified_of() {
        let (one, two) = (inline("one", "1"), inline("two", "2"));
        let renamed = Source { name: "Another".into(), ..one.clone() };
        let all = || vec![one.clone(), two.clone()];
        let before = snapshot(all(), &["one"]);
        let nothing = ChangedLists { resources: false, prompts: false, tools: false };
        let resources = ChangedLists { resources: true, ..nothing };
        for (what, now, expected) in [
            ("the same again", snapshot(all(), &["one"]), nothing),
            ("a source that is not visible", snapshot(vec![one.clone()], &["one"]), nothing),
            ("a longer text", snapshot(vec![inline("one", "longer"), two.clone()], &["one"]), nothing),
            ("a pick", snapshot(all(), &["one", "two"]), resources),
            ("nothing picked", snapshot(all(), &[]), resources),
            ("another name", snapshot(vec![renamed, two.clone()], &["one"]), resources),
            (
                "a tool that is gone",
                Snapshot { exclude_tools: vec!["renderTemplate".to_owned()].into(), ..before.clone() },
                ChangedLists { tools: true, ..nothing },
            ),
        ] {
            let (could_read, may_read) = (access(&before, false), access(&now, false));
            assert_eq!(ChangedLists::changed((&before, &could_read), (&now, &may_read)), expected, "{what}");
        }
        for (could_read, may_read, expected) in
            [(true, false, resources), (false, true, resources), (true, true, nothing)]
        {
            let (could_read, may_read) = (access(&before, could_read), access(&before, may_read));
            assert_eq!(ChangedLists::changed((&before, &could_read), (&before, &may_read)), expected, "trust");
        }
    }

    #[test]
    fn a_fingerprint_changes_with_the_text() {
        let of = |text: &str, uri: &str| {
            let desk = snapshot(vec![inline("one", text), inline("two", "")], &["one"]);
            fingerprint(&desk, &access(&desk, false), uri, &WalkBudget::default())
        };
        assert_eq!(of("1", "reference://one"), of("1", "reference://one"));
        assert_ne!(of("1", "reference://one"), of("2", "reference://one"));
        for uri in ["reference://two", "reference://one/x", "reference://none", "reference://", "x"] {
            assert_eq!(of("1", uri), None, "{uri}");
        }
    }

    #[test]
    fn unreadable_files_have_no_fingerprint() {
        let home = tempfile::tempdir().unwrap();
        let root = fs::canonicalize(home.path()).unwrap();
        let folder = root.join("in");
        fs::create_dir(&folder).unwrap();
        for path in ["in/a.md", "out.md"] {
            tempfile::NamedTempFile::new_in(&root).unwrap().persist(root.join(path)).unwrap();
        }
        std::os::unix::fs::symlink(root.join("out.md"), folder.join("link.md")).unwrap();
        let desk = snapshot(vec![local("far", &folder, PathState::Directory)], &["far"]);
        let of =
            |is_withheld: bool, uri: &str| fingerprint(&desk, &access(&desk, is_withheld), uri, &WalkBudget::default());
        assert!(of(false, "reference://far/a.md").is_some() && of(false, "reference://far").is_some());
        assert_eq!(of(false, "reference://far/link.md"), None, "it leads out");
        assert_eq!((of(true, "reference://far/a.md"), of(true, "reference://far")), (None, None));
    }

    #[test]
    fn only_subscribed_resources_are_notified_of() {
        let mut fingerprints =
            BTreeMap::from([("a".to_owned(), Some(1)), ("b".to_owned(), Some(2)), ("c".to_owned(), None)]);
        let new = HashMap::from([
            ("a".to_owned(), Some(1)),
            ("b".to_owned(), Some(3)),
            ("c".to_owned(), Some(4)),
            ("gone".to_owned(), Some(5)),
        ]);
        assert_eq!(replace(&mut fingerprints, &new), ["b", "c"]);
        assert_eq!(fingerprints.len(), 3);
    }
}
