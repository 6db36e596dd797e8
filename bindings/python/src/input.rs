//! Arguments of a page: their limits, and its report.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::SystemTime;

use audit::supplied::{Supplied, check_robots_txt, page_headers, page_status, page_url};
use model::capture::{Capture, PAGE_BYTES};
use model::lang::Lang;
use model::report::Report;
use model::time::Timestamp;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::failure::PageFault;

/// What is known of a page, unchecked.
#[derive(Debug)]
pub(crate) struct PageInput<'p> {
    pub(crate) url: &'p str,
    pub(crate) html: &'p [u8],
    pub(crate) status: Option<i64>,
    pub(crate) headers: Option<Vec<(String, String)>>,
    pub(crate) robots: Option<&'p str>,
}

impl PageInput<'_> {
    /// The capture of the page, with one copy of its bytes.
    pub(crate) fn capture(self, at: Timestamp) -> Result<Capture, PageFault> {
        let url = page_url(self.url)?;
        let status = self.status.map_or(Ok(200), page_status)?;
        let headers = self.headers.map(page_headers).transpose()?;
        check_robots_txt(self.robots.map_or(0, str::len))?;
        // One byte more than the limit, so that a longer page is known to be cut.
        let html = self.html.get(..=PAGE_BYTES).unwrap_or(self.html);
        let robots_txt = self.robots.map(str::to_owned);
        Ok(Supplied { status, headers, robots_txt, ..Supplied::page(url, html.to_vec()) }.capture(at))
    }
}

/// The report of a capture. `proves`: whether ready changes are proven and offered.
pub(crate) fn judged(capture: &Capture, proves: bool) -> Result<Report, PageFault> {
    let judge = || if proves { audit::report(capture) } else { audit::unproven_report(capture) };
    catch_unwind(AssertUnwindSafe(judge)).map_err(|_| PageFault::Defect)
}

/// The language of a tag: `en` or `pt-BR`.
pub(crate) fn language(tag: &str) -> PyResult<Lang> {
    Lang::from_tag(tag).ok_or_else(|| PyValueError::new_err(format!("lang: use \"en\" or \"pt-BR\", not {tag:?}")))
}

/// The time of the audit: that of a `datetime`, else now.
pub(crate) fn time(at: Option<&Bound<'_, PyAny>>) -> PyResult<Timestamp> {
    let Some(at) = at else { return Ok(now()) };
    let seconds: f64 = at.call_method0("timestamp")?.extract()?;
    // A datetime ends in the year 9999, so its milliseconds fit.
    Ok(Timestamp((seconds * 1000.0).round() as i64))
}

#[expect(clippy::disallowed_methods, reason = "the clock of the caller's program, where it names no time")]
fn now() -> Timestamp {
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    Timestamp(i64::try_from(since.as_millis()).unwrap_or(i64::MAX))
}
