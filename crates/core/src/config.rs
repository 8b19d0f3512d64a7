//! The settings of a workspace: finds and reads its configuration file and reports problems (BEHAVIOUR §2).
//!
//! Each field is read on its own, so that one bad field does not affect the others. The entries under `sources` are
//! passed on unread to the catalog.

mod approval;
mod document;
pub mod edits;
mod environment;
mod fields;
mod find;
mod hints;
mod index_url;
pub mod keys;
mod outline;
mod plain_entry;
pub mod profile;
pub mod screen;
pub mod screen_files;
pub mod screen_session;
mod settings;
pub mod user;

pub use approval::{ApprovalMode, GlobCase, Rule, compiled, compiled_for_names, verdict};
pub use document::{JsonDocument, MemberPart};
pub(crate) use document::{JsonSize, VALUES, too_many_values, unread_files};
pub use environment::Environment;
pub(crate) use fields::Fields;
pub use fields::ITEMS;
pub use find::{WorkspaceContext, expand, expand_home, find, places};
pub use hints::HintSettings;
pub use index_url::IndexUrl;
pub(crate) use plain_entry::PlainEntry;
pub use profile::Profile;
pub use settings::{ChannelKind, ChannelSettings, MAX_TIMEOUT, Settings};

use std::path::{Path, PathBuf};
use std::sync::Arc;

use refdesk_files::{read_regular, whole};
use refdesk_text::Code;
use refdesk_text::report::Diagnostic;

/// The folder for the user's state outside workspaces: `$XDG_STATE_HOME/refdesk`, or the system's equivalent; `None`
/// without a home folder.
pub fn state_folder() -> Option<PathBuf> {
    let folders = directories::BaseDirs::new()?;
    let folder = folders.state_dir().unwrap_or_else(|| folders.data_local_dir()).join("refdesk");
    // With a relative HOME, it would be a different folder in each current folder.
    folder.is_absolute().then_some(folder)
}

/// The result of loading a workspace's configuration.
#[derive(Debug, Default)]
pub struct Config {
    /// The file that was read; `None` if it does not exist, does not parse or is not an object.
    pub document: Option<JsonDocument>,
    /// Its settings, with defaults for what it does not set.
    pub settings: Settings,
    /// Whether `--config` or `$REFERENCES_CONFIG_PATH` names a missing file.
    pub is_missing: bool,
    /// Whether the file exists but cannot be read or parsed.
    pub is_broken: bool,
    /// Its problems.
    pub diagnostics: Vec<Diagnostic>,
}

/// Size limit of a configuration in bytes; 100,000 sources take 27 MB.
pub const LARGEST: u64 = 256 * 1024 * 1024;

/// Finds and reads the configuration of a workspace. Also returns the results of `make` for the plain entries of
/// `sources`, by position; entries at the end may be missing. `make` gets the path of the file, the position and the
/// entry.
pub(crate) fn load<T: Send>(
    context: &WorkspaceContext,
    make: impl Fn(&Arc<Path>, usize, PlainEntry<'_>) -> Option<T> + Sync,
) -> (Config, Vec<Option<T>>) {
    let (path, found) = find(context);
    let mut config = Config { is_missing: !found.is_empty(), diagnostics: found, ..Config::default() };
    let Some(path) = path else { return (config, Vec::new()) };
    let shown = context.display(&path);
    let read =
        if context.names_config() { read_regular(&path, LARGEST) } else { find::read_found(context, &path, LARGEST) };
    match read.and_then(|read| whole(read, LARGEST)) {
        Ok(bytes) => {
            let path: Arc<Path> = Arc::from(path);
            let make = |at, entry: PlainEntry<'_>| make(&path, at, entry);
            let (document, made, diagnostics) = JsonDocument::parse_with(path.clone(), shown, bytes, make);
            config.diagnostics.extend(diagnostics);
            if let Some(document) = &document {
                config.settings = settings::read(document, &mut config.diagnostics);
            }
            // A document that is not an object has neither settings nor sources, so it counts as broken.
            config.document = document.filter(|document| document.value.is_object());
            config.is_broken = config.document.is_none();
            (config, made)
        }
        Err(error) => {
            config.is_broken = true;
            let problem = find::link_problem("configuration", &path, &shown, &error).unwrap_or_else(|| {
                let problem = Diagnostic::error(Code::Unreadable, format!("the configuration cannot be read: {error}"));
                problem.in_file(shown).fix("make it a readable file, or remove it")
            });
            config.diagnostics.push(problem);
            (config, Vec::new())
        }
    }
}
