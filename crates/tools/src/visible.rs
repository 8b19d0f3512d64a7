//! The sources visible to an agent: those that are auto or selected, and not missing. Access is checked when one is
//! read.

use refdesk_core::catalog::{Mode, Source, SourceKind};
use refdesk_core::selection::{Access, Role};
use refdesk_desk::engine::Snapshot;
use refdesk_text::tokens;

/// Why a source is visible.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum VisibleAs {
    /// Its mode is auto.
    Auto,
    /// A person or an agent picked it.
    Picked,
    /// Pulled in, this many mentions away from an auto or picked source.
    PulledIn(usize),
}

impl VisibleAs {
    /// Why this source is visible; `None` if it is not.
    pub fn of(snapshot: &Snapshot, source: &Source) -> Option<Self> {
        if source.is_missing() {
            return None;
        }
        match snapshot.selection.member(source.id.as_str()) {
            Some(member) if member.role == Role::Picked => Some(Self::Picked),
            _ if source.mode == Mode::Auto => Some(Self::Auto),
            Some(member) => Some(Self::PulledIn(member.depth)),
            None => None,
        }
    }

    /// Importance from 0 to 1; sources with 1 should not be left out. The more mentions away a source is (up to ten),
    /// the lower its importance.
    pub fn priority(self) -> f32 {
        match self {
            Self::Auto => 1.0,
            Self::Picked => 0.9,
            Self::PulledIn(depth) => {
                let depth = u8::try_from(depth.clamp(1, 10)).unwrap_or(10);
                f32::from(90 - 8 * depth) / 100.0
            }
        }
    }
}

/// The visible sources, in catalog order.
pub fn visible(snapshot: &Snapshot) -> impl Iterator<Item = (&Source, VisibleAs)> {
    snapshot.catalog.sources().iter().filter_map(|source| Some((source, VisibleAs::of(snapshot, source)?)))
}

/// The visible sources the session may read, in catalog order; excludes untrusted ones.
pub fn listed<'s>(snapshot: &'s Snapshot, access: &'s Access) -> impl Iterator<Item = (&'s Source, VisibleAs)> {
    visible(snapshot).filter(|(source, _)| access.may_read(source.id.as_str()))
}

/// The estimated tokens of a source, if known without reading the disk.
pub fn price(snapshot: &Snapshot, source: &Source) -> Option<u64> {
    let known = snapshot.tokens.get(source.id.as_str()).copied();
    known.or_else(|| match &source.kind {
        SourceKind::Inline { content } => Some(tokens::of_prose(content.len() as u64)),
        SourceKind::Local(place) => place.size.map(|size| tokens::of_file(&place.path, size)),
        _ => None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nearer_sources_matter_more() {
        let ladder: Vec<f32> = [VisibleAs::Auto, VisibleAs::Picked]
            .into_iter()
            .chain((1..=10).map(VisibleAs::PulledIn))
            .map(VisibleAs::priority)
            .collect();
        assert!(ladder.windows(2).all(|pair| pair[0] > pair[1]), "{ladder:?}");
        assert!(ladder.iter().all(|priority| (0.0..=1.0).contains(priority)), "{ladder:?}");
    }
}
