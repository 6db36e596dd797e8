//! Escaping for the place a value goes to. Every value from a page goes through one of these before it is in a fix.

/// For a double-quoted HTML attribute (WHATWG HTML §13.1.2.3).
pub fn attribute(value: &str) -> String {
    value.replace('&', "&amp;").replace('"', "&quot;").replace('<', "&lt;").replace('>', "&gt;")
}

/// For HTML text, also inside `title`.
pub fn html_text(value: &str) -> String {
    value.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
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
