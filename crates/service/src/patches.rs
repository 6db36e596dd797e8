//! The patch of a stored audit: as data, by line, and applied to the source of its page.

use model::lang::{Lang, Text, text};
use model::patch::{FilePatch, Patch};
use model::path::PatchTarget;
use percent_encoding::percent_decode_str;
use render::diff::{by_line, unified};
use schemars::JsonSchema;
use serde::Serialize;
use store::StoredReport;
use url::Url;

use crate::error::{Code, ServiceError};
use crate::services::Services;

/// A patch with its links.
#[derive(Debug, Serialize, JsonSchema)]
pub struct PatchAnswer {
    /// Absolute link to the source audit.
    audit: Option<String>,
    #[serde(flatten)]
    patch: Patch<String>,
    /// For a patch with `target`: how far its fixes go.
    #[serde(skip_serializing_if = "Option::is_none")]
    target: Option<PatchTarget>,
    #[serde(rename = "_links")]
    links: PatchLinks,
}

/// Related addresses.
#[derive(Debug, Serialize, JsonSchema)]
pub struct PatchLinks {
    /// `GET /api/`.
    api_index: String,
}

/// A page with a patch applied.
#[derive(Debug, Serialize, JsonSchema)]
pub struct PatchedPage {
    /// The audit.
    audit_id: String,
    /// The page you sent, with all ready fixes applied, or those of `target`.
    pub html: String,
    /// The changes as a unified diff of the page's source; empty without changes.
    pub diff: String,
    /// Files that go to the host's root.
    arquivos: Vec<FilePatch>,
    /// For a patch with `target`: how far its fixes go.
    #[serde(skip_serializing_if = "Option::is_none")]
    target: Option<PatchTarget>,
    #[serde(rename = "_links")]
    links: PatchLinks,
}

/// Applies the patch of a stored audit to the source of its page. CPU-bound, in proportion to the page.
pub fn patched(
    services: &Services,
    stored: &StoredReport,
    target: Option<u32>,
    html: &str,
    file: Option<&str>,
) -> Result<PatchedPage, ServiceError> {
    const OTHER: Text = text(
        "html: differs from the source that was audited; audit the page again, or send that source",
        "html: difere do código-fonte auditado; audite a página de novo, ou envie aquele código-fonte",
    );
    const MARK: char = '\u{feff}';
    let (part, target) = target.map(|score| audit::towards(&stored.report, score)).unzip();
    let patch = part.as_ref().unwrap_or(&stored.report.patch);
    // A byte order mark is of the file, not of the page.
    let (mark, page) = if html.starts_with(MARK) { html.split_at(MARK.len_utf8()) } else { ("", html) };
    let after = audit::patch::apply(page, patch);
    let after = after.ok_or_else(|| ServiceError::new(Code::InvalidBody).explained(OTHER.into()))?;
    let after = format!("{mark}{after}");
    let name = file.map_or_else(|| file_of(&stored.report.url), str::to_owned);
    Ok(PatchedPage {
        audit_id: stored.id.0.clone(),
        diff: unified(&name, html, &after),
        html: after,
        arquivos: patch.files.clone(),
        target,
        links: PatchLinks { api_index: services.url("/api/") },
    })
}

/// The name of the file that an address has, as people write it.
fn file_of(url: &str) -> String {
    const NAME: &str = "index.html";
    let url = Url::parse(url).ok();
    let last = url.as_ref().and_then(|url| url.path_segments()?.next_back()).filter(|name| !name.is_empty());
    let name = last.map(|name| percent_decode_str(name).decode_utf8_lossy().into_owned());
    // A line break would end the line of the diff that names the file.
    name.filter(|name| !name.chars().any(char::is_control)).unwrap_or_else(|| NAME.to_owned())
}

/// The changes of a stored audit's patch by line, for reading. The source of a page is not stored, so there are no lines
/// around them; the first line says what to send for a diff that can be applied.
pub fn patch_by_line(stored: &StoredReport, target: Option<u32>) -> String {
    let part = target.map(|score| audit::towards(&stored.report, score).0);
    let id = &stored.id;
    format!(
        "# For reading: no page source is stored. For `git apply`, send it: POST /api/audits/{id}/patch \
         {{\"html\": \"…\", \"format\": \"diff\"}}\n{}",
        by_line(part.as_ref().unwrap_or(&stored.report.patch))
    )
}

/// The patch of a stored audit, as a response: the whole, or the ready fixes on the cheapest path to a score.
pub fn patch_answer(services: &Services, stored: &StoredReport, target: Option<u32>, lang: Lang) -> PatchAnswer {
    let (part, target) = target.map(|score| audit::towards(&stored.report, score)).unzip();
    PatchAnswer {
        audit: Some(services.url(&format!("/api/audits/{}", stored.id))),
        patch: part.as_ref().unwrap_or(&stored.report.patch).in_lang(lang),
        target,
        links: PatchLinks { api_index: services.url("/api/") },
    }
}
