//! Short constructors of sources for tests.

use std::path::Path;
use std::sync::Arc;

use super::{LocalPath, Mode, PathState, Source, SourceDefinition, SourceKind};

/// An inline source with this text.
pub fn inline(id: &str, content: &str) -> Source {
    source(id, SourceKind::Inline { content: Arc::from(content) })
}

/// A local source at this absolute path; does not touch the file system.
pub fn local(id: &str, path: &Path, state: PathState) -> Source {
    let place = LocalPath {
        written: path.to_string_lossy().into(),
        path: Arc::from(path),
        resolved: Arc::from(path),
        state,
        size: None,
    };
    source(id, SourceKind::Local(place))
}

fn source(id: &str, kind: SourceKind) -> Source {
    Source {
        id: id.into(),
        name: format!("Name of {id}").into(),
        description: String::new(),
        mode: Mode::Selectable,
        tags: Vec::new(),
        kind,
        fetch_hint: None,
        contents: None,
        origin: SourceDefinition { file: Arc::from(Path::new("/ws/references.json")), entry: None },
    }
}
