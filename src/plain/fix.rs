//! Describes how to fix an error in terms of the plain interface's commands.

use refdesk_text::{Error, Fix};

use super::words::sentence;

/// The fix in the plain interface's terms; `None` to use its own text.
pub fn words(fix: &Fix) -> Option<String> {
    Some(match fix {
        Fix::AddSources => "the command refdesk init proposes sources, and refdesk add adds one".to_owned(),
        Fix::Reload => "type reload to read everything again".to_owned(),
        Fix::Exclude(id) => format!("type exclude {id} to keep it out"),
        Fix::Include(id) => format!("type include {id} to lift the exclusion"),
        Fix::Pick(id) => format!("type pick {id} to pick it"),
        Fix::ListSources => "type catalog to list all ids".to_owned(),
        Fix::ListProfiles => "type profiles to list them".to_owned(),
        Fix::ListTemplates => "type templates to list the templates of the selection".to_owned(),
        Fix::ShowProblems => "type problems to see where it is defined".to_owned(),
        Fix::ShowVariables(name) => format!("type values {name} to see what it asks for"),
        Fix::Trust => "type trust to see what waits for your trust".to_owned(),
        Fix::BuildIndex => "build it with the command refdesk index".to_owned(),
        Fix::RewritePaths => "run refdesk check --fix to rewrite the path".to_owned(),
        Fix::AddTarget => "add it with refdesk add; until then it stays a plain link".to_owned(),
        _ => return None,
    })
}

/// The error as one sentence, and its fix as another.
pub fn sentences(error: &Error) -> Vec<String> {
    let fix = error.fix.worded(&words);
    [error.message.as_str(), fix.as_str()]
        .iter()
        .filter(|text| !text.trim().is_empty())
        .map(|text| sentence(text))
        .collect()
}
