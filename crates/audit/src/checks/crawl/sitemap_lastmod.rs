//! The dates of sitemaps. (sitemaps.org protocol 0.9, `lastmod`)

use model::dates;
use model::time::DAY_MS;

use super::sitemap::nothing_found;
use crate::check::prelude::*;
use crate::facts::sitemap::{SitemapFile, SitemapKind};
use crate::facts::sitemap_draft;
use crate::facts::url_identity::same_page;

/// The family.
pub(crate) const FAMILY: Family = Family {
    slug: "sitemap-lastmod",
    category: Category::Crawl,
    landing: Landing {
        title: text("Sitemap lastmod checker", "Verificador de lastmod do sitemap"),
        h1: text("Are the lastmod dates in my sitemap correct?", "As datas lastmod do meu sitemap estão certas?"),
        description: text(
            "Check lastmod dates: invalid formats, dates in the future, one build date for all pages, and differences from the page's date.",
            "Verifique as datas lastmod: formato inválido, datas no futuro, uma só data para tudo e diferença em relação à data da página.",
        ),
        lead: text(
            "Google uses lastmod only if it is consistently accurate. This tool reads the dates in the site's sitemaps, finds invalid and implausible ones, and compares the date of your page with the date that the page states.",
            "O Google só usa o lastmod se ele for sempre confiável. Esta ferramenta lê as datas nos sitemaps do site, encontra as inválidas e as implausíveis, e compara a data da sua página com a que ela declara.",
        ),
        example: include_str!("sitemap_lastmod/bad_invalid.http"),
    },
    checks: &[INVALID, DRIFT, UNIFORM],
};

const GOOGLE: &str = "https://developers.google.com/search/docs/crawling-indexing/sitemaps/build-sitemap#xml";

const INVALID: Check = Check {
    code: "sitemap_lastmod_invalid",
    severity: Severity::Info,
    impact: Impact::Hygiene,
    title: text("Invalid or future lastmod", "lastmod inválido ou no futuro"),
    why: text(
        "Search engines ignore a date that they can't parse, and stop trusting a file that is often wrong.",
        "Os buscadores ignoram uma data que não conseguem ler e deixam de confiar em um arquivo que erra com frequência.",
    ),
    how: text(
        "Write the day of the last significant change as `2026-11-21`, or with time and time zone as `2026-11-21T10:00:00+00:00`.",
        "Escreva o dia da última mudança significativa como `2026-11-21`, ou com hora e fuso como `2026-11-21T10:00:00+00:00`.",
    ),
    reference: "https://www.w3.org/TR/NOTE-datetime",
    rule: text(
        "Fails when the `lastmod` of the page's own entry, or at least 1% of those in one `urlset` or index, is not a W3C Datetime or is more than 24 hours after the audit. The dates of feeds have other formats and are ignored.",
        "Falha quando o `lastmod` da entrada da própria página, ou pelo menos 1% dos de um `urlset` ou índice, não é um W3C Datetime ou é mais de 24 horas posterior à auditoria. As datas de feeds têm outros formatos e são ignoradas.",
    ),
    thresholds: &[
        threshold("fewest_percent", BAD_PERCENT, "percent"),
        threshold("hours_ahead", (DAY_MS / HOUR_MS) as u64, "h"),
    ],
    remedy: remedy(FixClass::Template, FixTarget::File),
    since: WHOLE,
    run: invalid,
};

const UNIFORM: Check = Check {
    code: "sitemap_lastmod_uniform",
    severity: Severity::Info,
    impact: Impact::Hygiene,
    title: text("Same lastmod date for nearly all pages", "Mesma data lastmod em quase todas as páginas"),
    why: text(
        "A date that only shows when the file was generated says nothing about the pages. Google stops using such dates.",
        "Uma data que só mostra quando o arquivo foi gerado não diz nada sobre as páginas. O Google deixa de usar essas datas.",
    ),
    how: text(
        "Write the day on which each page last changed significantly, or omit lastmod.",
        "Escreva o dia em que cada página mudou de forma significativa pela última vez, ou omita o lastmod.",
    ),
    reference: GOOGLE,
    rule: text(
        "Fails when a `urlset` has at least 20 dates and at least 95% of them are on one day (UTC). News sitemaps are ignored, since all their pages are new.",
        "Falha quando um `urlset` tem pelo menos 20 datas e pelo menos 95% delas são do mesmo dia (UTC). Sitemaps de notícias são ignorados, pois todas as páginas deles são novas.",
    ),
    thresholds: &[
        threshold("fewest_dates", FEWEST_DATES, "dates"),
        threshold("fewest_percent", ALIKE_PERCENT, "percent"),
    ],
    remedy: remedy(FixClass::Instruction, FixTarget::File),
    since: WHOLE,
    run: uniform,
};

const DRIFT: Check = Check {
    code: "sitemap_lastmod_drift",
    severity: Severity::Info,
    impact: Impact::Hygiene,
    title: text("lastmod differs from the page's own date", "lastmod diferente da data da página"),
    why: text(
        "A date that is too old delays the next crawl. A date that is too new makes search engines distrust the file.",
        "Uma data antiga demais atrasa o próximo rastreamento. Uma data recente demais faz os buscadores desconfiarem do arquivo.",
    ),
    how: text(
        "Generate lastmod from the same field as the page's own modification date.",
        "Gere o lastmod a partir do mesmo campo que a data de alteração da página.",
    ),
    reference: GOOGLE,
    rule: text(
        "Fails when the `lastmod` of the page's entry and the page's own modification date differ by more than 7 days in either direction. The page's date is `dateModified` in its JSON-LD if all values agree, otherwise `article:modified_time`. Not measured when either date is missing or invalid.",
        "Falha quando o `lastmod` da entrada da página e a data de alteração da própria página diferem em mais de 7 dias, para mais ou para menos. A data da página é `dateModified` no JSON-LD, se todos os valores concordam, ou então `article:modified_time`. Não é medido quando uma das duas falta ou é inválida.",
    ),
    thresholds: &[threshold("most_days", MOST_DRIFT as u64, "days")],
    remedy: remedy(FixClass::Instruction, FixTarget::File),
    since: WHOLE,
    run: drift,
};

/// Milliseconds of an hour.
const HOUR_MS: i64 = 3_600_000;
/// Share of a file's dates from which they are a defect of the file.
const BAD_PERCENT: u64 = 1;
/// Dates from which it means something that all are alike.
const FEWEST_DATES: u64 = 20;
/// Share of dates on one day from which they are build stamps.
const ALIKE_PERCENT: u64 = 95;
/// Days that two dates of one change may differ: a page is often touched up after it was published.
const MOST_DRIFT: i64 = 7;

/// Whether a part is such a share of a whole.
fn is_share(part: u64, whole: u64, percent: u64) -> bool {
    part > 0 && part.saturating_mul(100) >= whole.saturating_mul(percent)
}

fn place(file: &SitemapFile, snippet: Option<&str>) -> Place {
    Place { url: Some(file.url.clone()), snippet: snippet.map(str::to_owned), ..Place::default() }
}

fn invalid(facts: &Facts<'_>) -> Verdict {
    const FORM: &str = "<lastmod>{{LAST_SIGNIFICANT_CHANGE}}</lastmod>\n";
    const WRITE: Text = text(
        "Change this in the program that generates {sitemap}. Replace `{{LAST_SIGNIFICANT_CHANGE}}` with a date such as 2026-11-21, or with date, time and time zone.",
        "Mude isto no programa que gera {sitemap}. Troque `{{LAST_SIGNIFICANT_CHANGE}}` por uma data como 2026-11-21, ou por data, hora e fuso.",
    );
    let sitemaps = facts.sitemaps()?;
    let latest = facts.capture.started_at.plus_ms(DAY_MS);
    let is_bad = |date: &str| dates::w3c(date).is_none_or(|date| date > latest);
    let own = sitemaps.listings().find_map(|(file, entry)| {
        // The dates of a feed are in another form.
        let is_dated = file.tally.dated > 0;
        Some((file, entry.lastmod.as_deref().filter(|date| is_dated && is_bad(date))?))
    });
    let fix = |file: &SitemapFile| {
        FixDraft::file_template(&sitemap_draft::path(file), FORM).note(WRITE, &[("sitemap", file.url.as_str().into())])
    };
    if let Some((file, date)) = own {
        const OWN: Text = text(
            "{sitemap} lists this page with an invalid or future lastmod: “{date}”.",
            "{sitemap} lista esta página com um lastmod inválido ou no futuro: “{date}”.",
        );
        let values = [("sitemap", file.url.as_str().into()), ("date", date.into())];
        return problem(OWN, &values, fix(file)).at([place(file, Some(date))]).fail();
    }
    let bad: Vec<&SitemapFile> =
        sitemaps.relevant().filter(|file| is_share(file.tally.bad_dates, file.tally.dated, BAD_PERCENT)).collect();
    let Some(first) = bad.first() else {
        return if sitemaps.files.iter().any(|file| file.tally.dated > 0) { PASS } else { Err(NotMeasured::Absent) };
    };
    const MANY: Text = text(
        "{dated|The only lastmod date in {sitemap} is|{count} of {dated} lastmod dates in {sitemap} {count|is|are}} invalid or in the future{dated|:|, for example} “{date}”.",
        "{dated|A única data lastmod em {sitemap} é inválida ou está|{count} de {dated} datas lastmod em {sitemap} {count|é inválida ou está|são inválidas ou estão}} no futuro{dated|:|, por exemplo} “{date}”.",
    );
    let values = [
        ("count", first.tally.bad_dates.into()),
        ("dated", first.tally.dated.into()),
        ("sitemap", first.url.as_str().into()),
        ("date", first.tally.first_bad_date.clone().unwrap_or_default().into()),
    ];
    let places = bad.iter().map(|file| place(file, file.tally.first_bad_date.as_deref()));
    problem(MANY, &values, fix(first)).at(places).fail()
}

fn uniform(facts: &Facts<'_>) -> Verdict {
    let sitemaps = facts.sitemaps()?;
    // The files of an index may all have been written on one day.
    let is_judged = |file: &&SitemapFile| {
        file.kind == Some(SitemapKind::Urlset) && file.tally.dated >= FEWEST_DATES && !file.tally.is_news
    };
    let judged = || sitemaps.relevant().filter(is_judged);
    let is_alike = |file: &&SitemapFile| {
        file.tally.busiest.is_some_and(|(_, count)| is_share(count, file.tally.dated, ALIKE_PERCENT))
    };
    let alike: Vec<&SitemapFile> = judged().filter(is_alike).collect();
    let Some((first, (day, count))) = alike.first().and_then(|file| Some((file, file.tally.busiest?))) else {
        return match judged().next() {
            Some(_) => PASS,
            None => nothing_found(sitemaps).and(Err(NotMeasured::Absent)),
        };
    };
    const ONE_DAY: Text = text(
        "{count} of {dated} lastmod dates in {sitemap} are the same day, {day}.",
        "{count} de {dated} datas lastmod em {sitemap} são do mesmo dia, {day}.",
    );
    const REAL: Text = text(
        "Set lastmod to when each page last changed, not to when {sitemap} was generated. Otherwise omit it.",
        "Defina o lastmod como a data da última mudança de cada página, não como a data em que {sitemap} foi gerado. Se não for possível, omita-o.",
    );
    let values = [
        ("count", count.into()),
        ("dated", first.tally.dated.into()),
        ("sitemap", first.url.as_str().into()),
        ("day", day.to_string().into()),
    ];
    let fix = FixDraft::instruction(FixTarget::File, REAL, &values);
    problem(ONE_DAY, &values, fix).at(alike.iter().map(|file| place(file, None))).fail()
}

fn drift(facts: &Facts<'_>) -> Verdict {
    let html = facts.page()?;
    let own = facts.url()?;
    let stated = sitemap_draft::modified(facts, html, own).ok_or(NotMeasured::Absent)?;
    let listed = facts
        .sitemaps()?
        .listings()
        .find(|(file, entry)| file.tally.dated > 0 && entry.url().is_some_and(|url| same_page(&url, own)));
    let (file, date) =
        listed.and_then(|(file, entry)| Some((file, entry.lastmod.as_deref()?))).ok_or(NotMeasured::Absent)?;
    let (Some(page), Some(sitemap)) = (dates::w3c(&stated), dates::w3c(date)) else {
        return Err(NotMeasured::Absent);
    };
    let days = (page.0 - sitemap.0).abs() / DAY_MS;
    if days <= MOST_DRIFT {
        return PASS;
    }
    const APART: Text = text(
        "The page says it was modified on {stated}, but {sitemap} says {date}: {days} days apart.",
        "A página diz que foi alterada em {stated}, mas {sitemap} diz {date}: {days} dias de diferença.",
    );
    const SAME: Text = text(
        "Generate the modification date in {sitemap} and on the page from the same field.",
        "Gere a data de alteração em {sitemap} e na página a partir do mesmo campo.",
    );
    let values = [
        ("stated", stated.as_str().into()),
        ("date", date.into()),
        ("sitemap", file.url.as_str().into()),
        ("days", days.into()),
    ];
    let fix = FixDraft::instruction(FixTarget::File, SAME, &values);
    problem(APART, &values, fix).at([place(file, Some(date))]).fail()
}
