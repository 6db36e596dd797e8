//! Input of a call: path, then query or body, as one JSON object; then as the handler's type.

mod given;
mod nested;
mod problem;
mod unknown;

use model::lang::{Phrase, Text, text};
use serde::de::{DeserializeOwned, Deserializer as _, MapAccess, Visitor};
use serde_json::error::Category;
use serde_json::{Map, Value};

use given::{Texts, TypedValue};
pub(crate) use nested::NestedShapes;
use problem::{TWICE, refused};
use service::error::{Code, ServiceError};
pub(crate) use unknown::{unknown, unknown_at};

/// Parameters of a query at most.
const MOST_PARAMETERS: usize = 64;

/// The JSON object of a body. An empty body is an empty object; a key that comes twice is refused (RFC 8259 §4 leaves
/// its meaning open, so two readers may see two different calls).
pub(crate) fn body_object(bytes: &[u8]) -> Result<Map<String, Value>, ServiceError> {
    if bytes.iter().all(u8::is_ascii_whitespace) {
        return Ok(Map::new());
    }
    let mut deserializer = serde_json::Deserializer::from_slice(bytes);
    let read = (&mut deserializer).deserialize_map(Distinct).and_then(|read| deserializer.end().map(|()| read));
    match read {
        Ok(ObjectFields { twice: Some(name), .. }) => Err(refused(Code::InvalidBody, &name, &TWICE.into())),
        Ok(ObjectFields { fields, .. }) => Ok(fields),
        Err(error) => Err(refused(Code::InvalidBody, "body", &unread(&error))),
    }
}

/// The message of a syntax error in a body, with line and column.
fn unread(error: &serde_json::Error) -> Phrase {
    const NOT_JSON: Text =
        text("invalid JSON at line {line}, column {column}", "JSON inválido na linha {line}, coluna {column}");
    const TOO_DEEP: Text =
        text("nested too deeply at line {line}, column {column}", "níveis demais na linha {line}, coluna {column}");
    const NO_OBJECT: Text = text("must be a JSON object", "deve ser um objeto JSON");
    let place = [("line", error.line().into()), ("column", error.column().into())];
    match error.classify() {
        // Only the outermost value has to be of a kind.
        Category::Data => NO_OBJECT.into(),
        // The library has no other mark for it.
        _ if error.to_string().starts_with("recursion limit exceeded") => TOO_DEEP.phrase(&place),
        _ => NOT_JSON.phrase(&place),
    }
}

/// A JSON object, and the first duplicate name in it.
struct ObjectFields {
    fields: Map<String, Value>,
    twice: Option<String>,
}

/// Reads a JSON object and notes duplicate names.
struct Distinct;

impl<'de> Visitor<'de> for Distinct {
    type Value = ObjectFields;

    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("a JSON object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut access: A) -> Result<Self::Value, A::Error> {
        let (mut fields, mut twice) = (Map::new(), None);
        while let Some((name, value)) = access.next_entry::<String, Value>()? {
            if twice.is_none() && fields.contains_key(&name) {
                twice = Some(name);
            } else {
                fields.insert(name, value);
            }
        }
        Ok(ObjectFields { fields, twice })
    }
}

/// The parameters of a query. Duplicate names are refused.
pub fn query_object(query: Option<&str>) -> Result<Map<String, Value>, ServiceError> {
    const TOO_MANY: Text = text("too many parameters", "há parâmetros demais");
    let mut object = Map::new();
    for (name, value) in url::form_urlencoded::parse(query.unwrap_or_default().as_bytes()) {
        let refused = |why: Text| refused(Code::InvalidParameter, &name, &why.into());
        if object.len() == MOST_PARAMETERS {
            return Err(refused(TOO_MANY));
        }
        if object.contains_key(name.as_ref()) {
            return Err(refused(TWICE));
        }
        object.insert(name.into_owned(), Value::String(value.into_owned()));
    }
    Ok(object)
}

/// The guest token of a body, if it is a text; anything else is for the typed reading to refuse.
pub(crate) fn token_of(input: &Map<String, Value>) -> Option<&str> {
    input.get("guest_token").and_then(Value::as_str)
}

/// The object as the handler's type. `in_body`: whether a wrong field is the body's or a parameter.
pub(super) fn typed<I: DeserializeOwned>(input: Map<String, Value>, in_body: bool) -> Result<I, ServiceError> {
    let (code, read) = if in_body {
        (Code::InvalidBody, serde_path_to_error::deserialize(TypedValue(Value::Object(input))))
    } else {
        (Code::InvalidParameter, serde_path_to_error::deserialize(Texts(input)))
    };
    read.map_err(|error| {
        let path = error.path().clone();
        error.into_inner().at(&path, code)
    })
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
        of: Option<Of>,
    }

    #[derive(Debug, PartialEq, Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Of {
        kind: Kind,
    }

    #[derive(Debug, PartialEq, Deserialize)]
    #[serde(rename_all = "lowercase")]
    enum Kind {
        Page,
        Site,
    }

    fn body(text: &str) -> Result<Input, ServiceError> {
        body_object(text.as_bytes()).and_then(|object| typed(object, true))
    }

    fn query(text: &str) -> Result<Input, ServiceError> {
        query_object(Some(text)).and_then(|object| typed(object, false))
    }

    fn check(refused: Result<Input, ServiceError>, code: Code, en: &str, pt: &str) {
        let error = refused.unwrap_err();
        let detail = error.detail.unwrap();
        assert_eq!((error.code, detail.en.as_str(), detail.pt.as_str()), (code, en, pt));
    }

    #[test]
    fn u21_a_body_is_an_object_with_distinct_fields_of_their_types() {
        assert_eq!(body(r#"{"url":"x"}"#).unwrap().url, "x");
        assert_eq!(body(r#"{"url":"x","wait":3,"deep":true,"more":[{}]}"#).unwrap().wait, Some(3));
        let deep = format!(r#"{{"url":{}1{}}}"#, "[".repeat(200), "]".repeat(200));
        for (text, en, pt) in [
            ("", "url: is missing", "url: está faltando"),
            ("{", "body: invalid JSON at line 1, column 1", "body: JSON inválido na linha 1, coluna 1"),
            ("{\n\"url\":'a'}", "body: invalid JSON at line 2, column 7", "body: JSON inválido na linha 2, coluna 7"),
            (
                r#"{"url":"a"} x"#,
                "body: invalid JSON at line 1, column 13",
                "body: JSON inválido na linha 1, coluna 13",
            ),
            ("[]", "body: must be a JSON object", "body: deve ser um objeto JSON"),
            (r#"{"url":1}"#, "url: must be a string, not a number", "url: deve ser um texto, não um número"),
            (r#"{"url":null}"#, "url: must be a string, not null", "url: deve ser um texto, não null"),
            (r#"{"url":[]}"#, "url: must be a string, not an array", "url: deve ser um texto, não uma lista"),
            (r#"{"url":{}}"#, "url: must be a string, not an object", "url: deve ser um texto, não um objeto"),
            (r#"{"url":"a","url":"b"}"#, "url: was sent twice", "url: foi enviado duas vezes"),
            (
                r#"{"url":"a","wait":"3"}"#,
                "wait: must be a number, not a string",
                "wait: deve ser um número, não um texto",
            ),
            (r#"{"url":"a","wait":-1}"#, "wait: is not an accepted value", "wait: não é um valor aceito"),
            (
                r#"{"url":"a","of":{"kind":"x"}}"#,
                "of.kind: must be one of: page, site",
                "of.kind: deve ser um destes: page, site",
            ),
            (r#"{"url":"a","of":{}}"#, "of.kind: is missing", "of.kind: está faltando"),
            (r#"{"url":"a","of":{"kind":"page","b":1}}"#, "of.b: unknown field", "of.b: campo desconhecido"),
            (&deep, "body: nested too deeply at line 1, column 134", "body: níveis demais na linha 1, coluna 134"),
        ] {
            check(body(text), Code::InvalidBody, en, pt);
        }
    }

    #[test]
    fn parameters_become_what_their_fields_take() {
        assert_eq!(
            query("url=a%20b&wait=3&deep=true").unwrap(),
            Input { url: "a b".to_owned(), wait: Some(3), deep: true, of: None }
        );
        for (text, en, pt) in [
            (
                "url=a&wait=x",
                "wait: must be a non-negative whole number without leading zeros",
                "wait: deve ser um número inteiro não negativo sem zeros à esquerda",
            ),
            ("url=a&url=b", "url: was sent twice", "url: foi enviado duas vezes"),
            ("<b>=a&<b>=b", "?: was sent twice", "?: foi enviado duas vezes"),
            ("wait=1", "url: is missing", "url: está faltando"),
            ("url=a&deep=yes", "deep: must be true or false", "deep: deve ser true ou false"),
        ] {
            check(query(text), Code::InvalidParameter, en, pt);
        }
    }
}
