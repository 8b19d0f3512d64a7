//! Asks with an HTTP request: posts JSON, and the response is the answer (BEHAVIOUR §8). `target` and `address`
//! restrict the destination, `secret` adds headers and a signature, and `post` reads the response. Proxies from the
//! environment are ignored, because only the proxy's address could be checked.

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
use super::{Channel, ChannelAnswer, NoAnswer, Request, Wait};
use refdesk_core::config::{self, Environment};
use refdesk_text::Code;

/// Extra time for the posting thread to report its outcome.
const GRACE: Duration = Duration::from_millis(250);

/// The webhook to post to, with its headers and secret.
#[derive(Debug, Clone)]
pub(super) struct Webhook {
    target: Target,
    /// The configured headers and the bearer token.
    headers: Vec<(HeaderName, HeaderValue)>,
    /// Signs the body.
    secret: Option<Secret>,
    /// The timeout of one request.
    timeout: Duration,
}

impl Webhook {
    /// A webhook from the configuration.
    ///
    /// # Errors
    /// A setting is invalid, or an environment variable it names is not set.
    pub(crate) fn new(settings: &config::ChannelSettings, environment: Environment) -> Result<Self, NoAnswer> {
        let target = Target::new(settings)?;
        let headers = secret::headers(settings, environment)?;
        let secret = settings.secret_env.as_deref().map(|name| Secret::of(name, environment)).transpose()?;
        let timeout = Wait::seconds(settings.timeout).left();
        Ok(Self { target, headers, secret, timeout })
    }
}

impl Channel for Webhook {
    /// Posts in a separate thread, so that a slow name server or socket cannot extend the wait.
    fn ask(&self, request: &Request, wait: &Wait) -> Result<ChannelAnswer, NoAnswer> {
        if request.approval.is_some() {
            return Err(NoAnswer::only_on_a_screen());
        }
        let agent = post::agent(&self.target);
        let (sender, receiver) = sync_channel(1);
        let (webhook, asked, waiting, posting) = (self.clone(), request.clone(), wait.clone(), agent.clone());
        let spawned = std::thread::Builder::new().name("webhook".to_owned()).spawn(move || {
            // The caller may have stopped waiting.
            let _ = sender.send(webhook.post(&posting, &asked, &waiting));
        });
        if let Err(error) = spawned {
            return Err(NoAnswer::failed(Code::NotAsked, format!("no thread can be started: {error}"), ""));
        }
        loop {
            match receiver.recv_timeout(wait.check_interval()) {
                Ok(came) => return came,
                Err(RecvTimeoutError::Disconnected) => {
                    return Err(NoAnswer::failed(Code::NotAsked, "the request to the webhook was interrupted", ""));
                }
                Err(RecvTimeoutError::Timeout) if wait.is_cancelled() => {
                    agent.shutdown();
                    return Err(NoAnswer::Cancelled);
                }
                Err(RecvTimeoutError::Timeout) if wait.left().is_zero() => {
                    let came = receiver.recv_timeout(GRACE);
                    agent.shutdown();
                    return came.unwrap_or(Err(NoAnswer::TimedOut));
                }
                Err(RecvTimeoutError::Timeout) => {}
            }
        }
    }
}
