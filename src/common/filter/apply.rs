//! Applies a filter to the catalog or the templates: which rows match, and how well.

use refdesk_desk::engine::Snapshot;

use crate::common::filter::haystack::{Haystack, MatchScore, TagPattern, TextMatcher, letters};
use crate::common::filter::query::{Bound, Clause, Query, StatusWord, Term, Test, TextTerm};
use crate::common::filter::source_states::SourceStates;

#[derive(Debug, Clone, Default)]
pub struct FilterResult {
    pub query: Query,
    /// Indices of matching rows, best first; in catalog order if the filter contains no text.
    pub rows: Vec<usize>,
    /// Indices, in catalog order, that a narrower filter can still match: the rows, and those whose letters are too far
    /// apart; `None` for all.
    candidates: Option<Vec<u32>>,
    /// If there are no rows: the first clause that matches nothing on its own.
    pub unmatched_clause: Option<String>,
    /// A sentence about what may be wrong with that clause.
    pub advice: Option<String>,
}

impl FilterResult {
    /// A filter without terms, which matches everything. Its rows are not listed.
    pub fn everything(query: Query) -> Self {
        Self { query, ..Self::default() }
    }
}

/// A term preprocessed for matching thousands of sources.
enum PreparedTerm<'q> {
    Text(&'q TextTerm, u32),
    Tag(TagPattern),
    Entry(&'q Test),
}

/// Applies a filter to this haystack. `before` is the result of another filter over the same haystack and selection.
pub fn apply(snapshot: &Snapshot, haystack: &Haystack, query: Query, before: Option<&FilterResult>) -> FilterResult {
    let before = before.filter(|before| query.narrows(&before.query));
    let mut kept = match before.and_then(|before| before.candidates.as_deref()) {
        Some(candidates) => among(snapshot, haystack, query, candidates.iter().copied()),
        None => among(snapshot, haystack, query, all(haystack)),
    };
    if kept.rows.is_empty() {
        let found = |clauses: Vec<Clause>| {
            !among(snapshot, haystack, Query { clauses, fault: None }, all(haystack)).rows.is_empty()
        };
        let unmatched_clause = match kept.query.clauses.as_slice() {
            [only] => Some(only),
            clauses => clauses.iter().find(|clause| !found(vec![(*clause).clone()])),
        };
        kept.advice =
            unmatched_clause.and_then(|clause| clause.alternatives.iter().find_map(|term| advice(term, found)));
        kept.unmatched_clause = unmatched_clause.map(Clause::written);
    }
    kept
}

/// Whether a filter matches an id that is not in the catalog, for which only its state is known.
pub fn keeps_id(query: &Query, id: &str, state: StatusWord, matcher: &mut TextMatcher) -> bool {
    let mut keeps = |term: &Term| {
        let holds = match &term.test {
            Test::Text(text) => matcher.has_id(id, text),
            Test::State(word) => *word == state,
            Test::Tag(_) | Test::Kind(_) | Test::Mode(_) | Test::Tokens(_) => false,
        };
        holds != term.negated
    };
    query.clauses.iter().all(|clause| clause.alternatives.iter().any(&mut keeps))
}

/// What may be wrong with a term that matches nothing.
fn advice(term: &Term, found: impl Fn(Vec<Clause>) -> bool) -> Option<String> {
    if let Some(name) = term.unknown_name() {
        return Some(format!("There is no term {name}:, only type:, mode:, is: and tokens: have a colon."));
    }
    let lower = term.written.to_lowercase();
    let is_case = lower != term.written && found(Query::parse(&lower).clauses);
    is_case.then(|| "Capitals match only capitals.".to_owned())
}

fn all(haystack: &Haystack) -> std::ops::Range<u32> {
    0..u32::try_from(haystack.len()).unwrap_or(u32::MAX)
}

fn among(
    snapshot: &Snapshot,
    haystack: &Haystack,
    query: Query,
    candidates: impl Iterator<Item = u32>,
) -> FilterResult {
    let standings = if query.depends_on_selection() { SourceStates::of(snapshot) } else { SourceStates::default() };
    // Cheap tests come first; text matching is the most expensive. The last term usually matches the fewest rows.
    let mut clauses: Vec<Vec<(bool, PreparedTerm)>> = query
        .clauses
        .iter()
        .rev()
        .map(|clause| clause.alternatives.iter().map(|term| (term.negated, prepared(haystack, term))).collect())
        .collect();
    clauses.sort_by_key(|clause| clause.iter().any(|(_, term)| matches!(term, PreparedTerm::Text(..))));
    let mut text_matcher = TextMatcher::default();
    let mut scored: Vec<(u32, u32)> = Vec::new();
    let mut considered = Vec::new();
    'sources: for candidate in candidates {
        let at = candidate as usize;
        let (mut score, mut scattered) = (0, false);
        for clause in &clauses {
            let mut best = MatchScore::No;
            for (negated, term) in clause {
                let fit = match term {
                    PreparedTerm::Text(text, wanted) => haystack.fit(at, text, *wanted, &mut text_matcher),
                    PreparedTerm::Tag(tag) => yes(haystack.has_tag(at, tag)),
                    PreparedTerm::Entry(test) => {
                        yes(haystack.source(at).is_some_and(|at| holds(snapshot, &standings, at, test)))
                    }
                };
                best = best.better(if *negated { yes(fit == MatchScore::No) } else { fit });
            }
            match best {
                MatchScore::Score(more) => score += more,
                MatchScore::Scattered => scattered = true,
                MatchScore::No => continue 'sources,
            }
        }
        considered.push(candidate);
        if !scattered {
            scored.push((u32::MAX - score, candidate));
        }
    }
    drop(clauses);
    scored.sort_unstable();
    shortest_first(haystack, &query, &mut scored);
    FilterResult {
        rows: scored.into_iter().map(|(_, at)| at as usize).collect(),
        candidates: Some(considered),
        unmatched_clause: None,
        advice: None,
        query,
    }
}

/// Among equally good rows, the shortest id is closest to the typed text.
fn shortest_first(haystack: &Haystack, query: &Query, scored: &mut [(u32, u32)]) {
    let text = query.texts().next();
    let (Some(text), Some((best, _))) = (text, scored.first().copied()) else { return };
    let equal = scored.partition_point(|(score, _)| *score == best);
    let Some(equal) = scored.get_mut(..equal) else { return };
    equal.sort_by_cached_key(|(_, at)| haystack.name_length(*at as usize, text).unwrap_or(u32::MAX));
}

fn prepared<'q>(haystack: &Haystack, term: &'q Term) -> PreparedTerm<'q> {
    match &term.test {
        // Only ASCII has letter masks.
        Test::Text(text) => PreparedTerm::Text(text, if text.needle.is_ascii() { letters(&text.needle) } else { 0 }),
        Test::Tag(key) => PreparedTerm::Tag(haystack.tag(key)),
        test => PreparedTerm::Entry(test),
    }
}

fn yes(holds: bool) -> MatchScore {
    if holds { MatchScore::Score(0) } else { MatchScore::No }
}

fn holds(snapshot: &Snapshot, standings: &SourceStates, at: usize, test: &Test) -> bool {
    let Some(source) = snapshot.catalog.sources().get(at) else { return false };
    match test {
        Test::Kind(word) => source.kind.word() == *word,
        Test::Mode(mode) => source.mode == *mode,
        Test::State(word) => standings.is(at, source, *word),
        Test::Tokens(bound) => snapshot.tokens.get(source.id.as_str()).is_some_and(|tokens| match bound {
            Bound::Above(limit) => tokens > limit,
            Bound::Below(limit) => tokens < limit,
        }),
        Test::Text(_) | Test::Tag(_) => true,
    }
}

#[cfg(test)]
mod tests {
    use crate::fixture;

    use super::*;

    fn kept(line: &str) -> Vec<String> {
        let snapshot = fixture::snapshot();
        let haystack = Haystack::of(&snapshot.catalog);
        let kept = apply(&snapshot, &haystack, Query::parse(line), None);
        kept.rows.iter().map(|at| snapshot.catalog.sources()[*at].id.to_string()).collect()
    }

    #[test]
    fn sources_kept_by_a_line() {
        for (line, ids) in [
            ("retry-pat", &["retry-pattern"][..]),
            ("cbreak", &["circuit-breaker"]),
            ("breaker Circ", &["circuit-breaker"]),
            ("JAVA", &[]),
            ("Java", &["java-service"]),
            ("latency", &["timeouts"]),
            ("\"Circuit B\"", &["circuit-breaker"]),
            ("\"breaker circuit\"", &[]),
            ("#java", &["circuit-breaker", "retry-pattern", "java-service"]),
            ("#ja", &["circuit-breaker", "retry-pattern", "java-service"]),
            ("#spring_BOOT", &["java-service"]),
            ("#av", &[]),
            ("#java !#retry", &["circuit-breaker", "java-service"]),
            ("#java !selected", &["java-service"]),
            ("#java !retry", &["circuit-breaker", "java-service"]),
            ("type:url", &["payments-api"]),
            ("type:m", &["ticket-search"]),
            ("mode:auto", &["team-conventions"]),
            ("auto", &["team-conventions"]),
            ("picked", &["circuit-breaker"]),
            ("pulled", &["retry-pattern", "timeouts", "error-handling", "legacy-errors"]),
            ("pulled !missing", &["retry-pattern", "timeouts", "error-handling"]),
            ("missing", &["legacy-errors"]),
            ("\"missing\"", &[]),
            ("excluded", &["release-notes"]),
            ("available", &["java-service", "payments-api", "ticket-search"]),
            ("dormant", &[]),
            ("type:foo #tickets", &["ticket-search"]),
            ("no-such-thing", &[]),
            ("#tickets | type:url", &["payments-api", "ticket-search"]),
            ("#tickets | cobol", &["ticket-search"]),
            ("picked | excluded !retry", &["circuit-breaker", "release-notes"]),
            ("#java !selected | missing", &["java-service"]),
            ("cobol | fortran", &[]),
        ] {
            assert_eq!(kept(line), ids, "{line}");
        }
        assert_eq!(kept("").len(), 10);
        assert_eq!(kept("type:foo").len(), 10, "what is not understood keeps everything");
    }

    #[test]
    fn sources_kept_by_their_tokens() {
        let prices = [("circuit-breaker", 4_999), ("retry-pattern", 5_000), ("timeouts", 5_001)];
        let tokens = prices.into_iter().map(|(id, tokens)| (id.into(), tokens)).collect();
        let snapshot = Snapshot { tokens: std::sync::Arc::new(tokens), ..fixture::snapshot() };
        let haystack = Haystack::of(&snapshot.catalog);
        let kept = |line: &str| {
            let kept = apply(&snapshot, &haystack, Query::parse(line), None);
            kept.rows.iter().map(|at| snapshot.catalog.sources()[*at].id.to_string()).collect::<Vec<_>>()
        };
        for (line, ids) in [
            ("tokens:>5k", &["timeouts"][..]),
            ("tokens:<5,000", &["circuit-breaker"]),
            ("tokens:>4999 !tokens:>5k", &["retry-pattern"]),
            ("tokens:<5k | tokens:>5k", &["circuit-breaker", "timeouts"]),
        ] {
            assert_eq!(kept(line), ids, "{line}");
        }
        let others = snapshot.catalog.len() - prices.len();
        assert_eq!(kept("!tokens:>1 !tokens:<1m").len(), others, "unknown prices are neither above nor below");
    }

    #[test]
    fn ids_outside_the_catalog_kept_by_a_line() {
        let mut matcher = TextMatcher::default();
        for (line, kept) in [
            ("", true),
            ("runbook", true),
            ("old run", true),
            ("orunbook", true),
            ("Old", false),
            ("!runbook", false),
            ("!retry", true),
            ("dormant", true),
            ("!dormant", false),
            ("is:excluded", false),
            ("old dormant", true),
            ("#java", false),
            ("!#java", true),
            ("type:local", false),
            ("mode:auto", false),
            ("auto", false),
            ("tokens:<1m", false),
            ("#java | old", true),
            ("#java | auto", false),
        ] {
            let query = Query::parse(line);
            assert_eq!(keeps_id(&query, "old-runbook", StatusWord::Dormant, &mut matcher), kept, "{line}");
        }
    }

    #[test]
    fn templates_kept_by_a_line() {
        let snapshot = fixture::snapshot();
        let haystack = Haystack::of_templates(&snapshot.templates, &snapshot.catalog);
        let kept = |line: &str| apply(&snapshot, &haystack, Query::parse(line), None).rows;
        for (line, rows) in [
            ("", &[0, 1][..]),
            ("breaker.java", &[0]),
            ("policy", &[1]),
            ("retry-pattern", &[1]),
            ("basepackage", &[0]),
            ("adr-005", &[1]),
            ("!yaml", &[0]),
            ("#resilience", &[0]),
            ("picked", &[0]),
            ("pulled type:local", &[1]),
            ("cobol", &[]),
        ] {
            assert_eq!(kept(line), rows, "{line}");
        }
    }

    #[test]
    fn letters_are_left_out_only_within_the_words_of_an_id_or_a_name() {
        for (line, ids) in [
            // `How calls to other systems stop when those fail, and when they begin again.`
            ("hwtsm", &[][..]),
            ("cat", &[]),
            ("otherfail", &[]),
            ("systm", &[]),
            ("begin", &["circuit-breaker"]),
            // Its tag is `latency`.
            ("latncy", &[]),
            ("laten", &["timeouts"]),
            ("ptrn", &["retry-pattern"]),
            ("rtrypat", &["retry-pattern"]),
            // `circuit-breaker` contains these letters, but in the middle of words.
            ("rcuiker", &[]),
            ("uitb", &[]),
            ("ckr", &[]),
        ] {
            assert_eq!(kept(line), ids, "{line}");
        }
    }

    #[test]
    fn the_best_match_comes_first_and_equals_keep_catalog_order() {
        assert_eq!(kept("errors"), ["legacy-errors", "error-handling"], "an id before a tag");
        assert_eq!(kept("java"), ["java-service", "circuit-breaker", "retry-pattern"]);
    }

    #[test]
    fn the_shortest_of_equally_good_ids_comes_first() {
        let source = |id: &str| {
            let kind = fixture::local("a.md", refdesk_core::catalog::PathState::File);
            fixture::source(id, "Same", refdesk_core::catalog::Mode::Selectable, &["timeout"], kind)
        };
        let ids = ["mod-code-003-timeout-java-with-validation", "mod-code-003-timeout-java", "\u{e9}-mod-003"];
        let catalog = refdesk_core::catalog::Catalog::new(ids.map(source).into());
        let haystack = Haystack::of(&catalog);
        let snapshot = Snapshot { catalog: std::sync::Arc::new(catalog), ..fixture::snapshot() };
        let rows = |line: &str| apply(&snapshot, &haystack, Query::parse(line), None).rows;
        for (line, expected) in
            [("mod-code", &[1, 0][..]), ("mod-code-003", &[1, 0]), ("#timeout", &[0, 1, 2]), ("same", &[0, 1, 2])]
        {
            assert_eq!(rows(line), expected, "{line}");
        }
    }

    #[test]
    fn a_term_that_matches_nothing_is_named() {
        let snapshot = fixture::snapshot();
        let haystack = Haystack::of(&snapshot.catalog);
        let unmatched_clause = |line: &str| apply(&snapshot, &haystack, Query::parse(line), None).unmatched_clause;
        assert_eq!(unmatched_clause("java cobol"), Some("cobol".to_owned()));
        assert_eq!(unmatched_clause("#java type:url"), None, "each fits something");
        assert_eq!(unmatched_clause("dormant"), Some("dormant".to_owned()));
        assert_eq!(unmatched_clause("java cobol  |  fortran"), Some("cobol | fortran".to_owned()));
    }

    #[test]
    fn a_term_that_matches_nothing_is_explained() {
        let snapshot = fixture::snapshot();
        let haystack = Haystack::of(&snapshot.catalog);
        let unknown =
            |name: &str| Some(format!("There is no term {name}:, only type:, mode:, is: and tokens: have a colon."));
        let capitals = || Some("Capitals match only capitals.".to_owned());
        for (line, advice) in [
            ("state:missing", unknown("state")),
            ("java kind:x", unknown("kind")),
            ("RETRY-pattern", capitals()),
            ("java LATENCY", capitals()),
            ("COBOL", None),
            ("cobol", None),
            ("12:30", None),
            ("\"kind:x\"", None),
            ("#java type:url", None),
        ] {
            let result = apply(&snapshot, &haystack, Query::parse(line), None);
            assert!(result.rows.is_empty(), "{line}");
            assert_eq!(result.advice, advice, "{line}");
        }
    }
}
