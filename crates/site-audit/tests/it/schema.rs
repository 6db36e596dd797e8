//! Whether a value fits a JSON Schema, of the words that our own schemas use.

use serde_json::Value;

/// Words that say nothing of what fits, or are held by the words beside them.
const SILENT: [&str; 10] = [
    "description",
    "title",
    "default",
    "format",
    "example",
    "properties",
    "items",
    "prefixItems",
    "additionalProperties",
    "$defs",
];

/// Where and why a value does not fit. References lead into `root`.
pub(crate) fn misfit(value: &Value, schema: &Value, root: &Value) -> Option<String> {
    let Value::Object(words) = schema else {
        return (schema == &Value::Bool(false)).then(|| "nothing fits".to_owned());
    };
    words.iter().find_map(|(word, wanted)| by_word(value, word, wanted, root)).or_else(|| inside(value, schema, root))
}

/// What one word of a schema has against a value.
fn by_word(value: &Value, word: &str, wanted: &Value, root: &Value) -> Option<String> {
    let list = || wanted.as_array().unwrap().iter();
    let fits = |schema: &Value| misfit(value, schema, root).is_none();
    let is_good = match word {
        "$ref" => {
            let path = wanted.as_str().unwrap().trim_start_matches('#');
            return misfit(value, root.pointer(path).unwrap_or_else(|| panic!("{path} leads nowhere")), root);
        }
        "type" => match wanted {
            Value::String(kind) => is_kind(value, kind),
            kinds => kinds.as_array().unwrap().iter().any(|kind| is_kind(value, kind.as_str().unwrap())),
        },
        "enum" => list().any(|choice| choice == value),
        "const" => wanted == value,
        "anyOf" => list().any(fits),
        "oneOf" => list().filter(|choice| fits(choice)).count() == 1,
        "allOf" => return list().find_map(|part| misfit(value, part, root)),
        "required" => {
            value.as_object().is_none_or(|fields| list().all(|name| fields.contains_key(name.as_str().unwrap())))
        }
        "minimum" => value.as_f64().is_none_or(|number| number >= wanted.as_f64().unwrap()),
        "maximum" => value.as_f64().is_none_or(|number| number <= wanted.as_f64().unwrap()),
        "minLength" => value.as_str().is_none_or(|text| text.chars().count() as u64 >= wanted.as_u64().unwrap()),
        "maxLength" => value.as_str().is_none_or(|text| text.chars().count() as u64 <= wanted.as_u64().unwrap()),
        "minItems" => value.as_array().is_none_or(|items| items.len() as u64 >= wanted.as_u64().unwrap()),
        "maxItems" => value.as_array().is_none_or(|items| items.len() as u64 <= wanted.as_u64().unwrap()),
        "uniqueItems" => {
            value.as_array().is_none_or(|items| items.iter().enumerate().all(|(at, item)| !items[..at].contains(item)))
        }
        "minProperties" => value.as_object().is_none_or(|fields| fields.len() as u64 >= wanted.as_u64().unwrap()),
        silent if SILENT.contains(&silent) => true,
        other => panic!("a word that is not judged here: {other}"),
    };
    (!is_good).then(|| format!("{value} is not as {word} says: {wanted}").chars().take(400).collect())
}

/// What is wrong with the fields or items of a value.
fn inside(value: &Value, schema: &Value, root: &Value) -> Option<String> {
    let at = |place: &str, why: String| format!("{place}: {why}");
    let of_fields = value.as_object().into_iter().flatten().find_map(|(name, field)| {
        let known = schema.get("properties").and_then(|properties| properties.get(name));
        let inner = known.or_else(|| schema.get("additionalProperties"))?;
        misfit(field, inner, root).map(|why| at(name, why))
    });
    let of_places = || {
        let places = schema.get("prefixItems")?.as_array()?.iter().zip(value.as_array()?);
        places.enumerate().find_map(|(at, (inner, item))| misfit(item, inner, root).map(|why| format!("{at}: {why}")))
    };
    of_fields.or_else(of_places).or_else(|| {
        let inner = schema.get("items")?;
        let items = value.as_array().into_iter().flatten().enumerate();
        items.into_iter().find_map(|(index, item)| misfit(item, inner, root).map(|why| at(&index.to_string(), why)))
    })
}

/// Fields of a value that its schema does not name, or names without a description; each by its path.
pub(crate) fn undescribed(value: &Value, schema: &Value, root: &Value) -> Vec<String> {
    let schema = match schema.get("$ref").and_then(Value::as_str) {
        Some(path) => root.pointer(path.trim_start_matches('#')).unwrap_or_else(|| panic!("{path} leads nowhere")),
        None => schema,
    };
    // Of several choices the one that the value is.
    for word in ["anyOf", "oneOf"] {
        if let Some(choices) = schema.get(word).and_then(Value::as_array) {
            let fitting = choices.iter().find(|choice| misfit(value, choice, root).is_none());
            return fitting.map(|choice| undescribed(value, choice, root)).unwrap_or_default();
        }
    }
    let mut found = Vec::new();
    let mut below = |name: &str, value: &Value, inner: &Value| {
        found.extend(undescribed(value, inner, root).into_iter().map(|path| format!("{name}.{path}")));
    };
    for item in value.as_array().into_iter().flatten() {
        if let Some(inner) = schema.get("items").filter(|inner| inner.is_object()) {
            below("[]", item, inner);
        }
    }
    let mut nameless = Vec::new();
    // A variant with one field is described as a whole.
    let is_variant = schema.get("description").is_some()
        && schema.get("properties").and_then(Value::as_object).is_some_and(|properties| properties.len() == 1);
    for (name, field) in value.as_object().into_iter().flatten() {
        let known = schema.get("properties").and_then(|properties| properties.get(name));
        match known.or_else(|| schema.get("additionalProperties").filter(|inner| inner.is_object())) {
            Some(inner) if known.is_none() || is_variant || inner.get("description").is_some() => {
                below(name, field, inner);
            }
            _ => nameless.push(name.clone()),
        }
    }
    found.extend(nameless);
    found
}

fn is_kind(value: &Value, kind: &str) -> bool {
    match kind {
        "object" => value.is_object(),
        "array" => value.is_array(),
        "string" => value.is_string(),
        "integer" => value.is_i64() || value.is_u64(),
        "number" => value.is_number(),
        "boolean" => value.is_boolean(),
        "null" => value.is_null(),
        other => panic!("no such type: {other}"),
    }
}
