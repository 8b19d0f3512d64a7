//! Tests that need their own process, because their limits or their memory would affect all other tests.

use std::process::Command;

/// Set in the process that runs a single test.
const ALONE: &str = "REFDESK_TEST_ALONE";

/// Returns true in a process of its own for the test `path` (as `module::name`). Otherwise runs the test in such a
/// process, and panics if it fails.
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
