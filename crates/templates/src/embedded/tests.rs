//! Tables of which blocks of a document are templates, and of their names.

use super::names::{BlockNames, ending, slug, stem};
use super::{EmbeddedBlock, Extracted, LeftOut, SIGNS, extract};
use crate::{Syntax, analyse};

fn names<'a>(blocks: impl Iterator<Item = &'a EmbeddedBlock>) -> Vec<String> {
    let mut names = BlockNames::default();
    blocks.map(|block| names.give(block, |_| true)).collect()
}

fn texts(markdown: &str) -> Vec<(usize, String)> {
    extract(markdown).blocks.into_iter().map(|found| (found.line, found.text.to_string())).collect()
}

#[test]
fn blocks_as_a_commonmark_parser_finds_them() {
    for (markdown, expected) in [
        ("```\n{{ x }}\n```\n", vec![(2, "{{ x }}\n")]),
        ("~~~java\n{{ x }}\n~~~\n", vec![(2, "{{ x }}\n")]),
        ("````md\n```\n{{ x }}\n```\n````\n", vec![(2, "```\n{{ x }}\n```\n")]),
        ("```java title=\"a\" {1,2}\n{{ x }}\n```", vec![(2, "{{ x }}\n")]),
        ("text\r\n\r\n```java\r\nclass {{ x }}\r\n{}\r\n```\r\n", vec![(4, "class {{ x }}\n{}\n")]),
        ("- a\n\n  ```\n  {{ x }}\n    y\n  ```\n", vec![(4, "{{ x }}\n  y\n")]),
        ("1. a\n   - b\n     ```\n     {{ x }}\n     ```\n", vec![(4, "{{ x }}\n")]),
        ("> ```\n> {{ x }}\n> > y\n> ```\n", vec![(2, "{{ x }}\n> y\n")]),
        ("   ```\n   {{ x }}\n     y\n   ```\n", vec![(2, "{{ x }}\n  y\n")]),
        ("```\n{{ x }}", vec![(2, "{{ x }}")]),
        ("\u{feff}```\n{{ x }}\n```\n", vec![(2, "{{ x }}\n")]),
        ("```\n\n\n{{ x }}\n```\n", vec![(2, "\n\n{{ x }}\n")]),
        ("---\nid: a\n---\n```\n{{ x }}\n```\n", vec![(5, "{{ x }}\n")]),
        ("```\n{{ x }}\n```\n```\n{{ y }}\n```\n", vec![(2, "{{ x }}\n"), (5, "{{ y }}\n")]),
        ("<details>\n\n```\n{{ x }}\n```\n\n</details>\n", vec![(4, "{{ x }}\n")]),
        ("    {{ indented }}\n", vec![]),
        ("`{{ x }}` and {{ y }}\n", vec![]),
        ("<pre>\n{{ x }}\n</pre>\n", vec![]),
        ("<!--\n```\n{{ x }}\n```\n-->\n", vec![]),
        ("```\n```\n", vec![]),
        ("", vec![]),
    ] {
        let expected: Vec<(usize, String)> = expected.into_iter().map(|(line, text)| (line, text.to_owned())).collect();
        assert_eq!(texts(markdown), expected, "{markdown:?}");
    }
}

#[test]
fn a_block_is_a_template_if_it_compiles_and_has_variables() {
    use Syntax::{Handlebars, Jinja2, Mustache};
    for (block, expected) in [
        ("{{ x }}", Some(Jinja2)),
        ("{{ namespace }}", Some(Jinja2)),
        ("{{ dict.name }}", Some(Jinja2)),
        ("{{ größe }}", Some(Jinja2)),
        ("{{ a.b | upper }}", Some(Jinja2)),
        ("{% for i in range(3) %}x{% endfor %}", Some(Jinja2)),
        ("{% if a %}x{% endif %}", Some(Jinja2)),
        ("{% set x = 1 %}{{ x }}", Some(Jinja2)),
        ("{{#xs}}- {{.}}\n{{/xs}}", Some(Mustache)),
        ("{{{x}}}", Some(Mustache)),
        ("{{.}}", Some(Mustache)),
        ("{{#if a}}x{{else}}y{{/if}}", Some(Handlebars)),
        ("// @generated {{ gone }}\n{{ x }}", Some(Jinja2)),
        ("${{ github.ref }} {{ x }}", Some(Jinja2)),
        ("url: ${{{NAME}}_URL} {{! a remark }}", Some(Mustache)),
        ("int x;", None),
        ("{{ 'text' }}", None),
        ("{{ 1 + 2 }} {{ true }} {{ range(3) | join(',') }}", None),
        ("{{ ref('users') }} {{ now() }} {{ config(materialized='table') }}", None),
        ("{{ ref(table) }}", None),
        ("{{ x | to_nice_yaml }}", None),
        ("{% if x %}{{ ref(x) }}{% endif %}", Some(Jinja2)),
        ("summary: {{ $labels.instance }} is {{ $value }}", None),
        ("{{- range $xs }}x{{- end }}", None),
        ("{# {{ x }} #}", None),
        ("{% raw %}{{ x }}{% endraw %}", None),
        ("{! no tag !} {{! a remark }}", None),
        ("{{=<% %>=}}", None),
        ("{{> part}}", None),
        ("{% set x = 1 %}", None),
        ("// @generated {{ gone }}\nint x;", None),
        ("run: ${{ secrets.TOKEN }}\nif: ${{ matrix.os == 'linux' }}", None),
        ("{{ x", None),
        ("style={{ color: 'red', top: n ? 1 : 2 }}", None),
        ("{% if a %}never closed", None),
        ("{{#a}}{{/b}}", None),
        ("{% include 'x' %}{{ y }}", None),
        ("fn a() { { x } }", None),
        ("{{ range .Items }}{{ .Name }}{{ end }}", None),
        ("print(f'{{{{ y }}}}')", None),
        ("image: {{ .Values.image }}", None),
        ("<li>{{#items}}{{title}}{{/items}} {{$price}}</li>", Some(Mustache)),
        ("{{- name }} {{^a}}{{b}}{{/a}}", Some(Mustache)),
        ("{{#a}}{{ b.c }}{{/a}}{{ ..d }}", Some(Mustache)),
    ] {
        let found = extract(&format!("```\n{block}\n```\n"));
        assert_eq!(found.blocks.first().map(|found| found.analysis.syntax), expected, "{block}");
    }
}

#[test]
fn broken_templates_are_reported_with_their_line() {
    let found = extract("# A\n\n```\nok\n{% if a %}\n```\n\n```\n{{ x }}\n```\n\n```\n{{#a}}\n{{/b}}\n```\n");
    let rejected: Vec<_> =
        found.rejected.iter().map(|it| (it.line, it.problem.line, it.problem.message.as_str())).collect();
    assert_eq!(
        rejected,
        [
            (4, Some(5), "'if' opened at line 5 is never closed"),
            (13, Some(14), "section 'a' of line 13 is closed by 'b' at line 14"),
        ]
    );
    assert_eq!(found.blocks.len(), 1);
}

fn stems(markdown: &str) -> Vec<String> {
    extract(markdown).blocks.into_iter().map(|found| found.stem).collect()
}

#[test]
fn a_block_is_called_after_front_matter_and_the_nearest_heading() {
    let block = "```\n{{ x }}\n```\n";
    for (markdown, expected) in [
        (format!("## Template 1: Basic Fallback\n{block}"), vec!["basic-fallback"]),
        (format!("---\nid: head\n---\n# Top\n## Some `code` & more\n{block}"), vec!["head-some-code-more"]),
        (format!("---\nid: head\n---\n{block}"), vec!["head"]),
        (format!("---\nid: ../../etc/x y\n---\n{block}"), vec!["-..-etc-x-y"]),
        (format!("---\nid: ..\n---\n{block}"), vec![""]),
        (format!("---\nid: [broken\n---\n# A\n{block}"), vec!["a"]),
        (format!("\n---\nid: no\n---\n# A\n{block}"), vec!["a"]),
        (format!("Title\n=====\n{block}"), vec!["title"]),
        (format!("\u{feff}---\nid: head\n---\n# Top\n{block}"), vec!["head-top"]),
        (format!("##no heading\n{block}"), vec![""]),
        (format!("# A\n## B\n### C\n## D\n{block}"), vec!["d"]),
        (format!("# A\n## B\n# C\n{block}"), vec!["c"]),
        (format!("# A\n### !!\n{block}"), vec!["a"]),
        (format!("# Top\n## Template 9:\n{block}"), vec!["top"]),
        (format!("# A\n> # Quoted\n> {}\n\n{block}", block.trim_end().replace('\n', "\n> ")), vec!["quoted", "a"]),
        (format!("# A\n\n- # In a list\n\n{block}"), vec!["a"]),
        (format!("```\n# no heading\n```\n{block}"), vec![""]),
        (block.to_owned(), vec![""]),
    ] {
        assert_eq!(stems(&markdown), expected, "{markdown}");
    }
}

#[test]
fn slugs() {
    for (heading, expected) in [
        ("Template 1: Basic Fallback", "basic-fallback"),
        ("template 6: lower", "lower"),
        ("TEMPLATE  12 :tight", "tight"),
        ("Template 9:", ""),
        ("Template: With Retry", "with-retry"),
        ("Template1: x", "template1-x"),
        ("Template Three", "template-three"),
        ("Template's overview", "template-s-overview"),
        ("Template 10 - dash", "template-10-dash"),
        ("My Template 13: x", "my-template-13-x"),
        ("Templates 2: x", "templates-2-x"),
        ("Ünï cödé & More!! (v2)", "ünï-cödé-more-v2"),
        ("接続 プール", "接続-プール"),
        ("Step ² Ⅷ", "step"),
        ("Step ٣ ½ x", "step-٣-x"),
        ("İstanbul", "i-stanbul"),
        ("  -- a _ b -- ", "a-b"),
        ("", ""),
    ] {
        assert_eq!(slug(heading), expected, "{heading}");
    }
    let long = slug(&"very long heading text ".repeat(9));
    assert_eq!(long, "very-long-heading-text-very-long-heading-text-very-long-head");
    assert_eq!(slug(&format!("{} b", "a".repeat(59))), "a".repeat(59), "no dash at the end");
    assert_eq!(slug(&"ä".repeat(90)).chars().count(), 60);
}

#[test]
fn languages_and_their_endings() {
    for (info, expected) in [
        ("java", "java"),
        ("Java title=\"x\"", "java"),
        ("java,ignore", "java"),
        ("java:src/X.java", "java"),
        ("{.java .numberLines}", "java"),
        ("python", "py"),
        ("C++", "cpp"),
        ("bash", "sh"),
        ("yml", "yaml"),
        ("rust", "rs"),
        ("c#", "cs"),
        ("javascript", "js"),
        ("text", ""),
        ("c", ""),
        ("", ""),
    ] {
        assert_eq!(ending(info), expected, "{info}");
    }
}

fn found(stem: &str, ending: &'static str, text: &str) -> EmbeddedBlock {
    let hash = refdesk_files::name::sha256_hex(text.as_bytes());
    EmbeddedBlock { text: text.into(), hash, line: 1, stem: stem.to_owned(), ending, analysis: analyse(text, None) }
}

#[test]
fn names_are_unique_and_the_same_content_has_one() {
    let long = "ä".repeat(200);
    for (blocks, expected) in [
        (
            vec![("x", "java", "1"), ("x", "java", "2"), ("x", "java", "3")],
            vec!["x.java.tmpl", "x-1.java.tmpl", "x-2.java.tmpl"],
        ),
        (vec![("x", "java", "1"), ("x", "sql", "2"), ("x", "", "3")], vec!["x.java.tmpl", "x.sql.tmpl", "x.tmpl"]),
        (
            vec![("x", "java", "1"), ("y", "sql", "1"), ("x", "java", "2")],
            vec!["x.java.tmpl", "x.java.tmpl", "x-1.java.tmpl"],
        ),
        (vec![("x", "", "1"), ("x-1", "", "2"), ("x", "", "3")], vec!["x.tmpl", "x-1.tmpl", "x-2.tmpl"]),
        (vec![("x", "", "1"), ("x", "", "2"), ("x-1", "", "3")], vec!["x.tmpl", "x-1.tmpl", "x-1-1.tmpl"]),
        (vec![("Head", "", "1"), ("head", "", "2")], vec!["Head.tmpl", "head-1.tmpl"]),
        (vec![("", "java", "class {{ Name }} { int far; }\n")], vec!["template-a261802f.java.tmpl"]),
    ] {
        let blocks: Vec<EmbeddedBlock> =
            blocks.into_iter().map(|(stem, ending, text)| found(stem, ending, text)).collect();
        assert_eq!(names(blocks.iter()), expected);
    }
    let blocks = [found(&long, "java", "1"), found(&long, "java", "2")];
    let names = names(blocks.iter());
    assert_eq!(names, [format!("{}.java.tmpl", "ä".repeat(122)), format!("{}-1.java.tmpl", "ä".repeat(121))]);
    assert!(names.iter().all(|name| name.len() <= 255));
    assert_eq!(stem(Some(".hidden"), "a"), "hidden-a");
}

#[test]
fn ten_thousand_blocks_of_one_name() {
    let markdown: String = (0..10_000).map(|at| format!("```java\n{{{{ v{at} }}}}\n```\n")).collect();
    let Extracted { blocks, left_out, .. } = extract(&format!("# Same\n{markdown}"));
    assert_eq!((blocks.len(), left_out), (10_000, None));
    assert_eq!(names(blocks.iter()).last().unwrap(), "same-9999.java.tmpl");
}

#[test]
fn only_the_first_part_of_a_huge_document_is_searched() {
    let block = |name: &str| format!("```\n{{{{ {name} }}}}\n```\n");
    let text = format!("{}{}{}", block("first"), "-\n".repeat(SIGNS / 2), block("last"));
    let Extracted { blocks, left_out, .. } = extract(&text);
    assert_eq!((blocks.len(), left_out), (1, Some(LeftOut::Behind(999_996))));
    // A block that crosses the limit is skipped entirely.
    let text = format!("{}```\n{{{{ long }}}}\n{}```\n", block("first"), "x\n".repeat(SIGNS));
    let Extracted { blocks, left_out, .. } = extract(&text);
    assert_eq!(blocks.len(), 1);
    assert!(left_out.is_some());
}
