//! Blocked pages that much of the site links.

use crate::check::prelude::*;

/// The check.
pub(crate) const CHECK: SiteCheck = SiteCheck {
    code: "blocked_but_linked_much",
    severity: Severity::Info,
    title: text("Blocked pages that many pages link to", "Páginas bloqueadas que recebem muitos links"),
    why: text(
        "Search engines may list the address without a description, since they can't fetch the page.",
        "Os buscadores podem listar o endereço sem descrição, pois não podem acessar a página.",
    ),
    how: text(
        "Allow the page in robots.txt if it should be found. If it should not, use noindex instead of blocking it.",
        "Libere a página no robots.txt se ela deve ser encontrada. Se não deve, use noindex em vez do bloqueio.",
    ),
    reference: "https://developers.google.com/search/docs/crawling-indexing/block-indexing",
    rule: text(
        "Fails when robots.txt disallows an address and at least 10 pages and a fifth of all pages link to it without nofollow.",
        "Falha quando o robots.txt bloqueia um endereço e pelo menos 10 páginas e um quinto de todas têm links para ele sem nofollow.",
    ),
    message: text(
        "robots.txt blocks {cases} {cases|address|addresses} that many pages link to.",
        "O robots.txt bloqueia {cases} {cases|endereço que recebe|endereços que recebem} muitos links.",
    ),
    run,
};

fn run(site: &SiteFacts) -> SiteVerdict {
    const NOTE: Text = text("{count} pages link to it.", "{count} páginas têm links para ela.");
    Ok(site.linked_much(NOTE, |_, page| page.answer == NodeAnswer::Blocked))
}
