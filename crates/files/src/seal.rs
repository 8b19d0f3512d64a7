//! Seals: how refdesk recognizes files that it wrote itself in a folder that may have come with a repository (BEHAVIOUR
//! §9 "Ours alone"). A file counts only if it carries a message authentication code made with a secret from the user's
//! state folder, never from a workspace.
//!
//! There is one random secret per user. The key of a workspace is derived from the secret and the resolved path of the
//! workspace, and the code covers the file's path within the workspace. So a sealed file is foreign in a copy of the
//! workspace, in another workspace and under another name. Seals provide neither confidentiality nor freshness: anyone
//! who can read the secret can write the files, and an older version of a file is as valid as a newer one.

use std::ffi::OsStr;
use std::fmt;
use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;

use super::error::{KeyFault, cause, code_of, is_disk_full, is_link_refused, is_no_file, key_unusable, no_seal_key};
use super::name::hex;
use super::own::open_state_file;
use super::path::{Resolver, absolute, is_absent};
use super::private::{is_owned_by_user, is_writable};
use super::{Durability, FileMode, private_folder};
use refdesk_text::Code;

/// File name of the secret in the user's state folder.
const SECRET: &str = "seal.key";

const SECRET_BYTES: usize = 32;

/// Bytes of a seal: HMAC-SHA256, truncated to 128 bits.
const SEAL_BYTES: usize = 16;

/// Text around the hex digits of the seal in a JSON object. The comma before the seal is part of the sealed bytes.
type SealFraming = (&'static str, &'static str);

/// For a multi-line file.
const PRETTY: SealFraming = ("\n  \"seal\": \"", "\"\n}\n");

/// For a single line.
const COMPACT: SealFraming = ("\"seal\":\"", "\"}");

/// Loads or creates the key of one workspace. Clones share the key.
#[derive(Debug, Clone)]
pub struct Sealer(Arc<SealerState>);

#[derive(Debug)]
struct SealerState {
    /// The user's state folder.
    state: Option<PathBuf>,
    workspace: PathBuf,
    key: OnceLock<SealKey>,
}

impl PartialEq for Sealer {
    fn eq(&self, other: &Self) -> bool {
        (&self.0.state, &self.0.workspace) == (&other.0.state, &other.0.workspace)
    }
}

impl Sealer {
    /// A sealer for this workspace with the secret in this state folder; without a state folder, nothing can be sealed.
    pub fn new(state: Option<&Path>, workspace: &Path) -> Self {
        let state = state.map(|state| absolute(workspace, state));
        Self(Arc::new(SealerState { state, workspace: workspace.to_path_buf(), key: OnceLock::new() }))
    }

    /// A sealer with a fixed key, which differs only by the workspace's path.
    #[cfg(any(test, feature = "testing"))]
    pub fn fixed(workspace: &Path) -> Self {
        let key = OnceLock::from(SealKey::derive(&[7; SECRET_BYTES], workspace));
        Self(Arc::new(SealerState { state: None, workspace: workspace.to_path_buf(), key }))
    }

    /// The key, if it exists and can be used.
    pub fn key(&self) -> Option<&SealKey> {
        self.existing_key().ok().flatten()
    }

    /// Checks that the key can be used, or that there is none yet. With a key that cannot be used, nothing shows whether
    /// a file is ours, so none may be replaced or moved.
    ///
    /// # Errors
    /// [`Code::KeyUnusable`](refdesk_text::Code::KeyUnusable).
    pub fn check(&self) -> io::Result<()> {
        match self.existing_key() {
            Err(error) if code_of(&error) == Some(Code::KeyUnusable) => Err(error),
            // Without a folder for it, there is no key.
            _ => Ok(()),
        }
    }

    fn existing_key(&self) -> io::Result<Option<&SealKey>> {
        if let Some(key) = self.0.key.get() {
            return Ok(Some(key));
        }
        match read_secret(&self.folder()?.join(SECRET)) {
            Ok(secret) => Ok(Some(self.0.key.get_or_init(|| SealKey::derive(&secret, &self.0.workspace)))),
            Err(error) if is_absent(&error) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// The key, created if missing. If several processes create it at once, one wins and all use its key.
    ///
    /// # Errors
    /// There is no folder to store it in, or it cannot be used.
    pub fn key_or_new(&self) -> io::Result<&SealKey> {
        if let Some(key) = self.existing_key()? {
            return Ok(key);
        }
        let folder = self.folder()?;
        let file = folder.join(SECRET);
        let mut secret = [0; SECRET_BYTES];
        getrandom::fill(&mut secret).map_err(no_seal_key)?;
        let made = private_folder(folder).and_then(|folder| {
            // Stale files are harmless.
            let _ = folder.sweep_dead();
            folder.stage(SECRET, &secret, FileMode::Private, Durability::SurvivesCrash)?.publish(OsStr::new(SECRET))
        });
        let secret = match made {
            Ok(_) => secret,
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => read_secret(&file)?,
            // Another folder would not help.
            Err(error) if is_disk_full(&error) => {
                return Err(io::Error::new(error.kind(), format!("refdesk's key cannot be stored: {error}")));
            }
            Err(error) => return Err(no_seal_key(error)),
        };
        Ok(self.0.key.get_or_init(|| SealKey::derive(&secret, &self.0.workspace)))
    }

    /// Whether the key exists and can be used, or could be stored.
    pub fn can_have_key(&self) -> bool {
        match self.existing_key() {
            Ok(Some(_)) => true,
            Ok(None) => self.folder().is_ok_and(can_be_written),
            Err(_) => false,
        }
    }

    /// Whether a multi-line file was sealed for this path.
    pub fn verifies(&self, place: &str, bytes: &[u8]) -> bool {
        self.key().is_some_and(|key| key.verifies(place, bytes))
    }

    /// The state folder; refused if it is inside the workspace, because it could have come with the workspace.
    fn folder(&self) -> io::Result<&Path> {
        let state = self.0.state.as_deref().ok_or_else(|| no_seal_key("there is no home folder"))?;
        let resolved = Resolver::default().resolve(state).0;
        if resolved.starts_with(fs::canonicalize(&self.0.workspace).unwrap_or_else(|_| self.0.workspace.clone())) {
            return Err(no_seal_key(format!("{} is in the workspace", state.display())));
        }
        Ok(state)
    }
}

/// Whether files can be created in a folder or, if it is missing, in the nearest existing folder above it.
fn can_be_written(folder: &Path) -> bool {
    folder.ancestors().find(|folder| folder.symlink_metadata().is_ok()).is_some_and(is_writable)
}

/// Reads the secret.
///
/// # Errors
/// [`is_absent`] if there is none; otherwise [`Code::KeyUnusable`](refdesk_text::Code::KeyUnusable).
fn read_secret(file: &Path) -> io::Result<[u8; SECRET_BYTES]> {
    let refuse = |fault, why: &str| key_unusable(file, fault, why);
    let unreadable = |error: io::Error| match error.kind() {
        _ if is_absent(&error) => error,
        _ if is_link_refused(&error) => refuse(KeyFault::Unreadable, "it is a symbolic link"),
        _ if is_no_file(&error) => refuse(KeyFault::Unreadable, "it is not a regular file"),
        io::ErrorKind::PermissionDenied => refuse(KeyFault::Permissions, "it is not readable for you"),
        _ => refuse(KeyFault::Unreadable, &cause(&error)),
    };
    let open = open_state_file(file).map_err(unreadable)?;
    if !is_owned_by_user(&open) {
        return Err(refuse(KeyFault::Permissions, "it belongs to another user"));
    }
    let mut bytes = Vec::with_capacity(SECRET_BYTES + 1);
    open.take(SECRET_BYTES as u64 + 1).read_to_end(&mut bytes).map_err(unreadable)?;
    let damaged = format!("it is damaged: it does not have {SECRET_BYTES} bytes");
    bytes.try_into().map_err(|_| refuse(KeyFault::Length, &damaged))
}

/// The key of one workspace.
#[derive(Clone)]
pub struct SealKey(Hmac<Sha256>);

impl fmt::Debug for SealKey {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("SealKey")
    }
}

impl SealKey {
    fn derive(secret: &[u8; SECRET_BYTES], workspace: &Path) -> Self {
        let workspace = fs::canonicalize(workspace).unwrap_or_else(|_| workspace.to_path_buf());
        let mut mac = keyed(secret);
        mac.update(b"refdesk workspace 1\0");
        mac.update(workspace.as_os_str().as_encoded_bytes());
        Self(keyed(&mac.finalize().into_bytes()))
    }

    /// The seal over these bytes, for this path.
    pub fn seal(&self, place: &str, parts: &[&[u8]]) -> [u8; SEAL_BYTES] {
        let full = self.mac(place, parts).finalize().into_bytes();
        let mut seal = [0; SEAL_BYTES];
        seal.iter_mut().zip(full).for_each(|(to, from)| *to = from);
        seal
    }

    /// Whether this is the seal over these bytes, for this path.
    pub fn is_seal(&self, seal: &[u8], place: &str, parts: &[&[u8]]) -> bool {
        seal.len() == SEAL_BYTES && self.mac(place, parts).verify_truncated_left(seal).is_ok()
    }

    /// The JSON text of a multi-line object, with its seal as the last member.
    pub fn sealed(&self, place: &str, object: &[u8]) -> Vec<u8> {
        self.with_seal(place, object, PRETTY)
    }

    /// Whether a multi-line file was sealed for this path.
    pub fn verifies(&self, place: &str, bytes: &[u8]) -> bool {
        self.has_seal(place, bytes, PRETTY)
    }

    /// Like [`SealKey::sealed`], on a single line without a line break.
    pub fn sealed_line(&self, place: &str, object: &[u8]) -> Vec<u8> {
        self.with_seal(place, object, COMPACT)
    }

    /// Whether a single line, without its line break, was sealed for this path.
    pub fn verifies_line(&self, place: &str, bytes: &[u8]) -> bool {
        self.has_seal(place, bytes, COMPACT)
    }

    fn with_seal(&self, place: &str, object: &[u8], (open, close): SealFraming) -> Vec<u8> {
        let object = object.trim_ascii_end();
        let mut out = object.strip_suffix(b"}").unwrap_or(object).trim_ascii_end().to_vec();
        if !out.ends_with(b"{") {
            out.push(b',');
        }
        let seal = self.seal(place, &[&out]);
        out.extend_from_slice(open.as_bytes());
        out.extend_from_slice(hex(&seal).as_bytes());
        out.extend_from_slice(close.as_bytes());
        out
    }

    fn has_seal(&self, place: &str, bytes: &[u8], (open, close): SealFraming) -> bool {
        let parts = || {
            let rest = bytes.strip_suffix(close.as_bytes())?;
            let (rest, seal) = rest.split_at_checked(rest.len().checked_sub(2 * SEAL_BYTES)?)?;
            Some((rest.strip_suffix(open.as_bytes())?, seal))
        };
        let Some((sealed, seal)) = parts() else { return false };
        let seal: Option<Vec<u8>> = seal.chunks(2).map(byte).collect();
        seal.is_some_and(|seal| self.is_seal(&seal, place, &[sealed]))
    }

    fn mac(&self, place: &str, parts: &[&[u8]]) -> Hmac<Sha256> {
        let mut mac = self.0.clone();
        mac.update(&(place.len() as u64).to_le_bytes());
        mac.update(place.as_bytes());
        parts.iter().for_each(|part| mac.update(part));
        mac
    }
}

fn keyed(key: &[u8]) -> Hmac<Sha256> {
    // HMAC takes keys of any length, so this cannot fail; with an empty key, no seal would verify.
    Hmac::new_from_slice(key).unwrap_or_else(|_| Hmac::new(&Default::default()))
}

/// A byte written in lower-case hexadecimal.
fn byte(digits: &[u8]) -> Option<u8> {
    let value = |digit: &u8| u8::try_from(b"0123456789abcdef".iter().position(|known| known == digit)?).ok();
    match digits {
        [high, low] => Some(value(high)? << 4 | value(low)?),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{code_of, usable_key, write_atomic};
    use refdesk_text::Code;

    fn key(secret: u8, workspace: &str) -> SealKey {
        SealKey::derive(&[secret; SECRET_BYTES], Path::new(workspace))
    }

    #[test]
    fn a_sealed_object_is_an_object_and_verifies_in_its_place_alone() {
        let own = key(1, "/no/where");
        for object in ["{}", "{\"a\":1}", "{\n  \"a\": [\n    1\n  ]\n}\n", "{ }\n", "{\"seal\":\"x\"}"] {
            for (sealed, verifies) in [
                (own.sealed("p", object.as_bytes()), SealKey::verifies as fn(&SealKey, &str, &[u8]) -> bool),
                (own.sealed_line("p", object.as_bytes()), SealKey::verifies_line),
            ] {
                let text = String::from_utf8(sealed.clone()).unwrap();
                let value: serde_json::Value = serde_json::from_str(&text).unwrap();
                assert_eq!(value["seal"].as_str().unwrap().len(), 32, "{text}");
                assert!(verifies(&own, "p", &sealed), "{text}");
                for other in [key(2, "/no/where"), key(1, "/no/where/else"), key(1, "/no")] {
                    assert!(!verifies(&other, "p", &sealed), "{text}");
                }
                for place in ["", "q", "pp", "desks/p"] {
                    assert!(!verifies(&own, place, &sealed), "{text} at {place}");
                }
                for at in 0..sealed.len() {
                    let mut changed = sealed.clone();
                    changed[at] ^= 1;
                    assert!(!verifies(&own, "p", &changed), "{text} changed at {at}");
                    assert!(!verifies(&own, "p", &sealed[..at]), "{text} cut at {at}");
                }
                for more in [&b" "[..], b"\n", b"{}", b"\0"] {
                    assert!(!verifies(&own, "p", &[&sealed, more].concat()), "{text} and more");
                }
            }
            assert!(!own.verifies("p", object.as_bytes()) && !own.verifies_line("p", object.as_bytes()));
        }
    }

    #[test]
    fn sealed_parts_are_joined_and_the_path_is_separate() {
        let own = key(1, "/w");
        assert_eq!(own.seal("a", &[b"b", b"c"]), own.seal("a", &[b"bc"]));
        assert_ne!(own.seal("a", &[b"bc"]), own.seal("ab", &[b"c"]));
        assert!(!own.is_seal(&own.seal("a", &[b"b"])[..8], "a", &[b"b"]), "not shortened further");
        assert!(!own.is_seal(&[], "a", &[b"b"]));
    }

    struct World {
        _root: tempfile::TempDir,
        root: PathBuf,
    }

    impl World {
        fn new() -> Self {
            let root = tempfile::tempdir().unwrap();
            let path = fs::canonicalize(root.path()).unwrap();
            for folder in ["ws", "other"] {
                fs::create_dir(path.join(folder)).unwrap();
            }
            Self { _root: root, root: path }
        }

        fn sealer(&self, state: &str, workspace: &str) -> Sealer {
            Sealer::new(Some(&self.root.join(state)), &self.root.join(workspace))
        }
    }

    #[test]
    fn the_secret_is_made_once_and_is_private() {
        let world = World::new();
        assert!(world.sealer("state/refdesk", "ws").key().is_none());
        assert!(!world.root.join("state").exists(), "reading makes nothing");
        write_atomic(&world.root.join("state/refdesk/.refdesk-dead.tmp"), b"half").unwrap();
        let seals: Vec<Vec<u8>> = std::thread::scope(|scope| {
            let seal = || world.sealer("state/refdesk", "ws").key_or_new().unwrap().sealed("p", b"{}");
            let threads: Vec<_> = (0..8).map(|_| scope.spawn(seal)).collect();
            threads.into_iter().map(|thread| thread.join().unwrap()).collect()
        });
        assert!(seals.iter().all(|seal| *seal == seals[0]), "the first wins");
        assert!(world.sealer("state/refdesk", "ws").verifies("p", &seals[0]));
        assert!(!world.sealer("state/refdesk", "other").verifies("p", &seals[0]), "another workspace");
        assert!(!world.sealer("other/refdesk", "ws").verifies("p", &seals[0]), "another user");
        fs::rename(world.root.join("ws"), world.root.join("moved")).unwrap();
        assert!(!world.sealer("state/refdesk", "moved").verifies("p", &seals[0]), "a copy");
        use std::os::unix::fs::PermissionsExt;
        let mode = |path: &str| fs::metadata(world.root.join(path)).unwrap().permissions().mode() & 0o777;
        assert_eq!((mode("state/refdesk"), mode("state/refdesk/seal.key")), (0o700, 0o600));
        assert_eq!(fs::read_dir(world.root.join("state/refdesk")).unwrap().count(), 1, "nothing stays beside it");
        std::os::unix::fs::symlink("moved", world.root.join("ws")).unwrap();
        let sealer = world.sealer("state/refdesk", "moved");
        let sealed = sealer.key_or_new().unwrap().sealed("p", b"{}");
        assert!(world.sealer("state/refdesk", "ws").verifies("p", &sealed), "by another name");
    }

    #[test]
    fn a_key_inside_the_workspace_is_refused() {
        let world = World::new();
        let foreign = Sealer::new(None, &world.root.join("ws"));
        for (sealer, why) in [
            (foreign, "no home folder"),
            (world.sealer("ws/state", "ws"), "is in the workspace"),
            (world.sealer("ws", "ws"), "is in the workspace"),
            (world.sealer("other/../ws/state", "ws"), "is in the workspace"),
        ] {
            assert!(!sealer.can_have_key() && sealer.key().is_none());
            let error = sealer.key_or_new().unwrap_err();
            assert!(code_of(&error) == Some(Code::NoStateFolder) && error.to_string().contains(why), "{error}");
        }
        assert_eq!(fs::read_dir(world.root.join("ws")).unwrap().count(), 0);
    }

    #[test]
    fn no_key_is_expected_where_none_can_be_written() {
        let world = World::new();
        write_atomic(&world.root.join("file"), b"x").unwrap();
        assert!(world.sealer("state/refdesk", "ws").can_have_key());
        let sealer = world.sealer("file/refdesk", "ws");
        assert!(!sealer.can_have_key() && sealer.key_or_new().is_err());
    }

    #[test]
    fn a_damaged_secret_is_refused_and_not_replaced() {
        for damage in [&b""[..], b"short", &[1; 33]] {
            let world = World::new();
            let file = world.root.join("state/seal.key");
            write_atomic(&file, damage).unwrap();
            let sealer = world.sealer("state", "ws");
            assert!(sealer.key().is_none() && !sealer.can_have_key());
            for error in [sealer.key_or_new().map(drop), sealer.check()].map(Result::unwrap_err) {
                assert_eq!(code_of(&error), Some(Code::KeyUnusable));
                let message = format!("refdesk's key {} cannot be used: it is damaged", file.display());
                assert_eq!(error.to_string(), format!("{message}: it does not have 32 bytes"));
                assert!(usable_key(&error).starts_with("restore that file"), "{}", usable_key(&error));
            }
            assert_eq!(fs::read(&file).unwrap(), damage);
        }
    }

    #[test]
    fn a_key_that_is_no_file_of_the_user_is_no_missing_key() {
        type Make = fn(&Path);
        let make: [(Make, &str); 3] = [
            (|file| fs::create_dir(file).unwrap(), "not a regular file"),
            (|file| std::os::unix::fs::symlink("/dev/null", file).unwrap(), "a symbolic link"),
            (|file| crate::testing::pipe(file), "not a regular file"),
        ];
        for (make, why) in make {
            let world = World::new();
            fs::create_dir(world.root.join("state")).unwrap();
            let sealer = world.sealer("state", "ws");
            assert!(sealer.check().is_ok(), "there is none yet");
            make(&world.root.join("state/seal.key"));
            let error = sealer.check().unwrap_err();
            assert!(usable_key(&error).starts_with("put the key there"), "{}", usable_key(&error));
            let error = error.to_string();
            assert!(error.contains("cannot be used: it is ") && error.ends_with(why), "{error}");
        }
    }
}
