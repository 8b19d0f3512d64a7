//! What a file is: reading regular files, atomic writes, locks, walks, paths and safe names. Nothing here knows what the
//! bytes mean.

mod atomic;
pub mod beneath;
mod lock;
pub mod name;
mod own;
pub mod path;
mod read;
pub mod walk;

pub use atomic::{
    Staged, is_unfinished, publish_new, rename_new, sweep, sweep_dead, write_atomic, write_derived, write_private,
};
pub use lock::{Lock, PATIENCE};
pub use own::{LinkedOut, append_own, is_at, open_own, within};
pub use read::{Stamp, read_regular, read_stamped, stamp};
