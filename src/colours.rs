//! The number of colours the terminal supports, detected from the environment. The screen uses it, and `doctor` reports
//! it.

/// The number of colours.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Colours {
    /// No colours, because `NO_COLOR` is set.
    #[default]
    Off,
    /// No colours; bold, underline and reverse show what marks do not.
    Mono,
    /// The sixteen of every terminal, as configured by the user.
    Sixteen,
    /// The 256 colours of the xterm palette.
    Indexed,
    /// 24-bit colour.
    True,
}

/// Terminals known to support at least 256 colours, by parts of `TERM` and `TERM_PROGRAM`.
const MANY: [&str; 10] =
    ["256", "kitty", "alacritty", "ghostty", "direct", "foot", "wezterm", "iterm", "vscode", "apple_terminal"];

impl Colours {
    /// Detects it from `NO_COLOR`, `COLORTERM`, `TERM` and `TERM_PROGRAM`; an empty variable counts as unset.
    pub fn of_terminal(get: impl Fn(&str) -> Option<String>) -> Self {
        let get = |name: &str| get(name).filter(|value| !value.is_empty());
        let term = get("TERM").unwrap_or_default();
        let name = format!("{term} {}", get("TERM_PROGRAM").unwrap_or_default()).to_lowercase();
        match get("COLORTERM") {
            _ if get("NO_COLOR").is_some() => Self::Off,
            _ if term == "dumb" || term.ends_with("-m") => Self::Mono,
            Some(depth) if ["truecolor", "24bit"].iter().any(|it| depth.contains(it)) => Self::True,
            _ if term.ends_with("-direct") => Self::True,
            Some(_) => Self::Indexed,
            None if MANY.iter().any(|known| name.contains(known)) => Self::Indexed,
            None => Self::Sixteen,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_by_environment() {
        for (environment, colours) in [
            (&[("TERM", "xterm-256color")][..], Colours::Indexed),
            (&[("TERM", "xterm"), ("COLORTERM", "truecolor")], Colours::True),
            (&[("TERM", "xterm-256color"), ("COLORTERM", "24bit")], Colours::True),
            (&[("TERM", "xterm-direct")], Colours::True),
            (&[("TERM", "xterm"), ("COLORTERM", "yes")], Colours::Indexed),
            (&[("TERM", "xterm"), ("TERM_PROGRAM", "iTerm.app")], Colours::Indexed),
            (&[("TERM", "xterm")], Colours::Sixteen),
            (&[], Colours::Sixteen),
            (&[("TERM", "xterm-256color"), ("COLORTERM", "truecolor"), ("NO_COLOR", "1")], Colours::Off),
            (&[("TERM", "xterm-256color"), ("NO_COLOR", "")], Colours::Indexed),
            (&[("TERM", "dumb")], Colours::Mono),
            (&[("TERM", "vt100-m")], Colours::Mono),
        ] {
            let get = |name: &str| environment.iter().find(|(known, _)| *known == name).map(|(_, it)| (*it).to_owned());
            assert_eq!(Colours::of_terminal(get), colours, "{environment:?}");
        }
    }
}
