//! Settings outside our entries that can disable them: switches for all hooks or for single servers, and decisions the
//! agent waits for. Which files count, and which value wins, was determined by running the agents.

use serde_json::{Value, json};

use super::{Client, SERVER, SettingsFormat, SettingsPlace};

/// Placeholder for the workspace path in a path of keys.
pub(super) const WORKSPACE_PLACEHOLDER: &str = "${workspace}";

/// The settings of an agent to examine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Switches {
    /// The settings files, highest precedence first.
    pub files: &'static [SwitchFile],
    pub(super) switches: &'static [Switch],
    /// The decision the agent waits for before it uses a workspace's settings.
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

/// A setting that can disable our entries.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Switch {
    pub part: ConnectedPart,
    /// Whether it affects only entries in a workspace's settings.
    pub is_of_project: bool,
    pub keys: &'static [&'static str],
    /// The value that disables them.
    pub off: SettingValue,
}

/// The part that a setting affects.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ConnectedPart {
    Hooks,
    Server,
    Both,
}

/// How a setting is compared: to find that something is disabled, or that the user has decided.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SettingValue {
    /// Equals this value; the first file that has the setting wins.
    Bool(bool),
    /// Equals this text; the first file that has the setting wins.
    Text(&'static str),
    /// A list in any of the files contains our name.
    Listed,
    /// There are lists, and none contains our name.
    Unlisted,
    /// A list in any of the files contains one of these texts.
    ListedAs(&'static [&'static str]),
}

/// A decision of the user.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Consent {
    pub part: ConnectedPart,
    /// The settings that record it: any of these with its value.
    pub shown_by: &'static [(&'static [&'static str], SettingValue)],
    pub missing: &'static str,
    pub fix: &'static str,
}

/// Why an entry does not work, or not yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SwitchProblem {
    /// Whether something is disabled; otherwise the agent waits for a decision.
    pub is_off: bool,
    /// The problem, in one sentence.
    pub message: String,
    /// How to fix it.
    pub fix: String,
}

/// The text of a settings file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SwitchText {
    /// The path to display.
    pub shown: String,
    /// The content; blank if the file does not exist.
    pub text: String,
}

impl ConnectedPart {
    /// Whether it affects one of the parts that exist: hooks, server.
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

    /// The setting and its value, for messages.
    fn shown(&self) -> String {
        match self.keys.iter().position(|key| *key == WORKSPACE_PLACEHOLDER) {
            None => format!("`{}`", self.keys.join(".")),
            Some(at) => match self.keys.get(at + 1..) {
                Some([]) | None => "this workspace".to_owned(),
                Some(rest) => format!("`{}` of this workspace", rest.join(".")),
            },
        }
    }

    /// The problem, if one of these files disables the setting.
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
                let (file, _) = found.find(|(_, value)| contains_our_name(value))?;
                (file, format!("{shown} lists {SERVER}"), format!("remove {SERVER} from that list"))
            }
            SettingValue::ListedAs(names) => {
                let (file, name) = found.find_map(|(file, value)| Some((file, listed_name(value, names)?)))?;
                (file, format!("{shown} lists {name}"), format!("remove {name} from that list"))
            }
            SettingValue::Unlisted => {
                let lists: Vec<_> =
                    found.filter(|(_, value)| value.as_array().is_some_and(|it| !it.is_empty())).collect();
                let (file, _) = lists.first().filter(|_| !lists.iter().any(|(_, value)| contains_our_name(value)))?;
                (*file, format!("{shown} does not list {SERVER}"), format!("add {SERVER} to that list"))
            }
        };
        let message = format!("{file}: {what}, which switches off {part}");
        Some(SwitchProblem { is_off: true, message, fix })
    }
}

impl Client {
    /// What disables our entries in the user's or the workspace's settings; `texts` are the contents of
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
        // A file that does not parse disables nothing; it is reported with its entries.
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

/// The paths by which settings refer to a workspace.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SwitchPaths {
    /// The workspace and its repository.
    pub workspace: Vec<String>,
    /// The workspace and all its ancestors.
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
                        SettingValue::Listed => contains_our_name(value),
                        SettingValue::Unlisted => !contains_our_name(value),
                        SettingValue::ListedAs(names) => listed_name(value, names).is_some(),
                    }
                })
            })
        })
    }
}

/// The value at these keys, for the first workspace path that has one.
fn value_at<'a>(root: &'a Value, keys: &[&str], paths: &[String]) -> Option<&'a Value> {
    let with = |path: &str| {
        keys.iter().try_fold(root, |value, key| value.get(if *key == WORKSPACE_PLACEHOLDER { path } else { key }))
    };
    if keys.contains(&WORKSPACE_PLACEHOLDER) { paths.iter().find_map(|path| with(path)) } else { with("") }
}

/// The first of these names that a list contains.
fn listed_name(list: &Value, names: &[&'static str]) -> Option<&'static str> {
    let items = list.as_array()?;
    names.iter().copied().find(|name| items.iter().any(|item| item == name))
}

/// Whether a list contains our name, or an object with our name.
fn contains_our_name(list: &Value) -> bool {
    let is_us = |item: &Value| item == SERVER || item.get("serverName").is_some_and(|name| name == SERVER);
    list.as_array().is_some_and(|items| items.iter().any(is_us))
}
