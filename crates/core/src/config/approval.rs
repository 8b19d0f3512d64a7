//! Who says yes to a file that an agent wants written: the `approval` object, path glob → `ask`, `auto` or `deny`
//! (BEHAVIOUR §2). The file that it is in may come with a repository; whether it is trusted is the desk's business.
//!
//! `*` and `?` stay within one folder, `**` goes through any number of them, `[ab]` and `{a,b}` are one of several. A rule that
//! denies compares without regard to case: on some disks `Secrets/x` is the file `secrets/x`.

use globset::{GlobBuilder, GlobMatcher};

/// What is done about a write.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ApprovalMode {
    /// A person is asked.
    #[default]
    Ask,
    /// It is written.
    Auto,
    /// It is refused.
    Deny,
}

/// One rule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rule {
    /// A glob over paths as printed, relative to the workspace.
    pub glob: String,
    /// What is done about a path that it matches.
    pub verdict: ApprovalMode,
}

impl ApprovalMode {
    /// Each with its word in the configuration.
    pub const WORDS: [(&'static str, Self); 3] = [("ask", Self::Ask), ("auto", Self::Auto), ("deny", Self::Deny)];
}

impl Rule {
    /// The glob, ready to compare.
    ///
    /// # Errors
    /// It is none: why, in words.
    pub fn matcher(&self) -> Result<GlobMatcher, String> {
        let mut glob = GlobBuilder::new(&self.glob);
        glob.literal_separator(true).case_insensitive(self.verdict == ApprovalMode::Deny).empty_alternates(true);
        glob.build().map(|glob| glob.compile_matcher()).map_err(|error| error.kind().to_string())
    }

    fn matches(&self, path: &str) -> bool {
        // One that cannot be read is not among the settings.
        self.matcher().is_ok_and(|matcher| matcher.is_match(path))
    }
}

/// What these rules say about a path: no beats all, otherwise the last rule that matches and that `counts`, by its place; a
/// path that none matches is asked about.
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
    fn no_beats_all_and_otherwise_the_last_that_matches_counts() {
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
        assert_eq!(verdict(&given, "src/gen/free.rs", |at| at != 2), Ask, "the rule before it counts then");
        assert_eq!(verdict(&given, "src/a.rs", |_| false), Ask);
        assert_eq!(verdict(&given, "secrets/x", |_| false), Deny, "no needs no trust");
        for path in ["a", "a/b", "/a", ".hidden/x"] {
            assert_eq!(verdict(&rules(&[("**", Auto)]), path, |_| true), Auto, "{path}");
        }
        assert!(rules(&[("[", Deny)])[0].matcher().is_err());
    }
}
