//! A report as a page: for its owner, for whoever asked for it just now, or for anybody at a public address.

use askama::Template;
use audit::check::Family;
use audit::{checks, score};
use model::finding::{Finding, Place};
use model::fix::Fix;
use model::id::{AuditId, Slug};
use model::lang::{Lang, Text, text};
use model::report::Report;
use model::time::Timestamp;
use url::Url;

use super::facts::facts;
use crate::api::{Snippets, badge_path, report_path};
use crate::app::App;
use crate::band::Band;
use crate::catalog::{self, tool::ready};
use crate::pages::card::{Card, Picture, Subject};
use crate::pages::checks::{class, severity_word};
use crate::pages::pieces::{Piece, arc, pieces};
use crate::pages::{Addresses, Frame, Reader, filters};
use crate::reason;

/// Entries of a list of the summary that a page shows; the JSON has all.
pub(super) const SHOWN: usize = 50;

/// Whose eyes a report is for.
#[derive(Debug, Clone, Copy)]
pub(in crate::pages) enum Eyes<'a> {
    /// Its owner's, at its own address.
    Owner {
        id: &'a AuditId,
        /// The public address that the owner gave it.
        share: Option<&'a Slug>,
        /// What the forms of somebody who is signed in bring along.
        csrf: Option<&'a str>,
    },
    /// Of whoever asked for the audit just now: it was not kept.
    Asker,
    /// Of whoever showed the token that owns it: it has an address, but for that token only.
    Holder,
    /// Anybody's, at a public address that a query belongs to.
    Anybody { slug: &'a Slug, query: Option<&'a str> },
}

/// A report to show.
#[derive(Debug, Clone, Copy)]
pub(in crate::pages) struct Shown<'a> {
    pub(in crate::pages) report: &'a Report,
    pub(in crate::pages) created_at: Timestamp,
    pub(in crate::pages) eyes: Eyes<'a>,
    /// The tool whose findings come first.
    pub(in crate::pages) tool: Option<&'static Family>,
    /// For paper: everything is open.
    pub(in crate::pages) is_print: bool,
}

#[derive(Template)]
#[template(path = "report.html")]
pub(in crate::pages) struct ReportPage<'a> {
    frame: Frame<'a>,
    /// With its host in letters too.
    url: String,
    /// RFC 3339.
    created_at: String,
    /// For a reader, to the minute.
    created_at_short: String,
    /// What only the owner sees.
    owner: Option<OwnerView<'a>>,
    /// Of a public page.
    slug: Option<&'a str>,
    /// What a public page says of itself, and where it is.
    card: Option<Card>,
    addresses: Option<Addresses>,
    /// What its reader must know first.
    notice: Option<String>,
    /// For paper: everything is open.
    is_print: bool,
    score: u32,
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

/// What only the owner sees.
struct OwnerView<'a> {
    id: &'a str,
    csrf: Option<&'a str>,
    share: Option<ShareView>,
}

/// The public address of a report.
struct ShareView {
    /// Absolute.
    address: String,
    badge: String,
    /// Kind and line of what puts the badge elsewhere.
    snippets: [(&'static str, String); 3],
}

/// The page of a report.
pub(in crate::pages) fn view<'a>(app: &'a App, reader: Reader, shown: Shown<'a>) -> ReportPage<'a> {
    let lang = reader.lang;
    let Shown { report, created_at, eyes, tool, is_print } = shown;
    let is_own = |code: &str| tool.is_some_and(|family| catalog::has(family, code));
    let mut findings: Vec<(&Finding, &Fix)> = report.findings.iter().zip(&report.fixes).collect();
    // Stable: within the tool's own and the others the order of severity stays.
    findings.sort_by_key(|(finding, _)| !is_own(&finding.code));
    let tool = tool.map(|family| ToolView {
        title: family.landing.title.in_lang(lang),
        address: format!("/tools/{}?lang={}", family.slug, lang.tag()),
        findings: findings.iter().filter(|(finding, _)| is_own(&finding.code)).count(),
    });
    let band = Band::of(report.score);
    let (card, addresses) = public(app, reader, &shown).unzip();
    let notice = notice(&eyes, created_at, lang);
    let created_at = created_at.to_string();
    // "2026-01-31T09:30:00.000Z" reads better without the seconds.
    let created_at_short = created_at.get(..16).unwrap_or(&created_at).replace('T', " ") + " UTC";
    let cost: u32 = report.findings.iter().map(|finding| score::weight(finding.severity)).sum();
    let summary = report.summary.as_ref();
    ReportPage {
        frame: Frame::new(app, reader),
        url: crate::shown::address(&report.url),
        created_at,
        created_at_short,
        owner: owner(app, report.score, &eyes),
        slug: match eyes {
            Eyes::Anybody { slug, .. } => Some(&slug.0),
            _ => None,
        },
        card,
        addresses,
        notice,
        is_print,
        score: report.score,
        band: band.class(),
        word: band.word().in_lang(lang),
        verdict: band.verdict().in_lang(lang),
        arc: arc(report.score),
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

fn owner<'a>(app: &App, score: u32, eyes: &Eyes<'a>) -> Option<OwnerView<'a>> {
    let Eyes::Owner { id, share, csrf } = *eyes else { return None };
    let share = share.map(|slug| {
        let Snippets { markdown, html, rst } = Snippets::new(app, slug, Some(score));
        ShareView {
            address: app.url(&report_path(slug)),
            badge: badge_path(slug),
            snippets: [("Markdown", markdown), ("HTML", html), ("reStructuredText", rst)],
        }
    });
    Some(OwnerView { id: &id.0, csrf, share })
}

/// What a public page says of itself to search engines and networks.
fn public(app: &App, reader: Reader, shown: &Shown<'_>) -> Option<(Card, Addresses)> {
    const TITLE: Text = text("SEO audit of {host}: {score}/100", "Auditoria de SEO de {host}: {score}/100");
    const DESCRIPTION: Text = text(
        "Technical SEO audit of {host} on {date}: score {score} of 100, {errors} {errors|error|errors}, {warnings} {warnings|warning|warnings}, and a ready fix for each.",
        "Auditoria técnica de SEO de {host} em {date}: nota {score} de 100, {errors} {errors|erro|erros}, {warnings} {warnings|aviso|avisos}, e uma correção pronta para cada.",
    );
    const ALT: Text = text("Score {score} of 100 for {host} on {date}", "Nota {score} de 100 para {host} em {date}");
    let Eyes::Anybody { slug, query } = shown.eyes else { return None };
    let lang = reader.lang;
    let report = shown.report;
    let host = Url::parse(&report.url).ok().and_then(|url| Some(crate::shown::host(url.host_str()?)));
    let values = [
        ("host", host.unwrap_or_default().into()),
        ("score", report.score.into()),
        ("errors", report.counts.errors.into()),
        ("warnings", report.counts.warnings.into()),
        ("date", crate::shown::date(shown.created_at, lang).into()),
    ];
    let written = |text: Text| text.phrase(&values).in_lang(lang).to_owned();
    let (title, path) = (written(TITLE), report_path(slug));
    let addresses = Addresses::new(app, &path, query, lang);
    let subject =
        Subject { kind: "WebPage", title: &[&title], description: &written(DESCRIPTION), way: &[(&title, path)] };
    let picture = Picture { path: crate::pages::share::picture_path(slug, lang), alt: written(ALT) };
    Some((Card::new(app, &addresses, lang, &subject).with_picture(app, picture), addresses))
}

/// What a reader must know first.
fn notice(eyes: &Eyes<'_>, created_at: Timestamp, lang: Lang) -> Option<String> {
    let notice = match eyes {
        Eyes::Owner { .. } => return None,
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
    let date = crate::shown::date(created_at, lang);
    Some(notice.phrase(&[("date", date.into())]).in_lang(lang).to_owned())
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
