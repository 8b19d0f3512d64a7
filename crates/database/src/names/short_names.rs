//! Names of tables for sentences and lists: without the schema, unless several tables have the name.

use std::collections::HashMap;

use crate::snapshot::full_name;

/// The names of the tables among which a short name must be unique.
#[derive(Debug, Default)]
pub struct ShortNames<'n>(HashMap<&'n str, usize>);

impl<'n> ShortNames<'n> {
    /// Of tables with these names, without their schemas.
    pub fn of(names: impl Iterator<Item = &'n str>) -> Self {
        let mut counts: HashMap<&str, usize> = HashMap::new();
        names.for_each(|name| *counts.entry(name).or_default() += 1);
        Self(counts)
    }

    /// The shortest name of a table.
    pub fn name(&self, schema: &str, name: &str) -> String {
        match self.0.get(name) {
            Some(count) if *count > 1 => full_name(schema, name),
            _ => name.to_owned(),
        }
    }
}
