//! Input of a call: path, then query or body, as one JSON object; then as the handler's type.

use serde::de::{DeserializeOwned, Deserializer, MapAccess, Visitor};
use serde_json::{Map, Value};

use crate::error::{ApiError, Code};

/// Parameters of a query that are looked at.
const MOST_PARAMETERS: usize = 64;

/// The JSON object of a body. An empty body is an empty object; a key that comes twice is refused (RFC 8259 §4 leaves
/// its meaning open, so two readers may see two different calls).
pub fn body_object(bytes: &[u8]) -> Result<Map<String, Value>, ApiError> {
    if bytes.iter().all(u8::is_ascii_whitespace) {
        return Ok(Map::new());
    }
    let mut deserializer = serde_json::Deserializer::from_slice(bytes);
    let object = (&mut deserializer).deserialize_map(Distinct).and_then(|object| deserializer.end().map(|()| object));
    object.map_err(|error| ApiError::new(Code::InvalidBody).detail(error.to_string()))
}

/// An object whose keys are distinct.
struct Distinct;

impl<'de> Visitor<'de> for Distinct {
    type Value = Map<String, Value>;

    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("a JSON object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut access: A) -> Result<Self::Value, A::Error> {
        let mut object = Map::new();
        while let Some(key) = access.next_key::<String>()? {
            if object.contains_key(&key) {
                return Err(serde::de::Error::custom(format_args!("{key}: the field comes twice")));
            }
            let value = access.next_value()?;
            object.insert(key, value);
        }
        Ok(object)
    }
}

/// The parameters of a query. A name that comes twice is refused.
pub fn query_object(query: Option<&str>) -> Result<Map<String, Value>, ApiError> {
    let mut object = Map::new();
    for (name, value) in url::form_urlencoded::parse(query.unwrap_or_default().as_bytes()) {
        let refused = |why: &str| ApiError::new(Code::InvalidParameter).detail(format!("{name}: {why}"));
        if object.len() == MOST_PARAMETERS {
            return Err(refused("there are too many parameters"));
        }
        if object.contains_key(name.as_ref()) {
            return Err(refused("the parameter comes twice"));
        }
        object.insert(name.into_owned(), Value::String(value.into_owned()));
    }
    Ok(object)
}

/// The guest token of a body, if it is a text; anything else is for the typed reading to refuse.
pub fn token_of(input: &Map<String, Value>) -> Option<&str> {
    input.get("guest_token").and_then(Value::as_str)
}

/// The object as the handler's type. `in_body`: whether a wrong field is the body's or a parameter.
pub(super) fn typed<I: DeserializeOwned>(input: Map<String, Value>, in_body: bool) -> Result<I, ApiError> {
    let code = if in_body { Code::InvalidBody } else { Code::InvalidParameter };
    let read = if in_body {
        serde_path_to_error::deserialize(Value::Object(input))
    } else {
        serde_path_to_error::deserialize(Texts(input))
    };
    read.map_err(|error| {
        let path = error.path().to_string();
        let said = error.into_inner().to_string();
        let field = match path.as_str() {
            // A missing field has no path; its name stands in the message.
            "." | "?" => said.split('`').nth(1).unwrap_or("body").to_owned(),
            path => path.to_owned(),
        };
        ApiError::new(code).detail(format!("{field}: {said}"))
    })
}

/// Path and query parameters: every value is a text, which becomes what its field takes.
struct Texts(Map<String, Value>);

impl<'de> Deserializer<'de> for Texts {
    type Error = serde_json::Error;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Self::Error> {
        let entries = self.0.into_iter().map(|(name, value)| {
            let text = match value {
                Value::String(text) => text,
                other => other.to_string(),
            };
            (name, Parameter(text))
        });
        visitor.visit_map(serde::de::value::MapDeserializer::new(entries))
    }

    serde::forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option unit unit_struct
        newtype_struct seq tuple tuple_struct map struct enum identifier ignored_any
    }
}

/// One parameter.
struct Parameter(String);

/// Reads the text as the kind that the field asks for.
macro_rules! parsed {
    ($($method:ident $visit:ident $what:literal;)+) => {
        $(fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Self::Error> {
            match self.0.parse() {
                Ok(value) => visitor.$visit(value),
                Err(_) => Err(serde::de::Error::custom(format_args!("{:?} is not {}", self.0, $what))),
            }
        })+
    };
}

impl<'de> Deserializer<'de> for Parameter {
    type Error = serde_json::Error;

    parsed! {
        deserialize_bool visit_bool "true or false";
        deserialize_u8 visit_u8 "a whole number of at most 255";
        deserialize_u16 visit_u16 "a whole number of at most 65535";
        deserialize_u32 visit_u32 "a whole number that is not negative";
        deserialize_u64 visit_u64 "a whole number that is not negative";
        deserialize_i64 visit_i64 "a whole number";
        deserialize_f64 visit_f64 "a number";
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Self::Error> {
        visitor.visit_some(self)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _name: &'static str,
        visitor: V,
    ) -> Result<V::Value, Self::Error> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _name: &'static str,
        _variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Self::Error> {
        visitor.visit_enum(serde::de::value::StringDeserializer::new(self.0))
    }

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Self::Error> {
        visitor.visit_string(self.0)
    }

    serde::forward_to_deserialize_any! {
        i8 i16 i32 i128 u128 f32 char str string bytes byte_buf unit unit_struct seq tuple tuple_struct map struct
        identifier ignored_any
    }
}

impl<'de> serde::de::IntoDeserializer<'de, serde_json::Error> for Parameter {
    type Deserializer = Self;

    fn into_deserializer(self) -> Self {
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde::Deserialize;

    #[derive(Debug, PartialEq, Deserialize)]
    struct Input {
        url: String,
        #[serde(default)]
        wait: Option<u32>,
        #[serde(default)]
        deep: bool,
    }

    fn body(text: &str) -> Result<Input, String> {
        body_object(text.as_bytes()).and_then(|object| typed(object, true)).map_err(told)
    }

    fn query(text: &str) -> Result<Input, String> {
        query_object(Some(text)).and_then(|object| typed(object, false)).map_err(told)
    }

    fn told(error: ApiError) -> String {
        format!("{} {}", error.code.wire(), error.detail.unwrap_or_default().en)
    }

    #[test]
    fn u21_a_body_is_an_object_with_distinct_fields_of_their_types() {
        assert_eq!(body(r#"{"url":"x"}"#).unwrap().url, "x");
        for (text, wanted) in [
            ("", "invalid_body url: missing field `url`"),
            ("{", "invalid_body EOF while parsing"),
            ("[]", "invalid_body invalid type: sequence, expected a JSON object"),
            (r#"{"url":1}"#, "invalid_body url: invalid type: number"),
            (r#"{"url":null}"#, "invalid_body url: invalid type: null"),
            (r#"{"url":[]}"#, "invalid_body url: invalid type: sequence"),
            (r#"{"url":{}}"#, "invalid_body url: invalid type: map"),
            (r#"{"url":"a","url":"b"}"#, "invalid_body url: the field comes twice"),
            (r#"{"url":"a"} x"#, "invalid_body trailing characters"),
            (r#"{"url":"a","wait":"3"}"#, "invalid_body wait: invalid type: string"),
            (&format!(r#"{{"url":{}1{}}}"#, "[".repeat(200), "]".repeat(200)), "invalid_body recursion limit"),
        ] {
            let error = body(text).unwrap_err();
            assert!(error.starts_with(wanted), "{error}");
        }
    }

    #[test]
    fn parameters_become_what_their_fields_take() {
        assert_eq!(
            query("url=a%20b&wait=3&deep=true").unwrap(),
            Input { url: "a b".to_owned(), wait: Some(3), deep: true }
        );
        for (text, wanted) in [
            ("url=a&wait=x", "invalid_parameter wait: \"x\" is not a whole number"),
            ("url=a&url=b", "invalid_parameter url: the parameter comes twice"),
            ("wait=1", "invalid_parameter url: missing field `url`"),
            ("url=a&deep=yes", "invalid_parameter deep: \"yes\" is not true or false"),
        ] {
            let error = query(text).unwrap_err();
            assert!(error.starts_with(wanted), "{error}");
        }
    }
}
