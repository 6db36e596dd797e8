//! The two languages in which every text for a person exists.

mod language_names;
mod template;

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize};

/// A language of the product's texts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize, schemars::JsonSchema)]
pub enum Lang {
    /// English, the default of API and command line.
    #[default]
    #[serde(rename = "en")]
    En,
    /// Brazilian Portuguese.
    #[serde(rename = "pt-BR")]
    PtBr,
}

impl Lang {
    /// The BCP 47 tag, as in `Content-Language`.
    pub fn tag(self) -> &'static str {
        match self {
            Self::En => "en",
            Self::PtBr => "pt-BR",
        }
    }

    /// Reads a language tag by its primary subtag; `None` for a language we do not speak.
    pub fn from_tag(tag: &str) -> Option<Self> {
        let primary = tag.trim().split(['-', '_']).next().unwrap_or_default();
        match primary.to_ascii_lowercase().as_str() {
            "en" => Some(Self::En),
            "pt" => Some(Self::PtBr),
            _ => None,
        }
    }

    /// The preferred language of an `Accept-Language` value (RFC 9110 §12.5.4); English when it names neither.
    pub fn from_accept_language(value: &str) -> Self {
        let mut best: Option<(f32, Self)> = None;
        for part in value.split(',').take(32) {
            let mut pieces = part.split(';');
            let Some(lang) = pieces.next().and_then(Self::from_tag) else { continue };
            let weight = pieces
                .find_map(|piece| piece.trim().strip_prefix("q=").map(|q| q.trim().parse::<f32>().unwrap_or(0.0)))
                .unwrap_or(1.0);
            if weight > 0.0 && best.is_none_or(|(top, _)| weight > top) {
                best = Some((weight, lang));
            }
        }
        best.map_or(Self::En, |(_, lang)| lang)
    }
}

/// A constant text in both languages. May hold places and choices by number; see [`Text::phrase`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Text {
    /// English.
    pub en: &'static str,
    /// Brazilian Portuguese.
    pub pt: &'static str,
}

/// Makes a [`Text`].
pub const fn text(en: &'static str, pt: &'static str) -> Text {
    Text { en, pt }
}

/// A value that fills a place of a [`Text`]. Kept beside the finding, so that it can be read by a program too.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, schemars::JsonSchema)]
#[serde(untagged)]
pub enum Value {
    /// A count or measure.
    Number(i64),
    /// A piece of text, as found.
    Text(String),
}

/// Written out, since an untagged enum can't be read where numbers keep all their digits.
impl<'de> Deserialize<'de> for Value {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        match serde_json::Value::deserialize(deserializer)? {
            serde_json::Value::String(text) => Ok(Self::Text(text)),
            other => other.as_i64().map(Self::Number).ok_or_else(|| D::Error::custom("expected an integer or a text")),
        }
    }
}

impl From<&str> for Value {
    fn from(value: &str) -> Self {
        Self::Text(value.to_owned())
    }
}
impl From<String> for Value {
    fn from(value: String) -> Self {
        Self::Text(value)
    }
}
impl From<usize> for Value {
    fn from(value: usize) -> Self {
        Self::Number(i64::try_from(value).unwrap_or(i64::MAX))
    }
}
impl From<u64> for Value {
    fn from(value: u64) -> Self {
        Self::Number(i64::try_from(value).unwrap_or(i64::MAX))
    }
}
impl From<i64> for Value {
    fn from(value: i64) -> Self {
        Self::Number(value)
    }
}
impl From<u32> for Value {
    fn from(value: u32) -> Self {
        Self::Number(value.into())
    }
}
impl From<u16> for Value {
    fn from(value: u16) -> Self {
        Self::Number(value.into())
    }
}

/// One text in both languages, with its values filled in. Kept so in a stored report, which can then be read in either.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Phrase {
    /// English.
    pub en: String,
    /// Brazilian Portuguese.
    pub pt: String,
}

impl Phrase {
    /// The same words in both languages: for text that was found, not written by us.
    pub fn verbatim(text: impl Into<String>) -> Self {
        let en = text.into();
        Self { pt: en.clone(), en }
    }

    /// The text in `lang`.
    pub fn in_lang(&self, lang: Lang) -> &str {
        match lang {
            Lang::En => &self.en,
            Lang::PtBr => &self.pt,
        }
    }
}

impl Text {
    /// The constant text in `lang`, its places unfilled.
    pub fn in_lang(self, lang: Lang) -> &'static str {
        match lang {
            Lang::En => self.en,
            Lang::PtBr => self.pt,
        }
    }

    /// Fills the places of the text, as its language writes them:
    ///
    /// - `{name}` is the value of that name; a number has separators of thousands (`109,566`, `109.566`).
    /// - `{name|one|more}` is `one` when the value is the number 1, else `more`. Both may hold places and choices:
    ///   `{total|The only image has|{count} of {total} images {count|has|have}} no alt.`
    /// - `{name:size}` is a number of bytes in KB or MB (of 1,024 and 1,048,576 bytes): `64 KB`, `1.4 MB`.
    /// - `{name:language}` is the name of the language of a tag: `French`.
    /// - `{{` is a literal pair of braces: `{{TITLE}}` placeholders stay as they are.
    ///
    /// A place without a value stays visible as it is, so that a test notices it.
    pub fn phrase(self, values: &[(&str, Value)]) -> Phrase {
        Phrase { en: template::fill(self.en, values, Lang::En), pt: template::fill(self.pt, values, Lang::PtBr) }
    }
}

impl From<Text> for Phrase {
    fn from(text: Text) -> Self {
        text.phrase(&[])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_and_plurals_are_filled() {
        let message = text("{count} {count|image|images} at {{URL}}: {what}", "{count} {count|imagem|imagens}: {what}");
        let one = message.phrase(&[("count", 1usize.into()), ("what", "x {y}".into())]);
        assert_eq!(one.en, "1 image at {{URL}}: x {y}");
        assert_eq!(message.phrase(&[("count", 2usize.into()), ("what", "z".into())]).pt, "2 imagens: z");
    }

    #[test]
    fn accept_language_prefers_the_heavier() {
        assert_eq!(Lang::from_accept_language("pt-BR,pt;q=0.9,en;q=0.8"), Lang::PtBr);
        assert_eq!(Lang::from_accept_language("en, pt;q=0.9"), Lang::En);
        assert_eq!(Lang::from_accept_language("de, fr"), Lang::En);
        assert_eq!(Lang::from_accept_language("pt;q=0, en;q=0.1"), Lang::En);
    }
}
