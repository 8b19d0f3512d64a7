//! Stub.
use super::{Answered, Channel, Request, Unanswered, Wait};
use crate::config::{self, Environment};

pub(super) struct Webhook;

impl Webhook {
    pub(super) fn new(_settings: &config::Channel, _environment: Environment) -> Result<Self, Unanswered> {
        Err(Unanswered::failed("no-channel", "not yet", ""))
    }
}

impl Channel for Webhook {
    fn ask(&self, _request: &Request, _wait: &Wait) -> Result<Answered, Unanswered> {
        Err(Unanswered::failed("no-channel", "not yet", ""))
    }
}
