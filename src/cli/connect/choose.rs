//! Lets the user choose from all agents, if none was named and none was found.

use super::super::output::{ask_line, can_ask};
use super::found::FoundAgent;
use refdesk_agents::setup::Client;
use refdesk_text::escape::one_line;

/// Asks which agents to connect; empty if the user leaves, `None` without a terminal.
pub(super) fn choose(for_user: bool) -> Option<Vec<FoundAgent>> {
    if !can_ask() {
        return None;
    }
    let all: Vec<Client> = Client::all().collect();
    let mut shown =
        format!("No agent was found on PATH, in this workspace or in the home folder.\n{}", listed(&all, for_user));
    loop {
        let question = "Which do you use? Numbers or names, or Enter to leave:";
        let line = ask_line(&shown, question).unwrap_or_default();
        match parsed(&line, &all, for_user) {
            Ok(clients) => {
                let agents = clients.into_iter().map(|client| FoundAgent { client, evidence: Vec::new() });
                return Some(agents.collect());
            }
            Err(wrong) => shown = format!("{wrong}\n"),
        }
    }
}

fn listed(all: &[Client], for_user: bool) -> String {
    let line = |(at, client): (usize, &Client)| {
        let only_for_user = !for_user && client.server.places.project.is_none();
        let note = if only_for_user { " (only with --user)" } else { "" };
        format!("{:>3} {:<12} {}{note}\n", at + 1, client.word, client.name)
    };
    all.iter().enumerate().map(line).collect()
}

/// The agents with these numbers or names, without duplicates. An error describes an invalid word.
fn parsed(line: &str, all: &[Client], for_user: bool) -> Result<Vec<Client>, String> {
    let mut chosen: Vec<Client> = Vec::new();
    let words = line.split([' ', ',', '\t']).filter(|word| !word.is_empty());
    for word in words.filter(|word| !["q", "quit"].contains(word)) {
        let by_number = word.parse::<usize>().ok().and_then(|number| all.get(number.checked_sub(1)?));
        let Some(client) = by_number.copied().or_else(|| Client::named_like(word)) else {
            return Err(format!("'{}' is not a number from 1 to {} or a name in the list", one_line(word), all.len()));
        };
        if !for_user && client.server.places.project.is_none() {
            return Err(format!(
                "{} has no workspace settings, only your own: `refdesk connect {} --user`",
                client.name, client.word
            ));
        }
        if !chosen.contains(&client) {
            chosen.push(client);
        }
    }
    Ok(chosen)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_names() {
        let all: Vec<Client> = Client::all().collect();
        for (line, for_user, expected) in [
            ("", false, Some(&[][..])),
            ("q", false, Some(&[])),
            ("1", false, Some(&["claude-code"])),
            ("3, 1 codex", false, Some(&["codex", "claude-code"])),
            ("claude gemni", false, Some(&["claude-code", "gemini-cli"])),
            ("7", true, Some(&["goose"])),
            ("7", false, None),
            ("goose", false, None),
            ("0", false, None),
            ("8", false, None),
            ("1 ?", false, None),
            ("-1", false, None),
        ] {
            let chosen = parsed(line, &all, for_user);
            let words = chosen.as_ref().ok().map(|it| it.iter().map(|client| client.word).collect::<Vec<_>>());
            assert_eq!(words.as_deref(), expected, "{line}: {chosen:?}");
        }
        assert!(
            listed(&all, false).ends_with("  7 goose        goose (only with --user)\n"),
            "{}",
            listed(&all, false)
        );
    }
}
