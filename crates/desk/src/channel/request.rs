//! What goes out and what comes back, as JSON (BEHAVIOUR §8). Who asks and for what is ours: a program that knows the fields of
//! the contract alone reads a request, and writes an answer, all the same.

use serde::{Deserialize, Serialize};

/// What a person is asked.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Request {
    /// Names it; safe as a file's name.
    pub request_id: String,
    /// When, as RFC 3339 in UTC.
    pub timestamp: String,
    /// Why, in the words of who asks; may be empty.
    #[serde(default)]
    pub context: String,
    /// What may be chosen; empty where a yes is asked for.
    #[serde(default)]
    pub sources: Vec<Offered>,
    /// Who asks.
    #[serde(default)]
    pub asker: Asker,
    /// Seconds from `timestamp` on that an answer is waited for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timeout: Option<f64>,
    /// The write that a yes is asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub approval: Option<Approval>,
}

/// A source that may be chosen.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Offered {
    /// Its id.
    pub id: String,
    /// Its name for people.
    #[serde(default)]
    pub name: String,
    /// What it is about.
    #[serde(default)]
    pub description: String,
    /// `local`, `url`, `mcp` or `inline`.
    #[serde(default, rename = "type")]
    pub kind: String,
    /// Its topic words.
    #[serde(default)]
    pub tags: Vec<String>,
}

/// Who asks.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Asker {
    /// As the journal names it.
    #[serde(default)]
    pub who: String,
    /// For which session.
    #[serde(default)]
    pub session: String,
    /// At which desk.
    #[serde(default)]
    pub desk: String,
}

/// A write that a yes is asked for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Approval {
    /// The file, as printed.
    pub path: String,
    /// The template by its name, where it has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub template: Option<String>,
    /// `+3 −1`.
    #[serde(default)]
    pub summary: String,
    /// The unified difference, as a program reads it.
    #[serde(default)]
    pub diff: String,
    /// What a person should look at, one sentence each.
    #[serde(default)]
    pub warnings: Vec<String>,
}

/// The answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Response {
    /// Of the request.
    pub request_id: String,
    /// What was chosen.
    #[serde(default)]
    pub selected_ids: Vec<String>,
    /// Of a request for a yes: whether it is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub approved: Option<bool>,
    /// Who answered.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<String>,
}
