//! The report of a site.

use std::collections::{BTreeMap, BTreeSet};

use audit::score::weight;
use model::finding::Severity;
use model::lang::{Lang, Phrase, Text, text};
use schemars::JsonSchema;
use serde::Serialize;

use crate::check::{Case, SiteCheck, Unmeasured, pages_of};
use crate::checks;
use crate::facts::{PageId, SiteFacts, Template};
use crate::fold::{Fold, FoldScope, folds, is_of_server};
use crate::page_facts::{PageRole, RunLimit};
use crate::points::{Points, SCORE_BARS, TemplatePoints, points_of};

/// Cases kept of one finding, and pages of one case or folded finding: a report is read, the tables have all.
const MOST_LISTED: usize = 1_000;
/// Clicks from which on depths are one bar.
pub const DEEPEST_BAR: u32 = 10;

/// What is said of a site. With [`Phrase`] in both languages, with `String` in one.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "SiteReportBody")]
pub struct SiteReport<T = Phrase> {
    /// Address of the first page.
    pub url: String,
    /// What the first page answered, as in `answers`: `page` where it was audited; null where it was not asked.
    pub start_answer: Option<&'static str>,
    /// Mean of the scores of all pages, each weighed by its internal PageRank and after what the findings of the site take,
    /// 0 to 100; null where no page was audited.
    pub score: Option<u32>,
    /// Whether the limits of the run left nothing out.
    pub complete: bool,
    /// The limits that left addresses out.
    pub limits: BTreeSet<RunLimit>,
    /// Sitemaps that were named and could not be read to their end.
    pub unread_sitemaps: Vec<String>,
    /// Addresses by what they answered: `page`, `redirect`, `client_error`, `server_error`, `no_response`, `blocked`, `file`.
    pub answers: BTreeMap<&'static str, u32>,
    /// Pages by score: from 0 to 9, from 10 to 19 … from 90 to 100.
    #[schemars(with = "Vec<u32>")]
    pub scores: [u32; SCORE_BARS],
    /// Pages by clicks from the first page, the last for 10 and more.
    pub depths: Vec<u32>,
    /// Pages that no way of links leads to.
    pub unreached: u32,
    /// Findings of the site, the most severe first, then by what a fix gains.
    pub findings: Vec<SiteFinding<T>>,
    /// Findings of its pages, those of the whole site and of templates first, then by what a fix gains.
    pub page_findings: Vec<FoldedFinding<T>>,
    /// Templates, the largest first.
    pub templates: Vec<TemplateView>,
    /// Checks of the site that found nothing, in a run that left nothing out.
    pub passed: Vec<&'static str>,
    /// Checks of the site that were not measured, with the reason: `limit`, `not_asked`, `sitemap`, `absent`.
    pub not_measured: BTreeMap<&'static str, &'static str>,
    /// Score of each page after findings of the site. The tables have it.
    #[serde(skip)]
    pub page_scores: BTreeMap<PageId, u32>,
}

/// A finding of the site.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "SiteReportFinding")]
pub struct SiteFinding<T = Phrase> {
    /// Its code.
    pub code: &'static str,
    /// How bad it is.
    pub severity: Severity,
    /// What is wrong, as a heading.
    pub title: T,
    /// What is said of all cases together.
    pub message: T,
    /// How to fix it.
    pub fix: T,
    /// Number of cases.
    pub total: usize,
    /// Points that the score of the site gains without it. All gains of a page add up to what it lost.
    pub gain: f64,
    /// Cases, at most 1,000.
    pub cases: Vec<CaseView<T>>,
}

/// A case of a finding.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "SiteReportCase")]
pub struct CaseView<T = Phrase> {
    /// The address concerned.
    pub url: String,
    /// What is the matter with it.
    pub note: T,
    /// Number of pages to change.
    pub total: usize,
    /// Pages to change, at most 1,000. Each is its address and what to look for there: the text of a link, a value.
    #[schemars(with = "Vec<Vec<String>>")]
    pub pages: Vec<(String, String)>,
}

/// Findings of one code on pages, with one cause.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "SitePagesFinding")]
pub struct FoldedFinding<T = Phrase> {
    /// The code of the page check.
    pub code: String,
    /// The most severe among the pages.
    pub severity: Severity,
    /// What is wrong, as a heading.
    pub title: T,
    /// Where it is, and where to fix it.
    pub message: T,
    /// How to fix it, Markdown.
    pub fix: T,
    /// Where to fix it.
    pub scope: Scope,
    /// Pages that have it.
    pub total: usize,
    /// Pages of the template, or of the site; 0 for findings of single pages.
    pub of: usize,
    /// Points that the score of the site gains without it. All gains of a page add up to what it lost.
    pub gain: f64,
    /// Pages that have it, at most 1,000.
    pub pages: Vec<String>,
    /// Pages of the template, or of the site, that do not have it there, at most 1,000.
    pub exceptions: Vec<String>,
}

/// Where a finding of pages is fixed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "SiteReportScope")]
pub enum Scope {
    /// Once, for all pages.
    Site,
    /// Once, in the template of this name.
    Template(String),
    /// On each page.
    Pages,
}

/// A template.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "SiteReportTemplate")]
pub struct TemplateView {
    /// Where its pages are: `/product/…`.
    pub name: String,
    /// The page with the highest rank.
    pub example: String,
    /// Number of its pages.
    pub pages: usize,
    /// Mean score of its pages; null where none was audited.
    pub score: Option<u32>,
    /// Points that the score of the site gains when all that is said of the template is fixed.
    pub gain: f64,
}

/// Judges a site.
pub fn report(site: &SiteFacts) -> SiteReport {
    let mut found: Vec<(&'static SiteCheck, Vec<Case>)> = Vec::new();
    let (mut passed, mut not_measured) = (Vec::new(), BTreeMap::new());
    for check in checks::all() {
        match (check.run)(site) {
            // What was left out may have what was not found.
            Ok(cases) if cases.is_empty() && !site.complete => {
                not_measured.insert(check.code, Unmeasured::Incomplete.word());
            }
            Ok(cases) if cases.is_empty() => passed.push(check.code),
            Ok(cases) => found.push((check, cases)),
            Err(reason) => {
                not_measured.insert(check.code, Unmeasured::word(reason));
            }
        }
    }
    let points = Points::of(site, &found);
    let mut findings: Vec<SiteFinding> =
        found.into_iter().map(|(check, cases)| finding(site, check, cases, &points)).collect();
    findings.sort_by(|a, b| a.severity.cmp(&b.severity).then(b.gain.total_cmp(&a.gain)));
    let mut page_findings: Vec<FoldedFinding> = Vec::new();
    let mut of_templates = TemplatePoints::default();
    folds(site, &mut |fold| {
        of_templates.note(site, &fold);
        page_findings.push(folded(site, &fold, &points));
    });
    let templates = templates(site, of_templates, &points);
    page_findings.sort_by(|a, b| {
        let is_alone = |one: &FoldedFinding| one.scope == Scope::Pages;
        is_alone(a)
            .cmp(&is_alone(b))
            .then(b.gain.total_cmp(&a.gain))
            .then(a.severity.cmp(&b.severity))
            .then(b.total.cmp(&a.total))
    });
    SiteReport {
        url: site.start().map(|start| site.url(start)).unwrap_or_default(),
        start_answer: site.start().and_then(|start| site.page(start)).map(|page| page.answer.word()),
        score: points.score(),
        complete: site.complete,
        limits: site.limits.clone(),
        unread_sitemaps: site.unread_sitemaps.clone(),
        answers: answers(site),
        scores: points.bars(),
        depths: depths(site),
        unreached: count(site.documents().filter(|(id, _, _)| site.depth(*id).is_none()).count()),
        findings,
        page_findings,
        templates,
        passed,
        not_measured,
        page_scores: points.scores(),
    }
}

fn count(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

fn finding(site: &SiteFacts, check: &'static SiteCheck, cases: Vec<Case>, points: &Points) -> SiteFinding {
    let pages: BTreeSet<PageId> = pages_of(&cases);
    let values = [("cases", cases.len().into()), ("pages", pages.len().into())];
    SiteFinding {
        code: check.code,
        severity: check.severity,
        title: check.title.into(),
        message: check.message.phrase(&values),
        fix: check.how.into(),
        total: cases.len(),
        gain: points.gain(pages.into_iter().map(|page| (page, weight(check.severity)))),
        cases: cases.into_iter().take(MOST_LISTED).map(|case| view(site, case)).collect(),
    }
}

fn view(site: &SiteFacts, case: Case) -> CaseView {
    let total = case.places.len();
    let places = case.places.into_iter().take(MOST_LISTED);
    let pages = places.map(|place| (site.url(place.page), place.detail)).collect();
    CaseView { url: case.subject, note: case.note, total, pages }
}

fn folded(site: &SiteFacts, fold: &Fold, points: &Points) -> FoldedFinding {
    const NO_TEXT: Text = text("", "");
    let urls = |pages: &[PageId]| pages.iter().take(MOST_LISTED).map(|id| site.url(*id)).collect();
    let code = site.codes.get(usize::from(fold.code)).cloned().unwrap_or_default();
    let scope = match fold.cause {
        FoldScope::Site => Scope::Site,
        FoldScope::Template(at) => {
            Scope::Template(site.templates().all.get(at).map(|one| one.name.clone()).unwrap_or_default())
        }
        FoldScope::Pages => Scope::Pages,
    };
    let check = audit::checks::find(&code);
    FoldedFinding {
        title: check.map_or_else(|| Phrase::verbatim(&*code), |check| check.title.into()),
        message: place(&scope, &code, fold),
        fix: check.map_or(NO_TEXT, |check| check.how).into(),
        code,
        severity: fold.severity,
        scope,
        total: fold.pages.len(),
        of: fold.of,
        gain: points.gain(fold.pages.iter().map(|page| (*page, points_of(site, *page, fold.code)))),
        pages: urls(&fold.pages),
        exceptions: urls(&fold.exceptions),
    }
}

/// Where a folded finding is, and where to fix it.
fn place(scope: &Scope, code: &str, fold: &Fold) -> Phrase {
    const SERVER: Text = text(
        "On {count} of {of} {of|page|pages} of the site. Fix it on the server.",
        "Em {count} de {of} {of|página|páginas} do site. Corrija no servidor.",
    );
    const SITE: Text = text(
        "On {count} of {of} pages of the site: fix it once for all.",
        "Em {count} de {of} páginas do site: corrija uma vez para todas.",
    );
    const TEMPLATE: Text = text(
        "On {count} of {of} pages of the template of {name}: fix it in the template.",
        "Em {count} de {of} páginas do template de {name}: corrija no template.",
    );
    const PAGES: Text = text("On {count} {count|page|pages}.", "Em {count} {count|página|páginas}.");
    let values = |name: &str| [("count", fold.pages.len().into()), ("of", fold.of.into()), ("name", name.into())];
    match scope {
        Scope::Site if is_of_server(code) => SERVER.phrase(&values("")),
        Scope::Site => SITE.phrase(&values("")),
        Scope::Template(name) => TEMPLATE.phrase(&values(name)),
        Scope::Pages => PAGES.phrase(&values("")),
    }
}

fn templates(site: &SiteFacts, mut without: TemplatePoints, points: &Points) -> Vec<TemplateView> {
    let page_scores = points.scores();
    let view = |(at, template): (usize, &Template)| {
        let scores: Vec<u32> = template.pages.iter().filter_map(|id| page_scores.get(id).copied()).collect();
        let mean = (!scores.is_empty()).then(|| scores.iter().sum::<u32>() / count(scores.len()));
        TemplateView {
            name: template.name.clone(),
            example: site.url(template.example),
            pages: template.pages.len(),
            score: mean,
            gain: points.gain(without.take(at)),
        }
    };
    site.templates().all.iter().enumerate().map(view).collect()
}

fn answers(site: &SiteFacts) -> BTreeMap<&'static str, u32> {
    let mut answers = BTreeMap::new();
    for (_, page) in site.pages().filter(|(_, page)| page.role == PageRole::Page) {
        *answers.entry(page.answer.word()).or_default() += 1;
    }
    answers
}

fn depths(site: &SiteFacts) -> Vec<u32> {
    let mut bars = Vec::new();
    for depth in site.documents().filter_map(|(id, _, _)| site.depth(id)) {
        let at = depth.min(DEEPEST_BAR) as usize;
        if bars.len() <= at {
            bars.resize(at + 1, 0);
        }
        if let Some(bar) = bars.get_mut(at) {
            *bar += 1;
        }
    }
    bars
}

impl SiteReport {
    /// The report as a reader of `lang` gets it.
    pub fn in_lang(&self, lang: Lang) -> SiteReport<String> {
        let case = |case: &CaseView| CaseView {
            url: case.url.clone(),
            note: case.note.in_lang(lang).to_owned(),
            total: case.total,
            pages: case.pages.clone(),
        };
        let finding = |finding: &SiteFinding| SiteFinding {
            code: finding.code,
            severity: finding.severity,
            title: finding.title.in_lang(lang).to_owned(),
            message: finding.message.in_lang(lang).to_owned(),
            fix: finding.fix.in_lang(lang).to_owned(),
            total: finding.total,
            gain: finding.gain,
            cases: finding.cases.iter().map(case).collect(),
        };
        let folded = |finding: &FoldedFinding| FoldedFinding {
            code: finding.code.clone(),
            severity: finding.severity,
            title: finding.title.in_lang(lang).to_owned(),
            message: finding.message.in_lang(lang).to_owned(),
            fix: finding.fix.in_lang(lang).to_owned(),
            scope: finding.scope.clone(),
            total: finding.total,
            of: finding.of,
            gain: finding.gain,
            pages: finding.pages.clone(),
            exceptions: finding.exceptions.clone(),
        };
        SiteReport {
            url: self.url.clone(),
            start_answer: self.start_answer,
            score: self.score,
            complete: self.complete,
            limits: self.limits.clone(),
            unread_sitemaps: self.unread_sitemaps.clone(),
            answers: self.answers.clone(),
            scores: self.scores,
            depths: self.depths.clone(),
            unreached: self.unreached,
            findings: self.findings.iter().map(finding).collect(),
            page_findings: self.page_findings.iter().map(folded).collect(),
            templates: self.templates.clone(),
            passed: self.passed.clone(),
            not_measured: self.not_measured.clone(),
            page_scores: self.page_scores.clone(),
        }
    }
}
