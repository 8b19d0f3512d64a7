//! The report: one line per check, with its problem and the command that fixes it. It contains no secrets, so it can be
//! pasted into a bug report.

use serde_json::{Value, json};

use super::super::{environment, table};

refdesk_text::worded_enum! {
    pub enum CheckLevel {
        Ok = "ok",
        /// Useful to know; nothing is broken.
        Note = "note",
        Wrong = "wrong",
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CheckLine {
    pub name: &'static str,
    pub level: CheckLevel,
    pub text: String,
    pub fix: Option<String>,
}

impl CheckLine {
    pub fn ok(name: &'static str, text: impl Into<String>) -> Self {
        Self { name, level: CheckLevel::Ok, text: text.into(), fix: None }
    }

    pub fn note(name: &'static str, text: impl Into<String>, fix: impl Into<String>) -> Self {
        Self { name, level: CheckLevel::Note, text: text.into(), fix: Some(fix.into()) }
    }

    pub fn wrong(name: &'static str, text: impl Into<String>, fix: impl Into<String>) -> Self {
        Self { level: CheckLevel::Wrong, ..Self::note(name, text, fix) }
    }

    pub fn text(&self) -> String {
        let (mark, text) = (self.level.word(), without_home(&self.text));
        let fix = self.fix.as_deref().filter(|fix| !fix.is_empty()).map(without_home);
        let fix = fix.map(|fix| vec![String::new(), format!("fix: {fix}")]);
        let line = vec![format!("{mark:<5}"), format!("{}: {text}", self.name)];
        table::table(&std::iter::once(line).chain(fix).collect::<Vec<_>>(), &[1])
    }

    pub fn json(&self) -> Value {
        let fix = self.fix.as_deref().filter(|fix| !fix.is_empty()).map(without_home);
        json!({"name": self.name, "level": self.level.word(), "text": without_home(&self.text), "fix": fix})
    }
}

/// Replaces the home folder in a text with `~`.
pub fn without_home(text: &str) -> String {
    let home = environment::home().map(|home| home.to_string_lossy().trim_end_matches('/').to_owned());
    match home.filter(|home| home.len() > 1) {
        Some(home) => text.replace(&home, "~"),
        None => text.to_owned(),
    }
}
