//! The target of a written link.

use std::path::{Component, Path, PathBuf};

use super::{LinkTo, LinkingDocument};
use crate::tui::markdown::WrittenLink;
use refdesk_core::catalog::SourceId;
use refdesk_core::mention::{MentionKind, path_of};

/// The maximum number of mentions and links compared per line.
const MAX_ON_LINE: usize = 16;

/// The target of a link: an anchor, an address, or the source that the graph recorded for its line and path.
/// `paths` holds the paths of all links on the page.
pub(super) fn target(
    document: &LinkingDocument<'_>,
    (nth, written): (usize, &WrittenLink),
    all: &[WrittenLink],
    paths: &[Option<PathBuf>],
) -> LinkTo {
    let address = written.target.trim();
    if let Some(name) = address.strip_prefix('#') {
        return LinkTo::Anchor(decoded(name));
    }
    let Some(path) = path_of(address) else { return LinkTo::Address(address.to_owned()) };
    let anchor = address.split_once('#').map(|(_, name)| decoded(name)).filter(|name| !name.is_empty());
    let full = paths.get(nth).and_then(Option::as_deref);
    let file_in = |id: &str| {
        let place = document.catalog.get(id)?.place()?;
        full.filter(|full| **full != *place.path && full.starts_with(&place.path)).map(Path::to_path_buf)
    };
    let is_at = |full: Option<&Path>, id: &str| {
        let place = document.catalog.get(id).and_then(|source| source.place());
        let (Some(place), Some(full)) = (place, full) else { return false };
        full.starts_with(&place.path) || full.starts_with(&place.resolved)
    };
    let line = written.source_line;
    let on_line = document.mentions_on(line..=line).iter().filter(|mention| mention.via == MentionKind::Path);
    let mut ids: Vec<&SourceId> = on_line.map(|mention| &mention.to).take(MAX_ON_LINE).collect();
    ids.dedup();
    // For a path that goes through a symlink, compare by elimination: take the source that no other link of the
    // line matches.
    let first = all.partition_point(|other| other.source_line < line);
    let others = || {
        let others = all.iter().zip(paths).skip(first).take(MAX_ON_LINE);
        others.take_while(|(other, _)| other.source_line == line).map(|(_, path)| path.as_deref())
    };
    let only = || {
        let mut free = ids.iter().filter(|id| !others().any(|path| is_at(path, id.as_str())));
        free.next().filter(|_| free.next().is_none()).copied()
    };
    let by_path = ids.iter().find(|id| is_at(full, id.as_str())).copied();
    // If a folder before a `..` is a symlink, the path leads elsewhere than it seems to. It may be any folder unless all
    // links of the line seem to lead to one of the sources.
    let all_match = || others().all(|path| ids.iter().any(|id| is_at(path, id.as_str())));
    let elsewhere = by_path.filter(|_| leaves_a_folder(&path) && all_match()).and_then(|_| only());
    let by_path = elsewhere.or(by_path);
    // The graph records no mentions of a source by itself.
    if by_path.is_none() && is_at(full, document.id) {
        return match file_in(document.id) {
            Some(file) => LinkTo::Source { id: document.id.into(), via: MentionKind::Path, file: Some(file), anchor },
            None => LinkTo::Anchor(anchor.unwrap_or_default()),
        };
    }
    match by_path.or_else(only) {
        Some(id) => LinkTo::Source { id: id.clone(), via: MentionKind::Path, file: file_in(id.as_str()), anchor },
        None => LinkTo::Unlisted(path),
    }
}

/// Whether the path names a folder and then, with `..`, leaves it.
fn leaves_a_folder(path: &str) -> bool {
    let mut parts = Path::new(path).components().skip_while(|part| !matches!(part, Component::Normal(_)));
    parts.any(|part| part == Component::ParentDir)
}

/// A `#fragment` with percent-encoding decoded.
fn decoded(name: &str) -> String {
    path_of(name).unwrap_or_else(|| name.to_owned())
}
