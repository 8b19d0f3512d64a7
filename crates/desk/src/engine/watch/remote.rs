//! Detects file systems that do not report changes made elsewhere.

use std::path::Path;

/// Magic numbers of `statfs(2)`, with display names.
#[cfg(target_os = "linux")]
const REMOTE: [(u32, &str); 15] = [
    (0x0000_6969, "NFS"),
    (0x0000_517b, "SMB"),
    (0xff53_4d42, "CIFS"),
    (0xfe53_4d42, "SMB"),
    (0x0102_1997, "9p"),
    (0x6573_5546, "FUSE"),
    (0x7375_7245, "Coda"),
    (0x5346_414f, "AFS"),
    (0x6b41_4653, "AFS"),
    (0x00c3_6400, "Ceph"),
    (0x0bd0_0bd0, "Lustre"),
    (0x1983_0326, "BeeGFS"),
    (0x0000_564c, "NCP"),
    (0x786f_4256, "VirtualBox shared folders"),
    (0xbacb_acbc, "VMware shared folders"),
];

/// The name of this folder's file system, if changes on it may go unnoticed.
#[cfg(target_os = "linux")]
pub(super) fn remote(folder: &Path) -> Option<&'static str> {
    named(rustix::fs::statfs(folder).ok()?.f_type as u64)
}

/// The system reports all changes, or the file system cannot be identified.
#[cfg(not(target_os = "linux"))]
pub(super) fn remote(_folder: &Path) -> Option<&'static str> {
    None
}

/// The kernel's number has 32 bits; on some machines it is sign-extended.
#[cfg(target_os = "linux")]
fn named(kind: u64) -> Option<&'static str> {
    let kind = u32::try_from(kind & 0xffff_ffff).ok()?;
    REMOTE.iter().find(|(magic, _)| *magic == kind).map(|(_, name)| *name)
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn network_file_systems_by_number() {
        assert_eq!(named(0x6969), Some("NFS"));
        assert_eq!(named(0xffff_ffff_ff53_4d42), Some("CIFS"));
        assert_eq!(named(0x6573_5546), Some("FUSE"));
        for (name, local) in
            [("ext4", 0xef53), ("tmpfs", 0x0102_1994), ("btrfs", 0x9123_683e), ("overlay", 0x794c_7630)]
        {
            assert_eq!(named(local), None, "{name}");
        }
        assert_eq!(remote(Path::new("/proc")), None);
        assert_eq!(remote(Path::new("/no/such/folder")), None);
    }
}
