//! Addresses and pages as they are given on the command line.

use std::io::{IsTerminal as _, Read as _};
use std::path::Path;

use anyhow::{Context as _, Result, bail};
use engine::Scheme;
use fetch::PAGE_BYTES;
use url::Url;

use super::output;

/// An http(s) URL; a bare host gets `https://`.
pub(super) fn page_url(text: &str) -> Result<Url> {
    let Ok(url) = Url::parse(&with_scheme(text).0) else { bail!("--url {text}: that is not a valid URL") };
    if !matches!(url.scheme(), "http" | "https") {
        bail!("--url {text}: only addresses that start with http:// or https:// can be audited");
    }
    Ok(url)
}

/// At most one byte more than a page may have, so that a longer one is known to be cut.
pub(super) fn read_page(path: &Path) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let most = PAGE_BYTES as u64 + 1;
    if path.as_os_str() == "-" {
        let stdin = std::io::stdin();
        if stdin.is_terminal() {
            output::tell("Type or paste the page; Ctrl-D ends it.");
        }
        stdin.lock().take(most).read_to_end(&mut bytes).context("standard input could not be read")?;
    } else {
        let file = std::fs::File::open(path).with_context(|| format!("{} could not be opened", path.display()))?;
        file.take(most).read_to_end(&mut bytes).with_context(|| format!("{} could not be read", path.display()))?;
    }
    Ok(bytes)
}

/// A bare host gets `https://`, and it is told that it did. What is before a colon is a host only where a port follows.
pub(super) fn with_scheme(text: &str) -> (String, Scheme) {
    let text = text.trim();
    let has_scheme = text.split_once(':').is_some_and(|(before, after)| {
        !before.contains(['/', '.', '[']) && !after.starts_with(|first: char| first.is_ascii_digit())
    });
    if has_scheme { (text.to_owned(), Scheme::Typed) } else { (format!("https://{text}"), Scheme::Assumed) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bare_host_gets_a_scheme_and_nothing_else_does() {
        for (typed, expected) in [
            ("example.com", "https://example.com"),
            (" example.com:8080/a:b ", "https://example.com:8080/a:b"),
            ("localhost:3000", "https://localhost:3000"),
            ("[::1]:80", "https://[::1]:80"),
            ("http://example.com", "http://example.com"),
            ("mailto:me@example.com", "mailto:me@example.com"),
            ("javascript:alert(1)", "javascript:alert(1)"),
        ] {
            let scheme = if typed.trim() == expected { Scheme::Typed } else { Scheme::Assumed };
            assert_eq!(with_scheme(typed), (expected.to_owned(), scheme));
        }
    }

    #[test]
    fn a_bare_host_is_taken_as_https_and_other_schemes_are_refused() {
        assert_eq!(page_url("example.com/a").unwrap().as_str(), "https://example.com/a");
        assert!(page_url("ftp://example.com/").unwrap_err().to_string().contains("http:// or https://"));
        assert!(page_url("https://").is_err());
    }
}
