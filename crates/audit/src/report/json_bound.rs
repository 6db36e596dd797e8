//! How long a value's JSON is at most: told without writing it, or looking at the letters of its texts.

use std::fmt::Display;

use serde::ser::{self, Serialize};

/// Bytes that the JSON of a value has at most; `None` where that can't be told.
pub(super) fn json_bound(value: &impl Serialize) -> Option<usize> {
    let mut bound = Bound(0);
    value.serialize(&mut bound).ok()?;
    Some(bound.0)
}

/// Bytes of the longest escape of one byte: `\u0000`.
const ESCAPE: usize = 6;
/// Bytes of the longest number, `null` and the like.
const LONGEST_NUMBER: usize = 40;
/// Bytes of a text's quotes, or of an object's or a list's brackets.
const AROUND: usize = 2;
/// Bytes behind a key, and between two entries.
const MARK: usize = 1;

/// What has been counted so far.
struct Bound(usize);

/// Why a value can't be counted: its own serialization failed.
#[derive(Debug)]
struct NotCounted;

impl Display for NotCounted {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("the value can't be serialized")
    }
}

impl std::error::Error for NotCounted {}

impl ser::Error for NotCounted {
    fn custom<T: Display>(_: T) -> Self {
        Self
    }
}

type Counted = Result<(), NotCounted>;

impl Bound {
    fn add(&mut self, bytes: usize) -> Counted {
        self.0 = self.0.saturating_add(bytes);
        Ok(())
    }

    /// A name of the program's own, which nothing in it is escaped of.
    fn name(&mut self, name: &str) -> Counted {
        self.add(name.len() + AROUND + MARK)
    }

    fn entry(&mut self, value: &(impl Serialize + ?Sized)) -> Counted {
        self.0 = self.0.saturating_add(MARK);
        value.serialize(self)
    }

    fn opened(&mut self) -> Result<&mut Self, NotCounted> {
        self.add(AROUND)?;
        Ok(self)
    }

    fn opened_of(&mut self, variant: &str) -> Result<&mut Self, NotCounted> {
        self.name(variant)?;
        self.add(AROUND)?;
        self.opened()
    }
}

macro_rules! numbers {
    ($($method:ident: $number:ty),*) => {
        $(fn $method(self, _: $number) -> Counted { self.add(LONGEST_NUMBER) })*
    };
}

impl<'b> ser::Serializer for &'b mut Bound {
    type Ok = ();
    type Error = NotCounted;
    type SerializeSeq = &'b mut Bound;
    type SerializeTuple = &'b mut Bound;
    type SerializeTupleStruct = &'b mut Bound;
    type SerializeTupleVariant = &'b mut Bound;
    type SerializeMap = &'b mut Bound;
    type SerializeStruct = &'b mut Bound;
    type SerializeStructVariant = &'b mut Bound;

    numbers! {
        serialize_bool: bool, serialize_i8: i8, serialize_i16: i16, serialize_i32: i32, serialize_i64: i64,
        serialize_i128: i128, serialize_u8: u8, serialize_u16: u16, serialize_u32: u32, serialize_u64: u64,
        serialize_u128: u128, serialize_f32: f32, serialize_f64: f64, serialize_char: char
    }

    fn serialize_str(self, text: &str) -> Counted {
        self.add(text.len().saturating_mul(ESCAPE) + AROUND)
    }

    fn serialize_bytes(self, bytes: &[u8]) -> Counted {
        self.add(bytes.len().saturating_mul(ESCAPE) + AROUND)
    }

    fn serialize_none(self) -> Counted {
        self.add(LONGEST_NUMBER)
    }

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Counted {
        value.serialize(self)
    }

    fn serialize_unit(self) -> Counted {
        self.add(LONGEST_NUMBER)
    }

    fn serialize_unit_struct(self, _: &'static str) -> Counted {
        self.add(LONGEST_NUMBER)
    }

    fn serialize_unit_variant(self, _: &'static str, _: u32, variant: &'static str) -> Counted {
        self.name(variant)
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(self, _: &'static str, value: &T) -> Counted {
        value.serialize(self)
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        value: &T,
    ) -> Counted {
        value.serialize(self.opened_of(variant)?)
    }

    fn serialize_seq(self, _: Option<usize>) -> Result<Self, NotCounted> {
        self.opened()
    }

    fn serialize_tuple(self, _: usize) -> Result<Self, NotCounted> {
        self.opened()
    }

    fn serialize_tuple_struct(self, _: &'static str, _: usize) -> Result<Self, NotCounted> {
        self.opened()
    }

    fn serialize_tuple_variant(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        _: usize,
    ) -> Result<Self, NotCounted> {
        self.opened_of(variant)
    }

    fn serialize_map(self, _: Option<usize>) -> Result<Self, NotCounted> {
        self.opened()
    }

    fn serialize_struct(self, _: &'static str, _: usize) -> Result<Self, NotCounted> {
        self.opened()
    }

    fn serialize_struct_variant(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        _: usize,
    ) -> Result<Self, NotCounted> {
        self.opened_of(variant)
    }
}

macro_rules! lists {
    ($($of:ident: $method:ident),*) => {
        $(impl ser::$of for &mut Bound {
            type Ok = ();
            type Error = NotCounted;

            fn $method<T: Serialize + ?Sized>(&mut self, value: &T) -> Counted {
                self.entry(value)
            }

            fn end(self) -> Counted {
                Ok(())
            }
        })*
    };
}

lists! {
    SerializeSeq: serialize_element, SerializeTuple: serialize_element, SerializeTupleStruct: serialize_field,
    SerializeTupleVariant: serialize_field
}

macro_rules! objects {
    ($($of:ident),*) => {
        $(impl ser::$of for &mut Bound {
            type Ok = ();
            type Error = NotCounted;

            fn serialize_field<T: Serialize + ?Sized>(&mut self, name: &'static str, value: &T) -> Counted {
                self.name(name)?;
                self.entry(value)
            }

            fn end(self) -> Counted {
                Ok(())
            }
        })*
    };
}

objects!(SerializeStruct, SerializeStructVariant);

impl ser::SerializeMap for &mut Bound {
    type Ok = ();
    type Error = NotCounted;

    fn serialize_key<T: Serialize + ?Sized>(&mut self, key: &T) -> Counted {
        // A number as a key is a text.
        self.add(AROUND)?;
        self.entry(key)
    }

    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> Counted {
        self.entry(value)
    }

    fn end(self) -> Counted {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;
    use serde::Serialize;

    use super::*;

    #[derive(Debug, Clone, Serialize)]
    enum Shape {
        Plain,
        Of(String),
        Pair(i64, f64),
        Named { text: Option<String>, list: Vec<Shape>, map: BTreeMap<u32, String> },
    }

    fn shapes() -> impl Strategy<Value = Shape> {
        let leaf = prop_oneof![
            Just(Shape::Plain),
            any::<String>().prop_map(Shape::Of),
            (any::<i64>(), any::<f64>()).prop_map(|(one, two)| Shape::Pair(one, two)),
        ];
        leaf.prop_recursive(3, 20, 4, |inner| {
            let map = prop::collection::btree_map(any::<u32>(), "[\\x00-\\x20\"]{0,5}", 0..3);
            (any::<Option<String>>(), prop::collection::vec(inner, 0..4), map)
                .prop_map(|(text, list, map)| Shape::Named { text, list, map })
        })
    }

    proptest! {
        #[test]
        fn no_json_is_longer(shape in shapes()) {
            let written = serde_json::to_string(&shape).unwrap();
            prop_assert!(json_bound(&shape).unwrap() >= written.len(), "{written}");
        }
    }

    #[test]
    fn a_bound_is_near_for_what_is_not_escaped() {
        assert_eq!(json_bound(&["abc"]), Some(AROUND + MARK + 3 * ESCAPE + AROUND));
        assert_eq!(json_bound(&Shape::Plain), Some("\"Plain\"".len() + MARK));
    }
}
