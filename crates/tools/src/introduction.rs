//! The introduction for a connecting agent: the sources to know about before its first call. Clients truncate it, so it
//! is short: auto and picked sources come first with their prices, the rest is counted. Nothing is read from disk,
//! because the client is waiting.

use std::collections::{BTreeMap, HashSet};

use super::visible::{VisibleAs, listed, price};
use refdesk_core::catalog::{Mode, Source, SourceKind};
use refdesk_core::selection::{Access, ExpansionRules, unscanned};
use refdesk_desk::engine::Snapshot;
use refdesk_enrich::{BlockKind, ItemReceipt, Level, MatchReason};
use refdesk_text::escape::one_line;
use refdesk_text::fold::can_match;
use refdesk_text::tokens::grouped;

/// The maximum length of an introduction in UTF-16 units, which the strictest client counts.
const UNITS: usize = 2_000;

/// The most UTF-16 units of a listed name; longer ones are left out.
const NAME: usize = 120;

/// UTF-16 units reserved for tags if the entries would otherwise take all the space.
const FOR_TAGS: usize = 300;

/// The introduction for a connecting agent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Introduction {
    /// The text.
    pub text: String,
    /// The sources it lists, for the journal.
    pub items: Vec<ItemReceipt>,
}

/// The introduction for a session with this access; `None` if the catalog is empty. `excluded` are tools that are not
/// offered.
pub fn introduction(snapshot: &Snapshot, access: &Access, excluded: &[String]) -> Option<Introduction> {
    if snapshot.catalog.is_empty() {
        return None;
    }
    let has = |tool: &str| !excluded.iter().any(|other| other == tool);
    let mut lines = vec![opening(has("readReference"))];
    let (first, pulled_in): (Vec<_>, Vec<_>) =
        listed(snapshot, access).partition(|(_, why)| matches!(why, VisibleAs::Auto | VisibleAs::Picked));
    // Auto sources first, as in the desk's instructions; both in catalog order.
    let entries: Vec<(&Source, VisibleAs, String)> = [VisibleAs::Auto, VisibleAs::Picked]
        .into_iter()
        .flat_map(|wanted| first.iter().filter(move |(_, why)| *why == wanted))
        .map(|(source, why)| (*source, *why, entry(snapshot, source, *why)))
        .collect();
    let mut tail: Vec<String> = pulled_in_sentence(snapshot, &pulled_in).into_iter().collect();
    tail.extend(withheld_sentence(access));
    let choice = SelectableSources::of(snapshot).filter(|_| has("selectReferences"));
    tail.extend(choice.as_ref().map(SelectableSources::sentence));
    let tags = choice.map(|choice| choice.tags).unwrap_or_default();

    let list = if has("listReferences") { "listReferences" } else { "the list of resources" };
    let at_worst = left_out(entries.len(), tags.len(), list).map_or(0, |line| units(&line) + 1);
    let fixed: usize = lines.iter().chain(&tail).map(|line| units(line) + 1).sum();
    let room = UNITS.saturating_sub(fixed + at_worst);

    let kept_for_tags = units(&tag_line(&tags.iter().collect::<Vec<_>>())).saturating_add(1).min(FOR_TAGS);
    let kept_for_tags = if tags.is_empty() { 0 } else { kept_for_tags };
    let shown_entries = fitting(&entries, |(_, _, line)| line, room.saturating_sub(kept_for_tags), 1);
    let taken: usize = shown_entries.iter().map(|(_, _, line)| units(line) + 1).sum();
    let head = units(&tag_line(&[])) + 1;
    let shown_tags = fitting(&tags, |tag| tag, room.saturating_sub(taken + head), 2);

    let missed = left_out(entries.len() - shown_entries.len(), tags.len() - shown_tags.len(), list);
    let items = shown_entries.iter().map(|(source, why, line)| item(source, *why, line)).collect();
    lines.extend(shown_entries.into_iter().map(|(_, _, line)| line.clone()));
    lines.extend(tail);
    lines.extend((!shown_tags.is_empty()).then(|| tag_line(&shown_tags)));
    lines.extend(missed);
    Some(Introduction { text: lines.join("\n"), items })
}

fn item(source: &Source, why: VisibleAs, line: &str) -> ItemReceipt {
    let rule = if why == VisibleAs::Auto { "auto" } else { "picked" };
    ItemReceipt {
        block: BlockKind::Instruction,
        about: source.id.to_string(),
        level: Level::Brief,
        bytes: line.len(),
        why: vec![MatchReason::Rule { rule: rule.to_owned() }],
        rejected: None,
    }
}

fn opening(can_read: bool) -> String {
    let by_tool = if can_read { "with `readReference` or " } else { "" };
    format!(
        "refdesk holds this project's references: what to know before you work on it. Read those below {by_tool}as \
         the resource `reference://<id>`; ~ is an estimate of their tokens."
    )
}

/// An entry: id, name (unless it is too long) and price.
fn entry(snapshot: &Snapshot, source: &Source, why: VisibleAs) -> String {
    let mut about = Vec::new();
    about.extend((why == VisibleAs::Auto).then(|| "auto".to_owned()));
    about.extend(match &source.kind {
        SourceKind::Url { .. } => Some("a URL to fetch".to_owned()),
        SourceKind::Mcp { .. } => Some("a tool to call".to_owned()),
        SourceKind::Withheld(_) => Some("waits for trust".to_owned()),
        SourceKind::Local(_) if source.is_directory() => Some("folder".to_owned()),
        SourceKind::Local(_) | SourceKind::Inline { .. } => None,
    });
    about.extend(price(snapshot, source).map(|tokens| format!("~{}", grouped(tokens))));
    let about = if about.is_empty() { String::new() } else { format!(" ({})", about.join(", ")) };
    let (id, name) = (one_line(source.id.as_str()), one_line(&source.name));
    if units(&name) > NAME { format!("- @{id}{about}") } else { format!("- @{id}: {name}{about}") }
}

/// A sentence about how many sources the others pull in.
fn pulled_in_sentence(snapshot: &Snapshot, pulled_in: &[(&Source, VisibleAs)]) -> Option<String> {
    let count = pulled_in.len();
    // Documents that have not been read may pull in more.
    let may_bring = || !unscanned(&snapshot.selection, &snapshot.graph, ExpansionRules::default()).is_empty();
    let so_far = if snapshot.loading.is_some() && may_bring() { " or more" } else { "" };
    let known: u64 = pulled_in.iter().filter_map(|(source, _)| price(snapshot, source)).sum();
    let sources = if count == 1 { "source" } else { "sources" };
    // Folders have no known price.
    let known = if known > 0 { format!(" (~{})", grouped(known)) } else { String::new() };
    (count > 0).then(|| format!("They mention {count}{so_far} further {sources}, selected with them{known}."))
}

/// A sentence about how many selected sources are not trusted yet.
fn withheld_sentence(access: &Access) -> Option<String> {
    let count = access.unreadable().len();
    let (sources, wait) = if count == 1 { ("source", "waits") } else { ("sources", "wait") };
    let words = || format!("{count} more {sources} {wait} for the user's trust.");
    (count > 0).then(words)
}

struct SelectableSources {
    count: usize,
    /// Most common first.
    tags: Vec<String>,
}

impl SelectableSources {
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

fn tag_line(tags: &[&String]) -> String {
    let tags: Vec<&str> = tags.iter().map(|tag| tag.as_str()).collect();
    format!("Tags: {}", tags.join(", "))
}

/// A sentence about what did not fit; `None` if everything fits.
fn left_out(entries: usize, tags: usize, list: &str) -> Option<String> {
    let some = |count: usize, one: &str| match count {
        0 => None,
        1 => Some(format!("1 {one}")),
        _ => Some(format!("{count} {one}s")),
    };
    let what: Vec<String> = [some(entries, "auto or picked source"), some(tags, "tag")].into_iter().flatten().collect();
    (!what.is_empty()).then(|| format!("Left out here: {}; {list} has all.", what.join(", ")))
}

/// The items whose text fits, in order; skips a text that is too long.
fn fitting<T>(items: &[T], text: impl Fn(&T) -> &str, room: usize, between: usize) -> Vec<&T> {
    let mut free = room;
    let mut fits = |item: &&T| match free.checked_sub(units(text(item)) + between) {
        Some(rest) => {
            free = rest;
            true
        }
        None => false,
    };
    items.iter().filter(|item| fits(item)).collect()
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
    use refdesk_core::mention::{Mention, MentionGraph, MentionKind};
    use refdesk_core::selection::{Choice as Stored, ExpansionRules, select};

    fn snapshot(sources: Vec<Source>, picks: &[&str], mentions: &[(&str, &str)]) -> Snapshot {
        let catalog = Catalog::new(sources);
        let mut graph = MentionGraph::default();
        let from: HashSet<&str> = mentions.iter().map(|(from, _)| *from).collect();
        for one in from {
            let mention = |(from, to): &(&str, &str)| Mention {
                from: SourceId::from(*from),
                to: SourceId::from(*to),
                via: MentionKind::Id,
                file: Arc::from(std::path::Path::new("/ws/a.md")),
                line: 1,
            };
            let of_it = mentions.iter().filter(|(from, _)| *from == one).map(mention).collect();
            graph.insert(one.into(), of_it);
        }
        let choice = Stored { picks: picks.iter().map(|id| (*id).to_owned()).collect(), ..Stored::default() };
        let selection = select(&choice, &catalog, &graph, ExpansionRules::default());
        Snapshot { catalog: Arc::new(catalog), selection: Arc::new(selection), ..Snapshot::default() }
    }

    /// The selection's access, without these sources.
    fn access(desk: &Snapshot, withheld: &[&str]) -> Access {
        Access::new(&desk.catalog, &desk.selection, &[], |source| withheld.contains(&source.id.as_str()))
    }

    fn reported(desk: &Snapshot, excluded: &[String]) -> Option<String> {
        introduction(desk, &access(desk, &[]), excluded).map(|it| it.text)
    }

    #[test]
    fn untrusted_sources_are_only_counted() {
        let place =
            |id: &str| local(id, std::path::Path::new("/elsewhere"), refdesk_core::catalog::PathState::Directory);
        let desk = snapshot(vec![place("far"), tagged("near", &[])], &["far", "near"], &[]);
        let reported = introduction(&desk, &access(&desk, &["far"]), &[]).unwrap();
        assert_eq!(reported.items.iter().map(|item| item.about.as_str()).collect::<Vec<_>>(), ["near"]);
        let reported = reported.text;
        assert!(reported.contains("- @near") && !reported.contains("@far"), "{reported}");
        assert!(reported.contains("1 more source waits for the user's trust."), "{reported}");
    }

    fn tagged(id: &str, tags: &[&str]) -> Source {
        Source { tags: tags.iter().map(|tag| (*tag).into()).collect(), ..inline(id, &"x".repeat(5_000)) }
    }

    #[test]
    fn auto_and_picked_sources_come_first() {
        let auto = Source { mode: Mode::Auto, ..tagged("rules", &[]) };
        let url = Source { kind: SourceKind::Url { url: "https://example.org".into() }, ..tagged("page", &[]) };
        let sources =
            vec![tagged("open", &["b", "a"]), tagged("deep", &[]), url, tagged("more", &["b"]), auto, tagged("p", &[])];
        let desk = snapshot(sources, &["p", "page"], &[("p", "deep")]);
        let text = reported(&desk, &[]).unwrap();
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
        let without = reported(&desk, &["selectReferences".to_owned(), "readReference".to_owned()]).unwrap();
        assert!(!without.contains("selectReferences") && !without.contains("readReference"), "{without}");
        assert_eq!(reported(&Snapshot::default(), &[]), None);
    }

    #[test]
    fn entries_that_do_not_fit_are_counted() {
        let sources: Vec<Source> = (0..1_000).map(|at| tagged(&format!("source-{at}"), &[])).collect();
        let ids: Vec<String> = (0..1_000).map(|at| format!("source-{at}")).collect();
        let picks: Vec<&str> = ids.iter().map(String::as_str).collect();
        let text = reported(&snapshot(sources, &picks, &[]), &[]).unwrap();
        let shown = text.lines().filter(|line| line.starts_with("- @")).count();
        let last = text.lines().last().unwrap();
        assert_eq!(last, format!("Left out here: {} auto or picked sources; listReferences has all.", 1_000 - shown));
        assert!(units(&text) > UNITS - 60, "{}", units(&text));
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn it_never_exceeds_the_limit_or_cuts_an_entry(
            names in prop::collection::vec(("[a-z😀é\n\u{202e}-]{1,30}", ".{1,150}", prop::collection::vec(".{1,30}", 0..4), 0..4_u8), 1..50),
        ) {
            let source = |(at, (id, name, tags, mode)): (usize, &(String, String, Vec<String>, u8))| {
                let mode = if *mode == 0 { Mode::Auto } else { Mode::Selectable };
                Source { name: name.as_str().into(), tags: tags.iter().map(Into::into).collect(), mode, ..inline(&format!("{id}{at}"), "text") }
            };
            let sources: Vec<Source> = names.iter().enumerate().map(source).collect();
            let picked: Vec<String> = sources.iter().zip(&names).filter(|(_, name)| name.3 == 1).map(|(it, _)| it.id.to_string()).collect();
            let picks: Vec<&str> = picked.iter().map(String::as_str).collect();
            let desk = snapshot(sources, &picks, &[]);
            let text = reported(&desk, &[]).unwrap();
            prop_assert!(units(&text) <= UNITS, "{} units", units(&text));
            let whole: HashSet<String> = crate::visible::visible(&desk).map(|(source, why)| entry(&desk, source, why)).collect();
            let shown: Vec<&str> = text.lines().filter(|line| line.starts_with("- @")).collect();
            for line in &shown {
                prop_assert!(whole.contains(*line), "{}", line);
            }
            let missed = whole.len() - shown.len();
            prop_assert!(missed == 0 || text.lines().last().unwrap().contains(&format!("{missed} auto or picked")), "{}", text);
        }
    }
}
