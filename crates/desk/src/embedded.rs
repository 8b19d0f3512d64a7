//! Writes the files of embedded templates: for the selection whenever it changes, and for documents named by the user
//! (BEHAVIOUR §6).

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use super::{Desk, Session};
use crate::session::{DEFAULT, OnBehalfOf, TemplateFile, Written};
use refdesk_files::path::absolute;
use refdesk_templates::{Rejected, Template, TemplateIndex};
use refdesk_text::report::Diagnostic;
use refdesk_text::{Code, Error};

/// The templates extracted from the given documents.
#[derive(Debug, Clone, Default)]
pub struct Extraction {
    /// The templates, without duplicates, by document and line; named like their files.
    pub templates: Vec<Template>,
    /// The outcome of writing their files.
    pub done: Written,
    /// Documents that have no templates or cannot be read.
    pub refused: Vec<Error>,
}

impl Desk {
    /// Updates the files of the selection's embedded templates; the default desk also writes the index of all. Failures
    /// are reported, and templates work without their files. Nothing is written under a profile or for a source that is
    /// not trusted, because any agent can read the workspace.
    pub fn write_templates(&self, session: &Session, index: &TemplateIndex) -> Written {
        if self.profile_file().is_some() || self.options.is_trial {
            return Written::default();
        }
        let index = &*self.readable(index);
        let listing = (self.name() == DEFAULT).then(|| refdesk_templates::listing(index, self.workspace()));
        let by = OnBehalfOf::Desk { choice: &self.choice, index: listing.as_ref() };
        let done = self.store.write_templates(&files(&index.templates), by);
        self.note_templates(session, &done);
        done
    }

    /// Writes the templates of these documents, relative to the current folder, whether or not they are selected. The
    /// files stay until the user removes them.
    pub fn extract(&self, session: &Session, documents: &[PathBuf]) -> Extraction {
        let mut extraction = Extraction::default();
        let (mut there, mut seen) = (Vec::new(), HashSet::new());
        for named in documents {
            let path = absolute(&self.workspace_context().current, named);
            let what = match () {
                () if path.is_dir() => "is a folder",
                () if !path.exists() => "does not exist",
                () => {
                    if seen.insert(path.clone()) {
                        there.push(path);
                    }
                    continue;
                }
            };
            let message = format!("{} {what}", path.display());
            extraction.refused.push(Error::new(
                Code::NoSuchFile,
                message,
                "name Markdown files, relative to the current folder",
            ));
        }
        let (templates, _, diagnostics) = refdesk_templates::of_files(self.index_input(&[]), &there);
        extraction.done = self.store.write_templates(&files(&templates), OnBehalfOf::Person);
        self.note_templates(session, &extraction.done);
        extraction.done.diagnostics.extend(diagnostics);
        extraction.templates = templates;
        extraction
    }

    /// The templates of this document, the code blocks that look like templates but do not compile, and its other
    /// problems.
    pub fn blocks(&self, document: &Path) -> (Vec<Template>, Vec<Rejected>, Vec<Diagnostic>) {
        refdesk_templates::of_files(self.index_input(&[]), &[document.to_path_buf()])
    }
}

/// The files of the embedded templates.
pub(super) fn files(templates: &[Template]) -> Vec<TemplateFile> {
    let file = |template: &Template| {
        let block = template.block.as_ref()?;
        Some(TemplateFile { name: template.within.clone(), text: block.text.clone(), hash: block.hash.clone() })
    };
    templates.iter().filter_map(file).collect()
}
