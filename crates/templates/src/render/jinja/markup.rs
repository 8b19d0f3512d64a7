//! The filters for HTML: `striptags`, `xmlattr`, `urlize`.

use std::sync::LazyLock;

use html5gum::{State as HtmlState, Token, Tokenizer};
use minijinja::value::{DynObject, ValueKind};
use minijinja::{Error, Value};
use regex::Regex;

use super::arguments::{PythonArguments, RestArguments, check_output_size, failed, undefined};
use super::print::printed;
use super::text_filters::{escaped, text};

/// Removes tags and comments, collapses white space, and decodes entities.
///
/// # Errors
///
/// The value is undefined.
pub(super) fn striptags(value: &Value) -> Result<String, Error> {
    let value = text(value)?;
    let (mut kept, mut rest) = (String::with_capacity(value.len()), &*value);
    while let Some(at) = rest.find('<') {
        let (before, tag) = rest.split_at(at);
        let close = if tag.starts_with("<!--") { "-->" } else { ">" };
        let Some(end) = tag.find(close) else { break };
        kept.push_str(before);
        rest = tag.get(end + close.len()..).unwrap_or_default();
    }
    kept.push_str(rest);
    let blank = refdesk_text::lines::single_spaced(&kept);
    Ok(if blank.contains('&') { unescaped(&blank) } else { blank })
}

fn unescaped(text: &str) -> String {
    let mut tokenizer = Tokenizer::new(text);
    // In this state, only entities are special.
    tokenizer.set_state(HtmlState::RcData);
    let mut out = String::with_capacity(text.len());
    for token in tokenizer {
        if let Ok(Token::String(part)) = token {
            out.push_str(&String::from_utf8_lossy(&part));
        }
    }
    out
}

/// `xmlattr(autospace=true)`: a dict as attributes of a tag; none and undefined values are left out.
///
/// # Errors
///
/// Not a dict, an invalid attribute name, or the output limit would be exceeded.
pub(super) fn xmlattr(value: &Value, more: RestArguments) -> Result<String, Error> {
    let mut args = PythonArguments::new(more);
    let autospace = args.flag("autospace", true)?;
    args.end()?;
    let pairs = value.as_object().filter(|_| value.kind() == ValueKind::Map).and_then(DynObject::try_iter_pairs);
    let Some(pairs) = pairs else {
        return Err(if value.is_undefined() {
            undefined(value)
        } else {
            failed(format!("xmlattr takes a dict, not {}", value.kind()))
        });
    };
    let mut out = String::new();
    for (key, value) in pairs {
        if value.is_none() || value.is_undefined() {
            continue;
        }
        let key = printed(&key).into_owned();
        if key.contains(|c: char| c.is_whitespace() || matches!(c, '/' | '>' | '=')) {
            return Err(failed(format!("invalid character in attribute name '{}'", key.escape_debug())));
        }
        let text = if value.is_safe() { printed(&value).into_owned() } else { escaped(&printed(&value)) };
        if autospace || !out.is_empty() {
            out.push(' ');
        }
        out.push_str(&format!("{}=\"{text}\"", escaped(&key)));
        check_output_size(out.len())?;
    }
    Ok(out)
}

/// What `urlize` treats as a web address: with a scheme any possible host, otherwise only well-known top-level domains.
static ADDRESS: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(concat!(
        r"(?i)^(?:(?:https?://|www\.)(?:[\w%-]+\.)*(?:[a-z]{2,63}|xn--[\w%]{2,59})",
        r"|(?:[\w%-]{2,63}\.)+(?:com|net|int|edu|gov|org|info|mil)",
        r"|https?://(?:\d{1,3}(?:\.\d{1,3}){3}|\[(?:[\da-f]{0,4}:){2}(?:[\da-f]{0,4}:?){1,6}\]))",
        r"(?::\d{1,5})?(?:[/?#]\S*)?$",
    ))
    .ok()
});

static MAIL: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r"^\S+@\w[\w.-]*\.\w+$").ok());

fn matches(regex: &LazyLock<Option<Regex>>, text: &str) -> bool {
    regex.as_ref().is_some_and(|regex| regex.is_match(text))
}

/// `urlize(trim_url_limit=none, nofollow=false, target=none, rel=none, extra_schemes=none)`.
///
/// # Errors
///
/// The arguments are invalid, or the output limit would be exceeded.
#[allow(clippy::needless_pass_by_value)] // the engine hands arguments over by value
pub(super) fn urlize(value: &Value, more: RestArguments) -> Result<String, Error> {
    let mut args = PythonArguments::new(more);
    let limit = usize::try_from(args.number("trim_url_limit", -1)?).ok();
    let nofollow = args.flag("nofollow", false)?;
    let target = args.text("target")?;
    let rel = args.text("rel")?.unwrap_or_default();
    let schemes: Vec<String> = match args.some("extra_schemes") {
        Some(schemes) => schemes.try_iter()?.map(|scheme| printed(&scheme).into_owned()).collect(),
        None => Vec::new(),
    };
    args.end()?;
    let mut kinds: Vec<&str> =
        rel.split_whitespace().chain(nofollow.then_some("nofollow")).chain(["noopener"]).collect();
    kinds.sort_unstable();
    kinds.dedup();
    let mut attributes = format!(" rel=\"{}\"", escaped(&kinds.join(" ")));
    if let Some(target) = target.filter(|target| !target.is_empty()) {
        attributes.push_str(&format!(" target=\"{}\"", escaped(&target)));
    }
    let text = escaped(&text(value)?);
    let (mut out, mut rest) = (String::with_capacity(text.len()), text.as_str());
    while !rest.is_empty() {
        let word = rest.find(char::is_whitespace).unwrap_or(rest.len());
        let (word, after) = rest.split_at(word);
        out.push_str(&linked(word, limit, &attributes, &schemes));
        let blank = after.len() - after.trim_start().len();
        let (blank, after) = after.split_at(blank);
        out.push_str(blank);
        rest = after;
        check_output_size(out.len())?;
    }
    Ok(out)
}

/// One word of an escaped text, linked if it is an address apart from leading brackets and trailing punctuation.
fn linked(word: &str, limit: Option<usize>, attributes: &str, schemes: &[String]) -> String {
    let mut middle = word;
    while let Some(inner) = ["(", "<", "&lt;"].iter().find_map(|open| middle.strip_prefix(open)) {
        middle = inner;
    }
    let head = word.get(..word.len() - middle.len()).unwrap_or_default();
    let from = head.len();
    while let Some(inner) = [")", ">", ".", ",", "&gt;"].iter().find_map(|close| middle.strip_suffix(close)) {
        middle = inner;
    }
    let mut end = from + middle.len();
    // A bracket opened in an address is also closed in it.
    for (open, close) in [("(", ")"), ("<", ">"), ("&lt;", "&gt;")] {
        let inside = word.get(from..end).unwrap_or_default();
        for _ in inside.matches(close).count()..inside.matches(open).count() {
            let Some(at) = word.get(end..).and_then(|tail| tail.find(close)) else { break };
            end += at + close.len();
        }
    }
    let (middle, tail) = (word.get(from..end).unwrap_or_default(), word.get(end..).unwrap_or_default());
    let shown = match limit {
        Some(limit) if middle.chars().count() > limit => {
            format!("{}...", middle.chars().take(limit).collect::<String>())
        }
        _ => middle.to_owned(),
    };
    let link = if matches(&ADDRESS, middle) {
        let scheme = if middle.starts_with("https://") || middle.starts_with("http://") { "" } else { "https://" };
        format!("<a href=\"{scheme}{middle}\"{attributes}>{shown}</a>")
    } else if let Some(mail) = middle.strip_prefix("mailto:").filter(|mail| matches(&MAIL, mail)) {
        format!("<a href=\"{middle}\">{mail}</a>")
    } else if !middle.starts_with("www.") && !middle.starts_with('@') && !middle.contains(':') && matches(&MAIL, middle)
    {
        format!("<a href=\"mailto:{middle}\">{middle}</a>")
    } else if schemes.iter().any(|scheme| middle != scheme && middle.starts_with(scheme.as_str())) {
        format!("<a href=\"{middle}\"{attributes}>{middle}</a>")
    } else {
        middle.to_owned()
    };
    format!("{head}{link}{tail}")
}
