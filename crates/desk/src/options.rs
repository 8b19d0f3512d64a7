//! Options for opening a desk.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, SystemTime};

use crate::background::IndexProcess;
use crate::session::DEFAULT;
use refdesk_core::catalog::EntryFilter;
use refdesk_core::config::{Environment, WorkspaceContext};
use refdesk_files::LOCK_TIMEOUT;
use refdesk_templates::render::Renderer;
use refdesk_text::Fix;

/// Options for opening a desk.
#[derive(Debug, Clone)]
pub struct Options {
    /// The workspace, the current folder and the home folder.
    pub context: WorkspaceContext,
    /// The name of the desk.
    pub desk: String,
    /// The file of a profile that replaces the stored picks. Under a profile, nothing is stored.
    pub profile: Option<PathBuf>,
    /// The folder for the user's own state, outside every workspace. Without it, only picks and exclusions are stored
    /// and trusted.
    pub state: Option<PathBuf>,
    /// The template renderer.
    pub renderer: Renderer,
    /// The environment variables, for a channel configured to use some. Empty by default.
    pub environment: Environment,
    /// The clock.
    pub clock: fn() -> SystemTime,
    /// The lock timeout.
    pub lock_timeout: Duration,
    /// Set by another thread to stop reading databases.
    pub is_stopped: Arc<AtomicBool>,
    /// Whether the desk is long-running and should cache mentions in memory.
    pub is_long_running: bool,
    /// Keeps the search index up to date; without it, only `refdesk index` does.
    pub index_process: Option<IndexProcess>,
    /// Whether this is a test of what an agent would get: nothing is cached or extracted, and a server neither journals
    /// nor announces its presence.
    pub is_trial: bool,
    /// The catalog entries to read.
    pub wanted: EntryFilter,
    /// What to do about the name of a tool that does not exist; `None` for one that does. By default, every name is taken
    /// for a tool.
    pub tool_fix: fn(&str) -> Option<Fix>,
}

impl Options {
    /// The default desk of a workspace, for one command.
    pub fn new(context: WorkspaceContext) -> Self {
        Self {
            context,
            desk: DEFAULT.to_owned(),
            profile: None,
            state: None,
            renderer: Renderer::in_process(),
            environment: Environment::default(),
            clock: SystemTime::now,
            lock_timeout: LOCK_TIMEOUT,
            is_stopped: Arc::default(),
            is_long_running: false,
            index_process: None,
            is_trial: false,
            wanted: EntryFilter::All,
            tool_fix: |_| None,
        }
    }

    /// Whether the catalog will be compared with a later one. A partial catalog will not.
    pub(crate) fn is_compared(&self) -> bool {
        self.is_long_running && self.wanted == EntryFilter::All
    }
}
