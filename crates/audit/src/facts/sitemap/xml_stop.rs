//! What stops the reading of a sitemap of XML: defects of well-formedness, and pages in the place of a sitemap.

use model::lang::Phrase;
use quick_xml::XmlVersion;
use quick_xml::errors::{Error, IllFormedError, SyntaxError};
use quick_xml::events::BytesStart;
use quick_xml::name::QName;

use super::fault::{self, quoting};
use crate::facts::content_type::looks_like_html;

/// Attributes of one tag that are read: their check for repeats takes the square of their number.
pub(super) const MOST_ATTRIBUTES: usize = 64;

/// Where reading ends before the file does.
pub(super) struct Stop {
    /// Byte in the decoded text.
    pub(super) offset: usize,
    /// What is wrong there.
    pub(super) what: Phrase,
    /// The file ended where more was due.
    pub(super) at_end: bool,
}

impl Stop {
    pub(super) fn at(offset: usize, what: impl Into<Phrase>) -> Self {
        Self { offset, what: what.into(), at_end: false }
    }
}

/// Name and attributes of a tag (XML 1.0 §3.1).
pub(super) fn check_tag(tag: &BytesStart<'_>, at: usize) -> Result<(), Stop> {
    let QName(name) = tag.name();
    if !is_name(name) {
        return Err(Stop::at(at, quoting(fault::NAME, name)));
    }
    for (number, attribute) in tag.attributes().enumerate() {
        if number >= MOST_ATTRIBUTES {
            return Err(Stop::at(at, fault::TOO_DEEP));
        }
        let attribute = attribute.map_err(|_| Stop::at(at, fault::ATTRIBUTE))?;
        let QName(key) = attribute.key;
        if !is_name(key)
            || attribute.value.contains('<')
            || attribute.normalized_value(XmlVersion::Implicit1_0).is_err()
        {
            return Err(Stop::at(at, fault::ATTRIBUTE));
        }
    }
    Ok(())
}

/// Whether a name begins as one may and holds no mark of markup: enough to tell a slip from a name.
fn is_name(name: &str) -> bool {
    let begins = |c: char| c.is_alphabetic() || c == '_' || c == ':';
    name.starts_with(begins) && name.chars().all(|c| !c.is_ascii() || c.is_ascii_alphanumeric() || "_:-.".contains(c))
}

/// Characters that no XML file may hold (XML 1.0 §2.2).
pub(super) fn is_forbidden(c: char) -> bool {
    matches!(c, '\0'..='\u{8}' | '\u{b}' | '\u{c}' | '\u{e}'..='\u{1f}' | '\u{fffe}' | '\u{ffff}')
}

/// The first of them, found by its bytes: the file may be megabytes.
pub(super) fn forbidden_at(source: &str) -> Option<usize> {
    let control = source.bytes().position(|byte| byte < b' ' && is_forbidden(char::from(byte)));
    control.or_else(|| source.find('\u{fffe}')).or_else(|| source.find('\u{ffff}'))
}

/// Whether the first element is one of a web page.
pub(super) fn is_html_at(source: &str, at: usize) -> bool {
    source.get(at..).is_some_and(|rest| looks_like_html(rest.as_bytes()))
}

/// A page's document type means that a page came; any other stops the file, before an entity of it is read.
pub(super) fn doctype(source: &str, at: usize) -> Stop {
    let rest = source.get(at..).unwrap_or_default().get("<!doctype".len()..).unwrap_or_default();
    let is_html = rest.trim_start().get(..4).is_some_and(|name| name.eq_ignore_ascii_case("html"));
    Stop::at(at, if is_html { fault::HTML } else { fault::DOCTYPE })
}

/// The sentence for an error of the parser.
pub(super) fn stop(error: &Error, offset: usize) -> Stop {
    let (what, at_end) = match error {
        Error::Syntax(SyntaxError::UnclosedDoctype) => (fault::DOCTYPE.into(), false),
        Error::Syntax(_) => (fault::MARKUP.into(), true),
        Error::IllFormed(IllFormedError::MissingDoctypeName) => (fault::DOCTYPE.into(), false),
        Error::IllFormed(IllFormedError::MissingDeclVersion(_) | IllFormedError::UnknownVersion) => {
            (fault::DECLARATION.into(), false)
        }
        Error::IllFormed(IllFormedError::MissingEndTag(name)) => (quoting(fault::UNCLOSED, name), true),
        Error::IllFormed(IllFormedError::UnmatchedEndTag(name)) => (quoting(fault::END_TAG, name), false),
        Error::IllFormed(IllFormedError::MismatchedEndTag { found, .. }) => (quoting(fault::END_TAG, found), false),
        Error::IllFormed(IllFormedError::DoubleHyphenInComment) => (fault::COMMENT.into(), false),
        Error::IllFormed(IllFormedError::UnclosedReference) => (fault::AMPERSAND.into(), false),
        Error::InvalidAttr(_) | Error::Escape(_) | Error::Namespace(_) => (fault::ATTRIBUTE.into(), false),
        Error::Io(_) | Error::Encoding(_) => (fault::NOT_UTF8.into(), false),
    };
    Stop { offset, what, at_end }
}
