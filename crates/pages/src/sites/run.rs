//! One run: its progress while it runs, then its report.

use askama::Template;
use axum::extract::{Request, State};
use axum::response::Response;
use http::StatusCode;
use model::finding::{Counts, Severity};
use model::lang::{Text, text};
use render::band::Band;
use service::Services;
use service::error::ServiceError;
use service::sites::{self, FindingsWish, SiteOptions, SiteRunAnswer, SiteRunStatus, TemplateList};
use std::time::Duration;
use url::form_urlencoded::Serializer;

use super::below::FILES;
use super::rows::{SiteFindingRow, plots};
use super::watch::{ChangeView, RepeatForm};
use super::{InPath, PATH, SiteVisit, answered, named, status_word};
use crate::csrf;
use crate::filters;
use crate::frame::Frame;
use crate::plot::Plot;
use crate::response::html;

/// Findings in "fix first", as in the report of a page.
const FIRST: usize = 3;

#[derive(Template)]
#[template(path = "site_run.html")]
struct SiteRunPage<'a> {
    frame: Frame<'a>,
    csrf: Option<String>,
    run: SiteRunAnswer,
    /// What is said of the site, or of the audit while it has no report: a sentence.
    verdict: &'static str,
    is_failed: bool,
    status: &'static str,
    /// How many pages were audited, how many of them by free audits, and how far the run is; in words.
    audited: String,
    free_audits: String,
    progress: String,
    is_running: bool,
    /// Whether the reader may delete it: members of an organization only read its runs.
    is_own: bool,
    /// Address of the form with the options of this run.
    again: String,
    report: Option<SiteReportView>,
    changes: Option<ChangeView>,
    repeat: Option<RepeatForm>,
    /// Names of the files to take along.
    files: [&'static str; 4],
}

impl SiteRunPage<'_> {
    /// The title of a check, as its code names it.
    fn title<'c>(&self, code: &'c str) -> &'c str {
        audit::checks::find(code).map_or(code, |check| check.title.in_lang(self.frame.reader.lang))
    }
}

/// What a finished run found.
struct SiteReportView {
    score: Option<u32>,
    /// The band of the score in a word or two.
    word: &'static str,
    plots: Vec<Plot>,
    templates: TemplateList,
    /// Address of the next templates.
    more_templates: Option<String>,
    first: Vec<SiteFindingRow>,
    findings: Vec<SiteFindingRow>,
    /// How many findings there are, in words.
    total: String,
    chips: Vec<SeverityChip>,
    words: String,
    severity: &'static str,
    more: Option<String>,
}

/// A filter by severity.
struct SeverityChip {
    address: String,
    name: &'static str,
    /// Findings that it shows.
    count: u32,
    is_chosen: bool,
}

/// Progress or report.
pub(crate) async fn show(State(services): State<Services>, id: InPath<String>, request: Request) -> Response {
    let (parts, _) = request.into_parts();
    answered(&services, &parts, async |visit| {
        let record = sites::read(&visit.cx, &named(id)?, Duration::ZERO).await?;
        let run = SiteRunAnswer::whole(&services, &record, visit.reader.lang)?;
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
            verdict: verdict(&run).in_lang(lang),
            is_failed: run.status == SiteRunStatus::Failed,
            status: status_word(run.status).in_lang(lang),
            audited: AUDITED.phrase(&[("pages", run.progress.audited.into())]).in_lang(lang).to_owned(),
            free_audits: match run.spending.free_audits {
                0 => String::new(),
                free => FREE.phrase(&[("audits", free.into())]).in_lang(lang).to_owned(),
            },
            progress: PROGRESS.phrase(&progress).in_lang(lang).to_owned(),
            is_running: run.status == SiteRunStatus::Running,
            is_own: visit.cx.caller.owner().is_some_and(|owner| owner.to_string() == run.owner),
            again: again(&run.url, &record.options, lang.tag()),
            changes: ChangeView::of(&run, lang),
            repeat: report.as_ref().and_then(|_| RepeatForm::of(visit, &run)),
            report,
            files: FILES.map(|(name, ..)| name),
            run,
        };
        Ok(html(StatusCode::OK, &page, lang))
    })
    .await
}

/// What is said of a run above everything else.
fn verdict(run: &SiteRunAnswer) -> Text {
    const RUNNING: Text = text("The audit of the site is running.", "A auditoria do site está em andamento.");
    const FAILED: Text = text("The audit failed.", "A auditoria falhou.");
    const NOTHING: Text = text("No page could be audited.", "Nenhuma página pôde ser auditada.");
    const GOOD: Text = text("No serious issues found.", "Nenhum problema sério encontrado.");
    match run.status {
        SiteRunStatus::Running => RUNNING,
        SiteRunStatus::Failed => FAILED,
        SiteRunStatus::Finished => match run.figures.as_ref().and_then(|figures| figures.score).map(Band::of) {
            None => NOTHING,
            Some(Band::Good) => GOOD,
            Some(band) => band.verdict(),
        },
    }
}

/// Address of the form that begins a run, filled in with the options of this one.
fn again(url: &str, options: &str, lang: &str) -> String {
    let mut query = Serializer::new(String::new());
    query.append_pair("lang", lang).append_pair("url", url);
    // A newer program may not be able to read the options of an old run: the form is empty then.
    if let Ok(options) = serde_json::from_str::<SiteOptions>(options) {
        query.append_pair("max_pages", &options.max_pages.to_string());
        for (name, patterns) in [("include", &options.include), ("exclude", &options.exclude)] {
            if !patterns.is_empty() {
                query.append_pair(name, &patterns.join("\n"));
            }
        }
    }
    format!("{PATH}?{}#url", query.finish())
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
        let row = |finding| SiteFindingRow::of(finding, &run.id, lang);
        let list = sites::findings(cx, &run.id, wish, cursor.as_deref()).await?;
        // What is to be fixed first stays, whatever the list below shows.
        let all = sites::findings(cx, &run.id, FindingsWish::default(), None).await?.findings;
        let first = all.into_iter().filter(|finding| finding.severity != Severity::Info).take(FIRST).map(row);
        let templates = sites::templates(cx, &run.id, visit.parameter("templates").as_deref()).await?;
        let more_templates = templates.cursor.as_deref().map(|cursor| {
            // A number of ours: nothing in it is to be escaped.
            format!("{PATH}/{}?templates={cursor}&lang={}#templates", run.id, lang.tag())
        });
        const TOTAL: Text = text("{findings} {findings|finding|findings}", "{findings} {findings|achado|achados}");
        let address = |severity: &str, cursor: Option<&str>| {
            let mut query = Serializer::new(String::new());
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
        let Counts { errors, warnings, info } = list.counts;
        let chips = [
            (None, text("All", "Todos"), errors + warnings + info),
            (Some(Severity::Error), text("Errors", "Erros"), errors),
            (Some(Severity::Warn), text("Warnings", "Avisos"), warnings),
            (Some(Severity::Info), text("Notes", "Observações"), info),
        ]
        .map(|(severity, name, count)| SeverityChip {
            address: address(severity.map_or("", Severity::word), None),
            name: name.in_lang(lang),
            count,
            is_chosen: chosen == severity,
        });
        let score = run.figures.as_ref().and_then(|figures| figures.score);
        Ok(Self {
            score,
            word: score.map_or("", |score| Band::of(score).word().in_lang(lang)),
            first: first.collect(),
            plots: plots(&sites::charts(cx, &run.id).await?, lang),
            templates,
            more_templates,
            more: list.cursor.as_deref().map(|cursor| address(severity_word, Some(cursor))),
            total: TOTAL.phrase(&[("findings", list.total.into())]).in_lang(lang).to_owned(),
            findings: list.findings.into_iter().map(row).collect(),
            chips: chips.into(),
            words,
            severity: severity_word,
        })
    }
}
