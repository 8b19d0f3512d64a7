//! The only place that touches terminal modes: raw mode, the alternate screen, bracketed paste, the mouse, the cursor. They are
//! put back on every way out: when the guard is dropped, when this thread panics, before the program is stopped by Ctrl-Z. A
//! frame goes to the terminal in one write, as one synchronized update, and not at all when it changes nothing.

use std::io::{self, Write};
use std::panic;
use std::sync::{Arc, Mutex, Once, PoisonError};
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
use ratatui::backend::{Backend, CrosstermBackend};
use ratatui::layout::{Rect, Size};
use ratatui::{Frame, Terminal, TerminalOptions, Viewport};

use super::state::Mouse;
use outlet::{Outlet, write_last};

mod outlet;

/// Clicks and the wheel (1000), motion while a button is held (1002), coordinates without a limit (1006). Not 1003: motion
/// that means nothing would wake the program for nothing.
const TAKE_MOUSE: &[u8] = b"\x1b[?1000h\x1b[?1002h\x1b[?1006h";
const LEAVE_MOUSE: &[u8] = b"\x1b[?1006l\x1b[?1002l\x1b[?1000l";

/// What an editor that was cut off may leave besides: all motion of the mouse reported, other cursor keys, another keypad.
const MEND: &[u8] = b"\x1b[?1003l\x1b[?1l\x1b>";

/// Whose screen it is while there is one, and what other threads had to say before they died.
static ENTERED: Mutex<Option<ThreadId>> = Mutex::new(None);
static LAST_WORDS: Mutex<Vec<String>> = Mutex::new(Vec::new());

/// No frame is larger: a terminal may say that it has 65,535 columns and rows, which would be four billion cells.
const LARGEST: Size = Size { width: 1024, height: 512 };

/// The part of a terminal of this size that is drawn on.
pub fn drawable(size: Size) -> Size {
    Size { width: size.width.min(LARGEST.width), height: size.height.min(LARGEST.height) }
}

/// The terminal as a full screen, for as long as this value lives.
pub struct Screen {
    terminal: Terminal<CrosstermBackend<FrameBytes>>,
    bytes: FrameBytes,
    outlet: Outlet,
    shown: Vec<u8>,
    mouse: Mouse,
    /// The terminal's modes while another program has it.
    lent: Option<Modes>,
}

impl Screen {
    /// Takes the terminal over.
    pub fn enter() -> io::Result<Self> {
        restore_on_panic();
        let bytes = FrameBytes::default();
        let backend = CrosstermBackend::new(bytes.clone());
        let viewport = Viewport::Fixed(Rect::from(drawable(backend.size()?)));
        let terminal = Terminal::with_options(backend, TerminalOptions { viewport })?;
        let (outlet, mouse) = (Outlet::new(), Mouse::default());
        let mut screen = Self { terminal, bytes, outlet, shown: Vec::new(), mouse, lent: None };
        screen.take_over()?;
        Ok(screen)
    }

    /// Takes the mouse, or leaves it to the terminal.
    pub fn set_mouse(&mut self, mouse: Mouse) -> io::Result<()> {
        self.mouse = mouse;
        self.outlet.write(if mouse == Mouse::Ours { TAKE_MOUSE } else { LEAVE_MOUSE })
    }

    /// Of the part of the terminal that is drawn on, in cells.
    pub fn size(&self) -> io::Result<Size> {
        Ok(drawable(self.terminal.size()?))
    }

    /// Whether the terminal has not taken all yet: a frame would only wait behind it.
    pub fn is_blocked(&self) -> bool {
        self.outlet.is_blocked()
    }

    /// Waits until the terminal takes more of what waits for it; for ever if nothing does.
    pub async fn proceed(&mut self) -> io::Result<()> {
        self.outlet.proceed().await
    }

    /// Draws a frame, and writes what differs from the one before.
    pub fn draw(&mut self, draw: impl FnOnce(&mut Frame<'_>)) -> io::Result<()> {
        let area = Rect::from(self.size()?);
        if self.terminal.get_frame().area() != area {
            self.terminal.resize(area)?;
        }
        self.terminal.draw(draw)?;
        self.write_out()
    }

    /// Forgets what the terminal shows, so that the next frame is written whole.
    ///
    /// By way of a resize, since `Terminal::clear` asks the terminal where its cursor is, and waits for the answer.
    pub fn forget(&mut self) -> io::Result<()> {
        self.shown.clear();
        let size = self.size()?;
        self.terminal.resize(Rect::from(size))
    }

    /// Gives the terminal back and stops this program with its process group, as the shell's Ctrl-Z would.
    ///
    /// SIGSTOP, since SIGTSTP is caught to come here. The group, since a parent that only waits for us (`cargo run`) must
    /// stop too for the shell to have its prompt back.
    #[cfg(unix)]
    pub fn suspend(&mut self) -> io::Result<()> {
        leave(&self.outlet.take_rest());
        rustix::process::kill_current_process_group(rustix::process::Signal::STOP)?;
        Ok(())
    }

    /// Takes the terminal over again after the program was stopped; the next frame is written whole.
    pub fn resume(&mut self) -> io::Result<()> {
        leave(&self.outlet.take_rest());
        self.take_over()?;
        self.forget()
    }

    /// Gives the terminal back for another program to have it.
    pub fn lend(&mut self) -> io::Result<()> {
        leave(&self.outlet.take_rest());
        self.lent = Modes::now()?;
        Ok(())
    }

    /// Takes the terminal over again, from a program that may have left it in whatever modes; the next frame is written
    /// whole.
    pub fn take_back(&mut self) -> io::Result<()> {
        self.mend();
        self.outlet.write(MEND)?;
        self.take_over()?;
        self.forget()
    }

    /// Puts the modes back that the terminal was lent in.
    fn mend(&mut self) {
        if let Some(modes) = self.lent.take() {
            modes.put_back();
        }
    }

    /// Asks the terminal to put this on the clipboard (OSC 52). Whether it does cannot be known.
    pub fn copy(&mut self, text: &str) -> io::Result<()> {
        let mut bytes = Vec::new();
        queue!(bytes, CopyToClipboard::to_clipboard_from(text))?;
        self.outlet.write(&bytes)
    }

    /// What was collected since the last time, as one synchronized update. A frame that repeats the last one changes
    /// nothing, since every cell in it is placed absolutely.
    fn write_out(&mut self) -> io::Result<()> {
        let frame = std::mem::take(&mut *self.bytes.0.lock().unwrap_or_else(PoisonError::into_inner));
        if frame == self.shown {
            return Ok(());
        }
        let mut out = Vec::with_capacity(frame.len() + 16);
        queue!(out, BeginSynchronizedUpdate)?;
        out.extend_from_slice(&frame);
        queue!(out, EndSynchronizedUpdate)?;
        self.shown = frame;
        self.outlet.write(&out)
    }

    fn take_over(&mut self) -> io::Result<()> {
        enable_raw_mode()?;
        *ENTERED.lock().unwrap_or_else(PoisonError::into_inner) = Some(thread::current().id());
        let mut bytes = Vec::new();
        // Cleared too: not every terminal has an alternate screen, and frames draw only what is not blank.
        queue!(bytes, EnterAlternateScreen, Clear(ClearType::All), EnableBracketedPaste, Hide)?;
        if self.mouse == Mouse::Ours {
            bytes.extend_from_slice(TAKE_MOUSE);
        }
        self.outlet.write(&bytes)
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        if self.lent.is_some() {
            // Whoever has the terminal was told to end, and may have had no time to tidy up.
            self.mend();
            write_last(&[], &[MEND, &leaving()].concat());
        }
        leave(&self.outlet.take_rest());
        let words = std::mem::take(&mut *LAST_WORDS.lock().unwrap_or_else(PoisonError::into_inner));
        for words in words {
            // Nobody is left to hear that standard error is closed.
            let _ = writeln!(io::stderr(), "{words}");
        }
    }
}

/// Puts everything back that [`Screen::take_over`] changed, once; `rest` is what the terminal is still to be sent before.
/// Failures are ignored: the terminal may be gone already, and what can still be put back must be.
fn leave(rest: &[u8]) {
    if ENTERED.lock().unwrap_or_else(PoisonError::into_inner).take().is_some() {
        write_last(rest, &leaving());
        let _ = disable_raw_mode();
    }
}

/// What undoes every mode that the terminal itself keeps.
fn leaving() -> Vec<u8> {
    let mut bytes = LEAVE_MOUSE.to_vec();
    let _ = queue!(bytes, EndSynchronizedUpdate, ResetColor, DisableBracketedPaste, LeaveAlternateScreen, Show);
    bytes
}

/// A panic of the screen's own thread puts the terminal back before it is reported. One of another thread does not end the
/// screen, so its report waits until the screen is gone; the loop ends when the engine is.
fn restore_on_panic() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let report = panic::take_hook();
        panic::set_hook(Box::new(move |info| {
            let owner = *ENTERED.lock().unwrap_or_else(PoisonError::into_inner);
            match owner {
                Some(owner) if owner != thread::current().id() => {
                    LAST_WORDS.lock().unwrap_or_else(PoisonError::into_inner).push(info.to_string());
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

/// Collects a frame; the backend's own flushes, of which there are several a frame, do nothing.
#[derive(Debug, Clone, Default)]
struct FrameBytes(Arc<Mutex<Vec<u8>>>);

impl Write for FrameBytes {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// The modes of the terminal as they are kept by the system: echo, lines, what its keys send.
struct Modes {
    #[cfg(unix)]
    termios: rustix::termios::Termios,
}

#[cfg(unix)]
impl Modes {
    fn now() -> io::Result<Option<Self>> {
        Ok(Some(Self { termios: rustix::termios::tcgetattr(rustix::stdio::stdin())? }))
    }

    /// Failures are ignored: the terminal may be gone.
    fn put_back(&self) {
        let when = rustix::termios::OptionalActions::Now;
        let _ = rustix::termios::tcsetattr(rustix::stdio::stdin(), when, &self.termios);
    }
}

#[cfg(not(unix))]
impl Modes {
    fn now() -> io::Result<Option<Self>> {
        Ok(None)
    }

    fn put_back(&self) {}
}
