//! A real terminal for the real binary: a pty, a terminal emulator for its screen, and waits for conditions on that
//! screen instead of for time. Nothing here depends on what refdesk shows.

use std::io::{Read, Write};
use std::os::fd::OwnedFd;
use std::path::Path;
use std::sync::{Arc, Condvar, Mutex, MutexGuard};
use std::thread;
use std::time::{Duration, Instant};

use portable_pty::{Child, CommandBuilder, ExitStatus, MasterPty, PtySize, SlavePty, native_pty_system};
use rustix::fs::{Mode, OFlags, open};
use rustix::process::{Pid, Signal, WaitOptions, kill_process, kill_process_group, waitpid};
use rustix::termios::{Action, tcflow};
use tempfile::TempDir;

/// Longer than any operation takes on a busy machine; only a failing test waits this long.
const TIMEOUT: Duration = Duration::from_secs(30);

/// Begins a synchronized update: a terminal shows none of it until it ends.
const BEGIN_FRAME: &[u8] = b"\x1b[?2026h";
/// Ends a synchronized update.
const END_FRAME: &[u8] = b"\x1b[?2026l";

/// The program's output so far.
pub struct Seen {
    /// The screen as a terminal shows it: complete frames only.
    pub terminal: vt100::Parser,
    /// The number of bytes shown so far. The rest belongs to an unfinished frame.
    shown: usize,
    /// The number of bytes written.
    pub bytes: usize,
    /// The bytes written.
    pub written: Vec<u8>,
}

impl Seen {
    /// The text on the screen.
    pub fn text(&self) -> String {
        self.terminal.screen().contents()
    }

    /// Receives output, and shows everything except an unfinished synchronized update.
    fn receive(&mut self, bytes: &[u8]) {
        self.bytes += bytes.len();
        self.written.extend_from_slice(bytes);
        // The marks of an update may themselves be split between two reads.
        let from = self.shown.saturating_sub(BEGIN_FRAME.len());
        let last = |mark: &[u8]| self.written[from..].windows(mark.len()).rposition(|window| window == mark);
        match last(BEGIN_FRAME) {
            Some(begin) if last(END_FRAME) < Some(begin) => self.show((from + begin).max(self.shown)),
            _ => self.show(self.written.len()),
        }
    }

    fn show(&mut self, end: usize) {
        self.terminal.process(&self.written[self.shown..end]);
        self.shown = end;
    }

    /// Whether these bytes were written.
    pub fn wrote(&self, bytes: &str) -> bool {
        self.written.windows(bytes.len()).any(|window| window == bytes.as_bytes())
    }
}

/// Terminal modes that must be restored when the program ends.
#[derive(Debug, PartialEq, Eq)]
pub struct TerminalModes {
    termios: String,
    alternate_screen: bool,
    cursor_hidden: bool,
    bracketed_paste: bool,
    mouse: String,
}

/// A program in a pty.
pub struct Pty {
    master: Box<dyn MasterPty + Send>,
    // Kept open so that the terminal outlives the program, as with a shell.
    _slave: Box<dyn SlavePty + Send>,
    child: Box<dyn Child + Send + Sync>,
    keyboard: Box<dyn Write + Send>,
    seen: Arc<(Mutex<Seen>, Condvar)>,
    flow: Arc<Flow>,
    found: TerminalModes,
    // Kept as long as the program may write there.
    _home: Option<TempDir>,
}

/// How much of the program's output the terminal reads.
#[derive(Default)]
struct Flow {
    taken: Mutex<ReadLimit>,
    changed: Condvar,
}

#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum ReadLimit {
    #[default]
    All,
    /// This many more bytes.
    Bytes(usize),
    /// Nothing, because the terminal is gone.
    Gone,
}

impl Pty {
    /// Starts the binary with these arguments in a terminal of this size.
    pub fn start(arguments: &[&str], columns: u16, rows: u16) -> Self {
        let mut command = CommandBuilder::new(env!("CARGO_BIN_EXE_refdesk"));
        command.args(arguments);
        Self::spawn(command, columns, rows)
    }

    /// Starts the binary with this home folder, which contains the state of an earlier run.
    pub fn start_at(home: &Path, arguments: &[&str], columns: u16, rows: u16) -> Self {
        let mut command = CommandBuilder::new(env!("CARGO_BIN_EXE_refdesk"));
        command.args(arguments);
        Self::open(command, home, None, columns, rows)
    }

    /// Starts any program with this home folder.
    pub fn spawn_at(home: &Path, command: CommandBuilder, columns: u16, rows: u16) -> Self {
        Self::open(command, home, None, columns, rows)
    }

    /// Starts any program in a terminal of this size, with an empty home folder.
    pub fn spawn(command: CommandBuilder, columns: u16, rows: u16) -> Self {
        let home = tempfile::tempdir().unwrap();
        let path = home.path().to_path_buf();
        Self::open(command, &path, Some(home), columns, rows)
    }

    fn open(mut command: CommandBuilder, home: &Path, held: Option<TempDir>, columns: u16, rows: u16) -> Self {
        let size = PtySize { rows, cols: columns, pixel_width: 0, pixel_height: 0 };
        let pair = native_pty_system().openpty(size).unwrap();
        let terminal = vt100::Parser::new(rows, columns, 0);
        let seen = Seen { terminal, shown: 0, bytes: 0, written: Vec::new() };
        let found = terminal_modes(&*pair.master, &seen);
        if command.get_cwd().is_none() {
            command.cwd(std::env::temp_dir());
        }
        command.env("PATH", super::program::installed_path());
        command.env("TERM", "xterm-256color");
        command.env("LC_ALL", "C.UTF-8");
        command.env_remove("NO_COLOR");
        command.env_remove("COLORFGBG");
        command.env("HOME", home);
        command.env("XDG_STATE_HOME", home.join(".local/state"));
        let child = pair.slave.spawn_command(command).unwrap();
        let seen = Arc::new((Mutex::new(seen), Condvar::new()));
        let flow = Arc::default();
        read(pair.master.try_clone_reader().unwrap(), Arc::clone(&seen), Arc::clone(&flow));
        let keyboard = pair.master.take_writer().unwrap();
        Self { master: pair.master, _slave: pair.slave, child, keyboard, seen, flow, found, _home: held }
    }

    pub fn type_bytes(&mut self, bytes: &str) {
        self.keyboard.write_all(bytes.as_bytes()).unwrap();
        self.keyboard.flush().unwrap();
    }

    /// Changes the size of the terminal.
    pub fn resize(&self, columns: u16, rows: u16) {
        // The emulator panics at a wide character in a single column, and at a wrapped line in a single row.
        self.seen().terminal.screen_mut().set_size(rows.max(2), columns.max(2));
        self.master.resize(PtySize { rows, cols: columns, pixel_width: 0, pixel_height: 0 }).unwrap();
    }

    /// Reports this size to the program, but the emulator shows only part of it.
    pub fn claim(&self, columns: u16, rows: u16) {
        self.master.resize(PtySize { rows, cols: columns, pixel_width: 0, pixel_height: 0 }).unwrap();
    }

    /// Reads this many more bytes of the program's output and then stops; `None` reads everything.
    pub fn take(&self, bytes: Option<usize>) {
        *self.flow.taken.lock().unwrap() = bytes.map_or(ReadLimit::All, ReadLimit::Bytes);
        self.flow.changed.notify_all();
    }

    /// Stops the terminal's output, as Ctrl-S does: it reads nothing more.
    pub fn stop_output(&self) {
        tcflow(self.terminal(), Action::OOff).unwrap();
    }

    /// Stops reading from the terminal, and waits until its buffer is full.
    pub fn fill(&self) {
        self.take(Some(0));
        // The reader still finishes the read that it was waiting in.
        let bytes = self.bytes();
        let terminal = self.terminal();
        rustix::io::write(&terminal, b" ").unwrap();
        self.wait_until("the last bytes", |seen| seen.bytes > bytes);
        while rustix::io::write(&terminal, &[b' '; 512]).is_ok() {}
    }

    /// The program's end of the terminal, through a separate descriptor.
    fn terminal(&self) -> OwnedFd {
        let name = self.master.tty_name().unwrap();
        open(name, OFlags::WRONLY | OFlags::NOCTTY | OFlags::NONBLOCK, Mode::empty()).unwrap()
    }

    /// Waits until the program ends although its terminal reads nothing. Then reads again and checks that the terminal
    /// modes are restored.
    pub fn wait_for_exit_unread(mut self) -> ExitStatus {
        self.child.wait().unwrap();
        self.take(None);
        self.wait_for_exit()
    }

    /// Waits until nothing was written for a while, so that no output is pending.
    pub fn wait_until_quiet(&self) {
        let mut before = self.bytes();
        while self.comes(Duration::from_millis(300), |seen| seen.bytes > before) {
            before = self.bytes();
        }
    }

    /// The visible content of each row: characters with their colours, and the background of blanks.
    pub fn drawn(&self) -> Vec<String> {
        let seen = self.seen();
        let screen = seen.terminal.screen();
        let (rows, columns) = screen.size();
        let cell = |row, column| {
            let Some(cell) = screen.cell(row, column) else { return String::new() };
            let ground = (cell.bgcolor(), cell.inverse(), cell.underline());
            match cell.contents().trim_end() {
                "" => format!("{ground:?} "),
                text => format!("{text}{:?}{ground:?} ", (cell.fgcolor(), cell.bold(), cell.italic(), cell.dim())),
            }
        };
        (0..rows).map(|row| (0..columns).map(|column| cell(row, column)).collect()).collect()
    }

    /// The output so far, which does not grow while the guard is held.
    pub fn seen(&self) -> MutexGuard<'_, Seen> {
        self.seen.0.lock().unwrap()
    }

    /// Waits until the condition holds for the screen.
    pub fn wait_until(&self, what: &str, holds: impl Fn(&Seen) -> bool) {
        assert!(self.comes(TIMEOUT, &holds), "{what} did not come; the screen:\n{}", self.seen().text());
    }

    /// Waits until this text is on the screen.
    pub fn wait_for(&self, text: &str) {
        self.wait_until(text, |seen| seen.text().contains(text));
    }

    /// Whether the condition becomes true within this time.
    pub fn comes(&self, within: Duration, holds: impl Fn(&Seen) -> bool) -> bool {
        let end = Instant::now() + within;
        let mut seen = self.seen();
        while !holds(&seen) {
            let Some(left) = end.checked_duration_since(Instant::now()) else { return false };
            seen = self.seen.1.wait_timeout(seen, left).unwrap().0;
        }
        true
    }

    /// The text on the screen now.
    pub fn text(&self) -> String {
        self.seen().text()
    }

    /// Column and row, from 0, where this text starts on the screen. Rows with wide characters are not supported.
    pub fn place_of(&self, text: &str) -> Option<(usize, usize)> {
        let shown = self.text();
        let mut lines = shown.lines().enumerate();
        lines.find_map(|(row, line)| line.find(text).map(|at| (line[..at].chars().count(), row)))
    }

    pub fn bytes(&self) -> usize {
        self.seen().bytes
    }

    /// Sends a signal to the program and its child processes.
    pub fn signal(&self, signal: Signal) {
        kill_process_group(self.pid(), signal).unwrap();
    }

    /// Sends a signal only to the program.
    pub fn signal_program(&self, signal: Signal) {
        kill_process(self.pid(), signal).unwrap();
    }

    pub fn pid(&self) -> Pid {
        let id = self.child.process_id().unwrap();
        Pid::from_raw(i32::try_from(id).unwrap()).unwrap()
    }

    /// Waits until the program is stopped, and checks that it restored the terminal.
    pub fn wait_until_stopped(&self) {
        self.wait_until("the main screen", |seen| !seen.terminal.screen().alternate_screen());
        let (_, status) = waitpid(Some(self.pid()), WaitOptions::UNTRACED).unwrap().unwrap();
        assert!(status.stopped(), "{status:?}");
        assert_eq!(terminal_modes(&*self.master, &self.seen()), self.found);
    }

    /// Closes the terminal, and waits until the program ends.
    pub fn hang_up(self) -> ExitStatus {
        let Self { master, _slave, mut child, mut keyboard, flow, .. } = self;
        *flow.taken.lock().unwrap() = ReadLimit::Gone;
        // The reader also holds the terminal, and releases it after its next read.
        keyboard.write_all(b"?").unwrap();
        drop((master, _slave, keyboard));
        child.wait().unwrap()
    }

    /// Waits until the program ends, and returns all its output with the original line breaks.
    pub fn output_to_the_end(mut self) -> String {
        self.child.wait().unwrap();
        self.wait_until_quiet();
        String::from_utf8_lossy(&self.seen().written).replace("\r\n", "\n")
    }

    /// Waits until the program ends, and checks that it restored the terminal.
    pub fn wait_for_exit(mut self) -> ExitStatus {
        let status = self.child.wait().unwrap();
        let found = &self.found;
        // The reader may not have read the last bytes yet.
        self.wait_until("the terminal as it was found", |seen| terminal_modes(&*self.master, seen) == *found);
        status
    }
}

fn terminal_modes(master: &(dyn MasterPty + Send), seen: &Seen) -> TerminalModes {
    let screen = seen.terminal.screen();
    TerminalModes {
        termios: format!("{:?}", master.get_termios()),
        alternate_screen: screen.alternate_screen(),
        cursor_hidden: screen.hide_cursor(),
        bracketed_paste: screen.bracketed_paste(),
        mouse: format!("{:?} {:?}", screen.mouse_protocol_mode(), screen.mouse_protocol_encoding()),
    }
}

/// Feeds the program's output to the emulator until the terminal is closed.
fn read(mut from: Box<dyn Read + Send>, seen: Arc<(Mutex<Seen>, Condvar)>, flow: Arc<Flow>) {
    thread::spawn(move || {
        let mut buffer = [0; 16 * 1024];
        loop {
            let taken = flow.taken.lock().unwrap();
            let taken = *flow.changed.wait_while(taken, |taken| *taken == ReadLimit::Bytes(0)).unwrap();
            let most = match taken {
                ReadLimit::All => buffer.len(),
                ReadLimit::Bytes(left) => left.min(buffer.len()),
                ReadLimit::Gone => return,
            };
            let Ok(read @ 1..) = from.read(&mut buffer[..most]) else { return };
            seen.0.lock().unwrap().receive(&buffer[..read]);
            seen.1.notify_all();
            if let ReadLimit::Bytes(left) = &mut *flow.taken.lock().unwrap() {
                *left = left.saturating_sub(read);
            }
        }
    });
}
