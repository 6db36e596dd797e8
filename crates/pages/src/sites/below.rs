//! What a run leads to: a finding with all of its addresses, the pages, one page, and files to take along.

use askama::Template;
use axum::extract::{Request, State};
use axum::response::Response;
use http::{HeaderValue, StatusCode, header};
use model::finding::Finding;
use model::lang::{Text, text};
use render::band::Band;
use render::edits;
use service::Services;
use service::error::{Code, ServiceError};
use service::sites::{self, FindingsWish, PageList, ReportForm, SiteRunAnswer};
use url::form_urlencoded::byte_serialize;

use super::rows::SiteFindingRow;
use super::{InPath, PATH, answer_word, answered, band, form, named, severity};
use crate::frame::Frame;
use crate::reader::Reader;
use crate::response::{html, private, see_other};
use crate::{csrf, filters};

/// Files that a run can be taken along as.
pub(super) const FILES: [(&str, ReportForm, &str); 4] = [
    ("report.html", ReportForm::Html, "text/html; charset=utf-8"),
    ("report.json", ReportForm::Json, "application/json"),
    ("pages.csv", ReportForm::Csv, "text/csv; charset=utf-8; header=present"),
    ("site.sarif", ReportForm::Sarif, "application/sarif+json"),
];

#[derive(Template)]
#[template(path = "site_finding.html")]
struct SiteFindingPage<'a> {
    frame: Frame<'a>,
    run: SiteRunAnswer,
    findings: Vec<SiteFindingRow>,
    title: String,
    more: Option<String>,
}

#[derive(Template)]
#[template(path = "site_pages.html")]
struct SitePagesPage<'a> {
    frame: Frame<'a>,
    run: SiteRunAnswer,
    /// The page's row, what it answered, and the colour of its score.
    rows: Vec<(sites::PageListed, &'static str, &'static str)>,
    more: Option<String>,
}

#[derive(Template)]
#[template(path = "site_page.html")]
struct SiteOnePage<'a> {
    frame: Frame<'a>,
    csrf: Option<String>,
    run: SiteRunAnswer,
    page: sites::PageListed,
    /// What is said of the page in a sentence, and of its score in a word or two.
    verdict: &'static str,
    word: &'static str,
    answer: &'static str,
    findings: Vec<SitePageFinding>,
}

/// A finding of one page.
struct SitePageFinding {
    class: &'static str,
    word: &'static str,
    title: &'static str,
    finding: Finding<String>,
    /// What to decide or to do.
    note: Option<String>,
    /// What to paste.
    block: Option<String>,
}

/// A finding with all addresses that are kept.
pub(crate) async fn finding(
    State(services): State<Services>,
    path: InPath<(String, String)>,
    request: Request,
) -> Response {
    let (parts, _) = request.into_parts();
    answered(&services, &parts, async |visit| {
        let (id, code) = named(path)?;
        let run = visit.run(&id).await?;
        let wish = FindingsWish { code: Some(code), ..FindingsWish::default() };
        let list = sites::findings(&visit.cx, &id, wish, visit.parameter("cursor").as_deref()).await?;
        let more = list.cursor.as_deref().map(|cursor| {
            let code = list.findings.first().map_or("", |finding| &finding.code);
            format!("{PATH}/{id}/findings/{code}?cursor={cursor}&lang={}", visit.reader.lang.tag())
        });
        let title = list.findings.first().map(|finding| finding.title.clone());
        let title = title.ok_or_else(|| ServiceError::new(Code::CheckNotFound))?;
        let findings =
            list.findings.into_iter().map(|finding| SiteFindingRow::of(finding, &id, visit.reader.lang)).collect();
        Ok(html(
            StatusCode::OK,
            &SiteFindingPage { frame: visit.frame(), run, findings, title, more },
            visit.reader.lang,
        ))
    })
    .await
}

/// The pages of a run.
pub(crate) async fn pages(State(services): State<Services>, id: InPath<String>, request: Request) -> Response {
    let (parts, _) = request.into_parts();
    answered(&services, &parts, async |visit| {
        let lang = visit.reader.lang;
        let run = visit.run(&named(id)?).await?;
        let PageList { pages, cursor } = sites::pages(&visit.cx, &run.id, visit.parameter("cursor").as_deref()).await?;
        let row = |page: sites::PageListed| {
            let (answer, band) = (answer_word(&page.answer).in_lang(lang), band(page.score));
            (page, answer, band)
        };
        let more = cursor.map(|cursor| format!("{PATH}/{}/pages?cursor={cursor}&lang={}", run.id, lang.tag()));
        let page = SitePagesPage { frame: visit.frame(), run, rows: pages.into_iter().map(row).collect(), more };
        Ok(html(StatusCode::OK, &page, lang))
    })
    .await
}

/// A page of a run with its findings.
pub(crate) async fn page(State(services): State<Services>, path: InPath<(String, u32)>, request: Request) -> Response {
    let (parts, _) = request.into_parts();
    answered(&services, &parts, async |visit| {
        let lang = visit.reader.lang;
        let (id, number) = named(path)?;
        let run = visit.run(&id).await?;
        let sites::PageDetail { page, issues, fixes } = sites::page(&visit.cx, &id, number, lang).await?;
        let findings = issues.into_iter().map(|finding| {
            let fix = fixes.iter().find(|fix| fix.code == finding.code);
            let (class, word) = severity(finding.severity, lang);
            let title = audit::checks::find(&finding.code).map_or("", |check| check.title.in_lang(lang));
            let (note, block) = (fix.and_then(|fix| fix.note.clone()), fix.and_then(|fix| edits::ready(fix, lang)));
            SitePageFinding { class, word, title, note, block, finding }
        });
        let page = SiteOnePage {
            frame: visit.frame(),
            csrf: csrf::of_call(&visit.cx)?,
            run,
            verdict: page.score.map_or(NOT_AUDITED, |score| Band::of(score).verdict()).in_lang(lang),
            word: page.score.map_or("", |score| Band::of(score).word().in_lang(lang)),
            answer: answer_word(&page.answer).in_lang(lang),
            findings: findings.collect(),
            page,
        };
        Ok(html(StatusCode::OK, &page, lang))
    })
    .await
}

/// What is said of an address without a score.
const NOT_AUDITED: Text = text("This address has no page to audit.", "Este endereço não tem página a auditar.");

/// Leads from an address that a finding names to its page in the run; to the form for an audit, where the run has none.
pub(crate) async fn page_at(State(services): State<Services>, id: InPath<String>, request: Request) -> Response {
    let (parts, _) = request.into_parts();
    answered(&services, &parts, async |visit| {
        let (id, lang) = (named(id)?, visit.reader.lang.tag());
        let url = visit.parameter("url").unwrap_or_default();
        Ok(match sites::page_number(&visit.cx, &id, &url).await? {
            Some(number) => see_other(&format!("{PATH}/{id}/pages/{number}?lang={lang}")),
            None => {
                let url: String = byte_serialize(url.as_bytes()).collect();
                see_other(&format!("/?lang={lang}&url={url}"))
            }
        })
    })
    .await
}

/// A file of a run, to be saved.
pub(crate) async fn file(
    State(services): State<Services>,
    path: InPath<(String, String)>,
    request: Request,
) -> Response {
    let (parts, _) = request.into_parts();
    answered(&services, &parts, async |visit| {
        let (id, name) = named(path)?;
        let file = FILES.into_iter().find(|(known, ..)| *known == name);
        let (name, form, media_type) = file.ok_or_else(|| ServiceError::new(Code::NotFound))?;
        let text = sites::document(&visit.cx, &id, form).await?;
        let mut response = Response::new(axum::body::Body::from(text));
        let disposition = format!("attachment; filename=\"{name}\"");
        let headers = response.headers_mut();
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(media_type));
        if let Ok(disposition) = HeaderValue::from_str(&disposition) {
            headers.insert(header::CONTENT_DISPOSITION, disposition);
        }
        Ok(response)
    })
    .await
}

/// Stops and deletes a run.
pub(crate) async fn delete(State(services): State<Services>, id: InPath<String>, request: Request) -> Response {
    let (parts, body) = request.into_parts();
    let reader = Reader::of(&parts.headers, parts.uri.query());
    let done = async {
        let (visit, _) = form(&services, &parts, body).await?;
        sites::delete(&services, &visit.cx.caller.required_owner()?, &named(id)?).await
    };
    match done.await {
        Ok(()) => private(see_other(&format!("{PATH}?lang={}", reader.lang.tag()))),
        Err(error) => crate::error::page(&services, &error, reader),
    }
}
