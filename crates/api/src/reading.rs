//! A stored audit in the form that the reader asks for: whole, some fields, as much as fits a token budget, or a document.

use audit::score;
use bytes::Bytes;
use model::finding::{Counts, Finding};
use model::fix::Fix;
use model::lang::{Lang, Text, text};
use model::report::StoredAudit;
use model::searchable::Searchable;
use model::time::Timestamp;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use store::StoredReport;

use crate::operation::{IntoReply, OtherForm, Reply};
use render::format::{self, Format, PageOutcome, RequestedPages, TextStyle};
use service::error::{Code, ServiceError};

/// Bytes of JSON per token: measured with the usual tokenizers on our own reports, rounded up.
const BYTES_PER_TOKEN: usize = 4;
/// Names in `fields`.
const MOST_FIELDS: usize = 64;
/// `Cache-Control` of a report: private, and revalidated each time.
pub(crate) const OWN: &str = "private, no-cache";

/// Formats of an audit besides JSON.
pub(crate) const FORMS: &[OtherForm] = &[
    OtherForm { name: "markdown", media_type: MARKDOWN },
    OtherForm { name: "csv", media_type: CSV },
    OtherForm { name: "sarif", media_type: SARIF },
];
const JSON: &str = "application/json";
const MARKDOWN: &str = "text/markdown; charset=utf-8";
/// RFC 7111 §4.1.
const CSV: &str = "text/csv; charset=utf-8; header=present";
const SARIF: &str = "application/sarif+json";

/// Which audit, and how.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct ReadAudit {
    /// The `id` that the audit was answered with.
    pub id: String,
    /// `markdown`, `csv` or `sarif` instead of JSON; `Accept: text/markdown`, `text/csv` and `application/sarif+json` ask
    /// for the same.
    #[serde(default)]
    format: Option<ReportFormat>,
    /// Only these fields, separated by commas; `issues.code` takes one field of each finding.
    #[serde(default)]
    fields: Option<String>,
    /// About so many tokens of an answer: the most urgent findings come first, by what they block and then by points, and
    /// `cursor` leads to the rest. At least one finding comes.
    #[serde(default)]
    #[schemars(range(min = 1))]
    budget: Option<u32>,
    /// Where the answer before ended; goes with `budget`.
    #[serde(default)]
    cursor: Option<String>,
}

/// A form of a report.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum ReportFormat {
    /// The stored audit.
    #[default]
    Json,
    /// For a note or a model.
    Markdown,
    /// A row for each finding, for a spreadsheet.
    Csv,
    /// SARIF 2.1.0, for code scanning.
    Sarif,
}

/// As many findings of an audit as fit.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "AuditExcerpt")]
struct Excerpt {
    audit_id: String,
    url: String,
    /// Whether a search engine can show the page at all; absent in audits made before 2026-11-22.
    #[serde(skip_serializing_if = "Option::is_none")]
    searchable: Option<Searchable<String>>,
    score: u32,
    counts: Counts,
    created_at: Timestamp,
    /// The most urgent findings: by what they block, then by points.
    issues: Vec<Finding<String>>,
    /// Their fixes, in the same order.
    fixes: Vec<Fix<String>>,
    /// Findings that come after these.
    remaining: usize,
    /// Asks for those; null after the last.
    cursor: Option<String>,
}

/// An audit, read.
#[derive(Debug)]
pub struct Reading {
    media_type: &'static str,
    body: Bytes,
}

impl IntoReply for Reading {
    fn reply(self) -> Result<Reply, ServiceError> {
        Ok(Reply { media_type: self.media_type, speaks: true, ..Reply::json(self.body) })
    }

    fn describe(generator: &mut SchemaGenerator) -> (&'static str, Option<Schema>) {
        let (whole, excerpt) = (generator.subschema_for::<StoredAudit>(), generator.subschema_for::<Excerpt>());
        let some = json_schema!({"type": "object", "description": "The fields that `fields` names."});
        ("application/json", Some(json_schema!({"anyOf": [whole, excerpt, some]})))
    }
}

/// The audit in the form that was asked for. CPU-bound, in proportion to the report.
pub fn read(stored: &StoredReport, request: &ReadAudit, lang: Lang) -> Result<Reading, ServiceError> {
    const PARTS: Text = text(
        "format: fields, budget and cursor go with json only",
        "format: fields, budget e cursor só valem para json",
    );
    const NO_BUDGET: Text = text("cursor: goes with budget", "cursor: vale junto com budget");
    let format = request.format.unwrap_or_default();
    let has_parts = request.fields.is_some() || request.budget.is_some() || request.cursor.is_some();
    if format != ReportFormat::Json && has_parts {
        return Err(refused(PARTS));
    }
    if request.cursor.is_some() && request.budget.is_none() {
        return Err(refused(NO_BUDGET));
    }
    if has_parts {
        return Ok(Reading { media_type: JSON, body: in_parts(stored, request, lang)?.into() });
    }
    whole(stored, format, lang)
}

/// The whole audit in a form.
pub fn whole(stored: &StoredReport, format: ReportFormat, lang: Lang) -> Result<Reading, ServiceError> {
    let (media_type, format) = match format {
        ReportFormat::Json => {
            let body = serde_json::to_vec(&stored.stored_audit(lang)).map_err(|error| unwritten(&error))?;
            return Ok(Reading { media_type: JSON, body: body.into() });
        }
        ReportFormat::Markdown => (MARKDOWN, Format::Markdown),
        ReportFormat::Csv => (CSV, Format::Csv),
        ReportFormat::Sarif => (SARIF, Format::Sarif),
    };
    let report = stored.report.clone();
    let outcome = PageOutcome { url: report.url.clone(), file: None, at: stored.created_at, result: Ok(report) };
    let written = format::render(format, &[outcome], RequestedPages::Page, lang, TextStyle::Plain);
    Ok(Reading { media_type, body: written.map_err(|error| unwritten(&error))?.into() })
}

fn refused(why: Text) -> ServiceError {
    ServiceError::new(Code::InvalidParameter).explained(why.into())
}

fn unwritten(error: &serde_json::Error) -> ServiceError {
    tracing::error!(%error, "an answer could not be written");
    ServiceError::new(Code::Internal)
}

fn in_parts(stored: &StoredReport, request: &ReadAudit, lang: Lang) -> Result<String, ServiceError> {
    let whole = stored.stored_audit(lang);
    let mut value = match request.budget {
        Some(tokens) => serde_json::to_value(excerpt(whole, tokens, request.cursor.as_deref())?),
        None => serde_json::to_value(whole),
    }
    .map_err(|error| unwritten(&error))?;
    if let Some(fields) = &request.fields {
        value = only(&value, fields)?;
    }
    Ok(value.to_string())
}

/// As many findings with their fixes as fit, from where the answer before ended.
fn excerpt(whole: StoredAudit, tokens: u32, cursor: Option<&str>) -> Result<Excerpt, ServiceError> {
    const NO_TOKENS: Text = text("budget: takes a number of at least 1", "budget: recebe um número de pelo menos 1");
    const NO_PLACE: Text = text("cursor: no answer ended there", "cursor: nenhuma resposta terminou ali");
    if tokens == 0 {
        return Err(refused(NO_TOKENS));
    }
    let all: Vec<(&Finding<String>, &Fix<String>)> = score::most_urgent(&whole.issues, &whole.fixes).collect();
    let begin = match cursor {
        None => 0,
        Some(cursor) => {
            let place = cursor.parse().ok().filter(|place| *place < all.len() && *place > 0);
            place.ok_or_else(|| refused(NO_PLACE))?
        }
    };
    let mut out = Excerpt {
        audit_id: whole.audit_id.clone(),
        url: whole.url.clone(),
        searchable: whole.searchable.clone(),
        score: whole.score,
        counts: whole.counts,
        created_at: whole.created_at,
        issues: Vec::new(),
        fixes: Vec::new(),
        remaining: 0,
        cursor: None,
    };
    let most = usize::try_from(tokens).unwrap_or(usize::MAX).saturating_mul(BYTES_PER_TOKEN);
    let mut taken = length(&out)?;
    let count = all.len();
    for (finding, fix) in all.into_iter().skip(begin) {
        taken = taken.saturating_add(length(finding)?).saturating_add(length(fix)?);
        if taken > most && !out.issues.is_empty() {
            break;
        }
        out.issues.push(finding.clone());
        out.fixes.push(fix.clone());
    }
    let end = begin + out.issues.len();
    out.remaining = count - end;
    out.cursor = (end < count).then(|| end.to_string());
    Ok(out)
}

/// Bytes of a value as JSON.
fn length(value: &impl Serialize) -> Result<usize, ServiceError> {
    serde_json::to_vec(value).map(|written| written.len()).map_err(|error| unwritten(&error))
}

/// The named fields of an object.
fn only(value: &Value, fields: &str) -> Result<Value, ServiceError> {
    const UNKNOWN: Text = text("fields: there is no {name}; there are {known}", "fields: não há {name}; há {known}");
    const TOO_MANY: Text = text("fields: there are too many", "fields: há campos demais");
    let known: Vec<&str> = value.as_object().into_iter().flatten().map(|(name, _)| name.as_str()).collect();
    let mut out = Value::Object(Map::new());
    for (count, field) in fields.split(',').map(str::trim).enumerate() {
        if count == MOST_FIELDS {
            return Err(refused(TOO_MANY));
        }
        let path: Vec<&str> = field.split('.').collect();
        if !path.first().is_some_and(|name| known.contains(name)) {
            let shown: String = field.chars().take(MOST_FIELDS).collect();
            let why = UNKNOWN.phrase(&[("name", shown.into()), ("known", known.join(", ").into())]);
            return Err(ServiceError::new(Code::InvalidParameter).explained(why));
        }
        take(value, &path, &mut out);
    }
    Ok(out)
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
        ] {
            assert_eq!(only(&value, fields).unwrap(), wanted, "{fields}");
        }
        for wrong in ["", "x", "score,", "issues.code,x.y", &"score,".repeat(65)] {
            assert_eq!(only(&value, wrong).unwrap_err().code, Code::InvalidParameter, "{wrong}");
        }
    }
}
