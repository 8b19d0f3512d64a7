//! A rendering that needs no desk any more: everything was looked up and read. Whoever must not wait for a template (which
//! may take its two seconds) hands it to another thread.

use std::path::Path;

use super::{Made, RenderFailure, Shown};
use refdesk_files::output::{self, Scope};
use refdesk_templates::render::{RenderJob, Rendered, Renderer};
use refdesk_templates::{NamedValue, ValueCheck};
use refdesk_text::{Code, Error, Fix};

/// All that a rendering needs.
#[derive(Debug, Clone, PartialEq)]
pub struct Prepared {
    /// The name that was asked for.
    pub(super) name: Option<String>,
    pub(super) job: RenderJob,
    /// Why it comes to nothing, if that is known already and the rendering itself says nothing worse.
    pub(super) problem: Option<Error>,
    pub(super) used: Vec<String>,
    pub(super) fit: ValueCheck,
}

impl Prepared {
    /// Renders.
    ///
    /// # Errors
    /// It does not render.
    pub fn render(self, renderer: &Renderer) -> Result<Made, RenderFailure> {
        let Rendered { text, mut warnings } = match renderer.render(&self.job) {
            Ok(rendered) => match self.problem.clone() {
                Some(problem) => return Err(self.failed(problem)),
                None => rendered,
            },
            Err(error) => return Err(self.failed(error)),
        };
        let missing = missing(&self.fit, &warnings).cloned().collect();
        warnings.extend(ValueCheck { unused: self.fit.unused.clone(), missing }.sentences());
        let Self { job, used, fit, .. } = self;
        let syntax = job.syntax;
        let offered = offer(job, renderer).unwrap_or_else(|why| {
            warnings.push(format!("no output path is offered: {why}"));
            None
        });
        Ok(Made { text, warnings, syntax, used, fit, offered })
    }

    /// Renders, and compares with the file at `path`, else at the path that the template offers. A screen shows a workspace,
    /// not the folder of the shell that it was begun in: both are relative to the workspace.
    ///
    /// # Errors
    /// As [`Prepared::render`].
    pub fn show(self, renderer: &Renderer, workspace: &Path, path: Option<&str>) -> Result<Shown, RenderFailure> {
        let made = self.render(renderer)?;
        let path = path.map(str::to_owned).or_else(|| made.offered.clone());
        let proposal = path.map(|path| output::propose(workspace, workspace, &path, &made.text, Scope::Workspace));
        Ok(Shown { made, proposal })
    }

    fn failed(self, error: Error) -> RenderFailure {
        let told = std::slice::from_ref(&error.message);
        // One error after another would tell it slowly.
        let named = |named: &NamedValue| match &named.nearest {
            Some(nearest) => format!("'{}' (did you mean '{nearest}'?)", named.path),
            None => format!("'{}'", named.path),
        };
        let others: Vec<String> = missing(&self.fit, told).map(named).collect();
        let unused: Vec<String> = self.fit.unused.iter().map(|unused| format!("'{}'", unused.path)).collect();
        let mut fixes: Vec<Fix> = Vec::new();
        if error.code == Code::UndefinedVariable {
            fixes.extend((!others.is_empty()).then(|| format!("also missing: {}", others.join(", ")).into()));
            fixes.extend((!unused.is_empty()).then(|| format!("given and not used: {}", unused.join(", ")).into()));
        }
        fixes.extend(self.name.map(Fix::ShowVariables));
        let RenderJob { text: template, syntax, .. } = self.job;
        let code = if error.code == Code::UndefinedVariable { Code::Render } else { error.code };
        let error = Error { code, fix: Fix::All(fixes), ..error };
        RenderFailure { error, template, syntax: Some(syntax), fit: self.fit }
    }
}

/// The path of the template's `Output:` line with the values filled in, if it has one. A path with a hole in it leads
/// anywhere: it is not offered, and the error is why, a part of a sentence.
fn offer(job: RenderJob, renderer: &Renderer) -> Result<Option<String>, String> {
    let Some((line, path)) = refdesk_templates::output_line(&job.text) else { return Ok(None) };
    // At the line where it stands, which an error names.
    let text = format!("{}{path}", "\n".repeat(line - 1));
    let Rendered { text, warnings } =
        renderer.render(&RenderJob { text, html: false, ..job }).map_err(|error| error.message)?;
    match warnings.into_iter().next() {
        Some(warning) => Err(warning),
        None => Ok(Some(text.trim_start_matches('\n').to_owned())),
    }
}

/// What was not given, but for names that were told of already.
fn missing<'a>(fit: &'a ValueCheck, told: &'a [String]) -> impl Iterator<Item = &'a NamedValue> {
    fit.missing.iter().filter(|named| {
        let whole = format!("'{}'", named.path);
        let last = format!("'{}'", named.path.rsplit('.').next().unwrap_or(&named.path));
        !told.iter().any(|sentence| sentence.contains(&whole) || sentence.contains(&last))
    })
}
