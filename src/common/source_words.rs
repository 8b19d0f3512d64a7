//! Describes the state of a source.

use std::borrow::Cow;

use refdesk_core::catalog::{Mode, Source, SourceId, SourceKind};
use refdesk_core::selection::{Role, SelectedSource, SelectionState};
use refdesk_desk::engine::Snapshot;
use refdesk_desk::{ProfileSwitch, SelectionChange};
use refdesk_text::tokens::{counted, grouped};

/// Formats a list of ids: `@a, @b` on the screen, `a and b` in a spoken sentence.
pub type IdList = fn(&[&str]) -> String;

/// The state of a source outside the workspace that the user has not trusted.
pub const WAITS_FOR_TRUST: &str = "waits for trust";

pub fn is_auto(snapshot: &Snapshot, id: &str) -> bool {
    snapshot.catalog.get(id).is_some_and(|source| source.mode == Mode::Auto)
}

pub fn waits(snapshot: &Snapshot, id: &str) -> bool {
    snapshot.catalog.get(id).is_some_and(Source::is_untrusted)
}

/// The state in words: `picked`, `pulled in by @a, @b`, `missing`, `available`, `waits for trust`.
pub fn words(snapshot: &Snapshot, id: &str, list: IdList) -> String {
    words_with(snapshot, id, list, "picked")
}

/// [`words`] that tell an agent's pick from a person's.
pub fn full_words(snapshot: &Snapshot, id: &str, list: IdList) -> String {
    words_with(snapshot, id, list, picked(snapshot, id))
}

/// `picked`, or that only an agent picked it.
pub fn picked(snapshot: &Snapshot, id: &str) -> &'static str {
    if snapshot.by_agents.contains(id) { "picked by an agent, not confirmed by a person" } else { "picked" }
}

fn words_with(snapshot: &Snapshot, id: &str, list: IdList, picked: &str) -> String {
    let member = snapshot.selection.member(id);
    let source = snapshot.catalog.get(id);
    let state = match (member, SelectionState::of(&snapshot.catalog, &snapshot.selection, id)) {
        (Some(member), _) if member.role == Role::Transitive => {
            let parents = parents(member, list);
            match source.is_some_and(|source| source.mode == Mode::Auto) {
                true => format!("always in the instructions, mentioned by {parents}"),
                false => format!("pulled in by {parents}"),
            }
        }
        (Some(member), _) if member.role == Role::AutoRoot => "auto, pulls in others".to_owned(),
        (Some(_), _) => picked.to_owned(),
        // An exclusion prevents pulling in a source, but does not remove it from the instructions.
        (None, SelectionState::Excluded) if source.is_some_and(|source| source.mode == Mode::Auto) => {
            "excluded, still in the instructions (auto)".to_owned()
        }
        (None, SelectionState::Excluded) => "excluded".to_owned(),
        (None, SelectionState::Dormant) => "dormant".to_owned(),
        (None, SelectionState::Auto) => "always in the instructions".to_owned(),
        (None, SelectionState::Missing) => return "missing".to_owned(),
        _ if source.is_some_and(Source::is_untrusted) => return WAITS_FOR_TRUST.to_owned(),
        _ => "available".to_owned(),
    };
    match source {
        Some(source) if source.is_missing() => format!("missing, {state}"),
        Some(source) if source.is_untrusted() => format!("{state}, {WAITS_FOR_TRUST}"),
        _ => state,
    }
}

/// `, 3 untrusted sources`, whose price is unknown.
pub fn waiting(count: usize) -> String {
    if count == 0 { String::new() } else { format!(", {}", counted(count, "untrusted source")) }
}

/// `; its text waits for trust` for an untrusted source, whose price is unknown.
pub fn untrusted_note(snapshot: &Snapshot, id: &str) -> &'static str {
    if waits(snapshot, id) { "; its text waits for trust" } else { "" }
}

/// Why the text of a source brings up no hint.
pub fn why_unread(source: Option<&Source>) -> Cow<'static, str> {
    match source {
        Some(source) if source.is_untrusted() => "it waits for trust, so its text is not read".into(),
        Some(source) if source.is_missing() => {
            let path = source.place().map(|place| &*place.written).unwrap_or_default();
            format!("it is missing: {path} {}", source.why_missing()).into()
        }
        _ => "its text cannot be read".into(),
    }
}

/// The URL that an agent fetches, or the tool that it calls, as written in the catalog; empty for other kinds.
pub fn address(kind: &SourceKind) -> String {
    match kind.with_trust() {
        SourceKind::Url { url } => url.clone(),
        SourceKind::Mcp { server, tool, .. } => format!("tool {tool} of the server {server}"),
        SourceKind::Local(_) | SourceKind::Inline { .. } | SourceKind::Withheld(_) => String::new(),
    }
}

/// The sources that stay selected, waited for trust before, and no longer do.
pub fn newly_trusted<'a>(before: &'a Snapshot, after: &Snapshot) -> Vec<&'a str> {
    let members = before.selection.members().iter().map(|member| member.id.as_str());
    members.filter(|id| after.selection.contains(id) && waits(before, id) && !waits(after, id)).collect()
}

/// `; agents may now fetch @a, @b`, after a pick that is trust in these.
pub fn may_now_fetch(ids: &[&str], list: IdList) -> String {
    if ids.is_empty() { String::new() } else { format!("; agents may now fetch {}", list(ids)) }
}

/// `; agents may then fetch @a, @b`, for a pick that is not made yet.
pub fn would_trust(change: &SelectionChange, list: IdList) -> String {
    may_then_fetch(change, list).map_or_else(String::new, |words| format!("; {words}"))
}

/// `agents may then fetch @a, @b`
pub fn may_then_fetch(change: &SelectionChange, list: IdList) -> Option<String> {
    let ids: Vec<&str> = change.trusts.iter().map(SourceId::as_str).collect();
    (!ids.is_empty()).then(|| format!("agents may then fetch {}", list(&ids)))
}

/// `, trusts 2 sources`, or only `, trusts 2`, in a list of possible picks.
pub fn trusts(change: &SelectionChange, has_noun: bool) -> String {
    match change.trusts.len() {
        0 => String::new(),
        count if has_noun => format!(", trusts {}", counted(count, "source")),
        count => format!(", trusts {}", grouped(count)),
    }
}

/// How many of a change's sources are untrusted: of those that were asked for, and of the others that follow them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct UntrustedCounts {
    pub asked: usize,
    pub others: usize,
}

impl UntrustedCounts {
    pub fn of<'a>(
        snapshot: &Snapshot,
        ids: impl IntoIterator<Item = &'a SourceId>,
        is_asked: impl Fn(&SourceId) -> bool,
    ) -> Self {
        let waiting = ids.into_iter().filter(|id| waits(snapshot, id.as_str()));
        let (asked, others): (Vec<&SourceId>, Vec<&SourceId>) = waiting.partition(|id| is_asked(id));
        Self { asked: asked.len(), others: others.len() }
    }

    pub fn all(self) -> usize {
        self.asked + self.others
    }

    /// `, 11 untrusted sources in all` after a number of others, if not all of these are among them.
    pub fn after(self, others: usize) -> String {
        waiting(self.all()) + if self.asked > 0 && others > 0 { " in all" } else { "" }
    }
}

/// How many of these are untrusted.
pub fn count_waiting<'a>(snapshot: &Snapshot, ids: impl IntoIterator<Item = &'a SourceId>) -> usize {
    ids.into_iter().filter(|id| waits(snapshot, id.as_str())).count()
}

/// An id that a switch of profiles would unpick, and whether it stays selected.
pub fn still_there(switch: &ProfileSwitch, id: &str) -> String {
    let stays = if switch.still_pulled_in.iter().any(|other| other == id) { " (stays, pulled in)" } else { "" };
    format!("{id}{stays}")
}

pub fn parents(member: &SelectedSource, list: IdList) -> String {
    list(&member.parents.iter().map(SourceId::as_str).collect::<Vec<_>>())
}
