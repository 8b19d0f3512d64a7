//! The enricher of references: expansions of `@id`, tag hints, the transitive notice, and the context of a document
//! that a tool read (BEHAVIOUR §5, blocks 1 to 4).

use std::collections::{HashMap, HashSet};
use std::path::Path;

use rayon::prelude::*;

use super::chain::{EnrichContext, EnrichInput, HintAction, Metadata, SemanticMatch, TextKind};
use super::draft::{BlockKind, Draft, DraftEntry, MatchReason, MemoryKey};
use super::instruction::remembered;
use super::meaning::{Meaning, Score};
use super::ranking::{RankedHint, Ranking, SourceStates, rank};
use super::session_memory::{SessionMemory, content_hash};
use super::{Findings, contents, instruction, print};
use refdesk_core::catalog::{Mode, PathState, Source, SourceId};
use refdesk_core::selection::{Role, SelectedSource, Selection};
use refdesk_text::lines;

/// The rule that prints one line for an `@id` that the session already received.
pub(super) const GIVEN_ABOVE: &str = "given above";

/// What the hashes in a session's memory are of.
pub(super) const EXPANSION: &str = "expansion";
const HINT: &str = "hint";

/// What a session remembers of a hint at a source with this stamp, however the source matched.
pub(super) fn hint_key(source: &Source, stamp: &str) -> MemoryKey {
    MemoryKey::Given(content_hash(HINT, &source.id, &print::brief_line(source), stamp))
}

/// The drafts for a session with this `memory`; adds matches to `metadata`.
pub(super) fn drafts(reading: &EnrichInput, memory: &SessionMemory, metadata: &mut Metadata) -> Vec<Draft> {
    let EnrichContext { matcher, catalog, selection, exclude_hints, .. } = reading.ctx;
    let text = reading.request.text;
    let found = matcher.find_within(text, &reading.parts, catalog, selection, exclude_hints);
    let blocks = ReferenceDrafts { reading, memory };
    let mut drafts = vec![blocks.expansions(&found), blocks.hints(&found, metadata)];
    metadata.mentioned_references = found.expansions.into_iter().map(|it| it.id).collect();
    metadata.tag_matched_references = found.hints.into_iter().map(|it| (it.id, it.tags)).collect();
    if reading.request.kind == TextKind::Prompt {
        drafts.push(blocks.notice(metadata));
    } else {
        drafts.extend(contents::draft(reading, memory));
    }
    drafts
}

struct ReferenceDrafts<'a> {
    reading: &'a EnrichInput<'a>,
    memory: &'a SessionMemory,
}

impl ReferenceDrafts<'_> {
    /// The memory keys of an entry, and whether it is new to the session. The content hash reads files, so it is
    /// computed only if it will be remembered.
    fn keys(&self, kind: &str, source: &Source, printed: &str) -> (Vec<MemoryKey>, bool) {
        if self.reading.request.repeat {
            return (Vec::new(), true);
        }
        let stamp = self.reading.ctx.places.stamp(source);
        let hash = content_hash(kind, &source.id, printed, &stamp);
        let is_news = !self.memory.given.contains(&hash);
        // A later hint would say less than the expansion.
        let covered = (kind == EXPANSION).then(|| hint_key(source, &stamp));
        (std::iter::once(MemoryKey::Given(hash)).chain(covered).collect(), is_news)
    }

    /// Block 1: expansions.
    fn expansions(&self, found: &Findings) -> Draft {
        let offsets: Vec<usize> = found.expansions.iter().map(|it| it.range.start).collect();
        let places = lines::places(self.reading.request.text, &offsets);
        let mut entries = Vec::new();
        for (expansion, (line, column)) in found.expansions.iter().zip(places) {
            let Some(source) = self.reading.ctx.catalog.get(expansion.id.as_str()) else { continue };
            let full = instruction(source, self.reading.ctx.selection, self.reading.ctx.places);
            let short = print::given_above(source);
            let brief = |action| print::brief(source, &self.reading.ctx, action);
            let (keys, news) = self.keys(EXPANSION, source, remembered(&full, source, self.reading.ctx.selection));
            let injected = &self.reading.injected;
            let has_brief =
                || [HintAction::Select, HintAction::Read].iter().any(|action| injected.has(&brief(*action)));
            let is_in_text = injected.has(&full) || injected.has(&short) || has_brief();
            let mut why = vec![MatchReason::Mention { line, column }];
            if !news {
                why.push(MatchReason::Rule { rule: GIVEN_ABOVE.to_owned() });
            }
            entries.push(DraftEntry {
                about: source.id.to_string(),
                full: if news { full } else { short },
                brief: brief(self.reading.request.hint_action),
                why,
                keys,
                is_in_text,
                ..DraftEntry::default()
            });
        }
        Draft { kind: BlockKind::Expansion, entries }
    }

    /// Block 2: hints. Adds those by meaning to `metadata`.
    fn hints(&self, found: &Findings, metadata: &mut Metadata) -> Draft {
        let ctx = &self.reading.ctx;
        let mut why = self.matched_tags(found);
        let ranking = ranking(ctx, found, &self.reading.read);
        let mut entries = Vec::new();
        for (hint, looked_up) in ranking.hints.iter().zip(self.look_up(&ranking)) {
            let Some((source, keys, news)) = looked_up else { continue };
            let mut why = why.remove(hint.id).unwrap_or_default();
            // The index must not reveal a text that may not be read.
            let meaning = hint.scored.filter(|_| is_readable(source)).map(|scored| Meaning {
                conversation: hint.recurring.map(Score::from),
                ..Meaning::new(scored, ranking.needed(scored), ctx.places)
            });
            if let (None, Some(meaning), None) = (hint.tags, &meaning, hint.rejected) {
                let (score, heading, line) = (meaning.score, meaning.heading.clone(), meaning.line);
                let matched = SemanticMatch { score, heading, line };
                metadata.semantic_matched_references.push((source.id.clone(), matched));
            }
            if news {
                let entry = self.hint_entry(hint, source, meaning.as_ref());
                why.extend(meaning.map(MatchReason::Meaning));
                entries.push(DraftEntry { why, keys, ..entry });
            }
        }
        Draft { kind: BlockKind::Hint, entries }
    }

    /// The tags of each source in the text, with their places.
    fn matched_tags<'f>(&self, found: &'f Findings) -> HashMap<&'f str, Vec<MatchReason>> {
        let offsets: Vec<usize> = found.hints.iter().flat_map(|hint| hint.firsts.iter().copied()).collect();
        let mut places = lines::places(self.reading.request.text, &offsets).into_iter();
        let mut matched = HashMap::new();
        for hint in &found.hints {
            let tags = hint.tags.iter().zip(places.by_ref().take(hint.firsts.len()));
            let tag = |(tag, (line, column)): (&String, _)| MatchReason::Tag { tag: tag.clone(), line, column };
            matched.insert(hint.id.as_str(), tags.map(tag).collect());
        }
        matched
    }

    /// The source of each hint, its memory keys, and whether it is new to the session.
    fn look_up(&self, ranking: &Ranking) -> Vec<Option<(&Source, Vec<MemoryKey>, bool)>> {
        let ctx = &self.reading.ctx;
        // Look up folders first, in order: their walks share a budget.
        let sources = ranking.hints.iter().filter_map(|hint| ctx.catalog.get(hint.id));
        if !self.reading.request.repeat {
            sources.filter(|source| source.is_directory()).for_each(|source| drop(ctx.places.files(source)));
        }
        // In parallel: without an index, a tag of a thousand sources reads a thousand documents here. A later match by
        // another tag of the same source is not new.
        let looked_up = ranking.hints.par_iter().map(|hint| {
            let source = ctx.catalog.get(hint.id)?;
            let (keys, news) = self.keys(HINT, source, &print::brief_line(source));
            Some((source, keys, news))
        });
        looked_up.collect()
    }

    /// The texts of a hint.
    fn hint_entry(&self, hint: &RankedHint, source: &Source, meaning: Option<&Meaning>) -> DraftEntry {
        let brief = print::brief_line(source);
        let full = match (hint.tags, meaning) {
            (Some(hint), _) => print::hint(source, &hint.tags),
            (None, Some(meaning)) => print::hint_about(source, meaning),
            (None, None) => brief.clone(),
        };
        let reads = self.reading.request.hint_action == HintAction::Read && hint.rejected.is_none();
        let place = if reads { print::place_and_price(source, self.reading.ctx.places) } else { String::new() };
        let injected = &self.reading.injected;
        let begins = |mark: &&str| injected.has_beginning(&print::beginning(source, mark));
        let is_in_text =
            injected.has(&full) || injected.has(&brief) || [print::MATCHED, print::ABOUT].iter().any(begins);
        DraftEntry {
            about: source.id.to_string(),
            brief: brief + &place,
            full: full + &place,
            is_in_text,
            brief_is_enough: true,
            rejected: hint.rejected,
            ..DraftEntry::default()
        }
    }

    /// Block 3: the notice. Adds the sources and their parents to `metadata`.
    fn notice(&self, metadata: &mut Metadata) -> Draft {
        let EnrichContext { selection, catalog, .. } = self.reading.ctx;
        let injected = &self.reading.injected;
        let transitive: Vec<&SelectedSource> =
            selection.members().iter().filter(|it| it.role == Role::Transitive).collect();
        let entries = transitive.into_par_iter().filter_map(|member| {
            let id = member.id.as_str();
            let source = catalog.get(id)?;
            if !self.reading.request.repeat && self.memory.was_announced(id) {
                return None;
            }
            let brief = print::brief_line(source);
            let entry = DraftEntry {
                about: id.to_owned(),
                full: print::notice(source, member.parents.iter().map(SourceId::as_str)),
                is_in_text: injected.has_beginning(&print::beginning(source, print::PARENTS)) || injected.has(&brief),
                brief,
                why: vec![MatchReason::Parents { chain: chain(selection, member) }],
                keys: vec![MemoryKey::Announced(id.to_owned())],
                brief_is_enough: true,
                ..DraftEntry::default()
            };
            Some((member, entry))
        });
        let entries: Vec<(&SelectedSource, DraftEntry)> = entries.collect();
        let news = entries.iter().filter(|(_, entry)| !entry.is_in_text);
        metadata.transitive_references.extend(news.map(|(member, _)| (member.id.clone(), member.parents.clone())));
        let entries = entries.into_iter().map(|(_, entry)| entry).collect();
        Draft { kind: BlockKind::Notice, entries }
    }
}

/// Ranks the hints for a text with these findings. `read` are the sources that the text is, in full.
pub(super) fn ranking<'a>(ctx: &EnrichContext<'a>, found: &'a Findings, read: &[&Source]) -> Ranking<'a> {
    let EnrichContext { catalog, selection, about, exclude_hints, hint_settings, .. } = *ctx;
    let mentioned: HashSet<&str> = found.expansions.iter().map(|it| it.id.as_str()).collect();
    // A missing source keeps its tag hint, which reports that it is missing.
    let is_closed = |source: &Source| {
        source.place().is_some_and(|place| matches!(place.state, PathState::Untrusted | PathState::Reserved))
    };
    let is_text = |id: &str| read.iter().any(|source| source.id.as_str() == id);
    let may_be_read = |id: &str| catalog.get(id).is_some_and(|source| !is_closed(source));
    let may_be_hinted = |id: &str| {
        let is_open = |source: &Source| source.mode == Mode::Selectable && is_readable(source);
        !exclude_hints
            && !mentioned.contains(id)
            && !selection.contains(id)
            && !selection.is_excluded(id)
            && !is_text(id)
            && catalog.get(id).is_some_and(is_open)
    };
    let states = SourceStates {
        may_be_read: &may_be_read,
        may_be_hinted: &may_be_hinted,
        is_text: &is_text,
        is_given: &|id| selection.contains(id),
        depth: &|id| catalog.get(id).map_or(0, Source::depth),
        contains: &|id, path| {
            let place = catalog.get(id).and_then(Source::place);
            place.is_some_and(|place| Path::new(path).starts_with(&place.resolved))
        },
    };
    rank(&found.hints, about, hint_settings, states)
}

/// Whether a source's text can be read or fetched.
pub(super) fn is_readable(source: &Source) -> bool {
    source.place().is_none_or(|place| place.state.is_open())
}

/// The ids from a transitive source's reason up to the pick that pulled it in.
pub(super) fn chain(selection: &Selection, member: &SelectedSource) -> Vec<String> {
    let mut chain = Vec::new();
    let mut next = member.reason.as_ref();
    while let Some(member) = next.and_then(|id| selection.member(id.as_str())) {
        chain.push(member.id.to_string());
        next = member.reason.as_ref();
    }
    chain
}
