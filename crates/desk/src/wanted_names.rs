//! Ids and tags as written in a request: which sources have them, and what is wrong with those that no source has.

use super::Desk;
use refdesk_core::catalog::Source;
use refdesk_text::fold::{can_match, same_tag};
use refdesk_text::nearest::did_you_mean;
use refdesk_text::{Code, Error, Fix};

impl Desk {
    /// What is wrong with each of these tags that no source has, with the most similar tag.
    pub fn unknown_tags(&self, tags: &[String]) -> Vec<String> {
        let is_unknown = |tag: &&String| {
            let wanted = std::slice::from_ref(*tag);
            !self.catalog.sources().iter().any(|source| has_any_tag(source, wanted))
        };
        let told =
            |tag: &String| format!("no source has the tag '{tag}'{}", self.nearest_tag(std::slice::from_ref(tag)));
        tags.iter().filter(is_unknown).map(told).collect()
    }

    /// ` (did you mean 'x'?)` for the tag most similar to one of these, or nothing.
    pub fn nearest_tag(&self, tags: &[String]) -> String {
        let known = || self.catalog.sources().iter().flat_map(|source| source.tags.iter().map(String::as_str));
        let nearest = tags.iter().find_map(|tag| did_you_mean(tag, known()));
        nearest.map_or_else(String::new, |question| format!(" ({question})"))
    }

    /// The error for an id that is not in the catalog, with the most similar id.
    pub fn unknown_id(&self, id: &str) -> Error {
        let known = self.catalog.sources().iter().map(|source| source.id.as_str());
        let nearest = did_you_mean(id, known).map_or_else(String::new, |question| format!(" ({question})"));
        Error::new(Code::UnknownId, format!("no source has the id '{id}'{nearest}"), Fix::ListSources)
    }
}

/// `'a' or 'b'`
pub fn quoted_tags(tags: &[String]) -> String {
    tags.iter().map(|tag| format!("'{tag}'")).collect::<Vec<_>>().join(" or ")
}

/// Whether the source has one of these tags, compared as hints compare them; a tag of separators alone matches
/// nothing.
pub fn has_any_tag(source: &Source, tags: &[String]) -> bool {
    source.tags.iter().any(|tag| tags.iter().any(|wanted| can_match(wanted) && same_tag(tag, wanted)))
}
