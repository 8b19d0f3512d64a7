//! Converts values to a JSON document and back, for pastes and for `$EDITOR`. A value that was not typed and comes back
//! unchanged still counts as not typed.

use serde_json::Value;

use crate::common::values::{FillWith, TypedValue, TypedValues, ValuePath, ValueStep};
use refdesk_templates::{Variable, VariableKind, sample};
use refdesk_text::json::JsonError;
use refdesk_text::report::Position;
use refdesk_text::{Code, Error};

/// The most bytes of a document; larger values belong in a file.
pub const LARGEST: usize = 1024 * 1024;

/// A list with at least this many values is one row with JSON instead of a row per item.
const SINGLE: usize = 2_000;

/// Parses a text as a JSON object.
///
/// # Errors
/// The text is not a JSON object. The message has the reason and the position.
pub fn read(text: &str) -> Result<Value, Error> {
    let invalid = |message: String| Error::new(Code::JsonSyntax, message, "");
    if text.len() > LARGEST {
        return Err(invalid(format!("values can have at most {LARGEST} bytes")));
    }
    match serde_json::from_str::<Value>(text) {
        Ok(value @ Value::Object(_)) => Ok(value),
        Ok(_) => Err(invalid("values must be a JSON object: {\"name\": …}".to_owned())),
        Err(error) => {
            let JsonError { what, position: Position { line, column }, .. } = JsonError::of(text, &error);
            Err(Error { line: Some(line), ..invalid(format!("line {line}, column {column}: {what}")) })
        }
    }
}

impl TypedValues {
    /// All typed values, with blanks to fill in for the rest.
    pub fn document(&self, variables: &[Variable]) -> Value {
        self.object(variables, &mut Vec::new(), &sample(variables), FillWith::Blank)
    }

    /// The values of this document alone.
    pub fn pasted(variables: &[Variable], document: &Value) -> Self {
        let nothing = Self::default();
        DocumentReader { before: &nothing, typed: Self::default() }.read(variables, document, None)
    }

    /// The values after the user edited [`TypedValues::document`] to this document.
    pub fn edited(&self, variables: &[Variable], document: &Value) -> Self {
        let sent = self.document(variables);
        DocumentReader { before: self, typed: Self::default() }.read(variables, document, Some(&sent))
    }
}

struct DocumentReader<'a> {
    before: &'a TypedValues,
    typed: TypedValues,
}

impl DocumentReader<'_> {
    fn read(mut self, variables: &[Variable], document: &Value, sent: Option<&Value>) -> TypedValues {
        self.object(variables, &mut Vec::new(), document, sent);
        self.typed
    }

    /// The recursion is bounded by the depth of the tree, which `template` limits.
    fn object(&mut self, variables: &[Variable], way: &mut ValuePath, value: &Value, sent: Option<&Value>) {
        let Value::Object(fields) = value else { return };
        for (name, value) in fields {
            let sent = sent.and_then(|sent| sent.get(name));
            way.push(ValueStep::Field(name.clone()));
            match variables.iter().find(|variable| variable.name == *name) {
                Some(variable) => self.variable(variable, way, value, sent),
                None => self.typed.set(way.clone(), TypedValue::of(value)),
            }
            way.pop();
        }
    }

    /// Whether the user left this value as it was sent. What was typed then stays, even a text that has no JSON value.
    fn is_untouched(&mut self, way: &[ValueStep], value: &Value, sent: Option<&Value>) -> bool {
        let is_untouched = Some(value) == sent;
        if is_untouched {
            self.typed.copy(self.before, way);
        }
        is_untouched
    }

    fn variable(&mut self, variable: &Variable, way: &mut ValuePath, value: &Value, sent: Option<&Value>) {
        if self.is_untouched(way, value, sent) {
            return;
        }
        match (variable.kind, value) {
            (VariableKind::Flag, Value::Bool(flag)) => self.typed.set(way.clone(), TypedValue::Flag(*flag)),
            (VariableKind::Object, Value::Object(_)) => self.object(&variable.fields, way, value, sent),
            (VariableKind::List, Value::Array(items)) if self.typed.len() + items.len() <= SINGLE => {
                self.typed.items.insert(way.clone(), items.len());
                for (at, item) in items.iter().enumerate() {
                    let sent = sent.and_then(|sent| sent.get(at));
                    way.push(ValueStep::Item(at));
                    self.item(&variable.fields, way, item, sent);
                    way.pop();
                }
            }
            (VariableKind::List, Value::String(_)) | (VariableKind::Object, Value::String(_)) => {
                self.typed.set(way.clone(), TypedValue::Text(format!(":={value}")));
            }
            (_, value) => self.typed.set(way.clone(), TypedValue::of(value)),
        }
    }

    fn item(&mut self, fields: &[Variable], way: &mut ValuePath, value: &Value, sent: Option<&Value>) {
        match value {
            _ if self.is_untouched(way, value, sent) => {}
            Value::Object(_) if !fields.is_empty() => self.object(fields, way, value, sent),
            Value::String(_) if !fields.is_empty() => {
                self.typed.set(way.clone(), TypedValue::Text(format!(":={value}")));
            }
            value => self.typed.set(way.clone(), TypedValue::of(value)),
        }
    }
}
