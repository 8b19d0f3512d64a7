//! File access: open folders, reading, atomic writes, locks, walks, paths, safe names. Does not interpret content.

#[cfg(not(unix))]
compile_error!("refdesk needs a Unix system: Linux, macOS or a BSD");

mod atomic;
mod descriptors;
mod error;
mod folder;
mod link;
mod listing;
mod lock;
pub mod name;
pub mod nofollow;
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
pub use error::{
    cause, code_of, is_disk_full, is_link_refused, is_no_file, message_in, more_room, no_workspace, unreadable,
    usable_key, way_to_more,
};
pub use folder::{EntryKind, FileMode, Folder, FolderEntry, confine_to};
pub use link::link_on_path;
pub use listing::FolderListings;
pub use lock::{LOCK_TIMEOUT, Lock};
pub use own::{
    append_state_file, is_at, open_folder, open_state_file, read_state_file, remove_state_file, rename_state_file,
    within,
};
pub use private::{disk_full_error, is_owned_by_user, is_writable, narrow, narrow_hard_link, private_folder};
pub use read::{
    Stamp, is_of_process, is_special, open_regular, read_open, read_regular, read_stamped, read_whole, stamp, whole,
};
pub use seal::{SealKey, Sealer};
