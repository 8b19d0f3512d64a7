//! The words of the blocks, byte for byte (BEHAVIOUR §5, blocks 1 to 3). What stands in them arrives printed and escaped
//! or is escaped here; each block begins with the blank line that sets it off from the text before.

use super::draft::BlockKind;
use super::places::Places;
use crate::catalog::{Kind, Source};
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

/// What the heading of the line about what was left out begins with.
pub(crate) const LEFT_OUT: &str = "**Left out for want of room**: ";

/// A block of these entries, printed: the context brings its own heading.
pub(crate) fn block(kind: BlockKind, entries: &[&str]) -> String {
    let (heading, between) = match kind {
        BlockKind::Expansion => (EXPANSIONS, "\n\n"),
        BlockKind::Hint => (HINTS, "\n"),
        BlockKind::Notice => (NOTICE, "\n"),
        BlockKind::Templates => (TEMPLATES, "\n\n"),
        BlockKind::Context | BlockKind::LeftOut => return format!("\n\n---\n{}\n---", entries.join("\n\n")),
    };
    format!("\n\n---\n{heading}\n\n{}\n---", entries.join(between))
}

/// How much there was no room for, and how it is seen.
pub(crate) fn left_out(counts: &[(BlockKind, usize)]) -> String {
    let word = |kind: &BlockKind| match kind {
        BlockKind::Expansion => "expansion",
        BlockKind::Hint => "hint",
        BlockKind::Notice => "transitive reference",
        BlockKind::Context => "reference context",
        BlockKind::Templates => "template",
        BlockKind::LeftOut => "line",
    };
    let counted =
        |(kind, count): &(BlockKind, usize)| format!("{count} {}{}", word(kind), if *count == 1 { "" } else { "s" });
    let counted: Vec<String> = counts.iter().map(counted).collect();
    let line = format!("{LEFT_OUT}{} — `refdesk simulate --repeat` shows them", counted.join(", "));
    block(BlockKind::LeftOut, &[&line])
}

/// Name and place of a source, for a block of expansions.
pub(crate) fn brief(source: &Source, places: &dyn Places) -> String {
    let place = match &source.kind {
        Kind::Local(place) => format!(" — `{}`", one_line(&places.display_path(&place.path))),
        Kind::Url { url } => format!(" — {}", one_line(url)),
        Kind::Mcp { server, tool, .. } => format!(" — tool `{}` of {}", one_line(tool), one_line(server)),
        Kind::Inline { .. } => String::new(),
    };
    format!("@{}: {}{place}", one_line(source.id.as_str()), one_line(&source.name))
}

/// A hint without its tags.
pub(crate) fn brief_hint(source: &Source) -> String {
    format!("- @{}: {}", one_line(source.id.as_str()), one_line(&source.name))
}

/// A line of the notice without its parents.
pub(crate) fn brief_notice(source: &Source) -> String {
    brief_hint(source)
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
