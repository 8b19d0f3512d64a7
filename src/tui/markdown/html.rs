//! HTML within Markdown: purely presentational tags are hidden. Comments, links, images and everything else
//! are shown as written, because an agent reads them too.

/// Purely presentational tags.
const PRESENTATIONAL_TAGS: [&str; 33] = [
    "abbr", "b", "br", "center", "code", "del", "details", "div", "em", "font", "h1", "h2", "h3", "h4", "h5", "h6",
    "i", "ins", "kbd", "mark", "p", "s", "samp", "small", "span", "strike", "strong", "sub", "summary", "sup", "tt",
    "u", "wbr",
];

#[derive(Debug, PartialEq, Eq)]
pub enum HtmlPart<'h> {
    /// Text between tags.
    Text(&'h str),
    /// A presentational tag, with its name in lower case.
    Tag { name: String, is_end: bool },
    /// Anything else in angle brackets.
    Other(&'h str),
}

/// Splits HTML into its parts.
pub fn parts(mut html: &str) -> Vec<HtmlPart<'_>> {
    let mut parts = Vec::new();
    while let Some(start) = html.find('<') {
        let (text, rest) = html.split_at(start);
        if !text.is_empty() {
            parts.push(HtmlPart::Text(text));
        }
        let ending = if rest.starts_with("<!--") { "-->" } else { ">" };
        let end = rest.find(ending).map_or(rest.len(), |at| at + ending.len());
        let (tag, behind) = rest.split_at(end);
        parts.push(looks(tag).unwrap_or(HtmlPart::Other(tag)));
        html = behind;
    }
    if !html.is_empty() {
        parts.push(HtmlPart::Text(html));
    }
    parts
}

fn looks(tag: &str) -> Option<HtmlPart<'_>> {
    let inside = tag.strip_prefix('<')?.strip_suffix('>')?;
    let (inside, is_end) = inside.strip_prefix('/').map_or((inside, false), |inside| (inside, true));
    let end = inside.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(inside.len());
    let (name, rest) = inside.split_at(end);
    let name = name.to_ascii_lowercase();
    let is_whole = rest.is_empty() || rest == "/" || rest.starts_with(|c: char| c.is_ascii_whitespace());
    (is_whole && PRESENTATIONAL_TAGS.contains(&name.as_str())).then_some(HtmlPart::Tag { name, is_end })
}

/// The text with common entities decoded.
pub fn unescaped(text: &str) -> String {
    let entities = [("&nbsp;", " "), ("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&amp;", "&")];
    entities.iter().fold(text.to_owned(), |text, (entity, char)| text.replace(entity, char))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_tags_for_looks_are_known() {
        let tag = |name: &str, is_end| HtmlPart::Tag { name: name.to_owned(), is_end };
        for (html, expected) in [
            ("", vec![]),
            ("a", vec![HtmlPart::Text("a")]),
            ("<B>a</b>", vec![tag("b", false), HtmlPart::Text("a"), tag("b", true)]),
            ("<br/><br />", vec![tag("br", false), tag("br", false)]),
            ("<div align=\"center\">", vec![tag("div", false)]),
            ("<a href=\"x\">y", vec![HtmlPart::Other("<a href=\"x\">"), HtmlPart::Text("y")]),
            ("<!-- <b> -->c", vec![HtmlPart::Other("<!-- <b> -->"), HtmlPart::Text("c")]),
            ("<bold>", vec![HtmlPart::Other("<bold>")]),
            ("<p", vec![HtmlPart::Other("<p")]),
            ("<>", vec![HtmlPart::Other("<>")]),
        ] {
            assert_eq!(parts(html), expected, "{html}");
        }
    }
}
