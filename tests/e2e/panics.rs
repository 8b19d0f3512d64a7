//! A panic restores the terminal and leaves a readable report. The binary has no way to panic on demand, so these tests
//! rerun themselves in a pty, with a screen over an engine whose events the test sends.

use std::future::Future;

use portable_pty::CommandBuilder;
use refdesk::tui::{self, StartOptions};
use refdesk_core::config::WorkspaceContext;
use refdesk_core::config::screen::SavedScreen;
use refdesk_core::config::screen_files::ScreenFiles;
use refdesk_core::config::user::Preferences;
use refdesk_desk::engine::{self, Actor, Event, Notice, Topic};
use refdesk_desk::{Options, Session};
use tokio::sync::mpsc;

use crate::support::pty::Pty;

/// Set for the rerun in the pty.
const INNER: &str = "REFDESK_TEST_IN_PTY";

/// Reruns the test with this name in a terminal.
fn again(test: &str) -> Pty {
    let mut command = CommandBuilder::new(std::env::current_exe().unwrap());
    command.args(["--exact", test, "--nocapture"]);
    command.env(INNER, "1");
    Pty::spawn(command, 80, 24)
}

/// Runs a screen and another future until either completes.
fn screen_beside<F: Future<Output = ()>>(other: impl FnOnce(mpsc::Sender<Event>) -> F) {
    let folder = tempfile::tempdir().unwrap();
    let context = WorkspaceContext { workspace: folder.path().to_owned(), ..WorkspaceContext::default() };
    let (engine, _) = engine::start(Options::new(context), Session::of_client("a test")).unwrap();
    let (events_out, events) = mpsc::channel(1);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_io().enable_time().build().unwrap();
    let start = StartOptions::from_env(SavedScreen::default(), &Preferences::default(), &ScreenFiles::default());
    runtime.block_on(async {
        tokio::select! {
            biased;
            ended = tui::run((engine, events), start) => { ended.unwrap(); }
            () = other(events_out.clone()) => {}
        }
    });
}

#[test]
fn a_panic_of_the_screen() {
    if std::env::var_os(INNER).is_some() {
        screen_beside(|_| async { panic!("a deliberate panic of the screen") });
    }
    let pty = again("e2e::panics::a_panic_of_the_screen");
    pty.wait_until("the report", |seen| seen.text().contains("a deliberate panic of the screen"));
    assert_ne!(pty.wait_for_exit().exit_code(), 0);
}

#[test]
fn a_panic_of_another_thread_is_reported_after_the_screen() {
    if std::env::var_os(INNER).is_some() {
        screen_beside(|events| async move {
            let other = std::thread::spawn(|| panic!("a deliberate panic of another thread"));
            assert!(other.join().is_err());
            events.send(Event::Notice(Notice::new(Actor::Files, Topic::Desk, "it happened"))).await.unwrap();
            std::future::pending::<()>().await;
        });
        return;
    }
    let mut pty = again("e2e::panics::a_panic_of_another_thread_is_reported_after_the_screen");
    pty.wait_for("it happened");
    assert!(!pty.text().contains("deliberate"), "{}", pty.text());
    pty.type_bytes("\x03");
    pty.wait_for("a deliberate panic of another thread");
    assert_eq!(pty.wait_for_exit().exit_code(), 0);
}
