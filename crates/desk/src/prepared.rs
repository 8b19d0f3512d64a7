//! A rendering that is independent of the desk, because everything has been looked up and read. It can move to another
//! thread: a template may take two seconds.

use super::{RenderFailure, RenderPreview, RenderedTemplate};
use refdesk_core::config::{WorkspaceContext, expand_home};
use refdesk_files::output::{self, Scope};
use refdesk_templates::render::{RenderJob, Rendered, Renderer};
use refdesk_templates::{MisreadText, NamedValue, Syntax, Template, ValueCheck, Variable, VariableKind};
use refdesk_text::{Code, Error, Fix};
use serde_json::Value;

/// Everything a rendering needs.
#[derive(Debug, Clone, PartialEq)]
pub struct Prepared {
    /// The requested name.
    pub(super) name: Option<String>,
    /// An indexed template that does not parse, and its displayed file.
    pub(super) broken: Option<(Template, String)>,
    pub(super) job: RenderJob,
    /// A problem known before rendering, reported only if the rendering succeeds.
    pub(super) problem: Option<Error>,
    pub(super) used: Vec<String>,
    pub(super) fit: ValueCheck,
}

impl Prepared {
    /// Renders the template.
    ///
    /// # Errors
    /// The rendering fails.
    pub fn render(mut self, renderer: &Renderer) -> Result<RenderedTemplate, RenderFailure> {
        let Rendered { text, mut warnings } = match renderer.render(&self.job) {
            Ok(rendered) => match self.problem.clone() {
                Some(problem) => return Err(self.failed(problem)),
                None => rendered,
            },
            Err(error) => return Err(self.failed(error)),
        };
        // It did not reach what needs a number in place of these.
        self.fit.misread.retain(|misread| !misread.is_number || misread.json.is_some());
        let missing = missing(&self.fit, &warnings).cloned().collect();
        warnings.extend(ValueCheck { missing, ..self.fit.clone() }.sentences());
        let Self { job, used, fit, .. } = self;
        let syntax = job.syntax;
        let offered = offer(job, renderer).unwrap_or_else(|why| {
            warnings.push(format!("{NO_PATH}{why}"));
            None
        });
        Ok(RenderedTemplate { text, warnings, syntax, used, fit, offered })
    }

    /// Renders the template and compares the result with the file at `path`, or else at the path the template suggests.
    /// Both are relative to the workspace, because a screen shows the workspace and not the shell's current folder.
    ///
    /// # Errors
    /// As for [`Prepared::render`].
    pub fn show(
        self,
        renderer: &Renderer,
        context: &WorkspaceContext,
        path: Option<&str>,
    ) -> Result<RenderPreview, RenderFailure> {
        let made = self.render(renderer)?;
        let path = path.map(str::to_owned).or_else(|| made.offered.clone());
        let propose = |path: String| {
            let (workspace, path) = (&context.workspace, expand_home(context, &path));
            output::propose(workspace, workspace, &path, &made.text, Scope::Workspace)
        };
        let proposal = path.map(propose);
        Ok(RenderPreview { made, proposal })
    }

    /// Which value to give if this message says that one is undefined. A field and the item of a loop cannot be given
    /// themselves: the object or the list can.
    fn value_to_give(&self, message: &str) -> Fix {
        let variables = refdesk_templates::variables(&self.job.text, self.job.syntax).unwrap_or_default();
        let named = message.split_once("variable '").and_then(|(_, rest)| rest.split(['\'', '.', '[']).next());
        let is_lacking = |variable: &&Variable| match (variable.kind, self.job.values.get(&variable.name)) {
            (VariableKind::List | VariableKind::Object, Some(given)) => !given.is_array() && !given.is_object(),
            (VariableKind::List, None) => true,
            (VariableKind::Object, None) => !variable.optional,
            (VariableKind::Scalar | VariableKind::Flag, _) => false,
        };
        let own = variables.iter().find(|variable| Some(variable.name.as_str()) == named);
        let lacking = own.map_or_else(|| variables.iter().find(is_lacking), |own| Some(own).filter(is_lacking));
        lacking.map_or(Fix::GiveValue, |variable| {
            let form = refdesk_templates::skeleton(std::slice::from_ref(variable));
            let json = form.get(&variable.name).map(ToString::to_string).unwrap_or_default();
            Fix::GiveJson { name: variable.name.clone(), json }
        })
    }

    /// The missing field that the name in this message stands for, which may begin with a local of the template.
    fn missing_field(&self, message: &str) -> Option<&NamedValue> {
        let (_, name) = message.split_once("variable '")?;
        let name = name.split('\'').next()?;
        let mut fields = self.fit.missing.iter().filter(|named| named.path.contains('.'));
        let is_it = |named: &&NamedValue| name == named.path || name.starts_with(&format!("{}.", named.path));
        if let Some(field) = fields.clone().find(is_it) {
            return Some(field);
        }
        let variables = refdesk_templates::variables(&self.job.text, self.job.syntax).unwrap_or_default();
        let first = name.split(['.', '[']).next()?;
        let is_local = !variables.iter().any(|variable| variable.name == first);
        let last = |path: &str| path.rsplit('.').next().map(str::to_owned);
        // An item of a list has another name in the template.
        fields.find(|named| {
            let is_item = first != name && named.path.strip_prefix(first).is_some_and(|rest| rest.starts_with('['));
            (is_local || is_item) && last(&named.path) == last(name)
        })
    }

    /// What the form of a given list or object should be, if it is another one: of that which this message names, or of any
    /// if it names a local.
    fn wrong_form(&self, message: &str) -> Option<Vec<Fix>> {
        let variables = refdesk_templates::variables(&self.job.text, self.job.syntax).unwrap_or_default();
        let named = message.split_once("variable '").and_then(|(_, rest)| rest.split(['\'', '.', '[']).next());
        let is_own = |variable: &&Variable| Some(variable.name.as_str()) == named;
        let is_local = !variables.iter().any(|variable| is_own(&variable));
        variables.iter().filter(|variable| is_local || is_own(variable)).find_map(|variable| {
            let given = self.job.values.get(&variable.name)?;
            let (is_right, what) = match variable.kind {
                VariableKind::List => {
                    (given.as_array().is_some_and(|items| items.iter().all(Value::is_object)), "a list of objects")
                }
                VariableKind::Object => (given.is_object(), "an object"),
                VariableKind::Scalar | VariableKind::Flag => (true, ""),
            };
            if is_right || variable.fields.is_empty() {
                return None;
            }
            let fields: Vec<&str> = variable.fields.iter().map(|field| field.name.as_str()).collect();
            let form = refdesk_templates::skeleton(std::slice::from_ref(variable));
            let json = form.get(&variable.name).map(ToString::to_string).unwrap_or_default();
            let give = self.name.is_none().then(|| Fix::GiveJson { name: variable.name.clone(), json });
            let what = Fix::from(format!("'{}' is {what} with {}", variable.name, listed(&fields)));
            Some(std::iter::once(what).chain(give).collect())
        })
    }

    fn failed(self, error: Error) -> RenderFailure {
        let mut fixes: Vec<Fix> = Vec::new();
        let is_undefined = error.code == Code::UndefinedVariable;
        // A text in place of another value may be why it fails; one in place of a number leaves no name undefined.
        let (last, first): (Vec<&MisreadText>, Vec<_>) =
            self.fit.misread.iter().partition(|misread| is_undefined && misread.is_number);
        let said = |misread: &MisreadText| {
            let MisreadText { path, sentence, json, .. } = misread;
            let is_whole = !path.contains(['.', '[']);
            let give = json.clone().filter(|_| is_whole).map(|json| Fix::GiveJson { name: path.clone(), json });
            std::iter::once(Fix::from(sentence.clone())).chain(give).collect::<Vec<_>>()
        };
        fixes.extend(first.into_iter().take(MISREAD).flat_map(said));
        if is_undefined {
            let field = self.missing_field(&error.message);
            // Report all missing values together, not one error after another.
            let named = |named: &NamedValue| match &named.nearest {
                Some(nearest) => format!("'{}' (did you mean '{nearest}'?)", named.path),
                None => format!("'{}'", named.path),
            };
            let is_other = |named: &&NamedValue| field != Some(*named);
            let others: Vec<String> =
                missing(&self.fit, std::slice::from_ref(&error.message)).filter(is_other).map(named).collect();
            let unused: Vec<String> = self.fit.unused.iter().map(|unused| format!("'{}'", unused.path)).collect();
            let flags = refdesk_templates::give_flags(&self.job.text, self.job.syntax, &mut self.job.values.clone());
            let flag = flags.into_iter().find(|(name, _)| error.message.contains(&format!("variable '{name}'")));
            let wrong_form = if flag.is_none() && fixes.is_empty() { self.wrong_form(&error.message) } else { None };
            // Without a name, its variables cannot be listed.
            let is_unnamed = self.name.is_none() && flag.is_none() && fixes.is_empty();
            fixes.extend(flag.map(|(name, untrue)| Fix::GiveFalsy { name, json: untrue.to_string() }));
            match (wrong_form, field) {
                (Some(form), _) => fixes.extend(form),
                (None, Some(field)) => fixes.push(field_to_give(&field.path).into()),
                (None, None) => fixes.extend(is_unnamed.then(|| self.value_to_give(&error.message))),
            }
            fixes.extend((!others.is_empty()).then(|| format!("also missing: {}", others.join(", ")).into()));
            fixes.extend((!unused.is_empty()).then(|| format!("given and not used: {}", unused.join(", ")).into()));
            fixes.extend(last.into_iter().take(MISREAD).flat_map(said));
        }
        match self.broken {
            // A template that does not parse has no variables to show.
            Some((template, file)) => {
                let (_, line) = template.place(error.line.unwrap_or(1));
                fixes.push(template.correction(&format!("{file}:{line}")).into());
            }
            // It is not about the template.
            None if !error.fix.is_none() => fixes.push(error.fix.clone()),
            None => fixes.extend(self.name.map(Fix::ShowVariables)),
        }
        let RenderJob { text: template, syntax, .. } = self.job;
        let code = if error.code == Code::UndefinedVariable { Code::Render } else { error.code };
        let error = Error { code, fix: Fix::All(fixes), ..error };
        RenderFailure { error, template, syntax: Some(syntax), fit: self.fit }
    }
}

/// The most texts in place of other values that a failure names.
const MISREAD: usize = 3;

/// What to do about a missing field, by its path: it can be given only within the list or object that holds it.
fn field_to_give(path: &str) -> String {
    let whole = path.split(['.', '[']).next().unwrap_or(path);
    format!("give '{path}' a value, in the JSON of '{whole}'")
}

/// `a`, `a and b`, `a, b and c`.
fn listed(names: &[&str]) -> String {
    match names.split_last() {
        Some((last, before @ [_, ..])) => format!("{} and {last}", before.join(", ")),
        _ => names.concat(),
    }
}

/// The beginning of the warning that says why the template's own path is not suggested.
pub const NO_PATH: &str = "no output path is suggested: ";

/// Printed before the path, so that it is found behind what the lines above it print.
const BEFORE_PATH: char = '\u{1}';

/// The path in the template's `Output:` line with the values filled in, if it has one. If values are missing, the error
/// is a phrase for a message that explains why there is no path.
fn offer(job: RenderJob, renderer: &Renderer) -> Result<Option<String>, String> {
    let Some((line, path)) = refdesk_templates::output_line(&job.text) else { return Ok(None) };
    // The lines above may set what the path prints. They may also open a block that ends below.
    let above: String = job.text.split_inclusive('\n').take(line - 1).collect();
    let sets = job.syntax == Syntax::Jinja2 && above.contains("{%");
    let path = format!("{BEFORE_PATH}{path}");
    let mut job = RenderJob { html: false, ..job };
    let mut render = |above: &str| {
        job.text = format!("{above}{path}");
        let Rendered { text, warnings } = renderer.render(&job).map_err(|error| error.message)?;
        match warnings.into_iter().next() {
            Some(warning) => Err(warning),
            None => Ok(text.split_once(BEFORE_PATH).map(|(_, path)| path.to_owned())),
        }
    };
    match sets.then(|| render(&above)) {
        Some(Ok(path)) => Ok(path),
        // Pad to the original line, so that errors name it.
        _ => render(&"\n".repeat(line - 1)),
    }
}

/// Missing values that `reported` does not mention.
fn missing<'a>(fit: &'a ValueCheck, reported: &'a [String]) -> impl Iterator<Item = &'a NamedValue> {
    fit.missing.iter().filter(|named| {
        let whole = format!("'{}'", named.path);
        let last = format!("'{}'", named.path.rsplit('.').next().unwrap_or(&named.path));
        !reported.iter().any(|sentence| sentence.contains(&whole) || sentence.contains(&last))
    })
}
