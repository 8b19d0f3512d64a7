//! What to do about an error, as commands and options.

use refdesk_desk::Desk;
use refdesk_text::escape::one_line;
use refdesk_text::report::Diagnostic;
use refdesk_text::{Error, Fix};

/// What to do about the path of a missing source.
pub const CORRECT_PATH: &str = "correct its path; `refdesk check` shows where it is defined";

/// Quotes a name as the last argument of a command to copy into a shell. Names come from the repository, so one may
/// contain a shell command or look like an option.
pub fn argument(name: &str) -> String {
    arguments(&[name])
}

/// Like [`argument`], for several names.
pub fn arguments(names: &[impl AsRef<str>]) -> String {
    let words = shell_words::join(names);
    if names.iter().any(|name| name.as_ref().starts_with('-')) { format!("-- {words}") } else { words }
}

/// Words a fix for the command line; `None` keeps its default wording.
pub fn words(fix: &Fix) -> Option<String> {
    Some(match fix {
        Fix::AddTarget => "add it with `refdesk add`; until then it stays a plain link".into(),
        Fix::AddSources => "`refdesk init` proposes sources, and `refdesk add PATH` adds one".into(),
        Fix::AllowOutside => "choose a path inside it, or allow it with --allow-outside".into(),
        Fix::BuildIndex => "build it with `refdesk index`".into(),
        Fix::ConfigureDatabases => {
            "name the databases in .jaato/databases.yaml; `refdesk db document` then writes their pages".into()
        }
        Fix::DocumentDatabases => "`refdesk db document` writes the pages of the configured databases".into(),
        Fix::Exclude(id) => format!("`refdesk exclude {}` keeps it out", argument(id)),
        Fix::FindColumn(name) => {
            format!("`refdesk search --kind column {}` looks for similar ones", argument(name))
        }
        Fix::FindMoved => "correct the path, remove the source, or let `refdesk init` find where the file went".into(),
        Fix::GiveFalsy { name, json } => {
            let [quoted, json] = [name, json].map(|word| shell_words::quote(word));
            format!("'{name}' is only tested: leave it out with --var {quoted}:={json}")
        }
        Fix::GiveId => "give another id with --id".into(),
        Fix::GiveName => "give a name with --name, or leave it out".into(),
        Fix::GiveValue => "give it a value with --var NAME=VALUE".into(),
        Fix::GiveJson { name, json } => {
            format!("give '{name}' a value with --var {}", shell_words::quote(&format!("{name}:={json}")))
        }
        Fix::Include(id) => format!("`refdesk include {}` lifts the exclusion", argument(id)),
        Fix::ListProfiles => "`refdesk profiles` lists them".into(),
        Fix::ListSources => "`refdesk list` shows all ids".into(),
        Fix::ListTemplates => "`refdesk templates` shows the templates of the selection".into(),
        Fix::MoreJoins(joins) => format!("allow them with --max-hops {joins}"),
        Fix::OpenScreen => "open `refdesk` in this workspace and ask again".into(),
        Fix::Overwrite => "check the difference, and replace the file with --overwrite".into(),
        Fix::Pick(id) => format!("`refdesk select {}` picks it", argument(id)),
        Fix::Reload => "run the command again".into(),
        Fix::RewritePages(database) => {
            let command = format!("`refdesk db document {}`", argument(database));
            let name = one_line(database);
            format!(
                "{command} writes it again where '{name}' is configured; if it is there, delete it first. Elsewhere, restore it"
            )
        }
        Fix::RewritePaths => "run `refdesk check --fix` to rewrite the path".into(),
        Fix::ShowTemplate => {
            "move the file away to have the template written; `refdesk templates show` prints it".into()
        }
        Fix::ShowKnown(id) => {
            format!("`refdesk show {}` prints it; to add it a second time, give another id with --id", argument(id))
        }
        Fix::ShowProblems => "`refdesk check` shows where it is defined".into(),
        Fix::ShowVariables(name) => format!("`refdesk templates variables {}` shows what it asks for", argument(name)),
        Fix::Trust => "review and trust it with `refdesk trust`".into(),
        Fix::None | Fix::Text(_) | Fix::All(_) => return None,
    })
}

/// What to do about a catalog without sources, on one line.
pub fn no_sources(desk: &Desk) -> String {
    one_line(&desk.no_sources_fix().worded(&words)).into_owned()
}

/// A line that reports an empty catalog and what to do about it.
pub fn empty_catalog(desk: &Desk) -> String {
    let mut what = one_line(&desk.no_sources()).into_owned();
    if let Some(first) = what.get_mut(..1) {
        first.make_ascii_uppercase();
    }
    format!("{what}: {}.\n", no_sources(desk))
}

/// The error with its fix worded for the command line.
pub fn worded(error: Error) -> Error {
    error.worded(&words)
}

/// The diagnostics with their fixes worded for the command line.
pub fn all(problems: &[Diagnostic]) -> Vec<Diagnostic> {
    problems.iter().map(|problem| problem.clone().worded(&words)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_in_a_command_is_one_word_of_a_shell() {
        type Named = fn(String) -> Fix;
        let commands: [(Named, &str); 7] = [
            (Fix::Exclude, "refdesk exclude"),
            (Fix::FindColumn, "refdesk search --kind column"),
            (Fix::Include, "refdesk include"),
            (Fix::Pick, "refdesk select"),
            (Fix::RewritePages, "refdesk db document"),
            (Fix::ShowKnown, "refdesk show"),
            (Fix::ShowVariables, "refdesk templates variables"),
        ];
        for (fix, command) in commands {
            for (name, word) in [
                ("plain.name", "plain.name"),
                ("b$(touch x)", "'b$(touch x)'"),
                ("x'; touch PWN; '.tmpl", r"'x'\''; touch PWN; '\''.tmpl'"),
                ("a b", "'a b'"),
                ("--file=a", "-- '--file=a'"),
            ] {
                let shown = words(&fix(name.to_owned())).unwrap();
                assert!(shown.starts_with(&format!("`{command} {word}` ")), "{shown}");
            }
        }
        for (name, json, ending) in
            [("a$(x)", "false", "--var 'a$(x)':=false"), ("o", r#"{"y":false}"#, r#"--var o:='{"y":false}'"#)]
        {
            let shown = words(&Fix::GiveFalsy { name: name.to_owned(), json: json.to_owned() }).unwrap();
            assert!(shown.ends_with(ending), "{shown}");
        }
    }
}
