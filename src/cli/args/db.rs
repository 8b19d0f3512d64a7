//! Arguments of the commands on databases.

use clap::{Args, Subcommand};

use super::enrich::between;

#[derive(Debug, Subcommand)]
pub enum DbCommand {
    /// Read the schemas, find domains, and write the plan for review
    ///
    /// The plan lists the tables to document, the rows to read from each, and what pages will say about each column. You
    /// may change domain, priority, skip, note and order in it.
    #[command(after_help = "Example: refdesk db plan --dry-run")]
    Plan(DbPlanArgs),
    /// Write the pages of the databases, and make them sources of the catalog
    ///
    /// Asks first. Descriptions come from your notes, from comments in the database, and from rules over names and keys. Pages
    /// that you edited are left as they are.
    #[command(
        after_help = "Example: refdesk db document shop --yes\n\nWithout a terminal, nothing is written unless --yes is given, and the exit code is 2."
    )]
    Document(DbDocumentArgs),
    /// Bring the search index of the pages and all other documents up to date, as `refdesk index` does
    #[command(after_help = "Example: refdesk db index")]
    Index {
        /// Build a new index, which replaces the old one when it is complete
        #[arg(long)]
        fresh: bool,
    },
    /// Plan, document, and bring the search index up to date, stopping after the plan for your review
    #[command(after_help = "Example: refdesk db pipeline --yes")]
    Pipeline(DbPipelineArgs),
    /// Show whether each database can be read, and whether its pages are up to date, edited or missing
    #[command(after_help = "Example: refdesk db status --format json")]
    Status(DbNames),
    /// Compare the databases with their pages
    #[command(after_help = "Example: refdesk db diff shop\n\nExits with 1 if they differ.")]
    Diff(DbNames),
    /// Check schemas and their documentation by rules, and measure how much is described
    #[command(
        after_help = "Example: refdesk db check --min-coverage 60\n\nExits with 1 on errors, or if too little is described."
    )]
    Check(DbCheckArgs),
    /// Print the page of a table
    #[command(after_help = "Example: refdesk db show orders")]
    Show {
        /// The table: its name, with schema and database if others have the same
        table: String,
    },
    /// Print how two tables can be joined, the best path first
    #[command(after_help = "Example: refdesk db path customer product")]
    Path(DbPathArgs),
    /// List the domains of the documented databases
    #[command(after_help = "Example: refdesk db domains shop")]
    Domains {
        /// Only domains of this database
        #[arg(value_name = "NAME")]
        database: Option<String>,
    },
    /// Print the tables of a domain and their joins
    #[command(after_help = "Example: refdesk db domain sales")]
    Domain(DbDomainArgs),
    /// List the main joins, the most joined tables first
    #[command(after_help = "Example: refdesk db joins --domain sales")]
    Joins(DbJoinsArgs),
    /// List the tables that have a column of this name
    #[command(after_help = "Example: refdesk db usage customer_id")]
    Usage(DbUsageArgs),
}

/// Databases to look at.
#[derive(Debug, Args)]
pub struct DbNames {
    /// Databases [default: all that are configured]
    #[arg(value_name = "NAME")]
    pub names: Vec<String>,
}

#[derive(Debug, Args)]
pub struct DbPipelineArgs {
    /// Databases [default: all that are configured]
    #[arg(value_name = "NAME")]
    pub names: Vec<String>,
    /// Do not stop after the plan
    #[arg(long)]
    pub yes: bool,
}

#[derive(Debug, Args)]
pub struct DbCheckArgs {
    /// Databases [default: all that are configured]
    #[arg(value_name = "NAME")]
    pub names: Vec<String>,
    /// Fail if notes and comments describe less than this percentage of the tables and columns
    #[arg(long, value_name = "PERCENT", value_parser = between(0u8, 100))]
    pub min_coverage: Option<u8>,
}

#[derive(Debug, Args)]
pub struct DbPathArgs {
    /// The first table
    #[arg(value_name = "TABLE")]
    pub from: String,
    /// The last table
    #[arg(value_name = "TABLE")]
    pub to: String,
    /// Use at most this many joins in a path [default: 6]
    #[arg(long, value_name = "N", value_parser = between(1u8, 6))]
    pub max_hops: Option<u8>,
}

#[derive(Debug, Args)]
pub struct DbDomainArgs {
    /// The name of the domain, or DATABASE.DOMAIN: shop.orders
    pub domain: String,
    /// Its database, if others have a domain of this name
    #[arg(long, value_name = "NAME")]
    pub database: Option<String>,
}

#[derive(Debug, Args)]
pub struct DbJoinsArgs {
    /// Only in this database
    #[arg(long, value_name = "NAME")]
    pub database: Option<String>,
    /// Only with a table of this domain
    #[arg(long, value_name = "NAME")]
    pub domain: Option<String>,
    /// Print at most this many joins
    #[arg(long, value_name = "N", default_value_t = 20, value_parser = between(1u16, u16::MAX))]
    pub limit: u16,
}

#[derive(Debug, Args)]
pub struct DbUsageArgs {
    /// The name of a column
    pub column: String,
    /// Only in this database
    #[arg(long, value_name = "NAME")]
    pub database: Option<String>,
    /// Only in this domain
    #[arg(long, value_name = "NAME")]
    pub domain: Option<String>,
}

#[derive(Debug, Args)]
pub struct DbPlanArgs {
    /// Databases [default: all that are configured]
    #[arg(value_name = "NAME")]
    pub names: Vec<String>,
    /// Print what would be read from each table and published about each column, and write nothing
    #[arg(long)]
    pub dry_run: bool,
    /// Has no effect yet: no language model is ever called
    #[arg(long)]
    pub no_model: bool,
}

#[derive(Debug, Args)]
pub struct DbDocumentArgs {
    /// Databases [default: all that are configured]
    #[arg(value_name = "NAME")]
    pub names: Vec<String>,
    /// Only pages of tables that match this pattern of * and ?, over schema.table
    #[arg(long, value_name = "GLOB")]
    pub only: Option<String>,
    /// Write without asking
    #[arg(long)]
    pub yes: bool,
    /// Start over instead of continuing an interrupted run
    #[arg(long)]
    pub fresh: bool,
    /// Replace pages that you edited, too
    #[arg(long)]
    pub overwrite_edited: bool,
    /// Has no effect yet: no language model is ever called
    #[arg(long)]
    pub no_model: bool,
}
