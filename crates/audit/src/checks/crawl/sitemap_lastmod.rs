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
        h1: text("Are the lastmod dates of my sitemap true?", "As datas lastmod do meu sitemap são verdadeiras?"),
        description: text(
            "Check lastmod dates: their format, dates in the future, build stamps that are alike everywhere, and drift from the page's date.",
            "Verifique as datas lastmod: formato, datas no futuro, carimbos de build iguais em tudo e diferença em relação à data da página.",
        ),
        lead: text(
            "Google uses lastmod only where it proves true. This tool reads the dates of the site's sitemaps, finds those that can't be read or can't be right, and compares your page's with its own date.",
            "O Google só usa o lastmod onde ele se mostra verdadeiro. Esta ferramenta lê as datas dos sitemaps do site, encontra as ilegíveis ou impossíveis e compara a da sua página com a data que ela declara.",
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
    title: text("lastmod that is no date, or lies ahead", "lastmod que não é data, ou está no futuro"),
    why: text(
        "Search engines drop a date they can't read, and trust none of a file that is often wrong.",
        "Os buscadores descartam uma data que não conseguem ler, e não confiam em nenhuma de um arquivo que erra muito.",
    ),
    how: text(
        "Write the day of the last real change as `2026-11-21`, or with time and zone as `2026-11-21T10:00:00+00:00`.",
        "Escreva o dia da última mudança de verdade como `2026-11-21`, ou com hora e fuso como `2026-11-21T10:00:00+00:00`.",
    ),
    reference: "https://www.w3.org/TR/NOTE-datetime",
    rule: text(
        "Fails when the `lastmod` of the page's own entry, or 1 % and more of those of one `urlset` or index, is no W3C Datetime or lies more than 24 hours ahead of the audit. The dates of feeds have forms of their own and are left alone.",
        "Falha quando o `lastmod` da própria entrada da página, ou 1 % ou mais dos de um `urlset` ou índice, não é um W3C Datetime ou está mais de 24 horas à frente da auditoria. As datas de feeds têm formas próprias e ficam de fora.",
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
    title: text("All lastmod dates are of one day", "Todas as datas lastmod são do mesmo dia"),
    why: text(
        "Dates that only tell when the file was made say nothing of the pages, and Google stops using them.",
        "Datas que só dizem quando o arquivo foi gerado não dizem nada das páginas, e o Google deixa de usá-las.",
    ),
    how: text(
        "Write the day on which each page last changed in earnest, or leave lastmod out.",
        "Escreva o dia em que cada página mudou de verdade, ou deixe o lastmod de fora.",
    ),
    reference: GOOGLE,
    rule: text(
        "Fails when one `urlset` has 20 or more dates and 95 % or more of them fall on one day (UTC). News sitemaps, whose pages are all new, are left alone.",
        "Falha quando um `urlset` tem 20 datas ou mais e 95 % ou mais delas caem em um mesmo dia (UTC). Sitemaps de notícias, cujas páginas são todas novas, ficam de fora.",
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
    title: text("Sitemap and page give different dates", "Sitemap e página dão datas diferentes"),
    why: text(
        "A date that is too old delays the next visit of crawlers; one that is too new teaches them not to trust it.",
        "Uma data velha demais atrasa a próxima visita dos robôs; uma nova demais os ensina a não confiar nela.",
    ),
    how: text(
        "Take lastmod from the same field as the page's own date of change.",
        "Tire o lastmod do mesmo campo que a data de alteração da própria página.",
    ),
    reference: GOOGLE,
    rule: text(
        "Fails when the `lastmod` of the page's entry and the date of change that the page states (`dateModified` in its JSON-LD where all agree, else `article:modified_time`) are more than 7 days apart, either way. Not measured where one of the two is missing or can't be read.",
        "Falha quando o `lastmod` da entrada da página e a data de alteração que ela declara (`dateModified` no JSON-LD, se todas concordam, ou então `article:modified_time`) diferem em mais de 7 dias, para qualquer lado. Não se mede onde uma das duas falta ou é ilegível.",
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
        "In the program that writes {sitemap}; as 2026-11-21, or with time and zone.",
        "No programa que escreve {sitemap}; como 2026-11-21, ou com hora e fuso.",
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
        const OWN: Text =
            text("{sitemap} gives the page the lastmod “{date}”.", "{sitemap} dá à página o lastmod “{date}”.");
        let values = [("sitemap", file.url.as_str().into()), ("date", date.into())];
        return problem(OWN, &values, fix(file)).at([place(file, Some(date))]).fail();
    }
    let bad: Vec<&SitemapFile> =
        sitemaps.relevant().filter(|file| is_share(file.tally.bad_dates, file.tally.dated, BAD_PERCENT)).collect();
    let Some(first) = bad.first() else {
        return if sitemaps.files.iter().any(|file| file.tally.dated > 0) { PASS } else { Err(NotMeasured::Absent) };
    };
    const MANY: Text = text(
        "{count} of {dated} lastmod dates in {sitemap} {count|is no date, or lies|are no dates, or lie} ahead: “{date}”",
        "{count} de {dated} datas lastmod em {sitemap} {count|não é uma data, ou está|não são datas, ou estão} no futuro: “{date}”",
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
        "{count} of {dated} lastmod dates in {sitemap} are of {day}.",
        "{count} de {dated} datas lastmod em {sitemap} são de {day}.",
    );
    const REAL: Text = text(
        "Write into lastmod when each page last changed, not when {sitemap} was made; else leave it out.",
        "Escreva no lastmod quando cada página mudou, não quando {sitemap} foi gerado; se não, deixe-o de fora.",
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
        "The page says it changed on {stated}, {sitemap} says {date}: {days} days apart.",
        "A página diz que mudou em {stated}, {sitemap} diz {date}: {days} dias de diferença.",
    );
    const SAME: Text = text(
        "Let {sitemap} and the page take the date of change from the same field.",
        "Faça {sitemap} e a página tirarem a data de alteração do mesmo campo.",
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
