//! What is wrong with the text of a file of a source, and with its links.

use std::path::Path;

use super::generated::names_a_document;
use super::links::LINKS_OF_A_DOCUMENT;
use super::scan::{LinkedPath, ScannedMentions};
use super::target::LinkTarget;
use crate::catalog::Source;
use refdesk_files::path::display;
use refdesk_text::hidden;
use refdesk_text::markdown::SIGNS;
use refdesk_text::number::wide;
use refdesk_text::report::Diagnostic;
use refdesk_text::report::listed::ListedProblems;
use refdesk_text::tokens::grouped;
use refdesk_text::{Code, Fix};

const SPLIT: &str = "split it into smaller ones";

pub(super) struct FileProblems<'a> {
    pub workspace: &'a Path,
    pub source: &'a Source,
    pub file: &'a Path,
    pub listed: ListedProblems,
}

impl FileProblems<'_> {
    /// Adds the problems of the text itself.
    pub(super) fn add_text(&mut self, named: &ScannedMentions) {
        if named.is_binary {
            let message = "more than a tenth of the document is not UTF-8".to_owned();
            self.listed.push(self.problem(Code::NotUtf8, message, "save it as UTF-8, or remove it from the source"));
        }
        if let Some(line) = named.cut_at {
            let message = format!("only the first {} links of the document are followed", grouped(LINKS_OF_A_DOCUMENT));
            self.listed.push(self.problem(Code::TooMany, message, SPLIT).at_line(wide(line)));
        }
        if let Some(line) = named.unparsed_from {
            let message = format!(
                "the document has more than {} line breaks and punctuation marks: from here on, only ids and bare paths \
                 are mentions, and links defined from here on are not followed",
                grouped(SIGNS)
            );
            self.listed.push(self.problem(Code::TooMany, message, SPLIT).at_line(wide(line)));
        }
        if let Some(line) = named.split_at {
            let message = format!(
                "the document has more than {} line breaks and punctuation marks, so the text from here on is parsed \
                 separately: a link whose definition is in another part is a mention only at its definition",
                grouped(SIGNS)
            );
            self.listed.push(self.problem(Code::TooMany, message, SPLIT).at_line(wide(line)));
        }
        // The text of an inline source is checked as part of the catalog.
        if let Some(hidden) = named.hidden.as_deref().filter(|_| self.source.place().is_some()) {
            let diagnostic =
                self.problem(Code::HiddenCharacters, hidden.words(), hidden::HINT).at_line(wide(hidden.line));
            self.listed.push(Diagnostic { column: Some(wide(hidden.column)), ..diagnostic });
        }
    }

    /// Adds the problem of a link that leads to no source, if it is one.
    pub(super) fn add_link(&mut self, LinkedPath { path, line, is_example }: &LinkedPath, target: &LinkTarget) {
        let (code, message, fix) = match target {
            LinkTarget::To(_) | LinkTarget::Generated => return,
            // An example may name any file, and some linked files are not knowledge: images, licenses, code.
            LinkTarget::Unlisted | LinkTarget::Outside if *is_example || !names_a_document(Path::new(&**path)) => {
                return;
            }
            LinkTarget::Unlisted => {
                let message = format!("the link to '{path}' leads to a file that no source contains");
                (Code::UnlistedLink, message, Fix::AddTarget)
            }
            LinkTarget::Outside => {
                let message =
                    format!("the link to '{path}' leads out of the workspace, to a path that no source contains");
                (Code::UnlistedLink, message, Fix::AddTarget)
            }
            LinkTarget::Broken if *is_example => return,
            LinkTarget::Broken => {
                let fix = "correct the path; it is relative to the folder of the file that contains it";
                (Code::BrokenLink, format!("broken link: '{path}' does not exist"), fix.into())
            }
        };
        self.listed.push(self.problem(code, message, fix).at_line(wide(*line)));
    }

    fn problem(&self, code: Code, message: String, fix: impl Into<Fix>) -> Diagnostic {
        let diagnostic = Diagnostic::warning(code, message).in_file(display(self.workspace, self.file)).fix(fix);
        diagnostic.about(self.source.id.as_str())
    }
}
