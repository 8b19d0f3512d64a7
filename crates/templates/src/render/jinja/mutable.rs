//! Mutable lists and dicts created by a template: `{% set _ = xs.append(1) %}`. The engine's own values are immutable,
//! so operators, filters and methods return these wherever Jinja2 creates a new list or dict; for literals, the
//! translation does it, in templates that modify a value. Given values stay unchanged.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use indexmap::IndexMap;
use minijinja::value::{Enumerator, Object, ObjectRepr, Tuple, ValueKind};
use minijinja::{Error, Value};

use super::arguments::{PythonArguments, check_output_size, failed};
use super::globals::dict;
use super::lists::items;
use super::operators::sort;
use super::typed;

type Pairs = IndexMap<Value, Value>;

#[derive(Debug)]
struct MutableList(Mutex<Vec<Value>>);

#[derive(Debug)]
struct MutableDict(Mutex<Pairs>);

/// Ignores poisoning, because no code that could panic runs while the mutex is locked.
fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Object for MutableList {
    fn repr(self: &Arc<Self>) -> ObjectRepr {
        ObjectRepr::Seq
    }

    fn get_value(self: &Arc<Self>, key: &Value) -> Option<Value> {
        locked(&self.0).get(key.as_usize()?).cloned()
    }

    fn enumerate(self: &Arc<Self>) -> Enumerator {
        Enumerator::Seq(locked(&self.0).len())
    }
}

impl Object for MutableDict {
    fn repr(self: &Arc<Self>) -> ObjectRepr {
        ObjectRepr::Map
    }

    fn get_value(self: &Arc<Self>, key: &Value) -> Option<Value> {
        locked(&self.0).get(key).cloned()
    }

    fn enumerate(self: &Arc<Self>) -> Enumerator {
        Enumerator::Values(locked(&self.0).keys().cloned().collect())
    }
}

/// A mutable list of these items.
pub(super) fn new_list(items: Vec<Value>) -> Value {
    Value::from_object(MutableList(Mutex::new(items)))
}

/// A new, mutable list or dict with the same items.
///
/// # Errors
///
/// The value has items that cannot be read.
pub(super) fn mutable(value: &Value) -> Result<Value, Error> {
    match value.kind() {
        ValueKind::Seq | ValueKind::Iterable => items(value).map(new_list),
        ValueKind::Map => Ok(Value::from_object(MutableDict(Mutex::new(pairs(value)?)))),
        _ => Ok(value.clone()),
    }
}

fn pairs(value: &Value) -> Result<Pairs, Error> {
    value.try_iter()?.map(|key| Ok((key.clone(), value.get_item(&key)?))).collect()
}

/// Calls a method that modifies this value; `None` if the value is immutable.
///
/// # Errors
///
/// The arguments are invalid, or there is nothing to remove.
pub(super) fn call(value: &Value, method: &str, args: &[Value]) -> Option<Result<Value, Error>> {
    if let Some(list) = value.downcast_object_ref::<MutableList>() {
        return Some(change_list(list, method, args));
    }
    value.downcast_object_ref::<MutableDict>().map(|dict| change_dict(dict, method, args))
}

/// Works on a copy unless it only adds an item, because comparing, reading or dropping items may lock the same list
/// again.
fn change_list(list: &MutableList, method: &str, args: &[Value]) -> Result<Value, Error> {
    let mut args = PythonArguments::of(args.to_vec());
    let mut answer = Value::from(());
    if method == "append" {
        let item = args.needed("object")?;
        args.end()?;
        let mut all = locked(&list.0);
        check_item_count(all.len() + 1)?;
        all.push(item);
        return Ok(answer);
    }
    let mut all = locked(&list.0).clone();
    match method {
        "extend" => all.extend(items(&args.needed("iterable")?)?),
        "insert" => {
            let at = args.number("index", 0)?;
            let at = if at < 0 { all.len().saturating_sub(distance(at)) } else { distance(at).min(all.len()) };
            all.insert(at, args.needed("object")?);
        }
        "pop" => {
            let at = args.number("index", -1)?;
            let at = if at < 0 { all.len().checked_sub(distance(at)) } else { Some(distance(at)) };
            let at = at.filter(|at| *at < all.len()).ok_or_else(|| failed("pop index out of range"))?;
            answer = all.remove(at);
        }
        "remove" => {
            let gone = args.needed("value")?;
            let at = all.iter().position(|item| typed::equal(item, &gone));
            all.remove(at.ok_or_else(|| failed(format!("{gone} is not in list")))?);
        }
        "sort" => {
            sort(&mut all)?;
            if args.flag("reverse", false)? {
                all.reverse();
            }
        }
        "reverse" => all.reverse(),
        "clear" => all.clear(),
        _ => return Err(failed(format!("list has no method named {method}"))),
    }
    args.end()?;
    set(&list.0, all.len(), all)?;
    Ok(answer)
}

fn change_dict(of: &MutableDict, method: &str, args: &[Value]) -> Result<Value, Error> {
    let mut all = locked(&of.0).clone();
    let mut answer = Value::from(());
    if method == "update" {
        all.extend(pairs(&dict(args.to_vec())?)?);
        set(&of.0, all.len().saturating_mul(2), all)?;
        return Ok(answer);
    }
    let mut args = PythonArguments::of(args.to_vec());
    match method {
        "setdefault" => {
            let key = args.needed("key")?;
            let default = args.value("default").unwrap_or_else(|| Value::from(()));
            answer = all.entry(key).or_insert(default).clone();
        }
        "pop" => {
            let key = args.needed("key")?;
            let default = args.value("default");
            answer = all.shift_remove(&key).or(default).ok_or_else(|| failed(format!("there is no '{key}' to pop")))?;
        }
        "popitem" => {
            let (key, value) = all.pop().ok_or_else(|| failed("the dict is empty"))?;
            answer = Value::from(Tuple::from([key, value]));
        }
        "clear" => all.clear(),
        _ => return Err(failed(format!("dict has no method named {method}"))),
    }
    args.end()?;
    set(&of.0, all.len().saturating_mul(2), all)?;
    Ok(answer)
}

/// Replaces what is behind a mutex by a number of items, and drops it when the mutex is free again.
fn set<T>(place: &Mutex<T>, count: usize, all: T) -> Result<(), Error> {
    check_item_count(count)?;
    let before = std::mem::replace(&mut *locked(place), all);
    drop(before);
    Ok(())
}

fn check_item_count(items: usize) -> Result<(), Error> {
    check_output_size(items.saturating_mul(size_of::<Value>()))
}

fn distance(at: i64) -> usize {
    usize::try_from(at.unsigned_abs()).unwrap_or(usize::MAX)
}
