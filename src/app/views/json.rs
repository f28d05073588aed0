//! What scripts see: JSON, with the keys in a fixed order.

use chrono::{DateTime, SecondsFormat, Utc};
use serde::Serialize;
use serde_json::{Value, json};

/// Formats a time: RFC 3339 in UTC, to the second.
pub(crate) fn json_time(time: DateTime<Utc>) -> String {
    time.to_rfc3339_opts(SecondsFormat::Secs, true)
}

/// Returns an array.
pub(crate) fn array(elements: impl IntoIterator<Item = impl Serialize>) -> Value {
    elements.into_iter().map(|element| json!(element)).collect()
}

/// Returns one object with the keys of all of these; `null` has none.
pub(crate) fn merged<const N: usize>(objects: [Value; N]) -> Value {
    let maps = objects.into_iter().filter_map(|object| match object {
        Value::Object(map) => Some(map),
        _ => None,
    });
    Value::Object(maps.flatten().collect())
}

/// Returns an object with an array, or `null` if the array has no elements.
pub(crate) fn unless_empty(key: &str, elements: Vec<Value>) -> Value {
    if elements.is_empty() { Value::Null } else { json!({ key: elements }) }
}
