//! How a desk is opened.

use std::path::PathBuf;
use std::time::{Duration, SystemTime};

use crate::session::DEFAULT;
use refdesk_core::config::{Environment, Surroundings};
use refdesk_files::LOCK_TIMEOUT;
use refdesk_templates::render::Renderer;

/// How a desk is opened.
#[derive(Debug, Clone)]
pub struct Options {
    /// Where the program stands.
    pub around: Surroundings,
    /// Which desk of the workspace.
    pub desk: String,
    /// The file of the profile that replaces what is picked; nothing is stored then.
    pub profile: Option<PathBuf>,
    /// The folder of what belongs to the user and to no workspace; `None` where there is none. Without it, of what is kept in
    /// the workspace only picks and exclusions count.
    pub state: Option<PathBuf>,
    /// Renders templates.
    pub renderer: Renderer,
    /// The variables of the environment, for a channel that is told to use one; by itself it holds none.
    pub environment: Environment,
    /// Tells the time.
    pub clock: fn() -> SystemTime,
    /// How long another process that writes is waited for.
    pub patience: Duration,
    /// Whether the desk lives on and should remember what documents named.
    pub lives_on: bool,
}

impl Options {
    /// The default desk of a workspace, for one command.
    pub fn new(around: Surroundings) -> Self {
        Self {
            around,
            desk: DEFAULT.to_owned(),
            profile: None,
            state: None,
            renderer: Renderer::in_process(),
            environment: Environment::default(),
            clock: SystemTime::now,
            patience: LOCK_TIMEOUT,
            lives_on: false,
        }
    }
}
