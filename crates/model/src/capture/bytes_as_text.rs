//! Bytes as UTF-8 text where they are, else as `{"hex": …}`: captures stay readable files.

use serde::{Deserialize, Deserializer, Serialize, Serializer};

#[derive(Serialize, Deserialize)]
#[serde(untagged)]
enum Repr {
    Text(String),
    Hex { hex: String },
}

pub(super) fn serialize<S: Serializer>(bytes: &[u8], serializer: S) -> Result<S::Ok, S::Error> {
    match std::str::from_utf8(bytes) {
        Ok(text) => serializer.serialize_str(text),
        Err(_) => Repr::Hex { hex: bytes.iter().map(|byte| format!("{byte:02x}")).collect() }.serialize(serializer),
    }
}

pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<u8>, D::Error> {
    match Repr::deserialize(deserializer)? {
        Repr::Text(text) => Ok(text.into_bytes()),
        Repr::Hex { hex } => (0..hex.len() / 2)
            .map(|i| hex.get(2 * i..2 * i + 2).and_then(|pair| u8::from_str_radix(pair, 16).ok()))
            .collect::<Option<Vec<u8>>>()
            .ok_or_else(|| serde::de::Error::custom("expected pairs of hex digits")),
    }
}
