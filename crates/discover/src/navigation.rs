//! Files that list documents: `SUMMARY.md` of mdBook and GitBook, `_sidebar.md` of Docsify, `mkdocs.yml`, the sidebars
//! of Docusaurus and VitePress as far as they can be read without running code, and the links of `llms.txt`.

mod code;

use std::path::{Path, PathBuf};

use percent_encoding::percent_decode_str;
use pulldown_cmark::{Event, Parser, Tag, TagEnd};
use serde_json::Value;

use super::front_matter::VALUES;
use super::proposal::ScanNote;
use super::walk::{VITEPRESS, VITEPRESS_CONFIG};
use refdesk_files::path::{clean, lossy};
use refdesk_text::yaml::{RepeatedKeys, read as read_yaml};

/// The most documents or links to read from one file.
const ENTRIES: usize = 5_000;

/// The most links to read from an `llms.txt`.
const LINKS: usize = 200;

/// A document that a table of contents lists.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ListedPage {
    /// Relative to the workspace.
    pub path: PathBuf,
    pub title: Option<String>,
    /// The file that lists it.
    pub by: PathBuf,
}

/// A link of `llms.txt`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Link {
    pub title: String,
    pub url: String,
    pub description: String,
    /// The heading above it.
    pub section: String,
}

/// Whether a file of this name may list documents.
pub(crate) fn is_guide(path: &Path) -> bool {
    let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    matches!(name, "SUMMARY.md" | "_sidebar.md" | "llms.txt" | "mkdocs.yml" | "mkdocs.yaml")
        || name.starts_with("sidebars.")
        || is_vitepress(path)
}

fn is_vitepress(path: &Path) -> bool {
    let is_config = VITEPRESS_CONFIG.iter().any(|config| path.file_name().is_some_and(|name| name == *config));
    is_config && path.parent().is_some_and(|folder| folder.file_name().is_some_and(|name| name == VITEPRESS))
}

/// The existing documents that a file lists, in its order.
pub(crate) fn read(path: &Path, text: &str, exists: &dyn Fn(&Path) -> bool) -> (Vec<ListedPage>, Option<ScanNote>) {
    let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    let folder = path.parent().unwrap_or(Path::new(""));
    let mut note = None;
    let found: Vec<(PathBuf, Option<String>)> = match name {
        "SUMMARY.md" | "_sidebar.md" => markdown_links(text)
            .into_iter()
            .map(|link| (folder.join(local(&link.url).trim_start_matches('/')), Some(link.title)))
            .collect(),
        "mkdocs.yml" | "mkdocs.yaml" => match mkdocs(text) {
            Ok((root, pages)) => {
                pages.into_iter().map(|(title, page)| (folder.join(&root).join(page), title)).collect()
            }
            Err((line, message)) => {
                let message = format!("its 'nav' is not read: {message}");
                note = Some(ScanNote { line: Some(line), ..ScanNote::new(lossy(path), message) });
                Vec::new()
            }
        },
        "llms.txt" => Vec::new(),
        _ if is_vitepress(path) => code::vitepress(text, folder.parent().unwrap_or(Path::new("")), exists),
        _ => sidebar(name, text)
            .into_iter()
            .filter_map(|(id, title)| {
                let page = |ending: &str| clean(&folder.join("docs").join(format!("{id}.{ending}")));
                ["md", "mdx"].into_iter().map(page).find(|page| exists(page)).map(|page| (page, title))
            })
            .collect(),
    };
    let listed = found.into_iter().take(ENTRIES).map(|(page, title)| ListedPage {
        path: clean(&page),
        title: title.map(|title| title.trim().to_owned()).filter(|title| !title.is_empty()),
        by: path.to_path_buf(),
    });
    (listed.filter(|listed| exists(&listed.path)).collect(), note)
}

/// The `http://` and `https://` links of an `llms.txt`; empty for any other file.
pub(crate) fn links(path: &Path, text: &str) -> Vec<Link> {
    if path.file_name().is_none_or(|name| name != "llms.txt") {
        return Vec::new();
    }
    let mut seen = std::collections::HashSet::new();
    let is_new = |link: &Link| {
        let is_address = ["http://", "https://"].iter().any(|scheme| link.url.starts_with(scheme));
        is_address
            && !has_password(&link.url)
            && !link.url.contains(char::is_whitespace)
            && link.url.len() <= 2_000
            && seen.insert(link.url.clone())
    };
    markdown_links(text).into_iter().filter(is_new).take(LINKS).collect()
}

/// Whether an address contains a user or a password, which must not get into a catalog.
pub fn has_password(address: &str) -> bool {
    let authority = address.split_once("://").map_or(address, |(_, rest)| rest);
    authority.split(['/', '?', '#']).next().unwrap_or_default().contains('@')
}

/// What two spellings of an address have in common: scheme and host in lower case, without a final `/`.
pub fn address_key(address: &str) -> String {
    let (scheme, rest) = address.split_once("://").unwrap_or(("", address));
    let (host, path) = rest.split_at(rest.find(['/', '?', '#']).unwrap_or(rest.len()));
    format!("{}://{}{}", scheme.to_lowercase(), host.to_lowercase(), path.trim_end_matches('/'))
}

/// The links of list items and paragraphs, with the text after each.
fn markdown_links(text: &str) -> Vec<Link> {
    let mut links: Vec<Link> = Vec::new();
    let (mut section, mut title, mut url) = (String::new(), String::new(), None);
    let (mut is_heading, mut follows) = (false, false);
    for event in Parser::new(text) {
        match event {
            Event::Start(Tag::Heading { .. }) => {
                (is_heading, follows) = (true, false);
                section.clear();
            }
            Event::End(TagEnd::Heading(_)) => is_heading = false,
            Event::Start(Tag::Link { dest_url, .. }) if links.len() < ENTRIES => {
                url = Some(dest_url.into_string());
                title.clear();
            }
            Event::End(TagEnd::Link) => {
                if let Some(url) = url.take() {
                    let title = std::mem::take(&mut title);
                    links.push(Link { title, url, description: String::new(), section: section.clone() });
                    follows = true;
                }
            }
            Event::Start(Tag::Item | Tag::Paragraph) | Event::End(TagEnd::Item | TagEnd::Paragraph) => follows = false,
            Event::Text(part) | Event::Code(part) => {
                if is_heading {
                    section.push_str(&part);
                } else if url.is_some() {
                    title.push_str(&part);
                } else if let Some(last) = links.last_mut().filter(|_| follows) {
                    last.description.push_str(&part);
                }
            }
            Event::SoftBreak => {
                if let Some(last) = links.last_mut().filter(|_| follows) {
                    last.description.push(' ');
                }
            }
            _ => {}
        }
    }
    for link in &mut links {
        link.description = link.description.trim_start_matches([':', '-', '–', '—', ' ']).trim().to_owned();
    }
    links
}

/// The path of a link without query and anchor.
fn local(url: &str) -> String {
    let bare = url.split(['?', '#']).next().unwrap_or_default();
    if bare.contains("://") {
        return String::new();
    }
    percent_decode_str(bare).decode_utf8_lossy().into_owned()
}

/// The folder of the documents, and the titles and paths in `nav`.
type MkDocs = (String, Vec<(Option<String>, String)>);

/// Reads only the two members that are needed, because others may have tags that are not plain YAML.
fn mkdocs(text: &str) -> Result<MkDocs, (usize, String)> {
    let mut root = "docs".to_owned();
    let (mut nav, mut first, mut is_nav) = (String::new(), 0, false);
    for (at, line) in text.lines().enumerate() {
        let is_member = line.starts_with(|c: char| c.is_ascii_alphabetic());
        if is_member {
            is_nav = line.starts_with("nav:");
            if let Some(named) = line.strip_prefix("docs_dir:") {
                named.trim().trim_matches(['"', '\'']).clone_into(&mut root);
            }
        }
        if is_nav {
            if nav.is_empty() {
                first = at;
            }
            nav.push_str(line);
            nav.push('\n');
        }
    }
    let mut pages = Vec::new();
    if !nav.is_empty() {
        let value: Value = read_yaml(&nav, VALUES, RepeatedKeys::FirstWins)
            .map_err(|problem| (first + problem.line, problem.message))?;
        collect_pages(value.get("nav").unwrap_or(&Value::Null), None, &mut pages);
    }
    Ok((root, pages))
}

fn collect_pages(value: &Value, title: Option<&str>, pages: &mut Vec<(Option<String>, String)>) {
    match value {
        Value::String(page) if pages.len() < ENTRIES => pages.push((title.map(str::to_owned), page.clone())),
        Value::Array(items) => items.iter().for_each(|item| collect_pages(item, None, pages)),
        Value::Object(members) => members.iter().for_each(|(title, item)| collect_pages(item, Some(title), pages)),
        _ => {}
    }
}

/// The ids of documents and their labels: from a JSON file as Docusaurus defines them, from code every quoted text.
fn sidebar(name: &str, text: &str) -> Vec<(String, Option<String>)> {
    let mut found = Vec::new();
    if name == "sidebars.json" {
        if let Ok(value) = serde_json::from_str::<Value>(text) {
            collect_ids(&value, &mut found);
        }
        return found;
    }
    found.extend(code::literals(text).take(ENTRIES).map(|literal| (literal.text.to_owned(), None)));
    found
}

fn collect_ids(value: &Value, found: &mut Vec<(String, Option<String>)>) {
    match value {
        Value::String(id) if found.len() < ENTRIES => found.push((id.clone(), None)),
        Value::Array(items) => items.iter().for_each(|item| collect_ids(item, found)),
        Value::Object(members) => match members.get("id").and_then(Value::as_str) {
            Some(id) => {
                let label = members.get("label").and_then(Value::as_str).map(str::to_owned);
                found.push((id.to_owned(), label));
            }
            None => members.values().for_each(|item| collect_ids(item, found)),
        },
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn listed(path: &str, text: &str, existing: &[&str]) -> Vec<(String, Option<String>)> {
        let exists = |path: &Path| existing.iter().any(|known| Path::new(known) == path);
        let (listed, note) = read(Path::new(path), text, &exists);
        assert_eq!(note, None, "{path}");
        listed.into_iter().map(|it| (lossy(&it.path), it.title)).collect()
    }

    #[test]
    fn tables_of_contents() {
        let some = |title: &str| Some(title.to_owned());
        for (path, text, expected) in [
            (
                "book/src/SUMMARY.md",
                "# Summary\n\n[Start](start.md)\n\n- [The `a`](guide/a.md#x)\n  - [Draft]()\n  - [Gone](gone.md)\n  - [Sp ace](sp%20ace.md)\n- [Out](../../README.md)\n- [Web](https://example.org/a.md)",
                vec![
                    ("book/src/start.md", some("Start")),
                    ("book/src/guide/a.md", some("The a")),
                    ("book/src/sp ace.md", some("Sp ace")),
                    ("README.md", some("Out")),
                ],
            ),
            (
                "mkdocs.yml",
                "site_name: x\ndocs_dir: 'manual'\nplugins:\n  - x: !!python/name:y.z\nnav:\n  - index.md\n  - Guide:\n    - First: guide/first.md\n    - guide/second.md\n  - Web: https://example.org\ntheme: y\n",
                vec![
                    ("manual/index.md", None),
                    ("manual/guide/first.md", some("First")),
                    ("manual/guide/second.md", None),
                ],
            ),
            (
                "web/sidebars.js",
                "// it's code\nmodule.exports = { docs: ['intro', {type: 'category', label: \"More\", items: ['guide/b']}] };",
                vec![("web/docs/intro.md", None), ("web/docs/guide/b.mdx", None)],
            ),
            (
                "web/sidebars.json",
                "{\"docs\": [\"intro\", {\"type\": \"doc\", \"id\": \"guide/b\", \"label\": \"B\"}, {\"Cat\": [\"none\"]}]}",
                vec![("web/docs/intro.md", None), ("web/docs/guide/b.mdx", some("B"))],
            ),
            ("web/sidebars.json", "{", vec![]),
            (
                "manual/.vitepress/config.mts",
                "export default { title: 'It', themeConfig: { sidebar: { '/guide/': { base: '/guide/', items: [\n\
                 { text: 'Two', link: 'second#x' }, // it's the \"2nd\"\n\
                 { text: \"One\", collapsed: true, link: \"/guide/first.html\" },\n\
                 { text: 'Home', link: '/' }, { text: 'Out', link: 'https://example.org' }, { link: '/none' } ] } } } }",
                vec![
                    ("manual/guide/second.md", some("Two")),
                    ("manual/guide/first.md", some("One")),
                    ("manual/index.md", some("Home")),
                ],
            ),
            (
                "web/.vitepress/config.js",
                "export default { srcDir: './docs', themeConfig: { sidebar: [{ text: `Intro`, link: `/intro` }] } }",
                vec![("web/docs/intro.md", some("Intro"))],
            ),
        ] {
            let existing = [
                "README.md",
                "book/src/start.md",
                "book/src/guide/a.md",
                "book/src/sp ace.md",
                "manual/index.md",
                "manual/guide/first.md",
                "manual/guide/second.md",
                "web/docs/intro.md",
                "web/docs/guide/b.mdx",
            ];
            let expected: Vec<(String, Option<String>)> =
                expected.into_iter().map(|(path, title)| (path.to_owned(), title)).collect();
            assert_eq!(listed(path, text, &existing), expected, "{path}");
        }
    }

    #[test]
    fn a_bad_nav_is_reported_with_its_line() {
        let text = "site_name: x\nnav:\n  - a: [\ntheme: x\n";
        let (listed, note) = read(Path::new("mkdocs.yml"), text, &|_| true);
        assert!(listed.is_empty());
        let note = note.expect("it is reported");
        assert!(note.line.is_some_and(|line| (2..=4).contains(&line)), "{note}");
    }

    #[test]
    fn links_for_agents() {
        let text = "# Lib\n\n> About\n\n## Guides\n\n- [Auth](https://x.org/auth.md): how to *log in*\n  again\n- [Local](a.md)\n- [Js](javascript:alert(1))\n- [Auth](https://x.org/auth.md)\n\n## Optional\n- [Http](http://y.org)\n";
        let found = links(Path::new("docs/llms.txt"), text);
        let shown: Vec<[&str; 4]> =
            found.iter().map(|it| [&*it.title, &*it.url, &*it.description, &*it.section]).collect();
        assert_eq!(
            shown,
            [
                ["Auth", "https://x.org/auth.md", "how to log in again", "Guides"],
                ["Http", "http://y.org", "", "Optional"]
            ]
        );
        assert!(links(Path::new("SUMMARY.md"), text).is_empty());
    }
}
