//! Ids and tags as written in a request: finds their sources, and explains those that match none.

use std::collections::HashSet;

use super::Desk;
use refdesk_core::catalog::{Catalog, ShortText, Source};
use refdesk_files::path::Resolver;
use refdesk_text::fold::{can_match, collapsed, tag_key};
use refdesk_text::nearest::{did_you_mean, suggestion};
use refdesk_text::shorten::shortened;
use refdesk_text::tokens::counted;
use refdesk_text::{Code, Error, Fix};

impl Desk {
    /// A message for each of these tags that no source has, with the most similar tag.
    pub fn unknown_tags(&self, tags: &[String]) -> Vec<String> {
        let reported = |tag: &String| {
            format!("no source has the tag '{}'{}", brief(tag), nearest_tag(&self.catalog, std::slice::from_ref(tag)))
        };
        unused_tags(&self.catalog, tags).iter().map(reported).collect()
    }

    /// The error for an id that is not in the catalog, with the most similar id.
    pub fn unknown_id(&self, id: &str) -> Error {
        let known = self.catalog.sources().iter().map(|source| source.id.as_str());
        let path = Resolver::default().cleaned(self.workspace(), self.workspace().join(id));
        let of_path = self.catalog.sources().iter().find(|source| source.place().is_some_and(|it| *it.path == *path));
        let nearest = match of_path {
            Some(source) => {
                let what = if source.is_directory() { "folder" } else { "file" };
                format!(" (the {what} is the source '{}')", source.id)
            }
            None if unused_tags(&self.catalog, &[id.to_owned()]).is_empty() => " (it is a tag)".to_owned(),
            None => suggestion(id, known),
        };
        // Listing the sources would not show those that cannot be read.
        let others = || self.unread_catalog_fix().unwrap_or(Fix::ListSources);
        let fix = of_path.map_or_else(others, |source| format!("name it by its id, '{}'", source.id).into());
        Error::new(Code::UnknownId, format!("no source has the id '{}'{nearest}", brief(id)), fix)
    }

    /// One error for all of these ids that are not in the catalog; `None` if there are none.
    pub fn unknown_ids<'i>(&self, ids: impl IntoIterator<Item = &'i String>) -> Option<Error> {
        let unknown: Vec<&String> = ids.into_iter().filter(|id| self.catalog.find(id).is_none()).collect();
        let mut errors = unknown.iter().take(REPEATED).map(|id| self.unknown_id(id));
        let first = errors.next()?;
        let mut message = errors.fold(first.message, |all, error| format!("{all}; {}", error.message));
        if let Some(more @ 1..) = unknown.len().checked_sub(REPEATED) {
            message.push_str(&format!("; {} unknown", counted(more, "more id")));
        }
        Some(Error { message, ..first })
    }
}

/// The fix for an id that no source has: the most similar id, or else the list of sources.
pub(crate) fn unknown_id_fix(catalog: &Catalog, id: &str) -> Fix {
    let known = catalog.sources().iter().map(|source| source.id.as_str());
    did_you_mean(id, known).map_or(Fix::ListSources, Fix::Text)
}

/// Those of these tags that no source has.
pub fn unused_tags(catalog: &Catalog, tags: &[String]) -> Vec<String> {
    if tags.is_empty() {
        return Vec::new();
    }
    let used: HashSet<String> = all_tags(catalog).map(|tag| collapsed(&tag_key(tag))).collect();
    let is_used = |tag: &str| can_match(tag) && used.contains(&collapsed(&tag_key(tag)));
    tags.iter().filter(|tag| !is_used(tag)).cloned().collect()
}

/// ` (did you mean 'x'?)` for the tag most similar to one of these unused tags, or an empty text.
pub fn nearest_tag(catalog: &Catalog, unused: &[String]) -> String {
    let nearest = unused.iter().take(REPEATED).find_map(|tag| did_you_mean(tag, all_tags(catalog)));
    nearest.map_or_else(String::new, |question| format!(" ({question})"))
}

/// A message about those of these tags that no source has, with the most similar tag; `None` if there are none.
pub fn about_unused_tags(catalog: &Catalog, tags: &[String]) -> Option<String> {
    let unused = unused_tags(catalog, tags);
    let message = || format!("no source has the tag {}{}", quoted_tags(&unused), nearest_tag(catalog, &unused));
    (!unused.is_empty()).then(message)
}

fn all_tags(catalog: &Catalog) -> impl Iterator<Item = &str> {
    catalog.sources().iter().flat_map(|source| source.tags.iter().map(ShortText::as_str))
}

/// The most names of a request repeated in an answer.
pub(crate) const REPEATED: usize = 20;

/// The most characters of each repeated name.
const LONGEST: usize = 200;

/// A name from a request, shortened for an answer.
pub(crate) fn brief(name: &str) -> String {
    shortened(name.to_owned(), LONGEST)
}

/// `'a' or 'b'`, without duplicates, at most twenty.
pub fn quoted_tags(tags: &[String]) -> String {
    let mut seen = HashSet::new();
    let different: Vec<&String> = tags.iter().filter(|tag| seen.insert(*tag)).collect();
    let mut quoted: Vec<String> = different.iter().take(REPEATED).map(|tag| format!("'{}'", brief(tag))).collect();
    if let Some(more @ 1..) = different.len().checked_sub(REPEATED) {
        quoted.push(format!("{more} more"));
    }
    quoted.join(" or ")
}

/// The tags of a request, compared as hints compare them. A tag that consists of separators matches nothing.
pub struct TagFilter(HashSet<String>);

impl TagFilter {
    /// These tags.
    pub fn new(tags: &[String]) -> Self {
        Self(tags.iter().filter(|tag| can_match(tag)).map(|tag| collapsed(&tag_key(tag))).collect())
    }

    /// Whether the source has one of them.
    pub fn matches(&self, source: &Source) -> bool {
        !self.0.is_empty() && source.tags.iter().any(|tag| self.0.contains(&collapsed(&tag_key(tag))))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_a_request_are_repeated_once_and_briefly() {
        let numbered: Vec<String> = (0..25).map(|at| at.to_string()).collect();
        let twenty = (0..20).map(|at| format!("'{at}'")).collect::<Vec<_>>().join(" or ");
        for (tags, expected) in [
            (vec![], String::new()),
            (vec!["a".to_owned(), "b".to_owned(), "a".to_owned()], "'a' or 'b'".to_owned()),
            (vec!["x".repeat(4_000_000)], format!("'{}…'", "x".repeat(200))),
            (numbered, format!("{twenty} or 5 more")),
        ] {
            assert_eq!(quoted_tags(&tags), expected);
        }
    }
}
