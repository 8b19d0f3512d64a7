//! What comes in and goes out as a body: what comes is read as a whole or refused; what goes out holds its place among the
//! requests under way until the client took it, and a stream that only waits for notices ends when the server shuts down.

use std::convert::Infallible;

use futures_util::StreamExt;
use http_body_util::combinators::BoxBody;
use http_body_util::{BodyExt, BodyStream, Full, LengthLimitError, Limited, StreamBody};
use hyper::body::{Bytes, Incoming};
use tokio::sync::{OwnedSemaphorePermit, watch};
use tokio::time::timeout;

use super::Limits;

/// Why a body was not read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unread {
    /// It is larger than it may be.
    TooLarge,
    /// It took too long.
    TooSlow,
    /// The client broke off, or does not speak HTTP.
    Broken,
}

/// Reads a whole body.
pub async fn read(body: Incoming, limits: &Limits) -> Result<Bytes, Unread> {
    use hyper::body::Body;
    if body.size_hint().lower() > limits.body as u64 {
        return Err(Unread::TooLarge);
    }
    // A client that still writes would not see the answer: what comes beyond the limit is read for a while.
    let body = timeout(limits.body_time, Limited::new(body, 2 * limits.body).collect()).await;
    match body.map_err(|_| Unread::TooSlow)? {
        Ok(body) => Some(body.to_bytes()).filter(|body| body.len() <= limits.body).ok_or(Unread::TooLarge),
        Err(error) if error.is::<LengthLimitError>() => Err(Unread::TooLarge),
        Err(_) => Err(Unread::Broken),
    }
}

/// What goes out.
pub type Answer = BoxBody<Bytes, Infallible>;

/// The answer to a request, which holds its place until this was sent.
pub fn holding(body: Answer, slot: OwnedSemaphorePermit) -> Answer {
    body.inspect_frame(move |_| {
        let _ = &slot;
    })
    .boxed()
}

/// A stream of notices, which ends when the server shuts down.
pub fn until(body: Answer, mut closing: watch::Receiver<bool>) -> Answer {
    let closing = async move {
        // An error means that the server is gone.
        let _ = closing.wait_for(|closing| *closing).await;
    };
    BodyExt::boxed(StreamBody::new(BodyStream::new(body).take_until(Box::pin(closing))))
}

/// A text.
pub fn text(text: impl Into<Bytes>) -> Answer {
    Full::new(text.into()).boxed()
}
