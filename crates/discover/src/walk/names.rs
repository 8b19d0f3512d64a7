//! Which files and folders a walk reads or enters, by their names.

use std::ffi::OsStr;
use std::path::Path;

use crate::kind::COPILOT;
use refdesk_files::reserved::is_own;
use refdesk_text::words::is_listed;

pub(crate) const DOCUMENT_EXTENSIONS: [&str; 6] = ["md", "markdown", "mdx", "mdc", "rst", "adoc"];

/// File extensions of program code.
const CODE: &str = "c cc cpp cs css cxx dart ex exs go h hpp html java jl js jsx kt lua m mjs mm php pl ps1 py r rb rs scala \
                    sh sql svelte swift tf ts tsx vue zig";

/// Other files to read, because they list documents.
pub(super) const NAMED: &str =
    "llms.txt mkdocs.yml mkdocs.yaml sidebars.js sidebars.json sidebars.ts sidebars.cjs sidebars.mjs";

/// The folder of VitePress. Only its configuration is read.
pub(crate) const VITEPRESS: &str = ".vitepress";

/// The configuration in it.
pub(crate) const VITEPRESS_CONFIG: [&str; 4] = ["config.js", "config.mjs", "config.mts", "config.ts"];

/// Folders that are never entered.
pub(super) const SKIPPED: &str = "node_modules bower_components target vendor third_party third-party venv __pycache__ \
                                  site-packages Pods Carthage elm-stuff";

pub(super) const TEMPLATE_EXTENSIONS: [&str; 2] = ["tpl", "tmpl"];

/// The only hidden folders to enter, each with its folder of skills or rules.
const HIDDEN: [(&str, &str); 8] = [
    (".agents", "skills"),
    (".claude", "skills"),
    (".codex", "skills"),
    (".cursor", "rules"),
    (".cursor", "skills"),
    (".gemini", "skills"),
    (".github", "skills"),
    (".opencode", "skills"),
];

/// Documents to read in hidden folders that are not entered.
pub(super) const HIDDEN_DOCUMENTS: [(&str, &str); 1] = [(".github", COPILOT)];

/// The folders to enter for a folder of this name: itself (as the empty path), folders below it, or none.
pub(super) fn entered(above: &Path, name: &OsStr) -> Vec<&'static str> {
    let Some(text) = name.to_str() else { return vec![""] };
    if text == VITEPRESS {
        return vec![""];
    }
    if text.starts_with('.') {
        return HIDDEN.iter().filter(|(hidden, _)| *hidden == text).map(|(_, below)| *below).collect();
    }
    if is_listed(SKIPPED, text) || is_own(&above.join(name)) { Vec::new() } else { vec![""] }
}

pub(super) fn has_ending(name: &OsStr, endings: &[&str]) -> bool {
    let ending = Path::new(name).extension().and_then(OsStr::to_str);
    ending.is_some_and(|ending| endings.iter().any(|known| ending.eq_ignore_ascii_case(known)))
}

pub(super) fn is_code(name: &OsStr) -> bool {
    Path::new(name).extension().and_then(OsStr::to_str).is_some_and(|ending| is_listed(CODE, ending))
}

pub(super) fn is_vitepress_config(name: &OsStr) -> bool {
    VITEPRESS_CONFIG.iter().any(|config| name == *config)
}
