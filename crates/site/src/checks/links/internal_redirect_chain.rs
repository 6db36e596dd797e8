//! Links within the site to an address that redirects more than once.

use crate::check::prelude::*;

/// The check.
pub(crate) const CHECK: SiteCheck = SiteCheck {
    code: "internal_redirect_chain",
    severity: Severity::Warn,
    title: text("Redirect chains", "Cadeias de redirecionamento"),
    why: text(
        "Visitors wait for every redirect of a chain, and crawlers give up on long chains.",
        "O visitante espera por cada redirecionamento da cadeia, e os robôs desistem das longas.",
    ),
    how: text(
        "Redirect the first address to the last one in one step, and change the links to the last one.",
        "Redirecione o primeiro endereço para o último em um só passo e troque os links pelo último.",
    ),
    reference: "https://developers.google.com/search/docs/crawling-indexing/301-redirects",
    rule: text(
        "Fails when a page links to an address of the site that leads to a page after two or more redirects.",
        "Falha quando uma página tem um link para um endereço do site que leva a uma página depois de dois ou mais redirecionamentos.",
    ),
    message: text(
        "{cases} linked {cases|address redirects|addresses redirect} more than once.",
        "{cases} {cases|endereço com links redireciona|endereços com links redirecionam} mais de uma vez.",
    ),
    run,
};

fn run(site: &SiteFacts) -> SiteVerdict {
    const NOTE: Text = text("{hops} redirects: {way}.", "{hops} redirecionamentos: {way}.");
    let mut cases = Vec::new();
    for (id, page) in site.linked_pages() {
        let RedirectEnd::Page(end, hops) = site.ending(id) else { continue };
        let is_found = site.page(end).is_some_and(|end| matches!(end.answer, NodeAnswer::Document | NodeAnswer::File));
        if hops.len() > 1 && is_found {
            let way: Vec<String> = hops.iter().chain([&end]).map(|id| site.url(*id)).collect();
            let values = [("hops", hops.len().into()), ("way", way.join(" → ").into())];
            cases.push(case(site.text(page.url), NOTE, &values, site.link_places(id)));
        }
    }
    Ok(cases)
}
