//! An answer with a report in the form that its reader asks for: whole, some fields, as much as fits a token budget, or a
//! document.

mod named;

use std::marker::PhantomData;

use audit::score;
use bytes::Bytes;
use model::change::Changed;
use model::finding::{Counts, Finding};
use model::fix::Fix;
use model::lang::{Lang, Text, text};
use model::report::{Report, StoredAudit};
use model::searchable::Searchable;
use model::tab::Snooze;
use model::time::Timestamp;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::Serialize;
use serde_json::{Map, Value};

use crate::operation::{CSV, IntoReply, MARKDOWN, Reply, ReportFormat, ReportWish, SARIF};
use render::format::{self, Format, PageOutcome, RequestedPages, TextStyle};
use service::error::{Code, ServiceError};
use service::tabs::without_snoozed;
use store::StoredReport;

pub(crate) use named::{NamedReading, name};

/// Bytes of JSON per token: measured with the usual tokenizers on our own reports, rounded up.
const BYTES_PER_TOKEN: usize = 4;
/// The field with the token of a guest that the call made.
const TOKEN: &str = "guest_token";
/// `Cache-Control` of a report: private, and revalidated each time.
pub(crate) const OWN: &str = "private, no-cache";
const JSON: &str = "application/json";

/// Fields of an excerpt, besides its findings and fixes: those that are short in every report.
const SHORT: [&str; 14] = [
    "id",
    "audit_id",
    "guest_token",
    "url",
    "searchable",
    "score",
    "counts",
    "created_at",
    "fixed",
    "broke",
    "revealed",
    "notCompared",
    "quota",
    "_links",
];

/// As many findings of a report as fit.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "AuditExcerpt")]
struct Excerpt {
    /// The same as `audit_id`.
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<Option<String>>,
    /// The audit; null if it was not stored, absent without one.
    #[serde(skip_serializing_if = "Option::is_none")]
    audit_id: Option<Option<String>>,
    /// Final audited URL.
    #[serde(skip_serializing_if = "Option::is_none")]
    url: Option<String>,
    /// Whether a search engine can show the page at all; absent in audits made before 2026-11-22.
    #[serde(skip_serializing_if = "Option::is_none")]
    searchable: Option<Searchable<String>>,
    score: u32,
    counts: Counts,
    #[serde(skip_serializing_if = "Option::is_none")]
    created_at: Option<Timestamp>,
    /// The most urgent findings: by what they block, then by points.
    issues: Vec<Finding<String>>,
    /// Their fixes, in the same order.
    fixes: Vec<Fix<String>>,
    /// Number of findings after these.
    remaining: usize,
    /// Asks for those, with the same `budget`: in this call, or in `GET /api/audits/{id}` after a call that makes an audit.
    /// Null after the last finding, and where nobody can read the audit again.
    cursor: Option<String>,
}

/// A report in an answer.
#[derive(Debug, Clone, Copy)]
pub struct Reported<'r> {
    /// The report, for a document; `None` where there is none, and no document of it either.
    pub report: Option<(&'r Report, Timestamp)>,
    /// The field of the answer that holds it; `None` where the answer is the report.
    pub within: Option<&'static str>,
    /// Whether the rest of an excerpt can be read.
    pub leads_on: bool,
    /// What changed since another audit, for a document that is read.
    pub comparison: Option<ChangesSince<'r>>,
}

/// What changed since an earlier audit.
#[derive(Debug, Clone, Copy)]
pub struct ChangesSince<'r> {
    /// Findings that are fixed.
    pub fixed: &'r [Changed],
    /// New ones.
    pub broke: &'r [Changed],
    /// Those that a fixed one had hidden.
    pub revealed: &'r [Changed],
}

impl<'r> Reported<'r> {
    /// An answer that is a report, whose rest can be read.
    pub fn whole(report: &'r Report, created_at: Timestamp) -> Self {
        Self { report: Some((report, created_at)), within: None, leads_on: true, comparison: None }
    }
}

/// An answer with a report, of which `T` is the whole.
#[derive(Debug)]
pub struct Reading<T> {
    media_type: &'static str,
    body: Bytes,
    whole: PhantomData<fn() -> T>,
}

impl<T: JsonSchema + 'static> IntoReply for Reading<T> {
    fn reply(self) -> Result<Reply, ServiceError> {
        Ok(Reply { media_type: self.media_type, speaks: true, ..Reply::json(self.body) })
    }

    fn describe(generator: &mut SchemaGenerator) -> (&'static str, Option<Schema>) {
        let (whole, excerpt) = (generator.subschema_for::<T>(), generator.subschema_for::<Excerpt>());
        let some = json_schema!({"type": "object", "description": "The fields that `fields` names."});
        ("application/json", Some(json_schema!({"anyOf": [whole, excerpt, some]})))
    }
}

impl<T: Serialize> Reading<T> {
    /// The answer in the form that was asked for. CPU-bound, in proportion to the report.
    pub fn of(answer: &T, reported: Reported<'_>, wish: &ReportWish, lang: Lang) -> Result<Self, ServiceError> {
        if wish.is_document() {
            let (report, at) = reported.report.ok_or_else(|| ServiceError::new(Code::AuditNotFound))?;
            let format = wish.format.unwrap_or_default();
            let (media_type, mut body) = document(report, at, format, lang)?;
            if let (ReportFormat::Markdown, Some(compared)) = (format, reported.comparison) {
                let ChangesSince { fixed, broke, revealed } = compared;
                let more = format::comparison(fixed, broke, revealed, lang);
                body = [&body[..], more.as_bytes()].concat().into();
            }
            return Ok(Self { media_type, body, whole: PhantomData });
        }
        let body = if wish.has_parts() {
            let answer = serde_json::to_value(answer).map_err(|error| unwritten(&error))?;
            parts(answer, reported, wish)?.to_string().into()
        } else {
            serde_json::to_vec(answer).map_err(|error| unwritten(&error))?.into()
        };
        Ok(Self { media_type: JSON, body, whole: PhantomData })
    }
}

/// A stored audit in the form that was asked for. `snoozes`: what its owner has put off.
pub fn stored(
    audit: &StoredReport,
    snoozes: &[Snooze],
    wish: &ReportWish,
    lang: Lang,
) -> Result<Reading<StoredAudit>, ServiceError> {
    let answer = without_snoozed(audit.stored_audit(lang), snoozes);
    Reading::of(&answer, Reported::whole(&audit.report, audit.created_at), wish, lang)
}

/// A report as a document, with its media type; as JSON it is none.
pub fn document(
    report: &Report,
    at: Timestamp,
    format: ReportFormat,
    lang: Lang,
) -> Result<(&'static str, Bytes), ServiceError> {
    let (media_type, format) = match format {
        ReportFormat::Json => (JSON, Format::Json),
        ReportFormat::Markdown => (MARKDOWN, Format::Markdown),
        ReportFormat::Csv => (CSV, Format::Csv),
        ReportFormat::Sarif => (SARIF, Format::Sarif),
    };
    let outcome = PageOutcome { url: report.url.clone(), file: None, at, result: Ok(report.clone()) };
    let written = format::render(format, &[outcome], RequestedPages::Page, lang, TextStyle::Plain);
    Ok((media_type, written.map_err(|error| unwritten(&error))?.into()))
}

fn unwritten(error: &serde_json::Error) -> ServiceError {
    tracing::error!(%error, "a response could not be stored");
    ServiceError::new(Code::Internal)
}

/// The parts of an answer that were asked for.
fn parts(mut answer: Value, reported: Reported<'_>, wish: &ReportWish) -> Result<Value, ServiceError> {
    let report = match reported.within {
        Some(field) => answer.get_mut(field),
        None => Some(&mut answer),
    };
    if let (Some(tokens), Some(Value::Object(report))) = (wish.budget, report) {
        excerpt(report, tokens, wish.cursor.as_deref(), reported)?;
    }
    let Some(fields) = &wish.fields else { return Ok(answer) };
    // Without these a caller could not go on: who made the audit, which it is, and where the rest begins.
    let mut wanted: Vec<String> = fields.split(',').map(str::to_owned).collect();
    if answer.get(TOKEN).is_some_and(Value::is_string) {
        wanted.extend(["id", TOKEN].map(str::to_owned));
    }
    if wish.budget.is_some() {
        let within = reported.within.map(|field| format!("{field}.")).unwrap_or_default();
        wanted.extend(["remaining", "cursor"].map(|name| format!("{within}{name}")));
    }
    Ok(only(&answer, &wanted.join(",")))
}

/// Leaves as many findings with their fixes in a report as fit, from where the answer before ended.
fn excerpt(
    report: &mut Map<String, Value>,
    tokens: u32,
    cursor: Option<&str>,
    reported: Reported<'_>,
) -> Result<(), ServiceError> {
    const NO_PLACE: Text = text("cursor: is not a cursor of this report", "cursor: não é um cursor deste relatório");
    let (issues, fixes) = (report.remove("issues").unwrap_or_default(), report.remove("fixes").unwrap_or_default());
    let issues: Vec<Finding<String>> = serde_json::from_value(issues).map_err(|error| unwritten(&error))?;
    let fixes: Vec<Fix<String>> = serde_json::from_value(fixes).map_err(|error| unwritten(&error))?;
    let all: Vec<(&Finding<String>, &Fix<String>)> = score::most_urgent(&issues, &fixes).collect();
    let begin = match cursor {
        None => 0,
        Some(cursor) => {
            let place = cursor.parse().ok().filter(|place| *place < all.len() && *place > 0);
            place.ok_or_else(|| ServiceError::new(Code::InvalidParameter).explained(NO_PLACE.into()))?
        }
    };
    report.retain(|name, _| SHORT.contains(&name.as_str()));
    if let (Some((read, _)), None) = (reported.report, report.get("url")) {
        report.insert("url".to_owned(), read.url.clone().into());
    }
    let most = usize::try_from(tokens).unwrap_or(usize::MAX).saturating_mul(BYTES_PER_TOKEN);
    // As long as what is written below, before its first finding.
    let rest = serde_json::json!({"issues": [], "fixes": [], "remaining": all.len(), "cursor": all.len().to_string()});
    let mut taken = length(report)?.saturating_add(length(&rest)?);
    let (mut shown, mut fixes_shown) = (Vec::new(), Vec::new());
    for (finding, fix) in all.iter().skip(begin) {
        // With a comma each.
        taken = taken.saturating_add(length(finding)?).saturating_add(length(fix)?).saturating_add(2);
        if taken > most && !shown.is_empty() {
            break;
        }
        shown.push(finding);
        fixes_shown.push(fix);
    }
    let end = begin + shown.len();
    let cursor = (end < all.len() && reported.leads_on).then(|| end.to_string());
    let more =
        serde_json::json!({"issues": shown, "fixes": fixes_shown, "remaining": all.len() - end, "cursor": cursor});
    if let Value::Object(more) = more {
        report.extend(more);
    }
    Ok(())
}

/// Bytes of a value as JSON.
fn length(value: &impl Serialize) -> Result<usize, ServiceError> {
    serde_json::to_vec(value).map(|written| written.len()).map_err(|error| unwritten(&error))
}

/// The named fields of an object, those of them that it has.
pub(crate) fn only(value: &Value, fields: &str) -> Value {
    let mut out = Value::Object(Map::new());
    for field in fields.split(',').map(str::trim) {
        let path: Vec<&str> = field.split('.').collect();
        take(value, &path, &mut out);
    }
    out
}

/// Copies what is at a path, through every item of a list. Twice the same list is one list with both fields.
fn take(from: &Value, path: &[&str], to: &mut Value) {
    let Some((name, rest)) = path.split_first() else {
        *to = from.clone();
        return;
    };
    match from {
        Value::Object(fields) => {
            let Some(inner) = fields.get(*name) else { return };
            if !to.is_object() {
                *to = Value::Object(Map::new());
            }
            if let Value::Object(out) = to {
                take(inner, rest, out.entry((*name).to_owned()).or_insert(Value::Null));
            }
        }
        Value::Array(items) => {
            if !to.is_array() {
                *to = Value::Array(vec![Value::Object(Map::new()); items.len()]);
            }
            for (item, out) in items.iter().zip(to.as_array_mut().into_iter().flatten()) {
                take(item, path, out);
            }
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn fields_are_taken_by_their_path() {
        let value = json!({"score": 1, "issues": [{"code": "a", "message": "b"}, {"code": "c", "message": "d"}], "summary": {"title": "t", "h1s": []}});
        for (fields, wanted) in [
            ("score", json!({"score": 1})),
            ("issues.code", json!({"issues": [{"code": "a"}, {"code": "c"}]})),
            ("issues.code, issues.message,score", json!({"issues": value["issues"], "score": 1})),
            ("summary.title,summary.nothing", json!({"summary": {"title": "t"}})),
            ("score.x", json!({"score": null})),
            ("nothing,score", json!({"score": 1})),
        ] {
            assert_eq!(only(&value, fields), wanted, "{fields}");
        }
    }
}
