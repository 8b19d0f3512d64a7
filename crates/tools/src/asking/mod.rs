//! A person is asked for an agent: for a choice of sources, through the agent's own client where that can ask, else by the channel
//! of the configuration; for a yes to a write on a screen alone, never through the client, which is the agent's own.

mod elicit;
mod person;

pub use person::{Approved, approve};

use rmcp::model::{ErrorData, InputRequiredResult};

use super::front::QUESTIONS;
use super::{Call, closed};
use refdesk_core::config::ChannelKind;
use refdesk_desk::channel::{self, Answered, Request, Unanswered, Wait, Way};
use refdesk_desk::engine::{Outcome, Task};
use refdesk_text::Error;

/// Chosen ids that are named in words.
const NAMED: usize = 20;

/// What came of asking for a choice.
#[derive(Debug)]
pub enum Answer {
    /// A person answered.
    Chosen(Chosen),
    /// There is nothing to choose from; why.
    Nothing(String),
    /// There is no answer; why, and what to do.
    Refused(Error),
    /// The client is to ask, and to call again.
    Required(Box<InputRequiredResult>),
}

/// What was chosen.
#[derive(Debug)]
pub struct Chosen {
    /// Ids.
    pub ids: Vec<String>,
    /// What the agent should know of it.
    pub note: String,
    /// Ids that were chosen and not offered.
    pub unknown: Vec<String>,
}

/// Asks for a choice.
///
/// # Errors
/// The desk is closed.
pub async fn ask(call: &mut Call) -> Result<Answer, ErrorData> {
    let context = format!("{} asks which references it should work with", call.agent.who);
    let offer = Task::Offer { context, tags: Vec::new() };
    let Some(Outcome::Offer(offer)) = call.front.ask(&call.agent, offer).await else {
        return Err(closed());
    };
    let (request, way) = *offer;
    if request.sources.is_empty() {
        let message =
            "there is nothing to choose from: every source that can be selected is selected, or there is none";
        return Ok(Answer::Nothing(message.to_owned()));
    }
    let through_client = way.settings.kind == ChannelKind::Console || way.untrusted.is_some();
    let came = match elicit::ability(&call.context) {
        Some(ability) if through_client => match elicit::ask(call, ability, &request, &way).await {
            elicit::Came::Back(came) => came,
            elicit::Came::Required(required) => return Ok(Answer::Required(required)),
        },
        _ => person::choose(call, &request, way).await,
    };
    Ok(told(came))
}

/// What came back, in words for the agent.
fn told(came: Result<Answered, Unanswered>) -> Answer {
    match came {
        Ok(Answered { selected, unknown, by, .. }) => {
            let by = channel::person(by.as_deref());
            let mut note = match selected.len() {
                0 => format!("{by} was asked and chose nothing: go on without, and do not ask again"),
                count => {
                    let named = selected.iter().take(NAMED).map(String::as_str).collect::<Vec<_>>().join(", ");
                    let more = count.checked_sub(NAMED).filter(|more| *more > 0);
                    format!("{by} chose {named}{}", more.map(|more| format!(" and {more} more")).unwrap_or_default())
                }
            };
            if !unknown.is_empty() {
                note.push_str(&format!("; not among what was offered: {}", unknown.join(", ")));
            }
            Answer::Chosen(Chosen { ids: selected, note, unknown })
        }
        Err(unanswered) => Answer::Refused(refusal(unanswered)),
    }
}

/// Why there is no answer.
fn refusal(unanswered: Unanswered) -> Error {
    match unanswered {
        Unanswered::TimedOut => Error::new(
            "timed-out",
            "nobody answered in time",
            "go on without, or name ids yourself: listReferences has them",
        ),
        Unanswered::GivenUp => Error::new("given-up", "the question was taken back", ""),
        Unanswered::Failed { code, message, hint } => {
            let hint = if hint.is_empty() { "name ids yourself: listReferences has them".to_owned() } else { hint };
            Error::new(code, message, hint)
        }
    }
}

/// So long a person is waited for, whoever asks.
fn patience(request: &Request, way: &Way) -> Wait {
    Wait::seconds(request.timeout.unwrap_or(way.settings.timeout))
}

/// There is no place for another question.
fn crowded() -> Unanswered {
    Unanswered::Failed {
        code: "busy",
        message: format!(
            "another question of this session is with the user, or {QUESTIONS} of other sessions are: no more is asked"
        ),
        hint: "call again when that is answered".to_owned(),
    }
}
