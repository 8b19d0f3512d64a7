//! Builds sources, selections and source files for tests from plain values.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::{EnrichContext, Matcher, SourceFiles};
use refdesk_core::catalog::{Catalog, LocalPath, Mode, PathState, ShortText, Source, SourceDefinition, SourceKind};
use refdesk_core::selection::Selection;
pub(crate) use refdesk_core::selection::testing::selection;
use refdesk_files::Stamp;
use refdesk_templates::{Syntax, Template, TemplateIndex, TextForNumber, ValueType, Variable, VariableKind};

/// A selectable inline source, named after its id.
pub(crate) fn inline(id: &str, tags: &[String], content: &str) -> Source {
    source(id, tags, SourceKind::Inline { content: content.into() })
}

/// A selectable source, named after its id.
pub(crate) fn source(id: &str, tags: &[String], kind: SourceKind) -> Source {
    Source {
        id: id.into(),
        name: format!("Name of {id}").into(),
        description: String::new(),
        mode: Mode::Selectable,
        tags: tags.iter().map(ShortText::from).collect(),
        kind,
        fetch_hint: None,
        contents: None,
        origin: SourceDefinition { file: Path::new("/w/references.json").into(), entry: None },
    }
}

/// A local source at this path below `/w`.
pub(crate) fn local(path: &str, state: PathState) -> SourceKind {
    let full: Arc<Path> = Path::new("/w").join(path).into();
    SourceKind::Local(LocalPath { written: path.into(), path: full.clone(), resolved: full, state, size: None })
}

/// The source files of a workspace `/w`, without a file system.
#[derive(Default)]
pub(crate) struct TestFiles {
    /// The files in every directory source.
    pub(crate) files: Vec<PathBuf>,
    /// The stamp of every source.
    pub(crate) stamp: String,
    /// The files at or below each declared path.
    pub(crate) declared: HashMap<String, Vec<PathBuf>>,
    /// The paths that do not exist.
    pub(crate) absent: Vec<PathBuf>,
    /// The template index.
    pub(crate) templates: Vec<Template>,
}

/// An enrichment context with all hints enabled.
pub(crate) fn context<'a>(
    catalog: &'a Catalog,
    selection: &'a Selection,
    matcher: &'a Matcher,
    places: &'a TestFiles,
) -> EnrichContext<'a> {
    EnrichContext {
        workspace: Path::new("/w"),
        catalog,
        selection,
        matcher,
        places,
        exclude_hints: false,
        exclude_tools: &[],
        about: None,
        hint_settings: refdesk_core::config::HintSettings::default(),
        taken: None,
    }
}

pub(crate) fn template(name: &str, path: &str, variables: &[&str]) -> Template {
    let variable = |name: &&str| Variable {
        name: (*name).to_owned(),
        kind: VariableKind::Scalar,
        value_type: ValueType::default(),
        text_for_number: TextForNumber::default(),
        is_looped_over: false,
        is_whole: false,
        optional: false,
        fields: Vec::new(),
    };
    Template {
        name: name.to_owned(),
        origin: refdesk_templates::TemplateOrigin::Standalone,
        syntax: Syntax::Mustache,
        variables: variables.iter().map(variable).collect(),
        uses_partials: false,
        problem: None,
        path: Path::new("/w").join(path),
        source: None,
        within: name.to_owned(),
        root: std::path::Path::new("").into(),
        stamp: Stamp::default(),
        block: None,
        is_taken: false,
    }
}

impl SourceFiles for TestFiles {
    fn display_path(&self, path: &Path) -> String {
        path.strip_prefix("/w").unwrap_or(path).display().to_string()
    }

    fn files(&self, _: &Source) -> Vec<PathBuf> {
        self.files.clone()
    }

    fn tokens(&self, _: &Source) -> Option<u64> {
        Some(1_234)
    }

    fn stamp(&self, _: &Source) -> String {
        self.stamp.clone()
    }

    fn declared(&self, _: &Source, path: &str) -> Vec<PathBuf> {
        self.declared.get(path).cloned().unwrap_or_default()
    }

    fn resolved(&self, path: &Path) -> Option<PathBuf> {
        (!self.absent.iter().any(|absent| absent == path)).then(|| path.to_owned())
    }

    fn templates(&self, _: &Catalog, _: &Selection) -> TemplateIndex {
        TemplateIndex { templates: self.templates.clone(), ..TemplateIndex::default() }
    }

    fn templates_in(&self, text: &str) -> Vec<Template> {
        let found = refdesk_templates::extract(text).blocks;
        found.iter().map(|found| template(&format!("{}.tmpl", found.stem), "x", &[])).collect()
    }
}
