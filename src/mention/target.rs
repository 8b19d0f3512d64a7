//! Where a link leads: a path, and the sources whose place it names (BEHAVIOUR §3 "By path").

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use percent_encoding::percent_decode_str;

use crate::catalog::{Catalog, SourceId, Standing};
use crate::disk::path::{Resolver, clean, is_windows_absolute};

/// The path that a link's target names; `None` for targets with a scheme, pure anchors and empty ones.
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

/// `mailto:x`, `https://x`; a drive letter is no scheme.
fn has_scheme(target: &str) -> bool {
    if is_windows_absolute(target) {
        return false;
    }
    let Some((scheme, _)) = target.split_once(':') else { return false };
    scheme.starts_with(|c: char| c.is_ascii_alphabetic())
        && scheme.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '+' | '.' | '-'))
}

/// Where a link leads.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Lead {
    /// To these sources; several where one place has several entries.
    To(Vec<SourceId>),
    /// To something that exists and is in no source.
    Unlisted,
    /// To nothing.
    Broken,
}

/// The places of a catalog's local sources, by resolved path.
#[derive(Debug, Default)]
pub struct PathIndex {
    exact: HashMap<PathBuf, Vec<SourceId>>,
    folders: HashMap<PathBuf, Vec<SourceId>>,
    resolver: Resolver,
}

impl PathIndex {
    /// The places of this catalog.
    pub fn new(catalog: &Catalog) -> Self {
        let mut index = Self::default();
        for source in catalog.sources() {
            let Some(place) = source.place() else { continue };
            index.exact.entry(place.resolved.clone()).or_default().push(source.id.clone());
            if place.standing == Standing::Directory {
                index.folders.entry(place.resolved.clone()).or_default().push(source.id.clone());
            }
        }
        index
    }

    /// Where `path`, written in a file of `folder`, leads: to the source at exactly that place, missing or not, else to the
    /// innermost directory source that holds it.
    pub fn lead(&self, folder: &Path, path: &str) -> Lead {
        let (real, metadata) = self.resolver.resolve(&clean(&folder.join(path)));
        if let Some(sources) = self.exact.get(&real) {
            return Lead::To(sources.clone());
        }
        if metadata.is_none() {
            return Lead::Broken;
        }
        match real.ancestors().skip(1).find_map(|folder| self.folders.get(folder)) {
            Some(sources) => Lead::To(sources.clone()),
            None => Lead::Unlisted,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn anchors_and_queries_go_and_schemes_are_skipped() {
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
