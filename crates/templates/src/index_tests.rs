//! The index of typical template folders: nested sources, links, colliding names, binary files.

use std::path::Path;

use super::{Cache, IndexInput, TemplateIndex, index, names, skeleton};
use refdesk_core::catalog::{Catalog, PathState, Source, testing};
use refdesk_core::selection::testing::selection;
use refdesk_files::walk::WalkBudget;
use refdesk_files::write_atomic;
use refdesk_text::Code;
use refdesk_text::report::Diagnostic;

fn build(
    root: &Path,
    files: &[(&str, &str)],
    sources: &[(&str, &str)],
    picked: &[&str],
) -> (TemplateIndex, Vec<Diagnostic>) {
    for (path, text) in files {
        write_atomic(&root.join(path), text.as_bytes()).unwrap();
    }
    let source = |(id, path): &(&str, &str)| -> Source {
        let path = root.join(path);
        let standing = if path.is_dir() { PathState::Directory } else { PathState::File };
        testing::local(id, &path, standing)
    };
    let catalog = Catalog::new(sources.iter().map(source).collect());
    let asked = IndexInput {
        workspace: root,
        catalog: &catalog,
        selection: &selection(picked, &[], &[]),
        extract: true,
        taken: &[],
        walks: &WalkBudget::default(),
    };
    index(asked, &Cache::default())
}

fn listed(index: &TemplateIndex) -> Vec<String> {
    let row = |template: &super::Template| {
        format!("{} {} {}", template.name, template.syntax.word(), names(&template.variables).join(","))
    };
    index.templates.iter().map(|template| row(template).trim_end().to_owned()).collect()
}

#[test]
fn only_templates_of_the_selection_are_listed() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().canonicalize().unwrap();
    let files = [
        ("kb/a/One.TPL", "{{ x }}"),
        ("kb/a/deep/Two.tmpl", "{{#xs}}{{n}}{{/xs}}"),
        ("kb/a/.git/No.tpl", ""),
        ("kb/a/no.txt", ""),
        ("kb/b/Three.tpl", ""),
        ("kb/file.tpl", ""),
        (".templates/Own.tpl", "{{ o }}"),
    ];
    let (index, diagnostics) = build(&root, &files, &[("a", "kb/a"), ("b", "kb/b"), ("f", "kb/file.tpl")], &["a", "f"]);
    assert_eq!(listed(&index), ["One.TPL jinja2 x", "Own.tpl jinja2 o", "Two.tmpl mustache xs"]);
    assert!(diagnostics.is_empty(), "{diagnostics:?}");
    assert_eq!(index.find("a/deep/Two.tmpl").unwrap().name, "Two.tmpl");
    assert_eq!(index.find(".templates/Own.tpl").unwrap().source, None);
    assert_eq!(index.find("deep/Two.tmpl").unwrap().name, "Two.tmpl");
}

#[test]
fn a_file_in_nested_sources_belongs_to_the_inner_one() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().canonicalize().unwrap();
    let files = [("kb/in/T.tpl", ""), ("kb/T.tpl", ""), ("kb/in/U.tpl", "")];
    let (index, _) = build(&root, &files, &[("outer", "kb"), ("inner", "kb/in")], &["outer", "inner"]);
    let found: Vec<String> =
        index.templates.iter().map(|template| format!("{} {}", template.name, template.full_name())).collect();
    assert_eq!(found, ["U.tpl inner/U.tpl", "in/T.tpl inner/T.tpl", "kb/T.tpl outer/T.tpl"]);
    let error = index.find("T.tpl").unwrap_err();
    assert_eq!(error.message, "'T.tpl' matches several templates: in/T.tpl, kb/T.tpl");
    let error = index.find("V.tpl").unwrap_err();
    assert_eq!(error.message, "no template is named 'V.tpl' (did you mean 'U.tpl'?)");
}

#[test]
fn a_broken_template_does_not_affect_others() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().canonicalize().unwrap();
    write_atomic(&root.join("kb/Bytes.tpl"), b"ok\n\xff\xfe").unwrap();
    let files = [
        ("kb/Broken.tpl", "a\n{% if x %}"),
        ("kb/Both.tpl", "{{#x}}{{/x}}\n{{ y | f }}"),
        ("kb/Said.tpl", "{{ x }}"),
        (".jaato/templates/overrides.json", r#"{"Said.tpl": "mustache"}"#),
    ];
    let (index, diagnostics) = build(&root, &files, &[("kb", "kb")], &["kb"]);
    assert_eq!(listed(&index), ["Both.tpl mustache x,y | f", "Broken.tpl jinja2", "Said.tpl mustache x"]);
    let codes: Vec<(&str, Option<usize>)> = diagnostics.iter().map(|found| (found.code.as_str(), found.line)).collect();
    assert_eq!(
        codes,
        [("template-unreadable", Some(2)), ("template-ambiguous", Some(2)), ("template-broken", Some(2))]
    );
    assert_eq!(diagnostics[0].message, "the template is not UTF-8: line 2 has invalid bytes");
    assert_eq!(diagnostics[0].fix.to_string(), "correct kb/Bytes.tpl:2");
    for name in ["Bytes.tpl", "kb/Bytes.tpl"] {
        let error = index.find(name).unwrap_err();
        assert_eq!(error.code, Code::TemplateUnreadable);
        assert_eq!(error.message, "kb/Bytes.tpl is not UTF-8: line 2 has invalid bytes");
    }
    assert_eq!(index.find("ytes.tpl").unwrap_err().code, Code::UnknownTemplate);
    assert_eq!(index.find("Broken.tpl").unwrap().problem.as_deref(), Some("'if' opened at line 2 is never closed"));
    assert_eq!(diagnostics[2].fix.to_string(), "correct kb/Broken.tpl:2");
}

#[test]
fn go_templates_are_named_with_the_way_to_settle_their_language() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().canonicalize().unwrap();
    let files = [
        ("kb/Go.tpl", "a\nPrice: {{$price}} {{name}}"),
        ("kb/List.tpl", "{{$price}} {{#xs}}{{.}}{{/xs}}"),
        ("kb/Raw.tpl", "{{$price}} {{{x}}}"),
        ("kb/Said.tpl", "{{$price}} {{x}}"),
        (".jaato/templates/overrides.json", r#"{"Said.tpl": "mustache"}"#),
    ];
    let (index, diagnostics) = build(&root, &files, &[("kb", "kb")], &["kb"]);
    let broken: Vec<&str> =
        index.templates.iter().filter(|it| it.problem.is_some()).map(|it| it.name.as_str()).collect();
    assert_eq!(broken, ["Go.tpl"]);
    let said: Vec<(String, String)> =
        diagnostics.iter().map(|found| (found.message.clone(), found.fix.to_string())).collect();
    assert_eq!(
        said,
        [(
            "template 'Go.tpl': '$price' at line 2 is of a Go template, which is not supported".to_owned(),
            r#"if it is Mustache, set its language in .jaato/templates/overrides.json: {"Go.tpl": "mustache"}"#
                .to_owned()
        )]
    );
}

#[test]
fn the_variables_of_partials_are_those_of_the_template() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().canonicalize().unwrap();
    let files = [
        ("kb/a.tpl", "{{>b.tpl}}{{>kb/none.tpl}}"),
        ("kb/b.tpl", "[{{y}}]"),
        ("kb/list.tpl", "{{#x}}{{>kb/b}}{{/x}}"),
        ("kb/tree.tpl", "{{#nodes}}{{>node.tpl}}{{/nodes}}"),
        ("kb/node.tpl", "{{v}}{{#kids}}{{>node.tpl}}{{/kids}}"),
        ("kb/doc.md", "# Block\n\n```\n{{#x}}{{>b.tpl}}{{/x}}\n```\n"),
    ];
    let (index, _) = build(&root, &files, &[("kb", "kb")], &["kb"]);
    for (name, expected) in [
        ("a.tpl", r#"{"y":""}"#),
        ("list.tpl", r#"{"x":[{"y":""}]}"#),
        ("block.tmpl", r#"{"x":[{"y":""}]}"#),
        ("tree.tpl", r#"{"nodes":[{"kids":false,"v":""}]}"#),
    ] {
        assert_eq!(skeleton(&index.find(name).unwrap().variables).to_string(), expected, "{name}");
    }
}

#[test]
fn partials_that_multiply_are_expanded_within_limits() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().canonicalize().unwrap();
    let files: Vec<(String, String)> = (0..40)
        .map(|at| (format!("kb/p{at}.tpl"), format!("{{{{>p{0}.tpl}}}}", at + 1).repeat(30) + "{{#a}}{{v}}{{/a}}"))
        .collect();
    let files: Vec<(&str, &str)> = files.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
    let (index, _) = build(&root, &files, &[("kb", "kb")], &["kb"]);
    assert_eq!(names(&index.find("p0.tpl").unwrap().variables), ["a"]);
}

#[test]
fn unknown_names_are_reported_at_their_line_in_the_file() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().canonicalize().unwrap();
    let files = [
        ("kb/A.tpl", "// @generated by hand\n{{ x|uper }}\n{{ y }}"),
        ("kb/M.tpl", "{{#a}}\n{{../b}}{{/a}}"),
        ("kb/a/Two.tpl", ""),
        ("kb/b/Two.tpl", ""),
        ("kb/Q.tpl", "{{> Two}}"),
        ("kb/P.tpl", "{{> M}}{{> t}}\n{{> Mx}}{{> gone}}{{> gone}}"),
        ("kb/doc.md", "# T\n\n```\nfirst\n{% if x is nosuch %}{{ x }}{% endif %}\n```\n"),
    ];
    let (index, diagnostics) = build(&root, &files, &[("kb", "kb")], &["kb"]);
    assert_eq!(
        listed(&index),
        [
            "A.tpl jinja2 x,y",
            "M.tpl mustache a",
            "P.tpl mustache a,x",
            "Q.tpl mustache",
            "a/Two.tpl jinja2",
            "b/Two.tpl jinja2",
            "t.tmpl jinja2 x"
        ],
        "it is a template all the same"
    );
    let found: Vec<_> = diagnostics.iter().map(|found| (found.line, found.message.as_str())).collect();
    assert_eq!(
        found,
        [
            (Some(2), "template 'A.tpl': unknown filter 'uper' at line 2 (did you mean 'upper'?)"),
            (Some(2), "template 'M.tpl': '../b' at line 2 is Handlebars; Mustache finds 'b' in outer objects too"),
            (Some(5), "template 't.tmpl': unknown test 'nosuch' at line 5"),
            (Some(2), "template 'P.tpl': unknown partial 'Mx' at line 2"),
            (Some(2), "template 'P.tpl': unknown partial 'gone' at line 2"),
            (Some(1), "template 'Q.tpl': 'Two.tpl' matches several templates: a/Two.tpl, b/Two.tpl at line 1"),
        ]
    );
}

#[test]
fn links_out_of_the_folder_and_loops_are_ignored() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().canonicalize().unwrap();
    let link = |to: &str, at: &str| std::os::unix::fs::symlink(root.join(to), root.join(at)).unwrap();
    write_atomic(&root.join("kb/x/A.tpl"), b"").unwrap();
    write_atomic(&root.join("kb/text.txt"), b"{{ a }}").unwrap();
    write_atomic(&root.join("out/Secret.tpl"), b"").unwrap();
    link("kb", "kb/x/round");
    link("out", "kb/outside");
    link("out/Secret.tpl", "kb/Out.tpl");
    link("kb/x/A.tpl", "kb/Again.tpl");
    link("kb/text.txt", "kb/Linked.tpl");
    let (index, _) = build(&root, &[], &[("kb", "kb")], &["kb"]);
    assert_eq!(listed(&index), ["A.tpl jinja2", "Linked.tpl jinja2 a"]);
}

#[test]
fn workspace_templates_must_be_inside_it() {
    use std::os::unix::fs::symlink;
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().canonicalize().unwrap();
    let workspace = root.join("ws");
    write_atomic(&root.join("other/Secret.tpl"), b"secret {{ x }}").unwrap();
    write_atomic(&workspace.join("docs/Inside.tpl"), b"{{ y }}").unwrap();
    for (target, expected, codes) in
        [("../other", &[][..], &["linked-out"][..]), ("docs", &["Inside.tpl jinja2 y"], &[])]
    {
        symlink(target, workspace.join(".templates")).unwrap();
        let (index, diagnostics) = build(&workspace, &[], &[], &[]);
        assert_eq!(listed(&index), expected, "{target}");
        assert_eq!(diagnostics.iter().map(|problem| problem.code.as_str()).collect::<Vec<_>>(), codes, "{target}");
        std::fs::remove_file(workspace.join(".templates")).unwrap();
    }
    // A file of the folder, and a template from a tool result.
    write_atomic(&workspace.join(".templates/Own.tpl"), b"").unwrap();
    symlink("../../other/Secret.tpl", workspace.join(".templates/Linked.tpl")).unwrap();
    symlink("../../other", workspace.join(".templates/folder")).unwrap();
    std::fs::create_dir_all(workspace.join(".jaato")).unwrap();
    symlink("../../other", workspace.join(".jaato/templates")).unwrap();
    let taken = [super::ExtractedTemplate { name: "Secret.tpl".into(), hash: String::new() }];
    let (catalog, selection) = (Catalog::new(Vec::new()), selection(&[], &[], &[]));
    let asked = IndexInput {
        workspace: &workspace,
        catalog: &catalog,
        selection: &selection,
        extract: true,
        taken: &taken,
        walks: &WalkBudget::default(),
    };
    assert_eq!(listed(&index(asked, &Cache::default()).0), ["Own.tpl jinja2"]);
}
