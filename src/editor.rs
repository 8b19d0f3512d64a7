//! The command that opens the user's editor at a line: the preferred editor, else `$VISUAL`, else `$EDITOR`, else vi.
//! Both interfaces use it.

use std::ffi::OsString;
use std::path::Path;
use std::process::ExitStatus;

use refdesk_desk::FileLine;
use refdesk_text::{Code, Error};

/// A program to run, with its arguments.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EditorCommand {
    pub program: String,
    /// Its arguments.
    pub arguments: Vec<OsString>,
    /// The origin of the command, for messages: `$VISUAL is "vim -p"`.
    pub origin: String,
}

/// The editor if neither the preferences nor the environment names one.
pub const DEFAULT: &str = "vi";

/// The fix if there is no editor.
pub const HINT: &str = "set VISUAL or EDITOR to an editor that is installed";

/// The variable that names the editor, and its value.
pub fn from_environment(get: impl Fn(&str) -> Option<OsString>) -> Option<(&'static str, OsString)> {
    ["VISUAL", "EDITOR"].into_iter().find_map(|variable| {
        let value = get(variable).filter(|value| !value.to_string_lossy().trim().is_empty())?;
        Some((variable, value))
    })
}

/// The command that opens this location in the editor that the user's preferences or the environment name.
///
/// # Errors
/// The value that names it cannot be read as a command.
pub fn call(
    preferred: Option<&str>,
    get: impl Fn(&str) -> Option<OsString>,
    spot: &FileLine,
) -> Result<EditorCommand, Error> {
    let named = from_environment(get);
    let (origin, value) = match (preferred, named) {
        (Some(preferred), _) => (format!("your preferences say editor = \"{preferred}\""), preferred.to_owned()),
        (None, Some((variable, value))) => {
            let shown = format!("${variable} is \"{}\"", value.to_string_lossy());
            let Ok(value) = value.into_string() else { return Err(unreadable(&shown, "it is not UTF-8")) };
            (shown, value)
        }
        (None, None) => ("neither $VISUAL nor $EDITOR is set".to_owned(), DEFAULT.to_owned()),
    };
    let words = shell_words::split(&value).map_err(|error| unreadable(&origin, &error.to_string()))?;
    let (program, given) = match words.split_first() {
        Some((program, given)) if !program.is_empty() => (program.clone(), given),
        _ => return Err(unreadable(&origin, "it does not name a program")),
    };
    let mut arguments: Vec<OsString> = given.iter().map(OsString::from).collect();
    arguments.extend(place(&program, given, spot));
    Ok(EditorCommand { program, arguments, origin })
}

/// Describes how a failed editor exited.
pub fn ending(status: ExitStatus) -> String {
    status.code().map_or_else(|| format!("ended with {status}"), |code| format!("failed with exit code {code}"))
}

fn unreadable(origin: &str, why: &str) -> Error {
    Error::new(Code::Editor, format!("{origin}, and {why}"), HINT)
}

/// File and line in this editor's syntax; an unknown editor gets only the file.
fn place(program: &str, given: &[String], spot: &FileLine) -> Vec<OsString> {
    // A relative path could be mistaken for an option.
    let file = if spot.path.is_relative() { Path::new(".").join(&spot.path) } else { spot.path.clone() };
    let with_line = |mut file: OsString| {
        file.push(format!(":{}", spot.line));
        file
    };
    let stem = Path::new(program).file_stem().unwrap_or_default().to_string_lossy().to_lowercase();
    match stem.as_str() {
        "vi" | "vim" | "nvim" | "nvi" | "view" | "nano" | "pico" | "emacs" | "emacsclient" | "kak" | "micro"
        | "joe" => {
            vec![format!("+{}", spot.line).into(), file.into()]
        }
        "helix" | "hx" | "zed" | "subl" => vec![with_line(file.into())],
        "code" | "code-insiders" | "codium" | "vscodium" | "cursor" | "windsurf" => {
            let waits = given.iter().any(|word| word == "--wait" || word == "-w");
            let wait = (!waits).then(|| "--wait".into());
            wait.into_iter().chain(["-g".into(), with_line(file.into())]).collect()
        }
        _ => vec![file.into()],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn called(environment: &[(&str, &str)], path: &str, line: usize) -> Result<Vec<String>, String> {
        let get = |name: &str| environment.iter().find(|(known, _)| *known == name).map(|(_, value)| value.into());
        let call = call(None, get, &FileLine { path: path.into(), line }).map_err(|no| no.message)?;
        let words =
            std::iter::once(call.program).chain(call.arguments.iter().map(|it| it.to_str().unwrap().to_owned()));
        Ok(words.collect())
    }

    #[test]
    fn line_arguments_of_each_editor() {
        for (editor, expected) in [
            ("vi", "vi|+7|/w/a b.md"),
            ("/usr/bin/vim", "/usr/bin/vim|+7|/w/a b.md"),
            ("vim.basic -p", "vim.basic|-p|+7|/w/a b.md"),
            ("emacs -nw", "emacs|-nw|+7|/w/a b.md"),
            ("nano", "nano|+7|/w/a b.md"),
            ("kak", "kak|+7|/w/a b.md"),
            ("hx", "hx|/w/a b.md:7"),
            ("subl --wait", "subl|--wait|/w/a b.md:7"),
            ("code", "code|--wait|-g|/w/a b.md:7"),
            ("code -w", "code|-w|-g|/w/a b.md:7"),
            ("codium --wait -n", "codium|--wait|-n|-g|/w/a b.md:7"),
            ("my-editor", "my-editor|/w/a b.md"),
            ("sh '/opt/my editor' --to \"a b\" c\\ d", "sh|/opt/my editor|--to|a b|c d|/w/a b.md"),
        ] {
            let words = called(&[("EDITOR", editor)], "/w/a b.md", 7).unwrap();
            assert_eq!(words.join("|"), expected, "{editor}");
        }
    }

    #[test]
    fn the_preferred_editor_comes_first() {
        let spot = FileLine { path: "/a".into(), line: 2 };
        let call = call(Some("hx -v"), |_| Some("vi".into()), &spot).unwrap();
        assert_eq!((call.program.as_str(), call.arguments), ("hx", vec!["-v".into(), "/a:2".into()]));
        assert_eq!(call.origin, "your preferences say editor = \"hx -v\"");
    }

    #[test]
    fn visual_before_editor_before_vi() {
        for (environment, program) in [
            (&[("VISUAL", "one"), ("EDITOR", "two")][..], "one"),
            (&[("VISUAL", " "), ("EDITOR", "two")], "two"),
            (&[("EDITOR", "")], "vi"),
            (&[], "vi"),
        ] {
            assert_eq!(called(environment, "/a", 1).unwrap()[0], program);
        }
    }

    #[test]
    fn a_file_is_never_an_option() {
        assert_eq!(called(&[("EDITOR", "vi")], "-c:q", 1).unwrap(), ["vi", "+1", "./-c:q"]);
        assert_eq!(called(&[("EDITOR", "hx")], "+9", 2).unwrap(), ["hx", "./+9:2"]);
    }

    #[test]
    fn an_unusable_value_is_reported() {
        for (value, expected) in [
            ("vi 'unclosed", "$EDITOR is \"vi 'unclosed\", and missing closing quote"),
            ("'' a", "$EDITOR is \"'' a\", and it does not name a program"),
        ] {
            assert_eq!(called(&[("EDITOR", value)], "/a", 1), Err(expected.to_owned()));
        }
    }
}
