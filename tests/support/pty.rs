//! A real terminal for the real binary: a pty, what the program wrote to it as a screen, and waiting for conditions of
//! that screen instead of for time. Nothing here knows what refdesk shows.

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

/// Longer than anything here takes on a busy machine; only a failing test waits for it.
const PATIENCE: Duration = Duration::from_secs(30);

/// What the program wrote so far.
pub struct Seen {
    /// As a terminal shows it.
    pub terminal: vt100::Parser,
    /// How many bytes it was.
    pub bytes: usize,
    /// The bytes themselves.
    pub written: Vec<u8>,
}

impl Seen {
    /// The text on the screen.
    pub fn text(&self) -> String {
        self.terminal.screen().contents()
    }

    /// Whether these bytes were written.
    pub fn wrote(&self, bytes: &str) -> bool {
        self.written.windows(bytes.len()).any(|window| window == bytes.as_bytes())
    }
}

/// What must be as it was found when the program is gone.
#[derive(Debug, PartialEq, Eq)]
pub struct Manners {
    termios: String,
    alternate_screen: bool,
    cursor_hidden: bool,
    bracketed_paste: bool,
    mouse: String,
}

/// A program in a pty.
pub struct Pty {
    master: Box<dyn MasterPty + Send>,
    // Held so that the terminal outlives the program, as a shell's does.
    _slave: Box<dyn SlavePty + Send>,
    child: Box<dyn Child + Send + Sync>,
    keyboard: Box<dyn Write + Send>,
    seen: Arc<(Mutex<Seen>, Condvar)>,
    flow: Arc<Flow>,
    found: Manners,
    // Held for as long as the program may write there.
    _home: Option<TempDir>,
}

/// How much of what the program writes the terminal takes.
#[derive(Default)]
struct Flow {
    taken: Mutex<Taken>,
    changed: Condvar,
}

#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum Taken {
    #[default]
    All,
    /// So many bytes more.
    Bytes(usize),
    /// Nothing any more.
    Gone,
}

impl Pty {
    /// Starts the binary with these arguments in a terminal of this size.
    pub fn start(arguments: &[&str], columns: u16, rows: u16) -> Self {
        let mut command = CommandBuilder::new(env!("CARGO_BIN_EXE_refdesk"));
        command.args(arguments);
        Self::spawn(command, columns, rows)
    }

    /// Starts the binary with this home folder, where it finds what the one before it left.
    pub fn start_at(home: &Path, arguments: &[&str], columns: u16, rows: u16) -> Self {
        let mut command = CommandBuilder::new(env!("CARGO_BIN_EXE_refdesk"));
        command.args(arguments);
        Self::open(command, home, None, columns, rows)
    }

    /// Starts any program with this home folder.
    #[allow(dead_code, reason = "another binary uses it")]
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
        let seen = Seen { terminal: vt100::Parser::new(rows, columns, 0), bytes: 0, written: Vec::new() };
        let found = manners(&*pair.master, &seen);
        command.cwd(std::env::temp_dir());
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

    /// Types these bytes.
    pub fn type_bytes(&mut self, bytes: &str) {
        self.keyboard.write_all(bytes.as_bytes()).unwrap();
        self.keyboard.flush().unwrap();
    }

    /// Changes the size of the terminal.
    pub fn resize(&self, columns: u16, rows: u16) {
        // The emulator has no place for a wide character in a single column.
        self.seen().terminal.screen_mut().set_size(rows, columns.max(2));
        self.master.resize(PtySize { rows, cols: columns, pixel_width: 0, pixel_height: 0 }).unwrap();
    }

    /// Says that the terminal has this size, of which the screen here shows a part.
    #[allow(dead_code, reason = "another binary uses it")]
    pub fn claim(&self, columns: u16, rows: u16) {
        self.master.resize(PtySize { rows, cols: columns, pixel_width: 0, pixel_height: 0 }).unwrap();
    }

    /// Takes so many bytes more of what the program writes, and then none; `None` takes all.
    pub fn take(&self, bytes: Option<usize>) {
        *self.flow.taken.lock().unwrap() = bytes.map_or(Taken::All, Taken::Bytes);
        self.flow.changed.notify_all();
    }

    /// Stops the terminal, as Ctrl-S does: it takes nothing any more.
    pub fn stop_output(&self) {
        tcflow(self.terminal(), Action::OOff).unwrap();
    }

    /// Lets nobody read the terminal any more, and fills what the system keeps for a reader.
    pub fn fill(&self) {
        self.take(Some(0));
        // The reader takes once more what it was waiting for.
        let bytes = self.bytes();
        let terminal = self.terminal();
        rustix::io::write(&terminal, b" ").unwrap();
        self.wait_until("the last bytes", |seen| seen.bytes > bytes);
        while rustix::io::write(&terminal, &[b' '; 512]).is_ok() {}
    }

    /// The program's end of the terminal, by a descriptor of our own.
    fn terminal(&self) -> OwnedFd {
        let name = self.master.tty_name().unwrap();
        open(name, OFlags::WRONLY | OFlags::NOCTTY | OFlags::NONBLOCK, Mode::empty()).unwrap()
    }

    /// Waits until the program is gone although its terminal takes nothing; then holds that, once read again, the terminal
    /// is as it was found.
    pub fn wait_for_exit_unread(mut self) -> ExitStatus {
        self.child.wait().unwrap();
        self.take(None);
        self.wait_for_exit()
    }

    /// Waits until nothing was written for a while, which is how one sees that nothing is left to say.
    pub fn wait_until_quiet(&self) {
        let mut before = self.bytes();
        while self.comes(Duration::from_millis(300), |seen| seen.bytes > before) {
            before = self.bytes();
        }
    }

    /// What can be seen of each row of the screen: characters with their colours, and of a blank what it stands on.
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

    fn seen(&self) -> MutexGuard<'_, Seen> {
        self.seen.0.lock().unwrap()
    }

    /// Waits until this holds for what is on the screen.
    pub fn wait_until(&self, what: &str, holds: impl Fn(&Seen) -> bool) {
        assert!(self.comes(PATIENCE, &holds), "{what} did not come; the screen:\n{}", self.seen().text());
    }

    /// Waits until this text is on the screen.
    pub fn wait_for(&self, text: &str) {
        self.wait_until(text, |seen| seen.text().contains(text));
    }

    /// Whether this comes to hold within a time.
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

    /// Column and row, from 0, where this text begins on the screen now; cells that hold wide characters are not expected.
    pub fn place_of(&self, text: &str) -> Option<(usize, usize)> {
        let shown = self.text();
        let mut lines = shown.lines().enumerate();
        lines.find_map(|(row, line)| line.find(text).map(|at| (line[..at].chars().count(), row)))
    }

    /// Bytes written so far.
    pub fn bytes(&self) -> usize {
        self.seen().bytes
    }

    /// Sends a signal to the program and everything it started.
    pub fn signal(&self, signal: Signal) {
        kill_process_group(self.pid(), signal).unwrap();
    }

    /// Sends a signal to the program alone.
    pub fn signal_program(&self, signal: Signal) {
        kill_process(self.pid(), signal).unwrap();
    }

    /// The program's process.
    pub fn pid(&self) -> Pid {
        let id = self.child.process_id().unwrap();
        Pid::from_raw(i32::try_from(id).unwrap()).unwrap()
    }

    /// Waits until the program is stopped, and holds that it left the terminal as it found it.
    pub fn wait_until_stopped(&self) {
        self.wait_until("the main screen", |seen| !seen.terminal.screen().alternate_screen());
        let (_, status) = waitpid(Some(self.pid()), WaitOptions::UNTRACED).unwrap().unwrap();
        assert!(status.stopped(), "{status:?}");
        assert_eq!(manners(&*self.master, &self.seen()), self.found);
    }

    /// Takes the terminal away, and waits until the program is gone.
    pub fn hang_up(self) -> ExitStatus {
        let Self { master, _slave, mut child, mut keyboard, flow, .. } = self;
        *flow.taken.lock().unwrap() = Taken::Gone;
        // The reader has the terminal too, and lets go of it when it has read once more.
        keyboard.write_all(b"?").unwrap();
        drop((master, _slave, keyboard));
        child.wait().unwrap()
    }

    /// Waits until the program is gone, and holds that it left the terminal as it found it.
    pub fn wait_for_exit(mut self) -> ExitStatus {
        let status = self.child.wait().unwrap();
        let found = &self.found;
        // The last bytes may still be on their way to the reader.
        self.wait_until("the terminal as it was found", |seen| manners(&*self.master, seen) == *found);
        status
    }
}

fn manners(master: &(dyn MasterPty + Send), seen: &Seen) -> Manners {
    let screen = seen.terminal.screen();
    Manners {
        termios: format!("{:?}", master.get_termios()),
        alternate_screen: screen.alternate_screen(),
        cursor_hidden: screen.hide_cursor(),
        bracketed_paste: screen.bracketed_paste(),
        mouse: format!("{:?} {:?}", screen.mouse_protocol_mode(), screen.mouse_protocol_encoding()),
    }
}

/// Feeds what the program writes to the screen, until the terminal is gone.
fn read(mut from: Box<dyn Read + Send>, seen: Arc<(Mutex<Seen>, Condvar)>, flow: Arc<Flow>) {
    thread::spawn(move || {
        let mut buffer = [0; 16 * 1024];
        loop {
            let taken = flow.taken.lock().unwrap();
            let taken = *flow.changed.wait_while(taken, |taken| *taken == Taken::Bytes(0)).unwrap();
            let most = match taken {
                Taken::All => buffer.len(),
                Taken::Bytes(left) => left.min(buffer.len()),
                Taken::Gone => return,
            };
            let Ok(read @ 1..) = from.read(&mut buffer[..most]) else { return };
            let mut now = seen.0.lock().unwrap();
            now.terminal.process(&buffer[..read]);
            now.bytes += read;
            now.written.extend_from_slice(&buffer[..read]);
            drop(now);
            seen.1.notify_all();
            if let Taken::Bytes(left) = &mut *flow.taken.lock().unwrap() {
                *left = left.saturating_sub(read);
            }
        }
    });
}
