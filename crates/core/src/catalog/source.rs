//! One entry of the catalog: metadata about a piece of knowledge, never the knowledge itself (BEHAVIOUR §1, §2).

use std::borrow::Borrow;
use std::fmt;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde::{Serialize, Serializer};

/// A text that is usually so short that it needs no memory of its own: a catalog has tens of thousands of them.
pub type ShortText = compact_str::CompactString;

/// The name a source is mentioned by; cheap to clone, unique in a catalog.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SourceId(Arc<str>);

impl SourceId {
    /// The id as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl From<&str> for SourceId {
    fn from(id: &str) -> Self {
        Self(Arc::from(id))
    }
}

impl From<String> for SourceId {
    fn from(id: String) -> Self {
        Self(Arc::from(id))
    }
}

impl Borrow<str> for SourceId {
    fn borrow(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for SourceId {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.0)
    }
}

impl Serialize for SourceId {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.0)
    }
}

refdesk_text::worded_enum! {
    /// When a source reaches an agent.
    pub enum Mode {
        /// Always in the instructions.
        Auto = "auto",
        /// Only when picked or pulled in.
        Selectable = "selectable",
    }
}

/// Where the knowledge is and how to get it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SourceKind {
    /// A file or folder.
    Local(LocalPath),
    /// Something to fetch.
    Url {
        /// As written.
        url: String,
    },
    /// A tool call to an MCP server.
    Mcp {
        /// The server's name.
        server: String,
        /// The tool's name.
        tool: String,
        /// The arguments for the call as JSON, or empty: as values they would take a hundred times the memory.
        args: Box<str>,
    },
    /// Text that is part of the catalog.
    Inline {
        /// The text.
        content: Arc<str>,
    },
    /// An address or a tool call that every agent would get and that is not trusted yet; hidden from agents.
    Withheld(Box<SourceKind>),
}

impl SourceKind {
    /// An inline text. A byte order mark is dropped, as in files.
    pub(super) fn inline(content: &str) -> Self {
        Self::Inline { content: Arc::from(content.strip_prefix('\u{feff}').unwrap_or(content)) }
    }

    /// The kind once it is trusted. Never show it to agents.
    pub fn with_trust(&self) -> &Self {
        match self {
            Self::Withheld(kind) => kind,
            kind => kind,
        }
    }

    /// The word used in catalogs: `local`, `url`, `mcp` or `inline`.
    pub fn word(&self) -> &'static str {
        match self {
            Self::Local(_) => "local",
            Self::Url { .. } => "url",
            Self::Mcp { .. } => "mcp",
            Self::Inline { .. } => "inline",
            Self::Withheld(kind) => kind.word(),
        }
    }
}

/// What exists at a local source's path.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum PathState {
    /// Nothing: the source is *missing*.
    Missing,
    /// A file.
    File,
    /// A folder.
    Directory,
    /// A path outside the workspace that is not trusted yet: it is listed but not read.
    Untrusted,
    /// A path in a folder where git or refdesk keeps its state, which is never read.
    Reserved,
    /// A pipe, a socket, a device or a file made up by the kernel, which is never opened: it has no lasting text.
    Special,
}

impl PathState {
    /// Whether it is a file or folder that may be read.
    pub fn is_open(self) -> bool {
        matches!(self, Self::File | Self::Directory)
    }
}

/// A local source's path in three forms (BEHAVIOUR §2). Without links the last two are the same value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LocalPath {
    /// As written in the catalog.
    pub written: ShortText,
    /// Absolute, without `.` and `..`, links not resolved: for printing and opening.
    pub path: Arc<Path>,
    /// With symbolic links resolved, as far as the path exists: for comparing.
    pub resolved: Arc<Path>,
    /// What exists there.
    pub state: PathState,
    /// The size of a file in bytes, if it was checked; `None` otherwise, also if its folder was listed instead.
    pub size: Option<u64>,
}

impl LocalPath {
    /// Whether a missing path may exist all the same: this user may not look.
    pub fn is_denied(&self) -> bool {
        let looked = || std::fs::symlink_metadata(&self.path);
        self.state == PathState::Missing && looked().is_err_and(|error| error.kind() == ErrorKind::PermissionDenied)
    }

    /// Converts the path of a file found below `path` to its path below `resolved`.
    pub fn real(&self, file: &Path) -> PathBuf {
        match file.strip_prefix(&self.path) {
            Ok(within) if !within.as_os_str().is_empty() => self.resolved.join(within),
            _ => self.resolved.to_path_buf(),
        }
    }
}

/// What a directory source declares about its contents; paths as written, relative to the source.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct DirectoryContents {
    /// Folder of templates.
    pub templates: Option<String>,
    /// Folder of checks to run afterwards.
    pub validation: Option<String>,
    /// Folder of constraints to read.
    pub policies: Option<String>,
    /// Folder of helper scripts.
    pub scripts: Option<String>,
}

/// The place in the configuration that defines a source.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SourceDefinition {
    /// The configuration file or discovered file, absolute.
    pub file: Arc<Path>,
    /// The position of the entry in `sources`; `None` for a discovered file, which is one entry.
    pub entry: Option<usize>,
}

impl SourceDefinition {
    /// JSON pointer of the entry within the file: `/sources/3`, or empty for a discovered file.
    pub fn pointer(&self) -> String {
        self.entry.map_or_else(String::new, |entry| format!("/sources/{entry}"))
    }
}

/// One entry of the catalog.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Source {
    /// Unique name.
    pub id: SourceId,
    /// Name for people.
    pub name: ShortText,
    /// One or two sentences; may be empty.
    pub description: String,
    /// When it reaches an agent.
    pub mode: Mode,
    /// Topic words, in the order given.
    pub tags: Vec<ShortText>,
    /// Where the knowledge is.
    pub kind: SourceKind,
    /// Advice on how to fetch it.
    pub fetch_hint: Option<String>,
    /// What its folder declares; rarely used.
    pub contents: Option<Box<DirectoryContents>>,
    /// Where it is defined.
    pub origin: SourceDefinition,
}

impl Source {
    /// The local path, for local sources.
    pub fn place(&self) -> Option<&LocalPath> {
        match &self.kind {
            SourceKind::Local(place) => Some(place),
            _ => None,
        }
    }

    /// The number of components of its resolved path; 0 without one. Of several sources that contain a file, the
    /// innermost is the most specific.
    pub fn depth(&self) -> usize {
        self.place().map_or(0, |place| place.resolved.components().count())
    }

    /// Whether it is a local source without anything readable at its path (BEHAVIOUR §2).
    pub fn is_missing(&self) -> bool {
        self.place().is_some_and(|place| matches!(place.state, PathState::Missing | PathState::Special))
    }

    /// Why a source [is missing](Self::is_missing), as a predicate to put after its written path.
    pub fn why_missing(&self) -> &'static str {
        let is_special = self.place().is_some_and(|place| place.state == PathState::Special);
        if is_special { "is not a regular file" } else { "does not exist" }
    }

    /// The local path if it may be read: it exists, is trusted and is not reserved.
    pub fn open_place(&self) -> Option<&LocalPath> {
        self.place().filter(|place| place.state.is_open())
    }

    /// Whether it is not trusted yet: it is outside the workspace, or every agent would fetch or call it.
    pub fn is_untrusted(&self) -> bool {
        match &self.kind {
            SourceKind::Local(place) => place.state == PathState::Untrusted,
            SourceKind::Withheld(_) => true,
            SourceKind::Url { .. } | SourceKind::Mcp { .. } | SourceKind::Inline { .. } => false,
        }
    }

    /// Whether it is a local source whose path is a folder.
    pub fn is_directory(&self) -> bool {
        self.place().is_some_and(|place| place.state == PathState::Directory)
    }
}
