//! Resolves a link to a path and the sources at that path (BEHAVIOUR §3 "By path").

use std::collections::HashMap;
use std::fs;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::{Arc, RwLock};

use percent_encoding::percent_decode_str;

use super::existing::{Existing, Found};
use crate::catalog::{Catalog, LocalPath, PathState, Source};
use refdesk_files::path::{PATH_BYTES, Resolver, clean, clean_behind_links, is_windows_absolute};

/// The path in a link's target; `None` for empty targets, pure anchors and targets with a scheme.
pub fn path_of(target: &str) -> Option<String> {
    let target = target.trim();
    if target.starts_with('#') || target.starts_with("//") || has_scheme(target) {
        return None;
    }
    let path = target.split(['#', '?']).next().unwrap_or_default();
    if path.is_empty() {
        return None;
    }
    Some(percent_decode_str(path).decode_utf8().map_or_else(|_| path.to_owned(), std::borrow::Cow::into_owned))
}

/// `mailto:x`, `https://x`; a drive letter is not a scheme.
fn has_scheme(target: &str) -> bool {
    if is_windows_absolute(target) {
        return false;
    }
    let Some((scheme, _)) = target.split_once(':') else { return false };
    scheme.starts_with(|c: char| c.is_ascii_alphabetic())
        && scheme.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '+' | '.' | '-'))
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum LinkTarget {
    /// The sources at this path ([`PathIndex::sources_at`]); several entries can have the same path.
    To(Range<usize>),
    /// Something that exists but is not in any source.
    Unlisted,
    /// Something that does not exist.
    Broken,
    /// Something that a build or a site generator will make, or that is at the root of a site.
    Generated,
    /// A path outside the workspace that is not in a readable source; whether it exists is not revealed.
    Outside,
}

/// The most symbolic links followed in one path.
const LINKS: usize = 40;

/// The paths of a catalog's local sources.
#[derive(Debug, Default)]
pub(super) struct PathIndex {
    /// Sorted by the bytes of their paths; sources with the same path are in catalog order.
    targets: Vec<PathTarget>,
    /// Paths that contain a link, with their resolved paths; sorted by the bytes of the path.
    written: Vec<(Arc<Path>, Arc<Path>)>,
    /// The workspace, as written and resolved.
    workspace: [PathBuf; 2],
    existing: Existing,
    /// Whether a link on an existing path leads out of the workspace; cached, because a text may have a hundred thousand
    /// links to one folder.
    led_out: RwLock<HashMap<PathBuf, bool>>,
}

#[derive(Debug)]
struct PathTarget {
    /// Resolved; shared with the catalog.
    path: Arc<Path>,
    /// The position of the source in the catalog.
    source: u32,
    is_folder: bool,
}

impl PathIndex {
    /// Indexes the local sources of this catalog.
    pub(super) fn new(workspace: &Path, catalog: &Catalog) -> Self {
        let local = (0..).zip(catalog.sources()).filter_map(|(at, source)| Some((at, source.place()?)));
        let spot = |(source, place): (u32, &LocalPath)| PathTarget {
            path: place.resolved.clone(),
            source,
            is_folder: place.state == PathState::Directory,
        };
        let mut targets: Vec<PathTarget> = Vec::with_capacity(catalog.len());
        targets.extend(local.map(spot));
        // Resolved paths are clean, so equal paths have equal bytes, which compare quickly.
        targets.sort_by(|one, other| one.path.as_os_str().cmp(other.path.as_os_str()));
        let linked = catalog.sources().iter().filter_map(Source::place).filter(|place| place.path != place.resolved);
        let mut written: Vec<_> = linked.map(|place| (place.path.clone(), place.resolved.clone())).collect();
        written.sort_by(|one, other| one.0.as_os_str().cmp(other.0.as_os_str()));
        let workspace = [workspace.to_path_buf(), Resolver::default().folder(workspace)];
        let places = catalog.sources().iter().filter_map(Source::place);
        let outside = places.filter(|place| {
            place.state == PathState::Directory
                && workspace.iter().all(|workspace| !place.resolved.starts_with(workspace))
        });
        let outside = outside.flat_map(|place| [place.path.to_path_buf(), place.resolved.to_path_buf()]);
        let listed = outside.chain(workspace.iter().cloned()).collect();
        Self { targets, written, workspace, existing: Existing::new(listed), led_out: RwLock::default() }
    }

    /// Whether a path found by a walk is the path of a source or below one.
    pub(super) fn covers(&self, path: &Path) -> bool {
        let is_place = |path: &Path| self.written(path).is_some() || !self.at(path).is_empty();
        path.ancestors().any(is_place)
    }

    fn written(&self, path: &Path) -> Option<&Arc<Path>> {
        let at = self.written.binary_search_by(|(written, _)| written.as_os_str().cmp(path.as_os_str())).ok()?;
        self.written.get(at).map(|(_, resolved)| resolved)
    }

    /// Clears what is known about the file system after a possible change.
    pub(super) fn invalidate(&mut self) {
        self.existing.forget();
        self.led_out = RwLock::default();
    }

    /// Whether a path is in the workspace as written.
    pub(super) fn has(&self, path: &Path) -> bool {
        self.workspace.first().is_some_and(|workspace| path.starts_with(workspace))
    }

    fn at(&self, path: &Path) -> Range<usize> {
        let path = path.as_os_str();
        let from = self.targets.partition_point(|spot| spot.path.as_os_str() < path);
        let is_here = |at: &usize| self.targets.get(*at).is_some_and(|spot| spot.path.as_os_str() == path);
        let rest = self.targets.get(from..).unwrap_or_default();
        if !is_here(&from) {
            from..from
        } else {
            from..from + rest.partition_point(|spot| spot.path.as_os_str() <= path)
        }
    }

    /// The sources that [`PathIndex::resolve`] found, by position in the catalog, in catalog order.
    pub(super) fn sources_at(&self, spots: Range<usize>) -> impl Iterator<Item = u32> {
        self.targets.get(spots).unwrap_or_default().iter().map(|spot| spot.source)
    }

    /// Resolves `path`, written in a file of `folder`, to the sources with exactly that path, missing or not, or else
    /// to the innermost directory source that contains it.
    pub(super) fn resolve(&self, folder: &Path, path: &Path) -> LinkTarget {
        let path = clean_behind_links(&folder.join(path), |above| self.real(above));
        if path.as_os_str().len() > PATH_BYTES {
            return if self.is_inside(&path) { LinkTarget::Broken } else { LinkTarget::Outside };
        }
        // The catalog's paths are already resolved; do not ask the file system again.
        let known = self.at(self.written(&path).map_or(&*path, |resolved| resolved));
        if !known.is_empty() {
            return LinkTarget::To(known);
        }
        let Found { real, exists, reached } = self.existing.find(&path);
        let spots = self.at(&real);
        if !spots.is_empty() {
            return LinkTarget::To(spots);
        }
        let mut above = real.ancestors().skip(1).map(|folder| self.at(folder));
        let has_folder = |spots: &Range<usize>| {
            self.targets.get(spots.clone()).is_some_and(|spots| spots.iter().any(|spot| spot.is_folder))
        };
        let above = above.find(has_folder);
        match above {
            Some(spots) if exists => LinkTarget::To(spots),
            None if ![&path, &real].iter().all(|path| self.is_inside(path)) || self.leads_out(reached) => {
                LinkTarget::Outside
            }
            _ if exists => LinkTarget::Unlisted,
            _ => LinkTarget::Broken,
        }
    }

    /// The real path of something in the workspace or in a folder source. Links out of them are not followed, so that
    /// whether their targets exist is not revealed.
    fn real(&self, path: &Path) -> Option<PathBuf> {
        let real = self.existing.may_list(path).then(|| self.existing.find(path).real);
        real.filter(|real| self.existing.may_list(real))
    }

    fn is_inside(&self, path: &Path) -> bool {
        self.workspace.iter().any(|workspace| path.starts_with(workspace))
    }

    /// Whether a link on an existing path leads from the workspace out of it, even if its target does not exist.
    fn leads_out(&self, path: PathBuf) -> bool {
        if let Some(known) = self.led_out.read().ok().and_then(|known| known.get(&path).copied()) {
            return known;
        }
        // A workspace that does not exist has no links.
        let is_led_out = self.is_inside(&path) && self.is_led_out(&path);
        if let Ok(mut known) = self.led_out.write() {
            known.insert(path, is_led_out);
        }
        is_led_out
    }

    fn is_led_out(&self, path: &Path) -> bool {
        let mut path = path.to_path_buf();
        for _ in 0..LINKS {
            let inside: Vec<&Path> = path.ancestors().take_while(|above| self.is_inside(above)).collect();
            // Below a path that does not exist there are no links.
            let exists = inside.partition_point(|above| fs::symlink_metadata(above).is_err());
            let there = inside.iter().skip(exists);
            let link = there.rev().find_map(|above| Some((*above, fs::read_link(above).ok()?)));
            let Some((link, target)) = link else { return !self.is_inside(&path) };
            let target = link.parent().unwrap_or(link).join(target);
            path = clean(&target.join(path.strip_prefix(link).unwrap_or(Path::new(""))));
        }
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalog::testing::local;
    use refdesk_files::write_atomic;

    /// The answer is the same whether or not the outside path exists.
    #[test]
    fn whether_an_outside_path_exists_is_not_revealed() {
        use std::os::unix::fs::symlink;
        let root = tempfile::tempdir().unwrap();
        let root = fs::canonicalize(root.path()).unwrap();
        for file in ["ws/in.md", "out/there.md", "private/there.md", "trusted/there.md", "trusted/folder/there.md"] {
            write_atomic(&root.join(file), b"x").unwrap();
        }
        let workspace = root.join("ws");
        symlink("../out", workspace.join("folder")).unwrap();
        symlink("../none", workspace.join("gone")).unwrap();
        symlink("inner", workspace.join("dangling")).unwrap();
        write_atomic(&workspace.join("v2/docs/guide.md"), b"x").unwrap();
        write_atomic(&workspace.join("v2/limits.md"), b"x").unwrap();
        symlink("v2/docs", workspace.join("current")).unwrap();
        symlink(".", workspace.join("self")).unwrap();
        for name in ["there", "none"] {
            symlink(format!("../out/{name}.md"), workspace.join(format!("{name}-link.md"))).unwrap();
            symlink(format!("{name}-link.md"), workspace.join(format!("{name}-chain.md"))).unwrap();
        }
        let catalog = Catalog::new(vec![
            local("private", &root.join("private"), PathState::Untrusted),
            local("trusted", &root.join("trusted/folder"), PathState::Directory),
            local("limits", &workspace.join("v2/limits.md"), PathState::File),
            local("other", &workspace.join("limits.md"), PathState::Missing),
        ]);
        let index = PathIndex::new(&workspace, &catalog);
        let ids = |lead: LinkTarget| match lead {
            LinkTarget::To(spots) => {
                index.sources_at(spots).map(|at| catalog.sources()[at as usize].id.to_string()).collect()
            }
            other => format!("{other:?}"),
        };
        for (path, expected) in [
            ("in.md", "Unlisted"),
            ("none.md", "Broken"),
            ("dangling", "Broken"),
            ("../out/there.md", "Outside"),
            ("../out/none.md", "Outside"),
            ("../none/deep/none.md", "Outside"),
            ("../private", "private"),
            ("../private/there.md", "Outside"),
            ("../private/none.md", "Outside"),
            ("../trusted/folder/there.md", "trusted"),
            ("../trusted/folder/none.md", "Broken"),
            ("../trusted/there.md", "Outside"),
            ("../trusted/none.md", "Outside"),
            ("folder/there.md", "Outside"),
            ("folder/none.md", "Outside"),
            ("gone", "Outside"),
            ("gone/none.md", "Outside"),
            ("there-link.md", "Outside"),
            ("none-link.md", "Outside"),
            ("there-chain.md", "Outside"),
            ("none-chain.md", "Outside"),
            ("folder/../in.md", "Unlisted"),
            ("gone/../in.md", "Unlisted"),
            ("dangling/../in.md", "Unlisted"),
            ("none/../in.md", "Unlisted"),
            ("self/../in.md", "Outside"),
            // As for the system, a `..` behind a link leads up from its target.
            ("current/../limits.md", "limits"),
            ("current/../docs/guide.md", "Unlisted"),
            ("current/../in.md", "Broken"),
            ("v2/../current/guide.md", "Unlisted"),
            ("limits.md", "other"),
        ] {
            assert_eq!(ids(index.resolve(&workspace, Path::new(path))), expected, "{path}");
        }
        for (folder, path, expected) in [
            ("current", "../limits.md", "limits"),
            ("current/sub", "../guide.md", "Unlisted"),
            ("v2", "../limits.md", "other"),
        ] {
            assert_eq!(ids(index.resolve(&workspace.join(folder), Path::new(path))), expected, "{folder}");
        }
    }

    #[test]
    fn anchors_and_queries_are_removed_and_schemes_skipped() {
        for (target, expected) in [
            ("./a.md#sec", Some("./a.md")),
            ("a.md?raw=1#x", Some("a.md")),
            ("with%20space.md", Some("with space.md")),
            ("100%.md", Some("100%.md")),
            ("%ff.md", Some("%ff.md")),
            ("/abs/x", Some("/abs/x")),
            ("C:\\x", Some("C:\\x")),
            ("a:b/c", None),
            ("1:b", Some("1:b")),
            ("#top", None),
            ("", None),
            ("?q", None),
            ("mailto:x", None),
            ("HTTPS://e.org", None),
            ("//cdn/x", None),
        ] {
            assert_eq!(path_of(target).as_deref(), expected, "{target}");
        }
    }
}
