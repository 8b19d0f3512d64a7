//! A workspace in a temporary folder, next to an empty home folder and a folder for temporary files, so that a test
//! neither depends on the machine nor leaves anything behind.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use refdesk_core::config::WorkspaceContext;
use refdesk_desk::channel::Response;
use refdesk_desk::channel::folder::{AnswerStatus, Pending, answer};
use refdesk_desk::{Desk, Options};
use refdesk_files::{Sealer, write_atomic};
use serde_json::{Value, json};
use tempfile::TempDir;

use super::program::{PROGRAM, ProgramRun, installed_path, run};

/// The program's state folder of the user, next to the workspace.
pub const STATE: &str = "home/.local/state/refdesk";

/// A temporary test environment: `ws/`, `home/`, `tmp/`.
#[derive(Debug)]
pub struct Workspace {
    // Dropping it removes the folders.
    _root: TempDir,
    /// The workspace folder, absolute and without links.
    pub path: PathBuf,
}

impl Workspace {
    /// An empty workspace.
    pub fn new() -> Self {
        let root = tempfile::Builder::new().prefix("refdesk-test-").tempdir().unwrap();
        let base = fs::canonicalize(root.path()).unwrap();
        for folder in ["ws", "home", "tmp"] {
            fs::create_dir(base.join(folder)).unwrap();
        }
        Self { _root: root, path: base.join("ws") }
    }

    /// A workspace with these files.
    pub fn with(files: &[(&str, &str)]) -> Self {
        let workspace = Self::new();
        for (path, text) in files {
            workspace.put(path, text.as_bytes());
        }
        workspace
    }

    /// A workspace with these sources in its `references.json`, and these files.
    pub fn of(sources: Value, files: &[(&str, &str)]) -> Self {
        let workspace = Self::with(files);
        workspace.configure(json!({"version": "1.0", "sources": sources}));
        workspace
    }

    /// Writes `references.json`.
    pub fn configure(&self, configuration: Value) {
        self.put("references.json", format!("{configuration:#}\n").as_bytes());
    }

    /// Locks the index for writing: no other process builds it while the file is open.
    pub fn hold_index(&self) -> fs::File {
        let folder = self.path.join(".jaato/refdesk");
        fs::create_dir_all(&folder).unwrap();
        let lock = fs::File::create(folder.join("index.lock")).unwrap();
        lock.lock().unwrap();
        lock
    }

    pub fn put(&self, path: &str, bytes: &[u8]) {
        write_atomic(&self.path.join(path), bytes).unwrap();
    }

    #[track_caller]
    pub fn read(&self, path: &str) -> String {
        let path = self.path.join(path);
        fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
    }

    /// A path next to the workspace.
    pub fn beside(&self, path: &str) -> PathBuf {
        self.path.parent().unwrap().join(path)
    }

    /// The program in this environment, without `--workspace`.
    pub fn bare(&self, words: &[&str]) -> Command {
        let mut command = Command::new(PROGRAM);
        command.args(words).current_dir(&self.path).env_clear();
        for (name, folder) in [("HOME", "home"), ("XDG_CONFIG_HOME", "home/.config"), ("TMPDIR", "tmp")] {
            command.env(name, self.beside(folder));
        }
        command.env("PATH", installed_path());
        command
    }

    /// The program with these arguments, in this workspace.
    pub fn command(&self, words: &[&str]) -> Command {
        let mut command = self.bare(&[]);
        command.arg("--workspace").arg(&self.path).args(words);
        command
    }

    /// The program with these arguments, started by another program, such as a shell that sets limits.
    pub fn started_by(&self, starter: &[&str], words: &[&str]) -> Command {
        let whole = self.command(words);
        let mut command = Command::new(starter[0]);
        command.args(&starter[1..]).arg(PROGRAM).args(whole.get_args()).current_dir(&self.path).env_clear();
        command.envs(whole.get_envs().filter_map(|(name, value)| Some((name, value?))));
        command
    }

    /// The same, but no file may grow beyond this many KiB, as on a disk that is nearly full.
    pub fn without_room(&self, kib: u32, words: &[&str]) -> Command {
        let limit = format!("ulimit -c 0; ulimit -f {kib}; exec \"$0\" \"$@\"");
        self.started_by(&["bash", "-c", &limit], words)
    }

    /// Runs the program in text form.
    #[track_caller]
    pub fn run(&self, words: &[&str]) -> ProgramRun {
        run(&mut self.command(words), None)
    }

    /// Runs the program in JSON form, checks the exit code, and returns the document.
    #[track_caller]
    pub fn json(&self, words: &[&str], code: i32) -> Value {
        self.run(&[&["--format", "json"], words].concat()).exits(code).json()
    }

    /// Runs the program in text form with this standard input.
    #[track_caller]
    pub fn feed(&self, words: &[&str], input: &[u8]) -> ProgramRun {
        run(&mut self.command(words), Some(input))
    }

    /// Runs the program in JSON form with this standard input, and returns the document.
    #[track_caller]
    pub fn feed_json(&self, words: &[&str], input: &[u8]) -> Value {
        self.feed(&[&["--format", "json"], words].concat(), input).exits(0).json()
    }

    /// Trusts everything that needs it, as a person at a terminal would. `state` is that person's state folder,
    /// relative to the folder around the workspace.
    #[track_caller]
    pub fn trust(&self, state: &str) {
        let desk = self.desk(state);
        let waiting = desk.untrusted();
        assert!(!waiting.is_empty(), "nothing waited for trust");
        desk.trust(&waiting).unwrap();
    }

    /// A desk of this workspace for the person with this state folder.
    pub fn desk(&self, state: &str) -> Desk {
        let context = WorkspaceContext {
            workspace: self.path.clone(),
            current: self.path.clone(),
            home: Some(self.beside("home")),
            config_home: Some(self.beside("home/.config")),
            ..WorkspaceContext::default()
        };
        Desk::open(Options { state: Some(self.beside(state)), ..Options::new(context) })
    }

    /// Edits the journal's lines without their seals, and seals them again as the person's refdesk would.
    pub fn edit_journal(&self, edit: impl Fn(&str) -> String) {
        let sealer = self.sealer();
        let reseal = |line: &str| {
            let (bare, _) = line.rsplit_once(",\"seal\":").expect("a sealed line");
            let line = edit(&format!("{bare}}}"));
            let sealed = sealer.key_or_new().unwrap().sealed_line("journal.jsonl", line.as_bytes());
            String::from_utf8(sealed).unwrap() + "\n"
        };
        let file = ".jaato/refdesk/journal.jsonl";
        self.put(file, self.read(file).lines().map(reseal).collect::<String>().as_bytes());
    }

    fn sealer(&self) -> Sealer {
        Sealer::new(Some(&self.beside(STATE)), &self.path)
    }

    /// Answers a request as a screen of the person does.
    pub fn answer(&self, asked: &Pending, response: &Response) -> AnswerStatus {
        let bytes = response.sealed(&asked.request, &self.sealer()).unwrap();
        answer(&asked.folder, &asked.request.request_id, &bytes).unwrap()
    }

    /// The stored picks of the default desk.
    #[track_caller]
    pub fn picks(&self) -> Vec<String> {
        let file = self.path.join(".jaato/refdesk/selection.json");
        let Ok(bytes) = fs::read(&file) else { return Vec::new() };
        let stored: Value = serde_json::from_slice(&bytes).expect("the stored selection is whole");
        strings(&stored["picks"])
    }

    /// Every file of the workspace with its content, to check that nothing was written.
    pub fn listing(&self) -> Vec<(PathBuf, Vec<u8>)> {
        let mut found = Vec::new();
        collect(&self.path, &mut found);
        found.sort();
        found
    }
}

fn collect(folder: &Path, found: &mut Vec<(PathBuf, Vec<u8>)>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() && !path.is_symlink() {
            collect(&path, found);
        } else {
            found.push((path.clone(), fs::read(&path).unwrap_or_default()));
        }
    }
}

/// A JSON list of strings.
#[track_caller]
pub fn strings(list: &Value) -> Vec<String> {
    let items = list.as_array().unwrap_or_else(|| panic!("no list: {list}"));
    items.iter().map(|item| item.as_str().unwrap_or_else(|| panic!("no string: {item}")).to_owned()).collect()
}

/// The ids of a JSON list of sources.
#[track_caller]
pub fn ids(sources: &Value) -> Vec<String> {
    let items = sources.as_array().unwrap_or_else(|| panic!("no list: {sources}"));
    items.iter().map(|item| item["id"].as_str().expect("an id").to_owned()).collect()
}

/// An inline source.
pub fn inline(id: &str, content: &str) -> Value {
    json!({"id": id, "name": format!("Name of {id}"), "type": "inline", "content": content})
}
