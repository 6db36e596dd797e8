//! Which encoding a page is in (WHATWG HTML §13.2.3 and Encoding).
//!
//! Order: byte order mark, `Content-Type`, a prescan of the first 1,024 bytes for `meta`, an XML declaration, and, with
//! nothing declared, a detector that never answers UTF-8. A declaration that the tree builder meets later may change a
//! guess, once.

mod xml_declaration;

use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
use encoding_rs::{Encoding, UTF_8, UTF_16BE, UTF_16LE, WINDOWS_1252, X_USER_DEFINED};

use super::content_type;

/// Bytes in which a declaration must end to be found by the prescan.
pub const PRESCAN_BYTES: usize = 1024;

/// How the page's bytes become text.
#[derive(Debug, Clone)]
pub struct Charset {
    /// The encoding in force.
    pub encoding: &'static Encoding,
    /// What decided.
    pub source: CharsetSource,
    /// Label of the `Content-Type`, known or not.
    pub header_label: Option<String>,
    /// First label of a `meta` that the prescan met, known or not.
    pub meta_label: Option<String>,
}

/// What decided on the encoding.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CharsetSource {
    /// A byte order mark.
    Bom,
    /// The `charset` parameter of `Content-Type`.
    Header,
    /// A `meta` in the first 1,024 bytes.
    Meta,
    /// An XML declaration.
    Xml,
    /// A `meta` further on.
    LateMeta,
    /// Nothing was declared.
    Detected,
}

/// Decides by the rules above. `content_type`: as [`content_type::declared`].
pub fn decide(bytes: &[u8], content_type: Option<&str>) -> Charset {
    let header_label = content_type.and_then(content_type::extract).and_then(|declared| declared.charset);
    let scan = Prescan { bytes: bytes.get(..PRESCAN_BYTES).unwrap_or(bytes), at: 0 }.run();
    let (encoding, source) = if let Some((encoding, _)) = Encoding::for_bom(bytes) {
        (encoding, CharsetSource::Bom)
    } else if let Some(encoding) = header_label.as_deref().and_then(|label| Encoding::for_label(label.as_bytes())) {
        (encoding, CharsetSource::Header)
    } else if let Some(encoding) = scan.encoding {
        (encoding, CharsetSource::Meta)
    } else if let Some(encoding) = xml_declaration::encoding(bytes) {
        (encoding, CharsetSource::Xml)
    } else {
        let mut detector = EncodingDetector::new(Iso2022JpDetection::Deny);
        detector.feed(bytes, true);
        (detector.guess(None, Utf8Detection::Deny), CharsetSource::Detected)
    };
    Charset { encoding, source, header_label, meta_label: scan.first_label }
}

impl Charset {
    /// Name by the Encoding standard.
    pub fn name(&self) -> &'static str {
        self.encoding.name()
    }

    /// The bytes as text: the mark is dropped, malformed sequences become U+FFFD.
    pub fn decode(&self, bytes: &[u8]) -> String {
        self.encoding.decode_with_bom_removal(bytes).0.into_owned()
    }

    /// The bytes of a query in the encoding of its page (URL §1.3, "percent-encode after encoding"): in UTF-8 where the
    /// encoding can't be written, and what it does not have as a decimal reference, escaped.
    pub fn encode_query(&self, query: &str) -> Vec<u8> {
        let (whole, _, unmappable) = self.encoding.encode(query);
        if !unmappable {
            return whole.into_owned();
        }
        let in_parts = query.chars().map(|c| {
            let one = c.to_string();
            match self.encoding.encode(&one) {
                (_, _, true) => format!("%26%23{}%3B", u32::from(c)).into_bytes(),
                (bytes, _, false) => bytes.into_owned(),
            }
        });
        in_parts.flatten().collect()
    }

    /// Whether a declaration met later may still change the encoding: a guess is tentative, and an XML declaration.
    pub fn may_change(&self) -> bool {
        matches!(self.source, CharsetSource::Detected | CharsetSource::Xml)
    }

    /// "Change the encoding" (§13.2.3.4). Answers whether the bytes must be decoded again.
    pub fn change_to(&mut self, label: &str) -> bool {
        // Once: after a change, or with a declaration in force, the encoding is certain.
        if !self.may_change() {
            return false;
        }
        let Some(encoding) = Encoding::for_label(label.as_bytes()).map(as_declared_in_meta) else { return false };
        let changed = encoding != self.encoding;
        self.encoding = encoding;
        self.source = CharsetSource::LateMeta;
        changed
    }
}

/// What a `meta` declares is read as: bytes that could be scanned for it are no UTF-16.
fn as_declared_in_meta(encoding: &'static Encoding) -> &'static Encoding {
    if encoding == UTF_16BE || encoding == UTF_16LE {
        UTF_8
    } else if encoding == X_USER_DEFINED {
        WINDOWS_1252
    } else {
        encoding
    }
}

/// Whether that label is of an encoding.
pub fn is_known(label: &str) -> bool {
    Encoding::for_label(label.as_bytes()).is_some()
}

/// The label after `charset=` in the `content` of a `meta` (§2.6.6 of WHATWG HTML).
pub fn label_in_content(content: &str) -> Option<String> {
    let lower = content.to_ascii_lowercase();
    let mut from = 0;
    loop {
        let at = lower.get(from..)?.find("charset")? + from + "charset".len();
        let after = content.get(at..)?.trim_start();
        let Some(value) = after.strip_prefix('=') else {
            from = at;
            continue;
        };
        let value = value.trim_start();
        return match value.chars().next()? {
            quote @ ('"' | '\'') => value.get(1..)?.split_once(quote).map(|(label, _)| label.trim().to_owned()),
            _ => value
                .split([';', ' ', '\t', '\n', '\r', '\x0C'])
                .next()
                .map(str::to_owned)
                .filter(|label| !label.is_empty()),
        };
    }
}

#[derive(Default)]
struct Scanned {
    encoding: Option<&'static Encoding>,
    first_label: Option<String>,
}

/// "Prescan a byte stream to determine its encoding" (§13.2.3.2).
struct Prescan<'b> {
    bytes: &'b [u8],
    at: usize,
}

impl Prescan<'_> {
    fn run(mut self) -> Scanned {
        let mut scanned = Scanned::default();
        while self.at < self.bytes.len() {
            let rest = self.bytes.get(self.at..).unwrap_or_default();
            let after_name = |name: &str| {
                let (head, tail) = rest.split_at_checked(name.len()).unwrap_or_default();
                head.eq_ignore_ascii_case(name.as_bytes()) && tail.first().is_some_and(|b| is_space(*b) || *b == b'/')
            };
            if rest.starts_with(b"<!--") {
                // `<!-->` is a whole comment: its dashes may be those of the opening.
                let end = rest.windows(3).skip(2).position(|window| window == b"-->").map(|at| at + 4);
                self.at += end.unwrap_or(rest.len());
            } else if after_name("<meta") {
                self.at += "<meta".len();
                if self.meta(&mut scanned) {
                    return scanned;
                }
            } else if is_tag(rest) {
                self.at += rest.iter().position(|b| is_space(*b) || *b == b'>').unwrap_or(rest.len());
                while self.attribute().is_some() {}
            } else if rest.starts_with(b"<!") || rest.starts_with(b"</") || rest.starts_with(b"<?") {
                self.at += rest.iter().position(|b| *b == b'>').unwrap_or(rest.len());
            }
            self.at += 1;
        }
        scanned
    }

    /// Reads one `meta`; answers whether it decided.
    fn meta(&mut self, scanned: &mut Scanned) -> bool {
        let (mut names, mut got_pragma, mut need_pragma, mut label) = (Vec::new(), false, None, None);
        while let Some((name, value)) = self.attribute() {
            if names.contains(&name) {
                continue;
            }
            match name.as_str() {
                "http-equiv" => got_pragma |= value == "content-type",
                "content" if label.is_none() => {
                    label = label_in_content(&value);
                    if label.is_some() {
                        need_pragma = Some(true);
                    }
                }
                "charset" => {
                    label = Some(value.trim().to_owned());
                    need_pragma = Some(false);
                }
                _ => {}
            }
            names.push(name);
        }
        // A tag that does not end within the scanned bytes declares nothing.
        if self.peek() != Some(b'>') {
            return false;
        }
        let Some(label) = label.filter(|_| need_pragma == Some(false) || need_pragma == Some(true) && got_pragma)
        else {
            return false;
        };
        scanned.encoding = Encoding::for_label(label.as_bytes()).map(as_declared_in_meta);
        scanned.first_label.get_or_insert(label);
        scanned.encoding.is_some()
    }

    /// "Get an attribute": name and value in lower case; `None` at the end of the tag, standing on its `>`.
    fn attribute(&mut self) -> Option<(String, String)> {
        while self.peek().is_some_and(|b| is_space(b) || b == b'/') {
            self.at += 1;
        }
        self.peek().filter(|b| *b != b'>')?;
        let mut name = String::new();
        let mut value = String::new();
        loop {
            match self.peek()? {
                b'=' if !name.is_empty() => break,
                b if is_space(b) => {
                    while self.peek().is_some_and(is_space) {
                        self.at += 1;
                    }
                    if self.peek() != Some(b'=') {
                        return Some((name, value));
                    }
                    break;
                }
                b'/' | b'>' => return Some((name, value)),
                b => name.push(char::from(b.to_ascii_lowercase())),
            }
            self.at += 1;
        }
        self.at += 1;
        while self.peek().is_some_and(is_space) {
            self.at += 1;
        }
        match self.peek()? {
            quote @ (b'"' | b'\'') => {
                self.at += 1;
                loop {
                    let b = self.peek()?;
                    self.at += 1;
                    if b == quote {
                        return Some((name, value));
                    }
                    value.push(char::from(b.to_ascii_lowercase()));
                }
            }
            _ => loop {
                match self.peek()? {
                    b if is_space(b) || b == b'>' => return Some((name, value)),
                    b => value.push(char::from(b.to_ascii_lowercase())),
                }
                self.at += 1;
            },
        }
    }

    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }
}

fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b'\r' | 0x0C)
}

fn is_tag(rest: &[u8]) -> bool {
    match rest {
        [b'<', b'/', letter, ..] | [b'<', letter, ..] => letter.is_ascii_alphabetic(),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn decided(bytes: &[u8], content_type: Option<&str>) -> (&'static str, CharsetSource) {
        let charset = decide(bytes, content_type);
        (charset.name(), charset.source)
    }

    #[test]
    fn mark_wins_over_header_and_header_over_meta() {
        let meta = b"<meta charset=iso-8859-2>";
        assert_eq!(decided(b"\xEF\xBB\xBFx", Some("text/html; charset=utf-16")), ("UTF-8", CharsetSource::Bom));
        assert_eq!(decided(meta, Some("text/html;charset=\"KOI8-R\"")), ("KOI8-R", CharsetSource::Header));
        assert_eq!(decided(meta, Some("text/html")), ("ISO-8859-2", CharsetSource::Meta));
        assert_eq!(decided(b"\xFF\xFEa\0", None), ("UTF-16LE", CharsetSource::Bom));
    }

    #[test]
    fn unknown_labels_fall_through_and_are_kept() {
        assert_eq!(
            decided(b"<meta charset=latin2>", Some("text/html; charset=utf-7")),
            ("ISO-8859-2", CharsetSource::Meta)
        );
        let charset = decide(b"<meta charset=klingon><meta charset=utf-8>", Some("text/html; charset=utf-7"));
        assert_eq!((charset.name(), charset.header_label.as_deref()), ("UTF-8", Some("utf-7")));
        assert_eq!(charset.meta_label.as_deref(), Some("klingon"));
    }

    #[test]
    fn every_spelling_of_meta_is_scanned() {
        for (source, name) in [
            ("<META HTTP-EQUIV='Content-Type' CONTENT='text/html; charset=GBK'>", "GBK"),
            ("<meta content='text/html; charset=gbk' http-equiv=content-type>", "GBK"),
            ("<!-- <meta charset=gbk> --><meta charset=koi8-r>", "KOI8-R"),
            ("<!--><meta charset=koi8-r>", "KOI8-R"),
            ("<p title='<meta charset=gbk>'><meta charset = \"utf-16\" >", "UTF-8"),
            ("<meta/charset=x-user-defined>", "windows-1252"),
        ] {
            assert_eq!(decided(source.as_bytes(), None), (name, CharsetSource::Meta), "{source}");
        }
        assert_eq!(decided(b"<meta content='text/html; charset=gbk'>", None).1, CharsetSource::Detected);
    }

    #[test]
    fn a_late_declaration_changes_a_guess() {
        let source = format!("{}<meta charset=utf-8>\u{e9}", " ".repeat(2000));
        let mut charset = decide(source.as_bytes(), None);
        assert!(charset.may_change());
        assert!(charset.change_to("UTF8"));
        assert!(charset.decode(source.as_bytes()).ends_with('\u{e9}'));
        assert!(!charset.change_to("klingon"));
    }

    #[test]
    fn an_undeclared_page_is_never_utf_8() {
        assert_eq!(decided("é".as_bytes(), None).1, CharsetSource::Detected);
        assert_ne!(decided("naïve café déjà vu".as_bytes(), None).0, "UTF-8");
        assert_eq!(decided(b"plain", None).0, "windows-1252");
    }

    #[test]
    fn a_tag_past_the_prescan_declares_nothing() {
        let source = format!("<meta charset=\"gbk\"{}>", " ".repeat(PRESCAN_BYTES));
        let charset = decide(source.as_bytes(), None);
        assert_eq!((charset.source, charset.meta_label), (CharsetSource::Detected, None));
    }

    #[test]
    fn the_encoding_changes_once() {
        let mut charset = decide(b"plain", None);
        assert!(charset.change_to("utf-8"));
        assert!(!charset.change_to("gbk"));
    }

    proptest! {
        #[test]
        fn any_bytes_are_decided(bytes in proptest::collection::vec(any::<u8>(), 0..200), header in ".{0,30}") {
            let charset = decide(&bytes, Some(&header));
            let _text = charset.decode(&bytes);
        }
    }
}
