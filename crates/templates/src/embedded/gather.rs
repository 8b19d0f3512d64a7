//! Reads and searches documents in parallel. A document that has not changed is not read again.

use std::path::Path;
use std::sync::Arc;
use std::time::SystemTime;

use rayon::prelude::*;

use super::documents::ScannedDocument;
use super::{BLOCKS, COMPILED, Extracted, LeftOut, SIGNS, extract};
use crate::cache::{CachedFiles, keep};
use crate::discover::of_source;
use refdesk_core::mention::LIMITS;
use refdesk_files::nofollow::open_in;
use refdesk_files::path::display;
use refdesk_files::{Stamp, open_regular, read_stamped};
use refdesk_text::Code;
use refdesk_text::lines::decode;
use refdesk_text::report::Diagnostic;
use refdesk_text::tokens::counted;

/// The most bytes of blocks compiled in all documents, which the documents searched at the same time may exceed.
const ALL_COMPILED: usize = 8 * 1024 * 1024;

/// How many documents are searched at once.
const AT_ONCE: usize = 4;

/// A document with the result of its search.
#[derive(Debug)]
pub(crate) struct Text {
    pub document: ScannedDocument,
    pub found: Arc<Extracted>,
}

/// The templates in a document and the stamp of its file, or a sentence that tells why they are unknown.
type SearchOutcome = Result<(Stamp, Arc<Extracted>), String>;

/// Searches these documents and returns the results in their order. Also stores them in `after` if `now` is given.
pub(crate) fn gather(
    workspace: &Path,
    documents: Vec<ScannedDocument>,
    (before, after): (&CachedFiles, &mut CachedFiles),
    now: Option<SystemTime>,
    diagnostics: &mut Vec<Diagnostic>,
) -> Vec<Text> {
    let mut searched: Vec<SearchOutcome> = Vec::with_capacity(documents.len());
    let mut compiled = 0;
    for some in documents.chunks(AT_ONCE) {
        let found: Vec<SearchOutcome> = some.par_iter().map(|document| search(document, before)).collect();
        compiled += found.iter().flatten().map(|(_, found)| found.compiled).sum::<usize>();
        searched.extend(found);
        if compiled > ALL_COMPILED {
            break;
        }
    }
    if let Some(first) = documents.get(searched.len()) {
        let (count, mebibytes) = (documents.len() - searched.len(), ALL_COMPILED / (1024 * 1024));
        let message = format!(
            "{} not searched for templates: the others have more than {mebibytes} MiB of code blocks",
            counted(count, "document")
        );
        let problem = Diagnostic::warning(Code::TemplateLimit, message).in_file(display(workspace, &first.path));
        diagnostics.push(problem.fix("unpick sources with many templates"));
    }
    let mut texts = Vec::with_capacity(searched.len());
    for (document, found) in documents.into_iter().zip(searched) {
        let of = |diagnostic: Diagnostic| {
            of_source(diagnostic.in_file(display(workspace, &document.path)), document.source.as_ref())
        };
        match found {
            Ok((stamp, found)) => {
                match &document.content {
                    Some(content) => drop(after.contents.insert(content.clone(), found.clone())),
                    None => keep(&mut after.documents, &document.path, stamp, found.clone(), now),
                }
                diagnostics.extend(problems_of(&found).into_iter().map(of));
                texts.push(Text { document, found });
            }
            Err(problem) => diagnostics.push(of(Diagnostic::warning(
                Code::Unreadable,
                format!("the document {problem}, so it is not searched for templates"),
            )
            .fix("make it readable and smaller, or remove it from the source"))),
        }
    }
    texts
}

/// Searches a document, unless the result is cached.
fn search(document: &ScannedDocument, before: &CachedFiles) -> SearchOutcome {
    if let Some(content) = &document.content {
        let known = before.contents.get(content).cloned();
        return Ok((Stamp::default(), known.unwrap_or_else(|| Arc::new(extract(content)))));
    }
    if let Some(known) = before.document(&document.path) {
        return Ok(known);
    }
    let mebibytes = LIMITS.bytes / (1024 * 1024);
    let opened = match &document.root {
        Some((root, real)) => open_in(root, real),
        None => open_regular(&document.path),
    };
    let read = opened.and_then(|file| read_stamped(file, LIMITS.bytes));
    let (stamp, bytes) = read.map_err(|error| format!("cannot be read: {error}"))?;
    let bytes = bytes.ok_or_else(|| format!("exceeds the limit of {mebibytes} MiB"))?;
    // A binary file contains no templates.
    let found = match decode(&bytes) {
        (_, true) => Extracted::default(),
        (text, false) => extract(&text),
    };
    Ok((stamp, Arc::new(found)))
}

fn problems_of(found: &Extracted) -> Vec<Diagnostic> {
    let mut problems = Vec::new();
    if let Some((line, message)) = &found.front_matter {
        let problem = Diagnostic::warning(Code::FrontMatter, message.clone());
        problems.push(problem.fix("templates of the document are named only by their headings").at_line(*line));
    }
    if let Some(left_out) = found.left_out {
        let message = match left_out {
            LeftOut::Blocks => format!("only the first {BLOCKS} templates of the document are used"),
            LeftOut::Bytes => {
                format!("only the first {} MiB of templates in the document are used", COMPILED / (1024 * 1024))
            }
            LeftOut::Behind(line) => format!(
                "the document exceeds the limit of {SIGNS} line breaks and punctuation marks; templates after line {line} are ignored"
            ),
        };
        problems.push(Diagnostic::warning(Code::TemplateLimit, message).fix("split the document into smaller ones"));
    }
    problems
}
