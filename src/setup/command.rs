//! The command that an agent is given, and telling it from those of others.

use std::path::Path;

/// The program as it is called where it stands on the path.
pub const NAME: &str = "refdesk";

/// What in a command makes a shell do more than start one program.
const OPERATORS: [char; 7] = [';', '|', '&', '<', '>', '(', '`'];

/// The command that answers the hooks of an agent; a program that is named by its path is quoted for a shell.
pub fn write_command(program: &str, agent: &str) -> String {
    format!("{} hook {agent}", shell_words::quote(program))
}

/// Whether a command does nothing but answer the hooks of this agent with refdesk, wherever that lies and whatever its options.
pub fn is_ours(command: &str, agent: &str) -> bool {
    let Ok(words) = shell_words::split(command) else { return false };
    let mut words = words.iter().skip_while(|word| is_assignment(word));
    let named = words.next().is_some_and(|program| is_named(Path::new(program)));
    let rest: Vec<&String> = words.collect();
    named
        && rest.windows(2).any(|pair| matches!(pair, [hook, of] if *hook == "hook" && *of == agent))
        && !rest.iter().any(|word| word.contains(OPERATORS))
}

/// Whether a program bears the name by which it is known again.
pub fn is_named(program: &Path) -> bool {
    program.file_name().is_some_and(|name| name == NAME || name == "refdesk.exe")
}

/// `NAME=value` in front of a program.
fn is_assignment(word: &str) -> bool {
    let is_name = |name: &str| !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    word.split_once('=').is_some_and(|(name, _)| is_name(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn which_commands_are_ours() {
        for (command, ours) in [
            ("refdesk hook codex", true),
            ("/usr/local/bin/refdesk hook codex", true),
            ("'/home/a b/refdesk' hook codex --repeat", true),
            ("\"/home/a b/refdesk\"  --desk review hook codex", true),
            ("REFDESK_LOG=debug refdesk hook codex", true),
            ("C:/tools/refdesk.exe hook codex", true),
            ("refdesk hook claude-code", false),
            ("refdesk hook", false),
            ("refdesk check", false),
            ("refdesk hook codex; rm x", false),
            ("refdesk hook codex | tee log", false),
            ("refdesk hook codex && other", false),
            ("other && refdesk hook codex", false),
            ("echo refdesk hook codex", false),
            ("refdesk-wrapper hook codex", false),
            ("refdesk.sh hook codex", false),
            ("refdesk hook 'codex", false),
            ("", false),
            ("A=1", false),
        ] {
            assert_eq!(is_ours(command, "codex"), ours, "{command}");
        }
    }

    #[test]
    fn what_is_written_is_known_again_and_one_word_to_a_shell() {
        for program in ["refdesk", "/usr/bin/refdesk", "/home/a b/refdesk", "/o'neill/$x/refdesk", "/a;b/refdesk"] {
            let command = write_command(program, "cursor");
            assert!(is_ours(&command, "cursor"), "{command}");
            assert_eq!(shell_words::split(&command).unwrap(), [program, "hook", "cursor"]);
        }
        assert_eq!(write_command("refdesk", "codex"), "refdesk hook codex");
    }
}
