//! Which encoding a page is in (WHATWG HTML §13.2.3 and Encoding).
//!
//! Order: byte order mark, `Content-Type`, a prescan of the first 1,024 bytes for `meta`, an XML declaration, and, with
//! nothing declared, a detector that never answers UTF-8. A declaration that the tree builder meets later may change a
//! guess, once.

pub(crate) mod file_bytes;
mod prescan;
mod xml_declaration;

use std::borrow::Cow;
use std::sync::Arc;

use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
use encoding_rs::{Encoding, ISO_2022_JP, UTF_8};
use model::capture::BodyBytes;
use url::{Position, Url};

use super::content_type;
use prescan::as_declared_in_meta;
pub use prescan::{PRESCAN_BYTES, label_in_content};

/// Bytes by which an encoding is guessed, from the first one outside ASCII on. Each is weighed for every encoding there is, and
/// every trial of a fix guesses again: an audit of 2 MB took 0.8 s.
const MOST_GUESSED: usize = 128 * 1024;

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
    let scan = prescan::scan(bytes);
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
        let first = Encoding::ascii_valid_up_to(bytes);
        let guessed = bytes.get(..first.saturating_add(MOST_GUESSED)).unwrap_or(bytes);
        detector.feed(guessed, guessed.len() == bytes.len());
        (detector.guess(None, Utf8Detection::Deny), CharsetSource::Detected)
    };
    Charset { encoding, source, header_label, meta_label: scan.first_label }
}

impl Charset {
    /// Name by the Encoding standard.
    pub fn name(&self) -> &'static str {
        self.encoding.name()
    }

    /// The bytes as text: the mark is dropped, malformed sequences become U+FFFD. Borrowed where the text is the bytes behind
    /// the mark.
    pub fn decode<'b>(&self, bytes: &'b [u8]) -> Cow<'b, str> {
        self.encoding.decode_with_bom_removal(bytes).0
    }

    /// The body as text, and where its bytes begin to be that text, if they are. In an encoding with shift states they never
    /// are: what is written there would be read by the state before it. Text that is the whole body is shared with it.
    pub(crate) fn text_of(&self, body: &BodyBytes) -> (Arc<String>, Option<usize>) {
        let shared = body.text().filter(|text| self.encoding == UTF_8 && !text.starts_with('\u{feff}'));
        if let Some(text) = shared {
            return (Arc::clone(text), Some(0));
        }
        let text = self.decode(body);
        let is_verbatim = matches!(text, Cow::Borrowed(_)) && self.encoding != ISO_2022_JP;
        let from = body.len().checked_sub(text.len()).filter(|_| is_verbatim);
        match body.text().filter(|_| from == Some(0)) {
            Some(shared) => (Arc::clone(shared), from),
            None => (Arc::new(text.into_owned()), from),
        }
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

    /// "Encoding-parse a URL" (WHATWG HTML §2.4.2): an address against a base, its query in this encoding.
    pub(super) fn parse_url(&self, base: &Url, address: &str) -> Option<Url> {
        // Of an address on the base's own origin the host is not read again.
        let path =
            Some(base).filter(|base| base.has_host()).and_then(|base| path_on(&base[..Position::BeforePath], address));
        let address = path.unwrap_or(address);
        let encode: &dyn Fn(&str) -> Cow<'_, [u8]> = &|query| self.encode_query(query).into();
        let options = Url::options().base_url(Some(base));
        let options = if address.is_ascii() { options } else { options.encoding_override(Some(encode)) };
        options.parse(address).ok()
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

/// Whether that label is of an encoding.
pub fn is_known(label: &str) -> bool {
    Encoding::for_label(label.as_bytes()).is_some()
}

/// The path of an address that begins with an origin. None where a slash or what a parser leaves out comes behind its own: two slashes
/// would begin another host.
fn path_on<'a>(origin: &str, address: &'a str) -> Option<&'a str> {
    let path = address.strip_prefix(origin)?;
    match path.as_bytes() {
        [b'/'] => Some(path),
        [b'/', next, ..] if *next > b' ' && !matches!(next, b'/' | b'\\') => Some(path),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn text_that_is_the_whole_body_is_shared_with_it() {
        let is_shared = |content_type: &str, body: &[u8]| {
            let body = BodyBytes::from(body);
            let (text, from) = decide(&body, Some(content_type)).text_of(&body);
            (body.text().is_some_and(|shared| Arc::ptr_eq(shared, &text)), from)
        };
        const IN_UTF_8: &str = "text/html; charset=utf-8";
        const LATIN: &str = "text/html; charset=windows-1252";
        assert_eq!(is_shared(IN_UTF_8, "<p>é".as_bytes()), (true, Some(0)));
        assert_eq!(is_shared(LATIN, b"<p>e"), (true, Some(0)));
        assert_eq!(is_shared(LATIN, "<p>é".as_bytes()), (false, None));
        assert_eq!(is_shared(IN_UTF_8, "\u{feff}<p>é".as_bytes()), (false, Some(3)));
        assert_eq!(is_shared(IN_UTF_8, b"<p>\xFF"), (false, None));
    }

    fn decided(bytes: &[u8], content_type: Option<&str>) -> (&'static str, CharsetSource) {
        let charset = decide(bytes, content_type);
        (charset.name(), charset.source)
    }

    #[test]
    fn an_encoding_is_guessed_by_what_comes_first() {
        let (russian, ..) =
            encoding_rs::WINDOWS_1251.encode("<p>Ржаной хлеб на закваске, испечённый в глиняной печи.\n");
        let page = [b"<br>".repeat(MOST_GUESSED / 4), russian.repeat(MOST_GUESSED / russian.len() + 1)].concat();
        assert_eq!(decided(&page, None), ("windows-1251", CharsetSource::Detected));
        let goes_on = [page, b"\xE9t\xE9 \xE0 la fin ".repeat(50_000)].concat();
        assert_eq!(decided(&goes_on, None), ("windows-1251", CharsetSource::Detected));
    }

    proptest! {
        #[test]
        fn an_address_on_the_own_origin_is_read_as_any(
            at in 0..4_usize,
            rest in "([/\\\\?#]|[a-c.%:@ \t\n]|é|[.]{2}/){0,8}",
        ) {
            let bases = ["https://e.com/a/b?c#d", "http://u:p@e.com:8080/a", "file:///a/b", "data:text/html,x"];
            let base = Url::parse(bases[at]).unwrap();
            let charset = decide(b"<meta charset=iso-8859-1>", None);
            let address = format!("{}{rest}", &base[..Position::BeforePath]);
            let encode: &dyn Fn(&str) -> Cow<'_, [u8]> = &|query| charset.encode_query(query).into();
            let whole = Url::options().base_url(Some(&base)).encoding_override(Some(encode)).parse(&address).ok();
            prop_assert_eq!(charset.parse_url(&base, &address), whole);
        }
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
