//! Arguments of the commands on the user's own files: preferences, completions, manual pages.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};

/// Arguments of `config`.
#[derive(Debug, Args)]
pub struct ConfigArgs {
    /// The subcommand [default: show]
    #[command(subcommand)]
    pub command: Option<ConfigCommand>,
}

/// The subcommands of `config`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Subcommand)]
pub enum ConfigCommand {
    /// Print the path of the file, whether or not it exists
    Path,
    /// Print every key and its value
    Show,
    /// Report what is wrong with the file
    ///
    /// Exits with 1 if a value cannot be used.
    Check,
}

/// Arguments of `completions`.
#[derive(Debug, Args)]
pub struct CompletionsArgs {
    /// The shell
    #[arg(value_enum)]
    pub shell: ShellName,
}

/// The shells.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ShellName {
    /// Bash.
    Bash,
    /// Elvish.
    Elvish,
    /// Fish.
    Fish,
    /// PowerShell.
    Powershell,
    /// Zsh.
    Zsh,
}

/// Arguments of `man`.
#[derive(Debug, Args)]
pub struct ManArgs {
    /// Print the page of this command, or write all pages to this folder [default: print the main page]
    #[arg(value_name = "COMMAND|DIR")]
    pub folder: Option<PathBuf>,
}
