//! Bodies of requests and responses. A request's body is read completely or rejected. A request is in progress until its
//! response is sent; a stream that only waits for notifications ends when the server shuts down.

use std::convert::Infallible;
use std::sync::Arc;

use futures_util::StreamExt;
use http_body_util::combinators::BoxBody;
use http_body_util::{BodyExt, BodyStream, Full, LengthLimitError, Limited, StreamBody};
use hyper::body::{Bytes, Incoming};
use tokio::sync::{OwnedSemaphorePermit, watch};
use tokio::time::timeout;

use super::Limits;

/// Why a body was not read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum BodyError {
    /// It exceeds the limit.
    TooLarge,
    /// It took too long.
    TooSlow,
    /// The client disconnected, or sent invalid HTTP.
    Broken,
}

pub(crate) async fn read(body: Incoming, limits: &Limits) -> Result<Bytes, BodyError> {
    use hyper::body::Body;
    if body.size_hint().lower() > limits.body as u64 {
        return Err(BodyError::TooLarge);
    }
    // Read beyond the limit for a while: a client that is still writing would not see the answer.
    let body = timeout(limits.body_time, Limited::new(body, 2 * limits.body).collect()).await;
    match body.map_err(|_| BodyError::TooSlow)? {
        Ok(body) => Some(body.to_bytes()).filter(|body| body.len() <= limits.body).ok_or(BodyError::TooLarge),
        Err(error) if error.is::<LengthLimitError>() => Err(BodyError::TooLarge),
        Err(_) => Err(BodyError::Broken),
    }
}

pub(crate) type ResponseBody = BoxBody<Bytes, Infallible>;

/// The place of a request among those in progress. It is free when neither the response nor the call holds it: a call
/// goes on after its client has disconnected, and the client may come back for the answer.
pub(crate) type RequestSlot = Arc<OwnedSemaphorePermit>;

/// A body that holds its request's slot until it is sent.
pub(super) fn with_slot(body: ResponseBody, slot: RequestSlot) -> ResponseBody {
    body.inspect_frame(move |_| {
        let _ = &slot;
    })
    .boxed()
}

/// A stream of notifications that ends when the server shuts down.
pub(super) fn until_closing(body: ResponseBody, mut closing: watch::Receiver<bool>) -> ResponseBody {
    let closing = async move {
        // An error means that the server has ended.
        let _ = closing.wait_for(|closing| *closing).await;
    };
    BodyExt::boxed(StreamBody::new(BodyStream::new(body).take_until(Box::pin(closing))))
}

pub(crate) fn text(text: impl Into<Bytes>) -> ResponseBody {
    Full::new(text.into()).boxed()
}
