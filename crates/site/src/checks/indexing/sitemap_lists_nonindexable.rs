//! Sitemap entries that can not be indexed.

use crate::check::prelude::*;

/// The check.
pub(crate) const CHECK: SiteCheck = SiteCheck {
    code: "sitemap_lists_nonindexable",
    severity: Severity::Warn,
    title: text("Sitemap lists pages that can't be indexed", "Sitemap lista páginas que não podem ser indexadas"),
    why: text(
        "A sitemap says which pages should be found. Entries that say otherwise make search engines trust it less.",
        "Um sitemap diz quais páginas devem ser encontradas. Entradas que dizem o contrário fazem os buscadores confiarem menos nele.",
    ),
    how: text(
        "List only addresses that answer 200, have no noindex, and are their own canonical.",
        "Liste só endereços que respondem 200, não têm noindex e são a própria canônica.",
    ),
    reference: "https://developers.google.com/search/docs/crawling-indexing/sitemaps/build-sitemap",
    rule: text(
        "Fails when a sitemap lists an address that redirects, that robots.txt blocks, that has noindex, or whose canonical is another address.",
        "Falha quando um sitemap lista um endereço que redireciona, que o robots.txt bloqueia, que tem noindex, ou cuja canônica é outro endereço.",
    ),
    message: text(
        "The sitemap lists {cases} {cases|address|addresses} that can't be indexed.",
        "O sitemap lista {cases} {cases|endereço que não pode ser indexado|endereços que não podem ser indexados}.",
    ),
    run,
};

fn run(site: &SiteFacts) -> SiteVerdict {
    const REDIRECTS: Text = text("Redirects to {target}.", "Redireciona para {target}.");
    const BLOCKED: Text = text("Disallowed by robots.txt.", "Bloqueada pelo robots.txt.");
    const NOINDEX: Text = text("Has noindex.", "Tem noindex.");
    const ELSEWHERE: Text = text("Its canonical is {target}.", "A canônica dela é {target}.");
    let mut cases = Vec::new();
    for (id, page) in site.listed_pages().ok_or(Unmeasured::Absent)? {
        let document = site.document(id);
        let canonical = document.and_then(|document| document.canonical).filter(|canonical| *canonical != page.url);
        let (note, target) = match page.answer {
            NodeAnswer::Redirect(_, to) => (REDIRECTS, to),
            NodeAnswer::Blocked => (BLOCKED, None),
            _ if document.is_some_and(|document| document.noindex) => (NOINDEX, None),
            _ if canonical.is_some() => (ELSEWHERE, canonical),
            _ => continue,
        };
        let target = target.map(|target| site.text(target)).unwrap_or_default();
        cases.push(case_of(site.text(page.url), note, &[("target", target.into())], [id]));
    }
    Ok(cases)
}
