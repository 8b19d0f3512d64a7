//! `refdesk profiles`: what each profile would load, what is missing, and what it costs; also which commands do not
//! support `--profile`.

use serde_json::{Value, json};
use unicode_width::UnicodeWidthStr;

use super::answer::CommandOutput;
use super::args::{Cli, Command, OutputFormat};
use super::rows;
use super::table::wrap;
use crate::common::source_words;
use refdesk_core::config::profile;
use refdesk_desk::{AfterSwitch, Desk, ProfileDetails, find_profile};
use refdesk_text::Code;
use refdesk_text::escape::one_line;
use refdesk_text::tokens::counted;
use refdesk_text::tokens::grouped;

/// Columns of the text form, for a narrow pane.
const COLUMNS: usize = 60;

/// Width of the column of untrusted sources, shown only if there are any.
const WAITING: usize = 6;

/// The last line of the list.
pub const DETAILS: &str = "  `refdesk --profile NAME profiles`";

/// The option that loads a profile in its own scope.
const PROFILE_OPTION: &str = "--profile";

/// Refuses commands that store a selection, because a profile does not store one, and those that look for new sources,
/// because any that it leaves out would look new.
pub fn refusal(arguments: &Cli) -> Option<CommandOutput> {
    let (given, command, called) =
        (arguments.profile.as_ref()?, arguments.command.as_ref()?, arguments.called.as_ref()?);
    if !command.chooses() && !matches!(command, Command::Add(_) | Command::Init(_)) {
        return None;
    }
    let message = format!(
        "`refdesk {called}` changes what is stored, and --profile '{given}' replaces the picks for one command and stores nothing"
    );
    let given = shell_words::quote(given);
    Some(CommandOutput::usage(
        message,
        format!("leave --profile out, or switch to it on the full screen: refdesk --profile {given}"),
    ))
}

/// Lists all profiles, or the one given by `--profile`.
pub fn run(desk: &mut Desk, given: Option<&str>, format: OutputFormat) -> CommandOutput {
    let (all, problems) = match given {
        None => desk.profiles(),
        Some(given) => match find_profile(desk.workspace_context(), given) {
            Ok(file) => {
                let read = profile::read(desk.workspace_context(), &file);
                (desk.profile_details(&[profile::ProfileFile { file, read }]), Vec::new())
            }
            Err(refusal) => return CommandOutput::refused(refusal),
        },
    };
    let to_json = || {
        let profiles: Vec<Value> = all.iter().map(to_json).collect();
        json!({"profiles": profiles, "count": all.len()})
    };
    let mut answer = CommandOutput::either(format, to_json, || to_text(&all, given.is_some()));
    answer.diagnostics.extend(problems);
    // Missing sources are part of the answer.
    let problems = all.into_iter().flat_map(|profiled| profiled.problems);
    answer.diagnostics.extend(problems.filter(|problem| problem.code != Code::ProfileMissing));
    answer
}

fn to_json(it: &ProfileDetails) -> Value {
    json!({
        "name": it.name,
        "description": it.description,
        "file": it.shown,
        "preselected": it.preselected,
        "picks": it.picks,
        "transitive": it.transitive,
        "from_auto": it.from_auto,
        "auto": it.auto,
        "excluded": it.excluded,
        "missing": it.missing,
        "templates": it.templates,
        "template_count": it.templates.len(),
        "tokens": it.tokens,
        "waiting": it.waiting,
        "of_its_own_scope": !it.sources.is_empty(),
        "switched": it.switched.as_ref().map(|after| json!({
            "picks": after.picks,
            "transitive": after.pulled_in,
            "auto": after.auto,
            "templates": after.templates,
            "tokens": after.tokens,
            "waiting": after.waiting,
        })),
        "exclude_tools": it.exclude_tools,
        "transitive_injection": it.transitive_injection,
        "sources": it.sources,
        "own_sources": it.own,
        "problems": it.problems,
    })
}

/// One line per profile, then their problems; or all details of a single profile.
fn to_text(all: &[ProfileDetails], whole: bool) -> String {
    if all.is_empty() {
        return format!(
            "There are no profiles. Each is a JSON file in {}/ with a `name`, and its picks in \
             `plugin_configs.references.preselected`.\n",
            profile::PROFILES
        );
    }
    let mut text = table(all);
    let note = "Each row shows what the desk has after switching to that profile. The catalog keeps all its sources.";
    text.push_str(&paragraph("", note));
    if all.iter().any(is_different) {
        let note = format!(
            "A {PROFILE_OPTION} row shows what an agent started with {PROFILE_OPTION} NAME gets instead: that profile knows \
             only some sources, or has its own rules."
        );
        text.push_str(&paragraph("", &note));
    }
    for it in all {
        let details = if whole { details(it) } else { problems_with_file(it) };
        if !details.is_empty() {
            text.push_str(&format!("\n{}\n{details}", one_line(&it.name)));
        }
    }
    if !whole {
        let count = counted(all.len(), "profile");
        text.push_str(&format!("\n{count}. For the details of one:\n{DETAILS}\n"));
    }
    text
}

fn table(all: &[ProfileDetails]) -> String {
    let is_waiting = all.iter().any(|it| it.waiting > 0);
    let head =
        ["profile", "picks", "pulled in", "auto", "templates", "tokens", "untrusted", "missing"].map(str::to_owned);
    let some = |number: usize| if number == 0 { String::new() } else { number.to_string() };
    let row = |name: &str, it: &AfterSwitch, missing: usize| {
        let counts = [it.picks.len(), it.pulled_in.len(), it.auto.len(), it.templates.len()];
        let [picks, pulled_in, auto, templates] = counts.map(|count| count.to_string());
        let tokens = format!("~{}", grouped(it.tokens));
        [name.to_owned(), picks, pulled_in, auto, templates, tokens, some(it.waiting), some(missing)]
    };
    let rows_of = |it: &ProfileDetails| {
        let after = it.switched.clone().unwrap_or_default();
        let own = is_different(it).then(|| row(&format!("  {PROFILE_OPTION}"), &own_scope(it), 0));
        std::iter::once(row(&it.name, &after, it.missing.len())).chain(own)
    };
    let rows: Vec<[String; 8]> = std::iter::once(head).chain(all.iter().flat_map(rows_of)).collect();
    let widest =
        |column: usize| rows.iter().filter_map(|row| row.get(column)).map(|cell| cell.width()).max().unwrap_or(0);
    let widths: [usize; 8] = std::array::from_fn(widest);
    // Names have to be typed, so they are never shortened; figures are compared, so they are aligned.
    let name = rows.iter().map(|[name, ..]| name_cell(name).width()).max().unwrap_or(0);
    let mut text = String::new();
    for row in &rows {
        let mut line = String::new();
        for (column, (cell, width)) in row.iter().zip(widths).enumerate() {
            if column == 0 {
                let shown = name_cell(cell);
                line.push_str(&shown);
                line.push_str(&" ".repeat(name.saturating_sub(shown.width())));
            } else if column != WAITING || is_waiting {
                line.push_str(&format!(" {cell:>width$}"));
            }
        }
        text.push_str(line.trim_end());
        text.push('\n');
    }
    text
}

/// A name on one line, keeping the indent of a row below another.
fn name_cell(name: &str) -> String {
    let indent = if name.ends_with(PROFILE_OPTION) { "  " } else { "" };
    format!("{indent}{}", one_line(name.trim_start()))
}

/// What the profile loads for an agent started with it, counted as after a switch.
fn own_scope(it: &ProfileDetails) -> AfterSwitch {
    let pulled_in = it.transitive.iter().filter(|id| !it.auto.contains(id)).cloned().collect();
    AfterSwitch {
        picks: it.picks.clone(),
        pulled_in,
        auto: it.auto.clone(),
        templates: it.templates.clone(),
        tokens: it.tokens,
        waiting: it.waiting,
    }
}

/// Whether a switch to the profile loads something other than the profile itself.
fn is_different(it: &ProfileDetails) -> bool {
    it.switched.as_ref().is_some_and(|after| *after != own_scope(it))
}

fn details(it: &ProfileDetails) -> String {
    [
        paragraph("", &it.description),
        paragraph("picks", &rows::join(&it.picks)),
        paragraph("pulls in", &rows::join(&own_scope(it).pulled_in)),
        paragraph("auto", &rows::join(&it.auto)),
        paragraph("costs", &format!("~{} tokens{}", grouped(it.tokens), source_words::waiting(it.waiting))),
        paragraph("templates", &it.templates.join(", ")),
        paragraph("excluded", &it.excluded.join(", ")),
        paragraph("knows", &restrictions(it)),
        paragraph("excludes", &tools(it)),
        all_problems(it),
        paragraph("file", &it.shown),
    ]
    .concat()
}

fn tools(it: &ProfileDetails) -> String {
    if it.exclude_tools.is_empty() { String::new() } else { format!("tools: {}", it.exclude_tools.join(", ")) }
}

/// The problems of the profile with their positions; empty if there are none.
fn problems_with_file(it: &ProfileDetails) -> String {
    let all_problems = all_problems(it);
    if all_problems.is_empty() { all_problems } else { all_problems + &paragraph("file", &it.shown) }
}

fn all_problems(it: &ProfileDetails) -> String {
    paragraph("missing", &it.missing.join(", ")) + &paragraph("problems", &problems(it))
}

/// How a profile is narrowed: fewer sources, its own sources, nothing pulled in.
fn restrictions(it: &ProfileDetails) -> String {
    let mut words = Vec::new();
    if !it.sources.is_empty() {
        words.push(format!("only {} and what it picks", it.sources.join(", ")));
    }
    if !it.own.is_empty() {
        words.push(format!("its own {}", it.own.join(", ")));
    }
    if !it.transitive_injection {
        words.push("mentions are not followed".to_owned());
    }
    words.join("; ")
}

/// The number of problems other than missing sources.
fn problems(it: &ProfileDetails) -> String {
    let problems = it.problems.iter().filter(|problem| problem.code != Code::ProfileMissing);
    let (errors, warnings): (Vec<_>, Vec<_>) = problems.partition(|problem| problem.is_error());
    if errors.is_empty() && warnings.is_empty() {
        return String::new();
    }
    let words = [(errors.len(), "error"), (warnings.len(), "warning")];
    let words = words.into_iter().filter(|(count, _)| *count > 0).map(|(count, what)| counted(count, what));
    format!("{}: `refdesk check` shows them", words.collect::<Vec<_>>().join(", "))
}

/// Text below a row, wrapped and indented after its label; empty for empty text.
fn paragraph(what: &str, words: &str) -> String {
    const INDENT: usize = 2;
    const LABEL: usize = 10;
    let words = one_line(words);
    if words.trim().is_empty() {
        return String::new();
    }
    let first = if what.is_empty() { 0 } else { LABEL };
    let lines = wrap(&words, COLUMNS - INDENT - first);
    let mut text = String::new();
    for (at, line) in lines.iter().enumerate() {
        let label = if at == 0 { what } else { "" };
        text.push_str(&format!("{:INDENT$}{label:first$}{line}\n", ""));
    }
    text
}
