//! Databases and pages outside the workspace.

use std::fs;

use refdesk_database::schema::plan::FILE;
use refdesk_text::Code;

use super::{CONFIG, World, options};
use crate::{Desk, Session};

#[test]
fn what_leads_outside_waits_for_trust() {
    let world = World::new();
    world.sql("../outside.db", "CREATE TABLE secret (a)");
    let config = |more: &str| {
        format!(
            "databases:\n  - {{name: shop, type: sqlite, connection: {{file: shop.db}}{more}}}\n  \
             - {{name: out, type: sqlite, connection: {{file: ../outside.db}}}}\n  \
             - {{name: pg, type: postgres, connection: {{host: db, user: ann, password_env: PW}}}}\n"
        )
    };
    world.put(".jaato/databases.yaml", &config(""));
    let desk = world.desk();
    let waiting: Vec<String> =
        desk.untrusted().iter().map(|it| format!("{}:{} {}", it.file, it.line.unwrap(), it.what)).collect();
    let outside = world.path.with_file_name("outside.db");
    assert_eq!(
        waiting,
        [
            format!(".jaato/databases.yaml:3 the SQLite database {} would be read, as 'out'", outside.display()),
            ".jaato/databases.yaml:4 the postgres database 'pg' would be read: host db, user ann, with the secret in $PW"
                .to_owned(),
        ]
    );
    let run = desk.documentation(&options()).unwrap();
    let failed: Vec<(&str, Code)> = run.failed.iter().map(|(name, error)| (name.as_str(), error.code)).collect();
    assert_eq!(failed, [("out", Code::Untrusted), ("pg", Code::Untrusted)]);
    assert!(!run.pages.iter().any(|it| it.page.text.contains("secret")));
    desk.trust(&desk.untrusted()).unwrap();
    let run = world.desk().documentation(&options()).unwrap();
    assert!(run.pages.iter().any(|it| it.page.text.contains("secret")));
    // More about values asks again, and until then it does not count.
    world.put(".jaato/databases.yaml", &config(", not_sensitive: ['*.email'], publish_values: true"));
    let desk = world.desk();
    assert_eq!(desk.untrusted().len(), 1);
    let page = |desk: &Desk| {
        let run = desk.documentation(&options()).unwrap();
        run.pages.iter().find(|it| it.page.path.ends_with("main.customer.md")).unwrap().page.text.clone()
    };
    assert!(page(&desk).contains("sensitive (name: email)"));
    desk.trust(&desk.untrusted()).unwrap();
    assert!(!page(&world.desk()).contains("sensitive (name: email)"));
}

#[test]
fn own_files_of_the_program_are_no_databases() {
    let world = World::new();
    fs::create_dir_all(world.path.join(".git")).unwrap();
    world.sql(".git/x.db", "CREATE TABLE a (b)");
    world.put(".jaato/databases.yaml", "databases: [{name: shop, type: sqlite, connection: {file: .git/x.db}}]");
    let run = world.desk().documentation(&options()).unwrap();
    assert_eq!(run.failed[0].1.code, Code::ReservedPath);
}

#[cfg(unix)]
#[test]
fn pages_go_nowhere_else() {
    let world = World::new();
    fs::create_dir_all(world.path.join("../elsewhere")).unwrap();
    fs::create_dir_all(world.path.join(".git")).unwrap();
    std::os::unix::fs::symlink("../elsewhere", world.path.join("out")).unwrap();
    std::os::unix::fs::symlink(".git", world.path.join("own")).unwrap();
    for (path, code) in [
        ("../out", Code::Outside),
        (".git/x", Code::Guarded),
        (".jaato", Code::Guarded),
        ("/tmp/x", Code::Outside),
        ("out/pages", Code::Outside),
        ("own/pages", Code::Guarded),
    ] {
        world.put(".jaato/databases.yaml", &format!("{CONFIG}\ndocs_path: {path}\n"));
        let mut desk = world.desk();
        let report = desk
            .prepare_documentation(&options())
            .and_then(|prepared| desk.write_documentation(&Session::of_client("test"), &prepared, &mut |_| true));
        assert_eq!(report.unwrap_err().code, Code::DatabaseUnreadable, "{path}");
        let told: Vec<_> = desk.databases().1.iter().map(|it| (it.code, it.file.as_deref(), it.line)).collect();
        assert_eq!(told, [(code, Some(".jaato/databases.yaml"), Some(2))], "{path}");
        assert!(!world.path.join(FILE).exists());
        assert!(!world.path.join("../out").exists() && !world.path.join(".git/x").exists());
    }
}
