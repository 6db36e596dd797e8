//! Untrusted text for display: control characters that act on a terminal, a log or a reader's eye become visible escapes.

mod date;
mod host;

use model::fix::FixPlace;
use model::lang::{Lang, Text, text};

pub use date::{age, date, minute, named_day, short_date, short_day};
pub use host::{address, host};

/// For a terminal.
pub fn printable(text: &str) -> String {
    escaped(text, acts_on_a_terminal)
}

/// Control characters besides line end and tab, and those that turn the direction of writing. All are below U+10000.
pub(crate) fn acts_on_a_terminal(character: char) -> bool {
    turns(character) || character.is_control() && !matches!(character, '\n' | '\t')
}

/// For a page: characters that turn the direction of writing, and with it the order of what stands beside them.
pub fn undirected(text: &str) -> String {
    escaped(text, turns)
}

/// For a whole document, page or mail: control characters that no document may hold (HTML §13.2.3.5), such as ESC and
/// BEL, which act on a terminal that prints it.
pub fn without_controls(document: String) -> String {
    let acts = |character: char| character.is_control() && !matches!(character, '\n' | '\r' | '\t');
    if document.chars().any(acts) { escaped(&document, acts) } else { document }
}

/// For JSON that is written: DEL and the control characters from U+0080 on, which JSON has raw in its strings (RFC 8259 §7) and
/// terminals obey, become escapes, which mean the same. `None` where there are none.
pub fn inert_json(json: &[u8]) -> Option<Vec<u8>> {
    // Of every answer each time, so many bytes at once are looked at.
    let acts = |at: usize| matches!(json.get(at..), Some([0x7F, ..] | [0xC2, 0x80..=0x9F, ..]));
    if !memchr::memchr2_iter(0x7F, 0xC2, json).any(acts) {
        return None;
    }
    let mut out = Vec::with_capacity(json.len() + 64);
    let mut rest = json;
    while let Some((&byte, after)) = rest.split_first() {
        rest = after;
        match (byte, after.split_first()) {
            (0x7F, _) => out.extend_from_slice(b"\\u007f"),
            (0xC2, Some((&low @ 0x80..=0x9F, after))) => {
                out.extend_from_slice(format!("\\u00{low:02x}").as_bytes());
                rest = after;
            }
            _ => out.push(byte),
        }
    }
    Some(out)
}

/// Whether a character turns the direction of writing (UAX #9; CVE-2021-42574).
pub fn turns(character: char) -> bool {
    matches!(character, '\u{61C}' | '\u{200E}' | '\u{200F}' | '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}')
}

/// A number with its sign, as people write it.
pub fn signed(points: i32) -> String {
    match points {
        0 => "±0".to_owned(),
        1.. => format!("+{points}"),
        _ => format!("−{}", points.unsigned_abs()),
    }
}

fn escaped(text: &str, acts: impl Fn(char) -> bool) -> String {
    if !text.chars().any(&acts) {
        return text.to_owned();
    }
    let mut out = String::with_capacity(text.len());
    for character in text.chars() {
        if acts(character) {
            out.extend(character.escape_unicode());
        } else {
            out.push(character);
        }
    }
    out
}

/// Where a fix is made in the system that wrote the page, as a sentence.
pub fn made_in(place: &FixPlace, lang: Lang) -> String {
    const MADE_IN: Text = text("In {system}: {steps}", "No {system}: {steps}");
    let values = [("system", place.system.as_str().into()), ("steps", place.steps.in_lang(lang).into())];
    MADE_IN.phrase(&values).in_lang(lang).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_have_a_sign() {
        for (points, text) in [(0, "±0"), (8, "+8"), (-18, "−18"), (i32::MIN, "−2147483648")] {
            assert_eq!(signed(points), text);
        }
    }

    #[test]
    fn json_without_raw_controls_means_the_same() {
        let value = serde_json::json!({"a\u{9f}": "b\u{80}\u{7f}\u{1b}é©\u{a0}", "c": [1, "\u{9b}"]});
        let json = serde_json::to_vec(&value).unwrap();
        let inert = String::from_utf8(inert_json(&json).unwrap()).unwrap();
        assert_eq!(inert.chars().find(|c| c.is_control()), None, "{inert}");
        assert_eq!(serde_json::from_str::<serde_json::Value>(&inert).unwrap(), value);
        assert!(inert.contains("é©\u{a0}"), "{inert}");
        assert_eq!(inert_json("{\"a\": \"é©\u{a0}\"}".as_bytes()), None);
    }

    #[test]
    fn what_acts_is_shown_instead() {
        assert_eq!(printable("a\u{1b}[2J\u{202e}b\n\tc"), "a\\u{1b}[2J\\u{202e}b\n\tc");
        assert_eq!(undirected("a\u{202e}b\u{1b}"), "a\\u{202e}b\u{1b}");
        let document = "a\u{202e}\r\n\tb\u{1b}[2J\u{7}\0\u{9b}1m\u{7f}".to_owned();
        assert_eq!(without_controls(document), "a\u{202e}\r\n\tb\\u{1b}[2J\\u{7}\\u{0}\\u{9b}1m\\u{7f}");
    }
}
