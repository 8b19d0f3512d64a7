//! Templates of documents in a running desk: they and their files follow the selection and the documents.

use std::time::Duration;

use refdesk_desk::FileLine;
use refdesk_desk::engine::{Ending, Request};
use refdesk_text::Code;

use crate::engine::world::World;

const CONFIG: &str = r#"{"sources": [
    {"id": "guide", "name": "Guide", "path": "guide.md"},
    {"id": "other", "name": "Other", "path": "other.md"}
]}"#;

fn world() -> World {
    World::of(&[
        ("references.json", CONFIG),
        ("guide.md", "# Guide\n\n```java\nclass {{ Name }} {}\n```\n"),
        ("other.md", "# Other\n\n```\n{{ x }}\n```\n"),
    ])
}

impl World {
    /// Closes the engine as a quitting screen does, and starts another one.
    fn again(self) -> Self {
        let Self { folder, workspace, engine, events, runtime, .. } = self;
        drop(events);
        assert_eq!(runtime.block_on(engine.close(Duration::from_secs(60))), Ending::Closed);
        Self::over(folder, workspace)
    }

    fn files(&self) -> Vec<String> {
        let Ok(entries) = std::fs::read_dir(self.at(".jaato/templates")) else { return Vec::new() };
        let mut names: Vec<String> = entries.map(|it| it.unwrap().file_name().to_string_lossy().into_owned()).collect();
        names.retain(|name| name != ".gitignore");
        names.sort();
        names
    }
}

#[test]
fn a_block_that_appears_changes_and_disappears() {
    let mut world = world();
    world.send(Request::pick("guide"));
    let reported = world.notice(|notice| notice.text == "New templates: guide.java.tmpl");
    assert_eq!(reported.place, Some(FileLine { path: world.at("guide.md"), line: 4 }));
    world.write("guide.md", "A line more.\n\n# Guide\n\n```java\nclass {{ Name }} {}\n```\n");
    world.until("it moved", |now| now.templates.templates.iter().any(|it| it.place(1).1 == 6));
    world.write("guide.md", "# Guide\n\n```java\nclass {{ Name }} of {{ Town }} {}\n```\n");
    let reported = world.notice(|notice| notice.text.starts_with("Template"));
    assert_eq!((reported.text.as_str(), reported.reason.as_str()), ("Template changed: guide.java.tmpl", "new: Town"));
    assert_eq!(
        (reported.place, reported.subject),
        (Some(FileLine { path: world.at("guide.md"), line: 4 }), Some("guide".into()))
    );
    world.write("guide.md", "# Guide\n\n```java\nclass {{ Name {}\n```\n");
    world.notice(|notice| notice.text == "Removed templates: guide.java.tmpl");
}

#[test]
fn the_files_are_those_of_the_last_selection() {
    let mut world = world();
    assert_eq!(world.files(), Vec::<String>::new());
    for command in [
        Request::pick("guide"),
        Request::pick("other"),
        Request::unpick("other"),
        Request::pick("other"),
        Request::unpick("guide"),
    ] {
        world.send(command);
    }
    world = world.again();
    assert_eq!(world.files(), ["index.json", "other.tmpl"]);
    world.send(Request::Clear);
    world = world.again();
    assert_eq!(world.files(), ["index.json"]);
    assert!(world.snapshots.borrow().diagnostics.is_empty());
}

#[test]
fn unwritable_files_are_reported_and_the_templates_still_listed() {
    let mut world = world();
    world.write(".jaato/templates", "a file where the folder should be");
    world.send(Request::pick("guide"));
    let now = world.until("it is told", |now| now.diagnostics.iter().any(|it| it.code == Code::TemplatesFolder));
    assert_eq!(now.templates.templates.len(), 1);
}
