//! Breadcrumbs that name no page.

use std::collections::BTreeMap;

use crate::check::prelude::*;
use crate::facts::TextId;

/// The check.
pub(crate) const CHECK: SiteCheck = SiteCheck {
    code: "breadcrumb_not_path",
    severity: Severity::Info,
    title: text("Breadcrumbs to pages that aren't there", "Breadcrumbs para páginas que não existem"),
    why: text(
        "Search results show the breadcrumb as the way to the page; a step that leads nowhere misleads.",
        "Os resultados de busca mostram o breadcrumb como o caminho até a página; um passo que não leva a lugar algum engana.",
    ),
    how: text(
        "Use in the breadcrumb the addresses of the pages above, as links to them have them.",
        "Use no breadcrumb os endereços das páginas acima, como estão nos links para elas.",
    ),
    reference: "https://developers.google.com/search/docs/appearance/structured-data/breadcrumb",
    rule: text(
        "Fails when a step of a page's BreadcrumbList is an address of the site that answers 4xx or redirects.",
        "Falha quando um passo do BreadcrumbList de uma página é um endereço do site que responde 4xx ou redireciona.",
    ),
    message: text(
        "{pages} {pages|page has|pages have} a breadcrumb to {cases} {cases|address that is|addresses that are} no page.",
        "{pages} {pages|página tem|páginas têm} um breadcrumb para {cases} {cases|endereço que não é|endereços que não são} uma página.",
    ),
    run,
};

fn run(site: &SiteFacts) -> SiteVerdict {
    const GONE: Text = text("Answers {status}.", "Responde {status}.");
    const REDIRECTS: Text = text("Redirects to {target}.", "Redireciona para {target}.");
    let mut steps: BTreeMap<TextId, Vec<PageId>> = BTreeMap::new();
    for (id, _, document) in site.documents() {
        document.breadcrumb.iter().for_each(|step| steps.entry(*step).or_default().push(id));
    }
    if steps.is_empty() {
        return Err(Unmeasured::Absent);
    }
    let mut cases = Vec::new();
    for (step, mut pages) in steps {
        let Some(answer) = site.page_of(step).and_then(|id| site.page(id)).map(|page| page.answer) else { continue };
        let (note, status, to) = match answer {
            NodeAnswer::Error(status) if answer.is_gone() => (GONE, status, None),
            NodeAnswer::Redirect(status, to) => (REDIRECTS, status, to),
            _ => continue,
        };
        pages.dedup();
        let to = to.map_or("", |to| site.text(to));
        cases.push(case_of(site.text(step), note, &[("status", status.into()), ("target", to.into())], pages));
    }
    Ok(cases)
}
