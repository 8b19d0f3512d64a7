//! Names that become file names: those of sessions and desks (BEHAVIOUR §9).

use sha2::{Digest, Sha256};
use unicode_normalization::UnicodeNormalization;

/// Turns a name into a safe file name: 1–64 characters of `[A-Za-z0-9._-]` without a leading dot are kept; anything
/// else becomes its SHA-256 in hexadecimal.
pub fn safe(name: &str) -> String {
    let plain = (1..=64).contains(&name.len())
        && !name.starts_with('.')
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'-'));
    if plain { name.to_owned() } else { sha256_hex(name.as_bytes()) }
}

/// The most characters and bytes of a readable file name. File systems allow 255 bytes, with extension and number.
const CHARACTERS: usize = 64;
const BYTES: usize = 160;

/// Device names, which Windows does not accept as file names, whatever the extension.
const DEVICES: [&str; 4] = ["con", "prn", "aux", "nul"];

/// Turns a name into a safe file name that people can still read: letters and digits of any script are kept, composed;
/// anything else becomes `-`. Different names may become the same. A name without any usable character becomes its
/// SHA-256.
pub fn readable(name: &str) -> String {
    let is_kept = |c: char| c.is_alphanumeric() || matches!(c, '.' | '_' | '-');
    let mut file = String::new();
    for c in name.nfc().map(|c| if is_kept(c) { c } else { '-' }).take(CHARACTERS) {
        // A run of replaced characters becomes one `-`; a safe name keeps all of its own.
        let repeats = c == '-' && file.ends_with('-') && safe(name) != name;
        if !repeats && file.len() + c.len_utf8() <= BYTES {
            file.push(c);
        }
    }
    let file = file.trim_start_matches(['.', '-']).trim_end_matches(['.', '-']);
    let stem = file.split('.').next().unwrap_or_default().to_lowercase();
    let is_port = |port: &str| stem.strip_prefix(port).is_some_and(|number| number.len() == 1 && number != "0");
    match file {
        "" => sha256_hex(name.as_bytes()),
        file if DEVICES.contains(&stem.as_str()) || ["com", "lpt"].into_iter().any(is_port) => format!("{file}_"),
        file => file.to_owned(),
    }
}

/// Whether this is one plain path component on every system: it contains no control characters and cannot lead to
/// another folder, a drive or nothing.
pub fn is_plain(name: &str) -> bool {
    !name.is_empty()
        && name != "."
        && name != ".."
        && name.len() <= 255
        && !name.contains(|c: char| matches!(c, '/' | '\\' | ':') || c.is_control())
}

/// SHA-256 in lower-case hexadecimal, 64 characters.
pub fn sha256_hex(bytes: &[u8]) -> String {
    hex(&Sha256::digest(bytes))
}

/// Lower-case hexadecimal, two digits per byte.
pub fn hex(bytes: &[u8]) -> String {
    use std::fmt::Write;
    bytes.iter().fold(String::with_capacity(2 * bytes.len()), |mut hex, byte| {
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
    fn a_readable_name_keeps_letters_of_any_script_and_is_safe_everywhere() {
        let long = "ü".repeat(300);
        for (name, expected) in [
            ("retry-pattern", "retry-pattern"),
            ("a--b.c_d", "a--b.c_d"),
            ("mit leer zeichen äöü", "mit-leer-zeichen-äöü"),
            ("a b", "a-b"),
            ("a /:* b", "a-b"),
            ("a\u{308}", "ä"),
            ("日本語/ガイド", "日本語-ガイド"),
            ("a\u{202e}gpj.exe\u{2066}", "a-gpj.exe"),
            ("a\u{335}\u{20dd}b", "a-b"),
            ("../../x", "x"),
            (".hidden", "hidden"),
            ("trailing. .", "trailing"),
            ("CON", "CON_"),
            ("nul.txt", "nul.txt_"),
            ("com1", "com1_"),
            ("com0", "com0"),
            ("lpt10", "lpt10"),
            ("console", "console"),
            (&"x".repeat(64), &"x".repeat(64)),
            (&"x".repeat(65), &"x".repeat(64)),
            (&long, &"ü".repeat(64)),
            (&"日".repeat(80), &"日".repeat(53)),
        ] {
            let file = readable(name);
            assert_eq!(file, expected, "{name}");
            assert!(is_plain(&format!("{file}.json")) && file.len() <= BYTES + 1, "{name}: {file}");
        }
        for nothing in ["", "..", "///", "\u{202e}", "-"] {
            assert_eq!(readable(nothing), sha256_hex(nothing.as_bytes()), "{nothing:?}");
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
