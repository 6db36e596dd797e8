//! Configuration keys as data, from the schema of [`Config`]: for environment variables, error messages and
//! documentation.

use schemars::SchemaGenerator;
use schemars::generate::SchemaSettings;
use serde_json::Value;

use super::settings::Config;

/// Prefix of environment variables.
pub(super) const PREFIX: &str = "SITE_AUDIT_";

/// One key of the configuration.
#[derive(Debug, Clone)]
pub struct ConfigKey {
    /// Dotted name, such as `limits.fetches`.
    pub name: String,
    /// Meaning and accepted values: the field's docstring.
    pub meaning: String,
    /// Its default as JSON; null for none.
    pub default: Value,
    /// Type of its value.
    pub(super) kind: KeyKind,
}

/// How an environment variable's text is parsed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum KeyKind {
    Text,
    Boolean,
    Integer,
    Number,
    List,
}

impl ConfigKey {
    /// Its environment variable.
    pub fn variable(&self) -> String {
        variable(&self.name)
    }
}

/// The environment variable of a key.
fn variable(name: &str) -> String {
    format!("{}{}", PREFIX, name.to_uppercase().replace('.', "__"))
}

/// The name of the key that an environment variable would be of; `None` for a variable that is none of ours.
pub(super) fn name_of(given: &str) -> Option<String> {
    let name = given.strip_prefix(PREFIX)?.to_lowercase().replace("__", ".");
    (variable(&name) == given).then_some(name)
}

/// The kind of a key by its default, which a start has long before the schema. `None` where that is null or a table, or there is no
/// such key.
pub(super) fn kind_by_default(defaults: &Value, name: &str) -> Option<KeyKind> {
    match name.split('.').try_fold(defaults, |table, part| table.get(part))? {
        Value::Null | Value::Object(_) => None,
        Value::Bool(_) => Some(KeyKind::Boolean),
        Value::Number(number) if number.is_f64() => Some(KeyKind::Number),
        Value::Number(_) => Some(KeyKind::Integer),
        Value::String(_) => Some(KeyKind::Text),
        Value::Array(_) => Some(KeyKind::List),
    }
}

/// Every key, in the order of the documentation.
pub fn reference() -> Vec<ConfigKey> {
    let settings = SchemaSettings::draft2020_12().with(|settings| settings.inline_subschemas = true);
    let schema = SchemaGenerator::from(settings).into_root_schema_for::<Config>();
    let defaults = serde_json::to_value(Config::default()).unwrap_or_default();
    let mut keys = Vec::new();
    collect(schema.as_value(), &defaults, "", &mut keys);
    keys
}

/// Collects the keys of one table. The configuration has two levels, and the schema is our own.
fn collect(schema: &Value, defaults: &Value, prefix: &str, keys: &mut Vec<ConfigKey>) {
    let Some(properties) = schema.get("properties").and_then(Value::as_object) else { return };
    for (name, field) in properties {
        let name_in_full = format!("{prefix}{name}");
        let default = defaults.get(name).cloned().unwrap_or_default();
        if field.get("properties").is_some() {
            collect(field, &default, &format!("{name_in_full}."), keys);
            continue;
        }
        let meaning = field.get("description").and_then(Value::as_str).unwrap_or_default();
        keys.push(ConfigKey { name: name_in_full, meaning: meaning.replace('\n', " "), default, kind: kind(field) });
    }
}

fn kind(field: &Value) -> KeyKind {
    let types: Vec<&str> = match field.get("type") {
        Some(Value::String(one)) => vec![one],
        Some(Value::Array(several)) => several.iter().filter_map(Value::as_str).collect(),
        _ => Vec::new(),
    };
    let is = |name: &str| types.contains(&name);
    match () {
        () if is("array") => KeyKind::List,
        () if is("boolean") => KeyKind::Boolean,
        () if is("integer") => KeyKind::Integer,
        () if is("number") => KeyKind::Number,
        () => KeyKind::Text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_key_says_what_it_means() {
        let keys = reference();
        assert!(keys.len() > 25, "{}", keys.len());
        for key in &keys {
            assert!(key.meaning.ends_with('.'), "{}: {:?}", key.name, key.meaning);
        }
        let kind = |name: &str| keys.iter().find(|key| key.name == name).map(|key| key.kind);
        assert_eq!(kind("listen"), Some(KeyKind::Text));
        assert_eq!(kind("fetch.allow_ports"), Some(KeyKind::List));
        assert_eq!(kind("fetch.ca_file"), Some(KeyKind::Text));
        assert_eq!(kind("lab.sandbox"), Some(KeyKind::Boolean));
        assert_eq!(kind("showcase.revenue"), Some(KeyKind::Boolean));
        assert_eq!(kind("limits.fetches"), Some(KeyKind::Integer));
        assert_eq!(kind("prices.audit_usd"), Some(KeyKind::Number));
        assert_eq!(kind("partners.enabled"), Some(KeyKind::Boolean));
    }

    #[test]
    fn a_default_is_of_the_kind_of_its_key() {
        let defaults = serde_json::to_value(Config::default()).unwrap();
        let keys = reference();
        let known = keys.iter().filter(|key| {
            let kind = kind_by_default(&defaults, &key.name);
            assert!(kind.is_none_or(|kind| kind == key.kind), "{}: {kind:?}", key.name);
            kind.is_some()
        });
        assert!(known.count() > keys.len() / 2);
        assert_eq!(["limits", "limitz", "limits.x", ""].map(|name| kind_by_default(&defaults, name)), [None; 4]);
    }

    #[test]
    fn a_variable_names_one_key() {
        for key in reference() {
            assert_eq!(name_of(&key.variable()), Some(key.name));
        }
        for other in ["HOME", "site_audit_listen", "SITE_AUDIT_listen", "SITE_AUDIT_LIMITS.FETCHES"] {
            assert_eq!(name_of(other), None, "{other}");
        }
    }
}
