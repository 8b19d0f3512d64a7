//! How a page says that refdesk wrote it.

/// The generator named in the front matter of such a page.
pub const GENERATOR: &str = "refdesk";

/// Whether the front matter of this page, of which the beginning is enough, says that refdesk wrote it.
pub fn is_generated(page: &str) -> bool {
    let front = page.strip_prefix("---\n").and_then(|rest| rest.split_once("\n---\n"));
    front.is_some_and(|(front, _)| front.lines().any(|line| line.strip_prefix("generated: ") == Some(GENERATOR)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_front_matter_counts() {
        for (page, expected) in [
            ("---\nid: x\ngenerated: refdesk\n---\n\nx", true),
            ("---\ngenerated: refdesk\n---\n", true),
            ("---\nid: x\n---\n\ngenerated: refdesk\n", false),
            ("---\ngenerated: refdesk too\n---\n", false),
            ("---\ngenerated: refdesk\n", false),
            ("generated: refdesk\n", false),
        ] {
            assert_eq!(is_generated(page), expected, "{page}");
        }
    }
}
