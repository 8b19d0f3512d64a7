//! What a client is told without asking: that its lists of resources, prompts or tools changed, and that a resource it
//! subscribed to did. One task a connection compares the state of the desk with the one it told of last; of many quick
//! changes only what they come to is told, and of none nothing.

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
use super::tools::closed;
use refdesk_core::catalog::{PathState, Source, SourceKind};
use refdesk_core::mention::files;
use refdesk_core::selection::Access;
use refdesk_desk::Agent;
use refdesk_desk::engine::Snapshot;
use refdesk_files::stamp;
use refdesk_tools::front::Front;
use refdesk_tools::visible::{VisibleAs, visible};

/// So long changes are gathered before they are told.
const GATHER: Duration = Duration::from_millis(50);

/// Resources that one connection may subscribe to.
pub const SUBSCRIPTIONS: usize = 1_000;

/// What one connection is told of. Its task ends with it.
#[derive(Debug)]
pub struct Notices {
    began: AtomicBool,
    /// Who came.
    agent: OnceLock<Agent>,
    /// Addresses as the client wrote them, each as it was when the client was last told.
    subscribed: Mutex<BTreeMap<String, Mark>>,
    /// Closed when the connection is gone.
    lives: watch::Sender<()>,
}

impl Default for Notices {
    fn default() -> Self {
        Self {
            began: AtomicBool::new(false),
            agent: OnceLock::new(),
            subscribed: Mutex::default(),
            lives: watch::Sender::new(()),
        }
    }
}

impl Notices {
    /// Takes note of who came.
    pub fn meet(&self, agent: &Agent) {
        // A client that comes twice is still the same.
        let _ = self.agent.set(agent.clone());
    }

    /// Begins to tell this client; once, however often it says that it is ready.
    pub fn begin(this: &Arc<Self>, front: &Front, peer: Peer<RoleServer>) {
        let Some(agent) = this.agent.get().cloned() else { return };
        if this.began.swap(true, Ordering::Relaxed) {
            return;
        }
        let mut lives = this.lives.subscribe();
        let told = Told::Session { peer, notices: Arc::downgrade(this) };
        let front = front.clone();
        tokio::spawn(async move {
            tokio::select! {
                () = tell(&front, &agent, told) => {}
                // Nobody sends: it is closed.
                _ = lives.changed() => {}
            }
        });
    }

    /// `resources/subscribe`.
    ///
    /// # Errors
    /// It leads to nothing that may be read, or there are too many.
    pub async fn subscribe(&self, front: &Front, agent: &Agent, uri: String) -> Result<(), ErrorData> {
        let (snapshot, access) = front.readable(agent).await.ok_or_else(closed)?;
        check(&snapshot, &access, &uri)?;
        let marked = marks(snapshot, access, vec![uri]).await;
        let mut subscribed = self.subscribed();
        for (uri, mark) in marked {
            if subscribed.len() >= SUBSCRIPTIONS && !subscribed.contains_key(&uri) {
                let message =
                    format!("a connection may subscribe to {SUBSCRIPTIONS} resources; unsubscribe from some first");
                return Err(ErrorData::invalid_params(message, None));
            }
            subscribed.insert(uri, mark);
        }
        Ok(())
    }

    /// `resources/unsubscribe`; what was not subscribed to is not any more either.
    pub fn unsubscribe(&self, uri: &str) {
        self.subscribed().remove(uri);
    }

    fn subscribed(&self) -> MutexGuard<'_, BTreeMap<String, Mark>> {
        self.subscribed.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What of `subscriptions/listen` is served.
pub fn accepted(requested: &SubscriptionFilter) -> SubscriptionFilter {
    let mut accepted = requested.clone();
    if let Some(uris) = &mut accepted.resource_subscriptions {
        uris.retain(|uri| Address::parse(uri).is_ok());
        uris.truncate(SUBSCRIPTIONS);
    }
    accepted
}

/// Tells one subscription, until it is cancelled or the server ends.
pub async fn listen(front: &Front, agent: &Agent, subscription: &SubscriptionContext) {
    let sink = subscription.sink().clone();
    let uris = subscription.accepted().resource_subscriptions.clone().unwrap_or_default();
    let marks = uris.into_iter().map(|uri| (uri, None)).collect();
    tokio::select! {
        () = tell(front, agent, Told::Listener { sink, marks }) => {}
        () = subscription.cancelled() => {}
        () = front.left() => {}
    }
}

/// Who is told.
enum Told {
    /// A client that came by `initialize`: of everything, and of what it subscribes to as time goes on.
    Session { peer: Peer<RoleServer>, notices: Weak<Notices> },
    /// One request of a client that came without: of what it asked for.
    Listener { sink: SubscriptionSink, marks: BTreeMap<String, Mark> },
}

async fn tell(front: &Front, agent: &Agent, mut told: Told) {
    let mut snapshots = front.snapshots();
    let Some(mut before) = front.indexed(agent).await else { return };
    if told.renew(front, agent, &before).await.is_none() {
        return;
    }
    while snapshots.changed().await.is_ok() {
        tokio::time::sleep(GATHER).await;
        snapshots.mark_unchanged();
        let Some(now) = front.indexed(agent).await else { return };
        let lists = Lists::changed(&before, &now);
        let is_read_again = before.reads != now.reads || !Arc::ptr_eq(&before.catalog, &now.catalog);
        let updated =
            if is_read_again || lists.resources { told.renew(front, agent, &now).await } else { Some(Vec::new()) };
        let Some(updated) = updated else { return };
        if told.send(lists, updated).await.is_none() {
            return;
        }
        before = now;
    }
}

impl Told {
    /// Looks at what is subscribed to, and tells which changed since it was looked at last; `None` when nobody is there.
    async fn renew(&mut self, front: &Front, agent: &Agent, snapshot: &Snapshot) -> Option<Vec<String>> {
        let uris: Vec<String> = match self {
            Self::Session { notices, .. } => notices.upgrade()?.subscribed().keys().cloned().collect(),
            Self::Listener { marks, .. } => marks.keys().cloned().collect(),
        };
        if uris.is_empty() {
            return Some(Vec::new());
        }
        let (_, access) = front.readable(agent).await?;
        let new = marks(snapshot.clone(), access, uris).await;
        match self {
            Self::Session { notices, .. } => Some(replace(&mut notices.upgrade()?.subscribed(), &new)),
            Self::Listener { marks, .. } => Some(replace(marks, &new)),
        }
    }

    /// `None` when nobody is there any more.
    async fn send(&self, lists: Lists, updated: Vec<String>) -> Option<()> {
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

/// Which lists are different.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Lists {
    resources: bool,
    prompts: bool,
    tools: bool,
}

impl Lists {
    fn changed(before: &Snapshot, now: &Snapshot) -> Self {
        let same_shelf = Arc::ptr_eq(&before.catalog, &now.catalog) && Arc::ptr_eq(&before.selection, &now.selection);
        let same_templates = Arc::ptr_eq(&before.templates, &now.templates);
        Self {
            resources: !same_shelf && !listed_as(before).eq(listed_as(now)),
            prompts: !same_templates && !prompts(&before.templates).eq(prompts(&now.templates)),
            tools: before.exclude_tools != now.exclude_tools,
        }
    }
}

/// What the list of resources says of each, but for size and time: a document that was written to is no other resource.
fn listed_as(snapshot: &Snapshot) -> impl Iterator<Item = (&str, &str, &str, &'static str, VisibleAs)> {
    visible(snapshot).map(|(source, why)| {
        (source.id.as_str(), source.name.as_str(), source.description.as_str(), mime_type(source), why)
    })
}

/// What a resource is like; `None` where there is nothing to read.
type Mark = Option<u64>;

/// Sets the marks and answers whose was another; what was unsubscribed from meanwhile stays away.
fn replace(marks: &mut BTreeMap<String, Mark>, new: &HashMap<String, Mark>) -> Vec<String> {
    let mut changed = Vec::new();
    for (uri, mark) in marks {
        if let Some(new) = new.get(uri)
            && new != mark
        {
            *mark = *new;
            changed.push(uri.clone());
        }
    }
    changed
}

async fn marks(snapshot: Snapshot, access: Access, uris: Vec<String>) -> HashMap<String, Mark> {
    let look = move || {
        uris.into_iter().map(|uri| (mark(&snapshot, &access, &uri), uri)).map(|(mark, uri)| (uri, mark)).collect()
    };
    tokio::task::spawn_blocking(look).await.unwrap_or_default()
}

fn mark(snapshot: &Snapshot, access: &Access, uri: &str) -> Mark {
    let address = Address::parse(uri).ok()?;
    let source = snapshot.catalog.get(&address.id)?;
    VisibleAs::of(snapshot, source)?;
    if !access.reaches(&address.id) || access.withheld().contains(&source.id) {
        return None;
    }
    let mut hasher = DefaultHasher::new();
    hash_text(access, source, address.path.as_deref(), &mut hasher)?;
    Some(hasher.finish())
}

/// What tells whether the text of a source, or of a file in it, may be another one; nothing is read for it.
/// What may not be read is not looked at either.
fn hash_text(access: &Access, source: &Source, within: Option<&str>, hasher: &mut DefaultHasher) -> Option<()> {
    match (&source.kind, within) {
        (SourceKind::Local(place), None) if place.standing == PathState::File => {
            stamp(&allowed(access, &place.path)?).ok()?.hash(hasher);
        }
        (SourceKind::Local(_), None) => {
            for file in files(source, |_| String::new()).0 {
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
        (SourceKind::Mcp { server, tool, args }, None) => (server, tool, args.to_string()).hash(hasher),
        (_, Some(_)) => return None,
    }
    Some(())
}

/// Where a path leads by all its links, if that may be read.
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
        let choice = Choice { picks: picks.iter().map(|id| (*id).to_owned()).collect(), exclusions: Vec::new() };
        let selection = Arc::new(select(&choice, &catalog, &MentionGraph::default(), ExpansionRules::default()));
        Snapshot { catalog: Arc::new(catalog), selection, ..Snapshot::default() }
    }

    #[test]
    fn what_changes_which_list() {
        let (one, two) = (inline("one", "1"), inline("two", "2"));
        let renamed = Source { name: "Another".to_owned(), ..one.clone() };
        let all = || vec![one.clone(), two.clone()];
        let before = snapshot(all(), &["one"]);
        let nothing = Lists { resources: false, prompts: false, tools: false };
        let resources = Lists { resources: true, ..nothing };
        for (what, now, expected) in [
            ("the same again", snapshot(all(), &["one"]), nothing),
            ("a source that is not on the shelf", snapshot(vec![one.clone()], &["one"]), nothing),
            ("a longer text", snapshot(vec![inline("one", "longer"), two.clone()], &["one"]), nothing),
            ("a pick", snapshot(all(), &["one", "two"]), resources),
            ("nothing picked", snapshot(all(), &[]), resources),
            ("another name", snapshot(vec![renamed, two.clone()], &["one"]), resources),
            (
                "a tool that is gone",
                Snapshot { exclude_tools: vec!["renderTemplate".to_owned()].into(), ..before.clone() },
                Lists { tools: true, ..nothing },
            ),
        ] {
            assert_eq!(Lists::changed(&before, &now), expected, "{what}");
        }
    }

    #[test]
    fn a_mark_is_another_when_the_text_may_be() {
        let of = |text: &str, uri: &str| {
            let desk = snapshot(vec![inline("one", text), inline("two", "")], &["one"]);
            mark(&desk, &Access::new(&desk.catalog, &desk.selection, &[], |_| false), uri)
        };
        assert_eq!(of("1", "reference://one"), of("1", "reference://one"));
        assert_ne!(of("1", "reference://one"), of("2", "reference://one"));
        for uri in ["reference://two", "reference://one/x", "reference://none", "reference://", "x"] {
            assert_eq!(of("1", uri), None, "{uri}");
        }
    }

    #[cfg(unix)]
    #[test]
    fn what_may_not_be_read_has_no_mark() {
        let home = tempfile::tempdir().unwrap();
        let root = fs::canonicalize(home.path()).unwrap();
        let folder = root.join("in");
        fs::create_dir(&folder).unwrap();
        for path in ["in/a.md", "out.md"] {
            tempfile::NamedTempFile::new_in(&root).unwrap().persist(root.join(path)).unwrap();
        }
        std::os::unix::fs::symlink(root.join("out.md"), folder.join("link.md")).unwrap();
        let desk = snapshot(vec![local("far", &folder, PathState::Directory)], &["far"]);
        let of = |is_withheld: bool, uri: &str| {
            mark(&desk, &Access::new(&desk.catalog, &desk.selection, &[], |_| is_withheld), uri)
        };
        assert!(of(false, "reference://far/a.md").is_some() && of(false, "reference://far").is_some());
        assert_eq!(of(false, "reference://far/link.md"), None, "it leads out");
        assert_eq!((of(true, "reference://far/a.md"), of(true, "reference://far")), (None, None));
    }

    #[test]
    fn only_what_was_subscribed_to_is_told_of() {
        let mut marks = BTreeMap::from([("a".to_owned(), Some(1)), ("b".to_owned(), Some(2)), ("c".to_owned(), None)]);
        let new = HashMap::from([
            ("a".to_owned(), Some(1)),
            ("b".to_owned(), Some(3)),
            ("c".to_owned(), Some(4)),
            ("gone".to_owned(), Some(5)),
        ]);
        assert_eq!(replace(&mut marks, &new), ["b", "c"]);
        assert_eq!(marks.len(), 3);
    }
}
