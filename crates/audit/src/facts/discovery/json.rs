//! JSON as probes read it: strict (RFC 8259), nested at most 127 deep, with a member that is named twice told.

use std::cell::RefCell;
use std::collections::HashSet;
use std::fmt;

use serde::de::{DeserializeSeed, MapAccess, SeqAccess, Visitor};
use serde_json::Value;

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
    let value = serde_json::from_slice(bytes).ok()?;
    let duplicate = RefCell::new(None);
    Noting(&duplicate).deserialize(&mut serde_json::Deserializer::from_slice(bytes)).ok()?;
    Some(Json { value, duplicate: duplicate.into_inner() })
}

impl Json {
    /// Notes to judge it by, with the remark on a name that occurs twice.
    pub(super) fn notes(&self) -> Notes {
        const TWICE: Text = text(
            "the member {name} occurs twice in one object, and parsers differ in which one they use",
            "o membro {name} aparece duas vezes em um objeto, e os parsers divergem sobre qual usar",
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

/// Goes through any value, and notes the first name that comes twice in one object.
#[derive(Clone, Copy)]
struct Noting<'n>(&'n RefCell<Option<String>>);

impl<'de> DeserializeSeed<'de> for Noting<'_> {
    type Value = ();

    fn deserialize<D: serde::Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Noting<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any JSON value")
    }

    fn visit_bool<E>(self, _: bool) -> Result<(), E> {
        Ok(())
    }

    fn visit_i64<E>(self, _: i64) -> Result<(), E> {
        Ok(())
    }

    fn visit_u64<E>(self, _: u64) -> Result<(), E> {
        Ok(())
    }

    fn visit_f64<E>(self, _: f64) -> Result<(), E> {
        Ok(())
    }

    fn visit_str<E>(self, _: &str) -> Result<(), E> {
        Ok(())
    }

    fn visit_unit<E>(self) -> Result<(), E> {
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut access: A) -> Result<(), A::Error> {
        while access.next_element_seed(self)?.is_some() {}
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut access: A) -> Result<(), A::Error> {
        let mut names = HashSet::new();
        while let Some(name) = access.next_key::<String>()? {
            access.next_value_seed(self)?;
            if let Some(twice) = names.replace(name) {
                self.0.borrow_mut().get_or_insert(twice);
            }
        }
        Ok(())
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
        for text in ["", "{", "{} x", "{\"a\":1,}", "NaN", "{a:1}", "\u{feff}{}"] {
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
