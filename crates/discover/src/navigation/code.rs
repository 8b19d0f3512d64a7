//! Reads configuration written in code without running it: the quoted texts, and the names they are assigned to.

use std::path::{Path, PathBuf};

use super::local;
use refdesk_files::path::clean;

/// A text in quotes.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Literal<'t> {
    /// The name before its colon; empty without one.
    pub name: &'t str,
    pub text: &'t str,
}

/// The quoted texts that end on their line, in order. Takes linear time for any code.
pub(super) fn literals(code: &str) -> impl Iterator<Item = Literal<'_>> {
    let mut from = 0;
    std::iter::from_fn(move || {
        loop {
            let at = from + code.get(from..)?.find(['\'', '"', '`'])?;
            let (before, rest) = code.split_at(at);
            let (quote, after) = rest.split_at(1);
            from = at + 1;
            // Inside an unfinished text or an expression.
            if before.ends_with('\\') {
                continue;
            }
            let is_escaped = |at: usize| after.get(..at).is_some_and(|text| text.ends_with('\\'));
            let mut stops = after.match_indices(|c: char| c == '\n' || quote.starts_with(c));
            let stop = stops.find(|(at, found)| *found == "\n" || !is_escaped(*at));
            // A quote that is not closed on its line is an apostrophe in a comment.
            let Some((end, _)) = stop.filter(|(_, found)| *found == quote) else { continue };
            from += end + 1;
            return Some(Literal { name: name_before(before), text: after.get(..end)? });
        }
    })
}

fn name_before(code: &str) -> &str {
    let Some(named) = code.trim_end().strip_suffix(':').map(str::trim_end) else { return "" };
    let named = named.trim_end_matches(['\'', '"']);
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    named.rsplit(|c: char| !is_part(c)).next().unwrap_or_default()
}

/// The documents in VitePress's menus, with their titles; `folder` is the root of the site.
pub(super) fn vitepress(code: &str, folder: &Path, exists: &dyn Fn(&Path) -> bool) -> Vec<(PathBuf, Option<String>)> {
    let root = literals(code)
        .find(|literal| literal.name == "srcDir")
        .map_or(folder.to_path_buf(), |literal| folder.join(literal.text.trim_start_matches('/')));
    let (mut base, mut title) = ("", None);
    let mut found = Vec::new();
    for Literal { name, text } in literals(code) {
        match name {
            "base" => base = text,
            "text" => title = Some(text.to_owned()),
            "link" => {
                let title = title.take();
                let pages = [text.to_owned(), format!("{base}{text}")];
                let pages = pages.iter().flat_map(|link| pages_of(link)).map(|page| clean(&root.join(page)));
                found.extend(pages.into_iter().find(|page| exists(page)).map(|page| (page, title)));
            }
            _ => {}
        }
    }
    found
}

/// The paths where the page of a site link may be.
fn pages_of(link: &str) -> Vec<String> {
    if link.contains("://") {
        return Vec::new();
    }
    let link = local(link);
    let link = link.trim_start_matches('/');
    let page = link.strip_suffix(".html").or_else(|| link.strip_suffix(".md")).unwrap_or(link);
    match page.strip_suffix('/').unwrap_or(page) {
        "" => vec!["index.md".to_owned()],
        page => vec![format!("{page}.md"), format!("{page}/index.md")],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_and_their_names() {
        let code = "// it's\nconst a = { 'x': \"one\", link : 'two', t:`three`, [`four`]: 5, // isn't\n text: 'it\\'s' }; 'open";
        let found: Vec<(&str, &str)> = literals(code).map(|it| (it.name, it.text)).collect();
        assert_eq!(found, [("", "x"), ("x", "one"), ("link", "two"), ("t", "three"), ("", "four"), ("text", "it\\'s")]);
    }

    #[test]
    fn unterminated_text_is_fast_and_hides_nothing() {
        let many = 300_000;
        for (code, expected) in [
            (format!("'{}\n'", "\\'".repeat(many)), 0),
            (format!("'{}\n'a'", "\\'".repeat(many)), 1),
            (format!("\"{}", "'\n".repeat(many)), 0),
            (format!("`\"{}", "'a'".repeat(many)), many),
            ("// it's\nlink: 'a' // isn't".to_owned(), 1),
        ] {
            assert_eq!(literals(&code).count(), expected);
        }
    }
}
