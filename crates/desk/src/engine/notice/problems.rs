//! Notices of problems: new errors and warnings, or that all errors are fixed. A problem whose line moved is not new.

use std::collections::HashMap;
use std::sync::Arc;

use super::{Actor, Notice, Topic};
use crate::engine::Snapshot;
use refdesk_text::Code;
use refdesk_text::report::Diagnostic;

/// Codes that are reported as a change of the catalog, a template or a pick, or counted among the actions that need
/// trust.
const REPORTED_ELSEWHERE: [Code; 4] = [Code::MissingPath, Code::TemplateBroken, Code::NeverFound, Code::Untrusted];

/// Problems that make a whole file, or the workspace, unusable until they are fixed.
const UNREADABLE: [Code; 4] = [Code::JsonSyntax, Code::NotAnObject, Code::NotUtf8, Code::NoWorkspace];

/// New errors.
pub(super) fn errors(before: &Snapshot, after: &Snapshot) -> Option<Notice> {
    notice_of(after, &new(before, after, |it| it.is_error()), Topic::Problem)
}

/// A notice that no error remains.
pub(super) fn fixed(before: &Snapshot, after: &Snapshot) -> Option<Notice> {
    let any = |of: &Snapshot| of.diagnostics.iter().any(Diagnostic::is_error);
    (any(before) && !any(after)).then(|| Notice::new(Actor::Files, Topic::Desk, "All errors are fixed"))
}

pub(super) fn warnings(before: &Snapshot, after: &Snapshot) -> Option<Notice> {
    let is_reported = |it: &&Diagnostic| !it.is_error() && !is_reported_elsewhere(before, it);
    notice_of(after, &new(before, after, is_reported), Topic::Warning)
}

/// The missing file of a new entry is not reported separately.
fn is_reported_elsewhere(before: &Snapshot, diagnostic: &Diagnostic) -> bool {
    let is_known = || diagnostic.source_id.as_ref().is_some_and(|id| before.catalog.get(id).is_some());
    REPORTED_ELSEWHERE.contains(&diagnostic.code) && (diagnostic.code != Code::MissingPath || is_known())
}

fn new<'a>(before: &Snapshot, after: &'a Snapshot, counts: impl Fn(&&Diagnostic) -> bool) -> Vec<&'a Diagnostic> {
    if Arc::ptr_eq(&before.diagnostics, &after.diagnostics) {
        return Vec::new();
    }
    let what = |of: &Diagnostic| (of.severity, of.code, of.file.clone(), of.source_id.clone(), of.message.clone());
    let mut known = HashMap::new();
    for diagnostic in before.diagnostics.iter() {
        *known.entry(what(diagnostic)).or_insert(0_usize) += 1;
    }
    let mut is_new = |diagnostic: &&Diagnostic| match known.get_mut(&what(diagnostic)) {
        Some(left @ 1..) => {
            *left -= 1;
            false
        }
        _ => true,
    };
    after.diagnostics.iter().filter(|it| is_new(it)).filter(counts).collect()
}

/// `error: references.json:12:7: not valid JSON, +3 more`, without hints.
fn notice_of(after: &Snapshot, new: &[&Diagnostic], topic: Topic) -> Option<Notice> {
    let (first, more) = new.split_first()?;
    let mut text = first.to_string().lines().next().unwrap_or_default().to_owned();
    if !more.is_empty() {
        text.push_str(&format!(", +{} more", more.len()));
    }
    let notice = Notice::new(Actor::Files, topic, text).at(after.spot(first));
    Some(if first.is_error() && UNREADABLE.contains(&first.code) {
        notice.because("what was read before stays in use".to_owned())
    } else {
        notice
    })
}
