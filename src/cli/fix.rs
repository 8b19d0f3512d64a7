//! What to do about an error, as commands and options.

use refdesk_text::report::Diagnostic;
use refdesk_text::{Error, Fix};

/// A fix in the words of the command line; `None` to use its own words.
pub fn words(fix: &Fix) -> Option<String> {
    Some(match fix {
        Fix::AddTarget => "add it with `refdesk add`; until then it stays a plain link".into(),
        Fix::AllowOutside => "choose a path inside it, or allow it with --allow-outside".into(),
        Fix::BuildIndex => "build it with `refdesk index`".into(),
        Fix::DocumentDatabases => {
            "name the databases in .jaato/databases.yaml; `refdesk db document` then writes their pages".into()
        }
        Fix::Exclude(id) => format!("`refdesk exclude {id}` keeps it out"),
        Fix::FindMoved => "correct the path, remove the source, or let `refdesk init` find where the file went".into(),
        Fix::GiveFalse(name) => format!("'{name}' is only tested: leave it out with --var {name}:=false"),
        Fix::GiveId => "give another id with --id".into(),
        Fix::GiveName => "give a name with --name, or leave it out".into(),
        Fix::Include(id) => format!("`refdesk include {id}` lifts the exclusion"),
        Fix::ListProfiles => "`refdesk profiles` lists them".into(),
        Fix::ListSources => "`refdesk list` shows all ids".into(),
        Fix::ListTemplates => "`refdesk templates` shows the templates of the selection".into(),
        Fix::OpenScreen => "open `refdesk` in this workspace and ask again".into(),
        Fix::Overwrite => "check the difference, and replace the file with --overwrite".into(),
        Fix::Pick(id) => format!("`refdesk select {id}` picks it"),
        Fix::Reload => "run the command again".into(),
        Fix::RewritePages(database) => {
            format!("`refdesk db document {database} --overwrite-edited` rewrites it")
        }
        Fix::RewritePaths => "run `refdesk check --fix` to rewrite the path".into(),
        Fix::ShowTemplate => {
            "move the file away to have the template written; `refdesk templates show` prints it".into()
        }
        Fix::ShowProblems => "`refdesk check` shows where it is defined".into(),
        Fix::ShowVariables(name) => format!("`refdesk templates variables {name}` shows what it asks for"),
        Fix::Trust => "review and trust it with `refdesk trust`".into(),
        Fix::None | Fix::Text(_) | Fix::All(_) => return None,
    })
}

/// The error with its fix in these words.
pub fn worded(error: Error) -> Error {
    error.worded(&words)
}

/// The diagnostics with their fixes in these words.
pub fn all(problems: &[Diagnostic]) -> Vec<Diagnostic> {
    problems.iter().map(|problem| problem.clone().worded(&words)).collect()
}
