//! Names all templates of a desk together, and finds a template by what the user typed (BEHAVIOUR §6). A name is as
//! short as it can be without being ambiguous.

use std::collections::{HashMap, HashSet};

use super::error::hint;
use super::{Template, TemplateIndex, UnreadableTemplate};
use refdesk_text::escape::{one_line, visible};
use refdesk_text::nearest::nearest;
use refdesk_text::shorten::shortened;
use refdesk_text::{Code, Error, Fix};

/// The prefix used in place of a source id for templates in the workspace's own `.templates/`.
const OWN: &str = ".templates";

/// The most characters of an unknown name repeated in a message.
const LONGEST_NAME: usize = 200;

/// The parts of a template's name.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Parts<'a> {
    /// Its source.
    pub source: Option<&'a str>,
    /// The path within the source, forward slashes.
    pub within: &'a str,
    /// The name of the source's own folder.
    pub root: &'a str,
    /// The absolute path, as a last resort.
    pub path: &'a str,
}

impl<'a> Parts<'a> {
    fn file(&self) -> &'a str {
        self.within.rsplit('/').next().unwrap_or(self.within)
    }

    fn with_folder(&self) -> String {
        let folder = self.within.rsplit('/').nth(1).unwrap_or(self.root);
        format!("{folder}/{}", self.file())
    }

    fn full(&self) -> String {
        full_name(self.source, self.within)
    }
}

/// `<source id>/<path within it>`, which is always accepted.
pub(crate) fn full_name(source: Option<&str>, within: &str) -> String {
    format!("{}/{within}", source.unwrap_or(OWN))
}

/// A name for each template: the file name if unique, else `<folder>/<file>`, else the path within the source, else that
/// path with `<source id>/` before it for all templates that share it.
pub(crate) fn names(templates: &[Parts<'_>]) -> Vec<String> {
    let full: Vec<String> = templates.iter().map(Parts::full).collect();
    let taken: HashSet<&str> = full.iter().map(String::as_str).collect();
    let levels: [Vec<String>; 3] = [
        templates.iter().map(|parts| parts.file().to_owned()).collect(),
        templates.iter().map(Parts::with_folder).collect(),
        templates.iter().map(|parts| parts.within.to_owned()).collect(),
    ];
    let counts = levels.each_ref().map(|level| count(level));
    let full_counts = count(&full);
    let name = |(at, (parts, full)): (usize, (&Parts<'_>, &String))| {
        for (level, counts) in levels.iter().zip(&counts) {
            let Some(name) = level.get(at) else { continue };
            let free = name == full || !taken.contains(name.as_str());
            if counts.get(name.as_str()) == Some(&1) && free {
                return name.clone();
            }
        }
        if full_counts.get(full.as_str()) == Some(&1) { full.clone() } else { parts.path.to_owned() }
    };
    templates.iter().zip(&full).enumerate().map(name).collect()
}

fn count(names: &[String]) -> HashMap<&str, usize> {
    let mut counts = HashMap::new();
    for name in names {
        *counts.entry(name.as_str()).or_insert(0) += 1;
    }
    counts
}

impl Template {
    /// `<source id>/<path within it>`; `.templates/…` for the workspace's own.
    pub fn full_name(&self) -> String {
        full_name(self.source.as_ref().map(refdesk_core::catalog::SourceId::as_str), &self.within)
    }
}

impl UnreadableTemplate {
    /// Whether a person or an agent means this file: `<source id>/<path within it>`, or the end of its path.
    fn is_called(&self, name: &str) -> bool {
        let full = full_name(self.source.as_ref().map(refdesk_core::catalog::SourceId::as_str), &self.within);
        full == name
            || one_line(&full) == name
            || ends_with(&self.within, name)
            || ends_with(&one_line(&self.within), name)
    }
}

/// Whether a path is this one or ends with it after a slash.
fn ends_with(path: &str, end: &str) -> bool {
    !end.is_empty() && path.strip_suffix(end).is_some_and(|before| before.is_empty() || before.ends_with('/'))
}

impl TemplateIndex {
    /// The template with this name: its name in the index, `<source id>/<path within it>`, or a path suffix that only one
    /// template has. One from a tool result is found only by its own name, and no error names it.
    ///
    /// # Errors
    ///
    /// No template matches, or several do.
    pub fn find(&self, name: &str) -> Result<&Template, Error> {
        self.find_if_any(name)?.ok_or_else(|| {
            if let Some(file) = self.unreadable.iter().find(|file| file.is_called(name)) {
                return file.problem.clone();
            }
            let names = || self.of_selection().map(|template| template.name.as_str());
            // A name without its extension or folder still matches the rest of the template's name.
            let holds = || names().filter(|other| !name.is_empty() && other.contains(name)).min_by_key(|it| it.len());
            let near = nearest(name, names()).or_else(holds);
            let name = shortened(name.to_owned(), LONGEST_NAME);
            unknown(format!("no template is named '{name}'{}", hint(near)))
        })
    }

    /// Like [`Self::find`]; `None` if no template matches.
    ///
    /// # Errors
    ///
    /// Several templates match.
    pub fn find_if_any(&self, name: &str) -> Result<Option<&Template>, Error> {
        // Agents see a name as displayed, with hidden characters escaped.
        let is_shown = |own: &str| one_line(own) == name || visible(own) == name;
        let named = self.templates.iter().find(|template| template.name == name);
        if let Some(template) = named.or_else(|| self.templates.iter().find(|template| is_shown(&template.name))) {
            return Ok(Some(template));
        }
        let exact: Vec<&Template> = self.of_selection().filter(|template| template.full_name() == name).collect();
        let ends = |template: &&Template| ends_with(&template.within, name);
        let fitting = if exact.is_empty() { self.of_selection().filter(ends).collect::<Vec<_>>() } else { exact };
        // The name that it was given before others came.
        let taken = || self.templates.iter().find(|template| template.is_taken && template.within == name);
        Ok(Self::single(name, &fitting)?.or_else(taken))
    }

    /// The only template that fits a name; `None` if there is none.
    ///
    /// # Errors
    ///
    /// Several templates match.
    pub fn single<'a>(name: &str, fitting: &[&'a Template]) -> Result<Option<&'a Template>, Error> {
        match fitting {
            [] => Ok(None),
            [template] => Ok(Some(template)),
            several => {
                let mut names: Vec<&str> = several.iter().map(|template| template.name.as_str()).collect();
                names.sort_unstable();
                Err(unknown(format!("'{name}' matches several templates: {}", names.join(", "))))
            }
        }
    }
}

fn unknown(message: String) -> Error {
    Error::new(Code::UnknownTemplate, message, Fix::ListTemplates)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_as_short_as_they_can_be() {
        for (files, expected) in [
            (vec![("m1", "Only.tpl")], vec!["Only.tpl"]),
            (vec![("m1", "a/T.tpl"), ("m1", "b/T.tpl")], vec!["a/T.tpl", "b/T.tpl"]),
            (vec![("m1", "T.tpl"), ("m2", "T.tpl")], vec!["m1/T.tpl", "m2/T.tpl"]),
            (
                vec![("m1", "x/a/T.tpl"), ("m1", "y/a/T.tpl"), ("m2", "b/T.tpl")],
                vec!["x/a/T.tpl", "y/a/T.tpl", "b/T.tpl"],
            ),
            (vec![("m1", "a/T.tpl"), ("m2", "a/T.tpl"), ("m2", "U.tpl")], vec!["m1/a/T.tpl", "m2/a/T.tpl", "U.tpl"]),
            (vec![("s", "m1/T.tpl"), ("m1", "T.tpl"), ("m1", "U.tpl")], vec!["s/m1/T.tpl", "T.tpl", "U.tpl"]),
            (vec![("a", "b/c.tpl"), ("a/b", "c.tpl")], vec!["b/c.tpl", "a/b/c.tpl"]),
        ] {
            let paths: Vec<String> = files.iter().map(|(id, within)| format!("/{id}/{within}")).collect();
            let parts: Vec<Parts<'_>> = files
                .iter()
                .zip(&paths)
                .map(|((id, within), path)| Parts { source: Some(id), within, root: id, path })
                .collect();
            assert_eq!(names(&parts), expected, "{files:?}");
        }
    }
}
