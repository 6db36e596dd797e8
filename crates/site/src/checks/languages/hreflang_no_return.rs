//! Language versions that do not name each other.

use crate::check::prelude::*;

/// The check.
pub(crate) const CHECK: SiteCheck = SiteCheck {
    code: "hreflang_no_return",
    severity: Severity::Error,
    title: text("hreflang without return links", "hreflang sem links de retorno"),
    why: text(
        "Search engines ignore an hreflang link when the linked version doesn't list the page in return.",
        "Os buscadores ignoram um link hreflang quando a versão de destino não lista a página de volta.",
    ),
    how: text(
        "List all versions on every version, including the version itself.",
        "Liste em cada versão todas as outras e ela mesma.",
    ),
    reference: "https://developers.google.com/search/docs/specialty/international/localized-versions",
    rule: text(
        "Fails when a page lists another indexable page of the site as a language version, and that page doesn't list it in return.",
        "Falha quando uma página lista outra página indexável do site como versão de idioma, e essa outra não a lista de volta.",
    ),
    message: text(
        "{cases} language {cases|version doesn't|versions don't} list the pages that list {cases|it|them}.",
        "{cases} {cases|versão de idioma não lista|versões de idioma não listam} de volta as páginas que {cases|a|as} listam.",
    ),
    run,
};

fn run(site: &SiteFacts) -> SiteVerdict {
    const NOTE: Text = text(
        "Doesn't list {count} {count|page that lists|pages that list} it.",
        "Não lista {count} {count|página que a lista|páginas que a listam}.",
    );
    let mut cases = Vec::new();
    for (target, places) in site.version_targets()? {
        let Some(document) = site.document(target).filter(|_| site.is_indexable(target)) else { continue };
        let versions = site.alternates(&document);
        let names = |place: &CasePlace| {
            let url = site.page(place.page).map(|page| page.url);
            versions.iter().any(|(_, version)| Some(*version) == url)
        };
        let places: Vec<CasePlace> = places.into_iter().filter(|place| !names(place)).collect();
        if !places.is_empty() {
            cases.push(case(site.url(target), NOTE, &[("count", places.len().into())], places));
        }
    }
    Ok(cases)
}
