//! The only module that changes terminal modes: raw mode, the alternate screen, bracketed paste, the mouse, the cursor.
//! They are restored on every exit: when the guard is dropped, when this thread panics, and before Ctrl-Z stops the
//! program. Each frame is a single write that the terminal shows at once; an unchanged frame is not written.

use std::io::{self, Write};
use std::panic;
use std::sync::{Mutex, Once, PoisonError};
use std::thread::{self, ThreadId};

use crossterm::clipboard::CopyToClipboard;
use crossterm::cursor::{Hide, Show};
use crossterm::event::{DisableBracketedPaste, EnableBracketedPaste};
use crossterm::queue;
use crossterm::style::ResetColor;
use crossterm::terminal::{
    BeginSynchronizedUpdate, Clear, ClearType, EndSynchronizedUpdate, EnterAlternateScreen, LeaveAlternateScreen,
    disable_raw_mode, enable_raw_mode,
};
use ratatui::backend::Backend;
use ratatui::layout::{Rect, Size};
use ratatui::{Frame, Terminal, TerminalOptions, Viewport};
use rustix::termios::{OptionalActions, Termios, tcgetattr, tcsetattr};

use super::state::Mouse;
use encoder::FrameEncoder;
use writer::{TerminalWriter, write_last};

pub mod encoder;
mod shown_cells;
mod style;
mod writer;

/// Clicks and the wheel (1000), motion while a button is held (1002), unlimited coordinates (1006). Not 1003,
/// because it would wake the program for every other motion.
const TAKE_MOUSE: &[u8] = b"\x1b[?1000h\x1b[?1002h\x1b[?1006h";
const LEAVE_MOUSE: &[u8] = b"\x1b[?1006l\x1b[?1002l\x1b[?1000l";

/// OSC 11, and the mode in which a terminal reports switches between light and dark (2031).
const ASK_BACKGROUND: &[u8] = b"\x1b]11;?\x1b\\";
const FOLLOW_BACKGROUND: &[u8] = b"\x1b[?2031h";
const UNFOLLOW_BACKGROUND: &[u8] = b"\x1b[?2031l";

/// Resets modes that a killed editor may leave behind: reporting of all mouse motion, application cursor keys
/// and keypad.
const RESET_EDITOR_MODES: &[u8] = b"\x1b[?1003l\x1b[?1l\x1b>";

/// The largest frame that reaches the terminal in one piece, so that it needs no synchronized update.
const MAX_UNSYNCHRONIZED_BYTES: usize = 512;

/// The thread that runs the screen, if any, and the panic messages of other threads.
static SCREEN_THREAD: Mutex<Option<ThreadId>> = Mutex::new(None);
static PANIC_MESSAGES: Mutex<Vec<String>> = Mutex::new(Vec::new());

/// The largest size used: a terminal may report 65,535 columns and rows, which would be four billion cells.
const LARGEST: Size = Size { width: 1024, height: 512 };

/// The part of a terminal of this size that is drawn on.
pub fn drawable(size: Size) -> Size {
    Size { width: size.width.min(LARGEST.width), height: size.height.min(LARGEST.height) }
}

/// The terminal in full-screen mode, until dropped.
pub struct Screen {
    terminal: Terminal<FrameEncoder>,
    writer: TerminalWriter,
    mouse: Mouse,
    follows_background: bool,
    /// The modes stored in the kernel (echo, line mode, signal keys) while another program uses the terminal.
    modes_before_handoff: Option<Termios>,
}

impl Screen {
    /// Takes the terminal over.
    pub fn enter() -> io::Result<Self> {
        restore_on_panic();
        let encoder = FrameEncoder::default();
        let viewport = Viewport::Fixed(Rect::from(drawable(encoder.size()?)));
        let terminal = Terminal::with_options(encoder, TerminalOptions { viewport })?;
        let (writer, mouse) = (TerminalWriter::new(), Mouse::default());
        let mut screen = Self { terminal, writer, mouse, follows_background: false, modes_before_handoff: None };
        screen.take_over()?;
        Ok(screen)
    }

    pub fn set_mouse(&mut self, mouse: Mouse) -> io::Result<()> {
        self.mouse = mouse;
        self.writer.write(if mouse == Mouse::Ours { TAKE_MOUSE } else { LEAVE_MOUSE })
    }

    /// The size of the used part, in cells.
    pub fn size(&self) -> io::Result<Size> {
        Ok(drawable(self.terminal.size()?))
    }

    /// Asks the terminal for its background colour, and subscribes to light/dark changes.
    pub fn ask_background(&mut self) -> io::Result<()> {
        self.follows_background = true;
        self.writer.write(ASK_BACKGROUND)?;
        self.writer.write(FOLLOW_BACKGROUND)
    }

    /// Whether the terminal has not accepted all output yet; another frame would only be queued.
    pub fn is_blocked(&self) -> bool {
        self.writer.is_blocked()
    }

    /// Waits until the terminal accepts more of the pending output; forever if there is none.
    pub async fn proceed(&mut self) -> io::Result<()> {
        self.writer.proceed().await
    }

    /// Draws a frame and writes its difference from the previous one.
    pub fn draw(&mut self, draw: impl FnOnce(&mut Frame<'_>)) -> io::Result<()> {
        let area = Rect::from(self.size()?);
        if self.terminal.get_frame().area() != area {
            self.terminal.resize(area)?;
        }
        self.terminal.backend_mut().set_columns(area.width);
        self.terminal.draw(draw)?;
        self.write_out()
    }

    /// Forgets what the terminal shows, so that the next frame is written in full.
    ///
    /// Implemented as a resize, because `Terminal::clear` asks the terminal for its cursor position and waits
    /// for the answer.
    pub fn forget(&mut self) -> io::Result<()> {
        self.terminal.backend_mut().forget();
        let size = self.size()?;
        self.terminal.resize(Rect::from(size))
    }

    /// Restores the terminal and stops this program's process group, like Ctrl-Z in a shell.
    ///
    /// SIGSTOP, because SIGTSTP is caught and leads here. The whole group, because a parent that only waits
    /// for us (`cargo run`) must stop too before the shell gets its prompt back.
    pub fn suspend(&mut self) -> io::Result<()> {
        leave(&self.writer.take_rest());
        rustix::process::kill_current_process_group(rustix::process::Signal::STOP)?;
        Ok(())
    }

    /// Takes the terminal over again after a stop; the next frame is written in full.
    pub fn resume(&mut self) -> io::Result<()> {
        leave(&self.writer.take_rest());
        self.take_over()?;
        self.forget()
    }

    /// Restores the terminal's modes for another program.
    pub fn hand_over(&mut self) -> io::Result<()> {
        leave(&self.writer.take_rest());
        self.modes_before_handoff = Some(tcgetattr(rustix::stdio::stdin())?);
        Ok(())
    }

    /// Takes the terminal back from a program that may have left it in any mode; the next frame is written in full.
    pub fn reclaim(&mut self) -> io::Result<()> {
        self.restore_lent_modes();
        self.writer.write(RESET_EDITOR_MODES)?;
        self.take_over()?;
        self.forget()
    }

    /// Ignores errors: the terminal may be gone.
    fn restore_lent_modes(&mut self) {
        if let Some(modes) = self.modes_before_handoff.take() {
            let _ = tcsetattr(rustix::stdio::stdin(), OptionalActions::Now, &modes);
        }
    }

    /// Asks the terminal to copy this text to the clipboard (OSC 52). Terminals do not confirm it.
    pub fn copy(&mut self, text: &str) -> io::Result<()> {
        let mut bytes = Vec::new();
        queue!(bytes, CopyToClipboard::to_clipboard_from(text))?;
        self.writer.write(&bytes)
    }

    /// Writes the changes of a frame, as one synchronized update if they may arrive in pieces.
    fn write_out(&mut self) -> io::Result<()> {
        let frame = self.terminal.backend_mut().take_frame();
        if frame.len() <= MAX_UNSYNCHRONIZED_BYTES {
            return if frame.is_empty() { Ok(()) } else { self.writer.write(&frame) };
        }
        let mut out = Vec::with_capacity(frame.len() + 16);
        queue!(out, BeginSynchronizedUpdate)?;
        out.extend_from_slice(&frame);
        queue!(out, EndSynchronizedUpdate)?;
        self.writer.write(&out)
    }

    fn take_over(&mut self) -> io::Result<()> {
        enable_raw_mode()?;
        *SCREEN_THREAD.lock().unwrap_or_else(PoisonError::into_inner) = Some(thread::current().id());
        let mut bytes = Vec::new();
        // Clear as well: not every terminal has an alternate screen, and frames draw only non-blank cells.
        queue!(bytes, EnterAlternateScreen, Clear(ClearType::All), EnableBracketedPaste, Hide)?;
        if self.mouse == Mouse::Ours {
            bytes.extend_from_slice(TAKE_MOUSE);
        }
        if self.follows_background {
            bytes.extend_from_slice(FOLLOW_BACKGROUND);
        }
        self.writer.write(&bytes)
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        if self.modes_before_handoff.is_some() {
            // The other program was killed and may not have restored the terminal.
            self.restore_lent_modes();
            write_last(&[], &[RESET_EDITOR_MODES, &leaving()].concat());
        }
        leave(&self.writer.take_rest());
        let words = std::mem::take(&mut *PANIC_MESSAGES.lock().unwrap_or_else(PoisonError::into_inner));
        for words in words {
            // A closed standard error cannot be reported.
            let _ = writeln!(io::stderr(), "{words}");
        }
    }
}

/// Undoes [`Screen::take_over`] once; `rest` is pending output to send first. Ignores errors: the terminal
/// may be gone, and the rest must still be restored.
fn leave(rest: &[u8]) {
    if SCREEN_THREAD.lock().unwrap_or_else(PoisonError::into_inner).take().is_some() {
        write_last(rest, &leaving());
        let _ = disable_raw_mode();
    }
}

/// The sequences that undo every mode stored in the terminal.
fn leaving() -> Vec<u8> {
    let mut bytes = [LEAVE_MOUSE, UNFOLLOW_BACKGROUND].concat();
    let _ = queue!(bytes, EndSynchronizedUpdate, ResetColor, DisableBracketedPaste, LeaveAlternateScreen, Show);
    bytes
}

/// A panic on the screen's thread restores the terminal before it is reported. A panic on another thread does
/// not end the screen, so its report waits until the screen ends.
fn restore_on_panic() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let report = panic::take_hook();
        panic::set_hook(Box::new(move |info| {
            let owner = *SCREEN_THREAD.lock().unwrap_or_else(PoisonError::into_inner);
            match owner {
                Some(owner) if owner != thread::current().id() => {
                    PANIC_MESSAGES.lock().unwrap_or_else(PoisonError::into_inner).push(info.to_string());
                }
                Some(_) => {
                    leave(&[]);
                    report(info);
                }
                None => report(info),
            }
        }));
    });
}
