//! Language versions that do not name each other.

use crate::check::prelude::*;

/// The check.
pub(crate) const CHECK: SiteCheck = SiteCheck {
    code: "hreflang_no_return",
    severity: Severity::Error,
    title: text("hreflang without return links", "hreflang sem links de retorno"),
    why: text(
        "Search engines ignore a language version that doesn't name the page which names it.",
        "Os buscadores ignoram uma versão de idioma que não indica de volta a página que a indica.",
    ),
    how: text(
        "Have every version name all the others and itself.",
        "Faça cada versão indicar todas as outras e a si mesma.",
    ),
    reference: "https://developers.google.com/search/docs/specialty/international/localized-versions",
    rule: text(
        "Fails when a page names another indexable page of the site as a language version, and that one doesn't name it back.",
        "Falha quando uma página indica outra página indexável do site como versão de idioma, e ela não a indica de volta.",
    ),
    message: text(
        "{cases} language {cases|version doesn't|versions don't} name back the pages that name {cases|it|them}.",
        "{cases} {cases|versão de idioma não indica|versões de idioma não indicam} de volta as páginas que {cases|a|as} indicam.",
    ),
    run,
};

fn run(site: &SiteFacts) -> SiteVerdict {
    const NOTE: Text = text(
        "Doesn't name {count} {count|page that names|pages that name} it.",
        "Não indica {count} {count|página que a indica|páginas que a indicam}.",
    );
    let mut cases = Vec::new();
    for (target, places) in site.version_targets()? {
        let Some(document) = site.document(target).filter(|_| site.is_indexable(target)) else { continue };
        let names = |place: &CasePlace| {
            let url = site.page(place.page).map(|page| page.url);
            document.alternates.iter().any(|(_, version)| Some(*version) == url)
        };
        let places: Vec<CasePlace> = places.into_iter().filter(|place| !names(place)).collect();
        if !places.is_empty() {
            cases.push(case(site.url(target), NOTE, &[("count", places.len().into())], places));
        }
    }
    Ok(cases)
}
