//! Describes the answer to an agent's request.

use refdesk_desk::channel::Request;
use refdesk_desk::engine::{OtherAnswer, Reply};

/// Ids listed before `+2 more`.
const MAX_LISTED: usize = 4;

/// `: approved`, `: @a, @b`; empty if unknown.
pub fn outcome(request: &Request, answer: &OtherAnswer) -> String {
    let words = match &answer.reply {
        None => return String::new(),
        Some(Reply::Yes) => "approved".to_owned(),
        Some(Reply::No) if request.approval.is_some() => "declined, so it is not written".to_owned(),
        Some(Reply::No) => "none of them".to_owned(),
        Some(Reply::Chosen(ids)) => {
            let named: Vec<String> = ids.iter().take(MAX_LISTED).map(|id| format!("@{id}")).collect();
            let more = ids.len().saturating_sub(MAX_LISTED);
            let more = if more > 0 { format!(", +{more} more") } else { String::new() };
            format!("{}{more}", named.join(", "))
        }
    };
    format!(": {words}")
}
