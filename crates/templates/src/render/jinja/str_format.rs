//! `'{:>8}|{0.name!r}'.format(x)`. Fields are parsed here, so that conversions, formats that contain fields,
//! percentages and the width of texts are as in Python; the engine formats the numbers.

use minijinja::formatting::{FormatStyle, format};
use minijinja::value::ValueKind;
use minijinja::{Error, Value};

use super::arguments::{check_output_size, failed, must_be_defined};
use super::filters::{check_widths, step_into};
use super::operators::multiply;
use super::print::{of_text, printed, repr};
use super::text_filters::escaped;
use super::typed;

/// How deep fields can nest: a field, and the fields in its format.
const LEVELS: usize = 2;

/// Fills in a format; in a safe format the values are escaped.
///
/// # Errors
///
/// The values do not match the format, or the output limit would be exceeded.
pub(super) fn str_format(text: &str, safe: bool, args: &[Value]) -> Result<Value, Error> {
    let (named, places) = match args.split_last() {
        Some((last, places)) if last.is_kwargs() => (last.clone(), places),
        _ => (Value::from(()), args),
    };
    let mut fields = FormatFields { places, named, next: 0, is_numbered: None, safe };
    let out = fields.fill(text, LEVELS)?;
    Ok(of_text(out, safe))
}

/// How a format ends that only numbers have.
const NUMBER_FORMATS: [char; 14] = ['b', 'c', 'd', 'e', 'E', 'f', 'F', 'g', 'G', 'n', 'o', 'x', 'X', '%'];

struct FormatFields<'a> {
    places: &'a [Value],
    named: Value,
    /// The position of the next field without a number.
    next: usize,
    /// Whether the fields so far have numbers; the two kinds cannot be mixed.
    is_numbered: Option<bool>,
    safe: bool,
}

impl FormatFields<'_> {
    /// Recurses as deep as fields nest.
    fn fill(&mut self, text: &str, levels: usize) -> Result<String, Error> {
        let (mut out, mut rest) = (String::new(), text);
        while let Some(at) = rest.find(['{', '}']) {
            let (before, brace) = rest.split_at(at);
            out.push_str(before);
            if let Some(after) = brace.strip_prefix("{{").or(brace.strip_prefix("}}")) {
                out.push_str(brace.get(..1).unwrap_or_default());
                rest = after;
                continue;
            }
            let Some(field) = brace.strip_prefix('{') else {
                return Err(failed("a single '}' in the format; write '}}' for a brace"));
            };
            let end = end_of_field(field).ok_or_else(|| failed("a '{' in the format is not closed"))?;
            let levels = levels.checked_sub(1).ok_or_else(|| failed("the fields of the format nest too deep"))?;
            out.push_str(&self.field(field.get(..end).unwrap_or_default(), levels)?);
            check_output_size(out.len())?;
            rest = field.get(end + 1..).unwrap_or_default();
        }
        out.push_str(rest);
        Ok(out)
    }

    /// `name!conversion:spec`
    fn field(&mut self, field: &str, levels: usize) -> Result<String, Error> {
        let (name, rest) = field.split_at(field.find(['!', ':']).unwrap_or(field.len()));
        let value = self.value(name)?;
        let (conversion, rest) = match rest.strip_prefix('!') {
            Some(rest) => rest.split_at(rest.find(':').unwrap_or(rest.len())),
            None => ("", rest),
        };
        let spec = self.fill(rest.strip_prefix(':').unwrap_or_default(), levels)?;
        check_widths(&spec)?;
        let value = if spec.ends_with(NUMBER_FORMATS) { typed::numeric(&value).into_owned() } else { value };
        let text = match conversion {
            "" => value.as_str().map(str::to_owned),
            "s" => Some(printed(&value).into_owned()),
            "r" | "a" => Some(repr(&value)),
            other => return Err(failed(format!("unknown conversion '!{}'", other.escape_debug()))),
        };
        let filled = match text {
            Some(text) => text_field(&text, &spec)?,
            None if spec.is_empty() => printed(&value).into_owned(),
            None if matches!(value.kind(), ValueKind::Number | ValueKind::Bool) => number_field(&value, &spec)?,
            None => return Err(unfit(&spec, &value.kind().to_string())),
        };
        Ok(if self.safe && !value.is_safe() { escaped(&filled) } else { filled })
    }

    /// The value of `0.name[key]`.
    fn value(&mut self, name: &str) -> Result<Value, Error> {
        let (first, mut path) = name.split_at(name.find(['.', '[']).unwrap_or(name.len()));
        let number = first.parse::<usize>();
        let mut value = if first.is_empty() || number.is_ok() {
            if self.is_numbered.replace(number.is_ok()).is_some_and(|before| before != number.is_ok()) {
                return Err(failed("fields with and without a number cannot be mixed in a format"));
            }
            let at = number.unwrap_or(self.next);
            self.next = at.saturating_add(1);
            self.places.get(at).cloned().ok_or_else(|| failed(format!("the format needs {} values", self.next)))?
        } else {
            let named = self.named.as_object().and_then(|named| named.get_value(&Value::from(first)));
            named.ok_or_else(|| failed(format!("the format needs '{first}', which is not given")))?
        };
        while !path.is_empty() {
            let (key, rest) = match path.strip_prefix('[').and_then(|path| path.split_once(']')) {
                Some(found) => found,
                None => {
                    let path = path.strip_prefix('.').ok_or_else(|| failed("a '[' in the format is not closed"))?;
                    path.split_at(path.find(['.', '[']).unwrap_or(path.len()))
                }
            };
            value = step_into(&value, key)?;
            path = rest;
        }
        must_be_defined(&value)?;
        Ok(value)
    }
}

/// The position of the brace that closes a field.
fn end_of_field(field: &str) -> Option<usize> {
    let mut depth = 0_usize;
    let ends = |(_, c): &(usize, char)| {
        match c {
            '{' => depth += 1,
            '}' if depth == 0 => return true,
            '}' => depth -= 1,
            _ => {}
        }
        false
    };
    field.char_indices().find(ends).map(|(at, _)| at)
}

/// The start of a format, `*>+#012`; apart from the precision, the rest is only for numbers.
struct Layout<'s> {
    fill: Option<char>,
    align: Option<char>,
    flags: &'s str,
    zero: bool,
    width: usize,
    rest: &'s str,
}

impl<'s> Layout<'s> {
    fn new(spec: &'s str) -> Self {
        let is_align = |c: &char| matches!(c, '<' | '>' | '^' | '=');
        let mut characters = spec.chars();
        let (first, second) = (characters.next(), characters.next());
        let (fill, align, rest) = match (first, second.filter(is_align), first.filter(is_align)) {
            (Some(_), Some(align), _) => (first, Some(align), characters.as_str()),
            (_, None, Some(align)) => (None, Some(align), spec.get(1..).unwrap_or_default()),
            _ => (None, None, spec),
        };
        let end = |text: &str, within: fn(char) -> bool| text.find(|c| !within(c)).unwrap_or(text.len());
        let (flags, rest) = rest.split_at(end(rest, |c| matches!(c, '+' | '-' | ' ' | '#')));
        let (width, rest) = rest.split_at(end(rest, |c| c.is_ascii_digit()));
        Self { fill, align, flags, zero: width.starts_with('0'), width: width.parse().unwrap_or_default(), rest }
    }

    fn pad(&self, text: &str, align: char) -> String {
        let space = self.width.saturating_sub(text.chars().count());
        let left = match self.align.unwrap_or(align) {
            '<' => 0,
            '^' => space / 2,
            _ => space,
        };
        let fill = self.fill.unwrap_or(if self.zero { '0' } else { ' ' });
        let blank = |count| std::iter::repeat_n(fill, count);
        blank(left).chain(text.chars()).chain(blank(space - left)).collect()
    }
}

fn text_field(text: &str, spec: &str) -> Result<String, Error> {
    let layout = Layout::new(spec);
    let precision = layout.rest.strip_suffix('s').unwrap_or(layout.rest);
    let length = match precision.strip_prefix('.').map(str::parse::<usize>) {
        Some(Ok(length)) => Some(length),
        None if precision.is_empty() => None,
        _ => return Err(unfit(spec, "a string")),
    };
    if !layout.flags.is_empty() || layout.align == Some('=') {
        return Err(unfit(spec, "a string"));
    }
    Ok(layout.pad(&text.chars().take(length.unwrap_or(usize::MAX)).collect::<String>(), '<'))
}

fn unfit(spec: &str, what: &str) -> Error {
    failed(format!("the format '{}' does not work on {what}", spec.escape_debug()))
}

fn number_field(number: &Value, spec: &str) -> Result<String, Error> {
    let layout = Layout::new(spec);
    let (number, rest, unit) = match layout.rest.strip_suffix('%') {
        Some(rest) => (multiply(number, &Value::from(100.0))?, format!("{rest}f"), "%"),
        None if number.kind() == ValueKind::Bool => {
            (Value::from(i64::from(number.is_true())), layout.rest.to_owned(), "")
        }
        None => (number.clone(), layout.rest.to_owned(), ""),
    };
    // `n` follows the locale, of which there is none.
    let rest = match rest.strip_suffix('n') {
        Some(rest) if rest.contains([',', '_']) => {
            return Err(failed(format!("the format 'n' takes no ',' or '_': '{}'", spec.escape_debug())));
        }
        Some(rest) => format!("{rest}{}", if number.is_integer() { 'd' } else { 'g' }),
        None => rest,
    };
    if number.is_integer() && rest.contains('.') && !rest.ends_with(['e', 'E', 'f', 'F', 'g', 'G']) {
        return Err(failed(format!("precision is not allowed for a whole number: '{}'", spec.escape_debug())));
    }
    // Zeros come after the sign and between thousands separators.
    let zeros = match layout.width.saturating_sub(unit.len()) {
        width if layout.zero && layout.align.is_none() => format!("0{width}"),
        _ => String::new(),
    };
    let spec = format!("{{0:{}{zeros}{rest}}}", layout.flags);
    let text = format(FormatStyle::StrFormat, &spec, &[number])? + unit;
    if layout.align != Some('=') {
        return Ok(layout.pad(&text, '>'));
    }
    let (sign, digits) = text.split_at(usize::from(text.starts_with(['+', '-', ' '])));
    let width = layout.width.saturating_sub(sign.len());
    Ok(format!("{sign}{}", Layout { align: Some('>'), width, ..layout }.pad(digits, '>')))
}
