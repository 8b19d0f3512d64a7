//! Python's operators, and the checks of loops and comparisons. They are added to the engine as filters
//! (`template::jinja`), because its own operators lack `'%s' % x`, allow undefined values in comparisons, treat `null`
//! as an empty list, and create strings of unbounded length.

use std::cmp::Ordering;

use minijinja::value::{Tuple, ValueKind};
use minijinja::{Environment, Error, Value};

use super::arguments::{check_output_size, failed, must_be_defined, undefined};
use super::lists;
use super::mutable::{mutable, new_list};
use super::percent::percent;
use super::print::{of_text, printed};
use super::text_filters::escaped;
use super::typed;

/// Adds the filters with the names that the translation uses.
pub(crate) fn install(engine: &mut Environment<'static>) {
    for (name, name_in_sum, operator) in ARITHMETIC {
        engine.add_filter(name, operator);
        engine.add_filter(name_in_sum, move |left: &Value, right: &Value| typed::within_sum(operator, left, right));
    }
    engine.add_filter("__cat__", concatenate);
    engine.add_filter("__given__", given);
    engine.add_filter("__number__", |value: &Value| typed::numeric(value).into_owned());
    engine.add_filter("__truth__", |value: &Value| typed::truth(value).into_owned());
    engine.add_filter("__each__", each);
    engine.add_filter("__unpack__", unpack);
    engine.add_filter("__unpack_each__", unpack_each);
    engine.add_filter("__changing__", |value: &Value| mutable(value));
}

pub(super) type Operator = fn(&Value, &Value) -> Result<Value, Error>;

/// The operators that give numbers: their name as filter, and their name as the operand of `+`.
const ARITHMETIC: [(&str, &str, Operator); 7] = [
    ("__add__", "__part_add__", add),
    ("__sub__", "__part_sub__", subtract),
    ("__mul__", "__part_mul__", multiply),
    ("__truediv__", "__part_truediv__", true_divide),
    ("__floordiv__", "__part_floordiv__", floor_divide),
    ("__mod__", "__part_mod__", modulo),
    ("__pow__", "__part_pow__", power),
];

type IsOrder = fn(Ordering) -> bool;

/// The comparisons that need an order: their sign, which orders they accept, and their names as filter and as tests.
pub(super) const COMPARISONS: [(&str, IsOrder, &str, &[&str]); 4] = [
    ("<", Ordering::is_lt, "__lt__", &["lt", "lessthan", "<"]),
    ("<=", Ordering::is_le, "__le__", &["le", "<="]),
    (">", Ordering::is_gt, "__gt__", &["gt", "greaterthan", ">"]),
    (">=", Ordering::is_ge, "__ge__", &["ge", ">="]),
];

/// Compares two values of the same kind.
///
/// # Errors
///
/// They are of different kinds, or of a kind without an order.
pub(crate) fn order(left: &Value, right: &Value, sign: &str) -> Result<Ordering, Error> {
    let kind = |value: &Value| match value.kind() {
        ValueKind::Bool | ValueKind::Number => Some(0),
        ValueKind::String => Some(1),
        ValueKind::Seq => Some(if value.is_tuple() { 2 } else { 3 }),
        _ => None,
    };
    if let Some((left, right)) = typed::as_numbers(left, right) {
        return order(&left, &right, sign);
    }
    match (kind(left), kind(right)) {
        (Some(0), Some(0)) => match numbers(left, right, sign)? {
            (Number::Whole(left), Number::Whole(right)) => Ok(left.cmp(&right)),
            (left, right) => Ok(left.float().partial_cmp(&right.float()).unwrap_or(Ordering::Greater)),
        },
        (Some(2 | 3), same) if same == kind(left) => {
            let (left, right) = (items(left)?, items(right)?);
            for (one, other) in left.iter().zip(&right) {
                if !typed::equal(one, other) {
                    return order(one, other, sign);
                }
            }
            Ok(left.len().cmp(&right.len()))
        }
        (Some(1), Some(1)) => Ok(left.cmp(right)),
        _ => Err(unsupported(left, right, sign)),
    }
}

/// Checks that values can be compared with each other.
///
/// # Errors
///
/// They are of different kinds, or of a kind without an order.
pub(super) fn must_have_an_order(values: &[Value]) -> Result<(), Error> {
    let Some((first, others)) = values.split_first() else { return Ok(()) };
    others.iter().try_for_each(|value| order(first, value, "<").map(|_| ()))
}

/// Sorts like Python's `list.sort()`.
///
/// # Errors
///
/// See [`must_have_an_order`].
pub(super) fn sort(values: &mut [Value]) -> Result<(), Error> {
    must_have_an_order(values)?;
    let mut sorted: Vec<(Value, Value)> = typed::in_order(values.to_vec()).into_iter().zip(values.to_vec()).collect();
    // Sorting requires a total order, which the engine's is; in Python, NaN has no order.
    sorted.sort_by(|left, right| left.0.cmp(&right.0));
    values.iter_mut().zip(sorted).for_each(|(value, (_, next))| *value = next);
    Ok(())
}

/// A Python int or float; `True` is 1.
#[derive(Clone, Copy)]
enum Number {
    Whole(i128),
    Float(f64),
}

impl Number {
    fn of(value: &Value) -> Option<Self> {
        match value.kind() {
            ValueKind::Bool => Some(Self::Whole(i128::from(value.is_true()))),
            ValueKind::Number if value.is_integer() => i128::try_from(value.clone()).ok().map(Self::Whole),
            ValueKind::Number => f64::try_from(value.clone()).ok().map(Self::Float),
            ValueKind::String => typed::number_of(value).as_ref().and_then(Self::of),
            _ => None,
        }
    }

    #[allow(clippy::cast_precision_loss, reason = "as Python's float() does")]
    fn float(self) -> f64 {
        match self {
            Self::Whole(number) => number as f64,
            Self::Float(number) => number,
        }
    }
}

/// Both sides as numbers.
fn numbers(left: &Value, right: &Value, sign: &str) -> Result<(Number, Number), Error> {
    match (Number::of(left), Number::of(right)) {
        (Some(left), Some(right)) => Ok((left, right)),
        _ => Err(unsupported(left, right, sign)),
    }
}

fn unsupported(left: &Value, right: &Value, sign: &str) -> Error {
    if left.is_undefined() || right.is_undefined() {
        return undefined(if left.is_undefined() { left } else { right });
    }
    failed(format!("'{sign}' does not work on {} and {}", left.kind(), right.kind()))
}

fn whole(number: Option<i128>) -> Result<Value, Error> {
    let number = number.ok_or_else(|| failed("the number exceeds the limit of 128 bits"))?;
    Ok(i64::try_from(number).map_or_else(|_| Value::from(number), Value::from))
}

fn arithmetic(
    left: &Value,
    right: &Value,
    sign: &str,
    of_whole: impl Fn(i128, i128) -> Option<i128>,
    of_floats: impl Fn(f64, f64) -> f64,
) -> Result<Value, Error> {
    match numbers(left, right, sign)? {
        (Number::Whole(left), Number::Whole(right)) => whole(of_whole(left, right)),
        (left, right) => Ok(Value::from(of_floats(left.float(), right.float()))),
    }
}

/// `+`
///
/// # Errors
///
/// The values cannot be added, or the output limit would be exceeded.
pub(crate) fn add(left: &Value, right: &Value) -> Result<Value, Error> {
    match (left.as_str(), right.as_str()) {
        _ if typed::as_numbers(left, right).is_some() => {}
        (Some(before), Some(after)) => {
            check_output_size(before.len().saturating_add(after.len()))?;
            return Ok(match (typed::is_safe(left), typed::is_safe(right)) {
                (both @ false, false) | (both @ true, true) => of_text(format!("{before}{after}"), both),
                (true, false) => of_text(format!("{before}{}", escaped(after)), true),
                (false, true) => of_text(format!("{}{after}", escaped(before)), true),
            });
        }
        (None, None) if is_list(left) && is_list(right) && left.is_tuple() == right.is_tuple() => {
            let mut items = items(left)?;
            items.extend(self::items(right)?);
            check_output_size(items.len().saturating_mul(size_of::<Value>()))?;
            return Ok(of_items(items, left.is_tuple()));
        }
        _ => {}
    }
    arithmetic(left, right, "+", i128::checked_add, |a, b| a + b)
}

fn subtract(left: &Value, right: &Value) -> Result<Value, Error> {
    arithmetic(left, right, "-", i128::checked_sub, |a, b| a - b)
}

fn is_list(value: &Value) -> bool {
    value.kind() == ValueKind::Seq
}

fn items(list: &Value) -> Result<Vec<Value>, Error> {
    Ok(list.try_iter()?.collect())
}

/// A new list, or a tuple.
pub(super) fn of_items(items: Vec<Value>, tuple: bool) -> Value {
    if tuple { Value::from(Tuple::from(items)) } else { new_list(items) }
}

/// `~`: joins both sides as printed.
fn concatenate(left: &Value, right: &Value) -> Result<Value, Error> {
    for side in [left, right] {
        must_be_defined(side)?;
    }
    let (left, right) = (printed(left), printed(right));
    check_output_size(left.len().saturating_add(right.len()))?;
    let mut both = left.into_owned();
    both.push_str(&right);
    Ok(Value::from(both))
}

/// `*`
///
/// # Errors
///
/// The values cannot be multiplied, or the output limit would be exceeded.
pub(super) fn multiply(left: &Value, right: &Value) -> Result<Value, Error> {
    for (value, times) in [(left, right), (right, left)] {
        let Some(Number::Whole(times)) = Number::of(times) else { continue };
        let times = usize::try_from(times.max(0)).unwrap_or(usize::MAX);
        if let Some(text) = typed::text_of(value) {
            check_output_size(text.len().saturating_mul(times))?;
            return Ok(of_text(text.repeat(times), value.is_safe()));
        }
        if is_list(value) {
            let once = items(value)?;
            check_output_size(once.len().saturating_mul(times).saturating_mul(size_of::<Value>()))?;
            let all = once.iter().cycle().take(once.len().saturating_mul(times)).cloned().collect();
            return Ok(of_items(all, value.is_tuple()));
        }
    }
    arithmetic(left, right, "*", i128::checked_mul, |a, b| a * b)
}

fn by_zero() -> Error {
    failed("division by zero")
}

fn true_divide(left: &Value, right: &Value) -> Result<Value, Error> {
    let (left, right) = numbers(left, right, "/")?;
    if right.float() == 0.0 {
        return Err(by_zero());
    }
    Ok(Value::from(left.float() / right.float()))
}

fn floor_divide(left: &Value, right: &Value) -> Result<Value, Error> {
    match numbers(left, right, "//")? {
        (_, right) if right.float() == 0.0 => Err(by_zero()),
        (Number::Whole(left), Number::Whole(right)) => {
            let rest_is_foreign = left.checked_rem(right).is_some_and(|rest| rest != 0 && (rest < 0) != (right < 0));
            whole(left.checked_div(right).map(|quotient| quotient - i128::from(rest_is_foreign)))
        }
        (left, right) => {
            let rest = float_modulo(left.float(), right.float());
            let quotient = (left.float() - rest) / right.float();
            // The remainder was subtracted, so only rounding can make this fractional.
            let floor = quotient.floor();
            Ok(Value::from(if quotient - floor > 0.5 { floor + 1.0 } else { floor }))
        }
    }
}

/// The remainder with the sign of the divisor.
fn float_modulo(left: f64, right: f64) -> f64 {
    let rest = left % right;
    if rest == 0.0 {
        0.0_f64.copysign(right)
    } else if (rest < 0.0) == (right < 0.0) {
        rest
    } else {
        rest + right
    }
}

/// `%`: the remainder, with the sign of the divisor; for a string, formatting.
///
/// # Errors
///
/// The values have other types, or the divisor is zero.
pub(super) fn modulo(left: &Value, right: &Value) -> Result<Value, Error> {
    if typed::text_of(left).is_some() {
        must_be_defined(right)?;
        let args = if right.is_tuple() { items(right)? } else { vec![right.clone()] };
        return percent(left, &args);
    }
    match numbers(left, right, "%")? {
        (_, right) if right.float() == 0.0 => Err(by_zero()),
        (Number::Whole(left), Number::Whole(right)) => {
            let rest = left.checked_rem(right).unwrap_or_default();
            whole(Some(if rest != 0 && (rest < 0) != (right < 0) { rest + right } else { rest }))
        }
        (left, right) => Ok(Value::from(float_modulo(left.float(), right.float()))),
    }
}

fn power(left: &Value, right: &Value) -> Result<Value, Error> {
    let (base, exponent) = numbers(left, right, "**")?;
    if let (Number::Whole(base), Number::Whole(exponent @ 0..)) = (base, exponent) {
        let small = u32::try_from(exponent).ok();
        return match base {
            0 | 1 => Ok(Value::from(if exponent == 0 { 1 } else { i64::from(base == 1) })),
            -1 => Ok(Value::from(if exponent % 2 == 0 { 1 } else { -1 })),
            _ => whole(small.and_then(|exponent| base.checked_pow(exponent))),
        };
    }
    let (base, exponent) = (base.float(), exponent.float());
    if base == 0.0 && exponent < 0.0 {
        return Err(failed("zero cannot be raised to a negative power"));
    }
    if base < 0.0 && exponent.fract() != 0.0 {
        return Err(failed("a negative number raised to a fraction is not a real number"));
    }
    let result = base.powf(exponent);
    if result.is_infinite() && base.is_finite() && exponent.is_finite() {
        return Err(failed("the number exceeds the limit of 128 bits"));
    }
    Ok(Value::from(result))
}

/// Checks a compared value, or the input of a filter, which must be defined.
fn given(value: Value) -> Result<Value, Error> {
    must_be_defined(&value)?;
    Ok(value)
}

/// Checks that a loop's value is defined and iterable. A value of unknown length becomes a list, because loops have a
/// length.
fn each(value: Value) -> Result<Value, Error> {
    must_be_defined(&value)?;
    let kind = match value.kind() {
        ValueKind::None => "null",
        ValueKind::Bool => "a flag",
        ValueKind::Number => "a number",
        ValueKind::String | ValueKind::Iterable => return Ok(Value::from(lists::items(&value)?)),
        _ => return Ok(value),
    };
    Err(failed(format!("is {kind} and cannot be looped over")))
}

/// The value for an assignment to several names: a string becomes its characters.
fn unpack(value: Value) -> Result<Value, Error> {
    if value.kind() == ValueKind::String { lists::items(&value).map(Value::from) } else { Ok(value) }
}

/// The value of a loop with several names: items that are strings become their characters.
fn unpack_each(value: Value) -> Result<Value, Error> {
    let value = each(value)?;
    if value.try_iter()?.any(|item| item.kind() == ValueKind::String) {
        value.try_iter()?.map(unpack).collect::<Result<Vec<_>, _>>().map(Value::from)
    } else {
        Ok(value)
    }
}
