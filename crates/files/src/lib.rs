//! File access: open folders, reading, atomic writes, locks, walks, paths, safe names. Does not interpret content.

#[cfg(not(unix))]
compile_error!("refdesk needs a Unix system: Linux, macOS or a BSD");

mod atomic;
pub mod beneath;
mod descriptors;
mod error;
mod folder;
mod link;
mod listing;
mod lock;
pub mod name;
pub mod output;
mod own;
pub mod path;
mod private;
mod read;
pub mod reserved;
#[cfg(any(test, feature = "testing"))]
pub mod scale;
mod seal;
#[cfg(test)]
mod testing;
pub mod walk;
pub mod workspace;

pub(crate) use atomic::Batch;
pub use atomic::{Durability, Staged, is_unfinished, sweep, write_atomic, write_derived, write_private};
pub use descriptors::check_descriptors;
pub use error::{cause, code_of, is_link_refused, is_no_room, no_workspace};
pub use folder::{EntryKind, FileMode, Folder, FolderEntry, confine_to};
pub use link::link_on_path;
pub use listing::FolderListings;
pub use lock::{LOCK_TIMEOUT, Lock};
pub use own::{append_own, is_at, open_folder, open_own, read_own, remove_own, rename_own, within};
pub use private::{is_mine, is_writable, narrow, narrow_second, private_folder, without_room};
pub use read::{
    Stamp, is_of_process, is_special, open_regular, read_open, read_regular, read_stamped, read_whole, stamp, whole,
};
pub use seal::{SealKey, Sealer};
