//! Selects the channel: the configured one if it is trusted and can be used here.

use std::path::PathBuf;

use super::console::Console;
use super::file::{Files, poll};
use super::folder::{ChannelFolder, configured, default_folder};
use super::presence::{PresenceKind, is_open};
use super::webhook::Webhook;
use super::{Channel, ChannelAnswer, NoAnswer, Request, Wait};
use crate::Desk;
use refdesk_core::config::{self, ChannelKind, Environment};
use refdesk_files::Sealer;
use refdesk_text::{Code, Error, Fix};

/// What asking needs from the desk.
#[derive(Debug, Clone, PartialEq)]
pub struct ChannelSetup {
    /// The channel settings of the configuration.
    pub settings: config::ChannelSettings,
    /// The workspace folder.
    pub workspace: PathBuf,
    /// The environment variables, some of which a webhook may use.
    pub environment: Environment,
    /// Why the configured channel is not used, if the user has not trusted it.
    pub untrusted: Option<Error>,
    /// How answers of this user's screens are recognized.
    pub sealer: Sealer,
}

impl ChannelSetup {
    /// The settings of this desk.
    pub fn of(desk: &Desk) -> Self {
        let (mut settings, untrusted) = (desk.channel(), desk.channel_refusal());
        settings.base_path = settings.base_path.map(|base| config::expand(desk.workspace_context(), &base));
        let (workspace, environment) = (desk.workspace().to_path_buf(), desk.environment());
        Self { settings, workspace, environment, untrusted, sealer: desk.sealer().clone() }
    }

    fn files(&self, folder: ChannelFolder) -> Files {
        let (workspace, sealer) = (self.workspace.clone(), self.sealer.clone());
        Files { workspace, folder, poll: poll(self.settings.poll_interval), sealer }
    }
}

/// Where the requester runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// At a terminal, where standard input can be used to ask.
    Terminal,
    /// Standard input carries a protocol, or there is no terminal.
    Protocol,
}

/// Opens the configured channel, or an open screen if the console cannot be used.
///
/// # Errors
/// The channel cannot be used here: why, and what to do.
pub fn open(setup: &ChannelSetup, place: Place) -> Result<Box<dyn Channel>, NoAnswer> {
    if let Some(error) = setup.untrusted.clone() {
        return Err(NoAnswer::Failed(error));
    }
    Ok(match setup.settings.kind {
        ChannelKind::Console if place == Place::Terminal => Box::new(Console),
        ChannelKind::Console if !is_open(&setup.workspace, PresenceKind::Screen) => {
            return Err(NoAnswer::failed(
                Code::NoChannel,
                "the channel 'console' needs a terminal or an open screen of this workspace, and there is neither",
                Fix::All(vec![Fix::OpenScreen, "or set channel.type to queue, file or webhook".into()]),
            ));
        }
        ChannelKind::Console | ChannelKind::Queue => Box::new(setup.files(default_folder(&setup.workspace))),
        ChannelKind::File => Box::new(setup.files(configured(setup).map_err(NoAnswer::Failed)?)),
        ChannelKind::Webhook => Box::new(Webhook::new(&setup.settings, setup.environment)?),
    })
}

/// Asks only on a running screen, since a write is approved where its content is shown.
///
/// # Errors
/// Why there is no answer, or that no screen of the workspace is open.
pub fn ask_screen(setup: &ChannelSetup, request: &Request, wait: &Wait) -> Result<ChannelAnswer, NoAnswer> {
    if !is_open(&setup.workspace, PresenceKind::Screen) {
        return Err(NoAnswer::failed(Code::NoScreen, "no screen of this workspace is open", Fix::OpenScreen));
    }
    setup.files(default_folder(&setup.workspace)).ask(request, wait)
}
