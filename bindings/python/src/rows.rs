//! The rows that an audit of a table gives: one for each page, in the order of the pages.

use std::sync::Arc;

use arrow_array::builder::{Int32Builder, StringBuilder};
use arrow_array::{ArrayRef, ListArray, RecordBatch, StructArray};
use arrow_buffer::OffsetBuffer;
use arrow_schema::{ArrowError, DataType, Field, Fields, Schema, SchemaRef};
use model::finding::Severity;
use model::fix::FixClass;
use model::lang::Lang;
use model::report::Report;

use crate::failure::PageFault;

/// What is kept of an audited page.
#[derive(Debug)]
pub(crate) struct AuditedRow {
    pub(crate) url: String,
    pub(crate) status: Option<i32>,
    pub(crate) outcome: Result<RowReport, PageFault>,
}

/// The report of a page, as its row tells it.
#[derive(Debug)]
pub(crate) struct RowReport {
    pub(crate) score: u32,
    searchable: Option<&'static str>,
    findings: Vec<RowFinding>,
    /// As JSON, where it is wanted.
    json: Option<String>,
}

#[derive(Debug)]
struct RowFinding {
    code: String,
    severity: Severity,
    impact: Option<&'static str>,
    points: i32,
    message: String,
    line: Option<i32>,
    selector: Option<String>,
    snippet: Option<String>,
    fix: Option<&'static str>,
}

impl RowReport {
    pub(crate) fn of(report: &Report, lang: Lang, json: Option<String>) -> Self {
        // Findings and fixes stand in the same order, one for one.
        let pairs = report.findings.iter().zip(&report.fixes);
        let finding = |(finding, fix): (&model::finding::Finding, &model::fix::Fix)| {
            let place = finding.evidence.first();
            RowFinding {
                code: finding.code.clone(),
                severity: finding.severity,
                impact: finding.impact.map(|impact| impact.word()),
                points: finding.points,
                message: finding.message.in_lang(lang).to_owned(),
                line: place.and_then(|place| i32::try_from(place.line?).ok()),
                selector: place.and_then(|place| place.selector.clone()),
                snippet: place.and_then(|place| place.snippet.clone()),
                fix: (fix.code == finding.code).then_some(match fix.class {
                    FixClass::Deterministic => "ready",
                    FixClass::Template => "template",
                    FixClass::Instruction => "decision",
                }),
            }
        };
        Self {
            score: report.score,
            searchable: report.searchable.as_ref().map(|searchable| searchable.state.word()),
            findings: pairs.map(finding).collect(),
            json,
        }
    }

    fn count(&self, severity: Severity) -> i32 {
        let count = self.findings.iter().filter(|finding| finding.severity == severity).count();
        i32::try_from(count).unwrap_or(i32::MAX)
    }
}

/// The fields of a finding.
fn finding_fields() -> Fields {
    let text = |name: &str| Field::new(name, DataType::Utf8, true);
    Fields::from(vec![
        text("code"),
        text("severity"),
        text("impact"),
        Field::new("points", DataType::Int32, true),
        text("message"),
        Field::new("line", DataType::Int32, true),
        text("selector"),
        text("snippet"),
        text("fix"),
    ])
}

fn finding_item() -> Arc<Field> {
    Arc::new(Field::new_struct("item", finding_fields(), true))
}

/// The columns of audited rows. `report`: with the whole report as JSON.
pub(crate) fn schema(report: bool) -> SchemaRef {
    let number = |name: &str| Field::new(name, DataType::Int32, true);
    let mut fields = vec![
        Field::new("url", DataType::Utf8, true),
        number("status"),
        number("score"),
        Field::new("searchable", DataType::Utf8, true),
        number("errors"),
        number("warnings"),
        number("notes"),
        Field::new("findings", DataType::List(finding_item()), true),
    ];
    if report {
        fields.push(Field::new("report", DataType::Utf8, true));
    }
    fields.push(Field::new("error", DataType::Utf8, true));
    Arc::new(Schema::new(fields))
}

/// Rows as a batch of [`schema`].
pub(crate) fn batch(rows: &[AuditedRow], lang: Lang, report: bool) -> Result<RecordBatch, ArrowError> {
    let (mut url, mut status) = (StringBuilder::new(), Int32Builder::new());
    let (mut score, mut searchable) = (Int32Builder::new(), StringBuilder::new());
    let mut counts = [Int32Builder::new(), Int32Builder::new(), Int32Builder::new()];
    let (mut json, mut error) = (StringBuilder::new(), StringBuilder::new());
    for row in rows {
        url.append_value(&row.url);
        status.append_option(row.status);
        let audited = row.outcome.as_ref().ok();
        score.append_option(audited.and_then(|audited| i32::try_from(audited.score).ok()));
        searchable.append_option(audited.and_then(|audited| audited.searchable));
        for (count, severity) in counts.iter_mut().zip([Severity::Error, Severity::Warn, Severity::Info]) {
            count.append_option(audited.map(|audited| audited.count(severity)));
        }
        json.append_option(audited.and_then(|audited| audited.json.as_deref()));
        error.append_option(row.outcome.as_ref().err().map(|unaudited| unaudited.message(lang)));
    }
    let [mut errors, mut warnings, mut notes] = counts;
    let mut columns: Vec<ArrayRef> = vec![
        Arc::new(url.finish()),
        Arc::new(status.finish()),
        Arc::new(score.finish()),
        Arc::new(searchable.finish()),
        Arc::new(errors.finish()),
        Arc::new(warnings.finish()),
        Arc::new(notes.finish()),
        findings(rows)?,
    ];
    if report {
        columns.push(Arc::new(json.finish()));
    }
    columns.push(Arc::new(error.finish()));
    RecordBatch::try_new(schema(report), columns)
}

/// The findings of all rows as lists; a page without a report has an empty one.
fn findings(rows: &[AuditedRow]) -> Result<ArrayRef, ArrowError> {
    let lists = || rows.iter().map(|row| row.outcome.as_ref().map_or(&[][..], |audited| &audited.findings));
    let (mut points, mut line) = (Int32Builder::new(), Int32Builder::new());
    let [mut code, mut severity, mut impact, mut message, mut selector, mut snippet, mut fix] =
        std::array::from_fn(|_| StringBuilder::new());
    for finding in lists().flatten() {
        code.append_value(&finding.code);
        severity.append_value(finding.severity.word());
        impact.append_option(finding.impact);
        points.append_value(finding.points);
        message.append_value(&finding.message);
        line.append_option(finding.line);
        selector.append_option(finding.selector.as_deref());
        snippet.append_option(finding.snippet.as_deref());
        fix.append_option(finding.fix);
    }
    let columns: Vec<ArrayRef> = vec![
        Arc::new(code.finish()),
        Arc::new(severity.finish()),
        Arc::new(impact.finish()),
        Arc::new(points.finish()),
        Arc::new(message.finish()),
        Arc::new(line.finish()),
        Arc::new(selector.finish()),
        Arc::new(snippet.finish()),
        Arc::new(fix.finish()),
    ];
    let values = StructArray::try_new(finding_fields(), columns, None)?;
    let offsets = OffsetBuffer::from_lengths(lists().map(<[RowFinding]>::len));
    Ok(Arc::new(ListArray::try_new(finding_item(), offsets, Arc::new(values), None)?))
}
