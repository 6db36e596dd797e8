//! Content negotiation (`Accept` and `Accept-Encoding`, RFC 9110 §12.5.1 and §12.5.3).

use http::{HeaderMap, HeaderName, header};

/// Quality value of exactly this media type, in thousandths; 0 where it is not listed. Wildcards don't count, as they mean
/// the default format.
pub fn wish(headers: &HeaderMap, media_type: &str) -> u16 {
    quality(headers, header::ACCEPT, media_type)
}

/// The same of exactly this content coding.
pub(crate) fn coding(headers: &HeaderMap, coding: &str) -> u16 {
    quality(headers, header::ACCEPT_ENCODING, coding)
}

fn quality(headers: &HeaderMap, field: HeaderName, name: &str) -> u16 {
    let lists = headers.get_all(field).iter().filter_map(|value| value.to_str().ok());
    let ranges = lists.flat_map(|list| list.split(','));
    ranges.filter_map(|range| of_range(range, name)).max().unwrap_or_default()
}

fn of_range(range: &str, name: &str) -> Option<u16> {
    let mut parts = range.split(';');
    if !parts.next()?.trim().eq_ignore_ascii_case(name) {
        return None;
    }
    let quality = parts.find_map(|part| {
        let (parameter, value) = part.split_once('=')?;
        parameter.trim().eq_ignore_ascii_case("q").then_some(value.trim())
    });
    Some(quality.map_or(1_000, thousandths))
}

/// A quality value (`0`, `0.5`, `1.000`) in thousandths; 0 for an invalid one.
fn thousandths(quality: &str) -> u16 {
    let (whole, part) = quality.split_once('.').unwrap_or((quality, ""));
    let part = part.get(..3).unwrap_or(part);
    let is_number = part.bytes().all(|byte| byte.is_ascii_digit());
    match whole {
        "1" => 1_000,
        "0" if is_number => format!("{part:0<3}").parse().unwrap_or_default(),
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wish_is_what_is_named_and_how_much() {
        for (accept, wanted) in [
            ("text/markdown", 1_000),
            ("text/html, TEXT/Markdown;q=0.9", 900),
            ("text/markdown; charset=utf-8; q=0.85", 850),
            ("text/markdown;q=0.12345", 123),
            ("text/markdown;q=x", 0),
            ("text/markdown;q=0", 0),
            ("text/html,*/*;q=0.8", 0),
            ("text/*", 0),
            ("", 0),
        ] {
            let headers = HeaderMap::from_iter([(header::ACCEPT, accept.parse().unwrap())]);
            assert_eq!(wish(&headers, "text/markdown"), wanted, "{accept}");
        }
        assert_eq!(wish(&HeaderMap::new(), "text/markdown"), 0);
    }
}
