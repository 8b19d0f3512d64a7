//! Search in the index of a small workspace. The fake model counts letters, so only texts with the same letters are
//! close to each other.

use super::*;
use crate::tests::{World, cases, long};
use refdesk_core::catalog::testing::{inline, local};
use refdesk_core::catalog::{Catalog, PathState};
use refdesk_core::selection::ExcludedFiles;

const GUIDE: &str = "# Guide\n\n## Circuit breakers\n\nA breaker opens when too many calls fail in a row, and the calls \
    after it fail at once, without a try. After a while it lets one call through; if that succeeds, it closes. Choose the \
    number of failures by the price of one call, and the time by what the other service needs to start again. Say in the \
    log when it opens.\n\n## Retries\n\nA retry repeats a call that failed, after a pause that grows. Repeat only what may \
    happen twice. Limit the number of retries.\n";

cases! {
    a_hit_names_its_section_and_says_why,
    phrases_and_filters,
    filters_apply_before_the_lists_are_cut,
    excluded_files_take_no_places_in_the_lists,
    a_section_gives_one_hit,
    a_long_section_is_shown_by_the_part_with_the_rarest_word,
    a_section_in_several_sources_gives_the_preferred_one,
    copies_in_other_sources_take_no_places_in_the_lists,
    queries_of_any_text_have_an_answer,
    names_are_found_by_their_parts,
    the_only_place_of_a_name_comes_first,
    two_words_are_found_as_one,
    a_word_is_found_as_two,
    a_single_character_counts_with_the_word_beside_it,
    marks_are_part_of_a_word,
    an_unfinished_last_word_is_completed,
    letters_are_found_in_basic_letters,
    the_section_and_the_excerpt_have_the_word_that_was_found,
    hints_and_hits_name_the_same_place,
    texts_without_blanks_are_found_by_what_is_in_them,
    letters_without_a_meaning_find_only_what_is_near,
}

fn fill(world: &World) {
    world.write("guide.md", GUIDE);
    world.write("saga.md", &long("saga"));
    world.update(vec![
        world.file("guide", "guide.md"),
        world.file("saga", "saga.md"),
        inline("note", "# Note\n\nbreaker"),
    ]);
}

/// What is marked in the excerpt of a hit.
fn marked(hit: &SectionHit, found: &SearchResult) -> Vec<String> {
    let excerpt = hit.excerpt(&found.terms);
    excerpt.matches.iter().map(|range| excerpt.text[range.clone()].to_owned()).collect()
}

/// A search without filters.
pub(crate) fn everything(text: &str) -> SearchQuery<'_> {
    SearchQuery {
        text,
        catalog: &[],
        changed: 0,
        kinds: &[],
        is_wanted: &|_| true,
        excluded: None,
        leads_to_excluded: &|_| false,
        database: None,
        domain: None,
        by_table: false,
        preference: &|_| SourcePreference::default(),
        weight: &|kind, _| default_weight(kind),
        pages: None,
        sections_now: &|found| Some((found.sections.to_vec(), found.line)),
    }
}

fn search(world: &World, text: &str) -> SearchResult {
    filtered(world, text, &[], &|_| true)
}

fn filtered(world: &World, text: &str, kinds: &[String], is_wanted: &dyn Fn(&str) -> bool) -> SearchResult {
    let (index, model) = world.index();
    index.search(&SearchQuery { kinds, is_wanted, ..everything(text) }, Some(model)).unwrap()
}

fn a_hit_names_its_section_and_says_why(world: &World) {
    fill(world);
    let (index, _) = world.index();
    let query = everything("circuit breaker");
    let found = index.search(&query, None).unwrap();
    assert_eq!((found.mode, found.partial, found.incomparable), (SearchMode::Words, None, 0));
    let best = &found.hits[0];
    assert_eq!((best.kind.as_str(), best.source.as_str()), ("text", "guide"));
    assert_eq!((best.heading.as_str(), best.line, best.end_line), ("Guide > Circuit breakers", 3, 5));
    assert_eq!(
        best.because,
        [HitRank {
            list: RankedList::Words,
            rank: 1,
            score: 0.1909,
            words: vec!["circuit".into(), "breaker".into()],
            cosine: None
        }]
    );
    assert_eq!(marked(best, &found), ["Circuit", "breakers", "breaker"]);
    let sources: Vec<&str> = found.hits.iter().map(|hit| hit.source.as_str()).collect();
    assert_eq!(sources, ["guide", "note"]);
    let both = search(world, "circuit breaker");
    assert_eq!(both.mode, SearchMode::Hybrid);
    assert!(both.hits[0].because.iter().any(|placing| placing.list == RankedList::Meaning && placing.cosine.is_some()));
}

fn an_unfinished_last_word_is_completed(world: &World) {
    world.update(vec![inline("pay", "# Pay\n\nThe compensation of circuit orders")]);
    let (index, _) = world.index();
    for (typed, expected) in [
        ("circ", Some("circuit")),
        // Its stem is `compens`.
        ("Circuit compensatio", Some("Circuit compensation")),
        ("circuit ord", Some("circuit orders")),
        ("order", None),
        ("ord ", None),
        ("co", None),
        ("xyzzyx", None),
        ("", None),
    ] {
        assert_eq!(index.completed(typed).unwrap().as_deref(), expected, "{typed}");
    }
}

fn phrases_and_filters(world: &World) {
    fill(world);
    let by_words = |text: &str, kinds: &[&str], only: &str| -> Vec<String> {
        let (index, _) = world.index();
        let kinds: Vec<String> = kinds.iter().map(ToString::to_string).collect();
        let is_wanted = |id: &str| only.is_empty() || id == only;
        let found =
            index.search(&SearchQuery { kinds: &kinds, is_wanted: &is_wanted, ..everything(text) }, None).unwrap();
        found.hits.into_iter().map(|hit| format!("{} {}", hit.source, hit.kind)).collect()
    };
    for (text, kinds, only, expected) in [
        ("breaker", &[][..], "", vec!["note text", "guide text"]),
        ("breaker", &[], "guide", vec!["guide text"]),
        ("\"breaker opens\"", &[], "", vec!["guide text"]),
        ("\"opens breaker\"", &[], "", vec![]),
        ("saga", &["source"], "", vec!["saga source"]),
        ("saga", &["text"], "", vec!["saga text"]),
        ("saga", &["table"], "", vec![]),
        ("nothing", &[], "", vec![]),
    ] {
        assert_eq!(by_words(text, kinds, only), expected, "{text} {kinds:?} {only}");
    }
}

fn filters_apply_before_the_lists_are_cut(world: &World) {
    let mut sources: Vec<_> =
        (0..120).map(|nth| inline(&format!("many-{nth}"), &format!("# Part\n\nretry retry retry {nth}"))).collect();
    sources.push(inline("last", "# Last\n\nOne of many texts that has the word retry in it, and other words as well."));
    world.update(sources);
    let found = filtered(world, "retry", &["text".to_owned()], &|id| id == "last");
    assert_eq!(found.hits.len(), 1);
    assert_eq!(found.hits[0].because.len(), 2, "it is in both lists");
}

fn excluded_files_take_no_places_in_the_lists(world: &World) {
    let sections: String =
        (0..60).map(|nth| format!("## Part {nth}\n\n{}\n\n", "redis redis cache ".repeat(20))).collect();
    world.write("docs/big.md", &sections);
    world.write("docs/other.md", "# Failover\n\nWhat happens when redis fails over, and what to do about it.\n");
    let docs = local("docs", &world.path().join("docs"), PathState::Directory);
    let sources = vec![world.file("big", "docs/big.md"), docs];
    let catalog = Catalog::new(sources.clone());
    world.update(sources);
    let (index, model) = world.index();
    let (excluded, kinds) = (ExcludedFiles::of(&["big".to_owned()], &catalog), ["text".to_owned()]);
    for (leads_there, expected) in [(false, "other.md"), (true, "big.md")] {
        let query = SearchQuery {
            is_wanted: &|id| id == "docs",
            excluded: Some(&excluded),
            leads_to_excluded: &|_| leads_there,
            kinds: &kinds,
            ..everything("redis")
        };
        let best = &index.search(&query, Some(model)).unwrap().hits[0];
        assert_eq!((best.source.as_str(), best.path.ends_with(expected)), ("docs", true), "{best:?}");
        assert_eq!(query.hides("docs", &world.path().join("docs/big.md")), !leads_there);
    }
}

fn a_section_gives_one_hit(world: &World) {
    let paragraph = format!("{}\n\n", "retry and more of it. ".repeat(40));
    world.write("a.md", &format!("# Retry\n\n{}", paragraph.repeat(6)));
    world.update(vec![world.file("a", "a.md")]);
    let found = filtered(world, "retry", &["text".to_owned()], &|_| true);
    assert_eq!(found.hits.len(), 1);
    // Sections with the same heading are different sections.
    let incident = format!("## Incident\n\n{}{paragraph}", paragraph.repeat(2));
    world.write("a.md", &format!("# Log\n\n{}", incident.repeat(3)));
    world.update(vec![world.file("a", "a.md")]);
    let found = filtered(world, "retry", &["text".to_owned()], &|_| true).hits.into_iter();
    let mut begins: Vec<usize> = found.map(|hit| hit.line.saturating_sub(3) / 8).collect();
    begins.sort_unstable();
    assert_eq!(begins, [0, 1, 2]);
    // Sections of which parts are in one chunk with other sections.
    let filler = "word ".repeat(292);
    world.write(
        "a.md",
        &format!(
            "# Ops\n\n## Deploying\n\nDeploy to Kubernetes. {filler}\n\nCall the operator.\n\n## Secrets\n\n\
             Kubernetes secrets.\n\n## Printers\n\nThe printer is on floor two.\n"
        ),
    );
    world.write("b.md", &format!("# Payments\n\nOf all.\n\n## Retries\n\nA wombat. {filler}\n\nA second wombat.\n"));
    world.update(vec![world.file("a", "a.md"), world.file("b", "b.md")]);
    for (query, expected) in [
        ("kubernetes", &[("Ops > Deploying", 3), ("Ops > Secrets", 9)][..]),
        ("kubernetes printer", &[("Ops > Deploying", 3), ("Ops > Printers", 13)]),
        ("printer kubernetes", &[("Ops > Deploying", 3), ("Ops > Printers", 13)]),
        ("kubernetes operator", &[("Ops > Deploying", 7)]),
        ("second wombat", &[("Payments > Retries", 9)]),
    ] {
        let (index, kinds) = (world.index().0, ["text".to_owned()]);
        let mut found = index.search(&SearchQuery { kinds: &kinds, ..everything(query) }, None).unwrap().hits;
        found.sort_by_key(|hit| hit.line);
        let found: Vec<_> = found.iter().map(|hit| (hit.heading.as_str(), hit.line)).collect();
        assert_eq!(found, expected, "{query}");
    }
}

fn a_long_section_is_shown_by_the_part_with_the_rarest_word(world: &World) {
    let rows: String = (1000..1200).map(|nth| format!("| E{nth} | disk full on node {nth} | free space |\n")).collect();
    let table = format!("| code | meaning | action |\n| --- | --- | --- |\n{rows}");
    world.write("errors.md", &format!("# Error codes\n\nThe agent reports what failed as an error code.\n\n{table}"));
    world.update(vec![world.file("errors", "errors.md"), inline("other", "# Other\n\nThe agent reports nothing.")]);
    let kinds = ["text".to_owned()];
    for query in ["what does error code E1042 mean", "agent reports error E1042", "E1042"] {
        let (index, model) = world.index();
        for model in [None, Some(model)] {
            let query = SearchQuery { kinds: &kinds, is_wanted: &|id| id == "errors", ..everything(query) };
            let found = index.search(&query, model.map(|model| model as &dyn Embedder)).unwrap();
            let [hit] = &found.hits[..] else { panic!("{}: {found:?}", query.text) };
            assert!(hit.excerpt(&found.terms).text.contains("E1042"), "{}: {hit:?}", query.text);
            assert_eq!(hit.because[0].rank, 1, "the best of the section: {hit:?}");
            let sum: f64 = hit.because.iter().map(|rank| rank.score).sum();
            assert!((sum - hit.score).abs() < 0.0005, "{hit:?}");
        }
    }
}

fn a_section_in_several_sources_gives_the_preferred_one(world: &World) {
    world.write("guide.md", GUIDE);
    world.write("plain.md", "retry without headings\n");
    let sources = ["outer", "inner"]
        .iter()
        .flat_map(|id| [world.file(id, "guide.md"), world.file(&format!("{id}-plain"), "plain.md")]);
    world.update(sources.collect());
    let (index, model) = world.index();
    for preferred in ["inner", "outer"] {
        let preference = |found: &FoundDocument| SourcePreference {
            is_readable: found.source.starts_with(preferred),
            ..SourcePreference::default()
        };
        let kinds = ["text".to_owned()];
        let query = SearchQuery { preference: &preference, kinds: &kinds, ..everything("retry calls") };
        let mut found: Vec<String> = index
            .search(&query, Some(model))
            .unwrap()
            .hits
            .into_iter()
            .map(|hit| format!("{} {}", hit.source, hit.heading))
            .collect();
        found.sort();
        let expected = [" Guide > Circuit breakers", " Guide > Retries", "-plain "];
        assert_eq!(found, expected.map(|rest| format!("{preferred}{rest}")));
    }
    // A section that has changed is counted once, too.
    world.write("guide.md", "# Guide\n\nOther text.\n");
    let kinds = ["text".to_owned()];
    let query = SearchQuery { sections_now: &|_| None, kinds: &kinds, ..everything("retry calls") };
    let found = index.search(&query, Some(model)).unwrap();
    assert_eq!((found.hits.len(), found.outdated), (1, 2));
}

fn copies_in_other_sources_take_no_places_in_the_lists(world: &World) {
    let section = |nth: usize| format!("## Part {nth}\n\n{}{}\n\n", "redis cache ".repeat(30), "word ".repeat(nth));
    world.write("a/b/docs/big.md", &(0..60).map(section).collect::<String>());
    let folder = |id: &str, name: &str| local(id, &world.path().join(name), PathState::Directory);
    let sources =
        [world.file("big", "a/b/docs/big.md"), folder("docs", "a/b/docs"), folder("b", "a/b"), folder("a", "a")];
    let mut alone = Vec::new();
    for many in 1..=sources.len() {
        world.update(sources[..many].to_vec());
        let (index, model) = world.index();
        let kinds = ["text".to_owned()];
        let query = SearchQuery { kinds: &kinds, ..everything("redis") };
        let found = index.search(&query, Some(model)).unwrap().hits.into_iter();
        let found: Vec<(String, Vec<HitRank>)> = found.map(|hit| (hit.heading, hit.because)).collect();
        if many == 1 {
            alone = found;
            assert!(alone.len() >= LISTED, "{}", alone.len());
        } else {
            assert_eq!(found, alone, "{many} sources");
        }
    }
}

fn queries_of_any_text_have_an_answer(world: &World) {
    fill(world);
    for text in ["", " ", "\"", "?!", "🦀 😀", "\0", "\"\"", "--"] {
        let found = search(world, text);
        assert!(found.is_empty && found.hits.is_empty(), "{text}");
    }
    for text in [
        "a\"b OR c*",
        "NEAR(a b)",
        "title:x",
        "{a b}: c",
        "^x",
        "a AND NOT b",
        "\"a b\" + c",
        "日本語のテキスト",
        "retry\0x",
    ] {
        assert!(!search(world, text).is_empty, "{text}");
    }
    let many: String = (0..2_000).map(|nth| format!("w{nth} ")).collect();
    for long in [many, "retry ".repeat(5_000), "x".repeat(100_000), "\"a b\" ".repeat(2_000)] {
        assert!(search(world, &long).is_cut);
    }
    assert!(search(world, &"retry ".repeat(5_000)).hits.iter().any(|hit| hit.heading.ends_with("Retries")));
}

#[test]
fn vectors_that_cannot_be_compared_take_no_part_and_are_counted() {
    let world = World::new();
    fill(&world);
    let whole = search(&world, "breaker");
    assert_eq!((whole.partial, whole.incomparable), (None, 0));
    let connection = rusqlite::Connection::open(world.path().join(".jaato/refdesk/index.db")).unwrap();
    let change = "UPDATE vectors SET embedding = zeroblob(32) WHERE content_hash IN
                  (SELECT content_hash FROM documents WHERE source_id = 'note' AND doc_type = 'text')";
    assert_eq!(connection.execute(change, ()).unwrap(), 1);
    let change = "UPDATE vectors SET embedding = zeroblob(7) WHERE content_hash IN
                  (SELECT content_hash FROM documents WHERE source_id = 'saga' AND doc_type = 'text')";
    assert_eq!(connection.execute(change, ()).unwrap(), 1);
    drop(connection);
    let found = search(&world, "breaker saga");
    assert_eq!(found.incomparable, 2);
    assert!(found.partial.is_some());
    let note = found.hits.iter().find(|hit| hit.source == "note" && hit.kind == "text").unwrap();
    assert!(note.because.iter().all(|placing| placing.list == RankedList::Words), "{:?}", note.because);
    let status = |world: &World| world.index().0.status("letters", &[]).unwrap();
    assert_eq!(status(&world).without_vector, 2);
    fill(&world);
    assert_eq!(
        (search(&world, "breaker").incomparable, status(&world).without_vector),
        (0, 0),
        "an update repairs them"
    );
}

#[test]
fn the_best_by_words_stays_first_while_vectors_are_computed() {
    let world = World::new();
    fill(&world);
    let connection = rusqlite::Connection::open(world.path().join(".jaato/refdesk/index.db")).unwrap();
    // Only `note` keeps its vector.
    let change = "DELETE FROM vectors WHERE content_hash NOT IN
                  (SELECT content_hash FROM documents WHERE source_id = 'note')";
    assert!(connection.execute(change, ()).unwrap() > 0);
    drop(connection);
    let by_words = {
        let (index, _) = world.index();
        index.search(&everything("circuit breakers fail calls"), None).unwrap()
    };
    let found = search(&world, "circuit breakers fail calls");
    assert!(found.partial.is_some());
    assert_eq!((found.hits[0].source.as_str(), found.mode), ("guide", SearchMode::Hybrid));
    assert_eq!(found.hits[0].heading, by_words.hits[0].heading);
}

fn texts_without_blanks_are_found_by_what_is_in_them(world: &World) {
    // The same characters as the query, but in a different order.
    world.update(vec![
        inline("a", "# 行試再\n\n行試再 行試再"),
        inline("ja", "# 支払い\n\n支払いが失敗したら再試行は三回までとする。"),
    ]);
    assert_eq!(search(world, "再試行").hits[0].source, "ja");
    world.update(vec![
        inline("ja", "# 支払い\n\n支払いが失敗したら再試行は三回までとする。"),
        inline("zh", "# 部署\n\n使用Rust编写的服务通过流水线部署到生产环境。"),
        inline("ko", "# 배포\n\n데이터베이스에서 스키마를 읽는다."),
        inline("en", "# Retry\n\na retry repeats a call"),
        inline("two", "# 一覧\n\n- 東京\n- 京都\n\n大阪だ、だ阪神"),
    ]);
    let (index, _) = world.index();
    for (query, expected) in [
        ("再試行", "ja"),
        ("失敗", "ja"),
        ("払", "ja"),
        ("生产环境", "zh"),
        ("\"生产环境\"", "zh"),
        ("\"再試行は三回\"", "ja"),
        ("\"失敗したら 三回\"", "ja"),
        ("\"的服务，部署到\"", "zh"),
        ("\"데이터베이스 스키마\"", "ko"),
        ("境", "zh"),
        ("rust", "zh"),
        ("데이터베이스", "ko"),
        ("retry", "en"),
    ] {
        let found = index.search(&everything(query), None).unwrap();
        let sources: Vec<_> = found.hits.iter().map(|hit| hit.source.as_str()).collect();
        assert_eq!(sources, [expected], "{query}");
    }
    for query in ["\"東京都\"", "\"阪だ阪\""] {
        assert!(index.search(&everything(query), None).unwrap().hits.is_empty(), "{query}");
    }
    let found = index.search(&everything("\"再試行\" \"行再試\""), None).unwrap();
    assert_eq!(found.hits[0].because[0].words, ["再試 試行"], "a phrase has an order");
    let whole = index.search(&everything("再試行は三回"), None).unwrap();
    assert!(whole.hits[0].score > 0.18, "it has every word: {whole:?}");
    let long = "再試行".repeat(2_000);
    let found = index.search(&everything(&long), None).unwrap();
    assert!(found.is_cut && found.hits.iter().any(|hit| hit.source == "ja"));
    let about =
        index.about(&crate::TopicQuery { text: "支払いの再試行", ..crate::TopicQuery::default() }, None).unwrap();
    assert_eq!(about.scored.first().map(|it| it.source.as_str()), Some("ja"), "hints by words, too");
}

fn names_are_found_by_their_parts(world: &World) {
    world.update(vec![
        inline("api", "# Calls\n\nCall selectReferences with ids."),
        inline("other", "# Other\n\nNothing."),
    ]);
    for text in [
        "selectReferences",
        "select_references",
        "select references",
        "SELECTREFERENCES",
        "reference",
        "\"select references\"",
    ] {
        let found = filtered(world, text, &["text".to_owned()], &|_| true);
        assert_eq!(found.hits[0].source, "api", "{text}");
    }
}

fn the_only_place_of_a_name_comes_first(world: &World) {
    let mut sources: Vec<_> = (0..30)
        .map(|nth| {
            inline(
                &format!("m{nth}"),
                &format!("# Metrics {nth}\n\nrequest duration, git, seconds: git_seconds_request_{nth}"),
            )
        })
        .collect();
    sources.push(inline(
        "only",
        &format!("# Zebra\n\n{}git_request_duration_seconds is a histogram.", "Something else. ".repeat(30)),
    ));
    sources.push(inline(
        "rare",
        &format!("# Other\n\n{}quagga lives here.", "Unlike the query in its letters. ".repeat(20)),
    ));
    sources.push(inline("near", "# Gauqga\n\naquag gaqua agauq"));
    world.update(sources);
    for (text, expected) in [
        ("git_request_duration_seconds", "only"),
        ("git-request-duration-seconds", "only"),
        ("\"git request duration seconds\"", "only"),
        ("quagga", "rare"),
        ("\"quagga lives\"", "rare"),
    ] {
        let found = filtered(world, text, &["text".to_owned()], &|_| true);
        assert_eq!(found.hits[0].source, expected, "{text}");
    }
}

fn two_words_are_found_as_one(world: &World) {
    world.update(vec![
        inline("one", "# One\n\nBackoff of retries, with a limit."),
        inline("many", "# Many\n\nback back back"),
        inline("none", "# None\n\nOffset and onset."),
    ]);
    let (index, _) = world.index();
    let found = index.search(&everything("how do retries back off"), None).unwrap();
    let sources: Vec<&str> = found.hits.iter().map(|hit| hit.source.as_str()).collect();
    assert_eq!(sources, ["one", "many"]);
    let best = &found.hits[0];
    assert_eq!(best.because[0].words, ["retries", "backoff"]);
    assert!(marked(best, &found).contains(&"Backoff".to_owned()), "{best:?}");
    assert!(best.score > 0.18, "it has every word: {best:?}");
    let found = index.search(&everything("retries back-off"), None).unwrap();
    assert_eq!((found.hits[0].source.as_str(), &found.hits[0].because[0].words), ("one", &best.because[0].words));
    assert!(found.hits[0].score > 0.18, "it has every word: {found:?}");
}

fn a_word_is_found_as_two(world: &World) {
    world.update(vec![
        inline("two", "# Releases\n\nRolling back is easy. Then log in again, by e-mail, in colour."),
        inline("one", "# Hooks\n\nA setup, with a ground layer."),
        inline("other", "# Other\n\nSet up. The rol of lback."),
    ]);
    let (index, _) = world.index();
    for (query, expected) in [
        ("rollback", &["two"][..]),
        ("Login again", &["two"]),
        ("email in color", &["two"]),
        // A document contains this word.
        ("setup", &["one"]),
        ("playground", &[]),
    ] {
        let found = index.search(&everything(query), None).unwrap().hits;
        assert_eq!(found.iter().map(|hit| hit.source.as_str()).collect::<Vec<_>>(), expected, "{query}");
        assert!(found.iter().all(|hit| hit.score > 0.18), "it has every word: {found:?}");
    }
    let found = index.search(&everything("rollback"), None).unwrap();
    assert_eq!(marked(&found.hits[0], &found), ["Rolling", "back"]);
    assert_eq!(found.hits[0].because[0].words, ["roll back"]);
}

fn a_single_character_counts_with_the_word_beside_it(world: &World) {
    let filler = "More of it, for those who want it. ".repeat(10);
    world.update(vec![
        inline("one", "# Tier 1\n\nTier tier. Includes mail."),
        inline("two", "# Tier 2\n\nTier tier tier. Includes mail."),
        inline("three", &format!("# Tier 3\n\nIncludes mail. {filler}")),
        inline("plan", &format!("# Plan B\n\nWhat else, in the C language. {filler}")),
        inline("plans", "# Plans\n\nPlan plan, language."),
    ]);
    for (query, expected) in [
        ("tier 1", "one"),
        ("tier 2", "two"),
        ("tier 3", "three"),
        ("Tier3", "three"),
        ("what does tier 3 include", "three"),
        ("plan B?", "plan"),
        ("the C language", "plan"),
    ] {
        let found = world.index().0.search(&everything(query), None).unwrap().hits;
        assert_eq!(found[0].source, expected, "{query}: {found:?}");
    }
    assert_eq!(world.index().0.search(&everything("tier 9"), None).unwrap().hits.len(), 3, "no text has this phrase");
}

fn marks_are_part_of_a_word(world: &World) {
    world.update(vec![
        inline("hindi", "# भाषा\n\nहिन्दी सीखने की किताब यहाँ है।"),
        inline("gave", "# छुट्टी\n\nकंपनी ने सबको छुट्टी दी और बोनस दी।"),
        inline("thai", "# รหัสผ่าน\n\nเปลี่ยนรหัสผ่านทุกปี และห้ามบอกใคร"),
        inline("khmer", "# ភាសា\n\nភាសាខ្មែរពិបាកណាស់"),
        inline("crew", "# Crew\n\nThe ops \u{1f469}\u{200d}\u{1f4bb} team meets."),
        inline("city", "# 市\n\n葛\u{e0100}城市は奈良県にある。"),
        inline("french", "# Cafe\u{301}\n\nUn cafe\u{301} noir, 1\u{fe0f}\u{20e3} tasse"),
    ]);
    let (index, _) = world.index();
    for (query, expected) in [
        ("हिन्दी", "hindi"),
        ("दी", "gave"),
        ("เปลี่ยนรหัส", "thai"),
        ("\"บอกใคร\"", "thai"),
        ("ខ្មែរ", "khmer"),
        ("café", "french"),
        ("cafe", "french"),
        ("\"1 tasse\"", "french"),
        ("\"ops team\"", "crew"),
        ("葛", "city"),
        ("葛\u{e0100}城市", "city"),
    ] {
        let found = index.search(&everything(query), None).unwrap().hits;
        assert_eq!(found.iter().map(|hit| hit.source.as_str()).collect::<Vec<_>>(), [expected], "{query}");
    }
}

fn letters_are_found_in_basic_letters(world: &World) {
    world.update(vec![
        inline("de", "# Größe\n\nDie Größe zählt."),
        inline("ch", "# Strasse\n\nDie Strasse ist frei."),
        inline("pl", "# Łódź\n\nŁódź leży w Polsce."),
        inline("dk", "# Smørrebrød\n\nSmørrebrød er godt."),
        inline("ru", "# Ёлка\n\nЁлка стоит."),
        inline("ru2", "# Ежик\n\nЕжик спит."),
        inline("el", "# Ελληνικά\n\nΤα Ελληνικά είναι εδώ."),
        inline("el2", "# ΛΟΓΟΣ\n\nΟ ΛΟΓΟΣ ΕΙΝΑΙ ΕΔΩ."),
        inline("ko", "# \u{1112}\u{1161}\u{11ab}\u{1100}\u{116e}\u{11a8}\u{110b}\u{1165}"),
    ]);
    let (index, _) = world.index();
    for (text, expected) in [
        ("GRÖSSE", "de"),
        ("grosse", "de"),
        ("größe", "de"),
        ("Straße", "ch"),
        ("STRASSE", "ch"),
        ("lodz", "pl"),
        ("ŁÓDŹ", "pl"),
        ("smorrebrod", "dk"),
        ("елка", "ru"),
        ("ёжик", "ru2"),
        ("ΕΛΛΗΝΙΚΑ", "el"),
        ("ελληνικα", "el"),
        ("Λόγος", "el2"),
        ("한국어", "ko"),
    ] {
        let found = index.search(&everything(text), None).unwrap();
        assert_eq!(found.hits.first().map(|hit| hit.source.as_str()), Some(expected), "{text}");
    }
}

fn the_section_and_the_excerpt_have_the_word_that_was_found(world: &World) {
    let (guide, connection) = ("カ\u{3099}イト\u{3099}", "\u{110b}\u{1167}\u{11ab}\u{1100}\u{1167}\u{11af}");
    let words = ["Three VMs", "A café", "On node18", "GRÖSSE", "maxRetryCount", "policies", "v2.8", "再試行は三回"];
    let words = words.into_iter().chain([guide, connection]);
    let sections = words.enumerate().map(|(nth, word)| format!("## Part {nth}\n\n{word} here.\n\n"));
    world.write("all.md", &format!("# All\n\n{}", sections.collect::<String>()));
    world.update(vec![world.file("all", "all.md")]);
    let (index, _) = world.index();
    for (query, nth, expected) in [
        ("vm", 0, "VMs"),
        ("cafe", 1, "café"),
        ("node", 2, "node"),
        ("größe", 3, "GRÖSSE"),
        ("retry", 4, "Retry"),
        ("policy", 5, "policies"),
        ("2.8", 6, "2 8"),
        ("再試行", 7, "再試行"),
        ("\"再試行は\"", 7, "再試行は"),
        ("ガイド", 8, guide),
        ("연결", 9, connection),
    ] {
        let kinds = ["text".to_owned()];
        let found = index.search(&SearchQuery { kinds: &kinds, ..everything(query) }, None).unwrap();
        let hit = found.hits.first().unwrap_or_else(|| panic!("{query}"));
        assert_eq!((&hit.heading, hit.line), (&format!("All > Part {nth}"), 3 + 4 * nth), "{query}");
        assert_eq!(marked(hit, &found).join(" "), expected, "{query}");
    }
}

fn hints_and_hits_name_the_same_place(world: &World) {
    let (rest, quagga) = ("Ordinary words about weather. ".repeat(45), "A quagga is fed twice.");
    let text = format!("# Guide\n\n## Feeding\n\n{rest}\n\n{rest}\n\n{quagga}\n\n## Next\n\nAbout gundis.\n");
    world.write("guide.md", &text);
    world.update(vec![world.file("guide", "guide.md")]);
    let (index, _) = world.index();
    for (word, expected) in
        [("quagga", ("Guide > Feeding", 7)), ("gundi", ("Guide > Next", 11)), ("feeding", ("Guide > Feeding", 3))]
    {
        let kinds = ["text".to_owned()];
        let hits = index.search(&SearchQuery { kinds: &kinds, ..everything(word) }, None).unwrap().hits;
        let about = index.about(&crate::TopicQuery { text: word, ..crate::TopicQuery::default() }, None).unwrap();
        let section = about.scored[0].section.as_ref().unwrap();
        assert_eq!((hits[0].heading.as_str(), hits[0].line), expected, "{word}");
        assert_eq!((section.heading.as_str(), section.line), expected, "{word}");
    }
}

#[test]
fn a_damaged_vector_leaves_the_others_alone_and_is_repaired() {
    for damage in ["embedding = substr(embedding, 1, 7)", "scale = 9e999", "scale = -scale", "scale = 0"] {
        let world = World::new();
        fill(&world);
        let connection = rusqlite::Connection::open(world.path().join(".jaato/refdesk/index.db")).unwrap();
        let first = "content_hash = (SELECT min(content_hash) FROM vectors)";
        connection.execute(&format!("UPDATE vectors SET {damage} WHERE {first}"), ()).unwrap();
        drop(connection);
        let found = search(&world, "breaker");
        assert_eq!((found.incomparable, found.mode), (1, SearchMode::Hybrid), "{damage}: {found:?}");
        fill(&world);
        assert_eq!(search(&world, "breaker").incomparable, 0, "{damage}");
    }
}

#[test]
fn vectors_of_another_length_than_the_question_are_counted() {
    let world = World::new();
    fill(&world);
    let connection = rusqlite::Connection::open(world.path().join(".jaato/refdesk/index.db")).unwrap();
    connection.execute("UPDATE vectors SET embedding = x'0102'", ()).unwrap();
    drop(connection);
    let found = search(&world, "breaker");
    assert!(found.incomparable > 0 && found.mode == SearchMode::Words, "{found:?}");
}

fn letters_without_a_meaning_find_only_what_is_near(world: &World) {
    world.update(vec![inline("near", "zzzzqqqqaaaa"), inline("distant", "zzqqbbbbccccdddd")]);
    for (text, expected) in [
        ("qqqqzzzzaaaa", vec!["near"]),
        ("eeeeffffgggg", vec![]),
        // The model knows these words.
        ("qqzzaa", vec!["near", "distant"]),
        ("qqqqzzzzaaaa qq", vec!["near", "distant"]),
    ] {
        let found = filtered(world, text, &["text".to_owned()], &|_| true);
        assert_eq!(found.hits.iter().map(|hit| hit.source.as_str()).collect::<Vec<_>>(), expected, "{text}");
    }
    // A word counts as known even if it occurs only in a source that the filter excludes.
    let found = filtered(world, "zzzzqqqqaaaa", &["text".to_owned()], &|id| id == "distant");
    assert_eq!(found.hits.len(), 1);
}
