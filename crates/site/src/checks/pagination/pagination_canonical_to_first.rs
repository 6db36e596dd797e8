//! Pages of a list that name the first as canonical.

use std::collections::BTreeMap;

use audit::facts::canonical::numbered;
use url::Url;

use crate::check::prelude::*;
use crate::facts::TextId;

/// The check.
pub(crate) const CHECK: SiteCheck = SiteCheck {
    code: "pagination_canonical_to_first",
    severity: Severity::Warn,
    title: text(
        "Pages of a list with the first page as canonical",
        "Páginas de uma lista com a primeira como canônica",
    ),
    why: text(
        "Search engines may ignore the later pages, so what only they link to is found late or never.",
        "Os buscadores podem ignorar as páginas seguintes, e o que só elas listam é encontrado tarde ou nunca.",
    ),
    how: text(
        "Name each page of the list as its own canonical.",
        "Indique em cada página da lista a própria página como canônica.",
    ),
    reference: "https://developers.google.com/search/docs/specialty/ecommerce/pagination-and-incremental-page-loading",
    rule: text(
        "Fails when a page of a list after the first names the first as its canonical. The number is read from `/page/2` or `page=2`.",
        "Falha quando uma página de uma lista após a primeira indica a primeira como sua canônica. O número é lido de `/page/2` ou `page=2`.",
    ),
    message: text(
        "{pages} {pages|page of a list names|pages of lists name} the first page as canonical.",
        "{pages} {pages|página de lista indica|páginas de listas indicam} a primeira como canônica.",
    ),
    run,
};

fn run(site: &SiteFacts) -> SiteVerdict {
    const NOTE: Text = text(
        "{count} later {count|page of the list names|pages of the list name} it as canonical.",
        "{count} {count|página seguinte da lista a indica|páginas seguintes da lista a indicam} como canônica.",
    );
    let mut lists: BTreeMap<TextId, Vec<PageId>> = BTreeMap::new();
    for (id, _, document) in site.documents() {
        let Some((number, list)) = document.list_page.filter(|(number, _)| *number > 1) else { continue };
        let Some(canonical) = document.canonical else { continue };
        let Ok(url) = Url::parse(&site.text(canonical)) else { continue };
        let (of_canonical, canonical_list) = numbered(&url);
        if of_canonical.is_none_or(|of| of < 2 && of < number) && canonical_list == site.text(list) {
            lists.entry(canonical).or_default().push(id);
        }
    }
    let found = |(first, pages): (TextId, Vec<PageId>)| {
        case_of(site.text(first), NOTE, &[("count", pages.len().into())], pages)
    };
    Ok(lists.into_iter().map(found).collect())
}
