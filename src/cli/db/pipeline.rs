//! `refdesk db pipeline`: plans, documents and indexes, stopping for review after the plan.

use serde_json::{Value, json};

use super::{document, plan, unless_interrupted};
use crate::cli::answer::CommandOutput;
use crate::cli::args::{DbDocumentArgs, DbPipelineArgs, DbPlanArgs, OutputFormat};
use crate::cli::output::{ask, can_ask};
use crate::cli::signals::Interrupt;
use refdesk_desk::{Desk, DocumentOptions, Documentation, Indexing, Session};
use refdesk_text::tokens::counted;
use refdesk_text::{Code, Error};

/// The answer if nothing was planned.
pub fn nothing() -> Value {
    json!({"plan": plan::nothing(), "document": document::nothing(), "index": null})
}

/// Runs the three steps; each runs only if the previous one succeeded.
pub fn run(
    desk: &mut Desk,
    session: &Session,
    args: &DbPipelineArgs,
    format: OutputFormat,
    interrupt: &Interrupt,
) -> CommandOutput {
    let args_of_plan = DbPlanArgs { names: args.names.clone(), dry_run: false, no_model: true };
    let planned = match plan::run(desk, session, &args_of_plan, format, "") {
        Ok(planned) => planned,
        Err(refusal) => return CommandOutput { json: nothing(), ..refusal },
    };
    let (planned, plan_text) = match approve(desk, args, planned, interrupt) {
        Ok(approved) => approved,
        Err(answer) => return answer,
    };
    let args_of_document = DbDocumentArgs {
        names: args.names.clone(),
        only: None,
        yes: true,
        fresh: false,
        overwrite_edited: false,
        no_model: true,
    };
    let documented = document::run(desk, session, &args_of_document, interrupt);
    if interrupt.is_raised() {
        return CommandOutput { json: steps(&planned, &documented.json), ..documented };
    }
    let mut text = String::from_utf8_lossy(&documented.text).into_owned();
    let (mut json, mut refused) = (steps(&planned, &documented.json), documented.refused);
    match desk.update_index(Indexing::default(), &mut |_| !interrupt.is_raised()) {
        Ok(Some(report)) => {
            text.push_str(&format!("The index has {}.\n", counted(report.documents, "section")));
            if let Value::Object(members) = &mut json {
                members.insert("index".to_owned(), json!(report));
            }
        }
        Ok(None) => text.push_str("Another refdesk is building the search index.\n"),
        Err(error) => refused.push(error),
    }
    let gap = if plan_text.is_empty() { "" } else { "\n" };
    let diagnostics = planned.diagnostics.into_iter().chain(documented.diagnostics).collect();
    let answer = CommandOutput { diagnostics, ..CommandOutput::new(json, format!("{plan_text}{gap}{text}")) };
    unless_interrupted(answer.with_failures(refused), interrupt)
}

/// Asks whether to write the pages, unless `--yes` says so or no page changes. Returns the plan and its text, which is
/// empty if the question has shown it; or the answer if the pages are not to be written.
fn approve(
    desk: &Desk,
    args: &DbPipelineArgs,
    planned: CommandOutput,
    interrupt: &Interrupt,
) -> Result<(CommandOutput, String), CommandOutput> {
    let mut plan_text = String::from_utf8_lossy(&planned.text).into_owned();
    if args.yes {
        return Ok((planned, plan_text));
    }
    let options = DocumentOptions { names: args.names.clone(), ..DocumentOptions::default() };
    let prepared = desk.documentation(&options);
    let is_any_read = prepared.as_ref().is_ok_and(|run| run.read_databases().next().is_some());
    let is_up_to_date = prepared.as_ref().is_ok_and(Documentation::is_up_to_date);
    let json = steps(&planned, &document::nothing());
    if !planned.refused.is_empty() && !is_any_read {
        // There are no pages to ask about.
        return Err(CommandOutput { json, text: plan_text.into_bytes(), ..planned });
    }
    plan_text.push_str(&prepared.map(|run| document::removals(&run)).unwrap_or_default());
    let question = || ask(&plan_text, "Write the pages according to this plan?");
    let approved = match () {
        () if is_up_to_date => return Ok((planned, plan_text)),
        () if can_ask() => interrupt.while_asking(question),
        () => None,
    };
    // The question has already shown the plan.
    let (exit, text, fix) = match approved {
        Some(true) => return Ok((planned, String::new())),
        Some(false) => (1, Vec::new(), ""),
        None => (2, plan_text.into_bytes(), "review the plan, then run it again with --yes"),
    };
    let refusal = Error::new(Code::NotApproved, "the pages were not written", fix);
    let shown = CommandOutput { json, text, ..planned };
    Err(CommandOutput { exit, ..shown.with_failures(vec![refusal]) })
}

fn steps(planned: &CommandOutput, document: &Value) -> Value {
    json!({"plan": planned.json, "document": document, "index": Value::Null})
}
