//! Tests that need their own process, because their limits or their memory would affect every test beside them.

use std::process::Command;

/// Set in the process of a single test.
const ALONE: &str = "REFDESK_TEST_ALONE";

/// Whether this process belongs to the test `path` (as `module::name`). Otherwise runs it in its own process, where
/// this returns true, and fails if it fails.
#[track_caller]
pub fn is_alone(path: &str) -> bool {
    if std::env::var_os(ALONE).is_some() {
        return true;
    }
    let program = std::env::current_exe().unwrap();
    let ran = Command::new(program).args(["--exact", path, "--nocapture"]).env(ALONE, "1").output().unwrap();
    let said = format!("{}{}", String::from_utf8_lossy(&ran.stdout), String::from_utf8_lossy(&ran.stderr));
    assert!(ran.status.success() && said.contains("1 passed"), "{path}: {said}");
    false
}
