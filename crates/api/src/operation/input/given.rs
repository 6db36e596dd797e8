//! Deserializers of inputs: values of a JSON body, and texts of parameters, which are parsed as their field's type.

use model::lang::{Text, text};
use serde::de::value::{MapDeserializer, SeqDeserializer, StringDeserializer};
use serde::de::{Deserializer, Error as _, IntoDeserializer, Unexpected, Visitor};
use serde_json::{Map, Value};

use super::problem::{InputProblem, takes, wrong_kind};

const TEXT: Text = text("a string", "um texto");
const NUMBER: Text = text("a number", "um número");
const BOOLEAN: Text = text("true or false", "verdadeiro ou falso");
const LIST: Text = text("an array", "uma lista");
const OBJECT: Text = text("an object", "um objeto");
const NATURAL: Text =
    text("a non-negative whole number without leading zeros", "um número inteiro não negativo sem zeros à esquerda");

/// A value of a JSON body. Its JSON type must be that of the field.
pub(super) struct TypedValue(pub(super) Value);

fn found(value: &Value) -> Unexpected<'_> {
    match value {
        Value::Null => Unexpected::Unit,
        Value::Bool(value) => Unexpected::Bool(*value),
        Value::Number(_) => Unexpected::Float(0.0),
        Value::String(text) => Unexpected::Str(text),
        Value::Array(_) => Unexpected::Seq,
        Value::Object(_) => Unexpected::Map,
    }
}

/// Reads a newtype as the value in it. A macro, as it is a method of two implementations of a trait.
macro_rules! newtypes_as_their_value {
    () => {
        fn deserialize_newtype_struct<V: Visitor<'de>>(
            self,
            _name: &'static str,
            visitor: V,
        ) -> Result<V::Value, Self::Error> {
            visitor.visit_newtype_struct(self)
        }
    };
}

/// Makes a deserializer its own, as the values of a list or a map have to be. A macro, as it implements a trait for two types.
macro_rules! deserializes_itself {
    ($type:ident) => {
        impl IntoDeserializer<'_, InputProblem> for $type {
            type Deserializer = Self;

            fn into_deserializer(self) -> Self {
                self
            }
        }
    };
}

/// Reads the value where it is of the kind that the method stands for.
macro_rules! of_kind {
    ($($method:ident $kind:ident $taken:ident;)+) => {
        $(fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Self::Error> {
            match self.0 {
                Value::$kind(_) => self.deserialize_any(visitor),
                other => Err(wrong_kind(found(&other), $taken)),
            }
        })+
    };
}

impl<'de> Deserializer<'de> for TypedValue {
    type Error = InputProblem;

    of_kind! {
        deserialize_bool Bool BOOLEAN;
        deserialize_i8 Number NUMBER;
        deserialize_i16 Number NUMBER;
        deserialize_i32 Number NUMBER;
        deserialize_i64 Number NUMBER;
        deserialize_u8 Number NUMBER;
        deserialize_u16 Number NUMBER;
        deserialize_u32 Number NUMBER;
        deserialize_u64 Number NUMBER;
        deserialize_f32 Number NUMBER;
        deserialize_f64 Number NUMBER;
        deserialize_str String TEXT;
        deserialize_string String TEXT;
        deserialize_seq Array LIST;
        deserialize_map Object OBJECT;
    }

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Self::Error> {
        match self.0 {
            Value::Null => visitor.visit_unit(),
            Value::Bool(value) => visitor.visit_bool(value),
            Value::Number(number) => match (number.as_u64(), number.as_i64(), number.as_f64()) {
                (Some(number), ..) => visitor.visit_u64(number),
                (_, Some(number), _) => visitor.visit_i64(number),
                (.., Some(number)) => visitor.visit_f64(number),
                // Past what a double holds.
                _ => Err(InputProblem::invalid_value(Unexpected::Other("number"), &"a number")),
            },
            Value::String(text) => visitor.visit_string(text),
            Value::Array(items) => {
                let mut items = SeqDeserializer::new(items.into_iter().map(Self));
                let read = visitor.visit_seq(&mut items)?;
                items.end().map(|()| read)
            }
            Value::Object(fields) => {
                let mut fields = MapDeserializer::new(fields.into_iter().map(|(name, value)| (name, Self(value))));
                let read = visitor.visit_map(&mut fields)?;
                fields.end().map(|()| read)
            }
        }
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Self::Error> {
        if self.0.is_null() { visitor.visit_none() } else { visitor.visit_some(self) }
    }

    newtypes_as_their_value!();

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _name: &'static str,
        _fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Self::Error> {
        self.deserialize_map(visitor)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _name: &'static str,
        _variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Self::Error> {
        match self.0 {
            Value::String(text) => visitor.visit_enum(StringDeserializer::new(text)),
            other => Err(wrong_kind(found(&other), TEXT)),
        }
    }

    serde::forward_to_deserialize_any! {
        i128 u128 char bytes byte_buf unit unit_struct tuple tuple_struct identifier ignored_any
    }
}

deserializes_itself!(TypedValue);

/// Path and query parameters: every value is a text, which is parsed as the field's type.
pub(super) struct Texts(pub(super) Map<String, Value>);

impl<'de> Deserializer<'de> for Texts {
    type Error = InputProblem;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Self::Error> {
        let entries = self.0.into_iter().map(|(name, value)| {
            let text = match value {
                Value::String(text) => text,
                other => other.to_string(),
            };
            (name, QueryParameter(text))
        });
        visitor.visit_map(MapDeserializer::new(entries))
    }

    serde::forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option unit unit_struct
        newtype_struct seq tuple tuple_struct map struct enum identifier ignored_any
    }
}

/// One parameter.
struct QueryParameter(String);

/// Reads the text as the kind that the field asks for.
macro_rules! parsed {
    ($($method:ident $visit:ident $taken:expr;)+) => {
        $(fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Self::Error> {
            match self.0.parse() {
                Ok(value) => visitor.$visit(value),
                Err(_) => Err(takes($taken)),
            }
        })+
    };
}

/// The same for whole numbers, which are taken only as they are usually written: neither `05` nor `+5` is 5.
macro_rules! whole {
    ($($method:ident $visit:ident $kind:ty, $taken:expr;)+) => {
        $(fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Self::Error> {
            match self.0.parse::<$kind>() {
                Ok(value) if value.to_string() == self.0 => visitor.$visit(value),
                _ => Err(takes($taken)),
            }
        })+
    };
}

impl<'de> Deserializer<'de> for QueryParameter {
    type Error = InputProblem;

    parsed! {
        deserialize_bool visit_bool text("true or false", "true ou false");
        deserialize_f64 visit_f64 NUMBER;
    }

    whole! {
        deserialize_u8 visit_u8 u8, text("a whole number of at most 255", "um número inteiro de no máximo 255");
        deserialize_u16 visit_u16 u16, text("a whole number of at most 65,535", "um número inteiro de no máximo 65.535");
        deserialize_u32 visit_u32 u32, NATURAL;
        deserialize_u64 visit_u64 u64, NATURAL;
        deserialize_i64 visit_i64 i64, text("a whole number", "um número inteiro");
    }

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Self::Error> {
        visitor.visit_string(self.0)
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Self::Error> {
        visitor.visit_some(self)
    }

    newtypes_as_their_value!();

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _name: &'static str,
        _variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Self::Error> {
        visitor.visit_enum(StringDeserializer::new(self.0))
    }

    serde::forward_to_deserialize_any! {
        i8 i16 i32 i128 u128 f32 char str string bytes byte_buf unit unit_struct seq tuple tuple_struct map struct
        identifier ignored_any
    }
}

deserializes_itself!(QueryParameter);
