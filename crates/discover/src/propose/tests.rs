//! Tests of proposals for real folders.

use std::fs;

use super::super::{Discovery, KnownSource, ProposedPlace, discover};
use super::*;

/// A repository named `shop` with these files.
fn repository(files: &[(&str, &str)]) -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let root = fs::canonicalize(folder.path()).unwrap().join("shop");
    fs::create_dir(&root).unwrap();
    for (path, text) in files {
        let path = root.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        refdesk_files::write_atomic(&path, text.as_bytes()).unwrap();
    }
    (folder, root)
}

fn found(files: &[(&str, &str)], known: &[KnownSource]) -> Discovery {
    let (_folder, root) = repository(files);
    discover(&root, &[], known)
}

fn known(id: &str, name: &str, path: &str, is_missing: bool) -> KnownSource {
    KnownSource {
        id: id.to_owned(),
        name: name.to_owned(),
        description: String::new(),
        path: Some(path.into()),
        url: None,
        is_missing,
        shown: path.to_owned(),
        file: "references.json".to_owned(),
    }
}

fn ids(found: &Discovery) -> Vec<String> {
    found.new.iter().map(|it| format!("{}{}", if it.is_ticked { "" } else { "-" }, it.id)).collect()
}

fn place(source: &ProposedSource) -> String {
    match &source.place {
        ProposedPlace::Url(url) => url.clone(),
        ProposedPlace::File(path) => lossy(path),
        ProposedPlace::Folder(path) => format!("{}/", lossy(path)),
    }
}

#[test]
fn everything_that_may_be_a_source_is_found_in_order() {
    let found = found(
        &[
            ("README.md", "# The shop\n\nSells things."),
            ("CONTRIBUTING.md", "# How to help\n"),
            ("CHANGELOG.md", "# Changes\n"),
            ("LICENSE.md", "MIT"),
            ("AGENTS.md", "# Rules for agents\n"),
            ("docs/adr/0001-use-kafka.md", "# Use Kafka\n\nKafka moves events."),
            ("docs/guide.md", "---\ntitle: The guide\ntags: [Payments]\ndescription: How it works.\n---\n# Other\n"),
            ("docs/retry.md", "Retry\n=====\n\nPayments are retried."),
            ("pkg/cart/README.md", "# Cart\n"),
            ("pkg/cart/main.rs", "fn main() {}"),
            ("pkg/cart/notes.md", "# Notes\n"),
            ("skills/deploy/SKILL.md", "---\nname: deploy\ndescription: Deploys it.\n---\n# D\n"),
            ("skills/deploy/scripts/run.sh", ""),
            ("skills/deploy/templates/a.tmpl", ""),
            ("skills/deploy/reference/more.md", "# More\n"),
            (".cursor/rules/rust.mdc", "---\ndescription: Rust\nglobs: **/*.rs\nalwaysApply: false\n---\nUse it.\n"),
            (".cursor/rules/all.mdc", "---\nalwaysApply: true\n---\n# Always\n"),
            (".github/x.md", "# hidden\n"),
            (".github/copilot-instructions.md", "Answer briefly, with tests.\n"),
            ("llms.txt", "# Shop\n\n- [Api](https://shop.example/docs/api.md): the endpoints\n"),
            ("node_modules/a/README.md", "# a\n"),
        ],
        &[],
    );
    let shown: Vec<(String, String, &str)> =
        found.new.iter().map(|it| (it.id.clone(), place(it), it.name.as_str())).collect();
    let expected = [
        ("shop-readme", "README.md", "The shop"),
        ("cart", "pkg/cart/README.md", "Cart"),
        ("copilot-instructions", ".github/copilot-instructions.md", "copilot-instructions"),
        ("shop-agents", "AGENTS.md", "Rules for agents"),
        ("shop-contributing", "CONTRIBUTING.md", "How to help"),
        ("docs-guide", "docs/guide.md", "The guide"),
        ("retry", "docs/retry.md", "Retry"),
        ("0001-use-kafka", "docs/adr/0001-use-kafka.md", "Use Kafka"),
        ("skills-deploy", "skills/deploy/", "deploy"),
        ("rules-all", ".cursor/rules/all.mdc", "Always"),
        ("rust", ".cursor/rules/rust.mdc", "rust"),
        ("docs-api", "https://shop.example/docs/api.md", "Api"),
        ("cart-notes", "pkg/cart/notes.md", "Notes"),
        ("shop-changelog", "CHANGELOG.md", "Changes"),
    ];
    let shown: Vec<(&str, &str, &str)> =
        shown.iter().map(|(id, place, name)| (id.as_str(), place.as_str(), *name)).collect();
    assert_eq!(shown, expected);
    let by_id = |id: &str| found.new.iter().find(|it| it.id == id).unwrap();
    let unticked: Vec<&str> = found.new.iter().filter(|it| !it.is_ticked).map(|it| it.id.as_str()).collect();
    assert_eq!(unticked, ["cart-notes", "shop-changelog"]);
    assert_eq!(
        (by_id("docs-guide").description.as_str(), by_id("docs-guide").tags.as_slice()),
        ("How it works.", &["payments".to_owned()][..])
    );
    let contents = by_id("skills-deploy").contents.clone().unwrap();
    assert_eq!(
        (contents.scripts.as_deref(), contents.templates.as_deref(), contents.policies),
        (Some("scripts/"), Some("templates/"), None)
    );
    assert_eq!((by_id("rules-all").mode, by_id("rust").mode), (Mode::Auto, Mode::Selectable));
    assert_eq!(by_id("rust").description, "Rust (for **/*.rs)");
    assert_eq!(found.notes, [], "nothing to report");
}

#[test]
fn tables_of_contents_give_order_titles_and_ticks() {
    let found = found(
        &[
            ("book/src/SUMMARY.md", "- [Second](b.md)\n- [First](a.md)\n- [License](LICENSE.md)\n"),
            ("book/src/a.md", "no heading"),
            ("book/src/b.md", "# Its own title\n"),
            ("book/src/c.md", "# Not listed\n"),
            ("book/src/main.rs", ""),
            ("book/src/LICENSE.md", "# MIT\n"),
            ("tests/book/SUMMARY.md", "- [Data](data.md)\n"),
            ("tests/book/data.md", "# Test data\n"),
        ],
        &[],
    );
    let shown: Vec<(String, &str, bool)> =
        found.new.iter().map(|it| (place(it), it.name.as_str(), it.is_ticked)).collect();
    let expected = [
        ("book/src/b.md", "Its own title", true),
        ("book/src/a.md", "First", true),
        ("book/src/LICENSE.md", "MIT", true),
        ("tests/book/data.md", "Test data", false),
        ("book/src/c.md", "Not listed", false),
    ];
    let shown: Vec<(&str, &str, bool)> =
        shown.iter().map(|(place, name, ticked)| (place.as_str(), *name, *ticked)).collect();
    assert_eq!(shown, expected);
    assert_eq!(found.new[0].evidence, "listed in book/src/SUMMARY.md");
}

#[test]
fn a_page_that_begins_with_a_section_has_the_title_of_the_menu() {
    let found = found(
        &[
            ("mkdocs.yml", "nav:\n  - Clients: clients.md\n  - Menu: own.md\n"),
            ("docs/clients.md", "!!! hint\n    Read it.\n\n## Why use one?\n\nIt keeps connections.\n"),
            ("docs/own.md", "# Own title\n"),
            ("docs/section.md", "## Only a section\n"),
        ],
        &[],
    );
    let shown: Vec<(&str, &str)> = found.new.iter().map(|it| (it.name.as_str(), it.description.as_str())).collect();
    assert_eq!(shown, [("Clients", "It keeps connections."), ("Own title", ""), ("Only a section", "")]);
    assert_eq!(found.new[0].tags, ["clients"]);
}

#[test]
fn documents_of_little_use_are_not_ticked() {
    let (_folder, root) = repository(&[
        ("README.md", "# Shop\n\nSells things to people."),
        ("etc/store-readme.md", "Sells things to people."),
        ("etc/other-readme.md", "Something else."),
        ("docs/misc/setup.md", "# Setup\n"),
        ("docs/404.md", "# Not found\n"),
    ]);
    refdesk_files::write_atomic(&root.join("docs/drinks.md"), b"# Caf\xe9\n\nAll of our drinks, hot and cold.\n")
        .unwrap();
    let found = discover(&root, &[], &[]);
    let ids = ids(&found);
    for expected in ["shop-readme", "-store-readme", "other-readme", "misc-setup", "-docs-404", "-drinks"] {
        assert!(ids.contains(&expected.to_owned()), "{expected}: {ids:?}");
    }
    assert_eq!(found.notes.len(), 1);
    assert_eq!(found.notes[0].to_string(), "docs/drinks.md: some of its characters are not UTF-8 and cannot be read");
}

#[test]
fn menus_of_vitepress_give_order_and_titles() {
    let menu =
        "export default { themeConfig: { sidebar: [{ text: 'Two', link: '/b' }, { text: 'One', link: '/a' }] } }";
    let found = found(
        &[
            ("docs/.vitepress/config.mts", menu),
            ("docs/.vitepress/theme/README.md", "# Theme\n"),
            ("docs/a.md", "no heading"),
            ("docs/b.md", "# Its own title\n"),
            ("docs/c.md", "# Not listed\n"),
            ("docs/index.md", "---\nlayout: home\n---\n"),
        ],
        &[],
    );
    let shown: Vec<(String, &str)> = found.new.iter().map(|it| (place(it), it.name.as_str())).collect();
    let shown: Vec<(&str, &str)> = shown.iter().map(|(place, name)| (place.as_str(), *name)).collect();
    assert_eq!(
        shown,
        [("docs/b.md", "Its own title"), ("docs/a.md", "One"), ("docs/c.md", "Not listed"), ("docs/index.md", "docs")]
    );
    let home = found.new.last().unwrap();
    assert_eq!((home.is_ticked, home.evidence.as_str()), (false, "a document in docs, without text"));
    assert_eq!(found.new[0].evidence, "listed in docs/.vitepress/config.mts");
    assert_eq!(found.notes, []);
}

#[test]
fn known_documents_are_not_new_and_moved_ones_are_found() {
    let files = [
        ("docs/a.md", "# A kafka story\n"),
        ("docs/new/retry-policy.md", "# Retry policy\n"),
        ("docs/other.md", "# Same title\n"),
        ("handbook/x.md", "# X marks\n"),
        ("docs/ledger.md", "# Ledger\n"),
    ];
    let known = [
        known("a", "A", "docs/a.md", false),
        known("hand", "Handbook", "handbook", false),
        known("retry-policy", "Something", "docs/retry-policy.md", true),
        known("titled", "Same title", "docs/renamed.md", true),
        known("lost", "Lost", "docs/lost.md", true),
    ];
    let found = found(&files, &known);
    assert_eq!(ids(&found), ["ledger"]);
    let moved: Vec<(&str, String, &str)> =
        found.moved.iter().map(|it| (it.id.as_str(), lossy(&it.after), it.evidence.as_str())).collect();
    let expected = [
        ("retry-policy", "docs/new/retry-policy.md".to_owned(), "it has the same file name"),
        ("titled", "docs/other.md".to_owned(), "it has the same title"),
    ];
    assert_eq!(moved, expected);
    assert_eq!(found.gone.iter().map(|it| it.id.as_str()).collect::<Vec<_>>(), ["lost"]);
}

#[test]
fn a_source_that_may_be_two_documents_is_gone() {
    let files = [("docs/a/one.md", "# T\n"), ("docs/b/two.md", "# T\n")];
    let found = found(&files, &[known("t", "T", "docs/t.md", true)]);
    assert_eq!((found.moved.len(), found.gone.len(), found.new.len()), (0, 1, 2));
}

#[test]
fn nearly_empty_documents_are_not_ticked_and_empty_ones_are_called_empty() {
    for (text, expected) in [
        ("hi\n", "a document in docs, with very little text"),
        ("`hi`\n", "a document in docs, with very little text"),
        ("---\na: b\n---\n", "a document in docs, without text"),
        ("<br>\n\n---\n", "a document in docs, without text"),
    ] {
        let found = found(&[("docs/y.markdown", text)], &[]);
        let evidence: Vec<_> = found.new.iter().map(|it| (it.evidence.as_str(), it.is_ticked)).collect();
        assert_eq!(evidence, [(expected, false)], "{text:?}");
    }
}

#[test]
fn problems_are_notes_and_the_rest_is_found() {
    let found = found(
        &[
            ("docs/broken-one.md", "---\ntitle: a: b\n---\n# B\n"),
            ("docs/binary.md", "\u{0}"),
            ("docs/wide.md", "#\0 \0W\0i\0d\0e\0"),
            ("skills/one/SKILL.md", "---\nname: other\ndescription: d\n---\n"),
            ("skills/two/SKILL.md", "# no name\n"),
            ("sub/.git", "gitdir: ../.git/modules/sub\n"),
            ("sub/README.md", "# Sub\n"),
        ],
        &[],
    );
    let mut notes: Vec<String> = found.notes.iter().map(ToString::to_string).collect();
    notes.sort();
    assert_eq!(notes.len(), 6, "{notes:?}");
    assert!(notes[1].starts_with("docs/broken-one.md:2: the front matter is not YAML: "), "{notes:?}");
    notes.remove(1);
    assert_eq!(
        notes,
        [
            "docs/binary.md: it is not UTF-8 text, so it was left out",
            "docs/wide.md: it is not UTF-8 text, so it was left out",
            "skills/one/SKILL.md: its name 'other' differs from its folder 'one'",
            "skills/two/SKILL.md: it has no name, so its folder's name is used",
            "sub: a submodule or another repository, left out",
        ]
    );
    assert_eq!(ids(&found), ["broken-one", "skills-one", "skills-two"]);
}

#[test]
fn ignored_files_are_left_out() {
    let found = found(
        &[
            (".gitignore", "/build\n*.tmp.md\n!keep.tmp.md\ndocs/secret/\n"),
            ("build/docs/a.md", "# A\n"),
            ("docs/x.tmp.md", "# X\n"),
            ("docs/keep.tmp.md", "# Keep this\n"),
            ("docs/secret/s.md", "# S\n"),
            ("docs/.gitignore", "local.md\n[\n"),
            ("docs/local.md", "# Local\n"),
            ("pkg/docs/local.md", "# Local story\n"),
        ],
        &[],
    );
    let places: Vec<String> = found.new.iter().map(place).collect();
    assert_eq!(places, ["docs/keep.tmp.md", "pkg/docs/local.md"]);
    let (_folder, root) = repository(&[(".gitignore", "a.md\n"), ("docs/a.md", "# A\n"), ("docs/bb.md", "# B\n")]);
    let part = discover(&root, &["docs".into()], &[]);
    assert_eq!(part.new.iter().map(place).collect::<Vec<_>>(), ["docs/bb.md"], "patterns above a start count");
}

#[test]
fn links_and_special_files_are_not_followed() {
    let (folder, root) = repository(&[("docs/real.md", "# Real thing\n")]);
    refdesk_files::write_atomic(&folder.path().join("secret.md"), b"# Secret\n").unwrap();
    std::os::unix::fs::symlink(folder.path().join("secret.md"), root.join("docs/leak.md")).unwrap();
    std::os::unix::fs::symlink(folder.path(), root.join("out")).unwrap();
    std::os::unix::fs::symlink(&root, root.join("docs/loop")).unwrap();
    refdesk_files::write_atomic(&root.join("LICENSE"), b"MIT").unwrap();
    std::os::unix::fs::symlink("../LICENSE", root.join("docs/LICENSE")).unwrap();
    rustix::fs::mknodat(rustix::fs::CWD, root.join("docs/pipe.md"), rustix::fs::FileType::Fifo, 0o600.into(), 0)
        .unwrap();
    let found = discover(&root, &[], &[]);
    assert_eq!(found.new.iter().map(place).collect::<Vec<_>>(), ["docs/real.md"]);
    assert_eq!(
        found.notes.iter().map(ToString::to_string).collect::<Vec<_>>(),
        ["out", "docs/leak.md", "docs/loop"].map(|link| format!("{link}: a symbolic link, not followed")),
        "links to files that are no documents are not worth a note"
    );
}

#[test]
fn names_are_harmless() {
    let found = found(
        &[
            ("docs/a\nb.md", "# One\u{1b}[31m\u{202e}two\n\n\u{1b}]0;x\u{7}text of it"),
            ("docs/-rf.md", "# \n"),
            ("docs/日本.md", "# 日本\n"),
        ],
        &[],
    );
    for source in &found.new {
        let shown = [&source.id, &source.name, &source.description];
        assert!(shown.iter().all(|text| !text.chars().any(|c| c.is_control() || c == '\u{202e}')), "{source:?}");
        assert!(!source.id.starts_with('-') && !source.id.is_empty(), "{source:?}");
    }
    assert_eq!(found.new.len(), 3);
}

#[test]
fn limits_are_reported() {
    let mut files: Vec<(String, &str)> = (0..30).map(|nth| (format!("docs/d{nth}/story-{nth}.md"), "# T\n")).collect();
    // The last folder adds three more files.
    files.extend((0..3).map(|nth| (format!("docs/last/story-{nth}.md"), "# T\n")));
    let files: Vec<(&str, &str)> = files.iter().map(|(path, text)| (path.as_str(), *text)).collect();
    let (_folder, root) = repository(&files);
    let limits = super::super::walk::ScanLimits::default();
    for (limits, files, said) in [
        (super::super::walk::ScanLimits { files: 5, ..limits }, 5, "more than 5 documents"),
        (super::super::walk::ScanLimits { files: 32, ..limits }, 32, "more than 32 documents"),
        (super::super::walk::ScanLimits { entries: 10, ..limits }, 0, "more than 10 files and folders"),
        (super::super::walk::ScanLimits { depth: 1, ..limits }, 0, "more than 1 levels deep"),
        (super::super::walk::ScanLimits { time: std::time::Duration::ZERO, ..limits }, 0, "took more than 0 seconds"),
    ] {
        let scan = super::super::scan::scan(&root, &[], limits);
        assert_eq!(scan.files.len(), files, "{said}");
        assert!(scan.notes.iter().any(|note| note.message.contains(said)), "{said}: {:?}", scan.notes);
    }
}

#[test]
fn moved_documents_are_found_by_text_if_titles_and_names_are_ambiguous() {
    let files = [
        ("docs/one/setup.md", "# Setup\n\nInstalls the gate in the cellar.\n"),
        ("docs/two/setup.md", "# Setup\n\nInstalls the lamp on the roof.\n"),
        ("docs/renamed.md", "# Another title\n\nWhat a telegram means.\n"),
    ];
    let source = |id: &str, name: &str, path: &str, description: &str| KnownSource {
        description: description.to_owned(),
        ..known(id, name, path, true)
    };
    let sources = [
        source("lamp", "Setup", "docs/setup.md", "Installs the lamp on the roof."),
        source("telegram", "Telegrams", "docs/telegrams.md", "What a telegram means."),
        source("setup", "Setup", "docs/old/setup.md", ""),
        source("gone", "Gone", "docs/gone.md", "What is nowhere."),
    ];
    let found = found(&files, &sources);
    let moved: Vec<(&str, String, &str)> =
        found.moved.iter().map(|it| (it.id.as_str(), lossy(&it.after), it.evidence.as_str())).collect();
    let expected = [
        ("lamp", "docs/two/setup.md".to_owned(), "it has the same name, title and description"),
        ("telegram", "docs/renamed.md".to_owned(), "it has the same description"),
        ("setup", "docs/one/setup.md".to_owned(), "it has the same name and title"),
    ];
    assert_eq!(moved, expected);
    assert_eq!(found.gone.len(), 1);
}

#[test]
fn a_document_beside_its_templates_is_a_folder_with_contents() {
    let files = [
        (
            "modules/mod-1-retry/MODULE.md",
            "# Retry\n\n**Version:** 1.3\n**Owner:** the platform team\n\nRepeats calls.",
        ),
        ("modules/mod-1-retry/templates/java/Retry.java.tpl", "class {{ name }} {}"),
        ("modules/mod-1-retry/validation/README.md", "# Checks"),
        ("modules/mod-2-plain/MODULE.md", "# Plain"),
        ("modules/mod-2-plain/templates/notes.txt", "not a template"),
        ("chart/README.md", "# A chart"),
        ("chart/templates/_helpers.tpl", "{{ x }}"),
    ];
    let found = found(&files, &[]);
    let reported: Vec<String> = found.new.iter().map(|it| format!("{} {}", it.id, place(it))).collect();
    assert!(reported.contains(&"mod-1-retry modules/mod-1-retry/".to_owned()), "{reported:?}");
    assert!(reported.contains(&"chart chart/README.md".to_owned()), "{reported:?}");
    assert!(!reported.iter().any(|line| line.contains("mod-1-retry/validation")), "{reported:?}");
    assert!(reported.iter().any(|line| line.ends_with("modules/mod-2-plain/MODULE.md")), "{reported:?}");
    let module = found.new.iter().find(|it| it.id == "mod-1-retry").unwrap();
    let contents = module.contents.as_ref().unwrap();
    assert_eq!(
        (contents.templates.as_deref(), contents.validation.as_deref()),
        (Some("templates/"), Some("validation/"))
    );
    assert_eq!(module.description, "Repeats calls.");
    let known = [known("mine", "Mine", "modules/mod-1-retry/MODULE.md", false)];
    assert!(!self::found(&files, &known).new.iter().any(|it| it.id == "mod-1-retry"), "it is in the catalog");
}
