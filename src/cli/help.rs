//! `--help`: the commands grouped by purpose, those for beginners first.

use std::ffi::OsString;

use clap::error::ErrorKind;
use clap::parser::ValueSource;
use clap::{ArgMatches, Command, CommandFactory, FromArgMatches};

use super::args::{self, Cli, OutputFormat};
use super::{output, text_words};

/// Every command in one group. `init` to `doctor` are what a beginner needs.
const GROUPS: &[(&str, &[&str])] = &[
    ("Start here", &["init", "connect", "list", "select", "search", "doctor"]),
    ("Look", &["show", "why", "resolve", "graph", "instructions", "journal", "replay", "watch", "where"]),
    ("Choose", &["unselect", "exclude", "include", "clear", "profiles", "references"]),
    ("Ask", &["simulate", "why-not", "enrich", "assert", "ask"]),
    ("Templates", &["templates", "render"]),
    ("Agents", &["disconnect", "mcp", "hook", "trust"]),
    ("Upkeep", &["add", "edit", "tag", "remove", "check", "index", "db", "config", "completions", "man", "help"]),
];

/// The description of `help`, which the parser adds.
const HELP: &str = "Print help for a command";

/// Parses the command line.
///
/// # Errors
/// The arguments are wrong, or ask for help or the version.
pub fn parse() -> Result<Cli, clap::Error> {
    let mut words = text_words::marked(program, std::env::args_os().collect());
    let asks_for_help = |words: &[OsString]| matches!(words, [.., help, option] if help == "help" && (option == "--help" || option == "-h"));
    let matches = match program().try_get_matches_from(&words) {
        // `help` accepts only command names, so drop the option.
        Err(error) if error.kind() == ErrorKind::InvalidSubcommand && asks_for_help(&words) => {
            words.pop();
            program().try_get_matches_from(words)?
        }
        matches => matches?,
    };
    let mut arguments = Cli::from_arg_matches(&matches).map_err(|error| error.format(&mut program()))?;
    arguments.is_format_given = matches.value_source("format") == Some(ValueSource::CommandLine);
    arguments.called = matches.subcommand_name().map(str::to_owned);
    // `tag` takes what follows its first id as tags; it refuses options there, in the format that they ask for.
    let asks_for_json = match &arguments.command {
        Some(args::Command::Tag { words }) => {
            output::wants_json(words.iter().map_while(|word| (word != "--").then(|| word.into())))
        }
        _ => false,
    };
    if arguments.json || asks_for_json {
        arguments.format = OutputFormat::Json;
    }
    Ok(arguments)
}

/// The command on a line that the parser rejected. Its arguments are unknown, so required ones get placeholders.
pub fn command_in(words: &[OsString]) -> Option<args::Command> {
    let lenient = |words: &[OsString]| program().ignore_errors(true).try_get_matches_from(words).ok();
    let matches = lenient(words)?;
    let command = |value| Cli::from_arg_matches(&lenient(&filled(&matches, value))?).ok()?.command;
    // A number cannot be empty.
    command("").or_else(|| command("0"))
}

/// The shortest valid line for the matched command, with `value` for each required argument that accepts any.
fn filled(matches: &ArgMatches, value: &str) -> Vec<OsString> {
    let (mut line, mut command, mut matches) = (vec![OsString::from("refdesk")], program(), Some(matches));
    while let Some((name, below)) = matches.and_then(ArgMatches::subcommand) {
        line.push(name.into());
        matches = Some(below);
        command = command.find_subcommand(name).cloned().unwrap_or_default();
    }
    for argument in command.get_arguments().filter(|argument| argument.is_required_set()) {
        line.extend(argument.get_long().map(|long| format!("--{long}").into()));
        let own = argument.get_possible_values().first().map(|own| own.get_name().to_owned());
        line.push(own.unwrap_or_else(|| value.to_owned()).into());
    }
    line
}

/// The parser, with its help in groups.
pub fn program() -> Command {
    let program = Cli::command();
    let template = format!(
        "{{about-with-newline}}\n{{usage-heading}} {{usage}}\n\n{}{}\n{{options}}{{after-help}}",
        commands_by_group(&program),
        heading(&program, "Options"),
    );
    program.help_template(template)
}

fn heading(program: &Command, text: &str) -> String {
    let style = program.get_styles().get_header();
    format!("{style}{text}:{style:#}")
}

fn commands_by_group(program: &Command) -> String {
    let about = |name: &str| match program.find_subcommand(name) {
        Some(command) => command.get_about().map(ToString::to_string),
        None => (name == "help").then(|| HELP.to_owned()),
    };
    let literal = program.get_styles().get_literal();
    let width = GROUPS.iter().flat_map(|(_, names)| *names).map(|name| name.len()).max().unwrap_or(0);
    let mut text = String::new();
    for (group, names) in GROUPS {
        text.push_str(&heading(program, group));
        text.push('\n');
        for (name, about) in names.iter().filter_map(|name| Some((name, about(name)?))) {
            text.push_str(&format!("  {literal}{name:width$}{literal:#}  {about}\n"));
        }
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_command_is_in_exactly_one_group() {
        let mut grouped: Vec<&str> = GROUPS.iter().flat_map(|(_, names)| *names).copied().collect();
        let program = Cli::command();
        let shown = program.get_subcommands().filter(|command| !command.is_hide_set()).map(Command::get_name);
        let mut commands: Vec<&str> = shown.chain(["help"]).collect();
        grouped.sort_unstable();
        commands.sort_unstable();
        assert_eq!(grouped, commands);
    }

    #[test]
    fn the_help_begins_with_what_a_beginner_needs() {
        let help = program().render_help().to_string();
        let heads: Vec<&str> = help.lines().filter(|line| !line.starts_with(' ') && line.ends_with(':')).collect();
        let expected = ["Start here:", "Look:", "Choose:", "Ask:", "Templates:", "Agents:", "Upkeep:", "Options:"];
        assert_eq!(heads, expected, "{help}");
        let (_, first) = help.split_once("Start here:\n").unwrap();
        let first: Vec<&str> = first.lines().take_while(|line| !line.is_empty()).collect();
        let names: Vec<&str> = first.iter().filter_map(|line| line.split_whitespace().next()).collect();
        assert_eq!(names, ["init", "connect", "list", "select", "search", "doctor"], "{help}");
        assert!(first.iter().all(|line| line.len() <= 100), "{help}");
    }
}
