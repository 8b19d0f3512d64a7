//! The threads that read documents in parallel, started before they are needed: if the system refuses them (`ulimit -u`),
//! this thread does the work, while the pool's own start would end the program.

use std::io;
use std::sync::mpsc::{Sender, channel};
use std::thread::{Builder, available_parallelism};

use rayon::{ThreadBuilder, ThreadPoolBuilder};

/// Starts one per processor, but at most `most`, or as many as the system allows.
pub fn start(most: usize) {
    let wanted = available_parallelism().map_or(1, usize::from).min(most);
    let seats: Vec<Sender<ThreadBuilder>> = (0..wanted).map_while(|_| worker().ok()).collect();
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
    // It fails only if there already is a pool, which works as well.
    drop(built);
}

/// A thread that waits for work.
fn worker() -> io::Result<Sender<ThreadBuilder>> {
    let (seat, work) = channel::<ThreadBuilder>();
    Builder::new().name("documents".to_owned()).spawn(move || work.recv().map(ThreadBuilder::run))?;
    Ok(seat)
}
