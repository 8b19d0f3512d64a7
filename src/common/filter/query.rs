//! A filter line: terms separated by blanks, all of which must match; `!` negates, and `|` between terms makes them
//! alternatives. An invalid or unfinished term is reported and ignored, so that the list does not jump while the user
//! types.

use nucleo_matcher::pattern::{Atom, AtomKind, CaseMatching, Normalization};
use unicode_segmentation::UnicodeSegmentation;

use refdesk_core::catalog::Mode;
use refdesk_text::fold::{can_match, collapsed, tag_key};
use refdesk_text::names::either;

use crate::common::budget::parse_limit;

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Query {
    pub clauses: Vec<Clause>,
    pub fault: Option<String>,
}

/// Alternatives, one of which must match; never empty.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Clause {
    pub alternatives: Vec<Term>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Term {
    /// As typed, with its `!` and quotes.
    pub written: String,
    pub negated: bool,
    pub test: Test,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Test {
    Text(TextTerm),
    /// A tag, as its key (BEHAVIOUR §5): the whole tag if the catalog contains it, otherwise a prefix.
    Tag(String),
    Kind(&'static str),
    Mode(Mode),
    State(StatusWord),
    /// A bound on the token count, if known.
    Tokens(Bound),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Bound {
    Above(u64),
    Below(u64),
}

/// A text to search. Words are fuzzy; quoted and negated texts must match exactly.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TextTerm {
    /// The search text as typed.
    pub needle: String,
    pub atom: Atom,
    /// The same text for exact matching.
    pub exact: Atom,
    pub len: u16,
}

refdesk_text::worded_enum! {
    pub enum StatusWord {
        Selected = "selected",
        Picked = "picked",
        Pulled = "pulled",
        Auto = "auto",
        Missing = "missing",
        Excluded = "excluded",
        Available = "available",
        Dormant = "dormant",
        Untrusted = "untrusted",
    }
}

impl TextTerm {
    fn new(needle: &str, kind: AtomKind) -> Self {
        let atom = |kind| Atom::new(needle, CaseMatching::Smart, Normalization::Smart, kind, false);
        let len = u16::try_from(needle.graphemes(true).count()).unwrap_or(u16::MAX);
        Self { needle: needle.to_owned(), atom: atom(kind), exact: atom(AtomKind::Substring), len }
    }
}

impl Query {
    pub fn parse(line: &str) -> Self {
        let mut query = Self::default();
        let mut rest = line.trim_start();
        let (mut joins, mut follows) = (false, false);
        while !rest.is_empty() {
            let (written, after) = rest.split_at(term_end(rest));
            let term = match written {
                "|" if joins || !follows => Err("| needs a term before it".to_owned()),
                "|" => Ok(None),
                _ => term(written),
            };
            match (term, query.clauses.last_mut()) {
                (Ok(Some(term)), Some(clause)) if joins => clause.alternatives.push(term),
                (Ok(Some(term)), _) => query.clauses.push(Clause { alternatives: vec![term] }),
                (Ok(None), _) => {}
                (Err(fault), _) => query.fault = query.fault.or(Some(fault)),
            }
            (joins, follows) = (written == "|", written != "|");
            rest = after.trim_start();
        }
        if joins {
            query.fault = query.fault.or(Some("| needs a term after it".to_owned()));
        }
        query
    }

    pub fn is_empty(&self) -> bool {
        self.clauses.is_empty()
    }

    /// The texts that determine the order and the marks of rows.
    pub fn texts(&self) -> impl Iterator<Item = &TextTerm> {
        self.terms().filter(|term| !term.negated).filter_map(|term| match &term.test {
            Test::Text(text) => Some(text),
            _ => None,
        })
    }

    fn terms(&self) -> impl Iterator<Item = &Term> {
        self.clauses.iter().flat_map(|clause| &clause.alternatives)
    }

    pub fn depends_on_selection(&self) -> bool {
        self.terms().any(|term| matches!(term.test, Test::State(_)))
    }

    /// Whether this can only match what `before` matches: it contains each of its terms, possibly extended.
    pub fn narrows(&self, before: &Self) -> bool {
        let mut pairs = before.clauses.iter().zip(&self.clauses);
        before.clauses.len() <= self.clauses.len() && pairs.all(|(before, now)| now.narrows(before))
    }
}

impl Clause {
    /// As typed.
    pub fn written(&self) -> String {
        let written: Vec<&str> = self.alternatives.iter().map(|term| term.written.as_str()).collect();
        written.join(" | ")
    }

    fn narrows(&self, before: &Self) -> bool {
        let mut pairs = before.alternatives.iter().zip(&self.alternatives);
        before.alternatives.len() == self.alternatives.len() && pairs.all(|(before, now)| now.narrows(before))
    }
}

impl Term {
    /// The name of an unknown field, such as `state` in `state:missing`, which is searched as text.
    pub fn unknown_name(&self) -> Option<&str> {
        let Test::Text(_) = self.test else { return None };
        let (name, _) = self.written.trim_start_matches('!').split_once(':')?;
        (!name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphabetic())).then_some(name)
    }

    fn narrows(&self, before: &Self) -> bool {
        match (&self.test, &before.test) {
            (Test::Text(now), Test::Text(before_text)) if !self.negated && !before.negated => {
                now.atom.kind == before_text.atom.kind && now.needle.starts_with(&before_text.needle)
            }
            (now, then) => self.negated == before.negated && now == then,
        }
    }
}

/// The end of the first term of `rest`: a blank or a `|` outside quotes.
fn term_end(rest: &str) -> usize {
    if rest.starts_with('|') {
        return 1;
    }
    let bare = rest.trim_start_matches(['!', '#']);
    let lead = rest.len() - bare.len();
    match bare.strip_prefix('"') {
        Some(quoted) => quoted.find('"').map_or(rest.len(), |end| lead + 1 + end + 1),
        None => rest.find(|c: char| c == '|' || c.is_whitespace()).unwrap_or(rest.len()),
    }
}

fn term(written: &str) -> Result<Option<Term>, String> {
    let (negated, bare) = match written.strip_prefix('!') {
        Some("") => return Err("! needs a term after it".to_owned()),
        Some(bare) => (true, bare),
        None => (false, written),
    };
    let test = test(bare, if negated { AtomKind::Substring } else { AtomKind::Fuzzy })?;
    Ok(test.map(|test| Term { written: written.to_owned(), negated, test }))
}

fn test(bare: &str, kind: AtomKind) -> Result<Option<Test>, String> {
    if let Some(tag) = bare.strip_prefix('#') {
        let tag = tag.trim_matches('"');
        return if can_match(tag) {
            Ok(Some(Test::Tag(collapsed(&tag_key(tag)))))
        } else {
            Err("# needs a tag after it".to_owned())
        };
    }
    if let Some(quoted) = bare.strip_prefix('"') {
        let quoted = quoted.strip_suffix('"').unwrap_or(quoted);
        return Ok((!quoted.is_empty()).then(|| Test::Text(TextTerm::new(quoted, AtomKind::Substring))));
    }
    let lower = bare.to_lowercase();
    if let Some(typed) = lower.strip_prefix("tokens:") {
        let bound = match typed.split_at_checked(1) {
            Some((">", limit)) => match limit.strip_prefix('=') {
                Some(least) => parse_limit(least).map(|least| Bound::Above(least - 1)),
                None => parse_limit(limit).map(Bound::Above),
            },
            Some(("<", limit)) => match limit.strip_prefix('=') {
                Some(most) => parse_limit(most).map(|most| Bound::Below(most + 1)),
                None => parse_limit(limit).map(Bound::Below),
            },
            _ => None,
        };
        return bound
            .map(|bound| Some(Test::Tokens(bound)))
            .ok_or("tokens: needs < or > and a number, as in tokens:>5k".to_owned());
    }
    if let Some(typed) = lower.strip_prefix("type:") {
        let kinds = ["local", "url", "mcp", "inline"];
        let found = begun(typed, &kinds).ok_or("type: must be local, url, mcp or inline")?;
        return Ok(Some(Test::Kind(found)));
    }
    if let Some(typed) = lower.strip_prefix("mode:") {
        let modes = [Mode::Auto.word(), Mode::Selectable.word()];
        let found = begun(typed, &modes).ok_or("mode: must be auto or selectable")?;
        return Ok(Some(Test::Mode(if found == Mode::Auto.word() { Mode::Auto } else { Mode::Selectable })));
    }
    if let Some(typed) = lower.strip_prefix("is:") {
        let names = either(&StatusWord::ALL.map(StatusWord::word));
        return StatusWord::from_word(typed).map(|word| Some(Test::State(word))).ok_or(format!("is: must be {names}"));
    }
    Ok(Some(match StatusWord::from_word(bare) {
        Some(word) => Test::State(word),
        None => Test::Text(TextTerm::new(bare, kind)),
    }))
}

/// The first word with this prefix; `None` for an empty prefix.
fn begun(typed: &str, words: &[&'static str]) -> Option<&'static str> {
    words.iter().find(|word| !typed.is_empty() && word.starts_with(typed)).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(line: &str) -> String {
        let query = Query::parse(line);
        let read = |term: &Term| {
            let test = match &term.test {
                Test::Text(text) if text.atom.kind == AtomKind::Substring => format!("exactly({})", text.needle),
                Test::Text(text) => format!("text({})", text.needle),
                Test::Tag(key) => format!("tag({key})"),
                Test::Kind(word) => format!("type({word})"),
                Test::Mode(mode) => format!("mode({})", mode.word()),
                Test::State(word) => format!("{word:?}"),
                Test::Tokens(bound) => format!("{bound:?}"),
            };
            if term.negated { format!("not {test}") } else { test }
        };
        let clauses = query.clauses.iter().map(|clause| {
            let alternatives: Vec<String> = clause.alternatives.iter().map(read).collect();
            alternatives.join(" or ")
        });
        let fault = query.fault.as_ref().map(|fault| format!("[{fault}]"));
        clauses.chain(fault).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn parsed_lines() {
        let is = "[is: must be selected, picked, pulled, auto, missing, excluded, available, dormant or untrusted]";
        for (line, understood) in [
            ("", ""),
            ("  ", ""),
            ("retry", "text(retry)"),
            ("  Retry  pattern ", "text(Retry) text(pattern)"),
            ("#java !selected type:url mode:auto missing", "tag(java) not Selected type(url) mode(auto) Missing"),
            ("!retry", "not exactly(retry)"),
            ("#Spring-Boot", "tag(spring boot)"),
            ("#\"spring  boot\" x", "tag(spring boot) text(x)"),
            ("!#ja", "not tag(ja)"),
            ("type:u type:l TYPE:Mc", "type(url) type(local) type(mcp)"),
            ("mode:s", "mode(selectable)"),
            ("\"missing\"", "exactly(missing)"),
            ("\"circuit breaker\" x", "exactly(circuit breaker) text(x)"),
            ("\"circuit br", "exactly(circuit br)"),
            ("!\"a b\"", "not exactly(a b)"),
            ("\"", ""),
            ("is:missing !is:picked", "Missing not Picked"),
            ("pick", "text(pick)"),
            ("Missing", "text(Missing)"),
            ("a:b", "text(a:b)"),
            ("type:foo java", "text(java) [type: must be local, url, mcp or inline]"),
            ("type:", "[type: must be local, url, mcp or inline]"),
            ("mode: x", "text(x) [mode: must be auto or selectable]"),
            ("x !", "text(x) [! needs a term after it]"),
            ("#", "[# needs a tag after it]"),
            ("#- x", "text(x) [# needs a tag after it]"),
            ("is:", is),
            ("a | b", "text(a) or text(b)"),
            ("x a | !b | #c y", "text(x) text(a) or not exactly(b) or tag(c) text(y)"),
            ("a|b \"a|b\"", "text(a) or text(b) exactly(a|b)"),
            ("#java|#\"a b\"|!x", "tag(java) or tag(a b) or not exactly(x)"),
            ("a |", "text(a) [| needs a term after it]"),
            ("| a", "text(a) [| needs a term before it]"),
            ("a | | b", "text(a) or text(b) [| needs a term before it]"),
            ("a | type: b", "text(a) text(b) [type: must be local, url, mcp or inline]"),
            ("tokens:>5k !TOKENS:<1,500", "Above(5000) not Below(1500)"),
            ("tokens:>=5k tokens:<=2.5k", "Above(4999) Below(2501)"),
            ("tokens:5k", "[tokens: needs < or > and a number, as in tokens:>5k]"),
            ("tokens:> x", "text(x) [tokens: needs < or > and a number, as in tokens:>5k]"),
        ] {
            assert_eq!(read(line), understood, "{line:?}");
        }
    }

    #[test]
    fn lines_that_narrow_each_other() {
        for (before, now, narrows) in [
            ("re", "ret", true),
            ("re", "ret !x", true),
            ("re #ja", "ret #ja", true),
            ("", "a", true),
            ("type:", "type:u", true),
            ("ret", "re", false),
            ("ret", "bret", false),
            ("#j", "#ja", false),
            ("!re", "!ret", false),
            ("re", "!re", false),
            ("re", "\"re", false),
            ("\"re", "\"ret\"", true),
            ("picke", "picked", false),
            ("type:url", "type:urls", false),
            ("a | b", "a | bc", true),
            ("a | b", "a | b c", true),
            ("a", "a | b", false),
            ("a |", "a | b", false),
            ("a | b", "a | b | c", false),
            ("tokens:>1k", "tokens:>10k", false),
        ] {
            assert_eq!(Query::parse(now).narrows(&Query::parse(before)), narrows, "{before:?} to {now:?}");
        }
    }
}
