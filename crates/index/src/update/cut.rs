//! The texts of which only the first sections are in the index, because they or the index have too many. A search has to name them:
//! what is further down is not found.

use std::collections::BTreeSet;
use std::path::Path;

use crate::storage::Storage;
use refdesk_core::catalog::Source;
use refdesk_text::Error;

/// The texts that the index has in part, as JSON.
const CUT: &str = "texts of which only the first sections are indexed";

/// A text that is in the index in part.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, serde::Serialize, serde::Deserialize)]
pub struct CutText {
    /// The id of its source.
    pub source: String,
    /// Its path below that of the source, which is the same in every checkout; empty for the source's own.
    pub path: String,
}

/// Those of an index.
pub(crate) fn cut_texts(storage: &dyn Storage) -> Result<BTreeSet<CutText>, Error> {
    // None for what this program cannot have written.
    Ok(storage.metadata(CUT)?.and_then(|text| serde_json::from_str(&text).ok()).unwrap_or_default())
}

/// Those that were known before a run, and those that it found.
pub(super) struct CutTexts {
    stored: BTreeSet<CutText>,
    found: BTreeSet<CutText>,
}

impl CutTexts {
    pub(super) fn of(storage: &dyn Storage) -> Result<Self, Error> {
        Ok(Self { stored: cut_texts(storage)?, found: BTreeSet::new() })
    }

    /// Notes a text of this resolved path; without `is_cut` it is as before.
    pub(super) fn note(&mut self, source: &Source, path: &str, is_cut: Option<bool>) {
        // What the catalog says about a source has no path, and few sections.
        if path.is_empty() || (self.stored.is_empty() && is_cut != Some(true)) {
            return;
        }
        let below = source.place().and_then(|place| Path::new(path).strip_prefix(&place.resolved).ok());
        let path = below.map(|below| below.to_string_lossy().into_owned()).unwrap_or_default();
        let text = CutText { source: source.id.to_string(), path };
        if is_cut.unwrap_or_else(|| self.stored.contains(&text)) {
            self.found.insert(text);
        }
    }

    /// Stores the names that were found, and, unless the run saw all texts, also those known before; returns their number.
    /// Call it before the texts are stored: then a killed run leaves too many names rather than too few.
    pub(super) fn store(&mut self, storage: &mut dyn Storage, has_seen_all: bool) -> Result<usize, Error> {
        let kept = if has_seen_all { BTreeSet::new() } else { self.stored.clone() };
        let now: BTreeSet<CutText> = kept.union(&self.found).cloned().collect();
        if now != self.stored {
            // A list of texts is always JSON.
            storage.set_metadata(CUT, &serde_json::to_string(&now).unwrap_or_default())?;
            self.stored = now;
        }
        Ok(self.stored.len())
    }
}

#[cfg(test)]
mod tests {
    use refdesk_core::catalog::testing::inline;

    use crate::tests::World;

    #[test]
    fn texts_with_too_many_sections_are_named_until_they_are_shorter() {
        let world = World::new();
        let sections = |count: usize| -> String {
            (0..count).map(|nth| format!("# Part {nth}\n\n{}\n\n", "some words of it ".repeat(20))).collect()
        };
        let sources = || vec![world.file("long", "long.md"), world.file("short", "short.md"), inline("note", "a note")];
        world.write("short.md", &sections(3));
        world.write("long.md", &sections(2_100));
        let named = || -> Vec<String> {
            world
                .index()
                .0
                .cut_texts()
                .unwrap()
                .into_iter()
                .map(|text| format!("{}:{}", text.source, text.path))
                .collect()
        };
        assert_eq!((world.update(sources()).cut, named()), (1, vec!["long:".to_owned()]));
        // What did not change is still in part.
        assert_eq!((world.update(sources()).cut, named()), (1, vec!["long:".to_owned()]));
        world.write("long.md", &sections(5));
        assert_eq!((world.update(sources()).cut, named()), (0, Vec::new()));
        world.write("long.md", &sections(2_100));
        world.update(sources());
        assert_eq!((world.update(vec![world.file("short", "short.md")]).cut, named()), (0, Vec::new()));
    }
}
