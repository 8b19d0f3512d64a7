//! Words for the settings that a person is asked to trust, shown where the answer is given: the list itself may be
//! longer than the terminal.

use refdesk_desk::PrivilegedAction;
use refdesk_text::tokens::grouped;

/// `this setting, which runs a command`, `all 5,003 settings, of which 1 runs a command and 2 send data away`.
pub fn settings(actions: &[PrivilegedAction]) -> String {
    let runs = actions.iter().filter(|action| action.runs_command).count();
    let sends = actions.iter().filter(|action| action.sends_data()).count();
    let kinds = [(runs, "runs a command", "run commands"), (sends, "sends data away", "send data away")];
    let kinds = kinds.into_iter().filter(|(count, ..)| *count > 0);
    let (all, of, kinds): (String, &str, Vec<String>) = match actions.len() {
        1 => ("this setting".to_owned(), "which", kinds.map(|(_, one, _)| one.to_owned()).collect()),
        count => {
            let words = |(count, one, many): (usize, &str, &str)| {
                format!("{} {}", grouped(count), if count == 1 { one } else { many })
            };
            (format!("all {} settings", grouped(count)), "of which", kinds.map(words).collect())
        }
    };
    if kinds.is_empty() { all } else { format!("{all}, {of} {}", kinds.join(" and ")) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use refdesk_desk::PrivilegedActionKind::{Database, Folder, Webhook};

    #[test]
    fn what_must_not_be_overlooked_is_counted() {
        let action = |about, runs_command| PrivilegedAction {
            what: String::new(),
            summary: String::new(),
            hash: String::new(),
            about,
            file: String::new(),
            line: None,
            column: None,
            runs_command,
            sends_secret: false,
        };
        let command = || action(Database("a".into()), true);
        let plain = || action(Folder, false);
        for (actions, expected) in [
            (vec![plain()], "this setting"),
            (vec![command()], "this setting, which runs a command"),
            (vec![plain(), plain()], "all 2 settings"),
            (
                vec![plain(), action(Webhook, false), command(), command()],
                "all 4 settings, of which 2 run commands and 1 sends data away",
            ),
            (
                vec![PrivilegedAction { sends_secret: true, ..action(Database("a".into()), false) }],
                "this setting, which sends data away",
            ),
            (vec![plain(); 5_003], "all 5,003 settings"),
        ] {
            assert_eq!(settings(&actions), expected);
        }
    }
}
