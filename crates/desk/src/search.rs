//! Searches the documents for a reader (SEARCH S4): a person may read everything trusted, an agent only what its
//! session may read. Other sources are named, so that an agent can select them.

use std::collections::VecDeque;
use std::ops::Range;
use std::path::Path;

use serde::Serialize;

mod current;
mod named;
mod notes;

pub(crate) use self::current::CurrentTexts;
pub use self::notes::changed_since;
use super::search_index::first_sections_only;
use super::{CompleteDesk, TagFilter};
use crate::session::{JournalEvent, Receipt, Session};
use refdesk_core::catalog::Source;
use refdesk_core::selection::Access;
use refdesk_index::pages::{DOMAIN, RELATIONSHIP};
use refdesk_index::search::{Excerpt, HitCost, HitLength, LONGEST, fit};
use refdesk_index::{
    DatabaseSubject, FoundDocument, HitRank, IndexedJoin, Partial, RankedList, SOURCE, SearchMode, SearchQuery,
    SectionHit, SourcePreference, TEXT, default_weight,
};
use refdesk_text::escape::{one_line, visible};
use refdesk_text::shorten::shortened;
use refdesk_text::{Code, Error, Fix, tokens};

/// The most characters of a heading or name; one of a megabyte must not take the space of all other hits.
const LONGEST_TITLE: usize = 300;

/// The tool name of a command-line search in the journal.
pub const SEARCH_COMMAND: &str = "refdesk search";

/// The default number of hits.
pub const SEARCH_LIMIT: usize = 10;

/// A search for a reader.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SearchRequest {
    /// The text to search for.
    pub query: String,
    /// Only documents of these kinds; all kinds if empty.
    pub kinds: Vec<String>,
    /// Only these sources; all if empty.
    pub sources: Vec<String>,
    /// Only sources with one of these tags; all if empty.
    pub tags: Vec<String>,
    /// Only sections about this database.
    pub database: Option<String>,
    /// Only sections about this domain of a database.
    pub domain: Option<String>,
    /// Whether to return one hit per table instead of one per column and join.
    pub by_table: bool,
    /// Whether the last word may be unfinished, because the query is still being typed.
    pub is_unfinished: bool,
    /// Which sources to search.
    pub among: SearchScope,
    /// The most hits.
    pub limit: usize,
    /// Who reads the answer.
    pub reader: SearchReader,
}

/// The sources to search.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum SearchScope {
    /// All sources.
    #[default]
    All,
    /// Only selected sources.
    Selected,
}

/// The reader of an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SearchReader {
    /// A person, or a command on a person's behalf.
    Person,
    /// The session's agent.
    Agent,
}

/// What a search found, for its reader.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SearchAnswer {
    /// The query as given.
    pub query: String,
    /// The lists that the answer is based on.
    pub mode: SearchMode,
    /// The hits, best first.
    pub hits: Vec<SearchHit>,
    /// The estimated tokens of the answer as its reader gets it; 0 without hits.
    pub tokens_used: u64,
    /// How many documents have a vector, unless all do.
    pub partial: Option<Partial>,
    /// Notes about this answer for the reader, one sentence each.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
    /// Whether a note explains why there is no hit.
    #[serde(skip)]
    pub explains_no_hits: bool,
}

/// A section that was found.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SearchHit {
    /// The kind of document: `text` for part of a text, `source` for a catalog entry; `table`, `column`, `domain` or
    /// `relationship` for parts of a database.
    pub kind: String,
    /// The id of its source.
    pub source_id: String,
    /// The name of its source.
    pub name: String,
    /// Its displayed file; empty if it has none.
    pub path: String,
    /// Its first line, from 1; 0 without a text.
    pub line: usize,
    /// Its last line.
    pub end_line: usize,
    /// The headings above it, outermost first; may be empty.
    pub heading: String,
    /// Its text around the matching words; empty if the reader may not read it or it does not fit.
    pub excerpt: String,
    /// Byte ranges of the matching words in `excerpt`.
    #[serde(skip)]
    pub matches: Vec<Range<usize>>,
    /// The opening line of the code block in which `excerpt` starts.
    #[serde(skip)]
    pub fence: Option<String>,
    /// Higher is better; comparable only within one answer.
    pub score: f64,
    /// Its rank in each list that found it.
    pub because: Vec<HitRank>,
    /// Whether the reader may currently read it.
    pub readable: bool,
    /// Whether its source is selected.
    pub selected: bool,
    /// The estimated tokens of this hit as its reader gets it.
    pub tokens: u64,
    /// The part of a database it is about.
    #[serde(flatten)]
    pub subject: Option<DatabaseSubject>,
    /// For a table, its matching columns, if the reader may read it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub columns: Vec<String>,
    /// The join it describes, if the reader may read it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub join: Option<IndexedJoin>,
    /// What the reader must do to read it.
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
            database: None,
            domain: None,
            by_table: true,
            is_unfinished: false,
            among: SearchScope::All,
            limit: SEARCH_LIMIT,
            reader,
        }
    }
}

impl CompleteDesk<'_> {
    /// Searches on behalf of the reader: a person, or the session's agent.
    ///
    /// # Errors
    /// A source or database in the request is unknown; there is no index, or it cannot be read; [`Code::IndexBusy`] if
    /// it is being built.
    pub fn search(&self, session: &Session, request: &SearchRequest) -> Result<SearchAnswer, Error> {
        self.found(session, request).map_err(|error| self.while_rebuilt(request.reader, error))
    }

    fn found(&self, session: &Session, request: &SearchRequest) -> Result<SearchAnswer, Error> {
        let sources = request
            .sources
            .iter()
            .map(|id| self.catalog.find(id).map(|source| source.id.as_str()).ok_or_else(|| self.unknown_id(id)));
        let sources: Vec<&str> = sources.collect::<Result<_, _>>()?;
        let access = match request.reader {
            SearchReader::Person => None,
            SearchReader::Agent => Some(self.access(session)),
        };
        let waits_for_trust = self.waiting_for_trust();
        let tags = TagFilter::new(&request.tags);
        let is_explicit = |source: &Source| {
            let id = source.id.as_str();
            (sources.is_empty() || sources.contains(&id))
                && (request.tags.is_empty() || tags.matches(source))
                && (request.among == SearchScope::All || self.selection.contains(id))
                // Sources that a person excluded are not offered to agents.
                && (access.is_none() || !self.selection.is_excluded(id))
        };
        let takes_part = |source: &Source| is_explicit(source) && !waits_for_trust(source);
        let is_wanted = |id: &str| self.catalog.get(id).is_some_and(takes_part);
        // An outer source that contains an excluded file does not offer it to agents, unless they may read that source.
        let excluded = access.as_ref().map(|_| self.selection.excluded_files(&self.catalog));
        let view;
        let (database, domain) = if request.database.is_some() || request.domain.is_some() {
            view = self.documented_for(access.as_ref());
            view.resolve(request.database.as_deref(), request.domain.as_deref())?
        } else {
            (None, None)
        };
        let index = self.index()?.ok_or_else(|| self.no_index(request.reader))?;
        let completed = if request.is_unfinished { index.completed(&request.query)? } else { None };
        let pages = self.documented_pages();
        let texts = CurrentTexts::new(&self.catalog, &pages);
        let sections_now = |found: &FoundDocument| texts.sections(found);
        let preference = |found: &FoundDocument| {
            let Some(source) = self.catalog.get(found.source) else { return SourcePreference::default() };
            SourcePreference {
                is_readable: access.as_ref().is_none_or(|access| may_read(access, source, found.path)),
                depth: source.depth(),
            }
        };
        let weights = self.search_weights();
        let has_place = |id: &str| self.catalog.get(id).is_none_or(|source| source.place().is_some());
        let weight = |kind: &str, id: &str| {
            // The entry of a web address or a tool is all that can be found of it, so it counts as a text.
            let kind = if kind == SOURCE && !has_place(id) { TEXT } else { kind };
            weights.of(kind).unwrap_or_else(|| default_weight(kind))
        };
        let query = SearchQuery {
            text: completed.as_deref().unwrap_or(&request.query),
            catalog: &self.indexable_ids(),
            changed: self.changed_files(&index)?,
            kinds: &request.kinds,
            is_wanted: &is_wanted,
            excluded: excluded.as_ref(),
            leads_to_excluded: &|id| access.as_ref().is_some_and(|access| access.reaches(id)),
            database,
            domain,
            by_table: request.by_table,
            preference: &preference,
            weight: &weight,
            pages: Some(&*pages),
            sections_now: &sections_now,
        };
        let embedder = self.lazy_embedder().filter(|_| self.settings().hints.semantic);
        let mut found = index.search(&query, embedder)?;
        let is_just_begun = found.partial.is_some_and(|partial| partial.indexed == 0 && partial.unread > 0);
        if is_just_begun && request.reader == SearchReader::Agent && self.index_process().is_some() {
            return Err(self.no_index(request.reader));
        }
        self.put_named_first(&index, &query, embedder, &mut found)?;
        let selects_nothing = request.among == SearchScope::Selected && self.selection.members().is_empty();
        let unknown = self.unknown_tags(&request.tags);
        let finds_nothing =
            found.is_empty || selects_nothing || (!unknown.is_empty() && unknown.len() == request.tags.len());
        let mut notes = Vec::new();
        notes.extend(found.is_empty.then(|| "The query has no words to search for.".to_owned()));
        notes.extend(selects_nothing.then(|| "No source is selected.".to_owned()));
        notes.extend(unknown.iter().map(|tag| notes::sentence(tag)));
        notes.extend(notes::of(&found));
        notes.extend(first_sections_only(&self.cut_files(takes_part)?));
        notes.extend(self.index_waits_for_trust().map(str::to_owned));
        let waiting = self.catalog.sources().iter().filter(|source| is_explicit(source) && waits_for_trust(source));
        notes.extend(notes::left_out_without_trust(waiting.count()));
        found.hits.retain(|hit| self.catalog.get(&hit.source).is_some_and(|source| belongs_to(source, &hit.path)));
        // Before the cut, so that a larger limit only adds hits.
        let mut hits = texts_in_place_of_entries(found.hits);
        hits.truncate(request.limit);
        let hits = hits.into_iter();
        let hits: Vec<SearchHit> = hits.filter_map(|hit| self.hit(access.as_ref(), hit, &found.terms)).collect();
        Ok(SearchAnswer {
            query: shortened(request.query.clone(), LONGEST),
            mode: mode_of(found.mode, &hits),
            hits,
            tokens_used: 0,
            partial: found.partial,
            notes,
            explains_no_hits: finds_nothing,
        })
    }

    /// The error of an agent's search in an index that is damaged or not ours: the process that serves the agent replaces
    /// it, as it builds a missing one.
    fn while_rebuilt(&self, reader: SearchReader, error: Error) -> Error {
        let is_replaced =
            matches!(error.code, Code::IndexForeign | Code::IndexUnreadable) && error.fix == Fix::BuildIndex;
        let builds = self.index_process().is_some() && self.index_failure.is_none();
        if reader != SearchReader::Agent || !is_replaced || !builds {
            return error;
        }
        let message = format!("{}; a new one is being built", error.message);
        let again = Fix::from("search again in a minute");
        Error::new(Code::IndexBusy, message, Fix::All(vec![again, error.fix]))
    }

    /// Why there is no index to search.
    fn no_index(&self, reader: SearchReader) -> Error {
        // A process that serves agents builds the index as soon as it starts.
        if reader == SearchReader::Agent && self.index_process().is_some() {
            return match &self.index_failure {
                Some(why) => Error::new(Code::NoIndex, format!("there is no search index: {why}"), Fix::BuildIndex),
                None => {
                    Error::new(Code::IndexBusy, "the search index is still being built", "search again in a minute")
                }
            };
        }
        if self.catalog.is_empty() {
            let message = format!("this workspace has no search index, and {}", self.no_sources());
            return Error::new(Code::NoIndex, message, self.no_sources_fix());
        }
        let message = match self.has_older_index() {
            true => "the search index was built by an older refdesk and must be rebuilt",
            false => "this workspace has no search index",
        };
        Error::new(Code::NoIndex, message, Fix::BuildIndex)
    }

    /// The hit for a reader with this access, or for a person if `None`.
    fn hit(&self, access: Option<&Access>, hit: SectionHit, terms: &[String]) -> Option<SearchHit> {
        let source = self.catalog.get(&hit.source)?;
        let readable = access.is_none_or(|access| !source.is_missing() && may_read(access, source, &hit.path));
        let Excerpt { text: excerpt, matches, fence } = if readable { hit.excerpt(terms) } else { Excerpt::default() };
        let mut because = hit.because;
        if !readable {
            // The words would reveal what is in a text the reader may not read.
            because.iter_mut().for_each(|placing| placing.words.clear());
        }
        Some(SearchHit {
            path: self.path_of(source, &hit.path),
            source_id: hit.source,
            name: shortened(source.name.to_string(), LONGEST_TITLE),
            kind: hit.kind,
            line: hit.line,
            end_line: hit.end_line,
            heading: shortened(hit.heading, LONGEST_TITLE),
            excerpt,
            matches,
            fence,
            score: hit.score,
            because,
            readable,
            selected: self.selection.contains(source.id.as_str()),
            tokens: 0,
            subject: hit.subject,
            columns: if readable { hit.columns } else { Vec::new() },
            join: hit.join.filter(|_| readable),
            fix: match source.place() {
                _ if readable => Fix::None,
                Some(place) if source.is_missing() => format!("{} {}", place.written, source.why_missing()).into(),
                _ => Fix::Pick(source.id.to_string()),
            },
        })
    }

    /// The path of a file as the catalog writes it.
    fn path_of(&self, source: &Source, resolved: &str) -> String {
        let Some(place) = source.place().filter(|_| !resolved.is_empty()) else { return String::new() };
        match Path::new(resolved).strip_prefix(&place.resolved) {
            Ok(within) if within.as_os_str().is_empty() => self.workspace_context().display(&place.path),
            Ok(within) => self.workspace_context().display(&place.path.join(within)),
            Err(_) => self.workspace_context().display(Path::new(resolved)),
        }
    }
}

/// The hits without the catalog entries of sources whose text was found, too: the best text takes the place of an entry that
/// ranks above it.
fn texts_in_place_of_entries(hits: Vec<SectionHit>) -> Vec<SectionHit> {
    let mut hits: VecDeque<SectionHit> = hits.into();
    let mut placed: Vec<SectionHit> = Vec::with_capacity(hits.len());
    while let Some(hit) = hits.pop_front() {
        let is_text = |other: &SectionHit| other.kind == TEXT && other.source == hit.source;
        if hit.kind != SOURCE {
            placed.push(hit);
        } else if !placed.iter().any(is_text) {
            let text = hits.iter().position(is_text).and_then(|at| hits.remove(at));
            placed.push(match text {
                Some(text) => SectionHit { score: hit.score, because: hit.because, ..text },
                None => hit,
            });
        }
    }
    placed
}

/// The lists that these hits are based on, even if the best hits of another list were left out. Hits that only the
/// query's name for a text found count as hits by words.
fn mode_of(lists: SearchMode, hits: &[SearchHit]) -> SearchMode {
    let are_all = |list| hits.iter().flat_map(|hit| &hit.because).all(|rank| rank.list == list);
    match lists {
        _ if hits.is_empty() => lists,
        _ if are_all(RankedList::Name) => SearchMode::Words,
        SearchMode::Hybrid if are_all(RankedList::Meaning) => SearchMode::Meaning,
        _ => lists,
    }
}

/// Whether this document still belongs to the source, since the index may contain an older path. The path is empty for
/// the catalog entry, and relative for an inline text.
pub(crate) fn belongs_to(source: &Source, path: &str) -> bool {
    let path = Path::new(path);
    path.is_relative() || source.place().is_some_and(|place| path.starts_with(&place.resolved))
}

/// Whether the session may read a document of this source; the path is empty for the catalog entry.
pub(crate) fn may_read(access: &Access, source: &Source, path: &str) -> bool {
    // A file may be read through any source that contains it.
    if source.place().is_some() && !path.is_empty() {
        return access.allows(Path::new(path));
    }
    access.may_read(source.id.as_str())
}

impl SearchAnswer {
    /// Shortens the answer to `most` tokens and counts them: cuts excerpts to one line, then drops hits. `bytes` is the
    /// length of a hit as the reader gets it; `frame` is the number of tokens around the hits.
    pub fn fit(&mut self, most: Option<u64>, frame: u64, bytes: impl Fn(&SearchHit) -> usize) {
        let price = |hit: &SearchHit| tokens::of_prose(bytes(hit) as u64);
        let in_brief: Vec<SearchHit> = self.hits.iter().map(SearchHit::in_brief).collect();
        let cost = |(hit, brief): (&SearchHit, &SearchHit)| {
            let brief = price(brief);
            HitCost { brief, full: price(hit).max(brief) }
        };
        let costs: Vec<HitCost> = self.hits.iter().zip(&in_brief).map(cost).collect();
        let room = most.map(|most| most.saturating_sub(frame));
        let (lengths, used) = fit(&costs, room);
        self.note_left_out(lengths.len(), costs.first().map_or(0, |cost| cost.brief.saturating_add(frame)));
        self.hits.truncate(lengths.len());
        let mut cut = 0;
        for (((hit, brief), length), cost) in self.hits.iter_mut().zip(in_brief).zip(&lengths).zip(&costs) {
            if *length == HitLength::Brief {
                cut += usize::from(hit.excerpt != brief.excerpt);
                *hit = brief;
            }
            hit.tokens = if *length == HitLength::Full { cost.full } else { cost.brief };
        }
        match cut {
            0 => {}
            1 => self.notes.push("1 excerpt is cut to one line.".to_owned()),
            some => self.notes.push(format!("{some} excerpts are cut to one line each.")),
        }
        self.tokens_used = if self.hits.is_empty() { 0 } else { used.saturating_add(frame) };
    }

    /// Notes how many hits were dropped; `needed` is the number of tokens of the best hit in its shortest form.
    fn note_left_out(&mut self, kept: usize, needed: u64) {
        let found = self.hits.len();
        if kept == 0 && found > 0 {
            self.explains_no_hits = true;
            let needed = tokens::grouped(needed);
            self.notes.push(format!("Even the best hit needs more tokens than that: ~{needed}."));
        } else if kept < found {
            let more = found - kept;
            let which = if more == 1 { "hit does" } else { "hits do" };
            self.notes.push(format!("{more} more {which} not fit into that many tokens."));
        }
    }

    /// The journal entry for this answer, which has `bytes` bytes in the form whose tokens it counts. It is about the
    /// quoted sources, if any. `tool` is the command or tool.
    pub fn receipt(&self, tool: &str, bytes: usize) -> Receipt {
        let (mut about, mut named): (Vec<String>, Vec<&str>) = Default::default();
        for hit in &self.hits {
            if hit.excerpt.is_empty() {
                named.push(&hit.source_id);
            } else if !about.contains(&hit.source_id) {
                about.push(hit.source_id.clone());
            }
        }
        named.retain(|id| !about.iter().any(|quoted| quoted == id));
        named.sort_unstable();
        named.dedup();
        let reason = match named.len() {
            0 => String::new(),
            some => format!("{} named without a text", tokens::counted(some, "source")),
        };
        // Notes without hits cost tokens, too.
        let tokens = if self.tokens_used == 0 { tokens::of_prose(bytes as u64) } else { self.tokens_used };
        let tokens = usize::try_from(tokens).unwrap_or(usize::MAX);
        Receipt { tool: Some(tool.to_owned()), about, bytes, tokens, reason, ..Receipt::new(JournalEvent::Read) }
    }
}

impl SearchHit {
    /// The hit with its excerpt cut to one line.
    fn in_brief(&self) -> Self {
        let whole = Excerpt { text: self.excerpt.clone(), matches: self.matches.clone(), fence: None };
        let Excerpt { text: excerpt, matches, fence } = whole.one_line();
        Self { excerpt, matches, fence, ..self.clone() }
    }

    /// The heading (or name) and the place, on two lines.
    pub fn heading_and_place(&self) -> String {
        let title = if self.heading.is_empty() { &self.name } else { &self.heading };
        let about = self.subject.as_ref().map(|subject| self.about(subject)).unwrap_or_default();
        let mut text = format!("{}{about}\n  @{}", one_line(title), one_line(&self.source_id));
        if !self.heading.is_empty() {
            text.push_str(&format!(", {}", one_line(&self.name)));
        }
        if let Some(place) = self.place() {
            text.push_str(&format!(", {}", one_line(&place)));
        }
        text.push('\n');
        text
    }

    /// Its kind, with its database and domain.
    fn about(&self, subject: &DatabaseSubject) -> String {
        let kind = if self.kind == RELATIONSHIP { "join" } else { &self.kind };
        let domain = subject.domain.as_ref().filter(|_| self.kind != DOMAIN);
        let domain = domain.map(|domain| format!(", domain {}", one_line(domain))).unwrap_or_default();
        format!(" ({kind} of {}{domain})", one_line(&subject.database))
    }

    /// The file with the lines, or only the lines; `None` for a catalog entry.
    pub fn place(&self) -> Option<String> {
        let Self { path, line, end_line, .. } = self;
        match (path.is_empty(), line) {
            (true, 0) => None,
            (true, _) => Some(format!("line {line}")),
            (false, _) if line == end_line => Some(format!("{path}:{line}")),
            (false, _) => Some(format!("{path}:{line}-{end_line}")),
        }
    }

    /// The heading and place, with the excerpt indented below.
    pub fn to_text(&self) -> String {
        let mut text = self.heading_and_place();
        for line in visible(&self.excerpt).lines() {
            let line = line.trim_end();
            text.push_str(if line.is_empty() { "" } else { "    " });
            text.push_str(line);
            text.push('\n');
        }
        text
    }
}

#[cfg(test)]
mod tests;
