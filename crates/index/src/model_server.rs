//! A process that has loaded the model computes vectors for other processes of the same user: a hook that has to load
//! the model spends most of its time on that. An open screen or server listens on a Unix socket in the user's state
//! folder. If there is none, or it does not answer in time, the model is loaded as usual.
//!
//! A lender greets with its version and model on one line. A request consists of one byte for the kind of question, one
//! byte for the number of texts, and each text preceded by its length as four bytes, little-endian. Each answer has a
//! fixed length, and the answers are in the order of the texts. A lender that cannot answer closes the connection.

use std::fs::{self, DirBuilder};
use std::io::{self, Read, Write};
use std::os::unix::fs::{DirBuilderExt, MetadataExt};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use tempfile::TempPath;

use crate::embedder::Embedder;
use crate::lazy_model::LazyModel;
use crate::minilm::{NAME, STORED, stored};
use crate::vector::Vector;

/// The folder for sockets in the user's state folder.
const FOLDER: &str = "model";

const EMBED: u8 = 1;
const KNOWS: u8 = 2;

/// The longest text sent, in bytes. With a longer one, loading the model is a small part of the time.
const LONGEST: usize = 64 * 1024;

/// How long a borrower waits for the greeting: about as long as loading the model takes. Longer in tests, which may
/// share their processors.
const GREETING_TIME: Duration = Duration::from_millis(if cfg!(test) { 1_000 } else { 20 });

/// How long a borrower waits for answers; the lender may have to load the model first.
const ANSWER_TIME: Duration = Duration::from_millis(1_000);

/// How long a lender waits for the next question.
const QUESTION_TIME: Duration = Duration::from_millis(if cfg!(test) { 30_000 } else { 500 });

/// The most connections at a time; further processes load the model themselves.
const MAX_AT_ONCE: usize = 4;

/// The most sockets that a borrower tries. Those of killed processes are removed by whichever process finds them.
const MAX_TRIED: usize = 8;

fn greeting() -> String {
    format!("refdesk-model 3 {NAME}\n")
}

/// Lends the model, which the first question loads, until it is dropped.
pub struct ModelServer {
    is_closed: Arc<AtomicBool>,
    /// Removed on drop.
    socket: TempPath,
}

impl ModelServer {
    /// Lends the model to processes that look for it in this user state folder.
    ///
    /// # Errors
    /// The folder does not exist yet (a lender does not create it), the socket cannot be created, for example because
    /// its path is too long, or no thread can be started.
    pub fn start(state: &Path) -> io::Result<Self> {
        Self::serve(state, LazyModel::default())
    }

    fn serve(state: &Path, model: impl Embedder + 'static) -> io::Result<Self> {
        let folder = state.join(FOLDER);
        match DirBuilder::new().mode(0o700).create(&folder) {
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(error),
            _ => {}
        }
        let (listener, socket) =
            tempfile::Builder::new().prefix("lender-").make_in(&folder, |path| UnixListener::bind(path))?.into_parts();
        let is_closed = Arc::new(AtomicBool::new(false));
        let closed = is_closed.clone();
        let model = Arc::new(model);
        let serve = move || {
            // A persistent error, such as too many open files, would recur immediately, so stop at any error.
            for stream in listener.incoming().map_while(Result::ok) {
                if closed.load(Ordering::Relaxed) {
                    return;
                }
                if Arc::strong_count(&model) > MAX_AT_ONCE {
                    continue;
                }
                let model = model.clone();
                // If no thread can be started, the other process gets no answer and loads the model itself.
                let _ = thread::Builder::new().name("model".to_owned()).spawn(move || answer(stream, &*model));
            }
        };
        thread::Builder::new().name("model".to_owned()).spawn(serve)?;
        Ok(Self { is_closed, socket })
    }
}

impl Drop for ModelServer {
    fn drop(&mut self) {
        self.is_closed.store(true, Ordering::Relaxed);
        // Wake up the thread.
        let _ = UnixStream::connect(&self.socket);
    }
}

fn answer(mut stream: UnixStream, model: &dyn Embedder) -> io::Result<()> {
    stream.set_read_timeout(Some(QUESTION_TIME))?;
    stream.set_write_timeout(Some(QUESTION_TIME))?;
    stream.write_all(greeting().as_bytes())?;
    loop {
        let mut head = [0; 2];
        stream.read_exact(&mut head)?;
        let [what, count] = head;
        let texts = (0..count).map(|_| read_text(&mut stream)).collect::<io::Result<Vec<_>>>()?;
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        let answers = match what {
            EMBED => model.embed_all(&texts).map(|vectors| vectors.iter().flat_map(as_stored).collect()),
            KNOWS => texts.iter().map(|word| model.knows(word).map(u8::from)).collect::<Result<Vec<u8>, _>>(),
            _ => return Err(io::ErrorKind::InvalidData.into()),
        };
        stream.write_all(&answers.map_err(|error| io::Error::other(error.message))?)?;
    }
}

fn read_text(stream: &mut UnixStream) -> io::Result<String> {
    let mut length = [0; 4];
    stream.read_exact(&mut length)?;
    let length = u32::from_le_bytes(length) as usize;
    if length > LONGEST {
        return Err(io::ErrorKind::InvalidData.into());
    }
    let mut text = vec![0; length];
    stream.read_exact(&mut text)?;
    String::from_utf8(text).map_err(io::Error::other)
}

fn as_stored(vector: &Vector) -> Vec<u8> {
    [&vector.scale.to_le_bytes()[..], &vector.bytes()].concat()
}

/// The model of a lending process.
#[derive(Default)]
pub(crate) enum ModelClient {
    /// Not looked for yet; contains the folder of the sockets.
    NotConnected(PathBuf),
    /// A connection to a lender, after its greeting.
    Connected(UnixStream),
    /// There is no lender, or it failed.
    #[default]
    None,
}

impl ModelClient {
    /// Looks for lenders in this user state folder when first asked.
    pub(crate) fn below(state: &Path) -> Self {
        Self::NotConnected(state.join(FOLDER))
    }

    /// The vectors of these texts; `None` if no lender answers.
    pub(crate) fn embed(&mut self, texts: &[&str]) -> Option<Vec<Vector>> {
        self.ask(EMBED, texts, STORED)?.chunks_exact(STORED).map(stored).collect()
    }

    /// Whether the model knows a word; `None` if no lender answers.
    pub(crate) fn knows(&mut self, word: &str) -> Option<bool> {
        self.ask(KNOWS, &[word], 1)?.first().map(|is_known| *is_known != 0)
    }

    /// The answers for these texts, `length` bytes each.
    fn ask(&mut self, what: u8, texts: &[&str], length: usize) -> Option<Vec<u8>> {
        let mut question = vec![what, u8::try_from(texts.len()).ok()?];
        for text in texts {
            let length = u32::try_from(text.len()).ok().filter(|_| text.len() <= LONGEST)?;
            question.extend(length.to_le_bytes());
            question.extend(text.as_bytes());
        }
        if let Self::NotConnected(folder) = self {
            *self = find(folder).map_or(Self::None, Self::Connected);
        }
        let Self::Connected(stream) = self else { return None };
        let mut answer = vec![0; texts.len() * length];
        let asked = stream.write_all(&question).and_then(|()| stream.read_exact(&mut answer));
        if let Err(error) = asked {
            tracing::debug!("the process that shares the model does not answer: {error}");
            *self = Self::None;
            return None;
        }
        Some(answer)
    }
}

/// Connects to a process that lends this model.
fn find(folder: &Path) -> Option<UnixStream> {
    let metadata = fs::symlink_metadata(folder).ok()?;
    // Texts may be private, so the folder must be too.
    if !metadata.is_dir() || metadata.uid() != rustix::process::geteuid().as_raw() || metadata.mode() & 0o077 != 0 {
        return None;
    }
    let sockets = fs::read_dir(folder).ok()?.filter_map(Result::ok).map(|entry| entry.path());
    let found = sockets.take(MAX_TRIED).find_map(|socket| match UnixStream::connect(&socket) {
        Ok(stream) => check_greeting(stream),
        Err(error) => {
            if error.kind() == io::ErrorKind::ConnectionRefused {
                let _ = fs::remove_file(&socket);
            }
            None
        }
    });
    tracing::debug!(
        "{}",
        if found.is_some() { "another process shares the model" } else { "no process shares the model" }
    );
    found
}

fn check_greeting(mut stream: UnixStream) -> Option<UnixStream> {
    stream.set_read_timeout(Some(GREETING_TIME)).ok()?;
    stream.set_write_timeout(Some(ANSWER_TIME)).ok()?;
    let expected = greeting();
    let mut line = vec![0; expected.len()];
    stream.read_exact(&mut line).ok()?;
    stream.set_read_timeout(Some(ANSWER_TIME)).ok()?;
    (line == expected.as_bytes()).then_some(stream)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::MiniLm;
    use refdesk_text::{Code, Error};
    use std::os::unix::fs::PermissionsExt;

    /// Returns the same vector for every text and knows every word, which distinguishes it from the real model.
    struct Fixed;

    impl Embedder for Fixed {
        fn model(&self) -> &str {
            NAME
        }

        fn dimensions(&self) -> usize {
            STORED - 4
        }

        fn embed(&self, text: &str) -> Result<Vector, Error> {
            if text == "fail" {
                return Err(Error::new(Code::ModelBroken, "broken", ""));
            }
            let mut values = vec![0.0; STORED - 4];
            values.insert(0, 1.0);
            values.pop();
            Ok(Vector::of(&values))
        }

        fn knows(&self, _: &str) -> Result<bool, Error> {
            Ok(true)
        }
    }

    fn is_lent(model: &LazyModel, text: &str) -> bool {
        let vector = model.embed(text).unwrap();
        assert_eq!(vector.values.len(), STORED - 4);
        vector == Fixed.embed("").unwrap()
    }

    #[test]
    fn a_lent_model_answers_until_its_process_ends() {
        let state = tempfile::tempdir().unwrap();
        let lender = ModelServer::serve(state.path(), Fixed).unwrap();
        let model = LazyModel::with_server_below(state.path());
        assert!(is_lent(&model, "retries") && is_lent(&model, "") && model.knows("zzzqqq").unwrap());
        assert!(!is_lent(&model, &"long ".repeat(LONGEST)), "not sent");
        assert!(is_lent(&model, "retries"), "the connection is still there");
        assert!(is_lent(
            &LazyModel::with_server_below(state.path()),
            "also a second one, though the first still waits"
        ));
        assert!(!is_lent(&LazyModel::default(), "retries"));
        drop(lender);
        assert_eq!(fs::read_dir(state.path().join(FOLDER)).unwrap().count(), 0);
        assert!(!is_lent(&LazyModel::with_server_below(state.path()), "retries"));
    }

    #[test]
    fn the_real_model_gives_the_same_vectors_when_it_is_lent() {
        let state = tempfile::tempdir().unwrap();
        let _lender = ModelServer::start(state.path()).unwrap();
        let (mut lent, own) = (ModelClient::below(state.path()), MiniLm::shared().unwrap());
        let texts = ["How do we retry a payment?", "", "日本語 🙂", "", "What else?"];
        let one_by_one: Vec<Vector> = texts.iter().map(|text| own.embed(text).unwrap()).collect();
        assert_eq!(own.embed_all(&texts).unwrap(), one_by_one);
        assert_eq!(lent.embed(&texts), Some(one_by_one));
        assert_eq!((own.embed_all(&[]).unwrap(), lent.embed(&[])), (Vec::new(), Some(Vec::new())));
        assert_eq!((lent.knows("music"), lent.knows("zzzqqq")), (Some(true), Some(false)));
    }

    #[test]
    fn a_lender_that_cannot_answer_is_not_asked_again() {
        let state = tempfile::tempdir().unwrap();
        let _lender = ModelServer::serve(state.path(), Fixed).unwrap();
        let model = LazyModel::with_server_below(state.path());
        assert!(!is_lent(&model, "fail") && !is_lent(&model, "retries"));
    }

    /// Whatever exists in place of a lender, the model is loaded in time.
    #[test]
    fn anything_but_a_lender_is_ignored() {
        let other_version = b"refdesk-model 1 all-MiniLM-L6-v2/int7\n".to_vec();
        let cases = [
            ("killed", None, 0),
            ("silent", Some(Vec::new()), 1),
            ("of another version", Some(other_version), 1),
            ("ended after its greeting", Some(greeting().into_bytes()), 1),
        ];
        for (what, says, left) in cases {
            let state = tempfile::tempdir().unwrap();
            let folder = state.path().join(FOLDER);
            DirBuilder::new().mode(0o700).create(&folder).unwrap();
            let listener = UnixListener::bind(folder.join("lender-x")).unwrap();
            let server = says.map(|says| {
                thread::spawn(move || {
                    let (mut stream, _) = listener.accept().unwrap();
                    stream.write_all(&says).unwrap();
                    // Waits until the other side has given up.
                    if says.is_empty() {
                        let _ = stream.read(&mut [0]);
                    }
                })
            });
            assert!(!is_lent(&LazyModel::with_server_below(state.path()), "retries"), "{what}");
            assert_eq!(fs::read_dir(&folder).unwrap().count(), left, "{what}");
            server.map_or(Ok(()), thread::JoinHandle::join).unwrap();
        }
    }

    #[test]
    fn nothing_is_sent_through_a_folder_that_others_may_enter() {
        let state = tempfile::tempdir().unwrap();
        let _lender = ModelServer::serve(state.path(), Fixed).unwrap();
        let folder = state.path().join(FOLDER);
        fs::set_permissions(&folder, fs::Permissions::from_mode(0o755)).unwrap();
        assert!(!is_lent(&LazyModel::with_server_below(state.path()), "retries"));
        fs::set_permissions(&folder, fs::Permissions::from_mode(0o700)).unwrap();
        assert!(is_lent(&LazyModel::with_server_below(state.path()), "retries"));
    }

    #[test]
    fn stalled_borrowers_hold_no_one_up() {
        let state = tempfile::tempdir().unwrap();
        let lender = ModelServer::serve(state.path(), Fixed).unwrap();
        let connect = || check_greeting(UnixStream::connect(&lender.socket).unwrap());
        let stalled: Vec<_> = (1..MAX_AT_ONCE).map(|_| connect().unwrap()).collect();
        assert!(is_lent(&LazyModel::with_server_below(state.path()), "retries"));
        drop(stalled);
    }
}
