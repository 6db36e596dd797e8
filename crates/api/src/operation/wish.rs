//! How a report is wanted: form, fields, budget and cursor. Every call that answers with a report takes these beside its own
//! input, in the query or, where it has one, in the body.

use model::lang::{Text, text};
use schemars::{JsonSchema, SchemaGenerator};
use serde::Deserialize;
use serde_json::{Map, Value};

use super::input;
use super::{Operation, OtherForm};
use service::error::{Code, ServiceError};

/// Formats of a report besides JSON.
pub(crate) const FORMS: &[OtherForm] = &[
    OtherForm { name: "markdown", media_type: MARKDOWN },
    OtherForm { name: "csv", media_type: CSV },
    OtherForm { name: "sarif", media_type: SARIF },
];
pub(crate) const MARKDOWN: &str = "text/markdown; charset=utf-8";
/// RFC 7111 §4.1.
pub(crate) const CSV: &str = "text/csv; charset=utf-8; header=present";
pub(crate) const SARIF: &str = "application/sarif+json";

/// A form of a report.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(inline)]
pub enum ReportFormat {
    /// The stored audit.
    #[default]
    Json,
    /// Markdown, for notes or a language model.
    Markdown,
    /// A row for each finding, for a spreadsheet.
    Csv,
    /// SARIF 2.1.0, for code scanning.
    Sarif,
}

/// How a report is wanted.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
pub struct ReportWish {
    /// `markdown`, `csv` or `sarif` instead of `json`; `Accept: text/markdown`, `text/csv` and `application/sarif+json` ask
    /// for the same.
    #[schemars(extend("x-pt" = "`markdown`, `csv` ou `sarif` em vez de `json`; `Accept: text/markdown`, `text/csv` e \
        `application/sarif+json` pedem o mesmo."))]
    #[serde(default)]
    pub format: Option<ReportFormat>,
    /// Only these fields of the answer, separated by commas; `issues.code` takes one field of each finding.
    #[schemars(extend("x-pt" = "Só estes campos da resposta, separados por vírgulas; `issues.code` pega um campo de \
        cada achado."))]
    #[serde(default)]
    #[schemars(length(min = 1))]
    pub fields: Option<String>,
    /// Approximate size of the answer in tokens: the most urgent findings come first, by what they block and then by points,
    /// and `cursor` leads to the rest. At least one finding comes.
    #[schemars(extend("x-pt" = "Tamanho aproximado da resposta em tokens: os achados mais urgentes vêm primeiro, pelo \
        que bloqueiam e depois por pontos, e `cursor` leva ao resto. Vem pelo menos um achado."))]
    #[serde(default)]
    #[schemars(range(min = 1))]
    pub budget: Option<u32>,
    /// The `cursor` of the previous answer; used with `budget`.
    #[schemars(extend("x-pt" = "O `cursor` da resposta anterior; usado com `budget`."))]
    #[serde(default)]
    pub cursor: Option<String>,
}

/// Names of the fields of a wish.
const NAMES: [&str; 4] = ["format", "fields", "budget", "cursor"];

impl ReportWish {
    /// Whether a field is one of a wish.
    pub(crate) fn has(name: &str) -> bool {
        NAMES.contains(&name)
    }

    /// Whether a field is the name of parts of an answer, or a place in it.
    pub(crate) fn names_parts(name: &str) -> bool {
        matches!(name, "fields" | "cursor")
    }

    /// The properties of a wish, as a schema has them. An audit that is made again has no cursor: `has_cursor` is false.
    pub(super) fn properties(generator: &mut SchemaGenerator, has_cursor: bool) -> Map<String, Value> {
        let schema = <Self as JsonSchema>::json_schema(generator).to_value();
        let properties = schema.get("properties").and_then(Value::as_object).cloned().unwrap_or_default();
        properties.into_iter().filter(|(name, _)| has_cursor || name != "cursor").collect()
    }

    /// Takes the wish out of an input. A number may come as the text of a parameter; null in a body is a field left out.
    pub(crate) fn taken(operation: &Operation, input: &mut Map<String, Value>) -> Result<Self, ServiceError> {
        if !operation.reports {
            return Ok(Self::default());
        }
        let wished = NAMES.iter().filter_map(|name| Some(((*name).to_owned(), input.remove(*name)?)));
        let wished = wished.filter(|(_, value)| !value.is_null()).collect();
        let wish: Self = input::typed(wished, false)?;
        wish.judge()?;
        if wish.is_document() && input.get("guest") == Some(&Value::Bool(true)) {
            const NO_TOKEN: Text = text(
                "guest: goes with json only, as no other format has the token; read the audit again in the format",
                "guest: só vale para json, pois nenhum outro formato traz o token; leia a auditoria de novo no formato",
            );
            return Err(ServiceError::new(Code::InvalidParameter).explained(NO_TOKEN.into()));
        }
        if let Some(fields) = &wish.fields {
            operation.answer_fields().judge(fields)?;
        }
        Ok(wish)
    }

    /// Whether the report is wanted as a document, not as JSON.
    pub fn is_document(&self) -> bool {
        self.format.unwrap_or_default() != ReportFormat::Json
    }

    /// Whether only parts of the report are wanted.
    pub fn has_parts(&self) -> bool {
        self.fields.is_some() || self.budget.is_some() || self.cursor.is_some()
    }

    fn judge(&self) -> Result<(), ServiceError> {
        const PARTS: Text = text(
            "format: fields, budget and cursor work with json only",
            "format: fields, budget e cursor só valem para json",
        );
        const NO_BUDGET: Text = text("cursor: send it together with budget", "cursor: envie-o junto com budget");
        const NO_TOKENS: Text = text("budget: must be at least 1", "budget: deve ser pelo menos 1");
        let refused = |why: Text| Err(ServiceError::new(Code::InvalidParameter).explained(why.into()));
        if self.is_document() && self.has_parts() {
            return refused(PARTS);
        }
        if self.cursor.is_some() && self.budget.is_none() {
            return refused(NO_BUDGET);
        }
        if self.budget == Some(0) { refused(NO_TOKENS) } else { Ok(()) }
    }
}
