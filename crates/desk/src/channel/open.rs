//! Which way a person is asked: what the configuration says, as far as it is trusted and as it is possible here.

use std::path::PathBuf;

use super::console::Console;
use super::file::{Files, poll};
use super::folder::{Base, configured, default_folder};
use super::presence::is_anybody_there;
use super::webhook::Webhook;
use super::{Answered, Channel, Request, Unanswered, Wait};
use crate::Desk;
use refdesk_core::config::{self, ChannelKind, Environment};
use refdesk_text::{Code, Error};

/// What is known of how to ask, apart from the desk.
#[derive(Debug, Clone, PartialEq)]
pub struct Way {
    /// What the configuration says.
    pub settings: config::ChannelSettings,
    /// The workspace folder.
    pub workspace: PathBuf,
    /// The variables of the environment, of which a webhook is told to use some.
    pub environment: Environment,
    /// Why what the configuration says is not done, where the person has not trusted it.
    pub untrusted: Option<Error>,
}

impl Way {
    /// The way of this desk.
    pub fn of(desk: &Desk) -> Self {
        let (mut settings, untrusted) = (desk.channel(), desk.channel_refusal());
        settings.base_path = settings.base_path.map(|base| config::expand(desk.around(), &base));
        let (workspace, environment) = (desk.workspace().to_path_buf(), desk.environment());
        Self { settings, workspace, environment, untrusted }
    }

    fn files(&self, folder: Base) -> Files {
        Files { workspace: self.workspace.clone(), folder, poll: poll(self.settings.poll_interval) }
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

/// The channel that the configuration names. A console where nobody can be asked at one is a screen, if any is open.
///
/// # Errors
/// It cannot be asked here: why, and what to do.
pub fn open(way: &Way, place: Place) -> Result<Box<dyn Channel>, Unanswered> {
    if let Some(error) = way.untrusted.clone() {
        return Err(Unanswered::Failed(error));
    }
    Ok(match way.settings.kind {
        ChannelKind::Console if place == Place::Terminal => Box::new(Console),
        ChannelKind::Console if !is_anybody_there(&way.workspace) => {
            return Err(Unanswered::failed(
                Code::NoChannel,
                "the channel 'console' asks at a terminal, there is none here, and no screen of this workspace is open",
                "open `refdesk` in this workspace and ask again, or set channel.type to queue, file or webhook",
            ));
        }
        ChannelKind::Console | ChannelKind::Queue => Box::new(way.files(default_folder(&way.workspace))),
        ChannelKind::File => Box::new(way.files(configured(way))),
        ChannelKind::Webhook => Box::new(Webhook::new(&way.settings, way.environment)?),
    })
}

/// Asks on a running screen, and nowhere else: a yes to a write is said by whoever sees what would be written.
///
/// # Errors
/// There is no answer, and why; no screen of the workspace is open.
pub fn ask_screen(way: &Way, request: &Request, wait: &Wait) -> Result<Answered, Unanswered> {
    if !is_anybody_there(&way.workspace) {
        let hint = "open `refdesk` in this workspace and ask again";
        return Err(Unanswered::failed(Code::NoScreen, "no screen of this workspace is open", hint));
    }
    way.files(default_folder(&way.workspace)).ask(request, wait)
}
