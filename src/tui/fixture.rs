//! A believable desk for tests, made by hand: sources of all types and both modes, a chain that ends in a missing source,
//! an exclusion, a dormant pick, two templates. Tests of the screen need no engine and no file.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use ratatui::layout::Size;
use serde_json::json;

use refdesk_core::catalog::{Catalog, LocalPath, Mode, PathState, Source, SourceDefinition, SourceId, SourceKind};
use refdesk_core::mention::{Mention, MentionGraph, Via};
use refdesk_core::selection::{Role, SelectedSource, Selection};
use refdesk_desk::Document;
use refdesk_desk::engine::{Snapshot, Watching};
use refdesk_files::Stamp;
use refdesk_templates::{
    Syntax, Template, TemplateBlock, TemplateIndex, TemplateOrigin as Found, Variable, VariableKind,
};
use refdesk_text::report::{Diagnostic, Position};
use refdesk_text::{Code, Fix};

use crate::tui::glyphs::Glyphs;
use crate::tui::input::Input;
use crate::tui::state::{Skin, State};
use crate::tui::theme::{Colours, Theme};
use crate::tui::update::update;

pub const WORKSPACE: &str = "/home/ada/payments";

/// A screen of this size that shows [`snapshot`].
pub fn state(width: u16, height: u16) -> State {
    let skin = Skin { theme: Theme::new(Colours::Indexed), glyphs: Glyphs::UNICODE };
    let mut state = State::new(Size { width, height }, skin);
    update(&mut state, Input::Snapshot(Box::new(snapshot())));
    state
}

pub fn source(id: &str, name: &str, mode: Mode, tags: &[&str], kind: SourceKind) -> Source {
    Source {
        id: id.into(),
        name: name.to_owned(),
        description: String::new(),
        mode,
        tags: tags.iter().map(|tag| (*tag).to_owned()).collect(),
        kind,
        fetch_hint: None,
        contents: None,
        origin: SourceDefinition { file: Path::new(WORKSPACE).join("references.json").into(), entry: Some(0) },
    }
}

pub fn local(path: &str, standing: PathState) -> SourceKind {
    let full: Arc<Path> = Path::new(WORKSPACE).join(path).into();
    SourceKind::Local(LocalPath { written: path.to_owned(), path: full.clone(), resolved: full, standing, size: 0 })
}

fn sources() -> Vec<Source> {
    use Mode::{Auto, Selectable};
    use PathState::{Directory, File, Missing};
    let described = |mut source: Source, description: &str| {
        source.description = description.to_owned();
        source
    };
    let inline = "Every error carries a code, a cause and what to do.\nSee legacy-errors.";
    let [server, tool] = ["tickets", "search"].map(str::to_owned);
    vec![
        source("team-conventions", "Team conventions", Auto, &["style"], local("docs/conventions.md", File)),
        described(
            source(
                "circuit-breaker",
                "Circuit Breaker",
                Selectable,
                &["java", "resilience"],
                local("adr/adr-004.md", File),
            ),
            "How calls to other systems stop when those fail, and when they begin again.",
        ),
        described(
            source("retry-pattern", "Retry Pattern", Selectable, &["java", "retry"], local("adr/adr-005.md", File)),
            "Which failures are tried again, how often, with which pauses.",
        ),
        described(
            source("timeouts", "Timeouts", Selectable, &["resilience"], local("adr/adr-006.md", File)),
            "Budgets of latency for each call.",
        ),
        source(
            "error-handling",
            "Error Handling",
            Selectable,
            &["errors"],
            SourceKind::Inline { content: inline.into() },
        ),
        source(
            "java-service",
            "Java service module",
            Selectable,
            &["java", "spring boot"],
            local("modules/java", Directory),
        ),
        source(
            "payments-api",
            "Payments API",
            Selectable,
            &["api", "payments"],
            SourceKind::Url { url: "https://example.org/payments/openapi.json".to_owned() },
        ),
        source(
            "ticket-search",
            "Ticket search",
            Selectable,
            &["tickets"],
            SourceKind::Mcp { server, tool, args: Box::new(json!({})) },
        ),
        source("legacy-errors", "Legacy error codes", Selectable, &["errors"], local("docs/legacy/codes.md", Missing)),
        source("release-notes", "Release notes", Selectable, &["release"], local("CHANGELOG.md", File)),
    ]
}

fn graph() -> MentionGraph {
    let mention = |from: &str, to: &str, via, file: &str, line| Mention {
        from: from.into(),
        to: to.into(),
        via,
        file: Arc::from(Path::new(WORKSPACE).join(file)),
        line,
    };
    let mut graph = MentionGraph::default();
    graph.insert(
        "circuit-breaker".into(),
        vec![
            mention("circuit-breaker", "retry-pattern", Via::Id, "adr/adr-004.md", 12),
            mention("circuit-breaker", "retry-pattern", Via::Path, "adr/adr-004.md", 31),
            mention("circuit-breaker", "timeouts", Via::Path, "adr/adr-004.md", 33),
        ]
        .into(),
    );
    graph.insert(
        "retry-pattern".into(),
        vec![
            mention("retry-pattern", "error-handling", Via::Id, "adr/adr-005.md", 7),
            mention("retry-pattern", "timeouts", Via::Id, "adr/adr-005.md", 20),
        ]
        .into(),
    );
    graph.insert(
        "error-handling".into(),
        vec![mention("error-handling", "legacy-errors", Via::Id, "references.json", 2)].into(),
    );
    graph
}

/// A selection of these members, with these dormant picks and exclusions.
pub fn selection(members: Vec<SelectedSource>, dormant: &[&str], excluded: &[&str]) -> Selection {
    let owned = |ids: &[&str]| ids.iter().map(|id| (*id).to_owned()).collect();
    Selection::new(members, owned(dormant), owned(excluded))
}

pub fn member(id: &str, depth: usize, parents: &[&str]) -> SelectedSource {
    SelectedSource {
        id: id.into(),
        depth,
        role: if parents.is_empty() { Role::Picked } else { Role::Transitive },
        parents: parents.iter().map(|parent| SourceId::from(*parent)).collect(),
        reason: parents.first().map(|parent| SourceId::from(*parent)),
    }
}

fn templates() -> TemplateIndex {
    let variable = |name: &str, kind, optional, fields| Variable { name: name.to_owned(), kind, optional, fields };
    let scalar = |name| variable(name, VariableKind::Scalar, false, Vec::new());
    TemplateIndex {
        templates: vec![
            Template {
                name: "CircuitBreaker.java.tpl".to_owned(),
                origin: Found::Standalone,
                syntax: Syntax::Mustache,
                variables: vec![
                    scalar("basePackage"),
                    variable(
                        "fields",
                        VariableKind::List,
                        false,
                        vec![scalar("name"), variable("nullable", VariableKind::Flag, true, Vec::new())],
                    ),
                ],
                problem: None,
                path: PathBuf::from("/home/ada/payments/adr/templates/CircuitBreaker.java.tpl"),
                source: Some("circuit-breaker".into()),
                within: "templates/CircuitBreaker.java.tpl".to_owned(),
                root: std::path::Path::new("").into(),
                stamp: Stamp::default(),
                block: None,
            },
            Template {
                name: "retry-policy.yaml.tmpl".to_owned(),
                origin: Found::Embedded,
                syntax: Syntax::Jinja2,
                variables: Vec::new(),
                problem: Some("unclosed block at line 4".to_owned()),
                path: PathBuf::from("/home/ada/payments/.jaato/templates/retry-policy.yaml.tmpl"),
                source: Some("retry-pattern".into()),
                within: "retry-policy.yaml.tmpl".to_owned(),
                root: std::path::Path::new("").into(),
                stamp: Stamp::default(),
                block: Some(TemplateBlock {
                    text: "{% if pauses %}".into(),
                    hash: String::new(),
                    document: Path::new("/home/ada/payments/adr/adr-005.md").into(),
                    line: 12,
                }),
            },
        ],
    }
}

pub fn snapshot() -> Snapshot {
    let tokens = [
        ("team-conventions", 310),
        ("circuit-breaker", 1450),
        ("retry-pattern", 2210),
        ("timeouts", 640),
        ("error-handling", 18),
        ("java-service", 23_870),
        ("release-notes", 5120),
    ];
    Snapshot {
        generation: 1,
        workspace: WORKSPACE.into(),
        desk: "default".into(),
        catalog: Arc::new(Catalog::new(sources())),
        graph: Arc::new(graph()),
        selection: Arc::new(selection(
            vec![
                member("circuit-breaker", 0, &[]),
                member("retry-pattern", 1, &["circuit-breaker"]),
                member("timeouts", 1, &["circuit-breaker", "retry-pattern"]),
                member("error-handling", 2, &["retry-pattern"]),
                member("legacy-errors", 3, &["error-handling"]),
            ],
            &["old-runbook"],
            &["release-notes"],
        )),
        templates: Arc::new(templates()),
        tokens: Arc::new(tokens.into_iter().map(|(id, n)| (SourceId::from(id), n)).collect::<HashMap<_, _>>()),
        diagnostics: Arc::from([
            Diagnostic::error(Code::WrongType, "`tags` is a number where a list is needed")
                .in_file("references.json")
                .at(Position { line: 41, column: 15 })
                .about("payments-api")
                .fix("write a list of words: \"tags\": [\"api\"]"),
            Diagnostic::warning(Code::MissingPath, "docs/legacy/codes.md does not exist")
                .in_file("references.json")
                .at(Position { line: 60, column: 15 })
                .about("legacy-errors")
                .fix("mend `path`, or take the entry out"),
        ]),
        loading: None,
        undo: None,
        redo: None,
        exclude_tools: Arc::default(),
        watching: Watching::Live,
        reads: 0,
        requests: Arc::from([]),
        untrusted: Arc::from([]),
    }
}

/// A document as the engine reads it.
pub fn document(id: &str, text: &str) -> Document {
    let path = Some(Path::new(WORKSPACE).join("adr/adr-004.md"));
    Document { id: id.to_owned(), text: text.to_owned(), path, rest: 217_000, ..Document::default() }
}

/// A text to read.
pub const TEXT: &str = "# Circuit breaker

A call that fails again and again is not tried for a while: the circuit is open. After a pause one call is let through; if it comes back, the circuit is closed.

```java
CircuitBreaker breaker = CircuitBreaker.ofDefaults(\"payments\");
\tbreaker.call(); // 日本 \x1b[2J
```

## See also

retry-pattern, and docs/timeouts.md.
";

/// A notice of the files.
pub fn notice(text: &str) -> refdesk_desk::engine::Notice {
    refdesk_desk::engine::Notice::new(refdesk_desk::engine::Who::Files, refdesk_desk::engine::Topic::Selection, text)
}

/// A template of nine lines that did not render.
pub fn unrendered(message: &str, line: Option<usize>) -> refdesk_desk::Unrendered {
    let template = (1..10).map(|line| format!("line {line} with {{{{ a }}}}\n")).collect();
    let error = refdesk_templates::render::RenderError { message: message.to_owned(), line };
    refdesk_desk::Unrendered {
        code: Code::Render,
        error,
        fix: Fix::None,
        template,
        syntax: None,
        fit: refdesk_templates::Fit::default(),
    }
}

/// A template that rendered to this text.
pub fn shown(text: &str) -> refdesk_desk::Shown {
    let made = refdesk_desk::Made {
        text: text.to_owned(),
        warnings: Vec::new(),
        syntax: refdesk_templates::Syntax::Mustache,
        used: Vec::new(),
        fit: refdesk_templates::Fit::default(),
        offered: None,
    };
    refdesk_desk::Shown { made, proposal: None }
}

/// The same, with the change that writing it to this path would make.
pub fn proposed(text: &str, path: &str, old: Option<&str>) -> refdesk_desk::Shown {
    let before = match old {
        None => refdesk_files::output::Before::Nothing,
        Some(old) => {
            let hash = refdesk_files::name::sha256_hex(old.as_bytes());
            refdesk_files::output::Before::File { size: old.len() as u64, hash }
        }
    };
    let proposal = refdesk_files::output::Proposal {
        path: Path::new(WORKSPACE).join(path),
        shown: path.to_owned(),
        text: text.to_owned(),
        before,
        diff: refdesk_files::output::Diff::new(path, old, text),
    };
    refdesk_desk::Shown { proposal: Some(Ok(proposal)), ..shown(text) }
}

/// The same, with writing refused.
pub fn refused(text: &str, message: &str) -> refdesk_desk::Shown {
    let refusal = refdesk_text::Error::new(Code::Outside, message, "choose a path inside it");
    refdesk_desk::Shown { proposal: Some(Err(refusal)), ..shown(text) }
}

/// The effect of choosing this source.
pub fn preview_selection(id: &str, enters: &[&str], leaves: &[&str]) -> refdesk_desk::SelectionPreview {
    let ids = |ids: &[&str]| ids.iter().map(|id| SourceId::from(*id)).collect();
    let follows = |enters, leaves| refdesk_desk::SelectionChange {
        enters: ids(enters),
        leaves: ids(leaves),
        tokens_in: 1000 * enters.len() as u64,
        tokens_out: 1000 * leaves.len() as u64,
    };
    refdesk_desk::SelectionPreview { id: id.to_owned(), toggled: follows(enters, leaves), barred: follows(&[], leaves) }
}

/// A prompt with these blocks appended to it.
pub fn enriched(
    prompt: &str,
    blocks: &[(refdesk_enrich::BlockKind, refdesk_enrich::Level, &str)],
) -> refdesk_enrich::Enriched {
    let mut text = prompt.to_owned();
    let mut made = Vec::new();
    for (kind, level, words) in blocks {
        let start = text.len();
        text.push_str(&format!("\n\n---\n{words}\n---"));
        let bytes = text.len() - start;
        made.push(refdesk_enrich::BlockCost { kind: *kind, bytes, tokens: bytes.div_ceil(4), level: *level, start });
    }
    refdesk_enrich::Enriched {
        added_at: prompt.len(),
        text,
        metadata: refdesk_enrich::Metadata::default(),
        blocks: made,
        items: Vec::new(),
        told: refdesk_enrich::SessionMemory::default(),
    }
}

/// A journal line about an enriched prompt, and its row in the feed.
pub fn receipt(n: u64, session: &str) -> (refdesk_desk::engine::Notice, refdesk_desk::session::Line) {
    use refdesk_enrich::{BlockKind, ItemReceipt, Level, MatchReason, TextKind};
    let tag = |tag: &str, column| MatchReason::Tag { tag: tag.to_owned(), line: 1, column };
    let item =
        |block, about: &str, level, bytes, why| ItemReceipt { block, about: about.to_owned(), level, bytes, why };
    let chain = vec!["retry-pattern".to_owned(), "circuit-breaker".to_owned()];
    let text = "\n\n---\n**Reference sources available** — use `selectReferences` with IDs or tags to select:\n\n- \
                @java-service: Java service module (matched: java, spring boot)\n---\n\n---\n**Transitively selected \
                references** — auto-included from pre-selected sources:\n\n- @error-handling: Error\u{202e} Handling \
                (from @retry-pattern)\n---";
    let receipt = refdesk_desk::session::Receipt {
        kind: Some(TextKind::Prompt),
        why: vec![
            item(BlockKind::Hint, "java-service", Level::Full, 66, vec![tag("java", 9), tag("spring boot", 21)]),
            item(BlockKind::Hint, "payments-api", Level::Count, 0, vec![tag("payments", 40)]),
            item(BlockKind::Notice, "error-handling", Level::Full, 54, vec![MatchReason::Parents { chain }]),
        ],
        bytes: text.len(),
        tokens: text.len().div_ceil(4),
        hash: Some(refdesk_files::name::sha256_hex(text.as_bytes())),
        text: Some(text.to_owned()),
        ..refdesk_desk::session::Receipt::new(refdesk_desk::session::What::Enriched)
    };
    let line = refdesk_desk::session::Line {
        n,
        time: "2026-11-22T09:30:00.000Z".to_owned(),
        desk: "default".to_owned(),
        session: session.to_owned(),
        who: "claude-code".to_owned(),
        receipt,
        seal: None,
    };
    let ticket = refdesk_desk::engine::Ticket {
        number: n,
        kind: Some(TextKind::Prompt),
        holds: refdesk_desk::engine::Holds::Text,
    };
    let text = "To a prompt: hinted at @java-service (java, spring boot); gave notice of @error-handling (from \
                @retry-pattern); 1 left out";
    let who = refdesk_desk::engine::Who::Other("claude-code".into());
    let told = refdesk_desk::engine::Notice::new(who, refdesk_desk::engine::Topic::Enriched, text);
    let notice = refdesk_desk::engine::Notice {
        time: "11:04:00".to_owned(),
        reason: format!("session {session}, ~{} tokens", line.receipt.tokens),
        subject: Some("java-service".into()),
        several: true,
        session: Some(session.into()),
        receipt: Some(ticket),
        ..told
    };
    (notice, line)
}

/// A request for a choice among these sources of the catalog.
pub fn asking(id: &str, who: &str, context: &str, offered: &[&str]) -> refdesk_desk::engine::Waiting {
    let catalog = snapshot().catalog;
    let sources = offered.iter().map(|id| {
        let source = catalog.get(id);
        refdesk_desk::channel::Offered {
            id: (*id).to_owned(),
            name: source.map_or_else(String::new, |source| source.name.clone()),
            description: source.map_or_else(String::new, |source| source.description.clone()),
            kind: "local".to_owned(),
            tags: source.map_or_else(Vec::new, |source| source.tags.clone()),
        }
    });
    let request = refdesk_desk::channel::Request {
        request_id: id.to_owned(),
        timestamp: "2026-11-22T09:30:00Z".to_owned(),
        context: context.to_owned(),
        sources: sources.collect(),
        asker: refdesk_desk::channel::Asker {
            who: who.to_owned(),
            session: "s-1".to_owned(),
            desk: "default".to_owned(),
        },
        timeout: Some(300.0),
        approval: None,
    };
    refdesk_desk::engine::Waiting {
        request: Arc::new(request),
        folder: refdesk_desk::channel::folder::default_folder(Path::new(WORKSPACE)),
        until: Some("10:35:00".to_owned()),
    }
}

/// A request for a yes to this write.
pub fn asking_to_write(
    id: &str,
    who: &str,
    path: &str,
    diff: &str,
    warnings: &[&str],
) -> refdesk_desk::engine::Waiting {
    let waiting = asking(id, who, "the entity of the order service", &[]);
    let approval = refdesk_desk::channel::Approval {
        path: path.to_owned(),
        template: Some("Entity.java.tpl".to_owned()),
        summary: "+3 −1".to_owned(),
        diff: diff.to_owned(),
        warnings: warnings.iter().map(|warning| (*warning).to_owned()).collect(),
    };
    let request = refdesk_desk::channel::Request { approval: Some(approval), ..(*waiting.request).clone() };
    refdesk_desk::engine::Waiting { request: Arc::new(request), ..waiting }
}

/// A snapshot with settings on these lines that would act outside the workspace and wait for trust.
pub fn with_deeds(actions: &[(&str, usize)]) -> Snapshot {
    let actions = actions.iter().map(|(what, line)| refdesk_desk::PrivilegedAction {
        what: (*what).to_owned(),
        hash: format!("{line}"),
        about: refdesk_desk::PrivilegedActionKind::Webhook,
        file: "references.json".to_owned(),
        line: Some(*line),
    });
    Snapshot { generation: 2, untrusted: actions.collect(), ..snapshot() }
}

/// A snapshot with these requests waiting.
pub fn with_requests(requests: &[refdesk_desk::engine::Waiting]) -> Snapshot {
    Snapshot { generation: 2, requests: requests.to_vec().into(), ..snapshot() }
}
