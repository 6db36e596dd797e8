//! "Get an XML encoding" (WHATWG HTML §13.2.3.2): what browsers take from `<?xml encoding="…"?>` when no `meta` says more.

use encoding_rs::{Encoding, UTF_16BE, UTF_16LE};

use super::prescan::{PRESCAN_BYTES, as_declared_in_meta};

/// The encoding that the declaration at the start of the bytes names, or is written in.
pub(super) fn encoding(bytes: &[u8]) -> Option<&'static Encoding> {
    let bytes = bytes.get(..PRESCAN_BYTES).unwrap_or(bytes);
    if bytes.starts_with(b"<\0?\0x\0") {
        return Some(UTF_16LE);
    }
    if bytes.starts_with(b"\0<\0?\0x") {
        return Some(UTF_16BE);
    }
    let rest = bytes.strip_prefix(b"<?xml")?;
    let declaration = rest.get(..rest.iter().position(|b| *b == b'>')?)?;
    let name = declaration.windows(8).position(|window| window == b"encoding")?;
    let value = after_spaces(declaration.get(name + 8..)?).strip_prefix(b"=")?;
    let (quote, label) = after_spaces(value).split_first().filter(|(quote, _)| matches!(quote, b'"' | b'\''))?;
    let label = label.get(..label.iter().position(|b| b == quote)?)?;
    if label.iter().any(|b| *b <= b' ') {
        return None;
    }
    Encoding::for_label(label).map(as_declared_in_meta)
}

fn after_spaces(bytes: &[u8]) -> &[u8] {
    let start = bytes.iter().position(|b| *b > b' ').unwrap_or(bytes.len());
    bytes.get(start..).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_declaration_is_read_as_browsers_do() {
        for (source, name) in [
            ("<?xml version=\"1.0\" encoding=\"koi8-r\"?><p>", Some("KOI8-R")),
            ("<?xml encoding = 'GBK' ?>", Some("GBK")),
            ("<?xml encoding=\"utf-16\"?>", Some("UTF-8")),
            ("<?xml encoding=\"koi8-r\"", None),
            ("<?xml encoding=koi8-r?>", None),
            ("<?xml encoding=\"koi8-r ?>\"", None),
            ("<?xml encoding=\" koi8-r\"?>", None),
            ("<?xml?><p encoding=\"koi8-r\">", None),
            (" <?xml encoding=\"koi8-r\"?>", None),
            ("<?XML encoding=\"koi8-r\"?>", None),
            ("<\0?\0x\0m\0l\0", Some("UTF-16LE")),
            ("\0<\0?\0x\0m\0l", Some("UTF-16BE")),
        ] {
            assert_eq!(encoding(source.as_bytes()).map(Encoding::name), name, "{source}");
        }
    }
}
