//! Links the program with packed relative relocations if the C library supports them. Unpacked, they take two megabytes
//! that every start reads and that stay in memory along with the program. A development build has no relocations: it is
//! linked for a fixed address, because tests start it, and themselves, thousands of times.

use std::process::Command;

/// The first version of glibc that supports them; an older one refuses to start the program.
const FIRST: (u32, u32) = (2, 36);

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let target = |what: &str| std::env::var(format!("CARGO_CFG_TARGET_{what}")).unwrap_or_default();
    let is_native = std::env::var_os("HOST") == std::env::var_os("TARGET");
    if !is_native || target("OS") != "linux" || target("ENV") != "gnu" {
        return;
    }
    if std::env::var("PROFILE").as_deref() == Ok("debug") {
        println!("cargo::rustc-link-arg=-no-pie");
    } else if glibc().is_some_and(|found| found >= FIRST) {
        println!("cargo::rustc-link-arg-bins=-Wl,-z,pack-relative-relocs");
    }
}

/// The version of this machine's glibc.
fn glibc() -> Option<(u32, u32)> {
    let answer = Command::new("getconf").arg("GNU_LIBC_VERSION").output().ok()?;
    let (major, minor) = std::str::from_utf8(&answer.stdout).ok()?.trim().strip_prefix("glibc ")?.split_once('.')?;
    let digits = minor.split(|c: char| !c.is_ascii_digit()).next()?;
    Some((major.parse().ok()?, digits.parse().ok()?))
}
