//! Limits the size of a server's messages, and of all that it sends between two requests. A message announces its length
//! in four bytes, and the driver buffers it whole before parsing it, then all rows of an answer, without a limit. A
//! hostile server, or a program that is not a PostgreSQL server, could fill the memory, so the driver reads through these
//! streams. A socket of this machine needs no limit.

use std::convert::Infallible;
use std::future::{Future, Ready, ready};
use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready as awaited};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio_postgres::Socket;
use tokio_postgres::tls::{ChannelBinding, MakeTlsConnect, TlsConnect, TlsStream};
use tokio_postgres_rustls::MakeRustlsConnect;

/// The most bytes of a message.
const MESSAGE: u32 = 64 * 1024 * 1024;

/// The most bytes that are read before the next request.
pub(crate) const ANSWER: u64 = 512 * 1024 * 1024;

/// The bytes that the driver needs to keep a message, beside those of its content: a small row takes many times its size.
const KEPT: u64 = 128;

/// The tag of a message with a setting of the server, which the driver keeps as long as the connection.
const SETTING: u8 = b'S';

/// The bytes of a message's tag and length.
const HEADER: u8 = 5;

/// A stream of messages from a server, which fails at a message that is too large.
pub(crate) struct Bounded<S> {
    inner: S,
    binding: fn(&S) -> ChannelBinding,
    messages: Messages,
}

/// The position in a stream of messages.
#[derive(Debug, Default)]
struct Messages {
    /// The bytes of the header that were read.
    header: u8,
    /// The length according to these bytes.
    length: u32,
    /// The bytes of the message that were not read yet.
    body: u32,
    is_setting: bool,
    /// The bytes of all settings.
    settings: u64,
    /// The bytes of the answer, with all settings.
    answer: u64,
}

impl Messages {
    fn pass(&mut self, mut bytes: &[u8]) -> io::Result<()> {
        while let Some((first, rest)) = bytes.split_first() {
            if self.body > 0 {
                let here = bytes.len().min(usize::try_from(self.body).unwrap_or(usize::MAX));
                self.body -= u32::try_from(here).unwrap_or(self.body);
                bytes = bytes.get(here..).unwrap_or_default();
                continue;
            }
            match self.header {
                0 => self.is_setting = *first == SETTING,
                _ => self.length = (self.length << 8) | u32::from(*first),
            }
            self.header += 1;
            bytes = rest;
            if self.header == HEADER {
                // The length includes its own four bytes.
                let body = self.length.checked_sub(4).filter(|_| self.length <= MESSAGE);
                self.body = body.ok_or(io::ErrorKind::InvalidData)?;
                let size = u64::from(self.length) + KEPT;
                self.answer += size;
                self.settings += if self.is_setting { size } else { 0 };
                (self.header, self.length) = (0, 0);
                if self.answer > ANSWER {
                    return Err(io::ErrorKind::FileTooLarge.into());
                }
            }
        }
        Ok(())
    }

    /// Begins the answer to another request.
    fn request(&mut self) {
        self.answer = self.settings;
    }
}

impl<S> Bounded<S> {
    fn new(inner: S, binding: fn(&S) -> ChannelBinding) -> Self {
        Self { inner, binding, messages: Messages::default() }
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin> TlsStream for Bounded<S> {
    fn channel_binding(&self) -> ChannelBinding {
        (self.binding)(&self.inner)
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Bounded<S> {
    fn poll_read(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buffer: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        awaited!(Pin::new(&mut self.inner).poll_read(cx, buffer))?;
        Poll::Ready(self.messages.pass(buffer.filled().get(before..).unwrap_or_default()))
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Bounded<S> {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        self.messages.request();
        Pin::new(&mut self.inner).poll_write(cx, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.inner).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.inner).poll_shutdown(cx)
    }
}

/// Connects without TLS. The driver lets only a TLS connector wrap its stream, so this one encrypts nothing.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Plain;

impl MakeTlsConnect<Socket> for Plain {
    type Stream = Bounded<Socket>;
    type TlsConnect = Self;
    type Error = Infallible;

    fn make_tls_connect(&mut self, _: &str) -> Result<Self, Infallible> {
        Ok(Self)
    }
}

impl TlsConnect<Socket> for Plain {
    type Stream = Bounded<Socket>;
    type Error = Infallible;
    type Future = Ready<Result<Bounded<Socket>, Infallible>>;

    fn connect(self, stream: Socket) -> Self::Future {
        ready(Ok(Bounded::new(stream, |_| ChannelBinding::none())))
    }
}

#[derive(Clone)]
pub(crate) struct Encrypted(pub MakeRustlsConnect);

/// The TLS handshake of one connection.
pub(crate) struct Handshake(Connector);

type Connector = <MakeRustlsConnect as MakeTlsConnect<Socket>>::TlsConnect;
type Stream = <MakeRustlsConnect as MakeTlsConnect<Socket>>::Stream;

impl MakeTlsConnect<Socket> for Encrypted {
    type Stream = Bounded<Stream>;
    type TlsConnect = Handshake;
    type Error = <MakeRustlsConnect as MakeTlsConnect<Socket>>::Error;

    fn make_tls_connect(&mut self, host: &str) -> Result<Handshake, Self::Error> {
        MakeTlsConnect::<Socket>::make_tls_connect(&mut self.0, host).map(Handshake)
    }
}

impl TlsConnect<Socket> for Handshake {
    type Stream = Bounded<Stream>;
    type Error = <Connector as TlsConnect<Socket>>::Error;
    type Future = Pin<Box<dyn Future<Output = Result<Bounded<Stream>, Self::Error>> + Send>>;

    fn connect(self, stream: Socket) -> Self::Future {
        let done = self.0.connect(stream);
        Box::pin(async move { done.await.map(|stream| Bounded::new(stream, TlsStream::channel_binding)) })
    }
}

#[cfg(test)]
mod tests {
    use std::io::{Read, Write};
    use std::net::{SocketAddr, TcpListener};
    use std::sync::Arc;
    use std::thread;

    use super::*;
    use crate::refusal::RefusalKind;
    use crate::{Address, ReadingSession};

    #[test]
    fn messages_are_followed_whatever_the_pieces() {
        let of = |length: u32, body: usize| [&[b'R'][..], &length.to_be_bytes(), &vec![0; body]].concat();
        let good = [of(4, 0), of(12, 8), of(300, 296), of(MESSAGE, 0)].concat();
        for size in [1, 2, 3, 7, 1_000] {
            let mut messages = Messages::default();
            assert!(good.chunks(size).all(|piece| messages.pass(piece).is_ok()), "{size}");
            assert_eq!(messages.body, MESSAGE - 4);
        }
        for wrong in [of(3, 0), of(MESSAGE + 1, 0), of(u32::MAX, 0), b"HTTP/1.1 400 Bad Request\r\n".to_vec()] {
            assert!(Messages::default().pass(&wrong).is_err(), "{wrong:?}");
        }
    }

    #[test]
    fn the_messages_of_an_answer_are_limited_together() {
        let of = |tag: u8, length: u32| [&[tag][..], &length.to_be_bytes(), &vec![0; length as usize - 4]].concat();
        let (small, row, setting) = (of(b'D', 6), of(b'D', 1024 * 1024 - 128), of(b'S', 1024 * 1024 - 128));
        let mut messages = Messages::default();
        messages.pass(&small.repeat(100)).unwrap();
        assert_eq!(messages.answer, 100 * (6 + KEPT));
        messages.request();
        for _ in 0..2 {
            assert!((0..510).all(|_| messages.pass(&row).is_ok()));
            messages.request();
        }
        // The driver forgets the rows, but not the settings.
        assert!([&setting, &setting, &row].into_iter().all(|message| messages.pass(message).is_ok()));
        messages.request();
        assert!((0..510).all(|_| messages.pass(&row).is_ok()));
        assert_eq!(messages.pass(&small).unwrap_err().kind(), io::ErrorKind::FileTooLarge);
    }

    /// The client knows only that the connection ended.
    #[test]
    fn the_reason_for_the_end_of_a_connection_is_reported() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let server = thread::spawn(move || {
            let (mut client, _) = listener.accept().unwrap();
            let mut length = [0; 4];
            client.read_exact(&mut length).unwrap();
            client.read_exact(&mut vec![0; u32::from_be_bytes(length) as usize - 4]).unwrap();
            client.write_all(b"R\0\0\0\x08\0\0\0\0Z\0\0\0\x05I").unwrap();
            client.read_exact(&mut length).unwrap();
            client.write_all(b"T\x7f\xff\xff\xff").unwrap();
            drop(client.read_to_end(&mut Vec::new()));
        });
        let address = Address::parse(&format!("postgres://ann@127.0.0.1:{port}/x?sslmode=disable")).unwrap();
        let refusal = ReadingSession::open(&address, &Arc::default()).unwrap_err();
        assert_eq!(refusal.kind, RefusalKind::Foreign, "{refusal}");
        server.join().unwrap();
    }

    const SSL_REQUEST: [u8; 4] = [4, 210, 22, 47];

    /// A server that answers each connection with what `answer` returns for its first bytes.
    fn server(answer: fn(&[u8]) -> (&'static [u8], usize)) -> (SocketAddr, thread::JoinHandle<usize>) {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let serve = move || {
            let mut sent = 0;
            for _ in 0..2 {
                let (mut client, _) = listener.accept().unwrap();
                let mut asked = [0; 8];
                client.read_exact(&mut asked).unwrap();
                let (bytes, times) = answer(&asked);
                for _ in 0..times {
                    match client.write_all(bytes) {
                        Ok(()) => sent += bytes.len(),
                        Err(_) => break,
                    }
                }
            }
            sent
        };
        (address, thread::spawn(serve))
    }

    #[test]
    fn a_server_that_is_not_postgresql_is_reported_and_fills_no_memory() {
        static HUGE: &[u8] = &[0x7f; 64 * 1024];
        type Program = fn(&[u8]) -> (&'static [u8], usize);
        let programs: [Program; 3] = [
            |_| (b"HTTP/1.1 400 Bad Request\r\n\r\n", 1),
            |asked| if asked.ends_with(&SSL_REQUEST) { (b"N", 1) } else { (HUGE, 100_000) },
            |asked| if asked.ends_with(&SSL_REQUEST) { (b"N", 1) } else { (b"N\0\0\0\x03", 1) },
        ];
        for program in programs {
            let (place, server) = server(program);
            let address = Address::parse(&format!("postgres://ann@127.0.0.1:{}/x", place.port())).unwrap();
            let refusal = ReadingSession::open(&address, &Arc::default()).unwrap_err();
            assert_eq!((refusal.kind, refusal.is_transient()), (RefusalKind::Foreign, false), "{refusal}");
            assert_eq!(refusal.words, "the program that answers is not a PostgreSQL server");
            assert!(server.join().unwrap() < 32 * 1024 * 1024);
        }
    }

    /// The driver reports only the last host's error, so the first host may be the server without TLS.
    #[test]
    fn each_of_several_hosts_is_tried_without_tls_too() {
        let (place, server) = server(|asked| if asked[4..] == SSL_REQUEST { (b"N", 1) } else { (b"!", 1) });
        let url = format!("postgres://ann@127.0.0.1:{},127.0.0.1:1/x", place.port());
        ReadingSession::open(&Address::parse(&url).unwrap(), &Arc::default()).unwrap_err();
        assert_eq!(server.join().unwrap(), 2, "it was asked for TLS, then without");
    }
}
