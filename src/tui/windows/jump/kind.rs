//! The kinds of jump targets. Each has a sign that, typed first, limits the rows to that kind.

refdesk_text::worded_enum! {
    /// In the order of rows that match equally well.
    pub enum JumpKind {
        Source = "source",
        Template = "template",
        Heading = "heading",
        Tag = "tag",
        Problem = "problem",
        Feed = "feed",
        Filter = "filter",
        Action = "action",
    }
}

impl JumpKind {
    pub fn sign(self) -> &'static str {
        match self {
            Self::Source => "@",
            Self::Template => "%",
            Self::Heading => "/",
            Self::Tag => "#",
            Self::Problem => "!",
            Self::Feed => ">",
            Self::Filter => "~",
            Self::Action => ":",
        }
    }

    /// The kind that a line is limited to, and the words after its sign.
    pub fn of(line: &str) -> (Option<Self>, &str) {
        let line = line.trim();
        let kind = Self::ALL.into_iter().find(|kind| line.starts_with(kind.sign()));
        (kind, line.strip_prefix(kind.map_or("", Self::sign)).unwrap_or(line).trim_start())
    }

    /// The line limited to the next kind; after the last kind, unlimited.
    pub fn next(line: &str) -> String {
        let (kind, words) = Self::of(line);
        let next = match kind {
            None => Self::ALL.first().copied(),
            Some(kind) => Self::ALL.into_iter().skip_while(|other| *other != kind).nth(1),
        };
        format!("{}{words}", next.map_or("", Self::sign))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sign_narrows_and_the_next_one_follows() {
        for (line, kind, words, next) in [
            ("", None, "", "@"),
            (" retry ", None, "retry", "@retry"),
            ("@retry", Some(JumpKind::Source), "retry", "%retry"),
            (": border up", Some(JumpKind::Action), "border up", "border up"),
            ("::", Some(JumpKind::Action), ":", ":"),
        ] {
            assert_eq!((JumpKind::of(line), JumpKind::next(line).as_str()), ((kind, words), next), "{line}");
        }
    }
}
