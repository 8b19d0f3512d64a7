//! The result of a discovery: sources to add to a catalog, and changes to those in it.

use std::path::PathBuf;

use refdesk_core::catalog::{DirectoryContents, Mode};

refdesk_text::worded_enum! {
    /// The kind of a proposed source.
    #[derive(PartialOrd, Ord)]
    pub enum FoundKind {
        /// A README.
        Readme = "readme",
        /// `AGENTS.md`, `CLAUDE.md` and similar files.
        Agents = "agents",
        /// Another document at the top of the repository.
        Project = "project",
        /// A document in a folder of documentation, or one that a table of contents lists.
        Document = "document",
        /// A record of a decision.
        Decision = "decision",
        /// A folder with `SKILL.md`.
        Skill = "skill",
        /// A rule of Cursor.
        Rule = "rule",
        /// A link in `llms.txt`.
        Link = "link",
        /// Any other document.
        Other = "other",
        /// A changelog.
        Changelog = "changelog",
    }
}

/// The place of a proposed source.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ProposedPlace {
    /// A file, relative to the workspace.
    File(PathBuf),
    /// A folder, relative to the workspace.
    Folder(PathBuf),
    /// An `http://` or `https://` address.
    Url(String),
}

impl ProposedPlace {
    /// The path, relative to the workspace, of a file or folder.
    pub fn path(&self) -> Option<&std::path::Path> {
        match self {
            Self::File(path) | Self::Folder(path) => Some(path),
            Self::Url(_) => None,
        }
    }
}

/// A source to add to the catalog.
#[derive(Debug, Clone, PartialEq)]
pub struct ProposedSource {
    /// Unique among the proposals, and not used in the catalog.
    pub id: String,
    /// Name for people.
    pub name: String,
    /// One line; may be empty.
    pub description: String,
    /// The file, folder or address.
    pub place: ProposedPlace,
    /// When agents get it.
    pub mode: Mode,
    /// At most six tags.
    pub tags: Vec<String>,
    /// The folders of a skill.
    pub contents: Option<DirectoryContents>,
    /// What kind of source it is.
    pub kind: FoundKind,
    /// Why it is proposed, or why it is not ticked: a sentence without a full stop.
    pub evidence: String,
    /// Estimated tokens; 0 for an address.
    pub tokens: u64,
    /// Whether it is ticked at first.
    pub is_ticked: bool,
    /// Its first headings.
    pub headings: Vec<String>,
}

/// A source whose path does not exist any more, and its new path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MovedSource {
    /// Its id.
    pub id: String,
    /// The path in the catalog, as displayed.
    pub before: String,
    /// The new path, relative to the workspace.
    pub after: PathBuf,
    /// The evidence that it is the same source.
    pub evidence: String,
}

/// Something that was left out or not understood.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ScanNote {
    /// The file or folder, as displayed; empty for the whole workspace.
    pub file: String,
    /// The line, from 1.
    pub line: Option<usize>,
    /// A sentence without a full stop.
    pub message: String,
}

impl ScanNote {
    /// A note about a file or folder.
    pub fn new(file: impl Into<String>, message: impl Into<String>) -> Self {
        Self { file: file.into(), line: None, message: message.into() }
    }
}

/// `docs/a.md:3: the front matter is not YAML`.
impl std::fmt::Display for ScanNote {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match (self.file.as_str(), self.line) {
            ("", _) => write!(out, "{}", self.message),
            (file, Some(line)) => write!(out, "{file}:{line}: {}", self.message),
            (file, None) => write!(out, "{file}: {}", self.message),
        }
    }
}

/// A source of the catalog, reduced to what a discovery needs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KnownSource {
    /// Its id.
    pub id: String,
    /// Its name.
    pub name: String,
    /// Its description; may be empty.
    pub description: String,
    /// The path of a local source in the workspace, relative to it, without links.
    pub path: Option<PathBuf>,
    /// The address of a url source.
    pub url: Option<String>,
    /// Whether its path does not exist.
    pub is_missing: bool,
    /// Its path, as displayed.
    pub shown: String,
    /// The file that defines it, as displayed.
    pub file: String,
}

/// The differences between a repository and its catalog.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Discovery {
    /// Sources that the catalog lacks.
    pub new: Vec<ProposedSource>,
    /// Sources of the catalog that have another path now.
    pub moved: Vec<MovedSource>,
    /// Sources of the catalog that do not exist in the repository.
    pub gone: Vec<KnownSource>,
    /// What was left out or not understood.
    pub notes: Vec<ScanNote>,
    /// Whether only some folders were searched, so that the sources that are gone may be in others.
    pub is_partial: bool,
}

/// Up to this many unticked new sources are not folded.
const FEW: usize = 10;

impl Discovery {
    /// How many of the new sources to list at first. Unticked ones must come last; they are folded if there are many,
    /// or if there is a catalog, because the user then left them out before.
    pub fn listed(&self, has_catalog: bool) -> usize {
        let ticked = self.new.iter().take_while(|source| source.is_ticked).count();
        let is_much = ticked + self.moved.len() > 0 && self.new.len() - ticked > FEW;
        if has_catalog || is_much { ticked } else { self.new.len() }
    }
}
