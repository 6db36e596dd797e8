//! The patch of a stored audit: as data, by line, and applied to the source of its page.

mod same_page;

use model::lang::{Lang, Text, text};
use model::patch::{FilePatch, Patch};
use model::path::PatchTarget;
use model::report::Report;
use percent_encoding::percent_decode_str;
use render::diff::{by_line, unified};
use schemars::JsonSchema;
use serde::Serialize;
use store::StoredReport;
use url::Url;

use crate::audits::undone;
use crate::blocking::off_worker;
use crate::error::{Code, ServiceError};
use crate::services::Services;

/// Encoding of the texts of an answer.
const UTF_8: &str = "UTF-8";

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
    id: String,
    /// The same as `id`.
    audit_id: String,
    /// The page you sent, with all ready fixes applied, or those of `target`.
    pub html: String,
    /// The changes as a unified diff of the page's source; empty without changes.
    pub diff: String,
    /// Encoding of `html` and `diff`: always `UTF-8`.
    encoding: &'static str,
    /// Encoding that the audited page had. Where it is not `UTF-8`, convert `html` back to it before you save the file, or
    /// convert the file to UTF-8 and declare that. Null where it is not known.
    page_encoding: Option<String>,
    /// Files that go to the host's root.
    arquivos: Vec<FilePatch>,
    /// For a patch with `target`: how far its fixes go.
    #[serde(skip_serializing_if = "Option::is_none")]
    target: Option<PatchTarget>,
    #[serde(rename = "_links")]
    links: PatchLinks,
}

/// The source of a page that a patch is to be applied to.
#[derive(Debug)]
pub struct PageToPatch {
    /// Only the ready fixes on the cheapest path to this score.
    pub target: Option<u32>,
    /// The source.
    pub html: String,
    /// Path of its file, for the head of the diff.
    pub file: Option<String>,
}

/// Applies the patch of a stored audit to the source of its page.
///
/// [`Code::InvalidBody`] for another page: every edit must find its original in its place, and tags for the head or files
/// are given only to a page that is the audited one as far as the audit knows it (`patches/same_page.rs`).
pub async fn patched(
    services: &Services,
    stored: StoredReport,
    page: PageToPatch,
) -> Result<PatchedPage, ServiceError> {
    let services = services.clone();
    let (part, target) = page.target.map(|score| audit::towards(&stored.report, score)).unzip();
    let patch = part.unwrap_or_else(|| stored.report.patch.clone());
    // An edit proves its page by its original, which a tag for the head or a file does not have.
    let adds = !patch.head.is_empty() || !patch.files.is_empty();
    let audited = stored.report.summary.clone().filter(|_| adds);
    if let (Some(audited), Ok(url)) = (audited, Url::parse(&stored.report.url)) {
        let capture = same_page::capture(url, &stored.report, unmarked(&page.html).1, services.ports().now());
        let is_same = move |sent: Report| sent.summary.is_some_and(|sent| same_page::agree(&audited, &sent));
        if !services.engine().judge(capture, is_same).await.map_err(undone)? {
            return Err(other_page());
        }
    }
    off_worker(move || applied(&services, &stored, &patch, target, &page)).await?
}

/// Applies a patch. CPU-bound, in proportion to the page.
fn applied(
    services: &Services,
    stored: &StoredReport,
    patch: &Patch,
    target: Option<PatchTarget>,
    sent: &PageToPatch,
) -> Result<PatchedPage, ServiceError> {
    let (mark, page) = unmarked(&sent.html);
    let after = audit::patch::apply(page, patch).ok_or_else(other_page)?;
    let after = format!("{mark}{after}");
    let name = sent.file.clone().unwrap_or_else(|| file_of(&stored.report.url));
    Ok(PatchedPage {
        id: stored.id.0.clone(),
        audit_id: stored.id.0.clone(),
        encoding: UTF_8,
        page_encoding: stored.report.summary.as_ref().and_then(|summary| summary.charset.clone()),
        diff: unified(&name, &sent.html, &after),
        html: after,
        arquivos: patch.files.clone(),
        target,
        links: PatchLinks { api_index: services.url("/api/") },
    })
}

/// The byte order mark of a source, which is of the file and not of the page; and the rest.
fn unmarked(html: &str) -> (&str, &str) {
    const MARK: char = '\u{feff}';
    if html.starts_with(MARK) { html.split_at(MARK.len_utf8()) } else { ("", html) }
}

/// The refusal of a source that is another page's.
fn other_page() -> ServiceError {
    const OTHER: Text = text(
        "html: differs from the source that was audited; audit the page again, or send that source",
        "html: difere do código-fonte auditado; audite a página de novo, ou envie aquele código-fonte",
    );
    ServiceError::new(Code::InvalidBody).explained(OTHER.into())
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
