//! Which way a person is asked: what the configuration says, as far as it is trusted and as it is possible here.

use std::path::PathBuf;

use super::{Channel, Request, Unanswered};
use crate::config;
use crate::desk::{Desk, Refusal};

/// What is known of how to ask, apart from the desk.
#[derive(Debug, Clone, PartialEq)]
pub struct Way {
    /// What the configuration says.
    pub settings: config::Channel,
    /// The workspace folder.
    pub workspace: PathBuf,
    /// Why what the configuration says is not done, where the person has not trusted it.
    pub untrusted: Option<Refusal>,
}

impl Way {
    /// The way of this desk.
    pub fn of(desk: &Desk) -> Self {
        let (settings, untrusted) = (desk.channel(), desk.channel_refusal());
        Self { settings, workspace: desk.workspace().to_path_buf(), untrusted }
    }
}

/// Where the one who asks stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// At a terminal, where a person may be asked on standard input.
    Terminal,
    /// Where standard input carries a protocol, or nobody sits.
    Protocol,
}

/// A request for a choice, of all sources that may be picked, or of those with one of these tags.
pub fn request(_desk: &Desk, context: &str, _tags: &[String]) -> Request {
    Request {
        request_id: String::new(),
        timestamp: String::new(),
        context: context.to_owned(),
        sources: Vec::new(),
        asker: super::Asker::default(),
        timeout: None,
        approval: None,
    }
}

/// The channel for it.
///
/// # Errors
/// It cannot be asked here: why, and what to do.
pub fn open(_way: &Way, _place: Place) -> Result<Box<dyn Channel>, Unanswered> {
    let message = "not yet".to_owned();
    Err(Unanswered::Failed { code: "no-channel", message, hint: String::new() })
}
