//! Creates requests: what they offer, on whose behalf, and their ids.

use std::hash::{BuildHasher, RandomState};

use jiff::Timestamp;

use super::{Approval, ChannelSetup, OfferedReference, Request, Requester};
use crate::{CompleteDesk, Session, TagFilter};
use refdesk_core::catalog::{Mode, Source};

/// A request to choose from all sources that could be hinted at (selectable, existing, neither selected nor excluded),
/// or from those with one of these tags.
pub fn request(desk: &CompleteDesk<'_>, session: &Session, context: &str, tags: &[String]) -> Request {
    let selection = desk.selection();
    let may_be_picked = |source: &&Source| {
        let id = source.id.as_str();
        source.mode == Mode::Selectable && !source.is_missing() && !selection.contains(id) && !selection.is_excluded(id)
    };
    let wanted = TagFilter::new(tags);
    let has_tag = |source: &&Source| tags.is_empty() || wanted.matches(source);
    let asker = Requester { who: session.who.clone(), session: session.id.clone(), desk: desk.name().to_owned() };
    let timestamp = Timestamp::try_from(desk.now()).unwrap_or_default();
    Request {
        sources: desk.catalog().sources().iter().filter(may_be_picked).filter(has_tag).map(offered).collect(),
        ..empty(timestamp, asker, context, desk.settings().channel.timeout)
    }
}

/// A request to approve a write.
pub fn approval(setup: &ChannelSetup, asker: Requester, context: &str, approval: Approval) -> Request {
    Request { approval: Some(approval), ..empty(Timestamp::now(), asker, context, setup.settings.timeout) }
}

fn empty(timestamp: Timestamp, asker: Requester, context: &str, timeout: f64) -> Request {
    Request {
        request_id: new_id(),
        timestamp: timestamp.to_string(),
        context: context.to_owned(),
        sources: Vec::new(),
        asker,
        timeout: Some(timeout),
        approval: None,
    }
}

fn offered(source: &Source) -> OfferedReference {
    OfferedReference {
        id: source.id.to_string(),
        name: source.name.to_string(),
        description: source.description.to_string(),
        kind: source.kind.word().to_owned(),
        tags: source.tags.iter().map(ToString::to_string).collect(),
        is_untrusted: source.is_untrusted(),
    }
}

/// A unique id: 32 hexadecimal digits from the system's random hash keys.
fn new_id() -> String {
    let half = || RandomState::new().hash_one((std::process::id(), Timestamp::now().as_nanosecond()));
    format!("{:016x}{:016x}", half(), half())
}

/// Whether [`new_id`] could have made this id; only files with such names are ever removed.
pub(super) fn is_own_id(id: &str) -> bool {
    id.len() == 32 && id.bytes().all(|byte| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte))
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// A request with this id that offers these sources.
    pub fn asking(id: &str, offered: &[&str]) -> Request {
        let source = |id: &&str| OfferedReference {
            id: (*id).to_owned(),
            name: format!("Name of {id}"),
            description: String::new(),
            kind: "inline".to_owned(),
            tags: Vec::new(),
            is_untrusted: false,
        };
        Request {
            request_id: id.to_owned(),
            sources: offered.iter().map(source).collect(),
            ..empty(Timestamp::now(), Requester { who: "a test".to_owned(), ..Requester::default() }, "why", 60.0)
        }
    }

    pub(crate) fn asking_for_approval(id: &str) -> Request {
        let approval = Approval {
            path: "src/a.rs".to_owned(),
            template: None,
            summary: String::new(),
            diff: String::new(),
            warnings: Vec::new(),
        };
        Request { approval: Some(approval), ..asking(id, &[]) }
    }

    #[test]
    fn request_ids_are_unique() {
        let ids: std::collections::HashSet<String> = (0..10_000).map(|_| new_id()).collect();
        assert_eq!(ids.len(), 10_000);
        assert!(ids.iter().all(|id| is_own_id(id)));
        for foreign in ["", "default", &"A".repeat(32), &"0".repeat(31), "../../../../../../../../../../x"] {
            assert!(!is_own_id(foreign), "{foreign}");
        }
    }
}
