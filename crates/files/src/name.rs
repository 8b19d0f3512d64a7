//! Names that become file names: sessions and desks (BEHAVIOUR §9).

use sha2::{Digest, Sha256};

/// Turns a name into a safe file name: 1–64 characters of `[A-Za-z0-9._-]` without a leading dot stay as they are,
/// anything else becomes its SHA-256 in hexadecimal.
pub fn safe(name: &str) -> String {
    let plain = (1..=64).contains(&name.len())
        && !name.starts_with('.')
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'-'));
    if plain { name.to_owned() } else { sha256_hex(name.as_bytes()) }
}

/// Whether this is one plain path component on every system: it cannot lead to another folder, a drive or nothing, and
/// contains no control characters.
pub fn is_plain(name: &str) -> bool {
    !name.is_empty()
        && name != "."
        && name != ".."
        && name.len() <= 255
        && !name.contains(|c: char| matches!(c, '/' | '\\' | ':') || c.is_control())
}

/// SHA-256 in lower-case hexadecimal, 64 characters.
pub fn sha256_hex(bytes: &[u8]) -> String {
    use std::fmt::Write;
    Sha256::digest(bytes).iter().fold(String::with_capacity(64), |mut hex, byte| {
        // Writing to a string cannot fail.
        let _ = write!(hex, "{byte:02x}");
        hex
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plain_name_is_one_component_everywhere() {
        for plain in ["a", "a.tmpl", "..a", "a..", "...", "a b", "ü", &"x".repeat(255)] {
            assert!(is_plain(plain), "{plain:?}");
        }
        for other in [
            "",
            ".",
            "..",
            "/",
            "/a",
            "a/",
            "a/b",
            "../a",
            "a/../b",
            "\\a",
            "..\\a",
            "C:a",
            "a\0",
            "a\nb",
            &"x".repeat(256),
        ] {
            assert!(!is_plain(other), "{other:?}");
        }
    }

    #[test]
    fn plain_names_stay_and_others_become_their_hash() {
        for plain in ["default", "a.b_c-9", &"x".repeat(64)] {
            assert_eq!(safe(plain), plain);
        }
        for odd in ["", ".hidden", "../../x", "a b", "ä", "a/b", &"x".repeat(65)] {
            let name = safe(odd);
            assert!(name.len() == 64 && name.bytes().all(|byte| byte.is_ascii_hexdigit()), "{odd}: {name}");
        }
    }
}
