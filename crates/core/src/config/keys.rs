//! Every key that a configuration may have: the reader, the nearest-key advice and the JSON schema's test use these
//! lists. `$schema` is allowed everywhere.

/// Keys of the configuration file.
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
    "hints",
    "index",
    "index_url",
    "embedding_model",
    "embedding_dimensions",
    "embedding_sidecar",
];

/// Keys of a source, in `sources` or in its own file.
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

/// Keys of a source's `contents`.
pub const CONTENTS: &[&str] = &["templates", "validation", "policies", "scripts"];

/// Keys of `channel`.
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

pub(super) const HINTS: &[&str] = &["max", "semantic", "threshold", "tag_filter", "conversation"];

/// Keys of `index`.
pub const INDEX: &[&str] = &["background"];

/// Keys of a profile's `references` section.
pub const PROFILE: &[&str] = &["preselected", "transitive_injection", "exclude_tools", "sources"];
