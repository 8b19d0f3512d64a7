//! `renderTemplateToFile`: renders a template into a file of the workspace. Nothing is written until it is approved, by
//! a rule of the configuration or by a person who saw the diff.

use std::path::PathBuf;

use serde_json::{Map, Value, json};

use super::elicitation::approve;
use super::rendering::{Rendering, cut_diff, facts, failure, note, render};
use super::{FailedAnswer, ToolAnswer, ToolCall, ToolEffect, ToolResult, ToolSpec, closed};
use refdesk_core::config::ApprovalMode;
use refdesk_desk::channel::Approval;
use refdesk_desk::engine::{Request, Response};
use refdesk_desk::session::{JournalEvent, Receipt};
use refdesk_files::output::{PriorContent, Proposal, Scope, WriteFailure, exists, needs_overwrite, propose};
use refdesk_text::{Code, Error};

pub(crate) const SPEC: ToolSpec = ToolSpec {
    name: "renderTemplateToFile",
    older: &["writeFileFromTemplate"],
    title: "Render a template to a file",
    description: "Render a template into a file of the workspace; the user may be asked to approve the difference. Give \
                  exactly one of template_name, template (inline text) or template_path.",
    input: r#"{"type":"object","properties":{
        "template_name":{"type":"string"},"template":{"type":"string"},"template_path":{"type":"string"},
        "variables":{"type":["object","string"]},
        "syntax":{"type":"string","enum":["jinja2","mustache","handlebars"]},
        "output_path":{"type":"string","description":"Relative to the workspace"},
        "overwrite":{"type":"boolean","default":false}},"required":["output_path"]}"#,
    output: r#"{"type":"object","properties":{"success":{"type":"boolean"},"output_path":{"type":"string"},
        "error":{"type":"string"},"diff":{"type":"string"}},"required":["success"]}"#,
    example: r#"{"template_name": "Entity.java.tpl", "variables": {"Entity": "Order"}, "output_path": "src/Order.java"}"#,
    effect: ToolEffect::Replaces,
    handler: |call| Box::pin(run(call)),
};

async fn run(mut call: ToolCall) -> ToolResult {
    let path = call.arguments.required("output_path")?;
    let overwrite = call.arguments.flag("overwrite")?;
    let mut rendering = render(&mut call).await?;
    let known = |rendering: &Rendering| {
        let mut known = facts(rendering);
        known.insert("success".to_owned(), json!(false));
        known.insert("output_path".to_owned(), json!(path));
        known
    };
    let proposal = match proposed(&call, &path, &rendering).await? {
        Ok(proposal) => proposal,
        Err(refused) => return Err(unwritten(refused, known(&rendering))),
    };
    let warnings: Vec<String> = rendering.made.warnings.iter().chain(&proposal.diff.note).cloned().collect();
    let may_compare = may_compare(&call, &proposal).await?;
    if may_compare {
        rendering.made.warnings.clone_from(&warnings);
    }
    note(&call, &rendering, None).await;
    let refused = if may_compare { needs_overwrite(&proposal) } else { exists(&proposal) };
    if let Some(refused) = refused.filter(|_| !overwrite) {
        return Err(unwritten(refused, with_diff(known(&rendering), &visible_diff(&call, &proposal).await?)));
    }
    let reason = if may_compare && proposal.is_unchanged() {
        "it was up to date".to_owned()
    } else {
        match allowed(&call, &rendering, &proposal, warnings).await? {
            Ok(reason) => reason,
            Err(refused) => {
                return Err(unwritten(refused, with_diff(known(&rendering), &visible_diff(&call, &proposal).await?)));
            }
        }
    };
    let write = Request::Write { proposal: Box::new(proposal.clone()), reason };
    match call.handle.ask(&call.session, write).await {
        Some(Response::Written(Ok(written))) => {
            call.handle.note_write(&call.session, &proposal);
            let mut json = facts(&rendering);
            json.insert("output_path".to_owned(), json!(written.shown));
            let bytes = if may_compare { written.bytes } else { proposal.text.len() };
            json.insert("bytes_written".to_owned(), json!(bytes));
            Ok(ToolAnswer::json(Value::Object(json)))
        }
        Some(Response::Written(Err(WriteFailure { refused, current }))) => {
            // Otherwise, the person who approved the write would believe that it succeeded.
            let receipt = Receipt {
                path: Some(path.clone()),
                reason: refused.message.clone(),
                ..Receipt::new(JournalEvent::Unwritten)
            };
            call.handle.note(&call.session, receipt).await;
            let now = current.first().unwrap_or(&proposal);
            let is_hidden = refused.code == Code::Changed && !self::may_compare(&call, now).await?;
            let words = "ask the user what changed, or call again: the user will see the new difference";
            let refused = if is_hidden { Error { fix: words.into(), ..refused } } else { refused };
            Err(unwritten(refused, with_diff(known(&rendering), &visible_diff(&call, now).await?)))
        }
        _ => Err(closed().into()),
    }
}

async fn proposed(call: &ToolCall, path: &str, rendering: &Rendering) -> Result<Result<Proposal, Error>, Error> {
    let workspace = PathBuf::from(&*call.handle.snapshots().borrow().workspace);
    let (path, text) = (call.handle.expand_home(path), rendering.made.text.clone());
    let propose = move || propose(&workspace, &workspace, &path, &text, Scope::Workspace);
    tokio::task::spawn_blocking(propose).await.map_err(|_| closed())
}

/// What approved the write, for the journal; the error states why it is not approved. `warnings` are for the person.
async fn allowed(
    call: &ToolCall,
    rendering: &Rendering,
    proposal: &Proposal,
    warnings: Vec<String>,
) -> Result<Result<String, Error>, Error> {
    let question = Request::Verdict { shown: proposal.shown.clone(), path: proposal.path.clone() };
    let Some(Response::Verdict(verdict)) = call.handle.ask(&call.session, question).await else { return Err(closed()) };
    let (verdict, has_rule, way) = *verdict;
    Ok(match verdict {
        ApprovalMode::Auto => Ok("approved by a rule of 'approval'".to_owned()),
        ApprovalMode::Deny => {
            let message = format!("a rule of 'approval' in the configuration denies writing {}", proposal.shown);
            Err(Error::new(Code::Denied, message, "write to another path, or tell the user what to put there"))
        }
        ApprovalMode::Ask => {
            let approval = Approval {
                path: proposal.shown.clone(),
                template: rendering.name.clone(),
                summary: proposal.diff.summary(),
                diff: unified(proposal).await?,
                warnings,
            };
            approve(call, way, approval, has_rule).await.map(|by| format!("approved by {by}"))
        }
    })
}

/// The diff as text, computed on another thread because it may be as long as both files.
async fn unified(proposal: &Proposal) -> Result<String, Error> {
    let diff = proposal.diff.clone();
    tokio::task::spawn_blocking(move || diff.unified()).await.map_err(|_| closed())
}

/// Whether the agent may learn how the text differs from what is there. Of a file that it neither wrote nor may read it
/// learns only that it exists: whether or how much a text differs would let it guess the content line by line.
async fn may_compare(call: &ToolCall, proposal: &Proposal) -> Result<bool, Error> {
    if proposal.before == PriorContent::Nothing || call.handle.has_written(&call.session, proposal) {
        return Ok(true);
    }
    let (_, access) = call.handle.readable(&call.session).await.ok_or_else(closed)?;
    Ok(access.allows(&proposal.path))
}

/// The diff, unless it would show the agent a file it may not read.
async fn visible_diff(call: &ToolCall, proposal: &Proposal) -> Result<String, Error> {
    if may_compare(call, proposal).await? {
        return unified(proposal).await;
    }
    Ok(format!("{} exists; the diff is not shown, because you may not read it\n", proposal.shown))
}

fn with_diff(mut known: Map<String, Value>, diff: &str) -> Map<String, Value> {
    known.insert("diff".to_owned(), json!(cut_diff(diff)));
    known
}

fn unwritten(refused: Error, known: Map<String, Value>) -> FailedAnswer {
    let message = format!("Failed to write output: {}", refused.message);
    failure(Error::new(refused.code, message, refused.fix), known)
}
