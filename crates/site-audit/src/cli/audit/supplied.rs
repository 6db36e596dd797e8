//! Auditing a file: no network, and nothing known but the page.

use std::io::{IsTerminal as _, Read as _};
use std::path::Path;

use anyhow::{Context as _, Result, bail};
use fetch::PAGE_BYTES;
use url::Url;

use super::{Outcome, failure, with_scheme};
use engine::AuditFailure;
use engine::Supplied;
use service::ports::Ports;

/// Audits the bytes of a file under the address it has or will have.
pub(super) fn audit(file: &Path, url: &str) -> Result<Outcome> {
    let (url, at) = (page_url(url)?, Ports::real().now());
    let capture = Supplied::page(url.clone(), read_page(file)?).capture(at);
    // A panic of the core is our defect and told as such: the page could not be audited.
    let report = std::panic::catch_unwind(|| audit::report(&capture));
    let result = report.map_err(|_| failure::unaudited(AuditFailure::Defect));
    let file = file.to_str().filter(|path| *path != "-").map(str::to_owned);
    Ok(Outcome { url: url.to_string(), file, at, result })
}

/// An http(s) URL; a bare host gets `https://`.
pub(in crate::cli) fn page_url(text: &str) -> Result<Url> {
    let url = Url::parse(&with_scheme(text)).with_context(|| format!("--url {text} is not an address"))?;
    if !matches!(url.scheme(), "http" | "https") {
        bail!("--url must be an http or https address, not {}:", url.scheme());
    }
    Ok(url)
}

/// At most one byte more than a page may have, so that a longer one is known to be cut.
pub(in crate::cli) fn read_page(path: &Path) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let most = PAGE_BYTES as u64 + 1;
    if path.as_os_str() == "-" {
        let stdin = std::io::stdin();
        if stdin.is_terminal() {
            super::progress::tell("Type or paste the page; Ctrl-D ends it.");
        }
        stdin.lock().take(most).read_to_end(&mut bytes).context("standard input could not be read")?;
    } else {
        let file = std::fs::File::open(path).with_context(|| format!("{} could not be opened", path.display()))?;
        file.take(most).read_to_end(&mut bytes).with_context(|| format!("{} could not be read", path.display()))?;
    }
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bare_host_is_taken_as_https_and_other_schemes_are_refused() {
        assert_eq!(page_url("example.com/a").unwrap().as_str(), "https://example.com/a");
        assert!(page_url("ftp://example.com/").unwrap_err().to_string().contains("http or https"));
        assert!(page_url("https://").is_err());
    }
}
