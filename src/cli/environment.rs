//! The environment and the current folder; no other module reads them.

use std::env;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use super::args::Cli;
use super::workspace::with_workable_fix;
use refdesk_agents::canary::TRIAL;
use refdesk_agents::setup::NAME;
use refdesk_core::config::screen_files;
use refdesk_core::config::user::{self, Preferences};
use refdesk_core::config::{Environment, WorkspaceContext, state_folder};
use refdesk_desk::session::{DEFAULT, SCREEN};
use refdesk_desk::{IndexProcess, Options, Session, find_profile};
use refdesk_files::path::{absolute, is_absent, lossy};
use refdesk_files::workspace::{WorkspaceReason, workspace_above};
use refdesk_mcp::http::TOKEN;
use refdesk_templates::render::Renderer;
use refdesk_text::report::Diagnostic;
use refdesk_text::{Code, Error};

const CONFIG_VARIABLE: &str = "REFERENCES_CONFIG_PATH";

/// The options for opening the desk and the session to use, from the arguments and the environment. `demo` is the
/// folder of the unpacked demo.
pub fn options(arguments: &Cli, demo: Option<&Path>) -> Result<(Options, Session), Error> {
    let current = current()?;
    let who = arguments.called.as_ref().map_or_else(|| SCREEN.to_owned(), |name| format!("refdesk {name}"));
    let id = arguments.session.clone().unwrap_or_else(|| DEFAULT.to_owned());
    Ok((options_from(arguments, demo, &current, &current)?, Session { id, who }))
}

pub fn current() -> Result<PathBuf, Error> {
    env::current_dir().map_err(|error| {
        Error::new(Code::NoCurrentFolder, format!("the current folder is gone: {error}"), "change to another folder")
    })
}

/// Like [`options`], without the session. Looks for the workspace from the folder `from` unless the arguments name one.
pub fn options_from(arguments: &Cli, demo: Option<&Path>, current: &Path, from: &Path) -> Result<Options, Error> {
    let home = home_folder();
    let (workspace, reason) = match (demo, &arguments.workspace) {
        (Some(demo), _) => (demo.to_path_buf(), WorkspaceReason::Demo),
        (None, Some(given)) => {
            let workspace = absolute(current, given);
            if !workspace.is_dir() {
                let message = format!("the workspace {} is not a folder", workspace.display());
                return Err(Error::new(Code::NoWorkspace, message, "name an existing folder with --workspace"));
            }
            (workspace, WorkspaceReason::Named)
        }
        (None, None) => workspace_above(from, home.as_deref()),
    };
    // Without this check, every file below an unreadable folder would seem not to exist.
    if let Err(error) = fs::metadata(workspace.join(".")) {
        let message = format!("the workspace {} cannot be read: {error}", workspace.display());
        return Err(Error::new(Code::NoWorkspace, message, "allow this user to read and enter the folder"));
    }
    let context = WorkspaceContext {
        workspace,
        reason,
        current: current.to_path_buf(),
        config_home: config_home(home.as_deref()),
        home,
        named: arguments.config.clone(),
        from_environment: if demo.is_some() { None } else { env::var(CONFIG_VARIABLE).ok() },
    };
    let found = arguments.profile.as_deref().map(|given| find_profile(&context, given)).transpose();
    let profile = found.map_err(|error| with_workable_fix(error, &context))?;
    let desk = arguments.desk.clone();
    let renderer = Renderer::with_worker(this_program());
    let environment = Environment(|name| env::var(name).ok());
    let is_trial = is_trial();
    // A test run starts nothing in the background.
    let index_process = (!is_trial).then(|| index_process(&context));
    let state = state_folder();
    let tool_fix = refdesk_mcp::tool_fix;
    let options = Options::new(context);
    Ok(Options { desk, profile, state, renderer, environment, index_process, is_trial, tool_fix, ..options })
}

/// Whether a command without `--workspace` would find another workspace than this one.
pub fn finds_another(workspace: &Path) -> bool {
    let Ok(current) = current() else { return true };
    let real = |path: PathBuf| fs::canonicalize(&path).unwrap_or(path);
    real(workspace_above(&current, home_folder().as_deref()).0) != real(absolute(&current, workspace))
}

/// Whether this folder is in a workspace that has files of refdesk.
pub fn is_in_workspace(folder: &Path) -> bool {
    let found = fs::canonicalize(folder).map(|folder| workspace_above(&folder, home_folder().as_deref()).1);
    matches!(found, Ok(WorkspaceReason::Marked(_)))
}

/// `refdesk index` for this workspace and its configuration.
fn index_process(context: &WorkspaceContext) -> IndexProcess {
    let mut arguments = vec![OsString::from("--workspace"), context.workspace.clone().into_os_string()];
    if let Some(named) = &context.named {
        arguments.extend([OsString::from("--config"), absolute(&context.current, named).into_os_string()]);
    }
    let without = context.from_environment.is_none().then_some(CONFIG_VARIABLE);
    IndexProcess { program: this_program(), arguments, without, is_explicit: false, words_only: false }
}

/// The path for starting this program again. On Linux, the link leads to the running executable even if the file was
/// replaced.
#[cfg(target_os = "linux")]
fn this_program() -> PathBuf {
    let own = PathBuf::from("/proc/self/exe");
    // Without /proc, use the path this program was started from.
    let started = || env::args_os().next().and_then(|program| std::fs::canonicalize(program).ok());
    if own.exists() { own } else { started().unwrap_or(own) }
}

/// The path for starting this program again; empty if the system does not provide it, which the first rendering
/// reports.
#[cfg(not(target_os = "linux"))]
fn this_program() -> PathBuf {
    env::current_exe().unwrap_or_default()
}

/// `$XDG_CONFIG_HOME`, else `~/.config`, on every system (BEHAVIOUR §2).
fn config_home(home: Option<&Path>) -> Option<PathBuf> {
    let given = env::var_os("XDG_CONFIG_HOME").map(PathBuf::from).filter(|folder| folder.is_absolute());
    given.or_else(|| home.map(|home| home.join(".config")))
}

/// The user's preferences, their file, and its problems.
pub fn preferences() -> (Preferences, Option<PathBuf>, Vec<Diagnostic>) {
    let home = own_config_home();
    let file = user::file(home.as_deref());
    let read = |file| user::read(file, &screen_files::theme_names(home.as_deref()));
    let (preferences, problems) = file.as_deref().map(read).unwrap_or_default();
    (preferences, file, problems)
}

pub fn own_config_home() -> Option<PathBuf> {
    config_home(home_folder().as_deref())
}

/// The home folder. A relative one is rejected, because it would depend on the current folder, which may be an
/// untrusted repository.
fn home_folder() -> Option<PathBuf> {
    let home = directories::BaseDirs::new()?.home_dir().to_path_buf();
    home.is_absolute().then_some(home)
}

/// The home folder according to the environment, as agents see it.
pub fn home() -> Option<PathBuf> {
    folder("HOME").filter(|home| home.is_absolute())
}

/// Whether `connect` or `doctor` started this process to test what an agent would run. It leaves no trace in the
/// workspace.
pub fn is_trial() -> bool {
    env::var_os(TRIAL).is_some()
}

/// The value of an environment variable, if it is UTF-8.
pub fn text(name: &str) -> Option<String> {
    env::var(name).ok()
}

/// A path for people, with `~` for the home folder.
pub fn with_tilde(path: &Path) -> String {
    let inside = home().and_then(|home| path.strip_prefix(home).ok().map(lossy));
    match inside {
        Some(inside) if inside.is_empty() => "~".to_owned(),
        Some(inside) => format!("~/{inside}"),
        None => lossy(path),
    }
}

/// The bearer token for HTTP calls. Converted lossily, so that a value that is not UTF-8 is rejected later, not
/// ignored.
pub fn token() -> Option<String> {
    env::var_os(TOKEN).map(|token| token.to_string_lossy().into_owned())
}

pub fn variable(name: &str) -> Option<OsString> {
    env::var_os(name)
}

/// The folder that an environment variable names.
pub fn folder(variable: &str) -> Option<PathBuf> {
    env::var_os(variable).filter(|named| !named.is_empty()).map(PathBuf::from)
}

/// The canonical path of this program.
pub fn own_file() -> Option<PathBuf> {
    env::current_exe().and_then(std::fs::canonicalize).ok()
}

/// Whether the program named in settings is this one. A bare name or a path without a file counts as this one.
pub fn is_this_program(named: &str) -> bool {
    let expanded = home().and_then(|home| {
        let inside = ["$HOME/", "${HOME}/", "~/"].iter().find_map(|start| named.strip_prefix(start))?;
        Some(home.join(inside))
    });
    let path = expanded.unwrap_or_else(|| PathBuf::from(named));
    if !path.is_absolute() {
        return path.components().count() == 1;
    }
    match std::fs::canonicalize(&path) {
        Ok(real) => [own_file(), on_path(NAME)].iter().flatten().any(|own| *own == real),
        Err(error) => is_absent(&error),
    }
}

/// The canonical path of the program that a shell would run by this name.
pub fn on_path(name: &str) -> Option<PathBuf> {
    std::fs::canonicalize(entry_on_path(name)?).ok()
}

/// The path by which a shell would run the program of this name; it may be a link.
pub fn entry_on_path(name: &str) -> Option<PathBuf> {
    let path = env::var_os("PATH")?;
    env::split_paths(&path).map(|folder| folder.join(name)).find(|file| is_program(file))
}

fn is_program(file: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    std::fs::metadata(file).is_ok_and(|file| file.is_file() && file.permissions().mode() & 0o111 != 0)
}
