//! The program, the places it uses, and what the system and the terminal support.

use std::path::Path;

use super::super::workspace::no_workspace_fix;
use super::super::{environment, fix, log};
use super::report::CheckLine;
use crate::colours::Colours;
use refdesk_core::config::state_folder;
use refdesk_desk::Desk;
use refdesk_desk::engine::watched_folders;
use refdesk_desk::session::advice;
use refdesk_files::path::Resolver;
use refdesk_files::{disk_full_error, is_writable};

/// Where Linux reports how many folders a user may watch.
const WATCH_LIMIT_FILE: &str = "/proc/sys/fs/inotify/max_user_watches";

/// Where refdesk keeps the state of a workspace.
const OWN_FOLDER: &str = ".jaato/refdesk";

/// How a folder on a full disk is described.
const FULL: &str = "is on a disk that is full";

/// Parts of `TERM` and `TERM_PROGRAM` of terminals that copy by OSC 52 and report all keys.
const CAPABLE: [&str; 6] = ["kitty", "alacritty", "foot", "wezterm", "ghostty", "iterm"];

pub fn version() -> CheckLine {
    let (system, machine) = (std::env::consts::OS, std::env::consts::ARCH);
    CheckLine::ok("version", format!("refdesk {}, {system} {machine}", env!("CARGO_PKG_VERSION")))
}

/// Whether agents that call the bare name reach this program.
pub fn program() -> CheckLine {
    const NAME: &str = refdesk_agents::setup::NAME;
    let own = environment::own_file();
    match environment::entry_on_path(NAME) {
        Some(found) if own.is_some() && environment::on_path(NAME) == own => {
            CheckLine::ok("program", format!("{} is on PATH", found.display()))
        }
        Some(found) => {
            let text = format!("PATH has a different refdesk, {}", found.display());
            CheckLine::note("program", text, "agents that run 'refdesk' will use that one")
        }
        None => CheckLine::note("program", "refdesk is not on PATH", "agents that run 'refdesk' need it there"),
    }
}

pub fn places(desk: &Desk) -> Vec<CheckLine> {
    let context = desk.workspace_context();
    let shown = |path: &Path| path.display().to_string();
    let own = desk.workspace().join(OWN_FOLDER);
    let workspace = if let Some(reason) = obstacle(&own).filter(|_| context.is_workspace()) {
        let text = format!("{} {reason}: nothing can be selected, indexed or connected here", shown(&own));
        CheckLine::wrong("workspace", text, fix_for(&reason, "make it a writable folder"))
    } else if context.is_workspace() {
        CheckLine::ok("workspace", shown(desk.workspace()))
    } else {
        let text = format!("no workspace was found in {} or above it", shown(desk.workspace()));
        CheckLine::note("workspace", text, no_workspace_fix(context))
    };
    let configuration = match (desk.config_file(), desk.config_problem()) {
        (Some(file), _) => CheckLine::ok("configuration", shown(file)),
        (None, Some(problem)) => {
            let text = format!("{}: {}", problem.place(), problem.message);
            CheckLine::wrong("configuration", text, problem.fix.worded(&fix::words))
        }
        (None, None) => CheckLine::ok("configuration", "none, so all settings have their defaults"),
    };
    let real = Resolver::default().folder(desk.workspace());
    let state = match state_folder() {
        Some(folder) => match obstacle(&folder) {
            None if Resolver::default().resolve(&folder).0.starts_with(&real) => {
                let text = format!("{} is in the workspace, so it could have come with the repository", shown(&folder));
                let fix = "set HOME, or XDG_STATE_HOME to a writable folder outside the workspace";
                // A folder without a catalog may not be meant as a workspace.
                match desk.catalog().is_empty() {
                    true => CheckLine::note("state", text, fix),
                    false => CheckLine::wrong("state", text, fix),
                }
            }
            None => match desk.sealer().check() {
                Ok(()) => CheckLine::ok("state", shown(&folder)),
                Err(error) => CheckLine::wrong("state", error.to_string(), advice(&error)),
            },
            Some(reason) => {
                let text = format!(
                    "{} {reason}: refdesk cannot keep your trust, its key, or what sessions were sent",
                    shown(&folder)
                );
                CheckLine::wrong(
                    "state",
                    text,
                    fix_for(&reason, "make it a writable folder, or set XDG_STATE_HOME to one"),
                )
            }
        },
        None => CheckLine::note(
            "state",
            "no home folder is known, so nothing is stored for you",
            "set HOME to an absolute path",
        ),
    };
    let log = match log::file() {
        Some(file) if file.parent().is_some_and(|folder| obstacle(folder).is_some()) => {
            CheckLine::note("log", format!("{} cannot be written", shown(&file)), "see the line about state")
        }
        Some(file) => CheckLine::ok("log", shown(&file)),
        None => CheckLine::note("log", "none: no home folder is known", "set HOME"),
    };
    vec![workspace, configuration, state, log]
}

fn fix_for(reason: &str, fix: &'static str) -> &'static str {
    if reason == FULL { "free some disk space" } else { fix }
}

/// Why this folder, or a file in it, cannot be created.
fn obstacle(folder: &Path) -> Option<String> {
    let is_there = |path: &&Path| path.symlink_metadata().is_ok();
    let nearest = folder.ancestors().find(is_there)?;
    let at = if nearest == folder {
        "is".to_owned()
    } else {
        format!("cannot be created, because {} is", nearest.display())
    };
    if !nearest.is_dir() {
        return Some(format!("{at} not a folder"));
    }
    if !is_writable(nearest) {
        return Some(format!("{at} not writable"));
    }
    disk_full_error(nearest).map(|_| FULL.to_owned())
}

/// Whether the system can watch as many folders as the screen needs.
pub fn watches(desk: &Desk) -> CheckLine {
    let wanted = watched_folders(desk);
    let limit = std::fs::read_to_string(WATCH_LIMIT_FILE).ok().and_then(|text| text.trim().parse::<usize>().ok());
    match limit {
        Some(limit) if limit < wanted => {
            let text = format!("{wanted} folders to watch, and the system allows {limit} in all");
            CheckLine::note("watches", text, "raise fs.inotify.max_user_watches; until then, files are polled")
        }
        Some(limit) => CheckLine::ok("watches", format!("{wanted} folders to watch; the system allows {limit}")),
        None => CheckLine::ok("watches", format!("{wanted} folders to watch")),
    }
}

pub fn terminal(get: impl Fn(&str) -> Option<String>) -> CheckLine {
    let get = |name: &str| get(name).filter(|value| !value.is_empty());
    let Some(term) = get("TERM") else {
        return CheckLine::note("terminal", "none (TERM is not set)", "the full screen needs one");
    };
    let name = format!("{term} {}", get("TERM_PROGRAM").unwrap_or_default()).to_lowercase();
    let is_capable = CAPABLE.iter().any(|known| name.contains(known));
    let colours = match Colours::of_terminal(get) {
        Colours::Off => "no colours (NO_COLOR)",
        Colours::Mono => "no colours",
        Colours::Sixteen => "16 colours",
        Colours::Indexed => "256 colours",
        Colours::True => "true colour",
    };
    // The last number is the background colour.
    let background =
        get("COLORFGBG").and_then(|it| it.rsplit(';').next().and_then(|background| background.parse::<u8>().ok()));
    let background = match background {
        Some(7 | 9..=15) => "light background",
        Some(_) => "dark background",
        None => "background unknown",
    };
    let clipboard = match () {
        () if is_capable || get("WT_SESSION").is_some() || name.contains("vscode") => "copies over OSC 52",
        () if get("TMUX").is_some() || term.starts_with("tmux") || term.starts_with("screen") => {
            "copies over OSC 52 if the multiplexer passes it on"
        }
        () if name.contains("apple_terminal") || get("VTE_VERSION").is_some() => "probably does not copy over OSC 52",
        () => "copying over OSC 52 may work",
    };
    let keyboard = if is_capable { "reports all keys" } else { "standard key reporting" };
    let text = format!("{term}, {colours}, {background}, {clipboard}, {keyboard}");
    if term == "dumb" {
        CheckLine::note("terminal", text, "the full screen needs another terminal")
    } else {
        CheckLine::ok("terminal", text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::doctor::report::CheckLevel;

    #[test]
    fn terminal_features_from_the_environment() {
        for (environment, level, expected) in [
            (&[][..], CheckLevel::Note, "none (TERM is not set)"),
            (&[("TERM", "dumb")], CheckLevel::Note, "no colours"),
            (
                &[("TERM", "xterm-256color")],
                CheckLevel::Ok,
                "256 colours, background unknown, copying over OSC 52 may work, standard",
            ),
            (&[("TERM", "xterm"), ("COLORTERM", "truecolor")], CheckLevel::Ok, "true colour"),
            (
                &[("TERM", "xterm"), ("NO_COLOR", "1"), ("COLORFGBG", "0;15")],
                CheckLevel::Ok,
                "no colours (NO_COLOR), light",
            ),
            (&[("TERM", "xterm"), ("NO_COLOR", ""), ("COLORFGBG", "15;0")], CheckLevel::Ok, "16 colours, dark"),
            (&[("TERM", "xterm-kitty")], CheckLevel::Ok, "copies over OSC 52, reports all keys"),
            (&[("TERM", "screen-256color")], CheckLevel::Ok, "if the multiplexer passes it on"),
            (&[("TERM", "xterm-256color"), ("VTE_VERSION", "7600")], CheckLevel::Ok, "probably does not copy"),
            (&[("TERM", "xterm-256color"), ("TERM_PROGRAM", "iTerm.app")], CheckLevel::Ok, "copies over OSC 52"),
        ] {
            let get =
                |name: &str| environment.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned());
            let line = terminal(get);
            assert_eq!(line.level, level, "{environment:?}: {}", line.text);
            assert!(line.text.contains(expected), "{environment:?}: {}", line.text);
        }
    }
}
