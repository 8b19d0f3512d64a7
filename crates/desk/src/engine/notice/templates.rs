//! Notices about templates: added, removed, changed, broken and fixed ones.

use std::collections::{HashMap, HashSet};
use std::path::Path;

use super::words::{SHOWN, cut};
use super::{Actor, Notice, Topic};
use crate::FileLine;
use crate::engine::Snapshot;
use refdesk_files::path::display;
use refdesk_templates::{Template, Variable};
use refdesk_text::Code;

fn by_name(of: &Snapshot) -> HashMap<&str, &Template> {
    of.templates.templates.iter().map(|it| (it.name.as_str(), it)).collect()
}

/// The templates present before and after.
fn in_both<'a>(before: &'a Snapshot, after: &'a Snapshot) -> Vec<(&'a Template, &'a Template)> {
    let known = by_name(before);
    after.templates.templates.iter().filter_map(|is| Some((*known.get(is.name.as_str())?, is))).collect()
}

/// Templates that entered or left with the selection.
pub(super) fn entered_or_left(before: &Snapshot, after: &Snapshot, by: &Actor) -> Vec<Notice> {
    fn of<'a>(one: &'a Snapshot, other: &Snapshot) -> Vec<&'a Template> {
        let known: HashSet<&str> = other.templates.templates.iter().map(|it| it.name.as_str()).collect();
        one.templates.templates.iter().filter(|template| !known.contains(template.name.as_str())).collect()
    }
    let reported = |what: &str, templates: &[&Template]| {
        let names: Vec<&str> = templates.iter().map(|template| template.name.as_str()).collect();
        Notice::new(by.clone(), Topic::Template, format!("{what}: {}", cut(&names)))
    };
    let (came, went) = (of(after, before), of(before, after));
    let came = (!came.is_empty()).then(|| about(reported("New templates", &came), &came));
    let went = (!went.is_empty()).then(|| reported("Removed templates", &went));
    came.into_iter().chain(went).collect()
}

/// Templates that were changed or fixed.
pub(super) fn changed(before: &Snapshot, after: &Snapshot) -> Vec<Notice> {
    let whole = in_both(before, after).into_iter().filter(|(_, is)| is.problem.is_none());
    let (fixed, parsed): (Vec<_>, Vec<_>) = whole.partition(|(was, _)| was.problem.is_some());
    // A block that only moved within its document is unchanged.
    fn text(of: &Template) -> Option<&str> {
        of.block.as_ref().map(|block| &*block.text)
    }
    let is_other = |(was, is): &(&Template, &Template)| {
        was.stamp != is.stamp || was.variables != is.variables || text(was) != text(is)
    };
    let changed: Vec<(&Template, &Template)> = parsed.into_iter().filter(is_other).collect();
    let mut notices = Vec::new();
    if changed.len() > SHOWN {
        let names: Vec<&str> = changed.iter().map(|(_, is)| is.name.as_str()).collect();
        let text = format!("{} templates changed: {}", changed.len(), cut(&names));
        notices.push(Notice::new(Actor::Files, Topic::Template, text));
    } else {
        let reported = changed.iter().map(|(was, is)| {
            let text = format!("Template changed: {}", is.name);
            about(Notice::new(Actor::Files, Topic::Template, text).because(variable_changes(was, is)), &[is])
        });
        notices.extend(reported);
    }
    let fixed: Vec<&Template> = fixed.into_iter().map(|(_, is)| is).collect();
    notices.extend((!fixed.is_empty()).then(|| {
        let names: Vec<&str> = fixed.iter().map(|is| is.name.as_str()).collect();
        let is = if fixed.len() == 1 { "is" } else { "are" };
        about(Notice::new(Actor::Files, Topic::Template, format!("{} {is} fixed", cut(&names))), &fixed)
    }));
    notices
}

/// Templates that broke, or new ones that do not parse.
pub(super) fn broken(before: &Snapshot, after: &Snapshot) -> Vec<Notice> {
    let known = by_name(before);
    let is_new = |is: &&Template| known.get(is.name.as_str()).is_none_or(|was| was.problem != is.problem);
    let broken = after.templates.templates.iter().filter(|is| is.problem.is_some()).filter(is_new);
    let broken: Vec<&Template> = broken.collect();
    if broken.len() > SHOWN {
        let names: Vec<&str> = broken.iter().map(|is| is.name.as_str()).collect();
        let text = format!("{} templates are broken: {}", broken.len(), cut(&names));
        return vec![about(Notice::new(Actor::Files, Topic::Problem, text), &broken)];
    }
    let reported = broken.into_iter().map(|is| {
        let text = format!("{} is broken: {}", is.name, is.problem.as_deref().unwrap_or_default());
        let (path, first) = is.place(1);
        let file = display(Path::new(&*after.workspace), path);
        // A document may contain several templates.
        let end = is.block.as_ref().map_or(usize::MAX, |block| first + block.text.lines().count());
        let broken =
            after.diagnostics.iter().filter(|it| it.code == Code::TemplateBroken && it.file.as_ref() == Some(&file));
        let line = broken.filter_map(|it| it.line).find(|line| (first..=end).contains(line));
        let reason = line.map_or_else(|| file.clone(), |line| format!("{file}:{line}"));
        // The position of the problem is more useful than the source.
        let place = FileLine { path: path.to_path_buf(), line: line.unwrap_or(first) };
        Notice::new(Actor::Files, Topic::Problem, text).because(reason).at(Some(place))
    });
    reported.collect()
}

/// Sets the position to show to the first of these templates.
fn about(notice: Notice, templates: &[&Template]) -> Notice {
    let Some(first) = templates.first() else { return notice };
    let (path, line) = first.place(1);
    let place = Some(FileLine { path: path.to_path_buf(), line });
    let several = templates.iter().any(|other| other.source != first.source);
    Notice { subject: first.source.clone(), several, ..notice }.at(place)
}

/// `new: port, region; lost: zone`.
fn variable_changes(was: &Template, is: &Template) -> String {
    let only = |one: &Template, other: &Template| -> Vec<String> {
        let known: HashSet<String> = names("", &other.variables).into_iter().collect();
        names("", &one.variables).into_iter().filter(|name| !known.contains(name)).collect()
    };
    let reported = [("new", only(is, was)), ("lost", only(was, is))];
    let reported = reported.iter().filter(|(_, names)| !names.is_empty());
    reported.map(|(what, names)| format!("{what}: {}", cut(names))).collect::<Vec<_>>().join("; ")
}

/// The path of every variable: `fields.name`.
fn names(above: &str, variables: &[Variable]) -> Vec<String> {
    let of = |variable: &Variable| {
        let name = format!("{above}{}", variable.name);
        let below = names(&format!("{name}."), &variable.fields);
        std::iter::once(name).chain(below).collect::<Vec<_>>()
    };
    variables.iter().flat_map(of).collect()
}
