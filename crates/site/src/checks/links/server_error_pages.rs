//! Pages that answer with a server error.

use crate::check::prelude::*;
use crate::page_facts::PageRole;

/// The check.
pub(crate) const CHECK: SiteCheck = SiteCheck {
    code: "server_error_pages",
    severity: Severity::Error,
    title: text("Pages with server errors", "Páginas com erro de servidor"),
    why: text(
        "Visitors can't open them. Search engines crawl the whole site more slowly and drop these pages.",
        "Os visitantes não conseguem abri-las. Os buscadores reduzem o ritmo de rastreamento do site inteiro e removem essas páginas.",
    ),
    how: text(
        "Look up these addresses in the error log of your server and correct the cause.",
        "Procure esses endereços no log de erros do seu servidor e corrija a causa.",
    ),
    reference: "https://developers.google.com/search/docs/crawling-indexing/http-network-errors",
    rule: text("Fails when an address of the site answers 5xx.", "Falha quando um endereço do site responde 5xx."),
    message: text(
        "{cases} {cases|address answers|addresses answer} with a server error.",
        "{cases} {cases|endereço responde|endereços respondem} com um erro de servidor.",
    ),
    run,
};

fn run(site: &SiteFacts) -> SiteVerdict {
    const NOTE: Text = text("Answers {status}.", "Responde {status}.");
    let of_site = site.pages().filter(|(_, page)| page.role == PageRole::Page);
    let failing = of_site.filter_map(|(id, page)| Some((id, page, page.answer.server_error()?)));
    let found = |(id, page, status): (PageId, PageNode, u16)| {
        case(site.text(page.url), NOTE, &[("status", status.into())], site.link_places(id))
    };
    Ok(failing.map(found).collect())
}
