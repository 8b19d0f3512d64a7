//! The graph of mentions in sentences: the neighbours of a source, the path between two, the most expensive picks,
//! hubs, cycles, orphans and broken links. The engine analyses the graph; this module only words the rows.

use refdesk_core::catalog::SourceId;
use refdesk_core::mention::Mention;
use refdesk_core::mention::analysis::{GraphAnalysis, shortest_path};
use refdesk_desk::engine::Request;
use refdesk_text::Code;

use super::lists::{NumberedRow, Target, list, list_counted};
use super::source::{SourceArgument, one, several};
use super::state::{InputOutcome, Pending, PlainState};
use super::words::{counted, price, state_words, tokens};
use super::{catalog, problems, words};

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum GraphQuestion {
    /// The whole catalog, the most expensive pick first.
    Map,
    Hubs,
    Cycles,
    Orphans,
    /// What mentions this source, and what it mentions.
    Neighbours(SourceId),
    /// The shortest path between these.
    Path(SourceId, SourceId),
}

pub fn ask(state: &mut PlainState, given: &str, turn: &mut InputOutcome) {
    if catalog::is_empty(state, turn) {
        return;
    }
    let question = match given.to_lowercase().as_str() {
        "" | "map" => GraphQuestion::Map,
        "hubs" => GraphQuestion::Hubs,
        "cycles" => GraphQuestion::Cycles,
        "orphans" => GraphQuestion::Orphans,
        "broken" => return broken(state, turn),
        _ => match of_sources(state, given) {
            Ok(question) => question,
            Err(why) => return turn.print(why),
        },
    };
    state.pending = Some(Pending::Graph(question));
    turn.ask(Request::AnalyseGraph);
}

fn of_sources(state: &PlainState, given: &str) -> Result<GraphQuestion, String> {
    if let Ok(id) = one(state, given, SourceArgument::Known) {
        return Ok(GraphQuestion::Neighbours(id));
    }
    match several(state, given, SourceArgument::Known)?.as_slice() {
        [id] => Ok(GraphQuestion::Neighbours(id.clone())),
        [from, to] => Ok(GraphQuestion::Path(from.clone(), to.clone())),
        _ => Err("Give one source to see its neighbours, or two to see the path between them.".to_owned()),
    }
}

fn broken(state: &mut PlainState, turn: &mut InputOutcome) {
    let all = state.snapshot.diagnostics.clone();
    let broken = all.iter().filter(|problem| problem.code == Code::BrokenLink);
    let rows: Vec<NumberedRow> = broken.map(problems::row).collect();
    list_counted(state, rows, "There are no broken links.", ("broken link", "."), turn);
}

pub fn analysed(state: &mut PlainState, question: &GraphQuestion, analysis: &GraphAnalysis, turn: &mut InputOutcome) {
    let rows = match question {
        GraphQuestion::Map => map(state, analysis, turn),
        GraphQuestion::Hubs => hubs(state, analysis, turn),
        GraphQuestion::Cycles => cycles(state, analysis, turn),
        GraphQuestion::Orphans => orphans(state, analysis, turn),
        GraphQuestion::Neighbours(id) => neighbours(state, analysis, id, turn),
        GraphQuestion::Path(from, to) => path(state, analysis, from, to, turn),
    };
    list(state, rows, turn);
}

/// A row for the source at this position, with what is printed after it.
fn row(state: &PlainState, analysis: &GraphAnalysis, at: usize, printed: &str) -> Option<NumberedRow> {
    let id = analysis.catalog.sources().get(at)?.id.clone();
    let printed = if printed.is_empty() { String::new() } else { format!("; {printed}") };
    let words = format!(
        "{id}, {}, {}{printed}.",
        state_words(&state.snapshot, id.as_str()),
        price(&state.snapshot, id.as_str())
    );
    Some(NumberedRow::new(Target::Source(id), words))
}

fn map(state: &PlainState, analysis: &GraphAnalysis, turn: &mut InputOutcome) -> Vec<NumberedRow> {
    let weighed = analysis.by_cost(&state.snapshot.tokens);
    turn.print(format!("{}, the heaviest pick first.", counted(weighed.len(), "source")));
    turn.print("Type graph hubs, graph cycles, graph orphans, graph broken, or graph and one source, or two.");
    let rows = weighed.into_iter().map(|(total, at)| {
        let words = match analysis.weights.get(at).map_or(0, |weight| weight.sources as usize) {
            0 => "a pick brings nothing else".to_owned(),
            brings => format!("a pick brings {}, {} in all", counted(brings, "more source"), tokens(total)),
        };
        row(state, analysis, at, &words)
    });
    rows.flatten().collect()
}

fn hubs(state: &PlainState, analysis: &GraphAnalysis, turn: &mut InputOutcome) -> Vec<NumberedRow> {
    let adjacency = &analysis.adjacency;
    let by = |at: usize| adjacency.mentioning(at).len();
    let hubs = analysis.hubs();
    match hubs.len() {
        0 => turn.print("No source is mentioned by three others."),
        some => turn.print(format!(
            "{} mentioned by at least three others, the most mentioned first.",
            counted(some, "source")
        )),
    }
    let rows = hubs.into_iter();
    rows.filter_map(|at| row(state, analysis, at, &format!("mentioned by {}", counted(by(at), "source")))).collect()
}

fn cycles(state: &PlainState, analysis: &GraphAnalysis, turn: &mut InputOutcome) -> Vec<NumberedRow> {
    match analysis.cycles.len() {
        0 => turn.print("No sources mention each other."),
        some => turn.print(format!(
            "{} of sources that mention each other, directly or through others.",
            counted(some, "group")
        )),
    }
    let groups = analysis.cycles.iter().enumerate();
    let rows = groups.flat_map(|(nth, cycle)| cycle.iter().map(move |at| (nth + 1, *at)));
    rows.filter_map(|(group, at)| row(state, analysis, at, &format!("group {group}"))).collect()
}

fn orphans(state: &PlainState, analysis: &GraphAnalysis, turn: &mut InputOutcome) -> Vec<NumberedRow> {
    let orphans: Vec<usize> = analysis.orphans().collect();
    turn.print(match orphans.len() {
        1 => "1 source mentions no other and is not mentioned.".to_owned(),
        some => format!("{} mention no other and are not mentioned.", counted(some, "source")),
    });
    orphans.into_iter().filter_map(|at| row(state, analysis, at, "")).collect()
}

fn neighbours(
    state: &mut PlainState,
    analysis: &GraphAnalysis,
    id: &SourceId,
    turn: &mut InputOutcome,
) -> Vec<NumberedRow> {
    state.about = Some(id.clone());
    let Some(centre) = analysis.catalog.position(id.as_str()) else {
        turn.print(format!("{id} is no longer in the catalog."));
        return Vec::new();
    };
    let adjacency = &analysis.adjacency;
    let from: Vec<usize> = adjacency.mentioning(centre).iter().map(|at| *at as usize).collect();
    let to: Vec<usize> = adjacency.mentioned(centre).iter().map(|edge| edge.to as usize).collect();
    turn.print(catalog::sentence(&state.snapshot, id.as_str()));
    turn.print(format!(
        "{} it, and it mentions {}.",
        if from.len() == 1 {
            "1 source mentions".to_owned()
        } else {
            format!("{} mention", counted(from.len(), "source"))
        },
        counted(to.len(), "source")
    ));
    let from = from.into_iter().map(|at| (at, (at, centre), "mentions it"));
    let to = to.into_iter().map(|at| (at, (centre, at), "is mentioned"));
    let rows = from.chain(to).map(|(at, (from, to), verb)| {
        let mention = adjacency.first_mention(&analysis.catalog, &analysis.graph, from, to);
        row(state, analysis, at, &format!("{verb}{}", mention.map(|it| place(state, &it)).unwrap_or_default()))
    });
    rows.flatten().collect()
}

/// ` by id in docs/retry.md, line 12`
fn place(state: &PlainState, mention: &Mention) -> String {
    let file = words::path(&state.snapshot, &mention.file);
    format!(" by {} in {file}, line {}", mention.via.word(), mention.line)
}

fn path(
    state: &PlainState,
    analysis: &GraphAnalysis,
    from: &SourceId,
    to: &SourceId,
    turn: &mut InputOutcome,
) -> Vec<NumberedRow> {
    let mut rows = Vec::new();
    for (from, to) in [(from, to), (to, from)] {
        let ends = analysis.catalog.position(from.as_str()).zip(analysis.catalog.position(to.as_str()));
        let path = ends.and_then(|(from, to)| shortest_path(&analysis.adjacency, from, to));
        let Some(path) = path else {
            turn.print(format!("No chain of mentions leads from {from} to {to}."));
            continue;
        };
        turn.print(format!("From {from} to {to}: {}.", counted(path.len().saturating_sub(1), "step")));
        let before = std::iter::once(None).chain(path.iter().copied().map(Some));
        let steps = path.iter().zip(before).map(|(at, before)| {
            let step = before
                .and_then(|before| analysis.adjacency.first_mention(&analysis.catalog, &analysis.graph, before, *at));
            let printed =
                step.map_or_else(|| format!("from here to {to}"), |it| format!("mentioned{}", place(state, &it)));
            row(state, analysis, *at, &printed)
        });
        rows.extend(steps.flatten());
    }
    rows
}
