//! How the screen was left in a workspace: pane, cursors, filters, drafts, reading positions. Stored in the user's
//! state folder, one file per workspace, identified by the resolved path. It is sealed, because drafts become texts for
//! agents and files. Nothing else depends on it. The screen interprets the names in it.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use refdesk_files::name::sha256_hex;
use refdesk_files::{Sealer, read_state_file, rename_state_file, write_private};
use refdesk_text::{Code, Error};

/// Size limit in bytes. A prompt has at most 256 KiB, before control characters are escaped.
const LIMIT: usize = 4 * 1024 * 1024;

/// The maximum number of reading positions.
pub const PLACES: usize = 100;

/// How the screen was left; absent values are as in a new workspace.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct ScreenSession {
    /// The workspace, for people who read the file.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub workspace: String,
    /// Name of the focused pane.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pane: Option<String>,
    /// The view shown in place of the panes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub view: Option<SavedView>,
    /// Whether keys went to the document or the feed of this pane.
    #[serde(skip_serializing_if = "is_default")]
    pub is_inside: bool,
    /// Name of the arrangement of the panes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub arrangement: Option<String>,
    /// Name of the arrangement for the next pane, if it differs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub arrangement_before: Option<String>,
    /// Name of the catalog order.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sort: Option<String>,
    /// Name of the order of the selection.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub selection_sort: Option<String>,
    /// The cursors, by the name of the pane.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub cursors: BTreeMap<String, SavedCursor>,
    /// The lines of the filters, by the name of their list.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub filters: BTreeMap<String, String>,
    /// The filters of the catalog that have a name, by name.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub named_filters: BTreeMap<String, String>,
    /// The number of tokens that the user wants to stay below.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub token_limit: Option<u64>,
    /// The prompt that has not been sent.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub prompt: String,
    /// Whose enriched prompt is shown in place of the matching sources, if it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub enriched: Option<String>,
    /// The typed values that are not secret, by template name.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub values: BTreeMap<String, SavedValues>,
    /// Whether the front matter of documents is unfolded.
    #[serde(skip_serializing_if = "is_default")]
    pub shows_front_matter: bool,
    /// Where documents were left, the latest first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub reading: Vec<SavedPlace>,
}

/// A view that was shown in place of the panes.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct SavedView {
    /// Its name.
    pub name: String,
    /// The name of its tab.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tab: Option<String>,
    /// What it showed, from general to specific: a source; desk and session; database, domain, schema and table.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub on: Vec<String>,
}

/// The cursor of a list.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct SavedCursor {
    /// The id or name in the row.
    pub on: String,
    /// The first row that was visible.
    pub top: usize,
}

/// The values typed for a template, each with the path to it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct SavedValues {
    /// The values.
    pub given: Vec<(Vec<SavedStep>, SavedValue)>,
    /// The number of items of lists.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub items: Vec<(Vec<SavedStep>, usize)>,
}

/// One step of the path to a value.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum SavedStep {
    /// An item of a list, from 0.
    Item(usize),
    /// A field of this name.
    Field(String),
}

/// A typed value.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum SavedValue {
    /// A flag.
    Flag(bool),
    /// A text as typed.
    Text(String),
}

/// Where a document was left.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct SavedPlace {
    /// Id of the source.
    pub source: String,
    /// Its file, if it is not the source's own document.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<PathBuf>,
    /// The line at the top, from 1; 0 before the document.
    pub line: usize,
    /// Rows below that line.
    #[serde(skip_serializing_if = "is_default")]
    pub below: usize,
}

fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

impl SavedValues {
    /// The total bytes of all texts.
    pub fn size(&self) -> usize {
        let text = |value: &SavedValue| if let SavedValue::Text(text) = value { text.len() } else { 0 };
        self.given.iter().map(|(_, value)| text(value)).sum()
    }
}

impl ScreenSession {
    /// Whether anything but cursors and reading positions differs; these change with every key and are easy to restore.
    pub fn has_other_drafts(&self, other: &Self) -> bool {
        let places = |session: &Self| {
            // `on` changes with the view's cursor.
            let view = session.view.as_ref().map(|view| (view.name.clone(), view.tab.clone()));
            (session.pane.clone(), view, session.is_inside, session.arrangement.clone())
        };
        places(self) != places(other)
            || self.sort != other.sort
            || self.selection_sort != other.selection_sort
            || self.filters != other.filters
            || self.named_filters != other.named_filters
            || self.token_limit != other.token_limit
            || self.prompt != other.prompt
            || self.values != other.values
    }
}

/// The file for one workspace.
#[derive(Debug, Clone)]
pub struct ScreenSessionFile {
    path: PathBuf,
    /// The path in the state folder, to which the seal is bound.
    place: String,
    workspace: PathBuf,
    sealer: Sealer,
}

/// The name used for a workspace in the user's state folder: a hash of its path with links resolved, in hex digits.
pub fn workspace_key(workspace: &Path) -> String {
    let workspace = fs::canonicalize(workspace).unwrap_or_else(|_| workspace.to_path_buf());
    let mut key = sha256_hex(workspace.as_os_str().as_encoded_bytes());
    key.truncate(32);
    key
}

impl ScreenSessionFile {
    /// The file in this state folder; `None` if files there cannot be sealed.
    pub fn new(state: &Path, workspace: &Path) -> Option<Self> {
        let workspace = fs::canonicalize(workspace).unwrap_or_else(|_| workspace.to_path_buf());
        let sealer = Sealer::new(Some(state), &workspace);
        let place = format!("workspaces/{}.json", workspace_key(&workspace));
        sealer.can_have_key().then(|| Self { path: state.join(&place), place, workspace, sealer })
    }

    /// Reads how the screen was left. An invalid file is set aside, so that nothing in it is lost.
    pub fn read(&self) -> (ScreenSession, Option<Error>) {
        let sealed = match read_state_file(&self.path, LIMIT as u64) {
            Ok((bytes, false)) => bytes,
            Ok((_, true)) => return self.refused(&format!("larger than {LIMIT} bytes")),
            Err(error) if error.kind() == io::ErrorKind::NotFound => return (ScreenSession::default(), None),
            Err(error) => return self.refused(&error.to_string()),
        };
        if !self.sealer.verifies(&self.place, &sealed) {
            return self.refused("it was not written by your refdesk for this workspace");
        }
        match serde_json::from_slice(&sealed) {
            Ok(session) => (session, None),
            Err(error) => self.refused(&error.to_string()),
        }
    }

    fn refused(&self, why: &str) -> (ScreenSession, Option<Error>) {
        let aside = self.path.with_extension("json.aside");
        let aside = aside.file_name().unwrap_or(OsStr::new("aside"));
        let kept = match rename_state_file(&self.path, aside) {
            Ok(()) => format!("; it is kept as {}", aside.display()),
            Err(_) => String::new(),
        };
        let message = format!("{}: {why}{kept}", self.path.display());
        (ScreenSession::default(), Some(Error::new(Code::Unreadable, message, "")))
    }

    /// Like [`Self::write`], but keeps the filters, cursors, token limit, prompt, values and reading positions that another
    /// screen of the workspace has written, unless this one has changed them since `before`. An empty prompt there does not
    /// replace this one's.
    ///
    /// # Errors
    /// I/O errors, with the path.
    pub fn update(&self, before: &ScreenSession, now: &ScreenSession) -> io::Result<()> {
        let (stored, _) = self.read();
        let other = stored.clone();
        let mut session = ScreenSession {
            workspace: other.workspace,
            cursors: merged(&before.cursors, &now.cursors, other.cursors),
            filters: merged(&before.filters, &now.filters, other.filters),
            named_filters: merged(&before.named_filters, &now.named_filters, other.named_filters),
            reading: merged_places(&before.reading, &now.reading, other.reading),
            values: merged(&before.values, &now.values, other.values),
            ..now.clone()
        };
        if now.token_limit == before.token_limit {
            session.token_limit = stored.token_limit;
        }
        if now.prompt == before.prompt && !stored.prompt.is_empty() {
            session.prompt = other.prompt;
        }
        if session == stored { Ok(()) } else { self.write(&session) }
    }

    /// Writes how the screen was left. If it is too large, typed values are left out.
    ///
    /// # Errors
    /// I/O errors, with the path.
    pub fn write(&self, session: &ScreenSession) -> io::Result<()> {
        let workspace = self.workspace.to_string_lossy().into_owned();
        let mut session = ScreenSession { workspace, ..session.clone() };
        let mut bytes = serde_json::to_vec_pretty(&session)?;
        while bytes.len() > LIMIT / 2
            && let Some(largest) =
                session.values.iter().max_by_key(|(_, values)| values.size()).map(|(name, _)| name.clone())
        {
            session.values.remove(&largest);
            bytes = serde_json::to_vec_pretty(&session)?;
        }
        let sealed = self.sealer.key_or_new()?.sealed(&self.place, &bytes);
        write_private(&self.path, &sealed)
    }
}

/// What is stored, with the entries that differ between `before` and `now`.
fn merged<T: Clone + PartialEq>(
    before: &BTreeMap<String, T>,
    now: &BTreeMap<String, T>,
    mut stored: BTreeMap<String, T>,
) -> BTreeMap<String, T> {
    stored.retain(|name, _| now.contains_key(name) || !before.contains_key(name));
    let changed = now.iter().filter(|(name, value)| before.get(*name) != Some(value));
    stored.extend(changed.map(|(name, value)| (name.clone(), value.clone())));
    stored
}

/// The places in `now` that differ from `before`, then what is stored, then the others.
fn merged_places(before: &[SavedPlace], now: &[SavedPlace], mut stored: Vec<SavedPlace>) -> Vec<SavedPlace> {
    let has = |places: &[SavedPlace], place: &SavedPlace| {
        places.iter().any(|known| (&known.source, &known.file) == (&place.source, &place.file))
    };
    stored.retain(|place| has(now, place) || !has(before, place));
    let (standing, mut places): (Vec<_>, Vec<_>) = now.iter().cloned().partition(|place| before.contains(place));
    for place in stored.into_iter().chain(standing) {
        if !has(&places, &place) {
            places.push(place);
        }
    }
    places.truncate(PLACES);
    places
}

#[cfg(test)]
mod tests {
    use super::*;
    use refdesk_files::write_atomic;

    fn session() -> ScreenSession {
        ScreenSession {
            pane: Some("Templates".to_owned()),
            cursors: [("Catalog".to_owned(), SavedCursor { on: "retry".to_owned(), top: 3 })].into(),
            prompt: "why\u{1b} \"twice\"?\n".to_owned(),
            values: [(
                "Entity.java".to_owned(),
                SavedValues {
                    given: vec![
                        (vec![SavedStep::Field("fields".into()), SavedStep::Item(0)], SavedValue::Text("7".into())),
                        (vec![SavedStep::Field("7".into())], SavedValue::Flag(true)),
                    ],
                    items: vec![(vec![SavedStep::Field("fields".into())], 2)],
                },
            )]
            .into(),
            reading: vec![SavedPlace { source: "retry".to_owned(), file: None, line: 41, below: 0 }],
            ..ScreenSession::default()
        }
    }

    #[test]
    fn a_session_is_read_back_in_its_workspace_only() {
        let folder = tempfile::tempdir().unwrap();
        let (state, workspace) = (folder.path().join("state"), folder.path().join("a"));
        fs::create_dir_all(folder.path().join("b")).unwrap();
        fs::create_dir_all(&workspace).unwrap();
        let file = ScreenSessionFile::new(&state, &workspace).unwrap();
        assert_eq!(file.read(), (ScreenSession::default(), None), "a missing file is not an error");
        file.write(&session()).unwrap();
        let read = file.read();
        let shown = fs::canonicalize(&workspace).unwrap().to_string_lossy().into_owned();
        assert_eq!(read, (ScreenSession { workspace: shown, ..session() }, None));
        let other = ScreenSessionFile::new(&state, &folder.path().join("b")).unwrap();
        assert_eq!(other.read(), (ScreenSession::default(), None));
        fs::copy(&file.path, &other.path).unwrap();
        let (read, error) = other.read();
        let reported = error.unwrap().to_string();
        assert_eq!(read, ScreenSession::default(), "a copy from another workspace does not count");
        assert!(reported.contains("not written by your refdesk for this workspace; it is kept as"), "{reported}");
        assert_eq!(other.read(), (ScreenSession::default(), None), "and is reported once");
        assert!(other.path.with_extension("json.aside").exists());
    }

    #[test]
    fn an_invalid_file_is_reported_and_set_aside() {
        let folder = tempfile::tempdir().unwrap();
        let (state, workspace) = (folder.path().join("state"), folder.path().join("a"));
        fs::create_dir_all(&workspace).unwrap();
        let file = ScreenSessionFile::new(&state, &workspace).unwrap();
        file.write(&session()).unwrap();
        let good = fs::read(&file.path).unwrap();
        let sealed = |json: &str| file.sealer.key().unwrap().sealed(&file.place, json.as_bytes());
        let changed = String::from_utf8(good.clone()).unwrap().replace("twice", "thrice").into_bytes();
        for (bytes, why) in [
            (changed, "not written by your refdesk"),
            (good[..good.len() / 2].to_vec(), "not written by your refdesk"),
            (Vec::new(), "not written by your refdesk"),
            (vec![b' '; LIMIT + 1], "larger than"),
            (sealed("{\"prompt\": 3}"), "expected a string"),
        ] {
            write_atomic(&file.path, &bytes).unwrap();
            let (read, error) = file.read();
            let reported = error.unwrap().to_string();
            assert!(read == ScreenSession::default() && reported.contains(why), "{reported}");
            assert_eq!(fs::read(file.path.with_extension("json.aside")).unwrap(), bytes);
        }
        write_atomic(&file.path, &sealed("{\"prompt\": \"x\", \"columns\": []}")).unwrap();
        assert_eq!(file.read().0.prompt, "x", "members of a newer version are ignored");
        assert!(
            ScreenSessionFile::new(&workspace.join("state"), &workspace).is_none(),
            "it could come with the repository"
        );
    }

    #[test]
    fn an_update_keeps_what_another_screen_has_written() {
        let folder = tempfile::tempdir().unwrap();
        let file = ScreenSessionFile::new(&folder.path().join("state"), folder.path().join("a").as_path()).unwrap();
        let with = |filters: &[&str], token_limit, prompt: &str| {
            let named_filters = filters.iter().map(|filter| (filter[..1].to_owned(), (*filter).to_owned())).collect();
            ScreenSession { named_filters, token_limit, prompt: prompt.to_owned(), ..ScreenSession::default() }
        };
        let others = ScreenSession { values: session().values, ..with(&["a2", "b", "c"], Some(2), "theirs") };
        for (before, now, expected) in [
            (with(&[], None, ""), with(&[], None, ""), with(&["a2", "b", "c"], Some(2), "theirs")),
            (with(&["a"], None, ""), with(&["a", "d"], None, "mine"), with(&["a2", "b", "c", "d"], Some(2), "mine")),
            (with(&["a", "b"], None, "x"), with(&["a3"], Some(1), ""), with(&["a3", "c"], Some(1), "")),
        ] {
            file.write(&others).unwrap();
            let now = ScreenSession { pane: Some("Templates".to_owned()), ..now };
            file.update(&before, &now).unwrap();
            let (read, _) = file.read();
            let expected = ScreenSession {
                workspace: read.workspace.clone(),
                pane: now.pane,
                values: session().values,
                ..expected
            };
            assert_eq!(read, expected);
        }
    }

    #[test]
    fn an_update_keeps_the_draft_and_the_places_of_both_screens() {
        let folder = tempfile::tempdir().unwrap();
        let file = ScreenSessionFile::new(&folder.path().join("state"), folder.path().join("a").as_path()).unwrap();
        let place = |(source, line): &(&str, usize)| SavedPlace {
            source: (*source).to_owned(),
            line: *line,
            ..SavedPlace::default()
        };
        let with = |prompt: &str, places: &[(&str, usize)]| ScreenSession {
            prompt: prompt.to_owned(),
            reading: places.iter().map(place).collect(),
            ..ScreenSession::default()
        };
        for (stored, before, now, expected) in [
            (with("", &[("a", 34)]), with("", &[]), with("", &[]), with("", &[("a", 34)])),
            (with("", &[("a", 34)]), with("x", &[]), with("x", &[("b", 2)]), with("x", &[("b", 2), ("a", 34)])),
            (with("y", &[("a", 34)]), with("x", &[("a", 1)]), with("x", &[("a", 1)]), with("y", &[("a", 34)])),
            (
                with("y", &[("a", 34), ("c", 1)]),
                with("", &[("d", 4), ("a", 1), ("c", 1)]),
                with("z", &[("a", 5), ("d", 4)]),
                with("z", &[("a", 5), ("d", 4)]),
            ),
        ] {
            file.write(&stored).unwrap();
            file.update(&before, &now).unwrap();
            let (read, _) = file.read();
            assert_eq!(read, ScreenSession { workspace: read.workspace.clone(), ..expected });
        }
    }

    #[test]
    fn values_that_are_too_large_are_left_out() {
        let folder = tempfile::tempdir().unwrap();
        let file = ScreenSessionFile::new(&folder.path().join("state"), folder.path().join("a").as_path()).unwrap();
        let mut large = session();
        let value = (vec![SavedStep::Field("a".into())], SavedValue::Text("x".repeat(LIMIT)));
        large.values.insert("b".to_owned(), SavedValues { given: vec![value], items: Vec::new() });
        file.write(&large).unwrap();
        let (read, error) = file.read();
        assert_eq!(
            (read.values, read.prompt, error),
            (session().values, session().prompt, None),
            "the others are kept"
        );
    }

    #[test]
    fn cursors_and_places_are_not_drafts() {
        let mut other = session();
        other.cursors.clear();
        other.reading.clear();
        assert!(!session().has_other_drafts(&other));
        other.prompt.push('x');
        assert!(session().has_other_drafts(&other));
    }
}
