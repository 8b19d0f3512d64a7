//! The `instructions` of the server: what an agent should know is there before it asks for anything. Clients cut them, so
//! they are short: what is auto or picked comes first, each with its price, the rest is counted. Nothing here is read from
//! disk, since a client waits for it with its first question.

use std::collections::{BTreeMap, HashSet};

use super::resources::listed;
use refdesk_core::catalog::{Kind, Mode, Source};
use refdesk_core::selection::{Access, Rules, unscanned};
use refdesk_desk::engine::Snapshot;
use refdesk_text::escape::one_line;
use refdesk_text::fold::can_match;
use refdesk_text::tokens::grouped;
use refdesk_tools::shelf::{Why, price};

/// So long is an introduction at most, in UTF-16 units: what the strictest client counts.
pub const UNITS: usize = 2_000;

/// A name that is longer says too much for a list.
const NAME: usize = 120;

/// Of these the tags may have so many where entries would fill all.
const FOR_TAGS: usize = 300;

/// The introduction to a desk for whoever may read this; `None` where there is nothing to introduce. `hidden` are tools that
/// are not there.
pub fn introduction(snapshot: &Snapshot, access: &Access, hidden: &[String]) -> Option<String> {
    if snapshot.catalog.is_empty() {
        return None;
    }
    let has = |tool: &str| !hidden.iter().any(|other| other == tool);
    let mut lines = vec![opening(has("readReference"))];
    let (first, pulled_in): (Vec<_>, Vec<_>) =
        listed(snapshot, access).partition(|(_, why)| matches!(why, Why::Auto | Why::Picked));
    // Auto ones first, as they are in the instructions of the desk; both in catalog order.
    let entries: Vec<String> = [Why::Auto, Why::Picked]
        .into_iter()
        .flat_map(|wanted| first.iter().filter(move |(_, why)| *why == wanted))
        .map(|(source, why)| entry(snapshot, source, *why))
        .collect();
    let mut tail: Vec<String> = pulled_in_words(snapshot, &pulled_in).into_iter().collect();
    tail.extend(withheld_words(access));
    let choice = Choice::of(snapshot).filter(|_| has("selectReferences"));
    tail.extend(choice.as_ref().map(Choice::sentence));
    let tags = choice.map(|choice| choice.tags).unwrap_or_default();

    let list = if has("listReferences") { "listReferences" } else { "the list of resources" };
    let at_worst = left_out(entries.len(), tags.len(), list).map_or(0, |line| units(&line) + 1);
    let fixed: usize = lines.iter().chain(&tail).map(|line| units(line) + 1).sum();
    let room = UNITS.saturating_sub(fixed + at_worst);

    let kept_for_tags = units(&tag_line(&tags)).saturating_add(1).min(FOR_TAGS);
    let kept_for_tags = if tags.is_empty() { 0 } else { kept_for_tags };
    let shown_entries = fitting(&entries, room.saturating_sub(kept_for_tags), 1);
    let taken: usize = shown_entries.iter().map(|line| units(line) + 1).sum();
    let head = units(&tag_line(&[])) + 1;
    let shown_tags = fitting(&tags, room.saturating_sub(taken + head), 2);

    let missed = left_out(entries.len() - shown_entries.len(), tags.len() - shown_tags.len(), list);
    lines.extend(shown_entries);
    lines.extend(tail);
    lines.extend((!shown_tags.is_empty()).then(|| tag_line(&shown_tags)));
    lines.extend(missed);
    Some(lines.join("\n"))
}

fn opening(can_read: bool) -> String {
    let by_tool = if can_read { "with `readReference` or " } else { "" };
    format!(
        "refdesk holds this project's references: what should be known before work on it begins. Read those below {by_tool}as \
         the resource `reference://<id>`; ~ is an estimate of their tokens."
    )
}

/// One source: id, name and price; no name that would take the room of many.
fn entry(snapshot: &Snapshot, source: &Source, why: Why) -> String {
    let mut about = Vec::new();
    about.extend((why == Why::Auto).then(|| "auto".to_owned()));
    about.extend(match &source.kind {
        Kind::Url { .. } => Some("a URL to fetch".to_owned()),
        Kind::Mcp { .. } => Some("a tool to call".to_owned()),
        Kind::Local(_) if source.is_directory() => Some("folder".to_owned()),
        Kind::Local(_) | Kind::Inline { .. } => None,
    });
    about.extend(price(snapshot, source).map(|tokens| format!("~{}", grouped(tokens))));
    let about = if about.is_empty() { String::new() } else { format!(" ({})", about.join(", ")) };
    let (id, name) = (one_line(source.id.as_str()), one_line(&source.name));
    if units(&name) > NAME { format!("- @{id}{about}") } else { format!("- @{id}: {name}{about}") }
}

/// How much more the sources above bring.
fn pulled_in_words(snapshot: &Snapshot, pulled_in: &[(&Source, Why)]) -> Option<String> {
    let count = pulled_in.len();
    // Documents that are not read yet may bring more.
    let may_bring = || !unscanned(&snapshot.selection, &snapshot.graph, Rules::default()).is_empty();
    let so_far = if snapshot.loading.is_some() && may_bring() { " or more" } else { "" };
    let known: u64 = pulled_in.iter().filter_map(|(source, _)| price(snapshot, source)).sum();
    let sources = if count == 1 { "source" } else { "sources" };
    // Of a folder nothing is known.
    let known = if known > 0 { format!(" (~{})", grouped(known)) } else { String::new() };
    (count > 0).then(|| format!("They mention {count}{so_far} further {sources}, selected with them{known}."))
}

/// What is selected and not to be read yet.
fn withheld_words(access: &Access) -> Option<String> {
    let count = access.withheld().len();
    let (sources, wait) = if count == 1 { ("source", "waits") } else { ("sources", "wait") };
    let words = || format!("{count} more {sources} outside the workspace {wait} for the user's trust.");
    (count > 0).then(words)
}

/// What an agent may select besides.
struct Choice {
    count: usize,
    /// Those of most sources first.
    tags: Vec<String>,
}

impl Choice {
    fn of(snapshot: &Snapshot) -> Option<Self> {
        let selection = &snapshot.selection;
        let is_open = |source: &&Source| {
            let id = source.id.as_str();
            let is_free = !selection.contains(id) && !selection.is_excluded(id);
            source.mode == Mode::Selectable && !source.is_missing() && is_free
        };
        let open: Vec<&Source> = snapshot.catalog.sources().iter().filter(is_open).collect();
        let mut tags: BTreeMap<&str, usize> = BTreeMap::new();
        for source in &open {
            let own: HashSet<&str> = source.tags.iter().filter(|tag| can_match(tag)).map(|tag| tag.trim()).collect();
            for tag in own {
                *tags.entry(tag).or_default() += 1;
            }
        }
        let mut tags: Vec<(&str, usize)> = tags.into_iter().collect();
        tags.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
        let tags = tags.into_iter().map(|(tag, _)| one_line(tag).into_owned()).collect();
        (!open.is_empty()).then_some(Self { count: open.len(), tags })
    }

    fn sentence(&self) -> String {
        let (sources, them) = if self.count == 1 { ("source", "it") } else { ("sources", "them") };
        let by = if self.tags.is_empty() { "`ids`" } else { "`ids` or `filter_tags`" };
        format!("{} more {sources} can be selected: `selectReferences` with {by} selects {them}.", self.count)
    }
}

fn tag_line(tags: &[String]) -> String {
    format!("Tags: {}", tags.join(", "))
}

/// What there was no room for; `None` where there was room for all.
fn left_out(entries: usize, tags: usize, list: &str) -> Option<String> {
    let some = |count: usize, one: &str| match count {
        0 => None,
        1 => Some(format!("1 {one}")),
        _ => Some(format!("{count} {one}s")),
    };
    let what: Vec<String> = [some(entries, "auto or picked source"), some(tags, "tag")].into_iter().flatten().collect();
    (!what.is_empty()).then(|| format!("Left out here: {}; {list} has all.", what.join(", ")))
}

/// The texts that fit into this room one after the other, each whole; one that is too long makes room for those behind it.
fn fitting(texts: &[String], room: usize, between: usize) -> Vec<String> {
    let mut free = room;
    let mut fits = |text: &&String| match free.checked_sub(units(text) + between) {
        Some(rest) => {
            free = rest;
            true
        }
        None => false,
    };
    texts.iter().filter(|text| fits(text)).cloned().collect()
}

fn units(text: &str) -> usize {
    text.encode_utf16().count()
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use proptest::prelude::*;

    use super::*;
    use refdesk_core::catalog::testing::{inline, local};
    use refdesk_core::catalog::{Catalog, SourceId};
    use refdesk_core::mention::{Mention, MentionGraph, Via};
    use refdesk_core::selection::{Choice as Stored, Rules, select};

    fn snapshot(sources: Vec<Source>, picks: &[&str], mentions: &[(&str, &str)]) -> Snapshot {
        let catalog = Catalog::new(sources);
        let mut graph = MentionGraph::default();
        let from: HashSet<&str> = mentions.iter().map(|(from, _)| *from).collect();
        for one in from {
            let mention = |(from, to): &(&str, &str)| Mention {
                from: SourceId::from(*from),
                to: SourceId::from(*to),
                via: Via::Id,
                file: Arc::from(std::path::Path::new("/ws/a.md")),
                line: 1,
            };
            let of_it = mentions.iter().filter(|(from, _)| *from == one).map(mention).collect();
            graph.insert(one.into(), of_it);
        }
        let choice = Stored { picks: picks.iter().map(|id| (*id).to_owned()).collect(), exclusions: Vec::new() };
        let selection = select(&choice, &catalog, &graph, Rules::default());
        Snapshot { catalog: Arc::new(catalog), selection: Arc::new(selection), ..Snapshot::default() }
    }

    /// What the selection allows, but for these.
    fn access(desk: &Snapshot, withheld: &[&str]) -> Access {
        Access::new(&desk.catalog, &desk.selection, &[], |source| withheld.contains(&source.id.as_str()))
    }

    fn told(desk: &Snapshot, hidden: &[String]) -> Option<String> {
        introduction(desk, &access(desk, &[]), hidden)
    }

    #[test]
    fn what_waits_for_trust_is_not_said_to_be_read() {
        let place =
            |id: &str| local(id, std::path::Path::new("/elsewhere"), refdesk_core::catalog::Standing::Directory);
        let desk = snapshot(vec![place("far"), tagged("near", &[])], &["far", "near"], &[]);
        let told = introduction(&desk, &access(&desk, &["far"]), &[]).unwrap();
        assert!(told.contains("- @near") && !told.contains("@far"), "{told}");
        assert!(told.contains("1 more source outside the workspace waits for the user's trust."), "{told}");
    }

    fn tagged(id: &str, tags: &[&str]) -> Source {
        Source { tags: tags.iter().map(|tag| (*tag).to_owned()).collect(), ..inline(id, &"x".repeat(5_000)) }
    }

    #[test]
    fn auto_and_picked_first_then_what_else_there_is() {
        let auto = Source { mode: Mode::Auto, ..tagged("rules", &[]) };
        let url = Source { kind: Kind::Url { url: "https://example.org".into() }, ..tagged("page", &[]) };
        let sources =
            vec![tagged("open", &["b", "a"]), tagged("deep", &[]), url, tagged("more", &["b"]), auto, tagged("p", &[])];
        let desk = snapshot(sources, &["p", "page"], &[("p", "deep")]);
        let text = told(&desk, &[]).unwrap();
        let (_, rest) = text.split_once('\n').unwrap();
        assert_eq!(
            rest,
            "- @rules: Name of rules (auto, ~1,250)\n\
             - @page: Name of page (a URL to fetch)\n\
             - @p: Name of p (~1,250)\n\
             They mention 1 further source, selected with them (~1,250).\n\
             2 more sources can be selected: `selectReferences` with `ids` or `filter_tags` selects them.\n\
             Tags: b, a"
        );
        let without = told(&desk, &["selectReferences".to_owned(), "readReference".to_owned()]).unwrap();
        assert!(!without.contains("selectReferences") && !without.contains("readReference"), "{without}");
        assert_eq!(told(&Snapshot::default(), &[]), None);
    }

    #[test]
    fn what_has_no_room_is_counted() {
        let sources: Vec<Source> = (0..1_000).map(|at| tagged(&format!("source-{at}"), &[])).collect();
        let ids: Vec<String> = (0..1_000).map(|at| format!("source-{at}")).collect();
        let picks: Vec<&str> = ids.iter().map(String::as_str).collect();
        let told = told(&snapshot(sources, &picks, &[]), &[]).unwrap();
        let shown = told.lines().filter(|line| line.starts_with("- @")).count();
        let last = told.lines().last().unwrap();
        assert_eq!(last, format!("Left out here: {} auto or picked sources; listReferences has all.", 1_000 - shown));
        assert!(units(&told) > UNITS - 60, "{}", units(&told));
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn never_longer_and_every_entry_whole(
            names in prop::collection::vec(("[a-z😀é\n\u{202e}-]{1,30}", ".{1,150}", prop::collection::vec(".{1,30}", 0..4), 0..4_u8), 1..50),
        ) {
            let source = |(at, (id, name, tags, mode)): (usize, &(String, String, Vec<String>, u8))| {
                let mode = if *mode == 0 { Mode::Auto } else { Mode::Selectable };
                Source { name: name.clone(), tags: tags.clone(), mode, ..inline(&format!("{id}{at}"), "text") }
            };
            let sources: Vec<Source> = names.iter().enumerate().map(source).collect();
            let picked: Vec<String> = sources.iter().zip(&names).filter(|(_, name)| name.3 == 1).map(|(it, _)| it.id.to_string()).collect();
            let picks: Vec<&str> = picked.iter().map(String::as_str).collect();
            let desk = snapshot(sources, &picks, &[]);
            let told = told(&desk, &[]).unwrap();
            prop_assert!(units(&told) <= UNITS, "{} units", units(&told));
            let whole: HashSet<String> = refdesk_tools::shelf::on_shelf(&desk).map(|(source, why)| entry(&desk, source, why)).collect();
            let shown: Vec<&str> = told.lines().filter(|line| line.starts_with("- @")).collect();
            for line in &shown {
                prop_assert!(whole.contains(*line), "{}", line);
            }
            let missed = whole.len() - shown.len();
            prop_assert!(missed == 0 || told.lines().last().unwrap().contains(&format!("{missed} auto or picked")), "{}", told);
        }
    }
}
