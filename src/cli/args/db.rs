//! Arguments of the commands on databases.

use clap::{Args, Subcommand};

/// Arguments of `db`.
#[derive(Debug, Args)]
pub struct DbArgs {
    /// The subcommand
    #[command(subcommand)]
    pub command: DbCommand,
}

/// The subcommands of `db`.
#[derive(Debug, Subcommand)]
pub enum DbCommand {
    /// Read the schemas, find domains, and write the plan for review
    ///
    /// The plan says what would be documented, what would be read of each table, and what would be told of each column. You may
    /// change domain, priority, skip, note and order in it.
    #[command(after_help = "Example: refdesk db plan --dry-run")]
    Plan(DbPlanArgs),
    /// Write the pages of the databases, and make them sources of the catalog
    ///
    /// Asks first. Descriptions come from your notes, from comments in the database, and from rules over names and keys. Pages
    /// that you edited are left.
    #[command(
        after_help = "Example: refdesk db document shop --yes\n\nWithout a terminal, nothing is written unless --yes is given, and the exit code is 2."
    )]
    Document(DbDocumentArgs),
}

/// Arguments of `db plan`.
#[derive(Debug, Args)]
pub struct DbPlanArgs {
    /// Databases [default: all that are configured]
    #[arg(value_name = "NAME")]
    pub names: Vec<String>,
    /// Print what would be read of each table and told of each column, and write nothing
    #[arg(long)]
    pub dry_run: bool,
}

/// Arguments of `db document`.
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
    /// Forget what an interrupted run had done
    #[arg(long)]
    pub fresh: bool,
    /// Replace pages that you edited, too
    #[arg(long)]
    pub overwrite_edited: bool,
}
