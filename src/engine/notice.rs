//! What changed between two snapshots, a sentence each, with who did it, why, and which source it is about (BEHAVIOUR §5
//! "For people"). The difference of two values is all there is to know; nothing is recorded on the way.

use std::collections::HashSet;
use std::sync::Arc;

use super::Snapshot;
use crate::catalog::{Source, SourceId};
use crate::disk::path::display;
use crate::report::Diagnostic;
use crate::selection::{Member, Role, reasons};

/// Names shown before `+N more`; changes of one kind told one by one.
const SHOWN: usize = 3;

/// Something that happened at the desk.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Notice {
    /// When, by the clock on the wall: `12:03:41`.
    pub time: String,
    /// Who did it.
    pub who: Who,
    /// What it is about.
    pub topic: Topic,
    /// What happened, one sentence.
    pub text: String,
    /// Why, or where: `docs/retry.md:14`; may be empty.
    pub reason: String,
    /// The source to look at.
    pub subject: Option<SourceId>,
}

/// Who made something happen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Who {
    /// The person at this screen.
    You,
    /// Another process, by what it calls itself.
    Other(Arc<str>),
    /// Somebody who changed files.
    Files,
}

impl Who {
    /// `you`, `refdesk select`, `files`.
    pub fn word(&self) -> &str {
        match self {
            Self::You => "you",
            Self::Other(name) => name,
            Self::Files => "files",
        }
    }
}

/// What a notice is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Topic {
    /// Who is selected.
    Selection,
    /// Which sources there are.
    Catalog,
    /// What a document says.
    Document,
    /// Which templates there are.
    Template,
    /// What is wrong.
    Problem,
    /// How the desk itself goes.
    Desk,
}

impl Topic {
    /// One word for lists and filters.
    pub fn word(self) -> &'static str {
        match self {
            Self::Selection => "selection",
            Self::Catalog => "catalog",
            Self::Document => "document",
            Self::Template => "template",
            Self::Problem => "problem",
            Self::Desk => "desk",
        }
    }
}

impl Notice {
    /// A notice without a time, which is added when it is told.
    pub fn new(who: Who, topic: Topic, text: impl Into<String>) -> Self {
        Self { time: String::new(), who, topic, text: text.into(), reason: String::new(), subject: None }
    }

    fn about(self, id: &SourceId) -> Self {
        Self { subject: Some(id.clone()), ..self }
    }

    fn because(self, reason: String) -> Self {
        Self { reason, ..self }
    }
}

/// The notices that the step from one snapshot to the next is worth; `by` changed the picks and exclusions that differ.
/// What needs attention comes last, since the newest is on top.
pub fn notices(before: &Snapshot, after: &Snapshot, by: &Who) -> Vec<Notice> {
    let mut notices = documents(before, after);
    if !Arc::ptr_eq(&before.catalog, &after.catalog) {
        notices.extend(catalog(before, after));
    }
    if !Arc::ptr_eq(&before.templates, &after.templates) {
        let is_chosen = chosen_between(before, after).iter().any(|(_, ids)| !ids.is_empty());
        notices.extend(templates(before, after, if is_chosen { by } else { &Who::Files }));
    }
    notices.extend(selection(before, after, by));
    notices.extend(broken(before, after));
    notices
}

/// Who came into the selection and who left it, and whose doing that is.
pub fn selection(before: &Snapshot, after: &Snapshot, by: &Who) -> Vec<Notice> {
    if Arc::ptr_eq(&before.selection, &after.selection) {
        return Vec::new();
    }
    let mut notices = Vec::new();
    let mut chosen = HashSet::new();
    for (what, ids) in chosen_between(before, after) {
        let Some(first) = ids.first() else { continue };
        let subject = SourceId::from(first.as_str());
        let named: Vec<String> = ids.iter().map(|id| format!("@{id}")).collect();
        notices.push(Notice::new(by.clone(), Topic::Selection, format!("{what} {}", cut(&named))).about(&subject));
        chosen.extend(ids);
    }
    let (was, is) = (&before.selection, &after.selection);
    let entered: Vec<&Member> = is
        .members()
        .iter()
        .filter(|member| member.role == Role::Transitive && !was.contains(member.id.as_str()))
        .filter(|member| !chosen.contains(member.id.as_str()))
        .collect();
    let left: Vec<&Member> = was
        .members()
        .iter()
        .filter(|member| !is.contains(member.id.as_str()) && !chosen.contains(member.id.as_str()))
        .collect();
    if chosen.is_empty() {
        notices.extend(came_by_edit(after, &entered));
        notices.extend(went_by_edit(after, &left));
        return notices;
    }
    if let Some(first) = entered.first() {
        let named: Vec<String> =
            entered.iter().map(|member| format!("@{} (from {})", member.id, at(&member.parents))).collect();
        let text = format!("References transitively included: {}", cut(&named));
        notices.push(Notice::new(by.clone(), Topic::Selection, text).about(&first.id).because(cost(after, &entered)));
    }
    if let Some(first) = left.first() {
        let text = format!("Left the selection with it: {}", cut(&names(&left)));
        notices.push(Notice::new(by.clone(), Topic::Selection, text).about(&first.id).because(cost(before, &left)));
    }
    notices
}

/// Which picks and exclusions are new and which are gone, with the word for it.
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

/// `@retry-pattern now mentions @error-handling: pulled in`, because of `docs/retry.md:14`.
fn came_by_edit(after: &Snapshot, entered: &[&Member]) -> Vec<Notice> {
    if entered.len() > SHOWN {
        let named: Vec<String> =
            entered.iter().map(|member| format!("@{} (from {})", member.id, at(&member.parents))).collect();
        let text = format!("References transitively included: {}", cut(&named));
        let first = entered.first().map(|member| &member.id);
        let notice = Notice::new(Who::Files, Topic::Selection, text).because(cost(after, entered));
        return vec![first.map_or(notice.clone(), |id| notice.about(id))];
    }
    let told = entered.iter().map(|member| {
        let text = match &member.reason {
            Some(parent) => format!("@{parent} now mentions @{}: pulled in", member.id),
            None => format!("@{} is selected", member.id),
        };
        let place = reasons(&after.selection, &after.graph, member.id.as_str()).first().map(|mention| {
            let workspace = std::path::Path::new(&*after.workspace);
            format!("{}:{}", display(workspace, &mention.file), mention.line)
        });
        Notice::new(Who::Files, Topic::Selection, text).about(&member.id).because(place.unwrap_or_default())
    });
    told.collect()
}

fn went_by_edit(after: &Snapshot, left: &[&Member]) -> Vec<Notice> {
    if let (Some(first), true) = (left.first(), left.len() > SHOWN) {
        let text = format!("Left the selection: {}", cut(&names(left)));
        return vec![Notice::new(Who::Files, Topic::Selection, text).about(&first.id)];
    }
    let told = left.iter().map(|member| {
        let parent = member.reason.as_ref().filter(|parent| after.selection.contains(parent.as_str()));
        let text = match (parent, &member.reason) {
            (Some(parent), _) => format!("@{parent} no longer mentions @{}: it left", member.id),
            (None, Some(parent)) => format!("@{} left with @{parent}", member.id),
            (None, None) => format!("@{} left the selection", member.id),
        };
        Notice::new(Who::Files, Topic::Selection, text).about(&member.id)
    });
    told.collect()
}

/// `~1234 tokens`, together.
fn cost(of: &Snapshot, members: &[&Member]) -> String {
    let tokens: u64 = members.iter().filter_map(|member| of.tokens.get(member.id.as_str())).sum();
    if tokens == 0 { String::new() } else { format!("~{tokens} tokens") }
}

/// Documents whose length changed, and what they cost now.
fn documents(before: &Snapshot, after: &Snapshot) -> Vec<Notice> {
    if Arc::ptr_eq(&before.tokens, &after.tokens) {
        return Vec::new();
    }
    let changed = after.catalog.sources().iter().filter_map(|source| {
        let (was, is) = (before.tokens.get(&source.id)?, after.tokens.get(&source.id)?);
        (was != is).then_some((&source.id, *was, *is))
    });
    let changed: Vec<(&SourceId, u64, u64)> = changed.collect();
    match changed.as_slice() {
        [(first, ..), ..] if changed.len() > SHOWN => {
            let named: Vec<String> = changed.iter().map(|(id, ..)| format!("@{id}")).collect();
            let text = format!("{} documents changed: {}", changed.len(), cut(&named));
            vec![Notice::new(Who::Files, Topic::Document, text).about(first)]
        }
        _ => changed
            .iter()
            .map(|(id, was, is)| {
                let reason = format!("~{was} to ~{is} tokens");
                Notice::new(Who::Files, Topic::Document, format!("@{id} changed")).about(id).because(reason)
            })
            .collect(),
    }
}

/// Sources that came, went, lost or found their file, or are described otherwise.
fn catalog(before: &Snapshot, after: &Snapshot) -> Vec<Notice> {
    let in_both = || after.catalog.sources().iter().filter_map(|is| Some((before.catalog.get(is.id.as_str())?, is)));
    let missing = |source: &Source| source.is_missing();
    let is_other = |was: &Source, is: &Source| {
        let facts = |of: &Source| (of.name.clone(), of.description.clone(), of.tags.clone(), of.mode, of.kind.word());
        facts(was) != facts(is) || of_path(was) != of_path(is)
    };
    let groups: [(&str, Vec<&SourceId>); 5] = [
        ("New in the catalog", absent(after, before)),
        ("Gone from the catalog", absent(before, after)),
        ("Described otherwise", in_both().filter(|(was, is)| is_other(was, is)).map(|(_, is)| &is.id).collect()),
        ("Missing now", in_both().filter(|(was, is)| !missing(was) && missing(is)).map(|(_, is)| &is.id).collect()),
        ("There again", in_both().filter(|(was, is)| missing(was) && !missing(is)).map(|(_, is)| &is.id).collect()),
    ];
    let told = groups.into_iter().filter_map(|(what, ids)| {
        let first = *ids.first()?;
        let named: Vec<String> = ids.iter().map(|id| format!("@{id}")).collect();
        Some(Notice::new(Who::Files, Topic::Catalog, format!("{what}: {}", cut(&named))).about(first))
    });
    told.collect()
}

fn of_path(source: &Source) -> Option<&str> {
    source.place().map(|place| place.written.as_str())
}

/// Sources of one catalog that the other has not.
fn absent<'a>(of: &'a Snapshot, without: &Snapshot) -> Vec<&'a SourceId> {
    let sources = of.catalog.sources().iter().map(|source| &source.id);
    sources.filter(|id| without.catalog.get(id.as_str()).is_none()).collect()
}

/// Templates that came with the selection, and that went with it.
fn templates(before: &Snapshot, after: &Snapshot, by: &Who) -> Vec<Notice> {
    let of = |one: &Snapshot, other: &Snapshot| -> Vec<String> {
        let known: HashSet<&str> = other.templates.templates.iter().map(|template| template.name.as_str()).collect();
        let names = one.templates.templates.iter().map(|template| template.name.clone());
        names.filter(|name| !known.contains(name.as_str())).collect()
    };
    let told = [("Templates that came", of(after, before)), ("Templates that went", of(before, after))];
    let told = told.into_iter().filter(|(_, names)| !names.is_empty());
    told.map(|(what, names)| Notice::new(by.clone(), Topic::Template, format!("{what}: {}", cut(&names)))).collect()
}

/// Errors that were not there before, or that none is left.
fn broken(before: &Snapshot, after: &Snapshot) -> Option<Notice> {
    fn errors(snapshot: &Snapshot) -> impl Iterator<Item = String> {
        snapshot.diagnostics.iter().filter(|it| it.is_error()).map(in_a_line)
    }
    if Arc::ptr_eq(&before.diagnostics, &after.diagnostics) {
        return None;
    }
    let known: HashSet<String> = errors(before).collect();
    let mut new = errors(after).filter(|error| !known.contains(error));
    let text = match (new.next(), new.count()) {
        (Some(first), 0) => first,
        (Some(first), more) => format!("{first}, +{more} more"),
        (None, _) if !known.is_empty() && errors(after).next().is_none() => "Every error is mended".to_owned(),
        (None, _) => return None,
    };
    Some(Notice::new(Who::Files, Topic::Problem, text))
}

/// `error: references.json:12:7: not valid JSON`, without its hint.
fn in_a_line(diagnostic: &Diagnostic) -> String {
    diagnostic.to_string().lines().next().unwrap_or_default().to_owned()
}

fn names(members: &[&Member]) -> Vec<String> {
    members.iter().map(|member| format!("@{}", member.id)).collect()
}

fn at(ids: &[SourceId]) -> String {
    let names: Vec<String> = ids.iter().map(|id| format!("@{id}")).collect();
    cut(&names)
}

fn cut(names: &[String]) -> String {
    let shown: Vec<&str> = names.iter().take(SHOWN).map(String::as_str).collect();
    match names.len().saturating_sub(SHOWN) {
        0 => shown.join(", "),
        more => format!("{}, +{more} more", shown.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalog::Catalog;
    use crate::catalog::testing::inline;
    use crate::mention::{Mention, MentionGraph, Via};
    use crate::selection::{Choice, Rules, select};

    /// `a>b` writes into the text of `a` a mention of `b`; picks and exclusions as lists.
    fn snapshot(sources: &[&str], mentions: &[&str], picks: &[&str], exclusions: &[&str]) -> Snapshot {
        let catalog = Catalog::new(sources.iter().map(|id| inline(id, "")).collect());
        let mut graph = MentionGraph::default();
        for id in sources {
            let of = mentions.iter().filter_map(|it| it.split_once('>')).filter(|(from, _)| from == id);
            let mention = |(line, (from, to)): (usize, (&str, &str))| Mention {
                from: from.into(),
                to: to.into(),
                via: Via::Id,
                file: Arc::from(std::path::Path::new("/w/docs").join(format!("{from}.md"))),
                line: line + 1,
            };
            graph.insert((*id).into(), of.enumerate().map(mention).collect());
        }
        let owned = |ids: &[&str]| ids.iter().map(|id| (*id).to_owned()).collect();
        let choice = Choice { picks: owned(picks), exclusions: owned(exclusions) };
        let selection = select(&choice, &catalog, &graph, Rules::default());
        let workspace = Arc::from("/w");
        Snapshot {
            workspace,
            catalog: Arc::new(catalog),
            graph: Arc::new(graph),
            selection: Arc::new(selection),
            ..Snapshot::default()
        }
    }

    fn told(before: &Snapshot, after: &Snapshot) -> Vec<String> {
        let other = Who::Other(Arc::from("refdesk select"));
        let line = |it: Notice| format!("{}: {} [{}]", it.who.word(), it.text, it.reason);
        notices(before, after, &other).into_iter().map(line).collect()
    }

    #[test]
    fn what_a_change_says() {
        let all = ["a", "b", "c", "d", "e"];
        let chain = ["a>b", "b>c"];
        let by = |mentions: &[&str], picks: &[&str], exclusions: &[&str]| snapshot(&all, mentions, picks, exclusions);
        for (before, after, expected) in [
            (by(&chain, &["a"], &[]), by(&chain, &["a"], &[]), vec![]),
            (
                by(&chain, &[], &[]),
                by(&chain, &["a"], &[]),
                vec![
                    "refdesk select: Picked @a []",
                    "refdesk select: References transitively included: @b (from @a), @c (from @b) []",
                ],
            ),
            (
                by(&chain, &["a"], &[]),
                by(&chain, &["a"], &["b"]),
                vec!["refdesk select: Excluded @b []", "refdesk select: Left the selection with it: @c []"],
            ),
            (
                by(&chain, &["a"], &["b"]),
                by(&chain, &["a"], &[]),
                vec![
                    "refdesk select: No longer excluded: @b []",
                    "refdesk select: References transitively included: @c (from @b) []",
                ],
            ),
            (
                by(&["a>b"], &["a"], &[]),
                by(&["a>b", "a>c"], &["a"], &[]),
                vec!["files: @a now mentions @c: pulled in [docs/a.md:2]"],
            ),
            (
                by(&chain, &["a"], &[]),
                by(&["b>c"], &["a"], &[]),
                vec!["files: @a no longer mentions @b: it left []", "files: @c left with @b []"],
            ),
            (
                by(&[], &["a"], &[]),
                by(&["a>b", "a>c", "a>d", "a>e"], &["a"], &[]),
                vec!["files: References transitively included: @b (from @a), @c (from @a), @d (from @a), +1 more []"],
            ),
            (
                snapshot(&["a"], &[], &[], &[]),
                snapshot(&["b"], &[], &[], &[]),
                vec!["files: New in the catalog: @b []", "files: Gone from the catalog: @a []"],
            ),
        ] {
            assert_eq!(told(&before, &after), expected);
        }
    }

    #[test]
    fn more_than_three_are_cut() {
        let names: Vec<String> = ["a", "b", "c", "d", "e"].map(str::to_owned).into();
        assert_eq!(cut(&names[..3]), "a, b, c");
        assert_eq!(cut(&names), "a, b, c, +2 more");
    }

    #[test]
    fn an_error_is_told_when_it_is_new() {
        let with = |messages: &[&str]| {
            let errors = messages.iter().map(|message| Diagnostic::error("json-syntax", *message)).collect();
            Snapshot { diagnostics: errors, ..Snapshot::default() }
        };
        let told = |before: &[&str], after: &[&str]| -> Vec<String> {
            notices(&with(before), &with(after), &Who::You).into_iter().map(|notice| notice.text).collect()
        };
        assert_eq!(told(&[], &["no JSON"]), ["error: no JSON"]);
        assert_eq!(told(&["a"], &["a", "b", "c"]), ["error: b, +1 more"]);
        assert_eq!(told(&["a"], &["a"]), [""; 0]);
        assert_eq!(told(&["a", "b"], &["a"]), [""; 0]);
        assert_eq!(told(&["a"], &[]), ["Every error is mended"]);
    }
}
