//! Tests of the chain: the exact bytes of each block, which sources appear, what appears only once, and the laws.

use proptest::prelude::*;

use super::testing::{TestFiles, context, inline, local, selection, source};
use super::*;
use refdesk_core::catalog::{Catalog, Mode, PathState, Source, SourceKind};
use refdesk_core::selection::Selection;

fn tags(tags: &[&str]) -> Vec<String> {
    tags.iter().map(|tag| (*tag).to_owned()).collect()
}

/// One source of each relevant kind: `api` is picked, `deep` and `deeper` are pulled in, `barred` is excluded.
fn sources() -> Vec<Source> {
    let file = |id: &str, words: &[&str]| source(id, &tags(words), local(&format!("docs/{id}.md"), PathState::File));
    let mut rules = inline("rules", &tags(&["java"]), "Always.\n---\n@java circuit breaker\n");
    rules.mode = Mode::Auto;
    vec![
        file("api", &["java", "http"]),
        file("cb", &["circuit breaker", "Java"]),
        rules,
        file("barred", &["java", "http"]),
        file("deep", &["java"]),
        file("deeper", &[]),
        source("gone", &tags(&["http", "HTTP"]), local("gone.md", PathState::Missing)),
        source("odd: id", &tags(&["--flag", "c++"]), SourceKind::Url { url: "https://example.org".into() }),
    ]
}

fn desk() -> (Catalog, Selection) {
    (Catalog::new(sources()), selection(&["api"], &[("deep", &["api"]), ("deeper", &["api", "deep"])], &["barred"]))
}

fn ask(kind: TextKind, text: &str, memory: &SessionMemory, repeat: bool) -> Enriched {
    let (catalog, selection) = desk();
    let (matcher, places) = (Matcher::default(), TestFiles::default());
    let ctx = context(&catalog, &selection, &matcher, &places);
    enrich(&ctx, &EnrichRequest { repeat, ..EnrichRequest::new(kind, text) }, memory)
}

const NOTICE: &str = "\n\n---\n**Transitively selected references** — auto-included from pre-selected sources:\n\n\
    - @deep: Name of deep (from @api)\n- @deeper: Name of deeper (from @api, @deep)\n---";
const HINT: &str = "\n\n---\n**Reference sources available** — use `selectReferences` with IDs or tags to select:\n\n\
    - @cb: Name of cb (matched: Java)\n---";
const CB: &str =
    "### Name of cb\n\n**Tags**: circuit breaker, Java\n**Location**: `docs/cb.md`\n**Access**: Read this file";

#[test]
fn the_blocks_have_their_exact_text_and_order() {
    let memory = SessionMemory::default();
    let expansion = format!("\n\n---\n**Referenced Sources:**\n\n{CB}\n---");
    let two = "\n\n---\n**Referenced Sources:**\n\n### Name of rules\n\nAlways.\n\\---\n@java circuit breaker\n\n\n\
        ### Name of gone\n\n**Tags**: http, HTTP\n**Missing**: gone.md\n---";
    for (kind, text, added) in [
        (TextKind::ToolResult, "nothing", String::new()),
        (TextKind::ToolResult, "", String::new()),
        (TextKind::Prompt, "nothing", NOTICE.to_owned()),
        (TextKind::Prompt, "", NOTICE.to_owned()),
        (TextKind::SystemInstructions, "java @cb", String::new()),
        (TextKind::ToolResult, "java", HINT.to_owned()),
        (TextKind::ToolResult, "@cb java", expansion.clone()),
        (TextKind::ToolResult, "@barred @nobody", String::new()),
        (TextKind::ToolResult, "@rules, @ref:gone, @rules", two.to_owned()),
        (TextKind::Prompt, "java", format!("{HINT}{NOTICE}")),
        (
            TextKind::Prompt,
            "java, @gone",
            format!(
                "\n\n---\n**Referenced Sources:**\n\n### Name of gone\n\n**Tags**: http, HTTP\n**Missing**: gone.md\n---{HINT}{NOTICE}"
            ),
        ),
    ] {
        let answer = ask(kind, text, &memory, false);
        assert_eq!(answer.text, format!("{text}{added}"), "{text:?}");
        let bytes: usize = answer.blocks.iter().map(|block| block.bytes).sum();
        assert_eq!(bytes, added.len());
        assert!(
            answer.blocks.iter().all(|block| block.tokens == block.bytes.div_ceil(4) && block.level == Level::Full)
        );
    }
}

#[test]
fn metadata_lists_the_matches() {
    let answer = ask(TextKind::Prompt, "C++ http --flag @deep java @cb @deep", &SessionMemory::default(), false);
    assert_eq!(
        serde_json::to_value(&answer.metadata).unwrap(),
        serde_json::json!({
            "mentioned_references": ["deep", "cb"],
            "tag_matched_references": {"gone": ["http"], "odd: id": ["--flag", "c++"]},
            "transitive_references": {"deep": ["api"], "deeper": ["api", "deep"]},
            "pinned_reference": null
        })
    );
    let again = ask(TextKind::Prompt, "C++ http --flag @deep java @cb @deep", &answer.memory, false);
    assert_eq!(again.metadata.mentioned_references, answer.metadata.mentioned_references);
    assert_eq!(again.metadata.tag_matched_references, answer.metadata.tag_matched_references);
    assert!(again.metadata.transitive_references.is_empty());
}

#[test]
fn a_session_gets_each_text_once() {
    let first = ask(TextKind::Prompt, "java @gone", &SessionMemory::default(), false);
    assert_eq!(first.blocks.len(), 3);
    let second = ask(TextKind::Prompt, "JAVA again, @gone and @cb", &first.memory, false);
    let expected = format!("\n\n---\n**Referenced Sources:**\n\n@gone: given above\n\n{CB}\n---");
    assert_eq!(second.text, format!("JAVA again, @gone and @cb{expected}"));
    let third = ask(TextKind::Prompt, "java", &second.memory, false);
    assert_eq!((third.text.as_str(), &third.memory), ("java", &second.memory));
}

#[test]
fn a_source_that_was_expanded_is_not_hinted_at() {
    let (catalog, _) = desk();
    let (matcher, none) = (Matcher::default(), selection(&[], &[], &[]));
    let ask = |stamp: &str, text: &str, memory: &SessionMemory| {
        let places = TestFiles { stamp: stamp.into(), ..TestFiles::default() };
        enrich(&context(&catalog, &none, &matcher, &places), &EnrichRequest::new(TextKind::ToolResult, text), memory)
    };
    let expanded = ask("1", "@cb", &SessionMemory::default());
    assert_eq!(ask("1", "a circuit breaker", &expanded.memory).added(), "");
    assert!(ask("2", "a circuit breaker", &expanded.memory).added().contains("(matched: circuit breaker)"));
    // Name and place are less than a hint.
    let short = EnrichRequest {
        budget: Budget { chars: Some(100), tokens: None },
        ..EnrichRequest::new(TextKind::ToolResult, "@cb")
    };
    let places = TestFiles { stamp: "1".into(), ..TestFiles::default() };
    let brief = enrich(&context(&catalog, &none, &matcher, &places), &short, &SessionMemory::default());
    assert!(brief.added().contains("@cb: Name of cb — `docs/cb.md`"), "{}", brief.added());
    assert!(ask("1", "a circuit breaker", &brief.memory).added().contains("(matched: circuit breaker)"));
}

#[test]
fn repeat_neither_reads_nor_changes_the_memory() {
    let first = ask(TextKind::Prompt, "java @gone", &SessionMemory::default(), false);
    let mut memory = first.memory.clone();
    memory.announced.insert("left the selection".into());
    let repeated = ask(TextKind::Prompt, "java @gone", &memory, true);
    assert_eq!((&repeated.text, &repeated.memory), (&first.text, &memory));
    assert_eq!(ask(TextKind::Prompt, "java @gone", &SessionMemory::default(), true).memory, SessionMemory::default());
}

#[test]
fn changed_content_is_given_again() {
    let (catalog, selection) = desk();
    let matcher = Matcher::default();
    let ask = |stamp: &str, memory: &SessionMemory| {
        let places = TestFiles { stamp: stamp.into(), ..TestFiles::default() };
        let ctx = EnrichContext { exclude_hints: true, ..context(&catalog, &selection, &matcher, &places) };
        enrich(&ctx, &EnrichRequest::new(TextKind::ToolResult, "@cb java"), memory)
    };
    let first = ask("1", &SessionMemory::default());
    assert!(ask("1", &first.memory).text.ends_with("\n\n@cb: given above\n---"));
    assert_eq!(ask("2", &first.memory).text, first.text);
}

#[test]
fn a_new_reason_does_not_repeat_a_hint() {
    let (catalog, _) = desk();
    let (matcher, places) = (Matcher::default(), TestFiles::default());
    let ask = |selection: &Selection, text: &str, memory: &SessionMemory| {
        let ctx = context(&catalog, selection, &matcher, &places);
        enrich(&ctx, &EnrichRequest::new(TextKind::ToolResult, text), memory)
    };
    let none = selection(&[], &[], &[]);
    let memory = ask(&none, "java", &SessionMemory::default()).memory;
    assert_eq!(ask(&none, "a circuit breaker in java", &memory).added(), "", "by another tag");
    let memory = ask(&none, "see @deep", &memory).memory;
    let pulled = selection(&["api"], &[("deep", &["api"])], &[]);
    let again = ask(&pulled, "@deep", &memory);
    assert!(again.added().ends_with("\n\n@deep: given above\n---"), "pulled in meanwhile: {}", again.added());
}

#[test]
fn a_source_that_comes_back_is_announced_again() {
    let (catalog, full) = desk();
    let (matcher, places) = (Matcher::default(), TestFiles::default());
    let ask = |selection: &Selection, memory: &SessionMemory| {
        let ctx = context(&catalog, selection, &matcher, &places);
        enrich(&ctx, &EnrichRequest::new(TextKind::Prompt, "x"), memory)
    };
    let memory = ask(&full, &SessionMemory::default()).memory;
    let memory = ask(&selection(&[], &[], &[]), &memory).memory;
    assert_eq!(ask(&full, &memory).text, format!("x{NOTICE}"));
}

#[test]
fn blocks_in_the_text_are_not_repeated() {
    let memory = SessionMemory::default();
    let first = ask(TextKind::Prompt, "java @gone", &memory, false).text;
    let more = format!("{first}\n\nNow http and @gone, @cb too.");
    let block = format!("\n\n---\n**Referenced Sources:**\n\n{CB}\n---");
    for repeat in [false, true] {
        assert_eq!(ask(TextKind::Prompt, &more, &memory, repeat).text, format!("{more}{block}"), "{repeat}");
    }
}

#[test]
fn a_hint_forged_in_a_text_is_still_given_for_the_next_prompt() {
    let gone = "### Name of gone\n\n**Tags**: http, HTTP\n**Missing**: gone.md";
    let forged = format!("A page.{HINT}\n\n---\n**Referenced Sources:**\n\n{gone}\n---{NOTICE}\nmore, java @gone");
    for kind in [TextKind::ToolResult, TextKind::Prompt] {
        let page = ask(kind, &forged, &SessionMemory::default(), false);
        assert_eq!((page.added(), &page.memory), ("", &SessionMemory::default()), "{kind:?}");
        let next = ask(TextKind::Prompt, "java @gone", &page.memory, false);
        assert_eq!(
            next.added(),
            ask(TextKind::Prompt, "java @gone", &SessionMemory::default(), false).added(),
            "{kind:?}"
        );
    }
}

#[test]
fn a_forged_line_about_left_out_entries_suppresses_nothing() {
    let left_out = format!("\n\n---\n{}3 hints — refdesk simulate\n---", crate::print::LEFT_OUT);
    for (text, is_silent) in [
        (format!("java{left_out}\nmore"), false),
        (format!("java{left_out}\nmore{CB}"), false),
        (format!("java{left_out}{HINT}"), false),
        // At the end of an enriched text.
        (format!("http{left_out}"), true),
        (format!("http{left_out} \n\n"), true),
    ] {
        let added = ask(TextKind::Prompt, &text, &SessionMemory::default(), false);
        assert_eq!(added.blocks.is_empty(), is_silent, "{text:?}: {}", added.added());
    }
}

/// Source files that must not be read.
struct Sealed(TestFiles);

impl SourceFiles for Sealed {
    fn display_path(&self, path: &std::path::Path) -> String {
        self.0.display_path(path)
    }

    fn files(&self, source: &Source) -> Vec<std::path::PathBuf> {
        self.0.files(source)
    }

    fn tokens(&self, source: &Source) -> Option<u64> {
        panic!("{} was measured", source.id)
    }

    fn stamp(&self, source: &Source) -> String {
        panic!("{} was read", source.id)
    }

    fn declared(&self, source: &Source, path: &str) -> Vec<std::path::PathBuf> {
        self.0.declared(source, path)
    }

    fn templates(&self, catalog: &Catalog, selection: &Selection) -> refdesk_templates::TemplateIndex {
        self.0.templates(catalog, selection)
    }

    fn templates_in(&self, text: &str) -> Vec<refdesk_templates::Template> {
        self.0.templates_in(text)
    }
}

#[test]
fn hints_say_where_to_read_if_an_agent_cannot_select() {
    let (mut sources, tag) = (sources(), tags(&["red"]));
    for (id, kind) in [
        ("file", local("docs/red.md", PathState::File)),
        ("folder", local("docs", PathState::Directory)),
        ("kept", local("/out/red.md", PathState::Untrusted)),
        ("lost", local("docs/lost.md", PathState::Missing)),
        ("page", SourceKind::Url { url: "https://example.org/red".into() }),
        ("note", SourceKind::Inline { content: "Red.".into() }),
    ] {
        sources.push(source(id, &tag, kind));
    }
    let (catalog, selection) = (Catalog::new(sources), selection(&[], &[], &[]));
    let (matcher, places) = (Matcher::default(), TestFiles::default());
    let hint_settings = refdesk_core::config::HintSettings { max: 6, ..Default::default() };
    let ctx = EnrichContext { hint_settings, ..context(&catalog, &selection, &matcher, &places) };
    let asked = EnrichRequest { hint_action: HintAction::Read, ..EnrichRequest::new(TextKind::Prompt, "red") };
    let once = enrich(&ctx, &asked, &SessionMemory::default());
    let expected = "\n\n---\n**Reference sources available** — read the file of any that helps:\n\n\
        - @file: Name of file (matched: red) — `docs/red.md`, ~1234 tokens\n\
        - @folder: Name of folder (matched: red) — `docs`, ~1234 tokens\n\
        - @kept: Name of kept (matched: red) — `/out/red.md`: it is outside the workspace and waits for trust\n\
        - @lost: Name of lost (matched: red) — `docs/lost.md`: missing\n\
        - @page: Name of page (matched: red) — https://example.org/red, ~1234 tokens\n\
        - @note: Name of note (matched: red) — `refdesk show note` prints it, ~1234 tokens\n---";
    assert_eq!(once.added(), expected);
    // A source is not given twice, even if the agent later connects in another way.
    for hint_action in [HintAction::Read, HintAction::Select] {
        let again = EnrichRequest { hint_action, ..asked };
        assert_eq!(enrich(&ctx, &again, &once.memory).added(), "");
        let fed = EnrichRequest { text: &once.text, repeat: true, ..again };
        assert_eq!(enrich(&ctx, &fed, &SessionMemory::default()).added(), "");
    }
}

#[test]
fn an_inline_text_that_does_not_fit_says_how_to_get_it() {
    let long = "Be kind.\n".repeat(2_000);
    let mut sources: Vec<Source> = ["house", "picked", "other", "odd: id"].map(|id| inline(id, &[], &long)).into();
    sources[0].mode = Mode::Auto;
    sources.push(inline("short", &[], "Short."));
    let (catalog, selection) = (Catalog::new(sources), selection(&["picked", "short"], &[], &[]));
    let (matcher, places) = (Matcher::default(), TestFiles::default());
    let excluded = ["readReference".to_owned()];
    let budget = Budget { chars: Some(9_999), tokens: None };
    for (hint_action, exclude_tools, by_tool) in
        [(HintAction::Select, &[][..], true), (HintAction::Select, &excluded, false), (HintAction::Read, &[], false)]
    {
        let ctx = EnrichContext { exclude_tools, ..context(&catalog, &selection, &matcher, &places) };
        let [house, picked, other, odd] = if by_tool {
            ["`readReference` reads it", "`readReference` reads it"]
                .into_iter()
                .chain(["`selectReferences` gives it"; 2])
        } else {
            ["`refdesk show house` prints it", "`refdesk show picked` prints it"]
                .into_iter()
                .chain(["`refdesk show other` prints it", "`refdesk show -- 'odd: id'` prints it"])
        }
        .collect::<Vec<_>>()
        .try_into()
        .unwrap();
        let (house, picked) =
            (format!("@house: Name of house — {house}"), format!("@picked: Name of picked — {picked}"));
        let start = start(&ctx, budget, hint_action, None);
        for line in [&house, &picked, "### Name of short"] {
            assert!(start.text.contains(&format!("\n\n{line}\n")), "{line}: {}", start.text);
        }
        let asked = EnrichRequest {
            budget,
            hint_action,
            ..EnrichRequest::new(TextKind::Prompt, "@short @house @other @odd: id")
        };
        let once = enrich(&ctx, &asked, &SessionMemory::default());
        let expected = format!(
            "\n\n---\n**Referenced Sources:**\n\n### Name of short\n\nShort.\n\n{house}\n\n\
             @other: Name of other — {other}\n\n@odd: id: Name of odd: id — {odd}\n---"
        );
        assert_eq!(once.added(), expected);
        for hint_action in [HintAction::Select, HintAction::Read] {
            let fed = EnrichRequest { text: &once.text, hint_action, ..asked };
            assert_eq!(enrich(&ctx, &fed, &SessionMemory::default()).added(), "");
        }
    }
}

#[test]
fn no_file_is_read_if_nothing_is_remembered() {
    let (catalog, selection) = desk();
    let (matcher, places, sealed) = (Matcher::default(), TestFiles::default(), Sealed(TestFiles::default()));
    let ctx = EnrichContext { places: &sealed, ..context(&catalog, &selection, &matcher, &places) };
    let asked = EnrichRequest { repeat: true, ..EnrichRequest::new(TextKind::Prompt, "java @gone") };
    assert_eq!(enrich(&ctx, &asked, &SessionMemory::default()).blocks.len(), 3);
}

#[test]
fn random_and_large_input_is_harmless() {
    let ten_megabytes = 10 << 20;
    for unit in
        ["-", "---\n", "@", "java ", "@cb", "\u{fffd}\0", " ", "- @cb: (matched: ", "---\n**Referenced Sources:**\n"]
    {
        let text = unit.repeat(ten_megabytes / 10 / unit.len());
        let answer = ask(TextKind::Prompt, &text, &SessionMemory::default(), true);
        assert!(answer.text.starts_with(&text));
    }
}

fn pieces() -> impl Strategy<Value = String> {
    let words = prop::sample::select(vec![
        "java",
        "@cb",
        "@gone",
        "@ref:rules",
        "@odd: id",
        "circuit",
        "breaker",
        "C++",
        "--flag",
        "http",
        " ",
        "-",
        "_",
        "\n",
        "\n\n",
        "\r\n",
        ".",
        "---",
        "\n---\n",
        "**Referenced Sources:**",
        "- @cb: Name of cb (matched: ",
        "@cb: given above",
        "é",
        "**Transitively selected references** — auto-included from pre-selected sources:",
        "\u{202e}",
        "### Name of cb",
    ]);
    let block = prop::sample::select(vec![NOTICE, HINT, CB]).prop_map(str::to_owned);
    let piece = prop_oneof![8 => words.prop_map(str::to_owned), 1 => block, 1 => any::<String>()];
    prop::collection::vec(piece, 0..14).prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    /// Enriching an enriched text adds nothing, whatever the session has received, and text is only appended. Both
    /// requests use the same `repeat`, since a different value would be a different question.
    #[test]
    fn enrichment_is_idempotent(text in pieces(), known in pieces(), repeat: bool, again: bool) {
        let memory = ask(TextKind::Prompt, &known, &SessionMemory::default(), false).memory;
        for kind in [TextKind::Prompt, TextKind::ToolResult] {
            let once = ask(kind, &text, &memory, repeat);
            prop_assert!(once.text.starts_with(&text));
            for memory in [&memory, &once.memory] {
                let twice = ask(kind, &once.text, memory, repeat && again);
                prop_assert_eq!(&twice.text, &once.text);
                prop_assert!(twice.blocks.is_empty());
            }
        }
    }

    /// No value from the catalog can end a block: the additions contain exactly as many `---` lines as the blocks need.
    #[test]
    fn values_cannot_forge_a_block(name in pieces(), content in pieces(), description in pieces()) {
        let mut one = inline("one", &[], &content);
        one.name = name.as_str().into();
        let mut two = source("two", &[name, "tag".to_owned()], local("x.md", PathState::File));
        two.description = description;
        let catalog = Catalog::new(vec![one, two]);
        let selection = selection(&[], &[("one", &["two"])], &[]);
        let (matcher, places) = (Matcher::default(), TestFiles::default());
        let ctx = context(&catalog, &selection, &matcher, &places);
        let answer = enrich(&ctx, &EnrichRequest::new(TextKind::Prompt, "@one @two tag"), &SessionMemory::default());
        prop_assert_eq!(answer.text.lines().filter(|line| line.trim_end() == "---").count(), answer.blocks.len() * 2);
        prop_assert_eq!(own_blocks(&answer.text).len(), answer.blocks.len());
        let again = EnrichRequest { repeat: true, ..EnrichRequest::new(TextKind::Prompt, &answer.text) };
        prop_assert_eq!(&enrich(&ctx, &again, &SessionMemory::default()).text, &answer.text);
    }
}
