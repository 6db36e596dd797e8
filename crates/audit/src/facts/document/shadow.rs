//! Which elements can have a shadow root.

/// Whether an HTML element of that name can have a shadow root (DOM §4.9, "valid shadow host name").
pub(super) fn is_host_name(name: &str) -> bool {
    const NAMES: [&str; 18] = [
        "article",
        "aside",
        "blockquote",
        "body",
        "div",
        "footer",
        "h1",
        "h2",
        "h3",
        "h4",
        "h5",
        "h6",
        "header",
        "main",
        "nav",
        "p",
        "section",
        "span",
    ];
    const RESERVED: [&str; 8] = [
        "annotation-xml",
        "color-profile",
        "font-face",
        "font-face-src",
        "font-face-uri",
        "font-face-format",
        "font-face-name",
        "missing-glyph",
    ];
    let custom = name.starts_with(|c: char| c.is_ascii_lowercase()) && name.contains('-') && !RESERVED.contains(&name);
    NAMES.contains(&name) || custom
}
