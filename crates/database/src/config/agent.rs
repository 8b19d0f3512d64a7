//! `.jaato/db-agent.yaml`: how databases are planned and documented. An invalid value causes a warning, and the default
//! is used. Settings of language models are validated like the others, although nothing uses them yet.

use std::time::Duration;

use refdesk_text::Code;
use refdesk_text::report::{Diagnostic, Severity};
use refdesk_text::yaml::YamlValue;

use super::fields::YamlFields;
use super::parsed;
use crate::snapshot::TABLES;

/// The paths of the settings file, in the order in which they are tried.
pub const AGENT_FILES: [&str; 2] = [".jaato/db-agent.yaml", "config/agent-config.yaml"];

/// How databases are planned and documented.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct DocumentationSettings {
    /// The maximum number of tables per database; the rest are left out.
    pub max_tables: usize,
    /// The time limit of a statement that reads values.
    pub sample_time: Duration,
    /// The weight of each kind of document in a search.
    pub weights: SearchWeights,
}

/// The weight of each kind of document in a search; `None` is the default.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct SearchWeights {
    table: Option<f64>,
    relationship: Option<f64>,
    column: Option<f64>,
    domain: Option<f64>,
    document: Option<f64>,
}

impl SearchWeights {
    /// The weight of a kind of document; `text` means the sections of any text.
    pub fn of(&self, kind: &str) -> Option<f64> {
        match kind {
            "table" => self.table,
            "relationship" => self.relationship,
            "column" => self.column,
            "domain" => self.domain,
            "text" => self.document,
            _ => None,
        }
    }
}

impl Default for DocumentationSettings {
    fn default() -> Self {
        Self { max_tables: TABLES, sample_time: Duration::from_secs(5), weights: SearchWeights::default() }
    }
}

/// The allowed values of a setting.
#[derive(Debug, Clone, Copy)]
enum Allowed {
    Flag,
    Text,
    /// A whole number between these.
    Whole(u64, u64),
    /// A number from 0 to this.
    Number(f64),
    /// An object with these.
    Object(&'static [(&'static str, Allowed)]),
}

use Allowed::{Flag, Number, Object, Text, Whole};

const SETTINGS: &[(&str, Allowed)] = &[
    (
        "planner",
        Object(&[
            ("domain_inference", Flag),
            ("domain_inference_batch_size", Whole(1, 1_000)),
            ("max_tables_per_database", Whole(1, TABLES as u64)),
        ]),
    ),
    (
        "documenter",
        Object(&[
            ("concurrency", Whole(1, 64)),
            ("columns_per_call", Whole(1, 200)),
            ("sample_timeout_ms", Whole(1, 30_000)),
            ("llm_model", Text),
            ("use_sub_agents", Flag),
            ("improve_comments", Flag),
        ]),
    ),
    (
        "indexer",
        Object(&[
            ("batch_size", Whole(1, 100_000)),
            ("embedding_model", Text),
            ("checkpoint_interval", Whole(1, 1_000_000)),
        ]),
    ),
    (
        "retrieval",
        Object(&[
            ("default_limit", Whole(1, 100)),
            ("max_limit", Whole(1, 100)),
            ("context_budgets", Object(&[("simple", BUDGET), ("moderate", BUDGET), ("complex", BUDGET)])),
            ("rrf_k", Whole(1, 1_000)),
            ("use_query_understanding", Flag),
            (
                "search_weights",
                Object(&[
                    ("table", WEIGHT),
                    ("relationship", WEIGHT),
                    ("column", WEIGHT),
                    ("domain", WEIGHT),
                    ("document", WEIGHT),
                ]),
            ),
        ]),
    ),
];

const BUDGET: Allowed = Whole(1, 100_000);
const WEIGHT: Allowed = Number(100.0);

/// Parses the settings file; `file` is its name in diagnostics.
pub fn read(text: &str, file: &str) -> (DocumentationSettings, Vec<Diagnostic>) {
    let mut settings = DocumentationSettings::default();
    let mut problems = Vec::new();
    match parsed(text, file, super::ITEMS) {
        Err(problem) => problems.push(*problem),
        Ok(root) => {
            if let Some(mut fields) = YamlFields::of(&root, "the file", file, &mut problems) {
                let weights = &mut settings.weights;
                check(&mut fields, SETTINGS, &mut |key, number| match key {
                    "max_tables_per_database" => settings.max_tables = number as usize,
                    "sample_timeout_ms" => settings.sample_time = Duration::from_millis(number as u64),
                    "table" => weights.table = Some(number),
                    "relationship" => weights.relationship = Some(number),
                    "column" => weights.column = Some(number),
                    "domain" => weights.domain = Some(number),
                    "document" => weights.document = Some(number),
                    _ => {}
                });
            }
        }
    }
    // The default is used, so these are only warnings.
    problems.iter_mut().for_each(|problem| problem.severity = Severity::Warning);
    (settings, problems)
}

/// Reports invalid settings, and passes on the valid numbers.
fn check(fields: &mut YamlFields<'_, '_>, allowed: &[(&str, Allowed)], found: &mut dyn FnMut(&str, f64)) {
    let known: Vec<&str> = allowed.iter().map(|(key, _)| *key).collect();
    fields.warn_unknown(&known);
    for (key, allowed) in allowed {
        match allowed {
            Flag => drop(fields.flag(key)),
            Text => drop(fields.text(key)),
            Whole(least, most) => {
                if let Some(number) = fields.number(key, *least, *most, Some("the default")) {
                    found(key, number as f64);
                }
            }
            Number(most) => {
                if let Some(number) = number(fields, key, *most) {
                    found(key, number);
                }
            }
            Object(members) => {
                if let Some(mut inner) = fields.inner(key) {
                    check(&mut inner, members, found);
                }
            }
        }
    }
}

fn number(fields: &mut YamlFields<'_, '_>, key: &str, most: f64) -> Option<f64> {
    let node = fields.node(key)?;
    let number = match node.value {
        YamlValue::Int(number) => Some(number as f64),
        YamlValue::Float(number) => Some(number),
        _ => None,
    };
    let number = number.filter(|number| (0.0..=most).contains(number));
    if number.is_none() {
        let message = format!("'{key}' is not a number between 0 and {most}; the default is used");
        fields.report(node, Diagnostic::warning(Code::UnknownValue, message));
    }
    number
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_and_their_problems() {
        let (settings, problems) = read("", "f");
        assert_eq!((settings, problems.len()), (DocumentationSettings::default(), 0));
        let text = "planner: {domain_inference: true, max_tables_per_database: 7}\n\
                    documenter: {concurrency: 5, sample_timeout_ms: 250, llm_model: x, improve_comments: false}\n\
                    indexer: {batch_size: 500}\n\
                    retrieval: {rrf_k: 10, context_budgets: {simple: 750}, search_weights: {table: 1.5, domain: 1}}\n";
        let (settings, problems) = read(text, "f");
        assert_eq!(problems, []);
        let weights = SearchWeights { table: Some(1.5), domain: Some(1.0), ..SearchWeights::default() };
        assert_eq!(settings, DocumentationSettings { max_tables: 7, sample_time: Duration::from_millis(250), weights });
        assert_eq!(
            ["table", "domain", "text", "source"].map(|kind| weights.of(kind)),
            [Some(1.5), Some(1.0), None, None]
        );
        for (text, expected) in [
            ("documenter: {sample_timeout_ms: 0}", "1:33 'sample_timeout_ms' is not between 1 and 30000"),
            ("documenter: {sample_timeout_ms: soon}", "1:33 'sample_timeout_ms' must be a whole number, not a string"),
            ("documenter: {sample_timout_ms: 1}", "1:14 'sample_timout_ms' is not a setting here"),
            ("planner: {max_tables_per_database: 20001}", "1:36 'max_tables_per_database' is not between 1 and 20000"),
            ("retrieval: {search_weights: {table: -1}}", "1:37 'table' is not a number between 0 and 100"),
            ("retrieval: {context_budgets: 7}", "1:30 'context_budgets' must be an object, not a number"),
            ("documentr: {}", "1:1 'documentr' is not a setting here"),
            ("planner: {", "1:1"),
        ] {
            let (settings, problems) = read(text, "f");
            assert_eq!(settings, DocumentationSettings::default(), "{text}");
            let [problem] = problems.as_slice() else { panic!("{text}: {problems:?}") };
            assert_eq!(problem.severity, Severity::Warning, "{text}");
            let shown = format!("{}:{} {}", problem.line.unwrap_or(1), problem.column.unwrap_or(1), problem.message);
            assert!(shown.starts_with(expected), "{text}: {shown}");
        }
        let (_, problems) = read("documenter: {sample_timout_ms: 1}", "f");
        assert!(format!("{:?}", problems[0].fix).contains("sample_timeout_ms"));
    }
}
