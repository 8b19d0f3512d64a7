//! Writes texts to files: the diff is shown first, and only approved changes are written (BEHAVIOUR §6 "Writing").

use serde_json::{Map, Value, json};

use super::super::answer::CommandOutput;
use super::super::args::RenderArgs;
use super::super::output::{ask, declined, unasked};
use super::warnings;
use refdesk_desk::{Desk, RenderedTemplate, Session};
use refdesk_files::output::{PriorContent, Proposal, Scope, WriteFailure, WrittenFile, needs_overwrite};
use refdesk_text::Error;
use refdesk_text::tokens::counted;

/// A text and what writing it would change.
pub(super) struct PlannedOutput {
    pub made: RenderedTemplate,
    pub proposal: Proposal,
}

pub(super) fn scope(args: &RenderArgs) -> Scope {
    if args.allow_outside { Scope::Anywhere } else { Scope::Workspace }
}

/// Words an error like the agents' tools.
pub(super) fn not_written(refusal: Error) -> Error {
    Error { message: format!("Failed to write output: {}", refusal.message), ..refusal }
}

/// Like [`not_written`], for a row; rows are counted from 1.
pub(super) fn in_row(at: usize, refusal: Error) -> Error {
    Error { message: format!("row {}: {}", at + 1, refusal.message), ..refusal }
}

pub(super) fn one(
    desk: &mut Desk,
    session: &Session,
    args: &RenderArgs,
    mut made: RenderedTemplate,
    path: &str,
) -> CommandOutput {
    let proposal = match desk.propose(path, &made.text, scope(args)) {
        Ok(proposal) => proposal,
        Err(refusal) => {
            let mut json = members(&made);
            json.extend([("success".to_owned(), json!(false)), ("output_path".to_owned(), json!(path))]);
            return CommandOutput { json: Value::Object(json), ..CommandOutput::refused(not_written(refusal)) };
        }
    };
    made.warnings.extend(proposal.diff.note.clone());
    let mut outputs = [PlannedOutput { made, proposal }];
    let (answer, written) = execute(desk, session, args, &mut outputs);
    let mut json = Map::from_iter([("success".to_owned(), json!(answer.refused.is_empty()))]);
    for output in &outputs {
        json.extend(row(output, written.first()));
    }
    CommandOutput { json: Value::Object(json), ..answer }
}

pub(super) fn row(output: &PlannedOutput, written: Option<&WrittenFile>) -> Map<String, Value> {
    let bytes = written.map_or(0, |written| written.bytes);
    let mut json = Map::from_iter([
        ("output_path".to_owned(), json!(output.proposal.shown)),
        ("bytes_written".to_owned(), json!(bytes)),
    ]);
    json.extend(members(&output.made));
    json.insert("diff".into(), json!(output.proposal.diff.unified()));
    json
}

fn members(made: &RenderedTemplate) -> Map<String, Value> {
    Map::from_iter([
        ("size".to_owned(), json!(made.text.len())),
        ("lines".to_owned(), json!(made.text.lines().count())),
        ("variables_used".to_owned(), json!(made.used)),
        ("variables_unused".to_owned(), json!(made.fit.unused)),
        ("variables_missing".to_owned(), json!(made.fit.missing)),
        ("template_syntax".to_owned(), json!(made.syntax)),
        ("warnings".to_owned(), json!(made.warnings)),
    ])
}

/// Shows, asks and writes, all or nothing. If a file changes in the meantime, updates its diff. Returns the answer
/// without its JSON, and what was written: one file per output, in the same order, or nothing.
pub(super) fn execute(
    desk: &mut Desk,
    session: &Session,
    args: &RenderArgs,
    outputs: &mut [PlannedOutput],
) -> (CommandOutput, Vec<WrittenFile>) {
    let mut answer = CommandOutput::new(Value::Null, differences(outputs));
    answer.diagnostics = outputs.iter().flat_map(|output| warnings(&output.made, args.batch.is_some())).collect();
    if args.dry_run {
        answer.notes = preview(outputs, args.overwrite);
        answer.text.extend_from_slice(unchanged(outputs).as_bytes());
        return (answer, Vec::new());
    }
    if !args.overwrite {
        let exists = |(at, output): (usize, &PlannedOutput)| {
            let refusal = not_written(needs_overwrite(&output.proposal)?);
            Some(if args.batch.is_some() { in_row(at, refusal) } else { refusal })
        };
        let refused: Vec<Error> = outputs.iter().enumerate().filter_map(exists).collect();
        if !refused.is_empty() {
            return (answer.with_failures(refused), Vec::new());
        }
    }
    let changes = outputs.iter().any(|output| !output.proposal.is_unchanged());
    if changes && !args.yes {
        match approved(outputs) {
            Some(true) => {
                // The user has seen the text, with its warnings.
                answer.text.clear();
                answer.diagnostics.clear();
            }
            Some(false) => return (CommandOutput::refused(not_written(declined("written"))), Vec::new()),
            None => {
                answer.notes = preview(outputs, args.overwrite);
                return (answer.with_failures(vec![not_written(unasked("written"))]), Vec::new());
            }
        }
    }
    let proposals: Vec<Proposal> = outputs.iter().map(|output| output.proposal.clone()).collect();
    match desk.write(session, &proposals, "") {
        Ok(written) => {
            for (output, written) in outputs.iter().zip(&written) {
                answer.text.extend_from_slice(written_line(output, written).as_bytes());
            }
            (answer, written)
        }
        Err(WriteFailure { refused, current: updated }) => {
            if !updated.is_empty() {
                outputs.iter_mut().zip(updated).for_each(|(output, updated)| output.proposal = updated);
                answer.text = differences(outputs).into_bytes();
            }
            (answer.with_failures(vec![not_written(refused)]), Vec::new())
        }
    }
}

fn differences(outputs: &[PlannedOutput]) -> String {
    outputs.iter().map(|output| output.proposal.diff.unified()).collect()
}

/// What a write would do, for standard error: the diffs on standard output are input for `patch`.
fn preview(outputs: &[PlannedOutput], overwrite: bool) -> Vec<String> {
    let changed = outputs.iter().map(|output| &output.proposal).filter(|proposal| !proposal.is_unchanged());
    let describe = |it: &Proposal| {
        let (verb, with) = match it.before {
            PriorContent::Nothing => ("write", ""),
            PriorContent::File { .. } if overwrite => ("replace", ""),
            PriorContent::File { .. } => ("replace", ", with --overwrite"),
        };
        format!("this would {verb} {} ({}){with}", it.shown, it.diff.summary())
    };
    changed.map(describe).collect()
}

fn unchanged(outputs: &[PlannedOutput]) -> String {
    let same = outputs.iter().filter(|output| output.proposal.is_unchanged());
    same.map(|output| format!("{} is unchanged.\n", output.proposal.shown)).collect()
}

fn written_line(output: &PlannedOutput, written: &WrittenFile) -> String {
    let proposal = &output.proposal;
    if proposal.is_unchanged() {
        return format!("{} is unchanged.\n", written.shown);
    }
    let (bytes, lines) = (counted(written.bytes, "byte"), counted(written.lines, "line"));
    format!("Wrote {}: {bytes}, {lines} ({}).\n", written.shown, proposal.diff.summary())
}

/// Whether a person approves these diffs; `None` without a terminal.
fn approved(outputs: &[PlannedOutput]) -> Option<bool> {
    let changed: Vec<&PlannedOutput> = outputs.iter().filter(|output| !output.proposal.is_unchanged()).collect();
    let mut shown: String = changed.iter().map(|output| output.proposal.diff.shown()).collect();
    for warning in outputs.iter().flat_map(|output| &output.made.warnings) {
        shown.push_str(&format!("warning: {warning}\n"));
    }
    let question = match changed.as_slice() {
        [only] => format!("Write {} ({})?", only.proposal.shown, only.proposal.diff.summary()),
        several => {
            let sum = |count: fn(&Proposal) -> usize| several.iter().map(|it| count(&it.proposal)).sum::<usize>();
            let (added, removed) = (sum(|it| it.diff.added), sum(|it| it.diff.removed));
            format!("Write {} files (+{added} −{removed})?", several.len())
        }
    };
    ask(&shown, &question)
}
