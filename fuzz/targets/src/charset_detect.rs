//! Charset detection and decoding: bytes to text.
//!
//! The first line is the `Content-Type`; the rest is the page.

use audit::Page;
use audit::facts::charset::{CharsetSource, decide};

use crate::capture;

/// Any bytes are text of bounded length in an encoding of the standard, and a mark decides above all.
pub fn check(data: &[u8]) {
    let (content_type, bytes) = crate::first_line::first_line(data);
    let content_type = String::from_utf8_lossy(content_type);
    let declared = Some(content_type.as_ref()).filter(|value| !value.is_empty());
    let mut charset = decide(bytes, declared);
    let text = charset.decode(bytes);
    // Each byte is at most one character that takes three bytes.
    assert!(text.len() <= 3 * bytes.len() + 3, "{} bytes became {}", bytes.len(), text.len());
    assert_eq!(text, decide(bytes, declared).decode(bytes), "the same bytes became another text");
    assert_eq!(charset.source == CharsetSource::Bom, encoding_marked(bytes));
    if charset.name() == "UTF-8" {
        let unmarked = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes);
        assert_eq!(text, String::from_utf8_lossy(unmarked));
    }
    let guessed = charset.may_change();
    let changed = charset.change_to(&content_type);
    assert!(guessed || !changed, "a declaration in force was changed");
    assert!(!charset.may_change() || !changed, "the encoding may change twice");
    let page = Page::read(&capture::page("https://www.example.com/", &content_type, bytes));
    if let Some(html) = page.html {
        let source = html.document.source();
        assert!(source.len() <= 3 * bytes.len() + 3, "{} bytes became {}", bytes.len(), source.len());
    }
}

fn encoding_marked(bytes: &[u8]) -> bool {
    bytes.starts_with(b"\xEF\xBB\xBF") || bytes.starts_with(b"\xFE\xFF") || bytes.starts_with(b"\xFF\xFE")
}
