//! Hands the terminal to an editor or to a refdesk command until it exits. In the meantime nothing is read or
//! drawn, but engine events are still received. Signals meant for the editor do not end the screen.

use std::ffi::OsString;
use std::io;
use std::path::Path;
use std::time::{Duration, Instant};

use tokio::process::{Child, Command};

use crate::editor::{self, EditorCommand};
use crate::tui::action::Action;
use crate::tui::input::{ForegroundCommand, Input};
use crate::tui::run::signals;
use crate::tui::run::signals::{ScreenSignals, SignalAction};
use crate::tui::run::temp_file::TempFile;
use crate::tui::run::{App, ExitReason};
use refdesk_desk::FileLine;
use refdesk_desk::engine::{Response, Snapshot};
use refdesk_text::{Code, Error};

/// How long an editor has to exit after a signal.
const EXIT_TIMEOUT: Duration = Duration::from_secs(1);

/// How late the signal that ended an editor may still arrive here.
const MAX_SIGNAL_DELAY: Duration = Duration::from_millis(500);

impl App {
    /// Opens this location in the user's editor and waits until it exits.
    pub(super) async fn edit(&mut self, spot: &FileLine, signals: &mut ScreenSignals) -> io::Result<()> {
        self.hand_over_to_editor(spot, signals).await.map(|_| ())
    }

    /// Opens this text in the editor, and takes over the edited text.
    pub(super) async fn edit_text(&mut self, text: &str, line: usize, signals: &mut ScreenSignals) -> io::Result<()> {
        let slip = match TempFile::new(text) {
            Ok(slip) => slip,
            Err(error) => {
                self.input(Input::Edited(None))?;
                let message = format!("cannot create a file for the editor: {error}");
                return self.refuse(Error::new(Code::Editor, message, ""));
            }
        };
        let spot = FileLine { path: slip.path().to_path_buf(), line };
        let came_back = self.hand_over_to_editor(&spot, signals).await?;
        if self.ended.is_some() {
            return Ok(());
        }
        match slip.read() {
            Ok(text) => self.input(Input::Edited(came_back.then_some(text))),
            Err(why) => {
                self.input(Input::Edited(None))?;
                self.refuse(Error::new(Code::Editor, format!("cannot read the values back: {why}"), "nothing changed"))
            }
        }
    }

    /// Runs the editor in the terminal. Returns whether it succeeded.
    async fn hand_over_to_editor(&mut self, spot: &FileLine, signals: &mut ScreenSignals) -> io::Result<bool> {
        let call = match editor::call(self.editor.as_deref(), |name| std::env::var_os(name), spot) {
            Ok(call) => call,
            Err(error) => return self.refuse(error).map(|()| false),
        };
        self.hand_over(&call, signals).await
    }

    /// Runs a refdesk command in the terminal; the command reports its own errors.
    pub(super) async fn hand_over_to_command(
        &mut self,
        command: &ForegroundCommand,
        signals: &mut ScreenSignals,
    ) -> io::Result<()> {
        let program = match std::env::current_exe() {
            Ok(program) => program.to_string_lossy().into_owned(),
            Err(error) => {
                let message = format!("this program cannot be started again: {error}");
                return self.refuse(Error::new(Code::Editor, message, "run the command in another terminal"));
            }
        };
        let arguments = arguments(command, &self.state.snapshot);
        let call = EditorCommand { program, arguments, origin: "this program".to_owned() };
        self.hand_over(&call, signals).await?;
        if self.ended.is_none() {
            self.input(Input::Act(Action::Reload))?;
        }
        Ok(())
    }

    /// Runs a program in the terminal. Returns whether it succeeded.
    async fn hand_over(&mut self, call: &EditorCommand, signals: &mut ScreenSignals) -> io::Result<bool> {
        self.screen.hand_over()?;
        let failed = self.while_it_runs(call, signals).await;
        self.reclaimed_at = Some(Instant::now());
        // Requests made before are outdated.
        self.opening = None;
        if self.ended.is_some() {
            return Ok(false);
        }
        self.screen.reclaim()?;
        let size = self.screen.size()?;
        self.input(Input::Resize(size))?;
        let ended_well = failed.is_none();
        failed.map_or(Ok(()), |error| self.refuse(error))?;
        Ok(ended_well)
    }

    /// Waits for the editor to exit. Returns any error with its fix.
    async fn while_it_runs(&mut self, call: &EditorCommand, signals: &mut ScreenSignals) -> Option<Error> {
        let failed = |message: String, hint: &str| Some(Error::new(Code::Editor, message, hint));
        let EditorCommand { program, arguments, origin } = call;
        let mut command = Command::new(program);
        command.args(arguments);
        let workspace = Path::new(self.state.snapshot.workspace.as_ref());
        if workspace.is_dir() {
            command.current_dir(workspace);
        }
        let mut child = match command.spawn() {
            Ok(child) => child,
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                return failed(format!("program '{program}' not found ({origin})"), editor::HINT);
            }
            Err(error) => {
                return failed(format!("'{program}' cannot be run: {error} ({origin})"), editor::HINT);
            }
        };
        let mut listens = true;
        loop {
            tokio::select! {
                biased;
                status = child.wait() => {
                    return match status {
                        Ok(status) if status.success() => None,
                        Ok(status) => {
                            let hint = "its output is above this screen: quit with q to read it";
                            failed(format!("'{program}' {} ({origin})", editor::ending(status)), hint)
                        }
                        Err(error) => failed(format!("'{program}' was lost: {error}"), ""),
                    };
                }
                reported = signals.next() => match reported {
                    SignalAction::End(signal) if signals::is_for_all(signal) => {
                        self.ended = Some(ExitReason::Signal(signal));
                        end(&mut child, signal).await;
                        return None;
                    }
                    // It came from a key that was meant for the editor.
                    SignalAction::End(_) | SignalAction::Continue => {}
                    // The editor stops itself. The shell shows its prompt once all processes have stopped.
                    SignalAction::Stop => signals::stop_this_process(),
                },
                result = self.handle_engine(), if listens => {
                    // It is reported again after the editor exits.
                    listens = result.is_ok();
                }
            }
        }
    }

    /// Whether a signal comes from the key that ended the editor. This process gets it too, possibly after
    /// the editor has exited. While the screen owns the terminal, no key sends a signal.
    pub(super) fn is_from_editor_key(&self, signal: i32) -> bool {
        !signals::is_for_all(signal) && self.reclaimed_at.is_some_and(|at| at.elapsed() < MAX_SIGNAL_DELAY)
    }

    fn refuse(&mut self, error: Error) -> io::Result<()> {
        self.input(Input::Answer { question: None, response: Response::Done(vec![error]) })
    }
}

/// The arguments of this command. It runs in the folder of the workspace, and names it only if it is one: a named folder
/// counts as a workspace, so the command would write where it refuses to write on its own.
fn arguments(command: &ForegroundCommand, snapshot: &Snapshot) -> Vec<OsString> {
    let words: Vec<&str> = match command {
        ForegroundCommand::Demo => return ["--demo", "--tour"].map(OsString::from).into(),
        ForegroundCommand::Connect => vec!["connect"],
        ForegroundCommand::Add(place) => vec!["add", "--", place],
    };
    let workspace = snapshot.is_workspace.then_some(["--workspace", snapshot.workspace.as_ref()]);
    workspace.into_iter().flatten().chain(["--pause"]).chain(words).map(OsString::from).collect()
}

/// Forwards the signal that ends this program to the editor, so that it does not compete with the shell for
/// the terminal.
async fn end(child: &mut Child, signal: i32) {
    if let Some(id) = child.id() {
        signals::forward(id, signal);
        // Do not kill an editor that ignores the signal: it may have unsaved work.
        let _ = tokio::time::timeout(EXIT_TIMEOUT, child.wait()).await;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_workspace_is_named() {
        let add = ForegroundCommand::Add("-a.md".to_owned());
        for (command, is_workspace, expected) in [
            (&ForegroundCommand::Demo, true, "--demo --tour"),
            (&ForegroundCommand::Connect, true, "--workspace /w --pause connect"),
            (&ForegroundCommand::Connect, false, "--pause connect"),
            (&add, true, "--workspace /w --pause add -- -a.md"),
            (&add, false, "--pause add -- -a.md"),
        ] {
            let snapshot = Snapshot { is_workspace, workspace: "/w".into(), ..Snapshot::default() };
            let words = arguments(command, &snapshot).join(" ".as_ref());
            assert_eq!(words, expected);
        }
    }
}
