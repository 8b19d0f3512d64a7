//! Notices about the selection: what was chosen, what entered or left as a result or because a document changed, and
//! which picks are dormant until their source is back.

use std::collections::HashSet;
use std::path::Path;
use std::sync::Arc;

use super::words::{SHOWN, at};
use super::{Actor, ChangeOrigin, Notice, Topic};
use crate::FileLine;
use crate::engine::Snapshot;
use refdesk_core::catalog::{Mode, SourceId, SourceKind};
use refdesk_core::selection::{Role, SelectedSource, reasons};
use refdesk_files::path::display;
use refdesk_text::tokens::grouped;

/// What entered and left the selection, and the cause.
pub(crate) fn selection(before: &Snapshot, after: &Snapshot, cause: &ChangeOrigin) -> Vec<Notice> {
    if Arc::ptr_eq(&before.selection, &after.selection) {
        return Vec::new();
    }
    let (became_dormant, became_active) = (dormancy(before, after), dormancy(after, before));
    let mut chosen = HashSet::new();
    let mut notices = Vec::new();
    for (what, ids) in chosen_between(before, after) {
        let Some(first) = ids.first() else { continue };
        let subject = SourceId::from(first.as_str());
        if !matches!(cause, ChangeOrigin::Journalled(_)) {
            let text = format!("{what} {}", at(&ids));
            let notice = Notice::new(cause.who().clone(), Topic::Selection, text);
            notices.push(notice.about(&subject).of(ids.len()));
        }
        chosen.extend(ids);
    }
    let untold = |member: &&SelectedSource| {
        let id = member.id.as_str();
        !chosen.contains(id) && !became_dormant.iter().chain(&became_active).any(|other| *other == id)
    };
    let entered: Vec<&SelectedSource> =
        without(after, before).filter(|it| it.role == Role::Transitive).filter(untold).collect();
    let left: Vec<&SelectedSource> = without(before, after).filter(untold).collect();
    match cause {
        _ if chosen.is_empty() => {
            notices.extend(entered_by_edit(after, &entered));
            notices.extend(left_by_edit(after, &left));
        }
        ChangeOrigin::Choice(by) | ChangeOrigin::Journalled(by) => {
            notices.extend(pulled_in_notice(after, &entered, by));
            notices.extend(also_left_notice(before, &left, by));
        }
        // One action is one notice.
        ChangeOrigin::Retraced { text, named } => {
            let others = |members: &[&SelectedSource], of: &Snapshot| -> Vec<SourceId> {
                let ids = not_auto(members, of).into_iter().map(|member| member.id.clone());
                ids.filter(|id| !named.iter().any(|other| other == id.as_str())).collect()
            };
            let sides =
                [("came with it", others(&entered, after), after), ("left with it", others(&left, before), before)];
            let sides = sides.iter().filter(|(_, ids, _)| !ids.is_empty());
            let reported: Vec<String> =
                sides.map(|(what, ids, of)| format!("{what}: {}{}", at(ids), cost(", ", of, ids))).collect();
            let notice = Notice::new(Actor::You, Topic::Selection, text.clone()).because(reported.join("; "));
            let subject = named.first().map(|id| SourceId::from(id.as_str()));
            notices = vec![Notice { subject, ..notice }.of(named.len())];
        }
    }
    notices.extend(dormancy_notices(&became_dormant, &became_active));
    notices
}

/// Whether picks or exclusions changed.
pub(super) fn choice_changed(before: &Snapshot, after: &Snapshot) -> bool {
    chosen_between(before, after).iter().any(|(_, ids)| !ids.is_empty())
}

/// Whether this pick is dormant in only one of the two.
pub(super) fn dormancy_changed(one: &Snapshot, other: &Snapshot, id: &str) -> bool {
    let dormant = |of: &Snapshot| of.selection.dormant().iter().any(|dormant| dormant == id);
    (one.selection.is_picked(id) && dormant(other)) || (dormant(one) && other.selection.is_picked(id))
}

/// Picks that are active in `awake` and dormant in `asleep`.
fn dormancy<'a>(awake: &Snapshot, asleep: &'a Snapshot) -> Vec<&'a str> {
    let dormant = asleep.selection.dormant().iter().map(String::as_str);
    dormant.filter(|id| awake.selection.is_picked(id)).collect()
}

fn dormancy_notices(became_dormant: &[&str], became_active: &[&str]) -> Vec<Notice> {
    let reported = |ids: &[&str], one: &str, more: &str| {
        let first = ids.first()?;
        let text = format!("{} {}", at(ids), if ids.len() == 1 { one } else { more });
        Some(Notice::new(Actor::Files, Topic::Selection, text).about(&SourceId::from(*first)).of(ids.len()))
    };
    let became_active = reported(became_active, "is back: its pick counts again", "are back: their picks count again");
    let slept = "is gone from the catalog: its pick is dormant";
    let became_dormant = reported(became_dormant, slept, "are gone from the catalog: their picks are dormant");
    became_active.into_iter().chain(became_dormant).collect()
}

/// Members of one selection that are not in the other.
fn without<'a>(of: &'a Snapshot, other: &'a Snapshot) -> impl Iterator<Item = &'a SelectedSource> {
    of.selection.members().iter().filter(|member| !other.selection.contains(member.id.as_str()))
}

/// New and removed picks and exclusions, with a verb for each.
fn chosen_between(before: &Snapshot, after: &Snapshot) -> [(&'static str, Vec<String>); 4] {
    let picks = |of: &Snapshot| -> Vec<String> {
        let members = of.selection.members().iter().filter(|member| member.role == Role::Picked);
        let picked = members.map(|member| member.id.to_string());
        picked.chain(of.selection.dormant().iter().cloned()).collect()
    };
    let (was, is) = (picks(before), picks(after));
    let (barred, bars) = (before.selection.excluded(), after.selection.excluded());
    let new = only_in(&is, &was);
    let excluded = only_in(bars, barred);
    let unpicked = only_in(&was, &is).into_iter().filter(|id| !excluded.contains(id)).collect();
    let included = only_in(barred, bars).into_iter().filter(|id| !new.contains(id)).collect();
    [("Picked", new), ("Unpicked", unpicked), ("Excluded", excluded), ("No longer excluded:", included)]
}

fn only_in(one: &[String], other: &[String]) -> Vec<String> {
    let known: HashSet<&String> = other.iter().collect();
    one.iter().filter(|id| !known.contains(id)).cloned().collect()
}

/// Without the auto sources, which agents are sent before and after.
fn not_auto<'a>(members: &[&'a SelectedSource], of: &Snapshot) -> Vec<&'a SelectedSource> {
    let is_auto = |id: &str| of.catalog.get(id).is_some_and(|source| source.mode == Mode::Auto);
    members.iter().copied().filter(|member| !is_auto(member.id.as_str())).collect()
}

fn pulled_in_notice(after: &Snapshot, entered: &[&SelectedSource], by: &Actor) -> Option<Notice> {
    let entered = not_auto(entered, after);
    let first = entered.first()?;
    let notice = Notice::new(by.clone(), Topic::Selection, included(&entered)).about(&first.id).of(entered.len());
    Some(notice.because(cost("", after, entered.iter().map(|member| &member.id))))
}

fn also_left_notice(before: &Snapshot, left: &[&SelectedSource], by: &Actor) -> Option<Notice> {
    let left = not_auto(left, before);
    let first = left.first()?;
    let text = format!("Also left the selection: {}", at(left.iter().map(|member| &member.id)));
    let notice = Notice::new(by.clone(), Topic::Selection, text).about(&first.id).of(left.len());
    Some(notice.because(cost("", before, left.iter().map(|member| &member.id))))
}

/// `References transitively included: @b (from @a)`
fn included(entered: &[&SelectedSource]) -> String {
    let named: Vec<String> =
        entered.iter().map(|member| format!("@{} (from {})", member.id, at(member.parents.iter()))).collect();
    format!("{}{}", super::INCLUDED, super::words::cut(&named))
}

/// `@retry-pattern now mentions @error-handling: pulled in`, because of `docs/retry.md:14`.
fn entered_by_edit(after: &Snapshot, entered: &[&SelectedSource]) -> Vec<Notice> {
    if entered.len() > SHOWN {
        return pulled_in_notice(after, entered, &Actor::Files).into_iter().collect();
    }
    let workspace = Path::new(&*after.workspace);
    let reported = entered.iter().map(|member| {
        let text = match &member.reason {
            Some(parent) => format!("@{parent} now mentions @{}: pulled in", member.id),
            None => format!("@{} is selected", member.id),
        };
        let mention = reasons(&after.selection, &after.graph, member.id.as_str()).next();
        let reason = mention.as_ref().map(|mention| format!("{}:{}", display(workspace, &mention.file), mention.line));
        // Line numbers in inline content differ from those of its file.
        let in_file = mention.filter(|mention| {
            let parent = after.catalog.get(mention.from.as_str());
            parent.is_some_and(|parent| !matches!(parent.kind, SourceKind::Inline { .. }))
        });
        let place = in_file.map(|mention| FileLine { path: mention.file.to_path_buf(), line: mention.line });
        let notice = Notice::new(Actor::Files, Topic::Selection, text).about(&member.id);
        notice.because(reason.unwrap_or_default()).at(place)
    });
    reported.collect()
}

fn left_by_edit(after: &Snapshot, left: &[&SelectedSource]) -> Vec<Notice> {
    if let (Some(first), true) = (left.first(), left.len() > SHOWN) {
        let text = format!("Left the selection: {}", at(left.iter().map(|member| &member.id)));
        return vec![Notice::new(Actor::Files, Topic::Selection, text).about(&first.id).of(left.len())];
    }
    let is_missing =
        |id: &SourceId| after.catalog.get(id.as_str()).is_some_and(refdesk_core::catalog::Source::is_missing);
    let reported = left.iter().map(|member| {
        let text = match &member.reason {
            Some(parent) if is_missing(parent) => {
                format!("@{} left with @{parent}, whose file is missing", member.id)
            }
            Some(parent) if after.selection.contains(parent.as_str()) => {
                format!("@{parent} no longer mentions @{}: it left the selection", member.id)
            }
            Some(parent) => format!("@{} left with @{parent}", member.id),
            None => format!("@{} left the selection", member.id),
        };
        Notice::new(Actor::Files, Topic::Selection, text).about(&member.id)
    });
    reported.collect()
}

/// The total cost, after this text: `~1,234 tokens`; empty if it is unknown.
fn cost<'i>(before: &str, of: &Snapshot, ids: impl IntoIterator<Item = &'i SourceId>) -> String {
    let tokens: u64 = ids.into_iter().filter_map(|id| of.tokens.get(id.as_str())).sum();
    if tokens == 0 { String::new() } else { format!("{before}~{} tokens", grouped(tokens)) }
}
