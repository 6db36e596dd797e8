//! Canonicals that name a page that robots.txt blocks.

use crate::check::prelude::*;

/// The check.
pub(crate) const CHECK: SiteCheck = SiteCheck {
    code: "canonical_to_blocked",
    severity: Severity::Error,
    title: text("Canonicals to blocked pages", "Canônicas para páginas bloqueadas"),
    why: text(
        "Crawlers can't fetch the page that should appear in search results, so the canonical has no effect.",
        "Os robôs não podem acessar a página que deveria aparecer nos resultados, e a canônica não tem efeito.",
    ),
    how: text(
        "Allow the page in robots.txt, or name another as the canonical.",
        "Libere a página no robots.txt, ou indique outra como canônica.",
    ),
    reference: "https://developers.google.com/search/docs/crawling-indexing/consolidate-duplicate-urls",
    rule: text(
        "Fails when a page's canonical is an address of the site that robots.txt disallows.",
        "Falha quando a canônica de uma página é um endereço do site que o robots.txt bloqueia.",
    ),
    message: text(
        "{pages} {pages|page names|pages name} a canonical that robots.txt blocks.",
        "{pages} {pages|página indica|páginas indicam} uma canônica que o robots.txt bloqueia.",
    ),
    run,
};

fn run(site: &SiteFacts) -> SiteVerdict {
    const NOTE: Text = text("Disallowed by robots.txt.", "Bloqueada pelo robots.txt.");
    Ok(site.canonical_cases(|_, page| (page.answer == NodeAnswer::Blocked).then_some((NOTE, Vec::new()))))
}
