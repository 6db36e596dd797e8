//! The report of an audit, for the guest who made it.

use askama::Template;
use audit::check::Family;
use audit::{checks, score};
use axum::extract::rejection::PathRejection;
use axum::extract::{Path, Request, State};
use axum::response::Response;
use http::{HeaderValue, StatusCode, header};
use model::finding::{Finding, Place};
use model::fix::Fix;
use model::lang::{Lang, Text, text};
use model::report::Report;
use model::time::Timestamp;
use store::StoredReport;
use url::Url;

use super::checks::{class, severity_word};
use super::pieces::{Piece, pieces};
use super::{Frame, Reader, filters, guest_cookie, html, private};
use crate::api;
use crate::app::App;
use crate::audits::Finished;
use crate::blocking::off_worker;
use crate::caller::of_page;
use crate::catalog::{self, tool::ready};
use crate::error::{ApiError, Code};
use crate::operation::Cx;
use crate::reason;
use crate::shown;
use crate::web;

/// From this score on a page is good; the bands of Lighthouse.
const GOOD: u32 = 90;
/// From this score on it needs work; below it is bad.
const FAIR: u32 = 50;
/// Length of the ring's circle of radius 54.
const RING: f64 = 339.29;
/// The rounded ends of the arc reach so much further.
const RING_CAP: f64 = 4.0;
/// Entries of a list of the summary that a page shows; the JSON has all.
const SHOWN: usize = 50;

#[derive(Template)]
#[template(path = "report.html")]
struct ReportPage<'a> {
    frame: Frame<'a>,
    /// With its host in letters too.
    url: String,
    /// RFC 3339.
    created_at: String,
    /// For a reader, to the minute.
    created_at_short: String,
    /// `None` for a report that can't be read again.
    id: Option<&'a str>,
    score: u32,
    band: &'static str,
    verdict: &'static str,
    /// Length of the ring's arc.
    arc: String,
    errors: u32,
    warnings: u32,
    infos: u32,
    /// Whether the findings cost more than there are points.
    stops_at_zero: bool,
    findings: Vec<FindingView<'a>>,
    /// The tool whose findings come first.
    tool: Option<ToolView>,
    /// Name and value; `None` where the page declares nothing.
    facts: Vec<(&'static str, Option<String>)>,
    redirects: Vec<String>,
    outline: Vec<(u8, &'a str)>,
    headers: Vec<(&'a str, &'a str)>,
    passed: Vec<&'static str>,
    not_measured: Vec<(&'static str, String)>,
    head: &'a str,
    truncated: bool,
}

/// The tool that a report was asked for with.
struct ToolView {
    title: &'static str,
    address: String,
    /// How many findings are its own.
    findings: usize,
}

/// One finding with its fix.
struct FindingView<'a> {
    code: &'a str,
    /// The page of its check; `None` for a code that the catalog has no more.
    address: Option<String>,
    severity: &'static str,
    word: &'static str,
    points: String,
    title: &'static str,
    message: &'a str,
    why: Vec<Piece<'a>>,
    how: Vec<Piece<'a>>,
    reference: &'static str,
    places: &'a [Place],
    class: &'static str,
    note: Option<Vec<Piece<'a>>>,
    origin: Option<String>,
    path: Option<&'a str>,
    code_block: Option<&'a str>,
}

/// The id in the path, if it is UTF-8.
type Id = Result<Path<String>, PathRejection>;

/// The audit as `GET /api/audits/:id` gives it, for the one who reads the page.
pub(super) async fn json(State(app): State<App>, id: Id, request: Request) -> Response {
    let reader = Reader::of(request.headers(), request.uri().query());
    let (parts, _) = request.into_parts();
    let stored = find(&app, &parts, id, reader.lang).await;
    made(app, reader, stored, |_, Reader { lang, .. }, stored| {
        document(&stored.report.stored_audit(&stored.id.0, stored.created_at, lang), lang)
    })
    .await
}

/// The patch as `GET /api/audits/:id/patch` gives it, for the one who reads the page.
pub(super) async fn patch(State(app): State<App>, id: Id, request: Request) -> Response {
    let reader = Reader::of(request.headers(), request.uri().query());
    let (parts, _) = request.into_parts();
    let stored = find(&app, &parts, id, reader.lang).await;
    made(app, reader, stored, |app, Reader { lang, .. }, stored| document(&api::patch_answer(app, stored, lang), lang))
        .await
}

pub(super) fn document<T: serde::Serialize + schemars::JsonSchema>(value: &T, lang: Lang) -> Response {
    match serde_json::to_vec_pretty(value) {
        Ok(body) => {
            let mut response = Response::new(axum::body::Body::from(body));
            let headers = response.headers_mut();
            headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
            web::speaks(headers, lang);
            private(response)
        }
        Err(error) => {
            tracing::error!(%error, "a report could not be written");
            web::refusal(&ApiError::new(Code::Internal), lang)
        }
    }
}

/// Shows the report to its owner; anybody else gets 404.
pub(super) async fn show(State(app): State<App>, id: Id, request: Request) -> Response {
    let reader = Reader::of(request.headers(), request.uri().query());
    let tool = super::tool_asked(request.uri().query());
    let (parts, _) = request.into_parts();
    let stored = find(&app, &parts, id, reader.lang).await;
    made(app, reader, stored, move |app, reader, stored| {
        let view = view(app, reader, Some(&stored.id.0), stored.created_at, &stored.report, tool);
        private(html(StatusCode::OK, &view, reader.lang))
    })
    .await
}

/// Shows a report that nobody can read again, as the answer to the form.
pub(super) async fn unkept(app: App, finished: Finished, tool: Option<&'static Family>, reader: Reader) -> Response {
    made(app, reader, Ok(finished), move |app, reader, finished| {
        let view = view(app, reader, None, finished.created_at, &finished.report, tool);
        private(html(StatusCode::OK, &view, reader.lang))
    })
    .await
}

/// Makes a page of what there is to show; a report may be a megabyte, so not on an async worker.
async fn made<T: Send + 'static>(
    app: App,
    reader: Reader,
    found: Result<T, ApiError>,
    make: impl FnOnce(&App, Reader, &T) -> Response + Send + 'static,
) -> Response {
    let done = match found {
        Ok(found) => {
            let app = app.clone();
            off_worker(move || make(&app, reader, &found)).await
        }
        Err(error) => Err(error),
    };
    done.unwrap_or_else(|error| super::error::page(&app, &error, reader))
}

async fn find(app: &App, parts: &http::request::Parts, id: Id, lang: Lang) -> Result<StoredReport, ApiError> {
    let not_found = || ApiError::new(Code::AuditNotFound);
    // An id that is not UTF-8 is none of ours.
    let Path(id) = id.map_err(|_| not_found())?;
    let caller = of_page(app, parts, guest_cookie::read(app, &parts.headers)).await?;
    let owner = match caller.required_owner() {
        Ok(owner) => owner,
        Err(error) if error.code == Code::GuestTokenRequired => return Err(not_found()),
        Err(error) => return Err(error),
    };
    let cx = Cx::new(app, caller, lang);
    api::stored(&cx, &owner, id).await
}

fn view<'a>(
    app: &'a App,
    reader: Reader,
    id: Option<&'a str>,
    created_at: Timestamp,
    report: &'a Report,
    tool: Option<&'static Family>,
) -> ReportPage<'a> {
    let lang = reader.lang;
    let is_own = |code: &str| tool.is_some_and(|family| catalog::has(family, code));
    let mut findings: Vec<(&Finding, &Fix)> = report.findings.iter().zip(&report.fixes).collect();
    // Stable: within the tool's own and the others the order of severity stays.
    findings.sort_by_key(|(finding, _)| !is_own(&finding.code));
    let tool = tool.map(|family| ToolView {
        title: family.landing.title.in_lang(lang),
        address: format!("/tools/{}?lang={}", family.slug, lang.tag()),
        findings: findings.iter().filter(|(finding, _)| is_own(&finding.code)).count(),
    });
    let created_at = created_at.to_string();
    let (band, verdict) = band(report.score);
    let arc = (f64::from(report.score) / 100.0 * RING - if report.score == 100 { 0.0 } else { RING_CAP }).max(0.0);
    // "2026-01-31T09:30:00.000Z" reads better without the seconds.
    let created_at_short = created_at.get(..16).unwrap_or(&created_at).replace('T', " ") + " UTC";
    let cost: u32 = report.findings.iter().map(|finding| score::weight(finding.severity)).sum();
    let summary = report.summary.as_ref();
    ReportPage {
        frame: Frame::new(app, reader),
        url: shown::address(&report.url),
        created_at,
        created_at_short,
        id,
        score: report.score,
        band,
        verdict: verdict.in_lang(lang),
        arc: format!("{arc:.2}"),
        errors: report.counts.errors,
        warnings: report.counts.warnings,
        infos: report.counts.info,
        stops_at_zero: cost > score::FULL,
        findings: findings.into_iter().map(|(found, fix)| finding(found, fix, lang)).collect(),
        tool,
        facts: facts(report, lang),
        redirects: summary
            .map(|s| s.redirects.iter().map(|hop| format!("{} {} -> {}", hop.status, hop.url, hop.location)).collect())
            .unwrap_or_default(),
        outline: summary
            .map(|s| s.headings.outline.iter().take(SHOWN).map(|entry| (entry.level, entry.text.as_str())).collect())
            .unwrap_or_default(),
        headers: report.headers.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect(),
        passed: report.coverage.passed.iter().filter_map(|code| Some(checks::find(code)?.code)).collect(),
        not_measured: report
            .coverage
            .not_measured
            .iter()
            .filter_map(|(code, reason)| {
                Some((checks::find(code)?.code, reason::in_words(reason).in_lang(lang).to_owned()))
            })
            .collect(),
        head: &report.patch.head,
        truncated: report.html_truncated,
    }
}

pub(super) fn band(score: u32) -> (&'static str, Text) {
    match score {
        GOOD.. => ("good", text("good", "bom")),
        FAIR.. => ("warn", text("needs improvement", "precisa melhorar")),
        _ => ("bad", text("bad", "ruim")),
    }
}

fn finding<'a>(finding: &'a Finding, fix: &'a Fix, lang: Lang) -> FindingView<'a> {
    let check = checks::find(&finding.code);
    let of_check = |pick: fn(&'static audit::check::Check) -> Text| check.map(pick).map_or("", |t| t.in_lang(lang));
    let points = match score::weight(finding.severity) {
        0 => "0".to_owned(),
        weight => format!("−{weight}"),
    };
    FindingView {
        code: &finding.code,
        address: check.map(|check| format!("/checks/{}?lang={}", check.code, lang.tag())),
        severity: finding.severity.word(),
        word: severity_word(finding.severity).in_lang(lang),
        points,
        title: of_check(|check| check.title),
        message: finding.message.in_lang(lang),
        why: pieces(of_check(|check| check.why)),
        how: pieces(of_check(|check| check.how)),
        reference: check.map(|check| check.reference).unwrap_or_default(),
        places: &finding.evidence,
        class: class(fix.class).in_lang(lang),
        note: fix.note.as_ref().map(|note| pieces(note.in_lang(lang))),
        origin: fix.origin.as_ref().map(|origin| origin.in_lang(lang).to_owned()),
        path: fix.file.as_ref().map(|file| file.path.as_str()),
        code_block: ready(fix),
    }
}

fn facts(report: &Report, lang: Lang) -> Vec<(&'static str, Option<String>)> {
    let Some(s) = &report.summary else { return Vec::new() };
    let t = |en: &'static str, pt: &'static str| text(en, pt).in_lang(lang);
    let host = Url::parse(&s.final_url).ok().and_then(|url| url.host_str().map(shown::host));
    let sitemap = s.sitemap.url.clone().unwrap_or_else(|| sitemap_text(&s.sitemap.state).in_lang(lang).to_owned());
    vec![
        ("Status", Some(s.status.to_string())),
        (t("Host", "Host"), host),
        (t("Content type", "Tipo de conteúdo"), s.content_type.clone()),
        (t("Title", "Título"), s.title.clone()),
        (t("Description", "Descrição"), s.meta_description.clone()),
        ("Canonical", s.canonical.clone()),
        ("Robots", s.robots.clone()),
        ("Viewport", s.viewport.clone()),
        (t("Charset", "Codificação"), s.charset.clone()),
        (t("Language", "Idioma"), s.lang.clone()),
        ("Favicon", s.favicon.clone()),
        ("h1", (!s.h1s.is_empty()).then(|| s.h1s.iter().take(SHOWN).cloned().collect::<Vec<_>>().join(" · "))),
        (t("Words", "Palavras"), Some(s.words.to_string())),
        (t("Images", "Imagens"), Some(images(s.images.total, s.images.without_alt, lang))),
        (t("Links", "Links"), Some(links(s.links.internal, s.links.external, s.links.without_text, lang))),
        ("JSON-LD", (!s.json_ld_types.is_empty()).then(|| s.json_ld_types.join(", "))),
        ("robots.txt", Some(robots(s.robots_txt.allowed, &s.robots_txt.state, s.robots_txt.rule.as_deref(), lang))),
        ("Sitemap", Some(sitemap)),
    ]
}

fn images(total: u32, without_alt: u32, lang: Lang) -> String {
    let sentence = text("{total} ({without} without alt)", "{total} ({without} sem alt)");
    sentence.phrase(&[("total", total.into()), ("without", without_alt.into())]).in_lang(lang).to_owned()
}

fn links(internal: u32, external: u32, without_text: u32, lang: Lang) -> String {
    let sentence = text(
        "{internal} internal, {external} external, {without} without text",
        "internos: {internal}, externos: {external}, sem texto: {without}",
    );
    let values = [("internal", internal.into()), ("external", external.into()), ("without", without_text.into())];
    sentence.phrase(&values).in_lang(lang).to_owned()
}

fn robots(allowed: Option<bool>, state: &str, rule: Option<&str>, lang: Lang) -> String {
    let verdict = match allowed {
        Some(true) => text("allowed", "permitida"),
        Some(false) => text("forbidden", "proibida"),
        None => text("not known", "não se sabe"),
    };
    let verdict = verdict.in_lang(lang);
    match rule {
        Some(rule) => format!("{verdict} ({rule})"),
        None => format!("{verdict} ({})", robots_text(state).in_lang(lang)),
    }
}

/// What was found of robots.txt, in words.
fn robots_text(state: &str) -> Text {
    match state {
        "found" => text("no rule applies", "nenhuma regra se aplica"),
        "missing" => text("there is none", "não existe"),
        "invalid" => text("the answer is an HTML page", "a resposta é uma página HTML"),
        _ => text("it could not be read", "não pôde ser lido"),
    }
}

/// Whether a sitemap lists the page, in words.
fn sitemap_text(state: &str) -> Text {
    match state {
        "found" => text("lists the page", "lista a página"),
        "absent" => text("does not list the page", "não lista a página"),
        "missing" => text("there is none", "não existe"),
        "invalid" => text("has a syntax error", "tem um erro de sintaxe"),
        "tooLarge" => text("too large to be read whole", "grande demais para ser lido inteiro"),
        _ => text("could not be read", "não pôde ser lido"),
    }
}
