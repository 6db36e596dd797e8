//! Repairs of broken JSON-LD that lose nothing: the result says what the author plainly meant, or there is none.

use super::tree::{LARGEST_BLOCK, TreeKind, ValueTree};

/// The block as JSON again, when its defects are a comment or CDATA wrapper, HTML-escaped or typographic quotes,
/// trailing commas, or raw line ends in strings; `None` when something else is wrong. All else is as it was written.
pub fn repaired(text: &str) -> Option<String> {
    if text.len() > LARGEST_BLOCK {
        return None;
    }
    let bare = unwrapped(text);
    let candidates = [bare.to_owned(), bare.replace("&quot;", "\"").replace("&#34;", "\""), straight_quotes(bare)];
    candidates.iter().map(|candidate| tidied(candidate)).find(|candidate| {
        // Of a name that comes twice nobody knows which value was meant.
        ValueTree::read(candidate).is_some_and(|tree| {
            matches!(tree.kind, TreeKind::Object(_) | TreeKind::Array(_)) && tree.duplicate().is_none()
        })
    })
}

/// Takes off `<!-- … -->`, `//<![CDATA[ … //]]>` and `/*<![CDATA[*/ … /*]]>*/`.
fn unwrapped(text: &str) -> &str {
    let mut text = text.trim();
    for (open, close) in [("/*<![CDATA[*/", "/*]]>*/"), ("//<![CDATA[", "//]]>"), ("<![CDATA[", "]]>"), ("<!--", "-->")]
    {
        if let Some(inner) = text.strip_prefix(open) {
            text = inner.trim_end().strip_suffix(close).unwrap_or(inner).trim();
        }
    }
    text
}

/// Typographic quotes as delimiters: only where no straight ones are.
fn straight_quotes(text: &str) -> String {
    if text.contains('"') { text.to_owned() } else { text.replace(['“', '”', '„'], "\"") }
}

/// Drops commas before a closing bracket, and escapes raw line ends and tabs inside strings.
fn tidied(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut in_string = false;
    let mut characters = text.chars();
    while let Some(character) = characters.next() {
        match character {
            '\\' if in_string => {
                out.push(character);
                out.extend(characters.next());
            }
            '"' => {
                in_string = !in_string;
                out.push(character);
            }
            '\n' if in_string => out.push_str("\\n"),
            '\r' if in_string => out.push_str("\\r"),
            '\t' if in_string => out.push_str("\\t"),
            ',' if !in_string => {
                let next = characters.as_str().trim_start();
                if !next.starts_with(['}', ']']) {
                    out.push(character);
                }
            }
            character => out.push(character),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_lossless_repair_is_made_and_no_other() {
        for text in [
            "{\"a\":\"b\",}",
            "{\"a\":[1,2,],}",
            "<!-- {\"a\":\"b\"} -->",
            "//<![CDATA[\n{\"a\":\"b\"}\n//]]>",
            "{&quot;a&quot;:&quot;b&quot;}",
            "{“a”:“b”}",
            "{\"a\":\"line\nline\"}",
        ] {
            assert!(repaired(text).is_some(), "{text}");
        }
        for text in ["{\"a\":1,\"a\":2,}", "{\"a\":}", "{a:1}", "{\"a\":\"b\"", "", "nothing"] {
            assert_eq!(repaired(text), None, "{text}");
        }
        let long = "{\"a\": \"x, }\", \"b\": 100000000000000000000000000001.50,}";
        assert_eq!(repaired(long), Some(long.replace(",}", "}")));
    }
}
