//! Shell completion: `refdesk completions` prints a script that calls this program for every completion. The answer
//! depends on the words so far and on the workspace. A call changes nothing; if it fails, it offers nothing.

use std::ffi::{OsStr, OsString};
use std::io::Write;
use std::panic::{AssertUnwindSafe, catch_unwind};

use clap::builder::PossibleValue;
use clap::{Arg, Command, ValueEnum, ValueHint};
use clap_complete::engine::{ArgValueCompleter, CompletionCandidate, PathCompleter, ValueCompleter, complete};
use clap_complete::env::{EnvCompleter, Shells};
use serde_json::json;

use super::answer::CommandOutput;
use super::args::ShellName;
use super::{environment, help};
use refdesk_agents::hook::HookAgent;
use refdesk_agents::setup::Client;
use refdesk_core::catalog::{EntryFilter, Source};
use refdesk_core::config::profile;
use refdesk_core::selection::Choice;
use refdesk_desk::{Desk, Options};
use refdesk_text::escape::{is_hidden, one_line};
use refdesk_text::{Code, Error};

/// The environment variable that names the shell in a completion call.
const VARIABLE: &str = "REFDESK_COMPLETE";

/// The bash script passes the first character of the word after this line: inside quotation marks, values are inserted
/// without escapes.
const BASH_WORD: &str = "_CLAP_IFS=\"$IFS\" \\\n";
const BASH_QUOTE: &str = "        REFDESK_COMPLETE_QUOTE=\"${COMP_WORDS[COMP_CWORD]:0:1}\" \\\n";
const QUOTE_VARIABLE: &str = "REFDESK_COMPLETE_QUOTE";

/// The most values offered.
const MAX_VALUES: usize = 2_000;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ValueKind {
    Id(IdUse),
    Tag,
    /// An id, or a tag with the sign that adds or removes it.
    IdOrSignedTag,
    Command,
    Template,
    Profile,
    Desk,
    Agent,
    AgentWithHooks,
    Path,
    /// `@` and the path of a file to read the value from.
    FileWithValue,
}

/// What a command does with ids, which decides those that it can be given.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum IdUse {
    Exclude,
    Include,
    Select,
    Unselect,
    /// Anything else, with any id.
    Other,
}

pub fn run(shell: ShellName) -> CommandOutput {
    let value = shell.to_possible_value();
    let name = value.as_ref().map_or("", PossibleValue::get_name);
    let mut script = Vec::new();
    let written =
        completer(name).map(|shell| shell.write_registration(VARIABLE, "refdesk", "refdesk", &own_name(), &mut script));
    match written {
        Some(Ok(())) => {
            let script = String::from_utf8_lossy(&script).replace(BASH_WORD, &format!("{BASH_WORD}{BASH_QUOTE}"));
            CommandOutput::new(json!({"shell": name, "script": script}), script)
        }
        _ => CommandOutput::refused(Error::new(Code::Usage, format!("there is no script for {name}"), "")),
    }
}

/// How a script calls this program: by its name if that resolves to it, otherwise by its path.
fn own_name() -> String {
    let own = environment::own_file();
    let is_found = own.is_some() && environment::on_path("refdesk") == own;
    let path = own.filter(|_| !is_found).map(|own| own.to_string_lossy().into_owned());
    path.unwrap_or_else(|| "refdesk".to_owned())
}

fn completer(name: &str) -> Option<&'static dyn EnvCompleter> {
    const SHELLS: Shells<'static> = Shells::builtins();
    SHELLS.0.iter().copied().find(|shell| shell.is(name))
}

/// Answers a call for a completion, if this is one.
pub fn answer_call() -> bool {
    let Some(shell) = environment::variable(VARIABLE).filter(|shell| !shell.is_empty()) else { return false };
    // Print nothing into the line that the user is typing.
    std::panic::set_hook(Box::new(|_| {}));
    let answered = catch_unwind(AssertUnwindSafe(|| answer(&shell))).ok().flatten().unwrap_or_default();
    // If the shell has exited, no one reads the answer.
    let _ = std::io::stdout().write_all(&answered);
    true
}

fn answer(shell: &OsStr) -> Option<Vec<u8>> {
    let shell = completer(&shell.to_string_lossy())?;
    let words: Vec<OsString> = std::env::args_os().skip_while(|word| word != "--").skip(1).collect();
    let index = environment::variable("_CLAP_COMPLETE_INDEX").and_then(|index| index.to_str()?.parse().ok());
    let at = index.unwrap_or_else(|| words.len().saturating_sub(1));
    let divided = words.len();
    let (words, at) = if shell.is("bash") { rejoined(words, at) } else { (words, at) };
    let is_rejoined = words.len() < divided;
    let is_quoted = environment::variable(QUOTE_VARIABLE).is_some_and(|first| first == "'" || first == "\"");
    let quoting = Quoting::of(shell.name(), is_quoted);
    let words: Vec<OsString> =
        words.into_iter().enumerate().map(|(word_at, word)| quoting.read(word, word_at == at)).collect();
    let start = words.get(at).map(|word| word.to_string_lossy().into_owned()).unwrap_or_default();
    let program = help::program();
    // A tag to remove looks like short options, and the parser would offer to append the `h` of help.
    let is_dash = start.starts_with('-') && !start.starts_with("--");
    let program = if is_dash { program.mut_subcommand("tag", |tag| tag.disable_help_flag(true)) } else { program };
    let mut program = with_values(program, &CompletedLine { words: words.clone(), quoting });
    program.build();
    let folder = environment::current().ok();
    if is_rejoined {
        // clap itself would count the position among the split words.
        let before = start.rfind(WORD_BREAKS).and_then(|at| start.get(..=at)).unwrap_or_default();
        let found = complete(&mut program, words, at, folder.as_deref()).ok()?;
        let values: Vec<String> = found.iter().map(|it| it.get_value().to_string_lossy().into_owned()).collect();
        return Some(without_start(&values, before).into_bytes());
    }
    let mut answer = Vec::new();
    shell.write_complete(&mut program, words, folder.as_deref(), &mut answer).ok()?;
    Some(answer)
}

/// Where bash splits a word: it inserts a value after the last of these.
const WORD_BREAKS: [char; 2] = ['=', ':'];

/// The words as typed, rejoined where bash split them at `=` and `:`, and the index of the word at the cursor.
fn rejoined(words: Vec<OsString>, at: usize) -> (Vec<OsString>, usize) {
    let is_break = |word: &OsString| {
        word.to_str().is_some_and(|it| !it.is_empty() && it.chars().all(|c| WORD_BREAKS.contains(&c)))
    };
    let (mut joined, mut cursor, mut goes_on): (Vec<OsString>, Option<usize>, bool) = (Vec::new(), None, false);
    for (nth, word) in words.into_iter().enumerate() {
        let ends = is_break(&word);
        match joined.last_mut().filter(|_| (ends && nth > 1) || goes_on) {
            Some(last) => last.push(&word),
            None => joined.push(word),
        }
        goes_on = ends && nth > 1;
        if nth == at {
            cursor = Some(joined.len() - 1);
        }
    }
    // The cursor can be after the last word.
    let behind = joined.len();
    (joined, cursor.unwrap_or(behind))
}

/// The values for bash, without the beginning that is already on the command line.
fn without_start(values: &[String], start: &str) -> String {
    let separator = environment::variable("_CLAP_IFS").and_then(|it| it.into_string().ok()).filter(|it| !it.is_empty());
    let values: Vec<&str> = values.iter().map(|value| value.strip_prefix(start).unwrap_or(value)).collect();
    values.join(separator.as_deref().unwrap_or("\n"))
}

/// The words before the cursor, and how the shell quotes values.
#[derive(Debug, Clone)]
struct CompletedLine {
    words: Vec<OsString>,
    quoting: Quoting,
}

/// How a shell passes words, and how it inserts values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Quoting {
    /// bash: passes words as typed, and inserts values unchanged.
    Bash,
    /// bash, within quotation marks.
    BashQuoted,
    /// zsh: passes words as typed, and quotes values.
    Zsh,
    /// fish: passes only the word at the cursor as typed, and quotes values.
    Fish,
    /// PowerShell: inserts values unchanged.
    Powershell,
    /// Other shells: quote values.
    Other,
}

impl Quoting {
    fn of(shell: &str, is_quoted: bool) -> Self {
        match shell {
            "bash" if is_quoted => Self::BashQuoted,
            "bash" => Self::Bash,
            "zsh" => Self::Zsh,
            "fish" => Self::Fish,
            "powershell" => Self::Powershell,
            _ => Self::Other,
        }
    }

    /// The unquoted text of a word.
    fn read(self, word: OsString, is_at_cursor: bool) -> OsString {
        let is_written = match self {
            Self::Bash | Self::BashQuoted | Self::Zsh => true,
            Self::Fish => is_at_cursor,
            Self::Powershell | Self::Other => false,
        };
        let text = word.to_str().filter(|text| is_written && text.contains(['\\', '\'', '"']));
        let read = text.and_then(|text| {
            // Ignore an escape or quotation that is still open at the cursor.
            let escapes = text.len() - text.trim_end_matches('\\').len();
            let text = text.get(..text.len() - escapes % 2)?;
            let read = ["", "'", "\""].iter().find_map(|end| shell_words::split(&format!("{text}{end}")).ok());
            read?.into_iter().next()
        });
        read.map_or(word, OsString::from)
    }

    /// A value in the syntax of the shell. It may contain blanks, but nothing that a shell would run or expand.
    fn write(self, value: String) -> String {
        match self {
            Self::Bash => value.replace(' ', "\\ "),
            Self::Powershell if value.contains(' ') => format!("'{value}'"),
            _ => value,
        }
    }
}

/// The parser, with the values that the workspace offers for its arguments.
fn with_values(program: Command, line: &CompletedLine) -> Command {
    let names: Vec<String> = program.get_subcommands().map(|command| command.get_name().to_owned()).collect();
    let program = program.mut_args(|arg| with_candidates("", arg, line));
    names.into_iter().fold(program, |program, name| {
        program.mut_subcommand(name.clone(), |command| with_values_below(command, &name, line))
    })
}

fn with_values_below(command: Command, path: &str, line: &CompletedLine) -> Command {
    let below: Vec<String> = command.get_subcommands().map(|command| command.get_name().to_owned()).collect();
    let command = command.mut_args(|arg| with_candidates(path, arg, line));
    below.into_iter().fold(command, |command, name| {
        let path = format!("{path} {name}");
        command.mut_subcommand(name, |command| with_values_below(command, &path, line))
    })
}

fn with_candidates(path: &str, arg: Arg, line: &CompletedLine) -> Arg {
    let Some(kind) = kind_of(path, &arg) else { return arg };
    let line = line.clone();
    arg.add(ArgValueCompleter::new(move |start: &OsStr| candidates(kind, &line, &start.to_string_lossy())))
}

fn kind_of(path: &str, arg: &Arg) -> Option<ValueKind> {
    Some(match (path, arg.get_id().as_str()) {
        ("add", "id") => return None,
        ("exclude", "ids") => ValueKind::Id(IdUse::Exclude),
        ("include", "ids") => ValueKind::Id(IdUse::Include),
        ("select" | "references select", "ids") => ValueKind::Id(IdUse::Select),
        ("unselect" | "references unselect", "ids") => ValueKind::Id(IdUse::Unselect),
        (_, "id" | "ids" | "sources") => ValueKind::Id(IdUse::Other),
        (_, "tags") => ValueKind::Tag,
        ("tag", "words") => ValueKind::IdOrSignedTag,
        ("man", "words") => ValueKind::Command,
        ("templates show" | "templates variables" | "render", "name") => ValueKind::Template,
        (_, "profile") => ValueKind::Profile,
        (_, "desk") => ValueKind::Desk,
        ("add", "places") => ValueKind::Path,
        ("render", "vars" | "batch") => ValueKind::FileWithValue,
        (_, "agents") => ValueKind::Agent,
        (_, "agent") => ValueKind::AgentWithHooks,
        // Without this completer, clap would offer all file names unescaped.
        _ if !matches!(arg.get_value_hint(), ValueHint::Unknown | ValueHint::Other) => ValueKind::Path,
        _ => return None,
    })
}

/// The paths that start with the typed text.
fn paths(start: &str) -> Vec<String> {
    let found = PathCompleter::any().complete(OsStr::new(start));
    // Hidden names are offered once the user has typed their leading dot.
    let shown = found.iter().filter(|path| !path.is_hide_set() || names_hidden(start));
    shown.filter_map(|path| path.get_value().to_str().map(str::to_owned)).collect()
}

/// Whether the last component of a typed path starts with a dot.
fn names_hidden(start: &str) -> bool {
    start.rsplit(std::path::is_separator).next().is_some_and(|name| name.starts_with('.'))
}

/// The values that start with the typed text.
fn candidates(kind: ValueKind, line: &CompletedLine, start: &str) -> Vec<CompletionCandidate> {
    let CompletedLine { words, quoting } = line;
    let plain = |names: Vec<String>| names.into_iter().map(|name| (name, String::new())).collect();
    let found: Vec<(String, String)> = match kind {
        ValueKind::Agent => Client::all().map(|client| (client.word.to_owned(), client.name.to_owned())).collect(),
        ValueKind::AgentWithHooks => plain(HookAgent::ALL.iter().map(|agent| agent.word().to_owned()).collect()),
        ValueKind::Command => commands(),
        ValueKind::Path => plain(paths(start)),
        // After `@`, the value is read from a file.
        ValueKind::FileWithValue => {
            let files = start.strip_prefix('@').map(paths).unwrap_or_default();
            plain(files.into_iter().map(|file| format!("@{file}")).collect())
        }
        ValueKind::IdOrSignedTag => {
            let sign = start.get(..1).filter(|sign| ["+", "-"].contains(sign));
            let Some(sign) = sign else { return candidates(ValueKind::Id(IdUse::Other), line, start) };
            let tags =
                options(words).map(|options| in_workspace(ValueKind::Tag, options, start.get(1..).unwrap_or("")));
            tags.unwrap_or_default().into_iter().map(|(tag, help)| (format!("{sign}{tag}"), help)).collect()
        }
        kind => options(words).map(|options| in_workspace(kind, options, start)).unwrap_or_default(),
    };
    let is_meant = |value: &str| {
        let bare = match kind {
            ValueKind::IdOrSignedTag => value.get(1..).unwrap_or(""),
            // After `~/`, the rest is relative to the home folder.
            ValueKind::Path if start.starts_with("~/") => value.get(2..).unwrap_or(""),
            _ => value,
        };
        value.starts_with(start) && is_safe(bare)
    };
    let candidate = |(value, help): (String, String)| {
        CompletionCandidate::new(quoting.write(value)).help(Some(one_line(&help).into_owned().into()))
    };
    found.into_iter().filter(|(value, _)| is_meant(value)).take(MAX_VALUES).map(candidate).collect()
}

/// The commands and their descriptions.
fn commands() -> Vec<(String, String)> {
    let program = help::program();
    let described = |command: &Command| {
        (command.get_name().to_owned(), command.get_about().map(ToString::to_string).unwrap_or_default())
    };
    program.get_subcommands().map(described).collect()
}

/// The options for opening the desk without writing anything, from the typed words.
fn options(words: &[OsString]) -> Option<Options> {
    let matches = help::program().ignore_errors(true).try_get_matches_from(words).ok()?;
    let arguments = <super::Cli as clap::FromArgMatches>::from_arg_matches(&matches).ok();
    let current = environment::current().ok()?;
    let arguments = arguments.or_else(|| <super::Cli as clap::Parser>::try_parse_from(["refdesk"]).ok())?;
    // The name of the profile may be incomplete.
    let arguments = super::Cli { profile: None, ..arguments };
    let options = environment::options_from(&arguments, None, &current, &current).ok()?;
    // A long-running desk does not move damaged files.
    Some(Options { is_long_running: true, index_process: None, ..options })
}

/// Values with descriptions; values that do not start with `start` may be omitted.
fn in_workspace(kind: ValueKind, options: Options, start: &str) -> Vec<(String, String)> {
    let start = start.to_owned();
    match kind {
        ValueKind::Id(usage) => {
            let desk = Desk::open(Options { wanted: EntryFilter::Ids { start, most: MAX_VALUES }, ..options });
            ids(&desk, usage)
        }
        ValueKind::Tag => {
            let desk = Desk::open(Options { wanted: EntryFilter::Tags { start }, ..options });
            let all = desk.catalog().sources().iter().flat_map(|source| &source.tags);
            let mut tags: Vec<String> = all.map(ToString::to_string).collect();
            tags.sort();
            tags.dedup();
            tags.into_iter().map(|tag| (tag, String::new())).collect()
        }
        ValueKind::Template => {
            let mut desk = Desk::open(options);
            let (index, _) = desk.settled().templates();
            index.templates.iter().map(|template| (template.name.clone(), String::new())).collect()
        }
        ValueKind::Profile => {
            let (profiles, _) = profile::read_all(&options.context);
            profiles.iter().map(|profile| (profile.name().to_owned(), String::new())).collect()
        }
        ValueKind::Desk => {
            let folder = options.context.workspace.join(".jaato/refdesk/desks");
            let entries = std::fs::read_dir(folder).into_iter().flatten().flatten().take(MAX_VALUES);
            entries.filter_map(|entry| entry.file_name().into_string().ok()).map(|name| (name, String::new())).collect()
        }
        ValueKind::Agent
        | ValueKind::AgentWithHooks
        | ValueKind::Command
        | ValueKind::IdOrSignedTag
        | ValueKind::Path
        | ValueKind::FileWithValue => Vec::new(),
    }
}

/// The ids that a command can be given, each with the name of its source.
fn ids(desk: &Desk, usage: IdUse) -> Vec<(String, String)> {
    let Choice { picks, exclusions, .. } = desk.choice();
    let chosen = |ids: &[String]| {
        let name = |id: &String| desk.catalog().get(id).map_or_else(String::new, |source| source.name.to_string());
        ids.iter().map(|id| (id.clone(), name(id))).collect()
    };
    let can_be = |source: &&Source| match usage {
        IdUse::Select => !picks.iter().any(|pick| *pick == *source.id.as_str()),
        IdUse::Exclude => !exclusions.iter().any(|excluded| *excluded == *source.id.as_str()),
        IdUse::Include | IdUse::Unselect | IdUse::Other => true,
    };
    match usage {
        IdUse::Include => chosen(exclusions),
        IdUse::Unselect => chosen(picks),
        IdUse::Exclude | IdUse::Select | IdUse::Other => {
            let sources = desk.catalog().sources().iter().filter(can_be);
            sources.map(|source| (source.id.to_string(), source.name.to_string())).collect()
        }
    }
}

/// Whether a value is safe in a shell as it is, or with its blanks quoted: text from a repository must not become a
/// command.
fn is_safe(value: &str) -> bool {
    let is_plain = |c: char| c.is_alphanumeric() || "-_./@+,: ".contains(c);
    let is_shown = |c| is_plain(c) && !is_hidden(c);
    !value.starts_with('-') && !value.trim().is_empty() && value.trim() == value && value.chars().all(is_shown)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_that_bash_divides_are_one_again() {
        for (words, at, expected, cursor) in [
            (&["refdesk", "list", "--format", "=", "js"][..], 4, &["refdesk", "list", "--format=js"][..], 2),
            (&["refdesk", "list", "--format", "="], 3, &["refdesk", "list", "--format="], 2),
            (&["refdesk", "tag", "a", "-area", ":", "d", "x"], 5, &["refdesk", "tag", "a", "-area:d", "x"], 3),
            (&["refdesk", "list", ""], 2, &["refdesk", "list", ""], 2),
            (&["refdesk", "list"], 2, &["refdesk", "list"], 2),
            (&["refdesk", "--color", "=", "always"], 4, &["refdesk", "--color=always"], 2),
        ] {
            let words = words.iter().map(OsString::from).collect();
            assert_eq!(rejoined(words, at), (expected.iter().map(OsString::from).collect(), cursor));
        }
        let values = ["--format=json", "--format=text"].map(str::to_owned);
        assert_eq!(without_start(&values, "--format="), "json\ntext");
    }

    #[test]
    fn only_values_that_a_shell_takes_literally() {
        for (value, expected) in [
            ("retry-pattern", true),
            ("a/b.c_d@1+2", true),
            ("überblick", true),
            ("", false),
            ("-rf", false),
            ("a b", true),
            (" a", false),
            ("a ", false),
            ("a $(reboot)", false),
            ("a\u{a0}b", false),
            ("$(reboot)", false),
            ("a;b", false),
            ("a`b`", false),
            ("a\nb", false),
            ("a\u{1b}[2J", false),
            // Invisible letters.
            ("a\u{3164}b", false),
            ("a\u{115f}", false),
            ("~", false),
            ("*", false),
        ] {
            assert_eq!(is_safe(value), expected, "{value:?}");
        }
    }

    #[test]
    fn words_are_read_and_values_written_as_each_shell_does() {
        for (shell, word, is_at_cursor, expected) in [
            ("bash", "resource\\ li", true, "resource li"),
            ("bash", "'resource li", true, "resource li"),
            ("bash", "resource\\", true, "resource"),
            ("zsh", "\"a b\"", false, "a b"),
            ("zsh", "+a\\ b", true, "+a b"),
            ("fish", "a\\ b", true, "a b"),
            ("fish", "a\\b", false, "a\\b"),
            ("powershell", "a\\b", true, "a\\b"),
            ("bash", "", true, ""),
            ("bash", "''", true, ""),
            ("bash", "a\\ b c", true, "a b"),
        ] {
            let read = Quoting::of(shell, false).read(OsString::from(word), is_at_cursor);
            assert_eq!(read, OsString::from(expected), "{shell} {word}");
        }
        for (shell, expected) in [("bash", "a\\ b"), ("zsh", "a b"), ("fish", "a b"), ("powershell", "'a b'")] {
            assert_eq!(Quoting::of(shell, false).write("a b".to_owned()), expected, "{shell}");
        }
        assert_eq!(Quoting::of("bash", true).write("a b".to_owned()), "a b");
    }
}
