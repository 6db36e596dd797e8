//! Validation errors of an input in both languages, by serde's classes of errors.

use std::fmt;

use model::lang::{Phrase, Text, Value, text};
use serde::de::{self, Expected, Unexpected};
use serde_path_to_error::Path;

use service::error::{Code, ServiceError};

/// The message of serde, without the position.
#[derive(Debug)]
pub(super) struct InputProblem {
    /// The field it is about, where the path leads to its parent only.
    field: Option<String>,
    message: Phrase,
}

impl InputProblem {
    pub(super) fn new(message: impl Into<Phrase>) -> Self {
        Self { field: None, message: message.into() }
    }

    fn of(field: &str, message: Text) -> Self {
        Self { field: Some(field.to_owned()), message: message.into() }
    }

    /// The refusal, with the path of the field.
    pub(super) fn at(self, path: &Path, code: Code) -> ServiceError {
        let path = path.to_string();
        let parent = path.trim_matches(['.', '?']);
        let place = match self.field.as_deref() {
            None if parent.is_empty() => "body".to_owned(),
            Some(field) if parent.is_empty() => field.to_owned(),
            Some(field) if !parent.ends_with(field) => format!("{parent}.{field}"),
            _ => parent.to_owned(),
        };
        refused(code, &place, &self.message)
    }
}

/// An error that begins with the field. An unknown name is echoed only where it looks like one, so that errors repeat no
/// untrusted text.
pub(super) fn refused(code: Code, field: &str, message: &Phrase) -> ServiceError {
    /// Bytes of a path of names; ours are far shorter.
    const LONGEST: usize = 128;
    let is_name = field.len() <= LONGEST && field.bytes().all(|b| b.is_ascii_alphanumeric() || b"_-.[]".contains(&b));
    let field = if is_name { field } else { "?" };
    ServiceError::new(code)
        .explained(Phrase { en: format!("{field}: {}", message.en), pt: format!("{field}: {}", message.pt) })
}

/// The JSON type that was found, for messages.
fn kind(found: Unexpected<'_>) -> Text {
    match found {
        Unexpected::Bool(_) => text("true or false", "verdadeiro ou falso"),
        Unexpected::Unsigned(_) | Unexpected::Signed(_) | Unexpected::Float(_) => text("a number", "um número"),
        Unexpected::Char(_) | Unexpected::Str(_) | Unexpected::Bytes(_) => text("a string", "um texto"),
        Unexpected::Unit | Unexpected::Option => text("null", "null"),
        Unexpected::Seq => text("an array", "uma lista"),
        _ => text("an object", "um objeto"),
    }
}

/// A value of the wrong type.
pub(super) fn wrong_kind(found: Unexpected<'_>, taken: Text) -> InputProblem {
    let found = kind(found);
    InputProblem::new(Phrase {
        en: format!("must be {}, not {}", taken.en, found.en),
        pt: format!("deve ser {}, não {}", taken.pt, found.pt),
    })
}

/// A parameter that can't be parsed as the field's type.
pub(super) fn takes(taken: Text) -> InputProblem {
    InputProblem::new(Phrase { en: format!("must be {}", taken.en), pt: format!("deve ser {}", taken.pt) })
}

const NOT_TAKEN: Text = text("is not an accepted value", "não é um valor aceito");
/// Of a field of a body, and of a parameter.
pub(super) const TWICE: Text = text("was sent twice", "foi enviado duas vezes");

impl de::Error for InputProblem {
    /// The message of a type with a parser of its own.
    fn custom<T: fmt::Display>(message: T) -> Self {
        Self::new(Phrase::verbatim(message.to_string()))
    }

    fn invalid_type(found: Unexpected<'_>, _: &dyn Expected) -> Self {
        let found = kind(found);
        Self::new(Phrase { en: format!("must not be {}", found.en), pt: format!("não pode ser {}", found.pt) })
    }

    fn invalid_value(_: Unexpected<'_>, _: &dyn Expected) -> Self {
        Self::new(NOT_TAKEN)
    }

    fn invalid_length(_: usize, _: &dyn Expected) -> Self {
        Self::new(text("the array has the wrong length", "a lista tem o tamanho errado"))
    }

    fn unknown_variant(_: &str, taken: &'static [&'static str]) -> Self {
        const ONE_OF: Text = text("must be one of: {names}", "deve ser um destes: {names}");
        Self::new(ONE_OF.phrase(&[("names", Value::from(taken.join(", ")))]))
    }

    fn unknown_field(field: &str, _: &'static [&'static str]) -> Self {
        Self::of(field, text("unknown field", "campo desconhecido"))
    }

    fn missing_field(field: &'static str) -> Self {
        Self::of(field, text("is missing", "está faltando"))
    }

    fn duplicate_field(field: &'static str) -> Self {
        Self::of(field, TWICE)
    }
}

impl fmt::Display for InputProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message.en)
    }
}

impl std::error::Error for InputProblem {}
