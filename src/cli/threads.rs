//! The threads that read documents in parallel, started before they are needed. If the system refuses to create them
//! (`ulimit -u`), this thread does the work; if the pool started them itself, the program would abort.

use std::hint::black_box;
use std::io;
use std::sync::mpsc::{Sender, channel};
use std::thread::{Builder, available_parallelism};

use rayon::{ThreadBuilder, ThreadPoolBuilder};

/// Whether the process is long-lived.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ProcessLifetime {
    /// The process answers once.
    Short,
    Long,
}

/// Starts one thread per processor, but at most `most`, or as many as the system allows.
pub fn start(most: usize, life: ProcessLifetime) {
    let wanted = available_parallelism().map_or(1, usize::from).min(most);
    let seats: Vec<Sender<ThreadBuilder>> = (0..wanted).map_while(|_| worker(life).ok()).collect();
    let built = if seats.is_empty() {
        ThreadPoolBuilder::new().num_threads(1).use_current_thread().build_global()
    } else {
        let taken = || io::Error::from(io::ErrorKind::WouldBlock);
        let sit = |thread: ThreadBuilder| {
            let seat = seats.get(thread.index()).ok_or_else(taken)?;
            seat.send(thread).map_err(|_| taken())
        };
        ThreadPoolBuilder::new().num_threads(seats.len()).spawn_handler(sit).build_global()
    };
    // This fails only if a pool already exists, which works just as well.
    drop(built);
}

/// A thread that waits for work.
fn worker(life: ProcessLifetime) -> io::Result<Sender<ThreadBuilder>> {
    let (seat, work) = channel::<ThreadBuilder>();
    let run = move || {
        match life {
            ProcessLifetime::Short => reserve_memory(),
            ProcessLifetime::Long => lower_thread_priority(),
        }
        work.recv().map(ThreadBuilder::run)
    };
    Builder::new().name("documents".to_owned()).spawn(run)?;
    Ok(seat)
}

/// Makes this thread's allocator get its memory at once. On threads other than the first, glibc asks the system for
/// each page: 1,500 times for a catalog of 10,000 sources, a tenth of a hook's time. Unused memory costs nothing, but
/// used memory is never returned, so this is only for short-lived processes.
fn reserve_memory() {
    const MIB: usize = 1 << 20;
    // Under a memory limit, a failed allocation must not end the process.
    let block = |size: usize| {
        let mut block = Vec::<u8>::new();
        block.try_reserve_exact(size).is_ok().then(|| black_box(block))
    };
    // The allocator maps the first block separately, which raises its threshold for doing so, to at most 32
    // MiB. The others come from the memory that the thread keeps, at most 64 MiB.
    drop(block(31 * MIB));
    drop([block(28 * MIB), block(28 * MIB)]);
}

/// Lowers the priority of this thread, so that a keypress does not wait while thousands of documents change.
fn lower_thread_priority() {
    // On other systems, this would apply to the whole process.
    #[cfg(target_os = "linux")]
    if let Err(error) = rustix::process::nice(10) {
        tracing::debug!("the priority of a thread cannot be lowered: {error}");
    }
}
