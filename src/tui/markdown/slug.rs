//! The anchor names of headings: lower case, words joined by `-`, other characters dropped, and a number
//! appended to repeated names.

use std::collections::HashMap;

/// The names used so far.
#[derive(Debug, Clone, Default)]
pub struct Slugs {
    used: HashMap<String, usize>,
}

impl Slugs {
    /// The anchor name of the next heading with this text.
    pub fn next(&mut self, heading: &str) -> String {
        let slug = slug(heading);
        let used = self.used.entry(slug.clone()).or_default();
        *used += 1;
        if *used == 1 { slug } else { format!("{slug}-{}", *used - 1) }
    }
}

/// The anchor name of a heading, as Markdown hosts build it.
pub fn slug(heading: &str) -> String {
    let of = |c: char| match c {
        ' ' => Some('-'),
        '-' | '_' => Some(c),
        _ => c.is_alphanumeric().then_some(c),
    };
    heading.trim().to_lowercase().chars().filter_map(of).collect()
}

#[test]
fn names_of_headings() {
    let mut slugs = Slugs::default();
    for (heading, expected) in [
        ("When it opens", "when-it-opens"),
        ("ADR-004: Retry & `timeouts`!", "adr-004-retry--timeouts"),
        (" Übersicht 日本 ", "übersicht-日本"),
        ("When it opens", "when-it-opens-1"),
        ("when it opens", "when-it-opens-2"),
        ("", ""),
    ] {
        assert_eq!(slugs.next(heading), expected);
    }
}
