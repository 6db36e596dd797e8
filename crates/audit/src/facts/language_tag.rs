//! Language tags (BCP 47, RFC 5646 §2.1): well-formed, and with a language, script and region that exist.

use std::fmt;
use std::sync::LazyLock;

use super::word_set::WordSet;

/// ISO 639-1 codes and those ISO 639-2/3 primary subtags that web pages use. Source and date in the file.
static LANGUAGES: LazyLock<WordSet> = LazyLock::new(|| codes(include_str!("../data/languages.txt")));
/// ISO 3166-1 alpha-2 codes. Source and date in the file.
static REGIONS: LazyLock<WordSet> = LazyLock::new(|| codes(include_str!("../data/regions.txt")));

/// A well-formed tag in canonical case.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tag {
    /// Primary language, lower case.
    pub language: String,
    /// ISO 15924 script, title case.
    pub script: Option<String>,
    /// ISO 3166-1 region in upper case, or a UN M.49 number.
    pub region: Option<String>,
    /// Whatever follows: variants, extensions, private use.
    pub rest: Vec<String>,
}

impl fmt::Display for Tag {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.language)?;
        for part in self.script.iter().chain(&self.region).chain(&self.rest) {
            write!(f, "-{part}")?;
        }
        Ok(())
    }
}

/// Reads a tag; `None` when it is not well-formed or its language is unknown.
pub fn read(text: &str) -> Option<Tag> {
    let mut parts = text.split('-').peekable();
    let language = parts.next()?.to_ascii_lowercase();
    if !is_language(&language) {
        return None;
    }
    // Extended language subtags were folded into languages of their own, but stay well-formed.
    let mut rest: Vec<String> = Vec::new();
    if language.len() <= 3 {
        while let Some(part) = parts.next_if(|part| part.len() == 3 && alphabetic(part)) {
            rest.push(part.to_ascii_lowercase());
        }
    }
    let script = parts.next_if(|part| part.len() == 4 && alphabetic(part)).map(title_case);
    let region = parts
        .next_if(|part| {
            part.len() == 2 && alphabetic(part) || part.len() == 3 && part.bytes().all(|b| b.is_ascii_digit())
        })
        .map(str::to_ascii_uppercase);
    for part in parts {
        if part.is_empty() || part.len() > 8 || !part.bytes().all(|b| b.is_ascii_alphanumeric()) {
            return None;
        }
        rest.push(part.to_ascii_lowercase());
    }
    Some(Tag { language, script, region, rest })
}

/// The one reading of a tag that is written wrongly: underscores, or the language's English name.
pub fn corrected(text: &str) -> Option<Tag> {
    let dashed = text.trim().replace('_', "-");
    let dashed = dashed.split('.').next().unwrap_or_default();
    if let Some(tag) = read(dashed) {
        return Some(tag);
    }
    let code = match dashed.to_ascii_lowercase().as_str() {
        "english" => "en",
        "portuguese" | "português" => "pt",
        "spanish" | "español" => "es",
        "french" | "français" => "fr",
        "german" | "deutsch" => "de",
        "italian" | "italiano" => "it",
        "dutch" => "nl",
        "japanese" => "ja",
        "chinese" => "zh",
        "russian" => "ru",
        _ => return None,
    };
    read(code)
}

/// Whether a primary language subtag exists.
pub fn is_language(code: &str) -> bool {
    LANGUAGES.contains(&code.to_ascii_lowercase())
}

/// Whether an ISO 3166-1 alpha-2 region exists.
pub fn is_region(code: &str) -> bool {
    REGIONS.contains(&code.to_ascii_uppercase())
}

fn codes(table: &'static str) -> WordSet {
    WordSet::of(table.lines().filter(|line| !line.starts_with('#')).flat_map(str::split_ascii_whitespace))
}

fn alphabetic(part: &str) -> bool {
    part.bytes().all(|b| b.is_ascii_alphabetic())
}

fn title_case(part: &str) -> String {
    let (first, rest) = part.split_at_checked(1).unwrap_or_default();
    format!("{}{}", first.to_ascii_uppercase(), rest.to_ascii_lowercase())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags_are_read_into_canonical_case() {
        for (text, canonical) in [
            ("EN", "en"),
            ("pt-br", "pt-BR"),
            ("zh-hant-tw", "zh-Hant-TW"),
            ("es-419", "es-419"),
            ("de-CH-1996", "de-CH-1996"),
            ("zh-yue", "zh-yue"),
        ] {
            assert_eq!(read(text).map(|tag| tag.to_string()).as_deref(), Some(canonical));
        }
        for text in ["en_US", "english", "", "xx", "-", "en-", "en-toolongsubtag", "é"] {
            assert_eq!(read(text), None, "{text}");
        }
    }

    #[test]
    fn one_wrong_spelling_has_one_reading() {
        assert_eq!(corrected("en_US").map(|tag| tag.to_string()).as_deref(), Some("en-US"));
        assert_eq!(corrected("pt_BR.UTF-8").map(|tag| tag.to_string()).as_deref(), Some("pt-BR"));
        assert_eq!(corrected("English").map(|tag| tag.to_string()).as_deref(), Some("en"));
        assert_eq!(corrected("klingonese"), None);
    }
}
