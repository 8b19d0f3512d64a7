//! The desk in an agent's own terms: what a hook document says, what the desk adds to it, and the document that the agent
//! wants to hear. One file an agent; nothing here reads a file or fails (BEHAVIOUR §5, §9).

mod agent;

pub use agent::Agent;
