//! `6` on the real screen: a small SQLite database is documented, with a pause; its tables are found, and joins
//! followed.

use std::fs;

use portable_pty::CommandBuilder;
use rusqlite::Connection;

use crate::support::pty::Pty;
use crate::support::workspace::Workspace;

use super::demo;

/// A workspace with a database of this many tables, each of which refers to the previous one.
fn with_database(tables: usize) -> Workspace {
    let world = Workspace::new();
    let mut sql = String::from("BEGIN;");
    for n in 0..tables {
        let key = if n > 0 { format!(", prev_id INTEGER REFERENCES item_{}(id)", n - 1) } else { String::new() };
        sql.push_str(&format!("CREATE TABLE item_{n} (id INTEGER PRIMARY KEY, email TEXT{key});"));
    }
    sql.push_str("COMMIT;");
    fs::create_dir_all(world.path.join("data")).unwrap();
    Connection::open(world.path.join("data/app.db")).unwrap().execute_batch(&sql).unwrap();
    world.put(".jaato/databases.yaml", b"databases: [{name: app, type: sqlite, connection: {file: data/app.db}}]\n");
    world
}

#[test]
fn a_database_is_documented_paused_and_resumed() {
    let world = with_database(240);
    let mut command = CommandBuilder::new(env!("CARGO_BIN_EXE_refdesk"));
    command.args(["--workspace".as_ref(), world.path.as_os_str()]);
    command.env("HOME", world.beside("home"));
    let mut pty = Pty::spawn(command, 120, 36);
    pty.wait_for("refdesk manages what coding agents know");
    pty.type_bytes("\x1b");
    pty.wait_until("the welcome is closed", |seen| !seen.text().contains("refdesk manages"));
    pty.type_bytes("6");
    pty.wait_for("It is not documented yet");
    pty.type_bytes("w");
    pty.wait_for("new pages below docs/databases");
    pty.type_bytes("y\x1b");
    pty.wait_for("Paused after");
    pty.wait_for("unfinished");
    pty.wait_until_quiet();
    pty.type_bytes("w");
    pty.wait_for("new pages below docs/databases");
    pty.type_bytes("y");
    pty.wait_for("Wrote");
    pty.wait_for("240 of 240");
    pty.type_bytes("/item_42\r");
    pty.wait_for("main.item_42");
    pty.type_bytes("\t");
    pty.wait_for("sensitive (");
    pty.type_bytes("\t");
    pty.wait_for("[Joins 2]");
    pty.type_bytes("\r");
    pty.wait_for("main.item_41 ");
    pty.type_bytes("\x7f");
    pty.wait_until("back at the table before", |seen| seen.text().contains(" main.item_42 "));
    pty.type_bytes("\x03");
    assert_eq!(pty.wait_for_exit().exit_code(), 0);
    let status = world.run(&["db", "status"]).exits(0);
    assert!(status.text().contains("up to date"), "{status}");
}

#[test]
fn the_demo_shows_its_database_at_once() {
    let mut pty = demo(120, 36);
    pty.type_bytes("6");
    pty.wait_for("8 of 8 documented");
    pty.type_bytes("w");
    pty.wait_for("The pages are up to date.");
    pty.type_bytes("q");
    pty.wait_until("the window is closed", |seen| !seen.text().contains("up to date"));
    pty.type_bytes("jj ");
    pty.wait_for("2 picked");
    pty.type_bytes("\x03");
    assert_eq!(pty.wait_for_exit().exit_code(), 0);
}
