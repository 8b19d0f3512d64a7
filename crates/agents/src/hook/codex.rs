//! Codex, after its hooks page (developers.openai.com/codex/hooks) and the schemas of `openai/codex`
//! (`codex-rs/hooks/schema/generated`): the events and the answers of Claude Code, by the same names. Its schemas allow no
//! further member.

pub use super::claude_code::{answer, hear};
