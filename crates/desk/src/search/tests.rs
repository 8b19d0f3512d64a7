//! Which hits fit into an answer, and how the journal records it.

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
        fence: None,
        score: 0.1,
        because: Vec::new(),
        readable: !excerpt.is_empty(),
        selected: false,
        tokens: 0,
        subject: None,
        columns: Vec::new(),
        join: None,
        fix: Fix::None,
    };
    SearchAnswer {
        query: "q".to_owned(),
        mode: SearchMode::Words,
        hits: excerpts.iter().enumerate().map(hit).collect(),
        tokens_used: 0,
        partial: None,
        notes: Vec::new(),
        explains_no_hits: false,
    }
}

fn fitted(most: Option<u64>, frame: u64) -> SearchAnswer {
    let mut answer = answer(&["# Title\n\none two three four five six seven\nand more of it", "short", ""]);
    answer.fit(most, frame, |hit| hit.to_text().len());
    answer
}

#[test]
fn hits_that_do_not_fit_are_left_out_and_counted() {
    let whole = fitted(None, 10);
    assert_eq!(whole.tokens_used, 10 + whole.hits.iter().map(|hit| hit.tokens).sum::<u64>());
    assert!(whole.notes.is_empty());
    for most in 0..whole.tokens_used + 5 {
        let answer = fitted(Some(most), 10);
        assert!(answer.tokens_used <= most, "{most}: {answer:?}");
        assert_eq!(answer.notes.is_empty(), answer.hits == whole.hits, "{most}: {answer:?}");
    }
    let one_less = fitted(Some(whole.tokens_used - 1), 10);
    assert_eq!(one_less.notes, ["1 excerpt is cut to one line."]);
    assert_eq!(one_less.hits[0].excerpt, "one two three four five six seven");
    let least = (0..).find(|most| !fitted(Some(*most), 10).hits.is_empty()).unwrap();
    assert_eq!(fitted(Some(9), 10).notes, [format!("Even the best hit needs more tokens than that: ~{least}.")]);
}

#[test]
fn the_lists_of_an_answer_are_those_of_its_hits() {
    let placed = |lists: &[RankedList]| {
        let rank = |list: &RankedList| HitRank { list: *list, rank: 1, score: 0.1, words: Vec::new(), cosine: None };
        SearchHit { because: lists.iter().map(rank).collect(), ..answer(&["x"]).hits.remove(0) }
    };
    let (named, similar) = (placed(&[RankedList::Name]), placed(&[RankedList::Meaning]));
    let both = placed(&[RankedList::Meaning, RankedList::Name]);
    for (hits, expected) in [
        (vec![named.clone()], SearchMode::Words),
        (vec![named, similar.clone()], SearchMode::Hybrid),
        (vec![similar], SearchMode::Meaning),
        (vec![both], SearchMode::Hybrid),
        (vec![], SearchMode::Hybrid),
    ] {
        assert_eq!(mode_of(SearchMode::Hybrid, &hits), expected, "{hits:?}");
    }
}

#[test]
fn each_answer_is_journalled_about_the_quoted_sources_each_once() {
    for (excerpts, about, reason) in [
        (&["one", "two", "three", ""][..], &["s0", "s1"][..], ""),
        (&["one", "two", "", ""], &["s0"], "1 source named without a text"),
        (&["", "", "", "", ""], &[], "3 sources named without a text"),
        (&[], &[], ""),
    ] {
        let receipt = SearchAnswer { tokens_used: 7, ..answer(excerpts) }.receipt("search", 123);
        assert_eq!(
            (receipt.about.as_slice(), receipt.reason.as_str()),
            (&about.iter().map(ToString::to_string).collect::<Vec<_>>()[..], reason)
        );
        assert_eq!((receipt.bytes, receipt.tokens), (123, 7), "the tokens that the answer counts");
    }
}
