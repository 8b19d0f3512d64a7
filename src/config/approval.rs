//! Who says yes to a file that an agent wants written: the `approval` object, path glob → `ask`, `auto` or `deny`
//! (BEHAVIOUR §2). The file that it is in may come with a repository; whether it is trusted is the desk's business.

/// What is done about a write.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Verdict {
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
    pub verdict: Verdict,
}

impl Verdict {
    /// Each with its word in the configuration.
    pub const WORDS: [(&'static str, Self); 3] = [("ask", Self::Ask), ("auto", Self::Auto), ("deny", Self::Deny)];
}
