//! Puts the options that say where a command acts into the commands that an answer offers: without them, a pasted
//! command would act elsewhere.

use serde_json::Value;

use super::answer::CommandOutput;
use super::args::{Cli, Command, TemplatesCommand};
use super::{environment, profiles};
use refdesk_desk::session::DEFAULT;
use refdesk_text::report::Diagnostic;
use refdesk_text::{Error, Fix};

/// How an answer begins the commands that it offers.
pub const START: &str = "`refdesk ";

/// How a line of advice begins.
const FIX: &str = "  fix: ";

/// Commands and options that the options do not belong before: they are about no workspace, or say where they act.
const ELSEWHERE: [&str; 9] =
    ["config ", "man ", "completions ", "--demo", "--help", "--version", "--workspace", "--config", "--desk"];

/// Commands about this machine, which ignore the demo.
const MACHINE: [&str; 2] = ["connect", "disconnect"];

/// The answer with the options of this command line in the commands that it offers.
pub fn with_options(answer: CommandOutput, arguments: &Cli, words: &dyn Fn(&Fix) -> Option<String>) -> CommandOutput {
    let options = options(arguments);
    if options.is_empty() && arguments.profile.is_none() {
        return answer;
    }
    let profile = arguments.profile.as_ref().map(|name| format!("--profile {} ", shell_words::quote(name)));
    let profile = profile.unwrap_or_default();
    let offered = |text: &str| offered(text, &options, &profile, arguments.demo);
    let text = match String::from_utf8(answer.text) {
        Ok(text) if is_own_text(arguments.command.as_ref(), arguments.demo) && answer.emphasised.is_empty() => {
            offered(&text).into_bytes()
        }
        Ok(text) if has_advice(arguments.command.as_ref()) => {
            let is_advice = |line: &&str| line.starts_with(FIX) || line.trim_end() == profiles::DETAILS;
            let lines = text.split_inclusive('\n');
            lines.map(|line| if is_advice(&line) { offered(line) } else { line.to_owned() }).collect::<String>().into()
        }
        Ok(text) => text.into_bytes(),
        Err(bytes) => bytes.into_bytes(),
    };
    // Messages repeat what is in the workspace; how to mend something is in refdesk's own words.
    let mend = |fix: &Fix| offered(&fix.worded(words)).into();
    let refused = answer.refused.into_iter().map(|error| Error { fix: mend(&error.fix), ..error });
    let refused = refused.collect();
    let diagnostics = answer.diagnostics.into_iter().map(|problem| Diagnostic { fix: mend(&problem.fix), ..problem });
    let diagnostics = diagnostics.collect();
    let closing = offered(&answer.closing);
    let notes = answer.notes.iter().map(|note| offered(note)).collect();
    let mut json = answer.json;
    offer_in(&mut json, &offered);
    CommandOutput { json, text, closing, refused, diagnostics, notes, options, ..answer }
}

/// Whether the text form is in refdesk's own words. Others repeat their input, or what is in the workspace; that of the
/// demo is refdesk's own.
pub fn is_own_text(command: Option<&Command>, is_demo: bool) -> bool {
    use Command::{
        Add, Clear, Connect, Disconnect, Doctor, Enrich, Exclude, Include, Index, Render, Replay, Select, Unselect,
        Where,
    };
    match command {
        Some(Enrich(_) | Render(_) | Replay { .. }) => false,
        None
        | Some(
            Add(_)
            | Clear { .. }
            | Connect { .. }
            | Disconnect { .. }
            | Doctor
            | Exclude(_)
            | Include(_)
            | Index(_)
            | Select(_)
            | Unselect(_)
            | Where,
        ) => true,
        _ => is_demo,
    }
}

/// Whether the text form repeats what is in the workspace, but has lines of advice, which nothing else can begin.
fn has_advice(command: Option<&Command>) -> bool {
    use TemplatesCommand::Validate;
    matches!(
        command,
        Some(
            Command::Check(_)
                | Command::Profiles
                | Command::Templates { command: Some(Validate { .. }) }
                | Command::WhyNot(_)
        )
    )
}

/// `--workspace DIR --desk NAME `: the options without which a command would act elsewhere.
fn options(arguments: &Cli) -> String {
    let workspace = arguments.workspace.as_ref().filter(|given| environment::finds_another(given));
    let named = [("--workspace", workspace), ("--config", arguments.config.as_ref())];
    let paths = named.into_iter().filter_map(|(name, path)| Some((name, path?.to_string_lossy().into_owned())));
    let desk = (arguments.desk != DEFAULT).then(|| ("--desk", arguments.desk.clone()));
    let values = paths.chain(desk).map(|(name, value)| format!("{name} {} ", shell_words::quote(&value)));
    arguments.demo.then(|| "--demo ".to_owned()).into_iter().chain(values).collect()
}

/// The text with the options after each `refdesk` that begins a command, or is one. Only `index` gets the profile, since it
/// reads the sources that the profile alone has; the others may be about the whole catalog.
fn offered(text: &str, options: &str, profile: &str, is_demo: bool) -> String {
    let text = match options.trim_end() {
        "" => text.to_owned(),
        options => text.replace("`refdesk`", &format!("{START}{options}`")),
    };
    let mut parts = text.split(START);
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |before, rest| {
        let begins = |word: &&str| rest.starts_with(*word);
        let is_elsewhere = ELSEWHERE.iter().any(begins) || is_demo && MACHINE.iter().any(begins);
        let options = if is_elsewhere { "" } else { options };
        let profile = if rest.starts_with("index") { profile } else { "" };
        format!("{before}{START}{options}{profile}{rest}")
    })
}

/// Puts the options into the advice of an answer in JSON, and into that of its errors and diagnostics. The members of
/// sources may have the same names.
fn offer_in(json: &mut Value, offered: &dyn Fn(&str) -> String) {
    match json {
        Value::Array(items) => items.iter_mut().for_each(|item| offer_in(item, offered)),
        Value::Object(members) => members.iter_mut().for_each(|(name, value)| match (name.as_str(), value) {
            ("fix" | "hint", Value::String(text)) => *text = offered(text),
            ("error" | "errors" | "warnings" | "diagnostics", below) => offer_in(below, offered),
            _ => {}
        }),
        _ => {}
    }
}
