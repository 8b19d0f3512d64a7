//! The texts of which only the first sections are indexed, because they or the index have too many. A search lists
//! them, because the rest of them is not found.

use std::collections::BTreeSet;
use std::path::Path;

use crate::storage::Storage;
use refdesk_core::catalog::Source;
use refdesk_text::Error;

/// Metadata key of the partly indexed texts, as JSON.
const CUT: &str = "texts of which only the first sections are indexed";

/// A partly indexed text.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, serde::Serialize, serde::Deserialize)]
pub struct CutText {
    /// The id of its source.
    pub source: String,
    /// Its path below that of the source, which is the same in every checkout; empty for the source's own path.
    pub path: String,
}

/// The partly indexed texts of an index.
pub(crate) fn cut_texts(storage: &dyn Storage) -> Result<BTreeSet<CutText>, Error> {
    // Ignore a value that this program cannot have written.
    Ok(storage.metadata(CUT)?.and_then(|text| serde_json::from_str(&text).ok()).unwrap_or_default())
}

/// The partly indexed texts known before a run, and those that it found.
pub(super) struct CutTexts {
    stored: BTreeSet<CutText>,
    found: BTreeSet<CutText>,
}

impl CutTexts {
    pub(super) fn of(storage: &dyn Storage) -> Result<Self, Error> {
        Ok(Self { stored: cut_texts(storage)?, found: BTreeSet::new() })
    }

    /// Records a text with this resolved path; without `is_cut`, its state is unchanged.
    pub(super) fn note(&mut self, source: &Source, path: &str, is_cut: Option<bool>) {
        // The catalog's text about a source has no path, and few sections.
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

    /// Stores the texts that were found and, unless the run saw all texts, also those known before; returns their
    /// number. Call this before the texts are stored, so that a killed run leaves too many entries rather than too few.
    pub(super) fn store(&mut self, storage: &mut dyn Storage, has_seen_all: bool) -> Result<usize, Error> {
        let kept = if has_seen_all { BTreeSet::new() } else { self.stored.clone() };
        let now: BTreeSet<CutText> = kept.union(&self.found).cloned().collect();
        if now != self.stored {
            // Serializing a list of texts cannot fail.
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
        // If the text is unchanged, it is still partly indexed.
        assert_eq!((world.update(sources()).cut, named()), (1, vec!["long:".to_owned()]));
        world.write("long.md", &sections(5));
        assert_eq!((world.update(sources()).cut, named()), (0, Vec::new()));
        world.write("long.md", &sections(2_100));
        world.update(sources());
        assert_eq!((world.update(vec![world.file("short", "short.md")]).cut, named()), (0, Vec::new()));
    }
}
