//! The text of `refdesk instructions`: every source that an agent gets at the start, and the tags of those that it may
//! request (BEHAVIOUR §7); in full, or as much as fits a budget.

use super::TextKind;
use super::budget::{self, Budget};
use super::chain::{EnrichContext, HintAction};
use super::draft::{BlockKind, Draft, DraftEntry, MatchReason, MemoryKey};
use super::instruction::{instruction, remembered};
use super::print::{self, BlockWording};
use super::references::{EXPANSION, chain, hint_key};
use super::session_memory::content_hash;
use refdesk_core::catalog::{Catalog, Mode, Source};
use refdesk_core::selection::{Role, SelectedSource, Selection};
use refdesk_text::escape::one_line;

const REMAINING: &str =
    "Additional reference sources are available. Use `selectReferences` with IDs or tags to select them.";
/// The same for an agent that cannot select sources.
const REMAINING_TO_READ: &str =
    "Additional reference sources are available. Text about one of them gets a hint with the file to read.";

/// Every auto source in catalog order, then the other selected sources in selection order, then the tags of the
/// remaining selectable ones, unless hints are excluded (with `selectReferences` in `exclude_tools`, the agent cannot
/// request sources). Empty if there is nothing to print; no final line break.
pub fn instructions(ctx: &EnrichContext) -> String {
    budget::fit(
        &mut drafts(ctx, false, HintAction::Select),
        Budget::default(),
        BlockWording { kind: TextKind::SystemInstructions, hint_action: HintAction::Select },
        |_| (),
    )
    .text
}

/// The instructions as drafts. To fit a budget, first the list of tags becomes a count, then transitive sources are
/// left out, deepest first; auto and picked sources are left out last. What fits in spite of a long entry comes back. `is_remembered` tells whether a session will
/// remember the entries, which requires reading documents.
pub(super) fn drafts(ctx: &EnrichContext, is_remembered: bool, hint_action: HintAction) -> Vec<Draft> {
    let auto = ctx.catalog.sources().iter().filter(|source| source.mode == Mode::Auto);
    let selected = ctx.selection.members().iter().filter_map(|member| ctx.catalog.get(member.id.as_str()));
    let others = selected.filter(|source| source.mode != Mode::Auto);
    let entries = auto.chain(others).map(|source| entry(ctx, source, is_remembered, hint_action)).collect();
    let remaining = if ctx.exclude_hints { None } else { remaining(ctx.catalog, ctx.selection, hint_action) };
    vec![
        Draft { kind: BlockKind::Instruction, entries },
        Draft { kind: BlockKind::Available, entries: remaining.into_iter().collect() },
    ]
}

/// The entry of one source, with the same text as its expansion, so that it also counts as expanded.
fn entry(ctx: &EnrichContext, source: &Source, is_remembered: bool, hint_action: HintAction) -> DraftEntry {
    let full = instruction(source, ctx.selection, ctx.places);
    let pulled_in = |member: &&SelectedSource| member.role == Role::Transitive && source.mode != Mode::Auto;
    let member = ctx.selection.member(source.id.as_str());
    let mut keys = Vec::new();
    if is_remembered {
        let stamp = ctx.places.stamp(source);
        let printed = remembered(&full, source, ctx.selection);
        keys.push(MemoryKey::Given(content_hash(EXPANSION, &source.id, printed, &stamp)));
        keys.push(hint_key(source, &stamp));
        if member.is_some_and(|member| member.role == Role::Transitive) {
            keys.push(MemoryKey::Announced(source.id.to_string()));
        }
    }
    let (why, weight) = match member.filter(pulled_in) {
        Some(member) => {
            let depth = f64::from(u32::try_from(member.depth).unwrap_or(u32::MAX));
            (MatchReason::Parents { chain: chain(ctx.selection, member) }, -depth)
        }
        None if source.mode == Mode::Auto => (MatchReason::Rule { rule: "auto".to_owned() }, f64::INFINITY),
        None => (MatchReason::Rule { rule: "picked".to_owned() }, f64::INFINITY),
    };
    DraftEntry {
        about: source.id.to_string(),
        full,
        brief: print::brief(source, ctx, hint_action),
        why: vec![why],
        keys,
        weight,
        ..DraftEntry::default()
    }
}

/// The entry for the selectable sources that are neither selected nor excluded.
fn remaining(catalog: &Catalog, selection: &Selection, hint_action: HintAction) -> Option<DraftEntry> {
    let intro = match hint_action {
        HintAction::Select => REMAINING,
        HintAction::Read => REMAINING_TO_READ,
    };
    let tags = catalog.remaining_tags(selection)?;
    let count = tags.len();
    let (full, brief) = if tags.is_empty() {
        (intro.to_owned(), intro.to_owned())
    } else {
        let tags: Vec<_> = tags.into_iter().map(one_line).collect();
        let brief = format!("{intro}\nAvailable tags: {count} (`refdesk list` shows them)");
        (format!("{intro}\nAvailable tags: {}", tags.join(", ")), brief)
    };
    Some(DraftEntry {
        about: "available tags".to_owned(),
        full,
        brief,
        why: vec![MatchReason::Rule { rule: "selectable sources remain".to_owned() }],
        brief_is_enough: true,
        ..DraftEntry::default()
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Matcher;
    use crate::testing::{TestFiles, context, inline, selection};

    #[test]
    fn all_instructions() {
        let tags = |tags: &[&str]| tags.iter().map(|tag| (*tag).to_owned()).collect::<Vec<_>>();
        let mut auto = inline("auto", &tags(&["z"]), "Always.");
        auto.mode = Mode::Auto;
        let (one, two) = (inline("one", &tags(&["b", "a "]), "1"), inline("two", &tags(&["a", "B", "-"]), "2"));
        let bare = inline("bare", &[], "3");
        let catalog = |sources: &[&Source]| Catalog::new(sources.iter().map(|it| (*it).clone()).collect());
        let opening =
            "# Reference Sources\n\nThe following reference sources should be incorporated into your context.";
        let more =
            "Additional reference sources are available. Use `selectReferences` with IDs or tags to select them.";
        let (inst_auto, inst_one, inst_two) =
            ("### Name of auto\n\nAlways.", "### Name of one\n\n1", "### Name of two\n\n2");
        for (sources, picks, excluded, without_hints, expected) in [
            (vec![], vec![], vec![], false, String::new()),
            (vec![&auto], vec![], vec![], false, format!("{opening}\n\n{inst_auto}")),
            (vec![&one, &auto], vec!["one"], vec![], false, format!("{opening}\n\n{inst_auto}\n\n{inst_one}")),
            (vec![&one, &two], vec!["two", "one"], vec![], false, format!("{opening}\n\n{inst_two}\n\n{inst_one}")),
            (
                vec![&one, &two, &auto],
                vec![],
                vec![],
                false,
                format!("{opening}\n\n{inst_auto}\n\n---\n\n{more}\nAvailable tags: B, a, b"),
            ),
            (vec![&auto, &one], vec!["auto"], vec!["one"], false, format!("{opening}\n\n{inst_auto}")),
            (vec![&auto, &bare], vec![], vec![], false, format!("{opening}\n\n{inst_auto}\n\n---\n\n{more}")),
            (vec![&auto, &bare], vec![], vec![], true, format!("{opening}\n\n{inst_auto}")),
            (vec![&two], vec![], vec![], false, format!("# Reference Sources\n\n{more}\nAvailable tags: B, a")),
        ] {
            let selection = selection(&picks, &[], &excluded);
            let (catalog, matcher, source_files) = (catalog(&sources), Matcher::default(), TestFiles::default());
            let ctx = context(&catalog, &selection, &matcher, &source_files);
            assert_eq!(instructions(&EnrichContext { exclude_hints: without_hints, ..ctx }), expected);
        }
    }

    #[test]
    fn an_agent_that_cannot_select_sources_is_not_told_that_hints_need_tags() {
        let catalog = Catalog::new(vec![inline("bare", &[], "1")]);
        let (selection, matcher, source_files) = (selection(&[], &[], &[]), Matcher::default(), TestFiles::default());
        let drafts = drafts(&context(&catalog, &selection, &matcher, &source_files), false, HintAction::Read);
        let full = &drafts[1].entries[0].full;
        assert!(full.ends_with(" Text about one of them gets a hint with the file to read."), "{full}");
    }
}
