//! Token estimates. No tokenizer is used, so every displayed number is called an estimate (BEHAVIOUR §5).

use std::path::Path;

/// File extensions of data and code, which have more tokens per byte than prose.
const DENSE: &[&str] = &[
    "json",
    "yaml",
    "yml",
    "java",
    "py",
    "js",
    "jsx",
    "mjs",
    "ts",
    "tsx",
    "go",
    "rs",
    "cs",
    "kt",
    "kts",
    "groovy",
    "scala",
    "swift",
    "rb",
    "php",
    "lua",
    "dart",
    "sh",
    "bash",
    "ps1",
    "sql",
    "proto",
    "tf",
    "c",
    "cc",
    "h",
    "hpp",
    "cpp",
    "css",
    "scss",
    "xml",
    "toml",
    "properties",
];

/// Estimated tokens of this many bytes, by file name: bytes ÷ 4; ÷ 3 for data and code; rounded up.
pub fn of_file(path: &Path, bytes: u64) -> u64 {
    let dense = path
        .extension()
        .and_then(|ending| ending.to_str())
        .is_some_and(|ending| DENSE.iter().any(|dense| dense.eq_ignore_ascii_case(ending)));
    bytes.div_ceil(if dense { 3 } else { 4 })
}

/// Estimated tokens of this many bytes of prose: bytes ÷ 4, rounded up.
pub fn of_prose(bytes: u64) -> u64 {
    bytes.div_ceil(4)
}

/// A non-negative whole number with thousands separators.
pub fn grouped(number: impl std::fmt::Display) -> String {
    let digits = number.to_string();
    let mut shown = String::with_capacity(digits.len() + digits.len() / 3);
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            shown.push(',');
        }
        shown.push(digit);
    }
    shown
}

/// `1 source`, `1,240 sources`.
pub fn counted(number: usize, one: &str) -> String {
    let plural = if number == 1 { "" } else { "s" };
    format!("{} {one}{plural}", grouped(number))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thousands_are_set_apart() {
        for (number, expected) in
            [(0, "0"), (999, "999"), (1_000, "1,000"), (12_345, "12,345"), (1_234_567, "1,234,567")]
        {
            assert_eq!(grouped(number), expected);
        }
        for (number, expected) in [(0, "0 rows"), (1, "1 row"), (1_240, "1,240 rows")] {
            assert_eq!(counted(number, "row"), expected);
        }
    }

    #[test]
    fn prose_by_four_and_code_by_three_rounded_up() {
        for (name, bytes, expected) in [
            ("a.md", 0, 0),
            ("a.md", 1, 1),
            ("a.md", 8, 2),
            ("a.JSON", 9, 3),
            ("a.yml", 10, 4),
            ("a.tsx", 10, 4),
            ("README", 5, 2),
        ] {
            assert_eq!(of_file(Path::new(name), bytes), expected, "{name} {bytes}");
        }
    }
}
