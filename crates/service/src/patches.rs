//! The patch of a stored audit: as data, by line, and applied to the source of its page.

mod same_page;

use std::sync::Arc;

use audit::Page;
use model::capture::Capture;
use model::lang::{Lang, Text, text};
use model::patch::{FilePatch, Patch};
use model::path::PatchTarget;
use model::report::Report;
use model::time::Timestamp;
use percent_encoding::percent_decode_str;
use render::diff::{by_line, unified};
use schemars::JsonSchema;
use serde::Serialize;
use store::StoredReport;
use url::Url;

use self::same_page::SourceReading;
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
    /// Related addresses.
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
    /// Related addresses.
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
    let (part, target) = page.target.map(|score| audit::towards(&stored.report, score)).unzip();
    let patch = part.unwrap_or_else(|| stored.report.patch.clone());
    let patching = Arc::new(Patching { stored, patch, target, sent: page });
    for reading in [SourceReading::AsUtf8, SourceReading::AsServed] {
        if !patching.may_be_read(reading) || !patching.is_of_page(services, reading).await? {
            continue;
        }
        let (services, patching) = (services.clone(), Arc::clone(&patching));
        if let Some(patched) = off_worker(move || patching.applied(&services, reading)).await? {
            return Ok(patched);
        }
    }
    Err(other_page())
}

/// A patch on its way into the source that was sent.
struct Patching {
    stored: StoredReport,
    patch: Patch,
    target: Option<PatchTarget>,
    sent: PageToPatch,
}

impl Patching {
    /// Whether the audited page was read in this way.
    fn may_be_read(&self, reading: SourceReading) -> bool {
        reading == SourceReading::AsUtf8 || self.charset().is_some_and(|charset| charset != UTF_8)
    }

    fn charset(&self) -> Option<&String> {
        self.stored.report.summary.as_ref()?.charset.as_ref()
    }

    /// The source as the page of an audit.
    fn capture(&self, reading: SourceReading, now: Timestamp) -> Option<Capture> {
        let url = Url::parse(&self.stored.report.url).ok()?;
        Some(same_page::capture(url, &self.stored.report, unmarked(&self.sent.html).1, reading, now))
    }

    /// Whether the source is the audited page, as far as the patch itself does not prove that.
    async fn is_of_page(&self, services: &Services, reading: SourceReading) -> Result<bool, ServiceError> {
        // An edit proves its page by its original, which a tag for the head or a file does not have.
        let adds = !self.patch.head.is_empty() || !self.patch.files.is_empty();
        let audited = self.stored.report.summary.clone().filter(|_| adds);
        let Some((audited, capture)) = audited.zip(self.capture(reading, services.ports().now())) else {
            return Ok(true);
        };
        let is_same = move |sent: Report| sent.summary.is_some_and(|sent| same_page::agree(&audited, &sent));
        services.engine().judge(capture, is_same).await.map_err(undone)
    }

    /// Applies the patch; `None` where an edit has no place. CPU-bound, in proportion to the page.
    fn applied(&self, services: &Services, reading: SourceReading) -> Option<PatchedPage> {
        let Self { stored, patch, target, sent } = self;
        let (mark, page) = unmarked(&sent.html);
        let (after, page_encoding) = match reading {
            SourceReading::AsUtf8 => (audit::patch::apply(page, patch)?, self.charset().cloned()),
            SourceReading::AsServed => (self.applied_to_file()?, Some(UTF_8.to_owned())),
        };
        let after = format!("{mark}{after}");
        let name = sent.file.clone().unwrap_or_else(|| file_of(&stored.report.url));
        Some(PatchedPage {
            id: stored.id.0.clone(),
            audit_id: stored.id.0.clone(),
            encoding: UTF_8,
            page_encoding,
            diff: unified(&name, &sent.html, &after),
            html: after,
            arquivos: patch.files.clone(),
            target: target.clone(),
            links: PatchLinks { api_index: services.url("/api/") },
        })
    }

    /// The same for a file in UTF-8 that does not say so, which was read as another encoding: the patch has its places in the
    /// bytes.
    fn applied_to_file(&self) -> Option<String> {
        let capture = self.capture(SourceReading::AsServed, Timestamp(0))?;
        let html = Page::read(&capture).html.filter(|html| html.unlabelled_utf8)?;
        let is_patch_of_it = audit::patch::apply(html.document.source(), &self.patch).is_some();
        let bytes = &capture.page.response()?.body.bytes;
        let patched = audit::patch::apply_to_file(&html, bytes, &self.patch).filter(|_| is_patch_of_it)?;
        String::from_utf8(patched).ok()
    }
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
