//! The report of a run over a site, in each of its forms.

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::Deserialize;

use super::OF_A_REPORT;
use crate::operation::{Access, CSV, IntoReply, JsonAnswer, Operation, OtherForm, Reply, SARIF};
use render::site_report::SiteReportFile;
use service::caller::Cx;
use service::error::ServiceError;
use service::sites::{self, ReportForm};

/// Made by this server of escaped texts, without scripts, and to be saved: never shown as one of its pages.
const HTML: OtherForm = OtherForm { name: "html", media_type: "text/html; charset=utf-8" };
const FORMS: &[OtherForm] =
    &[HTML, OtherForm { name: "csv", media_type: CSV }, OtherForm { name: "sarif", media_type: SARIF }];

/// The endpoint of this file.
pub(super) fn operation() -> Operation {
    Operation::get("/api/sites/{id}/report", "get_site_report", report)
        .title("Get the report of a site audit", "Obter o relatório de uma auditoria de site")
        .doc(
            "The whole report as the command line writes it: `json`, `html` (one page without scripts), `sarif` for code \
             scanning, or `csv`, the table of pages. For a run of a watch, `json`, `html` and `sarif` have what changed since the \
             run before. It may have megabytes: programs that read a part use the lists.",
            "O relatório inteiro como a linha de comando o escreve: `json`, `html` (uma página sem scripts), \
             `sarif` para análise de código, ou `csv`, a tabela das páginas. Na auditoria de um site monitorado, \
             `json`, `html` e `sarif` têm o que mudou desde a anterior. Pode ter megabytes: programas que leem só \
             uma parte usam as listas.",
        )
        .also_as(FORMS)
        .without_tool()
        .access(Access::Owner)
        .errors(OF_A_REPORT)
}

/// Which report, and how.
#[derive(Debug, Deserialize, JsonSchema)]
struct ReportRequest {
    /// Id of the run.
    #[schemars(extend("x-pt" = "Id da auditoria de site."))]
    id: String,
    /// The form of the report; `json` by default.
    #[schemars(extend("x-pt" = "O formato do relatório; `json` por padrão."))]
    #[serde(default)]
    format: Option<SiteReportFormat>,
}

/// The form of a report.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum SiteReportFormat {
    Json,
    Html,
    Csv,
    Sarif,
}

/// A report in one of its forms.
#[derive(Debug)]
struct WrittenReport {
    media_type: &'static str,
    text: String,
}

impl IntoReply for WrittenReport {
    fn reply(self) -> Result<Reply, ServiceError> {
        Ok(Reply { media_type: self.media_type, speaks: true, ..Reply::json(self.text.into()) })
    }

    fn describe(generator: &mut SchemaGenerator) -> (&'static str, Option<Schema>) {
        JsonAnswer::<SiteReportFile>::describe(generator)
    }
}

async fn report(cx: Cx, input: ReportRequest) -> Result<WrittenReport, ServiceError> {
    let (form, media_type) = match input.format.unwrap_or(SiteReportFormat::Json) {
        SiteReportFormat::Json => (ReportForm::Json, Reply::JSON),
        SiteReportFormat::Html => (ReportForm::Html, HTML.media_type),
        SiteReportFormat::Csv => (ReportForm::Csv, CSV),
        SiteReportFormat::Sarif => (ReportForm::Sarif, SARIF),
    };
    Ok(WrittenReport { media_type, text: sites::document(&cx, &input.id, form).await? })
}
