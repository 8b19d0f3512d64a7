//! A session's name where its agent's name is shown too. Generated names start with the agent's name,
//! `claude-code-66250638`, which would fill a narrow column.

use refdesk_desk::session::OVER_MCP;

/// The session's name without its agent's name.
pub fn without_agent<'a>(session: &'a str, agent: &str) -> &'a str {
    let agent = agent.strip_suffix(OVER_MCP).unwrap_or(agent);
    // In a session's name, hyphens replace blanks and similar characters.
    let next = |rest: &'a str, c: char| {
        rest.strip_prefix(c).or_else(|| rest.strip_prefix('-').filter(|_| !c.is_ascii_alphanumeric()))
    };
    let rest = agent.chars().try_fold(session, next).and_then(|rest| rest.strip_prefix('-'));
    rest.filter(|rest| !rest.is_empty() && !agent.is_empty()).unwrap_or(session)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_of_the_agent_is_left_out() {
        for (session, agent, expected) in [
            ("claude-code-66250638", "claude-code", "66250638"),
            ("claude-code-66250638", "claude-code over mcp", "66250638"),
            ("claude-code-http", "claude-code over mcp", "http"),
            ("Visual-Studio-Code-0a1b2c3d", "Visual Studio Code over mcp", "0a1b2c3d"),
            ("claude-code", "claude-code", "claude-code"),
            ("claude-code-", "claude-code", "claude-code-"),
            ("claude-codes-1", "claude-code", "claude-codes-1"),
            ("3f2a91c4-77d0", "claude-code", "3f2a91c4-77d0"),
            ("-1", "", "-1"),
        ] {
            assert_eq!(without_agent(session, agent), expected, "{session} {agent}");
        }
    }
}
