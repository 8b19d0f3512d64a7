//! Renders in this process, or in a worker process that can be killed.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use super::worker::WorkerClient;
use super::{RenderJob, Rendered, render};
use refdesk_text::{Code, Error};

/// Renders jobs. Cheap to clone; clones share one worker, which starts with the first job and ends with the last clone.
#[derive(Debug, Clone, Default)]
pub struct Renderer {
    /// `None` renders in this process.
    worker: Option<Arc<WorkerRenderer>>,
}

#[derive(Debug)]
struct WorkerRenderer {
    program: PathBuf,
    worker: Mutex<Option<WorkerClient>>,
}

impl Renderer {
    /// A renderer in this process, for trusted templates.
    pub fn in_process() -> Self {
        Self { worker: None }
    }

    /// A renderer with a worker; `program` is the absolute path of this program (`refdesk`). Never renders in this
    /// process, even if no worker can be started.
    pub fn with_worker(program: PathBuf) -> Self {
        Self { worker: Some(Arc::new(WorkerRenderer { program, worker: Mutex::new(None) })) }
    }

    /// Renders one job at a time; concurrent calls wait.
    ///
    /// # Errors
    /// See [`render`]; also if the worker exceeded a limit, died, or cannot be started.
    pub fn render(&self, job: &RenderJob) -> Result<Rendered, Error> {
        match &self.worker {
            None => render(job),
            Some(worker) => worker.render(job),
        }
    }
}

impl WorkerRenderer {
    fn render(&self, job: &RenderJob) -> Result<Rendered, Error> {
        let frame = WorkerClient::frame(job)?;
        let mut place = self.worker.lock().unwrap_or_else(PoisonError::into_inner);
        let is_warm = place.is_some();
        match self.ask(&mut place, frame.clone()) {
            // If something killed a worker that had worked before, this job need not be the cause, so try once more.
            Err(error) if is_warm && error.code == Code::WorkerEnded => self.ask(&mut place, frame),
            outcome => outcome,
        }
    }

    fn ask(&self, place: &mut Option<WorkerClient>, frame: Arc<Vec<u8>>) -> Result<Rendered, Error> {
        let mut worker = place.take().map_or_else(|| WorkerClient::start(&self.program), Ok)?;
        match worker.ask(frame) {
            Ok(outcome) => {
                *place = Some(worker);
                outcome
            }
            Err(is_late) => Err(worker.end(is_late)),
        }
    }
}
