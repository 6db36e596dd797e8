//! Addresses without end.

use crate::check::prelude::*;
use crate::traps::{Trap, TrapKind};

/// The check.
pub(crate) const CHECK: SiteCheck = SiteCheck {
    code: "crawl_trap",
    severity: Severity::Warn,
    title: text("Crawler traps", "Armadilhas para rastreadores"),
    why: text(
        "Crawlers spend their time on an endless series of addresses, and reach the real pages later.",
        "Os rastreadores gastam tempo com uma série infinita de endereços e chegam mais tarde às páginas de verdade.",
    ),
    how: text(
        "Disallow these addresses in robots.txt, or stop linking to them. Correct relative links that make paths ever longer.",
        "Bloqueie esses endereços no robots.txt ou retire os links para eles. Corrija links relativos que alongam o caminho sem parar.",
    ),
    reference: "https://developers.google.com/search/docs/crawling-indexing/url-structure",
    rule: text(
        "Fails when one of these is passed: 5,000 query strings of one parameter for one path, 500 of two or 50 of more; 100 pages of one kind in a row that link to the next and to nothing else new, or 1,000 in all; 2 repetitions of the same segments in a path, or 24 segments.",
        "Falha quando um destes limites é ultrapassado: 5.000 query strings de um parâmetro para um caminho, 500 de dois ou 50 de mais; 100 páginas de um tipo em sequência com link para a próxima e para nada mais de novo, ou 1.000 ao todo; 2 repetições dos mesmos segmentos em um caminho, ou 24 segmentos.",
    ),
    message: text(
        "{cases} {cases|part|parts} of the site {cases|generates|generate} endless addresses.",
        "{cases} {cases|parte|partes} do site {cases|gera|geram} endereços sem fim.",
    ),
    run,
};

fn run(site: &SiteFacts) -> SiteVerdict {
    const QUERIES: Text = text("Ever more parameters: {example}.", "Cada vez mais parâmetros: {example}.");
    const ROW: Text = text(
        "Each page links to one more of its kind: {example}.",
        "Cada página tem link para mais uma do mesmo tipo: {example}.",
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
