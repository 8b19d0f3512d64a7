//! Where an agent's settings are: in the workspace, in the home folder, or where the user's own variable moves them.
//! Links that lead outside are refused: nothing is written through them, and nothing is read through those of a
//! workspace. Links that stay inside are followed, and their target is written.

use std::path::{Path, PathBuf};
use std::{fs, io};

use super::super::environment;
use refdesk_agents::setup::{Client, ListedServer, SettingsPlace, SettingsPlaces, SettingsVariable, listed_server};
use refdesk_database::config;
use refdesk_desk::Desk;
use refdesk_files::nofollow::open_in;
use refdesk_files::output::{Proposal, Scope, resolve};
use refdesk_files::path::{absolute, is_absent, lossy};
use refdesk_files::{cause, read_open, read_regular};
use refdesk_text::{Code, Error};

/// The most bytes of a settings file.
const LIMIT: u64 = 1024 * 1024;

/// The same, for a file in which an agent also stores its state.
const LIMIT_WITH_STATE: u64 = 16 * LIMIT;

#[derive(Debug, Clone)]
pub(in crate::cli) struct SettingsFile {
    /// The folder that the file must stay within.
    root: PathBuf,
    root_kind: RootKind,
    folder: PathBuf,
    file: &'static str,
    /// The files and folders that refdesk itself reads. A link in a repository must not turn them into settings files.
    own: Vec<PathBuf>,
    pub shown: String,
}

/// The folder that a settings file must stay within.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum RootKind {
    Workspace,
    Home,
    /// A folder outside the home folder, set by the user's variable.
    Moved,
}

/// The settings file at one of these places; `None` if the agent reads none in a workspace.
///
/// # Errors
/// There is no home folder.
pub(in crate::cli) fn of(desk: &Desk, places: &SettingsPlaces, for_user: bool) -> Result<Option<SettingsFile>, Error> {
    let place = if for_user { Some(places.user) } else { places.project };
    place.map(|place| at(desk, &place, for_user)).transpose()
}

/// The server of refdesk in the user's or the workspace's settings, if they have one and can be read.
pub(in crate::cli) fn server(desk: &Desk, client: &Client, for_user: bool) -> Option<ListedServer> {
    let file = of(desk, &client.server.places, for_user).ok().flatten()?;
    listed_server(&file.text(), &client.server).ok().flatten()
}

/// The settings file in the workspace or, `for_user`, of the user.
///
/// # Errors
/// There is no home folder.
pub(in crate::cli) fn at(desk: &Desk, place: &SettingsPlace, for_user: bool) -> Result<SettingsFile, Error> {
    if !for_user {
        let root = desk.workspace().to_path_buf();
        return Ok(SettingsFile::new(desk, (root.clone(), RootKind::Workspace), root.join(place.folder), place));
    }
    let Some(root) = environment::home() else {
        let message = "no home folder: HOME is not set or not an absolute path";
        return Err(Error::new(Code::NoHome, message, "set HOME, or connect the workspace with --project"));
    };
    let folder = user_folder(desk, place, &root);
    let moved = moved_root(place).map(|moved| absolute(&desk.workspace_context().current, &moved));
    let root = match moved.filter(|_| !folder.starts_with(&root)) {
        Some(moved) => (moved, RootKind::Moved),
        None => (root, RootKind::Home),
    };
    Ok(SettingsFile::new(desk, root, folder, place))
}

pub(super) fn user_folder(desk: &Desk, place: &SettingsPlace, home: &Path) -> PathBuf {
    let moved = moved_root(place).map(|root| match place.moved {
        SettingsVariable::Never | SettingsVariable::Folder(_) => root,
        SettingsVariable::Home(_) => root.join(place.folder),
        SettingsVariable::Below(_, inner) => root.join(inner),
    });
    moved.map_or_else(|| home.join(place.folder), |moved| absolute(&desk.workspace_context().current, &moved))
}

/// The folder that the user's variable names for this place, if it is set.
fn moved_root(place: &SettingsPlace) -> Option<PathBuf> {
    match place.moved {
        SettingsVariable::Never => None,
        SettingsVariable::Folder(variable)
        | SettingsVariable::Home(variable)
        | SettingsVariable::Below(variable, _) => environment::folder(variable),
    }
}

impl SettingsFile {
    fn new(desk: &Desk, (root, root_kind): (PathBuf, RootKind), folder: PathBuf, place: &SettingsPlace) -> Self {
        let there = place.files.iter().find(|file| folder.join(file).symlink_metadata().is_ok());
        let file = there.or(place.files.first()).copied().unwrap_or_default();
        let path = folder.join(file);
        let inside = path.strip_prefix(&root).map(lossy);
        let shown = match (root_kind, inside) {
            (RootKind::Home, Ok(inside)) => format!("~/{inside}"),
            (RootKind::Workspace, Ok(inside)) => inside,
            _ => lossy(&path),
        };
        let named = [".jaato"].into_iter().chain(config::FILES).chain(config::agent::AGENT_FILES);
        let named = named.map(|name| desk.workspace().join(name)).chain([desk.references_folder()]);
        let configured = desk.config_file().map(Path::to_path_buf).into_iter().chain(desk.config_places());
        let own = configured.chain(named).collect();
        Self { root, root_kind, folder, file, own, shown }
    }

    pub fn path(&self) -> PathBuf {
        self.folder.join(self.file)
    }

    /// How many folders above the file may be removed, not counting its root.
    pub fn depth(&self) -> usize {
        self.folder.strip_prefix(&self.root).map_or(0, |inside| inside.components().count())
    }

    /// The text of the file; `None` if there is no file.
    ///
    /// # Errors
    /// The file cannot be read, or is not a settings file.
    pub fn read(&self) -> Result<Option<String>, Error> {
        let shown = &self.shown;
        let limit = if self.folder == self.root { LIMIT_WITH_STATE } else { LIMIT };
        if let Some(outside) = self.outside_link_error() {
            return Err(outside);
        }
        let (bytes, more) = match self.bytes(limit) {
            Err(error) if is_absent(&error) => return Ok(None),
            Err(error) => {
                let message = format!("{shown} cannot be read: {}", cause(&error));
                return Err(Error::new(Code::Unreadable, message, "make it a readable file"));
            }
            Ok(read) => read,
        };
        if more {
            let message = format!("{shown} has more than {limit} bytes");
            return Err(Error::new(Code::TooLarge, message, "add the entries yourself; the documentation shows them"));
        }
        String::from_utf8(bytes).map(Some).map_err(|error| {
            let at = error.utf8_error().valid_up_to();
            Error::new(Code::NoText, format!("{shown} is not UTF-8 from byte {at} on"), "save it as UTF-8")
        })
    }

    /// Like [`Self::read`]; empty if there is no file or it cannot be read.
    pub fn text(&self) -> String {
        self.read().ok().flatten().unwrap_or_default()
    }

    /// Up to `limit` bytes of the file, and whether there are more. A file in the workspace is never read from outside
    /// it, even if a component becomes a link in the meantime.
    fn bytes(&self, limit: u64) -> io::Result<(Vec<u8>, bool)> {
        if self.root_kind != RootKind::Workspace {
            return read_regular(&self.path(), limit);
        }
        let root = fs::canonicalize(&self.root)?;
        let real = resolve(&self.path()).unwrap_or_else(|_| self.path());
        let (file, metadata) = open_in(&root, &real)?;
        read_open(file, &metadata, limit)
    }

    /// The error that a link leads the file out of the workspace.
    fn outside_link_error(&self) -> Option<Error> {
        let root = fs::canonicalize(&self.root).ok().filter(|_| self.root_kind == RootKind::Workspace)?;
        let is_outside = resolve(&self.path()).is_ok_and(|real| !real.starts_with(root));
        is_outside.then(|| self.outside())
    }

    /// Whether this word occurs in the file, which need not be text.
    pub fn mentions(&self, word: &str) -> bool {
        let read = self.bytes(LIMIT_WITH_STATE);
        read.is_ok_and(|(bytes, _)| bytes.windows(word.len()).any(|part| part == word.as_bytes()))
    }

    /// Calls `propose` with the root that the file must stay within, its folder, and its name.
    ///
    /// # Errors
    /// The path may not be written to.
    pub fn propose(
        &self,
        propose: impl Fn(&Path, &Path, &str, Scope) -> Result<Proposal, Error>,
    ) -> Result<Proposal, Error> {
        let proposed = propose(&self.root, &self.folder, self.file, Scope::Workspace);
        let proposal = proposed.map_err(|refused| self.reworded(refused))?;
        if self.own.iter().any(|own| resolve(own).is_ok_and(|own| proposal.path.starts_with(own))) {
            let real = proposal.path.strip_prefix(&self.root).unwrap_or(&proposal.path);
            let message =
                format!("a link leads from {} to {}, which is one of refdesk's own files", self.shown, real.display());
            return Err(Error::new(Code::Guarded, message, "replace the link with a regular file"));
        }
        Ok(proposal.called(self.shown.clone()))
    }

    /// Rewords a refusal to write for a file whose path the agent chose.
    fn reworded(&self, refused: Error) -> Error {
        match refused.code {
            Code::Outside => self.outside(),
            Code::BelowAFile => {
                Error { fix: "move it away: the agent reads its settings from that place".into(), ..refused }
            }
            _ => refused,
        }
    }

    fn outside(&self) -> Error {
        let of = match self.root_kind {
            RootKind::Home => "the home folder".to_owned(),
            RootKind::Workspace => "the workspace".to_owned(),
            RootKind::Moved => lossy(&self.root),
        };
        let real = resolve(&self.path()).unwrap_or_else(|_| self.path());
        let message = match self.folder.starts_with(&self.root) {
            true => format!("a link leads from {} out of {of}, to {}", self.shown, real.display()),
            false => format!("{} is outside {of}", self.shown),
        };
        Error::new(Code::Outside, message, "add the entries there yourself; the documentation shows them")
    }
}
