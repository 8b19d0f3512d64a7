//! `refdesk profiles`: what each profile would load, what it lacks, and what it costs; and what `--profile` cannot be used
//! with.

use std::path::Path;

use serde_json::{Value, json};
use unicode_width::UnicodeWidthStr;

use super::answer::Answer;
use super::args::{Arguments, Command, Format};
use super::rows::{self, plural};
use crate::catalog::SourceId;
use crate::config::profile;
use crate::desk::{Desk, Profiled, find_profile};
use crate::text::escape::one_line;

/// Columns of the text form: as wide as the narrowest terminal that people use.
const COLUMNS: usize = 80;

/// Columns of a name in the table; a longer one is cut there and stands whole below.
const NAME: usize = 34;

/// Under a profile nothing of what is chosen is stored: a command that is there to store it makes no sense.
pub fn refusal(arguments: &Arguments) -> Option<Answer> {
    let (given, command) = (arguments.profile.as_ref()?, arguments.command.as_ref()?);
    if !command.chooses() && !matches!(command, Command::Ask(_)) {
        return None;
    }
    let message = format!(
        "`{}` changes what is stored, and --profile '{given}' replaces the picks for one command and stores nothing",
        command.changes_as()
    );
    Some(Answer::usage(message, "leave --profile out, or switch to it on the full screen: refdesk --profile NAME"))
}

/// Lists all profiles, or the one that `--profile` names.
pub fn run(desk: &mut Desk, given: Option<&str>, format: Format) -> Answer {
    let (all, problems) = match given {
        None => desk.profiles(),
        Some(given) => match find_profile(desk.around(), given) {
            Ok(file) => {
                let read = profile::read(desk.around(), &file);
                (desk.profiled(&[profile::Found { file, read }]), Vec::new())
            }
            Err(refusal) => return Answer::refused(refusal),
        },
    };
    let in_json = || {
        let profiles: Vec<Value> = all.iter().map(in_json).collect();
        json!({"profiles": profiles, "count": all.len()})
    };
    let mut answer = Answer::either(format, in_json, || in_words(&all));
    answer.diagnostics.extend(problems);
    // Those that are missing stand in the answer.
    let problems = all.into_iter().flat_map(|profiled| profiled.problems);
    answer.diagnostics.extend(problems.filter(|problem| problem.code != "profile-missing"));
    answer
}

fn in_json(it: &Profiled) -> Value {
    json!({
        "name": it.name,
        "description": it.description,
        "file": it.shown,
        "preselected": it.preselected,
        "picks": it.picks,
        "transitive": it.transitive,
        "from_auto": it.from_auto,
        "excluded": it.excluded,
        "missing": it.missing,
        "templates": it.templates,
        "template_count": it.templates.len(),
        "tokens": it.tokens,
        "exclude_tools": it.exclude_tools,
        "transitive_injection": it.transitive_injection,
        "sources": it.sources,
        "own_sources": it.own,
        "problems": it.problems,
    })
}

fn in_words(all: &[Profiled]) -> String {
    if all.is_empty() {
        return format!("There are no profiles. A JSON file in {}/ is one; the README shows how.\n", profile::PROFILES);
    }
    let mut text = row(["profile", "picks", "pulled in", "templates", "tokens", "missing"]);
    for it in all {
        let counts = [it.picks.len() + it.from_auto.len(), it.transitive.len(), it.templates.len(), it.missing.len()];
        let [picks, pulled_in, templates, missing] = counts.map(|count| count.to_string());
        let tokens = format!("~{}", it.tokens);
        let missing = if it.missing.is_empty() { "" } else { missing.as_str() };
        text.push('\n');
        text.push_str(&row([&cut(&it.name, NAME), &picks, &pulled_in, &templates, &tokens, missing]));
        let below = |what: &str, words: &str| paragraph(what, words);
        let mut file = it.shown.clone();
        if Path::new(&it.shown).file_stem().and_then(|stem| stem.to_str()) != Some(&it.name) {
            file = format!("{file} ({})", it.name);
        }
        text.push_str(&below("", &it.description));
        text.push_str(&below("", &file));
        text.push_str(&below("picks", &ids(&it.picks)));
        text.push_str(&below("auto", &ids(&it.from_auto)));
        text.push_str(&below("pulls in", &ids(&it.transitive)));
        text.push_str(&below("missing", &it.missing.join(", ")));
        text.push_str(&below("excluded", &it.excluded.join(", ")));
        text.push_str(&below("knows", &knows(it)));
        text.push_str(&below("hides", &it.exclude_tools.join(", ")));
        text.push_str(&below("problems", &problems(it)));
    }
    text.push_str(&format!("\n{}\n", plural(all.len(), "profile")));
    text
}

fn ids(ids: &[SourceId]) -> String {
    rows::join(ids)
}

/// What narrows a profile: few sources, its own ones, nothing pulled in.
fn knows(it: &Profiled) -> String {
    let mut words = Vec::new();
    if !it.sources.is_empty() {
        words.push(format!("only {} and what it picks", it.sources.join(", ")));
    }
    if !it.own.is_empty() {
        words.push(format!("{} of its own", it.own.join(", ")));
    }
    if !it.transitive_injection {
        words.push("mentions pull nothing in".to_owned());
    }
    words.join("; ")
}

/// How many there are besides what is missing.
fn problems(it: &Profiled) -> String {
    let problems = it.problems.iter().filter(|problem| problem.code != "profile-missing");
    let (errors, warnings): (Vec<_>, Vec<_>) = problems.partition(|problem| problem.is_error());
    if errors.is_empty() && warnings.is_empty() {
        return String::new();
    }
    let words = [(errors.len(), "error"), (warnings.len(), "warning")];
    let words = words.into_iter().filter(|(count, _)| *count > 0).map(|(count, what)| plural(count, what));
    format!("{}: refdesk check shows them", words.collect::<Vec<_>>().join(", "))
}

fn row(cells: [&str; 6]) -> String {
    let [name, picks, pulled_in, templates, tokens, missing] = cells;
    let name = one_line(name);
    let pad = " ".repeat(NAME.saturating_sub(name.width()));
    let row = format!("{name}{pad} {picks:>5} {pulled_in:>9} {templates:>9} {tokens:>9} {missing:>7}");
    format!("{}\n", row.trim_end())
}

/// A text of at most so many columns.
fn cut(text: &str, columns: usize) -> String {
    let text = one_line(text);
    if text.width() <= columns {
        return text.into_owned();
    }
    let mut kept = String::new();
    for c in text.chars() {
        let mut longer = kept.clone();
        longer.push(c);
        if longer.width() >= columns {
            break;
        }
        kept = longer;
    }
    format!("{kept}…")
}

/// Words below a row, wrapped and indented behind what they are; nothing where there are none.
fn paragraph(what: &str, words: &str) -> String {
    const INDENT: usize = 2;
    const LABEL: usize = 10;
    let words = one_line(words);
    let mut lines: Vec<String> = Vec::new();
    let first = if what.is_empty() { 0 } else { LABEL };
    let room = COLUMNS - INDENT - first;
    for word in words.split(' ').filter(|word| !word.is_empty()) {
        match lines.last_mut() {
            Some(line) if line.width() + 1 + word.width() <= room => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    let mut text = String::new();
    for (at, line) in lines.iter().enumerate() {
        let label = if at == 0 { what } else { "" };
        text.push_str(&format!("{:INDENT$}{label:first$}{line}\n", ""));
    }
    text
}
