//! The text of the blocks, byte for byte (BEHAVIOUR §5). Values are escaped by the caller or here. Each block begins
//! with the blank line that separates it from the preceding text.

use std::borrow::Cow;

use super::chain::{EnrichContext, HintAction, TextKind};
use super::draft::BlockKind;
use super::instruction::{RESERVED, SPECIAL, UNTRUSTED, WITHHELD};
use super::meaning::Meaning;
use super::source_files::SourceFiles;
use refdesk_core::catalog::{Mode, PathState, Source, SourceKind};
use refdesk_templates::{Template, names};
use refdesk_text::escape::{code_span, one_line};
use refdesk_text::shorten::shortened;

const INSTRUCTIONS: &str = "# Reference Sources";
/// Text between the heading and the sources.
const OPENING: &str = "The following reference sources should be incorporated into your context.";
pub(crate) const EXPANSIONS: &str = "**Referenced Sources:**";
pub(crate) const HINTS: &str = "**Reference sources available** — use `selectReferences` with IDs or tags to select:";
/// Heading of hints for an agent that cannot select sources.
pub(crate) const HINTS_TO_READ: &str = "**Reference sources available** — read the file of any that helps:";
pub(crate) const NOTICE: &str = "**Transitively selected references** — auto-included from pre-selected sources:";
pub(crate) const TEMPLATES: &str = "**Templates available**";
/// Start of the heading of a reference context.
pub(crate) const CONTEXT: &str = "**Reference Context: ";
/// Text before the tags of a hint.
pub(crate) const MATCHED: &str = " (matched: ";
/// Text before the section of a hint by meaning.
pub(crate) const ABOUT: &str = " (about: ";
/// Text before the parents of a transitive source.
pub(crate) const PARENTS: &str = " (from @";

/// Start of the line about entries that did not fit.
pub(crate) const LEFT_OUT: &str = "**Left out, over the budget**: ";
/// Start of the line about hints that were left out although there was room.
pub(crate) const LESS_LIKELY: &str = "**Less likely hints left out**: ";

/// What the wording of blocks depends on, besides their entries.
#[derive(Debug, Clone, Copy)]
pub(crate) struct BlockWording {
    /// The kind of text that the blocks are appended to.
    pub kind: TextKind,
    /// What hints tell the agent to do.
    pub hint_action: HintAction,
}

/// The text before, between and after the entries of a block.
pub(crate) struct Frame {
    /// Includes the blank line that separates the block from the text before.
    pub before: Cow<'static, str>,
    pub between: &'static str,
    pub after: &'static str,
}

/// The frame of a block. `is_first` is true if nothing was printed before it, and matters only for the instructions. A
/// context has its own heading.
pub(crate) fn frame(kind: BlockKind, is_first: bool, hint_action: HintAction) -> Frame {
    let (heading, between) = match kind {
        BlockKind::Expansion => (EXPANSIONS, "\n\n"),
        BlockKind::Hint if hint_action == HintAction::Read => (HINTS_TO_READ, "\n"),
        BlockKind::Hint => (HINTS, "\n"),
        BlockKind::Notice => (NOTICE, "\n"),
        BlockKind::Templates => (TEMPLATES, "\n\n"),
        BlockKind::Context | BlockKind::LeftOut => {
            return Frame { before: "\n\n---\n".into(), between: "\n\n", after: "\n---" };
        }
        BlockKind::Instruction => {
            return Frame { before: format!("{INSTRUCTIONS}\n\n{OPENING}\n\n").into(), between: "\n\n", after: "" };
        }
        BlockKind::Available => {
            let before = if is_first { format!("{INSTRUCTIONS}\n\n").into() } else { "\n\n---\n\n".into() };
            return Frame { before, between: "\n\n", after: "" };
        }
    };
    Frame { before: format!("\n\n---\n{heading}\n\n").into(), between, after: "\n---" }
}

/// The line about left-out entries and how to see them: those that did not fit, by kind, and the number of hints that
/// are less likely to be meant than others.
pub(crate) fn left_out(counts: &[(BlockKind, usize)], less_likely: usize, from: TextKind) -> String {
    let word = |kind: &BlockKind| match kind {
        BlockKind::Expansion => "expansion",
        BlockKind::Hint => "hint",
        BlockKind::Notice => "transitive reference",
        BlockKind::Context => "reference context",
        BlockKind::Templates => "template",
        BlockKind::Instruction => "source",
        BlockKind::Available => "list of available tags",
        BlockKind::LeftOut => "line",
    };
    let counted_word =
        |(kind, count): &(BlockKind, usize)| format!("{count} {}{}", word(kind), if *count == 1 { "" } else { "s" });
    let counted: Vec<String> = counts.iter().map(counted_word).collect();
    let summary = match (counted.join(", "), less_likely) {
        (room, 0) => format!("{LEFT_OUT}{room}"),
        (room, count) if room.is_empty() => format!("{LESS_LIKELY}{count}"),
        (room, count) => format!("{LEFT_OUT}{room}; less likely: {}", counted_word(&(BlockKind::Hint, count))),
    };
    let Frame { before, after, .. } = frame(BlockKind::LeftOut, false, HintAction::Select);
    let them = if counts.iter().map(|(_, count)| count).sum::<usize>() + less_likely == 1 { "it" } else { "them" };
    format!("{before}{summary} — {} {them}{after}", shown_by(from, counts))
}

/// What shows what was left out of a text of this kind.
fn shown_by(kind: TextKind, counts: &[(BlockKind, usize)]) -> &'static str {
    let is_template = |(kind, _): &(BlockKind, usize)| *kind == BlockKind::Templates;
    match kind {
        TextKind::Prompt => "`refdesk simulate --repeat TEXT` shows",
        TextKind::ToolResult => "`refdesk simulate --repeat --kind tool_result TEXT` shows",
        TextKind::SystemInstructions if !counts.iter().any(is_template) => "`refdesk instructions` shows",
        TextKind::SystemInstructions if counts.iter().all(is_template) => "`refdesk templates` shows",
        TextKind::SystemInstructions => "`refdesk instructions` and `refdesk templates` show",
    }
}

/// Name and place of a source, for a block of expansions or the instructions. An inline text has no place, so the agent
/// is told how to get it.
pub(crate) fn brief(source: &Source, ctx: &EnrichContext, hint_action: HintAction) -> String {
    let place = match &source.kind {
        SourceKind::Inline { .. } => match ctx.rendering(hint_action, &["readReference", "selectReferences"]) {
            HintAction::Read => shown_by_command(source),
            HintAction::Select if source.mode == Mode::Auto || ctx.selection.contains(source.id.as_str()) => {
                " — `readReference` reads it".to_owned()
            }
            HintAction::Select => " — `selectReferences` gives it".to_owned(),
        },
        _ => place(source, ctx.places),
    };
    format!("@{}: {}{place}", one_line(source.id.as_str()), one_line(&source.name))
}

/// The command that prints an inline text, to put after its name.
fn shown_by_command(source: &Source) -> String {
    let id = source.id.as_str();
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-');
    let word = if id.chars().all(is_plain) && !id.starts_with('-') {
        Cow::Borrowed(id)
    } else {
        format!("-- {}", shell_word(id)).into()
    };
    format!(" — {} prints it", code_span(&format!("refdesk show {word}")))
}

/// A text as one word of a shell's command.
fn shell_word(text: &str) -> String {
    format!("'{}'", text.replace('\'', r"'\''"))
}

/// The place of a source, to put after its name.
pub(crate) fn place(source: &Source, places: &dyn SourceFiles) -> String {
    match &source.kind {
        SourceKind::Local(place) => {
            let why = match place.state {
                PathState::Untrusted => format!(": {UNTRUSTED}"),
                PathState::Reserved => format!(": {RESERVED}"),
                PathState::Special => format!(": {SPECIAL}"),
                PathState::Missing => ": missing".to_owned(),
                PathState::File | PathState::Directory => String::new(),
            };
            format!(" — {}{why}", code_span(&places.display_path(&place.path)))
        }
        SourceKind::Url { url } => format!(" — {}", one_line(url)),
        SourceKind::Mcp { server, tool, .. } => format!(" — tool {} of {}", code_span(tool), one_line(server)),
        SourceKind::Withheld(_) => format!(": {WITHHELD}"),
        SourceKind::Inline { .. } => String::new(),
    }
}

/// The place of a source and the cost of reading it, to put after its hint: `` — `docs/retry.md`, ~120 tokens``.
pub(crate) fn place_and_price(source: &Source, places: &dyn SourceFiles) -> String {
    let place = match &source.kind {
        SourceKind::Inline { .. } => shown_by_command(source),
        _ => place(source, places),
    };
    let is_open = source.place().is_none_or(|place| place.state.is_open());
    match places.tokens(source).filter(|_| is_open) {
        Some(tokens) => format!("{place}, ~{tokens} tokens"),
        None => place,
    }
}

/// A hint without its tags, or a line of the notice without its parents.
pub(crate) fn brief_line(source: &Source) -> String {
    format!("- @{}: {}", one_line(source.id.as_str()), one_line(&source.name))
}

/// A reference context with only the name and place of its source.
pub(crate) fn context_brief(source: &Source, places: &dyn SourceFiles) -> String {
    let place = source.place().map(|place| places.display_path(&place.path)).unwrap_or_default();
    format!("{CONTEXT}{}** — {}", one_line(&source.name), code_span(&place))
}

/// The most characters of a variable's name in an annotation: Mustache takes a sentence for a name.
const LONGEST_VARIABLE: usize = 100;

/// The first line of a template's annotation, which is also its short form.
pub(crate) fn template_line(template: &Template) -> String {
    format!("TEMPLATE AVAILABLE: {}", one_line(&template.name))
}

/// The annotation of a template. A template without variables has no line for them.
pub(crate) fn template(template: &Template, hint_action: HintAction) -> String {
    let mut lines = vec![template_line(template), format!("  Syntax: {}", template.syntax.word())];
    let variables = names(&template.variables);
    if !variables.is_empty() {
        let shown = |name: String| shortened(one_line(&name).into_owned(), LONGEST_VARIABLE);
        let variables: Vec<String> = variables.into_iter().map(shown).collect();
        lines.push(format!("  Variables: {}", variables.join(", ")));
    }
    lines.push(match hint_action {
        HintAction::Select => {
            // The name as a string argument of a call, escaped as in JSON.
            let name = serde_json::Value::from(template.name.as_str()).to_string();
            format!("  Use: renderTemplate(template_name={}, variables={{…}})", one_line(&name))
        }
        HintAction::Read => {
            // The name as one shell word, even if it begins with a hyphen.
            format!("  Use: refdesk render --vars '{{…}}' -- {}", one_line(&shell_word(&template.name)))
        }
    });
    lines.join("\n")
}

/// The line for an `@id` whose expansion the session already received.
pub(crate) fn given_above(source: &Source) -> String {
    format!("@{}: given above", one_line(source.id.as_str()))
}

/// The beginning of a line about a source, up to and including [`MATCHED`], [`ABOUT`] or [`PARENTS`].
pub(crate) fn beginning(source: &Source, mark: &str) -> String {
    brief_line(source) + mark
}

/// `- @{id}: {name} (matched: {tag}, {tag})`
pub(crate) fn hint(source: &Source, tags: &[String]) -> String {
    let tags: Vec<_> = tags.iter().map(|tag| one_line(tag)).collect();
    format!("{}{})", beginning(source, MATCHED), tags.join(", "))
}

/// `- @{id}: {name} (about: "{heading}", {path}:{line})`
pub(crate) fn hint_about(source: &Source, meaning: &Meaning) -> String {
    format!("{}{})", beginning(source, ABOUT), one_line(&meaning.section()))
}

/// `- @{id}: {name} (from @{parent}, @{parent})`
pub(crate) fn notice<'p>(source: &Source, parents: impl Iterator<Item = &'p str>) -> String {
    let mut line = beginning(source, PARENTS);
    push_list(&mut line, parents);
    line.push(')');
    line
}

/// `@a, @b`
pub(crate) fn at_list<'p>(ids: impl Iterator<Item = &'p str>) -> String {
    let mut ids = ids.peekable();
    let mut list = String::from(if ids.peek().is_some() { "@" } else { "" });
    push_list(&mut list, ids);
    list
}

/// The most parents listed on a line; as many as the files listed for a folder.
const NAMED: usize = 50;

/// Appends ids, all but the first with an `@`, and how many more there are: if every source mentions every other, the
/// parents alone would take megabytes.
fn push_list<'p>(list: &mut String, mut ids: impl Iterator<Item = &'p str>) {
    for (at, id) in ids.by_ref().take(NAMED).enumerate() {
        if at > 0 {
            list.push_str(", @");
        }
        list.push_str(&one_line(id));
    }
    let more = ids.count();
    if more > 0 {
        list.push_str(&format!(", … and {more} more"));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_names_some_and_counts_the_rest() {
        let ids: Vec<String> = (0..60).map(|nth| format!("s{nth}")).collect();
        let list = |count: usize| at_list(ids.iter().take(count).map(String::as_str));
        assert_eq!([list(0), list(1), list(2)], ["", "@s0", "@s0, @s1"]);
        assert!(list(50).ends_with("@s48, @s49"), "{}", list(50));
        assert!(list(60).ends_with("@s48, @s49, … and 10 more"), "{}", list(60));
    }

    #[test]
    fn what_was_left_out_of_the_instructions_is_shown_by() {
        for (counts, expected) in [
            (&[(BlockKind::Instruction, 2), (BlockKind::Available, 1)][..], "`refdesk instructions` shows them"),
            (&[(BlockKind::Templates, 2)], "`refdesk templates` shows them"),
            (&[(BlockKind::Templates, 1)], "`refdesk templates` shows it"),
            (
                &[(BlockKind::Instruction, 2), (BlockKind::Templates, 1)],
                "`refdesk instructions` and `refdesk templates` show them",
            ),
        ] {
            let line = left_out(counts, 0, TextKind::SystemInstructions);
            assert!(line.ends_with(&format!(" — {expected}\n---")), "{line}");
        }
    }

    #[test]
    fn an_agent_without_tools_gets_a_command_in_which_a_name_is_one_word() {
        for (name, shown) in [
            ("a.tmpl", "'a.tmpl'"),
            ("a b.tmpl", "'a b.tmpl'"),
            ("--file=a.tmpl", "'--file=a.tmpl'"),
            ("$(rm x)`y`.tmpl", "'$(rm x)`y`.tmpl'"),
            ("it's.tmpl", r"'it'\''s.tmpl'"),
        ] {
            let annotation = super::template(&crate::testing::template(name, "x", &[]), HintAction::Read);
            let expected = format!(
                "TEMPLATE AVAILABLE: {name}\n  Syntax: mustache\n  Use: refdesk render --vars '{{…}}' -- {shown}"
            );
            assert_eq!(annotation, expected);
        }
    }

    #[test]
    fn a_long_name_of_a_variable_is_cut() {
        let template = crate::testing::template("a.tmpl", "x", &[&"word ".repeat(300)]);
        let annotation = super::template(&template, HintAction::Read);
        assert!(annotation.lines().all(|line| line.chars().count() <= 120), "{annotation}");
    }
}
