//! Example values, generated from schemas and field names.

use schemars::SchemaGenerator;
use serde_json::{Map, Value, json};

/// Nesting depth of schemas that is followed: deeper than any of ours, and an end for recursive ones.
const DEEPEST: usize = 24;

/// Example values of common field names: a generic string would say nothing.
fn by_name(name: &str) -> Option<Value> {
    const ID: &str = "019bc2f0-5e40-7c1a-9d2e-3f4a5b6c7d8e";
    Some(match name {
        "url" | "finalUrl" | "href" | "canonical" | "location" => "https://example.com/".into(),
        "id" | "audit_id" | "tab_id" | "active_id" => ID.into(),
        "slug" => "title".into(),
        "code" => "title_missing".into(),
        "token" | "guest_token" => format!("pa_{}", "0".repeat(43)).into(),
        "html" => {
            "<!doctype html><html lang=\"en\"><head><title>Bread</title></head><body><h1>Bread</h1></body></html>"
                .into()
        }
        "title" | "h1" => "Bread and butter".into(),
        "message" => "The page has no title.".into(),
        "selector" => "head > title".into(),
        "snippet" => "<title>Bread and butter</title>".into(),
        "reason" => "page".into(),
        "lang" => "en".into(),
        "email" | "monitor_email" => "reader@example.com".into(),
        "name" | "alias" => "Bread".into(),
        "score" => 82.into(),
        "status" => 200.into(),
        "points" => 18.into(),
        "created_at" | "ts" | "createdAt" => "2026-01-31T09:30:00.000Z".into(),
        "date" | "version" => "2026-01-31".into(),
        "ip" => "203.0.113.x".into(),
        "contentType" => "text/html".into(),
        "catalog" => "2026-01-31".into(),
        "reference" => "https://html.spec.whatwg.org/multipage/semantics.html#the-title-element".into(),
        _ => return None,
    })
}

/// Fields of an example.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ExampleFields {
    /// Required ones only: an input.
    Required,
    /// Optional ones too: an answer.
    All,
}

/// A value that fits a schema, with references into the generator's own.
pub(super) fn example(schema: &Value, generator: &SchemaGenerator, fields: ExampleFields) -> Value {
    of(schema, generator, fields, None, 0).unwrap_or_default()
}

/// An example of a field of this name.
pub(super) fn of_field(name: &str, schema: &Value, generator: &SchemaGenerator) -> Value {
    of(schema, generator, ExampleFields::Required, Some(name), 0).unwrap_or_default()
}

fn of(
    schema: &Value,
    generator: &SchemaGenerator,
    fields: ExampleFields,
    name: Option<&str>,
    depth: usize,
) -> Option<Value> {
    if depth > DEEPEST {
        return None;
    }
    let inner = |schema: &Value| of(schema, generator, fields, name, depth + 1);
    if let Some(reference) = schema.get("$ref").and_then(Value::as_str) {
        let definition = generator.definitions().get(reference.rsplit('/').next()?)?;
        return inner(definition);
    }
    if let Some(only) = schema.get("const").or_else(|| schema.get("enum")?.get(0)) {
        return Some(only.clone());
    }
    if let Some(choices) = ["anyOf", "oneOf"].iter().find_map(|word| schema.get(*word)?.as_array()) {
        let is_null = |choice: &&Value| choice.get("type").and_then(Value::as_str) == Some("null");
        let first = choices.iter().find(|choice| !is_null(choice)).or_else(|| choices.first())?;
        let chosen = inner(first)?;
        // A choice may stand beside properties that all have.
        return Some(match (chosen, object(schema, generator, fields, depth)) {
            (Value::Object(mut chosen), Some(common)) => {
                chosen.extend(common);
                Value::Object(chosen)
            }
            (chosen, _) => chosen,
        });
    }
    let kind = match schema.get("type") {
        Some(Value::Array(kinds)) => kinds.iter().find(|kind| *kind != "null").and_then(Value::as_str),
        kind => kind.and_then(Value::as_str),
    };
    let named = name.and_then(by_name);
    Some(match kind {
        Some("object") => Value::Object(object(schema, generator, fields, depth).unwrap_or_default()),
        Some("array") => match schema.get("items") {
            Some(items) => json!([inner(items)?]),
            None => json!([]),
        },
        Some("string") => named.filter(Value::is_string).unwrap_or_else(|| text(schema)),
        Some("integer") => named.filter(Value::is_u64).unwrap_or_else(|| least(schema)),
        Some("number") => json!(0.02),
        Some("boolean") => true.into(),
        // Any value fits.
        _ => json!({}),
    })
}

fn object(
    schema: &Value,
    generator: &SchemaGenerator,
    fields: ExampleFields,
    depth: usize,
) -> Option<Map<String, Value>> {
    let properties = schema.get("properties")?.as_object()?;
    let required = |name: &str| {
        schema.get("required").and_then(Value::as_array).is_some_and(|names| names.iter().any(|known| known == name))
    };
    // Where one is needed and none is named, the first stands for it.
    let needs_one = schema.get("minProperties").is_some();
    let first = properties.keys().find(|_| needs_one && !properties.keys().any(|name| required(name)));
    let wanted =
        properties.iter().filter(|(name, _)| fields == ExampleFields::All || required(name) || first == Some(*name));
    let made =
        wanted.filter_map(|(name, schema)| Some((name.clone(), of(schema, generator, fields, Some(name), depth + 1)?)));
    Some(made.collect())
}

fn text(schema: &Value) -> Value {
    match schema.get("format").and_then(Value::as_str) {
        Some("date-time") => "2026-01-31T09:30:00.000Z".into(),
        Some("date") => "2026-01-31".into(),
        Some("uri") => "https://example.com/".into(),
        Some("email") => "reader@example.com".into(),
        _ => "text".into(),
    }
}

fn least(schema: &Value) -> Value {
    let least = schema.get("minimum").and_then(Value::as_f64).unwrap_or_default().max(1.0);
    let most = schema.get("maximum").and_then(Value::as_f64).unwrap_or(f64::MAX);
    // Bounds of our own types, which are small.
    #[expect(clippy::cast_possible_truncation, reason = "a bound of a field is far from the limits of an integer")]
    let whole = least.min(most) as i64;
    whole.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_example_fits_and_means_something() {
        let schema = json!({
            "type": "object",
            "required": ["url", "kind"],
            "properties": {
                "url": {"type": "string"},
                "kind": {"enum": ["mobile", "desktop"]},
                "score": {"type": ["integer", "null"]},
                "list": {"type": "array", "items": {"anyOf": [{"type": "null"}, {"type": "boolean"}]}},
                "limit": {"type": "integer", "minimum": 3, "maximum": 9},
            },
        });
        let generator = SchemaGenerator::default();
        let asked = json!({"url": "https://example.com/", "kind": "mobile"});
        assert_eq!(example(&schema, &generator, ExampleFields::Required), asked);
        let answered =
            json!({"url": "https://example.com/", "kind": "mobile", "score": 82, "list": [true], "limit": 3});
        assert_eq!(example(&schema, &generator, ExampleFields::All), answered);
    }
}
