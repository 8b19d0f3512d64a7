//! Sources for tests, in a line.

use std::path::Path;
use std::sync::Arc;

use super::{Kind, Mode, Origin, Place, Source, Standing};

/// An inline source with this text.
pub fn inline(id: &str, content: &str) -> Source {
    source(id, Kind::Inline { content: Arc::from(content) })
}

/// A local source at this absolute path, of which nothing is asked of the file system.
pub fn local(id: &str, path: &Path, standing: Standing) -> Source {
    let place = Place {
        written: path.to_string_lossy().into_owned(),
        path: Arc::from(path),
        resolved: Arc::from(path),
        standing,
        size: 0,
    };
    source(id, Kind::Local(place))
}

fn source(id: &str, kind: Kind) -> Source {
    Source {
        id: id.into(),
        name: format!("Name of {id}"),
        description: String::new(),
        mode: Mode::Selectable,
        tags: Vec::new(),
        kind,
        fetch_hint: None,
        contents: None,
        origin: Origin { file: Arc::from(Path::new("/ws/references.json")), entry: None },
    }
}
