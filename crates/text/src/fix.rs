//! What to do about an error. Most advice is the same text for all readers. If a command, a key or a tool would help,
//! the advice is a value that each interface words for its readers.

use std::borrow::Cow;
use std::fmt;

use serde::{Serialize, Serializer};

use crate::shorten::without_middle;

/// The most characters of advice in words, which may repeat a value of a file.
const TEXT: usize = 1_000;

/// Advice about an [`Error`](crate::Error) or a [`Diagnostic`](crate::report::Diagnostic).
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub enum Fix {
    /// No advice.
    #[default]
    None,
    /// Advice that mentions no command, key or tool.
    Text(String),
    /// Several pieces of advice, in order.
    All(Vec<Fix>),
    /// Add the target of a link to the catalog, or leave the link alone.
    AddTarget,
    /// Add sources to a catalog that has none.
    AddSources,
    /// Allow a write outside the workspace.
    AllowOutside,
    /// Build the search index.
    BuildIndex,
    /// Configure databases and document them.
    ConfigureDatabases,
    /// Document the configured databases.
    DocumentDatabases,
    /// Exclude the source with this id.
    Exclude(String),
    /// Search the columns of databases for this name.
    FindColumn(String),
    /// Find out where a missing file went.
    FindMoved,
    /// Pass this JSON for a value that the template only tests: `false`, or an object that contains it.
    GiveFalsy {
        /// The name.
        name: String,
        /// What to pass.
        json: String,
    },
    /// Give the new source another id.
    GiveId,
    /// Give the new source a name.
    GiveName,
    /// Give a value to the variable of a template that has no name.
    GiveValue,
    /// Give this variable of such a template a list or an object, in the form of this JSON.
    GiveJson {
        /// The name.
        name: String,
        /// The form, with nothing filled in.
        json: String,
    },
    /// Include the excluded source with this id.
    Include(String),
    /// List the profiles.
    ListProfiles,
    /// List the sources.
    ListSources,
    /// List the templates of the selection.
    ListTemplates,
    /// Allow join paths of this many joins.
    MoreJoins(usize),
    /// Open the full screen in this workspace and ask again.
    OpenScreen,
    /// Allow an existing file to be replaced.
    Overwrite,
    /// Pick the source with this id.
    Pick(String),
    /// Read the workspace again.
    Reload,
    /// Have a page of this database that is damaged or missing written again.
    RewritePages(String),
    /// Rewrite the paths of moved sources.
    RewritePaths,
    /// Look at a template that was not written over a changed file.
    ShowTemplate,
    /// Look at the source with this id, which is already in the catalog, or give the new one another id.
    ShowKnown(String),
    /// List the problems of the workspace.
    ShowProblems,
    /// Show the variables of the template with this name.
    ShowVariables(String),
    /// Review what is not trusted yet, and trust it.
    Trust,
}

impl Fix {
    /// Whether there is no advice.
    pub fn is_none(&self) -> bool {
        match self {
            Self::None => true,
            Self::Text(text) => text.is_empty(),
            Self::All(all) => all.iter().all(Self::is_none),
            _ => false,
        }
    }

    /// The advice as text. `word` words it for one interface; if it returns `None`, the neutral wording is used.
    pub fn worded(&self, word: &dyn Fn(&Self) -> Option<String>) -> String {
        if let Some(words) = word(self) {
            return words;
        }
        match self {
            Self::All(all) => {
                let all: Vec<String> = all.iter().filter(|fix| !fix.is_none()).map(|fix| fix.worded(word)).collect();
                all.join("; ")
            }
            fix => fix.neutral().into_owned(),
        }
    }

    fn neutral(&self) -> Cow<'_, str> {
        Cow::Borrowed(match self {
            Self::None => "",
            Self::Text(text) => text,
            Self::All(_) => return Cow::Owned(self.worded(&|_| None)),
            Self::AddTarget => "add its target to the catalog; until then it stays a plain link",
            Self::AddSources => "add sources to the catalog",
            Self::AllowOutside => "choose a path inside it",
            Self::BuildIndex => "build the search index",
            Self::ConfigureDatabases => "name the databases in .jaato/databases.yaml, and document them",
            Self::DocumentDatabases => "document the configured databases",
            Self::Exclude(id) => return Cow::Owned(format!("exclude '{id}' instead")),
            Self::FindColumn(name) => return Cow::Owned(format!("search the columns for '{name}'")),
            Self::FindMoved => "correct the path, or remove the source; it cannot be picked",
            Self::GiveFalsy { name, json } => {
                return Cow::Owned(format!("'{name}' is only tested: give {json} to leave it out"));
            }
            Self::GiveId => "give the source another id",
            Self::GiveName => "give the source a name",
            Self::GiveValue => "give it a value",
            Self::GiveJson { name, json } => return Cow::Owned(format!("give '{name}' a value such as {json}")),
            Self::Include(id) => return Cow::Owned(format!("include '{id}' again")),
            Self::ListProfiles => "list the profiles to see their names",
            Self::ListSources => "list the sources to see all ids",
            Self::ListTemplates => "list the templates of the selection",
            Self::MoreJoins(joins) => return Cow::Owned(format!("allow paths of {joins} joins")),
            Self::OpenScreen => "open the full screen in this workspace and ask again",
            Self::Overwrite => "check the difference, and allow the file to be replaced",
            Self::Pick(id) => return Cow::Owned(format!("pick '{id}' first")),
            Self::Reload => "reload the workspace",
            Self::RewritePages(database) => {
                return Cow::Owned(format!(
                    "delete the page if it is there, and document '{database}' again; or restore the file"
                ));
            }
            Self::RewritePaths => "rewrite the path",
            Self::ShowTemplate => "move the existing file away",
            Self::ShowKnown(id) => {
                return Cow::Owned(format!("use '{id}', or give the source another id to list it twice"));
            }
            Self::ShowProblems => "see where it is defined",
            Self::ShowVariables(name) => return Cow::Owned(format!("see the variables of {name}")),
            Self::Trust => "review what needs your trust, and trust it",
        })
    }
}

/// The neutral wording, without commands, keys or tools.
impl fmt::Display for Fix {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.neutral())
    }
}

impl Serialize for Fix {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl From<String> for Fix {
    fn from(text: String) -> Self {
        Self::Text(without_middle(text, TEXT))
    }
}

impl From<&str> for Fix {
    fn from(text: &str) -> Self {
        if text.is_empty() { Self::None } else { Self::Text(text.to_owned()) }
    }
}
