//! Asks a person on behalf of an agent. A choice of sources goes through the agent's own client if that can ask,
//! otherwise through the configured channel. Approval of a write is requested only on a screen, because the agent
//! controls the client.

use std::pin::Pin;

use serde_json::json;
use tokio::sync::oneshot;

use super::handle::QuestionSlot;
use super::select_references::nothing_selected;
use super::{FailedAnswer, ToolAnswer, ToolCall, advice, closed};
use refdesk_core::config::ChannelKind;
use refdesk_desk::Picker;
use refdesk_desk::channel::{self, Approval, ChannelAnswer, ChannelSetup, NoAnswer, Request, Requester, Wait};
use refdesk_desk::engine::{self, Response};
use refdesk_text::escape;
use refdesk_text::names::first_of;
use refdesk_text::{Code, Error, Fix};

/// Chosen ids listed in a message before "and N more".
const LISTED: usize = 20;

/// Asks the client's user to choose sources; implemented by the transport.
pub trait Elicit: std::fmt::Debug + Send + Sync {
    /// Asks, for as long as `wait` allows.
    fn elicit(self: Box<Self>, request: &Request, wait: &Wait) -> Elicitation;
}

/// A reply from the client's user.
pub type UserReply = Result<ChannelAnswer, NoAnswer>;

/// How a transport asks its client.
pub enum Elicitation {
    /// The client cannot ask.
    Unsupported,
    /// The client asks, and then repeats the call.
    RepeatCall,
    /// The repeated call contains this reply.
    Replied(UserReply),
    /// The client is asking.
    Asking(Pin<Box<dyn Future<Output = UserReply> + Send>>),
}

/// Sources that a person chose.
#[derive(Debug)]
pub(crate) struct Chosen {
    /// The ids.
    pub ids: Vec<String>,
    /// A sentence about the choice, for the agent.
    pub note: String,
    /// Ids that the person gave but that were not offered.
    pub unknown: Vec<String>,
    /// Whose pick it is: an answer through the client is the agent's, which controls the client, and so may be one that a
    /// program wrote.
    pub by: Picker,
}

/// Asks a person to choose sources.
pub(crate) async fn choose(call: &mut ToolCall) -> Result<Chosen, FailedAnswer> {
    let context = Request::default_context(&call.session.who, None);
    let offer = engine::Request::Offer { context, tags: Vec::new() };
    let Some(Response::Offer(offer)) = call.handle.ask(&call.session, offer).await else {
        return Err(closed().into());
    };
    let (request, setup) = *offer;
    if request.sources.is_empty() {
        let message = "there is nothing to choose from: no selectable source is left";
        return Err(nothing_selected("no_sources", message));
    }
    let wait = wait_for(&request, &setup);
    let through_client = setup.settings.kind == ChannelKind::Console || setup.untrusted.is_some();
    let elicitation = match call.elicit.take() {
        Some(elicit) if through_client => elicit.elicit(&request, &wait),
        _ => Elicitation::Unsupported,
    };
    let picker = if matches!(elicitation, Elicitation::Unsupported) { Picker::Person } else { Picker::Agent };
    let reply = match elicitation {
        Elicitation::Unsupported => {
            let to_ask = request.clone();
            ask(
                call,
                request,
                wait.clone(),
                on_thread(wait, move |wait| channel::open(&setup, channel::Place::Protocol)?.ask(&to_ask, wait)),
            )
            .await
        }
        Elicitation::Asking(asking) => {
            let asking = |slot| async move {
                let _slot = slot;
                asking.await
            };
            ask(call, request, wait, asking).await
        }
        Elicitation::Replied(reply) => {
            call.handle.note(&call.session, channel::request_receipt(&request)).await;
            call.handle.note(&call.session, channel::answer_receipt(&request, &reply)).await;
            reply
        }
        Elicitation::RepeatCall => {
            let json = json!({"status": "asking", "message": "the user is asked first; call again with the reply"});
            let question = Some(Box::new(request));
            return Err(FailedAnswer::Answer(Box::new(ToolAnswer { question, ..ToolAnswer::failed(json) })));
        }
    };
    chosen(reply, picker).map_err(|refusal| {
        let words = if refusal.fix.is_none() { "" } else { "; " };
        let fix = refusal.fix.worded(&|fix| advice(fix, &call.handle.snapshots().borrow().exclude_tools));
        nothing_selected("error", &format!("{}{words}{fix}", refusal.message))
    })
}

fn chosen(reply: UserReply, picker: Picker) -> Result<Chosen, Error> {
    let answer = reply.map_err(no_reply)?;
    let by = channel::person(&answer);
    let picker = if answer.is_from_program { Picker::Agent } else { picker };
    let ChannelAnswer { selected, unknown, .. } = answer;
    let mut note = match (selected.as_slice(), unknown.as_slice()) {
        ([], []) => format!("{by} was asked and chose nothing: continue without, and do not ask again"),
        ([], _) => format!("{by} named nothing that was offered: ask once more, or pass ids yourself"),
        _ => format!("{by} chose {}", first_of(&selected, LISTED)),
    };
    if !unknown.is_empty() {
        note.push_str(&format!("; not offered: {}", first_of(unknown.iter().map(|id| escape::one_line(id)), LISTED)));
    }
    Ok(Chosen { ids: selected, note, unknown, by: picker })
}

/// Asks on a screen for approval of a write; returns who approved it.
/// `has_rule`: a rule allows the write already, but waits for the user's trust.
pub(crate) async fn approve(
    call: &ToolCall,
    setup: ChannelSetup,
    approval: Approval,
    has_rule: bool,
) -> Result<String, Error> {
    let path = approval.path.clone();
    let desk = call.handle.snapshots().borrow().desk.to_string();
    let asker = Requester { who: call.session.who.clone(), session: call.session.id.clone(), desk };
    let context = Request::default_context(&call.session.who, Some(&path));
    let request = channel::approval(&setup, asker, &context, approval);
    let wait = wait_for(&request, &setup);
    let to_ask = request.clone();
    let asking = on_thread(wait.clone(), move |wait| channel::ask_screen(&setup, &to_ask, wait));
    let rule = if has_rule {
        "or to trust the rule of 'approval' that already allows it".to_owned()
    } else {
        format!("or allow it permanently with the rule \"approval\": {}, which the user has to trust", rule_for(&path))
    };
    match ask(call, request, wait, asking).await {
        Ok(answer @ ChannelAnswer { approved: true, .. }) => Ok(channel::person(&answer)),
        Ok(_) => {
            let message = format!("the user rejected writing {path}");
            Err(Error::new(Code::NotApproved, message, "ask the user what to change"))
        }
        Err(NoAnswer::TimedOut) => {
            let message = format!("timed out waiting for approval to write {path}");
            Err(Error::new(Code::TimedOut, message, format!("ask the user to answer on the screen, {rule}")))
        }
        Err(NoAnswer::Failed(Error { code: Code::NoScreen, .. })) => {
            let message = format!("writing {path} needs a person's approval, and no screen is open to ask on");
            let hint = format!("ask the user to open `refdesk` in this workspace and call again, {rule}");
            Err(Error::new(Code::NoScreen, message, hint))
        }
        Err(unanswered) => Err(no_reply(unanswered)),
    }
}

/// A rule that allows only this path, as JSON that stays valid when it is shown.
fn rule_for(path: &str) -> String {
    let glob = globset::escape(path).replace('\\', "[\\]").replace("~/", "[~]/");
    let rule = json!({glob: "auto"});
    escape::json(&rule.to_string()).into_owned()
}

fn no_reply(unanswered: NoAnswer) -> Error {
    match unanswered {
        NoAnswer::TimedOut => Error::new(
            Code::TimedOut,
            "no answer in time",
            Fix::All(vec!["continue without them, or pass ids yourself".into(), Fix::ListSources]),
        ),
        NoAnswer::Cancelled => Error::new(Code::GivenUp, "the question was withdrawn", ""),
        NoAnswer::Failed(error) if error.fix.is_none() => {
            Error { fix: Fix::All(vec!["pass ids yourself".into(), Fix::ListSources]), ..error }
        }
        NoAnswer::Failed(error) => error,
    }
}

fn wait_for(request: &Request, setup: &ChannelSetup) -> Wait {
    Wait::seconds(request.timeout.unwrap_or(setup.settings.timeout))
}

/// Asks on a separate thread, which ends soon after `wait` is cancelled and holds its slot until then.
fn on_thread(
    wait: Wait,
    ask: impl FnOnce(&Wait) -> UserReply + Send + 'static,
) -> impl FnOnce(QuestionSlot) -> Pin<Box<dyn Future<Output = UserReply> + Send>> {
    |slot| {
        let asked = tokio::task::spawn_blocking(move || {
            let _slot = slot;
            ask(&wait)
        });
        Box::pin(async {
            asked.await.unwrap_or_else(|error| {
                let message = format!("asking failed: {error}");
                Err(NoAnswer::Failed(Error::new(Code::NoAnswer, message, "")))
            })
        })
    }
}

/// Waits for a reply, and journals the question and the reply. If the call is dropped, the question is cancelled, which
/// is also journalled.
async fn ask<F: Future<Output = UserReply>>(
    call: &ToolCall,
    request: Request,
    wait: Wait,
    start: impl FnOnce(QuestionSlot) -> F,
) -> UserReply {
    let slot = call.handle.slot(&call.session.id).map_err(NoAnswer::Failed)?;
    let _cancel = CancelOnDrop(wait.clone());
    let (handle, session) = (call.handle.clone(), call.session.clone());
    let (replied, reply) = oneshot::channel();
    let journalled = tokio::spawn(async move {
        handle.note(&session, channel::request_receipt(&request)).await;
        let reply = reply.await.unwrap_or(Err(NoAnswer::Cancelled));
        handle.note(&session, channel::answer_receipt(&request, &reply)).await;
    });
    let mut asking = std::pin::pin!(start(slot));
    let reply = tokio::select! {
        reply = &mut asking => reply,
        () = call.handle.shutdown_begun() => { wait.cancel(); asking.await }
    };
    // Both succeed unless the runtime is shutting down.
    let _ = (replied.send(reply.clone()), journalled.await);
    reply
}

struct CancelOnDrop(Wait);

impl Drop for CancelOnDrop {
    fn drop(&mut self) {
        self.0.cancel();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use refdesk_core::config::{ApprovalMode, Rule};

    #[test]
    fn the_suggested_rule_allows_only_this_path() {
        for (path, others) in [
            ("src/a.rs", &["src/b.rs"][..]),
            ("app/[id]/page.tsx", &["app/i/page.tsx"]),
            ("a*{b,c}?.md", &["axb1.md", "ab1.md"]),
            ("a\\b\".md", &["ab\".md", "a/b\".md"]),
            ("gen/x\u{202e}y", &["gen/xy"]),
            ("~/${a}.md", &["x/$a.md"]),
        ] {
            let rule = rule_for(path);
            assert_eq!(escape::visible(&rule), rule);
            let parsed: serde_json::Value = serde_json::from_str(&rule).unwrap();
            let glob = parsed.as_object().and_then(|rule| rule.keys().next()).unwrap().clone();
            let matcher = Rule { glob, verdict: ApprovalMode::Auto }.matcher().unwrap();
            assert!(matcher.is_match(path), "{path}: {rule}");
            assert!(others.iter().all(|other| !matcher.is_match(other)), "{path}: {rule}");
        }
    }
}
