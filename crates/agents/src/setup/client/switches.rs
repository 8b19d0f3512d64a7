//! Settings outside our entries that keep them from working: switches of all hooks or of single servers, and decisions
//! that an agent waits for. Which files count, and which of two values, was found by running the agents.

use serde_json::{Value, json};

use super::{Client, SERVER, SettingsFormat, SettingsPlace};

/// Stands for the path of the workspace among keys.
pub(super) const HERE: &str = "${workspace}";

/// The settings of an agent that are examined.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Switches {
    /// The files, the one that counts most first.
    pub files: &'static [SwitchFile],
    pub(super) switches: &'static [Switch],
    /// What the agent waits for before it uses the settings of a workspace.
    pub(super) consent: Option<Consent>,
}

/// A settings file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SwitchFile {
    /// Where it is.
    pub place: SettingsPlace,
    /// Whether it is in the home folder.
    pub for_user: bool,
}

/// A setting that can switch entries of ours off.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Switch {
    pub part: ConnectedPart,
    /// Whether it concerns only entries in the settings of a workspace.
    pub is_of_project: bool,
    pub keys: &'static [&'static str],
    /// Its value when it is off.
    pub off: SettingValue,
}

/// What a setting concerns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ConnectedPart {
    /// The hooks.
    Hooks,
    /// The server.
    Server,
    /// Hooks and server.
    Both,
}

/// A value of a setting, which switches something off or shows a decision.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SettingValue {
    /// This one; the first file that has the setting counts.
    Bool(bool),
    /// This text; the first file that has the setting counts.
    Text(&'static str),
    /// A list in any file that has our name.
    Listed,
    /// At least one list, none of which has our name.
    Unlisted,
}

/// A decision of the user.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Consent {
    pub part: ConnectedPart,
    /// The settings that show it: one of these has the value.
    pub shown_by: &'static [(&'static [&'static str], SettingValue)],
    pub missing: &'static str,
    pub fix: &'static str,
}

/// Why an entry does not work, or does not work yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SwitchProblem {
    /// Whether something is off; otherwise the agent waits for a decision.
    pub is_off: bool,
    /// In one sentence.
    pub message: String,
    /// What to do about it.
    pub fix: String,
}

/// A settings file that was read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SwitchText {
    /// The file, as printed.
    pub shown: String,
    /// Its text; blank if there is none.
    pub text: String,
}

impl ConnectedPart {
    /// Whether it concerns one of the parts that exist: the hooks, the server.
    pub(super) fn is_among(self, (has_hooks, has_server): (bool, bool)) -> bool {
        match self {
            Self::Hooks => has_hooks,
            Self::Server => has_server,
            Self::Both => has_hooks || has_server,
        }
    }
}

impl Switches {
    /// No known switches.
    pub(super) const NONE: Self = Self { files: &[], switches: &[], consent: None };
}

impl SwitchFile {
    pub(super) const fn project(place: SettingsPlace) -> Self {
        Self { place, for_user: false }
    }

    pub(super) const fn user(place: SettingsPlace) -> Self {
        Self { place, for_user: true }
    }
}

impl Switch {
    pub(super) const fn new(part: ConnectedPart, keys: &'static [&'static str], off: SettingValue) -> Self {
        Self { part, is_of_project: false, keys, off }
    }

    pub(super) const fn of_project(part: ConnectedPart, keys: &'static [&'static str], off: SettingValue) -> Self {
        Self { part, is_of_project: true, keys, off }
    }

    /// The setting as it is named to people.
    fn shown(&self) -> String {
        match self.keys.iter().position(|key| *key == HERE) {
            None => format!("`{}`", self.keys.join(".")),
            Some(at) => match self.keys.get(at + 1..) {
                Some([]) | None => "this workspace".to_owned(),
                Some(rest) => format!("`{}` of this workspace", rest.join(".")),
            },
        }
    }

    /// The problem, if it is off in one of these files.
    fn problem(&self, files: &[(&str, Value)], workspace: &[String]) -> Option<SwitchProblem> {
        let part = match self.part {
            ConnectedPart::Hooks => "the hooks",
            ConnectedPart::Server => "the server",
            ConnectedPart::Both => "hooks and server",
        };
        let mut found = files.iter().filter_map(|(file, root)| Some((*file, value_at(root, self.keys, workspace)?)));
        let shown = self.shown();
        let (file, what, fix) = match self.off {
            SettingValue::Bool(off) => {
                let (file, _) =
                    found.find(|(_, value)| value.is_boolean()).filter(|(_, value)| **value == json!(off))?;
                (file, format!("{shown} is {off}"), format!("set it to {}", !off))
            }
            SettingValue::Text(off) => {
                let (file, _) =
                    found.find(|(_, value)| value.is_string()).filter(|(_, value)| **value == json!(off))?;
                (file, format!("{shown} is \"{off}\""), "remove that, and decide when the agent asks".to_owned())
            }
            SettingValue::Listed => {
                let (file, _) = found.find(|(_, value)| names_us(value))?;
                (file, format!("{shown} lists {SERVER}"), format!("remove {SERVER} from that list"))
            }
            SettingValue::Unlisted => {
                let lists: Vec<_> =
                    found.filter(|(_, value)| value.as_array().is_some_and(|it| !it.is_empty())).collect();
                let (file, _) = lists.first().filter(|_| !lists.iter().any(|(_, value)| names_us(value)))?;
                (*file, format!("{shown} does not list {SERVER}"), format!("add {SERVER} to that list"))
            }
        };
        let message = format!("{file}: {what}, which switches off {part}");
        Some(SwitchProblem { is_off: true, message, fix })
    }
}

impl Client {
    /// What keeps our entries in the user's or the workspace's settings from working; `texts` are those of
    /// `switches.files`.
    pub fn switch_problems(
        &self,
        texts: &[SwitchText],
        for_user: bool,
        (has_hooks, has_server): (bool, bool),
        places: &SwitchPaths,
    ) -> Vec<SwitchProblem> {
        let format =
            if self.server.format == SettingsFormat::Toml { SettingsFormat::Toml } else { SettingsFormat::Json };
        // A file that does not parse switches nothing off, and is reported with its entries.
        let parsed = |it: &SwitchText| format.value(&it.text).ok().flatten();
        let files: Vec<(&str, Value)> = texts.iter().filter_map(|it| Some((it.shown.as_str(), parsed(it)?))).collect();
        let concerns = |part: ConnectedPart| part.is_among((has_hooks, has_server));
        let switches = self.switches.switches.iter();
        let switches = switches.filter(|it| concerns(it.part) && !(it.is_of_project && for_user));
        let mut problems: Vec<SwitchProblem> =
            switches.filter_map(|switch| switch.problem(&files, &places.workspace)).collect();
        let consent = self.switches.consent.filter(|it| problems.is_empty() && !for_user && concerns(it.part));
        problems.extend(consent.filter(|it| !it.is_given(&files, &places.above)).map(|consent| SwitchProblem {
            is_off: false,
            message: consent.missing.to_owned(),
            fix: consent.fix.to_owned(),
        }));
        problems
    }
}

/// The paths by which settings name a workspace.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SwitchPaths {
    /// The workspace, and its repository.
    pub workspace: Vec<String>,
    /// The workspace and every folder above it.
    pub above: Vec<String>,
}

impl Consent {
    fn is_given(&self, files: &[(&str, Value)], folders: &[String]) -> bool {
        files.iter().any(|(_, root)| {
            self.shown_by.iter().any(|(keys, wanted)| {
                folders.iter().filter_map(|folder| value_at(root, keys, std::slice::from_ref(folder))).any(|value| {
                    match wanted {
                        SettingValue::Bool(wanted) => *value == json!(wanted),
                        SettingValue::Text(wanted) => *value == json!(wanted),
                        SettingValue::Listed => names_us(value),
                        SettingValue::Unlisted => !names_us(value),
                    }
                })
            })
        })
    }
}

/// The value at these keys, using the first path for the workspace that has one.
fn value_at<'a>(root: &'a Value, keys: &[&str], paths: &[String]) -> Option<&'a Value> {
    let with = |path: &str| keys.iter().try_fold(root, |value, key| value.get(if *key == HERE { path } else { key }));
    if keys.contains(&HERE) { paths.iter().find_map(|path| with(path)) } else { with("") }
}

/// Whether a list has our name, or an object with it.
fn names_us(list: &Value) -> bool {
    let is_us = |item: &Value| item == SERVER || item.get("serverName").is_some_and(|name| name == SERVER);
    list.as_array().is_some_and(|items| items.iter().any(is_us))
}
