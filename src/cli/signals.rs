//! Signals that end a command, and one that must not.

use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// The exit code that a shell reports for a command ended by Ctrl-C.
pub const INTERRUPTED: u8 = 130;

/// Makes a write beyond the file size limit (`ulimit -f`) an error (`EFBIG`), like a full disk. Without a handler for
/// `SIGXFSZ`, the system would kill the program in the middle of the write. Child processes get the default handler
/// back.
pub fn survive_file_size_limit() {
    let signal = rustix::process::Signal::XFSZ.as_raw();
    // The flag is never read; the handler turns a write beyond the limit into an error.
    let _ = signal_hook::flag::register(signal, Arc::default());
}

/// Ctrl-C while a command reads databases and writes their pages: the first one stops the work, which reports its
/// progress; the second one ends the program.
pub struct Interrupt {
    is_stopped: Arc<AtomicBool>,
    /// Set while a question is asked, when there is no work to stop.
    is_asking: Arc<AtomicBool>,
}

impl Interrupt {
    /// Listens from now on; Ctrl-C sets `is_stopped`.
    pub fn listen(is_stopped: Arc<AtomicBool>) -> Self {
        use signal_hook::consts::SIGINT;
        use signal_hook::flag::{register, register_conditional_default};
        let is_asking = Arc::<AtomicBool>::default();
        // The order matters: each handler checks its flag before the last one sets it. If registration fails, Ctrl-C
        // ends the program.
        let _ = register_conditional_default(SIGINT, is_asking.clone())
            .and_then(|_| register_conditional_default(SIGINT, is_stopped.clone()))
            .and_then(|_| register(SIGINT, is_stopped.clone()));
        Self { is_stopped, is_asking }
    }

    /// Asks a question; meanwhile, Ctrl-C ends the program.
    pub fn while_asking<T>(&self, ask: impl FnOnce() -> T) -> T {
        self.is_asking.store(true, Ordering::SeqCst);
        let answer = ask();
        self.is_asking.store(false, Ordering::SeqCst);
        answer
    }

    /// Whether Ctrl-C was pressed.
    pub fn is_raised(&self) -> bool {
        self.is_stopped.load(Ordering::Relaxed)
    }
}

/// Sets `flag` on the first signal that asks the program to end; the second one ends it.
pub fn set_on_signal(flag: &Arc<AtomicBool>) {
    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
    use signal_hook::flag::{register, register_conditional_default};
    for signal in [SIGHUP, SIGINT, SIGTERM] {
        // In this order, so that the first signal does not end the program. If registration fails, it does.
        let _ = register_conditional_default(signal, flag.clone()).and_then(|_| register(signal, flag.clone()));
    }
}

/// How often to try to remove a folder that the program may still write to.
const REMOVALS: usize = 20;

/// Removes this folder if a signal ends the program.
pub fn remove_on_signal(folder: PathBuf) -> io::Result<()> {
    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
    let mut signals = signal_hook::iterator::Signals::new([SIGHUP, SIGINT, SIGTERM])?;
    let wait = move || {
        if let Some(signal) = signals.forever().next() {
            let is_gone = |_: &usize| std::fs::remove_dir_all(&folder).is_ok() || !folder.exists();
            let _ = (0..REMOVALS).find(is_gone);
            let _ = signal_hook::low_level::emulate_default_handler(signal);
        }
    };
    std::thread::Builder::new().name("signals".to_owned()).spawn(wait).map(drop)
}

/// The signals that ask a program to end.
pub struct Signals {
    each: [tokio::signal::unix::Signal; 3],
}

impl Signals {
    pub fn new() -> io::Result<Self> {
        use tokio::signal::unix::{SignalKind, signal};
        let each = [SignalKind::interrupt(), SignalKind::terminate(), SignalKind::hangup()];
        let [interrupt, terminate, hangup] = each.map(signal);
        Ok(Self { each: [interrupt?, terminate?, hangup?] })
    }

    pub async fn any(&mut self) -> EndSignal {
        let [interrupt, terminate, hangup] = &mut self.each;
        tokio::select! {
            _ = interrupt.recv() => EndSignal(signal_hook::consts::SIGINT),
            _ = terminate.recv() => EndSignal(signal_hook::consts::SIGTERM),
            _ = hangup.recv() => EndSignal(signal_hook::consts::SIGHUP),
        }
    }
}

pub struct EndSignal(i32);

impl EndSignal {
    /// Ends the program as the signal would have done without a handler.
    pub fn end(self) -> ! {
        // It returns only if the signal could not be raised.
        let _ = signal_hook::low_level::emulate_default_handler(self.0);
        std::process::exit(INTERRUPTED.into())
    }
}
