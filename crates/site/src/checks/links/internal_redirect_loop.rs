//! Links within the site to an address whose redirects never end.

use crate::check::prelude::*;

/// The check.
pub(crate) const CHECK: SiteCheck = SiteCheck {
    code: "internal_redirect_loop",
    severity: Severity::Error,
    title: text("Redirect loops", "Ciclos de redirecionamentos"),
    why: text("Browsers and crawlers never reach a page.", "Navegadores e robôs nunca chegam a uma página."),
    how: text(
        "Correct the redirect rules so that the chain ends at a page, or remove the links.",
        "Corrija as regras de redirecionamento para que a cadeia termine em uma página, ou remova os links.",
    ),
    reference: "https://developers.google.com/search/docs/crawling-indexing/http-network-errors",
    rule: text(
        "Fails when a page links to an address of the site whose redirects lead back to an earlier one, or are more than 10.",
        "Falha quando uma página tem um link para um endereço do site cujos redirecionamentos voltam a um anterior, ou são mais de 10.",
    ),
    message: text(
        "{cases} linked {cases|address redirects|addresses redirect} in a loop.",
        "{cases} {cases|endereço com links redireciona|endereços com links redirecionam} em ciclo.",
    ),
    run,
};

fn run(site: &SiteFacts) -> SiteVerdict {
    const NOTE: Text = text("Redirect loop: {way}.", "Ciclo de redirecionamentos: {way}.");
    let mut cases = Vec::new();
    for (id, page) in site.linked_pages() {
        if let RedirectEnd::Loop(hops) = site.ending(id) {
            let way: Vec<String> = hops.iter().map(|id| site.url(*id)).collect();
            cases.push(case(site.text(page.url), NOTE, &[("way", way.join(" → ").into())], site.link_places(id)));
        }
    }
    Ok(cases)
}
