//! A person asked past the client, by the channel of the configuration or on a screen. The thread that waits is one of its own,
//! and gives up as soon as nobody wants the answer any more.

use rmcp::model::ErrorData;

use super::{crowded, patience, refusal};
use crate::Call;
use refdesk_desk::channel::{self, Answered, Approval, Asker, Place, Request, Unanswered, Wait, Way};
use refdesk_desk::engine::Task;
use refdesk_text::Error;

/// What a person said to a write.
#[derive(Debug)]
pub enum Approved {
    /// Yes, and who.
    Yes(String),
    /// It is not to be; why, and what to do.
    No(Error),
}

/// Asks for a choice by the channel of the configuration.
pub async fn choose(call: &Call, request: &Request, way: Way) -> Result<Answered, Unanswered> {
    let to_ask = request.clone();
    wait(call, request, &way.clone(), move |waiting| channel::open(&way, Place::Protocol)?.ask(&to_ask, waiting)).await
}

/// Asks on a screen for a yes to a write.
///
/// # Errors
/// The desk is closed.
pub async fn approve(call: &Call, way: Way, approval: Approval) -> Result<Approved, ErrorData> {
    let path = approval.path.clone();
    let desk = call.front.snapshots().borrow().desk.to_string();
    let asker = Asker { who: call.agent.who.clone(), session: call.agent.session.clone(), desk };
    let context = format!("{} wants to write {path}", call.agent.who);
    let request = channel::approval(&way, asker, &context, approval);
    let to_ask = request.clone();
    let came = wait(call, &request, &way.clone(), move |waiting| channel::ask_screen(&way, &to_ask, waiting)).await;
    let rule =
        format!("or allow it for good with a rule, \"approval\": {}, which the user has to trust", rule_for(&path));
    Ok(match came {
        Ok(Answered { approved: true, by, .. }) => Approved::Yes(channel::person(by.as_deref())),
        Ok(_) => {
            let message = format!("the user said no to writing {path}");
            Approved::No(Error::new("not-approved", message, "ask the user what should be different"))
        }
        Err(Unanswered::TimedOut) => {
            let message = format!("nobody answered in time whether {path} may be written");
            Approved::No(Error::new("timed-out", message, format!("ask the user to answer on the screen, {rule}")))
        }
        Err(Unanswered::Failed { code: "no-screen", .. }) => {
            let message = format!("writing {path} needs the yes of a person, and no screen is open to ask on");
            let hint = format!("ask the user to open `refdesk` in this workspace and call again, {rule}");
            Approved::No(Error::new("no-screen", message, hint))
        }
        Err(unanswered) => Approved::No(refusal(unanswered)),
    })
}

/// A rule that allows this path and no other.
fn rule_for(path: &str) -> serde_json::Value {
    serde_json::json!({globset::escape(path).replace('\\', "[\\]"): "auto"})
}

/// Waits for an answer, and puts the question and what came of it into the journal.
async fn wait(
    call: &Call,
    request: &Request,
    way: &Way,
    ask: impl FnOnce(&Wait) -> Result<Answered, Unanswered> + Send + 'static,
) -> Result<Answered, Unanswered> {
    let Some(place) = call.front.place(&call.agent.session) else { return Err(crowded()) };
    note(call, channel::asked(request)).await;
    let waiting = patience(request, way);
    let on_thread = waiting.clone();
    let mut asked = tokio::task::spawn_blocking(move || {
        // The thread has it, not who waits for the thread.
        let _place = place;
        ask(&on_thread)
    });
    let came = tokio::select! {
        came = &mut asked => came,
        () = call.context.ct.cancelled() => { waiting.give_up(); asked.await }
        () = call.front.left() => { waiting.give_up(); asked.await }
    };
    let came = came.unwrap_or_else(|error| {
        let message = format!("asking went wrong: {error}");
        Err(Unanswered::Failed { code: "no-answer", message, hint: String::new() })
    });
    note(call, channel::answered(request, &came)).await;
    came
}

async fn note(call: &Call, receipt: refdesk_desk::session::Receipt) {
    // A journal that cannot be written is among the diagnostics.
    let _ = call.front.ask(&call.agent, Task::Note(Box::new(receipt))).await;
}

#[cfg(test)]
mod tests {
    use super::*;
    use refdesk_core::config::{Rule, Verdict};

    #[test]
    fn the_rule_that_is_offered_allows_this_path_alone() {
        for (path, others) in [
            ("src/a.rs", &["src/b.rs"][..]),
            ("app/[id]/page.tsx", &["app/i/page.tsx"]),
            ("a*{b,c}?.md", &["axb1.md", "ab1.md"]),
            ("a\\b\".md", &["ab\".md", "a/b\".md"]),
        ] {
            let rule = rule_for(path);
            let glob = rule.as_object().and_then(|rule| rule.keys().next()).unwrap().clone();
            let matcher = Rule { glob, verdict: Verdict::Auto }.matcher().unwrap();
            assert!(matcher.is_match(path), "{path}: {rule}");
            assert!(others.iter().all(|other| !matcher.is_match(other)), "{path}: {rule}");
        }
    }
}
