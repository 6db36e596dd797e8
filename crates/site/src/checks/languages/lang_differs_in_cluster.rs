//! Versions whose own language is another than they are named for.

use crate::check::prelude::*;

/// The check.
pub(crate) const CHECK: SiteCheck = SiteCheck {
    code: "lang_differs_in_cluster",
    severity: Severity::Warn,
    title: text("hreflang doesn't match the page's language", "hreflang não corresponde ao idioma da página"),
    why: text(
        "Search engines send people to a page that is not in their language.",
        "Os buscadores levam as pessoas a uma página que não está no idioma delas.",
    ),
    how: text(
        "Correct the hreflang, or the lang attribute of the page that it lists.",
        "Corrija o hreflang, ou o atributo lang da página que ele lista.",
    ),
    reference: "https://developers.google.com/search/docs/specialty/international/localized-versions",
    rule: text(
        "Fails when a page lists another page of the site for a language, and the lang of that page is another language. x-default doesn't count.",
        "Falha quando uma página lista outra página do site para um idioma, e o lang dessa página é de outro idioma. x-default não conta.",
    ),
    message: text(
        "{cases} {cases|page is|pages are} listed for a language other than {cases|its|their} own.",
        "{cases} {cases|página é listada|páginas são listadas} para um idioma que não é o {cases|dela|delas}.",
    ),
    run,
};

fn run(site: &SiteFacts) -> SiteVerdict {
    const NOTE: Text = text("Its language is {lang:language}.", "O idioma dela é {lang:language}.");
    let mut cases = Vec::new();
    for (target, places) in site.version_targets()? {
        let Some(own) = site.document(target).and_then(|document| document.lang).map(|lang| site.text(lang)) else {
            continue;
        };
        let differs = |place: &CasePlace| place.detail != "x-default" && primary(&place.detail) != primary(&own);
        let places: Vec<CasePlace> = places.into_iter().filter(differs).collect();
        if !places.is_empty() {
            cases.push(case(site.url(target), NOTE, &[("lang", own.into())], places));
        }
    }
    Ok(cases)
}

/// The language of a tag, without script and region.
fn primary(tag: &str) -> String {
    tag.split(['-', '_']).next().unwrap_or_default().to_ascii_lowercase()
}
