//! Values that a template or a sample left behind.

use std::sync::LazyLock;

use url::Url;

use crate::facts::word_set::TextList;

/// Values as they are written; the file says what its marks mean.
static VALUES: LazyLock<TextList> =
    LazyLock::new(|| TextList::of_lines(include_str!("../../data/placeholder_values.txt")));
/// Pairs of marks between which a template has the name of what is to come.
const MARKS: [(&str, &str); 5] = [("{{", "}}"), ("${", "}"), ("<%", "%>"), ("{%", "%}"), ("[[", "]]")];
/// Domains that are kept for samples (RFC 2606 §3).
const SAMPLE_DOMAINS: [&str; 3] = ["example.com", "example.org", "example.net"];

/// Whether a value is nothing but the place for one.
pub(crate) fn is_placeholder(text: &str) -> bool {
    let text = text.trim();
    is_gap(text) || VALUES.contains(text)
}

/// Whether a text is one pair of marks with a name inside.
pub(crate) fn is_gap(text: &str) -> bool {
    let inner = |(open, close): &(&str, &str)| text.strip_prefix(*open)?.strip_suffix(*close).map(str::trim);
    MARKS.iter().filter_map(inner).any(|inner| !inner.is_empty() && !inner.contains(['{', '}', '\n']))
}

/// Whether an address leads to a domain for samples, of a page that is on none.
pub(crate) fn is_sample_address(text: &str, page: &Url) -> bool {
    let is_sample = |url: &Url| {
        let host = url.host_str().unwrap_or_default();
        SAMPLE_DOMAINS
            .iter()
            .any(|domain| host.strip_suffix(domain).is_some_and(|rest| rest.is_empty() || rest == "www."))
    };
    (text.contains("://example.") || text.contains("://www.example."))
        && Url::parse(text.trim()).is_ok_and(|url| is_sample(&url))
        && !is_sample(page)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_value_that_is_all_placeholder_counts() {
        for text in ["{{ product.name }}", "${price}", "<%= title %>", "string", "[object Object]", "Lorem ipsum dolor"]
        {
            assert!(is_placeholder(text), "{text}");
        }
        for text in
            ["How {{ }} works in Handlebars", "{}", "{{}}", "{{a}} and {{b}}", "strings", "Null Island", "", "none"]
        {
            assert!(!is_placeholder(text), "{text}");
        }
    }

    #[test]
    fn a_sample_domain_is_none_on_a_page_of_its_own() {
        let page = Url::parse("https://mill.test/").unwrap();
        assert!(is_sample_address("https://www.example.com/logo.png", &page));
        assert!(!is_sample_address("https://example.company/logo.png", &page));
        assert!(!is_sample_address("https://mill.test/?u=https://example.com/", &page));
        assert!(!is_sample_address("https://example.com/a", &Url::parse("https://example.com/b").unwrap()));
    }
}
