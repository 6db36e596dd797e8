//! One run: its progress while it runs, then its report; a finding, its pages, one page, and files to take along.

use askama::Template;
use axum::extract::{Request, State};
use axum::response::Response;
use http::{HeaderValue, StatusCode, header};
use model::finding::{Finding, Severity};
use model::fix::Fix;
use model::lang::{Lang, Text, text};
use service::Services;
use service::error::{Code, ServiceError};
use service::sites::{
    self, FindingsWish, PageList, ReportForm, SiteCharts, SiteFindingListed, SiteRunAnswer, SiteRunStatus, TemplateList,
};
use std::time::Duration;

use super::watch::{ChangeView, RepeatForm};
use super::{InPath, PATH, SiteVisit, addresses, answer_word, answered, band, form, named, severity, status_word};
use crate::csrf;
use crate::filters;
use crate::frame::Frame;
use crate::plot::{Plot, number, value};
use crate::reader::Reader;
use crate::response::{html, private, see_other};

/// Files that a run can be taken along as.
const FILES: [(&str, ReportForm, &str); 4] = [
    ("report.html", ReportForm::Html, "text/html; charset=utf-8"),
    ("report.json", ReportForm::Json, "application/json"),
    ("pages.csv", ReportForm::Csv, "text/csv; charset=utf-8; header=present"),
    ("site.sarif", ReportForm::Sarif, "application/sarif+json"),
];

#[derive(Template)]
#[template(path = "site_run.html")]
struct SiteRunPage<'a> {
    frame: Frame<'a>,
    csrf: Option<String>,
    run: SiteRunAnswer,
    status: &'static str,
    /// How many pages were audited, how many of them by free audits, and how far the run is; in words.
    audited: String,
    free_audits: String,
    progress: String,
    is_running: bool,
    /// Whether the reader may delete it: members of an organization only read its runs.
    is_own: bool,
    report: Option<SiteReportView>,
    changes: Option<ChangeView>,
    repeat: Option<RepeatForm>,
    /// Names of the files to take along.
    files: [&'static str; 4],
}

/// What a finished run found.
struct SiteReportView {
    score: Option<u32>,
    band: &'static str,
    plots: Vec<Plot>,
    templates: TemplateList,
    /// Address of the next templates.
    more_templates: Option<String>,
    findings: Vec<SiteFindingRow>,
    /// How many findings there are, and how many of each severity; in words.
    total: String,
    counts: String,
    /// Address, name, and whether it is the chosen one, of each filter by severity.
    chips: Vec<(String, &'static str, bool)>,
    words: String,
    severity: &'static str,
    more: Option<String>,
}

/// A finding in the list.
struct SiteFindingRow {
    finding: SiteFindingListed,
    class: &'static str,
    word: &'static str,
    scope: String,
    gain: String,
    /// Heading of its addresses.
    addresses: String,
}

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
    run: SiteRunAnswer,
    page: sites::PageListed,
    answer: &'static str,
    band: &'static str,
    findings: Vec<SitePageFinding>,
}

/// A finding of one page.
struct SitePageFinding {
    class: &'static str,
    word: &'static str,
    title: &'static str,
    finding: Finding<String>,
    fix: Option<Fix<String>>,
}

impl SiteVisit {
    async fn run(&self, id: &str) -> Result<SiteRunAnswer, ServiceError> {
        let run = sites::read(&self.cx, id, Duration::ZERO).await?;
        SiteRunAnswer::whole(&self.cx.services, &run, self.reader.lang)
    }

    fn frame(&self) -> Frame<'_> {
        Frame::new(&self.cx.services, self.reader).below("/workspace").keeping_query(self.query.as_deref())
    }
}

/// Progress or report.
pub(crate) async fn show(State(services): State<Services>, id: InPath<String>, request: Request) -> Response {
    let (parts, _) = request.into_parts();
    answered(&services, &parts, async |visit| {
        let run = visit.run(&named(id)?).await?;
        let report = match run.status {
            SiteRunStatus::Finished => Some(SiteReportView::of(visit, &run).await?),
            SiteRunStatus::Running | SiteRunStatus::Failed => None,
        };
        const AUDITED: Text =
            text("{pages} {pages|page|pages} audited", "{pages} {pages|página auditada|páginas auditadas}");
        const FREE: Text = text("{audits} free {audits|audit|audits}", "{audits} {audits|auditoria|auditorias} grátis");
        const PROGRESS: Text = text(
            "{done} of {found} {found|address|addresses} done, {failed} failed.",
            "{done} de {found} {found|endereço concluído|endereços concluídos}, {failed} com falha.",
        );
        let lang = visit.reader.lang;
        let progress = run.progress;
        let progress = [
            ("done", progress.done.into()),
            ("found", (progress.done + progress.left).into()),
            ("failed", progress.failed.into()),
        ];
        let page = SiteRunPage {
            frame: visit.frame(),
            csrf: csrf::of_call(&visit.cx)?,
            status: status_word(run.status).in_lang(lang),
            audited: AUDITED.phrase(&[("pages", run.progress.audited.into())]).in_lang(lang).to_owned(),
            free_audits: match run.spending.free_audits {
                0 => String::new(),
                free => FREE.phrase(&[("audits", free.into())]).in_lang(lang).to_owned(),
            },
            progress: PROGRESS.phrase(&progress).in_lang(lang).to_owned(),
            is_running: run.status == SiteRunStatus::Running,
            is_own: visit.cx.caller.owner().is_some_and(|owner| owner.to_string() == run.owner),
            changes: ChangeView::of(&run, lang),
            repeat: match report {
                Some(_) => RepeatForm::of(visit, &run)?,
                None => None,
            },
            report,
            files: FILES.map(|(name, ..)| name),
            run,
        };
        Ok(html(StatusCode::OK, &page, lang))
    })
    .await
}

impl SiteReportView {
    async fn of(visit: &SiteVisit, run: &SiteRunAnswer) -> Result<Self, ServiceError> {
        let (cx, lang) = (&visit.cx, visit.reader.lang);
        let words = visit.parameter("q").unwrap_or_default();
        let chosen = visit.parameter("severity");
        let chosen = [Severity::Error, Severity::Warn, Severity::Info]
            .into_iter()
            .find(|severity| chosen.as_deref() == Some(severity.word()));
        let wish =
            FindingsWish { code: None, severity: chosen, words: Some(words.clone()).filter(|words| !words.is_empty()) };
        let cursor = visit.parameter("cursor");
        let list = sites::findings(cx, &run.id, wish, cursor.as_deref()).await?;
        let templates = sites::templates(cx, &run.id, visit.parameter("templates").as_deref()).await?;
        let more_templates = templates.cursor.as_deref().map(|cursor| {
            // A number of ours: nothing in it is to be escaped.
            format!("{PATH}/{}?templates={cursor}&lang={}#templates", run.id, lang.tag())
        });
        const TOTAL: Text = text("{findings} {findings|finding|findings}", "{findings} {findings|achado|achados}");
        const COUNTS: Text = text(
            "{errors} {errors|error|errors}, {warnings} {warnings|warning|warnings}, {notes} {notes|note|notes}.",
            "{errors} {errors|erro|erros}, {warnings} {warnings|aviso|avisos}, {notes} {notes|nota|notas}.",
        );
        let counts = run.figures.as_ref().map(|figures| {
            let (errors, warnings, notes) = (figures.errors, figures.warnings, figures.notes);
            let values = [("errors", errors.into()), ("warnings", warnings.into()), ("notes", notes.into())];
            COUNTS.phrase(&values).in_lang(lang).to_owned()
        });
        let address = |severity: &str, cursor: Option<&str>| {
            let mut query = url::form_urlencoded::Serializer::new(String::new());
            for (name, value) in [("severity", severity), ("q", words.as_str()), ("cursor", cursor.unwrap_or_default())]
            {
                if !value.is_empty() {
                    query.append_pair(name, value);
                }
            }
            query.append_pair("lang", lang.tag());
            format!("{PATH}/{}?{}#findings", run.id, query.finish())
        };
        let severity_word = chosen.map_or("", Severity::word);
        let mut chips = vec![(address("", None), text("All", "Todos").in_lang(lang), chosen.is_none())];
        for (one, name) in [
            (Severity::Error, text("Errors", "Erros")),
            (Severity::Warn, text("Warnings", "Avisos")),
            (Severity::Info, text("Notes", "Notas")),
        ] {
            chips.push((address(one.word(), None), name.in_lang(lang), chosen == Some(one)));
        }
        let score = run.figures.as_ref().and_then(|figures| figures.score);
        Ok(Self {
            score,
            band: band(score),
            plots: plots(&sites::charts(cx, &run.id).await?, lang),
            templates,
            more_templates,
            counts: counts.unwrap_or_default(),
            more: list.cursor.as_deref().map(|cursor| address(severity_word, Some(cursor))),
            total: TOTAL.phrase(&[("findings", list.total.into())]).in_lang(lang).to_owned(),
            findings: list.findings.into_iter().map(|finding| SiteFindingRow::of(finding, lang)).collect(),
            chips,
            words,
            severity: severity_word,
        })
    }
}

impl SiteFindingRow {
    fn of(finding: SiteFindingListed, lang: Lang) -> Self {
        let (class, word) = severity(finding.severity, lang);
        let scope = match (finding.scope, &finding.template) {
            (_, Some(name)) => {
                const TEMPLATE: Text = text("template {name}", "modelo {name}");
                TEMPLATE.phrase(&[("name", name.as_str().into())]).in_lang(lang).to_owned()
            }
            ("between_pages", _) => text("across pages", "entre páginas").in_lang(lang).to_owned(),
            ("site", _) => text("whole site", "site inteiro").in_lang(lang).to_owned(),
            _ => text("individual pages", "páginas individuais").in_lang(lang).to_owned(),
        };
        let gain = render::site_report::gain(finding.gain, lang);
        let addresses = addresses(finding.cases.len(), finding.total).in_lang(lang).to_owned();
        Self { class, word, scope, gain, addresses, finding }
    }
}

/// The distribution of scores, of clicks from the first page, and of answers.
fn plots(charts: &SiteCharts, lang: Lang) -> Vec<Plot> {
    const SCORES: Text = text("Pages by score", "Páginas por nota");
    const DEPTHS: Text = text("Pages by clicks from the first page", "Páginas por cliques a partir da primeira página");
    const ANSWERS: Text = text("Addresses by answer", "Endereços por resposta");
    let heads = |first: Text, second: Text| vec![first.in_lang(lang), second.in_lang(lang)];
    let row = |(name, count): (String, u32)| (vec![name, number(count.into(), lang)], Some(value(count.into())));
    let pages = text("Pages", "Páginas");
    let scores = charts.scores.iter().cloned().map(row).collect();
    let depths = charts.depths.iter().cloned().map(row).collect();
    let answers = charts.answers.iter();
    let answers = answers.map(|(word, count)| row((answer_word(word).in_lang(lang).to_owned(), *count))).collect();
    vec![
        Plot::by_name("scores", SCORES.in_lang(lang), heads(text("Score", "Nota"), pages), scores),
        Plot::by_name("depths", DEPTHS.in_lang(lang), heads(text("Clicks", "Cliques"), pages), depths),
        Plot::by_name(
            "answers",
            ANSWERS.in_lang(lang),
            heads(text("Answer", "Resposta"), text("Addresses", "Endereços")),
            answers,
        ),
    ]
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
            list.findings.into_iter().map(|finding| SiteFindingRow::of(finding, visit.reader.lang)).collect();
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
        let sites::PageDetail { page, issues, mut fixes } = sites::page(&visit.cx, &id, number, lang).await?;
        let findings = issues.into_iter().map(|finding| {
            let at = fixes.iter().position(|fix| fix.code == finding.code);
            let (class, word) = severity(finding.severity, lang);
            let title = audit::checks::find(&finding.code).map_or("", |check| check.title.in_lang(lang));
            SitePageFinding { class, word, title, fix: at.map(|at| fixes.remove(at)), finding }
        });
        let findings = findings.collect();
        let (answer, band) = (answer_word(&page.answer).in_lang(lang), band(page.score));
        let page = SiteOnePage { frame: visit.frame(), run, page, answer, band, findings };
        Ok(html(StatusCode::OK, &page, lang))
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
