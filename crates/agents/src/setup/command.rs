//! Writes the hook command for an agent's settings, and recognizes it there.

use std::path::Path;

/// The name of the program on `PATH`.
pub const NAME: &str = "refdesk";

/// Characters with which a command line does more than start one program.
const OPERATORS: [char; 8] = [';', '|', '&', '<', '>', '(', ')', '`'];

/// The command that answers an agent's hooks; an option states whether the agent also has our server. A path to the
/// program is quoted for the shell.
pub fn write_command(program: &str, agent: &str, has_server: bool) -> String {
    let option = if has_server { "--mcp" } else { "--no-mcp" };
    format!("{} hook {agent} {option}", shell_words::quote(program))
}

/// Whether `write_command` writes this command for some program; older versions wrote it without the option.
pub(super) fn is_canonical(command: &str, agent: &str) -> bool {
    let Some(program) = program_of(command) else { return false };
    let without = format!("{} hook {agent}", shell_words::quote(&program));
    command == without || [true, false].iter().any(|has_server| command == write_command(&program, agent, *has_server))
}

/// Whether a command only answers this agent's hooks with refdesk, from any path and with any options.
pub fn is_ours(command: &str, agent: &str) -> bool {
    own_arguments(command).is_some_and(|words| {
        words.windows(2).any(|pair| matches!(pair, [hook, of] if hook == "hook" && of == agent))
            && !words.iter().any(|word| word.contains(OPERATORS))
    })
}

/// Whether a command only calls refdesk once, from any path and with any arguments.
pub fn is_own_call(command: &str) -> bool {
    own_arguments(command.trim()).is_some()
}

/// The arguments of a command that only calls refdesk.
fn own_arguments(command: &str) -> Option<Vec<String>> {
    if does_more(command) {
        return None;
    }
    let mut words = shell_words::split(command).ok()?.into_iter().skip_while(|word| is_assignment(word));
    words.next().filter(|program| is_named(Path::new(program)))?;
    Some(words.collect())
}

/// Whether a shell would do more than run one program with arguments: a second line, an operator, a substitution.
/// Splitting into words does not reveal that: a line break separates words like a space, and text before the program is
/// a word too.
fn does_more(command: &str) -> bool {
    let mut quote = None;
    let mut chars = command.chars().peekable();
    while let Some(c) = chars.next() {
        match (quote, c) {
            (_, '\n' | '\r') => return true,
            (Some('\''), '\'') => quote = None,
            (Some('\''), _) => {}
            // A character after a backslash is literal; a line break is still rejected.
            (_, '\\') => drop(chars.next_if(|next| !matches!(next, '\n' | '\r'))),
            (Some(_), '"') => quote = None,
            (None, '"' | '\'') => quote = Some(c),
            (_, '`') => return true,
            // A command substitution, or ANSI-C quoting (`$'…'`).
            (_, '$') if chars.peek().is_some_and(|next| matches!(next, '(' | '\'')) => return true,
            (None, c) if OPERATORS.contains(&c) => return true,
            _ => {}
        }
    }
    false
}

pub(crate) fn program_of(command: &str) -> Option<String> {
    shell_words::split(command).ok()?.into_iter().find(|word| !is_assignment(word))
}

pub(super) fn is_named(program: &Path) -> bool {
    program.file_name().is_some_and(|name| name == NAME || name == "refdesk.exe")
}

/// `NAME=value` before a program.
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
            ("refdesk hook codex & other", false),
            ("refdesk hook codex\nrm x", false),
            ("refdesk hook codex\r\nrm x", false),
            ("rm x\nrefdesk hook codex", false),
            ("refdesk hook codex '\n'", false),
            ("refdesk hook codex \\\nrm x", false),
            ("refdesk hook codex # why\nrm x", false),
            ("refdesk\nhook codex", false),
            ("refdesk hook codex;rm x", false),
            ("rm;/usr/bin/refdesk hook codex", false),
            ("rm&&/usr/bin/refdesk hook codex", false),
            ("A=1;/usr/bin/refdesk hook codex", false),
            ("A=`rm x` refdesk hook codex", false),
            ("A=$(rm x) refdesk hook codex", false),
            ("A=\"$(rm x)\" refdesk hook codex", false),
            ("\"`rm x`/refdesk\" hook codex", false),
            ("A=${B:-$(rm x)} refdesk hook codex", false),
            ("A=$'\\'' refdesk hook codex; rm x #'", false),
            ("(refdesk hook codex)", false),
            ("refdesk hook codex > /dev/null", false),
            ("refdesk hook codex 'a;b'", false),
            ("$HOME/bin/refdesk hook codex", true),
            ("\"/o'neill (b)/refdesk\" hook codex", true),
            ("/o\\'neill\\;/refdesk hook codex", true),
            ("A='$(x)' refdesk hook codex", true),
            ("refdesk\thook  codex", true),
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
    fn a_written_command_is_recognized_and_its_program_is_one_shell_word() {
        for program in
            ["refdesk", "/usr/bin/refdesk", "/home/a b/refdesk", "/o'neill/$x/refdesk", "/a;b`c`$(d)/refdesk"]
        {
            for (has_server, option) in [(true, "--mcp"), (false, "--no-mcp")] {
                let command = write_command(program, "cursor", has_server);
                assert!(is_ours(&command, "cursor"), "{command}");
                assert_eq!(shell_words::split(&command).unwrap(), [program, "hook", "cursor", option]);
            }
        }
        assert_eq!(write_command("refdesk", "codex", true), "refdesk hook codex --mcp");
    }
}
