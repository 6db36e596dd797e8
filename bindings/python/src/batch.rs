//! Audits of tables of pages: some rows at a time, on several threads, without the lock of the interpreter.

use std::collections::VecDeque;
use std::num::NonZero;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use arrow_array::ffi_stream::RecordBatchStreamReader;
use arrow_array::{RecordBatch, RecordBatchReader};
use arrow_pyarrow::{FromPyArrow as _, IntoPyArrow as _, PyArrowType, Table};
use arrow_schema::{ArrowError, Schema, SchemaRef};
use audit::supplied::URL_BYTES;
use model::lang::Lang;
use model::time::Timestamp;
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use render::format::{Format, PageOutcome, RequestedPages, TextStyle, render};

use crate::columns::PageColumns;
use crate::failure::{PageFault, arrow_error};
use crate::input::{judged, language, time};
use crate::rows::{self, AuditedRow, RowReport};

/// Rows that are audited before the next are taken, and of one batch of the result. Chosen: some seconds of work of one thread, and a
/// bound on what is held.
const ROWS_AT_ONCE: usize = 128;
/// Most threads of one call. Chosen: above the processors of any usual machine.
const MOST_THREADS: usize = 256;

/// How pages are audited.
#[derive(Debug, Clone, Copy)]
struct BatchSettings {
    lang: Lang,
    /// Ready changes are proven and offered.
    fixes: bool,
    /// With the whole report of each page.
    report: bool,
    threads: usize,
    at: Timestamp,
}

/// Audits a table of pages and returns a table with a row for each.
#[pyfunction]
#[pyo3(signature = (pages, *, lang="en", fixes=false, report=false, threads=None, at=None))]
pub(crate) fn audit_batch<'py>(
    py: Python<'py>,
    pages: &Bound<'py, PyAny>,
    lang: &str,
    fixes: bool,
    report: bool,
    threads: Option<usize>,
    at: Option<&Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyAny>> {
    let mut batches = AuditedBatches::begin(pages, settings(lang, fixes, report, threads, at)?)?;
    let mut results = Vec::new();
    while let Some(batch) = py.detach(|| batches.next()) {
        results.push(batch.map_err(|error| arrow_error(&error))?);
        // So that Ctrl-C ends a long table.
        py.check_signals()?;
    }
    Table::try_new(results, batches.schema()).map_err(|error| arrow_error(&error))?.into_pyarrow(py)
}

/// Audits pages as they are read, with as much memory for many as for few.
#[pyfunction]
#[pyo3(signature = (pages, *, lang="en", fixes=false, report=false, threads=None, at=None))]
pub(crate) fn audit_batches<'py>(
    py: Python<'py>,
    pages: &Bound<'py, PyAny>,
    lang: &str,
    fixes: bool,
    report: bool,
    threads: Option<usize>,
    at: Option<&Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyAny>> {
    let batches = AuditedBatches::begin(pages, settings(lang, fixes, report, threads, at)?)?;
    let reader: Box<dyn RecordBatchReader + Send> = Box::new(batches);
    reader.into_pyarrow(py)
}

/// The schema of audited tables.
#[pyfunction]
#[pyo3(signature = (*, report=false))]
pub(crate) fn batch_schema(report: bool) -> PyArrowType<Schema> {
    PyArrowType(rows::schema(report).as_ref().clone())
}

fn settings(
    lang: &str,
    fixes: bool,
    report: bool,
    threads: Option<usize>,
    at: Option<&Bound<'_, PyAny>>,
) -> PyResult<BatchSettings> {
    let threads = match threads {
        Some(0) => return Err(PyValueError::new_err("threads: use 1 or more")),
        Some(threads) => threads,
        None => thread::available_parallelism().map_or(1, NonZero::get),
    };
    Ok(BatchSettings { lang: language(lang)?, fixes, report, threads: threads.min(MOST_THREADS), at: time(at)? })
}

/// Batches of pages, each audited when it is asked for.
struct AuditedBatches {
    input: PageStream,
    settings: BatchSettings,
    /// Of the batch that was read last: its columns, and its first row that is not audited.
    columns: Option<(PageColumns, usize)>,
}

/// Where pages come from.
enum PageStream {
    Stream(RecordBatchStreamReader),
    Batches(VecDeque<RecordBatch>),
}

impl AuditedBatches {
    fn begin(pages: &Bound<'_, PyAny>, settings: BatchSettings) -> PyResult<Self> {
        let input = if pages.hasattr("__arrow_c_stream__")? {
            PageStream::Stream(RecordBatchStreamReader::from_pyarrow_bound(pages)?)
        } else if pages.hasattr("__arrow_c_array__")? {
            PageStream::Batches(VecDeque::from([RecordBatch::from_pyarrow_bound(pages)?]))
        } else {
            return Err(PyTypeError::new_err("pages: use a table, a record batch or a reader of Arrow"));
        };
        let schema = match &input {
            PageStream::Stream(stream) => stream.schema(),
            PageStream::Batches(batches) => batches.front().map_or_else(|| Schema::empty().into(), RecordBatch::schema),
        };
        // A table without rows has to have its columns too.
        PageColumns::of(&RecordBatch::new_empty(schema)).map_err(|error| arrow_error(&error))?;
        Ok(Self { input, settings, columns: None })
    }

    /// The next rows, audited; `None` at the end.
    fn advance(&mut self) -> Result<Option<RecordBatch>, ArrowError> {
        loop {
            if let Some((columns, begin)) = &mut self.columns
                && *begin < columns.rows()
            {
                let end = columns.rows().min(*begin + ROWS_AT_ONCE);
                let audited = audited(columns, *begin..end, self.settings);
                *begin = end;
                return rows::batch(&audited, self.settings.lang, self.settings.report).map(Some);
            }
            self.columns = None;
            let batch = match &mut self.input {
                PageStream::Stream(stream) => stream.next().transpose()?,
                PageStream::Batches(batches) => batches.pop_front(),
            };
            let Some(batch) = batch else { return Ok(None) };
            self.columns = Some((PageColumns::of(&batch)?, 0));
        }
    }
}

impl Iterator for AuditedBatches {
    type Item = Result<RecordBatch, ArrowError>;

    /// Never panics: behind the C interface of streams that would end the process.
    fn next(&mut self) -> Option<Self::Item> {
        let advanced = catch_unwind(AssertUnwindSafe(|| self.advance()));
        advanced
            .unwrap_or_else(|_| Err(ArrowError::ComputeError(PageFault::Defect.message(self.settings.lang))))
            .transpose()
    }
}

impl RecordBatchReader for AuditedBatches {
    fn schema(&self) -> SchemaRef {
        rows::schema(self.settings.report)
    }
}

/// Rows of a batch, in their order. This thread works too, so that a system without room for more threads only takes longer.
fn audited(columns: &PageColumns, range: std::ops::Range<usize>, settings: BatchSettings) -> Vec<AuditedRow> {
    let next = AtomicUsize::new(range.start);
    let work = || {
        let mut done = Vec::new();
        loop {
            let row = next.fetch_add(1, Ordering::Relaxed);
            if row >= range.end {
                return done;
            }
            done.push((row, audited_row(columns, row, settings)));
        }
    };
    let mut done = thread::scope(|scope| {
        let others = settings.threads.min(range.len()).saturating_sub(1);
        let helpers: Vec<_> =
            (0..others).map_while(|_| thread::Builder::new().spawn_scoped(scope, work).ok()).collect();
        let mut done = work();
        for helper in helpers {
            // A row that is missing would shift all that follow: Python hears of the defect instead.
            done.extend(helper.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
        }
        done
    });
    done.sort_unstable_by_key(|(row, _)| *row);
    done.into_iter().map(|(_, audited)| audited).collect()
}

fn audited_row(columns: &PageColumns, row: usize, settings: BatchSettings) -> AuditedRow {
    let url = columns.url(row);
    let outcome = catch_unwind(AssertUnwindSafe(|| row_report(columns, row, settings)));
    AuditedRow {
        // A longer one is refused, and this bounds what is told of it.
        url: url.get(..url.floor_char_boundary(URL_BYTES)).unwrap_or_default().to_owned(),
        status: columns.status(row).and_then(|status| i32::try_from(status).ok()),
        outcome: outcome.unwrap_or(Err(PageFault::Defect)),
    }
}

fn row_report(columns: &PageColumns, row: usize, settings: BatchSettings) -> Result<RowReport, PageFault> {
    let BatchSettings { lang, fixes, report: whole, at, .. } = settings;
    let capture = columns.page(row)?.capture(at)?;
    let report = judged(&capture, fixes)?;
    if !whole {
        return Ok(RowReport::of(&report, lang, None));
    }
    let outcome = PageOutcome { url: capture.requested_url, file: None, at, result: Ok(report) };
    let json = render(Format::Json, std::slice::from_ref(&outcome), RequestedPages::Page, lang, TextStyle::Plain);
    let json = json.map_err(|_| PageFault::Defect)?;
    let report = outcome.result.map_err(|_| PageFault::Defect)?;
    Ok(RowReport::of(&report, lang, Some(json)))
}
