//! Splits a long Handlebars template into parts that are parsed separately, because the crate counts lines from the
//! start of its text at every tag, which takes half a second for 64 KiB. A part ends at a line end outside every block,
//! possibly one in a comment (which is not printed), so the result is the same as for the whole text.

use super::handlebars_dialect::tags;
use refdesk_text::lines::breaks;

/// The minimum size of a part in bytes.
pub(super) const PART: usize = 2_048;

/// Splits the text; each part is returned with the number of lines before it.
pub(crate) fn parts(text: &str, least: usize) -> Vec<(usize, &str)> {
    let (mut parts, mut from, mut lines) = (Vec::new(), 0, 0);
    let (mut depth, mut end, mut ends_line) = (0_usize, 0, false);
    for tag in tags(text) {
        let gap = text.get(end..tag.range.start).unwrap_or_default();
        let cut = if ends_line { Some(end) } else { gap.find('\n').map(|at| end + at + 1) };
        if let Some(cut) = cut.filter(|cut| depth == 0 && *cut >= from + least)
            && let Some(part) = text.get(from..cut)
        {
            parts.push((lines, part));
            lines += breaks(part);
            from = cut;
        }
        match tag.sigil {
            "#" => depth += 1,
            "/" => depth = depth.saturating_sub(1),
            _ => {}
        }
        (end, ends_line) = (tag.range.end, tag.ends_line);
    }
    parts.push((lines, text.get(from..).unwrap_or_default()));
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_ends_with_a_line_outside_blocks() {
        for (text, expected) in [
            ("a\n{{b}}\n{{c}}\n", vec![(0, "a\n"), (1, "{{b}}\n"), (2, "{{c}}\n")]),
            ("{{#if a}}\nx\n{{/if}}\n{{b}}", vec![(0, "{{#if a}}\nx\n{{/if}}\n"), (3, "{{b}}")]),
            ("{{a}}{{!\n}}{{b}}{{!\n }}{{c}}", vec![(0, "{{a}}{{!\n}}"), (1, "{{b}}{{!\n }}"), (2, "{{c}}")]),
            ("{{! {{#if a}}\n{{b}}", vec![(0, "{{! {{#if a}}\n"), (1, "{{b}}")]),
            ("{{a}}{{b}}", vec![(0, "{{a}}{{b}}")]),
        ] {
            assert_eq!(parts(text, 0), expected, "{text}");
            assert_eq!(parts(text, 100), [(0, text)], "{text}");
        }
    }
}
