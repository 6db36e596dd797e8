//! A report as a page: for its owner, for whoever asked for it just now, or for anybody at a public address.

use askama::Template;
use audit::check::Family;
use audit::score;
use model::billing::Gate;
use model::change::Change;
use model::id::{AuditId, Slug};
use model::lang::{Lang, Text, text};
use model::report::Report;
use model::time::Timestamp;
use url::form_urlencoded::byte_serialize;

use super::facts::facts;
use super::filter::{Filter, FilterView};
use super::findings::{self, Bar, FindingView, First, Named, bars, named};
use super::previews::{Previews, previews};
use super::public::public;
use crate::card::Card;
use crate::pieces::arc;
use crate::{Addresses, Frame, Reader, assets, filters};
use render::band::{Band, UNREACHED};
use render::catalog;
use render::{reason, shown};
use service::Services;
use service::shares::{Snippets, badge_path, report_path};

/// Entries of a list of the summary that a page shows; the JSON has all.
pub(super) const SHOWN: usize = 50;

/// Whose eyes a report is for.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Eyes<'a> {
    /// Its owner's, at its own address.
    Owner(Own<'a>),
    /// Of whoever asked for the audit just now: it was not kept.
    Asker,
    /// Of whoever showed the token that owns it: it has an address, but for that token only.
    Holder,
    /// Anybody's, at a public address.
    Anybody { slug: &'a Slug },
}

/// What the owner of a report knows beside it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Own<'a> {
    pub(super) id: &'a AuditId,
    /// The public address that the owner gave it.
    pub(super) share: Option<&'a Slug>,
    /// What the forms of somebody who is signed in bring along.
    pub(super) csrf: Option<&'a str>,
    /// The address as it was asked for.
    pub(super) requested_url: &'a str,
    /// What the next audit takes.
    pub(super) again: Again,
    /// The run of the page before this one, and what changed since.
    pub(super) before: Option<(&'a AuditId, &'a Change)>,
}

/// What the next audit of an owner takes.
#[derive(Debug, Clone, Copy)]
pub(super) enum Again {
    /// Nothing of the day's allowance.
    Free,
    /// One of those left of the day's.
    OneOf(u32),
    /// More than is left.
    Spent,
}

impl Again {
    /// As the gate says, which audits for free or not.
    pub(super) fn of(gate: &Gate, is_free: bool) -> Self {
        match gate.free_remaining {
            _ if is_free => Self::Free,
            0 => Self::Spent,
            left => Self::OneOf(left),
        }
    }

    fn in_words(self, lang: Lang) -> String {
        const FREE: Text =
            text("Takes none of the free audits of the day.", "Não usa nenhuma das auditorias grátis do dia.");
        const ONE: Text = text(
            "Takes one of the free audits: {n} {n|is|are} left today.",
            "Usa uma das auditorias grátis: {n|resta|restam} {n} hoje.",
        );
        const SPENT: Text = text(
            "The free audits of today are used up. There are new ones tomorrow (UTC).",
            "As auditorias grátis de hoje acabaram. Há novas amanhã (UTC).",
        );
        let (sentence, left) = match self {
            Self::Free => (FREE, 0),
            Self::OneOf(left) => (ONE, left),
            Self::Spent => (SPENT, 0),
        };
        sentence.phrase(&[("n", left.into())]).in_lang(lang).to_owned()
    }
}

/// A report to show.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Shown<'a> {
    pub(crate) report: &'a Report,
    pub(crate) created_at: Timestamp,
    pub(crate) eyes: Eyes<'a>,
    /// The tool whose findings come first.
    pub(crate) tool: Option<&'static Family>,
    /// The query of the page's address, where it has one.
    pub(crate) query: Option<&'a str>,
}

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
    /// Where the page is; `None` where it has no address.
    path: Option<String>,
    /// What only the owner sees.
    owner: Option<OwnerView<'a>>,
    /// What changed since the run before.
    change: Option<ChangeView<'a>>,
    /// Of a public page.
    slug: Option<&'a str>,
    /// The first page, with its form filled in.
    anew: String,
    /// What a public page says of itself, and where it is.
    card: Option<Card>,
    addresses: Option<Addresses>,
    /// What its reader must know first.
    notice: Option<String>,
    /// For paper: everything is open.
    is_print: bool,
    /// `None` where the page could not be reached.
    score: Option<u32>,
    band: &'static str,
    /// The band in a word or two.
    word: &'static str,
    /// The band in a sentence.
    verdict: &'static str,
    /// Length of the ring's arc.
    arc: Option<String>,
    errors: u32,
    warnings: u32,
    infos: u32,
    /// Whether the findings cost more than there are points.
    stops_at_zero: bool,
    bars: Vec<Bar>,
    longest_bar: u32,
    first: Vec<First<'a>>,
    filter: Option<FilterView<'a>>,
    findings: Vec<FindingView<'a>>,
    /// How many there are, shown or not.
    findings_total: usize,
    /// The tool whose findings come first.
    tool: Option<ToolView>,
    previews: Previews,
    /// Name and value; `None` where the page declares nothing.
    facts: Vec<(&'static str, Option<String>)>,
    redirects: Vec<String>,
    outline: Vec<(u8, &'a str)>,
    headers: Vec<(&'a str, &'a str)>,
    passed: Vec<Named>,
    /// With the reason.
    not_measured: Vec<(Named, String)>,
    head: &'a str,
    /// Path on the host and content of each file of the patch.
    files: Vec<(&'a str, &'a str)>,
    truncated: bool,
}

/// The tool that a report was asked for with.
struct ToolView {
    title: &'static str,
    address: String,
    /// How many findings are its own.
    findings: usize,
}

/// What only the owner sees.
struct OwnerView<'a> {
    id: &'a str,
    csrf: Option<&'a str>,
    share: Option<ShareView>,
    requested_url: &'a str,
    /// What another audit takes.
    cost: String,
}

/// What changed since the run before.
struct ChangeView<'a> {
    /// The run before.
    id: &'a str,
    /// With its sign; `None` where one of the runs has no score.
    points: Option<String>,
    broke: usize,
    fixed: usize,
    /// What is gone, by name.
    gone: Vec<Named>,
}

/// The public address of a report.
struct ShareView {
    /// Absolute.
    address: String,
    badge: String,
    /// Kind and line of what puts the badge elsewhere.
    snippets: [(&'static str, String); 3],
}

/// The page of a report. `filter` is what its query asks for.
pub(crate) fn view<'a>(app: &'a Services, reader: Reader, shown: Shown<'a>, filter: &'a Filter) -> ReportPage<'a> {
    let lang = reader.lang;
    let Shown { report, created_at, eyes, tool, query } = shown;
    let (change, path) = match eyes {
        Eyes::Owner(own) => (own.before, Some(format!("/reports/{}", own.id))),
        Eyes::Anybody { slug } => (None, Some(report_path(slug))),
        Eyes::Asker | Eyes::Holder => (None, None),
    };
    let is_own = |code: &str| tool.is_some_and(|family| catalog::has(family, code));
    let all = report.findings.iter().zip(&report.fixes);
    let mut wanted: Vec<_> = all.filter(|(finding, _)| filter.takes(finding)).collect();
    // Stable: within the tool's own and the others the order of severity stays.
    wanted.sort_by_key(|(finding, _)| !is_own(&finding.code));
    // Only a run that found no page has no summary.
    let score = report.summary.is_some().then_some(report.score);
    let is_reached = score.is_some();
    let band = Band::of(report.score);
    let (card, addresses) = public(app, reader, &shown).unzip();
    let created = created_at.to_string();
    let cost: u32 = report.findings.iter().map(|finding| score::weight(finding.severity)).sum();
    let (bars, longest_bar) = bars(&report.findings, path.as_deref(), lang);
    let summary = report.summary.as_ref();
    ReportPage {
        frame: Frame::new(app, reader),
        script: assets::REPORT_PATH,
        url: shown::address(&report.url),
        // "2026-01-31T09:30:00.000Z" reads better without the seconds.
        created_at_short: created.get(..16).unwrap_or(&created).replace('T', " ") + " UTC",
        created_at: created,
        age: shown::age(created_at, app.ports().now(), lang),
        owner: owner(app, score, &eyes, lang),
        change: change.map(|(id, change)| ChangeView::of(id, change, lang)),
        slug: match eyes {
            Eyes::Anybody { slug } => Some(&slug.0),
            _ => None,
        },
        anew: format!("/?lang={}&url={}", lang.tag(), byte_serialize(report.url.as_bytes()).collect::<String>()),
        card,
        addresses,
        notice: notice(&eyes, created_at, lang),
        is_print: is_print(query),
        score,
        band: if is_reached { band.class() } else { "none" },
        word: band.word().in_lang(lang),
        verdict: if is_reached { band.verdict().in_lang(lang) } else { UNREACHED.in_lang(lang) },
        arc: score.and_then(arc),
        errors: report.counts.errors,
        warnings: report.counts.warnings,
        infos: report.counts.info,
        stops_at_zero: is_reached && cost > score::FULL,
        bars,
        longest_bar,
        first: findings::first(&report.findings, &report.fixes, lang),
        tool: tool.map(|family| ToolView {
            title: family.landing.title.in_lang(lang),
            address: format!("/tools/{}?lang={}", family.slug, lang.tag()),
            findings: wanted.iter().filter(|(finding, _)| is_own(&finding.code)).count(),
        }),
        filter: path
            .as_deref()
            .filter(|_| !report.findings.is_empty())
            .map(|path| filter.view(path, tool.map(|family| family.slug), report.counts, &report.findings)),
        findings: wanted
            .into_iter()
            .map(|(finding, fix)| findings::view(finding, fix, change.map(|(_, change)| change), lang))
            .collect(),
        findings_total: report.findings.len(),
        path,
        previews: previews(report, lang),
        facts: facts(report, lang),
        redirects: summary
            .map(|s| s.redirects.iter().map(|hop| format!("{} {} -> {}", hop.status, hop.url, hop.location)).collect())
            .unwrap_or_default(),
        outline: summary
            .map(|s| s.headings.outline.iter().take(SHOWN).map(|entry| (entry.level, entry.text.as_str())).collect())
            .unwrap_or_default(),
        headers: report.headers.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect(),
        passed: report.coverage.passed.iter().filter_map(|code| named(code, lang)).collect(),
        not_measured: report
            .coverage
            .not_measured
            .iter()
            .filter_map(|(code, reason)| Some((named(code, lang)?, reason::in_words(reason).in_lang(lang).to_owned())))
            .collect(),
        head: &report.patch.head,
        files: report.patch.files.iter().map(|file| (file.path.as_str(), file.content.as_str())).collect(),
        truncated: report.html_truncated,
    }
}

/// Whether a query asks for the page as it goes on paper.
fn is_print(query: Option<&str>) -> bool {
    url::form_urlencoded::parse(query.unwrap_or_default().as_bytes())
        .any(|pair| pair == ("view".into(), "print".into()))
}

impl<'a> ChangeView<'a> {
    fn of(id: &'a AuditId, change: &Change, lang: Lang) -> Self {
        Self {
            id: &id.0,
            points: change.score.map(shown::signed),
            broke: change.broke.len(),
            fixed: change.fixed.len(),
            gone: change.fixed.iter().filter_map(|gone| named(&gone.code, lang)).collect(),
        }
    }
}

fn owner<'a>(app: &Services, score: Option<u32>, eyes: &Eyes<'a>, lang: Lang) -> Option<OwnerView<'a>> {
    let Eyes::Owner(own) = *eyes else { return None };
    let share = own.share.map(|slug| {
        let Snippets { markdown, html, rst } = Snippets::new(app, slug, score);
        ShareView {
            address: app.url(&report_path(slug)),
            badge: badge_path(slug),
            snippets: [("Markdown", markdown), ("HTML", html), ("reStructuredText", rst)],
        }
    });
    let Own { id, csrf, requested_url, again, .. } = own;
    Some(OwnerView { id: &id.0, csrf, share, requested_url, cost: again.in_words(lang) })
}

/// What a reader must know first.
fn notice(eyes: &Eyes<'_>, created_at: Timestamp, lang: Lang) -> Option<String> {
    let notice = match eyes {
        Eyes::Owner(_) => return None,
        Eyes::Asker => text(
            "This report could not be kept, so it has no address: save this page if you need it again.",
            "Este relatório não pôde ser guardado, então não tem endereço: salve esta página se precisar dele de novo.",
        ),
        Eyes::Holder => text(
            "This page has no address that you could come back to: save it if you need it again.",
            "Esta página não tem endereço ao qual você possa voltar: salve-a se precisar dela de novo.",
        ),
        Eyes::Anybody { .. } => text(
            "This is a snapshot of {date}: the page may have changed since.",
            "Este é um retrato de {date}: a página pode ter mudado desde então.",
        ),
    };
    let date = shown::date(created_at, lang);
    Some(notice.phrase(&[("date", date.into())]).in_lang(lang).to_owned())
}
