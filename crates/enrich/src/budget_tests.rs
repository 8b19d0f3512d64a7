//! Laws of the budget: it is never exceeded, no entry is cut, everything left out is counted, and a larger budget never
//! gives up more of what goes last. Also the order of reductions.

use std::time::Instant;

use proptest::prelude::*;

use super::budget::{Budget, FittedDrafts, fit, steps};
use super::chain::{HintAction, TextKind};
use super::draft::{BlockKind, Draft, DraftEntry, Level};
use super::print::{self, BlockWording};

const KINDS: [BlockKind; 7] = [
    BlockKind::Instruction,
    BlockKind::Available,
    BlockKind::Expansion,
    BlockKind::Hint,
    BlockKind::Notice,
    BlockKind::Context,
    BlockKind::Templates,
];

fn entry(about: String, full: String, brief: String, weight: f64) -> DraftEntry {
    DraftEntry {
        about,
        full,
        brief,
        why: Vec::new(),
        keys: Vec::new(),
        is_in_text: false,
        brief_is_enough: true,
        weight,
        rejected: None,
    }
}

/// A kind and its entries, each as length of the full form, length of the short form, and weight.
type Shape = (BlockKind, Vec<(usize, usize, u8)>);

/// Entries such as `«hint 3 full xxxx»`: no entry's text is contained in another's.
fn drafts(shape: &[Shape]) -> Vec<Draft> {
    let draft = |(kind, entries): &Shape| {
        let entries = entries.iter().enumerate().map(|(at, (full, brief, weight))| {
            let words = |form: &str, length: &usize| format!("«{} {at} {form}{}»", kind.word(), "é😀x".repeat(*length));
            let weight = if *weight > 3 { f64::INFINITY } else { f64::from(*weight) };
            entry(at.to_string(), words("full", full), words("brief", brief), weight)
        });
        Draft { kind: *kind, entries: entries.collect() }
    };
    shape.iter().map(draft).filter(|draft| !draft.entries.is_empty()).collect()
}

fn shapes() -> impl Strategy<Value = Vec<Shape>> {
    let entries = || prop::collection::vec((0usize..12, 0usize..12, 0u8..6), 0..9);
    prop::collection::vec(entries(), KINDS.len()).prop_map(|all| KINDS.into_iter().zip(all).collect())
}

fn fitted(drafts: &[Draft], budget: Budget) -> FittedDrafts {
    let wording = BlockWording { kind: TextKind::Prompt, hint_action: HintAction::Select };
    fit(&mut drafts.to_vec(), budget, wording, |_| ())
}

fn chars(text: &str) -> usize {
    text.encode_utf16().count()
}

fn tokens(fitted: &FittedDrafts) -> usize {
    fitted.blocks.iter().map(|block| block.tokens).sum()
}

/// Whether each reduction, in their order, was made.
fn made(drafts: &[Draft], fitted: &FittedDrafts) -> Vec<bool> {
    let starts: Vec<usize> =
        (0..drafts.len()).map(|nth| drafts[..nth].iter().map(|it| it.entries.len()).sum()).collect();
    steps(drafts).iter().map(|step| fitted.items[starts[step.draft] + step.entry].level >= step.level).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn printed_entries_fit_the_budget_and_are_whole(
        shape in shapes(),
        most_chars in prop::option::of(0usize..2500),
        most_tokens in prop::option::of(0usize..900),
    ) {
        let drafts = drafts(&shape);
        let budget = Budget { chars: most_chars, tokens: most_tokens };
        let said = fitted(&drafts, budget);
        prop_assert!(most_chars.is_none_or(|most| chars(&said.text) <= most));
        prop_assert!(most_tokens.is_none_or(|most| tokens(&said) <= most));
        prop_assert_eq!(&fitted(&drafts, budget), &said);
        // An entry is reported as printed: whole and once.
        let entries: Vec<_> = drafts.iter().flat_map(|draft| &draft.entries).collect();
        prop_assert_eq!(entries.len(), said.items.len());
        let silent = said.blocks.is_empty();
        for (entry, item) in entries.iter().zip(&said.items) {
            for (words, level) in [(&entry.full, Level::Full), (&entry.brief, Level::Brief)] {
                prop_assert_eq!(said.text.matches(words.as_str()).count(), usize::from(item.level == level));
            }
            prop_assert!(!silent || item.level == Level::Count);
        }
        prop_assert_eq!(said.text.matches('«').count(), said.text.matches('»').count());
        // Left-out entries are counted exactly, by kind.
        let counts: Vec<_> = drafts.iter().filter_map(|draft| {
            let gone = said.items.iter().filter(|item| item.block == draft.kind && item.level == Level::Count).count();
            (gone > 0).then_some((draft.kind, gone))
        }).collect();
        let line = if counts.is_empty() || silent { String::new() } else { print::left_out(&counts, 0, TextKind::Prompt) };
        prop_assert!(said.text.ends_with(&line));
        prop_assert_eq!(said.text.contains(print::LEFT_OUT), !line.is_empty());
        // Blocks follow each other without a gap, and report the lowest level of their entries.
        let mut at = 0;
        for block in &said.blocks {
            prop_assert_eq!((block.start, block.tokens), (at, block.bytes.div_ceil(4)));
            at += block.bytes;
            let of_kind = said.items.iter().filter(|item| item.block == block.kind).map(|item| item.level);
            prop_assert_eq!(of_kind.max().unwrap_or(Level::Count), block.level);
        }
        prop_assert_eq!(at, said.text.len());
    }

    #[test]
    fn a_larger_budget_never_gives_up_more_of_what_goes_last(shape in shapes(), one in 0usize..2500, other in 0usize..2500) {
        let drafts = drafts(&shape);
        let (less, more) = (one.min(other), one.max(other));
        for budget in [
            |most| Budget { chars: Some(most), tokens: None },
            |most| Budget { chars: None, tokens: Some(most / 3) },
            |most| Budget { chars: Some(most), tokens: Some(most / 3) },
        ] {
            let (small, large) = (fitted(&drafts, budget(less)), fitted(&drafts, budget(more)));
            let pairs = made(&drafts, &large).into_iter().zip(made(&drafts, &small));
            let last = pairs.rev().find(|(large, small)| large != small);
            prop_assert!(last.is_none_or(|(large, small)| small && !large));
            prop_assert!(!large.blocks.is_empty() || small.blocks.is_empty());
        }
    }

    #[test]
    fn nothing_is_reduced_if_everything_fits(shape in shapes()) {
        let drafts = drafts(&shape);
        let whole = fitted(&drafts, Budget::default());
        prop_assert!(whole.items.iter().all(|item| item.level == Level::Full));
        let enough = Budget { chars: Some(chars(&whole.text)), tokens: Some(tokens(&whole)) };
        prop_assert_eq!(fitted(&drafts, enough), whole);
    }
}

#[test]
fn the_order_of_reductions() {
    let all: Vec<_> = KINDS.iter().map(|kind| (*kind, vec![(9, 1, 1), (9, 1, 0), (9, 1, 0)])).collect();
    let mut drafts = drafts(&all);
    // The last remaining instruction is of a picked source: an infinite weight exceeds that of any depth.
    drafts[0].entries[0].weight = f64::INFINITY;
    let whole = chars(&fitted(&drafts, Budget::default()).text);
    let of_kind = |kind: &str| {
        let pass = |level: &str| ["2", "1", "0"].map(|at| format!("{kind} {at} {level}"));
        [pass("Brief"), pass("Count")].concat()
    };
    let mut expected: Vec<String> = of_kind("hint");
    let ats = ["2", "1", "0"];
    expected.extend(ats.map(|at| format!("available {at} Brief")));
    expected.extend(["templates", "notice", "context", "expansion"].into_iter().flat_map(of_kind));
    expected.extend(["2 Brief", "1 Brief", "2 Count", "1 Count"].map(|it| format!("instruction {it}")));
    expected.extend(ats.map(|at| format!("available {at} Count")));
    expected.extend(["0 Brief", "0 Count"].map(|it| format!("instruction {it}")));
    let order = |step: &String| expected.iter().position(|it| it == step).unwrap();
    let mut seen: Vec<Vec<String>> = Vec::new();
    for most in (0..whole).rev() {
        let now = fitted(&drafts, Budget { chars: Some(most), tokens: None });
        if now.blocks.is_empty() {
            break;
        }
        let mut given_up = Vec::new();
        for item in now.items {
            let of = format!("{} {}", item.block.word(), item.about);
            given_up.extend((item.level >= Level::Brief).then(|| format!("{of} Brief")));
            given_up.extend((item.level == Level::Count).then(|| format!("{of} Count")));
        }
        given_up.sort_by_key(|step| order(step));
        seen.push(given_up);
    }
    // One step may need several reductions, and some of the earlier ones are not needed then.
    let last = |given_up: &Vec<String>| given_up.last().map(order);
    assert!(seen.iter().map(last).is_sorted(), "{seen:#?}");
    assert_eq!(seen.last().map(Vec::len), Some(expected.len()), "all but the line that counts it");
}

#[test]
fn one_long_entry_does_not_take_the_others_with_it() {
    use BlockKind::{Available, Expansion, Hint, Instruction, Templates};
    // Length of the full and of the short form, and weight; what is printed of each, in the order of the drafts.
    let (long, short, picked) = ((3_000, 1, 1), (5, 1, 1), (3_000, 1, 9));
    for (shape, expected) in [
        (&[(Instruction, &[picked, short, short][..]), (Available, &[short]), (Templates, &[short])][..], "bff f f"),
        (&[(Instruction, &[short, long, short]), (Available, &[short])], "fbf f"),
        (&[(Expansion, &[short, long, short]), (Hint, &[short, short])], "fbf ff"),
        (&[(Expansion, &[long, long]), (Templates, &[(400, 1, 0), short, (400, 1, 0)])], "bb ffb"),
        // A hint does not replace a more relevant one.
        (&[(Hint, &[(5, 1, 1), (300, 300, 3), (250, 250, 2), (5, 1, 0)])], "cfcc"),
    ] {
        let shape: Vec<Shape> = shape.iter().map(|(kind, entries)| (*kind, entries.to_vec())).collect();
        let drafts = drafts(&shape);
        let said = fitted(&drafts, Budget { chars: Some(2_200), tokens: None });
        let level = |level: Level| ["f", "b", "c"][level as usize];
        let mut levels = said.items.iter().map(|item| level(item.level));
        let printed = drafts.iter().map(|draft| levels.by_ref().take(draft.entries.len()).collect::<String>());
        assert_eq!(printed.collect::<Vec<_>>().join(" "), expected, "{shape:?}: {}", said.text);
    }
}

#[test]
fn a_longer_short_form_is_not_a_step() {
    let long = entry("a".into(), "short".into(), "a short form that is longer than the full one".into(), 0.0);
    let drafts = [Draft { kind: BlockKind::Expansion, entries: vec![long.clone(), long] }];
    for most in 0..400 {
        let said = fitted(&drafts, Budget { chars: Some(most), tokens: None });
        assert!(said.items.iter().all(|item| item.level != Level::Brief), "{most}");
        assert!(chars(&said.text) <= most);
    }
}

#[test]
fn nothing_is_printed_if_the_count_itself_does_not_fit() {
    let one = entry("a".into(), "x".repeat(1000), "a".into(), 0.0);
    let drafts = [Draft { kind: BlockKind::Hint, entries: vec![one] }];
    let line = chars(&print::left_out(&[(BlockKind::Hint, 1)], 0, TextKind::Prompt));
    let said = |most| fitted(&drafts, Budget { chars: Some(most), tokens: None });
    assert_eq!((said(line).blocks.len(), chars(&said(line).text)), (1, line));
    assert_eq!((said(line - 1).text, said(line - 1).items[0].level), (String::new(), Level::Count));
}

#[test]
fn ten_thousand_entries_are_fast() {
    let many: Vec<_> = (0..10_000).map(|_| (8, 1, 1)).collect();
    let drafts = drafts(&[(BlockKind::Hint, many.clone()), (BlockKind::Templates, many)]);
    let start = Instant::now();
    let said = fitted(&drafts, Budget { chars: Some(9_000), tokens: None });
    let spent = start.elapsed();
    assert!(chars(&said.text) <= 9_000 && chars(&said.text) > 8_900);
    // Takes about 0.3 s without optimisation; recomputing the size at each step would take minutes.
    assert!(spent.as_secs() < 10, "{spent:?}");
}
