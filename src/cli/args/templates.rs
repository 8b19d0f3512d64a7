//! Arguments of the commands on templates.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};

#[derive(Debug, Subcommand)]
pub enum TemplatesCommand {
    /// List the templates of the selection
    #[command(after_help = "Example: refdesk templates list --pattern '*.java.tpl'")]
    List {
        /// Only names that match this glob
        #[arg(long, value_name = "GLOB", allow_hyphen_values = true)]
        pattern: Option<String>,
    },
    /// Print the text of a template
    #[command(after_help = "Example: refdesk templates show Entity.java.tpl")]
    Show {
        /// The name of a template
        name: String,
    },
    /// Print the variables of a template as a tree, as a JSON schema, and as a skeleton to fill in
    #[command(after_help = "Example: refdesk templates variables Entity.java.tpl")]
    Variables {
        /// The name of a template
        name: String,
    },
    /// Write templates embedded in documents to files in .jaato/templates/
    ///
    /// Without FILE: the templates of the selection, and .jaato/templates/index.json; files whose source is no longer
    /// selected are removed. With FILE: the templates of these documents, selected or not; they stay until you remove them.
    /// Files that were created or edited by hand are never touched.
    #[command(after_help = "Example: refdesk templates extract docs/patterns.md")]
    Extract {
        /// Markdown files, relative to the current folder
        #[arg(value_name = "FILE")]
        files: Vec<PathBuf>,
    },
    /// Report problems in templates
    ///
    /// Without FILE: all templates of the selection. With FILE: this template, or the code blocks of this Markdown file. Exits
    /// with 1 if one is broken.
    #[command(after_help = "Example: refdesk templates validate templates/Entity.java.tpl")]
    Validate {
        /// A template's file or a markdown file, relative to the current folder
        #[arg(value_name = "FILE")]
        file: Option<PathBuf>,
    },
}

#[derive(Debug, Args)]
pub struct RenderArgs {
    /// The name of a template
    #[arg(conflicts_with_all = ["inline", "file"])]
    pub name: Option<String>,
    /// The text of the template
    #[arg(long, value_name = "TEXT", conflicts_with = "file", allow_hyphen_values = true)]
    pub inline: Option<String>,
    /// A template file, relative to the current folder, or - to read standard input
    #[arg(long, value_name = "FILE")]
    pub file: Option<PathBuf>,
    /// The template language [default: detected from the text]
    #[arg(long, value_enum)]
    pub syntax: Option<SyntaxName>,
    /// Values as a JSON object, or @FILE to read them from a file, @- from standard input
    #[arg(long, value_name = "JSON|@FILE", allow_hyphen_values = true)]
    pub vars: Option<String>,
    /// One value: name=text or name:=JSON
    #[arg(long = "var", value_name = "K=TEXT|K:=JSON", allow_hyphen_values = true)]
    pub var: Vec<String>,
    /// A Mustache partial: NAME=TEXT
    #[arg(long = "partial", value_name = "NAME=TEXT", allow_hyphen_values = true)]
    pub partials: Vec<String>,
    /// Escape values for HTML (Mustache, Handlebars)
    #[arg(long)]
    pub html: bool,
    /// Write to this file, relative to the current folder
    #[arg(long, value_name = "PATH", group = "target")]
    pub output: Option<String>,
    /// Render and write several files, all or none: [{"name"|"inline"|"file", "vars", "output"}], @FILE or @-. A row
    /// without "output" uses the path that its template suggests
    #[arg(long, value_name = "JSON|@FILE", group = "target")]
    #[arg(conflicts_with_all = ["name", "inline", "file", "syntax", "vars", "var", "partials"])]
    pub batch: Option<String>,
    /// Replace an existing file
    #[arg(long, requires = "target")]
    pub overwrite: bool,
    /// Allow writing outside the workspace
    #[arg(long, requires = "target")]
    pub allow_outside: bool,
    /// Show the diff and write nothing
    #[arg(long, requires = "target")]
    pub dry_run: bool,
    /// Write without asking
    #[arg(long, requires = "target")]
    pub yes: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum SyntaxName {
    /// Jinja2.
    Jinja2,
    /// Mustache.
    Mustache,
    /// Handlebars.
    Handlebars,
}
