//! What to do about an error, as keys of the screen.

use refdesk_text::{Error, Fix};

/// A fix in the words of the screen; `None` to use its own words.
pub fn words(fix: &Fix) -> Option<String> {
    Some(match fix {
        Fix::Reload => "press r to read everything again".into(),
        Fix::ListProfiles => "P shows the profiles".into(),
        Fix::ShowProblems => "d shows where it is defined".into(),
        Fix::Trust => "! shows what waits for your approval".into(),
        Fix::BuildIndex => "build it with `refdesk index`".into(),
        Fix::RewritePaths => "run `refdesk check --fix` to rewrite the path".into(),
        Fix::AddTarget => "add it with `refdesk add`, or leave it as a plain link".into(),
        _ => return None,
    })
}

/// The error and what to do about it, in one sentence.
pub fn sentence(error: &Error) -> String {
    if error.fix.is_none() { error.message.clone() } else { format!("{}: {}", error.message, error.fix.worded(&words)) }
}
