//! JSON as probes read it: strict (RFC 8259), nested at most 127 deep, with a member that is named twice told.

use std::cell::RefCell;
use std::fmt;

use serde::de::{DeserializeSeed, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Value};

use super::notes::{Notes, quoted};
use model::lang::{Text, text};

/// A document, and the first name that one of its objects has twice; the last value counts.
#[derive(Debug)]
pub(super) struct Json {
    pub(super) value: Value,
    pub(super) duplicate: Option<String>,
}

/// Reads a whole body. `None` for anything that is not JSON, or nested deeper than `serde_json` goes.
pub(super) fn read(bytes: &[u8]) -> Option<Json> {
    let duplicate = RefCell::new(None);
    let mut reader = serde_json::Deserializer::from_slice(bytes);
    let value = Noting(&duplicate).deserialize(&mut reader).ok()?;
    reader.end().ok()?;
    Some(Json { value, duplicate: duplicate.into_inner() })
}

impl Json {
    /// Notes to judge it by, with the remark on a name that occurs twice.
    pub(super) fn notes(&self) -> Notes {
        const TWICE: Text = text(
            "the member {name} occurs twice in one object, and readers differ in which one they take",
            "o membro {name} aparece duas vezes em um objeto, e os leitores divergem sobre qual vale",
        );
        let mut notes = Notes::default();
        if let Some(name) = &self.duplicate {
            notes.remark(TWICE, &[("name", quoted(name))]);
        }
        notes
    }
}

/// What a required member has to be.
#[derive(Debug, Clone, Copy)]
pub(super) enum Shape {
    /// A string that is not empty.
    Text,
    /// An array.
    List,
    /// An array of strings with at least one.
    Texts,
    /// An object.
    Object,
}

impl Shape {
    fn fits(self, value: &Value) -> bool {
        match self {
            Self::Text => value.as_str().is_some_and(|text| !text.is_empty()),
            Self::List => value.is_array(),
            Self::Texts => texts(Some(value)).is_some_and(|texts| !texts.is_empty()),
            Self::Object => value.is_object(),
        }
    }
}

/// The members that an object lacks or has in another shape.
pub(super) fn missing<'m>(object: &Value, members: &[(&'m str, Shape)]) -> Vec<&'m str> {
    let lacks = |(name, shape): &&(&str, Shape)| !object.get(*name).is_some_and(|value| shape.fits(value));
    members.iter().filter(lacks).map(|(name, _)| *name).collect()
}

/// A member that is a string.
pub(super) fn member<'v>(object: &'v Value, name: &str) -> Option<&'v str> {
    object.get(name).and_then(Value::as_str)
}

/// The strings of an array; `None` when it is no array, or holds something else too.
pub(super) fn texts(value: Option<&Value>) -> Option<Vec<&str>> {
    value?.as_array()?.iter().map(Value::as_str).collect()
}

/// The members of an array; none when it is no array.
pub(super) fn list<'v>(object: &'v Value, name: &str) -> &'v [Value] {
    object.get(name).and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default()
}

/// Reads any value as [`Value`] does, and notes the first name that comes twice in one object.
#[derive(Clone, Copy)]
struct Noting<'n>(&'n RefCell<Option<String>>);

impl<'de> DeserializeSeed<'de> for Noting<'_> {
    type Value = Value;

    fn deserialize<D: serde::Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Noting<'_> {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any JSON value")
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_f64<E>(self, value: f64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut access: A) -> Result<Value, A::Error> {
        let mut members = Vec::new();
        while let Some(member) = access.next_element_seed(self)? {
            members.push(member);
        }
        Ok(Value::Array(members))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut access: A) -> Result<Value, A::Error> {
        let mut members = Map::new();
        while let Some(name) = access.next_key::<String>()? {
            let value = access.next_value_seed(self)?;
            if members.insert(name.clone(), value).is_some() {
                self.0.borrow_mut().get_or_insert(name);
            }
        }
        Ok(Value::Object(members))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_is_read_strictly_and_to_a_bounded_depth() {
        let value = |text: &str| read(text.as_bytes()).map(|json| json.value);
        assert_eq!(
            value(r#"{"a":[1,-2,0.5,"x",true,null]}"#),
            serde_json::from_str(r#"{"a":[1,-2,0.5,"x",true,null]}"#).ok()
        );
        for text in ["", "{", "{} x", "{\"a\":1,}", "NaN", "1e400", "{a:1}", "\u{feff}{}"] {
            assert_eq!(value(text), None, "{text}");
        }
        assert!(value(&format!("{}{}", "[".repeat(127), "]".repeat(127))).is_some());
        assert!(value(&format!("{}{}", "[".repeat(128), "]".repeat(128))).is_none());
        assert!(value(&"[".repeat(60_000)).is_none());
    }

    #[test]
    fn a_name_that_comes_twice_is_told_and_the_last_value_counts() {
        let json = read(br#"{"a":{"b":1,"b":2},"c":0,"c":1}"#).unwrap();
        assert_eq!(json.duplicate.as_deref(), Some("b"));
        assert_eq!(json.value.pointer("/a/b"), Some(&2.into()));
        assert_eq!(read(br#"{"a":{"a":1}}"#).unwrap().duplicate, None);
    }
}
