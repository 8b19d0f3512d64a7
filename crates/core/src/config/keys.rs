//! Every key that a configuration may have, once: the reader, the nearest-key advice and the JSON schema's test go by
//! these lists. `$schema` is known everywhere.

/// Of the configuration file.
pub const TOP: &[&str] = &[
    "version",
    "sources",
    "channel",
    "auto_discover_references",
    "references_dir",
    "preselected",
    "transitive_injection",
    "transitive_from_auto",
    "exclude_tools",
    "extract_templates",
    "approval",
    "embedding_model",
    "embedding_dimensions",
    "embedding_sidecar",
];

/// Of a source, in `sources` or in a file of its own.
pub const SOURCE: &[&str] = &[
    "id",
    "name",
    "description",
    "type",
    "mode",
    "tags",
    "path",
    "url",
    "server",
    "tool",
    "args",
    "content",
    "fetchHint",
    "embedding",
    "contents",
];

/// Of a source's `contents`.
pub const CONTENTS: &[&str] = &["templates", "validation", "policies", "scripts"];

/// Of `channel`.
pub const CHANNEL: &[&str] = &[
    "type",
    "timeout",
    "endpoint",
    "base_path",
    "headers",
    "auth_token_env",
    "secret_env",
    "allow_hosts",
    "poll_interval",
];

/// Of what a profile says of references.
pub const PROFILE: &[&str] = &["preselected", "transitive_injection", "exclude_tools", "sources"];
