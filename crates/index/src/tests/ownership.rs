//! Owner, version and state of an index: a foreign or damaged index is not used.

use super::*;

#[test]
fn only_an_index_written_by_this_user_is_used() {
    let world = World::new();
    world.write("a.md", &long("retry"));
    let sources = || vec![world.file("a", "a.md")];
    world.update(sources());
    let (folder, database) = (world.path().join(".jaato/refdesk"), world.location().path());
    let code =
        || Index::open(&world.location(), Arc::default()).map(|index| index.is_some()).map_err(|error| error.code);
    assert_eq!(code(), Ok(true));
    // A copy is a different file, like an index that came with a repository.
    fs::copy(&database, folder.join("copy")).unwrap();
    fs::rename(folder.join("copy"), &database).unwrap();
    assert_eq!(code(), Err(Code::IndexForeign));
    assert_eq!(world.update(sources()).added, 2, "it is built again");
    assert_eq!(code(), Ok(true));
    assert!(folder.join("index.db.aside").exists());
    for planted in ["index.db-journal", "index.db-wal"] {
        let _ = fs::remove_file(folder.join(planted));
        fs::write(folder.join(planted), "planted by another user").unwrap();
        assert_eq!(code(), Err(Code::IndexForeign), "{planted}");
        world.update(sources());
        assert_eq!(code(), Ok(true), "{planted}");
    }
    fs::remove_file(folder.join("index.json")).unwrap();
    assert_eq!(code(), Err(Code::IndexForeign));
}

#[test]
fn a_damaged_index_is_set_aside_and_built_again() {
    let world = World::new();
    world.write("a.md", &long("retry"));
    let sources = || vec![world.file("a", "a.md")];
    world.update(sources());
    // The same file with other content, as after a disk failure.
    fs::OpenOptions::new().write(true).truncate(true).open(world.location().path()).unwrap();
    fs::write(world.location().path(), "not a database, but long enough to be taken for the head of one").unwrap();
    assert_eq!(Index::open(&world.location(), Arc::default()).map(|_| ()).unwrap_err().code, Code::IndexUnreadable);
    let built = world.update(sources());
    assert_eq!((built.documents, built.is_replaced, built.is_set_aside), (2, true, true));
    let aside = fs::read_to_string(world.path().join(".jaato/refdesk/index.db.aside")).unwrap();
    assert!(aside.starts_with("not a database"), "{aside}");
    assert_eq!(world.best("retry"), ["a"]);
    assert!(!world.update(sources()).is_replaced);
}

#[test]
fn damage_inside_an_index_is_mended_by_the_next_run() {
    let world = World::new();
    for nth in 0..40 {
        world.write(&format!("{nth}.md"), &long(&format!("word{nth}")));
    }
    let sources = || (0..40).map(|nth| world.file(&format!("s{nth}"), &format!("{nth}.md"))).collect::<Vec<_>>();
    world.update(sources());
    for change in [
        "DROP TABLE vectors",
        "DROP TABLE documents_fts",
        "DROP INDEX documents_by_hash",
        "UPDATE documents SET heading = x'ff' WHERE source_id = 's7'",
        "UPDATE documents SET line = 'many' WHERE source_id = 's7'",
    ] {
        let connection = rusqlite::Connection::open(world.location().path()).unwrap();
        connection.execute_batch(change).unwrap();
        drop(connection);
        // A reader may be the first to notice the damage.
        let index = Index::open(&world.location(), Arc::default()).unwrap().unwrap();
        let _ = index.about(&TopicQuery { text: "word7", ..TopicQuery::default() }, Some(&world.model));
        drop(index);
        let built = world.update(sources());
        assert_eq!((built.documents, built.missing, built.is_replaced), (80, 0, true), "{change}");
        assert_eq!(world.best("word7").first().map(String::as_str), Some("s7"), "{change}");
    }
    // Overwrites bytes of pages in the middle of the file.
    let file = world.location().path();
    let mut bytes = fs::read(&file).unwrap();
    let middle = bytes.len() / 2;
    bytes[8_192..middle].fill(0xa5);
    fs::write(&file, bytes).unwrap();
    let built = world.update(sources());
    assert_eq!((built.documents, built.is_replaced), (80, true));
}

/// `cp` onto our index keeps the file's identity but replaces the content.
#[test]
fn an_index_that_was_copied_over_ours_is_not_used() {
    let (ours, theirs) = (World::new(), World::new());
    let sources = |world: &World| vec![world.file("a", "a.md")];
    for (world, text) in [(&ours, "retry"), (&theirs, "attack")] {
        world.write("a.md", &long(text));
        world.update(sources(world));
    }
    let copied = || {
        let file = fs::OpenOptions::new().write(true).truncate(true).open(ours.location().path()).unwrap();
        std::io::copy(&mut fs::File::open(theirs.location().path()).unwrap(), &mut &file).unwrap();
    };
    for is_asked_before in [true, false] {
        copied();
        if is_asked_before {
            assert_eq!(Index::open(&ours.location(), Arc::default()).map(drop).unwrap_err().code, Code::IndexForeign);
        }
        let built = ours.update(sources(&ours));
        assert_eq!((built.added, built.is_replaced), (2, true), "asked before: {is_asked_before}");
        assert_eq!(ours.best("retry"), ["a"]);
    }
}

#[test]
fn rows_from_elsewhere_are_not_handed_out_and_end_the_index() {
    let world = World::new();
    world.write("a.md", &long("retry"));
    world.write("b.md", &long("timeout"));
    let sources = || vec![world.file("a", "a.md"), world.file("b", "b.md")];
    world.update(sources());
    for change in [
        "UPDATE documents SET content = 'run this' WHERE source_id = 'a'",
        "UPDATE documents SET heading = 'run this' WHERE source_id = 'a'",
        "UPDATE documents SET file_path = '/etc/passwd' WHERE source_id = 'a' AND line > 0",
        "UPDATE documents SET line = 77 WHERE source_id = 'a'",
        "UPDATE documents SET source_id = 'b' WHERE source_id = 'a'",
        "UPDATE documents SET seal = x'' WHERE source_id = 'a'",
        "UPDATE documents SET seal = (SELECT seal FROM documents WHERE source_id = 'b' AND line > 0)",
    ] {
        for by_search in [true, false] {
            let connection = rusqlite::Connection::open(world.location().path()).unwrap();
            connection.execute_batch(change).unwrap();
            drop(connection);
            let index = Index::open(&world.location(), Arc::default()).unwrap().unwrap();
            let refused = if by_search {
                index.search(&crate::search::tests::everything("retry"), Some(&world.model)).map(drop)
            } else {
                index.about(&TopicQuery { text: "retry", ..TopicQuery::default() }, Some(&world.model)).map(drop)
            };
            assert_eq!(refused.unwrap_err().code, Code::IndexForeign, "{change}");
            drop(index);
            let built = world.update(sources());
            assert_eq!((built.added, built.is_replaced), (4, true), "{change}");
            assert_eq!(world.best("retry").first().map(String::as_str), Some("a"), "{change}");
        }
    }
}

#[test]
fn an_index_of_a_newer_version_is_left_alone() {
    let world = World::new();
    world.write("a.md", &long("retry"));
    world.update(vec![world.file("a", "a.md")]);
    let connection = rusqlite::Connection::open(world.location().path()).unwrap();
    connection.pragma_update(None, "user_version", 99).unwrap();
    drop(connection);
    assert_eq!(Index::open(&world.location(), Arc::default()).map(|_| ()).unwrap_err().code, Code::IndexNewer);
    let refused = world.run(vec![], false, &mut |_| true).unwrap_err();
    assert_eq!(refused.code, Code::IndexNewer);
}

#[test]
fn an_index_of_an_older_version_is_built_again() {
    let world = World::new();
    world.write("a.md", &long("retry"));
    let sources = || vec![world.file("a", "a.md")];
    world.update(sources());
    let connection = rusqlite::Connection::open(world.location().path()).unwrap();
    connection.pragma_update(None, "user_version", 1).unwrap();
    connection.execute_batch("DROP TABLE relationships").unwrap();
    drop(connection);
    assert!(Index::open(&world.location(), Arc::default()).unwrap().is_none());
    let built = world.update(sources());
    assert_eq!((built.documents, built.is_replaced), (2, true));
    assert_eq!(world.best("retry"), ["a"]);
}

#[test]
fn the_files_are_private() {
    use std::os::unix::fs::PermissionsExt;
    let world = World::new();
    world.write("a.md", &long("retry"));
    world
        .run(vec![world.file("a", "a.md")], false, &mut |_| {
            for entry in fs::read_dir(world.path().join(".jaato/refdesk")).unwrap() {
                let entry = entry.unwrap();
                assert_eq!(entry.metadata().unwrap().permissions().mode() & 0o077, 0, "{:?}", entry.file_name());
            }
            true
        })
        .unwrap();
    assert!(world.location().path().exists());
}

/// Text that the user revoked or removed must not remain in the file.
#[test]
fn removed_text_leaves_the_file() {
    let world = World::new();
    world.write("a.md", &long("zeppelinword"));
    world.write("b.md", &long("timeout"));
    world.update(vec![world.file("a", "a.md"), world.file("b", "b.md")]);
    let has = |bytes: &[u8]| {
        let file = fs::read(world.location().path()).unwrap();
        file.windows(bytes.len()).any(|part| part == bytes)
    };
    assert!(has(b"zeppelinword") && has(b"timeout"));
    world.update(vec![world.file("b", "b.md")]);
    assert!(!has(b"zeppelin") && has(b"timeout"));
}

#[test]
fn no_index_is_no_error() {
    let world = World::new();
    assert!(
        Index::open(&Location::new(Path::new("/no/where"), Sealer::fixed(Path::new("/no/where"))), Arc::default())
            .unwrap()
            .is_none()
    );
    assert!(Index::open(&world.location(), Arc::default()).unwrap().is_none());
}
