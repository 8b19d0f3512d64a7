//! Our helpers for the places where Handlebars needs a value: printing one, checking that a block has one, and entering a
//! plain section `{{#x}}`. The crate resolves names; an error about a missing one suggests the most similar name.

use std::fmt;

use handlebars::{
    BlockContext, Context, Handlebars, Helper, HelperDef, HelperResult, JsonTruthy, Output, PathAndJson, RenderContext,
    RenderError, RenderErrorReason, Renderable, ScopedJson,
};
use serde_json::Value;

use refdesk_text::nearest::nearest;

/// The name of [`ValueHelper::Print`], which no template can contain.
pub(super) const PRINT: &str = "\u{1}print";
/// The name of [`ValueHelper::Need`], which no template can contain.
pub(super) const NEED: &str = "\u{1}need";
/// The name of [`ValueHelper::Section`], in characters that the crate's parser accepts.
pub(super) const SECTION: &str = "§section";

/// A name that does not resolve.
#[derive(Debug)]
pub(super) struct Undefined {
    /// As written in the template.
    pub name: String,
    /// A similar name, for the suggestion.
    pub near: Option<String>,
}

impl fmt::Display for Undefined {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "undefined variable '{}'", self.name)
    }
}

impl std::error::Error for Undefined {}

/// What a helper does with its argument, after checking that it is defined.
pub(super) enum ValueHelper {
    /// `{{x}}`: strings unchanged, nothing for null, lists and objects as JSON, as in Mustache.
    Print,
    /// Nothing: the block after it requires a value.
    Need,
    /// `{{#x}}…{{else}}…{{/x}}`: once per item for a list, with the value in scope for an object or text, unchanged for
    /// `true`, else the other branch.
    Section,
}

impl HelperDef for ValueHelper {
    fn call<'reg: 'rc, 'rc>(
        &self,
        helper: &Helper<'rc>,
        engine: &'reg Handlebars<'reg>,
        context: &'rc Context,
        run: &mut RenderContext<'reg, 'rc>,
        out: &mut dyn Output,
    ) -> HelperResult {
        let subject = subject(helper, context, run)?;
        match self {
            Self::Print => {
                let text = match subject.value() {
                    Value::Null => String::new(),
                    Value::String(text) => text.clone(),
                    value => value.to_string(),
                };
                let text = if run.is_disable_escape() { text } else { engine.get_escape_fn()(&text) };
                return Ok(out.write(&text)?);
            }
            Self::Need => return Ok(out.write("")?),
            Self::Section => {}
        }
        let part = if subject.value().is_truthy(true) { helper.template() } else { helper.inverse() };
        let Some(part) = part else { return Ok(()) };
        match subject.value() {
            Value::Array(items) if !items.is_empty() => {
                for (at, item) in items.iter().enumerate() {
                    let mut block = inside(subject, Some(at), item);
                    block.set_local_var("index", at.into());
                    block.set_local_var("first", (at == 0).into());
                    block.set_local_var("last", (at + 1 == items.len()).into());
                    run.push_block(block);
                    part.render(engine, context, run, out)?;
                    run.pop_block();
                }
                Ok(())
            }
            value @ (Value::Object(_) | Value::String(_) | Value::Number(_)) if value.is_truthy(true) => {
                run.push_block(inside(subject, None, value));
                part.render(engine, context, run, out)?;
                run.pop_block();
                Ok(())
            }
            _ => part.render(engine, context, run, out),
        }
    }
}

/// The block context for a value, or for an item of it.
fn inside<'rc>(subject: &PathAndJson<'_>, item: Option<usize>, value: &Value) -> BlockContext<'rc> {
    let mut block = BlockContext::new();
    match subject.context_path() {
        Some(path) => {
            let mut path = path.clone();
            path.extend(item.map(|at| at.to_string()));
            *block.base_path_mut() = path;
        }
        None => block.set_base_value(value.clone()),
    }
    block
}

/// The helper's argument, if it is defined.
fn subject<'h, 'rc>(
    helper: &'h Helper<'rc>,
    context: &'rc Context,
    run: &RenderContext<'_, 'rc>,
) -> Result<&'h PathAndJson<'rc>, RenderError> {
    let given = helper.param(0).ok_or(RenderErrorReason::ParamNotFoundForIndex("section", 0))?;
    if !given.is_value_missing() {
        return Ok(given);
    }
    let name = given.relative_path().cloned().unwrap_or_default();
    let near = near(&name, context, run);
    Err(RenderErrorReason::NestedError(Box::new(Undefined { name, near })).into())
}

/// The suggested name: the most similar one in this scope, or the same name in an outer scope.
fn near<'rc>(name: &str, context: &'rc Context, run: &RenderContext<'_, 'rc>) -> Option<String> {
    let (before, last) = match name.rfind(['.', '/']) {
        Some(at) => name.split_at(at + 1),
        None => ("", name),
    };
    let around = if before.is_empty() { "this" } else { before.trim_end_matches(['.', '/']) };
    let found = run.evaluate(context, around).ok();
    let around = if around == "@root" { Some(context.data()) } else { found.as_ref().map(ScopedJson::as_json) };
    if let Some(Value::Object(fields)) = around
        && let Some(near) = nearest(last, fields.keys().map(String::as_str))
    {
        return Some(format!("{before}{near}"));
    }
    if found.as_ref().is_some_and(ScopedJson::is_missing) && !before.is_empty() {
        return near(before.trim_end_matches(['.', '/']), context, run);
    }
    let outer = format!("../{name}");
    let is_there = before.is_empty() && run.evaluate(context, &outer).is_ok_and(|found| !found.is_missing());
    is_there.then_some(outer)
}
