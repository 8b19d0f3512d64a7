//! Recognizes pages that refdesk wrote.

/// The generator in the front matter of such a page.
pub const GENERATOR: &str = "refdesk";

/// Whether the front matter marks this page as written by refdesk; the beginning of the page is enough.
pub fn is_generated(page: &str) -> bool {
    body(page).is_some()
}

/// The text after the front matter of a page that refdesk wrote, with any line endings; `None` for other pages.
pub fn body(page: &str) -> Option<&str> {
    let page = page.strip_prefix('\u{feff}').unwrap_or(page);
    let mut lines = page.split_inclusive('\n');
    let mut read = lines.next().filter(|line| line.trim_end() == "---")?.len();
    let mut is_ours = false;
    for line in lines {
        read += line.len();
        match line.trim_end() {
            "---" => return page.get(read..).filter(|_| is_ours),
            line => is_ours |= line.strip_prefix("generated: ") == Some(GENERATOR),
        }
    }
    None
}

/// Whether a JSON text is data that refdesk writes for programs: the page of a table, or the list of pages. The first
/// member alone is not enough, because files of other programs may begin with it too.
pub fn is_generated_data(text: &str) -> bool {
    let inner = text.trim_start_matches('\u{feff}').trim_start().strip_prefix('{').map(str::trim_start);
    inner.is_some_and(|inner| {
        let has = |first: &str, others: &[&str]| {
            inner.starts_with(first) && others.iter().all(|member| inner.contains(member))
        };
        has("\"fully_qualified_name\"", &["\"confidence\"", "\"row_count_approx\"", "\"columns\""])
            || has("\"schema_version\"", &["\"plan_hash\"", "\"indexable_files\""])
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_front_matter_counts() {
        for (page, expected) in [
            ("---\nid: x\ngenerated: refdesk\n---\n\nx", true),
            ("---\ngenerated: refdesk\n---\n", true),
            ("--- \nid: x\ngenerated: refdesk \n--- \n", true),
            ("\u{feff}---\r\nid: x\r\ngenerated: refdesk\r\n---\r\nx", true),
            ("---\nid: x\n---\n\ngenerated: refdesk\n", false),
            ("---\ngenerated: refdesk too\n---\n", false),
            ("---\ngenerated: refdesk\n", false),
            ("generated: refdesk\n", false),
        ] {
            assert_eq!(is_generated(page), expected, "{page}");
        }
    }

    #[test]
    fn the_body_is_what_follows() {
        for (page, expected) in [
            ("---\nid: x\ngenerated: refdesk\n---\n\nx\n---\ny", Some("\nx\n---\ny")),
            ("---\r\ngenerated: refdesk\r\n---\r\nx", Some("x")),
            ("---\nid: x\n---\nx\n---\ngenerated: refdesk\n---\n", None),
        ] {
            assert_eq!(body(page), expected, "{page}");
        }
    }

    #[test]
    fn generated_data_is_recognized_by_its_members() {
        let table = "{\n  \"fully_qualified_name\": \"main.a\", \"kind\": \"table\", \"description\": \"\", \
                     \"source\": \"fallback\", \"confidence\": null, \"row_count_approx\": null, \"columns\": []}";
        let pages = "{\"schema_version\": \"1.0\", \"plan_hash\": \"\", \"indexable_files\": []}";
        for (text, expected) in [
            (table.to_owned(), true),
            (table.replace([' ', '\n'], ""), true),
            (format!("\u{feff}{table}"), true),
            (pages.to_owned(), true),
            ("{\"schema_version\": \"1.0\", \"indexable_files\": []}".to_owned(), false),
            ("{\"schema_version\": \"1.0\"}".to_owned(), false),
            ("{\"fully_qualified_name\": \"com.acme.Orders\", \"see\": \"auth\"}".to_owned(), false),
            (format!("{{\"name\": \"a\",{}", table.trim_start_matches('{')), false),
            ("fully_qualified_name".to_owned(), false),
        ] {
            assert_eq!(is_generated_data(&text), expected, "{text}");
        }
    }
}
