//! Values typed for a template's variables: which there are to type, and what they come to over the sample values of the
//! rest. Pure; how they are typed is said in `update/valuing`, how they look in `panes/variables`.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::template::{Variable, VariableKind, sample};

/// The way from the root of the values to one of them: names, `0` for the first item of a list.
pub type Way = Vec<String>;

/// One row of the tree of variables.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Row {
    /// Where its value goes.
    pub way: Way,
    /// Its own name.
    pub name: String,
    /// What it holds.
    pub kind: VariableKind,
    /// Defaulted, or only tested.
    pub optional: bool,
    /// How far in it stands.
    pub level: usize,
}

impl Row {
    /// Whether it has a value of its own, and not only fields.
    pub fn is_leaf(&self, rows: &[Self], at: usize) -> bool {
        rows.get(at + 1).is_none_or(|next| next.level <= self.level)
    }
}

/// What was typed for one template.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Typed(BTreeMap<Way, Given>);

/// One value as typed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Given {
    /// A text; after `:=` JSON, as in `render --var`. Of a list of texts: JSON after `:=`, else items between commas.
    Text(String),
    /// A flag turned over.
    Flag(bool),
}

impl Typed {
    /// The value typed for this row, if one was.
    pub fn get(&self, way: &Way) -> Option<&Given> {
        self.0.get(way)
    }

    /// Takes a value; `None` takes it back.
    pub fn set(&mut self, way: Way, given: Option<Given>) {
        match given {
            Some(given) => self.0.insert(way, given),
            None => self.0.remove(&way),
        };
    }

    /// Whether nothing was typed.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Sample values with the typed ones in their places; in a list those of its first item.
    pub fn over_sample(&self, variables: &[Variable]) -> Value {
        let mut value = sample(variables);
        let rows = rows(variables);
        for (way, given) in &self.0 {
            // The template may have changed since: what it no longer asks for is not given.
            let Some(row) = rows.iter().find(|row| row.way == *way) else { continue };
            if let Some(place) = place(&mut value, way) {
                *place = valued(given, row.kind);
            }
        }
        value
    }
}

/// The rows of the tree, parents before their fields.
pub fn rows(variables: &[Variable]) -> Vec<Row> {
    let mut rows = Vec::new();
    add(variables, &[], 0, &mut rows);
    rows
}

/// At most as many calls deep as the tree, which `template` bounds.
fn add(variables: &[Variable], above: &[String], level: usize, rows: &mut Vec<Row>) {
    for variable in variables {
        let mut way = above.to_vec();
        way.push(variable.name.clone());
        let Variable { name, kind, optional, fields } = variable;
        rows.push(Row { way: way.clone(), name: name.clone(), kind: *kind, optional: *optional, level });
        if *kind == VariableKind::List {
            way.push("0".to_owned());
        }
        add(fields, &way, level + 1, rows);
    }
}

fn place<'a>(value: &'a mut Value, way: &[String]) -> Option<&'a mut Value> {
    way.iter().try_fold(value, |value, step| match value {
        Value::Array(items) => items.first_mut(),
        Value::Object(fields) => fields.get_mut(step),
        _ => None,
    })
}

fn valued(given: &Given, kind: VariableKind) -> Value {
    match given {
        Given::Flag(flag) => Value::Bool(*flag),
        Given::Text(text) => match (json(text), kind) {
            (Some(Ok(value)), _) => value,
            (_, VariableKind::List) => {
                let items = text.split(',').map(str::trim).filter(|item| !item.is_empty());
                items.map(|item| Value::String(item.to_owned())).collect()
            }
            _ => Value::String(text.clone()),
        },
    }
}

/// The JSON after `:=`; `None` where the text does not begin so.
pub fn json(text: &str) -> Option<serde_json::Result<Value>> {
    text.strip_prefix(":=").map(serde_json::from_str)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn tree() -> Vec<Variable> {
        let of = |name: &str, kind, fields| Variable { name: name.to_owned(), kind, optional: false, fields };
        let scalar = |name: &str| of(name, VariableKind::Scalar, Vec::new());
        vec![
            scalar("a"),
            of("f", VariableKind::Flag, Vec::new()),
            of("items", VariableKind::List, vec![scalar("name"), of("x", VariableKind::Object, vec![scalar("y")])]),
            of("tags", VariableKind::List, Vec::new()),
        ]
    }

    #[test]
    fn rows_stand_in_the_order_of_the_tree() {
        let rows = rows(&tree());
        let shown: Vec<String> = rows
            .iter()
            .enumerate()
            .map(|(at, row)| format!("{} {} {}", row.level, row.way.join("."), row.is_leaf(&rows, at)))
            .collect();
        assert_eq!(
            shown,
            [
                "0 a true",
                "0 f true",
                "0 items false",
                "1 items.0.name true",
                "1 items.0.x false",
                "2 items.0.x.y true",
                "0 tags true",
            ]
        );
    }

    #[test]
    fn typed_values_stand_over_the_sample() {
        let typed = |values: &[(&str, Given)]| {
            let mut typed = Typed::default();
            for (way, given) in values {
                typed.set(way.split('.').map(str::to_owned).collect(), Some(given.clone()));
            }
            typed.over_sample(&tree())
        };
        let text = |text: &str| Given::Text(text.to_owned());
        assert_eq!(typed(&[]), sample(&tree()));
        assert_eq!(typed(&[("a", text("7"))])["a"], json!("7"));
        assert_eq!(typed(&[("a", text(":=7"))])["a"], json!(7));
        assert_eq!(typed(&[("a", text(":={"))])["a"], json!(":={"));
        assert_eq!(typed(&[("f", Given::Flag(false))])["f"], json!(false));
        let value = typed(&[("items.0.x.y", text("deep")), ("items.0.name", text("n"))]);
        assert_eq!((&value["items"][0]["x"]["y"], &value["items"][0]["name"]), (&json!("deep"), &json!("n")));
        assert_eq!(value["items"][1], sample(&tree())["items"][1]);
        assert_eq!(typed(&[("tags", text("a, b,"))])["tags"], json!(["a", "b"]));
        assert_eq!(typed(&[("tags", text(":=[1]"))])["tags"], json!([1]));
        assert_eq!(typed(&[("gone", text("x"))]), sample(&tree()));
    }

    #[test]
    fn a_value_can_be_taken_back() {
        let mut typed = Typed::default();
        typed.set(vec!["a".to_owned()], Some(Given::Flag(true)));
        typed.set(vec!["a".to_owned()], None);
        assert!(typed.is_empty());
    }
}
