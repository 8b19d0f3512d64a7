//! The files of embedded templates: those of the selection, written wherever it changed, and those of documents that a
//! person names (BEHAVIOUR §6).

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use super::{Desk, Session};
use crate::session::{DEFAULT, For, TemplateFile, Written};
use refdesk_files::path::absolute;
use refdesk_templates::{Rejected, Template, TemplateIndex};
use refdesk_text::report::Diagnostic;
use refdesk_text::{Code, Error};

/// Templates taken from documents that were named.
#[derive(Debug, Clone, Default)]
pub struct Extraction {
    /// Each once, in order of document and line; named as their files are.
    pub templates: Vec<Template>,
    /// What became of their files.
    pub done: Written,
    /// Documents that there is nothing to be had from.
    pub refused: Vec<Error>,
}

impl Desk {
    /// Brings the files of the selection's embedded templates to what they should be; those of the default desk's with the
    /// index of all. What cannot be written is told, and the templates are there without it; under a profile none is. Nor is
    /// one of a source that waits for trust: any agent reads what lies in the workspace.
    pub fn write_templates(&self, session: &Session, index: &TemplateIndex) -> Written {
        if self.profile_file().is_some() {
            return Written::default();
        }
        let index = &*self.readable(index);
        let listing = (self.name() == DEFAULT).then(|| refdesk_templates::listing(index, self.workspace()));
        let by = For::Desk { choice: &self.choice, index: listing.as_ref() };
        let done = self.store.write_templates(&files(&index.templates), by);
        self.note_templates(session, &done);
        done
    }

    /// Writes the templates of these documents, relative to the current folder, whether or not anything brings them. Their
    /// files stay until a person removes them.
    pub fn extract(&self, session: &Session, documents: &[PathBuf]) -> Extraction {
        let mut extraction = Extraction::default();
        let (mut there, mut seen) = (Vec::new(), HashSet::new());
        for named in documents {
            let path = absolute(&self.around().current, named);
            let what = match () {
                () if path.is_dir() => "is a folder",
                () if !path.exists() => "is not there",
                () => {
                    if seen.insert(path.clone()) {
                        there.push(path);
                    }
                    continue;
                }
            };
            let message = format!("{} {what}", path.display());
            extraction.refused.push(Error::new(Code::NoSuchFile, message, "name markdown files of the current folder"));
        }
        let (templates, _, diagnostics) = refdesk_templates::of_files(self.asked(&[]), &there);
        extraction.done = self.store.write_templates(&files(&templates), For::Person);
        self.note_templates(session, &extraction.done);
        extraction.done.diagnostics.extend(diagnostics);
        extraction.templates = templates;
        extraction
    }
}

impl Desk {
    /// The templates of this document, the code blocks that look like one and do not compile, and what else is wrong with it.
    pub fn blocks(&self, document: &Path) -> (Vec<Template>, Vec<Rejected>, Vec<Diagnostic>) {
        refdesk_templates::of_files(self.asked(&[]), &[document.to_path_buf()])
    }
}

/// The files of those that are embedded.
pub(super) fn files(templates: &[Template]) -> Vec<TemplateFile> {
    let file = |template: &Template| {
        let block = template.block.as_ref()?;
        Some(TemplateFile { name: template.within.clone(), text: block.text.clone(), hash: block.hash.clone() })
    };
    templates.iter().filter_map(file).collect()
}
