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
    let steps = |document: Value| json!({"plan": planned.json, "document": document, "index": Value::Null});
    let mut plan_text = String::from_utf8_lossy(&planned.text).into_owned();
    if !args.yes {
        let options = DocumentOptions { names: args.names.clone(), ..DocumentOptions::default() };
        let prepared = desk.documentation(&options);
        let is_any_read = prepared.as_ref().is_ok_and(|run| run.read_databases().next().is_some());
        let is_up_to_date = prepared.as_ref().is_ok_and(Documentation::is_up_to_date);
        if !planned.refused.is_empty() && !is_any_read {
            // There are no pages to ask about.
            return CommandOutput { json: steps(document::nothing()), text: plan_text.into_bytes(), ..planned };
        }
        plan_text.push_str(&prepared.map(|run| document::removals(&run)).unwrap_or_default());
        let question = || ask(&plan_text, "Write the pages according to this plan?");
        let approved = match () {
            () if is_up_to_date => Some(true),
            () if can_ask() => interrupt.while_asking(question),
            () => None,
        };
        if approved != Some(true) {
            let fix = if approved.is_none() { "review the plan, then run it again with --yes" } else { "" };
            let refusal = Error::new(Code::NotApproved, "the pages were not written", fix);
            let exit = if approved.is_none() { 2 } else { 1 };
            // The question has already shown the plan.
            let text = if approved.is_none() { plan_text.into_bytes() } else { Vec::new() };
            let shown = CommandOutput { json: steps(document::nothing()), text, ..planned };
            return CommandOutput { exit, ..shown.with_failures(vec![refusal]) };
        }
        if !is_up_to_date {
            plan_text.clear();
        }
    }
    let documented = document::run(
        desk,
        session,
        &DbDocumentArgs {
            names: args.names.clone(),
            only: None,
            yes: true,
            fresh: false,
            overwrite_edited: false,
            no_model: true,
        },
        interrupt,
    );
    if interrupt.is_raised() {
        return CommandOutput { json: steps(documented.json), ..documented };
    }
    let (mut text, mut refused) = (documented.text.clone(), documented.refused.clone());
    let mut json = steps(documented.json.clone());
    match desk.update_index(Indexing::default(), &mut |_| !interrupt.is_raised()) {
        Ok(Some(report)) => {
            text.extend(format!("The index has {}.\n", counted(report.documents, "section")).into_bytes());
            if let Value::Object(members) = &mut json {
                members.insert("index".to_owned(), json!(report));
            }
        }
        Ok(None) => text.extend(b"Another refdesk is building the search index.\n"),
        Err(error) => refused.push(error),
    }
    let gap = if plan_text.is_empty() { "" } else { "\n" };
    let text = format!("{plan_text}{gap}{}", String::from_utf8_lossy(&text));
    let diagnostics = planned.diagnostics.into_iter().chain(documented.diagnostics).collect();
    let answer = CommandOutput { diagnostics, ..CommandOutput::new(json, text) }.with_failures(refused);
    unless_interrupted(answer, interrupt)
}
