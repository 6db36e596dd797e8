//! What a response says it is: `Content-Type`, as Fetch extracts a MIME type from it (WHATWG Fetch §3.5; the parts by
//! MIME Sniffing §4.4). Of several values, in one header or in many, the last that is a media type counts.

use model::capture::{Exchange, Source};

/// A media type with the one parameter that matters here.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MediaType {
    /// Type and subtype in lower case, without parameters.
    pub essence: String,
    /// The label of `charset`, as written.
    pub charset: Option<String>,
}

impl MediaType {
    /// Whether it is one that a browser parses as an HTML document here: `text/html`, or XHTML.
    pub fn is_html(&self) -> bool {
        matches!(self.essence.as_str(), "text/html" | "application/xhtml+xml")
    }
}

/// The value of `Content-Type`, repeats joined by `, `; `None` where there is no such header.
pub fn declared(exchange: &Exchange) -> Option<String> {
    exchange.headers_named("content-type").map(str::to_owned).reduce(|all, one| format!("{all}, {one}"))
}

/// "Extract a MIME type" (Fetch §3.5) from [`declared`]; `None` where no value is a media type. A value without
/// `charset` keeps that of the same type before it.
pub fn extract(declared: &str) -> Option<MediaType> {
    let mut last: Option<MediaType> = None;
    let mut charset = None;
    for mut found in values(declared).into_iter().filter_map(parse) {
        if found.essence == "*/*" {
            continue;
        }
        if last.is_none_or(|last| last.essence != found.essence) {
            charset.clone_from(&found.charset);
        } else if found.charset.is_none() {
            found.charset.clone_from(&charset);
        }
        last = Some(found);
    }
    last
}

/// The values of a list, split at its commas, but for those in quotes (Fetch §2.2.2, "get, decode, and split").
fn values(list: &str) -> Vec<&str> {
    let mut quoted = false;
    let mut escaped = false;
    let split = list.split(|c| {
        let is_end = c == ',' && !quoted;
        quoted ^= c == '"' && !escaped;
        escaped = quoted && c == '\\' && !escaped;
        is_end
    });
    split.collect()
}

/// "Parse a MIME type" (MIME Sniffing §4.4); `None` for what is none.
fn parse(value: &str) -> Option<MediaType> {
    let (kind, rest) = value.trim_matches(is_white).split_once('/')?;
    let (subtype, parameters) = rest.split_once(';').unwrap_or((rest, ""));
    let subtype = subtype.trim_end_matches(is_white);
    (is_token(kind) && is_token(subtype))
        .then(|| MediaType { essence: format!("{kind}/{subtype}").to_ascii_lowercase(), charset: charset(parameters) })
}

/// The first `charset` among parameters. Unlike in a `meta`, the name is whole, single quotes are no quotes, and an
/// unclosed quoted string runs to the end.
fn charset(parameters: &str) -> Option<String> {
    let mut rest = parameters;
    loop {
        let end = rest.find([';', '='])?;
        let (name, tail) = rest.split_at_checked(end)?;
        let Some(tail) = tail.strip_prefix('=') else {
            rest = tail.strip_prefix(';')?;
            continue;
        };
        let mut label = String::new();
        let after = if let Some(quoted) = tail.strip_prefix('"') {
            let mut chars = quoted.chars();
            while let Some(c) = chars.next().filter(|c| *c != '"') {
                label.extend(if c == '\\' { chars.next().or(Some(c)) } else { Some(c) });
            }
            chars.as_str()
        } else {
            label.push_str(tail.split(';').next().unwrap_or_default());
            tail
        };
        let label = label.trim();
        if name.trim_start().eq_ignore_ascii_case("charset") && !label.is_empty() {
            return Some(label.to_owned());
        }
        rest = after.split_once(';')?.1;
    }
}

/// HTTP white space (Fetch §2.2).
fn is_white(c: char) -> bool {
    matches!(c, ' ' | '\t' | '\r' | '\n')
}

/// Whether it is a token (RFC 9110 §5.6.2).
fn is_token(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|b| b.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&b))
}

/// Whether the response is an HTML document: by its media type, or by its bytes where none is declared.
pub fn is_html(exchange: &Exchange, source: Source) -> bool {
    match declared(exchange) {
        Some(declared) => extract(&declared).is_some_and(|kind| kind.is_html()),
        None => !source.has_headers() || looks_like_html(&exchange.body.bytes),
    }
}

/// The media type in a `type` attribute, without parameters, in lower case.
pub fn media_type(kind: &str) -> String {
    kind.split(';').next().unwrap_or_default().trim().to_ascii_lowercase()
}

/// Whether bytes start as HTML does (WHATWG MIME Sniffing §7.1, table of patterns).
pub fn looks_like_html(bytes: &[u8]) -> bool {
    const STARTS: [&str; 17] = [
        "<!doctype html",
        "<html",
        "<head",
        "<script",
        "<iframe",
        "<h1",
        "<div",
        "<font",
        "<table",
        "<a",
        "<style",
        "<title",
        "<b",
        "<body",
        "<br",
        "<p",
        "<!--",
    ];
    let bytes = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes);
    let start = bytes.iter().position(|b| !b.is_ascii_whitespace()).unwrap_or(bytes.len());
    let bytes = bytes.get(start..).unwrap_or_default();
    STARTS.iter().any(|pattern| {
        let (head, rest) = bytes.split_at_checked(pattern.len()).unwrap_or_default();
        let ended =
            *pattern == "<!--" || rest.first().is_none_or(|b| matches!(b, b' ' | b'\t' | b'\r' | b'\n' | b'>' | b'/'));
        !head.is_empty() && head.eq_ignore_ascii_case(pattern.as_bytes()) && ended
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn check(declared: &str, wanted: Option<(&str, Option<&str>)>) {
        let found = extract(declared);
        let found = found.as_ref().map(|found| (found.essence.as_str(), found.charset.as_deref()));
        assert_eq!(found, wanted, "{declared}");
    }

    #[test]
    fn a_value_is_read_as_a_mime_type() {
        check("Text/HTML ; x=y", Some(("text/html", None)));
        check("text/html; charset=\"koi8-r", Some(("text/html", Some("koi8-r"))));
        check("text/html; a=\"charset=gbk;\";CHARSET=utf-8 ; charset=gbk", Some(("text/html", Some("utf-8"))));
        check("text/html;charset;charset='utf-8'", Some(("text/html", Some("'utf-8'"))));
        check("text/html; xcharset=gbk", Some(("text/html", None)));
        for garbage in ["", "garbage", "charset=gbk", "text/", "/html", "text/ht ml", "te\u{fffd}t/html", "*/*"] {
            check(garbage, None);
        }
    }

    /// The examples of Fetch §3.5, and of its tests.
    #[test]
    fn the_last_media_type_counts() {
        check("text/plain;charset=gbk, text/html", Some(("text/html", None)));
        check("text/html;charset=gbk;a=b, text/html;x=y", Some(("text/html", Some("gbk"))));
        check("text/html;charset=gbk;a=b, text/html;x=y;charset=utf-8", Some(("text/html", Some("utf-8"))));
        check("text/html;charset=gbk, x/x, text/html;x=y", Some(("text/html", None)));
        check("text/html, cannot-parse", Some(("text/html", None)));
        check("text/html, */*", Some(("text/html", None)));
        check("text/html, ", Some(("text/html", None)));
        check("text/html, application/pdf", Some(("application/pdf", None)));
        check("text/html;x=\",\\\",text/plain\"", Some(("text/html", None)));
        check("text/html;\" \\\", text/plain", Some(("text/html", None)));
    }

    proptest! {
        #[test]
        fn any_value_is_read(value in ".{0,60}") {
            if let Some(found) = extract(&value) {
                prop_assert_eq!(found.essence.matches('/').count(), 1);
            }
        }
    }
}
