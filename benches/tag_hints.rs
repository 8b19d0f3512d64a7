//! Tag hints at scale: at least 200 MB/s of text with 300 tags and 50 MB/s with 30,000, once the matcher is built; and
//! 10,000 sources with 3 tags each on a prompt of 20 KB. Each figure shows the automaton used and its size.

#![allow(missing_docs, clippy::print_stdout, reason = "a benchmark prints")]

use std::hint::black_box;
use std::path::Path;
use std::time::Instant;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use refdesk_core::catalog::{Catalog, Mode, ShortText, Source, SourceDefinition, SourceKind};
use refdesk_core::selection::Selection;
use refdesk_enrich::Matcher;

const SYLLABLES: [&str; 16] =
    ["ar", "be", "cor", "da", "en", "fra", "go", "hu", "in", "ja", "kel", "lo", "mar", "net", "or", "pi"];

/// A small generator with a fixed seed, so that figures are reproducible.
struct SeededRng(u64);

impl SeededRng {
    fn roll(&mut self, sides: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap_or(0) % sides
    }

    fn word(&mut self) -> String {
        (0..2 + self.roll(3)).map(|_| SYLLABLES.get(self.roll(SYLLABLES.len())).copied().unwrap_or("x")).collect()
    }
}

/// Sources with three tags each: a word, two words, and a word with a number that makes it rare.
fn catalog(sources: usize) -> Catalog {
    let mut dice = SeededRng(7);
    let source = |i: usize| Source {
        id: format!("source-{i:05}").into(),
        name: format!("Source {i}").into(),
        description: String::new(),
        mode: Mode::Selectable,
        tags: [dice.word(), format!("{} {}", dice.word(), dice.word()), format!("{}-{i}", dice.word())]
            .map(Into::into)
            .to_vec(),
        kind: SourceKind::Url { url: "https://example.org".into() },
        fetch_hint: None,
        contents: None,
        origin: SourceDefinition { file: Path::new("references.json").into(), entry: None },
    };
    Catalog::new((0..sources).map(source).collect())
}

/// Words of technical prose, none of which is a tag.
const ENGLISH: &str = "When the gateway restarts it replays every entry from its ledger, and only then accepts new requests. \
A slow consumer never blocks the others: each has a queue of its own, bounded, with a policy for what happens when it is \
full. Operators should read the release notes before they upgrade, since defaults change between versions and the old \
names are kept for one year. If a deployment fails halfway, run the same command again; it continues where it stopped. \
Please review how errors travel through these layers, whether callers can tell a timeout from a refusal, and what the \
user sees. The configuration lives in config/settings.yaml, the scripts in ./tools/build.sh; see also https://example.org/docs.";

/// English prose of about `bytes` bytes, with many different words and few repeated sequences. One word in a hundred is
/// a tag of the catalog.
fn english(bytes: usize, catalog: &Catalog) -> String {
    let words: Vec<&str> = ENGLISH.split(' ').collect();
    let tags: Vec<&str> = catalog.sources().iter().flat_map(|source| &source.tags).map(ShortText::as_str).collect();
    let mut dice = SeededRng(13);
    let mut text = String::with_capacity(bytes + 32);
    while text.len() < bytes {
        let tag = (dice.roll(100) == 0).then(|| tags.get(dice.roll(tags.len()))).flatten();
        match tag {
            Some(tag) => text.push_str(tag),
            None => text.push_str(words.get(dice.roll(words.len())).copied().unwrap_or("x")),
        }
        text.push(if dice.roll(14) == 0 { '\n' } else { ' ' });
    }
    text
}

/// Checks the promised throughput, for a text with tags and for one without.
fn throughput(_: &mut Criterion) {
    const BYTES: usize = 8_000_000;
    let none = catalog(1);
    for (sources, promised) in [(100, 200.0), (10_000, 50.0)] {
        let catalog = catalog(sources);
        let matcher = Matcher::default();
        matcher.warm(&catalog, None);
        let (kind, patterns, size) = matcher.size(&catalog);
        let selection = Selection::default();
        for (what, text) in [("a word in a hundred a tag", english(BYTES, &catalog)), ("no tag", english(BYTES, &none))]
        {
            let mut times: Vec<f64> = (0..9)
                .map(|_| {
                    let began = Instant::now();
                    black_box(matcher.find(black_box(&text), &catalog, &selection, false));
                    began.elapsed().as_secs_f64()
                })
                .collect();
            times.sort_by(f64::total_cmp);
            let median = times.get(times.len() / 2).copied().unwrap_or(f64::MAX);
            let rate = text.len() as f64 / 1e6 / median;
            let verdict = if rate >= promised { "kept" } else { "NOT KEPT" };
            println!(
                "{patterns} tags, {kind} of {} KiB, {what}: {rate:.0} MB/s, promised at least {promised} MB/s: {verdict}",
                size / 1024
            );
        }
    }
}

/// Prose of about `bytes` bytes: sentences, line breaks, and one word in fifty that may be a tag.
fn prose(bytes: usize) -> String {
    const PLAIN: [&str; 12] =
        ["the", "service", "reads", "every", "order", "and", "writes", "its", "answer", "into", "a", "Queue"];
    let mut dice = SeededRng(11);
    let mut text = String::with_capacity(bytes + 32);
    while text.len() < bytes {
        match dice.roll(50) {
            0 => text.push_str(&dice.word()),
            at => text.push_str(PLAIN.get(at % PLAIN.len()).copied().unwrap_or("x")),
        }
        text.push_str(match dice.roll(14) {
            0 => ".\n",
            1 => ", ",
            _ => " ",
        });
    }
    text
}

fn tag_hints(c: &mut Criterion) {
    let selection = Selection::default();
    let mut group = c.benchmark_group("tag_hints");
    for (sources, bytes) in [(10_000, 20_000), (10_000, 1_000_000), (100, 20_000), (100, 1_000_000)] {
        let (catalog, text) = (catalog(sources), prose(bytes));
        let matcher = Matcher::default();
        matcher.warm(&catalog, None);
        let (kind, patterns, size) = matcher.size(&catalog);
        let name = format!("{patterns} tags, {kind} of {} KiB", size / 1024);
        group.throughput(Throughput::Bytes(text.len() as u64));
        group.bench_function(BenchmarkId::new(name, bytes), |bencher| {
            bencher.iter(|| matcher.find(black_box(&text), &catalog, &selection, false));
        });
        // Includes the sources that are passed over, as the screen does after each key in a prompt.
        let name = format!("{patterns} tags, with those passed over");
        group.bench_function(BenchmarkId::new(name, bytes), |bencher| {
            bencher.iter(|| matcher.candidates(black_box(&text), &catalog, &selection, false));
        });
    }
    group.finish();
    let (catalog, text) = (catalog(10_000), prose(20_000));
    c.bench_function("the first text of 10,000 sources, nothing built", |bencher| {
        bencher.iter(|| Matcher::default().find(black_box(&text), &catalog, &selection, false));
    });
    c.bench_function("building the automata of 10,000 sources", |bencher| {
        bencher.iter(|| Matcher::default().warm(black_box(&catalog), None));
    });
}

criterion_group!(benches, throughput, tag_hints);
criterion_main!(benches);
