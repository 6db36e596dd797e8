//! Pages that end by their own word.

use model::time::{DAY_MS, Timestamp};

use super::robots_meta::decide_by;
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
            "Read the unavailable_after date of a page in every form Google takes, and see whether it has passed or is about to.",
            "Leia a data de unavailable_after da página em todas as formas que o Google aceita e veja se já passou ou está para passar.",
        ),
        lead: text(
            "After the date of unavailable_after Google drops a page from its results. This tool reads the date from tags and headers and counts the days that are left.",
            "Depois da data de unavailable_after o Google tira a página dos resultados. Esta ferramenta lê a data em tags e cabeçalhos e conta os dias que faltam.",
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
    title: text("Page has expired by its own word", "A página expirou por palavra própria"),
    why: text(
        "After the date of unavailable_after the page drops out of search.",
        "Depois da data de unavailable_after a página sai da busca.",
    ),
    how: text("Remove the directive, or name a date to come.", "Remova a diretiva, ou dê uma data futura."),
    reference: SPEC,
    rule: text(
        "Fails when an `unavailable_after` for everyone or for Googlebot, by tag or header, is not later than the audit. A date without a time begins its day, one without a zone is UTC; a date that can't be read is told by its own check.",
        "Falha quando um `unavailable_after` para todos ou para o Googlebot, por tag ou cabeçalho, não é posterior à auditoria. Uma data sem hora vale do início do dia, uma sem fuso é UTC; uma data ilegível tem verificação própria.",
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
    title: text("Page leaves search within a month", "A página sai da busca em menos de um mês"),
    why: text(
        "On the date of unavailable_after the page drops out of Google's results; what links to it or needs its visitors should know.",
        "Na data de unavailable_after a página sai dos resultados do Google; quem aponta para ela ou precisa dos visitantes deve saber.",
    ),
    how: text(
        "Leave it if the page should end then; else name a later date.",
        "Deixe como está se a página deve terminar; se não, dê uma data posterior.",
    ),
    reference: SPEC,
    rule: text(
        "Fails when an `unavailable_after` for everyone or for Googlebot is later than the audit by 30 days or less.",
        "Falha quando um `unavailable_after` para todos ou para o Googlebot é posterior à auditoria em até 30 dias.",
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
    decide_by(facts, &found, message, &values, note)
}

fn past(facts: &Facts<'_>) -> Verdict {
    const PASSED: Text =
        text("unavailable_after is {date}, which is past.", "unavailable_after é {date}, que já passou.");
    let now = facts.capture.started_at;
    const ONLY_IF: Text = text(
        "Remove {directive}, or name a date to come, only if the page is meant to be found.",
        "Remova {directive}, ou dê uma data futura, só se a página deve ser encontrada.",
    );
    dated(facts, PASSED, ONLY_IF, |end| end <= now, |_| Vec::new())
}

fn soon(facts: &Facts<'_>) -> Verdict {
    const AHEAD: Text = text(
        "unavailable_after is {date}: {days} {days|day|days} from now.",
        "unavailable_after é {date}: daqui a {days} {days|dia|dias}.",
    );
    let now = facts.capture.started_at;
    let days = |end: Timestamp| (end.0 - now.0 + DAY_MS - 1) / DAY_MS;
    const LATER: Text = text(
        "If the page should stay in search, remove {directive} or name a later date; else leave it.",
        "Se a página deve continuar na busca, remova {directive} ou dê uma data posterior; se não, deixe como está.",
    );
    dated(facts, AHEAD, LATER, |end| end > now && days(end) <= SOON_DAYS, |end| vec![("days", days(end).into())])
}
