//! Which catalog rows a filter line keeps. Every source's words are folded once per catalog, so that a key over 10,000
//! sources is one pass over memory; a line that only grew looks only at what it kept before.

use memchr::memmem::Finder;

use crate::catalog::{Catalog, Source};

/// The words of every source, in lower case, one line a source.
#[derive(Debug, Clone, Default)]
pub struct Haystack {
    lines: Vec<Box<str>>,
}

impl Haystack {
    /// Folds id, name, tags and description of each source.
    pub fn of(catalog: &Catalog) -> Self {
        Self { lines: catalog.sources().iter().map(line).collect() }
    }

    /// The positions among `candidates` whose source has every word of `filter` in it.
    pub fn keep(&self, filter: &str, candidates: impl Iterator<Item = usize>) -> Vec<usize> {
        let filter = filter.to_lowercase();
        let words: Vec<Finder> = filter.split_whitespace().map(Finder::new).collect();
        let holds_all = |line: &str| words.iter().all(|word| word.find(line.as_bytes()).is_some());
        candidates.filter(|at| self.lines.get(*at).is_some_and(|line| holds_all(line))).collect()
    }
}

fn line(source: &Source) -> Box<str> {
    let mut line = format!("{}\n{}\n{}", source.id, source.name, source.description);
    for tag in &source.tags {
        line.push('\n');
        line.push_str(tag);
    }
    line.to_lowercase().into()
}

#[cfg(test)]
mod tests {
    use crate::tui::fixture;

    use super::*;

    #[test]
    fn every_word_must_stand_somewhere() {
        let snapshot = fixture::snapshot();
        let haystack = Haystack::of(&snapshot.catalog);
        let kept = |filter: &str| -> Vec<String> {
            let all = 0..snapshot.catalog.len();
            let kept = haystack.keep(filter, all).into_iter();
            kept.map(|at| snapshot.catalog.sources()[at].id.to_string()).collect()
        };
        assert_eq!(kept("").len(), snapshot.catalog.len());
        assert_eq!(kept("RETRY-pat"), ["retry-pattern"], "id");
        assert_eq!(kept("circuit breaker"), ["circuit-breaker"], "name, any case");
        assert_eq!(kept("breaker circuit"), ["circuit-breaker"], "words in any order");
        assert_eq!(kept("latency"), ["timeouts"], "description");
        assert_eq!(kept("no such thing"), [""; 0]);
    }
}
