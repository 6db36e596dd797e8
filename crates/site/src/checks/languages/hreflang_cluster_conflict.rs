//! Versions that disagree on who is which language.

use std::collections::BTreeMap;

use crate::check::prelude::*;
use crate::facts::TextId;

/// The check.
pub(crate) const CHECK: SiteCheck = SiteCheck {
    code: "hreflang_cluster_conflict",
    severity: Severity::Error,
    title: text("Contradictory hreflang versions", "Versões de hreflang contraditórias"),
    why: text(
        "Search engines can't tell which page is the version for that language, and may ignore all of them.",
        "Os buscadores não sabem qual página é a versão daquele idioma e podem ignorar todas.",
    ),
    how: text(
        "Use the same list of versions on every page of the group.",
        "Use a mesma lista de versões em todas as páginas do grupo.",
    ),
    reference: "https://developers.google.com/search/docs/specialty/international/localized-versions",
    rule: text(
        "Fails when pages that list each other as language versions list different addresses for one language.",
        "Falha quando páginas que se listam como versões de idioma listam endereços diferentes para um mesmo idioma.",
    ),
    message: text(
        "{cases} {cases|group|groups} of language versions {cases|lists|list} different pages for one language.",
        "{cases} {cases|grupo|grupos} de versões de idioma {cases|lista|listam} páginas diferentes para um mesmo idioma.",
    ),
    run,
};

fn run(site: &SiteFacts) -> SiteVerdict {
    const NOTE: Text = text("For {lang:language}: {urls}.", "Para {lang:language}: {urls}.");
    let mut cases = Vec::new();
    for cluster in site.version_clusters()? {
        // For each language the addresses that pages name, with the pages.
        let mut named: BTreeMap<TextId, BTreeMap<TextId, Vec<PageId>>> = BTreeMap::new();
        for page in &cluster {
            for (lang, url) in site.document(*page).into_iter().flat_map(|document| site.alternates(&document)) {
                named.entry(lang).or_default().entry(url).or_default().push(*page);
            }
        }
        for (lang, urls) in named.into_iter().filter(|(_, urls)| urls.len() > 1) {
            let shown: Vec<String> = urls.keys().map(|url| site.text(*url)).collect();
            let values = [("lang", site.text(lang).into()), ("urls", shown.join(", ").into())];
            let mut pages: Vec<PageId> = urls.values().flatten().copied().collect();
            pages.sort_unstable();
            pages.dedup();
            let subject = shown.into_iter().next().unwrap_or_default();
            cases.push(case_of(subject, NOTE, &values, pages));
        }
    }
    Ok(cases)
}
