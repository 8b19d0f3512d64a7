//! A workspace with an engine over it, and ways to wait.

use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Duration;

use refdesk_core::config::WorkspaceContext;
use refdesk_desk::engine::{self, Engine, Event, Request, Response, Snapshot, Started};
use refdesk_desk::{Desk, Options, Session};
use refdesk_files::write_atomic;
use tokio::sync::{mpsc, watch};

/// Only a failure waits this long.
pub const LONG: Duration = Duration::from_secs(60);

/// A folder with a workspace in it, and an engine that has read it.
pub struct World {
    /// Contains the workspace, with room for files next to it.
    pub folder: tempfile::TempDir,
    pub workspace: PathBuf,
    pub engine: Engine,
    pub snapshots: watch::Receiver<Snapshot>,
    pub events: mpsc::Receiver<Event>,
    pub runtime: tokio::runtime::Runtime,
}

impl World {
    /// `a` mentions `b`; `c` is separate and has a tag; `kit` has a template.
    pub fn new() -> Self {
        Self::of(&[
            ("a.md", "See b.\n"),
            ("b.md", "Nothing.\n"),
            ("c.md", "Nothing.\n"),
            ("kit/greeting.txt.tpl", "Hello {{ name }}!\n"),
            (
                "references.json",
                r#"{"sources": [
                    {"id": "a", "name": "A", "path": "a.md"},
                    {"id": "b", "name": "B", "path": "b.md"},
                    {"id": "c", "name": "C", "path": "c.md", "tags": ["retry"]},
                    {"id": "kit", "name": "Kit", "path": "kit"}
                ]}"#,
            ),
        ])
    }

    /// A workspace with these files.
    pub fn of(files: &[(&str, &str)]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let workspace = folder.path().join("ws");
        fs::create_dir(&workspace).unwrap();
        for (name, text) in files {
            save(&workspace.join(name), text);
        }
        Self::over(folder, workspace)
    }

    /// An engine over an existing workspace.
    pub fn over(folder: tempfile::TempDir, workspace: PathBuf) -> Self {
        let engine = engine::start(options(&workspace), session()).unwrap();
        Self::with(folder, workspace, engine)
    }

    /// The same, after trusting everything outside that the configuration names.
    pub fn trusting(folder: tempfile::TempDir, workspace: PathBuf) -> Self {
        let options = Self::trusted(&folder, &workspace);
        Self::with(folder, workspace, engine::start(options, session()).unwrap())
    }

    /// Trusts everything that currently needs it, and makes the engine read it.
    pub fn trust(&self) {
        Self::trusted(&self.folder, &self.workspace);
        self.ask(Request::Reload);
    }

    fn trusted(folder: &tempfile::TempDir, workspace: &Path) -> Options {
        let options = Options { state: Some(folder.path().join("state")), ..options(workspace) };
        let desk = Desk::open(options.clone());
        desk.trust(&desk.untrusted()).unwrap();
        options
    }

    /// A world with this running engine.
    pub fn with(folder: tempfile::TempDir, workspace: PathBuf, (engine, events): Started) -> Self {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
        let snapshots = engine.snapshots();
        let mut world = Self { folder, workspace, engine, snapshots, events, runtime };
        world.until("everything is read", |snapshot| snapshot.generation > 0 && snapshot.loading.is_none());
        world
    }

    pub fn at(&self, name: &str) -> PathBuf {
        self.workspace.join(name)
    }

    /// Writes to a new file and renames it, as careful editors do.
    pub fn write(&self, name: &str, text: &str) {
        write_atomic(&self.at(name), text.as_bytes()).unwrap();
    }

    /// Overwrites the file in place, as simple editors do.
    pub fn overwrite(&self, name: &str, text: &str) {
        save(&self.at(name), text);
    }

    pub fn remove(&self, name: &str) {
        fs::remove_dir_all(self.at(name)).unwrap();
    }

    pub fn rename(&self, from: &str, to: &str) {
        fs::rename(self.at(from), self.at(to)).unwrap();
    }

    /// Requests a change without waiting for the answer.
    pub fn send(&self, change: Request) {
        assert!(change.is_change() && !self.engine.is_full());
        drop(self.engine.ask(self.engine.session(), change));
    }

    pub fn ask(&self, request: Request) -> Response {
        let answer = self.engine.ask(self.engine.session(), request);
        self.runtime.block_on(async { tokio::time::timeout(LONG, answer).await.unwrap().unwrap() })
    }

    /// The message with which a change was refused.
    pub fn refused(&self, change: Request) -> String {
        let Response::Done(refused) = self.ask(change) else { panic!("another answer") };
        refused.into_iter().map(|refusal| refusal.message).collect()
    }

    pub fn until(&mut self, what: &str, holds: impl FnMut(&Snapshot) -> bool) -> Snapshot {
        let snapshots = &mut self.snapshots;
        let found = self.runtime.block_on(async {
            tokio::time::timeout(LONG, snapshots.wait_for(holds)).await.map(|found| found.unwrap().clone())
        });
        found.unwrap_or_else(|_| panic!("never: {what}"))
    }

    /// Waits until the document of `from` mentions exactly these.
    pub fn until_mentions(&mut self, from: &str, to: &[&str]) -> Snapshot {
        self.until(&format!("{from} mentions {to:?}"), |snapshot| mentions(snapshot, from) == Some(to.to_vec()))
    }

    pub fn event(&mut self, mut wanted: impl FnMut(&Event) -> bool) -> Event {
        let events = &mut self.events;
        self.runtime.block_on(async {
            let next = async {
                loop {
                    let event = events.recv().await.unwrap();
                    if wanted(&event) {
                        return event;
                    }
                }
            };
            tokio::time::timeout(LONG, next).await.unwrap_or_else(|_| panic!("the event never came"))
        })
    }
}

/// The sources mentioned in a document; `None` if it was not read.
pub fn mentions<'a>(snapshot: &'a Snapshot, from: &str) -> Option<Vec<&'a str>> {
    let names = || snapshot.graph.targets(from).map(refdesk_core::catalog::SourceId::as_str).collect();
    snapshot.graph.is_scanned(from).then(names)
}

/// Writes a file in place, and creates its folders.
pub fn save(path: &Path, text: &str) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    File::create(path).unwrap().write_all(text.as_bytes()).unwrap();
}

/// The session of every request, unless another is named.
pub fn session() -> Session {
    Session::of_client("refdesk")
}

pub fn options(workspace: &Path) -> Options {
    let context = WorkspaceContext { workspace: workspace.to_path_buf(), ..WorkspaceContext::default() };
    Options { state: Some(workspace.with_file_name("state")), ..Options::new(context) }
}
