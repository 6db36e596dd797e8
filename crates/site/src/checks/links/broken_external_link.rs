//! Links to other sites that lead nowhere.

use crate::check::prelude::*;
use crate::page_facts::PageRole;

/// The check.
pub(crate) const CHECK: SiteCheck = SiteCheck {
    code: "broken_external_link",
    severity: Severity::Warn,
    title: text("Broken links to other sites", "Links quebrados para outros sites"),
    why: text(
        "Visitors who follow them reach an error page and lose trust in your site.",
        "Visitantes que clicam neles chegam a uma página de erro e perdem a confiança no seu site.",
    ),
    how: text(
        "Change each link to a page that exists, or remove it.",
        "Troque cada link por uma página que existe ou remova-o.",
    ),
    reference: "https://developers.google.com/search/docs/crawling-indexing/links-crawlable",
    rule: text(
        "Fails when a page links to another site and the address answers 404 or 410, or its host doesn't exist. Not measured without the option `--external`.",
        "Falha quando uma página tem um link para outro site e o endereço responde 404 ou 410, ou o host não existe. Não é medido sem a opção `--external`.",
    ),
    message: text(
        "{pages} {pages|page links|pages link} to {cases} broken {cases|address|addresses} of other sites.",
        "{pages} {pages|página tem|páginas têm} links para {cases} {cases|endereço quebrado|endereços quebrados} de outros sites.",
    ),
    run,
};

fn run(site: &SiteFacts) -> SiteVerdict {
    const GONE: Text = text("Answers {status}.", "Responde {status}.");
    const NO_HOST: Text = text("The host name doesn't exist.", "O nome do host não existe.");
    if !site.external_asked {
        return Err(Unmeasured::NotAsked);
    }
    let mut cases = Vec::new();
    for (id, page) in site.pages().filter(|(_, page)| page.role == PageRole::External) {
        let (note, status) = match page.answer {
            NodeAnswer::Error(status @ (404 | 410)) => (GONE, status),
            NodeAnswer::Failed(reason) if site.text(reason) == "dns" => (NO_HOST, 0),
            _ => continue,
        };
        cases.push(case(site.text(page.url), note, &[("status", status.into())], site.link_places(id)));
    }
    site.checked_all_resources(cases)
}
