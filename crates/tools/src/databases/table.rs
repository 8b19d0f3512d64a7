//! The tools for documented databases: their specifications, and what each asks the desk.

use std::pin::Pin;

use super::ask;
use crate::arguments::ToolArguments;
use crate::{ToolCall, ToolEffect, ToolResult, ToolSpec};
use refdesk_desk::DatabaseQuestion;
use refdesk_text::Error;

/// The tools, in list order.
pub(crate) const TOOLS: [&ToolSpec; 7] = [
    &ToolSpec {
        name: "search_tables",
        older: &[],
        title: "Search tables",
        description: "Find database tables by the words and meaning of the tables, their columns and their joins.",
        input: r#"{"type":"object","properties":{"query":{"type":"string"},"database":{"type":"string"},"domain":{"type":"string"},
            "limit":{"type":"integer","minimum":1,"maximum":20,"default":5}},"required":["query"]}"#,
        output: r#"{"type":"object","properties":{"tables":{"type":"array"},"tokens_used":{"type":"integer"}},
            "required":["tables","tokens_used"]}"#,
        example: r#"{"query": "what was paid", "limit": 3}"#,
        effect: ToolEffect::Reads,
        handler: |call| {
            ask_for(call, |arguments| {
                Ok(DatabaseQuestion::Tables {
                    query: arguments.required("query")?,
                    database: arguments.text("database")?,
                    domain: arguments.text("domain")?,
                    limit: limited(arguments, "limit", 20)?.unwrap_or(5),
                })
            })
        },
    },
    &ToolSpec {
        name: "get_table_schema",
        older: &[],
        title: "Get a table",
        description: "Get a table: meaning, columns, keys, joins. include_samples adds what is known of values. Names may be table, schema.table or database.schema.table.",
        input: r#"{"type":"object","properties":{"table":{"type":"string"},"include_samples":{"type":"boolean"}},"required":["table"]}"#,
        output: r#"{"type":"object","properties":{"table":{"type":"string"},"columns":{"type":"array"},"tokens_used":{"type":"integer"}},
            "required":["table","tokens_used"]}"#,
        example: r#"{"table": "sales.orders"}"#,
        effect: ToolEffect::Reads,
        handler: |call| {
            ask_for(call, |arguments| {
                Ok(DatabaseQuestion::Schema {
                    table: arguments.required("table")?,
                    samples: arguments.flag("include_samples")?,
                })
            })
        },
    },
    &ToolSpec {
        name: "get_join_path",
        older: &[],
        title: "Find joins between tables",
        description: "How to join two tables: up to three paths with SQL, over keys first, then inferred joins.",
        input: r#"{"type":"object","properties":{"source_table":{"type":"string"},"target_table":{"type":"string"},
            "max_hops":{"type":"integer","minimum":1,"maximum":6,"default":6}},"required":["source_table","target_table"]}"#,
        output: r#"{"type":"object","properties":{"paths":{"type":"array"},"tokens_used":{"type":"integer"}},
            "required":["paths","tokens_used"]}"#,
        example: r#"{"source_table": "customer", "target_table": "product"}"#,
        effect: ToolEffect::Reads,
        handler: |call| {
            ask_for(call, |arguments| {
                Ok(DatabaseQuestion::Path {
                    source: arguments.required("source_table")?,
                    target: arguments.required("target_table")?,
                    hops: limited(arguments, "max_hops", 6)?,
                })
            })
        },
    },
    &ToolSpec {
        name: "get_domain_overview",
        older: &[],
        title: "Get a domain",
        description: "The tables of a business area of a database, and their joins.",
        input: r#"{"type":"object","properties":{"domain":{"type":"string"},"database":{"type":"string"}},"required":["domain"]}"#,
        output: r#"{"type":"object","properties":{"tables":{"type":"array"},"relationships":{"type":"array"},"tokens_used":{"type":"integer"}},
            "required":["tables","tokens_used"]}"#,
        example: r#"{"domain": "sales"}"#,
        effect: ToolEffect::Reads,
        handler: |call| {
            ask_for(call, |arguments| {
                Ok(DatabaseQuestion::Domain {
                    domain: arguments.required("domain")?,
                    database: arguments.text("database")?,
                })
            })
        },
    },
    &ToolSpec {
        name: "list_domains",
        older: &[],
        title: "List domains",
        description: "The databases and their business areas, with their tables.",
        input: r#"{"type":"object","properties":{"database":{"type":"string"}}}"#,
        output: r#"{"type":"object","properties":{"domains":{"type":"array"},"tokens_used":{"type":"integer"}},
            "required":["domains","tokens_used"]}"#,
        example: r#"{"database": "shop"}"#,
        effect: ToolEffect::Reads,
        handler: |call| {
            ask_for(call, |arguments| Ok(DatabaseQuestion::Domains { database: arguments.text("database")? }))
        },
    },
    &ToolSpec {
        name: "get_common_relationships",
        older: &[],
        title: "List the main joins",
        description: "The joins of the most-joined tables.",
        input: r#"{"type":"object","properties":{"database":{"type":"string"},"domain":{"type":"string"},
            "limit":{"type":"integer","minimum":1,"maximum":100,"default":20}}}"#,
        output: r#"{"type":"object","properties":{"relationships":{"type":"array"},"total":{"type":"integer"},"relationships_left_out":{"type":"integer"},"tokens_used":{"type":"integer"}},
            "required":["relationships","tokens_used"]}"#,
        example: r#"{"domain": "sales", "limit": 10}"#,
        effect: ToolEffect::Reads,
        handler: |call| {
            ask_for(call, |arguments| {
                Ok(DatabaseQuestion::Relationships {
                    database: arguments.text("database")?,
                    domain: arguments.text("domain")?,
                    limit: limited(arguments, "limit", 100)?.unwrap_or(20),
                })
            })
        },
    },
    &ToolSpec {
        name: "get_column_usage",
        older: &[],
        title: "Find a column",
        description: "All tables with a column of this name: its type, meaning and keys there.",
        input: r#"{"type":"object","properties":{"column_name":{"type":"string"},"database":{"type":"string"},"domain":{"type":"string"}},"required":["column_name"]}"#,
        output: r#"{"type":"object","properties":{"usage":{"type":"array"},"tokens_used":{"type":"integer"}},
            "required":["usage","tokens_used"]}"#,
        example: r#"{"column_name": "customer_id"}"#,
        effect: ToolEffect::Reads,
        handler: |call| {
            ask_for(call, |arguments| {
                Ok(DatabaseQuestion::Usage {
                    column: arguments.required("column_name")?,
                    database: arguments.text("database")?,
                    domain: arguments.text("domain")?,
                })
            })
        },
    },
];

fn ask_for(
    mut call: ToolCall,
    question: fn(&mut ToolArguments) -> Result<DatabaseQuestion, Error>,
) -> Pin<Box<dyn Future<Output = ToolResult> + Send>> {
    Box::pin(async move {
        let question = question(&mut call.arguments)?;
        ask(call, question).await
    })
}

fn limited(arguments: &mut ToolArguments, name: &str, most: u64) -> Result<Option<usize>, Error> {
    Ok(arguments.number(name, 1, most)?.and_then(|number| usize::try_from(number).ok()))
}
