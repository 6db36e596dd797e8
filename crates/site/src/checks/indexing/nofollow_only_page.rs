//! Pages that only nofollow links lead to.

use crate::check::prelude::*;

/// The check.
pub(crate) const CHECK: SiteCheck = SiteCheck {
    code: "nofollow_only_page",
    severity: Severity::Warn,
    title: text("Pages with nofollow links only", "Páginas só com links nofollow"),
    why: text(
        "nofollow tells search engines not to follow a link: the page may not be found, and these links don't count.",
        "nofollow diz aos buscadores que não sigam o link: a página pode não ser encontrada, e esses links não contam.",
    ),
    how: text("Remove nofollow from the links to these pages.", "Remova o nofollow dos links para essas páginas."),
    reference: "https://developers.google.com/search/docs/crawling-indexing/qualify-outbound-links",
    rule: text(
        "Fails when pages of the site link to an indexable page, and every one of these links has nofollow or is on a page with nofollow.",
        "Falha quando páginas do site têm links para uma página indexável e todos esses links têm nofollow ou estão em páginas com nofollow.",
    ),
    message: text(
        "{cases} {cases|page has|pages have} only links with nofollow.",
        "{cases} {cases|página só tem|páginas só têm} links com nofollow.",
    ),
    run,
};

fn run(site: &SiteFacts) -> SiteVerdict {
    const NOTE: Text = text(
        "{count} {count|link leads|links lead} here, {count|with|all with} nofollow.",
        "{count} {count|link leva|links levam} a ela, {count|com|todos com} nofollow.",
    );
    let mut cases = Vec::new();
    for (id, page, _) in site.documents() {
        let places: Vec<CasePlace> = site.link_places(id).into_iter().filter(|place| place.page != id).collect();
        let is_first = site.start() == Some(id);
        if !is_first && !places.is_empty() && site.followed_sources(id).next().is_none() && site.is_indexable(id) {
            cases.push(case(site.text(page.url), NOTE, &[("count", places.len().into())], places));
        }
    }
    Ok(cases)
}
