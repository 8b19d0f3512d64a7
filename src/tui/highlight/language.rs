//! The language of a template's output: from the template's name without its suffix, otherwise from the output path.

use std::path::Path;

/// File extensions or names to look the language up by, the most likely first.
pub fn candidates(template: &str, output: Option<&str>) -> Vec<String> {
    let made = |name: &str| {
        let name = name.rsplit(['/', '\\']).next().unwrap_or(name).to_owned();
        let ending = Path::new(&name).extension().and_then(|ending| ending.to_str()).map(str::to_lowercase);
        // `Dockerfile` and `Makefile` are found by their whole name.
        ending.into_iter().chain([name])
    };
    let own = template_free(template);
    made(own).chain(output.into_iter().flat_map(made)).collect()
}

/// The name without `.tpl` or `.tmpl`.
fn template_free(name: &str) -> &str {
    let lower = name.to_ascii_lowercase();
    let ending = [".tpl", ".tmpl"].into_iter().find(|ending| lower.ends_with(ending));
    ending.and_then(|ending| name.get(..name.len().saturating_sub(ending.len()))).unwrap_or(name)
}

#[test]
fn names() {
    for (template, output, expected) in [
        ("Entity.java.tpl", None, &["java", "Entity.java"][..]),
        ("src/A/Entity.Java.TMPL", None, &["java", "Entity.Java"]),
        ("Entity.tpl", Some("src/main/Entity.kt"), &["Entity", "kt", "Entity.kt"]),
        ("Dockerfile.tpl", None, &["Dockerfile"]),
        ("b.yaml", Some("x"), &["yaml", "b.yaml", "x"]),
        ("", None, &[""]),
    ] {
        assert_eq!(candidates(template, output), expected, "{template}");
    }
}
