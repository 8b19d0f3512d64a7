//! Codex, following its hooks page (developers.openai.com/codex/hooks) and the schemas in `openai/codex`
//! (`codex-rs/hooks/schema/generated`): same events and answers as Claude Code, with the same names. Its schemas allow
//! no additional members.

pub(crate) use super::claude_code::answer;
pub(crate) use super::claude_code::parse_event;
