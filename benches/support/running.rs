//! The full screen in a real pty of 120×36, for the benchmarks.

use std::io::{Read, Write};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::Instant;

use portable_pty::{Child, CommandBuilder, MasterPty, PtySize, native_pty_system};

use super::{REFDESK, STATE, Workspace};

const ROWS: u16 = 36;
const COLUMNS: u16 = 120;

/// The program in a pty. Its output arrives on a channel, each piece with its time.
pub struct Running {
    pub began: Instant,
    pub bytes: Receiver<(Instant, Vec<u8>)>,
    pub keyboard: Box<dyn Write + Send>,
    pub screen: vt100::Parser,
    pub child: Box<dyn Child + Send + Sync>,
    _master: Box<dyn MasterPty + Send>,
}

/// Starts the program in this workspace, with an empty home.
pub fn start(workspace: &Workspace) -> Running {
    let size = PtySize { rows: ROWS, cols: COLUMNS, pixel_width: 0, pixel_height: 0 };
    let pair = native_pty_system().openpty(size).expect("a pty");
    let mut reader = pair.master.try_clone_reader().expect("its reader");
    let keyboard = pair.master.take_writer().expect("its writer");
    let mut command = CommandBuilder::new(REFDESK);
    command.arg("--workspace");
    command.arg(workspace.folder.path());
    command.env("TERM", "xterm-256color");
    command.env("HOME", workspace.folder.path());
    command.env("XDG_STATE_HOME", STATE);
    let began = Instant::now();
    let child = pair.slave.spawn_command(command).expect("the program");
    let (sender, bytes) = channel();
    thread::spawn(move || {
        let mut buffer = [0; 65_536];
        while let Ok(read @ 1..) = reader.read(&mut buffer) {
            if sender.send((Instant::now(), buffer[..read].to_vec())).is_err() {
                return;
            }
        }
    });
    let screen = vt100::Parser::new(ROWS, COLUMNS, 0);
    Running { began, bytes, keyboard, screen, child, _master: pair.master }
}

impl Running {
    /// Types these keys; returns the time.
    pub fn press(&mut self, keys: &str) -> Instant {
        let pressed = Instant::now();
        self.keyboard.write_all(keys.as_bytes()).expect("the terminal");
        pressed
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
