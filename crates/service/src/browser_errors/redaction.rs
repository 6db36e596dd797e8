//! Redaction of what a browser reports: credentials, addresses, phone numbers, queries. It errs on the side of too much.

use std::borrow::Cow;
use std::sync::LazyLock;

use regex::{Captures, Regex, RegexSet};

/// Rounds of decoding at most. What is encoded more often is dropped.
const ROUNDS: usize = 8;

/// Patterns, and what stands for a match, in the order in which they are applied.
const PRIVATE: [(&str, &str); 12] = [
    // User info, query and fragment of a URL. Whatever follows a `?` or `#` that follows a character is one.
    (r"(?i)([a-z][a-z0-9+.-]*:)?//[^\s/?#@]*@", "${1}//"),
    (r#"(\S)[?#][^\s"'<>()]+"#, "${1}?…"),
    // Credentials of ours, JSON Web Tokens, keys and digests.
    (r"(?i)(?:pa|mmk|cred)_[a-z0-9]{8,}", "[token]"),
    (r"(?i)eyj[a-z0-9_-]{5,}(?:\.[a-z0-9_-]*){0,2}", "[token]"),
    (r"(?i)(?:0x)?[0-9a-f]{32,}", "[token]"),
    (r"(?i)[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}", "[id]"),
    (r"[A-Za-z0-9+/_=-]{40,}", "[token]"),
    // E-mail addresses, of any script; in a stack `name@https://host` is none.
    (r"[^\s@]+@(?:[\p{L}\p{M}\p{N}_-]+\.)+[\p{L}\p{M}\p{N}-]+", "[email]"),
    (r"(?:[^\s@]+@)+\[[^\]\s]*\]?", "[email]"),
    // Network addresses, and digits as in phone numbers and documents.
    (r"\b\d{1,3}(?:\.\d{1,3}){3}\b", "[address]"),
    (r"(?i)(?:[0-9a-f]{0,4}:){4,}[0-9a-f.]*", "[address]"),
    (r"\p{Nd}(?:[\s()./\p{Pd}\u{a0}+]{0,3}\p{Nd}){7,}", "[number]"),
];

/// Escapes that hide what the patterns look for: percent-encoding, entities of HTML, escapes of JavaScript.
const ESCAPES: &str = r"(?i)%([0-9a-f]{2})|\\x([0-9a-f]{2})|\\u([0-9a-f]{4})|\\u\{([0-9a-f]{1,6})\}|&#x([0-9a-f]{1,6});?|&#([0-9]{1,7});?|&(commat|period|num|quest|lowbar|sol|colon|amp);";

/// [`PRIVATE`], compiled.
static PATTERNS: LazyLock<Vec<(Regex, &'static str)>> = LazyLock::new(|| {
    PRIVATE.into_iter().map(|(pattern, with)| (Regex::new(pattern).expect("the pattern is a constant"), with)).collect()
});

/// [`ESCAPES`], compiled.
static ESCAPE: LazyLock<Regex> = LazyLock::new(|| Regex::new(ESCAPES).expect("the pattern is a constant"));

/// All of them at once: most texts have none, and are looked through once.
static ANY: LazyLock<RegexSet> = LazyLock::new(|| {
    let all = PRIVATE.iter().map(|(pattern, _)| *pattern).chain([ESCAPES]);
    RegexSet::new(all).expect("the patterns are constants")
});

/// The text without what could name a person or open a door, however it is encoded: decoded and redacted until nothing
/// changes. Control characters other than line ends become spaces.
pub fn redacted(text: &str) -> String {
    let mut text: String = text.chars().filter(|c| !is_invisible(*c)).collect();
    for _ in 0..ROUNDS {
        if !ANY.is_match(&text) {
            return spaced(&text);
        }
        let kept = without_private(&text);
        match decoded(&kept) {
            // What stands for a match may be a part of another one, as in `a@1234567890`.
            Cow::Borrowed(_) if kept != text => text = kept,
            Cow::Borrowed(_) => return spaced(&kept),
            Cow::Owned(decoded) => text = decoded.chars().filter(|c| !is_invisible(*c)).collect(),
        }
    }
    // Encoded more often than anything honest is, or without an end.
    "[encoded]".to_owned()
}

/// A character that is not seen, and could split what the patterns look for.
fn is_invisible(c: char) -> bool {
    matches!(c, '\0'..='\u{8}' | '\u{e}'..='\u{1f}' | '\u{7f}' | '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{2064}' | '\u{feff}')
}

fn without_private(text: &str) -> String {
    PATTERNS.iter().fold(text.to_owned(), |text, (pattern, with)| pattern.replace_all(&text, *with).into_owned())
}

/// The text with its escapes decoded once; borrowed where there is none.
fn decoded(text: &str) -> Cow<'_, str> {
    if !ESCAPE.is_match(text) {
        return Cow::Borrowed(text);
    }
    // Bytes of a percent-encoded character stand side by side, so they are joined before they are read as UTF-8.
    let mut bytes = Vec::with_capacity(text.len());
    let mut end = 0;
    for escape in ESCAPE.captures_iter(text) {
        let Some(whole) = escape.get(0) else { continue };
        bytes.extend_from_slice(text.get(end..whole.start()).unwrap_or_default().as_bytes());
        push_decoded(&escape, &mut bytes);
        end = whole.end();
    }
    bytes.extend_from_slice(text.get(end..).unwrap_or_default().as_bytes());
    Cow::Owned(String::from_utf8_lossy(&bytes).into_owned())
}

fn push_decoded(escape: &Captures<'_>, bytes: &mut Vec<u8>) {
    let digits =
        |group: usize, radix| escape.get(group).and_then(|text| u32::from_str_radix(text.as_str(), radix).ok());
    if let Some(byte) = digits(1, 16).and_then(|value| u8::try_from(value).ok()) {
        bytes.push(byte);
        return;
    }
    let named = escape.get(7).and_then(|name| named(&name.as_str().to_ascii_lowercase()));
    let code =
        [(2, 16), (3, 16), (4, 16), (5, 16), (6, 10)].into_iter().find_map(|(group, radix)| digits(group, radix));
    let c = named.or(code.and_then(char::from_u32)).unwrap_or(char::REPLACEMENT_CHARACTER);
    bytes.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
}

/// The character of an entity of HTML.
fn named(name: &str) -> Option<char> {
    Some(match name {
        "commat" => '@',
        "period" => '.',
        "num" => '#',
        "quest" => '?',
        "lowbar" => '_',
        "sol" => '/',
        "colon" => ':',
        "amp" => '&',
        _ => return None,
    })
}

/// Control characters other than line ends as spaces.
fn spaced(text: &str) -> String {
    text.chars().map(|c| if c.is_control() && c != '\n' { ' ' } else { c }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn what_tells_where_it_failed_stays() {
        for (text, wanted) in [
            ("TypeError: x is undefined", "TypeError: x is undefined"),
            (
                "at open (https://audit.example/assets/report.9f1c0d7e55ab23c4.js:12:34)",
                "at open (https://audit.example/assets/report.9f1c0d7e55ab23c4.js:12:34)",
            ),
            ("open@https://audit.example/assets/app.js:1:2", "open@https://audit.example/assets/app.js:1:2"),
            ("a\tb\u{1b}[31m\nc", "a b[31m\nc"),
        ] {
            assert_eq!(redacted(text), wanted);
        }
    }

    #[test]
    fn what_is_private_goes() {
        for (text, wanted) in [
            ("https://ana:pw@audit.example/x?token=1#f (a)", "https://audit.example/x?… (a)"),
            ("GET /api?q=maria%20silva&b=c end", "GET /api?… end"),
            ("mail Ana.Lima+x@Mail.Example.com, please", "mail [email], please"),
            ("jos%C3%A9%40exemplo.com", "[email]"),
            ("call +55 (11) 98765-4321 now", "call +[number] now"),
            ("eyJhbGciOi.eyJzdWIi.c2ln", "[token]"),
            ("at 203.0.113.7 and 2001:db8:1:2::5", "at [address] and [address]"),
            ("A@a@A@\u{20000}.\u{c0}", "[email]"),
            ("a@1234567890 b@c@1234567890", "[email] [email]"),
            ("/reports/0192aaaa-bbbb-7ccc-8ddd-eeeeffff0000", "/reports/[id]"),
        ] {
            assert_eq!(redacted(text), wanted);
        }
    }

    /// Something private, and what of it must not be found again.
    fn canary() -> impl Strategy<Value = (String, String)> {
        let whole = |text: String| (text.clone(), text);
        prop_oneof![
            "(pa|mmk|cred)_[0-9A-Za-z]{43}".prop_map(whole),
            "0x[0-9a-f]{64}".prop_map(whole),
            "eyJ[0-9A-Za-z_-]{12,40}\\.[0-9A-Za-z_-]{12,40}\\.[0-9A-Za-z_-]{12,40}".prop_map(whole),
            "[a-z][a-z.+]{0,10}[a-z]@[a-z]{2,10}\\.(com|example|br)".prop_map(whole),
            "[0-9]{8,14}".prop_map(whole),
            "\\+[0-9]{2} \\([0-9]{2}\\) [0-9]{5}-[0-9]{4}".prop_map(whole),
            "[a-z]{8,20}".prop_map(|secret| (format!("https://a.example/b?q={secret}&c={secret}"), secret)),
            "[a-z]{8,20}".prop_map(|secret| (format!("https://a.example/b#{secret}"), secret)),
            "[a-z]{8,20}".prop_map(|secret| (format!("https://ana:{secret}@a.example/b"), secret)),
        ]
    }

    /// The ways in which a text can be written.
    fn written(text: &str, how: &[u8]) -> String {
        let mut out = String::new();
        for (index, c) in text.chars().enumerate() {
            match how.get(index % how.len().max(1)).copied().unwrap_or_default() % 8 {
                0 => out.extend(c.to_string().bytes().map(|byte| format!("%{byte:02x}"))),
                1 => out.extend(c.to_string().bytes().map(|byte| format!("%25{byte:02X}"))),
                2 => out.push_str(&format!("&#x{:x};", u32::from(c))),
                3 => out.push_str(&format!("&#{};", u32::from(c))),
                4 => out.push_str(&format!("\\u{:04x}", u32::from(c))),
                5 => out.push_str(&format!("\\x{:02X}", u32::from(c))),
                6 => out.extend(c.to_uppercase()),
                _ => out.push(c),
            }
        }
        out
    }

    proptest! {
        #[test]
        fn no_canary_survives((text, secret) in canary(), how in proptest::collection::vec(any::<u8>(), 1..12), before in ".{0,20}", after in ".{0,20}") {
            let report = format!("{before} {} {after}", written(&text, &how));
            let kept = redacted(&report).to_lowercase();
            prop_assert!(!kept.contains(&secret.to_lowercase()), "{report:?} -> {kept:?}");
        }

        #[test]
        fn any_text_is_taken_and_the_second_time_changes_nothing(text in ".{0,400}") {
            let once = redacted(&text);
            prop_assert_eq!(redacted(&once), once);
        }
    }
}
