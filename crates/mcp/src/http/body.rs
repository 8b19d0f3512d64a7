//! What comes in and goes out as a body: what comes is taken whole or not at all; what goes out holds its place among the
//! requests under way until the client took it, and a stream that only waits for notices ends when the server is to end.

use std::convert::Infallible;
use std::pin::Pin;
use std::task::{Context, Poll};

use http_body_util::combinators::BoxBody;
use http_body_util::{BodyExt, Full};
use hyper::body::{Body, Bytes, Frame, SizeHint};
use tokio::sync::OwnedSemaphorePermit;
use tokio::time::timeout;

use super::Limits;

/// Why a body was not taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unread {
    /// It is larger than it may be.
    TooLarge,
    /// It took too long.
    TooSlow,
    /// The client broke off, or does not keep to HTTP.
    Broken,
}

/// Takes a body whole.
pub async fn read<B>(body: B, limits: &Limits) -> Result<Bytes, Unread>
where
    B: Body<Data = Bytes> + Unpin,
{
    // Whoever says it beforehand need not be listened to.
    if body.size_hint().lower() > limits.body as u64 {
        return Err(Unread::TooLarge);
    }
    timeout(limits.body_time, collect(body, limits.body)).await.unwrap_or(Err(Unread::TooSlow))
}

async fn collect<B>(mut body: B, most: usize) -> Result<Bytes, Unread>
where
    B: Body<Data = Bytes> + Unpin,
{
    let mut all = Vec::new();
    let mut size = 0;
    while let Some(frame) = body.frame().await {
        let Ok(data) = frame.map_err(|_| Unread::Broken)?.into_data() else { continue };
        size += data.len();
        if size <= most {
            all.extend_from_slice(&data);
        } else {
            all = Vec::new();
        }
        // What comes beyond the limit is thrown away for a while: a client that still writes would not see the answer.
        if size > 2 * most {
            break;
        }
    }
    if size > most { Err(Unread::TooLarge) } else { Ok(all.into()) }
}

/// What ends when the server is to end.
pub type Closing = Pin<Box<dyn Future<Output = ()> + Send>>;

/// What goes out.
pub struct Answer {
    inner: BoxBody<Bytes, Infallible>,
    /// The place among the requests under way; free when this is dropped.
    _slot: Option<OwnedSemaphorePermit>,
    closing: Option<Closing>,
}

impl Answer {
    /// The answer to a request that is under way as long as this goes out.
    pub fn new(inner: BoxBody<Bytes, Infallible>, slot: Option<OwnedSemaphorePermit>) -> Self {
        Self { inner, _slot: slot, closing: None }
    }

    /// A stream that only waits for notices.
    pub fn until(inner: BoxBody<Bytes, Infallible>, closing: Closing) -> Self {
        Self { inner, _slot: None, closing: Some(closing) }
    }

    /// A text that is there.
    pub fn text(text: impl Into<Bytes>) -> Self {
        Self::new(Full::new(text.into()).boxed(), None)
    }
}

impl Body for Answer {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        if let Some(closing) = &mut self.closing
            && closing.as_mut().poll(context).is_ready()
        {
            self.closing = None;
            self.inner = Full::default().boxed();
        }
        Pin::new(&mut self.inner).poll_frame(context)
    }

    fn is_end_stream(&self) -> bool {
        self.inner.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.inner.size_hint()
    }
}
