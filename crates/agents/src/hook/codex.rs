//! Codex, following its hooks page (developers.openai.com/codex/hooks) and the schemas in `openai/codex`
//! (`codex-rs/hooks/schema/generated`): the same events, answers and names as Claude Code. Its schemas allow no
//! additional members.

pub(crate) use super::claude_code::answer;
pub(crate) use super::claude_code::parse_event;
