//! Paths in texts that do not count as broken links even if nothing exists there: outputs of a build or a site
//! generator, and bare words that are not the name of a document.

use std::path::{Component, Path, PathBuf};

/// Folders that a build or a package manager fills.
const BUILT: [&str; 14] = [
    ".gradle",
    ".next",
    ".nuxt",
    ".svelte-kit",
    ".tox",
    ".venv",
    "__pycache__",
    "_site",
    "build",
    "dist",
    "node_modules",
    "out",
    "target",
    "venv",
];

/// Whether the path goes through a build folder. Documents are not counted, because people write them.
pub(super) fn is_built(path: &Path) -> bool {
    let is_document = path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("md"));
    let is_built = |component: Component<'_>| matches!(component, Component::Normal(name) if name.to_str().is_some_and(|name| BUILT.contains(&name)));
    // The last component is a file, or the folder itself.
    !is_document && path.components().any(is_built)
}

/// Whether a path looks like a document's. Most other bare `./x` words in texts are commands or their arguments.
pub(super) fn names_a_document(path: &Path) -> bool {
    const EXTENSIONS: [&str; 9] = ["adoc", "asciidoc", "htm", "html", "markdown", "md", "mdx", "rst", "txt"];
    let extension = path.extension().and_then(|extension| extension.to_str()).unwrap_or_default();
    EXTENSIONS.iter().any(|known| extension.eq_ignore_ascii_case(known))
}

/// The documents from which a site generator may make this missing page; empty if it is not a page. An address without
/// an extension also counts as a page. If a page `a.md` is published at `a/`, its links go up one more folder.
pub(super) fn documents_of(page: &Path) -> Vec<PathBuf> {
    if page.extension().is_none() && matches!(page.components().next_back(), Some(Component::Normal(_))) {
        let of = |page: &Path| [page.with_extension("md"), page.join("index.md"), page.join("README.md")];
        return std::iter::once(page.with_extension("md"))
            .chain(page.strip_prefix("..").ok().into_iter().flat_map(of))
            .collect();
    }
    if !page.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("html")) {
        return Vec::new();
    }
    let mut documents = vec![page.with_extension("md")];
    if page.file_stem().is_some_and(|stem| stem == "index") {
        documents.push(page.with_file_name("README.md"));
        // `guide/index.html` is made from `guide.md`.
        documents.extend(page.parent().filter(|folder| folder.file_name().is_some()).map(|it| it.with_extension("md")));
    }
    documents
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_of_a_build() {
        for (path, expected) in [
            ("./target/release/x", true),
            ("../dist/app.js", true),
            ("./node_modules/.bin/tsc", true),
            ("./build", true),
            ("./build/notes.md", false),
            ("./targets/x", false),
            ("docs/a.md", false),
            ("./a/out.txt", false),
        ] {
            assert_eq!(is_built(Path::new(path)), expected, "{path}");
        }
    }

    #[test]
    fn pages_of_documents() {
        for (page, expected) in [
            ("a/b.html", &["a/b.md"][..]),
            ("a/index.html", &["a/index.md", "a/README.md", "a.md"]),
            ("../index.html", &["../index.md", "../README.md"]),
            ("index.html", &["index.md", "README.md"]),
            ("a/b.md", &[]),
            ("a", &["a.md"]),
            ("../b/a/", &["../b/a.md", "b/a.md", "b/a/index.md", "b/a/README.md"]),
            ("..", &[]),
        ] {
            let expected: Vec<PathBuf> = expected.iter().map(PathBuf::from).collect();
            assert_eq!(documents_of(Path::new(page)), expected, "{page}");
        }
    }
}
