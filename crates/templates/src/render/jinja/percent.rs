//! `'%-5s|%03d' % x` and the filter `format`. Conversions are parsed here, so that `%r`, `%u`, `*` and a wrong number
//! of values behave as in Python; the engine formats the values.

use minijinja::formatting::{FormatStyle, format};
use minijinja::value::ValueKind;
use minijinja::{Error, Value};

use super::arguments::{check_output_size, failed, must_be_defined};
use super::numbers::whole;
use super::print::{of_text, printed, repr};
use super::text_filters::escaped;
use super::typed;

/// Fills in a format; in a safe format the values are escaped.
///
/// # Errors
///
/// The values do not match the format, or the output limit would be exceeded.
pub(super) fn percent(format: &Value, values: &[Value]) -> Result<Value, Error> {
    let Some(text) = format.as_str() else { return Err(failed("the format must be a string")) };
    let mut fill = FormatArguments { values, at: 0, keyed: false, safe: format.is_safe() };
    let (mut out, mut rest) = (String::new(), text);
    while let Some(at) = rest.find('%') {
        let (before, conversion) = rest.split_at(at);
        out.push_str(before);
        rest = fill.conversion(conversion, &mut out)?;
        check_output_size(out.len())?;
    }
    out.push_str(rest);
    let all_used = fill.keyed || fill.at >= values.len() || matches!(values, [one] if fill.at == 0 && is_dict(one));
    if !all_used {
        return Err(failed("not all arguments converted during string formatting"));
    }
    Ok(of_text(out, fill.safe))
}

fn is_dict(value: &Value) -> bool {
    value.kind() == ValueKind::Map
}

struct FormatArguments<'a> {
    values: &'a [Value],
    at: usize,
    /// Whether a `%(name)s` was found.
    keyed: bool,
    safe: bool,
}

impl FormatArguments<'_> {
    fn next(&mut self) -> Result<Value, Error> {
        let value = self.values.get(self.at).ok_or_else(|| failed("not enough arguments for format string"))?;
        self.at += 1;
        must_be_defined(value)?;
        Ok(value.clone())
    }

    fn key(&mut self, name: &str) -> Result<Value, Error> {
        self.keyed = true;
        let dict =
            self.values.first().filter(|value| is_dict(value)).ok_or_else(|| failed("format requires a mapping"))?;
        let value = dict.get_attr(name)?;
        if value.is_undefined() {
            Err(failed(format!("the format needs '{name}', which is not given")))
        } else {
            Ok(value)
        }
    }

    /// A width or precision: digits, or `*` for the next value; 0 if omitted.
    fn width<'t>(&mut self, rest: &'t str) -> Result<(i64, &'t str), Error> {
        let (width, rest) = match rest.strip_prefix('*') {
            Some(rest) => {
                (i64::try_from(typed::numeric(&self.next()?).into_owned()).map_err(|_| failed("* wants int"))?, rest)
            }
            None => {
                let (digits, rest) = rest.split_at(rest.bytes().take_while(u8::is_ascii_digit).count());
                (if digits.is_empty() { 0 } else { digits.parse().unwrap_or(i64::MAX) }, rest)
            }
        };
        check_output_size(usize::try_from(width.unsigned_abs()).unwrap_or(usize::MAX))?;
        Ok((width, rest))
    }

    /// Writes the conversion at the start of `rest` and returns the text after it.
    fn conversion<'t>(&mut self, rest: &'t str, out: &mut String) -> Result<&'t str, Error> {
        let mut rest = rest.get(1..).unwrap_or_default();
        let mut key = None;
        if let Some((name, after)) = rest.strip_prefix('(').and_then(|rest| rest.split_once(')')) {
            key = Some(name);
            rest = after;
        }
        let flags = rest.bytes().take_while(|byte| b"#0- +".contains(byte)).count();
        let (flags, after) = rest.split_at(flags);
        let (width, mut rest) = self.width(after)?;
        // A negative width aligns to the left.
        let flags = if width < 0 { format!("{flags}-") } else { flags.to_owned() };
        let width = width.unsigned_abs();
        let mut precision = None;
        if let Some(after) = rest.strip_prefix('.') {
            let (digits, after) = self.width(after)?;
            (precision, rest) = (Some(digits.max(0).unsigned_abs()), after);
        }
        rest = rest.trim_start_matches(['h', 'l', 'L']);
        let mut characters = rest.chars();
        let kind = characters.next().ok_or_else(|| failed("incomplete format"))?;
        let after = characters.as_str();
        if kind == '%' {
            out.push('%');
            return Ok(after);
        }
        let value = match key {
            Some(name) => self.key(name)?,
            None => self.next()?,
        };
        let (kind, value) = match kind {
            's' => ('s', self.safely(&printed(&value), &value)),
            'r' | 'a' => ('s', self.safely(&repr(&value), &value)),
            'd' | 'i' | 'u' => ('d', number(&value, kind)?),
            'o' | 'x' | 'X' | 'e' | 'E' | 'f' | 'F' | 'g' | 'G' => (kind, number(&value, kind)?),
            'c' => ('c', value),
            other => return Err(failed(format!("unsupported format character '{}'", other.escape_debug()))),
        };
        if let (Some(digits), 'd' | 'o' | 'x' | 'X') = (precision, kind) {
            out.push_str(&with_digits(value, &flags, width, digits, kind)?);
            return Ok(after);
        }
        let mut spec = spec(&flags, width);
        if let Some(precision) = precision {
            spec.push_str(&format!(".{precision}"));
        }
        spec.push(kind);
        match value.as_str().filter(|text| kind == 's' && !text.is_ascii()) {
            Some(text) => out.push_str(&in_characters(&spec, text)?),
            None => out.push_str(&format(FormatStyle::Printf, &spec, &[value])?),
        }
        Ok(after)
    }

    fn safely(&self, text: &str, value: &Value) -> Value {
        Value::from(if self.safe && !value.is_safe() { escaped(text) } else { text.to_owned() })
    }
}

/// The start of the engine's format.
fn spec(flags: &str, width: u64) -> String {
    if width == 0 { format!("%{flags}") } else { format!("%{flags}{width}") }
}

/// A whole number with at least this many digits. The engine does not support this precision, so the number is
/// formatted as wide as its digits and sign, and then padded as a text.
fn with_digits(value: Value, flags: &str, width: u64, digits: u64, kind: char) -> Result<String, Error> {
    let is_signed = value < Value::from(0) || flags.contains(['+', ' ']);
    let prefix = if flags.contains('#') && kind != 'd' { 2 } else { 0 };
    let length = digits + u64::from(is_signed) + prefix;
    let is_left = flags.contains('-');
    let length = if flags.contains('0') && !is_left { length.max(width) } else { length };
    let with_zeros = format!("{}0", flags.replace(['-', '0'], ""));
    let number = format(FormatStyle::Printf, &format!("{}{kind}", spec(&with_zeros, length)), &[value])?;
    let padded = format!("{}s", spec(if is_left { "-" } else { "" }, width));
    format(FormatStyle::Printf, &padded, &[Value::from(number)])
}

/// Pads and truncates a text by characters. The engine counts bytes, so single-byte placeholders are formatted instead
/// of the text.
fn in_characters(spec: &str, text: &str) -> Result<String, Error> {
    const PLACEHOLDER: &str = "\u{1}";
    let padded = format(FormatStyle::Printf, spec, &[Value::from(PLACEHOLDER.repeat(text.chars().count()))])?;
    let kept: String = text.chars().take(padded.matches(PLACEHOLDER).count()).collect();
    Ok(padded.replacen(&PLACEHOLDER.repeat(kept.chars().count()), &kept, 1))
}

fn number(value: &Value, kind: char) -> Result<Value, Error> {
    let value = &*typed::numeric(value);
    match value.kind() {
        // A float is truncated to an integer, as with `int()`.
        ValueKind::Number if matches!(kind, 'd' | 'i' | 'u') && !value.is_integer() => f64::try_from(value.clone())
            .ok()
            .and_then(whole)
            .map(Value::from)
            .ok_or_else(|| failed("not a whole number")),
        ValueKind::Number => Ok(value.clone()),
        ValueKind::Bool => Ok(Value::from(i64::from(value.is_true()))),
        _ => Err(failed(format!("%{kind} format: a number is required, not {}", value.kind()))),
    }
}
