//! The index of a small workspace with a fake model. These tests compare what is stored, not what is found.

#![allow(clippy::disallowed_methods, reason = "tests plant files of any kind")]

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, RwLock};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use crate::chunk::ChunkSection;
use crate::vector::Vector;
use crate::{DatabasePages, Embedder, Index, Job, Location, Report, TagsInText, TextTopics, TopicQuery, update};
use refdesk_core::catalog::testing::{inline, local};
use refdesk_core::catalog::{Catalog, PathState, Source};
use refdesk_core::selection::ExcludedFiles;
use refdesk_files::Sealer;
use refdesk_text::{Code, Error};

mod ownership;

/// Counts letters, which is enough to distinguish texts.
#[derive(Default)]
struct Letters(AtomicUsize);

impl Embedder for Letters {
    fn model(&self) -> &str {
        "letters"
    }

    fn dimensions(&self) -> usize {
        32
    }

    fn embed(&self, text: &str) -> Result<Vector, Error> {
        self.0.fetch_add(1, Ordering::Relaxed);
        let mut counts = [0f32; 32];
        for byte in text.bytes() {
            counts[usize::from(byte % 32)] += 1.0;
        }
        Ok(Vector::of(&counts))
    }

    fn knows(&self, word: &str) -> Result<bool, Error> {
        Ok(word.len() < 10)
    }
}

/// Cases for every kind of index: each becomes a test of the index in a file, and a case of `postgres::tests`.
macro_rules! cases {
    ($($name:ident),* $(,)?) => {
        mod in_a_file {
            $(#[test]
            fn $name() {
                super::$name(&crate::tests::World::new());
            })*
        }

        #[cfg(feature = "postgres")]
        pub(crate) const CASES: &[(&str, fn(&crate::tests::World))] = &[$((stringify!($name), $name)),*];
    };
}
pub(crate) use cases;

cases! {
    what_did_not_change_is_not_touched,
    a_run_that_was_stopped_goes_on_later,
    sources_that_wait_for_vectors_are_marked,
    until_vectors_are_there_words_alone_decide,
    a_second_writer_leaves_and_readers_do_not_wait,
    what_was_loaded_is_kept_until_it_changes,
    what_a_tool_returns_needs_a_higher_score,
    other_spellings_count_where_no_document_has_the_words,
    a_tag_in_the_middle_of_a_long_text_is_compared,
    queries_of_any_text_have_an_answer,
    documents_of_one_content_are_counted_each,
    hints_name_sections_as_they_are_now,
    files_that_changed_since_are_counted,
    hints_at_a_folder_leave_out_excluded_documents,
    boilerplate_is_searched_and_not_hinted_at,
    a_file_of_very_many_sources_is_not_indexed_for_each,
    a_document_in_another_script_leaves_the_threshold_of_latin_prompts,
}

pub(crate) struct World {
    root: tempfile::TempDir,
    model: Letters,
    /// The URL of a database to use instead of the file.
    server: Option<String>,
    /// The files that are pages of databases.
    pub(crate) pages: RwLock<Option<Box<dyn DatabasePages + Send>>>,
}

impl World {
    pub(crate) fn new() -> Self {
        Self { root: tempfile::tempdir().unwrap(), model: Letters::default(), server: None, pages: RwLock::default() }
    }

    #[cfg(feature = "postgres")]
    pub(crate) fn on(server: String) -> Self {
        Self { server: Some(server), ..Self::new() }
    }

    /// How many times the model has run.
    #[cfg(feature = "postgres")]
    pub(crate) fn embedded(&self) -> usize {
        self.model.0.load(Ordering::Relaxed)
    }

    pub(crate) fn path(&self) -> PathBuf {
        fs::canonicalize(self.root.path()).unwrap()
    }

    pub(crate) fn write(&self, name: &str, text: &str) {
        let path = self.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    pub(crate) fn file(&self, id: &str, name: &str) -> Source {
        local(id, &self.path().join(name), PathState::File)
    }

    pub(crate) fn location(&self) -> Location {
        let location = Location::new(&self.path(), Sealer::fixed(&self.path()));
        match &self.server {
            Some(url) => location.on_server(url).unwrap(),
            None => location,
        }
    }

    pub(crate) fn update(&self, sources: Vec<Source>) -> Report {
        self.run(sources, false, &mut |_| true).unwrap().unwrap()
    }

    pub(crate) fn run(
        &self,
        sources: Vec<Source>,
        fresh: bool,
        progress: &mut dyn FnMut(crate::IndexProgress) -> bool,
    ) -> Result<Option<Report>, Error> {
        let now = UNIX_EPOCH + Duration::from_secs(4_000_000_000);
        let catalog = Catalog::new(sources);
        let pages = self.pages.read().unwrap();
        let job = Job {
            catalog: &catalog,
            may_stay: &|_| false,
            pages: pages.as_deref().map(|pages| pages as &dyn DatabasePages),
            embedder: Some(&self.model),
            fresh,
            may_affect_others: true,
            now,
            progress,
        };
        update(&self.location(), job)
    }

    /// The index for reading, and the model that computed its vectors.
    pub(crate) fn index(&self) -> (Index, &dyn Embedder) {
        (Index::open(&self.location(), Arc::default()).unwrap().unwrap(), &self.model)
    }

    pub(crate) fn best(&self, text: &str) -> Vec<String> {
        let index = Index::open(&self.location(), Arc::default()).unwrap().unwrap();
        index
            .about(&TopicQuery { text, ..TopicQuery::default() }, Some(&self.model))
            .unwrap()
            .scored
            .into_iter()
            .map(|it| it.source)
            .collect()
    }
}

pub(crate) fn long(word: &str) -> String {
    format!("# {word}\n\n{}\n", format!("{word} and more of it. ").repeat(30))
}

fn what_did_not_change_is_not_touched(world: &World) {
    world.write("a.md", &long("retry"));
    world.write("b.md", &long("timeout"));
    let sources = || vec![world.file("a", "a.md"), world.file("b", "b.md"), inline("c", "short text")];
    let first = world.update(sources());
    assert_eq!((first.documents, first.added, first.removed, first.missing), (6, 6, 0, 0));
    let embedded = world.model.0.load(Ordering::Relaxed);
    let again = world.update(sources());
    assert_eq!((again.documents, again.added, again.removed, again.vectors), (6, 0, 0, 0));
    assert_eq!(world.model.0.load(Ordering::Relaxed), embedded, "not even the background is computed again");
    world.write("b.md", &long("circuit"));
    let changed = world.update(sources());
    assert_eq!((changed.documents, changed.added, changed.removed, changed.vectors), (6, 1, 1, 1));
    let fewer = world.update(vec![world.file("b", "b.md")]);
    assert_eq!((fewer.documents, fewer.added, fewer.removed), (2, 0, 4));
    assert_eq!(world.best("circuit"), ["b"]);
}

/// The index names files as text.
#[test]
fn a_path_that_is_not_utf8_is_not_indexed() {
    let odd = OsStr::from_bytes(b"w\xff");
    let world = World::new();
    fs::write(world.path().join(odd), long("retry")).unwrap();
    let report = world.update(vec![local("a", &world.path().join(odd), PathState::File)]);
    assert_eq!((report.documents, report.unreadable), (1, 1), "only what the catalog says");
    let root = tempfile::Builder::new().prefix(odd).tempdir().unwrap();
    let world = World { root, ..World::new() };
    world.write("a.md", &long("retry"));
    let built = world.run(vec![world.file("a", "a.md")], false, &mut |_| true).map(drop);
    for done in [built, Index::open(&world.location(), Arc::default()).map(drop)] {
        let refused = done.unwrap_err();
        assert_eq!((refused.code, refused.fix), (Code::NotUtf8, "rename the folder".into()));
    }
}

fn a_run_that_was_stopped_goes_on_later(world: &World) {
    for nth in 0..200 {
        world.write(&format!("{nth}.md"), &long(&format!("word{nth}")));
    }
    let sources = || (0..200).map(|nth| world.file(&format!("s{nth}"), &format!("{nth}.md"))).collect::<Vec<_>>();
    let stopped = world.run(sources(), false, &mut |_| false).unwrap().unwrap();
    assert!(stopped.documents < 400 && stopped.vectors == 0, "{stopped:?}");
    let partial = || {
        let index = Index::open(&world.location(), Arc::default()).unwrap().unwrap();
        let about = index.about(&TopicQuery { text: "word7", ..TopicQuery::default() }, None).unwrap();
        about.partial.map(|partial| (partial.indexed, partial.of, partial.unread))
    };
    let unread = 200 - stopped.documents / 2;
    assert_eq!(partial(), Some((stopped.documents, stopped.documents + unread, unread)), "it does not look complete");
    let status = world.index().0.status("letters", &[]).unwrap();
    assert_eq!((status.unread, status.with_vector, status.without_vector), (unread, 0, stopped.documents));
    let whole = world.update(sources());
    assert_eq!((whole.documents, whole.missing), (400, 0));
    assert_eq!(whole.documents, stopped.documents + whole.added);
    assert_eq!(partial(), None);
}

fn what_was_loaded_is_kept_until_it_changes(world: &World) {
    world.write("a.md", &long("retry"));
    let kept = Arc::default();
    let open = |kept: &Arc<crate::IndexCache>| Index::open(&world.location(), kept.clone()).unwrap().unwrap();
    let loaded = |model: &str| {
        let index = open(&kept);
        index.index_cache.corpus(&*index.storage, model).unwrap()
    };
    let is_loaded_again = |model: &str| {
        let before = kept.corpus(&*open(&kept).storage, model).unwrap();
        move |now: &Arc<crate::about::Corpus>| !Arc::ptr_eq(&before, now)
    };
    let a = || vec![world.file("a", "a.md")];
    let both = || vec![world.file("a", "a.md"), inline("b", "timeout and a pause")];
    // Whether the answers are the same with and without the cache.
    let is_same = |step: &str| {
        for text in ["retry", "timeout circuit", "pause"] {
            let question = TopicQuery { text, ..TopicQuery::default() };
            let query = crate::search::tests::everything(text);
            let of = |index: Index| {
                let about = index.about(&question, Some(&world.model)).unwrap();
                let found = index.search(&query, Some(&world.model)).unwrap();
                let now = UNIX_EPOCH + Duration::from_secs(4_000_000_000);
                let changed = index.changed_files(&Catalog::new(both()), None, now).unwrap();
                (about.scored, about.sources, about.partial, found, changed)
            };
            assert_eq!(of(open(&kept)), of(world.index().0), "{step}: {text}");
        }
    };
    world.update(a());
    is_same("made");
    for (step, changes, text, sources, fresh, goes_on) in [
        ("nothing happened", false, "", a(), false, true),
        ("a source came, without vectors", true, "", both(), false, false),
        ("its vectors came", true, "", both(), false, true),
        ("a text changed", true, "circuit", both(), false, true),
        ("a text was written again as it was", false, "circuit", both(), false, true),
        ("a source went", true, "", a(), false, true),
        ("it came again", true, "", both(), false, true),
        ("made anew", true, "", both(), true, true),
        ("nothing happened again", false, "", both(), false, true),
    ] {
        let is_again = is_loaded_again("letters");
        if !text.is_empty() {
            world.write("a.md", &long(text));
        }
        world.run(sources, fresh, &mut |_| goes_on).unwrap().unwrap();
        assert_eq!(is_again(&loaded("letters")), changes, "{step}");
        is_same(step);
    }
    let is_again = is_loaded_again("letters");
    assert!(is_again(&loaded("another model")), "vectors are of one model");
}

fn sources_that_wait_for_vectors_are_marked(world: &World) {
    let whole = || vec![inline("a", "retry and retry"), inline("b", "retry and pause")];
    let marks = |by_meaning: bool| {
        let (index, model) = world.index();
        let question = TopicQuery { text: "retry", ..TopicQuery::default() };
        let about = index.about(&question, by_meaning.then_some(model)).unwrap();
        let mut marks: Vec<_> = about.scored.into_iter().map(|it| (it.source, it.is_incomplete)).collect();
        marks.sort();
        (marks, about.sources.len())
    };
    let all = |a, b| (vec![("a".to_owned(), a), ("b".to_owned(), b)], 2);
    world.update(whole());
    assert_eq!(marks(true), all(false, false));
    let changed = || vec![inline("a", "retry and retry"), inline("b", "retry and a longer pause")];
    world.run(changed(), false, &mut |_| false).unwrap();
    assert_eq!(marks(false), all(false, false), "by words alone each is compared like the others");
    let (found, _) = marks(true);
    assert!(found.contains(&("a".to_owned(), false)) && found.contains(&("b".to_owned(), true)), "{found:?}");
    world.update(changed());
    assert_eq!(marks(true), all(false, false));
}

fn until_vectors_are_there_words_alone_decide(world: &World) {
    // Enough of them that computing their vectors takes a while.
    let others = || (0..20).map(|nth| inline(&format!("station-{nth}"), &format!("wind at {nth} metres")));
    let sources = || [inline("a", "retry with backoff")].into_iter().chain(others()).collect::<Vec<_>>();
    let about = || {
        let (index, model) = world.index();
        index.about(&TopicQuery { text: "retry with backoff", ..TopicQuery::default() }, Some(model)).unwrap()
    };
    world.run(sources(), false, &mut |progress| matches!(progress, crate::IndexProgress::Words { .. })).unwrap();
    let early = about();
    let (best, threshold) = (&early.scored[0], early.threshold.unwrap());
    assert!(best.source == "a" && best.cosine == 0.0 && best.score >= threshold, "{early:?}");
    assert!(early.partial.is_some(), "and the answer says so");
    world.update(sources());
    let complete = about();
    assert!(complete.scored[0].cosine > 0.0 && complete.partial.is_none(), "{complete:?}");
}

fn a_second_writer_leaves_and_readers_do_not_wait(world: &World) {
    world.write("a.md", &long("retry"));
    let sources = || vec![world.file("a", "a.md")];
    world.update(sources());
    world.write("a.md", &long("timeout"));
    let mut seen = Vec::new();
    let first = world.run(sources(), false, &mut |_| {
        seen.push(world.run(sources(), false, &mut |_| true).unwrap().is_none());
        seen.push(world.best("retry") == ["a"]);
        true
    });
    assert!(first.unwrap().is_some());
    assert!(!seen.is_empty() && seen.iter().all(|seen| *seen), "{seen:?}");
}

/// A long text always has some piece that is close to something, whatever the text is about.
fn what_a_tool_returns_needs_a_higher_score(world: &World) {
    world.write("a.md", &long("retry"));
    world.update(vec![world.file("a", "a.md")]);
    let index = Index::open(&world.location(), Arc::default()).unwrap().unwrap();
    let threshold = |is_tool_result, set| {
        let question = TopicQuery { text: "retry", is_tool_result, threshold: set, ..TopicQuery::default() };
        index.about(&question, Some(&world.model)).unwrap().threshold.unwrap()
    };
    assert!((threshold(true, None) - threshold(false, None) - 0.1).abs() < 1e-6);
    assert!((threshold(true, Some(0.7)) - 0.7).abs() < 1e-6, "what a person has set is what counts");
}

fn other_spellings_count_where_no_document_has_the_words(world: &World) {
    world.update(vec![
        inline("one", "# One\n\nBackoff of errors; the tier 3 plan."),
        inline("two", "# Two\n\nGo back. Roll back what you like."),
        inline("behaviour", "# Other\n\nAn unusual behaviour, with a setup."),
        inline("up", "# Up\n\nSet it up."),
    ]);
    let index = world.index().0;
    for (text, source, expected) in [
        ("how do we back off", "one", &["backoff"][..]),
        ("how do we back-off", "one", &["backoff"]),
        ("how do we back off", "two", &["back"]),
        ("rollback", "two", &["roll back"]),
        ("which tier3", "one", &["tier", "tier 3"]),
        ("its behavior", "behaviour", &["behaviour"]),
        ("back behaviour", "behaviour", &["behaviour"]),
        ("nothing of that, wrd", "one", &[]),
    ] {
        let about = index.about(&TopicQuery { text, ..TopicQuery::default() }, None).unwrap();
        let scored = about.scored.iter().find(|it| it.source == source);
        let mut words = scored.map(|it| it.words.clone()).unwrap_or_default();
        words.sort_unstable();
        assert_eq!(words, expected, "{text} {source}");
    }
}

fn a_tag_in_the_middle_of_a_long_text_is_compared(world: &World) {
    world.update(vec![inline("a", "# Breaker\n\nA circuit breaker opens."), inline("b", "# Other\n\nA bulkhead.")]);
    let index = world.index().0;
    // More rare words than in the paragraphs with tags.
    let word = |nth: u8, at: u8| format!("{0}{1}{0}{1}", char::from(nth), char::from(at));
    let of = |nth: u8| (b'a'..=b'i').map(|at| word(nth, at)).collect::<Vec<_>>().join(" ");
    let mut paragraphs: Vec<String> = (b'a'..=b'l').map(of).collect();
    paragraphs.insert(4, "a bulkhead".to_owned());
    paragraphs.insert(7, "circuit breaker".to_owned());
    let text = paragraphs.join("\n\n");
    let tags = || ["circuit breaker", "bulkhead"].iter().map(|tag| text.find(tag).unwrap()).collect();
    let about = |tags: Option<TagsInText>| {
        let question = TopicQuery { text: &text, tags, is_tool_result: true, ..TopicQuery::default() };
        index.about(&question, Some(&world.model)).unwrap()
    };
    let coverage = |about: &TextTopics, source: &str| {
        about.scored.iter().find(|it| it.source == source).map_or(0.0, |it| it.coverage)
    };
    let found = about(Some(&tags));
    assert!(coverage(&found, "a") > coverage(&about(None), "a"), "{found:?}");
    let asked = std::cell::Cell::new(false);
    let tags = || {
        asked.set(true);
        Vec::new()
    };
    index.about(&TopicQuery { text: "a bulkhead", tags: Some(&tags), ..TopicQuery::default() }, None).unwrap();
    assert!(!asked.get(), "all of a short text is compared");
}

fn queries_of_any_text_have_an_answer(world: &World) {
    world.write("a.md", &long("retry"));
    world.update(vec![world.file("a", "a.md")]);
    let odd = ["", " ", "\"", "a\"b OR c*", "NEAR(", "-", "\0", "🦀 😀", "日本語のテキスト", "retry AND NOT"];
    for text in odd.iter().map(ToString::to_string).chain([long("x").repeat(100), "\"".repeat(5_000)]) {
        let index = Index::open(&world.location(), Arc::default()).unwrap().unwrap();
        index.about(&TopicQuery { text: &text, ..TopicQuery::default() }, Some(&world.model)).unwrap();
    }
    let _ = SystemTime::now();
}

fn documents_of_one_content_are_counted_each(world: &World) {
    let sources = || ["a", "b", "c"].map(|id| inline(id, "the same text")).to_vec();
    let counts = || {
        let status = world.index().0.status("letters", &[]).unwrap();
        (status.documents, status.with_vector, status.without_vector)
    };
    let stopped = world.run(sources(), false, &mut |_| false).unwrap().unwrap();
    assert_eq!((stopped.missing, counts()), (6, (6, 0, 6)));
    assert_eq!((world.update(sources()).missing, counts()), (0, (6, 6, 0)));
}

fn hints_name_sections_as_they_are_now(world: &World) {
    world.write("a.md", &long("retry"));
    world.write("b.md", &long("timeout"));
    world.update(vec![world.file("a", "a.md"), world.file("b", "b.md")]);
    let of_a = |now: Option<(Vec<ChunkSection>, usize)>| {
        let sections_now = move |found: &crate::FoundDocument| {
            if found.source == "a" { now.clone() } else { Some((found.sections.to_vec(), found.line)) }
        };
        let question = TopicQuery { text: "retry", sections_now: Some(&sections_now), ..TopicQuery::default() };
        let (index, model) = world.index();
        let about = index.about(&question, Some(model)).unwrap();
        let a = about.scored.into_iter().find(|it| it.source == "a" && it.cosine > 0.5);
        (a.map(|it| it.section.map(|it| (it.heading, it.line))), about.sources)
    };
    let both = || vec!["a".to_owned(), "b".to_owned()];
    let sorted = |(section, mut sources): (_, Vec<String>)| {
        sources.sort();
        (section, sources)
    };
    let unchanged = sorted(of_a(None));
    assert_eq!(unchanged, (Some(Some(("retry".to_owned(), 1))), both()), "not asked where the stamp is the same");
    world.write("a.md", &format!("{}{}", "\n".repeat(60), long("retry")));
    let moved = Some((vec![ChunkSection { line: 61, heading: "Retries".to_owned() }], 61));
    assert_eq!(sorted(of_a(moved)), (Some(Some(("Retries".to_owned(), 61))), both()));
    world.write("a.md", &long("circuit"));
    assert_eq!(sorted(of_a(None)), (None, vec!["b".to_owned()]), "what it says now is unknown");
    // The sections of all hits listed for a person are looked up, even if all files are newer than the index.
    let names: Vec<String> = (0..10).map(|nth| format!("n{nth}.md")).collect();
    names.iter().for_each(|name| world.write(name, &long("retry")));
    world.update(names.iter().map(|name| world.file(name, name)).collect());
    names.iter().for_each(|name| world.write(name, &format!("\n{}", long("retry"))));
    let (index, model) = world.index();
    let sections_now = |found: &crate::FoundDocument| Some((found.sections.to_vec(), found.line + 1));
    let question = TopicQuery { text: "retry", sections_now: Some(&sections_now), ..TopicQuery::default() };
    let about = index.about(&question, Some(model)).unwrap();
    let lines: Vec<usize> = about.scored.iter().filter_map(|it| it.section.as_ref()).map(|it| it.line).collect();
    assert_eq!(lines.len(), 10);
    assert!(!lines.contains(&0), "{lines:?}");
}

fn files_that_changed_since_are_counted(world: &World) {
    fs::create_dir(world.path().join("docs")).unwrap();
    for name in ["a.md", "docs/b.md", "docs/c.md"] {
        world.write(name, &long(name));
    }
    let sources = |note: &str| {
        let docs = local("docs", &world.path().join("docs"), PathState::Directory);
        vec![world.file("a", "a.md"), world.file("b", "docs/b.md"), docs, inline("note", note)]
    };
    let now = UNIX_EPOCH + Duration::from_secs(4_000_000_000);
    let changed = |sources: Vec<Source>| {
        let found = world.index().0.changed_files(&Catalog::new(sources), None, now);
        found.unwrap()
    };
    world.update(sources("text"));
    assert_eq!(changed(sources("text")), 0);
    world.write("docs/b.md", &format!("{}\n## More\n\nnewword\n", long("docs/b.md")));
    assert_eq!(changed(sources("text")), 1, "changed");
    world.write("docs/d.md", "new");
    world.write("docs/e.md", "");
    fs::write(world.path().join("docs/f.md"), b"\xff\xfe\xfd\xfc not a text").unwrap();
    assert_eq!(changed(sources("text")), 3, "new, but what is not text");
    fs::remove_file(world.path().join("docs/c.md")).unwrap();
    assert_eq!(changed(sources("other text")), 5, "gone, and an inline text");
    let more = [sources("other text"), vec![inline("new", "x")]].concat();
    assert_eq!(changed(more), 5, "a source that was not read is counted elsewhere");
    world.update(sources("text"));
    assert_eq!(changed(sources("text")), 0);
    // Rewritten with the same content.
    world.write("a.md", &long("retry"));
    world.write("a.md", &long("a.md"));
    assert_eq!(changed(sources("text")), 0);
}

fn hints_at_a_folder_leave_out_excluded_documents(world: &World) {
    for (name, text) in [
        ("docs/retry.md", "# Retry\n\nretry with jitter and a pause"),
        ("docs/inner/jitter.md", "# Jitter\n\nretry with jitter"),
        ("docs/inner-notes.md", "# Notes\n\na retry"),
    ] {
        world.write(name, text);
    }
    let folder = |id: &str, name: &str| local(id, &world.path().join(name), PathState::Directory);
    let sources = vec![
        folder("docs", "docs"),
        folder("inner", "docs/inner"),
        world.file("retry", "docs/retry.md"),
        world.file("twin", "docs/retry.md"),
    ];
    let catalog = Catalog::new(sources.clone());
    world.update(sources);
    for (excluded, of_docs) in [
        (&[][..], "docs/retry.md"),
        // The same file is in another source, which is not excluded.
        (&["retry"], "docs/retry.md"),
        (&["retry", "twin"], "docs/inner/jitter.md"),
        (&["retry", "twin", "inner"], "docs/inner-notes.md"),
        (&["docs", "inner"], "docs/retry.md"),
    ] {
        let ids: Vec<String> = excluded.iter().map(ToString::to_string).collect();
        let excluded = ExcludedFiles::of(&ids, &catalog);
        let question = TopicQuery { text: "retry jitter pause", excluded: Some(&excluded), ..TopicQuery::default() };
        let scored = world.index().0.about(&question, None).unwrap().scored;
        for (id, expected) in [("docs", of_docs), ("retry", "docs/retry.md"), ("inner", "docs/inner/jitter.md")] {
            let section = scored.iter().find(|it| it.source == id).and_then(|it| it.section.as_ref()).unwrap();
            assert_eq!(Path::new(&section.path), world.path().join(expected), "{id} {ids:?}");
        }
    }
}

fn boilerplate_is_searched_and_not_hinted_at(world: &World) {
    world.write("a.md", &format!("{}\n## 4. Changelog\n\nzeppelinword came\n", long("retry")));
    world.write("CHANGELOG.md", &long("zeppelinword"));
    world.update(vec![world.file("a", "a.md"), world.file("b", "CHANGELOG.md")]);
    let (index, model) = world.index();
    let about = index.about(&TopicQuery { text: "zeppelinword", ..TopicQuery::default() }, Some(model)).unwrap();
    let covering: Vec<_> = about.scored.iter().filter(|it| it.coverage > 0.0).collect();
    assert!(covering.is_empty(), "{covering:?}");
    assert_eq!(about.sources.len(), 2, "both are compared by what else they say");
    let found = index.search(&crate::search::tests::everything("zeppelinword"), None).unwrap();
    let mut sources: Vec<_> = found.hits.iter().map(|hit| hit.source.as_str()).collect();
    sources.sort_unstable();
    assert_eq!(sources, ["a", "b"]);
}

fn a_document_in_another_script_leaves_the_threshold_of_latin_prompts(world: &World) {
    let about = |text: &str| {
        world.index().0.about(&TopicQuery { text, ..TopicQuery::default() }, Some(world.index().1)).unwrap()
    };
    let threshold = |text: &str| about(text).threshold.unwrap();
    world.write("a.md", &long("retry"));
    world.update(vec![world.file("a", "a.md")]);
    let before = threshold("add a retry");
    world.write("b.md", &long("ありがとうございます。よろしくお願いします"));
    world.update(vec![world.file("a", "a.md"), world.file("b", "b.md")]);
    assert_eq!(threshold("add a retry"), before);
    let japanese = threshold("再実行してください");
    assert!(japanese > before, "{japanese} {before}");
    // There is no background for other scripts, so only words count.
    let thai = about("คู่มือการติดตั้ง");
    assert!(thai.is_by_words && thai.threshold.is_some() && thai.threshold == thai.words_threshold, "{thai:?}");
    assert!(!about("επανάλαβε").is_by_words);
}

fn a_file_of_very_many_sources_is_not_indexed_for_each(world: &World) {
    world.write("a.md", &long("retry"));
    let sources = |count: usize| (0..count).map(|nth| world.file(&format!("s{nth:03}"), "a.md")).collect::<Vec<_>>();
    let of_one = world.update(sources(1)).documents - 1;
    let most = usize::from(crate::update::SOURCES_OF_A_TEXT);
    assert_eq!(world.update(sources(100)).documents, most * of_one + 100, "what the catalog says is there of each");
    assert_eq!(world.update(sources(100)).added, 0);
    assert_eq!(world.update(sources(2)).documents, 2 * of_one + 2);
}

/// A file written during the read, or at the same moment, has the stamp of the content that was read.
#[test]
fn a_text_that_was_just_written_is_compared_by_its_content() {
    let world = World::new();
    world.write("a.md", &long("retry"));
    let catalog = Catalog::new(vec![world.file("a", "a.md")]);
    let written = fs::metadata(world.path().join("a.md")).unwrap().modified().unwrap();
    let update = |now| {
        let job = Job {
            catalog: &catalog,
            may_stay: &|_| false,
            pages: None,
            embedder: None,
            fresh: false,
            may_affect_others: true,
            now,
            progress: &mut |_| true,
        };
        crate::update(&world.location(), job).unwrap().unwrap();
        let texts = world.index().0.storage.texts().unwrap();
        texts.into_iter().filter(|(key, _)| key.path.ends_with("a.md")).map(|(_, state)| state.stamp.size).next()
    };
    assert_eq!(update(written), Some(0), "no stamp says that it is as it was");
    assert_eq!(update(written + Duration::from_secs(60)), Some(long("retry").len() as u64));
}
