//! JSON: stored audits with their patches, as the API answers them.

use model::id::AuditId;
use model::lang::Lang;
use serde_json::{Map, Value};

use super::outcome::PageOutcome;
use crate::shown::acts_on_a_terminal;

/// Whether one page or a list was requested: a list is an array even of one page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RequestedPages {
    /// One page.
    Page,
    /// A list of pages, however many are on it.
    List,
}

/// A page is an object, a list an array of them, in the order in which they were asked for.
pub(super) fn render(outcomes: &[PageOutcome], pages: RequestedPages, lang: Lang) -> serde_json::Result<String> {
    let values = outcomes.iter().map(|outcome| object(outcome, lang)).collect::<Result<Vec<_>, _>>()?;
    match (pages, values.as_slice()) {
        (RequestedPages::Page, [one]) => pretty(one),
        (_, all) => pretty(&all),
    }
}

/// A stored audit with its patch; or the API's refusal with the address it is about.
fn object(outcome: &PageOutcome, lang: Lang) -> serde_json::Result<Value> {
    let report = match &outcome.result {
        Ok(report) => report,
        Err(error) => {
            let mut fields = Map::from_iter([("url".to_owned(), outcome.url.as_str().into())]);
            fields.extend(error.fields(lang).clone());
            return Ok(Value::Object(fields));
        }
    };
    let mut value = serde_json::to_value(report.stored_audit(&AuditId(String::new()), outcome.at, None, lang))?;
    if let Some(fields) = value.as_object_mut() {
        // Nothing was stored, so there is nothing to name.
        fields.insert("audit_id".to_owned(), Value::Null);
        fields.insert("id".to_owned(), Value::Null);
        fields.insert("patch".to_owned(), serde_json::to_value(report.patch.in_lang(lang))?);
    }
    Ok(value)
}

/// Pretty-printed JSON that is safe to print on a terminal: control characters are escaped.
pub fn pretty(value: &impl serde::Serialize) -> serde_json::Result<String> {
    serde_json::to_string_pretty(value).map(|text| harmless(&text))
}

/// JSON on one line that is safe to print on a terminal.
pub(crate) fn compact(value: &impl serde::Serialize) -> serde_json::Result<String> {
    serde_json::to_string(value).map(|text| harmless(&text))
}

/// JSON with its control characters escaped, and a line end.
fn harmless(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 1);
    for character in text.chars() {
        // Outside of strings JSON has none but line ends.
        if acts_on_a_terminal(character) {
            out.push_str(&format!("\\u{:04x}", u32::from(character)));
        } else {
            out.push(character);
        }
    }
    out.push('\n');
    out
}
