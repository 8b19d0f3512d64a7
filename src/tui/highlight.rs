//! Syntax highlighting for previews and documents, with results cached across changes of the text. Pure but
//! slow, so it runs only on the thread of `run/highlight_worker`.

mod language;
mod scopes;
mod text;

use std::collections::HashMap;
use std::sync::Arc;

use syntect::parsing::{ParseState, ScopeStack, SyntaxReference, SyntaxSet};

use crate::tui::theme::ThemeRole;
use scopes::ScopeRoles;

pub use language::candidates;
pub use text::{HighlightedText, carried};

/// Texts with more bytes are not highlighted.
pub const LONGEST_TEXT: usize = 1024 * 1024;

/// Lines with more bytes are not highlighted: a minified line would delay everything after it.
pub const LONGEST_LINE: usize = 2_000;

/// Cached parser states; the cache is cleared when it grows beyond this.
const MAX_STATES: usize = 512;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum HighlightSubject {
    Preview,
    Document,
}

/// Consecutive lines in one language.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CodePiece {
    /// The lines, cleaned for display.
    pub lines: Arc<[String]>,
    /// Names of the language, the most likely first.
    pub languages: Vec<String>,
}

/// A highlighted part of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Span {
    /// Its first byte.
    pub start: u32,
    /// The byte after its last one.
    pub end: u32,
    pub role: ThemeRole,
}

/// The highlighted parts of one line, in order and without overlaps.
pub type Spans = Box<[Span]>;

/// The parser's state at the start of a line, for example within a comment or a string.
type ParserState = (ParseState, ScopeStack);

/// The result for a line in a given parser state.
struct CachedLine {
    spans: Spans,
    after: usize,
    /// The last round in which the line occurred.
    round: u64,
}

/// Highlights texts. Results are cached by line and parser state, so that only changed lines are parsed again.
pub struct Highlighter {
    set: SyntaxSet,
    scopes: ScopeRoles,
    language: String,
    places: Vec<ParserState>,
    known: Vec<HashMap<Box<str>, CachedLine>>,
    round: u64,
    buffer: String,
}

/// A position in a text that is highlighted line by line.
#[derive(Debug, Clone, Copy)]
pub struct LineCursor {
    /// The parser state at the start of the next line; `None` if the language is unknown.
    at: Option<usize>,
}

impl Default for Highlighter {
    fn default() -> Self {
        Self {
            set: two_face::syntax::extra_newlines(),
            scopes: ScopeRoles::default(),
            language: String::new(),
            places: Vec::new(),
            known: Vec::new(),
            round: 0,
            buffer: String::new(),
        }
    }
}

impl Highlighter {
    /// Starts a text in the first of these languages that is known.
    pub fn begin(&mut self, languages: &[String]) -> LineCursor {
        self.round += 1;
        let found = |language: &String| self.set.find_syntax_by_token(language);
        let Some(syntax) = languages.iter().find_map(found).filter(|syntax| !syntax.hidden) else {
            return LineCursor { at: None };
        };
        let top = top(syntax);
        if self.language != syntax.name {
            let name = syntax.name.clone();
            if !self.language.is_empty() {
                // Compiled patterns are never freed, so browsing templates in many languages would accumulate
                // them. Reloading the definitions takes less time than a frame.
                self.set = two_face::syntax::extra_newlines();
            }
            self.language = name;
            self.places.clear();
            self.known.clear();
        }
        LineCursor { at: Some(self.intern(top)) }
    }

    /// Highlights the next line.
    pub fn line(&mut self, walk: &mut LineCursor, line: &str) -> Spans {
        let Some(at) = walk.at.filter(|_| line.len() <= LONGEST_LINE) else { return Spans::default() };
        let round = self.round;
        if let Some(known) = self.known.get_mut(at).and_then(|known| known.get_mut(line)) {
            known.round = round;
            walk.at = Some(known.after);
            return known.spans.clone();
        }
        let Some((mut parse, mut stack)) = self.places.get(at).cloned() else { return Spans::default() };
        self.buffer.clear();
        self.buffer.push_str(line);
        self.buffer.push('\n');
        // If a pattern fails, the line stays plain and the state stays the same.
        let Ok(ops) = parse.parse_line(&self.buffer, &self.set) else { return Spans::default() };
        let spans = self.scopes.spans(line, &ops, &mut stack);
        if self.places.len() >= MAX_STATES {
            self.places.clear();
            self.known.clear();
            walk.at = Some(self.intern((parse, stack)));
            return spans;
        }
        let after = self.intern((parse, stack));
        if let Some(known) = self.known.get_mut(at) {
            known.insert(line.into(), CachedLine { spans: spans.clone(), after, round });
        }
        walk.at = Some(after);
        spans
    }

    /// Ends the text, and drops cached lines that did not occur in it.
    pub fn end(&mut self) {
        let round = self.round;
        self.known.iter_mut().for_each(|known| known.retain(|_, known| known.round == round));
    }

    fn intern(&mut self, place: ParserState) -> usize {
        if let Some(at) = self.places.iter().position(|known| *known == place) {
            return at;
        }
        self.places.push(place);
        self.known.push(HashMap::new());
        self.places.len() - 1
    }
}

fn top(syntax: &SyntaxReference) -> ParserState {
    (ParseState::new(syntax), ScopeStack::new())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each line with its highlighted parts in brackets, prefixed with a letter for their role.
    fn described(highlighter: &mut Highlighter, language: &str, text: &str) -> Vec<String> {
        let mut walk = highlighter.begin(&[language.to_owned()]);
        let lines = text.lines().map(|line| {
            let mut marked = line.to_owned();
            for span in highlighter.line(&mut walk, line).iter().rev() {
                let letter = format!("{:?}", span.role).to_lowercase();
                marked.insert(span.end as usize, ']');
                marked.insert_str(span.start as usize, &format!("[{}:", &letter[..1]));
            }
            marked
        });
        let lines = lines.collect();
        highlighter.end();
        lines
    }

    #[test]
    fn keywords_of_languages() {
        let mut highlighter = Highlighter::default();
        for (language, text, expected) in [
            (
                "java",
                "/* a\n b */ public class A { int n = 7; String s = \"é日\"; } // c",
                &[
                    "[c:/* a]",
                    "[c: b */] [k:public] [k:class] [f:A] { [k:int] n = [n:7]; [k:String] s = [s:\"é日\"]; } [c:// c]",
                ][..],
            ),
            ("yaml", "name: \"x\" # c\nm: 7", &["[k:name]: [s:\"x\"] [c:# c]", "[k:m]: [n:7]"]),
            ("none", "public class", &["public class"]),
        ] {
            assert_eq!(described(&mut highlighter, language, text), expected);
        }
    }

    #[test]
    fn cached_results_equal_new_ones() {
        let text = "class A {\n  /* a\n b */ int x;\n String s = \"x\";\n}\n".repeat(3);
        let mut one = Highlighter::default();
        described(&mut one, "java", &text);
        for (from, to) in [("a\n", "a */\n"), ("int x", "int y"), (" b */", " b"), ("class A", "// class A")] {
            let changed = text.replacen(from, to, 1);
            assert_eq!(
                described(&mut one, "java", &changed),
                described(&mut Highlighter::default(), "java", &changed),
                "{to}"
            );
        }
        let known: usize = one.known.iter().map(HashMap::len).sum();
        assert!(known <= text.lines().count(), "lines that are gone are forgotten: {known}");
    }

    #[test]
    fn a_long_line_stays_plain() {
        let long = format!("int {} = 1;\nint x;", "x".repeat(LONGEST_LINE));
        let lines = described(&mut Highlighter::default(), "java", &long);
        assert_eq!((lines[0].contains('['), lines[1].as_str()), (false, "[k:int] x;"));
    }
}
