//! Asking by an HTTP request: posted as JSON, answered in the response (BEHAVIOUR §8). Where it may go stands in `target` and
//! `address`, what goes with it in `secret`, and what comes back is read in `post`. No proxy of the environment is used: it
//! would be the proxy's address that is looked at.

mod address;
mod post;
mod secret;
mod target;
#[cfg(test)]
mod tests;

use std::sync::mpsc::{RecvTimeoutError, sync_channel};
use std::time::Duration;

use ureq::http::{HeaderName, HeaderValue};

use self::secret::Secret;
use self::target::Target;
use super::{Answered, Channel, Request, Unanswered, Wait};
use refdesk_core::config::{self, Environment};
use refdesk_text::Code;

/// A wait that is over is given so much longer, for whoever posts to say what became of it.
const GRACE: Duration = Duration::from_millis(250);

/// Whom to post to, and what goes with it.
#[derive(Debug, Clone)]
pub(super) struct Webhook {
    target: Target,
    /// Those of the configuration, and the bearer token.
    headers: Vec<(HeaderName, HeaderValue)>,
    /// Signs what is posted.
    secret: Option<Secret>,
    /// For one request.
    timeout: Duration,
}

impl Webhook {
    /// As the configuration says.
    ///
    /// # Errors
    /// What of it cannot be used; a variable that it names and that is not set.
    pub fn new(settings: &config::ChannelSettings, environment: Environment) -> Result<Self, Unanswered> {
        let target = Target::new(settings)?;
        let headers = secret::headers(settings, environment)?;
        let secret = settings.secret_env.as_deref().map(|name| Secret::of(name, environment)).transpose()?;
        let timeout = Wait::seconds(settings.timeout).left();
        Ok(Self { target, headers, secret, timeout })
    }
}

impl Channel for Webhook {
    /// Posts on a thread of its own: so the wait is kept whatever a name server or a socket does.
    fn ask(&self, request: &Request, wait: &Wait) -> Result<Answered, Unanswered> {
        if request.approval.is_some() {
            return Err(Unanswered::only_on_a_screen());
        }
        let agent = post::agent(&self.target);
        let (tell, told) = sync_channel(1);
        let (webhook, asked, waiting, posting) = (self.clone(), request.clone(), wait.clone(), agent.clone());
        let spawned = std::thread::Builder::new().name("webhook".to_owned()).spawn(move || {
            // Whoever asked may have gone.
            let _ = tell.send(webhook.post(&posting, &asked, &waiting));
        });
        if let Err(error) = spawned {
            return Err(Unanswered::failed(Code::NotAsked, format!("no thread can be started: {error}"), ""));
        }
        loop {
            match told.recv_timeout(wait.glance()) {
                Ok(came) => return came,
                Err(RecvTimeoutError::Disconnected) => {
                    return Err(Unanswered::failed(Code::NotAsked, "the request to the webhook broke off", ""));
                }
                Err(RecvTimeoutError::Timeout) if wait.is_given_up() => {
                    agent.shutdown();
                    return Err(Unanswered::GivenUp);
                }
                Err(RecvTimeoutError::Timeout) if wait.left().is_zero() => {
                    let came = told.recv_timeout(GRACE);
                    agent.shutdown();
                    return came.unwrap_or(Err(Unanswered::TimedOut));
                }
                Err(RecvTimeoutError::Timeout) => {}
            }
        }
    }
}
