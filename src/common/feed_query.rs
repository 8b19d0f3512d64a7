//! The feed's filter line: words, `kind:` and `session:`, all of which must match; `!` negates. An invalid or
//! unfinished term is reported and ignored.

use refdesk_desk::engine::{Notice, Topic};
use refdesk_enrich::TextKind;

/// Shown beside the filter line.
pub const HELP: &str = "words, kind: session:, ! for not";

pub const KIND: &str = "kind:";
pub const SESSION: &str = "session:";

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FeedQuery {
    terms: Vec<FeedTerm>,
    pub fault: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct FeedTerm {
    negated: bool,
    test: FeedTest,
}

/// What a term tests for, in lower case.
#[derive(Debug, Clone, PartialEq, Eq)]
enum FeedTest {
    Word(String),
    Kind(String),
    Session(String),
}

impl FeedQuery {
    pub fn parse(line: &str) -> Self {
        let mut terms = Self::default();
        for written in line.split_whitespace() {
            match term(written) {
                Ok(term) => terms.terms.push(term),
                Err(fault) => terms.fault = terms.fault.or(Some(fault)),
            }
        }
        terms
    }

    /// Whether the notice matches every term.
    pub fn keep(&self, notice: &Notice) -> bool {
        if self.terms.is_empty() {
            return true;
        }
        let session = notice.session.as_deref().unwrap_or_default();
        let parts = [&notice.time, notice.who.word(), notice.topic.word(), &notice.text, &notice.reason];
        let hay = parts.join("\n").to_lowercase();
        let kinds = kinds(notice);
        self.terms.iter().all(|term| {
            let holds = match &term.test {
                FeedTest::Word(word) => hay.contains(word.as_str()),
                FeedTest::Kind(begun) => kinds.iter().flatten().any(|kind| kind.starts_with(begun.as_str())),
                FeedTest::Session(begun) => session.to_lowercase().starts_with(begun.as_str()),
            };
            holds != term.negated
        })
    }
}

/// The topic of a notice, and the kind of the text it is about.
fn kinds(notice: &Notice) -> [Option<&'static str>; 2] {
    [Some(notice.topic.word()), notice.receipt.and_then(|receipt| receipt.kind).map(TextKind::word)]
}

fn term(written: &str) -> Result<FeedTerm, String> {
    let lower = written.to_lowercase();
    let (negated, bare) = match lower.strip_prefix('!') {
        Some("") => return Err("! needs a term after it".to_owned()),
        Some(bare) => (true, bare),
        None => (false, lower.as_str()),
    };
    let test = if let Some(begun) = bare.strip_prefix(KIND) {
        let words = || Topic::ALL.iter().map(|topic| topic.word()).chain(TextKind::ALL.map(TextKind::word));
        if begun.is_empty() || !words().any(|word| word.starts_with(begun)) {
            return Err(format!("kind: must be one of {}", words().collect::<Vec<_>>().join(", ")));
        }
        FeedTest::Kind(begun.to_owned())
    } else if let Some(begun) = bare.strip_prefix(SESSION) {
        if begun.is_empty() {
            return Err("session: needs the start of a session name".to_owned());
        }
        FeedTest::Session(begun.to_owned())
    } else {
        FeedTest::Word(bare.to_owned())
    };
    Ok(FeedTerm { negated, test })
}

/// Replaces or removes the term with this prefix.
pub fn with(line: &str, begins: &str, term: Option<&str>) -> String {
    let others = line.split_whitespace().filter(|word| !word.to_lowercase().starts_with(begins));
    let term = term.map(|term| format!("{begins}{term}"));
    others.map(str::to_owned).chain(term).collect::<Vec<_>>().join(" ")
}

/// The value of the term with this prefix.
pub fn of<'l>(line: &'l str, begins: &str) -> Option<&'l str> {
    line.split_whitespace().find_map(|word| word.strip_prefix(begins))
}

#[cfg(test)]
mod tests {
    use super::*;
    use refdesk_desk::engine::{Actor, JournalLineRef};

    fn notice() -> Notice {
        let receipt = Some(JournalLineRef { number: 1, kind: Some(TextKind::ToolResult), has_text: true, tokens: 9 });
        let reported = Notice::new(Actor::Other("claude-code".into()), Topic::Enriched, "Added to a result of Read");
        Notice { receipt, session: Some("S-42".into()), reason: "~9 tokens".to_owned(), ..reported }
    }

    #[test]
    fn notices_kept_by_terms() {
        for (line, kept) in [
            ("", true),
            ("kind:enriched", true),
            ("KIND:enr", true),
            ("kind:tool_result", true),
            ("kind:prompt", false),
            ("!kind:prompt", true),
            ("!kind:enriched", false),
            ("session:s-42", true),
            ("session:s-", true),
            ("session:42", false),
            ("!session:s-42", false),
            ("kind:enr session:s-42 tokens", true),
            ("kind:enr session:other", false),
            ("claude !read", false),
            ("!write", true),
        ] {
            let terms = FeedQuery::parse(line);
            assert_eq!((terms.keep(&notice()), terms.fault), (kept, None), "{line}");
        }
        let without = Notice { session: None, receipt: None, ..notice() };
        assert!(!FeedQuery::parse("session:s").keep(&without) && FeedQuery::parse("!session:s").keep(&without));
    }

    #[test]
    fn an_invalid_term_is_reported_and_keeps_everything() {
        for (line, fault) in [
            ("kind:", "kind: must be one of selection, catalog,"),
            ("kind:x", "kind: must be one of selection, catalog,"),
            ("session:", "session: needs the start of a session name"),
            ("!", "! needs a term after it"),
        ] {
            let terms = FeedQuery::parse(line);
            assert!(
                terms.keep(&notice()) && terms.fault.as_ref().is_some_and(|said| said.starts_with(fault)),
                "{line}"
            );
        }
    }

    #[test]
    fn a_term_replaces_another() {
        for (line, term, expected) in [
            ("", Some("read"), "kind:read"),
            ("java  kind:enriched x", Some("read"), "java x kind:read"),
            ("java Kind:enriched", None, "java"),
        ] {
            assert_eq!(with(line, KIND, term), expected, "{line}");
        }
        assert_eq!((of("a kind:read", KIND), of("a", KIND)), (Some("read"), None));
    }
}
