//! Refusal of members below the top level of a body that a call does not take.

use serde_json::{Map, Value};

use super::unknown::unknown_at;
use service::error::{Code, ServiceError};

/// Levels that are looked into; the schemas of inputs have three at most.
const DEEPEST: usize = 8;

/// The schemas of those members of an input that hold objects, by name.
#[derive(Debug, Clone, Default)]
pub(crate) struct NestedShapes(Vec<(String, Value)>);

impl NestedShapes {
    /// Those of an object's schema without references.
    pub(crate) fn of(schema: &Value) -> Self {
        let properties = schema.get("properties").and_then(Value::as_object);
        let nested = properties.into_iter().flatten().filter(|(_, schema)| holds_objects(schema, 0));
        Self(nested.map(|(name, schema)| (name.clone(), schema.clone())).collect())
    }

    /// Refuses the first member of a nested object that the call does not take, with its path.
    pub(crate) fn check(&self, input: &Map<String, Value>) -> Result<(), ServiceError> {
        for (name, schema) in &self.0 {
            if let Some(value) = input.get(name) {
                check(schema, value, name, 0)?;
            }
        }
        Ok(())
    }
}

/// Whether a value of this schema can be an object or hold one.
fn holds_objects(schema: &Value, depth: usize) -> bool {
    if depth > DEEPEST {
        return false;
    }
    schema.get("properties").is_some()
        || choices(schema).any(|choice| holds_objects(choice, depth + 1))
        || schema.get("items").is_some_and(|items| holds_objects(items, depth + 1))
}

fn choices(schema: &Value) -> impl Iterator<Item = &Value> {
    ["anyOf", "oneOf", "allOf"].into_iter().filter_map(|word| schema.get(word)?.as_array()).flatten()
}

fn check(schema: &Value, value: &Value, path: &str, depth: usize) -> Result<(), ServiceError> {
    if depth > DEEPEST {
        return Ok(());
    }
    match value {
        Value::Object(members) => match closed(schema) {
            Some(known) => {
                for (name, value) in members {
                    let Some(schema) = known.get(name) else {
                        let names: Vec<&str> = known.keys().map(String::as_str).collect();
                        return Err(unknown_at(Code::InvalidBody, path, name, &names));
                    };
                    check(schema, value, &format!("{path}.{name}"), depth + 1)?;
                }
                Ok(())
            }
            None => Ok(()),
        },
        Value::Array(items) => {
            let Some(schema) = schema.get("items") else { return Ok(()) };
            items.iter().enumerate().try_for_each(|(at, item)| check(schema, item, &format!("{path}[{at}]"), depth + 1))
        }
        _ => Ok(()),
    }
}

/// The members of an object that takes no others: its own, or those of the only choice that is an object. `None` for one
/// that takes any, and where there are several choices: then the type itself decides.
fn closed(schema: &Value) -> Option<&Map<String, Value>> {
    if schema.get("additionalProperties").is_some_and(|more| *more != Value::Bool(false)) {
        return None;
    }
    if let Some(properties) = schema.get("properties") {
        return properties.as_object();
    }
    let mut objects = choices(schema).filter(|choice| choice.get("type").and_then(Value::as_str) != Some("null"));
    match (objects.next(), objects.next()) {
        (Some(only), None) => closed(only),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn an_unknown_member_is_told_by_its_path_at_every_level() {
        let page = json!({"type": "object", "properties": {"alias": {"type": "string"}, "url": {"type": "string"}}});
        let schema = json!({"type": "object", "properties": {
            "url": {"type": "string"},
            "page": {"anyOf": [page, {"type": "null"}]},
            "pages": {"type": "array", "items": {"type": "object", "properties": {"page": page}}},
            "headers": {"type": "object", "additionalProperties": {"type": "string"}},
            "open": {"type": "object", "properties": {"a": {"type": "string"}}, "additionalProperties": true},
        }});
        let shapes = NestedShapes::of(&schema);
        let refusal = |input: Value| {
            let error = shapes.check(input.as_object().unwrap()).err()?;
            assert_eq!(error.code, Code::InvalidBody);
            Some(error.detail.unwrap().en)
        };
        for input in [
            json!({"page": {"url": "x"}, "headers": {"x-any": "1"}, "open": {"b": 1}}),
            json!({"page": null, "pages": []}),
            json!({"page": 7, "pages": {"x": 1}, "unknown": {"x": 1}}),
        ] {
            assert_eq!(refusal(input.clone()), None, "{input}");
        }
        for (input, wanted) in [
            (json!({"page": {"aliass": "x"}}), "page.aliass: unknown field; did you mean: alias"),
            (
                json!({"pages": [{"page": {"url": "x"}}, {"page": {"zzzzzz": 1}}]}),
                "pages[1].page.zzzzzz: unknown field; accepted fields: alias, url",
            ),
            (json!({"pages": [{"paeg": {}}]}), "pages[0].paeg: unknown field; did you mean: page"),
        ] {
            assert_eq!(refusal(input).as_deref(), Some(wanted));
        }
    }
}
