//! Arguments of filters and methods as in Python: by position or by name, with an error for surplus ones.

use minijinja::value::{Kwargs, Rest, ValueOrKwargs};
use minijinja::{Error, ErrorKind, Value};

use super::super::limits::{OUTPUT_BYTES, output_too_large};
use super::{ENGINE, typed};

/// The arguments of a filter after its value, as the engine passes them.
pub(super) type RestArguments = Rest<ValueOrKwargs>;

pub(super) struct PythonArguments {
    places: Vec<Value>,
    named: Option<Kwargs>,
    /// The number of arguments requested so far.
    asked: usize,
}

impl PythonArguments {
    pub(super) fn new(rest: RestArguments) -> Self {
        Self::of(rest.into_values())
    }

    pub(super) fn of(mut places: Vec<Value>) -> Self {
        let last_is_named = places.last().is_some_and(Value::is_kwargs);
        let named = if last_is_named { places.pop().and_then(|named| Kwargs::try_from(named).ok()) } else { None };
        Self { places, named, asked: 0 }
    }

    /// The next positional argument, or the one with this name. Call this in the order of the signature.
    pub(super) fn value(&mut self, name: &str) -> Option<Value> {
        let place = self.asked;
        self.asked += 1;
        match self.places.get(place) {
            Some(value) => Some(value.clone()),
            None => self.named.as_ref().and_then(|named| named.get::<Value>(name).ok()),
        }
    }

    /// Like [`PythonArguments::value`], for an argument without a default.
    ///
    /// # Errors
    ///
    /// It is not given.
    pub(super) fn needed(&mut self, name: &str) -> Result<Value, Error> {
        self.value(name).ok_or_else(|| ErrorKind::MissingArgument.into())
    }

    /// Whether a second positional argument is given.
    pub(super) fn is_bounded(&self) -> bool {
        self.places.len() > 1
    }

    /// Like [`PythonArguments::value`], with `none` treated as omitted.
    pub(super) fn some(&mut self, name: &str) -> Option<Value> {
        self.value(name).filter(|value| !value.is_none())
    }

    /// A whole number, or `default`.
    ///
    /// # Errors
    ///
    /// It has another type.
    pub(super) fn number(&mut self, name: &str, default: i64) -> Result<i64, Error> {
        match self.some(name) {
            None => Ok(default),
            Some(value) => {
                i64::try_from(typed::numeric(&value).into_owned()).map_err(|_| wrong(name, "a whole number", &value))
            }
        }
    }

    /// A text, or `None`.
    ///
    /// # Errors
    ///
    /// It has another type.
    pub(super) fn text(&mut self, name: &str) -> Result<Option<String>, Error> {
        match self.some(name) {
            None => Ok(None),
            Some(value) => match value.as_str() {
                Some(text) => Ok(Some(text.to_owned())),
                None => Err(wrong(name, "a string", &value)),
            },
        }
    }

    /// Whether the argument is true; `default` if it is not given.
    ///
    /// # Errors
    ///
    /// It is undefined.
    pub(super) fn flag(&mut self, name: &str, default: bool) -> Result<bool, Error> {
        let Some(value) = self.some(name) else { return Ok(default) };
        must_be_defined(&value).map(|()| value.is_true())
    }

    /// Checks that no arguments are left.
    ///
    /// # Errors
    ///
    /// An argument is left.
    pub(super) fn end(self) -> Result<(), Error> {
        if self.places.len() > self.asked {
            return Err(ErrorKind::TooManyArguments.into());
        }
        self.named.map_or(Ok(()), |named| named.assert_all_used())
    }
}

fn wrong(name: &str, wanted: &str, value: &Value) -> Error {
    if value.is_undefined() {
        return undefined(value);
    }
    failed(format!("'{name}' must be {wanted}, not {}", value.kind()))
}

/// The error for an operation that failed.
pub(crate) fn failed(message: impl Into<String>) -> Error {
    Error::new(ErrorKind::InvalidOperation, message.into())
}

/// Checks that a string with this many more bytes may be created.
///
/// # Errors
///
/// It would exceed the output limit.
pub(super) fn check_output_size(bytes: usize) -> Result<(), Error> {
    if bytes > OUTPUT_BYTES { Err(failed(output_too_large())) } else { Ok(()) }
}

/// Whether a value must not be used, because it is undefined. The result of an inline `if` without `else` is undefined,
/// too, but prints nothing and counts as an empty text or list (BEHAVIOUR §6). The engine distinguishes the two only
/// when it converts them to a string.
pub(super) fn is_missing(value: &Value) -> bool {
    value.is_undefined() && minijinja::filters::string(&ENGINE.empty_state(), value).is_err()
}

/// Checks that a value may be used.
///
/// # Errors
///
/// It [is missing](is_missing).
pub(super) fn must_be_defined(value: &Value) -> Result<(), Error> {
    if is_missing(value) { Err(undefined(value)) } else { Ok(()) }
}

/// The error for an undefined value, created by the engine so that it contains what was undefined.
pub(crate) fn undefined(value: &Value) -> Error {
    i64::try_from(value.clone()).err().unwrap_or_else(|| ErrorKind::UndefinedError.into())
}
