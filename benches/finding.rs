//! The search index: `hook` with hints by meaning over 1,000 sources and 5,000 sections, compared with `hook` without
//! them; `search` over 10,000 sections, compared with the `sqlite3` command line; the scan of 100,000 vectors; and how
//! fast an index is built, or found to be up to date, compared with `cat`. Whole processes, medians of alternating
//! runs, unless noted otherwise.

#![allow(missing_docs, clippy::restriction, reason = "a benchmark prints, and stops where it cannot measure")]

mod support;

use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use criterion::{Criterion, criterion_group, criterion_main};
use refdesk_index::Embedder;
use refdesk_index::MiniLm;
use refdesk_index::vector::Vector;
use serde_json::json;
use support::mcp::Session;
use support::{Layout, Workspace, cat, refdesk, report, time, time_alternately, time_fed, workspace};

const PROMPT: &str = "the payment client should try again with growing pauses when the gateway does not answer";

/// `count` sections, each of 60 pseudo-random words.
fn texts(count: usize) -> Vec<String> {
    const WORDS: [&str; 40] = [
        "retry", "gateway", "ledger", "session", "router", "sampler", "policy", "invoice", "customer", "account",
        "balance", "timeout", "breaker", "fallback", "queue", "worker", "cluster", "region", "release", "rollback",
        "metric", "alarm", "trace", "schema", "column", "index", "cursor", "token", "secret", "header", "payload",
        "request", "response", "cache", "shard", "replica", "leader", "quorum", "snapshot", "journal",
    ];
    let mut state = 7_u64;
    let mut word = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        WORDS[usize::try_from(state >> 33).unwrap_or(0) % WORDS.len()]
    };
    let mut sentence = || (0..12).map(|_| word()).collect::<Vec<_>>().join(" ");
    (0..count).map(|_| (0..5).map(|_| sentence()).collect::<Vec<_>>().join(". ") + ".\n").collect()
}

/// A workspace of this many sources, each a document of five sections.
fn sections(sources: usize) -> Workspace {
    let made = workspace(sources, 0, Layout::OneFile);
    let texts = texts(sources * 5);
    for (document, sections) in made.documents.iter().zip(texts.chunks(5)) {
        let text: String = sections.iter().enumerate().map(|(nth, text)| format!("# Part {nth}\n\n{text}\n")).collect();
        refdesk_files::write_atomic(document, text.as_bytes()).expect("a writable temporary folder");
    }
    made
}

fn index(workspace: &Workspace, words: &[&str]) -> Duration {
    let began = Instant::now();
    let mut command = refdesk(workspace, &[&["index"], words].concat());
    let ended = command.output().expect("a program that starts");
    assert!(ended.status.success(), "{}", String::from_utf8_lossy(&ended.stderr));
    began.elapsed()
}

/// Gives every section a random vector instead of running the model for minutes; only the texts to compare are
/// embedded.
fn with_vectors(workspace: &Workspace) {
    index(workspace, &["--words-only"]);
    let file = workspace.folder.path().join(".jaato/refdesk/index.db");
    let sql = format!(
        "INSERT INTO vectors SELECT DISTINCT content_hash, '{}', 384, 0.003, randomblob(384) FROM documents;",
        MiniLm::shared().expect("the model").model()
    );
    sqlite(&file, &sql);
}

fn sqlite(file: &Path, sql: &str) -> Duration {
    time(Command::new("sqlite3").arg(file).arg(sql))
}

fn milliseconds(duration: Duration) -> f64 {
    duration.as_secs_f64() * 1e3
}

fn prompt(workspace: &Workspace, session: usize) -> Duration {
    let document = json!({
        "session_id": format!("session-{session}"),
        "cwd": workspace.folder.path(),
        "hook_event_name": "UserPromptSubmit",
        "prompt": PROMPT,
    });
    time_fed(&mut refdesk(workspace, &["hook", "claude-code"]), document.to_string().as_bytes())
}

fn hook(_: &mut Criterion) {
    let (with, without) = (sections(1_000), sections(1_000));
    with_vectors(&with);
    index(&with, &[]);
    let mut session = 0;
    let mut all = Vec::new();
    let meaning = || {
        session += 1;
        let took = prompt(&with, session);
        all.push(took);
        took
    };
    let mut other = 0;
    let tags = || {
        other += 1;
        prompt(&without, other)
    };
    let [meaning, tags] = time_alternately(41, meaning, tags);
    all.sort_unstable();
    println!("hook, 1,000 sources, 5,000 sections: {meaning:?}; without an index: {tags:?}");
    report("hook with meaning", milliseconds(meaning), 45.0, " ms");
    report("hook with meaning, 95 of 100", milliseconds(all[all.len() * 95 / 100]), 70.0, " ms");
    // A running server runs the model for the hooks; the first hook makes it load the model.
    let mut server = Session::start(&with);
    server.ask("tools/list", &json!({}));
    let mut lent = 10_000;
    let mut lent = || {
        lent += 1;
        prompt(&with, lent)
    };
    lent();
    let [lent, _] = time_alternately(41, lent, || tags);
    report("hook with meaning, beside an open server", milliseconds(lent), 25.0, " ms");
}

fn search(_: &mut Criterion) {
    let workspace = sections(2_000);
    with_vectors(&workspace);
    let file = workspace.folder.path().join(".jaato/refdesk/index.db");
    let sql = "SELECT rowid FROM documents_fts WHERE documents_fts MATCH 'payment OR gateway OR retry' ORDER BY rank LIMIT 50";
    let ours = || time(&mut refdesk(&workspace, &["search", "how does the gateway retry a payment"]));
    let [ours, theirs] = time_alternately(21, ours, || sqlite(&file, sql));
    println!("search, 10,000 sections: {ours:?}; sqlite3, words alone: {theirs:?}");
    report("search, 10,000 sections", milliseconds(ours), 45.0, " ms");
}

fn scan(_: &mut Criterion) {
    let model = MiniLm::shared().expect("the model");
    let vector = model.embed(PROMPT).expect("a vector");
    let many: Vec<i8> = (0..100_000 * 384_usize)
        .map(|at| (at.wrapping_mul(2_654_435_761) >> 7).to_le_bytes()[0].cast_signed())
        .collect();
    let mut times: Vec<Duration> = (0..21)
        .map(|_| {
            let began = Instant::now();
            let best = many.chunks_exact(384).map(|values| vector.cosine(values, 0.003)).fold(f32::MIN, f32::max);
            let took = began.elapsed();
            assert!(best.is_finite());
            took
        })
        .collect();
    times.sort_unstable();
    report("100,000 vectors, exact scan within the process", milliseconds(times[10]), 12.0, " ms");
    let began = Instant::now();
    let texts = texts(40);
    let vectors: Vec<Vector> = texts.iter().map(|text| model.embed(text).expect("a vector")).collect();
    let each = began.elapsed() / u32::try_from(vectors.len()).unwrap_or(1);
    report("a vector of a section, within the process", milliseconds(each), 40.0, " ms");
}

fn build(_: &mut Criterion) {
    let workspace = sections(2_000);
    let [fresh, documents] = time_alternately(
        5,
        || index(&workspace, &["--words-only", "--fresh"]),
        || time(&mut cat(&workspace.documents)),
    );
    println!("words of 12,000 sections: {fresh:?}; cat of the documents: {documents:?}");
    report("a thousand sections by words", milliseconds(fresh) / 12.0, 100.0, " ms");
    let many = workspace_of_files(10_000);
    index(&many, &["--words-only"]);
    let mut stat = Command::new("stat");
    stat.args(&many.documents);
    let [nothing, stat] = time_alternately(11, || index(&many, &["--words-only"]), || time(&mut stat));
    println!("10,000 files, nothing changed: {nothing:?}; stat of them: {stat:?}");
    report("nothing changed, times stat", nothing.as_secs_f64() / stat.as_secs_f64(), 3.0, "");
}

fn workspace_of_files(count: usize) -> Workspace {
    let made = workspace(count, 400, Layout::OneFile);
    let began = Instant::now();
    let last = made.documents.last().expect("documents");
    // A recently written file is read again.
    while !refdesk_files::stamp(last).expect("a document").has_settled(std::time::SystemTime::now()) {
        assert!(began.elapsed() < Duration::from_secs(60), "the documents never settle");
        std::thread::yield_now();
    }
    made
}

criterion_group!(benches, hook, search, scan, build);
criterion_main!(benches);
