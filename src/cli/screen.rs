//! `refdesk` without a command: checks that the full screen can open. The screen itself is passed in, because the
//! command line does not depend on it.

use std::io::{IsTerminal, stdin, stdout};
use std::path::PathBuf;
use std::process::ExitCode;

use clap::CommandFactory;

use super::answer::CommandOutput;
use super::args::{Cli, ColorChoice};
use super::output;
use refdesk_core::config::screen_files::{self, ScreenFiles};
use refdesk_core::config::screen_session::ScreenSessionFile;
use refdesk_core::config::user::Preferences;
use refdesk_desk::engine::{self, ClientKind, Started};
use refdesk_desk::{Options, Session};
use refdesk_text::{Code, Error};

/// How the screen is opened.
#[derive(Debug, Clone)]
pub struct ScreenStart {
    /// The file of the profile to switch to, after showing its comparison.
    pub profile: Option<PathBuf>,
    /// Whether this is the demo, which leaves nothing behind, not even its layout.
    pub is_demo: bool,
    /// Whether the demo's tour runs, which starts with the default layout.
    pub with_tour: bool,
    /// The absolute path of the configuration file, if one was given.
    pub config: Option<PathBuf>,
    /// The user's preferences.
    pub preferences: Preferences,
    /// The user's keymap and themes.
    pub files: ScreenFiles,
    /// The file with the saved state of the workspace; `None` in the demo.
    pub session_file: Option<ScreenSessionFile>,
    /// The interface to open.
    pub interface: Interface,
    /// Whether a person types the input. Only a person is asked questions, and can trust and approve.
    pub is_person: bool,
}

/// The interface that opens without a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Interface {
    /// The full screen.
    Full,
    /// Plain lines.
    Plain,
}

/// Opens the screen, or the plain interface if requested or if the terminal cannot move its cursor; without a suitable
/// terminal, an error that names the commands.
///
/// # Errors
/// The terminal cannot be set up, or the engine ends before the screen.
pub fn run(
    options: Options,
    session: Session,
    arguments: &Cli,
    mut preferences: Preferences,
    screen: impl FnOnce(Started, ScreenStart) -> color_eyre::Result<ExitCode>,
) -> color_eyre::Result<ExitCode> {
    let on_terminal = stdout().is_terminal() && stdin().is_terminal();
    let is_dumb = std::env::var_os("TERM").is_some_and(|term| term == "dumb");
    let is_plain = arguments.plain || (on_terminal && is_dumb && !arguments.tour);
    let unfit = match (on_terminal, is_dumb) {
        _ if is_plain => None,
        (false, _) => Some("the full screen needs a terminal on standard input and output"),
        (true, true) => {
            Some("the tour needs a terminal that can move its cursor, and TERM=dumb says that this one cannot")
        }
        (true, false) => None,
    };
    if let Some(unfit) = unfit {
        let program = Cli::command();
        let commands: Vec<&str> = program.get_subcommands().map(clap::Command::get_name).collect();
        let hint = format!(
            "run it in a terminal, add --plain, or run a command (`refdesk --help` describes them): {}",
            commands.join(", ")
        );
        let refusal = Error::new(Code::NoTerminal, unfit, hint);
        return Ok(output::print(CommandOutput { exit: 2, ..CommandOutput::refused(refusal) }, arguments.format));
    }
    color_eyre::install()?;
    // In the full screen, the user decides: the profile is only shown first, and the shared desk is used.
    let profile = options.profile.clone();
    if let Some(color) = arguments.color {
        preferences.color = match color {
            ColorChoice::Auto => None,
            ColorChoice::Always => Some("always"),
            ColorChoice::Never => Some("never"),
        };
    }
    if arguments.ascii {
        preferences.characters = Some("ascii");
    }
    let files = screen_files::read(options.context.config_home.as_deref());
    let interface = if is_plain { Interface::Plain } else { Interface::Full };
    let state = options.state.as_deref().filter(|_| !arguments.demo);
    let session_file = state.and_then(|state| ScreenSessionFile::new(state, &options.context.workspace));
    let is_person = stdin().is_terminal();
    let (is_demo, with_tour) = (arguments.demo, arguments.tour);
    let config = arguments.config.as_deref().and_then(|file| std::path::absolute(file).ok());
    let start =
        ScreenStart { profile, is_demo, with_tour, config, preferences, files, session_file, interface, is_person };
    let options = Options { profile: None, ..options };
    // A script is not a person: it is not asked anything, and cannot trust or approve anything.
    let client = if is_person { ClientKind::Person } else { ClientKind::Script };
    screen(engine::start_for(client, options, session)?, start)
}
