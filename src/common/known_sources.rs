//! What an agent's session knows, as rows: the selection tree with what the session was sent about each source, then
//! the other sources it knows. Also describes what it got and did.

use refdesk_core::catalog::SourceKind;
use refdesk_desk::engine::Snapshot;
use refdesk_desk::{AgentActivity, AgentSession, Knowledge};
use refdesk_text::names::joined;
use refdesk_text::tokens::counted;

use crate::common::filter::Order;
use crate::common::selection_tree::{self, TreeRow, TreeRowKind};

/// A source, and what a session knows about it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KnownRow {
    pub id: String,
    /// Its row in the selection tree, if it is selected.
    pub node: Option<TreeRow>,
    /// `None` if it was sent nothing about the source.
    pub knowledge: Option<Knowledge>,
    /// Whether its instruction is its whole text.
    pub is_inline: bool,
}

pub fn rows(snapshot: &Snapshot, session: &AgentSession) -> Vec<KnownRow> {
    let is_inline = |id: &str| {
        let source = snapshot.catalog.get(id);
        source.is_some_and(|source| matches!(source.kind, SourceKind::Inline { .. }))
    };
    let of_tree = |node: TreeRow| {
        let is_given = matches!(node.kind, TreeRowKind::Member(_) | TreeRowKind::Auto(_));
        let id = node.id(snapshot).filter(|_| is_given)?.to_owned();
        let knowledge = session.known.get(&id).copied();
        Some(KnownRow { is_inline: is_inline(&id), id, node: Some(node), knowledge })
    };
    let mut rows: Vec<KnownRow> =
        selection_tree::rows(snapshot, Order::Catalog).into_iter().filter_map(of_tree).collect();
    let is_auto = |id: &str| rows.iter().any(|row| row.id == id);
    let others: Vec<KnownRow> = session
        .known
        .iter()
        .filter(|(id, _)| !snapshot.selection.contains(id.as_str()) && !is_auto(id))
        .map(|(id, knowledge)| KnownRow {
            id: id.clone(),
            node: None,
            knowledge: Some(*knowledge),
            is_inline: is_inline(id),
        })
        .collect();
    rows.extend(others);
    rows
}

/// `the session read it twice and was sent how to read it`.
pub fn sentence(knowledge: Knowledge, is_inline: bool) -> String {
    let [texts, instructions] = knowledge.texts_and_instructions(is_inline);
    let times = |count: u32| match count {
        0 | 1 => String::new(),
        2 => " twice".to_owned(),
        more => format!(" {more} times"),
    };
    let did = [
        (knowledge.reads > 0).then(|| format!("read it{}", times(knowledge.reads))),
        knowledge.is_picked.then(|| "picked it".to_owned()),
    ];
    let got = [
        (texts > 0).then(|| format!("its whole text{}", times(texts))),
        (instructions > 0).then(|| format!("what it is and how to read it{}", times(instructions))),
        (knowledge.hints > 0).then(|| format!("a hint at it{}", times(knowledge.hints))),
        (knowledge.notices > 0).then(|| format!("its name in a notice{}", times(knowledge.notices))),
    ];
    let got: Vec<String> = got.into_iter().flatten().collect();
    let mut parts: Vec<String> = did.into_iter().flatten().collect();
    parts.extend((!got.is_empty()).then(|| format!("was sent {}", joined(&got, usize::MAX))));
    format!("the session {}", joined(&parts, usize::MAX))
}

/// `, connected now`, to end a sentence; empty if the agent has disconnected.
pub fn presence(activity: &AgentActivity, session: &AgentSession) -> String {
    match activity.presence(session).words() {
        "" => String::new(),
        words => format!(", {words}"),
    }
}

/// What the session got and did: `It was sent 12 texts, ~4,120 tokens.`
pub fn sentences(session: &AgentSession, tokens: impl Fn(u64) -> String) -> Vec<String> {
    let price = |count: u64| if count == 0 { String::new() } else { format!(", {}", tokens(count)) };
    let AgentSession { sent, sent_tokens, reads, read_tokens, picks, failures, hints, expansions, .. } = session;
    let mut sentences = vec![format!("It was sent {}{}.", counted(*sent, "text"), price(*sent_tokens))];
    sentences.push(match (*reads, *picks) {
        (0, 0) => "It read and picked nothing.".to_owned(),
        (0, picks) => format!("It picked {} and read nothing.", counted(picks, "source")),
        (reads, picks) => {
            let picked =
                if picks == 0 { "picked nothing".to_owned() } else { format!("picked {}", counted(picks, "source")) };
            let price = price(*read_tokens);
            let price = if price.is_empty() { price } else { format!("{price},") };
            format!("It made {}{price} and {picked}.", counted(reads, "read"))
        }
    });
    let followed = |count: &refdesk_desk::session::Count, what: &str| {
        (count.offered > 0).then(|| format!("{} of {}", count.followed, counted(count.offered, what)))
    };
    let followed: Vec<String> =
        [followed(hints, "hint"), followed(expansions, "expansion")].into_iter().flatten().collect();
    sentences.push(match followed.as_slice() {
        [] => "No source was hinted at.".to_owned(),
        followed => format!("It followed {}.", followed.join(" and ")),
    });
    if *failures > 0 {
        sentences.push(format!("{} failed.", counted(*failures, "hook")));
    }
    sentences
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture;

    #[test]
    fn the_tree_comes_first_and_what_is_not_in_it_last() {
        let session = fixture::agents().sessions[0].clone();
        let shown: Vec<String> = rows(&fixture::snapshot(), &session)
            .iter()
            .map(|row| {
                let level = row.node.as_ref().map_or("-".to_owned(), |node| node.level.to_string());
                format!("{level} {}: {}", row.id, row.knowledge.map(|it| it.words(row.is_inline)).unwrap_or_default())
            })
            .collect();
        assert_eq!(
            shown,
            [
                "0 circuit-breaker: read twice, told",
                "1 retry-pattern: hinted at",
                "2 error-handling: sent, named in a notice",
                "3 legacy-errors: ",
                "1 timeouts: ",
                "0 team-conventions: told",
                "- gone-source: hinted at",
                "- java-service: picked, hinted at 3 times",
            ]
        );
    }

    #[test]
    fn a_sessions_activity_is_a_sentence() {
        let none = Knowledge::default();
        let told = Knowledge { instruction_count: 3, full_instructions: 2, ..none };
        for (knowledge, is_inline, said) in [
            (told, false, "the session was sent what it is and how to read it 3 times"),
            (told, true, "the session was sent its whole text twice and what it is and how to read it"),
            (Knowledge { reads: 2, ..none }, true, "the session read it twice"),
            (
                Knowledge { reads: 1, hints: 3, notices: 1, ..none },
                false,
                "the session read it and was sent a hint at it 3 times and its name in a notice",
            ),
            (
                Knowledge { is_picked: true, reads: 1, instruction_count: 1, ..none },
                false,
                "the session read it, picked it and was sent what it is and how to read it",
            ),
        ] {
            assert_eq!(sentence(knowledge, is_inline), said);
        }
    }

    #[test]
    fn sentences_count() {
        let sentences =
            |session: &AgentSession| super::sentences(session, |count| format!("~{count} tokens")).join(" ");
        let activity = fixture::agents();
        let said: Vec<String> = activity.sessions.iter().map(|session| sentences(session)).collect();
        assert_eq!(
            said,
            [
                "It was sent 14 texts, ~4120 tokens. It made 6 reads, ~12300 tokens, and picked 2 sources. It followed 4 of 9 hints and 1 of 1 expansion.",
                "It was sent 3 texts, ~310 tokens. It read and picked nothing. It followed 0 of 4 hints.",
                "It was sent 0 texts. It picked 1 source and read nothing. No source was hinted at. 1 hook failed.",
            ]
        );
    }
}
