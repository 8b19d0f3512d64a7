//! Shows a command from an agent's settings safely: its program, its options and the words that refdesk recognizes.
//! Other words may be secret, such as a token or the value of a variable.

use refdesk_agents::setup::{Client, NAME};

/// Replaces a hidden word.
const HIDDEN: &str = "…";

pub(in crate::cli) fn shown_command(command: &str) -> String {
    match shell_words::split(command) {
        Ok(words) => shown_words(words.iter().map(String::as_str)),
        Err(_) => HIDDEN.to_owned(),
    }
}

/// Prints a command; adjacent hidden words become one mark.
pub(in crate::cli) fn shown_words<'a>(words: impl IntoIterator<Item = &'a str>) -> String {
    let mut shown: Vec<String> = Vec::new();
    let mut is_program_due = true;
    for word in words {
        let part = match word.split_once('=') {
            Some((name, _)) if is_name(name) => format!("{name}={HIDDEN}"),
            None if is_program_due || is_known(word) => word.to_owned(),
            None if is_option(word) => word.to_owned(),
            _ => HIDDEN.to_owned(),
        };
        is_program_due &= word.contains('=');
        if part != HIDDEN || shown.last().is_none_or(|last| last != HIDDEN) {
            shown.push(part);
        }
    }
    shown.join(" ")
}

/// Whether a command runs refdesk and nothing else, so that its output is refdesk's own.
pub(in crate::cli) fn is_own(words: &[&str]) -> bool {
    let runs_refdesk = words.first().is_some_and(|program| program.rsplit('/').next() == Some(NAME));
    runs_refdesk && shown_words(words.iter().copied()) == words.join(" ")
}

/// Whether this is the name of a variable or of an option.
fn is_name(name: &str) -> bool {
    !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || "_-".contains(c))
}

/// Whether the word is a short option, without an attached value, or a long one.
fn is_option(word: &str) -> bool {
    let is_short = word.len() == 2 && word != "--";
    word.starts_with('-') && is_name(word) && (is_short || word.starts_with("--"))
}

fn is_known(word: &str) -> bool {
    let is_own_program = word.rsplit('/').next() == Some(NAME);
    let is_operator = !word.is_empty() && word.chars().all(|c| "|&;<>".contains(c));
    is_own_program || is_operator || ["hook", "mcp"].contains(&word) || Client::all().any(|client| client.word == word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_not_shown() {
        for (command, expected) in [
            ("refdesk hook claude-code --mcp", "refdesk hook claude-code --mcp"),
            ("'/opt/my tools/refdesk' hook codex", "/opt/my tools/refdesk hook codex"),
            ("API_TOKEN='S3 CRET' refdesk hook codex", "API_TOKEN=… refdesk hook codex"),
            ("refdesk mcp --token S3CRET --key=S3CRET -pS3CRET -x", "refdesk mcp --token … --key=… … -x"),
            ("sh -c 'T=S3CRET refdesk hook codex'", "sh -c T=…"),
            ("echo S3CRET S3CRET | tools/refdesk hook codex", "echo … | tools/refdesk hook codex"),
            ("curl -H 'Authorization: Bearer S3CRET' https://me:S3CRET@h.example", "curl -H …"),
            ("'T=S3CRET refdesk' 'a b=S3CRET'", "T=… …"),
            ("refdesk 'S3CRET", "…"),
            ("", ""),
        ] {
            let shown = shown_command(command);
            assert!(!shown.contains("CRET"), "{command}: {shown}");
            assert_eq!(shown, expected, "{command}");
        }
    }
}
