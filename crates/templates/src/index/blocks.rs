//! The code blocks that become templates, and the names of their files.

use std::path::Path;

use super::complete::bare;
use crate::embedded::documents::ScannedDocument;
use crate::embedded::gather::Text;
use crate::embedded::names::BlockNames;
use crate::embedded::{EmbeddedBlock, Extracted};
use crate::{FOLDER, Template, TemplateBlock, TemplateOrigin};
use refdesk_files::path::is_absent;

/// Every block of these texts with its file name; repeated content is listed each time.
pub(super) fn of_texts(
    workspace: &Path,
    texts: &[Text],
    names: &mut BlockNames,
    is_free: impl Fn(&str) -> bool,
) -> Vec<Template> {
    let folder = workspace.join(FOLDER);
    let all = texts.iter().flat_map(|text| text.found.blocks.iter().map(move |found| (&text.document, found)));
    let template = |(document, found): (&ScannedDocument, &EmbeddedBlock)| {
        let name = names.give(found, &is_free);
        Template {
            path: folder.join(&name),
            source: document.source.clone(),
            within: name.clone(),
            block: Some(TemplateBlock {
                text: found.text.clone(),
                hash: found.hash.clone(),
                document: document.path.clone(),
                line: found.line,
            }),
            ..bare(name, TemplateOrigin::Embedded)
        }
    };
    all.map(template).collect()
}

/// A tool result as a text, and its blocks. None gets the name of a file that exists.
pub(super) fn of_tool_result(workspace: &Path, found: Extracted, names: &mut BlockNames) -> (Text, Vec<Template>) {
    let folder = workspace.join(FOLDER);
    let document = ScannedDocument { path: folder.as_path().into(), root: None, source: None, content: None };
    let text = Text { document, found: found.into() };
    let is_free = |name: &str| std::fs::symlink_metadata(folder.join(name)).is_err_and(|error| is_absent(&error));
    let mut new = of_texts(workspace, std::slice::from_ref(&text), names, is_free);
    // The template's document may be anything that a tool has read; only the file is kept.
    for template in &mut new {
        template.is_taken = true;
        if let Some(block) = &mut template.block {
            (block.document, block.line) = (template.path.as_path().into(), 1);
        }
    }
    (text, new)
}
