//! Finds the line in a template's head that gives its output path: `// Output: {{basePackage}}/domain/X.java`, in any
//! comment style. The renderer fills in the variables.

/// The number of lines in the head.
const HEAD: usize = 10;

/// Comment openings; if one begins with another, the longer one comes first.
const OPENINGS: &[&str] = &["<!--", "<%--", "{{!--", "{{!", "{#-", "{#", "/*", "//", "--", "#", ";", "%", "*", "'"];

/// Comment endings.
const ENDINGS: &[&str] = &["--%>", "-->", "--}}", "}}", "-#}", "#}", "*/"];

/// The output path in a template's head, with unfilled variables, and its line from 1. A remark in parentheses after
/// the path is ignored, and a sentence is not a path.
pub fn output_line(text: &str) -> Option<(usize, &str)> {
    let head = text.trim_start_matches('\u{feff}').lines().take(HEAD);
    (1..).zip(head).find_map(|(at, line)| Some((at, path_in(line)?)))
}

fn path_in(line: &str) -> Option<&str> {
    let mut rest = line.trim();
    let opening = OPENINGS.iter().find(|opening| rest.starts_with(**opening))?;
    // `///`, `##`, `/**`, `;;;`: a comment's last character may be repeated.
    rest = rest.strip_prefix(opening)?.trim_start_matches(|c| opening.ends_with(c));
    rest = rest.trim_start().strip_prefix("Output:")?.trim();
    // An ending counts only after its opening: `}}` may also end a variable.
    let ending = ENDINGS.iter().find(|ending| rest.ends_with(**ending) && closes(opening, ending, rest));
    if let Some(ending) = ending {
        rest = rest.strip_suffix(ending)?.trim_end();
    }
    if let Some(at) = rest.strip_suffix(')').and_then(|inner| inner.rfind('('))
        && let Some(before) = rest.get(..at)
        && (before.is_empty() || before.ends_with(char::is_whitespace))
    {
        rest = before.trim_end();
    }
    // A quoted path, such as one in Markdown.
    let unquoted = |quote: char| rest.strip_prefix(quote)?.strip_suffix(quote).filter(|path| !path.contains(quote));
    let path = ['`', '"', '\''].into_iter().find_map(unquoted).unwrap_or(rest);
    is_path(path).then_some(path)
}

/// Whether the ending belongs to the opening.
fn closes(opening: &str, ending: &str, rest: &str) -> bool {
    match ending {
        "}}" => opening == "{{!" && !rest.contains("{{"),
        "--}}" => opening == "{{!--",
        "#}" | "-#}" => opening.starts_with("{#"),
        "-->" => opening == "<!--",
        "--%>" => opening == "<%--",
        _ => matches!(opening, "/*" | "*"),
    }
}

/// Whether the text is one word, not counting template tags.
fn is_path(text: &str) -> bool {
    let mut depth = 0usize;
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match (c, chars.peek()) {
            ('{', Some('{' | '%')) => {
                chars.next();
                depth += 1;
            }
            ('}' | '%', Some('}')) => {
                chars.next();
                depth = depth.saturating_sub(1);
            }
            (c, _) if c.is_whitespace() && depth == 0 => return false,
            _ => {}
        }
    }
    !text.is_empty()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn in_any_comment_style() {
        for (text, expected) in [
            ("// Output: {{basePackage}}/X.java", Some("{{basePackage}}/X.java")),
            ("//Output:X.java", Some("X.java")),
            ("/// Output: X.java", Some("X.java")),
            ("# Output: src/main/resources/application.yml (merge)", Some("src/main/resources/application.yml")),
            ("## Output: a.md", Some("a.md")),
            ("<!-- Output: pom.xml -->", Some("pom.xml")),
            ("<!-- Output: pom.xml (merge into dependencies section) -->", Some("pom.xml")),
            ("<%-- Output: x.jsp --%>", Some("x.jsp")),
            ("/* Output: a.css */", Some("a.css")),
            ("/** Output: a.ts */", Some("a.ts")),
            ("/**\n * Output: {{ name }}.ts\n */", Some("{{ name }}.ts")),
            ("-- Output: {{ table }}.sql", Some("{{ table }}.sql")),
            ("; Output: a.ini", Some("a.ini")),
            (";;; Output: a.el", Some("a.el")),
            ("% Output: a.tex", Some("a.tex")),
            ("{# Output: {{ a | lower }}.py #}", Some("{{ a | lower }}.py")),
            ("{#- Output: a.py -#}", Some("a.py")),
            ("{{! Output: a.txt }}", Some("a.txt")),
            ("{{!-- Output: {{a}}.txt --}}", Some("{{a}}.txt")),
            ("// Output: {% if a %}x{% else %}y{% endif %}.c", Some("{% if a %}x{% else %}y{% endif %}.c")),
            ("\u{feff}// Output: a", Some("a")),
            ("// Template: X\r\n// Output: a.c\r\n", Some("a.c")),
            ("  // Output: a/(group)/page.tsx", Some("a/(group)/page.tsx")),
            ("// Output: a/(group)/page.tsx (new)", Some("a/(group)/page.tsx")),
            ("// Output: {{a}}\n// Output: {{b}}", Some("{{a}}")),
            ("// Output: `tick/{{n}}.java` (new)", Some("tick/{{n}}.java")),
            ("# Output: \"a.md\"", Some("a.md")),
            ("# Output: 'a.md'", Some("a.md")),
            ("// Output: `a` or `b`", None),
            ("// Output: `a", Some("`a")),
            ("// Output: ``", None),
            ("// Output: Applied to existing service class", None),
            ("// Output: Applied to existing service class\n// Output: a", Some("a")),
            ("// Output:", None),
            ("// Output: (none)", None),
            ("// Outputs: a", None),
            ("Output: a", None),
            ("printf(\"// Output: a\")", None),
            ("{{ x }} // Output: a", None),
            ("", None),
        ] {
            assert_eq!(output_line(text).map(|(_, path)| path), expected, "{text}");
        }
    }

    #[test]
    fn only_in_the_head() {
        let at = |line: usize| format!("{}// Output: a", "\n".repeat(line - 1));
        assert_eq!((output_line(&at(10)), output_line(&at(11))), (Some((10, "a")), None));
    }
}
