//! Resolves each distinct link in a folder's documents only once: most links lead to the same places.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use super::generated::{documents_of, is_built};
use super::target::{LinkTarget, PathIndex};

/// The resolved links of the documents in one folder, and the targets of the current line.
#[derive(Debug, Default)]
pub(super) struct ResolvedLinks {
    folder: PathBuf,
    links: HashMap<Box<str>, ResolvedLink>,
    /// The number of the current line, so that nothing has to be cleared between lines.
    line: u64,
    /// For each place of the index, the last line with a link to it.
    places: Vec<u64>,
}

#[derive(Debug)]
struct ResolvedLink {
    target: LinkTarget,
    /// The last line with this link.
    line: u64,
}

impl ResolvedLinks {
    pub(super) fn begin_line(&mut self) {
        self.line += 1;
    }

    /// The target of a path written in a document of this folder; `None` if the line already had this path or another
    /// path to the same sources.
    pub(super) fn first_on_line(&mut self, index: &PathIndex, folder: &Path, path: &str) -> Option<LinkTarget> {
        if self.folder != folder {
            folder.clone_into(&mut self.folder);
            self.links.clear();
        }
        let target = match self.links.get_mut(path) {
            Some(known) => {
                if std::mem::replace(&mut known.line, self.line) == self.line {
                    return None;
                }
                known.target.clone()
            }
            None => {
                let target = followed(index, folder, path);
                self.links.insert(path.into(), ResolvedLink { target: target.clone(), line: self.line });
                target
            }
        };
        match &target {
            LinkTarget::To(spots) if !self.is_new_place(spots.start) => None,
            _ => Some(target),
        }
    }

    fn is_new_place(&mut self, place: usize) -> bool {
        if place >= self.places.len() {
            self.places.resize(place + 1, 0);
        }
        self.places.get_mut(place).is_some_and(|last| std::mem::replace(last, self.line) != self.line)
    }
}

/// The target of a link. Tries more than the path as written: a file that a build or a site generator would make counts
/// as generated.
fn followed(index: &PathIndex, folder: &Path, path: &str) -> LinkTarget {
    let exists =
        |from: &Path, path: &Path| matches!(index.resolve(from, path), LinkTarget::To(_) | LinkTarget::Unlisted);
    match index.resolve(folder, Path::new(path)) {
        // Try the path below each parent folder, which may be the root of the site or repository.
        LinkTarget::Outside
            if path.strip_prefix('/').filter(|within| !within.is_empty()).is_some_and(|within| {
                folder.ancestors().take_while(|above| index.has(above)).any(|root| exists(root, Path::new(within)))
            }) =>
        {
            LinkTarget::Generated
        }
        LinkTarget::Broken
            if is_built(Path::new(path))
                || documents_of(Path::new(path)).iter().any(|document| exists(folder, document)) =>
        {
            LinkTarget::Generated
        }
        target => target,
    }
}
