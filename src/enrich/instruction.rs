//! What one source says of itself to an agent: one field a line, a line without a value left out (BEHAVIOUR §7).

use super::places::Places;
use super::print::at_list;
use crate::catalog::{Kind, Place, Source, Standing};
use crate::selection::{Role, Selection};
use crate::text::escape::{block_value, one_line};

/// So many files of a directory are listed.
pub const LISTED_FILES: usize = 50;

/// The instruction of `source`, without a line break at its end but for one that inline content brings. The line about
/// its parents is there for a transitive member of `selection`. Values are escaped as §5 says.
pub fn instruction(source: &Source, selection: &Selection, places: &dyn Places) -> String {
    let name = one_line(&source.name);
    if let Kind::Inline { content } = &source.kind {
        return format!("### {name}\n\n{}", block_value(content));
    }
    let mut fields = Vec::new();
    if !source.tags.is_empty() {
        fields.push(format!("**Tags**: {}", tags(source)));
    }
    fields.extend(kind(source, places));
    if let Some(hint) = source.fetch_hint.as_deref().filter(|hint| !hint.is_empty()) {
        fields.push(format!("**Hint**: {}", block_value(hint)));
    }
    fields.extend(parents(source, selection));
    let description = match source.description.as_str() {
        "" => String::new(),
        description => format!("\n*{}*", block_value(description)),
    };
    format!("### {name}{description}\n\n{}", fields.join("\n"))
}

fn tags(source: &Source) -> String {
    source.tags.iter().map(|tag| one_line(tag.trim())).collect::<Vec<_>>().join(", ")
}

/// Where it is and how it is had.
fn kind(source: &Source, places: &dyn Places) -> Vec<String> {
    match &source.kind {
        Kind::Local(place) => local(source, place, places),
        Kind::Url { url } => vec![format!("**URL**: {}", one_line(url)), "**Access**: Fetch this URL".into()],
        Kind::Mcp { server, tool, args } => {
            let mut fields =
                vec![format!("**Server**: {}", one_line(server)), format!("**Tool**: `{}`", one_line(tool))];
            let without_args = args.is_null() || args.as_object().is_some_and(serde_json::Map::is_empty);
            if !without_args {
                fields.push(format!("**Args**: `{}`", one_line(&args.to_string())));
            }
            fields.push("**Access**: Call the MCP tool".into());
            fields
        }
        Kind::Inline { .. } => Vec::new(),
    }
}

fn local(source: &Source, place: &Place, places: &dyn Places) -> Vec<String> {
    let display = places.display_path(&place.path);
    let path = one_line(&display);
    match place.standing {
        Standing::Missing => vec![format!("**Missing**: {path}")],
        Standing::File => vec![format!("**Location**: `{path}`"), "**Access**: Read this file".into()],
        Standing::Directory => {
            let files = places.files(source);
            let mut fields = vec![format!("**Location**: Directory `{path}` containing {} file(s):", files.len())];
            let listed = files.iter().take(LISTED_FILES).map(|file| places.display_path(file));
            fields.extend(listed.map(|file| format!("  - `{}`", one_line(&file))));
            if let Some(more) = files.len().checked_sub(LISTED_FILES).filter(|more| *more > 0) {
                fields.push(format!("  - … and {more} more"));
            }
            fields.push("**Access**: Read each file listed above".into());
            fields
        }
    }
}

fn parents(source: &Source, selection: &Selection) -> Option<String> {
    let member = selection.member(source.id.as_str()).filter(|member| member.role == Role::Transitive)?;
    let parents = at_list(member.parents.iter().map(crate::catalog::SourceId::as_str));
    (!parents.is_empty()).then(|| format!("*(Transitively included via {parents})*"))
}
