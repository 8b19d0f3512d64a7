//! Tag hints at size: 10,000 sources of 3 tags each on a prompt of 20 KB, and the throughput of the scan with few tags
//! and with many. Each figure names the automaton that ran and how big it is.

use std::hint::black_box;
use std::path::Path;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use refdesk::catalog::{Catalog, Kind, Mode, Origin, Source};
use refdesk::enrich::Matcher;
use refdesk::selection::Selection;

const SYLLABLES: [&str; 16] =
    ["ar", "be", "cor", "da", "en", "fra", "go", "hu", "in", "ja", "kel", "lo", "mar", "net", "or", "pi"];

/// Small, seeded and the same everywhere: a figure should not depend on luck.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap_or(0) % sides
    }

    fn word(&mut self) -> String {
        (0..2 + self.roll(3)).map(|_| SYLLABLES.get(self.roll(SYLLABLES.len())).copied().unwrap_or("x")).collect()
    }
}

/// Sources of three tags: a word, two words, a word with a number that makes it rare.
fn catalog(sources: usize) -> Catalog {
    let mut dice = Dice(7);
    let source = |i: usize| Source {
        id: format!("source-{i:05}").into(),
        name: format!("Source {i}"),
        description: String::new(),
        mode: Mode::Selectable,
        tags: vec![dice.word(), format!("{} {}", dice.word(), dice.word()), format!("{}-{i}", dice.word())],
        kind: Kind::Url { url: "https://example.org".into() },
        fetch_hint: None,
        contents: None,
        origin: Origin { file: Path::new("references.json").into(), entry: None },
    };
    Catalog::new((0..sources).map(source).collect())
}

/// Prose of about `bytes`: sentences, line breaks, and a word in fifty that may be a tag.
fn prose(bytes: usize) -> String {
    const PLAIN: [&str; 12] =
        ["the", "service", "reads", "every", "order", "and", "writes", "its", "answer", "into", "a", "Queue"];
    let mut dice = Dice(11);
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
        // What the screen asks after each key in a prompt: also who is passed over.
        let name = format!("{patterns} tags, with who is passed over");
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

criterion_group!(benches, tag_hints);
criterion_main!(benches);
