//! The words of the blocks, byte for byte (BEHAVIOUR §5, blocks 1 to 3). What stands in them arrives printed and escaped
//! or is escaped here; each block begins with the blank line that sets it off from the text before.

use crate::catalog::Source;
use crate::text::escape::one_line;

/// Heading of the expansions.
pub(crate) const EXPANSIONS: &str = "**Referenced Sources:**";
/// Heading of the tag hints.
pub(crate) const HINTS: &str = "**Reference sources available** — use `selectReferences` with IDs or tags to select:";
/// Heading of the transitive notice.
pub(crate) const NOTICE: &str = "**Transitively selected references** — auto-included from pre-selected sources:";
/// Heading of the templates block.
pub(crate) const TEMPLATES: &str = "**Templates available**";
/// What the heading of a reference context begins with.
pub(crate) const CONTEXT: &str = "**Reference Context: ";
/// What stands before the tags of a hint.
pub(crate) const MATCHED: &str = " (matched: ";
/// What stands before the parents of a transitive source.
pub(crate) const PARENTS: &str = " (from @";

/// Block 1. Each entry is an instruction or the line of [`given_above`], printed.
pub(crate) fn expansions(entries: &[String]) -> String {
    block(EXPANSIONS, &entries.join("\n\n"))
}

/// Block 2. Each line is one of [`hint`].
pub(crate) fn hints(lines: &[String]) -> String {
    block(HINTS, &lines.join("\n"))
}

/// Block 3. Each line is one of [`notice`].
pub(crate) fn transitive(lines: &[String]) -> String {
    block(NOTICE, &lines.join("\n"))
}

/// What an `@id` gets whose expansion the session has already been given.
pub(crate) fn given_above(source: &Source) -> String {
    format!("@{}: given above", one_line(source.id.as_str()))
}

/// The beginning of a hint line, which names its source: up to and with [`MATCHED`].
pub(crate) fn hint_beginning(source: &Source) -> String {
    format!("- @{}: {}{MATCHED}", one_line(source.id.as_str()), one_line(&source.name))
}

/// `- @{id}: {name} (matched: {tag}, {tag})`
pub(crate) fn hint(source: &Source, tags: &[String]) -> String {
    let tags: Vec<_> = tags.iter().map(|tag| one_line(tag)).collect();
    format!("{}{})", hint_beginning(source), tags.join(", "))
}

/// The beginning of a notice line, which names its source: up to and with [`PARENTS`].
pub(crate) fn notice_beginning(source: &Source) -> String {
    format!("- @{}: {}{PARENTS}", one_line(source.id.as_str()), one_line(&source.name))
}

/// `- @{id}: {name} (from @{parent}, @{parent})`
pub(crate) fn notice<'p>(source: &Source, parents: impl Iterator<Item = &'p str>) -> String {
    let parents = at_list(parents);
    format!("{}{})", notice_beginning(source), parents.strip_prefix('@').unwrap_or(&parents))
}

/// `@a, @b`
pub(crate) fn at_list<'p>(ids: impl Iterator<Item = &'p str>) -> String {
    ids.map(|id| format!("@{}", one_line(id))).collect::<Vec<_>>().join(", ")
}

fn block(heading: &str, inside: &str) -> String {
    format!("\n\n---\n{heading}\n\n{inside}\n---")
}
