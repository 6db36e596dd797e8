//! Escaping for the place a value goes to. Every value from a page goes through one of these before it is in a fix.

/// For a double-quoted HTML attribute (WHATWG HTML §13.1.2.3).
pub fn attribute(value: &str) -> String {
    let mut out = String::with_capacity(value.len());
    attribute_into(&mut out, value);
    out
}

/// The same, behind what is written already.
pub(crate) fn attribute_into(out: &mut String, value: &str) {
    escape_into(out, value, in_attribute);
}

/// Bytes that a value takes inside of an attribute.
pub(crate) fn attribute_length(value: &str) -> usize {
    value.bytes().map(|byte| in_attribute(byte).map_or(1, str::len)).sum()
}

/// For HTML text, also inside `title`.
pub fn html_text(value: &str) -> String {
    let mut out = String::with_capacity(value.len());
    escape_into(&mut out, value, |byte| if byte == b'"' { None } else { in_attribute(byte) });
    out
}

fn in_attribute(byte: u8) -> Option<&'static str> {
    match byte {
        b'&' => Some("&amp;"),
        b'"' => Some("&quot;"),
        b'<' => Some("&lt;"),
        b'>' => Some("&gt;"),
        _ => None,
    }
}

/// Writes a value with something else for some of its ASCII bytes.
fn escape_into(out: &mut String, value: &str, escaped: impl Fn(u8) -> Option<&'static str>) {
    let mut from = 0;
    for (at, byte) in value.bytes().enumerate() {
        let Some(instead) = escaped(byte) else { continue };
        out.push_str(value.get(from..at).unwrap_or_default());
        out.push_str(instead);
        from = at + 1;
    }
    out.push_str(value.get(from..).unwrap_or_default());
}

/// For text inside XML, as in a sitemap.
pub fn xml_text(value: &str) -> String {
    attribute(value).replace('\'', "&apos;")
}

/// A value as a JSON block of a page: `<` as `\u003c`, so that no end tag or comment can form.
pub fn json_in_html(value: &serde_json::Value) -> String {
    json_text_in_html(&value.to_string())
}

/// The same for JSON as it is written; these characters stand nowhere but inside its strings.
pub fn json_text_in_html(json: &str) -> String {
    json.replace('<', "\\u003c").replace('>', "\\u003e").replace('\u{2028}', "\\u2028").replace('\u{2029}', "\\u2029")
}
