//! Formats a journal line as a sentence: what was sent, to which agent and why; what was read, chosen and written
//! (BEHAVIOUR §5 "For people"). Long lists are cut after the first few.

use std::path::Path;

use super::words::{at, cut};
use super::{Actor, JournalLineRef, Notice, Topic};
use crate::FileLine;
use crate::session::{JournalEvent, Line, Receipt, SCREEN};
use refdesk_core::catalog::SourceId;
use refdesk_enrich::{BlockKind, ItemReceipt, Level, MatchReason, TextKind};
use refdesk_files::path::clean;
use refdesk_text::tokens::grouped;
use refdesk_text::words::capitalized;

/// The notice for the feed of `desk`, without its time.
pub(crate) fn receipt(line: &Line, workspace: &Path, desk: &str) -> Notice {
    let receipt = &line.receipt;
    // The journal belongs to this user: whichever screen it was, the same person used it.
    let who = if line.who == SCREEN { Actor::You } else { Actor::Other(line.who.as_str().into()) };
    let mut notice = Notice::new(who, topic(receipt.what), sentence(receipt));
    notice.session = Some(line.session.as_str().into());
    let has_text = receipt.text.is_some();
    let mut reasons = vec![format!("session {}", line.session)];
    reasons.extend(separate_reason(receipt).map(str::to_owned));
    let is_read = receipt.what == JournalEvent::Read && receipt.tokens > 0;
    let has_cost = has_text || is_read;
    if has_cost {
        reasons.push(format!("~{} tokens", grouped(receipt.tokens)));
    }
    let tokens = if has_cost { receipt.tokens } else { 0 };
    notice.receipt = Some(JournalLineRef { number: line.n, kind: receipt.kind, has_text, tokens });
    if line.desk != desk {
        reasons.push(format!("desk {}", line.desk));
    }
    notice.reason = reasons.join(", ");
    // The name of a file or template is not a source's id.
    if matches!(receipt.what, JournalEvent::Written | JournalEvent::Removed | JournalEvent::Rendered) {
        let path = receipt.about.first().filter(|_| receipt.what == JournalEvent::Written);
        return notice.at(path.and_then(|about| inside(workspace, about)));
    }
    let is_source =
        |item: &&ItemReceipt| !matches!(item.block, BlockKind::Templates | BlockKind::Available | BlockKind::LeftOut);
    let of_text = receipt.why.iter().filter(is_source).map(|item| &item.about);
    let mut sources = receipt.about.iter().chain(of_text);
    let Some(first) = sources.next() else { return notice };
    let several = sources.any(|other| other != first);
    Notice { several, ..notice.about(&SourceId::from(first.as_str())) }
}

/// A file of the workspace. A repository may ship a journal, so the path must not lead outside, not even through a
/// link.
fn inside(workspace: &Path, about: &str) -> Option<FileLine> {
    let path = clean(&workspace.join(about));
    let real = |path: &Path| std::fs::canonicalize(path).ok();
    // If the file does not exist, check its deepest existing parent.
    let mut below = path.ancestors().take_while(|path| *path != workspace);
    let there = below.find(|path| std::fs::symlink_metadata(path).is_ok());
    let is_inside = path.starts_with(workspace)
        && there
            .is_none_or(|there| real(there).zip(real(workspace)).is_some_and(|(there, root)| there.starts_with(root)));
    is_inside.then_some(FileLine { path, line: 1 })
}

fn topic(what: JournalEvent) -> Topic {
    match what {
        JournalEvent::Enriched => Topic::Enriched,
        JournalEvent::Instructed => Topic::Instructed,
        JournalEvent::Forgot => Topic::Forgot,
        JournalEvent::Read => Topic::Read,
        JournalEvent::Selected | JournalEvent::Unselected | JournalEvent::Excluded | JournalEvent::Included => {
            Topic::Selection
        }
        JournalEvent::Written | JournalEvent::Removed => Topic::File,
        JournalEvent::Rendered => Topic::Template,
        JournalEvent::Failed | JournalEvent::Unwritten => Topic::Failed,
        JournalEvent::Asked | JournalEvent::Answered => Topic::Asked,
    }
}

/// The sentence, without time, session and cost.
pub fn sentence(receipt: &Receipt) -> String {
    let tool = || receipt.tool.as_deref().map(|tool| format!(" with the {tool} tool")).unwrap_or_default();
    match receipt.what {
        JournalEvent::Enriched => format!("To {}: {}", recipient(receipt), added(receipt)),
        JournalEvent::Instructed => "Sent the instructions".to_owned(),
        JournalEvent::Forgot => "Forgot what it was given".to_owned(),
        JournalEvent::Read if receipt.tool.as_deref() == Some(crate::SEARCH_COMMAND) => match &*receipt.about {
            [] => "Searched; found nothing".to_owned(),
            about => format!("Searched; found {}", at(about)),
        },
        JournalEvent::Read if receipt.about.is_empty() => format!("Found nothing to read{}", tool()),
        JournalEvent::Read => format!("Read {}{}", at(&receipt.about), tool()),
        JournalEvent::Selected => format!("Picked {}", at(&receipt.about)),
        JournalEvent::Unselected => format!("Unpicked {}", at(&receipt.about)),
        JournalEvent::Excluded => format!("Excluded {}", at(&receipt.about)),
        JournalEvent::Included => format!("No longer excluded: {}", at(&receipt.about)),
        JournalEvent::Written => format!("Wrote {}", cut(&receipt.about)),
        JournalEvent::Removed => format!("Removed {}", cut(&receipt.about)),
        JournalEvent::Rendered if receipt.about.is_empty() => format!("Rendered an inline template{}", tool()),
        JournalEvent::Rendered => format!("Rendered {}{}", cut(&receipt.about), tool()),
        JournalEvent::Asked => format!("Asked a person {}", receipt.reason),
        JournalEvent::Answered if receipt.about.is_empty() => capitalized(&receipt.reason),
        JournalEvent::Answered => format!("{}: {}", capitalized(&receipt.reason), at(&receipt.about)),
        JournalEvent::Unwritten => format!("Not written: {}", receipt.reason),
        JournalEvent::Failed if receipt.reason.is_empty() => "A hook failed".to_owned(),
        JournalEvent::Failed => format!("A hook failed: {}", receipt.reason),
    }
}

/// The reason, if the sentence does not include it.
pub fn separate_reason(receipt: &Receipt) -> Option<&str> {
    let is_said = matches!(
        receipt.what,
        JournalEvent::Failed | JournalEvent::Unwritten | JournalEvent::Asked | JournalEvent::Answered
    );
    (!is_said && !receipt.reason.is_empty()).then_some(&receipt.reason)
}

fn recipient(receipt: &Receipt) -> String {
    match (receipt.kind, &receipt.tool) {
        (Some(TextKind::Prompt), _) => "a prompt".to_owned(),
        (Some(TextKind::ToolResult), Some(tool)) => format!("a result of {tool}"),
        (Some(TextKind::ToolResult), None) => "a tool's result".to_owned(),
        (Some(TextKind::SystemInstructions), _) => "the instructions".to_owned(),
        (None, _) => "a text".to_owned(),
    }
}

/// `expanded @a; hinted at @b (java), @c (api, payments), @d (retry), +2 more; 3 left out`
fn added(receipt: &Receipt) -> String {
    let mut parts = Vec::new();
    for (block, words) in [
        (BlockKind::Expansion, "expanded "),
        (BlockKind::Hint, "hinted at "),
        (BlockKind::Notice, "announced "),
        (BlockKind::Context, "context of "),
        (BlockKind::Templates, "templates "),
    ] {
        let said = receipt.why.iter().filter(|item| item.block == block && item.level != Level::Count);
        let named: Vec<String> = said.map(entry).collect();
        if !named.is_empty() {
            parts.push(format!("{words}{}", cut(&named)));
        }
    }
    let left_out = receipt.left_out();
    if left_out > 0 {
        parts.push(format!("{left_out} left out"));
    }
    parts.join("; ")
}

/// `@b (java)`; for a template, only its name.
fn entry(item: &ItemReceipt) -> String {
    if item.block == BlockKind::Templates {
        return item.about.clone();
    }
    let because: Vec<String> = item.why.iter().filter_map(because).collect();
    if because.is_empty() { format!("@{}", item.about) } else { format!("@{} ({})", item.about, because.join(", ")) }
}

/// The reason in one or two words. An `@id` match needs none; rules are shown when the receipt is opened.
fn because(why: &MatchReason) -> Option<String> {
    match why {
        MatchReason::Mention { .. } | MatchReason::Rule { .. } => None,
        MatchReason::Tag { tag, .. } => Some(tag.clone()),
        MatchReason::Meaning(meaning) if meaning.heading.is_empty() => {
            Some(meaning.section()).filter(|section| !section.is_empty())
        }
        MatchReason::Meaning(meaning) => Some(format!("about \"{}\"", meaning.heading)),
        MatchReason::Parents { chain } => chain.first().map(|parent| format!("from @{parent}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(receipt: Receipt) -> Line {
        let owned = str::to_owned;
        Line {
            n: 7,
            time: owned("2026-11-22T08:00:00.000Z"),
            desk: owned("default"),
            session: owned("s1"),
            who: owned("claude-code"),
            receipt,
            seal: None,
        }
    }

    fn item(block: BlockKind, about: &str, level: Level, why: Vec<MatchReason>) -> ItemReceipt {
        ItemReceipt { block, about: about.to_owned(), level, bytes: 1, why, rejected: None }
    }

    fn tag(tag: &str) -> Vec<MatchReason> {
        vec![MatchReason::Tag { tag: tag.to_owned(), line: 1, column: 1 }]
    }

    fn reported(receipt: Receipt) -> (String, String) {
        let notice = super::receipt(&line(receipt), Path::new("/w"), "default");
        (notice.text, notice.reason)
    }

    #[test]
    fn each_kind_of_line_has_a_sentence() {
        let about = |what, about: &[&str]| Receipt {
            about: about.iter().map(|id| (*id).to_owned()).collect(),
            ..Receipt::new(what)
        };
        for (receipt, text, reason) in [
            (about(JournalEvent::Selected, &["a", "b", "c", "d", "e"]), "Picked @a, @b, @c, +2 more", "session s1"),
            (about(JournalEvent::Unselected, &["a"]), "Unpicked @a", "session s1"),
            (about(JournalEvent::Excluded, &["a"]), "Excluded @a", "session s1"),
            (about(JournalEvent::Included, &["a"]), "No longer excluded: @a", "session s1"),
            (about(JournalEvent::Written, &["src/a.java"]), "Wrote src/a.java", "session s1"),
            (about(JournalEvent::Removed, &["old.tmpl"]), "Removed old.tmpl", "session s1"),
            (about(JournalEvent::Rendered, &["A.java.tpl"]), "Rendered A.java.tpl", "session s1"),
            (
                Receipt { reason: "to choose from 3 sources: why".to_owned(), ..about(JournalEvent::Asked, &[]) },
                "Asked a person to choose from 3 sources: why",
                "session s1",
            ),
            (
                Receipt {
                    reason: "a person at a screen answered: 2 of 3".to_owned(),
                    ..about(JournalEvent::Answered, &["a", "b"])
                },
                "A person at a screen answered: 2 of 3: @a, @b",
                "session s1",
            ),
            (
                Receipt { tool: Some("renderTemplate".to_owned()), ..about(JournalEvent::Rendered, &[]) },
                "Rendered an inline template with the renderTemplate tool",
                "session s1",
            ),
            (
                Receipt {
                    reason: "no answer in time about 2 sources".to_owned(),
                    ..about(JournalEvent::Answered, &[])
                },
                "No answer in time about 2 sources",
                "session s1",
            ),
            (
                Receipt { tool: Some("Read".to_owned()), ..about(JournalEvent::Read, &["a"]) },
                "Read @a with the Read tool",
                "session s1",
            ),
            (
                Receipt { tool: Some(crate::SEARCH_COMMAND.to_owned()), ..about(JournalEvent::Read, &["a"]) },
                "Searched; found @a",
                "session s1",
            ),
            (
                Receipt { tool: Some("find".to_owned()), ..about(JournalEvent::Read, &[]) },
                "Found nothing to read with the find tool",
                "session s1",
            ),
            (
                Receipt { tool: Some("readReference".to_owned()), tokens: 700, ..about(JournalEvent::Read, &["a"]) },
                "Read @a with the readReference tool",
                "session s1, ~700 tokens",
            ),
            (
                Receipt { reason: "compact".to_owned(), ..about(JournalEvent::Forgot, &[]) },
                "Forgot what it was given",
                "session s1, compact",
            ),
            (
                Receipt { reason: "no JSON".to_owned(), ..about(JournalEvent::Failed, &[]) },
                "A hook failed: no JSON",
                "session s1",
            ),
            (
                Receipt { text: Some(String::new()), tokens: 9, ..about(JournalEvent::Instructed, &[]) },
                "Sent the instructions",
                "session s1, ~9 tokens",
            ),
        ] {
            assert_eq!(reported(receipt), (text.to_owned(), reason.to_owned()));
        }
    }

    #[test]
    fn an_enrichment_names_its_entries_and_reasons() {
        let chain = vec![MatchReason::Parents { chain: vec!["up".to_owned(), "pick".to_owned()] }];
        let mention = vec![MatchReason::Mention { line: 2, column: 3 }];
        let why = vec![
            item(BlockKind::Expansion, "x", Level::Full, mention),
            item(BlockKind::Hint, "a", Level::Full, tag("java")),
            item(BlockKind::Hint, "b", Level::Brief, [tag("api"), tag("pay")].concat()),
            item(BlockKind::Hint, "c", Level::Full, tag("java")),
            item(BlockKind::Hint, "d", Level::Full, tag("java")),
            item(BlockKind::Hint, "e", Level::Count, tag("java")),
            item(BlockKind::Notice, "t", Level::Full, chain),
        ];
        let kind = Some(TextKind::Prompt);
        let receipt =
            Receipt { kind, why, tokens: 103, text: Some(String::new()), ..Receipt::new(JournalEvent::Enriched) };
        let text = "To a prompt: expanded @x; hinted at @a (java), @b (api, pay), @c (java), +1 more; announced @t \
                    (from @up); 1 left out";
        assert_eq!(reported(receipt.clone()), (text.to_owned(), "session s1, ~103 tokens".to_owned()));
        let notice = super::receipt(&line(receipt), Path::new("/w"), "other");
        assert_eq!(notice.reason, "session s1, ~103 tokens, desk default");
        assert_eq!((notice.subject, notice.receipt.map(|it| it.has_text)), (Some("x".into()), Some(true)));
    }

    #[test]
    fn a_notice_records_whether_it_is_about_several_sources() {
        let of = |about: &[&str], blocks: &[(BlockKind, &str)]| {
            let about = about.iter().map(|id| (*id).to_owned()).collect();
            let why = blocks.iter().map(|(block, about)| item(*block, about, Level::Full, Vec::new())).collect();
            let receipt = Receipt { about, why, ..Receipt::new(JournalEvent::Enriched) };
            let notice = super::receipt(&line(receipt), Path::new("/w"), "default");
            (notice.subject.map(|id| id.as_str().to_owned()), notice.several)
        };
        use BlockKind::{Available, Hint, Instruction, Notice, Templates};
        for (about, blocks, subject, several) in [
            (&[] as &[&str], &[] as &[(BlockKind, &str)], None, false),
            (&["a"], &[], Some("a"), false),
            (&["a", "b"], &[], Some("a"), true),
            (&["a"], &[(Hint, "b")], Some("a"), true),
            (&[], &[(Hint, "a"), (Notice, "a")], Some("a"), false),
            (&[], &[(Instruction, "a"), (Available, "available tags"), (Templates, "t")], Some("a"), false),
            (&[], &[(Available, "available tags")], None, false),
            (&[], &[(Hint, "a"), (Hint, "b")], Some("a"), true),
        ] {
            assert_eq!(of(about, blocks), (subject.map(str::to_owned), several), "{about:?} {blocks:?}");
        }
    }

    #[test]
    fn a_written_file_is_the_position() {
        let receipt = Receipt { about: vec!["src/a.java".to_owned()], ..Receipt::new(JournalEvent::Written) };
        let notice = super::receipt(&line(receipt), Path::new("/w"), "default");
        assert_eq!((notice.place, notice.subject), (Some(FileLine { path: "/w/src/a.java".into(), line: 1 }), None));
        let receipt = Receipt { about: vec!["old.tmpl".to_owned()], ..Receipt::new(JournalEvent::Removed) };
        let notice = super::receipt(&line(receipt), Path::new("/w"), "default");
        assert_eq!((notice.place, notice.subject), (None, None), "a removed file has no position");
    }

    #[test]
    fn a_journal_never_points_outside() {
        let folder = tempfile::tempdir().unwrap();
        let (workspace, outside) = (folder.path().join("w"), folder.path().join("secret"));
        refdesk_files::write_atomic(&outside, b"x").unwrap();
        refdesk_files::write_atomic(&workspace.join("src/a"), b"x").unwrap();
        for (link, to) in [("out", outside.as_path()), ("in", Path::new("src"))] {
            std::os::unix::fs::symlink(to, workspace.join(link)).unwrap();
        }
        let absolute = workspace.join("src/a");
        for (about, place) in [
            ("src/a", Some("src/a")),
            ("src/../src/./a", Some("src/a")),
            (absolute.to_str().unwrap(), Some("src/a")),
            ("in/a", Some("in/a")),
            ("../secret", None),
            ("src/../../secret", None),
            (outside.to_str().unwrap(), None),
            ("/etc/passwd", None),
            ("out", None),
            ("out/x", None),
        ] {
            let receipt = Receipt { about: vec![about.to_owned()], ..Receipt::new(JournalEvent::Written) };
            let found = super::receipt(&line(receipt), &workspace, "default").place.map(|spot| spot.path);
            assert_eq!(found, place.map(|place| workspace.join(place)), "{about}");
        }
    }
}
