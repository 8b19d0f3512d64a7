//! `refdesk where`: the folders and files in use, and how each was chosen.

use std::path::{Path, PathBuf};

use serde_json::{Map, Value, json};

use super::answer::CommandOutput;
use super::{environment, log};
use refdesk_core::config::{WorkspaceContext, state_folder, user};
use refdesk_desk::Desk;
use refdesk_desk::session::DEFAULT;
use refdesk_files::workspace::WorkspaceReason;
use refdesk_text::escape::one_line;

struct Place {
    key: &'static str,
    /// `None` if no such file or folder is used.
    path: Option<PathBuf>,
    /// Shown to people instead of the path.
    name: Option<String>,
    why: String,
}

impl Place {
    fn new(key: &'static str, path: impl Into<Option<PathBuf>>, why: impl Into<String>) -> Self {
        Self { key, path: path.into(), name: None, why: why.into() }
    }

    fn exists(&self) -> bool {
        self.path.as_deref().is_some_and(Path::exists)
    }
}

pub fn run(desk: &Desk) -> CommandOutput {
    let places = places(desk);
    let mut members = Map::new();
    for place in &places {
        let path = place.path.as_ref().map(|path| path.to_string_lossy());
        let mut member = json!({"path": path, "exists": place.exists(), "why": place.why});
        if let (Some(name), Value::Object(member)) = (&place.name, &mut member) {
            member.insert("name".to_owned(), json!(name));
        }
        members.insert(place.key.to_owned(), member);
    }
    let width = places.iter().map(|place| place.key.len()).max().unwrap_or(0);
    let mut text = String::new();
    for place in &places {
        let shown = match (&place.name, &place.path) {
            (Some(name), _) => name.clone(),
            (None, Some(path)) => path.display().to_string(),
            (None, None) => "none".to_owned(),
        };
        let key = place.key.replace('_', " ");
        text.push_str(&format!("{key:width$}  {}\n{:width$}  {}\n", one_line(&shown), "", one_line(&place.why)));
    }
    CommandOutput::new(Value::Object(members), text)
}

fn places(desk: &Desk) -> Vec<Place> {
    let context = desk.workspace_context();
    let workspace = context.workspace.clone();
    let is_absent = |path: &Path| if path.exists() { "" } else { "; not there yet" };
    let references = desk.references_folder();
    let why_references = match (desk.settings().auto_discover, context.display(&references).as_str()) {
        (false, _) => "not read: 'auto_discover_references' is false".to_owned(),
        (true, ".jaato/references") => format!("each file in it is a source{}", is_absent(&references)),
        (true, _) => format!("each file in it is a source, by 'references_dir'{}", is_absent(&references)),
    };
    let choice = desk.choice_file().to_path_buf();
    let why_choice = format!("picks and exclusions of the desk '{}'{}", desk.name(), is_absent(&choice));
    let why_desk = if desk.name() == DEFAULT { "the default" } else { "named with --desk" };
    let state = state_folder();
    let by_variable = environment::folder("XDG_STATE_HOME").is_some();
    let why_state = match (&state, by_variable) {
        (None, _) => "no home folder is known, so nothing is stored for you",
        (Some(_), true) => "yours, for every workspace: in $XDG_STATE_HOME",
        (Some(_), false) => {
            "yours, for every workspace: approvals, the key that seals stored files, the screen's layout"
        }
    };
    let index = workspace.join(".jaato/refdesk/index.db");
    let why_index = match &desk.settings().index_url {
        Some(_) if desk.index_waits_for_trust().is_some() => {
            format!("the search index{}, used until the database that 'index_url' names is trusted", is_absent(&index))
        }
        Some(_) => "the configuration names a database instead, with 'index_url'".to_owned(),
        None => format!("the search index{}", is_absent(&index)),
    };
    let log = log::file();
    let why_log = log.as_deref().map_or("no home folder is known".to_owned(), |log| {
        format!("$REFDESK_LOG sets what is logged{}", is_absent(log))
    });
    let own = user::file(context.config_home.as_deref());
    let why_own = own.as_deref().map_or("no home folder is known".to_owned(), |file| {
        format!("your own preferences, for every workspace{}", is_absent(file))
    });
    vec![
        Place::new("workspace", workspace, why_workspace(context)),
        Place::new("configuration", desk.config_file().map(Path::to_path_buf), why_config(desk)),
        Place::new("references", references, why_references),
        Place { key: "desk", path: None, name: Some(desk.name().to_owned()), why: why_desk.to_owned() },
        Place::new("selection", choice, why_choice),
        Place::new("journal", desk.journal_file(), format!("what agents were sent{}", is_absent(&desk.journal_file()))),
        Place::new("index", index, why_index),
        Place::new("state", state, why_state),
        Place::new("log", log, why_log),
        Place::new("preferences", own, why_own),
    ]
}

fn why_workspace(context: &WorkspaceContext) -> String {
    let is_here = context.current == context.workspace;
    match context.reason {
        WorkspaceReason::Named => "named with --workspace".to_owned(),
        WorkspaceReason::Demo => "a copy of the built-in sample, removed at the end".to_owned(),
        WorkspaceReason::Marked(mark) => {
            let mark = if mark == ".jaato" { ".jaato/" } else { mark };
            if is_here {
                format!("the current folder has {mark}")
            } else {
                format!("the nearest folder above with {mark}")
            }
        }
        WorkspaceReason::Repository if is_here => "the current folder is the root of a git repository".to_owned(),
        WorkspaceReason::Repository => "the root of the git repository that the current folder is in".to_owned(),
        WorkspaceReason::NothingFound if context.is_workspace() => {
            "the current folder, because no workspace was found and a configuration is named".to_owned()
        }
        WorkspaceReason::NothingFound => {
            "the current folder, because no workspace was found; nothing is stored here before `refdesk init`"
                .to_owned()
        }
    }
}

fn why_config(desk: &Desk) -> String {
    let context = desk.workspace_context();
    let by_variable = context.from_environment.as_ref().is_some_and(|named| !named.is_empty());
    if let Some(problem) = desk.config_problem() {
        return format!("{}: {}", problem.place(), problem.message);
    }
    match desk.config_file() {
        Some(_) if context.named.is_some() => "named with --config".to_owned(),
        Some(_) if by_variable => "named with $REFERENCES_CONFIG_PATH".to_owned(),
        Some(file) if file.starts_with(&context.workspace) => "in the workspace".to_owned(),
        Some(_) => "yours, since the workspace has none".to_owned(),
        None => {
            let looked: Vec<String> = desk.config_places().iter().map(|place| context.display(place)).collect();
            format!("none found; looked for {}", looked.join(", "))
        }
    }
}
