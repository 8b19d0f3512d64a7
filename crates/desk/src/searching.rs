//! Search in the documents for a reader (SEARCH S4): a person reads everything that is trusted, an agent only what its session
//! may read. Other sources are named, so that it can select them.

use std::cell::RefCell;
use std::collections::HashMap;
use std::ops::Range;
use std::path::Path;

use serde::Serialize;

use super::{Desk, Settled, has_any_tag};
use crate::session::{Receipt, Session, What};
use refdesk_core::catalog::Source;
use refdesk_core::selection::Access;
use refdesk_index::search::{HitCost, HitLength, LONGEST, fit};
use refdesk_index::{Partial, Placing, SearchMode, SearchQuery, SectionHit};
use refdesk_text::escape::{one_line, visible};
use refdesk_text::shorten::shortened;
use refdesk_text::{Code, Error, Fix, tokens};

/// A longer heading or name is cut, in characters: one of a megabyte must not take the room of all other hits.
const LONGEST_TITLE: usize = 300;

/// Hits of an answer unless more are asked for.
pub const SEARCH_LIMIT: usize = 10;

/// A search for a reader.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SearchRequest {
    /// What to search for; any text.
    pub query: String,
    /// Only documents of these kinds; of every kind if empty.
    pub kinds: Vec<String>,
    /// Only these sources; all if empty.
    pub sources: Vec<String>,
    /// Only sources with one of these tags; all if empty.
    pub tags: Vec<String>,
    /// Which sources take part.
    pub among: SearchAmong,
    /// The most hits.
    pub limit: usize,
    /// Who reads the answer.
    pub reader: SearchReader,
}

/// The sources that take part in a search.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum SearchAmong {
    /// All.
    #[default]
    All,
    /// Those that are selected.
    Selected,
}

/// The reader of an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SearchReader {
    /// A person, or a command on a person's behalf.
    Person,
    /// The agent of the session.
    Agent,
}

/// What a search found, for its reader.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SearchAnswer {
    /// The query as it was asked.
    pub query: String,
    /// The lists that took part.
    pub mode: SearchMode,
    /// The hits, the best first.
    pub hits: Vec<SearchHit>,
    /// Estimated tokens of the hits as text.
    pub tokens_used: u64,
    /// Documents with a vector, of all, if some have none.
    pub partial: Option<Partial>,
    /// What the reader should know about this answer, a sentence each.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
    /// There are hits, but not even one fits.
    #[serde(skip)]
    pub has_no_room: bool,
}

/// A section that was found.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SearchHit {
    /// The kind of the document: `text` for a part of a text, `source` for what the catalog says about the source.
    pub kind: String,
    /// The id of its source.
    pub source_id: String,
    /// The name of its source.
    pub name: String,
    /// Its file as displayed; empty if it has none.
    pub path: String,
    /// Its first line, from 1; 0 without a text.
    pub line: usize,
    /// Its last line.
    pub end_line: usize,
    /// The headings above it, outermost first, or nothing.
    pub heading: String,
    /// Its text around the words that were searched for; empty if the reader may not read it or it does not fit.
    pub excerpt: String,
    /// Byte ranges of these words in `excerpt`.
    #[serde(skip)]
    pub matches: Vec<Range<usize>>,
    /// The higher the better; comparable within one answer.
    pub score: f64,
    /// Its places in the lists.
    pub because: Vec<Placing>,
    /// Whether the reader may read it now.
    pub readable: bool,
    /// Whether its source is selected.
    pub selected: bool,
    /// Estimated tokens of this hit as text.
    pub tokens: u64,
    /// How to get to read it.
    #[serde(skip)]
    pub fix: Fix,
}

impl SearchRequest {
    /// A search without filters.
    pub fn new(query: impl Into<String>, reader: SearchReader) -> Self {
        Self {
            query: query.into(),
            kinds: Vec::new(),
            sources: Vec::new(),
            tags: Vec::new(),
            among: SearchAmong::All,
            limit: SEARCH_LIMIT,
            reader,
        }
    }
}

impl Settled<'_> {
    /// Searches for the reader, who is a person or the agent of the session.
    ///
    /// # Errors
    /// There is no index or it cannot be read, or a source of the request is unknown.
    pub fn search(&self, session: &Session, request: &SearchRequest) -> Result<SearchAnswer, Error> {
        let no_index = || Error::new(Code::NoIndex, "this workspace has no search index", Fix::BuildIndex);
        let index = self.index()?.ok_or_else(no_index)?;
        let sources = request
            .sources
            .iter()
            .map(|id| self.catalog.meant(id).map(|source| source.id.as_str()).ok_or_else(|| self.unknown_id(id)));
        let sources: Vec<&str> = sources.collect::<Result<_, _>>()?;
        let access = match request.reader {
            SearchReader::Person => None,
            SearchReader::Agent => Some(self.access(session)),
        };
        let waits_for_trust = self.waiting_for_trust();
        let is_wanted = |id: &str| {
            let Some(source) = self.catalog.get(id) else { return false };
            (sources.is_empty() || sources.contains(&id))
                && (request.tags.is_empty() || has_any_tag(source, &request.tags))
                && (request.among == SearchAmong::All || self.selection.contains(id))
                // What a person excluded is not offered to agents.
                && (access.is_none() || !self.selection.is_excluded(id))
                && !waits_for_trust(source)
        };
        // Several sections are of one file.
        let texts: RefCell<HashMap<(String, String), Option<String>>> = RefCell::default();
        let is_current = |id: &str, path: &str, content: &str| {
            let Some(source) = self.catalog.get(id).filter(|_| !path.is_empty()) else { return path.is_empty() };
            let mut texts = texts.borrow_mut();
            let text = texts
                .entry((id.to_owned(), path.to_owned()))
                .or_insert_with(|| refdesk_index::text_of(source, path).ok().flatten());
            text.as_ref().is_some_and(|text| text.contains(content))
        };
        let query = SearchQuery {
            text: &request.query,
            kinds: &request.kinds,
            is_wanted: &is_wanted,
            is_current: &is_current,
            limit: request.limit,
        };
        let embedder = if self.settings().hints.semantic { self.embedder()? } else { None };
        let found = index.search(&query, embedder)?;
        let mut notes = Vec::new();
        if found.is_empty {
            notes.push("The query has no words to search for.".to_owned());
        }
        if found.is_cut {
            notes.push(format!(
                "The query is too long: only its first {} characters count.",
                tokens::grouped(LONGEST as u64)
            ));
        }
        if let Some(Partial { indexed, of }) = found.partial {
            let which = if embedder.is_some() { "are found by meaning" } else { "are in it" };
            notes.push(format!("The index is not complete: {indexed} of {of} documents {which}."));
        }
        match found.outdated {
            0 => {}
            1 => notes.push("1 section has changed since it was indexed, and is left out.".to_owned()),
            some => notes.push(format!("{some} sections have changed since they were indexed, and are left out.")),
        }
        if found.incomparable > 0 {
            let vectors = if found.incomparable == 1 { "1 document has" } else { "documents have" };
            let count = if found.incomparable == 1 { String::new() } else { format!("{} ", found.incomparable) };
            notes
                .push(format!("{count}{vectors} a damaged vector, which is not compared: a fresh index repairs that."));
        }
        let hits = found.hits.into_iter().filter_map(|hit| self.hit(access.as_ref(), hit)).collect();
        Ok(SearchAnswer {
            query: shortened(request.query.clone(), LONGEST),
            mode: found.mode,
            hits,
            tokens_used: 0,
            partial: found.partial,
            notes,
            has_no_room: false,
        })
    }

    /// A hit for a reader with this access; for a person without any.
    fn hit(&self, access: Option<&Access>, hit: SectionHit) -> Option<SearchHit> {
        let source = self.catalog.get(&hit.source)?;
        let readable = access.is_none_or(|access| may_read(access, source, &hit.path));
        let (excerpt, matches) =
            if readable { (hit.excerpt.text, hit.excerpt.matches) } else { (String::new(), Vec::new()) };
        Some(SearchHit {
            path: self.path_of(source, &hit.path),
            source_id: hit.source,
            name: shortened(source.name.clone(), LONGEST_TITLE),
            kind: hit.kind,
            line: hit.line,
            end_line: hit.end_line,
            heading: shortened(hit.heading, LONGEST_TITLE),
            excerpt,
            matches,
            score: hit.score,
            because: hit.because,
            readable,
            selected: self.selection.contains(source.id.as_str()),
            tokens: 0,
            fix: if readable { Fix::None } else { Fix::Pick(source.id.to_string()) },
        })
    }

    /// The path of a file, as the catalog reaches it.
    fn path_of(&self, source: &Source, resolved: &str) -> String {
        let Some(place) = source.place().filter(|_| !resolved.is_empty()) else { return String::new() };
        match Path::new(resolved).strip_prefix(&place.resolved) {
            Ok(within) if within.as_os_str().is_empty() => self.around().display(&place.path),
            Ok(within) => self.around().display(&place.path.join(within)),
            Err(_) => self.around().display(Path::new(resolved)),
        }
    }
}

/// Whether the session may read a document of this source; its path is empty for what the catalog says.
fn may_read(access: &Access, source: &Source, path: &str) -> bool {
    let is_file = source.place().is_some() && !path.is_empty();
    access.reaches(source.id.as_str())
        && !access.withheld().contains(&source.id)
        && (!is_file || access.allows(Path::new(path)))
}

impl SearchAnswer {
    /// Shortens the answer to `most` tokens and counts them. `text` is how the reader gets a hit; `frame` are the tokens around
    /// all of them.
    pub fn fit(&mut self, most: Option<u64>, frame: u64, text: impl Fn(&SearchHit, HitLength) -> String) {
        let price = |hit: &SearchHit, length| tokens::of_prose(text(hit, length).len() as u64);
        let cost = |hit: &SearchHit| {
            let brief = price(hit, HitLength::Brief);
            HitCost { brief, full: price(hit, HitLength::Full).max(brief) }
        };
        let costs: Vec<HitCost> = self.hits.iter().map(cost).collect();
        let room = most.map(|most| most.saturating_sub(frame));
        let (lengths, used) = fit(&costs, room);
        self.note_left_out(&lengths);
        self.hits.truncate(lengths.len());
        for ((hit, length), cost) in self.hits.iter_mut().zip(&lengths).zip(&costs) {
            hit.tokens = if *length == HitLength::Full { cost.full } else { cost.brief };
            if *length == HitLength::Brief {
                hit.excerpt.clear();
                hit.matches.clear();
            }
        }
        self.tokens_used = if self.hits.is_empty() { 0 } else { used.saturating_add(frame) };
    }

    fn note_left_out(&mut self, lengths: &[HitLength]) {
        let (found, kept) = (self.hits.len(), lengths.len());
        self.has_no_room = kept == 0 && found > 0;
        if self.has_no_room {
            self.notes.push("Not even one hit fits into so few tokens.".to_owned());
        } else if kept < found {
            let more = found - kept;
            let which = if more == 1 { "hit does" } else { "hits do" };
            self.notes.push(format!("{more} more {which} not fit into so few tokens."));
        } else {
            let brief =
                |(hit, length): &(&SearchHit, &HitLength)| **length == HitLength::Brief && !hit.excerpt.is_empty();
            match self.hits.iter().zip(lengths).filter(brief).count() {
                0 => {}
                1 => self.notes.push("1 excerpt does not fit into so few tokens.".to_owned()),
                some => self.notes.push(format!("{some} excerpts do not fit into so few tokens.")),
            }
        }
    }

    /// The journal's entry for the text that the reader got; `None` if it got none. `tool` names the command or tool.
    pub fn receipt(&self, tool: &str) -> Option<Receipt> {
        let mut about: Vec<String> = Vec::new();
        let with_text = || self.hits.iter().filter(|hit| !hit.excerpt.is_empty());
        for hit in with_text() {
            if !about.contains(&hit.source_id) {
                about.push(hit.source_id.clone());
            }
        }
        let bytes = with_text().map(|hit| hit.excerpt.len()).sum();
        let tokens = with_text().map(|hit| hit.tokens).sum::<u64>();
        (!about.is_empty()).then(|| Receipt {
            tool: Some(tool.to_owned()),
            about,
            bytes,
            tokens: usize::try_from(tokens).unwrap_or(usize::MAX),
            ..Receipt::new(What::Read)
        })
    }
}

impl SearchHit {
    /// Heading and place, or name and place, on two lines.
    pub fn brief(&self) -> String {
        let title = if self.heading.is_empty() { &self.name } else { &self.heading };
        let mut text = format!("{}\n  @{}", one_line(title), one_line(&self.source_id));
        if !self.heading.is_empty() {
            text.push_str(&format!(", {}", one_line(&self.name)));
        }
        if let Some(place) = self.place() {
            text.push_str(&format!(", {}", one_line(&place)));
        }
        text.push('\n');
        text
    }

    /// The file with the lines, or the lines, or nothing for what the catalog says.
    pub fn place(&self) -> Option<String> {
        let Self { path, line, end_line, .. } = self;
        match (path.is_empty(), line) {
            (true, 0) => None,
            (true, _) => Some(format!("line {line}")),
            (false, _) if line == end_line => Some(format!("{path}:{line}")),
            (false, _) => Some(format!("{path}:{line}-{end_line}")),
        }
    }

    /// The hit in brief with its excerpt below, indented.
    pub fn full(&self) -> String {
        let mut text = self.brief();
        for line in visible(&self.excerpt).lines() {
            let line = line.trim_end();
            text.push_str(if line.is_empty() { "" } else { "    " });
            text.push_str(line);
            text.push('\n');
        }
        text
    }
}

impl Desk {
    /// Journals what a person or an agent was shown of the documents by a search.
    pub fn note_search(&self, session: &Session, answer: &SearchAnswer, tool: &str) {
        if let Some(receipt) = answer.receipt(tool) {
            self.note_reading(session, receipt);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(excerpts: &[&str]) -> SearchAnswer {
        let hit = |(nth, excerpt): (usize, &&str)| SearchHit {
            kind: "text".to_owned(),
            source_id: format!("s{}", nth / 2),
            name: "Name".to_owned(),
            path: "a.md".to_owned(),
            line: 1,
            end_line: 2,
            heading: String::new(),
            excerpt: (*excerpt).to_owned(),
            matches: Vec::new(),
            score: 0.1,
            because: Vec::new(),
            readable: !excerpt.is_empty(),
            selected: false,
            tokens: 0,
            fix: Fix::None,
        };
        SearchAnswer {
            query: "q".to_owned(),
            mode: SearchMode::Words,
            hits: excerpts.iter().enumerate().map(hit).collect(),
            tokens_used: 0,
            partial: None,
            notes: Vec::new(),
            has_no_room: false,
        }
    }

    fn fitted(most: Option<u64>, frame: u64) -> SearchAnswer {
        let mut answer = answer(&["one two three four five six seven", "short", ""]);
        answer.fit(most, frame, |hit, length| match length {
            HitLength::Brief => hit.brief(),
            HitLength::Full => hit.full(),
        });
        answer
    }

    #[test]
    fn what_does_not_fit_is_left_out_and_said() {
        let whole = fitted(None, 10);
        assert_eq!(whole.tokens_used, 10 + whole.hits.iter().map(|hit| hit.tokens).sum::<u64>());
        assert!(whole.notes.is_empty());
        for most in 0..whole.tokens_used + 5 {
            let answer = fitted(Some(most), 10);
            assert!(answer.tokens_used <= most, "{most}: {answer:?}");
            assert_eq!(answer.notes.is_empty(), answer.hits == whole.hits, "{most}: {answer:?}");
        }
        assert_eq!(fitted(Some(9), 10).notes, ["Not even one hit fits into so few tokens."]);
    }

    #[test]
    fn only_quoted_sources_are_journalled_each_once() {
        let receipt = answer(&["one", "two", "three", ""]).receipt("search").unwrap();
        assert_eq!((receipt.about, receipt.bytes), (vec!["s0".to_owned(), "s1".to_owned()], 11));
        assert!(answer(&["", ""]).receipt("search").is_none());
    }
}
