//! `refdesk man` at a terminal shows the page with `man`, or the help if there is no `man`.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use portable_pty::CommandBuilder;

use crate::support::pty::Pty;

#[test]
fn a_person_reads_the_page_and_not_its_source() {
    let home = tempfile::tempdir().unwrap();
    let man = home.path().join("bin/man");
    fs::create_dir_all(home.path().join("none")).unwrap();
    for (script, path, said) in [
        ("#!/bin/sh\nread -r line; echo \"shown by man $* from $line\"\n", "bin", "shown by man -l - from .ie"),
        ("#!/bin/sh\nexit 1\n", "bin", "Add each document of a folder"),
        ("", "none", "Add each document of a folder"),
    ] {
        refdesk_files::write_atomic(&man, script.as_bytes()).unwrap();
        fs::set_permissions(&man, fs::Permissions::from_mode(0o755)).unwrap();
        let mut command = CommandBuilder::new("/bin/sh");
        let path = home.path().join(path);
        let call = format!("PATH={} exec {} man add", path.display(), env!("CARGO_BIN_EXE_refdesk"));
        command.args(["-c", &call]);
        let pty = Pty::spawn_at(home.path(), command, 100, 60);
        pty.wait_for(said);
        assert!(!pty.text().contains(".SH"), "{}", pty.text());
        assert_eq!(pty.wait_for_exit().exit_code(), 0, "{said}");
    }
}
