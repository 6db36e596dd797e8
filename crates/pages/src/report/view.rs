//! The page of a report: for its owner, for the person who ran it just now, or public.

use std::collections::BTreeMap;

use askama::Template;
use audit::score;
use model::finding::{Finding, Severity};
use model::fix::FixClass;
use model::lang::{Lang, text};
use model::report::Report;
use model::searchable::SearchState;
use model::time::Timestamp;
use url::form_urlencoded::byte_serialize;

use super::change::RunChange;
use super::decision::{Decision, decision};
use super::facts::{PageFact, facts};
use super::filter::{Filter, FilterView};
use super::findings::{self, CheckLink, FindingView, First, Loss, PathRow, SubjectBar, bars, named};
use super::lab::{self, LabSection};
use super::owner::{OwnerView, asks, owner};
use super::previews::{Previews, previews};
use super::public::public;
use super::shown::{EXAMPLE_PATH, Eyes, Shown};
use super::tables::{DetailTable, tables};
use super::take_along::{TakeAlong, take_along};
use crate::address::Addresses;
use crate::card::Card;
use crate::frame::Frame;
use crate::reader::Reader;
use crate::{assets, filters};
use render::band::{Band, UNREACHED};
use render::catalog;
use render::{reason, shown};
use service::Services;
use service::shares::report_path;

/// Findings of a report from which its page shows only [`WHOLE`] of them whole, and the others in short, as the notes. Chosen: a
/// page of so many stays below 120 KB without that.
const VERY_LONG: usize = 60;
/// Findings that such a page shows whole. Chosen: with these a page of 100 findings with a filmstrip stays below 120 KB for its
/// owner, who sees most.
const WHOLE: usize = 7;

/// Findings of a report from which its page shows notes in short, and links names of checks no more. Chosen: a page of 100
/// findings stays below 120 KB, and more than this nobody reads in one go.
const LONG: usize = 40;

#[derive(Template)]
#[template(path = "report.html")]
pub(crate) struct ReportPage<'a> {
    frame: Frame<'a>,
    script: &'static str,
    /// With its host in letters too.
    url: String,
    /// RFC 3339.
    created_at: String,
    /// For a reader, to the minute.
    created_at_short: String,
    /// How long ago that is.
    age: String,
    /// Path of the page; `None` where it has no address.
    path: Option<String>,
    /// What only the owner sees.
    owner: Option<OwnerView<'a>>,
    /// What changed since the run before.
    change: Option<RunChange<'a>>,
    /// Of a public page.
    slug: Option<&'a str>,
    /// Path of the page with all findings, for links to one of them where the page shows only some; else empty.
    whole_path: String,
    /// Whether it is the example.
    is_example: bool,
    /// The first page, with its form filled in.
    again_address: String,
    /// Metadata and addresses of a public page.
    card: Option<Card>,
    addresses: Option<Addresses>,
    /// What is said of a page that no search engine can show.
    alarm: Option<&'a str>,
    /// That a search engine can show it, or that this is unknown.
    searchable: Option<&'a str>,
    /// What its owner has to decide, where a noindex hides it.
    decision: Option<Decision<'a>>,
    /// Notice at the top of the report.
    notice: Option<String>,
    /// For paper: everything is open.
    is_print: bool,
    /// `None` where the page could not be reached.
    score: Option<u32>,
    /// The band in a word or two.
    word: &'static str,
    /// The band in a sentence.
    verdict: &'static str,
    /// Pieces of the score's ruler: what each finding takes.
    losses: Vec<Loss<'a>>,
    /// There are too many of them to write in each.
    is_dense: bool,
    errors: u32,
    warnings: u32,
    infos: u32,
    /// Points that all errors take, and all warnings.
    taken: [u32; 2],
    /// That the findings cost more than there are points.
    over_full: Option<String>,
    /// The order of the findings, in a sentence.
    order: Option<&'static str>,
    bars: Vec<SubjectBar>,
    longest_bar: u32,
    first: Vec<First<'a>>,
    take_along: Option<TakeAlong>,
    /// Whether the source of the page has ready fixes.
    has_ready: bool,
    steps: Vec<PathRow>,
    filter: Option<FilterView<'a>>,
    findings: Vec<FindingView<'a>>,
    /// Titles of those that cost no points.
    notes: Vec<&'static str>,
    /// Whether there are so many that the page shows less of each.
    is_long: bool,
    /// Whether that is true of findings that cost points too: then it is not the page to print.
    is_abridged: bool,
    /// How many there are, shown or not.
    findings_total: usize,
    /// The tool whose findings come first.
    tool: Option<ToolView>,
    /// Lab tests and real visitors.
    lab: Option<LabSection<'a>>,
    previews: Previews,
    /// What the page declares.
    facts: Vec<PageFact>,
    redirects: Vec<String>,
    tables: Vec<DetailTable>,
    headers: Vec<(&'a str, &'a str)>,
    passed: Vec<CheckLink>,
    /// How many checks were not measured, and which, by reason.
    not_measured: (usize, BTreeMap<String, Vec<CheckLink>>),
    head: &'a str,
    /// Path on the host and content of each file of the patch.
    files: Vec<(&'a str, &'a str)>,
    truncated: bool,
    /// That JSON-LD nodes were left out.
    json_ld_left_out: Option<String>,
}

/// The tool that a report was asked for with.
struct ToolView {
    title: &'static str,
    /// The question that it answers.
    question: &'static str,
    address: String,
    /// How many findings are its own.
    findings: usize,
    /// Their codes and titles.
    own: Vec<(String, &'static str)>,
}

impl ReportPage<'_> {
    /// Whether a form of the page was refused.
    fn is_refused(&self) -> bool {
        let form = self.owner.as_ref().and_then(|owner| owner.alert_form.as_ref());
        form.is_some_and(|form| form.problem.is_some())
    }
}

/// The page of a report. `filter` is what its query asks for.
// Long, as it fills one template: a line for each field.
pub(crate) fn view<'a>(services: &'a Services, reader: Reader, shown: Shown<'a>, filter: &'a Filter) -> ReportPage<'a> {
    let lang = reader.lang;
    let Shown { report, created_at, eyes, tool, query } = shown;
    let (before, path) = match eyes {
        Eyes::Owner(own) => (own.before, Some(format!("/reports/{}", own.id))),
        Eyes::Anybody { slug } => (None, Some(report_path(slug))),
        Eyes::Example => (None, Some(EXAMPLE_PATH.to_owned())),
        Eyes::Asker | Eyes::Holder => (None, None),
    };
    let snoozes = match eyes {
        Eyes::Owner(own) => own.snoozes,
        Eyes::Asker | Eyes::Holder | Eyes::Anybody { .. } | Eyes::Example => &[],
    };
    let is_own = |code: &str| tool.is_some_and(|family| catalog::has(family, code));
    let all = score::most_urgent(&report.findings, &report.fixes);
    let mut wanted: Vec<_> = all.filter(|(finding, _)| filter.takes(finding)).collect();
    // Stable: within the tool's own and the others the most urgent stay first.
    wanted.sort_by_key(|(finding, _)| !is_own(&finding.code));
    // Only a run that found no page has no summary.
    let score = report.summary.is_some().then_some(report.score);
    let is_reached = score.is_some();
    let band = Band::of(report.score);
    let (card, addresses) = public(services, reader, &shown).unzip();
    let created = created_at.to_string();
    let cost: u32 = report.findings.iter().map(|finding| score::weight(finding.severity)).sum();
    let (bars, longest_bar) = bars(&report.findings, path.as_deref(), lang);
    let summary = report.summary.as_ref();
    let decision = decision(report, lang);
    let is_elsewhere = |code: &str| {
        let is_decided = decision.as_ref().is_some_and(|decision| decision.finding.code == code);
        is_decided || snoozes.iter().any(|snooze| snooze.code == code)
    };
    let first = findings::first(&report.findings, &report.fixes, is_elsewhere, score.map(|_| cost), lang);
    let losses = findings::losses(&report.findings, &report.fixes, lang);
    let is_long = wanted.len() > LONG && path.is_some() && !is_print(query);
    let tool_name = tool.map(|family| family.slug);
    // All of its severity, with the one that was followed open.
    let has_short = is_long && !filter.is_set();
    let is_abridged = has_short && wanted.len() > VERY_LONG;
    let whole = |at: usize, finding: &Finding| {
        let is_short = has_short && (finding.severity == Severity::Info || (is_abridged && at >= WHOLE));
        let address = is_short.then(|| filter.address("", tool_name, Some(finding.severity), None))?;
        let (address, _) = address.split_once('#')?;
        Some(format!("{address}#f-{}", finding.code))
    };
    ReportPage {
        frame: Frame::new(services, reader).below("/"),
        script: assets::REPORT_PATH,
        url: shown::address(&report.url),
        created_at_short: shown::minute(created_at, lang),
        created_at: created,
        age: shown::age(created_at, services.ports().now(), lang),
        owner: owner(services, score, &eyes, query, lang),
        change: before.map(|before| RunChange::of(before, services.ports().now(), lang)),
        slug: match eyes {
            Eyes::Anybody { slug } => Some(&slug.0),
            _ => None,
        },
        whole_path: path
            .as_deref()
            .filter(|_| filter.is_set())
            .map_or_else(String::new, |path| format!("{path}?lang={}", lang.tag())),
        is_example: matches!(eyes, Eyes::Example),
        again_address: format!(
            "/?lang={}&url={}",
            lang.tag(),
            byte_serialize(report.url.as_bytes()).collect::<String>()
        ),
        card,
        addresses,
        alarm: report.alarm(lang),
        searchable: searchable(report, lang),
        decision,
        notice: notice(&eyes, created_at, lang),
        is_print: is_print(query),
        score,

        word: band.word().in_lang(lang),
        verdict: if is_reached { band.verdict().in_lang(lang) } else { UNREACHED.in_lang(lang) },
        is_dense: losses.len() > findings::MOST_PIECES,
        losses: if is_reached { losses } else { Vec::new() },
        errors: report.counts.errors,
        warnings: report.counts.warnings,
        infos: report.counts.info,
        taken: [(report.counts.errors, Severity::Error), (report.counts.warnings, Severity::Warn)]
            .map(|(count, severity)| count * score::weight(severity)),
        over_full: findings::over_full(cost, lang).filter(|_| is_reached),
        order: findings::order(&report.findings, lang).filter(|_| tool.is_none()),
        bars,
        longest_bar,
        first,
        take_along: take_along(&report.url, services.base_url(), &report.findings, &report.fixes, lang),
        has_ready: has_ready(report),
        // A path that ends at the score of today leads nowhere that is seen.
        steps: findings::steps(&report.path, lang).into_iter().filter(|step| step.score_after > report.score).collect(),
        tool: tool.map(|family| ToolView {
            title: family.landing.title.in_lang(lang),
            question: family.landing.h1.in_lang(lang),
            address: format!("/tools/{}?lang={}", family.slug, lang.tag()),
            findings: wanted.iter().filter(|(finding, _)| is_own(&finding.code)).count(),
            own: wanted
                .iter()
                .filter(|(finding, _)| is_own(&finding.code))
                .filter_map(|(finding, _)| Some((finding.code.clone(), named(&finding.code, lang)?.title)))
                .collect(),
        }),
        filter: path
            .as_deref()
            .filter(|_| !report.findings.is_empty())
            .map(|path| filter.view(path, tool_name, report.counts, &report.findings)),
        notes: wanted
            .iter()
            .filter(|(finding, _)| finding.severity == Severity::Info)
            .filter_map(|(finding, _)| Some(named(&finding.code, lang)?.title))
            .collect(),
        findings: wanted
            .into_iter()
            .enumerate()
            .map(|(at, (finding, fix))| {
                let snooze = snoozes.iter().find(|snooze| snooze.code == finding.code);
                let snoozed = snooze.map(|snooze| (shown::date(snooze.until, lang), snooze.reason.as_str()));
                let view = findings::view(finding, fix, before.map(|before| before.change), lang);
                FindingView { snoozed, whole: whole(at, finding), ..view }
            })
            .collect(),
        is_long,
        is_abridged,
        findings_total: report.findings.len(),
        path,
        lab: lab::section(services, &shown, is_abridged, lang),
        previews: previews(report, lang),
        facts: facts(report, lang),
        redirects: summary
            .map(|s| s.redirects.iter().map(|hop| format!("{} {} → {}", hop.status, hop.url, hop.location)).collect())
            .unwrap_or_default(),
        tables: tables(report, is_abridged, lang),
        headers: report.headers.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect(),
        passed: report.coverage.passed.iter().filter_map(|code| named(code, lang)).collect(),
        not_measured: not_measured(report, lang),
        head: &report.patch.head,
        files: report.patch.files.iter().map(|file| (file.path.as_str(), file.content.as_str())).collect(),
        truncated: report.html_truncated,
        json_ld_left_out: render::format::json_ld_left_out(report, lang),
    }
}

/// Whether search engines can show the page, where they may; where they may not, it is said above everything else.
fn searchable(report: &Report, lang: Lang) -> Option<&str> {
    let searchable = report.searchable.as_ref().filter(|searchable| searchable.state != SearchState::No)?;
    Some(searchable.text.in_lang(lang))
}

/// The checks that were not measured: how many, and which by reason.
fn not_measured(report: &Report, lang: Lang) -> (usize, BTreeMap<String, Vec<CheckLink>>) {
    let mut by_reason: BTreeMap<String, Vec<CheckLink>> = BTreeMap::new();
    for (code, why) in &report.coverage.not_measured {
        if let Some(check) = named(code, lang) {
            by_reason.entry(reason::in_words(why).in_lang(lang).to_owned()).or_default().push(check);
        }
    }
    (by_reason.values().map(Vec::len).sum(), by_reason)
}

/// Whether a query asks for the page as it goes on paper.
fn is_print(query: Option<&str>) -> bool {
    asks(query, "view", "print")
}

/// Whether a fix of the page itself is ready.
pub(super) fn has_ready(report: &Report) -> bool {
    report.fixes.iter().any(|fix| fix.class == FixClass::Deterministic && fix.file.is_none())
}

/// The notice at the top of the report.
fn notice(eyes: &Eyes<'_>, created_at: Timestamp, lang: Lang) -> Option<String> {
    let notice = match eyes {
        Eyes::Owner(_) => return None,
        Eyes::Asker => text(
            "This report could not be stored, so it has no address. Save this page if you need it again.",
            "Este relatório não pôde ser guardado, então não tem endereço. Salve esta página se precisar dele de novo.",
        ),
        Eyes::Holder => text(
            "This page has no permanent address. Save it if you need it again.",
            "Esta página não tem endereço permanente. Salve-a se precisar dela de novo.",
        ),
        Eyes::Example => text(
            "An example: the page is made up, and audited with the same checks as yours.",
            "Um exemplo: a página é inventada e foi auditada com as mesmas verificações da sua.",
        ),
        Eyes::Anybody { .. } => text(
            "This is a snapshot from {date}. The page may have changed since.",
            "Este relatório é de {date}. A página pode ter mudado desde então.",
        ),
    };
    let date = shown::date(created_at, lang);
    Some(notice.phrase(&[("date", date.into())]).in_lang(lang).to_owned())
}
