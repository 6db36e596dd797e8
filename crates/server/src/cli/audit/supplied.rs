//! Auditing a file: no network, and nothing known but the page.

use std::io::{IsTerminal as _, Read as _};
use std::path::Path;

use anyhow::{Context as _, Result, bail};
use fetch::PAGE_BYTES;
use model::capture::{Body, BodyCut, Capture, Coding, Exchange, Fetched, Source, Timing};
use model::time::Timestamp;
use url::Url;

use super::{Outcome, failure, with_scheme};
use crate::engine::AuditFailure;
use crate::ports::Ports;

/// Audits the bytes of a file under the address it has or will have.
pub(super) fn audit(file: &Path, url: &str) -> Result<Outcome> {
    let (url, at) = (page_url(url)?, Ports::real().now());
    let capture = capture(&url, read_page(file)?, at);
    // A panic of the core is our defect and told as such: the page could not be audited.
    let report = std::panic::catch_unwind(|| audit::report(&capture));
    let result = report.map_err(|_| failure::of_audit(AuditFailure::Defect));
    let file = file.to_str().filter(|path| *path != "-").map(str::to_owned);
    Ok(Outcome { url: url.to_string(), file, at, result })
}

/// An http(s) URL; a bare host gets `https://`.
fn page_url(text: &str) -> Result<Url> {
    let url = Url::parse(&with_scheme(text)).with_context(|| format!("--url {text} is not an address"))?;
    if !matches!(url.scheme(), "http" | "https") {
        bail!("--url must be an http or https address, not {}:", url.scheme());
    }
    Ok(url)
}

/// At most one byte more than a page may have, so that a longer one is known to be cut.
fn read_page(path: &Path) -> Result<Vec<u8>> {
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

fn capture(url: &Url, mut bytes: Vec<u8>, started_at: Timestamp) -> Capture {
    let cut = (bytes.len() > PAGE_BYTES).then_some(BodyCut::Size);
    bytes.truncate(PAGE_BYTES);
    Capture {
        requested_url: url.to_string(),
        started_at,
        nonce: String::new(),
        source: Source::Supplied,
        page: Fetched::Response(Exchange {
            hops: Vec::new(),
            url: url.to_string(),
            status: 200,
            headers: Vec::new(),
            body: Body { bytes, cut, coding: Coding::Identity },
            timing: Timing::default(),
            ambiguous_length: false,
            certificate: None,
        }),
        extras: Vec::new(),
        field_data: None,
    }
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

    #[test]
    fn a_page_over_the_limit_is_cut_and_told() {
        let url = page_url("https://example.com/").unwrap();
        let capture = capture(&url, vec![b'a'; PAGE_BYTES + 1], Timestamp(0));
        let body = &capture.page.response().unwrap().body;
        assert_eq!((body.bytes.len(), body.cut), (PAGE_BYTES, Some(BodyCut::Size)));
    }
}
