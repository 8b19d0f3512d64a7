//! Arguments of the commands on the user's own files: preferences, completions, manual pages.

use std::ffi::OsString;

use clap::{Args, Subcommand, ValueEnum};

#[derive(Debug, Args)]
pub struct ConfigArgs {
    /// The subcommand [default: show]
    #[command(subcommand)]
    pub command: Option<ConfigCommand>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Subcommand)]
pub enum ConfigCommand {
    /// Print the path of a file, whether or not it exists
    Path {
        /// Which file
        #[arg(value_enum, default_value_t = ConfigFile::Preferences)]
        file: ConfigFile,
    },
    /// Print every key and its value, and the keys of the screen
    Show,
    /// Report what is wrong with the files
    ///
    /// Checks config.toml, keymap.toml and the themes. Exits with 1 if a value cannot be used.
    Check,
}

/// One of your own files.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ConfigFile {
    /// config.toml
    Preferences,
    /// keymap.toml, the keys of the screen
    Keymap,
    /// The folder of your own themes
    Themes,
}

#[derive(Debug, Args)]
pub struct CompletionsArgs {
    /// The shell
    #[arg(value_enum)]
    pub shell: ShellName,
}

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

#[derive(Debug, Args)]
pub struct ManArgs {
    /// Print the page of this command, or write all pages to this folder [default: print the main page]
    #[arg(value_name = "COMMAND|DIR", num_args = ..=3)]
    pub words: Vec<OsString>,
}
