//! Arguments of the commands on the user's own files: preferences, completions, manual pages.

use clap::{Subcommand, ValueEnum};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Subcommand)]
pub enum ConfigCommand {
    /// Print the path of a file, whether or not it exists
    Path {
        /// Which file
        #[arg(value_enum, default_value_t = ConfigFile::Preferences)]
        file: ConfigFile,
    },
    /// Print every setting and its value, and the key bindings
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
