//! The whole of `refdesk instructions`: every source that an agent is to know from the start, and which tags it may ask
//! for besides (BEHAVIOUR §7).

use std::collections::BTreeSet;

use super::instruction::instruction;
use super::places::Places;
use crate::catalog::{Catalog, Mode, Source};
use crate::selection::Selection;
use crate::text::escape::one_line;
use crate::text::fold::can_match;

const HEADING: &str = "# Reference Sources";
const OPENING: &str = "The following reference sources should be incorporated into your context.";
const REMAINING: &str =
    "Additional reference sources are available. Use `selectReferences` with IDs or tags to select them.";

/// Every auto source in catalog order, then every other selected one in the order of the selection, then the tags of the
/// selectable ones that remain, unless `exclude_hints` (`selectReferences` is in `exclude_tools`, so that pointing to it
/// would lead nowhere). Empty where there is nothing to say; no line break at the end.
pub fn instructions(catalog: &Catalog, selection: &Selection, places: &dyn Places, exclude_hints: bool) -> String {
    let auto = catalog.sources().iter().filter(|source| source.mode == Mode::Auto);
    let selected = selection.members().iter().filter_map(|member| catalog.get(member.id.as_str()));
    let others = selected.filter(|source| source.mode != Mode::Auto);
    let told: Vec<String> = auto.chain(others).map(|source| instruction(source, selection, places)).collect();
    let remaining = if exclude_hints { None } else { remaining(catalog, selection) };
    let mut parts = vec![HEADING.to_owned()];
    match (told.is_empty(), remaining) {
        (true, None) => return String::new(),
        (true, Some(remaining)) => parts.push(remaining),
        (false, remaining) => {
            parts.push(OPENING.to_owned());
            parts.extend(told);
            parts.extend(remaining.map(|remaining| format!("---\n\n{remaining}")));
        }
    }
    parts.join("\n\n")
}

/// What is said of the selectable sources that are neither selected nor excluded.
fn remaining(catalog: &Catalog, selection: &Selection) -> Option<String> {
    let remains = |source: &&Source| {
        let id = source.id.as_str();
        source.mode == Mode::Selectable && !selection.contains(id) && !selection.is_excluded(id)
    };
    let mut sources = catalog.sources().iter().filter(remains).peekable();
    sources.peek()?;
    let tags: BTreeSet<&str> =
        sources.flat_map(|source| source.tags.iter()).filter(|tag| can_match(tag)).map(|tag| tag.trim()).collect();
    if tags.is_empty() {
        return Some(REMAINING.to_owned());
    }
    let tags: Vec<_> = tags.into_iter().map(one_line).collect();
    Some(format!("{REMAINING}\nAvailable tags: {}", tags.join(", ")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::enrich::testing::{Shelf, inline, selection};

    #[test]
    fn the_whole_of_it() {
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
            assert_eq!(instructions(&catalog(&sources), &selection, &Shelf::default(), without_hints), expected);
        }
    }
}
