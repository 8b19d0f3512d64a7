//! Reads the members of a YAML object one by one: a wrong value is reported and ignored, and an unknown key causes a
//! warning that suggests the closest known one.

use refdesk_text::nearest::did_you_mean;
use refdesk_text::report::{Diagnostic, Position};
use refdesk_text::yaml::{YamlMember, YamlNode, YamlValue};
use refdesk_text::{Code, Fix};

/// What to do about a key without a value, which within braces is what follows a comma.
pub(crate) const UNQUOTED_COMMA: &str = "if it is part of a text with a comma, put the text in quotation marks";

/// An object being read.
pub struct YamlFields<'a, 'p> {
    members: &'a [YamlMember],
    file: &'p str,
    problems: &'p mut Vec<Diagnostic>,
}

impl<'a, 'p> YamlFields<'a, 'p> {
    /// The members of a node; `None`, with a diagnostic, if it is not an object.
    pub fn of(node: &'a YamlNode, what: &str, file: &'p str, problems: &'p mut Vec<Diagnostic>) -> Option<Self> {
        match &node.value {
            YamlValue::Map(members) => Some(Self { members, file, problems }),
            _ => {
                let message = format!("{what} must be an object, not {}", node.kind());
                let at = Position { line: node.line, column: node.column };
                let fix = "write its settings as lines of the form 'key: value'";
                problems.push(Diagnostic::error(Code::NotAnObject, message).in_file(file).at(at).fix(fix));
                None
            }
        }
    }

    /// Warns about keys that are not among these.
    pub(crate) fn warn_unknown(&mut self, known: &[&str]) {
        self.warn_unknown_but(known, |_| false);
    }

    /// Warns about keys that are not among these; a key that may be meant to restrict what is read is an error.
    pub(super) fn warn_unknown_but(&mut self, known: &[&str], is_guard: impl Fn(&str) -> bool) {
        let members = self.members;
        for member in members.iter().filter(|member| !known.contains(&member.key.as_str())) {
            let message = format!("'{}' is not a setting here", member.key);
            let otherwise = if member.node.value == YamlValue::Null { UNQUOTED_COMMA } else { "" };
            let fix = did_you_mean(&member.key, known.iter().copied()).map_or(otherwise.into(), Fix::Text);
            let problem = match is_guard(&member.key) {
                true => {
                    let why = "it may be meant to keep something from being read, so the database is not used";
                    Diagnostic::error(Code::UnknownKey, format!("{message}; {why}"))
                }
                false => Diagnostic::warning(Code::UnknownKey, message),
            };
            self.report_key(member, problem.fix(fix));
        }
    }

    /// Reports a problem at a key.
    pub(crate) fn report_key(&mut self, member: &YamlMember, problem: Diagnostic) {
        let at = Position { line: member.line, column: member.column };
        self.problems.push(problem.in_file(self.file).at(at));
    }

    /// The value of a key, unless it is missing or null.
    pub fn node(&self, key: &str) -> Option<&'a YamlNode> {
        let member = self.members.iter().find(|member| member.key == key)?;
        (member.node.value != YamlValue::Null).then_some(&member.node)
    }

    /// Reports a problem at a node.
    pub fn report(&mut self, node: &YamlNode, problem: Diagnostic) {
        let at = Position { line: node.line, column: node.column };
        self.problems.push(problem.in_file(self.file).at(at));
    }

    /// Reports a value of another type, and returns none.
    fn wrong<T>(&mut self, key: &str, node: &YamlNode, wanted: &str) -> Option<T> {
        self.report(node, wrong_type(key, node, wanted));
        None
    }

    /// A nonempty text; a number is converted to its digits.
    pub fn text(&mut self, key: &str) -> Option<String> {
        let node = self.node(key)?;
        match &node.value {
            YamlValue::Text(text) if text.trim().is_empty() => {
                self.report(node, Diagnostic::error(Code::MissingField, format!("'{key}' is empty")));
                None
            }
            YamlValue::Text(text) => Some(text.clone()),
            YamlValue::Int(number) => Some(number.to_string()),
            _ => self.wrong(key, node, "a string"),
        }
    }

    /// `true` or `false`.
    pub fn flag(&mut self, key: &str) -> Option<bool> {
        let node = self.node(key)?;
        match node.value {
            YamlValue::Bool(flag) => Some(flag),
            _ => self.wrong(key, node, "true or false"),
        }
    }

    /// A whole number in a range. Outside of it, the diagnostic tells which value is used instead, if any.
    pub fn number(&mut self, key: &str, least: u64, most: u64, instead: Option<&str>) -> Option<u64> {
        let node = self.node(key)?;
        let number = match node.value {
            YamlValue::Int(number) => u64::try_from(number).ok(),
            _ => return self.wrong(key, node, "a whole number"),
        };
        let found = number.filter(|number| (least..=most).contains(number));
        if found.is_none() {
            let message = format!("'{key}' is not between {least} and {most}");
            let message = instead.map_or(message.clone(), |instead| format!("{message}; {instead} is used"));
            self.report(node, Diagnostic::error(Code::UnknownValue, message));
        }
        found
    }

    /// The value that one of these words stands for.
    pub fn word<T: Copy>(&mut self, key: &str, words: &[(&str, T)]) -> Option<T> {
        let node = self.node(key)?;
        let problem = match &node.value {
            YamlValue::Text(_) | YamlValue::Int(_) => {
                let text = self.text(key)?;
                if let Some((_, value)) = words.iter().find(|(word, _)| *word == text) {
                    return Some(*value);
                }
                Diagnostic::error(Code::UnknownValue, format!("'{text}' is not a value of '{key}'"))
            }
            _ => wrong_type(key, node, "a string"),
        };
        let known: Vec<&str> = words.iter().map(|(word, _)| *word).collect();
        self.report(node, problem.fix(format!("use one of {}", known.join(", "))));
        None
    }

    /// A list of texts with their nodes; a single text counts as a list of one.
    pub fn texts(&mut self, key: &str) -> Vec<(String, &'a YamlNode)> {
        let Some(node) = self.node(key) else { return Vec::new() };
        let items = match &node.value {
            YamlValue::List(items) => items.as_slice(),
            YamlValue::Text(_) => std::slice::from_ref(node),
            _ => return self.wrong(key, node, "a list of strings").unwrap_or_default(),
        };
        let mut texts = Vec::new();
        for item in items {
            match &item.value {
                YamlValue::Text(text) if !text.trim().is_empty() => texts.push((text.clone(), item)),
                YamlValue::Text(_) => {
                    self.report(item, Diagnostic::error(Code::MissingField, format!("'{key}' has an empty text")));
                }
                // A number is more likely a mistake than a name, which could be quoted.
                _ => drop(self.wrong::<String>(key, item, "a string")),
            }
        }
        texts
    }

    /// The items of a list.
    pub(crate) fn list(&mut self, key: &str) -> &'a [YamlNode] {
        let Some(node) = self.node(key) else { return &[] };
        match &node.value {
            YamlValue::List(items) => items,
            _ => self.wrong(key, node, "a list").unwrap_or_default(),
        }
    }

    /// The members of an object under a key.
    pub fn inner(&mut self, key: &str) -> Option<YamlFields<'a, '_>> {
        let node = self.node(key)?;
        YamlFields::of(node, &format!("'{key}'"), self.file, self.problems)
    }

    /// A single member, to read many without quadratic time for looking up each key among all.
    pub(crate) fn only(&mut self, member: &'a YamlMember) -> YamlFields<'a, '_> {
        YamlFields { members: std::slice::from_ref(member), file: self.file, problems: self.problems }
    }

    /// Every member.
    pub fn members(&self) -> &'a [YamlMember] {
        self.members
    }
}

fn wrong_type(key: &str, node: &YamlNode, wanted: &str) -> Diagnostic {
    Diagnostic::error(Code::WrongType, format!("'{key}' must be {wanted}, not {}", node.kind()))
}
