//! What a write would change, and whether it may be written there at all.

use std::path::Path;

use super::{Before, Diff, Proposal, Refused, Scope};
use crate::disk::name::sha256_hex;
use crate::disk::path::{absolute, display};
use crate::disk::read_regular;

/// What writing `text` to `path` (relative to `current`) would change; nothing is touched.
///
/// # Errors
/// Nothing may be written there.
pub fn propose(workspace: &Path, current: &Path, path: &str, text: &str, scope: Scope) -> Result<Proposal, Refused> {
    let path = absolute(current, Path::new(path));
    if scope == Scope::Workspace && !path.starts_with(workspace) {
        let message = format!("{} is outside the workspace", path.display());
        return Err(Refused { code: "outside", message, hint: "choose a path inside it".to_owned() });
    }
    let shown = display(workspace, &path);
    let old = read_regular(&path, u64::MAX).ok().map(|(bytes, _)| bytes);
    let before = match &old {
        None => Before::Nothing,
        Some(bytes) => Before::File { size: bytes.len() as u64, hash: sha256_hex(bytes) },
    };
    let old = old.map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
    let diff = Diff::new(&shown, old.as_deref(), text);
    Ok(Proposal { path, shown, text: text.to_owned(), before, diff })
}
