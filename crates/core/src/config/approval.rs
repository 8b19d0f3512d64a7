//! Decides whether a file that an agent wants to write needs approval: the `approval` object maps path globs to `ask`,
//! `auto` or `deny` (BEHAVIOUR §2). The configuration may come with a repository; the desk decides whether to trust it.
//!
//! `*` and `?` match within one folder, `**` matches any number of folders, `[ab]` and `{a,b}` are alternatives. A
//! `deny` rule ignores case: on some disks `Secrets/x` is the file `secrets/x`.

use globset::{GlobBuilder, GlobMatcher};

/// What happens to a write.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ApprovalMode {
    /// Ask a person.
    #[default]
    Ask,
    /// Write without asking.
    Auto,
    /// Refuse to write.
    Deny,
}

/// One rule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rule {
    /// A glob over printed paths, relative to the workspace.
    pub glob: String,
    /// What happens to a write to a matching path.
    pub verdict: ApprovalMode,
}

/// The most characters of a glob, and the deepest nesting of braces. Compiling a longer or deeper glob may make globset
/// panic instead of returning an error, and each rule is compiled whenever the configuration is read.
const GLOB_CHARACTERS: usize = 512;
const GLOB_DEPTH: usize = 16;

/// Whether a glob is case-sensitive.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GlobCase {
    /// Case-sensitive.
    Exact,
    /// Case-insensitive.
    Ignored,
}

/// A compiled glob, in which `*` stays within a folder.
///
/// # Errors
/// The glob is invalid, too long or too deep; the text says why.
pub fn compiled(glob: &str, case: GlobCase) -> Result<GlobMatcher, String> {
    build(glob, |glob| {
        glob.literal_separator(true).case_insensitive(case == GlobCase::Ignored);
    })
}

/// A compiled glob over names, in which `*` matches any characters.
///
/// # Errors
/// As for [`compiled`].
pub fn compiled_for_names(glob: &str) -> Result<GlobMatcher, String> {
    build(glob, |_| {})
}

fn build(glob: &str, options: impl FnOnce(&mut GlobBuilder<'_>)) -> Result<GlobMatcher, String> {
    if glob.chars().count() > GLOB_CHARACTERS {
        return Err(format!("it has more than {GLOB_CHARACTERS} characters"));
    }
    let mut depth = 0_usize;
    for brace in glob.chars() {
        depth = match brace {
            '{' => depth + 1,
            '}' => depth.saturating_sub(1),
            _ => depth,
        };
        if depth > GLOB_DEPTH {
            return Err(format!("its braces nest deeper than {GLOB_DEPTH} levels"));
        }
    }
    let mut glob = GlobBuilder::new(glob);
    options(glob.empty_alternates(true));
    glob.build().map(|glob| glob.compile_matcher()).map_err(|error| error.kind().to_string())
}

impl ApprovalMode {
    /// Each mode with its word in the configuration.
    pub const WORDS: [(&'static str, Self); 3] = [("ask", Self::Ask), ("auto", Self::Auto), ("deny", Self::Deny)];
}

impl Rule {
    /// Compiles the glob.
    ///
    /// # Errors
    /// The glob is invalid, or it or one of its alternatives could match no path; the text says why. Such a denial would
    /// look like one, and prevent nothing.
    pub fn matcher(&self) -> Result<GlobMatcher, String> {
        let case = if self.verdict == ApprovalMode::Deny { GlobCase::Ignored } else { GlobCase::Exact };
        let matcher = compiled(&self.glob, case)?;
        match could_match(&self.glob) && !is_for_expansion(&self.glob) {
            true => Ok(matcher),
            false => {
                let why =
                    "paths are relative to the workspace: no '~/', no variables, no part that is empty, '.' or '..'";
                Err(why.to_owned())
            }
        }
    }

    fn matches(&self, path: &str) -> bool {
        // A rule with an invalid glob never gets into the settings.
        self.matcher().is_ok_and(|matcher| matcher.is_match(path))
    }
}

/// Whether each alternative of a valid glob could match a printed path, of which no part between slashes is empty, `.` or
/// `..`. In a denial one that could not would prevent nothing. An empty alternative only adds that something may be
/// missing, so it may leave a part empty.
fn could_match(glob: &str) -> bool {
    // What the part may be so far, a bit each: nothing, one dot, two dots, anything else, or nothing because of an empty
    // alternative.
    const NOTHING: u8 = 0b0001;
    const OTHER: u8 = 0b1000;
    const ANY: u8 = 0b1111;
    const OMITTED: u8 = 0b1_0000;
    let mut part = NOTHING;
    // The part before each open brace, and after its alternatives so far.
    let mut braces: Vec<(u8, u8)> = Vec::new();
    let mut begins_alternative = false;
    let mut characters = glob.chars();
    while let Some(character) = characters.next() {
        if begins_alternative && matches!(character, ',' | '}') && part & NOTHING != 0 {
            part = (part & !NOTHING) | OMITTED;
        }
        begins_alternative = matches!(character, '{' | ',');
        match (character, braces.last_mut()) {
            ('/', _) if part & !OMITTED != OTHER => return false,
            ('/', _) => part = NOTHING,
            ('.', _) => {
                part |= if part & OMITTED == 0 { 0 } else { NOTHING };
                part = ((part << 1) | (part & OTHER)) & ANY;
            }
            ('{', _) => braces.push((part, 0)),
            (',', Some((before, after))) => {
                *after |= part;
                part = *before;
            }
            ('}', Some((_, after))) => {
                part |= *after;
                braces.pop();
            }
            (other, _) => {
                if other == '\\' {
                    characters.next();
                } else if other == '[' {
                    skip_class(&mut characters);
                }
                part = OTHER;
            }
        }
    }
    part & !OMITTED == OTHER
}

/// Reads the rest of a `[ab]`, whose first character may be a `]`.
fn skip_class(characters: &mut std::str::Chars<'_>) {
    if let Some('!' | '^') = characters.next() {
        characters.next();
    }
    characters.find(|c| *c == ']');
}

/// Whether a glob or an alternative begins with `~/`, or contains `${name}`, which other paths of a configuration may, but
/// rules do not.
fn is_for_expansion(glob: &str) -> bool {
    let is_name = |c: char| c.is_alphanumeric() || c == '_';
    let begins = |before: &str| before.is_empty() || before.ends_with(['{', ',']);
    glob.match_indices("~/").any(|(at, _)| glob.get(..at).is_some_and(begins))
        || glob.split("${").skip(1).any(|rest| rest.trim_start_matches(is_name).starts_with('}'))
}

/// Applies the rules to a path: `deny` wins, otherwise the last matching rule that `counts` (called with the rule's
/// position); `ask` if no rule matches.
pub fn verdict(rules: &[Rule], path: &str, counts: impl Fn(usize) -> bool) -> ApprovalMode {
    let matching = || rules.iter().enumerate().filter(|(_, rule)| rule.matches(path));
    if matching().any(|(_, rule)| rule.verdict == ApprovalMode::Deny) {
        return ApprovalMode::Deny;
    }
    matching().filter(|(at, _)| counts(*at)).last().map_or(ApprovalMode::Ask, |(_, rule)| rule.verdict)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rules(given: &[(&str, ApprovalMode)]) -> Vec<Rule> {
        given.iter().map(|(glob, verdict)| Rule { glob: (*glob).to_owned(), verdict: *verdict }).collect()
    }

    #[test]
    fn deny_wins_and_otherwise_the_last_matching_rule() {
        use ApprovalMode::{Ask, Auto, Deny};
        let given = rules(&[
            ("src/**", Auto),
            ("src/gen/*.rs", Ask),
            ("src/gen/free.rs", Auto),
            ("secrets/**", Deny),
            ("**/*.pem", Deny),
            ("secrets/open.txt", Auto),
            ("*.md", Auto),
            ("docs/{a,b}.txt", Auto),
        ]);
        for (path, expected) in [
            ("src/a.rs", Auto),
            ("src/deep/er/a.rs", Auto),
            ("src", Ask),
            ("src-evil/a.rs", Ask),
            ("src/gen/x.rs", Ask),
            ("src/gen/deep/x.rs", Auto),
            ("src/gen/free.rs", Auto),
            ("src/key.pem", Deny),
            ("key.pem", Deny),
            ("KEY.PEM", Deny),
            ("secrets/open.txt", Deny),
            ("Secrets/x", Deny),
            ("README.md", Auto),
            ("README.MD", Ask),
            ("docs/README.md", Ask),
            ("docs/a.txt", Auto),
            ("docs/c.txt", Ask),
            ("/etc/passwd", Ask),
            ("", Ask),
        ] {
            assert_eq!(verdict(&given, path, |_| true), expected, "{path}");
        }
        assert_eq!(verdict(&given, "src/gen/free.rs", |at| at != 2), Ask, "then the earlier rule counts");
        assert_eq!(verdict(&given, "src/a.rs", |_| false), Ask);
        assert_eq!(verdict(&given, "secrets/x", |_| false), Deny, "a denial needs no trust");
        for path in ["a", "a/b", "/a", ".hidden/x"] {
            assert_eq!(verdict(&rules(&[("**", Auto)]), path, |_| true), Auto, "{path}");
        }
        assert!(rules(&[("[", Deny)])[0].matcher().is_err());
    }

    #[test]
    fn a_rule_with_an_alternative_that_could_match_no_path_is_invalid() {
        for glob in [
            "",
            "/",
            "/x",
            "x/",
            "x//y",
            ".",
            "./x",
            "x/./y",
            "..",
            "../x",
            "x/..",
            "{./a,/b}",
            "{a/,/b}/**",
            "a/{.,}",
            "./{a,b}",
            "{./a,b}",
            "{a,b/../c}/**",
            "{a,/b}/**",
            "{a/,b/**}",
            "x{/,/a}",
            ".{a,}/x",
            "{,}/x",
            "{{,}/x,a}",
            "{/x[}],a}",
            "{x[}],/a}",
            "~/x",
            "{~/x,y}",
            "{y,~/x}",
            "${workspaceRoot}/x",
            "{x,${HOME}/y}",
        ] {
            assert!(rules(&[(glob, ApprovalMode::Deny)])[0].matcher().is_err(), "{glob}");
        }
        for glob in ["**", "**/x", "x/**", ".x", "..x/y.", "...", "x/.*", r"\{/a", "x~/y", "${a,b}/x"] {
            assert!(rules(&[(glob, ApprovalMode::Deny)])[0].matcher().is_ok(), "{glob}");
        }
        for (glob, path) in [
            ("x{/a,/b}", "x/b"),
            ("{,x/}a", "a"),
            ("a.{b,}", "a.b"),
            ("a/{b,}", "a/b"),
            ("src/{a,b,}/**", "src/a/x"),
            ("src/{,.}x", "src/.x"),
            ("{,a/}.x", ".x"),
            ("[{]/a", "{/a"),
            ("[]/,}]a", "]a"),
            ("[!]{]a", "xa"),
            ("[~]/x", "~/x"),
        ] {
            assert_eq!(verdict(&rules(&[(glob, ApprovalMode::Deny)]), path, |_| true), ApprovalMode::Deny, "{glob}");
        }
    }

    /// globset panics on some of these.
    #[test]
    fn excessive_globs_are_refused() {
        for (glob, expected) in [
            ("{a,".repeat(125) + "b" + &"}".repeat(125), "its braces nest deeper than 16 levels"),
            ("*a".repeat(100_000), "it has more than 512 characters"),
            ("[".to_owned(), "unclosed character class; missing ']'"),
        ] {
            assert_eq!(compiled(&glob, GlobCase::Exact).unwrap_err(), expected);
        }
        for most in ["{a,".repeat(16) + "b" + &"}".repeat(16), "*a".repeat(256), "é".repeat(512)] {
            for case in [GlobCase::Exact, GlobCase::Ignored] {
                assert!(compiled(&most, case).is_ok(), "{most}");
            }
        }
    }
}
