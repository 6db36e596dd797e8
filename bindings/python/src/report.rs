//! The report of one page, and the catalog of checks, as Python reads them.

use audit::Page;
use audit::patch::{apply, apply_to_file};
use model::capture::Capture;
use model::lang::Lang;
use model::report::Report;
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyString};
use render::catalog::check::Explained;
use render::catalog::entries;
use render::format::{Format, PageOutcome, RequestedPages, TextStyle, pretty, render};
use serde::{Deserialize, Serialize};

use crate::failure::{AuditError, PageFault};
use crate::input::{PageInput, judged, language, time};

/// The report of an audited page. Immutable; can be pickled.
#[pyclass(frozen, name = "Report", module = "site_audit._core")]
#[derive(Debug)]
pub(crate) struct PythonReport {
    outcome: PageOutcome,
    /// What was audited, for the patch.
    capture: Capture,
    lang: Lang,
    /// The page was a `str`.
    is_text: bool,
}

/// A report as it is pickled.
#[derive(Serialize, Deserialize)]
struct PickledReport {
    report: Report,
    capture: Capture,
    lang: String,
    is_text: bool,
}

/// Audits a page, as `site-audit audit --html` does. Nothing is fetched.
#[pyfunction]
#[pyo3(name = "audit", signature = (html, url, headers=None, status=200, robots=None, lang="en", *, at=None))]
#[expect(clippy::too_many_arguments, reason = "the signature that Python sees")]
pub(crate) fn audit_page(
    py: Python<'_>,
    html: &Bound<'_, PyAny>,
    url: &str,
    headers: Option<&Bound<'_, PyAny>>,
    status: i64,
    robots: Option<&str>,
    lang: &str,
    at: Option<&Bound<'_, PyAny>>,
) -> PyResult<PythonReport> {
    let (lang, at) = (language(lang)?, time(at)?);
    let (text, bytes);
    let (html, is_text) = if let Ok(string) = html.cast::<PyString>() {
        text = string.to_cow()?;
        (text.as_bytes(), true)
    } else if let Ok(object) = html.cast::<PyBytes>() {
        bytes = object.as_bytes();
        (bytes, false)
    } else {
        return Err(PyTypeError::new_err("html: use bytes or str"));
    };
    let headers = headers.map(header_pairs).transpose()?;
    let input = PageInput { url, html, status: Some(status), headers, robots };
    let capture = input.capture(at).map_err(|fault| fault.exception(lang))?;
    let report = py.detach(|| judged(&capture, true)).map_err(|fault| fault.exception(lang))?;
    let outcome = PageOutcome { url: capture.requested_url.clone(), file: None, at, result: Ok(report) };
    Ok(PythonReport { outcome, capture, lang, is_text })
}

/// Headers as a mapping or as pairs.
fn header_pairs(headers: &Bound<'_, PyAny>) -> PyResult<Vec<(String, String)>> {
    let items = match headers.cast::<PyDict>() {
        Ok(mapping) => mapping.items().into_any(),
        Err(_) if headers.hasattr("items")? => headers.call_method0("items")?,
        Err(_) => headers.clone(),
    };
    items.try_iter()?.map(|item| item?.extract()).collect()
}

/// Every check of the catalog, as `site-audit checks --format json` lists them.
#[pyfunction]
#[pyo3(signature = (lang="en"))]
pub(crate) fn checks<'py>(py: Python<'py>, lang: &str) -> PyResult<Bound<'py, PyAny>> {
    let lang = language(lang)?;
    let text = py.detach(|| pretty(&entries().map(|entry| Explained::new(entry, lang)).collect::<Vec<_>>()));
    loads(py, &text.map_err(defect)?)
}

#[pymethods]
impl PythonReport {
    /// The URL of the page.
    #[getter]
    fn url(&self) -> PyResult<&str> {
        Ok(&self.report()?.url)
    }

    /// 0 to 100.
    #[getter]
    fn score(&self) -> PyResult<u32> {
        Ok(self.report()?.score)
    }

    /// Findings, most to least severe.
    #[getter]
    fn findings<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        to_python(py, &self.report()?.issues_in(self.lang))
    }

    /// One fix for each finding.
    #[getter]
    fn fixes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        to_python(py, &self.report()?.fixes_in(self.lang))
    }

    /// All fixes together.
    #[getter]
    fn patch<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        to_python(py, &self.report()?.patch.in_lang(self.lang))
    }

    /// What the page declares; `None` where it is not HTML.
    #[getter]
    fn summary<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        to_python(py, &self.report()?.summary.as_ref().map(|summary| summary.in_lang(self.lang)))
    }

    /// Findings per severity.
    #[getter]
    fn counts<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        to_python(py, &self.report()?.counts)
    }

    /// Which checks were measured, and why others were not.
    #[getter]
    fn coverage<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        to_python(py, &self.report()?.coverage)
    }

    /// The page with the patch applied, of the type that was audited.
    fn apply<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let report = self.report()?;
        if report.html_truncated {
            return Err(AuditError::new_err("the page is over the size limit: its patch can't be applied"));
        }
        let page = self.capture.page.response().map(|exchange| exchange.body.bytes.as_slice()).unwrap_or_default();
        let misfit = || AuditError::new_err("the patch has no place in the page");
        if self.is_text {
            let source = std::str::from_utf8(page).map_err(|_| misfit())?;
            let patched = py.detach(|| apply(source, &report.patch)).ok_or_else(misfit)?;
            return Ok(PyString::new(py, &patched).into_any());
        }
        let patched = py.detach(|| match Page::read(&self.capture).html {
            Some(html) => apply_to_file(&html, page, &report.patch),
            None => Some(page.to_vec()),
        });
        Ok(PyBytes::new(py, &patched.ok_or_else(misfit)?).into_any())
    }

    /// The report as `site-audit audit --html FILE --format json` prints it.
    fn to_json(&self, py: Python<'_>) -> PyResult<String> {
        py.detach(|| self.rendered(Format::Json))
    }

    /// The same as a dict.
    fn to_dict<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        loads(py, &self.to_json(py)?)
    }

    /// The report in a format: `text`, `json`, `markdown`, `csv`, `sarif` or `junit`.
    fn render(&self, py: Python<'_>, format: &str) -> PyResult<String> {
        let format = match format {
            "text" => Format::Text,
            "json" => Format::Json,
            "markdown" => Format::Markdown,
            "csv" => Format::Csv,
            "sarif" => Format::Sarif,
            "junit" => Format::Junit,
            other => return Err(PyValueError::new_err(format!("format: {other:?} is none of the formats"))),
        };
        py.detach(|| self.rendered(format))
    }

    fn __repr__(&self) -> PyResult<String> {
        let report = self.report()?;
        Ok(format!("<Report {:?} score={} findings={}>", report.url, report.score, report.findings.len()))
    }

    fn __eq__(&self, other: &Self) -> PyResult<bool> {
        Ok(self.report()? == other.report()? && self.outcome.at == other.outcome.at && self.lang == other.lang)
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, (Bound<'py, PyBytes>,))> {
        let pickled = PickledReport {
            report: self.report()?.clone(),
            capture: self.capture.clone(),
            lang: self.lang.tag().to_owned(),
            is_text: self.is_text,
        };
        let state = serde_json::to_vec(&pickled).map_err(defect)?;
        Ok((py.get_type::<Self>().getattr("_unpickled")?, (PyBytes::new(py, &state),)))
    }

    /// Reads what pickling wrote.
    #[staticmethod]
    fn _unpickled(state: &[u8]) -> PyResult<Self> {
        let PickledReport { report, capture, lang, is_text } =
            serde_json::from_slice(state).map_err(|error| PyValueError::new_err(error.to_string()))?;
        let (url, at) = (capture.requested_url.clone(), capture.started_at);
        let outcome = PageOutcome { url, file: None, at, result: Ok(report) };
        Ok(Self { outcome, capture, lang: language(&lang)?, is_text })
    }
}

impl PythonReport {
    fn report(&self) -> PyResult<&Report> {
        self.outcome.result.as_ref().map_err(|_| PageFault::Defect.exception(self.lang))
    }

    fn rendered(&self, format: Format) -> PyResult<String> {
        let outcomes = std::slice::from_ref(&self.outcome);
        render(format, outcomes, RequestedPages::Page, self.lang, TextStyle::Plain).map_err(defect)
    }
}

/// A value of the model as objects of Python.
fn to_python<'py>(py: Python<'py>, value: &impl Serialize) -> PyResult<Bound<'py, PyAny>> {
    loads(py, &serde_json::to_string(value).map_err(defect)?)
}

fn loads<'py>(py: Python<'py>, text: &str) -> PyResult<Bound<'py, PyAny>> {
    py.import("json")?.call_method1("loads", (text,))
}

fn defect(error: serde_json::Error) -> PyErr {
    AuditError::new_err(error.to_string())
}
