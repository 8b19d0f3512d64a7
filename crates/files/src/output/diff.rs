//! The difference between the old and new content of a file, as unified lines for people and programs, and a summary.
//! Its time is bounded: a diff that takes too long gets coarser instead.

use std::ops::Range;
use std::time::Duration;

use similar::{ChangeTag, DiffOp, DiffTag, TextDiff};

/// Lines of context around a change.
const CONTEXT: usize = 3;

/// How long to search for the shortest diff; after that, the rest counts as changed.
const DIFF_TIMEOUT: Duration = Duration::from_millis(500);

/// Files above this size in bytes are not compared line by line; no text that refdesk generates is larger.
pub(super) const MAX_COMPARED_BYTES: u64 = 16 * 1024 * 1024;

/// Follows a last line that has no line break, as in every diff tool.
const NO_NEWLINE: &str = "\\ No newline at end of file";

/// A unified diff.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Diff {
    /// Lines added.
    pub added: usize,
    /// Lines removed.
    pub removed: usize,
    /// The lines; empty if nothing would change.
    pub lines: Vec<DiffLine>,
    /// A sentence about what the lines do not show: different line endings, or why nothing was compared.
    pub note: Option<String>,
}

/// One line of a diff.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DiffLine {
    /// Its kind.
    pub mark: DiffLineKind,
    /// Its text without sign and line feed; the carriage return of a CRLF stays.
    pub text: String,
}

/// The kind of a diff line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DiffLineKind {
    /// `---` or `+++`.
    Header,
    /// `@@ -1,3 +1,4 @@`.
    Hunk,
    /// A line of both texts.
    Same,
    /// A line of the new text only.
    Added,
    /// A line of the old text only.
    Removed,
    /// `\ No newline at end of file`, or a note in place of lines.
    Note,
}

impl DiffLineKind {
    /// The sign before the line's text.
    pub fn sign(self) -> &'static str {
        match self {
            Self::Header | Self::Hunk | Self::Note => "",
            Self::Same => " ",
            Self::Added => "+",
            Self::Removed => "-",
        }
    }
}

impl DiffLine {
    /// The line for people: a final carriage return in added and removed lines is shown as `\r`.
    pub fn shown(&self) -> String {
        match (self.mark, self.text.strip_suffix('\r')) {
            (DiffLineKind::Added | DiffLineKind::Removed, Some(text)) => format!("{text}\\r"),
            (_, Some(text)) => text.to_owned(),
            (_, None) => self.text.clone(),
        }
    }
}

impl Diff {
    /// Diffs the old text (`None` if there is no file) against the new one.
    pub fn new(shown: &str, old: Option<&str>, new: &str) -> Self {
        let mut diff = Self { note: old.and_then(|old| line_ends(old, new)), ..Self::default() };
        // Lines end at a line feed, as in every tool that reads diffs.
        let (before, after): (Vec<&str>, Vec<&str>) =
            (old.unwrap_or_default().split_inclusive('\n').collect(), new.split_inclusive('\n').collect());
        let compared = TextDiff::configure().timeout(DIFF_TIMEOUT).diff_slices(&before, &after);
        let groups = compared.grouped_ops(CONTEXT);
        if old.is_none() || !groups.is_empty() {
            diff.head(shown, old.is_none());
        }
        let mut starts = starts(compared.ops()).into_iter();
        for group in groups {
            let changes = group.iter().filter(|op| op.tag() != DiffTag::Equal).count();
            let starts: Vec<[usize; 2]> = starts.by_ref().take(changes).collect();
            if let Some(first) = starts.first() {
                diff.push(DiffLineKind::Hunk, &hunk_header(&group, *first));
            }
            for change in group.iter().flat_map(|op| compared.iter_changes(op)) {
                let mark = match change.tag() {
                    ChangeTag::Equal => DiffLineKind::Same,
                    ChangeTag::Insert => DiffLineKind::Added,
                    ChangeTag::Delete => DiffLineKind::Removed,
                };
                diff.added += usize::from(mark == DiffLineKind::Added);
                diff.removed += usize::from(mark == DiffLineKind::Removed);
                let line = change.value();
                diff.push(mark, line.strip_suffix('\n').unwrap_or(line));
                if !line.ends_with('\n') {
                    diff.push(DiffLineKind::Note, NO_NEWLINE);
                }
            }
        }
        diff
    }

    /// A diff for an old file without comparable lines; `why` is a sentence.
    pub(super) fn without_lines(shown: &str, why: String) -> Self {
        let (mut diff, shown) = (Self { note: Some(why), ..Self::default() }, in_header(shown));
        diff.push(DiffLineKind::Note, &format!("Binary files a/{shown} and b/{shown} differ"));
        diff
    }

    fn head(&mut self, shown: &str, is_new: bool) {
        let shown = in_header(shown);
        let from = if is_new { "/dev/null".to_owned() } else { format!("a/{shown}") };
        self.push(DiffLineKind::Header, &format!("--- {from}"));
        self.push(DiffLineKind::Header, &format!("+++ b/{shown}"));
    }

    /// The same diff for a file that will be removed.
    pub(super) fn without_file(mut self) -> Self {
        if let Some(head) = self.lines.iter_mut().filter(|line| line.mark == DiffLineKind::Header).nth(1) {
            "+++ /dev/null".clone_into(&mut head.text);
        }
        self
    }

    /// Renames the file in the headers.
    pub(super) fn rename(&mut self, from: &str, to: &str) {
        for line in self.lines.iter_mut().filter(|line| line.mark == DiffLineKind::Header) {
            for sign in ["--- a/", "+++ b/"] {
                if line.text.strip_prefix(sign) == Some(in_header(from)) {
                    line.text = format!("{sign}{}", in_header(to));
                }
            }
        }
    }

    fn push(&mut self, mark: DiffLineKind, text: &str) {
        self.lines.push(DiffLine { mark, text: text.to_owned() });
    }

    /// `+3 −1`, or `not compared` if the old file has no comparable lines.
    pub fn summary(&self) -> String {
        match self.lines.first() {
            Some(DiffLine { mark: DiffLineKind::Note, .. }) => "not compared".to_owned(),
            _ => format!("+{} −{}", self.added, self.removed),
        }
    }

    /// The diff for programs (`patch`, `git apply`), byte for byte; empty if nothing would change.
    pub fn unified(&self) -> String {
        let mut text = String::new();
        for line in &self.lines {
            text.push_str(line.mark.sign());
            text.push_str(&line.text);
            text.push('\n');
        }
        text
    }

    /// The diff for people, with visible differences in line endings.
    pub fn shown(&self) -> String {
        self.lines.iter().map(|line| format!("{}{}\n", line.mark.sign(), line.shown())).collect()
    }
}

/// A path in a header: git and `patch` take an absolute path without its leading slash.
fn in_header(shown: &str) -> &str {
    shown.trim_start_matches('/')
}

/// Describes a change of line endings, which a screen does not show.
fn line_ends(old: &str, new: &str) -> Option<String> {
    let kind = |text: &str| {
        let breaks = text.matches('\n').count();
        match text.matches("\r\n").count() {
            _ if breaks == 0 => None,
            0 => Some("LF"),
            some if some == breaks => Some("CRLF"),
            _ => Some("both LF and CRLF"),
        }
    };
    let (before, after) = (kind(old)?, kind(new)?);
    (before != after).then(|| format!("its lines end in {before}, and would end in {after}"))
}

/// Where each change begins: the numbers of old and new lines before it. Counted from the lengths, because the changes
/// keep the positions from before `similar` moved them together.
fn starts(ops: &[DiffOp]) -> Vec<[usize; 2]> {
    let mut at = [0, 0];
    let mut start = |op: &DiffOp| {
        let before = at;
        at = [at[0] + op.old_range().len(), at[1] + op.new_range().len()];
        (op.tag() != DiffTag::Equal).then_some(before)
    };
    ops.iter().filter_map(&mut start).collect()
}

/// `@@ -1,4 +1,5 @@` for a group whose first change begins after these numbers of lines.
fn hunk_header(group: &[DiffOp], first_change: [usize; 2]) -> String {
    let context = group.first().filter(|op| op.tag() == DiffTag::Equal).map_or(0, |op| op.old_range().len());
    let lines = |range: fn(&DiffOp) -> Range<usize>| group.iter().map(|op| range(op).len()).sum::<usize>();
    let side = |before: usize, lines: usize| match lines {
        // The header of an empty side contains the number of the line before it.
        0 => format!("{before},0"),
        1 => (before + 1).to_string(),
        _ => format!("{},{lines}", before + 1),
    };
    let [old, new] = first_change.map(|before| before.saturating_sub(context));
    format!("@@ -{} +{} @@", side(old, lines(DiffOp::old_range)), side(new, lines(DiffOp::new_range)))
}

#[cfg(test)]
mod tests {
    use std::time::Instant;

    use proptest::prelude::*;

    use super::*;

    /// Applies a diff like `patch`, and checks the line and the counts in each hunk's header.
    fn applied(old: &str, unified: &str) -> Option<String> {
        let old: Vec<&str> = old.split_inclusive('\n').collect();
        let (mut new, mut at) = (String::new(), 0);
        let mut lines = unified.lines().skip(2).peekable();
        while let Some(header) = lines.next() {
            let (from, to) = header.strip_prefix("@@ -")?.strip_suffix(" @@")?.split_once(" +")?;
            let [(old_start, mut removed), (new_start, mut added)] = [from, to].map(|side| {
                let (start, count) = side.split_once(',').unwrap_or((side, "1"));
                let (start, count): (usize, usize) = (start.parse().unwrap(), count.parse().unwrap());
                (if count == 0 { start } else { start - 1 }, count)
            });
            new.push_str(&old.get(at..old_start)?.concat());
            at = old_start;
            if new.split_inclusive('\n').count() != new_start {
                return None;
            }
            while removed > 0 || added > 0 {
                let (sign, text) = lines.next()?.split_at_checked(1)?;
                let is_last = lines.next_if(|next| *next == NO_NEWLINE).is_some();
                let text = if is_last { text.to_owned() } else { format!("{text}\n") };
                if sign != "+" {
                    if *old.get(at)? != text {
                        return None;
                    }
                    (at, removed) = (at + 1, removed.checked_sub(1)?);
                }
                if sign != "-" {
                    new.push_str(&text);
                    added = added.checked_sub(1)?;
                }
            }
        }
        new.push_str(&old.get(at..)?.concat());
        Some(new)
    }

    fn lines() -> impl Strategy<Value = String> {
        (prop::collection::vec("[abc]{0,1}", 0..24), prop::bool::ANY).prop_map(|(lines, is_whole)| {
            let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
            if is_whole { text } else { text.trim_end_matches('\n').to_owned() }
        })
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2_000))]
        #[test]
        fn applied_to_the_old_text_it_gives_the_new_one(old in lines(), new in lines()) {
            let diff = Diff::new("f", Some(&old), &new).unified();
            prop_assert_eq!(applied(&old, &diff), Some(new), "{}", diff);
        }
    }

    #[test]
    fn differences_as_every_tool_writes_them() {
        for (old, new, expected, summary) in [
            (Some("a\n"), "a\n", "", "+0 −0"),
            (None, "", "--- /dev/null\n+++ b/f\n", "+0 −0"),
            (None, "a\nb\n", "--- /dev/null\n+++ b/f\n@@ -0,0 +1,2 @@\n+a\n+b\n", "+2 −0"),
            (Some("a\nb\n"), "", "--- a/f\n+++ b/f\n@@ -1,2 +0,0 @@\n-a\n-b\n", "+0 −2"),
            (
                Some("a\nb"),
                "a\nb\n",
                "--- a/f\n+++ b/f\n@@ -1,2 +1,2 @@\n a\n-b\n\\ No newline at end of file\n+b\n",
                "+1 −1",
            ),
            (
                Some("a"),
                "b",
                "--- a/f\n+++ b/f\n@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+b\n\\ No newline at end of file\n",
                "+1 −1",
            ),
            (
                Some("0\n1\n2\n3\n4\n5\n6\n7\n8\n9\n"),
                "0\n1\n2\n3\n4\nx\n6\n7\n8\n9\n",
                "--- a/f\n+++ b/f\n@@ -3,7 +3,7 @@\n 2\n 3\n 4\n-5\n+x\n 6\n 7\n 8\n",
                "+1 −1",
            ),
            // A bare carriage return does not end a line.
            (Some("a\rb\n"), "a\rc\n", "--- a/f\n+++ b/f\n@@ -1 +1 @@\n-a\rb\n+a\rc\n", "+1 −1"),
            (Some("a\r\n"), "a\n", "--- a/f\n+++ b/f\n@@ -1 +1 @@\n-a\r\n+a\n", "+1 −1"),
        ] {
            let diff = Diff::new("f", old, new);
            assert_eq!((diff.unified().as_str(), diff.summary().as_str()), (expected, summary), "{old:?} {new:?}");
        }
    }

    #[test]
    fn an_absolute_path_has_one_slash_in_the_headers() {
        let mut diff = Diff::new("/tmp/f", Some("a\n"), "b\n");
        assert!(diff.unified().starts_with("--- a/tmp/f\n+++ b/tmp/f\n"), "{}", diff.unified());
        diff.rename("/tmp/f", "~/f");
        assert!(diff.unified().starts_with("--- a/~/f\n+++ b/~/f\n"), "{}", diff.unified());
        let binary = Diff::without_lines("/tmp/f", String::new());
        assert!(binary.unified().contains("a/tmp/f and b/tmp/f differ"), "{}", binary.unified());
    }

    #[test]
    fn other_line_ends_can_be_seen() {
        let diff = Diff::new("f", Some("a\r\nb\r\n"), "a\nb\n");
        assert_eq!(diff.note.as_deref(), Some("its lines end in CRLF, and would end in LF"));
        assert!(diff.shown().contains("-a\\r\n") && diff.shown().contains("+a\n"), "{}", diff.shown());
        let mixed = Diff::new("f", Some("a\r\nb\r\nc\r\n"), "a\r\nx\nc\r\n");
        assert!(mixed.shown().ends_with(" a\n-b\\r\n+x\n c\n"), "what stays is not marked: {}", mixed.shown());
        assert!(mixed.note.is_some_and(|note| note.ends_with("both LF and CRLF")));
        assert_eq!(Diff::new("f", Some("a"), "a\n").note, None);
        assert_eq!(Diff::new("f", None, "a\r\n").note, None);
    }

    #[test]
    fn the_largest_texts_are_compared_in_bounded_time() {
        // The worst case: many short lines, all different.
        let text = |salt: usize| (0..400_000).map(|at| format!("{}\n", at * 7 + salt)).collect::<String>();
        let (old, new) = (text(0), text(3));
        let began = Instant::now();
        let diff = Diff::new("f", Some(&old), &new);
        assert_eq!((diff.added, diff.removed), (400_000, 400_000));
        assert!(began.elapsed() < Duration::from_secs(20), "{:?}", began.elapsed());
    }
}
