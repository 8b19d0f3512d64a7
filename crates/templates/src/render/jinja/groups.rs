//! The filter `groupby`: the engine's groups, with real lists as in Jinja2, so that `+`, methods and type tests work on
//! them.

use std::fmt;
use std::sync::Arc;

use minijinja::value::{Enumerator, Kwargs, Object, ObjectRepr};
use minijinja::{Error, Value};

use super::filters::step_into;
use super::mutable::new_list;
use super::typed;

/// A group: the common value and the items, as a pair and as an object with two fields.
#[derive(Debug)]
struct Group {
    grouper: Value,
    list: Value,
}

impl Object for Group {
    fn repr(self: &Arc<Self>) -> ObjectRepr {
        ObjectRepr::Seq
    }

    fn get_value(self: &Arc<Self>, key: &Value) -> Option<Value> {
        match (key.as_usize(), key.as_str()) {
            (Some(0), None) | (None, Some("grouper")) => Some(self.grouper.clone()),
            (Some(1), None) | (None, Some("list")) => Some(self.list.clone()),
            _ => None,
        }
    }

    fn enumerate(self: &Arc<Self>) -> Enumerator {
        Enumerator::Seq(2)
    }

    fn render(self: &Arc<Self>, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_tuple("").field(&self.grouper).field(&self.list).finish()
    }
}

/// Whether the value is a group, which is printed as a tuple.
pub(super) fn is_group(value: &Value) -> bool {
    value.downcast_object_ref::<Group>().is_some()
}

/// The groups of a list, sorted by their common value.
///
/// # Errors
///
/// It is not a list, or the values cannot be sorted.
pub(super) fn groups(list: Value, attribute: &str, how: Kwargs) -> Result<Value, Error> {
    let groups = minijinja::filters::groupby(list, Some(attribute), how)?.try_iter()?;
    let group = |pair: Value| {
        let items: Vec<Value> = pair.get_item_by_index(1)?.try_iter()?.collect();
        // Values that differ only in case form one group. Its name is that of the first item; the engine uses the last.
        let of_first = items.first().cloned().and_then(|item| {
            let value = attribute.split('.').try_fold(item, |item, step| step_into(&item, step));
            value.ok().filter(|value| !value.is_undefined())
        });
        let grouper = of_first.map_or_else(|| pair.get_item_by_index(0), Ok)?;
        Ok(Value::from_object(Group { grouper, list: new_list(items) }))
    };
    let groups = groups.map(group).collect::<Result<Vec<Value>, Error>>()?;
    let keys = groups.iter().map(|group| group.get_item_by_index(0)).collect::<Result<Vec<Value>, Error>>()?;
    let mut sorted: Vec<(Value, Value)> = typed::in_order(keys).into_iter().zip(groups).collect();
    // The engine's order takes typed numbers for texts; that of all others stays.
    if sorted.iter().all(|(key, _)| key.is_number()) {
        sorted.sort_by(|left, right| left.0.cmp(&right.0));
    }
    Ok(sorted.into_iter().map(|(_, group)| group).collect())
}
