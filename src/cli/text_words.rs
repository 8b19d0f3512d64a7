//! Text that starts with `-` in the arguments of commands that take a text: a prompt is often a list, and a search may
//! name an option of another program. The parser would take such words for options, so they are moved after `--`.

use std::ffi::{OsStr, OsString};

use clap::{Arg, Command};

/// The commands that take words of text.
const COMMANDS: [&str; 3] = ["enrich", "simulate", "search"];

/// Moves text that starts with `-` after `--`. A word that looks like a mistyped option stays in place, so that the
/// parser rejects it.
pub fn marked(program: impl FnOnce() -> Command, words: Vec<OsString>) -> Vec<OsString> {
    let is_command = |word: &OsString| COMMANDS.iter().any(|command| word == command);
    let is_dashed = |word: &OsString| word.as_encoded_bytes().starts_with(b"-");
    // Return early, so that hooks need not build the parser.
    if !(words.iter().any(is_command) && words.iter().any(is_dashed)) {
        return words;
    }
    let mut program = program();
    program.build();
    let Some((at, command)) = text_command(&program, &words) else { return words };
    let (before, rest) = words.split_at(at + 1);
    let (mut options, mut text, mut is_marked) = (before.to_vec(), Vec::new(), false);
    let mut rest = rest.iter().peekable();
    while let Some(word) = rest.next() {
        match kind(command, word) {
            Word::End => text.extend(rest.by_ref().cloned()),
            Word::Text => text.push(word.clone()),
            Word::Dashed => {
                is_marked = true;
                text.push(word.clone());
            }
            Word::Option => options.push(word.clone()),
            Word::OptionBeforeValue => {
                options.push(word.clone());
                options.extend(rest.next_if(|value| long(command, value).is_none()).cloned());
            }
        }
    }
    if !is_marked {
        return words;
    }
    options.push("--".into());
    options.append(&mut text);
    options
}

/// How the parser would interpret a word.
enum Word {
    /// `--`: the rest is text.
    End,
    /// Text that cannot be taken for an option.
    Text,
    /// Text that begins with `-`.
    Dashed,
    /// An option, or a mistyped one.
    Option,
    /// An option whose value is the next word.
    OptionBeforeValue,
}

/// The index of the command, if it takes a text. The value of an option before it is not the command.
fn text_command<'a>(program: &'a Command, words: &[OsString]) -> Option<(usize, &'a Command)> {
    let mut rest = words.iter().enumerate().skip(1);
    while let Some((at, word)) = rest.next() {
        match kind(program, word) {
            Word::OptionBeforeValue => drop(rest.next()),
            Word::Option => {}
            _ => {
                let command = program.find_subcommand(word)?;
                return COMMANDS.contains(&command.get_name()).then_some((at, command));
            }
        }
    }
    None
}

fn kind(command: &Command, word: &OsStr) -> Word {
    let Some(word) = word.to_str() else { return Word::Text };
    if word == "--" {
        return Word::End;
    }
    let Some(name) = word.strip_prefix('-').filter(|name| !name.is_empty()) else { return Word::Text };
    let Some(name) = name.strip_prefix('-') else { return short(command, name) };
    match long(command, OsStr::new(word)) {
        Some(option) if takes_value(option) && !name.contains('=') => Word::OptionBeforeValue,
        Some(_) => Word::Option,
        // Not an option, not even a mistyped one.
        None if name.contains(char::is_whitespace) || name.chars().all(|char| char == '-') => Word::Dashed,
        None => Word::Option,
    }
}

/// The option that a word names in full.
fn long<'a>(command: &'a Command, word: &OsStr) -> Option<&'a Arg> {
    let name = word.to_str()?.strip_prefix("--")?;
    let name = name.split_once('=').map_or(name, |(name, _)| name);
    command.get_arguments().find(|arg| arg.get_long() == Some(name))
}

/// Single-dash options have one letter, with the value directly after it or in the next word.
fn short(command: &Command, letters: &str) -> Word {
    let mut rest = letters.chars();
    let known = rest.next().and_then(|letter| command.get_arguments().find(|arg| arg.get_short() == Some(letter)));
    match known {
        Some(option) if takes_value(option) && rest.as_str().is_empty() => Word::OptionBeforeValue,
        Some(option) if takes_value(option) || rest.as_str().is_empty() => Word::Option,
        _ => Word::Dashed,
    }
}

fn takes_value(option: &Arg) -> bool {
    option.get_action().takes_values()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::help::program;

    #[test]
    fn text_that_begins_with_a_dash_is_moved_behind_the_options() {
        for (line, expected) in [
            // Text.
            ("simulate|- fix the retry", "simulate|--|- fix the retry"),
            ("simulate|---", "simulate|--|---"),
            ("simulate|---\ntitle: x\n---\ntext", "simulate|--|---\ntitle: x\n---\ntext"),
            ("enrich|-v", "enrich|--|-v"),
            ("enrich|--repeat the call", "enrich|--|--repeat the call"),
            ("search|-retry", "search|--|-retry"),
            ("search|retry|-pauses", "search|--|retry|-pauses"),
            ("search|-retry|-5|pauses", "search|--|-retry|-5|pauses"),
            ("search|-retry|--|--limit", "search|--|-retry|--limit"),
            // Options before and after the text stay options.
            ("--json|simulate|--repeat|- fix|--kind|prompt", "--json|simulate|--repeat|--kind|prompt|--|- fix"),
            ("--desk|search|search|- fix|--limit=3|now", "--desk|search|search|--limit=3|--|- fix|now"),
            ("search|-t|- x|-tjava|- fix|--explain", "search|-t|- x|-tjava|--explain|--|- fix"),
            ("enrich|--max-tokens|-1|- fix", "enrich|--max-tokens|-1|--|- fix"),
            ("search|--limit|--explain|- fix", "search|--limit|--explain|--|- fix"),
            ("simulate|- fix|--json|-h", "simulate|--json|-h|--|- fix"),
            // Mistyped options stay where the parser finds them.
            ("simulate|--reapet|text", "simulate|--reapet|text"),
            ("simulate|--reapet|- fix", "simulate|--reapet|--|- fix"),
            // Nothing to move.
            ("simulate|text|--repeat", "simulate|text|--repeat"),
            ("simulate|--|- fix", "simulate|--|- fix"),
            ("simulate|-", "simulate|-"),
            ("tag|a|-draft", "tag|a|-draft"),
            ("--desk|enrich|list|- fix", "--desk|enrich|list|- fix"),
            ("--nonsense|-x", "--nonsense|-x"),
        ] {
            let words = |line: &str| ["refdesk"].into_iter().chain(line.split('|')).map(OsString::from).collect();
            let expected: Vec<OsString> = words(expected);
            assert_eq!(marked(program, words(line)), expected, "{line}");
        }
    }
}
