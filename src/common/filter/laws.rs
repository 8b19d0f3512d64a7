//! Laws that hold for every filter and every order over every catalog.

use std::collections::HashMap;
use std::sync::Arc;

use proptest::prelude::*;

use crate::fixture;
use refdesk_core::catalog::{Catalog, Mode, PathState, Source, SourceId};
use refdesk_desk::engine::Snapshot;
use refdesk_text::fold::{collapsed, same_tag, tag_key};

use crate::common::filter::{FilterResult, Haystack, MatchMarker, Order, Query, apply};

const WORDS: &str = "[abcAB12é\u{301}ß日👍\u{200d} _-]{0,12}";

fn any_source() -> impl Strategy<Value = (String, String, Vec<String>, String)> {
    let sentence = "[abcde ABé.]{0,60}";
    ("[abc12é日-]{1,8}", WORDS, proptest::collection::vec("[abAé _-]{0,5}", 0..4), sentence)
}

fn any_snapshot() -> impl Strategy<Value = Snapshot> {
    let sources = proptest::collection::vec(any_source(), 0..12);
    (sources, proptest::collection::vec(0..12usize, 0..5)).prop_map(|(sources, chosen)| {
        let of = |(nth, (id, name, tags, description)): (usize, (String, String, Vec<String>, String))| {
            let standing = if nth % 5 == 0 { PathState::Missing } else { PathState::File };
            let mode = if nth % 7 == 0 { Mode::Auto } else { Mode::Selectable };
            let tags: Vec<&str> = tags.iter().map(String::as_str).collect();
            Source { description, ..fixture::source(&id, &name, mode, &tags, fixture::local("a.md", standing)) }
        };
        let catalog = Catalog::new(sources.into_iter().enumerate().map(of).collect());
        let ids: Vec<SourceId> = catalog.sources().iter().map(|source| source.id.clone()).collect();
        let chosen: Vec<&SourceId> = chosen.iter().filter_map(|at| ids.get(*at)).collect();
        let members = chosen.iter().map(|id| fixture::member(id.as_str(), 0, &[])).collect();
        let tokens: HashMap<SourceId, u64> =
            chosen.iter().map(|id| ((*id).clone(), id.as_str().len() as u64)).collect();
        Snapshot {
            catalog: Arc::new(catalog),
            selection: Arc::new(fixture::selection(members, &[], &[])),
            tokens: Arc::new(tokens),
            ..Snapshot::default()
        }
    })
}

fn any_line() -> impl Strategy<Value = String> {
    let term = prop_oneof![
        6 => "[abcAB12é\u{301}日]{1,5}",
        1 => "\"[ab é]{0,4}\"?",
        2 => "#[abé_-]{0,3}",
        1 => proptest::sample::select(&["missing", "picked", "available", "type:l", "type:", "mode:auto", "is:", "!", "tokens:>2", "|"][..])
            .prop_map(str::to_owned),
    ];
    let term = (any::<bool>(), term).prop_map(|(negated, term)| if negated { format!("!{term}") } else { term });
    proptest::collection::vec(term, 0..4).prop_map(|terms| terms.join(" "))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, ..ProptestConfig::default() })]
    #[test]
    fn narrowing_equals_filtering_from_scratch(snapshot in any_snapshot(), line in any_line(), other in any_line()) {
        let haystack = Haystack::of(&snapshot.catalog);
        let mut before: Option<FilterResult> = None;
        let beginnings = line.char_indices().map(|(at, c)| &line[..at + c.len_utf8()]);
        for typed in beginnings.chain([other.as_str()]) {
            let anew = apply(&snapshot, &haystack, Query::parse(typed), None);
            let narrowed = apply(&snapshot, &haystack, Query::parse(typed), before.as_ref());
            prop_assert_eq!(&narrowed.rows, &anew.rows, "{:?}", typed);
            prop_assert_eq!(&narrowed.unmatched_clause, &anew.unmatched_clause);
            before = Some(narrowed);
        }
    }

    #[test]
    fn a_term_and_its_negation_partition_the_catalog(snapshot in any_snapshot(), tag in "[abé_-]{1,3}", word in "[abcé]{1,3}") {
        let haystack = Haystack::of(&snapshot.catalog);
        for term in [format!("#{tag}"), format!("\"{word}\""), "missing".to_owned(), "picked".to_owned()] {
            let rows = |line: &str| apply(&snapshot, &haystack, Query::parse(line), None).rows;
            let mut both = [rows(&term), rows(&format!("!{term}"))].concat();
            both.sort_unstable();
            if Query::parse(&term).fault.is_none() {
                prop_assert_eq!(both, (0..snapshot.catalog.len()).collect::<Vec<_>>(), "{}", term);
            }
        }
    }

    #[test]
    fn a_tag_is_exact_if_it_exists_else_a_prefix(snapshot in any_snapshot(), tag in "[abAé_-]{0,2}[abé]") {
        let haystack = Haystack::of(&snapshot.catalog);
        let mut rows = apply(&snapshot, &haystack, Query::parse(&format!("#{tag}")), None).rows;
        rows.sort_unstable();
        let having = |wanted: &dyn Fn(&str) -> bool| -> Vec<usize> {
            let sources = snapshot.catalog.sources().iter().enumerate();
            sources.filter(|(_, source)| source.tags.iter().any(|tag| wanted(tag))).map(|(at, _)| at).collect()
        };
        let whole = having(&|other| same_tag(&tag, other));
        let key = collapsed(&tag_key(&tag));
        let begun = having(&|other| collapsed(&tag_key(other)).starts_with(&key));
        prop_assert_eq!(rows, if whole.is_empty() { begun } else { whole });
    }

    #[test]
    fn marks_are_within_the_text(snapshot in any_snapshot(), line in any_line()) {
        let haystack = Haystack::of(&snapshot.catalog);
        let query = Query::parse(&line);
        let mut marker = MatchMarker::new(&query, Some(&haystack));
        for (at, source) in snapshot.catalog.sources().iter().enumerate() {
            let marks = marker.marks(at);
            let clusters = |text: &str| unicode_segmentation::UnicodeSegmentation::graphemes(text, true).count();
            for (marks, text) in [
                (&marks.id, source.id.as_str()),
                (&marks.name, &source.name),
                (&marks.tags, &source.tags.join(", ")),
                (&marks.description, &source.description),
            ] {
                prop_assert!(marks.iter().all(|mark| (*mark as usize) < clusters(text)), "{:?} in {:?}", marks, text);
                prop_assert!(marks.is_sorted());
            }
        }
    }

    #[test]
    fn an_order_is_a_stable_permutation(snapshot in any_snapshot()) {
        for order in [Order::Id, Order::Kind, Order::Tokens, Order::State] {
            let sequence = order.sequence(&snapshot).unwrap();
            let mut sorted = sequence.clone();
            sorted.sort_unstable();
            prop_assert_eq!(sorted, (0..snapshot.catalog.len()).collect::<Vec<_>>());
            if order == Order::Kind {
                prop_assert!(sequence.is_sorted(), "all are local here: equals keep their order");
            }
        }
    }
}
