//! Validates `docs_path`, the folder of the pages, before anything is written.

use std::path::{Component, Path};

use refdesk_files::path::{clean, is_absolute_anywhere, lossy};
use refdesk_files::reserved::is_reserved;
use refdesk_text::Code;
use refdesk_text::report::Diagnostic;
use refdesk_text::yaml::YamlNode;

use super::DOCS_PATH;
use super::fields::YamlFields;

/// The folder of the pages without `.` and double slashes; `None`, with a diagnostic, if pages may not be stored there.
pub(super) fn docs_path(fields: &mut YamlFields<'_, '_>, node: &YamlNode) -> Option<String> {
    let text = fields.text("docs_path")?;
    let mut refuse = |code: Code, what: &str| {
        let problem = Diagnostic::error(code, format!("'docs_path' {what}, so no page is written"));
        fields.report(node, problem.fix(format!("name a folder in the workspace, as in {DOCS_PATH}")));
    };
    // In other paths of the configuration, `${…}` is a variable.
    if text.contains(['\\', '{', '}', '$']) || text.contains(char::is_control) {
        refuse(Code::BadPath, "has characters that are not allowed in it");
        return None;
    }
    let path = clean(Path::new(&text));
    let first = path.components().next();
    // In other paths of the configuration, `~` is the home folder.
    let is_home = first.is_some_and(|first| first.as_os_str() == "~");
    if is_home || is_absolute_anywhere(&text) || matches!(first, Some(Component::ParentDir)) {
        refuse(Code::Outside, "leads out of the workspace");
        return None;
    }
    let Some(first) = first else {
        refuse(Code::Guarded, "is the workspace itself");
        return None;
    };
    if first.as_os_str().eq_ignore_ascii_case(".jaato") || is_reserved(&path) {
        refuse(Code::Guarded, "is one of the folders of git or refdesk");
        return None;
    }
    Some(lossy(&path))
}

/// Whether pages may be in this folder, written as `docs_path` gives it.
pub fn is_pages_folder(folder: &str) -> bool {
    let path = clean(Path::new(folder));
    let is_guarded = || {
        let first = path.components().next();
        first.is_none_or(|first| first.as_os_str().eq_ignore_ascii_case(".jaato") || first == Component::ParentDir)
            || is_reserved(&path)
    };
    !folder.contains(['\\', '\0']) && !is_absolute_anywhere(folder) && lossy(&path) == folder && !is_guarded()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn which_folders_can_contain_pages() {
        for (folder, is_one) in [
            ("docs/databases", true),
            ("docs", true),
            (".docs/x", true),
            ("", false),
            (".", false),
            ("docs/../x", false),
            ("../x", false),
            ("docs//x", false),
            ("/docs", false),
            (".git/x", false),
            (".jaato/refdesk", false),
            ("a\\b", false),
        ] {
            assert_eq!(is_pages_folder(folder), is_one, "{folder}");
        }
    }
}
