//! Pages that end by their own word.

use model::time::{DAY_MS, Timestamp};

use super::robots_meta::decide;
use crate::check::prelude::*;
use crate::facts::robots_directives::{Directive, for_google, parse_date};

/// The family.
pub(crate) const FAMILY: Family = Family {
    slug: "unavailable-after",
    category: Category::Indexing,
    landing: Landing {
        title: text("unavailable_after checker", "Verificador de unavailable_after"),
        h1: text("When does my page leave search results?", "Quando minha página sai dos resultados de busca?"),
        description: text(
            "Read a page's unavailable_after date in every format that Google accepts, and see whether it has passed or is near.",
            "Leia a data unavailable_after da página em todos os formatos que o Google aceita e veja se já passou ou está próxima.",
        ),
        lead: text(
            "After the unavailable_after date, Google removes the page from its results. This tool reads the date from tags and headers and counts the days left.",
            "Depois da data unavailable_after, o Google tira a página dos resultados. Esta ferramenta lê a data em tags e cabeçalhos e conta os dias que faltam.",
        ),
        example: include_str!("unavailable_after/bad_expired.html"),
    },
    checks: &[PAST, SOON],
};

const SPEC: &str = "https://developers.google.com/search/docs/crawling-indexing/robots-meta-tag#directives";

const PAST: Check = Check {
    code: "unavailable_after_past",
    severity: Severity::Error,
    impact: Impact::Indexing,
    title: text("unavailable_after date has passed", "A data unavailable_after já passou"),
    why: text(
        "Google removes a page from search results after its unavailable_after date.",
        "O Google tira a página dos resultados de busca depois da data unavailable_after.",
    ),
    how: text(
        "If the page should appear in search results, remove the directive or set a future date. Otherwise, leave it.",
        "Se a página deve aparecer na busca, remova a diretiva ou defina uma data futura. Caso contrário, deixe como está.",
    ),
    reference: SPEC,
    rule: text(
        "Fails when the date of an `unavailable_after` for everyone or for Googlebot, in a tag or header, is not later than the audit. A date without a time counts from the start of that day, and a date without a time zone is UTC. A separate check covers unreadable dates.",
        "Falha quando a data de um `unavailable_after` para todos ou para o Googlebot, em tag ou cabeçalho, não é posterior à auditoria. Uma data sem hora vale desde o início do dia, e uma data sem fuso horário é UTC. Datas ilegíveis têm verificação própria.",
    ),
    thresholds: &[],
    remedy: remedy(FixClass::Instruction, FixTarget::Head),
    since: FIRST,
    run: past,
};

const SOON: Check = Check {
    code: "unavailable_after_soon",
    severity: Severity::Info,
    impact: Impact::Hygiene,
    title: text("Page leaves search within 30 days", "A página sai da busca em até 30 dias"),
    why: text(
        "Google removes the page from search results on its unavailable_after date, and the visitors from search are lost.",
        "O Google tira a página dos resultados na data unavailable_after, e as visitas vindas da busca se perdem.",
    ),
    how: text(
        "If the page should stay in search results, remove the directive or set a later date. Otherwise, leave it.",
        "Se a página deve continuar na busca, remova a diretiva ou defina uma data posterior. Caso contrário, deixe como está.",
    ),
    reference: SPEC,
    rule: text(
        "Fails when the date of an `unavailable_after` for everyone or for Googlebot is at most 30 days after the audit.",
        "Falha quando a data de um `unavailable_after` para todos ou para o Googlebot é no máximo 30 dias depois da auditoria.",
    ),
    thresholds: &[threshold("days_ahead", SOON_DAYS as u64, "days")],
    remedy: remedy(FixClass::Instruction, FixTarget::Head),
    since: WHOLE,
    run: soon,
};

/// Days ahead that are soon: as in the report's calendar.
const SOON_DAYS: i64 = 30;

/// Directives for Google with an end, and that end.
fn ends<'f>(facts: &'f Facts<'_>) -> Result<Vec<(&'f Directive, Timestamp)>, NotMeasured> {
    facts.page()?;
    let valued = facts.directives().iter().filter(|d| for_google(d) && d.name == "unavailable_after");
    let ends: Vec<_> = valued.filter_map(|d| Some((d, parse_date(d.value.as_deref()?)?))).collect();
    if ends.is_empty() { Err(NotMeasured::Absent) } else { Ok(ends) }
}

fn dated(
    facts: &Facts<'_>,
    message: Text,
    note: Text,
    is_told: impl Fn(Timestamp) -> bool,
    more: impl Fn(Timestamp) -> Vec<(&'static str, Value)>,
) -> Verdict {
    let ends = ends(facts)?;
    let found: Vec<&Directive> =
        ends.iter().filter(|(_, end)| is_told(*end)).map(|(directive, _)| *directive).collect();
    let Some((first, end)) = ends.iter().find(|(_, end)| is_told(*end)) else { return PASS };
    let mut values = vec![("date", first.value.clone().unwrap_or_default().into())];
    values.extend(more(*end));
    decide(facts, &found, message, &values, note)
}

fn past(facts: &Facts<'_>) -> Verdict {
    const PASSED: Text =
        text("The unavailable_after date has passed: {date}.", "A data unavailable_after já passou: {date}.");
    let now = facts.capture.started_at;
    const ONLY_IF: Text = text(
        "If the page should appear in search results, remove {directive} or set a future date. Otherwise, leave it.",
        "Se a página deve aparecer na busca, remova {directive} ou defina uma data futura. Caso contrário, deixe como está.",
    );
    dated(facts, PASSED, ONLY_IF, |end| end <= now, |_| Vec::new())
}

fn soon(facts: &Facts<'_>) -> Verdict {
    const AHEAD: Text = text(
        "Google removes the page from search results in {days} {days|day|days}, on its unavailable_after date: {date}.",
        "O Google tira a página dos resultados em {days} {days|dia|dias}, na data unavailable_after: {date}.",
    );
    let now = facts.capture.started_at;
    let days = |end: Timestamp| (end.0 - now.0 + DAY_MS - 1) / DAY_MS;
    const LATER: Text = text(
        "If the page should stay in search results, remove {directive} or set a later date. Otherwise, leave it.",
        "Se a página deve continuar na busca, remova {directive} ou defina uma data posterior. Caso contrário, deixe como está.",
    );
    dated(facts, AHEAD, LATER, |end| end > now && days(end) <= SOON_DAYS, |end| vec![("days", days(end).into())])
}
