//! The log. `REFDESK_LOG` sets its level; it is written to a file in the user's state folder and never shown on the
//! screen. The first entry creates the file, and nothing depends on it.

use std::fs::{self, File};
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use tracing_subscriber::filter::{LevelFilter, Targets};
use tracing_subscriber::layer::{Layer, SubscriberExt};
use tracing_subscriber::util::SubscriberInitExt;

use refdesk_core::config::{self, user};
use refdesk_files::{narrow, private_folder};

/// A larger file is rotated, replacing the previous one.
const LIMIT: u64 = 4 * 1024 * 1024;

/// The log file; `None` without a home folder.
pub fn file() -> Option<PathBuf> {
    config::state_folder().map(|folder| folder.join("refdesk.log"))
}

/// Starts logging at the level of `REFDESK_LOG`, else of the user's preferences. Only the first call has an effect.
pub fn start(preferred: Option<&str>) {
    let Some(path) = file() else { return };
    let wanted = std::env::var("REFDESK_LOG").ok().filter(|wanted| !wanted.trim().is_empty());
    let wanted = wanted.or_else(|| preferred.map(str::to_owned)).unwrap_or_default();
    let (filter, wrong) = filter(&wanted);
    let file = LogFile { path, limit: LIMIT, file: Mutex::new(None) };
    let layer =
        tracing_subscriber::fmt::layer().with_writer(Arc::new(file)).log_internal_errors(false).with_filter(filter);
    let is_first = tracing_subscriber::registry().with(layer).try_init().is_ok();
    if let Some(error) = wrong.filter(|_| is_first) {
        tracing::warn!(?wanted, error, "the log filter cannot be parsed; only warnings are logged");
    }
}

/// The level in `wanted`. If it is empty or invalid, warnings, with the reason why it is invalid.
fn filter(wanted: &str) -> (Targets, Option<String>) {
    let usual = || Targets::new().with_default(LevelFilter::WARN);
    let wrong = user::wrong_log_word(wanted).map(|word| format!("'{word}' is not a level"));
    match wanted.trim() {
        "" => (usual(), None),
        _ if wrong.is_some() => (usual(), wrong),
        wanted => match wanted.parse() {
            Ok(filter) => (filter, None),
            Err(error) => (usual(), Some(format!("{error}"))),
        },
    }
}

/// The log file, opened by the first write.
struct LogFile {
    path: PathBuf,
    limit: u64,
    file: Mutex<Option<File>>,
}

impl LogFile {
    /// Appends whole lines. Other processes may append to the same file, or may have rotated it.
    fn append(&self, lines: &[u8]) -> io::Result<()> {
        // A writer that panicked left no partial state.
        let mut open = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        let file = match open.take() {
            Some(file) if file.metadata()?.len() < self.limit => file,
            _ => {
                if fs::metadata(&self.path).is_ok_and(|metadata| metadata.len() >= self.limit) {
                    fs::rename(&self.path, self.path.with_extension("log.1"))?;
                }
                appending(&self.path)?
            }
        };
        open.insert(file).write_all(lines)
    }
}

/// Opens a file for appending, private to the user: it may contain paths.
fn appending(path: &Path) -> io::Result<File> {
    if let Some(folder) = path.parent() {
        let _ = private_folder(folder)?;
    }
    let mut options = File::options();
    options.create(true).append(true);
    let flags = i32::try_from(rustix::fs::OFlags::NONBLOCK.bits()).unwrap_or(0);
    // A pipe without a reader must not block.
    options.mode(0o600).custom_flags(flags);
    let file = options.open(path)?;
    narrow(&file);
    Ok(file)
}

/// Ignores failed writes, because a logger has nowhere to report them.
impl Write for &LogFile {
    fn write(&mut self, lines: &[u8]) -> io::Result<usize> {
        let _ = self.append(lines);
        Ok(lines.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn filters_have_levels_and_targets_and_an_invalid_one_logs_warnings() {
        let usual = Targets::new().with_default(LevelFilter::WARN);
        let debug = Targets::new().with_default(LevelFilter::DEBUG);
        let both = Targets::new().with_target("refdesk", LevelFilter::INFO).with_default(LevelFilter::WARN);
        for (wanted, expected, understood) in [
            ("", usual.clone(), true),
            ("  ", usual.clone(), true),
            ("debug", debug, true),
            ("off", Targets::new().with_default(LevelFilter::OFF), true),
            ("refdesk=info,warn", both, true),
            ("refdesk=loud", usual.clone(), false),
            ("refdesk=info=debug", usual.clone(), false),
            ("debgu", usual, false),
        ] {
            let (found, wrong) = filter(wanted);
            assert_eq!((found, wrong.is_none()), (expected, understood), "{wanted}");
        }
    }

    #[test]
    fn the_file_is_created_by_the_first_line_and_rotated_when_full() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("state/refdesk.log");
        let log = || LogFile { path: path.clone(), limit: 10, file: Mutex::new(None) };
        let (one, other) = (log(), log());
        assert!(!path.exists());
        let read = |ending: &str| fs::read_to_string(path.with_extension(ending)).unwrap_or_default();
        for (log, line, now, aside) in [
            (&one, "first 6\n", "first 6\n", ""),
            (&other, "second\n", "first 6\nsecond\n", ""),
            (&one, "third\n", "third\n", "first 6\nsecond\n"),
            (&other, "fourth\n", "third\nfourth\n", "first 6\nsecond\n"),
            (&other, "fifth\n", "fifth\n", "third\nfourth\n"),
        ] {
            log.append(line.as_bytes()).unwrap();
            assert_eq!((read("log").as_str(), read("log.1").as_str()), (now, aside), "{line}");
        }
    }

    #[test]
    fn an_unwritable_log_is_not_an_error() {
        let folder = tempfile::tempdir().unwrap();
        let log = LogFile { path: folder.path().to_owned(), limit: LIMIT, file: Mutex::new(None) };
        assert!((&log).write_all(b"line\n").is_ok());
    }
}
