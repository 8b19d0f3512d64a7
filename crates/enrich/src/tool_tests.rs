//! Tests of enrichment after a tool call and at the start of a conversation: the exact text of reference contexts and
//! templates, entries given only once, instructions within a budget, and the laws.

use std::path::PathBuf;

use proptest::prelude::*;
use serde_json::{Value, json};

use super::testing::{TestFiles, context, inline, local, selection, source, template};
use super::*;
use crate::instruction::LISTED_FILES;
use refdesk_core::catalog::{Catalog, DirectoryContents, Mode, PathState, Source};
use refdesk_core::selection::Selection;
use refdesk_templates::Template;

/// A directory source that declares all contents, one that declares none, and a file in the root of the first.
fn sources() -> Vec<Source> {
    let mut all = source("mod", &["java".to_owned()], local("mod", PathState::Directory));
    let path = |path: &str| Some(path.to_owned());
    all.contents = Some(Box::new(DirectoryContents {
        templates: path("templates/"),
        policies: path("policies"),
        scripts: path("bin"),
        validation: path("checks"),
    }));
    let mut some = source("some", &[], local("some", PathState::Directory));
    some.contents = Some(Box::new(DirectoryContents { policies: path("policies"), ..DirectoryContents::default() }));
    let mut rules = inline("rules", &[], "Always.\n---\n");
    rules.mode = Mode::Auto;
    vec![
        all,
        some,
        rules,
        source("plain", &[], local("plain", PathState::Directory)),
        source("doc", &[], local("mod/DOC.md", PathState::File)),
        source("hinted", &["retry".to_owned()], local("hinted.md", PathState::File)),
        source("deep", &[], local("deep.md", PathState::File)),
        source("deeper", &[], local("deeper.md", PathState::File)),
    ]
}

fn source_files() -> TestFiles {
    let paths = |paths: &[&str]| paths.iter().map(|path| PathBuf::from("/w").join(path)).collect::<Vec<_>>();
    let declared = [
        ("templates/", paths(&["mod/templates/Entity.java.tpl", "mod/templates/notes.txt", "mod/templates/x/Dto.tpl"])),
        ("policies", paths(&["mod/policies/naming.md"])),
        ("bin", paths(&["mod/bin/a b.sh", "/elsewhere/run.py"])),
        ("checks", Vec::new()),
    ];
    TestFiles {
        absent: paths(&["mod/nope.md"]),
        declared: declared.into_iter().map(|(path, files)| (path.to_owned(), files)).collect(),
        templates: vec![
            template("Entity.java.tpl", "mod/templates/Entity.java.tpl", &["Entity", "basePackage"]),
            template("x/Dto.tpl", "mod/templates/x/Dto.tpl", &[]),
        ],
        ..TestFiles::default()
    }
}

fn chosen() -> Selection {
    selection(&["mod", "some", "plain", "doc"], &[("deep", &["mod"]), ("deeper", &["deep"])], &[])
}

fn with<T>(source_files: &TestFiles, act: impl FnOnce(&EnrichContext) -> T) -> T {
    let (catalog, selection, matcher) = (Catalog::new(sources()), chosen(), Matcher::default());
    act(&context(&catalog, &selection, &matcher, source_files))
}

fn ask_of(source_files: &TestFiles, text: &str, arguments: &Value, memory: &SessionMemory, budget: Budget) -> Enriched {
    let name = if arguments.get("id").is_some() { "mcp__refdesk__readReference" } else { "read" };
    let tool = Some(Tool { name: Some(name), arguments, cwd: None });
    with(source_files, |ctx| {
        enrich(ctx, &EnrichRequest { tool, budget, ..EnrichRequest::new(TextKind::ToolResult, text) }, memory)
    })
}

fn ask(text: &str, arguments: &Value, memory: &SessionMemory) -> Enriched {
    ask_of(&source_files(), text, arguments, memory, Budget::default())
}

const CONTEXT: &str = "\n\n---\n**Reference Context: Name of mod**\n\n\
    **Mandatory Templates** — Use `renderTemplateToFile` with these template IDs:\n  - `Entity.java.tpl`\n  - `x/Dto.tpl`\n\n\
    **Implementation Policies** — You must read and follow these constraints:\n  - `mod/policies/naming.md`\n\n\
    **Helper Scripts** — Available for use during implementation:\n  - `mod/bin/a b.sh`\n  - `/elsewhere/run.py`\n\n---";
const ONE: &str = "\n\n---\n**Reference Context: Name of some**\n\n\
    **Implementation Policies** — You must read and follow these constraints:\n  - `mod/policies/naming.md`\n\n---";
const TEXT: &str = "# One\n\n```java\nclass {{Name}} {}\n```\n\n# Two\n\n```\n{{#xs}}{{y}}{{/xs}}\n```\n";
const FOUND: &str = "\n\n---\n**Templates available**\n\n\
    TEMPLATE AVAILABLE: one.tmpl\n  Syntax: mustache\n  Use: renderTemplate(template_name=\"one.tmpl\", variables={…})\n\n\
    TEMPLATE AVAILABLE: two.tmpl\n  Syntax: mustache\n  Use: renderTemplate(template_name=\"two.tmpl\", variables={…})\n---";
const INDEXED: &str = "\n\n---\n**Templates available**\n\n\
    TEMPLATE AVAILABLE: Entity.java.tpl\n  Syntax: mustache\n  Variables: Entity, basePackage\n  \
    Use: renderTemplate(template_name=\"Entity.java.tpl\", variables={…})\n\n\
    TEMPLATE AVAILABLE: x/Dto.tpl\n  Syntax: mustache\n  Use: renderTemplate(template_name=\"x/Dto.tpl\", variables={…})\n---";

#[test]
fn a_document_in_the_root_of_its_source_has_a_context() {
    for (arguments, pinned, added) in [
        (json!({"path": "mod/README.md"}), Some("mod"), CONTEXT),
        (json!({"path": "/w/mod/README.MD"}), Some("mod"), CONTEXT),
        (json!({"command": "head -3 'mod/README.md'"}), Some("mod"), CONTEXT),
        // The innermost source is pinned, but the context is that of the folder with the document.
        (json!({"path": "mod/DOC.md"}), Some("doc"), CONTEXT),
        (json!({"path": "some/README.md"}), Some("some"), ONE),
        // Whichever of the files comes first.
        (json!({"command": "cat mod/policies/naming.md mod/README.md"}), Some("mod"), CONTEXT),
        (json!({"command": "cat hinted.md plain/x.md mod/README.md"}), Some("plain"), CONTEXT),
        (json!({"command": "ls mod; cat mod/README.md"}), Some("mod"), CONTEXT),
        (json!({"command": "cd mod && cat README.md"}), Some("mod"), CONTEXT),
        (json!({"paths": ["plain/x.md", "mod/nope.md", "some/README.md"]}), Some("plain"), ONE),
        (json!({"path": "mod/nope.md"}), Some("mod"), ""),
        (json!({"path": "mod/sub/README.md"}), Some("mod"), ""),
        (json!({"path": "mod/readme.txt"}), Some("mod"), ""),
        (json!({"path": "mod"}), Some("mod"), ""),
        (json!({"path": "plain/README.md"}), Some("plain"), ""),
        (json!({"path": "hinted.md"}), None, ""),
        (json!({}), None, ""),
        // By refdesk's own tool.
        (json!({"id": "mod", "path": "README.md"}), Some("mod"), CONTEXT),
        (json!({"id": "doc"}), Some("doc"), CONTEXT),
        (json!({"id": "some", "path": "README.md", "lines": "1:9"}), Some("some"), ONE),
        (json!({"id": "mod", "path": "plain"}), Some("mod"), ""),
        (json!({"id": "rules", "path": "mod/README.md"}), None, ""),
    ] {
        let answer = ask("nothing", &arguments, &SessionMemory::default());
        assert_eq!(answer.text, format!("nothing{added}"), "{arguments}");
        let found = answer.metadata.pinned_reference.as_ref().map(|it| it.ref_id.as_str());
        assert_eq!(found, pinned, "{arguments}");
        let metadata = serde_json::to_value(&answer.metadata).unwrap();
        let expected = pinned.map(|id| json!({"ref_id": id, "ref_name": format!("Name of {id}")}));
        assert_eq!(metadata["pinned_reference"], json!(expected), "nothing else in it counts as memory");
    }
}

#[test]
fn each_source_of_several_documents_has_its_context() {
    let arguments = json!({"paths": ["mod/README.md", "some/README.md", "mod/DOC.md"]});
    let both = ask("nothing", &arguments, &SessionMemory::default());
    let headings = both.added().lines().filter(|line| line.starts_with("**Reference Context: ")).collect::<Vec<_>>();
    assert_eq!(headings, ["**Reference Context: Name of mod**", "**Reference Context: Name of some**"]);
    assert_eq!(both.added().matches("\n---").count(), 2, "one block: {}", both.text);
    for memory in [&both.memory, &SessionMemory::default()] {
        assert_eq!(ask(&both.text, &arguments, memory).text, both.text);
    }
    let first = ask("nothing", &json!({"path": "mod/README.md"}), &SessionMemory::default());
    assert_eq!(ask("nothing", &arguments, &first.memory).text, format!("nothing{ONE}"));
}

#[test]
fn an_agent_without_our_tools_renders_by_command() {
    let arguments = json!({"path": "mod/README.md"});
    let tool = Some(Tool { name: Some("read"), arguments: &arguments, cwd: None });
    let excluded = ["renderTemplateToFile".to_owned()];
    let older = ["writeFileFromTemplate".to_owned()];
    for (hint_action, exclude_tools) in
        [(HintAction::Read, &[][..]), (HintAction::Select, &excluded), (HintAction::Select, &older)]
    {
        let asked = EnrichRequest { tool, hint_action, ..EnrichRequest::new(TextKind::ToolResult, "nothing") };
        let ask = |ctx: &EnrichContext| {
            enrich(&EnrichContext { exclude_tools, ..*ctx }, &asked, &SessionMemory::default()).text
        };
        let text = with(&source_files(), ask);
        assert!(
            text.contains("Use `refdesk render --output PATH -- NAME` with these template names:\n  - `Entity"),
            "{text}"
        );
        assert!(!text.contains("renderTemplateToFile"), "{text}");
    }
    let exclude_tools = &["renderTemplate".to_owned()];
    let start = with(&source_files(), |ctx| {
        start(&EnrichContext { exclude_tools, ..*ctx }, Budget::default(), HintAction::Select, None).text
    });
    assert!(start.contains("Use: refdesk render") && !start.contains("renderTemplate("), "{start}");
}

#[test]
fn an_answer_of_our_own_server_is_only_matched_if_it_is_a_document() {
    let answered = |name: &str| {
        let (text, arguments) = ("see @plain", json!({}));
        let tool = Some(Tool { name: Some(name), arguments: &arguments, cwd: None });
        let asked = EnrichRequest { tool, ..EnrichRequest::new(TextKind::ToolResult, text) };
        with(&source_files(), |ctx| !enrich(ctx, &asked, &SessionMemory::default()).added().is_empty())
    };
    for (name, is_matched) in [
        ("mcp__refdesk__search_documents", false),
        ("mcp_refdesk_listReferences", false),
        ("refdesk:selectReferences", false),
        ("mcp__refdesk__readReference", true),
        ("mcp__other__search_documents", true),
        ("mcp__myrefdesk__search_documents", true),
        ("search_documents", true),
        ("Bash", true),
    ] {
        assert_eq!(answered(name), is_matched, "{name}");
    }
}

#[test]
fn a_file_that_was_read_in_full_is_not_hinted_at_later() {
    let hinted = |stamp: &str, name: &str, arguments: &Value, text: &str| {
        let tool = Some(Tool { name: Some(name), arguments, cwd: None });
        let asked = EnrichRequest { tool, ..EnrichRequest::new(TextKind::ToolResult, text) };
        let memory = with(&source_files(), |ctx| enrich(ctx, &asked, &SessionMemory::default()).memory);
        let now = TestFiles { stamp: stamp.to_owned(), ..source_files() };
        with(&now, |ctx| {
            enrich(ctx, &EnrichRequest::new(TextKind::Prompt, "a retry"), &memory).text.contains("@hinted")
        })
    };
    let (whole, long) = ("word ".repeat(1_000), "word\n".repeat(2_000));
    let path = json!({"file_path": "hinted.md"});
    for (name, arguments, text, expected) in [
        ("Read", path.clone(), whole.as_str(), false),
        ("read_file", json!({"absolute_path": "/w/hinted.md", "offset": null}), &whole, false),
        ("mcp__files__read_text_file", json!({"path": "hinted.md"}), &whole, false),
        ("mcp__refdesk__readReference", json!({"id": "hinted"}), &whole, false),
        ("refdesk:readReference", json!({"id": "hinted", "lines": "1:9"}), &whole, true),
        ("mcp__other__readReference", json!({"id": "hinted"}), &whole, true),
        ("Read", json!({"file_path": "hinted.md", "limit": 9}), &whole, false),
        ("Read", json!({"file_path": "hinted.md", "offset": 1, "limit": 2000}), &whole, false),
        // The limit may have cut the rest off.
        ("Read", json!({"file_path": "hinted.md", "limit": 1}), &whole, true),
        ("Read", json!({"file_path": "hinted.md", "offset": 2}), &whole, true),
        ("Read", json!({"file_path": "hinted.md", "limit": 9, "pages": "1-2"}), &whole, true),
        ("Read", json!({"file_path": "deep.md"}), &whole, true),
        ("Read", path.clone(), "an error or a part", true),
        ("Read", path.clone(), &long, true),
        ("Grep", json!({"path": "hinted.md"}), &whole, true),
        ("Bash", json!({"command": "cat hinted.md"}), &whole, true),
    ] {
        assert_eq!(hinted("", name, &arguments, text), expected, "{name} {arguments}: {text:.20}");
    }
    assert!(hinted("changed", "Read", &path, &whole));
    let (text, tool) = (whole + "retry", Some(Tool { name: Some("Read"), arguments: &path, cwd: None }));
    let asked = EnrichRequest { tool, ..EnrichRequest::new(TextKind::ToolResult, &text) };
    let read = with(&source_files(), |ctx| enrich(ctx, &asked, &SessionMemory::default()));
    assert_eq!(read.added(), "", "not in the result itself either");
    assert_eq!(read.items[0].rejected, Some(Rejection::JustRead));
}

#[test]
fn empty_parts_are_left_out_and_long_ones_shortened() {
    let empty = TestFiles::default();
    let arguments = json!({"path": "mod/README.md"});
    let ask =
        |source_files: &TestFiles| ask_of(source_files, "x", &arguments, &SessionMemory::default(), Budget::default());
    assert_eq!(ask(&empty).text, "x");
    let many = (0..LISTED_FILES + 3).map(|at| PathBuf::from(format!("/w/mod/bin/{at}"))).collect();
    let source_files = TestFiles { declared: [("bin".to_owned(), many)].into(), ..TestFiles::default() };
    let text = ask(&source_files).text;
    assert!(text.contains("\n  - `mod/bin/49`\n  - … and 3 more\n\n---"), "{text}");
    assert_eq!(text.matches("**").count(), 4, "one part: {text}");
}

#[test]
fn a_context_is_given_once_and_again_after_a_change() {
    let arguments = json!({"path": "mod/README.md"});
    let first = ask("x", &arguments, &SessionMemory::default());
    assert_eq!(ask("y", &arguments, &first.memory).text, "y");
    let changed = TestFiles { stamp: "other".into(), ..source_files() };
    let again = ask_of(&changed, "y", &arguments, &first.memory, Budget::default());
    assert_eq!(again.text, format!("y{CONTEXT}"));
    let mut fewer = source_files();
    fewer.declared.remove("bin");
    assert!(ask_of(&fewer, "y", &arguments, &first.memory, Budget::default()).text.contains("Policies"));
    let only_named = Budget { chars: Some(110), tokens: None };
    let brief = ask_of(&source_files(), "x", &arguments, &SessionMemory::default(), only_named);
    assert_eq!(brief.text, "x\n\n---\n**Reference Context: Name of mod** — `mod`\n---");
    assert_eq!(ask("y", &arguments, &brief.memory).text, format!("y{CONTEXT}"), "its name is not the whole context");
}

#[test]
fn templates_of_a_text_and_of_the_index() {
    let memory = SessionMemory::default();
    let first = ask(TEXT, &json!({"path": "elsewhere.md"}), &memory);
    assert_eq!(first.text, format!("{TEXT}{FOUND}"));
    assert_eq!(ask(TEXT, &json!({}), &first.memory).text, TEXT);
    // Templates are extracted from a document unless its source declares templates. Other contents do not matter.
    assert_eq!(ask(TEXT, &json!({"path": "mod/sub/x.md"}), &memory).text, TEXT);
    assert_eq!(ask(TEXT, &json!({"path": "some/sub/x.md"}), &memory).text, format!("{TEXT}{FOUND}"));
    assert_eq!(ask("plain `{{x}}` text", &json!({}), &memory).text, "plain `{{x}}` text");
    let system = |text: &str, memory: &SessionMemory| {
        with(&source_files(), |ctx| enrich(ctx, &EnrichRequest::new(TextKind::SystemInstructions, text), memory))
    };
    let once = system("Be kind. @hinted retry", &memory);
    assert_eq!(once.text, format!("Be kind. @hinted retry{INDEXED}"));
    assert_eq!(
        system("Be kind.", &once.memory).text,
        format!("Be kind.{INDEXED}"),
        "a system prompt is written from scratch"
    );
    assert_eq!(system(&once.text, &memory).text, once.text);
}

#[test]
fn broken_templates_are_not_announced() {
    let broken = |name: &str| {
        let path = format!("mod/templates/{name}");
        Template { problem: Some("does not parse".to_owned()), ..template(name, &path, &[]) }
    };
    let mut files = source_files();
    files.templates = vec![broken("Entity.java.tpl"), template("x/Dto.tpl", "mod/templates/x/Dto.tpl", &[])];
    let memory = SessionMemory::default();
    let start = with(&files, |ctx| enrich(ctx, &EnrichRequest::new(TextKind::SystemInstructions, ""), &memory));
    let context = ask_of(&files, "", &json!({"path": "mod/README.md"}), &memory, Budget::default());
    for text in [&start.text, &context.text] {
        assert!(text.contains("x/Dto.tpl") && !text.contains("Entity.java.tpl"), "{text}");
    }
}

#[test]
fn templates_that_were_already_extracted_are_used() {
    let taken = [template("kept.tmpl", "x", &["a"])];
    let (catalog, selection, matcher, source_files) =
        (Catalog::new(sources()), chosen(), Matcher::default(), source_files());
    let ctx = EnrichContext { taken: Some(&taken), ..context(&catalog, &selection, &matcher, &source_files) };
    let answer = enrich(&ctx, &EnrichRequest::new(TextKind::ToolResult, TEXT), &SessionMemory::default());
    assert!(answer.added().contains("AVAILABLE: kept.tmpl\n") && !answer.added().contains("one.tmpl"), "{answer:?}");
}

#[test]
fn a_conversation_begins_with_the_instructions_and_the_templates() {
    with(&source_files(), |ctx| {
        let memory = SessionMemory::default();
        let whole = start(ctx, Budget::default(), HintAction::Select, Some(&memory));
        assert_eq!(whole.text, format!("{}{INDEXED}", instructions(ctx)));
        assert_eq!((whole.added_at, whole.added()), (0, whole.text.as_str()));
        let kinds: Vec<&str> = whole.blocks.iter().map(|block| block.kind.word()).collect();
        assert_eq!(kinds, ["instruction", "available", "templates"]);
        assert_eq!(whole.memory.announced, ["deep", "deeper"].map(str::to_owned).into());
        // Sources given at the start are neither expanded nor announced again.
        let later = enrich(ctx, &EnrichRequest::new(TextKind::Prompt, "@plain and @hinted"), &whole.memory);
        assert!(later.added().contains("\n\n@plain: given above\n\n### Name of hinted"), "{later:?}");
        assert!(!later.added().contains("Transitively selected"), "{later:?}");
        assert_eq!(start(ctx, Budget::default(), HintAction::Select, None).memory, memory, "nothing is remembered");
    });
}

#[test]
fn instructions_within_a_budget() {
    let with = |act: &dyn Fn(&EnrichContext)| with(&TestFiles::default(), act);
    with(&|ctx| {
        let whole = instructions(ctx);
        let within = |most: usize| {
            start(ctx, Budget { chars: Some(most), tokens: None }, HintAction::Select, Some(&SessionMemory::default()))
        };
        let all = whole.encode_utf16().count();
        assert_eq!(within(all).text, whole);
        let rest = whole.strip_suffix(
            "### Name of deeper\n\n**Location**: `deeper.md`\n**Access**: Read this file\n\
            *(Transitively included via @deep)*\n\n---\n\nAdditional reference sources are available. Use \
            `selectReferences` with IDs or tags to select them.\nAvailable tags: retry",
        );
        assert_eq!(within(all - 1).text, whole.replace(&whole[rest.unwrap().len()..], "@deeper: Name of deeper — `deeper.md`\n\n---\n\n\
            Additional reference sources are available. Use `selectReferences` with IDs or tags to select them.\nAvailable tags: retry"));
        let mut last = within(all);
        for most in (0..all).rev() {
            let now = within(most);
            assert!(now.text.encode_utf16().count() <= most);
            let of = |id: &str| now.items.iter().find(|item| item.about == id).unwrap().level;
            assert!(of("deeper") >= of("deep"), "the deepest goes first");
            // Sources of which only the name is printed count as announced, and those printed in full as expanded and as
            // hinted at.
            let named = ["deep", "deeper"].into_iter().filter(|id| of(id) < Level::Count && !now.text.is_empty());
            assert_eq!(now.memory.announced, named.map(str::to_owned).collect());
            let full =
                now.items.iter().filter(|item| item.block == BlockKind::Instruction && item.level == Level::Full);
            assert_eq!(now.memory.given.len(), 2 * full.count());
            last = now;
        }
        assert_eq!(last.text, "");
    });
}

#[test]
fn a_shortened_text_is_not_completed_when_it_comes_back() {
    let arguments = json!({"path": "mod/README.md"});
    let text = format!("{TEXT}\nretry @rules");
    let whole = ask(&text, &arguments, &SessionMemory::default());
    for most in (0..whole.added().encode_utf16().count()).step_by(5) {
        let budget = Budget { chars: Some(most), tokens: None };
        let once = ask_of(&source_files(), &text, &arguments, &SessionMemory::default(), budget);
        assert!(once.added().encode_utf16().count() <= most);
        for memory in [&SessionMemory::default(), &once.memory] {
            let again = ask_of(&source_files(), &once.text, &arguments, memory, budget);
            assert_eq!(again.text, once.text, "{most}");
            let unlimited = ask_of(&source_files(), &once.text, &arguments, memory, Budget::default());
            assert!(once.blocks.is_empty() || unlimited.text == once.text, "{most}: {}", unlimited.text);
        }
    }
}

/// Half a megabyte each: ten runs take seconds without optimisation, and tenths of a second with it.
#[test]
fn random_and_large_input_is_harmless() {
    let arguments = json!({"path": "mod/README.md"});
    for unit in [
        "\u{fffd}\0\x1b",
        "{{x}} ",
        "```\n{{x}}\n```\n",
        "```\n",
        "> - ",
        "---\n**Templates available**\n",
        "---\n**Reference Context: x**\n---\n",
        "TEMPLATE AVAILABLE: one.tmpl\n",
        FOUND,
        "\r\n",
        "é",
    ] {
        let text = unit.repeat((1 << 19) / unit.len());
        let once = ask_of(
            &source_files(),
            &text,
            &arguments,
            &SessionMemory::default(),
            Budget { chars: Some(9_999), tokens: None },
        );
        assert!(once.text.starts_with(&text) && once.added().encode_utf16().count() <= 9_999);
        let again = ask_of(&source_files(), &once.text, &arguments, &SessionMemory::default(), Budget::default());
        assert_eq!(again.text.len(), once.text.len(), "{unit:?}");
    }
}

fn nasty() -> impl Strategy<Value = String> {
    let pieces = prop::sample::select(vec![
        "---",
        "\n---\n",
        "\r\n---\r\n",
        "**Reference Context: ",
        "**Templates available**",
        "**Left out, over the budget**: ",
        "TEMPLATE AVAILABLE: one.tmpl",
        "`",
        "\"",
        "\u{202e}",
        "\u{e0041}",
        "\x1b[2J",
        "\u{200b}",
        "a",
        "/",
        "é",
    ]);
    prop::collection::vec(prop_oneof![6 => pieces.prop_map(str::to_owned), 1 => any::<String>()], 0..6)
        .prop_map(|pieces| pieces.concat())
}

fn texts() -> impl Strategy<Value = String> {
    let pieces = prop::sample::select(vec![
        TEXT,
        CONTEXT,
        FOUND,
        INDEXED,
        "```\n{{a}}\n```\n",
        "```",
        "~~~\n",
        "# One\n",
        "{{x}}",
        "retry",
        "@rules",
        "\n",
        "---",
        "\n---\n",
        "> ",
        "- ",
        "    ",
        "é",
    ]);
    prop::collection::vec(prop_oneof![8 => pieces.prop_map(str::to_owned), 1 => any::<String>()], 0..10)
        .prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    /// No name of a source, file or template can close or forge a block.
    #[test]
    fn values_cannot_forge_a_block(name in nasty(), file in nasty(), named in nasty(), variable in nasty()) {
        let mut catalog = sources();
        catalog[0].name = name.into();
        let path = PathBuf::from("/w/mod").join(&file);
        let source_files = TestFiles {
            declared: ["policies", "bin"].map(|part| (part.to_owned(), vec![path.clone()])).into(),
            templates: vec![template(&named, "mod/x.tpl", &[&variable])],
            ..TestFiles::default()
        };
        let (catalog, selection, matcher) = (Catalog::new(catalog), chosen(), Matcher::default());
        let ctx = EnrichContext { taken: Some(&source_files.templates), ..context(&catalog, &selection, &matcher, &source_files) };
        let arguments = json!({"path": "mod/README.md"});
        let tool = Some(Tool { name: None, arguments: &arguments, cwd: None });
        let asked = EnrichRequest { tool, ..EnrichRequest::new(TextKind::ToolResult, "x") };
        for answer in [enrich(&ctx, &asked, &SessionMemory::default()), start(&ctx, Budget::default(), HintAction::Select, None)] {
            let own = answer.blocks.iter().filter(|block| block.kind != BlockKind::Instruction);
            let own: Vec<_> = own.filter(|block| block.kind != BlockKind::Available).collect();
            prop_assert_eq!(own_blocks(&answer.text).len(), own.len());
            prop_assert!(!answer.text.chars().any(|c| c != '\n' && refdesk_text::escape::is_hidden(c)));
        }
        let once = enrich(&ctx, &asked, &SessionMemory::default());
        let again = enrich(&ctx, &EnrichRequest { text: &once.text, ..asked }, &SessionMemory::default());
        prop_assert_eq!(&again.text, &once.text);
    }

    /// Enriching an enriched tool result adds nothing, with or without the same budget.
    #[test]
    fn enrichment_is_idempotent(text in texts(), in_module: bool, most in prop::option::of(0usize..1200)) {
        let arguments = if in_module { json!({"path": "mod/README.md"}) } else { json!({"path": "plain/x.md"}) };
        let budget = Budget { chars: most, tokens: None };
        let once = ask_of(&source_files(), &text, &arguments, &SessionMemory::default(), budget);
        prop_assert!(once.text.starts_with(&text));
        for memory in [&SessionMemory::default(), &once.memory] {
            let again = ask_of(&source_files(), &once.text, &arguments, memory, budget);
            prop_assert_eq!(&again.text, &once.text);
        }
        let system = |text: &str| with(&source_files(), |ctx| {
            enrich(ctx, &EnrichRequest { budget, ..EnrichRequest::new(TextKind::SystemInstructions, text) }, &SessionMemory::default())
        });
        let once = system(&text);
        prop_assert_eq!(&system(&once.text).text, &once.text);
        prop_assert_eq!(system(&text), once);
    }
}
