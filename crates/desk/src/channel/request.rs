//! Requests and answers as JSON (BEHAVIOUR §8). `asker` and `approval` are refdesk's additions: a program that supports
//! only the fields of the contract can still read a request and write an answer.

use std::io;

use serde::{Deserialize, Serialize};

use refdesk_files::Sealer;
use refdesk_files::name::sha256_hex;
use refdesk_files::output::Diff;
use refdesk_text::shorten::without_long_blanks;

/// A request to the user.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Request {
    /// Its id, which is safe as a file name.
    pub request_id: String,
    /// When it was made, as RFC 3339 in UTC.
    pub timestamp: String,
    /// The requester's reason; may be empty.
    #[serde(default)]
    pub context: String,
    /// The sources to choose from; empty for an approval.
    #[serde(default)]
    pub sources: Vec<OfferedReference>,
    /// The requester.
    #[serde(default)]
    pub asker: Requester,
    /// Seconds after `timestamp` at which it expires.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timeout: Option<f64>,
    /// The write to approve.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub approval: Option<Approval>,
}

impl Request {
    /// The context of a request without a reason; `path` is the file to write.
    pub fn default_context(who: &str, path: Option<&str>) -> String {
        match path {
            Some(path) => format!("{who} wants to write {path}"),
            None => format!("{who} asks which references to use"),
        }
    }

    /// Whether the requester gave a reason.
    pub fn has_reason(&self) -> bool {
        let path = self.approval.as_ref().map(|approval| approval.path.as_str());
        let context = self.context.trim();
        !context.is_empty() && context != Self::default_context(&self.asker.who, path).trim()
    }

    /// Whether these bytes are an answer that this user's refdesk gave to exactly this request.
    pub(super) fn is_answered_by_user(&self, bytes: &[u8], sealer: &Sealer) -> bool {
        sealer.verifies(&self.seal_place(), bytes)
    }

    /// What an answer is sealed for: all of the request, so that an answer counts only for what was shown.
    fn seal_place(&self) -> String {
        format!("ask/{}", sha256_hex(&serde_json::to_vec(self).unwrap_or_default()))
    }

    /// The requester's desk, unless it is this one. States and costs on this desk do not apply to it.
    pub fn other_desk(&self, desk: &str) -> Option<&str> {
        Some(self.asker.desk.as_str()).filter(|asking| !asking.is_empty() && *asking != desk)
    }
}

/// A source to choose.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct OfferedReference {
    /// Its id.
    pub id: String,
    /// Its display name.
    #[serde(default)]
    pub name: String,
    /// Its description.
    #[serde(default)]
    pub description: String,
    /// `local`, `url`, `mcp` or `inline`.
    #[serde(default, rename = "type")]
    pub kind: String,
    /// Its tags.
    #[serde(default)]
    pub tags: Vec<String>,
    /// Whether it waits for trust. Only the list at the terminal needs it; a screen knows it from its own catalog.
    #[serde(skip)]
    pub is_untrusted: bool,
}

/// Who makes a request.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Requester {
    /// Its name in the journal.
    #[serde(default)]
    pub who: String,
    /// Its session.
    #[serde(default)]
    pub session: String,
    /// Its desk.
    #[serde(default)]
    pub desk: String,
}

/// A write to approve.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Approval {
    /// The file's path as displayed.
    pub path: String,
    /// The template's name, if there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub template: Option<String>,
    /// `+3 −1`.
    #[serde(default)]
    pub summary: String,
    /// The unified diff.
    #[serde(default)]
    pub diff: String,
    /// Warnings for the user, one sentence each.
    #[serde(default)]
    pub warnings: Vec<String>,
}

impl Approval {
    /// The path for people, without long runs of blanks, which could push its end out of sight.
    pub fn shown_path(&self) -> String {
        without_long_blanks(self.path.clone())
    }

    /// The effect on the file, derived from the diff.
    pub fn effect(&self) -> ApprovalEffect {
        match self.diff.lines().next() {
            Some("--- /dev/null") => ApprovalEffect::New,
            Some(line) if line.starts_with("--- ") => ApprovalEffect::Other,
            None if self.summary == Diff::default().summary() => ApprovalEffect::Same,
            _ => ApprovalEffect::Unknown,
        }
    }
}

/// The effect of a write on its file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ApprovalEffect {
    /// The file does not exist yet.
    New,
    /// The file exists with other content.
    Other,
    /// The file already has exactly this content.
    Same,
    /// The request has no diff.
    Unknown,
}

/// The answer to a request.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Response {
    /// The request's id.
    pub request_id: String,
    /// The chosen ids.
    #[serde(default)]
    pub selected_ids: Vec<String>,
    /// For an approval request: whether it is approved.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub approved: Option<bool>,
    /// Who answered.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<String>,
}

impl Response {
    /// The text of the answer's file, sealed as this user's answer to exactly this request.
    ///
    /// # Errors
    /// It cannot be written as JSON.
    pub fn sealed(&self, request: &Request, sealer: &Sealer) -> io::Result<Vec<u8>> {
        let bytes = serde_json::to_vec_pretty(self)?;
        Ok(sealer.key_or_new().map(|key| key.sealed(&request.seal_place(), &bytes)).unwrap_or(bytes))
    }
}
