//! The forms of a report that verify a fix: the changed page as its source or at another address, or the ready fixes applied
//! to a source. What is refused is in the forms of the answer.

use std::collections::BTreeMap;

use api::caller::{guard_form, same_origin};
use api::cookies::CookieKind;
use api::request::{client, read_body};
use api::response::{of_error, status};
use api::site::Site;
use askama::Template;
use audit::score;
use axum::body::Body;
use axum::extract::{Request, State};
use axum::response::Response;
use engine::Verification;
use http::StatusCode;
use http::request::Parts;
use model::change::Changed;
use model::finding::{Finding, Severity};
use model::id::{AuditId, Owner};
use model::lang::{Lang, Text, text};
use model::report::Report;
use render::shown::signed;
use service::blocking::off_worker;
use service::caller::{Cx, Identity};
use service::error::{Code, ServiceError};
use service::form_audit::{self, AskedAudit};
use service::gate::{self, RateLimit};
use service::patches::{self, PageToPatch};
use service::running::{AuditEnding, RunningAudit};
use service::verification::{self, PageToVerify};
use store::StoredReport;

use super::documents::download;
use super::field;
use super::lookup::{ReportIdPath, owned_by_caller};
use super::owner::VerifyForms;
use super::view::has_ready;
use crate::allowance::NextAudit;
use crate::error::FormProblem;
use crate::frame::Frame;
use crate::reader::Reader;
use crate::response::{html, private, see_other};
use crate::words::severity_word;
use crate::{csrf, error, filters};

/// Bytes of the form: a page of 2 MB whose every third byte is escaped, and the rest; as `POST /api/verify` takes.
const FORM_BYTES: usize = 8 * 1024 * 1024;

/// What the reason of a code begins with that only the changed page measured.
const BEFORE: &str = "before:";
const LEFT: Text =
    text("{count} {count|finding is|findings are} left.", "{count} {count|achado permanece|achados permanecem}.");
const NOT_COMPARED: Text = text(
    "{count} {count|finding depends|findings depend} on the server's response and could not be compared. The score counts {count|it|them} as before.",
    "{count} {count|achado depende|achados dependem} da resposta do servidor e não {count|pôde ser comparado|puderam ser comparados}. A nota {count|o|os} conta como antes.",
);

#[derive(Template)]
#[template(path = "verified.html")]
struct VerifiedPage<'a> {
    frame: Frame<'a>,
    id: &'a str,
    url: &'a str,
    /// Whether it was sent to have the ready fixes applied.
    is_patch: bool,
    /// Whether there are any.
    has_ready: bool,
    refused: Option<RefusedVerification>,
    result: Option<VerifiedResult>,
}

/// What was sent and refused, for the forms to be shown once more.
struct RefusedVerification {
    problem: FormProblem,
    csrf: Option<String>,
    /// What an audit costs of the allowance, as a sentence.
    cost: String,
    html: String,
    url: String,
}

/// What a changed page is like beside the report.
struct VerifiedResult {
    /// Scores of the report and of the changed page, which has the findings that only the network can tell as before.
    scores: [u32; 2],
    /// The difference, with its sign.
    points: String,
    fixed: Vec<Changed>,
    broke: Vec<Changed>,
    revealed: Vec<Changed>,
    /// How many findings both have, in a sentence.
    left: String,
    /// How many can't be compared; `None` for none.
    not_compared: Option<String>,
}

impl VerifiedPage<'_> {
    /// The forms with what was typed, where that was refused.
    fn verify(&self) -> Option<VerifyForms<'_>> {
        self.refused.as_ref().map(|refused| VerifyForms {
            id: self.id,
            csrf: refused.csrf.as_deref(),
            cost: &refused.cost,
            html: &refused.html,
            url: &refused.url,
            problem: Some(&refused.problem),
        })
    }

    fn word(&self, severity: &Severity) -> &'static str {
        severity_word(*severity).in_lang(self.frame.reader.lang)
    }
}

/// The sender of the form, and what it holds.
struct VerifyForm {
    cx: Cx,
    stored: StoredReport,
    bytes: axum::body::Bytes,
}

impl VerifyForm {
    /// Whether it was sent to have the ready fixes applied.
    fn is_patch(&self) -> bool {
        matches!(field(&self.bytes, "do").as_deref(), Some("page" | "diff"))
    }

    fn typed(&self, name: &str) -> String {
        field(&self.bytes, name).unwrap_or_default()
    }
}

/// Does what the form asks for.
pub(crate) async fn submit(State(site): State<Site>, id: ReportIdPath, request: Request) -> Response {
    let services = site.services().clone();
    let (parts, body) = request.into_parts();
    let reader = Reader::of(&parts.headers, parts.uri.query());
    let received = async {
        same_origin(&services, &parts)?;
        let received = read_body(&services, &parts, body, FORM_BYTES).await?;
        let (cx, owner, id) = owned_by_caller(&services, &parts, id, reader.lang).await?;
        if let Identity::Session(_) = cx.caller.identity {
            guard_form(&services, &cx.caller, &parts.headers, field(&received.bytes, "csrf").as_deref())?;
        }
        let stored = service::audits::readable(&cx, &owner, id).await?.stored;
        Ok((VerifyForm { cx, stored, bytes: received.bytes }, owner, received.room))
    };
    // Room of a large form is held as long as its bytes.
    let (form, owner, _room) = match received.await {
        Ok(received) => received,
        Err(error) => return error::page(&services, &error, reader),
    };
    let done = match field(&form.bytes, "do").as_deref() {
        Some("audit") => staged(&site, &parts, &form, &owner, reader).await,
        Some("page" | "diff") => patched(&form).await,
        _ => verified(&form, reader).await,
    };
    match done {
        Ok(response) => response,
        Err(error) => refused(form, reader, error).await,
    }
}

/// The forms once more, with what was typed and what is wrong with it. Made off the async workers, as a source may have megabytes.
async fn refused(form: VerifyForm, reader: Reader, error: ServiceError) -> Response {
    const OTHER: Text = text(
        "This HTML is not the source that was audited. Paste the whole source of the page as it is now. If the page has changed, audit it again first.",
        "Este HTML não é o código-fonte que foi auditado. Cole o código-fonte inteiro da página como está agora. Se a página mudou, audite-a de novo antes.",
    );
    let lang = reader.lang;
    let sentence = match error.code {
        Code::InvalidBody if form.is_patch() => OTHER.in_lang(lang).to_owned(),
        _ => error::message(&error, lang),
    };
    let at = match error.code.status() {
        400 | 413 | 422 if form.typed("do") == "audit" => "url",
        400 | 413 | 422 => "html",
        _ => "",
    };
    // What was typed is not lost because the allowance can't be read.
    let cost = NextAudit::of(&form.cx).await.map_or_else(|_| String::new(), |next| next.for_audits(1, lang));
    let refused = RefusedVerification {
        problem: FormProblem::at(at, sentence),
        csrf: csrf::of_call(&form.cx).unwrap_or_default(),
        cost,
        html: form.typed("html"),
        url: form.typed("url"),
    };
    let services = form.cx.services.clone();
    let shown = off_worker(move || {
        let mut response = page(&form, reader, status(&error), Some(refused), None);
        of_error(response.headers_mut(), &error, form.cx.services.is_https());
        response
    });
    shown.await.unwrap_or_else(|error| error::page(&services, &error, reader))
}

fn page(
    form: &VerifyForm,
    reader: Reader,
    status: StatusCode,
    refused: Option<RefusedVerification>,
    result: Option<VerifiedResult>,
) -> Response {
    let (id, report) = (&form.stored.id.0, &form.stored.report);
    let page = VerifiedPage {
        // The address that the forms are sent to has no page.
        frame: Frame::new(&form.cx.services, reader)
            .below("/")
            .leading_back_to(format!("/reports/{id}?lang={}", reader.lang.tag())),
        id,
        url: &report.url,
        is_patch: form.is_patch(),
        has_ready: has_ready(report),
        refused,
        result,
    };
    private(html(status, &page, reader.lang))
}

/// Judges the source that was sent, compared with the report.
async fn verified(form: &VerifyForm, reader: Reader) -> Result<Response, ServiceError> {
    let VerifyForm { cx, stored, .. } = form;
    gate::spend_hourly(&cx.services, cx.caller.network, RateLimit::Verifications).await?;
    // As the page was sent; but for what says how its bytes were sent, which is not so of this source.
    let of_bytes = ["content-encoding", "content-length", "transfer-encoding"];
    let headers = stored.report.headers.clone().into_iter().filter(|(name, _)| !of_bytes.contains(&name.as_str()));
    let page_to_verify = PageToVerify {
        url: stored.report.url.clone(),
        html: form.typed("html"),
        headers: Some(headers.collect()),
        robots_txt: None,
        audit_id: Some(stored.id.0.clone()),
    };
    let before = stored.report.score;
    let severities = |findings: &[Finding]| -> Vec<(String, Severity)> {
        findings.iter().map(|finding| (finding.code.clone(), finding.severity)).collect()
    };
    let (of_report, lang) = (severities(&stored.report.findings), reader.lang);
    let answer = move |verification: Verification, changed: &Report, _: Option<&AuditId>| {
        let broke = verification.broke.unwrap_or_default();
        let revealed = verification.revealed.unwrap_or_default();
        let not_compared = verification.not_compared.unwrap_or_default();
        let after = score_of_compared(&of_report, &severities(&changed.findings), &not_compared);
        let unseen = not_compared.values().filter(|reason| reason.starts_with(BEFORE)).count();
        let left = verification.issues.len().saturating_sub(broke.len() + revealed.len() + unseen);
        let points = i64::from(after) - i64::from(before);
        VerifiedResult {
            scores: [before, after],
            points: signed(i32::try_from(points).unwrap_or_default()),
            fixed: verification.fixed.unwrap_or_default(),
            left: counted(LEFT, left, lang),
            not_compared: (!not_compared.is_empty()).then(|| counted(NOT_COMPARED, not_compared.len(), lang)),
            broke,
            revealed,
        }
    };
    let result = verification::verify(cx, page_to_verify, answer).await?;
    Ok(page(form, reader, StatusCode::OK, None, Some(result)))
}

/// The score of a changed page that has the findings which only one of the two measured as the report has them.
fn score_of_compared(
    of_report: &[(String, Severity)],
    of_page: &[(String, Severity)],
    not_compared: &BTreeMap<String, String>,
) -> u32 {
    let is_unseen = |code: &str| not_compared.get(code).is_some_and(|reason| reason.starts_with(BEFORE));
    let kept = of_report.iter().filter(|(code, _)| not_compared.contains_key(code) && !is_unseen(code));
    let judged = of_page.iter().filter(|(code, _)| !is_unseen(code));
    score::score(kept.chain(judged).map(|(_, severity)| *severity))
}

fn counted(sentence: Text, count: usize, lang: Lang) -> String {
    sentence.phrase(&[("count", count.into())]).in_lang(lang).to_owned()
}

/// The ready fixes applied to the source that was sent: the page, or what changed.
async fn patched(form: &VerifyForm) -> Result<Response, ServiceError> {
    let html = form.typed("html");
    let is_diff = form.typed("do") == "diff";
    let of = async |html: String| {
        let page = PageToPatch { target: None, html, file: None };
        patches::patched(&form.cx.services, form.stored.clone(), page).await
    };
    // Browsers send every line end as CR and LF (HTML, "normalizing newlines").
    let patched = match of(html.replace("\r\n", "\n")).await {
        Err(error) if error.code == Code::InvalidBody => of(html).await?,
        done => done?,
    };
    // As text: no content of an audited site is executed here.
    let page_name = file_name(&form.stored.report.url);
    let (text, name) = if is_diff { (patched.diff, "page.diff") } else { (patched.html, page_name.as_str()) };
    Ok(download(Body::from(text), "text/plain; charset=utf-8", name))
}

/// The name of the file that a page is saved as: that of its address where it names an HTML file.
fn file_name(url: &str) -> String {
    let last = url.split(['?', '#']).next().and_then(|path| path.rsplit('/').next()).unwrap_or_default();
    let is_plain = last.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.'));
    let is_html = [".html", ".htm"].iter().any(|ending| last.len() > ending.len() && last.ends_with(ending));
    if is_plain && is_html { last.to_owned() } else { "index.html".to_owned() }
}

/// Audits another address, and leads to its comparison with the report.
async fn staged(
    site: &Site,
    parts: &Parts,
    form: &VerifyForm,
    _: &Owner,
    reader: Reader,
) -> Result<Response, ServiceError> {
    let (services, cx) = (site.services(), &form.cx);
    gate::admit_audit(services, client(&parts.extensions, &parts.headers), cx.caller.is_crawler)?;
    let typed = form.typed("url").trim().to_owned();
    let url = form_audit::typed_url(cx, &typed).await?;
    let id = AuditId(services.ports().id());
    let way_on = format!("/compare?before={}&after={id}&lang={}", form.stored.id, reader.lang.tag());
    let asked = AskedAudit { id, typed, attempt: None, way_on: way_on.clone() };
    let mut follower = form_audit::begin(cx.clone(), url, site.audit_price()?, asked)?;
    let audit = follower.wait_for(RunningAudit::is_answerable).await;
    let audit = audit.map(|audit| audit.clone()).map_err(|_| ServiceError::new(Code::Internal))?;
    let cookie = audit.new_guest.as_ref().and_then(|token| CookieKind::Guest.set(services.is_https(), token));
    let place = match audit.ending() {
        None => format!("/running/{}?lang={}", audit.id, reader.lang.tag()),
        Some(AuditEnding::Failed(error)) => return Err(error.as_ref().clone()),
        Some(AuditEnding::Stored | AuditEnding::Unkept(_)) => audit.way_on,
    };
    let mut response = private(see_other(&place));
    response.headers_mut().extend(cookie.map(|cookie| (http::header::SET_COOKIE, cookie)));
    Ok(response)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_is_saved_under_the_name_of_its_file() {
        for (url, name) in [
            ("https://example.com/a/shop.html?x=/b.html#c", "shop.html"),
            ("https://example.com/a.htm", "a.htm"),
            ("https://example.com/", "index.html"),
            ("https://example.com/.html", "index.html"),
            ("https://example.com/shop", "index.html"),
            ("https://example.com/p%22.html", "index.html"),
        ] {
            assert_eq!(file_name(url), name, "{url}");
        }
    }

    #[test]
    fn a_page_on_which_nothing_changed_keeps_its_score() {
        let of = |code: &str, severity| (code.to_owned(), severity);
        let report = [of("title_missing", Severity::Error), of("sitemap_missing", Severity::Warn)];
        let not_compared = |code: &str, reason: &str| BTreeMap::from([(code.to_owned(), reason.to_owned())]);
        let network = not_compared("sitemap_missing", "offline");
        assert_eq!(score_of_compared(&report, &report[..1], &network), 74);
        assert_eq!(score_of_compared(&report, &[], &network), 92);
        let seen_now = [report[0].clone(), report[1].clone(), of("mixed_content", Severity::Error)];
        assert_eq!(score_of_compared(&report, &seen_now, &not_compared("mixed_content", "before:offline")), 74);
    }
}
