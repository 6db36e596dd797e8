//! Addresses without end.

use crate::check::prelude::*;
use crate::traps::{Trap, TrapKind};

/// The check.
pub(crate) const CHECK: SiteCheck = SiteCheck {
    code: "crawl_trap",
    severity: Severity::Warn,
    title: text("Crawler traps", "Armadilhas para rastreadores"),
    why: text(
        "Crawlers spend their time on addresses that the site makes without end, and reach its real pages later.",
        "Rastreadores gastam seu tempo em endereços que o site cria sem fim e chegam mais tarde às páginas de verdade.",
    ),
    how: text(
        "Disallow these addresses in robots.txt, or stop linking to them; correct relative links that lead ever deeper.",
        "Bloqueie esses endereços no robots.txt ou deixe de criar links para eles; corrija links relativos que levam sempre mais fundo.",
    ),
    reference: "https://developers.google.com/search/docs/crawling-indexing/url-structure",
    rule: text(
        "Fails when one path has more than 5,000 queries of one parameter, 500 of two or 50 of more, when more than 100 pages of one kind lead in a row to one more of their kind and to nothing else new, or more than 1,000 at all, or when a path repeats its segments three times or has more than 24.",
        "Falha quando um caminho tem mais de 5.000 queries de um parâmetro, 500 de dois ou 50 de mais, quando mais de 100 páginas de um tipo levam em sequência a mais uma do mesmo tipo e a nada mais de novo, ou mais de 1.000 ao todo, ou quando um caminho repete seus segmentos três vezes ou tem mais de 24.",
    ),
    message: text(
        "{cases} {cases|part|parts} of the site {cases|makes|make} addresses without end.",
        "{cases} {cases|parte|partes} do site {cases|cria|criam} endereços sem fim.",
    ),
    run,
};

fn run(site: &SiteFacts) -> SiteVerdict {
    const QUERIES: Text = text("Ever more parameters: {example}.", "Cada vez mais parâmetros: {example}.");
    const ROW: Text = text(
        "Each page leads to one more of its kind: {example}.",
        "Cada página leva a mais uma do mesmo tipo: {example}.",
    );
    const REPEATS: Text = text("The path repeats itself: {example}.", "O caminho se repete: {example}.");
    let found = |trap: &Trap| {
        let note = match trap.kind {
            TrapKind::Queries => QUERIES,
            TrapKind::Row => ROW,
            TrapKind::Repeats => REPEATS,
        };
        let source = site.texts.find(&trap.source).and_then(|url| site.page_of(url));
        case_of(&trap.path, note, &[("example", trap.example.as_str().into())], source)
    };
    Ok(site.traps.iter().map(found).collect())
}
