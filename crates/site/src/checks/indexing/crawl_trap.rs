//! Addresses without end.

use crate::check::prelude::*;
use crate::traps::{Trap, TrapKind};

/// The check.
pub(crate) const CHECK: SiteCheck = SiteCheck {
    code: "crawl_trap",
    severity: Severity::Warn,
    title: text("Crawler traps", "Armadilhas para robôs"),
    why: text(
        "Crawlers spend their time on an endless series of addresses, and reach the real pages later.",
        "Os robôs gastam tempo com uma série infinita de endereços e chegam mais tarde às páginas de verdade.",
    ),
    how: text(
        "Disallow these addresses in robots.txt, or stop linking to them. Correct relative links that make paths ever longer.",
        "Bloqueie esses endereços no robots.txt ou retire os links para eles. Corrija links relativos que alongam o caminho sem parar.",
    ),
    reference: "https://developers.google.com/search/docs/crawling-indexing/url-structure",
    rule: text(
        "Fails when one of these limits is exceeded: for one path, 5,000 query strings of one parameter, 500 of two parameters or 50 of more; 100 pages of one kind in a row that link only to the next page and to nothing else new, or 1,000 such pages that also link to new ones; 2 repetitions of the same segments in a path, or 24 segments.",
        "Falha quando um destes limites é ultrapassado: para um caminho, 5.000 query strings de um parâmetro, 500 de dois parâmetros ou 50 de mais; 100 páginas de um tipo em sequência que só têm link para a próxima e para nada mais de novo, ou 1.000 que também têm links para páginas novas; 2 repetições dos mesmos segmentos em um caminho, ou 24 segmentos.",
    ),
    message: text(
        "{cases} {cases|part|parts} of the site {cases|generates|generate} endless addresses.",
        "{cases} {cases|parte|partes} do site {cases|gera|geram} endereços sem fim.",
    ),
    run,
};

fn run(site: &SiteFacts) -> SiteVerdict {
    const QUERIES: Text = text(
        "The number of parameters keeps growing: {example}.",
        "O número de parâmetros não para de crescer: {example}.",
    );
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
