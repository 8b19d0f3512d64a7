//! How often hints and expansions were followed: the sources a session was offered and then read or picked. A pure
//! function of the journal's lines in order.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::{JournalEvent, Line, Receipt};
use refdesk_enrich::{BlockKind, ItemReceipt, Level, MatchReason};
use refdesk_text::fold::{collapsed, tag_key};

/// How often something was offered and followed, counted once per session and source.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Count {
    /// The number of pairs of session and source for which it was offered.
    pub offered: usize,
    /// How many of these pairs were followed.
    pub followed: usize,
}

impl Count {
    /// The share that was followed, from 0 to 1.
    pub fn share(&self) -> f64 {
        #[expect(clippy::cast_precision_loss, reason = "counts stay far below 2^53")]
        let share = self.followed as f64 / (self.offered.max(1)) as f64;
        share
    }
}

/// What a session was offered about a source.
#[derive(Debug, Clone, Default)]
struct OfferedSource {
    /// Matched tags by comparison key, in their first spelling.
    tags: BTreeMap<String, String>,
    is_followed: bool,
}

/// What a session was offered, by source, and whether it followed.
#[derive(Debug, Clone, Default)]
pub(crate) struct Offers {
    hints: HashMap<String, OfferedSource>,
    expansions: HashMap<String, OfferedSource>,
}

impl Offers {
    /// Adds the next line of the session.
    pub(crate) fn count(&mut self, receipt: &Receipt) {
        match receipt.what {
            JournalEvent::Enriched => {
                for item in receipt.why.iter().filter(|item| item.level != Level::Count) {
                    match item.block {
                        BlockKind::Hint => {
                            let offer = self.hints.entry(item.about.clone()).or_default();
                            // A later match did not cause an earlier read or pick.
                            if !offer.is_followed {
                                for tag in tags(item) {
                                    offer.tags.entry(collapsed(&tag_key(tag))).or_insert_with(|| tag.to_owned());
                                }
                            }
                        }
                        BlockKind::Expansion => drop(self.expansions.entry(item.about.clone()).or_default()),
                        _ => {}
                    }
                }
            }
            JournalEvent::Read | JournalEvent::Selected => {
                for id in &receipt.about {
                    for offers in [&mut self.hints, &mut self.expansions] {
                        if let Some(offer) = offers.get_mut(id) {
                            offer.is_followed = true;
                        }
                    }
                }
            }
            _ => {}
        }
    }

    /// How many sources were hinted at, and how many of these the session then read or picked.
    pub(crate) fn hinted(&self) -> Count {
        total(&self.hints)
    }

    /// The same for expansions.
    pub(crate) fn expanded(&self) -> Count {
        total(&self.expansions)
    }
}

/// Counts over several sessions.
#[derive(Debug, Default)]
pub struct Tally {
    /// By desk and session.
    sessions: HashMap<[String; 2], Offers>,
}

impl Tally {
    /// Adds the next line.
    pub fn count(&mut self, line: &Line) {
        let key = [line.desk.clone(), line.session.clone()];
        self.sessions.entry(key).or_default().count(&line.receipt);
    }

    /// The counts by tag, most offered first.
    pub fn tags(&self) -> Vec<(String, Count)> {
        // A tag may have several spellings; the first in order is used.
        let mut spelt: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
        let mut counts: BTreeMap<&str, Count> = BTreeMap::new();
        for offer in self.sessions.values().flat_map(|offers| offers.hints.values()) {
            for (key, tag) in &offer.tags {
                spelt.entry(key).or_default().insert(tag);
                add(counts.entry(key).or_default(), offer);
            }
        }
        let name =
            |key: &str| spelt.get(key).and_then(|all| all.first()).map_or_else(|| key.to_owned(), ToString::to_string);
        sorted(counts.into_iter().map(|(key, count)| (name(key), count)).collect())
    }

    /// The counts of hints by source, most offered first.
    pub fn hinted(&self) -> Vec<(String, Count)> {
        by_source(self.sessions.values().map(|offers| &offers.hints))
    }

    /// The counts of expansions by source, most offered first.
    pub fn expanded(&self) -> Vec<(String, Count)> {
        by_source(self.sessions.values().map(|offers| &offers.expansions))
    }
}

fn by_source<'a>(sessions: impl Iterator<Item = &'a HashMap<String, OfferedSource>>) -> Vec<(String, Count)> {
    let mut counts: BTreeMap<&str, Count> = BTreeMap::new();
    for (id, offer) in sessions.flatten() {
        add(counts.entry(id).or_default(), offer);
    }
    sorted(counts.into_iter().map(|(id, count)| (id.to_owned(), count)).collect())
}

fn total(offers: &HashMap<String, OfferedSource>) -> Count {
    let mut count = Count::default();
    offers.values().for_each(|offer| add(&mut count, offer));
    count
}

fn add(count: &mut Count, offer: &OfferedSource) {
    count.offered += 1;
    count.followed += usize::from(offer.is_followed);
}

fn sorted(mut counts: Vec<(String, Count)>) -> Vec<(String, Count)> {
    counts.sort_by(|(one, a), (other, b)| b.offered.cmp(&a.offered).then_with(|| one.cmp(other)));
    counts
}

fn tags(item: &ItemReceipt) -> impl Iterator<Item = &str> {
    item.why.iter().filter_map(|why| match why {
        MatchReason::Tag { tag, .. } => Some(tag.as_str()),
        _ => None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(session: &str, receipt: Receipt) -> Line {
        let word = |word: &str| word.to_owned();
        Line {
            n: 1,
            time: String::new(),
            desk: word("d"),
            session: word(session),
            who: String::new(),
            receipt,
            seal: None,
        }
    }

    fn said(session: &str, block: BlockKind, about: &str, tags: &[&str], level: Level) -> Line {
        let why = |tag: &&str| MatchReason::Tag { tag: (*tag).to_owned(), line: 1, column: 1 };
        let why = tags.iter().map(why).collect();
        let item = ItemReceipt { block, about: about.to_owned(), level, bytes: 1, why, rejected: None };
        line(session, Receipt { why: vec![item], ..Receipt::new(JournalEvent::Enriched) })
    }

    fn done(session: &str, what: JournalEvent, about: &[&str]) -> Line {
        line(session, Receipt { about: about.iter().map(|id| (*id).to_owned()).collect(), ..Receipt::new(what) })
    }

    #[test]
    fn an_offer_counts_once_per_session_and_is_followed_by_later_events() {
        use BlockKind::{Expansion, Hint, Notice};
        use Level::{Brief, Count as Left, Full};
        let mut tally = Tally::default();
        let mut first = Offers::default();
        for line in [
            done("one", JournalEvent::Read, &["b"]),
            said("one", Hint, "a", &["Circuit-Breaker", "java"], Full),
            said("one", Hint, "a", &["java"], Full),
            said("one", Hint, "b", &["circuit breaker"], Brief),
            said("one", Hint, "left", &["java"], Left),
            said("one", Expansion, "a", &[], Full),
            said("one", Notice, "n", &[], Full),
            done("one", JournalEvent::Read, &["n", "a", "left"]),
            said("one", Hint, "a", &["late"], Full),
            said("two", Hint, "a", &["java"], Full),
            said("two", Expansion, "c", &[], Full),
            done("two", JournalEvent::Unselected, &["a"]),
            done("three", JournalEvent::Selected, &["a"]),
        ] {
            tally.count(&line);
            if line.session == "one" {
                first.count(&line.receipt);
            }
        }
        let [hinted, expanded] = [first.hinted(), first.expanded()].map(|it| (it.followed, it.offered));
        assert_eq!((hinted, expanded), ((1, 2), (1, 1)));
        let all = |counts: Vec<(String, Count)>| {
            counts.iter().map(|(name, it)| format!("{name} {}/{}", it.followed, it.offered)).collect::<Vec<_>>()
        };
        assert_eq!(all(tally.tags()), ["Circuit-Breaker 1/2", "java 1/2"]);
        assert_eq!(all(tally.hinted()), ["a 1/2", "b 0/1"]);
        assert_eq!(all(tally.expanded()), ["a 1/1", "c 0/1"]);
        assert!((tally.tags()[0].1.share() - 0.5).abs() < 1e-9 && Count::default().share() < 1e-9);
    }
}
