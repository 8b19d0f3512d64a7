//! Handlebars with the crate of that name: strict about undefined values, with only the control flow helpers (`if`,
//! `unless`, `each`, `with`, `else`, and plain sections), without partials and decorators (BEHAVIOUR §6).
//!
//! [`super::handlebars_dialect`] translates the template, and the crate parses it. Then disallowed elements are
//! rejected with name and line, and two of our helpers ([`super::handlebars_helpers`]) are inserted where the crate
//! would print a value or enter a section, because only there it is known which names could have been meant.

use std::collections::HashMap;
use std::io;
use std::sync::LazyLock;

use handlebars::template::{BlockParam, HelperTemplate, Parameter, Subexpression, TemplateElement};
use handlebars::{
    Context, Handlebars, Output, Path, PathSeg, RenderContext, RenderErrorReason, Renderable, Template, TemplateError,
    TemplateErrorReason, html_escape, no_escape,
};
use serde_json::Value;

use super::Rendered;
use super::handlebars_dialect::translate;
use super::handlebars_helpers::{
    BLOCK_PARAM, INVERTED, LENGTH, NEED, PRINT, SECTION, Undefined, VALUE, ValueHelper, item_of_key,
};
use super::handlebars_parts::{PART, parts};
use super::limits::{FUEL, OUTPUT_BYTES, out_of_fuel, output_too_large};
use crate::error::{error_at, template_error, undefined_at};
use crate::handlebars::check;
use refdesk_text::Error;

static PLAIN: LazyLock<Handlebars<'static>> = LazyLock::new(|| engine(no_escape));
static HTML: LazyLock<Handlebars<'static>> = LazyLock::new(|| engine(html_escape));

fn engine(escape: fn(&str) -> String) -> Handlebars<'static> {
    let mut engine = Handlebars::new();
    engine.set_strict_mode(true);
    engine.register_escape_fn(escape);
    engine.register_helper(PRINT, Box::new(ValueHelper::Print));
    engine.register_helper(NEED, Box::new(ValueHelper::Need));
    engine.register_helper(VALUE, Box::new(ValueHelper::Value));
    engine.register_helper(SECTION, Box::new(ValueHelper::Section));
    engine.register_helper(INVERTED, Box::new(ValueHelper::Inverted));
    engine.register_helper("if", Box::new(ValueHelper::If(true)));
    engine.register_helper("unless", Box::new(ValueHelper::If(false)));
    engine.register_helper("with", Box::new(ValueHelper::With));
    engine
}

/// Why this template cannot be rendered with any values; `None` if it can.
pub(crate) fn unsupported(text: &str) -> Option<Error> {
    CompiledHandlebars::new(text).err()
}

/// A parsed template that uses our helpers.
pub(super) struct CompiledHandlebars {
    template: Template,
}

impl CompiledHandlebars {
    /// Parses a template; its line numbers are those of `text`.
    ///
    /// # Errors
    ///
    /// It does not parse, exceeds a limit, or uses something disallowed.
    pub(super) fn new(text: &str) -> Result<Self, Error> {
        if let Err(error) = check(text) {
            // A disallowed block may be the reason why the others do not balance. Look for one only if a cheap check
            // finds its sign.
            let refused = ["#>", "#*", "{{{{"].iter().any(|sign| text.contains(sign));
            return Err(if refused { translate(text).err().unwrap_or(error) } else { error });
        }
        let translated = translate(text)?;
        Ok(Self { template: compile(&translated, PART)? })
    }

    /// Renders the template; `html` turns on escaping.
    ///
    /// # Errors
    ///
    /// A required value is undefined, or a limit is exceeded.
    pub(super) fn render(&self, values: &Value, html: bool) -> Result<Rendered, Error> {
        let engine: &Handlebars<'_> = if html { &HTML } else { &PLAIN };
        let context = Context::from(values.clone());
        let mut out = LimitedOutput { text: String::new(), fuel: FUEL, passed: None };
        let outcome = self.template.render(engine, &context, &mut RenderContext::new(None), &mut out);
        match (outcome, out.passed) {
            (_, Some(message)) => Err(template_error(None, message)),
            (Err(error), None) => Err(explain(&error)),
            (Ok(()), None) => Ok(Rendered { text: out.text, warnings: Vec::new() }),
        }
    }
}

/// Parses a text in parts of at least `part` bytes, and inserts our helpers.
fn compile(text: &str, part: usize) -> Result<Template, Error> {
    let mut whole = Template::default();
    for (before, part) in parts(text, part) {
        let mut template = Template::compile(part).map_err(|error| unread(&error, before))?;
        prepare(&mut template, before + 1, before, &mut Vec::new())?;
        whole.elements.append(&mut template.elements);
        whole.mapping.append(&mut template.mapping);
    }
    Ok(whole)
}

/// Rejects disallowed elements and inserts our helpers. `before` is the number of lines before this part,
/// `params` the block parameters in scope. Recurses as deep as blocks nest, which is bounded.
fn prepare(template: &mut Template, around: usize, before: usize, params: &mut Vec<String>) -> Result<(), Error> {
    let elements = std::mem::take(&mut template.elements);
    let mut places = std::mem::take(&mut template.mapping).into_iter();
    for element in elements {
        let mut place = places.next();
        if let Some(place) = &mut place {
            place.0 += before;
        }
        let line = place.as_ref().map_or(around, |place| place.0);
        let element = match element {
            TemplateElement::Expression(call) => print(*call, line, params)?,
            TemplateElement::HtmlExpression(call) => match print(*call, line, params)? {
                TemplateElement::Expression(call) => TemplateElement::HtmlExpression(call),
                other => other,
            },
            TemplateElement::HelperBlock(mut block) => {
                if let Some(subject) = enter(&mut block, line, params)? {
                    template.elements.push(call(NEED, subject));
                    template.mapping.extend(place.clone());
                }
                let outside = params.len();
                params.extend(block.block_param.as_mut().map(mark_names).unwrap_or_default());
                if let Some(inner) = &mut block.template {
                    prepare(inner, line, before, params)?;
                }
                params.truncate(outside);
                if let Some(inner) = &mut block.inverse {
                    prepare(inner, line, before, params)?;
                }
                TemplateElement::HelperBlock(block)
            }
            TemplateElement::PartialExpression(partial) | TemplateElement::PartialBlock(partial) => {
                let name = partial.name.as_name().unwrap_or_default();
                return Err(refused(line, &format!("partial '{name}'"), "only Mustache templates have partials"));
            }
            TemplateElement::DecoratorExpression(decorator) | TemplateElement::DecoratorBlock(decorator) => {
                let name = decorator.name.as_name().unwrap_or_default();
                return Err(refused(line, &format!("decorator '{name}'"), "a template cannot define anything"));
            }
            text => text,
        };
        template.elements.push(element);
        template.mapping.extend(place);
    }
    Ok(())
}

/// A printed value as a call of our helper.
fn print(mut value: HelperTemplate, line: usize, params: &[String]) -> Result<TemplateElement, Error> {
    if !value.params.is_empty() || !value.hash.is_empty() {
        return Err(no_helper(value.name.as_name().unwrap_or_default(), line));
    }
    plain(&value.name, line)?;
    mark_path(&mut value.name, params);
    Ok(call(PRINT, value.name))
}

/// Prepares a block; returns the value that it requires.
fn enter(block: &mut HelperTemplate, line: usize, params: &[String]) -> Result<Option<Parameter>, Error> {
    for parameter in block.params.iter_mut().chain(block.hash.values_mut()) {
        plain(parameter, line)?;
        mark_path(parameter, params);
    }
    let name = block.name.as_name().unwrap_or_default().to_owned();
    match (name.as_str(), block.params.as_mut_slice()) {
        ("if" | "unless" | INVERTED, [subject]) => {
            // A path that does not resolve is false.
            if let Some(path) = subject.as_name() {
                *subject = value(path);
            }
            Ok(None)
        }
        ("each" | "with" | SECTION, [subject]) => {
            let needed = subject.clone();
            if let Some(path) = computed(subject) {
                *subject = value(&path);
            }
            // Without an `else`, the crate treats a value that cannot be entered as undefined.
            block.inverse.get_or_insert_default();
            Ok(Some(needed))
        }
        ("if" | "unless" | "each" | "with", given) => {
            let message = format!("'{name}' at line {line} takes one value, not {}", given.len());
            Err(template_error(line, message))
        }
        _ => Err(no_helper(&name, line)),
    }
}

/// Marks the names of a block's parameters; returns them unmarked.
fn mark_names(named: &mut BlockParam) -> Vec<String> {
    let names = match named {
        BlockParam::Single(item) => vec![item],
        BlockParam::Pair((item, index)) => vec![item, index],
        _ => Vec::new(),
    };
    let mark = |name: &mut Parameter| match name {
        Parameter::Name(name) => Some(std::mem::replace(name, format!("{BLOCK_PARAM}{name}"))),
        _ => None,
    };
    names.into_iter().filter_map(mark).collect()
}

/// Marks the block parameter that a path begins with: the crate would also look for one after `../` and `this`.
fn mark_path(parameter: &mut Parameter, params: &[String]) {
    let Parameter::Path(Path::Relative((segments, raw))) = parameter else { return };
    if ["this.", "this/", "./"].iter().any(|own| raw.starts_with(own)) {
        return;
    }
    if let Some(PathSeg::Named(first)) = segments.first_mut()
        && params.contains(first)
    {
        first.insert(0, BLOCK_PARAM);
        raw.insert(usize::from(raw.starts_with('[')), BLOCK_PARAM);
    }
}

/// Checks that a parameter calls no helper.
fn plain(parameter: &Parameter, line: usize) -> Result<(), Error> {
    match parameter {
        Parameter::Subexpression(inner) => Err(no_helper(inner.name(), line)),
        _ => Ok(()),
    }
}

/// `{{helper subject}}`
fn call(helper: &str, subject: Parameter) -> TemplateElement {
    let params = match computed(&subject) {
        Some(path) => vec![value(&path), Parameter::Literal(path.into())],
        None => vec![subject],
    };
    *helper_call(helper, params).element
}

fn helper_call(helper: &str, params: Vec<Parameter>) -> Subexpression {
    Subexpression::new(Parameter::Name(helper.to_owned()), params, HashMap::new())
}

/// The value at a path, found by our helper.
fn value(path: &str) -> Parameter {
    Parameter::Subexpression(helper_call(VALUE, vec![Parameter::Literal(path.into())]))
}

/// The path, if only our helper may find its value: the length of a list or text, or the key of an item of a list.
fn computed(subject: &Parameter) -> Option<String> {
    let is_computed = |path: &&str| path.ends_with(LENGTH) || item_of_key(path).is_some();
    subject.as_name().filter(is_computed).map(str::to_owned)
}

fn no_helper(name: &str, line: usize) -> Error {
    refused(line, &format!("helper '{name}'"), "the helpers are if, unless, each and with")
}

/// The error for something a template may not use.
pub(crate) fn refused(line: usize, what: &str, why: &str) -> Error {
    template_error(line, format!("{what} at line {line} is not supported: {why}"))
}

/// Converts a parse error of the crate in a part that begins after this many lines.
fn unread(error: &TemplateError, before: usize) -> Error {
    let line = error.pos().map(|(line, _)| line + before);
    match error.reason() {
        // The rest of the message contains names of the parser's rules.
        TemplateErrorReason::InvalidSyntax(_) => error_at(line, "invalid Handlebars syntax".to_owned()),
        reason => error_at(line, reason.to_string()),
    }
}

fn explain(error: &handlebars::RenderError) -> Error {
    let line = error.line_no;
    match error.reason() {
        RenderErrorReason::NestedError(cause) => match cause.downcast_ref::<Undefined>() {
            Some(Undefined { name, near }) => undefined_at(name, line, near.as_deref()),
            None => error_at(line, cause.to_string()),
        },
        RenderErrorReason::InvalidJsonIndex(field) => {
            error_at(line, format!("a list has no field '{}'", field.replace(BLOCK_PARAM, "")))
        }
        reason => error_at(line, reason.to_string()),
    }
}

/// Text up to the output limit; every write is a step, even an empty one.
struct LimitedOutput {
    text: String,
    fuel: u64,
    /// The message about the exceeded limit.
    passed: Option<String>,
}

impl Output for LimitedOutput {
    fn write(&mut self, text: &str) -> io::Result<()> {
        match self.fuel.checked_sub(1) {
            Some(fuel) => self.fuel = fuel,
            None => self.passed = Some(out_of_fuel()),
        }
        if self.text.len() + text.len() > OUTPUT_BYTES {
            self.passed = Some(output_too_large());
        }
        if self.passed.is_some() {
            return Err(io::ErrorKind::FileTooLarge.into());
        }
        self.text.push_str(text);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn rendered(template: Template) -> Result<Rendered, Error> {
        let values = serde_json::json!({"x": "X", "xs": [1, 2], "o": {"y": "Y"}});
        CompiledHandlebars { template }.render(&values, false)
    }

    #[test]
    fn an_error_has_the_line_of_the_text_also_in_parts() {
        let text =
            "a {{x}}\n{{#if x}}\n  b\n{{/if}}\nc  {{~x~}} \n d\n{{#if gone}}\r\n{{else}}\r\n  e\r\n{{/if}}\r\n{{zz}}\n";
        let text = translate(text).unwrap();
        assert_eq!(parts(&text, 0).len(), 5);
        for part in [0, usize::MAX] {
            assert_eq!(rendered(compile(&text, part).unwrap()).unwrap_err().line, Some(text.lines().count()), "{part}");
        }
    }

    proptest! {
        #[test]
        fn rendering_in_parts_equals_rendering_the_whole(pieces in prop::collection::vec(prop::sample::select(vec![
            "a", " ", "\n", "\r\n", "\n\n  ", "{{x}}", "{{~x}}", "{{x~}}", "{{! c }}", "{{~! c ~}}", "{{!\n}}", "{{{x}}}",
            "\\{{x}}", "\\\\{{x}}", "{{#if x}}b{{/if}}", "{{#if gone~}}\n{{else}}\nb\n{{/if}}", "{{#each xs}}\n{{this}}\n",
            "{{/each}}", "{{#with o~}}\n {{y}}", "{{~/with}}",
        ]), 0..24)) {
            let text = pieces.concat();
            if check(&text).is_ok() {
                let text = translate(&text).unwrap();
                let (whole, apart) = (compile(&text, usize::MAX).unwrap(), compile(&text, 0).unwrap());
                prop_assert_eq!(rendered(apart), rendered(whole), "{}", text);
            }
        }
    }
}
