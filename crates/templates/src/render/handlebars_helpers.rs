//! Our helpers for the places where Handlebars needs a value: printing one, checking that a block has one, and entering
//! a block other than `each`, because the crate's own helpers have other rules for what is true. The crate resolves
//! names; an error about a missing one suggests the most similar name.

use std::fmt;

use handlebars::{
    BlockContext, BlockParamHolder, Context, Handlebars, Helper, HelperDef, HelperResult, Output, PathAndJson,
    RenderContext, RenderError, RenderErrorReason, Renderable, ScopedJson,
};
use serde_json::Value;

use refdesk_text::nearest::nearest;

/// The name of [`ValueHelper::Print`], which no template can contain.
pub(super) const PRINT: &str = "\u{1}print";
/// The name of [`ValueHelper::Need`], which no template can contain.
pub(super) const NEED: &str = "\u{1}need";
/// The name of [`ValueHelper::Value`], which no template can contain.
pub(super) const VALUE: &str = "\u{1}value";
/// The name of [`ValueHelper::Section`], in characters that the crate's parser accepts.
pub(super) const SECTION: &str = "§section";
/// The name of [`ValueHelper::Inverted`], in characters that the crate's parser accepts.
pub(super) const INVERTED: &str = "§inverted";

/// Marks a block parameter, in its own name and where a path begins with it. A character that the crate's parser accepts
/// in names and that no template uses.
pub(super) const BLOCK_PARAM: char = '\u{80}';

/// The end of a path to the length of a list or text.
pub(super) const LENGTH: &str = ".length";

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

/// What a helper does with its argument.
pub(super) enum ValueHelper {
    /// `{{x}}`: strings unchanged, nothing for null, lists and objects as JSON, as in Mustache.
    Print,
    /// Nothing: the block after it requires a value.
    Need,
    /// `{{#x}}…{{else}}…{{/x}}`: once per item for a list, unchanged for `true`, the other branch for false and null, else
    /// with the value in scope.
    Section,
    /// `{{^x}}…{{else}}…{{/x}}`
    Inverted,
    /// `{{#if x}}`, or `{{#unless x}}` if false.
    If(bool),
    /// `{{#with x}}`
    With,
    /// The value at a path given as text, including the `length` of a list or text, and the index of an item of a list
    /// as its `@key`; missing if the path does not resolve.
    Value,
}

impl HelperDef for ValueHelper {
    fn call_inner<'reg: 'rc, 'rc>(
        &self,
        helper: &Helper<'rc>,
        _: &'reg Handlebars<'reg>,
        context: &'rc Context,
        run: &mut RenderContext<'reg, 'rc>,
    ) -> Result<ScopedJson<'rc>, RenderError> {
        let path = helper.param(0).and_then(|path| path.value().as_str()).unwrap_or_default();
        match run.evaluate(context, path) {
            Ok(found) if !found.is_missing() => return Ok(found),
            _ => {}
        }
        if let Some(item) = item_of_key(path) {
            return run.evaluate(context, &format!("{item}index"));
        }
        let of = path.strip_suffix(LENGTH).and_then(|of| run.evaluate(context, of).ok());
        Ok(match of.as_ref().map(ScopedJson::as_json) {
            Some(Value::Array(items)) => ScopedJson::Derived(items.len().into()),
            // In UTF-16 code units, as in JavaScript.
            Some(Value::String(text)) => ScopedJson::Derived(text.encode_utf16().count().into()),
            _ => ScopedJson::Missing,
        })
    }

    fn call<'reg: 'rc, 'rc>(
        &self,
        helper: &Helper<'rc>,
        engine: &'reg Handlebars<'reg>,
        context: &'rc Context,
        run: &mut RenderContext<'reg, 'rc>,
        out: &mut dyn Output,
    ) -> HelperResult {
        let given = helper.param(0).ok_or(RenderErrorReason::ParamNotFoundForIndex("section", 0))?;
        let value = given.value();
        let includes_zero = || helper.hash_get("includeZero").is_some_and(|zero| !is_empty(zero.value()));
        let enters = match self {
            Self::Print | Self::Need | Self::Value => {
                must_be_defined(given, helper, context, run)?;
                if !matches!(self, Self::Print) {
                    return Ok(out.write("")?);
                }
                let text = match value {
                    Value::Null => String::new(),
                    Value::String(text) => text.clone(),
                    value => value.to_string(),
                };
                let text = if run.is_disable_escape() { text } else { engine.get_escape_fn()(&text) };
                return Ok(out.write(&text)?);
            }
            Self::If(wanted) => *wanted == (!is_empty(value) && (value.as_f64() != Some(0.0) || includes_zero())),
            Self::With => !is_empty(value),
            Self::Section => !is_nothing(value),
            Self::Inverted => is_nothing(value),
        };
        let part = if enters { helper.template() } else { helper.inverse() };
        let Some(part) = part else { return Ok(()) };
        match (self, value) {
            (Self::Section, Value::Array(items)) if enters => {
                for (at, item) in items.iter().enumerate() {
                    let mut block = inside(given, Some(at), item);
                    block.set_local_var("index", at.into());
                    block.set_local_var("first", (at == 0).into());
                    block.set_local_var("last", (at + 1 == items.len()).into());
                    run.push_block(block);
                    part.render(engine, context, run, out)?;
                    run.pop_block();
                }
                return Ok(());
            }
            (Self::Section, Value::Bool(_)) => {}
            (Self::Section | Self::With, value) if enters => {
                let mut block = inside(given, None, value);
                if let (Self::With, Some(around)) = (self, run.block()) {
                    block.local_variables_mut().clone_from(around.local_variables());
                }
                if let Some(name) = helper.block_param().or_else(|| Some(helper.block_param_pair()?.0)) {
                    block.set_block_param(
                        name,
                        match given.context_path() {
                            Some(_) => BlockParamHolder::path(Vec::new()),
                            None => BlockParamHolder::value(value.clone()),
                        },
                    );
                }
                run.push_block(block);
                part.render(engine, context, run, out)?;
                run.pop_block();
                return Ok(());
            }
            _ => {}
        }
        part.render(engine, context, run, out)
    }
}

/// What comes before `key` in the path of an item's key: `@`, or `@../` for an outer item.
pub(super) fn item_of_key(path: &str) -> Option<&str> {
    let item = path.strip_suffix("key")?;
    item.strip_prefix('@')?.trim_start_matches("../").is_empty().then_some(item)
}

/// Whether `if` and `with` treat a value as false, apart from zero.
fn is_empty(value: &Value) -> bool {
    is_nothing(value) || matches!(value, Value::String(text) if text.is_empty())
}

/// Whether a plain section treats a value as false.
fn is_nothing(value: &Value) -> bool {
    match value {
        Value::Null | Value::Bool(false) => true,
        Value::Array(items) => items.is_empty(),
        _ => false,
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

/// Checks that the helper's argument is defined. If it was found by [`ValueHelper::Value`], a second argument is its name.
fn must_be_defined<'rc>(
    given: &PathAndJson<'rc>,
    helper: &Helper<'rc>,
    context: &'rc Context,
    run: &RenderContext<'_, 'rc>,
) -> Result<(), RenderError> {
    if !given.is_value_missing() {
        return Ok(());
    }
    let name = helper.param(1).and_then(|name| name.value().as_str()).map(str::to_owned);
    let name = name.or_else(|| given.relative_path().cloned()).unwrap_or_default();
    let near = near(&name, context, run).map(|near| near.replace(BLOCK_PARAM, ""));
    let name = name.replace(BLOCK_PARAM, "");
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
