//! Finds all partials that a Mustache template can reach before it is rendered, so that rendering needs no index and
//! reads no file. Also finds the variables of a template with those of its partials.

use std::collections::{BTreeMap, HashMap, HashSet};

use super::limits::PARTIAL_BYTES;
use crate::error::{error_at, hint, in_file, template_error};
use crate::limits::WARNINGS;
use crate::mustache::{self, Node, expanded, parse};
use crate::usage::VariableUses;
use crate::{Variable, strip};
use refdesk_text::Error;
use refdesk_text::nearest::nearest;

/// The endings that the name of a partial may lack: Mustache's own tools add one too.
const ENDINGS: [&str; 3] = ["", ".tpl", ".tmpl"];

/// What to do about a partial that is not found.
pub const FIX: &str = "name one template of the selection (its ending .tpl or .tmpl may be left out), or give the partial's \
    text with the values";

/// Finds the text of a template by name; fails if several have it.
pub type Find<'f> = &'f dyn Fn(&str) -> Result<Option<String>, Error>;

/// Every partial that the template can reach, by name: from `given` first, else from `find`, with or without the ending
/// of a template. An unknown one is left out, and rendering warns about it.
///
/// # Errors
///
/// The name of one fits several templates, or their total size exceeds `PARTIAL_BYTES`.
pub fn gather(text: &str, given: &BTreeMap<String, String>, find: Find<'_>) -> Result<BTreeMap<String, String>, Error> {
    let mut found: BTreeMap<String, String> = BTreeMap::new();
    let (mut wanted, mut bytes) = (partial_names(text), 0);
    while let Some((name, _)) = wanted.pop() {
        if found.contains_key(&name) {
            continue;
        }
        let text = match given.get(&name) {
            Some(text) => Some(text.clone()),
            None => with_ending(&name, find)?,
        };
        let Some(text) = text else { continue };
        bytes += text.len();
        if bytes > PARTIAL_BYTES {
            let message = format!("the partials exceed the limit of {PARTIAL_BYTES} bytes (16 MiB)");
            return Err(template_error(None, message));
        }
        wanted.extend(partial_names(&text));
        found.insert(name, text);
    }
    Ok(found)
}

/// The variables of a template with those of its partials, sorted by name. A partial that does not parse has none.
///
/// # Errors
///
/// The template does not parse; the line is that of the file.
pub fn variables(text: &str, partials: &BTreeMap<String, String>) -> Result<Vec<Variable>, Error> {
    uses(text, partials).map(VariableUses::variables)
}

/// What [`variables`] are used for; fails like it.
pub(crate) fn uses(text: &str, partials: &BTreeMap<String, String>) -> Result<VariableUses, Error> {
    let stripped = strip(text);
    let main = parse(&stripped.text).map_err(|error| in_file(error, &stripped))?;
    let texts: Vec<_> = partials.iter().map(|(name, text)| (name.as_str(), strip(text))).collect();
    let parsed: HashMap<_, _> =
        texts.iter().filter_map(|(name, stripped)| Some((*name, parse(&stripped.text).ok()?))).collect();
    Ok(mustache::uses(&expanded(&main.nodes, &parsed)))
}

/// Whether a text uses partials.
pub(crate) fn is_used_in(text: &str) -> bool {
    !partial_names(text).is_empty()
}

fn with_ending(name: &str, find: Find<'_>) -> Result<Option<String>, Error> {
    ENDINGS.iter().find_map(|ending| find(&format!("{name}{ending}")).transpose()).transpose()
}

/// The partials of a template that are not found, each once, with its first line and the nearest of these names; and those
/// whose name fits several templates.
pub fn unknown<'n>(text: &str, find: Find<'_>, names: &(impl Iterator<Item = &'n str> + Clone)) -> Vec<Error> {
    let mut seen = HashSet::new();
    let mut used = partial_names(text);
    used.retain(|(name, _)| seen.insert(name.clone()));
    let error = |(name, line): (String, usize)| match with_ending(&name, find) {
        Ok(Some(_)) => None,
        Ok(None) => {
            let error = error_at(line, format!("unknown partial '{name}'"));
            Some(Error { message: error.message + &hint(nearest(&name, names.clone())), ..error })
        }
        Err(several) => Some(error_at(line, several.message)),
    };
    used.into_iter().filter_map(error).take(WARNINGS).collect()
}

/// The partials that a text uses, with their lines; none if the text does not parse, which rendering reports.
fn partial_names(text: &str) -> Vec<(String, usize)> {
    let stripped = strip(text);
    let Ok(parsed) = parse(&stripped.text) else { return Vec::new() };
    let named = |node: &Node<'_>| match node {
        Node::Partial { name, line, .. } => Some(((*name).to_owned(), stripped.file_line(*line))),
        _ => None,
    };
    parsed.nodes.iter().filter_map(named).collect()
}
