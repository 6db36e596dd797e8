//! Auditing a file: no network, and nothing known but the page.

use std::path::Path;

use anyhow::Result;
use audit::supplied::Supplied;

use render::format::PageOutcome;

use crate::cli::failure;
use crate::cli::input::{page_url, read_page};
use engine::AuditFailure;
use service::ports::Ports;

/// Audits the bytes of a file under the address it has or will have.
pub(super) fn audit(file: &Path, url: &str) -> Result<PageOutcome> {
    let (url, at) = (page_url(url)?, Ports::real().now());
    let capture = Supplied::page(url.clone(), read_page(file)?).capture(at);
    // A panic of the core is a defect, reported as an internal error of this page.
    let report = std::panic::catch_unwind(|| audit::report(&capture));
    let result = report.map_err(|_| failure::unaudited(AuditFailure::Defect));
    let file = file.to_str().filter(|path| *path != "-").map(str::to_owned);
    Ok(PageOutcome { url: url.to_string(), file, at, result })
}
