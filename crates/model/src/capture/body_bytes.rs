//! The bytes of a body, shared with whoever reads them as text.

use std::ops::Deref;
use std::sync::Arc;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::bytes_as_text;

/// Decoded bytes of a body. Those that are UTF-8 are text already, of which a document keeps a reference instead of a copy.
#[derive(Clone)]
pub struct BodyBytes(Held);

/// What is held.
#[derive(Clone)]
enum Held {
    /// UTF-8.
    Text(Arc<String>),
    /// Anything else.
    Other(Vec<u8>),
}

impl BodyBytes {
    /// The bytes.
    pub fn as_slice(&self) -> &[u8] {
        self
    }

    /// The bytes as text, where they are UTF-8; a byte order mark is a part of it.
    pub fn text(&self) -> Option<&Arc<String>> {
        match &self.0 {
            Held::Text(text) => Some(text),
            Held::Other(_) => None,
        }
    }
}

impl Default for BodyBytes {
    fn default() -> Self {
        Self::from(String::new())
    }
}

impl Deref for BodyBytes {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        match &self.0 {
            Held::Text(text) => text.as_bytes(),
            Held::Other(bytes) => bytes,
        }
    }
}

impl From<Vec<u8>> for BodyBytes {
    /// Room behind the bytes is given back, since bodies are held until an audit ends.
    fn from(mut bytes: Vec<u8>) -> Self {
        bytes.shrink_to_fit();
        Self(match String::from_utf8(bytes) {
            Ok(text) => Held::Text(Arc::new(text)),
            Err(error) => Held::Other(error.into_bytes()),
        })
    }
}

impl From<&[u8]> for BodyBytes {
    fn from(bytes: &[u8]) -> Self {
        Self::from(bytes.to_vec())
    }
}

impl<const N: usize> From<&[u8; N]> for BodyBytes {
    fn from(bytes: &[u8; N]) -> Self {
        Self::from(bytes.to_vec())
    }
}

impl From<String> for BodyBytes {
    fn from(text: String) -> Self {
        Self(Held::Text(Arc::new(text)))
    }
}

impl From<&str> for BodyBytes {
    fn from(text: &str) -> Self {
        Self::from(text.to_owned())
    }
}

impl PartialEq for BodyBytes {
    fn eq(&self, other: &Self) -> bool {
        **self == **other
    }
}

impl Eq for BodyBytes {}

impl PartialEq<&[u8]> for BodyBytes {
    fn eq(&self, other: &&[u8]) -> bool {
        **self == **other
    }
}

impl<const N: usize> PartialEq<&[u8; N]> for BodyBytes {
    fn eq(&self, other: &&[u8; N]) -> bool {
        **self == other[..]
    }
}

impl Serialize for BodyBytes {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        bytes_as_text::serialize(self, serializer)
    }
}

impl<'de> Deserialize<'de> for BodyBytes {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        bytes_as_text::deserialize(deserializer).map(Self::from)
    }
}

impl std::fmt::Debug for BodyBytes {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match &self.0 {
            Held::Text(text) => text.fmt(f),
            Held::Other(bytes) => bytes.fmt(f),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_shared_and_other_bytes_are_not() {
        let text = BodyBytes::from("rye".as_bytes());
        assert_eq!((&*text, text.text().map(|text| text.as_str())), (&b"rye"[..], Some("rye")));
        let copy = text.clone();
        assert!(Arc::ptr_eq(text.text().unwrap(), copy.text().unwrap()));
        let other = BodyBytes::from(vec![0xFF, b'a']);
        assert_eq!((&*other, other.text()), (&[0xFF, b'a'][..], None));
        assert_ne!(text, other);
        assert_eq!(BodyBytes::default(), BodyBytes::from(Vec::new()));
    }

    #[test]
    fn room_behind_the_bytes_is_given_back() {
        let mut bytes = Vec::with_capacity(1024);
        bytes.extend_from_slice(b"rye");
        assert!(BodyBytes::from(bytes).text().unwrap().capacity() < 1024);
    }
}
