//! Explains the row under the cursor: why its source is in the selection, and what would change.

use ratatui::layout::Size;
use ratatui::text::{Line, Span};

use super::preview;
use crate::common::selection_tree::{PickConsequence, TreeRow, TreeRowKind};
use crate::common::source_words;
use crate::tui::action::Action;
use crate::tui::pane_view;
use crate::tui::source_state;
use crate::tui::state::State;
use crate::tui::theme::ThemeRole;
use crate::tui::widgets::cells;
use refdesk_core::catalog::{Source, SourceId};
use refdesk_core::selection::Role;

/// Explains the row under the cursor in lines that fit this size; builds only about `most` lines.
pub fn detail(state: &State, place: Size, most: usize) -> Vec<Line<'static>> {
    let columns = usize::from(place.width).saturating_sub(2);
    let Some(node) = state.selection.rows.get(state.selection.cursor.at) else { return Vec::new() };
    let Some(id) = node.id(&state.snapshot) else { return Vec::new() };
    let wrapped = |text: &str| pane_view::wrapped(state, text, ThemeRole::Text, columns);
    let name = state.snapshot.catalog.get(id).map_or("", |source| source.name.as_str());
    let mut lines = vec![pane_view::id_and_name(state, id, name, columns)];
    let [pick, exclude] = [Action::Toggle, Action::Exclude].map(|action| state.key(action));
    lines.extend(match node.kind {
        TreeRowKind::Member(_) => member(state, node, id, columns, most),
        TreeRowKind::Auto(_) if state.snapshot.selection.is_excluded(id) => wrapped(&format!(
            "Mode auto, excluded: in the instructions all the same, but nothing pulls it in. {exclude} includes it again, \
             {pick} picks it."
        )),
        // The effect of a pick is appended once it is known.
        TreeRowKind::Auto(_) => wrapped("Mode auto: always in the instructions, whatever is picked."),
        TreeRowKind::Dormant(_) => wrapped(&format!(
            "Picked, but no longer in the catalog. The pick returns with the source; {pick} unpicks it."
        )),
        TreeRowKind::Excluded(_) => wrapped(&format!(
            "Excluded: nothing pulls it in, and no prompt brings it up. {exclude} includes it again, {pick} picks it."
        )),
    });
    preview::add(state, id, &mut lines, columns, usize::from(place.height));
    lines
}

/// Explains a source that is picked or pulled in.
fn member(state: &State, node: &TreeRow, id: &str, columns: usize, most: usize) -> Vec<Line<'static>> {
    let wrapped = |text: &str| pane_view::wrapped(state, text, ThemeRole::Text, columns);
    let members = state.snapshot.selection.members();
    match node.member(members) {
        Some(member) if member.role == Role::Transitive => {
            let parents = cells::counted(member.parents.len(), "source");
            let head = match source_state::is_auto(&state.snapshot, member.id.as_str()) {
                true => format!("Mode auto: always in the instructions. Mentioned by {parents}:"),
                false => format!("Pulled in at depth {} by {parents}:", member.depth),
            };
            let parents: Vec<&SourceId> = member.parents.iter().collect();
            reasons(state, (&member.id, &parents), &head, columns, most)
        }
        _ if state.snapshot.catalog.get(id).is_some_and(Source::is_missing) => {
            let pick = state.key(Action::Toggle);
            wrapped(&format!(
                "Picked, but its path no longer exists: it adds nothing until the path is back. {pick} unpicks it."
            ))
        }
        Some(member) if node.brings.is_kept => {
            let others = members.iter().map(|other| &other.id);
            let parents: Vec<&SourceId> = others.filter(|other| mentions(state, other, &member.id)).collect();
            let parents_counted = cells::counted(parents.len(), "selected source");
            let head = format!("Picked, and also mentioned by {parents_counted}; unpicking it releases nothing:");
            reasons(state, (&member.id, &parents), &head, columns, most)
        }
        _ => wrapped(&brings(node, &cells::sentence(source_words::picked(&state.snapshot, id)))),
    }
}

fn brings(node: &TreeRow, picked: &str) -> String {
    let PickConsequence { others, waiting, .. } = node.brings;
    let waiting = source_words::waiting(waiting);
    match others {
        0 => format!("{picked}. Nothing else would leave with it."),
        _ => format!("{picked}. It pulls in {}{waiting}.", cells::counted(others, "more source")),
    }
}

fn mentions(state: &State, source: &SourceId, other: &SourceId) -> bool {
    source != other && state.snapshot.graph.from_to(source.as_str(), |to| to == other).next().is_some()
}

/// Columns that file and line of a mention keep beside the id of its source.
const MIN_PLACE: usize = 14;

/// Every mention of a source by its parents: `@retry-pattern  by id  docs/retry.md:12`.
fn reasons(
    state: &State,
    (id, parents): (&SourceId, &[&SourceId]),
    head: &str,
    columns: usize,
    most: usize,
) -> Vec<Line<'static>> {
    let theme = &state.skin.theme;
    let head = cells::wrap(head, columns).into_iter();
    let mut lines: Vec<Line<'static>> =
        head.map(|line| Line::from(Span::styled(line, theme.style(ThemeRole::Transitive)))).collect();
    let widest = parents.iter().map(|parent| cells::width(&cells::clean(parent.as_str())) + 1).max().unwrap_or(0);
    // Ids tell the rows apart, so places give way to them.
    let widest = widest.min(columns.saturating_sub(MIN_PLACE + "  by link  ".len()));
    for parent in parents {
        let mentions = state.snapshot.graph.from_to(parent.as_str(), |to| to == id);
        for mention in mentions {
            if lines.len() >= most {
                return lines;
            }
            let ellipsis = state.skin.glyphs.ellipsis;
            let named = cells::clean(&format!("@{parent}")).into_owned();
            let named = cells::pad(&cells::clip_middle(&named, widest, ellipsis), widest, ellipsis);
            let via = format!("  by {:<4}  ", mention.via.word());
            let place = format!("{}:{}", pane_view::printed(state, &mention.file), mention.line);
            let room = columns.saturating_sub(widest + cells::width(&via));
            let place = cells::clip_start(&place, room, ellipsis).into_owned();
            lines.push(Line::from(vec![
                Span::styled(named, theme.style(ThemeRole::Text)),
                Span::styled(via, theme.style(ThemeRole::Infra)),
                Span::styled(place, theme.style(ThemeRole::Catalog)),
            ]));
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tui::fixture;
    use crate::tui::tests::{answer, press};
    use refdesk_desk::engine::Response;

    #[test]
    fn the_reason_is_seen_before_the_names_of_the_effect() {
        let mut state = fixture::state(80, 24);
        press(&mut state, "2");
        let id = state.selected().unwrap().to_owned();
        let others = ["retry-pattern", "timeouts", "error-handling", "legacy-errors", "release-notes", "java-service"];
        let leaves = [&[id.as_str()], &others[..]].concat();
        answer(&mut state, Response::SelectionPreview(fixture::preview_selection(&id, &[], &leaves)));
        for (height, has_names) in [(5, false), (12, true)] {
            let lines = detail(&state, Size { width: 42, height }, usize::from(height));
            let shown: Vec<String> = lines.iter().take(usize::from(height)).map(ToString::to_string).collect();
            let shown = shown.join("\n");
            assert!(shown.contains("Picked") && shown.contains("would unpick"), "{height}: {shown}");
            assert_eq!(shown.contains("(@retry-pattern"), has_names, "{height}: {shown}");
        }
    }
}
